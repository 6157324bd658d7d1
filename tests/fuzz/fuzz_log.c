/* Any bytes as a build log: what it states, its network, and a run on nothing else. */
#include "support_engine.h"
#include "support_file.h"

#include <fusiondiff/fusiondiff.h>

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_on(const char *path)
{
    struct fsd_options options = {.engine = path, .force = true};
    struct fsd_error err = {0};
    struct fsd_diff *d = NULL;
    char *bytes = NULL;
    size_t n = 0;
    FILE *out;

    if (fsd_diff_open(&d, &options, &err) != FSD_OK) {
        check(err.message[0] && !d);
        return;
    }
    out = open_memstream(&bytes, &n);
    check(fsd_diff_write(d, "json", NULL, out, &err) == FSD_OK);
    fclose(out);
    free(bytes);
    fsd_diff_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;

    fuzz_read_log(&(struct fsd_file){.name = "fuzz", .bytes = data, .size = size});
    run_on(fuzz_file_put(&file, data, size));
    return 0;
}
