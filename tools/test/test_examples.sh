#!/bin/sh
# Examples of headers and pages: those that compile pass, and a broken one is named with file and line.
. tools/test/lib.sh
check() { sh tools/check_examples.sh "$tree"; }
page() { printf 'Text\n\n```c\n%s\n```\n\n```sh\nnot c(\n```\n' "$1" | put docs/a.md; }

put include/attest/core.h <<'H'
/* core.h: a toy.
 *
 *     at_thing t;
 *     at_do(&t, 3, ...);
 *     if (t.n) return at_do(&t, 4, &err);     // again
 *
 * A drawing, which is no example:
 *     x -> y -> z (
 */
typedef enum { AT_OK } at_status;
typedef struct { int n; } at_thing;
typedef struct { int code; } at_err;
at_status at_do(at_thing *t, int n, at_err *err);
/*     at_thing t = {0};
 *     for (...) at_do(&t, i, &err);
 *     ... and so on ... */
H
echo '*: at_err err; int i;' | put tools/examples.txt
fails 'three dots end a line, not a call' 'include/attest/core.h:4:' check
sed 's/3, \.\.\.);/3, \&err);/' "$tree/include/attest/core.h" >"$tree/.h" && mv "$tree/.h" "$tree/include/attest/core.h"
holds 'good examples' check
cp "$tree/include/attest/core.h" "$tree/good.h"

sed 's/&t, 4/\&t, "4"/' "$tree/good.h" >"$tree/include/attest/core.h"
fails 'a wrong type' 'include/attest/core.h:5:' check
sed 's/at_do(&t, 4, /at_do(\&t, /' "$tree/good.h" >"$tree/include/attest/core.h"
fails 'an argument less' 'include/attest/core.h:5:' check
sed 's/at_thing t;/at_think t;/' "$tree/good.h" >"$tree/include/attest/core.h"
fails 'a type that is not there' 'include/attest/core.h:3:' check
sed 's/^\( \*     for (...) \)at_do/\1at_does/' "$tree/good.h" >"$tree/include/attest/core.h"
fails 'a function that is not there' 'include/attest/core.h:15:' check
cp "$tree/good.h" "$tree/include/attest/core.h"

page 'at_thing *t; at_do(t, 1, &err);'
holds 'a good page' check
page 'at_do(t, 1, &err);'
fails 'a name that nothing declares' 'docs/a.md:4:' check
printf '*: at_err err; int i;\na.md: at_thing *t;\n' | put tools/examples.txt
holds 'what the page implies' check
page 'at_do(t, 1, &err)'
fails 'a semicolon less' 'docs/a.md:' check
rm "$tree/docs/a.md"
fails 'names of a page without examples' 'a.md has no example' check
finish
