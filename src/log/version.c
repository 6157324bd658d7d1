#include "log/version.h"

#include "base/slice.h"

#include <stdio.h>

enum { HEAD = 1 << 16, MOST = 1000000 };

bool fsd_log_version(const struct fsd_file *file, char out[32])
{
    struct fsd_slice head = {(const char *)file->bytes,
                             file->size < HEAD ? file->size : HEAD},
                     number;
    uint64_t v;

    if (!fsd_slice_split_at(&head, "[TensorRT v", &number) ||
        !fsd_slice_take_number(&number, MOST, &v) || !fsd_slice_take(&number, "]") ||
        v < 1000 || v >= MOST)
        return false;
    snprintf(out, 32, "TensorRT %u.%u.%u", (unsigned)(v < 10000 ? v / 1000 : v / 10000),
             (unsigned)(v < 10000 ? v / 100 % 10 : v / 100 % 100), (unsigned)(v % 100));
    return true;
}
