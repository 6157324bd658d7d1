/* Prints parts of a run as text. */
#include "build_graph.h"
#include "explain/diff/explain.h"
#include "model/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *node_name(const struct fsd_diff *d, fsd_id node)
{
    fsd_sym name = node == FSD_NONE ? 0 : d->model->nodes.at[node].name;

    return name ? fsd_text(d->names, name) : "-";
}

static const char *tensor_name(const struct fsd_graph *g, fsd_id tensor)
{
    return tensor == FSD_NONE ? "-" : fsd_text(g->names, g->tensors.at[tensor].name);
}

static void put_by(unsigned by, FILE *out)
{
    for (int bit = 0; bit < 6; bit++)
        if (by >> bit & 1)
            putc("mnltsp"[bit], out);
}

/* Prints the facts of each node: "r2: folded live same-as r1 identity; y = x, root
 * x". */
static void show_facts(const struct fsd_diff *d, FILE *out)
{
    const struct fsd_facts *f = d->facts;

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fprintf(out, "%s:", node_name(d, i));
        if (f->folded[i])
            fputs(" folded", out);
        if (f->size[i])
            fputs(" size", out);
        if (!f->live[i])
            fputs(" dead", out);
        if (f->same[i])
            fprintf(out, " %s", fsd_same_text(f->same[i]));
        if (f->first_duplicate[i] != i)
            fprintf(out, " = %s", node_name(d, f->first_duplicate[i]));
        for (uint32_t k = 0; k < d->model->nodes.at[i].out.n; k++) {
            fsd_id t = fsd_node_out_tensor(d->model, i, k);

            if (t == FSD_NONE)
                continue;
            if (f->constant[t] && !f->folded[i])
                fprintf(out, " %s constant", tensor_name(d->model, t));
            if (f->root[t] != t)
                fprintf(out, " %s of %s", tensor_name(d->model, t),
                        tensor_name(d->model, f->root[t]));
            if (f->value[t] != t)
                fprintf(out, " %s is %s", tensor_name(d->model, t),
                        tensor_name(d->model, f->value[t]));
        }
        putc('\n', out);
    }
}

/* Prints the outcome of each node: "conv layer: why; fp32, runs in fp16; 0:nt; region
 * 0; at 1; other r1". */
static void show_fates(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        const struct fsd_node_result *r = &d->nodes[i];

        fprintf(out, "%s ", node_name(d, i));
        fsd_put_fate(d, i, out);
        if (r->requested)
            fprintf(out, "; %s", fsd_dtype_name(r->requested));
        if (r->realised)
            fprintf(out, "; runs in %s", fsd_dtype_name(r->realised));
        for (uint32_t k = 0; k < d->match->of_node[i].n; k++) {
            const struct fsd_link *link = fsd_match_of_node(d->match, i, k);

            fprintf(out, "%s%u:", k ? " " : "; ", link->layer);
            put_by(link->by, out);
        }
        if (r->near_layer != FSD_NONE)
            fprintf(out, "; at %u", r->near_layer);
        if (d->match->region_of_node[i] != FSD_NONE)
            fprintf(out, "; region %u", d->match->region_of_node[i]);
        if (d->history && r->event != FSD_NONE) {
            fputs("; ", out);
            fsd_put_said(d, r->event, out);
        }
        putc('\n', out);
    }
}

static void show_twins(const struct fsd_diff *d, struct fsd_span ports, FILE *out)
{
    for (uint32_t i = 0; i < ports.n; i++) {
        fsd_id e = d->engine->ports.at[ports.at + i].tensor;

        if (e == FSD_NONE || d->match->counterpart[e] == FSD_NONE)
            continue;
        fprintf(out, " %s=%s", tensor_name(d->engine, e),
                tensor_name(d->model, d->match->counterpart[e]));
        if (d->match->moved_q[e] != FSD_NONE)
            fprintf(out, "(%s)", node_name(d, d->match->moved_q[e]));
    }
}

/* Prints each layer: "0 conv: compute fp16; unit 0 x=x y=y". */
static void show_layers(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_result *r = &d->layers[i];
        const struct fsd_node *n = &d->engine->nodes.at[i];

        fprintf(out, "%u %s%s", i, r->inserted ? "inserted " : "",
                fsd_kind_name(r->kind));
        if (d->reasons[i].cause)
            fprintf(out, " cause %s", fsd_cause_name(d->reasons[i].cause));
        if (r->precision)
            fprintf(out, " %s", fsd_dtype_name(r->precision));
        if (d->match->unit[i] != i)
            fprintf(out, " unit %u", d->match->unit[i]);
        if (d->match->region_of_layer[i] != FSD_NONE)
            fprintf(out, " region %u", d->match->region_of_layer[i]);
        if (n->in.n || n->out.n)
            putc(';', out);
        show_twins(d, n->in, out);
        if (n->out.n)
            fputs(" ->", out);
        show_twins(d, n->out, out);
        putc('\n', out);
    }
}

/* Prints each data-movement layer: "1 a -> b (input 0): fp32 -> fp16; advice". */
static void show_edges(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_flow *flow = &d->flows->of[i];
        char forms[FSD_FORMS_ROOM];

        if (!flow->there)
            continue;
        fprintf(out, "%u %s ", i, fsd_mover_word(d, i));
        fsd_put_edge(d, i, out);
        fprintf(out, ": %s; ", fsd_layer_forms(d, i, forms));
        fsd_put_advice(d, i, out);
        if (flow->head != i)
            fprintf(out, "; behind %u of %u", flow->before, flow->head);
        if (flow->served != FSD_NONE)
            fprintf(out, "; serves %u", flow->served);
        if (d->history) {
            fputs("; ", out);
            fsd_put_timed(d, i, out);
        }
        putc('\n', out);
    }
}

