/* A list as text, for a job's log. */
#include "base/text.h"
#include "report/list.h"
#include "report/text.h"

static void put_row(const struct fsd_list_row *row, FILE *out)
{
    bool change = row->before && *row->before;

    fprintf(out, "%-26s%14s%s%s\n", row->what, change ? row->before : "",
            change ? " -> " : "    ", row->now);
}

static void put_item(const struct fsd_list *list, const struct fsd_style *style,
                     const struct fsd_list_item *item, FILE *out)
{
    fsd_ink(style, item->severity == FSD_INFO ? FSD_INK_FAINT : FSD_INK_ALARM, out);
    fprintf(out, "%-8s", fsd_severity_name(item->severity));
    fsd_ink(style, FSD_INK_PLAIN, out);
    fprintf(out, "%s  ", list->rules.at[item->rule].id);
    fsd_put_safe(out, item->message);
    putc('\n', out);
}

static void put_rule(const struct fsd_list_rule *rule, FILE *out)
{
    bool budget = rule->budget && (rule->found || rule->ignored);

    if (!budget && !rule->ignored)
        return;
    fputs(rule->id, out);
    if (budget)
        fprintf(out, ": %s, allowed %s", rule->measured, rule->budget);
    if (rule->ignored)
        fprintf(out, "%s ignored %u", budget ? "," : ":", rule->ignored);
    putc('\n', out);
}

void fsd_list_put_text(const struct fsd_list *list, const struct fsd_style *style,
                       FILE *out)
{
    for (uint32_t i = 0; i < list->rows.n; i++)
        put_row(&list->rows.at[i], out);
    putc('\n', out);
    for (uint32_t i = 0; i < list->items.n; i++)
        put_item(list, style, &list->items.at[i], out);
    for (uint32_t i = 0; i < list->rules.n; i++)
        put_rule(&list->rules.at[i], out);
    fsd_ink(style, list->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fputs(list->verdict ? list->verdict : list->title, out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fputs(": ", out);
    fsd_put_severities(list->by_severity, out);
    fprintf(out, ", %u ignored\n", list->ignored);
}
