/* map_panels.c: the panels of the map, as data. Adding one is adding a row.
 *
 * Bounds are asked for the smallest model (m=1, w=1): their least size does not depend on it, and where even that is not ruled
 * out they are vacuous. A panel says once what its numbers are (.numbers, .bits), and its bound is asked for these: exact sums are those of the
 * models that attest runs at p bits, rounded ones those of f32 and of decoders (docs/bounds.md, docs/map.md). */
#include "report_internal.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

#define F32 .numbers = "p=24 e=8"

/* Constructions and what was trained, of decoders. */
#define DECODER(TASK, ARCH, AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM, ATTENTION)                           \
    .task = TASK, .architecture = ARCH, .size = AXIS, .words = COUNTS, .sizes = SIZES,                       \
    .construction = CLAIM, .construction_params = PARAMS, .trained = STREAM, .attention = ATTENTION

#define STANDARD(TASK, AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM)                                           \
    {                                                                                                        \
        DECODER(TASK, "standard", AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM, AT_ATTENTION_STANDARD),        \
            .unit = "width", .measure = AT_MAP_WIDTH                                                         \
    }
#define SPARSE(TASK, AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM, ...)                                        \
    {                                                                                                        \
        DECODER(TASK, "sparse", AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM, AT_ATTENTION_SPARSE),            \
            .unit = "width", .measure = AT_MAP_WIDTH, __VA_ARGS__                                            \
    }
/* What a linear decoder remembers are sums of heads: its size is theirs. */
#define LINEAR(TASK, AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM, ...)                                        \
    {                                                                                                        \
        DECODER(TASK, "linear", AXIS, COUNTS, SIZES, CLAIM, PARAMS, STREAM, AT_ATTENTION_LINEAR),            \
            .unit = "heads x head width", .measure = AT_MAP_HEADS_DIM, __VA_ARGS__                           \
    }

#define BLOCKS                                                                                               \
    "B=@block k=@windows c=@ends layers=@layers H=1 w=1 attention=sparse", F32, .bits = AT_BITS_FLOATS
#define SUMS "layers=@layers H=@heads w=1", F32, .bits = AT_BITS_ROUNDED

#define NUMBERS    "numbers in the input"
#define LETTERS    "letters of each word"
#define PREFIX_SUM "8 32 128 512 2048 8192 32768"
#define LIS        "5 10 20 40 80 160 250"
#define WORDS      "3 6 12 20 40 80 160"
#define OPERATORS  "2 4 8 16 32 64"

