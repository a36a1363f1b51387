#!/bin/sh
# check_layers.sh: who uses whom.
#
#     tools/check_layers.sh [ROOT]       prints FILE:LINE of every violation; exit 1 when there is one
#
# The law is the block "layers" of docs/house.md, a row a module, in order: "num: core" says that num uses core. A module
# uses another when it includes one of its headers or names something that they declare (at_..., AT_...). A use that is
# not in the row is a violation, and so is an entry of a row that nothing uses: the rows say what is, not what may
# be. A name belongs to the first row whose headers have it.
#
# include/attest/M.h belongs to module M and obeys its row; include/attest.h, the promised calls, to api. Tests of a module also may use what is private to modules
# in its row, cmocka, and the modules behind a bar. M_internal.h is private to src/M. The command and the
# examples use the public headers alone. Some libraries have one home, so that the rest builds
# without them, and FLINT is reached through src/num/flint_compat.h alone.
set -u
cd "${1:-.}" || exit 2

law=docs/house.md
files=$(find include src cli examples -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.def' \) 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo 'check_layers: no sources here' >&2; exit 2; }
[ -f $law ] || { echo "check_layers: no $law here" >&2; exit 2; }
headers=$(printf '%s\n' "$files" | grep -e '^include/' -e '^src/[^/]*/[^/]*\.h$')

# The names hold no spaces (they are ours), and every awk must see all of them at once: the law, the headers for
# the names that they declare, then all files.
# shellcheck disable=SC2086
awk -v n_files="$(printf '%s\n' "$files" | wc -l)" '
# "num: core | model" -> may[num, core], tests[num, model], each with the line it stands in
function row(line,    i, n, part, bar)
{
    n = split(line, part, /[: \t]+/)
    from = part[1]
    if (line !~ /^[a-z]+:/)
        bad("a row is \"module: modules it uses | modules that only its tests use\"")
    else if (from in rank)
        bad(from " has a row already")
    else {
        rank[from] = ++rows
        row_of[rows] = from
        row_line[rows] = FNR
    }
    for (i = 2; i <= n; i++)
        if (part[i] == "|")
            bar = 1
        else if (part[i] == "")
            continue
        else if (!(part[i] in rank) || part[i] == from)
            bad("the row of " from " names " part[i] ", which has no row above it")
        else if ((from, part[i]) in may)
            bad("the row of " from " names " part[i] " twice")
        else {
            may[from, part[i]] = bar ? "test" : "source"
            entries++
            entry_from[entries] = from
            entry_to[entries] = part[i]
            entry_line[entries] = FNR
        }
}

function module_of(path,    part)
{
    split(path, part, "/")
    if (part[1] == "src")
        return part[2]
    if (path == "include/attest.h") # the promised calls
        return "api"
    if (part[1] == "include") {
        sub(/\.h$/, "", part[3])
        sub(/^parts\.def$/, "model", part[3]) # the table of model.h
        sub(/^status$/, "core", part[3])      # what core.h and attest.h share
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

# May from use to, here? What was used is remembered: an entry for sources by a source.
function use(to, what)
{
    if (to == from)
        return 1
    if (!((from, to) in may) || (!test && may[from, to] == "test")) {
        bad(from " may not use " to " (" what "): it is not in its row")
        return 0
    }
    if (!test || may[from, to] == "test")
        used[from, to] = 1
    return 1
}

# The line without comments, strings and characters. comment: we are inside of one.
function code_of(line,    code, c)
{
    code = ""
    while (line != "") {
        if (comment) {
            if (!(c = index(line, "*/")))
                return code
            line = substr(line, c + 2)
            comment = 0
        } else if (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*|\/\//)) {
            code = code substr(line, 1, RSTART - 1) " "
            c = substr(line, RSTART, 2)
            if (c == "//")
                return code
            comment = c == "/*"
            line = substr(line, RSTART + RLENGTH)
        } else
            return code line
    }
    return code
}

# Splits code into words[1..n], those that may be declared by some header.
function names_of(code,    n, i, k, part)
{
    n = split(code, part, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++)
        if (part[i] ~ /^(at|AT)_/)
            words[++k] = part[i]
    return k + 0
}

BEGIN {
    for (i = 1; i < ARGC; i++)
        exists[ARGV[i]] = 1
}

FNR == 1 { comment = 0 }

# ---- the law ------------------------------------------------------------------------------------------------------------

phase == "law" {
    if (/^```/)
        inside = /^```layers$/
    else if (inside)
        row($0)
    next
}

# ---- who declares what --------------------------------------------------------------------------------------------------

phase == "headers" {
    if (!/at_|AT_/ && !comment && !/\/\*/)
        next
    from = module_of(FILENAME)
    if (!(from in rank))
        next
    n = names_of(code_of($0))
    for (i = 1; i <= n; i++)
        if (!(words[i] in owner) || rank[from] < rank[owner[words[i]]])
            owner[words[i]] = from
    next
}

# ---- who uses whom ------------------------------------------------------------------------------------------------------

FNR == 1 {
    from = module_of(FILENAME)
    user = FILENAME ~ /^(cli|examples)\//
    test = FILENAME ~ /\/test\//
    dir = FILENAME
    sub(/[^\/]*$/, "", dir)
    if (!user && !(from in rank))
        bad("module " from " has no row in docs/house.md")
    has_files[from] = 1
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
        } else if (!use(to, name))
            ;
        else if (path ~ /_internal\.h$/ && from != to && !test)
            bad(path " is private to " to)
        else if (path ~ /^src\// && FILENAME ~ /^include\//)
            bad("a public header may not include " path)
    } else if (name == "build_id.h") {
        if (from != "job")
            bad("build_id.h is for job only")
    } else if (name == "examples.inc" || name == "machines.inc") { # made by tools/embed.sh, like build_id.h in the build directory
        if (from != "lang")
            bad(name " is for lang only")
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
    else if (name == "z3.h")
        home(name, "prove")
    else if (name == "microhttpd.h")
        home(name, "report")
    else if (name ~ /^(flint\/|arb|acb|arf|mag\.h|fmp[zq])/ && FILENAME != "src/num/flint_compat.h")
        bad("<" name ">: include src/num/flint_compat.h instead")
}

# Users may name what the public headers declare: all of it.
!user && (comment || /at_|AT_|\/\*/) {
    n = names_of(code_of($0))
    for (i = 1; i <= n; i++)
        if (words[i] in owner)
            use(owner[words[i]], words[i])
}

END {
    FILENAME = "docs/house.md"
    for (i = 1; i <= entries; i++) {
        from = entry_from[i]
        to = entry_to[i]
        FNR = entry_line[i]
        if (!((from, to) in used))
            bad(may[from, to] == "test" ? "no test of " from " uses " to : from " does not use " to)
    }
    for (i = 1; i <= rows; i++) {
        FNR = row_line[i]
        if (!(row_of[i] in has_files))
            bad("there is no module " row_of[i])
    }
    if (!failures)
        printf "%d files obey the module order\n", n_files
    exit failures > 0
}' phase=law $law phase=headers $headers phase=files $files
