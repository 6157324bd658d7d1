/* The base of all folders, which does not know graphs: memory, ids, lists, texts,
 * numbers, errors, files and hashes.  It includes the headers of C that most files
 * need, so that these do not include them again. */
#pragma once

#include "host/host.h"

#include <fusiondiff/fusiondiff.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --------------------------------------------------------------------------- status */

/* Fills the caller's error struct.  Every message says what was expected and what was
 * found; file and position have fields of their own. */

/** Fills `err` (which may be NULL) and returns `status`, so that a failing function
 *  can end with `return fsd_fail(...)`.
 *  @param file  the input's name as the user gave it; may be NULL. */
enum fsd_status fsd_fail(struct fsd_error *err, enum fsd_status status,
                         const char *file, enum fsd_pos_unit unit, uint64_t pos,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Likewise for lack of memory; `file` is the input that was being read, or NULL. */
enum fsd_status fsd_fail_memory(struct fsd_error *err, const char *file);

/** Takes the next of several steps, unless one before it failed. */
#define FSD_THEN(status, step) ((status) = (status) == FSD_OK ? (step) : (status))

/** Flushes the stream; the last call of every writer.  Returns FSD_E_WRITE if the
 * stream had an error. */
enum fsd_status fsd_flush(FILE *out, struct fsd_error *err);

/* ------------------------------------------------------------------------------- id */

/* An id is the index of an item in its array. */

typedef uint32_t fsd_id;

#define FSD_NONE UINT32_MAX

/** The result of a search that found several different ids. */
#define FSD_SEVERAL (FSD_NONE - 1)

/** The array's entry at this index; FSD_NONE for FSD_NONE. */
static inline fsd_id fsd_id_at(const fsd_id *of, fsd_id at)
{
    return at == FSD_NONE ? FSD_NONE : of[at];
}

/** Whether the array's entry at this index is true; false for FSD_NONE. */
static inline bool fsd_true_at(const bool *of, fsd_id at)
{
    return at != FSD_NONE && of[at];
}

/** Sets the array's entry at this index to true; does nothing for FSD_NONE. */
void fsd_set_at(bool *of, fsd_id at);

/** The first of two that is not FSD_NONE; FSD_NONE if both are. */
static inline fsd_id fsd_id_or(fsd_id id, fsd_id otherwise)
{
    return id == FSD_NONE ? otherwise : id;
}

/** Combines the results of two searches: returns the id if both found the same one,
 *  FSD_SEVERAL if they found different ones.  A search that found nothing (FSD_NONE)
 *  does not count. */
fsd_id fsd_id_both(fsd_id a, fsd_id b);

/** The id that a search found; FSD_NONE if it found several. */
fsd_id fsd_id_only(fsd_id found);

/** A slice of a pool: n entries from `at`. */
struct fsd_span {
    uint32_t at, n;
};

#define FSD_COUNT_OF(array) (sizeof(array) / sizeof *(array))

/** Defines a function that returns the name of an enum's value.  The last arguments are
 *  the names, one per value, in the order of the values or with designators. */
#define FSD_NAMES(function, type, count, ...)                                          \
    const char *function(type value)                                                   \
    {                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                              \
        _Static_assert(FSD_COUNT_OF(names) == (count), "a name each");                 \
        return names[value];                                                           \
    }

/** The result of a comparison for sorting: negative, zero or positive. */
static inline int fsd_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}
/** Likewise in descending order. */
int fsd_falling(double a, double b);

/** Defines the order `name`() of structs of a type for the functions below, by the
 *  results of comparisons of `x` and `y`: the first that is not zero. */
#define FSD_ORDERED(name, type, ...)                                                   \
    static int name(const void *fsd_a_, const void *fsd_b_)                            \
    {                                                                                  \
        const type *x = fsd_a_;                                                        \
        const type *y = fsd_b_;                                                        \
        const int orders[] = {__VA_ARGS__};                                            \
                                                                                       \
        return fsd_first_order(orders, FSD_COUNT_OF(orders));                          \
    }
