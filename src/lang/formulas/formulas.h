/* formulas.h: what the languages of formulas (LTL, B-RASP, C-RASP) share when they are read and printed: tokens, the
 * letters of predicates, and a printer.
 *
 *     ftext x;
 *     ftext_begin(&x, text, path, line, column, false, &arena, &err);
 *     if (ftext_take(&x, FT_NOT)) ...
 *     return x.status;
 *
 * The first failure sticks: from then on every token is the end. */
#ifndef ATTEST_FORMULA_TEXT_H
#define ATTEST_FORMULA_TEXT_H

#include <attest/lang.h>

/* What a token is. Signs have several spellings, `and` and ∧ beside &; the table is in lex.c. */
typedef enum {
    FT_END,
    FT_LINE,   /* the end of a statement: ";", and of the line where lines are statements */
    FT_WORD,   /* letters, digits and _, no digit first; any other visible character that is no sign */
    FT_NUMBER, /* digits */
    FT_QUOTED, /* "(": s is what stands between the quotes */
    FT_OPEN,   /* from here on signs */
    FT_CLOSE,
    FT_SQUARE,
    FT_SQUARE_CLOSE,
    FT_COMMA,
    FT_COLON,
    FT_DEFINE, /* := */
    FT_EQUAL,
    FT_DIFFERENT,
    FT_LESS,
    FT_LESS_EQUAL,
    FT_GREATER,
    FT_GREATER_EQUAL,
    FT_NOT,
    FT_AND,
    FT_OR,
    FT_IMPLIES,
    FT_IFF,
    FT_PLUS,
    FT_MINUS,
    FT_TIMES,
    FT_COUNT, /* # */
    FT_LEFTMOST,
    FT_RIGHTMOST,
    FT_TRUE,
    FT_FALSE,
    FT_KINDS
} ftext_kind;

typedef struct {
    ftext_kind kind;
    const char *s; /* (n) bytes; of a quoted one without quotes */
    size_t n;
    const char *from; /* where it begins in the text */
    int64_t number;
} ftext_token;

typedef struct {
    const char *text, *path;
    int line, column; /* where the text begins in its file, from 1 */
    bool lines;       /* the end of a line ends a statement; else it is a blank */
    const char *at;   /* behind `now` */
    ftext_token now;
    int depth;
    at_arena *arena; /* of what is quoted */
    at_err *err;
    at_status status;
} ftext;

/* Reads the first token. The text must stay; # begins no comment here (words_header_read has made blanks of them). */
void ftext_begin(ftext *x, const char *text, const char *path, int line, int column, bool lines, at_arena *a,
                 at_err *err);
