/*
 * Creates and completes a state, and stores its strings and forms, no matter whether
 * the state comes from a run, a model or a snapshot.
 *
 * fsd_state_see_through() follows each input of a node back through quantizers and
 * views to a core node.  This is done once for all nodes, because both the alignment
 * and the snapshot use the result.  It is also done for a state from a snapshot, so
 * that this state equals the state that was written.
 */
#include "change/state/parts.h"
#include "base/base.h"
#include "model/graph/graph.h"

struct fsd_state *fsd_state_new(void)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_state *s = FSD_NEW(arena, struct fsd_state, 1);

    s->arena = arena;
    s->names = fsd_intern_new(arena);
    s->total = FSD_SPREAD_NONE;
    s->run = FSD_SPREAD_NONE;
    return s;
}

void fsd_state_free(struct fsd_state *s)
{
    if (s)
        fsd_arena_free(s->arena);
}

FSD_NAMES(fsd_role_name, unsigned, FSD__ROLE_COUNT, [FSD_ROLE_CORE] = "core",
          [FSD_ROLE_OPTIONAL] = "optional", [FSD_ROLE_QUANTIZER] = "quantizer",
          [FSD_ROLE_VIEW] = "view", [FSD_ROLE_SIDE] = "side")

const char *fsd_origin_text(const struct fsd_state *s, struct fsd_origin origin)
{
    fsd_id node = fsd_origin_node(origin);
    uint32_t input = fsd_origin_input(origin);

    if (node != FSD_NONE)
        return fsd_text(s->names, s->nodes.at[node].key);
    return input == FSD_NONE ? "" : fsd_text(s->names, s->inputs.at[input].name);
}

const char *fsd_destination_text(const struct fsd_state *s,
                                 struct fsd_destination destination)
{
    fsd_id node = fsd_destination_node(destination);
    uint32_t output = fsd_destination_output(destination);

    if (node != FSD_NONE)
        return fsd_text(s->names, s->nodes.at[node].key);
    return output == FSD_NONE ? "" : fsd_text(s->names, s->outputs.at[output].name);
}

const char *fsd_end_text(struct fsd_ends ends, uint32_t i)
{
    uint32_t ref = ends.refs[i];

    return ends.are == FSD_ENDS_DESTINATIONS
               ? fsd_destination_text(ends.s, (struct fsd_destination){ref})
               : fsd_origin_text(ends.s, (struct fsd_origin){ref});
}

bool fsd_state_knows_nodes(const struct fsd_state *s)
{
    return s->sources.n > 0;
}

bool fsd_state_knows_attributes(const struct fsd_state *s)
{
    return fsd_state_knows_nodes(s) && (s->model_hash[0] || s->model_hash[1]);
}

bool fsd_state_elides(const struct fsd_state *s)
{
    for (uint32_t i = 0; i < s->groups.n && !fsd_state_knows_nodes(s); i++)
        if (s->groups.at[i].kind == FSD_KIND_FOREIGN)
            return true;
    return false;
}

bool fsd_state_is_of_same_model(const struct fsd_state *a, const struct fsd_state *b)
{
    return (a->model_hash[0] || a->model_hash[1]) &&
           !memcmp(a->model_hash, b->model_hash, sizeof a->model_hash);
}

bool fsd_state_heads_pair(const struct fsd_state *s, fsd_id node)
{
    return fsd_state_role_of(s, node) == FSD_ROLE_QUANTIZER &&
           !strcmp(fsd_text(s->names, s->nodes.at[node].op), "QuantizeLinear");
}

/* ---------------------------------------------------------------- see through */

enum { UNSEEN, ON_WAY, SEEN };

/* Goes one step back from a node's output.  For a core node, *source receives this
 * output.  For any other node, *source receives the first input that is no constant.
 * Returns whether to continue at the node that produces *source. */
static bool step(const struct fsd_state *s, fsd_id node, struct fsd_producer *source)
{
    const struct fsd_state_node *n = &s->nodes.at[node];

    *source = (struct fsd_producer){FSD_NO_ORIGIN, 0};
    if (n->role == FSD_ROLE_CORE)
        *source = (struct fsd_producer){fsd_node_origin(node), 0};
    else if (n->role != FSD_ROLE_SIDE)
        /* The first input may be constant, for example in a multiplication by 1. */
        for (uint32_t i = 0; i < n->in.n && !fsd_is_origin(source->at); i++)
            *source = s->sources.at[n->in.at + i];
    return n->role != FSD_ROLE_CORE && fsd_origin_node(source->at) != FSD_NONE;
}

/* Follows the data of `first` back to a core node or network input, and sets `core` of
 * all nodes on the way.  In a cycle, which only a damaged model has, `core` becomes
 * FSD_NO_ORIGIN. */
static void see_node(struct fsd_state *s, fsd_id first, uint8_t *seen)
{
    struct fsd_producer end = {FSD_NO_ORIGIN, 0}, next;
    fsd_id i = first;

    while (seen[i] == UNSEEN) {
        seen[i] = ON_WAY;
        if (!step(s, i, &end))
            break;
        if (fsd_state_role_of(s, fsd_origin_node(end.at)) == FSD_ROLE_CORE)
            break; /* `end` is an output of the core node */
        i = fsd_origin_node(end.at);
        if (seen[i] == SEEN)
            end = s->nodes.at[i].core;
        else if (seen[i] == ON_WAY)
            end.at = FSD_NO_ORIGIN;
    }
    for (i = first; seen[i] == ON_WAY; i = fsd_origin_node(next.at)) {
        bool more = step(s, i, &next);

        s->nodes.at[i].core = end;
        seen[i] = SEEN;
        if (!more)
            break;
    }
}

