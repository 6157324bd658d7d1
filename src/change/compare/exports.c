/*
 * Compares two ONNX models without engines. The comparison of builds aligns the nodes.
 * It also finds nodes that only one model has, ports that differ, and differences in
 * how the models were made. This file compares the attributes, inputs and outputs of
 * each aligned pair of core nodes.
 *
 * Exporters write the same meaning in different ways. Quantizers, casts and views are
 * therefore compared as properties of the path to an input (route_to()). An attribute
 * with the operator's default value counts as not set. Values that were not read,
 * because they are many or in another file, are not compared; inputs with such scales
 * are counted (`unread`).
 */
#include "change/compare/exports.h"

#include "base/base.h"
#include "change/compare/parts.h"
#include "model/graph/graph.h"
#include "model/ops/sizes.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_STEPS = 64, SHOWN_VALUES = 4 };

/* One of the two models. */
struct side {
    const struct fsd_export *export;
    const struct fsd_graph *g;
    struct fsd_state *s;
    const struct fsd_sizes *sizes;
};

struct context {
    struct fsd_exports *e;
    struct side side[2];
    struct fsd_arena *scratch;
};

/* A property as text, with a hash of all values, because the text does not show all of
 * them. */
struct thing {
    const char *text; /* "": the property is absent */
    uint64_t values;  /* a hash of all values that were read */
    uint64_t form;    /* a hash of what is known without the values: types, axes and
                         numbers of values */
    bool unread;      /* some values were not read */
};

/* Whether no difference is known. Values that one model does not state may be equal. */
static bool same(struct thing a, struct thing b)
{
    if (a.unread || b.unread)
        return a.form == b.form;
    return !strcmp(a.text, b.text) && a.values == b.values;
}

static void add_export_change(struct context *k, enum fsd_export_what what, fsd_id old,
                              fsd_id new, const char *of, struct thing was,
                              struct thing now)
{
    const char *more = !strcmp(was.text, now.text) ? " (different values)" : "";

    fsd_vec_push(
        k->e->arena, &k->e->changes,
        ((struct fsd_export_change){
            (uint8_t)what, old, new, FSD_NONE, of, was.text,
            *more ? fsd_printed(k->e->arena, "%s%s", now.text, more) : now.text}));
}

/* ------------------------------------------------------------------------- values */

/* Prints "0.0123", "[1, 3, 224, 224]" or "64 values", and adds the values to the
 * hash. */
static void put_values(const struct side *side, fsd_id tensor, struct thing *thing,
                       FILE *out)
{
    const struct fsd_graph *g = side->g;
    const struct fsd_value *v = fsd_tensor_value(g, tensor);
    const struct fsd_form *form = fsd_tensor_form(g, tensor);
    int64_t n = fsd_form_count(g, form);
    bool plain = v && v->bytes && n > 0 && n <= SHOWN_VALUES;
    double shown[SHOWN_VALUES];

    if (!v || !v->bytes) {
        thing->unread = true;
        fprintf(out, "%" PRId64 " values", n);
        return;
    }
    thing->values = fsd_hash_mix(thing->values, v->size);
    for (uint64_t i = 0; i < v->size; i++)
        thing->values = fsd_hash_mix(thing->values, v->bytes[i]);
    for (int64_t i = 0; plain && i < n; i++)
        plain = fsd_element_number(v, form->type, (uint64_t)i, &shown[i]) &&
                !isnan(shown[i]);
    if (!plain) {
        fprintf(out, "%" PRId64 " values", n);
        return;
    }
    fputs(n > 1 ? "[" : "", out);
    for (int64_t i = 0; i < n; i++)
        fprintf(out, "%s%.7g", i ? ", " : "", shown[i]);
    fputs(n > 1 ? "]" : "", out);
}

/* ------------------------------------------------------------- the way to an input */

static enum fsd_dtype type_of(const struct fsd_graph *g, fsd_id tensor)
{
    return fsd_tensor_form(g, tensor)->type;
}

