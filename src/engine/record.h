/*
 * Lists of records, as tools that measure write them: nearly JSON.
 *
 *     [ { "count" : 961 }
 *     , { "name" : "conv1.weight + "odd" name", "timeMs" : 19.9, "medianMs" : nan } ]
 *
 * What JSON forbids and these files have: strings are not escaped, numbers may be nan
 * or inf, several lists stand in one file.  A string ends at the quotation mark behind
 * which the record goes on or ends.
 */
#ifndef FSD_ENGINE_RECORD_H
#define FSD_ENGINE_RECORD_H

#include "base/file.h"
#include "base/intern.h"
#include "base/slice.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct fsd_field {
    const char *key; /**< not terminated */
    size_t key_len;
    bool is_text;
    const char *text; /**< what stands between the quotation marks; not terminated */
    size_t text_len;
    double number; /**< NaN where none stands there */
    char opens;    /**< '{' or '[': that is next to be read; 0 of text and numbers */
};

struct fsd_records {
    const struct fsd_file *file;
    size_t at;        /**< where reading goes on */
    const char *what; /**< "a profile": for messages */
    struct fsd_error *err;
    bool nested; /**< a field may hold a record or a list */
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

/** Behind the value of a field that opens a record or a list, whatever stands in it:
 *  an offset in the file, its size when the value has no end. */
size_t fsd_record_behind(const struct fsd_records *r);

/** True when the field has that key. */
bool fsd_field_is(const struct fsd_field *field, const char *key);

/** A text of a field read as JSON does, where its writer did escape it. */
fsd_sym fsd_record_unescaped(struct fsd_intern *names, struct fsd_slice text);

#endif
