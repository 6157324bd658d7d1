/*
 * Applying what lint proposes.  First it is decided which edits can be applied, then
 * they become edits of the file, so that the list that is shown and the model that is
 * written are of one mind.
 *
 * Pairs are taken away first: what read the DequantizeLinear reads what the
 * QuantizeLinear read, which may be behind another pair that goes.  So names are
 * resolved when all that goes is known, and an inserted pair reads what is left.
 *
 * A scale is the model's or the caller's; an edit that has neither is not applied.
 */
#include "edit/fix/fix.h"
#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- choosing */

static bool is_dq_of(const struct fsd_lint *l, fsd_id node, fsd_id data)
{
    const struct fsd_quantizer *dq = fsd_lint_quantizer(l, node);

    return dq && !dq->quantizes && dq->data == data;
}

/* The DQ at place i of those that read the Q's output; FSD_NONE for another reader. */
static fsd_id dq_at(const struct fsd_lint *l, fsd_id tensor, uint32_t i)
{
    fsd_id reader = l->g->links.at[l->g->tensors.at[tensor].consumers.at + i];

    return is_dq_of(l, reader, tensor) ? reader : FSD_NONE;
}

static fsd_id out_of(const struct fsd_lint *l, fsd_id node)
{
    struct fsd_span out = l->g->nodes.at[node].out;

    return out.n ? l->g->ports.at[out.at].tensor : FSD_NONE;
}

static double given_scale(const struct fsd_fix_options *opt, const char *tensor)
{
    size_t n = strlen(tensor);

    for (unsigned i = opt->n_scales; i-- > 0;)
        if (!strncmp(opt->scales[i], tensor, n) && opt->scales[i][n] == '=')
            return strtod(opt->scales[i] + n + 1, NULL);
    return 0;
}

static void choose_scale(struct fsd_fix *fix, const struct fsd_fix_options *opt)
{
    fix->scale = fix->edit->scale;
    if (!(fix->scale > 0)) {
        fix->scale = given_scale(opt, fix->edit->tensor);
        fix->given = fix->scale > 0;
    }
    if (fix->scale > 0)
        return;
    fix->to_calibrate = true;
    fix->why = "to calibrate: the model has no scale for it";
}

struct apply;

/* What becomes of an action in a file. */
struct deed {
    /* Why the edit cannot be made; NULL: it can. */
    const char *(*refuse)(struct fsd_fixes *f, const struct fsd_edit *e);
    void (*make)(struct apply *a,
                 const struct fsd_fix *fix);             /* NULL: it only removes */
    enum { SETS_NOTHING, SETS_INPUT, SETS_INPUTS } sets; /* of the node */
    bool removes;                                        /* the quantizer */
    bool scaled;                                         /* it needs a scale */
};

static const struct deed *deed_of(const struct fsd_edit *e);

/* The node that is to read the pair. */
static fsd_id reader_of(const struct fsd_edit *e)
{
    return e->action == FSD_MOVE_PAIR ? e->to : e->node;
}

static const char *refuse_insert(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_graph *g = f->lint->g;
    struct fsd_span in = g->nodes.at[reader_of(e)].in;
    enum fsd_dtype type;

    if (e->input >= in.n || g->ports.at[in.at + e->input].tensor == FSD_NONE)
        return "the node has no such input";
    if (e->type && strcmp(e->type, "int8") != 0)
        return "only INT8 pairs are inserted";
    if (f->set[in.at + e->input])
        return "another edit changes this input";
    type = fsd_port_form(g, &g->ports.at[in.at + e->input])->type;
    return type == FSD_FP32 || type == FSD_DTYPE_UNKNOWN
               ? NULL
               : "the tensor is not FP32, and the scale would have to be of its type";
}

static const char *refuse_scale(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_quantizer *q = fsd_lint_quantizer(f->lint, e->node);
    struct fsd_span in = f->lint->g->nodes.at[e->node].in;

    if (!q)
        return "the node is not a quantizer";
    if (q->n != 1)
        return "the quantizer has per-channel scales, or an unknown scale";
    if (f->set[in.at + e->input])
        return "another edit changes this scale";
    return fsd_tensor_form(f->lint->g, q->scale)->type == FSD_FP32
               ? NULL
               : "the scale is not FP32";
}