const at_map_panel at_map_panels[] = {
    {.task = "match2",
     .architecture = "one softmax layer",
     .size = "N",
     .sizes = "4 8 16 32 64 128 256 512",
     .unit = "head width",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "match2",
     .construction_params = "N=$; M=$+1"},
    {.task = "match3",
     .architecture = "one softmax layer",
     .size = "N",
     .sizes = "1000 3000 10000 100000 1000000",
     .unit = "head width, one head",
     .bound = "match3-hard",
     .bound_params = "N=$ M=$*4+2 H=1 m=1",
     F32,
     .bits = AT_BITS_EXACT,
     .refuted = "match3-hard",
     .refuted_params = "part=refute H=1 n=$",
     .refuted_unit = "m",
     .refuted_size = "n*2+1",
     .note = "The models refuted have fewer bits than f32."},
    {.task = "match3",
     .architecture = "three-wise unit",
     .size = "N",
     .sizes = "4 8 16 32 64 128 256 512",
     .unit = "head width",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "match3-threewise",
     .construction_params = "N=$; M=$+1"},
    {.task = "qsa",
     .architecture = "self-attention",
     .size = "q",
     .sizes = "1 2 3 4",
     .unit = "head width, N = 32",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "qsa-rip",
     .construction_params = "q=$ N=32",
     .bound = "qsa-attention-hard",
     .bound_params = "q=$ N=$*2+1 m=1",
     F32,
     .bits = AT_BITS_FLOATS,
     .bound_sizes = "64 128 256 512 1024 2048",
     .refuted = "qsa-attention-hard",
     .refuted_params = "part=refute q=$",
     .refuted_unit = "m",
     .note = "The bound is at N = 2q+1: a longer input changes nothing. The models refuted have fewer bits "
             "than f32."},
    {.task = "qsa",
     .architecture = "exact self-attn.",
     .size = "q",
     .sizes = "1 2 3 4",
     .unit = "head width",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "qsa-moment",
     .construction_params = "q=$; N=32",
     .bound = "qsa-radon",
     .bound_params = "q=$ N=32 m=1",
     .bits = AT_BITS_REALS,
     .note = "For keys that do not depend on the vectors. It takes about 2q log2 (N/2) bits."},
    {.task = "qsa",
     .architecture = "feed-forward net",
     .size = "N",
     .sizes = "4 8 16 32 64 128 256",
     .unit = "width of the first layer, d = 1",
     .bound = "qsa-fnn-hard",
     .bound_params = "N=$ d=1 q=1 width=1",
     .bits = AT_BITS_REALS,
     .refuted = "qsa-fnn-hard",
     .refuted_params = "N=$ d=1 units=0",
     .refuted_unit = "N*d-1"},
    {.task = "qsa",
     .architecture = "recurrent net",
     .size = "N",
     .sizes = "4 8 16 32 64 128 256",
     .unit = "bits of state",
     .bound = "qsa-rnn-hard",
     .bound_params = "N=$ q=1 bits=1",
     .bits = AT_BITS_STATE,
     .refuted = "qsa-rnn-hard",
     .refuted_params = "N=$",
     .refuted_unit = "state*bits"},
    {.task = "composition",
     .problem = "compose",
     .architecture = "one layer",
     .size = "n",
     .sizes = "4 8 16 32 64 128 256",
     .unit = "head width, one head",
     .measure = AT_MAP_HEADS_DIM,
     .construction = "compose-one",
     .construction_params = "n=$ bits=24",
     .bound = "compose-bound",
     .bound_params = "n=$ H=1 d=1",
     F32,
     .bits = AT_BITS_EXACT,
     .note = "For weights that do not depend on f."},
    {.task = "composition",
     .problem = "compose",
     .architecture = "1 layer, few bits",
     .size = "n",
     .sizes = "4 8 16 32 64 128 256",
     .unit = "head width, one head, p = log2 n + 3",
     .measure = AT_MAP_HEADS_DIM,
     .construction = "compose-one",
     .construction_params = "n=$ bits=0",
     .bound = "compose-bound",
     .bound_params = "n=$ H=1 d=1",
     .numbers = "p=$~+3 e=8",
     .bits = AT_BITS_EXACT,
     .refuted = "compose-bound",
     .refuted_params = "part=refute H=1 n=$",
     .refuted_unit = "d",
     .note = "For weights that do not depend on f."},
    {.task = "composition",
     .problem = "compose",
     .architecture = "one layer, chain",
     .chain = true,
     .size = "n",
     .sizes = "10000 100000 1000000 10000000",
     .unit = "steps, one head of width 1",
     .bound = "compose-cot",
     .bound_params = "n=$ H=1 d=1 T=1",
     F32,
     .bits = AT_BITS_EXACT,
     .note = "T steps do not compose T+2 functions; one more does, a function a step (compose-chain). "
             "For weights that do not depend on the other tokens."},
    {.task = "composition",
     .problem = "compose",
     .architecture = "two layers",
     .size = "n",
     .sizes = "4 16 64 256 1024",
     .unit = "head width",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "compose-two",
     .construction_params = "n=$ k=2"},
    {.task = "funccomp",
     .architecture = "L layers",
     .size = "L",
     .sizes = "1 2 3",
     .unit = "prompts where L layers of Hdp = 4 fail",
     .bound = "funccomp-params",
     .bound_params = "L=$ H=1 d=2 n=1000000 zeros=0",
     .numbers = "p=2",
     .bits = AT_BITS_SOURCE,
     .bound_start = "n"},
    {.task = "funccomp",
     .architecture = "L+1 layers",
     .size = "L",
     .sizes = "2 3 4 5 6",
     .unit = "layers",
     .measure = AT_MAP_LAYERS,
     .construction = "funccomp",
     .construction_params = "L=$"},
    {.task = "triangle",
     .architecture = "two layers",
     .size = "k",
     .sizes = "1000 10000 100000 1000000 10000000",
     .unit = "head width, one head a layer, N = 3k",
     .bound = "triangle",
     .bound_params = "k=$ D=2 H=1 m=1",
     F32,
     .bits = AT_BITS_EXACT},
    {.task = "match3-local",
     .architecture = "one softmax layer",
     .size = "N",
     .sizes = "8 16 32 64 128 256 512",
     .unit = "head width, reach K = 1",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "match3-local",
     .construction_params = "N=$ K=1"},
    STANDARD("prefix-sum", "n", NUMBERS, PREFIX_SUM, "dp-standard", "problem=prefix-sum a=$; b=5", NULL),
    SPARSE("prefix-sum", "n", NUMBERS, PREFIX_SUM, "dp-sparse", "problem=prefix-sum a=$; b=5", NULL,
           .bound = "dp-hard", .bound_params = "problem=prefix-sum n=$ letters=5 " BLOCKS),
    LINEAR("prefix-sum", "n", NUMBERS, PREFIX_SUM, "dp-linear", "problem=prefix-sum a=$; b=5 pack=1", NULL,
           .bound = "dp-hard", .bound_params = "problem=prefix-sum n=$ letters=5 attention=linear " SUMS),
    STANDARD("lis", "n", NUMBERS, LIS, "dp-standard", "problem=lis a=$; b=99", "lis"),
    SPARSE("lis", "n", NUMBERS, LIS, "dp-sparse", "problem=lis a=$; b=99", "lis", .bound = "dp-hard",
           .bound_params = "problem=lis n=$ letters=99 " BLOCKS),
    LINEAR("lis", "n", NUMBERS, LIS, "dp-linear", "problem=lis a=$; b=99 pack=1", "lis", .bound = "dp-hard",
           .bound_params = "problem=lis n=$ letters=99 attention=linear " SUMS),
    STANDARD("ed", "n", LETTERS, WORDS, "dp-standard", "problem=edit-distance a=$; b=$", "ed"),
    SPARSE("ed", "n", LETTERS, WORDS, "dp-sparse", "problem=edit-distance a=$; b=$", "ed", .bound = "dp-hard",
           .bound_params = "problem=ed n=$ letters=26 " BLOCKS),
    LINEAR("ed", "n", LETTERS, WORDS " 480", "dp-linear", "problem=edit-distance a=$; b=$ pack=1 clear=1",
           "ed", .bound = "dp-hard", .bound_params = "problem=ed n=$ letters=26 attention=linear " SUMS),
    STANDARD("ed-local", "n", LETTERS, WORDS, "dp-standard", "problem=edit-distance-local a=$; b=$",
             "ed-local"),
    SPARSE("ed-local", "n", LETTERS, WORDS, "dp-local", "problem=edit-distance-local a=$; b=$", "ed-local",
           .note = "The construction's window is the locality, 2n+1."),
    LINEAR("ed-local", "n", LETTERS, WORDS, "dp-linear",
           "problem=edit-distance-local a=$; b=$ pack=1 clear=1", "ed-local", .bound = "dp-local-hard",
           .bound_params = "problem=ed-local m=$*2+1 letters=26 " SUMS),
    STANDARD("arithmetic", "ops", "operators", OPERATORS, "arith-standard", "operators=$; p=11",
             "arithmetic"),
    SPARSE("arithmetic", "ops", "operators", OPERATORS, "arith-sparse", "operators=$; p=11", "arithmetic",
           .note = NULL),
    {DECODER("arithmetic", "linear", "ops", "operators", "2 4 8 16 32 64 128 256 512", NULL, NULL,
             "arithmetic", AT_ATTENTION_LINEAR),
     .unit = "width, 3 layers of 4 heads", .bound = "arith-hard",
     .bound_params = "operators=$ prime=11 layers=3 H=4 w=1", F32, .bits = AT_BITS_ROUNDED},
};
const int at_n_map_panels = COUNT(at_map_panels);
