#!/bin/sh
# versions.sh: the compiler and the libraries by version, on one line. Part of the build id, and asked
# at every make: another compiler or another MPFR is another build.
cc=${1:-gcc}
{
    $cc --version | head -n 1
    for lib in sqlite3 jansson gmp mpfr cairo; do
        echo "$lib $(pkg-config --modversion $lib)"
    done
    printf '#include <z3_version.h>\nz3 Z3_FULL_VERSION\n' | $cc -E -P - | tail -n 1
    printf '#include <flint/flint.h>\nflint FLINT_VERSION\n' | $cc -E -P - | tail -n 1
} 2>/dev/null | tr -d "\"'#\$" | tr '\n' ' '
