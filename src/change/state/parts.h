/* Declarations that only the files of this folder share. */
#pragma once

#include "base/base.h"
#include "change/state/state.h"

struct fsd_state_build {
    const struct fsd_graph *model;
    const struct fsd_facts *facts;
    const struct fsd_diff *d; /**< NULL: a model without an engine */
    struct fsd_state *s;
    struct fsd_arena *scratch;
    struct fsd_print text, words, list; /**< reused for each text */
    fsd_id *of_node;      /**< indexed by model node: its state node; FSD_NONE: a
                               Constant */
    uint32_t *out_number; /**< indexed by model tensor: which output of its producer it
                               is */
    int64_t *written;     /**< indexed by engine tensor: number of values that layers
                               write; -1: unknown */
    uint32_t *kernel_of;  /**< indexed by layer: its kernel; NULL: the dump states no
                               kernels */
};

/** Resolves each input of a node to the core node before any views and quantizers. */
void fsd_state_see_through(struct fsd_state *s);

/** The symbol of the same string in the state's own table. */
fsd_sym fsd_state_copy(struct fsd_state_build *b, fsd_sym sym);
/** The symbol of the text printed to `text`, which is reused because opening a stream
 *  is slow. */
fsd_sym fsd_state_printed(struct fsd_state_build *b);

/** The key of a node or port: its name or, if the name is very long, the beginning and
 *  a hash of the name.  Each reference to the node or port repeats the key, which is
 *  the same in every build. */
const char *fsd_state_key(struct fsd_state_build *b, fsd_sym sym);

/** Whether a tensor of the model's input list is an input of the state: not a constant,
 *  and not listed before.
 *  @param seen indexed by tensor of the model; all false before the first call. */
bool fsd_state_is_input(const struct fsd_graph *g, bool *seen, fsd_id tensor);

/** A node's attributes as text, without those that have their default value. */
fsd_sym fsd_state_attrs(struct fsd_state_build *b, fsd_id node);

/** A node's short constant inputs as text. state_values.c */
fsd_sym fsd_state_values(struct fsd_state_build *b, fsd_id node);

/** The origin of a model tensor: its producer, or the first core node before it. */
struct fsd_producer fsd_state_direct(const struct fsd_state_build *b, fsd_id tensor);
struct fsd_producer fsd_state_core(const struct fsd_state_build *b, fsd_id tensor);

/** The form of an engine's tensor in the first layer that reads or writes it. */
const struct fsd_form *fsd_state_binding_sizes(const struct fsd_state_build *b,
                                               fsd_id t);
struct fsd_state_form fsd_state_binding_form(struct fsd_state_build *b, fsd_id t);

/** The engine's form as the state stores it. */
struct fsd_state_form fsd_state_form(struct fsd_state_build *b,
                                     const struct fsd_form *f);

/** The engine's tensor with the name of the network's port; FSD_NONE if there is
 *  none. */
fsd_id fsd_state_port_tensor(const struct fsd_state_build *b,
                             const struct fsd_state_port *port);

/* The steps, in order: layers become groups and moves without borders and ends; then
 * the edges add borders and ends; then the times determine the order of moves; the
 * wires come last, because they refer to moves by number. */
void fsd_state_add_nodes(struct fsd_state_build *b);
void fsd_state_add_layers(struct fsd_state_build *b);
void fsd_state_add_kernels(struct fsd_state_build *b);
void fsd_state_add_sources(struct fsd_state_build *b); /**< origins of kernels'
                                                            inputs */
void fsd_state_add_bindings(struct fsd_state_build *b);
void fsd_state_add_edges(struct fsd_state_build *b);
void fsd_state_add_times(struct fsd_state_build *b);
void fsd_state_add_efforts(struct fsd_state_build *b);
void fsd_state_add_wires(struct fsd_state_build *b);
