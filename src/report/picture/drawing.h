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
 * diff_*.c makes it of a run, compare_*.c of a comparison; dot.c prints each, and
 * layout.c has Graphviz lay out what was printed.  Only this folder includes this.
 */
#ifndef FSD_REPORT_PICTURE_DRAWING_H
#define FSD_REPORT_PICTURE_DRAWING_H

#include "match/pick.h"
#include "report/picture/picture.h"

/* ------------------------------------------------------------------ the drawing */

enum fsd_side { FSD_SIDE_LEFT, FSD_SIDE_RIGHT, FSD__SIDE_COUNT };

enum fsd_box_kind {
    FSD_BOX_ITEMS,  /**< nodes or layers, or one fusion group */
    FSD_BOX_INPUT,  /**< an input tensor of the graph */
    FSD_BOX_OUTPUT, /**< an output tensor */
    FSD_BOX_TENSOR, /**< an engine's, that has a box of its own: written and read by
                         many; of a comparison, a port that the model calls otherwise */
    FSD_BOX_MOVE,   /**< of a comparison: a layer between groups */
    FSD__BOX_COUNT
};

struct fsd_box {
    enum fsd_side side;
    enum fsd_box_kind kind;
    struct fsd_span items; /**< in fsd_drawing.items; the first one is its number; of a
                                comparison its layers follow, where they are known */
    fsd_id cluster;   /**< left side: the right box whose cluster it is in; FSD_NONE */
    uint32_t members; /**< right side: boxes of its cluster, drawn when more than one */
    fsd_id frame;     /**< it is drawn in; 0: in that of its side */
    unsigned tint;    /**< the number of its color in the painter's list */
    const char *title; /**< what the items have in common; NULL: nothing */
};

/** A frame around boxes of both sides, which may hold others. */
struct fsd_frame {
    fsd_id parent;     /**< FSD_NONE: it is the first, which is not drawn */
    const char *title; /**< an HTML-like string; NULL: nothing is in it */
};

enum fsd_line_kind {
    FSD_WIRE, /**< what tensors are read by, within a side */
    /** Between boxes that stand for the same: a layer's box and what it computes, a
     *  cluster of boxes or one of a node that another layer has the rest of; two
     * builds' groups.  From left to right. */
    FSD_TIE,
    /** From a box to a later one of its side: by what the picture leaves out, or, where
     *  no wire is known to lead there, since it comes next in the file. */
    FSD_THREAD,
    FSD_HOLD, /**< not to be seen: the second comes below the first */
    FSD__LINE_COUNT
};

struct fsd_line {
    fsd_id from, to; /**< boxes */
    uint32_t rank;   /**< it is sorted by this, and then by its boxes */

    /* Of a wire: */
    fsd_id what; /**< the first tensor of `n`; of a comparison, a layout */
    fsd_id from_port, to_port; /**< in the graph's ports; FSD_NONE: not known */
    uint32_t n;                /**< tensors that go this way */
    uint8_t type[2];           /**< enum fsd_dtype at its two ends; 0: not known */
    bool derived; /**< from what nodes say; no tensor is known that goes this way */

    /* Of a tie: */
    bool part;  /**< the left box lies in another box's cluster */
    bool loose; /**< drawn dotted: less is known, or nothing happened */
};

typedef FSD_VEC(struct fsd_line) fsd_lines;

struct fsd_drawing {
    struct fsd_arena *arena;
    const struct fsd_painter *painter;
    const void *of;                /**< what the painter knows of it */
    FSD_VEC(struct fsd_box) boxes; /**< left first */
    FSD_VEC(fsd_id) items;
    FSD_VEC(struct fsd_frame) frames; /**< each behind its parent; none: no frames */
    fsd_lines lines[FSD__LINE_COUNT]; /**< sorted */
    bool straight; /**< its lines: Graphviz finds no curves for them */
};

/** The right box whose cluster a box is in; NULL. */
static inline struct fsd_box *fsd_drawing_owner(const struct fsd_drawing *w,
                                                const struct fsd_box *box)
{
    return box->cluster == FSD_NONE ? NULL : &w->boxes.at[box->cluster];
}

/** How a box looks, in Graphviz's words. */
struct fsd_box_style {
    const char *shape, *style, *fill, *line, *width;
};

