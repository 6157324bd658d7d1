/*
 * Shows the memory of an engine: the weights and the tensors between layers, per layer
 * and in total, and the layer during which most bytes are alive. The builder's own
 * figures are printed beside these figures.
 */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "model/graph/history.h"
#include "report/view/view.h"

#include <stdlib.h>

enum { SHOWN = 10 };

/* Bytes are printed without rounding, so that users can compare them with other
 * figures. */
/* clang-format off */
#define LAYER_ROW(has, set, when, t) \
    FSD_LAYER_ID(set, t, layer, "name") \
    set(t, BYTES, in, fsd_amount_cell(d, c->traffic.in), "read") \
    set(t, BYTES, weights, fsd_amount_cell(d, c->traffic.weights), "weights") \
    set(t, BYTES, bias, fsd_amount_cell(d, c->traffic.bias), "bias") \
    set(t, BYTES, out, fsd_amount_cell(d, c->traffic.out), "written") \
    set(t, BYTES, bytes, fsd_amount_cell(d, c->bytes), "without the bias") \
    set(t, BYTES, alive, fsd_amount_cell(d, lives->alive[layer]), "alive meanwhile") \
    when(t, BYTES, host, stated[layer], fsd_amount_cell(d, stated[layer]->host), \
        "persistent on the host") \
    when(t, BYTES, device, stated[layer], fsd_amount_cell(d, stated[layer]->device), \
        "persistent") \
    when(t, BYTES, scratch, stated[layer], fsd_amount_cell(d, stated[layer]->scratch), \
        "scratch")
FSD_RECORD(layer_row, LAYER_ROW)
/* clang-format on */

static const char layer_text[] = "{layer:5} {in:11} {weights:11} {out:11} {bytes:11} "
                                 "{alive:11}  {name:.33}<  scratch {scratch!}>"
                                 "<  persistent {device!}>\n";

/* clang-format off */
#define TENSOR_ROW(has, set, when, t) \
    set(t, NAME,  name, fsd_text(d->names, d->engine->tensors.at[sizes[i].id].name), \
        "tensor") \
    when(t, TEXT,  type, form->type != FSD_DTYPE_UNKNOWN, fsd_dtype_name(form->type), \
        "type") \
    set(t, BYTES, bytes, fsd_amount_cell(d, life->bytes), "bytes") \
    set(t, COUNT, from, life->first, "from layer") \
    set(t, COUNT, to, life->last, "to layer") \
    set(t, FLAG,  at_peak, \
        lives->at != FSD_NONE && life->first <= lives->at && lives->at <= life->last, \
        NULL)
FSD_RECORD(tensor_row, TENSOR_ROW)
/* clang-format on */

static const char tensor_text[] = "{bytes:13}  layers {from} to {to}<  {type}>  "
                                  "{name:.56}<  (at the peak){at_peak!}>\n";

