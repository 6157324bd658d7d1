/* The JSON of a comparison.  Nodes, groups and moves are told in full, so that no other
 * file is needed to read it; times only where both builds have them. */
#include "report/report.h"
#include "report/json/json.h"

static void add_side(struct fsd_json *root, const char *key, const struct fsd_state *s)
{
    struct fsd_json *side = fsd_json_object(root, key);

    fsd_json_text(side, "model", s->model_path);
    fsd_json_hash(side, "model_hash", s->model_hash);
    fsd_json_text(side, "engine", s->engine_path);
    fsd_json_hash(side, "engine_hash", s->engine_hash);
    fsd_json_sym(side, "format", s->names, s->engine_kind);
    fsd_json_sym(side, "producer", s->names, s->producer);
    fsd_json_built(side, &s->built, s->names);
    fsd_json_count(side, "layers", s->layers);
    fsd_json_count(side, "computing", s->computing);
    fsd_json_count(side, "mapped", s->mapped);
    fsd_json_count(side, "profiles", s->profiles);
    if (s->profiles) {
        fsd_json_ms(side, "ms", s->total.median);
        fsd_json_ms(side, "ms_low", s->total.low);
        fsd_json_ms(side, "ms_high", s->total.high);
    }
}

static void add_key(struct fsd_json *object, const char *key, const struct fsd_state *s,
                    fsd_id node)
{
    if (node != FSD_NONE)
        fsd_json_sym(object, key, s->names, s->nodes.at[node].key);
}

static void add_refs(struct fsd_json *object, const char *key,
                     const struct fsd_state *s, struct fsd_span refs, bool out)
{
    struct fsd_json *list = fsd_json_list(object, key);

    for (uint32_t i = 0; i < refs.n; i++)
        fsd_json_add_text(list, fsd_state_ref_text(s, s->refs.at[refs.at + i], out));
}

static void add_form(struct fsd_json *object, const char *key,
                     const struct fsd_state *s, struct fsd_state_form form)
{
    struct fsd_json *f = fsd_json_object(object, key);

    fsd_json_text(f, "type", fsd_dtype_name((enum fsd_dtype)form.type));
    fsd_json_sym(f, "layout", s->names, form.layout);
}

static void add_nodes(struct fsd_json *root, const struct fsd_compare *c)
{
    struct fsd_json *list = fsd_json_list(root, "precisions"), *item;

    for (uint32_t i = 0; i < c->precisions.n; i++) {
        const struct fsd_node_change *n = &c->precisions.at[i];

        item = fsd_json_item(list);
        add_key(item, "old", c->old, n->old);
        add_key(item, "new", c->new, n->new);
        fsd_json_text(item, "before", fsd_dtype_name((enum fsd_dtype)n->before));
        fsd_json_text(item, "after", fsd_dtype_name((enum fsd_dtype)n->after));
        fsd_json_text(item, "change", fsd_width_name(n->width));
    }
    list = fsd_json_list(root, "nodes");
    for (uint32_t i = 0; i < c->presences.n; i++) {
        const struct fsd_node_presence *p = &c->presences.at[i];
        const struct fsd_state *s = p->new == FSD_NONE ? c->old : c->new;
        const struct fsd_state_node *n =
            &s->nodes.at[p->new == FSD_NONE ? p->old : p->new];

        item = fsd_json_item(list);
        fsd_json_text(item, "what", fsd_presence_name(p->what));
        add_key(item, "old", c->old, p->old);
        add_key(item, "new", c->new, p->new);
        fsd_json_sym(item, "op", s->names, n->op);
        fsd_json_text(item, "role", fsd_role_name(n->role));
        if (p->old != FSD_NONE)
            fsd_json_text(item, "before",
                          fsd_fate_name((enum fsd_fate)c->old->nodes.at[p->old].fate));
        if (p->new != FSD_NONE)
            fsd_json_text(item, "after", fsd_fate_name((enum fsd_fate)n->fate));
    }
    list = fsd_json_list(root, "aligned");
    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        const struct fsd_state_node *n = &c->old->nodes.at[i];

        if (c->align->to_new[i] == FSD_NONE || n->role == FSD_ROLE_SIDE)
            continue;
        item = fsd_json_item(list);
        add_key(item, "old", c->old, i);
        add_key(item, "new", c->new, c->align->to_new[i]);
        fsd_json_sym(item, "op", c->old->names, n->op);
        fsd_json_text(item, "role", fsd_role_name(n->role));
        fsd_json_text(item, "by", fsd_align_name(c->align->by[i]));
    }
}

