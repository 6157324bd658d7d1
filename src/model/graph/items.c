/*
 * Splits the Metadata of a layer into its items (items.h).  A name may contain brackets
 * and any other text.  A closing bracket therefore ends an item only at the end of the
 * list, or if the next FSD_ITEM_OPENING is at most SEPARATOR_MAX bytes away.
 */
#include "model/graph/items.h"

/* The length in bytes of the longest text that tools write in place of a separator:
 * "&#x1e;" with a blank on both sides. */
enum { SEPARATOR_MAX = 8 };

static bool is_separator(char c)
{
    return c == '\x1e' || c == '\x1f';
}

/* Returns the length of s without the remark after the closing bracket: 2 for
 * "a]__gemm_from_conv1x1". */
static size_t without_remark(const char *s, size_t n)
{
    size_t at = n;

    while (at && fsd_is_word(s[at - 1]))
        at--;
    return at && s[at - 1] == ']' && n - at > 2 && !memcmp(s + at, "__", 2) ? at : n;
}

/* Returns the length of the item that ends before the opening word at s + n; 0 if no
 * item ends there.  The length includes the item's "]" and remark. */
static size_t end_before(const char *s, size_t n)
{
    for (size_t at = n; at && n - at <= SEPARATOR_MAX; at--) {
        if (s[at - 1] == ']' || without_remark(s, at) < at)
            return at;
        if (s[at - 1] == '[')
            break;
    }
    return 0;
}

/* Returns the length of the item at the front of s[0, n), and sets `*next` to the
 * beginning of the next item, or to n if there is none.  The caller has divided the
 * list at its separators.  If a tool replaced or dropped some of them, s has several
 * items. */
static size_t item_length(const char *s, size_t n, size_t *next)
{
    const char *at = s;

    while (at < s + n &&
           (at = fsd_slice_find((struct fsd_slice){at + 1, (size_t)(s + n - at - 1)},
                                FSD_ITEM_OPENING))) {
        size_t end = end_before(s, (size_t)(at - s));

        *next = (size_t)(at - s);
        if (end)
            return end;
    }
    *next = n;
    return n;
}

bool fsd_items_next(struct fsd_slice *list, struct fsd_slice *item)
{
    size_t n = 0, next, len;

    while (list->n && is_separator(*list->s))
        *list = fsd_slice_from(*list, 1);
    if (!list->n)
        return false;
    while (n < list->n && !is_separator(list->s[n]))
        n++;
    len = item_length(list->s, n, &next);
    *item = (struct fsd_slice){list->s, len};
    *list = fsd_slice_from(*list, next);
    if (!fsd_slice_take(item, FSD_ITEM_OPENING))
        return true;
    item->n = without_remark(item->s, item->n);
    fsd_slice_drop(item, "]");
    return true;
}
