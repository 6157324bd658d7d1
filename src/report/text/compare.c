/*
 * Prints a comparison as text: the two builds, counts, changes in time, then every
 * region that differs, worst first.
 */
#include "base/base.h"
#include "report/text/alike.h"
#include "report/phrase/phrase.h"
#include "report/record/records.h"
#include "report/text/text.h"

#include <math.h>

enum { FEW = 6, FEW_NODES = 12, FEW_ALIKE = 3 };

/* ------------------------------------------------------------------------- head */

static const char sides_text[] = "old{old}new{new}{built}";

static const char counts_text[] =
    "nodes aligned     {summary.aligned} of {summary.old_nodes} computing nodes of the "
    "old model (the new model has {summary.new_nodes})<, by evidence: "
    "{summary.evidence!}><; {summary.rewritten!} not aligned, "
    "because the new model computes the same matrix product with different operators>\n"
    "regions      {summary.n_regions:6}<: {summary.regions!}>"
    "<, kernels not stated {summary.opaque_regions}>\n"
    "precision    {summary.n_precisions:6}<: {summary.precisions!}>"
    "<: {summary.no_precision}>"
    "<; the types of {summary.untyped!|region|regions} are not all stated>\n"
    "edges        {summary.n_edges:6}<: {summary.edges!}>"
    "<: {summary.no_edge}>\n"
    "other layers {summary.n_moves:6}<: {summary.moves!}>"
    "<: none changed{summary.no_move}>"
    "<; {summary.free_moves!|of these takes|of these take} no time>\n";

/* Prints the differences between the models. */
static void put_model(const struct fsd_compare *c, bool all, FILE *out)
{
    const char *title = "model        ";
    uint32_t n = 0;

    FSD_EACH (const struct fsd_difference, d, c->account.different) {
        if (d->aspect > FSD_ASPECT_CONSTANTS || (n++ >= FEW && !all))
            continue;
        fsd_printf_safe(out, "%s%s\n", title, d->what);
        title = "             ";
    }
    if (n > FEW && !all)
        fprintf(out, "%s%u more (--all)\n", title, n - FEW);
}

static void put_time_change(const char *title, double before, double after,
                            const char *of, FILE *out)
{
    fprintf(out, "%s%.4f -> %.4f ms, ", title, before, after);
    fsd_put_delta(before, after, out);
    if (before > 0)
        fprintf(out, " (%+.1f %%)", 100 * (after - before) / before);
    fprintf(out, ", %s", of);
}

/* Prints the times of builds whose inputs have different sizes. The times are not
 * subtracted. If only the batch size differs, they are compared per sample. */
static void put_unlike(const struct fsd_compare *c, FILE *out)
{
    bool runs = c->old->timed_runs && c->new->timed_runs;
    double before = runs ? c->old->run.median : c->old->total.median,
           after = runs ? c->new->run.median : c->new->total.median;

    if (!runs && !(c->old->profiles && c->new->profiles))
        return;
    fprintf(out,
            "time         %.4f and %.4f ms are not compared: the inputs have different "
            "sizes\n",
            before, after);
    if (c->items_before)
        put_time_change("             ", before / c->items_before,
                        after / c->items_after, "per sample of the batch\n", out);
}

/* Prints the changes in time: first of whole runs, if both builds have them, then of
 * the sum of the layers. */
