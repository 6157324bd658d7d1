/* Collects the facts that the search for breaks by Ifs needs (outlook.h). */
#include "edit/mark/outlook.h"

#include "base/base.h"
#include "model/graph/graph.h"

static bool is_dry(const struct fsd_graph *g, const bool *dry, fsd_id tensor)
{
    fsd_id from = fsd_tensor_producer(g, tensor);

    return tensor == FSD_NONE ||
           (from != FSD_NONE ? dry[from]
                             : g->tensors.at[tensor].flags & FSD_TENSOR_CONSTANT);
}

static void find_dry(const struct fsd_marks *m, struct fsd_outlook *look)
{
    const struct fsd_graph *g = m->d->model;

    look->dry = FSD_NEW(m->arena, bool, g->nodes.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        look->dry[i] = true;
        FSD_EACH_OF (tensor, g->ports, g->nodes.at[i].in, tensor)
            look->dry[i] &= is_dry(g, look->dry, tensor);
        if (look->dry[i] && fsd_marks_owner(m, i) != FSD_NONE)
            look->floor = i + 1;
    }
}

static void find_last(const struct fsd_marks *m, struct fsd_outlook *look)
{
    const struct fsd_graph *g = m->d->model;

    look->sorted = true;
    look->last = fsd_ids_new(m->arena, g->tensors.n);
    for (fsd_id t = 0; t < g->tensors.n; t++) {
        struct fsd_span readers = g->tensors.at[t].consumers;
        fsd_id from = fsd_tensor_producer(g, t);

        look->sorted &= g->tensors.at[t].producers.n < 2;
        FSD_EACH_ID (reader, g->links, readers) {
            look->sorted &= from == FSD_NONE || reader > from;
            if (look->last[t] == FSD_NONE || reader > look->last[t])
                look->last[t] = reader;
        }
    }
}

static void count_live(const struct fsd_marks *m, struct fsd_outlook *look)
{
    const struct fsd_graph *g = m->d->model;

    look->live = FSD_NEW(m->arena, uint32_t, g->nodes.n + 2);
    for (fsd_id t = 0; t < g->tensors.n; t++) {
        fsd_id from = fsd_tensor_producer(g, t);

        if (look->last[t] == FSD_NONE || is_dry(g, look->dry, t))
            continue;
        look->live[from == FSD_NONE ? 0 : from + 1]++;
        look->live[look->last[t] + 1]--;
    }
    for (fsd_id i = 1; i < g->nodes.n + 2; i++)
        look->live[i] += look->live[i - 1];
}

FSD_ORDERED(by_low, struct fsd_range, fsd_order(x->low, y->low),
            fsd_order(x->id, y->id))
FSD_ORDERED(by_high, struct fsd_range, fsd_order(x->high, y->high),
            fsd_order(x->id, y->id))

static void sort_ranges(struct fsd_arena *arena, struct fsd_ranges *ranges,
                        uint32_t nodes)
{
    uint32_t n = ranges->all.n, at = 0;
    fsd_id most = 0;

    fsd_vec_sort(&ranges->all, by_high);
    ranges->first_end = FSD_NEW(arena, uint32_t, nodes + 1);
    for (fsd_id node = 0; node <= nodes; node++) {
        while (at < n && ranges->all.at[at].high < node)
            at++;
        ranges->first_end[node] = at;
    }
    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(arena, &ranges->ends, ranges->all.at[i].id);

    fsd_vec_sort(&ranges->all, by_low);
    ranges->most = FSD_NEW(arena, fsd_id, n);
    for (uint32_t i = 0; i < n; i++) {
        most = ranges->all.at[i].high > most ? ranges->all.at[i].high : most;
        ranges->most[i] = most;
    }
}

static void find_groups(const struct fsd_marks *m, struct fsd_ranges *ranges)
{
    for (fsd_id i = 0; i < m->state->groups.n; i++) {
        struct fsd_range range = {i, FSD_NONE, 0};

        for (uint32_t k = 0; k < m->state->groups.at[i].nodes.n; k++) {
            fsd_id node = fsd_marks_node(m, i, k);

            range.low = node < range.low ? node : range.low;
            range.high = node > range.high ? node : range.high;
        }
        fsd_vec_push(m->arena, &ranges->all, range);
    }
    sort_ranges(m->arena, ranges, m->d->model->nodes.n);
}

static void find_adds(const struct fsd_marks *m, const fsd_id *last,
                      struct fsd_ranges *ranges)
{
    const struct fsd_graph *g = m->d->model;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_id sum =
            fsd_node_is(g, i, FSD_ONNX_Add) ? fsd_node_out_tensor(g, i, 0) : FSD_NONE;
        fsd_id reader = fsd_id_at(last, sum);

        /* In a model that is not sorted, a consumer can precede the node. */
        if (sum != FSD_NONE && m->group_of[i] != FSD_NONE)
            fsd_vec_push(m->arena, &ranges->all,
                         (struct fsd_range){
                             i, i, reader == FSD_NONE || reader < i ? i : reader});
    }
    sort_ranges(m->arena, ranges, g->nodes.n);
}

struct fsd_outlook *fsd_outlook_new(const struct fsd_marks *m)
{
    const struct fsd_graph *g = m->d->model;
    struct fsd_outlook *look = FSD_NEW(m->arena, struct fsd_outlook, 1);

    find_dry(m, look);
    find_last(m, look);
    count_live(m, look);
    if (!look->sorted)
        look->floor = g->nodes.n + 1;
    find_groups(m, &look->groups);
    find_adds(m, look->last, &look->adds);
    look->masks =
        (struct fsd_masks){.passed = FSD_NEW(m->arena, uint64_t, g->tensors.n),
                           .behind = FSD_NEW(m->arena, uint64_t, g->nodes.n),
                           .sums = FSD_NEW(m->arena, uint64_t, g->tensors.n),
                           .covered = FSD_NEW(m->arena, bool, g->tensors.n)};
    return look;
}

fsd_id_vec fsd_ranges_across(const struct fsd_ranges *ranges, fsd_id node,
                             struct fsd_arena *scratch)
{
    fsd_id_vec found = {0};
    uint32_t low = 0, high = ranges->all.n;

    while (low < high) { /* all ranges with an index below `low` end before `node` */
        uint32_t mid = low + (high - low) / 2;

        if (ranges->most[mid] < node)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < ranges->all.n && ranges->all.at[low].low < node; low++)
        if (ranges->all.at[low].high >= node)
            fsd_vec_push(scratch, &found, ranges->all.at[low].id);
    return found;
}
