/* Functions for all folders: memory, ids, lists, texts, numbers, errors, files and
 * hashes, but nothing of graphs.  Includes the C headers that most files need. */
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

/* Fills the caller's error struct.  Every message states the expected and the found
 * value; the struct has fields for the file and the position. */

/** Fills `err` (which may be NULL) and returns `status`, so that a failing function
 *  can end with `return fsd_fail(...)`.
 *  @param file  the input's name as the user gave it; may be NULL. */
enum fsd_status fsd_fail(struct fsd_error *err, enum fsd_status status,
                         const char *file, enum fsd_pos_unit unit, uint64_t pos,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Fills `err` (which may be NULL) after memory ran out, and returns FSD_E_MEMORY.
 *  @param file  the input that was being read; may be NULL. */
enum fsd_status fsd_fail_memory(struct fsd_error *err, const char *file);

/** Stores the result of `step` in `status`, unless an earlier step failed. */
#define FSD_THEN(status, step) ((status) = (status) == FSD_OK ? (step) : (status))

/** Flushes the stream of a report.  Returns FSD_E_WRITE if the stream had an error. */
enum fsd_status fsd_flush(FILE *out, struct fsd_error *err);

/* ------------------------------------------------------------------------------- id */

/* An id is the index of an item in its array. */

typedef uint32_t fsd_id;

#define FSD_NONE UINT32_MAX

/** The result of a search that found several different ids. */
#define FSD_SEVERAL (FSD_NONE - 1)

/** Returns the array's entry at index `at`; FSD_NONE if `at` is FSD_NONE. */
static inline fsd_id fsd_id_at(const fsd_id *of, fsd_id at)
{
    return at == FSD_NONE ? FSD_NONE : of[at];
}

/** Returns the array's entry at index `at`; false if `at` is FSD_NONE. */
static inline bool fsd_true_at(const bool *of, fsd_id at)
{
    return at != FSD_NONE && of[at];
}

/** Sets the array's entry at index `at` to true; does nothing if `at` is FSD_NONE. */
void fsd_set_at(bool *of, fsd_id at);

/** Returns `id`, or `otherwise` if `id` is FSD_NONE. */
static inline fsd_id fsd_id_or(fsd_id id, fsd_id otherwise)
{
    return id == FSD_NONE ? otherwise : id;
}

/** Combines the results of two searches.  Different ids give FSD_SEVERAL.  If one
 *  search found nothing (FSD_NONE), returns the other result. */
fsd_id fsd_id_both(fsd_id a, fsd_id b);

/** Returns the result of a search; FSD_NONE instead of FSD_SEVERAL. */
fsd_id fsd_id_only(fsd_id found);

/** A slice of an array: n entries, beginning at index `at`. */
struct fsd_span {
    uint32_t at, n;
};

#define FSD_COUNT_OF(array) (sizeof(array) / sizeof *(array))

/** Defines a function that returns the name of an enum's value.  The arguments after
 *  `count` are the names in the order of the values, or designated initializers. */
#define FSD_NAMES(function, type, count, ...)                                          \
    const char *function(type value)                                                   \
    {                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                              \
        _Static_assert(FSD_COUNT_OF(names) == (count), "a name each");                 \
        return names[value];                                                           \
    }

/** Compares numbers for an ascending order: negative, zero or positive. */
static inline int fsd_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}
/** Compares numbers for a descending order: negative, zero or positive. */
int fsd_falling(double a, double b);

/** Defines `name`(), which compares structs `*x` and `*y` for fsd_sort().  `name`()
 *  returns the first nonzero argument after `type`, such as fsd_order(x->n, y->n). */
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

/** Sorts n items and keeps only one of equal items. @return the number of items left */
uint32_t fsd_sort_once(void *at, uint32_t n, size_t size,
                       int (*by)(const void *, const void *));

/** Comparisons for fsd_sort().  fsd_by_number: uint64_t.  fsd_by_id: fsd_id or fsd_sym.
 *  fsd_by_pair: structs that begin with two ids.  fsd_by_text: pointers to texts.
 *  fsd_by_name() is for bsearch() in a table of structs that begin with a name. */
int fsd_by_number(const void *a, const void *b);
int fsd_by_id(const void *a, const void *b);
int fsd_by_pair(const void *a, const void *b);
int fsd_by_text(const void *a, const void *b);
int fsd_by_name(const void *name, const void *row);

