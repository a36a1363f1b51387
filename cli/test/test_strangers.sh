# test_strangers.sh: files from the internet, disks that are full, names that bite.
. cli/test/lib.sh

call build match2 --set N=8,M=17 -o "$dir/m.st"
size=$(wc -c <"$dir/m.st")

# ---- reading ----------------------------------------------------------------------------------------
refuses 2 'missing file' 'No such file or directory' run "$dir/none.st" 1
refuses 2 'a directory' 'is a directory' run "$dir" 1
refuses 2 'show: a missing file' 'No such file or directory' show "$dir/none.st"
for cut in 0 1 7 8 100 $((size / 2)) $((size - 1)); do
    head -c "$cut" "$dir/m.st" >"$dir/cut.st"
    refuses 2 "cut to $cut bytes" "$dir/cut.st" run "$dir/cut.st" 1
done
# A weight that is NaN: the last eight bytes.
{ head -c $((size - 8)) "$dir/m.st"; printf '\0\0\0\0\0\0\370\177'; } >"$dir/nan.st"
refuses 2 'a weight that is NaN' 'finite' run "$dir/nan.st" 1
head -c 4096 /dev/urandom >"$dir/noise.st"
refuses 2 'noise' "$dir/noise.st" look "$dir/noise.st" 1
printf 'not a ledger' >"$dir/noise.db"
refuses 2 'a ledger that is none' "$dir/noise.db" report --db "$dir/noise.db" -o "$dir/r.html"
holds 'and no report of it' test ! -e "$dir/r.html"
for bytes in x '#' 'not a ledger' "$(printf '%0600d' 7)"; do # SQLite takes one byte for an empty file
    printf %s "$bytes" >"$dir/other.db"
    cp "$dir/other.db" "$dir/other.was"
    refuses 2 "a file of ${#bytes} bytes is no ledger" 'not a ledger' check match2 --set N=4 --db "$dir/other.db"
    holds 'and stays' cmp "$dir/other.db" "$dir/other.was"
