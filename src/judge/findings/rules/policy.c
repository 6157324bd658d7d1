/* The rule about the policy itself: it reports parts that have no effect. */
#include "judge/findings/finder.h"
#include "model/graph/word.h"

/* Opens a finding at a line of the policy that the user must change. */
static void open_at(struct fsd_finder *f, uint32_t line)
{
    fsd_finding_open(f);
    f->now.file = f->policy->path;
    f->now.line = line;
}

static bool names_any(const struct fsd_state *s, const char *word, bool operators)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (operators ? !strcmp(fsd_text(s->names, s->nodes.at[i].op), word)
                      : fsd_word_fits(word, fsd_text(s->names, s->nodes.at[i].key)))
            return true;
    return false;
}

/* Reports words of the policy that match nothing. A rule with a misspelt operator, for
 * example, would never find anything. */
static void judge_words(struct fsd_finder *f, const fsd_policy_words *words,
                        bool operators)
{
    FSD_EACH (const struct fsd_policy_word, word, *words) {
        if (!word->line || names_any(f->build, word->text, operators) ||
            (f->c && names_any(f->c->old, word->text, operators)))
            continue;
        open_at(f, word->line);
        fprintf(f->out, "int8-required: the model has no %s '%s'",
                operators ? "operator" : "node", word->text);
        fsd_finding_close(f);
    }
}

/* Reports a policy that has no effect as a gate, because it requires nothing or allows
 * everything. */
static void judge_whole(struct fsd_finder *f)
{
    const struct fsd_policy *p = f->policy;
    const struct fsd_findings *found = f->found;
    uint32_t asked = p->ignores.n, on = 0;
    bool loud = false, blanket = false;

    for (uint32_t i = 0; i < found->rules.n; i++)
        on += found->rules.at[i].level == FSD_ERROR;
    /* Only ignores of all nodes ("*") count. An ignore that names nodes is
     * deliberate. */
    for (uint32_t i = 0; i < p->ignores.n; i++)
        blanket |= f->took[i] && !strcmp(p->ignores.at[i].node, "*");
    for (uint32_t i = 0; fsd_rule_at(i); i++)
        asked += p->rules[i].asked;
    if (*p->path && !asked) {
        open_at(f, 1);
        fputs("the policy is empty: every rule has its default level", f->out);
        fsd_finding_close(f);
    }
    for (uint32_t i = 0; i < found->list.n; i++)
        loud |= found->list.at[i].severity != FSD_INFO;
    if (!on || (blanket && !loud)) {
        open_at(f, 1);
        fputs(on ? "the policy ignores all findings"
                 : "the policy has no rule of level error: the check always passes",
              f->out);
        fsd_finding_close(f);
    }
}

/* Reports sections of the policy that require nothing. */
static void judge_promises(struct fsd_finder *f)
{
    FSD_EACH (const struct fsd_promise, p, f->policy->promises) {
        const struct fsd_rule *rule = fsd_rule_at(p->rule);
        bool blocks = rule->settable & FSD_SETS_BLOCKS;

        if (blocks ? p->least > 0 || p->fused != FSD_OFF || p->types
                   : !(rule->settable & FSD_SETS_TYPES) || p->share > 0)
            continue;
        open_at(f, p->line);
        fprintf(f->out, "[%s] requires nothing: this section sets %s", rule->id,
                blocks ? "min = 0 and fused = any, but no type" : "a share of 0");
        fsd_finding_close(f);
    }
}

/* Whether the rule was evaluated. One policy serves check and lint, so an ignore may
 * name a rule of the other command. Such an ignore is not reported. */
static bool was_asked(const struct fsd_findings *found, const char *rule)
{
    for (uint32_t i = 0; i < found->rules.n; i++)
        if (!strcmp(found->rules.at[i].rule->id, rule))
            return true;
    return false;
}

void fsd_find_stale_policy(struct fsd_finder *f)
{
    judge_whole(f);
    judge_promises(f);
    judge_words(f, &f->policy->operators, true);
    judge_words(f, &f->policy->except, false);
    for (uint32_t i = 0; i < f->policy->ignores.n; i++) {
        const struct fsd_policy_ignore *ignore = &f->policy->ignores.at[i];
        unsigned day = ignore->expires;
        bool expired = day && f->today > day;

        if ((f->used[i] && !expired) || !was_asked(f->found, ignore->rule))
            continue;
        open_at(f, ignore->line);
        fprintf(f->out, "the ignore entry '%s' for %s (%s%s%s) ", ignore->label,
                ignore->rule, ignore->reason, ignore->owner ? "; " : "",
                ignore->owner ? ignore->owner : "");
        if (expired)
            fprintf(f->out, "expired on %04u-%02u-%02u", day / 10000, day / 100 % 100,
                    day % 100);
        else
            fputs("matches nothing", f->out);
        fsd_finding_close(f);
    }
}