/* ---------------------------------------------------------------------------- clock */

/* Clocks.  They only limit the run time of processes; no report depends on them. */

/** Returns the time of a clock in seconds; 0 if the system does not have this clock. */
double fsd_clock(clockid_t clock);

/** Returns the time of a monotonic clock in seconds. */
double fsd_now(void);

/* ---------------------------------------------------------------------------- arena */

/* Memory from an arena is zeroed, and is freed together with the arena.  One arena
 * holds all data of a run; FSD_SCRATCH makes an arena for the time of a function.
 *
 * With FSD_ARENA_DEBUG, which sanitizer builds define, each allocation is a malloc(),
 * so that the address sanitizer and valgrind can report an overrun. */

struct fsd_arena;

struct fsd_arena *fsd_arena_new(void);
void fsd_arena_free(struct fsd_arena *arena); /* may be NULL */

/** Declares an arena that is freed at the end of the block. */
#define FSD_SCRATCH(name)                                                              \
    struct fsd_arena *name __attribute__((cleanup(fsd_scratch_end))) = fsd_arena_new()
void fsd_scratch_end(struct fsd_arena **scratch);

/** Returns zeroed memory for n objects of `size` bytes; n may be 0.  Never returns
 *  NULL: if memory runs out or n * size overflows, fsd_out_of_memory() is called. */
void *fsd_arena_alloc(struct fsd_arena *arena, size_t n, size_t size, size_t align);

/** Enlarges the allocation at `at` from `bytes` to `larger` bytes.  If `bytes` is 0,
 *  `at` may be NULL.  Returns the new address; the added bytes are not zeroed. */
void *fsd_arena_grow(struct fsd_arena *arena, void *at, size_t bytes, size_t larger);

/** Returns a copy of n bytes, with a zero byte at its end, in the arena. */
char *fsd_arena_strndup(struct fsd_arena *arena, const char *s, size_t n);

#define FSD_NEW(arena, type, n)                                                        \
    ((type *)fsd_arena_alloc((arena), (n), sizeof(type), alignof(type)))

/* ------------------------------------------------------------------------------ vec */

/* A growable array in an arena: `FSD_VEC(int) v = {0}; fsd_vec_push(arena, &v, 3);`.
 * Growing may move the array, so keep no pointers into an array that still grows. */

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

/** Makes room for one more item and returns the array's address, which may have
 * changed. fsd_vec_push() calls this function. */
void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size);

/** Loops over the items of an array (FSD_EACH()), the items of a slice of an array
 *  (FSD_EACH_IN()), the ids in a slice of an array (FSD_EACH_ID()), or the id `member`
 *  of each item in a slice (FSD_EACH_OF()).  Only in the last two loops, the array may
 *  grow. */
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

/** Numbers by key.  The slice `of[k]` of `ids` has those of key k, ascending. */
struct fsd_lists {
    struct fsd_span *of;
    fsd_id *ids;
};
/** Groups the numbers 0 to n - 1 by their keys.
 *  @param key  the key of each number, below `keys`; FSD_NONE: the number has no key
 *  @param step  bytes from one key to the next; the keys may be members of structs */
struct fsd_lists fsd_lists_new(struct fsd_arena *arena, const fsd_id *key, size_t step,
                               uint32_t n, uint32_t keys);
/** Returns the i-th number with this key, from 0; FSD_NONE after the last one. */
fsd_id fsd_list_at(const struct fsd_lists *l, fsd_id key, uint32_t i);

/** Whether `id` is one of n numbers. */
bool fsd_ids_have(const fsd_id *ids, uint32_t n, fsd_id id);

/** Returns an array of n ids, each FSD_NONE. */
fsd_id *fsd_ids_new(struct fsd_arena *arena, size_t n);

/* ----------------------------------------------------------------------------- sets */

/* Disjoint sets of ids (union-find), stored as an array.  Element i is the parent of id
 * i in its set.  The root of a set is its smallest id, which is its own parent. */

/** Creates n sets of one id each. */
fsd_id *fsd_sets_new(struct fsd_arena *arena, uint32_t n);

/** Returns the smallest id in the set that contains `i`. */
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

