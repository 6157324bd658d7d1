/* Prints lint as text: the builder for which the model is checked, then the findings.
 * Similar findings of a rule are combined. */
#include "base/base.h"
#include "judge/lint/lint.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"
#include "report/subject/subject.h"
#include "report/text/text.h"

enum { GROUPS = 12, PLACES = 5 };

static const char head_text[] =
    "{*}model    {/}{model}\n<{*}engine   {/}{engine}\n>"
    "{*}for      {/}{builder} (select another builder with --for)\n"
    "{*}style    {/}{style}\n\n";

static void put_head(const struct fsd_report *r, FILE *out)
{
    struct fsd_sheet sheet = {.arena = fsd_arena_new(), .style = r->style};

    fsd_document_of_lint(&sheet, r->run, r->lint, r->verdict);
    fsd_record_put_text(sheet.root->of, sheet.root->at.at[0], head_text, r->style, out);
    fsd_arena_free(sheet.arena);
}

/* Findings of one rule that differ only in their subjects. The first is printed in
 * full; of the others, only the subjects are printed. */
struct group {
    const struct fsd_finding *head;
    uint32_t n;
    const struct fsd_finding *places[PLACES]; /* the other findings */
};

static bool is_alike(const struct fsd_findings *all, const struct fsd_finding *a,
                     const struct fsd_finding *b)
{
    for (uint32_t i = 0; i < a->facts.n && i < b->facts.n; i++) {
        const char *x = all->facts.at[a->facts.at + i].text;
        const char *y = all->facts.at[b->facts.at + i].text;

        if (!x != !y || (x && strcmp(x, y) != 0))
            return false;
    }
    return a->facts.n == b->facts.n;
}

/* Prints the place of finding `f`, which is usually its first node. If `f` has no node,
 * or the same first node as `head`, prints the first layer of `f` instead, if there is
 * one. If `f` has neither a node nor a layer, prints "the model". */
static void put_place(const struct fsd_findings *all, const struct fsd_finding *head,
                      const struct fsd_finding *f, FILE *out)
{
    const struct fsd_about *about = all->subjects.at;
    bool same = f->nodes.n && head->nodes.n &&
                about[f->nodes.at].id == about[head->nodes.at].id;

    if (f->layers.n && (same || !f->nodes.n))
        fprintf(out, "layer %u", about[f->layers.at].id);
    else if (f->nodes.n)
        fsd_put_safe(out, about[f->nodes.at].name);
    else
        fputs("the model", out);
}

static void put_group(const struct fsd_report *r, const struct group *group, FILE *out)
{
    uint32_t more = group->n - 1;

    fsd_text_finding(r->verdict->findings, group->head, r->style, out);
    if (!more)
        return;
    fprintf(out, "        and %u more: ", more);
    for (uint32_t i = 0; i < more && i < PLACES; i++) {
        fputs(i ? ", " : "", out);
        put_place(r->verdict->findings, group->head, group->places[i], out);
    }
    if (more > PLACES)
        fprintf(out, " and %u more", more - PLACES);
    putc('\n', out);
}

/* Prints the findings of a rule.
 * @return the number of findings that are not printed in full */
static uint32_t put_lint_rule(const struct fsd_report *r, uint32_t rule, FILE *out)
{
    const struct fsd_findings *all = r->verdict->findings;
    const struct fsd_outcome *o = &all->rules.at[rule];
    struct group groups[GROUPS];
    uint32_t n = 0, unlike = 0, seen = 0;

    for (uint32_t i = 0; i < all->list.n && o->found; i++) {
        const struct fsd_finding *f = &all->list.at[i];
        uint32_t k = 0;

        if (f->rule != rule)
            continue;
        if (r->style->all) {
            fsd_text_finding(all, f, r->style, out);
            continue;
        }
        seen++;
        while (k < n && !is_alike(all, groups[k].head, f))
            k++;
        if (k == GROUPS) {
            unlike++;
        } else if (k == n) {
            groups[n++] = (struct group){.head = f, .n = 1};
        } else {
            if (groups[k].n <= PLACES)
                groups[k].places[groups[k].n - 1] = f;
            groups[k].n++;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        put_group(r, &groups[k], out);
    if (unlike)
        fprintf(out, "        %s  and %u more\n", o->rule->id, unlike);
    if (o->found && o->rule->fix)
        fprintf(out, "        %s\n", o->rule->fix);
    return seen - n;
}

static void put_lint_verdict(const struct fsd_report *r, FILE *out)
{
    const struct fsd_findings *all = r->verdict->findings;

    fsd_ink(r->style, r->verdict->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fprintf(out, "lint %s: ", r->verdict->verdict);
    fsd_ink(r->style, FSD_INK_PLAIN, out);
    fsd_put_severities(all->by_severity, out);
    fprintf(out, ", %u ignored\n", all->ignored);
}

void fsd_lint_write_text(const struct fsd_report *r, FILE *out)
{
    const struct fsd_findings *all = r->verdict->findings;
    uint32_t hidden = 0;

    put_lint_verdict(r, out);
    put_head(r, out);
    for (int severity = FSD__SEVERITY_COUNT - 1; severity >= 0; severity--)
        for (uint32_t i = 0; i < all->rules.n; i++)
            if (all->rules.at[i].level == severity)
                hidden += put_lint_rule(r, i, out);
    if (hidden)
        fputs("(--all lists each finding)\n", out);
}