/* Prints "int8 scale 0.0123 zero 3". */
static void put_dequantized(const struct side *side, fsd_id dq, struct thing *thing,
                            FILE *out)
{
    const struct fsd_graph *g = side->g;
    fsd_id scale = fsd_node_in_tensor(g, dq, 1), zero = fsd_node_in_tensor(g, dq, 2);
    enum fsd_dtype type = type_of(g, fsd_node_in_tensor(g, dq, 0));
    const struct fsd_attr *axis = fsd_node_attr(g, &g->nodes.at[dq], "axis");
    const struct fsd_value *v = fsd_tensor_value(g, zero);
    bool any = false;

    if (type == FSD_DTYPE_UNKNOWN)
        type = type_of(g, zero);
    fputs(type ? fsd_dtype_name(type) : "quantized", out);
    thing->form = fsd_hash_mix(thing->form, type);
    if (scale != FSD_NONE) {
        int64_t n = fsd_form_count(g, fsd_tensor_form(g, scale));
        int64_t along = n > 1 ? axis ? axis->i : 1 : 0;

        fputs(" scale ", out);
        put_values(side, scale, thing, out);
        if (n > 1)
            fprintf(out, " along %" PRId64, along);
        thing->form =
            fsd_hash_mix(fsd_hash_mix(thing->form, (uint64_t)n), (uint64_t)along);
    }
    /* A missing zero point equals a zero point of 0. */
    for (uint64_t i = 0; v && v->bytes && i < v->size; i++)
        any |= v->bytes[i] != 0;
    if (any || (v && !v->bytes)) {
        fputs(" zero ", out);
        put_values(side, zero, thing, out);
    }
}

struct route {
    struct thing quantized, cast;
    fsd_id from; /* the tensor where the path begins */
};

static struct thing take(struct fsd_print *print, struct thing thing,
                         struct fsd_arena *arena)
{
    thing.text = fsd_print_take(print, arena);
    return thing;
}

/* Follows an input towards its producer, through quantizers, casts and nodes that do
 * not change values. */
static struct route route_to(const struct context *k, const struct side *side,
                             fsd_id tensor)
{
    const struct fsd_graph *g = side->g;
    const struct fsd_facts *f = side->export->facts;
    struct route route = {.from = tensor};
    struct fsd_print quantized, cast;
    FILE *q = fsd_print_open(&quantized), *c = fsd_print_open(&cast);
    bool any_q = false, any_c = false;

    for (int i = 0; i < MOST_STEPS && route.from != FSD_NONE; i++) {
        fsd_id node = fsd_tensor_producer(g, route.from);
        const struct fsd_attr *to;

        if (node == FSD_NONE)
            break;
        if (f->traits[node] & FSD_OP_DEQUANTIZE) {
            fputs(any_q ? ", " : "", q);
            put_dequantized(side, node, &route.quantized, q);
            any_q = true;
        } else if (fsd_node_is(g, node, FSD_ONNX_Cast) && !f->same[node]) {
            to = fsd_node_attr(g, &g->nodes.at[node], "to");
            fprintf(c, "%s%s", any_c ? ", " : "",
                    to ? fsd_dtype_name(type_of(g, route.from)) : "?");
            any_c = true;
        } else if (!(f->traits[node] & (FSD_OP_QUANTIZE | FSD_OP_VIEW)) &&
                   !f->same[node]) {
            break;
        }
        route.from = fsd_node_in_tensor(g, node, 0);
    }
    route.quantized = take(&quantized, route.quantized, k->e->arena);
    route.cast = take(&cast, route.cast, k->e->arena);
    return route;
}

/* Whether the values of a constant are compared. This is so for scalars and for lists
 * of integers. Other constants count as weights, which differ after every training:
 * only their shapes are compared. */
static bool has_compared_values(const struct fsd_graph *g, const struct fsd_form *form)
{
    bool integer =
        form->type == FSD_INT64 || form->type == FSD_INT32 || form->type == FSD_BOOL;

    return integer || fsd_form_count(g, form) == 1;
}

/* The constant of an input as text: its shape, and its values if has_compared_values():
 * "64x3x7x7", "= 0.5" for a scalar, "2 = [2, 3]" for a list of 2 values. The text is
 * "none" if the input is left out, and "" if the input is not a constant. */
