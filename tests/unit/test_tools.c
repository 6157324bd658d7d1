/* The small tools of src/base: slices, ids and lists of them, sets, spreads, printed
 * texts, hashes, and what a guard does when memory runs out. */
#include "base/base.h"
#include "base/file_type.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* -------------------------------------------------------------------------- slices */

/* A slice of a longer text, so that a function which reads too far finds something
 * there. */
static struct fsd_slice cut(const char *text, size_t n)
{
    return (struct fsd_slice){text, n};
}

static void is(struct fsd_slice t, const char *expected)
{
    if (t.n != strlen(expected) || memcmp(t.s, expected, t.n) != 0)
        fail_msg("expected '%s', found '%.*s'", expected, (int)t.n, t.s);
}

static void slices_are_found(void **state)
{
    static const struct {
        const char *text, *word;
        size_t n;
        int first, last; /* -1: nowhere */
    } rows[] = {{"abcabc", "abc", 6, 0, 3}, {"abcabc", "abc", 5, 0, 0},
                {"abcabc", "bc", 6, 1, 4},  {"abcabc", "c", 3, 2, 2},
                {"abcabc", "c", 2, -1, -1}, {"aaaa", "aa", 4, 0, 2},
                {"abc", "abcd", 3, -1, -1}, {"abc", "abc", 0, -1, -1},
                {"xaby", "ab", 4, 1, 1},    {"acab", "ab", 4, 2, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int last = 0; last < 2; last++) {
            const char *text = rows[i].text, *word = rows[i].word;
            struct fsd_slice t = cut(text, rows[i].n), right = cut("none", 4);
            int at = last ? rows[i].last : rows[i].first;
            const char *found =
                last ? fsd_slice_find_last(t, word) : fsd_slice_find(t, word);
            bool split = last ? fsd_slice_split_last(&t, word, &right)
                              : fsd_slice_split_at(&t, word, &right);

            assert_ptr_equal(found, at < 0 ? NULL : text + at);
            assert_int_equal(split, at >= 0);
            assert_ptr_equal(t.s, text);
            assert_int_equal(t.n, at < 0 ? rows[i].n : (size_t)at);
            if (at < 0)
                is(right, "none");
            else
                assert_true(right.s == text + at + strlen(word) &&
                            right.s + right.n == text + rows[i].n);
        }
}

static void slices_are_taken_apart(void **state)
{
    struct fsd_slice t = fsd_slice_of("iter12=x");

    (void)state;
    is(fsd_slice_trim(cut(" \t a b\t  c", 8)), "a b");
    is(fsd_slice_trim(cut(" \t ", 3)), "");
    is(fsd_slice_trim(cut("a", 0)), "");
    assert_false(fsd_slice_take(&t, "iter1=") || fsd_slice_take(&t, "x") ||
                 fsd_slice_take(&t, "iter12=xy"));
    assert_true(fsd_slice_take(&t, "iter"));
    is(fsd_slice_take_word(&t), "12");
    is(fsd_slice_take_word(&t), "");
    is(t, "=x");
    assert_false(fsd_slice_drop(&t, "y") || fsd_slice_drop(&t, "==x"));
    assert_true(fsd_slice_drop(&t, "x"));
    is(t, "=");
    is(fsd_slice_from(t, 7), "");
    t = cut("aZ_09b-c", 6);
    is(fsd_slice_take_word(&t), "aZ_09b");
    is(t, "");
    t = fsd_slice_of("ababc");
    fsd_slice_skip(&t, "ab");
    is(t, "c");
    assert_true(fsd_slice_begins(t, "") && fsd_slice_begins(t, "c"));
    assert_false(fsd_slice_begins(t, "cc") || fsd_slice_begins(cut("c", 0), "c"));
    assert_true(fsd_slice_is(t, "c") && fsd_slice_equal(t, cut("cd", 1)));
    assert_false(fsd_slice_is(t, "d") || fsd_slice_is(t, "cd") ||
                 fsd_slice_equal(t, cut("cd", 2)) || fsd_slice_equal(t, cut("d", 1)));
    assert_true(fsd_slice_equal(cut(NULL, 0), cut("x", 0)));
}

static void numbers_are_taken(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        uint64_t most, number;
        const char *rest; /* NULL: there is no number */
    } rows[] = {{"12x", 3, 100, 12, "x"},
                {"123", 2, 100, 12, ""},
                {"0", 1, 0, 0, ""},
                {"007", 3, 100, 7, ""},
                {"100", 3, 100, 100, ""},
                {"101", 3, 100, 100, ""},
                {"99999999999999999999999x", 24, 100, 100, "x"},
                {"5", 1, 3, 3, ""},
                {"18446744073709551615", 20, UINT64_MAX, UINT64_MAX, ""},
                {"18446744073709551616", 20, UINT64_MAX, UINT64_MAX, ""},
                {"18446744073709551614", 20, UINT64_MAX, UINT64_MAX - 1, ""},
                {"9", 1, 9, 9, ""},
                {":1", 2, 9, 0, NULL},
                {"/1", 2, 9, 0, NULL},
                {"1", 0, 9, 0, NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fsd_slice t = cut(rows[i].text, rows[i].n);
        uint64_t number = 77;

        assert_int_equal(fsd_slice_take_number(&t, rows[i].most, &number),
                         rows[i].rest != NULL);
        assert_true(number == rows[i].number);
        if (rows[i].rest)
            is(t, rows[i].rest);
        else
            assert_ptr_equal(t.s, rows[i].text);
    }
}

static void brackets_are_closed(void **state)
{
    static const struct {
        const char *text;
        size_t end;
    } rows[] = {{"{}", 2},
                {"[1] [2]", 3},
                {"{\"a\": [1, {}]} x", 14},
                {"{\"}\"} x", 5},
                {"{\"\\\"}\"} x", 7},
                {"{\"[\", \"\\\\\"} x", 11},
                {"x{}", 3},
                {"{", 0},
                {"", 0},
                {"[[]", 0},
                {"{\"}", 0}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(fsd_slice_brackets(fsd_slice_of(rows[i].text)), rows[i].end);
}

/* ----------------------------------------------------------------------------- ids */

static void ids_are_combined(void **state)
{
    static const fsd_id none = FSD_NONE, several = FSD_SEVERAL;
    const uint32_t pairs[][2] = {{1, 9}, {2, 3}, {2, 4}, {2, 4}};
    const int orders[] = {0, 0, -1, 1};
    bool of[3] = {false, false, false};

    (void)state;
    assert_int_equal(fsd_id_both(none, none), none);
    assert_int_equal(fsd_id_both(none, 3), 3);
    assert_int_equal(fsd_id_both(3, none), 3);
    assert_int_equal(fsd_id_both(3, 3), 3);
    assert_int_equal(fsd_id_both(3, 4), several);
    assert_int_equal(fsd_id_only(several), none);
    assert_int_equal(fsd_id_only(3), 3);
    assert_int_equal(fsd_id_only(none), none);
    fsd_set_at(of, none);
    fsd_set_at(of, 1);
    assert_true(!of[0] && of[1] && !of[2]);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fsd_by_pair(pairs[i], pairs[i + 1]), i < 2 ? -1 : 0);
        assert_int_equal(fsd_by_pair(pairs[i + 1], pairs[i]), i < 2 ? 1 : 0);
    }
    assert_true(fsd_by_number(&(uint64_t){1}, &(uint64_t){UINT64_MAX}) < 0 &&
                fsd_by_number(&(uint64_t){2}, &(uint64_t){1}) > 0 &&
                !fsd_by_number(&(uint64_t){2}, &(uint64_t){2}));
    assert_true(fsd_by_id(&(uint32_t){1}, &(uint32_t){UINT32_MAX}) < 0 &&
                fsd_by_id(&(uint32_t){2}, &(uint32_t){1}) > 0);
    assert_true(fsd_by_text(&(const char *){"a"}, &(const char *){"b"}) < 0 &&
                fsd_by_name("b", &(const char *){"a"}) > 0);
    assert_true(fsd_falling(2, 1) < 0 && fsd_falling(1, 2) > 0 && !fsd_falling(1, 1));
    assert_int_equal(fsd_first_order(orders, 4), -1);
    assert_int_equal(fsd_first_order(orders, 2), 0);
    assert_int_equal(fsd_first_order(orders + 3, 1), 1);
}

