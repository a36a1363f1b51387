#!/bin/sh
# Adding a command with options of its own touches two files: cli/cmd_toy.c and its row in main.c. In a copy of the tree
# it builds, its help lists what its table has, and its values are read as their types say. The objects come along, so that
# only what changed is compiled.
. tools/test/lib.sh
cp -a Makefile tools include src cli examples "$tree"
mkdir "$tree/build"
cp -a "${BUILD:-build}/obj" "${BUILD:-build}/config.mk" "${BUILD:-build}/flags" "$tree/build"
build() { make --no-print-directory -j1 -C "$tree" all BUILD=build CC="${CC:-gcc}"; }
attest=$tree/build/attest
prints() # $1 what, $2 all of the output, the rest: arguments
{
    what=$1 text=$2
    shift 2
    holds "$what" test "$("$attest" toy "$@" 2>&1)" = "$text"
}

cat >"$tree/cli/cmd_toy.c" <<'C'
#include "cli.h"

typedef struct {
    int legs;
    uint64_t hairs;
    double weight;
    bool tame;
    at_part part;
    const char *name;
} own;
static const own usual = {.legs = 4, .weight = 0.5, .name = "none"};

static int run(const cli_args *a)
{
    const own *given = a->own;
    at_text t;
    at_text_init(&t);
    at_text_addf(&t, "%d %d %g %d %s %s %s\n", given->legs, (int)given->hairs, given->weight, given->tame,
                 at_part_names[given->part], given->name, a->set ? a->set : "-");
    return cli_put_text(a, &t, CLI_HOLDS);
}

static const cli_option options[] = {
    {CLI_SET},
    {"--legs", "N", "how many", .alias = "--feet", CLI_WHOLE(own, legs, 0, 8)},
    {"--hairs", "N", "very many", CLI_WHOLE(own, hairs, 1, 1000)},
    {"--weight", "W", "in tons", CLI_NUMBER(own, weight, 0, 10)},
    {"--tame", NULL, "it is", CLI_FLAG(own, tame)},
    {"--part", "PART", "train or test", CLI_CHOICE(own, part, at_part_names, AT_PARTS)},
    {"--name", "NAME", "of the animal", CLI_TEXT(own, name)},
    {0},
};

const cli_command cmd_toy = {.name = "toy",
                             .summary = "an animal",
                             .usage = "[--legs N]",
                             .about = "Prints an animal.",
                             .examples = "attest toy --legs 6\n",
                             .options = options,
                             CLI_OWN(usual),
                             .run = run};
C
sed -i 's/^    C(list) /    C(toy) C(list) /' "$tree/cli/main.c"
holds 'it builds' build
prints 'what is usual' '4 0 0.5 0 train none -'
prints 'every type' '6 9 0.25 1 test tiger a=1 b=2' --legs 6 --hairs=9 --weight 0.25 --tame --part test --name tiger --set a=1 --set b=2
prints 'another word for it' '6 0 0.5 0 train none -' --feet 6
prints 'its range' "attest toy: --legs '9': must be an integer in 0..8" --legs 9
prints 'its choices' "attest toy: --part 'exam': must be train, test or all" --part exam
prints 'twice, by both words' 'attest toy: --legs is given twice' --legs 6 --feet 6
prints 'the nearest' "attest toy: unknown option '--feat'; did you mean '--feet'? (attest toy --help)" --feat 6
holds 'help has the row and its other word' sh -c "'$attest' toy --help | grep -q '^  --legs, --feet N  how many'"
fails 'other commands know whose it is' 'does not apply here' "$attest" list --hairs 3
sed -i 's/^    int legs;/    double legs;/' "$tree/cli/cmd_toy.c"
fails 'a field of another type does not compile' '_Generic' build
finish
