/*
 * Cites the edits of lint at the layers that the edits would improve, if the engine's
 * dump shows such layers.
 *
 *     model   Conv_34 --> Add_36 <-------------- MaxPool_12 --> Q_15 --> Conv_22
 *     engine  6: Conv_34 + Add_36, reads fp16    4: Q_15, fp16 -> int8
 *
 * Lint proposes a Q/DQ pair on the skip input of Add_36. Add_36 reads the output of
 * MaxPool_12 unquantized, so layer 6 reads FP16, and layer 4 must quantize the same
 * tensor. The edit is therefore cited at layer 4. It is also cited at the quantizer
 * after layer 6, which reads FP16 because layer 6 does.
 *
 * If a layer raises the precision, edits are cited for the unquantized consumers of its
 * consumer's output. Edits that remove or rescale a quantizer are cited at the layer
 * that computes the quantizer.
 */
#include "judge/findings/cite.h"
#include "base/base.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

enum { MOST = 8, LOOKED_AT = 16, STEPS = 16 };

struct citer {
    struct fsd_findings *found;
    const struct fsd_diff *d;
    const struct fsd_findings *lint;
    /* Linked lists of the edits in lint's confirmed findings; FSD_NONE ends a list.
     * `of_node` has a list for each node: its edits. `of_tensor` has a list for each
     * tensor: the edits that insert a Q/DQ pair there. Tensors with the same data share
     * one list, so the index of `of_tensor` is same_data(tensor).
     *
     *     of_node[node], of_tensor[tensor]          the first edit of the list
     *     next_of_node[edit], next_of_tensor[edit]  the next edit of the same list
     *     finding_of[edit]                          the finding with the edit */
    uint32_t *next_of_node, *next_of_tensor, *finding_of, *of_node, *of_tensor;
    struct fsd_span now; /* the cites of the current layer, a span of found->cites */
};

/* -------------------------------------------------------------------- what is there */

static bool changes_type(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    fsd_id read = fsd_node_in_tensor(d->engine, layer, 0);

    return d->flows->of[layer].there && !fsd_layer_is_free(d, layer) && in && made &&
           fsd_dtype_rank(in->type) && fsd_dtype_rank(made->type) &&
           in->type != made->type && !fsd_tensor_is(d->engine, read, FSD_TENSOR_INPUT);
}

/* Whether any layer changes a type. Lint's edits explain only layers that do so. */
static bool any_changes_type(const struct fsd_diff *d)
{
    if (d->cost->spent[FSD_SPENT_REQUANTIZE].layers)
        return true;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (changes_type(d, i))
            return true;
    return false;
}

/* Lint's findings in the model, for the builder of the engine; NULL if there is no
 * model, or the builder is unknown. */
static const struct fsd_findings *ask_lint(const struct fsd_diff *d)
{
    const char *word = fsd_target_of(d->engine);
    struct fsd_target target;

    if (d->model == d->engine || !*d->engine->path || !word || !any_changes_type(d) ||
        !fsd_target_read(&target, word, d->arena))
        return NULL;
    return fsd_find_lint_confirmable(
        d, fsd_lint_new(d->arena, d->facts, d->cost->sizes, target));
}

/* Returns the same tensor for all tensors with the same data. Duplicate nodes, Identity
 * nodes and views output data that another tensor has already. */
static fsd_id same_data(const struct fsd_diff *d, fsd_id tensor)
{
    for (int steps = 0; steps < STEPS; steps++) {
        fsd_id producer;

        tensor = d->facts->value[d->facts->root[tensor]];
        producer = fsd_tensor_producer(d->model, tensor);
        if (producer == FSD_NONE || d->nodes[producer].fate != FSD_FATE_IDENTITY ||
            !fsd_node_has_in(d->model, producer, 0))
            break;
        tensor = fsd_node_in_tensor(d->model, producer, 0);
    }
    return tensor;
}

