/*
 * Finds where a build failed. A message names the place in one of several ways:
 *
 *     While parsing node number 3 [MatMul -> "y"]       the parser's record
 *     '/fc/Gemm', IShuffleLayer rs: rs: ...             a node's name
 *     /a/Conv + /a/Relu                                 fused nodes
 *     {ForeignNode[/a/Transpose.../b/Add]}              the ends of a region
 *     if_types_OutputLayer                              a name made from a node's name
 *     (Unnamed Layer* 9) [Recurrence]                   a layer without a name
 *     Quantized constant (w)                            a tensor
 *
 * The forms are tried in this order, the most reliable first. If the message has no
 * name, the place is concluded from the order of parsing, from types, or from lint's
 * findings. A name of the model may be an ordinary word of a message. Such a name
 * counts only where TensorRT's messages have names.
 */
#include "judge/failed/failed.h"

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ops.h"

#include <ctype.h>

FSD_NAMES(fsd_failed_by_text, enum fsd_failed_by, FSD__FAILED_BY_COUNT,
          "the parser names this node", "the message names this node",
          "in the region between the nodes that the message names",
          "the message names the number of this node's layer",
          "this node reads or writes the tensor that the message names",
          "the parser read this node last",
          "this node has the operator type that the message names",
          "this node reads or writes the data type that the message names",
          "lint reports that builders do not support this node", "not known")
FSD_NAMES(fsd_failed_by_name, enum fsd_failed_by, FSD__FAILED_BY_COUNT, "record",
          "name", "region", "layer", "tensor", "order", "kind", "type", "lint",
          "nothing")

struct place {
    struct fsd_failed *f;
    const struct fsd_graph *g;
    const struct fsd_vocab *vocab;
};

/* ------------------------------------------------------------------ nodes and names */

static void add_node(const struct place *p, fsd_id_vec *list, fsd_id node)
{
    if (node != FSD_NONE && !fsd_ids_have(list->at, list->n, node))
        fsd_vec_push(p->f->arena, list, node);
}

static void add_tensor(const struct place *p, const char *name)
{
    for (uint32_t i = 0; i < p->f->tensors.n; i++)
        if (!strcmp(p->f->tensors.at[i], name))
            return;
    fsd_vec_push(p->f->arena, &p->f->tensors, name);
}

/* Adds the node that computes a tensor. Inputs and constants have no such node, so
 * their consumers are added. */
static void add_around(const struct place *p, fsd_id_vec *list, fsd_id tensor)
{
    fsd_id producer = fsd_tensor_producer(p->g, tensor);
    struct fsd_span readers = fsd_tensor_consumers(p->g, tensor);

    if (producer != FSD_NONE && !(fsd_op_traits(p->g, producer) & FSD_OP_CONSTANT)) {
        add_node(p, list, producer);
        return;
    }
    FSD_EACH_ID (reader, p->g->links, readers)
        add_node(p, list, reader);
}

static bool add_meaning(const struct place *p, const struct fsd_meaning *m,
                        fsd_id_vec *list)
{
    if (!m)
        return false;
    FSD_EACH_ID (node, p->vocab->pool, m->nodes)
        add_node(p, list, node);
    if (!m->nodes.n && m->tensor != FSD_NONE)
        add_around(p, list, m->tensor);
    return m->nodes.n || m->tensor != FSD_NONE;
}

static bool add_exact(const struct place *p, struct fsd_slice name, fsd_id_vec *list)
{
    return name.n && add_meaning(p, fsd_vocab_find(p->vocab, name.s, name.n), list);
}

/* Adds the nodes of a name to which TensorRT or the parser appended suffixes: cuts
 * suffixes off until the model has the name (add_exact()). False if it never has. */
static bool add_derived(const struct place *p, struct fsd_slice name, fsd_id_vec *list)
{
    for (size_t n = name.n; n-- > 1;)
        if (strchr("_'. [", name.s[n]) &&
            add_exact(p, (struct fsd_slice){name.s, n}, list))
            return true;
    return false;
}

/* Finds the name after the class of the layer: "rs" in "IShuffleLayer rs: rs". */
static struct fsd_slice without_class(struct fsd_slice name)
{
    struct fsd_slice rest = name, behind;

