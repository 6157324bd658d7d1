/*
 * Compares two exports of one network, without engines:
 *
 *     Conv_4  input 0   plain -> int8 scale 0.0123     a new Q and DQ
 *     Conv_4  output 0  fp32 -> fp16
 *     Gelu    only in the new model
 *
 * The models are first aligned and compared like two builds (`compare`), so that a new
 * name is not a change. Then the properties that builds do not have are compared.
 * Quantizers, casts and views count as properties of the input that they lead to,
 * because exporters place and count them differently. Small constants are
 * compared by value, weights by shape.
 */
#pragma once

#include "change/compare/compare.h"
#include "match/facts.h"

/** A model, and the facts that were proved about the model. */
struct fsd_export {
    const struct fsd_graph *model;
    const struct fsd_facts *facts;
};

enum fsd_export_what {
    FSD_EXPORT_MODEL,    /**< opset, exporter, version of the format */
    FSD_EXPORT_PORT,     /**< an input or output: name, type, shape */
    FSD_EXPORT_REMOVED,  /**< a computing node that only the old model has */
    FSD_EXPORT_ADDED,    /**< a computing node that only the new model has */
    FSD_EXPORT_OPERATOR, /**< the operator of a node differs */
    FSD_EXPORT_ATTRIBUTE,
    FSD_EXPORT_READS,     /**< the producer of an input differs */
    FSD_EXPORT_QUANTIZED, /**< the Q/DQ on the path to an input differ */
    FSD_EXPORT_CAST,      /**< the casts on the path to an input differ */
    FSD_EXPORT_CONSTANT,  /**< the type, shape or value of a constant input differs */
    FSD_EXPORT_TYPE,      /**< the type of an output differs; FSD_EXPORT_SHAPE: the
                               shape differs */
    FSD_EXPORT_SHAPE,
    FSD__EXPORT_COUNT
};

struct fsd_export_change {
    uint8_t what;
    fsd_id old, new; /**< nodes of the states; FSD_NONE: not in that model */
    fsd_id region;   /**< the node's region in `compare`; FSD_NONE: the change concerns
                          the whole model */
    const char *of;  /**< the part of the node that changed: "input 0", "attribute
                          axis"; "" for a node as a whole */
    const char *was, *now; /**< the property in each model; "" if absent */
};

struct fsd_exports {
    struct fsd_arena *arena;
    struct fsd_export old, new;
    struct fsd_state *before, *after;          /**< from fsd_state_of_model() */
    struct fsd_compare *compare;               /**< the comparison of these states */
    FSD_VEC(struct fsd_export_change) changes; /**< sorted by what, then by node */
    uint32_t by_what[FSD__EXPORT_COUNT];
    uint32_t old_nodes, new_nodes, aligned; /**< number of nodes that compute */
    uint32_t renamed;                       /**< number of aligned nodes with another
                                                 name */
    uint32_t unread; /**< number of inputs with scales or zero points that were not
                          read, and therefore not compared */
};

/** @param old,new must outlive the result. */
struct fsd_exports *fsd_exports_new(struct fsd_export old, struct fsd_export new);
void fsd_exports_free(struct fsd_exports *e); /**< may be NULL */

const char *fsd_export_what_name(unsigned what); /**< "quantization", etc. */