static struct thing constant_at(const struct context *k, const struct side *side,
                                fsd_id tensor)
{
    struct thing thing = {.text = "none"};
    const struct fsd_form *form;
    struct fsd_print print;
    FILE *out;

    if (tensor == FSD_NONE)
        return thing;
    thing.text = "";
    if (!side->export->facts->constant[tensor] || !fsd_tensor_value(side->g, tensor))
        return thing;
    form = fsd_tensor_form(side->g, tensor);
    out = fsd_print_open(&print);
    fsd_put_sizes(side->g, form, "x", out);
    if (has_compared_values(side->g, form)) {
        fputs(form->dims.n ? " = " : "= ", out);
        put_values(side, tensor, &thing, out);
    }
    return take(&print, thing, k->e->arena);
}

/* Compares the constants of an input. If only one model leaves the input out, the
 * change shows "a constant" instead of the other model's value. */
static void compare_constants(struct context *k, fsd_id old, fsd_id new, const char *of,
                              struct thing was, struct thing now)
{
    static const struct thing constant = {.text = "a constant"};
    bool gone = !strcmp(now.text, "none"), came = !strcmp(was.text, "none");
    bool unread = was.unread || now.unread;

    /* Values that were not read may be equal. An input that one model leaves out
     * differs, whatever the values of the other model are. */
    if (gone == came && (unread || same(was, now) || (!*was.text && !*now.text)))
        return;
    if (gone != came)
        add_export_change(k, FSD_EXPORT_CONSTANT, old, new, of,
                          gone && *was.text ? constant : was,
                          came && *now.text ? constant : now);
    else if (*was.text && *now.text)
        add_export_change(k, FSD_EXPORT_CONSTANT, old, new, of, was, now);
}

static const struct thing plain = {.text = "plain"};

static struct thing or_plain(struct thing t)
{
    return *t.text ? t : plain;
}

static void compare_input(struct context *k, fsd_id old, fsd_id new, uint32_t i)
{
    const struct side *p = &k->side[0], *q = &k->side[1];
    fsd_id node[2] = {p->s->number_of[old], q->s->number_of[new]};
    fsd_id t[2] = {fsd_node_in_tensor(p->g, node[0], i),
                   fsd_node_in_tensor(q->g, node[1], i)};
    const char *of = fsd_printed(k->e->arena, "input %u", (unsigned)i);
    struct route a = route_to(k, p, t[0]), b = route_to(k, q, t[1]);
    struct thing x, y;

    k->e->unread += a.quantized.unread || b.quantized.unread;
    if (!same(a.quantized, b.quantized))
        add_export_change(k, FSD_EXPORT_QUANTIZED, old, new, of, or_plain(a.quantized),
                          or_plain(b.quantized));
    if (!same(a.cast, b.cast))
        add_export_change(k, FSD_EXPORT_CAST, old, new, of, or_plain(a.cast),
                          or_plain(b.cast));
    x = constant_at(k, p, a.from);
    y = constant_at(k, q, b.from);
    /* If only one model quantizes the input, the values differ for that reason and are
     * not compared. */
    if (!*a.quantized.text == !*b.quantized.text)
        compare_constants(k, old, new, of, x, y);
}

/* ------------------------------------------------------------------------- a node */

/* Whether the attribute has the operator's default value, so that exporters may leave
 * it out. */
static bool is_default(const struct fsd_graph *g, const struct fsd_node *n,
                       const struct fsd_attr *a, const char *value)
{
    char word[128];

    snprintf(word, sizeof word, "%s=%s", fsd_text(g->names, a->name), value);
    return fsd_state_attr_is_plain(g, a) ||
           (fsd_is_onnx_domain(fsd_text(g->names, n->domain)) &&
            fsd_op_is_default(fsd_text(g->names, n->op), fsd_graph_opset(g), word));
}

