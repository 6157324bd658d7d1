/* Compressed files: what each decoder makes of whole, joined, truncated and damaged
 * ones, the limits on their size, and files that are read while they are decompressed.
 * And the other ways by which bytes come to a reader: standard input, a function of the
 * caller, memory. */
#define _GNU_SOURCE /* memfd_create() */
#include "base/base.h"
#include "base/open.h"

#include <fcntl.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { PIECE = 1 << 18, MOST = 2 * PIECE + 77 };

/* ----------------------------------------------------------------------- encoders */

static size_t put_gzip(const unsigned char *from, size_t n, unsigned char *to,
                       size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from,
                  .avail_in = (uInt)n,
                  .next_out = to,
                  .avail_out = (uInt)room};

    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&z), Z_OK);
    return z.total_out;
}

static size_t put_xz(const unsigned char *from, size_t n, unsigned char *to,
                     size_t room)
{
    size_t used = 0;

    assert_int_equal(
        lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, from, n, to, &used, room),
        LZMA_OK);
    return used;
}

static size_t put_zstd(const unsigned char *from, size_t n, unsigned char *to,
                       size_t room)
{
    size_t used = ZSTD_compress(to, room, from, n, 1);

    assert_false(ZSTD_isError(used));
    return used;
}

static const struct {
    const char *name;
    size_t (*put)(const unsigned char *from, size_t n, unsigned char *to, size_t room);
} formats[] = {{"gzip", put_gzip}, {"xz", put_xz}, {"zstd", put_zstd}};

static unsigned char plain[MOST], packed[2 * MOST];

/* Bytes that do not shrink much, so that the input has several pieces, too. */
static void fill_plain(void)
{
    uint32_t x = 1;

    for (size_t i = 0; i < sizeof plain; i++) {
        x = x * 1664525 + 1013904223;
        plain[i] = (unsigned char)(x >> 26);
    }
}

static struct fsd_file file_of(size_t n)
{
    return (struct fsd_file){.name = "packed", .bytes = packed, .size = n};
}

static void is_damaged(enum fsd_status status, const struct fsd_error *err,
                       const char *format)
{
    char text[128];

    snprintf(text, sizeof text,
             "expected a complete file compressed with %s, found a damaged or "
             "truncated one",
             format);
    assert_int_equal(status, FSD_E_FORMAT);
    assert_string_equal(err->message, text);
    assert_int_equal(err->unit, FSD_POS_NONE);
}

/* ---------------------------------------------------------------------- to memory */

/* Decompresses `size` packed bytes, of whose result the first `first` bytes are wanted:
 * it gives `expected` bytes of the plain ones. */
static void decompresses(size_t size, uint64_t first, size_t expected)
{
    const struct fsd_file file = file_of(size);
    unsigned char *bytes = NULL;
    struct fsd_error err;
    size_t n = 1;

    assert_true(fsd_is_compressed(&file));
    assert_int_equal(fsd_decompress_to_memory(&file, first, &bytes, &n, &err), FSD_OK);
    assert_int_equal(n, expected);
    if (n)
        assert_memory_equal(bytes, plain, n);
    free(bytes);
}

static void sizes_are_decompressed(void **state)
{
    const size_t sizes[] = {0, 1, PIECE - 1, PIECE, PIECE + 1, MOST};

    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const size_t n = sizes[i], half = n / 2;
            size_t used = formats[f].put(plain, n, packed, sizeof packed), first;
            struct fsd_file file = file_of(used);
            struct fsd_error err;
            unsigned char *bytes = packed;

            decompresses(used, UINT64_MAX, n);
            decompresses(used, n, n);
            decompresses(used, half, half);
            decompresses(used, n - (n > 0), n - (n > 0));
            /* A file that was cut off, or changed at its end, is refused. */
            for (size_t cut = 1; cut < 4; cut += 2) {
                file.size = used - cut;
                is_damaged(
                    fsd_decompress_to_memory(&file, UINT64_MAX, &bytes, &first, &err),
                    &err, formats[f].name);
                assert_null(bytes);
                assert_int_equal(first, 0);
            }
            /* Two files in one are decompressed behind each other. */
            first = formats[f].put(plain, half, packed, sizeof packed);
            used = formats[f].put(plain + half, n - half, packed + first,
                                  sizeof packed - first);
            decompresses(first + used, UINT64_MAX, n);
            packed[first + used] = 'x';
            file.size = first + used + 1;
            is_damaged(
                fsd_decompress_to_memory(&file, UINT64_MAX, &bytes, &first, &err), &err,
                formats[f].name);
        }
}