static void index_edits(struct citer *c, struct fsd_arena *scratch)
{
    const struct fsd_graph *m = c->d->model;
    uint32_t n = c->lint->edits.n;

    c->next_of_node = FSD_NEW(scratch, uint32_t, n);
    c->next_of_tensor = FSD_NEW(scratch, uint32_t, n);
    c->finding_of = FSD_NEW(scratch, uint32_t, n);
    c->of_node = fsd_ids_new(scratch, m->nodes.n);
    c->of_tensor = fsd_ids_new(scratch, m->tensors.n);
    for (uint32_t i = c->lint->list.n; i-- > 0;) {
        const struct fsd_finding *f = &c->lint->list.at[i];

        if (f->severity < FSD_WARNING || !f->proof ||
            strcmp(f->proof, "confirmed") != 0)
            continue;
        for (uint32_t k = f->edits.at + f->edits.n; k-- > f->edits.at;) {
            const struct fsd_edit *e = &c->lint->edits.at[k];
            fsd_id tensor = e->action == FSD_INSERT_PAIR
                                ? fsd_node_in_tensor(m, e->node, e->input)
                                : FSD_NONE;

            c->finding_of[k] = i;
            c->next_of_node[k] = c->of_node[e->node];
            c->of_node[e->node] = k;
            c->next_of_tensor[k] = FSD_NONE;
            if (tensor == FSD_NONE)
                continue;
            tensor = same_data(c->d, tensor);
            c->next_of_tensor[k] = c->of_tensor[tensor];
            c->of_tensor[tensor] = k;
        }
    }
}

/* --------------------------------------------------------------------------- citing */

static const char *feeds(const struct citer *c, const struct fsd_edit *e)
{
    const struct fsd_diff *d = c->d;
    fsd_id producer = fsd_node_in_producer(d->model, e->node, e->input);
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);

    if (producer != FSD_NONE)
        fsd_quote_node(d, producer, out);
    else
        fprintf(out, "`%s`", e->tensor);
    fputs(" -> ", out);
    fsd_quote_node(d, e->node, out);
    fprintf(out, " (input %u)", e->input);
    return fsd_print_take(&text, c->found->arena);
}

/* Whether two edits are equal. Several rules may propose the same edit. */
static bool is_same(const struct fsd_edit *a, const struct fsd_edit *b)
{
    return a->action == b->action && a->node == b->node && a->input == b->input;
}

static struct fsd_cite cite_of(const struct citer *c, uint32_t edit, const char *shown)
{
    const struct fsd_edit *e = &c->lint->edits.at[edit];
    uint32_t rule = c->lint->list.at[c->finding_of[edit]].rule;

    return (struct fsd_cite){.rule = c->lint->rules.at[rule].rule->id,
                             .edit = e,
                             .feeds = e->action == FSD_INSERT_PAIR ? feeds(c, e) : "",
                             .shown = shown};
}

/* Adds the edit to the cites of the current layer, unless the edit is among these cites
 * already.
 * @param shown text in the findings' arena */
static void cite(struct citer *c, uint32_t edit, const char *shown)
{
    for (uint32_t i = 0; i < c->now.n; i++)
        if (is_same(c->found->cites.at[c->now.at + i].edit, &c->lint->edits.at[edit]))
            return;
    if (c->now.n == MOST)
        return;
    if (!c->now.n)
        c->now.at = c->found->cites.n;
    c->now.n++;
    fsd_vec_push(c->found->arena, &c->found->cites, cite_of(c, edit, shown));
}

/* Whether the dump shows that the layer computes the edit's node and reads data of
 * higher precision. */
static bool reads_wide(const struct citer *c, fsd_id layer, uint32_t edit)
{
    struct fsd_widths reads = fsd_layer_widths(c->d->engine, layer, false);

    return c->d->layers[layer].kind == FSD_KIND_COMPUTE && reads.wide &&
           fsd_match_has(c->d->match, layer, c->lint->edits.at[edit].node);
}

