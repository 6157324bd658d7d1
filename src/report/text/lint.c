/* Lint as text: for whom, in what style, then the findings, of one rule the first few.
 */
#include "base/text.h"
#include "lint/lint.h"
#include "report/report.h"
#include "report/text/text.h"

#include <string.h>

enum { FIRST = 12 };

static void put_line(const struct fsd_style *style, const char *title, const char *text,
                     FILE *out)
{
    fsd_ink(style, FSD_INK_TITLE, out);
    fprintf(out, "%-9s", title);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fsd_put_safe(out, text);
}

static void put_head(const struct fsd_report *r, FILE *out)
{
    const struct fsd_lint *l = r->lint;

    put_line(r->style, "model", r->run->model->path, out);
    putc('\n', out);
    if (r->run->engine->nodes.n) {
        put_line(r->style, "engine", r->run->engine->path, out);
        putc('\n', out);
    }
    put_line(r->style, "for", l->target.name, out);
    fputs(" (--for names another builder)\n", out);
    put_line(r->style, "style",
             l->style.name     ? l->style.name
             : l->quantizers.n ? "of no exporter that is known"
                               : "nothing is quantized",
             out);
    if (l->style.name) {
        fputs(" (by ", out);
        fsd_put_safe(out, l->style.sign);
        fputs(")", out);
    }
    if (l->style.quantizers) {
        fputs(", ", out);
        fsd_put_noun(out, l->style.quantizers, "quantizer");
        fprintf(out,
                " of data, %u before operators that run narrow, %u behind operators",
                l->style.before, l->style.after);
    }
    fputs("\n\n", out);
}

static void put_rule(const struct fsd_report *r, uint32_t rule, FILE *out)
{
    const struct fsd_findings *all = r->verdict->findings;
    const struct fsd_outcome *o = &all->rules.at[rule];
    uint32_t shown = 0;

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_finding *f = &all->list.at[i];

        if (f->rule != rule)
            continue;
        if (shown < FIRST || r->style->all)
            fsd_text_finding(all, f, r->style, out);
        shown++;
    }
    if (shown > FIRST && !r->style->all)
        fprintf(out, "        %s  and %u more (--all shows them)\n", o->rule->id,
                shown - FIRST);
    if (shown && o->rule->fix)
        fprintf(out, "        %s\n", o->rule->fix);
}

void fsd_lint_write_text(const struct fsd_report *r, FILE *out)
{
    const struct fsd_findings *all = r->verdict->findings;

    put_head(r, out);
    for (int severity = FSD__SEVERITY_COUNT - 1; severity >= 0; severity--)
        for (uint32_t i = 0; i < all->rules.n; i++)
            if (all->rules.at[i].level == severity)
                put_rule(r, i, out);
    fsd_ink(r->style, r->verdict->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fprintf(out, "lint %s: ", r->verdict->verdict);
    fsd_ink(r->style, FSD_INK_PLAIN, out);
    fsd_put_severities(all->by_severity, out);
    fprintf(out, ", %u ignored\n", all->ignored);
}
