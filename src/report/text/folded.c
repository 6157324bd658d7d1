/*
 * The engine in its order, short: a line or two per layer, and repeated blocks once.
 *
 *         5 | 0.0328  Convolution  int8 chw32
 *             Conv_22 + BatchNormalization_23 + Relu_24
 *         6 ...
 *           = layers 8 to 10 are as 5 to 7: 0.0973 ms
 *
 * Layers are equal when they are of one kind, type and precision, move or convert
 * alike, and compute nodes of the same operators; names, sizes and times may differ.  A
 * block is a run of layers that is followed by equal ones.  In a long engine, runs of
 * layers with nothing to say are one line as well.
 */
#include "base/base.h"
#include "report/phrase/phrase.h"
#include "report/text/text.h"

#include <string.h>

enum {
    INDENT = 8,        /* columns of the second line of a layer */
    LONGEST = 128,     /* layers of a block */
    SHOWN_NODES = 8,   /* of a layer */
    SHOWN_BLOCK = 16,  /* layers of a block that is shown whole in any engine */
    LONG_ENGINE = 120, /* layers from which runs are folded */
    RUN = 4            /* ordinary layers that make a run */
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

/* What a layer has in common with the same layer of an equal block. */
static uint64_t hash_of_layer(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    uint64_t hash = fsd_hash_mix(n->op, d->layers[layer].kind);
    uint64_t ops = 0;

    if (fsd_match_in_region(d->match, layer))
        return fsd_hash_mix(layer, UINT64_MAX); /* its nodes stand at one layer */
    hash = fsd_hash_mix(hash, d->layers[layer].precision);
    hash = fsd_hash_mix(hash, d->layers[layer].inserted);
    hash = fsd_hash_mix(hash, d->reasons[layer].cause);
    hash = hash_of_ports(d, n->in, hash);
    hash = hash_of_ports(d, n->out, hash);
    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node;

        if (d->nodes[node].fate == FSD_FATE_LAYER) /* in whatever order */
            ops += fsd_hash_mix(d->model->nodes.at[node].op, d->nodes[node].realised);
    }
    return fsd_hash_mix(hash, ops);
}

/* A run of layers, and how many equal ones follow it. */
struct block {
    uint32_t layers, again;
};

/* The block at a layer that saves most; of one that is not repeated `again` is 0. */
static struct block find_block(const uint64_t *hashes, uint32_t n, fsd_id from)
{
    struct block best = {1, 0};

    for (uint32_t layers = 1; layers <= LONGEST && from + 2 * layers <= n; layers++) {
        uint32_t equal = 0;

        while (from + layers + equal < n &&
               hashes[from + equal] == hashes[from + layers + equal])
            equal++;
        if (equal / layers * layers > best.layers * best.again)
            best = (struct block){layers, equal / layers};
    }
    return best;
}

/* ------------------------------------------------------------------------- a layer */

static void put_nodes(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    uint32_t shown = 0, hidden = 0;

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node;

        if (d->nodes[node].fate != FSD_FATE_LAYER)
            continue; /* constants, and quantizers that live on as a precision */
        if (shown == SHOWN_NODES) {
            hidden++;
            continue;
        }
        fputs(shown++ ? " + " : "", out);
        fsd_put_node_name(d, node, out);
        if (fsd_runs_wider(&d->nodes[node]))
            fprintf(out, " (requested %s)", fsd_dtype_name(d->nodes[node].requested));
    }
    if (hidden)
        fprintf(out, " + %u more", hidden);
}

static void put_region(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_id id = d->match->region_of_layer[layer];
    const struct fsd_region *region = &d->match->regions.at[id];

    fprintf(out, "region %u", id);
    if (d->match->pool.at[region->layers.at] != layer)
        return;
    fprintf(out, ": %u node%s in %u layer%s", region->nodes.n,
            fsd_plural(region->nodes.n), region->layers.n,
            fsd_plural(region->layers.n));
    for (uint32_t i = 0; i < region->nodes.n && i < SHOWN_NODES; i++) {
        fputs(i ? " + " : ", ", out);
        fsd_put_node_name(d, d->match->pool.at[region->nodes.at + i], out);
    }
    if (region->nodes.n > SHOWN_NODES)
        fprintf(out, " + %u more", region->nodes.n - SHOWN_NODES);
}

