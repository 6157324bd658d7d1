/*
 * What lies in memory: weights, and what layers hand to each other, layer by layer, all
 * together, and where most of it is alive at once; beside it what the builder said.
 */
#include "base/id.h"
#include "cost/cost.h"
#include "model/history.h"
#include "report/view/view.h"

#include <stdlib.h>

enum { SHOWN = 10 };

/* What was counted in full, so that published figures can be met. */
enum { LAYER, NAME, IN, WEIGHTS, BIAS, OUT, BYTES, ALIVE, HOST, DEVICE, SCRATCH };

static const struct fsd_column layer_columns[] = {
    [LAYER] = {"layer", "layer", FSD_CELL_COUNT},
    [NAME] = {"name", "name", FSD_CELL_NAME},
    [IN] = {"in", "read", FSD_CELL_BYTES},
    [WEIGHTS] = {"weights", "weights", FSD_CELL_BYTES},
    [BIAS] = {"bias", "bias", FSD_CELL_BYTES},
    [OUT] = {"out", "written", FSD_CELL_BYTES},
    [BYTES] = {"bytes", "all but the bias", FSD_CELL_BYTES},
    [ALIVE] = {"alive", "alive meanwhile", FSD_CELL_BYTES},
    [HOST] = {"host", "persistent on the host", FSD_CELL_BYTES},
    [DEVICE] = {"device", "persistent", FSD_CELL_BYTES},
    [SCRATCH] = {"scratch", "scratch", FSD_CELL_BYTES},
};

static const char layer_text[] = "{layer:5} {in:11} {weights:11} {out:11} {bytes:11} "
                                 "{alive:11}  {name:.33}<  scratch {scratch!}>"
                                 "<  persistent {device!}>\n";

enum { TENSOR_NAME, TENSOR_FORM, TENSOR_BYTES, FROM, TO, AT_PEAK };

static const struct fsd_column tensor_columns[] = {
    [TENSOR_NAME] = {"name", "tensor", FSD_CELL_NAME},
    [TENSOR_FORM] = {"type", "type", FSD_CELL_TEXT},
    [TENSOR_BYTES] = {"bytes", "bytes", FSD_CELL_BYTES},
    [FROM] = {"from", "from layer", FSD_CELL_COUNT},
    [TO] = {"to", "to layer", FSD_CELL_COUNT},
    [AT_PEAK] = {"at_peak", NULL, FSD_CELL_FLAG},
};

static const char tensor_text[] = "{bytes:13}  layers {from} to {to}<  {type}>  "
                                  "{name:.56}<  (at the peak){at_peak!}>\n";

enum {
    ALL_WEIGHTS,
    UNTOLD,
    INPUTS,
    OUTPUTS,
    INSIDE,
    PEAK,
    INSIDE_KNOWN,
    PEAK_KNOWN,
    PEAK_LAYER,
    UNKNOWN,
    LOG_WEIGHTS,
    LOG_ACTIVATIONS,
    LOG_DEVICE,
    LOG_HOST,
    LOG_SCRATCH,
    OPEN,
    LAYERS,
    TENSORS
};

