/* The JSON of a check, and of a list of checks. include/fusiondiff/check.schema.json
 * and checks.schema.json are generated from these records. */
#include "report/record/records.h"

#include <stdio.h>

static const char *schema_name(unsigned i)
{
    (void)i;
    return "fusiondiff-check/1";
}

/* clang-format off */
#define STATED(has, set, when, t) \
    set(t, TEXT, what, v->about.at[i].what, NULL, .always = true) \
    set(t, NAME, is, v->about.at[i].now, NULL, .always = true)
FSD_RECORD(stated, STATED)

#define CHANGE_ROW(has, set, when, t) \
    set(t, TEXT, what, line->what, NULL, .always = true) \
    set(t, NAME, before, line->before, NULL) \
    set(t, NAME, now, line->now, NULL, .always = true)
FSD_RECORD(change_row, CHANGE_ROW)

#define CAUSE(has, set, when, t) \
    set(t, NAME,  what, c->what, NULL, .always = true) \
    set(t, NAME,  todo, c->todo, NULL, .always = true) \
    when(t, MS,    ms, c->timed, fsd_real(c->ms), NULL, \
        .about = "by how much the regions of its nodes became slower; absent " \
        "without times") \
    when(t, COUNT, inserted_bytes, c->bytes, c->bytes, NULL, .large = true, \
        .about = "bytes that layers inserted there read and write; a string beyond " \
        "2^53") \
    set(t, COUNT, findings, c->findings, NULL, .always = true) \
    set(t, COUNT, errors, c->errors, NULL, .always = true) \
    set(t, COUNT, warnings, c->warnings, NULL, .always = true)
FSD_RECORD(cause, CAUSE)

#define CHECKED_RULE(has, set, when, t) \
    set(t, TEXT,  rule, o->rule->id, NULL, .always = true) \
    set(t, TEXT,  level, fsd_level_name(o->level), NULL, .always = true, \
        .word = fsd_level_word, .n_words = FSD_LEVEL_WORDS) \
    set(t, TEXT,  skipped, o->skipped, NULL, \
        .about = "why the rule could not be checked; it then did not pass") \
    set(t, TEXT,  measured, !o->skipped && o->budget ? o->measured : NULL, NULL, \
        .about = "amount against the budget: \"3\", \"0.1100 ms\", \"5.20%\"") \
    set(t, TEXT,  budget, o->skipped ? NULL : o->budget, NULL) \
    set(t, COUNT, findings, o->found, NULL, .always = true) \
    set(t, COUNT, ignored, o->ignored, NULL, .always = true) \
    when(t, COUNT, off, o->off, o->off, NULL, \
        .about = "findings of a rule that the policy turned off")
FSD_RECORD(checked_rule, CHECKED_RULE)

#define IGNORE(has, set, when, t) \
    set(t, NAME,  label, by->label, NULL, .always = true) \
    set(t, TEXT,  rule, by->rule, NULL, .always = true) \
    set(t, NAME,  node, by->node, NULL, .always = true, .about = "a glob") \
    set(t, NAME,  reason, by->reason, NULL, .always = true) \
    set(t, NAME,  owner, by->owner, NULL) \
    set(t, TEXT,  expires, \
        by->expires ? fsd_arena_strndup(arena, day, (size_t)n) : NULL, NULL, \
        .about = "the last day; absent: never") \
    set(t, COUNT, findings, ignored->n, NULL, .always = true)
FSD_RECORD(ignore, IGNORE)

#define CHECK_FINDING(has, set, when, t) \
    set(t, TEXT,  rule, v->findings->rules.at[f->rule].rule->id, NULL, .always = true) \
    set(t, TEXT,  severity, fsd_severity_name(f->severity), NULL, .always = true, \
        .word = fsd_severity_name, .n_words = FSD__SEVERITY_COUNT, \
        .about = "info where the rule is within its budget") \
    set(t, NAME,  message, f->message, NULL, .always = true) \
    set(t, NAME,  file, f->file, NULL, .always = true, \
        .about = "the snapshot, or the policy") \
    when(t, COUNT, line, f->line, f->line, NULL, \
        .about = "line in the file, if known") \
    set(t, WORDS, nodes, fsd_names_of_subjects(arena, v->findings, f->nodes), NULL, \
        .always = true) \
    set(t, WORDS, layers, fsd_names_of_subjects(arena, v->findings, f->layers), NULL, \
        .always = true) \
    set(t, TEXT,  fingerprint, fsd_fingerprint_text(arena, NULL, f), NULL, \
        .always = true, .pattern = "^[0-9a-f]{16}$", \
        .about = "stable across runs, unique to this finding") \
    when(t, COUNT, cause, v->cause_of, fsd_count_id(v->cause_of[i]), NULL, \
        .about = "index in causes; absent if it has no single cause") \
    set(t, ROWS,  cites, fsd_cites_of(arena, v->findings, f->cites), NULL, \
        .of = &fsd_cite_record, \
        .about = "edits that lint proposes and that explain the finding")
