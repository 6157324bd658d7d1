/* What the JSON of a sheet may hold, as a JSON Schema: the columns' kinds say it
   all. */
#include "report/json/json.h"
#include "report/sheet/sheet.h"

static void put_members(struct fsd_json *schema, const struct fsd_record *of,
                        const char *id);

static void put_type_of_items(struct fsd_json *value, const char *key, const char *type)
{
    fsd_json_text(fsd_json_object(value, key), "type", type);
}

static void put_two_types(struct fsd_json *value, const char *one, const char *other)
{
    struct fsd_json *types = fsd_json_list(value, "type");

    fsd_json_add_text(types, one);
    fsd_json_add_text(types, other);
}

/* The words that there are, in the place of "string". */
static void put_words(struct fsd_json *value, const struct fsd_column *c)
{
    struct fsd_json *words = fsd_json_list(value, "enum");

    for (unsigned i = 0; i < c->n_words; i++)
        if (*c->word(i))
            fsd_json_add_text(words, c->word(i));
}

static void put_value(struct fsd_json *value, const struct fsd_column *c)
{
    static const char *const types[] = {
        [FSD_CELL_COUNT] = "integer", [FSD_CELL_NUMBER] = "number",
        [FSD_CELL_MS] = "number",     [FSD_CELL_SHARE] = "number",
        [FSD_CELL_BYTES] = "integer", [FSD_CELL_MACS] = "integer",
        [FSD_CELL_TYPE] = "string",   [FSD_CELL_FLAG] = "boolean",
        [FSD_CELL_TEXT] = "string",   [FSD_CELL_NAME] = "string",
        [FSD_CELL_WORDS] = "array",   [FSD_CELL_IDS] = "array",
        [FSD_CELL_SIZES] = "array",   [FSD_CELL_TALLY] = "object",
        [FSD_CELL_FACTS] = "object",  [FSD_CELL_ROWS] = "array",
        [FSD_CELL_RECORD] = NULL};
    struct fsd_json *items;

    if (c->about)
        fsd_json_text(value, "description", c->about);
    else if (c->brief)
        fsd_json_text(value, "description",
                      "of more than 2,048 bytes the front and \"...\"");
    if (c->word && c->kind == FSD_CELL_TEXT)
        put_words(value, c);
    else if (types[c->kind])
        fsd_json_text(value, "type", types[c->kind]);
    switch (c->kind) {
    case FSD_CELL_RECORD:
        put_members(value, c->of, NULL);
        break;
    case FSD_CELL_ROWS:
        put_members(fsd_json_object(value, "items"), c->of, NULL);
        break;
    case FSD_CELL_TALLY:
        put_type_of_items(value, "additionalProperties", "integer");
        break;
    case FSD_CELL_FACTS:
        put_two_types(fsd_json_object(value, "additionalProperties"), "number",
                      "string");
        break;
    case FSD_CELL_SIZES:
        put_two_types(fsd_json_object(value, "items"), "integer", "string");
        break;
    case FSD_CELL_IDS:
        put_type_of_items(value, "items", "integer");
        break;
    case FSD_CELL_WORDS:
        items = fsd_json_object(value, "items");
        if (c->word)
            put_words(items, c);
        else
            fsd_json_text(items, "type", "string");
        break;
    case FSD_CELL_COUNT:
    case FSD_CELL_NUMBER:
    case FSD_CELL_MS:
    case FSD_CELL_SHARE:
    case FSD_CELL_BYTES:
    case FSD_CELL_MACS:
    case FSD_CELL_TYPE:
    case FSD_CELL_FLAG:
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
    default:
        break;
    }
}

/* An amount in open sizes stands there as a text, under a name of its own. */
static void put_term(struct fsd_json *properties, const char *name)
{
    char key[80];

    snprintf(key, sizeof key, "%s_symbolic", name);
    fsd_json_text(fsd_json_object(properties, key), "type", "string");
}

static void put_required(struct fsd_json *schema, const struct fsd_record *of)
{
    struct fsd_json *required = NULL;

    for (uint32_t i = 0; i < of->n; i++) {
        if (!of->columns[i].always)
            continue;
        if (!required)
            required = fsd_json_list(schema, "required");
        fsd_json_add_text(required, of->columns[i].name);
    }
}

/* @param id  of the whole; NULL: of a record in it */
static void put_members(struct fsd_json *schema, const struct fsd_record *of,
                        const char *id)
{
    struct fsd_json *properties;

    fsd_json_text(schema, "type", "object");
    put_required(schema, of);
    fsd_json_bool(schema, "additionalProperties", false);
    properties = fsd_json_object(schema, "properties");
    if (id)
        fsd_json_text(fsd_json_object(properties, "schema"), "const", id);
    for (uint32_t i = 0; i < of->n; i++) {
        const struct fsd_column *c = &of->columns[i];

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
    put_members(root, sheet->root.of, sheet->schema);
    fsd_json_end(root);
}
