/* What a build log warns of, and logs that do not belong to the engine. */
#include "findings/rule_list.h"

#include <string.h>

void fsd_find_other_build(const struct fsd_diff *d, struct fsd_findings *out,
                          const struct fsd_rule *rule)
{
    const struct fsd_history *h = d->history;

    if (!h || !h->foreign)
        return;
    fsd_finding_new(out, rule);
    fsd_finding_number(out, "differ", h->foreign);
    fsd_finding_text(out, "first", h->foreign_name);
}

void fsd_phrase_other_build(const struct fsd_diff *d, const struct fsd_finding *f,
                            FILE *out)
{
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;

    fprintf(out,
            "the log is of another build and not used as evidence: %u of its engine's "
            "layers are not in the dump or have another type there, such as %s",
            (unsigned)facts[0].number, fsd_text(d->names, facts[1].text));
}

void fsd_find_other_model(const struct fsd_diff *d, struct fsd_findings *out,
                          const struct fsd_rule *rule)
{
    const struct fsd_history *h = d->history;

    if (!h || !h->unlike)
        return;
    fsd_finding_new(out, rule);
    fsd_finding_number(out, "unlike", h->unlike);
    fsd_finding_number(out, "parsed", h->n_parsed);
    fsd_finding_text(out, "first", h->unlike_name);
}

void fsd_phrase_other_model(const struct fsd_diff *d, const struct fsd_finding *f,
                            FILE *out)
{
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;

    fprintf(
        out,
        "of %u nodes that the parser read, as the log says, %u are not in the model, "
        "such as %s%s",
        (unsigned)facts[1].number, (unsigned)facts[0].number,
        fsd_text(d->names, facts[2].text),
        d->history->refused ? "; the log is not used as evidence" : "");
}

void fsd_find_log_cut(const struct fsd_diff *d, struct fsd_findings *out,
                      const struct fsd_rule *rule)
{
    if (d->story && d->story->cut)
        fsd_finding_new(out, rule);
}

void fsd_phrase_log_cut(const struct fsd_diff *d, const struct fsd_finding *f,
                        FILE *out)
{
    (void)d;
    (void)f;
    fputs("the log puts more nodes together, or nests names deeper, than can be "
          "followed: some of its steps are left out",
          out);
}

/* ---------------------------------------------------------------------- warnings */

/* The rule "log/<topic>" reports the warnings of that topic (log/event.c). */
static bool is_of(const struct fsd_diff *d, const struct fsd_rule *rule,
                  const struct fsd_event *e)
{
    return e->kind == FSD_EVENT_WARNING && e->build == d->history->build &&
           !strcmp(fsd_text(d->names, e->a), rule->id + strlen("log/"));
}

/* One finding a rule: a hundred tensors without a scale have one cause. */
void fsd_find_log_warnings(const struct fsd_diff *d, struct fsd_findings *out,
                           const struct fsd_rule *rule)
{
    const struct fsd_history *h = d->history;
    uint32_t n = 0, first = 0;

    if (!h || h->refused)
        return;
    for (uint32_t i = 0; i < h->events.n; i++)
        if (is_of(d, rule, &h->events.at[i]) && !n++)
            first = i;
    if (!n)
        return;
    fsd_finding_new(out, rule);
    fsd_finding_number(out, "times", n);
    fsd_finding_number(out, "line", h->events.at[first].line);
    fsd_finding_text(out, "text", h->events.at[first].text);
}

void fsd_phrase_log_warning(const struct fsd_diff *d, const struct fsd_finding *f,
                            FILE *out)
{
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;

    size_t n = fsd_text_len(d->names, facts[2].text);

    n -= n && fsd_text(d->names, facts[2].text)[n - 1] == '.';
    fprintf(out, "%.*s", (int)n, fsd_text(d->names, facts[2].text));
    if (facts[0].number > 1)
        fprintf(out, " (and %u more of the kind)", (unsigned)facts[0].number - 1);
    fprintf(out, ", line %llu of the log", (unsigned long long)facts[1].number);
}
