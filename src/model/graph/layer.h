/* Layers of an engine, in terms that hold for any builder, and the meanings of their
 * names. */
#pragma once

#include "base/base.h"
#include "model/graph/dtype.h"

/** The meaning of a name or a Metadata item for a layer. */
enum fsd_mention_role {
    FSD_MENTION_COMPUTES, /**< the layer computes this node */
    FSD_MENTION_FIRST,    /**< the first node of a foreign region */
    FSD_MENTION_LAST,     /**< the last node of a foreign region */
    FSD_MENTION_WRAPS,    /**< the layer is a reshape or similar around this node */
    FSD_MENTION_COPIES,   /**< the layer copies this tensor, or one of this node's
                               tensors */
    FSD_MENTION_SERVES,   /**< the layer is a reformat for this node, which it does not
                               compute */
    FSD_MENTION_CONSTANT, /**< an initializer is in the name */
    FSD_MENTION_HELPER,   /**< a layer that the parser added */
    FSD_MENTION_UNKNOWN   /**< text with an unknown meaning */
};

struct fsd_mention {
    unsigned by; /**< enum fsd_evidence: metadata, name or log */
    enum fsd_mention_role role;
    fsd_sym text;   /**< as the input spells it */
    fsd_sym layer;  /**< likewise with the builder's suffixes: "X_2", "X_clone_1" */
    fsd_id node;    /**< a node of the model; FSD_NONE if it names none */
    fsd_id tensor;  /**< a tensor of the model; FSD_NONE */
    uint32_t among; /**< number of nodes that the text may mean; 1: certain, 0: none */
    uint8_t loose;  /**< matched only after the engine's rewriting of names ('.' to
                         '_') */
};

/** What the names within a layer's name refer to. */
enum fsd_name_form {
    FSD_NAME_PLAIN,  /**< the nodes that the layer computes */
    FSD_NAME_SERVES, /**< the layer, input or output that the layer serves */
    FSD_NAME_COPIES, /**< the tensor that the layer copies */
    FSD_NAME_WRAPS,  /**< the node around which the layer is inserted */
    FSD_NAME_REGION  /**< the nodes of a foreign region, listed as one layer */
};

/** The code that runs a layer. */
enum fsd_provider {
    FSD_PROVIDER_BUILDER,  /**< the builder's own kernels */
    FSD_PROVIDER_COMPILER, /**< a kernel to which a foreign region was compiled */
    FSD_PROVIDER_PLUGIN,   /**< code of the user */
    FSD_PROVIDER_DEVICE    /**< a different device, or the transfer to and from it */
};

/** The kind of a layer, exactly one. */
enum fsd_kind {
    FSD_KIND_COMPUTE,
    FSD_KIND_REFORMAT,
    FSD_KIND_COPY,
    FSD_KIND_QUANTIZE, /**< an unfused Q or DQ */
    FSD_KIND_CONSTANT,
    FSD_KIND_NOOP,
    FSD_KIND_SHAPE,
    FSD_KIND_SYNC,
    FSD_KIND_FOREIGN, /**< a region listed as one layer */
    FSD__KIND_COUNT
};

/** Whether the layer computes nodes: a layer that moves, stores or waits for data does
 *  not. */
static inline bool fsd_kind_computes(enum fsd_kind kind)
{
    return kind == FSD_KIND_COMPUTE || kind == FSD_KIND_FOREIGN;
}

/** Where a layer may perform operations that its steps do not list. */
enum fsd_more_steps {
    FSD_STEPS_ARE_ALL,
    FSD_STEPS_GO_ON,    /**< after the listed steps: the epilogue of a library kernel */
    FSD_STEPS_LACK_SOME /**< anywhere */
};

/** The factor by which a matrix product is scaled. */
enum fsd_factor {
    FSD_FACTOR_NOT_TOLD,
    FSD_FACTOR_ONE, /**< 1, so that it changes nothing */
    FSD_FACTOR_GIVEN
};

/** A layer in neutral terms: these members have a meaning for any builder, and are 0,
 *  NULL or false if the engine does not state them. */
struct fsd_layer {
    enum fsd_kind kind; /**< links may refine it */
    enum fsd_provider provider;
    enum fsd_name_form form;
    fsd_sym base_name; /**< the name without the profile's number */
    int32_t profile;   /**< the optimization profile of the layer; -1: unknown */
    fsd_sym served;    /**< FSD_NAME_SERVES: the layer that this layer serves */
    uint32_t port;     /**< FSD_NAME_SERVES: the number of the served tensor */
    bool output;       /**< FSD_NAME_SERVES: the served tensor is an output, not an
                            input */
    fsd_sym made_as;   /**< the layer's name in the log line that adds it */
    bool forwards;     /**< the layer has one input and one output, and only moves
                            data */
    bool slices;       /**< the layer outputs a part of its input */
    bool may_quantize; /**< an unfused Q or DQ may be a layer of this type */
    bool multiplies;   /**< a layer of its type does multiply-adds */
    bool alone;        /**< the layer computes only the node in its name */
    bool scalar;       /**< the layer multiplies without tensor cores or their
                            equivalent */
    bool transposed;   /**< the convolution is a transposed one */
    bool of_network;   /**< computes no node, and its name shows that it is a layer of
                            the network definition: the builder did not add it */
    int64_t maps;      /**< output channels of a convolution with `weights` */
    fsd_sym metadata;  /**< the layer's origin as the engine states it, verbatim */
    fsd_sym origin;    /**< why the layer moves data, in the engine's word */
    fsd_sym subtype;   /**< a more specific type, such as the name of a plugin; 0:
                            none */
    fsd_sym tactic, tactic_value;
    fsd_sym ran_by;   /**< the execution provider, as a profile spells it; 0: unknown */
    fsd_sym ran_with; /**< the sizes of the layer's outputs in the profiled runs:
                           "[1,64] []"; 0: unknown */
    enum fsd_dtype rounds_to;   /**< the type to which the kernel rounds inputs of
                                     higher precision */
    enum fsd_dtype computes_in; /**< derived from the layer's weights and its kernel's
                                     name, for engines whose tensor types are unknown */
    uint64_t weights, bias;     /**< number of elements */
    enum fsd_dtype weights_type, bias_type;
    struct fsd_span mentions;  /**< in fsd_graph.mentions */
    struct fsd_span constants; /**< in fsd_graph.ports: weights and other constants that
                                    the engine lists separately from inputs */
    bool lists_constants;      /**< the engine lists constants separately, even if the
                                    layer has none */
    bool sealed; /**< a compiled plan of a different compiler: the type in which it
                      computes is unknown */
    struct fsd_span steps; /**< the operations that the layer is known to perform, in
                                order, as names of ONNX operators, in fsd_graph.links */
    uint8_t more_steps;    /**< enum fsd_more_steps: where the layer may perform other
                                operations */
    uint8_t factor;        /**< enum fsd_factor */
};
