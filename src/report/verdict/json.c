/* A verdict as JSON, as SARIF 2.1.0 and as GitLab's code quality report. */
#include "report/escape.h"
#include "base/print.h"
#include "report/verdict/verdict.h"
#include "report/json/json.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_names(struct fsd_json *object, const char *key,
                      const struct fsd_findings *all, struct fsd_span about)
{
    struct fsd_json *array = fsd_json_list(object, key);

    for (uint32_t i = 0; i < about.n; i++)
        fsd_json_add_text(array, all->subjects.at[about.at + i].name);
}

static void add_fingerprint(struct fsd_json *object, const char *key,
                            const struct fsd_finding *item)
{
    char text[20];

    snprintf(text, sizeof text, "%016" PRIx64, item->fingerprint);
    fsd_json_text(object, key, text);
}

/* ----------------------------------------------------------------------- JSON */

void fsd_verdict_put_json(const struct fsd_verdict *v, const struct fsd_style *style,
                          FILE *out)
{
    struct fsd_json *report = fsd_json_new(out), *list, *object;

    (void)style;
    fsd_json_text(report, "schema", "fusiondiff-check/1");
    if (v->snapshot)
        fsd_json_text(report, "snapshot", v->snapshot);
    fsd_json_text(report, "model", v->model);
    fsd_json_text(report, "engine", v->engine);
    fsd_json_text(report, "verdict", v->verdict ? v->verdict : "");
    if (v->accept)
        fsd_json_text(report, "accept", v->accept);
    list = fsd_json_list(report, "inputs");
    for (uint32_t i = 0; i < v->about.n; i++) {
        object = fsd_json_item(list);
        fsd_json_text(object, "what", v->about.at[i].what);
        fsd_json_text(object, "is", v->about.at[i].now);
    }
    list = fsd_json_list(report, "summary");
    for (uint32_t i = 0; i < v->rows.n; i++) {
        const struct fsd_verdict_row *row = &v->rows.at[i];

        object = fsd_json_item(list);
        fsd_json_text(object, "what", row->what);
        if (row->before)
            fsd_json_text(object, "before", row->before);
        fsd_json_text(object, "now", row->now);
    }
    list = fsd_json_list(report, "rules");
    for (uint32_t i = 0; i < v->findings->rules.n; i++) {
        const struct fsd_outcome *rule = &v->findings->rules.at[i];

        object = fsd_json_item(list);
        fsd_json_text(object, "rule", rule->rule->id);
        fsd_json_text(object, "level", fsd_level_name(rule->level));
        if (rule->skipped)
            fsd_json_text(object, "skipped", rule->skipped);
        else if (rule->budget) {
            fsd_json_text(object, "measured", rule->measured);
            fsd_json_text(object, "budget", rule->budget);
        }
        fsd_json_number(object, "findings", rule->found);
        fsd_json_number(object, "ignored", rule->ignored);
    }
    list = fsd_json_list(report, "findings");
    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];

        object = fsd_json_item(list);
        fsd_json_text(object, "rule", v->findings->rules.at[item->rule].rule->id);
        fsd_json_text(object, "severity", fsd_severity_name(item->severity));
        fsd_json_text(object, "message", item->message);
        fsd_json_text(object, "file", item->file);
        if (item->line)
            fsd_json_number(object, "line", item->line);
        add_names(object, "nodes", v->findings, item->nodes);
        add_names(object, "layers", v->findings, item->layers);
        add_fingerprint(object, "fingerprint", item);
    }
    fsd_json_end(report);
}

/* ---------------------------------------------------------------------- SARIF */

static void add_text_of(struct fsd_json *object, const char *key, const char *text)
{
    fsd_json_text(fsd_json_object(object, key), "text", text);
}

/* "](" makes a link of a message (its section 3.11.6), and viewers differ in how a
 * bracket is escaped. */
static void add_message(struct fsd_json *result, const char *text)
{
    struct fsd_print plain;

    fsd_print_open(&plain);
    for (const char *c = text; *c; c++)
        if (c > text && *c == '(' && c[-1] == ']')
            fprintf(plain.out, "\\u{%x}", (unsigned)*c);
        else
            putc(*c, plain.out);
    fsd_print_close(&plain);
    add_text_of(result, "message", plain.text);
    free(plain.text);
}

static const char *sarif_level(int level)
{
    static const char *const levels[FSD__SEVERITY_COUNT] = {"note", "warning", "error"};

    return levels[level == FSD_OFF ? FSD_INFO : level];
}

