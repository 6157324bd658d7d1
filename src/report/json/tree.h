/* Building and printing JSON, for every writer of it: one file includes cJSON. */
#ifndef FSD_REPORT_JSON_TREE_H
#define FSD_REPORT_JSON_TREE_H

#include "findings/findings.h"

#include <stdio.h>

struct cJSON;

/** A new object; fsd_json_print() frees it. */
struct cJSON *fsd_json_new(void);
/** The same of a list. */
struct cJSON *fsd_json_new_list(void);

/** A member of an object. */
struct cJSON *fsd_json_object(struct cJSON *object, const char *key);
struct cJSON *fsd_json_list(struct cJSON *object, const char *key);
void fsd_json_text(struct cJSON *object, const char *key, const char *text);
void fsd_json_sym(struct cJSON *object, const char *key, const struct fsd_intern *names,
                  fsd_sym sym);
void fsd_json_number(struct cJSON *object, const char *key, double number);
void fsd_json_bool(struct cJSON *object, const char *key, bool is);
/** A number; no member for FSD_NONE. */
void fsd_json_id(struct cJSON *object, const char *key, fsd_id id);
/** "xxh128:..." */
void fsd_json_hash(struct cJSON *object, const char *key, const uint64_t hash[2]);
/** A phrase; no member when it is empty. */
void fsd_json_phrase(const struct fsd_diff *d, struct cJSON *object, const char *key,
                     fsd_id id, fsd_put_fn *put);
/** A number that a double cannot hold becomes a string. */
void fsd_json_count(struct cJSON *object, const char *key, uint64_t count);

/** An object of what an enumeration counts, or what each of its values takes, from one
 *  value on; those without a name are left out. */
#define FSD_JSON_TALLY(object, key, numbers, from, name)                               \
    do {                                                                               \
        struct cJSON *tally_ = fsd_json_object((object), (key));                       \
                                                                                       \
        for (uint8_t i_ = (from); i_ < FSD_COUNT_OF(numbers); i_++)                    \
            if (*name(i_))                                                             \
                fsd_json_number(tally_, name(i_), (numbers)[i_]);                      \
    } while (0)

/** An item of a list. */
struct cJSON *fsd_json_item(struct cJSON *list);
void fsd_json_add_number(struct cJSON *list, double number);
void fsd_json_add_text(struct cJSON *list, const char *text);

/** A time where it is known: a negative one is left out. */
void fsd_json_ms(struct cJSON *object, const char *key, double ms);
/** A number unless it is negative; a term in open sizes, its key with "_symbolic"
 * behind it, unless it is NULL. */
void fsd_json_number_or_term(struct cJSON *object, const char *key, int64_t number,
                             const char *term);
/** Bytes and the like: a number where it is known; in open sizes a text instead, its
 * key with "_symbolic" behind it. */
void fsd_json_amount(const struct fsd_diff *d, struct cJSON *object, const char *key,
                     int64_t amount);

/** Prints and frees. */
void fsd_json_print(struct cJSON *root, FILE *out);

#endif
