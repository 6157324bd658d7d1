/*
 * The functions that several files use to read JSON. json.c reads all layers: layers of
 * a dump (json_file.c), layers between lines of text (json_objects.c), and layers that
 * were converted from the inspector's text (inspector_text.c).  Only these files
 * include this header.
 */
#pragma once

#include "base/base.h"
#include "read/trt/trt.h"

#include <cjson/cJSON.h>

struct fsd_json_reading {
    struct fsd_build *b;
    const struct fsd_file *file;
    struct fsd_error *err;
    uint32_t layer; /**< the number of the current layer, from 0 */
    bool foresees;  /**< the functions store no layer yet, but only call
                         fsd_build_foresee() */
};

static inline const cJSON *fsd_json_get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* ------------------------------------------------------------------------ json.c */

/** Returns a JSON string of these bytes.  A zero byte, which a cJSON string cannot
 *  contain, becomes the text \x00.  Returns NULL if memory runs out. */
cJSON *fsd_json_string(struct fsd_slice t);

/** Returns a noun for the kind of a value, such as "a list" or "null"; "nothing" for
 * NULL. */
const char *fsd_json_kind(const cJSON *item);

/** Returns the limit on the number of items in a file of this size: `free`, plus one
 * per `bytes` bytes of the file, at most `max`. */
unsigned fsd_json_most(const struct fsd_file *file, unsigned free, unsigned bytes,
                       unsigned max);

/** Fills r->err for a file with more than `limit` items; `of` is the noun for the
 * items. @return FSD_E_LIMIT */
enum fsd_status fsd_json_fail_limit(const struct fsd_json_reading *r, unsigned limit,
                                    const char *of);

/** Reads the next layer, which is an object or a name.  If r->foresees is set, the
 *  function only passes the layer and its text to fsd_build_foresee().
 *  @return FSD_OK; FSD_E_FORMAT; FSD_E_LIMIT if the file has more layers or node names
 *          than any engine has; FSD_E_MEMORY */
enum fsd_status fsd_json_read_layer(struct fsd_json_reading *r, const cJSON *layer,
                                    struct fsd_slice text);

/* ------------------------------------------------------------------- json_file.c */

/** The text of a dump as valid JSON. */
struct fsd_json_text {
    const char *s;
    size_t n;
    char *heap; /**< the converted copy, which the caller frees; NULL if the text needs
                     no change */
    bool deep;  /**< the text is nested deeper than cJSON allows */
};

/** Converts the text of a dump to valid JSON (see fsd_clean()).
 *  @return FSD_OK; FSD_E_LIMIT for more values than a file of this size may have;
 *          FSD_E_MEMORY. */
enum fsd_status fsd_json_clean(const struct fsd_json_reading *r, struct fsd_slice raw,
                               struct fsd_json_text *out);