static void items_are_sorted(void **state)
{
    static const uint32_t rows[][6] = {{5, 4, 3, 2, 1, 0}, {0, 1, 2, 3, 4, 5},
                                       {0, 1, 2, 3, 5, 4}, {1, 0, 2, 3, 4, 5},
                                       {2, 2, 1, 1, 2, 1}, {7, 7, 7, 7, 7, 7}};
    static const uint32_t kept[] = {6, 6, 6, 6, 2, 1};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t ids[6], n;

        memcpy(ids, rows[i], sizeof ids);
        fsd_sort(ids, 6, sizeof *ids, fsd_by_id);
        for (size_t k = 1; k < 6; k++)
            assert_true(ids[k - 1] <= ids[k]);
        memcpy(ids, rows[i], sizeof ids);
        n = fsd_sort_once(ids, 6, sizeof *ids, fsd_by_id);
        assert_int_equal(n, kept[i]);
        for (size_t k = 1; k < n; k++)
            assert_true(ids[k - 1] < ids[k]);
        assert_int_equal(fsd_sort_once(ids, 0, sizeof *ids, fsd_by_id), 0);
    }
}

/* Keys that are members of structs. */
static void lists_have_their_numbers(void **state)
{
    const struct {
        fsd_id key, other;
    } items[] = {{2, 9}, {0, 9}, {FSD_NONE, 9}, {2, 9}, {0, 9}, {2, 9}};
    static const fsd_id expected[3][4] = {{1, 4, FSD_NONE, FSD_NONE},
                                          {FSD_NONE, FSD_NONE, FSD_NONE, FSD_NONE},
                                          {0, 3, 5, FSD_NONE}};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_lists l = fsd_lists_new(arena, &items[0].key, sizeof *items, 6, 3);
    fsd_id *ids = fsd_ids_new(arena, 3);

    (void)state;
    for (fsd_id key = 0; key < 3; key++)
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(fsd_list_at(&l, key, i), expected[key][i]);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ids[i], FSD_NONE);
    assert_true(fsd_ids_have(l.ids, 5, 5) && fsd_ids_have(l.ids, 5, 1));
    assert_false(fsd_ids_have(l.ids, 5, 2) || fsd_ids_have(l.ids, 0, 1));
    assert_non_null(fsd_ids_new(arena, 0));
    fsd_arena_free(arena);
}