/** What a drawing of a run and one of a comparison say and show each in its own way.
 *  Labels of boxes and the legend are HTML-like strings, all else is plain ones; every
 *  name in them goes through fsd_put_label_text() or fsd_put_tip_text(). */
struct fsd_painter {
    struct fsd_side_words {
        const char *name, *label;
        unsigned weight; /**< how much its wires want to be straight */
        const char *prefixes[FSD__BOX_COUNT]; /**< of its boxes' names, by kind */
    } sides[FSD__SIDE_COUNT];
    /** What stands above a side; NULL: its label. */
    const char *(*side_label)(const struct fsd_drawing *w, enum fsd_side side);
    void (*put_legend)(const struct fsd_drawing *w, FILE *out);
    struct fsd_box_style (*look)(const struct fsd_drawing *w,
                                 const struct fsd_box *box);
    void (*put_label)(const struct fsd_drawing *w, const struct fsd_box *box,
                      FILE *out);
    void (*put_tip)(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out);
    void (*put_wire_label)(const struct fsd_drawing *w, const struct fsd_line *wire,
                           FILE *out);
    /** NULL: wires have none. */
    void (*put_wire_tip)(const struct fsd_drawing *w, const struct fsd_line *wire,
                         FILE *out);
    /** NULL: the line of the right box. */
    const char *(*tie_color)(const struct fsd_drawing *w, const struct fsd_line *tie);
    const char *tie_width;
    const char *loose_tip; /**< what a loose tie is; NULL: it says nothing */
    bool hangs;       /**< boxes that nothing leads to stand below the sides' heads */
    bool port_labels; /**< on wires of an input or output, whose box says it as well */
};

/* ---------------------------------------------------------- making one, drawing.c */

/** The i-th item of a box. */
static inline fsd_id fsd_item(const struct fsd_drawing *w, const struct fsd_box *box,
                              uint32_t i)
{
    return w->items.at[box->items.at + i];
}

/** A new box of one item. */
fsd_id fsd_drawing_add_box(struct fsd_drawing *w, struct fsd_box box, fsd_id item);

/** One more item of the box that was added last. */
void fsd_drawing_add_item(struct fsd_drawing *w, fsd_id item);

/** Adds a line; none from or to FSD_NONE or itself. */
void fsd_drawing_add_line(struct fsd_drawing *w, enum fsd_line_kind kind,
                          struct fsd_line line);

/** Sorts the lines of a kind, and leaves one of each that are equal. */
void fsd_drawing_sort_lines(struct fsd_drawing *w, enum fsd_line_kind kind);

/** Boxes and what is drawn between them: layout takes time accordingly. */
uint32_t fsd_drawing_weight(const struct fsd_drawing *w);

/** How many ranks all lines cross together: layout bends each at every rank, and takes
 *  more time for that than for the rest. */
uint64_t fsd_drawing_span(const struct fsd_drawing *w);

/* ------------------------------------------------------ words and colors, paint.c */

/** Shortens to `most` characters by taking out of the middle, makes hidden characters
 *  visible, and escapes: for a label of either kind of string, or for a tooltip. */
void fsd_put_label_text(FILE *out, const char *s, size_t most);
void fsd_put_tip_text(FILE *out, const char *s, size_t most);

/** The meaning of the layers' colors; `tint` is NULL if they only distinguish layers.
 */
struct fsd_coloring {
    const char *name;
    unsigned (*tint)(const struct fsd_diff *d, fsd_id layer);
    const char *words[7]; /**< by tint, for the legend; NULL: not used */
};
/** NULL is the first of them.  diff_color.c */
enum fsd_status fsd_coloring_find(const char *name, const struct fsd_coloring **out,
                                  struct fsd_error *err);

/** The color of a type; higher precisions have thicker lines. */
const char *fsd_type_color(enum fsd_dtype type);
const char *fsd_type_width(enum fsd_dtype type);

#define FSD_SMALL "<FONT POINT-SIZE=\"8\" COLOR=\"#444444\">"
#define FSD_ARROW " \xe2\x86\x92 "

/** " int8", in the type's color; nothing if it is unknown. */
void fsd_put_type_word(enum fsd_dtype type, FILE *out);

/** The files of a picture, in a legend: their names, or for two builds as much of their
 *  paths as differs.
 *  @param left  NULL: the picture is of one file */
