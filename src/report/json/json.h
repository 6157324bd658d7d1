/* Printing JSON, for every writer of it.  What is added is printed at once, so that it
 * is added in the order in which it stands: adding to an object ends what is open in
 * it. */
#ifndef FSD_REPORT_JSON_JSON_H
#define FSD_REPORT_JSON_JSON_H

#include "base/base.h"

#include <stdio.h>

/** An object or a list that is open. */
struct fsd_json;

/** A new object; fsd_json_end() ends and frees it. */
struct fsd_json *fsd_json_new(FILE *out);
/** The same of a list. */
struct fsd_json *fsd_json_new_list(FILE *out);

/** A member of an object. */
struct fsd_json *fsd_json_object(struct fsd_json *object, const char *key);
struct fsd_json *fsd_json_list(struct fsd_json *object, const char *key);
void fsd_json_text(struct fsd_json *object, const char *key, const char *text);
void fsd_json_number(struct fsd_json *object, const char *key, double number);
void fsd_json_bool(struct fsd_json *object, const char *key, bool is);
/** A number that a double cannot hold becomes a string. */
void fsd_json_count(struct fsd_json *object, const char *key, uint64_t count);

/** An item of a list: a member without a key. */
static inline struct fsd_json *fsd_json_item(struct fsd_json *list)
{
    return fsd_json_object(list, NULL);
}
static inline void fsd_json_add_number(struct fsd_json *list, double number)
{
    fsd_json_number(list, NULL, number);
}
static inline void fsd_json_add_text(struct fsd_json *list, const char *text)
{
    fsd_json_text(list, NULL, text);
}

/** A number unless it is negative; a term in open sizes, its key with "_symbolic"
 * behind it, unless it is NULL. */
void fsd_json_number_or_term(struct fsd_json *object, const char *key, int64_t number,
                             const char *term);
void fsd_json_end(struct fsd_json *root);

#endif