/* Whether the character is an ASCII digit, in any locale. */
static inline bool fsd_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** Whether the character is white space in JSON and in ONNX's text format. */
static inline bool fsd_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/** Whether the character is an ASCII letter, a digit or '_'. */
static inline bool fsd_is_word(char c)
{
    return fsd_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_';
}

/** Returns the text after the first n bytes; n may exceed the length. */
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

/* Whether the text begins with the word.  The first letter rules out most of the dozens
 * of words that readers try for each line of a log. */
static inline bool fsd_slice_begins(struct fsd_slice t, const char *word)
{
    size_t n;

    if (*word && (!t.n || *t.s != *word))
        return false;
    n = strlen(word);
    return t.n >= n && !memcmp(t.s, word, n);
}

/** Removes the word from the front.  Returns false if the text begins otherwise. */
static inline bool fsd_slice_take(struct fsd_slice *t, const char *word)
{
    if (!fsd_slice_begins(*t, word))
        return false;
    *t = fsd_slice_from(*t, strlen(word));
    return true;
}

/** Removes all repetitions of the word from the front of the text. */
static inline void fsd_slice_skip(struct fsd_slice *t, const char *word)
{
    while (fsd_slice_take(t, word))
        ;
}

/** Removes the word from the end.  Returns false if the text ends otherwise. */
static inline bool fsd_slice_drop(struct fsd_slice *t, const char *word)
{
    size_t n = strlen(word);

    if (t->n < n || memcmp(t->s + t->n - n, word, n) != 0)
        return false;
    t->n -= n;
    return true;
}

/** Returns the slice without the blanks and tabs at its ends. */
struct fsd_slice fsd_slice_trim(struct fsd_slice t);

/** Removes a decimal number from the front of the text.  Returns false if the text does
 *  not begin with a digit.  A number above `most` becomes `most`. */
bool fsd_slice_take_number(struct fsd_slice *t, uint64_t most, uint64_t *out);

/** Removes the letters, digits and '_' at the front, perhaps none, and returns them. */
struct fsd_slice fsd_slice_take_word(struct fsd_slice *t);

/** Returns the first or the last occurrence of the word; NULL if there is none. */
const char *fsd_slice_find(struct fsd_slice t, const char *word);
const char *fsd_slice_find_last(struct fsd_slice t, const char *word);

/** Splits `t` at a word, which begins at `at` and has n bytes: `t` becomes the text
 *  before the word.
 *  @return the text after the word */
static inline struct fsd_slice fsd_slice_split(struct fsd_slice *t, const char *at,
                                               size_t n)
{
    struct fsd_slice right = {at + n, (size_t)(t->s + t->n - at) - n};

    t->n = (size_t)(at - t->s);
    return right;
}

/** Splits `t` at the first or the last occurrence of the word: `t` becomes the text
 *  before it, `right` the text after it.  Returns false if the word does not occur. */
bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right);
bool fsd_slice_split_last(struct fsd_slice *t, const char *word,
                          struct fsd_slice *right);

/** Returns the number of bytes up to and including the bracket that closes the first
 *  bracket of a JSON text; 0 if none does.  Brackets in strings do not count. */
size_t fsd_slice_brackets(struct fsd_slice t);

/* ----------------------------------------------------------------------------- text */

/* Functions for UTF-8 and for printing text safely. */

/** Returns the length in bytes (1 to 4) of the UTF-8 character at s; 0 if the bytes are
 *  not valid UTF-8.  Reads at most n bytes. */
size_t fsd_utf8_len(const unsigned char *s, size_t n);

/** Returns the code point of a valid UTF-8 character of `len` bytes. */
uint32_t fsd_utf8_code(const unsigned char *s, size_t len);

/** Writes the code point in UTF-8.  @return the number of written bytes (1 to 4); 0 if
 *  `code` is not a character */
size_t fsd_utf8_put(uint32_t code, char out[4]);

/** Whether a character is invisible but may change the displayed text: controls,
 *  bidirectional marks, line separators, and codes that are not characters (such as
 *  U+FFFE, which XML cannot contain). */
bool fsd_code_is_hidden(uint32_t code);

/** Prints valid UTF-8 and makes hidden characters visible: "\\u{1f}" replaces the
 *  character U+001F.  All other characters are printed unchanged. */
