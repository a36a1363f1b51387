#!/bin/sh
# Help and documentation, and the manual page, with a command that only has help.
. tools/test/lib.sh
put attest <<'SH'
#!/bin/sh
case "$*" in
--help) printf 'attest - a toy\n\nUsage:\n  attest list [WHAT]\n  attest check [ID]\n\nOptions: --version\n' ;;
'list --help') echo 'attest list [WHAT] [--json]' ;;
'check --help') printf 'attest check [--tier T] [-o FILE]\n.dots and back\\slash\n' ;;
*) exit 2 ;;
esac
SH
chmod +x "$tree/attest"
check() { ATTEST="$tree/attest" sh tools/check_docs.sh "$tree"; }

check >"$tree/.out" 2>&1
verdict $(($? != 77)) 'no page: skipped'
good() { printf '# Commands\n`--version` prints it.\n## attest list\n--json\n## `attest check` [ID]\n### Examples\n--tier, -o\n'; }
good | put docs/commands.md
holds 'a page that agrees' check
good | sed 's/--json//' | put docs/commands.md
fails 'an option not mentioned' 'section "attest list" does not mention --json' check
good | sed 's/, -o//' | put docs/commands.md
fails 'a short option not mentioned' 'section "attest check" does not mention -o' check
good | sed 's/^--json/--json --yaml/' | put docs/commands.md
fails 'an option that is gone' 'mentions --yaml' check
good | sed '/^## attest list/d' | put docs/commands.md
fails 'a command without a section' 'no section "attest list"' check
{ good; printf '## attest dance\n'; } | put docs/commands.md
fails 'a section without a command' 'section "attest dance" is about no command' check
good | sed '/version/d' | put docs/commands.md
fails 'a general option not mentioned' 'does not mention --version' check

man() { sh tools/man.sh "$tree/attest" 1.2.3 >"$tree/attest.1" && grep -q "$1" "$tree/attest.1"; }
holds 'manual: a section a command' man '^\.SS attest check$'
holds 'manual: hyphens' man '\\-\\-tier'
holds 'manual: a leading dot is text' man '^\\&\.dots and back\\eslash'
finish
