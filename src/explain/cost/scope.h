/*
 * Name scopes: the modules of a model, from the exporter's metadata, or else from the
 * names of nodes.
 *
 *     /backbone/layer1/layer1.0/conv1/Conv     scopes backbone, layer1, layer1.0, conv1
 *     model.12.cv1.conv.weight                 scopes model, 12, cv1, conv
 *
 * If the name of a node has no scopes, the node gets those of the weight that it reads;
 * without a weight, those of the first node in the same layer that has scopes; an
 * unfused quantizer gets those of its consumer.
 */
#pragma once

#include "explain/diff/diff.h"

struct fsd_module {
    fsd_sym name; /**< symbol in fsd_scopes.names; 0: the nodes have no scopes */
    uint32_t nodes;
    uint32_t opaque;    /**< number of its nodes in an opaque layer, whose kernels,
                             precisions and data movement are unknown */
    uint32_t layers;    /**< number of layers that compute one of its nodes */
    uint32_t reformats; /**< number of layers that only move data and are not free: the
                             module's quantizers and copies, and inserted layers whose
                             data the module reads */
    double ms;          /**< time of its nodes in milliseconds; negative: unknown */
    double reformat_ms; /**< time of `reformats` in milliseconds, not included in `ms`;
                             negative: unknown */
    uint32_t by_type[FSD__DTYPE_COUNT]; /**< number of its layers by precision */
};

typedef FSD_VEC(struct fsd_module) fsd_module_vec;

struct fsd_scopes {
    struct fsd_intern *names; /**< names of scopes; a separate table, so that a run
                                   stays const */
    fsd_sym *of;              /**< indexed by node: the symbol of its first scopes; 0:
                                   it has none */
    unsigned depth;           /**< the largest number of scopes in a name */
};

/** The scopes of all nodes at a depth; for depth 0, a useful depth is chosen. */
struct fsd_scopes fsd_cost_scopes(struct fsd_arena *arena, const struct fsd_diff *d,
                                  unsigned depth);

struct fsd_modules {
    fsd_module_vec list;
    double rest_ms;  /**< time of layers without a node, and of opaque layers, in
                          milliseconds */
    uint32_t shared; /**< number of layers that compute nodes of several scopes; they
                          count in each */
};

/** Sums up each scope that has a layer, in the order of their first nodes.  The times
 *  of all modules, of their reformats, and `rest_ms` add up to the total. */
struct fsd_modules fsd_cost_modules(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_scopes *scopes);
