/* What the JSON of a sheet may hold, as a JSON Schema: the columns' kinds say it
   all. */
#include "report/json/json.h"
#include "report/sheet/sheet.h"

static void put_columns(struct fsd_json *schema, const struct fsd_column *columns,
                        uint32_t n, const char *id);

static void put_value(struct fsd_json *value, const struct fsd_column *c)
{
    static const char *const types[] = {
        [FSD_CELL_COUNT] = "integer", [FSD_CELL_NUMBER] = "number",
        [FSD_CELL_MS] = "number",     [FSD_CELL_SHARE] = "number",
        [FSD_CELL_BYTES] = NULL,      [FSD_CELL_MACS] = NULL,
        [FSD_CELL_TYPE] = "string",   [FSD_CELL_FLAG] = "boolean",
        [FSD_CELL_TEXT] = "string",   [FSD_CELL_NAME] = "string",
        [FSD_CELL_WORDS] = "array",   [FSD_CELL_IDS] = "array",
        [FSD_CELL_TALLY] = "object",  [FSD_CELL_ROWS] = "array",
        [FSD_CELL_RECORD] = "object"};

    if (c->kind == FSD_CELL_RECORD) {
        put_columns(value, c->inside, c->n_inside, NULL);
        return;
    }
    fsd_json_text(value, "type", types[c->kind] ? types[c->kind] : "integer");
    if (c->brief)
        fsd_json_text(value, "description",
                      "of more than 2,048 bytes the front and \"...\"");
    if (c->kind == FSD_CELL_ROWS)
        put_columns(fsd_json_object(value, "items"), c->inside, c->n_inside, NULL);
    else if (c->kind == FSD_CELL_TALLY)
        fsd_json_text(fsd_json_object(value, "additionalProperties"), "type",
                      "integer");
    else if (c->kind == FSD_CELL_WORDS || c->kind == FSD_CELL_IDS)
        fsd_json_text(fsd_json_object(value, "items"), "type",
                      c->kind == FSD_CELL_IDS ? "integer" : "string");
}

/* An amount in open sizes stands there as a text, under a name of its own. */
static void put_term(struct fsd_json *properties, const char *name)
{
    char key[80];

    snprintf(key, sizeof key, "%s_symbolic", name);
    fsd_json_text(fsd_json_object(properties, key), "type", "string");
}

/* @param id  of the whole; NULL: of a record in it */
static void put_columns(struct fsd_json *schema, const struct fsd_column *columns,
                        uint32_t n, const char *id)
{
    struct fsd_json *properties;

    fsd_json_text(schema, "type", "object");
    fsd_json_bool(schema, "additionalProperties", false);
    properties = fsd_json_object(schema, "properties");
    if (id)
        fsd_json_text(fsd_json_object(properties, "schema"), "const", id);
    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_column *c = &columns[i];

        if (c->aside)
            continue;
        put_value(fsd_json_object(properties, c->name), c);
        if (c->kind == FSD_CELL_BYTES || c->kind == FSD_CELL_MACS)
            put_term(properties, c->name);
    }
}

void fsd_sheet_put_schema(const struct fsd_sheet *sheet, const struct fsd_style *style,
                          FILE *out)
{
    struct fsd_json *root = fsd_json_new(out);
    char id[80];

    (void)style;
    snprintf(id, sizeof id, "urn:%s", sheet->schema);
    fsd_json_text(root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    fsd_json_text(root, "$id", id);
    put_columns(root, sheet->root.columns, sheet->root.n_columns, sheet->schema);
    fsd_json_end(root);
}
