/*
 * Decompresses gzip, xz and zstd in pieces of 256 KiB; `packings` has one row per
 * decoder.  The input is untrusted.  The output is therefore limited to 64 MiB plus
 * 1,024 times the size of the input, and the memory of a decoder to 256 MiB.  A stream
 * that ends early is an error, not a shorter file.  Concatenated streams (parallel gzip
 * writes them) count as one file.
 */
#include "base/base.h"
#include "host/files.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum {
    PIECE = 1 << 18,
    RATIO_MAX = 1024,         /* maximum number of decompressed bytes per compressed
                                 byte. The largest ratio of gzip is only slightly
                                 higher. The largest ratio that a log reached was 60 */
    EXPANDED_FREE = 1 << 26,  /* bytes that the limit allows in addition to RATIO_MAX
                                 times the size of the compressed file */
    DECODER_MEMORY = 1 << 28, /* bytes; the strongest compression levels need so much
                                 memory to decompress */
    ZSTD_WINDOW_LOG = 28
};

/* The destination of the decompressed bytes. */
struct sink {
    const struct fsd_file *compressed;
    size_t released;
    int out;             /* -1: the bytes stay in memory */
    unsigned char *kept; /* the bytes in memory */
    size_t room;
    fsd_reached_fn *reached;
    void *payload;
    uint64_t done, left; /* `done`: the number of bytes written; `left`: how many
                            more bytes the sink accepts */
    int error;           /* errno of a failed write; 0: no write failed */
    bool full, unwanted;
    unsigned char piece[PIECE];
};

/* Writes n bytes to the descriptor `to`.  Returns 0, or errno if the write failed. */
static int write_all(int to, const unsigned char *bytes, size_t n)
{
    while (n) {
        ssize_t put = write(to, bytes, n);

        if (put < 0 && errno != EINTR)
            return errno;
        bytes += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* Appends the first n bytes of the piece to the bytes in memory.  `done` already counts
 * these n bytes.  Returns 0, or ENOMEM. */
static int keep(struct sink *s, size_t n)
{
    size_t size = (size_t)(s->done - n), room = s->room;
    unsigned char *larger;

    if (!n)
        return 0; /* with n = 0, the code below would return ENOMEM if s->kept is still
                     NULL */
    while (room - size < n)
        room = room ? 2 * room : PIECE;
    larger = room == s->room ? s->kept : realloc(s->kept, room);
    if (!larger)
        return ENOMEM;
    s->kept = larger;
    s->room = room;
    memcpy(larger + size, s->piece, n);
    return 0;
}

/* Writes the first n bytes of the piece, up to the limit.  Returns false if the sink
 * accepts no more bytes.  `next` is the address in the compressed file where the
 * decoder continues. */
static bool flush(struct sink *s, size_t n, const unsigned char *next)
{
    fsd_file_release_behind(s->compressed, (size_t)(next - s->compressed->bytes),
                            &s->released);
    s->full = n > s->left;
    n = s->full ? (size_t)s->left : n;
    s->left -= n;
    s->done += n;
    s->error = s->out < 0 ? keep(s, n) : write_all(s->out, s->piece, n);
    s->unwanted = !s->error && s->reached && !s->reached(s->payload, s->done);
    return !s->full && !s->error && !s->unwanted;
}

/* Decompresses n bytes of one format into the sink.  Returns true if it reached the end
 * of the last stream, false if the sink has an error or the input is damaged. */
typedef bool decompress_fn(struct sink *s, const unsigned char *in, size_t n);

static bool decompress_gzip(struct sink *s, const unsigned char *in, size_t n)
{
    z_stream z = {.zalloc = Z_NULL};
    int code = inflateInit2(&z, 15 + 16);
    bool more = code == Z_OK;

    while (more) {
        if (!z.avail_in && n) {
            z.next_in = (unsigned char *)(uintptr_t)in; /* older versions of zlib
                                                           declare it without const */
            z.avail_in = n < UINT32_MAX ? (uInt)n : UINT32_MAX;
            in += z.avail_in;
            n -= z.avail_in;
        }
        z.next_out = s->piece;
        z.avail_out = PIECE;
        code = inflate(&z, Z_NO_FLUSH);
        more = (code == Z_OK || code == Z_STREAM_END) &&
               flush(s, PIECE - z.avail_out, z.next_in);
        if (more && code == Z_STREAM_END) {
            more = z.avail_in || n;
            code = more ? inflateReset(&z) : code;
        }
    }
    inflateEnd(&z);
    return code == Z_STREAM_END;
}

static bool decompress_xz(struct sink *s, const unsigned char *in, size_t n)
{
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&z, DECODER_MEMORY, LZMA_CONCATENATED);

    z.next_in = in;
    z.avail_in = n;
    while (code == LZMA_OK) {
        z.next_out = s->piece;
        z.avail_out = PIECE;
        code = lzma_code(&z, z.avail_in ? LZMA_RUN : LZMA_FINISH);
        if ((code == LZMA_OK || code == LZMA_STREAM_END) &&
            !flush(s, PIECE - z.avail_out, z.next_in))
            break;
    }
    lzma_end(&z);
    return code == LZMA_STREAM_END;
}

static bool decompress_zstd(struct sink *s, const unsigned char *in, size_t n)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    ZSTD_inBuffer from = {in, n, 0};
    size_t left = 1; /* the result of ZSTD_decompressStream(): 0 after a complete
                        frame */
    bool more = z && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
                                                          ZSTD_WINDOW_LOG));

    while (more) {
        ZSTD_outBuffer to = {s->piece, PIECE, 0};

        left = ZSTD_decompressStream(z, &to, &from);
        more = !ZSTD_isError(left) && flush(s, to.pos, in + from.pos) &&
               (from.pos < n || (left && to.pos == PIECE));
    }
    ZSTD_freeDCtx(z);
    return z && !left && from.pos == n;
}