static void sets_are_joined(void **state)
{
    static const fsd_id joins[][2] = {{5, 4}, {2, 3}, {3, 5}, {1, 0}, {5, 2}};
    static const fsd_id expected[] = {0, 0, 2, 2, 2, 2, 6};
    struct fsd_arena *arena = fsd_arena_new();

    (void)state;
    for (size_t first = 0; first < 5; first++) { /* in any order */
        fsd_id *sets = fsd_sets_new(arena, 7);

        for (size_t i = 0; i < 5; i++)
            fsd_sets_join(sets, joins[(first + i) % 5][0], joins[(first + i) % 5][1]);
        for (fsd_id i = 0; i < 7; i++)
            assert_int_equal(fsd_sets_find(sets, i), expected[i]);
    }
    fsd_arena_free(arena);
}

/* -------------------------------------------------------------------- measurements */

static void spreads(void **state)
{
    static const struct {
        double values[5];
        uint32_t n;
        double spread[3], robust[3];
    } rows[] = {
        {{0}, 0, {-1, -1, -1}, {-1, -1, -1}},
        {{3}, 1, {3, 3, 3}, {3, 3, 3}},
        {{4, 2}, 2, {3, 2, 4}, {3, 3 - 1.4826, 3 + 1.4826}},
        {{9, 1, 2}, 3, {2, 1, 9}, {2, 2 - 1.4826, 2 + 1.4826}},
        {{8, 4, 2, 6}, 4, {5, 2, 8}, {5, 5 - 2 * 1.4826, 5 + 2 * 1.4826}},
        {{0, 1, 9, 10, 1}, 5, {1, 0, 10}, {1, 0, 1 + 1.4826}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int robust = 0; robust < 2; robust++) {
            const double *expected = robust ? rows[i].robust : rows[i].spread;
            double values[5];
            struct fsd_spread s;

            memcpy(values, rows[i].values, sizeof values);
            s = robust ? fsd_spread_robust(values, rows[i].n)
                       : fsd_spread_of(values, rows[i].n);
            assert_true(s.median == expected[0]);
            assert_true(s.low > expected[1] - 1e-9 && s.low < expected[1] + 1e-9);
            assert_true(s.high > expected[2] - 1e-9 && s.high < expected[2] + 1e-9);
        }
    assert_true(fsd_larger(1, 2) == 2 && fsd_larger(2, 1) == 2);
}

/* ---------------------------------------------------------------------------- texts */

static void texts_are_printed(void **state)
{
    static const size_t sizes[] = {0, 1, 255, 256, 257, 511, 512, 5000, 100000};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_print print, next;
    FILE *many = fsd_print_open(&next);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i];
        char *long_one = malloc(n + 1), *text;
        size_t size;
        FILE *out;

        memset(long_one, 'x', n);
        long_one[n] = '\0';
        assert_string_equal(fsd_printed(arena, "%s", long_one), long_one);
        fputs(long_one, fsd_print_open(&print));
        assert_string_equal(fsd_print_take(&print, arena), long_one);
        fputs(long_one, fsd_print_open(&print));
        fsd_print_close(&print);
        assert_int_equal(print.size, n);
        assert_string_equal(print.text, long_one);
        free(print.text);
        fputs(long_one, fsd_print_open(&print));
        fsd_print_drop(&print);
        fputs(long_one, many);
        assert_string_equal(fsd_print_next(&next, &size), long_one);
        assert_int_equal(size, n);
        out = fsd_memory_open(&text, &size);
        fputs(long_one, out);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(size, n);
        assert_string_equal(text, long_one);
        free(text);
        free(long_one);
    }
    fsd_print_drop(&next);
    assert_string_equal(fsd_path_beside(arena, "a/b.onnx", "c"), "a/c");
    assert_string_equal(fsd_path_beside(arena, "b.onnx", "c"), "c");
    assert_string_equal(fsd_base_name("a/b/c"), "c");
    assert_string_equal(fsd_base_name("c"), "c");
    fsd_arena_free(arena);
}