static void put_time_changes(const struct fsd_compare *c, FILE *out)
{
    const char *const blamed[FSD__BLAME_COUNT] = {
        [FSD_BLAME_FUSION] = "different fusion",
        [FSD_BLAME_PRECISION] = "same fusion, different precision",
        [FSD_BLAME_KERNEL] =
            c->across ? "same fusion and precision, but kernels of a different builder"
            : c->untyped
                ? "same fusion: different tactics, types that are not stated, or noise"
                : "same fusion and precision: different tactics, or noise",
        [FSD_BLAME_MOVES] = "inserted layers and unfused quantizers"};
    bool runs = c->old->timed_runs && c->new->timed_runs;

    if (c->unlike) {
        put_unlike(c, out);
        return;
    }
    if (runs)
        put_time_change("time         ", c->old->run.median, c->new->run.median,
                        "a run\n", out);
    if (!c->timed)
        return;
    put_time_change(runs ? "             " : "time         ", c->before, c->after,
                    runs ? "sum of the layers; by cause:\n" : "by cause:\n", out);
    for (uint8_t b = 0; b < FSD__BLAME_COUNT; b++) {
        if (b == FSD_BLAME_PRECISION && c->untyped == c->regions.n)
            continue;
        fputs("             ", out);
        fsd_put_delta(c->by_blame[b] < 0 ? -c->by_blame[b] : 0,
                      c->by_blame[b] > 0 ? c->by_blame[b] : 0, out);
        if (c->before > 0)
            fprintf(out, " (%+.1f %%)", 100 * c->by_blame[b] / c->before);
        fprintf(out, "  %s\n", blamed[b]);
    }
    for (int side = 0; side < 2; side++) {
        const struct fsd_state *s = side ? c->new : c->old;

        if (s->profiles > 1)
            fprintf(out,
                    "             %s: the median of %u profiles, %.4f to %.4f ms\n",
                    side ? "new" : "old", (unsigned)s->profiles, s->total.low,
                    s->total.high);
    }
}

/* ---------------------------------------------------------------------- regions */

static bool is_one_group(const struct fsd_state *old, const struct fsd_group *p,
                         const struct fsd_state *new, const struct fsd_group *q)
{
    bool same = p->precision == q->precision && p->layers == q->layers &&
                p->nodes.n == q->nodes.n;

    for (uint32_t i = 0; i < p->nodes.n && same; i++)
        same = !strcmp(
            fsd_text(old->names, old->nodes.at[old->refs.at[p->nodes.at + i]].key),
            fsd_text(new->names, new->nodes.at[new->refs.at[q->nodes.at + i]].key));
    return same;
}

/* Whether both builds have the same groups with the same names. Such groups are printed
 * once. */
static bool has_one_form(const struct fsd_compare *c, const struct fsd_region_diff *r)
{
    bool same = r->happened == FSD_HAPPENED_SAME && r->width == FSD_WIDTH_SAME &&
                !r->untyped && r->old_groups.n == r->new_groups.n;

    for (uint32_t i = 0; i < r->new_groups.n && same; i++)
        same =
            is_one_group(c->old, &c->old->groups.at[c->pool.at[r->old_groups.at + i]],
                         c->new, &c->new->groups.at[c->pool.at[r->new_groups.at + i]]);
    return same;
}

static void put_groups(const struct fsd_compare *c, const struct fsd_region_diff *r,
                       bool new, const char *title, FILE *out)
{
    const struct fsd_state *s = new ? c->new : c->old;
    struct fsd_span groups = new ? r->new_groups : r->old_groups;

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[c->pool.at[groups.at + i]];

        fprintf(out, "     %s  %-5s ", i ? "   " : title,
                fsd_dtype_name((enum fsd_dtype)g->precision));
        fsd_put_group(s, g, out);
        if (g->kind == FSD_KIND_FOREIGN)
            fputs("  (foreign region)", out);
        else if (r->happened == FSD_HAPPENED_OPAQUE && g->kind != FSD_KIND_COMPUTE)
            fprintf(out, "  (the dump calls it a %s)",
                    fsd_kind_name((enum fsd_kind)g->kind));
        else if (g->layers > 1)
            fprintf(out, "  (%u layers)", (unsigned)g->layers);
        fputc('\n', out);
    }
    if (!groups.n)
        fprintf(out, "     %s  no layer\n", title);
}

static void put_edge(const struct fsd_compare *c, const struct fsd_edge_change *e,
                     FILE *out)
{
    fprintf(out, "     edge ");
    if (fsd_origin_input(e->new_from) != FSD_NONE)
        fputs("input ", out);
    fsd_printf_safe(out, "%s -> %s: was ", fsd_origin_text(c->new, e->new_from),
                    fsd_edge_reader(c, e));
    fsd_put_state_form(c->old, e->before, ' ', out);
    fputs(", now ", out);
    fsd_put_state_form(c->new, e->after, ' ', out);
    if (e->width != FSD_WIDTH_SAME)
        fprintf(out, " (%s)", fsd_width_name(e->width));
    fputc('\n', out);
}