/* What it computes; of one that computes nothing of the model its name. */
static char *subject_of(const struct fsd_diff *d, fsd_id layer, struct fsd_arena *arena)
{
    struct fsd_print text;

    fsd_print_open(&text);
    if (fsd_match_in_region(d->match, layer))
        put_region(d, layer, text.out);
    else if (d->match->of_layer[layer].n)
        put_nodes(d, layer, text.out);
    else if (!d->layers[layer].inserted)
        fputs(fsd_text(d->names, d->engine->nodes.at[layer].name), text.out);
    return fsd_print_take(&text, arena);
}

static void put_layer(const struct fsd_diff *d, const struct fsd_style *style,
                      fsd_id layer, FILE *out)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const char *type = fsd_text(d->names, d->engine->nodes.at[layer].op);
    enum fsd_cause cause = d->reasons[layer].cause;
    bool inserted = d->layers[layer].inserted;
    bool lost = !fsd_match_maps_layer(d->match, layer) &&
                d->layers[layer].kind == FSD_KIND_COMPUTE && !inserted;
    size_t width = fsd_text_width(style), used;
    struct fsd_print what;
    char *subject = subject_of(d, layer, scratch);

    fsd_print_open(&what);
    fprintf(what.out, "%5u %c ", layer, inserted ? '+' : lost ? '?' : '|');
    if (d->times->profiles) {
        fsd_put_ms_column(fsd_layer_ms(d, layer), 6, what.out);
        fputs("  ", what.out);
    }
    fputs(*type ? type : fsd_kind_name(d->layers[layer].kind), what.out);
    if (cause != FSD_CAUSE_NONE)
        fprintf(what.out, " (%s)", fsd_cause_name(cause));
    fsd_text_change(d, layer, what.out);
    fsd_ink(style,
            inserted ? FSD_INK_INSERTED
            : lost   ? FSD_INK_ALARM
                     : FSD_INK_PLAIN,
            out);
    used = fsd_put_fitted(out, fsd_print_take(&what, scratch), width);
    fsd_ink(style, FSD_INK_PLAIN, out);
    if (*subject && used + 2 + fsd_safe_width(subject) > width)
        fprintf(out, "\n%*s", INDENT, "");
    else if (*subject)
        fputs("  ", out);
    fsd_put_fitted(out, subject, width - INDENT);
    putc('\n', out);
    fsd_arena_free(scratch);
}

/* -------------------------------------------------------------------------- folding */

static double ms_of(const struct fsd_diff *d, fsd_id from, fsd_id to)
{
    double ms = 0;

    for (fsd_id i = from; i < to; i++)
        ms += fsd_layer_ms(d, i) > 0 ? fsd_layer_ms(d, i) : 0;
    return ms;
}

static void put_range(fsd_id from, fsd_id to, FILE *out)
{
    fprintf(out, to > from + 1 ? "%u to %u" : "%u", from, to - 1);
}

static void put_again(const struct fsd_diff *d, const struct fsd_style *style,
                      fsd_id from, struct block b, FILE *out)
{
    fsd_id begin = from + b.layers, end = begin + b.layers * b.again;

    fsd_ink(style, FSD_INK_FAINT, out);
    fprintf(out, "      = layer%s ", end > begin + 1 ? "s" : "");
    put_range(begin, end, out);
    fputs(end > begin + 1 ? " are as " : " is as ", out);
    put_range(from, begin, out);
    if (b.again > 1)
        fprintf(out, ", %u times", b.again);
    if (d->times->profiles) {
        fputs(": ", out);
        fsd_put_ms(ms_of(d, begin, end), out);
    }
    fputs(" (--all)\n", out);
    fsd_ink(style, FSD_INK_PLAIN, out);
}

