#!/usr/bin/env bash
# test_verdicts.sh: the terminal, JSON, the report and the exit code say the same of a claim, whatever it is.
. cli/test/lib.sh

# $1 name, $2 code, $3 word, $4... what is checked
alike()
{
    local name=$1 want=$2 word=$3
    shift 3
    call check "$@" -o "$dir/r.html"
    local held
    [ "$word" = holds ] && held=1 || held=0
    [ "$code" -eq "$want" ] && grep -q "^$held of 1 claims hold" "$dir/.out" &&
        { [ "$held" -eq 1 ] || grep -q "^match2: $word\$" "$dir/.out"; }
    verdict $? "$name: exit code and terminal"
    [ "$(grep -c '<h1 class="holds">' "$dir/r.html")" -eq "$held" ] &&
        grep '<h3><a class="self" href="#match2">' "$dir/r.html" | grep -qF " $word</u>"
    verdict $? "$name: the report"
    call check "$@" --json
    [ "$code" -eq "$want" ] && grep -q "\"held\": *$held" "$dir/.out" && grep -q "\"standing\": *\"$word\"" "$dir/.out"
    verdict $? "$name: JSON"
}

alike 'all hold' 0 holds match2 --set N=3,M=5
alike 'a control that cannot bite' 0 holds match2 --set N=1,M=5
alike 'a cell that fails' 1 fails match2 --set N=3,M=7,c=0.02
alike 'a cell that stays open' 3 unknown match2 --set N=48,M=50 --precision f64

call check match2 --set N=3,M=7,c=0.02
grep -qxF '  BAD exact sequences f64 seed=1 limit=0: N=3 M=7 c=0.02' "$dir/.out" &&
    grep -qxF '   ?  certified ball seed=1 limit=0: N=3 M=7 c=0.02' "$dir/.out"
verdict $? 'the questions that failed are named'
[ -n "$(sed -n '/^match2: /,$p' "$dir/.out")" ] && [ -z "$(sed -n '/^match2: /,$p' "$dir/.out" | sort | uniq -d)" ]
verdict $? 'no two of them alike: that all sequences are right, and all multisets, are two questions'
call check match2 --set N=3,M=7,c=0.02 -o "$dir/r.html"
for arith in f64 f32 ball; do
    tr -d '\n' <"$dir/r.html" | sed 's/<tr>/\n<tr>/g' | grep -F '<td>N=3 M=7 c=0.02' | grep -qF "<td>$arith</td>"
    verdict $? "the report says that a verdict is of $arith"
done
call check match2 --set N=1,M=5
grep -qF 'left out: it changes a parameter that --set fixes' "$dir/.out"
verdict $? 'a control is left out with a word, also without -v'
call check match2 --set N=1,M=5 -v
grep -qF 'left out: it changes a parameter that --set fixes' "$dir/.out"
verdict $? 'a control is left out with a word'
grep -qF '■ certified, 5 inputs' "$dir/.out" && grep -qF '◐ sampled, 4000 inputs' "$dir/.out" &&
    grep -qF '● exact, 5 inputs' "$dir/.out"
verdict $? 'every kind of evidence has its sign, and the number beside it'
finish
