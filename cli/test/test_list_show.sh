# test_list_show.sh: `list` and `show`.
. cli/test/lib.sh

says 0 'list: claims' 'One softmax head of width 3 finds pairs' list
says 0 'list: tasks' 'y_i = 1 iff there is j with x_i + x_j = 0 mod M' list
for kind in claims tasks programs weightings masks positions activations traits readouts arithmetics; do
    says 0 "list $kind --json is an array" '[{"id": ' list "$kind" --json
    fits "list $kind fits 80 columns" list "$kind"
done
says 0 'list weightings knows sparsemax' 'sparsemax' list weightings
says 0 'list --json has all kinds' '"masks": [' list --json
refuses 2 'list: unknown kind, the nearest' "did you mean 'claims'?" list claim
refuses 2 'list: unknown kind' 'see `attest list --help`' list zebras

says 0 'show: statement' 'one softmax head of width 3 with a blank token' show match2
for word in source proof 'N = 6         length (integer) in 1..4096, default 6' 'task match2' 'an input' \
    'paired = attend softmax' '1 attention layer, 1 head' 'exact, all sequences' 'control: with'; do
    holds "show match2 says: $word" grep -qF -- "$word" "$dir/.out"
done
says 0 'show: at other parameters' 'M = 1024' show match2 --set N=64,M=1024
says 0 'show: a task' 'Sparse averaging' show qsa
says 0 'show --json: cells' '"evidence": "certified"' show match2 --json
says 0 'show --json: size' '"parameters": 80' show match2 --json
says 0 'show TASK --json' '"symmetric": ' show qsa --json
says 0 'show: a certificate over reals' 'all inputs, by boxes of reals' show lemma-a5
says 0 'show: GeLU units' 'GeLU lambda 128' show lemma-a4
for id in $("$attest" list claims --json | grep -o '"id": "[^"]*"' | cut -d'"' -f4); do
    says 0 "show $id" "claim $id" show "$id"
done

refuses 2 'show: unknown id, the nearest' "did you mean 'match2'?" show matsch2
refuses 2 'show: unknown id' 'see `attest list`' show zebra
refuses 2 'show: a stream is near, too' "unknown claim, task or stream 'parrity'; did you mean 'parity'? (attest list)" show parrity
refuses 2 'show: nor does case matter' "did you mean 'match2'?" show Match2
refuses 2 'show: M=0 names the range' 'M=0: must be an integer in 2..65536' show match2 --set M=0
refuses 2 'show: a fraction' 'N=2.5: must be an integer in 1..4096' show match2 --set N=2.5
refuses 2 'show: nan' 'M=nan: must be' show match2 --set M=nan
refuses 2 'show: p=1 names the range' 'p=1: must be' show qsa-rip --set p=1
refuses 2 'show: q > N' 'q' show qsa-rip --set N=3,q=5
refuses 2 'show: unknown parameter, the nearest' "did you mean 'M'?" show match2 --set m=3
refuses 2 'show: a task checks too' 'N=0: must be' show qsa --set N=0
finish