static const char *refuse_remove(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, e->node);
    fsd_id out = q && q->quantizes ? out_of(l, e->node) : FSD_NONE;
    uint32_t pairs = 0;

    if (out == FSD_NONE)
        return "the node is not a QuantizeLinear";
    for (uint32_t i = 0; i < l->g->tensors.at[out].consumers.n; i++) {
        fsd_id dq = dq_at(l, out, i);

        if (dq != FSD_NONE && !fsd_onnx_can_edit(l->g, dq))
            return "a DequantizeLinear of it is in a model-local function";
        pairs += dq != FSD_NONE;
    }
    return pairs ? NULL : "no DequantizeLinear reads it";
}

static const char *refuse_move(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const char *why = refuse_remove(f, e);

    if (!why && !fsd_onnx_can_edit(f->lint->g, e->to))
        why = "the node is in the body of a model-local function";
    if (!why && fsd_lint_quantizer(f->lint, e->node)->n != 1)
        why = "the quantizer has per-channel scales, or an unknown scale";
    return why ? why : refuse_insert(f, e);
}

static bool is_half(const struct fsd_graph *g, uint32_t port)
{
    return g->ports.at[port].tensor != FSD_NONE &&
           fsd_port_form(g, &g->ports.at[port])->type == FSD_FP16;
}

static const char *refuse_cast(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_graph *g = f->lint->g;
    const struct fsd_node *n = &g->nodes.at[e->node];
    bool set = false, any = false;

    for (uint32_t i = n->in.at; i < n->in.at + n->in.n; i++) {
        set |= f->set[i];
        any |= is_half(g, i);
    }
    if (set)
        return "another edit changes an input";
    return any ? NULL : "it does not read FP16";
}

/* Notes what the edit takes hold of, so that no other one does. */
static void take_hold(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_lint *l = f->lint;
    struct fsd_span in = l->g->nodes.at[reader_of(e)].in;
    fsd_id out = out_of(l, e->node);

    if (deed_of(e)->sets == SETS_INPUTS)
        memset(f->set + in.at, true, in.n * sizeof *f->set);
    else if (deed_of(e)->sets == SETS_INPUT)
        f->set[in.at + e->input] = true;
    if (!deed_of(e)->removes)
        return;
    f->removed[e->node] = true;
    for (uint32_t i = 0; i < l->g->tensors.at[out].consumers.n; i++)
        fsd_set_at(f->removed, dq_at(l, out, i));
}

static const char *refuse(struct fsd_fixes *f, const struct fsd_edit *e)
{
    return !fsd_onnx_can_edit(f->lint->g, e->node)
               ? "the node is in the body of a model-local function"
           : f->removed[e->node] ? "another edit removes the node"
                                 : deed_of(e)->refuse(f, e);
}

static void choose(struct fsd_fixes *f, struct fsd_fix *fix, const char *proof,
                   const struct fsd_fix_options *opt)
{
    fix->why = proof && !strcmp(proof, "withdrawn")
                   ? "the engine shows that this saves nothing"
               : fix->edit->on_request && !opt->n_what
                   ? "it costs time, and applies only if its rule is named: --fix=RULE"
                   : refuse(f, fix->edit);
    if (!fix->why && deed_of(fix->edit)->scaled)
        choose_scale(fix, opt);
    if (!fix->why)
        take_hold(f, fix->edit);
}

/* Whether a word of --fix means the finding. */
static bool names(const struct fsd_findings *found, const struct fsd_finding *finding,
                  const char *word)
{
    char id[20];

    snprintf(id, sizeof id, "%016" PRIx64, finding->fingerprint);
    return !strcmp(word, found->rules.at[finding->rule].rule->id) || !strcmp(word, id);
}

static bool is_wanted(const struct fsd_findings *found,
                      const struct fsd_finding *finding,
                      const struct fsd_fix_options *opt)
{
    bool wanted = !opt->n_what;

    for (unsigned i = 0; i < opt->n_what; i++)
        wanted |= names(found, finding, opt->what[i]);
    return wanted;
}

static enum fsd_status check_what(const struct fsd_findings *found,
                                  const struct fsd_fix_options *opt,
                                  struct fsd_error *err)
{
    for (unsigned i = 0; i < opt->n_what; i++) {
        bool known = false;

        for (uint32_t r = 0; r < found->rules.n; r++)
            known |= !strcmp(found->rules.at[r].rule->id, opt->what[i]);
        for (uint32_t k = 0; k < found->list.n && !known; k++)
            known = names(found, &found->list.at[k], opt->what[i]);
        if (!known)
            return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                            "expected a rule of lint or the fingerprint of a finding, "
                            "found '%s'",
                            opt->what[i]);
    }
    return FSD_OK;
}

