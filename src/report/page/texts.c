/*
 * The texts that a page needs besides the JSON documents of its subjects. They are the
 * fields of one record, which is printed as JSON:
 *
 *     page     the command that prints the same report
 *     fix      options with which this command writes, or lists, the edits of lint
 *     builds   the command of each check of a list
 *     run      the arguments of the run, for commands of other views
 *     forms    the forms in which names can be copied
 *     stories  what the build log states on each node and layer
 *     rules    the reason and the fix of each rule with findings
 */
#include "base/base.h"
#include "explain/diff/explain.h"
#include "model/graph/graph.h"
#include "report/page/page.h"
#include "report/verdict/verdict.h"
#include "report/view/view.h"

/* clang-format off */
#define STORY_LINE(has, set, when, t) \
    has(t, TEXT,  topic, NULL) \
    has(t, COUNT, line,  NULL) \
    has(t, NAME,  text,  NULL)
FSD_RECORD(story_line, STORY_LINE)

#define STORY(has, set, when, t) \
    has(t, COUNT, index, NULL) \
    has(t, ROWS,  story, NULL, .of = &story_line_record)
FSD_RECORD(story, STORY)

#define STORIES(has, set, when, t) \
    set(t, ROWS, nodes, nodes, NULL, .of = &story_record) \
    set(t, ROWS, layers, layers, NULL, .of = &story_record)
FSD_RECORD(stories, STORIES)

#define RULE_TEXT(has, set, when, t) \
    has(t, TEXT, rule, NULL) \
    has(t, TEXT, why,  NULL) \
    has(t, TEXT, fix,  NULL)
FSD_RECORD(rule_text, RULE_TEXT)

#define CHECK_COMMAND(has, set, when, t) \
    has(t, NAME, name,    NULL) \
    has(t, NAME, command, NULL)
FSD_RECORD(check_command, CHECK_COMMAND)

#define COMMAND(has, set, when, t) \
    has(t, NAME,   page,    NULL) \
    has(t, NAME,   fix,     NULL) \
    has(t, ROWS,   builds,  NULL, .of = &check_command_record) \
    has(t, NAME,   run,     NULL) \
    has(t, ROWS,   forms,   NULL, .of = &fsd_form_row_record) \
    has(t, RECORD, stories, NULL, .of = &stories_record) \
    has(t, ROWS,   rules,   NULL, .of = &rule_text_record)
FSD_RECORD(command, COMMAND)
/* clang-format on */

/* Adds the lines about a node or layer that come from the build log. The view `explain`
 * has the same lines. Its other lines are in the document of the run. */
static void add_story(struct fsd_arena *arena, const struct fsd_diff *d, bool layer,
                      fsd_id id, struct fsd_rows *to)
{
    struct fsd_tale tale = {.arena = fsd_arena_new()};
    struct fsd_rows *lines = fsd_rows_new(arena, &story_line_record, "");
    struct story *row;

    if (layer)
        fsd_explain_layer(&tale, d, id);
    else
        fsd_explain_node(&tale, d, id);
    FSD_EACH (const struct fsd_line, line, tale.lines) {
        struct story_line *said = line->line ? fsd_rows_add(lines) : NULL;

        if (said)
            *said = (struct story_line){
                line->topic, fsd_count(line->line),
                fsd_arena_strndup(arena, line->text, strlen(line->text))};
    }
    if (lines->at.n) {
        row = fsd_rows_add(to);
        row->index = fsd_count(id);
        row->story = lines;
    }
    fsd_arena_free(tale.arena);
}

static const struct stories *stories_of(struct fsd_arena *arena,
                                        const struct fsd_diff *d)
{
    struct fsd_rows *nodes = fsd_rows_new(arena, &story_record, "");
    struct fsd_rows *layers = fsd_rows_new(arena, &story_record, "");
    struct stories *row = FSD_NEW(arena, struct stories, 1);

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        add_story(arena, d, false, i, nodes);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        add_story(arena, d, true, i, layers);
    FSD_FILL(row, STORIES);
    return row;
}

static void add_rules(const struct fsd_findings *all, struct fsd_intern *seen,
                      struct fsd_rows *to)
{
    for (uint32_t i = 0; i < all->rules.n; i++) {
        const struct fsd_rule *rule = all->rules.at[i].rule;
        bool has = all->rules.at[i].found && fsd_intern_str(seen, rule->id) > to->at.n;
        struct rule_text *row = has ? fsd_rows_add(to) : NULL;

        if (row)
            *row = (struct rule_text){rule->id, rule->why, rule->fix};
    }
}

/* The rules with findings. Each rule is listed once, even if several builds have
 * findings of this rule. */
static const struct fsd_rows *rules_of(struct fsd_arena *arena,
                                       const struct fsd_findings *all,
                                       const struct fsd_verdicts *of_list)
{
    struct fsd_rows *rules = fsd_rows_new(arena, &rule_text_record, "");
    struct fsd_intern *seen = fsd_intern_new(arena);

    if (all)
        add_rules(all, seen, rules);
    for (uint32_t i = 0; of_list && i < of_list->n; i++)
        if (of_list->at[i].v)
            add_rules(of_list->at[i].v->findings, seen, rules);
    return rules;
}

/* For each check of a list: the command that repeats the check. */
static const struct fsd_rows *checks_of(struct fsd_arena *arena,
                                        const struct fsd_verdicts *of_list)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &check_command_record, "");

    for (uint32_t i = 0; i < of_list->n; i++)
        if (of_list->at[i].v)
            *(struct check_command *)fsd_rows_add(rows) =
                (struct check_command){of_list->at[i].name, of_list->at[i].v->command};
    return rows;
}

/* Prints the command that compares these builds. If several builds come from one
 * snapshot, its path is printed once. */
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

/* Prints the command that repeats the report of the page. */
static void put_command(const struct fsd_report *r, const char *run, FILE *out)
{
    if (r->verdicts) {
        return; /* each row of the list of checks has its own command */
    }
    if (r->verdict && r->verdict->command) {
        fputs(r->verdict->command, out);
    } else if (r->matrix) {
        put_builds(r->matrix->builds, r->matrix->n, out);
        fputs(" --all --tactics", out);
    } else if (r->compare) {
        put_builds((const struct fsd_state *const[]){r->compare->old, r->compare->new},
                   2, out);
    } else {
        fprintf(out, "fusiondiff%s", run ? run : "");
    }
}

/* The record's field `run` has the command-line arguments of the run: files and
 * options. The page inserts these arguments into the commands of other views. */
void fsd_page_put_texts(const struct fsd_report *r, const struct fsd_findings *findings,
                        FILE *out)
{
    FSD_SCRATCH(arena);
    bool one_run = r->run && !r->matrix && !r->compare;
    struct command *row = FSD_NEW(arena, struct command, 1);
    struct fsd_print command;

    row->run = r->run && r->run->command ? r->run->command->run : NULL;
    put_command(r, row->run, fsd_print_open(&command));
    row->page = fsd_print_take(&command, arena);
    if (r->lint)
        row->fix = FSD_IF_EDIT("--fix -o fixed.onnx", "-f json");
    if (one_run)
        row->forms = fsd_names_forms(arena, r->run);
    if (one_run && r->run->story)
        row->stories = stories_of(arena, r->run);
    if (findings || r->verdicts)
        row->rules = rules_of(arena, findings, r->verdicts);
    if (r->verdicts)
        row->builds = checks_of(arena, r->verdicts);
    fsd_record_put_json(&command_record, row, out);
}
