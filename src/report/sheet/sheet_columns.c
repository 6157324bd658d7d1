/*
 * Prints the columns of a sheet as JSON, for the page. The page prints records whose
 * types it does not know: it uses the kind and the title of each column.
 *
 *     {"regions": {"kind": "rows", "of": {"what": {"kind": "text"}, ...
 */
#include "base/base.h"
#include "report/json/json.h"
#include "report/sheet/sheet.h"

/* The kind of a column, as the page knows it. If a column of words does not list the
 * possible words, they come from an input, and the kind is "names". A sentence is
 * "text", although it may quote names. */
static const char *kind_word(const struct fsd_column *c)
{
    static const char *const words[] = {
        [FSD_CELL_COUNT] = "count",  [FSD_CELL_NUMBER] = "number",
        [FSD_CELL_MS] = "ms",        [FSD_CELL_SHARE] = "share",
        [FSD_CELL_BYTES] = "bytes",  [FSD_CELL_MACS] = "macs",
        [FSD_CELL_TYPE] = "type",    [FSD_CELL_FLAG] = "flag",
        [FSD_CELL_TEXT] = "text",    [FSD_CELL_NAME] = "name",
        [FSD_CELL_WORDS] = "words",  [FSD_CELL_IDS] = "ids",
        [FSD_CELL_SIZES] = "sizes",  [FSD_CELL_TALLY] = "tally",
        [FSD_CELL_FACTS] = "facts",  [FSD_CELL_ROWS] = "rows",
        [FSD_CELL_RECORD] = "record"};

    if (c->kind == FSD_CELL_WORDS && !c->word)
        return "names";
    return c->sentence ? "text" : words[c->kind];
}

static void put_columns(struct fsd_json *to, const struct fsd_record *of)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const struct fsd_column *c = &of->columns[i];
        struct fsd_json *column =
            c->aside ? NULL : fsd_json_object(to, fsd_column_key(c));

        if (!column)
            continue;
        fsd_json_text(column, "kind", kind_word(c));
        if (c->title)
            fsd_json_text(column, "title", c->title);
        if (c->of)
            put_columns(fsd_json_object(column, "of"), c->of);
    }
}

void fsd_sheet_put_columns(const struct fsd_sheet *sheet, FILE *out)
{
    struct fsd_json *root = fsd_json_new(out);

    put_columns(root, sheet->root->of);
    fsd_json_end(root);
}
