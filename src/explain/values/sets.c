/* Reads sets of tensors, and compares two sets.  Tensors that both sets have are
 * measured one by one.  Tensors that cannot be compared are listed with the reason. */
#include "explain/values/values.h"

#include "base/base.h"

#include <inttypes.h>

bool fsd_sets_are(const struct fsd_file *file)
{
    return fsd_npz_is(file) || fsd_polygraphy_is(file);
}

enum fsd_status fsd_sets_read(struct fsd_arena *arena, struct fsd_intern *names,
                              const struct fsd_file *file, fsd_array_set_vec *out,
                              struct fsd_error *err)
{
    return fsd_npz_is(file) ? fsd_npz_read(arena, names, file, out, err)
                            : fsd_polygraphy_read(arena, names, file, out, err);
}

static const char *const columns[] = {
    [FSD_ERROR_L2_REL] = "l2_rel",   [FSD_ERROR_MAX_ABS] = "max_abs",
    [FSD_ERROR_MAX_REL] = "max_rel", [FSD_ERROR_L2] = "l2",
    [FSD_ERROR_COSINE] = "cosine",   [FSD_ERROR_NAN] = "nan",
    [FSD_ERROR_INF] = "inf"};

struct pairing {
    struct fsd_arena *arena;
    const struct fsd_intern *names;
    struct fsd_numbers *out;
    struct fsd_error *err;
};

static void add_row(struct pairing *p, fsd_sym name, const struct fsd_error_measure *m)
{
    const double numbers[] = {
        [FSD_ERROR_L2_REL] = m->l2_rel,   [FSD_ERROR_MAX_ABS] = m->max_abs,
        [FSD_ERROR_MAX_REL] = m->max_rel, [FSD_ERROR_L2] = m->l2,
        [FSD_ERROR_COSINE] = m->cosine,   [FSD_ERROR_NAN] = (double)m->nan,
        [FSD_ERROR_INF] = (double)m->inf};
    struct fsd_number_row row = {
        name, {p->out->cells.n, 0}, m->fresh, m->inf ? INFINITY : m->largest};

    for (uint32_t i = 0; i < FSD_COUNT_OF(numbers); i++) {
        struct fsd_number_cell cell = {i, numbers[i]};

        if (!isnan(numbers[i]))
            fsd_vec_push(p->arena, &p->out->cells, cell);
    }
    row.cells.n = p->out->cells.n - row.cells.at;
    fsd_vec_push(p->arena, &p->out->rows, row);
}

const char *fsd_array_shape(struct fsd_arena *arena, const struct fsd_array *array)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    for (uint32_t i = 0; i < array->rank; i++)
        fprintf(out, "%s%" PRId64, i ? "x" : "", array->dims[i]);
    if (!array->rank)
        fputs("a scalar", out);
    return fsd_print_take(&print, arena);
}

static enum fsd_status pair_arrays(struct pairing *p, const struct fsd_array *a,
                                   const struct fsd_array *b)
{
    struct fsd_error_measure measure;
    struct fsd_unmeasured un = {b->name, NULL};
    const struct fsd_array *broken;

    un.why = fsd_measure_error(a, b, &measure, &broken);
    if (broken)
        return fsd_fail(
            p->err, FSD_E_FORMAT, broken->stored.file->name, FSD_POS_BYTE,
            broken->stored.at,
            "expected a complete tensor '%.200s', found a damaged or truncated one",
            fsd_text(p->names, broken->name));
    if (!un.why) {
        add_row(p, b->name, &measure);
        return FSD_OK;
    }
    if (a && !a->odd && !b->odd && !a->fortran && !b->fortran)
        un.why = fsd_printed(
            p->arena, "its shape is %s, but its shape in the reference is %s",
            fsd_array_shape(p->arena, b), fsd_array_shape(p->arena, a));
    fsd_vec_push(p->arena, &p->out->unmeasured, un);
    return FSD_OK;
}

/* Returns an array indexed by name: index of the last array with this name in the set,
 * plus 1; 0 if there is none. */
static uint32_t *index_of(struct fsd_arena *arena, const struct fsd_intern *names,
                          const struct fsd_array_set *set)
{
    uint32_t *of = FSD_NEW(arena, uint32_t, fsd_intern_count(names));

    for (uint32_t i = 0; i < set->at.n; i++)
        of[set->at.at[i].name] = i + 1;
    return of;
}

static enum fsd_status check_any(const struct pairing *p, const struct fsd_array_set *a,
                                 const struct fsd_array_set *b)
{
    const struct fsd_numbers *n = p->out;

    if (n->rows.n)
        return FSD_OK;
    if (n->unmeasured.n)
        return fsd_fail(p->err, FSD_E_MISMATCH, b->path, FSD_POS_NONE, 0,
                        "expected tensors that can be compared, found %u that cannot, "
                        "such as '%.120s': %.200s",
                        n->unmeasured.n, fsd_text(p->names, n->unmeasured.at[0].name),
                        n->unmeasured.at[0].why);
    return fsd_fail(p->err, FSD_E_MISMATCH, b->path, FSD_POS_NONE, 0,
                    a ? "expected tensors with the same names as in %.200s, found none"
                      : "expected tensors, found none%.0s",
                    a ? a->path : "");
}

enum fsd_status fsd_numbers_of_sets(struct fsd_arena *arena,
                                    const struct fsd_intern *names,
                                    const struct fsd_array_set *a,
                                    const struct fsd_array_set *b,
                                    struct fsd_numbers *out, struct fsd_error *err)
{
    struct pairing p = {arena, names, out, err};
    FSD_SCRATCH(scratch);
    uint32_t *of_a = a ? index_of(scratch, names, a) : NULL;
    uint32_t *of_b = index_of(scratch, names, b);
    enum fsd_status status = FSD_OK;

    *out = (struct fsd_numbers){
        .of = a ? FSD_NUMBERS_OF_ERRORS : FSD_NUMBERS_OF_TENSORS,
        .n_columns = FSD__ERROR_COUNT,
        .paths = {a ? a->path : b->path, a ? b->path : NULL},
        .runners = {a ? a->runner : b->runner, a ? b->runner : NULL}};
    for (size_t i = 0; i < FSD_COUNT_OF(columns); i++)
        out->columns[i] = columns[i];
    for (uint32_t i = 0; i < b->at.n && status == FSD_OK; i++) {
        fsd_sym name = b->at.at[i].name;

        if (of_b[name] != i + 1)
            continue; /* of several arrays with the same name, the last counts */
        if (a && !of_a[name]) {
            out->only_second++;
            continue;
        }
        status = pair_arrays(&p, a ? &a->at.at[of_a[name] - 1] : NULL, &b->at.at[i]);
    }
    for (uint32_t i = 0; a && i < a->at.n; i++)
        out->only_first += of_a[a->at.at[i].name] == i + 1 && !of_b[a->at.at[i].name];
    return status == FSD_OK ? check_any(&p, a, b) : status;
}
