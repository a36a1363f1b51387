# lib.sh: what the scripts in tools/test/ share; sourced, from the top of the repository.
#
#     . tools/test/lib.sh
#     holds 'a good tree passes' sh tools/check_layers.sh "$tree"
#     fails 'and says where' 'src/num/a.c:1: num may not use exec' sh tools/check_layers.sh "$tree"
#     finish
#
# $tree is a fresh directory; every check prints one "ok" or "not ok" line.
# shellcheck shell=sh
set -u
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
tests=0
failed=0

verdict() # $1 0 or 1, $2 name
{
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        echo "not ok $tests - $2"
        sed 's/^/# /' "$tree/.out" 2>/dev/null
        failed=$((failed + 1))
    fi
}

holds() # $1 name, $2... command that must exit 0
{
    name=$1
    shift
    "$@" >"$tree/.out" 2>&1
    verdict $(($? != 0)) "$name"
}

fails() # $1 name, $2 text that its output must hold, $3... command that must not exit 0
{
    name=$1 text=$2
    shift 2
    if "$@" >"$tree/.out" 2>&1 || ! grep -qF -- "$text" "$tree/.out"; then
        verdict 1 "$name"
    else
        verdict 0 "$name"
    fi
}

put() # $1 path in the tree; the content is the standard input
{
    mkdir -p "$(dirname "$tree/$1")"
    cat >"$tree/$1"
}

finish()
{
    echo "1..$tests"
    exit $((failed > 0))
}
