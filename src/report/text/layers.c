/*
 * Prints the layers of the engine in order. Each layer is a block, with the nodes of
 * the model beside it:
 *
 *       model                             engine
 *     5 Conv_22                    n t  | Convolution  int8 chw32
 *       BatchNormalization_23        t  | layer1.0.conv1.weight + ... + Conv_22
 *     6                                 + Reformat (layout)  fp16 chw32 -> fp16 chw2
 *
 * A block is two lists of cells, printed side by side or one below the other.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/text/text.h"
#include "report/phrase/phrase.h"

enum {
    SIDE_BY_SIDE = 96, /* minimum number of columns for this layout */
    NUMBER = 5,        /* columns of the layer's number */
    EVIDENCE = 6,      /* columns of the letters of evidence and the space before
                          them */
    LEAST = 24,        /* minimum number of columns of the model's side, so that it has
                          room for "~ 3 folded, 12 absorbed" */
    LEAST_REGION = 34  /* replaces LEAST if there are regions; has room for
                          "region 3: 12 nodes in 4 layers" */
};

struct cell {
    char *text;
    const char *tail; /* the evidence, printed at the right end of the column */
    enum fsd_ink ink;
};

struct block {
    struct fsd_arena *arena;
    FSD_VEC(struct cell) left, right;
    char mark; /* see fsd_text_mark() */
};

static void add_left(struct block *b, char *text, const char *tail, enum fsd_ink ink)
{
    fsd_vec_push(b->arena, &b->left, (struct cell){text, tail, ink});
}

static void add_right(struct block *b, char *text, enum fsd_ink ink)
{
    fsd_vec_push(b->arena, &b->right, (struct cell){text, "", ink});
}

/* ------------------------------------------------------------- the engine's side */

static bool same_form(const struct fsd_form *a, const struct fsd_form *b)
{
    return a->type == b->type && fsd_layout_same(a->layout, b->layout);
}

/* Prints the form (type and layout) of each port. A port with the form of the port
 * before it is left out.
 * @return the number of printed forms */
static uint32_t put_forms(const struct fsd_diff *d, struct fsd_span ports, FILE *out)
{
    const struct fsd_form *last = NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; i < ports.n; i++) {
        const struct fsd_form *form =
            fsd_port_form(d->engine, &d->engine->ports.at[ports.at + i]);

        if (last && same_form(last, form))
            continue;
        if (n++)
            fputs(", ", out);
        fsd_put_form(form, out);
        last = form;
    }
    return n;
}

/* Whether all inputs and outputs of a layer have the same form. */
static bool is_even(const struct fsd_diff *d, const struct fsd_node *n)
{
    const struct fsd_form *first = NULL;

    for (uint32_t i = 0; i < n->in.n + n->out.n; i++) {
        const struct fsd_form *form =
            fsd_port_form(d->engine, &d->engine->ports.at[fsd_node_port(n, i)]);

        if (first && !same_form(first, form))
            return false;
        first = form;
    }
    return true;
}

/* Prints the forms of a layer's inputs and outputs. If no form is known, but the type
 * in which the kernel computes is known, prints this type. */
static void put_change(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const struct fsd_form *form;

    if (!n->in.n && !n->out.n)
        return;
    fputs("  ", out);
    form =
        fsd_port_form(d->engine, &d->engine->ports.at[n->in.n ? n->in.at : n->out.at]);
    if (is_even(d, n)) {
        if (form->type == FSD_DTYPE_UNKNOWN &&
            form->layout.order == FSD_ORDER_UNKNOWN &&
            d->layers[layer].precision != FSD_DTYPE_UNKNOWN)
            fprintf(out, "runs in %s", fsd_dtype_name(d->layers[layer].precision));
        else
            fsd_put_form(form, out);
        return;
    }
    put_forms(d, n->in, out);
    fputs(" -> ", out);
    put_forms(d, n->out, out);
}

void fsd_text_kind(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const char *type = fsd_text(d->names, d->engine->nodes.at[layer].op);
    enum fsd_cause cause = d->reasons[layer].cause;

    if (d->times->profiles) {
        fsd_put_ms_column(fsd_layer_ms(d, layer), 6, out);
        fputs("  ", out);
    }
    fputs(*type ? type : fsd_kind_name(d->layers[layer].kind), out);
    if (cause != FSD_CAUSE_NONE)
        fprintf(out, " (%s)", fsd_cause_name(cause));
    put_change(d, layer, out);
}

