/* Rules on what a policy requires of any build, independent of earlier builds: blocks
 * that must be one kernel, work that must run in certain types, limits of memory. An
 * unknown fact does not satisfy a requirement. */
#include "judge/findings/finder.h"
#include "base/base.h"
#include "judge/lint/fusion.h"
#include "model/graph/graph.h"
#include "model/graph/word.h"

static bool in_scope(const struct fsd_finder *f, const struct fsd_promise *p,
                     fsd_id node)
{
    bool fits = !p->scope.n;

    for (uint32_t i = 0; i < p->scope.n && !fits; i++)
        fits = fsd_word_fits(p->scope.at[i].text, fsd_called(f, node));
    return fits;
}

static void put_types(uint64_t types, FILE *out)
{
    bool any = false;

    for (unsigned t = 0; t < FSD__DTYPE_COUNT; t++)
        if (types >> t & 1) {
            fprintf(out, "%s%s", any ? " or " : "", fsd_dtype_name((enum fsd_dtype)t));
            any = true;
        }
}

/* Opens a finding at the requirement's line in the policy. */
static void open_promise(struct fsd_finder *f, const struct fsd_promise *p)
{
    fsd_finding_open(f);
    f->now.file = f->policy->path;
    f->now.line = p->line;
}

/* Whether there is a run. If there is none, reports a finding. A snapshot alone cannot
 * show whether a requirement is satisfied, because it has neither the model's edges nor
 * sizes. */
static bool has_run(struct fsd_finder *f, const struct fsd_promise *p)
{
    if (f->d)
        return true;
    open_promise(f, p);
    fputs("fusiondiff cannot judge this requirement from a snapshot: pass the model "
          "and the engine of the build",
          f->out);
    fsd_finding_close(f);
    return false;
}

/* ------------------------------------------------------------------------ blocks */

static const char *layer_word(const struct fsd_finder *f, fsd_id layer)
{
    return fsd_printed(f->found->arena, "layer %u", layer);
}

/* Prints "MatMul_1 and Softmax_2 in layer 4, MatMul_3 in layer 6; layer 5 moves data
 * between". */
static void put_split(struct fsd_finder *f, const struct fsd_blocks *all,
                      const struct fsd_block *b)
{
    const struct fsd_match *m = f->d->match;

    for (uint32_t i = 0; i < b->layers.n; i++) {
        fsd_id layer = all->pool.at[b->layers.at + i];
        uint32_t n = 0;

        fputs(i ? ", " : "", f->out);
        FSD_EACH_ID (node, all->pool, b->nodes)
            if (fsd_match_has(m, layer, node))
                fprintf(f->out, "%s%s", n++ ? " + " : "", fsd_called(f, node));
        fprintf(f->out, "%s%s", n ? " in " : "", layer_word(f, layer));
    }
    for (uint32_t i = 0; i < b->between.n; i++)
        fprintf(f->out, "%s%s", i ? ", " : "; in between: ",
                layer_word(f, all->pool.at[b->between.at + i]));
}

/* The type in which a node runs. For a duplicate of another node, the type in which
 * that other node runs. */
static enum fsd_dtype type_of_node(const struct fsd_finder *f, fsd_id node)
{
    return (enum fsd_dtype)f->d->nodes[fsd_merged_into(f->d, node)].realised;
}

static void put_unfused(struct fsd_finder *f, const struct fsd_blocks *all,
                        const struct fsd_block *b)
{
    fsd_block_reasons why = {0};

    if (b->fused == FSD_FUSED_SPLIT) {
        fprintf(f->out, "is in %u layers: ", b->layers.n);
        put_split(f, all, b);
        fsd_block_reasons_in(f->scratch, f->d, all, b, &why);
        fprintf(f->out, "; the block is not one kernel: %s",
                fsd_block_reasons_text(f->scratch, &why));
    } else if (b->opaque != FSD_NONE) {
        fprintf(f->out,
                "may be one kernel or several kernels: the engine does not list the "
                "kernels of the region in %s",
                layer_word(f, b->opaque));
    } else if (b->fused == FSD_FUSED_UNKNOWN) {
        fprintf(f->out,
                "may be in one layer or in several: it is unknown which layers compute "
                "`%s`",
                fsd_called(f, b->unknown));
    }
}

