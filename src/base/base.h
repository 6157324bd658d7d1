/* What every folder stands on and knows nothing of graphs: memory, ids, lists, texts,
 * numbers, errors, files and hashes. */
#ifndef FSD_BASE_BASE_H
#define FSD_BASE_BASE_H

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

/** The same for lack of memory; `file` is the one that was being read, or NULL. */
enum fsd_status fsd_fail_memory(struct fsd_error *err, const char *file);

/** The end of every writer: FSD_E_WRITE if the stream had an error. */
enum fsd_status fsd_flush(FILE *out, struct fsd_error *err);

/* ------------------------------------------------------------------------------- id */

/* Everything that is kept in an array is referred to by its index there. */

typedef uint32_t fsd_id;

#define FSD_NONE UINT32_MAX

/** Among numbers that are looked for: different ones were found. */
#define FSD_SEVERAL (FSD_NONE - 1)

/** What an array has at that place; FSD_NONE for FSD_NONE. */
static inline fsd_id fsd_id_at(const fsd_id *of, fsd_id at)
{
    return at == FSD_NONE ? FSD_NONE : of[at];
}

/** Whether an array has true at that place; false for FSD_NONE. */
static inline bool fsd_true_at(const bool *of, fsd_id at)
{
    return at != FSD_NONE && of[at];
}

/** Sets true at that place; nothing for FSD_NONE. */
void fsd_set_at(bool *of, fsd_id at);

/** The first of two that is not FSD_NONE; FSD_NONE if both are. */
static inline fsd_id fsd_id_or(fsd_id id, fsd_id otherwise)
{
    return id == FSD_NONE ? otherwise : id;
}

/** What was found by two searches: of equal numbers that one, of different ones
 *  FSD_SEVERAL; FSD_NONE found nothing. */
fsd_id fsd_id_both(fsd_id a, fsd_id b);

/** The one that was found; FSD_NONE where several were. */
fsd_id fsd_id_only(fsd_id found);

/** A slice of a pool: n entries from `at`. */
struct fsd_span {
    uint32_t at, n;
};

#define FSD_COUNT_OF(array) (sizeof(array) / sizeof *(array))

/** Defines the function that returns the name of an enum's value: one per value, in
 *  order or by designators. */
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
/** The same of what comes first where it is larger. */
int fsd_falling(double a, double b);
/** The first order, unless it finds both equal. */
int fsd_then(int order, int next);

/** Sorts n items, none if `at` is NULL. */
void fsd_sort(void *at, size_t n, size_t size, int (*by)(const void *, const void *));
#define fsd_vec_sort(vec, by) fsd_sort((vec)->at, (vec)->n, sizeof *(vec)->at, (by))

/** The same, and keeps one of those that are equal.  @return how many are left. */
uint32_t fsd_sort_once(void *at, uint32_t n, size_t size,
                       int (*by)(const void *, const void *));

/** For these: of arrays of uint64_t, of fsd_id or fsd_sym, and of structs that begin
 *  with two of them; for bsearch() in a table of structs that begin with a name. */
int fsd_by_number(const void *a, const void *b);
int fsd_by_id(const void *a, const void *b);
int fsd_by_pair(const void *a, const void *b);
int fsd_by_name(const void *name, const void *row);

/* ---------------------------------------------------------------------------- clock */

/* Clocks for time limits: only for the work of other programs, never for the contents
 * of a report. */

/** Seconds of a clock, as one of a process's processor time; 0 when there is none. */
double fsd_clock(clockid_t clock);

/** Seconds of a monotonic clock. */
double fsd_now(void);

/* ---------------------------------------------------------------------------- arena */

/* One arena holds everything that lives as long as a run; passes use a second one for
 * scratch.  Memory comes zeroed and is freed all at once.
 *
 * With FSD_ARENA_DEBUG each block is a malloc of its own, so that the address
 * sanitizer and valgrind see an overrun; sanitizer builds turn it on. */

struct fsd_arena;

struct fsd_arena *fsd_arena_new(void);
void fsd_arena_free(struct fsd_arena *arena); /* may be NULL */

/** Zeroed memory for n objects; never NULL (fsd_out_of_memory() when it runs out or
 *  n * size overflows).  n may be 0. */
