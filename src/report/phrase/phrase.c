/*
 * Prints numbers, names, and the sources and destinations of data movements, so that
 * all text reports use the same words for the same fact. Numbers have about three
 * significant digits. fsd_put_safe() escapes names; a name of several parts is first
 * built in memory and then escaped as a whole.
 */
#include "model/graph/graph.h"
#include "report/phrase/phrase.h"
#include "base/base.h"
#include "model/ops/amount.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void fsd_put_ms_column(double ms, int width, FILE *out)
{
    /* Times of 1 ms and more have at least four significant digits; shorter times have
     * at least four decimals. */
    int decimals = ms >= 100     ? 1
                   : ms >= 10    ? 2
                   : ms >= 1     ? 3
                   : ms >= 0.001 ? 4
                   : ms > 0      ? 6
                                 : 0;

    if (ms < 0)
        fprintf(out, "%*s", width, "-");
    else
        fprintf(out, "%*.*f", width, decimals, ms);
}

void fsd_put_ms(double ms, FILE *out)
{
    fsd_put_ms_column(ms, 0, out);
    if (ms >= 0)
        fputs(" ms", out);
}

void fsd_put_tally(FILE *out, bool *any, uint32_t n, const char *what)
{
    if (!n)
        return;
    fprintf(out, "%s%s %u", *any ? ", " : "", what, (unsigned)n);
    *any = true;
}

void fsd_put_severities(const uint32_t by_severity[FSD__SEVERITY_COUNT], FILE *out)
{
    fprintf(out, "%u error%s, %u warning%s, %u note%s", by_severity[FSD_ERROR],
            fsd_plural(by_severity[FSD_ERROR]), by_severity[FSD_WARNING],
            fsd_plural(by_severity[FSD_WARNING]), by_severity[FSD_INFO],
            fsd_plural(by_severity[FSD_INFO]));
}

void fsd_put_tally_of(const struct fsd_findings *all, FILE *out)
{
    fsd_put_severities(all->by_severity, out);
    fprintf(out, ", %u ignored", all->ignored);
    if (all->off)
        fprintf(out, ", findings from disabled rules: %u", all->off);
}

void fsd_put_bytes(const struct fsd_diff *d, int64_t bytes, FILE *out)
{
    fsd_put_scaled(bytes, fsd_amount_text(d->cost->amounts, bytes), " B", out);
}

void fsd_put_safely(const struct fsd_diff *d, fsd_id id, fsd_put_fn *put, FILE *out)
{
    struct fsd_print name;

    put(d, id, fsd_print_open(&name));
    fsd_print_close(&name);
    fsd_put_safe(out, name.text);
    free(name.text);
}

void fsd_put_node(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    fsd_put_safely(d, node, fsd_put_node_name, out);
}

void fsd_put_layer_kind(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    char room[FSD_BRIEF_ROOM];
    const char *type =
        fsd_brief(fsd_text(d->names, d->engine->nodes.at[layer].op), room);

    fputs(fsd_kind_name(d->layers[layer].kind), out);
    if (!*type)
        return;
    fsd_printf_safe(out, " (%s)", type);
}

bool fsd_runs_wider(const struct fsd_node_result *r)
{
    return fsd_dtype_rank(r->requested) &&
           fsd_dtype_rank(r->realised) > fsd_dtype_rank(r->requested);
}

/* ------------------------------------------------------------------- comparisons */

void fsd_put_group(const struct fsd_state *s, const struct fsd_group *g, FILE *out)
{
    bool core = false;
    uint32_t shown = 0;

    for (uint32_t i = 0; i < g->nodes.n; i++)
        core |= s->nodes.at[s->refs.at[g->nodes.at + i]].role == FSD_ROLE_CORE;
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct fsd_state_node *n = &s->nodes.at[s->refs.at[g->nodes.at + i]];

        if (core && n->role != FSD_ROLE_CORE)
            continue;
        fputs(shown++ ? " + " : "", out);
        fsd_put_safe(out, fsd_text(s->names, n->key));
    }
}

static void put_ends(struct fsd_ends ends, FILE *out)
{
    if (!ends.n)
        fputs("?", out);
    for (uint32_t i = 0; i < ends.n && i < 3; i++) {
        fputs(i ? ", " : "", out);
        if (fsd_end_port(ends, i) != FSD_NONE)
            fputs(ends.are == FSD_ENDS_DESTINATIONS ? "output " : "input ", out);
        fsd_put_safe(out, fsd_end_text(ends, i));
    }
    if (ends.n > 3)
        fprintf(out, " and %u more", (unsigned)(ends.n - 3));
}

void fsd_put_move_ends(const struct fsd_state *s, const struct fsd_move *m, FILE *out)
{
    struct fsd_ends from = fsd_ends_of_origins(s, m->from),
                    to = fsd_ends_of_destinations(s, m->to);
    fsd_id node = from.n == 1 ? fsd_end_node(from, 0) : FSD_NONE;

    /* The layer moves data between two layers of one group, for example around a Gemm
     * that the builder converts to a convolution. */
    if (node != FSD_NONE && to.n == 1 && fsd_end_node(to, 0) == node) {
        fputs("within ", out);
    } else {
        put_ends(from, out);
        fputs(" -> ", out);
    }
    put_ends(to, out);
}

void fsd_put_move(const struct fsd_state *s, const struct fsd_move *m, FILE *out)
{
    fputs(fsd_kind_name((enum fsd_kind)m->kind), out);
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(out, " (%s)", fsd_cause_name((enum fsd_cause)m->cause));
    if (m->nodes.n) {
        fputc(' ', out);
        put_ends(fsd_ends_of_nodes(s, m->nodes), out);
    }
}

void fsd_put_port(const struct fsd_state *s, bool output, fsd_id port, FILE *out)
{
    const struct fsd_state_port *all = output ? s->outputs.at : s->inputs.at;

    if (port == FSD_NONE) {
        fputs("none", out);
        return;
    }
    fsd_printf_safe(out, "%s [%s] ", fsd_text(s->names, all[port].name),
                    fsd_text(s->names, all[port].shape));
    fsd_put_state_form(s, all[port].form, ' ', out);
}

/* A difference that rounds to 0 must not print as "-0.0000". */
void fsd_put_delta(double before, double after, FILE *out)
{
    double delta = (after > 0 ? after : 0) - (before > 0 ? before : 0);

    fprintf(out, "%+.4f ms", fabs(delta) < 0.00005 ? 0.0 : delta);
}
