#!/usr/bin/env bash
# Commands that work on one rank say so when a launcher has started several, once, and write nothing.
. cli/test/lib.sh
export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0
refuses 2 'rank 0 speaks' 'works on one rank' build match2 -o "$dir/m.st"
export OMPI_COMM_WORLD_RANK=1
call build match2 -o "$dir/m.st"
[ "$code" -eq 2 ] && [ ! -s "$dir/.err" ] && [ ! -s "$dir/.out" ]
verdict $? 'the others are quiet'
holds 'nothing was written' test ! -e "$dir/m.st"
export ATTEST_RANKS=1
says 0 'unless it is wanted' match2 list
unset ATTEST_RANKS
export OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0
says 0 'mpirun -n 1 is one rank' match2 list
finish