/* The attribute as text; NULL if it is not set. */
static const char *attribute(const struct context *k, int s, fsd_id node,
                             const char *name)
{
    const struct fsd_graph *g = k->side[s].g;
    const struct fsd_node *n = &g->nodes.at[k->side[s].s->number_of[node]];
    const struct fsd_attr *a = fsd_node_attr(g, n, name);
    struct fsd_print print;
    const char *value;
    FILE *out;

    if (!a || a->kind == FSD_ATTR_GRAPH || a->kind == FSD_ATTR_TENSOR ||
        a->kind == FSD_ATTR_UNREAD)
        return NULL;
    out = fsd_print_open(&print);
    if (a->kind == FSD_ATTR_INT)
        fprintf(out, "%" PRId64, a->i);
    else if (a->kind == FSD_ATTR_FLOAT)
        fprintf(out, "%.7g", a->f);
    else if (a->kind == FSD_ATTR_STRING)
        fputs(fsd_text(g->names, a->s), out);
    for (uint32_t i = 0; a->kind >= FSD_ATTR_INTS && i < a->list.n; i++) {
        fputs(i ? "x" : "", out);
        fsd_put_attr_item(out, g, a, i);
    }
    value = fsd_print_take(&print, k->e->arena);
    return is_default(g, n, a, value) ? NULL : value;
}

static void compare_attribute(struct context *k, fsd_id old, fsd_id new,
                              const char *name)
{
    const char *was = attribute(k, 0, old, name), *now = attribute(k, 1, new, name);

    if (!was == !now && (!was || !strcmp(was, now)))
        return;
    add_export_change(k, FSD_EXPORT_ATTRIBUTE, old, new,
                      fsd_printed(k->e->arena, "attribute %s", name),
                      (struct thing){.text = was ? was : "not set"},
                      (struct thing){.text = now ? now : "not set"});
}

static void compare_each_attribute(struct context *k, fsd_id old, fsd_id new)
{
    for (int s = 0; s < 2; s++) {
        const struct fsd_graph *g = k->side[s].g, *other = k->side[!s].g;
        struct fsd_span attrs =
            g->nodes.at[k->side[s].s->number_of[s ? new : old]].attrs;
        fsd_id there = k->side[!s].s->number_of[s ? old : new];

        for (uint32_t i = 0; i < attrs.n; i++) {
            const char *name = fsd_text(g->names, g->attrs.at[attrs.at + i].name);

            if (!s || !fsd_node_attr(other, &other->nodes.at[there], name))
                compare_attribute(k, old, new, name);
        }
    }
}

static const char *shape_text(const struct context *k, const struct side *side,
                              fsd_id tensor)
{
    const struct fsd_shape *shape = fsd_shape_of(side->sizes, tensor);
    struct fsd_print print;
    FILE *out;

    if (!shape->ranked)
        return NULL;
    out = fsd_print_open(&print);
    for (uint32_t i = 0; i < shape->rank; i++) {
        fputs(i ? "x" : "", out);
        if (shape->dims[i] >= 0)
            fprintf(out, "%" PRId64, shape->dims[i]);
        else
            putc('?', out);
    }
    fputs(shape->rank ? "" : "scalar", out);
    return fsd_print_take(&print, k->e->arena);
}

/* Compares the type and shape of an output. A fact that only one model states is not a
 * change. */
static void compare_output(struct context *k, fsd_id old, fsd_id new, uint32_t i)
{
    const struct side *p = &k->side[0], *q = &k->side[1];
    fsd_id a = fsd_node_out_tensor(p->g, p->s->number_of[old], i);
    fsd_id b = fsd_node_out_tensor(q->g, q->s->number_of[new], i);
    const char *of = fsd_printed(k->e->arena, "output %u", (unsigned)i);
    const char *s, *t;
    enum fsd_dtype x, y;

    if (a == FSD_NONE || b == FSD_NONE)
        return;
    x = type_of(p->g, a);
    y = type_of(q->g, b);
    if (x != FSD_DTYPE_UNKNOWN && y != FSD_DTYPE_UNKNOWN && x != y)
        add_export_change(k, FSD_EXPORT_TYPE, old, new, of,
                          (struct thing){.text = fsd_dtype_name(x)},
                          (struct thing){.text = fsd_dtype_name(y)});
    s = shape_text(k, p, a);
    t = shape_text(k, q, b);
    if (s && t && strcmp(s, t) != 0 && !strchr(s, '?') && !strchr(t, '?'))
        add_export_change(k, FSD_EXPORT_SHAPE, old, new, of, (struct thing){.text = s},
                          (struct thing){.text = t});
}

