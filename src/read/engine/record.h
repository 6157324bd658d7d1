/*
 * Functions that read the lists of records in profilers' files.  They look like JSON:
 *
 *     [ { "count" : 961 }
 *     , { "name" : "conv1.weight + "odd" name", "timeMs" : 19.9, "medianMs" : nan } ]
 *
 * JSON forbids some contents of these files: quotation marks within strings, the
 * numbers nan and inf, and several lists in one file.  A string ends at the quotation
 * mark after which the record continues or ends.
 */
#pragma once

#include "base/base.h"

struct fsd_field {
    const char *key; /**< the key, without a zero byte at its end; NULL: the value is an
                          item of a list */
    size_t key_len;
    bool is_text;
    const char *text; /**< the text between the quotation marks, without a zero byte at
                           its end */
    size_t text_len;
    double number;          /**< NaN if the value is not a number */
    bool is_true, is_false; /**< the value is the word true, or the word false */
    char opens; /**< '{': the value is a record; '[': the value is a list; 0: it is
                     neither.  The next calls read the content of the record or list */
};

struct fsd_records {
    const struct fsd_file *file;
    size_t at;        /**< the offset of the next byte to read */
    const char *what; /**< a noun for the file in error messages, such as "a profile" */
    struct fsd_error *err;
    bool nested;  /**< a field may contain a record or a list */
    bool escaped; /**< the writer escapes its strings, so a string ends at the first
                       quotation mark without a backslash.  If `nested` is also set, a
                       list may contain strings.  Each of them is read as a field
                       without a key */
};

enum fsd_record_step {
    FSD_RECORD_LIST,  /**< a list begins */
    FSD_RECORD_OPEN,  /**< a record begins */
    FSD_RECORD_FIELD, /**< a field of the record, in `field` */
    FSD_RECORD_CLOSE, /**< the record ends */
    FSD_RECORD_END,   /**< the file ends after a whole list */
    FSD_RECORD_BROKEN /**< the file is damaged; `err` is filled */
};

/** Reads the next field, or the end of a record or of the file. */
enum fsd_record_step fsd_record_next(struct fsd_records *r, struct fsd_field *field);

/** Returns the offset after the value of the current field, which is a record or a
 *  list; the size of the file if the value has no end. */
size_t fsd_record_behind(const struct fsd_records *r);

/** Whether the field has this key. */
bool fsd_field_is(const struct fsd_field *field, const char *key);

/** Returns the symbol of a field's text, with JSON escapes decoded. */
fsd_sym fsd_record_unescaped(struct fsd_intern *names, struct fsd_slice text);
