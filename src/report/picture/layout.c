/*
 * Lays a picture out: by Graphviz in a child process (child.c), by a program
 * (program.c), or by a function of the library's user.
 *
 * A picture that is too large is simplified, because the time of a layout grows much
 * faster than the size of the picture. A layout that takes too long is an error. It
 * does not lead to a simpler picture: pictures must not depend on how busy the machine
 * is.
 */
#include "base/base.h"
#include "report/picture/drawing.h"

#include <stdlib.h>

enum {
    MANY_WIRES = 160 /* in a picture with more wires, only wires whose type changes have
                        labels */
};

/* -------------------------------------------------------------------- who lays out */

static _Thread_local fsd_layout_fn *given;
static _Thread_local void *given_payload;

void fsd_use_layout(fsd_layout_fn *layout, void *payload)
{
    given = layout;
    given_payload = payload;
}

struct fsd_layouts {
    const char *const *dots;
    uint32_t next;
    const char *format;
    struct fsd_layout_child *child; /* NULL: the function of the library's user lays the
                                       pictures out */
};

struct fsd_layouts *fsd_layouts_begin(struct fsd_arena *arena, const char *const *dots,
                                      uint32_t n, const char *format)
{
    struct fsd_layouts *l = FSD_NEW(arena, struct fsd_layouts, 1);

    *l = (struct fsd_layouts){.dots = dots, .format = format};
    if (!given)
        l->child = fsd_child_begin(arena, dots, n, format);
    return l;
}

void fsd_layouts_end(struct fsd_layouts *l)
{
    if (l->child)
        fsd_child_end(l->child);
}

/* Writes the next picture to `out`; nothing if its layout fails. */
static struct fsd_layout_outcome take(struct fsd_layouts *l, double seconds, FILE *out)
{
    struct fsd_layout_outcome o = {0};
    uint32_t i = l->next++;

    if (l->child)
        return fsd_child_take(l->child, seconds, out);
    o.good = given && given(given_payload, l->dots[i], l->format, out);
    return o;
}

bool fsd_layouts_take(struct fsd_layouts *l, double *seconds, FILE *out)
{
    struct fsd_layout_outcome o = take(l, *seconds, out);

    *seconds -= o.spent;
    return o.good && !*o.said;
}

/* Limit of the processor time for a test picture of two boxes. Its layout takes a tenth
 * of a second. */
enum { PROBE_SECONDS = 10 };

bool fsd_picture_lays_out(const char *format)
{
    FSD_SCRATCH(arena);
    const char *dot = "digraph { a -> b }";
    struct fsd_layouts *l = fsd_layouts_begin(arena, &dot, 1, format);
    struct fsd_print picture;
    double seconds = PROBE_SECONDS;
    bool good = fsd_layouts_take(l, &seconds, fsd_print_open(&picture));

    fsd_layouts_end(l);
    fsd_print_close(&picture);
    free(picture.text);
    return good;
}

/* ---------------------------------------------------------------------- attempts */

/* Whether every wire has a label. In a picture with many wires, labels would push the
 * boxes apart. */
static bool is_labelled(const struct fsd_drawing *w)
{
    return w->lines[FSD_WIRE].n <= MANY_WIRES;
}

/* Whether the drawing is too large to lay out. Labels of wires have their own ranks, so
 * a drawing with labels has twice as many ranks. */
static bool is_too_large(const struct fsd_plan *plan)
{
    const struct fsd_drawing *w = plan->drawing;

    return fsd_drawing_weight(w) > plan->most_ends ||
           fsd_drawing_span(w) * (is_labelled(w) ? 2 : 1) > FSD_MOST_SPAN;
}

/* Simplifies the picture once, and again while the picture is too large.
 * @return false if not even the first simplification is possible */
static bool draw_less(struct fsd_plan *plan)
{
    bool less = plan->simplify(plan);

    while (less && is_too_large(plan) && plan->simplify(plan))
        ;
    return less;
}

/* Passes a note to the caller: that the picture is simplified, or a message of
 * Graphviz. */
static void report(const struct fsd_plan *plan, uint32_t boxes, const char *why,
                   const char *said)
{
    char text[600];

    if (*plan->less)
        snprintf(text, sizeof text, "a picture of %u boxes %s: %s", boxes, why,
                 plan->less);
    else
        snprintf(text, sizeof text, "Graphviz reports on the picture: %s", said);
    if (plan->want->note && (*plan->less || *said))
        plan->want->note(plan->want->payload, text);
}

static void print_first(struct fsd_plan *plan, FILE *out)
{
    if (!plan->chosen && is_too_large(plan))
        draw_less(plan);
    fsd_dot_print(plan->drawing, is_labelled(plan->drawing), out);
}

static const char too_large[] = "is too large to lay out";

void fsd_plan_print(struct fsd_plan *plan, FILE *out)
{
    uint32_t boxes = plan->drawing->boxes.n;

    print_first(plan, out);
    report(plan, boxes, too_large, "");
}

/* Lays the plan's drawing out and writes it; writes nothing if the layout fails. */
static struct fsd_layout_outcome try_layout(struct fsd_plan *plan, const char *format,
                                            double seconds, FILE *out)
{
    struct fsd_print print;
    struct fsd_layouts *l;
    const char *dot;
    struct fsd_layout_outcome o;

    print_first(plan, fsd_print_open(&print));
    dot = fsd_print_take(&print, plan->drawing->arena);
    l = fsd_layouts_begin(plan->drawing->arena, &dot, 1, format);
    o = take(l, seconds, out);
    fsd_layouts_end(l);
    return o;
}

/* Graphviz may find no path for a curve, for example among hundreds of labels. After a
 * failure, lines are drawn straight. If this fails, too, the picture is simplified. */
enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err)
{
    double seconds = fsd_picture_seconds(plan->want), left = seconds;
    uint32_t boxes = plan->drawing->boxes.n;
    struct fsd_layout_outcome o;
    char why[260], said[200] = "";
    bool more;

    if (!given && !fsd_child_draws())
        return fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "expected a format that needs no layout, found %s: this fusiondiff "
            "was built without Graphviz, and neither dot nor graphviz-pure is "
            "on the PATH; install Graphviz, run `pip install graphviz-pure`, "
            "or pass -f dot and draw the output with `dot -T%s`",
            format, format);
    snprintf(why, sizeof why, "%s", too_large);
    do {
        o = try_layout(plan, format, left, out);
        left -= o.spent;
        if (!o.good)
            snprintf(said, sizeof said, "%s", *o.said ? o.said : "no word");
        more = !o.good && !o.timed_out && left > 0;
        if (more && !plan->drawing->straight) {
            plan->drawing->straight = true;
        } else if (more) {
            snprintf(why, sizeof why, "cannot be laid out (Graphviz: %s)", said);
            more = draw_less(plan);
        }
    } while (more);
    plan->spent = seconds - left;
    if (!o.good && (o.timed_out || left <= 0))
        return fsd_fail(err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
                        "expected a layout within %g seconds of processor time, "
                        "found that the layout of %u boxes takes longer; for a "
                        "smaller picture, pass --around, --only or --collapse; for "
                        "more time, pass a larger --layout-timeout; or pass -f dot, "
                        "which needs no layout",
                        seconds, plan->drawing->boxes.n);
    if (!o.good)
        return fsd_fail(
            err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
            "expected a layout, found none (Graphviz: %s); pass --around or "
            "--only for a smaller picture, or -f dot, which needs no layout",
            said);
    report(plan, boxes, why, o.said);
    return FSD_OK;
}