/* Compares the attributes, inputs and outputs of an aligned pair of nodes. */
static void compare_node(struct context *k, fsd_id old, fsd_id new)
{
    const struct side *p = &k->side[0], *q = &k->side[1];
    const struct fsd_node *a = &p->g->nodes.at[p->s->number_of[old]];
    const struct fsd_node *b = &q->g->nodes.at[q->s->number_of[new]];
    uint32_t n = a->in.n > b->in.n ? a->in.n : b->in.n;

    if (!strcmp(fsd_text(p->g->names, a->op), fsd_text(q->g->names, b->op)))
        compare_each_attribute(k, old, new);
    for (uint32_t i = 0; i < n; i++)
        compare_input(k, old, new, i);
    for (uint32_t i = 0; i < a->out.n && i < b->out.n; i++)
        compare_output(k, old, new, i);
}

/* ------------------------------------------------------------------------ the whole */

static void add_facts(struct context *k)
{
    const struct fsd_compare *c = k->e->compare;

    FSD_EACH (const struct fsd_built_change, b, c->built)
        add_export_change(k, FSD_EXPORT_MODEL, FSD_NONE, FSD_NONE, b->key,
                          (struct thing){.text = b->before ? b->before : "none"},
                          (struct thing){.text = b->after ? b->after : "none"});
}

static struct thing port_text(const struct context *k, int s, bool output, fsd_id port)
{
    const struct fsd_state *state = k->side[s].s;
    const struct fsd_state_port *p;

    if (port == FSD_NONE)
        return (struct thing){.text = "none"};
    p = &(output ? state->outputs.at : state->inputs.at)[port];
    return (struct thing){
        .text = fsd_printed(k->e->arena, "%s %s %s", fsd_text(state->names, p->name),
                            fsd_dtype_name((enum fsd_dtype)p->form.type),
                            fsd_text(state->names, p->shape))};
}

static void add_ports(struct context *k)
{
    const struct fsd_compare *c = k->e->compare;

    FSD_EACH (const struct fsd_port_change, p, c->ports)
        add_export_change(
            k, FSD_EXPORT_PORT, FSD_NONE, FSD_NONE, p->output ? "output" : "input",
            port_text(k, 0, p->output, p->old), port_text(k, 1, p->output, p->new));
}

/* Adds the computing nodes that only one model has. */
static void add_lone_nodes(struct context *k)
{
    const struct fsd_compare *c = k->e->compare;

    FSD_EACH (const struct fsd_node_presence, p, c->presences) {
        struct fsd_shown node = fsd_compare_shown(c, p->old, p->new);
        struct thing op = {.text =
                               fsd_text(node.s->names, node.s->nodes.at[node.at].op)};
        struct thing none = {.text = ""};

        if (fsd_state_role_of(node.s, node.at) != FSD_ROLE_CORE)
            continue;
        if (p->what == FSD_ONLY_OLD)
            add_export_change(k, FSD_EXPORT_REMOVED, p->old, FSD_NONE, "", op, none);
        else if (p->what == FSD_ONLY_NEW)
            add_export_change(k, FSD_EXPORT_ADDED, FSD_NONE, p->new, "", none, op);
    }
}

static void compare_nodes(struct context *k)
{
    struct fsd_exports *e = k->e;
    struct fsd_alignment_count n = fsd_alignment_count(e->compare);

    e->old_nodes = n.old;
    e->new_nodes = n.new;
    e->aligned = n.aligned;
    for (fsd_id i = 0; i < e->after->nodes.n; i++) {
        fsd_id old = e->compare->align->to_old[i];

        if (old == FSD_NONE || fsd_state_role_of(e->after, i) != FSD_ROLE_CORE)
            continue;
        e->renamed += strcmp(fsd_state_node_key(e->before, old),
                             fsd_state_node_key(e->after, i)) != 0;
        compare_node(k, old, i);
    }
}

