/* Headers of arrays by NumPy, and archives of them: what is read, what is refused. */
#include "explain/values/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_BYTES = 1 << 10 };

struct bytes {
    unsigned char at[MOST_BYTES];
    size_t n;
};

static void put(struct bytes *b, const void *from, size_t n)
{
    assert_true(b->n + n <= sizeof b->at);
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

static void set_number(unsigned char *at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

static void put_number(struct bytes *b, uint64_t number, unsigned bytes)
{
    unsigned char at[8];

    set_number(at, number, bytes);
    put(b, at, bytes);
}

/* An array of zeros: `n` bytes behind a header of format `version`. */
static void put_array(struct bytes *b, unsigned version, const char *header, size_t n)
{
    static const unsigned char zeros[MOST_BYTES];

    put(b, "\x93NUMPY", 6);
    put_number(b, version, 2);
    put_number(b, strlen(header), version == 1 ? 2 : 4);
    put(b, header, strlen(header));
    put(b, zeros, n);
}

/* ---------------------------------------------------------------------- one array */

static const char *read_array(const struct bytes *b, struct fsd_array *out)
{
    struct fsd_file file = {.name = "test", .bytes = b->at, .size = b->n};

    *out = (struct fsd_array){.stored = {.file = &file, .n = b->n, .size = b->n}};
    return fsd_npy_read(out);
}

static void an_array_is_read_by_its_header(void **state)
{
    static const struct {
        const char *header;
        size_t n;
        enum fsd_dtype type;
        bool big_endian, fortran;
        const char *dims;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24, FSD_FP32,
         false, false, "2 3"},
        {"{'descr': '>i2', 'fortran_order': False, 'shape': (3,), }", 6, FSD_INT16,
         true, false, "3"},
        {"{'descr': '|V2', 'fortran_order': True, 'shape': (2, 3), }", 12, FSD_BF16,
         false, true, "2 3"},
        {"{'descr': '|b1', 'fortran_order': True, 'shape': (3,), }", 3, FSD_BOOL, false,
         false, "3"},
        {"{'shape': (2L, 1L), 'fortran_order': False, 'descr': '<f8'}", 16, FSD_FP64,
         false, false, "2 1"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (), }", 2, FSD_FP16, false,
         false, ""},
        {"{'descr': '<u8', 'fortran_order': False, 'shape': (0, 9), }", 0, FSD_UINT64,
         false, false, "0 9"},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++)
        for (unsigned version = 1; version <= 3; version++) {
            struct bytes b = {.n = 0};
            struct fsd_array array;
            char dims[64] = "";

            put_array(&b, version, cases[i].header, cases[i].n);
            assert_null(read_array(&b, &array));
            for (uint32_t k = 0; k < array.rank; k++)
                snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%s%d",
                         k ? " " : "", (int)array.dims[k]);
            assert_string_equal(dims, cases[i].dims);
            assert_int_equal(array.type, cases[i].type);
            assert_int_equal(array.big_endian, cases[i].big_endian);
            assert_int_equal(array.fortran, cases[i].fortran);
            assert_int_equal(array.skip + cases[i].n, b.n);
        }
}

