#!/bin/sh
# Claims and evidence: each without the other is named, and so is evidence that no test has shown.
. tools/test/lib.sh
check() { sh tools/check_evidence.sh "$tree"; }
shown() { sh tools/check_evidence.sh "$tree" logs; }
a_test() # $1 mark
{
    printf '/* %s */\nconst struct CMUnitTest tests[] = {cmocka_unit_test(test_cells)};\n' "$1" | put src/claim/test/test_a.c
}

holds 'an empty tree' check
printf 'static const at_claim_table t = {\n    .id = "precision",\n};\nconst at_claim c = {\n    .id = "match2",\n};\n' | put src/claim/a2023/claim_match2.c
fails 'a claim without evidence' 'src/claim/a2023/claim_match2.c: claim match2 has no EVIDENCE' check
a_test 'EVIDENCE match2 exact 36 test_cells: n=6'
holds 'a claim with evidence' check
a_test 'EVIDENCE match2 exact 36 test_other: n=6'
fails 'by a test that is not run' 'EVIDENCE by test_other, which this file does not run' check
for mark in 'EVIDENCE match2' 'EVIDENCE match2 exact n=6' 'EVIDENCE match2 exact 0 test_cells' 'EVIDENCE match2 exact every test_cells' 'EVIDENCE match2 exact 36 Every'; do
    a_test "$mark"
    fails "evidence that says too little: $mark" 'src/claim/test/test_a.c:1: EVIDENCE needs' check
done

a_test 'EVIDENCE match2 exact 36 test_cells: n=6'
mkdir -p "$tree/logs"
fails 'a test that did not run' 'EVIDENCE by test_cells, which has not passed' shown
printf '# EVIDENCE match2 exact 36 test_cells N=6\nnot ok 1 - test_cells\n' | put logs/claim/test_a.log
fails 'a test that failed' 'which has not passed' shown
printf 'ok 1 - test_cells\n' | put logs/claim/test_a.log
fails 'a test that says nothing' 'test_cells says nothing of match2 exact' shown
printf '# EVIDENCE match2 sampled 36 test_cells N=6\nok 1 - test_cells\n' | put logs/claim/test_a.log
fails 'a test that says another kind' 'test_cells says nothing of match2 exact' shown
printf '# EVIDENCE match2 exact 35 test_cells N=6\nok 1 - test_cells\n' | put logs/claim/test_a.log
fails 'a test that has looked at less' 'test_cells has shown match2 exact on 35, not on 36' shown
printf '# EVIDENCE match2 exact 36 test_cells N=6\nok 1 - test_cells\n' | put logs/num/test_a.log
fails 'another program' 'test_cells has shown match2 exact on 35' shown
printf '# EVIDENCE match2 exact 5 test_cells N=5\n# EVIDENCE match2 exact 36 test_cells N=6\nok 1 - test_cells\n' | put logs/claim/test_a.log
holds 'all that was promised' shown
a_test 'EVIDENCE match2 certified all test_cells: any input'
printf '# EVIDENCE match2 certified 1000000 test_cells\nok 1 - test_cells\n' | put logs/claim/test_a.log
fails 'many are not all' 'not on all' shown
printf '# EVIDENCE match2 certified all test_cells\nok 1 - test_cells\n' | put logs/claim/test_a.log
holds 'all are all' shown

printf '\n * EVIDENCE match9 exact 6 test_b\n' | put src/num/test/test_b.c
fails 'evidence for nothing' 'src/num/test/test_b.c:2: EVIDENCE for match9, which is no claim' check
printf 'the word EVIDENCE in prose is none, nor is /* code */ EVIDENCE nothing at all\n' | put src/num/test/test_b.c
holds 'prose is not evidence' check
printf 'int x;\n' | put src/claim/b2024/claim_empty.c
fails 'a claim file without an id' 'src/claim/b2024/claim_empty.c: has no at_claim' check
printf 'const at_claim c = {\n.id = "match2",\n' | put src/claim/b2024/claim_empty.c
fails 'one id twice' 'is already in' check
rm -r "$tree/src/claim/b2024"
for place in src/claim/claim_stray.c src/claim/shared/claim_stray.c src/claim/b2024/c/claim_stray.c; do
    printf 'const at_claim c = {\n.id = "stray",\n' | put $place
    fails "no paper's folder: $place" "$place: a claim is in the folder of its paper" check
    rm "$tree/$place"
done
holds 'and nothing is left over' check
finish
