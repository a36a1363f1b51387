# test_arithmetic.sh: `compile arithmetic` and `generate`: expressions modulo a prime, evaluated step by step.
. cli/test/lib.sh

for kind in standard sparse; do
    says 0 "compile: arithmetic, $kind" '3 attention layers, 5 heads' \
        compile arithmetic --set p=11,operators=6 --attention $kind -o "$dir/$kind.st"
    gives 0 "generate: a chain, $kind" '7 * 2 = 3 <eos>
least margin 1
reference: the same' generate "$dir/$kind.st" '( 3 + 4 ) * 2 ='
    doubted=1
    says 0 "generate: without blanks, in f32, $kind" '7 * 2 = 3 <eos>' generate "$dir/$kind.st" '(3+4)*2' --precision f32
    says 0 "generate: six operators and all brackets, at 15 bits, $kind" '= 4 <eos>' \
        generate "$dir/$kind.st" '1-(2-(3-(4-(5-(6-7)))))' --precision p15
    doubted=
done
says 0 'compile: JSON' '"operators": 16' compile arithmetic -o "$dir/j.st" --json
says 0 'generate: JSON' '"agrees": true' generate "$dir/standard.st" '9 / 4 - 1' --json
says 0 'generate: a number alone' '7 <eos>' generate "$dir/standard.st" 7
says 0 'show: the words' 'written <pad> to 10' show "$dir/standard.st"

refuses 2 'generate: redundant brackets' 'position 1: redundant brackets, closed at position 5' \
    generate "$dir/standard.st" '( 3 + 4 )'
refuses 2 'generate: division by zero' 'position 2: division by zero' generate "$dir/standard.st" '7 / ( 3 - 3 )'
refuses 2 'generate: no residue' '11 is no residue modulo 11' generate "$dir/standard.st" '7 + 11'
refuses 2 'generate: no token' "'&' is no token" generate "$dir/standard.st" '7 & 1'
refuses 2 'generate: half an expression' 'position 3: a number or ( is expected, not the end' \
    generate "$dir/standard.st" '7 + ='
refuses 2 'generate: one operator too many' '7 operators; at most 6' generate "$dir/standard.st" 1+1+1+1+1+1+1+1
refuses 2 'compile: no prime' 'p=9: must be a prime' compile arithmetic --set p=9 -o "$dir/x.st"
refuses 2 'compile: no operators' 'operators=0: must be an integer in 1..720' \
    compile arithmetic --set operators=0 -o "$dir/x.st"
refuses 2 'compile: unknown parameter' 'operators' compile arithmetic --set operator=3 -o "$dir/x.st"
refuses 2 'compile: linear attention' 'standard or sparse' compile arithmetic --attention linear -o "$dir/x.st"
holds 'nothing was written' test ! -e "$dir/x.st"
call generate "$dir/standard.st" '1-(2-(3-(4-(5-(6-7)))))' --precision p8
holds 'generate: with too few bits it is wrong, and says so' test "$code" -eq 1 -o "$code" -eq 3
finish
