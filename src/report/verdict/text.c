/* A verdict in lines: as text for a job's log, and as annotations of GitHub. */
#include "base/text.h"
#include "report/escape.h"
#include "report/verdict/verdict.h"
#include "report/text/text.h"

static void put_row(const struct fsd_verdict_row *row, FILE *out)
{
    bool change = row->before && *row->before;

    fprintf(out, "%-26s%14s%s%s\n", row->what, change ? row->before : "",
            change ? " -> " : "    ", row->now);
}

static void put_rule(const struct fsd_outcome *rule, FILE *out)
{
    bool budget = rule->budget && (rule->found || rule->ignored);

    if (rule->skipped) {
        fprintf(out, "%s: not measured: %s\n", rule->rule->id, rule->skipped);
        return;
    }
    if (!budget && !rule->ignored)
        return;
    fputs(rule->rule->id, out);
    if (budget)
        fprintf(out, ": %s, allowed %s", rule->measured, rule->budget);
    if (rule->ignored)
        fprintf(out, "%s ignored %u", budget ? "," : ":", rule->ignored);
    putc('\n', out);
}

void fsd_verdict_put_text(const struct fsd_verdict *v, const struct fsd_style *style,
                          FILE *out)
{
    for (uint32_t i = 0; i < v->rows.n; i++)
        put_row(&v->rows.at[i], out);
    putc('\n', out);
    for (uint32_t i = 0; i < v->findings->list.n; i++)
        fsd_text_finding(v->findings, &v->findings->list.at[i], style, out);
    for (uint32_t i = 0; i < v->findings->rules.n; i++)
        put_rule(&v->findings->rules.at[i], out);
    fsd_ink(style, v->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fputs(v->verdict ? v->verdict : v->title, out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fputs(": ", out);
    fsd_put_severities(v->findings->by_severity, out);
    fprintf(out, ", %u ignored\n", v->findings->ignored);
}

/* ---------------------------------------------------------------- annotations */

/* Of each severity a step shows ten and drops the rest without a word. */
enum { SHOWN = 10 };

/* https://docs.github.com/actions: workflow commands, "::warning file=,title=::text".
 * Where there are more than are shown, the last one says how many. */
void fsd_verdict_put_github(const struct fsd_verdict *v, const struct fsd_style *style,
                            FILE *out)
{
    static const char *const commands[FSD__SEVERITY_COUNT] = {"notice", "warning",
                                                              "error"};
    uint32_t put[FSD__SEVERITY_COUNT] = {0};

    (void)style;
    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];
        uint32_t all = v->findings->by_severity[item->severity];

        if (++put[item->severity] >= SHOWN && all > SHOWN) {
            if (put[item->severity] == SHOWN)
                fprintf(out, "::%s title=fusiondiff::and %u more: see the report\n",
                        commands[item->severity], all - SHOWN + 1);
            continue;
        }
        fprintf(out, "::%s file=", commands[item->severity]);
        fsd_put_github_property(out, item->file);
        if (item->line)
            fprintf(out, ",line=%u", item->line);
        fputs(",title=", out);
        fsd_put_github_property(out, v->findings->rules.at[item->rule].rule->id);
        fputs("::", out);
        fsd_put_github(out, item->message);
        putc('\n', out);
    }
}
