/* The layers of an engine, described independently of the builder, and the meanings of
 * names within layer names. */
#pragma once

#include "base/base.h"
#include "model/graph/dtype.h"

/** What a name within a layer's name, or an item of the layer's Metadata, means. */
enum fsd_mention_role {
    FSD_MENTION_COMPUTES, /**< the layer computes this node */
    FSD_MENTION_FIRST,    /**< the first node of a foreign region */
    FSD_MENTION_LAST,     /**< the last node of a foreign region */
    FSD_MENTION_WRAPS,    /**< the layer is a reshape, or another data movement, before
                               or after this node */
    FSD_MENTION_COPIES,   /**< the layer copies this tensor, or one of this node's
                               tensors */
    FSD_MENTION_SERVES,   /**< the layer is a reformat for this node; the layer does not
                               compute the node */
    FSD_MENTION_CONSTANT, /**< the text is the name of an initializer */
    FSD_MENTION_HELPER,   /**< the text is the name of a layer that the parser added */
    FSD_MENTION_UNKNOWN   /**< text with an unknown meaning */
};

struct fsd_mention {
    unsigned by; /**< enum fsd_evidence: metadata, name or log */
    enum fsd_mention_role role;
    fsd_sym text;   /**< as the input spells it */
    fsd_sym layer;  /**< `text` with the suffixes that follow it in the input, "X_2" or
                         "X_clone_1"; equal to `text` if there are none */
    fsd_id node;    /**< the node of the model; FSD_NONE: the text names no node */
    fsd_id tensor;  /**< the tensor of the model; FSD_NONE: the text names no tensor */
    uint32_t among; /**< the number of nodes that `text` may mean; 0: it means no
                         node; 1: the meaning is certain */
    uint8_t loose;  /**< `text` is not exactly the model's name: the engine replaced
                         characters of the name, such as '.', by '_' */
};

/** What the names within a layer's name refer to. */
enum fsd_name_form {
    FSD_NAME_PLAIN,  /**< the nodes that the layer computes */
    FSD_NAME_SERVES, /**< what the layer reformats data for: another layer, or an input
                          or output of the network */
    FSD_NAME_COPIES, /**< the tensor that the layer copies */
    FSD_NAME_WRAPS,  /**< the node before or after which the builder inserted the
                          layer */
    FSD_NAME_REGION  /**< the nodes of a foreign region, which the engine lists as one
                          layer */
};

/** The code that runs a layer. */
enum fsd_provider {
    FSD_PROVIDER_BUILDER,  /**< the builder's own kernels */
    FSD_PROVIDER_COMPILER, /**< a kernel that the builder's compiler generated for a
                                foreign region */
    FSD_PROVIDER_PLUGIN,   /**< code of the user */
    FSD_PROVIDER_DEVICE    /**< a device other than the GPU, or the transfer to or from
                                it */
};

/** The kinds of layers. Each layer has exactly one kind. */
enum fsd_kind {
    FSD_KIND_COMPUTE,
    FSD_KIND_REFORMAT,
    FSD_KIND_COPY,
    FSD_KIND_QUANTIZE, /**< an unfused Q or DQ */
    FSD_KIND_CONSTANT,
    FSD_KIND_NOOP,
    FSD_KIND_SHAPE,
    FSD_KIND_SYNC,
    FSD_KIND_FOREIGN, /**< a foreign region, which the engine lists as one layer */
    FSD__KIND_COUNT
};

/** Whether the layer computes nodes: a layer that moves, stores or waits for data does
 *  not. */
static inline bool fsd_kind_computes(enum fsd_kind kind)
{
    return kind == FSD_KIND_COMPUTE || kind == FSD_KIND_FOREIGN;
}

/** Whether a layer may perform operations that are missing in its `steps`. */
enum fsd_more_steps {
    FSD_STEPS_ARE_ALL,
    FSD_STEPS_GO_ON,    /**< yes, after the last step: a library kernel's epilogue */
    FSD_STEPS_LACK_SOME /**< yes, before, between or after the steps */
};

/** The factor by which a matrix product is scaled. */
enum fsd_factor {
    FSD_FACTOR_NOT_TOLD,
    FSD_FACTOR_ONE, /**< the factor is 1, which has no effect */
    FSD_FACTOR_GIVEN
};

/** A layer, described independently of the builder. A member is 0, NULL or false if the
 *  engine does not state it. */
struct fsd_layer {
    enum fsd_kind kind; /**< the match may change it to a more precise kind */
    enum fsd_provider provider;
    enum fsd_name_form form;
    fsd_sym base_name; /**< the name without the number of the optimization profile */
    int32_t profile;   /**< the optimization profile of the layer; -1: unknown */
    fsd_sym served;    /**< FSD_NAME_SERVES: the layer that this layer serves */
    uint32_t port;     /**< FSD_NAME_SERVES: the number of the served input or output */
    bool output;       /**< FSD_NAME_SERVES: the served tensor is an output, not an
                            input */
    fsd_sym made_as;   /**< the layer's name in the log line that the builder prints
                            when it adds the layer */
    bool forwards;     /**< the layer has one input and one output, and only moves
                            data */
    bool slices;       /**< the layer outputs a part of its input */
    bool may_quantize; /**< a layer of this type may be an unfused Q or DQ */
    bool multiplies;   /**< a layer of its type does multiply-adds */
    bool alone;        /**< the layer computes the node in its name and no other node */
    bool scalar;       /**< the layer multiplies without tensor cores or their
                            equivalent */
    bool transposed;   /**< the convolution is a transposed one */
    bool of_network;   /**< the layer is a layer of the network definition, although it
                            computes no node.  Its name shows that the builder did not
                            add it */
    int64_t maps;      /**< the number of output channels of a convolution */
    fsd_sym metadata;  /**< the Metadata of the layer, verbatim */
    fsd_sym origin;    /**< the reason why the layer moves data, in the engine's
                            spelling */
    fsd_sym subtype;   /**< a more specific type, such as the name of a plugin; 0:
                            none */
    fsd_sym tactic, tactic_value;
    fsd_sym ran_by;   /**< the execution provider, as a profile spells it; 0: unknown */
    fsd_sym ran_with; /**< the sizes of the layer's outputs in the profiled runs:
                           "[1,64] []"; 0: unknown */
    enum fsd_dtype rounds_to;   /**< the type to which the kernel rounds inputs of
                                     higher precision */
    enum fsd_dtype computes_in; /**< the type in which the layer computes, according to
                                     its weights and the name of its kernel; used only
                                     if tensor types are unknown */
    uint64_t weights, bias;     /**< the numbers of elements of the weights and of the
                                     bias */
    enum fsd_dtype weights_type, bias_type;
    struct fsd_span mentions;  /**< in fsd_graph.mentions */
    struct fsd_span constants; /**< in fsd_graph.ports: weights and other constants, if
                                    the engine lists them separately from inputs */
    bool lists_constants;      /**< the engine lists constants separately; true even if
                                    this layer has none */
    bool sealed; /**< the layer is a compiled plan of a different compiler, so the type
                      in which it computes is unknown */
    struct fsd_span steps; /**< the known operations of the layer, in order: symbols of
                                ONNX operators, in fsd_graph.links */
    uint8_t more_steps;    /**< enum fsd_more_steps: where the layer may perform other
                                operations */
    uint8_t factor;        /**< enum fsd_factor */
};
