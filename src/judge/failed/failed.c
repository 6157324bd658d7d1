/*
 * Concludes why a build failed. The form of the first error determines the class. This
 * file corrects the class in these cases:
 *
 *     a plugin is missing, but ONNX defines the operator    FSD_FAILS_OPERATOR
 *     a type is not supported, at a quantizer               FSD_FAILS_QDQ
 *     a Q/DQ problem at a Conv, Gemm, MatMul or the like,
 *     but the model has no quantizers                       FSD_FAILS_TYPE
 *     an initializer cannot be imported                     class of an earlier error
 *     no tactic implements a layer                          class of a skipped tactic
 */
#include "judge/failed/failed.h"

#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ops.h"

#include <stdlib.h>

enum { MESSAGE_MOST = 600, NAMES_SHOWN = 3 };

/* -------------------------------------------------------------------------- builder */

/* The compute capability that the first error states; NULL if it states none. */
static const char *sm_of(struct fsd_arena *arena, const struct fsd_history *h)
{
    const struct fsd_log_failure *first = fsd_log_first_failure(fsd_log_failures_of(h));
    struct fsd_log_said said = fsd_log_failure_said(first);
    struct fsd_failed scratch = {.arena = arena};

    fsd_failed_take_values(&scratch, &said);
    return fsd_failed_value(&scratch, FSD_SAID_SM);
}

/* Returns "89" for "8.9". */
static const char *without_point(struct fsd_arena *arena, const char *capability)
{
    size_t n = strcspn(capability, ".");

    return capability[n] && capability[strspn(capability, "0123456789.")] == '\0'
               ? fsd_printed(arena, "%.*s%s", (int)n, capability, capability + n + 1)
               : NULL;
}

static const char *fact_of(const struct fsd_history *h, const char *key)
{
    const char *value = "";

    for (uint32_t i = 0; i < h->built.n; i++)
        if (!strcmp(fsd_text(h->names, h->built.at[i].fact.key), key))
            value = fsd_text(h->names, h->built.at[i].fact.value);
    return value;
}

static bool any_has(const fsd_log_failures *all, const char *words)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (fsd_slice_find(all->at[i].reason, words))
            return true;
    return false;
}

/* Whether the builder times tactics. TensorRT for RTX does not time tactics. Its
 * messages end with source positions in "/_src/". */
static bool is_of_tactics(const struct fsd_history *h)
{
    const fsd_log_failures *all = fsd_log_failures_of(h);

    return !any_has(all, " at /_src/") &&
           (any_has(all, ".cpp::") || any_has(all, "tactic") ||
            any_has(fsd_log_skipped_of(h), "tactic"));
}

const char *fsd_failed_target(struct fsd_arena *arena, const struct fsd_history *h)
{
    const char *word = fsd_target_named(fact_of(h, FSD_BUILT_VERSION));
    const char *sm = sm_of(arena, h);
    struct fsd_target target;

    if (word && !strcmp(word, "rtx")) /* "rtx" lacks a version.  Without `word`, the
                                         code below chooses "rtx-1.7", because
                                         is_of_tactics() is false for RTX */
        word = NULL;
    if (!sm)
        sm = without_point(arena, fact_of(h, FSD_BUILT_CAPABILITY));
    if (!sm && !word && !is_of_tactics(h))
        sm = "89";
    word = word ? word : is_of_tactics(h) ? "trt10" : "rtx-1.7";
    word = sm ? fsd_printed(arena, "%s:sm%s", word, sm) : word;
    return fsd_target_read(&target, word, arena) ? word : "rtx-1.7:sm89";
}

/* ---------------------------------------------------------------------------- class */

static const char *in_one_line(struct fsd_arena *arena, struct fsd_slice text)
{
    char *line = fsd_printed(
        arena, "%.*s", (int)(text.n < MESSAGE_MOST ? text.n : MESSAGE_MOST), text.s);

    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    return line;
}

/* Finds why no tactic implements the layer. The last message about a skipped tactic
 * states the class. Of the messages of this class, f->because is the one that states
 * the most bytes, or the last one if none states bytes. Only messages of known form,
 * from the attempt of f->first, count. */
