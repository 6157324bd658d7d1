/* The JSON of a comparison.  Nodes, groups and moves are told in full, so that no other
 * file is needed to read it; times only where both builds have them. */
#include "report/compare_report.h"
#include "report/json/tree.h"

#include <inttypes.h>

static void add_hash(struct cJSON *object, const char *key, const uint64_t hash[2])
{
    char text[48];

    snprintf(text, sizeof text, "xxh128:%016" PRIx64 "%016" PRIx64, hash[1], hash[0]);
    fsd_json_text(object, key, text);
}

static void add_sym(struct cJSON *object, const char *key, const struct fsd_state *s,
                    fsd_sym sym)
{
    fsd_json_text(object, key, fsd_text(s->names, sym));
}

static void add_side(struct cJSON *root, const char *key, const struct fsd_state *s)
{
    struct cJSON *side = fsd_json_object(root, key);

    fsd_json_text(side, "model", s->model_path);
    add_hash(side, "model_hash", s->model_hash);
    fsd_json_text(side, "engine", s->engine_path);
    add_hash(side, "engine_hash", s->engine_hash);
    add_sym(side, "format", s, s->engine_kind);
    fsd_json_count(side, "layers", s->layers);
    fsd_json_count(side, "computing", s->computing);
    fsd_json_count(side, "mapped", s->mapped);
    fsd_json_count(side, "profiles", s->profiles);
}

static void add_key(struct cJSON *object, const char *key, const struct fsd_state *s,
                    fsd_id node)
{
    if (node != FSD_NONE)
        add_sym(object, key, s, s->nodes.at[node].key);
}

static void add_refs(struct cJSON *object, const char *key, const struct fsd_state *s,
                     struct fsd_span refs, bool out)
{
    struct cJSON *list = fsd_json_list(object, key);

    for (uint32_t i = 0; i < refs.n; i++)
        fsd_json_add_text(list, fsd_state_ref_text(s, s->refs.at[refs.at + i], out));
}

static void add_form(struct cJSON *object, const char *key, const struct fsd_state *s,
                     struct fsd_state_form form)
{
    struct cJSON *f = fsd_json_object(object, key);

    fsd_json_text(f, "type", fsd_dtype_name((enum fsd_dtype)form.type));
    add_sym(f, "layout", s, form.layout);
}

/* -------------------------------------------------------------------- alignment */

static void add_alignment(struct cJSON *root, const struct fsd_compare *c)
{
    struct cJSON *list = fsd_json_list(root, "aligned");

    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        struct cJSON *pair;

        if (c->align->to_new[i] == FSD_NONE ||
            c->old->nodes.at[i].role == FSD_ROLE_SIDE)
            continue;
        pair = fsd_json_item(list);
        add_key(pair, "old", c->old, i);
        add_key(pair, "new", c->new, c->align->to_new[i]);
        add_sym(pair, "op", c->old, c->old->nodes.at[i].op);
        fsd_json_text(pair, "role", fsd_role_name(c->old->nodes.at[i].role));
        fsd_json_text(pair, "by", fsd_align_name(c->align->by[i]));
    }
}

static void add_nodes(struct cJSON *root, const struct fsd_compare *c)
{
    struct cJSON *list = fsd_json_list(root, "precisions");

    for (uint32_t i = 0; i < c->precisions.n; i++) {
        const struct fsd_node_change *n = &c->precisions.at[i];
        struct cJSON *item = fsd_json_item(list);

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
        struct cJSON *item = fsd_json_item(list);

        fsd_json_text(item, "what", fsd_presence_name(p->what));
        add_key(item, "old", c->old, p->old);
        add_key(item, "new", c->new, p->new);
        add_sym(item, "op", s, n->op);
        fsd_json_text(item, "role", fsd_role_name(n->role));
        if (p->old != FSD_NONE)
            fsd_json_text(item, "before",
                          fsd_fate_name((enum fsd_fate)c->old->nodes.at[p->old].fate));
        if (p->new != FSD_NONE)
            fsd_json_text(item, "after",
                          fsd_fate_name((enum fsd_fate)c->new->nodes.at[p->new].fate));
    }
}

/* ---------------------------------------------------------------------- regions */

static void add_groups(struct cJSON *region, const char *key,
                       const struct fsd_compare *c, bool new, struct fsd_span groups)
{
    const struct fsd_state *s = new ? c->new : c->old;
    struct cJSON *list = fsd_json_list(region, key);

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[c->pool.at[groups.at + i]];
        struct cJSON *item = fsd_json_item(list);

        fsd_json_text(item, "kind", fsd_kind_name((enum fsd_kind)g->kind));
        fsd_json_text(item, "precision", fsd_dtype_name((enum fsd_dtype)g->precision));
        fsd_json_count(item, "layers", g->layers);
        if (g->loose)
            fsd_json_bool(item, "loose", true);
        add_refs(item, "nodes", s, g->nodes, false);
        fsd_json_ms(item, "ms", g->ms.median);
    }
}

static void add_region(struct cJSON *list, const struct fsd_compare *c, fsd_id i)
{
    const struct fsd_region_diff *r = &c->regions.at[i];
    struct cJSON *item = fsd_json_item(list);

    fsd_json_count(item, "region", i);
    fsd_json_text(item, "what", fsd_happened_name(r->happened));
    fsd_json_text(item, "precision", fsd_width_name(r->width));
    fsd_json_bool(item, "differs", r->differs);
    fsd_json_bool(item, "layout", r->layout);
    fsd_json_bool(item, "layers", r->layers);
    fsd_json_bool(item, "moves", r->moves);
    fsd_json_bool(item, "tactic", r->tactic);
    add_groups(item, "old", c, false, r->old_groups);
    add_groups(item, "new", c, true, r->new_groups);
    if (!c->timed)
        return;
    fsd_json_ms(item, "before", r->before);
    fsd_json_ms(item, "after", r->after);
    fsd_json_number(item, "moves_before", r->moves_before);
    fsd_json_number(item, "moves_after", r->moves_after);
}

