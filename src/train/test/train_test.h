/* train_test.h: what the tests of training share: random batches, states on disk, failing allocations. */
#ifndef ATTEST_TRAIN_TEST_H
#define ATTEST_TRAIN_TEST_H

#include <attest/train.h>

#define TEST_BATCH 5

typedef struct {
    at_train_sequence s[TEST_BATCH];
    int n;
    int *numbers;
} test_batch;

/* TEST_BATCH sequences of different lengths up to `longest`; every fourth target is left out. */
void test_batch_make(test_batch *b, const at_train_arch *a, int longest, uint64_t seed);
/* Any words: inputs below V, targets below R, lengths from `shortest`; last: targets at the end only. */
void test_batch_draw(test_batch *b, int V, int R, int shortest, int longest, bool last, uint64_t seed);
void test_batch_release(test_batch *b);
void test_must(at_status s, const at_err *err, const char *file, int line);
#define must(call, err) test_must((call), (err), __FILE__, __LINE__)

/* The plain model that a training of this architecture begins with. */
void test_family_model(const at_train_arch *a, at_arith arith, at_model *m);

/* An empty file that is the caller's to remove; one at a time. */
char *test_file_new(void);
/* Steps, weights and moments of both are the same, bit by bit. */
void test_same_state(const at_trainer *t, const at_trainer *u);

/* Makes a trainer of `what`. */
typedef at_status test_maker(const void *what, at_trainer **t, at_err *err);
/* Allocations of a whole life (made, one step, saved, loaded, written as a model) fail one by one: each of the
 * first `each` (30 or more), then in steps of a thirtieth. What failed says so; nothing leaks (under a sanitizer). */
void test_starve(test_maker *make, const void *what, const test_batch *b, int n_min, long each);

/* The gradient of every tensor of an f64 trainer, its weights moved by `noise` times normal numbers first, against differences
 * of step h. Tensors whose name holds `unseen` (may be NULL) may have no gradient at all. */
void test_gradient(at_trainer *t, const test_batch *b, double h, double noise, const char *unseen);

#endif