static void damage_is_found(void **state)
{
    const size_t n = 1000;

    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        size_t used = formats[f].put(plain, n, packed, sizeof packed), size;
        const struct fsd_file file = file_of(used);
        unsigned char *bytes;
        struct fsd_error err;

        if (f == 2)
            continue; /* its encoder writes no sum here */
        packed[used / 2] ^= 0x55;
        is_damaged(fsd_decompress_to_memory(&file, UINT64_MAX, &bytes, &size, &err),
                   &err, formats[f].name);
    }
}

/* --------------------------------------------------------------------- the limits */

/* 64 MiB and 1,024 times the size of the file: a few bytes cannot fill a disk. */
static void few_bytes_are_limited(void **state)
{
    const size_t n = (size_t)65 << 20;
    unsigned char *zeros = calloc(n, 1), *bytes;
    size_t used = put_zstd(zeros, n, packed, sizeof packed), size;
    const struct fsd_file file = file_of(used);
    struct fsd_error err;
    char text[160];

    (void)state;
    free(zeros);
    assert_int_equal(fsd_decompressed_most(&file), ((size_t)64 << 20) + 1024 * used);
    assert_int_equal(
        fsd_decompress_to_memory(&(struct fsd_file){.bytes = packed, .size = 12},
                                 1 << 10, &bytes, &size, &err),
        FSD_E_FORMAT);
    assert_true(fsd_decompressed_most(&file) > n); /* so it is whole */
    assert_int_equal(fsd_decompress_to_memory(&file, UINT64_MAX, &bytes, &size, &err),
                     FSD_OK);
    assert_int_equal(size, n);
    free(bytes);
    /* Two of them in one file are too large. */
    memcpy(packed + used, packed, used);
    used *= 2;
    assert_int_equal(
        fsd_decompress_to_memory(
            &(struct fsd_file){.name = "packed", .bytes = packed, .size = used},
            UINT64_MAX, &bytes, &size, &err),
        FSD_E_LIMIT);
    snprintf(text, sizeof text,
             "expected at most %zu decompressed bytes, found more in this file of %zu "
             "compressed bytes",
             ((size_t)64 << 20) + 1024 * used, used);
    assert_string_equal(err.message, text);
}

/* ----------------------------------------------------------------------- to files */

static bool reach(void *payload, uint64_t n)
{
    uint64_t *reached = payload;

    assert_true(n >= reached[0]);
    reached[0] = n;
    return n < reached[1];
}

static void output_is_written(void **state)
{
    int full = open("/dev/full", O_WRONLY);
    unsigned char *bytes = malloc(MOST);

    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const struct fsd_file file =
            file_of(formats[f].put(plain, MOST, packed, sizeof packed));
        int out = memfd_create("out", 0);
        uint64_t reached[2] = {0, UINT64_MAX};
        struct fsd_error err;

        assert_int_equal(fsd_decompress(&file, out, UINT64_MAX, reach, reached, &err),
                         FSD_OK);
        assert_int_equal(reached[0], MOST);
        assert_int_equal(pread(out, bytes, MOST, 0), MOST);
        assert_memory_equal(bytes, plain, MOST);
        /* Whoever needs no more ends it. */
        reached[0] = 0;
        reached[1] = PIECE / 2;
        assert_int_equal(fsd_decompress(&file, out, UINT64_MAX, reach, reached, &err),
                         FSD_OK);
        assert_true(reached[0] >= PIECE / 2 && reached[0] <= PIECE);
        assert_int_equal(fsd_decompress(&file, full, UINT64_MAX, NULL, NULL, &err),
                         FSD_E_IO);
        assert_string_equal(err.message, "cannot decompress to a temporary file: No "
                                         "space left on device");
        close(out);
    }
    free(bytes);
    close(full);
}

