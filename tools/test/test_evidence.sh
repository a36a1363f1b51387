#!/bin/sh
# Claims and evidence: each without the other is named.
. tools/test/lib.sh
check() { sh tools/check_evidence.sh "$tree"; }

holds 'an empty tree' check
printf 'static const at_claim_table t = {\n    .id = "precision",\n};\nconst at_claim c = {\n    .id = "match2",\n};\n' | put src/claim/claim_match2.c
fails 'a claim without evidence' 'src/claim/claim_match2.c: claim match2 has no EVIDENCE' check
printf '/* EVIDENCE match2 exact n=6 */\n' | put src/claim/test/test_a.c
holds 'a claim with evidence' check
printf 'const at_claim c = {\n    .id = "chain-k",\n' | put src/claim/claim_chain_k.c
printf '#!/bin/sh\n# EVIDENCE chain-k sampled 100 inputs\n' | put cli/test/a.sh
holds 'evidence in a script' check
printf '\n * EVIDENCE match9 exact n=6\n' | put src/num/test/test_b.c
fails 'evidence for nothing' 'src/num/test/test_b.c:2: EVIDENCE for match9, which is no claim' check
printf '// EVIDENCE match2\n' | put src/num/test/test_b.c
fails 'evidence that says too little' 'src/num/test/test_b.c:1: EVIDENCE needs' check
printf 'the word EVIDENCE in prose is none, nor is /* code */ EVIDENCE nothing at all\n' | put src/num/test/test_b.c
holds 'prose is not evidence' check
printf 'int x;\n' | put src/claim/claim_empty.c
fails 'a claim file without an id' 'src/claim/claim_empty.c: has no at_claim' check
printf 'const at_claim c = {\n.id = "match2",\n' | put src/claim/claim_empty.c
fails 'one id twice' 'is already in' check
finish