static void show_islands(const struct fsd_diff *d, FILE *out)
{
    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        const struct fsd_island *island = &d->islands->list.at[i];

        fprintf(out, "%s layers", fsd_dtype_name(island->type));
        for (uint32_t k = 0; k < island->layers.n; k++)
            fprintf(out, " %u", d->islands->pool.at[island->layers.at + k]);
        fputs(" nodes", out);
        for (uint32_t k = 0; k < island->nodes.n; k++)
            fprintf(out, " %s",
                    node_name(d, d->islands->pool.at[island->nodes.at + k]));
        fprintf(out, " from %u (%u) to %u (%u)", island->entry, island->entries,
                island->exit, island->exits);
        if (island->ms >= 0)
            fprintf(out, " %g ms", island->ms);
        putc('\n', out);
    }
}

static void show_summary(const struct fsd_diff *d, FILE *out)
{
    const struct fsd_summary *s = d->summary;

    fprintf(out, "nodes %u layers %u computing %u mapped %u inserted %u links %u\n",
            s->nodes, s->layers, s->computing, s->mapped, s->inserted, s->links);
    if (s->choices)
        fprintf(out, "equal choices %u\n", s->choices);
    for (int i = 0; i < FSD__FATE_COUNT; i++)
        if (s->by_fate[i])
            fprintf(out, "%s %u\n", fsd_fate_name((enum fsd_fate)i), s->by_fate[i]);
    for (int i = 0; i < FSD__KIND_COUNT; i++)
        if (s->by_kind[i])
            fprintf(out, "%s %u\n", fsd_kind_name((enum fsd_kind)i), s->by_kind[i]);
    for (int i = 0; i < FSD__CAUSE_COUNT; i++)
        if (s->by_cause[i])
            fprintf(out, "cause %s %u\n", fsd_cause_name((enum fsd_cause)i),
                    s->by_cause[i]);
    for (unsigned i = 0; i < FSD_COUNT_OF(s->by_evidence); i++)
        if (s->by_evidence[i])
            fprintf(out, "by %s %u\n", fsd_evidence_name(i), s->by_evidence[i]);
}

static void show_tale(const struct fsd_tale *tale, FILE *out)
{
    for (uint32_t i = 0; i < tale->lines.n; i++) {
        const struct fsd_line *line = &tale->lines.at[i];

        fprintf(out, "  %s: %s", line->topic, line->text);
        if (line->line)
            fprintf(out, " (line %llu)", (unsigned long long)line->line);
        putc('\n', out);
    }
}

static void show_tales(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        struct fsd_tale tale = {.arena = d->arena};

        fsd_explain_node(&tale, d, i);
        fprintf(out, "node %s\n", node_name(d, i));
        show_tale(&tale, out);
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        struct fsd_tale tale = {.arena = d->arena};

        fsd_explain_layer(&tale, d, i);
        fprintf(out, "layer %u\n", i);
        show_tale(&tale, out);
    }
}

static void show_regions(const struct fsd_diff *d, FILE *out)
{
    const struct fsd_match *m = d->match;

    for (uint32_t i = 0; i < m->regions.n; i++) {
        const struct fsd_region *r = &m->regions.at[i];

        fprintf(out, "region %u by ", i);
        put_by(r->by, out);
        putc(':', out);
        for (uint32_t k = 0; k < r->layers.n; k++)
            fprintf(out, " %u", m->pool.at[r->layers.at + k]);
        fputs(" compute", out);
        for (uint32_t k = 0; k < r->nodes.n; k++)
            fprintf(out, " %s", node_name(d, m->pool.at[r->nodes.at + k]));
        putc('\n', out);
    }
}

static void show_conflicts(const struct fsd_diff *d, FILE *out)
{
    for (uint32_t i = 0; i < d->match->bounds.n; i++)
        fprintf(out, "layer %u has more %s\n", d->match->bounds.at[i].layer,
                d->match->bounds.at[i].what);
    for (uint32_t i = 0; i < d->match->conflicts.n; i++) {
        const struct fsd_conflict *c = &d->match->conflicts.at[i];

        fprintf(out, "conflict %u %s by ", c->layer, node_name(d, c->node));
        put_by(c->by, out);
        fprintf(out, ", not %u\n", c->other);
    }
}

static void show_pairs(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id a = 0; a < d->model->nodes.n; a++)
        for (fsd_id b = a + 1; b < d->model->nodes.n; b++) {
            struct fsd_tale tale = {.arena = d->arena};

            fsd_explain_pair(&tale, d, a, b);
            fprintf(out, "%s and %s\n", node_name(d, a), node_name(d, b));
            show_tale(&tale, out);
        }
}

static void show_fit(const struct fsd_diff *d, FILE *out)
{
    struct fsd_fit fit = fsd_match_fit(d->match);

    fprintf(out, "names %u found %u, tensors %u found %u unlike %u %s, quantizers %u\n",
            fit.names, fit.names_found, fit.tensors, fit.tensors_found,
            fit.tensors_unlike, tensor_name(d->engine, fit.unlike), fit.quantizers);
    if (fit.narrow)
        fprintf(out, "quantized types %s %s\n", fsd_dtype_name(fit.narrow),
                fsd_dtype_name(fit.narrow_as));
}

char *show_run(const struct fsd_diff *d, unsigned parts)
{
    /* Indexed by the bit of enum show. */
    static void (*const shows[])(const struct fsd_diff *d, FILE *out) = {
        show_facts,     show_fates,   show_layers, show_edges,
        show_islands,   show_summary, show_tales,  show_regions,
        show_conflicts, show_pairs,   show_fit};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; i < FSD_COUNT_OF(shows); i++)
        if (parts >> i & 1)
            shows[i](d, out);
    fclose(out);
    return text;
}