static void add_region_number(struct cJSON *item, fsd_id region)
{
    if (region != FSD_NONE)
        fsd_json_count(item, "region", region);
}

static void add_edges(struct cJSON *root, const struct fsd_compare *c)
{
    struct cJSON *list = fsd_json_list(root, "edges");

    for (uint32_t i = 0; i < c->edges.n; i++) {
        const struct fsd_edge_change *e = &c->edges.at[i];
        struct cJSON *item = fsd_json_item(list);

        add_region_number(item, e->region);
        fsd_json_text(item, "old_from", fsd_state_ref_text(c->old, e->old_from, false));
        add_key(item, "old_to", c->old, e->old_to);
        fsd_json_text(item, "new_from", fsd_state_ref_text(c->new, e->new_from, false));
        add_key(item, "new_to", c->new, e->new_to);
        add_form(item, "before", c->old, e->before);
        add_form(item, "after", c->new, e->after);
        fsd_json_text(item, "change", fsd_width_name(e->width));
    }
}

static void add_move(struct cJSON *change, const char *key, const struct fsd_state *s,
                     fsd_id i)
{
    const struct fsd_move *m;
    struct cJSON *item;

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

static void add_moves(struct cJSON *root, const struct fsd_compare *c)
{
    struct cJSON *list = fsd_json_list(root, "moves");

    for (uint32_t i = 0; i < c->moves.n; i++) {
        const struct fsd_move_change *m = &c->moves.at[i];
        struct cJSON *item = fsd_json_item(list);

        fsd_json_text(item, "what", fsd_move_what_name(m->what));
        add_region_number(item, m->region);
        add_move(item, "old", c->old, m->old);
        add_move(item, "new", c->new, m->new);
    }
}

static void add_port(struct cJSON *item, const char *key, const struct fsd_state *s,
                     bool output, fsd_id i)
{
    const struct fsd_state_port *p;
    struct cJSON *port;

    if (i == FSD_NONE)
        return;
    p = &(output ? s->outputs.at : s->inputs.at)[i];
    port = fsd_json_object(item, key);
    add_sym(port, "name", s, p->name);
    add_sym(port, "shape", s, p->shape);
    add_form(port, "form", s, p->form);
}

static void add_ports(struct cJSON *root, const struct fsd_compare *c)
{
    struct cJSON *list = fsd_json_list(root, "ports");

    for (uint32_t i = 0; i < c->ports.n; i++) {
        const struct fsd_port_change *p = &c->ports.at[i];
        struct cJSON *item = fsd_json_item(list);

        fsd_json_bool(item, "output", p->output);
        add_port(item, "old", c->old, p->output, p->old);
        add_port(item, "new", c->new, p->output, p->new);
    }
}

/* ---------------------------------------------------------------------- summary */

static void add_summary(struct cJSON *root, const struct fsd_compare *c)
{
    struct cJSON *summary = fsd_json_object(root, "summary"), *o;

    fsd_json_bool(summary, "differs", c->differs);
    o = fsd_json_object(summary, "regions");
    for (uint8_t i = 0; i < FSD__HAPPENED_COUNT; i++)
        fsd_json_count(o, fsd_happened_name(i), c->by_happened[i]);
    o = fsd_json_object(summary, "precisions");
    for (uint8_t i = FSD_WIDTH_NARROWED; i < FSD__WIDTH_COUNT; i++)
        fsd_json_count(o, fsd_width_name(i), c->by_width[i]);
    o = fsd_json_object(summary, "nodes");
    for (uint8_t i = 0; i < FSD__PRESENCE_COUNT; i++)
        fsd_json_count(o, fsd_presence_name(i), c->by_presence[i]);
    o = fsd_json_object(summary, "moves");
    for (uint8_t i = 0; i <= FSD_MOVE_CHANGED; i++)
        fsd_json_count(o, fsd_move_what_name(i), c->moves_by_what[i]);
    o = fsd_json_object(summary, "aligned_by");
    for (uint8_t i = 0; i < FSD__ALIGN_COUNT; i++)
        fsd_json_count(o, fsd_align_name(i), c->align->by_count[i]);
    if (!c->timed)
        return;
    o = fsd_json_object(summary, "ms");
    fsd_json_number(o, "before", c->before);
    fsd_json_number(o, "after", c->after);
    o = fsd_json_object(o, "delta");
    for (uint8_t i = 0; i < FSD__BLAME_COUNT; i++)
        fsd_json_number(o, fsd_blame_name(i), c->by_blame[i]);
}

void fsd_compare_write_json(const struct fsd_compare *c, FILE *out)
{
    struct cJSON *root = fsd_json_new(), *list;

    fsd_json_text(root, "schema", "fusiondiff-compare/1");
    add_side(root, "old", c->old);
    add_side(root, "new", c->new);
    add_summary(root, c);
    add_ports(root, c);
    list = fsd_json_list(root, "regions");
    for (uint32_t i = 0; i < c->regions.n; i++)
        add_region(list, c, c->order[i]);
    add_edges(root, c);
    add_moves(root, c);
    add_nodes(root, c);
    add_alignment(root, c);
    fsd_json_print(root, out);
}
