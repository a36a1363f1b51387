# test_bad_input.sh: what is wrong in a file of a language: one line that says where and what is allowed, exit 2. Every language goes
# through the same loops. A fault is a row: the suffix of the file, what is said, the file, with tabs between them.
. cli/test/lib.sh

written() # $1 suffix, $2 the file
{
    printf '%b' "$2" >"$dir/bad.$1"
}

faults() # $1 name; stdin: rows
{
    local name=$1 suffix said file
    while IFS=$'\t' read -r suffix said file; do
        written "$suffix" "$file"
        refuses 2 "$name: .$suffix: $said" "$said" compile "$dir/bad.$suffix" --set N=8 -o "$dir/none.st"
    done
}

faults 'grammar' <<'ROWS'
regex	bad.regex:2:1: nothing before * that it could apply to; write \* for the letter	alphabet a b\n*a\n
regex	bad.regex:2:2: a repetition is {m}, {m,} or {m,n} with m <= n	alphabet a b\na{3,2}\n
dfa	bad.dfa:3:1: a transition is written from letter to; other lines begin with alphabet, start	start 0\naccept 0\n0 a\n
dfa	bad.dfa:2:1: a second alphabet	alphabet a b\nalphabet a b\nstart 0\naccept 0\n0 a 0\n0 b 0\n
jff	bad.jff:1:27: a state has an id, as in <state id="0">	<structure><type>fa</type><state></structure>
jff	bad.jff:2:1: a file of JFLAP begins with <structure>	hello\n
dot	bad.dot:1:13: a node, an edge a -> b [label="x"], or node [...] is wanted	digraph { 1 - 2 }
dot	bad.dot:1:1: digraph is wanted, and not 'graph'	graph { }
ltl	bad.ltl:2:3: an operator, as in a & b or a U b, is missing before 'b'	alphabet a b\na b\n
ltl	bad.ltl:2:8: accept is followed by last, first, end or begin	alphabet a b\naccept nowhere\nY a\n
brasp	bad.brasp:2:21: a mask is 1, j < i, j <= i, j > i or j >= i	alphabet a b\nP(i) = rightmost j [j < k, 1] Qa(j) : 0\naccept P\n
brasp	bad.brasp:1:1: no alphabet; add a line as in alphabet a b above the definitions	P(i) = Qa(i)\naccept P\n
crasp	bad.crasp:2:12: a mask is 1, j < i, j <= i, j > i, j >= i or j = i - 4	alphabet a b\nA(i) := # [j ~ i] Q_a(j)\n
crasp	bad.crasp:2:6: := or = is missing before ':'	alphabet a b\nA(i) ::= Q_a(i)\n
cr	bad.cr:1:1: a statement is NAME = value, or #import NAME	a == "a"\n
cr	bad.cr:1:1: no letters; say them in a comment, //! alphabet a b	P = 1 < 2\n
tm	bad.tm:2:7: 'x' is no move; moves are l, r and * (none), or L, R, S	start q\nq 0 1 x q\n
tm	bad.tm:2:1: 4 words; a transition is written state read write move next	start q\nq 0 1 r\n
tm	bad.tm:4:9: 'X' is none of write, L and R	blank: ' '\nstart state: q\ntable:\n q: {1: X}\n
foc	bad.foc:2:8: a count, a number or a truth is missing before '='	alphabet a b\n#[a] = = 2\n
foc	bad.foc:2:8: accept is followed by last, first, end or begin	alphabet a b\naccept nowhere\n#[a] = 1\n
sscm	bad.sscm:3:5: + or - and how much is missing before '*'	alphabet a b\ncounters x\na: x*1\naccept x = 0\n
rasp	bad.rasp:1:26: ')' here; ',' was expected, as in select(KEY, QUERY, ==)	x = select(tokens, tokens);\ny = tokens;
pfsa	bad.pfsa:2:1: 3 words; a transition is written from letter to probability; other lines begin with alphabet	start q\nq a q\n
pfsa	bad.pfsa:2:7: 'half' is no probability; write 1/3 or 0.25, more than 0 and at most 1	start q\nq a q half\n
pfsa	bad.pfsa:1:7: the probabilities of the state 'q' sum to 5/6, and not to 1	start q\nq a q 1/2\nend q 1/3\n
dp	bad.dp:6:1: expected a number, a name or (, found the end of the file	problem "x"\nsize n in 1..2\nstate i in 1..n\nvalue v in 0..9\nv = 1 +\n
ROWS

faults 'a name that is not known' <<'ROWS'
regex	bad.regex:2:2: 'c' is not in the alphabet: a b	alphabet a b\nac\n
regex	bad.regex:1:1: 'alphabt' is no header line; did you mean 'alphabet'?	alphabt a b\nab\n
dfa	bad.dfa:1:7: the state 'q0' has no transitions; did you mean 'qO'?	start q0\naccept q1\nqO a q1\nq1 a q1\n
dfa	bad.dfa:5:7: the letter 'requst' is not in the alphabet: request reply; did you mean 'request'?	alphabet request reply\nstart idle\naccept idle\nidle reply idle\nidle  requst idle\n
dfa	bad.dfa:1:1: a transition is written from letter to; other lines begin with alphabet, start, accept, letter, sink or length; did you mean 'start'?	sart 0\naccept 0\n0 a 0\n
dot	bad.dot:2:33: the letter 'requst' is not in the alphabet: request reply; did you mean 'request'?	// alphabet request reply\ndigraph { i -> 1; 1 -> 1 [label="requst | reply"] }
jff	bad.jff:1:122: the letter 'c' is not in the alphabet: a b	<!-- alphabet a b --><structure><type>fa</type><state id="0"><initial/></state><transition><from>0</from><to>0</to><read>c</read></transition></structure>
ltl	bad.ltl:2:3: 'requst' is no letter of the alphabet: request reply; did you mean 'request'?	alphabet request reply\nY requst\n
ltl	bad.ltl:4:1: 'sqare' is no letter of the alphabet: a b; did you mean 'square'?	alphabet a b\npredicate square 1 4 9\naccept last\nsqare\n
ltl	bad.ltl:2:1: 'semantic' is no header line; did you mean 'semantics'?	alphabet a b\nsemantic strict\nY a\n
ltl	bad.ltl:1:1: 'alphabt' is no header line; did you mean 'alphabet'?	alphabt a b\nY a\n
brasp	bad.brasp:3:8: 'Frst' is neither defined above nor a letter, as in Q_a(i); did you mean 'First'?	alphabet a b\nFirst(i) = Qa(i)\nY(i) = Frst(i)\naccept Y\n
brasp	bad.brasp:3:8: accept names a definition above, or last, first, end or begin; did you mean 'Double'?	alphabet a b\nDouble(i) = Qa(i)\naccept Duble\n
crasp	bad.crasp:3:9: 'Frst' is not defined; did you mean 'First'?	alphabet a b\nFirst(i) := Qa(i)\nY(i) := Frst(i)\n
crasp	bad.crasp:2:15: 'requst' is no letter of the alphabet: request reply; did you mean 'request'?	alphabet request reply\nFirst(i) := Q_requst(i)\n
cr	bad.cr:2:5: 'frst' is not defined; did you mean 'first'?	first = "a"\nY = frst\n
tm	bad.tm:1:7: the state 'rigt' has no transitions, and no line accept, reject or halt names it; did you mean 'right'?	start rigt\nright 0 0 r right\nright 1 1 r done\nhalt done\n
tm	did you mean 'alphabet'?	alphabt 0 1\nstart right\nright 0 0 r right\n
foc	bad.foc:2:3: 'requst' is no letter of the alphabet: request reply; did you mean 'request'?	alphabet request reply\n#[requst] = 1\n
foc	bad.foc:2:28: 'cont' is no variable here; did you mean 'count'?	alphabet request reply\nexists count. #[request] = cont\n
sscm	bad.sscm:3:4: 'frst' is no counter; did you mean 'first'?	alphabet a b\ncounters first\na: frst+1\naccept first = 0\n
sscm	bad.sscm:4:8: 'frst' is no counter; did you mean 'first'?	alphabet a b\ncounters first\na: first+1\naccept frst = 0\n
rasp	bad.rasp:1:5: unknown name 'selectr_width'; did you mean 'selector_width'?	x = selectr_width(full_s);\n
rasp	bad.rasp:2:1: the output 'revers' is no s-op that the program sets; did you mean 'reverse'?	alphabet a b\noutput revers\nreverse = tokens;\n
pfsa	bad.pfsa:2:7: 'rian' is none of the states; did you mean 'rain'?	states rain sun\nstart rian\n
pfsa	bad.pfsa:3:3: 'requst' is none of the letters; did you mean 'request'?	alphabet request reply\nstart q\nq requst q 1\n
dp	bad.dp:5:1: unexpected "vil"; did you mean "vol"?	problem "x"\nsize n in 1..2\nstate i in 1..n\nvalue vol in 0..9\nvil = 1\n
ROWS

faults 'where it is read is not said' <<'ROWS'
ltl	the formula speaks of both past and future, so where it is read must be said: add a line accept last, first, end or begin	alphabet a b\nY a & X b\n
ltl	the formula speaks of neither past nor future	alphabet a b\na\n
ROWS
refuses 2 'where it is read is not said, on the command line' 'add a line accept last, first, end or begin' compile --ltl 'Y a & X b' --set N=8 -o "$dir/none.st"

faults 'hard attention cannot' <<'ROWS'
regex	the powers of a repeat with period 2; --attention solvable	alphabet a b\n(b*ab*a)*b*\n
dfa	the powers of a repeat with period 2; --attention solvable	start 0\naccept 0\n0 a 1\n1 a 0\n0 b 0\n1 b 1\n
jff	the powers of a repeat with period 2; --attention solvable	<structure><type>fa</type><state id="0"><initial/><final/></state><state id="1"/><transition><from>0</from><to>1</to><read>a</read></transition><transition><from>1</from><to>0</to><read>a</read></transition><transition><from>0</from><to>0</to><read>b</read></transition><transition><from>1</from><to>1</to><read>b</read></transition></structure>
dot	the powers of a repeat with period 2; --attention solvable	digraph { 0 [shape=doublecircle]; i -> 0; 0 -> 1 [label=a]; 1 -> 0 [label=a]; 0 -> 0 [label=b]; 1 -> 1 [label=b] }
ROWS
refuses 2 'hard attention cannot, on the command line' 'the powers of a repeat with period 2' compile --regex '(b*ab*a)*b*' --set N=8 -o "$dir/none.st"

faults 'missing and double transitions' <<'ROWS'
dfa	bad.dfa:3:1: state '0' has no transition for 'b'; add it, or the line sink implicit	start 0\naccept 0\n0 a 1\n1 b 0\n1 a 1\n
dfa	bad.dfa:4:1: state '0' has two transitions for 'a'	start 0\naccept 0\n0 a 0\n0 a 0\n
jff	state '0' has no transition for 'b'; add it, or the comment <!-- sink implicit -->	<!-- alphabet a b --><structure><type>fa</type><state id="0"><initial/></state><transition><from>0</from><to>0</to><read>a</read></transition></structure>
jff	state '0' has two transitions for 'a'	<structure><type>fa</type><state id="0"><initial/></state><transition><from>0</from><to>0</to><read>a</read></transition><transition><from>0</from><to>0</to><read>a</read></transition></structure>
dot	bad.dot:2:11: state '1' has no transition for 'b'; add it, or the comment // sink implicit	// alphabet a b\ndigraph { 1; i -> 1; 1 -> 1 [label=a] }
dot	state '1' has two transitions for 'a'	digraph { i -> 1; 1 -> 1 [label=a]; 1 -> 1 [label=true] }
tm	bad.tm:3:1: state 'q' has two transitions for '0'; the other one is in line 2	start q\nq 0 0 r q\nq 0 1 r q\n
ROWS

# A text of each language with a line that names its alphabet, where @ is.
good() # $1 is called with the suffix and the text
{
    "$1" regex '@\n.*\n'
    "$1" dfa '@\nstart 0\naccept 0\nsink implicit\n0 1 0\n'
    "$1" jff '<!-- @ --><!-- sink implicit --><structure><type>fa</type><state id="0"><initial/></state><transition><from>0</from><to>0</to><read>1</read></transition></structure>'
    "$1" dot '// @\n// sink implicit\ndigraph { i -> 1; 1 -> 1 [label=1] }'
    "$1" ltl '@\nY true\n'
    "$1" brasp '@\nP(i) = Q_1(i)\naccept P\n'
    "$1" crasp '@\nP(i) := Q_1(i)\n'
    "$1" cr '//! @\nP = "1"\n'
    "$1" tm '@\nstart q\nq 1 1 r q\n'
    "$1" foc '@\n#[1] = 1\n'
    "$1" sscm '@\ncounters x\n1: x+1\naccept x = 0\n'
    "$1" rasp '@\nx = tokens;\n'
    "$1" pfsa '@\nstart q\nq 1 q 1/2\nend q 1/2\n'
}
alphabets() # $1 suffix, $2 text
{
    local compile=(compile "$dir/bad.$1" --set N=8 -o)
    written "$1" "${2/@/alphabet $(seq -s ' ' 1 65)}"
    refuses 2 "an alphabet beyond the limit: .$1" 'more than 64' "${compile[@]}" "$dir/none.st"
    written "$1" "${2/@/alphabet $(seq -s ' ' 1 2000)}"
    refuses 2 "far beyond it: .$1" "bad.$1:" "${compile[@]}" "$dir/none.st"
    written "$1" "${2/@/alphabet 1 2 1}"
    refuses 2 "a letter twice: .$1" "the alphabet has the letter '1' twice" "${compile[@]}" "$dir/none.st"
    if [ "$1" != tm ]; then # a machine may begin on the empty tape only
        written "$1" "${2/@/alphabet}"
        refuses 2 "no letters: .$1" 'the alphabet is empty; write its letters with blanks between them' "${compile[@]}" "$dir/none.st"
    fi
    written "$1" "${2/@/alphabet 1 2}"
    says 0 "the control, two letters: .$1" "$dir/good.st: " "${compile[@]}" "$dir/good.st"
}
good alphabets

# A machine that goes on: what it did so far, and exit 3.
goes_on() # $1 name, $2 what is printed, $3... arguments
{
    local name=$1 text=$2
    shift 2
    call "$@"
    [ "$code" -eq 3 ] && grep -qxF -- "$text" "$dir/.out" && [ "$(wc -l <"$dir/.err")" -le 1 ]
    verdict $? "$name"
}
written tm 'start q\nq 0 1 r q\nq 1 0 r q\nq _ 1 r q\n'
says 0 'a machine that never stops' 'a Turing machine' compile "$dir/bad.tm" --set N=4,T=5 -o "$dir/on.st"
goes_on 'beyond its budget: the run so far' '1/R/q 0/R/q 1/R/q 1/R/q 1/R/q 1/R/q 1/R/q' generate "$dir/on.st" 01
goes_on 'and the tape so far' '1011111' generate "$dir/on.st" 01 --answer

# A megabyte of what nests. Rows: suffix, what is before it, what nests, what is behind it.
while IFS=$'\t' read -r suffix before nest behind; do
    {
        printf '%b' "$before"
        awk -v s="$nest" 'BEGIN { while (n < 1000000) { printf "%s", s; n += length(s) } }'
        printf '%b' "$behind"
    } >"$dir/bad.$suffix"
    refuses 2 "a megabyte of '$nest': .$suffix" "bad.$suffix" compile "$dir/bad.$suffix" -o "$dir/none.st"
done <<'ROWS'
regex	alphabet a b\n	(	\n
regex	alphabet a b\n	~	a\n
regex	alphabet a b\na	*	\n
dfa	start 	(	\naccept 0\n0 a 0\n
jff	<structure>	<a>	\n
dot	digraph { 0 -> 0 [label="	(	a"]; }
dot	digraph 	{	\n
gv	digraph { 0 -> 0 [label="	~	a"]; }
ltl	alphabet a b\naccept last\n	(	\n
ltl	alphabet a b\naccept last\n	Y 	a\n
ltl	alphabet a b\naccept last\n	#[	a\n
ltl	alphabet a b\naccept last\n	a -> 	a\n
brasp	alphabet a b\nP(i) = 	(	\n
brasp	alphabet a b\nP(i) = rightmost j [j < i, 	!	\n
crasp	alphabet a b\nP(i) := 	(	\n
crasp	alphabet a b\nP(i) := 	#[	\n
crasp	alphabet a b\nP(i) := 	min(	\n
crasp	alphabet a b\nP(i) := 	if 	\n
crasp	alphabet a b\nP(i) := 	- 	1 < 2\n
cr	a = "a"\nP = 	(	\n
cr	P = 	# 	"a"\n
tm	start 	(	\n
tm	blank: ' '\nstart state: q\ntable: 	{	\n
tm	blank: ' '\nstart state: q\ntable:\n q: {[	[	\n
foc	alphabet a b\n	(	\n
foc	alphabet a b\n	not 	#[a] = 1\n
foc	alphabet a b\n	exists x. 	#[a] = 1\n
sscm	alphabet a b\ncounters x\na: x+1\naccept 	(	\n
pfsa	start 	(	\n
rasp	x = 	(	\n
rasp	x = 	[	\n
rasp	x = 	not 	1;\n
rasp	x = 	1+	1;\n
rasp	x = 1;	def f() { 	\n
dp	problem "x"\nsize n in 1..2\nstate i in 1..n\nvalue v in 0..9\nv = 	(	\n
program	program x, lengths 1..8\ny = 	(	\n
ROWS
holds 'nothing was written' [ ! -e "$dir/none.st" ]
finish