/* --------------------------------------------------------------------------- hashes */

/* The digest of a file that is hashed while it is read is the hash of its bytes. */
static void digests_are_hashes(void **state)
{
    enum { STEP = 1 << 17, MOST = 3 * STEP + 5 };
    static const size_t sizes[] = {0, 1, STEP - 1, STEP, STEP + 1, MOST};
    unsigned char *bytes = malloc(MOST);
    uint64_t other[2] = {0, 0};

    (void)state;
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)(i * i >> 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t step = 0; step < 3; step++) {
            const struct fsd_file file = {.bytes = bytes, .size = sizes[i]};
            uint64_t hash[2], digest[2];
            struct fsd_digest d;

            fsd_hash_128(bytes, sizes[i], hash);
            assert_true(fsd_digest_begin(&d, &file));
            for (size_t at = 0; step && at < 2 * sizes[i]; at += 70000 * step)
                fsd_digest_step(&d, at);
            fsd_digest_end(&d, digest);
            assert_memory_equal(digest, hash, sizeof hash);
            assert_memory_not_equal(hash, other, sizeof hash);
            if (step == 2)
                memcpy(other, hash, sizeof hash);
        }
    assert_false(fsd_digest_begin(
        &(struct fsd_digest){.at = 0},
        &(struct fsd_file){.bytes = bytes, .size = 5, .unhashed = true}));
    free(bytes);
}

