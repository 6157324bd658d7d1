/* Prints external numbers (--values): the compared tensors, the layers where an error
 * enters, the suspected causes and the growth of the error, the first values that are
 * not finite, and the tensors without numbers. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/text/text.h"
#include "explain/values/values.h"

enum { SHOWN_NAMES = 4, SHOWN_STEPS = 10, SHOWN_ENTRIES = 4, INDENT = 9 };

static void put_row_name(const struct fsd_diff *d, uint32_t row, FILE *out)
{
    char room[FSD_BRIEF_ROOM];

    fsd_printf_safe(out, "'%s'",
                    fsd_brief(fsd_text(d->names, d->numbers->rows.at[row].name), room));
}

static const char measured_text[] =
    "<{*}values   {/}{rows|row|rows} of {path}< ({runner})>: {shown_columns}"
    "< and {more_columns!} more>\n>"
    "<{*}values   {/}{rows|tensor|tensors} of {path}< ({runner})>, {not_finite} with "
    "NaN or Inf; there is no reference to compare with\n>"
    "<{*}values   {/}{rows|tensor|tensors} of {path}< ({runner})> against {reference}"
    "< ({reference_runner})>:\n         {over} with an l2_rel above the limit of "
    "{limit_text}<{has_nan} or with new NaN or Inf>\n>";

static const char unknown_text[] =
    "<{*}unknown  {/}{n_unmeasured!|tensor|tensors} not compared; '{example}': {why}\n>"
    "<{*}unknown  {/}{unpaired}{only_reference|tensor|tensors} in the reference only, "
    "{only_tested} in the other file only\n>"
    "<{*}unknown  {/}{n_names!|name is|names are} neither in the model nor in the "
    "engine: {names}< and {more_names!} more>\n>";

/* ------------------------------------------------------------ where an error enters */

/* "layer 5 or 6", "layers 5, 6, 7 and 3 more" */
static void put_layers(const struct fsd_values *v, struct fsd_span layers, FILE *out)
{
    fprintf(out, "layer%s", fsd_plural(layers.n));
    for (uint32_t i = 0; i < layers.n && i < SHOWN_NAMES; i++)
        fprintf(out, "%s %u",
                !i                  ? ""
                : i + 1 == layers.n ? " or"
                                    : ",",
                v->pool.at[layers.at + i]);
    if (layers.n > SHOWN_NAMES)
        fprintf(out, " and %u more", layers.n - SHOWN_NAMES);
}

static void put_node(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node *n = &d->model->nodes.at[node];

    fsd_put_node_name(d, node, out);
    if (n->name)
        fprintf(out, " (%s)", fsd_text(d->names, n->op));
}

static void put_behind(const struct fsd_diff *d, const struct fsd_entry *e, FILE *out)
{
    const struct fsd_values *v = d->values;
    uint32_t n = 0;

    if (!e->behind.n && !e->moved.n)
        return;
    fprintf(out, "%*sbehind ", INDENT, "");
    for (uint32_t i = 0; i < e->behind.n && n < SHOWN_NAMES; i++) {
        fputs(n++ ? ", " : "", out);
        put_node(d, v->pool.at[e->behind.at + i], out);
    }
    for (uint32_t i = 0; i < e->moved.n && n < SHOWN_NAMES; i++) {
        fsd_id layer = v->pool.at[e->moved.at + i];
        char change[FSD_FORMS_ROOM];

        fprintf(out, "%slayer %u (%s)", n++ ? ", " : "", layer,
                fsd_layer_forms(d, layer, change));
    }
    if (e->behind.n + e->moved.n > n)
        fprintf(out, " and %u more", e->behind.n + e->moved.n - n);
    putc('\n', out);
}

static void put_producer(const struct fsd_diff *d, const struct fsd_entry *e, FILE *out)
{
    if (e->node == FSD_NONE) {
        fputs(", an input of the network, so the two runs had different inputs\n", out);
        return;
    }
    fputs(", the output of ", out);
    put_node(d, e->node, out);
    if (e->layer != FSD_NONE) {
        fprintf(out, "\n%*sin layer %u, ", INDENT, "", e->layer);
        fsd_put_layer_name(d, e->layer, out);
        if (d->layers[e->layer].precision != FSD_DTYPE_UNKNOWN)
            fprintf(out, ", which runs in %s",
                    fsd_dtype_name(d->layers[e->layer].precision));
    }
    putc('\n', out);
}