void *fsd_arena_alloc(struct fsd_arena *arena, size_t n, size_t size, size_t align);

/** What lies at `at`, all of an allocation of `bytes` bytes in this arena, as the first
 *  of `larger` bytes, of which the others may hold anything; it may have moved.  NULL
 *  is an allocation of 0 bytes. */
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

/** Appends a copy of the value.  The array has n < 2^32 - 1. */
#define fsd_vec_push(arena, vec, ...)                                                  \
    ((vec)->at =                                                                       \
         fsd_vec_room((arena), (vec)->at, (vec)->n, &(vec)->cap, sizeof *(vec)->at),   \
     (vec)->at[(vec)->n++] = (__VA_ARGS__))

/** Makes room for one more and returns the array's address; called by the macro. */
void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size);

/** Numbers by a key: those of key k are `of[k]` in `ids`, in order. */
struct fsd_lists {
    struct fsd_span *of;
    fsd_id *ids;
};
/** @param key  of each of n numbers, below `keys`; FSD_NONE: it is in no list
 *  @param step bytes from one key to the next: it may be a member of a struct */
struct fsd_lists fsd_lists_new(struct fsd_arena *arena, const fsd_id *key, size_t step,
                               uint32_t n, uint32_t keys);
/** The i-th number of a key; FSD_NONE past the last one. */
fsd_id fsd_list_at(const struct fsd_lists *l, fsd_id key, uint32_t i);

/** Whether one of n numbers is that one. */
bool fsd_ids_have(const fsd_id *ids, uint32_t n, fsd_id id);

/** An array of n numbers, each FSD_NONE. */
fsd_id *fsd_ids_new(struct fsd_arena *arena, size_t n);

/* ----------------------------------------------------------------------------- sets */

/* Disjoint sets of ids (union-find): an array that leads from each id to its set. */

/** n sets of one id each. */
fsd_id *fsd_sets_new(struct fsd_arena *arena, uint32_t n);

/** The set's smallest id. */
fsd_id fsd_sets_find(fsd_id *sets, fsd_id i);

void fsd_sets_join(fsd_id *sets, fsd_id a, fsd_id b);

/* ---------------------------------------------------------------------------- slice */

/* A piece of a text that is not owned, and the functions that readers of lines need:
 * one cursor for the lines of logs, names and the values in them. */

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

/** Splits `t` at the first such word, or the last; false, and both slices unchanged, if
 *  there is none. */
bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right);
bool fsd_slice_split_last(struct fsd_slice *t, const char *word,
                          struct fsd_slice *right);

/** Bytes of JSON up to the bracket that closes the first one, which none in a string
 *  does; 0 if nothing closes it. */
size_t fsd_slice_brackets(struct fsd_slice t);

/* ----------------------------------------------------------------------------- text */

/* Text helpers that know nothing of formats: UTF-8 and safe printing. */

/** The length in bytes (1 to 4) of the valid UTF-8 character at s, 0 when the bytes
 *  there are none; n is what is left. */
size_t fsd_utf8_len(const unsigned char *s, size_t n);

/** The code point of a valid character. */
uint32_t fsd_utf8_code(const unsigned char *s, size_t len);

/** Writes the code point in UTF-8.  @return its length in bytes (1 to 4), 0 when no
 *  character has this code. */
size_t fsd_utf8_put(uint32_t code, char out[4]);

/** True for characters that change what is displayed without being visible: controls,
 * bidirectional marks, line separators, and codes that are no characters (U+FFFE, which
 *  XML cannot contain either). */
bool fsd_code_is_hidden(uint32_t code);

/** How many bytes at the front need no escape in text and in JSON: all of nearly all
 *  names. */
size_t fsd_plain_run(const char *s, size_t n);

/** Prints valid UTF-8 such that all of it is visible: hidden characters become
 *  "\\u{1f}", everything else is printed as it is. */
