/* The public API that writes one pair of a batch as a line of JSON. */
#include "base/base.h"
#include "base/lines.h"
#include "report/record/records.h"

/* Prints JSON without tabs and newlines. JSON has these only between tokens, never in
 * strings. */
static void put_joined(FILE *out, char *lines, size_t width)
{
    (void)width;
    while (*lines) {
        size_t n = strcspn(lines, "\t\n");

        fwrite(lines, 1, n, out);
        lines += n + strspn(lines + n, "\t\n");
    }
}

enum fsd_status fsd_pair_write(const char *pair, const struct fsd_diff *diff,
                               const struct fsd_error *failure, FILE *out,
                               struct fsd_error *err)
{
    struct fsd_lines joined = {.to = out, .escape = "\\u%04x", .edit = put_joined};
    struct fsd_sheet sheet = {.arena = NULL};
    FILE *line;

    FSD_GUARD(err);
    sheet.arena = fsd_arena_new();
    fsd_document_of_pair(&sheet, pair, diff, failure);
    if (pair) {
        line = fsd_lines_open(&joined);
        fsd_sheet_put_json(&sheet, line);
        fsd_lines_close(&joined);
        putc('\n', out);
    } else {
        fsd_sheet_put_schema(&sheet, out);
    }
    fsd_arena_free(sheet.arena);
    return fsd_flush(out, err);
}