void ftext_next(ftext *x);
bool ftext_is(const ftext *x, ftext_kind k);
bool ftext_take(ftext *x, ftext_kind k); /* moves on if it is there */
bool ftext_is_word(const ftext *x, const char *word);
bool ftext_take_word(ftext *x, const char *word);
ftext_token ftext_peek(const ftext *x); /* the token behind `now`; what is no token is the end */
/* Moves on, or fails: "<what> is missing". */
void ftext_need(ftext *x, ftext_kind k, const char *what);
/* One line, path:line:column: what. from: where, in the text. */
void ftext_fail(ftext *x, const char *from, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fails at `now`: "what, not 'it'". */
void ftext_expected(ftext *x, const char *what);
/* One deeper, for readers that call themselves: fails beyond AT_FORMULA_DEPTH. x->depth-- afterwards. */
bool ftext_deeper(ftext *x);
/* Passes on the failure of a maker (formula.h), at a place of the text. */
void ftext_made(ftext *x, const at_formulas *f, const char *from);

/* A part, made; `from`: where its text begins. NULL after a failure, here and below. */
at_formula *ftext_part(ftext *x, at_formulas *f, at_formula part, const char *from);
/* a, which is a truth, or a number; else this fails. a may be NULL. */
at_formula *ftext_is_truth(ftext *x, const at_formulas *f, at_formula *a, const char *from);
at_formula *ftext_is_number(ftext *x, const at_formulas *f, at_formula *a, const char *from);
/* value times a. Constants and coefficients take the factor themselves, so that a row of factors is no deep tree. */
at_formula *ftext_times(ftext *x, at_formulas *f, int64_t value, at_formula *a, const char *from);

/* Does the sign compare two numbers? Then what it says of them. */
bool ftext_compares(ftext_kind k);
at_formula *ftext_compared(at_formulas *f, ftext_kind k, at_formula *a, at_formula *b);
/* The number of a letter in the alphabet; fails with the nearest letters where it is none. */
int ftext_letter(ftext *x, const at_formulas *f, const ftext_token *t);
/* May these bytes be a letter: 1 to AT_LETTER_MAX - 1 of them, whole characters, all of them seen, no blank? */
bool ftext_letter_seen(const char *s, size_t n);
/* A mask that says j: `1`, `j < i`, `j <= i`, `j > i`, `j >= i`, or with i first. Reads it; fails at anything else. */
at_see ftext_see(ftext *x);
/* Does a mask begin here? A `1` only before `behind`. */
bool ftext_see_is(const ftext *x, ftext_kind behind);

/* ---- reading formulas ----------------------------------------------------------------------------------------------------- */

/* FT_BARE: letters stand for themselves, as in LTL. FT_SAID: of a position, as in Q_a(i). */
typedef enum { FT_BARE, FT_SAID } ftext_style;
/* FT_SAID: which positions may be named. Where both may, a part that is said of j is `other` (formula.h). */
typedef enum { FT_SAYS_I, FT_SAYS_BOTH } ftext_says;

/* One grammar for both, weakest first; FT_SAID has no temporal operators, no counts and no numbers:
 *
 *     iff     = implies { "<->" implies }
 *     implies = or [ "->" implies ]
 *     or      = and { "|" and }
 *     and     = since { "&" since }
 *     since   = prefix [ ("S" | "U" | "W" | "R") since ]                             temporal
 *     prefix  = ("!" | "Y" | "Z" | "O" | "H" | "X" | "N" | "F" | "G") prefix | compare
 *     compare = sum [ ("<" | "<=" | "=" | ">=" | ">" | "!=") sum | "mod" m ("=" | "!=") r ]     counts
 *     sum     = term { ("+" | "-") term }
 *     term    = "-" term | number [ ["*"] term ] | atom { "*" number }
 *     atom    = "(" iff ")" | "true" | "false" | letter | "#" "[" ... "]" ... | "mod" "(" "i" "," m ")" "=" r
 *             | "min" "(" iff "," iff ")" | "max" "(" ... ")" | "if" iff "then" sum "else" sum */
typedef struct {
    ftext *x;
    at_formulas *f;
    ftext_style style;
    ftext_says says;
    bool number; /* a number is wanted, so digits are no letter; for the reader itself */
    /* FT_BARE: letters that are not there yet are entered, up to AT_LETTERS_MAX. (AT_LETTERS_MAX), or NULL: they are faults */
    const char **met;
} ftext_reader;
at_formula *ftext_truth(ftext_reader *r);   /* NULL after a failure */
at_formula *ftext_formula(ftext_reader *r); /* a truth or a number */

/* A predicate of B-RASP and C-RASP, up to and with "(i)" or "(j)": a definition P(i), or a letter as Q_a(i), Qa(i), a(i), Q_((i) or
 * Q["("](i). NULL after a failure. */
at_formula *ftext_predicate(ftext *x, at_formulas *f, ftext_says says);
/* The name at the left of a definition, which must be no letter's predicate, and its "(i)". It lives in the arena. NULL after a
 * failure. */
const char *ftext_defined(ftext *x, const at_formulas *f);

/* ---- printing ----------------------------------------------------------------------------------------------------------- */

/* Reads back as the same part. */
void ftext_print(const at_formulas *f, const at_formula *x, ftext_style style, at_text *out);
/* The lines alphabet, attention and accept of f, as words_header_read has them. */
void ftext_print_header(const at_formulas *f, at_text *out);
/* Words of these languages, which are quoted where they are letters. */
bool ftext_reserved(const char *s, size_t n);

#endif