/* A scale that no edit uses is a typing error in the tensor's name. */
static enum fsd_status check_scales(const struct fsd_fixes *f,
                                    const struct fsd_fix_options *opt,
                                    struct fsd_error *err)
{
    for (unsigned i = 0; i < opt->n_scales; i++) {
        const char *word = opt->scales[i], *equals = strrchr(word, '=');
        char *end = NULL;
        double value = equals ? strtod(equals + 1, &end) : 0;
        bool used = false;

        if (!end || end == equals + 1 || *end || !(value > 0) || !isfinite(value) ||
            !((float)value > 0) || !isfinite((float)value))
            return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                            "expected TENSOR=VALUE with a positive scale, found '%s'",
                            word);
        for (uint32_t k = 0; k < f->list.n; k++)
            used |= f->list.at[k].given &&
                    strlen(f->list.at[k].edit->tensor) == (size_t)(equals - word) &&
                    !strncmp(f->list.at[k].edit->tensor, word, (size_t)(equals - word));
        if (!used)
            return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                            "expected a tensor whose scale is to be calibrated, found "
                            "'%.*s'",
                            (int)(equals - word), word);
    }
    return FSD_OK;
}

enum fsd_status fsd_fixes_choose(struct fsd_fixes *f, const struct fsd_findings *found,
                                 const struct fsd_fix_options *opt,
                                 struct fsd_error *err)
{
    enum fsd_status status = check_what(found, opt, err);

    f->removed = FSD_NEW(f->arena, bool, f->lint->g->nodes.n + 1);
    f->set = FSD_NEW(f->arena, bool, f->lint->g->ports.n + 1);
    for (uint32_t i = 0; i < found->list.n; i++) {
        const struct fsd_finding *finding = &found->list.at[i];

        for (uint32_t k = 0; k < finding->edits.n && is_wanted(found, finding, opt);
             k++)
            fsd_vec_push(
                f->arena, &f->list,
                ((struct fsd_fix){.edit = &found->edits.at[finding->edits.at + k],
                                  .rule = found->rules.at[finding->rule].rule->id,
                                  .why = finding->proof}));
    }
    /* What goes is known before anything is put to it. */
    for (int first = 1; first >= 0; first--)
        for (uint32_t i = 0; i < f->list.n; i++) {
            struct fsd_fix *fix = &f->list.at[i];

            if (deed_of(fix->edit)->removes == first)
                choose(f, fix, fix->why, opt);
        }
    return status == FSD_OK ? check_scales(f, opt, err) : status;
}

/* ----------------------------------------------------------------------- applying */

struct apply {
    const struct fsd_fixes *f;
    const struct fsd_graph *g;
    struct fsd_onnx_edits *edits;
    fsd_id *instead; /* by tensor: what is read in its place; itself */
};

static const char *name_of(const struct apply *a, fsd_id tensor)
{
    /* A model may have a ring of pairs, though none runs. */
    for (uint32_t n = a->g->tensors.n; n && a->instead[tensor] != tensor; n--)
        tensor = a->instead[tensor];
    return fsd_text(a->g->names, a->g->tensors.at[tensor].name);
}

static bool is_output(const struct apply *a, fsd_id tensor)
{
    return a->g->tensors.at[tensor].flags & FSD_TENSOR_OUTPUT;
}

static void remove_pair(struct apply *a, const struct fsd_fix *fix)
{
    const struct fsd_lint *l = a->f->lint;
    fsd_id quantizer = fix->edit->node;
    fsd_id out = out_of(l, quantizer), data = fsd_lint_quantizer(l, quantizer)->data;
    bool needed = is_output(a, out);

    for (uint32_t i = 0; i < a->g->tensors.at[out].consumers.n; i++) {
        fsd_id dq = dq_at(l, out, i);

        if (dq == FSD_NONE) {
            needed = true;
            continue;
        }
        a->instead[out_of(l, dq)] = data;
        fsd_onnx_drop_node(a->edits, dq);
    }
    if (!needed)
        fsd_onnx_drop_node(a->edits, quantizer);
}

/* An output of a graph keeps its name: an Identity makes what the DQ made. */
static void keep_outputs(struct apply *a)
{
    for (fsd_id i = 0; i < a->g->tensors.n; i++) {
        fsd_id producer = a->instead[i] == i ? FSD_NONE : fsd_tensor_producer(a->g, i);
        const char *name = fsd_text(a->g->names, a->g->tensors.at[i].name);

        if (producer != FSD_NONE && is_output(a, i))
            fsd_onnx_insert_node(a->edits, producer,
                                 &(struct fsd_onnx_new_node){
                                     .op = "Identity",
                                     .name = fsd_onnx_new_name(a->edits, "lint_output"),
                                     .inputs = {name_of(a, a->instead[i])},
                                     .output = name});
    }
}

