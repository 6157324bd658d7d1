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

void fsd_sheet_of_list(struct fsd_sheet *sheet, const struct fsd_list *list)
{
    struct fsd_rows rows = FSD_ROWS(finding_columns, "");

    for (uint32_t i = 0; i < list->items.n; i++) {
        const struct fsd_list_item *item = &list->items.at[i];
        struct fsd_cell *row = fsd_rows_add(sheet->arena, &rows);

        row[SEVERITY] = fsd_cell_text(fsd_severity_name(item->severity));
        row[RULE] = fsd_cell_text(list->rules.at[item->rule].id);
        row[MESSAGE] = fsd_cell_text(item->message);
        row[FILE_NAME] = fsd_cell_text(item->file);
        if (item->line)
            row[LINE] = fsd_cell_count(item->line);
        row[NODES] = fsd_cell_words(item->nodes, item->n_nodes);
        row[LAYERS] = fsd_cell_words(item->layers, item->n_layers);
    }
    sheet->name = "check";
    sheet->root = FSD_ROWS(columns, "");
    fsd_rows_add(sheet->arena, &sheet->root)[0] =
        fsd_cell_rows(sheet->arena, &rows, UINT32_MAX);
}
