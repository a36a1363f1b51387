# test_lm.sh: `attest lm`: numbers found by hand for two lines of text; texts read again; refusals; tightness.
. cli/test/lib.sh

printf 'a b\na\n' >"$dir/t.txt"
json() { python3 -c "import json,math,sys; o=json.load(open('$dir/.out')); close=lambda x,y: abs(x-y)<1e-9; sys.exit(0 if ($1) else 1)"; }

# ---- fit: src/ngram/test/test_fit.c has the arithmetic -----------------------------------------------------------

says 0 'fit: counts' 'text         2 sentences, 3 tokens (word)' lm fit "$dir/t.txt" --order 2 -o "$dir/kn.arpa"
holds 'discounts that cannot be found are said' grep -q '^2-grams      4, discounts 0.5 1 1.5 (assumed' "$dir/.out"
call lm fit "$dir/t.txt" --order 2 --smoothing none -o "$dir/none.arpa"
cat >"$dir/want" <<'ARPA'
\data\
ngram 1=5
ngram 2=4

\1-grams:
-99	<unk>
-0.397940008672038	a	-99
-0.698970004336019	b	-99
-0.397940008672038	</s>
-99	<s>	-99

\2-grams:
-0.301029995663981	a b
-0.301029995663981	a </s>
0	b </s>
0	<s> a

\end\
ARPA
near() # two ARPA files, numbers to 1e-12
{
    python3 - "$1" "$2" <<'PY'
import sys
def number(s):
    try: return float(s)
    except ValueError: return s
a, b = ([[number(f) for f in l.split("\t")] for l in open(n)] for n in sys.argv[1:])
same = lambda x, y: abs(x - y) <= 1e-12 if isinstance(x, float) and isinstance(y, float) else x == y
sys.exit(0 if len(a) == len(b) and all(len(x) == len(y) and all(map(same, x, y)) for x, y in zip(a, b)) else 1)
PY
}
holds 'fit: the file, frequencies' near "$dir/want" "$dir/none.arpa"
sed 's/^0	b/-1e-9	b/' "$dir/want" >"$dir/other"
holds 'another number would be noticed' bash -c "$(declare -f near); ! near '$dir/other' '$dir/none.arpa'"
call lm fit "$dir/t.txt" --order 2 --smoothing abs -o "$dir/abs.arpa"
call lm fit "$dir/t.txt" --order 2 --smoothing add -o "$dir/add.arpa"
call lm fit "$dir/t.txt" --order 2 --json -o "$dir/kn.arpa"
holds 'fit: JSON' json "o['order'] == 2 and o['smoothing'] == 'kn' and o['words'] == 3 and o['ngrams'] == [5, 4] and o['discounts'][1] == [0.5, 1, 1.5] and o['tokens'] == 3"

# ---- score, perplexity -----------------------------------------------------------------------------------------------