static void put_move(const struct fsd_compare *c, const struct fsd_move_change *m,
                     FILE *out)
{
    const struct fsd_state *s = fsd_compare_shown(c, m->old, m->new).s;
    const struct fsd_move *move = &s->moves.at[fsd_id_or(m->new, m->old)];

    fprintf(out, "     %c    ",
            m->what == FSD_MOVE_ADDED     ? '+'
            : m->what == FSD_MOVE_REMOVED ? '-'
                                          : '~');
    fsd_put_move(s, move, out);
    fputs("  ", out);
    fsd_put_move_ends(s, move, out);
    fputs(": ", out);
    fsd_put_move_forms(s, move, ' ', out);
    if (m->what == FSD_MOVE_CHANGED) {
        const struct fsd_move *was = &c->old->moves.at[m->old];

        fputs(", was ", out);
        fsd_put_move(c->old, was, out);
        fputs(": ", out);
        fsd_put_move_forms(c->old, was, ' ', out);
    }
    fputc('\n', out);
}

static void put_kernel(const struct fsd_compare *c, const struct fsd_kernel_change *k,
                       FILE *out)
{
    const struct fsd_state *s = fsd_compare_shown(c, k->old, k->new).s;
    const struct fsd_kernel *kernel = &s->kernels.at[fsd_id_or(k->new, k->old)];

    fprintf(out, "     %c    kernel ",
            k->what == FSD_KERNEL_ADDED     ? '+'
            : k->what == FSD_KERNEL_REMOVED ? '-'
                                            : '~');
    fsd_put_safe(out, fsd_text(s->names, kernel->type));
    if (kernel->does && !k->does)
        fsd_printf_safe(out, " of %s", fsd_text(s->names, kernel->does));
    if (k->what == FSD_KERNEL_CHANGED)
        fsd_put_kernel_change(c, k, k->width != FSD_WIDTH_SAME, out);
    fputc('\n', out);
}

/* Prints the additional inputs (`unasked`) of the new build's layers. Such an input is
 * a tensor that the new layers read. In the model, the nodes of these layers do not
 * read it, and the old build's layers do not read it either. */
static void put_unasked(const struct fsd_compare *c, const struct fsd_region_diff *r,
                        const struct fsd_style *style, FILE *out)
{
    uint32_t shown = style->all || r->unasked.n < FEW ? r->unasked.n : FEW;

    for (uint32_t i = 0; i < shown; i++) {
        struct fsd_origin from = fsd_origin_at(c->pool.at, r->unasked, i);

        fsd_printf_safe(out,
                        "     ~    reads %s%s, which neither the old layers nor the "
                        "model's nodes read\n",
                        fsd_origin_node(from) == FSD_NONE ? "the input "
                                                          : "the output of ",
                        fsd_origin_text(c->new, from));
    }
    if (shown < r->unasked.n)
        fprintf(out, "     ~    more such tensors: %u (--all)\n", r->unasked.n - shown);
}

/* The changes of each region, in the order of the comparison's lists. */
struct by_region {
    struct fsd_lists edges, moves, kernels;
};

#define BY_REGION(c, list, arena)                                                      \
    fsd_lists_new((arena), (c)->list.n ? &(c)->list.at->region : NULL,                 \
                  sizeof *(c)->list.at, (c)->list.n, (c)->regions.n)

static void put_changes(const struct fsd_compare *c, const struct by_region *x,
                        fsd_id region, const struct fsd_style *style, FILE *out)
{
    struct fsd_span edges = x->edges.of[region], moves = x->moves.of[region];
    uint32_t hidden = 0;

    for (uint32_t i = 0; i < moves.n; i++) {
        const struct fsd_move_change *m = &c->moves.at[x->moves.ids[moves.at + i]];

        if (fsd_move_change_is_quantizer(c, m) && !style->all)
            continue;
        if (style->all || !fsd_move_change_is_free(c, m))
            put_move(c, m, out);
        else
            hidden++;
    }
    if (hidden)
        fprintf(out, "     changed layers that take no time: %u (--all)\n",
                (unsigned)hidden);
    for (uint32_t i = 0; i < edges.n && (style->all || i < FEW); i++)
        put_edge(c, &c->edges.at[x->edges.ids[edges.at + i]], out);
    if (!style->all && edges.n > FEW)
        fprintf(out, "     edge and %u more (--all)\n", (unsigned)(edges.n - FEW));
}

