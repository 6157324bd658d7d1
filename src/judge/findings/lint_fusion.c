/* Blocks that the builder will not make one kernel of, by the rules of its fusions
 * (judge/lint/fusion.c), which a report asks of an engine, too. */
#include "base/base.h"
#include "judge/lint/fusion.h"
#include "judge/findings/lint.h"

#include <string.h>

static void report(struct fsd_finder *f, const struct fsd_blocks *all,
                   const struct fsd_block *b, const fsd_block_reasons *why)
{
    fsd_finding_open(f);
    for (uint32_t i = 0; i < b->nodes.n; i++)
        fsd_about_node(f, all->pool.at[b->nodes.at + i]);
    fprintf(f->out, "the %s of `%s` will not be one kernel: %s",
            fsd_pattern_name((enum fsd_pattern)b->pattern), fsd_called(f, b->anchor),
            fsd_block_reasons_text(f->scratch, why));
    fsd_fact_text(f, "fusion", why->at[0].rule->id);
    if (why->at[0].edit)
        fsd_fact_text(f, "edit", why->at[0].edit);
    fsd_lint_close(f);
}

void fsd_lint_attention(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    const char *builder = fsd_families_text(f->scratch, l->target.family);
    const struct fsd_blocks *all = fsd_blocks_of_model(f->scratch, l->facts);

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_block *b = &all->list.at[i];
        fsd_block_reasons why = {0};

        if (b->pattern != FSD_PATTERN_ATTENTION)
            continue;
        fsd_block_reasons_of(f->found->arena, all, b, l->facts, l->sizes, builder,
                             &why);
        if (why.n)
            report(f, all, b, &why);
    }
}
