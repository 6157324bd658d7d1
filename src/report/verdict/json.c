/* Prints verdicts as SARIF 2.1.0 and as GitLab's code quality report. Others define
 * these JSON formats, so they are not built from records. */
#include "report/phrase/escape.h"
#include "base/base.h"
#include "report/verdict/verdict.h"
#include "report/json/json.h"
#include "report/record/records.h"

#include <stdlib.h>

static void add_fingerprint(struct fsd_json *object, const char *key, const char *build,
                            const struct fsd_finding *item)
{
    FSD_SCRATCH(arena);

    fsd_json_text(object, key, fsd_fingerprint_text(arena, build, item));
}

/* ---------------------------------------------------------------------- SARIF */

static void add_text_of(struct fsd_json *object, const char *key, const char *text)
{
    fsd_json_text(fsd_json_object(object, key), "text", text);
}

/* In a message, "](" belongs to a link (SARIF section 3.11.6). Viewers differ in how
 * they read an escaped bracket, so the parenthesis is replaced. */
static void add_message(struct fsd_json *result, const char *build, const char *text)
{
    struct fsd_print plain;

    fsd_print_open(&plain);
    if (build)
        fprintf(plain.out, "%s: ", build);
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

/* The level of a rule in a list of builds. Each build may have its own rules and
 * levels, so this is the strictest level.
 * @param[out] asked whether any build was checked with the rule */
static int level_of(const struct fsd_verdicts *all, const struct fsd_rule *rule,
                    bool *asked)
{
    int level = FSD_OFF;

    *asked = false;
    for (uint32_t b = 0; b < all->n; b++)
        for (uint32_t i = 0; all->at[b].v && i < all->at[b].v->findings->rules.n; i++)
            if (all->at[b].v->findings->rules.at[i].rule == rule) {
                *asked = true;
                if (all->at[b].v->findings->rules.at[i].level > level)
                    level = all->at[b].v->findings->rules.at[i].level;
            }
    return level;
}

/* Adds the program and its rules.
 * @param[out] index for each rule number, the rule's index in the list of SARIF
 *         rules */
static void add_driver(const struct fsd_verdicts *all, struct fsd_json *run,
                       uint32_t *index)
{
    struct fsd_json *tool = fsd_json_object(run, "tool");
    struct fsd_json *driver = fsd_json_object(tool, "driver"), *rules;
    uint32_t n = 0;

    fsd_json_text(driver, "name", "fusiondiff");
    fsd_json_text(driver, "semanticVersion", FSD_VERSION);
    rules = fsd_json_list(driver, "rules");
    for (unsigned i = 0; fsd_rule_at(i); i++) {
        const struct fsd_rule *rule = fsd_rule_at(i);
        struct fsd_json *object, *settings;
        bool asked;
        int level = level_of(all, rule, &asked);

        if (!asked)
            continue;
        index[i] = n++;
        object = fsd_json_item(rules);
        fsd_json_text(object, "id", rule->id);
        add_text_of(object, "shortDescription", rule->doc);
        settings = fsd_json_object(object, "defaultConfiguration");
        fsd_json_bool(settings, "enabled", level != FSD_OFF);
        fsd_json_text(settings, "level", sarif_level(level));
    }
}

/* Adds notifications. A build that could not be checked has a notification with its
 * error. Any other build that has conclusions has a notification with them. */
static void add_invocation(const struct fsd_verdicts *all, struct fsd_json *run)
{
    struct fsd_json *invocation, *notifications;
    char text[sizeof(struct fsd_error)];
    bool says = all->errors > 0;

    for (uint32_t b = 0; b < all->n; b++)
        says |= all->at[b].v && all->at[b].v->says[0];
    if (!says)
        return;
    invocation = fsd_json_item(fsd_json_list(run, "invocations"));
    fsd_json_bool(invocation, "executionSuccessful", !all->errors);
    notifications = fsd_json_list(invocation, "toolExecutionNotifications");
    for (uint32_t b = 0; b < all->n; b++) {
        const struct fsd_verdict *v = all->at[b].v;
        struct fsd_json *item;

        if (v && !v->says[0])
            continue;
        item = fsd_json_item(notifications);
        fsd_json_text(item, "level", v ? "note" : "error");
        add_message(item, all->list ? all->at[b].name : NULL,
                    v ? fsd_verdict_sentences(v)
                      : fsd_error_text(all->at[b].error, text, sizeof text));
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
    /* GitHub code scanning requires a line, so an unknown line becomes 1. */
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
            continue; /* SARIF allows each name once, but nodes may share a name */
        node = fsd_json_item(logical);
        fsd_json_text(node, "name", name);
        fsd_json_text(node, "kind", "element");
    }
    fsd_arena_free(scratch);
}

static unsigned number_of(const struct fsd_rule *rule)
{
    unsigned i = 0;

    while (fsd_rule_at(i) != rule)
        i++;
    return i;
}

static void add_results(const struct fsd_judged *j, const char *build,
                        const uint32_t *index, struct fsd_json *results)
{
    const struct fsd_verdict *v = j->v;

    for (uint32_t i = 0; v && i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];
        const struct fsd_rule *rule = v->findings->rules.at[item->rule].rule;
        struct fsd_json *result = fsd_json_item(results);

        fsd_json_text(result, "ruleId", rule->id);
        fsd_json_number(result, "ruleIndex", index[number_of(rule)]);
        fsd_json_text(result, "level", sarif_level((int)item->severity));
        add_message(result, build, item->message);
        add_location(v, item, result);
        add_fingerprint(fsd_json_object(result, "partialFingerprints"), "fusiondiff/v1",
                        build, item);
        if (fsd_verdict_cause_of(v, i))
            fsd_json_text(fsd_json_object(result, "properties"), "cause",
                          fsd_verdict_cause_of(v, i)->what);
    }
}

