/* Any bytes as a snapshot.  What can be read is written, read and written again: the
 * same bytes. */
#include "compare/snapshot.h"
#include "support_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct fsd_state *state, size_t *size)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);

    fsd_snapshot_write(state, true, out);
    fclose(out);
    return bytes;
}

static struct fsd_state *read_back(const char *bytes, size_t size)
{
    static struct fuzz_file file;
    struct fsd_state *state = NULL;
    const char *path = fuzz_file_put(&file, (const uint8_t *)bytes, size);

    check(fsd_snapshot_read(&state, path, NULL, NULL) == FSD_OK && state);
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    const char *path = fuzz_file_put(&file, data, size);
    struct fsd_snapshot_lines lines = {0};
    struct fsd_error err = {0};
    struct fsd_state *state = NULL, *again;
    enum fsd_status status = fsd_snapshot_read(&state, path, &lines, &err);
    char *once, *twice;
    size_t n = 0, m = 0;

    fsd_snapshot_sniff(path);
    if (status != FSD_OK) {
        check(err.status == status && err.message[0] && !state);
        return 0;
    }
    once = written(state, &n);
    again = read_back(once, n);
    twice = written(again, &m);
    check(n == m && !memcmp(once, twice, n));
    free(once);
    free(twice);
    fsd_state_free(state);
    fsd_state_free(again);
    return 0;
}
