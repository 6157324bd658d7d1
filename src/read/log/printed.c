/*
 * Reads layer times that a program's own IProfiler prints, one line for each layer:
 *
 *     conv1 + relu1                            0.054ms   (TensorRT's oldest samples)
 *     layer conv1 + relu1 - 1.48 ms
 *     layer conv1 + relu1 consuming 1.48 ms
 *
 * A line of the first form states the mean of all runs; names are truncated after 40
 * bytes.  In the other forms, the program prints a line each time a layer has run.
 * Other lines of a log may end with a time, too, so a single line is no profile.
 */
#include "read/log/log.h"

#include "base/base.h"

#include <stdlib.h>

enum { NUMBER_MAX = 40, ROWS_MAX = 1 << 22, LAYERS_LEAST = 2, CUT_AT = 40 };

struct printed {
    struct fsd_slice name;
    double ms;
    bool mean; /* the line has the first form */
};

/* Reads a number such as "1.48", without sign and exponent. */
static bool read_ms(struct fsd_slice t, double *out)
{
    char copy[NUMBER_MAX];
    size_t points = 0;

    if (!t.n || t.n >= NUMBER_MAX || !fsd_is_digit(*t.s))
        return false;
    for (size_t i = 0; i < t.n; i++) {
        points += t.s[i] == '.';
        if (t.s[i] != '.' && !fsd_is_digit(t.s[i]))
            return false;
    }
    memcpy(copy, t.s, t.n);
    copy[t.n] = '\0';
    *out = strtod(copy, NULL);
    return points <= 1;
}

/* In the first form, this text follows the last layer. */
static const char sum[] = "Time over all layers: ";

/* Removes a time ("1.48 ms", "0.054ms") and the blanks before it from the end of the
 * text. */
static bool take_time(struct fsd_slice *t, double *ms, bool *blank)
{
    struct fsd_slice rest = *t;
    size_t n = 0;

    if (!fsd_slice_drop(&rest, "ms"))
        return false;
    *blank = fsd_slice_drop(&rest, " ");
    while (n < rest.n && rest.s[rest.n - 1 - n] != ' ')
        n++;
    if (n == rest.n || !read_ms((struct fsd_slice){rest.s + rest.n - n, n}, ms))
        return false;
    rest.n -= n;
    *t = rest;
    return true;
}

static bool read_printed(const struct fsd_log_line *line, struct printed *out)
{
    static const char *const verbs[] = {" -", ":", " consuming", " consuming:"};
    struct fsd_slice t = fsd_slice_trim(line->text);
    bool blank, layer = fsd_slice_take(&t, "layer ") || fsd_slice_take(&t, "Layer ");

    if (!take_time(&t, &out->ms, &blank))
        return false;
    out->name = fsd_slice_trim(t);
    out->mean = false;
    for (size_t i = 0; layer && i < FSD_COUNT_OF(verbs); i++)
        if (fsd_slice_drop(&out->name, verbs[i]))
            return out->name.n > 0;
    /* Lines such as "Total Host Walltime: 1.2 s" or "mean = 0.3 ms" are no layers.
     */
    out->mean = true;
    return !layer && !line->prefixed && !blank && out->name.n &&
           !memchr(":=", out->name.s[out->name.n - 1], 2);
}

static void add(struct fsd_log_printed *r, const struct printed *p)
{
    fsd_sym name = fsd_intern_slice(r->names, p->name);
    struct fsd_profile_entry *e;
    uint32_t i;

    while (r->entry_of.n <= name)
        fsd_vec_push(r->arena, &r->entry_of, 0);
    if (!r->entry_of.at[name] || p->mean) {
        fsd_vec_push(r->arena, &r->profile.entries,
                     (struct fsd_profile_entry){.name = name,
                                                .unescaped = name,
                                                .cut = p->mean && p->name.n == CUT_AT});
        fsd_vec_push(r->arena, &r->times, 0);
        r->entry_of.at[name] = r->profile.entries.n;
    }
    r->profile.printed |= p->mean;
    i = r->entry_of.at[name] - 1;
    e = &r->profile.entries.at[i];
    e->total_ms += p->ms;
    e->mean_ms = e->total_ms / ++r->times.at[i];
    if (r->times.at[i] > r->profile.runs)
        r->profile.runs = r->times.at[i];
}

void fsd_log_printed_line(struct fsd_log_printed *r, const struct fsd_log_line *line)
{
    struct printed p;

    r->over |= r->profile.entries.n && fsd_slice_begins(line->text, sum);
    if (!r->over && !r->full && read_printed(line, &p))
        add(r, &p);
    r->full = r->profile.entries.n > ROWS_MAX;
}

void fsd_log_printed_end(struct fsd_log_printed *r, fsd_profile_vec *out)
{
    r->profile.number = 1;
    if (r->profile.entries.n >= LAYERS_LEAST)
        fsd_vec_push(r->arena, out, r->profile);
}

enum fsd_status fsd_log_printed_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err)
{
    struct fsd_log_printed r = {
        .arena = arena, .names = names, .profile.path = file->name};
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_log_line line;

    while (!r.over && fsd_log_next(&lines, &line)) {
        if (fsd_log_may_be_printed(line.text))
            fsd_log_printed_line(&r, &line);
        if (r.full)
            return fsd_log_fail_times(file, line.number, err);
    }
    fsd_log_printed_end(&r, out);
    return FSD_OK;
}
