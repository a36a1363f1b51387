# test_influence.sh: `influence`: a bound at a length, beside what is measured; vacuous where scores grow; refusals. Also Hahn's refuters.
. cli/test/lib.sh

# A mean of letters: one of n moves it by exactly 2/(n + 1).
call build majority --set N=64 -o "$dir/m.st"
says 0 'influence: binding' 'binding: of 64 letters one moves the answer by at most 0.03077' influence "$dir/m.st" --length 64
holds 'influence: measured, the same' grep -q '^    64     0.03077       1.969       1.969     0.03077' "$dir/.out"
holds 'influence: falls like 1/n' grep -q 'falls like n^-0.9' "$dir/.out"
says 0 'influence: for machines' '"binding": true' influence "$dir/m.st" --length 8 --json
for key in '"lengths": \[' '"bound": 0.2222' '"exponent": -' '"binds_from": 4' '"letter": ' '"range": ' '"measured": 0.2222'; do
    holds "influence: JSON has $key" grep -q -- "$key" "$dir/.out"
done

# Scores that grow with the length: nothing is said, and nothing is violated.
call build dyck --set N=8,k=2 -o "$dir/d.st"
says 0 'influence: vacuous' 'vacuous: of 8 letters' influence "$dir/d.st" --length 8
says 0 'influence: not binding' '"binding": false' influence "$dir/d.st" --length 8 --json

call build parity-tree --set N=9,H=2,L=2 -o "$dir/nine.st"
refuses 2 'influence: hard attention' 'leftmost-hard attention may follow one letter' influence "$dir/nine.st" --length 9
refuses 2 'influence: another length' '65 letters: the model takes lengths' influence "$dir/m.st" --length 65
refuses 2 'influence: rows there are' "--between '1,0': two different rows of the readout, 0..0" influence "$dir/m.st" --between 1,0
refuses 2 'influence: no such file' 'nothing.st' influence "$dir/nothing.st"
call build qsa-rip --set N=9,q=2 -o "$dir/q.st"
refuses 2 'influence: no words' 'does not read words of letters' influence "$dir/q.st"

# The tree sees nine letters, all of them; of ten not the first.
for by in hahn-pair hahn-restriction; do
    says 3 "$by: nine letters are seen" 'not refuted' refute "$dir/nine.st" --problem parity --set N=9 --by $by --budget 20
done
call build parity-tree --set N=10,H=2,L=2 -o "$dir/ten.st"
says 1 'hahn-pair: the tenth' 'letter 1 is not seen' refute "$dir/ten.st" --problem parity --set N=10 --by hahn-pair
says 1 'hahn-restriction: the tenth' 'with 0 of 10 letters fixed the answer depends on 9' refute "$dir/ten.st" --problem parity --set N=10 --by hahn-restriction
call refute "$dir/ten.st" --problem parity --set N=10 --by hahn-restriction
wrong=$(sed -n 's/^  WRONG on *//p' "$dir/.out" | head -1)
right=$(sed -n '/WRONG on/,$s/^    right *//p' "$dir/.out" | head -1)
said=$("$attest" run "$dir/ten.st" "$wrong")
holds 'hahn-restriction: what is printed is wrong' test "$said" != "$right"

# Brackets: balanced to depth 1 is not balanced.
call build dyck --set N=12,k=1,form=depth,D=1 -o "$dir/one.st"
for by in hahn-pair hahn-restriction; do
    says 1 "$by: brackets" "refuted by $by" refute "$dir/one.st" --problem dyck --set N=12,k=1,D=0 --by $by
done

# Models outside the class are told what works.
says 3 'hahn-pair: softmax' 'influence' refute "$dir/m.st" --problem parity --set N=8 --by hahn-pair --budget 1
says 3 'hahn-restriction: other arithmetic' 'speaks of f64 and of the reals' refute "$dir/nine.st" --problem parity --set N=9 --by hahn-restriction --precision f32 --budget 1
finish
