/* Looks up numbers by row and column, and prints the numbers of a row.  A row has few
 * columns, so a linear search is enough. */
#include "explain/values/values.h"
#include "model/graph/graph.h"

double fsd_number_of(const struct fsd_numbers *n, uint32_t row, uint32_t column)
{
    struct fsd_span cells =
        row == FSD_NONE ? (struct fsd_span){0} : n->rows.at[row].cells;

    for (uint32_t i = 0; i < cells.n; i++)
        if (n->cells.at[cells.at + i].column == column)
            return n->cells.at[cells.at + i].number;
    return (double)NAN;
}

double *fsd_largest_values(struct fsd_arena *arena, const struct fsd_graph *g,
                           const struct fsd_numbers *n)
{
    double *of = n ? FSD_NEW(arena, double, g->tensors.n + 1) : NULL;

    for (fsd_id t = 0; n && t < g->tensors.n; t++)
        of[t] = (double)NAN;
    for (uint32_t i = 0; n && i < n->rows.n; i++) {
        fsd_id t = fsd_graph_only(g, n->rows.at[i].name);

        if (t != FSD_NONE)
            of[t] = n->rows.at[i].largest;
    }
    return of;
}

uint32_t fsd_number_column(const struct fsd_numbers *n, const char *name)
{
    for (uint32_t i = 0; i < n->n_columns; i++)
        if (!strcmp(n->columns[i], name))
            return i;
    return FSD_NONE;
}

static void put_value(double number, FILE *out)
{
    bool whole = fabs(number) < 1e15 && number == floor(number);

    fprintf(out, whole ? "%.0f" : "%.4g", number);
}

/* Whether to print the cell: counts of NaN and infinite elements are only printed if
 * they are above 0. */
static bool is_shown(const struct fsd_numbers *n, const struct fsd_number_cell *cell)
{
    return n->of == FSD_NUMBERS_OF_TABLE || cell->column < FSD_ERROR_NAN ||
           cell->number > 0;
}

void fsd_put_row(const struct fsd_numbers *n, uint32_t row, uint32_t most, FILE *out)
{
    struct fsd_span cells = n->rows.at[row].cells;
    uint32_t shown = 0;

    for (uint32_t i = 0; i < cells.n && shown < most; i++) {
        const struct fsd_number_cell *cell = &n->cells.at[cells.at + i];

        if (!is_shown(n, cell))
            continue;
        fprintf(out, "%s%s ", shown++ ? ", " : "", n->columns[cell->column]);
        put_value(cell->number, out);
    }
    if (!shown && n->of != FSD_NUMBERS_OF_TABLE)
        fputs("all values finite", out);
}

const struct fsd_values *fsd_values_rename(struct fsd_arena *arena,
                                           const struct fsd_values *v,
                                           const char *(*rename)(void *, const char *),
                                           void *payload)
{
    static const char *const files[] = {"reference", "values"};
    struct fsd_numbers *numbers = FSD_NEW(arena, struct fsd_numbers, 1);
    struct fsd_values *copy = FSD_NEW(arena, struct fsd_values, 1);

    *numbers = *v->numbers;
    for (uint32_t i = 0; i < numbers->n_columns; i++)
        numbers->columns[i] = rename(payload, numbers->columns[i]);
    for (size_t i = 0; i < FSD_COUNT_OF(files); i++) {
        numbers->paths[i] = numbers->paths[i] ? files[i] : NULL;
        numbers->runners[i] = rename(payload, numbers->runners[i]);
    }
    *copy = *v;
    copy->numbers = numbers;
    return copy;
}
