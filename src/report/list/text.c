/* A list as text, for a job's log. */
#include "base/text.h"
#include "report/list/list.h"
#include "report/text/text.h"

static void put_row(const struct fsd_verdict_row *row, FILE *out)
{
    bool change = row->before && *row->before;

    fprintf(out, "%-26s%14s%s%s\n", row->what, change ? row->before : "",
            change ? " -> " : "    ", row->now);
}

static void put_item(const struct fsd_verdict *v, const struct fsd_style *style,
                     const struct fsd_finding *item, FILE *out)
{
    fsd_ink(style, item->severity == FSD_INFO ? FSD_INK_FAINT : FSD_INK_ALARM, out);
    fprintf(out, "%-8s", fsd_severity_name(item->severity));
    fsd_ink(style, FSD_INK_PLAIN, out);
    fprintf(out, "%s  ", v->findings->rules.at[item->rule].rule->id);
    fsd_put_safe(out, item->message);
    putc('\n', out);
}

static void put_rule(const struct fsd_outcome *rule, FILE *out)
{
    bool budget = rule->budget && (rule->found || rule->ignored);

    if (!budget && !rule->ignored)
        return;
    fputs(rule->rule->id, out);
    if (budget)
        fprintf(out, ": %s, allowed %s", rule->measured, rule->budget);
    if (rule->ignored)
        fprintf(out, "%s ignored %u", budget ? "," : ":", rule->ignored);
    putc('\n', out);
}

void fsd_list_put_text(const struct fsd_verdict *v, const struct fsd_style *style,
                       FILE *out)
{
    for (uint32_t i = 0; i < v->rows.n; i++)
        put_row(&v->rows.at[i], out);
    putc('\n', out);
    for (uint32_t i = 0; i < v->findings->list.n; i++)
        put_item(v, style, &v->findings->list.at[i], out);
    for (uint32_t i = 0; i < v->findings->rules.n; i++)
        put_rule(&v->findings->rules.at[i], out);
    fsd_ink(style, v->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fputs(v->verdict ? v->verdict : v->title, out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fputs(": ", out);
    fsd_put_severities(v->findings->by_severity, out);
    fprintf(out, ", %u ignored\n", v->findings->ignored);
}
