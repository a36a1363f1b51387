#!/bin/sh
# embed.sh: text files as a C table.
#
#     tools/embed.sh FILES... >OUT.inc
#
# A row a file: {"name without suffix", "text"}, in the order given. The library carries the shipped recurrences this
# way, so that the catalogue and an installed command do not depend on where the sources are.
set -eu
for f in "$@"; do
    name=$(basename "$f")
    printf '{"%s",\n' "${name%.*}"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$/\\n"/' "$f"
    printf '},\n'
done