static char path[64];

static void put_file(const unsigned char *bytes, size_t n)
{
    int fd;

    strcpy(path, "/tmp/fusiondiff-packed-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
}

static void files_are_opened(void **state)
{
    enum fsd_status (*const opens[])(struct fsd_file *, const char *, uint64_t,
                                     struct fsd_error *) = {
        fsd_file_open_decompressed, fsd_file_open_sparse, fsd_file_open_coming,
        fsd_file_open_beginning};

    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        if (compressed)
            put_file(packed, put_xz(plain, MOST, packed, sizeof packed));
        else
            put_file(plain, MOST);
        for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
            const size_t size = i == 3 ? 1 << 17 : MOST;
            struct fsd_file file;
            struct fsd_error err = {0};

            assert_int_equal(opens[i](&file, path, MOST, &err), FSD_OK);
            assert_string_equal(file.name, path);
            assert_true(fsd_file_reach(&file, 0) > 0);
            assert_int_equal(fsd_file_reach(&file, SIZE_MAX), size);
            assert_int_equal(fsd_file_complete(&file, &err), FSD_OK);
            assert_int_equal(file.size, size);
            assert_memory_equal(fsd_file_at(&file, 0, size), plain, size);
            assert_int_equal(fsd_file_done(&file, FSD_OK, &err), FSD_OK);
            /* The limit is one of the decompressed bytes. */
            if (i == 3)
                continue;
            if (opens[i](&file, path, MOST - 1, &err) == FSD_OK)
                assert_int_equal(fsd_file_complete(&file, &err), FSD_E_LIMIT);
            assert_int_equal(err.status, FSD_E_LIMIT);
            assert_string_equal(err.file, path);
            fsd_file_close(&file);
        }
        unlink(path);
    }
}

/* A file that its reader closes early, and one that is damaged at its end. */
static void files_that_come_end_early(void **state)
{
    size_t used = put_xz(plain, MOST, packed, sizeof packed);
    struct fsd_file file;
    struct fsd_error err;

    (void)state;
    put_file(packed, used);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fsd_file_open_coming(&file, path, MOST, &err), FSD_OK);
        if (i)
            assert_memory_equal(file.bytes, plain,
                                fsd_file_reach(&file, (size_t)i * PIECE));
        fsd_file_close(&file);
        assert_null(file.coming);
    }
    unlink(path);
    put_file(packed, used - 1);
    assert_int_equal(fsd_file_open_coming(&file, path, MOST, &err), FSD_OK);
    is_damaged(fsd_file_complete(&file, &err), &err, "xz");
    assert_string_equal(err.file, path);
    fsd_file_close(&file);
    unlink(path);
}

/* ------------------------------------------------------------------ other sources */

/* Standard input has no size. */
static void standard_input_is_read(void **state)
{
    const size_t sizes[] = {0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 300000};
    int before = dup(STDIN_FILENO);

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t less = 0; less < 2; less++) {
            const size_t n = sizes[i];
            struct fsd_file file;
            struct fsd_error err;
            enum fsd_status status;
            int fd = memfd_create("in", 0);

            if (less > n)
                continue;
            assert_int_equal(write(fd, plain, n), n);
            assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
            dup2(fd, STDIN_FILENO);
            close(fd);
            status = fsd_file_open(&file, "-", n - less, &err);
            assert_string_equal(file.name, "standard input");
            if (less) {
                assert_int_equal(status, FSD_E_LIMIT);
                assert_string_equal(err.file, "standard input");
            } else {
                assert_int_equal(status, FSD_OK);
                assert_int_equal(file.size, n);
                assert_memory_equal(file.bytes, plain, n);
            }
            fsd_file_close(&file);
        }
    close(STDIN_FILENO);
    assert_int_equal(open("/", O_RDONLY), STDIN_FILENO); /* which cannot be read */
    {
        struct fsd_file file;
        struct fsd_error err;

        assert_int_equal(fsd_file_open(&file, "-", 10, &err), FSD_E_IO);
        assert_string_equal(err.message, "cannot read: Is a directory");
        fsd_file_close(&file);
    }
    dup2(before, STDIN_FILENO);
    close(before);
}