int fsd_first_order(const int *orders, size_t n);

/** Sorts n items, none if `at` is NULL. */
void fsd_sort(void *at, size_t n, size_t size, int (*by)(const void *, const void *));
#define fsd_vec_sort(vec, by) fsd_sort((vec)->at, (vec)->n, sizeof *(vec)->at, (by))

/** Likewise, and keeps one of equal items.  @return the number of items left */
uint32_t fsd_sort_once(void *at, uint32_t n, size_t size,
                       int (*by)(const void *, const void *));

/** Orders for these functions: for arrays of uint64_t, of fsd_id or fsd_sym, of structs
 *  that begin with two of them, and of texts; for bsearch() in a table of structs that
 *  begin with a name. */
int fsd_by_number(const void *a, const void *b);
int fsd_by_id(const void *a, const void *b);
int fsd_by_pair(const void *a, const void *b);
int fsd_by_text(const void *a, const void *b);
int fsd_by_name(const void *name, const void *row);

/* ---------------------------------------------------------------------------- clock */

/* Clocks for time limits on the work of other programs, never for the contents of a
 * report. */

/** The time of a clock, in seconds; 0 if the system does not have this clock. */
double fsd_clock(clockid_t clock);

/** Seconds of a monotonic clock. */
double fsd_now(void);

/* ---------------------------------------------------------------------------- arena */

/* One arena holds everything that lives as long as a run; passes use a second one for
 * scratch.  Memory comes zeroed and is freed all at once.
 *
 * With FSD_ARENA_DEBUG each allocation is a malloc of its own, so that the address
 * sanitizer and valgrind see an overrun; sanitizer builds turn it on. */

struct fsd_arena;

struct fsd_arena *fsd_arena_new(void);
void fsd_arena_free(struct fsd_arena *arena); /* may be NULL */

/** Declares an arena that is freed at the end of the block. */
#define FSD_SCRATCH(name)                                                              \
    struct fsd_arena *name __attribute__((cleanup(fsd_scratch_end))) = fsd_arena_new()
void fsd_scratch_end(struct fsd_arena **scratch);

/** Zeroed memory for n objects; never NULL: calls fsd_out_of_memory() if memory runs
 *  out or n * size overflows. n may be 0. */
void *fsd_arena_alloc(struct fsd_arena *arena, size_t n, size_t size, size_t align);

/** Enlarges the allocation of `bytes` bytes at `at` in this arena to `larger` bytes and
 *  returns its address, which may change; the new bytes are not zeroed.  NULL is an
 *  allocation of 0 bytes. */
void *fsd_arena_grow(struct fsd_arena *arena, void *at, size_t bytes, size_t larger);

/** A zero-terminated copy of n bytes. */
char *fsd_arena_strndup(struct fsd_arena *arena, const char *s, size_t n);

#define FSD_NEW(arena, type, n)                                                        \
    ((type *)fsd_arena_alloc((arena), (n), sizeof(type), alignof(type)))

/* ------------------------------------------------------------------------------ vec */

/* A growable array in an arena: `FSD_VEC(int) v = {0}; fsd_vec_push(arena, &v, 3);`.
 * Growing may move it: keep no pointers into an array that still grows. */

#define FSD_VEC(type)                                                                  \
    struct {                                                                           \
        type *at;                                                                      \
        uint32_t n, cap;                                                               \
    }

/** Appends a copy of the value.  The array must have less than 2^32 - 1 items. */
#define fsd_vec_push(arena, vec, ...)                                                  \
    ((vec)->at =                                                                       \
         fsd_vec_room((arena), (vec)->at, (vec)->n, &(vec)->cap, sizeof *(vec)->at),   \
     (vec)->at[(vec)->n++] = (__VA_ARGS__))

/** Makes room for one more item and returns the array's address; the macro calls it. */
void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size);