static void take_tactics(struct fsd_failed *f)
{
    const fsd_log_failures *skipped = fsd_log_skipped_of(f->history);
    unsigned long long most = 0;

    for (uint32_t i = skipped->n; i-- > 0;) {
        const struct fsd_log_failure *tactic = &skipped->at[i];
        struct fsd_log_said said = fsd_log_failure_said(tactic);
        unsigned long long bytes = 0;

        if (!said.known || tactic->attempt != f->first->attempt ||
            (f->because && said.is != f->is))
            continue;
        for (unsigned k = 0; k < said.n; k++)
            if (said.at[k].what == FSD_SAID_BYTES)
                bytes = strtoull(fsd_failed_said_value(f->arena, &said, k), NULL, 10);
        if (f->because && bytes <= most)
            continue;
        f->is = said.is;
        f->because = in_one_line(f->arena, fsd_log_failure_sentence(tactic));
        f->values.n = 0;
        fsd_failed_take_values(f, &said);
        most = bytes;
    }
}

/* If the parser cannot import an initializer, takes the reason from earlier lines of
 * the log. */
static void take_cause_before(struct fsd_failed *f)
{
    const fsd_log_failures *all = fsd_log_failures_of(f->history);

    if (!f->first->by_parser || f->first->op.n)
        return;
    for (uint32_t i = (uint32_t)(f->first - all->at); i-- > 0;) {
        const struct fsd_log_failure *cause = &all->at[i];
        struct fsd_log_said said = fsd_log_failure_said(cause);

        if (cause->attempt != f->first->attempt || cause->by_parser)
            return;
        if (!said.known || said.echo)
            continue;
        f->is = said.is;
        f->because = in_one_line(f->arena, fsd_log_failure_sentence(cause));
        fsd_failed_take_values(f, &said);
    }
}

static bool has_quantizers(const struct fsd_graph *g)
{
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (fsd_op_traits(g, i) & FSD_OP_QDQ)
            return true;
    return false;
}

/* Whether ONNX defines the node's operator. The builder may still have no importer for
 * it. */
static bool is_of_onnx(const struct fsd_failed *f, fsd_id node)
{
    const struct fsd_refusal *refusal =
        f->lint ? fsd_lint_refusal(f->lint, node) : NULL;

    return fsd_is_onnx_domain(
               fsd_text(f->model->names, f->model->nodes.at[node].domain)) &&
           ((fsd_op_traits(f->model, node) & FSD_OP_STANDARD) ||
            (refusal && refusal != &fsd_lint_no_importer));
}

static enum fsd_failure_class class_at_node(const struct fsd_failed *f,
                                            enum fsd_failure_class is, fsd_id node)
{
    unsigned traits = fsd_op_traits(f->model, node);

    if (is == FSD_FAILS_PLUGIN && f->first->by_parser && is_of_onnx(f, node))
        return FSD_FAILS_OPERATOR;
    if (is == FSD_FAILS_TYPE && (traits & FSD_OP_QDQ))
        return FSD_FAILS_QDQ;
    return is;
}

/* Corrects the class by the failing node. For example, a message may state that only a
 * DequantizeLinear may read a constant (FSD_FAILS_QDQ). If the model has no quantizers
 * and a MatMul reads the constant, the reason is the constant's type: MatMul does not
 * support it. */
static void set_class(struct fsd_failed *f)
{
    if (!f->nodes.n)
        return;
    f->is = class_at_node(f, f->is, f->nodes.at[0]);
    if (f->is == FSD_FAILS_QDQ && !has_quantizers(f->model) &&
        (fsd_op_traits(f->model, f->nodes.at[0]) & FSD_OP_WEIGHTED))
        f->is = FSD_FAILS_TYPE;
}

/* ----------------------------------------------------------------------------- lint */

/* Whether the finding is about a failing node.
 * @param fails indexed by node */
static bool is_at(const struct fsd_failed *f, const struct fsd_finding *finding,
                  const bool *fails)
{
    FSD_EACH_OF (subject, f->findings->subjects, finding->nodes, id)
        if (fails[subject])
            return true;
    return false;
}

static const struct fsd_rule *rule_of(const struct fsd_failed *f,
                                      const struct fsd_finding *finding)
{
    return f->findings->rules.at[finding->rule].rule;
}

/* Whether the finding explains a failure for which no failing node is known. The error
 * message must state a fault of the model, and the finding must state that the builder
 * refuses nodes. */
