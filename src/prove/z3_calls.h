/* z3_calls.h: the calls of Z3's C API that are used. The library is loaded when the first proof asks for it: it has 30 MB, and a
 * command that proves nothing must not wait for it; and attest, once built, runs without it. */
#ifndef ATTEST_Z3_CALLS_H
#define ATTEST_Z3_CALLS_H

#include <z3.h>

#define Z3_CALLS(X)                                                                                          \
    X(Z3_global_param_set)                                                                                   \
    X(Z3_mk_config)                                                                                          \
    X(Z3_del_config)                                                                                         \
    X(Z3_set_param_value)                                                                                    \
    X(Z3_mk_context)                                                                                         \
    X(Z3_del_context)                                                                                        \
    X(Z3_set_error_handler)                                                                                  \
    X(Z3_get_error_code)                                                                                     \
    X(Z3_interrupt)                                                                                          \
    X(Z3_mk_int_sort)                                                                                        \
    X(Z3_mk_bool_sort)                                                                                       \
    X(Z3_mk_string_symbol)                                                                                   \
    X(Z3_mk_const)                                                                                           \
    X(Z3_mk_app)                                                                                             \
    X(Z3_mk_func_decl)                                                                                       \
    X(Z3_mk_int64)                                                                                           \
    X(Z3_mk_true)                                                                                            \
    X(Z3_mk_false)                                                                                           \
    X(Z3_mk_not)                                                                                             \
    X(Z3_mk_and)                                                                                             \
    X(Z3_mk_or)                                                                                              \
    X(Z3_mk_eq)                                                                                              \
    X(Z3_mk_ite)                                                                                             \
    X(Z3_mk_implies)                                                                                         \
    X(Z3_mk_add)                                                                                             \
    X(Z3_mk_mul)                                                                                             \
    X(Z3_mk_ge)                                                                                              \
    X(Z3_mk_le)                                                                                              \
    X(Z3_mk_forall_const)                                                                                    \
    X(Z3_mk_simple_solver)                                                                                   \
    X(Z3_mk_solver)                                                                                          \
    X(Z3_solver_inc_ref)                                                                                     \
    X(Z3_solver_dec_ref)                                                                                     \
    X(Z3_solver_set_params)                                                                                  \
    X(Z3_solver_push)                                                                                        \
    X(Z3_solver_pop)                                                                                         \
    X(Z3_solver_assert)                                                                                      \
    X(Z3_solver_check)                                                                                       \
    X(Z3_solver_get_model)                                                                                   \
    X(Z3_solver_get_statistics)                                                                              \
    X(Z3_model_inc_ref)                                                                                      \
    X(Z3_model_dec_ref)                                                                                      \
    X(Z3_model_eval)                                                                                         \
    X(Z3_get_numeral_int64)                                                                                  \
    X(Z3_stats_inc_ref)                                                                                      \
    X(Z3_stats_dec_ref)                                                                                      \
    X(Z3_stats_size)                                                                                         \
    X(Z3_stats_get_key)                                                                                      \
    X(Z3_stats_is_uint)                                                                                      \
    X(Z3_stats_get_uint_value)                                                                               \
    X(Z3_mk_params)                                                                                          \
    X(Z3_params_inc_ref)                                                                                     \
    X(Z3_params_dec_ref)                                                                                     \
    X(Z3_params_set_uint)                                                                                    \
    X(Z3_params_set_bool)                                                                                    \
    X(Z3_params_set_symbol)                                                                                  \
    X(Z3_mk_fixedpoint)                                                                                      \
    X(Z3_fixedpoint_inc_ref)                                                                                 \
    X(Z3_fixedpoint_dec_ref)                                                                                 \
    X(Z3_fixedpoint_set_params)                                                                              \
    X(Z3_fixedpoint_register_relation)                                                                       \
    X(Z3_fixedpoint_add_rule)                                                                                \
    X(Z3_fixedpoint_query)                                                                                   \
    X(Z3_fixedpoint_get_answer)                                                                              \
    X(Z3_get_sort)                                                                                           \
    X(Z3_get_ast_kind)                                                                                       \
    X(Z3_to_app)                                                                                             \
    X(Z3_get_app_decl)                                                                                       \
    X(Z3_get_app_num_args)                                                                                   \
    X(Z3_get_app_arg)                                                                                        \
    X(Z3_get_quantifier_body)                                                                                \
    X(Z3_get_index_value)                                                                                    \
    X(Z3_get_decl_name)                                                                                      \
    X(Z3_get_decl_kind)                                                                                      \
    X(Z3_substitute)                                                                                         \
    X(Z3_substitute_vars)                                                                                    \
    X(Z3_simplify)                                                                                           \
    X(Z3_ast_to_string)                                                                                      \
    X(Z3_parse_smtlib2_string)                                                                               \
    X(Z3_ast_vector_inc_ref)                                                                                 \
    X(Z3_ast_vector_dec_ref)                                                                                 \
    X(Z3_ast_vector_size)                                                                                    \
    X(Z3_ast_vector_get)

typedef struct {
#define MEMBER(name) __typeof__(&name) name;
    Z3_CALLS(MEMBER)
#undef MEMBER
} z3_calls;

/* NULL: the library is not there. The first call loads it. */
const z3_calls *prove_z3(void);

#endif
