/* finding_internal.h: what the files of the codec share: JSON values taken out of an object, and put into one.
 *
 *     finding.c            the kinds, verdicts, what was not understood
 *     finding_table.c      tables of numbers, refutations
 *     finding_training.c   trainings
 *
 * Reading takes: a key that is understood is removed from the object. So what is left at the end was not. */
#ifndef ATTEST_FINDING_INTERNAL_H
#define ATTEST_FINDING_INTERNAL_H

#include <attest/store.h>

#include <jansson.h>

#define FINDING_COUNT_MOST 0x1p53 /* whole numbers up to here are exact in a double */

typedef struct {
    at_arena *a;
    at_finding *f;
    bool oom;
} finding_reader;

/* The first fault is kept: "KEY WANTED". False, so that callers may return it. */
bool finding_broken(finding_reader *r, const char *key, const char *wanted);
const char *finding_text(finding_reader *r, const json_t *v); /* NULL: no string, or oom */
bool finding_number(const json_t *v, double lo, double hi, double *out);
bool finding_count(const json_t *v, double hi, double *out); /* whole, 0..hi */
/* Take the key when its value is as wanted. */
void finding_take_text(finding_reader *r, json_t *o, const char *key, const char **out);
bool finding_take_number(json_t *o, const char *key, double lo, double hi, double *out); /* null: NaN */
bool finding_take_bool(json_t *o, const char *key, bool *out);
void *finding_new(finding_reader *r, size_t n, size_t size);

/* Readers of the kinds: o is the whole detail. */
void finding_read_table(finding_reader *r, json_t *o);
void finding_read_refutation(finding_reader *r, json_t *o);
void finding_read_training(finding_reader *r, json_t *o);

/* Writing: set and add take over the value; NULL makes the whole NULL, which is out of memory. */
json_t *finding_set(json_t *o, const char *key, json_t *value);
json_t *finding_add(json_t *array, json_t *value);
json_t *finding_string(const char *s); /* cleaned when it is not UTF-8 */
json_t *finding_real(double x);        /* null when it is not finite */
json_t *finding_whole(double x);
json_t *finding_set_text(json_t *o, const char *key, const char *s); /* NULL: nothing is set */
json_t *finding_table_json(const at_table_detail *t);
json_t *finding_refutation_json(const at_refutation_detail *t);
json_t *finding_training_json(const at_training_detail *t);

#endif
