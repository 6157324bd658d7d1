/*
 * Lists of flat records, as trtexec writes them: nearly JSON.
 *
 *     [ { "count" : 961 }
 *     , { "name" : "conv1.weight + "odd" name", "timeMs" : 19.9, "medianMs" : nan } ]
 *
 * What JSON forbids and these files have: strings are not escaped, numbers may be nan
 * or inf, several lists stand in one file.  A string ends at the quotation mark behind
 * which the record goes on or ends.
 */
#ifndef FSD_TRT_RECORD_H
#define FSD_TRT_RECORD_H

#include "base/file.h"

#include <stdbool.h>

struct fsd_field {
    const char *key; /**< not terminated */
    size_t key_len;
    bool is_text;
    const char *text; /**< what stands between the quotation marks; not terminated */
    size_t text_len;
    double number; /**< NaN where none stands there */
};

struct fsd_records {
    const struct fsd_file *file;
    size_t at;        /**< where reading goes on */
    const char *what; /**< "a profile": for messages */
    struct fsd_error *err;
};

enum fsd_record_step {
    FSD_RECORD_LIST,  /**< a list begins */
    FSD_RECORD_OPEN,  /**< a record begins */
    FSD_RECORD_FIELD, /**< a field of it, in `field` */
    FSD_RECORD_CLOSE, /**< it ends */
    FSD_RECORD_END,   /**< the file ends after a whole list */
    FSD_RECORD_BROKEN /**< `err` is filled */
};

/** The next thing in the file. */
enum fsd_record_step fsd_record_next(struct fsd_records *r, struct fsd_field *field);

/** True when the field has that key. */
bool fsd_field_is(const struct fsd_field *field, const char *key);

#endif