/* ---------------------------------------------------------------------- regions */

static void add_groups(struct fsd_json *region, const char *key,
                       const struct fsd_state *s, const fsd_id *pool,
                       struct fsd_span groups)
{
    struct fsd_json *list = fsd_json_list(region, key);

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[pool[groups.at + i]];
        struct fsd_json *item = fsd_json_item(list);

        fsd_json_text(item, "kind", fsd_kind_name((enum fsd_kind)g->kind));
        fsd_json_text(item, "precision", fsd_dtype_name((enum fsd_dtype)g->precision));
        fsd_json_count(item, "layers", g->layers);
        if (g->loose)
            fsd_json_bool(item, "loose", true);
        add_refs(item, "nodes", s, g->nodes, false);
        if (g->tactic)
            fsd_json_sym(item, "tactic", s->names, g->tactic);
        fsd_json_ms(item, "ms", g->ms.median);
    }
}

/* Worst first, as the text has them. */
static void add_regions(struct fsd_json *root, const struct fsd_compare *c)
{
    struct fsd_json *list = fsd_json_list(root, "regions");

    for (uint32_t i = 0; i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];
        struct fsd_json *item = fsd_json_item(list);

        fsd_json_id(item, "region", c->order[i]);
        fsd_json_text(item, "what", fsd_happened_name(r->happened));
        fsd_json_text(item, "precision", fsd_region_precision(r));
        fsd_json_bool(item, "differs", r->differs);
        fsd_json_bool(item, "layout", r->layout);
        fsd_json_bool(item, "layers", r->layers);
        fsd_json_bool(item, "moves", r->moves);
        fsd_json_bool(item, "tactic", r->tactic);
        add_groups(item, "old", c->old, c->pool.at, r->old_groups);
        add_groups(item, "new", c->new, c->pool.at, r->new_groups);
        if (!c->timed)
            continue;
        fsd_json_ms(item, "before", r->before);
        fsd_json_ms(item, "after", r->after);
        fsd_json_number(item, "moves_before", r->moves_before);
        fsd_json_number(item, "moves_after", r->moves_after);
    }
}

static void add_move(struct fsd_json *change, const char *key,
                     const struct fsd_state *s, fsd_id i)
{
    const struct fsd_move *m;
    struct fsd_json *item;

    if (i == FSD_NONE)
        return;
    m = &s->moves.at[i];
    item = fsd_json_object(change, key);
    fsd_json_text(item, "kind", fsd_kind_name((enum fsd_kind)m->kind));
    fsd_json_bool(item, "inserted", m->inserted);
    if (m->cause != FSD_CAUSE_NONE)
        fsd_json_text(item, "cause", fsd_cause_name((enum fsd_cause)m->cause));
    add_refs(item, "from", s, m->from, false);
    add_refs(item, "to", s, m->to, true);
    add_refs(item, "nodes", s, m->nodes, false);
    add_form(item, "before", s, m->before);
    add_form(item, "after", s, m->after);
    fsd_json_ms(item, "ms", m->ms.median);
}

