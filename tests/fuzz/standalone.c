/* Replays inputs through a fuzz target, without libFuzzer:
 *
 *     fuzz_onnx FILE|DIRECTORY...
 *
 * Says how many there were; a target that finds something wrong aborts, after its name
 * was written. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* The targets' own mutators ask for it; nothing is mutated here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    (void)data;
    (void)most;
    return size;
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

int main(int argc, char **argv)
{
    int total = 0;

    for (int i = 1; i < argc; i++) {
        int n = replay(argv[i]);

        if (n < 0)
            return 2;
        total += n;
    }
    printf("%d inputs\n", total);
    return total ? 0 : 2;
}
