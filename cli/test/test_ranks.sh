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
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK

# Ranks that train together, and ranks that share cells, give what one gives. (MPI needs a network device, if only lo.)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
if command -v mpirun >/dev/null && [ -e "$(dirname "$attest")/attest_mpi.so" ] && mpirun -n 2 true >/dev/null 2>&1; then
    recipe='--set n=8 --width 16 --layers 1 --steps 12 --batch 8 --exams 6 --prompts 5 --count 10 --threads 1'
    grid='lis --widths 8 --seeds 1,2 --steps 6 --exams 3 --prompts 2 --count 4 --batch 4 --layers 1 --threads 1'
    export SLURM_JOB_ID=7 SLURM_JOBID=7 SLURM_STEP_ID=0 SLURM_STEPID=0 SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0
    # shellcheck disable=SC2086
    refuses 2 'plain srun has no PMI' 'srun offers no PMI; start it by `srun --mpi=pmix`' train majority $recipe -o "$dir/m.st"
    unset SLURM_JOB_ID SLURM_JOBID SLURM_STEP_ID SLURM_STEPID SLURM_STEP_NUM_TASKS SLURM_PROCID
    # shellcheck disable=SC2086
    for n in 1 2 3; do
        # MPI's own leaks are not ours, and cannot be told apart: its components are gone when the leak checker looks.
        if [ $n -eq 1 ]; then launch=; else launch="env ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 mpirun -n $n"; fi
        $launch "$attest" train majority $recipe -o "$dir/m$n.st" >"$dir/.out" 2>"$dir/.err"
        code=$?
        holds "$n ranks train" test "$code" -eq 0 -a -s "$dir/m$n.st"
        holds "$n ranks: one summary" test "$(grep -c 'answers right' "$dir/.out")" -eq 1
        holds "$n ranks: the same bits" cmp -s "$dir/m1.st" "$dir/m$n.st"
        $launch "$attest" sweep $grid --db "$dir/s$n.db" -o "$dir/s$n.html" --json >"$dir/.out" 2>"$dir/.err"
        code=$?
        holds "$n ranks sweep" test "$code" -eq 0
        holds "$n ranks: the summary is of all of them" grep -q '"trainings": 18, "good": 0, "served": 0,' "$dir/.out"
        holds "$n ranks: and lists every cell" test "$(grep -o '"detail": {' "$dir/.out" | wc -l)" -eq 18
        "$attest" sweep $grid --db "$dir/s$n.db" -o "$dir/s$n.html" --json >"$dir/.out" 2>"$dir/.err"
        holds "$n ranks: all cells are there" grep -q '"served": 18' "$dir/.out"
        grep -o '"detail": {[^}]*}' "$dir/.out" | LC_ALL=C sort >"$dir/cells$n"
        holds "$n ranks: the same cells" cmp -s "$dir/cells1" "$dir/cells$n"
    done
else
    echo '# several ranks: no MPI here'
fi
finish
