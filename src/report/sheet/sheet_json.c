/* Prints a sheet as JSON: every known cell under its column's key. */
#include "report/sheet/sheet.h"
#include "report/json/json.h"

static void add_row(struct fsd_json *object, const struct fsd_record *of,
                    const void *row);

static void add_root(struct fsd_json *object, const struct fsd_rows *root)
{
    add_row(object, root->of, root->at.at[0]);
}

static void add_fact(struct fsd_json *facts, const struct fsd_fact_cell *fact)
{
    if (fact->text)
        fsd_json_text(facts, fact->key, fact->text);
    else if (fact->whole)
        fsd_json_count(facts, fact->key, fact->count);
    else
        fsd_json_number(facts, fact->key, fact->number);
}

static void add_cell(struct fsd_json *object, const struct fsd_column *column,
                     const struct fsd_cell *cell)
{
    const char *name = fsd_column_key(column);
    struct fsd_json *inner;
    char room[FSD_BRIEF_ROOM];

    switch (column->kind) {
    case FSD_CELL_COUNT:
        fsd_json_count(object, name, cell->count);
        break;
    case FSD_CELL_NUMBER:
    case FSD_CELL_MS:
    case FSD_CELL_SHARE:
        fsd_json_number(object, name, cell->number);
        break;
    case FSD_CELL_BYTES:
    case FSD_CELL_MACS:
        fsd_json_number_or_term(object, name, cell->amount.number, cell->amount.term);
        break;
    case FSD_CELL_TYPE:
        fsd_json_text(object, name, fsd_dtype_name((enum fsd_dtype)cell->count));
        break;
    case FSD_CELL_FLAG:
        if (cell->count || !column->if_true)
            fsd_json_bool(object, name, cell->count);
        break;
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
        fsd_json_text(object, name, fsd_cell_brief(column, cell, room));
        break;
    case FSD_CELL_WORDS:
        inner = fsd_json_list(object, name);
        for (uint32_t i = 0; i < cell->words.n; i++)
            fsd_json_add_text(inner, cell->words.at[i]);
        break;
    case FSD_CELL_IDS:
        inner = fsd_json_list(object, name);
        for (uint32_t i = 0; i < cell->ids.n; i++)
            fsd_json_add_number(inner, cell->ids.at[i]);
        break;
    case FSD_CELL_SIZES:
        inner = fsd_json_list(object, name);
        for (uint32_t i = 0; i < cell->sizes.n; i++)
            if (cell->sizes.at[i].term)
                fsd_json_add_text(inner, cell->sizes.at[i].term);
            else
                fsd_json_add_number(inner, (double)cell->sizes.at[i].number);
        break;
    case FSD_CELL_FACTS:
        inner = fsd_json_object(object, name);
        for (uint32_t i = 0; i < cell->facts.n; i++)
            add_fact(inner, &cell->facts.at[i]);
        break;
    case FSD_CELL_TALLY:
        inner = fsd_json_object(object, name);
        for (uint32_t i = 0; i < cell->words.n; i++)
            fsd_json_count(inner, cell->words.at[i], cell->words.counts[i]);
        break;
    case FSD_CELL_ROWS:
        inner = fsd_json_list(object, name);
        for (uint32_t i = 0; i < cell->rows->at.n; i++) {
            struct fsd_row row = fsd_row_begin(cell->rows, i);

            add_row(fsd_json_item(inner), cell->rows->of, row.at);
            fsd_row_end(row);
        }
        break;
    case FSD_CELL_RECORD:
    default:
        inner = fsd_json_object(object, name);
        if (column->of)
            add_row(inner, column->of, cell->record);
        else
            add_root(inner, cell->record);
        break;
    }
}

static void add_row(struct fsd_json *object, const struct fsd_record *of,
                    const void *row)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const struct fsd_column *column = &of->columns[i];
        struct fsd_cell cell;

        if (column->aside)
            continue;
        cell = fsd_cell_of(column, row);
        if (cell.known)
            add_cell(object, column, &cell);
    }
}

void fsd_sheet_put_json(const struct fsd_sheet *sheet, FILE *out)
{
    struct fsd_json *root = fsd_json_new(out);

    if (!fsd_sheet_names_schema(sheet))
        fsd_json_text(root, "schema", sheet->schema);
    add_root(root, sheet->root);
    fsd_json_end(root);
}

void fsd_record_put_json(const struct fsd_record *of, const void *record, FILE *out)
{
    struct fsd_json *root = fsd_json_new(out);

    add_row(root, of, record);
    fsd_json_end(root);
}
