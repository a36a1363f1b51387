# The busy beaver of four states: on an empty tape it stops after 107 steps, with 13 ones (Brady 1983).
steps 107
1RB1LB_1LA0LC_1RZ1LD_1RD0RA
