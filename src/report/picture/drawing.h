/*
 * What a picture shows, before anything is laid out: boxes on two sides, wires between
 * the boxes of one side, ties between the sides.
 *
 *     model                            engine                   a run
 *     [Conv] --wire--> [Relu] ==tie==  [Convolution]
 *      (one cluster: a layer's)             |wire
 *     [Reshape, dashed: identity]      [+ Reformat, inserted]
 *
 *     old build                        new build                a comparison
 *     [Conv Add Relu  int8] ===tie===  [Conv  int8]
 *                           `========  [Add Relu  fp16]
 *                                      [+ Reformat]
 *
 * diff_*.c makes a drawing of a run, compare_*.c of a comparison; dot.c prints it, and
 * layout.c lets Graphviz lay out the printed text. Only this folder includes this
 * header.
 */
#pragma once

#include "match/pick.h"
#include "report/picture/picture.h"

/* ------------------------------------------------------------------ the drawing */

enum fsd_side { FSD_SIDE_LEFT, FSD_SIDE_RIGHT, FSD__SIDE_COUNT };

enum fsd_box_kind {
    FSD_BOX_ITEMS,  /**< nodes or layers, or one fusion group */
    FSD_BOX_INPUT,  /**< an input tensor of the graph */
    FSD_BOX_OUTPUT, /**< an output tensor */
    FSD_BOX_TENSOR, /**< a tensor of an engine with its own box, since many layers write
                         and read it; in a comparison, a port with a different name in
                         the model */
    FSD_BOX_MOVE,   /**< in a comparison: a layer between groups */
    FSD__BOX_COUNT
};

struct fsd_box {
    enum fsd_side side;
    enum fsd_box_kind kind;
    struct fsd_span items; /**< its items in fsd_drawing.items. The first one is the
                                number of the box; in a comparison the group's layers
                                follow, if they are known */
    fsd_id cluster;        /**< of a box on the left side: the box on the right side to
                                whose cluster it belongs; FSD_NONE */
    uint32_t members;  /**< of a box on the right side: number of boxes in its cluster,
                            which is drawn if there are several */
    fsd_id frame;      /**< the frame in which it is drawn; 0: the frame of its side */
    unsigned tint;     /**< the number of its color in the painter's list */
    const char *title; /**< what the items have in common; NULL: nothing */
};

/** A frame around boxes of both sides; frames may be nested. */
struct fsd_frame {
    fsd_id parent;     /**< parent frame; FSD_NONE: the first frame, which is not
                            drawn */
    const char *title; /**< an HTML-like string; NULL: the frame is empty */
};

enum fsd_line_kind {
    FSD_WIRE, /**< from the producer of a tensor to a consumer, within a side */
    /** From the left to the right side, between boxes of the same nodes: from a node or
     * a cluster of nodes to its layer; from a node to another layer that computes a
     * part of it; between groups of two builds. */
    FSD_TIE,
    /** From a box to a later one of its side, if no wire connects them: the path
     * between them passes boxes that are left out; or nothing is known of the path, and
     * the later box is the next in the file. */
    FSD_THREAD,
    FSD_HOLD, /**< invisible: keeps the second box below the first */
    FSD__LINE_COUNT
};

struct fsd_line {
    fsd_id from, to; /**< boxes */
    uint32_t rank;   /**< lines are sorted by this, then by their boxes */

    /* Members of a wire: */
    fsd_id what; /**< the first of `n` tensors; in a comparison, a layout */
    fsd_id from_port, to_port; /**< port of the graph; FSD_NONE: not known */
    uint32_t n;                /**< number of tensors on this path */
    uint8_t type[2];           /**< enum fsd_dtype at both ends; 0: not known */
    bool derived; /**< derived from nodes: no tensor is known on this path */

    /* Members of a tie: */
    bool part;  /**< the left box is in the cluster of another box */
    bool loose; /**< drawn dotted: less is known, or nothing changed */
};

typedef FSD_VEC(struct fsd_line) fsd_lines;

