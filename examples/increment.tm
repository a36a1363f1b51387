# Adds one to a binary number.
start right
blank _
alphabet 0 1
halt done
length 0..8
steps 32
right 0 0 r right
right 1 1 r right
right _ _ l carry
carry 1 0 l carry
carry 0 1 l done
carry _ 1 l done