    if (name.n && *name.s == 'I' && fsd_slice_split_at(&rest, "Layer ", &behind) &&
        !memchr(rest.s, ' ', rest.n))
        name = behind;
    rest = name;
    return fsd_slice_split_at(&rest, ": ", &behind) ? rest : name;
}

static bool add_name(const struct place *p, struct fsd_slice name, fsd_id_vec *list)
{
    name = fsd_slice_trim(name);
    return add_exact(p, name, list) || add_exact(p, without_class(name), list) ||
           add_derived(p, without_class(name), list);
}

/* Adds the nodes of all names in "a + b || c" that the model has. */
static bool add_names(const struct place *p, struct fsd_slice names, fsd_id_vec *list)
{
    uint32_t before = list->n;
    struct fsd_slice rest;

    if (add_exact(p, names, list))
        return true;
    while (names.n) {
        struct fsd_slice wrapped = names;

        rest = (struct fsd_slice){0};
        if (!fsd_slice_split_at(&names, " + ", &rest))
            fsd_slice_split_at(&names, " || ", &rest);
        wrapped = names;
        if (fsd_slice_take(&wrapped, "PWN("))
            while (fsd_slice_drop(&wrapped, ")"))
                ;
        add_name(p, wrapped, list);
        names = rest;
    }
    return list->n > before;
}

/* -------------------------------------------------------------------------- regions */

/* Marks the nodes of the main graph that are reachable from `start`, forwards or
 * backwards. */
static bool *reach(const struct place *p, const fsd_id_vec *start, bool forth)
{
    const struct fsd_graph *g = p->g;
    bool *reached = FSD_NEW(p->f->arena, bool, g->nodes.n + 1);
    fsd_id_vec todo = {0};

    for (uint32_t i = 0; i < start->n; i++)
        fsd_vec_push(p->f->arena, &todo, start->at[i]);
    while (todo.n) {
        fsd_id node = todo.at[--todo.n];
        struct fsd_span ports = forth ? g->nodes.at[node].out : g->nodes.at[node].in;

        if (reached[node])
            continue;
        reached[node] = true;
        FSD_EACH_OF (tensor, g->ports, ports, tensor) {
            struct fsd_span next = forth ? fsd_tensor_consumers(g, tensor)
                                         : fsd_graph_tensor(g, tensor)->producers;

            for (uint32_t k = 0; k < next.n; k++)
                fsd_vec_push(p->f->arena, &todo, g->links.at[next.at + k]);
        }
    }
    return reached;
}

/* Adds the nodes on the paths between the two ends of a region, and the ends. */
static void add_between(const struct place *p, const fsd_id_vec *from,
                        const fsd_id_vec *to, fsd_id_vec *list)
{
    const bool *down = reach(p, from, true), *up = reach(p, to, false);

    for (fsd_id i = 0; i < p->g->nodes.n; i++)
        if ((down[i] && up[i]) || fsd_ids_have(from->at, from->n, i) ||
            fsd_ids_have(to->at, to->n, i))
            fsd_vec_push(p->f->arena, list, i);
}

/* Adds the nodes at one end of a region: the nodes with the name `name`. If the model
 * has no such node, `name` may stand for a layer without a name, such as "(Unnamed
 * Layer* 9)". If only one node can have added this layer, adds this node. Returns false
 * if it adds nothing. */
static bool add_end(const struct place *p, struct fsd_slice name, fsd_id_vec *list)
{
    fsd_id_vec of_layer = {0};

    if (add_names(p, name, list))
        return true;
    fsd_failed_find_unnamed(p->f, p->vocab, name, &of_layer);
    if (of_layer.n == 1)
        add_node(p, list, of_layer.at[0]);
    return of_layer.n == 1;
}

/* Splits `ends` at the three dots that begin at byte i, and adds the nodes of the
 * region.
 * @param both whether the model must have both ends; otherwise, one end is enough
 * @return false if there are no dots at byte i, or if the model lacks an end that it
 *        must have */
