/*
 * Finds layers that only the old build has although the new build needs them, too. Such
 * a layer changed the type or layout of a tensor, and the layers before and after it
 * did not change.
 *
 *     old   Conv_1  writes nhwc    Reformat nhwc -> chw    Norm_2  reads chw
 *     new   Conv_1  writes nhwc                            Norm_2  reads chw
 *
 * Without the Reformat, Conv_1 must write chw or Norm_2 must read nhwc. If neither
 * does, the new dump contradicts itself or lacks a layer.
 */
#include "change/compare/parts.h"

static bool is_region_as_before(const struct fsd_compare *c, fsd_id region)
{
    const struct fsd_region_diff *r = fsd_compare_region(c, region);

    return !r || (r->happened == FSD_HAPPENED_SAME && r->width == FSD_WIDTH_SAME &&
                  !r->layout && !r->kernels && !r->rerouted);
}

/* Whether the layers at the ends of a move are the same in the new build. An input or
 * output of the network counts as the same if no binding changed. */
static bool are_as_before(const struct fsd_compare *c, struct fsd_ends old)
{
    bool same = true;

    for (uint32_t i = 0; i < old.n && same; i++) {
        fsd_id node = fsd_end_node(old, i);

        if (node == FSD_NONE)
            same = !c->bindings.n;
        else
            same = is_region_as_before(c, fsd_compare_region_of_node(c, false, node));
    }
    return same;
}

/* Whether a layer that reads form `in` and writes form `out` changes the type or the
 * layout. Both forms are of the old state. */
static bool rewrites(struct fsd_state_form in, struct fsd_state_form out)
{
    return fsd_types_differ(in.type, out.type) ||
           (in.layout && out.layout && in.layout != out.layout);
}

/* Whether a kernel slices or joins. Then its output has a different number of values
 * than its input, so consumers cannot read the input instead. */
static bool resizes(const struct fsd_state *s, struct fsd_span kernels)
{
    bool any = false;

    FSD_EACH_IN (const struct fsd_kernel, k, s->kernels, kernels) {
        uint64_t in, out;

        if (!k->in.n || k->out.n != 1)
            continue;
        in = fsd_state_count(s, s->tensors.at[k->in.at].sizes);
        out = fsd_state_count(s, s->tensors.at[k->out.at].sizes);
        any |= in && out && in != out;
    }
    return any;
}

static bool is_missed_move(const struct fsd_compare *c, fsd_id move)
{
    const struct fsd_move *m = &c->old->moves.at[move];

    return m->from.n && m->to.n &&
           (rewrites(m->before, m->after) || resizes(c->old, m->kernels)) &&
           is_region_as_before(c, fsd_compare_region_of_move(c, false, move)) &&
           are_as_before(c, fsd_ends_of_origins(c->old, m->from)) &&
           are_as_before(c, fsd_ends_of_destinations(c->old, m->to));
}

/* Indexed by old node: whether a layer that reads the node's output has changed. */
static bool *read_otherwise(const struct fsd_compare *c, struct fsd_arena *scratch)
{
    bool *otherwise = FSD_NEW(scratch, bool, c->old->nodes.n);

    for (fsd_id g = 0; g < c->old->groups.n; g++) {
        struct fsd_span in = c->old->groups.at[g].in;

        for (uint32_t i = 0; i < in.n && !is_region_as_before(c, c->old_region[g]);
             i++) {
            fsd_id at = fsd_origin_node(c->old->borders.at[in.at + i].at);

            fsd_set_at(otherwise, at);
        }
    }
    return otherwise;
}

static bool is_missed_kernel(const struct fsd_compare *c, const bool *otherwise,
                             const struct fsd_kernel_change *change)
{
    const struct fsd_kernel *k = &c->old->kernels.at[change->old];
    const struct fsd_group *g;
    bool same = true;

    if ((change->old_of & FSD_LAYER_MOVES) || k->in.n != 1 || k->out.n != 1 ||
        !rewrites(c->old->tensors.at[k->in.at].form,
                  c->old->tensors.at[k->out.at].form))
        return false;
    g = &c->old->groups.at[change->old_of];
    FSD_EACH_ID (node, c->old->refs, g->nodes)
        same &= !otherwise[node];
    for (uint32_t i = 0; i < g->in.n; i++) {
        fsd_id at = fsd_origin_node(c->old->borders.at[g->in.at + i].at);

        same &= is_region_as_before(c, fsd_compare_region_of_node(c, false, at));
    }
    return same;
}

void fsd_compare_missed(struct fsd_compare *c, struct fsd_arena *scratch)
{
    bool *otherwise;

    if (!fsd_compare_has_kernels(c))
        return;
    for (uint32_t i = 0; i < c->moves.n; i++)
        if (c->moves.at[i].what != FSD_MOVE_REMOVED &&
            c->moves.at[i].region != FSD_NONE)
            c->regions.at[c->moves.at[i].region].rerouted = true;
    otherwise = read_otherwise(c, scratch);
    for (uint32_t i = 0; i < c->moves.n; i++)
        if (c->moves.at[i].what == FSD_MOVE_REMOVED)
            c->moves.at[i].missed = is_missed_move(c, c->moves.at[i].old);
    for (uint32_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.at[i].what == FSD_KERNEL_REMOVED)
            c->kernels.at[i].missed = is_missed_kernel(c, otherwise, &c->kernels.at[i]);
}
