/*
 * Makes rows and cells of a sheet.  A cell is typed by its column and knows whether it
 * is known, which is what keeps "0" and "not known" apart in every format; whether a
 * cell has anything to say (fsd_cell_says()) decides which optional parts of a text
 * template are printed.
 */
#include "report/sheet/sheet.h"
#include "ops/amount.h"
#include "cost/cost.h"

struct fsd_cell *fsd_rows_add(struct fsd_arena *arena, struct fsd_rows *rows)
{
    struct fsd_cell *row = FSD_NEW(arena, struct fsd_cell, rows->n_columns);

    fsd_vec_push(arena, &rows->at, row);
    return row;
}

struct fsd_cell fsd_cell_rows(struct fsd_arena *arena, const struct fsd_rows *rows,
                              uint32_t most)
{
    struct fsd_rows *copy = FSD_NEW(arena, struct fsd_rows, 1);

    *copy = *rows;
    copy->at.n = rows->at.n < most ? rows->at.n : most;
    return (struct fsd_cell){.known = true, .rows = copy};
}

struct fsd_cell fsd_cell_amount(const struct fsd_diff *d, int64_t amount)
{
    const char *term = fsd_amount_text(d->cost->amounts, amount);

    return (struct fsd_cell){.known = term || amount >= 0, .amount = {amount, term}};
}

struct fsd_cell fsd_cell_evidence(struct fsd_arena *arena, unsigned by)
{
    const char **words = FSD_NEW(arena, const char *, 8);
    uint32_t n = 0;

    for (unsigned bit = 0; 1u << bit <= FSD_BY_ALL; bit++)
        if (by >> bit & 1)
            words[n++] = fsd_evidence_name(bit);
    return fsd_cell_words(words, n);
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
    case FSD_CELL_WORDS:
    case FSD_CELL_TALLY:
        return cell->words.n;
    case FSD_CELL_IDS:
        return cell->ids.n;
    case FSD_CELL_ROWS:
    case FSD_CELL_RECORD:
    default:
        return cell->rows->at.n;
    }
}
