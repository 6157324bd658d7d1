/*
 * A drawing: the contents of a picture before its layout. It has boxes on two sides,
 * wires between the boxes of one side, and ties between the sides.
 *
 *     model                            engine                   a run
 *     [Conv] --wire--> [Relu] ==tie==  [Convolution]
 *      (cluster of Convolution)             |wire
 *     [Reshape, dashed: identity]      [+ Reformat, inserted]
 *
 *     old build                        new build                a comparison
 *     [Conv Add Relu  int8] ===tie===  [Conv  int8]
 *                           `========  [Add Relu  fp16]
 *                                      [+ Reformat]
 *
 * diff_*.c make the drawing of a run, compare_*.c that of a comparison. dot.c prints a
 * drawing, and layout.c lets Graphviz lay out the printed text. Only this folder
 * includes this header.
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
    FSD_BOX_TENSOR, /**< a tensor of an engine that many layers write and read. In a
                         comparison, also an input or output of the engine, if no input
                         or output of the network has its name */
    FSD_BOX_MOVE,   /**< in a comparison: a data-movement layer between groups */
    FSD__BOX_COUNT
};

struct fsd_box {
    enum fsd_side side;
    enum fsd_box_kind kind;
    struct fsd_span items; /**< a span of `items` in struct fsd_drawing. The first item
                                names the box. In a comparison, the first item is the
                                group; its layers follow if they are known */
    fsd_id cluster;        /**< for a box on the left side: the box on the right side
                                that owns its cluster; FSD_NONE: none */
    uint32_t members;  /**< for a box on the right side: number of boxes in its cluster;
                            a cluster of several boxes is drawn */
    fsd_id frame;      /**< the frame around the box; 0: only the frame of its side */
    unsigned tint;     /**< number of its color, in the painter's list */
    const char *title; /**< what the items have in common; NULL: nothing */
};

/** A frame around boxes. It may contain other frames. A side of the drawing shows the
 * frame if boxes of this side are in the frame. */
struct fsd_frame {
    fsd_id parent;     /**< the frame around this one; FSD_NONE: this is the first
                            frame, which is not drawn */
    const char *title; /**< an HTML-like string of DOT; NULL: not drawn */
};

enum fsd_line_kind {
    FSD_WIRE, /**< within a side: from the producer of a tensor to a consumer */
    /** From the left side to the right side. In a run: from a node, or a cluster of
     * nodes, to a layer that computes it. In a comparison: between groups that have a
     * node in common. */
    FSD_TIE,
    /** Within a side: a dotted line in place of wires and boxes that the picture leaves
     * out or that are not known. If no wire leads to a box, the thread may only keep
     * the box in its place. */
    FSD_THREAD,
    FSD_HOLD, /**< invisible: keeps the box `to` below the box `from` */
    FSD__LINE_COUNT
};

struct fsd_line {
    fsd_id from, to; /**< boxes */
    uint32_t rank;   /**< lines are sorted by rank, then by their boxes */

    /* Members of a wire: */
    fsd_id what; /**< the first of its `n` tensors; in a comparison, the symbol of a
                      layout */
    fsd_id from_port, to_port; /**< ports of the graph; FSD_NONE: unknown */
    uint32_t n;                /**< number of tensors */
    uint8_t type[2];           /**< enum fsd_dtype at both ends; 0: unknown */
    bool derived; /**< the wire follows from the nodes of the model, because the tensors
                       of the engine are not known */

    /* Members of a tie: */
    bool part;  /**< the tie's left box is not in the cluster of the tie's right box */
    bool loose; /**< drawn dotted; the painter's `loose_tip` explains such ties */
};

typedef FSD_VEC(struct fsd_line) fsd_lines;