/* Whether the region has changed kernels, but no change of its fusion, its number of
 * layers, its precisions or its data-movement layers. */
static bool has_other_kernels(const struct fsd_region_diff *r)
{
    return r->kernels && r->happened == FSD_HAPPENED_SAME && !r->layers &&
           r->width == FSD_WIDTH_SAME && !r->moves;
}

/* Whether the region differs only in facts that the new build does not state. */
static bool only_lost(const struct fsd_compare *c, const struct fsd_region_diff *r,
                      struct fsd_span kernels, const uint32_t *at)
{
    bool lost = has_other_kernels(r) && !r->unasked.n;

    for (uint32_t i = 0; i < kernels.n && lost; i++)
        lost = fsd_only_lost(&c->kernels.at[at[kernels.at + i]]);
    return lost;
}

/* Prints the number of regions that differ only in facts that the new build does not
 * state, and names these facts. */
static void put_lost(const struct fsd_compare *c, uint32_t n, FILE *out)
{
    bool types = false, layouts = false, weights = false;

    for (uint32_t i = 0; i < c->kernels.n; i++) {
        types |= c->kernels.at[i].type_lost;
        layouts |= c->kernels.at[i].layout_lost;
        weights |= c->kernels.at[i].consts_lost;
    }
    fprintf(out, "\n     %u more %s", n, n == 1 ? "region differs" : "regions differ");
    fprintf(out, " only in facts that the new build does not state:%s%s%s (--all)\n",
            types ? " types" : "", layouts ? types ? ", layouts" : " layouts" : "",
            weights ? types || layouts ? ", weights" : " weights" : "");
}

static void put_kernels(const struct fsd_compare *c, struct fsd_span kernels,
                        const uint32_t *at, const struct fsd_style *style, FILE *out)
{
    uint32_t shown = style->all || kernels.n < FEW ? kernels.n : FEW;

    for (uint32_t i = 0; i < shown; i++)
        put_kernel(c, &c->kernels.at[at[kernels.at + i]], out);
    if (shown < kernels.n)
        fprintf(out, "     kernel and %u more (--all)\n", kernels.n - shown);
}

/* Whether the region has changes of data-movement layers. Unfused Q and DQ do not count
 * if two builders are compared. */
static bool has_moves(const struct fsd_compare *c, const struct fsd_lists *moves,
                      fsd_id region)
{
    struct fsd_span of = moves->of[region];

    for (uint32_t i = 0; i < of.n; i++)
        if (!fsd_move_change_is_quantizer(c, &c->moves.at[moves->ids[of.at + i]]))
            return true;
    return false;
}

/* Whether two different builders made the builds, and only unfused Q and DQ differ in
 * this region. */
static bool only_quantizers(const struct fsd_compare *c, const struct by_region *x,
                            fsd_id region)
{
    const struct fsd_region_diff *r = &c->regions.at[region];

    return c->across && r->happened == FSD_HAPPENED_SAME &&
           r->width == FSD_WIDTH_SAME && !r->layers && !r->unasked.n &&
           !x->edges.of[region].n && !has_moves(c, &x->moves, region);
}

