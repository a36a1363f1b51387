# test_train.sh: `train`, `eval`, `sweep`: a small training from beginning to end, its model in other commands, the same
# after interruption, a small sweep served again from its ledger, refusals.
. cli/test/lib.sh

many=${sanitized:+100} many=${many:-400} # steps
recipe='--width 16 --layers 2 --batch 16 --rate 0.01 --dropout 0 --exams 100 --prompts 30'
# shellcheck disable=SC2086
says 0 'train: a summary' 'chains right' train parity --set n=6 $recipe --steps 300 --count 100 -o "$dir/m.st" --plot "$dir/curve.svg"
says 0 'train: exams on the way' 'answers' train parity --set n=6 $recipe --steps 100 --count 10
holds 'train: the model is there' test -s "$dir/m.st"
holds 'train: the curves are there' grep -q '<svg' "$dir/curve.svg"
says 0 'eval: answers and chains' 'answers right' eval "$dir/m.st" parity --set n=6 --count 50
says 0 'eval: JSON' '"answer_accuracy":' eval "$dir/m.st" parity --set n=6 --count 50 --json
call train parity --set n=6 --width 8 --layers 1 --steps 1 --batch 2 --exams 1 --prompts 1 --count 1 --threads 1 -o "$dir/raw.st"
for split in test train; do
    says 0 "eval: wrong samples of the $split part" "of $split sample" eval "$dir/raw.st" parity --set n=6 --count 20 --split $split
    says 0 "eval: JSON says $split" "\"split\": \"$split\"" eval "$dir/raw.st" parity --set n=6 --count 20 --split $split --json
done
says 0 'eval: at 12 bits' 'chains right' eval "$dir/m.st" parity --set n=6 --count 20 --precision p12
says 0 'generate: a trained model' '<eos>' generate "$dir/m.st" '1 0 1 1 0 0 <sep>'
says 0 'look: a trained model' 'layer' look "$dir/m.st" '1 0 1 <sep>'
says 0 'train: JSON' '"exams": [[100,' train parity --set n=6 $recipe --steps 100 --count 10 --json

# Whose model takes what, as help says: a net that has no step for one more row is run and examined.
for net in tanh gru ffn; do
    # shellcheck disable=SC2086
    call train parity --set n=6 $recipe --net $net --steps 2 --count 2 -o "$dir/rival.st"
    [ $net = ffn ] || says 0 "run: the model of $net" '' run "$dir/rival.st" '1 0 1 <sep>'
    says 0 "eval: the model of $net" 'answers right' eval "$dir/rival.st" parity --set n=6 --count 2
    call generate "$dir/rival.st" '1 0 1 <sep>' # which need not end it
    if [ $net = ffn ]; then
        holds 'generate: not the model of ffn' test "$code" -eq 2
    else
        holds "generate: the model of $net" grep -q 'least margin' "$dir/.out"
    fi
done

# Rows of labels: what comes out is a model of the task, which takes its inputs and no prompts.
call train max --set N=2,V=4 --width 16 --layers 1 --heads 1 --positions learned --dropout 0 --rate 0.01 --steps 300 \
    --batch 16 --exams 0 --count 20 -o "$dir/max.st"
gives 0 'run: the larger of two' '3' run "$dir/max.st" '1 3'
gives 0 'run: either place' '2' run "$dir/max.st" '2 0'
says 0 'eval: the model of max' '(100.00%)' eval "$dir/max.st" max --set N=2,V=4 --count 20
refuses 2 'run: another length' '2..2' run "$dir/max.st" '1 3 2'
refuses 2 'eval: a stream of other words' 'the model has 4 words, the stream 5' eval "$dir/max.st" parity --set n=6
refuses 2 'train: attention sees what it should say' 'need a decoder' train parity --set n=6 --net attention --steps 1

# Killed in the middle and gone on with: the same model. An interrupted one keeps what was done, exit 3.
# shellcheck disable=SC2086
"$attest" train majority --set n=9 $recipe --steps $many --count 20 --state "$dir/run.state" >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 600; i++)); do
    [ -s "$dir/run.state" ] && break
    sleep 0.05
