/* The rules of lint as rows. */
#include "base/print.h"
#include "lint/lint.h"
#include "report/view/view.h"

enum { ID, LEVEL, NEEDS, BUILDERS, DOC, WHY, FIX, SOURCE };

static const struct fsd_column rule_columns[] = {
    [ID] = {"rule", "rule", FSD_CELL_TEXT},
    [LEVEL] = {"level", "level", FSD_CELL_TEXT},
    [NEEDS] = {"needs", "needs", FSD_CELL_TEXT},
    [BUILDERS] = {"holds_for", "holds for", FSD_CELL_TEXT},
    [DOC] = {"doc", "what", FSD_CELL_TEXT},
    [WHY] = {"why", "why", FSD_CELL_TEXT},
    [FIX] = {"fix", "what to do", FSD_CELL_TEXT},
    [SOURCE] = {"source", "source", FSD_CELL_TEXT},
};

static const struct fsd_column columns[] = {
    [0] = {"rules", "Rules", FSD_CELL_ROWS, FSD_INSIDE(rule_columns)},
};

enum fsd_status fsd_view_rules(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                               struct fsd_error *err)
{
    struct fsd_rows rows =
        FSD_ROWS(rule_columns, "{*}{rule}{/}  {level}, needs {needs}, {holds_for}\n"
                               "    {doc}\n    {why}\n    {fix}\n    ({source})\n");
    const struct fsd_rule *rule;

    (void)asked;
    (void)err;
    for (unsigned i = 0; (rule = fsd_rule_at(i)); i++) {
        struct fsd_cell *row;

        if (!(rule->needs & FSD_NEEDS_LINT))
            continue;
        row = fsd_rows_add(sheet->arena, &rows);
        row[ID] = fsd_cell_text(rule->id);
        row[LEVEL] = fsd_cell_text(fsd_level_name(rule->level));
        row[NEEDS] = fsd_cell_text(rule->needs & FSD_NEEDS_ENGINE ? "model and engine"
                                   : rule->proves ? "model; an engine proves it"
                                                  : "model");
        row[BUILDERS] = fsd_cell_text(fsd_families_text(
            sheet->arena, rule->builders ? rule->builders : FSD_ANY_BUILDER));
        row[DOC] = fsd_cell_text(rule->doc);
        row[WHY] = fsd_cell_text(rule->why);
        row[FIX] = fsd_cell_text(rule->fix);
        row[SOURCE] = fsd_cell_text(rule->source);
    }
    sheet->schema = "fusiondiff-lint-rules/1";
    sheet->root = FSD_ROWS(columns, "{rules}");
    fsd_rows_add(sheet->arena, &sheet->root)[0] =
        fsd_cell_rows(sheet->arena, &rows, UINT32_MAX);
    return FSD_OK;
}
