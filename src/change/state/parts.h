/* What the files of this folder share with each other only. */
#ifndef FSD_STATE_PARTS_H
#define FSD_STATE_PARTS_H

#include "base/base.h"
#include "change/state/state.h"

struct fsd_state_build {
    const struct fsd_graph *model;
    const struct fsd_facts *facts;
    const struct fsd_diff *d; /**< NULL: a model alone */
    struct fsd_state *s;
    struct fsd_arena *scratch;
    struct fsd_print text, words, list; /**< for one text after the other */
    fsd_id *of_node;      /**< by model node: its state node; FSD_NONE: a Constant */
    uint32_t *out_number; /**< by model tensor: which output of its producer it is */
    int64_t *written;    /**< by engine tensor: values that layers write; -1: unknown */
    uint32_t *kernel_of; /**< by layer: its kernel; NULL: the dump states none */
};

/** Resolves each input of a node to the core node behind views and quantizers. */
void fsd_state_see_through(struct fsd_state *s);

/** The string in the state's own table. */
fsd_sym fsd_state_copy(struct fsd_state_build *b, fsd_sym sym);
/** What was printed to `text`, there; a stream takes longer to open than a text. */
fsd_sym fsd_state_printed(struct fsd_state_build *b);

/** The key of a node or port of that name, which each reference to it repeats: the
 *  name; of a very long one its beginning and its hash, the same in every build. */
const char *fsd_state_key(struct fsd_state_build *b, fsd_sym sym);

/** True when the next of the model's inputs, listed in its order, is one of the
 * state's: not a constant, nor listed before.
 *  @param seen by tensor of the model; the caller starts with none. */
bool fsd_state_is_input(const struct fsd_graph *g, bool *seen, fsd_id tensor);

/** A node's attributes as text, without those that have their default value. */
fsd_sym fsd_state_attrs(struct fsd_state_build *b, fsd_id node);

/** Its short constant inputs as text.  state_values.c */
fsd_sym fsd_state_values(struct fsd_state_build *b, fsd_id node);

/** What a model tensor comes from: its producer, or the first core node before it. */
struct fsd_producer fsd_state_direct(const struct fsd_state_build *b, fsd_id tensor);
struct fsd_producer fsd_state_core(const struct fsd_state_build *b, fsd_id tensor);

/** An engine's tensor as the first layer that reads or writes it sees it. */
const struct fsd_form *fsd_state_binding_sizes(const struct fsd_state_build *b,
                                               fsd_id t);
struct fsd_state_form fsd_state_binding_form(struct fsd_state_build *b, fsd_id t);

/** The engine's form as the state keeps it. */
struct fsd_state_form fsd_state_form(struct fsd_state_build *b,
                                     const struct fsd_form *f);

/** The engine's tensor that has the name of the network's port; FSD_NONE. */
fsd_id fsd_state_port_tensor(const struct fsd_state_build *b,
                             const struct fsd_state_port *port);

/* The steps, in order: layers become groups and moves, without borders and ends; edges
 * add those; then times, which set the order of moves; wires, which refer to moves by
 * number, last. */
void fsd_state_add_nodes(struct fsd_state_build *b);
void fsd_state_add_layers(struct fsd_state_build *b);
void fsd_state_add_kernels(struct fsd_state_build *b);
void fsd_state_add_sources(struct fsd_state_build *b); /**< of kernels, behind them */
void fsd_state_add_bindings(struct fsd_state_build *b);
void fsd_state_add_edges(struct fsd_state_build *b);
void fsd_state_add_times(struct fsd_state_build *b);
void fsd_state_add_efforts(struct fsd_state_build *b);
void fsd_state_add_wires(struct fsd_state_build *b);

#endif
