/* The findings of a check as rows; of a list of builds each row names its build, and a
 * build without findings has one row. */
#include "report/view/view.h"

#include "base/print.h"

enum { SEVERITY, RULE, MESSAGE, FILE_NAME, LINE, NODES, LAYERS, CAUSE };
enum { LABEL, MODEL, VERDICT, CHANGE, OF_BUILD };

#define OF_FINDING(at)                                                                 \
    [(at) + SEVERITY] = {"severity", "severity", FSD_CELL_TEXT},                       \
            [(at) + RULE] = {"rule", "rule", FSD_CELL_TEXT},                           \
            [(at) + MESSAGE] = {"message", "message", FSD_CELL_NAME},                  \
            [(at) + FILE_NAME] = {"file", "file", FSD_CELL_NAME},                      \
            [(at) + LINE] = {"line", "line", FSD_CELL_COUNT},                          \
            [(at) + NODES] = {"nodes", "nodes", FSD_CELL_WORDS},                       \
            [(at) + LAYERS] = {"layers", "layers", FSD_CELL_WORDS},                    \
            [(at) + CAUSE] = {"cause", "cause", FSD_CELL_NAME}

static const struct fsd_column finding_columns[] = {OF_FINDING(0)};

static const struct fsd_column build_columns[] = {
    [LABEL] = {"label", "label", FSD_CELL_NAME},
    [MODEL] = {"model", "model", FSD_CELL_NAME},
    [VERDICT] = {"verdict", "verdict", FSD_CELL_TEXT},
    [CHANGE] = {"change_ms", "change in ms", FSD_CELL_NUMBER},
    OF_FINDING(OF_BUILD)};

static const struct fsd_column columns[] = {
    [0] = {"findings", "Findings", FSD_CELL_ROWS, FSD_INSIDE(finding_columns)},
};

static const struct fsd_column list_columns[] = {
    [0] = {"findings", "Findings", FSD_CELL_ROWS, FSD_INSIDE(build_columns)},
};

static struct fsd_cell names_of(struct fsd_arena *arena, const struct fsd_findings *all,
                                struct fsd_span about)
{
    const char **names = FSD_NEW(arena, const char *, about.n);

    for (uint32_t i = 0; i < about.n; i++)
        names[i] = all->subjects.at[about.at + i].name;
    return fsd_cell_words(names, about.n);
}

static void fill_finding(struct fsd_arena *arena, struct fsd_cell *row,
                         const struct fsd_verdict *v, uint32_t i)
{
    const struct fsd_root_cause *cause = fsd_verdict_cause_of(v, i);
    const struct fsd_findings *all = v->findings;
    const struct fsd_finding *item = &all->list.at[i];

    row[SEVERITY] = fsd_cell_text(fsd_severity_name(item->severity));
    row[RULE] = fsd_cell_text(all->rules.at[item->rule].rule->id);
    row[MESSAGE] = fsd_cell_text(item->message);
    row[FILE_NAME] = fsd_cell_text(item->file);
    if (item->line)
        row[LINE] = fsd_cell_count(item->line);
    row[NODES] = names_of(arena, all, item->nodes);
    row[LAYERS] = names_of(arena, all, item->layers);
    if (cause)
        row[CAUSE] = fsd_cell_text(cause->what);
}

static void add_build(struct fsd_arena *arena, struct fsd_rows *rows,
                      const struct fsd_judged *j)
{
    const struct fsd_findings *all = j->v ? j->v->findings : NULL;
    const uint32_t n = all ? all->list.n : 0;
    char text[sizeof(struct fsd_error)];
    double ms;

    for (uint32_t i = 0; i < n || !i; i++) {
        struct fsd_cell *row = fsd_rows_add(arena, rows);

        row[LABEL] = fsd_cell_text(j->label);
        row[MODEL] = fsd_cell_text(j->model);
        row[VERDICT] = fsd_cell_text(j->verdict);
        if (fsd_judged_change(j, &ms))
            row[CHANGE] = fsd_cell_number(ms);
        if (!all) {
            row[OF_BUILD + SEVERITY] = fsd_cell_text("error");
            row[OF_BUILD + MESSAGE] = fsd_cell_text(
                fsd_printed(arena, "%s", fsd_error_text(j->error, text, sizeof text)));
        } else if (n) {
            fill_finding(arena, row + OF_BUILD, j->v, i);
        }
    }
}

void fsd_sheet_of_verdicts(struct fsd_sheet *sheet, const struct fsd_verdicts *all)
{
    struct fsd_rows rows = FSD_ROWS(finding_columns, "");
    const struct fsd_verdict *one = all->list ? NULL : all->at[0].v;

    sheet->root = FSD_ROWS(columns, "");
    if (all->list) {
        rows = FSD_ROWS(build_columns, "");
        sheet->root = FSD_ROWS(list_columns, "");
    }
    for (uint32_t i = 0; one && i < one->findings->list.n; i++)
        fill_finding(sheet->arena, fsd_rows_add(sheet->arena, &rows), one, i);
    for (uint32_t i = 0; !one && i < all->n; i++)
        add_build(sheet->arena, &rows, &all->at[i]);
    sheet->name = "check";
    fsd_rows_add(sheet->arena, &sheet->root)[0] =
        fsd_cell_rows(sheet->arena, &rows, UINT32_MAX);
}
