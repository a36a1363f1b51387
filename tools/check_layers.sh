#!/bin/sh
# check_layers.sh: who may include whom.
#
#     tools/check_layers.sh [ROOT]       prints FILE:LINE of every violation; exit 1 when there is one
#
# The law, row by row below: a module uses its own files and those of the modules in its row.
# include/attest/M.h belongs to module M and obeys its row. Tests of a module also may use what is private
# to modules in its row, and cmocka. M_internal.h is private to src/M. The command and the
# examples use the public headers alone. Some libraries have one home, so that the rest builds
# without them, and FLINT is reached through src/num/flint_compat.h alone.
set -u
cd "${1:-.}" || exit 2

files=$(find include src cli examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.def' \) 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo 'check_layers: no sources here' >&2; exit 2; }

# The names hold no spaces (they are ours), and every awk must see all of them at once.
# shellcheck disable=SC2086
awk '
function row(module, list,    i, n, part)
{
    known[module] = 1
    may[module, module] = 1
    n = split(list, part, " ")
    for (i = 1; i <= n; i++)
        may[module, part[i]] = 1
}

function module_of(path,    part)
{
    split(path, part, "/")
    if (part[1] == "src")
        return part[2]
    if (part[1] == "include") {
        sub(/\.h$/, "", part[3])
        sub(/^parts\.def$/, "model", part[3]) # the table of model.h
        return part[3]
    }
    return part[1]
}

# a/b/../c -> a/c
function tidy(path)
{
    while (sub(/[^\/]+\/\.\.\//, "", path))
        ;
    gsub(/\.\//, "", path)
    return path
}

function bad(why)
{
    printf "%s:%d: %s\n", FILENAME, FNR, why
    failures++
}

function home(library, where)
{
    if (!test && !(index(" " where " ", " " from " ")))
        bad("<" name "> is for " where " only")
}

BEGIN {
    row("core", "")
    row("num", "core")
    row("model", "core num")
    row("exec", "core num model")
    row("problem", "core num model exec")
    row("lang", "core num model exec problem")
    row("program", "core num model exec problem lang")
    row("front", "core num model exec problem lang program")
    row("train", "core num model exec")
    row("logic", "core num model exec")
    row("learn", "core num model exec problem lang train")
    row("check", "core num model exec problem lang program front train logic")
    row("bound", "core num model exec problem lang program front train learn logic check")
    row("protocol", "core num model exec problem lang program front train learn logic check bound")
    row("refute", "core num model exec problem lang program front train learn logic check bound protocol")
    row("claim", "core num model exec problem lang program front train learn logic check bound protocol refute")
    row("store", "core")
    row("job", "core num model exec problem lang program front train learn logic check bound protocol refute claim store")
    row("export", "core num model exec problem lang program front train learn logic check bound protocol refute claim store job")
    row("picture", "core num model exec")
    row("report", "core num model exec problem program bound claim store job picture")
    for (i = 1; i < ARGC; i++)
        exists[ARGV[i]] = 1
}

FNR == 1 {
    from = module_of(FILENAME)
    user = FILENAME ~ /^(cli|examples)\//
    test = FILENAME ~ /\/test\//
    dir = FILENAME
    sub(/[^\/]*$/, "", dir)
    if (!user && !(from in known))
        bad("module " from " has no row in tools/check_layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    quoted = /include[ \t]*"/
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*$/, "", name)

    path = tidy(dir name)
    if (!quoted || !(path in exists)) {
        path = "include/" name
        if (quoted && !(path in exists))
            path = "src/" name
    }

    if (path in exists || name ~ /^attest\//) {
        to = module_of(path)
        if (name ~ /^attest\// && !(path in exists))
            bad("<" name "> is not there")
        else if (path ~ /\/test\// && !test)
            bad("\"" name "\" belongs to a test")
        else if (user) {
            if (path !~ /^include\// && path !~ "^" from "/")
                bad(from " uses the public headers only, not " path)
        } else if (!((from, to) in may))
            bad(from " may not use " to " (" name ")")
        else if (path ~ /_internal\.h$/ && from != to && !test)
            bad(path " is private to " to)
        else if (path ~ /^src\// && FILENAME ~ /^include\//)
            bad("a public header may not include " path)
    } else if (name == "build_id.h") {
        if (from != "job")
            bad("build_id.h is for job only")
    } else if (name == "examples.inc") { # made by tools/embed.sh, like build_id.h in the build directory
        if (from != "lang")
            bad("examples.inc is for lang only")
    } else if (quoted && !test)
        bad("\"" name "\" is not there")
    else if (name == "cmocka.h") {
        if (!test)
            bad("<cmocka.h> is for tests only")
    } else if (name == "sqlite3.h")
        home(name, "store")
    else if (name ~ /^cairo/)
        home(name, "picture")
    else if (name == "mpi.h")
        home(name, "job")
    else if (name == "microhttpd.h")
        home(name, "report")
    else if (name ~ /^(flint\/|arb|acb|arf|mag\.h|fmp[zq])/ && FILENAME != "src/num/flint_compat.h")
        bad("<" name ">: include src/num/flint_compat.h instead")
}

END {
    if (!failures)
        printf "%d files obey the module order\n", ARGC - 1
    exit failures > 0
}' $files
