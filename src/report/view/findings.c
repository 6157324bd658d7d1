/* Lists the findings of a check as rows. For a list of builds, each row names its
 * build, and a build without findings has one row. */
#include "report/record/records.h"
#include "report/view/view.h"

#include "base/base.h"

/* clang-format off */
#define OF_FINDING(has, set, when, t) \
    set(t, TEXT,  severity, item ? fsd_severity_name(item->severity) : failure, \
        "severity") \
    when(t, TEXT, rule, item, v->findings->rules.at[item->rule].rule->id, "rule") \
    set(t, NAME,  message, item ? item->message : message, "message", \
        .sentence = true) \
    when(t, NAME, file, item, item->file, "file") \
    when(t, COUNT, line, item && item->line, item->line, "line") \
    when(t, WORDS, nodes, item, \
        fsd_names_of_subjects(arena, v->findings, item->nodes), "nodes") \
    when(t, WORDS, layers, item, \
        fsd_names_of_subjects(arena, v->findings, item->layers), "layers") \
    when(t, NAME, cause, cause, cause->what, "cause")

#define OF_BUILD(has, set, when, t) \
    set(t, NAME,   label, j->label, "label") \
    set(t, NAME,   model, j->model, "model") \
    set(t, TEXT,   verdict, j->verdict, "verdict") \
    when(t, NUMBER, change_ms, changed, ms, "change in ms") \
    OF_FINDING(has, set, when, t)
FSD_RECORD(finding_row, OF_BUILD)
FSD_RECORD_PART(only_finding, finding_row, OF_FINDING)

#define ANSWER(has, set, when, t) \
    has(t, ROWS, findings, "Findings", .of = &finding_row_record)
FSD_RECORD(answer, ANSWER)
#define ONE_ANSWER(has, set, when, t) \
    has(t, ROWS, findings, "Findings", .of = &only_finding_record)
FSD_RECORD_PART(one_answer, answer, ONE_ANSWER)
/* clang-format on */

/* Adds a row for each finding of a build.
 * @param listed true: a build without findings gets a row, too */
static void add_build(struct fsd_arena *arena, struct fsd_rows *rows,
                      const struct fsd_judged *j, bool listed)
{
    const struct fsd_verdict *v = j->v;
    const uint32_t n = v ? v->findings->list.n : 0;
    const char *failure = v ? NULL : "error", *message = NULL;
    char text[sizeof(struct fsd_error)];
    double ms = 0;
    bool changed = fsd_judged_change(j, &ms);

    if (!v)
        message = fsd_printed(arena, "%s", fsd_error_text(j->error, text, sizeof text));
    for (uint32_t i = 0; i < n || (listed && !i); i++) {
        const struct fsd_finding *item = i < n ? &v->findings->list.at[i] : NULL;
        const struct fsd_root_cause *cause = item ? fsd_verdict_cause_of(v, i) : NULL;

        FSD_ADD(rows, finding_row, OF_BUILD);
    }
}

void fsd_sheet_of_verdicts(struct fsd_sheet *sheet, const struct fsd_verdicts *all)
{
    struct fsd_rows *rows = fsd_rows_new(
        sheet->arena, all->list ? &finding_row_record : &only_finding_record, "");
    struct answer *answer = fsd_sheet_begin(
        sheet, NULL, all->list ? &answer_record : &one_answer_record, NULL, "");

    for (uint32_t i = 0; i < all->n; i++)
        add_build(sheet->arena, rows, &all->at[i], all->list);
    sheet->name = "check";
    answer->findings = rows;
}
