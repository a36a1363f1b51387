#!/bin/sh
# commands.sh: the commands that `attest --help` names, one a line, in its order.
#
#     tools/commands.sh build/attest
#
# Help names them as "  attest NAME ..." or, under a heading "Commands", as "  NAME   words".
"$1" --help | awk '
    /^[Cc]ommands/ { block = 1; next }
    /^[^ ]/ { block = 0 }
    /^ +attest [a-z]/ { name = $2 }
    block && /^ +[a-z][a-z0-9-]*( |$)/ && $1 != "attest" { name = $1 }
    name != "" && !(name in seen) { seen[name] = 1; print name }
    { name = "" }'
