/* Finds what changed in nodes, in the edges between groups, and in the network's
 * ports. */
#include "change/compare/parts.h"

uint8_t fsd_width_of(uint8_t before, uint8_t after)
{
    int x = fsd_dtype_rank((enum fsd_dtype)before);
    int y = fsd_dtype_rank((enum fsd_dtype)after);

    if (before == after)
        return FSD_WIDTH_SAME;
    if (!before || !after || (!x && !y))
        return FSD_WIDTH_OTHER;
    if (!x || !y || x == y)
        return FSD_WIDTH_RETYPED;
    return x < y ? FSD_WIDTH_WIDENED : FSD_WIDTH_NARROWED;
}

static void add_lost(struct fsd_compare *c, struct fsd_fact_lost lost,
                     enum fsd_fact_kind kind, bool before, bool now)
{
    lost.kind = (uint8_t)kind;
    if (before && !now)
        fsd_vec_push(c->arena, &c->lost, lost);
}

void fsd_compare_lost(struct fsd_compare *c, struct fsd_fact_lost pair)
{
    add_lost(c, pair, FSD_FACT_TYPE, pair.before.type != FSD_DTYPE_UNKNOWN,
             pair.after.type != FSD_DTYPE_UNKNOWN);
    if (!c->across)
        add_lost(c, pair, FSD_FACT_LAYOUT, pair.before.layout, pair.after.layout);
}

/* ----------------------------------------------------------------------- nodes */

static void compare_precision(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const struct fsd_state_node *p = &c->old->nodes.at[old];
    const struct fsd_state_node *q = &c->new->nodes.at[new];
    struct fsd_region_diff *r;
    uint8_t width;

    if (p->group == FSD_NONE || q->group == FSD_NONE)
        return;
    fsd_compare_lost(c, (struct fsd_fact_lost){.of = FSD_OF_NODE,
                                               .old = old,
                                               .new = new,
                                               .before.type = p->precision,
                                               .after.type = q->precision});
    if (!fsd_types_differ(p->precision, q->precision))
        return;
    width = fsd_width_of(p->precision, q->precision);
    r = &c->regions.at[c->new_region[q->group]];
    if (width == FSD_WIDTH_NARROWED && r->type_lost)
        return; /* the precision is lower only because the new build states fewer
                   types */
    if (width > r->width)
        r->width = width;
    fsd_vec_push(c->arena, &c->precisions,
                 (struct fsd_node_change){.old = old,
                                          .new = new,
                                          .before = p->precision,
                                          .after = q->precision,
                                          .width = width});
}

/* Whether this part of the traits is an axis, a permutation or a list of axes: "a-1",
 * "perm0x2x1", "axes1". These parts are not compared as text. */
static bool is_attribute_part(const char *part, size_t n)
{
    return (n > 1 && *part == 'a' && strchr("-0123456789", part[1])) ||
           (n > 4 && (!memcmp(part, "perm", 4) || !memcmp(part, "axes", 4)));
}

/* The next part of the traits that is compared as text; NULL at the end. */
static const char *next_part(const char **at, size_t *n)
{
    while (**at) {
        const char *part = *at;

        *n = strcspn(part, ",");
        *at += *n + (part[*n] == ',');
        if (!is_attribute_part(part, *n))
            return part;
    }
    return NULL;
}

bool fsd_traits_agree(const struct fsd_compare *c, const struct fsd_state_node *old,
                      const struct fsd_state_node *new)
{
    const char *p = fsd_text(c->old->names, old->traits);
    const char *q = fsd_text(c->new->names, new->traits), *x, *y;
    size_t n, m;

    if (!c->old->whole || !c->new->whole)
        return !strcmp(p, q);
    do {
        x = next_part(&p, &n);
        y = next_part(&q, &m);
    } while (x && y && n == m && !memcmp(x, y, n));
    return !x && !y &&
           !strcmp(fsd_text(c->old->names, old->attrs),
                   fsd_text(c->new->names, new->attrs));
}

