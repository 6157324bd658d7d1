/*
 * Name scopes: the modules of a model, which the exporter's metadata or the names of
 * nodes show.
 *
 *     /backbone/layer1/layer1.0/conv1/Conv     scopes backbone, layer1, layer1.0, conv1
 *     model.12.cv1.conv.weight                 scopes model, 12, cv1, conv
 *
 * If the name of a node has no scopes, the node gets the scopes of the weight that it
 * reads.  If there is no weight, it gets the scopes of another node in the same layer.
 * An unfused quantizer gets the scopes of its consumer.
 */
#pragma once

#include "explain/diff/diff.h"

struct fsd_module {
    fsd_sym name; /**< symbol in fsd_scopes.names; 0 for nodes without scopes */
    uint32_t nodes;
    uint32_t opaque;    /**< number of its nodes that an opaque layer computes */
    uint32_t layers;    /**< number of layers that compute one of its nodes */
    uint32_t reformats; /**< number of data-movement layers that cost time: unfused
                             quantizers and copies of the module, and inserted layers
                             whose data the module reads */
    double ms;          /**< time of its nodes in milliseconds, without `reformat_ms`;
                             negative if unknown */
    double reformat_ms; /**< time of the layers in `reformats`, in milliseconds;
                             negative if unknown */
    uint32_t by_type[FSD__DTYPE_COUNT]; /**< indexed by precision: number of the
                                             module's layers with this precision */
};

typedef FSD_VEC(struct fsd_module) fsd_module_vec;

struct fsd_scopes {
    struct fsd_intern *names; /**< names of scopes: a table of its own, because the
                                   tables of a run are const */
    fsd_sym *of;              /**< indexed by node: symbol in `names` of its first
                                   `depth` scopes; 0 if it has none */
    unsigned depth;           /**< maximum number of scopes in an entry of `names` */
};

/** Finds the first `depth` scopes of all nodes; for depth 0, chooses a useful depth. */
struct fsd_scopes fsd_cost_scopes(struct fsd_arena *arena, const struct fsd_diff *d,
                                  unsigned depth);

struct fsd_modules {
    fsd_module_vec list;
    double rest_ms;  /**< time outside the modules, in milliseconds: the times of layers
                          without a node, of opaque layers, and of profile entries that
                          are not layers */
    uint32_t shared; /**< number of layers that compute nodes of several modules and
                          count in each of them */
};

/** Sums layers and times for each module, in the order of the modules' first nodes. The
 *  total time is the sum of `rest_ms`, and of `ms` and `reformat_ms` of all modules. */
struct fsd_modules fsd_cost_modules(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_scopes *scopes);