void fsd_put_safe(FILE *out, const char *s);
/** Prints strings like fsd_put_safe().  The format may only contain "%s" and "%u". */
void fsd_printf_safe(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Whether a list of words, separated by blanks, contains the word.  False if `word` is
 *  "" or contains a blank. */
bool fsd_list_has(const char *list, const char *word);

/** Returns the text after the last slash: "x.onnx" for "models/x.onnx". */
const char *fsd_base_name(const char *path);

/** Prints one word of a shell's command line, quoted if necessary. */
void fsd_put_shell_word(FILE *out, const char *word);

/** Writes the digits of a number to the end of `room`, and returns the address of the
 *  first digit.  Reports print many integers, and fprintf() takes ten times as long. */
enum { FSD_DIGITS = 21 };
const char *fsd_digits(uint64_t number, char room[FSD_DIGITS]);
void fsd_put_whole(FILE *out, int64_t number);

/** Returns `name` or, if it has more than FSD_BRIEF bytes, its front in `room`: "Conv_1
 *  + Con...".  A layer's name can list thousands of nodes.  If a report repeated such a
 *  name for each of its nodes, the report would have quadratic size. */
enum { FSD_BRIEF = 2048, FSD_BRIEF_ROOM = FSD_BRIEF + 4 };
const char *fsd_brief(const char *name, char room[FSD_BRIEF_ROOM]);

/** Prints a number and its noun: "1 layer", "2 layers". */
void fsd_put_noun(FILE *out, uint64_t n, const char *noun);
/** Returns the ending of a noun after the number n: "s" unless n is 1. */
const char *fsd_plural(uint64_t n);

/** Prints a number with a decimal prefix and a unit: "38.5 MB" for 38500000 and " B".
 *  Prints "-" for a negative number.  If `term` is not NULL, prints `term` and the unit
 *  instead. */
void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out);
/** Returns the number of columns that `s` takes on a terminal if fsd_put_safe() prints
 *  it.  An East Asian wide character takes two columns, a combining mark none. */
size_t fsd_safe_width(const char *s);

/** Returns the number of columns that fsd_put_safe_slice() takes on a terminal. */
size_t fsd_slice_width(struct fsd_slice t);
void fsd_put_safe_slice(FILE *out, struct fsd_slice t);
/** Returns how many bytes at the front of the text fit into `columns` columns; `used`
 *  receives the columns of these bytes.  Combining marks stay with their character. */
size_t fsd_slice_front(struct fsd_slice t, size_t columns, size_t *used);

/* Printing of names in few columns (fit.c). */

/** Prints a name or a list of names "a + b" safely, in at most `width` columns if
 *  possible.  A longer text loses whole parts of paths and whole names, never letters
 *  of a word: "/m/.../q_proj/Add + 4 more + /m/x/Mul".  A `width` below 8 means no
 *  limit.  Returns the number of columns used. */
size_t fsd_put_fitted(FILE *out, const char *s, size_t width);
/** Prints a list of names safely, in at most `width` columns if possible.  A path that
 *  all names share is printed once, in front: "/m/attention: q_proj/Add + Reshape".
 *  @param joiner  the separator of the names, such as " + " */
size_t fsd_put_names(FILE *out, const char *names, const char *joiner, size_t width);

/* --------------------------------------------------------------------------- intern */

/* A table that gives each string a number, its symbol; the numbers have no gaps.  Model
 * and engine share one table: equal names have equal symbols, and an array indexed by
 * symbol serves as a map.
 *
 * Strings become valid UTF-8 when they are added: a zero byte, or a byte that is not
 * part of a valid sequence, becomes the four characters "\xNN".  Functions that print
 * symbols rely on this.  Symbol 0 is the empty string. */

typedef fsd_id fsd_sym;

struct fsd_intern;

/** Creates a table of strings in the arena.  It is freed with the arena. */
struct fsd_intern *fsd_intern_new(struct fsd_arena *arena);

/** Returns the symbol of n bytes, and adds them to the table if they are new. */
fsd_sym fsd_intern_add(struct fsd_intern *names, const char *s, size_t n);
fsd_sym fsd_intern_slice(struct fsd_intern *names, struct fsd_slice t);
/** Returns the symbol of a string, and adds it if it is new.  NULL means "". */
fsd_sym fsd_intern_str(struct fsd_intern *names, const char *s);
/** Returns the symbol of n bytes in a table of binary values.  Unlike fsd_intern_add(),
 *  it neither converts nor copies the bytes, which must outlive the table. */
