/*
 * Applies the edits that lint proposes. First it decides which edits apply, and then it
 * converts these to edits of the file, so that the printed list and the written model
 * agree.
 *
 * Q/DQ pairs are removed first. The consumers of the DequantizeLinear then read the
 * input of the QuantizeLinear. Another removed pair may produce this input. Names are
 * therefore looked up after all removals are known. The scale of a new pair comes from
 * the model or from the caller. Without a scale, the pair is not inserted.
 */
#include "edit/fix/apply.h"
#include "base/base.h"
#include "model/graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ----------------------------------------------------------------------- choosing */

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
    fix->why = "this tensor must be calibrated, because the model has no scale for it";
}

/* How one kind of edit is applied to a file. */
struct deed {
    /* Returns the reason why the edit cannot be applied; NULL: it can. */
    fsd_fix_refuse_fn *refuse;
    fsd_fix_make_fn *make; /* applies the edit; NULL: the action only removes nodes */
    /* Which inputs the action sets: none, only the input fsd_edit.input, or all inputs
     * of the node. */
    enum { SETS_NOTHING, SETS_INPUT, SETS_INPUTS } sets;
    bool removes;           /* the action removes the Q/DQ pair */
    bool scaled;            /* the action needs a scale */
    fsd_fix_make_fn *begin; /* removes nodes before any edit is applied; NULL: none */
};

static const struct deed *deed_of(const struct fsd_edit *e);

/* ONNX's number of an 8-bit type that a pair may have; 0 for another type. */
static int narrow_of(const char *type)
{
    static const struct {
        const char *name;
        int number;
    } types[] = {{"int8", FSD_ONNX_INT8},
                 {"uint8", FSD_ONNX_UINT8},
                 {"fp8", FSD_ONNX_FLOAT8E4M3FN}};

    for (size_t i = 0; i < FSD_COUNT_OF(types); i++)
        if (!strcmp(types[i].name, type))
            return types[i].number;
    return 0;
}

/* The node that will read the output of the pair. */
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
    if (e->type && !narrow_of(e->type))
        return "lint --fix inserts only Q/DQ pairs of type INT8, UINT8 or FP8";
    if (e->type && narrow_of(e->type) == FSD_ONNX_FLOAT8E4M3FN &&
        fsd_graph_opset(g) < 19)
        return "the model's opset is below 19, so quantizers do not support FP8";
    if (f->set[in.at + e->input])
        return "another edit changes this input";
    type = fsd_port_form(g, &g->ports.at[in.at + e->input])->type;
    if (type == FSD_FP32 || type == FSD_DTYPE_UNKNOWN)
        return NULL;
    return !fsd_fix_is_scale(type) ? "the tensor is not FP32, FP16 or BF16"
           : fsd_graph_opset(g) >= 19
               ? NULL
               : "the model's opset is below 19, so quantizers support only FP32";
}

static const char *refuse_remove(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, e->node);
    fsd_id out = q && q->quantizes ? fsd_node_out_tensor(l->g, e->node, 0) : FSD_NONE;
    uint32_t pairs = 0;

    if (out == FSD_NONE)
        return "the node is not a QuantizeLinear";
    for (uint32_t i = 0; i < l->g->tensors.at[out].consumers.n; i++) {
        fsd_id dq = fsd_fix_dq_at(l, out, i);

        if (dq != FSD_NONE && !fsd_onnx_can_edit(l->g, dq))
            return "a DequantizeLinear that reads the quantizer is in a model-local "
                   "function";
        pairs += dq != FSD_NONE;
    }
    return pairs ? NULL : "no DequantizeLinear reads the quantizer";
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

/* Marks the nodes and inputs that the edit changes, so that no other edit changes
 * them. */