done
kill -9 "$pid"
wait "$pid" 2>/dev/null
# shellcheck disable=SC2086
{
    says 0 'train: goes on after kill -9' "done after $many of $many steps" train majority --set n=9 $recipe --steps $many --count 20 --state "$dir/run.state" -o "$dir/a.st"
    says 0 'train: and without a kill' "done after $many of $many steps" train majority --set n=9 $recipe --steps $many --count 20 --threads 1 -o "$dir/b.st"
    holds 'train: the same bits' cmp -s "$dir/a.st" "$dir/b.st"
    refuses 2 'train: the state of another training' "is of another training: steps=$many there, steps=50 here" train majority --set n=9 $recipe --steps 50 --count 20 --state "$dir/run.state"
    refuses 2 'train: the state of another stream' 'of another stream or test file, or of other sizes' train majority --set n=8 $recipe --steps $many --count 20 --state "$dir/run.state"
    refuses 2 'train: no state' 'm.st' train majority --set n=9 $recipe --steps $many --count 20 --state "$dir/m.st"
    refuses 2 'train: a model for other words' 'the model has' train lis --set n=5,range=9 $recipe --from "$dir/m.st"
    says 0 'train: from a model' 'answers right' train parity --set n=6 --steps 20 --count 20 --rate 0.0001 --from "$dir/m.st"
    refuses 2 'eval: another stream' 'the model has' eval "$dir/m.st" lis --set n=5,range=9
}
"$attest" train majority --set n=9 --width 16 --steps 100000 --exams 50 --state "$dir/c.state" >/dev/null 2>"$dir/.err" &
pid=$!
for ((i = 0; i < 600; i++)); do
    [ -s "$dir/c.state" ] && break
    sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
code=$?
holds 'train: interrupted is exit 3' test "$code" -eq 3
holds 'train: and says how far' grep -q 'interrupted after' "$dir/.err"

# A log, the best model, models on the way; the plan grows, and every line of the log is there once.
grow="--set n=9 $recipe --count 5 --fall 0 --log $dir/run.csv --state $dir/grow.state"
# shellcheck disable=SC2086
{
    says 0 'train: a log, and models on the way' 'done after 200' train majority $grow --steps 200 -o "$dir/way.st" --keep-every 80 --best "$dir/best.st"
    holds 'train: they are there' test -s "$dir/way.80.st" -a -s "$dir/way.160.st" -a ! -e "$dir/way.200.st" -a -s "$dir/best.st"
    says 0 'look: at one on the way' 'layer' look "$dir/way.80.st" '1 0 1 <sep>'
    says 0 'train: more steps' 'done after 400 of 400 steps' train majority $grow --steps 400
    holds 'train: the log has every line once' awk -F, 'NR == 1 { next } { k = $1 ($2 == "" ? "e" : ""); if (seen[k]++ || $1 + 0 < last) bad = 1; last = $1 + 0; lines++ }
        END { exit bad || lines < 300 || !seen["200"] || !seen["200e"] || !seen["400e"] }' "$dir/run.csv"
    holds 'train: with its head' test "$(head -n 1 "$dir/run.csv")" = step,loss,rate,tokens_per_s,answers,chains
    refuses 2 'train: fewer steps' 'steps=400 there, steps=300 here' train majority $grow --steps 300
}
says 0 'train: a log in JSON' 'done' train parity --set n=6 --width 8 --layers 1 --steps 4 --exams 2 --count 3 --log "$dir/run.jsonl"
holds 'train: a line a stretch and a line an exam' test "$(grep -c '"loss": null' "$dir/run.jsonl")$(wc -l <"$dir/run.jsonl")" = 26
says 0 'train: out of patience' 'no better after 60 of 1000 steps' train parity --set n=9 --width 8 --layers 1 --batch 2 --steps 1000 --rate 0 --exams 20 --count 3 --patience 2
says 0 'train: small spaces are examined whole' 'all that there are' train parity --set n=6 --width 8 --layers 1 --steps 2 --exams 0
says 0 'train: how long will it take' 'about ' train parity --set n=6 --width 8 --layers 1 --estimate
says 0 'train: for machines' '"seconds_per_step":' train parity --set n=6 --width 8 --layers 1 --estimate --json
says 0 'train: which rate' 'it fell most steeply at --rate' train parity --set n=6 --width 16 --layers 1 --find-rate --plot "$dir/rates.svg"
holds 'train: the picture of it' grep -q '<svg' "$dir/rates.svg"
says 0 'train: parts of a model are frozen' 'done' train parity --set n=6 --from "$dir/m.st" --freeze 'layer.0.*,token' --steps 2 --exams 0 --count 3
refuses 2 'train: no such part' "no tensor or head is called 'layer.9.*'" train parity --set n=6 --from "$dir/m.st" --freeze 'layer.9.*' --steps 2
refuses 2 'train: frozen and free' 'exclude each other' train parity --set n=6 --freeze token --free head.w --steps 2
refuses 2 'train: nothing to name them after' 'needs -o MODEL' train parity --keep-every 10 --steps 2
refuses 2 'train: no exams, no best' 'needs exams on the way' train parity --best "$dir/b.st" --exams 0
refuses 2 'train: a log of no kind' 'must be FILE.jsonl or FILE.csv' train parity --log "$dir/run.txt"
printf 'dear diary\n' >"$dir/diary.csv"
refuses 2 'train: not over another file' 'is no log of a training' train parity --steps 2 --log "$dir/diary.csv"
holds 'train: which stays' grep -q diary "$dir/diary.csv"