/* Adds two kinds of changes that the comparison of the states has found: a different
 * operator, and a different producer of an input. */
static void add_edits(struct context *k)
{
    const struct fsd_compare *c = k->e->compare;

    FSD_EACH (const struct fsd_node_edit, edit, c->edits) {
        if (edit->what == FSD_EDIT_ATTRIBUTE || edit->what == FSD_EDIT_VALUE)
            continue; /* compare_node() reports attributes and values from the
                         models, which hold more values than the states */
        add_export_change(
            k, edit->what == FSD_EDIT_SOURCE ? FSD_EXPORT_READS : FSD_EXPORT_OPERATOR,
            edit->old, edit->new, edit->what == FSD_EDIT_SOURCE ? edit->of : "",
            (struct thing){.text = edit->was}, (struct thing){.text = edit->now});
    }
}

FSD_ORDERED(by_what, struct fsd_export_change, fsd_order(x->what, y->what),
            fsd_order(x->new, y->new), fsd_order(x->old, y->old), strcmp(x->of, y->of))

/* Sets fsd_region_diff.differs to true for the regions of the listed changes, and to
 * false for all other regions. */
static void mark_changes(struct fsd_exports *e)
{
    struct fsd_compare *c = e->compare;

    for (uint32_t i = 0; i < c->regions.n; i++)
        c->regions.at[i].differs = false;
    FSD_EACH (struct fsd_export_change, change, e->changes) {
        bool new = change->new != FSD_NONE;

        e->by_what[change->what]++;
        change->region =
            fsd_compare_region_of_node(c, new, new ? change->new : change->old);
        if (change->region != FSD_NONE)
            c->regions.at[change->region].differs = true;
    }
    c->differs = e->changes.n;
    fsd_compare_order(c);
}

static void open_side(struct context *k, int s)
{
    struct side *side = &k->side[s];

    side->export = s ? &k->e->new : &k->e->old;
    side->g = side->export->model;
    side->s = fsd_state_of_model(side->g, side->export->facts, k->scratch);
    side->sizes = fsd_sizes_of_model(k->scratch, side->g);
}

struct fsd_exports *fsd_exports_new(struct fsd_export old, struct fsd_export new)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_exports *e = FSD_NEW(arena, struct fsd_exports, 1);
    FSD_SCRATCH(scratch);
    struct context k = {.e = e, .scratch = scratch};

    e->arena = arena;
    e->old = old;
    e->new = new;
    open_side(&k, 0);
    open_side(&k, 1);
    e->before = k.side[0].s;
    e->after = k.side[1].s;
    e->compare = fsd_compare_new(e->before, e->after);
    e->compare->exports = e;
    add_facts(&k);
    add_ports(&k);
    add_lone_nodes(&k);
    compare_nodes(&k);
    add_edits(&k);
    fsd_vec_sort(&e->changes, by_what);
    mark_changes(e);
    return e;
}

void fsd_exports_free(struct fsd_exports *e)
{
    if (!e)
        return;
    fsd_compare_free(e->compare);
    fsd_state_free(e->before);
    fsd_state_free(e->after);
    fsd_arena_free(e->arena);
}

const char *fsd_export_what_name(unsigned what)
{
    static const char *const names[FSD__EXPORT_COUNT] = {
        [FSD_EXPORT_MODEL] = "model",       [FSD_EXPORT_PORT] = "port",
        [FSD_EXPORT_REMOVED] = "only-old",  [FSD_EXPORT_ADDED] = "only-new",
        [FSD_EXPORT_OPERATOR] = "operator", [FSD_EXPORT_ATTRIBUTE] = "attribute",
        [FSD_EXPORT_READS] = "source",      [FSD_EXPORT_QUANTIZED] = "quantization",
        [FSD_EXPORT_CAST] = "cast",         [FSD_EXPORT_CONSTANT] = "constant",
        [FSD_EXPORT_TYPE] = "type",         [FSD_EXPORT_SHAPE] = "shape"};

    return what < FSD__EXPORT_COUNT ? names[what] : "";
}
