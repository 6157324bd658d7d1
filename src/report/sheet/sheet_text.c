/* Prints a sheet as text, by its templates. */
#include "base/base.h"
#include "report/phrase/phrase.h"
#include "report/sheet/sheet.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { USUAL_WIDTH = 100, LEAST_ROOM = 12 };

struct writer {
    const struct fsd_style *style;
    fsd_put_cell_fn *put;
    FILE *out;
};

/* A reference to a column, parsed from a template: a name in braces. */
struct reference {
    const struct fsd_column *column;
    struct fsd_cell cell;
    bool must_say;
    int width, digits;             /* digits after the point; -1: the kind determines
                                      them */
    const char *singular, *plural; /* NULL: no noun */
    size_t n_singular, n_plural;
};

/* Whether the brace at `t` opens a color or an arrow, not a reference. */
static bool is_sign(const char *t)
{
    return t[1] && t[2] == '}' && strchr("*+!/-", t[1]);
}

/* Parses the reference that follows the character at `t`, which is the opening brace or
 * the dot behind the name of a record. Templates are part of the program, so an unknown
 * column name is a bug of the program.
 * @param row NULL: the record is unknown, and so are its members */
static struct reference read_reference(const char *t, const struct fsd_record *of,
                                       const void *row)
{
    size_t n = strcspn(++t, ".!:|}");
    struct reference r = {.digits = -1};

    for (uint32_t i = 0; i < of->n; i++)
        if (!strncmp(of->columns[i].name, t, n) && !of->columns[i].name[n])
            r.column = &of->columns[i];
    assert(r.column);
    if (row)
        r.cell = fsd_cell_of(r.column, row);
    t += n;
    if (*t == '.')
        return read_reference(t, r.column->of, r.cell.known ? r.cell.record : NULL);
    if (*t == '!') {
        r.must_say = true;
        t++;
    }
    if (*t == ':') {
        char *end;

        r.width = (int)strtol(t + 1, &end, 10);
        if (*end == '.')
            r.digits = (int)strtol(end + 1, &end, 10);
    } else if (*t == '|') {
        r.singular = t + 1;
        r.n_singular = strcspn(r.singular, "|}");
        r.plural = r.singular + r.n_singular + (r.singular[r.n_singular] == '|');
        r.n_plural = strcspn(r.plural, "}");
    }
    return r;
}

/* Finds the end of a section. `t` is the position after the '<' of the section. Returns
 * the position after its '>'. */
static const char *section_end(const char *t)
{
    for (int depth = 1; depth; t++)
        depth += (*t == '<') - (*t == '>');
    return t;
}

static bool is_filled(const char *t, const struct fsd_record *of, const void *row)
{
    while (*t != '>') {
        if (*t == '<') {
            t = section_end(t + 1);
            continue;
        }
        if (*t == '{' && !is_sign(t)) {
            struct reference r = read_reference(t, of, row);

            if (!r.cell.known || (r.must_say && !fsd_cell_says(r.column, &r.cell)))
                return false;
        }
        t++;
    }
    return true;
}

static void put_rows(const struct writer *w, const struct fsd_rows *rows);
static void put_clauses(const struct writer *w, const struct fsd_record *of,
                        const void *row);

/* Prints a text, without its middle if there is too little room. `columns` is the room
 * in a report of USUAL_WIDTH columns. The room grows and shrinks with the width of the
 * report, but is at least LEAST_ROOM. */
static void put_short(const struct writer *w, const char *text, int columns)
{
    int room = columns + (int)fsd_text_width(w->style) - USUAL_WIDTH;

    fsd_put_fitted(w->out, text, (size_t)(room > LEAST_ROOM ? room : LEAST_ROOM));
}

/* Prints a fact: its name, then its text or time.
 * @param must_say whether to leave out a time of 0
 * @param any whether another fact precedes it
 * @return whether the fact was printed */
static bool put_fact_text(const struct fsd_fact_cell *fact, bool must_say, bool any,
                          FILE *out)
{
    if (must_say && !fsd_fact_says(fact))
        return false;
    fputs(!any ? "" : fact->text ? "; " : ", ", out);
    fsd_printf_safe(out, "%s %s", fact->key, fact->text ? fact->text : "");
    if (!fact->text)
        fsd_put_ms_column(fact->number, 0, out);
    return true;
}

