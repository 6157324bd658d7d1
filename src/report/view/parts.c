/*
 * Shows several engines of one model: the nodes of each engine, and the nodes that are
 * in no engine, which the runtime computes. Also shows the tensors, with their sizes,
 * that pass between two engines, or between an engine and the runtime.
 */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/view/view.h"

/* clang-format off */
#define ENGINE_ROW(has, set, when, t) \
    has(t, COUNT, engine, "engine", .about = "number of the engine, from 1, in the " \
            "given order") \
    has(t, NAME,  path,   "path") \
    has(t, COUNT, layers, "layers") \
    has(t, COUNT, nodes,  "nodes", .about = "number of the model's nodes that the " \
                                            "engine computes; absent if any engine " \
                                            "has the member `open`") \
    has(t, MS,    ms,     "ms") \
    has(t, NAME,  open,   "input not found", .about = "input of the model that " \
                                                      "nodes of the engine seem to " \
                                                      "read, although the engine has " \
                                                      "no such input")
FSD_RECORD(engine_row, ENGINE_ROW)

#define CROSSING_ROW(has, set, when, t) \
    set(t, NAME,  tensor, fsd_text(d->names, d->engine->tensors.at[c->tensor].name), \
        "tensor") \
    set(t, BYTES, bytes, fsd_amount_cell(d, bytes), "bytes") \
    when(t, COUNT, from, is_written(c), c->from + 1, NULL, \
        .about = "the engine that writes the tensor; absent if no engine writes it") \
    set(t, IDS,   to, numbers_of(arena, c), NULL, .about = "the engines that read " \
            "the tensor") \
    set(t, FLAG,  outside, c->outside, FSD_ALWAYS, \
        .about = "true if a node outside all engines reads or writes the tensor") \
    set(t, TYPE,  written_as, is_written(c) ? c->written_as : c->read_as, \
        "written as") \
    when(t, TYPE, read_as, is_written(c) && c->n_to && c->read_as != c->written_as, \
        c->read_as, "read as", .about = "the type that the consumer reads, if the " \
                                        "written type differs") \
    set(t, TEXT,  route, route_of(arena, c), "from and to", .aside = true)
FSD_RECORD(crossing_row, CROSSING_ROW)

#define ANSWER(has, set, when, t) \
    set(t, COUNT, count, d->parts ? d->parts->n : 1, FSD_ASIDE) \
    when(t, COUNT, inside, known, inside, NULL, .about = "number of nodes that an " \
            "engine computes") \
    when(t, COUNT, outside, known, d->summary->by_fate[FSD_FATE_OUTSIDE], NULL, \
        .about = "number of nodes that no engine computes") \
    when(t, TALLY, outside_ops, known, fsd_ops_of_fate(arena, d, FSD_FATE_OUTSIDE), \
        NULL) \
    has(t, COUNT, crossing,     NULL) \
    has(t, BYTES, bytes,        NULL, .about = "bytes of all tensors that pass " \
                                               "between parts, each counted once") \
    has(t, COUNT, unknown,      NULL, .about = "number of tensors of unknown size " \
                                               "that pass between parts") \
    set(t, FLAG,  nodes_known, known, FSD_ALWAYS) \
    has(t, ROWS,  engines,      "Engines", .of = &engine_row_record) \
    has(t, ROWS,  tensors,      "Tensors between parts", .of = &crossing_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char engine_text[] = "{engine:6}  {layers:6}  {nodes:6}  {ms:10}  "
                                  "{path:.60}<  (input not found: {open!})>\n";

static const char crossing_text[] =
    "{bytes:13}  {route:-26}  {tensor:.44}<  {written_as}><, read as {read_as}>\n";

static const char head[] = "{count|engine|engines}< with {inside!|node|nodes}><, "
                           "{outside!|node|nodes} in no engine><; {crossing!|tensor "
                           "passes|tensors pass} between parts><, {bytes!} in total>";

static const char text[] =
    "\n<{*}in no engine{/}  {outside_ops}\n>"
    "\n{*}engine  layers   nodes          ms  path\n{/}{engines}"
    "<\n{*}        bytes  from and to                 tensor\n{/}{tensors!}>";

/* A tensor that is an input or output of an engine. */
struct crossing {
    fsd_id tensor;
    fsd_id from;   /* the engine that writes it; FSD_NONE: no engine */
    uint32_t n_to; /* length of `to` */
    fsd_id *to;    /* engines that read it */
    bool outside;  /* a node outside of all engines reads or writes it */
    enum fsd_dtype written_as, read_as;
};

static enum fsd_dtype type_of(const struct fsd_graph *e, const struct fsd_part_port *b)
{
    return fsd_graph_form(e, b->form)->type;
}

static bool is_written(const struct crossing *c)
{
    return c->from != FSD_NONE;
}

/* Whether a node outside of all engines writes or reads the tensor. */
static bool is_met_outside(const struct fsd_diff *d, const struct crossing *c)
{
    const struct fsd_graph *g = d->model;
    fsd_id t = d->match->counterpart[c->tensor];
    fsd_id producer = fsd_tensor_producer(g, t);
    struct fsd_span readers = fsd_tensor_consumers(g, t);

    if (producer != FSD_NONE && !is_written(c))
        return d->nodes[producer].fate == FSD_FATE_OUTSIDE;
    FSD_EACH_ID (reader, g->links, readers)
        if (d->nodes[reader].fate == FSD_FATE_OUTSIDE)
            return true;
    return false;
}

static bool crosses(const struct crossing *c)
{
    return c->outside || (is_written(c) && c->n_to);
}

/* Finds the engines that write and read each tensor. The returned array is indexed by
 * tensor of the engine graph. If no engine outputs the tensor, `from` is FSD_NONE. If
 * it is no engine's input, `n_to` is 0. */
static struct crossing *find_crossings(struct fsd_arena *arena,
                                       const struct fsd_diff *d)
{
    const struct fsd_graph *e = d->engine;
    struct crossing *all = FSD_NEW(arena, struct crossing, e->tensors.n);

    for (fsd_id t = 0; t < e->tensors.n; t++)
        all[t] = (struct crossing){.tensor = t, .from = FSD_NONE};
    for (fsd_id p = 0; p < e->parts.n; p++)
        FSD_EACH_IN (const struct fsd_part_port, b, e->borders,
                     e->parts.at[p].borders) {
            struct crossing *c = &all[b->tensor];

            if (b->written) {
                c->from = p;
                c->written_as = type_of(e, b);
                continue;
            }
            if (!c->to)
                c->to = FSD_NEW(arena, fsd_id, e->parts.n);
            c->to[c->n_to++] = p;
            c->read_as = type_of(e, b);
        }
    for (fsd_id t = 0; t < e->tensors.n; t++)
        if (is_written(&all[t]) || all[t].n_to)
            all[t].outside = is_met_outside(d, &all[t]);
    return all;
}

/* "engine 1 -> engine 2, 3, outside" */
static const char *route_of(struct fsd_arena *arena, const struct crossing *c)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    if (!is_written(c))
        fputs("outside -> ", out);
    else
        fprintf(out, "engine %u -> ", c->from + 1);
    for (uint32_t i = 0; i < c->n_to; i++)
        fprintf(out, i ? ", %u" : "engine %u", c->to[i] + 1);
    if (c->outside && is_written(c))
        fprintf(out, "%soutside", c->n_to ? ", " : "");
    return fsd_print_take(&print, arena);
}

