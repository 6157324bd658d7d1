/*
 * Compares the rows of each tensor, for a batch with equal rows in its inputs.  Every
 * row is measured against the row before it.  So a row with other values differs in two
 * comparisons: from the row before it, and from the row behind it.
 *
 *     elements of a tensor   row 0 | row 1 | row 2 | row 3
 *     the reference          [0 ....................]
 *     measured against it            [1 ....................]
 *
 * The reference and the measured tensor are views of the same array, one row apart, so
 * that the array is not copied.
 */
#include "explain/values/values.h"

#include "base/base.h"
#include "model/graph/graph.h"

#include <inttypes.h>

/* The number of rows (the size of the first axis) of the array with this name; 0 if
 * there is no such array, or if it has only one row. */
static int64_t first_axis(const struct fsd_array_set *set, fsd_sym name)
{
    for (uint32_t i = 0; i < set->at.n; i++)
        if (set->at.at[i].name == name && set->at.at[i].rank)
            return set->at.at[i].dims[0] > 1 ? set->at.at[i].dims[0] : 0;
    return 0;
}

/* The batch size: the number of rows of the first network input with several rows.  If
 * no input has several rows, the network's outputs are searched in the same way.
 * Tensors that are not in `set` are skipped.  0 if no tensor has several rows. */
static int64_t find_batch(const struct fsd_graph *g, const struct fsd_array_set *set)
{
    const struct fsd_span lists[] = {g->scopes.at[0].inputs, g->scopes.at[0].outputs};

    for (size_t l = 0; l < FSD_COUNT_OF(lists); l++)
        FSD_EACH_ID (t, g->links, lists[l]) {
            int64_t rows = first_axis(set, g->tensors.at[t].name);

            if (rows)
                return rows;
        }
    return 0;
}

/* A view of the array without one row: its last row if `last` is true, else its first
 * row.  If such a view is impossible, its member `odd` states why. */
static struct fsd_array without_row(struct fsd_arena *arena,
                                    const struct fsd_array *all, int64_t batch,
                                    bool last)
{
    struct fsd_array part = *all;
    uint64_t row = batch ? all->count / (uint64_t)batch : 0;
    uint64_t bytes = row * (fsd_dtype_bits(all->type) / 8);

    if (all->odd)
        return part;
    if (!all->rank || all->dims[0] != batch)
        part.odd = fsd_printed(
            arena, "its first axis does not have the batch size %" PRId64, batch);
    else if (all->fortran)
        part.odd = "its rows are not stored one after the other (fortran_order)";
    if (part.odd)
        return part;
    part.dims[0]--;
    part.count -= row;
    part.skip += last ? 0 : bytes;
    part.behind += last ? bytes : 0;
    return part;
}

/* Checks, for each network input that the set contains, that all its rows are equal. */
static enum fsd_status check_inputs(const struct fsd_graph *g,
                                    const struct fsd_numbers *n, struct fsd_error *err)
{
    struct fsd_span inputs = g->scopes.at[0].inputs;

    for (uint32_t i = 0; i < n->rows.n; i++)
        for (uint32_t k = 0; k < inputs.n; k++)
            if (g->tensors.at[g->links.at[inputs.at + k]].name == n->rows.at[i].name &&
                (n->rows.at[i].fresh || fsd_number_of(n, i, FSD_ERROR_MAX_ABS) > 0))
                return fsd_fail(err, FSD_E_MISMATCH, n->paths[0], FSD_POS_NONE, 0,
                                "expected only equal rows in each input of the "
                                "network, found different rows in '%.200s'",
                                fsd_text(g->names, n->rows.at[i].name));
    return FSD_OK;
}

enum fsd_status fsd_numbers_of_rows(struct fsd_arena *arena, const struct fsd_graph *g,
                                    const struct fsd_array_set *set,
                                    struct fsd_numbers *out, struct fsd_error *err)
{
    struct fsd_array_set sides[2] = {{.path = set->path, .runner = "row i"},
                                     {.path = set->path, .runner = "row i + 1"}};
    int64_t batch = find_batch(g, set);
    enum fsd_status status;

    if (!batch)
        return fsd_fail(err, FSD_E_MISMATCH, set->path, FSD_POS_NONE, 0,
                        "expected an input or output of the network with a batch of "
                        "at least 2 rows, found none");
    for (uint32_t i = 0; i < set->at.n; i++)
        for (int s = 0; s < 2; s++)
            fsd_vec_push(arena, &sides[s].at,
                         without_row(arena, &set->at.at[i], batch, s == 0));
    status = fsd_numbers_of_sets(arena, g->names, &sides[0], &sides[1], out, err);
    return status == FSD_OK ? check_inputs(g, out, err) : status;
}
