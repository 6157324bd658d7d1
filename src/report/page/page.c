/*
 * The page is its source (page.html, page.css, *.js; embed.cmake joins them) with the
 * data between: JSON of the public schemas, each in a script element that is not run.
 *
 *     <script type="application/json" id="data-run">{"schema":"fusiondiff/1", ...
 *
 * Whatever names hold, they are within strings of JSON there, and of these strings
 * every
 * "<" is written as an escape: no element ends or begins in them.
 */
#include "report/page/page.h"
#include "base/print.h"
#include "base/text.h"
#include "diff/explain.h"
#include "report/json/json.h"
#include "report/page/source.h"
#include "report/verdict/verdict.h"
#include "report/view/view.h"

#include <stdlib.h>
#include <string.h>

/* What JSON may be without goes in place: blanks between its parts, of which a report
 * has many. */
static void put_embedded(struct fsd_print *json, FILE *out)
{
    char *text = json->text;
    bool within = false;
    size_t kept = 0;

    for (size_t at = 0; at < json->size; at++) {
        char c = text[at];

        if (!within && (c == '\t' || c == '\n' || c == ' '))
            continue;
        if (c == '<') {
            fwrite(text, 1, kept, out);
            fputs("\\u003c", out);
            kept = 0;
            continue;
        }
        text[kept++] = c;
        if (c == '"')
            within = !within;
        else if (c == '\\')
            text[kept++] = text[++at];
    }
    fwrite(text, 1, kept, out);
}

/* Closes what was printed, and puts it into the page under a name. */
static void put_data(const char *name, struct fsd_print *json, FILE *out)
{
    fsd_print_close(json);
    fprintf(out, "<script type=\"application/json\" id=\"data-%s\">", name);
    put_embedded(json, out);
    fputs("</script>\n", out);
    free(json->text);
}

/* ------------------------------------------------------------------------ stories */

/* Like `explain`, but only the log's part: the page has all else from the run. */
static void put_story(const struct fsd_diff *d, bool layer, fsd_id id,
                      struct fsd_json *list)
{
    struct fsd_tale tale = {.arena = fsd_arena_new()};
    struct fsd_json *story = NULL, *item;

    if (layer)
        fsd_explain_layer(&tale, d, id);
    else
        fsd_explain_node(&tale, d, id);
    for (uint32_t i = 0; i < tale.lines.n; i++) {
        const struct fsd_line *line = &tale.lines.at[i];

        if (!line->line)
            continue;
        if (!story) {
            item = fsd_json_item(list);
            fsd_json_number(item, "index", id);
            story = fsd_json_list(item, "story");
        }
        item = fsd_json_item(story);
        fsd_json_text(item, "topic", line->topic);
        fsd_json_count(item, "line", line->line);
        fsd_json_text(item, "text", line->text);
    }
    fsd_arena_free(tale.arena);
}

static void put_stories(const struct fsd_diff *d, FILE *out)
{
    struct fsd_json *all = fsd_json_new(out), *list = fsd_json_list(all, "nodes");

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        put_story(d, false, i, list);
    list = fsd_json_list(all, "layers");
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        put_story(d, true, i, list);
    fsd_json_end(all);
}

/* ------------------------------------------------------------------------- sheets */

/* What has rows, as it prints itself. */
static void put_sheet(const char *name, const struct fsd_report *of, FILE *out)
{
    struct fsd_print json;

    if (fsd_report_write(of, "json", fsd_print_open(&json), NULL) == FSD_OK)
        put_data(name, &json, out);
}

/* One of what a report is of. */
static void put_subject(const char *name, enum fsd_subject subject,
                        const struct fsd_report *r, FILE *out)
{
    struct fsd_report part = *r;

    part.subject = subject;
    put_sheet(name, &part, out);
}

static void put_patterns(const struct fsd_report *r, FILE *out)
{
    static const struct fsd_query everything = {0};
    const struct fsd_report asked = {.subject = FSD_OF_VIEW,
                                     .run = r->run,
                                     .view = "patterns",
                                     .query = &everything,
                                     .style = r->style};

    put_sheet("patterns", &asked, out);
}

/* Builds among others.  A snapshot has its own path; it may hold several. */
static void put_builds(const struct fsd_state *const *builds, uint32_t n, FILE *out)
{
    const char *last = "", *common = builds[n - 1]->command.common;

    fputs("fusiondiff compare", out);
    for (uint32_t b = 0; b < n; b++) {
        const struct fsd_state *s = builds[b];

        if (s->command.build) {
            fputs(s->command.build, out);
        } else if (strcmp(s->model_path, last) != 0) {
            putc(' ', out);
            fsd_put_shell_word(out, last = s->model_path);
        }
    }
    fputs(common ? common : "", out);
}

