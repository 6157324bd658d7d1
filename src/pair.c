/* The public API: one pair of many, as a line of JSON. */
#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "report/json/json.h"
#include "report/report.h"

#include <string.h>

/* JSON on one line: tabs and ends of lines stand between its words only, in none. */
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
    FILE *line = fsd_lines_open(&joined);
    enum fsd_status status = FSD_OK;
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_json *error;
    struct fsd_intern *names = fsd_intern_new(arena); /* makes UTF-8 of any name */

    fputs("{\"schema\":\"fusiondiff-pair/1\",\"pair\":", line);
    fsd_put_json(line, fsd_text(names, fsd_intern_str(names, pair)));
    fsd_arena_free(arena);
    if (diff) {
        struct fsd_json *tally;

        /* Before the report, so that who counts need not read it. */
        fputs(",\"findings\":", line);
        tally = fsd_json_new(line);
        for (unsigned i = 0; i < FSD__SEVERITY_COUNT; i++)
            fsd_json_number(tally, fsd_severity_name((enum fsd_severity)i),
                            diff->findings->by_severity[i]);
        fsd_json_end(tally);
        fputs(",\"report\":", line);
        status = fsd_diff_write(diff, "json", NULL, line, err);
    } else if (failure) {
        fputs(",\"error\":", line);
        error = fsd_json_new(line);
        fsd_json_error(error, failure);
        fsd_json_end(error);
    }
    fputs("}", line);
    fsd_lines_close(&joined);
    putc('\n', out);
    return status == FSD_OK ? fsd_flush(out, err) : status;
}
