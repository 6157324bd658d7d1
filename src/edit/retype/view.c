/*
 * Shows how retype changes the model: the type that each node gets, the Casts around
 * these nodes, and the nodes to which the engine's type could not be applied, with the
 * reason.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/retype/retype.h"

static const char *what_word(unsigned what)
{
    static const char *const words[FSD__RETYPED_COUNT] = {
        [FSD_RETYPED_NOT] = "kept",
        [FSD_RETYPED_SET] = "set",
        [FSD_RETYPED_FOLLOWS] = "follows",
        [FSD_RETYPED_QUANTIZED] = "quantized",
        [FSD_RETYPED_LOST] = "lost"};

    return words[what];
}

/* clang-format off */
#define NODE_ROW(has, set, when, t) \
    set(t, COUNT, index, node, "node") \
    set(t, NAME,  name, fsd_phrase_of(arena, p->d, node, fsd_put_node_name), "name") \
    set(t, NAME,  op, fsd_text(p->d->names, p->d->model->nodes.at[node].op), "op") \
    set(t, TEXT,  what, what_word(r->what), "what", .word = what_word, \
        .n_words = FSD__RETYPED_COUNT, \
        .about = "set: the node gets the engine's type; follows: the node only " \
                 "moves data and has the type of its input; quantized: the " \
                 "model's quantizers decide the type; lost: retype cannot set the " \
                 "engine's type; kept: the node keeps the type in the model") \
    set(t, TYPE,  engine, r->chosen, "in the engine") \
    set(t, TYPE,  type, r->type, "in the model", .about = "after retype") \
    set(t, TEXT,  why, r->why, "why")
FSD_RECORD(node_row, NODE_ROW)

#define ANSWER(has, is, when, t) \
    is(t, COUNT, set, p->count[FSD_RETYPED_SET], NULL, \
        .about = "number of nodes that get the engine's type") \
    is(t, COUNT, follows, p->count[FSD_RETYPED_FOLLOWS], NULL) \
    is(t, COUNT, quantized, p->count[FSD_RETYPED_QUANTIZED], NULL) \
    is(t, COUNT, lost, p->count[FSD_RETYPED_LOST], NULL) \
    is(t, TALLY, types, tally(arena, p), NULL, \
        .about = "number of nodes that get each of the engine's types") \
    is(t, COUNT, casts, p->casts.n - constants, NULL, \
        .about = "number of Casts that retype adds to tensors computed at run time") \
    is(t, COUNT, constants, constants, NULL, \
        .about = "number of constants that get a different type: for each, retype " \
                 "adds an initializer of this type or, if the model file does not " \
                 "contain the constant's values, a Cast") \
    is(t, ROWS,  nodes, nodes, "Nodes", .of = &node_row_record) \
    is(t, ROWS,  left, left, FSD_ASIDE, .of = &node_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char head[] =
    "{set|node gets|nodes get} the engine's type<: {types!}>\n"
    "{casts|Cast|Casts}, {constants|constant|constants} in a different type\n"
    "<{quantized!|node runs|nodes run} in a quantized type (Q/DQ unchanged)\n>"
    "<{lost!|node does|nodes do} not get the engine's type\n>";

static const char text[] = "<\n{*}engine   model    node and reason\n{/}{left!}>";

static const char node_text[] = "{engine:-7}  {type:-7}  {name:.60}<  ({op})>: {why}\n";

/* The number of nodes that get each type. */
static struct fsd_words tally(struct fsd_arena *arena, const struct fsd_retype *p)
{
    static const enum fsd_dtype types[] = {FSD_FP32, FSD_BF16, FSD_FP16};
    const char **words = FSD_NEW(arena, const char *, FSD_COUNT_OF(types));
    uint32_t *counts = FSD_NEW(arena, uint32_t, FSD_COUNT_OF(types)), n = 0;

    for (size_t t = 0; t < FSD_COUNT_OF(types); t++) {
        for (fsd_id i = 0; i < p->d->model->nodes.n; i++)
            counts[n] +=
                p->nodes[i].what == FSD_RETYPED_SET && p->nodes[i].type == types[t];
        words[n] = fsd_dtype_name(types[t]);
        n += counts[n] > 0;
    }
    return (struct fsd_words){true, n, words, counts};
}

static void add_node(struct fsd_arena *arena, struct fsd_rows *rows,
                     const struct fsd_retype *p, fsd_id node)
{
    const struct fsd_retyped_node *r = &p->nodes[node];
    FSD_ADD(rows, node_row, NODE_ROW);
}

enum fsd_status fsd_view_retype(struct fsd_sheet *sheet,
                                const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_retype *p = fsd_retype_new(arena, request->d);
    struct fsd_rows *nodes = fsd_rows_new(arena, &node_row_record, node_text),
                    *left = fsd_rows_new(arena, &node_row_record, node_text);
    uint32_t constants = 0;
    struct answer *root;

    for (fsd_id i = 0; i < request->d->model->nodes.n; i++) {
        const struct fsd_retyped_node *r = &p->nodes[i];

        if (r->type)
            add_node(arena, nodes, p, i);
        if (r->what == FSD_RETYPED_LOST)
            add_node(arena, left, p, i);
    }
    for (uint32_t i = 0; i < p->casts.n; i++)
        constants += fsd_is_build_constant(request->d->facts, p->casts.at[i].tensor);
    root = fsd_sheet_begin(sheet, "fusiondiff-retype/1", &answer_record, head, text);
    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