static void an_array_with_a_strange_header_is_refused(void **state)
{
    static const struct {
        const char *header;
        size_t n;
        const char *why;
    } cases[] = {
        {"{'fortran_order': False, 'shape': (2,), }", 8,
         "its elements are of a type that no tensor has"},
        {"{'descr': [('a', '<f4')], 'shape': (2,), }", 8,
         "its elements are of a type that no tensor has"},
        {"{'descr': '<f4x', 'shape': (2,), }", 8,
         "its elements are of a type that no tensor has"},
        {"{'descr' '<f4', 'shape': (2,), }", 8,
         "its elements are of a type that no tensor has"},
        {"{'descr': '<c8', 'shape': (1,), }", 8,
         "its elements are of a type that fusiondiff does not read"},
        {"{'descr': '<f4', }", 8, "its header has no shape"},
        {"{'descr': '<f4', 'shape': 2), }", 8, "its header has no shape"},
        {"{'descr': '<f4', 'shape': (-2,), }", 8, "its header has no shape"},
        {"{'descr': '<f4', 'shape': (2, x), }", 8, "its header has no shape"},
        {"{'descr': '<f4', 'shape': (2", 8, "its header has no shape"},
        {"{'descr': '<f4', 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2), }",
         8, "it has more than 32 dimensions"},
        {"{'descr': '<f4', 'shape': (9223372036854775808,), }", 8,
         "its shape is too large for any memory"},
        {"{'descr': '<f4', 'shape': (4294967296, 4294967296), }", 8,
         "its shape is too large for any memory"},
        {"{'descr': '<f4', 'shape': (3,), }", 8,
         "its length does not match its shape and type"},
        {"{'descr': '<f4', 'shape': (1,), }", 8,
         "its length does not match its shape and type"},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct bytes b = {.n = 0};
        struct fsd_array array;
        const char *why;

        put_array(&b, 1, cases[i].header, cases[i].n);
        why = read_array(&b, &array);
        assert_non_null(why);
        assert_string_equal(why, cases[i].why);
    }
}

/* A header of one more than the 65,536 bytes that are read, and of those. */
static void a_header_is_read_up_to_its_limit(void **state)
{
    struct bytes b = {.n = 0};
    struct fsd_array array;

    (void)state;
    put_array(&b, 2, "", 0);
    set_number(b.at + 8, 65537, 4);
    assert_string_equal(read_array(&b, &array),
                        "its header is larger than 65,536 bytes");
    set_number(b.at + 8, 65536, 4);
    assert_string_equal(read_array(&b, &array), "the file ends within the header");
}

static void an_array_that_is_cut_or_of_another_kind_is_refused(void **state)
{
    static const char header[] = "{'descr': '<f4', 'shape': (2,), }";
    struct bytes b = {.n = 0};
    struct fsd_array array;
    size_t whole;

    (void)state;
    put_array(&b, 1, header, 0);
    whole = b.n;
    for (b.n = 0; b.n < whole; b.n++)
        assert_string_equal(read_array(&b, &array),
                            b.n < 8 ? "it is not a NumPy array"
                                    : "the file ends within the header");
    for (unsigned version = 0; version <= 4; version += 4) {
        b.n = 0;
        put_array(&b, version, header, 8);
        assert_string_equal(read_array(&b, &array), "it is not a NumPy array");
    }
}

/* --------------------------------------------------------------------- an archive */

/* Where the parts of the archive are that put_archive() writes. */
struct parts {
    size_t local, entry, end;
};

/* "x.npy", two floats, as zip writes what is stored; `extra` is the entry's. */
static struct parts put_archive(struct bytes *b, const struct bytes *extra)
{
    struct bytes array = {.n = 0};
    struct parts parts = {.local = 0};

    put_array(&array, 1, "{'descr': '<f4', 'shape': (2,), }", 8);
    put(b, "PK\3\4\24\0\0\0\0\0\0\0\0\0", 14);
    put_number(b, 0, 4);
    put_number(b, array.n, 4);
    put_number(b, array.n, 4);
    put_number(b, 5, 4);
    put(b, "x.npy", 5);
    put(b, array.at, array.n);
    parts.entry = b->n;
    put(b, "PK\1\2\24\0\24\0\0\0\0\0\0\0\0\0", 16);
    put_number(b, 0, 4);
    put_number(b, array.n, 4);
    put_number(b, array.n, 4);
    put_number(b, 5, 2);
    put_number(b, extra->n, 2);
    put_number(b, 0, 8);
    put_number(b, 0, 2);
    put_number(b, parts.local, 4);
    put(b, "x.npy", 5);
    put(b, extra->at, extra->n);
    parts.end = b->n;
    put(b, "PK\5\6\0\0\0\0", 8);
    put_number(b, 1, 2);
    put_number(b, 1, 2);
    put_number(b, parts.end - parts.entry, 4);
    put_number(b, parts.entry, 4);
    put_number(b, 0, 2);
    return parts;
}