/** A loop over the items of an array, which must not grow meanwhile, or over a slice of
 *  it; over the ids in a slice of an array, which may grow, or of its items' member. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names that are declared */
#define FSD_EACH(type, item, vec)                                                      \
    for (type *item = (vec).at; (vec).n && item < (vec).at + (vec).n; item++)
#define FSD_EACH_IN(type, item, vec, span)                                             \
    for (type *item = (span).n ? (vec).at + (span).at : NULL;                          \
         (span).n && item < (vec).at + (span).at + (span).n; item++)
#define FSD_EACH_ID(id, vec, span)                                                     \
    for (fsd_id id##_at = 0, id;                                                       \
         id##_at < (span).n && (id = (vec).at[(span).at + id##_at], true); id##_at++)
#define FSD_EACH_OF(id, vec, span, member)                                             \
    for (fsd_id id##_at = 0, id;                                                       \
         id##_at < (span).n && (id = (vec).at[(span).at + id##_at].member, true);      \
         id##_at++)
/* NOLINTEND(bugprone-macro-parentheses) */

/** Numbers grouped by key: the numbers with key k are the slice `of[k]` of `ids`, in
 * ascending order. */
struct fsd_lists {
    struct fsd_span *of;
    fsd_id *ids;
};
/** @param key the key of each number, below `keys`; FSD_NONE: it has no key
 *  @param step bytes from one key to the next, since keys may be members of structs */
struct fsd_lists fsd_lists_new(struct fsd_arena *arena, const fsd_id *key, size_t step,
                               uint32_t n, uint32_t keys);
/** The i-th number of a key; FSD_NONE after the last one. */
fsd_id fsd_list_at(const struct fsd_lists *l, fsd_id key, uint32_t i);

/** Whether `id` is one of n numbers. */
bool fsd_ids_have(const fsd_id *ids, uint32_t n, fsd_id id);

/** An array of n numbers, each FSD_NONE. */
fsd_id *fsd_ids_new(struct fsd_arena *arena, size_t n);

/* ----------------------------------------------------------------------------- sets */

/* Disjoint sets of ids (union-find), stored as an array: each id leads to another id
 * of its set, and finally to the smallest one. */

/** Creates n sets of one id each. */
fsd_id *fsd_sets_new(struct fsd_arena *arena, uint32_t n);

/** The smallest id in the set of `i`. */
fsd_id fsd_sets_find(fsd_id *sets, fsd_id i);

void fsd_sets_join(fsd_id *sets, fsd_id a, fsd_id b);

/* ---------------------------------------------------------------------------- slice */

/* A slice refers to a part of a text and does not own it.  Readers parse lines, names
 * and values with these functions. */

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

/** White space in JSON and in ONNX's text format. */
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

/** The text after the first n bytes; n may exceed the length. */
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

/* Whether the text begins with the word.  The first letter rules out most words before
 * lengths are compared, because dozens of words are tried for each line of a log. */
static inline bool fsd_slice_begins(struct fsd_slice t, const char *word)
{
    size_t n;

    if (*word && (!t.n || *t.s != *word))
        return false;
    n = strlen(word);
    return t.n >= n && !memcmp(t.s, word, n);
}

/** Removes the word from the front; false and unchanged if it is not there. */
static inline bool fsd_slice_take(struct fsd_slice *t, const char *word)
{
    if (!fsd_slice_begins(*t, word))
        return false;
    *t = fsd_slice_from(*t, strlen(word));
    return true;
}

/** Removes the word from the front as often as it is repeated there. */
static inline void fsd_slice_skip(struct fsd_slice *t, const char *word)
{
    while (fsd_slice_take(t, word))
        ;
}

/** Removes the word from the end; false and unchanged if it is not there. */
static inline bool fsd_slice_drop(struct fsd_slice *t, const char *word)
{
    size_t n = strlen(word);

    if (t->n < n || memcmp(t->s + t->n - n, word, n) != 0)
        return false;
    t->n -= n;
    return true;
}

/** The slice without the blanks and tabs at its ends. */
struct fsd_slice fsd_slice_trim(struct fsd_slice t);

/** Reads decimal digits at the front; false if there are none.  A larger number than
 *  `most` becomes `most`. */
bool fsd_slice_take_number(struct fsd_slice *t, uint64_t most, uint64_t *out);

/** Takes the characters of a word (fsd_is_word) off the front; may be empty. */
struct fsd_slice fsd_slice_take_word(struct fsd_slice *t);

/** The first, or last, occurrence of the word; NULL if there is none. */
const char *fsd_slice_find(struct fsd_slice t, const char *word);
const char *fsd_slice_find_last(struct fsd_slice t, const char *word);

/** Splits `t` at a word of n bytes at `at`; `t` becomes the left side.
 *  @return the right side. */
static inline struct fsd_slice fsd_slice_split(struct fsd_slice *t, const char *at,
                                               size_t n)
{
    struct fsd_slice right = {at + n, (size_t)(t->s + t->n - at) - n};

    t->n = (size_t)(at - t->s);
    return right;
}

/** Splits `t` at the first, or last, occurrence of the word; returns false and changes
 *  neither slice if there is none. */
bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right);
bool fsd_slice_split_last(struct fsd_slice *t, const char *word,
                          struct fsd_slice *right);

/** The number of bytes of JSON up to the bracket that closes the first one, ignoring
 *  brackets in strings; 0 if it is not closed. */
size_t fsd_slice_brackets(struct fsd_slice t);

/* ----------------------------------------------------------------------------- text */

/* Text helpers that do not know file formats: UTF-8 and safe printing. */

/** The length in bytes (1 to 4) of the valid UTF-8 character at s; 0 if there is no
 *  valid one.  At most n bytes are read. */
size_t fsd_utf8_len(const unsigned char *s, size_t n);

/** The code point of a valid character. */
uint32_t fsd_utf8_code(const unsigned char *s, size_t len);

/** Writes the code point in UTF-8.  @return its length in bytes (1 to 4); 0 if it is
 *  not a character */
size_t fsd_utf8_put(uint32_t code, char out[4]);

/** Whether a character changes what is displayed without being visible: controls,
 *  bidirectional marks, line separators, and codes that are not characters (U+FFFE,
 *  which XML cannot contain either). */
bool fsd_code_is_hidden(uint32_t code);

/** Prints valid UTF-8 such that all of it is visible: hidden characters become
 *  "\\u{1f}", everything else is printed as it is. */
void fsd_put_safe(FILE *out, const char *s);
/** Like fprintf() with safe printing; the format may only contain "%s" and "%u". */
void fsd_printf_safe(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Whether a list of words, separated by blanks, contains the word; false for "" and
 *  for text with a blank. */
bool fsd_list_has(const char *list, const char *word);

/** The text after the last slash: "x.onnx" for "models/x.onnx". */
const char *fsd_base_name(const char *path);

/** Prints one word of a shell's command line, quoted if necessary. */
void fsd_put_shell_word(FILE *out, const char *word);

/** Prints a number's digits to the end of `room`.  Most numbers in a report are small
 *  integers, which fprintf() would take ten times as long to print. */
enum { FSD_DIGITS = 21 };
const char *fsd_digits(uint64_t number, char room[FSD_DIGITS]);
void fsd_put_whole(FILE *out, int64_t number);

/** A name, shortened for lists: a layer of thousands of nodes has all their names in
 *  its own name, and repeating it for each node would take quadratic space.  If the
 *  name is longer than FSD_BRIEF bytes, its front is written to `room`: "Conv_1 +
 *  Con...". */
enum { FSD_BRIEF = 2048, FSD_BRIEF_ROOM = FSD_BRIEF + 4 };
const char *fsd_brief(const char *name, char room[FSD_BRIEF_ROOM]);

/** "1 layer", "2 layers". */
void fsd_put_noun(FILE *out, uint64_t n, const char *noun);
/** The ending of a noun after a number: "s" unless n is 1. */
const char *fsd_plural(uint64_t n);

/** Prints 38500000 with unit " B" as "38.5 MB", with decimal prefixes; a negative
 *  number as "-"; `term` instead if it is not NULL. */
void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out);
/** The columns of `s` on a terminal when printed by fsd_put_safe(): an East Asian wide
 *  character takes two, a combining mark none. */
size_t fsd_safe_width(const char *s);

/** Likewise for a slice. */
size_t fsd_slice_width(struct fsd_slice t);
void fsd_put_safe_slice(FILE *out, struct fsd_slice t);
/** Returns the number of bytes at the front that take at most this many columns, with
 *  the combining marks of the last character; `used` is set to the columns that they
 *  take. */
size_t fsd_slice_front(struct fsd_slice t, size_t columns, size_t *used);

/* Names in few columns; fit.c. */

/** Prints `s` safely, in at most `width` columns if its words allow it.  From a longer
 *  text, whole parts of paths and whole names of a list "a + b" are left out, never
 *  letters of a word: "/m/.../q_proj/Add + 4 more + /m/x/Mul".  A width below 8 is
 *  unlimited.  Returns the columns used. */
size_t fsd_put_fitted(FILE *out, const char *s, size_t width);
/** Likewise for a list of names.  The path that the names share is printed once, even
 *  if the list would fit without that: "/m/attention: q_proj/Add + Reshape".
 *  @param joiner the separator: " + " */
size_t fsd_put_names(FILE *out, const char *names, const char *joiner, size_t width);

/* --------------------------------------------------------------------------- intern */

/* Strings as dense numbers.  Model and engine share one table, so equal names are equal
 * numbers and most maps are arrays.
 *
 * Strings become valid UTF-8 when they are added: a byte that is not part of a valid
 * sequence, or a zero byte, becomes the four characters "\xNN".  Writers may rely on
 * this.  Symbol 0 is the empty string. */

typedef fsd_id fsd_sym;

struct fsd_intern;

/** Allocated in the arena, and freed with it. */
struct fsd_intern *fsd_intern_new(struct fsd_arena *arena);

/** The symbol of n bytes, which are added if they are new. */
fsd_sym fsd_intern_add(struct fsd_intern *names, const char *s, size_t n);
fsd_sym fsd_intern_slice(struct fsd_intern *names, struct fsd_slice t);
/** Likewise for a zero-terminated string; NULL is the empty string. */
fsd_sym fsd_intern_str(struct fsd_intern *names, const char *s);
/** The symbol of bytes in a table of binary values: the bytes are neither changed nor
 *  copied. */
fsd_sym fsd_intern_bytes(struct fsd_intern *names, const void *bytes, size_t n);

/** The symbol of n bytes; FSD_NONE if they were never added. */
fsd_sym fsd_intern_find(const struct fsd_intern *names, const char *s, size_t n);
bool fsd_intern_has(const struct fsd_intern *names, const char *s, size_t n);
/** The symbol of the same text in a different table; FSD_NONE if it has none. */
fsd_sym fsd_intern_other(const struct fsd_intern *names, fsd_sym sym,
                         const struct fsd_intern *other);

/** The text of a symbol, zero-terminated, never NULL. */
const char *fsd_text(const struct fsd_intern *names, fsd_sym sym);
size_t fsd_text_len(const struct fsd_intern *names, fsd_sym sym);

/** Changes the texts of symbols, for everyone who holds the symbols.
 *  @param texts indexed by symbol; they must outlive the table; NULL: the text stays */
void fsd_intern_replace(struct fsd_intern *names, const char *const *texts);

/** The number of symbols, which are 0 .. count-1. */
uint32_t fsd_intern_count(const struct fsd_intern *names);

/* ---------------------------------------------------------------------------- guard */

/* The place where a function of the library continues when memory runs out.  Code that
 * allocates need not check for failures: fsd_out_of_memory() frees what was allocated
 * since the public function was called, and that function returns FSD_E_MEMORY. */

struct fsd_guard {
    fsd_jump_point at;
    struct fsd_guard *outer;
    unsigned depth; /* how many guards are nested, this one included */
};

/** The first member of an object that must be freed; or a member anywhere in it if
 *  `run` can find the object from there. */
struct fsd_cleanup {
    void (*run)(struct fsd_cleanup *self);
    struct fsd_cleanup *older, *newer;
    unsigned depth; /* the depth of the guard to which it was added; 0: there was no
                       guard */
};

/** The first statement of each public function that allocates, after clearing *out:
 *  when memory runs out, the function returns `otherwise` from here. */
#define FSD_GUARD_OR(otherwise)                                                        \
    struct fsd_guard guard __attribute__((cleanup(fsd_guard_leave)));                  \
                                                                                       \
    fsd_guard_enter(&guard);                                                           \
    if (FSD_JUMP_HERE(guard.at))                                                       \
    return otherwise
#define FSD_GUARD(err) FSD_GUARD_OR(fsd_fail_memory(err, NULL))

void fsd_guard_enter(struct fsd_guard *guard);
void fsd_guard_leave(struct fsd_guard *guard);

/** Adds `run` to the current guard of this thread, if there is one. */
void fsd_cleanup_add(struct fsd_cleanup *c, void (*run)(struct fsd_cleanup *self));
/** Removes `c` from its guard: the object has been freed, or has a new owner. */
void fsd_cleanup_drop(struct fsd_cleanup *c);

/** Does not return.  Memory runs out because of the machine, not because of the input,
 *  whose sizes are checked first.  Outside of guards it ends the process, as set by
 *  fsd_on_out_of_memory(). */
_Noreturn void fsd_out_of_memory(void);

/* ---------------------------------------------------------------------------- print */

/** Collects printed text: print to `out` between open and take (or close).  The struct
 *  must not be moved in the meantime.  If memory ran out, closing calls
 *  fsd_out_of_memory(). */
struct fsd_print {
    FILE *out;
    struct fsd_host_stream stream; /**< the stream behind `out` */
    char *text;                    /**< set by fsd_print_close() */
    size_t size, room;
    bool failed; /**< memory ran out */
    struct fsd_cleanup cleanup;
};

FILE *fsd_print_open(struct fsd_print *print);
/** The whole text, zero-terminated, in the arena. */
char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena);
/** Returns the whole text as a symbol. */
fsd_sym fsd_print_sym(struct fsd_print *print, struct fsd_intern *names);
/** Leaves the whole text in `text` and `size`; the caller frees it. */
void fsd_print_close(struct fsd_print *print);
/** The text and its size, valid until the next text is printed; for many short texts
 *  with one open stream. */