static void cite_reader(struct citer *c, fsd_id layer, uint32_t edit)
{
    struct fsd_widths reads = fsd_layer_widths(c->d->engine, layer, false);

    cite(c, edit,
         fsd_printed(c->found->arena, "layer %u computes `%s` and reads %s", layer,
                     c->lint->edits.at[edit].name, fsd_dtype_name(reads.widest)));
}

/* A layer that computes the edit's node and reads data of higher precision; FSD_NONE if
 * no layer does. */
static fsd_id wide_reader(const struct citer *c, uint32_t edit)
{
    const struct fsd_match *m = c->d->match;
    fsd_id node = c->lint->edits.at[edit].node;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        if (reads_wide(c, layer, edit))
            return layer;
    }
    return FSD_NONE;
}

/* Cites the Q/DQ pairs that lint proposes for consumers of the tensor. A consumer
 * counts only if its layer reads data of higher precision. */
static void cite_bare_readers(struct citer *c, fsd_id tensor)
{
    uint32_t looked = 0;

    if (tensor == FSD_NONE)
        return;
    for (uint32_t e = c->of_tensor[same_data(c->d, tensor)];
         e != FSD_NONE && looked < LOOKED_AT; e = c->next_of_tensor[e], looked++) {
        fsd_id layer = wide_reader(c, e);

        if (layer != FSD_NONE)
            cite_reader(c, layer, e);
    }
}

/* Adds to found->proposed the Q/DQ pairs that would let a layer read lower precision,
 * each once. Edits of other kinds are not added: they are cited only at data-movement
 * layers. */
static void collect_proposed(struct citer *c)
{
    const struct fsd_edit *edits = c->lint->edits.at;

    for (fsd_id node = 0; node < c->d->model->nodes.n; node++)
        for (uint32_t e = c->of_node[node]; e != FSD_NONE; e = c->next_of_node[e]) {
            bool again = false;

            for (uint32_t k = c->of_node[node]; k != e; k = c->next_of_node[k])
                again |= is_same(&edits[k], &edits[e]);
            if (!again && edits[e].action == FSD_INSERT_PAIR &&
                wide_reader(c, e) != FSD_NONE)
                fsd_vec_push(c->found->arena, &c->found->proposed, cite_of(c, e, ""));
        }
}

/* Cites the Q/DQ pairs that lint proposes on inputs of the layer `source`, if `source`
 * reads and writes higher precision: its inputs may be the reason for its output. */
static void cite_source(struct citer *c, fsd_id source)
{
    const struct fsd_match *m = c->d->match;

    if (source == FSD_NONE || c->d->layers[source].kind != FSD_KIND_COMPUTE ||
        !fsd_layer_widths(c->d->engine, source, true).wide)
        return;
    FSD_EACH_OF (node, m->links, m->of_layer[source], node)
        for (uint32_t e = c->of_node[node]; e != FSD_NONE; e = c->next_of_node[e])
            if (c->lint->edits.at[e].action == FSD_INSERT_PAIR &&
                reads_wide(c, source, e))
                cite_reader(c, source, e);
}

/* Cites the Q/DQ pairs that lint proposes for consumers of `layer`. `layer` reads data
 * that a data-movement layer raised to higher precision, and a consumer may be the
 * reason: if it reads an output of `layer` without a quantizer, `layer` must write
 * higher precision, and therefore also reads it. Consumers that `layer` computes itself
 * do not count. */
