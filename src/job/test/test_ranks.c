/* test_ranks.c: several processes under mpirun talk, train as one, and stop as one; what a launcher says; a plugin that is
 * missing, damaged or of another build. The trainings are compared by the bytes of their states. */
#define _GNU_SOURCE
#include "ranks_test.h"

static void said_once(const char *said, const char *text)
{
    int lines = 0;
    for (const char *s = said; (s = strstr(s, "said: ")); s++)
        lines++;
    if (lines != 1 || !strstr(said, text))
        fail_msg("%s: %s", text, said);
}

static void launcher_is_heard(void **state)
{
    (void)state;
    static const char *const names[] = {
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",  "PMI_RANK",
        "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",         "PMIX_RANK", "ATTEST_RANKS",
        "SLURM_NTASKS"};
    static const struct {
        const char *set[9];
        int ranks;
    } rows[] = {
        {{NULL}, 1},
        {{"4", "0"}, 4},
        {{"1", "0", NULL, NULL, "4", "0"}, 1}, /* mpirun -n 1 in a step of four */
        {{"4"}, 1},                            /* not a rank of anything */
        {{"x", "0"}, 1},
        {{"-2", "0"}, 1},
        {{NULL, NULL, "3", "1"}, 3},
        {{NULL, NULL, NULL, NULL, "5", "2"}, 5},
        {{NULL, NULL, NULL, NULL, NULL, "0", NULL, NULL, "5"}, 1}, /* the script of sbatch */
        {{NULL, NULL, NULL, NULL, NULL, NULL, "0"}, 0},
        {{"4", "0", NULL, NULL, NULL, NULL, "0", "1"}, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < 9; k++)
            if (rows[i].set[k])
                setenv(names[k], rows[i].set[k], 1);
            else
                unsetenv(names[k]);
        if (at_ranks_started(NULL) != rows[i].ranks)
            fail_msg("row %zu: %d", i, at_ranks_started(NULL));
    }
    for (size_t k = 0; k < 9; k++)
        unsetenv(names[k]);
}

/* No launcher: one rank, whatever the plugin. */
static void alone(void **state)
{
    (void)state;
    char *said;
    assert_int_equal(ranks_call(0, "ATTEST_MPI=/nowhere", "", "open", &said), 0);
    said_once(said, "rank 0 of 1");
    free(said);
    assert_int_equal(ranks_call(0, "ATTEST_MPI=/nowhere", "", "talk", NULL), 0);
    for (long k = 1; k <= 2; k++) { /* one is all there is to fail */
        at_ranks *r = NULL;
        at_err err = {0};
        at_alloc_inject(k);
        at_status s = at_ranks_open(&r, &err);
        at_alloc_inject(0);
        assert_int_equal(s, k == 1 ? AT_ENOMEM : AT_OK);
        assert_int_equal(at_ranks_close(r, s, &err), s);
    }
}

/* The copy of the plugin in which the build id is another. */
static void other_build(const char *from, const char *to)
{
    char *all;
    size_t n, seen = 0, length = strlen(at_build_id());
    OK(at_file_read(from, 1 << 28, &all, &n, &err));
    for (size_t i = 0; i + length <= n; i++)
        if (!memcmp(all + i, at_build_id(), length)) {
            all[i] = all[i] == '0' ? '1' : '0';
            seen++;
        }
    assert_true(seen > 0);
    OK(at_file_write(to, all, n, &err));
    at_free(all);
}

static void plugin_is_judged(void **state)
{
    (void)state;
    char env[3 * TEST_PATH], dir[TEST_FOLDER], path[TEST_PATH], *said;
    static const char *const two = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1";
    assert_non_null(test_folder_new(dir));
    snprintf(path, sizeof path, "%s/attest_mpi.so", dir);
    snprintf(env, sizeof env, "%s ATTEST_MPI='%s'", two, path);

    assert_int_equal(ranks_call(0, env, "", "open", &said), 2);
    said_once(said, "this is rank 1 of 2, but ");
    said_once(said, "is not there");
    free(said);
    OK(at_file_write(path, "no ELF", 6, &err));
    assert_int_equal(ranks_call(0, env, "", "open", &said), 2);
    said_once(said, "MPI cannot be loaded");
    free(said);
    if (ranks_ready()) {
        const char *build = getenv("BUILD");
        char from[TEST_PATH];
        snprintf(from, sizeof from, "%s/attest_mpi.so", build && *build ? build : "build");
        other_build(from, path);
        assert_int_equal(ranks_call(0, env, "", "open", &said), 2);
        said_once(said, "belongs to build");
        free(said);
        /* The launcher is another MPI's, or lies: MPI sees one rank. */
        assert_int_equal(ranks_call(0, two, "", "open", &said), 2);
        said_once(said, "but MPI sees 1");
        free(said);
        /* Plain srun: no PMI, so MPI would end the process with a page of its own. With one it is asked. */
        static const char *const srun = "SLURM_JOB_ID=7 SLURM_JOBID=7 SLURM_STEP_ID=0 SLURM_STEPID=0 "
                                        "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1";
        assert_int_equal(ranks_call(0, srun, "", "open", &said), 2);
        said_once(said, "this is rank 1 of 4, but MPI does not start: srun offers no PMI");
        said_once(said, "srun --mpi=pmix");
        assert_null(strstr(said, "---"));
        free(said);
        static const char *const few = "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 PMI_RANK=1";
        assert_int_equal(ranks_call(0, few, "", "open", &said), 2);
        said_once(said, "but MPI sees 1");
        free(said);
        /* And under mpirun itself: nobody goes on alone. */
        unlink(path);
        snprintf(env, sizeof env, "ATTEST_MPI='%s'", path);
        assert_int_equal(ranks_call(2, env, "", "open", &said), 2);
        assert_non_null(strstr(said, "of 2, but "));
        assert_null(strstr(said, "said: rank"));
        free(said);
    }
    unlink(path);
    rmdir(dir);
}