static bool add_ends(const struct place *p, struct fsd_slice ends, size_t i, bool both,
                     fsd_id_vec *list)
{
    fsd_id_vec from = {0}, to = {0};
    bool first, last;

    if (memcmp(ends.s + i, "...", 3) != 0)
        return false;
    first = add_end(p, (struct fsd_slice){ends.s, i}, &from);
    last = add_end(p, fsd_slice_from(ends, i + 3), &to);
    if (first && last) {
        add_between(p, &from, &to, list);
        p->f->by = FSD_FAILED_BY_REGION;
        return true;
    }
    for (uint32_t k = 0; !both && k < from.n + to.n; k++)
        add_node(p, list, k < from.n ? from.at[k] : to.at[k - from.n]);
    return list->n > 0;
}

/* Adds the nodes of "{ForeignNode[a...b]}". The names a and b may contain dots, too.
 * The text is therefore split at the first three dots that have a name of the model on
 * both sides. If there are no such dots, a name on one side is enough, because the
 * other end may be a layer without a name. */
static bool add_region(const struct place *p, struct fsd_slice name, fsd_id_vec *list)
{
    struct fsd_slice ends = name;

    if (!fsd_slice_take(&ends, "{ForeignNode["))
        return false;
    fsd_slice_drop(&ends, "}");
    fsd_slice_drop(&ends, "]");
    for (int both = 1; both >= 0; both--)
        for (size_t i = 1; i + 3 < ends.n; i++)
            if (add_ends(p, ends, i, both, list))
                return true;
    return add_names(p, ends, list);
}

/* -------------------------------------------------------------- names in a sentence */

/* Whether the text from `at` to `end` is where TensorRT's messages have names: after
 * one of these words, or before a colon. */
static bool stands_for_name(struct fsd_slice text, size_t at, size_t end)
{
    static const char *const before[] = {"node ",    "Layer ", "layer ",  "tensor ",
                                         "tensors ", "input ", "output ", "constant (",
                                         "'",        "`",      "\""};
    struct fsd_slice head = {text.s, at};

    for (size_t i = 0; i < FSD_COUNT_OF(before); i++) {
        struct fsd_slice h = head;

        if (fsd_slice_drop(&h, before[i]))
            return true;
    }
    return end + 1 < text.n && text.s[end] == ':' && text.s[end + 1] == ' ' &&
           (!at || text.s[at - 1] == '(' || fsd_slice_drop(&head, ". ") ||
            fsd_slice_drop(&head, ": "));
}

/* Whether the name is clearly no word of a sentence: "conv1", "fooBar". False for names
 * of one or two characters. */
static bool is_strange(struct fsd_slice name)
{
    size_t lower = 0;

    for (size_t i = 0; i < name.n; i++)
        lower += islower((unsigned char)name.s[i]) != 0 ||
                 (!i && isupper((unsigned char)name.s[i]));
    return name.n > 2 && lower < name.n;
}

static bool is_border(char c)
{
    return !fsd_is_word(c) && c != '/' && c != '.';
}

/* The longest name of the model that begins at `at`; empty if none does. */
static struct fsd_slice name_at(const struct place *p, struct fsd_slice text, size_t at)
{
    for (uint32_t i = 0; i < p->vocab->lengths.n; i++) {
        size_t n = p->vocab->lengths.at[i], end = at + n;
        struct fsd_slice name = {text.s + at, n};

        if (end > text.n)
            continue;
        if (end < text.n && !is_border(text.s[end]) &&
            !(text.s[end] == '.' &&
              (end + 1 == text.n || text.s[end + 1] == ' ' || text.s[end + 1] == ')')))
            continue;
        if (fsd_vocab_find(p->vocab, name.s, n) &&
            (is_strange(name) || stands_for_name(text, at, end)))
            return name;
    }
    return (struct fsd_slice){0};
}

/* Finds the first name of a node in the sentence, or else the first name of a
 * tensor. */
static void find_in_sentence(const struct place *p, struct fsd_slice text)
{
    fsd_id_vec around = {0};

    text.n = text.n < 4096 ? text.n : 4096;
    for (size_t at = 0; at < text.n && !p->f->nodes.n; at++) {
        struct fsd_slice name;
        const struct fsd_meaning *m;

        if (at && !is_border(text.s[at - 1]))
            continue;
        name = name_at(p, text, at);
        m = name.n ? fsd_vocab_find(p->vocab, name.s, name.n) : NULL;
        if (!m)
            continue;
        if (m->nodes.n) {
            add_meaning(p, m, &p->f->nodes);
            p->f->by = FSD_FAILED_BY_NAME;
        } else {
            add_tensor(p, fsd_tensor_name(p->g, m->tensor));
            add_around(p, &around, m->tensor);
        }
        at += name.n - 1;
    }
    for (uint32_t i = 0; !p->f->nodes.n && i < around.n; i++)
        fsd_vec_push(p->f->arena, &p->f->nodes, around.at[i]);
    if (around.n && p->f->by == FSD_FAILED_BY_NOTHING)
        p->f->by = FSD_FAILED_BY_TENSOR;
}

