#!/bin/sh
# man.sh: the manual page, made of the help texts so that it cannot disagree with them.
#
#     tools/man.sh build/attest 0.1.0 > attest.1
set -eu
attest=$1 version=$2

# Help text as it is: backslashes and hyphens escaped, no line taken for a request.
verbatim()
{
    echo .nf
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
    echo .fi
}

cat <<MAN
.TH ATTEST 1 "" "attest $version" "User Commands"
.SH NAME
attest \- theorems about transformers as weights, and checks of them
.SH SYNOPSIS
.B attest
.I COMMAND
[\fIARGUMENTS\fR]
.SH DESCRIPTION
MAN
"$attest" --help | verbatim
echo .SH COMMANDS
for command in $(sh "$(dirname "$0")/commands.sh" "$attest"); do
    echo ".SS attest $command"
    "$attest" "$command" --help | verbatim
done
cat <<'MAN'
.SH EXIT STATUS
0 holds; 1 does not hold; 2 usage or bad input; 3 could not decide or ran out of budget.
MAN