fsd_sym fsd_intern_bytes(struct fsd_intern *names, const void *bytes, size_t n);

/** Returns the symbol of n bytes; FSD_NONE if the table does not have them. */
fsd_sym fsd_intern_find(const struct fsd_intern *names, const char *s, size_t n);
bool fsd_intern_has(const struct fsd_intern *names, const char *s, size_t n);
/** Returns the symbol of the same text in `other`; FSD_NONE if `other` has none. */
fsd_sym fsd_intern_other(const struct fsd_intern *names, fsd_sym sym,
                         const struct fsd_intern *other);

/** Returns the text of a symbol, zero-terminated, never NULL. */
const char *fsd_text(const struct fsd_intern *names, fsd_sym sym);
size_t fsd_text_len(const struct fsd_intern *names, fsd_sym sym);

/** Gives symbols other texts.  All code that has stored a symbol then prints its new
 *  text.
 *  @param texts  indexed by symbol, must outlive the table; NULL: the text stays */
void fsd_intern_replace(struct fsd_intern *names, const char *const *texts);

/** Returns the number of symbols.  The symbols are 0 to this number - 1. */
uint32_t fsd_intern_count(const struct fsd_intern *names);

/* ---------------------------------------------------------------------------- guard */

/* A guard is the place where a public function continues after memory ran out.  Code
 * that allocates need not check for failures: fsd_out_of_memory() frees the memory that
 * was allocated since the public function was called, and the public function returns
 * FSD_E_MEMORY. */

struct fsd_guard {
    fsd_jump_point at;
    struct fsd_guard *outer;
    unsigned depth; /* the number of nested guards, this one included */
};

/** Objects that must be freed after memory ran out have this struct as a member.  It is
 *  usually the first member, so that `run` can convert `self` to the object. */
struct fsd_cleanup {
    void (*run)(struct fsd_cleanup *self);
    struct fsd_cleanup *older, *newer;
    unsigned depth; /* the depth of the object's guard; 0: the object has no guard */
};

/** Each public function that allocates memory begins with this statement; a statement
 *  that clears *out may precede it.  If memory runs out later, the public function
 *  returns `otherwise`. */
#define FSD_GUARD_OR(otherwise)                                                        \
    struct fsd_guard guard __attribute__((cleanup(fsd_guard_leave)));                  \
                                                                                       \
    fsd_guard_enter(&guard);                                                           \
    if (FSD_JUMP_HERE(guard.at))                                                       \
    return otherwise
#define FSD_GUARD(err) FSD_GUARD_OR(fsd_fail_memory(err, NULL))

void fsd_guard_enter(struct fsd_guard *guard);
void fsd_guard_leave(struct fsd_guard *guard);

/** Makes this thread's current guard, if any, call `run` when memory runs out. */
void fsd_cleanup_add(struct fsd_cleanup *c, void (*run)(struct fsd_cleanup *self));
/** Removes `c` from its guard, because the object has been freed or has a new owner. */
void fsd_cleanup_drop(struct fsd_cleanup *c);

/** Called when memory runs out.  First calls the function that the program passed to
 *  fsd_on_out_of_memory(), if any, which ends the process.  Otherwise jumps to the
 *  current guard; without a guard, ends the process.  A wrong size in an input does not
 *  lead here, because readers check sizes before they allocate. */
_Noreturn void fsd_out_of_memory(void);

/* ---------------------------------------------------------------------------- print */

/** Collects printed text: call fsd_print_open(), print to `out`, then take the text or
 *  close the struct.  The struct must not be moved in the meantime.  If memory ran out,
 *  closing calls fsd_out_of_memory(). */
struct fsd_print {
    FILE *out;
    struct fsd_host_stream stream; /**< the stream behind `out` */
    char *text;                    /**< set by fsd_print_close() */
    size_t size, room;
    bool failed; /**< memory ran out */
    struct fsd_cleanup cleanup;
};

FILE *fsd_print_open(struct fsd_print *print);
/** Closes `print` and returns the whole text, zero-terminated, in the arena. */
char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena);
/** Closes `print` and returns the symbol of the whole text. */
fsd_sym fsd_print_sym(struct fsd_print *print, struct fsd_intern *names);
/** Closes `print`, and sets print->text to the whole text, which the caller frees. */
void fsd_print_close(struct fsd_print *print);
/** Returns the text printed since the last call, and its size.  It is valid until more
 *  is printed.  Many short texts can thus share one open stream. */
