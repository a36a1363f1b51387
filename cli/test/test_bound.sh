# test_bound.sh: `bound`.
. cli/test/lib.sh

says 0 'bound: the list' 'compose-bound       One layer does not compose functions' bound
fits 'bound: the list fits 80 columns' bound
says 0 'bound --json: an array' '[{"id": "match3-hard", "text": ' bound --json
for id in $("$attest" bound --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4); do
    says 0 "bound $id" 'binds, the other parameters as they are' bound "$id"
    holds "bound $id names its verdict" grep -qxE 'binding|vacuous|up to a constant' "$dir/.out"
    holds "bound $id prints its inequality" grep -qE '^  inequality .*[<>]' "$dir/.out"
    fits "bound $id fits 80 columns" bound "$id"
    says 0 "bound $id --json" '"starts": [{"param": ' bound "$id" --json
    holds "bound $id --json has the rest" grep -qE '"verdict": "(binding|vacuous|up to a constant)".*"least": ' "$dir/.out"
    call bound "$id" --plot "$dir/$id.svg"
    [ "$code" -eq 0 ] && grep -q 'not ruled out' "$dir/$id.svg"
    verdict $? "bound $id --plot"
done
says 0 'bound: the construction beside it' 'binding' bound compose-bound --set H=1,p=16,n=100 --plot "$dir/p.svg"
holds 'and it is in the plot' grep -q 'construction compose-one: head width' "$dir/p.svg"
says 0 'bound: of another architecture' 'binding' bound match3-hard --plot "$dir/p.svg"
holds 'which the plot says' grep -q 'three-wise attention' "$dir/p.svg"
says 0 'bound: sparse decoders' '(1+(M+1)k)B = 300 tokens' bound dp-hard --set attention=sparse,B=60,n=300 --plot "$dir/p.png"
says 0 'bound: Theorem 1 binds from n = 270' 'from n = 270' bound compose-bound --set H=4,d=16,p=32
says 0 'bound: at 269 it does not' 'vacuous' bound compose-bound --set H=4,d=16,p=32,n=269
says 0 'bound: the error' 'R/(3 n log2 n) = 0.000724' bound compose-bound --set H=4,d=16,p=32,n=270
says 0 'bound: equality is no inequality' 'H(d+1)p = 64 >= n log2 n = 64.000' bound compose-bound --set H=1,d=3,p=16,n=16
says 0 'bound: regular or not, counted' '120 chains of 3125 inputs' bound dp-hard --set problem=lis,n=5,letters=5
says 0 'bound: two printings' 'n >= (Hdp)^256' bound funccomp-params --set L=2,d=1,p=2,n=7,zeros=200
holds 'and its parameters' grep -q '(HdpL)^608' "$dir/.out"
holds 'never said to agree' grep -qx 'up to a constant' "$dir/.out"
says 0 'bound: astronomical' 'digits)' bound funccomp-params --set L=3,H=96,d=128,p=16
says 0 'bound --json: a start' '{"param": "n", "text": "from n = 270", "at": 270}' bound compose-bound --json

refuses 2 'bound: unknown, the nearest' "did you mean 'compose-bound'?" bound compose-bund
refuses 2 'bound: unknown' 'see `attest bound`' bound zebra
refuses 2 'bound: n < 2' 'n=1: must be an integer in 2..' bound compose-bound --set n=1
refuses 2 'bound: p = 0' 'p=0: must be an integer in 1..' bound compose-bound --set p=0
refuses 2 'bound: L larger than its range' 'the theorem wants L <= O(log log n)' bound funccomp-params --set L=9,zeros=5
refuses 2 'bound: N < 2q+1' 'the theorem wants N >= 2q+1' bound qsa-attention-hard --set q=9,N=18
refuses 2 'bound: no prime' 'modulo a prime' bound arith-hard --set prime=15
refuses 2 'bound: a picture of what kind?' '.png' bound compose-bound --plot "$dir/x.txt"
refuses 2 'bound: --set without ID' '--set is for one bound' bound --set n=3
says 3 'a claim whose bound says nothing at these sizes is undecided, not false' 'triangle: unknown' check triangle --set k=3
says 0 'a cell that asks no models asks one of another part' ' 1 model, 16 runs' check triangle-row --set part=protocol,N=4 --precision p8e5 -v
says 1 'nor is it right of none' 'H(d+1)p=4: 1 of 1 was refuted' check triangle-row --set part=refute,N=13,m=1 --precision p2e3 -v
finish