/* What is read of an archive, in words: "x of 2", "x: it is encrypted", an error. */
static void tell(const struct bytes *b, char *out, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    struct fsd_file file = {.name = "test", .bytes = b->at, .size = b->n};
    fsd_array_set_vec sets = {0};
    struct fsd_error err = {0};

    if (fsd_npz_read(arena, names, &file, &sets, &err) != FSD_OK) {
        snprintf(out, size, "%.*s", (int)size - 1, err.message);
    } else {
        assert_int_equal(sets.n, 1);
        snprintf(out, size, "nothing");
        for (uint32_t i = 0; i < sets.at[0].at.n; i++) {
            const struct fsd_array *array = &sets.at[0].at.at[i];

            snprintf(out, size, "%s%s%s of %d", fsd_text(names, array->name),
                     array->odd ? ": " : "", array->odd ? array->odd : "",
                     (int)array->count);
        }
    }
    fsd_arena_free(arena);
}

static void assert_told(const struct bytes *b, const char *expected)
{
    char told[512];

    tell(b, told, sizeof told);
    if (!strstr(told, expected))
        fail_msg("expected \"%s\", found \"%s\"", expected, told);
}

static void an_archive_that_is_changed_in_one_place(void **state)
{
    enum part { LOCAL, ENTRY, END };
    static const struct {
        enum part part;
        unsigned at, n;
        uint64_t number;
        const char *told;
    } cases[] = {
        {LOCAL, 4, 2, 20, "x of 2"},
        {LOCAL, 0, 1, 'p',
         "expected an npz archive with a complete member at the offset that the "
         "directory states"},
        {LOCAL, 26, 2, 65535,
         "expected an npz archive with a complete member at the offset that the "
         "directory states"},
        {LOCAL, 28, 2, 65535,
         "expected an npz archive with a complete member at the offset that the "
         "directory states"},
        {ENTRY, 0, 1, 'p', "expected an npz archive with an entry for each member"},
        {ENTRY, 28, 2, 6, "expected an npz archive with an entry for each member"},
        {ENTRY, 30, 2, 1, "expected an npz archive with an entry for each member"},
        {ENTRY, 32, 2, 1, "expected an npz archive with an entry for each member"},
        {ENTRY, 8, 2, 1, "x: it is encrypted of 0"},
        {ENTRY, 8, 2, 2, "x of 2"},
        {ENTRY, 10, 2, 12, "x: it is compressed by a method other than deflate of 0"},
        {ENTRY, 20, 4, 1 << 20,
         "expected an npz archive with a complete member at the offset that the "
         "directory states"},
        {ENTRY, 24, 4, 1 << 20, "x: its length does not match its shape and type of 2"},
        {ENTRY, 24, 4, 1 << 30,
         "expected members that together expand to at most 1032 "
         "times"},
        {ENTRY, 42, 4, 1,
         "expected an npz archive with a complete member at the offset that the "
         "directory states"},
        {ENTRY, 42, 4, 1 << 20,
         "expected an npz archive with a complete member at the offset that the "
         "directory states"},
        {ENTRY, 50, 1, 'z', "nothing"},
        {END, 0, 1, 'p', "expected an npz archive with an end record"},
        {END, 10, 2, 0, "nothing"},
        {END, 10, 2, 2, "expected an npz archive with an entry for each member"},
        {END, 12, 4, 1 << 20, "expected an npz archive with a complete directory"},
        {END, 12, 4, 50, "expected an npz archive with an entry for each member"},
        {END, 12, 4, 45, "expected an npz archive with an entry for each member"},
        {END, 16, 4, 1 << 20, "expected an npz archive with a complete directory"},
        {END, 20, 2, 1, "expected an npz archive with an end record"},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct bytes b = {.n = 0}, none = {.n = 0};
        const struct parts parts = put_archive(&b, &none);
        const size_t from[] = {parts.local, parts.entry, parts.end};

        set_number(b.at + from[cases[i].part] + cases[i].at, cases[i].number,
                   cases[i].n);
        assert_told(&b, cases[i].told);
    }
}

