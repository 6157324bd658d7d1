/* What the program can do here: what it reads, what it writes, and what was tried. */
#include "lint/lint.h"
#include "report/picture/picture.h"
#include "report/view/view.h"

#include <string.h>

enum { VERSION, SCHEMA, LAYOUT, FORMATS, INPUTS, BUILDERS };
enum { BUILDER, READS };
enum { FORMAT, OF };

static const struct fsd_column input_columns[] = {
    [BUILDER] = {"builder", "builder", FSD_CELL_TEXT},
    [READS] = {"reads", "reads", FSD_CELL_TEXT},
};

static const struct fsd_column format_columns[] = {
    [FORMAT] = {"format", "format", FSD_CELL_TEXT},
    [OF] = {"of", "of", FSD_CELL_WORDS},
};

static const struct fsd_column columns[] = {
    [VERSION] = {"version", NULL, FSD_CELL_TEXT},
    [SCHEMA] = {"report_schema", NULL, FSD_CELL_TEXT},
    [LAYOUT] = {"lays_out", NULL, FSD_CELL_WORDS},
    [FORMATS] = {"formats", NULL, FSD_CELL_ROWS, FSD_INSIDE(format_columns)},
    [INPUTS] = {"inputs", "Inputs", FSD_CELL_ROWS, FSD_INSIDE(input_columns)},
    [BUILDERS] = {"lint_for", NULL, FSD_CELL_WORDS},
};

/* Pictures that Graphviz lays out, as far as it is there. */
static const char *const drawn[] = {"svg", "png", "pdf"};

static bool is_there(const char *format, const char *const *draws, uint32_t n)
{
    bool there = true;

    for (size_t i = 0; i < FSD_COUNT_OF(drawn); i++)
        there &= strcmp(format, drawn[i]) != 0;
    for (uint32_t i = 0; i < n; i++)
        there |= !strcmp(format, draws[i]);
    return there;
}

static void add_formats(struct fsd_sheet *sheet, struct fsd_rows *rows,
                        const char *const *draws, uint32_t n_draws)
{
    static const char *const subjects[FSD__SUBJECT_COUNT] = {
        [FSD_OF_RUN] = "a run",           [FSD_OF_COMPARISON] = "compare",
        [FSD_OF_CHECK] = "check",         [FSD_OF_VIEW] = "views",
        [FSD_OF_LINT] = "lint",           [FSD_OF_MATRIX] = "several builds",
        [FSD_OF_STABILITY] = "stability", [FSD_OF_MODELS] = "two models",
        [FSD_OF_CHECKS] = "check --list"};
    const char *format, *one;

    for (unsigned i = 0; (format = fsd_format_at(i)); i++) {
        const char **of = FSD_NEW(sheet->arena, const char *, FSD__SUBJECT_COUNT);
        struct fsd_cell *row;
        uint32_t n = 0;

        if (!is_there(format, draws, n_draws))
            continue;
        row = fsd_rows_add(sheet->arena, rows);
        for (int s = 0; s < FSD__SUBJECT_COUNT; s++)
            for (unsigned j = 0; (one = fsd_format_of((enum fsd_subject)s, j)); j++)
                if (one == format)
                    of[n++] = subjects[s];
        row[FORMAT] = fsd_cell_text(format);
        row[OF] = fsd_cell_words(of, n);
    }
}

enum fsd_status fsd_view_about(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                               struct fsd_error *err)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows inputs = FSD_ROWS(input_columns, "  {builder:-12}  {reads}\n"),
                    formats = FSD_ROWS(format_columns, "  {format:-12}  {of}\n");
    const char **draws = FSD_NEW(arena, const char *, FSD_COUNT_OF(drawn));
    struct fsd_cell *root, *row;
    const char **families = FSD_NEW(arena, const char *, sizeof(unsigned) * 8);
    uint32_t n = 0, n_families = 0;

    (void)err;
    for (size_t i = 0; i < FSD_COUNT_OF(drawn); i++)
        if (fsd_picture_lays_out(drawn[i]))
            draws[n++] = drawn[i];
    for (unsigned i = 0; i + 1 < asked->q->n_words; i += 2) {
        row = fsd_rows_add(arena, &inputs);
        row[BUILDER] = fsd_cell_text(asked->q->words[i]);
        row[READS] = fsd_cell_text(asked->q->words[i + 1]);
    }
    add_formats(sheet, &formats, draws, n);
    for (unsigned bit = 1; bit & FSD_ANY_BUILDER; bit <<= 1)
        families[n_families++] = fsd_families_text(arena, bit);
    sheet->schema = "fusiondiff-about/1";
    sheet->root =
        FSD_ROWS(columns, "fusiondiff {version}, reports by {report_schema}\n"
                          "pictures      dot<, laid out by Graphviz: {lays_out!}>\n"
                          "lint for      {lint_for}\n\n"
                          "{*}reads{/}\n{inputs}\n{*}writes{/}\n{formats}");
    root = fsd_rows_add(arena, &sheet->root);
    root[VERSION] = fsd_cell_text(FSD_VERSION);
    root[SCHEMA] = fsd_cell_text(FSD_SCHEMA);
    root[LAYOUT] = fsd_cell_words(draws, n);
    root[FORMATS] = fsd_cell_rows(arena, &formats, UINT32_MAX);
    root[INPUTS] = fsd_cell_rows(arena, &inputs, UINT32_MAX);
    root[BUILDERS] = fsd_cell_words(families, n_families);
    return FSD_OK;
}
