# test_place.sh: `attest place`: known languages with their witnesses, as text and JSON; refusals; unknown.
. cli/test/lib.sh

says 0 'star-free' 'star-free: FO[<], in AC0' place '(ab)*'
holds 'its monoid' grep -q '^monoid       6 elements$' "$dir/.out"
says 0 'modular' 'star-free    no: powers of a never settle, they repeat with period 2' place '(aa)*' --alphabet 'a b'
holds 'with its modulus' grep -qF 'FO[<, MOD]   yes, positions modulo 2' "$dir/.out"
says 0 'parity' 'ACC0, not in AC0' place '(b*ab*a)*b*'
holds 'by its group' grep -q '^group        of order 2, solvable, made by a$' "$dir/.out"
says 0 'an alphabet in quotes' 'alphabet     ( )' place '\(\)' --alphabet '"()"'
says 0 'a file' 'star-free: FO[<], in AC0' place examples/ends-ab.dfa
says 0 'another' '~(.*a(a.*)?)' place examples/no-aa.regex
refuses 2 'a file of something else' 'no language of words' place examples/lis.dp
refuses 2 'an alphabet beside a file that has one' 'a line alphabet, and another alphabet beside it' place examples/no-aa.regex --alphabet 'a b c'
printf '(aa)*\n' >"$dir/aa.regex"
says 0 'a file without one, over its own letters' 'monoid       2 elements' place "$dir/aa.regex"
says 0 'over those beside it' 'monoid       3 elements' place "$dir/aa.regex" --alphabet 'a b'
printf 'start 0\naccept 0\n0 a 0\nsink implicit\n' >"$dir/as.dfa"
says 0 'an automaton, too' 'states       2' place "$dir/as.dfa" --alphabet 'a b'
says 0 'which has one state less over one letter' 'states       1' place "$dir/as.dfa"
printf 'digraph { 0 [shape=doublecircle]; i -> 0; 0 -> 0 [label="~b"]; 0 -> 1 [label=b]; 1 -> 1 [label=true]; }\n' >"$dir/as.dot"
says 0 'one of Graphviz' 'alphabet     b a c' place "$dir/as.dot" --alphabet 'b a c'
refuses 2 'a letter of the file that is not among them' "the letter 'b' is not in the alphabet: a c" place "$dir/as.dot" --alphabet 'a c'
sed '/alphabet/d' examples/starts-and-ends.jff >"$dir/plain.jff"
says 0 'one of JFLAP' 'states       5' place "$dir/plain.jff" --alphabet 'b a'
refuses 2 'a file of no language of words' 'no language of words' place examples/hist.rasp
says 3 'unknown beyond the limit' 'monoid       more than 20,000 elements' place '.*a.{13}|b'

says 0 'a problem' 'AC0               no: Ajtai 1983; Furst, Saxe, Sipser 1984; Hastad 1986' place --problem parity
holds 'with where it is' grep -qF 'ACC0              yes: one gate that counts modulo 2' "$dir/.out"
holds 'and the claims about it' grep -q '^parity-tree ' "$dir/.out"
says 0 'a problem whose place is open in part' 'ACC0              open' place --problem majority
refuses 2 'a problem that is misspelt' "did you mean 'parity'" place --problem partiy
refuses 2 'a problem that is read as an expression' 'parity is the name of a problem: --problem parity' place parity
says 0 'the same word, over letters' 'star-free: FO[<]' place parity --alphabet '"aiprty"'
refuses 2 'a problem and an expression' '--problem stands instead' place a --problem parity
says 0 'formulas that count' 'TC0               yes: formulas that count' place examples/dyck-1.crasp
says 0 'formulas that do not' 'regular           yes: first-order logic of order' place examples/answer.ltl
says 0 'a language, in one line' 'classes      AC0 no, ACC0 yes, TC0 yes, NC1 yes, regular' place '(b*ab*a)*b*'
"$attest" compile --regex '(ab)*' --set N=8 -o "$dir/ab.safetensors" >/dev/null
says 0 'a model that is an automaton' 'monoid       6 elements' place "$dir/ab.safetensors"
"$attest" build majority -o "$dir/majority.safetensors" >/dev/null
says 0 'a model by its parts' 'TC0               yes: sums of numbers of log N bits' place "$dir/majority.safetensors"
holds 'and why not more closely' grep -q '^not placed more closely: ' "$dir/.out"

call place --problem parity --json
json() { python3 -c "import json,sys; o=json.load(open('$dir/.out')); sys.exit(0 if ($1) else 1)"; }
holds 'JSON: a problem' json "o['lies']['circuit']['in'] == {'AC0': False, 'ACC0': True, 'TC0': True, 'NC1': True, 'beyond NC1': True} and o['lies']['chomsky']['least'] == 'regular' and 'parity-tree' in o['claims']"
call place '(aa)*' --json
json() { python3 -c "import json,sys; o=json.load(open('$dir/.out')); sys.exit(0 if ($1) else 1)"; }
holds 'JSON: the keys of a place' json "o['star_free'] is False and o['fo_mod'] is True and o['solvable'] is True and o['states'] == 2 and o['monoid'] == 2 and o['witness'] == 'a' and o['period'] == 2 and o['modulus'] == 2"
call place '(ab)*' --json
holds 'JSON: nothing to witness' json "o['star_free'] is True and o['witness'] is None and o['period'] is None and o['groups'] == []"
call place '.*a.{13}|b' --json
holds 'JSON: unknown is null' json "o['star_free'] is None and o['fo_mod'] is None and o['solvable'] is None and o['monoid'] is None and o['states'] == 16385"

# A5, which is not solvable, by an automaton of five states: where the letters r and s take the first of five places. The
# expression is what removing its states leaves, in any order.
a5=$(python3 - <<'PY'
r, s, n = [1, 2, 0, 3, 4], [1, 2, 3, 4, 0], 5
e = {}
def add(p, q, x): e[p, q] = e[p, q] + '|' + x if (p, q) in e else x
add('in', 0, 'ε'); add(0, 'out', 'ε')
for q in range(n):
    add(q, r[q], 'r'); add(q, s[q], 's')
for k in range(n):
    loop = '(' + e.pop((k, k)) + ')*' if (k, k) in e else ''
    into = [(p, x) for (p, q), x in e.items() if q == k]
    out = [(q, x) for (p, q), x in e.items() if p == k]
    e = {pq: x for pq, x in e.items() if k not in pq}
    for p, x in into:
        for q, y in out:
            add(p, q, '(' + x + ')' + loop + '(' + y + ')')
print(e['in', 'out'])
PY
)
says 0 'A5 is complete for NC1' 'complete for NC1: a group that is not solvable' place "$a5"
holds 'by a perfect group of order 60' grep -q '^group        of order 60, perfect, made by ' "$dir/.out"
holds 'with five states' grep -q '^states       5$' "$dir/.out"

refuses 2 'an open bracket' 'character 1: ( without )' place '(ab'
refuses 2 'nothing to repeat' 'nothing before * that it could apply to' place '*a'
refuses 2 'a letter that is none' "'c' is not in the alphabet: a b" place 'abc' --alphabet 'a b'
refuses 2 'no letters at all' 'names no letter' place '.*'
refuses 2 'a double letter' "has the letter 'a' twice" place 'a' --alphabet 'a a'
refuses 2 'nothing' 'a regular expression, a file or --problem is missing' place
refuses 3 'too many states' 'more than 20000 states' place '.*a.{20}|b'
refuses 2 'a megabyte of brackets' 'nested more than 200 deep' place "$(printf '%0100000d' 0 | tr 0 '(')"
finish
