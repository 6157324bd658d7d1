/*
 * Lists of records, as profilers write them: almost JSON.
 *
 *     [ { "count" : 961 }
 *     , { "name" : "conv1.weight + "odd" name", "timeMs" : 19.9, "medianMs" : nan } ]
 *
 * These files have what JSON forbids: unescaped strings, the numbers nan and inf, and
 * several lists in one file.  A string ends at the quotation mark after which the
 * record continues or ends.
 */
#pragma once

#include "base/base.h"

struct fsd_field {
    const char *key; /**< not terminated; NULL: an item of a list */
    size_t key_len;
    bool is_text;
    const char *text; /**< the text between the quotation marks; not terminated */
    size_t text_len;
    double number;          /**< NaN if the value is not a number */
    bool is_true, is_false; /**< the value is the word true; the word false */
    char opens; /**< '{' or '[': the content is read next; 0: a text or number */
};

struct fsd_records {
    const struct fsd_file *file;
    size_t at;        /**< where reading continues */
    const char *what; /**< "a profile": for error messages */
    struct fsd_error *err;
    bool nested;  /**< a field may contain a record or a list */
    bool escaped; /**< the writer escapes its strings, so that each ends at its first
                       quotation mark without a backslash; with `nested`, a list may
                       contain texts, which are fields without a key */
};

enum fsd_record_step {
    FSD_RECORD_LIST,  /**< a list begins */
    FSD_RECORD_OPEN,  /**< a record begins */
    FSD_RECORD_FIELD, /**< a field of the record, in `field` */
    FSD_RECORD_CLOSE, /**< the record ends */
    FSD_RECORD_END,   /**< the file ends after a whole list */
    FSD_RECORD_BROKEN /**< `err` is filled */
};

/** Reads the next item of the file. */
enum fsd_record_step fsd_record_next(struct fsd_records *r, struct fsd_field *field);

/** The position after the value of a field that opens a record or a list, in bytes; the
 *  size of the file if the value has no end. */
size_t fsd_record_behind(const struct fsd_records *r);

/** Whether the field has this key. */
bool fsd_field_is(const struct fsd_field *field, const char *key);

/** A field's text with its JSON escapes decoded, if its writer used them. */
fsd_sym fsd_record_unescaped(struct fsd_intern *names, struct fsd_slice text);
