#!/bin/bash
# Certificates (attest certify) and who checks them again (tools/verify.py): claims of every kind, the example of the page, mutants.
. tools/test/lib.sh
attest=${ATTEST:-${BUILD:-build}/attest}
python=/usr/bin/python3
# Without numpy nothing is said of a certificate, least of all that it is not true.
mkdir "$tree/without" && echo 'raise ImportError("none here")' >"$tree/without/numpy.py"
PYTHONPATH="$tree/without" "$python" tools/verify.py x.cert >"$tree/.out" 2>&1
[ $? -eq 3 ] && [ "$(wc -l <"$tree/.out")" -eq 1 ] && grep -q 'numpy is needed' "$tree/.out"
verdict $? 'no numpy: one line, exit 3'
if ! "$python" -c 'import numpy' 2>/dev/null; then
    tests=$((tests + 1))
    echo "ok $tests - certificates are checked again # SKIP no numpy"
    finish
fi
mutants=${MUTANTS:-10} # `make judge` asks for 100
[ -z "${SANITIZED:-}" ] || mutants=5

certified() # $1 name, $2 words that the verifier must say, $3 file, $4... arguments of certify
{
    name=$1 words=$2 file=$3
    shift 3
    "$attest" certify "$@" -o "$tree/$file" >"$tree/.out" 2>&1 &&
        "$python" tools/verify.py "$tree/$file" --all >"$tree/.out" 2>&1 && grep -qF -- "$words" "$tree/.out"
    verdict $? "$name"
}

certified 'match2: sequences, multisets, cases, a control' 'cases cover every input' m2.cert match2 --set N=3,M=5
grep -q 'confirmed: control refuted' "$tree/.out"
verdict $? 'the control is refuted again'
certified 'counting without letters: majority' 'confirmed: claim exact' maj.cert majority --set N=0..3,most=4
certified 'a recurrence, row by row' 'confirmed: claim exact' dp.cert dp-standard --set problem=edit-distance,a=1,b=2,letters=2
"$attest" certify compose-chain --set n=3,k=2 -o "$tree/chain.cert" >"$tree/.out" 2>&1 && "$python" tools/verify.py "$tree/chain.cert" >"$tree/.out" 2>&1
verdict $? 'functions, composed by a chain'
asked() # $1 name, $2 words, $3 file, $4 problem, $5... arguments of certify
{
    "$attest" compile "$4" --set N=5 -o "$tree/c.st" >"$tree/.out" 2>&1
    name=$1 words=$2 file=$3 problem=$4
    shift 4
    certified "$name" "$words" "$file" "$tree/c.st" --problem "$problem" "$@"
}
asked 'a regular expression' 'confirmed: claim exact' regex.cert examples/no-aa.regex --lengths 0..4
asked 'an automaton' 'confirmed: claim exact' dfa.cert examples/no-three.dfa --lengths 0..4
asked 'temporal logic' 'confirmed: claim exact' ltl.cert examples/since.ltl --lengths 1..4
asked 'C-RASP' 'confirmed: claim exact' crasp.cert examples/dyck-1.crasp --lengths 0..4
asked 'FOC[MOD;+]' 'confirmed: claim exact' foc.cert examples/thirds.foc --lengths 0..4
asked 'a program in RASP' 'confirmed: claim exact' rasp.cert examples/sort.rasp --lengths 1..3
asked 'a counter machine' 'confirmed: claim exact' sscm.cert examples/double-ends-a.sscm --lengths 0..4
asked 'a sample' '20 inputs of a sample of 20' sample.cert examples/no-aa.regex --lengths 5 --sampled 20
certified 'a limit: protocols, pairs, bounds, a right model' 'a run of' limit.cert compose-bound --set prompts=20,steps=5
for words in 'control trial part=protocol' 'claim trial part=refute' 'control trial part=refute' 'claim trial part=binds' 'control trial part=binds'; do
    grep -q "^confirmed: $words" "$tree/.out"
    verdict $? "of it: $words"
done
certified 'a bound by sets: pairs, runs that say the same, where it binds' 'two runs, party 0 says the same' sets.cert match3-sets
grep -q '^confirmed: control trial .*fixed=none.*: two runs, party 0 says other bits' "$tree/.out"
verdict $? 'of it: tokens that are fixed by the least score'
certified 'extraction: automata, formulas, the word that tells' 'one model and its ltl, the same on' extract.cert fo-extract
grep -q '^confirmed: control trial .*the word on which its text is another' "$tree/.out"
verdict $? 'of it: the control'
if [ -z "${SANITIZED:-}" ]; then
    certified 'what counts at few bits: C-RASP and FOC[MOD;+] of weights' 'one model and its foc, the same on' count.cert foc-upper --set longest=5
