/* ranks_test.c: what a rank does in the tests, and how it is started. */
#define _GNU_SOURCE
#include "ranks_test.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

static int refused(at_status s, const at_err *err)
{
    fprintf(stderr, "said: %s\n", err->text);
    return at_exit_code(s);
}

static int leave(at_ranks *r, at_status s, at_err *err)
{
    s = at_ranks_agree(r, s, NULL, 0, err);
    if (s) /* before closing: mpirun may end the others when the first one leaves */
        fprintf(stderr, "said: %s\n", err->text);
    return at_exit_code(at_ranks_close(r, s, err));
}

/* ---- talk: every collective, small, uneven, empty and large -------------------------------------------------- */

static at_status gather_try(at_ranks *r, size_t unit, at_err *err)
{
    int n = at_ranks_count(r), me = at_ranks_rank(r);
    size_t begin[65] = {0};
    for (int k = 0; k < n; k++) /* rank 1 has nothing */
        begin[k + 1] = begin[k] + (k == 1 ? 0 : unit * (size_t)(k + 1));
    unsigned char *data = calloc(begin[n] + 1, 1);
    for (size_t i = begin[me]; i < begin[me + 1]; i++)
        data[i] = (unsigned char)(i * 7 + i / 251);
    data[begin[n]] = 99;
    at_status s = at_ranks_gather(r, data, begin, err);
    for (size_t i = 0; i < begin[n] && !s; i++)
        if (n > 1 && data[i] != (unsigned char)(i * 7 + i / 251))
            s = at_fail(err, AT_EINPUT, "byte %zu of %zu is wrong", i, begin[n]);
    if (!s && data[begin[n]] != 99)
        s = at_fail(err, AT_EINPUT, "a byte beyond the end was written");
    free(data);
    return at_ranks_agree(r, s, NULL, 0, err);
}

static at_status sum_try(at_ranks *r, at_err *err)
{
    enum { N = 130 };
    double x[N], want[N];
    int n = at_ranks_count(r);
    for (int i = 0; i < N; i++) {
        x[i] = 1.0 / (3 + i + at_ranks_rank(r));
        want[i] = 1.0 / (3 + i);
        for (int k = 1; k < n; k++)
            want[i] += 1.0 / (3 + i + k);
    }
    at_status s = at_ranks_sum(r, x, N, err);
    if (!s && memcmp(x, want, sizeof x))
        s = at_fail(err, AT_EINPUT, "a sum is not that of ranks in order");
    return at_ranks_agree(r, s, NULL, 0, err);
}

static at_status agree_try(at_ranks *r, at_err *err)
{
    int me = at_ranks_rank(r), last = at_ranks_count(r) - 1;
    at_err other = {0};
    bool stop = me == last;
    at_status s = at_ranks_agree(r, AT_OK, &stop, 5, err);
    if (!s && !stop)
        s = at_fail(err, AT_EINPUT, "a wish to stop was not heard");
    at_status mine = me == last ? at_fail(&other, AT_EBUDGET, "no time left") : AT_OK;
    if (at_ranks_agree(r, mine, NULL, (uint64_t)me, &other) != AT_EBUDGET ||
        !strstr(other.text, "no time left"))
        s = at_fail(err, AT_EINPUT, "rank %d did not hear of a failure: %s", me, other.text);
    other = (at_err){0};
    if (last > 0 && at_ranks_agree(r, AT_OK, NULL, me == last, &other) != AT_EINPUT)
        s = at_fail(err, AT_EINPUT, "a difference was not noticed");
    return at_ranks_agree(r, s, NULL, 0, err);
}

static int talk(void)
{
    at_err err = {0};
    at_ranks *r;
    at_status s = at_ranks_open(&r, &err);
    if (s)
        return refused(s, &err);
    static const size_t units[] = {1, 1000, 65537, (size_t)9 << 20};
    for (size_t i = 0; i < sizeof units / sizeof *units && !s; i++)
        s = gather_try(r, units[i], &err);
    char word[8] = "no";
    int from = at_ranks_count(r) - 1;
    if (at_ranks_rank(r) == from)
        strcpy(word, "yes");
    if (!s)
        s = at_ranks_broadcast(r, word, sizeof word, from, &err);
    if (!s && strcmp(word, "yes"))
        s = at_fail(&err, AT_EINPUT, "a broadcast did not arrive");
    if (!(s = at_ranks_agree(r, s, NULL, 0, &err)))
        s = sum_try(r, &err);
    if (!s)
        s = agree_try(r, &err);
    return leave(r, s, &err);
}