struct counted {
    int calls, good; /* `good`: how many calls succeed */
};

static bool read_plain(void *payload, uint64_t at, void *to, size_t n)
{
    struct counted *c = payload;

    if (++c->calls > c->good)
        return false;
    memcpy(to, plain + at, n);
    return true;
}

/* A function that failed is not called again. */
static void functions_are_asked(void **state)
{
    struct counted c = {0, 100};
    const struct fsd_file_reader reader = {
        .path = "given", .size = 5 << 16, .read = read_plain, .payload = &c};
    struct fsd_file file;
    struct fsd_error err;

    (void)state;
    fsd_use_readers(&reader, 1);
    assert_int_equal(fsd_file_open(&file, "given", 5 << 16, &err), FSD_OK);
    assert_int_equal(file.size, 5 << 16);
    assert_memory_equal(file.bytes, plain, file.size);
    assert_int_equal(c.calls, 5);
    assert_int_equal(fsd_file_done(&file, FSD_OK, &err), FSD_OK);
    c = (struct counted){0, 2};
    assert_int_equal(fsd_file_open(&file, "given", 5 << 16, &err), FSD_OK);
    assert_int_equal(c.calls, 3);
    assert_int_equal(fsd_file_done(&file, FSD_OK, &err), FSD_E_IO);
    assert_int_equal(fsd_file_open(&file, "given", (5 << 16) - 1, &err), FSD_E_LIMIT);
    fsd_file_close(&file);
    assert_int_equal(c.calls, 3);
    fsd_use_readers(&reader, 0);
    assert_int_equal(fsd_file_open(&file, "given", 5 << 16, &err), FSD_E_IO);
    fsd_use_readers(NULL, 0);
}

static void memory_is_taken(void **state)
{
    const struct fsd_memory memory = {.path = "given", .bytes = plain, .size = 10};
    struct fsd_file file = {.name = "own"};
    struct fsd_error err;
    unsigned char *bytes = malloc(3);

    (void)state;
    fsd_use_memory(&memory, 1);
    assert_int_equal(fsd_file_open(&file, "given", 10, &err), FSD_OK);
    assert_true(file.bytes == plain && file.size == 10);
    fsd_file_close(&file);
    assert_int_equal(fsd_file_open(&file, "given", 9, &err), FSD_E_LIMIT);
    fsd_use_memory(NULL, 0);
    memcpy(bytes, "abc", 3);
    file = (struct fsd_file){.name = "own"};
    assert_int_equal(fsd_file_own(&file, bytes, 3, &err), FSD_OK);
    assert_true(file.bytes == bytes && file.size == 3);
    fsd_file_release(&file, 3); /* it cannot be read again */
    assert_memory_equal(file.bytes, "abc", 3);
    fsd_file_close(&file); /* and frees the bytes */
    assert_int_equal(fsd_file_own(&file, NULL, 0, &err), FSD_OK);
    assert_true(file.bytes && !file.size);
    fsd_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_decompressed),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(few_bytes_are_limited),
        cmocka_unit_test(output_is_written),
        cmocka_unit_test(files_are_opened),
        cmocka_unit_test(files_that_come_end_early),
        cmocka_unit_test(standard_input_is_read),
        cmocka_unit_test(functions_are_asked),
        cmocka_unit_test(memory_is_taken),
    };

    fill_plain();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