/* What a comparison comes to: its findings, their causes and what to do. */
static void put_judged(const struct fsd_report *r, FILE *out)
{
    struct fsd_report judged = *r;

    judged.verdict = r->judged;
    put_subject("judged", FSD_OF_CHECK, &judged, out);
}

/* The reason for, and the fix of, each rule with findings. */
static void put_rules(const struct fsd_findings *all, FILE *out)
{
    struct fsd_json *list = fsd_json_new_list(out);

    for (uint32_t i = 0; i < all->rules.n; i++) {
        const struct fsd_rule *rule = all->rules.at[i].rule;
        struct fsd_json *item;

        if (!all->rules.at[i].found)
            continue;
        item = fsd_json_item(list);
        fsd_json_text(item, "rule", rule->id);
        if (rule->why)
            fsd_json_text(item, "why", rule->why);
        if (rule->fix)
            fsd_json_text(item, "fix", rule->fix);
    }
    fsd_json_end(list);
}

/* The command that this page is the answer to, and what asks for its run: whatever else
 * is shown in a terminal is asked for with the same files and options. */
static void put_command(const struct fsd_report *r, FILE *json)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_json *object = fsd_json_new(json);
    const char *run = r->run && r->run->command ? r->run->command->run : NULL;
    struct fsd_print command;
    FILE *out = fsd_print_open(&command);

    if (r->verdict && r->verdict->command) {
        fputs(r->verdict->command, out);
    } else if (r->matrix) {
        put_builds(r->matrix->builds, r->matrix->n, out);
        fputs(" --all --tactics", out);
    } else if (r->exports) {
        fputs("fusiondiff compare ", out);
        fsd_put_shell_word(out, r->exports->old.model->path);
        putc(' ', out);
        fsd_put_shell_word(out, r->exports->new.model->path);
    } else if (r->compare) {
        put_builds((const struct fsd_state *const[]){r->compare->old, r->compare->new},
                   2, out);
    } else {
        fprintf(out, "fusiondiff%s", run ? run : "");
    }
    fsd_json_text(object, "page", fsd_print_take(&command, arena));
    if (run)
        fsd_json_text(object, "run", run);
    fsd_json_end(object);
    fsd_arena_free(arena);
}

/* Builds beside each other, two or more, where there are, else one; of a check the
 * verdict besides; of lint its findings in the place of the run's, and a model alone.
 */
void fsd_page_write(const struct fsd_report *r, FILE *out)
{
    struct fsd_print json, pictures;
    struct fsd_album *album = fsd_album_begin(r, fsd_print_open(&pictures));
    struct fsd_diff run = r->run ? *r->run : (struct fsd_diff){0};
    struct fsd_report of_run = *r;
    const struct fsd_verdict *verdict = r->judged ? r->judged : r->verdict;

    fwrite(fsd_page_head, 1, fsd_page_head_size, out);
    put_command(r, fsd_print_open(&json));
    put_data("command", &json, out);
    if (r->matrix) {
        put_sheet("matrix", r, out);
    } else if (r->exports) {
        put_sheet("exports", r, out);
    } else if (r->compare) {
        put_subject("compare", FSD_OF_COMPARISON, r, out);
    } else {
        if (r->lint)
            run.findings = r->verdict->findings;
        of_run.run = &run;
        put_subject("run", FSD_OF_RUN, &of_run, out);
        put_patterns(r, out);
        fsd_names_put_forms(&run, fsd_print_open(&json));
        put_data("forms", &json, out);
        if (run.story) {
            put_stories(&run, fsd_print_open(&json));
            put_data("stories", &json, out);
        }
    }
    if (verdict || run.findings) {
        put_rules(verdict ? verdict->findings : run.findings, fsd_print_open(&json));
        put_data("rules", &json, out);
    }
    if (r->lint)
        put_subject("lint", FSD_OF_LINT, r, out);
    else if (r->verdict)
        put_subject("check", FSD_OF_CHECK, r, out);
    else if (r->judged)
        put_judged(r, out);
    fsd_album_end(album);
    put_data("pictures", &pictures, out);
    fwrite(fsd_page_tail, 1, fsd_page_tail_size, out);
}
