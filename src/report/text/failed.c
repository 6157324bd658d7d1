/* A failed build as text: the conclusion, the place and the values that failed, lint's
 * findings there, then possible remedies, with commands. */
#include "base/base.h"
#include "judge/failed/failed.h"
#include "report/phrase/phrase.h"
#include "report/subject/subject.h"
#include "report/text/text.h"

enum { NODES_SHOWN = 12 };

static void put_title(const struct fsd_report *r, const char *title, FILE *out)
{
    fsd_ink(r->style, FSD_INK_TITLE, out);
    fprintf(out, "%-9s", title);
    fsd_ink(r->style, FSD_INK_PLAIN, out);
}

static void put_line(const struct fsd_report *r, const char *title, const char *text,
                     FILE *out)
{
    if (!text)
        return;
    put_title(r, title, out);
    fsd_put_safe(out, text);
    putc('\n', out);
}

static void put_node(const struct fsd_graph *g, fsd_id node, FILE *out)
{
    const struct fsd_node *n = &g->nodes.at[node];

    fprintf(out, "#%u ", node);
    fsd_put_safe(out, fsd_text(g->names, n->name));
    fsd_printf_safe(out, "%s(%s)", n->name ? " " : "", fsd_text(g->names, n->op));
}

static void put_nodes(const struct fsd_report *r, const char *title,
                      const fsd_id_vec *nodes, const char *how, FILE *out)
{
    uint32_t most = r->style->all ? UINT32_MAX : NODES_SHOWN;

    for (uint32_t i = 0; i < nodes->n && i < most; i++) {
        put_title(r, i ? "" : title, out);
        put_node(r->failed->model, nodes->at[i], out);
        fprintf(out, "%s%s\n", i ? "" : how ? ": " : "", i || !how ? "" : how);
    }
    if (nodes->n > most)
        fprintf(out, "         and %u more; --all lists each\n", nodes->n - most);
}

static void put_values(const struct fsd_report *r, FILE *out)
{
    const struct fsd_failed *f = r->failed;

    if (f->tensors.n) {
        put_title(r, "tensors", out);
        for (uint32_t i = 0; i < f->tensors.n; i++) {
            fputs(i ? ", " : "", out);
            fsd_put_safe(out, f->tensors.at[i]);
        }
        putc('\n', out);
    }
    if (!f->values.n)
        return;
    put_title(r, "values", out);
    for (uint32_t i = 0; i < f->values.n; i++)
        fsd_printf_safe(out, "%s%s %s", i ? ", " : "", f->values.at[i].what,
                        f->values.at[i].text);
    putc('\n', out);
}

static void put_findings(const struct fsd_report *r, FILE *out)
{
    const struct fsd_failed *f = r->failed;

    if (!f->found.n)
        return;
    putc('\n', out);
    put_title(r, "lint", out);
    fsd_printf_safe(out, "for %s, at these nodes:\n", f->target);
    for (uint32_t i = 0; i < f->found.n; i++)
        fsd_text_finding(f->findings, &f->findings->list.at[f->found.at[i]], r->style,
                         out);
}

static void put_tries(const struct fsd_report *r, FILE *out)
{
    const struct fsd_failed *f = r->failed;

    if (!f->tries.n)
        return;
    putc('\n', out);
    put_title(r, "try", out);
    fputs("in this order:\n", out);
    for (uint32_t i = 0; i < f->tries.n; i++) {
        fprintf(out, "  %u. ", i + 1);
        fsd_put_safe(out, f->tries.at[i].text);
        putc('\n', out);
        if (f->tries.at[i].command) {
            fputs("       ", out);
            fsd_put_safe(out, f->tries.at[i].command);
            putc('\n', out);
        }
    }
}

void fsd_failed_write_text(const struct fsd_report *r, FILE *out)
{
    const struct fsd_failed *f = r->failed;

    fsd_ink(r->style, FSD_INK_ALARM, out);
    fsd_put_safe(out, f->conclusion);
    fsd_ink(r->style, FSD_INK_PLAIN, out);
    fputs("\n\n", out);
    put_line(r, "model", f->model_path, out);
    put_line(r, "", f->no_model, out);
    put_title(r, "log", out);
    fsd_put_safe(out, f->log_path);
    fprintf(out, ", line %llu\n", (unsigned long long)f->first->line);
    put_line(r, "error", f->message, out);
    put_line(r, "because", f->because, out);
    put_line(r, "layer", f->named, out);
    put_nodes(r, f->nodes.n == 1 ? "node" : "nodes", &f->nodes,
              fsd_failed_by_text(f->by), out);
    put_nodes(r, "others", &f->others, "the parser rejects these as well", out);
    put_values(r, out);
    put_findings(r, out);
    put_tries(r, out);
}