/* -------------------------------------------------------------- places of a message */

static void take_said_node(const struct place *p, struct fsd_slice name)
{
    struct fsd_failed *f = p->f;

    if (!f->named)
        f->named = fsd_printed(f->arena, "%.*s", (int)name.n, name.s);
    if (f->nodes.n)
        return;
    if (add_region(p, name, &f->nodes) || add_names(p, name, &f->nodes))
        f->by = f->by == FSD_FAILED_BY_REGION ? f->by : FSD_FAILED_BY_NAME;
    else
        f->by = fsd_failed_find_unnamed(f, p->vocab, without_class(name), &f->nodes);
}

/* Finds "(Unnamed Layer* 9) [Recurrence]" anywhere in a message. */
static void find_layer_in_sentence(const struct place *p, struct fsd_slice text)
{
    const char *at = fsd_slice_find(text, "(Unnamed Layer* ");
    struct fsd_slice behind;

    if (!at || p->f->nodes.n)
        return;
    text = fsd_slice_from(text, (size_t)(at - text.s));
    if (fsd_slice_split_at(&text, "]", &behind))
        text.n++;
    take_said_node(p, text);
}

static bool touches(const struct place *p, fsd_id node, fsd_id tensor)
{
    const struct fsd_node *n = &p->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n + n->out.n; i++)
        if (p->g->ports.at[fsd_node_port(n, i)].tensor == tensor)
            return true;
    return false;
}

/* If f->nodes are candidates of which only one failed, keeps only the candidates that
 * read or write the tensor. If no candidate does so, keeps all. */
static void narrow(const struct place *p, struct fsd_slice tensor)
{
    const struct fsd_meaning *m = fsd_vocab_find(p->vocab, tensor.s, tensor.n);
    fsd_id_vec left = {0};

    if (!m || !fsd_failed_is_of_several(p->f))
        return;
    for (uint32_t i = 0; i < p->f->nodes.n; i++)
        if (touches(p, p->f->nodes.at[i], m->tensor))
            fsd_vec_push(p->f->arena, &left, p->f->nodes.at[i]);
    if (left.n)
        p->f->nodes = left;
}

/* Takes the tensors of a message: "x", or "x, y". */
static void take_said_tensor(const struct place *p, struct fsd_slice names)
{
    struct fsd_failed *f = p->f;

    while (names.n) {
        struct fsd_slice rest = {0};
        fsd_id_vec around = {0};

        fsd_slice_split_at(&names, ", ", &rest);
        if (add_name(p, names, &around)) {
            add_tensor(p, fsd_printed(f->arena, "%.*s", (int)names.n, names.s));
            narrow(p, names);
            if (f->nodes.n && f->by != FSD_FAILED_BY_TENSOR)
                around.n = 0; /* nodes that the message names are better evidence */
            else
                f->by = FSD_FAILED_BY_TENSOR;
            for (uint32_t i = 0; i < around.n; i++)
                add_node(p, &f->nodes, around.at[i]);
        }
        names = rest;
    }
}

static void take_said(const struct place *p, const struct fsd_log_said *said)
{
    for (unsigned i = 0; i < said->n; i++)
        if (said->at[i].what == FSD_SAID_NODE)
            take_said_node(p, said->at[i].text);
    for (unsigned i = 0; i < said->n; i++)
        if (said->at[i].what == FSD_SAID_TENSOR)
            take_said_tensor(p, said->at[i].text);
}

/* ----------------------------------------------------------------------- the parser */

/* Finds the output t in "DFT -> \"t\"". */
static struct fsd_slice output_of(const struct fsd_log_failure *r)
{
    struct fsd_slice op = r->op, name = {0};