static void add_driver(const struct fsd_verdict *v, struct fsd_json *run)
{
    struct fsd_json *tool = fsd_json_object(run, "tool");
    struct fsd_json *driver = fsd_json_object(tool, "driver"), *rules;

    fsd_json_text(driver, "name", "fusiondiff");
    fsd_json_text(driver, "semanticVersion", FSD_VERSION);
    rules = fsd_json_list(driver, "rules");
    for (uint32_t i = 0; i < v->findings->rules.n; i++) {
        const struct fsd_outcome *rule = &v->findings->rules.at[i];
        struct fsd_json *object = fsd_json_item(rules), *settings;

        fsd_json_text(object, "id", rule->rule->id);
        add_text_of(object, "shortDescription", rule->rule->doc);
        settings = fsd_json_object(object, "defaultConfiguration");
        fsd_json_bool(settings, "enabled", rule->level != FSD_OFF);
        fsd_json_text(settings, "level", sarif_level(rule->level));
    }
}

static void add_location(const struct fsd_verdict *v, const struct fsd_finding *item,
                         struct fsd_json *result)
{
    struct fsd_json *location = fsd_json_item(fsd_json_list(result, "locations"));
    struct fsd_json *physical = fsd_json_object(location, "physicalLocation"), *logical;
    struct fsd_arena *scratch;
    struct fsd_intern *seen;
    struct fsd_print uri;

    fputs(*item->file == '/' ? "file://" : "", fsd_print_open(&uri));
    fsd_put_uri(uri.out, item->file);
    fsd_print_close(&uri);
    fsd_json_text(fsd_json_object(physical, "artifactLocation"), "uri", uri.text);
    free(uri.text);
    /* Code scanning asks for a line; where none is known it is the first. */
    fsd_json_number(fsd_json_object(physical, "region"), "startLine",
                    item->line ? item->line : 1);
    if (!item->nodes.n)
        return;
    logical = fsd_json_list(location, "logicalLocations");
    scratch = fsd_arena_new();
    seen = fsd_intern_new(scratch);
    for (uint32_t i = 0; i < item->nodes.n; i++) {
        const char *name = v->findings->subjects.at[item->nodes.at + i].name;
        uint32_t before = fsd_intern_count(seen);
        struct fsd_json *node;

        if (*name && fsd_intern_str(seen, name) < before)
            continue; /* SARIF wants each once, and nodes may share a name */
        node = fsd_json_item(logical);
        fsd_json_text(node, "name", name);
        fsd_json_text(node, "kind", "element");
    }
    fsd_arena_free(scratch);
}

void fsd_verdict_put_sarif(const struct fsd_verdict *v, const struct fsd_style *style,
                           FILE *out)
{
    struct fsd_json *log = fsd_json_new(out), *run, *results;

    (void)style;
    fsd_json_text(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    fsd_json_text(log, "version", "2.1.0");
    run = fsd_json_item(fsd_json_list(log, "runs"));
    add_driver(v, run);
    fsd_json_text(run, "columnKind", "unicodeCodePoints");
    results = fsd_json_list(run, "results");
    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];
        struct fsd_json *result = fsd_json_item(results);

        fsd_json_text(result, "ruleId", v->findings->rules.at[item->rule].rule->id);
        fsd_json_number(result, "ruleIndex", item->rule);
        fsd_json_text(result, "level", sarif_level((int)item->severity));
        add_message(result, item->message);
        add_location(v, item, result);
        add_fingerprint(fsd_json_object(result, "partialFingerprints"), "fusiondiff/v1",
                        item);
    }
    fsd_json_end(log);
}

/* --------------------------------------------------------------------- GitLab */

/* A line is asked for; where none is known it is the first. */
void fsd_verdict_put_gitlab(const struct fsd_verdict *v, const struct fsd_style *style,
                            FILE *out)
{
    static const char *const words[FSD__SEVERITY_COUNT] = {"info", "minor", "major"};
    struct fsd_json *report = fsd_json_new_list(out);

    (void)style;
    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];
        struct fsd_json *object = fsd_json_item(report), *location;

        fsd_json_text(object, "description", item->message);
        fsd_json_text(object, "check_name", v->findings->rules.at[item->rule].rule->id);
        add_fingerprint(object, "fingerprint", item);
        fsd_json_text(object, "severity", words[item->severity]);
        location = fsd_json_object(object, "location");
        fsd_json_text(location, "path", item->file);
        fsd_json_number(fsd_json_object(location, "lines"), "begin",
                        item->line ? item->line : 1);
    }
    fsd_json_end(report);
}