struct fsd_drawing {
    struct fsd_arena *arena;
    const struct fsd_painter *painter;
    const void *of;                /**< data of the painter */
    FSD_VEC(struct fsd_box) boxes; /**< left first */
    FSD_VEC(fsd_id) items;
    FSD_VEC(struct fsd_frame) frames; /**< each after its parent */
    fsd_lines lines[FSD__LINE_COUNT]; /**< sorted */
    bool straight; /**< draw straight lines: Graphviz finds no curves for them */
};

/** The box on the right side to whose cluster a box belongs; NULL: none. */
static inline struct fsd_box *fsd_drawing_owner(const struct fsd_drawing *w,
                                                const struct fsd_box *box)
{
    return box->cluster == FSD_NONE ? NULL : &w->boxes.at[box->cluster];
}

/** The look of a box, in the terms of Graphviz. */
struct fsd_box_style {
    const char *shape, *style, *fill, *line, *width;
};

/** The parts of a picture that drawings of a run and of a comparison print differently.
 * Labels of boxes and the legend are HTML-like strings, all other texts are plain.
 * Every name in them goes through fsd_put_label_text() or fsd_put_tip_text(). */
struct fsd_painter {
    struct fsd_side_words {
        const char *name, *label;
        unsigned weight; /**< how strongly its wires should be straight */
        const char *prefixes[FSD__BOX_COUNT]; /**< prefix of the names of boxes, by
                                                   kind */
    } sides[FSD__SIDE_COUNT];
    /** Prints the heading of a side; NULL: the side has its plain label. */
    const char *(*side_label)(const struct fsd_drawing *w, enum fsd_side side);
    void (*put_legend)(const struct fsd_drawing *w, FILE *out);
    struct fsd_box_style (*look)(const struct fsd_drawing *w,
                                 const struct fsd_box *box);
    void (*put_label)(const struct fsd_drawing *w, const struct fsd_box *box,
                      FILE *out);
    void (*put_tip)(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out);
    void (*put_wire_label)(const struct fsd_drawing *w, const struct fsd_line *wire,
                           FILE *out);
    /** NULL: wires have no tooltips. */
    void (*put_wire_tip)(const struct fsd_drawing *w, const struct fsd_line *wire,
                         FILE *out);
    /** Returns the color of a tie. If this is NULL, a tie has the color of its box on
     * the right side. */
    const char *(*tie_color)(const struct fsd_drawing *w, const struct fsd_line *tie);
    const char *tie_width;
    const char *loose_tip; /**< the meaning of a loose tie; NULL: it has none */
    bool hangs;            /**< boxes without an incoming line are placed below the
                           heading of their side */
    bool port_labels; /**< wires of an input or output have labels, too, although its
                           box has the same label */
};

/* ---------------------------------------------------------- making one, drawing.c */

/** Returns the i-th item of a box. */
static inline fsd_id fsd_item(const struct fsd_drawing *w, const struct fsd_box *box,
                              uint32_t i)
{
    return w->items.at[box->items.at + i];
}

/** Adds a box with one item. */
fsd_id fsd_drawing_add_box(struct fsd_drawing *w, struct fsd_box box, fsd_id item);

/** Adds an item to the last box. */
void fsd_drawing_add_item(struct fsd_drawing *w, fsd_id item);

/** Adds a line. It ignores lines from or to FSD_NONE, and from a box to itself. */
void fsd_drawing_add_line(struct fsd_drawing *w, enum fsd_line_kind kind,
                          struct fsd_line line);

/** Sorts the lines of a kind and removes duplicates. */
void fsd_drawing_sort_lines(struct fsd_drawing *w, enum fsd_line_kind kind);

/** Number of boxes and lines, which determines the time of the layout. */
uint32_t fsd_drawing_weight(const struct fsd_drawing *w);

/** Number of ranks that all lines cross together: the layout bends each line at each
 * rank, which takes most of its time. */
uint64_t fsd_drawing_span(const struct fsd_drawing *w);

/* ------------------------------------------------------ words and colors, paint.c */

