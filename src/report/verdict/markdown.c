/*
 * Prints a verdict as a comment on a merge request: the verdict, a short table, then
 * one folded section per rule. Names of an input are escaped and in <code>, so that
 * they can neither act as markup nor mention a user.
 */
#include "base/base.h"
#include "report/phrase/escape.h"
#include "report/phrase/phrase.h"
#include "report/verdict/verdict.h"

#include <stdlib.h>

/* Prints a piece of the comment if it fits into the room, and returns whether it fits.
 * Comments have a limit in characters. `room` is in bytes, which is safe: a text has at
 * least as many bytes as characters. */
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
    FSD_EACH (const struct fsd_verdict_row, row, v->rows) {
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
    bool open = false; /* true: the rule has an error, so <details> is unfolded */

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
        fprintf(fsd_print_open(&piece), "- %s ", fsd_severity_name(item->severity));
        fsd_put_markdown_sentence(piece.out, item->message);
        if (item->todo) {
            fputs("; ", piece.out);
            fsd_put_markdown_sentence(piece.out, item->todo);
        }
        putc('\n', piece.out);
        if (!put_piece(&piece, room, out))
            break;
        left--;
    }
    if (left)
        fprintf(out, "- and %u more\n", left);
    fputs("\n</details>\n\n", out);
}

/* Prints text in <code>. */
static void put_code(const char *text, FILE *out)
{
    fputs("<code>", out);
    fsd_put_markdown(out, text);
    fputs("</code>", out);
}

static void put_about(const struct fsd_verdict *v, FILE *out)
{
    for (uint32_t i = 0; i < v->brief.n; i++) {
        fprintf(out, "- **%s** ", v->brief.at[i].topic);
        fsd_put_markdown_sentence(out, v->brief.at[i].text);
        fputs(i + 1 == v->brief.n ? "\n\n" : "\n", out);
    }
    fsd_put_tally_of(v->findings, out);
    fputs("\n\n", out);
    for (uint32_t i = 0; i < v->about.n; i++) {
        fprintf(out, "- %s ", v->about.at[i].what);
        put_code(v->about.at[i].now, out);
        putc('\n', out);
    }
}

/* Lists the root causes. A single cause is left out, because the first sentences of the
 * comment state it. */
static void put_causes(const struct fsd_verdict *v, FILE *out)
{
    for (uint32_t i = 0; v->causes.n > 1 && i < v->causes.n; i++) {
        fprintf(out, "%u. ", i + 1);
        fsd_put_markdown_sentence(out, v->causes.at[i].what);
        fputs(" (", out);
        fsd_put_cause(&v->causes.at[i], out);
        fputs(i + 1 == v->causes.n ? ")\n\n" : ")\n", out);
    }
}

static void put_accept(const struct fsd_verdict *v, FILE *out)
{
    if (!v->accept)
        return;
    fputs("To accept this build, run ", out);
    put_code(v->accept, out);
    fputs(" and commit the snapshot.\n\n", out);
}

/* Lists the ignored findings, because reviewers must see them, too. */
static void put_ignores(const struct fsd_verdict *v, size_t *room, FILE *out)
{
    struct fsd_print piece;

    if (!v->findings->ignores.n)
        return;
    fprintf(fsd_print_open(&piece), "<details><summary>ignored: ");
    fsd_put_noun(piece.out, v->findings->ignored, "finding");
    fputs("</summary>\n\n", piece.out);
    if (!put_piece(&piece, room, out))
        return;
    for (uint32_t i = 0; i < v->findings->ignores.n; i++) {
        struct fsd_print line;

        fsd_put_ignore(&v->findings->ignores.at[i], fsd_print_open(&line));
        fsd_print_close(&line);
        fputs("- ", fsd_print_open(&piece));
        put_code(line.text, piece.out);
        putc('\n', piece.out);
        free(line.text);
        if (put_piece(&piece, room, out))
            continue;
        fprintf(out, "- and %u more\n", v->findings->ignores.n - i);
        break;
    }
    fputs("\n</details>\n\n", out);
}