/* clang-format off */
#define ANSWER(has, set, when, t) \
    set(t, BYTES, weights, fsd_amount_cell(d, lives.weights), NULL) \
    set(t, COUNT, layers_untold, lives.unknown_weights, NULL) \
    set(t, BYTES, inputs, fsd_amount_cell(d, lives.inputs), NULL) \
    set(t, BYTES, outputs, fsd_amount_cell(d, lives.outputs), NULL) \
    when(t, BYTES, inside, !lives.unknown, sum, NULL) \
    when(t, BYTES, peak, !lives.unknown, most, NULL) \
    when(t, BYTES, inside_at_least, lives.unknown, sum, NULL) \
    when(t, BYTES, peak_at_least, lives.unknown, most, NULL) \
    set(t, COUNT, peak_layer, fsd_count_id(lives.at), NULL) \
    set(t, COUNT, tensors_unknown, lives.unknown, NULL) \
    when(t, BYTES, log_weights, log, fsd_amount_cell(d, log->weights), NULL) \
    when(t, BYTES, log_activations, log, fsd_amount_cell(d, log->activations), NULL) \
    when(t, BYTES, log_device, log, fsd_amount_cell(d, log->device), NULL) \
    when(t, BYTES, log_host, log, fsd_amount_cell(d, log->host), NULL) \
    when(t, BYTES, log_scratch, log, fsd_amount_cell(d, log->scratch), NULL) \
    set(t, TEXT,  open, lives.unknown ? " (--shape sets dynamic sizes)" : "", \
        FSD_ASIDE) \
    set(t, ROWS,  layers, layer_rows(arena, d, &lives, stated), "Layers", \
        .of = &layer_row_record) \
    set(t, ROWS,  tensors, tensor_rows(arena, d, &lives, shown), "Largest tensors", \
        .of = &tensor_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char head[] =
    "weights {weights}< (the weights of "
    "{layers_untold!|layer|layers} are unknown)><"
    "; activations {inside} in total><, peak {peak!} at layer {peak_layer}><; "
    "activations at least {inside_at_least} in total, peak at least {peak_at_least} at "
    "layer {peak_layer}><; {tensors_unknown!|activation tensor|activation tensors} of "
    "unknown size{open}>";

static const char text[] =
    "\nnetwork inputs {inputs}, outputs {outputs}, allocated by the caller\n<build "
    "log: weights {log_weights}\n><build log: activations {log_activations}\n><build "
    "log: persistent {log_device}<, {log_host} on the host>\n><build log: scratch "
    "{log_scratch}\n>\nbytes by layer (live: activations in memory while the layer "
    "runs)\n{*}layer        read     weights     written       total        live  "
    "name\n{/}{layers}<\n{*}largest activation tensors\n{/}{tensors!}>";

/* Returns the memory that the log states for each layer, indexed by layer. An element
 * is NULL if the log states none.
 * @param[out] sums the sums of the whole engine; set to NULL if the log states none */
static const struct fsd_memory_use **stated_of(struct fsd_arena *arena,
                                               const struct fsd_diff *d,
                                               const struct fsd_memory_use **sums)
{
    const struct fsd_history *h = d->history;
    const struct fsd_memory_use **of =
        FSD_NEW(arena, const struct fsd_memory_use *, d->engine->nodes.n);
    const struct fsd_memory_use **by_name =
        FSD_NEW(arena, const struct fsd_memory_use *, fsd_intern_count(d->names));

    *sums = NULL;
    for (uint32_t i = 0; h && !h->refused && i < h->memory.n; i++) {
        const struct fsd_memory_use *m = &h->memory.at[i];

        if (m->build == h->build && m->layer)
            by_name[m->layer] = m;
        else if (m->build == h->build)
            *sums = m;
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        of[i] = by_name[d->engine->nodes.at[i].name];
    return of;
}

struct size {
    int64_t bytes;
    fsd_id id;
};

FSD_ORDERED(by_size, struct size, fsd_falling((double)x->bytes, (double)y->bytes),
            fsd_order(x->id, y->id))

static struct fsd_rows *layer_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                   const struct fsd_lives *lives,
                                   const struct fsd_memory_use **stated)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &layer_row_record, layer_text);

    for (fsd_id layer = 0; layer < d->engine->nodes.n; layer++) {
        const struct fsd_layer_cost *c = &d->cost->layers[layer];

        FSD_ADD(rows, layer_row, LAYER_ROW);
    }
    return rows;
}

static struct fsd_rows *tensor_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_lives *lives, uint32_t most)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &tensor_row_record, tensor_text);
    struct size *sizes = FSD_NEW(arena, struct size, d->engine->tensors.n);
    uint32_t n = 0;

    for (fsd_id t = 0; t < d->engine->tensors.n; t++)
        if (lives->of[t].there && !lives->of[t].border && lives->of[t].bytes > 0)
            sizes[n++] = (struct size){lives->of[t].bytes, t};
    qsort(sizes, n, sizeof *sizes, by_size);
    for (uint32_t i = 0; i < n && i < most; i++) {
        const struct fsd_life *life = &lives->of[sizes[i].id];
        const struct fsd_form *form = fsd_tensor_form(d->engine, sizes[i].id);
        FSD_ADD(rows, tensor_row, TENSOR_ROW);
    }
    return rows;
}

enum fsd_status fsd_view_memory(struct fsd_sheet *sheet,
                                const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = request->d;
    struct fsd_lives lives = fsd_cost_lives(arena, d);
    const struct fsd_memory_use *log;
    const struct fsd_memory_use **stated = stated_of(arena, d, &log);
    uint32_t shown = request->q->top ? request->q->top
                     : request->all  ? UINT32_MAX
                                     : SHOWN;
    bool none = lives.unknown && !lives.sum;
    struct fsd_amount_cell sum = fsd_amount_cell(d, none ? -1 : lives.sum),
                           most = fsd_amount_cell(d, none ? -1 : lives.peak);
    struct answer *root =
        fsd_sheet_begin(sheet, "fusiondiff-memory/1", &answer_record, head, text);

    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