static void add_presence(struct fsd_compare *c, fsd_id old, fsd_id new,
                         enum fsd_presence what)
{
    fsd_vec_push(c->arena, &c->presences,
                 (struct fsd_node_presence){old, new, (uint8_t)what});
}

void fsd_compare_nodes(struct fsd_compare *c)
{
    enum fsd_presence only_new = fsd_state_elides(c->old) ? FSD_UNLISTED : FSD_ONLY_NEW;
    enum fsd_presence only_old = fsd_state_elides(c->new) ? FSD_UNLISTED : FSD_ONLY_OLD;

    for (fsd_id i = 0; i < c->new->nodes.n; i++) {
        fsd_id old = c->align->to_old[i];

        if (old != FSD_NONE) {
            uint8_t was = c->old->nodes.at[old].fate, is = c->new->nodes.at[i].fate;

            compare_precision(c, old, i);
            if (is == FSD_FATE_UNEXPLAINED && was != is)
                add_presence(c, old, i, FSD_LOST_TRACK);
            else if (was == FSD_FATE_UNEXPLAINED && was != is)
                add_presence(c, old, i, FSD_FOUND);
            else if (is == FSD_FATE_OUTSIDE && was != is &&
                     (was == FSD_FATE_LAYER ||
                      c->new->nodes.at[i].role == FSD_ROLE_CORE))
                add_presence(c, old, i, FSD_LEFT);
            else if (was == FSD_FATE_LAYER && is != FSD_FATE_LAYER)
                add_presence(c, old, i, FSD_ELIMINATED);
            else if (was != FSD_FATE_LAYER && is == FSD_FATE_LAYER)
                add_presence(c, old, i, FSD_KEPT);
        } else if (c->new->nodes.at[i].role != FSD_ROLE_SIDE) {
            add_presence(c, FSD_NONE, i, only_new);
        }
    }
    for (fsd_id i = 0; i < c->old->nodes.n; i++)
        if (!fsd_align_has(c->align, i) && c->old->nodes.at[i].role != FSD_ROLE_SIDE)
            add_presence(c, i, FSD_NONE, only_old);
}

/* ----------------------------------------------------------------------- edges */

static void add_edge(struct fsd_compare *c, struct fsd_edge_change e, bool type,
                     bool layout)
{
    if (!type && !layout)
        return;
    e.width =
        type ? fsd_width_of(e.before.type, e.after.type) : (uint8_t)FSD_WIDTH_SAME;
    c->regions.at[e.region].layout |= layout;
    fsd_vec_push(c->arena, &c->edges, e);
}

static void compare_edge(struct fsd_compare *c, const struct fsd_border *p,
                         const struct fsd_border *q, fsd_id region)
{
    fsd_compare_lost(c, (struct fsd_fact_lost){.of = FSD_OF_EDGE,
                                               .old = p->node,
                                               .new = q->node,
                                               .from = q->at,
                                               .before = p->form,
                                               .after = q->form});
    add_edge(c,
             (struct fsd_edge_change){.old_from = p->at,
                                      .new_from = q->at,
                                      .old_to = p->node,
                                      .new_to = q->node,
                                      .before = p->form,
                                      .after = q->form,
                                      .region = region},
             fsd_types_differ(p->form.type, q->form.type),
             fsd_layouts_differ(c, p->form.layout, q->form.layout));
}

/* An index of the old build's borders (struct fsd_border) by node and origin.
 * old_border() enters the borders of one node at a time into `border`. Entries of
 * earlier nodes may remain there: `stamp` shows to which node an entry belongs. */
struct border_index {
    uint32_t *first, *count; /* indexed by old node: the first of the node's borders,
                                and their number */
    uint32_t *border;        /* indexed by origin_place(): the border with this origin
                                that was entered last */
    fsd_id *stamp;           /* indexed like `border`: the node of that border, plus 1;
                                0: no border yet */
};

