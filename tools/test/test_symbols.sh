#!/bin/sh
# What a library exports beside its header: equal, one more, one less.
. tools/test/lib.sh
cc=${CC:-gcc}
put attest.h <<'H'
#define AT_API __attribute__((visibility("default")))
AT_API int at_one(void);
AT_API const char *at_two(int a,
                          int b);
H
make_library() # $1 more C
{
    printf '#include "attest.h"\nint at_one(void) { return 1; }\nconst char *at_two(int a, int b) { return a + b ? "" : 0; }\n%s\n' "$1" |
        "$cc" -shared -fPIC -fvisibility=hidden -x c -I"$tree" -o "$tree/lib.so" -
}
check() { sh tools/check_symbols.sh "$tree/lib.so" "$tree/attest.h"; }

make_library 'int hidden(void) { return 0; }'
holds 'what is declared is exported' check
make_library '__attribute__((visibility("default"))) int stray(void) { return 0; }'
fails 'one more is named' 'exports stray, which' check
make_library ''
echo 'AT_API void at_three(void);' >>"$tree/attest.h"
fails 'one less, too' 'does not export at_three' check
echo 'AT_API' >>"$tree/attest.h"
fails 'a line that declares nothing' 'declares no call' check
finish
