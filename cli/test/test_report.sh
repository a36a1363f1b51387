#!/usr/bin/env bash
# test_report.sh: the report holds what was asked and nothing else, and a parser that is not ours can read it.
. cli/test/lib.sh

sections() # $1 page: how many claims have a section
{
    grep -c '<section class="claim"' "$1"
}

# The page after its first line is XML; whoever is here reads it.
parses() # $1 page
{
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.parsers.expat as x; x.ParserCreate().ParseFile(open(sys.argv[1], "rb"))' "$1"
    fi
}

says 0 'one claim, asked with a word that needs quotes' 'report' check match2 --set 'N=3, M=5' --db "$dir/r.db" -o "$dir/one.html"
holds 'one section, under its id' test "$(sections "$dir/one.html")" -eq 1
holds 'the anchor' grep -qF '<section class="claim" id="match2">' "$dir/one.html"
holds 'what was asked, as it was typed' grep -qF "attest check match2 --set &#39;N=3, M=5&#39; --db" "$dir/one.html"
holds 'the verdict' grep -qF 'The claim holds.' "$dir/one.html"
holds 'its proof' grep -qF '<h4>Proof</h4>' "$dir/one.html"
holds 'its weights' grep -qF '<h4>Weights</h4>' "$dir/one.html"
holds 'a formula' grep -qF '<msub><mi>x</mi><mi>i</mi></msub>' "$dir/one.html"
holds 'the model that was checked, by its hash' grep -qE 'title="sha-256 [0-9a-f]{64}"' "$dir/one.html"
holds 'how to repeat it' grep -qF 'attest check match2 --seed 1' "$dir/one.html"
holds 'how to cite it' grep -qF "title   = {$(sed -n 's/^title: "\(.*\)"/\1/p' CITATION.cff)}" "$dir/one.html"
holds 'nothing of other claims' sh -c "! grep -q 'id=\"dp-linear\"' '$dir/one.html'"
holds 'no address of anything' sh -c "! grep -qE '(https?:)?//[a-z]' '$dir/one.html'"
holds 'small' test "$(wc -c <"$dir/one.html")" -lt 150000
parses "$dir/one.html" 2>"$dir/.err"
verdict $? 'another parser reads it'

says 0 'the same from the ledger' 'one.html' report --db "$dir/r.db" -o "$dir/one.html"
holds 'has the same section' grep -qF '<section class="claim" id="match2">' "$dir/one.html"
holds 'and the question, from the rows' grep -qF '<code>attest check match2</code>' "$dir/one.html"
finish
