/* Prints costs as text, with the dynamic sizes on which they depend. */
#include "show.h"

#include "explain/cost/scope.h"
#include "model/graph/graph.h"
#include "model/ops/amount.h"

#include <inttypes.h>

static void put_amount(const struct fsd_diff *d, const char *what, int64_t n, FILE *out)
{
    fprintf(out, " %s ", what);
    if (n < 0 && fsd_amount_is_open(d->cost->amounts, n))
        fputs(fsd_amount_text(d->cost->amounts, n), out);
    else if (n < 0)
        putc('?', out);
    else
        fprintf(out, "%" PRId64, n);
}

void show_cost(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_layer_cost *c = &d->cost->layers[i];
        struct fsd_roofline roof = fsd_cost_roofline(d, i);
        fsd_id gap = fsd_cost_gap(d, i);

        fprintf(out, "layer %s:", fsd_text(d->names, d->engine->nodes.at[i].name));
        put_amount(d, "bytes", c->bytes, out);
        put_amount(d, "in", c->traffic.in, out);
        put_amount(d, "out", c->traffic.out, out);
        put_amount(d, "weights", c->traffic.weights, out);
        put_amount(d, "bias", c->traffic.bias, out);
        put_amount(d, "macs", c->macs, out);
        if (roof.known)
            fprintf(out, ", %s bound %g ms, %.3g reached, %.3g a byte",
                    roof.by_memory ? "memory" : "compute", roof.ms, roof.reached,
                    roof.per_byte);
        if (gap != FSD_NONE)
            fprintf(out, ", for want of %s",
                    fsd_text(d->names, d->engine->tensors.at[gap].name));
        putc('\n', out);
    }
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        const struct fsd_node_cost *c = &d->cost->nodes[i];

        fprintf(out, "node %s:", fsd_text(d->names, d->model->nodes.at[i].name));
        put_amount(d, "macs", c->macs, out);
        put_amount(d, "work", c->work, out);
        if (c->ms >= 0)
            fprintf(out, " %g ms, %g moved", c->ms, c->moved_ms);
        fprintf(out, " by %u", c->workers);
        fputs(c->shares ? " shared\n" : "\n", out);
    }
}

static void show_lives(const struct fsd_diff *d, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_lives lives = fsd_cost_lives(arena, d);

    for (fsd_id t = 0; t < d->engine->tensors.n; t++) {
        const struct fsd_life *life = &lives.of[t];

        if (life->there)
            fprintf(out, "tensor %s: %" PRId64 " bytes, layer %u to %u%s\n",
                    fsd_text(d->names, d->engine->tensors.at[t].name), life->bytes,
                    life->first, life->last, life->border ? ", border" : "");
    }
    fputs("alive:", out);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        fprintf(out, " %" PRId64, lives.alive[i]);
    fprintf(out,
            "\npeak %" PRId64 " at %d, sum %" PRId64 ", inputs %" PRId64
            ", outputs %" PRId64 ", weights %" PRId64 ", %u unknown, %u unstated\n",
            lives.peak, (int)lives.at, lives.sum, lives.inputs, lives.outputs,
            lives.weights, lives.unknown, lives.unknown_weights);
    fsd_arena_free(arena);
}

static void show_modules(const struct fsd_diff *d, unsigned depth, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_scopes scopes = fsd_cost_scopes(arena, d, depth);
    struct fsd_modules sums = fsd_cost_modules(arena, d, &scopes);

    for (uint32_t i = 0; i < sums.list.n; i++) {
        const struct fsd_module *m = &sums.list.at[i];

        fprintf(out, "scope '%s': %u nodes, %u layers, %u reformats, %g ms, %g moved",
                fsd_text(scopes.names, m->name), m->nodes, m->layers, m->reformats,
                m->ms, m->reformat_ms);
        for (int t = 0; t < FSD__DTYPE_COUNT; t++)
            if (m->by_type[t])
                fprintf(out, ", %u %s", m->by_type[t],
                        fsd_dtype_name((enum fsd_dtype)t));
        putc('\n', out);
    }
    fprintf(out, "depth %u, rest %g ms, %u shared\n", scopes.depth, sums.rest_ms,
            sums.shared);
    fsd_arena_free(arena);
}

static void show_spent_sum(const char *name, const struct fsd_spent_sum *sum, FILE *out)
{
    if (sum->layers)
        fprintf(out,
                "%s: %u layers, %u unknown, %" PRId64 " bytes, %g ms, share %.4f\n",
                name, sum->layers, sum->unknown, sum->bytes, sum->ms, sum->share);
}

void show_spent(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        fprintf(out, "layer %s: %s, share %.4f\n",
                fsd_text(d->names, d->engine->nodes.at[i].name),
                fsd_spent_name(d->cost->layers[i].spent), fsd_cost_share(d, i));
    for (int i = 0; i < FSD__SPENT_COUNT; i++)
        show_spent_sum(fsd_spent_name((enum fsd_spent)i), &d->cost->spent[i], out);
    show_spent_sum("all", &d->cost->all, out);
}

void show_sums(const struct fsd_diff *d, unsigned depth, FILE *out)
{
    const struct fsd_cost *c = d->cost;

    show_lives(d, out);
    for (uint32_t i = 0; i < c->op_times.n; i++)
        fprintf(out, "op %s: %u nodes, %g ms\n",
                fsd_text(d->names, c->op_times.at[i].op), c->op_times.at[i].nodes,
                c->op_times.at[i].ms);
    for (int i = 0; i < FSD__KIND_COUNT; i++)
        if (c->sums.by_kind[i] > 0)
            fprintf(out, "%s %g ms\n", fsd_kind_name((enum fsd_kind)i),
                    c->sums.by_kind[i]);
    for (int i = 0; i < FSD__CAUSE_COUNT; i++)
        if (c->sums.by_cause[i] > 0)
            fprintf(out, "cause %s %g ms\n", fsd_cause_name((enum fsd_cause)i),
                    c->sums.by_cause[i]);
    if (d->times->profiles)
        fprintf(out, "inserted %g ms, nodes %g ms\n", c->sums.inserted, c->sums.nodes);
    show_modules(d, depth, out);
}
