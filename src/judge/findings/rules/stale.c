/* The rule on an engine that was not built from the model given with it. Only the dump
 * can show this: if the dump is the same as before, but the model is different, the
 * engine was built from the earlier model. */
#include "judge/findings/finder.h"

enum { CHANGES_NAMED = 3 };

static bool is_same(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Whether the engine depends on the node. Constants and folded nodes are left out,
 * because a dump shows little of them. */
static bool is_built(const struct fsd_state_node *n)
{
    return fsd_role_computes(n->role) || n->role == FSD_ROLE_QUANTIZER;
}

/* Whether a producer in the old model corresponds to a producer in the new model. */
static bool is_source(const struct fsd_compare *c, struct fsd_producer old,
                      struct fsd_producer new)
{
    struct fsd_origin at = fsd_align_new_origin(c->align, old.at);

    if (fsd_is_origin(at) != fsd_is_origin(old.at)) /* the new model lacks the
                                                       producer */
        return false;
    return fsd_same_origin(at, new.at) && (!fsd_is_origin(at) || old.out == new.out);
}

/* The property of a node that changed; NULL if no property changed. */
static const char *what_changed(const struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const struct fsd_state *s = c->old, *t = c->new;
    const struct fsd_state_node *p = &s->nodes.at[old], *q = &t->nodes.at[new];

    if (strcmp(fsd_text(s->names, p->op), fsd_text(t->names, q->op)) != 0)
        return "is a different operator";
    if (!fsd_traits_agree(c, p, q))
        return "has different attributes or weight shapes";
    if (p->core_in.n != q->core_in.n)
        return "reads more or fewer tensors";
    for (uint32_t i = 0; i < p->core_in.n; i++)
        if (!is_source(c, s->sources.at[p->core_in.at + i],
                       t->sources.at[q->core_in.at + i]))
            return "reads different tensors";
    return NULL;
}

/* The view in the new model that has the name and operator of the old view; FSD_NONE:
 * none. Used if the comparison found no counterpart of the old view. Exporters write
 * different views for the same model. */
static fsd_id view_called(const struct fsd_compare *c, fsd_id old)
{
    const struct fsd_state *s = c->old, *t = c->new;
    const char *key = fsd_text(s->names, s->nodes.at[old].key);
    fsd_sym sym = fsd_intern_find(t->names, key, strlen(key));

    for (fsd_id i = 0; sym != FSD_NONE && s->nodes.at[old].named && i < t->nodes.n; i++)
        if (t->nodes.at[i].key == sym && t->nodes.at[i].role == FSD_ROLE_VIEW &&
            !strcmp(fsd_text(s->names, s->nodes.at[old].op),
                    fsd_text(t->names, t->nodes.at[i].op)))
            return i;
    return FSD_NONE;
}

/* Adds the n-th change to the finding. All changes are one finding, because they have
 * one cause. */
static void add_stale(struct fsd_finder *f, uint32_t n, fsd_id old, fsd_id new,
                      const char *what)
{
    struct fsd_shown shown = fsd_compare_shown(f->c, old, new);
    const struct fsd_state_node *node = &shown.s->nodes.at[shown.at];

    if (!n) {
        fsd_finding_open(f);
        fputs("the engine is byte-identical to the engine of the snapshot, but ",
              f->out);
        f->now.line = fsd_state_line(f->c->old, old);
    }
    fsd_about_state_node(f, shown.s, shown.at);
    if (n < CHANGES_NAMED)
        fprintf(f->out, "%s`%s` (%s) %s", n ? ", " : "",
                fsd_text(shown.s->names, node->key), fsd_text(shown.s->names, node->op),
                what);
}

/* Counts the changes of nodes that the engine depends on. With `report`, also adds each
 * change to one finding. */
static uint32_t changes(struct fsd_finder *f, bool report)
{
    const struct fsd_compare *c = f->c;
    uint32_t n = 0;

    for (fsd_id node = 0; node < c->new->nodes.n; node++) {
        fsd_id old = c->align->to_old[node];
        const char *what = old == FSD_NONE ? "is new" : what_changed(c, old, node);

        if (!what || !is_built(&c->new->nodes.at[node]))
            continue;
        if (report)
            add_stale(f, n, old, node, what);
        n++;
    }
    for (fsd_id old = 0; old < c->old->nodes.n; old++) {
        fsd_id new = c->align->to_new[old];

        if (c->old->nodes.at[old].role != FSD_ROLE_VIEW)
            continue;
        new = fsd_id_or(new, view_called(c, old));
        if (new == FSD_NONE ||
            fsd_traits_agree(c, &c->old->nodes.at[old], &c->new->nodes.at[new]))
            continue;
        if (report)
            add_stale(f, n, old, new, "has different attributes");
        n++;
    }
    for (fsd_id old = 0; old < c->old->nodes.n; old++)
        if (!fsd_align_has(c->align, old) && is_built(&c->old->nodes.at[old])) {
            if (report)
                add_stale(f, n, old, FSD_NONE, "is gone");
            n++;
        }
    return n;
}

/* Reports a model that changed although the engine did not. If f->rule->which is 0,
 * reports changed nodes. If it is 1, reports a changed file without changed nodes. */
void fsd_find_stale(struct fsd_finder *f)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;

    if (!is_same(old->engine_hash, new->engine_hash) ||
        is_same(old->model_hash, new->model_hash))
        return;
    if (!f->rule->which) {
        uint32_t n = changes(f, true);

        if (!n)
            return;
        if (n > CHANGES_NAMED)
            fprintf(f->out, " and %u more node changes", n - CHANGES_NAMED);
        f->count = n;
        fsd_finding_close(f);
    } else if (!changes(f, false)) {
        fsd_finding_open(f);
        fputs("the model file differs from the model of the snapshot, but the engine "
              "is byte-identical: the changes may be in weights, scales or the model's "
              "producer, because a dump shows none of these",
              f->out);
        fsd_finding_close(f);
    }
}