# How far does it generalise? A curve over sizes; what does not fit is said, not counted.
call train parity --set n=4,least=1 --length 14 --width 8 --layers 1 --steps 2 --exams 0 --count 3 -o "$dir/room.st"
says 0 'eval: a curve over lengths' '   4 ' eval "$dir/room.st" parity --set n=3..7,least=0 --plot "$dir/lengths.svg"
holds 'eval: every length' sh -c "[ \$(grep -c '%' '$dir/.out') -ge 2 ] && [ \$(wc -l <'$dir/.out') -eq 6 ]"
holds 'eval: what does not fit is said' grep -q '^ *7 not asked: its rows do not fit into the model$' "$dir/.out"
holds 'eval: its picture' grep -q '<svg' "$dir/lengths.svg"
says 0 'eval: other words are said, too' 'not asked: the model has 5 words' eval "$dir/room.st" majority --set n=3..4
says 0 'eval: for machines' '"unfit": ' eval "$dir/room.st" parity --set n=7,least=0 --json
says 1 'eval: enough at every length' 'not asked' eval "$dir/room.st" parity --set n=3..7,least=0 --enough 0.99
refuses 2 'eval: too many sizes' 'must be 1 to 64 sizes' eval "$dir/room.st" parity --set n=1..99
refuses 2 'eval: a picture of one size' 'as in --set n=4..12' eval "$dir/room.st" parity --set n=3 --plot "$dir/x.svg"
refuses 2 'train: no room' 'length=5: the stream has rows of 12' train parity --set n=4 --length 5 --steps 2
refuses 2 'train: positions that are never learnt' 'would never be learnt' train parity --set n=4 --length 20 --positions learned --steps 2

# A state that does not fit: a line, nothing half written.
(
    ulimit -f 4
    # shellcheck disable=SC2086
    "$attest" train parity --set n=6 $recipe --steps 20 --count 5 --state "$dir/full.new" >/dev/null 2>"$dir/full.err"
)
code=$?
holds 'train: a full disk is exit 2' test "$code" -eq 2
holds 'train: and one line' grep -q 'full.new' "$dir/full.err"
holds 'train: and no piece of a file' test -z "$(find "$dir" -name 'full.new*')"

