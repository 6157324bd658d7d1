/* Snapshots as files: opening one, and telling one from other files. */
#include "compare/snapshot.h"

#include <string.h>

#define SNAPSHOT_LIMIT (UINT64_C(1) << 28)

enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_snapshot_lines *line_numbers,
                                  struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, SNAPSHOT_LIMIT, err);

    *out = NULL;
    if (status == FSD_OK)
        status = fsd_snapshot_load(out, &file, line_numbers, err);
    if (fsd_file_done(&file, status, err) == status)
        return status;
    fsd_state_free(*out);
    *out = NULL;
    return FSD_E_IO;
}

bool fsd_snapshot_sniff(const char *path)
{
    static const char magic[] = "fusiondiff snapshot ";
    /* One that is too large is a snapshot too, and reading it says what is wrong; what
     * comes through a pipe is held in memory. */
    uint64_t limit = strcmp(path, "-") != 0 ? UINT64_MAX : SNAPSHOT_LIMIT;
    struct fsd_file file;
    bool yes = fsd_file_open(&file, path, limit, NULL) == FSD_OK &&
               file.size >= strlen(magic) && !memcmp(file.bytes, magic, strlen(magic));

    fsd_file_close(&file);
    return yes;
}