static bool is_refused(const struct fsd_failed *f, const struct fsd_finding *finding)
{
    static const unsigned of_models =
        1u << FSD_FAILS_MODEL | 1u << FSD_FAILS_TYPE | 1u << FSD_FAILS_SHAPE |
        1u << FSD_FAILS_QDQ | 1u << FSD_FAILS_HARDWARE | 1u << FSD_FAILS_OPERATOR;

    return (of_models & 1u << f->is) && f->by == FSD_FAILED_BY_NOTHING &&
           rule_of(f, finding)->proves == FSD_PROVES_BUILT;
}

static void take_findings(struct fsd_failed *f)
{
    bool *fails = FSD_NEW(f->arena, bool, f->model->nodes.n + 1);
    uint32_t before = f->nodes.n;

    for (uint32_t i = 0; i < before; i++)
        fails[f->nodes.at[i]] = true;
    for (uint32_t i = 0; f->findings && i < f->findings->list.n; i++) {
        const struct fsd_finding *finding = &f->findings->list.at[i];
        bool stated = is_refused(f, finding);

        if (!stated && !is_at(f, finding, fails))
            continue;
        fsd_vec_push(f->arena, &f->found, i);
        for (uint32_t k = 0; stated && k < finding->nodes.n; k++) {
            fsd_id node = f->findings->subjects.at[finding->nodes.at + k].id;

            if (!fails[node])
                fsd_vec_push(f->arena, &f->nodes, node);
            fails[node] = true;
        }
    }
    if (f->nodes.n > before)
        f->by = FSD_FAILED_BY_LINT;
}

/* ----------------------------------------------------------------------- conclusion */

static const char *name_of(const struct fsd_failed *f, fsd_id node)
{
    const struct fsd_node *n = &f->model->nodes.at[node];
    const char *op = fsd_text(f->model->names, n->op);

    return n->name ? fsd_printed(f->arena, "%s (%s)",
                                 fsd_text(f->model->names, n->name), op)
                   : fsd_printed(f->arena, "#%u (%s)", node, op);
}

/* The place of the failure as text: "a (Add), b (Mul) and 3 more nodes", "one of a
 * (Loop) and b (Loop)", "tensor x", "the network". */
static const char *place_text(const struct fsd_failed *f)
{
    uint32_t n = f->nodes.n;
    const char *text = fsd_failed_is_of_several(f) ? "one of " : "";

    if (f->by == FSD_FAILED_BY_REGION)
        return fsd_printed(f->arena, "the region of %u nodes from %s to %s", n,
                           name_of(f, f->nodes.at[0]), name_of(f, f->nodes.at[n - 1]));
    for (uint32_t i = 0; i < n && i < NAMES_SHOWN; i++)
        text = fsd_printed(f->arena, "%s%s%s", text,
                           !i          ? ""
                           : i + 1 < n ? ", "
                                       : " and ",
                           name_of(f, f->nodes.at[i]));
    if (n > NAMES_SHOWN)
        text = fsd_printed(f->arena, "%s and %u more node%s", text, n - NAMES_SHOWN,
                           fsd_plural(n - NAMES_SHOWN));
    if (!n && f->tensors.n)
        text = fsd_printed(f->arena, "tensor %s", f->tensors.at[0]);
    else if (!n)
        text = f->named ? f->named : "the network";
    return text;
}

static const char *conclusion_of(struct fsd_failed *f)
{
    return fsd_printed(f->arena, "%s failed to build (class %s): the %s rejects %s: %s",
                       f->model_path ? f->model_path : "the model",
                       fsd_failure_class_name(f->is),
                       f->first->by_parser ? "parser" : "builder", place_text(f),
                       f->because ? f->because : f->message);
}

void fsd_failed_conclude(struct fsd_failed *f, const struct fsd_vocab *vocab)
{
    const fsd_log_failures *all = fsd_log_failures_of(f->history);
    struct fsd_log_said said;

    f->first = fsd_log_first_failure(all);
    said = fsd_log_failure_said(f->first);
    f->is = said.is;
    f->message = in_one_line(f->arena, fsd_log_failure_sentence(f->first));
    fsd_failed_take_values(f, &said);
    if (said.by_tactic)
        take_tactics(f);
    else
        take_cause_before(f);
    fsd_failed_find_place(f, vocab, &said);
    set_class(f);
    take_findings(f);
    fsd_failed_choose_part(f);
    f->conclusion = conclusion_of(f);
    fsd_failed_add_tries(f);
}
