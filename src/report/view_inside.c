/* What is inside a layer: its nodes by name scope and by operator.  A layer of a
 * region, of which it is not known who computes what, shows the nodes of the region. */
#include "base/text.h"
#include "cost/cost.h"
#include "cost/roofline.h"
#include "cost/scope.h"
#include "report/tree.h"
#include "report/view_text.h"
#include "report/view_words.h"

#include <stdlib.h>

enum { SHOWN = 40 };

struct members {
    fsd_id_vec nodes;
    bool of_region;
};

struct group {
    fsd_sym name;
    uint32_t nodes, first;
    double ms;
};
typedef FSD_VEC(struct group) group_vec;

static struct members members_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                 fsd_id layer)
{
    struct members m = {0};
    fsd_id region = d->match->region_of_layer[layer];

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++)
        fsd_vec_push(arena, &m.nodes, fsd_match_of_layer(d->match, layer, i)->node);
    if (m.nodes.n || region == FSD_NONE)
        return m;
    m.of_region = true;
    for (uint32_t i = 0; i < d->match->regions.at[region].nodes.n; i++)
        fsd_vec_push(arena, &m.nodes,
                     d->match->pool.at[d->match->regions.at[region].nodes.at + i]);
    return m;
}

static int by_name(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return x->name != y->name ? (x->name < y->name ? -1 : 1)
                              : (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* One group a name, in the order of their first nodes. */
static group_vec grouped(struct fsd_arena *arena, const struct fsd_diff *d,
                         const struct members *m, const fsd_sym *scope_of)
{
    group_vec all = {0}, out = {0};

    for (uint32_t i = 0; i < m->nodes.n; i++) {
        fsd_id node = m->nodes.at[i];
        struct group one = {scope_of ? scope_of[node] : d->model->nodes.at[node].op, 1,
                            i, d->cost->nodes[node].ms};

        fsd_vec_push(arena, &all, one);
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_name);
    for (uint32_t i = 0; i < all.n; i++) {
        struct group *last = out.n ? &out.at[out.n - 1] : NULL;

        if (!last || last->name != all.at[i].name) {
            fsd_vec_push(arena, &out, all.at[i]);
            continue;
        }
        last->nodes++;
        if (all.at[i].ms > 0)
            last->ms = (last->ms > 0 ? last->ms : 0) + all.at[i].ms;
    }
    if (out.n)
        qsort(out.at, out.n, sizeof *out.at, by_first);
    return out;
}

/* ------------------------------------------------------------------------- text */

static void put_groups(const group_vec *groups, const struct fsd_intern *names,
                       const char *title, FILE *out)
{
    fprintf(out, "  %s\n", title);
    for (uint32_t i = 0; i < groups->n; i++) {
        const struct group *g = &groups->at[i];

        fprintf(out, "  %6u  ", g->nodes);
        fsd_put_safe(out, g->name ? fsd_text(names, g->name) : "(no scope)");
        if (g->ms > 0) {
            fputs("  ", out);
            fsd_put_ms(g->ms, out);
        }
        putc('\n', out);
    }
}

static void put_roofline(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    struct fsd_roofline roof = fsd_cost_roofline(d, layer);

    if (roof.per_byte > 0)
        fprintf(out, ", %.1f for each byte", roof.per_byte);
    if (!roof.known || roof.per_byte < 0)
        return;
    fprintf(out, "\n  %s takes the time: at the peaks ",
            roof.by_memory ? "memory" : "arithmetic");
    fsd_put_ms(roof.ms, out);
    if (roof.reached >= 0)
        fprintf(out, ", %.0f %% reached", 100 * roof.reached);
}

static void put_cost(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_layer_cost *r = &d->cost->layers[layer];

    if (fsd_layer_ms(d, layer) >= 0) {
        fputs(", ", out);
        fsd_put_ms(fsd_layer_ms(d, layer), out);
    }
    if (fsd_cost_gap(d, layer) != FSD_NONE) {
        fputs(", bytes unknown for want of the shape of ", out);
        fsd_put_safe(out, fsd_text(d->names,
                                   d->engine->tensors.at[fsd_cost_gap(d, layer)].name));
    }
    if (r->bytes != -1) {
        fputs(", ", out);
        fsd_put_bytes(d, r->bytes, out);
        if (r->traffic.bias > 0) {
            fputs(" and a bias of ", out);
            fsd_put_bytes(d, r->traffic.bias, out);
        }
    }
    if (r->macs && r->macs != -1) {
        fputs(", ", out);
        fsd_put_count(d, r->macs, out);
        fputs(" multiply-adds", out);
    }
    put_roofline(d, layer, out);
}

static void put_nodes(const struct fsd_diff *d, const struct fsd_style *style,
                      const struct members *m, FILE *out)
{
    uint32_t shown = style->all || m->nodes.n <= SHOWN ? m->nodes.n : SHOWN;

    fputs("  nodes\n", out);
    for (uint32_t i = 0; i < shown; i++) {
        fsd_id node = m->nodes.at[i];

        fprintf(out, "  %6u  ", node);
        fsd_put_node(d, node, out);
        fputs("  ", out);
        fsd_put_safe(out, fsd_text(d->names, d->model->nodes.at[node].op));
        if (d->nodes[node].fate != FSD_FATE_LAYER)
            fprintf(out, "  %s", fsd_fate_name(d->nodes[node].fate));
        putc('\n', out);
    }
    if (shown < m->nodes.n)
        fprintf(out, "  and %u more (--all shows them)\n", m->nodes.n - shown);
}

struct job {
    const struct fsd_diff *d;
    struct fsd_arena *arena;
    struct fsd_scopes scopes;
};

static void put_layer(const struct job *job, const struct fsd_style *style,
                      fsd_id layer, FILE *out)
{
    const struct fsd_diff *d = job->d;
    struct members m = members_of(job->arena, d, layer);
    group_vec ops = grouped(job->arena, d, &m, NULL);
    group_vec scopes = grouped(job->arena, d, &m, job->scopes.of);

    fprintf(out, "layer %u ", layer);
    fsd_put_layer(d, layer, out);
    fputs("\n  ", out);
    fsd_put_layer_kind(d, layer, out);
    if (d->layers[layer].precision != FSD_DTYPE_UNKNOWN)
        fprintf(out, ", runs in %s", fsd_dtype_name(d->layers[layer].precision));
    put_cost(d, layer, out);
    fputs("\n  ", out);
    fsd_put_noun(out, m.nodes.n, "node");
    fprintf(out, "%s\n",
            m.of_region ? " of its region, whose other layers compute them too" : "");
    if (!m.nodes.n)
        return;
    put_groups(&ops, d->names, "by operator", out);
    put_groups(&scopes, job->scopes.names, "by scope", out);
    put_nodes(d, style, &m, out);
}

/* ------------------------------------------------------------------------- JSON */

static void add_groups(struct cJSON *object, const char *key, const group_vec *groups,
                       const struct fsd_intern *names)
{
    struct cJSON *list = fsd_json_list(object, key);

    for (uint32_t i = 0; i < groups->n; i++) {
        struct cJSON *item = fsd_json_item(list);

        fsd_json_text(item, "name", fsd_text(names, groups->at[i].name));
        fsd_json_count(item, "nodes", groups->at[i].nodes);
        fsd_json_ms(item, "ms", groups->at[i].ms);
    }
}

static void add_layer(const struct job *job, struct cJSON *list, fsd_id layer)
{
    const struct fsd_diff *d = job->d;
    struct members m = members_of(job->arena, d, layer);
    group_vec ops = grouped(job->arena, d, &m, NULL);
    group_vec scopes = grouped(job->arena, d, &m, job->scopes.of);
    struct cJSON *item = fsd_json_item(list), *nodes;

    fsd_json_count(item, "index", layer);
    fsd_json_sym(d, item, "name", d->engine->nodes.at[layer].name);
    fsd_json_text(item, "kind", fsd_kind_name(d->layers[layer].kind));
    fsd_json_ms(item, "ms", fsd_layer_ms(d, layer));
    fsd_json_amount(d, item, "bytes", d->cost->layers[layer].bytes);
    fsd_json_amount(d, item, "macs", d->cost->layers[layer].macs);
    fsd_json_bool(item, "of_region", m.of_region);
    nodes = fsd_json_list(item, "nodes");
    for (uint32_t i = 0; i < m.nodes.n; i++)
        fsd_json_add_id(nodes, m.nodes.at[i]);
    add_groups(item, "by_operator", &ops, d->names);
    add_groups(item, "by_scope", &scopes, job->scopes.names);
}

enum fsd_status fsd_view_inside(const struct fsd_diff *d, const struct fsd_query *q,
                                bool json, const struct fsd_style *style, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct job job = {d, arena, fsd_cost_scopes(arena, d, q->depth)};
    fsd_id_vec layers = {0};
    enum fsd_status status = fsd_find_layers(arena, d, q, &layers, err);
    struct cJSON *root = status == FSD_OK && json ? fsd_json_new() : NULL;
    struct cJSON *list = NULL;

    if (root) {
        fsd_json_text(root, "schema", "fusiondiff-inside/1");
        list = fsd_json_list(root, "layers");
    }
    for (uint32_t i = 0; i < layers.n && status == FSD_OK; i++) {
        if (root) {
            add_layer(&job, list, layers.at[i]);
            continue;
        }
        if (i)
            putc('\n', out);
        put_layer(&job, style, layers.at[i], out);
    }
    if (root)
        fsd_json_print(root, out);
    fsd_arena_free(arena);
    return status;
}