static void fill_right(const struct fsd_diff *d, fsd_id layer, struct block *b)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const char *name = fsd_text(d->names, n->name);
    bool inserted = d->layers[layer].inserted;
    /* A layer that has the name of its only node needs no second line. */
    bool said = d->match->of_layer[layer].n == 1 &&
                d->model->nodes.at[fsd_match_of_layer(d->match, layer, 0)->node].name ==
                    n->name;
    struct fsd_print what;

    fsd_text_kind(d, layer, fsd_print_open(&what));
    add_right(b, fsd_print_take(&what, b->arena),
              inserted        ? FSD_INK_INSERTED
              : is_even(d, n) ? FSD_INK_PLAIN
                              : FSD_INK_CHANGED);
    if (!said)
        add_right(b, fsd_printed(b->arena, "%s", name), FSD_INK_FAINT);
}

/* -------------------------------------------------------------- the model's side */

static char *node_text(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id node)
{
    struct fsd_print text;

    fsd_put_node_name(d, node, fsd_print_open(&text));
    if (fsd_runs_wider(&d->nodes[node]))
        fprintf(text.out, "  (requested %s)", fsd_dtype_name(d->nodes[node].requested));
    return fsd_print_take(&text, arena);
}

static void fill_left(const struct fsd_diff *d, fsd_id layer, struct block *b)
{
    static const char letters[] = "mnltsp"; /* a letter for each bit of enum
                                               fsd_evidence */

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, layer, i);
        char *evidence = fsd_arena_strndup(b->arena, letters, sizeof letters - 1);
        size_t n = 0;

        for (int k = 0; letters[k]; k++)
            if (link->by >> k & 1)
                evidence[n++] = letters[k];
        evidence[n] = '\0';
        add_left(b, node_text(b->arena, d, link->node), evidence,
                 fsd_runs_wider(&d->nodes[link->node]) ? FSD_INK_CHANGED
                                                       : FSD_INK_PLAIN);
    }
}

/* If the layer belongs to a region, adds the region's number and sizes. If it is the
 * first layer of the region, also adds the region's nodes. */
static void fill_region(const struct fsd_diff *d, fsd_id layer, struct block *b)
{
    fsd_id id = d->match->region_of_layer[layer];
    const struct fsd_region *region;
    struct fsd_print text;

    if (id == FSD_NONE)
        return;
    region = &d->match->regions.at[id];
    fprintf(fsd_print_open(&text), "region %u: ", id);
    fprintf(text.out, "%u node%s in %u layer%s", region->nodes.n,
            fsd_plural(region->nodes.n), region->layers.n,
            fsd_plural(region->layers.n));
    add_left(b, fsd_print_take(&text, b->arena), "", FSD_INK_FAINT);
    if (d->match->pool.at[region->layers.at] != layer)
        return;
    for (uint32_t i = 0; i < region->nodes.n; i++) {
        fputs("  ", fsd_print_open(&text));
        fsd_put_node_name(d, d->match->pool.at[region->nodes.at + i], text.out);
        add_left(b, fsd_print_take(&text, b->arena),
                 region->by == FSD_BY_TENSOR ? "t" : "s", FSD_INK_PLAIN);
    }
}

/* ------------------------------------------------------------------- printing */

char fsd_text_mark(const struct fsd_diff *d, fsd_id layer)
{
    bool lost = d->layers[layer].kind == FSD_KIND_COMPUTE &&
                !fsd_match_maps_layer(d->match, layer);

    return d->layers[layer].inserted ? '+' : lost ? '?' : '|';
}

enum fsd_ink fsd_text_mark_ink(char mark, enum fsd_ink ink)
{
    return mark == '+' ? FSD_INK_INSERTED : mark == '?' ? FSD_INK_ALARM : ink;
}

/* Prints the text at the left of the column, and the tail at its right. */
static void put_cell(const struct cell *cell, size_t width,
                     const struct fsd_style *style, FILE *out)
{
    size_t tail = strlen(cell->tail);
    size_t used;

    fsd_ink(style, cell->ink, out);
    used = fsd_put_fitted(out, cell->text, width - tail - 1);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fprintf(out, "%*s", used + tail < width ? (int)(width - tail - used) : 1, "");
    fsd_ink(style, FSD_INK_FAINT, out);
    fputs(cell->tail, out);
    fsd_ink(style, FSD_INK_PLAIN, out);
}

