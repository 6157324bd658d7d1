/* Printing JSON, for every writer of it.  What is added is printed at once, so that it
 * is added in the order in which it stands: adding to an object ends what is open in
 * it. */
#ifndef FSD_REPORT_JSON_JSON_H
#define FSD_REPORT_JSON_JSON_H

#include "findings/findings.h"

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
static inline void fsd_json_sym(struct fsd_json *object, const char *key,
                                const struct fsd_intern *names, fsd_sym sym)
{
    fsd_json_text(object, key, fsd_text(names, sym));
}
void fsd_json_number(struct fsd_json *object, const char *key, double number);
void fsd_json_bool(struct fsd_json *object, const char *key, bool is);
/** "built", an object of what is told of the build; no member when that is nothing. */
void fsd_json_built(struct fsd_json *object, const fsd_built_vec *built,
                    const struct fsd_intern *names);
/** What went wrong, as members: "status", "message", "file", "byte" or "line". */
void fsd_json_error(struct fsd_json *object, const struct fsd_error *error);
/** A number; no member for FSD_NONE. */
void fsd_json_id(struct fsd_json *object, const char *key, fsd_id id);
/** "xxh128:..." */
void fsd_json_hash(struct fsd_json *object, const char *key, const uint64_t hash[2]);
/** A phrase; no member when it is empty. */
void fsd_json_phrase(const struct fsd_diff *d, struct fsd_json *object, const char *key,
                     fsd_id id, fsd_put_fn *put);
/** A number that a double cannot hold becomes a string. */
void fsd_json_count(struct fsd_json *object, const char *key, uint64_t count);

/** An object of what an enumeration counts, or what each of its values takes, from one
 *  value on; those without a name are left out. */
#define FSD_JSON_TALLY(object, key, numbers, from, name)                               \
    do {                                                                               \
        struct fsd_json *tally_ = fsd_json_object((object), (key));                    \
                                                                                       \
        for (uint8_t i_ = (from); i_ < FSD_COUNT_OF(numbers); i_++)                    \
            if (*name(i_))                                                             \
                fsd_json_number(tally_, name(i_), (numbers)[i_]);                      \
    } while (0)

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

/** A time where it is known: a negative one is left out. */
void fsd_json_ms(struct fsd_json *object, const char *key, double ms);
/** A number unless it is negative; a term in open sizes, its key with "_symbolic"
 * behind it, unless it is NULL. */
void fsd_json_number_or_term(struct fsd_json *object, const char *key, int64_t number,
                             const char *term);
/** Bytes and the like: a number where it is known; in open sizes a text instead, its
 * key with "_symbolic" behind it. */
void fsd_json_amount(const struct fsd_diff *d, struct fsd_json *object, const char *key,
                     int64_t amount);

/** A size in a list: a number, -1 where it is not known, or a term. */
void fsd_json_add_amount(const struct fsd_diff *d, struct fsd_json *list,
                         int64_t amount);

/** "findings", as the report's schema has them. run.c */
void fsd_json_findings(struct fsd_json *report, const struct fsd_findings *all);

void fsd_json_end(struct fsd_json *root);

#endif
