#!/bin/sh
# Adding a claim, task, stream, bound, refuter or front end touches two files: the new one, and its row in a table. In a copy of the tree
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
sed -i 's/^    ROW(match2) /    ROW(toy) ROW(match2) /' "$src/problem/tasks.c"
touched task

sed 's/at_stream_lis/at_stream_toy/; s/\.id = "lis"/.id = "toy-stream"/' "$src/problem/streams/stream_lis.c" >"$src/problem/streams/stream_toy.c"
sed -i 's/^    ROW(lis) /    ROW(toy) ROW(lis) /' "$src/problem/stream.c"
touched stream

sed 's/\(bound\|limit\)_qsa_rnn_hard/\1_toy/; s/\.id = "qsa-rnn-hard"/.id = "toy-bound"/' "$src/bound/bound_qsa_rnn_hard.c" >"$src/bound/bound_toy.c"
sed -i 's/^    ROW(triangle) /    ROW(toy) ROW(triangle) /' "$src/bound/bounds.c"
touched bound

sed 's/refuter_search/refuter_toy/; s/\.id = "search"/.id = "toy-refuter"/' "$src/refute/refute_search.c" >"$src/refute/refute_toy.c"
sed -i 's/^    ROW(sparse) /    ROW(toy) ROW(sparse) /' "$src/refute/refuters.c"
touched refuter

# A language of one number: "mod 3" is the recurrence of sums modulo 3.
cat >"$src/front/front_toy.c" <<'C'
#include "front_internal.h"

static at_status toy_open(at_problem *p, at_err *err)
{
    char *text;
    size_t n;
    at_dp *d;
    int64_t q;
    at_status s = at_file_read(p->path, 64, &text, &n, err);
    if (s)
        return s;
    bool good = n > 5 && !memcmp(text, "mod ", 4) && at_parse_i64(text + 4, n - 5, &q) && q > 1 && q < 9;
    at_free(text);
    if (!good)
        return at_fail(err, AT_EINPUT, "%.200s:1:5: expected mod 2 .. mod 8", p->path);
    char *dp = at_arena_printf(&p->arena,
                               "problem \"toy\"\nsize n in 1..9\ninput a[n] in 0..%d\nstate i in 1..n\nvalue v in 0..%d\n"
                               "take x = a[i]\nneed u = (i - 1) when i > 1\nlet t = x + if i > 1 then u.v else 0\n"
                               "v = max(0, min(%d, if t >= %d then t - %d else t))\nanswer v\n",
                               (int)q - 1, (int)q - 1, (int)q - 1, (int)q, (int)q);
    s = dp ? at_dp_parse(dp, strlen(dp), p->path, &d, err) : at_oom(err);
    if (!s)
        s = at_dp_problem(d, p, err);
    p->lang = "toy";
    return s;
}

static at_status toy_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    void *chain;
    at_status s = ((const at_problem *)p->of)->chain->open(p, &chain, err);
    if (s)
        return s;
    s = at_dp_model(at_dp_chain_instance(chain), &(at_dp_options){.attention = o->attention}, m, err);
    at_dp_chain_close(chain);
    return s;
}

static const at_lang lang = {.id = "toy", .suffix = ".toy", .about = "sums modulo a number", .open = toy_open};
const at_front at_front_toy = {.lang = &lang, .about = "compiled as its recurrence is", .model = toy_model};
C
sed -i 's/^#include "front_internal.h"/#include <string.h>\n&/' "$src/front/front_toy.c"
sed -i 's/^const at_front \*const at_fronts\[\] = {/extern const at_front at_front_toy;\n&/; s/^    &front_lines, /    \&at_front_toy, &/' "$src/front/fronts.c"
touched 'front end'
# And one whose models answer at positions: an empty file, the program of the examples.
cat >"$src/front/front_pairs.c" <<'C'
#include <stdio.h>

#include "front_internal.h"

