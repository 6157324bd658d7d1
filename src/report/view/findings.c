/* The findings of a check as rows.  For a list of builds, each row names its build, and
 * a build without findings has one row. */
#include "report/record/records.h"
#include "report/view/view.h"

#include "base/base.h"

/* clang-format off */
#define OF_FINDING(has, set, when, t) \
    has(t, TEXT,  severity, "severity") \
    has(t, TEXT,  rule,     "rule") \
    has(t, NAME,  message,  "message", .sentence = true) \
    has(t, NAME,  file,     "file") \
    has(t, COUNT, line,     "line") \
    has(t, WORDS, nodes,    "nodes") \
    has(t, WORDS, layers,   "layers") \
    has(t, NAME,  cause,    "cause")

#define OF_BUILD(has, set, when, t) \
    has(t, NAME,   label,     "label") \
    has(t, NAME,   model,     "model") \
    has(t, TEXT,   verdict,   "verdict") \
    has(t, NUMBER, change_ms, "change in ms") \
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

static void fill_finding(struct fsd_arena *arena, struct finding_row *row,
                         const struct fsd_verdict *v, uint32_t i)
{
    const struct fsd_root_cause *cause = fsd_verdict_cause_of(v, i);
    const struct fsd_findings *all = v->findings;
    const struct fsd_finding *item = &all->list.at[i];

    row->severity = fsd_severity_name(item->severity);
    row->rule = all->rules.at[item->rule].rule->id;
    row->message = item->message;
    row->file = item->file;
    if (item->line)
        row->line = fsd_count(item->line);
    row->nodes = fsd_names_of_subjects(arena, all, item->nodes);
    row->layers = fsd_names_of_subjects(arena, all, item->layers);
    if (cause)
        row->cause = cause->what;
}

static void add_build(struct fsd_arena *arena, struct fsd_rows *rows,
                      const struct fsd_judged *j)
{
    const struct fsd_findings *all = j->v ? j->v->findings : NULL;
    const uint32_t n = all ? all->list.n : 0;
    char text[sizeof(struct fsd_error)];
    double ms;

    for (uint32_t i = 0; i < n || !i; i++) {
        struct finding_row *row = fsd_rows_add(rows);

        row->label = j->label;
        row->model = j->model;
        row->verdict = j->verdict;
        if (fsd_judged_change(j, &ms))
            row->change_ms = fsd_real(ms);
        if (!all) {
            row->severity = "error";
            row->message =
                fsd_printed(arena, "%s", fsd_error_text(j->error, text, sizeof text));
        } else if (n) {
            fill_finding(arena, row, j->v, i);
        }
    }
}

void fsd_sheet_of_verdicts(struct fsd_sheet *sheet, const struct fsd_verdicts *all)
{
    struct fsd_rows *rows = fsd_rows_new(
        sheet->arena, all->list ? &finding_row_record : &only_finding_record, "");
    const struct fsd_verdict *one = all->list ? NULL : all->at[0].v;
    struct answer *answer = fsd_sheet_begin(
        sheet, NULL, all->list ? &answer_record : &one_answer_record, NULL, "");

    for (uint32_t i = 0; one && i < one->findings->list.n; i++)
        fill_finding(sheet->arena, fsd_rows_add(rows), one, i);
    for (uint32_t i = 0; !one && i < all->n; i++)
        add_build(sheet->arena, rows, &all->at[i]);
    sheet->name = "check";
    answer->findings = rows;
}
