/* A list as JSON, as SARIF 2.1.0 and as GitLab's code quality report. */
#include "base/text.h"
#include "report/escape.h"
#include "report/list.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

static void put_tree(cJSON *tree, FILE *out)
{
    char *text = cJSON_Print(tree);

    if (text) {
        fsd_put_json(out, text);
        putc('\n', out);
    }
    cJSON_free(text);
    cJSON_Delete(tree);
}

static cJSON *add_object_to(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_strings(cJSON *object, const char *key, const char *const *s,
                        uint32_t n)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);

    for (uint32_t i = 0; i < n; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(s[i]));
}

static void add_fingerprint(cJSON *object, const char *key,
                            const struct fsd_list_item *item)
{
    char text[20];

    snprintf(text, sizeof text, "%016" PRIx64, item->fingerprint);
    cJSON_AddStringToObject(object, key, text);
}

/* ----------------------------------------------------------------------- JSON */

static void add_rows(const struct fsd_list *list, cJSON *report)
{
    cJSON *rows = cJSON_AddArrayToObject(report, "summary");

    for (uint32_t i = 0; i < list->rows.n; i++) {
        const struct fsd_list_row *row = &list->rows.at[i];
        cJSON *object = add_object_to(rows);

        cJSON_AddStringToObject(object, "what", row->what);
        if (row->before)
            cJSON_AddStringToObject(object, "before", row->before);
        cJSON_AddStringToObject(object, "now", row->now);
    }
}

static void add_rules(const struct fsd_list *list, cJSON *report)
{
    cJSON *rules = cJSON_AddArrayToObject(report, "rules");

    for (uint32_t i = 0; i < list->rules.n; i++) {
        const struct fsd_list_rule *rule = &list->rules.at[i];
        cJSON *object = add_object_to(rules);

        cJSON_AddStringToObject(object, "rule", rule->id);
        cJSON_AddStringToObject(object, "level",
                                rule->off ? "off" : fsd_severity_name(rule->severity));
        if (rule->budget) {
            cJSON_AddStringToObject(object, "measured", rule->measured);
            cJSON_AddStringToObject(object, "budget", rule->budget);
        }
        cJSON_AddNumberToObject(object, "findings", rule->found);
        cJSON_AddNumberToObject(object, "ignored", rule->ignored);
    }
}

static void add_item(const struct fsd_list *list, const struct fsd_list_item *item,
                     cJSON *items)
{
    cJSON *object = add_object_to(items);

    cJSON_AddStringToObject(object, "rule", list->rules.at[item->rule].id);
    cJSON_AddStringToObject(object, "severity", fsd_severity_name(item->severity));
    cJSON_AddStringToObject(object, "message", item->message);
    cJSON_AddStringToObject(object, "file", item->file);
    if (item->line)
        cJSON_AddNumberToObject(object, "line", item->line);
    add_strings(object, "nodes", item->nodes, item->n_nodes);
    add_strings(object, "layers", item->layers, item->n_layers);
    add_fingerprint(object, "fingerprint", item);
}

void fsd_list_put_json(const struct fsd_list *list, const struct fsd_style *style,
                       FILE *out)
{
    cJSON *report = cJSON_CreateObject(), *items;

    (void)style;
    cJSON_AddStringToObject(report, "schema", "fusiondiff-check/1");
    if (list->snapshot)
        cJSON_AddStringToObject(report, "snapshot", list->snapshot);
    cJSON_AddStringToObject(report, "model", list->model);
    cJSON_AddStringToObject(report, "engine", list->engine);
    cJSON_AddStringToObject(report, "verdict", list->verdict ? list->verdict : "");
    add_rows(list, report);
    add_rules(list, report);
    items = cJSON_AddArrayToObject(report, "findings");
    for (uint32_t i = 0; i < list->items.n; i++)
        add_item(list, &list->items.at[i], items);
    put_tree(report, out);
}

/* ---------------------------------------------------------------------- SARIF */

static void add_text_of(cJSON *object, const char *key, const char *text)
{
    cJSON_AddStringToObject(cJSON_AddObjectToObject(object, key), "text", text);
}

static const char *sarif_level(enum fsd_severity severity)
{
    static const char *const levels[FSD__SEVERITY_COUNT] = {"note", "warning", "error"};

    return levels[severity];
}

