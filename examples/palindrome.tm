# Is the word its own mirror image? Takes letters off both ends.
start left ; blank _ ; accept yes ; reject no
alphabet a b
length 0..8
steps 60
left a _ r seek-a      # keep the first letter in mind, go to the last one
left b _ r seek-b
left _ _ * yes
seek-a _ _ l last-a
seek-a * * r seek-a
seek-b _ _ l last-b
seek-b * * r seek-b
last-a a _ l back
last-a b b * no
last-a _ _ * yes       # it was the only one
last-b b _ l back
last-b a a * no
last-b _ _ * yes
back _ _ r left
back * * l back
