/* What stands above a picture of a comparison. */
#include "base/text.h"
#include "report/picture/compare_label.h"
#include "report/compare_report.h"

#include <string.h>

/* The last parts of a path that tell it from the other one: mostly the file's name. */
static void put_file(const char *path, const char *other, FILE *out)
{
    size_t n = strlen(path), m = strlen(other), same = 0, at;

    while (same < n && same < m && path[n - same - 1] == other[m - same - 1])
        same++;
    at = same < n ? n - same - 1 : 0;
    while (at && path[at - 1] != '/')
        at--;
    fsd_put_dot_text(out, path + at, 60);
}

static void put_count(uint32_t n, const char *noun, const char *what, FILE *out)
{
    if (!n)
        return;
    fputs(", ", out);
    fsd_put_noun(out, n, noun);
    fprintf(out, " %s", what);
}

/* ", fusion-lost 2, 3 nodes widened, 1 other layer added" */
static void put_counts(const struct fsd_compare *c, FILE *out)
{
    for (uint8_t h = FSD_HAPPENED_SAME + 1; h < FSD__HAPPENED_COUNT; h++)
        if (c->by_happened[h])
            fprintf(out, ", %s %u", fsd_happened_name(h), c->by_happened[h]);
    for (uint8_t w = FSD_WIDTH_NARROWED; w < FSD__WIDTH_COUNT; w++)
        put_count(c->by_width[w], "node", fsd_width_name(w), out);
    for (uint8_t w = FSD_MOVE_ADDED; w <= FSD_MOVE_CHANGED; w++)
        put_count(c->moves_by_what[w], "other layer", fsd_move_what_name(w), out);
}

static void put_caption(const struct fsd_compare_drawing *w, FILE *out)
{
    const struct fsd_compare *c = w->c;

    fputs("<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"14\"><B>", out);
    put_file(c->old->engine_path, c->new->engine_path, out);
    fputs("</B> \xe2\x86\x92 <B>", out);
    put_file(c->new->engine_path, c->old->engine_path, out);
    fprintf(out, "</B></FONT>  %u regions", c->regions.n);
    put_counts(c, out);
    if (c->timed) {
        fputs("; ", out);
        fsd_put_delta(c->before, c->after, out);
    }
    if (!c->differs)
        fputs("; no difference", out);
    if (w->pick.partial)
        fprintf(out, "; drawn: %s", w->pick.subject);
    fputs("</TD></TR>", out);
}

static void put_cell(struct fsd_look look, const char *style, const char *text,
                     FILE *out)
{
    fprintf(out, "<TD BORDER=\"2\" BGCOLOR=\"%s\" COLOR=\"%s\" STYLE=\"%s\">%s</TD>",
            look.fill, look.line, style, text);
}

/* The look of what a picture may hold, made as for a mark of it. */
static struct fsd_look region_look(uint8_t happened, uint8_t width)
{
    return fsd_region_look(
        &(struct fsd_region_diff){.happened = happened, .width = width});
}

static void put_group_keys(const struct fsd_compare *c, FILE *out)
{
    for (uint8_t h = 0; h < FSD__HAPPENED_COUNT; h++)
        if (c->by_happened[h])
            put_cell(region_look(h, FSD_WIDTH_SAME), "ROUNDED",
                     h == FSD_HAPPENED_SAME ? "same fusion" : fsd_happened_name(h),
                     out);
    for (uint8_t w = FSD_WIDTH_NARROWED; w <= FSD_WIDTH_WIDENED; w++)
        if (c->by_width[w])
            put_cell(region_look(FSD_HAPPENED_SAME, w), "ROUNDED", fsd_width_name(w),
                     out);
}

static void put_move_keys(const struct fsd_compare *c, FILE *out)
{
    static const struct {
        uint8_t what;
        const char *text, *style;
    } keys[] = {{FSD_MOVE_ADDED, "+ added", "SOLID"},
                {FSD_MOVE_REMOVED, "\xe2\x88\x92 removed", "DASHED"},
                {FSD_MOVE_CHANGED, "~ changed", "SOLID"}};

    for (size_t i = 0; i < FSD_COUNT_OF(keys); i++)
        if (c->moves_by_what[keys[i].what])
            put_cell(fsd_move_look(keys[i].what), keys[i].style, keys[i].text, out);
}

#define TABLE                                                                          \
    "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\">"

void fsd_put_compare_legend(const struct fsd_compare_drawing *w, FILE *out)
{
    fputs(TABLE, out);
    put_caption(w, out);
    fputs("<TR><TD ALIGN=\"LEFT\">" TABLE "<TR>", out);
    put_group_keys(w->c, out);
    put_move_keys(w->c, out);
    fputs("<TD BORDER=\"0\">", out);
    fsd_put_type_keys(out);
    fputs("</TD></TR></TABLE></TD></TR></TABLE>", out);
}
