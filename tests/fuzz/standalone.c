/*
 * Runs a fuzz target without libFuzzer, so that any compiler builds it:
 *
 *     fuzz_onnx FILE|DIRECTORY...                          replays inputs
 *     fuzz_onnx --mutate SECONDS SEED LAST FILE|DIRECTORY...    changes them at random
 *
 * Says how many there were; a target that finds something wrong aborts, after the name
 * of the input was written.  Changed inputs have none: each is in the file LAST while
 * it is run, and the seconds are those of the processor.  What libFuzzer learns from
 * the branches that an input reaches is missed here; the targets' own mutators are not.
 */
#define _DEFAULT_SOURCE /* strdup */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "support_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
    __attribute__((weak));

static struct fuzz_random chance = {1};

/* Bytes are changed, left out, or put in a second time. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    size_t at = fuzz_below(&chance, size), n = 1 + fuzz_below(&chance, 8);

    if (!size || !most)
        return size;
    if (n > size - at)
        n = size - at;
    switch (fuzz_below(&chance, 4)) {
    case 0:
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    case 1:
        if (size + n > most)
            return size;
        memmove(data + at + n, data + at, size - at);
        return size + n;
    case 2:
        data[at] ^= (uint8_t)(1u << fuzz_below(&chance, 8));
        return size;
    default:
        data[at] = (uint8_t)fuzz_below(&chance, 256);
        return size;
    }
}

/* The bytes are in a block of just their size, so that one too far is seen. */
static int replay_file(const char *path)
{
    struct stat st;
    FILE *in = fopen(path, "rb");
    size_t size;
    uint8_t *data;

    if (!in || fstat(fileno(in), &st)) {
        fprintf(stderr, "cannot open %s\n", path);
        return -1;
    }
    size = (size_t)st.st_size;
    data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, in) != size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(in);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int n = 0;

    if (!directory)
        return replay_file(path);
    while (n >= 0 && (entry = readdir(directory))) {
        char file[4096];
        int one;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        one = replay_file(file);
        n = one < 0 ? one : n + one;
    }
    closedir(directory);
    return n;
}

/* -------------------------------------------------------------- inputs at random */

struct inputs {
    char **paths;
    size_t n;
};

static void list(struct inputs *inputs, const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    if (!directory) {
        inputs->paths = realloc(inputs->paths, (inputs->n + 1) * sizeof *inputs->paths);
        if (!inputs->paths || !(inputs->paths[inputs->n++] = strdup(path)))
            exit(2);
        return;
    }
    while ((entry = readdir(directory))) {
        char file[4096];

        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            list(inputs, file);
    }
    closedir(directory);
}

static size_t change(uint8_t *data, size_t size, size_t most)
{
    unsigned seed = (unsigned)fuzz_below(&chance, UINT32_MAX);

    return LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(data, size, most, seed)
                                   : LLVMFuzzerMutate(data, size, most);
}

/* The bytes are in a block of just their size here, too. */
static void run_changed(const uint8_t *data, size_t size, const char *last)
{
    uint8_t *exact = malloc(size ? size : 1);
    FILE *out = fopen(last, "wb");

    if (!exact || !out || fwrite(data, 1, size, out) != size || fclose(out))
        exit(2);
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int mutate(double seconds, uint64_t seed, const char *last,
                  const struct inputs *inputs)
{
    static uint8_t data[40000];
    unsigned long n = 0;

    chance.state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (; (double)clock() / CLOCKS_PER_SEC < seconds; n++) {
        FILE *in = fopen(inputs->paths[fuzz_below(&chance, inputs->n)], "rb");
        size_t size = in ? fread(data, 1, sizeof data, in) : 0;

        if (in)
            fclose(in);
        for (size_t k = 1 + fuzz_below(&chance, 5); k; k--)
            size = change(data, size, sizeof data);
        run_changed(data, size, last);
    }
    remove(last);
    printf("%lu inputs\n", n);
    return n ? 0 : 2;
}

int main(int argc, char **argv)
{
    struct inputs inputs = {NULL, 0};
    int total = 0;

    if (argc > 5 && !strcmp(argv[1], "--mutate")) {
        for (int i = 5; i < argc; i++)
            list(&inputs, argv[i]);
        return mutate(strtod(argv[2], NULL), strtoull(argv[3], NULL, 10), argv[4],
                      &inputs);
    }
    for (int i = 1; i < argc; i++) {
        int n = replay(argv[i]);

        if (n < 0)
            return 2;
        total += n;
    }
    printf("%d inputs\n", total);
    return total ? 0 : 2;
}
