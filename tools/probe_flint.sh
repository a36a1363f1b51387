#!/bin/sh
# probe_flint.sh: finds FLINT and Arb by linking a program of three lines with each known layout.
#
#     tools/probe_flint.sh [CC]      prints "FLAGS|LIBS"; exit 1 when none works
#
# Tried in this order: FLINT 3 (Arb inside), Debian's FLINT 2 (-lflint-arb), upstream's FLINT 2 (-larb).
set -u
cc=${1:-gcc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

cat >"$dir/probe.c" <<'C'
#ifdef AT_FLINT3
#include <flint/arb.h>
#else
#include <arb.h>
#endif
#include <flint/fmpq.h>
int main(void)
{
    arb_t x;
    fmpq_t q;
    arb_init(x);
    arb_exp(x, x, 53);
    arb_clear(x);
    fmpq_init(q);
    fmpq_clear(q);
    return 0;
}
C

try() # $1 flags, $2 libs
{
    # The flags are lists of words on purpose.
    # shellcheck disable=SC2086
    if $cc $1 -o "$dir/probe" "$dir/probe.c" $2 >/dev/null 2>&1; then
        echo "$1|$2"
        exit 0
    fi
}

pc_flags=""
pc_libs=""
if pkg-config --exists flint 2>/dev/null; then
    pc_flags=$(pkg-config --cflags flint)
    pc_libs=$(pkg-config --libs flint)
fi
base='-lmpfr -lgmp -lm'
try "-DAT_FLINT3 $pc_flags" "${pc_libs:--lflint} $base"
try "-DAT_FLINT3" "-lflint $base"
try "" "-lflint-arb -lflint $base"
try "" "-larb -lflint $base"
exit 1