static struct fsd_producer through(const struct fsd_state *s,
                                   struct fsd_producer source)
{
    fsd_id node = fsd_origin_node(source.at);

    if (node == FSD_NONE || s->nodes.at[node].role == FSD_ROLE_CORE)
        return source;
    return s->nodes.at[node].core;
}

void fsd_state_see_through(struct fsd_state *s)
{
    FSD_SCRATCH(scratch);
    uint8_t *seen = FSD_NEW(scratch, uint8_t, s->nodes.n);

    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (seen[i] == UNSEEN)
            see_node(s, i, seen);
    FSD_EACH (struct fsd_state_node, n, s->nodes) {
        n->core_in = (struct fsd_span){s->sources.n, n->in.n};
        for (uint32_t k = 0; k < n->in.n; k++) {
            struct fsd_producer source = through(s, s->sources.at[n->in.at + k]);

            fsd_vec_push(s->arena, &s->sources, source);
        }
    }
    for (uint32_t i = 0; i < s->outputs.n; i++)
        s->outputs.at[i].core_from = through(s, s->outputs.at[i].from);
}

fsd_id fsd_state_owner_of_move(const struct fsd_state *s, const struct fsd_move *m)
{
    const struct fsd_ends sides[] = {fsd_ends_of_destinations(s, m->to),
                                     fsd_ends_of_origins(s, m->from)};

    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side].n; i++) {
            fsd_id node = fsd_end_node(sides[side], i);

            if (fsd_role_computes(fsd_state_role_of(s, node)))
                return node;
        }
    return FSD_NONE;
}

void fsd_state_set_groups(struct fsd_state *s)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        s->nodes.at[i].group = FSD_NONE;
    for (fsd_id g = 0; g < s->groups.n; g++)
        for (uint32_t i = 0; i < s->groups.at[g].nodes.n; i++)
            s->nodes.at[s->refs.at[s->groups.at[g].nodes.at + i]].group = g;
}

void fsd_state_set_untimed(struct fsd_state *s)
{
    s->untimed = 0;
    for (uint32_t i = 0; s->profiles && i < s->groups.n; i++)
        s->untimed += s->groups.at[i].ms.median < 0 ? s->groups.at[i].layers : 0;
}

void fsd_state_finish(struct fsd_state *s)
{
    fsd_state_see_through(s);
    fsd_state_set_groups(s);
    if (!s->untimed) /* needed for a snapshot, which has times of groups, not of layers;
                        for a run, fsd_state_add_times() has set `untimed` */
        fsd_state_set_untimed(s);
}

void fsd_state_hash_names(struct fsd_state *s)
{
    uint32_t n = fsd_intern_count(s->names);
    uint64_t *hashes = FSD_NEW(s->arena, uint64_t, n);

    for (fsd_sym i = 0; i < n; i++)
        hashes[i] = fsd_hash_text(fsd_text(s->names, i));
    s->hashes = hashes;
    s->hashed = n;
}

/* ---------------------------------------------------------------- from a run */

fsd_sym fsd_state_copy(struct fsd_state_build *b, fsd_sym sym)
{
    return fsd_intern_add(b->s->names, fsd_text(b->model->names, sym),
                          fsd_text_len(b->model->names, sym));
}

fsd_sym fsd_state_printed(struct fsd_state_build *b)
{
    size_t size;
    const char *text = fsd_print_next(&b->text, &size);

    return fsd_intern_add(b->s->names, text, size);
}

void fsd_put_state_form(const struct fsd_state *s, struct fsd_state_form form,
                        char between, FILE *out)
{
    bool known = form.type != FSD_DTYPE_UNKNOWN || form.layout;

    fputs(known ? fsd_dtype_name((enum fsd_dtype)form.type) : "?", out);
    if (form.layout) {
        putc(between, out);
        fsd_put_safe(out, fsd_text(s->names, form.layout));
    }
}

void fsd_put_move_forms(const struct fsd_state *s, const struct fsd_move *m,
                        char between, FILE *out)
{
    fsd_put_state_form(s, m->before, between, out);
    fputs(" -> ", out);
    fsd_put_state_form(s, m->after, between, out);
}

struct fsd_state_form fsd_state_form(struct fsd_state_build *b,
                                     const struct fsd_form *f)
{
    char text[16];

    return (struct fsd_state_form){
        .type = (uint8_t)f->type,
        .layout = fsd_intern_str(b->s->names, fsd_layout_name(f->layout, text))};
}

const struct fsd_form *fsd_state_binding_sizes(const struct fsd_state_build *b,
                                               fsd_id t)
{
    const struct fsd_graph *e = b->d->engine;
    struct fsd_span layers = e->tensors.at[t].consumers.n ? e->tensors.at[t].consumers
                                                          : e->tensors.at[t].producers;
    const struct fsd_node *n;

    if (!layers.n)
        return fsd_tensor_form(e, t);
    n = &e->nodes.at[e->links.at[layers.at]];
    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        const struct fsd_port *port = &e->ports.at[fsd_node_port(n, i)];

        if (port->tensor == t)
            return fsd_port_form(e, port);
    }
    return fsd_tensor_form(e, t);
}

struct fsd_state_form fsd_state_binding_form(struct fsd_state_build *b, fsd_id t)
{
    return fsd_state_form(b, fsd_state_binding_sizes(b, t));
}
