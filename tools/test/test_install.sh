#!/bin/sh
# What `make install` leaves is enough for a stranger: the headers stand alone, pkg-config links a program,
# and the manual page has every command. Runs after the build, which it only installs.
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
        $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs attest) && "$tree/user"
}
holds 'a program of a stranger links and runs' link_user
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
