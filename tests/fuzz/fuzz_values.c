/* Any bytes as values from outside: an archive of tensors, outputs that Polygraphy
 * saved, a table.  What is read is measured against itself, so that all elements are
 * unpacked. */
#include "base/base.h"
#include "model/ops/ids.h"
#include "support_file.h"
#include "explain/values/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_result(enum fsd_status status, const struct fsd_error *err,
                         size_t size)
{
    if (status != FSD_OK)
        check(err->status == status && err->message[0] &&
              (err->unit != FSD_POS_BYTE || err->pos <= size));
}

/* A tensor is as far from itself as nothing, wherever it can be read. */
static void check_sets(struct fsd_arena *arena, const struct fsd_intern *names,
                       const fsd_array_set_vec *sets, size_t size)
{
    for (uint32_t i = 0; i < sets->n; i++) {
        struct fsd_numbers numbers;
        struct fsd_error err = {0};
        enum fsd_status status = fsd_numbers_of_sets(arena, names, &sets->at[i],
                                                     &sets->at[i], &numbers, &err);

        check_result(status, &err, size);
        for (uint32_t k = 0; status == FSD_OK && k < numbers.rows.n; k++)
            check(!numbers.rows.at[k].fresh &&
                  !(fsd_number_of(&numbers, k, FSD_ERROR_MAX_ABS) > 0));
        err = (struct fsd_error){0};
        check_result(
            fsd_numbers_of_sets(arena, names, NULL, &sets->at[i], &numbers, &err), &err,
            size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    fsd_array_set_vec sets = {0};
    struct fsd_numbers table;
    struct fsd_error err = {0};
    enum fsd_status status = FSD_OK;

    if (fsd_npz_is(&file))
        status = fsd_npz_read(arena, names, &file, &sets, &err);
    else if (fsd_polygraphy_is(&file))
        status = fsd_polygraphy_read(arena, names, &file, &sets, &err);
    check_result(status, &err, size);
    if (status == FSD_OK)
        check_sets(arena, names, &sets, size);
    err = (struct fsd_error){0};
    status = fsd_table_read(arena, names, &file, &table, &err);
    check_result(status, &err, size);
    for (uint32_t i = 0; status == FSD_OK && i < table.rows.n; i++)
        for (uint32_t k = 0; k < table.n_columns; k++)
            check(!isinf(fsd_number_of(&table, i, k)));
    fsd_arena_free(arena);
    return 0;
}