void fsd_put_safe(FILE *out, const char *s);
/** As fprintf(), of "%s" such texts and of "%u" only. */
void fsd_printf_safe(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Whether a list of words, separated by blanks, has this one; "" and what holds a
 *  blank are never words. */
bool fsd_list_has(const char *list, const char *word);

/** Moves as much from the front of `text` as has room into a JSON string, escaped;
 *  returns the bytes used.  With at least FSD_JSON_ROOM bytes it moves some. */
size_t fsd_escape_json(struct fsd_slice *text, char *ready, size_t room);
enum { FSD_JSON_ROOM = 16 };

/** "x.onnx" of "models/x.onnx": what is behind the last slash. */
const char *fsd_base_name(const char *path);

/** Prints one word of a shell's command line, quoted if necessary. */
void fsd_put_shell_word(FILE *out, const char *word);

/** The digits of a number, at the end of `room`.  Most numbers of a report are small
 *  integers, for which this takes a tenth of a format's time. */
enum { FSD_DIGITS = 21 };
const char *fsd_digits(uint64_t number, char room[FSD_DIGITS]);
void fsd_put_whole(FILE *out, int64_t number);

/** A name, shortened for lists: a layer of thousands of nodes has all their names in
 *  its own, and repeating it for each node would be quadratic.  Of a name beyond
 *  FSD_BRIEF bytes the front, written to `room`: "Conv_1 + Con...". */
enum { FSD_BRIEF = 2048, FSD_BRIEF_ROOM = FSD_BRIEF + 4 };
const char *fsd_brief(const char *name, char room[FSD_BRIEF_ROOM]);

/** "1 layer", "2 layers". */
void fsd_put_noun(FILE *out, uint64_t n, const char *noun);
/** What the noun ends with: "s" unless there is one. */
const char *fsd_plural(uint64_t n);

/** "38.5 MB" of 38500000 and " B", decimal prefixes; "-" of a negative number; `term`
 *  is printed instead where it is not NULL. */
void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out);
/** The columns of `s` on a terminal when printed by fsd_put_safe(): an East Asian wide
 *  character takes two, a combining mark none. */
size_t fsd_safe_width(const char *s);

/** The same of a piece of a text. */
size_t fsd_slice_width(struct fsd_slice t);
void fsd_put_safe_slice(FILE *out, struct fsd_slice t);
/** The bytes at the front that take at most so many columns, with the combining marks
 *  of the last character; `used` is set to the columns that they take. */
size_t fsd_slice_front(struct fsd_slice t, size_t columns, size_t *used);

/* Names in few columns.  fit.c */

/** Prints `s` so, in at most `width` columns where its words allow it.  A longer text
 *  loses whole parts of paths, and whole names of a list "a + b", never letters of a
 *  word: "/m/.../q_proj/Add + 4 more + /m/x/Mul".  A width below 8 is unlimited.
 *  Returns the columns used. */
size_t fsd_put_fitted(FILE *out, const char *s, size_t width);
/** The same of a list of names, which states the path that they share once, however
 *  wide: "/m/attention: q_proj/Add + Reshape".
 *  @param joiner  what separates them: " + " */
size_t fsd_put_names(FILE *out, const char *names, const char *joiner, size_t width);

/** Runners of CI jobs execute lines of a job's log: "::error::x" behind blanks, and
 *  "##[error]x" or "##vso[x]" anywhere.  Prints lines of which none is a command: the
 *  character that would make it one is printed by `escape`, the format of an unsigned
 *  number: "\\u{%x}" in text, "\\u%04x" in JSON, "&#%u;" in XML. */
void fsd_put_escaped(FILE *out, const char *lines, const char *escape);

/** True when a runner would execute a command in the line. */
bool fsd_is_command(const char *line);

/* --------------------------------------------------------------------------- intern */

/* Strings as dense numbers.  Model and engine share one table, so equal names are
 * equal numbers and most maps are arrays.
 *
 * Strings are made valid UTF-8 on the way in: a byte that is not part of a valid
 * sequence, and a zero byte, becomes the four characters "\xNN".  Writers may rely
 * on it.  Symbol 0 is the empty string. */

typedef fsd_id fsd_sym;

struct fsd_intern;

/** Allocated in the arena, and freed with it. */
struct fsd_intern *fsd_intern_new(struct fsd_arena *arena);

