/* The JSON of a check, and of a list of checks: include/fusiondiff/check.schema.json
 * and checks.schema.json are printed from here. */
#include "report/record/records.h"

#include <stdio.h>

static const char *schema_name(unsigned i)
{
    (void)i;
    return "fusiondiff-check/1";
}

/* clang-format off */
#define STATED(has, t) \
    has(t, TEXT, what, NULL, .always = true) \
    has(t, NAME, is,   NULL, .always = true)
FSD_RECORD(stated, STATED)

#define CHANGE_ROW(has, t) \
    has(t, TEXT, what,   NULL, .always = true) \
    has(t, NAME, before, NULL) \
    has(t, NAME, now,    NULL, .always = true)
FSD_RECORD(change_row, CHANGE_ROW)

#define CAUSE(has, t) \
    has(t, NAME,  what,     NULL, .always = true) \
    has(t, NAME,  todo,     NULL, .always = true) \
    has(t, MS,    ms,       NULL, \
        .about = "by how much the regions of its nodes became slower; absent " \
                 "without times") \
    has(t, COUNT, inserted_bytes, NULL, .large = true, \
        .about = "bytes that layers inserted there read and write; a string " \
                 "beyond 2^53") \
    has(t, COUNT, findings, NULL, .always = true) \
    has(t, COUNT, errors,   NULL, .always = true) \
    has(t, COUNT, warnings, NULL, .always = true)
FSD_RECORD(cause, CAUSE)

#define CHECKED_RULE(has, t) \
    has(t, TEXT,  rule,     NULL, .always = true) \
    has(t, TEXT,  level,    NULL, .always = true, .word = fsd_level_word, \
        .n_words = FSD_LEVEL_WORDS) \
    has(t, TEXT,  skipped,  NULL, \
        .about = "why the rule could not be checked: it passed nothing") \
    has(t, TEXT,  measured, NULL, \
        .about = "amount against the budget: \"3\", \"0.1100 ms\", \"5.20%\"") \
    has(t, TEXT,  budget,   NULL) \
    has(t, COUNT, findings, NULL, .always = true) \
    has(t, COUNT, ignored,  NULL, .always = true) \
    has(t, COUNT, off,      NULL, \
        .about = "findings of a rule that the policy turned off")
FSD_RECORD(checked_rule, CHECKED_RULE)

#define IGNORE(has, t) \
    has(t, NAME,  label,    NULL, .always = true) \
    has(t, TEXT,  rule,     NULL, .always = true) \
    has(t, NAME,  node,     NULL, .always = true, .about = "a glob") \
    has(t, NAME,  reason,   NULL, .always = true) \
    has(t, NAME,  owner,    NULL) \
    has(t, TEXT,  expires,  NULL, .about = "the last day; absent: never") \
    has(t, COUNT, findings, NULL, .always = true)
FSD_RECORD(ignore, IGNORE)

#define CHECK_FINDING(has, t) \
    has(t, TEXT,  rule,     NULL, .always = true) \
    has(t, TEXT,  severity, NULL, .always = true, .word = fsd_severity_name, \
        .n_words = FSD__SEVERITY_COUNT, \
        .about = "info where the rule is within its budget") \
    has(t, NAME,  message,  NULL, .always = true) \
    has(t, NAME,  file,     NULL, .always = true, \
        .about = "the snapshot, or the policy") \
    has(t, COUNT, line,     NULL, .about = "line in the file, if known") \
    has(t, WORDS, nodes,    NULL, .always = true) \
    has(t, WORDS, layers,   NULL, .always = true) \
    has(t, TEXT,  fingerprint, NULL, .always = true, .pattern = "^[0-9a-f]{16}$", \
        .about = "stable across runs, unique to this finding") \
    has(t, COUNT, cause,    NULL, \
        .about = "index in causes; absent if it has no single cause") \
    has(t, ROWS,  cites,    NULL, .of = &fsd_cite_record, \
        .about = "edits that lint proposes and that explain it")
FSD_RECORD(check_finding, CHECK_FINDING)

#define CHECK(has, t) \
    has(t, TEXT,  schema,   NULL, .always = true, .word = schema_name, .n_words = 1) \
    has(t, NAME,  snapshot, NULL, \
        .about = "path; absent if only the absolute rules of a policy are checked") \
    has(t, NAME,  model,    NULL, .always = true, .about = "path") \
    has(t, NAME,  engine,   NULL, .always = true, .about = "path") \
    has(t, TEXT,  verdict,  NULL, .always = true, \
        .about = "passed, failed or, with --update, accepted") \
    has(t, NAME,  accept,   NULL, \
        .about = "the command that accepts this build as the reference") \
    has(t, ROWS,  inputs,   NULL, .of = &stated_record, .always = true, \
        .about = "the inputs, with versions") \
    has(t, ROWS,  summary,  NULL, .of = &change_row_record, .always = true, \
        .about = "rows of the table at the top of the other reports; before is " \
                 "empty if only " \
                 "the change is given") \
    has(t, WORDS, says,     NULL, \
        .about = "root cause, its cost, and what to do; absent if " \
                 "no cause is known") \
    has(t, ROWS,  brief,    NULL, .of = &fsd_brief_line_record, .always = true, \
        .about = "the summary: `says`, and for the build what runs, " \
                 "where the time or the bytes go, what is unknown") \
    has(t, ROWS,  causes,   NULL, .of = &cause_record, .always = true, \
        .about = "changes of the model or the build options next to findings, " \
                 "most expensive first") \
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
        struct stated *row = fsd_rows_add(rows);

        row->what = v->about.at[i].what;
        row->is = v->about.at[i].now;
    }
    return rows;
}

