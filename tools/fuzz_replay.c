/* fuzz_replay.c: a main() for a fuzz target that only replays files.
 *
 *     replay DIR|FILE...
 *
 * libFuzzer needs clang; the corpus as a regression test needs only this. Every file is copied into a
 * block of exactly its size, so that a sanitizer sees a read past its end, and the empty input is always
 * tried. Exit 0 when the target survives all of them, 1 when there is nothing to replay. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, f) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    fclose(f);
    printf("%s (%zu bytes)\n", path, size);
    fflush(stdout); /* the last line names the file that crashed */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay_path(const char *path)
{
    DIR *d = opendir(path);
    if (!d)
        return replay_file(path);
    int n = 0;
    struct dirent *e;
    while ((e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        char full[4096];
        if (snprintf(full, sizeof full, "%s/%s", path, e->d_name) < (int)sizeof full)
            n += replay_file(full);
    }
    closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    int n = 0;
    for (int i = 1; i < argc; i++)
        n += replay_path(argv[i]);
    uint8_t none = 0;
    LLVMFuzzerTestOneInput(&none, 0);
    printf("%d files replayed\n", n);
    return n ? 0 : 1;
}
