# test_positions.sh: `train` of a task at positions, from the command to the checks of the model that comes out.
. cli/test/lib.sh

# match2 by one softmax head: every input is right, by the exam and by a check; a net that was not trained is refuted.
match='train match2 --set N=4,M=7 --net softmax --width 8 --exams 0 --threads 1'
# shellcheck disable=SC2086
{
    says 0 'match2: all inputs are asked' '210 of 210 right everywhere (100.00%); these are all' $match --rate 0.01 --steps 600 -o "$dir/m.st"
    says 0 'match2: a check agrees' 'exact, 2401 inputs' check "$dir/m.st" --problem match2 --exact
    gives 0 'match2: run' '1 1 0 0' run "$dir/m.st" '1 6 2 3'
    says 0 'match2: look' 'right at 4 of 4 positions' look "$dir/m.st" '1 6 2 3' --problem match2 --set N=4,M=7
    says 0 'match2: random weights' 'right everywhere' $match --rate 0 --steps 1 -o "$dir/random.st"
    says 1 'match2: random weights are refuted' 'refuted' check "$dir/random.st" --problem match2 --exact
}

# Real vectors and subsets: the error beside that of always saying the mean.
says 0 'qsa: within the tolerance' '500 of 500 right (100.00%), within 0.25' train qsa --set N=5,q=2,d=2 --net unit --width 14 --rate 0.03 --steps 300 --exams 0 --count 100 --threads 1 -o "$dir/q.st"
says 0 'qsa: a check agrees' '1 of 1 claims hold' check "$dir/q.st" --problem qsa --set N=5,q=2,d=2 --sampled 100
says 0 'qsa: run' ' ' run "$dir/q.st" '1,0/1/2 0,1/2/3 0,0/1/5 -1,0/3/4 0,0/4/5'
says 0 'qsa: JSON' '"trivial_mean_square":' train qsa --set N=5,q=2,d=2 --net ffn --view positions --width 4 --layers 1 --steps 2 --exams 0 --count 10 --json
says 0 'product: no tolerance' 'is explained' train product --net softmax --width 4 --steps 2 --exams 0 --count 10

# A problem with rows and positions: the net, or --view, says which.
says 0 'two layers' 'drawn' train qsa --set N=5,q=2,d=2 --net softmax --width 14 --layers 2 --steps 1 --exams 0 --count 4 --threads 1 -o "$dir/p.st"
says 0 'parity: at positions' 'these are all' train parity --set N=3 --net gru --view positions --width 4 --layers 1 --steps 2 --exams 0
says 0 'parity: rows' 'chains right' train parity --set n=6 --net gru --width 8 --layers 1 --steps 2 --exams 0 --count 4

# Films: models of one training side by side. A checkpoint that never stops can be looked at, too.
says 0 'film: models on the way' 'right everywhere' train qsa --set N=5,q=2,d=2 --net unit --width 14 --rate 0.03 --steps 60 --keep-every 20 --exams 0 --count 10 --threads 1 -o "$dir/f.st"
gives 0 'film: a frame for each' "$dir/film.svg: 3 frames" look "$dir/f.20.st" "$dir/f.40.st" "$dir/f.60.st" --film -o "$dir/film.svg"
holds 'film: captions' test "$(grep -o 'step [0-9]*' "$dir/film.svg" | sort -u | tr '\n' ' ')" = 'step 20 step 40 step 60 '
says 0 'film: of a decoder' 'done after 2' train parity --set n=4 --width 8 --layers 1 --steps 2 --keep-every 1 --exams 0 --count 4 --threads 1 -o "$dir/d.st"
says 0 'look: it never stops' 'layer 1' look "$dir/d.1.st" '1 0 <sep>'
gives 0 'film: decoders' "$dir/d.png: 2 frames" look "$dir/d.1.st" "$dir/d.2.st" --film --input '1 0 <sep>' -o "$dir/d.png"
gives 0 'film: a page' "$dir/film.html: 3 frames" look "$dir/f.20.st" "$dir/f.40.st" "$dir/f.60.st" --film -o "$dir/film.html"
holds 'film: a section a frame' test "$(grep -c '<section class="frame"><h2>step [0-9]*</h2>' "$dir/film.html")" = 3
holds 'film: the page fetches nothing' sh -c "! grep -E 'src=|href=|url\(|@import' '$dir/film.html'"
refuses 2 'film: one frame is no page' 'name ends in .png' look "$dir/f.20.st" '0.5/1/2' -o "$dir/none.html"
refuses 2 'film: where to' '--film needs -o' look "$dir/f.20.st" --film
refuses 2 'film: another shape' 'a film is of models of one shape' look "$dir/q.st" "$dir/f.20.st" "$dir/p.st" --film -o "$dir/none.svg"
holds 'film: nothing is written' test ! -e "$dir/none.svg"
refuses 2 'look: input of a film' '--input is for --film' look "$dir/f.20.st" --input x

# The model of a claim about a training is what training gives.
says 0 'qsa-train: show' 'rate = 0.03 ' show qsa-train
refuses 2 'ngram-learn: a training is no limit' 'claim ngram-learn is checked by trials: it has no model of its own' build ngram-learn -o "$dir/none.st"
refuses 2 'reasoning-train: nor is this one' 'claim reasoning-train is checked by trials: it has no model of its own' export reasoning-train --to npz -o "$dir/none.npz"
says 0 'qsa-train: build' '1 attention layer, 1 head, head width 17, 0 MLPs' build qsa-train -o "$dir/t.st"
says 0 'qsa-train: its model' '1 of 1 claims hold' check "$dir/t.st" --problem qsa --set N=8,q=2,d=1 --sampled 100

refuses 2 'product: no decoder' 'a decoder writes tokens' train product --steps 1
refuses 2 'lis: no positions' 'lis is not asked at positions' train lis --view positions --net unit --steps 1
refuses 2 'view: which' '--view columns: must be positions or rows' train match2 --view columns --steps 1
refuses 2 'rows: no unit' 'learns at positions' train lis --net unit --steps 1
refuses 2 'match2: heads' 'no multiple of 3 heads' train match2 --net attention --heads 3 --view positions --steps 1
refuses 2 'qsa: sizes' 'q=4' train qsa --set N=3,q=4 --net unit
finish