/** The symbol of n bytes, new or known. */
fsd_sym fsd_intern_add(struct fsd_intern *names, const char *s, size_t n);
fsd_sym fsd_intern_slice(struct fsd_intern *names, struct fsd_slice t);
/** The same for a zero-terminated string; NULL is the empty string. */
fsd_sym fsd_intern_str(struct fsd_intern *names, const char *s);
/** The symbol of binary bytes, in a table of their own: they are neither changed nor
 *  copied. */
fsd_sym fsd_intern_bytes(struct fsd_intern *names, const void *bytes, size_t n);

/** The symbol of n bytes, FSD_NONE when it was never added. */
fsd_sym fsd_intern_find(const struct fsd_intern *names, const char *s, size_t n);
bool fsd_intern_has(const struct fsd_intern *names, const char *s, size_t n);
/** The symbol of the same text in another table; FSD_NONE when it was never added. */
fsd_sym fsd_intern_other(const struct fsd_intern *names, fsd_sym sym,
                         const struct fsd_intern *other);

/** The text of a symbol, zero-terminated, never NULL. */
const char *fsd_text(const struct fsd_intern *names, fsd_sym sym);
size_t fsd_text_len(const struct fsd_intern *names, fsd_sym sym);

/** Gives symbols another text; who has a symbol has that then.
 *  @param texts  by symbol, which outlive the table; NULL: it keeps its own. */
void fsd_intern_replace(struct fsd_intern *names, const char *const *texts);

/** How many symbols there are; they are 0 .. count-1. */
uint32_t fsd_intern_count(const struct fsd_intern *names);

/* ---------------------------------------------------------------------------- guard */

/* Where a function of the library continues when memory runs out.  Code that allocates
 * need not check for it: fsd_out_of_memory() frees what was allocated since the public
 * function was called, and that function returns FSD_E_MEMORY. */

struct fsd_guard {
    fsd_jump_point at;
    struct fsd_guard *outer;
    unsigned depth; /* how many guards are nested, this one included */
};

/** The first member of what is to be freed, or anywhere in it where `run` finds that.
 */
struct fsd_cleanup {
    void (*run)(struct fsd_cleanup *self);
    struct fsd_cleanup *older, *newer;
    unsigned depth; /* of the guard that was current when it was added; 0: none */
};

/** The first statement of each public function that allocates, after clearing *out:
 *  when memory runs out, that function returns `otherwise` from here. */
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
/** Removes it: what it would free was freed, or has another owner. */
void fsd_cleanup_drop(struct fsd_cleanup *c);

/** Does not return.  Memory runs out because of the machine, not the input, all sizes
 *  of which are checked first.  Outside of guards it ends the process, as set by
 *  fsd_on_out_of_memory(). */
_Noreturn void fsd_out_of_memory(void);

/* ---------------------------------------------------------------------------- print */

/** A string in the making: print to `out` between open and take (or close).  It must
 *  not be moved in the meantime.  Where memory runs out, closing it does not return. */
struct fsd_print {
    FILE *out;
    struct fsd_host_stream stream; /**< what `out` is */
    char *text;                    /**< of fsd_print_close() */
    size_t size, room;
    bool failed; /**< to find memory */
    struct fsd_cleanup cleanup;
};

FILE *fsd_print_open(struct fsd_print *print);
/** The whole text, zero-terminated, in the arena. */
char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena);
/** The whole as a symbol. */
fsd_sym fsd_print_sym(struct fsd_print *print, struct fsd_intern *names);
/** Leaves the whole text in `text` and `size`; the caller frees it. */
void fsd_print_close(struct fsd_print *print);
/** A text, and its size, until the next one is printed: for many, to open once. */
const char *fsd_print_next(struct fsd_print *print, size_t *size);
void fsd_print_drop(struct fsd_print *print);

/** A stream that forwards each complete line, with workflow commands escaped:
 *  fsd_put_escaped(). */
struct fsd_lines {
    FILE *to;
    const char *escape;
    /** May be NULL: changes the lines before that. */
    void (*edit)(FILE *out, char *lines, size_t width);
    size_t width;
    struct fsd_print print; /**< of the line under way */
};