static void cite_behind(struct citer *c, fsd_id layer)
{
    const struct fsd_match *m = c->d->match;
    struct fsd_widths writes;

    if (layer == FSD_NONE || c->d->layers[layer].kind != FSD_KIND_COMPUTE)
        return;
    writes = fsd_layer_widths(c->d->engine, layer, true);
    for (uint32_t i = 0; i < m->of_layer[layer].n && writes.wide; i++) {
        fsd_id made =
            fsd_node_out_tensor(c->d->model, fsd_match_of_layer(m, layer, i)->node, 0);
        uint32_t e = made == FSD_NONE ? FSD_NONE : c->of_tensor[same_data(c->d, made)];

        for (; e != FSD_NONE; e = c->next_of_tensor[e])
            if (!fsd_match_has(m, layer, c->lint->edits.at[e].node))
                cite(c, e,
                     fsd_printed(c->found->arena, "layer %u writes %s for %s", layer,
                                 fsd_dtype_name(writes.widest),
                                 c->lint->edits.at[e].name));
    }
}

/* Cites the edits that remove or rescale quantizers that the layer computes. */
static void cite_own(struct citer *c, fsd_id layer)
{
    const struct fsd_match *m = c->d->match;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        for (uint32_t e = c->of_node[node]; e != FSD_NONE; e = c->next_of_node[e])
            if (c->lint->edits.at[e].action != FSD_INSERT_PAIR)
                cite(c, e,
                     fsd_printed(c->found->arena, "layer %u computes `%s`", layer,
                                 c->lint->edits.at[e].name));
}

static struct fsd_span cites_of(struct citer *c, fsd_id layer)
{
    const struct fsd_flow *flow = &c->d->flows->of[layer];
    int in = fsd_dtype_rank(fsd_layer_form_in(c->d->engine, layer)->type);
    int made = fsd_dtype_rank(fsd_layer_form_out(c->d->engine, layer)->type);

    c->now = (struct fsd_span){0, 0};
    if (made < in && flow->source != FSD_NONE && c->d->products->of[flow->source] &&
        c->d->products->none_quantizes)
        return c->now; /* no edit of the consumers can make `source` write lower
                          precision */
    if (made < in || c->d->layers[layer].kind != FSD_KIND_QUANTIZE)
        cite_bare_readers(c, flow->model_tensor);
    if (made < in)
        cite_source(c, flow->source);
    for (uint32_t i = 0; made > in && i < flow->readers.n; i++)
        cite_behind(c, c->d->flows->readers.at[flow->readers.at + i].layer);
    if (c->d->layers[layer].kind == FSD_KIND_QUANTIZE)
        cite_own(c, layer);
    return c->now;
}

/* Cites edits for a finding on nodes that are computed twice: the Q/DQ pairs that lint
 * proposes for consumers of these nodes. */
static struct fsd_span cites_of_nodes(struct citer *c, const struct fsd_finding *f)
{
    c->now = (struct fsd_span){0, 0};
    FSD_EACH_OF (node, c->found->subjects, f->nodes, id)
        cite_bare_readers(c, fsd_node_out_tensor(c->d->model, node, 0));
    return c->now;
}

/* ---------------------------------------------------------------------------- words */

/* For each action: its name, and the advice for one edit or several. {n} is the number
 * of edits, {scale} the source of the scale; other words stand for members of the
 * edit. */
