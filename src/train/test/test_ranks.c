/* test_ranks.c: several ranks train as one. Here a rank is a thread with a trainer of its own, and they talk through memory;
 * real processes are in src/job/test/test_ranks.c.
 *
 * What is compared is the whole state, by the bytes of its file. Batches of TEST_BATCH = 5 sequences on 1 to 16 slots and
 * up to 7 ranks include blocks that are cut off and ranks without a slot. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../core/test/test_folder.h"
#include "../train_internal.h"
#include "train_test.h"

#define MOST  7
#define STEPS 3

/* ---- ranks that are threads --------------------------------------------------------------------------- */

typedef struct {
    pthread_barrier_t gate;
    int ranks;
    void *data[MOST];
    at_status status[MOST];
    bool stop[MOST];
    uint64_t same[MOST];
    atomic_int meetings;
} room;

typedef struct {
    room *in;
    int rank;
} seat;

static at_status gather(void *ctx, void *data, const size_t *begin, at_err *err)
{
    (void)err;
    seat *me = ctx;
    room *in = me->in;
    in->data[me->rank] = data;
    pthread_barrier_wait(&in->gate);
    for (int r = 0; r < in->ranks; r++)
        if (r != me->rank)
            memcpy((char *)data + begin[r], (char *)in->data[r] + begin[r], begin[r + 1] - begin[r]);
    pthread_barrier_wait(&in->gate);
    return AT_OK;
}

static at_status agree(void *ctx, at_status mine, bool *stop, uint64_t same, at_err *err)
{
    seat *me = ctx;
    room *in = me->in;
    in->status[me->rank] = mine;
    in->stop[me->rank] = *stop;
    in->same[me->rank] = same;
    atomic_fetch_add(&in->meetings, 1);
    pthread_barrier_wait(&in->gate);
    at_status s = AT_OK;
    for (int r = 0; r < in->ranks; r++) {
        if (!s && in->status[r])
            s = at_fail(err, in->status[r], "rank %d failed", r);
        *stop = *stop || in->stop[r];
    }
    for (int r = 0; r < in->ranks && !s; r++)
        if (in->same[r] != in->same[0])
            s = at_fail(err, AT_EINPUT, "rank %d differs", r);
    pthread_barrier_wait(&in->gate);
    return s;
}

/* ---- one training, by a rank -------------------------------------------------------------------------- */

typedef struct {
    at_train_arch arch;
    at_arith arith;
    const char *file; /* rank r writes FILE.r, at_train_run FILE */
    int odd;          /* the rank that meets something alone, or -1 */
    enum { NOTHING, OTHER_BATCH, OTHER_WEIGHTS, BAD_SOURCE, NO_DISK, HUGE_RATE } what;
} plan;

typedef struct {
    plan p;
    seat at;
    int threads;
    at_status status;
    at_err err;
    double loss, gradient; /* the last loss; the sum of the last gradient */
    uint64_t steps;
    test_batch batch;
} member;

static at_status source(void *ctx, uint64_t step, const at_train_sequence **batch, int *n, at_err *err)
{
    member *m = ctx;
    bool odd = m->at.rank == m->p.odd && step == 1;
    if (odd && m->p.what == BAD_SOURCE)
        return at_fail(err, AT_EIO, "the well is dry");
    test_batch_release(&m->batch);
    test_batch_make(&m->batch, &m->p.arch, m->p.arch.length,
                    step + (odd && m->p.what == OTHER_BATCH ? 100 : 0));
    *batch = m->batch.s;
    *n = m->batch.n;
    return AT_OK;
}

static at_status member_train(member *m, at_trainer *t)
{
    at_train_ranks r = {m->at.rank, m->at.in->ranks, gather, agree, &m->at};
    size_t n = at_trainer_parameters(t);
    double *w = calloc(n, sizeof *w);
    at_trainer_read(t, w);
    w[3] += m->p.what == OTHER_WEIGHTS && m->at.rank == m->p.odd;
    at_status s = at_trainer_write(t, w, &m->err);
    if (!s && m->at.in->ranks > 1)
        s = at_trainer_ranks(t, &r, &m->err);
    char path[TEST_PATH + 16];
    snprintf(path, sizeof path, "%s%s", m->p.file, m->p.what == NO_DISK ? "/no/such/place" : "");
    at_train_loop l = {.steps = STEPS, .adamw = at_adamw_default, .checkpoint = path, .every = 1};
    if (m->p.what == HUGE_RATE)
        l.adamw.rate = 1e30, l.adamw.decay = 0;
    if (!s)
        s = at_train_run(t, &l, source, m, &m->loss, &m->err);
    if (!s)
        s = at_trainer_gradient(t, m->batch.s, m->batch.n, &m->loss, w, &m->err);
    for (size_t i = 0; !s && i < n; i++)
        m->gradient += w[i];
    if (!s)
        s = at_trainer_loss(t, m->batch.s, m->batch.n, &m->loss, &m->err);
    free(w);
    return s;
}

static void *member_run(void *arg)
{
    member *m = arg;
    at_trainer *t = NULL;
    m->status = at_trainer_new(&m->p.arch, m->p.arith, m->threads, &t, &m->err);
    if (!m->status)
        m->status = member_train(m, t);
    char path[TEST_PATH + 16];
    snprintf(path, sizeof path, "%s.%d", m->p.file, m->at.rank);
    if (!m->status)
        m->status = at_trainer_save(t, NULL, path, &m->err);
    m->steps = t ? at_trainer_steps(t) : 0;
    at_trainer_free(t);
    test_batch_release(&m->batch);
    return NULL;
}

