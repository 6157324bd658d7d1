/*
 * Functions that search, split and trim slices, and that remove words and numbers from
 * their front.  A slice is a pointer into the bytes of a file and a length.  The bytes
 * end without a zero, so the str*() functions cannot be used.  Nothing is copied,
 * because a log may have a billion bytes.
 */
#include "base/base.h"
#include "host/files.h"

const char *fsd_slice_find(struct fsd_slice t, const char *word)
{
    return t.n ? memmem(t.s, t.n, word, strlen(word)) : NULL;
}

const char *fsd_slice_find_last(struct fsd_slice t, const char *word)
{
    size_t n = strlen(word);

    for (size_t at = t.n >= n ? t.n - n + 1 : 0; at-- > 0;)
        if (t.s[at] == *word && !memcmp(t.s + at, word, n))
            return t.s + at;
    return NULL;
}

bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right)
{
    const char *at = fsd_slice_find(*t, word);

    if (at)
        *right = fsd_slice_split(t, at, strlen(word));
    return at != NULL;
}

bool fsd_slice_split_last(struct fsd_slice *t, const char *word,
                          struct fsd_slice *right)
{
    const char *at = fsd_slice_find_last(*t, word);

    if (at)
        *right = fsd_slice_split(t, at, strlen(word));
    return at != NULL;
}

struct fsd_slice fsd_slice_trim(struct fsd_slice t)
{
    while (t.n && (*t.s == ' ' || *t.s == '\t'))
        t = fsd_slice_from(t, 1);
    while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
        t.n--;
    return t;
}

struct fsd_slice fsd_slice_take_word(struct fsd_slice *t)
{
    struct fsd_slice word = {t->s, 0};

    while (word.n < t->n && fsd_is_word(t->s[word.n]))
        word.n++;
    *t = fsd_slice_from(*t, word.n);
    return word;
}

bool fsd_slice_take_number(struct fsd_slice *t, uint64_t most, uint64_t *out)
{
    size_t i = 0;
    bool over = false;

    for (*out = 0; i < t->n && t->s[i] >= '0' && t->s[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(t->s[i] - '0');

        over = over || *out > (most - digit) / 10 || digit > most;
        *out = over ? most : *out * 10 + digit;
    }
    *t = fsd_slice_from(*t, i);
    return i > 0;
}

size_t fsd_slice_brackets(struct fsd_slice t)
{
    bool in_string = false;
    uint32_t depth = 0;

    for (size_t i = 0; i < t.n; i++) {
        char c = t.s[i];

        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']') && !--depth)
            return i + 1;
    }
    return 0;
}
