#!/usr/bin/env bash
# test_ledger_old.sh: ledgers that older versions wrote are read as they are, and written on; what cannot be read is refused
# in a line. cli/test/ledgers/ was written by real versions of their time: first.db before there were trainings, by
# `check match2 --set N=3,M=5`; trained.db besides by `check lemma-a9` and `sweep lis`, 3 steps; refuted.db by `refute` of a match2
# model on match3 and `check qsa-rnn-hard`.
. cli/test/lib.sh

page() # $1 page: without its markup
{
    sed 's/<[^>]*>/ /g' "$1"
}

for old in first trained refuted; do
    cp "cli/test/ledgers/$old.db" "$dir/$old.db"
    says 0 "$old: report" 'rows, the verdicts of build ' report --db "$dir/$old.db" -o "$dir/$old.html"
    holds "$old: the page says so" grep -qF ', not the one that wrote this page' "$dir/$old.html"
    holds "$old: the claim with its controls" eval 'page "$dir/$old.html" | grep -qF "control undecided"'
    holds "$old: the counterexample" grep -qE 'input <code>0 (0 )*1</code>' "$dir/$old.html"
    holds "$old: nothing is broken" eval '! page "$dir/$old.html" | grep -q "broken"'
    [ "$sanitized$old" = yesfirst ] && continue # a page takes ten seconds
    says 0 "$old: map" 'match2' map --problem match2 --db "$dir/$old.db"
    says 0 "$old: check is asked anew" '1 of 1 claims hold, 1 of 1 controls rejected (' check match2 --set N=3,M=5 --db "$dir/$old.db"
    holds "$old: not served" eval '! grep -qF "from the ledger" "$dir/.out"'
    says 0 "$old: and kept" 'some from the ledger' check match2 --set N=3,M=5 --db "$dir/$old.db"
    if [ "$sanitized$old" != yesrefuted ]; then
        says 0 "$old: the report is this build's" ' rows' report --db "$dir/$old.db" -o "$dir/$old.html"
        holds "$old: without a note" eval '! grep -qF "not the one that wrote" "$dir/$old.html"'
    fi
    says 0 "$old: sweep" '0 of 3 trainings reach' sweep lis --widths 8 --seeds 1 --attentions standard --steps 3 --exams 2 --count 4 \
        --prompts 2 --batch 2 --db "$dir/$old.db" -o "$dir/$old.html"
done
cp cli/test/ledgers/refuted.db "$dir/refuted.db"
call report --db "$dir/refuted.db" -o "$dir/refuted.html"
holds 'what refuters tried is a table' grep -qF '<td class="t">one-layer</td><td>2</td><td>–</td>' "$dir/refuted.html"
# The recipe of the preset is another one today: the older trainings are other questions, beside those of this build.
holds 'trainings of an older version stand beside those of this one' \
    eval 'page "$dir/trained.html" | grep -qF "5 runs. 2 were trained by another build. Measured"'
holds 'and are told apart' eval 'page "$dir/trained.html" | grep -qF "1 to 2 runs a cell; percentages are rounded down. 1 cell holds runs that"'

# Newer than this version, or no ledger: a line, and the file stays what it was.
cp cli/test/ledgers/first.db "$dir/newer.db"
printf '\0\0\0\143' | dd of="$dir/newer.db" bs=1 seek=60 conv=notrunc status=none # user_version 99
printf 'no ledger' >"$dir/text.db"
for db in newer text; do
    cp "$dir/$db.db" "$dir/before"
    for words in "report -o $dir/x.html" 'map' 'check match2 --set N=3,M=5' "sweep lis --widths 8 --steps 1 -o $dir/x.html"; do
        # shellcheck disable=SC2086
        refuses 2 "$db: ${words%% *}" "$db.db" $words --db "$dir/$db.db"
    done
    holds "$db: untouched" cmp "$dir/$db.db" "$dir/before"
    holds "$db: nothing written" test ! -e "$dir/x.html"
done
finish
