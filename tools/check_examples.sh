#!/bin/sh
# check_examples.sh: the examples of headers and pages compile.
#
#     tools/check_examples.sh [ROOT]       prints what the compiler says, with file and line; exit 1 when anything is wrong
#
# An example of include/attest.h and include/attest/*.h is a run of comment lines indented by five blanks, of which one calls a function of ours
# (drawings do not); one of docs/*.md and README.md is a block that begins with ```c. Each becomes the body of a function
# that returns at_status, with all headers included. Names that it uses and does not declare stand in
# tools/examples.txt, a line a file, after those that all examples may use. Three dots and what follows them in the line
# are left out; for (...) loops.
set -u
cd "${1:-.}" || exit 2
[ -f tools/examples.txt ] || { echo 'check_examples: no tools/examples.txt here' >&2; exit 2; }
headers=$(find include -name '*.h' 2>/dev/null | LC_ALL=C sort)
pages=$(find docs README.md -name '*.md' 2>/dev/null | LC_ALL=C sort)
[ -n "$headers" ] || { echo 'check_examples: no headers here' >&2; exit 2; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

{
    printf '#include <%s.h>\n' inttypes math stdbool stdio stdlib string unistd
    printf '%s\n' "$headers" | sed 's|^include/\(.*\)|#include <\1>|'
    # Our file names hold no blanks.
    # shellcheck disable=SC2086
    awk '
    function code_of(line)
    {
        gsub(/\/\*.*\*\//, "", line)
        sub(/\/\/.*$/, "", line)
        sub(/\*\/[ \t]*$/, "", line)
        gsub(/\(\.\.\.\)/, "(;;)", line)
        sub(/\.\.\..*$/, ";", line)
        return line
    }

    function flush_example(    name)
    {
        if (lines && (page || calls)) {
            name = file
            sub(/^.*\//, "", name)
            printf "#line 1 \"tools/examples.txt (for %s)\"\n", name
            printf "at_status example_%d(void);\nat_status example_%d(void)\n{\n%s\n{\n%s\n{\n", ++count, count, given["*"], given[name]
            used[name] = 1
            printf "#line %d \"%s\"\n%s", first, file, body
            printf "}\n}\nreturn AT_OK;\n}\n"
        }
        lines = calls = 0
        body = ""
    }

    function add(line)
    {
        if (!lines++)
            first = FNR
        line = code_of(line)
        calls += line ~ /at_[a-z0-9_]+\(/
        body = body line "\n"
    }

    FNR == 1 && file != "" { flush_example(); inside = 0 }

    FILENAME == "tools/examples.txt" {
        if (/^[A-Za-z*]/) {
            name = $0
            sub(/:.*$/, "", name)
            sub(/^[^:]*:/, "")
            given[name] = given[name] $0 "\n"
        }
        next
    }

    { file = FILENAME; page = file ~ /\.md$/ }

    page && /^[ \t]*```/ {
        if (inside)
            flush_example()
        inside = !inside && /^[ \t]*```c$/
        next
    }
    page {
        if (inside)
            add($0)
        next
    }
    /^(\/\*| \*)     [^ ]/ || (lines && /^ \*      /) {
        sub(/^(\/\*| \*)/, "")
        add($0)
        next
    }
    { flush_example() }

    END {
        flush_example()
        for (name in given)
            if (name != "*" && !(name in used))
                print "#error tools/examples.txt: " name " has no example"
        print "int examples_counted = " count + 0 ";"
    }' tools/examples.txt $headers $pages
} >"$dir/examples.c"

if ! ${CC:-gcc} -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter -Wno-missing-field-initializers \
    -Wno-uninitialized -Wno-empty-body -Iinclude "$dir/examples.c" 2>"$dir/said"; then
    grep -E ':[0-9]+(:[0-9]+)?: (fatal )?error:' "$dir/said" | sed "s|$dir/||" | sed 's/: error:/:/'
    exit 1
fi
count=$(sed -n 's/^int examples_counted = \([0-9]*\);$/\1/p' "$dir/examples.c")
[ "$count" -gt 0 ] || { echo 'check_examples: no examples found' >&2; exit 2; }
echo "$count examples compile"
