/*
 * Makes the rows and cells of a sheet. A column determines the type of its cells. Each
 * cell stores whether it is known, so that every format distinguishes "0" from
 * "unknown".
 */
#include "report/sheet/sheet.h"
#include "model/ops/amount.h"
#include "explain/cost/cost.h"

struct fsd_rows *fsd_rows_new(struct fsd_arena *arena, const struct fsd_record *of,
                              const char *text)
{
    struct fsd_rows *rows = FSD_NEW(arena, struct fsd_rows, 1);

    *rows = (struct fsd_rows){.arena = arena, .of = of, .text = text};
    return rows;
}

void *fsd_record_new(struct fsd_arena *arena, const struct fsd_record *of)
{
    return fsd_arena_alloc(arena, 1, of->size, alignof(max_align_t));
}

void *fsd_rows_add(struct fsd_rows *rows)
{
    void *row = fsd_record_new(rows->arena, rows->of);

    fsd_vec_push(rows->arena, &rows->at, row);
    return row;
}

void *fsd_sheet_begin(struct fsd_sheet *sheet, const char *schema,
                      const struct fsd_record *of, const char *head, const char *text)
{
    struct fsd_rows *root = fsd_rows_new(sheet->arena, of, text);

    sheet->schema = schema;
    sheet->head = head;
    sheet->root = root;
    return fsd_rows_add(root);
}

struct line {
    const char *line;
};
static const struct fsd_column line_columns[] = {{"line", FSD_CELL_NAME}};
const struct fsd_record fsd_line_record = {"line", line_columns, 1,
                                           sizeof(struct line)};

void fsd_rows_add_line(struct fsd_rows *rows, const char *line)
{
    ((struct line *)fsd_rows_add(rows))->line = line;
}

const struct fsd_rows *fsd_rows_first(const struct fsd_rows *rows, uint32_t most)
{
    struct fsd_rows *copy = FSD_NEW(rows->arena, struct fsd_rows, 1);

    *copy = *rows;
    copy->at.n = rows->at.n < most ? rows->at.n : most;
    return copy;
}

const struct fsd_rows *fsd_rows_later(struct fsd_arena *arena,
                                      const struct fsd_record *of, uint32_t n,
                                      fsd_fill_row_fn *fill, const void *from)
{
    struct fsd_rows *rows = fsd_rows_new(arena, of, NULL);

    rows->fill = fill;
    rows->from = from;
    rows->at.n = n;
    return rows;
}

struct fsd_rows *fsd_rows_made(struct fsd_arena *arena, const struct fsd_record *of,
                               const char *text, uint32_t n, fsd_fill_row_fn *fill,
                               const void *from)
{
    struct fsd_rows *rows = fsd_rows_new(arena, of, text);

    for (uint32_t i = 0; i < n; i++)
        fill(arena, fsd_rows_add(rows), from, i);
    return rows;
}

const void *fsd_record_held(struct fsd_arena *arena, const struct fsd_record *of,
                            fsd_fill_row_fn *fill, const void *from, fsd_id i)
{
    void *row = NULL;

    if (i != FSD_NONE) {
        row = fsd_record_new(arena, of);
        fill(arena, row, from, i);
    }
    return row;
}

struct fsd_row fsd_row_begin(const struct fsd_rows *rows, uint32_t i)
{
    struct fsd_row row = {0};
    void *at;

    if (!rows->fill)
        return (struct fsd_row){.at = rows->at.at[i]};
    row.own = fsd_arena_new();
    row.at = at = fsd_record_new(row.own, rows->of);
    rows->fill(row.own, at, rows->from, i);
    return row;
}

struct fsd_words fsd_tally(struct fsd_arena *arena, const uint32_t *numbers, unsigned n,
                           unsigned from, const char *(*name)(unsigned))
{
    const char **words = FSD_NEW(arena, const char *, n);
    uint32_t *counts = FSD_NEW(arena, uint32_t, n), taken = 0;

    for (unsigned i = from; i < n; i++) {
        if (!*name(i))
            continue;
        words[taken] = name(i);
        counts[taken++] = numbers[i];
    }
    return (struct fsd_words){true, taken, words, counts};
}

struct fsd_fact_cells fsd_facts_of(struct fsd_arena *arena, const double *numbers,
                                   unsigned n, const char *(*name)(unsigned))
{
    struct fsd_fact_cell *facts = FSD_NEW(arena, struct fsd_fact_cell, n);
    uint32_t taken = 0;

    for (unsigned i = 0; i < n; i++)
        if (*name(i))
            facts[taken++] =
                (struct fsd_fact_cell){.key = name(i), .number = numbers[i]};
    return (struct fsd_fact_cells){true, taken, facts};
}

struct fsd_amount_cell fsd_amount_cell(const struct fsd_diff *d, int64_t amount)
{
    const char *term = fsd_amount_text(d->cost->amounts, amount);

    return (struct fsd_amount_cell){term || amount >= 0, amount, term};
}

