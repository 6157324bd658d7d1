/* A piece of a text that is not owned, and the functions that readers of lines need:
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

/* ASCII, independent of the locale. */
static inline bool fsd_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** White space of JSON and of ONNX's text format. */
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

/** The rest behind the first n bytes; n may exceed the length. */
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

/* The first letter rules out most words, before lengths are compared: dozens of words
 * are tried for each line of a log. */
static inline bool fsd_slice_begins(struct fsd_slice t, const char *word)
{
    size_t n;

    if (*word && (!t.n || *t.s != *word))
        return false;
    n = strlen(word);
    return t.n >= n && !memcmp(t.s, word, n);
}

/** Removes the word from the front; false, without a change, if it is not there. */
static inline bool fsd_slice_take(struct fsd_slice *t, const char *word)
{
    if (!fsd_slice_begins(*t, word))
        return false;
    *t = fsd_slice_from(*t, strlen(word));
    return true;
}

/** Removes all repetitions of the word from the front. */
static inline void fsd_slice_skip(struct fsd_slice *t, const char *word)
{
    while (fsd_slice_take(t, word))
        ;
}

/** Removes the word from the end. */
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

/** Reads decimal digits at the front; false if there are none.  A larger number than
 *  `most` becomes `most`. */
bool fsd_slice_take_number(struct fsd_slice *t, uint64_t most, uint64_t *out);

/** Reads the characters of a word (fsd_is_word) at the front; none if n is 0. */
struct fsd_slice fsd_slice_take_word(struct fsd_slice *t);

/** The first, or last, occurrence of the word; NULL. */
const char *fsd_slice_find(struct fsd_slice t, const char *word);
const char *fsd_slice_find_last(struct fsd_slice t, const char *word);

/** Splits `t` at a word of n bytes at `at`: it keeps the left side.
 *  @return the right side. */
static inline struct fsd_slice fsd_slice_split(struct fsd_slice *t, const char *at,
                                               size_t n)
{
    struct fsd_slice right = {at + n, (size_t)(t->s + t->n - at) - n};

    t->n = (size_t)(at - t->s);
    return right;
}

/** Splits `t` at the first such word, or the last; false if there is none. */
bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right);
bool fsd_slice_split_last(struct fsd_slice *t, const char *word,
                          struct fsd_slice *right);

/** Bytes of JSON up to the bracket that closes the first one, which none in a string
 *  does; 0 if nothing closes it. */
size_t fsd_slice_brackets(struct fsd_slice t);

#endif