# kn: p(a b) = 0.625 * 0.375 * 0.6875, p(a) = 0.625 * 0.4375; empty: 0.5 * 0.375
input=$'a b\na\n\n'
gives 0 'score by hand' "$(python3 -c "
from math import log10 as l
for x in (0.625*0.375*0.6875, 0.625*0.4375, 0.5*0.375): print('%.12g\t0' % l(x))")" lm score "$dir/kn.arpa" -
input=$'a c\n'
# c is <unk>: p(c | a) = 0.5 * 0.125, then nothing is known: p(</s>) = 0.375
gives 0 'an OOV is <unk>' "$(python3 -c "from math import log10 as l; print('%.12g\t1' % l(0.625*0.0625*0.375))")" lm score "$dir/kn.arpa" -
call lm perplexity "$dir/kn.arpa" - --json
holds 'perplexity by hand' json "close(o['log10prob'], math.log10(0.625*0.0625*0.375)) and o['oov'] == 1 and close(o['perplexity'], (0.625*0.0625*0.375)**(-1/3)) and close(o['perplexity_known'], (0.625*0.375)**-0.5) and o['words'] == 2 and o['tokens'] == 3"
call lm perplexity "$dir/none.arpa" - --json
holds 'an OOV without probability is left out' json "o['oov'] == 1 and o['tokens'] == 2 and close(o['log10prob'], math.log10(2/5)) and close(o['perplexity'], 2.5**0.5)"
input=$'b\n'
gives 0 'a known word without probability' $'-inf\t0' lm score "$dir/none.arpa" -
says 0 'makes the perplexity infinite' 'perplexity   inf' lm perplexity "$dir/none.arpa" -
call lm perplexity "$dir/none.arpa" - --json
holds 'JSON: null, and counted' json "o['perplexity'] is None and o['log10prob'] is None and o['zeros'] == 1"
unset input
says 0 'perplexity of a file' 'log10prob    ' lm perplexity "$dir/abs.arpa" "$dir/t.txt"
call lm score "$dir/abs.arpa" "$dir/t.txt" --json
holds 'score: an object a line' python3 -c "
import json, math
o = [json.loads(l) for l in open('$dir/.out')]
assert abs(o[0]['log10prob'] - math.log10(0.817*0.314*0.634)) < 1e-9 and abs(o[1]['log10prob'] - math.log10(0.817*0.434)) < 1e-9"
call lm score "$dir/add.arpa" "$dir/t.txt" --json
holds 'score: of add' python3 -c "
import json, math
o = [json.loads(l) for l in open('$dir/.out')]
assert abs(o[0]['log10prob'] - math.log10(1/2*2/6*2/5)) < 1e-9 and abs(o[1]['log10prob'] - math.log10(1/2*2/6)) < 1e-9"

# ---- characters, bytes, vocabularies -----------------------------------------------------------------------------------

printf 'né à\r\nà né\n' >"$dir/u.txt"
says 0 'characters' '2 sentences, 8 tokens (char)' lm fit "$dir/u.txt" --tokens char --order 3 -o "$dir/c.arpa"
holds 'the blank is spelt out' grep -q '<U+0020>' "$dir/c.arpa"
says 0 'bytes' '2 sentences, 12 tokens (byte)' lm fit "$dir/u.txt" --tokens byte --order 3 -o "$dir/b.arpa"
says 0 'score sees that they are characters' 'oov          0 of 8 words in 2 sentences' lm perplexity "$dir/c.arpa" "$dir/u.txt"
says 0 'or bytes' 'oov          0 of 12 words in 2 sentences' lm perplexity "$dir/b.arpa" "$dir/u.txt"
says 0 'unless told otherwise' 'oov          2 of 4 words in 2 sentences' lm perplexity "$dir/c.arpa" "$dir/u.txt" --tokens word
printf '\357\273\277a b\na\n' >"$dir/mark.txt"
call lm fit "$dir/mark.txt" --order 2 -o "$dir/mark.arpa"
holds 'a mark before the text is no part of its first word' cmp "$dir/mark.arpa" "$dir/kn.arpa"
says 0 'nor when it is scored' 'oov          0 of 3 words' lm perplexity "$dir/kn.arpa" "$dir/mark.txt"
says 0 'as bytes it is what it is' '2 sentences, 7 tokens (byte)' lm fit "$dir/mark.txt" --tokens byte -o "$dir/mark.arpa"
says 0 'rare words are <unk>' 'tokens (word), 1 of them <unk>' lm fit "$dir/t.txt" --vocabulary 1 --order 1 -o "$dir/v.arpa" --smoothing none
call lm fit "$dir/t.txt" --min-count 2 --order 2 -o "$dir/v.arpa"
holds 'by count, too' grep -q '1 of them <unk>' "$dir/.out"

# ---- sample --------------------------------------------------------------------------------------------------------------