/** Prints a text, shortened to `most` characters in the middle, escaped, and with
 * hidden characters made visible: for a label (of either kind of string), or for a
 * tooltip. */
void fsd_put_label_text(FILE *out, const char *s, size_t most);
void fsd_put_tip_text(FILE *out, const char *s, size_t most);

/** The meaning of the colors of layers; `tint` is NULL if colors only distinguish
 * layers. */
struct fsd_coloring {
    const char *name;
    unsigned (*tint)(const struct fsd_diff *d, fsd_id layer);
    const char *words[7]; /**< by tint, for the legend; NULL: not used */
};
/** Finds a coloring by name; NULL means the first. diff_color.c */
enum fsd_status fsd_coloring_find(const char *name, const struct fsd_coloring **out,
                                  struct fsd_error *err);

/** Returns the color of a type; lines of higher precisions are thicker. */
const char *fsd_type_color(enum fsd_dtype type);
const char *fsd_type_width(enum fsd_dtype type);

#define FSD_SMALL "<FONT POINT-SIZE=\"8\" COLOR=\"#444444\">"
#define FSD_ARROW " \xe2\x86\x92 "

/** Prints " int8" in the color of the type; nothing if the type is unknown. */
void fsd_put_type_word(enum fsd_dtype type, FILE *out);

/** Prints the files of a picture into a legend: their names, or for two builds the
 * parts of their paths that differ.
 * @param left  NULL: the picture is of one file */
void fsd_put_title(const char *left, const char *right, bool apart, FILE *out);

/** Begin and end of the table of a legend, and one cell. */
#define FSD_LEGEND_BEGIN                                                               \
    "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\">"
#define FSD_LEGEND_END "</TABLE>"
void fsd_put_key(struct fsd_box_style look, const char *border, const char *text,
                 FILE *out);
/** Prints the last cell of a legend's row and ends the row. The cell explains the
 * colors of types and, if the drawing has any, lines that were derived from the nodes
 * and dotted lines. */
void fsd_put_line_keys(const struct fsd_drawing *w, FILE *out);

extern const struct fsd_box_style fsd_port_look, fsd_inserted_look;

/* ------------------------------------------------------------------- writing it */

/** Prints a drawing as DOT.
 * @param wire_labels print a label on every wire, not only where the type changes. */
void fsd_dot_print(const struct fsd_drawing *w, bool wire_labels, FILE *out);

/** Limit for a picture whose layout takes a few seconds; see fsd_drawing_span(). */
enum { FSD_MOST_SPAN = 8000 };

/** A picture and its possible simplifications. */
struct fsd_plan {
    const struct fsd_picture *want;
    struct fsd_drawing *drawing;
    /** Draws less, and describes in `less` what is drawn; false if it cannot draw
     * less. */
    bool (*simplify)(struct fsd_plan *plan);
    char less[200];     /**< for a note: "drawn with --collapse run, ..." */
    uint32_t most_ends; /**< above this number, or FSD_MOST_SPAN, less is drawn */
    bool chosen;        /**< the program may simplify the picture: the user did not
                             request it */
    bool last;          /**< there is no further simplification */
    double spent;       /**< processor time for its layouts, in seconds */
};

/** Writes the picture in one of the formats of fsd_picture_write(). */
enum fsd_status fsd_plan_write(struct fsd_plan *plan, const char *format, FILE *out,
                               struct fsd_error *err);

/** Writes a picture that needs a layout. layout.c */
enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err);

/** The options of a picture; a style without options means the whole picture. */
const struct fsd_picture *fsd_wanted_picture(const struct fsd_style *style);

/** Prints the DOT of the first layout, and notes what is left out. */
void fsd_plan_print(struct fsd_plan *plan, FILE *out);

/** Lets Graphviz read DOT, lay it out and write it; false if it cannot, or finds an
 * error. It may take very long, may crash, and prints to standard error, so it runs
 * in a child process, which may be asked for further pictures. graphviz.c */
bool fsd_graphviz_draw(const char *dot, const char *format, FILE *out);

