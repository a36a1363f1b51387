#!/bin/sh
# The build id changes with every source and flag, and with nothing else.
. tools/test/lib.sh
tool=$PWD/tools/build_id.sh
id() { (cd "$tree" && sh "$tool" b/build_id.h 1.2.3 "${1:--O2}") && cat "$tree/b/build_id.h"; }
differs() { verdict "$([ "$2" != "$3" ]; echo $?)" "$1"; }
same() { verdict "$([ "$2" = "$3" ]; echo $?)" "$1"; }

echo 'int a;' | put src/core/a.c
echo 'int b;' | put include/attest/core.h
echo 'int c;' | put cli/main.c
echo 'problem "a"' | put examples/a.dp
echo 'int d;' | put src/core/test/test_a.c
first=$(id)
holds 'sixteen hex digits' grep -qE '^#define AT_BUILD_ID "[0-9a-f]{16}"$' "$tree/b/build_id.h"
holds 'the version' grep -qx '#define AT_VERSION "1.2.3"' "$tree/b/build_id.h"
touch -d '2001-01-01' "$tree/b/build_id.h"
same 'the same sources' "$first" "$(id)"
holds 'and the file is left alone' test -n "$(find "$tree/b/build_id.h" ! -newermt 2002-01-01)"
differs 'another flag' "$first" "$(id -O3)"
echo 'int dd;' | put src/core/test/test_a.c
same 'a test is in no binary' "$first" "$(id)"
for file in src/core/a.c include/attest/core.h cli/main.c examples/a.dp; do
    cp "$tree/$file" "$tree/kept"
    echo '/* x */' >>"$tree/$file"
    differs "a change in $file" "$first" "$(id)"
    mv "$tree/kept" "$tree/$file"
done
same 'and back' "$first" "$(id)"
echo 'T(1)' | put src/core/rows.inc
differs 'a new template' "$first" "$(id)"
mv "$tree/src/core/rows.inc" "$tree/src/core/rows2.inc"
second=$(id)
mv "$tree/src/core/rows2.inc" "$tree/src/core/rows.inc"
differs 'a new name' "$second" "$(id)"
finish