static void put_cell_of_reference(const struct writer *w, const struct reference *r)
{
    const struct fsd_cell *c = &r->cell;
    FILE *out = w->out;
    char room[FSD_BRIEF_ROOM];
    const char *text;
    int digits = r->digits, used = 0;

    switch (r->column->kind) {
    case FSD_CELL_COUNT:
        fprintf(out, "%*" PRIu64, r->width, c->count);
        if (r->singular)
            fprintf(out, " %.*s", (int)(c->count == 1 ? r->n_singular : r->n_plural),
                    c->count == 1 ? r->singular : r->plural);
        break;
    case FSD_CELL_NUMBER:
        fprintf(out, "%*.*f", r->width, digits < 0 ? 0 : digits, c->number);
        break;
    case FSD_CELL_SHARE:
        fprintf(out, "%*.*f", r->width, digits < 0 ? 1 : digits, 100 * c->number);
        break;
    case FSD_CELL_MS:
        if (r->width)
            fsd_put_ms_column(c->number, r->width, out);
        else
            fsd_put_ms(c->number, out);
        break;
    case FSD_CELL_BYTES:
        if (r->width && c->amount.term) /* amounts in a column are not rounded, so that
                                           readers can add them up */
            fprintf(out, "%*s", r->width, c->amount.term);
        else if (r->width)
            fprintf(out, "%*" PRId64, r->width, c->amount.number);
        else
            fsd_put_scaled(c->amount.number, c->amount.term, " B", out);
        break;
    case FSD_CELL_MACS:
        fsd_put_scaled(c->amount.number, c->amount.term, "", out);
        break;
    case FSD_CELL_TYPE:
        fprintf(out, "%*s", r->width, fsd_dtype_name((enum fsd_dtype)c->count));
        break;
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
        text = fsd_cell_brief(r->column, c, room);
        if (digits >= 0 && !w->style->all) {
            put_short(w, text, digits);
            break;
        }
        used = (int)fsd_safe_width(text);
        fprintf(out, "%*s", r->width > used ? r->width - used : 0, "");
        w->put(r->column, text, out);
        fprintf(out, "%*s", -r->width > used ? -r->width - used : 0, "");
        break;
    case FSD_CELL_WORDS:
    case FSD_CELL_TALLY:
        for (uint32_t i = 0; i < c->words.n; i++) {
            const uint32_t *n = c->words.counts ? c->words.counts + i : NULL;

            if (r->must_say && n && !*n)
                continue;
            fputs(used++ ? ", " : "", out);
            if (n && r->singular)
                fprintf(out, "%u ", *n);
            fsd_put_safe(out, c->words.at[i]);
            if (n && !r->singular)
                fprintf(out, " %u", *n);
        }
        break;
    case FSD_CELL_ROWS:
        put_rows(w, c->rows);
        break;
    case FSD_CELL_RECORD:
        put_clauses(w, r->column->of, c->record);
        break;
    case FSD_CELL_FACTS:
        for (uint32_t i = 0; i < c->facts.n; i++)
            used += put_fact_text(&c->facts.at[i], r->must_say, used, out);
        break;
    case FSD_CELL_SIZES:
        for (uint32_t i = 0; i < c->sizes.n; i++)
            if (c->sizes.at[i].term)
                fsd_printf_safe(out, "%s%s", i ? "x" : "", c->sizes.at[i].term);
            else
                fprintf(out, "%s%" PRId64, i ? "x" : "", c->sizes.at[i].number);
        break;
    case FSD_CELL_FLAG: /* has no text; decides whether a section is printed */
    case FSD_CELL_IDS:  /* only JSON prints these */
    default:
        break;
    }
}

/* Prints a template up to its end, or up to the end of the section. */
static void put_template(const struct writer *w, const char *t,
                         const struct fsd_record *of, const void *row)
{
    while (*t && *t != '>') {
        if (*t == '<') {
            if (is_filled(t + 1, of, row))
                put_template(w, t + 1, of, row);
            t = section_end(t + 1);
        } else if (*t == '{' && t[1] == '-') {
            fputs("->", w->out);
            t += 3;
        } else if (*t == '{' && is_sign(t)) {
            fsd_ink(w->style,
                    t[1] == '*'   ? FSD_INK_TITLE
                    : t[1] == '+' ? FSD_INK_INSERTED
                    : t[1] == '!' ? FSD_INK_ALARM
                                  : FSD_INK_PLAIN,
                    w->out);
            t += 3;
        } else if (*t == '{') {
            struct reference r = read_reference(t, of, row);

            if (r.cell.known)
                put_cell_of_reference(w, &r);
            else if (r.column->kind != FSD_CELL_TEXT && r.column->kind != FSD_CELL_NAME)
                fprintf(w->out, "%*s", r.width, "-"); /* an unknown text or
                                                         name prints nothing */
            t = strchr(t, '}') + 1;
        } else {
            putc(*t++, w->out);
        }
    }
}

static void put_clauses(const struct writer *w, const struct fsd_record *of,
                        const void *row)
{
    for (uint32_t k = 0; k < of->n; k++)
        if (of->columns[k].says)
            put_template(w, of->columns[k].says, of, row);
}

static void put_rows(const struct writer *w, const struct fsd_rows *rows)
{
    for (uint32_t i = 0; i < rows->at.n; i++) {
        struct fsd_row row = fsd_row_begin(rows, i);

        if (i && rows->between)
            fputs(rows->between, w->out);
        if (rows->text)
            put_template(w, rows->text, rows->of, row.at);
        else
            put_clauses(w, rows->of, row.at);
        fsd_row_end(row);
    }
}

static void put_plainly(const struct fsd_column *column, const char *text, FILE *out)
{
    (void)column;
    fsd_put_safe(out, text);
}

void fsd_sheet_put_head(const struct fsd_sheet *sheet, fsd_put_cell_fn *put, FILE *out)
{
    static const struct fsd_style plain = {0};
    const struct writer w = {&plain, put, out};

    if (sheet->head)
        put_template(&w, sheet->head, sheet->root->of, sheet->root->at.at[0]);
}

void fsd_record_put_text(const struct fsd_record *of, const void *record,
                         const char *text, const struct fsd_style *style, FILE *out)
{
    const struct writer w = {style, put_plainly, out};

    put_template(&w, text, of, record);
}

void fsd_sheet_put_text(const struct fsd_sheet *sheet, FILE *out)
{
    const struct writer w = {sheet->style, put_plainly, out};

    fsd_sheet_put_head(sheet, put_plainly, out);
    put_rows(&w, sheet->root);
}
