# test_remember.sh: a model file remembers what it was made for, and is asked about that unless told otherwise.
. cli/test/lib.sh

call build match2 --set N=4,M=5 -o "$dir/m.st"
says 0 'show' 'made for match2 N=4 M=5' show "$dir/m.st"
says 0 'check without a problem' 'm.st solves match2' check "$dir/m.st"
holds 'at all lengths it takes' grep -q 'N=1 M=5' "$dir/.out"
says 0 'with a length' 'exact, 25 inputs' check "$dir/m.st" --set N=2
says 0 'lengths' 'exact, 125 inputs' check "$dir/m.st" --lengths 3..3
says 1 'another parameter is asked' 'BAD' check "$dir/m.st" --set M=3
says 0 'another problem is asked' 'm.st solves match2' check "$dir/m.st" --problem match2 --set M=5
says 1 'and may be wrong' 'm.st solves match3' check "$dir/m.st" --problem match3 --set M=5 --lengths 3..3
says 3 'refute' 'match2 N=4 M=5, in f64' refute "$dir/m.st" --budget 1
says 0 'least' 'the least that holds: p6' least "$dir/m.st" --vary p --range 5..7
says 0 'look' 'layer 1 head 1' look "$dir/m.st"

call compile examples/lis.dp --set n=3,top=2 -o "$dir/l.st"
says 0 'a shipped recurrence by its name' 'made for lis n=3 top=2' show "$dir/l.st"
says 0 'check it' 'exact, 8 inputs' check "$dir/l.st"
# The sizes that a file remembers are those of the same problem when --problem names it; --set says others.
says 0 'sizes of the problem that is named' 'N=1 M=5' check "$dir/m.st" --problem match2
says 3 'refute' 'match2 N=4 M=5, in f64' refute "$dir/m.st" --problem match2 --budget 1
says 0 'look' 'match2 N=4 M=5' look "$dir/m.st" --problem match2
says 0 'look at an input of another length' 'match2 N=2 M=5' look "$dir/m.st" '1 4' --problem match2
says 0 'eval' 'match2 N=4 M=5' eval "$dir/m.st" match2 --count 5
says 0 'protocol' 'right' protocol "$dir/m.st" --parties 2 --problem match2
says 0 'least' 'the least that holds: p6' least "$dir/m.st" --problem match2 --vary p --range 5..7
says 0 'equal' 'equal: exact' equal "$dir/m.st" "$dir/m.st" --problem match2 --lengths 1..3
call compile examples/lis.dp --set n=4,top=2 -o "$dir/l.st"
says 0 'a recurrence by its name' 'n=4 top=2 letters=0' check "$dir/l.st" --problem lis
says 0 'by the other name, or the shipped text' 'n=4 top=2 letters=0' check "$dir/l.st" --problem examples/lis.dp
says 0 'generate --beside' "every row is the interpreter's" generate "$dir/l.st" '1 2 1 2 |' --beside lis
refuses 2 'at other sizes' 'a prompt of lis at n=3 top=2 letters=0 does not fit' generate "$dir/l.st" '1 2 1 2 |' --beside lis --set n=3
says 0 'equal to what it compiles to' 'equal: exact' equal "$dir/l.st" examples/lis.dp
says 0 'in the other order, too' 'equal: exact' equal lis "$dir/l.st"
call compile arithmetic --set p=3,operators=2 -o "$dir/a.st"
says 0 'arithmetic' 'a.st solves arithmetic' check "$dir/a.st"
call build compose-chain --set n=3 -o "$dir/c.st"
says 0 'a chain of a claim' 'c.st solves compose' check "$dir/c.st"
call train lis --set n=4,range=5 --width 16 --steps 5 -o "$dir/t.st"
says 0 'eval' 'answers right' eval "$dir/t.st" --count 20
says 1 'a trained one is refuted by the rows it learnt' 't.st solves lis' check "$dir/t.st"

call train examples/prefix-sum.dp --set n=4,q=3 --width 16 --steps 5 -o "$dir/s.st"
says 0 'rows of a shipped recurrence, without its file' 'answers right' eval "$dir/s.st" --count 20
says 0 '... by its name' 'answers right' eval "$dir/s.st" prefix-sum --count 20
call train examples/lis.dp --set n=3,top=2 --width 16 --steps 5 -o "$dir/s.st"
refuses 2 'rows under whose name others stand' 'was made for lis.dp, which is neither beside it nor here' eval "$dir/s.st"