struct fsd_drawing {
    struct fsd_arena *arena;
    const struct fsd_painter *painter;
    const void *of;                /**< data of the painter */
    FSD_VEC(struct fsd_box) boxes; /**< the boxes of the left side come first */
    FSD_VEC(fsd_id) items;
    FSD_VEC(struct fsd_frame) frames; /**< each after its parent */
    fsd_lines lines[FSD__LINE_COUNT]; /**< sorted */
    bool straight; /**< draw straight lines, because Graphviz found no curves */
};

/** The box on the right side that owns the cluster of a box; NULL: none. */
static inline struct fsd_box *fsd_drawing_owner(const struct fsd_drawing *w,
                                                const struct fsd_box *box)
{
    return box->cluster == FSD_NONE ? NULL : &w->boxes.at[box->cluster];
}

/** The look of a box: values of Graphviz attributes. */
struct fsd_box_style {
    const char *shape, *style, *fill, *line, *width;
};

/** The parts of a picture that differ between a run and a comparison. Labels of boxes
 * and the legend are HTML-like strings of DOT; all other texts are plain.
 * The functions must print names with fsd_put_label_text() or fsd_put_tip_text(). */
struct fsd_painter {
    struct fsd_side_words {
        const char *name, *label;
        unsigned weight; /**< how much Graphviz shortens and straightens the side's
                              wires */
        const char *prefixes[FSD__BOX_COUNT]; /**< prefixes of the names of boxes, by
                                                   kind of box */
    } sides[FSD__SIDE_COUNT];
    /** Returns the heading of a side. If this pointer is NULL, the heading is the
     * side's `label`. */
    const char *(*side_label)(const struct fsd_drawing *w, enum fsd_side side);
    void (*put_legend)(const struct fsd_drawing *w, FILE *out);
    struct fsd_box_style (*look)(const struct fsd_drawing *w,
                                 const struct fsd_box *box);
    void (*put_label)(const struct fsd_drawing *w, const struct fsd_box *box,
                      FILE *out);
    void (*put_tip)(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out);
    void (*put_wire_label)(const struct fsd_drawing *w, const struct fsd_line *wire,
                           FILE *out);
    /** Prints the tooltip of a wire; NULL: wires have no tooltips. */
    void (*put_wire_tip)(const struct fsd_drawing *w, const struct fsd_line *wire,
                         FILE *out);
    /** Returns the color of a tie. If this pointer is NULL, a tie has the color of its
     * box on the right side. */
    const char *(*tie_color)(const struct fsd_drawing *w, const struct fsd_line *tie);
    const char *tie_width;
    const char *loose_tip; /**< tooltip of a dotted tie; NULL: none */
    bool hangs;            /**< boxes without an incoming line are held below the top of
                                their side */
    bool port_labels;      /**< wires of inputs and outputs have labels, too */
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

/** Adds a line. Ignores lines from or to FSD_NONE, and lines from a box to itself. */
void fsd_drawing_add_line(struct fsd_drawing *w, enum fsd_line_kind kind,
                          struct fsd_line line);

/** Sorts the lines of a kind and removes duplicates. */
void fsd_drawing_sort_lines(struct fsd_drawing *w, enum fsd_line_kind kind);

/** The number of boxes, wires and ties. The time of a layout depends on it. */
uint32_t fsd_drawing_weight(const struct fsd_drawing *w);

/** The total length of all lines, in ranks. Graphviz spends most of its time on bending
 * each line at each rank. */
uint64_t fsd_drawing_span(const struct fsd_drawing *w);

/* ------------------------------------------------------ words and colors, paint.c */

/** Print an escaped text, for a label or for a tooltip. A text of more than `most`
 * characters is shortened in the middle. Hidden characters become visible. */
void fsd_put_label_text(FILE *out, const char *s, size_t most);
void fsd_put_tip_text(FILE *out, const char *s, size_t most);

/** A coloring of layers: it determines what their colors mean. */
struct fsd_coloring {
    const char *name;
    unsigned (*tint)(const struct fsd_diff *d, fsd_id layer);
    const char *words[7]; /**< by tint: the meaning, for the legend; NULL: no such
                               tint */
};
/** Finds a coloring by name; NULL finds the default. diff_color.c */
enum fsd_status fsd_coloring_find(const char *name, const struct fsd_coloring **out,
                                  struct fsd_error *err);

/** The color of a type, and the width of its lines: higher precisions have thicker
 * lines. */
const char *fsd_type_color(enum fsd_dtype type);
const char *fsd_type_width(enum fsd_dtype type);

#define FSD_SMALL "<FONT POINT-SIZE=\"8\" COLOR=\"#444444\">"
#define FSD_ARROW " \xe2\x86\x92 "

/** Prints " int8" in the color of the type; nothing if the type is unknown. */
void fsd_put_type_word(enum fsd_dtype type, FILE *out);

/** Prints the names of a picture's files into the legend.
 * @param left NULL: the picture has one file
 * @param apart true: if both files have the same name, prints also the folders in
 *         which they differ, such as "x/a.onnx" and "y/a.onnx"; false: prints only the
 *         names */
void fsd_put_title(const char *left, const char *right, bool apart, FILE *out);

/** The beginning and the end of a legend's table, and one cell. */
#define FSD_LEGEND_BEGIN                                                               \
    "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\">"
#define FSD_LEGEND_END "</TABLE>"
void fsd_put_key(struct fsd_box_style look, const char *border, const char *text,
                 FILE *out);
/** Prints the last cell of a row in a legend, and ends the row. The cell explains the
 * colors of types. If the drawing has derived wires or dotted lines, it explains these,
 * too. */
void fsd_put_line_keys(const struct fsd_drawing *w, FILE *out);

extern const struct fsd_box_style fsd_port_look, fsd_inserted_look;

/* ------------------------------------------------------------------- writing it */

/** Prints a drawing as DOT.
 * @param wire_labels true: label every wire; false: label a wire only if its type
 *         changes */
void fsd_dot_print(const struct fsd_drawing *w, bool wire_labels, FILE *out);

/** The maximum fsd_drawing_span() of a drawing. A layout with this span takes a few
 * seconds. */
enum { FSD_MOST_SPAN = 8000 };

/** A picture and its possible simplifications. */
struct fsd_plan {
    const struct fsd_picture *want;
    struct fsd_drawing *drawing;
    /** Makes a smaller drawing, and describes its contents in `less`; returns false if
     * the drawing cannot be smaller. */
    bool (*simplify)(struct fsd_plan *plan);
    char less[200];     /**< the end of a note. It describes the smaller drawing: "this
                             picture was therefore made with ..." */
    uint32_t most_ends; /**< maximum number of boxes, wires and ties. A drawing that
                             exceeds this number or FSD_MOST_SPAN is simplified */
    bool chosen;        /**< the user chose the level of detail; the drawing is
                             simplified only after a layout has failed, not for its
                             size */
    bool last;          /**< the drawing cannot be simplified further */
    double spent;       /**< processor time for its layouts, in seconds */
};

/** Writes the picture in one of the formats of fsd_picture_write(). */
enum fsd_status fsd_plan_write(struct fsd_plan *plan, const char *format, FILE *out,
                               struct fsd_error *err);

/** Writes a picture that needs a layout. layout.c */
enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err);

