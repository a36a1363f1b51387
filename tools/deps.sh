#!/bin/sh
# deps.sh: sees to the packages.
#
#     tools/deps.sh [run|test|fuzz|bench|judge|mutants]
#
# Looks for each thing by using it (a compiler compiles, a library links), not by asking the package
# manager; when all is found no package manager is called. Otherwise, as root on Debian or Ubuntu, exactly
# the missing packages are installed; without root the line to run is printed, exit 2. A
# stamp in $BUILD makes the second time instant. What bench likes to have but can do
# without (the rivals) is named, never fails it, and is installed only with RIVALS=1.
set -u
set=${1:-run}
build=${BUILD:-build}
CC=${CC:-gcc}
CLANG=${CLANG:-clang}
here=$(dirname "$0")
stamp=$build/deps-$set.stamp

case $set in
run | test | fuzz | bench | judge | mutants) ;;
*) echo 'usage: tools/deps.sh [run|test|fuzz|bench|judge|mutants]' >&2; exit 2 ;;
esac
[ "${RIVALS:-0}" != 1 ] && [ -n "$(find "$stamp" -newer "$0" 2>/dev/null)" ] && exit 0

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

has() { command -v "$1" >/dev/null 2>&1; }
compiles()
{
    echo 'int main(void) { return 0; }' >"$tmp/a.c"
    $CC -o "$tmp/a" "$tmp/a.c" >/dev/null 2>&1
}
fuzzes()
{
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { (void)d; (void)n; return 0; }' >"$tmp/f.c"
    $CLANG -fsanitize=fuzzer,address,undefined -o "$tmp/f" "$tmp/f.c" >/dev/null 2>&1
}
proves()
{
    echo '#include <z3.h>' >"$tmp/z.c"
    $CC -E "$tmp/z.c" >/dev/null 2>&1
}
# The schema of ONNX, and what makes C of it.
onnx_schema()
{
    { [ -f /usr/include/onnx/onnx.proto ] || [ -f /usr/local/include/onnx/onnx.proto ]; } && has protoc-c &&
        pkg-config --exists libprotobuf-c 2>/dev/null
}
# The newest version that apt knows of, empty when it knows none.
candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([^(].*\)/\1/p'; }

# ---- what is missing: words for people, marks for the package names below --------------------------

look()
{
    missing=
    compiles || missing="$missing compiler"
    has make || missing="$missing make"
    has pkg-config || missing="$missing pkg-config"
    for lib in sqlite3 jansson gmp mpfr cairo; do
        pkg-config --exists $lib 2>/dev/null || missing="$missing $lib"
    done
    sh "$here/probe_flint.sh" "$CC" >/dev/null 2>&1 || missing="$missing flint"
    case $set in test | fuzz | mutants) pkg-config --exists cmocka 2>/dev/null || missing="$missing cmocka" ;; esac
    case $set in test | mutants) { pkg-config --exists ompi-c && has mpirun; } 2>/dev/null || missing="$missing mpi" ;; esac
    case $set in test | mutants) proves || missing="$missing z3" ;; esac
    case $set in test | judge | mutants) onnx_schema || missing="$missing onnx" ;; esac
    case $set in judge) for tool in node npm; do
        has $tool || missing="$missing $tool"
    done
    for module in numpy torch; do
        /usr/bin/python3 -c "import $module" 2>/dev/null || missing="$missing $module"
    done
    for judge in foma gap mona irstlm berkeley-abc; do
        has $judge || missing="$missing $judge"
    done ;; esac
    case $set in mutants) /usr/bin/python3 -c 'import clang.cindex as c; c.Index.create()' 2>/dev/null || missing="$missing libclang" ;; esac
    case $set in fuzz) fuzzes || missing="$missing clang-with-libFuzzer" ;; esac
}

packages_for() # the Debian packages of the marks given
{
    for mark; do
        case $mark in
        compiler) echo gcc libc6-dev ;;
        sqlite3) echo libsqlite3-dev ;;
        jansson) echo libjansson-dev ;;
        gmp) echo libgmp-dev ;;
        mpfr) echo libmpfr-dev ;;
        cairo) echo libcairo2-dev ;;
        cmocka) echo libcmocka-dev ;;
        mpi) echo libopenmpi-dev openmpi-bin ;;
        z3) echo libz3-dev ;;
        onnx) echo libprotobuf-c-dev protobuf-c-compiler libonnx-dev ;;
        node) echo nodejs ;;
        flint)
            # From FLINT 3 on, Arb is inside.
            case $(candidate libflint-dev) in
            '' | 2.*) echo libflint-dev libflint-arb-dev ;;
            *) echo libflint-dev ;;
            esac
            ;;
        clang-with-libFuzzer)
            if [ -n "$(candidate libclang-rt-dev)" ]; then
                echo clang libclang-rt-dev
            elif [ -n "$(candidate libclang-rt-14-dev)" ]; then
                echo clang libclang-rt-14-dev
            else
                echo clang # older: the runtime comes with it
            fi
            ;;
        numpy) echo python3-numpy ;;
        torch) echo python3-torch ;;
        gap) echo gap-core ;;
        libclang)
            if [ -n "$(candidate python3-clang)" ]; then
                echo python3-clang
            else
                echo python3-clang-14
            fi
            ;;
        blis) echo libblis-openmp-dev ;;
        *) echo "$mark" ;;
        esac
    done | tr '\n' ' ' | sed 's/ $//'
}

install_packages()
{
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" </dev/null
}

root() { [ "$(id -u)" -eq 0 ]; }

# Word splitting of the lists below is meant.
# shellcheck disable=SC2086
look
if [ -n "$missing" ]; then
    echo "deps: missing:$missing" >&2
    if ! has apt-get; then
        echo 'deps: this is not Debian or Ubuntu; docs/building.md lists what is needed' >&2
        exit 2
    fi
    if ! root; then
        # shellcheck disable=SC2086
        echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $(packages_for $missing)"
        exit 2
    fi
    apt-get -o DPkg::Lock::Timeout=120 update </dev/null || echo 'deps: apt-get update failed, going on' >&2
    # shellcheck disable=SC2046,SC2086
    install_packages $(packages_for $missing) || { echo 'deps: apt-get install failed' >&2; exit 2; }
    look
    [ -z "$missing" ] || { echo "deps: still missing:$missing" >&2; exit 2; }
fi

# The rivals of bench are a gigabyte and nearly two hundred packages: nobody gets them unasked.
if [ "$set" = bench ]; then
    wanted=
    /usr/bin/python3 -c 'import torch' 2>/dev/null || wanted="$wanted torch"
    ldconfig -p 2>/dev/null | grep -q 'libblis' || wanted="$wanted blis"
    if [ -n "$wanted" ]; then
        # shellcheck disable=SC2086
        line="apt-get install -y --no-install-recommends $(packages_for $wanted)"
        if [ "${RIVALS:-0}" = 1 ] && root && has apt-get; then
            # shellcheck disable=SC2046,SC2086
            install_packages $(packages_for $wanted) || echo "deps: bench goes on without:$wanted" >&2
        else
            echo "deps: bench goes on without:$wanted (RIVALS=1 make bench as root, or: $line)" >&2
        fi
    fi
fi

mkdir -p "$build" && touch "$stamp"