static void put_region_title(const struct fsd_compare *c,
                             const struct fsd_region_diff *r, bool moves,
                             const struct fsd_style *style, FILE *out)
{
    bool alarm = r->happened == FSD_HAPPENED_LOST || r->width == FSD_WIDTH_WIDENED;

    fsd_ink(style, alarm ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fputs(r->happened == FSD_HAPPENED_SAME ? "same fusion"
                                           : fsd_happened_name(r->happened),
          out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    if (r->width != FSD_WIDTH_SAME)
        fprintf(out, ", %s", fsd_width_name(r->width));
    fprintf(out, "%s%s%s%s%s",
            r->layers              ? ", different layer count"
            : has_other_kernels(r) ? ", different kernels"
                                   : "",
            moves ? ", inserted layers" : "", r->unasked.n ? ", different inputs" : "",
            r->layout ? ", layout" : "", r->tactic ? ", tactic" : "");
    if (c->timed) {
        fputs("  ", out);
        fsd_put_delta(r->before, r->after, out);
        fprintf(out, " (%.4f -> %.4f)", r->before > 0 ? r->before : 0,
                r->after > 0 ? r->after : 0);
    }
    fputc('\n', out);
}

/* Prints the name of a node of the region, so that a user can find the region again. */
static void put_region_name(const struct fsd_compare *c,
                            const struct fsd_region_diff *r, FILE *out)
{
    bool new = r->new_groups.n;
    const struct fsd_state *s = new ? c->new : c->old;
    struct fsd_span groups = new ? r->new_groups : r->old_groups;
    const struct fsd_group *g = &s->groups.at[c->pool.at[groups.at]];

    if (g->nodes.n)
        fsd_put_safe(out, fsd_text(s->names, s->nodes.at[s->refs.at[g->nodes.at]].key));
}

/* Prints the other regions that changed in the same way as the region at place `at`. */
static void put_alike(const struct fsd_compare *c, const struct fsd_alike *alike,
                      uint32_t at, FILE *out)
{
    double before = 0, after = 0;
    uint32_t n = 0;

    for (uint32_t i = alike->next[at]; i != FSD_NONE; i = alike->next[i]) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];

        before += r->before > 0 ? r->before : 0;
        after += r->after > 0 ? r->after : 0;
        n++;
    }
    if (!n)
        return;
    fprintf(out, "     and %u more like it", n);
    if (c->timed) {
        fputs(", ", out);
        fsd_put_delta(before, after, out);
    }
    fputs(" (--all): ", out);
    for (uint32_t i = alike->next[at], k = 0; i != FSD_NONE && k < FEW_ALIKE;
         i = alike->next[i], k++) {
        fputs(k ? ", " : "", out);
        put_region_name(c, &c->regions.at[c->order[i]], out);
    }
    fputs(n > FEW_ALIKE ? ", ...\n" : "\n", out);
}

static void put_regions(const struct fsd_compare *c, const struct by_region *x,
                        const struct fsd_alike *alike, const struct fsd_style *style,
                        FILE *out)
{
    uint32_t number = 0, lost = 0, quantizers = 0, rest = 0;

    for (uint32_t i = 0; i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];
        bool once;

        if (!r->differs)
            continue;
        if (!style->all &&
            only_lost(c, r, x->kernels.of[c->order[i]], x->kernels.ids)) {
            lost++;
            continue;
        }
        if (!style->all && only_quantizers(c, x, c->order[i])) {
            quantizers++;
            continue;
        }
        if (alike->first[i] != i && !style->all)
            continue;
        fprintf(out, "\n%3u  ", (unsigned)++number);
        put_region_title(
            c, r, r->moves && (style->all || has_moves(c, &x->moves, c->order[i])),
            style, out);
        once = has_one_form(c, r);
        if (!once)
            put_groups(c, r, false, "was", out);
        put_groups(c, r, true, once ? "in " : "now", out);
        put_unasked(c, r, style, out);
        put_changes(c, x, c->order[i], style, out);
        if (has_other_kernels(r))
            put_kernels(c, x->kernels.of[c->order[i]], x->kernels.ids, style, out);
        if (!style->all)
            put_alike(c, alike, i, out);
    }
    if (lost)
        put_lost(c, lost, out);
    if (quantizers)
        fprintf(out, "\n     %u more %s only in unfused Q/DQ (--all)\n", quantizers,
                quantizers == 1 ? "region differs" : "regions differ");
    FSD_EACH (const struct fsd_move_change, m, c->moves) {
        if (m->region != FSD_NONE ||
            (!style->all && fsd_move_change_is_quantizer(c, m)))
            continue;
        fputs(rest++ ? "" : "\n     outside all regions\n", out);
        put_move(c, m, out);
    }
}