/* The consumers of a tensor that no node makes any more read its replacement. */
static void rename_reads(struct apply *a)
{
    for (fsd_id i = 0; i < a->g->nodes.n; i++) {
        struct fsd_span in = a->g->nodes.at[i].in;

        for (uint32_t k = 0; k < in.n && !a->f->removed[i]; k++) {
            fsd_id tensor = a->g->ports.at[in.at + k].tensor;

            if (tensor != FSD_NONE && a->instead[tensor] != tensor &&
                !a->f->set[in.at + k] && fsd_onnx_can_edit(a->g, i))
                fsd_onnx_set_input(a->edits, i, k, name_of(a, tensor));
        }
    }
}

/* A QuantizeLinear that stays, as others read it, may read what was removed. */
static void rename_kept(struct apply *a)
{
    for (fsd_id i = 0; i < a->g->nodes.n; i++) {
        const struct fsd_quantizer *q =
            a->f->removed[i] ? fsd_lint_quantizer(a->f->lint, i) : NULL;

        if (q && q->quantizes && a->instead[q->data] != q->data)
            fsd_onnx_set_input(a->edits, i, 0, name_of(a, q->data));
    }
}

static const char *add_scale(struct apply *a, const char *base, double scale)
{
    const char *name =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_scale", base));
    float value = (float)scale;

    fsd_onnx_add_tensor(a->edits, name, FSD_ONNX_FLOAT, &value, sizeof value);
    return name;
}

static void insert_pair(struct apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    fsd_id node = reader_of(e);
    const char *base =
        fsd_printed(a->f->arena, "%s_lint_%u_%u", e->tensor, node, e->input);
    const char *scale = add_scale(a, base, fix->scale);
    const char *zero =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_zero", base));
    const char *q = fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_q", base));
    const char *dq =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_dq", base));

    fsd_onnx_add_tensor(a->edits, zero, FSD_ONNX_INT8, "", 1);
    fsd_onnx_insert_node(
        a->edits, node,
        &(struct fsd_onnx_new_node){
            .op = "QuantizeLinear",
            .name = q,
            .inputs = {name_of(a, fsd_node_in_tensor(a->g, node, e->input)), scale,
                       zero},
            .output = q});
    fsd_onnx_insert_node(a->edits, node,
                         &(struct fsd_onnx_new_node){.op = "DequantizeLinear",
                                                     .name = dq,
                                                     .inputs = {q, scale, zero},
                                                     .output = dq});
    fsd_onnx_set_input(a->edits, node, e->input, dq);
}

static const char *new_cast(struct apply *a, const struct fsd_fix *fix,
                            const char *what, uint32_t place)
{
    return fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_lint_%u_%s%u",
                                                   fix->edit->tensor, fix->edit->node,
                                                   what, place));
}

/* What reads an output reads it under its old name, from the Cast. */
static void insert_casts(struct apply *a, const struct fsd_fix *fix)
{
    fsd_id node = fix->edit->node;
    const struct fsd_node *n = &a->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++) {
        const char *name;

        if (!is_half(a->g, n->in.at + i))
            continue;
        name = new_cast(a, fix, "in", i);
        fsd_onnx_insert_node(
            a->edits, node,
            &(struct fsd_onnx_new_node){
                .op = "Cast",
                .name = name,
                .inputs = {name_of(a, a->g->ports.at[n->in.at + i].tensor)},
                .output = name,
                .to = FSD_ONNX_FLOAT});
        fsd_onnx_set_input(a->edits, node, i, name);
    }
    for (uint32_t i = 0; i < n->out.n; i++) {
        fsd_id out = a->g->ports.at[n->out.at + i].tensor;
        const char *name;

        if (!is_half(a->g, n->out.at + i))
            continue;
        name = new_cast(a, fix, "out", i);
        fsd_onnx_set_output(a->edits, node, i, name);
        fsd_onnx_append_node(
            a->edits, node,
            &(struct fsd_onnx_new_node){
                .op = "Cast",
                .name = fsd_printed(a->f->arena, "%s_cast", name),
                .inputs = {name},
                .output = fsd_text(a->g->names, a->g->tensors.at[out].name),
                .to = FSD_ONNX_FLOAT16});
    }
}

