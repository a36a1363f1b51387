# Writes the word once more, behind a #: ab becomes ab#ab.
start end ; blank _ ; halt done
alphabet a b
tape \# A B
length 0..6
steps 200
end _ # l back
end * * r end
back A A r next        # behind the letters that are copied
back B B r next
back _ _ r next
back * * l back
next a A r copy-a
next b B r copy-b
next # # l home
copy-a _ a l back
copy-a * * r copy-a
copy-b _ b l back
copy-b * * r copy-b
home A a l home
home B b l home
home _ _ r done
