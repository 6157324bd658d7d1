/* A stretch of a text that somebody else holds, and what readers of lines ask of it:
 * one cursor for the lines of logs, names and the values in them. */
#ifndef FSD_BASE_SLICE_H
#define FSD_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fsd_slice {
    const char *s;
    size_t n;
};

static inline struct fsd_slice fsd_slice_of(const char *s)
{
    return (struct fsd_slice){s, strlen(s)};
}

/* ASCII, whatever the locale says. */
static inline bool fsd_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** What JSON and ONNX's text form may have between their words. */
static inline bool fsd_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/** A letter, a digit or '_'. */
static inline bool fsd_is_word(char c)
{
    return fsd_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_';
}

/** What stands behind the first n bytes; n may be more than there are. */
static inline struct fsd_slice fsd_slice_from(struct fsd_slice t, size_t n)
{
    n = n < t.n ? n : t.n;
    return (struct fsd_slice){t.s + n, t.n - n};
}

static inline bool fsd_slice_is(struct fsd_slice t, const char *word)
{
    return t.n == strlen(word) && !memcmp(t.s, word, t.n);
}

static inline bool fsd_slice_equal(struct fsd_slice a, struct fsd_slice b)
{
    return a.n == b.n && (!a.n || !memcmp(a.s, b.s, a.n));
}

/* The first letter tells most words apart, before any are counted: a line of a log is
 * asked for dozens of them. */
static inline bool fsd_slice_begins(struct fsd_slice t, const char *word)
{
    size_t n;

    if (*word && (!t.n || *t.s != *word))
        return false;
    n = strlen(word);
    return t.n >= n && !memcmp(t.s, word, n);
}

/** Takes the word off the front; false, and nothing taken, when it is not there. */
static inline bool fsd_slice_take(struct fsd_slice *t, const char *word)
{
    if (!fsd_slice_begins(*t, word))
        return false;
    *t = fsd_slice_from(*t, strlen(word));
    return true;
}

/** Takes it as often as it is there. */
static inline void fsd_slice_skip(struct fsd_slice *t, const char *word)
{
    while (fsd_slice_take(t, word))
        ;
}

/** Takes the word off the end. */
static inline bool fsd_slice_drop(struct fsd_slice *t, const char *word)
{
    size_t n = strlen(word);

    if (t->n < n || memcmp(t->s + t->n - n, word, n) != 0)
        return false;
    t->n -= n;
    return true;
}

/** Without the blanks and tabs at both ends. */
struct fsd_slice fsd_slice_trim(struct fsd_slice t);

/** Takes decimal digits off the front; false when there are none.  What is larger than
 *  `most` is `most`, whatever its digits. */
bool fsd_slice_take_number(struct fsd_slice *t, uint64_t most, uint64_t *out);

/** Takes the characters of a word (fsd_is_word) off the front; none when n is 0. */
struct fsd_slice fsd_slice_take_word(struct fsd_slice *t);

/** Where the word stands first, or last; NULL. */
const char *fsd_slice_find(struct fsd_slice t, const char *word);
const char *fsd_slice_find_last(struct fsd_slice t, const char *word);

/** Splits `t` at a word of n bytes that stands at `at`: it keeps the left side.
 *  @return the right side. */
static inline struct fsd_slice fsd_slice_split(struct fsd_slice *t, const char *at,
                                               size_t n)
{
    struct fsd_slice right = {at + n, (size_t)(t->s + t->n - at) - n};

    t->n = (size_t)(at - t->s);
    return right;
}

/** Splits `t` at the first such word, or the last; false when there is none. */
bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right);
bool fsd_slice_split_last(struct fsd_slice *t, const char *word,
                          struct fsd_slice *right);

#endif
