/* The JSON of a check, and of a list of checks. tests/golden/schemas.py generates
 * include/fusiondiff/check.schema.json and checks.schema.json from these records. */
#include "report/record/records.h"

static const char *check_schema(unsigned i)
{
    (void)i;
    return "fusiondiff-check/1";
}

static const char *day_text(struct fsd_arena *arena, unsigned day)
{
    return fsd_printed(arena, "%04u-%02u-%02u", day / 10000, day / 100 % 100,
                       day % 100);
}

/* clang-format off */
#define STATED(has, set, when, t) \
    set(t, TEXT, what, v->about.at[i].what, FSD_ALWAYS) \
    set(t, NAME, is, v->about.at[i].now, FSD_ALWAYS)
FSD_RECORD_FROM(stated, STATED, const struct fsd_verdict *v = from)

#define CHANGE_ROW(has, set, when, t) \
    set(t, TEXT, what, line->what, FSD_ALWAYS) \
    set(t, NAME, before, line->before, NULL) \
    set(t, NAME, now, line->now, FSD_ALWAYS)
FSD_RECORD_FROM(change_row, CHANGE_ROW, const struct fsd_verdict *v = from;
    const struct fsd_verdict_row *line = &v->rows.at[i])

#define CAUSE(has, set, when, t) \
    set(t, NAME,  what, c->what, FSD_ALWAYS) \
    set(t, NAME,  todo, c->todo, FSD_ALWAYS) \
    when(t, MS,    ms, c->timed, fsd_real(c->ms), NULL, \
        .about = "number of ms by which the regions that contain the cause's nodes " \
                 "became slower; absent if a build has no times") \
    when(t, COUNT, inserted_bytes, c->bytes, c->bytes, NULL, .large = true, \
        .about = "bytes that the inserted layers at the cause's nodes read and " \
                 "write; a string if the number exceeds 2^53") \
    set(t, COUNT, findings, c->findings, FSD_ALWAYS) \
    set(t, COUNT, errors, c->errors, FSD_ALWAYS) \
    set(t, COUNT, warnings, c->warnings, FSD_ALWAYS)
FSD_RECORD_FROM(cause, CAUSE, const struct fsd_verdict *v = from;
    const struct fsd_root_cause *c = &v->causes.at[i])

#define CHECKED_RULE(has, set, when, t) \
    set(t, TEXT,  rule, o->rule->id, FSD_ALWAYS) \
    set(t, TEXT,  level, fsd_level_name(o->level), FSD_ALWAYS, \
        .word = fsd_level_word, .n_words = FSD_LEVEL_WORDS) \
    set(t, TEXT,  skipped, o->skipped, NULL, \
        .about = "the reason why the rule could not be checked; a rule with this " \
                 "member does not pass") \
    set(t, TEXT,  measured, !o->skipped && o->budget ? o->measured : NULL, NULL, \
        .about = "the measured amount, in the unit of the budget: \"3\", \"0.1100 " \
                 "ms\", \"5.20%\"") \
    set(t, TEXT,  budget, o->skipped ? NULL : o->budget, NULL) \
    set(t, COUNT, findings, o->found, FSD_ALWAYS) \
    set(t, COUNT, ignored, o->ignored, FSD_ALWAYS) \
    when(t, COUNT, off, o->off, o->off, NULL, \
        .about = "number of findings that the policy turned off")
FSD_RECORD_FROM(checked_rule, CHECKED_RULE, const struct fsd_findings *all = from;
    const struct fsd_outcome *o = &all->rules.at[i])

#define IGNORE(has, set, when, t) \
    set(t, NAME,  label, by->label, FSD_ALWAYS) \
    set(t, TEXT,  rule, by->rule, FSD_ALWAYS) \
    set(t, NAME,  node, by->node, FSD_ALWAYS, .about = "a glob pattern " \
            "of node names") \
    set(t, NAME,  reason, by->reason, FSD_ALWAYS) \
    set(t, NAME,  owner, by->owner, NULL) \
    set(t, TEXT,  expires, \
        by->expires ? day_text(arena, by->expires) : NULL, NULL, \
        .about = "the last day on which the entry holds; absent: it never expires") \
    set(t, COUNT, findings, ignored->n, FSD_ALWAYS)
FSD_RECORD_FROM(ignore, IGNORE, const struct fsd_findings *all = from;
    const struct fsd_ignored *ignored = &all->ignores.at[i];
    const struct fsd_policy_ignore *by = ignored->by)