fi
certified 'sentences of majority: one for all lengths, and the words that tell' 'one model and its fom, the same on' fom.cert fom --set longest=3,circuit=0
grep -q '^confirmed: control trial .*changed=1: one model, and the word on which its text is another' "$tree/.out"
verdict $? 'of it: the mean that is not rounded'
certified 'circuits: gates beside the model, on all words' 'one model and its aag, the same on 256 words' circuit.cert ac0
certified 'an automaton, state by state' 'confirmed: claim exact' states.cert automaton-cot --set language=s3,N=3
"$attest" certify turing --set machine=increment,N=2,T=12 -o "$tree/run.cert" >"$tree/.out" 2>&1 # its other controls cannot bite there
"$python" tools/verify.py "$tree/run.cert" >"$tree/.out" 2>&1 && grep -q 'confirmed: claim exact' "$tree/.out" && grep -q 'confirmed: control refuted' "$tree/.out"
verdict $? 'a Turing machine, step by step'
certified 'a matrix as data, at p bits and in f64' 'confirmed: claim' map.cert lemma-a3
certified 'an n-gram model: counts as data' 'confirmed: claim exact' ngram.cert ngram-single --set N=3,most=3
certified 'language models: what their sentences sum to' 'its sentences sum to 1, and' tight.cert lm-tight
grep -q 'confirmed: control trial .*whose end has no bound' "$tree/.out"
verdict $? 'of it: an end without a bound'
certified 'probabilities of an automaton, as fractions' 'the fractions of the machine for all' pfsa.cert pfsa-cot --set longest=2
certified 'and of a Turing machine' 'the fractions of the machine for all' ptm.cert ptm-cot --set steps=3
certified 'counting programs, and the words that tell others' 'two texts, the same on' equal.cert crasp-equal
monoids=$tree/equal.cert
if [ -z "${SANITIZED:-}" ]; then
    certified 'regular expressions and their monoids' 'one model and its regex' monoids.cert star-free
    monoids=$tree/monoids.cert
fi
certified 'one letter of many, and the loss that follows' 'one model: letter' soft.cert parity-soft
grep -q 'confirmed: control trial .*read=leftmost-hard' "$tree/.out"
verdict $? 'of it: a bound that is violated'
if [ -z "${SANITIZED:-}" ]; then
    certified 'a trained unit, and trainings that are rejected' 'right on 24 of 24 inputs' unit.cert qsa-train
    certified 'trained decoders: KL over all texts' 'one trained model: KL' kl.cert ngram-learn
    trained="$tree/unit.cert $tree/kl.cert"
fi

# the page names every claim of the catalogue, once
"$attest" list claims --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4 | sort >"$tree/claims"
sed -n '/^## The catalogue/,/^## /p' docs/certificates.md | grep -o '`[a-z][a-z0-9-]*`' | tr -d '`' | sort >"$tree/named"
diff "$tree/claims" "$tree/named" >"$tree/.out" 2>&1
verdict $? 'the page says of every claim what its certificate has'

# the example of docs/certificates.md
(cd "$tree" && sed -n '/^```$/,/^```$/s/^\$ //p' "$OLDPWD/docs/certificates.md" | sed -n '1,2p') >"$tree/example"
[ "$(wc -l <"$tree/example")" -eq 2 ] && sed "s|^attest|$attest|; s|python3 tools|$python tools|; s|match2.cert|$tree/page.cert|; s|--all|--blocks 1|" "$tree/example" >"$tree/example.sh"
sh -e "$tree/example.sh" >"$tree/.out" 2>&1
verdict $? 'the example of the page'

# what is no certificate, or lies
cp "$tree/m2.cert" "$tree/bad.cert"
printf ' ' >>"$tree/bad.cert"
refused() # $1 name, $2 words
{
    "$python" tools/verify.py "$tree/bad.cert" >/dev/null 2>"$tree/.out"
    [ $? -eq 2 ] && [ "$(wc -l <"$tree/.out")" -eq 1 ] && grep -qF -- "$2" "$tree/.out"
    verdict $? "$1"
}
refused 'a byte more: one line, exit 2' 'damaged'
"$attest" certify match2 --set N=3,M=5 --beside -o "$tree/beside.cert" >"$tree/.out" 2>&1 && "$python" tools/verify.py "$tree/beside.cert" >"$tree/.out" 2>&1
verdict $? 'weights beside it'
for f in "$tree"/????????????????????????????????????????????????????????????????.safetensors; do printf 'x' >>"$f"; done
cp "$tree/beside.cert" "$tree/bad.cert"
refused 'a hash that lies: one line, exit 2' 'its hash is another'
echo '{}' >"$tree/bad.cert"
refused 'no certificate' 'no certificate of attest'

"$python" tools/test/mutate_cert.py "$mutants" "$tree/m2.cert" "$tree/regex.cert" "$tree/sample.cert" "$tree/limit.cert" "$tree/sets.cert" "$tree/extract.cert" "$tree/fom.cert" "$tree/rasp.cert" "$tree/circuit.cert" "$tree/states.cert" "$tree/tight.cert" "$tree/pfsa.cert" "$tree/ptm.cert" "$tree/equal.cert" "$monoids" "$tree/soft.cert" ${trained:-} >"$tree/.out" 2>&1
verdict $? "mutants: $mutants of each kind are rejected"
finish
