/*
 * What a picture shows, before anything is laid out: boxes, wires between the boxes of
 * one side, ties between the sides.
 *
 *     model                           engine
 *     [Conv] --wire--> [Relu] ==tie== [CaskConvolution]
 *      (one cluster: a layer's)            |wire
 *     [Reshape, dashed: identity]     [+ Reformat, inserted]
 *
 * Made in three steps: diff_pick.c says which nodes and layers are in it,
 * diff_share.c which of them share a box, diff_draw.c makes boxes, wires and ties.
 * All three are linear in what is drawn.  Only src/report includes this.
 */
#ifndef FSD_REPORT_PICTURE_H
#define FSD_REPORT_PICTURE_H

#include "diff/diff.h"

#include <stdio.h>

enum fsd_side { FSD_SIDE_MODEL, FSD_SIDE_ENGINE, FSD__SIDE_COUNT };

enum fsd_box_kind {
    FSD_BOX_ITEMS,  /**< one or more nodes or layers */
    FSD_BOX_INPUT,  /**< an input tensor of the graph */
    FSD_BOX_OUTPUT, /**< an output tensor */
    FSD_BOX_TENSOR  /**< written and read by so many that it stands for itself */
};

struct fsd_box {
    enum fsd_side side;
    enum fsd_box_kind kind;
    struct fsd_span items; /**< in fsd_drawing.items: nodes, layers, or one tensor */
    fsd_id
        cluster;   /**< model side: the engine's box whose cluster it is in; FSD_NONE */
    unsigned tint; /**< engine side: number of its colour, neighbours have others; 0:
                        none, it computes no node of the picture */
    const char *title; /**< what the items have in common; NULL: nothing */
};

struct fsd_wire {
    fsd_id from, to;           /**< boxes of one side */
    fsd_id tensor;             /**< the first of `n` */
    fsd_id from_port, to_port; /**< in the graph's ports; FSD_NONE: not known */
    uint32_t n;                /**< tensors that go this way */
};

/** A layer's box and what it computes: a cluster of boxes, or one box of a node that
 *  another layer has the rest of. */
struct fsd_tie {
    fsd_id model, engine; /**< boxes */
    bool part;            /**< the model's box lies in another layer's cluster */
    bool region;          /**< only a group of layers is known to compute it */
};

/** From a box to a later one: by what the picture leaves out, or, where no wire is
 *  known to lead there, since it comes next in the file. */
struct fsd_thread {
    fsd_id from, to; /**< boxes of one side */
};

/** What is in the picture; by node and by layer. */
struct fsd_pick {
    bool *nodes, *layers;
    fsd_id *homes; /**< by node: the layer whose cluster it is in: the first picked one
                        that computes it; of a vanished node the one between whose
                      tensors it lies, where it is next to a node of that; FSD_NONE */
    bool partial;  /**< not everything */
    uint32_t constants;  /**< Constant nodes left out */
    const char *subject; /**< "reformats and what is next to them" */
};

/** How boxes are shared.  Levels go from everything apart to a few boxes. */
enum fsd_level { FSD_LEVEL_NONE, FSD_LEVEL_RUN, FSD_LEVEL_SCOPE, FSD_LEVEL_PART };

struct fsd_grain {
    enum fsd_level level;
    unsigned depth; /**< of FSD_LEVEL_SCOPE */
};

/** By node and by layer: the first item of its box, and that box's title. */
struct fsd_sharing {
    fsd_id *nodes, *layers;
    const char **node_titles, **layer_titles; /**< at the first items; NULL */
};

struct fsd_drawing {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_pick pick;
    struct fsd_grain grain;
    FSD_VEC(struct fsd_box)
    boxes; /**< model first; each side in the order of its file */
    FSD_VEC(fsd_id) items;
    FSD_VEC(struct fsd_wire) wires;     /**< sorted */
    FSD_VEC(struct fsd_tie) ties;       /**< sorted */
    FSD_VEC(struct fsd_thread) threads; /**< sorted */
    FSD_VEC(struct fsd_thread) holds;   /**< not to be seen: the second comes below */
    double slowest_ms; /**< of the engine's layers, those of a box together; not above 0
                            when no time is known */
};

/** Picks what `want` asks for (NULL: everything).
 *  @return FSD_OK, or FSD_E_ARG when a word is not known or names nothing. */
enum fsd_status fsd_picture_pick(const struct fsd_diff *d,
                                 const struct fsd_style *style, struct fsd_arena *arena,
                                 struct fsd_pick *pick, struct fsd_error *err);

/** Reads "none", "run" or "scope:N". */
enum fsd_status fsd_grain_parse(const char *word, struct fsd_grain *grain,
                                struct fsd_error *err);

/** "run", "scope:2", "part": writes at most 24 bytes and returns `out`. */
const char *fsd_grain_name(struct fsd_grain grain, char out[24]);

/** The next coarser grain; false after the last. */
bool fsd_grain_next(const struct fsd_drawing *w, struct fsd_grain *grain);

/** Says which items share a box. */
struct fsd_sharing fsd_picture_collapse(const struct fsd_diff *d,
                                        const struct fsd_pick *pick,
                                        struct fsd_grain grain,
                                        struct fsd_arena *arena);

/** True for a node that no layer computes. */
bool fsd_node_vanished(const struct fsd_diff *d, fsd_id node);

/** Boxes, wires and ties of what is picked.  Lives in the arena. */
struct fsd_drawing *fsd_drawing_new(const struct fsd_diff *d, struct fsd_pick pick,
                                    struct fsd_grain grain, struct fsd_arena *arena);

/** Fills `holds`, with which no row of the engine is too wide.  Linear. */
void fsd_drawing_hold_rows(struct fsd_drawing *w);

/** Writes a picture: DOT as it is, the other formats laid out by Graphviz in a child
 *  process, which is killed when it takes too long; then a coarser grain is tried.
 *  @param format "dot", "svg", "png" or "pdf".
 *  @return FSD_OK; FSD_E_ARG for words of the style's picture that mean nothing;
 *          FSD_E_LIMIT when no layout came to an end in its time. */
enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err);

#endif