FSD_RECORD(check_finding, CHECK_FINDING)

#define CHECK(has, set, when, t) \
    set(t, TEXT,  schema, schema_name(0), NULL, .always = true, .word = schema_name, \
        .n_words = 1) \
    set(t, NAME,  snapshot, v->snapshot, NULL, \
        .about = "path; absent if only the absolute rules of a policy are checked") \
    set(t, NAME,  model, v->model, NULL, .always = true, .about = "path") \
    set(t, NAME,  engine, v->engine, NULL, .always = true, .about = "path") \
    set(t, TEXT,  verdict, v->verdict ? v->verdict : "", NULL, .always = true, \
        .about = "passed, failed or, with --update, accepted") \
    set(t, NAME,  accept, v->accept, NULL, \
        .about = "the command that accepts this build as the reference") \
    set(t, ROWS,  inputs, inputs_of(arena, v), NULL, .of = &stated_record, \
        .always = true, .about = "the inputs, with versions") \
    set(t, ROWS,  summary, \
        fsd_rows_later(arena, &change_row_record, v->rows.n, fill_fact, v), NULL, \
        .of = &change_row_record, .always = true, \
        .about = "rows of the table at the top of the other reports; before is " \
        "empty if only the change is given") \
    when(t, WORDS, says, v->says[0], fsd_words(v->says, FSD_COUNT_OF(v->says)), NULL, \
        .about = "root cause, its cost, and what to do; absent if no cause is known") \
    when(t, ROWS, different, v->snapshot, \
        fsd_rows_of_differences(arena, &v->account), NULL, \
        .of = &fsd_difference_record, \
        .about = "what the builds were made from, and how they differ") \
    when(t, ROWS, unstated, v->snapshot, fsd_rows_of_unstated(arena, &v->account), \
        NULL, .of = &fsd_unstated_record, \
        .about = "aspects that are not compared, since the old build, the new one or " \
        "both do not state them") \
    set(t, ROWS,  brief, fsd_brief_rows(arena, &v->brief), NULL, \
        .of = &fsd_brief_line_record, .always = true, \
        .about = "the summary: `says`, and for the build what runs, where the time " \
        "or the bytes go, what is unknown") \
    set(t, ROWS,  causes, \
        fsd_rows_later(arena, &cause_record, v->causes.n, fill_cause, v), NULL, \
        .of = &cause_record, .always = true, \
        .about = "changes of the model or the build options next to findings, most " \
        "expensive first") \
    has(t, ROWS,  rules,    NULL, .of = &checked_rule_record, .always = true) \
    has(t, ROWS,  ignores,  NULL, .of = &ignore_record, .always = true, \
        .about = "ignore entries of the policy that suppressed findings") \
    has(t, ROWS,  findings, NULL, .of = &check_finding_record, .always = true)
FSD_RECORD(check, CHECK)
/* clang-format on */

static const struct fsd_rows *inputs_of(struct fsd_arena *arena,
                                        const struct fsd_verdict *v)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &stated_record, "");

    for (uint32_t i = 0; i < v->about.n; i++) {
        FSD_ADD(rows, stated, STATED);
    }
    return rows;
}

static void fill_fact(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_verdict_row *line =
        &((const struct fsd_verdict *)from)->rows.at[i];
    struct change_row *row = out;

    (void)arena;
    FSD_FILL(row, CHANGE_ROW);
}

static void fill_cause(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_root_cause *c = &((const struct fsd_verdict *)from)->causes.at[i];
    struct cause *row = out;

    (void)arena;
    FSD_FILL(row, CAUSE);
}

static void fill_rule(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_outcome *o = &((const struct fsd_findings *)from)->rules.at[i];
    struct checked_rule *row = out;

    (void)arena;
    FSD_FILL(row, CHECKED_RULE);
}

static void fill_ignore(struct fsd_arena *arena, void *out, const void *from,
                        uint32_t i)
{
    const struct fsd_ignored *ignored =
        &((const struct fsd_findings *)from)->ignores.at[i];
    const struct fsd_policy_ignore *by = ignored->by;
    struct ignore *row = out;
    char day[16];
    int n = snprintf(day, sizeof day, "%04u-%02u-%02u", by->expires / 10000,
                     by->expires / 100 % 100, by->expires % 100);

    FSD_FILL(row, IGNORE);
}

