/* A verdict in lines: as text for a job's log, and as annotations of GitHub. */
#include "base/text.h"
#include "report/escape.h"
#include "report/verdict/verdict.h"
#include "report/text/text.h"

#include <string.h>

static void put_row(const struct fsd_verdict_row *row, FILE *out)
{
    bool change = row->before && *row->before;

    fprintf(out, "%-26s%14s%s%s\n", row->what, change ? row->before : "",
            change ? " -> " : "    ", row->now);
}

void fsd_put_outcome(const struct fsd_outcome *rule, FILE *out)
{
    char found[16];

    fsd_put_noun(out, rule->found, "finding");
    snprintf(found, sizeof found, "%u", rule->found);
    if (rule->budget && strcmp(rule->measured, found) != 0)
        fprintf(out, ", %s%s", rule->measured,
                *rule->measured >= '0' && *rule->measured <= '9' ? " in all" : "");
    if (rule->budget && (!strcmp(rule->budget, "0") || !strcmp(rule->budget, "0.00%")))
        fputs(", none allowed", out);
    else if (rule->budget)
        fprintf(out, ", at most %s allowed", rule->budget);
    if (rule->ignored)
        fprintf(out, ", %u ignored", rule->ignored);
}

static void put_rule(const struct fsd_outcome *rule, FILE *out)
{
    if (rule->skipped) {
        fprintf(out, "%s: not measured: %s\n", rule->rule->id, rule->skipped);
    } else if ((rule->budget && rule->found) || rule->ignored) {
        fprintf(out, "%s: ", rule->rule->id);
        fsd_put_outcome(rule, out);
        putc('\n', out);
    }
}

void fsd_verdict_put_text(const struct fsd_verdict *v, const struct fsd_style *style,
                          FILE *out)
{
    for (uint32_t i = 0; i < v->about.n; i++) {
        fprintf(out, "%-26s", v->about.at[i].what);
        fsd_put_safe(out, v->about.at[i].now);
        putc('\n', out);
    }
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
    if (v->failed && v->accept) {
        fputs("to accept this build: ", out);
        fsd_put_safe(out, v->accept);
        putc('\n', out);
    }
}

/* --------------------------------------------------------------------- one line */

/* "2 errors (lost-fusion 1, new-reformat 1)" */
static void put_counts(const struct fsd_findings *all, enum fsd_severity severity,
                       FILE *out)
{
    static const char *const nouns[FSD__SEVERITY_COUNT] = {"note", "warning", "error"};
    const char *before = " (";

    fsd_put_noun(out, all->by_severity[severity], nouns[severity]);
    for (uint32_t i = 0; i < all->list.n;) {
        uint32_t rule = all->list.at[i].rule, n = 0;

        for (; i < all->list.n && all->list.at[i].rule == rule; i++)
            n += all->list.at[i].severity == severity;
        if (n)
            fprintf(out, "%s%s %u", before, all->rules.at[rule].rule->id, n);
        before = n ? ", " : before;
    }
    putc(')', out);
}

void fsd_verdict_put_line(const struct fsd_verdict *v, const struct fsd_style *style,
                          FILE *out)
{
    const struct fsd_findings *all = v->findings;
    const char *before = ": ";

    (void)style;
    fprintf(out, "%s%s%s", v->title, v->verdict ? " " : "",
            v->verdict ? v->verdict : "");
    for (unsigned s = FSD__SEVERITY_COUNT; s-- > 0;) {
        if (!all->by_severity[s])
            continue;
        fputs(before, out);
        put_counts(all, (enum fsd_severity)s, out);
        before = ", ";
    }
    if (all->ignored)
        fprintf(out, "%s%u ignored", before, all->ignored);
    for (uint32_t i = 0; i < all->rules.n; i++)
        if (all->rules.at[i].skipped)
            fprintf(out, "; %s not measured", all->rules.at[i].rule->id);
    putc('\n', out);
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