/* A number for an origin: old nodes come first, then old inputs. */
static uint32_t origin_place(const struct fsd_compare *c, struct fsd_origin at)
{
    fsd_id node = fsd_origin_node(at);

    return node == FSD_NONE ? c->old->nodes.n + fsd_origin_input(at) : node;
}

static struct border_index index_borders(const struct fsd_compare *c,
                                         struct fsd_arena *scratch)
{
    const struct fsd_state *s = c->old;
    uint32_t n = s->nodes.n + s->inputs.n;
    struct border_index x = {.first = FSD_NEW(scratch, uint32_t, s->nodes.n),
                             .count = FSD_NEW(scratch, uint32_t, s->nodes.n),
                             .border = FSD_NEW(scratch, uint32_t, n),
                             .stamp = FSD_NEW(scratch, fsd_id, n)};

    for (uint32_t g = 0; g < s->groups.n; g++)
        for (uint32_t i = 0; i < s->groups.at[g].in.n; i++) {
            uint32_t k = s->groups.at[g].in.at + i;
            fsd_id node = s->borders.at[k].node;

            if (!x.count[node]++)
                x.first[node] = k;
        }
    return x;
}

static const struct fsd_border *old_border(const struct fsd_compare *c,
                                           struct border_index *x, fsd_id node,
                                           struct fsd_origin at)
{
    uint32_t place = origin_place(c, at);

    for (uint32_t i = 0; i < x->count[node]; i++) {
        uint32_t k = x->first[node] + i;
        uint32_t here = origin_place(c, c->old->borders.at[k].at);

        if (x->stamp[here] == node + 1)
            break; /* the table has the node's borders already */
        x->stamp[here] = node + 1;
        x->border[here] = k;
    }
    return x->stamp[place] == node + 1 ? &c->old->borders.at[x->border[place]] : NULL;
}

void fsd_compare_edges(struct fsd_compare *c, struct fsd_arena *scratch)
{
    const struct fsd_state *s = c->new;
    struct border_index x = index_borders(c, scratch);

    for (uint32_t g = 0; g < s->groups.n; g++)
        FSD_EACH_IN (const struct fsd_border, q, s->borders, s->groups.at[g].in) {
            fsd_id node = c->align->to_old[q->node];
            struct fsd_origin at = fsd_align_old_origin(c->align, q->at);
            const struct fsd_border *p = node == FSD_NONE || !fsd_is_origin(at)
                                             ? NULL
                                             : old_border(c, &x, node, at);

            if (p)
                compare_edge(c, p, q, c->new_region[g]);
        }
}

/* ----------------------------------------------------------------------- ports */

static void compare_port(struct fsd_compare *c, bool output, fsd_id old, fsd_id new)
{
    const struct fsd_state_port *p =
        &(output ? c->old->outputs.at : c->old->inputs.at)[old];
    const struct fsd_state_port *q =
        &(output ? c->new->outputs.at : c->new->inputs.at)[new];
    struct fsd_port_change change = {.output = output,
                                     .old = old,
                                     .new = new,
                                     .name =
                                         strcmp(fsd_text(c->old->names, p->name),
                                                fsd_text(c->new->names, q->name)) != 0,
                                     .shape = fsd_texts_differ(c, p->shape, q->shape),
                                     .form = fsd_forms_differ(c, p->form, q->form)};
    struct fsd_fact_lost pair = {.of = output ? FSD_OF_OUTPUT : FSD_OF_INPUT,
                                 .old = old,
                                 .new = new,
                                 .before = p->form,
                                 .after = q->form};

    fsd_compare_lost(c, pair);
    add_lost(c, pair, FSD_FACT_SHAPE, p->shape, q->shape);
    if (change.name || change.shape || change.form)
        fsd_vec_push(c->arena, &c->ports, change);
}