const char *fsd_print_next(struct fsd_print *print, size_t *size);
void fsd_print_drop(struct fsd_print *print);

/** Returns the path of the file `name` in the folder that contains the file `path`. */
const char *fsd_path_beside(struct fsd_arena *arena, const char *path,
                            const char *name);

/** Returns a formatted string in the arena. */
char *fsd_printed(struct fsd_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --------------------------------------------------------------------------- spread */

/* The spread of several measurements of one thing. */

/** The members have the unit of the values; all are -1 if there are no values. */
struct fsd_spread {
    double median, low, high;
};

#define FSD_SPREAD_NONE ((struct fsd_spread){-1, -1, -1})

/** Replaces fmax(), so that the program need not link the mathematical library. */
static inline double fsd_larger(double a, double b)
{
    return a > b ? a : b;
}

/** The median, minimum and maximum of n values.  Sorts the values.  The median of an
 * even number of values is the mean of the middle two. */
struct fsd_spread fsd_spread_of(double *values, uint32_t n);

/** The median of n values; `low` and `high` are one standard deviation below and above
 *  the median.  The standard deviation is estimated from the median absolute deviation.
 *  This estimate stays correct if fewer than half of the values are outliers.
 *  Overwrites `values`.  Sources: Rousseeuw and Croux, Alternatives to the Median
 *  Absolute Deviation, JASA 88, 1993; for medians of run times, Hoefler and Belli,
 *  Scientific Benchmarking of Parallel Computing Systems, SC 2015. */
struct fsd_spread fsd_spread_robust(double *values, uint32_t n);

/* ----------------------------------------------------------------------------- file */

/* The bytes of an input, either read or mapped.  Only regular files and standard input
 * can be opened: a read from a directory, FIFO or device may block or never end. */

struct fsd_file {
    const char *name; /* the path as the user gave it; the caller owns it */
    const unsigned char *bytes;
    size_t size;
    struct fsd_mapping *map;   /* contains `bytes`; NULL: `bytes` are not mapped */
    bool sparse;               /* whether fsd_file_at() reads bytes when needed */
    bool unhashed;             /* the hash is not needed, so it is not computed */
    struct fsd_coming *coming; /* a decompression in progress; NULL: there is none */
    void (*abandon)(struct fsd_file *); /* cancels `coming`; NULL if there is none */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  The caller closes
 *  `out`, also after an error, in the same thread, with fsd_file_done() or
 *  fsd_file_close().  If another program truncates a mapped file, the lost bytes are
 *  zeros: see file.c. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);

/** Opens a file of any size that the file `of` (a model) names.  With all links
 *  resolved, `path` must be below the folder of `of`.  If `of` is a link, the folder of
 *  its target is allowed, too.  The caller closes `out`, also after an error. */
enum fsd_status fsd_file_open_beside(struct fsd_file *out, const char *path,
                                     const char *of, struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** Maps the regular file `fd`.  If it has no name, no other program can truncate it. */
enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
                             struct fsd_error *err);

/** Opens a file like fsd_file_open().  If it is compressed with gzip, xz or zstd, its
 *  bytes are decompressed first, so readers need not know about compression. */
enum fsd_status fsd_file_open_decompressed(struct fsd_file *out, const char *path,
                                           uint64_t limit, struct fsd_error *err);

/** Opens a file only to recognize its type from its beginning.  If the file is
 *  compressed, only its beginning is decompressed. */
enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err);

/** Opens a file like fsd_file_open_decompressed(), but reads bytes after the first 64
 *  KiB only when fsd_file_at() requests them. */