call lm sample "$dir/none.arpa" --count 200 --seed 3
holds 'sample: sentences of the text' bash -c "[ \$(wc -l <'$dir/.out') -eq 200 ] && ! grep -qvx -e a -e 'a b' '$dir/.out'"
holds 'about as often as they should' bash -c "n=\$(grep -cx a '$dir/.out'); [ \$n -gt 70 ] && [ \$n -lt 130 ]"
cp "$dir/.out" "$dir/once"
call lm sample "$dir/none.arpa" --count 200 --seed 3
holds 'the same again' cmp "$dir/once" "$dir/.out"
call lm sample "$dir/none.arpa" --count 200 --seed 4
holds 'others by another seed' bash -c "! cmp '$dir/once' '$dir/.out'"
says 0 'cut where it does not end' 'b b b ...' lm sample examples/trap.arpa --max-length 3 --count 20
call lm sample examples/trap.arpa --max-length 3 --count 20 --json
holds 'JSON: did it end?' python3 -c "
import json, math
for o in map(json.loads, open('$dir/.out')): assert o['ended'] == (o['text'] == 'a') and abs(o['log10prob'] - math.log10(0.5)) < 1e-6"

# ---- tight ---------------------------------------------------------------------------------------------------------------

says 0 'tight' 'tight        yes' lm tight "$dir/kn.arpa"
holds 'its mass' grep -q '^mass         1$' "$dir/.out"
says 1 'not tight' 'tight        no' lm tight examples/trap.arpa
holds 'the trap' grep -q '^trap         b$' "$dir/.out"
holds 'half is lost' grep -q '^mass         1/2$' "$dir/.out"
holds 'how far rows were off' grep -q '^rows         sum to 1 within 1e-08' "$dir/.out"
call lm tight examples/trap.arpa --json
holds 'JSON' json "o['tight'] is False and o['mass'] == '1/2' and o['trap'] == ['b'] and o['path'] == ['b'] and o['states'] == 3 and o['dead'] == 1"
sed -e 's/^0	b b/-0.0004	b b/' -e 's/^ngram 2=4/ngram 2=5/' -e 's/^0	a <\/s>/&\n-3	b <\/s>/' examples/trap.arpa >"$dir/open.arpa"
says 0 'the trap opened' 'mass         1' lm tight "$dir/open.arpa"

# 300 words in a ring from which b leads away: too many states to solve for
python3 - "$dir/ring.arpa" <<'PY'
import sys
n, half = 300, "-0.3010299956639812"
words = ["w%d" % i for i in range(n)] + ["b"]
pairs = ["0 <s> w0", half + " w%d </s>" % (n - 1), half + " w%d b" % (n - 1), "0 b b"] + ["0 w%d w%d" % (i, i + 1) for i in range(n - 1)]
with open(sys.argv[1], "w") as f:
    f.write("\\data\\\nngram 1=%d\nngram 2=%d\n\\1-grams:\n" % (n + 3, len(pairs)))
    f.writelines("-99 %s -99\n" % w for w in words + ["<s>", "</s>"])
    f.write("\\2-grams:\n" + "\n".join(pairs) + "\n\\end\\\n")
PY
says 3 'not tight, the sum not solved for' 'mass         less than 1; as a fraction only up to 200 states' lm tight "$dir/ring.arpa"
holds 'decided all the same' grep -q '^tight        no$' "$dir/.out"

# ---- the example ---------------------------------------------------------------------------------------------------------

says 0 'the village' '3-grams      970, discounts 0.7188 1.22 1.534' lm fit examples/village.txt -o "$dir/village.arpa"
says 0 'its perplexity' 'perplexity   4.98583' lm perplexity "$dir/village.arpa" examples/village.txt
says 0 'it is tight' 'mass         1 (not solved for)' lm tight "$dir/village.arpa"
input='the baker opens the shop'
gives 0 'a sentence of it' $'-4.38816148928\t0' lm score "$dir/village.arpa" -
unset input

