# The busy beaver of three states that writes the most: six ones, in 14 steps (Lin and Rado 1965).
steps 14
1RB1RZ_0RC1RB_1LC1LA