static void put_one(const struct fsd_judged *j, size_t *room, FILE *out)
{
    const struct fsd_verdict *v = j->v;
    struct fsd_print piece;

    fprintf(fsd_print_open(&piece), "### fusiondiff %s", v->title);
    if (j->name) {
        fputs(" of ", piece.out);
        put_code(j->name, piece.out);
    }
    fprintf(piece.out, "%s%s\n\n", v->verdict ? ": " : "",
            v->verdict ? v->verdict : "");
    put_about(v, piece.out);
    fputs("- fusiondiff " FSD_VERSION "\n\n", piece.out);
    put_table(v, piece.out);
    put_causes(v, piece.out);
    put_accept(v, piece.out);
    put_piece(&piece, room, out);
    for (uint32_t i = 0; i < v->findings->rules.n; i++)
        put_rule(v, i, room, out);
    put_ignores(v, room, out);
}

/* --------------------------------------------------------------- several builds */

static void put_build_row(const struct fsd_judged *j, FILE *out)
{
    struct fsd_print worst;
    char room[32];

    fputs("| ", out);
    fsd_put_markdown(out, j->label);
    fputs(" | ", out);
    put_code(j->model, out);
    fprintf(out, " | %s%s%s | %s | ", j->v && !j->v->failed ? "" : "**", j->verdict,
            j->v && !j->v->failed ? "" : "**", fsd_change_text(j, room));
    fsd_put_worst(j, fsd_print_open(&worst));
    fsd_print_close(&worst);
    if (strcmp(worst.text, "-") != 0)
        put_code(worst.text, out);
    fputs(" |\n", out);
    free(worst.text);
}

/* Prints the table of builds, which may use at most half of the room. */
static void put_builds(const struct fsd_verdicts *all, size_t *room, FILE *out)
{
    size_t half = *room / 2, before = half;

    for (uint32_t i = 0; i < all->n; i++) {
        struct fsd_print piece;

        put_build_row(&all->at[i], fsd_print_open(&piece));
        if (put_piece(&piece, &half, out))
            continue;
        fprintf(out, "| | and %u more | | | |\n", all->n - i);
        break;
    }
    putc('\n', out);
    *room -= before - half;
}

/* Prints a build that did not pass.
 * @param[in,out] room this build's share of the comment, in bytes; the printed bytes
 *         are subtracted. The function prints no more than this, so that later builds
 *         have room */
static void put_failed(const struct fsd_judged *j, size_t *room, FILE *out)
{
    char text[sizeof(struct fsd_error)];
    struct fsd_print piece;

    fputs("#### ", fsd_print_open(&piece));
    put_code(j->name, piece.out);
    fprintf(piece.out, ": %s\n\n", j->verdict);
    if (j->v) {
        put_about(j->v, piece.out);
        putc('\n', piece.out);
        put_causes(j->v, piece.out);
        put_accept(j->v, piece.out);
    } else {
        put_code(fsd_error_text(j->error, text, sizeof text), piece.out);
        fputs("\n\n", piece.out);
    }
    if (!put_piece(&piece, room, out))
        return;
    for (uint32_t i = 0; j->v && i < j->v->findings->rules.n; i++)
        put_rule(j->v, i, room, out);
    if (j->v)
        put_ignores(j->v, room, out);
}

static void put_list(const struct fsd_verdicts *all, size_t *room, FILE *out)
{
    uint32_t left = all->failed + all->errors;
    struct fsd_print piece;

    fprintf(fsd_print_open(&piece), "### fusiondiff check: %s\n\n", all->verdict);
    fsd_put_builds_tally(all, piece.out);
    fputs(" (fusiondiff " FSD_VERSION ")\n\n"
          "| label | model | verdict | change in ms | worst finding |\n"
          "|---|---|---|---:|---|\n",
          piece.out);
    put_piece(&piece, room, out);
    put_builds(all, room, out);
    for (uint32_t i = 0; i < all->n; i++) {
        size_t share = left ? *room / left : 0, before = share;

        if (all->at[i].v && !all->at[i].v->failed)
            continue;
        put_failed(&all->at[i], &share, out);
        *room -= before - share;
        left--;
    }
}

void fsd_verdict_put_markdown(const struct fsd_verdicts *all,
                              const struct fsd_style *style, FILE *out)
{
    size_t room = FSD_MARKDOWN_ROOM;

    (void)style;
    if (all->list)
        put_list(all, &room, out);
    else
        put_one(&all->at[0], &room, out);
}
