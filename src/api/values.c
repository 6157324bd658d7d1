/*
 * Opens the files of --values, which other tools computed. Together they are a table, a
 * set of tensors, or two sets of tensors. Of two sets, the first is the reference. A
 * Polygraphy file with two runners has two sets.
 */
#include "api/inputs.h"

#include "base/base.h"

enum { FILES_MAX = 2 };

struct opened {
    struct fsd_file files[FILES_MAX];
    fsd_array_set_vec sets[FILES_MAX];
    bool table;
};

static enum fsd_status read_sets_or_table(struct fsd_inputs *d, struct opened *o,
                                          unsigned i, struct fsd_numbers *numbers,
                                          struct fsd_error *err)
{
    const struct fsd_file *file = &o->files[i];

    if (fsd_sets_are(file))
        return fsd_sets_read(d->arena, d->names, file, &o->sets[i], err);
    o->table = true;
    return fsd_table_read(d->arena, d->names, file, numbers, err);
}

static enum fsd_status combine(struct fsd_inputs *d, const struct opened *o,
                               const struct fsd_options *opt,
                               struct fsd_numbers *numbers, struct fsd_error *err)
{
    const unsigned n = opt->n_values;
    const struct fsd_array_set *first = o->sets[0].n ? &o->sets[0].at[0] : NULL;
    const struct fsd_array_set *second = n == 2             ? &o->sets[1].at[0]
                                         : o->sets[0].n > 1 ? &o->sets[0].at[1]
                                                            : NULL;

    if (opt->values_rows && n != 1)
        return fsd_fail(
            err, FSD_E_ARG, opt->values[1], FSD_POS_NONE, 0,
            "expected one set of tensors for --rows, found two files (--rows "
            "compares rows within each tensor)");
    if (opt->values_rows && first)
        return fsd_numbers_of_rows(d->arena, d->model, first, numbers, err);
    return second ? fsd_numbers_of_sets(d->arena, d->names, first, second, numbers, err)
                  : fsd_numbers_of_sets(d->arena, d->names, NULL, first, numbers, err);
}

static enum fsd_status read_all(struct fsd_inputs *d, struct opened *o,
                                const struct fsd_options *opt,
                                struct fsd_numbers *numbers, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < opt->n_values && status == FSD_OK; i++) {
        status = fsd_file_open_decompressed(&o->files[i], opt->values[i],
                                            FSD_VALUES_LIMIT, err);
        FSD_THEN(status, read_sets_or_table(d, o, i, numbers, err));
        if (status == FSD_OK && o->table && opt->values_rows)
            status = fsd_fail(
                err, FSD_E_ARG, opt->values[i], FSD_POS_NONE, 0,
                "expected a set of tensors for --rows, found a table (--rows compares "
                "rows within each tensor)");
        if (status == FSD_OK && o->table && opt->n_values > 1)
            status = fsd_fail(err, FSD_E_ARG, opt->values[i], FSD_POS_NONE, 0,
                              "expected two sets of tensors, or one table, found a "
                              "table and another file");
    }
    return status == FSD_OK && !o->table ? combine(d, o, opt, numbers, err) : status;
}

enum fsd_status fsd_numbers_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                 const struct fsd_numbers **out, struct fsd_error *err)
{
    struct fsd_numbers *numbers;
    struct opened o = {0};
    enum fsd_status status;

    *out = NULL;
    if (!opt->n_values && opt->values_rows)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected --values with a set of tensors for --rows, found no "
                        "--values (--rows compares rows within each tensor)");
    if (!opt->n_values)
        return FSD_OK;
    if (opt->n_values > FILES_MAX)
        return fsd_fail(err, FSD_E_ARG, opt->values[FILES_MAX], FSD_POS_NONE, 0,
                        "expected at most two files of values, found %u",
                        opt->n_values);
    if (opt->progress)
        opt->progress(opt->payload, "reading the values");
    numbers = FSD_NEW(d->arena, struct fsd_numbers, 1);
    status = read_all(d, &o, opt, numbers, err);
    for (unsigned i = 0; i < opt->n_values; i++)
        status = fsd_file_done(&o.files[i], status, err);
    /* Copies the paths: they may contain any bytes, and the caller may free them before
     * the run ends. */
    for (unsigned i = 0; i < FILES_MAX; i++)
        if (numbers->paths[i])
            numbers->paths[i] =
                fsd_text(d->names, fsd_intern_str(d->names, numbers->paths[i]));
    *out = numbers;
    return status;
}
