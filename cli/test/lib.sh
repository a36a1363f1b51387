# lib.sh: what the scripts in cli/test/ share; sourced, from the top of the repository.
#
#     . cli/test/lib.sh
#     gives 0 'runs a line' '1 1 0' run "$dir/m.st" 3 14 5
#     refuses 2 'names the range' 'M=0: must be an integer in 2..65536' show match2 --set M=0
#     finish
#
# Every check prints one "ok" or "not ok" line. `gives` wants the code, no word on stderr and the whole stdout;
# `says` wants a part of stdout; `refuses` wants the code, an empty stdout (unless $partial) and exactly
# one line on stderr that holds the text.
# shellcheck shell=bash
set -u
attest=${ATTEST:-${BUILD:-build}/attest}
case $attest in /*) ;; *) attest=$PWD/$attest ;; esac # tests change folders
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0
failed=0
code=0
# Under a sanitizer a script may leave out what only repeats itself: everything takes some five times as long.
sanitized=${SANITIZED:+yes}
# The programs of the modules look for stacks that are used after they are gone; once is enough, and it takes a fifth of the time.
[ -z "$sanitized" ] || export ASAN_OPTIONS=allocator_may_return_null=1
export NO_COLOR=1
unset COLUMNS

verdict() # $1 0 or 1, $2 name
{
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        echo "not ok $tests - $2"
        echo "# exit $code"
        head -c 2000 "$dir/.out" | sed 's/^/# out: /'
        head -c 2000 "$dir/.err" | sed 's/^/# err: /'
        failed=$((failed + 1))
    fi
}

call() # $@ arguments of attest; stdin is $input when that is set
{
    if [ -n "${input+set}" ]; then
        printf '%s' "$input" | "$attest" "$@" >"$dir/.out" 2>"$dir/.err"
    else
        "$attest" "$@" >"$dir/.out" 2>"$dir/.err" </dev/null
    fi
    code=$?
}

# Models of programs are proved for f64. With $doubted set, what asks one for fewer bits expects the line that says so, and nothing
# else, on stderr.
quiet()
{
    if [ -n "${doubted:-}" ]; then
        [ "$(wc -l <"$dir/.err")" -eq 1 ] && grep -q '^attest.* nothing was proved there$' "$dir/.err"
    else
        [ ! -s "$dir/.err" ]
    fi
}

gives() # $1 code, $2 name, $3 stdout, $4... arguments
{
    local want=$1 name=$2 text=$3
    shift 3
    call "$@"
    [ "$code" -eq "$want" ] && quiet && [ "$(cat "$dir/.out")" = "$text" ]
    verdict $? "$name"
}

says() # $1 code, $2 name, $3 part of stdout, $4... arguments
{
    local want=$1 name=$2 text=$3
    shift 3
    call "$@"
    [ "$code" -eq "$want" ] && quiet && grep -qF -- "$text" "$dir/.out"
    verdict $? "$name"
}

refuses() # $1 code, $2 name, $3 part of the line, $4... arguments
{
    local want=$1 name=$2 text=$3
    shift 3
    call "$@"
    [ "$code" -eq "$want" ] && [ "$(wc -l <"$dir/.err")" -eq 1 ] && grep -qF -- "$text" "$dir/.err" &&
        grep -q '^attest' "$dir/.err" && { [ -n "${partial:-}" ] || [ ! -s "$dir/.out" ]; }
    verdict $? "$name"
}

holds() # $1 name, $2... command
{
    local name=$1
    shift
    "$@" >"$dir/.log" 2>&1 # what attest said last stays in .out and .err
    verdict $? "$name"
}

fits() # $1 name, $2... arguments (none: of what came out): no line of stdout is wider than 80 columns
{
    local name=$1
    shift
    [ $# -eq 0 ] || call "$@"
    [ "$code" -eq 0 ] && ! LC_ALL=C.UTF-8 grep -qE '^.{81,}$' "$dir/.out"
    verdict $? "$name"
}

sum_dp() # $1 a file, which becomes a small recurrence of one's own
{
    cat >"$1" <<'DP'
problem "sum, cut at 9"
size n in 1..6
input x[n] in 0..3
state i in 1..n
value s in 0..9
take a = x[i]
need b = (i-1) when i > 1
s = min(9, a + if i > 1 then b.s else 0)
answer s
DP
}

# Bytes of characters that steer a terminal, change directions or are not seen: U+0085, U+061C, U+200B..U+200F,
# U+2028..U+202E, U+2060..U+206F, U+FEFF.
acting='\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf'

harmless() # $1 name, $2... files (default: what came out): nothing that acts but newlines and tabs
{
    local name=$1
    shift
    [ $# -gt 0 ] || set -- "$dir/.out" "$dir/.err"
    ! LC_ALL=C grep -qaP "[\x01-\x08\x0b-\x1f\x7f]|$acting" "$@"
    verdict $? "$name"
}

catches() # $1 process: until it catches SIGTERM, however busy the machine; where that cannot be seen, half a second
{
    [ -r "/proc/$1/status" ] || {
        sleep 0.5
        return
    }
    # Before it becomes attest it is a shell, as this is, with handlers of its own. SigCgt is a mask in hexadecimal; SIGTERM, 15,
    # is the 4 in its fourth digit from the right.
    for _ in $(seq 600); do
        ! [ "/proc/$1/exe" -ef "/proc/$$/exe" ] && grep -q '^SigCgt:.*[4567c-f]...$' "/proc/$1/status" 2>/dev/null && return
        sleep 0.1
    done
}

waits() # $1 process: the same, and until it waits for something
{
    catches "$1"
    for _ in $(seq 600); do
        grep -q '^State:[[:space:]]*S' "/proc/$1/status" 2>/dev/null && return
        [ -r "/proc/$1/status" ] || return
        sleep 0.1
    done
}

finish()
{
    echo "1..$tests"
    exit $((failed > 0))
}