/** Returns the first line of the messages that a reader should know; NULL.
 * complaint.c */
const char *fsd_graphviz_complaint(const char *said);

/** Result of an attempt to lay out. */
struct fsd_layout_outcome {
    bool good, timed_out;
    double spent;   /**< processor time in seconds */
    char said[200]; /**< message of Graphviz; empty: none */
};

/** Stores a message of Graphviz. */
void fsd_graphviz_say(const char *said, struct fsd_layout_outcome *o);

/** Whether a child process can lay out; in a build without Graphviz, whether there
 * is a program that can. */
bool fsd_child_draws(void);

/* Implements fsd_layouts_begin() and its relatives by a child process: child.c, or
 * program.c without Graphviz; returns NULL if there is no program. */
struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format);
/** Writes the next picture to `out`; nothing if it cannot be laid out. If a picture
 * crashes the child, or the child must be killed, another child lays out the rest. */
struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out);
void fsd_child_end(struct fsd_layout_child *l);

/* --------------------------------------------------------------- a run, diff_*.c */

/** The contents of a picture, by node and by layer. */
struct fsd_pick {
    bool *nodes, *layers;
    fsd_id *homes; /**< by node: the layer to whose cluster it belongs; FSD_NONE: none.
                        This is the first picked layer that computes the node. For a
                        vanished node, it is the layer whose tensors are around the
                        node, if the node touches a node of that layer */
    bool partial;  /**< the picture leaves something out */
    uint32_t constants;  /**< number of Constant nodes left out */
    const char *subject; /**< "reformats and their neighbors" */
};

/** Puts the bodies of control flow into frames; clusters must be known. */
void fsd_diff_add_frames(struct fsd_drawing *w, const struct fsd_diff *d);

/** How items share boxes. The levels lead from one box per item to a few boxes. */
enum fsd_level { FSD_LEVEL_NONE, FSD_LEVEL_RUN, FSD_LEVEL_SCOPE, FSD_LEVEL_PART };

struct fsd_grain {
    enum fsd_level level;
    unsigned depth; /**< depth for FSD_LEVEL_SCOPE */
};

/** By node or by layer: the first item of its box, and the title of that box. */
struct fsd_sharing {
    fsd_id *leader;
    const char **titles; /**< titles, at the indices of the first items; NULL: none */
};

/** The contents of a drawing. */
/** Facts below the name of a layer, as bits. */
enum fsd_label {
    FSD_LABEL_MS = 1,
    FSD_LABEL_BYTES = 2,
    FSD_LABEL_TACTIC = 4,
};

/** Reads a list such as "ms,tactic".
 * @param list  NULL: times and bytes
 *  @return FSD_OK, or FSD_E_ARG when a word is not known. */
enum fsd_status fsd_labels_parse(const char *list, unsigned *labels,
                                 struct fsd_error *err);

struct fsd_diff_scene {
    const struct fsd_diff *d;
    struct fsd_pick pick;
    struct fsd_grain grain;
    const struct fsd_coloring *coloring;
    unsigned labels;   /**< bits of enum fsd_label */
    double slowest_ms; /**< time of the slowest box of the engine, whose layers count
                            together; not above 0 if no time is known */
};
extern const struct fsd_painter fsd_diff_painter; /* diff_label.c */

/** Picks the nodes and layers that the style requests.
 * @return FSD_OK, or FSD_E_ARG when a word is not known or names nothing. */
enum fsd_status fsd_diff_pick(const struct fsd_diff *d, const struct fsd_style *style,
                              struct fsd_arena *arena, struct fsd_pick *pick,
                              struct fsd_error *err);

/** Picks some layers, with their nodes and the vanished nodes beside these. */
void fsd_diff_pick_layers(const struct fsd_diff *d, const fsd_id *layers, uint32_t n,
                          struct fsd_arena *arena, struct fsd_pick *pick);

/** The form of a tensor at one end of its wire; if it is unknown there, that of the
 * other end. */
