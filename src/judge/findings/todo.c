/*
 * Finds what a user should do about a run.
 *
 *     build with --inputIOFormats=fp32:hwc and pass `x` in that format: saves 28.8 % of
 *     the bytes
 *
 * Each entry is a command, or a change of the model at named nodes. The gain of an
 * entry is the cost of the layers that the entry removes. The cost is a share of the
 * engine's time or, if no time was measured, of the engine's bytes. Each layer counts
 * for one change only. A change is left out if its gain is less than 1 %. FP16 is
 * listed only with --peak, which shows whether memory bounds a kernel.
 *
 * The gain of an edit that lint proposes may be unknown. If no time was measured, the
 * bytes of the tensors that change type are used instead. Otherwise, or if these bytes
 * are unknown, too, the edit is listed without a gain.
 *
 * Some builders let the kernels of INT8 products write floats, which other kernels
 * then quantize. No change of the model is known to avoid this. The first entry
 * then states this fact.
 */
#include "judge/findings/todo.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "judge/findings/cite.h"
#include "judge/findings/finder.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

enum { NAMED = 2 };

static const double LEAST = 0.01; /* a gain below this share of the total is not
                                     listed */
static const double BOUND = 0.5;  /* memory bounds a kernel if the kernel reaches at
                                     least this share of the roofline */

enum deed_kind {
    DEED_FACT,    /* only states that no change helps; listed before other kinds */
    DEED_EDITS,   /* edits of the model that one rule of lint proposes */
    DEED_ADVICE,  /* advice for data-movement layers */
    DEED_PADDING, /* a different size, which needs no padding */
    DEED_HALF,    /* 16-bit types */
    DEED_CONSTANT /* values that can be computed once */
};

/* An entry: something to do, and its gain. */
struct deed {
    enum deed_kind kind;
    const char *advice; /* the text; for DEED_EDITS only a key, which is not printed */
    const char *edge;   /* the edge at which the first layer with this advice moves
                           data; NULL: `advice` names the place */
    uint32_t places;
    struct fsd_padding_choice choice;
    FSD_VEC(const struct fsd_cite *) edits;
    FSD_VEC(fsd_id) nodes; /* nodes of the model, each once */
    double ms, share;
    double typed; /* for DEED_EDITS whose `share` is unknown: the bytes of the tensors
                     whose type changes, as a share of the engine's bytes */
};

struct todo {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    FSD_VEC(struct deed) list;
    struct fsd_intern *keys; /* texts of `advice`; the text with symbol n belongs to
                                list.at[n - 1] */
    struct fsd_print print;
};

static double rank_of(const struct deed *deed)
{
    return deed->share > 0 ? deed->share : deed->typed;
}

/* Whether the entry has edits, and neither their gain nor the sizes of the tensors that
 * change type are known. */
static bool is_unmeasured(const struct deed *deed)
{
    return deed->kind == DEED_EDITS && !(deed->share > 0) && !(deed->typed > 0);
}

FSD_ORDERED(by_gain, struct deed, fsd_order(x->kind != DEED_FACT, y->kind != DEED_FACT),
            fsd_falling(rank_of(x), rank_of(y)), strcmp(x->advice, y->advice))

static struct deed *deed_of(struct todo *t, const char *key, enum deed_kind kind)
{
    fsd_sym sym = fsd_intern_str(t->keys, key);

    if (sym > t->list.n) {
        fsd_vec_push(t->arena, &t->list,
                     ((struct deed){.advice = fsd_text(t->keys, sym)}));
        t->list.at[sym - 1].kind = kind;
    }
    return &t->list.at[sym - 1];
}

static void add_node(struct todo *t, struct deed *deed, fsd_id node)
{
    if (!fsd_ids_have(deed->nodes.at, deed->nodes.n, node))
        fsd_vec_push(t->arena, &deed->nodes, node);
}

static void add_gain(struct todo *t, struct deed *deed, fsd_id layer, double part)
{
    double share = fsd_cost_share(t->d, layer), ms = fsd_layer_ms(t->d, layer);

    deed->share += share > 0 ? share * part : 0;
    deed->ms += ms > 0 ? ms * part : 0;
}

/* ------------------------------------------------------------------ edits of lint */

static void add_cite(struct todo *t, struct deed *deed, const struct fsd_cite *cite)
{
    for (uint32_t i = 0; i < deed->edits.n; i++)
        if (fsd_cites_same_edit(deed->edits.at[i], cite))
            return;
    fsd_vec_push(t->arena, &deed->edits, cite);
}

static struct deed *deed_of_edit(struct todo *t, const struct fsd_cite *cite)
{
    return deed_of(t,
                   fsd_printed(t->arena, "%s %d", cite->rule, (int)cite->edit->action),
                   DEED_EDITS);
}