static at_status pairs_open(at_problem *p, at_err *err)
{
    (void)err;
    p->task = at_task_find("match2");
    p->title = p->task->title;
    p->definition = p->task->definition;
    return AT_OK;
}

static at_status pairs_model(const at_params *p, const at_front_options *o, at_model *m, at_err *err)
{
    char set[64];
    at_program *P;
    if (o->attention > 0)
        return at_fail(err, AT_EREFUSED, "pairs have standard attention only");
    snprintf(set, sizeof set, "N=%d M=%d", at_params_int(p, "N"), at_params_int(p, "M"));
    at_status s = at_program_load("examples/pairs.program", set, &P, err);
    if (s)
        return s;
    s = at_assemble(P, m, NULL, err);
    at_program_free(P);
    return s;
}

static const at_lang lang = {.id = "pairs", .suffix = ".pairs", .about = "pairs", .open = pairs_open};
const at_front at_front_pairs = {.lang = &lang, .about = "compiled", .model = pairs_model};
C
sed -i 's/^const at_front \*const at_fronts\[\] = {/extern const at_front at_front_pairs;\n&/; s/^    &at_front_toy, /&\&at_front_pairs, /' "$src/front/fronts.c"
touched 'front end of positions'

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
printf 'mod 3\n' >"$tree/x.toy"
printf 'mod x\n' >"$tree/bad.toy"
knows 'the language is listed' FILE.toy list languages
knows 'help has it' 'FILE.toy' compile --help
knows 'it is compiled' 'toy: n=3 letters=0, L = 8' compile "$tree/x.toy" --set n=3 -o "$tree/toy.st"
knows 'as JSON' '"length": 8' compile "$tree/x.toy" --set n=3 -o "$tree/toy.st" --json
knows 'what it compiles to runs beside the reference' "every row is the interpreter's" \
    generate "$tree/toy.st" '1 2 2 |' --beside "$tree/x.toy" --set n=3
knows 'it is checked' '1 of 1 claims hold' check "$tree/x.toy" --set n=1..3 --db "$tree/lang.db"
knows 'it is shown' 'asked by its chain: n=' show "$tree/x.toy"
knows 'it is learnt from' '<sep>' data "$tree/x.toy" --set n=3 --count 1
knows 'it is compared' 'equal: exact, 27 prompts' equal "$tree/toy.st" "$tree/x.toy" --set n=3
touch "$tree/x.pairs"
knows 'one of positions is compiled' 'input: ' compile "$tree/x.pairs" --set N=3,M=5 -o "$tree/pairs.st"
knows 'and checked, on every input' '125 inputs' check "$tree/x.pairs" --set N=3,M=5 --db "$tree/lang.db" -v
knows 'at lengths' '1 of 1 claims hold' check "$tree/x.pairs" --set M=5 --lengths 1..3 --db "$tree/lang.db"
fails 'lengths are said once' 'given twice' "$attest" check "$tree/x.pairs" --set N=2,M=5 --lengths 1..3
fails 'its faults have their place' 'bad.toy:1:5: expected mod' "$attest" compile "$tree/bad.toy" -o "$tree/none.st"
fails 'a claim without evidence is reported' 'claim toy-claim has no EVIDENCE' sh tools/check_evidence.sh "$tree"
languages() # $1 directory: what knows a language by its name, or calls its reader (claims print their programs)
{
    ! grep -HnE 'at_(dp|expr|lang|program)_[a-z_]*\(|AT_(DP|EXPR)_|"(\.?dp|\.program)"|str[a-z]*cmp\(.*"arithmetic' "$1"/*.c |
        grep -vE 'at_program_(print|free|vars)'
}
holds 'the command knows no language by its name' languages cli
echo 'int f(const char *s) { return !strcmp(s, "arithmetic"); }' | put knows/one.c
fails 'one that does is found' knows/one.c languages "$tree/knows"
holds 'no module uses more than before' sh tools/check_layers.sh "$tree"
finish
