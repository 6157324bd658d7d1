/* Lists the rules of lint as rows. */
#include "base/base.h"
#include "judge/lint/lint.h"
#include "report/view/view.h"

/* clang-format off */
#define RULE_ROW(has, set, when, t) \
    set(t, TEXT, rule, rule->id, "rule") \
    set(t, TEXT, level, fsd_level_name(rule->level), "level") \
    set(t, TEXT, needs, rule->needs & FSD_NEEDS_ENGINE ? "model and engine" \
        : rule->proves ? "model (an engine can verify the findings)" : "model", \
        "needs") \
    set(t, TEXT, holds_for, fsd_families_text(sheet->arena, \
        rule->builders ? rule->builders : FSD_ANY_BUILDER), \
        "holds for") \
    set(t, TEXT, doc, rule->doc, "what") \
    set(t, TEXT, why, rule->why, "why") \
    set(t, TEXT, fix, rule->fix, "what to do") \
    set(t, TEXT, source, rule->source, "source")
FSD_RECORD(rule_row, RULE_ROW)

#define ANSWER(has, set, when, t) \
    has(t, ROWS, rules, "Rules", .of = &rule_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

enum fsd_status fsd_view_rules(struct fsd_sheet *sheet,
                               const struct fsd_request *request)
{
    struct fsd_rows *rows =
        fsd_rows_new(sheet->arena, &rule_row_record,
                     "{*}{rule}{/}  {level}, needs {needs}, {holds_for}\n"
                     "    {doc}\n    {why}\n    {fix}\n    ({source})\n");
    const struct fsd_rule *rule;

    (void)request;
    for (unsigned i = 0; (rule = fsd_rule_at(i)); i++) {
        struct rule_row *row;

        if (!(rule->needs & FSD_NEEDS_LINT))
            continue;
        row = fsd_rows_add(rows);
        FSD_FILL(row, RULE_ROW);
    }
    ((struct answer *)fsd_sheet_begin(sheet, "fusiondiff-lint-rules/1", &answer_record,
                                      NULL, "{rules}"))
        ->rules = rows;
    return FSD_OK;
}