static void hashes_differ(void **state)
{
    uint64_t hash[2];

    (void)state;
    /* The values that xxHash states for XXH3 of nothing: they are in snapshots. */
    fsd_hash_128("", 0, hash);
    assert_true(hash[0] == UINT64_C(0x6001c324468d497f) &&
                hash[1] == UINT64_C(0x99aa06d3014798d8));
    assert_true(fsd_hash_mix(1, 2) != fsd_hash_mix(2, 1));
    assert_true(fsd_hash_bytes("ab", 2) == fsd_hash_text("ab"));
    assert_true(fsd_hash_bytes("ab", 1) != fsd_hash_text("ab"));
    assert_true(fsd_hash_seeded("a", 1, 1) != fsd_hash_seeded("a", 1, 2));
    assert_true(fsd_hash_seeded("a", 1, 1) == fsd_hash_seeded("a", 1, 1));
    assert_true(fsd_hash_seed() != fsd_hash_seed());
}

/* ---------------------------------------------------------------------- file types */

static enum fsd_file_type type_of(const char *bytes, size_t n)
{
    return fsd_file_type_of(
        &(struct fsd_file){.bytes = (const unsigned char *)bytes, .size = n});
}

/* A file has its type by all of its first bytes: with one byte less or changed, it is
 * another type. */
static void types_have_first_bytes(void **state)
{
    static const struct {
        size_t at, n;
        const char *bytes;
        enum fsd_file_type type;
    } rows[] = {{0, 4, "ftrt", FSD_FILETYPE_PLAN},
                {0, 4, "ptrt", FSD_FILETYPE_PLAN},
                {4, 4, "TFL3", FSD_FILETYPE_TFLITE},
                {4, 4, "ORTM", FSD_FILETYPE_ORT},
                {4, 5, "\0\0\0\0{", FSD_FILETYPE_SAFETENSORS},
                {0, 8, "\x89HDF\r\n\x1a\n", FSD_FILETYPE_HDF5},
                {0, 4, "\x89PNG", FSD_FILETYPE_PICTURE},
                {0, 3, "\xff\xd8\xff", FSD_FILETYPE_PICTURE},
                {0, 4, "GIF8", FSD_FILETYPE_PICTURE},
                {8, 4, "WEBP", FSD_FILETYPE_PICTURE},
                {0, 5, "%PDF-", FSD_FILETYPE_PDF},
                {0, 4, "\177ELF", FSD_FILETYPE_PROGRAM},
                {0, 8, "!<arch>\n", FSD_FILETYPE_PROGRAM},
                {0, 15, "SQLite format 3", FSD_FILETYPE_DATABASE},
                {0, 6, "\x93NUMPY", FSD_FILETYPE_NUMPY},
                {0, 4, "GGUF", FSD_FILETYPE_GGUF},
                {0, 2, "\x80\x02", FSD_FILETYPE_PICKLE},
                {0, 4, "PK\3\4", FSD_FILETYPE_ZIP},
                {257, 5, "ustar", FSD_FILETYPE_TAR},
                {0, 34, "version https://git-lfs.github.com", FSD_FILETYPE_LFS},
                {0, 2, "\x1f\x8b", FSD_FILETYPE_COMPRESSED},
                {0, 6, "\xfd\x37zXZ\0", FSD_FILETYPE_COMPRESSED},
                {0, 4, "\x28\xb5\x2f\xfd", FSD_FILETYPE_COMPRESSED}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t end = rows[i].at + rows[i].n;
        const bool xz = rows[i].n == 6 && *rows[i].bytes == '\xfd';
        char room[300];

        memset(room, 'x', sizeof room);
        memcpy(room + rows[i].at, rows[i].bytes, rows[i].n);
        assert_int_equal(type_of(room, end), rows[i].type);
        assert_int_equal(type_of(room, sizeof room), rows[i].type);
        if (xz) /* five bytes of its six are enough */
            continue;
        assert_int_not_equal(type_of(room, end - 1), rows[i].type);
        room[end - 1] ^= 1;
        assert_int_not_equal(type_of(room, sizeof room), rows[i].type);
        room[end - 1] ^= 1;
        room[rows[i].at] ^= 1;
        assert_int_not_equal(type_of(room, sizeof room), rows[i].type);
    }
}

