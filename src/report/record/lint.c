/* The JSON of lint: the findings, in the same form as in a report, and the edits that a
 * script can apply to the model. tests/golden/schemas.py generates
 * include/fusiondiff/lint.schema.json from these records. */
#include "model/graph/graph.h"
#include "report/record/records.h"

/* clang-format off */
#define EDIT(has, set, when, t) \
    set(t, COUNT,  finding, i, FSD_ALWAYS, .about = "index of the edit's " \
            "finding in findings") \
    set(t, TEXT,   rule, all->rules.at[f->rule].rule->id, FSD_ALWAYS) \
    set(t, TEXT,   action, fsd_action_name(e->action), FSD_ALWAYS, \
        .word = fsd_action_name, .n_words = FSD__ACTION_COUNT) \
    set(t, NAME,   tensor, e->tensor, FSD_ALWAYS, \
        .about = "the tensor that the edit quantizes or casts") \
    set(t, COUNT,  node, e->node, FSD_ALWAYS, \
        .about = "the node at which the edit is made, by action. insert-pair, " \
                 "repeat-heads, pad-input: the node that reads the tensor. " \
                 "insert-cast: the node that will compute in `type`, between two " \
                 "Casts. spread-scale: the weight quantizer whose scale is repeated " \
                 "along axis 0. add-dimension: the node whose scalar input gets the " \
                 "dimensions [1]. store-constant: the node whose constant input gets " \
                 "a different type. scale-first: the product whose first input is " \
                 "scaled. slice-output, unmark-output: the node that writes the " \
                 "output. Other actions: the QuantizeLinear or DequantizeLinear") \
    set(t, NAME,   node_name, e->name, FSD_ALWAYS) \
    set(t, COUNT,  input, e->input, FSD_ALWAYS, \
        .about = "number of the node's input; for move-pair, number of the input of " \
                 "`to`") \
    when(t, COUNT,  to, e->to_name, e->to, NULL, \
        .about = "move-pair: the node that reads the pair after the edit. " \
                 "scale-first: the node that scales the product and that the edit " \
                 "removes") \
    when(t, NAME,   to_name, e->to_name, e->to_name, NULL) \
    set(t, NAME,   scale_of, e->like, NULL, \
        .about = "the quantizer whose scale the edit uses; absent if the scale " \
                 "must be calibrated") \
    set(t, NAME,   scale_tensor, e->scale_tensor, NULL) \
    when(t, NUMBER, scale, e->scale > 0, e->scale, NULL, \
        .about = "the scale, if it is a single known number") \
    set(t, TEXT,   type, e->type, NULL, \
        .about = "make-symmetric: the quantizer's new type, with zero point 0. " \
                 "store-constant: int8 with zero point 0, or the floating-point type " \
                 "of the node's output. Other actions: the type of the pair or Cast") \
    when(t, COUNT,  axis, e->size, e->axis, NULL, \
        .about = "the axis whose size changes: 0 is the last axis, 1 the axis before " \
                 "it") \
    when(t, COUNT,  size, e->size, (uint64_t)e->size, NULL, \
        .about = "the new size of this axis") \
    set(t, FLAG,   on_request, e->on_request, NULL, .if_true = true, \
        .about = "the edit costs time or changes types" \
                 FSD_IF_EDIT(": --fix applies the edit only if its rule is named " \
                             "(--fix=RULE)", "")) \
    set(t, FLAG,   together, e->together, NULL, .if_true = true, \
        .about = "the edit is applied together with all others of its finding, or " \
                 "not at all") \
    set(t, TEXT,   effect, e->effect, FSD_ALWAYS, \
        .about = "how the edit changes the computed values")
FSD_RECORD(edit, EDIT)