void fsd_verdict_put_sarif(const struct fsd_verdicts *all,
                           const struct fsd_style *style, FILE *out)
{
    struct fsd_json *log = fsd_json_new(out), *run, *results;
    FSD_SCRATCH(scratch);
    uint32_t n_rules = 0, *index;

    (void)style;
    while (fsd_rule_at(n_rules))
        n_rules++;
    index = FSD_NEW(scratch, uint32_t, n_rules);
    fsd_json_text(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    fsd_json_text(log, "version", "2.1.0");
    /* All builds of a list are in one run, because GitHub code scanning accepts one run
     * per tool. */
    run = fsd_json_item(fsd_json_list(log, "runs"));
    add_driver(all, run, index);
    add_invocation(all, run);
    fsd_json_text(run, "columnKind", "unicodeCodePoints");
    results = fsd_json_list(run, "results");
    for (uint32_t b = 0; b < all->n; b++)
        add_results(&all->at[b], all->list ? all->at[b].name : NULL, index, results);
    fsd_json_end(log);
}

/* --------------------------------------------------------------------- GitLab */

static void add_location_of(struct fsd_json *object, const char *path, uint32_t line)
{
    struct fsd_json *location = fsd_json_object(object, "location");

    fsd_json_text(location, "path", path);
    fsd_json_number(fsd_json_object(location, "lines"), "begin", line ? line : 1);
}

static void add_description(struct fsd_json *object, const char *build,
                            const char *text)
{
    struct fsd_print whole;

    fsd_print_open(&whole);
    fprintf(whole.out, "%s%s%s", build ? build : "", build ? ": " : "", text);
    fsd_print_close(&whole);
    fsd_json_text(object, "description", whole.text);
    free(whole.text);
}

/* Adds a build that could not be checked. */
static void add_failure(struct fsd_json *report, const struct fsd_judged *j)
{
    struct fsd_json *object = fsd_json_item(report);
    const struct fsd_finding nothing = {0};
    char text[sizeof(struct fsd_error)];

    add_description(object, j->name, fsd_error_text(j->error, text, sizeof text));
    fsd_json_text(object, "check_name", "error");
    add_fingerprint(object, "fingerprint", j->name, &nothing);
    fsd_json_text(object, "severity", "blocker");
    add_location_of(object, *j->error->file ? j->error->file : ".", 0);
}

/* GitLab requires a line, so an unknown line becomes 1. */
void fsd_verdict_put_gitlab(const struct fsd_verdicts *all,
                            const struct fsd_style *style, FILE *out)
{
    static const char *const words[FSD__SEVERITY_COUNT] = {"info", "minor", "major"};
    struct fsd_json *report = fsd_json_new_list(out);

    (void)style;
    for (uint32_t b = 0; b < all->n; b++) {
        const struct fsd_verdict *v = all->at[b].v;
        const char *build = all->list ? all->at[b].name : NULL;

        if (!v)
            add_failure(report, &all->at[b]);
        for (uint32_t i = 0; v && i < v->findings->list.n; i++) {
            const struct fsd_finding *item = &v->findings->list.at[i];
            struct fsd_json *object = fsd_json_item(report);

            add_description(object, build, item->message);
            fsd_json_text(object, "check_name",
                          v->findings->rules.at[item->rule].rule->id);
            add_fingerprint(object, "fingerprint", build, item);
            fsd_json_text(object, "severity", words[item->severity]);
            add_location_of(object, item->file, item->line);
            if (fsd_verdict_cause_of(v, i))
                fsd_json_text(fsd_json_object(object, "content"), "body",
                              fsd_verdict_cause_of(v, i)->what);
        }
    }
    fsd_json_end(report);
}