enum fsd_status fsd_file_open_sparse(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Opens a file for a reader that reads it once from beginning to end.  A thread
 *  decompresses a compressed file while it is read, so that `size` at first is the size
 *  of the decompressed beginning.  fsd_file_reach() waits for more bytes.  After the
 *  last read, fsd_file_complete() must be called before any other function. */
enum fsd_status fsd_file_open_coming(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Reads n bytes of a sparse file at offset `at`, unless they have been read. */
void fsd_file_read(const struct fsd_file *file, size_t at, size_t n);

/** Returns n bytes of the file at offset `at`, or fewer at the end of the file. */
static inline const unsigned char *fsd_file_at(const struct fsd_file *file, size_t at,
                                               size_t n)
{
    if (file->sparse)
        fsd_file_read(file, at, n);
    return file->bytes + at;
}

/** Whether the file contains the word. */
bool fsd_file_has(const struct fsd_file *file, const char *word);

/** Waits until more than n bytes are available, or the decompression has ended.
 *  @return the number of available bytes */
size_t fsd_file_reach(const struct fsd_file *file, size_t n);

/** Waits for the end of a decompression.  `size` is then the size of the whole file.
 *  @return see fsd_decompress() */
enum fsd_status fsd_file_complete(struct fsd_file *file, struct fsd_error *err);

/** Checks that no other program truncated the mapped file while it was read.
 *  @param status  the result of the reader
 *  @return `status` if no bytes were lost; else FSD_E_IO, with `err` filled: all data
 *          that was read is then invalid */
enum fsd_status fsd_file_there(const struct fsd_file *file, enum fsd_status status,
                               struct fsd_error *err);

/** Copies n bytes of a large file, beginning at offset `at`, to a stream.  The function
 *  uses a system call, so the bytes take no memory of this process.  The caller must
 *  write the bytes that were not copied.
 *  @return the number of copied bytes; 0 if the system cannot copy to `out` */
size_t fsd_file_copy(const struct fsd_file *file, size_t at, size_t n, FILE *out);

/** Closes the file after the last read.
 *  @return as fsd_file_there() */
enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err);

/** Gives the memory of all bytes before `offset` back to the system, so that a scan of
 *  a large mapping or a sparse file needs little memory. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

/** Calls fsd_file_release() during a scan, in steps of at least 4 MiB.
 *  @param offset  the position of the scan, which may also go back
 *  @param released  the offset up to which the scan has released bytes, at first 0 */
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

/** Receives the number n of bytes that were decompressed so far.
 *  @return false to stop the decompression */
typedef bool fsd_reached_fn(void *payload, uint64_t n);

/** Decompresses into a file, piece by piece, so neither the input nor the output need
 *  be in memory.  Concatenated streams count as one, as in the program gzip.
 *  @param first  how many bytes of the output are written; UINT64_MAX: all
 *  @param reached  called after each piece; may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT if the file is damaged or truncated; FSD_E_LIMIT if the
 *         decompressed size exceeds fsd_decompressed_most(), because a few bytes could
 *         otherwise fill the disk; FSD_E_IO. */
enum fsd_status fsd_decompress(const struct fsd_file *file, int out, uint64_t first,
                               fsd_reached_fn *reached, void *payload,
                               struct fsd_error *err);

/** Like fsd_decompress(), but into memory, which the caller frees with free(). */
enum fsd_status fsd_decompress_to_memory(const struct fsd_file *file, uint64_t first,
                                         unsigned char **bytes, size_t *size,
                                         struct fsd_error *err);

/** Returns the limit on the decompressed size of a compressed file, in bytes. */
uint64_t fsd_decompressed_most(const struct fsd_file *file);

/* ------------------------------------------------------------------------ file type */

/** Returns the offset of the text, after a byte order mark and white space. */
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
/** Combines two numbers into one hash; swapped numbers give another hash. */
uint64_t fsd_hash_mix(uint64_t a, uint64_t b);

/** A hash with a seed.  The seed is random in each process, so the author of a file
 *  cannot prepare collisions.  No output may depend on the hash. */
uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed);
uint64_t fsd_hash_seed(void);

/** Writes the 128 bits of XXH3, the low half first: the same on every machine. */
void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2]);

/* ------------------------------------------------ of a file, while it is being read */

struct XXH3_state_s; /* defined in xxhash.h */

struct fsd_digest {
    const struct fsd_file *file;
    struct XXH3_state_s *state;
    struct fsd_cleanup cleanup;
    size_t at; /**< the number of bytes hashed so far */
};

/** Begins to hash the bytes of a file.  Returns false if file->unhashed is set, or if
 * memory runs out; the other functions must then not be called. */
bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file);

/** Hashes all bytes before the offset `at`, and some bytes after it. */
void fsd_digest_step(struct fsd_digest *d, size_t at);

/** Hashes the remaining bytes.
 *  @param hash  receives the 128 bits of XXH3, the low half first */
void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2]);