#define STYLE(has, set, when, t) \
    set(t, TEXT,  name, seen->name, NULL, .about = "name of the exporter", \
        .says = "<{name} (by {known_by})><{no_name}>") \
    set(t, TEXT,  known_by, seen->name ? seen->sign : NULL, NULL) \
    when(t, TEXT, no_name, !seen->name, \
        lint->quantizers.n ? "unknown exporter" : "nothing is quantized", FSD_ASIDE) \
    set(t, COUNT, quantizers, seen->quantizers, FSD_ALWAYS, \
        .says = "<, {quantizers!|quantizer|quantizers} of activations " \
                "({before_narrow|feeds|feed} only a low-precision operator, " \
                "{behind_operators|quantizes|quantize} the output of an operator)>", \
        .about = "number of quantizers of activations") \
    set(t, COUNT, before_narrow, seen->before, FSD_ALWAYS, \
        .about = "number of quantizers of activations that only a low-precision " \
                 "operator reads") \
    set(t, COUNT, behind_operators, seen->after, FSD_ALWAYS)
FSD_RECORD_FROM(style, STYLE, const struct fsd_lint *lint = from;
    const struct fsd_style_seen *seen = &lint->style)

#define ASKED_RULE(has, set, when, t) \
    set(t, TEXT,  rule, o->rule->id, FSD_ALWAYS) \
    set(t, TEXT,  level, fsd_level_name(o->level), FSD_ALWAYS, \
        .word = fsd_level_word, .n_words = FSD_LEVEL_WORDS) \
    set(t, TEXT,  skipped, o->skipped, NULL) \
    set(t, COUNT, findings, o->found, FSD_ALWAYS) \
    set(t, COUNT, ignored, o->ignored, FSD_ALWAYS)
FSD_RECORD_FROM(asked_rule, ASKED_RULE, const struct fsd_findings *all = from;
    const struct fsd_outcome *o = &all->rules.at[i])

#define LINT(has, set, when, t) \
    set(t, RECORD, tool, fsd_tool(arena), NULL, .of = &fsd_tool_record, \
        .always = true) \
    set(t, NAME,   model, run->model->path, FSD_ALWAYS) \
    when(t, NAME,   engine, run->engine->nodes.n, run->engine->path, NULL) \
    set(t, TEXT,   builder, lint->target.name, NULL, .key = "for", .always = true, \
        .about = "the target builder, e.g. rtx-1.7:sm89") \
    set(t, TEXT,   verdict, v->verdict, FSD_ALWAYS, .about = "passed or failed") \
    set(t, RECORD, style, FSD_HELD(arena, style, lint, 0), FSD_ALWAYS, \
        .of = &style_record) \
    set(t, TALLY,  summary, fsd_tally(arena, all->by_severity, FSD__SEVERITY_COUNT, \
        0, fsd_severity_name), FSD_ALWAYS) \
    set(t, ROWS,   rules, FSD_LATER(arena, asked_rule, all->rules.n, all), FSD_ALWAYS, \
        .of = &asked_rule_record) \
    set(t, ROWS,   findings, fsd_rows_later(arena, &fsd_finding_record, all->list.n, \
        fsd_fill_finding, all), FSD_ALWAYS, .of = &fsd_finding_record, \
        .about = "findings, as in a report") \
    set(t, ROWS,   edits, edits_of(arena, all), NULL, .of = &edit_record, \
        .always = true, .about = "the proposed changes of the model, for a script")
FSD_RECORD(lint, LINT)
/* clang-format on */

static const struct fsd_rows *edits_of(struct fsd_arena *arena,
                                       const struct fsd_findings *all)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &edit_record, "");

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_finding *f = &all->list.at[i];

        FSD_EACH_IN (const struct fsd_edit, e, all->edits, f->edits)
            FSD_ADD(rows, edit, EDIT);
    }
    return rows;
}

void fsd_document_of_lint(struct fsd_sheet *sheet, const struct fsd_diff *run,
                          const struct fsd_lint *lint, const struct fsd_verdict *v)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_findings *all = v->findings;
    struct lint *row =
        fsd_sheet_begin(sheet, "fusiondiff-lint/1", &lint_record, NULL, "");

    FSD_FILL(row, LINT);
}