void fsd_compare_ports(struct fsd_compare *c)
{
    for (int output = 0; output < 2; output++) {
        uint32_t n = output ? c->old->outputs.n : c->old->inputs.n;
        uint32_t m = output ? c->new->outputs.n : c->new->inputs.n;
        const fsd_id *to_new = output ? c->align->new_output : c->align->new_input;
        const fsd_id *to_old = output ? c->align->old_output : c->align->old_input;

        for (fsd_id i = 0; i < n; i++)
            if (to_new[i] != FSD_NONE)
                compare_port(c, output, i, to_new[i]);
            else
                fsd_vec_push(c->arena, &c->ports,
                             (struct fsd_port_change){output, i, FSD_NONE, 0, 0, 0});
        for (fsd_id i = 0; i < m; i++)
            if (to_old[i] == FSD_NONE)
                fsd_vec_push(c->arena, &c->ports,
                             (struct fsd_port_change){output, FSD_NONE, i, 0, 0, 0});
    }
}

/* --------------------------------------------------------------- as it is written */

/* The output of an aligned node, if the node's group writes the output. The flags state
 * which changes of the output are already reported. */
struct written {
    const struct fsd_border *p, *q; /* the border in the old and in the new build; both
                                       NULL: the output is not compared */
    fsd_id region;
    bool type, layout;           /* a difference of the type or layout is reported */
    bool lost_type, lost_layout; /* already reported: only the old build states the type
                                    or layout */
};

static struct written *written_by(struct written *all, fsd_id producer)
{
    return producer == FSD_NONE || !all[producer].q ? NULL : &all[producer];
}

static void write_change(struct written *all, fsd_id producer,
                         struct fsd_state_form before, struct fsd_state_form after)
{
    struct written *w = written_by(all, producer);

    if (!w)
        return;
    /* If a change of type is reported, a change of layout needs no report of its
     * own. */
    w->type |= before.type == w->p->form.type && after.type == w->q->form.type;
    w->layout |=
        before.layout == w->p->form.layout && after.layout == w->q->form.layout;
    w->layout |= w->type && before.type != after.type;
}

static void write_loss(struct written *all, fsd_id producer, uint8_t kind)
{
    struct written *w = written_by(all, producer);

    if (w)
        *(kind == FSD_FACT_TYPE ? &w->lost_type : &w->lost_layout) = true;
}

/* Marks changes of outputs that are already reported: changes at a consumer of the
 * output, changes of the node's precision, and changes of network outputs. Also marks
 * lost facts that are already reported. */
static void find_changes(const struct fsd_compare *c, struct written *all)
{
    const struct fsd_state *s = c->new;

    for (uint32_t i = 0; i < c->edges.n; i++)
        write_change(all, fsd_origin_node(c->edges.at[i].new_from),
                     c->edges.at[i].before, c->edges.at[i].after);
    for (uint32_t i = 0; i < c->precisions.n; i++)
        write_change(all, c->precisions.at[i].new,
                     (struct fsd_state_form){.type = c->precisions.at[i].before},
                     (struct fsd_state_form){.type = c->precisions.at[i].after});
    for (uint32_t i = 0; i < c->ports.n; i++)
        if (c->ports.at[i].output && c->ports.at[i].form)
            write_change(
                all, fsd_origin_node(s->outputs.at[c->ports.at[i].new].core_from.at),
                c->old->outputs.at[c->ports.at[i].old].form,
                s->outputs.at[c->ports.at[i].new].form);
    FSD_EACH (const struct fsd_fact_lost, lost, c->lost)
        if (lost->of == FSD_OF_NODE)
            write_loss(all, lost->new, lost->kind);
        else if (lost->of == FSD_OF_EDGE)
            write_loss(all, fsd_origin_node(lost->from), lost->kind);
        else if (lost->of == FSD_OF_OUTPUT && lost->kind != FSD_FACT_SHAPE)
            write_loss(all, fsd_origin_node(s->outputs.at[lost->new].core_from.at),
                       lost->kind);
}

