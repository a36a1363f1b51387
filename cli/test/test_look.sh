# test_look.sh: `look` in the terminal and as files.
. cli/test/lib.sh

says 0 'look ID: its own input' 'rows: queries  columns: keys' look match2
fits 'the sketch fits 80 columns' look match2
harmless 'no colour into a pipe'
says 0 'look ID INPUT' 'input    3  14   5' look match2 3 14 5
says 0 'look ID --set' 'input    3   4' look match2 3 4 --set M=7
call build match2 --set N=8,M=17 -o "$dir/m.st"
says 0 'look MODEL INPUT' 'output   1   1   0' look "$dir/m.st" 3 14 5
for id in $("$attest" list claims --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4); do
    if "$attest" look "$id" 2>&1 | grep -q 'is a limit'; then
        refuses 2 "look $id: a limit has no model" 'it has no model of its own' look "$id"
    else
        fits "look $id" look "$id"
    fi
done
for kind in png svg pdf; do
    says 0 "look -o .$kind" '1 head, 4 positions' look "$dir/m.st" 3 14 5 -o "$dir/p.$kind"
done
holds 'a PNG' sh -c "head -c 4 '$dir/p.png' | grep -q PNG"
holds 'an SVG' grep -q '<svg' "$dir/p.svg"
holds 'a PDF' sh -c "head -c 4 '$dir/p.pdf' | grep -q %PDF"
says 0 'look: a claim without attention says so' 'no attention: every position is answered for itself' look lemma-a1
says 0 'look: no heads, a picture all the same' '0 heads, 3 positions' look lemma-a1 -o "$dir/none.svg"
says 0 'look: balls' 'output' look match2 --precision ball

refuses 2 'look: unknown picture' '.gif' look match2 -o "$dir/p.gif"
says 0 'look: no input is one of the problem it was made for' 'layer 1 head 1' look "$dir/m.st"
call compile examples/pairs.program -o "$dir/alone.st"
refuses 2 'look: no input' 'an input is missing' look "$dir/alone.st"
refuses 2 'look: bad input' 'token 99 out of range 0..16' look "$dir/m.st" 99
refuses 2 'look: --set with a file' '--set is for claims' look "$dir/m.st" 3 --set N=3
refuses 2 'look: a missing directory' 'No such file or directory' look match2 -o "$dir/no/p.svg"
call build match2 --set N=4096,M=2 -o "$dir/long.st"
refuses 2 'look: too long' 'at most 4096 can be looked at' look "$dir/long.st" "$(yes 1 | head -4096 | tr '\n' ' ')"
# A short prompt, but 65 * 64 rows after it: what is written is looked at too.
refuses 2 'look: a chain that is too long' 'more than 4096 positions with what it writes' \
    look dp-standard "$(yes 1 | head -129 | tr '\n' ' ')|" --set a=65,b=64
finish