static void crew_run(const plan *p, int ranks, member *out)
{
    room in = {.ranks = ranks};
    pthread_t thread[MOST];
    pthread_barrier_init(&in.gate, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++)
        out[r] = (member){.p = *p, .at = {&in, r}, .threads = 1 + r % 2};
    for (int r = 0; r < ranks; r++)
        assert_int_equal(pthread_create(&thread[r], NULL, member_run, &out[r]), 0);
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&in.gate);
    assert_int_equal(atomic_load(&in.meetings) % ranks, 0); /* nobody was left waiting, or called once more */
}

/* ---- tests ----------------------------------------------------------------------------------------------- */

typedef struct {
    char dir[TEST_FOLDER], one[TEST_PATH], many[TEST_PATH];
} place;

static place place_new(void)
{
    place p = {.dir =
                   "/dev/shm/attest-ranks-XXXXXX"}; /* hundreds of states: a disk would be all we measure */
    if (!mkdtemp(p.dir))
        assert_non_null(test_folder_new(p.dir));
    snprintf(p.one, sizeof p.one, "%s/one", p.dir);
    snprintf(p.many, sizeof p.many, "%s/many", p.dir);
    return p;
}

static void place_remove(const place *p)
{
    for (int r = -1; r < MOST; r++)
        for (int k = 0; k < 2; k++) {
            char path[TEST_PATH + 16];
            snprintf(path, sizeof path, r < 0 ? "%s" : "%s.%d", k ? p->one : p->many, r);
            unlink(path);
        }
    assert_int_equal(rmdir(p->dir), 0);
}

static void same_file(const char *path, const char *like)
{
    char *a, *b;
    size_t n, m;
    at_err err = {0};
    must(at_file_read(path, SIZE_MAX / 2, &a, &n, &err), &err);
    must(at_file_read(like, SIZE_MAX / 2, &b, &m, &err), &err);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    at_free(a);
    at_free(b);
}

static at_train_arch arch_of(int kind, int slots)
{
    at_train_arch a = at_train_arch_default;
    a.attention = (at_attention_kind)kind;
    a.layers = 1, a.heads = 2, a.width = 16, a.hidden = 16, a.vocabulary = 7, a.length = 9, a.slots = slots;
    return a;
}

static void ranks_agree(void **state)
{
    (void)state;
    place d = place_new();
    for (int kind = 0; kind < AT_TRAINED_ATTENTIONS; kind++)
        for (int slots = 1; slots <= 16; slots *= 2)
            for (int ranks = 2; ranks <= MOST; ranks++) {
                member one[1], many[MOST];
                plan p = {.arch = arch_of(kind, slots), .arith = kind == 1 ? at_f64 : at_f32, .odd = -1};
                p.file = d.one;
                crew_run(&p, 1, one);
                must(one->status, &one->err);
                p.file = d.many;
                crew_run(&p, ranks, many);
                same_file(d.many, d.one); /* the checkpoint of the loop */
                for (int r = 0; r < ranks; r++) {
                    char path[TEST_PATH + 16], like[TEST_PATH + 16];
                    must(many[r].status, &many[r].err);
                    snprintf(path, sizeof path, "%s.%d", d.many, r);
                    snprintf(like, sizeof like, "%s.0", d.one);
                    same_file(path, like);
                    assert_memory_equal(&many[r].loss, &one->loss, sizeof one->loss);
                    assert_memory_equal(&many[r].gradient, &one->gradient, sizeof one->gradient);
                }
            }
    place_remove(&d);
}

/* The busiest rank has as few slots as any split into aligned blocks allows, and all slots are somebody's. */
static void slots_are_shared_out(void **state)
{
    (void)state;
    at_trainer t = {0};
    for (int ranks = 2; ranks <= 40; ranks++)
        for (int slots = 1; slots <= 64; slots++) {
            int next = 0, busiest = 0;
            t.ranks.ranks = ranks;
            for (t.ranks.rank = 0; t.ranks.rank < ranks; t.ranks.rank++) {
                train_share h = train_share_of(&t, slots);
                assert_int_equal(h.first < slots ? h.first : slots, next);
                assert_int_equal(h.first % h.block, 0);
                next = h.last;
                if (h.last - h.first > busiest)
                    busiest = h.last - h.first;
            }
            assert_int_equal(next, slots);
            assert_int_equal(busiest, (slots + ranks - 1) / ranks);
        }
}

/* What one rank meets, all of them fail in, after the same number of steps. */
static void one_stops_all(void **state)
{
    (void)state;
    static const struct {
        int what;
        at_status status;
        uint64_t steps;
    } rows[] = {
        {OTHER_BATCH, AT_EINPUT, 1}, {OTHER_WEIGHTS, AT_EINPUT, 0}, {BAD_SOURCE, AT_EIO, 1},
        {NO_DISK, AT_EIO, 1},        {HUGE_RATE, AT_EDOMAIN, 1},
    };
    place d = place_new();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int odd = 0; odd < 3; odd++) {
            member many[MOST];
            plan p = {
                .arch = arch_of(0, 4), .arith = at_f32, .file = d.many, .odd = odd, .what = rows[k].what};
            crew_run(&p, 3, many);
            for (int r = 0; r < 3; r++) {
                assert_int_equal(many[r].status, rows[k].status);
                assert_int_equal(many[r].err.code, rows[k].status);
                assert_int_equal(many[r].steps, rows[k].steps);
            }
        }
    place_remove(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_shared_out),
        cmocka_unit_test(ranks_agree),
        cmocka_unit_test(one_stops_all),
    };
    return cmocka_run_group_tests_name("ranks of a training", tests, NULL, NULL);
}