/* The entry for the rule and the action of the layer's first edit. Adds the layer's
 * edits with this rule and action to the entry. The layer's other edits are left out,
 * because the layer's cost may count for one entry only.
 * @param span the layer's elements of findings->cites; not empty */
static struct deed *edits_of(struct todo *t, struct fsd_span span)
{
    const struct fsd_cite *own = &t->d->findings->cites.at[span.at];
    struct deed *deed = deed_of_edit(t, own);

    for (uint32_t i = 0; i < span.n; i++)
        if (!strcmp(own[i].rule, own->rule) && own[i].edit->action == own->edit->action)
            add_cite(t, deed, &own[i]);
    return deed;
}

/* Whether the engine's port `at` can hold the model's `tensor`: d->cost->like[at] is
 * `tensor`, or the port has as many elements as `tensor`. */
static bool has_size_of(const struct fsd_diff *d, uint32_t at, fsd_id tensor)
{
    const struct fsd_form *form = fsd_port_form(d->engine, &d->engine->ports.at[at]);
    int64_t count =
        fsd_shape_count(d->cost->amounts, fsd_shape_of(d->cost->sizes, tensor));

    return d->cost->like[at] == tensor ||
           (count > 0 && fsd_form_count(d->engine, form) == count);
}

/* The bytes of the tensor whose type the edit changes, as a share of the engine's
 * bytes. The tensor is an input of a layer that computes edit->node, and has more than
 * 8 bits per element. 0: there is no such input, or its size is unknown. */
static double typed_share(const struct fsd_diff *d, const struct fsd_edit *edit)
{
    const struct fsd_graph *e = d->engine;
    fsd_id tensor = fsd_node_in_tensor(d->model, edit->node, edit->input);

    for (uint32_t i = 0; i < d->match->of_node[edit->node].n; i++) {
        fsd_id layer = fsd_match_of_node(d->match, edit->node, i)->layer;
        struct fsd_span in = e->nodes.at[layer].in;

        for (uint32_t k = in.at; k < in.at + in.n; k++) {
            const struct fsd_port *port = &e->ports.at[k];
            int64_t bytes = fsd_port_bytes(e, d->cost, port);

            if (bytes > 0 && d->cost->all.bytes > 0 && has_size_of(d, k, tensor) &&
                fsd_dtype_rank(fsd_port_form(e, port)->type) > fsd_dtype_rank(FSD_INT8))
                return (double)bytes / (double)d->cost->all.bytes;
        }
    }
    return 0;
}

/* Adds the Q/DQ pairs that would let a kernel read lower precision. The dump does not
 * show how much time they save, but it states the sizes of the tensors that change
 * type. */
static void add_proposed(struct todo *t)
{
    const struct fsd_findings *found = t->d->findings;
    uint32_t costed = t->list.n;

    FSD_EACH (const struct fsd_cite, cite, found->proposed) {
        struct deed *deed = deed_of_edit(t, cite);
        uint32_t had = deed->edits.n;

        if (deed < t->list.at + costed)
            continue;
        add_cite(t, deed, cite);
        if (deed->edits.n > had && !t->d->times->profiles)
            deed->typed += typed_share(t->d, cite->edit);
    }
}

/* ------------------------------------------------------------- data-movement layers */

static void add_padding(struct todo *t, fsd_id layer)
{
    struct fsd_padding_choice choice;
    struct deed *deed;

    if (!fsd_padding_choice(t->d, layer, &choice))
        return;
    deed = deed_of(t,
                   fsd_printed(t->arena, "%d %lld %lld", choice.of_group,
                               (long long)choice.given, (long long)choice.taken),
                   DEED_PADDING);
    deed->choice = choice;
    add_node(t, deed, choice.product);
    add_gain(t, deed, layer, 1);
    /* Without padding, the Conv's kernel also reads and writes fewer bytes. How much
     * time this saves is unknown, so it counts only if gains are in bytes. */
    if (choice.of_group && !t->d->times->profiles)
        add_gain(t, deed, layer, fsd_cost_padded(t->d, layer));
}

/* Adds the layer's advice. If the advice names no place, adds the edge that the layer
 * serves. */
static void add_advice(struct todo *t, fsd_id layer)
{
    bool proposes = fsd_put_advice(t->d, layer, fsd_print_open(&t->print));
    const char *text = fsd_print_take(&t->print, t->arena), *edge = NULL;
    struct deed *deed;

    if (!proposes)
        return;
    if (!strchr(text, '`')) {
        fsd_quote_edge(t->d, layer, fsd_print_open(&t->print));
        edge = fsd_print_take(&t->print, t->arena);
        if (!strchr(edge, '`'))
            return; /* without an edge, the user could not find the place */
    }
    deed = deed_of(t, text, DEED_ADVICE);
    deed->edge = deed->places++ ? deed->edge : edge;
    add_gain(t, deed, layer, fsd_cost_saved(t->d, layer));
}

