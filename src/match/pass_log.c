/*
 * Links from the log: the nodes that the builder's steps fused into a layer, found by
 * the layer's own name or by names in it; or those that the log lists for the layer.
 */
#include "match/pass.h"

static void link_name(struct fsd_match *m, fsd_id layer, fsd_sym name)
{
    struct fsd_span nodes = {0};

    if (name)
        nodes = fsd_story_nodes(m->story, name);
    for (uint32_t i = 0; i < nodes.n; i++)
        fsd_match_link(m, layer, m->story->pool.at[nodes.at + i], FSD_BY_LOG);
}

void fsd_pass_log(struct fsd_match *m)
{
    if (!m->story || m->story->h->no_steps) {
        fsd_link_mentions(m, FSD_BY_LOG);
        return;
    }
    for (fsd_id i = 0; i < m->engine->layers.n; i++) {
        const struct fsd_layer *l = &m->engine->layers.at[i];

        if (l->form == FSD_NAME_SERVES || l->form == FSD_NAME_COPIES)
            continue;
        link_name(m, i, l->base_name);
        for (uint32_t k = 0; k < l->mentions.n; k++) {
            const struct fsd_mention *mention =
                &m->engine->mentions.at[l->mentions.at + k];

            if ((mention->role == FSD_MENTION_COMPUTES ||
                 mention->role == FSD_MENTION_FIRST ||
                 mention->role == FSD_MENTION_LAST) &&
                (mention->by & (FSD_BY_NAME | FSD_BY_LOG)))
                link_name(m, i, fsd_story_name(m->story, mention));
        }
    }
}
