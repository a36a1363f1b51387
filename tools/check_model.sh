#!/bin/sh
# check_model.sh: docs/model.md specifies the file, and tools/reference.py reads it, as far as names go.
#
#     tools/check_model.sh [ROOT]
#
# Every name in include/attest/parts.def (but for attentions, which no file names) and src/model/names.c, and every key that src/model/codec.c reads or writes stands on the page between backticks, and
# in the reader as a word of a string. Every tensor of src/model/layout.c is in the page's table. The version on the page is the
# one in the reader, its first number the one that the library writes, and the last one in the page's list.
set -u
cd "${1:-.}" || exit 2
page=docs/model.md
reader=tools/reference.py
for file in $page $reader include/attest/parts.def src/model/names.c src/model/codec.c src/model/layout.c src/model/model_internal.h; do
    [ -f "$file" ] || { echo "check_model: no $file" >&2; exit 2; }
done
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0
bad()
{
    echo "$*"
    failed=1
}

{
    grep -o 'AT_[A-Z0-9_]*\] = "[^"]*"' src/model/names.c | sed 's/.*= "//; s/"$//'
    sed -n 's/^AT_\(WEIGHTING\|MASK\|POST\|POS\|ACT\|TRAIT\)_ROW(AT_[A-Z0-9_]*, "\([^"]*\)".*/\2/p' include/attest/parts.def
} | LC_ALL=C sort -u >"$dir/names"
grep -oE '\b(io_[a-z]+|IO_[A-Z]+)\(c, "[a-z0-9_]+"' src/model/codec.c | sed 's/.*"\(.*\)"/\1/' | LC_ALL=C sort -u >"$dir/keys"
for what in names keys; do
    [ "$(wc -l <"$dir/$what")" -ge 20 ] || bad "check_model: only $(wc -l <"$dir/$what") $what found in src/model"
done
# Not in the tables that are made from parts.def: the page itself must say it.
sed '/^<!-- parts -->$/,/^<!-- end of parts -->$/d' $page | grep -o '`[^`]*`' | tr -d '`' | LC_ALL=C sort -u >"$dir/in_page"
# Words of the reader's strings: what stands between quotes, cut at blanks.
grep -o '"[^"]*"' $reader | tr -d '"' | tr ' ' '\n' | LC_ALL=C sort -u >"$dir/in_reader"
for what in names keys; do
    for word in $(LC_ALL=C comm -23 "$dir/$what" "$dir/in_page"); do
        bad "$page does not say what \`$word\` is (src/model)"
    done
    for word in $(LC_ALL=C comm -23 "$dir/$what" "$dir/in_reader"); do
        bad "$reader does not know \"$word\" (src/model)"
    done
done

# "block.%d.attn.%d.qb" is qb in the row or rows of block.<b>.attn.<g>.
grep -o 'true, [^"]*"[a-z]*[^"]*"\|, [^"]*"\(input\|pos\|prefix\|suffix\|block\|readout\)[.a-z0-9%]*"' src/model/layout.c |
    sed 's/.*"\([^"]*\)".*/\1/; s/.*\.//' | LC_ALL=C sort -u >"$dir/tensors"
sed -n '/^## Tensors/,/^## Forward/p' $page | grep -o '`[^`]*`' | tr -d '`' | sed 's/.*\.//' | LC_ALL=C sort -u >"$dir/in_table"
[ "$(wc -l <"$dir/tensors")" -ge 15 ] || bad "check_model: only $(wc -l <"$dir/tensors") tensors found in src/model/layout.c"
for name in $(LC_ALL=C comm -23 "$dir/tensors" "$dir/in_table"); do
    bad "$page: no tensor .$name in its table (src/model/layout.c)"
done

said=$(sed -n 's/^\*\*Format version \([0-9.]*\)\.\*\*.*/\1/p' $page)
read=$(sed -n 's/^VERSION = "\([0-9.]*\)".*/\1/p' $reader)
listed=$(sed -n '/^## Versions/,/^## Container/p' $page | sed -n 's/^| \([0-9][0-9.]*\) |.*/\1/p' | tail -n 1)
written=$(sed -n 's/^#define MODEL_FORMAT *\([0-9]*\).*/\1/p' src/model/model_internal.h)
[ -n "$said" ] || bad "$page: no line **Format version N.N.**"
[ "$said" = "$read" ] || bad "$page has version $said, $reader reads $read"
[ "$said" = "$listed" ] || bad "$page has version $said, the last in its list is $listed"
[ "${said%%.*}" = "$written" ] || bad "$page has version $said, files say $written (MODEL_FORMAT)"

[ $failed -eq 0 ] && echo "$(cat "$dir/names" "$dir/keys" | wc -l) names and keys and $(wc -l <"$dir/tensors") tensors in version $said of $page"
exit $failed