/* failing: 0, or the allocation that fails. */
static int open_only(long failing)
{
    at_err err = {0};
    at_ranks *r;
    at_alloc_inject(failing);
    at_status s = at_ranks_open(&r, &err);
    at_alloc_inject(0);
    if (s)
        return refused(s, &err);
    printf("said: rank %d of %d\n", at_ranks_rank(r), at_ranks_count(r));
    return leave(r, AT_OK, &err);
}

/* ---- train FILE SLOTS WHAT RANK: ten steps; rank RANK meets WHAT alone ---------------------------------------------- */

enum { WORDS = 9, LENGTH = 12, BATCH = 7, STEPS = 10 };
typedef struct {
    int token[BATCH][LENGTH], target[BATCH][LENGTH];
    at_train_sequence s[BATCH];
    const char *what; /* NULL: nothing happens here */
} well;

static at_status well_draw(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    (void)err;
    well *w = ctx;
    at_rng r = at_rng_at(11, step);
    for (int i = 0; i < BATCH; i++) {
        int length = 1 + (int)at_rng_below(&r, LENGTH);
        for (int k = 0; k < length; k++) {
            w->token[i][k] = (int)at_rng_below(&r, WORDS);
            w->target[i][k] = (int)at_rng_below(&r, WORDS);
        }
        w->s[i] = (at_train_sequence){length, w->token[i], w->target[i]};
    }
    if (w->what && step == 3 && !strcmp(w->what, "cancel"))
        at_cancel_request();
    if (w->what && step == 3 && !strncmp(w->what, "memory", 6)) /* the K-th allocation from here */
        at_alloc_inject(atol(w->what + 6));
    if (w->what && step == 3 && !strcmp(w->what, "word"))
        w->token[0][0] = WORDS;
    *batch = w->s;
    *n = BATCH;
    return AT_OK;
}

static int train(char **word)
{
    at_err err = {0};
    at_ranks *r;
    at_trainer *t = NULL;
    at_status s = at_ranks_open(&r, &err);
    if (s)
        return refused(s, &err);
    well w = {.what = at_ranks_rank(r) == atoi(word[3]) ? word[2] : NULL};
    at_train_arch a = at_train_arch_default;
    a.layers = 2, a.heads = 2, a.width = 16, a.vocabulary = WORDS, a.length = LENGTH, a.slots = atoi(word[1]);
    s = at_ranks_agree(r, at_trainer_new(&a, at_f32, 1, &t, &err), NULL, 0, &err);
    at_train_ranks how = at_ranks_training(r);
    if (!s)
        s = at_trainer_ranks(t, &how, &err);
    at_train_loop l = {.steps = STEPS, .adamw = at_adamw_default, .checkpoint = word[0], .every = 4};
    double loss;
    if (!s)
        s = at_train_run(t, &l, well_draw, &w, &loss, &err);
    at_alloc_inject(0);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.%d", word[0], at_ranks_rank(r));
    if (!s)
        s = at_trainer_save(t, NULL, path, &err);
    at_trainer_free(t);
    return leave(r, s, &err);
}

/* ---- spread DB CELLS LOG SILENCE HOW RANK WHEN: cells that leave a line in LOG ------------------------------------- */

static void die(int sig)
{
    (void)sig;
    kill(getpid(), SIGKILL);
}

static void log_line(const char *path, const char *what, size_t cell)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s %zu\n", what, cell),
        fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        abort();
    close(fd);
}

/* Cell k as the ledger sees it; when it was found there nothing is done. */
static at_status cell_do(at_ledger *l, size_t k, const char *log, bool die_before, at_err *err)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* a ledger is used by one thread at a time */
    char params[32], hash[65] = "", detail[64];
    snprintf(params, sizeof params, "k=%zu", k);
    memset(hash, 'a', 64);
    snprintf(detail, sizeof detail, "{\"square\": %zu}", k * k);
    at_cell_key key = {"spread", params, "what is the square?", hash, 1, at_build_id()};
    at_arena a;
    at_row *row;
    at_arena_init(&a);
    pthread_mutex_lock(&one);
    at_status s = at_ledger_find(l, &key, &row, &a, err);
    pthread_mutex_unlock(&one);
    bool found = row != NULL;
    at_arena_release(&a);
    if (s || found)
        return s;
    struct timespec t = {0, 5000000 + (long)(k % 5) * 5000000};
    nanosleep(&t, NULL);
    log_line(log, "did", k);
    if (die_before)
        die(0);
    at_record rec = {
        .role = "claim", .verdict = "holds", .inputs = k, .margin = (double)k / 3, .detail = detail};
    pthread_mutex_lock(&one);
    s = at_ledger_put(l, &key, &rec, err);
    pthread_mutex_unlock(&one);
    if (!s)
        log_line(log, "put", k);
    return s;
}

typedef struct {
    at_spread *w;
    size_t cells;
    const char *log, *how; /* how: NULL on the other ranks */
    long when, count;
    at_status status[2];
    at_err err[2];
} worker;