/* Prints regions that differ only in time, by at least half a percent of the total. */
static void put_same(const struct fsd_compare *c, const struct fsd_style *style,
                     FILE *out)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; c->timed && i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];
        struct fsd_span groups = r->new_groups;
        bool known = r->before >= 0 && r->after >= 0;

        if (r->differs || !known || fabs(r->after - r->before) < c->before / 200 ||
            (shown >= FEW && !style->all))
            continue;
        if (!shown++)
            fputs(c->untyped  ? "\nsame fusion, some types not stated, different time\n"
                  : c->across ? "\nsame fusion and precision, different time\n"
                              : "\nsame fusion, precision and layout, different time\n",
                  out);
        fputs("     ", out);
        fsd_put_delta(r->before, r->after, out);
        fprintf(out, " (%.4f -> %.4f)%s  ", r->before, r->after,
                r->tactic ? ", different tactic" : "");
        fsd_put_group(c->new, &c->new->groups.at[c->pool.at[groups.at]], out);
        fputs(groups.n > 1 ? ", ...\n" : "\n", out);
    }
}

/* Prints changed tactics. The builder chooses tactics freely, so they are printed only
 * on request. */
static void put_tactics(const struct fsd_compare *c, FILE *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->regions.n; i++)
        n += c->regions.at[i].tactic;
    fprintf(out, "\nother tactics: %u\n", (unsigned)n);
    FSD_EACH (const struct fsd_region_diff, r, c->regions) {
        const struct fsd_group *old, *new;

        if (!r->tactic)
            continue;
        old = &c->old->groups.at[c->pool.at[r->old_groups.at]];
        new = &c->new->groups.at[c->pool.at[r->new_groups.at]];
        fputs("     ", out);
        fsd_put_group(c->new, new, out);
        fsd_printf_safe(out, "\n       was  %s\n       now  %s\n",
                        fsd_text(c->old->names, old->tactic),
                        fsd_text(c->new->names, new->tactic));
    }
}

/* ------------------------------------------------------------------------ nodes */

static void put_presences(const struct fsd_compare *c, const struct fsd_style *style,
                          FILE *out)
{
    for (uint8_t what = 0; what < FSD__PRESENCE_COUNT; what++) {
        uint32_t shown = 0, counted = 0, n = c->by_presence[what];

        if (n)
            fprintf(out, "\nnodes %s: %u\n", fsd_presence_name(what), (unsigned)n);
        FSD_EACH (const struct fsd_node_presence, p, c->presences) {
            const struct fsd_state *s = fsd_compare_shown(c, p->old, p->new).s;
            const struct fsd_state_node *node = &s->nodes.at[fsd_id_or(p->new, p->old)];

            if (p->what != what)
                continue;
            if (fsd_presence_is_quantizer(c, p) && !style->all) {
                counted++;
                continue;
            }
            if (shown == FEW_NODES && !style->all)
                continue;
            shown++;
            fsd_printf_safe(out, "    %s  %s", fsd_text(s->names, node->key),
                            fsd_text(s->names, node->op));
            if (p->old != FSD_NONE && p->new != FSD_NONE)
                fprintf(out, ": was %s, now %s", fsd_state_fate(c->old, p->old),
                        fsd_state_fate(c->new, p->new));
            fputc('\n', out);
        }
        if (counted)
            fprintf(out, "    Q/DQ nodes: %u (--all)\n", (unsigned)counted);
        if (shown + counted < n)
            fprintf(out, "    and %u more (--all)\n", (unsigned)(n - shown - counted));
    }
}

/* Prints the layers whose tuning time changed most. Tuning times vary from build to
 * build, so only a few layers are printed. */
