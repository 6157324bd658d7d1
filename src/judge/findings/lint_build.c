/* Finds nodes that a builder refuses, files of weights that are missing or too short,
 * and slow nodes: convolutions whose channels do not fill a vector, repeated casts, and
 * products that stay in FP32. */
#include "base/base.h"
#include "judge/findings/place.h"

#include <inttypes.h>
#include <limits.h>

/* ------------------------------------------------------------------------- refusals */

/* Refused nodes with the same operator and the same reason are one finding: the build
 * fails at the first of them anyway. `next` links all nodes with the same operator, so
 * that the search for the nodes of a finding does not visit the whole model. */
struct chain {
    fsd_id *next; /* indexed by node: the next node with the same operator; FSD_NONE:
                     none */
    const struct fsd_refusal **why; /* indexed by node */
    bool *reported;                 /* indexed by node */
};

static struct chain chain_nodes(struct fsd_finder *f)
{
    const struct fsd_graph *g = f->lint->g;
    uint32_t n = g->nodes.n;
    struct chain c = {FSD_NEW(f->scratch, fsd_id, n),
                      FSD_NEW(f->scratch, const struct fsd_refusal *, n),
                      FSD_NEW(f->scratch, bool, n)};
    fsd_id *head = fsd_ids_new(f->scratch, fsd_intern_count(g->names));

    for (fsd_id i = n; i-- > 0;) {
        c.next[i] = head[g->nodes.at[i].op];
        head[g->nodes.at[i].op] = i;
        c.why[i] = fsd_lint_refusal(f->lint, i);
    }
    return c;
}

/* Adds to the finding all nodes that have the same operator and reason as `first`.
 * Returns the number of these nodes. */
static uint32_t report_all(struct fsd_finder *f, struct chain *c, fsd_id first)
{
    uint32_t n = 0;

    for (fsd_id i = first; i != FSD_NONE; i = c->next[i])
        if (c->why[i] == c->why[first] && !c->reported[i]) {
            c->reported[i] = true;
            fsd_about_node(f, i);
            n++;
        }
    return n;
}

/* Proposes to remove the Q/DQ pair that quantizes the node's data. Proposes nothing if
 * the builder accepts another node that reads the pair. If several refused nodes read
 * the pair, only the call for the first one proposes the removal. */
static void edit_data(struct fsd_finder *f, fsd_id node)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_quantizer *dq = fsd_lint_held(l, node, 0),
                               *q = fsd_lint_q_of(l, dq);
    struct fsd_span readers;

    if (!q ||
        fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, q->node, 0)) != dq->node)
        return;
    readers = l->g->tensors.at[fsd_node_out_tensor(l->g, dq->node, 0)].consumers;
    FSD_EACH_ID (reader, l->g->links, readers) {
        const struct fsd_refusal *r = fsd_lint_refusal(l, reader);

        if (!r || r->wants != FSD_WANTS_FLOATS)
            return;
    }
    if (l->g->links.at[readers.at] == node)
        fsd_edit_remove(
            f, q,
            "the data is no longer rounded to 8 bits, and the weights do not "
            "change");
}

void fsd_lint_refused(struct fsd_finder *f)
{
    static void (*const edits[])(struct fsd_finder * finder, fsd_id node) = {
        [FSD_WANTS_OTHER] = NULL,
        [FSD_WANTS_DIMENSION] = fsd_edit_dimension,
        [FSD_WANTS_TYPE] = fsd_edit_store,
        [FSD_WANTS_FLOATS] = edit_data};
    const struct fsd_lint *l = f->lint;
    struct chain c = chain_nodes(f);

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        const char *op = fsd_text(f->d->names, l->g->nodes.at[i].op);
        const struct fsd_refusal *r = c.why[i];
        uint32_t n;

        if (c.reported[i] || (!r && fsd_lint_import(l, i) != FSD_IMPORT_NONE))
            continue;
        r = r ? r : &fsd_lint_no_importer;
        fsd_finding_open(f);
        n = report_all(f, &c, i);
        fprintf(f->out, "%s does not support %s (%u node%s: ", l->target.name, op, n,
                fsd_plural(n));
        fsd_put_subjects(f, f->now.nodes);
        fprintf(f->out, "): %s (%s)", r->why, r->source);
        fsd_fact_text(f, "op", op);
        fsd_fact_text(f, "reason", r->why);
        fsd_fact_text(f, "source", r->source);
        for (uint32_t k = 0; edits[r->wants] && k < n; k++)
            edits[r->wants](f, f->found->subjects.at[f->now.nodes.at + k].id);
        fsd_lint_close(f);
    }
}

