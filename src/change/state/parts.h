/* Declares the working data of a state under construction, and the functions that the
 * files of this folder share.  Only this folder includes this file. */
#pragma once

#include "base/base.h"
#include "change/state/state.h"

struct fsd_state_build {
    const struct fsd_graph *model;
    const struct fsd_facts *facts;
    const struct fsd_diff *d; /**< the run; NULL for a model without an engine */
    struct fsd_state *s;
    struct fsd_arena *scratch;
    struct fsd_print text, words, list; /**< streams that are reused for each text */
    fsd_id *of_node;      /**< indexed by model node: its node in the state; FSD_NONE
                               for a Constant */
    uint32_t *out_number; /**< indexed by model tensor: its index among the outputs of
                               the node that produces it.  For an input of the network:
                               its index among the inputs of the state */
    int64_t *written;     /**< indexed by engine tensor: number of values that all
                               layers together write; -1 if unknown */
    uint32_t *kernel_of;  /**< indexed by layer: its kernel; NULL if the dump states no
                               kernels */
};

/** Sets `core` and `core_in` of all nodes, and `core_from` of all outputs.  For this,
 *  follows each tensor back through quantizers, views and optional nodes to a core node
 *  or a network input. */
void fsd_state_see_through(struct fsd_state *s);

/** Adds the string of `sym`, a symbol of the model, to the state's own table, and
 *  returns its symbol in that table. */
fsd_sym fsd_state_copy(struct fsd_state_build *b, fsd_sym sym);
/** The symbol of the text that was printed to b->text; empties b->text. */
fsd_sym fsd_state_printed(struct fsd_state_build *b);

/** The key of a node or port: its name or, if the name is very long, the beginning and
 *  a hash of the name.  A snapshot repeats the key in each reference, so it must be
 *  short, and it must be the same in every build. */
const char *fsd_state_key(struct fsd_state_build *b, fsd_sym sym);

/** Whether an entry of the model's list of inputs is an input of the state.  Constants
 *  and repeated entries are not.  Call it for each entry, in order.
 *  @param seen indexed by model tensor: whether an earlier call had this tensor; all
 *         false before the first call. */
bool fsd_state_is_input(const struct fsd_graph *g, bool *seen, fsd_id tensor);

/** The attributes of a node as text, without attributes that have the default value. */
fsd_sym fsd_state_attrs(struct fsd_state_build *b, fsd_id node);

/** The short constant inputs of a node as text (state_values.c). */
fsd_sym fsd_state_values(struct fsd_state_build *b, fsd_id node);

/** The origin of a model tensor.  fsd_state_direct() returns the tensor's producer.
 *  fsd_state_core() goes back from the producer to a core node or network input. */
struct fsd_producer fsd_state_direct(const struct fsd_state_build *b, fsd_id tensor);
struct fsd_producer fsd_state_core(const struct fsd_state_build *b, fsd_id tensor);

/** The form of an engine tensor at the first layer that reads the tensor.  If no layer
 *  reads it: the form at the first layer that writes the tensor. */
const struct fsd_form *fsd_state_binding_sizes(const struct fsd_state_build *b,
                                               fsd_id t);
struct fsd_state_form fsd_state_binding_form(struct fsd_state_build *b, fsd_id t);

/** A form of the engine, as the state stores it. */
struct fsd_state_form fsd_state_form(struct fsd_state_build *b,
                                     const struct fsd_form *f);

/** The engine tensor with the name of an input or output of the network; FSD_NONE if
 *  there is none. */
fsd_id fsd_state_port_tensor(const struct fsd_state_build *b,
                             const struct fsd_state_port *port);

/* The steps that make a state, in the order in which they run.  First, layers become
 * groups and moves, without borders and ends.  Then the edges add borders and ends, and
 * the times determine the order of moves.  The wires come last, because they refer to
 * moves by number. */
void fsd_state_add_nodes(struct fsd_state_build *b);
void fsd_state_add_layers(struct fsd_state_build *b);
void fsd_state_add_kernels(struct fsd_state_build *b);
void fsd_state_add_sources(struct fsd_state_build *b); /**< sets `from` of kernels'
                                                            inputs */
void fsd_state_add_bindings(struct fsd_state_build *b);
void fsd_state_add_edges(struct fsd_state_build *b);
void fsd_state_add_times(struct fsd_state_build *b);
void fsd_state_add_efforts(struct fsd_state_build *b);
void fsd_state_add_wires(struct fsd_state_build *b);
