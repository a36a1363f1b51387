#!/bin/sh
# check_clang.sh: clang reads the library and the fuzz targets without a warning.
#
#     tools/check_clang.sh
#
# `make fuzz` builds them with clang, whose warnings are others than gcc's, and nobody runs it every day; `make lint` asks this. Here they are only read, with
# the flags of the build; kernels for one instruction set stay out. Without clang: skipped.
set -u
build=${BUILD:-build} clang=${CLANG:-clang}
command -v "$clang" >/dev/null 2>&1 || { echo "skipped: no $clang"; exit 77; }
[ -e "$build/flags" ] || { echo "skipped: no $build/flags"; exit 77; }
flags=$(tr ' ' '\n' <"$build/flags" | grep -E '^-(std=|I|D|W[a-z])' | grep -vE '^-Wl,|psabi')
files=$(find src fuzz -name '*.c' ! -path '*/test/*' ! -path '*/mpi/*' ! -name '*_avx*.c' | LC_ALL=C sort)
# Both are lists of words.
# shellcheck disable=SC2086
"$clang" $flags -I"$build" -Wno-missing-prototypes -fsyntax-only $files || exit 1
echo "$(echo "$files" | wc -l) sources"