/* A node that reads the tensor `name`; if no node does, the first node of the model. */
static fsd_id reader_of(const struct fsd_graph *g, fsd_sym name)
{
    fsd_id tensor = fsd_graph_find(g, name, 0);

    return tensor != FSD_NONE && g->tensors.at[tensor].consumers.n
               ? g->links.at[g->tensors.at[tensor].consumers.at]
               : 0;
}

/* The number of bytes of a tensor, computed from its sizes and type; 0: unknown. */
static uint64_t bytes_needed(const struct fsd_graph *g, fsd_sym name)
{
    fsd_id tensor = fsd_graph_find(g, name, 0);
    const struct fsd_form *form =
        tensor == FSD_NONE ? &fsd_no_form : fsd_tensor_form(g, tensor);
    uint64_t bits = fsd_dtype_bits(form->type);

    for (uint32_t i = 0; i < form->dims.n; i++) {
        int64_t size = g->dims.at[form->dims.at + i].size;

        if (size < 0 || (size && bits > UINT64_MAX / (uint64_t)size))
            return 0;
        bits *= (uint64_t)size;
    }
    return bits / CHAR_BIT + (bits % CHAR_BIT != 0);
}

/* Reports files of weights that are too short, because a download was cut off or
 * because the file is only a pointer to the data. */
static void report_short(struct fsd_finder *f)
{
    const struct fsd_graph *g = f->lint->g;

    FSD_EACH (const struct fsd_weights_file, o, g->outside) {
        uint64_t needed = bytes_needed(g, o->tensor);

        if (needed <= o->bytes)
            continue;
        fsd_lint_open(f, reader_of(g, o->tensor));
        fprintf(f->out,
                "the weights `%s` need %" PRIu64
                " bytes, but the file `%s` has %" PRIu64,
                fsd_text(g->names, o->tensor), needed, o->file, o->bytes);
        fsd_lint_close(f);
    }
}

void fsd_lint_absent(struct fsd_finder *f)
{
    const struct fsd_graph *g = f->lint->g;

    if (!g->nodes.n || f->d->engine->nodes.n)
        return; /* an engine was built with these weights */
    report_short(f);
    if (!g->absent)
        return;
    fsd_lint_open(f, reader_of(g, g->absent_tensor));
    fprintf(f->out, "the weights `%s` are in `%s`, which is not in the model's folder",
            fsd_text(g->names, g->absent_tensor), g->absent);
    if (g->absent_tensors > 1)
        fprintf(f->out, "; in total, %u tensors are in absent files",
                g->absent_tensors);
    fsd_lint_close(f);
}

/* Reports a model whose opset is newer than any that this program knows. */
static void report_opset(struct fsd_finder *f)
{
    int64_t opset = fsd_graph_opset(f->lint->g);

    if (opset <= FSD_OPSET_KNOWN || !f->lint->g->nodes.n)
        return;
    fsd_lint_open(f, 0);
    fprintf(f->out,
            "the model's opset is %" PRId64
            ", but the newest opset that fusiondiff knows is %d",
            opset, FSD_OPSET_KNOWN);
    fsd_lint_close(f);
}

/* Reports dynamic sizes that have the same name. The builder assumes that such sizes
 * are equal. */