refuses 2 'train: no such stream' "did you mean 'lis'" train lsi
refuses 2 'train: LIS longer than its range' 'needs range >= 300' train lis --set n=300
refuses 2 'train: no operators' 'operators=0: must be' train arithmetic --set operators=0
refuses 2 'train: a setting out of range' 'rate=2: must be a number in 0..1' train lis --rate 2
refuses 2 'train: a setting twice' 'given twice' train lis --rate 0.1 --rate 0.2
refuses 2 'train: a setting without value' '--rate needs a value' train lis --rate
refuses 2 'train: heads that do not divide' 'heads' train lis --width 32 --heads 5 --steps 1
refuses 2 'train: a picture of no kind' '.png' train lis --plot "$dir/curve.txt"
refuses 2 'train: a setting with one dash' "unknown option '-xwidth'" train lis -xwidth 16
refuses 2 'train: model and state in one file' 'two files to write' train lis -o "$dir/x" --state "$dir/x"
# rows that are drawn have no right answers, but a distribution
says 0 'train: probabilities' 'KL  ' train ngram --set n=2,symbols=3,N=3 --width 8 --layers 1 --heads 2 --steps 60 --rate 0.02 --dropout 0 -o "$dir/lm.st"
says 0 'eval: probabilities' 'rows           27 that there are, each by its probability' eval "$dir/lm.st"
call eval "$dir/lm.st" --json
holds 'eval: entropy, cross entropy and KL' python3 -c "
import json
o = json.load(open('$dir/.out'))
assert o['whole'] is True and o['rows'] == 27 and 0 < o['kl'] < 1 and abs(o['cross_entropy'] - o['entropy'] - o['kl']) < 1e-9"
refuses 2 'eval: another alphabet' 'words' eval "$dir/lm.st" ngram --set n=2,symbols=4,N=3
# shellcheck disable=SC2086
refuses 2 'train: a model and a state of another beginning' 'from random weights there' train majority --set n=9 --from "$dir/a.st" $recipe --steps $many --count 20 --state "$dir/run.state"
printf 'a b <sep> c <sep> d\n' >"$dir/one.txt"
refuses 2 'train: a file without test prompts' 'test split' train "$dir/one.txt" --steps 2
refuses 2 'train: nowhere to write' 'No such file' train lis -o "$dir/none/m.st"