static void add_edges_and_moves(struct fsd_json *root, const struct fsd_compare *c)
{
    struct fsd_json *list = fsd_json_list(root, "edges");

    for (uint32_t i = 0; i < c->edges.n; i++) {
        const struct fsd_edge_change *e = &c->edges.at[i];
        struct fsd_json *item = fsd_json_item(list);

        fsd_json_id(item, "region", e->region);
        fsd_json_text(item, "old_from", fsd_state_ref_text(c->old, e->old_from, false));
        fsd_json_text(item, "old_to", fsd_state_ref_text(c->old, e->old_to, false));
        fsd_json_text(item, "new_from", fsd_state_ref_text(c->new, e->new_from, false));
        fsd_json_text(item, "new_to", fsd_state_ref_text(c->new, e->new_to, false));
        add_form(item, "before", c->old, e->before);
        add_form(item, "after", c->new, e->after);
        fsd_json_text(item, "change", fsd_width_name(e->width));
    }
    list = fsd_json_list(root, "moves");
    for (uint32_t i = 0; i < c->moves.n; i++) {
        const struct fsd_move_change *m = &c->moves.at[i];
        struct fsd_json *item = fsd_json_item(list);

        fsd_json_text(item, "what", fsd_move_what_name(m->what));
        fsd_json_id(item, "region", m->region);
        add_move(item, "old", c->old, m->old);
        add_move(item, "new", c->new, m->new);
    }
}

static void add_port(struct fsd_json *item, const char *key, const struct fsd_state *s,
                     bool output, fsd_id i)
{
    const struct fsd_state_port *p;
    struct fsd_json *port;

    if (i == FSD_NONE)
        return;
    p = &(output ? s->outputs.at : s->inputs.at)[i];
    port = fsd_json_object(item, key);
    fsd_json_sym(port, "name", s->names, p->name);
    fsd_json_sym(port, "shape", s->names, p->shape);
    add_form(port, "form", s, p->form);
}

static void add_built(struct fsd_json *root, const struct fsd_compare *c)
{
    struct fsd_json *list = fsd_json_list(root, "built");

    for (uint32_t i = 0; i < c->built.n; i++) {
        const struct fsd_built_change *b = &c->built.at[i];
        struct fsd_json *item = fsd_json_item(list);

        fsd_json_text(item, "what", b->key);
        if (b->before)
            fsd_json_text(item, "before", b->before);
        if (b->after)
            fsd_json_text(item, "after", b->after);
    }
}

static void add_ports(struct fsd_json *root, const struct fsd_compare *c)
{
    struct fsd_json *list = fsd_json_list(root, "ports");

    for (uint32_t i = 0; i < c->ports.n; i++) {
        const struct fsd_port_change *p = &c->ports.at[i];
        struct fsd_json *item = fsd_json_item(list);

        fsd_json_bool(item, "output", p->output);
        add_port(item, "old", c->old, p->output, p->old);
        add_port(item, "new", c->new, p->output, p->new);
    }
}

/* ---------------------------------------------------------------------- summary */

static void add_summary(struct fsd_json *root, const struct fsd_compare *c)
{
    struct fsd_json *summary = fsd_json_object(root, "summary"), *o;

    fsd_json_bool(summary, "differs", c->differs);
    FSD_JSON_TALLY(summary, "regions", c->by_happened, 0, fsd_happened_name);
    FSD_JSON_TALLY(summary, "precisions", c->by_width, FSD_WIDTH_NARROWED,
                   fsd_width_name);
    FSD_JSON_TALLY(summary, "nodes", c->by_presence, 0, fsd_presence_name);
    FSD_JSON_TALLY(summary, "moves", c->moves_by_what, 0, fsd_move_what_name);
    FSD_JSON_TALLY(summary, "aligned_by", c->align->by_count, 0, fsd_align_name);
    if (!c->timed)
        return;
    o = fsd_json_object(summary, "ms");
    fsd_json_number(o, "before", c->before);
    fsd_json_number(o, "after", c->after);
    FSD_JSON_TALLY(o, "delta", c->by_blame, 0, fsd_blame_name);
}

void fsd_compare_write_json(const struct fsd_compare *c, const struct fsd_style *style,
                            FILE *out)
{
    struct fsd_json *root = fsd_json_new(out);

    (void)style;
    fsd_json_text(root, "schema", "fusiondiff-compare/1");
    add_side(root, "old", c->old);
    add_side(root, "new", c->new);
    add_summary(root, c);
    add_built(root, c);
    add_ports(root, c);
    add_regions(root, c);
    add_edges_and_moves(root, c);
    add_nodes(root, c);
    fsd_json_end(root);
}
