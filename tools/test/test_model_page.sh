#!/bin/sh
# The page of the model file against the code: what is left out of the page or of the reader is named.
. tools/test/lib.sh
fresh()
{
    for file in docs/model.md tools/reference.py include/attest/parts.def src/model/names.c src/model/codec.c src/model/layout.c src/model/model_internal.h; do
        put $file <"$file"
    done
}
check() { sh tools/check_model.sh "$tree"; }
change() # $1 file, $2 sed expression
{
    fresh
    sed "$2" "$1" | put "$1"
    cmp -s "$1" "$tree/$1" && echo "nothing changed in $1" >&2
}

fresh
holds 'the page agrees' check
change docs/model.md 's/`sparsemax`/sparsemax/g'
fails 'a name that the page leaves out' 'docs/model.md does not say what `sparsemax` is' check
change docs/model.md 's/`windows`/windows/'
fails 'a key that the page leaves out' 'docs/model.md does not say what `windows` is' check
change tools/reference.py 's/ windows / /'
fails 'a key that the reader leaves out' 'tools/reference.py does not know "windows"' check
change tools/reference.py 's/strict-future/other/'
fails 'a name that the reader leaves out' 'tools/reference.py does not know "strict-future"' check
change src/model/names.c 's/\[AT_BLOCK_ATTN\] = "attn",/&\n    [AT_TOY] = "toy",/'
fails 'a new name in the code' 'docs/model.md does not say what `toy` is' check
change include/attest/parts.def 's/^AT_WEIGHTING_ROW(AT_SOFTMAX, "softmax"/AT_WEIGHTING_ROW(AT_TOY, "toy", 0, 0, "")\n&/'
fails 'a new part' 'tools/reference.py does not know "toy"' check
change src/model/codec.c 's/    io_bool(c, "bias", &g->bias);/&\n    io_bool(c, "toy_key", \&g->toy);/'
fails 'a new key in the code' 'tools/reference.py does not know "toy_key"' check
change src/model/layout.c 's/    meet(&w, &r->w, true/    meet(\&w, \&r->t, true, D, 0, "readout.toy");\n&/'
fails 'a new tensor in the code' 'no tensor .toy in its table' check
change docs/model.md 's/^\*\*Format version [0-9.]*\.\*\*/**Format version 1.77.**/'
fails 'a version that the reader does not read' 'docs/model.md has version 1.77, tools/reference.py reads' check
fails 'a version that is not in the list' 'the last in its list is' check
change src/model/model_internal.h 's/^#define MODEL_FORMAT .*/#define MODEL_FORMAT 2/'
fails 'another version in files' 'files say 2' check
finish