static const struct {
    const char *name, *one, *several;
} actions[] = {
    [FSD_INSERT_PAIR] = {"insert-pair", "add a Q/DQ pair on {feeds}, {scale}",
                         "add {n} Q/DQ pair{s}{scales}"},
    [FSD_REMOVE_PAIR] = {"remove-pair", "remove the Q/DQ pair of `{name}`",
                         "remove {n} Q/DQ pair{s}"},
    [FSD_SET_SCALE] = {"set-scale", "give `{name}` the scale of `{like}`",
                       "give {n} quantizer{s} the scale of an adjacent quantizer"},
    [FSD_MOVE_PAIR] = {"move-pair", "move the Q/DQ pair of `{name}` before `{to}`",
                       "move {n} Q/DQ pair{s} before the preceding operator"},
    [FSD_SCALE_FIRST] =
        {"scale-first",
         "move the scale factor of `{to}` from the scores to the queries "
         "of `{name}`",
         "move the scale factor from the scores to the queries in {n} attention{s}"},
    [FSD_REPEAT_HEADS] = {"repeat-heads",
                          "repeat the single head of an input of `{name}`",
                          "repeat the heads of {n} input{s}"},
    [FSD_PAD_INPUT] = {"pad-input", "pad an input of `{name}`", "pad {n} input{s}"},
    [FSD_SLICE_OUTPUT] = {"slice-output", "slice the output of `{name}`",
                          "slice {n} output{s}"},
    [FSD_INSERT_CAST] = {"insert-cast", "insert Casts to compute `{name}` in {type}",
                         "insert Casts to compute {n} node{s} in {type}"},
    [FSD_MAKE_SYMMETRIC] = {"make-symmetric", "give `{name}` the zero point 0",
                            "give {n} quantizer{s} the zero point 0"},
    [FSD_SPREAD_SCALE] = {"spread-scale",
                          "repeat the scale of `{name}` for each output channel",
                          "repeat the scale of {n} weight quantizer{s} for each "
                          "output channel"},
    [FSD_ADD_DIMENSION] = {"add-dimension",
                           "add a dimension to the scalar that `{name}` reads",
                           "add a dimension to {n} scalar{s}"},
    [FSD_STORE_CONSTANT] = {"store-constant",
                            "store the constant input of `{name}` as {type}",
                            "store {n} constant{s} in a different type"},
    [FSD_UNMARK_OUTPUT] = {"unmark-output",
                           "remove the output of `{name}` from the network's outputs",
                           "remove {n} output{s} of the network"},
};
_Static_assert(FSD_COUNT_OF(actions) == FSD__ACTION_COUNT, "a row each");

const char *fsd_action_name(enum fsd_action action)
{
    return actions[action].name;
}

static void put_scales(const struct fsd_cite *const *cites, uint32_t n, FILE *out)
{
    uint32_t to_calibrate = 0;

    for (uint32_t i = 0; i < n; i++)
        to_calibrate += !cites[i]->edit->like;
    if (to_calibrate == n)
        fprintf(out, ", and calibrate the scale%s", fsd_plural(n));
    else if (to_calibrate)
        fprintf(out, ", and calibrate the scales of %u of the pairs", to_calibrate);
}

static void put_scale_source(const struct fsd_edit *e, FILE *out)
{
    if (e->like)
        fprintf(out, "with the scale of `%s`", e->like);
    else
        fputs("with a scale to calibrate", out);
}

/* Prints the advice for several edits of one action. */
static void put_words(const char *words, const struct fsd_cite *const *cites,
                      uint32_t n, FILE *out)
{
    const struct fsd_edit *e = cites[0]->edit;
    const struct {
        const char *key, *text;
    } texts[] = {{"feeds}", cites[0]->feeds},
                 {"name}", e->name},
                 {"like}", e->like ? e->like : "?"},
                 {"to}", e->to_name},
                 {"type}", e->type},
                 {"s}", fsd_plural(n)}};
    const char *at = words, *key;

    for (; (key = strchr(at, '{')); at = strchr(key, '}') + 1) {
        fwrite(at, 1, (size_t)(key++ - at), out);
        for (size_t i = 0; i < FSD_COUNT_OF(texts); i++)
            if (!strncmp(key, texts[i].key, strlen(texts[i].key)))
                fputs(texts[i].text, out);
        if (!strncmp(key, "n}", 2))
            fprintf(out, "%u", n);
        else if (!strncmp(key, "scale}", 6))
            put_scale_source(e, out);
        else if (!strncmp(key, "scales}", 7))
            put_scales(cites, n, out);
    }
    fputs(at, out);
}

static void put_edit(const struct fsd_cite *cite, FILE *out)
{
    put_words(actions[cite->edit->action].one, &cite, 1, out);
}

