/* cert.h: certificates: a verdict as a file that others can check again, without attest.
 *
 *     at_cert_question q = {.claim = at_claim_find("match2"), .seed = 1, .version = "1.0", .date = "2026-01-31"};
 *     at_cert_made made;
 *     at_cert_make(&q, &arena, &made, &err);
 *     at_file_write("match2.cert", made.text.s, made.text.n, &err);
 *
 * docs/certificates.md is the format; tools/verify.py reads it. What a verdict rests on is written such that it can be computed
 * again: the problem as text, the weights, a digest of the decisions on every block of inputs, the input that refutes a
 * control, the cases of a certificate with their bounds as fractions. */
#ifndef ATTEST_CERT_H
#define ATTEST_CERT_H

#include <attest/claim.h>

#define AT_CERT_VERSION "1.0" /* of the format */

typedef struct {
    const at_claim *claim; /* of the catalogue, a file's, or a question of one's own (at_claim_ask) */
    at_tier tier;
    const char *set; /* NULL, or assignments that every cell gets */
    uint64_t seed;
    const char *version, *build, *date; /* of attest; when */
    bool beside;                        /* weights by their hash alone: the caller writes the files */
    const at_check_env *env;
} at_cert_question;

typedef struct {
    char hash[65]; /* of the bytes */
    const char *bytes;
    size_t n;
} at_cert_model;

typedef struct {
    at_text text; /* the certificate; at_text_release */
    int cells, left_out;
    at_tri holds;    /* of all cells: do claims hold, and are controls rejected? */
    const char *why; /* a reason why a cell was left out; NULL: none was */
    const at_cert_model *models;
    int n_models;
} at_cert_made;

/* Asks every cell of the tier (f64, and certificates; others are left out, which the file says) and writes down what is found. A claim of
 * which no cell can be written down is refused in words. */
at_status at_cert_make(const at_cert_question *q, at_arena *a, at_cert_made *out, at_err *err);

/* BibTeX of the sources that the claim names, and of its check; how many sources were known. */
int at_cite(const at_claim *c, const char *version, const char *build, const char *date, at_text *out);

#endif