static void put_mark(const struct block *b, const struct fsd_style *style, FILE *out)
{
    fsd_ink(style, fsd_text_mark_ink(b->mark, FSD_INK_FAINT), out);
    fprintf(out, " %c", b->mark);
    fsd_ink(style, FSD_INK_PLAIN, out);
}

static void put_side_by_side(const struct block *b, fsd_id layer, size_t left,
                             const struct fsd_style *style, FILE *out)
{
    static char nothing[] = "";
    static const struct cell empty = {nothing, nothing, FSD_INK_PLAIN};
    size_t right = fsd_text_width(style) - NUMBER - 4 - left;
    uint32_t rows = b->left.n > b->right.n ? b->left.n : b->right.n;

    for (uint32_t i = 0; i < rows; i++) {
        if (i)
            fprintf(out, "%*s ", NUMBER, "");
        else
            fprintf(out, "%*u ", NUMBER, layer);
        put_cell(i < b->left.n ? &b->left.at[i] : &empty, left, style, out);
        put_mark(b, style, out);
        if (i < b->right.n) {
            putc(' ', out);
            fsd_ink(style, b->right.at[i].ink, out);
            fsd_put_fitted(out, b->right.at[i].text, right);
            fsd_ink(style, FSD_INK_PLAIN, out);
        }
        putc('\n', out);
    }
}

static void put_one_column(const struct block *b, fsd_id layer,
                           const struct fsd_style *style, FILE *out)
{
    size_t width = fsd_text_width(style) - NUMBER - 4;

    for (uint32_t i = 0; i < b->right.n; i++) {
        if (i)
            fprintf(out, "%*s", NUMBER, "");
        else
            fprintf(out, "%*u", NUMBER, layer);
        put_mark(b, style, out);
        putc(' ', out);
        fsd_ink(style, b->right.at[i].ink, out);
        fsd_put_fitted(out, b->right.at[i].text, width);
        fsd_ink(style, FSD_INK_PLAIN, out);
        putc('\n', out);
    }
    FSD_EACH (const struct cell, cell, b->left) {
        fprintf(out, "%*s     ", NUMBER, "");
        fsd_ink(style, cell->ink, out);
        fsd_put_fitted(out, cell->text, width - 8);
        fsd_ink(style, FSD_INK_FAINT, out);
        fprintf(out, *cell->tail ? "  %s" : "%s", cell->tail);
        fsd_ink(style, FSD_INK_PLAIN, out);
        putc('\n', out);
    }
}

/* The width of the model's side, in columns: enough for the longest text of a node and
 * its evidence, but at most two fifths of the line. The minimum is LEAST, or
 * LEAST_REGION if there are regions. 0: there is no such side (see SIDE_BY_SIDE and
 * style->one_column), so the nodes are printed below their layer. */
static size_t left_width(const struct fsd_diff *d, const struct fsd_style *style,
                         struct fsd_arena *scratch)
{
    size_t most = (fsd_text_width(style) - NUMBER - 4) * 2 / 5;
    size_t width = d->match->regions.n ? LEAST_REGION : LEAST;

    if (fsd_text_width(style) < SIDE_BY_SIDE || style->one_column)
        return 0;
    for (fsd_id i = 0; i < d->model->nodes.n && width < most; i++) {
        size_t needs = fsd_safe_width(node_text(scratch, d, i)) + EVIDENCE;

        width = needs > width ? needs : width;
    }
    return width < most ? width : most;
}

static void put_block(const struct fsd_diff *d, const struct fsd_style *style,
                      size_t left, fsd_id layer, FILE *out)
{
    struct block b = {.arena = fsd_arena_new(), .mark = fsd_text_mark(d, layer)};

    fill_left(d, layer, &b);
    fill_region(d, layer, &b);
    fill_right(d, layer, &b);
    if (left)
        put_side_by_side(&b, layer, left, style, out);
    else
        put_one_column(&b, layer, style, out);
    fsd_arena_free(b.arena);
}

void fsd_text_layers(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    FSD_SCRATCH(scratch);
    size_t left = left_width(d, style, scratch);

    fsd_ink(style, FSD_INK_FAINT, out);
    if (left)
        fprintf(out, "%*s %-*s   engine  (", NUMBER, "layer", (int)left,
                "node and evidence");
    else
        fprintf(out, "%*s   with its nodes and the evidence (", NUMBER, "layer");
    fsd_put_evidence(FSD_BY_ALL, out);
    fputs(")\n", out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        put_block(d, style, left, i, out);
}