static void texts_have_types(void **state)
{
    static const struct {
        const char *bytes;
        size_t n; /* 0: up to the first zero */
        enum fsd_file_type type;
    } rows[] = {{"", 0, FSD_FILETYPE_EMPTY},
                {" \n\t\r", 0, FSD_FILETYPE_EMPTY},
                {"\xef\xbb\xbf ", 0, FSD_FILETYPE_EMPTY},
                {"\xef\xbb\xbf {", 0, FSD_FILETYPE_JSON},
                {"{", 0, FSD_FILETYPE_JSON},
                {"[", 0, FSD_FILETYPE_JSON},
                {"[ \n", 0, FSD_FILETYPE_JSON},
                {"[ ]", 0, FSD_FILETYPE_JSON},
                {"[{", 0, FSD_FILETYPE_JSON},
                {"[\"", 0, FSD_FILETYPE_JSON},
                {"[[", 0, FSD_FILETYPE_JSON},
                {"[ null", 0, FSD_FILETYPE_JSON},
                {"[true", 0, FSD_FILETYPE_JSON},
                {"[nul", 0, FSD_FILETYPE_TEXT},
                {"[tru", 0, FSD_FILETYPE_TEXT},
                {"[V]", 0, FSD_FILETYPE_TEXT},
                {"[1, 2]", 0, FSD_FILETYPE_LIST},
                {"[ -1.5]", 0, FSD_FILETYPE_LIST},
                {"[0", 0, FSD_FILETYPE_LIST},
                {"[9]", 0, FSD_FILETYPE_LIST},
                {"[03/19/2022-12:28:30] [V]", 0, FSD_FILETYPE_TEXT},
                {"[12:28:30]", 0, FSD_FILETYPE_TEXT},
                {"[2023-05-01 12:00:00]", 0, FSD_FILETYPE_TEXT},
                {"(1)", 0, FSD_FILETYPE_TEXT},
                {"<?xml", 0, FSD_FILETYPE_XML},
                {"<!DOCTYPE", 0, FSD_FILETYPE_XML},
                {"<html", 0, FSD_FILETYPE_XML},
                {"<x", 0, FSD_FILETYPE_TEXT},
                {"<", 0, FSD_FILETYPE_TEXT},
                {"\xff\xfe{\0", 4, FSD_FILETYPE_UTF16},
                {"\xfe\xff\0{", 4, FSD_FILETYPE_UTF16},
                {"\xff\xfe{", 3, FSD_FILETYPE_TEXT},
                {"\xff\xfe{{", 4, FSD_FILETYPE_TEXT},
                {"\xfe\xff{{", 4, FSD_FILETYPE_TEXT},
                {"\x08\x07\x12", 3, FSD_FILETYPE_ONNX},
                {"\x08\x01\x42", 3, FSD_FILETYPE_ONNX},
                {"\x08\x1f\x1a", 3, FSD_FILETYPE_ONNX},
                {"\x08\x20\x12", 3, FSD_FILETYPE_BINARY},
                {"\x08\x07\x13", 3, FSD_FILETYPE_BINARY},
                {"\x08\x00\x12", 3, FSD_FILETYPE_BINARY},
                {"\x09\x07\x12", 3, FSD_FILETYPE_BINARY},
                {"\x08\x07", 2, FSD_FILETYPE_BINARY},
                {"text\0text", 9, FSD_FILETYPE_BINARY},
                {"1234567\1", 0, FSD_FILETYPE_TEXT}, /* one of eight is odd */
                {"123456\1\1", 0, FSD_FILETYPE_BINARY},
                {"\x1b\x1e\x1f\x1b\n", 0, FSD_FILETYPE_TEXT}};
    char room[600];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = rows[i].n ? rows[i].n : strlen(rows[i].bytes);

        if (type_of(rows[i].bytes, n) != rows[i].type)
            fail_msg("%zu, '%s': %s", i, rows[i].bytes,
                     fsd_file_type_noun(type_of(rows[i].bytes, n)));
    }
    /* The first 512 bytes decide. */
    memset(room, 'x', sizeof room);
    room[512] = 0;
    assert_int_equal(type_of(room, sizeof room), FSD_FILETYPE_TEXT);
    room[511] = 0;
    assert_int_equal(type_of(room, sizeof room), FSD_FILETYPE_BINARY);
}

