/* Where nodes of the model are computed, between whom, how precisely, and why that is
 * believed. */
#include "base/text.h"
#include "report/tree.h"
#include "report/view_text.h"
#include "report/view_words.h"

enum { NEIGHBOURS = 4 };

/* ------------------------------------------------------------------------- text */

static void put_neighbours(const struct fsd_diff *d, const char *title,
                           struct fsd_span ports, bool before, FILE *out)
{
    const struct fsd_graph *e = d->engine;
    uint32_t n = 0;

    for (uint32_t i = 0; i < ports.n; i++) {
        struct fsd_span who = fsd_port_peers(e, ports.at + i, before);

        for (uint32_t k = 0; k < who.n && n <= NEIGHBOURS; k++) {
            fsd_id layer = e->links.at[who.at + k];

            if (n++ == NEIGHBOURS) {
                fputs(" ...", out);
                break;
            }
            fprintf(out, "%s%s %u (%s)", n == 1 ? title : ",",
                    n == 1 ? "layer" : " layer", layer,
                    fsd_kind_name(d->layers[layer].kind));
        }
    }
    if (n)
        putc('\n', out);
}

static void put_layer(const struct fsd_diff *d, const struct fsd_link *link, FILE *out)
{
    const struct fsd_node *n = &d->engine->nodes.at[link->layer];
    const struct fsd_layer_result *r = &d->layers[link->layer];

    fprintf(out, "  layer %u  ", link->layer);
    fsd_put_layer_kind(d, link->layer, out);
    if (n->in.n || n->out.n) {
        fputs("  ", out);
        fsd_put_layer_change(d, link->layer, out);
    }
    if (r->precision != FSD_DTYPE_UNKNOWN)
        fprintf(out, "  runs in %s", fsd_dtype_name(r->precision));
    if (fsd_layer_ms(d, link->layer) >= 0) {
        fputs("  ", out);
        fsd_put_ms(fsd_layer_ms(d, link->layer), out);
    }
    fputs("\n           ", out);
    fsd_put_layer(d, link->layer, out);
    fputs("\n           by ", out);
    fsd_put_evidence(link->by, out);
    putc('\n', out);
    put_neighbours(d, "           input from ", n->in, true, out);
    put_neighbours(d, "           output to ", n->out, false, out);
}

static void put_fate(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node_result *r = &d->nodes[node];
    const struct fsd_node_cost *cost = &d->cost->nodes[node];

    fputs("  ", out);
    fsd_put_safely(d, node, fsd_put_fate, out);
    if (r->near_layer != FSD_NONE)
        fprintf(out, " (at layer %u)", r->near_layer);
    if (d->match->region_of_node[node] != FSD_NONE)
        fprintf(out, "; in region %u", d->match->region_of_node[node]);
    fputs("; asked for ", out);
    fputs(fsd_dtype_name(r->requested), out);
    if (r->realised != FSD_DTYPE_UNKNOWN)
        fprintf(out, ", runs in %s", fsd_dtype_name(r->realised));
    if (cost->macs && cost->macs != -1) {
        fputs(", ", out);
        fsd_put_count(d, cost->macs, out);
        fputs(" multiply-adds", out);
    }
    if (cost->ms >= 0) {
        fputs(", ", out);
        fsd_put_ms(cost->ms, out);
        if (cost->shares)
            fputs(" as its part", out);
    }
    putc('\n', out);
}

static void put_node(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    fprintf(out, "node %u ", node);
    fsd_put_node(d, node, out);
    fputs(" (", out);
    fsd_put_safe(out, fsd_text(d->names, d->model->nodes.at[node].op));
    fputs(")\n", out);
    put_fate(d, node, out);
    for (uint32_t i = 0; i < d->match->of_node[node].n; i++)
        put_layer(d, fsd_match_of_node(d->match, node, i), out);
}

/* ------------------------------------------------------------------------- JSON */

static void add_link(const struct fsd_diff *d, struct cJSON *list,
                     const struct fsd_link *link)
{
    struct cJSON *item = fsd_json_item(list), *evidence;

    fsd_json_count(item, "index", link->layer);
    fsd_json_sym(d, item, "name", d->engine->nodes.at[link->layer].name);
    fsd_json_text(item, "kind", fsd_kind_name(d->layers[link->layer].kind));
    fsd_json_text(item, "precision", fsd_dtype_name(d->layers[link->layer].precision));
    fsd_json_ms(item, "ms", fsd_layer_ms(d, link->layer));
    evidence = fsd_json_list(item, "evidence");
    for (unsigned bit = 0; 1u << bit <= FSD_BY_ALL; bit++)
        if (link->by >> bit & 1)
            fsd_json_add_text(evidence, fsd_evidence_name(bit));
}

static void add_node(const struct fsd_diff *d, struct cJSON *list, fsd_id node)
{
    const struct fsd_node_result *r = &d->nodes[node];
    struct cJSON *item = fsd_json_item(list), *layers;

    fsd_json_count(item, "index", node);
    fsd_json_sym(d, item, "name", d->model->nodes.at[node].name);
    fsd_json_sym(d, item, "op", d->model->nodes.at[node].op);
    fsd_json_text(item, "fate", fsd_fate_name(r->fate));
    if (*r->why)
        fsd_json_text(item, "why", r->why);
    if (r->other != FSD_NONE)
        fsd_json_count(item, "same_as", r->other);
    fsd_json_text(item, "requested", fsd_dtype_name(r->requested));
    fsd_json_text(item, "realised", fsd_dtype_name(r->realised));
    fsd_json_ms(item, "ms", d->cost->nodes[node].ms);
    layers = fsd_json_list(item, "layers");
    for (uint32_t i = 0; i < d->match->of_node[node].n; i++)
        add_link(d, layers, fsd_match_of_node(d->match, node, i));
}

enum fsd_status fsd_view_where(const struct fsd_diff *d, const struct fsd_query *q,
                               bool json, const struct fsd_style *style, FILE *out,
                               struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    fsd_id_vec nodes = {0};
    enum fsd_status status = fsd_find_nodes(arena, d, q, &nodes, err);
    struct cJSON *root = status == FSD_OK && json ? fsd_json_new() : NULL;
    struct cJSON *list = NULL;

    (void)style;
    if (root) {
        fsd_json_text(root, "schema", "fusiondiff-where/1");
        list = fsd_json_list(root, "nodes");
    }
    for (uint32_t i = 0; i < nodes.n && status == FSD_OK; i++) {
        if (root) {
            add_node(d, list, nodes.at[i]);
            continue;
        }
        if (i)
            putc('\n', out);
        put_node(d, nodes.at[i], out);
    }
    if (root)
        fsd_json_print(root, out);
    fsd_arena_free(arena);
    return status;
}