/* Layers a reader wants to see however long the engine is. */
static bool *find_remarkable(const struct fsd_diff *d, struct fsd_arena *scratch)
{
    bool *seen = FSD_NEW(scratch, bool, d->engine->nodes.n);

    for (uint32_t i = 0; i < d->findings->list.n; i++) {
        struct fsd_span layers = d->findings->list.at[i].layers;

        if (d->findings->list.at[i].severity == FSD_INFO)
            continue;
        for (uint32_t k = 0; k < layers.n; k++)
            seen[d->findings->subjects.at[layers.at + k].id] = true;
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (d->layers[i].inserted || (d->layers[i].kind == FSD_KIND_COMPUTE &&
                                      !fsd_match_maps_layer(d->match, i)))
            seen[i] = true;
    return seen;
}

/* The first, or last, node that layers of a run compute; NULL: they compute none. */
static char *edge_node(const struct fsd_diff *d, struct fsd_arena *arena, fsd_id from,
                       fsd_id to, bool last)
{
    struct fsd_print name;

    for (fsd_id k = 0; k < to - from; k++) {
        fsd_id layer = last ? to - 1 - k : from + k;
        uint32_t n = d->match->of_layer[layer].n;

        if (!n)
            continue;
        fsd_put_node_name(d,
                          fsd_match_of_layer(d->match, layer, last ? n - 1 : 0)->node,
                          fsd_print_open(&name));
        return fsd_print_take(&name, arena);
    }
    return NULL;
}

static void put_run(const struct fsd_diff *d, const struct fsd_style *style,
                    fsd_id from, fsd_id to, FILE *out)
{
    struct fsd_arena *scratch = fsd_arena_new();
    char *first = edge_node(d, scratch, from, to, false),
         *last = edge_node(d, scratch, from, to, true);
    struct fsd_print line;
    uint32_t nodes = 0;

    for (fsd_id i = from; i < to; i++)
        nodes += d->match->of_layer[i].n;
    fputs("      = layers ", fsd_print_open(&line));
    put_range(from, to, line.out);
    if (d->times->profiles) {
        fputs(", ", line.out);
        fsd_put_ms(ms_of(d, from, to), line.out);
    }
    fprintf(line.out, ": %u node%s", nodes, fsd_plural(nodes));
    if (first && last)
        fprintf(line.out, ", %s to %s", first, last);
    fsd_ink(style, FSD_INK_FAINT, out);
    fsd_put_fitted(out, fsd_print_take(&line, scratch), fsd_text_width(style));
    fsd_ink(style, FSD_INK_PLAIN, out);
    putc('\n', out);
    fsd_arena_free(scratch);
}

/* Layers of which none begins a block.
 * @param fold  whether runs of ordinary ones are a line. */
static void put_layers(const struct fsd_diff *d, const struct fsd_style *style,
                       const bool *seen, fsd_id from, fsd_id end, bool fold, FILE *out)
{
    for (fsd_id i = from, to; i < end; i = to) {
        for (to = i; fold && to < end && !seen[to];)
            to++;
        if (to >= i + RUN) {
            put_run(d, style, i, to, out);
        } else {
            put_layer(d, style, i, out);
            to = i + 1;
        }
    }
}

void fsd_text_layers_folded(const struct fsd_diff *d, const struct fsd_style *style,
                            FILE *out)
{
    struct fsd_arena *scratch = fsd_arena_new();
    uint32_t n = d->engine->nodes.n;
    uint64_t *hashes = FSD_NEW(scratch, uint64_t, n);
    bool *seen = find_remarkable(d, scratch);
    bool fold = n > LONG_ENGINE;
    fsd_id plain = 0; /* from here on nothing is printed */

    for (fsd_id i = 0; i < n; i++)
        hashes[i] = hash_of_layer(d, i);
    for (fsd_id i = 0; i < n;) {
        struct block b = find_block(hashes, n, i);

        if (b.layers * b.again < 2) {
            i++;
            continue;
        }
        put_layers(d, style, seen, plain, i, fold, out);
        put_layers(d, style, seen, i, i + b.layers, fold && b.layers > SHOWN_BLOCK,
                   out);
        put_again(d, style, i, b, out);
        plain = i += b.layers * (b.again + 1);
    }
    put_layers(d, style, seen, plain, n, fold, out);
    fsd_arena_free(scratch);
}