/* Reports a block that violates the requirement. */
static void judge_block(struct fsd_finder *f, const struct fsd_promise *p,
                        const struct fsd_blocks *all, const struct fsd_block *b)
{
    /* FSD_FUSED_ELSEWHERE also satisfies the requirement: the Add of the residual block
     * runs in a kernel that other nodes need anyway, so it costs no extra kernel. */
    bool split =
        p->fused != FSD_OFF && b->fused != p->fused && b->fused != FSD_FUSED_ELSEWHERE;
    fsd_id other = FSD_NONE;

    for (uint32_t i = 0; p->types && i < b->typed.n && other == FSD_NONE; i++)
        if (!(p->types >> type_of_node(f, all->pool.at[b->typed.at + i]) & 1))
            other = all->pool.at[b->typed.at + i];
    if (p->types && !b->typed.n)
        other = b->anchor;
    if (!split && other == FSD_NONE)
        return;
    open_promise(f, p);
    FSD_EACH_ID (layer, all->pool, b->layers)
        fsd_about_layer(f, layer);
    FSD_EACH_ID (node, all->pool, b->nodes)
        fsd_about_node(f, node);
    fprintf(f->out, "the %s of `%s` ", fsd_pattern_name(p->pattern),
            fsd_called(f, b->anchor));
    if (split)
        put_unfused(f, all, b);
    if (other != FSD_NONE && type_of_node(f, other) == FSD_DTYPE_UNKNOWN) {
        fprintf(f->out, "%s `%s` in an unknown type; required: ",
                split ? "; the block runs" : "runs", fsd_called(f, other));
        put_types(p->types, f->out);
    } else if (other != FSD_NONE) {
        fprintf(f->out,
                "%s `%s` in %s; required: ", split ? "; the block runs" : "runs",
                fsd_called(f, other), fsd_dtype_name(type_of_node(f, other)));
        put_types(p->types, f->out);
    }
    fsd_finding_close(f);
}

