/* attest.h: the promised calls. What libattest.so exports is what stands here, and nothing else; headers in attest/ are the
 * workshop's own, for programs that are linked with libattest.a.
 *
 *     at_net *net;
 *     at_result *r;
 *     at_net_build("match2", "N=6 M=11", &net, &err);                            // weights that a theorem gives
 *     at_net_check(net, "match2", "N=4 M=11", "exact=1", NULL, &r, &err);        // is it right on every input?
 *     puts(at_result_text(r, "verdict"));                                        // holds
 *     at_result_free(r);
 *     at_net_free(net);
 *
 * One ritual. What is set is text, "N=6 M=11": names and values with blanks or commas between; a value with blanks stands in
 * quotes, alphabet="a b". NULL or "" sets nothing. What is found is an at_result, read by name. An at_env says how a call
 * works, never what it finds out but by its seed; NULL: the defaults.
 *
 * Failures. A call that can fail returns an at_status, and, but for at_net_generate, writes its results only when that is AT_OK.
 * err may be NULL; it is cleared when a call begins, and holds one line when it failed. A text that a call cannot do without (a
 * claim, a path) must not be NULL: AT_EINPUT. A verdict is no failure: a model that is wrong is a result.
 *
 * Threads. Different handles may be used at the same time, and one at_net by several calls at once as long as nobody writes to its
 * tensors. Letters: n positions, D width of the residual stream, T = n and the hidden positions. Matrices are row-major. */
#ifndef ATTEST_H
#define ATTEST_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct at_net at_net;         /* a model: built, compiled, trained or loaded */
typedef struct at_env at_env;         /* threads, seed, progress */
typedef struct at_result at_result;   /* what was found, by name */
typedef struct at_tracing at_tracing; /* the inside of one run */

/* ---- the library ------------------------------------------------------------------------------- */

AT_API const char *at_version(void);
AT_API const char *at_build_id(void); /* changes with every source */
AT_API void at_free(void *p);         /* of what a call says is freed so; NULL is allowed */
/* Long calls end soon with AT_ECANCEL once this was called, from any thread or a signal handler; and so does each that begins,
 * until it is cleared. */
AT_API void at_cancel_request(void);
AT_API bool at_cancel_pending(void);
AT_API void at_cancel_clear(void);
/* For callers that do not know the struct: one, freed with at_free; NULL when out of memory. And its line. */
AT_API at_err *at_err_new(void);
AT_API const char *at_err_text(const at_err *err);
/* What there is, as "rows", each with id, title and parameters: claims, bounds, problems, languages, refuters, settings (of
 * trainings). */
AT_API at_status at_list(const char *what, at_result **out, at_err *err);

/* ---- how a call works ---------------------------------------------------------------------------- */

AT_API at_status at_env_new(at_env **out, at_err *err);
/* "threads=2 seed=7". threads 0: one a core, the default; seed: 1. No result depends on threads. */
AT_API at_status at_env_set(at_env *env, const char *set, at_err *err);
/* Told now and then how far a long call is, from whichever of its threads. */
typedef void at_told(void *ctx, const char *what, double done, double total);
AT_API void at_env_progress(at_env *env, at_told *told, void *ctx);
AT_API void at_env_free(at_env *env); /* NULL is allowed */

/* ---- what was found --------------------------------------------------------------------------------- */

/* A name is a path of keys: "exam.answer_accuracy", "rows.0.id". Both answers live as long as r. NULL: no such text. NaN: no such
 * number, or null; true is 1. */
AT_API const char *at_result_text(const at_result *r, const char *name);
AT_API double at_result_number(const at_result *r, const char *name);
AT_API const char *at_result_json(const at_result *r); /* all of it, one JSON object */
AT_API void at_result_free(at_result *r);              /* NULL is allowed */

/* ---- models ----------------------------------------------------------------------------------------- */

/* The weights of a claim ("match2", or my.claim), at its parameters. */
AT_API at_status at_net_build(const char *claim, const char *set, at_net **out, at_err *err);
/* text: a file, or the name of a problem; with kind=regex, ltl, dp, .. (at_list "languages") what would stand in the file.
 * set: its sizes. how: kind, alphabet="a b", attention, precision. */
AT_API at_status at_net_compile(const char *text, const char *set, const char *how, at_net **out,
                                at_err *err);
