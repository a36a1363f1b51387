# test_protocol.sh: `protocol`: who holds what, bits, equality, refusals.
. cli/test/lib.sh

says 0 'protocol ID PARTIES INPUT' "the model's, bit for bit" protocol match2 BAAB 3 14 5 12 --set M=17
says 0 'protocol: the bits of a number and of a sum' 'p8e5: a number takes 13 bits, an exact sum 62' \
    protocol match2 BAAB 3 14 5 12 --set M=17 --precision p8e5
# five positions with the blank, which is B's: each party asks for its own queries
says 0 'protocol: messages' '4 messages in 1 attention block' protocol match2 BAAB 3 14 5 12 --set M=17
says 0 'protocol: three parties' '24 messages in 1 attention block' protocol match2 ABCA 3 14 5 12 --set M=17
says 0 'protocol: --json' '"equal": true' protocol match2 AB 3 14 --set M=17 --json
fits 'protocol fits 80 columns' protocol match2 BAAB 3 14 5 12 --set M=17

refuses 2 'protocol: no parties' 'the word of the parties, is missing' protocol match2
refuses 2 'protocol: too few letters' 'names the parties of 3 positions; the input has 4' protocol match2 BAA 3 14 5 12
refuses 2 'protocol: no letter' 'parties are letters A to Z' protocol match2 1A 3 4
refuses 2 'protocol: a party without positions' 'there is a party C but none B' protocol match2 CA 3 4
refuses 2 'protocol: one party' '1 parties; allowed: 2..64' protocol match2 AA 3 4
refuses 2 'protocol: f64' 'must be pN, pNeE (N-bit floats)' protocol match2 AB 3 4 --precision f64
refuses 2 'protocol: three-wise' 'threewise, whose sum runs over pairs of keys' protocol match3-threewise ABABA 1 2 3 4 5
refuses 2 'protocol: a limit has no model' 'it has no model of its own' protocol arcomm AB 1 2
finish
