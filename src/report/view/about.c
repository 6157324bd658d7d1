/* Lists the capabilities of the program: its inputs, its outputs, and the tested
 * versions. */
#include "judge/lint/lint.h"
#include "report/picture/picture.h"
#include "report/subject/subject.h"
#include "report/view/view.h"

/* clang-format off */
#define INPUT_ROW(has, set, when, t) \
    has(t, TEXT, builder, "builder") \
    has(t, TEXT, reads,   "reads")
FSD_RECORD(input_row, INPUT_ROW)

#define FORMAT_ROW(has, set, when, t) \
    set(t, TEXT,  format, format, "format") \
    set(t, WORDS, of, fsd_words(of, n), "of")
FSD_RECORD(format_row, FORMAT_ROW)

#define ANSWER(has, set, when, t) \
    set(t, TEXT,  version, FSD_VERSION, NULL) \
    set(t, TEXT,  report_schema, FSD_SCHEMA, NULL) \
    set(t, WORDS, lays_out, fsd_words(draws, n), NULL) \
    set(t, ROWS,  formats, formats, NULL, .of = &format_row_record) \
    set(t, ROWS,  inputs, inputs, "Inputs", .of = &input_row_record) \
    set(t, WORDS, lint_for, fsd_words(families, n_families), NULL)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

/* Picture formats that only Graphviz can write. */
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
    const char *format, *one;

    for (unsigned i = 0; (format = fsd_format_at(i)); i++) {
        const char **of = FSD_NEW(sheet->arena, const char *, FSD__SUBJECT_COUNT);
        struct format_row *row;
        uint32_t n = 0;

        if (!is_there(format, draws, n_draws))
            continue;
        row = fsd_rows_add(rows);
        for (int s = 0; s < FSD__SUBJECT_COUNT; s++)
            for (unsigned j = 0; (one = fsd_format_of((enum fsd_subject)s, j)); j++)
                if (one == format)
                    of[n++] = fsd_subject_names((enum fsd_subject)s)->listed;
        FSD_FILL(row, FORMAT_ROW);
    }
}

enum fsd_status fsd_view_about(struct fsd_sheet *sheet,
                               const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows *inputs = fsd_rows_new(arena, &input_row_record,
                                           "  {builder:-12}  {reads}\n"),
                    *formats = fsd_rows_new(arena, &format_row_record,
                                            "  {format:-12}  {of}\n");
    const char **draws = FSD_NEW(arena, const char *, FSD_COUNT_OF(drawn));
    struct answer *root;
    struct input_row *row;
    const char **families = FSD_NEW(arena, const char *, sizeof(unsigned) * 8);
    uint32_t n = 0, n_families = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(drawn); i++)
        if (fsd_picture_lays_out(drawn[i]))
            draws[n++] = drawn[i];
    for (unsigned i = 0; i + 1 < request->q->n_words; i += 2) {
        row = fsd_rows_add(inputs);
        row->builder = request->q->words[i];
        row->reads = request->q->words[i + 1];
    }
    add_formats(sheet, formats, draws, n);
    for (unsigned bit = 1; bit & FSD_ANY_BUILDER; bit <<= 1)
        families[n_families++] = fsd_families_text(arena, bit);
    root = fsd_sheet_begin(sheet, "fusiondiff-about/1", &answer_record, NULL,
                           "fusiondiff {version}, reports by {report_schema}\n"
                           "pictures      dot<, laid out by Graphviz: {lays_out!}>\n"
                           "lint for      {lint_for}\n\n"
                           "{*}reads{/}\n{inputs}\n{*}writes{/}\n{formats}");
    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
