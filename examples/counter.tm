# Counts in binary from the input until all digits are 1, and over: from n zeros that takes 2^(n+2) - 2 steps.
start right ; blank _ ; halt done
alphabet 0 1
length 0..6
steps 400
right _ _ l carry
right * * r right
carry 1 0 l carry
carry 0 1 r right
carry _ _ r done