const struct fsd_form *fsd_wire_form(const struct fsd_graph *g,
                                     const struct fsd_line *wire, bool source);

/** Sum of the times of a box's layers; negative if no time is known. */
double fsd_box_ms(const struct fsd_drawing *w, const struct fsd_box *box,
                  const struct fsd_diff *d);

/** True for a node that no layer computes. */
bool fsd_node_vanished(const struct fsd_diff *d, fsd_id node);

/** Reads "none", "run" or "scope:N". */
enum fsd_status fsd_grain_parse(const char *word, struct fsd_grain *grain,
                                struct fsd_error *err);

/** "run", "scope:2", "part": writes at most 24 bytes and returns `out`. */
const char *fsd_grain_name(struct fsd_grain grain, char out[24]);

/** Advances to the next coarser level; false after the last. */
bool fsd_grain_next(struct fsd_grain *grain);

/** The greatest number of nested scopes in names of nodes; deeper levels give the
 * same picture. */
unsigned fsd_diff_scope_levels(const struct fsd_diff *d);

/** Determines which items share a box. */
void fsd_diff_share(const struct fsd_diff *d, const struct fsd_pick *pick,
                    struct fsd_grain grain, struct fsd_arena *arena,
                    struct fsd_sharing *nodes, struct fsd_sharing *layers);

/* --------------------------------------------------------- a part of it, near.c */

/** Units of a graph (nodes, layers, groups), some of which are selected. */
struct fsd_near {
    struct fsd_arena *arena;
    bool *in;           /**< by unit: first the selection, at the end all drawn units */
    uint32_t n;         /**< units */
    unsigned depth;     /**< maximum number of steps */
    const bool *passes; /**< by unit: passing it is not counted as a step; NULL: each
                             unit is a step */
    /** Calls fsd_near_take() for each neighbor of a unit. */
    void (*next)(struct fsd_near *near, fsd_id unit);
    const void *of;
    fsd_id_vec front, beyond; /**< units of this step and of the following one; empty at
                                   first */
};

void fsd_near_take(struct fsd_near *near, fsd_id unit);
void fsd_near_grow(struct fsd_near *near);

/** A pair of adjacent units. */
struct fsd_near_pair {
    fsd_id a, b;
};
/** Like fsd_near_grow(), if all pairs of neighbors are known; sets `next` and `of`.
 * @param pairs may be NULL if there are none */
void fsd_near_grow_pairs(struct fsd_near *near, const struct fsd_near_pair *pairs,
                         uint32_t n);

/* ------------------------------------------------ two states beside each other */

/** Begins the scene of a drawing of two builds. */
struct fsd_pair_scene {
    const struct fsd_state *states[FSD__SIDE_COUNT];
};

static inline const struct fsd_state *fsd_box_state(const struct fsd_drawing *w,
                                                    const struct fsd_box *box)
{
    return ((const struct fsd_pair_scene *)w->of)->states[box->side];
}

/** The name of the box of an input or an output. */
static inline const struct fsd_state_port *fsd_box_port(const struct fsd_drawing *w,
                                                        const struct fsd_box *box)
{
    const struct fsd_state *s = fsd_box_state(w, box);

    return &(box->kind == FSD_BOX_INPUT ? s->inputs.at
                                        : s->outputs.at)[fsd_item(w, box, 0)];
}

/* ----------------------------------------------------- a comparison, compare_*.c */

struct fsd_compare_scene {
    struct fsd_pair_scene pair;
    const struct fsd_compare *c;
    const char *subject;      /**< for a part: "the changes and their neighbors"; NULL:
                              everything is drawn */
    struct fsd_lists changes; /**< for two exports, by region */
};
extern const struct fsd_painter fsd_compare_painter, fsd_exports_painter;

/** Colors of boxes. FSD_GROUP_LABELED: a group that shows what happened to its region.
 * FSD_MOVE_UNCHANGED: a move that is the same in both builds; any other move has the
 * color of its enum fsd_move_what. */
enum { FSD_GROUP_LABELED = 1, FSD_MOVE_UNCHANGED = 3 };