static const struct packing {
    const char *name, *magic;
    decompress_fn *decompress;
} packings[] = {
    {"gzip", "\x1f\x8b", decompress_gzip},
    {"xz", "\xfd\x37zXZ", decompress_xz},
    {"zstd", "\x28\xb5\x2f\xfd", decompress_zstd},
};

static const struct packing *compression_of(const struct fsd_file *file)
{
    for (size_t i = 0; i < FSD_COUNT_OF(packings); i++) {
        size_t n = strlen(packings[i].magic);

        if (file->size >= n && !memcmp(file->bytes, packings[i].magic, n))
            return &packings[i];
    }
    return NULL;
}

bool fsd_is_compressed(const struct fsd_file *file)
{
    return compression_of(file) != NULL;
}

uint64_t fsd_decompressed_most(const struct fsd_file *file)
{
    return EXPANDED_FREE + (uint64_t)RATIO_MAX * file->size;
}

/* Returns the status of the decompression, after its end.  `whole` is true if the last
 * stream is complete. */
static enum fsd_status report(const struct sink *s, bool whole, uint64_t first,
                              struct fsd_error *err)
{
    const struct fsd_file *file = s->compressed;
    uint64_t most = fsd_decompressed_most(file);

    if (s->error)
        return fsd_fail(err, FSD_E_IO, file->name, FSD_POS_NONE, 0,
                        "cannot decompress to a temporary file: %s",
                        strerror(s->error));
    if (s->full && first >= most)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected at most %llu decompressed bytes, found more in this "
                        "file of %zu compressed bytes",
                        (unsigned long long)most, file->size);
    if (s->full || s->unwanted || whole)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
        "expected a complete file compressed with %s, found a damaged or truncated one",
        compression_of(file)->name);
}

static enum fsd_status decompress(struct sink *s, uint64_t first, struct fsd_error *err)
{
    const struct fsd_file *file = s->compressed;
    uint64_t most = fsd_decompressed_most(file);

    s->left = first < most ? first : most;
    return report(s, compression_of(file)->decompress(s, file->bytes, file->size),
                  first, err);
}

enum fsd_status fsd_decompress(const struct fsd_file *file, int out, uint64_t first,
                               fsd_reached_fn *reached, void *payload,
                               struct fsd_error *err)
{
    struct sink *s = calloc(1, sizeof *s); /* too large for the stack of a thread */
    enum fsd_status status;

    if (!s)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0, "out of memory");
    s->compressed = file;
    s->out = out;
    s->reached = reached;
    s->payload = payload;
    status = decompress(s, first, err);
    free(s);
    return status;
}

enum fsd_status fsd_decompress_to_memory(const struct fsd_file *file, uint64_t first,
                                         unsigned char **bytes, size_t *size,
                                         struct fsd_error *err)
{
    struct sink *s = calloc(1, sizeof *s);
    enum fsd_status status;

    if (!s)
        return fsd_fail_memory(err, file->name);
    s->compressed = file;
    s->out = -1;
    status = decompress(s, first, err);
    if (status != FSD_OK) {
        free(s->kept);
        s->kept = NULL;
    }
    *bytes = s->kept;
    *size = s->kept ? (size_t)s->done : 0;
    free(s);
    return status;
}
