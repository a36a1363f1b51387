/* test_finding.c: details of records: what is written is read again, whatever the values; what is damaged is absent, shown or
 * broken in words, and nothing crashes. */
#include "store_fixture.h"

static at_arena arena;

static int setup(void **state)
{
    (void)state;
    at_arena_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    at_arena_release(&arena);
    return 0;
}

static at_finding read_as(at_finding_kind kind, const char *json)
{
    at_finding f;
    at_err err = {0};
    assert_int_equal(at_finding_read(kind, json, &arena, &f, &err), AT_OK);
    assert_int_equal(f.kind, kind);
    return f;
}

/* Written and read again; nothing is left over. */
static at_finding again(const at_finding *f)
{
    const char *json;
    at_err err = {0};
    assert_int_equal(at_finding_write(f, &arena, &json, &err), AT_OK);
    at_finding back = read_as(f->kind, json);
    if (back.broken)
        fail_msg("%s: %s", json, back.broken);
    assert_int_equal(back.n_more, 0);
    return back;
}

static void same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

/* Bit by bit; NaN is NaN. */
static void same_number(double a, double b)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_memory_equal(&a, &b, sizeof a);
}

static const double odd[] = {0, -0.0, 1, 1 / 3., -1e300, 5e-324, 0x1p53, 907016.0078125, NAN};
enum { ODD = sizeof odd / sizeof *odd };
static const char *const words[] = {"", "a \"quote\" \\ and\nlines\t", "\xC3\xA9\xE2\x86\x92\xF0\x9F\x8E\x88",
                                    "<script>&amp;</script>", "\x1B[31m"};
enum { WORDS = sizeof words / sizeof *words };

static void verdicts_return(void **state)
{
    (void)state;
    at_finding nothing = {.kind = AT_FINDING_VERDICT}, back = again(&nothing);
    assert_null(back.verdict.size);
    assert_null(back.verdict.claim);
    assert_null(back.verdict.counterexample);
    for (int k = 0; k < ODD * WORDS; k++) {
        const char *w = words[k % WORDS], *v = words[(k / 2) % WORDS];
        at_size_detail z = {k, 1 << 30, 0, 3, 4, (uint64_t)1 << 53, (uint64_t)k, fabs(odd[k % ODD])};
        at_claim_detail c = {w, v, w, v, w, k % 2 ? v : NULL, k % 3 ? w : NULL};
        at_counterexample_detail x = {.input = w,
                                      .position = k,
                                      .expected = odd[k % ODD],
                                      .got = odd[(k + 3) % ODD],
                                      .expected_word = k % 3 ? w : NULL,
                                      .got_word = k % 3 ? NULL : v,
                                      .chain = k % 5 ? NULL : v,
                                      .attention = *w ? w : NULL};
        at_finding f = {.kind = AT_FINDING_VERDICT,
                        .verdict = {&z, &c, k % 2 ? w : NULL, k % 2 ? NULL : v, &x}};
        back = again(&f);
        const at_verdict_detail *b = &back.verdict;
        assert_int_equal(b->size->layers, k);
        assert_int_equal(b->size->heads, 1 << 30);
        assert_int_equal(b->size->parameters, (uint64_t)1 << 53);
        assert_int_equal(b->size->nonzero, k);
        same_number(b->size->largest, z.largest);
        same_text(b->claim->title, w);
        same_text(b->claim->proof, v);
        same_text(b->claim->text, c.text);
        same_text(b->claim->repeat, c.repeat);
        same_text(b->control, f.verdict.control);
        same_text(b->note, f.verdict.note);
        same_text(b->counterexample->input, w);
        assert_int_equal(b->counterexample->position, k);
        same_number(b->counterexample->expected, x.expected);
        same_number(b->counterexample->got, x.got);
        same_text(b->counterexample->expected_word, x.expected_word);
        same_text(b->counterexample->got_word, x.got_word);
        same_text(b->counterexample->chain, x.chain);
        same_text(b->counterexample->attention, x.attention);
    }
}

