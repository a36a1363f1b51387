# Unary multiplication: 11x111 becomes 111111. What is no product stops on the way.
start init
blank _
alphabet 1 x
tape = y
halt done
length 0..7
steps 600
init _ = l home        # the product is written behind =
init * * r init
home _ _ r take
home * * l home
take 1 _ r to-x        # one of the first number: the second one is added once
take x _ r clear
to-x 1 1 r to-x
to-x x x r each
each 1 y r add
each = = l undo
add _ 1 l back
add * * r add
back y y r each
back * * l back
undo y 1 l undo
undo x x l home
clear 1 _ r clear
clear = _ r done