const char *fsd_print_next(struct fsd_print *print, size_t *size);
void fsd_print_drop(struct fsd_print *print);

/** The path of file `name` in the folder of the file `path`. */
const char *fsd_path_beside(struct fsd_arena *arena, const char *path,
                            const char *name);

/** A formatted string in the arena. */
char *fsd_printed(struct fsd_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --------------------------------------------------------------------------- spread */

/* The spread of several measurements of one thing. */

/** In the unit of the values, which are not negative; all are -1 without values. */
struct fsd_spread {
    double median, low, high;
};

#define FSD_SPREAD_NONE ((struct fsd_spread){-1, -1, -1})

/** Replaces fmax(), for which alone the program would link the mathematical library. */
static inline double fsd_larger(double a, double b)
{
    return a > b ? a : b;
}

/** Sorts the values.  The median of an even number is the mean of the middle two. */
struct fsd_spread fsd_spread_of(double *values, uint32_t n);

/** Likewise, with low and high one standard deviation from the median, estimated from
 *  the median absolute deviation.  Up to half of the values may be outliers before the
 *  estimate fails, whereas one outlier moves minimum, maximum and mean by any amount
 *  (Rousseeuw and Croux, Alternatives to the Median Absolute Deviation, JASA 88, 1993;
 *  medians for times of runs: Hoefler and Belli, Scientific Benchmarking of Parallel
 *  Computing Systems, SC 2015).  Changes the values. */
struct fsd_spread fsd_spread_robust(double *values, uint32_t n);

/* ----------------------------------------------------------------------------- file */

/* A whole input as bytes: read, or mapped if the program requests that.  Only regular
 * files and standard input are read: a directory, FIFO or device is refused, since
 * reading it may block or never end. */

struct fsd_file {
    const char *name; /* as given by the user, borrowed */
    const unsigned char *bytes;
    size_t size;
    struct fsd_mapping *map;   /* the mapping of the bytes; NULL: they belong to the
                                  caller, or there are none */
    bool sparse;               /* some bytes may not have been read: see
                                  fsd_file_at() */
    struct fsd_coming *coming; /* a decompression in progress; NULL: there is none */
    void (*abandon)(struct fsd_file *); /* cancels the decompression; NULL: there is
                                           nothing to cancel */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  Close it, in the
 *  same thread, with fsd_file_done() or fsd_file_close(), whatever is returned.  Bytes
 *  that another program truncates while they are mapped read as zeros: see file.c. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);

/** Opens a file of any size that the file `of` names: it must be below the folder of
 *  `of`, either by its path or after links are resolved.  Close it likewise. */
enum fsd_status fsd_file_open_beside(struct fsd_file *out, const char *path,
                                     const char *of, struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** Maps a regular file without a name, which no other program can truncate. */
enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
                             struct fsd_error *err);

/** Like fsd_file_open(), for a file that may be compressed with gzip, xz or zstd: its
 *  bytes are the decompressed ones, so that readers need not know about compression. */
enum fsd_status fsd_file_open_decompressed(struct fsd_file *out, const char *path,
                                           uint64_t limit, struct fsd_error *err);

/** Likewise, to recognize the type of a file from its beginning: a compressed file is
 *  decompressed only as far as readers examine it for this. */
enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err);

