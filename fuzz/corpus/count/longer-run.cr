1// At every position at least as many a as b so far, and in the end more by two or an even length.
#import pos_even

lead = # "a" - # "b"
behind = # (lead < 0)
fine = behind == 0 && (lead >= 2 || !pos_even)