AT_API at_status at_net_load(const char *path, at_net **out, at_err *err);
AT_API at_status at_net_parse(const void *bytes, size_t n, at_net **out, at_err *err); /* of a file */
AT_API at_status at_net_save(const at_net *net, const char *path, at_err *err); /* whole or not at all */
AT_API at_status at_net_image(const at_net *net, void **bytes, size_t *n,
                              at_err *err); /* the file; freed with at_free */
AT_API at_status at_net_copy(const at_net *net, at_net **out, at_err *err);
AT_API void at_net_free(at_net *net); /* NULL is allowed */
/* A model of another tool: a folder with config.json and model.safetensors, or one file. how: as=gpt2, neox, llama, nanogpt,
 * transformerlens or tracr (none: by the names of tensors), config=FILE, read=next, last or every, steps=N, ignore=KEYS. */
AT_API at_status at_net_import(const char *path, const char *how, at_net **out, at_err *err);
/* The same of the bytes of a safetensors file, and the text of its configuration (NULL: none). */
AT_API at_status at_net_adopt(const void *bytes, size_t n, const char *config, const char *how, at_net **out,
                              at_err *err);
/* For other tools: to is onnx, torch, transformerlens, gpt2 or npz; how: dtype=f32 or f64, cache=1. A file, or a new folder. */
AT_API at_status at_net_export(const at_net *net, const char *to, const char *how, const char *path,
                               at_err *err);
/* Name, problem, hash, sizes, fields, blocks, readout, decoding, names of residual subspaces. */
AT_API at_status at_net_about(const at_net *net, at_result **out, at_err *err);
/* Tensor i of so many, (rows, columns); of a vector columns is 0. name, rows and columns may be NULL. The weights may be written
 * to, as long as they stay finite, and live as long as the net. NULL: there is no such tensor. */
AT_API int at_net_tensors(const at_net *net);
AT_API double *at_net_tensor(const at_net *net, int i, const char **name, size_t *rows, size_t *columns);

/* ---- running ---------------------------------------------------------------------------------------------
 *
 * An input is x (n, width): tokens by their numbers, components of other fields; width is 1 for words. precision: f64 (NULL),
 * f32, p12, p8e5, ball, exact. */
/* Of inputs of n positions: width, the numbers a position has; positions that are answered, n or the last alone; decisions
 * at each; values of the readout, before a decision, at each. Each may be NULL. */
AT_API void at_net_shape(const at_net *net, int n, int *width, int *positions, int *decisions, int *values);
/* The input that a line says, as `attest run` reads it; of a decoder the prompt. x is freed with at_free. */
AT_API at_status at_net_read(const at_net *net, const char *line, double **x, int *n, at_err *err);
/* The line of an input; written: of rows that the model wrote. Freed with at_free. */
AT_API at_status at_net_say(const at_net *net, const double *x, int n, bool written, char **line,
                            at_err *err);
AT_API const char *at_net_word(const at_net *net, double decision); /* what it is called; NULL: a number */
/* decision (positions, decisions), NaN where the arithmetic cannot decide; margin, as many: how far the nearest other decision
 * is; value (positions, values). Each may be NULL. */
AT_API at_status at_net_run(const at_net *net, const double *x, int n, const char *precision,
                            double *decision, double *margin, double *value, at_err *err);
/* The same of count inputs of n positions, one behind the other; f32 and f64 by the fast executor, on all threads. */
AT_API at_status at_net_runs(const at_net *net, const double *x, int n, size_t count, const char *precision,
                             const at_env *env, double *decision, double *margin, double *value, at_err *err);
/* What a decoder writes after a prompt: rows (*n_rows, width), freed with at_free, and its least margin (may be NULL). AT_EBUDGET: it
 * came to no end; the rows so far are given all the same. */
AT_API at_status at_net_generate(const at_net *net, const double *x, int n, const char *precision,
                                 double **rows, int *n_rows, double *margin, at_err *err);

/* The attention and the residual stream of a run. */
AT_API at_status at_net_trace(const at_net *net, const double *x, int n, const char *precision,
                              at_tracing **out, at_err *err);
AT_API int at_tracing_positions(const at_tracing *t); /* T */
AT_API int at_tracing_heads(const at_tracing *t);
/* Head k: its layer and its number there, both from 1; what it is for, or NULL. Each may be NULL. Returns the weights, (T, T), queries by
 * keys; NULL: there is no such head. */
AT_API const double *at_tracing_weights(const at_tracing *t, int k, int *layer, int *number,
                                        const char **name);
