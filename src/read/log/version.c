/*
 * Finds the TensorRT version in a log. trtexec prints it as one number; since version
 * 10, the number has another form.  TensorRT for RTX prints no version, but the lines
 * around its list of layers differ between some versions.  If several versions are
 * possible, the result is a range of versions.
 */
#include "read/log/log.h"

#include "base/base.h"

enum { HEAD = 1 << 16, MOST = 1000000 };

bool fsd_log_version(struct fsd_slice line, char out[32])
{
    struct fsd_slice number;
    uint64_t v;

    if (!fsd_slice_split_at(&line, "[TensorRT v", &number) ||
        !fsd_slice_take_number(&number, MOST, &v) || !fsd_slice_take(&number, "]") ||
        v < 1000 || v >= MOST)
        return false;
    snprintf(out, 32, "TensorRT %u.%u.%u", (unsigned)(v < 10000 ? v / 1000 : v / 10000),
             (unsigned)(v < 10000 ? v / 100 % 10 : v / 100 % 100), (unsigned)(v % 100));
    return true;
}

bool fsd_log_rtx_version(const struct fsd_file *file, const struct fsd_log_list *list,
                         char out[32])
{
    const char *s = (const char *)file->bytes;
    size_t before = list->at < HEAD ? list->at : HEAD;
    struct fsd_slice behind = {s + list->end, file->size - list->end};
    const char *version = "";

    if (!fsd_slice_find((struct fsd_slice){s + list->at - before, before},
                        "Number of target compute capabilities: "))
        return false;
    behind = fsd_slice_trim(behind);
    while (fsd_slice_take(&behind, "\n") || fsd_slice_take(&behind, "\r"))
        ;
    if (fsd_slice_begins(behind, "Engine Metadata:"))
        version = " 1.6 or later";
    else if (list->io)
        version = " 1.5";
    else if (list->bindings)
        version = " 1.4 or earlier";
    snprintf(out, 32, "TensorRT for RTX%s", version);
    return true;
}