static void take_hold(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_lint *l = f->lint;
    struct fsd_span in = l->g->nodes.at[reader_of(e)].in;
    fsd_id out = fsd_node_out_tensor(l->g, e->node, 0);

    if (deed_of(e)->sets == SETS_INPUTS)
        memset(f->set + in.at, true, in.n * sizeof *f->set);
    else if (deed_of(e)->sets == SETS_INPUT)
        f->set[in.at + e->input] = true;
    if (e->action == FSD_SCALE_FIRST)
        f->removed[e->to] = true;
    if (!deed_of(e)->removes)
        return;
    f->removed[e->node] = true;
    for (uint32_t i = 0; i < l->g->tensors.at[out].consumers.n; i++)
        fsd_set_at(f->removed, fsd_fix_dq_at(l, out, i));
}

static const char *refuse(struct fsd_fixes *f, const struct fsd_edit *e)
{
    return !fsd_onnx_can_edit(f->lint->g, e->node)
               ? "the node is in the body of a model-local function"
           : f->removed[e->node] ? "another edit removes the node"
                                 : deed_of(e)->refuse(f, e);
}

static void choose(struct fsd_fixes *f, uint32_t i, const struct fsd_fix_options *opt)
{
    struct fsd_fix *fix = &f->list.at[i];
    const char *barred = f->barred[i];

    fix->to_calibrate = fix->given = false;
    fix->scale = 0;
    fix->why = barred           ? barred
               : fix->withdrawn ? "the engine shows that this edit saves nothing"
               : fix->edit->on_request && !opt->n_what
                   ? "lint applies this edit only if you name its rule: --fix=RULE"
                   : refuse(f, fix->edit);
    if (!fix->why && deed_of(fix->edit)->scaled)
        choose_scale(fix, opt);
}

/* Whether the word, from --fix, names the finding or its rule. */
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

enum fsd_status fsd_fixes_check_words(const struct fsd_findings *found,
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

/* Refuses a given scale that no edit uses: the name of its tensor is probably
 * misspelt. */
enum fsd_status fsd_fixes_check_scales(const struct fsd_fixes *f,
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
            used |= deed_of(f->list.at[k].edit)->scaled &&
                    !(f->list.at[k].edit->scale > 0) &&
                    strlen(f->list.at[k].edit->tensor) == (size_t)(equals - word) &&
                    !strncmp(f->list.at[k].edit->tensor, word, (size_t)(equals - word));
        if (!used)
            return fsd_fail(
                err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                "expected a tensor for which an edit needs a scale, found '%.*s'",
                (int)(equals - word), word);
    }
    return FSD_OK;
}

void fsd_fixes_list(struct fsd_fixes *f, const struct fsd_findings *found,
                    const struct fsd_fix_options *opt)
{
    for (uint32_t i = 0; i < found->list.n; i++) {
        const struct fsd_finding *finding = &found->list.at[i];

        for (uint32_t k = 0; k < finding->edits.n && is_wanted(found, finding, opt);
             k++)
            fsd_vec_push(
                f->arena, &f->list,
                ((struct fsd_fix){.edit = &found->edits.at[finding->edits.at + k],
                                  .rule = found->rules.at[finding->rule].rule->id,
                                  .finding = i,
                                  .withdrawn = finding->proof &&
                                               !strcmp(finding->proof, "withdrawn")}));
    }
    f->barred = FSD_NEW(f->arena, const char *, f->list.n + 1);
}

/* Decides on the edit `first` and on the edits after it that belong to the same
 * finding. These edits only help together, so either all of them apply or none.
 * @return the index of the first edit after the edits of the finding */
static uint32_t choose_together(struct fsd_fixes *f, uint32_t first,
                                const struct fsd_fix_options *opt)
{
    uint32_t end = first;
    bool all = true;

    for (; end < f->list.n && f->list.at[end].edit->together &&
           f->list.at[end].finding == f->list.at[first].finding;
         end++) {
        choose(f, end, opt);
        all &= !f->list.at[end].why;
    }
    for (uint32_t i = first; i < end; i++)
        if (all)
            take_hold(f, f->list.at[i].edit);
        else if (!f->list.at[i].why)
            f->list.at[i].why =
                "this edit helps only together with another edit, and that edit does "
                "not apply";
    return end;
}

