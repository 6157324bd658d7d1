/*
 * Rules on short constants that changed since a snapshot: scales, zero points, limits,
 * factors. If only values changed, the reason is a calibration or training, and the
 * finding is a note. If quantizers had equal scales and now have different ones, a
 * calibration is not the reason, and data between the quantizers is quantized again.
 */
#include "base/base.h"
#include "judge/findings/finder.h"

enum { VALUES_NAMED = 3 };

void fsd_find_values(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    uint32_t n = 0;

    FSD_EACH (const struct fsd_node_edit, edit, c->edits) {
        if (edit->what != FSD_EDIT_VALUE)
            continue;
        if (!n++)
            fsd_finding_open(f);
        fsd_about_state_node(f, c->new, edit->new);
        if (n > VALUES_NAMED)
            continue;
        fprintf(f->out, "%s`%s`", n > 1 ? "; " : "",
                fsd_state_node_key(c->new, edit->new));
        fsd_put_node_edit(edit, false, f->out);
    }
    if (!n)
        return;
    if (n > VALUES_NAMED)
        fprintf(f->out, "; and %u more", n - VALUES_NAMED);
    f->count = n;
    fsd_finding_close(f);
}

/* The scale of a quantizer; empty if the node is no quantizer, or if its scale is not a
 * short constant. */
static struct fsd_slice scale_of(const struct fsd_state *s, fsd_id node)
{
    struct fsd_state_word scale;
    const char *values = fsd_text(s->names, s->nodes.at[node].values);

    return fsd_state_find_word(values, fsd_slice_of("scale"), &scale)
               ? scale.value
               : (struct fsd_slice){NULL, 0};
}

/* The scale that a node of the new model had in the old model; empty if the node is
 * new, or if scale_of() returns an empty text. */
static struct fsd_slice old_scale_of(const struct fsd_compare *c, fsd_id node)
{
    fsd_id old = c->align->to_old[node];

    return old == FSD_NONE ? (struct fsd_slice){NULL, 0} : scale_of(c->old, old);
}

static void put_scale(struct fsd_finder *f, fsd_id node)
{
    const struct fsd_state *s = f->c->new;
    struct fsd_slice scale = scale_of(s, node);

    fsd_about_state_node(f, s, node);
    fprintf(f->out, " `%s` has the scale %.*s", fsd_state_node_key(s, node),
            (int)scale.n, scale.s);
}

static void report_unequal(struct fsd_finder *f, fsd_id reader, fsd_id one,
                           fsd_id other)
{
    const struct fsd_state *s = f->c->new;

    fsd_finding_open(f);
    fsd_about_state_node(f, s, reader);
    fprintf(f->out, "on the path to `%s`,", fsd_state_node_key(s, reader));
    put_scale(f, one);
    fputs(" and", f->out);
    put_scale(f, other);
    fputs("; previously both had the same scale", f->out);
    f->now.line = fsd_state_line(f->c->old, f->c->align->to_old[one]);
    fsd_finding_close(f);
}

/* Reports a node if two of its inputs have different scales that were equal before. */
static void judge_inputs(struct fsd_finder *f, fsd_id reader)
{
    const struct fsd_state *s = f->c->new;
    struct fsd_span in = s->nodes.at[reader].in;
    fsd_id first = FSD_NONE;

    for (uint32_t i = 0; i < in.n; i++) {
        fsd_id node = fsd_origin_node(s->sources.at[in.at + i].at);
        struct fsd_slice scale, before;

        if (node == FSD_NONE)
            continue;
        scale = scale_of(s, node);
        before = old_scale_of(f->c, node);
        if (!scale.n || !before.n)
            continue;
        if (first == FSD_NONE) {
            first = node;
        } else if (fsd_slice_equal(before, old_scale_of(f->c, first)) &&
                   !fsd_slice_equal(scale, scale_of(s, first))) {
            report_unequal(f, reader, first, node);
            return;
        }
    }
}

/* Reports a DequantizeLinear whose scale differs from that of its QuantizeLinear, if
 * the two were equal before. */
static void judge_pair(struct fsd_finder *f, fsd_id dq)
{
    const struct fsd_state *s = f->c->new;
    struct fsd_span in = s->nodes.at[dq].in;
    fsd_id q = in.n ? fsd_origin_node(s->sources.at[in.at].at) : FSD_NONE;
    struct fsd_slice a, b, before;

    if (q == FSD_NONE)
        return;
    a = scale_of(s, q);
    b = scale_of(s, dq);
    before = old_scale_of(f->c, q);
    if (a.n && b.n && before.n && fsd_slice_equal(before, old_scale_of(f->c, dq)) &&
        !fsd_slice_equal(a, b))
        report_unequal(f, dq, q, dq);
}

static void report_zero(struct fsd_finder *f, fsd_id node)
{
    fsd_finding_open(f);
    fsd_about_state_node(f, f->c->new, node);
    fprintf(f->out, "the scale of `%s` is 0", fsd_state_node_key(f->c->new, node));
    f->now.line = fsd_state_line(f->c->old, f->c->align->to_old[node]);
    fsd_finding_close(f);
}

void fsd_find_unequal_scales(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool *changed = FSD_NEW(f->scratch, bool, c->new->nodes.n);

    FSD_EACH (const struct fsd_node_edit, edit, c->edits) {
        if (edit->what != FSD_EDIT_VALUE || strcmp(edit->of, "scale") != 0)
            continue;
        changed[edit->new] = true;
        if (!strcmp(edit->now, "0"))
            report_zero(f, edit->new);
    }
    for (fsd_id node = 0; node < c->new->nodes.n; node++) {
        struct fsd_span in = c->new->nodes.at[node].in;
        bool next = changed[node];

        for (uint32_t i = 0; i < in.n; i++) {
            fsd_id at = fsd_origin_node(c->new->sources.at[in.at + i].at);

            next |= at != FSD_NONE && changed[at];
        }
        if (!next || c->align->to_old[node] == FSD_NONE)
            continue;
        if (scale_of(c->new, node).n)
            judge_pair(f, node);
        else
            judge_inputs(f, node);
    }
}