static const struct fsd_column columns[] = {
    [ALL_WEIGHTS] = {"weights", NULL, FSD_CELL_BYTES},
    [UNTOLD] = {"layers_untold", NULL, FSD_CELL_COUNT},
    [INPUTS] = {"inputs", NULL, FSD_CELL_BYTES},
    [OUTPUTS] = {"outputs", NULL, FSD_CELL_BYTES},
    [INSIDE] = {"inside", NULL, FSD_CELL_BYTES},
    [PEAK] = {"peak", NULL, FSD_CELL_BYTES},
    [INSIDE_KNOWN] = {"inside_at_least", NULL, FSD_CELL_BYTES},
    [PEAK_KNOWN] = {"peak_at_least", NULL, FSD_CELL_BYTES},
    [PEAK_LAYER] = {"peak_layer", NULL, FSD_CELL_COUNT},
    [UNKNOWN] = {"tensors_unknown", NULL, FSD_CELL_COUNT},
    [LOG_WEIGHTS] = {"log_weights", NULL, FSD_CELL_BYTES},
    [LOG_ACTIVATIONS] = {"log_activations", NULL, FSD_CELL_BYTES},
    [LOG_DEVICE] = {"log_device", NULL, FSD_CELL_BYTES},
    [LOG_HOST] = {"log_host", NULL, FSD_CELL_BYTES},
    [LOG_SCRATCH] = {"log_scratch", NULL, FSD_CELL_BYTES},
    [OPEN] = {"open", NULL, FSD_CELL_TEXT, true},
    [LAYERS] = {"layers", "Layers", FSD_CELL_ROWS, FSD_INSIDE(layer_columns)},
    [TENSORS] = {"tensors", "Largest tensors", FSD_CELL_ROWS,
                 FSD_INSIDE(tensor_columns)},
};

static const char head[] =
    "weights {weights}<, without those of {layers_untold!|layer|layers} that do not "
    "tell "
    "them><; between layers {inside} in all><, at most {peak!} at once, at layer "
    "{peak_layer}><; between layers at least {inside_at_least} in all, {peak_at_least} "
    "at "
    "once, at layer {peak_layer}><; sizes of {tensors_unknown!|tensor|tensors} between "
    "layers are not known{open}>";

static const char text[] =
    "\n"
    "network inputs {inputs}, outputs {outputs}, which the caller holds\n"
    "<the builder's log: weights {log_weights}\n><the builder's log: activations "
    "{log_activations}\n><the builder's log: persistent {log_device}<, {log_host} on "
    "the "
    "host>\n><the builder's log: scratch {log_scratch}\n>"
    "\n{*}layer        read     weights     written         all       alive  "
    "name  (bytes)\n{/}{layers}"
    "<\n{*}largest tensors between layers\n{/}{tensors!}>";

/* By layer what the log says of it; NULL where it says nothing. */
static const struct fsd_told_bytes **told_of(struct fsd_arena *arena,
                                             const struct fsd_diff *d,
                                             const struct fsd_told_bytes **sums)
{
    const struct fsd_history *h = d->history;
    const struct fsd_told_bytes **of =
        FSD_NEW(arena, const struct fsd_told_bytes *, d->engine->nodes.n);
    const struct fsd_told_bytes **by_name =
        FSD_NEW(arena, const struct fsd_told_bytes *, fsd_intern_count(d->names));

    *sums = NULL;
    for (uint32_t i = 0; h && !h->refused && i < h->memory.n; i++) {
        const struct fsd_told_bytes *m = &h->memory.at[i];

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

static int by_size(const void *a, const void *b)
{
    const struct size *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return fsd_order(x->id, y->id);
}

static struct fsd_rows layer_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                  const struct fsd_lives *lives,
                                  const struct fsd_told_bytes **told)
{
    struct fsd_rows rows = FSD_ROWS(layer_columns, layer_text);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_cost *c = &d->cost->layers[i];
        struct fsd_cell *row = fsd_rows_add(arena, &rows);

        row[LAYER] = fsd_cell_count(i);
        row[NAME] = fsd_cell_sym(d, d->engine->nodes.at[i].name);
        row[IN] = fsd_cell_amount(d, c->traffic.in);
        row[WEIGHTS] = fsd_cell_amount(d, c->traffic.weights);
        row[BIAS] = fsd_cell_amount(d, c->traffic.bias);
        row[OUT] = fsd_cell_amount(d, c->traffic.out);
        row[BYTES] = fsd_cell_amount(d, c->bytes);
        row[ALIVE] = fsd_cell_amount(d, lives->alive[i]);
        if (told[i]) {
            row[HOST] = fsd_cell_amount(d, told[i]->host);
            row[DEVICE] = fsd_cell_amount(d, told[i]->device);
            row[SCRATCH] = fsd_cell_amount(d, told[i]->scratch);
        }
    }
    return rows;
}