    if (fsd_slice_split_at(&op, " -> \"", &name))
        fsd_slice_drop(&name, "\"");
    return name;
}

/* The node of a parser's record, found by the node's name, or else by its output. */
static fsd_id node_of_record(const struct place *p, const struct fsd_log_failure *r)
{
    fsd_id_vec found = {0};

    if (r->op.n && !add_exact(p, r->node, &found))
        add_exact(p, output_of(r), &found);
    return found.n ? found.at[0] : FSD_NONE;
}

static void take_records(const struct place *p)
{
    const struct fsd_log_failure *first = p->f->first;
    const fsd_log_failures *all = fsd_log_failures_of(p->f->history);
    fsd_id node = node_of_record(p, first);
    bool *listed = FSD_NEW(p->f->arena, bool, p->g->nodes.n + 1);

    if (node != FSD_NONE) {
        listed[node] = true;
        add_node(p, &p->f->nodes, node);
        p->f->by = FSD_FAILED_BY_RECORD;
    }
    if (first->op.n && !p->f->named) {
        struct fsd_slice name = first->node.n ? first->node : output_of(first);

        p->f->named = fsd_printed(p->f->arena, "%.*s", (int)name.n, name.s);
    }
    for (uint32_t i = 0; i < all->n; i++) {
        node = node_of_record(p, &all->at[i]);
        if (node == FSD_NONE || listed[node])
            continue;
        listed[node] = true;
        fsd_vec_push(p->f->arena, &p->f->others, node);
    }
}

/* The operator that the failing function of the parser imports. The function is named
 * after the operator: "importScatterElements", "checkDet". */
static struct fsd_slice operator_of(const struct fsd_log_failure *first)
{
    struct fsd_slice op = first->where;

    return fsd_slice_take(&op, "import") || fsd_slice_take(&op, "check")
               ? op
               : (struct fsd_slice){0};
}

static bool is_operator(const struct place *p, fsd_id node, struct fsd_slice op)
{
    return fsd_slice_is(op, fsd_text(p->g->names, p->g->nodes.at[node].op));
}

/* Finds the node by its operator, which the name of the failing function shows. Does so
 * only if an error of the parser states no node, and no node is known yet. Takes the
 * node that the parser read last if it has the operator. Otherwise, takes the only node
 * of the model with the operator; if there are several, takes none. */
static void find_by_order(const struct place *p)
{
    struct fsd_failed *f = p->f;
    struct fsd_slice name = f->first->parsing, op = operator_of(f->first), rest;
    fsd_id_vec last = {0};
    fsd_id only = FSD_NONE;

    if (f->nodes.n || !f->first->by_parser || f->first->node.n)
        return;
    if (op.n && fsd_slice_split_last(&name, " [", &rest) && add_exact(p, name, &last) &&
        is_operator(p, last.at[0], op)) {
        add_node(p, &f->nodes, last.at[0]);
        f->by = FSD_FAILED_BY_ORDER;
        return;
    }
    for (fsd_id i = 0; op.n && i < p->g->nodes.n; i++)
        if (is_operator(p, i, op))
            only = fsd_id_both(only, i);
    add_node(p, &f->nodes, fsd_id_only(only));
    if (f->nodes.n)
        f->by = FSD_FAILED_BY_KIND;
}

/* ----------------------------------------------------------------- types and inputs */

/* Reads a type as the builder's compiler spells it: "fp8_e4m3", "b16". */
static enum fsd_dtype type_of(const char *word)
{
    enum fsd_dtype type = fsd_dtype_read(word, strlen(word));

    if (type == FSD_DTYPE_UNKNOWN && !strcmp(word, "b16"))
        type = FSD_BF16;
    return type == FSD_DTYPE_UNKNOWN ? fsd_dtype_read(word, strcspn(word, "_")) : type;
}

static bool has_type(const struct place *p, fsd_id node, enum fsd_dtype type)
{
    const struct fsd_node *n = &p->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        fsd_id tensor = p->g->ports.at[fsd_node_port(n, i)].tensor;

        if (tensor != FSD_NONE && fsd_tensor_form(p->g, tensor)->type == type)
            return true;
    }
    return false;
}