/** Returns the picture options of a style. If the style has none, returns options that
 * select the whole picture. */
const struct fsd_picture *fsd_wanted_picture(const struct fsd_style *style);

/** Prints the DOT of the first layout attempt, and reports what the drawing leaves
 * out. */
void fsd_plan_print(struct fsd_plan *plan, FILE *out);

/** Lays out DOT with Graphviz and writes the picture; returns false if Graphviz fails.
 * Graphviz may take very long, may crash, and prints to standard error. Only a child
 * process calls this function, for one picture after the other. graphviz.c */
bool fsd_graphviz_draw(const char *dot, const char *format, FILE *out);

/** Returns the first of Graphviz's messages that a reader should know; NULL: none.
 * complaint.c */
const char *fsd_graphviz_complaint(const char *said);

/** The result of a layout. */
struct fsd_layout_outcome {
    bool good, timed_out;
    double spent;   /**< processor time in seconds */
    char said[200]; /**< a message of Graphviz; "": none */
};

/** Stores a message of Graphviz. */
void fsd_graphviz_say(const char *said, struct fsd_layout_outcome *o);

/** Whether pictures can be laid out: by a child process or, in a build without
 * Graphviz, by a program that is installed. */
bool fsd_child_draws(void);

/* The functions that lay out pictures outside of this process. fsd_layouts_begin(),
 * fsd_layouts_take() and fsd_layouts_end() call them. They are in child.c or, in a
 * build without Graphviz, in program.c. fsd_child_begin() in program.c returns NULL if
 * no program that lays out pictures is installed. */
struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format);
/** Writes the next picture to `out`; nothing if its layout fails. If the child crashes
 * or must be killed, another child lays out the remaining pictures. */
struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out);
void fsd_child_end(struct fsd_layout_child *l);

/* --------------------------------------------------------------- a run, diff_*.c */

/** The nodes and layers that a picture shows. */
struct fsd_pick {
    bool *nodes, *layers;
    fsd_id *homes; /**< by node: the layer in whose cluster the node is drawn; FSD_NONE:
                        none. It is the first selected layer that computes the node or,
                        if only the node's region is known, the first selected layer of
                        the region. A vanished node may be in the cluster of its nearest
                        layer: see find_homes() */
    bool partial;  /**< the picture leaves something out */
    uint32_t constants;  /**< number of Constant nodes left out */
    const char *subject; /**< "reformats and their neighbors" */
};

/** Puts the bodies of If, Loop and Scan into frames. The caller must have set the
 * clusters. */
void fsd_diff_add_frames(struct fsd_drawing *w, const struct fsd_diff *d);

/** The levels at which items share boxes, from one box per item to a few boxes. */
enum fsd_level { FSD_LEVEL_NONE, FSD_LEVEL_RUN, FSD_LEVEL_SCOPE, FSD_LEVEL_PART };

struct fsd_grain {
    enum fsd_level level;
    unsigned depth; /**< for FSD_LEVEL_SCOPE: the first `depth` parts of a name are the
                         scope */
};

/** The boxes that nodes or layers share. */
struct fsd_sharing {
    fsd_id *leader;
    const char **titles; /**< by the first item of a box: the box's title; NULL: none */
};

/** Bits for the facts that a box shows below the name of a layer. */
enum fsd_label {
    FSD_LABEL_MS = 1,
    FSD_LABEL_BYTES = 2,
    FSD_LABEL_TACTIC = 4,
};

/** Parses a list such as "ms,tactic".
 * @param list NULL: times and bytes
 * @return FSD_OK; FSD_E_ARG if a word is unknown */
enum fsd_status fsd_labels_parse(const char *list, unsigned *labels,
                                 struct fsd_error *err);

struct fsd_diff_scene {
    const struct fsd_diff *d;
    struct fsd_pick pick;
    struct fsd_grain grain;
    const struct fsd_coloring *coloring;
    unsigned labels;   /**< bits of enum fsd_label */
    double slowest_ms; /**< time in ms of the slowest layer or box of layers; 0 or less:
                            no time is known */
};
extern const struct fsd_painter fsd_diff_painter; /* diff_label.c */

/** Selects the nodes and layers that the style requests.
 * @return FSD_OK; FSD_E_ARG if a word is unknown or names no object */
enum fsd_status fsd_diff_pick(const struct fsd_diff *d, const struct fsd_style *style,
                              struct fsd_arena *arena, struct fsd_pick *pick,
                              struct fsd_error *err);

/** Selects these layers, their nodes, and the vanished nodes beside them. */
void fsd_diff_pick_layers(const struct fsd_diff *d, const fsd_id *layers, uint32_t n,
                          struct fsd_arena *arena, struct fsd_pick *pick);

