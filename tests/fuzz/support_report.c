#include "support_report.h"

#include "base/text.h"
#include "support_file.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

void fuzz_report_begin(struct fuzz_report *report)
{
    *report = (struct fuzz_report){0};
    report->out = open_memstream(&report->bytes, &report->size);
    check(report->out != NULL);
}

void fuzz_report_close(struct fuzz_report *report)
{
    check(!fclose(report->out));
    report->out = NULL;
}

void fuzz_report_free(struct fuzz_report *report)
{
    free(report->bytes);
    report->bytes = NULL;
}

/* What reaches a terminal is valid UTF-8, and obeyed by none. */
static void check_text(const char *s, size_t size)
{
    for (size_t i = 0, n; i < size; i += n) {
        const unsigned char *at = (const unsigned char *)s + i;

        n = fsd_utf8_len(at, size - i);
        check(n > 0);
        check(*at == '\n' || *at == '\t' || !fsd_code_is_hidden(fsd_utf8_code(at, n)));
    }
}

static void check_json(const char *s, size_t size)
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(s, size, &end, false);

    check(json != NULL);
    while (end < s + size)
        check(*end++ == '\n');
    cJSON_Delete(json);
}

static bool is_json(const char *format)
{
    return !strcmp(format, "json") || !strcmp(format, "sarif") ||
           !strcmp(format, "gitlab");
}

void fuzz_report_end(struct fuzz_report *report, const char *format,
                     enum fsd_status status, const struct fsd_error *err)
{
    fuzz_report_close(report);
    check(status == FSD_OK || (err->status == status && err->message[0]));
    check_text(report->bytes, report->size);
    if (status == FSD_OK && is_json(format))
        check_json(report->bytes, report->size);
    fuzz_report_free(report);
}
