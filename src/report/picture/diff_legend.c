/* What stands above a picture: what it is of, what is left out, what the colours mean.
 */
#include "base/text.h"
#include "report/picture/label.h"

static const char *file_name(const char *path)
{
    const char *slash = path;

    for (const char *s = path; *s; s++)
        if (*s == '/' && s[1])
            slash = s + 1;
    return slash;
}

static void put_caption(const struct fsd_drawing *w, FILE *out)
{
    char grain[24];

    fputs("<TR><TD ALIGN=\"LEFT\" COLSPAN=\"10\"><FONT POINT-SIZE=\"14\"><B>", out);
    fsd_put_dot_text(out, file_name(w->d->model->path), 60);
    fputs("</B> \xe2\x86\x92 <B>", out);
    fsd_put_dot_text(out, file_name(w->d->engine->path), 60);
    fputs("</B></FONT>  ", out);
    fsd_put_noun(out, w->d->summary->nodes, "node");
    fputs(", ", out);
    fsd_put_noun(out, w->d->summary->layers, "layer");
    fprintf(out, ", %u inserted", w->d->summary->inserted);
    if (w->pick.subject)
        fprintf(out, "; only %s", w->pick.subject);
    else if (w->pick.partial)
        fputs("; only a neighbourhood", out);
    if (w->grain.level != FSD_LEVEL_NONE)
        fprintf(out, "; boxes shared by %s", fsd_grain_name(w->grain, grain));
    if (w->pick.constants)
        fprintf(out, "; %u Constant nodes not drawn", w->pick.constants);
    fputs("</TD></TR>", out);
}

static void put_cell(const char *fill, const char *line, const char *style,
                     const char *text, FILE *out)
{
    fprintf(out, "<TD BORDER=\"2\" BGCOLOR=\"%s\" COLOR=\"%s\" STYLE=\"%s\">%s</TD>",
            fill, line, style, text);
}

static void put_type_cell(enum fsd_dtype type, const char *text, FILE *out)
{
    fprintf(out, "<FONT COLOR=\"%s\"><B>\xe2\x94\x81 %s</B></FONT> ",
            fsd_type_color(type), text);
}

/* Only of lines that are drawn. */
static void put_lines(const struct fsd_drawing *w, FILE *out)
{
    bool part = false, region = false;

    for (uint32_t i = 0; i < w->ties.n; i++) {
        region |= w->ties.at[i].region;
        part |= w->ties.at[i].part && !w->ties.at[i].region;
    }
    if (!part && !region)
        return;
    fputs(
        "<TR><TD ALIGN=\"LEFT\" COLSPAN=\"10\">between the sides: bold, the layer that "
        "computes the nodes",
        out);
    fputs(part ? "; dashed, a layer that computes a part of one" : "", out);
    fputs(region ? "; dotted, one of a group that computes them" : "", out);
    fputs("</TD></TR>", out);
}

void fsd_put_type_keys(FILE *out)
{
    fputs("tensors: ", out);
    put_type_cell(FSD_FP32, "fp32", out);
    put_type_cell(FSD_FP16, "16 bit", out);
    put_type_cell(FSD_INT8, "8 bit", out);
    put_type_cell(FSD_INT4, "4 bit", out);
    put_type_cell(FSD_INT32, "other", out);
}

static void put_keys(const struct fsd_drawing *w, FILE *out)
{
    fputs("<TR>", out);
    put_cell(fsd_cluster_fill(1), fsd_cluster_line(1), "ROUNDED",
             "nodes, and the layer of that colour", out);
    put_cell("#f4f4f4", "#999999", "DASHED", "vanished node", out);
    put_cell("#fff1e0", "#d55e00", "SOLID", "+ inserted layer", out);
    if (w->d->summary->by_fate[FSD_FATE_UNEXPLAINED])
        put_cell("#ffffff", "#cc0000", "SOLID", "unexplained node", out);
    if (w->slowest_ms > 0)
        fprintf(out, "<TD BGCOLOR=\"#fff7d6:#e0701c\">fast ... %.4g ms</TD>",
                w->slowest_ms);
    fputs("<TD BORDER=\"0\">", out);
    fsd_put_type_keys(out);
    if (w->threads.n)
        fputs(" <FONT COLOR=\"#777777\">\xc2\xb7\xc2\xb7\xc2\xb7 not shown or not "
              "known</FONT>",
              out);
    fputs("</TD></TR>", out);
}

void fsd_put_legend(const struct fsd_drawing *w, FILE *out)
{
    fputs("<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\">",
          out);
    put_caption(w, out);
    put_keys(w, out);
    put_lines(w, out);
    fputs("</TABLE>", out);
}