/** Likewise, but bytes after the first 64 KiB are read only when fsd_file_at() requests
 *  them. */
enum fsd_status fsd_file_open_sparse(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Likewise, for a reader that reads the file once from beginning to end.  A thread
 *  decompresses a compressed file in the meantime: `size` is at first only the size of
 *  the beginning. fsd_file_reach() waits for more bytes; after the last read,
 *  fsd_file_complete() must be called before any other function. */
enum fsd_status fsd_file_open_coming(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Reads n bytes of a sparse file from offset `at`, except those that have already been
 * read. */
void fsd_file_read(const struct fsd_file *file, size_t at, size_t n);

/** Bytes of the file; n may exceed its size. */
static inline const unsigned char *fsd_file_at(const struct fsd_file *file, size_t at,
                                               size_t n)
{
    if (file->sparse)
        fsd_file_read(file, at, n);
    return file->bytes + at;
}

/** Whether the bytes contain the word. */
bool fsd_file_has(const struct fsd_file *file, const char *word);

/** Waits until more than n bytes are available, or all are.  @return the number of
 *  available bytes */
size_t fsd_file_reach(const struct fsd_file *file, size_t n);

/** Waits for the end of a decompression; then `size` is the whole size.  @return see
 *  fsd_decompress() */
enum fsd_status fsd_file_complete(struct fsd_file *file, struct fsd_error *err);

/** Checks that no byte that was read so far had been lost.
 *  @param status the result of reading the bytes.
 *  @return FSD_E_IO, with `err` filled, if bytes were lost meanwhile, so that
 *          everything read is invalid; else `status` */
enum fsd_status fsd_file_there(const struct fsd_file *file, enum fsd_status status,
                               struct fsd_error *err);

/** Copies n bytes of a large file, beginning at offset `at`, to a stream by a system
 *  call, if the system has one: the bytes take no memory of this process.  The caller
 *  must write the bytes that were not copied.
 *  @return the number of bytes that were copied; 0 if `out` is no plain file */
size_t fsd_file_copy(const struct fsd_file *file, size_t at, size_t n, FILE *out);

/** Closes the file after the last read.
 *  @return as fsd_file_there() */
enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err);

/** Informs the system that the bytes before `offset` will not be read again soon, so
 *  that a scan of a large mapping, or of a sparse file, does not keep its pages. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

/** The same during a scan, in steps large enough for a system call.
 *  @param released the released bytes so far: 0 at the beginning; may decrease */
static inline void fsd_file_release_behind(const struct fsd_file *file, size_t offset,
                                           size_t *released)
{
    if (offset < *released || offset - *released > 1 << 22) {
        if (offset > *released)
            fsd_file_release(file, offset);
        *released = offset;
    }
}

/** Whether the file begins like a gzip, xz or zstd file. */
bool fsd_is_compressed(const struct fsd_file *file);

/** Receives the number of bytes written so far.
 *  @return false: stop */
typedef bool fsd_reached_fn(void *payload, uint64_t n);

/** Decompresses the first `first` bytes, or all (UINT64_MAX), piece by piece, so that
 *  neither input nor output need be in memory.  Concatenated streams count as one, as
 *  with gzip, xz and zstd themselves.
 *  @param out a file descriptor
 *  @param reached  called after each piece; may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT if the file is damaged or truncated; FSD_E_LIMIT if the
 *         decompressed size is far beyond any real file of this size, since a few bytes
 *         can expand to a full disk; FSD_E_IO. */
enum fsd_status fsd_decompress(const struct fsd_file *file, int out, uint64_t first,
                               fsd_reached_fn *reached, void *payload,
                               struct fsd_error *err);

/** Likewise to memory, which the caller frees with free(). */
enum fsd_status fsd_decompress_to_memory(const struct fsd_file *file, uint64_t first,
                                         unsigned char **bytes, size_t *size,
                                         struct fsd_error *err);

/** The limit on the decompressed size of a file. */
uint64_t fsd_decompressed_most(const struct fsd_file *file);

/* ------------------------------------------------------------------------ file type */

/** The offset of the text after a byte order mark and white space. */
size_t fsd_file_text_start(const struct fsd_file *file);

/** Whether the file has these n bytes at offset `at`. */
bool fsd_file_has_at(const struct fsd_file *file, size_t at, const char *bytes,
                     size_t n);

/** Whether the word is in the first `within` bytes of the file. */
bool fsd_file_has_word(const struct fsd_file *file, size_t within, const char *word);

/* ----------------------------------------------------------------------------- hash */

/* Hash functions.  Hashes of 64 bits never leave the process. */

uint64_t fsd_hash_bytes(const void *bytes, size_t n);
static inline uint64_t fsd_hash_text(const char *text)
{
    return fsd_hash_bytes(text, strlen(text));
}
/** Combines two numbers; their order counts. */
uint64_t fsd_hash_mix(uint64_t a, uint64_t b);

/** A hash with a seed that differs in each process; collisions cannot be prepared
 *  without knowing the seed.  No output may depend on it. */
uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed);
uint64_t fsd_hash_seed(void);

/** XXH3's 128 bits, the low half first: the same on every machine. */
void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2]);

/* ------------------------------------------------ of a file, while it is being read */

struct XXH3_state_s; /* defined in xxhash.h */

struct fsd_digest {
    const struct fsd_file *file;
    struct XXH3_state_s *state;
    struct fsd_cleanup cleanup;
    size_t at; /**< the number of bytes that are hashed */
};

/** False if memory runs out; then no other call is allowed. */
bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file);

/** Hashes the bytes before `at` and some bytes after them. */
void fsd_digest_step(struct fsd_digest *d, size_t at);

/** Hashes the rest.
 *  @param hash XXH3's 128 bits, the low half first. */
void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2]);
