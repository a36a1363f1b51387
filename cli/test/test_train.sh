# test_train.sh: `train`, `eval`, `sweep`: a small training from beginning to end, its model in other commands, the same
# after interruption, a small sweep served again from its ledger, refusals.
. cli/test/lib.sh

recipe='--width 16 --layers 2 --batch 16 --rate 0.01 --dropout 0 --exams 100 --prompts 30'
# shellcheck disable=SC2086
says 0 'train: a summary' 'chains right' train parity --set n=6 $recipe --steps 300 --count 100 -o "$dir/m.st" --plot "$dir/curve.svg"
says 0 'train: exams on the way' 'answers' train parity --set n=6 $recipe --steps 100 --count 10
holds 'train: the model is there' test -s "$dir/m.st"
holds 'train: the curves are there' grep -q '<svg' "$dir/curve.svg"
says 0 'eval: answers and chains' 'answers right' eval "$dir/m.st" parity --set n=6 --count 50
says 0 'eval: JSON' '"answer_accuracy":' eval "$dir/m.st" parity --set n=6 --count 50 --json
says 0 'eval: at 12 bits' 'chains right' eval "$dir/m.st" parity --set n=6 --count 20 --precision p12
says 0 'generate: a trained model' '<eos>' generate "$dir/m.st" '1 0 1 1 0 0 <sep>'
says 0 'look: a trained model' 'layer' look "$dir/m.st" '1 0 1 <sep>'
says 0 'train: JSON' '"exams": [[100,' train parity --set n=6 $recipe --steps 100 --count 10 --json
finish