static void the_end_record_may_have_a_comment(void **state)
{
    struct bytes b = {.n = 0}, none = {.n = 0};
    const struct parts parts = put_archive(&b, &none);

    (void)state;
    put(&b, "say", 3);
    set_number(b.at + parts.end + 20, 3, 2);
    assert_told(&b, "x of 2");
    set_number(b.at + parts.end + 20, 4, 2);
    assert_told(&b, "expected an npz archive with an end record");
}

/* Sizes of 64 bits: in the entry's extra field, behind one of another kind. */
static void sizes_of_64_bits_are_in_an_extra_field(void **state)
{
    struct bytes b = {.n = 0}, extra = {.n = 0};
    struct parts parts;
    uint64_t size;

    (void)state;
    put_number(&extra, 7, 2);
    put_number(&extra, 1, 2);
    put_number(&extra, 0, 1);
    put_number(&extra, 1, 2);
    put_number(&extra, 24, 2);
    put_number(&extra, 0, 8);
    put_number(&extra, 0, 8);
    put_number(&extra, 0, 8);
    parts = put_archive(&b, &extra);
    size = b.at[parts.entry + 24];
    set_number(b.at + parts.end - 24, size, 8);
    set_number(b.at + parts.end - 16, size, 8);
    assert_told(&b, "x of 2");
    set_number(b.at + parts.entry + 20, UINT32_MAX, 4);
    set_number(b.at + parts.entry + 24, UINT32_MAX, 4);
    set_number(b.at + parts.entry + 42, UINT32_MAX, 4);
    assert_told(&b, "x of 2");
    set_number(b.at + parts.end - 28, 16, 2);
    assert_told(&b, "expected an npz archive with a complete member at the offset that "
                    "the directory states");
}

/* The directory by a record of 64 bits, to which a locator before the end leads. */
static void a_directory_of_64_bits_is_found(void **state)
{
    struct bytes whole = {.n = 0}, none = {.n = 0}, b;
    const struct parts parts = put_archive(&whole, &none);

    (void)state;
    b = whole;
    b.n = parts.end;
    put(&b, "PK\6\6", 4);
    put_number(&b, 44, 8);
    put_number(&b, 45, 4);
    put_number(&b, 0, 8);
    put_number(&b, 1, 8);
    put_number(&b, 1, 8);
    put_number(&b, parts.end - parts.entry, 8);
    put_number(&b, parts.entry, 8);
    put(&b, "PK\6\7\0\0\0\0", 8);
    put_number(&b, parts.end, 8);
    put_number(&b, 1, 4);
    put(&b, "PK\5\6\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0", 22);
    assert_told(&b, "x of 2");
    set_number(b.at + parts.end + 32, 1 << 21, 8);
    assert_told(&b, "expected at most 1048576 tensors, found 2097152");
    set_number(b.at + parts.end + 56 + 8, parts.end + 1, 8);
    assert_told(&b, "expected an npz archive with a 64-bit end record");
    set_number(b.at + parts.end + 56 + 8, UINT64_MAX, 8);
    assert_told(&b, "expected an npz archive with a 64-bit end record");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_is_read_by_its_header),
        cmocka_unit_test(an_array_with_a_strange_header_is_refused),
        cmocka_unit_test(a_header_is_read_up_to_its_limit),
        cmocka_unit_test(an_array_that_is_cut_or_of_another_kind_is_refused),
        cmocka_unit_test(an_archive_that_is_changed_in_one_place),
        cmocka_unit_test(the_end_record_may_have_a_comment),
        cmocka_unit_test(sizes_of_64_bits_are_in_an_extra_field),
        cmocka_unit_test(a_directory_of_64_bits_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
