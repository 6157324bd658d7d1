/* Lists the nodes that no layer computes, by their outcome. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/text/text.h"
#include "report/phrase/phrase.h"

enum { SHOWN = 12, NAMED = 6, ALIKE = 3, REASONS = 32 };

static void put_ops(const struct fsd_diff *d, enum fsd_fate fate, FILE *out)
{
    FSD_SCRATCH(scratch);
    struct fsd_words ops = fsd_ops_of_fate(scratch, d, fate);

    for (uint32_t i = 0; i < ops.n; i++)
        fsd_printf_safe(out, "%s%s %u", i ? ", " : ": ", ops.at[i], ops.counts[i]);
    putc('\n', out);
}

/* Whether the node has the outcome `fate`, and can share a line with nodes that have
 * the same reason (`why`): its result `r` names no other node and no log event. */
static bool is_plain(const struct fsd_node_result *r, enum fsd_fate fate)
{
    return r->fate == fate && r->other == FSD_NONE && r->event == FSD_NONE;
}

/* Prints one line for all plain nodes (see is_plain()) with the outcome and the reason
 * of node `first`: "view_1, ... and 33 more (--all shows them)  it changes only the
 * shape".
 * @return the number of these nodes, including those that are not named */
static uint32_t put_same_reason(const struct fsd_diff *d, const struct fsd_style *style,
                                fsd_id first, FILE *out)
{
    const struct fsd_node_result *like = &d->nodes[first];
    uint32_t n = 0;

    for (fsd_id i = first; i < d->model->nodes.n; i++) {
        const struct fsd_node_result *r = &d->nodes[i];

        if (!is_plain(r, like->fate) || strcmp(r->why, like->why) != 0)
            continue;
        if (n++ < NAMED) {
            fputs(n > 1 ? ", " : "    ", out);
            fsd_put_node(d, i, out);
        }
    }
    if (n > NAMED)
        fprintf(out, " and %u more (--all shows them)", n - NAMED);
    fsd_ink(style, FSD_INK_FAINT, out);
    fprintf(out, "  %s", like->why);
    fsd_ink(style, FSD_INK_PLAIN, out);
    putc('\n', out);
    return n;
}

/* The reason for the outcome of `n` nodes. Reasons are string literals, so there are
 * only a few. */
struct reason {
    const char *why;
    uint32_t n;
    fsd_id first;
};

struct reasons {
    struct reason at[REASONS];
    uint32_t n;
};

static struct reason *reason_of(struct reasons *all, const struct fsd_node_result *r)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (!strcmp(all->at[i].why, r->why))
            return &all->at[i];
    return NULL;
}

static void collect(const struct fsd_diff *d, enum fsd_fate fate, struct reasons *out)
{
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        const struct fsd_node_result *r = &d->nodes[i];
        struct reason *reason;

        if (!is_plain(r, fate))
            continue;
        reason = reason_of(out, r);
        if (!reason && out->n < REASONS) {
            reason = &out->at[out->n++];
            *reason = (struct reason){r->why, 0, i};
        }
        if (reason)
            reason->n++;
    }
}

static void put_vanished(const struct fsd_diff *d, const struct fsd_style *style,
                         enum fsd_fate fate, FILE *out)
{
    uint32_t shown = 0, listed = 0, total = d->summary->by_fate[fate];
    uint32_t most = style->all ? total : SHOWN;
    struct reasons reasons = {.n = 0};

    collect(d, fate, &reasons);
    for (fsd_id i = 0; i < d->model->nodes.n && shown < most; i++) {
        const struct fsd_node_result *r = &d->nodes[i];

        const struct reason *reason =
            is_plain(r, fate) && !style->all ? reason_of(&reasons, r) : NULL;

        if (r->fate != fate)
            continue;
        if (reason && reason->n >= ALIKE) {
            listed += reason->first == i ? put_same_reason(d, style, i, out) : 0;
            continue;
        }
        shown++;
        fputs("    ", out);
        fsd_put_node(d, i, out);
        fsd_ink(style, FSD_INK_FAINT, out);
        if (*r->why)
            fprintf(out, "  %s", r->why);
        if (r->other != FSD_NONE) {
            fputs(": ", out);
            fsd_put_node(d, r->other, out);
        }
        if (r->near_layer != FSD_NONE)
            fprintf(out, " (at layer %u)", r->near_layer);
        if (r->event != FSD_NONE) {
            fputs("; ", out);
            fsd_put_safely(d, r->event, fsd_put_said, out);
        }
        fsd_ink(style, FSD_INK_PLAIN, out);
        putc('\n', out);
    }
    if (shown + listed < total)
        fprintf(out, "    and %u more (--all shows them)\n", total - shown - listed);
}

void fsd_text_vanished(const struct fsd_diff *d, const struct fsd_style *style,
                       FILE *out)
{
    bool first = true;

    for (int i = FSD_FATE_LAYER + 1; i < FSD__FATE_COUNT; i++) {
        enum fsd_fate fate = (enum fsd_fate)i;

        if (!d->summary->by_fate[i])
            continue;
        if (first)
            putc('\n', out);
        first = false;
        fsd_ink(style, fate == FSD_FATE_UNEXPLAINED ? FSD_INK_ALARM : FSD_INK_VANISHED,
                out);
        fprintf(out, "- %u %s", d->summary->by_fate[i], fsd_fate_name(fate));
        fsd_ink(style, FSD_INK_PLAIN, out);
        put_ops(d, fate, out);
        /* Folded and absorbed nodes are numerous, and have the same few reasons.
         * Without --all, only their number and their operators are therefore printed.
         * Nodes with other outcomes are named. */
        if (style->all || (fate != FSD_FATE_FOLDED && fate != FSD_FATE_ABSORBED))
            put_vanished(d, style, fate, out);
    }
}