static void report_sizes(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->tensors.n; i++) {
        const struct fsd_shape *x = fsd_shape_of(l->sizes, i);
        int one = 0, other = 1;

        if (!fsd_tensor_is(l->g, i, FSD_TENSOR_INPUT) || !x->ranked ||
            !l->g->tensors.at[i].consumers.n)
            continue;
        while (other < x->rank && (x->dims[one] >= 0 || x->dims[one] != x->dims[other]))
            if (++one == other) {
                one = 0;
                other++;
            }
        if (other >= x->rank)
            continue;
        fsd_lint_open(f, l->g->links.at[l->g->tensors.at[i].consumers.at]);
        fprintf(f->out,
                "axes %d and %d of the input `%s` share the name %s: %s requires "
                "equal sizes for these axes",
                one, other, fsd_lint_tensor(f, i),
                fsd_amount_text(l->sizes->amounts, x->dims[one]), l->target.name);
        fsd_lint_close(f);
    }
}

/* Reports operators that were never tried with the builder, and are therefore not known
 * to work. */
void fsd_lint_not_known(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    struct chain c = chain_nodes(f);

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        if (c.reported[i] || c.why[i] || fsd_lint_import(l, i) != FSD_IMPORT_UNKNOWN)
            continue;
        fsd_finding_open(f);
        report_all(f, &c, i);
        fprintf(f->out, "it is unknown whether %s supports %s without a plugin: ",
                l->target.name, fsd_text(f->d->names, l->g->nodes.at[i].op));
        fsd_put_subjects(f, f->now.nodes);
        fsd_lint_close(f);
    }
    report_opset(f);
    if (l->target.family == FSD_RTX)
        report_sizes(f);
}

/* ------------------------------------------------------------------------ alignment */

/* Tensor cores read vectors of channels. Returns the number of channels in a vector if
 * the channels' data has the type `type`. */
static int64_t vector_of(enum fsd_dtype type)
{
    switch (fsd_dtype_rank(type)) {
    case 1:
        return 64;
    case 2:
        return 32;
    case 3:
        return 8;
    default:
        return 0;
    }
}

static int64_t padded(int64_t channels, int64_t vector)
{
    return (channels + vector - 1) / vector * vector;
}

struct channels {
    int64_t in, out, vector;
    enum fsd_dtype type;
};

/* Reads the numbers of a convolution's input and output channels; false if one is
 * dynamic. */
static bool read_channels(const struct fsd_lint *l, fsd_id node, struct channels *c)
{
    const struct fsd_shape *x =
        fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0));
    const struct fsd_shape *y =
        fsd_shape_of(l->sizes, fsd_node_out_tensor(l->g, node, 0));

    if (!x->ranked || !y->ranked || x->rank < 3 || y->rank < 3 || x->dims[1] <= 0 ||
        y->dims[1] <= 0 || fsd_node_int(l->g, node, "group", 1) > 1)
        return false;
    c->type = fsd_lint_is_narrow(l, node)
                  ? fsd_lint_held(l, node, 0)->type
                  : fsd_tensor_form(l->g, fsd_node_in_tensor(l->g, node, 0))->type;
    c->vector = vector_of(c->type);
    c->in = x->dims[1];
    c->out = y->dims[1];
    return c->vector > 0;
}

/* Whether the node reads an input of the network. The channels of such an input cannot
 * be changed, because the application's data determines them. */
static bool at_border(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_quantizer *q = fsd_lint_q_of(l, fsd_lint_held(l, node, 0));
    fsd_id data = q ? q->data : fsd_node_in_tensor(l->g, node, 0);

    return fsd_tensor_is(l->g, data, FSD_TENSOR_INPUT);
}