static void find_by_type(const struct place *p)
{
    struct fsd_failed *f = p->f;
    const char *word = fsd_failed_value(f, FSD_SAID_TYPE);
    enum fsd_dtype type = word ? type_of(word) : FSD_DTYPE_UNKNOWN;

    if (f->nodes.n || f->is != FSD_FAILS_HARDWARE || type == FSD_DTYPE_UNKNOWN)
        return;
    for (fsd_id i = 0; i < p->g->nodes.n; i++)
        if (!p->g->nodes.at[i].scope && has_type(p, i, type))
            fsd_vec_push(f->arena, &f->nodes, i);
    if (f->nodes.n)
        f->by = FSD_FAILED_BY_TYPE;
}

static bool is_open(const struct fsd_graph *g, fsd_id tensor)
{
    const struct fsd_form *form = fsd_tensor_form(g, tensor);

    for (uint32_t i = 0; i < form->dims.n; i++)
        if (g->dims.at[form->dims.at + i].size < 0)
            return true;
    return false;
}

/* Adds the inputs with dynamic sizes, if the build failed because of a profile. */
static void find_open_inputs(const struct place *p)
{
    struct fsd_span inputs =
        p->g->scopes.n ? p->g->scopes.at[0].inputs : (struct fsd_span){0};

    if (p->f->tensors.n || p->f->nodes.n || p->f->is != FSD_FAILS_PROFILE)
        return;
    FSD_EACH_ID (tensor, p->g->links, inputs)
        if (!fsd_tensor_is(p->g, tensor, FSD_TENSOR_CONSTANT) && is_open(p->g, tensor))
            add_tensor(p, fsd_tensor_name(p->g, tensor));
}

/* --------------------------------------------------------------------------- in all */

/* Adds the outputs of the network that no node computes, if nothing else is found. Only
 * their names are known. */
static void find_missing_outputs(const struct place *p)
{
    struct fsd_span outputs =
        p->g->scopes.n ? p->g->scopes.at[0].outputs : (struct fsd_span){0};

    if (p->f->tensors.n || p->f->nodes.n || p->f->is != FSD_FAILS_MODEL)
        return;
    FSD_EACH_ID (output, p->g->links, outputs) {
        const struct fsd_tensor *t = fsd_graph_tensor(p->g, output);

        if (!t->producers.n && !(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_CONSTANT)))
            add_tensor(p, fsd_text(p->g->names, t->name));
    }
}

/* Sets f->part, the nodes that the user can cut out as a smaller model: all nodes in
 * f->nodes. If only one of them failed, and it is unknown which, takes the first one.
 * For the class FSD_FAILS_MODEL, takes none, because the file is damaged. */
void fsd_failed_choose_part(struct fsd_failed *f)
{
    bool one = f->by == FSD_FAILED_BY_LAYER || f->by == FSD_FAILED_BY_TENSOR ||
               f->by == FSD_FAILED_BY_KIND || f->by == FSD_FAILED_BY_TYPE ||
               f->by == FSD_FAILED_BY_LINT;

    if (f->is == FSD_FAILS_MODEL)
        return;
    for (uint32_t i = 0; i < f->nodes.n && !(one && f->part.n); i++) {
        fsd_id node = f->nodes.at[i];

        while (f->model->nodes.at[node].scope)
            node = f->model->scopes.at[f->model->nodes.at[node].scope].owner;
        if (!fsd_ids_have(f->part.at, f->part.n, node))
            fsd_vec_push(f->arena, &f->part, node);
    }
}

void fsd_failed_find_place(struct fsd_failed *f, const struct fsd_vocab *vocab,
                           const struct fsd_log_said *said)
{
    struct place p = {.f = f, .g = f->model, .vocab = vocab};

    f->by = FSD_FAILED_BY_NOTHING;
    take_records(&p);
    take_said(&p, said);
    if (f->first->by_parser && f->first->node.n && !f->first->op.n) {
        take_said_tensor(&p, f->first->node);
        f->named = fsd_printed(f->arena, "input %.*s", (int)f->first->node.n,
                               f->first->node.s);
    }
    if (!f->nodes.n && !f->tensors.n)
        find_in_sentence(&p, f->first->reason);
    find_layer_in_sentence(&p, f->first->reason);
    find_by_order(&p);
    find_by_type(&p);
    find_open_inputs(&p);
    find_missing_outputs(&p);
}
