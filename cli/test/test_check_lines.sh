#!/usr/bin/env bash
# test_check_lines.sh: check prints a line a claim that fits 80 columns, what speaks against a claim in any case, and with
# -v every cell.
. cli/test/lib.sh

few='match3-bigram lemma-a1 match3-local funccomp-params'
# shellcheck disable=SC2086
call check $few
[ "$code" -eq 0 ] && [ "$(grep -c '^ok ' "$dir/.out")" -eq 4 ]
verdict $? 'a line a claim'
fits 'which fits 80 columns'
grep -q '^ok  lemma-a1 .*… *■ certified, all *2/2$' "$dir/.out"
verdict $? 'mark, id, title cut, strongest evidence, controls'
head -1 "$dir/.out" | grep -q '^    claim: what it says  *strongest evidence, controls rejected$'
verdict $? 'over the first: what stands in a line'
[ "$(grep -c '^■ proved for all inputs  ● every input run  ◐ sampled  ○ one input$' "$dir/.out")" -eq 1 ]
verdict $? 'at the end: what the signs mean'
[ "$(grep -cE '^(Sanford, Hsu, Telgarsky 2023|Yang et al. 2024|Chen, Peng, Wu 2024: what cannot be done)$' "$dir/.out")" -eq 4 ]
verdict $? 'under the paper it is from'
! grep -qE 'counterexample|^        input|margin' "$dir/.out"
verdict $? 'no details of what holds'
if [ -n "$sanitized" ]; then # others, that take less
    few='lemma-a1 lemma-a2 lemma-a3 funccomp-params'
    # shellcheck disable=SC2086
    call check $few
fi
short=$(wc -l <"$dir/.out")
# shellcheck disable=SC2086
call check $few -v
[ "$code" -eq 0 ] && [ "$(wc -l <"$dir/.out")" -gt $((3 * short)) ] && grep -q '^        input ' "$dir/.out" &&
    grep -q ' control refuted' "$dir/.out" && grep -qx 'lemma-a1' "$dir/.out"
verdict $? '-v: every cell, and the counterexamples of controls'
call check lemma-a3 -v
cp "$dir/.out" "$dir/v"
call check lemma-a3 --verbose
holds '--verbose is the same' sh -c "sed 's/ ([0-9.]* s)//' '$dir/v' >'$dir/v1'; sed 's/ ([0-9.]* s)//' '$dir/.out' | cmp - '$dir/v1'"

call build match2 --set N=4,M=5 -o "$dir/m.safetensors"
call check "$dir/m.safetensors" --problem match2 --set N=3,M=5
[ "$code" -eq 0 ] && grep -q '^1 of 1 claims hold (' "$dir/.out"
verdict $? 'no word of controls where there are none'
call check match2 --set N=3,M=7,c=0.02
[ "$code" -eq 1 ] && grep -q '^BAD match2 .*? nothing holds *-$' "$dir/.out" && grep -q '^        input ' "$dir/.out" &&
    grep -q '^        not certified: query 1' "$dir/.out"
verdict $? 'a claim that fails: the counterexample and what stayed open'
call check match2 --set N=48,M=50 --precision f64
[ "$code" -eq 3 ] && grep -q '^ ?  match2 .* 0/1$' "$dir/.out" && grep -q 'too many inputs to enumerate' "$dir/.out"
verdict $? 'one that is undecided: why'
sed 's/^control c=0.02$/control c=2/' examples/pairs.claim >"$dir/weak.claim"
call check "$dir/weak.claim"
[ "$code" -eq 1 ] && grep -q '^BAD pairs .* 2/3$' "$dir/.out" && grep -q '^  BAD . control ' "$dir/.out"
verdict $? 'a control that is not rejected is named'
call check match2 --set N=3,M=5 --json
holds 'JSON has every cell as ever' sh -c "python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); assert len(d[\"cells\"]) > 3 and d[\"held\"] == 1' '$dir/.out' 2>/dev/null || grep -q '\"cells\": *\[{' '$dir/.out'"
finish