# A file is remembered by its name and its text.
sed 's/^problem.*/problem "mine"/' examples/lis.dp >"$dir/my.dp"
call compile "$dir/my.dp" --set n=3,top=2 -o "$dir/f.st"
says 0 'a file' 'my.dp sha256=' show "$dir/f.st"
holds 'without its folder' sh -c "! grep -q 'made for.*/' '$dir/.out'"
says 0 'beside the model' 'exact, 8 inputs' check "$dir/f.st"
says 0 'a file by another path' "every row is the interpreter's" generate "$dir/f.st" '1 2 1 |' --beside "$dir/../${dir##*/}/my.dp"
call train "$dir/my.dp" --set n=2,top=3 --width 16 --steps 3 -o "$dir/ft.st"
call generate "$dir/ft.st" '1 2 <sep>' --beside "$dir/my.dp" # an untaught net may write for ever: exit 1 or 3
holds 'rows that were learnt' grep -q '^written  *interpreter' "$dir/.out"
refuses 2 'a problem without such sizes' 'a prompt of examples/grid.dp at ' generate "$dir/f.st" '1 2 1 |' --beside examples/grid.dp
echo '# more' >>"$dir/my.dp"
refuses 2 'another text' 'was made for my.dp, which is another text now; say which problem (--problem NAME|FILE)' check "$dir/f.st"
rm "$dir/my.dp"
refuses 2 'no file' 'was made for my.dp, which is neither beside it nor here; say which problem' check "$dir/f.st"
call compile examples/pairs.program -o "$dir/p.st"
refuses 2 'nothing is remembered' 'which problem should it solve? (--problem NAME|FILE; it says none)' check "$dir/p.st"

# The identity of a model is that of its weights.
sha() { "$attest" show "$1" | sed -n 's/^  sha-256 //p'; }
note() # $1 what $dir/n.st remembers, instead of match2 N=4 M=5
{
    python3 - "$dir/m.st" "$dir/n.st" "$1" <<'P'
import json, sys
raw = open(sys.argv[1], "rb").read()
n = int.from_bytes(raw[:8], "little")
head = json.loads(raw[8:8 + n])
if sys.argv[3] == "-":
    del head["__metadata__"]["problem"]
else:
    head["__metadata__"]["problem"] = sys.argv[3]
text = json.dumps(head).encode()
open(sys.argv[2], "wb").write(len(text).to_bytes(8, "little") + text + raw[8 + n:])
P
}
if command -v python3 >/dev/null; then
    note -
    holds 'the same hash without a note' [ "$(sha "$dir/m.st")" = "$(sha "$dir/n.st")" ]
    refuses 2 'an older file' 'it says none' check "$dir/n.st"
    note 'match3 N=3 M=5'
    holds 'and with another' [ "$(sha "$dir/m.st")" = "$(sha "$dir/n.st")" ]
    says 1 'which is asked' 'n.st solves match3' check "$dir/n.st" --set N=3
    note 'match4 N=3'
    refuses 2 'no such problem' "was made for 'match4', which is no problem here" check "$dir/n.st"
    note '../../etc/passwd sha256=0000000000000000000000000000000000000000000000000000000000000000'
    refuses 2 'a path' 'does not begin with the name of a problem' check "$dir/n.st"
    note 'match2 N'
    refuses 2 'no assignment' 'has a word that is no K=V' run "$dir/n.st" 1 2
    note 'match2 sha256=12 N=4'
    refuses 2 'half a digest' 'has a digest that is none of 64 digits' check "$dir/n.st"
    refuses 2 '... where the problem is named' 'has a digest that is none of 64 digits' check "$dir/n.st" --problem match2
    note 'match2 N=4 sha256=0000000000000000000000000000000000000000000000000000000000000000'
    refuses 2 'a digest elsewhere' 'has a digest that is none of 64 digits' run "$dir/n.st" 1 2
    note 'match2  N=3'
    refuses 2 'two blanks' 'has a word that is no K=V' run "$dir/n.st" 1 2
    note "$(printf 'a\033[2Jb')"
    refuses 2 'an escape' 'does not begin with the name of a problem' show "$dir/n.st"
    note "x $(printf 'k=%01000d' 1)"
    refuses 2 'a long one' 'is too long' show "$dir/n.st"
    note 'match2 N=99999'
    refuses 2 'a size out of range' 'N=99999' refute "$dir/n.st"
fi
finish
