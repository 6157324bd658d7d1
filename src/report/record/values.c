/* External numbers in a run: what they measure, the rows that could not be joined, the
 * place where an error enters and its growth; and the numbers of one layer or node. */
#include "base/base.h"
#include "report/record/records.h"
#include "explain/values/values.h"

enum { STRANGERS = 16 };

/* ------------------------------------------------------------------- of one thing */

struct fsd_fact_cells fsd_facts_of_row(struct fsd_arena *arena,
                                       const struct fsd_values *v, uint32_t row)
{
    const struct fsd_numbers *n = v ? v->numbers : NULL;
    struct fsd_fact_cell *facts;
    struct fsd_span cells;

    if (!v || row == FSD_NONE)
        return (struct fsd_fact_cells){0};
    cells = n->rows.at[row].cells;
    facts = FSD_NEW(arena, struct fsd_fact_cell, cells.n);
    for (uint32_t i = 0; i < cells.n; i++) {
        const struct fsd_number_cell *cell = &n->cells.at[cells.at + i];

        facts[i].key = n->columns[cell->column];
        facts[i].number = cell->number;
        facts[i].text =
            isinf(cell->number) ? "inf" : NULL; /* JSON cannot represent infinity */
        facts[i].whole = n->of != FSD_NUMBERS_OF_TABLE && cell->column >= FSD_ERROR_NAN;
        facts[i].count = facts[i].whole ? (uint64_t)cell->number : 0;
    }
    return (struct fsd_fact_cells){true, cells.n, facts};
}

void fsd_sheet_take_values(struct fsd_sheet *sheet, const struct fsd_diff *d)
{
    if (!d || !d->values)
        return;
    sheet->facts = d->values->numbers->columns;
    sheet->n_facts = d->values->numbers->n_columns;
}

const char *fsd_text_of_row(struct fsd_arena *arena, const struct fsd_values *v,
                            uint32_t row)
{
    struct fsd_print print;

    if (!v || row == FSD_NONE)
        return NULL;
    fsd_put_row(v->numbers, row, FSD_MOST_COLUMNS, fsd_print_open(&print));
    return fsd_print_take(&print, arena);
}

/* ----------------------------------------------------------------- of the whole run */

static const char *of_word(unsigned of)
{
    static const char *const words[] = {[FSD_NUMBERS_OF_TABLE] = "table",
                                        [FSD_NUMBERS_OF_TENSORS] = "tensors",
                                        [FSD_NUMBERS_OF_ERRORS] = "errors"};

    return words[of];
}

/* clang-format off */
#define UNMEASURED(has, set, when, t) \
    has(t, NAME, name, NULL, .always = true) \
    has(t, TEXT, why,  NULL, .always = true)
FSD_RECORD(unmeasured, UNMEASURED)

#define ENTRY(has, set, when, t) \
    has(t, NAME,  tensor,   NULL, .always = true) \
    has(t, FACTS, values,   NULL, .always = true) \
    has(t, COUNT, node,     NULL, \
        .about = "the node that produces it; absent for an input") \
    has(t, COUNT, layer,    NULL, .about = "that computes this node") \
    has(t, IDS,   suspects, NULL, \
        .about = "nodes between it and the tensors before it that are within the " \
                 "limit") \
    has(t, IDS,   layers,   NULL, .about = "that compute the suspects") \
    has(t, IDS,   behind,   NULL, \
        .about = "Casts and quantizers among the suspects, or right before them") \
    has(t, IDS,   moved,    NULL, \
        .about = "layers that change the type of a suspect's input")
FSD_RECORD(entry, ENTRY)

#define GROWTH(has, set, when, t) \
    has(t, NAME,  tensor, NULL, .always = true) \
    has(t, FACTS, values, NULL, .always = true) \
    has(t, COUNT, layer,  NULL)
FSD_RECORD(growth, GROWTH)

#define VALUES(has, set, when, t) \
    set(t, TEXT,   of, of_word(n->of), NULL, .always = true, .word = of_word, \
        .n_words = 3, \
        .about = "a table, one set of tensors, or errors of one set compared with " \
        "another") \
    set(t, NAME,   path, n->paths[two], NULL, .always = true) \
    set(t, NAME,   reference, two ? n->paths[0] : NULL, NULL, \
        .about = "of errors: the other file") \
    set(t, NAME,   runner, n->runners[two], NULL, .about = "as Polygraphy calls it") \
    set(t, NAME,   reference_runner, two ? n->runners[0] : NULL, NULL) \
    set(t, WORDS,  columns, fsd_words(n->columns, n->n_columns), NULL, .always = true) \
    set(t, COUNT,  rows, n->rows.n, NULL, .always = true) \
    set(t, COUNT,  joined, v->joined, NULL, .always = true, \
        .about = "rows whose name is that of a node, a layer or a tensor") \
    set(t, WORDS,  strangers, strangers_of(arena, d), NULL, \
        .about = "the first of the other rows' names") \
    has(t, ROWS,   unmeasured, NULL, .of = &unmeasured_record, \
        .about = "tensors that could not be compared") \
    has(t, COUNT,  only_reference, NULL, .about = "tensors that the other set lacks") \
    has(t, COUNT,  only_tested, NULL, .about = "tensors that the reference lacks") \
    has(t, NUMBER, limit,      NULL, .about = "of l2_rel") \
    has(t, COUNT,  over,       NULL, \
        .about = "tensors over it, or with new NaN or Inf") \
    has(t, ROWS,   enters,     NULL, .of = &entry_record, \
        .about = "tensors over the limit with none before them, in the model's " \
                 "order; the first 16 with suspects") \
    has(t, RECORD, first_nan,  NULL, .of = &entry_record, \
        .about = "the first tensor with values that are NaN or infinite where the " \
        "reference has different ones") \
    has(t, ROWS,   growth,     NULL, .of = &growth_record, \
        .about = "from the first entry on, the worst of the measured tensors next " \
                 "behind")