static void add_movers(struct todo *t, const bool *constant)
{
    for (fsd_id i = 0; i < t->d->engine->nodes.n; i++) {
        struct fsd_span cites = fsd_layer_cites(t->d, i);

        if (t->d->cost->layers[i].spent != FSD_SPENT_MOVEMENT || constant[i])
            continue;
        if (cites.n)
            add_gain(t, edits_of(t, cites), i, 1);
        else if (t->d->reasons[i].cause == FSD_CAUSE_PADDING)
            add_padding(t, i);
        else
            add_advice(t, i);
    }
}

/* ----------------------------------------------------------------------- the others */

static void add_constants(struct todo *t, const bool *constant)
{
    struct deed *deed = NULL;

    for (fsd_id i = 0; i < t->d->engine->nodes.n; i++) {
        if (!constant[i])
            continue;
        deed = deed ? deed : deed_of(t, "constants", DEED_CONSTANT);
        add_gain(t, deed, i, 1);
        FSD_EACH_OF (node, t->d->match->links, t->d->match->of_layer[i], node)
            if (t->d->match->runs[node] &&
                !(t->d->facts->traits[node] & (FSD_OP_QDQ | FSD_OP_VIEW)))
                add_node(t, deed, node);
    }
}

/* Adds the DEED_FACT entry if no kernel of a quantized product writes a quantized type
 * (none_quantizes()), so that other kernels quantize the results. The entry is left out
 * if these other kernels cost less than LEAST. */
static void add_fact(struct todo *t)
{
    const struct fsd_spent_sum *sum = &t->d->cost->spent[FSD_SPENT_REQUANTIZE];
    struct deed *deed;

    if (!t->d->products->none_quantizes || sum->share < LEAST ||
        !fsd_graph_is_rtx(t->d->engine))
        return;
    deed = deed_of(t, "requantization", DEED_FACT);
    deed->share = sum->share;
}

/* Adds one entry that advises FP16, for all FP32 kernels that the device's memory
 * bounds. In FP16, such a kernel moves half as many bytes. Adds nothing if the builder
 * was allowed to use 16-bit types, because it then chose FP32. Adds nothing if a kernel
 * already runs in lower precision. */
static void add_half(struct todo *t)
{
    const struct fsd_diff *d = t->d;
    fsd_sym built = fsd_built_find(&d->engine->built, d->engine->names, "precision");
    struct deed half = {.share = 0};

    if (built && strstr(fsd_text(d->engine->names, built), "16"))
        return;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        struct fsd_roofline r = fsd_cost_roofline(d, i);
        double share = fsd_cost_share(d, i);

        if (d->layers[i].kind != FSD_KIND_COMPUTE)
            continue;
        if (d->layers[i].precision != FSD_FP32 && d->layers[i].precision != FSD_TF32 &&
            fsd_dtype_rank(d->layers[i].precision))
            return;
        if (!r.known || !r.by_memory || r.reached < BOUND || r.reached > 1 ||
            share <= 0)
            continue;
        half.share += share / 2;
        half.ms += fsd_layer_ms(d, i) / 2;
    }
    if (half.share > 0) {
        struct deed *deed = deed_of(t, "half", DEED_HALF);

        deed->share = half.share;
        deed->ms = half.ms;
    }
}

/* ---------------------------------------------------------------------------- words */

static void put_nodes(struct todo *t, const struct deed *deed, bool brief, FILE *out)
{
    uint32_t n = brief ? 1 : NAMED;

    for (uint32_t i = 0; i < deed->nodes.n && i < n; i++) {
        fputs(i ? ", " : "", out);
        fsd_quote_node(t->d, deed->nodes.at[i], out);
    }
    if (deed->nodes.n > n)
        fprintf(out, " and %u more", deed->nodes.n - n);
}

static void put_fact(struct todo *t, const struct deed *deed, bool brief, FILE *out)
{
    const char *type = fsd_dtype_name(t->d->products->type);

    fprintf(out, "requantization %s %.1f %% of %s",
            t->d->times->profiles ? "takes" : "moves", 100 * deed->share,
            t->d->times->profiles     ? "the time"
            : t->d->cost->all.unknown ? "the known bytes"
                                      : "all bytes");
    if (!brief)
        fprintf(
            out,
            ": no convolution or GEMM kernel of this builder version writes %s, and",
            t->d->products->type == FSD_DTYPE_UNKNOWN ? "a quantized type" : type);
    fprintf(out,
            "%s no known change of the model avoids %s; compare with an FP16 "
            "build",
            brief ? ":" : "",
            t->d->findings->proposed.n ? "all of the requantization"
                                       : "the requantization");
}