/** `print` of `lines` need not be set. */
FILE *fsd_lines_open(struct fsd_lines *lines);
void fsd_lines_close(struct fsd_lines *lines);

/** The path of `name` in the folder of the file `path`. */
const char *fsd_path_beside(struct fsd_arena *arena, const char *path,
                            const char *name);

/** A formatted string in the arena. */
char *fsd_printed(struct fsd_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --------------------------------------------------------------------------- spread */

/* The spread of several measurements of one thing. */

/** In the unit of the values, which are not negative; all are -1 when there is none. */
struct fsd_spread {
    double median, low, high;
};

#define FSD_SPREAD_NONE ((struct fsd_spread){-1, -1, -1})

/** fmax() would be the only reason to link the mathematical library. */
static inline double fsd_larger(double a, double b)
{
    return a > b ? a : b;
}

/** Sorts the values.  Of an even number the median is the mean of the middle two. */
struct fsd_spread fsd_spread_of(double *values, uint32_t n);

/** The same with low and high one standard deviation from the median, estimated from
 *  the median absolute deviation.  Up to half of the values may be outliers before the
 *  estimate fails, whereas one outlier moves minimum, maximum and mean by any amount
 *  (Rousseeuw and Croux, Alternatives to the Median Absolute Deviation, JASA 88, 1993;
 *  medians for times of runs: Hoefler and Belli, Scientific Benchmarking of Parallel
 *  Computing Systems, SC 2015).  Changes the values. */
struct fsd_spread fsd_spread_robust(double *values, uint32_t n);

/* ----------------------------------------------------------------------------- file */

/* A whole input as bytes: read, or mapped where the program wants that.  Only regular
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
    void (*abandon)(struct fsd_file *); /* cancels it; NULL: nothing has to be */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  Close it, in the
 *  same thread, with fsd_file_done() or fsd_file_close(), whatever is returned.
 *  What another program truncates while it is mapped reads as zeros: see file.c. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);

/** Opens a file that the file `of` names, of any size: it must lie below the folder of
 *  `of`, as that is named or as it is without links.  Close it likewise. */
enum fsd_status fsd_file_open_beside(struct fsd_file *out, const char *path,
                                     const char *of, struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** The same for a file that may be compressed with gzip, xz or zstd: its bytes are the
 *  decompressed ones, so that no reader need know. */
enum fsd_status fsd_file_open_decompressed(struct fsd_file *out, const char *path,
                                           uint64_t limit, struct fsd_error *err);

/** The same for the beginning only, to recognize the type of a file: of a compressed
 *  one no more is decompressed than readers look at for that. */
enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err);

/** The same; what is read beyond the first 64 KiB is requested by fsd_file_at(). */
enum fsd_status fsd_file_open_sparse(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** The same for a reader that goes from beginning to end: of a compressed file, `size`
 *  is that of a beginning, and the rest is decompressed meanwhile.  fsd_file_reach()
 *  waits for more; fsd_file_complete() must be called before anything else is done. */
enum fsd_status fsd_file_open_coming(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Reads those of the bytes that have not been read yet. */
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

/** Waits until more than n bytes are available, or all are.  @return how many are. */
size_t fsd_file_reach(const struct fsd_file *file, size_t n);

/** Waits for the end of a decompression; `size` is that of the whole then.  @return as
 *  fsd_decompress(). */
enum fsd_status fsd_file_complete(struct fsd_file *file, struct fsd_error *err);

/** Closes the file after the last read.
 *  @param status the result of reading it.
 *  @return FSD_E_IO, with `err` filled, if bytes were lost meanwhile, so that
 *         all that was read is invalid; else `status`. */
enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err);

/** Informs the system that the bytes before `offset` will not be read again soon, so
 *  that a scan of a large mapping, or of a sparse file, does not keep its pages. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

/** The same during a scan, in steps large enough for a system call.
 *  @param released how far it was released: 0 at the beginning; it may go back. */
void fsd_file_release_behind(const struct fsd_file *file, size_t offset,
                             size_t *released);

/** True when the file begins like a gzip, xz or zstd file. */
bool fsd_is_compressed(const struct fsd_file *file);

/** Called with the number of bytes written so far.
 *  @return false: stop. */
typedef bool fsd_reached_fn(void *payload, uint64_t n);

/** Decompresses the first `first` bytes, or all (UINT64_MAX), piece by piece, so that
 *  neither side need be in memory.  Concatenated streams are one, as for gzip, xz and
 *  zstd themselves.
 *  @param out      a descriptor.
 *  @param reached  called after each piece; may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT if the file is damaged or truncated; FSD_E_LIMIT
 *         if its contents are far larger than those of real files of its size (a few
 *         bytes can expand to a full disk); FSD_E_IO. */
enum fsd_status fsd_decompress(const struct fsd_file *file, int out, uint64_t first,
                               fsd_reached_fn *reached, void *payload,
                               struct fsd_error *err);

/** The same, to memory that is the caller's to free(). */
enum fsd_status fsd_decompress_to_memory(const struct fsd_file *file, uint64_t first,
                                         unsigned char **bytes, size_t *size,
                                         struct fsd_error *err);

/** The limit on the decompressed size of a file. */
uint64_t fsd_decompressed_most(const struct fsd_file *file);

/* ------------------------------------------------- of file.c, for who opens files */

/** Maps a regular file without a name, which no other program can truncate. */
enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
                             struct fsd_error *err);