/* Decides on removals first, because insertions depend on the removals. */
void fsd_fixes_choose(struct fsd_fixes *f, const struct fsd_fix_options *opt)
{
    f->removed = FSD_NEW(f->arena, bool, f->lint->g->nodes.n + 1);
    f->set = FSD_NEW(f->arena, bool, f->lint->g->ports.n + 1);
    for (uint32_t i = 0; i < f->list.n;)
        i = f->list.at[i].edit->together ? choose_together(f, i, opt) : i + 1;
    for (int first = 1; first >= 0; first--)
        for (uint32_t i = 0; i < f->list.n; i++) {
            const struct fsd_fix *fix = &f->list.at[i];

            if (deed_of(fix->edit)->removes != first || fix->edit->together)
                continue;
            choose(f, i, opt);
            if (!fix->why)
                take_hold(f, fix->edit);
        }
}

/* ----------------------------------------------------------------------- applying */

static void remove_pair(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_lint *l = a->f->lint;
    fsd_id quantizer = fix->edit->node;
    fsd_id out = fsd_node_out_tensor(l->g, quantizer, 0),
           data = fsd_lint_quantizer(l, quantizer)->data;
    bool needed = fsd_fix_is_output(a, out);

    for (uint32_t i = 0; i < a->g->tensors.at[out].consumers.n; i++) {
        fsd_id dq = fsd_fix_dq_at(l, out, i);

        if (dq == FSD_NONE) {
            needed = true;
            continue;
        }
        a->instead[fsd_node_out_tensor(l->g, dq, 0)] = data;
        fsd_fix_drop_node(a, dq);
    }
    if (!needed)
        fsd_fix_drop_node(a, quantizer);
}

/* Inserts an Identity for each graph output whose producer is removed. The Identity
 * produces the output under its old name. */
static void keep_outputs(struct fsd_apply *a)
{
    for (fsd_id i = 0; i < a->g->tensors.n; i++) {
        fsd_id producer = a->instead[i] == i ? FSD_NONE : fsd_tensor_producer(a->g, i);
        const char *name = fsd_text(a->g->names, a->g->tensors.at[i].name);

        if (producer != FSD_NONE && fsd_fix_is_output(a, i))
            fsd_onnx_insert_node(a->edits, producer,
                                 &(struct fsd_onnx_new_node){
                                     .op = "Identity",
                                     .name = fsd_onnx_new_name(a->edits, "lint_output"),
                                     .inputs = {fsd_fix_name_of(a, a->instead[i])},
                                     .output = name});
    }
}

/* If the producer of a tensor was removed, makes the consumers read the tensor's
 * replacement. */
static void rename_reads(struct fsd_apply *a)
{
    for (fsd_id i = 0; i < a->g->nodes.n; i++) {
        struct fsd_span in = a->g->nodes.at[i].in;

        for (uint32_t k = 0; k < in.n && !a->f->removed[i]; k++) {
            fsd_id tensor = a->g->ports.at[in.at + k].tensor;

            if (tensor != FSD_NONE && a->instead[tensor] != tensor &&
                !a->f->set[in.at + k] && fsd_onnx_can_edit(a->g, i))
                fsd_fix_set_input(a, i, k, fsd_fix_name_of(a, tensor));
        }
    }
}

/* A QuantizeLinear of a removed pair stays if other nodes read its output. If the input
 * of the QuantizeLinear was replaced, makes it read the replacement. */
static void rename_kept(struct fsd_apply *a)
{
    for (fsd_id i = 0; i < a->g->nodes.n; i++) {
        const struct fsd_quantizer *q =
            a->f->removed[i] ? fsd_lint_quantizer(a->f->lint, i) : NULL;

        if (q && q->quantizes && a->instead[q->data] != q->data)
            fsd_fix_set_input(a, i, 0, fsd_fix_name_of(a, q->data));
    }
}