void fsd_lint_channels(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        struct channels c;
        int64_t macs, elements, more_macs = 0, more_bytes = 0;

        if (!fsd_form_is(l->facts, i, "Conv|ConvTranspose") ||
            !read_channels(l, i, &c) || at_border(l, i) ||
            (c.in % c.vector == 0 && c.out % c.vector == 0))
            continue;
        macs = fsd_op_macs(l->sizes, i);
        elements = fsd_shape_count(
            l->sizes->amounts, fsd_shape_of(l->sizes, fsd_node_out_tensor(l->g, i, 0)));
        if (macs > 0 && macs < INT64_MAX / 4096)
            more_macs =
                (int64_t)((double)macs * (double)padded(c.in, c.vector) / (double)c.in *
                              (double)padded(c.out, c.vector) / (double)c.out -
                          (double)macs);
        if (elements > 0)
            more_bytes = elements / c.out * (padded(c.out, c.vector) - c.out) *
                         (int64_t)fsd_dtype_bits(c.type) / 8;
        fsd_lint_open(f, i);
        fprintf(f->out,
                "`%s` has %" PRId64 " input and %" PRId64
                " output channels in %s: TensorRT pads them to multiples of %" PRId64
                " channels",
                fsd_called(f, i), c.in, c.out, fsd_dtype_name(c.type), c.vector);
        if (more_macs > 0)
            fprintf(f->out, ", +%.2f %c multiply-adds",
                    (double)more_macs / (more_macs < 100000 ? 1e3 : 1e6),
                    more_macs < 100000 ? 'k' : 'M');
        if (more_bytes > 0)
            fprintf(f->out, ", +%.*f %s written", more_bytes >= 100,
                    (double)more_bytes / (more_bytes < 100 ? 1 : 1e3),
                    more_bytes < 100 ? "B" : "kB");
        fsd_fact_number(f, "padded_macs", (uint64_t)(more_macs > 0 ? more_macs : 0));
        fsd_fact_number(f, "padded_bytes", (uint64_t)(more_bytes > 0 ? more_bytes : 0));
        fsd_lint_close(f);
    }
}

/* ---------------------------------------------------------------------------- casts */

/* Whether a Cast is followed by a Cast back to the original type. Casts to lower
 * precision lose accuracy, casts to higher precision only cost time. */
static bool casts_back(struct fsd_place *p)
{
    const struct fsd_graph *g = p->l->g;
    enum fsd_dtype was = fsd_tensor_form(g, fsd_place_tensor(p, 'i'))->type;
    enum fsd_dtype now = fsd_tensor_form(g, fsd_place_tensor(p, 'n'))->type;

    p->text[0] = fsd_printed(p->f->scratch, "%s to %s", fsd_dtype_name(was),
                             fsd_dtype_name(now));
    p->text[1] = fsd_dtype_rank(was) > fsd_dtype_rank(now)
                     ? "this loses precision and gains nothing"
                     : "this gains nothing";
    return !fsd_form_is_constant(&p->fit, fsd_place_tensor(p, 'i')) &&
           fsd_dtype_rank(was) && fsd_dtype_rank(now) &&
           fsd_dtype_rank(was) != fsd_dtype_rank(now) &&
           fsd_tensor_form(g, fsd_place_tensor(p, 'm'))->type == was;
}

/* Whether a product runs in FP32 although the model has quantizers: a strongly typed
 * builder keeps the types of the model. */
static bool multiplies_in_fp32(struct fsd_place *p)
{
    p->text[0] = p->l->target.name;
    return p->l->quantizers.n && !p->l->facts->folded[fsd_place_node(p, 'n')] &&
           fsd_tensor_form(p->l->g, fsd_place_tensor(p, 'n'))->type == FSD_FP32;
}

const struct fsd_place_row fsd_rows_of_build[] = {
    {"cast/round-trip", "n=Cast(i) > m=Cast", casts_back, "nm",
     "{n} and {m} cast {A} and back: {B}"},
    {"precision/fp32-rest", "n=%weighted(%bare, %bare)", multiplies_in_fp32, "n",
     "{#} operator{?|s} of the quantized model multipl{?ies|y} in FP32, "
     "because {A} keeps the model's types",
     .listed = true},
    {0}};
