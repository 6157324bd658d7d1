/*
 * Name scopes: the modules of a model, from the exporter's metadata, else from the
 * names of nodes.
 *
 *     /backbone/layer1/layer1.0/conv1/Conv     scopes backbone, layer1, layer1.0, conv1
 *     model.12.cv1.conv.weight                 scopes model, 12, cv1, conv
 *
 * A node whose own name has no scopes has those of the weight it reads; one without a
 * weight those of the first node that it shares a layer with; an unfused quantizer
 * those of its consumer.
 */
#ifndef FSD_COST_SCOPE_H
#define FSD_COST_SCOPE_H

#include "explain/diff/diff.h"

struct fsd_module {
    fsd_sym name; /**< in fsd_scopes.names; 0: no scopes */
    uint32_t nodes;
    uint32_t opaque;    /**< of these in an opaque layer, whose kernels, precisions and
                             data movement are unknown */
    uint32_t layers;    /**< that compute one of its nodes */
    uint32_t reformats; /**< layers that only move data and are not free: its own
                             quantizers and copies, inserted ones whose data it reads */
    double ms;          /**< of its nodes; negative: unknown */
    double reformat_ms; /**< of these layers; not in `ms`; negative: unknown */
    uint32_t by_type[FSD__DTYPE_COUNT]; /**< its layers, by precision */
};

typedef FSD_VEC(struct fsd_module) fsd_module_vec;

struct fsd_scopes {
    struct fsd_intern *names; /**< of scopes; separate, so that a run stays const */
    fsd_sym *of;              /**< by node: its first scopes; 0 if it has none */
    unsigned depth;           /**< how many parts at most */
};

/** The scopes of all nodes at a depth; depth 0 selects a useful one. */
struct fsd_scopes fsd_cost_scopes(struct fsd_arena *arena, const struct fsd_diff *d,
                                  unsigned depth);

struct fsd_modules {
    fsd_module_vec list;
    double rest_ms;  /**< of layers without a node, and of opaque ones */
    uint32_t shared; /**< layers that compute something of several scopes, and count in
                          each */
};

/** Sums for each scope with a computing layer, in the order of their first nodes.
 *  Times of all modules, of their reformats, and `rest_ms` add up to the total. */
struct fsd_modules fsd_cost_modules(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_scopes *scopes);

#endif
