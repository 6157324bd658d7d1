/* Plain text, which needs no escape in text and in JSON: printable ASCII except `"` and
 * `\`. Nearly all names are plain, and a report has hundreds of thousands of them: they
 * are examined eight bytes at a time. */
#pragma once

#include "base/base.h"

static inline bool fsd_is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/** Whether any of eight bytes is not plain.  The subtraction or addition sets the
 *  highest bit of a byte only if this byte, or one before it, is not plain. */
static inline bool fsd_is_any_odd(uint64_t x)
{
    const uint64_t each = UINT64_C(0x0101010101010101);

    return (x | (x - 0x20 * each) | (x + each) | ((x ^ '"' * each) - each) |
            ((x ^ '\\' * each) - each)) &
           0x80 * each;
}

/** Copies eight bytes; false if one of them is not plain. */
static inline bool fsd_copy_eight(char *to, const char *s)
{
    uint64_t x;

    memcpy(&x, s, sizeof x);
    memcpy(to, &x, sizeof x);
    return !fsd_is_any_odd(x);
}

/** The same for 4 to 8 bytes, of which some are copied twice. */
static inline bool fsd_copy_some(char *to, const char *s, size_t n)
{
    uint32_t first, last;

    memcpy(&first, s, sizeof first);
    memcpy(&last, s + n - sizeof last, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + n - sizeof last, &last, sizeof last);
    return !fsd_is_any_odd(first | (uint64_t)last << 32);
}

/** Copies n bytes; false if not all of them are plain, and then perhaps only some are
 *  copied.  Most texts of a report have 4 to 8 bytes. */
static inline bool fsd_copy_plain(char *to, const char *s, size_t n)
{
    size_t i = 0;

    if (n < 4) {
        for (; i < n && fsd_is_plain(s[i]); i++)
            to[i] = s[i];
        return i == n;
    }
    if (n <= 8)
        return fsd_copy_some(to, s, n);
    for (; i + 8 < n; i += 8)
        if (!fsd_copy_eight(to + i, s + i))
            return false;
    return fsd_copy_eight(to + n - 8, s + n - 8);
}

/** The number of plain bytes at the front. */
size_t fsd_plain_run(const char *s, size_t n);

/** Moves as much of the front of `text` as fits into `ready`, escaped for a JSON
 *  string; returns the number of bytes written.  With at least FSD_JSON_ROOM bytes, it
 *  moves at least one character. */
size_t fsd_escape_json(struct fsd_slice *text, char *ready, size_t room);
enum { FSD_JSON_ROOM = 16 };
