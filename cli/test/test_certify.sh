# test_certify.sh: `certify` and `cite`: what is written and what is refused; tools/test/test_verify.sh checks that it is true.
. cli/test/lib.sh

says 0 'a claim' '5 cells' certify match2 --set N=3,M=5 -o "$dir/a.cert"
holds 'the format' grep -q '^{"attest-certificate": "1.0", "digest": "[0-9a-f]*",$' "$dir/a.cert"
SOURCE_DATE_EPOCH=0 call certify match2 --set N=3,M=5 -o "$dir/b.cert"
SOURCE_DATE_EPOCH=0 call certify match2 --set N=3,M=5 --threads 1 -o "$dir/c.cert"
holds 'the same bytes' cmp "$dir/b.cert" "$dir/c.cert"
says 0 'for machines' '"cells": 5' certify match2 --set N=3,M=5 -o "$dir/d.cert" --json
call build match2 --set N=4,M=7 -o "$dir/m.st"
says 0 'a model on a problem' 'm.cert' certify "$dir/m.st" --problem match2 --set M=7 --lengths 1..3 -o "$dir/m.cert"
says 1 'one that is wrong' 'does not hold' certify "$dir/m.st" --problem match3 --set M=7 --lengths 3 -o "$dir/w.cert"
says 0 'weights beside' 'beside.cert' certify match2 --set N=2,M=4 --beside -o "$dir/beside.cert"
holds 'by their hash' sh -c "for f in '$dir'/*.safetensors; do [ \"\$(sha256sum <\$f | cut -c1-64)\" = \"\$(basename \$f .safetensors)\" ] || exit 1; done"
refuses 2 'no file' '-o FILE.cert' certify match2
says 0 'a bound' '129 cells, 0 models' certify compose-cot -o "$dir/bound.cert"
refuses 2 'a trial that shows nothing' 'shows nothing that could be computed again' certify disjointness --set part=rank,n=2,f=disj -o "$dir/x.cert"
refuses 2 'no such claim' 'did you mean' certify mtch2 -o "$dir/x.cert"
refuses 2 'questions of a claim are its own' '--exact' certify match2 --exact -o "$dir/x.cert"
holds 'nothing is written then' sh -c "! [ -e '$dir/x.cert' ]"
says 0 'cite' '@inproceedings{sanford2023,' cite match2
holds 'and the check' grep -q '^@misc{attest-match2,' "$dir/.out"
refuses 2 'cite what is none' 'did you mean' cite mtch2
finish
