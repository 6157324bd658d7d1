/*
 * Writes a result in a format and checks what must hold of the text whatever the input
 * was: valid UTF-8, no hidden character, no line that a CI runner would execute, JSON
 * that parses.
 */
#include "support_report.h"

#include "support_file.h"

#include "base/base.h"
#include "report/picture/picture.h"
#include "report/subject/subject.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const struct fsd_style plain = {0};

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

bool fuzz_is_json(const char *format)
{
    return !strcmp(format, "json") || !strcmp(format, "sarif") ||
           !strcmp(format, "gitlab");
}

void fuzz_report_open(struct fuzz_report *report)
{
    report->out = open_memstream(&report->bytes, &report->size);
    check(report->out);
}

void fuzz_report_close(struct fuzz_report *report, bool json)
{
    check(!fclose(report->out));
    check_text(report->bytes, report->size);
    if (json)
        check_json(report->bytes, report->size);
    free(report->bytes);
}

struct fsd_state *fuzz_snapshot_load(const void *bytes, size_t size)
{
    struct fsd_file file = {.name = "fuzz", .bytes = bytes, .size = size};
    struct fsd_error err = {0};
    struct fsd_state *s;
    enum fsd_status status = fsd_snapshot_load(&s, &file, &err);

    check((status == FSD_OK) == (s != NULL));
    check(s || (err.status == status && err.unit == FSD_POS_LINE && err.message[0]));
    return s;
}

char *fuzz_snapshot_text(const struct fsd_state *state, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    check(out);
    fsd_snapshot_write(state, out);
    check(!fclose(out));
    return text;
}

bool fuzz_check_gate(const struct fsd_compare *c, struct fsd_policy *policy)
{
    const struct fsd_case before_gate = {
        .build = c->new, .c = c, .policy = policy, .today = 20260131};
    struct fsd_verdict *verdict = fsd_verdict_of_case(&before_gate, false, "check");
    const struct fsd_report told = {
        .subject = FSD_OF_CHECK, .verdict = verdict, .compare = c};
    bool failed = verdict->failed;
    const char *format;

    for (unsigned i = 0; (format = fsd_format_of(FSD_OF_CHECK, i)); i++) {
        struct fuzz_report report;

        fuzz_report_open(&report);
        check(fsd_report_write(&told, format, report.out, NULL) == FSD_OK);
        fuzz_report_close(&report, fuzz_is_json(format));
    }
    fsd_verdict_free(verdict);
    return failed;
}

void fuzz_check_compare(const struct fsd_compare *c)
{
    const struct fsd_report told = {
        .subject = FSD_OF_COMPARISON, .compare = c, .style = &plain};
    struct fuzz_report report;

    fuzz_report_open(&report);
    fsd_compare_write_text(&told, report.out);
    fuzz_report_close(&report, false);
    fuzz_report_open(&report);
    check(fsd_report_write(&told, "json", report.out, NULL) == FSD_OK);
    fuzz_report_close(&report, true);
    fuzz_report_open(&report);
    check(fsd_compare_write_picture(c, "dot", &plain, report.out, NULL) == FSD_OK);
    fuzz_report_close(&report, false);
}