/** A file's bytes are these of malloc(), which the file frees; of a failure, too. */
enum fsd_status fsd_file_own(struct fsd_file *out, unsigned char *bytes, size_t size,
                             struct fsd_error *err);

/** fsd_file_open_sparse() without decompression. */
enum fsd_status fsd_file_begin(struct fsd_file *out, const char *path, uint64_t limit,
                               struct fsd_error *err);

/** Reads a sparse file up to `size`, which becomes its size. */
void fsd_file_cut(struct fsd_file *file, size_t size);
void fsd_file_read_all(struct fsd_file *file);

/** Maps `most` bytes of a file that is still empty: bytes written to it appear there,
 *  and bytes not yet written must not be read.  False if the system cannot. */
bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most);

/** Must be called by another thread than the file's own before it reads the bytes. */
void fsd_file_watch(const struct fsd_file *file);

/** Puts a file onto the list of fsd_opened_record(); false where there is no memory. */
bool fsd_opened_note(int fd);
bool fsd_opened_note_path(const char *path);
enum fsd_status fsd_file_over_limit(struct fsd_error *err, const char *path,
                                    uint64_t limit);

/* ------------------------------------------------------------------------ file type */

/** Where the text begins, behind a byte order mark and white space. */
size_t fsd_file_text_start(const struct fsd_file *file);

/** True when these bytes are at `at`. */
bool fsd_file_has_at(const struct fsd_file *file, size_t at, const char *bytes,
                     size_t n);

/** True when the word is in the first `within` bytes of the file. */
bool fsd_file_has_word(const struct fsd_file *file, size_t within, const char *word);

/* ----------------------------------------------------------------------------- hash */

/* Hashes.  Those of 64 bits never leave the process. */

uint64_t fsd_hash_bytes(const void *bytes, size_t n);
static inline uint64_t fsd_hash_text(const char *text)
{
    return fsd_hash_bytes(text, strlen(text));
}
/** Combines two numbers; their order counts. */
uint64_t fsd_hash_mix(uint64_t a, uint64_t b);

/** A hash whose collisions cannot be prepared without knowing the seed, and a seed that
 *  differs in each process.  No output may depend on it. */
uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed);
uint64_t fsd_hash_seed(void);

/** XXH3's 128 bits, the low half first: the same on every machine. */
void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2]);

/* ---------------------------------------- of a file, while it is read */

struct XXH3_state_s; /* of xxhash.h */

struct fsd_digest {
    const struct fsd_file *file;
    struct XXH3_state_s *state;
    struct fsd_cleanup cleanup;
    size_t at; /**< so many bytes are in it */
};

/** False if there is no memory; no other call is allowed then. */
bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file);

/** Hashes the bytes before `at` and some behind them. */
void fsd_digest_step(struct fsd_digest *d, size_t at);

/** Hashes the rest.
 *  @param hash XXH3's 128 bits, the low half first. */
void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2]);

#endif