/* Prints the advice of an entry.
 * @param brief whether to leave out remarks in parentheses */
static void put_advice(const struct deed *deed, bool brief, FILE *out)
{
    int depth = 0;

    for (const char *at = deed->advice; *at; at++) {
        depth += brief && !strncmp(at, " (", 2);
        if (!depth)
            putc(*at, out);
        depth -= depth && *at == ')';
    }
    if (!deed->edge)
        return;
    fprintf(out, " (%s", deed->edge);
    if (deed->places > 1)
        fprintf(out, " and %u more", deed->places - 1);
    fputs(")", out);
}

static void put_command(const struct fsd_diff *d, bool brief, FILE *out)
{
    if (brief) {
        fputs("; fusiondiff lint" FSD_IF_EDIT(" --fix", " -f json"), out);
        return;
    }
    fputs("; fusiondiff lint ", out);
    fsd_put_shell_word(out, d->model->path);
    fputs(FSD_IF_EDIT(" --fix -o fixed.onnx", " -f json"), out);
}

/* Prints the gain of an entry. The bytes that an advised format (DEED_ADVICE) saves are
 * certain, because layers of this engine read and write them. The gain of any other
 * change is uncertain, because the builder may then create different layers. */
static void put_gain(const struct fsd_diff *d, const struct deed *deed, FILE *out)
{
    const char *known = d->cost->all.unknown ? "known " : "";

    if (deed->share > 0 && deed->ms > 0)
        fprintf(out, ": may save %.4f ms, %.1f %% of the time", deed->ms,
                100 * deed->share);
    else if (deed->share > 0)
        fprintf(out, ": %s %.1f %% of the %sbytes",
                deed->kind == DEED_ADVICE ? "saves" : "may save", 100 * deed->share,
                known);
    else if (!(deed->typed > 0))
        fputs(": the dump does not show how much this saves", out);
    else
        fprintf(out, ": tensors with %.1f %% of the %sbytes change type",
                100 * deed->typed, known);
}

static const char *text_of(struct todo *t, const struct deed *deed, bool brief)
{
    FILE *out = fsd_print_open(&t->print);

    switch (deed->kind) {
    case DEED_FACT:
        put_fact(t, deed, brief, out);
        break;
    case DEED_EDITS:
        fsd_put_cites_sum(deed->edits.at, deed->edits.n, brief, out);
        break;
    case DEED_ADVICE:
        put_advice(deed, brief, out);
        break;
    case DEED_PADDING:
        fsd_put_padding_choice(&deed->choice, out);
        fputs(" at ", out);
        put_nodes(t, deed, brief, out);
        fputs(brief ? "" : ", because kernels pad the current size", out);
        break;
    case DEED_HALF:
        fputs("convert the model to FP16", out);
        if (!brief)
            fputs(", because memory bandwidth limits some of the kernels", out);
        break;
    case DEED_CONSTANT:
        fputs(brief ? "fold the constants " : "fold ", out);
        put_nodes(t, deed, brief, out);
        fputs(brief ? ""
                    : " in the model, because every inference computes these constants",
              out);
        break;
    }
    if (deed->kind != DEED_FACT)
        put_gain(t->d, deed, out);
    if (deed->kind == DEED_EDITS)
        put_command(t->d, brief, out);
    return fsd_print_take(&t->print, t->arena);
}

/* -------------------------------------------------------------------------------- */

struct fsd_todos fsd_find_todos(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct todo t = {.arena = arena, .d = d, .keys = fsd_intern_new(arena)};
    const bool *constant = fsd_constant_layers(arena, d);
    struct fsd_todos todos = {0};

    add_fact(&t);
    add_movers(&t, constant);
    add_constants(&t, constant);
    add_half(&t);
    add_proposed(&t);
    fsd_vec_sort(&t.list, by_gain);
    for (uint32_t i = 0; i < t.list.n && todos.n < FSD_MOST_TODOS; i++)
        if (rank_of(&t.list.at[i]) >= LEAST || is_unmeasured(&t.list.at[i])) {
            todos.facts += t.list.at[i].kind == DEED_FACT;
            todos.at[todos.n++] =
                (struct fsd_todo){.text = text_of(&t, &t.list.at[i], false),
                                  .brief = text_of(&t, &t.list.at[i], true)};
        }
    return todos;
}
