/* Any bytes as the times of layers, and as the times of runs. */
#include "support_file.h"
#include "model/ops/ids.h"
#include "read/engine/reader.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_result(enum fsd_status status, const struct fsd_error *err,
                         size_t size)
{
    if (status != FSD_OK)
        check(err->status == status && err->message[0] &&
              (err->unit != FSD_POS_BYTE || err->pos <= size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_error err = {0};
    fsd_profile_vec profiles = {0};
    struct fsd_run_times times = {0};
    enum fsd_status status =
        fsd_reader_trt.read_profile(arena, names, &file, &profiles, &err);

    check_result(status, &err, size);
    err = (struct fsd_error){0};
    status = fsd_reader_ort.read_profile(arena, names, &file, &profiles, &err);
    check_result(status, &err, size);
    for (uint32_t i = 0; i < profiles.n; i++)
        for (uint32_t k = 0; k < profiles.at[i].entries.n; k++)
            check(profiles.at[i].entries.at[k].within <= k);
    err = (struct fsd_error){0};
    status = fsd_reader_trt.read_times(arena, &file, &times, &err);
    check_result(status, &err, size);
    for (uint32_t i = 0; status == FSD_OK && i < times.ms.n; i++)
        check(isfinite(times.ms.at[i]));
    fsd_arena_free(arena);
    return 0;
}