void fsd_put_title(const char *left, const char *right, bool apart, FILE *out);

/** The table around a legend's rows, and one of its cells. */
#define FSD_LEGEND_BEGIN                                                               \
    "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\">"
#define FSD_LEGEND_END "</TABLE>"
void fsd_put_key(struct fsd_box_style look, const char *border, const char *text,
                 FILE *out);
/** The last cell of a legend's row, and the row's end: what the colors of types mean,
 *  and lines that are no tensors, of a drawing with any. */
void fsd_put_line_keys(const struct fsd_drawing *w, FILE *out);

extern const struct fsd_box_style fsd_port_look, fsd_inserted_look;

/* ------------------------------------------------------------------- writing it */

/** Prints it as DOT.
 *  @param wire_labels on every wire, not only where the type changes. */
void fsd_dot_print(const struct fsd_drawing *w, bool wire_labels, FILE *out);

/** Of a picture that lays out within a few seconds; fsd_drawing_span(). */
enum { FSD_MOST_SPAN = 8000 };

/** A picture and what may be drawn in its place. */
struct fsd_plan {
    const struct fsd_picture *want;
    struct fsd_drawing *drawing;
    /** Draws less, and says in `less` what; false when there is no less. */
    bool (*simplify)(struct fsd_plan *plan);
    char less[200];     /**< for a note: "drawn with --collapse run, ..." */
    uint32_t most_ends; /**< beyond it, and beyond FSD_MOST_SPAN, less is drawn */
    bool chosen;        /**< unless this is what was asked for */
    bool last;          /**< there is nothing less */
    double spent;       /**< seconds of processor time for its layouts */
};

/** Writes it in a format of fsd_picture_write()'s. */
enum fsd_status fsd_plan_write(struct fsd_plan *plan, const char *format, FILE *out,
                               struct fsd_error *err);

/** The same for what needs a layout; layout.c */
enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err);

/** What is asked of a picture; of a style that asks for nothing, everything. */
const struct fsd_picture *fsd_wanted_picture(const struct fsd_style *style);

/** Prints DOT as its first layout would be of, and notes what is left out. */
void fsd_plan_print(struct fsd_plan *plan, FILE *out);

/** Has Graphviz read DOT, lay it out and write it; false when it cannot, or finds an
 *  error in it.  May take very long, may crash, and complains on standard error: for a
 *  child process, of which the next picture may be asked, too.  graphviz.c */
bool fsd_graphviz_draw(const char *dot, const char *format, FILE *out);

/** The first line that a reader should know of in what it complained; NULL.
 *  complaint.c */
const char *fsd_graphviz_complaint(const char *said);

/** How an attempt to lay out went. */
struct fsd_layout_outcome {
    bool good, timed_out;
    double spent;   /**< seconds of processor time */
    char said[200]; /**< what Graphviz complained of; empty: of nothing */
};

/** Sets what was complained of. */
void fsd_graphviz_say(const char *said, struct fsd_layout_outcome *o);

/** Whether a child can lay out: without Graphviz, if there is a program that does. */
bool fsd_child_draws(void);

/* What fsd_layouts_begin() and the like do by a child process.  child.c, or program.c
 * without Graphviz, where it is NULL if there is no program. */
struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format);
/** The next one, written to `out`, or nothing.  One that crashes the child, or has to
 *  be killed with it, leaves the rest to another child. */
struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out);
void fsd_child_end(struct fsd_layout_child *l);

/* --------------------------------------------------------------- a run, diff_*.c */

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

/** Puts bodies of control flow into frames; clusters are known. */
void fsd_diff_add_frames(struct fsd_drawing *w, const struct fsd_diff *d);

/** How boxes are shared.  Levels go from everything apart to a few boxes. */
enum fsd_level { FSD_LEVEL_NONE, FSD_LEVEL_RUN, FSD_LEVEL_SCOPE, FSD_LEVEL_PART };

struct fsd_grain {
    enum fsd_level level;
    unsigned depth; /**< of FSD_LEVEL_SCOPE */
};

/** By node or by layer: the first item of its box, and that box's title. */
struct fsd_sharing {
    fsd_id *leader;
    const char **titles; /**< at the first items; NULL */
};

