# test_prove.sh: `attest equal` of counting programs, on words of all lengths; `attest place` about C-RASP.
. cli/test/lib.sh

json() { python3 -c "import json,sys; o=json.load(open('$dir/.out')); sys.exit(0 if ($1) else 1)"; }
put() { printf '%s\n' "$@" >"$dir/$file"; }
file=dyck.crasp put 'alphabet a b' 'accept end' '#[#[Q_a] < #[Q_b]] = 0 & #[Q_a] = #[Q_b]'
file=dyck2.crasp put 'alphabet b a' 'accept end' '#[#[Q_a] >= #[Q_b]] = #[1] & #[Q_a] = #[Q_b]'
file=off.crasp put 'alphabet a b' 'accept end' '#[#[Q_a] + 1 < #[Q_b]] = 0 & #[Q_a] = #[Q_b]'
file=same.crasp put 'alphabet a b' 'accept end' '#[Q_a] = #[Q_b]'
file=last.crasp put 'alphabet a b' 'Q_b'
file=none.crasp put 'alphabet a b' '#[Q_a] < #[Q_b] & #[#[Q_a] < #[Q_b]] = 0'
file=ahead.crasp put 'alphabet a b' 'x(i) := #[j > i] Q_a(j); Y(i) := #[j <= i] (x(j) > 1) > 0'
file=other.crasp put 'alphabet a c' 'accept end' '#[Q_a] = #[Q_c]'

# What is decided without a solver.
says 1 'off by one is refuted by a shortest word' 'a shortest word: ba' equal "$dir/dyck.crasp" "$dir/off.crasp"
holds 'and the convention is said' grep -qF 'accepting at the end marker: all words, the empty one among them' "$dir/.out"
holds 'and both were run again' grep -qF 'dyck.crasp says no' "$dir/.out"
says 1 'not included' 'NOT INCLUDED' equal "$dir/same.crasp" "$dir/dyck.crasp" --include
says 1 'not empty' 'a shortest word: ε' equal "$dir/dyck.crasp" --empty
says 0 'a finite automaton is decided by the search' 'equal      on words of all lengths' equal examples/abba.crasp --regex '.*a.*b.*b.*a.*'
holds 'at the last letter nothing is said of the empty word' grep -qF 'nothing is said of the empty word' "$dir/.out"
holds 'and of the expression it is said' grep -qF 'the expression does not have the empty word' "$dir/.out"
says 0 'the last letter' 'equal      on words of all lengths' equal "$dir/last.crasp" --regex '.*b'
says 1 'the public interpreter has files, too' 'NOT EMPTY' equal examples/three-back.cr --empty

if "$attest" equal "$dir/dyck.crasp" "$dir/dyck2.crasp" --json 2>/dev/null | grep -q libz3-dev; then
    says 3 'without Z3 the package is named' 'install libz3-dev' equal "$dir/dyck.crasp" "$dir/dyck2.crasp"
else
    says 0 'dyck-1 two ways, letters in another order' 'equal      on words of all lengths' equal "$dir/dyck.crasp" "$dir/dyck2.crasp"
    holds 'by an invariant that was shown again' grep -qF 'the invariant was shown again by a second query' "$dir/.out"
    call equal "$dir/dyck.crasp" "$dir/dyck2.crasp" --json
    holds 'JSON: the keys of a proof' json "o['holds'] is True and o['verdict'] == 'proved' and o['rechecked'] is True and o['convention'] == 'end' and o['empty_word'] is True and len(o['invariant']) > 1 and o['witness'] is None and o['asked'] == 'equal' and 'c0' in o['variables']"
    says 0 'included' 'included   on words of all lengths' equal "$dir/dyck.crasp" "$dir/same.crasp" --include
    says 0 'empty' 'empty      on words of all lengths' equal "$dir/none.crasp" --empty
    says 0 'the shipped brackets' 'included' equal examples/dyck-1.crasp --regex '(\(|\))*' --include
fi
call equal "$dir/dyck.crasp" "$dir/off.crasp" --json
holds 'JSON: the keys of a word' json "o['holds'] is False and o['witness'] == {'word': 'ba', 'length': 2, 'a': False, 'b': True} and o['rechecked'] is None"

refuses 2 'what looks ahead' 'a count of what stands behind' equal "$dir/ahead.crasp" --empty
refuses 2 'other letters' 'the two have other letters' equal "$dir/dyck.crasp" "$dir/other.crasp"
refuses 2 'one program alone' 'a second program is missing' equal "$dir/dyck.crasp"
refuses 2 '--empty with a second' '--empty goes with one program' equal "$dir/dyck.crasp" "$dir/off.crasp" --empty
refuses 2 '--empty and --regex' '--empty asks of one program alone' equal "$dir/dyck.crasp" --empty --regex a
refuses 2 '--include of models' '--include is for counting programs' equal match2 match2 --include
refuses 2 'an expression over other letters' 'the two have other letters' equal "$dir/dyck.crasp" --regex 'ab' --alphabet 'a b c'

# Where regular languages lie: both ways of accepting.
says 0 '(ab)* is in C-RASP both ways' 'at the end marker: yes' place '(ab)*'
holds 'at the last letter, too' grep -q '  at the last letter: yes' "$dir/.out"
says 0 'ends in b changes side' 'at the end marker: no (by theorem)' place '.*b' --alphabet 'a b'
holds 'it is at the last letter' grep -q '  at the last letter: yes' "$dir/.out"
says 0 'two b in a row is by neither' 'at the end marker: no' place '.*bb.*' --alphabet 'a b'
holds 'nor at the last letter' grep -q '  at the last letter: no (by theorem)' "$dir/.out"
call place '.*b' --alphabet 'a b' --json
holds 'JSON: both ways' json "o['crasp']['end']['in'] is False and o['crasp']['last']['in'] is True and len(o['crasp']['end']['alike']) == 2 and o['crasp']['last']['alike'] is None"
says 0 'a program is written' 'C-RASP' place '(aabb)*' -o "$dir/aabb.crasp"
says 0 'and read' 'accept' show "$dir/aabb.crasp"
refuses 2 'where there is none' 'not in C-RASP' place '.*b' --alphabet 'a b' -o "$dir/no.crasp"
holds 'nothing is left behind' test ! -e "$dir/no.crasp"
says 0 'the one of the last letter is' 'C-RASP' place '.*b' --alphabet 'a b' -o "$dir/b.crasp" --last
says 0 'and is proved right' 'equal      on words of all lengths' equal "$dir/b.crasp" --regex '.*b'
finish