static void insert_pair(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    fsd_id node = reader_of(e);
    const char *base =
        fsd_printed(a->f->arena, "%s_lint_%u_%u", e->tensor, node, e->input);
    fsd_id data = fsd_node_in_tensor(a->g, node, e->input);
    const char *scale =
        fsd_fix_add_scale(a, base, fix->scale, fsd_tensor_form(a->g, data)->type);
    const char *zero =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_zero", base));
    const char *q = fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_q", base));
    const char *dq =
        fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_dq", base));

    fsd_onnx_add_tensor(a->edits, zero, e->type ? narrow_of(e->type) : FSD_ONNX_INT8,
                        "", 1);
    fsd_onnx_insert_node(
        a->edits, node,
        &(struct fsd_onnx_new_node){.op = "QuantizeLinear",
                                    .name = q,
                                    .inputs = {fsd_fix_name_of(a, data), scale, zero},
                                    .output = q});
    fsd_onnx_insert_node(a->edits, node,
                         &(struct fsd_onnx_new_node){.op = "DequantizeLinear",
                                                     .name = dq,
                                                     .inputs = {q, scale, zero},
                                                     .output = dq});
    fsd_fix_set_input(a, node, e->input, dq);
}

static const struct deed deeds[] = {
    [FSD_INSERT_PAIR] = {refuse_insert, insert_pair, SETS_INPUT, .scaled = true},
    [FSD_REMOVE_PAIR] = {refuse_remove, NULL, SETS_NOTHING, true, .begin = remove_pair},
    [FSD_SET_SCALE] = {fsd_fix_refuse_scale, fsd_fix_set_scale, SETS_INPUT,
                       .scaled = true},
    [FSD_MOVE_PAIR] = {refuse_move, insert_pair, SETS_INPUT, true, true, remove_pair},
    [FSD_SCALE_FIRST] = {fsd_fix_refuse_first, fsd_fix_scale_first, SETS_NOTHING,
                         .begin = fsd_fix_drop_scale},
    [FSD_REPEAT_HEADS] = {fsd_fix_refuse_repeat, fsd_fix_repeat_heads, SETS_NOTHING},
    [FSD_PAD_INPUT] = {fsd_fix_refuse_pad, fsd_fix_pad_input, SETS_NOTHING},
    [FSD_SLICE_OUTPUT] = {fsd_fix_refuse_slice, fsd_fix_slice_output, SETS_NOTHING},
    [FSD_INSERT_CAST] = {fsd_fix_refuse_cast, fsd_fix_insert_casts, SETS_INPUTS,
                         .begin = fsd_fix_set_type},
    [FSD_MAKE_SYMMETRIC] = {fsd_fix_refuse_symmetric, fsd_fix_make_symmetric,
                            SETS_INPUT, .scaled = true},
    [FSD_SPREAD_SCALE] = {fsd_fix_refuse_spread, fsd_fix_spread_scale, SETS_INPUTS},
    [FSD_ADD_DIMENSION] = {fsd_fix_refuse_dimension, fsd_fix_add_dimension,
                           SETS_INPUTS},
    [FSD_STORE_CONSTANT] = {fsd_fix_refuse_store, fsd_fix_store, SETS_INPUTS},
    [FSD_UNMARK_OUTPUT] = {fsd_fix_refuse_unmark, fsd_fix_unmark_output, SETS_NOTHING},
};
_Static_assert(FSD_COUNT_OF(deeds) == FSD__ACTION_COUNT, "a row each");

static const struct deed *deed_of(const struct fsd_edit *e)
{
    return &deeds[e->action];
}

/* ---------------------------------------------------------------- what is left over */

/* Indexed by tensor: the number of remaining consumers. */
static uint32_t *count_reads(const struct fsd_apply *a)
{
    uint32_t *reads = FSD_NEW(a->f->arena, uint32_t, a->g->tensors.n + 1);

    for (fsd_id i = 0; i < a->g->nodes.n; i++) {
        struct fsd_span in = a->g->nodes.at[i].in;

        for (uint32_t p = in.at; p < in.at + in.n && !a->dropped[i]; p++)
            if (a->g->ports.at[p].tensor != FSD_NONE && !a->rewired[p])
                reads[a->g->ports.at[p].tensor]++;
    }
    return reads;
}

