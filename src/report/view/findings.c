/* The findings of a check as rows. */
#include "report/view/view.h"

enum { SEVERITY, RULE, MESSAGE, FILE_NAME, LINE, NODES, LAYERS };

static const struct fsd_column finding_columns[] = {
    [SEVERITY] = {"severity", "severity", FSD_CELL_TEXT},
    [RULE] = {"rule", "rule", FSD_CELL_TEXT},
    [MESSAGE] = {"message", "message", FSD_CELL_NAME},
    [FILE_NAME] = {"file", "file", FSD_CELL_NAME},
    [LINE] = {"line", "line", FSD_CELL_COUNT},
    [NODES] = {"nodes", "nodes", FSD_CELL_WORDS},
    [LAYERS] = {"layers", "layers", FSD_CELL_WORDS},
};

static const struct fsd_column columns[] = {
    [0] = {"findings", "Findings", FSD_CELL_ROWS, FSD_INSIDE(finding_columns)},
};

static struct fsd_cell names_of(struct fsd_arena *arena, const struct fsd_findings *all,
                                struct fsd_span about)
{
    const char **names = FSD_NEW(arena, const char *, about.n);

    for (uint32_t i = 0; i < about.n; i++)
        names[i] = all->subjects.at[about.at + i].name;
    return fsd_cell_words(names, about.n);
}

void fsd_sheet_of_verdict(struct fsd_sheet *sheet, const struct fsd_verdict *v)
{
    struct fsd_rows rows = FSD_ROWS(finding_columns, "");

    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];
        struct fsd_cell *row = fsd_rows_add(sheet->arena, &rows);

        row[SEVERITY] = fsd_cell_text(fsd_severity_name(item->severity));
        row[RULE] = fsd_cell_text(v->findings->rules.at[item->rule].rule->id);
        row[MESSAGE] = fsd_cell_text(item->message);
        row[FILE_NAME] = fsd_cell_text(item->file);
        if (item->line)
            row[LINE] = fsd_cell_count(item->line);
        row[NODES] = names_of(sheet->arena, v->findings, item->nodes);
        row[LAYERS] = names_of(sheet->arena, v->findings, item->layers);
    }
    sheet->name = "check";
    sheet->root = FSD_ROWS(columns, "");
    fsd_rows_add(sheet->arena, &sheet->root)[0] =
        fsd_cell_rows(sheet->arena, &rows, UINT32_MAX);
}