/* --------------------------------------------------------------------------- guards */

/* What is made under a guard, and never freed: the sanitizer of leaks finds what the
 * guard forgets. */
static void make_some(struct fsd_digest *d, struct fsd_print *print)
{
    static const struct fsd_file file = {.bytes = (const unsigned char *)"a",
                                         .size = 1};

    FSD_NEW(fsd_arena_new(), int, 100);
    fputs("text", fsd_print_open(print));
    assert_true(fsd_digest_begin(d, &file));
}

static enum fsd_status inner(struct fsd_error *err, bool fails)
{
    struct fsd_digest d;
    struct fsd_print print;

    FSD_GUARD(err);
    FSD_NEW(fsd_arena_new(), int, 100);
    if (fails) {
        make_some(&d, &print);
        fsd_out_of_memory();
    }
    return FSD_E_ARG;
}

/* `later`: the inner function returns, and the outer one has the lack of memory, which
 * then frees what both have made. */
static enum fsd_status outer(struct fsd_error *err, bool later, bool *went_on)
{
    struct fsd_digest d;
    struct fsd_print print;
    struct fsd_arena *arena;
    enum fsd_status status;

    *went_on = false;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    status = inner(err, !later);
    *went_on = true;
    if (later) {
        make_some(&d, &print);
        fsd_out_of_memory();
    }
    assert_string_equal(fsd_arena_strndup(arena, "mine", 4), "mine");
    fsd_arena_free(arena);
    return status;
}

static void guards_free_what_was_made(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        struct fsd_error err = {0};
        bool went_on;

        assert_int_equal(outer(&err, later, &went_on), FSD_E_MEMORY);
        assert_true(went_on);
        assert_int_equal(err.status, FSD_E_MEMORY);
        assert_string_equal(err.message, "out of memory");
    }
}

static void without_a_guard_it_aborts(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        fsd_out_of_memory();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_found),
        cmocka_unit_test(slices_are_taken_apart),
        cmocka_unit_test(numbers_are_taken),
        cmocka_unit_test(brackets_are_closed),
        cmocka_unit_test(ids_are_combined),
        cmocka_unit_test(items_are_sorted),
        cmocka_unit_test(lists_have_their_numbers),
        cmocka_unit_test(sets_are_joined),
        cmocka_unit_test(spreads),
        cmocka_unit_test(texts_are_printed),
        cmocka_unit_test(digests_are_hashes),
        cmocka_unit_test(hashes_differ),
        cmocka_unit_test(types_have_first_bytes),
        cmocka_unit_test(texts_have_types),
        cmocka_unit_test(guards_free_what_was_made),
        cmocka_unit_test(without_a_guard_it_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