#define CHECK_FINDING(has, set, when, t) \
    set(t, TEXT,  rule, v->findings->rules.at[f->rule].rule->id, FSD_ALWAYS) \
    set(t, TEXT,  severity, fsd_severity_name(f->severity), FSD_ALWAYS, \
        .word = fsd_severity_name, .n_words = FSD__SEVERITY_COUNT, \
        .about = "info if the rule is within its budget") \
    set(t, NAME,  message, f->message, FSD_ALWAYS) \
    set(t, NAME,  file, f->file, FSD_ALWAYS, \
        .about = "path of the snapshot, or of the policy") \
    when(t, COUNT, line, f->line, f->line, NULL, \
        .about = "line of that file, if known") \
    set(t, WORDS, nodes, fsd_names_of_subjects(arena, v->findings, f->nodes), \
        FSD_ALWAYS) \
    set(t, WORDS, layers, fsd_names_of_subjects(arena, v->findings, f->layers), \
        FSD_ALWAYS) \
    set(t, TEXT,  fingerprint, fsd_fingerprint_text(arena, NULL, f), \
        FSD_ALWAYS, .pattern = "^[0-9a-f]{16}$", \
        .about = "identifies this finding, and is the same in repeated checks") \
    when(t, COUNT, cause, v->cause_of, fsd_count_id(v->cause_of[i]), NULL, \
        .about = "index in causes; absent if the finding has no single cause") \
    set(t, ROWS,  cites, fsd_cites_of(arena, v->findings, f->cites), NULL, \
        .of = &fsd_cite_record, \
        .about = "edits that lint proposes to remove the finding's cause")
FSD_RECORD_FROM(check_finding, CHECK_FINDING, const struct fsd_verdict *v = from;
    const struct fsd_finding *f = &v->findings->list.at[i])

#define CHECK(has, set, when, t) \
    set(t, TEXT,  schema, check_schema(0), FSD_ALWAYS, .word = check_schema, \
        .n_words = 1) \
    set(t, NAME,  snapshot, v->snapshot, NULL, \
        .about = "path of the snapshot; absent if only the absolute rules of a " \
                 "policy are checked") \
    set(t, NAME,  model, v->model, FSD_ALWAYS, .about = "path") \
    set(t, NAME,  engine, v->engine, FSD_ALWAYS, .about = "path") \
    set(t, TEXT,  verdict, v->verdict ? v->verdict : "", FSD_ALWAYS, \
        .about = "passed, failed or, with --update, accepted") \
    set(t, NAME,  accept, v->accept, NULL, \
        .about = "the command that accepts this build as the reference") \
    set(t, ROWS,  inputs, FSD_LATER(arena, stated, v->about.n, v), NULL, \
        .of = &stated_record, \
        .always = true, .about = "the input files and the versions of their " \
                                 "producers") \
    set(t, ROWS,  summary, \
        FSD_LATER(arena, change_row, v->rows.n, v), FSD_ALWAYS, \
        .of = &change_row_record, \
        .about = "rows of the table at the start of the text, Markdown and HTML " \
                 "outputs; `before` is empty if the row states only a change") \
    when(t, WORDS, says, v->says[0], fsd_words(v->says, FSD_COUNT_OF(v->says)), NULL, \
        .about = "the root cause, its cost, and what to do; absent if no cause is " \
                 "known") \
    when(t, ROWS, different, v->snapshot, \
        fsd_rows_of_differences(arena, &v->account), NULL, \
        .of = &fsd_difference_record, \
        .about = "the facts in which the inputs of the builds differ") \
    when(t, ROWS, unstated, v->snapshot, fsd_rows_of_unstated(arena, &v->account), \
        NULL, .of = &fsd_unstated_record, \
        .about = "aspects that are not compared, because one or both builds do not " \
                 "state them") \
    set(t, ROWS,  brief, fsd_brief_rows(arena, &v->brief), FSD_ALWAYS, \
        .of = &fsd_brief_line_record, \
        .about = "the summary: first the sentences of the member `says`, then what " \
                 "the engine runs, which layers take the time or move the bytes, " \
                 "and what is unknown") \
    set(t, ROWS,  causes, \
        FSD_LATER(arena, cause, v->causes.n, v), FSD_ALWAYS, \
        .of = &cause_record, \
        .about = "causes of the findings: changes of the model or of the build, " \
                 "the most expensive first") \
    set(t, ROWS,  rules, FSD_LATER(arena, checked_rule, all->rules.n, all), \
        FSD_ALWAYS, .of = &checked_rule_record) \
    set(t, ROWS,  ignores, FSD_LATER(arena, ignore, all->ignores.n, all), FSD_ALWAYS, \
        .of = &ignore_record, \
        .about = "the policy's `ignore` entries that suppressed findings") \
    set(t, ROWS,  findings, FSD_LATER(arena, check_finding, all->list.n, v), \
        FSD_ALWAYS, .of = &check_finding_record)
