/*
 * Prints a JSON Schema for the JSON of a sheet, derived from the kinds of its columns.
 * Each record that other records contain is a definition under its name:
 *
 *     "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}}
 */
#include "base/base.h"
#include "report/json/json.h"
#include "report/sheet/sheet.h"

/* The records that a schema defines, each once. */
struct definitions {
    struct fsd_arena *arena;
    FSD_VEC(const struct fsd_record *) of;
    FSD_VEC(const char *) names;
};

/* The name of a record's definition. The prefix "fsd_" and the suffix "_row" of the
 * record's name are left out. If a different record already has this name, a number is
 * appended. */
static const char *definition(struct definitions *all, const struct fsd_record *of)
{
    static const char prefix[] = "fsd_", suffix[] = "_row";
    const char *name = of->name;
    size_t n = strlen(name);
    unsigned alike = 1;
    struct fsd_print print;

    for (uint32_t i = 0; i < all->of.n; i++)
        if (all->of.at[i] == of)
            return all->names.at[i];
    if (!strncmp(name, prefix, sizeof prefix - 1)) {
        name += sizeof prefix - 1;
        n -= sizeof prefix - 1;
    }
    if (n > sizeof suffix - 1 && !strcmp(name + n - (sizeof suffix - 1), suffix))
        n -= sizeof suffix - 1;
    for (uint32_t i = 0; i < all->of.n; i++)
        alike += !strncmp(all->names.at[i], name, n) &&
                 !all->names.at[i][n + strspn(all->names.at[i] + n, "0123456789")];
    fprintf(fsd_print_open(&print), "%.*s", (int)n, name);
    if (alike > 1)
        fprintf(print.out, "%u", alike);
    fsd_vec_push(all->arena, &all->of, of);
    fsd_vec_push(all->arena, &all->names, fsd_print_take(&print, all->arena));
    return all->names.at[all->names.n - 1];
}

static void put_reference(struct fsd_json *value, struct definitions *all,
                          const struct fsd_record *of)
{
    char path[160];

    if (!of) { /* the value is another document, which has its own schema */
        fsd_json_text(value, "type", "object");
        return;
    }
    snprintf(path, sizeof path, "#/$defs/%s", definition(all, of));
    fsd_json_text(value, "$ref", path);
}

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

/* Prints the words that column `c` may contain. They replace the type "string". */
static void put_words(struct fsd_json *value, const struct fsd_column *c)
{
    struct fsd_json *words;

    if (c->n_words == 1) {
        fsd_json_text(value, "const", c->word(0));
        return;
    }
    words = fsd_json_list(value, "enum");
    for (unsigned i = 0; i < c->n_words; i++)
        if (*c->word(i))
            fsd_json_add_text(words, c->word(i));
}

static void put_value(struct fsd_json *value, const struct fsd_column *c,
                      struct definitions *all)
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

    const char *about = c->about ? c->about
                        : c->brief
                            ? "a name above 2,048 bytes is cut, and ends in \"...\""
                        : c->kind == FSD_CELL_MS ? "milliseconds"
                                                 : NULL;

    if (about)
        fsd_json_text(value, "description", about);
    if (c->word && c->kind == FSD_CELL_TEXT)
        put_words(value, c);
    else if (c->large || c->kind == FSD_CELL_BYTES || c->kind == FSD_CELL_MACS)
        put_two_types(value, "integer", "string"); /* a string if it exceeds 2^53 */
    else if (types[c->kind])
        fsd_json_text(value, "type", types[c->kind]);
    if (c->kind == FSD_CELL_COUNT && !c->large)
        fsd_json_number(value, "minimum", 0);
    if (c->pattern)
        fsd_json_text(value, "pattern", c->pattern);
    switch (c->kind) {
    case FSD_CELL_RECORD:
        put_reference(value, all, c->of);
        break;
    case FSD_CELL_ROWS:
        put_reference(fsd_json_object(value, "items"), all, c->of);
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

/* Adds the property for the term of an amount that depends on dynamic sizes. The term
 * is a text under the key `name`_symbolic. */
static void put_term(struct fsd_json *properties, const char *name)
{
    char key[80];

    struct fsd_json *term;

    snprintf(key, sizeof key, "%s_symbolic", name);
    term = fsd_json_object(properties, key);
    fsd_json_text(
        term, "description",
        "for dynamic shapes: a polynomial; its variables are the names of "
        "dimensions (dim_param), or \"input[axis]\" for a dimension without a name");
    fsd_json_text(term, "type", "string");
}

/* Lists the required members.
 * @param schema_first true: "schema", which is no member of `of`, is the first */
static void put_required(struct fsd_json *schema, const struct fsd_record *of,
                         bool schema_first)
{
    struct fsd_json *required = schema_first ? fsd_json_list(schema, "required") : NULL;

    if (required)
        fsd_json_add_text(required, "schema");
    for (uint32_t i = 0; i < of->n; i++) {
        if (!of->columns[i].always)
            continue;
        if (!required)
            required = fsd_json_list(schema, "required");
        fsd_json_add_text(required, fsd_column_key(&of->columns[i]));
    }
}

/* @param id value of an additional member "schema"; NULL: none, because `of` has its
 *         own member "schema", or is not the root */
static void put_members(struct fsd_json *schema, const struct fsd_record *of,
                        const char *id, struct definitions *all)
{
    struct fsd_json *properties;

    fsd_json_text(schema, "type", "object");
    put_required(schema, of, id != NULL);
    fsd_json_bool(schema, "additionalProperties", false);
    properties = fsd_json_object(schema, "properties");
    if (id)
        fsd_json_text(fsd_json_object(properties, "schema"), "const", id);
    for (uint32_t i = 0; i < of->n; i++) {
        const struct fsd_column *c = &of->columns[i];

        if (c->aside)
            continue;
        put_value(fsd_json_object(properties, fsd_column_key(c)), c, all);
        if (c->kind == FSD_CELL_BYTES || c->kind == FSD_CELL_MACS)
            put_term(properties, c->name);
    }
}

void fsd_sheet_put_schema(const struct fsd_sheet *sheet, FILE *out)
{
    struct fsd_json *root = fsd_json_new(out), *defined;
    struct definitions all = {.arena = sheet->arena};
    char id[80];

    snprintf(id, sizeof id, "urn:%s", sheet->schema);
    fsd_json_text(root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    fsd_json_text(root, "$id", id);
    fsd_json_text(root, "$comment", "generated by fusiondiff -f schema");
    put_members(root, sheet->root->of,
                fsd_sheet_names_schema(sheet) ? NULL : sheet->schema, &all);
    defined = fsd_json_object(root, "$defs");
    for (uint32_t i = 0; i < all.of.n; i++) /* put_members() may add to all.of */
        put_members(fsd_json_object(defined, all.names.at[i]), all.of.at[i], NULL,
                    &all);
    fsd_json_end(root);
}
