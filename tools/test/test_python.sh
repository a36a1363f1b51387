#!/bin/sh
# The Python package: its tests, what its page shows, and what pip installs. Where there is no NumPy, or no shared library, it is left out.
. tools/test/lib.sh
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || python=python3
skip()
{
    echo "ok 1 - the Python package # SKIP $1"
    echo 1..1
    exit 0
}
"$python" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip 'no Python 3.9 with NumPy'
[ -e "$build/libattest.so" ] || skip "no $build/libattest.so"
export ATTEST_LIBRARY="$build/libattest.so" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=python

"$python" -W error python/test/test_attest.py >"$tree/.out" 2>&1
grep -E '^(ok|not ok) ' "$tree/.out" | sed 's/^\(ok\|not ok\) [0-9]* - /\1 /' >"$tree/lines"
if ! grep -q '^1\.\.' "$tree/.out"; then
    verdict 1 'the tests of the package run to their end'
fi
while read -r line; do
    case $line in
    'ok '*) tests=$((tests + 1)); echo "ok $tests - ${line#ok }" ;;
    *) verdict 1 "${line#not ok }" ;;
    esac
done <"$tree/lines"
sed -n 's/^# a call/# a call/p' "$tree/.out"

# The page's examples are what Python prints.
holds 'the examples of docs/python.md' "$python" -m doctest docs/python.md
holds 'and of the package itself' "$python" -c 'import attest, doctest, sys; n = doctest.testmod(attest); sys.exit(n.failed or not n.attempted)'

# A wheel without setuptools or network, which works where nothing of the repository is.
wheel() { (cd python && "$python" -c 'import backend, sys; backend.build_wheel(sys.argv[1])' "$tree"); }
holds 'a wheel is made' wheel
unpack() { "$python" -m zipfile -e "$tree"/attest-*.whl "$tree/site"; }
holds 'and unpacked' unpack
alone() { (cd "$tree" && env -u ATTEST_LIBRARY PYTHONPATH="$tree/site" "$python" -c 'import attest; print(attest.build("match2", N=4, M=5)([1, 4]))' && test -e site/attest/libattest.so); }
holds 'it runs by itself' alone
if "$python" -m pip --version >/dev/null 2>&1; then
    holds 'pip install ./python' "$python" -m pip install -q --no-deps --no-index --disable-pip-version-check --target "$tree/pip" ./python
    installed() { (cd "$tree" && env -u ATTEST_LIBRARY PYTHONPATH="$tree/pip" "$python" -c 'import attest; assert attest.__version__; attest.bound("compose-bound")'); }
    holds 'and what it installed runs' installed
fi
missing() { (cd "$tree" && ATTEST_LIBRARY=/nowhere/libattest.so PYTHONPATH="$tree/site" "$python" -c 'import attest'); }
fails 'without a library one line says so' 'ImportError: attest: no library' missing
finish