FSD_RECORD_SHARED(values, VALUES)
/* clang-format on */

static const char *row_name(const struct fsd_diff *d, uint32_t row)
{
    return fsd_text(d->names, d->values->numbers->rows.at[row].name);
}

static void fill_entry(struct fsd_arena *arena, struct entry *row,
                       const struct fsd_diff *d, const struct fsd_entry *e)
{
    const struct fsd_values *v = d->values;

    row->tensor = row_name(d, e->row);
    row->values = fsd_facts_of_row(arena, v, e->row);
    row->node = fsd_count_id(e->node);
    row->layer = fsd_count_id(e->layer);
    if (!e->suspects.n)
        return;
    row->suspects = fsd_ids_of_span(v->pool.at, e->suspects);
    row->layers = fsd_ids_of_span(v->pool.at, e->layers);
    row->behind = fsd_ids_of_span(v->pool.at, e->behind);
    row->moved = fsd_ids_of_span(v->pool.at, e->moved);
}

static const struct fsd_rows *entries_of(struct fsd_arena *arena,
                                         const struct fsd_diff *d)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &entry_record, "");

    for (uint32_t i = 0; i < d->values->entries.n; i++)
        fill_entry(arena, fsd_rows_add(rows), d, &d->values->entries.at[i]);
    return rows;
}

static const struct fsd_rows *growth_of(struct fsd_arena *arena,
                                        const struct fsd_diff *d)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &growth_record, "");

    for (uint32_t i = 0; i < d->values->growth.n; i++) {
        const struct fsd_growth *g = &d->values->growth.at[i];
        struct growth *row = fsd_rows_add(rows);

        row->tensor = row_name(d, g->row);
        row->values = fsd_facts_of_row(arena, d->values, g->row);
        row->layer = fsd_count_id(g->layer);
    }
    return rows;
}

static const struct fsd_rows *unmeasured_of(struct fsd_arena *arena,
                                            const struct fsd_diff *d)
{
    const struct fsd_numbers *n = d->values->numbers;
    struct fsd_rows *rows = fsd_rows_new(arena, &unmeasured_record, "");

    for (uint32_t i = 0; i < n->unmeasured.n; i++) {
        struct unmeasured *row = fsd_rows_add(rows);

        row->name = fsd_text(d->names, n->unmeasured.at[i].name);
        row->why = n->unmeasured.at[i].why;
    }
    return n->unmeasured.n ? rows : NULL;
}

static struct fsd_words strangers_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_values *v = d->values;
    uint32_t n = v->strangers.n < STRANGERS ? v->strangers.n : STRANGERS;
    const char **words = FSD_NEW(arena, const char *, n);

    for (uint32_t i = 0; i < n; i++)
        words[i] = row_name(d, v->strangers.at[i]);
    return n ? fsd_words(words, n) : (struct fsd_words){0};
}

static void fill_errors(struct fsd_arena *arena, struct values *row,
                        const struct fsd_diff *d)
{
    const struct fsd_values *v = d->values;
    struct entry *nan;

    row->over = fsd_count(v->over);
    row->enters = entries_of(arena, d);
    if (v->has_nan) {
        row->first_nan = nan = FSD_NEW(arena, struct entry, 1);
        fill_entry(arena, nan, d, &v->nan);
    }
    row->unmeasured = unmeasured_of(arena, d);
    if (v->numbers->of != FSD_NUMBERS_OF_ERRORS)
        return;
    row->limit = fsd_real(v->limit);
    row->growth = growth_of(arena, d);
    row->only_reference = fsd_count(v->numbers->only_first);
    row->only_tested = fsd_count(v->numbers->only_second);
}

const void *fsd_values_held(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_values *v = d->values;
    const struct fsd_numbers *n = d->numbers;
    struct values *row;
    bool two = v && n->paths[1];

    if (!v)
        return NULL;
    row = FSD_NEW(arena, struct values, 1);
    FSD_FILL(row, VALUES);
    if (n->of != FSD_NUMBERS_OF_TABLE)
        fill_errors(arena, row, d);
    return row;
}