static void put_entry(const struct fsd_diff *d, const struct fsd_entry *e,
                      const struct fsd_style *style, const char *title, FILE *out)
{
    fsd_ink_title(style, title, out);
    fputs("at ", out);
    put_row_name(d, e->row, out);
    put_producer(d, e, out);
    fprintf(out, "%*s", INDENT, "");
    fsd_put_row(d->numbers, e->row, FSD_MOST_COLUMNS, out);
    putc('\n', out);
    if (e->suspects.n > 1) {
        fprintf(out, "%*s%u node%s before this tensor %s not measured", INDENT, "",
                e->suspects.n - 1, fsd_plural(e->suspects.n - 1),
                e->suspects.n == 2 ? "was" : "were");
        if (e->layers.n) {
            fputs("; the error may come from ", out);
            put_layers(d->values, e->layers, out);
        }
        putc('\n', out);
    }
    put_behind(d, e, out);
}

/* Prints the places at which the error enters independently of other places
 * (`entries`), except the first. */
static void put_other_entries(const struct fsd_diff *d, FILE *out)
{
    const struct fsd_values *v = d->values;

    if (v->entries.n < 2)
        return;
    fprintf(out, "%*sthe error also enters independently at ", INDENT, "");
    for (uint32_t i = 1; i < v->entries.n && i <= SHOWN_ENTRIES; i++) {
        fputs(i > 1 ? ", " : "", out);
        put_row_name(d, v->entries.at[i].row, out);
    }
    if (v->entries.n > SHOWN_ENTRIES + 1)
        fprintf(out, " and %u more", v->entries.n - SHOWN_ENTRIES - 1);
    putc('\n', out);
}

/* -------------------------------------------------------------- how the error grows */

static double error_of(const struct fsd_diff *d, uint32_t step)
{
    return fsd_number_of(d->numbers, d->values->growth.at[step].row, FSD_ERROR_L2_REL);
}

/* Whether to print a step. The first and the last step are printed. Another step is
 * printed if its error is at least twice the error of `before`, the last printed step,
 * or at most half of that error. */
static bool is_step_shown(const struct fsd_diff *d, uint32_t step, uint32_t before)
{
    double now = error_of(d, step), then = error_of(d, before);

    return !step || step + 1 == d->values->growth.n || now >= 2 * then ||
           now <= then / 2;
}

static void put_growth(const struct fsd_diff *d, const struct fsd_style *style,
                       FILE *out)
{
    const struct fsd_values *v = d->values;
    uint32_t before = 0, shown = 0, most = style->all ? UINT32_MAX : SHOWN_STEPS;

    if (v->growth.n < 2)
        return;
    fsd_ink_title(style, "grows", out);
    fputs("relative L2 error along the network; where the network branches, the list "
          "follows the branch whose next measured tensor has the largest error\n",
          out);
    for (uint32_t i = 0; i < v->growth.n; i++) {
        bool last = i + 1 == v->growth.n;

        if (!is_step_shown(d, i, before) || (shown + 1 >= most && !last))
            continue;
        fprintf(out, "%*s%9.3g  ", INDENT, "", error_of(d, i));
        put_row_name(d, v->growth.at[i].row, out);
        if (v->growth.at[i].layer != FSD_NONE)
            fprintf(out, "  layer %u", v->growth.at[i].layer);
        putc('\n', out);
        before = i;
        shown++;
    }
}

void fsd_text_values(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    const struct fsd_values *v = d->values;
    FSD_SCRATCH(scratch);
    const void *values = fsd_values_held(scratch, d);

    if (!v)
        return;
    fsd_record_put_text(&fsd_values_record, values, measured_text, style, out);
    if (v->numbers->of == FSD_NUMBERS_OF_ERRORS && v->entries.n) {
        put_entry(d, &v->entries.at[0], style, "enters", out);
        put_other_entries(d, out);
        put_growth(d, style, out);
    }
    if (v->has_nan && (v->numbers->of == FSD_NUMBERS_OF_TENSORS ||
                       v->nan.row != v->entries.at[0].row))
        put_entry(d, &v->nan, style, "NaN, Inf", out);
    fsd_record_put_text(&fsd_values_record, values, unknown_text, style, out);
}
