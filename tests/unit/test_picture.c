/* What is printed of a drawing, and what becomes of it when Graphviz cannot lay it out.
 */
#include "base/base.h"
#include "report/picture/drawing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A painter whose only box has the drawing's text as its label. */
static void put_of(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out)
{
    (void)box;
    fputs(w->of, out);
}

static void put_nothing(const struct fsd_drawing *w, FILE *out)
{
    (void)w;
    fputs("legend", out);
}

static struct fsd_box_style look(const struct fsd_drawing *w, const struct fsd_box *box)
{
    (void)w;
    (void)box;
    return fsd_port_look;
}

static void put_no_tip(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out)
{
    (void)w;
    (void)box;
    (void)out;
}

static const struct fsd_painter painter = {
    .sides = {{"left", "left side", 1, {"a"}}, {"right", "right side", 1, {"b"}}},
    .put_legend = put_nothing,
    .look = look,
    .put_label = put_of,
    .put_tip = put_no_tip,
};

static struct fsd_drawing *draw(struct fsd_arena *arena, const char *label)
{
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);

    w->arena = arena;
    w->painter = &painter;
    w->of = label;
    fsd_drawing_add_box(w, (struct fsd_box){.side = FSD_SIDE_LEFT}, 7);
    return w;
}

/* ------------------------------------------------------------------------ plans */

/* What the plan's caller received. */
static char told[600];

static void note(void *payload, const char *text)
{
    (void)payload;
    snprintf(told, sizeof told, "%s", text);
}

struct job {
    struct fsd_plan plan; /* first */
    struct fsd_drawing *less;
};

static bool simplify(struct fsd_plan *plan)
{
    struct job *job = (struct job *)(void *)plan;

    if (!job->less)
        return false;
    plan->drawing = job->less;
    plan->last = true;
    job->less = NULL;
    snprintf(plan->less, sizeof plan->less, "drawn in another way");
    return true;
}

/* The picture of `label`, or else of `less` (NULL: there is none); to be freed. */
static char *laid_out(const char *label, const char *less, uint32_t most_ends,
                      enum fsd_status expected, struct fsd_error *err)
{
    static const struct fsd_picture want = {.layout_seconds = 600, .note = note};
    struct fsd_arena *arena = fsd_arena_new();
    struct job job = {.plan = {.want = &want,
                               .drawing = draw(arena, label),
                               .simplify = simplify,
                               .most_ends = most_ends,
                               .last = !less},
                      .less = less ? draw(arena, less) : NULL};
    char *picture = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&picture, &size);

    *told = '\0';
    assert_int_equal(fsd_plan_write(&job.plan, "svg", out, err), expected);
    fclose(out);
    fsd_arena_free(arena);
    return picture;
}

static void drawn(void **state)
{
    char *svg = laid_out("<B>good</B>", NULL, 10, FSD_OK, NULL);

    (void)state;
    assert_non_null(strstr(svg, ">good</text>"));
    assert_string_equal(told, "");
    free(svg);
}

/* Graphviz draws a box's name in place of a label that it cannot read, and calls that a
 * success; what it says of it is an error of ours. */
static void not_read(void **state)
{
    struct fsd_error err = {0};
    char *svg = laid_out("<B>]</B>", NULL, 10, FSD_E_LIMIT, &err);

    (void)state;
    assert_string_equal(svg, "");
    assert_non_null(strstr(err.message, "Graphviz: Error: syntax error"));
    free(svg);
}

static void less_is_drawn(void **state)
{
    char *svg = laid_out("<B>]</B>", "<B>less</B>", 10, FSD_OK, NULL);

    (void)state;
    assert_non_null(strstr(svg, ">less</text>"));
    assert_non_null(strstr(told, "cannot be laid out (Graphviz: Error: syntax error"));
    assert_non_null(strstr(told, "drawn in another way"));
    free(svg);
    svg = laid_out("<B>all</B>", "<B>less</B>", 0, FSD_OK, NULL);
    assert_non_null(strstr(svg, ">less</text>"));
    assert_string_equal(
        told, "a picture of 1 boxes is too large to lay out: drawn in another way");
    free(svg);
}

