1// A word in which every letter is the same as the one three before it, where there is one.
//! alphabet a b
#import pred3

same_a = "a" && ((#[pred3] "a") == 1)
same_b = "b" && ((#[pred3] "b") == 1)
here = # true
same = # (same_a || same_b)
periodic = here <= 3 || same == here - 3
