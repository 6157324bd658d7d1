/* A small model for the tests of the engine reader, which has names but no meaningful
 * operators.  Prints the mentions in a layer's name or Metadata as one line of text. */
#ifndef FSD_TESTS_TRT_NAMES_H
#define FSD_TESTS_TRT_NAMES_H

#include "model/ops/ids.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/vocab.h"

#include <stdio.h>
#include <string.h>

struct names_model {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_graph *model;
    struct fsd_vocab *vocab;
};

/* Opens a model with these nodes; "-" is an unnamed node.  Node i produces the tensor
 * "t<i>". */
static inline void names_model_open(struct names_model *m, const char *const *nodes,
                                    size_t n_nodes, const char *const *constants,
                                    size_t n_constants)
{
    m->arena = fsd_arena_new();
    m->names = fsd_op_names_new(m->arena);
    m->model = fsd_graph_new(m->arena, m->names);
    for (size_t i = 0; i < n_nodes; i++) {
        struct fsd_node node = {.op = fsd_intern_str(m->names, "Op")};
        struct fsd_port port = {.form = FSD_NONE};
        char out[32];

        snprintf(out, sizeof out, "t%zu", i);
        if (strcmp(nodes[i], "-"))
            node.name = fsd_intern_str(m->names, nodes[i]);
        port.tensor = fsd_graph_add_tensor(m->model, fsd_intern_str(m->names, out), 0);
        node.out = (struct fsd_span){m->model->ports.n, 1};
        fsd_vec_push(m->arena, &m->model->ports, port);
        fsd_graph_add_node(m->model, node);
    }
    for (size_t i = 0; i < n_constants; i++) {
        fsd_id t =
            fsd_graph_add_tensor(m->model, fsd_intern_str(m->names, constants[i]), 0);

        m->model->tensors.at[t].flags = FSD_TENSOR_CONSTANT;
    }
    fsd_graph_finish(m->model);
    m->vocab = fsd_vocab_new(m->arena, m->model);
}

static inline void names_model_close(struct names_model *m)
{
    fsd_arena_free(m->arena);
}

/* Prints the mentions of g: "computes Conv_1, constant w, helper ONNXTRT_x".  A loose
 * match has "~", one of several "/3"; "=" precedes the name of the node or tensor if it
 * differs from the text. */
static inline const char *mentions_text(const struct fsd_graph *g,
                                        const struct fsd_graph *model,
                                        struct fsd_span span, char *out, size_t size)
{
    static const char *const roles[] = {"computes", "first",  "last",
                                        "wraps",    "copies", "serves",
                                        "constant", "helper", "unknown"};
    size_t used = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < span.n && used < size; i++) {
        const struct fsd_mention *m = &g->mentions.at[span.at + i];
        fsd_sym is = m->node != FSD_NONE     ? model->nodes.at[m->node].name
                     : m->tensor != FSD_NONE ? model->tensors.at[m->tensor].name
                                             : m->text;

        used += (size_t)snprintf(out + used, size - used, "%s%s %s", i ? ", " : "",
                                 roles[m->role], fsd_text(g->names, m->text));
        if (used < size && is != m->text)
            used += (size_t)snprintf(out + used, size - used, "=%s",
                                     fsd_text(g->names, is));
        if (used < size && m->loose)
            used += (size_t)snprintf(out + used, size - used, "~");
        if (used < size && m->among > 1)
            used += (size_t)snprintf(out + used, size - used, "/%u", m->among);
    }
    return out;
}

static inline const char *form_text(const struct fsd_layer *layer)
{
    static const char *const forms[] = {[FSD_NAME_PLAIN] = "plain",
                                        [FSD_NAME_SERVES] = "serves",
                                        [FSD_NAME_COPIES] = "copies",
                                        [FSD_NAME_WRAPS] = "wraps",
                                        [FSD_NAME_REGION] = "region"};

    if (layer->provider == FSD_PROVIDER_COMPILER)
        return "compiled";
    return layer->provider == FSD_PROVIDER_DEVICE ? "device" : forms[layer->form];
}

#endif