# ---- compiled ------------------------------------------------------------------------------------------------------------

# prob FILE: log10 of the probability of the village's text (under a sanitizer: of its beginning), to all digits.
head -n $([ -n "$sanitized" ] && echo 60 || echo 999) examples/village.txt >"$dir/village.txt"
prob() { "$attest" lm perplexity "$1" "$dir/village.txt" --json | sed 's/.*"log10prob": *\([-0-9.e]*\).*/\1/'; }
alike() { awk -v a="$(prob "$1")" -v b="$(prob "$2")" 'BEGIN { d = a - b; exit !(a < -100 && d < 1e-9 && d > -1e-9) }'; }
call lm fit examples/village.txt -o "$dir/village.arpa"
says 0 'as attention' '1 attention layer, 2 heads' compile "$dir/village.arpa" --set N=20 -o "$dir/village.st"
holds 'the weights say what the tables say' alike "$dir/village.arpa" "$dir/village.st"
call lm fit examples/village.txt --order 2 -o "$dir/pairs.arpa"
call compile "$dir/pairs.arpa" --set N=20 -o "$dir/pairs.st"
unlike() { ! alike "$@"; }
holds 'and not what others say' unlike "$dir/village.arpa" "$dir/pairs.st"
says 0 'by one head' '1 attention layer, 1 head' compile "$dir/kn.arpa" --set N=6,form=single --attention softmax -o "$dir/one.st"
says 0 'right after every text' 'hold' check "$dir/one.st" --problem "$dir/kn.arpa" --lengths 0..4
call lm fit "$dir/t.txt" --order 2 --smoothing add -o "$dir/other.arpa"
says 1 'after another one it is not' 'of 1 claims' check "$dir/one.st" --problem "$dir/other.arpa" --lengths 0..4
says 0 'sentences are drawn from it' ' ' lm sample "$dir/one.st" --count 5 --max-length 6
input='the the the the the the the the the the the the the the the the the the the the the'
refuses 2 'a sentence that is too long for it' 'attest lm: -:1: 21 words; the model takes sentences of at most 20' lm perplexity "$dir/village.st" -
unset input
call compile examples/trap.arpa --set N=2 -o "$dir/two.st"
says 0 'one that is drawn is cut where the model ends' 'b b ...' lm sample "$dir/two.st" --count 20
holds 'all of them' test "$(wc -l <"$dir/.out")" -eq 20
call build match2 --set N=4,M=5 -o "$dir/match.st"
refuses 2 'a model of something else' 'no language model: its input is not one word a position' lm score "$dir/match.st" "$dir/t.txt"

says 0 'a file is asked to what its probabilities may be off' '1 of 1 claims hold' check "$dir/kn.arpa" --lengths 0..4 ${sanitized:+--exact}

# ---- as a recogniser ----------------------------------------------------------------------------------------------------

says 0 'yes or no: has it at least this probability?' 'accept=1e-05' compile "$dir/village.arpa" --set N=8,accept=1e-5 -o "$dir/yes.st"
gives 0 '10^-4.39 is more' yes run "$dir/yes.st" 'the baker opens the shop'
gives 0 '10^-10.9 is less' no run "$dir/yes.st" 'evening the of shop'
says 0 'asked after every text' '1 of 1 claims hold' check "$dir/kn.arpa" --set accept=0.05 --lengths 0..5 --exact
call compile "$dir/kn.arpa" --set N=5,accept=0.06 -o "$dir/six.st"
says 1 'another threshold is noticed' '0 of 1 claims hold' check "$dir/six.st" --problem "$dir/kn.arpa" --set accept=0.02 --lengths 0..5
refuses 2 'it has no probabilities to score' 'no language model' lm score "$dir/yes.st" examples/village.txt

# ---- tightness of weights -----------------------------------------------------------------------------------------------

