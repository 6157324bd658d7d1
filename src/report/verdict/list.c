/*
 * Prints the verdicts of a list of builds as text: a table of all builds, the verdicts
 * of the builds that did not pass, and a last line for all builds.
 */
#include "base/base.h"
#include "report/text/text.h"
#include "report/verdict/verdict.h"

#include <stdlib.h>

void fsd_put_builds_tally(const struct fsd_verdicts *all, FILE *out)
{
    const char *before = ": ";
    const struct {
        uint32_t n;
        const char *what;
    } parts[] = {{all->passed, all->accepts ? "accepted" : "passed"},
                 {all->failed, "failed"},
                 {all->errors, "could not be checked"}};

    fsd_put_noun(out, all->n, "build");
    for (size_t i = 0; i < FSD_COUNT_OF(parts); i++) {
        if (!parts[i].n)
            continue;
        fprintf(out, "%s%u %s", before, parts[i].n, parts[i].what);
        before = ", ";
    }
}

const char *fsd_change_text(const struct fsd_judged *j, char room[32])
{
    double ms;

    if (!fsd_judged_change(j, &ms))
        return "-";
    snprintf(room, 32, "%+.4f", ms);
    return room;
}

void fsd_put_worst(const struct fsd_judged *j, FILE *out)
{
    const struct fsd_finding *worst = j->v ? fsd_verdict_worst(j->v) : NULL;
    char text[sizeof(struct fsd_error)];

    if (!j->v) { /* leaves out the file and the position, which are printed below
                    the table */
        struct fsd_error words = {.unit = FSD_POS_NONE};

        memcpy(words.message, j->error->message, sizeof words.message);
        fputs(fsd_error_text(&words, text, sizeof text), out);
    } else if (!worst)
        fputs("-", out);
    else
        fprintf(out, "%s: %s", j->v->findings->rules.at[worst->rule].rule->id,
                worst->message);
}

struct widths {
    size_t label, model, worst;
};

/* The widths of the table's columns. The table is as wide as the terminal. The columns
 * of labels and models are as wide as their longest text, up to a limit. Longer texts
 * are printed without their middle. The worst finding gets the rest of the line. */
static struct widths measure(const struct fsd_verdicts *all,
                             const struct fsd_style *style)
{
    enum { MOST_LABEL = 24, LEAST_WORST = 20, REST = 26 };
    const size_t width = fsd_text_width(style);
    struct widths w = {0, sizeof "model" - 1, 0};
    size_t most;

    for (uint32_t i = 0; i < all->n; i++) {
        size_t label = fsd_safe_width(all->at[i].label);
        size_t model = fsd_safe_width(all->at[i].model);

        w.label = label > w.label ? label : w.label;
        w.model = model > w.model ? model : w.model;
    }
    w.label = w.label > MOST_LABEL                      ? MOST_LABEL
              : w.label && w.label < sizeof "label" - 1 ? sizeof "label" - 1
                                                        : w.label;
    most = width > REST + w.label + LEAST_WORST + 8
               ? width - REST - w.label - LEAST_WORST
               : 8;
    w.model = w.model > most ? most : w.model;
    w.worst = width - REST - w.label - w.model;
    return w;
}

/* Prints a sentence. If it is too long, its last words are left out, because its first
 * words name its subject. */
static void put_front(const char *text, size_t width, FILE *out)
{
    char front[512];
    size_t n = 0;

    if (fsd_safe_width(text) <= width) {
        fsd_put_safe(out, text);
        return;
    }
    for (size_t next; n < sizeof front - 4 && text[n]; n = next) {
        next = n + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80) /* `next` is inside a UTF-8
                                                              character */
            next++;
        if (next >= sizeof front - 4)
            break;
        memcpy(front + n, text + n, next - n);
        front[next] = '\0';
        if (fsd_safe_width(front) + 3 > width)
            break;
    }
    front[n] = '\0';
    if (strrchr(front, ' '))
        strrchr(front, ' ')[1] = '\0';
    fsd_printf_safe(out, "%s...", front);
}

static void put_padded(const char *text, size_t width, FILE *out)
{
    size_t used = width ? fsd_put_fitted(out, text, width) : 0;

    /* fsd_put_fitted() cannot shorten a label of only one word, so the label may exceed
     * its column. */
    fprintf(out, "%*s", (int)(used < width ? width - used : 0) + (width ? 2 : 0), "");
}

void fsd_verdicts_put_table(const struct fsd_verdicts *all,
                            const struct fsd_style *style, FILE *out)
{
    struct widths w = measure(all, style);

    put_padded("label", w.label, out);
    put_padded("model", w.model, out);
    fputs("verdict   change, ms  worst finding\n", out);
    FSD_EACH (const struct fsd_judged, j, *all) {
        struct fsd_print worst;
        char room[32];

        put_padded(j->label, w.label, out);
        put_padded(j->model, w.model, out);
        if (!j->v || j->v->failed)
            fsd_ink(style, FSD_INK_ALARM, out);
        fprintf(out, "%-8s", j->verdict);
        fsd_ink(style, FSD_INK_PLAIN, out);
        fprintf(out, "  %10s  ", fsd_change_text(j, room));
        fsd_put_worst(j, fsd_print_open(&worst));
        fsd_print_close(&worst);
        put_front(worst.text, w.worst, out);
        free(worst.text);
        putc('\n', out);
    }
}

bool fsd_verdicts_put_title(const struct fsd_judged *j, const struct fsd_style *style,
                            FILE *out)
{
    char text[sizeof(struct fsd_error)];

    if (j->v && !j->v->failed)
        return false;
    fputs("\n== ", out);
    fsd_ink(style, FSD_INK_TITLE, out);
    fsd_put_safe(out, j->name);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fprintf(out, ": %s\n", j->verdict);
    if (!j->v)
        fprintf(out, "%s\n", fsd_error_text(j->error, text, sizeof text));
    return j->v;
}

void fsd_verdicts_put_end(const struct fsd_verdicts *all, const struct fsd_style *style,
                          FILE *out)
{
    putc('\n', out);
    fsd_ink(style, all->errors || all->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fputs(all->verdict, out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fputs(": ", out);
    fsd_put_builds_tally(all, out);
    putc('\n', out);
}

/* "check failed: 3 builds: 1 passed, 2 failed (a.onnx, b.onnx)" */
void fsd_verdicts_put_line(const struct fsd_verdicts *all, FILE *out)
{
    const char *before = " (";

    fprintf(out, "check %s: ", strcmp(all->verdict, "error") ? all->verdict : "failed");
    fsd_put_builds_tally(all, out);
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->at[i].v && !all->at[i].v->failed)
            continue;
        fputs(before, out);
        fsd_put_safe(out, all->at[i].name);
        before = ", ";
    }
    fprintf(out, "%s\n", *before == ',' ? ")" : "");
}