void fsd_find_unexpected(struct fsd_finder *f)
{
    const struct fsd_blocks *all = NULL;

    FSD_EACH (const struct fsd_promise, p, f->policy->promises) {
        uint32_t n = 0;

        if (fsd_rule_at(p->rule) != f->rule || !has_run(f, p))
            continue;
        if (!all)
            all = fsd_blocks_of(f->scratch, f->d);
        FSD_EACH (const struct fsd_block, b, all->list) {
            bool concerned = false;

            for (uint32_t j = 0; b->pattern == p->pattern && j < b->nodes.n; j++)
                concerned |= in_scope(f, p, all->pool.at[b->nodes.at + j]);
            n += concerned;
            if (concerned)
                judge_block(f, p, all, b);
        }
        if (n >= p->least)
            continue;
        open_promise(f, p);
        fprintf(f->out, "the model has %u %s%s; at least %.0f expected", n,
                fsd_pattern_name(p->pattern), p->scope.n ? " within the scope" : "",
                p->least);
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------------- types */

/* Amounts of work. `in_types`: in the required types. `untyped`: in unknown types.
 * `all`: in all types. */
struct done {
    double in_types, untyped, all;
    uint32_t unknown;    /* number of nodes or layers whose amount of work is unknown */
    uint32_t of_no_type; /* number of nodes or layers whose type is unknown */
};

/* Adds the work of a node or layer to `done`.
 * @param amount the work; negative: unknown
 * @param types a bit for each required type
 * @param type the type in which the work is done
 * @param runs whether a layer does the work. If not, done->untyped and done->of_no_type
 *         do not change */
static void add(struct done *done, double amount, uint64_t types, enum fsd_dtype type,
                bool runs)
{
    double known = amount > 0 ? amount : 0;

    done->unknown += amount < 0;
    done->all += known;
    if (types >> type & 1) {
        done->in_types += known;
    } else if (type == FSD_DTYPE_UNKNOWN && amount != 0 && runs) {
        done->untyped += known;
        done->of_no_type++;
    }
}

/* Whether unknown types leave the result open: the work in the required types is less
 * than `share`, but together with the work in unknown types it reaches `share`. */
static bool is_open(const struct done *done, double share)
{
    return done->of_no_type && done->in_types < share * done->all &&
           done->in_types + done->untyped >= share * done->all;
}

static void add_layers(const struct fsd_finder *f, const struct fsd_promise *p,
                       struct done *done)
{
    const struct fsd_match *m = f->d->match;

    for (fsd_id layer = 0; layer < f->d->engine->nodes.n; layer++) {
        const struct fsd_layer_result *r = &f->d->layers[layer];
        bool concerned = !p->scope.n && fsd_kind_computes(r->kind);

        for (uint32_t i = 0; p->scope.n && i < m->of_layer[layer].n; i++)
            concerned |= in_scope(f, p, fsd_match_of_layer(m, layer, i)->node);
        if (concerned)
            add(done, (double)f->d->cost->layers[layer].bytes, p->types, r->precision,
                true);
    }
}

/* Adds the work of the nodes in the requirement's scope. If the unit of work
 * is FSD_WORK_NODES, nodes that compute indices and sizes are left out. With `report`,
 * also adds as subjects the nodes that do not run in the required types. */
static void add_promised_nodes(struct fsd_finder *f, const struct fsd_promise *p,
                               struct done *done, bool report)
{
    for (fsd_id i = 0; i < f->d->model->nodes.n; i++) {
        const struct fsd_node_result *r = &f->d->nodes[i];
        const struct fsd_node_cost *cost = &f->d->cost->nodes[i];
        double amount = p->by == FSD_WORK_MACS ? (double)cost->macs
                        : p->by == FSD_WORK_MS ? cost->ms
                                               : 1;

        if ((r->fate != FSD_FATE_LAYER && r->fate != FSD_FATE_OUTSIDE &&
             r->fate != FSD_FATE_UNEXPLAINED) ||
            (f->d->facts->traits[i] & FSD_OP_QDQ) || !in_scope(f, p, i) ||
            (p->by == FSD_WORK_NODES && r->realised != FSD_DTYPE_UNKNOWN &&
             !fsd_dtype_rank(r->realised)))
            continue;
        if (report && amount != 0 && !(p->types >> r->realised & 1))
            fsd_about_node(f, i);
        add(done, amount, p->types, r->realised, r->fate == FSD_FATE_LAYER);
    }
}

void fsd_find_not_in_types(struct fsd_finder *f)
{
    static const char *const work[] = {"multiply-adds", "time", "bytes", "nodes"};

    FSD_EACH (const struct fsd_promise, p, f->policy->promises) {
        struct done done = {0};

        if (fsd_rule_at(p->rule) != f->rule || !has_run(f, p))
            continue;
        if (p->by == FSD_WORK_BYTES)
            add_layers(f, p, &done);
        else
            add_promised_nodes(f, p, &done, false);
        if (!done.unknown && done.all > 0 && done.in_types >= p->share * done.all)
            continue;
        open_promise(f, p);
        if (p->by != FSD_WORK_BYTES)
            add_promised_nodes(f, p, &(struct done){0}, true);
        if (done.unknown) {
            fsd_put_noun(f->out, done.unknown,
                         p->by == FSD_WORK_BYTES ? "layer" : "node");
            fprintf(f->out, " without known %s", work[p->by]);
        } else if (!(done.all > 0)) {
            fprintf(f->out, "the scope contains no %s", work[p->by]);
        } else if (is_open(&done, p->share)) {
            fputs("the types of ", f->out);
            fsd_put_noun(f->out, done.of_no_type,
                         p->by == FSD_WORK_BYTES ? "layer" : "node");
            fprintf(f->out, " (%.2f%% of the %s) are unknown",
                    100 * done.untyped / done.all, work[p->by]);
        } else {
            fprintf(f->out, "%.2f%% of the %s run in ", 100 * done.in_types / done.all,
                    work[p->by]);
            put_types(p->types, f->out);
            fprintf(f->out, "; required %.2f%%%s", 100 * p->share,
                    f->now.nodes.n ? "; not " : "");
            fsd_put_subjects(f, f->now.nodes);
        }
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------------ memory */

/* The bytes of memory that the log states, else an upper bound computed from the sizes
 * of tensors. Negative: unknown. */
static double memory_of(const struct fsd_diff *d, const struct fsd_lives *lives,
                        enum fsd_memory_kind which)
{
    const struct fsd_history *h = d->history;
    int64_t bytes = -1;

    for (uint32_t i = 0; h && !h->refused && i < h->memory.n; i++) {
        const struct fsd_memory_use *m = &h->memory.at[i];
        const int64_t stated[FSD__MEMORY_COUNT] = {m->activations, m->weights,
                                                   m->scratch, m->device};

        if (m->build == h->build && !m->layer)
            bytes = stated[which];
    }
    if (bytes < 0 && which == FSD_MEMORY_ACTIVATIONS && !lives->unknown)
        bytes = lives->peak;
    if (bytes < 0 && which == FSD_MEMORY_WEIGHTS && !lives->unknown_weights)
        bytes = lives->weights;
    return (double)bytes;
}

void fsd_find_too_large(struct fsd_finder *f)
{
    static const char *const names[] = {"activations", "weights", "scratch memory",
                                        "persistent memory"};

    FSD_EACH (const struct fsd_promise, p, f->policy->promises) {
        struct fsd_lives lives;

        if (fsd_rule_at(p->rule) != f->rule || !has_run(f, p))
            continue;
        lives = fsd_cost_lives(f->scratch, f->d);
        for (unsigned k = 0; k < FSD__MEMORY_COUNT; k++) {
            double bytes = memory_of(f->d, &lives, (enum fsd_memory_kind)k);

            if (p->bytes[k] < 0 || (bytes >= 0 && bytes <= p->bytes[k]))
                continue;
            open_promise(f, p);
            if (bytes < 0)
                fprintf(
                    f->out,
                    "the size of the %s is unknown; the build log may state this size",
                    names[k]);
            else
                fprintf(f->out, "the %s take %.0f bytes; at most %.0f allowed",
                        names[k], bytes, p->bytes[k]);
            fsd_finding_close(f);
        }
    }
}
