#!/bin/sh
# check_constants.sh: who may call the elementary functions of the C library, and who writes numbers byte by byte.
#
#     tools/check_constants.sh [ROOT]       prints FILE:LINE of every violation; exit 1 when there is one
#
# C libraries differ in the last bit of sin, exp and their like, so a model made with them would have another hash on another
# machine. Everything uses at_exp, at_log, .. of attest/core.h, which are correctly rounded, but for what is allowed below, by file and function:
# where the result is judged against an error bound anyway, or is only looked at. Tests may call what they like.
# Likewise a size_t has 32 bits on some machines, and shifted by 56 it is another file: at_le_put and at_le_get of attest/core.h alone
# take numbers apart into bytes, and widen them first.
set -u
cd "${1:-.}" || exit 2

files=$(find include src cli examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) ! -path '*/test/*' 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo 'check_constants: no sources here' >&2; exit 2; }

# shellcheck disable=SC2086
awk '
function allow(pattern, functions, why)
{
    path[++rules] = pattern
    may[rules] = " " functions " "
}

function allowed(name,    i)
{
    for (i = 1; i <= rules; i++)
        if (FILENAME ~ path[i] && index(may[i], " " name " "))
            return 1
    return 0
}

BEGIN {
    allow("^src/core/elementary[.]c$", "pow", "special values, which the C standard fixes")
    allow("^src/num/pbit_fn[.]c$", "exp sin cos erfc", "rounded to p bits only where the error cannot matter, else by MPFR")
    allow("^src/exec/reference_f(32|64)[.]c$", "exp expf erfc", "kernels of f32 and f64: runs err by a bound, nothing of them is stored")
    allow("^src/exec/(batch_rows|fast_kernels)[.]inc$", "erfc erfcf", "likewise")
    allow("^src/train/(train|plain)_rows[.]inc$", "exp log erfc", "gradients and losses: trained weights are what the machine made them")
    allow("^src/(picture|report)/", "sin cos exp log log10 log2 pow", "pixels and labels")
    libm = "(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erf|erfc|tgamma|lgamma|sincos)[fl]?"
}

FNR == 1 {
    comment = 0
}

# Without comments and strings.
{
    line = $0
    code = ""
    while (line != "") {
        if (comment) {
            if (!(k = index(line, "*/")))
                break
            line = substr(line, k + 2)
            comment = 0
        } else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"/)) {
            code = code substr(line, 1, RSTART - 1) " "
            what = substr(line, RSTART, 2)
            line = substr(line, RSTART + RLENGTH)
            if (what == "//")
                break
            comment = what == "/*"
        } else {
            code = code line
            break
        }
    }
    if (FILENAME != "include/attest/core.h" && code ~ /(<<|>>) *[(]?8 *[*]/) {
        printf "%s:%d: a number in bytes; at_le_put, at_le_get and at_text_add_le are in attest/core.h\n", FILENAME, FNR
        failures++
    }
    while (match(code, "(^|[^A-Za-z0-9_.])" libm "[ \t]*[(]")) {
        name = substr(code, RSTART, RLENGTH)
        gsub(/[^A-Za-z0-9_]/, "", name)
        code = substr(code, RSTART + RLENGTH)
        if (!allowed(name)) {
            printf "%s:%d: %s of the C library; correctly rounded ones are in attest/core.h\n", FILENAME, FNR, name
            failures++
        }
    }
}

END {
    if (!failures)
        printf "%d files take no constants from the C library, and no number apart\n", ARGC - 1
    exit failures > 0
}' $files
