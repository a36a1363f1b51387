# A universal machine: it runs any cyclic tag system (Cook 2004). Its program is on the tape.
#
#     p01pd11       productions 01 and the empty word, data 11
#
# Productions are used in turn. The first letter of the data goes, and if it was 1 the production in turn is written behind the data;
# the machine stops when there are no data left. P marks the production in turn, x a letter that went, a and b one being copied.
start init ; blank _ ; halt done
alphabet 0 1 p d
tape P x a b
length 0..6
steps 400
init p P r find
find d d r first
find * * r find
first x x r first
first 0 x l turn
first 1 x l copy
first _ _ * done
copy P P r bit
copy * * l copy
bit 0 a r put-0
bit 1 b r put-1
bit p p l turn
bit d d l turn
put-0 _ 0 l back
put-0 * * r put-0
put-1 _ 1 l back
put-1 * * r put-1
back a 0 r bit
back b 1 r bit
back * * l back
turn P p r next
turn * * l turn
next p P r find
next d d l wrap
next 0 0 r next
next 1 1 r next
wrap _ _ r again       # the first production comes after the last
wrap * * l wrap
again p P r find
