#!/bin/sh
# deps.sh with a toy apt-get that only tells it was called.
. tools/test/lib.sh
mkdir "$tree/bin"
for tool in apt-get sudo; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/called"\n' $tool "$tree" >"$tree/bin/$tool"
done
printf '#!/bin/sh\necho 1000\n' >"$tree/bin/id"
chmod +x "$tree"/bin/*
deps() { BUILD="$tree/b" PATH="$tree/bin:$PATH" sh tools/deps.sh "$@"; }

holds 'all found' deps test
holds 'a stamp is left' test -f "$tree/b/deps-test.stamp"
holds 'apt was not called' test ! -e "$tree/called"
fails 'an unknown set' usage deps everything

# The rivals of bench: a machine without BLIS, as root. Named, not installed, unless asked for.
printf '#!/bin/sh\n' >"$tree/bin/ldconfig"
printf '#!/bin/sh\necho 0\n' >"$tree/bin/id"
chmod +x "$tree/bin/ldconfig"
deps bench >"$tree/said" 2>&1
verdict $? 'bench runs without its rivals'
holds 'and says what it lacks' grep -q 'goes on without:.* blis' "$tree/said"
holds 'and calls no apt unasked' test ! -e "$tree/called"
RIVALS=1 deps bench >/dev/null 2>&1
holds 'asked for, they are installed' grep -q 'install .*libblis-openmp-dev' "$tree/called"
rm "$tree/called"
printf '#!/bin/sh\necho 1000\n' >"$tree/bin/id"

# A compiler that cannot compile stands for a machine with nothing installed.
rm -r "$tree/b"
printf '#!/bin/sh\nexit 1\n' >"$tree/bin/gcc"
chmod +x "$tree/bin/gcc"
fails 'without root the line to run' 'sudo apt-get install -y --no-install-recommends gcc libc6-dev' deps test
deps test >"$tree/.out" 2>&1
verdict $(($? != 2)) 'and exit 2'
holds 'without root apt is not called' test ! -e "$tree/called"
holds 'no stamp' test ! -e "$tree/b/deps-test.stamp"

printf '#!/bin/sh\necho 0\n' >"$tree/bin/id"
fails 'as root: still missing when installing changes nothing' 'still missing: compiler' deps test
holds 'as root: update, then exactly the missing' \
    grep -qE 'install -y --no-install-recommends gcc libc6-dev' "$tree/called"
holds 'nothing that is there is asked for' sh -c "! grep -q sqlite '$tree/called'"
finish