small='--widths 8 --seeds 1 --steps 10 --exams 5 --prompts 4 --count 5 --batch 4 --layers 1'
# shellcheck disable=SC2086
{
    says 0 'sweep: cells and a summary' '9 trainings reach 90%' sweep lis --db "$dir/s.db" -o "$dir/s.html" --plot "$dir/s.png" $small
    holds 'sweep: a report' grep -q 'Trained models' "$dir/s.html"
    holds 'sweep: a picture' test -s "$dir/s.png"
    says 0 'sweep: again, from the ledger' '(ledger)' sweep lis --db "$dir/s.db" -o "$dir/s.html" $small
    says 0 'sweep: JSON' '"served": 9' sweep lis --db "$dir/s.db" -o "$dir/s.html" $small --json
    refuses 2 'sweep: no such task' "no problem 'zebra'" sweep zebra --db "$dir/s.db"
    refuses 2 'sweep: no such preset' "unknown preset 'slow' (there are: quick, paper, languages)" sweep --preset slow
    says 0 'sweep: the cost before it starts' 'where it is not the benchmark' sweep lis --preset paper --estimate --widths 8 --attentions linear --db "$dir/none.db"
    holds 'sweep: every training is named' grep -qE 'lis +n=250 +linear +D=8 [0-9.]+ CPU h' "$dir/.out"
    holds 'sweep: and nothing is trained' test ! -e "$dir/none.db"
    says 0 'sweep: the cost as JSON' '"cpu_seconds"' sweep lis --estimate --widths 8 --seeds 1 --json
    says 0 'train: so does a training' 'CPU s on this machine' train ed --preset paper --width 8 --layers 1 --steps 4 --batch 4 --samples 40 --count 5 --exams 0
    few='--width 8 --layers 1 --steps 4 --batch 4 --samples 40 --count 5 --exams 0'
    says 0 'train: the parameters of a preset' 'preset paper: arithmetic operators=10 p=11 order=random under=1,' train arithmetic --preset paper --set operators=10 $few
    holds 'train: its size is one of the preset' sh -c "! grep -q '^size: none' '$dir/.out'"
    says 0 'train: those of its smallest size' 'preset paper: lis n=40 range=209,' train lis --preset paper $few
    says 0 'train: of another size what all share' 'preset paper: arithmetic operators=3 p=11 order=random under=1,' train arithmetic --preset paper --set operators=3 $few
    holds 'train: which is said' grep -q '^size: none of the preset' "$dir/.out"
    says 0 'train: what is given goes first' 'order=leftmost under=1' train arithmetic --preset paper --set operators=6,order=leftmost $few
    refuses 2 'train: rows that differ' 'only 5' train parity --set n=5,least=1 --distinct 1 --samples 60 --steps 2
    refuses 2 'train: no such preset' "unknown preset 'slow'" train lis --preset slow
    says 0 'sweep: languages at twice the length' '"twice"' sweep dyck --preset languages --db "$dir/l.db" -o "$dir/l.html" $small --json
    holds 'sweep: in one attention' grep -q '"trainings": 2' "$dir/.out"
    holds 'sweep: their table' grep -q '<td>Dyck-2</td><td>dyck not checked</td><td><b class="fails">not learnt</b>' "$dir/l.html"
    holds 'sweep: what was not trained says so' grep -q '<td>PARITY</td><td>parity not checked</td><td>not trained</td>' "$dir/l.html"
    for setting in width seed attention; do
        refuses 2 "sweep: one $setting for all cells" "option --$setting does not apply here" sweep lis --$setting 8 --db "$dir/s.db"
    done
    refuses 2 'sweep: the report over the ledger' 'two files to write' sweep lis --db "$dir/s.db" -o "$dir/s.db" $small
    refuses 2 'sweep: a width twice' '8 is there twice' sweep lis --widths 8,8 --db "$dir/s.db"
    refuses 2 'sweep: widths' "widths '8;9'" sweep --widths '8;9' --db "$dir/s.db"
}
# A problem of one's own: a recurrence, a file of cases, a file of rows, a name with parameters.
sum_dp "$dir/sum.dp"
own="--db $dir/own.db -o $dir/own.html $small --attentions standard,linear"
# shellcheck disable=SC2086
{
    says 0 'sweep: my own recurrence' 'of 4 trainings reach 90%' sweep "$dir/sum.dp" --set n=4..5 $own
    holds 'sweep: named by its file and hash' grep -qE 'sum\.dp#[0-9a-f]{8} n=5 +linear' "$dir/.out"
    holds 'sweep: and in the report' grep -qE 'sum\.dp#[0-9a-f]{8}' "$dir/own.html"
    holds 'sweep: the order of the paper is not asked of it' sh -c "! grep -q 'The order that the paper' '$dir/.out'"
    says 0 'sweep: as --problem, from the ledger' '"served": 4' sweep --problem "$dir/sum.dp" --set n=4..5 $own --json
    says 0 'sweep: the map has them' '> 8@5' map --problem "$dir/sum.dp" --db "$dir/own.db"
    mkdir -p "$dir/else" && cp "$dir/sum.dp" "$dir/else/sum.dp"
    says 0 'sweep: the same text elsewhere is the same' '"served": 4' sweep "$dir/else/sum.dp" --set n=4..5 $own --json
    sed -i 's/in 0..3/in 0..2/' "$dir/sum.dp"
    says 0 'sweep: a changed file is another problem' '"served": 0' sweep "$dir/sum.dp" --set n=4..5 $own --json
    says 0 'sweep: and does not mix' '4 trainings of another text' map --problem "$dir/sum.dp" --db "$dir/own.db"
    printf '0 1\t1\n1 1\t0\n0 0\t0\n1 0\t1\n' >"$dir/xor.tsv"
    says 0 'sweep: cases' 'length=6' sweep "$dir/xor.tsv" $own
    says 0 'sweep: the map of cases has trained models only' 'only trained models' map --problem "$dir/xor.tsv" --db "$dir/own.db"
    holds 'sweep: and they are there' grep -q '^xor.tsv  standard .*> 8@6' "$dir/.out"
    "$attest" data parity --set n=9 --count 90 | sed 's/ <eos>//' >"$dir/some.rows"
    says 0 'sweep: rows' 'some.rows#' sweep "$dir/some.rows" $own
    says 0 'sweep: a name with parameters' 'lis        n=5' sweep lis --set n=5,range=9 $own
    says 0 'sweep: a shipped recurrence' 'coins      n=2' sweep coins --set n=2,amount=5 $own
    says 0 'sweep: positions as rows' 'match2     N=4' sweep match2 --set N=4,M=5 $own
    refuses 2 'sweep: parameters of nothing' 'which one?' sweep --set n=4 $own
    gram="--db $dir/gram.db -o $dir/gram.html --set n=2,symbols=3,N=3,rank=1..2 --layers 1 --exams 0 --rate 0.02 --dropout 0 --widths 8 --seeds 1 --attentions standard --heads 2"
    says 0 'sweep: probabilities' 'of 2 trainings reach 90% of e^-KL' sweep ngram $gram --steps 60 --batch 32
    holds 'sweep: the distance of each' grep -qE 'ngram      rank=2 +standard D=8 +seed 1  KL 0\.[0-9]{4} of [01]\.[0-9]{4} nats' "$dir/.out"
    holds 'sweep: what the heat map shows' grep -q 'e^-KL of trained models' "$dir/gram.html"
    says 0 'sweep: probabilities, served' '"served": 2' sweep ngram $gram --steps 60 --batch 32 --json
    holds 'sweep: JSON has the distance' python3 -c "
import json, math
cells = [c['detail'] for c in json.load(open('$dir/.out'))['cells']]
assert len(cells) == 2 and all(0 <= c['kl'] < c['entropy'] and abs(c['answer'] - math.exp(-c['kl'])) < 1e-9 for c in cells)"
    refuses 2 'sweep: a size that is none' 'n=7' sweep "$dir/sum.dp" --set n=7 $own
    refuses 2 'sweep: two ranges' 'one parameter may be a range' sweep coins --set n=2..3,amount=2..3 $own
    refuses 2 'sweep: no such parameter' "unknown parameter 'Q'" sweep "$dir/sum.dp" --set Q=4 $own
    refuses 2 'sweep: no such file' 'none.dp' sweep "$dir/none.dp" $own
    refuses 2 'sweep: a faulty line' 'bad.tsv:2:' sweep "$(printf 'a\tb\nc\n' >"$dir/bad.tsv"; echo "$dir/bad.tsv")" $own
    refuses 2 'sweep: a pipe is read once' 'a regular file is needed' sweep <(printf 'a\tb\n') $own
    refuses 2 'sweep: not over its own file' 'would be written over' sweep --problem "$dir/sum.dp" -o "$dir/sum.dp"
    # Killed without a word, then taken up again: what was finished is served, the rest is the same as without.
    long="--set n=4 --widths 8,16 --seeds 1,2 --attentions standard,linear --steps $((many * 3 / 4)) --exams 300 --prompts 4 --count 5 --batch 16 --layers 1"
    "$attest" sweep "$dir/sum.dp" $long --threads 1 --db "$dir/k.db" -o "$dir/k.html" >"$dir/k.out" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        grep -q '2/8' "$dir/k.out" 2>/dev/null && break
        sleep 0.05
    done
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    call sweep "$dir/sum.dp" $long --db "$dir/k.db" -o "$dir/k.html" --json
    holds 'sweep: killed and resumed' sh -c "grep -q '\"trainings\": 8' '$dir/.out' && ! grep -q '\"served\": [018],' '$dir/.out'"
    grep -o '"loss": [^"]*' "$dir/.out" >"$dir/resumed"
    call sweep "$dir/sum.dp" $long --db "$dir/k2.db" -o "$dir/k.html" --json
    grep -o '"loss": [^"]*' "$dir/.out" >"$dir/whole"
    holds 'sweep: the same as without' sh -c "[ -s '$dir/whole' ] && cmp '$dir/resumed' '$dir/whole'"
}
"$attest" sweep lis --db "$dir/t.db" -o "$dir/t.html" --widths 8 --seeds 1 --steps 100000 >/dev/null 2>"$dir/.err" &
pid=$!
for ((i = 0; i < 600; i++)); do
    [ -s "$dir/t.db" ] && break
    sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
code=$?
holds 'sweep: interrupted is exit 3' test "$code" -eq 3
holds 'sweep: and says how many are finished' grep -q 'interrupted after 0 of 9 trainings' "$dir/.err"
if command -v sqlite3 >/dev/null; then
    printf 'begin exclusive;\n.shell touch %s; sleep 20\n' "$dir/locked" | sqlite3 "$dir/s.db" >/dev/null 2>&1 &
    for ((i = 0; i < 200; i++)); do
        [ -e "$dir/locked" ] && break
        sleep 0.05
    done
    # shellcheck disable=SC2086
    refuses 2 'sweep: a ledger in use' 's.db' sweep arithmetic --db "$dir/s.db" -o "$dir/s.html" $small
    kill %% 2>/dev/null
fi
finish
