#!/bin/sh
# What `make install` leaves is enough for a stranger: the headers stand alone, pkg-config links a program with the shared library
# and with the archive, and the manual page has every command. Runs after the build, which it only installs.
. tools/test/lib.sh
cc=${CC:-gcc}
prefix=$tree/usr
install_to() { make --no-print-directory -j1 install BUILD="${BUILD:-build}" CC="$cc" "$@"; }

holds 'make install PREFIX' install_to PREFIX="$prefix"
for header in include/attest/*.h; do
    name=$(basename "$header")
    echo "#include <attest/$name>" >"$tree/alone.c"
    holds "attest/$name stands alone" "$cc" -std=gnu17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" "$tree/alone.c"
done

# The example, as C and as C++, linked with the shared library by what pkg-config says.
flags_of() { PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs "$1"; }
example() # $1... the compiler
{
    # The flags are a list of words.
    # shellcheck disable=SC2046
    "$@" -Wall -Wextra -Werror -o "$tree/library" examples/library.c $(flags_of attest) &&
        LD_LIBRARY_PATH="$prefix/lib" "$tree/library" >"$tree/said" && cat "$tree/said" &&
        grep -qx '3 14 5 -> 1 1 0' "$tree/said" && grep -q '^match2 holds on [1-9][0-9]* inputs$' "$tree/said" &&
        grep -qE '^trained: (9[0-9]|100)% of positions right$' "$tree/said"
}
# What docs/library.md shows is a part of it.
shown()
{
    awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' docs/library.md >"$tree/shown" && [ -s "$tree/shown" ] &&
        awk 'NR == FNR { page = page $0 "\n"; next } { all = all $0 "\n" } END { exit !index(all, page) }' "$tree/shown" examples/library.c
}
holds 'the page shows the example' shown
holds 'attest.h stands alone' "$cc" -std=c99 -Wall -Wextra -Werror -pedantic -fsyntax-only -x c -I"$prefix/include" "$prefix/include/attest.h"
holds 'the example links with the shared library and runs' example "$cc" -std=c99
holds 'by its soname' grep -q 'libattest\.so\.[0-9]' "$tree/library"
# g++ may be missing; the compiler may be called gcc-12.
cxx=$(echo "$cc" | sed 's/gcc/g++/; s/clang\(-[0-9]*\)*$/clang++\1/')
if command -v "$cxx" >/dev/null 2>&1 && [ "$cxx" != "$cc" ]; then
    holds 'and as C++' example "$cxx" -x c++
else
    echo "ok $((tests + 1)) - and as C++ # SKIP no $cxx"
    tests=$((tests + 1))
fi

put user.c <<'C'
#include <attest/core.h>
int main(void)
{
    at_err err = {0};
    return at_fail(&err, AT_EINPUT, "a word") == AT_EINPUT ? 0 : 1;
}
C
link_user()
{
    # The flags are a list of words.
    # shellcheck disable=SC2046
    "$cc" -o "$tree/user" "$tree/user.c" \
        $(flags_of attest-static) && "$tree/user"
}
holds 'a program of the workshop links with the archive and runs' link_user
if [ -e "${BUILD:-build}/attest_mpi.so" ]; then
    holds 'the plugin for MPI is where the command looks for it' test -x "$prefix/bin/../lib/attest/attest_mpi.so"
fi
holds 'the command runs' "$prefix/bin/attest" --help
for command in $(sh tools/commands.sh "$prefix/bin/attest"); do
    holds "the manual has attest $command" grep -qx ".SS attest $command" "$prefix/share/man/man1/attest.1"
done
holds 'CITATION.cff has the same version' \
    grep -qx "version: $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --modversion attest)" CITATION.cff

holds 'make install DESTDIR' install_to DESTDIR="$tree/stage" PREFIX=/opt/at LIBDIR=/opt/at/lib64
holds 'stages under it' test -x "$tree/stage/opt/at/bin/attest"
holds 'and LIBDIR is followed' grep -qx 'libdir=/opt/at/lib64' "$tree/stage/opt/at/lib64/pkgconfig/attest.pc"
finish
