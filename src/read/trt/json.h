/*
 * What the files that read JSON share.  All layers are read by json.c, whether they are
 * in a dump (json_file.c), between lines of text (json_objects.c), or converted from
 * the inspector's text (inspector_text.c).  Only these files include this header.
 */
#pragma once

#include "base/base.h"
#include "read/trt/trt.h"

#include <cjson/cJSON.h>

struct fsd_json_reading {
    struct fsd_build *b;
    const struct fsd_file *file;
    struct fsd_error *err;
    uint32_t layer; /**< the layer that is being read, from 0 */
    bool foresees;  /**< nothing is stored yet: only fsd_build_foresee() is called */
};

static inline const cJSON *fsd_json_get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* ------------------------------------------------------------------------ json.c */

/** A string of these bytes; a zero byte, which it cannot contain, becomes \x00.  NULL
 *  if an allocation fails. */
cJSON *fsd_json_string(struct fsd_slice t);

/** "a list", "null"; "nothing" for NULL. */
const char *fsd_json_kind(const cJSON *item);

/** The limit for the number of items in a file of this size. */
unsigned fsd_json_most(const struct fsd_file *file, unsigned free, unsigned bytes,
                       unsigned max);

/** @return FSD_E_LIMIT; r->err states that there are more than `limit` of `of` */
enum fsd_status fsd_json_fail_limit(const struct fsd_json_reading *r, unsigned limit,
                                    const char *of);

/** Reads the next layer, an object or a name; with r->foresees, it only passes the
 *  layer and its text to fsd_build_foresee().
 *  @return FSD_OK; FSD_E_FORMAT; FSD_E_LIMIT for a number of items that only a hostile
 *          file has; FSD_E_MEMORY */
enum fsd_status fsd_json_read_layer(struct fsd_json_reading *r, const cJSON *layer,
                                    struct fsd_slice text);

/* ------------------------------------------------------------------- json_file.c */

/** Text in a form that cJSON accepts. */
struct fsd_json_text {
    const char *s;
    size_t n;
    char *heap; /**< the cleaned copy, which the caller frees; NULL if none is needed */
    bool deep;  /**< nested deeper than cJSON allows */
};

/** Converts almost-JSON to JSON (fsd_clean()).
 *  @return FSD_OK; FSD_E_LIMIT for more values than a file of this size may have;
 *          FSD_E_MEMORY. */
enum fsd_status fsd_json_clean(const struct fsd_json_reading *r, struct fsd_slice raw,
                               struct fsd_json_text *out);