void fsd_put_cites(const struct fsd_cite *cites, uint32_t n, FILE *out)
{
    const char *rule = "";

    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? "; " : "", out);
        put_edit(&cites[i], out);
    }
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? ", " : ": ", cites[i].shown);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(rule, cites[i].rule) != 0)
            fprintf(out, "%s%s", *rule ? ", " : " (lint ", cites[i].rule);
        rule = cites[i].rule;
    }
    putc(')', out);
}

void fsd_put_cites_sum(const struct fsd_cite *const *cites, uint32_t n, bool brief,
                       FILE *out)
{
    if (n == 1 && !brief)
        put_edit(cites[0], out);
    else
        put_words(actions[cites[0]->edit->action].several, cites, n, out);
    fprintf(out, " (lint %s)", cites[0]->rule);
}

static void set_todo(struct fsd_findings *found, struct fsd_finding *f)
{
    const struct fsd_cite *cites =
        f->cites.n ? &found->cites.at[f->cites.at] : NULL; /* if no layer has cites,
                                                              found->cites.at is
                                                              NULL */
    struct fsd_print text;
    FILE *out;

    if (!f->cites.n)
        return;
    out = fsd_print_open(&text);
    put_edit(cites, out);
    fprintf(out, " (lint %s)", cites->rule);
    if (f->cites.n > 1)
        fprintf(out, ", and %u more edit%s", f->cites.n - 1,
                fsd_plural(f->cites.n - 1));
    f->todo = fsd_print_take(&text, found->arena);
}

/* ---------------------------------------------------------------------- of findings */

/* Adds the cite to `span`, the last span of the list, unless the span is full or has
 * the same edit. */
static void add_once(struct fsd_findings *found, struct fsd_span *span,
                     const struct fsd_cite *cite)
{
    struct fsd_cite copy = *cite;

    for (uint32_t i = 0; i < span->n; i++)
        if (is_same(found->cites.at[span->at + i].edit, copy.edit))
            return;
    if (span->n == MOST)
        return;
    fsd_vec_push(found->arena, &found->cites, copy);
    span->n++;
}

/* Collects the cites of the finding's layers, each edit once. */
static struct fsd_span gather(struct fsd_findings *found, const struct fsd_finding *f)
{
    struct fsd_span all = {found->cites.n, 0};

    FSD_EACH_OF (layer, found->subjects, f->layers, id) {
        struct fsd_span own = found->cites_of[layer];

        for (uint32_t k = 0; k < own.n; k++)
            add_once(found, &all, &found->cites.at[own.at + k]);
    }
    return all;
}

/* Whether findings of the rule may be about data-movement layers. */
static bool is_explained(const char *rule)
{
    static const char *const rules[] = {"quantize/standing", "precision/island",
                                        "inserted/round-trip", "inserted/chain",
                                        "inserted/reformat"};

    for (size_t i = 0; i < FSD_COUNT_OF(rules); i++)
        if (!strcmp(rules[i], rule))
            return true;
    return false;
}

void fsd_cite_in_run(struct fsd_findings *found, const struct fsd_diff *d)
{
    struct citer c = {.found = found, .d = d, .lint = ask_lint(d)};
    struct fsd_arena *scratch;

    if (!c.lint || !c.lint->edits.n)
        return;
    scratch = fsd_arena_new();
    index_edits(&c, scratch);
    collect_proposed(&c);
    found->cites_of = FSD_NEW(found->arena, struct fsd_span, d->engine->nodes.n);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (changes_type(d, i))
            found->cites_of[i] = cites_of(&c, i);
    FSD_EACH (struct fsd_finding, f, found->list) {
        if (f->layers.n && is_explained(found->rules.at[f->rule].rule->id))
            f->cites = gather(found, f);
        else if (!strcmp(found->rules.at[f->rule].rule->id, "fusion/recomputed"))
            f->cites = cites_of_nodes(&c, f);
        set_todo(found, f);
    }
    fsd_arena_free(scratch);
}

/* Returns a new struct that has the cites of gate->run but no findings. NULL if no
 * finding in `found` needs cites, or if lint cannot judge the run (ask_lint()) or
 * proposes no edits for it.
 * @param found the findings on the changed build; a finding needs cites if its `move`
 *        or `widens` is set */