static void add_driver(const struct fsd_list *list, cJSON *run)
{
    cJSON *tool = cJSON_AddObjectToObject(run, "tool");
    cJSON *driver = cJSON_AddObjectToObject(tool, "driver"), *rules;

    cJSON_AddStringToObject(driver, "name", "fusiondiff");
    cJSON_AddStringToObject(driver, "semanticVersion", FSD_VERSION);
    rules = cJSON_AddArrayToObject(driver, "rules");
    for (uint32_t i = 0; i < list->rules.n; i++) {
        const struct fsd_list_rule *rule = &list->rules.at[i];
        cJSON *object = add_object_to(rules), *settings;

        cJSON_AddStringToObject(object, "id", rule->id);
        add_text_of(object, "shortDescription", rule->doc);
        settings = cJSON_AddObjectToObject(object, "defaultConfiguration");
        cJSON_AddBoolToObject(settings, "enabled", !rule->off);
        cJSON_AddStringToObject(settings, "level", sarif_level(rule->severity));
    }
}

static void add_uri(cJSON *object, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return;
    if (*path == '/')
        fputs("file://", out);
    fsd_put_uri(out, path);
    if (fclose(out) == 0)
        cJSON_AddStringToObject(object, "uri", text);
    free(text);
}

static void add_location(const struct fsd_list_item *item, cJSON *result)
{
    cJSON *location = add_object_to(cJSON_AddArrayToObject(result, "locations"));
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation"), *logical;

    add_uri(cJSON_AddObjectToObject(physical, "artifactLocation"), item->file);
    if (item->line)
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"),
                                "startLine", item->line);
    if (!item->n_nodes)
        return;
    logical = cJSON_AddArrayToObject(location, "logicalLocations");
    for (uint32_t i = 0; i < item->n_nodes; i++) {
        cJSON *node = add_object_to(logical);

        cJSON_AddStringToObject(node, "name", item->nodes[i]);
        cJSON_AddStringToObject(node, "kind", "element");
    }
}

static void add_result(const struct fsd_list *list, const struct fsd_list_item *item,
                       cJSON *results)
{
    cJSON *result = add_object_to(results), *prints;

    cJSON_AddStringToObject(result, "ruleId", list->rules.at[item->rule].id);
    cJSON_AddNumberToObject(result, "ruleIndex", item->rule);
    cJSON_AddStringToObject(result, "level", sarif_level(item->severity));
    add_text_of(result, "message", item->message);
    add_location(item, result);
    prints = cJSON_AddObjectToObject(result, "partialFingerprints");
    add_fingerprint(prints, "fusiondiff/v1", item);
}

void fsd_list_put_sarif(const struct fsd_list *list, const struct fsd_style *style,
                        FILE *out)
{
    cJSON *log = cJSON_CreateObject(), *run, *results;

    (void)style;
    cJSON_AddStringToObject(log, "version", "2.1.0");
    run = add_object_to(cJSON_AddArrayToObject(log, "runs"));
    add_driver(list, run);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    results = cJSON_AddArrayToObject(run, "results");
    for (uint32_t i = 0; i < list->items.n; i++)
        add_result(list, &list->items.at[i], results);
    put_tree(log, out);
}

/* --------------------------------------------------------------------- GitLab */

/* A line is asked for; where none is known it is the first. */
void fsd_list_put_gitlab(const struct fsd_list *list, const struct fsd_style *style,
                         FILE *out)
{
    static const char *const words[FSD__SEVERITY_COUNT] = {"info", "minor", "major"};
    cJSON *report = cJSON_CreateArray();

    (void)style;
    for (uint32_t i = 0; i < list->items.n; i++) {
        const struct fsd_list_item *item = &list->items.at[i];
        cJSON *object = add_object_to(report), *location;

        cJSON_AddStringToObject(object, "description", item->message);
        cJSON_AddStringToObject(object, "check_name", list->rules.at[item->rule].id);
        add_fingerprint(object, "fingerprint", item);
        cJSON_AddStringToObject(object, "severity", words[item->severity]);
        location = cJSON_AddObjectToObject(object, "location");
        cJSON_AddStringToObject(location, "path", item->file);
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(location, "lines"), "begin",
                                item->line ? item->line : 1);
    }
    put_tree(report, out);
}
