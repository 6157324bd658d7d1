/*
 * Makes a model from an engine that has no model. Exporters name nodes after operators
 * and modules, and builders keep these names in layers. Most nodes are therefore known
 * without the model. Their edges, shapes and constants are unknown.
 *
 *     Name of the layer, or its Metadata            Nodes
 *     conv1.weight + QuantizeLinear_7 + Conv_9      QuantizeLinear_7, Conv_9
 *     71 + (Unnamed Layer* 16) [Shuffle] + Mul_8    Mul_8
 *     [RELU]-[aten_ops.relu.default]-[/relu/relu]   a RELU with this whole name
 *     Metadata [ONNX Layer: /fc/Gemm]               /fc/Gemm; the name is ignored
 */
#include "api/engine_alone.h"

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ops.h"
#include "read/engine/reader.h"

#include <ctype.h>

/* Whether `name` means a constant tensor: it is a number, such as "71", and the layer
 * has other names, too. If the number is the only name, it means a node. */
static bool is_numbered_constant(const struct fsd_layer *l, struct fsd_slice name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!fsd_is_digit(name.s[i]))
            return false;
    return l->mentions.n > 1;
}

/* Whether the layer computes the mentioned node. Layers also mention nodes whose data
 * they copy, and nodes before or after them. */
static bool states_node(const struct fsd_graph *dump, fsd_id layer,
                        const struct fsd_mention *m, bool has_metadata)
{
    const struct fsd_layer *l = &dump->layers.at[layer];
    struct fsd_slice name = {fsd_text(dump->names, m->text),
                             fsd_text_len(dump->names, m->text)};

    if (m->by & FSD_BY_METADATA)
        return true;
    return !has_metadata && m->role != FSD_MENTION_HELPER &&
           (l->form == FSD_NAME_PLAIN || l->form == FSD_NAME_REGION) &&
           l->kind != FSD_KIND_CONSTANT && !fsd_is_weight_name(name) &&
           !is_numbered_constant(l, name);
}

/* Sets the operator of a node from its name, which ends with the operator ("Conv_9",
 * "/layer1/Conv", "node_Conv_12") or begins with it ("[RELU]-[...]-[...]"). Sets 0 if
 * that word is no operator. */
static void set_operator(struct fsd_graph *g, fsd_id node)
{
    fsd_sym sym = g->nodes.at[node].name;
    const char *name = fsd_text(g->names, sym),
               *at = name + fsd_text_len(g->names, sym);
    const char *close = *name == '[' ? strchr(name, ']') : NULL;

    if (close && close[1] == '-') {
        g->nodes.at[node].op =
            fsd_intern_add(g->names, name + 1, (size_t)(close - name) - 1);
        return;
    }
    while (at > name && isdigit((unsigned char)at[-1]))
        at--;
    if (*at && at > name && strchr("_-", at[-1]))
        at--;
    else
        at += strlen(at);
    for (const char *word = at; word > name && isalnum((unsigned char)word[-1]);) {
        word--;
        if (word > name && isalnum((unsigned char)word[-1]))
            continue;
        g->nodes.at[node].op = fsd_intern_add(g->names, word, (size_t)(at - word));
        if (!(fsd_op_traits(g, node) & FSD_OP_STANDARD))
            g->nodes.at[node].op = 0;
    }
}

/* Adds an unnamed tensor as the only input or output of a node. Without an input, the
 * node would count as constant.
 * @param flags for the input: 0. For the output: FSD_TENSOR_OUTPUT. Without this flag,
 *         the node would count as dead, because nothing reads its output */
static struct fsd_span own_tensor(struct fsd_graph *g, uint8_t flags)
{
    fsd_id t = fsd_graph_add_tensor(g, 0, 0);
    struct fsd_span ports = {g->ports.n, 1};

    g->tensors.at[t].flags |= flags;
    fsd_vec_push(g->arena, &g->ports, (struct fsd_port){t, FSD_NONE});
    return ports;
}

/* The name without a suffix such as "_clone_1": "X_clone_1" is a copy of node X for
 * another consumer. */
static fsd_sym without_clone(struct fsd_graph *g, fsd_sym name)
{
    static const char mark[] = "_clone_";
    const char *text = fsd_text(g->names, name), *at = text, *last = NULL;

    while ((at = strstr(at, mark))) {
        last = at;
        at += strlen(mark);
    }
    if (!last || last == text)
        return name;
    at = last + strlen(mark);
    return *at && at[strspn(at, "0123456789")] == '\0'
               ? fsd_intern_add(g->names, text, (size_t)(last - text))
               : name;
}

/* Returns an array that is indexed by name, with all elements false. First interns the
 * mentioned names without suffixes such as "_clone_1", so that the array has elements
 * for these names, too. */
static bool *names_there(struct fsd_graph *g, const struct fsd_graph *dump)
{
    for (uint32_t i = 0; i < dump->mentions.n; i++)
        without_clone(g, dump->mentions.at[i].text);
    return FSD_NEW(g->arena, bool, fsd_intern_count(dump->names));
}

/* Adds the nodes that the layers mention, unless the graph already has them.
 * @param there by name: whether the graph has a node of this name */
static void add_nodes(struct fsd_graph *g, const struct fsd_graph *dump, bool *there)
{
    for (fsd_id i = 0; i < dump->nodes.n; i++) {
        struct fsd_span span = dump->layers.at[i].mentions;
        bool has_metadata = false;

        for (uint32_t k = 0; k < span.n; k++)
            has_metadata |= dump->mentions.at[span.at + k].by & FSD_BY_METADATA;
        FSD_EACH_IN (const struct fsd_mention, m, dump->mentions, span) {
            struct fsd_node node = {.name = without_clone(g, m->text),
                                    .where = g->nodes.n};

            if (there[node.name] || m->node != FSD_NONE || m->tensor != FSD_NONE ||
                !states_node(dump, i, m, has_metadata))
                continue;
            there[node.name] = true;
            node.in = own_tensor(g, 0);
            node.out = own_tensor(g, FSD_TENSOR_OUTPUT);
            set_operator(g, fsd_graph_add_node(g, node));
        }
    }
}

void fsd_alone_read(struct fsd_graph *g, const struct fsd_graph *dump)
{
    add_nodes(g, dump, names_there(g, dump));
    g->kind = "engine-names";
    g->named_only = true;
    g->path = dump->path;
    memcpy(g->hash, dump->hash, sizeof g->hash);
    fsd_graph_finish(g);
}

uint32_t fsd_alone_add(struct fsd_graph *g, const struct fsd_graph *dump)
{
    bool *there = names_there(g, dump);
    uint32_t before = g->nodes.n;
    bool known = false;

    for (uint32_t i = 0; i < dump->mentions.n; i++)
        known |= dump->mentions.at[i].node != FSD_NONE;
    if (!known)
        return 0;
    for (fsd_id i = 0; i < before; i++)
        there[g->nodes.at[i].name] = true;
    add_nodes(g, dump, there);
    if (g->nodes.n > before)
        fsd_graph_finish(g);
    return g->nodes.n - before;
}
