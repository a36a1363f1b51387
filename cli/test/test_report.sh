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

if [ -z "$sanitized" ]; then # a training takes a minute there
    says 0 'trained language models' 'report' check ngram-learn -o "$dir/learnt.html"
    holds 'a table as a heat map' grep -qF 'KL over n and symbols' "$dir/learnt.html"
    holds 'which parses' parses "$dir/learnt.html"
fi
says 0 'one claim, asked with a word that needs quotes' 'report' check match2 --set 'N=3, M=5' --db "$dir/r.db" -o "$dir/one.html"
holds 'one section, under its id' test "$(sections "$dir/one.html")" -eq 1
holds 'the anchor' grep -qF '<section class="claim" id="match2">' "$dir/one.html"
text() # $1 page: without its markup
{
    sed 's/<[^>]*>//g' "$1"
}

holds 'what was asked, as it was typed' eval 'text "$dir/one.html" | grep -qF "attest check match2 --set &#39;N=3, M=5&#39; --db"'
holds 'when it was decided' grep -qE '<dt>date</dt><dd>20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{5}' "$dir/one.html"
holds 'the verdict' grep -qF 'The claim holds.' "$dir/one.html"
holds 'its proof' grep -qF '<h4>Proof</h4>' "$dir/one.html"
holds 'its weights' grep -qF '<h4>Weights</h4>' "$dir/one.html"
holds 'a formula' grep -qF '<msub><mi>x</mi><mi>i</mi></msub>' "$dir/one.html"
holds 'the model that was checked, by its hash' grep -qE 'title="sha-256 [0-9a-f]{64}"' "$dir/one.html"
holds 'how to repeat it' grep -qF 'Repeat: <code>attest check match2 --set &#39;N=3, M=5&#39; --seed 1' "$dir/one.html"
holds 'how to cite it' grep -qF "title   = {$(sed -n 's/^title: "\(.*\)"/\1/p' CITATION.cff)}" "$dir/one.html"
holds 'nothing of other claims' sh -c "! grep -q 'id=\"dp-linear\"' '$dir/one.html'"
holds 'no address of anything' sh -c "! grep -qE '(https?:)?//[a-z]' '$dir/one.html'"
holds 'small' test "$(wc -c <"$dir/one.html")" -lt 150000
parses "$dir/one.html" 2>"$dir/.err"
verdict $? 'another parser reads it'

says 0 'the same from the ledger' 'one.html' report --db "$dir/r.db" -o "$dir/one.html"
holds 'has the same section' grep -qF '<section class="claim" id="match2">' "$dir/one.html"
holds 'which does not know how it was asked' grep -qF 'Check it again: <code>attest check match2 --seed 1' "$dir/one.html"
holds 'and the question, from the rows' grep -qF '<code>attest check match2</code>' "$dir/one.html"

# A question about a model of one's own can be asked again, from the page and from the ledger.
says 0 'a model' 'm.safetensors' build match2 --set N=4,M=5 -o "$dir/m.safetensors"
says 0 'a question' 'report' check "$dir/m.safetensors" --problem match2 --set N=3,M=5 --db "$dir/q.db" -o "$dir/q.html"
says 0 'the same from the ledger' 'again.html' report --db "$dir/q.db" -o "$dir/again.html"
for page in q again; do
    holds "$page: the verdict on it" grep -qF '>It holds.' "$dir/$page.html"
    again=$(sed -n 's/.*Repeat: <code>\(attest check [^<]*\).*/\1/p' "$dir/$page.html")
    holds "$page: the command is there" test -n "$again"
    says 0 "$page: and asks it again" '1 of 1 claims hold' ${again#attest }
    parses "$dir/$page.html" 2>"$dir/.err"
    verdict $? "$page: another parser reads it"
done

# A sweep's report opens with its heat maps, whatever else is in the ledger; a claim's has nothing that was trained.
says 0 'a sweep into the ledger of a claim' 'report' sweep lis --widths 8 --seeds 1 --steps 2 --exams 0 --count 4 \
    --batch 2 --db "$dir/r.db" -o "$dir/sweep.html"
holds 'no claim' test "$(sections "$dir/sweep.html")" -eq 0
holds 'first the trainings' eval 'grep -m1 "<h2>" "$dir/sweep.html" | grep -qF "Trained models"'
holds 'in vain is said' grep -qF '>no width reached 90%<' "$dir/sweep.html"
parses "$dir/sweep.html" 2>"$dir/.err"
verdict $? 'another parser reads it'
says 0 'a claim from the ledger of a sweep' 'report' check match2 --set 'N=3, M=5' --db "$dir/r.db" -o "$dir/one.html"
holds 'nothing trained' eval '! grep -qF "Trained models" "$dir/one.html"'

# A browser, where there is one: at no width must the page be moved sideways. It stands in a frame, since a window is not made narrower
# than 500; what is around it says how much wider it is.
beyond() # $1 page, $2 width: by how many pixels it is too wide; a browser that is slow to begin may have said nothing, and is asked again
{
    printf '%s\n' '<!DOCTYPE html><html><body>' \
        "<iframe id=\"f\" src=\"file://$1\" style=\"border:0;width:$2px;height:900px\"></iframe>" \
        '<script>onload=function(){var e=document.getElementById("f").contentDocument.documentElement;' \
        'document.documentElement.title=e.clientWidth+": "+(e.scrollWidth-e.clientWidth)+" too wide"}</script></body></html>' \
        >"$dir/wide.html"
    local try told
    for try in 1 2 3; do
        told=$("$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
            --window-size=1600,1000 --user-data-dir="$dir/browser" --dump-dom "file://$dir/wide.html" 2>/dev/null |
            sed -n "s/.*title=\"$2: \([0-9]*\) too wide\".*/\1/p")
        [ -n "$told" ] && break
    done
    echo "$told"
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) && {
    sed 's|<main>|<main><p style="width:3000px;max-width:none">wide</p>|' "$dir/one.html" >"$dir/too.html"
    [ "$(beyond "$dir/too.html" 1440)" -gt 1000 ]
    verdict $? 'a page that is too wide is found'
    for width in 390 820 1440; do
        for page in one q sweep; do
            [ "$(beyond "$dir/$page.html" "$width")" = 0 ]
            verdict $? "$page: fits $width"
        done
    done
}
finish