/* Whether the tensor is a constant of the main graph that only removed nodes read. */
static bool is_left_over(const struct fsd_apply *a, const uint32_t *reads,
                         fsd_id tensor)
{
    const struct fsd_tensor *t = &a->g->tensors.at[tensor];

    return t->consumers.n && !reads[tensor] && !a->kept[tensor] && !t->scope &&
           !fsd_fix_is_output(a, tensor) && a->f->lint->facts->constant[tensor];
}

static void drop_maker(struct fsd_apply *a, uint32_t *reads, fsd_id tensor)
{
    fsd_id maker = fsd_tensor_producer(a->g, tensor);
    struct fsd_span in = a->g->nodes.at[maker].in;

    if (a->dropped[maker] || a->g->nodes.at[maker].out.n != 1 ||
        !fsd_onnx_can_edit(a->g, maker))
        return;
    fsd_fix_drop_node(a, maker);
    for (uint32_t p = in.at; p < in.at + in.n; p++)
        if (a->g->ports.at[p].tensor != FSD_NONE && !a->rewired[p])
            reads[a->g->ports.at[p].tensor]--;
}

/* Removes scales and zero points that no node reads any more: initializers, and nodes
 * that produce constants. The loop runs backwards: it removes the consumers of a tensor
 * before it reaches the tensor. */
static void drop_left_over(struct fsd_apply *a)
{
    uint32_t *reads = count_reads(a);

    for (fsd_id i = a->g->tensors.n; i-- > 0;)
        if (is_left_over(a, reads, i)) {
            if (fsd_tensor_producer(a->g, i) != FSD_NONE)
                drop_maker(a, reads, i);
            else
                fsd_onnx_drop_listed(
                    a->edits, FSD_ONNX_INITIALIZERS | FSD_ONNX_INPUTS | FSD_ONNX_VALUES,
                    a->g->tensors.at[i].name);
        }
}

struct fsd_onnx_edits *fsd_fixes_edits(struct fsd_fixes *f)
{
    const struct fsd_graph *g = f->lint->g;
    struct fsd_apply a = {.f = f,
                          .g = g,
                          .edits = fsd_onnx_edits_new(f->arena, g),
                          .instead = FSD_NEW(f->arena, fsd_id, g->tensors.n + 1),
                          .dropped = FSD_NEW(f->arena, bool, g->nodes.n + 1),
                          .rewired = FSD_NEW(f->arena, bool, g->ports.n + 1),
                          .kept = FSD_NEW(f->arena, bool, g->tensors.n + 1),
                          .cast_to = FSD_NEW(f->arena, uint8_t, g->nodes.n + 1),
                          .typed = FSD_NEW(f->arena, const char *, g->tensors.n + 1),
                          .cast =
                              FSD_NEW(f->arena, struct fsd_fix_cast, g->tensors.n + 1),
                          .reads = FSD_NEW(f->arena, const char *, g->ports.n + 1),
                          .sliced = FSD_NEW(f->arena, bool, g->tensors.n + 1)};

    for (fsd_id i = 0; i < g->tensors.n; i++)
        a.instead[i] = i;
    for (uint32_t i = 0; i < f->list.n; i++)
        if (!f->list.at[i].why && deed_of(f->list.at[i].edit)->begin)
            deed_of(f->list.at[i].edit)->begin(&a, &f->list.at[i]);
    keep_outputs(&a);
    rename_reads(&a);
    rename_kept(&a);
    for (int action = 0; action < FSD__ACTION_COUNT; action++)
        FSD_EACH (const struct fsd_fix, fix, f->list)
            if (!fix->why && (int)fix->edit->action == action && deeds[action].make)
                deeds[action].make(&a, fix);
    drop_left_over(&a);
    return a.edits;
}