says 0 'weights are tight' 'tight        yes: behind every text, of any length, </s> has at least 10^-101' lm tight "$dir/village.st"
call lm tight "$dir/one.st" --json
holds 'JSON' json "o['tight'] is True and o['mass'] == '1' and -3 < o['log10_end_least'] < 0"
call compile examples/trap.arpa --set N=4 -o "$dir/trap.st"
says 0 'of a trap, too, over the reals' 'in f64 so small a probability may be 0' lm tight "$dir/trap.st"
call compile examples/trap.arpa --set N=4,read=sparsemax -o "$dir/trap0.st"
says 1 'read by sparsemax: the tables that the weights are' 'tight        no' lm tight "$dir/trap0.st"
holds 'the trap' grep -q '^trap         b$' "$dir/.out"
holds 'the histories' grep -q '^histories    the last 1 word decides, in exact arithmetic, on all 31 texts to length 4' "$dir/.out"
call lm tight "$dir/trap0.st" --json
holds 'JSON' json "o['tight'] is False and o['words_seen'] == 1 and o['texts_run'] == 31 and o['trap'] == ['b']"
call compile examples/weather.pfsa --set N=8 -o "$dir/weather8.st"
says 0 'a decoder of an automaton is tight' 'tight        yes' lm tight "$dir/weather8.st"
call compile examples/lost.pfsa --set N=8 -o "$dir/lost8.st"
says 1 'and one of a lost one is not' 'mass         1/2' lm tight "$dir/lost8.st"
refuses 2 'a machine has no bound' 'no bound on the steps of a word is known' lm score examples/echo.ptm -
refuses 2 'nor is it tight or not' 'no bound on the steps of a word is known' lm tight examples/echo.ptm
call compile examples/echo.ptm --set N=6 -o "$dir/echo.st"
refuses 2 'a tape is no finite history' 'no finite history is known to decide' lm tight "$dir/echo.st"
says 0 'compile: a machine' 'extra symbols: 10, a step each, beside 2 letters and the end' compile examples/echo.ptm --set N=6 -o "$dir/echo.st"
says 0 'run: its fractions' '0.8571428571428571,0.14285714285714285' run "$dir/echo.st" 'A/R/say/a _/L/back/- A/L/back/- _/R/again/-' --precision exact
call compile examples/trap.arpa --set N=1,read=sparsemax -o "$dir/trap1.st"
refuses 2 'too short to see' 'no finite history is known to decide' lm tight "$dir/trap1.st"
refuses 2 'so is what is no language model' 'no language model' lm tight "$dir/match.st"

# ---- probabilistic automata ----------------------------------------------------------------------------------------------