done
: >"$dir/empty.db"
says 0 'an empty file becomes one' 'match2' check match2 --set N=4 --db "$dir/empty.db"
rm "$dir"/*.db*

# ---- names ------------------------------------------------------------------------------------------
# The model's name is a string in the architecture, which is a string in the header. Another one of the same
# length takes its place: "match3-threewise" and "<script>\\u001bx" both are sixteen bytes; the latter means ESC.
call build match3-threewise --set N=5,M=9 -o "$dir/t.st"
LC_ALL=C sed 's/match3-threewise/<script>\\\\u001bx/' "$dir/t.st" >"$dir/evil.st"
holds 'the name was replaced' test "$(wc -c <"$dir/evil.st")" -eq "$(wc -c <"$dir/t.st")"
holds 'by this one' grep -qaF '<script>\\u001bx' "$dir/evil.st"
says 0 'show prints the name' 'model <script>?x' show "$dir/evil.st"
harmless 'show: no ESC'
says 0 'show --json' '"name": "<script>\u001Bx"' show "$dir/evil.st" --json
harmless 'show --json: no ESC'
gives 0 'run does not care' '1 1 0' run "$dir/evil.st" 1 4 5
says 0 'look prints the name' '<script>' look "$dir/evil.st" 1 4 3
harmless 'look: no ESC'
refuses 2 'run: a message with such a name' 'out of range' run "$dir/evil.st" 77
harmless 'run: no ESC'
says 0 'look -o' 'positions' look "$dir/evil.st" 1 4 3 -o "$dir/evil.svg"
holds 'SVG: no script' sh -c "! grep -q '<script' '$dir/evil.svg'"
holds 'SVG: no ESC' sh -c "! grep -q \"\$(printf '\\033')\" '$dir/evil.svg'"
evil=$dir/$(printf 'a\033[31mb.st')
cp "$dir/m.st" "$evil"
gives 0 'a file name with ESC' '1 1 0' run "$evil" 3 14 5
refuses 2 'a missing file with ESC' '?[31mc.st' run "$dir/$(printf '\033[31mc.st')" 1
harmless 'its message'
says 0 'build into a file name with ESC' '?[31md.st: match2' build match2 -o "$dir/$(printf '\033[31md.st')"
harmless 'its line'

# Names of heads are strings of the metadata. Two others of the same length take the place of "last reset of level 1": one acts, and is
# refused; one is markup, and is escaped.
call compile --regex '(ab)*' --set N=8 -o "$dir/named.st"
LC_ALL=C sed 's/last reset of level 1/<script>\\u001b[2Jxxxx/' "$dir/named.st" >"$dir/evil.st"
holds 'the name of a head was replaced' grep -qaF '<script>\u001b[2J' "$dir/evil.st"
refuses 2 'a name of a head with ESC' 'characters that act' look "$dir/evil.st" ab
harmless 'its message: no ESC'
LC_ALL=C sed 's/last reset of level 1/<script>alert(12)<\/a>/' "$dir/named.st" >"$dir/evil.st"
says 0 'a name of a head with markup' '<script>alert(12)</a>' look "$dir/evil.st" ab
says 0 'as a picture' 'positions' look "$dir/evil.st" ab -o "$dir/evil.svg"
holds 'SVG: it is text' grep -q '&lt;script&gt;alert(12)&lt;/a&gt;' "$dir/evil.svg"
holds 'SVG: no script of a head' sh -c "! grep -q '<script' '$dir/evil.svg'"

# The same with directions: U+202E turns around what follows it. Names, titles, words and arguments reach the terminal,
# messages, JSON, SVG, HTML and the ledger's report.
turn=$(printf '\342\200\256')
marks="$turn$(printf '\342\201\246\342\200\217\330\234\357\273\277')"
LC_ALL=C sed "s/match3-threewise/evil${turn}evil12345/" "$dir/t.st" >"$dir/turn.st"
holds 'the name turns' grep -qaF "evil${turn}evil" "$dir/turn.st"
says 0 'show prints it' 'evil?evil' show "$dir/turn.st"
harmless 'show: no direction'
call show "$dir/turn.st" --json
harmless 'show --json: no direction'
says 0 'look prints it' 'evil' look "$dir/turn.st" 1 4 3
harmless 'look: no direction'
call look "$dir/turn.st" 1 4 3 -o "$dir/turn.svg"
harmless 'look -o: no direction' "$dir/.out" "$dir/turn.svg"
refuses 2 'run: a message' 'out of range' run "$dir/turn.st" 77
harmless 'run: no direction'
call refute "$dir/turn.st" --task match3 --budget 1
harmless 'refute: no direction'
for words in "run $dir/none$marks.st 1" "show $marks" "look match2 $marks" "check $marks" "build match2 --set $marks=1 -o $dir/n.st" \
    "build $marks -o $dir/n.st" "--$marks" "$marks" "run --$marks=1" "list $marks" "bound $marks" "data $marks" "data ./$marks" \
    "generate $dir/turn.st $marks" "eval $dir/turn.st $marks" "train $marks" "sweep $marks" "protocol $marks" "compile $marks.dp -o $dir/n.st" \
    "refute $dir/turn.st --task $marks" "check --tier $marks" "run $dir/turn.st 1 --precision $marks" "report --db $marks -o $dir/n.html" \
    "map --db ./$marks" "bench $marks" "show $marks.dp"; do
    # shellcheck disable=SC2086
    call $words
    harmless "${words%%[$turn-]*}: an argument without a direction"
    holds 'and one line, exit 2' test "$code:$(wc -l <"$dir/.err")" = 2:1
done
says 0 'build into such a name' 'match2' build match2 -o "$dir/$marks.st"
harmless 'its line has none'
says 0 'look into such a name' 'head' look match2 -o "$dir/$marks.svg"
harmless 'its line has none'
printf 'a%s b <sep> c <sep> d\n' "$turn" >"$dir/turn.txt"
printf 'a \342\200\256b c\nb a\n' >"$dir/turn-lm.txt"
call lm fit "$dir/turn-lm.txt" --order 2 -o "$dir/turn.arpa"
call lm sample "$dir/turn.arpa" --count 30 --json
holds 'samples of a language model, JSON' sh -c "! LC_ALL=C grep -q '[^ -~]' '$dir/.out' && grep -q '202E' '$dir/.out'"
refuses 2 'words of a stream' 'U+202E is not seen in a word' data "$dir/turn.txt"
sed "1s/^/# ti${marks}tle\n/; s/\"[^\"]*\"/\"ti${marks}tle\"/" examples/lis.dp >"$dir/turn.dp"
call show "$dir/turn.dp"
harmless 'show FILE.dp: no direction'
call compile "$dir/turn.dp" -o "$dir/n.st"
harmless 'compile FILE.dp: no direction'
sed "s/answer/answ${turn}er/" examples/lis.dp >"$dir/turn2.dp"
call compile "$dir/turn2.dp" -o "$dir/n.st"
harmless 'a message about FILE.dp: no direction'
if command -v sqlite3 >"$dir/.log"; then
    call check match2 --set N=4 --db "$dir/turn.db"
    sqlite3 "$dir/turn.db" "UPDATE cell SET params = 'N=${marks}6', question = 'ex${marks}act'; UPDATE verdict SET detail = '{\"note\": \"a${marks}b\"}'" 2>"$dir/.log"
    says 0 'report of such a ledger' 'turn.html' report --db "$dir/turn.db" -o "$dir/turn.html"
    holds 'which holds its words' grep -q 'match2' "$dir/turn.html"
    harmless 'report: its page has no direction' "$dir/turn.html" "$dir/.err"
    call map --db "$dir/turn.db"
    harmless 'map: no direction'
    rm -f "$dir"/turn.db*
fi

# ---- writing ----------------------------------------------------------------------------------------
before=$(ls -A "$dir" | wc -l)
refuses 2 'build: a missing directory' 'No such file or directory' build match2 -o "$dir/no/such/m.st"
refuses 2 'build: onto a directory' 'is a directory' build match2 -o "$dir"
refuses 2 'build: unknown claim' "did you mean 'match2'?" build mtch2 -o "$dir/new.st"
refuses 2 'build: M=0' 'M=0: must be an integer in 2..65536' build match2 --set M=0 -o "$dir/new.st"
refuses 2 'build: q > N' 'q' build qsa-rip --set N=3,q=5 -o "$dir/new.st"
refuses 2 'build: -o is missing' '-o is missing' build match2
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$dir/locked" && chmod 555 "$dir/locked"
    refuses 2 'build: a directory that is locked' 'Permission denied' build match2 -o "$dir/locked/m.st"
    rm -r "$dir/locked"
fi
holds 'nothing half-written' test "$(ls -A "$dir" | wc -l)" -eq "$before"
# A link is followed, an existing file keeps its mode, a new one gets what the umask leaves.
cp "$dir/t.st" "$dir/secret.st"
chmod 600 "$dir/secret.st"
ln -s secret.st "$dir/link.st"
says 0 'build through a link' 'match2' build match2 --set N=8,M=17 -o "$dir/link.st"
holds 'the link stays' test -L "$dir/link.st"
holds 'its target is the model' cmp "$dir/m.st" "$dir/secret.st"
holds 'and still nobody else may read it' test "$(stat -c %a "$dir/secret.st")" = 600
ln -s later.st "$dir/early.st"
says 0 'build through a link to nothing' 'match2' build match2 --set N=8,M=17 -o "$dir/early.st"
holds 'makes what it points to' cmp "$dir/m.st" "$dir/later.st"
for mask in 022 077; do
    rm -f "$dir/fresh.st" "$dir/fresh.svg" "$dir/fresh.db"
    (umask $mask && "$attest" build match2 -o "$dir/fresh.st" && "$attest" look match2 -o "$dir/fresh.svg" &&
        "$attest" check match2 --set N=4 --db "$dir/fresh.db") >"$dir/.out" 2>"$dir/.err"
    want=$([ $mask = 022 ] && echo 644 || echo 600)
    holds "new files under umask $mask" test "$(stat -c %a "$dir"/fresh.* | sort -u)" = "$want"
done
cp "$dir/m.st" "$dir/old.st"
refuses 3 'out of memory: exit 3' 'out of memory' build match2 --set M=65536 -o "$dir/old.st" --max-memory 1
holds 'and the old file stays' cmp "$dir/m.st" "$dir/old.st"
says 0 'enough memory' 'match2' build match2 --set M=65536 -o "$dir/big.st" --max-memory 400

# ---- standard output ----------------------------------------------------------------------------------
full() # $1 name, $2 text, $3 redirection, $4... arguments: one line, exit 2
{
    local name=$1 text=$2 to=$3
    shift 3
    sh -c "'$attest' \"\$@\" $to" sh "$@" 2>"$dir/.err"
    code=$?
    [ $code -eq 2 ] && [ "$(wc -l <"$dir/.err")" -eq 1 ] && grep -q "$text" "$dir/.err"
    verdict $? "$name"
}
: >"$dir/.out"
if [ -c /dev/full ]; then
    full 'a full disk' 'No space left' '>/dev/full' list
    full 'a full disk: help' 'No space left' '>/dev/full' --help
    full 'a full disk: run' 'No space left' '>/dev/full' run "$dir/m.st" 3 14 5
    full 'a full disk: -o' '/dev/full' '' build match2 -o /dev/full/x
fi
full 'a closed stdout' 'Bad file descriptor' '>&-' list
full 'a closed stdout does not become the model' 'Bad file descriptor' '>&-' build match2 -o "$dir/closed.st"
holds 'which is whole' "$attest" run "$dir/closed.st" 1
(
    trap '' PIPE
    { "$attest" list 2>"$dir/.err"; echo $? >"$dir/.code"; } | :
    sleep 0.1
)
holds 'a pipe that nobody reads: no signal' grep -qx '[02]' "$dir/.code"
finish
