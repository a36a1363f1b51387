# test_memory.sh: too little memory. Whatever allocation fails, in whatever library, a command ends by itself with exit 0
# or 3 and at most one line, and a picture is whole or not there. (With exit 0 memory was enough, or a library did without.)
. cli/test/lib.sh

if grep -qa __asan_init "$attest"; then
    echo "ok 1 # SKIP a sanitizer has its own malloc"
    echo 1..1
    exit 0
fi

whole() # $1 a picture or page: not there, or with its last bytes
{
    [ ! -e "$1" ] && return 0
    case $1 in
    *.png) tail -c 8 "$1" | grep -qa 'IEND' ;;
    *.pdf) tail -c 8 "$1" | grep -qa '%%EOF' ;;
    *.svg) tail -c 8 "$1" | grep -q '</svg>' ;;
    *) tail -c 10 "$1" | grep -q '</html>' ;;
    esac
}

ends() # $1 name, $2 the file that it writes or "", $3... command: exit 0 without a word, or 3 with one line
{
    local name=$1 file=$2
    shift 2
    rm -f "$file"
    (ulimit -c 0 && exec timeout -k 1 120 "$@") >"$dir/.out" 2>"$dir/.err" </dev/null
    code=$?
    { { [ $code -eq 0 ] && [ ! -s "$dir/.err" ] && { [ -z "$file" ] || [ -s "$file" ]; }; } ||
        { [ $code -eq 3 ] && [ "$(wc -l <"$dir/.err")" -eq 1 ] && grep -q '^attest' "$dir/.err" && [ ! -e "$file" ]; }; } &&
        whole "$file" && [ -z "$(find "$dir" -name '.attest-*.part')" ]
    verdict $? "$name"
}

ladder() # $1 name, $2 rungs in MiB, $3 file, $4... arguments
{
    local name=$1 rungs=$2 file=$3 some=
    shift 3
    for mib in $rungs; do
        ends "$name within $mib MiB" "$file" "$attest" "$@" --max-memory "$mib"
        some=$some$code
    done
    # the ladder reaches from too little to enough
    case $some in 3*0) verdict 0 "$name: both ends" ;; *) verdict 1 "$name: both ends ($some)" ;; esac
}

rungs="24 28 30 31 32 33 34 35 36 38 40 44 48 64"
for kind in png svg pdf; do
    ladder "look, $kind" "$rungs" "$dir/x.$kind" look match2 -o "$dir/x.$kind"
    ladder "bound, $kind" "24 32 34 36 40 64" "$dir/x.$kind" bound compose-bound --plot "$dir/x.$kind"
    ladder "map, $kind" "24 200" "$dir/x.$kind" map --problem lis -o "$dir/x.$kind"
done
ladder 'map, a table' '24 400' '' map # constructions are planned one at a time, and leave nothing behind
call check match2 --set N=6 --db "$dir/l.db"
ladder 'report' '24 300' "$dir/x.html" report --db "$dir/l.db" -o "$dir/x.html"
small="--widths 8 --seeds 1 --attentions standard --steps 1 --db $dir/s.db -o $dir/s.html"
# shellcheck disable=SC2086
call sweep lis $small
for kind in png pdf; do
    # shellcheck disable=SC2086
    ladder "sweep, $kind" '24 400' "$dir/x.$kind" sweep lis $small --plot "$dir/x.$kind"
done

# ---- an allocation that fails, in our own code or in a library -------------------------------------------------------
# Counted from main on: what libraries do while they are loaded is not ours to survive.
cat >"$dir/fail.c" <<'END'
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
static atomic_long count, first, last;
static int fails(void)
{
    long k = first ? ++count : 0;
    if (!k || k < first || k > last)
        return 0;
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
__attribute__((constructor)) static void arm(void)
{
    last = atol(getenv("FAIL_TO"));
    first = atol(getenv("FAIL_FROM"));
}
END
if ! ${CC:-cc} -shared -fPIC -O1 -o "$dir/fail.so" "$dir/fail.c" 2>"$dir/.err"; then
    echo '# no C library with __libc_malloc: single failures are not tested'
    finish
fi
fail() # $1 numbers, $2 file, $3... arguments: that allocation fails; and that one with all after it
{
    local numbers=$1 file=$2
    shift 2
    for n in $numbers; do
        ends "$1: allocation $n fails" "$file" env FAIL_FROM="$n" FAIL_TO="$n" LD_PRELOAD="$dir/fail.so" "$attest" "$@"
        # A library that tries again for ever is stopped by its processor time; not after the usual minute here.
        ends "$1: all from $n on fail" "$file" bash -c 'ulimit -St 1; exec "$@"' bash \
            env FAIL_FROM="$n" FAIL_TO=1000000000 LD_PRELOAD="$dir/fail.so" "$attest" "$@"
    done
}
early="1 2 3 4 5 6 8 10 13 20 30 50 80"
fail "$early" '' list
fail "$early" '' show match2 --set N=6
fail "$early" '' look --help
fail "$early 120 150 180 200" "$dir/x.svg" look match2 -o "$dir/x.svg"
fail "160 185 190 200 220 260 400 700 1100 2000 3000 5000 9000 10000 12000" "$dir/x.pdf" look match2 -o "$dir/x.pdf"
fail "200 600 4000 10500" "$dir/x.png" look match2 -o "$dir/x.png"
finish
