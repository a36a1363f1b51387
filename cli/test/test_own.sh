#!/usr/bin/env bash
# test_own.sh: data of one's own: words by name, a test file, prompts with several answers, rows that do not fit.
. cli/test/lib.sh

# The first word of a prompt is its answer. Training: all words of 2 to 4 letters but those that begin with c b.
for a in a b c; do
    for b in a b c; do
        [ $a$b = cb ] || echo "$a $b <sep> <sep> $a"
        for c in a b c; do
            [ $a$b = cb ] || echo "$a $b $c <sep> <sep> $a"
        done
    done
done >"$dir/mine.txt"
# Other words first, longer prompts, one that is trained on, one too long.
printf 'c b <sep> <sep> c\n\nc b a <sep> <sep> c\nb a <sep> <sep> b\na b a b <sep> <sep> a\n' >"$dir/test.txt"
printf 'c a b a b a b a b <sep> <sep> c\n' >>"$dir/test.txt"
net='--width 16 --layers 1 --heads 2 --rate 0.02 --dropout 0 --batch 16 --steps 120 --exams 60 --threads 1'
m=$dir/m.st
# shellcheck disable=SC2086
says 0 'a test file of its own' 'answers right  3 of 3 (100.00%)' train "$dir/mine.txt" --test "$dir/test.txt" $net --length 9 -o "$m" --state "$dir/s"
holds 'what is trained on is not asked' grep -q 'not asked      1 prompts that are trained on' "$dir/.out"
holds 'nor what does not fit' grep -q 'not asked      1 prompts whose rows do not fit' "$dir/.out"
says 0 'eval: all of the file, by the words of the model' 'answers right  4 of 4 (100.00%)' eval "$m" --test "$dir/test.txt" --plot "$dir/l.svg"
holds 'eval: what is trained on is said' grep -q 'trained on     1 of them' "$dir/.out"
holds 'eval: a line a length' grep -q '^ *2 *2 *100.0% *100.0%$' "$dir/.out"
holds 'eval: what does not fit is said, not wrong' grep -q '^ *9 not asked: 1$' "$dir/.out"
holds 'eval: the curve' grep -q 'words of the prompt' "$dir/l.svg"
says 0 'eval: for machines' '"unfit": 1, "seen": 1, "several_answers": 0, "distinct": 4, "whole": true' eval "$m" --test "$dir/test.txt" --json
# Control: the right words, wrong answers.
sed 's/<sep> <sep> .*/<sep> <sep> b/' "$dir/test.txt" >"$dir/wrong.txt"
says 1 'eval: wrong answers are wrong' 'answers right  1 of 4' eval "$m" --test "$dir/wrong.txt" --enough 0.9
# Another file by its words, not by their order; as the problem, too.
printf 'b c <sep> <sep> b\n' >"$dir/order.txt"
says 0 'eval: another order' 'answers right  1 of 1' eval "$m" "$dir/order.txt" --split all
tac "$dir/mine.txt" >"$dir/tac.txt"
says 0 'look: another order' 'all 3 rows are right' look "$m" b c '<sep>' --problem "$dir/tac.txt"
printf 'a b <sep> <sep> a\n\nb x <sep> <sep> b\n' >"$dir/bad.txt"
refuses 2 'eval: a word that the model has not' "bad.txt:3: 'x' is no word of $m" eval "$m" --test "$dir/bad.txt"
refuses 2 'train: a word that the training file has not' "bad.txt:3: 'x' is no word of $dir/mine.txt" train "$dir/mine.txt" --test "$dir/bad.txt" --steps 2
refuses 2 'train: nor the model that it begins with' "bad.txt:3: 'x' is no word of $m" train "$dir/bad.txt" --from "$m" --steps 2
printf 'b\tb\n\nx\tx\n' >"$dir/bad.tsv"
refuses 2 'cases have the lines of their file' "bad.tsv:3: 'x' is no word of $m" eval "$m" --test "$dir/bad.tsv"
refuses 2 'train: nothing left to ask' 'no prompt of the test file can be asked: 32 are trained on' train "$dir/mine.txt" --test "$dir/mine.txt" --steps 2
refuses 2 'eval: nothing of the training file is held back' 'whole=1: all lines' eval "$m"
says 0 'eval: what it was trained on' 'answers right  32 of 32' eval "$m" --split train
# shellcheck disable=SC2086
refuses 2 'train: a state with another test file' 'of another stream or test file' train "$dir/mine.txt" $net --length 9 --state "$dir/s"
refuses 2 'eval: two problems' '--test is the problem' eval "$m" parity --test "$dir/test.txt"
refuses 2 'eval: no file of rows' 'must be a file of lines' eval "$m" --test lis
refuses 2 'train: words of a stream' "is no word of lis" train lis --test "$dir/test.txt" --steps 2
refuses 2 'train: a stream of labels' 'lines cannot say its rows' train max --test "$dir/test.txt" --steps 2

# Several answers: any is right.
printf 'c b <sep> <sep> a\nc b <sep> <sep> c\nc b a <sep> <sep> b\nc b a <sep> <sep> a\n' >"$dir/several.txt"
says 0 'eval: any of several answers' 'answers right  1 of 2 (50.00%)' eval "$m" --test "$dir/several.txt"
holds 'eval: which is said' grep -q 'several right  2 have more than one' "$dir/.out"
{ cat "$dir/tac.txt" && sed 's/<sep> <sep> .*/<sep> <sep> b/' "$dir/tac.txt"; } >"$dir/both.txt"
refuses 2 'check: which of them?' 'several right completions' check "$m" --problem "$dir/both.txt" --sampled 40
finish