static struct fsd_rows tensor_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                   const struct fsd_lives *lives, uint32_t most)
{
    struct fsd_rows rows = FSD_ROWS(tensor_columns, tensor_text);
    struct size *sizes = FSD_NEW(arena, struct size, d->engine->tensors.n);
    uint32_t n = 0;

    for (fsd_id t = 0; t < d->engine->tensors.n; t++)
        if (lives->of[t].there && !lives->of[t].border && lives->of[t].bytes > 0)
            sizes[n++] = (struct size){lives->of[t].bytes, t};
    qsort(sizes, n, sizeof *sizes, by_size);
    for (uint32_t i = 0; i < n && i < most; i++) {
        const struct fsd_life *life = &lives->of[sizes[i].id];
        const struct fsd_form *form = fsd_tensor_form(d->engine, sizes[i].id);
        struct fsd_cell *row = fsd_rows_add(arena, &rows);

        row[TENSOR_NAME] = fsd_cell_sym(d, d->engine->tensors.at[sizes[i].id].name);
        if (form->type != FSD_DTYPE_UNKNOWN)
            row[TENSOR_FORM] = fsd_cell_text(fsd_dtype_name(form->type));
        row[TENSOR_BYTES] = fsd_cell_amount(d, life->bytes);
        row[FROM] = fsd_cell_count(life->first);
        row[TO] = fsd_cell_count(life->last);
        row[AT_PEAK] = (struct fsd_cell){.known = true,
                                         .count = lives->at != FSD_NONE &&
                                                  life->first <= lives->at &&
                                                  lives->at <= life->last};
    }
    return rows;
}

enum fsd_status fsd_view_memory(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                                struct fsd_error *err)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = asked->d;
    struct fsd_lives lives = fsd_cost_lives(arena, d);
    const struct fsd_told_bytes *sums;
    const struct fsd_told_bytes **told = told_of(arena, d, &sums);
    struct fsd_rows layers = layer_rows(arena, d, &lives, told);
    struct fsd_rows tensors = tensor_rows(arena, d, &lives,
                                          asked->q->top ? asked->q->top
                                          : asked->all  ? UINT32_MAX
                                                        : SHOWN);
    struct fsd_cell *root;

    (void)err;
    sheet->schema = "fusiondiff-memory/1";
    sheet->head = head;
    sheet->root = FSD_ROWS(columns, text);
    root = fsd_rows_add(arena, &sheet->root);
    root[ALL_WEIGHTS] = fsd_cell_amount(d, lives.weights);
    root[UNTOLD] = fsd_cell_count(lives.untold);
    root[INPUTS] = fsd_cell_amount(d, lives.inputs);
    root[OUTPUTS] = fsd_cell_amount(d, lives.outputs);
    root[lives.unknown ? INSIDE_KNOWN : INSIDE] =
        fsd_cell_amount(d, lives.unknown && !lives.sum ? -1 : lives.sum);
    root[lives.unknown ? PEAK_KNOWN : PEAK] =
        fsd_cell_amount(d, lives.unknown && !lives.sum ? -1 : lives.peak);
    root[PEAK_LAYER] = fsd_cell_id(lives.at);
    root[UNKNOWN] = fsd_cell_count(lives.unknown);
    root[OPEN] = fsd_cell_text(lives.unknown ? " (--shape gives open ones)" : "");
    if (sums) {
        root[LOG_WEIGHTS] = fsd_cell_amount(d, sums->weights);
        root[LOG_ACTIVATIONS] = fsd_cell_amount(d, sums->activations);
        root[LOG_DEVICE] = fsd_cell_amount(d, sums->device);
        root[LOG_HOST] = fsd_cell_amount(d, sums->host);
        root[LOG_SCRATCH] = fsd_cell_amount(d, sums->scratch);
    }
    root[LAYERS] = fsd_cell_rows(arena, &layers, UINT32_MAX);
    root[TENSORS] = fsd_cell_rows(arena, &tensors, UINT32_MAX);
    return FSD_OK;
}
