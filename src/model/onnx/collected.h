/* The edits of a model.  The functions of edits.h collect the edits, and the writer in
 * edit/onnx/write.c applies them.  Only files in src/model/onnx and src/edit/onnx
 * include this header. */
#pragma once

#include "model/onnx/wire.h"
#include "model/onnx/edits.h"

typedef FSD_VEC(struct fsd_slice) fsd_slices;

/* Numbers of fields in proto/onnx.proto. */
enum { MODEL_GRAPH = 7, MODEL_METADATA = 14, MODEL_TRAINING = 20, MODEL_FUNCTION = 25 };
enum { FUNCTION_NAME = 1, FUNCTION_NODE = 7, FUNCTION_DOMAIN = 10 };
enum {
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE_INFO = 13,
    GRAPH_ANNOTATION = 14,
    GRAPH_SPARSE = 15
};
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_ATTRIBUTE = 5, NODE_METADATA = 9 };
enum { ATTRIBUTE_TENSOR = 5, ATTRIBUTE_TENSORS = 10, ATTRIBUTE_SPARSE = 22 };
enum { ATTRIBUTE_GRAPH = 6, ATTRIBUTE_GRAPHS = 11, ATTRIBUTE_SPARSES = 23 };
enum { SPARSE_VALUES = 1, SPARSE_INDICES = 2 };
enum {
    TENSOR_TYPE = 2,
    TENSOR_FLOATS = 4,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_EXTERNAL = 13,
    TENSOR_LOCATION = 14
};
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum {
    VALUE_INFO_TYPE = 2,
    VALUE_INFO_DOC = 3,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEMENT = 1
};

/* New names of a node's inputs or outputs, indexed by position; {NULL, 0}: the name
 * stays.
 */
struct fsd_renamed {
    fsd_slices names;
    uint32_t n_set;
};

/* A metadata entry: its key, and the StringStringEntryProto that holds the key and the
 * value. */
struct fsd_property {
    const char *key;
    struct fsd_slice packed;
};
typedef FSD_VEC(struct fsd_property) fsd_properties;

/* The changes to one node; most lists are empty. */
struct fsd_node_rewrite {
    fsd_slices before, behind; /* the NodeProtos to insert before and after the node */
    struct fsd_renamed inputs, outputs;
    fsd_properties metadata;
    bool drop;
};

/* A change to lists of the main graph.  It replaces, appends or drops the entry with a
 * certain name. */
struct fsd_listed_change {
    unsigned lists;         /* mask of enum fsd_onnx_list */
    struct fsd_slice bytes; /* the new entry, which replaces the old one or is appended
                               to the list; empty: the old entry is dropped */
    uint32_t next;          /* the next change with the same name, in `listed`;
                               FSD_NONE: this is the last one */
};

struct fsd_onnx_edits {
    struct fsd_arena *arena;
    const struct fsd_graph *g;
    uint32_t *change_of;     /* indexed by node: its index in `changes`; FSD_NONE: the
                                node has no change */
    bool *holds;             /* indexed by scope: whether the scope, or a body inside
                                it, has an edit */
    fsd_id *first;           /* indexed by scope: its first node */
    struct fsd_lists bodies; /* indexed by node: its bodies */
    FSD_VEC(struct fsd_node_rewrite) changes;
    fsd_slices at_end; /* the NodeProtos to append to the main graph */
    FSD_VEC(struct fsd_listed_change) listed;
    uint32_t *listed_of; /* indexed by symbol: the index in `listed` of the newest
                            change with this name; FSD_NONE: there is none */
    uint32_t n_listed_of;
    fsd_properties metadata;  /* new entries of the model's metadata */
    uint8_t *type_of;         /* indexed by tensor: the number of its new type in ONNX;
                                0: the type stays; NULL: all types stay */
    struct fsd_intern *named; /* the names that edits add; NULL: none yet */
    const struct fsd_onnx_called *functions; /* the model-local functions to keep; NULL:
                                                all */
    uint32_t n_functions;
    bool drops_training;
    enum fsd_onnx_weights weights;
};

/* Computes the hash of a model file.  A graph stores this hash (fsd_graph.hash), to
 * identify the file from which it was read. */
enum fsd_status fsd_onnx_identify(const struct fsd_file *file, uint64_t hash[2],
                                  struct fsd_error *err);
