/* Makes the default policy, from the level and budgets in each rule's row. */
#include "judge/findings/findings.h"

#include "base/base.h"

struct fsd_policy *fsd_policy_new(void)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_policy *p = FSD_NEW(arena, struct fsd_policy, 1);
    uint32_t n = 0;

    while (fsd_rule_at(n))
        n++;
    p->arena = arena;
    p->path = "";
    p->rules = FSD_NEW(arena, struct fsd_policy_rule, n);
    for (uint32_t i = 0; i < n; i++)
        p->rules[i] = (struct fsd_policy_rule){fsd_rule_at(i)->level,
                                               fsd_rule_at(i)->budget, false, false};
    p->noise = 0.02;
    p->noise_cap = 0.1;
    return p;
}

void fsd_policy_free(struct fsd_policy *policy)
{
    if (policy)
        fsd_arena_free(policy->arena);
}