static void fill_finding(struct fsd_arena *arena, void *out, const void *from,
                         uint32_t i)
{
    const struct fsd_verdict *v = from;
    const struct fsd_finding *f = &v->findings->list.at[i];
    struct check_finding *row = out;

    FSD_FILL(row, CHECK_FINDING);
}

static void fill_check(struct fsd_arena *arena, struct check *row,
                       const struct fsd_verdict *v)
{
    const struct fsd_findings *all = v->findings;

    FSD_FILL(row, CHECK);
    row->rules =
        fsd_rows_later(arena, &checked_rule_record, all->rules.n, fill_rule, all);
    row->ignores =
        fsd_rows_later(arena, &ignore_record, all->ignores.n, fill_ignore, all);
    row->findings =
        fsd_rows_later(arena, &check_finding_record, all->list.n, fill_finding, v);
}

void fsd_document_of_check(struct fsd_sheet *sheet, const struct fsd_verdict *v)
{
    fill_check(sheet->arena,
               fsd_sheet_begin(sheet, schema_name(0), &check_record, NULL, ""), v);
}

/* --------------------------------------------------------------------------- lists */

/* clang-format off */
#define WORST(has, set, when, t) \
    has(t, TEXT, rule,     NULL, .always = true) \
    has(t, TEXT, severity, NULL, .always = true) \
    has(t, NAME, message,  NULL, .always = true)
FSD_RECORD(worst, WORST)

#define BUILD(has, set, when, t) \
    set(t, NAME,   name, j->name, NULL, .always = true, \
        .about = "model and label, unique in the list") \
    set(t, NAME,   label, j->label, NULL, .always = true, \
        .about = "what the build is for; empty if not given") \
    set(t, NAME,   model, j->model, NULL, .always = true, \
        .about = "path; followed by the engine if that distinguishes two builds") \
    set(t, TEXT,   verdict, j->verdict, NULL, .always = true, \
        .about = "passed, failed, accepted or error") \
    has(t, RECORD, error,   NULL, .of = &fsd_failure_record, \
        .about = "why the build could not be checked") \
    has(t, NUMBER, change_ms, NULL, \
        .about = "by how much the build is slower than its snapshot; absent if a " \
                 "time is unknown") \
    has(t, RECORD, worst,   NULL, .of = &worst_record, \
        .about = "the first of the most severe findings; absent if none is a " \
                 "warning or an error") \
    has(t, RECORD, check,   NULL, .of = &check_record)
FSD_RECORD(build, BUILD)

#define CHECKS(has, set, when, t) \
    set(t, TEXT,  verdict, all->verdict, NULL, .always = true, \
        .about = "the worst of all builds: passed, failed, accepted or error") \
    set(t, COUNT, passed, all->passed, NULL, .always = true, \
        .about = "builds that passed, or were accepted") \
    set(t, COUNT, failed, all->failed, NULL, .always = true) \
    set(t, COUNT, errors, all->errors, NULL, .always = true, \
        .about = "builds that could not be checked") \
    set(t, ROWS,  builds, \
        fsd_rows_later(sheet->arena, &build_record, all->n, fill_build, all), NULL, \
        .of = &build_record, .always = true, .about = "in the order of the list")
FSD_RECORD(checks, CHECKS)
/* clang-format on */

static void fill_build(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_judged *j = &((const struct fsd_verdicts *)from)->at[i];
    const struct fsd_finding *f = j->v ? fsd_verdict_worst(j->v) : NULL;
    struct build *row = out;
    struct worst *worst;
    struct check *check;
    double ms;

    FSD_FILL(row, BUILD);
    if (!j->v) {
        row->error = fsd_failure_of(arena, j->error);
        return;
    }
    if (fsd_judged_change(j, &ms))
        row->change_ms = fsd_real(ms);
    if (f) {
        row->worst = worst = FSD_NEW(arena, struct worst, 1);
        worst->rule = j->v->findings->rules.at[f->rule].rule->id;
        worst->severity = fsd_severity_name(f->severity);
        worst->message = f->message;
    }
    row->check = check = FSD_NEW(arena, struct check, 1);
    fill_check(arena, check, j->v);
}

void fsd_document_of_checks(struct fsd_sheet *sheet, const struct fsd_verdicts *all)
{
    struct checks *row;

    row = fsd_sheet_begin(sheet, "fusiondiff-checks/1", &checks_record, NULL, "");
    FSD_FILL(row, CHECKS);
}