static const struct fsd_findings *cites_for(const struct fsd_findings *found,
                                            const struct fsd_case *gate)
{
    struct fsd_findings *run;
    uint32_t i = 0;

    while (i < found->list.n && !found->list.at[i].move && !found->list.at[i].widens)
        i++;
    if (i == found->list.n)
        return NULL;
    run = FSD_NEW(found->arena, struct fsd_findings, 1);
    run->arena = found->arena;
    fsd_cite_in_run(run, gate->run);
    return run->cites_of ? run : NULL;
}

/* Returns an array indexed by move of the new state: the number of the move's layer,
 * plus 1; 0 if this layer has no cites. */
static uint32_t *cited_moves(const struct fsd_case *gate,
                             const struct fsd_findings *run, struct fsd_arena *scratch)
{
    const struct fsd_state *s = gate->c->new;
    uint32_t *of = FSD_NEW(scratch, uint32_t, s->moves.n);

    for (fsd_id i = 0; i < gate->run->engine->nodes.n; i++)
        if (run->cites_of[i].n && s->of_layer[i] != FSD_NONE &&
            (s->of_layer[i] & FSD_LAYER_MOVES))
            of[s->of_layer[i] & ~FSD_LAYER_MOVES] = i + 1;
    return of;
}

void fsd_cite_in_case(struct fsd_findings *found, const struct fsd_case *gate)
{
    const struct fsd_state *s = gate->c ? gate->c->new : NULL;
    const struct fsd_findings *run;
    struct fsd_arena *scratch;
    uint32_t *by_node, *by_move;

    if (gate->compared || !gate->run || !s || !s->number_of || !s->of_layer ||
        !(run = cites_for(found, gate)))
        return;
    scratch = fsd_arena_new();
    by_move = cited_moves(gate, run, scratch);
    by_node = FSD_NEW(scratch, uint32_t, gate->run->model->nodes.n); /* indexed by node:
                                                                        index of a cite,
                                                                        plus 1; 0:
                                                                        none */
    for (uint32_t i = 0; i < run->cites.n; i++)
        by_node[run->cites.at[i].edit->node] = i + 1;
    FSD_EACH (struct fsd_finding, f, found->list) {
        uint32_t layer = f->move ? by_move[f->move - 1] : 0;

        f->cites.at = found->cites.n;
        for (uint32_t k = 0; layer && k < run->cites_of[layer - 1].n; k++)
            add_once(found, &f->cites, &run->cites.at[run->cites_of[layer - 1].at + k]);
        for (uint32_t k = 0; k < f->nodes.n && f->widens; k++) {
            fsd_id node = s->number_of[found->subjects.at[f->nodes.at + k].id];

            if (by_node[node])
                add_once(found, &f->cites, &run->cites.at[by_node[node] - 1]);
        }
        set_todo(found, f);
    }
    fsd_arena_free(scratch);
}

bool fsd_cites_same_edit(const struct fsd_cite *a, const struct fsd_cite *b)
{
    return is_same(a->edit, b->edit);
}

struct fsd_span fsd_layer_cites(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_findings *found = d->findings;

    if (!found->cites_of || fsd_layer_is_free(d, layer))
        return (struct fsd_span){0, 0};
    return found->cites_of[layer];
}

void fsd_put_remedy(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    struct fsd_span own = fsd_layer_cites(d, layer);

    if (own.n)
        fsd_put_cites(&d->findings->cites.at[own.at], own.n, out);
    else
        fsd_put_advice(d, layer, out);
}

bool fsd_has_remedy(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_print text;
    bool proposes;

    if (fsd_layer_cites(d, layer).n)
        return true;
    proposes = fsd_put_advice(d, layer, fsd_print_open(&text));
    fsd_print_take(&text, arena);
    return proposes;
}
