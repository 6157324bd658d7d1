/* The policy's own rule: what it says in vain. */
#include "findings/finder.h"

#include <string.h>

static void open_at(struct fsd_finder *f, uint32_t line)
{
    fsd_finding_open(f);
    f->now.file = f->policy->path;
    f->now.line = line;
}

static void judge_ignore(struct fsd_finder *f, uint32_t number)
{
    const struct fsd_policy_ignore *ignore = &f->policy->ignores.at[number];
    bool expired = ignore->expires && f->today > ignore->expires;

    if (f->used[number] && !expired)
        return;
    open_at(f, ignore->line);
    fprintf(f->out, "the ignore '%s' of %s (%s) ", ignore->label, ignore->rule,
            ignore->reason);
    if (expired)
        fprintf(f->out, "expired on %04u-%02u-%02u", ignore->expires / 10000,
                ignore->expires / 100 % 100, ignore->expires % 100);
    else
        fputs("ignores nothing", f->out);
    fsd_finding_close(f);
}

static bool is_operator(const struct fsd_state *s, const char *word)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (!strcmp(fsd_text(s->names, s->nodes.at[i].op), word))
            return true;
    return false;
}

static bool names_node(const struct fsd_state *s, const char *glob)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (fsd_policy_matches(glob, fsd_text(s->names, s->nodes.at[i].key)))
            return true;
    return false;
}

/* A misspelt operator would be a rule that never fires. */
static void judge_word(struct fsd_finder *f, const struct fsd_policy_word *word,
                       bool (*matches)(const struct fsd_state *, const char *),
                       const char *what)
{
    if (!word->line || matches(f->c->new, word->text) || matches(f->c->old, word->text))
        return;
    open_at(f, word->line);
    fprintf(f->out, "int8-required: '%s' is the name of no %s of the model", word->text,
            what);
    fsd_finding_close(f);
}

void fsd_find_stale_policy(struct fsd_finder *f)
{
    const struct fsd_policy *p = f->policy;

    for (uint32_t i = 0; i < p->operators.n; i++)
        judge_word(f, &p->operators.at[i], is_operator, "operator");
    for (uint32_t i = 0; i < p->except.n; i++)
        judge_word(f, &p->except.at[i], names_node, "node");
    for (uint32_t i = 0; i < p->ignores.n; i++)
        judge_ignore(f, i);
}
