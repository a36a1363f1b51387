#!/bin/sh
# configure.sh: writes what the build must know about this machine as a makefile fragment.
#
#     tools/configure.sh CC > build/config.mk
#
# Holds: is it x86-64 (then the *_avx2.c files are compiled), flags and libraries. Nothing in it depends on
# the place.
set -u
cc=${1:-gcc}
libraries='sqlite3 jansson gmp mpfr cairo'

die()
{
    echo "configure: $1 not found; run \`make deps\` (or see docs/building.md)" >&2
    exit 1
}

command -v "${cc%% *}" >/dev/null 2>&1 || die "the compiler $cc"
command -v pkg-config >/dev/null 2>&1 || die pkg-config
for lib in $libraries; do
    pkg-config --exists "$lib" || die "$lib"
done
flint=$(sh "$(dirname "$0")/probe_flint.sh" "$cc") || die "FLINT with Arb"

case $($cc -dumpmachine) in
x86_64*) x86_64=1 ;;
*) x86_64= ;;
esac

# A second linker, where binutils brings it.
gold=
echo 'int main(void) { return 0; }' | $cc -fuse-ld=gold -x c -o /dev/null - 2>/dev/null && gold=-fuse-ld=gold

# The library names are a list of words on purpose.
# shellcheck disable=SC2086
cat <<MK
X86_64 := $x86_64
DEP_CFLAGS := $(pkg-config --cflags $libraries) ${flint%%|*}
DEP_LIBS := $(pkg-config --libs $libraries) ${flint#*|}
GOLD := $gold
FLINT_LIBS := ${flint#*|}
MK
