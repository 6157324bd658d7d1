#include "base/text.h"
#include "report/compare_report.h"

#include <math.h>

static void put_ref(const struct fsd_state *s, fsd_ref at, bool out_port, FILE *out)
{
    if (at & FSD_REF_PORT)
        fputs(out_port ? "output " : "input ", out);
    fsd_put_safe(out, fsd_state_ref_text(s, at, out_port));
}

static bool is_shown(const struct fsd_state *s, const struct fsd_group *g, uint32_t i,
                     bool all)
{
    return all || s->nodes.at[s->refs.at[g->nodes.at + i]].role == FSD_ROLE_CORE;
}

void fsd_put_group(const struct fsd_state *s, const struct fsd_group *g, FILE *out)
{
    bool all = true;
    uint32_t shown = 0;

    for (uint32_t i = 0; i < g->nodes.n; i++)
        all = all && !is_shown(s, g, i, false);
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        if (!is_shown(s, g, i, all))
            continue;
        fputs(shown++ ? " + " : "", out);
        fsd_put_safe(out,
                     fsd_text(s->names, s->nodes.at[s->refs.at[g->nodes.at + i]].key));
    }
}

static void put_refs(const struct fsd_state *s, struct fsd_span refs, bool out_port,
                     FILE *out)
{
    if (!refs.n)
        fputs("?", out);
    for (uint32_t i = 0; i < refs.n && i < 3; i++) {
        fputs(i ? ", " : "", out);
        put_ref(s, s->refs.at[refs.at + i], out_port, out);
    }
    if (refs.n > 3)
        fprintf(out, " and %u more", (unsigned)(refs.n - 3));
}

/* Between two layers of one group, as around a Gemm that is made a convolution. */
static bool is_within(const struct fsd_state *s, const struct fsd_move *m)
{
    return m->from.n == 1 && m->to.n == 1 &&
           s->refs.at[m->from.at] == s->refs.at[m->to.at] &&
           !(s->refs.at[m->from.at] & FSD_REF_PORT);
}

void fsd_put_move_ends(const struct fsd_state *s, const struct fsd_move *m, FILE *out)
{
    if (is_within(s, m)) {
        fputs("within ", out);
        put_refs(s, m->to, true, out);
        return;
    }
    put_refs(s, m->from, false, out);
    fputs(" -> ", out);
    put_refs(s, m->to, true, out);
}

void fsd_put_move(const struct fsd_state *s, const struct fsd_move *m, FILE *out)
{
    fputs(fsd_kind_name((enum fsd_kind)m->kind), out);
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(out, " (%s)", fsd_cause_name((enum fsd_cause)m->cause));
    if (m->nodes.n) {
        fputc(' ', out);
        put_refs(s, m->nodes, false, out);
    }
}

void fsd_put_form(const struct fsd_state *s, struct fsd_state_form form, FILE *out)
{
    if (form.type == FSD_DTYPE_UNKNOWN && !form.layout) {
        fputc('?', out);
        return;
    }
    fputs(fsd_dtype_name((enum fsd_dtype)form.type), out);
    if (form.layout) {
        fputc(' ', out);
        fsd_put_safe(out, fsd_text(s->names, form.layout));
    }
}

/* Never "-0.0000". */
void fsd_put_delta(double before, double after, FILE *out)
{
    double delta = (after > 0 ? after : 0) - (before > 0 ? before : 0);

    fprintf(out, "%+.4f ms", fabs(delta) < 0.00005 ? 0.0 : delta);
}