static void tables_return(void **state)
{
    (void)state;
    static const char *const columns[] = {"N", "", "\xE2\x8C\x88log\xE2\x8C\x89"};
    at_table_entry e[ODD * 3];
    for (int k = 0; k < ODD * 3; k++)
        e[k] = k % 4 ? (at_table_entry){NULL, odd[k % ODD]} : (at_table_entry){words[k % WORDS], NAN};
    const at_table_plot plots[] = {{"N", 0.5}, {"other", NAN}};
    at_finding f = {.kind = AT_FINDING_TABLE,
                    .table = {.id = "size",
                              .title = words[1],
                              .x = "N",
                              .logy = true,
                              .n_columns = 3,
                              .n_rows = ODD,
                              .n_plots = 2,
                              .columns = columns,
                              .entries = e,
                              .plots = plots}};
    at_finding back = again(&f);
    const at_table_detail *b = &back.table;
    same_text(b->id, "size");
    same_text(b->title, words[1]);
    same_text(b->x, "N");
    assert_null(b->by);
    assert_true(!b->logx && b->logy);
    assert_int_equal(b->n_columns, 3);
    assert_int_equal(b->n_rows, ODD);
    for (int k = 0; k < 3; k++)
        same_text(b->columns[k], columns[k]);
    for (int k = 0; k < ODD * 3; k++) {
        same_text(b->entries[k].text, e[k].text);
        same_number(b->entries[k].number, e[k].number);
    }
    same_number(b->plots[0].exponent, 0.5);
    assert_true(isnan(b->plots[1].exponent));
    f.table.n_rows = f.table.n_plots = 0; /* nothing computed yet */
    assert_int_equal(again(&f).table.n_rows, 0);
    const char *json; /* a row alone */
    at_table_entry row[3];
    at_err err = {0};
    assert_int_equal(at_table_row_write(e + 3, 3, &arena, &json, &err), AT_OK);
    assert_true(at_table_row_read(json, 3, &arena, row));
    for (int k = 0; k < 3; k++)
        same_number(row[k].number, e[3 + k].number);
    static const char *const wrong[] = {"",          "[",        "{}",         "[1,2]",
                                        "[1,2,3,4]", "[1,2,[]]", "[1,2,true]", "[1,2,1e999]"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_false(at_table_row_read(wrong[k], 3, &arena, row));
}

static at_training_detail training(void)
{
    static const double step[] = {1, 2, 1e12}, loss[] = {3.25, NAN, 5e-324}, part[] = {0, 1 / 3., 1};
    return (at_training_detail){.preset = "quick",
                                .attention = "linear",
                                .size_name = "n",
                                .width = 32,
                                .layers = 3,
                                .heads = 4,
                                .parameters = (int64_t)1 << 53,
                                .size = 10,
                                .batch = 1,
                                .rate = 0.006,
                                .answer = 1 / 3.,
                                .chain = 1,
                                .first_wrong = NAN,
                                .twice = NAN,
                                .kl = NAN,
                                .entropy = NAN,
                                .gflops_to_90 = NAN,
                                .gflops_chain = 1e15,
                                .gflops_trained = 5e-324,
                                .mark = "impossible",
                                .why = words[1],
                                .n_loss = 3,
                                .n_accuracy = 3,
                                .loss_step = step,
                                .loss = loss,
                                .accuracy_step = step,
                                .answer_at = part,
                                .chain_at = part};
}

static void trainings_return(void **state)
{
    (void)state;
    at_finding f = {.kind = AT_FINDING_TRAINING, .training = training()}, back = again(&f);
    const at_training_detail *a = &f.training, *b = &back.training;
    same_text(b->preset, a->preset);
    same_text(b->attention, a->attention);
    same_text(b->size_name, a->size_name);
    same_text(b->mark, a->mark);
    same_text(b->why, a->why);
    assert_null(b->flags);
    assert_int_equal(b->parameters, a->parameters);
    assert_int_equal(b->size, 10);
    same_number(b->rate, a->rate);
    same_number(b->answer, a->answer);
    same_number(b->first_wrong, NAN);
    same_number(b->kl, NAN);
    same_number(b->entropy, NAN);
    same_number(b->gflops_chain, 1e15);
    same_number(b->gflops_trained, 5e-324);
    assert_int_equal(b->n_loss, 3);
    assert_int_equal(b->n_accuracy, 3);
    for (int k = 0; k < 3; k++) {
        same_number(b->loss_step[k], a->loss_step[k]);
        same_number(b->loss[k], a->loss[k]);
        same_number(b->accuracy_step[k], a->accuracy_step[k]);
        same_number(b->answer_at[k], a->answer_at[k]);
        same_number(b->chain_at[k], a->chain_at[k]);
    }
    f.training.kl = 0.25, f.training.entropy = 1.5;
    back = again(&f);
    same_number(b->kl, 0.25);
    same_number(b->entropy, 1.5);
    f.training.n_loss = f.training.n_accuracy = 0;
    assert_int_equal(again(&f).training.n_loss, 0);
    f.training.width = 0; /* what may not be read may not be served either */
    const char *json;
    at_err err = {0};
    assert_int_equal(at_finding_write(&f, &arena, &json, &err), AT_OK);
    assert_string_equal(read_as(AT_FINDING_TRAINING, json).broken,
                        "width is no whole number in 1..1.04858e+06");
}

static void refutations_return(void **state)
{
    (void)state;
    const at_attempt_detail tried[] = {{"one-layer", (uint64_t)1 << 53, 1e300, words[1]},
                                       {"search", 0, 0, ""}};
    at_refutation_detail d = {
        .runs = 3, .states = 7, .random_inputs = 9, .random_pair = true, .n_attempts = 2, .attempts = tried};
    for (int found = 0; found < 3; found++) { /* nothing; one input; a pair */
        d.method = found ? "one-layer" : NULL;
        d.wrong = found ? words[2] : NULL;
        d.n_pair = found;
        d.pair[0] = words[2];
        d.pair[1] = words[0];
        at_finding f = {.kind = AT_FINDING_REFUTATION, .refutation = d}, back = again(&f);
        const at_refutation_detail *b = &back.refutation;
        assert_true(b->runs == 3 && b->states == 7 && b->random_inputs == 9);
        assert_true(b->random_pair && !b->random_wrong);
        assert_int_equal(b->n_attempts, 2);
        for (int k = 0; k < 2; k++) {
            same_text(b->attempts[k].refuter, tried[k].refuter);
            assert_true(b->attempts[k].states == tried[k].states);
            same_number(b->attempts[k].work, tried[k].work);
            same_text(b->attempts[k].words, tried[k].words);
        }
        same_text(b->method, d.method);
        same_text(b->wrong, d.wrong);
        assert_int_equal(b->n_pair, found);
        for (int k = 0; k < found; k++)
            same_text(b->pair[k], d.pair[k]);
    }
}

/* Bytes that are no UTF-8 are cleaned, not lost with their key. */
static void foreign_bytes_are_cleaned(void **state)
{
    (void)state;
    at_finding f = {.kind = AT_FINDING_VERDICT, .verdict = {.note = "a\xFF z", .control = "\xC3"}},
               back = again(&f);
    assert_non_null(back.verdict.note);
    assert_non_null(strstr(back.verdict.note, " z"));
    assert_non_null(back.verdict.control);
}

/* What a newer build writes, or what was damaged, is absent and kept as text. */
static void what_is_not_understood_is_kept(void **state)
{
    (void)state;
    at_finding f =
        read_as(AT_FINDING_VERDICT,
                "{\"note\":7,\"size\":{\"layers\":1,\"heads\":-1},\"counterexample\":{\"input\":\"1 2\","
                "\"got\":\"three\",\"position\":1.5,\"mood\":[1]},\"drawn\":7,\"word\":\"holds\"}");
    assert_null(f.broken);
    assert_null(f.verdict.note);
    assert_null(f.verdict.size);
    same_text(f.verdict.counterexample->input, "1 2");
    assert_int_equal(f.verdict.counterexample->position, 0);
    assert_true(isnan(f.verdict.counterexample->got));
    static const char *const left[][2] = {
        {"note", "7"},
        {"size", "{\"layers\":1,\"heads\":-1}"},
        {"counterexample", "{\"got\":\"three\",\"position\":1.5,\"mood\":[1]}"},
        {"drawn", "7"},
        {"word", "holds"}};
    assert_int_equal(f.n_more, 5);
    for (int k = 0; k < 5; k++) {
        assert_string_equal(f.more[k].key, left[k][0]);
        assert_string_equal(f.more[k].value, left[k][1]);
    }
    f = read_as(AT_FINDING_REFUTATION,
                "{\"runs\":-1,\"states\":1e99,\"method\":\"x\",\"pair\":[\"1\",2],\"attempts\":"
                "{\"rows\":[[\"a\",1,2,\"b\"],[\"a\",1.5,2,\"b\"]]}}");
    assert_true(f.refutation.runs == 0 && f.refutation.states == 0);
    assert_null(f.refutation.method);
    assert_int_equal(f.refutation.n_pair + f.refutation.n_attempts, 0);
    assert_int_equal(f.n_more, 5);
}

static void broken_in_words(void **state)
{
    (void)state;
    static const struct {
        at_finding_kind kind;
        const char *json, *why;
    } rows[] = {
        {AT_FINDING_VERDICT, "{", "detail is no JSON object"},
        {AT_FINDING_VERDICT, "[1]", "detail is no JSON object"},
        {AT_FINDING_VERDICT, "{\"note\":\"a\",\"note\":\"b\"}", "detail is no JSON object"},
        {AT_FINDING_VERDICT, "{\"note\":\"\\u0000\"}", "detail is no JSON object"},
        {AT_FINDING_VERDICT, "{\"a\":1e999}", "detail is no JSON object"},
        {AT_FINDING_TABLE, NULL, "detail is no JSON object"},
        {AT_FINDING_TABLE, "", "detail is no JSON object"},
        {AT_FINDING_TABLE, "{}", "table is no object"},
        {AT_FINDING_TABLE, "{\"table\":[]}", "table is no object"},
        {AT_FINDING_TABLE, "{\"table\":{\"columns\":[],\"rows\":[]}}", "columns are not 1..64 names"},
        {AT_FINDING_TABLE, "{\"table\":{\"columns\":[1],\"rows\":[]}}", "columns are not 1..64 names"},
        {AT_FINDING_TABLE, "{\"table\":{\"columns\":[\"a\"]}}", "rows are no list"},
        {AT_FINDING_TABLE, "{\"table\":{\"columns\":[\"a\"],\"rows\":[[1],[1,2]]}}",
         "rows have a row 2 that is not 1 numbers, words or null"},
        {AT_FINDING_TABLE, "{\"table\":{\"columns\":[\"a\"],\"rows\":[],\"plots\":[{}]}}",
         "plots have one that is not a column and its exponent"},
        {AT_FINDING_TABLE, "{\"table\":{\"columns\":[\"a\"],\"rows\":[],\"plots\":7}}",
         "plots are not at most 64 columns"},
        {AT_FINDING_TRAINING, NULL, "detail is no JSON object"},
        {AT_FINDING_TRAINING, "{}", "preset is no text of 1..64 bytes"},
        {AT_FINDING_REFUTATION, "null", "detail is no JSON object"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at_finding f = read_as(rows[k].kind, rows[k].json);
        if (!f.broken || strcmp(f.broken, rows[k].why))
            fail_msg("%s: %s", rows[k].json, f.broken ? f.broken : "read");
        assert_int_equal(f.n_more + f.table.n_rows, 0);
    }
    assert_null(read_as(AT_FINDING_VERDICT, NULL).broken); /* most have none */
    assert_null(read_as(AT_FINDING_VERDICT, "").broken);
    static const char *const roles[] = {"claim", "control", NULL,        "stranger",
                                        "table", "trained", "refutation"};
    for (int k = 0; k < 7; k++) { /* the role says which */
        at_row r = {.rec = {.role = roles[k], .detail = "{}"}};
        at_finding f;
        at_err err = {0};
        assert_int_equal(at_finding_of_row(&r, &arena, &f, &err), AT_OK);
        assert_int_equal(f.kind, k < 4 ? AT_FINDING_VERDICT : (int)AT_FINDING_VERDICT + k - 3);
    }
}

/* Every byte of a detail damaged in several ways: read by every kind, and what is read can be walked and written. */
static void no_damage_crashes(void **state)
{
    (void)state;
    const at_attempt_detail tried[] = {{"one-layer", 5, 6, "found"}};
    static const char *const columns[] = {"N", "M"};
    const at_table_entry e[] = {{NULL, 1}, {"word", NAN}, {NULL, NAN}, {NULL, 2.5}};
    const at_size_detail z = {1, 2, 3, 4, 5, 6, 7, 8};
    const at_counterexample_detail cx = {
        .input = "1 2", .position = 1, .expected = 1, .got = NAN, .attention = "x"};
    const at_finding whole[] = {
        {.kind = AT_FINDING_VERDICT, .verdict = {.size = &z, .note = "n", .counterexample = &cx}},
        {.kind = AT_FINDING_TABLE,
         .table = {.n_columns = 2, .n_rows = 2, .columns = columns, .entries = e, .x = "N"}},
        {.kind = AT_FINDING_TRAINING, .training = training()},
        {.kind = AT_FINDING_REFUTATION,
         .refutation = {
             .n_attempts = 1, .attempts = tried, .method = "m", .wrong = "1", .n_pair = 1, .pair = {"1"}}}};
    static const char turns[] = "\"{}[],:0-9.e\x00\xFFnt ";
    size_t read = 0;
    for (size_t w = 0; w < 4; w++) {
        const char *good;
        at_err err = {0};
        assert_int_equal(at_finding_write(&whole[w], &arena, &good, &err), AT_OK);
        size_t n = strlen(good);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < sizeof turns - 1; k++) {
                at_mark mark = at_arena_mark(&arena);
                char *bad = at_arena_strdup(&arena, good);
                bad[i] = turns[k];
                for (int kind = AT_FINDING_VERDICT; kind <= AT_FINDING_REFUTATION; kind++) {
                    at_finding f = read_as((at_finding_kind)kind, bad);
                    const char *json;
                    if (f.broken)
                        continue;
                    assert_int_equal(at_finding_write(&f, &arena, &json, &err), AT_OK);
                    read++;
                }
                at_arena_reset(&arena, mark);
            }
    }
    assert_true(read > 1000);
}

/* As they were written before there were structs. */
static void older_details_are_read(void **state)
{
    (void)state;
    at_finding f = read_as(
        AT_FINDING_VERDICT,
        "{\"control\":\"c=0.05\",\"counterexample\":{\"attention\":\"\",\"expected\":1.0,\"got\":null,"
        "\"input\":\"3 14 5\",\"position\":2},\"size\":{\"head_dim\":3,\"heads\":1,\"hidden\":2,"
        "\"largest_weight\":12.5,\"layers\":1,\"nonzero\":20,\"parameters\":33,\"width\":3}}");
    assert_int_equal(f.n_more, 0);
    assert_null(f.verdict.counterexample->attention);
    assert_int_equal(f.verdict.size->parameters, 33);
    f = read_as(AT_FINDING_TABLE, "{\"table\":{\"columns\":[\"L\",\"p\"],\"id\":\"precision\",\"logx\":true,"
                                  "\"logy\":false,\"plots\":[],"
                                  "\"rows\":[[8.0,11.0],[16.0,null]],\"title\":\"least p\",\"x\":\"L\"}}");
    assert_true(!f.broken && !f.n_more && f.table.n_rows == 2 && isnan(f.table.entries[3].number));
    f = read_as(AT_FINDING_TRAINING,
                "{\"preset\":\"quick\",\"attention\":\"linear\",\"width\":32,\"layers\":3,\"heads\":4,"
                "\"parameters\":40775,"
                "\"size\":10.0,\"size_name\":\"n\",\"length\":24,\"steps\":3600,\"batch\":32,\"rate\":0.006,"
                "\"tokens\":5299200,\"loss\":[[18,2.31]],\"accuracy\":[[400,0.31,0.12]],\"answer\":0.99,"
                "\"chain\":0.97,"
                "\"first_wrong\":7.5,\"gflops_chain\":0.0021,\"gflops_trained\":1400.0,\"gflops_to_90\":null,"
                "\"mark\":\"constructible\",\"why\":\"dp-linear: width 30\"}");
    assert_true(!f.broken && !f.n_more && f.training.size == 10 && f.training.n_accuracy == 1);
    f = read_as(
        AT_FINDING_REFUTATION,
        "{\"attempts\":{\"columns\":[\"refuter\",\"states\",\"multiply-adds\",\"what came of it\"],\"rows\":"
        "[[\"one-layer\",42,1200.0,\"found\"]]},\"method\":\"one-layer\",\"pair\":[\"1 2\",\"1 4\"],"
        "\"random_inputs\":42,\"random_pair\":false,\"random_wrong\":false,\"runs\":1,\"states\":42,"
        "\"wrong\":\"1 4\"}");
    assert_true(!f.broken && !f.n_more && f.refutation.n_pair == 2 && f.refutation.attempts[0].states == 42);
    f = read_as(AT_FINDING_REFUTATION, "{\"attempts\":[{\"refuter\":\"one-layer\",\"seconds\":0.1,\"states\":"
                                       "2,\"words\":\"\"}],\"runs\":1}");
    assert_true(!f.broken && !f.n_more && f.refutation.n_attempts == 1 &&
                isnan(f.refutation.attempts[0].work) && f.refutation.attempts[0].states == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verdicts_return, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_return, setup, teardown),
        cmocka_unit_test_setup_teardown(trainings_return, setup, teardown),
        cmocka_unit_test_setup_teardown(refutations_return, setup, teardown),
        cmocka_unit_test_setup_teardown(foreign_bytes_are_cleaned, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_understood_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_in_words, setup, teardown),
        cmocka_unit_test_setup_teardown(older_details_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(no_damage_crashes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