/* The quantizer, and what undoes it, or what it undoes. */
static void set_scale(struct apply *a, const struct fsd_fix *fix)
{
    const struct fsd_lint *l = a->f->lint;
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, fix->edit->node);
    fsd_id producer = q->quantizes ? q->node : fsd_tensor_producer(a->g, q->data);
    const struct fsd_quantizer *first = fsd_lint_quantizer(l, producer);
    const char *scale =
        add_scale(a, fsd_printed(a->f->arena, "%s_lint", fix->edit->name), fix->scale);
    fsd_id out;

    fsd_onnx_set_input(a->edits, q->node, 1, scale);
    if (!first || !first->quantizes)
        return;
    fsd_onnx_set_input(a->edits, producer, 1, scale);
    out = out_of(l, producer);
    for (uint32_t i = 0; i < a->g->tensors.at[out].consumers.n; i++)
        if (dq_at(l, out, i) != FSD_NONE)
            fsd_onnx_set_input(a->edits, dq_at(l, out, i), 1, scale);
}

static const struct deed deeds[] = {
    [FSD_INSERT_PAIR] = {refuse_insert, insert_pair, SETS_INPUT, .scaled = true},
    [FSD_REMOVE_PAIR] = {refuse_remove, NULL, SETS_NOTHING, .removes = true},
    [FSD_SET_SCALE] = {refuse_scale, set_scale, SETS_INPUT, .scaled = true},
    [FSD_MOVE_PAIR] = {refuse_move, insert_pair, SETS_INPUT, true, true},
    [FSD_INSERT_CAST] = {refuse_cast, insert_casts, SETS_INPUTS},
};
_Static_assert(FSD_COUNT_OF(deeds) == FSD__ACTION_COUNT, "a row each");

static const struct deed *deed_of(const struct fsd_edit *e)
{
    return &deeds[e->action];
}

struct fsd_onnx_edits *fsd_fixes_edits(struct fsd_fixes *f)
{
    const struct fsd_graph *g = f->lint->g;
    struct apply a = {f, g, fsd_onnx_edits_new(f->arena, g),
                      FSD_NEW(f->arena, fsd_id, g->tensors.n + 1)};

    for (fsd_id i = 0; i < g->tensors.n; i++)
        a.instead[i] = i;
    for (uint32_t i = 0; i < f->list.n; i++)
        if (!f->list.at[i].why && deed_of(f->list.at[i].edit)->removes)
            remove_pair(&a, &f->list.at[i]);
    keep_outputs(&a);
    rename_reads(&a);
    rename_kept(&a);
    for (int action = 0; action < FSD__ACTION_COUNT; action++)
        for (uint32_t i = 0; i < f->list.n; i++) {
            const struct fsd_fix *fix = &f->list.at[i];

            if (!fix->why && (int)fix->edit->action == action && deeds[action].make)
                deeds[action].make(&a, fix);
        }
    return a.edits;
}

/* ------------------------------------------------------------------------ listing */

static void print_fix(const struct fsd_fix *fix, FILE *out)
{
    const struct fsd_edit *e = fix->edit;

    fprintf(out, "%s %s", fsd_action_name(e->action), e->name);
    if (e->action == FSD_INSERT_PAIR)
        fprintf(out, " input %u", e->input);
    if (e->action == FSD_MOVE_PAIR)
        fprintf(out, " to %s input %u", e->to_name, e->input);
    fprintf(out, "  [%s]\n    tensor %s\n", fix->rule, e->tensor);
    if (fix->why) {
        fprintf(out, "    not applied: %s\n", fix->why);
        return;
    }
    if (fix->scale > 0)
        fprintf(out, "    scale %.7g, %s%s\n", fix->scale,
                fix->given ? "as given" : "that of ", fix->given ? "" : e->like);
    fprintf(out, "    effect: %s\n", e->effect);
}

static void print_summary(const struct fsd_fixes *f, FILE *out)
{
    uint32_t applied = 0, calibrate = 0;

    for (uint32_t i = 0; i < f->list.n; i++) {
        applied += !f->list.at[i].why;
        calibrate += f->list.at[i].to_calibrate;
    }
    if (!f->list.n) {
        fputs("no edits are proposed\n", out);
        return;
    }
    fprintf(out, "edits that apply: %u of %u", applied, f->list.n);
    if (calibrate)
        fprintf(out, ", %u to calibrate (pass --scale TENSOR=VALUE)", calibrate);
    fputs("\n", out);
}

void fsd_fixes_print(const struct fsd_fixes *f, bool all, FILE *out)
{
    for (uint32_t i = 0; all && i < f->list.n; i++)
        print_fix(&f->list.at[i], out);
    if (all && f->list.n)
        fputs("\n", out);
    print_summary(f, out);
}