/* Beside the executable, and from PREFIX/bin in PREFIX/lib/attest. That it was loaded is seen from what MPI says. */
static void plugin_is_found(void **state)
{
    (void)state;
    if (!ranks_ready())
        skip();
    static const char *const places[] = {"bin", "lib/attest"};
    char dir[TEST_FOLDER], line[12 * TEST_PATH];
    assert_non_null(test_folder_new(dir));
    for (int k = 0; k < 2; k++) {
        snprintf(line, sizeof line,
                 "d='%s'; unset ATTEST_MPI; export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 && "
                 "mkdir -p $d/bin $d/%s && cp /proc/%d/exe $d/bin/prog && ! $d/bin/prog open 2>$d/said && "
                 "grep -q \"$d/bin/attest_mpi.so is not there\" $d/said && "
                 "cp \"${BUILD:-build}/attest_mpi.so\" $d/%s/ && ! $d/bin/prog open 2>$d/said && "
                 "grep -q 'MPI sees 1' $d/said && rm -r \"$d\"",
                 dir, places[k], (int)getpid(), places[k]);
        assert_int_equal(system(line), 0);
    }
}

static void ranks_talk(void **state)
{
    (void)state;
    if (!ranks_ready())
        skip();
    for (int n = 2; n <= 4; n += 2) {
        char *said;
        if (ranks_call(n, "", "", "talk", &said))
            fail_msg("%d ranks: %s", n, said);
        free(said);
    }
}

/* Every allocation of a start fails once, on both ranks. */
static void ranks_start_short_of_memory(void **state)
{
    (void)state;
    if (!ranks_ready())
        skip();
    for (int k = 1; k <= 5;
         k++) { /* the ranks themselves, and what they note of each other; then there is none */
        char words[24], *said;
        snprintf(words, sizeof words, "open %d", k);
        int rc = ranks_call(2, "", "", words, &said);
        if (k == 5 ? rc != 0 : rc != 3 || !strstr(said, "said: out of memory"))
            fail_msg("allocation %d: exit %d: %s", k, rc, said);
        free(said);
    }
}

/* ---- training ------------------------------------------------------------------------------------------------------------ */

static void state_remove(const char *path)
{
    unlink(path);
    for (int r = 0; r < 3; r++) {
        char part[TEST_PATH + 16];
        snprintf(part, sizeof part, "%s.%d", path, r);
        unlink(part);
    }
}

static void same_bytes(const char *a, const char *b)
{
    char *x, *y;
    size_t n, m;
    OK(at_file_read(a, 1 << 28, &x, &n, &err));
    OK(at_file_read(b, 1 << 28, &y, &m, &err));
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    at_free(x);
    at_free(y);
}

static void training_is_one(void **state)
{
    (void)state;
    if (!ranks_ready())
        skip();
    place p = place_new();
    char one[TEST_PATH], many[TEST_PATH], words[2 * TEST_PATH], *said;
    snprintf(one, sizeof one, "%s/one", p.dir);
    snprintf(many, sizeof many, "%s/many", p.dir);
    for (int slots = 2; slots <= 8; slots *= 4)
        for (int n = 2; n <= 3; n++) {
            snprintf(words, sizeof words, "train %s %d nothing 0", one, slots);
            assert_int_equal(ranks_call(0, "", "", words, NULL), 0);
            snprintf(words, sizeof words, "train %s %d nothing 0", many, slots);
            if (ranks_call(n, "", "", words, &said))
                fail_msg("%d ranks: %s", n, said);
            free(said);
            same_bytes(many, one); /* the checkpoint of rank 0 */
            for (int r = 0; r < n; r++) {
                char path[TEST_PATH + 16];
                snprintf(path, sizeof path, "%s.%d", many, r);
                same_bytes(path, one);
            }
            state_remove(one);
            state_remove(many);
        }
    place_remove(&p);
}

/* One rank is cancelled, given a word that does not exist, or short of memory (each of the allocations of a step in turn):
 * all ranks end, with the same words. An allocation is survived where the others have begun to move. */
static void training_stops_as_one(void **state)
{
    (void)state;
    if (!ranks_ready())
        skip();
    static const struct {
        const char *what;
        int code;
        const char *text;
    } rows[] = {
        {"cancel", 3, "interrupted after 4 of 10 steps"},
        {"word", 2, "word 9 is outside"},
        {"memory1", 3, "out of memory"},
        {"memory2", 3, "out of memory"},
        {"memory3", 3, "out of memory"},
        {"memory4", 0, NULL},
    };
    place p = place_new();
    char path[TEST_PATH], words[2 * TEST_PATH], *said;
    snprintf(path, sizeof path, "%s/state", p.dir);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(words, sizeof words, "train %s 4 %s 1", path, rows[i].what);
        int rc = ranks_call(3, "", "", words, &said), lines = 0;
        for (const char *s = said; rows[i].text && (s = strstr(s, rows[i].text)); s++)
            lines++;
        if (rc != rows[i].code || (rows[i].text && lines != 3))
            fail_msg("%s: exit %d: %s", rows[i].what, rc, said);
        free(said);
        state_remove(path);
    }
    place_remove(&p);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return rank_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugin_is_found), cmocka_unit_test(launcher_is_heard),
        cmocka_unit_test(alone),           cmocka_unit_test(plugin_is_judged),
        cmocka_unit_test(ranks_talk),      cmocka_unit_test(ranks_start_short_of_memory),
        cmocka_unit_test(training_is_one), cmocka_unit_test(training_stops_as_one),
    };
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
