/* The external numbers (--values) of a run: what they measure, the rows that match no
 * layer or node, the layers where an error enters, the growth of the error, and the
 * numbers of one layer or node. */
#include "base/base.h"
#include "report/record/records.h"
#include "explain/values/values.h"

enum { STRANGERS = 16, SHOWN = 4 };

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

static const char *row_name(const struct fsd_diff *d, uint32_t row)
{
    return fsd_text(d->names, d->values->numbers->rows.at[row].name);
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

/* clang-format off */
#define UNMEASURED(has, set, when, t) \
    set(t, NAME, name, fsd_text(d->names, tensor->name), FSD_ALWAYS) \
    set(t, TEXT, why, tensor->why, FSD_ALWAYS)
FSD_RECORD_FROM(unmeasured, UNMEASURED, const struct fsd_diff *d = from;
    const struct fsd_unmeasured *tensor = &d->values->numbers->unmeasured.at[i])

#define STRANGER(has, set, when, t) \
    set(t, NAME, name, row_name(d, d->values->strangers.at[i]), FSD_ASIDE, \
        .brief = true)
FSD_RECORD_FROM(stranger, STRANGER, const struct fsd_diff *d = from)

#define SUSPECTED(t, name, when, describes) \
    when(t, IDS, name, e->suspects.n, fsd_ids_of_span(v->pool.at, e->name), NULL, \
        .about = (describes))
#define ENTRY(has, set, when, t) \
    set(t, NAME,  tensor, row_name(d, e->row), FSD_ALWAYS) \
    set(t, FACTS, values, fsd_facts_of_row(arena, v, e->row), FSD_ALWAYS) \
    set(t, COUNT, node, fsd_count_id(e->node), NULL, \
        .about = "the node that produces the tensor; absent for an input of the " \
                 "network") \
    set(t, COUNT, layer, fsd_count_id(e->layer), NULL, \
        .about = "the layer that computes this node") \
    SUSPECTED(t, suspects, when, \
        "possible causes: the nodes between this tensor and the nearest measured " \
        "tensors before it") \
    SUSPECTED(t, layers, when, "the layers that compute the suspects") \
    SUSPECTED(t, behind, when, \
        "Casts and quantizers that are suspects, or that directly precede a suspect") \
    SUSPECTED(t, moved, when, "layers that change the type of a suspect's input")
/* Row i describes v->entries.at[i], a tensor where an error enters. Row v->entries.n
 * describes v->nan, the first tensor with values that are not finite. */
FSD_RECORD_FROM(entry, ENTRY, const struct fsd_diff *d = from;
    const struct fsd_values *v = d->values;
    const struct fsd_entry *e = i < v->entries.n ? &v->entries.at[i] : &v->nan)

#define GROWTH(has, set, when, t) \
    set(t, NAME,  tensor, row_name(d, g->row), FSD_ALWAYS) \
    set(t, FACTS, values, fsd_facts_of_row(arena, d->values, g->row), FSD_ALWAYS) \
    set(t, COUNT, layer, fsd_count_id(g->layer), NULL)
FSD_RECORD_FROM(growth, GROWTH, const struct fsd_diff *d = from;
    const struct fsd_growth *g = &d->values->growth.at[i])

#define VALUES(has, set, when, t) \
    set(t, TEXT,   of, of_word(n->of), FSD_ALWAYS, .word = of_word, .n_words = 3, \
        .about = "kind of numbers; table: columns of a table; tensors: one set of " \
                 "tensors; errors: one set compared with a reference set") \
    set(t, NAME,   path, n->paths[two], FSD_ALWAYS) \
    set(t, NAME,   reference, two ? n->paths[0] : NULL, NULL, \
        .about = "path of the set with which the tensors are compared") \
    set(t, NAME,   runner, n->runners[two], NULL, .about = "name of the runner in " \
            "Polygraphy's file") \
    set(t, NAME,   reference_runner, two ? n->runners[0] : NULL, NULL) \
    set(t, WORDS,  columns, fsd_words(n->columns, n->n_columns), FSD_ALWAYS) \
    set(t, COUNT,  rows, n->rows.n, FSD_ALWAYS) \
    set(t, COUNT,  joined, v->joined, FSD_ALWAYS, \
        .about = "number of rows that have the name of a node, a layer or a tensor") \
    set(t, WORDS,  strangers, strangers_of(arena, d), NULL, \
        .about = "the first names of rows that match no node, layer or tensor") \
    when(t, ROWS,   unmeasured, measured && n->unmeasured.n, \
        FSD_LATER(arena, unmeasured, n->unmeasured.n, d), NULL, \
        .of = &unmeasured_record, .about = "tensors that could not be compared") \
    when(t, COUNT,  only_reference, errors, n->only_first, NULL, \
        .about = "number of tensors only in the reference") \
    when(t, COUNT,  only_tested, errors, n->only_second, NULL, \
        .about = "number of tensors not in the reference") \
    when(t, NUMBER, limit, errors, v->limit, NULL, .about = "the l2_rel above " \
            "which a tensor is wrong") \
    when(t, COUNT,  over, measured, v->over, NULL, \
        .about = "number of tensors above the limit, or with new NaN or Inf") \
    when(t, ROWS,   enters, measured, FSD_LATER(arena, entry, v->entries.n, d), NULL, \
        .of = &entry_record, \
        .about = "tensors where an error enters, in the model's order: the tensor's " \
                 "error is above the limit, but none of the nearest measured tensors " \
                 "before it has such an error; only the first 16 have suspects") \
    when(t, RECORD, first_nan, measured && v->has_nan, \
        FSD_HELD(arena, entry, d, v->entries.n), NULL, .of = &entry_record, \
        .about = "the first tensor with a NaN or infinite value where the reference " \
                 "has a different value") \
    when(t, ROWS,   growth, errors, FSD_LATER(arena, growth, v->growth.n, d), NULL, \
        .of = &growth_record, \
        .about = "tensors along which the error grows, from the first wrong tensor " \
                 "on; where the network branches, the list follows the branch whose " \
                 "next measured tensor has the largest error") \
    when(t, WORDS,  shown_columns, !measured, fsd_words(n->columns, shown), FSD_ASIDE) \
    set(t, COUNT,  more_columns, n->n_columns - shown, FSD_ASIDE) \
    when(t, COUNT,  not_finite, measured && !errors, v->over, FSD_ASIDE) \
    when(t, TEXT,   limit_text, errors, fsd_printed(arena, "%g", v->limit), FSD_ASIDE) \
    when(t, FLAG,   has_nan, v->has_nan, true, FSD_ASIDE) \
    when(t, NAME,   example, n->unmeasured.n, \
        fsd_text(d->names, n->unmeasured.at[0].name), FSD_ASIDE) \
    when(t, TEXT,   why, n->unmeasured.n, n->unmeasured.at[0].why, FSD_ASIDE) \
    set(t, COUNT,  n_unmeasured, n->unmeasured.n, FSD_ASIDE) \
    when(t, FLAG,   unpaired, n->only_first || n->only_second, true, FSD_ASIDE) \
    set(t, ROWS,   names, fsd_rows_joined(FSD_ROWS(arena, stranger, "'{name}'", \
        names, d), ", "), FSD_ASIDE, .of = &stranger_record) \
    set(t, COUNT,  n_names, v->strangers.n, FSD_ASIDE) \
    set(t, COUNT,  more_names, v->strangers.n - names, FSD_ASIDE)
FSD_RECORD_SHARED(values, VALUES)
/* clang-format on */

const void *fsd_values_held(struct fsd_arena *arena, const struct fsd_diff *d)
{
    const struct fsd_values *v = d->values;
    const struct fsd_numbers *n = d->numbers;
    struct values *row;
    bool two = v && n->paths[1], measured = v && n->of != FSD_NUMBERS_OF_TABLE,
         errors = v && n->of == FSD_NUMBERS_OF_ERRORS;
    uint32_t shown, names;

    if (!v)
        return NULL;
    shown = n->n_columns < SHOWN ? n->n_columns : SHOWN;
    names = v->strangers.n < SHOWN ? v->strangers.n : SHOWN;
    row = FSD_NEW(arena, struct values, 1);
    FSD_FILL(row, VALUES);
    return row;
}