static void put_efforts(const struct fsd_compare *c, const struct fsd_style *style,
                        FILE *out)
{
    enum { SHOWN = 5 };
    uint32_t n = 0, most = style->all ? c->efforts.n : SHOWN;
    bool whole = c->old->efforts_stamped || c->new->efforts_stamped;

    if (c->old->build_seconds > 0 && c->new->build_seconds > 0)
        fprintf(out, "\nbuild time   %.3f -> %.3f s\n", c->old->build_seconds,
                c->new->build_seconds);
    if (!c->efforts.n)
        return;
    fprintf(out, "tuning       %.3f -> %.3f s spent on timing kernels%s\n",
            c->effort_before, c->effort_after,
            whole ? " (from time stamps in whole seconds)" : "");
    while (n < c->efforts.n &&
           fabs(c->efforts.at[n].after - c->efforts.at[n].before) >= 0.0005)
        n++;
    for (uint32_t i = 0; i < n && i < most; i++) {
        const struct fsd_effort_change *e = &c->efforts.at[i];

        fprintf(out, "  %+10.3f s  %.3f -> %.3f s  ", e->after - e->before, e->before,
                e->after);
        fsd_put_safe(out, e->new ? fsd_text(c->new->names, e->new)
                                 : fsd_text(c->old->names, e->old));
        if (!e->new)
            fputs(", which the new build does not time", out);
        else if (!e->old)
            fputs(", which the old build does not time", out);
        fputc('\n', out);
    }
    if (n > most)
        fprintf(out, "  and %u more (--all)\n", n - most);
}

/* Prints the sum of the bytes that the layers of each build read and write, because
 * fewer layers may move more bytes. */
static void put_bytes(const struct fsd_compare *c, FILE *out)
{
    int64_t before = c->old->bytes, after = c->new->bytes;
    uint32_t unknown = c->old->bytes_unknown + c->new->bytes_unknown;

    if (!before || !after || c->unlike)
        return;
    fputs("bytes             ", out);
    fsd_put_scaled(before, NULL, " B", out);
    if (after == before) {
        fputs(" in both", out);
    } else {
        fputs(" -> ", out);
        fsd_put_scaled(after, NULL, " B", out);
        fprintf(out, " (%+.1f %%)", 100 * ((double)after / (double)before - 1));
    }
    if (unknown)
        fprintf(out, ", not counting %u layer%s whose bytes are unknown", unknown,
                fsd_plural(unknown));
    fputc('\n', out);
}

void fsd_compare_put_head(const struct fsd_compare *c, bool all, FILE *out)
{
    static const struct fsd_style plain = {0};
    FSD_SCRATCH(scratch);
    const void *head = fsd_compared_of(scratch, c);

    fsd_record_put_text(&fsd_compared_record, head, sides_text, &plain, out);
    put_model(c, all, out);
    fsd_record_put_text(&fsd_compared_record, head, counts_text, &plain, out);
    fsd_put_builders(c, out);
    put_bytes(c, out);
    put_time_changes(c, out);
}

void fsd_compare_put_conclusion(const struct fsd_compare *c, FILE *out)
{
    if (!c->differs)
        fputs(c->hidden ? "no difference in what both builds state\n"
                        : "no difference\n",
              out);
    if (c->old->layers == c->new->layers)
        fprintf(out, "layers   %u in both builds\n\n", c->old->layers);
    else
        fprintf(out, "layers   %u -> %u\n\n", c->old->layers, c->new->layers);
}

void fsd_compare_write_text(const struct fsd_report *r, FILE *out)
{
    const struct fsd_compare *c = r->compare;
    const struct fsd_style *style = r->style;
    FSD_SCRATCH(arena);
    const struct by_region x = {BY_REGION(c, edges, arena), BY_REGION(c, moves, arena),
                                BY_REGION(c, kernels, arena)};
    struct fsd_alike alike = fsd_regions_alike(c, arena);

    if (r->judged && r->judged->brief.n)
        fsd_text_brief(&r->judged->brief, style, out);
    fsd_compare_put_conclusion(c, out);
    fsd_compare_put_head(c, style->all, out);
    for (uint32_t i = 0; i < c->ports.n; i++) {
        const struct fsd_port_change *p = &c->ports.at[i];

        fprintf(out, "%s%s ", i ? "" : "\n", p->output ? "output" : "input");
        fsd_put_port(c->old, p->output, p->old, out);
        fputs(" -> ", out);
        fsd_put_port(c->new, p->output, p->new, out);
        fputc('\n', out);
    }
    put_regions(c, &x, &alike, style, out);
    put_same(c, style, out);
    if (style->tactics)
        put_tactics(c, out);
    put_presences(c, style, out);
    put_efforts(c, style, out);
}