static void worker_run(void *ctx, size_t thread, int id)
{
    (void)id;
    worker *o = ctx;
    size_t k;
    at_err *err = &o->err[thread];
    at_status s = AT_OK;
    while (!s && !(s = at_spread_next(o->w, &k, err)) && k < o->cells) {
        const char *how = o->how && ++o->count == o->when ? o->how : "never";
        s = cell_do(at_spread_ledger(o->w), k, o->log, !strcmp(how, "before"), err);
        if (!strcmp(how, "after"))
            die(0);
        if (!strcmp(how, "fail"))
            s = at_fail(err, AT_EBUDGET, "cell %zu takes too long", k);
        if (!strcmp(how, "stop"))
            at_cancel_request();
        at_status told = at_spread_done(o->w, k, !s, err);
        s = s ? s : told;
    }
    o->status[thread] = s;
}

/* HOW: never; before WHEN: killed with its WHEN-th cell under way; after WHEN: with it put; time WHEN: after WHEN us;
 * fail WHEN: its WHEN-th cell fails; stop WHEN: cancelled there. Other ranks than RANK have two threads. */
static int spread(char **word)
{
    at_err err = {0};
    at_ranks *r;
    at_status s = at_ranks_open(&r, &err);
    if (s)
        return refused(s, &err);
    bool odd = at_ranks_rank(r) == atoi(word[5]);
    worker o = {
        .cells = (size_t)atol(word[1]), .log = word[2], .how = odd ? word[4] : NULL, .when = atol(word[6])};
    if (odd && !strcmp(o.how, "time")) { /* not before: mpirun may hang when a rank dies while MPI starts */
        signal(SIGALRM, die);
        struct itimerval it = {.it_value = {o.when / 1000000, o.when % 1000000 + 1}};
        setitimer(ITIMER_REAL, &it, NULL);
    }
    s = at_spread_open(r, word[0], o.cells, atof(word[3]), &o.w, &err);
    if (!s)
        s = at_parallel(2, odd ? 1 : 2, worker_run, &o, &err);
    for (int k = 0; k < 2 && !s; k++)
        if (o.status[k])
            s = at_fail(&err, o.status[k], "%s", o.err[k].text);
    s = at_spread_close(o.w, s, &err);
    return leave(r, s, &err);
}

int rank_main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "talk"))
        return talk();
    if (argc == 2 && !strcmp(argv[1], "open"))
        return open_only(0);
    if (argc == 3 && !strcmp(argv[1], "open"))
        return open_only(atol(argv[2]));
    if (argc == 6 && !strcmp(argv[1], "train"))
        return train(argv + 2);
    if (argc == 9 && !strcmp(argv[1], "spread"))
        return spread(argv + 2);
    return 64;
}

/* ---- starting ranks --------------------------------------------------------------------------------------------------- */

static void plugin_path(char out[PATH_MAX])
{
    const char *build = getenv("BUILD");
    snprintf(out, PATH_MAX, "%s/attest_mpi.so", build && *build ? build : "build");
}

bool ranks_ready(void)
{
    static int ready = -1; /* a machine without any network interface has no mpirun that works */
    char path[PATH_MAX];
    plugin_path(path);
    if (ready < 0)
        ready = access(path, F_OK) == 0 && system("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                                                  "mpirun -n 1 true >/dev/null 2>&1") == 0;
    return ready;
}

int ranks_call(int ranks, const char *env, const char *options, const char *words, char **said)
{
    /* Two cores and more ranks: none may spin. One machine: memory is the way, and no kernel help that a container may
     * forbid. MPI's own leaks are not ours. */
    static const char *const settings =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader "
        "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none "
        "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0";
    char exe[PATH_MAX], plugin[PATH_MAX], launcher[512] = "", log[TEST_PATH] = "/dev/null", dir[TEST_FOLDER];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    assert_true(n > 0);
    exe[n] = 0;
    plugin_path(plugin);
    if (ranks)
        snprintf(launcher, sizeof launcher, "timeout -k 5 100 mpirun %s -n %d", options, ranks);
    if (said) {
        assert_non_null(test_folder_new(dir));
        snprintf(log, sizeof log, "%s/said", dir);
    }
    char *line;
    assert_true(asprintf(&line, "%s ATTEST_MPI='%s' %s %s '%s' %s >'%s' 2>&1 </dev/null", settings, plugin,
                         env, launcher, exe, words, log) > 0);
    int rc = system(line);
    free(line);
    if (said) {
        size_t size;
        char *text;
        OK(at_file_read(log, 1 << 20, &text, &size, &err));
        *said = strdup(text);
        at_free(text);
        unlink(log);
        rmdir(dir);
    }
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : -WTERMSIG(rc);
}
