/* What holds of every report, whatever its input. */
#ifndef FSD_TESTS_SUPPORT_REPORT_H
#define FSD_TESTS_SUPPORT_REPORT_H

#include <fusiondiff/fusiondiff.h>

#include <stddef.h>

/** A stream into memory. */
struct fuzz_report {
    FILE *out;
    char *bytes;
    size_t size;
};

void fuzz_report_begin(struct fuzz_report *report);

/** Aborts unless it was written or refused for a reason, holds nothing that a terminal
 *  would obey, and is JSON where its format is.
 *  @param format "text", "json", ...; of a snapshot "text". */
void fuzz_report_end(struct fuzz_report *report, const char *format,
                     enum fsd_status status, const struct fsd_error *err);

/** Closes without the checks; the bytes stay until fuzz_report_free(). */
void fuzz_report_close(struct fuzz_report *report);
void fuzz_report_free(struct fuzz_report *report);

#endif