struct fsd_ids fsd_ids_of_layers(struct fsd_arena *arena, const struct fsd_match *match,
                                 fsd_id node)
{
    uint32_t n = match->of_node[node].n;
    fsd_id *layers = FSD_NEW(arena, fsd_id, n);

    for (uint32_t i = 0; i < n; i++)
        layers[i] = fsd_match_of_node(match, node, i)->layer;
    return fsd_ids(layers, n);
}

struct fsd_words fsd_words_of_evidence(struct fsd_arena *arena, unsigned by)
{
    const char **words = FSD_NEW(arena, const char *, 8);
    uint32_t n = 0;

    for (unsigned bit = 0; 1u << bit <= FSD_BY_ALL; bit++)
        if (by >> bit & 1)
            words[n++] = fsd_evidence_name(bit);
    return fsd_words(words, n);
}

/* Whether a member is known. Depending on its kind, the member is a pointer or a struct
 * that begins with `known`. */
static bool is_known(enum fsd_cell_kind kind, const void *at)
{
    const unsigned pointers = 1u << FSD_CELL_TEXT | 1u << FSD_CELL_NAME |
                              1u << FSD_CELL_RECORD | 1u << FSD_CELL_ROWS;

    return pointers >> kind & 1 ? *(const void *const *)at != NULL : *(const bool *)at;
}

#define BEGINS_KNOWN(type)                                                             \
    _Static_assert(offsetof(type, known) == 0, "is_known() reads `known` at 0")
BEGINS_KNOWN(struct fsd_count);
BEGINS_KNOWN(struct fsd_real);
BEGINS_KNOWN(struct fsd_amount_cell);
BEGINS_KNOWN(struct fsd_flag);
BEGINS_KNOWN(struct fsd_words);
BEGINS_KNOWN(struct fsd_ids);
BEGINS_KNOWN(struct fsd_size_list);
BEGINS_KNOWN(struct fsd_fact_cells);

struct fsd_cell fsd_cell_of(const struct fsd_column *column, const void *record)
{
    const void *at = (const char *)record + column->at;
    struct fsd_cell cell = {.known = is_known(column->kind, at)};

    if (!cell.known)
        return cell;
    switch (column->kind) {
    case FSD_CELL_COUNT:
    case FSD_CELL_TYPE:
        cell.count = ((const struct fsd_count *)at)->is;
        break;
    case FSD_CELL_FLAG:
        cell.count = ((const struct fsd_flag *)at)->is;
        break;
    case FSD_CELL_NUMBER:
    case FSD_CELL_MS:
    case FSD_CELL_SHARE:
        cell.number = ((const struct fsd_real *)at)->is;
        break;
    case FSD_CELL_BYTES:
    case FSD_CELL_MACS:
        cell.amount = *(const struct fsd_amount_cell *)at;
        break;
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
        cell.text = *(const char *const *)at;
        break;
    case FSD_CELL_WORDS:
    case FSD_CELL_TALLY:
        cell.words = *(const struct fsd_words *)at;
        break;
    case FSD_CELL_IDS:
        cell.ids = *(const struct fsd_ids *)at;
        break;
    case FSD_CELL_SIZES:
        cell.sizes = *(const struct fsd_size_list *)at;
        break;
    case FSD_CELL_FACTS:
        cell.facts = *(const struct fsd_fact_cells *)at;
        break;
    case FSD_CELL_RECORD:
        cell.record = *(const void *const *)at;
        break;
    case FSD_CELL_ROWS:
    default:
        cell.rows = *(const struct fsd_rows *const *)at;
        break;
    }
    return cell;
}

bool fsd_cell_says(const struct fsd_column *column, const struct fsd_cell *cell)
{
    if (!cell->known)
        return false;
    switch (column->kind) {
    case FSD_CELL_COUNT:
    case FSD_CELL_TYPE:
    case FSD_CELL_FLAG:
        return cell->count;
    case FSD_CELL_NUMBER:
    case FSD_CELL_MS:
    case FSD_CELL_SHARE:
        return cell->number > 0 || cell->number < 0;
    case FSD_CELL_BYTES:
    case FSD_CELL_MACS:
        return cell->amount.number != 0;
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
        return *cell->text;
    case FSD_CELL_TALLY:
        for (uint32_t i = 0; i < cell->words.n; i++)
            if (cell->words.counts[i])
                return true;
        return false;
    case FSD_CELL_WORDS:
        return cell->words.n;
    case FSD_CELL_IDS:
        return cell->ids.n;
    case FSD_CELL_SIZES:
        return cell->sizes.n;
    case FSD_CELL_FACTS:
        for (uint32_t i = 0; i < cell->facts.n; i++)
            if (fsd_fact_says(&cell->facts.at[i]))
                return true;
        return false;
    case FSD_CELL_RECORD:
        return true;
    case FSD_CELL_ROWS:
    default:
        return cell->rows->at.n;
    }
}
