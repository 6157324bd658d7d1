/*
 * Prints the layers of the engine in order, abbreviated: one or two lines per layer,
 * and only the first of several equal blocks.
 *
 *         5 | 0.0328  Convolution  int8 chw32
 *             Conv_22 + BatchNormalization_23 + Relu_24
 *         6 ...
 *           = layers 8 to 10 are as 5 to 7: 0.0973 ms
 *
 * Layers are equal if they have the same kind, type and precision, move or convert data
 * in the same way, and compute nodes with the same operators. Their names, sizes and
 * times may differ. A sequence of layers is a block if an equal sequence follows it.
 * Consecutive control layers take one line. In a long engine, consecutive ordinary
 * layers also take one line.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/text/rows.h"
#include "report/text/text.h"

enum {
    LONGEST = 128,     /* maximum number of layers in a block */
    SHOWN_BLOCK = 16,  /* in a block of at most this many layers, ordinary layers are
                          never folded */
    LONG_ENGINE = 120, /* ordinary layers are folded in engines with more layers than
                          this */
    RUN = 4            /* minimum number of consecutive ordinary layers that share a
                          line */
};

/* -------------------------------------------------------------------- equal layers */

static uint64_t hash_of_ports(const struct fsd_diff *d, struct fsd_span ports,
                              uint64_t hash)
{
    hash = fsd_hash_mix(hash, ports.n);
    for (uint32_t i = 0; i < ports.n; i++) {
        const struct fsd_form *form =
            fsd_port_form(d->engine, &d->engine->ports.at[ports.at + i]);
        char layout[16];

        hash = fsd_hash_mix(hash, form->type);
        hash = fsd_hash_mix(hash, fsd_hash_text(fsd_layout_name(form->layout, layout)));
    }
    return hash;
}

/* Hashes all properties in which equal layers agree. */
static uint64_t hash_of_layer(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    uint64_t hash = fsd_hash_mix(n->op, d->layers[layer].kind);
    uint64_t ops = 0;

    if (fsd_match_in_region(d->match, layer))
        return fsd_hash_mix(layer, UINT64_MAX); /* a unique value: only the first layer
                                                   of a region lists the region's nodes,
                                                   so no layer of a region may count as
                                                   equal to another */
    hash = fsd_hash_mix(hash, d->layers[layer].precision);
    hash = fsd_hash_mix(hash, d->layers[layer].inserted);
    hash = fsd_hash_mix(hash, d->reasons[layer].cause);
    hash = hash_of_ports(d, n->in, hash);
    hash = hash_of_ports(d, n->out, hash);
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node) {
        if (d->nodes[node].fate == FSD_FATE_LAYER) /* a sum, so that the order of the
                                                      nodes does not matter */
            ops += fsd_hash_mix(d->model->nodes.at[node].op, d->nodes[node].realised);
    }
    return fsd_hash_mix(hash, ops);
}

/* Of the blocks that begin at layer `from`, returns the one whose repetitions save the
 * most lines. If no block is repeated, `again` is 0. */
static struct fsd_text_block find_block(const uint64_t *hashes, uint32_t n, fsd_id from)
{
    struct fsd_text_block best = {1, 0};

    for (uint32_t layers = 1; layers <= LONGEST && from + 2 * layers <= n; layers++) {
        uint32_t equal = 0;

        while (from + layers + equal < n &&
               hashes[from + equal] == hashes[from + layers + equal])
            equal++;
        if (equal / layers * layers > best.layers * best.again)
            best = (struct fsd_text_block){layers, equal / layers};
    }
    return best;
}

/* Marks the layers that are printed even in a long engine: layers with warnings or
 * errors, inserted layers, and computing layers without known nodes. */
static bool *find_remarkable(const struct fsd_diff *d, struct fsd_arena *scratch)
{
    bool *seen = FSD_NEW(scratch, bool, d->engine->nodes.n);

    FSD_EACH (const struct fsd_finding, f, d->findings->list) {
        if (f->severity == FSD_INFO)
            continue;
        FSD_EACH_OF (layer, d->findings->subjects, f->layers, id)
            seen[layer] = true;
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        seen[i] |= fsd_text_mark(d, i) != '|';
    return seen;
}

/* ------------------------------------------------------------------------ the rows */

struct folding {
    const struct fsd_diff *d;
    struct fsd_arena *arena;
    fsd_text_row_vec rows;
    const bool *seen; /* indexed by layer: whether the layer is never folded */
};

static void add_row(struct folding *f, enum fsd_text_what what, fsd_id from, fsd_id to,
                    struct fsd_text_block block)
{
    struct fsd_text_row row = {
        .what = what, .from = from, .to = to, .block = block, .named = false};

    fsd_vec_push(f->arena, &f->rows, row);
}

/* Whether a layer synchronizes, jumps or computes addresses, and computes no node. */
static bool is_control(const struct folding *f, fsd_id layer)
{
    const struct fsd_diff *d = f->d;
    enum fsd_kind kind = d->layers[layer].kind;

    return (kind == FSD_KIND_SYNC || kind == FSD_KIND_SHAPE) && !f->seen[layer] &&
           !d->match->of_layer[layer].n && !fsd_match_in_region(d->match, layer);
}

static bool are_control(const struct folding *f, fsd_id from, fsd_id to)
{
    while (from < to && is_control(f, from))
        from++;
    return from == to;
}

/* Adds rows for layers that are not repeated.
 * @param fold whether consecutive ordinary layers become one row */
static void add_layers(struct folding *f, fsd_id from, fsd_id end, bool fold)
{
    const struct fsd_text_block none = {0, 0};

    for (fsd_id i = from, to; i < end; i = to) {
        for (to = i; to < end && is_control(f, to);)
            to++;
        if (to > i) {
            add_row(f, FSD_TEXT_CONTROL, i, to, none);
            continue;
        }
        while (fold && to < end && !f->seen[to])
            to++;
        if (to >= i + RUN) {
            add_row(f, FSD_TEXT_RUN, i, to, none);
        } else {
            to = i + 1;
            add_row(f, FSD_TEXT_LAYER, i, to, none);
        }
    }
}

void fsd_text_layers_folded(const struct fsd_diff *d, const struct fsd_style *style,
                            FILE *out)
{
    FSD_SCRATCH(scratch);
    uint32_t n = d->engine->nodes.n;
    uint64_t *hashes = FSD_NEW(scratch, uint64_t, n);
    struct folding f = {.d = d, .arena = scratch, .seen = find_remarkable(d, scratch)};
    bool fold = n > LONG_ENGINE;
    fsd_id plain = 0; /* the first layer that has no row yet */

    for (fsd_id i = 0; i < n; i++)
        hashes[i] = hash_of_layer(d, i);
    for (fsd_id i = 0; i < n;) {
        struct fsd_text_block b = find_block(hashes, n, i);
        fsd_id end = i + b.layers * (b.again + 1);

        if (b.layers * b.again < 2 || are_control(&f, i, end)) {
            i++;
            continue;
        }
        add_layers(&f, plain, i, fold);
        add_layers(&f, i, i + b.layers, fold && b.layers > SHOWN_BLOCK);
        add_row(&f, FSD_TEXT_AGAIN, i, end, b);
        plain = i = end;
    }
    add_layers(&f, plain, n, fold);
    fsd_text_rows(d, style, f.rows.at, f.rows.n, out);
}