/* Indexed by new node: whether another group reads the node's output, or the network
 * returns this output. Any other output may exist only inside a fusion, so that no
 * layer need write it. */
static bool *read_outside(const struct fsd_state *t, struct fsd_arena *scratch)
{
    bool *outside = FSD_NEW(scratch, bool, t->nodes.n);

    for (fsd_id i = 0; i < t->nodes.n; i++) {
        struct fsd_span in = t->nodes.at[i].core_in;
        bool core =
            t->nodes.at[i].role == FSD_ROLE_CORE; /* other nodes, such as views, do not
                                                     count as readers: `core_in` skips
                                                     them */

        for (uint32_t k = 0; k < in.n && core; k++) {
            fsd_id from = fsd_origin_node(t->sources.at[in.at + k].at);

            if (from != FSD_NONE &&
                fsd_state_group_of(t, from) != fsd_state_group_of(t, i))
                outside[from] = true;
        }
    }
    for (uint32_t i = 0; i < t->outputs.n; i++) {
        fsd_id from = fsd_origin_node(t->outputs.at[i].core_from.at);

        fsd_set_at(outside, from);
    }
    return outside;
}

void fsd_compare_written(struct fsd_compare *c, struct fsd_arena *scratch)
{
    static const struct fsd_border nothing = {.at = {FSD_NONE}};
    const struct fsd_state *s = c->old, *t = c->new;
    struct written *all = FSD_NEW(scratch, struct written, t->nodes.n);
    const struct fsd_border **old =
        FSD_NEW(scratch, const struct fsd_border *, s->nodes.n);
    const bool *outside = read_outside(t, scratch);

    for (uint32_t g = 0; g < s->groups.n; g++)
        FSD_EACH_IN (const struct fsd_border, p, s->borders, s->groups.at[g].out)
            old[p->node] = p;
    for (uint32_t g = 0; g < t->groups.n; g++)
        FSD_EACH_IN (const struct fsd_border, q, t->borders, t->groups.at[g].out) {
            fsd_id node = c->align->to_old[q->node];

            if (node != FSD_NONE && old[node])
                all[q->node] = (struct written){old[node], q, c->new_region[g]};
        }
    /* If the fusion of the region is the same, adds the outputs that only the old build
     * is known to write. */
    for (fsd_id i = 0; i < s->nodes.n; i++) {
        fsd_id node = old[i] ? c->align->to_new[i] : FSD_NONE;
        fsd_id group = fsd_state_group_of(t, node);

        if (group != FSD_NONE && !all[node].q && (outside[node] || !t->sources.n) &&
            c->regions.at[c->new_region[group]].happened == FSD_HAPPENED_SAME)
            all[node] = (struct written){old[i], &nothing, c->new_region[group]};
    }
    find_changes(c, all);
    for (fsd_id i = 0; i < t->nodes.n; i++) {
        const struct written *w = &all[i];
        struct fsd_fact_lost lost = {
            .of = FSD_OF_WRITTEN, .new = i, .from = fsd_node_origin(i)};
        struct fsd_edge_change e = {.new_from = fsd_node_origin(i),
                                    .old_to = FSD_NONE,
                                    .new_to = FSD_NONE,
                                    .region = w->region};

        if (!w->q)
            continue;
        lost.old = w->p->node;
        e.old_from = fsd_node_origin(w->p->node);
        lost.before = e.before = w->p->form;
        lost.after = e.after = w->q->form;
        add_edge(c, e, !w->type && fsd_types_differ(e.before.type, e.after.type),
                 !w->layout && fsd_layouts_differ(c, e.before.layout, e.after.layout));
        lost.before.type = w->lost_type ? FSD_DTYPE_UNKNOWN : lost.before.type;
        lost.before.layout = w->lost_layout ? 0 : lost.before.layout;
        fsd_compare_lost(c, lost);
    }
}