# By hand, fractions over all runs: d w has 1/108 + 1/90 + 2/375 + 1/450, the empty word 2/3 1/6 + 1/3 1/5; x is no letter.
input=$'d w\n\nd x\n'
gives 0 'an automaton scores words' "$(python3 -c "
from math import log10 as l
print('%.12g\t0\n%.12g\t0\n-inf\t1' % (l(377/13500), l(8/45)))")" lm score examples/weather.pfsa -
unset input
call lm sample examples/coin.pfsa --count 400 --seed 2
holds 'sample: a fifth is empty' bash -c "n=\$(grep -c '^$' '$dir/.out'); [ \$n -gt 50 ] && [ \$n -lt 110 ]"
says 0 'tight' 'mass         1' lm tight examples/weather.pfsa
says 1 'not tight' 'trap         off' lm tight examples/lost.pfsa
holds 'half is lost' grep -q '^mass         1/2$' "$dir/.out"
call lm tight examples/lost.pfsa --json
holds 'JSON' json "o['tight'] is False and o['mass'] == '1/2' and o['trap'] == ['off'] and o['path'] == ['b'] and o['dead'] == 1"
says 0 'compiled: extra symbols are said' 'extra symbols: 2, a state each, beside 2 letters and the end' compile examples/weather.pfsa --set N=9 -o "$dir/w.st"
call compile examples/weather.pfsa --set N=9 -o "$dir/w.st" --json
holds 'in JSON, too' json "o['extra_symbols'] == 2"
gives 0 'behind nothing, a state' '0,0,0.6666666666666666,0.3333333333333333,0' run "$dir/w.st" '' --precision exact
gives 0 'behind a state, a letter or the end' '0.5,0.3333333333333333,0,0,0.16666666666666666' run "$dir/w.st" '[high]' --precision exact
says 0 'right behind every text' '1 of 1 claims hold' check "$dir/w.st" --problem examples/weather.pfsa --lengths 0..5
sed 's|^low d low 1/5|low d low 2/5|; s|^low w low 2/5|low w low 1/5|' examples/weather.pfsa >"$dir/other.pfsa"
says 1 'and wrong for another automaton' '0 of 1 claims hold' check "$dir/w.st" --problem "$dir/other.pfsa" --lengths 0..2
printf 'start q\nq a q 1/1001\nend q 1000/1001\n' >"$dir/fine.pfsa"
refuses 3 'denominators beyond the limit' 'probabilities over 1001; compiled are those over at most 1000' compile "$dir/fine.pfsa" -o "$dir/none.st"

# ---- refusals ------------------------------------------------------------------------------------------------------------

refuses 2 'no part' 'missing' lm
refuses 2 'a part that is none' "unknown part of lm 'fits'; did you mean 'fit'?" lm fits "$dir/t.txt"
refuses 2 'no text' 'missing: a text file' lm fit
refuses 2 'nowhere to write' '-o FILE.arpa is missing' lm fit "$dir/t.txt"
refuses 2 'over the text' 'would be written over' lm fit "$dir/t.txt" -o "$dir/t.txt"
refuses 2 'no text to score' 'missing: a text file' lm score "$dir/kn.arpa"
refuses 2 'no such file' 'No such file' lm tight "$dir/nothing.arpa"
refuses 2 'another kind of file' 'd.arpa:2:1: no line \data\' lm tight "$(printf 'x' >"$dir/d.arpa"; echo "$dir/d.arpa")"
refuses 2 'k without add' '--k is for --smoothing add' lm fit "$dir/t.txt" --k 2 -o "$dir/x.arpa"
refuses 2 'an order too high' 'must be an integer in 1..8' lm fit "$dir/t.txt" --order 9 -o "$dir/x.arpa"
refuses 2 'options of another part' 'score takes none of the options of fit' lm score "$dir/kn.arpa" "$dir/t.txt" --order 2
refuses 2 'nor of sample' 'tight takes none of the options of sample' lm tight "$dir/kn.arpa" --count 3
refuses 2 'two texts' 'fit takes one text' lm fit "$dir/t.txt" "$dir/u.txt" -o "$dir/x.arpa"
printf 'a\nb </s>\n' >"$dir/bad.txt"
refuses 2 'tags in a text' 'bad.txt:2:3: </s> stands around a sentence' lm fit "$dir/bad.txt" -o "$dir/x.arpa"
partial=1 refuses 2 'and when scored' 'bad.txt:2:3: </s> stands around a sentence' lm score "$dir/kn.arpa" "$dir/bad.txt"
printf '' >"$dir/empty.txt"
refuses 2 'nothing to fit' 'no sentence in it' lm fit "$dir/empty.txt" -o "$dir/x.arpa"
says 0 'nothing to score' 'perplexity   nan' lm perplexity "$dir/kn.arpa" "$dir/empty.txt"
sed 's/a b/a \x1b[31mb/' "$dir/t.txt" >"$dir/esc.txt"
call lm fit "$dir/esc.txt" --order 1 --smoothing none -o "$dir/esc.arpa"
call lm sample "$dir/esc.arpa" --count 20
harmless 'words that act are not printed'
finish
