/* Any bytes as a comparison that Polygraphy saved.  Each reading gives the same. */
#include "base/base.h"
#include "support_file.h"
#include "edit/bisect/accuracy.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    const struct fsd_file file = {.name = "comparison", .bytes = data, .size = size};
    struct fsd_compared first[] = {{.name = fsd_intern_add(names, "x", 1)},
                                   {.name = fsd_intern_add(names, "y", 1)}};
    struct fsd_compared again[] = {first[0], first[1]};
    struct fsd_error err = {0};
    enum fsd_status status = fsd_accuracy_read(names, &file, first, 2, &err);

    check(status == err.status);
    check(fsd_accuracy_read(names, &file, again, 2, NULL) == status);
    check(first[0].passed == again[0].passed && first[1].failed == again[1].failed);
    check(status != FSD_OK || fsd_accuracy_fails(first, 2) ||
          (first[0].passed && first[0].passed == first[1].passed));
    fsd_arena_free(arena);
    return 0;
}
