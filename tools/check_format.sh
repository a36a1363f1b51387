#!/bin/sh
# check_format.sh: are the sources as clang-format would write them? (`make format` makes them so.)
#
# Releases of clang-format disagree about details, so only release 14 judges; without it: skipped (77).
set -u
for tool in clang-format-14 clang-format; do
    case $($tool --version 2>/dev/null) in
    *'version 14.'*)
        find include src cli fuzz bench judge mutants examples tools \( -name '*.[ch]' -o -name '*.inc' \) -print0 2>/dev/null |
            xargs -0 -r "$tool" --dry-run -Werror 2>&1 | sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: error: .*/\1: not as clang-format writes it/p' |
            grep . && exit 1
        exit 0
        ;;
    esac
done
echo 'skipped: no clang-format 14'
exit 77
