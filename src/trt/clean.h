/* Making JSON of what is nearly JSON, before the JSON parser sees it. */
#ifndef FSD_TRT_CLEAN_H
#define FSD_TRT_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

struct fsd_cleaned {
    bool changed;  /**< the output differs from the input */
    size_t values; /**< no more values than this are in the JSON */
};

/** Writes the bytes to `out` with these changes and returns how many there are then:
 *  control characters inside strings, which JSON forbids and some dumps have, are
 *  escaped; the zero character, which a C string cannot hold, becomes the four
 *  characters \x00, escaped or not; NaN and Infinity become null.  `out` may be NULL:
 *  then only the count is made. */
size_t fsd_clean(const unsigned char *bytes, size_t n, char *out,
                 struct fsd_cleaned *about);

/** Where in the input the byte at `pos` of the output comes from. */
size_t fsd_clean_origin(const unsigned char *bytes, size_t n, size_t pos);

#endif