/** What a drawing is `of`. */
/** What is written of a layer below its name, as bits. */
enum fsd_label {
    FSD_LABEL_MS = 1,
    FSD_LABEL_BYTES = 2,
    FSD_LABEL_TACTIC = 4,
};

/** "ms,tactic".
 *  @param list  NULL: times and bytes
 *  @return FSD_OK, or FSD_E_ARG when a word is not known. */
enum fsd_status fsd_labels_parse(const char *list, unsigned *labels,
                                 struct fsd_error *err);

struct fsd_diff_scene {
    const struct fsd_diff *d;
    struct fsd_pick pick;
    struct fsd_grain grain;
    const struct fsd_coloring *coloring;
    unsigned labels;   /**< of enum fsd_label */
    double slowest_ms; /**< of the engine's layers, those of a box together; not above 0
                            when no time is known */
};
extern const struct fsd_painter fsd_diff_painter; /* diff_label.c */

/** Picks what the style asks for.
 *  @return FSD_OK, or FSD_E_ARG when a word is not known or names nothing. */
enum fsd_status fsd_diff_pick(const struct fsd_diff *d, const struct fsd_style *style,
                              struct fsd_arena *arena, struct fsd_pick *pick,
                              struct fsd_error *err);

/** Picks some layers, with their nodes and what vanished beside these. */
void fsd_diff_pick_layers(const struct fsd_diff *d, const fsd_id *layers, uint32_t n,
                          struct fsd_arena *arena, struct fsd_pick *pick);

/** The form of a tensor at one end of its wire, or where nothing is known of it at the
 *  other. */
const struct fsd_form *fsd_wire_form(const struct fsd_graph *g,
                                     const struct fsd_line *wire, bool source);

/** The time of a box's layers together; negative where none is known. */
double fsd_box_ms(const struct fsd_drawing *w, const struct fsd_box *box,
                  const struct fsd_diff *d);

/** True for a node that no layer computes. */
bool fsd_node_vanished(const struct fsd_diff *d, fsd_id node);

/** Reads "none", "run" or "scope:N". */
enum fsd_status fsd_grain_parse(const char *word, struct fsd_grain *grain,
                                struct fsd_error *err);

/** "run", "scope:2", "part": writes at most 24 bytes and returns `out`. */
const char *fsd_grain_name(struct fsd_grain grain, char out[24]);

/** Makes it the next coarser one; false after the last. */
bool fsd_grain_next(struct fsd_grain *grain);

/** Scopes within scopes that nodes' names have at most; to a greater depth, pictures
 *  are the same. */
unsigned fsd_diff_scope_levels(const struct fsd_diff *d);

/** Says which items share a box. */
void fsd_diff_share(const struct fsd_diff *d, const struct fsd_pick *pick,
                    struct fsd_grain grain, struct fsd_arena *arena,
                    struct fsd_sharing *nodes, struct fsd_sharing *layers);

/* --------------------------------------------------------- a part of it, near.c */

/** Units of a graph (nodes, layers, groups) of which some are asked for. */
struct fsd_near {
    struct fsd_arena *arena;
    bool *in;   /**< by unit: before what is asked for, afterwards all that is drawn */
    uint32_t n; /**< units */
    unsigned depth;     /**< so many steps away at most */
    const bool *passes; /**< by unit: to it is no step; NULL: to each is one */
    /** Calls fsd_near_take() for all that is next to it. */
    void (*next)(struct fsd_near *near, fsd_id unit);
    const void *of;
    fsd_id_vec front, beyond; /**< of this step and of the following one; empty */
};

void fsd_near_take(struct fsd_near *near, fsd_id unit);
void fsd_near_grow(struct fsd_near *near);

/** Two units next to each other. */
struct fsd_near_pair {
    fsd_id a, b;
};
/** The same where all that are next to each other are known; sets `next` and `of`.
 *  @param pairs may be NULL if there are none */
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

/** Of a box of an input or an output. */
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
    const char *subject; /**< of a part: "what changed"; NULL: everything is drawn */
    struct fsd_lists changes; /**< of two exports, by region */
};
extern const struct fsd_painter fsd_compare_painter, fsd_exports_painter;

/** Tints: of a group that says what happened to its region; of a move that is the same
 *  in both builds (another one has its enum fsd_move_what). */
enum { FSD_GROUP_LABELED = 1, FSD_MOVE_UNCHANGED = 3 };

#endif
