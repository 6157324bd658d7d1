/* Words and colors of all pictures. The pale fills are from Paul Tol's color schemes,
 * the colors of lines from Okabe and Ito: color-blind readers can distinguish these
 * colors. A word, a dash or a line width repeats the meaning of each color. */
#include "report/picture/drawing.h"
#include "base/base.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------- escapes */

static size_t char_len(const char *s)
{
    size_t len = (unsigned char)*s < 0x80
                     ? 1
                     : fsd_utf8_len((const unsigned char *)s, strnlen(s, 4));

    return len ? len : 1;
}

/* Prints a character, escaped if necessary. "]" becomes an entity: Graphviz passes a
 * label to its XML parser in pieces. If a piece ends with "]", the parser holds this
 * "]" back, because "]]>" may begin there. If the piece is only "]", this causes a
 * syntax error. */
static void put_char(FILE *out, const char *s, size_t len, const char *backslash)
{
    static const char specials[] = "&<>\"]";
    static const char *const stand_ins[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#93;"};
    const char *special = strchr(specials, *s);
    uint32_t code = fsd_utf8_code((const unsigned char *)s, len);

    if (fsd_code_is_hidden(code))
        fprintf(out, "%su{%x}", backslash, code);
    else if (*s == '\\')
        fputs(backslash, out);
    else if (special)
        fputs(stand_ins[special - specials], out);
    else
        fwrite(s, 1, len, out);
}

/* Prints a text. Nearly all characters need no escape, so runs of them are printed at
 * once. */
static void put_chars(FILE *out, const char *s, const char *backslash)
{
    static const bool changes[0x80] = {['\\'] = true, ['&'] = true, ['<'] = true,
                                       ['>'] = true,  ['"'] = true, [']'] = true};

    while (*s) {
        size_t run = 0, len = char_len(s);

        while (s[run] >= ' ' && s[run] <= '~' && !changes[(int)s[run]])
            run++;
        if (run)
            fwrite(s, 1, run, out);
        else
            put_char(out, s, len, backslash);
        s += run ? run : len;
    }
}

/* Prints a text of at most `most` characters; a longer text is shortened in the
 * middle. */
static void put_text(FILE *out, const char *s, size_t most, const char *backslash)
{
    struct fsd_print fitted;

    if (strnlen(s, most + 1) <= most) {
        put_chars(out, s, backslash);
        return;
    }
    fsd_put_fitted(fsd_print_open(&fitted), s, most);
    fsd_print_close(&fitted);
    put_chars(out, fitted.text, backslash);
    free(fitted.text);
}

/* HTML-like strings expand "\N" like plain strings, so backslashes are escaped. An
 * empty text, such as an unknown operator, becomes "?", because Graphviz rejects an
 * empty bold element. */
void fsd_put_label_text(FILE *out, const char *s, size_t most)
{
    put_text(out, *s ? s : "?", most, "\\\\");
}

/* Graphviz resolves the escapes of a tooltip twice, so a backslash becomes four. */
void fsd_put_tip_text(FILE *out, const char *s, size_t most)
{
    put_text(out, s, most, "\\\\\\\\");
}

/* Prints the end of `path`, beginning with the last part that differs from `other`.
 * Usually this is only the name of the file. */
static void put_file(const char *path, const char *other, FILE *out)
{
    size_t n = strlen(path), m = strlen(other), same = 0, at;

    while (same < n && same < m && path[n - same - 1] == other[m - same - 1])
        same++;
    at = same < n ? n - same - 1 : 0;
    while (at && path[at - 1] != '/')
        at--;
    fsd_put_label_text(out, path + at, 60);
}

void fsd_put_title(const char *left, const char *right, bool apart, FILE *out)
{
    fputs("<FONT POINT-SIZE=\"14\"><B>", out);
    if (left) {
        put_file(left, apart ? right : "", out);
        fputs("</B>" FSD_ARROW "<B>", out);
    }
    put_file(right, apart && left ? left : "", out);
    fputs("</B></FONT>  ", out);
}

/* ------------------------------------------------------------------------ types */

const char *fsd_type_color(enum fsd_dtype type)
{
    static const char *const by_rank[] = {"#777777", "#882255", "#cc3399",
                                          "#009e73", "#0072b2", "#0072b2"};

    return type == FSD_DTYPE_UNKNOWN ? "#aaaaaa" : by_rank[fsd_dtype_rank(type)];
}

const char *fsd_type_width(enum fsd_dtype type)
{
    static const char *const by_rank[] = {"1", "1.2", "1.2", "1.7", "2.4", "2.8"};

    return by_rank[fsd_dtype_rank(type)];
}

void fsd_put_type_word(enum fsd_dtype type, FILE *out)
{
    if (type != FSD_DTYPE_UNKNOWN)
        fprintf(out, " <FONT COLOR=\"%s\"><B>%s</B></FONT>", fsd_type_color(type),
                fsd_dtype_name(type));
}

/* ---------------------------------------------------------------------- legends */

const struct fsd_box_style fsd_port_look = {"oval", "filled", "#ffffff", "#555555",
                                            "1"};
const struct fsd_box_style fsd_inserted_look = {"box", "filled,bold", "#fff1e0",
                                                "#d55e00", "2.5"};

void fsd_put_key(struct fsd_box_style look, const char *border, const char *text,
                 FILE *out)
{
    fprintf(out, "<TD BORDER=\"2\" BGCOLOR=\"%s\" COLOR=\"%s\" STYLE=\"%s\">%s</TD>",
            look.fill, look.line, border, text);
}

void fsd_put_line_keys(const struct fsd_drawing *w, FILE *out)
{
    static const struct {
        enum fsd_dtype type;
        const char *text;
    } keys[] = {{FSD_FP32, "fp32"},
                {FSD_FP16, "16 bit"},
                {FSD_INT8, "8 bit"},
                {FSD_INT4, "4 bit"},
                {FSD_INT32, "other"}};

    bool derived = false;

    fputs("<TD BORDER=\"0\">tensors: ", out);
    for (size_t i = 0; i < FSD_COUNT_OF(keys); i++)
        fprintf(out, "<FONT COLOR=\"%s\"><B>\xe2\x94\x81 %s</B></FONT> ",
                fsd_type_color(keys[i].type), keys[i].text);
    for (uint32_t i = 0; i < w->lines[FSD_WIRE].n && !derived; i++)
        derived = w->lines[FSD_WIRE].at[i].derived;
    if (derived)
        fputs(" <FONT COLOR=\"#777777\">- - - derived from the nodes, because a "
              "build's tensors are not known</FONT>",
              out);
    if (w->lines[FSD_THREAD].n)
        fputs(" <FONT COLOR=\"#777777\">\xc2\xb7\xc2\xb7\xc2\xb7 not shown or not "
              "known</FONT>",
              out);
    fputs("</TD></TR>", out);
}
