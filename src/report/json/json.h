/* Prints JSON, for all writers. A member is printed when it is added, so the caller
 * adds members in the order of the output. Adding to an object closes all objects and
 * lists within it. */
#pragma once

#include "base/base.h"

/** An open object or list. */
struct fsd_json;

/** Begins a document that is an object; fsd_json_end() ends and frees it. */
struct fsd_json *fsd_json_new(FILE *out);
/** Begins a document that is a list; fsd_json_end() ends and frees it. */
struct fsd_json *fsd_json_new_list(FILE *out);

/** Each function adds a member to `object`. fsd_json_object() and fsd_json_list()
 * return the new object or list. */
struct fsd_json *fsd_json_object(struct fsd_json *object, const char *key);
struct fsd_json *fsd_json_list(struct fsd_json *object, const char *key);
void fsd_json_text(struct fsd_json *object, const char *key, const char *text);
void fsd_json_number(struct fsd_json *object, const char *key, double number);
void fsd_json_bool(struct fsd_json *object, const char *key, bool is);
/** A number that a double cannot represent exactly becomes a string. */
void fsd_json_count(struct fsd_json *object, const char *key, uint64_t count);

/** Adds an item of a list: a member without a key. */
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

/** Adds `number` with the key `key`, unless `number` is negative. Adds `term` with the
 * key `key` plus "_symbolic", unless `term` is NULL. `term` is a term in dynamic
 * sizes. */
void fsd_json_number_or_term(struct fsd_json *object, const char *key, int64_t number,
                             const char *term);
void fsd_json_end(struct fsd_json *root);
