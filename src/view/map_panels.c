/* map_panels.c: the panels of the map, as data. Adding one is adding a row. */
#include "view_internal.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

#define DP(TASK, ARCH, CLAIM, SIZES, PARAMS, STREAM, ATTENTION)                                              \
    {                                                                                                        \
        .task = TASK, .architecture = ARCH, .size = "n", .sizes = SIZES, .unit = "width",                    \
        .construction = CLAIM, .construction_params = PARAMS, .trained = STREAM, .attention = ATTENTION      \
    }
#define STANDARD "standard decoder", "dp-standard"
#define SPARSE   "sparse decoder", "dp-sparse"
#define LINEAR   "linear decoder", "dp-linear"
#define LOCAL    "local sparse decoder", "dp-local"

#define LIS        "5 10 20 40 80 160 250", "problem=lis a=$; b=99"
#define ED         "3 6 12 20 40 80", "problem=edit-distance a=$; b=$"
#define NEAR       "3 6 12 20 40 80", "problem=edit-distance-local a=$; b=$"
#define LINE       "8 32 128 512 2048 8192", "problem=prefix-sum a=$; b=5"
#define DP_OF(...) DP(__VA_ARGS__)

const at_map_panel at_map_panels[] = {
    {.task = "match2",
     .architecture = "one softmax layer",
     .size = "N",
     .sizes = "4 8 16 32 64 128 256 512",
     .unit = "heads x head width",
     .measure = AT_MAP_HEADS_DIM,
     .construction = "match2",
     .construction_params = "N=$; M=$+1"},
    {.task = "match3",
     .architecture = "three-wise unit",
     .size = "N",
     .sizes = "4 8 16 32 64 128 256 512",
     .unit = "heads x head width",
     .measure = AT_MAP_HEADS_DIM,
     .construction = "match3-threewise",
     .construction_params = "N=$; M=$+1"},
    {.task = "qsa",
     .architecture = "self-attention",
     .size = "q",
     .sizes = "1 2 3 4",
     .unit = "head width, N = 32",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "qsa-rip",
     .construction_params = "q=$ ; N=32"},
    {.task = "qsa",
     .architecture = "self-attention, many bits",
     .size = "q",
     .sizes = "1 2 3 4",
     .unit = "head width, N = 32",
     .measure = AT_MAP_HEAD_DIM,
     .construction = "qsa-moment",
     .construction_params = "q=$ ; N=32"},
    DP_OF("prefix-sum", STANDARD, LINE, NULL, AT_STUDY_STANDARD),
    DP_OF("prefix-sum", SPARSE, LINE, NULL, AT_STUDY_SPARSE),
    DP_OF("prefix-sum", LINEAR, LINE, NULL, AT_STUDY_LINEAR),
    DP_OF("lis", STANDARD, LIS, "lis", AT_STUDY_STANDARD),
    DP_OF("lis", SPARSE, LIS, "lis", AT_STUDY_SPARSE),
    DP_OF("lis", LINEAR, LIS, "lis", AT_STUDY_LINEAR),
    DP_OF("ed", STANDARD, ED, "ed", AT_STUDY_STANDARD),
    DP_OF("ed", SPARSE, ED, "ed", AT_STUDY_SPARSE),
    DP_OF("ed", LINEAR, ED, "ed", AT_STUDY_LINEAR),
    DP_OF("ed-local", LOCAL, NEAR, "ed-local", AT_STUDY_SPARSE),
    DP_OF("arithmetic", "standard decoder", "arith-standard", "2 4 8 16 32 64", "operators=$; p=11",
          "arithmetic", AT_STUDY_STANDARD),
    DP_OF("arithmetic", "sparse decoder", "arith-sparse", "2 4 8 16 32 64", "operators=$; p=11", "arithmetic",
          AT_STUDY_SPARSE),
};
const int at_n_map_panels = COUNT(at_map_panels);
