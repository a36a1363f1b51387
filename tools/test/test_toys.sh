#!/bin/sh
# Adding a claim, task, stream, bound or refuter touches two files: the new one, and its row in a table. In a copy of the tree
# a toy of each kind is added, a copy of one that is there under another name; then it builds, and the command knows them
# all. (Parts of models, of which the compiler says who must learn them: test_parts.sh. Commands: test_toy_command.sh.) The
# objects come along, so that only what changed is compiled.
. tools/test/lib.sh
cp -a Makefile tools include src cli examples docs "$tree"
mkdir "$tree/build"
cp -a "${BUILD:-build}/obj" "${BUILD:-build}/config.mk" "${BUILD:-build}/flags" "$tree/build"
build() { make --no-print-directory -j1 -C "$tree" all BUILD=build CC="${CC:-gcc}"; }
attest=$tree/build/attest

state() { (cd "$tree" && find include src cli -type f -exec sha256sum {} + | LC_ALL=C sort); }
touched() # $1 kind: what was added since the last call is one new file and one that has changed
{
    state >"$tree/after"
    holds "a toy $1 is one new file and a row" sh -c "
        test \$(LC_ALL=C comm -13 '$tree/before' '$tree/after' | wc -l) -eq 2 &&
        test \$(wc -l <'$tree/after') -eq \$((\$(wc -l <'$tree/before') + 1))"
    mv "$tree/after" "$tree/before"
}
state >"$tree/before"

sh tools/add_claim.sh toy2026 toy-claim "$tree" >/dev/null
touched claim

src=$tree/src
sed 's/at_task_match2/at_task_toy/; s/\.id = "match2"/.id = "toy-task"/' "$src/problem/tasks/match2.c" >"$src/problem/tasks/toy.c"
sed -i 's/^const at_task \*const at_tasks\[\] = {/extern const at_task at_task_toy;\n&\n    \&at_task_toy,/' "$src/problem/tasks.c"
touched task

sed 's/at_stream_lis/at_stream_toy/; s/\.id = "lis"/.id = "toy-stream"/' "$src/problem/streams/stream_lis.c" >"$src/problem/streams/stream_toy.c"
sed -i 's/^const at_stream \*const at_streams\[\] = {/extern const at_stream at_stream_toy;\n&\n    \&at_stream_toy,/' "$src/problem/stream.c"
touched stream

sed 's/\(bound\|limit\)_qsa_rnn_hard/\1_toy/; s/\.id = "qsa-rnn-hard"/.id = "toy-bound"/' "$src/bound/bound_qsa_rnn_hard.c" >"$src/bound/bound_toy.c"
sed -i 's/^    ROW(triangle) /    ROW(toy) ROW(triangle) /' "$src/bound/bounds.c"
touched bound

sed 's/refuter_search/refuter_toy/; s/\.id = "search"/.id = "toy-refuter"/' "$src/refute/refute_search.c" >"$src/refute/refute_toy.c"
sed -i 's/^    ROW(sparse) /    ROW(toy) ROW(sparse) /' "$src/refute/refuters.c"
touched refuter

holds 'they build' build
knows() # $1 what, $2 text that the output must hold, the rest: arguments of the command, which may exit with 0, 1 or 3
{
    what=$1 text=$2
    shift 2
    "$attest" "$@" >"$tree/.out" 2>&1
    case $? in
    0 | 1 | 3) grep -qF -- "$text" "$tree/.out" ;;
    *) false ;;
    esac
    verdict $? "$what"
}
knows 'the claim is listed' toy-claim list claims
knows 'and checked' '1 of 1 claims hold' check toy-claim --db "$tree/toy.db"
knows 'the task is listed' toy-task list tasks
knows 'and shown' 'toy-task' show toy-task
knows 'the stream is listed' toy-stream list streams
knows 'and read' '<' data toy-stream --set n=4 --count 1
knows 'the bound is listed' toy-bound bound
knows 'and computed' 'bits of state' bound toy-bound
"$attest" build match2 --set N=3,M=5,c=0.01 -o "$tree/wrong.safetensors" >/dev/null 2>&1
knows 'the refuter finds a model of the task wrong' 'refuted by toy-refuter' \
    refute "$tree/wrong.safetensors" --task toy-task --set N=3,M=5 --by toy-refuter
fails 'a claim without evidence is reported' 'claim toy-claim has no EVIDENCE' sh tools/check_evidence.sh "$tree"
holds 'no module uses more than before' sh tools/check_layers.sh "$tree"
finish