/** Returns the form of a wire's tensor at its producer if `source` is true, else at its
 * consumer. If the port at this end is unknown, returns the form at the other end. */
const struct fsd_form *fsd_wire_form(const struct fsd_graph *g,
                                     const struct fsd_line *wire, bool source);

/** The sum of the times of a box's layers, in ms; negative if no time is known. */
double fsd_box_ms(const struct fsd_drawing *w, const struct fsd_box *box,
                  const struct fsd_diff *d);

/** Whether it is known that no layer computes the node. */
bool fsd_node_vanished(const struct fsd_diff *d, fsd_id node);

/** Parses "none", "run" or "scope:N". */
enum fsd_status fsd_grain_parse(const char *word, struct fsd_grain *grain,
                                struct fsd_error *err);

/** Writes the name of a level, "run", "scope:2" or "part", to `out`, and returns
 * `out`. */
const char *fsd_grain_name(struct fsd_grain grain, char out[24]);

/** Advances to the next level, which has fewer boxes; returns false after the last
 * level. */
bool fsd_grain_next(struct fsd_grain *grain);

/** The greatest number of nested scopes in a node's name. With FSD_LEVEL_SCOPE, a
 * greater depth gives the same picture. */
unsigned fsd_diff_scope_levels(const struct fsd_diff *d);

/** Determines which items share a box. */
void fsd_diff_share(const struct fsd_diff *d, const struct fsd_pick *pick,
                    struct fsd_grain grain, struct fsd_arena *arena,
                    struct fsd_sharing *nodes, struct fsd_sharing *layers);

/* --------------------------------------------------------- a part of it, near.c */

/** A search for the neighbors of selected units of a graph. A unit is a node, a layer
 * or a group. */
struct fsd_near {
    struct fsd_arena *arena;
    bool *in;           /**< by unit. Before the search: whether the unit is selected;
                             after the search: whether the unit is drawn */
    uint32_t n;         /**< number of units */
    unsigned depth;     /**< maximum number of steps */
    const bool *passes; /**< by unit: whether the search passes the unit, and takes its
                             neighbors in the same step; NULL: no unit */
    /** Calls fsd_near_take() for each neighbor of a unit. */
    void (*next)(struct fsd_near *near, fsd_id unit);
    const void *of;
    fsd_id_vec front, beyond; /**< units of this step and of the next step; empty at
                                   first */
};

void fsd_near_take(struct fsd_near *near, fsd_id unit);
void fsd_near_grow(struct fsd_near *near);

/** A pair of adjacent units. */
struct fsd_near_pair {
    fsd_id a, b;
};
/** Like fsd_near_grow(), but the caller lists all pairs of neighbors. Sets `next` and
 * `of`.
 * @param pairs may be NULL if n is 0 */
void fsd_near_grow_pairs(struct fsd_near *near, const struct fsd_near_pair *pairs,
                         uint32_t n);

/* ------------------------------------------------ two states beside each other */

/** The scene of two builds begins with this struct, which fsd_box_state() reads. */
struct fsd_pair_scene {
    const struct fsd_state *states[FSD__SIDE_COUNT];
};

static inline const struct fsd_state *fsd_box_state(const struct fsd_drawing *w,
                                                    const struct fsd_box *box)
{
    return ((const struct fsd_pair_scene *)w->of)->states[box->side];
}

/** The input or output that a box shows. */
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
    const char *subject;      /**< the drawn part, "the changes and their neighbors";
                                   NULL: everything is drawn */
    struct fsd_lists changes; /**< for two exports: the changes of each region */
};
extern const struct fsd_painter fsd_compare_painter, fsd_exports_painter;

/** Tints of boxes. FSD_GROUP_LABELED: a group that shows the label of its region.
 * FSD_MOVE_UNCHANGED: a data-movement layer that is equal in both builds. A changed
 * data-movement layer has its enum fsd_move_what as its tint. */
enum { FSD_GROUP_LABELED = 1, FSD_MOVE_UNCHANGED = 3 };
