/*
 * A verdict as a comment of a merge request: the verdict, a table of a few lines, then
 * one folded section a rule.  What an input named stands in <code>, escaped, so that it
 * can neither be markup nor call for somebody's attention.
 */
#include "base/print.h"
#include "base/text.h"
#include "report/escape.h"
#include "report/verdict/verdict.h"

#include <stdlib.h>

/* Prints a piece of the comment whole or not at all.  Bytes are counted, which are
 * never fewer than characters. */
static bool put_piece(struct fsd_print *piece, size_t *room, FILE *out)
{
    bool fits;

    fsd_print_close(piece);
    fits = piece->size <= *room;
    if (fits) {
        fwrite(piece->text, 1, piece->size, out);
        *room -= piece->size;
    }
    free(piece->text);
    return fits;
}

static void put_table(const struct fsd_verdict *v, FILE *out)
{
    bool two = v->rows.n && v->rows.at[0].before;

    fputs(two ? "| | before | now |\n|---|---|---|\n" : "| | |\n|---|---|\n", out);
    for (uint32_t i = 0; i < v->rows.n; i++) {
        const struct fsd_verdict_row *row = &v->rows.at[i];

        fprintf(out, "| %s |", row->what);
        if (two) {
            putc(' ', out);
            fsd_put_markdown(out, row->before ? row->before : "");
            fputs(" |", out);
        }
        putc(' ', out);
        fsd_put_markdown(out, row->now);
        fputs(" |\n", out);
    }
    putc('\n', out);
}

static void put_rule(const struct fsd_verdict *v, uint32_t rule, size_t *room,
                     FILE *out)
{
    const struct fsd_outcome *r = &v->findings->rules.at[rule];
    struct fsd_print piece;
    uint32_t left = r->found;
    bool open = false; /* what fails is there to be read; the rest is folded away */

    if (!left)
        return;
    for (uint32_t i = 0; i < v->findings->list.n && !open; i++)
        open = v->findings->list.at[i].rule == rule &&
               v->findings->list.at[i].severity == FSD_ERROR;
    fprintf(fsd_print_open(&piece), "<details%s><summary>%s: ", open ? " open" : "",
            r->rule->id);
    fsd_put_outcome(r, piece.out);
    fprintf(piece.out, "</summary>\n\n%s\n\n", r->rule->doc);
    if (!put_piece(&piece, room, out))
        return;
    for (uint32_t i = 0; i < v->findings->list.n && left; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];

        if (item->rule != rule)
            continue;
        fprintf(fsd_print_open(&piece), "- %s <code>",
                fsd_severity_name(item->severity));
        fsd_put_markdown(piece.out, item->message);
        fputs("</code>\n", piece.out);
        if (!put_piece(&piece, room, out))
            break;
        left--;
    }
    if (left)
        fprintf(out, "- and %u more\n", left);
    fputs("\n</details>\n\n", out);
}

void fsd_verdict_put_markdown(const struct fsd_verdict *v,
                              const struct fsd_style *style, FILE *out)
{
    size_t room = FSD_MARKDOWN_ROOM;
    struct fsd_print piece;

    (void)style;
    fprintf(fsd_print_open(&piece), "### fusiondiff %s%s%s\n\n", v->title,
            v->verdict ? ": " : "", v->verdict ? v->verdict : "");
    fsd_put_severities(v->findings->by_severity, piece.out);
    fprintf(piece.out, ", %u ignored\n\n", v->findings->ignored);
    for (uint32_t i = 0; i < v->about.n; i++) {
        fprintf(piece.out, "- %s <code>", v->about.at[i].what);
        fsd_put_markdown(piece.out, v->about.at[i].now);
        fputs("</code>\n", piece.out);
    }
    fputs("- fusiondiff " FSD_VERSION "\n\n", piece.out);
    put_table(v, piece.out);
    if (v->accept) {
        fputs("To accept this build, run <code>", piece.out);
        fsd_put_markdown(piece.out, v->accept);
        fputs("</code> and commit the snapshot.\n\n", piece.out);
    }
    put_piece(&piece, &room, out);
    for (uint32_t i = 0; i < v->findings->rules.n; i++)
        put_rule(v, i, &room, out);
}