FSD_RECORD_FROM(check, CHECK, const struct fsd_verdict *v = from;
    const struct fsd_findings *all = v->findings)
/* clang-format on */

void fsd_document_of_check(struct fsd_sheet *sheet, const struct fsd_verdict *v)
{
    fill_check(sheet->arena,
               fsd_sheet_begin(sheet, check_schema(0), &check_record, NULL, ""), v, 0);
}

/* --------------------------------------------------------------------------- lists */

/* clang-format off */
#define WORST(has, set, when, t) \
    set(t, TEXT, rule, v->findings->rules.at[f->rule].rule->id, FSD_ALWAYS) \
    set(t, TEXT, severity, fsd_severity_name(f->severity), FSD_ALWAYS) \
    set(t, NAME, message, f->message, FSD_ALWAYS)
FSD_RECORD_FROM(worst, WORST, const struct fsd_verdict *v = from;
    const struct fsd_finding *f = fsd_verdict_worst(v))

#define BUILD(has, set, when, t) \
    set(t, NAME,   name, j->name, FSD_ALWAYS, \
        .about = "name of the build: model and label, unique in the list") \
    set(t, NAME,   label, j->label, FSD_ALWAYS, \
        .about = "the purpose of the build; empty if not given") \
    set(t, NAME,   model, j->model, FSD_ALWAYS, \
        .about = "path of the model; the engine's path is appended if an earlier " \
                 "build in the list has the same model and label") \
    set(t, TEXT,   verdict, j->verdict, FSD_ALWAYS, \
        .about = "passed, failed, accepted or error") \
    when(t, RECORD, error, !j->v, fsd_failure_of(arena, j->error), NULL, \
        .of = &fsd_failure_record, .about = "the reason why the build could not be " \
                                            "checked") \
    when(t, NUMBER, change_ms, j->v && fsd_judged_change(j, &ms), ms, NULL, \
        .about = "number of ms by which the build is slower than its snapshot; " \
                 "absent if a time is unknown") \
    when(t, RECORD, worst, j->v && fsd_verdict_worst(j->v), \
        FSD_HELD(arena, worst, j->v, 0), NULL, .of = &worst_record, \
        .about = "the first finding of the highest severity; absent if the build has " \
                 "no warning and no error") \
    when(t, RECORD, check, j->v, FSD_HELD(arena, check, j->v, 0), NULL, \
        .of = &check_record)
FSD_RECORD_FROM(build, BUILD, const struct fsd_verdicts *all = from;
    const struct fsd_judged *j = &all->at[i];
    double ms = 0)

#define CHECKS(has, set, when, t) \
    set(t, TEXT,  verdict, all->verdict, FSD_ALWAYS, \
        .about = "the worst verdict of all builds: passed, failed, accepted or " \
                 "error") \
    set(t, COUNT, passed, all->passed, FSD_ALWAYS, \
        .about = "number of builds that passed or were accepted") \
    set(t, COUNT, failed, all->failed, FSD_ALWAYS) \
    set(t, COUNT, errors, all->errors, FSD_ALWAYS, \
        .about = "number of builds that could not be checked") \
    set(t, ROWS,  builds, \
        FSD_LATER(sheet->arena, build, all->n, all), FSD_ALWAYS, \
        .of = &build_record, .about = "the builds, in the order of " \
            "the list")
FSD_RECORD(checks, CHECKS)
/* clang-format on */

void fsd_document_of_checks(struct fsd_sheet *sheet, const struct fsd_verdicts *all)
{
    struct checks *row =
        fsd_sheet_begin(sheet, "fusiondiff-checks/1", &checks_record, NULL, "");

    FSD_FILL(row, CHECKS);
}
