/* mutant.c: which code mutant runs, from the environment, once.
 *
 *     AT_MUTANT=17       the number of the mutant; unset or 0: the program as it is written
 *     AT_MUTANT_MET=F    a file of AT_MUTANT_MAX bytes; byte k becomes 1 when the place of mutant k is reached
 *
 * The file is shared memory, so children that fork, are replaced or are killed leave their marks as well. */
#include "mutant.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned char nowhere[AT_MUTANT_MAX];

int at_mutant;
volatile unsigned char *at_mutant_met = nowhere;

__attribute__((constructor)) static void mutant_choose(void)
{
    const char *number = getenv("AT_MUTANT"), *met = getenv("AT_MUTANT_MET");
    if (number) {
        at_mutant = atoi(number);
        setvbuf(stdout, NULL, _IOLBF, 0); /* the first "not ok" is enough: let it be seen at once */
    }
    if (!met)
        return;
    int f = open(met, O_RDWR);
    void *map = f < 0 ? MAP_FAILED : mmap(NULL, AT_MUTANT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    if (f >= 0)
        close(f);
    if (map == MAP_FAILED)
        abort(); /* a run that notes nothing would look like code that no test reaches */
    at_mutant_met = map;
}
