/* Plain characters are those that need no escape in text or JSON: printable ASCII
 * except `"` and `\`.  Nearly all names consist of plain characters, and a report has
 * hundreds of thousands of names, so these functions examine eight bytes at a time. */
#pragma once

#include "base/base.h"

static inline bool fsd_is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/** Whether any of eight bytes is not plain.  The sums and differences set the highest
 *  bit of each byte that is not plain.  A carry or borrow from such a byte may also set
 *  this bit in higher bytes that are plain.  This does not change the result. */
static inline bool fsd_is_any_odd(uint64_t x)
{
    const uint64_t each = UINT64_C(0x0101010101010101);

    return (x | (x - 0x20 * each) | (x + each) | ((x ^ '"' * each) - each) |
            ((x ^ '\\' * each) - each)) &
           0x80 * each;
}

/** Copies eight bytes.  Returns false if one of them is not plain. */
static inline bool fsd_copy_eight(char *to, const char *s)
{
    uint64_t x;

    memcpy(&x, s, sizeof x);
    memcpy(to, &x, sizeof x);
    return !fsd_is_any_odd(x);
}

/** Copies n bytes; n must be 4 to 8.  Copies the first four bytes and the last four,
 * which may overlap.  Returns false if one of the n bytes is not plain. */
static inline bool fsd_copy_some(char *to, const char *s, size_t n)
{
    uint32_t first, last;

    memcpy(&first, s, sizeof first);
    memcpy(&last, s + n - sizeof last, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + n - sizeof last, &last, sizeof last);
    return !fsd_is_any_odd(first | (uint64_t)last << 32);
}

/** Copies n bytes.  Returns false if one of them is not plain; some bytes may then be
 *  missing.  Most texts in a report have 4 to 8 bytes. */
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

/** Returns the number of plain bytes at the front. */
size_t fsd_plain_run(const char *s, size_t n);

/** Escapes characters from the front of `text` for a JSON string, writes them to
 *  `ready` as long as they fit into `room` bytes, and removes them from `text`.
 *  Returns the number of bytes written.  If `room` is at least FSD_JSON_ROOM, at least
 *  one character fits. */
size_t fsd_escape_json(struct fsd_slice *text, char *ready, size_t room);
enum { FSD_JSON_ROOM = 16 };
