/* random_model.c: the random models of exec's tests, for the tests of circuits. */
#include "../../exec/test/random_model.c"
