# test_program.sh: the text of a program, shown, compiled, run; and its faults.
. cli/test/lib.sh

says 0 'show: a program by hand' 'paired = attend softmax' show examples/pairs.program
holds 'and its size' grep -q '1 attention layer, 1 head' "$dir/.out"
says 0 'show: its parameters' 'input x: token 0..16' show examples/pairs.program --set M=17
says 0 'show: JSON' '"program": "program pairs' show examples/pairs.program --json
says 0 'compile: a program' 'program pairs' compile examples/pairs.program --set N=8,M=17 -o "$dir/pairs.st"
gives 0 'run it' '1 1 1 1 1 0 1' run "$dir/pairs.st" 3 14 5 14 12 1 0
says 0 'compile: for another arithmetic' 'within' compile examples/pairs.program --precision f32 -o "$dir/p.st"
says 0 'compile: JSON' '"parameters": 80' compile examples/pairs.program -o "$dir/p.st" --json

# What show prints exactly is the model, whoever compiles it.
for id in match2 lemma-a12 qsa-rip match3-local dp-sparse arith-standard; do
    call show "$id" --exact
    cp "$dir/.out" "$dir/$id.program"
    says 0 "compile: the text of $id" 'outputs within' compile "$dir/$id.program" -o "$dir/of-text.st"
    call show "$dir/$id.program" --exact
    holds "the text of $id is printed again" cmp -s "$dir/.out" "$dir/$id.program"
done
call build match2 -o "$dir/built.st"
call compile "$dir/match2.program" -o "$dir/of-text.st"
hash() { "$attest" show "$1" | grep sha-256; } # the file of the claim says also what it is for
holds 'the model of the text is the model of the claim' [ "$(hash "$dir/built.st")" = "$(hash "$dir/of-text.st")" ]

call show match2 --set N=6,M=11
sed -n '/^  program/,/^  *output/p' "$dir/.out" >"$dir/short.program"
refuses 2 'a shortened text' 'this text was shortened for reading; `attest show --exact` prints all of it' \
    compile "$dir/short.program" -o "$dir/x.st"
refuses 2 'unknown parameter' "did you mean 'M'?" compile examples/pairs.program --set m=3 -o "$dir/x.st"
refuses 2 'out of its range' 'M=1: must be an integer in 2..65536' show examples/pairs.program --set M=1
refuses 2 'no such file' 'nowhere.program' show "$dir/nowhere.program"
sed 's/blank = /blink = /' examples/pairs.program >"$dir/bad.program"
refuses 2 'file, line, column' 'bad.program:20:21: unknown name "blank"; did you mean "blink"?' show "$dir/bad.program"
sed 's/^y = .*/y = at_least(paired; 1)/' examples/pairs.program >"$dir/bad.program"
refuses 2 'a step that refuses' 'bad.program:25:5: y needs an integer below 2^53, paired is not one' show "$dir/bad.program"
sed 's/gap .*/gap 1e-18/' examples/pairs.program >"$dir/bad.program"
refuses 2 'what the assembler refuses' 'bad.program:' compile "$dir/bad.program" -o "$dir/x.st"
head -c 100000 "$attest" >"$dir/noise.program"
refuses 2 'noise' 'noise.program:' compile "$dir/noise.program" -o "$dir/x.st"
: >"$dir/empty.program"
refuses 2 'nothing' 'empty.program:1:1: expected "program"' show "$dir/empty.program"
holds 'nothing was written' [ ! -e "$dir/x.st" ]
refuses 2 'a limit has no program' '--exact is for programs, and a limit has none' show disjointness --exact
refuses 2 'nor has a task' '--exact is for claims and FILE.program' show qsa --exact
finish