/* What its router says of an edge that it draws nevertheless is not reported. */
static void complaints(void **state)
{
#define NO_ROOM                                                                        \
    "Warning: Unable to reclaim box space in spline routing for edge \"n1\" -> "       \
    "\"n2\". Something is probably seriously wrong.\n"
    (void)state;
    assert_null(fsd_graphviz_complaint(""));
    assert_null(fsd_graphviz_complaint("Fontconfig warning: no fonts\n"));
    assert_null(fsd_graphviz_complaint(NO_ROOM NO_ROOM));
    assert_null(fsd_graphviz_complaint(
        "Warning: Warning: no value for width of non-ASCII character 226\n"));
    assert_string_equal(fsd_graphviz_complaint(NO_ROOM "Warning: Unable to draw\n"),
                        "Warning: Unable to draw\n");
    assert_string_equal(
        fsd_graphviz_complaint(NO_ROOM "Warning: a\nError: b\n" NO_ROOM),
        "Error: b\n" NO_ROOM);
}

/* One after the other in one child each picture is what it is alone, and one that
 * cannot be laid out, or is not waited for, takes none of the others with it. */
static void several(void **state)
{
    static const char *const dots[] = {
        "digraph { subgraph cluster_z { a } subgraph cluster_b { b } b -> a }",
        "digraph { c -> ",
        "digraph { subgraph cluster_z { a } subgraph cluster_b { b } b -> a }",
        "digraph { d }",
        "digraph { e }",
    };
    double seconds[] = {600, 600, 600, 0, 600};
    static const bool good[] = {true, false, true, false, true};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_layouts *l = fsd_layouts_begin(arena, dots, FSD_COUNT_OF(dots), "svg");
    struct fsd_print print[FSD_COUNT_OF(dots)];

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(dots); i++) {
        assert_int_equal(fsd_layouts_take(l, &seconds[i], fsd_print_open(&print[i])),
                         good[i]);
        fsd_print_close(&print[i]);
    }
    fsd_layouts_end(l);
    assert_non_null(strstr(print[0].text, "cluster_z"));
    assert_string_equal(print[2].text, print[0].text);
    assert_int_equal(print[1].size + print[3].size, 0);
    assert_non_null(strstr(print[4].text, "<title>e</title>"));
    for (size_t i = 0; i < FSD_COUNT_OF(dots); i++)
        free(print[i].text);
    fsd_arena_free(arena);
}

/* ------------------------------------------------------------------------ texts */

static void expect(const char *name, size_t most, const char *label, const char *tip)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fsd_put_label_text(out, name, most);
    putc('|', out);
    fsd_put_tip_text(out, name, most);
    fclose(out);
    assert_int_equal(strncmp(text, label, strlen(label)), 0);
    assert_int_equal(text[strlen(label)], '|');
    assert_string_equal(text + strlen(label) + 1, tip);
    free(text);
}

static void texts(void **state)
{
    (void)state;
    expect("/conv1/Conv", 34, "/conv1/Conv", "/conv1/Conv");
    expect("a<b>&\"]", 34, "a&lt;b&gt;&amp;&quot;&#93;", "a&lt;b&gt;&amp;&quot;&#93;");
    expect("\\N\n", 34, "\\\\N\\\\u{a}", "\\\\\\\\N\\\\\\\\u{a}");
    expect("/m/layers.0/q_proj/Add", 18, "/m/.../q_proj/Add", "/m/.../q_proj/Add");
    expect("/m/<a>/q_proj/Add\n", 16, "/m/.../Add\\\\u{a}", "/m/.../Add\\\\\\\\u{a}");
    expect("0123456789", 9, "0123456789", "0123456789"); /* one word */
    expect("\xc3\xa9\xc3\xa9\xc3\xa9", 3, "\xc3\xa9\xc3\xa9\xc3\xa9",
           "\xc3\xa9\xc3\xa9\xc3\xa9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn),         cmocka_unit_test(not_read),
        cmocka_unit_test(less_is_drawn), cmocka_unit_test(complaints),
        cmocka_unit_test(several),       cmocka_unit_test(texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