static void fill_fact(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_verdict_row *line =
        &((const struct fsd_verdict *)from)->rows.at[i];
    struct change_row *row = out;

    (void)arena;
    row->what = line->what;
    row->before = line->before;
    row->now = line->now;
}

static void fill_cause(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_root_cause *c = &((const struct fsd_verdict *)from)->causes.at[i];
    struct cause *row = out;

    (void)arena;
    row->what = c->what;
    row->todo = c->todo;
    if (c->timed)
        row->ms = fsd_real(c->ms);
    if (c->bytes)
        row->inserted_bytes = fsd_count(c->bytes);
    row->findings = fsd_count(c->findings);
    row->errors = fsd_count(c->errors);
    row->warnings = fsd_count(c->warnings);
}

static void fill_rule(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_outcome *o = &((const struct fsd_findings *)from)->rules.at[i];
    struct checked_rule *row = out;

    (void)arena;
    row->rule = o->rule->id;
    row->level = fsd_level_name(o->level);
    row->skipped = o->skipped;
    row->measured = !o->skipped && o->budget ? o->measured : NULL;
    row->budget = o->skipped ? NULL : o->budget;
    row->findings = fsd_count(o->found);
    row->ignored = fsd_count(o->ignored);
    if (o->off)
        row->off = fsd_count(o->off);
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

    row->label = by->label;
    row->rule = by->rule;
    row->node = by->node;
    row->reason = by->reason;
    row->owner = by->owner;
    row->expires = by->expires ? fsd_arena_strndup(arena, day, (size_t)n) : NULL;
    row->findings = fsd_count(ignored->n);
}

static void fill_finding(struct fsd_arena *arena, void *out, const void *from,
                         uint32_t i)
{
    const struct fsd_verdict *v = from;
    const struct fsd_finding *f = &v->findings->list.at[i];
    struct check_finding *row = out;

    row->rule = v->findings->rules.at[f->rule].rule->id;
    row->severity = fsd_severity_name(f->severity);
    row->message = f->message;
    row->file = f->file;
    if (f->line)
        row->line = fsd_count(f->line);
    row->nodes = fsd_names_of_subjects(arena, v->findings, f->nodes);
    row->layers = fsd_names_of_subjects(arena, v->findings, f->layers);
    row->cites = fsd_cites_of(arena, v->findings, f->cites);
    row->fingerprint = fsd_fingerprint_text(arena, NULL, f);
    if (v->cause_of)
        row->cause = fsd_count_id(v->cause_of[i]);
}

static void fill_check(struct fsd_arena *arena, struct check *row,
                       const struct fsd_verdict *v)
{
    const struct fsd_findings *all = v->findings;

    row->schema = schema_name(0);
    row->snapshot = v->snapshot;
    row->model = v->model;
    row->engine = v->engine;
    row->verdict = v->verdict ? v->verdict : "";
    row->accept = v->accept;
    row->inputs = inputs_of(arena, v);
    row->summary = fsd_rows_later(arena, &change_row_record, v->rows.n, fill_fact, v);
    if (v->says[0])
        row->says = fsd_words(v->says, FSD_COUNT_OF(v->says));
    row->brief = fsd_brief_rows(arena, &v->brief);
    row->causes = fsd_rows_later(arena, &cause_record, v->causes.n, fill_cause, v);
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
#define WORST(has, t) \
    has(t, TEXT, rule,     NULL, .always = true) \
    has(t, TEXT, severity, NULL, .always = true) \
    has(t, NAME, message,  NULL, .always = true)
FSD_RECORD(worst, WORST)

#define BUILD(has, t) \
    has(t, NAME,   name,    NULL, .always = true, \
        .about = "model and label, unique in the list") \
    has(t, NAME,   label,   NULL, .always = true, \
        .about = "what the build is for; empty if not given") \
    has(t, NAME,   model,   NULL, .always = true, \
        .about = "path; followed by the engine if that distinguishes two builds") \
    has(t, TEXT,   verdict, NULL, .always = true, \
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

#define CHECKS(has, t) \
    has(t, TEXT,  verdict, NULL, .always = true, \
        .about = "the worst of all builds: passed, failed, accepted or error") \
    has(t, COUNT, passed,  NULL, .always = true, \
        .about = "builds that passed, or were accepted") \
    has(t, COUNT, failed,  NULL, .always = true) \
    has(t, COUNT, errors,  NULL, .always = true, \
        .about = "builds that could not be checked") \
    has(t, ROWS,  builds,  NULL, .of = &build_record, .always = true, \
        .about = "in the order of the list")
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

    row->name = j->name;
    row->label = j->label;
    row->model = j->model;
    row->verdict = j->verdict;
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
    row->verdict = all->verdict;
    row->passed = fsd_count(all->passed);
    row->failed = fsd_count(all->failed);
    row->errors = fsd_count(all->errors);
    row->builds = fsd_rows_later(sheet->arena, &build_record, all->n, fill_build, all);
}