AT_API const double *at_tracing_scores(const at_tracing *t, int k); /* (T, T), masked: -inf; NULL: not kept */
AT_API int at_tracing_states(const at_tracing *t, int *D); /* how many: one more than there are blocks */
AT_API const double *at_tracing_state(const at_tracing *t, int k); /* (T, D) after k blocks */
AT_API void at_tracing_free(at_tracing *t);                        /* NULL is allowed */

/* Its attention, drawn: as text (freed with at_free), or into a file .png, .svg or .pdf. A decoder is looked at with what it writes. */
AT_API at_status at_net_svg(const at_net *net, const double *x, int n, const char *precision, char **svg,
                            at_err *err);
AT_API at_status at_net_look(const at_net *net, const double *x, int n, const char *precision,
                             const char *path, at_err *err);

/* ---- asking ------------------------------------------------------------------------------------------------
 *
 * problem: a name, a file, or NULL: the one that the model was made for. set: its sizes. */

/* Does the model solve the problem? how: exact=1, sampled=N or certify=1 (none: exact where that is quick), lengths=0..6, precision,
 * tolerance. Result: verdict (holds, fails, unknown), inputs, seconds, and rows, one a length: verdict, evidence, strength, inputs, margin,
 * note, counterexample. */
AT_API at_status at_net_check(const at_net *net, const char *problem, const char *set, const char *how,
                              const at_env *env, at_result **out, at_err *err);
/* The same of a claim, with its controls, which must be rejected. how: tier=quick or full, precision. */
AT_API at_status at_claim_verdict(const char *claim, const char *set, const char *how, const at_env *env,
                                  at_result **out, at_err *err);
/* An input on which the model is wrong, or two that it cannot tell apart. how: by=REFUTER, budget=MILLIONS of multiply-adds,
 * precision, tolerance. Result: refuted (true, or null: that proves nothing), method, inputs, attempts. */
AT_API at_status at_net_refute(const at_net *net, const char *problem, const char *set, const char *how,
                               const at_env *env, at_result **out, at_err *err);
/* Are two models the same function? how: exact=1, sampled=N, lengths=0..6, precision, tolerance. Result: equal (true, false, null),
 * inputs, and the input that tells. */
AT_API at_status at_net_equal(const at_net *a, const at_net *b, const char *how, const at_env *env,
                              at_result **out, at_err *err);
/* How many prompts, lines of a file or inputs it answers rightly. how: count=N (1000), split=train, test or all, precision. Result:
 * answer_accuracy, chain_accuracy, prompts, unfit (longer or shorter than the model takes), least_margin. */
AT_API at_status at_net_eval(const at_net *net, const char *problem, const char *set, const char *how,
                             const at_env *env, at_result **out, at_err *err);
/* What it accepts as something that is not a model, and equal to it: to is dfa, ltl, brasp, crasp or circuit (BLIF). how:
 * precision, length=N (circuit), values=N, gates=N. Result: text, and what it is like. A model outside the class is AT_EREFUSED. */
AT_API at_status at_net_extract(const at_net *net, const char *to, const char *how, at_result **out,
                                at_err *err);
/* Parties that hold some of the n positions each compute the model together. parties: a letter a position, "BAAB", or how many take
 * them in turn, "3". how: precision (p24e8). Result: verdict (holds: what they read is the model's, bit for bit), bits, messages,
 * query_bits, peak_bits, sum_bits, sent (a party), values. */
AT_API at_status at_net_protocol(const at_net *net, const char *parties, const double *x, int n,
                                 const char *how, at_result **out, at_err *err);
/* Least size against problem size, of one problem or of all (NULL): bounds, constructions, and what a ledger (NULL: none) says of
 * trained models. Result: panels, each with task, architecture, points by kind, verdict, gap; contradictions; words. */
AT_API at_status at_map_read(const char *problem, const char *set, const char *ledger, at_result **out,
                             at_err *err);
/* A lower bound in numbers. Result: verdict (binding, vacuous, up to a constant), inequality, meaning, starts, least. */
AT_API at_status at_bound_at(const char *bound, const char *set, at_result **out, at_err *err);

/* ---- training ------------------------------------------------------------------------------------------------ */

/* recipe: settings (at_list "settings"), "width=32 steps=400"; from: NULL, or the model to begin with. Result: steps, loss, exams,
 * and exam, the last: answer_accuracy, chain_accuracy. */
AT_API at_status at_net_train(const char *problem, const char *set, const char *recipe, const at_net *from,
                              const at_env *env, at_net **out, at_result **result, at_err *err);

#ifdef __cplusplus
}
#endif

#endif