/* The numbers of the engines that read a tensor. Users see numbers from 1. */
static struct fsd_ids numbers_of(struct fsd_arena *arena, const struct crossing *c)
{
    fsd_id *numbers = FSD_NEW(arena, fsd_id, c->n_to);

    for (uint32_t i = 0; i < c->n_to; i++)
        numbers[i] = c->to[i] + 1;
    return fsd_ids(numbers, c->n_to);
}

static void fill_crossings(struct fsd_arena *arena, struct answer *root,
                           const struct fsd_diff *d)
{
    struct fsd_lives lives = fsd_cost_lives(arena, d);
    struct crossing *all = find_crossings(arena, d);
    struct fsd_rows *rows = fsd_rows_new(arena, &crossing_row_record, crossing_text);
    int64_t sum = 0;
    uint32_t unknown = 0;

    for (fsd_id t = 0; t < d->engine->tensors.n; t++) {
        int64_t bytes = lives.of[t].there ? lives.of[t].bytes : -1;
        const struct crossing *c = &all[t];

        if (!crosses(c))
            continue;
        FSD_ADD(rows, crossing_row, CROSSING_ROW);
        sum = bytes < 0 ? sum : fsd_plus(d->cost->amounts, sum, bytes);
        unknown += bytes < 0;
    }
    root->crossing = fsd_count(rows->at.n);
    if (rows->at.n > unknown)
        root->bytes = fsd_amount_cell(d, sum);
    if (unknown)
        root->unknown = fsd_count(unknown);
    root->tensors = rows;
}

static void fill_engines(struct fsd_arena *arena, struct answer *root,
                         const struct fsd_diff *d)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_rows *rows = fsd_rows_new(arena, &engine_row_record, engine_text);

    for (fsd_id p = 0; d->parts && p < e->parts.n; p++) {
        struct engine_row *row = fsd_rows_add(rows);
        struct fsd_span layers = e->parts.at[p].layers;
        double ms = 0;
        bool any = false;

        row->engine = fsd_count(p + 1);
        row->path = e->parts.at[p].path;
        row->layers = fsd_count(layers.n);
        if (d->parts->known)
            row->nodes = fsd_count(d->parts->nodes[p]);
        row->open = fsd_tensor_name(d->model, d->parts->open[p]);
        for (fsd_id i = layers.at; i < layers.at + layers.n; i++)
            if (fsd_layer_ms(d, i) >= 0) {
                ms += fsd_layer_ms(d, i);
                any = true;
            }
        row->ms = fsd_real_ms(any ? ms : -1);
    }
    if (!d->parts) { /* a single engine contains all mapped nodes */
        struct engine_row *row = fsd_rows_add(rows);

        row->engine = fsd_count(1);
        row->path = e->path;
        row->layers = fsd_count(e->nodes.n);
        row->ms = fsd_real_ms(d->times->profiles ? d->times->total : -1);
    }
    root->engines = rows;
}

enum fsd_status fsd_view_parts(struct fsd_sheet *sheet,
                               const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = request->d;
    struct answer *root;
    bool known = d->parts && d->parts->known;
    uint32_t inside = 0;

    root = fsd_sheet_begin(sheet, "fusiondiff-parts/1", &answer_record, head, text);
    for (uint32_t p = 0; d->parts && p < d->parts->n; p++)
        inside += d->parts->nodes[p];
    FSD_FILL(root, ANSWER);
    fill_engines(arena, root, d);
    fill_crossings(arena, root, d);
    return FSD_OK;
}
