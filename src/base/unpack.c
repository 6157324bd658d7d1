#include "base/file.h"

#include "base/id.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
    PIECE = 1 << 18,
    RATIO_MAX = 1024, /* logs repeat themselves: 60 was seen, and gzip ends near 1,000 */
    UNPACKED_FREE = 1 << 26,    /* bytes that any file may hold */
    UNPACK_MEMORY = 1 << 28,    /* of a decoder: what the strongest levels ask */
    ZSTD_WINDOW_LOG = 28
};

/* Where the pieces come from and go. */
struct sink {
    const struct fsd_file *packed;
    size_t released;
    FILE *out;
    uint64_t left; /* how many bytes more are taken */
    bool full, failed;
    unsigned char piece[PIECE];
};

/* Takes of the first n bytes of the piece what there is room for; false when no more
 * are wanted.  `next` is what is unpacked next. */
static bool flush(struct sink *s, size_t n, const unsigned char *next)
{
    fsd_file_release_behind(s->packed, (size_t)(next - s->packed->bytes), &s->released);
    s->full = n > s->left;
    n = s->full ? (size_t)s->left : n;
    s->left -= n;
    s->failed = fwrite(s->piece, 1, n, s->out) != n;
    return !s->full && !s->failed;
}

/* Each returns true at the end of the last stream; else the sink tells, or the input is
 * damaged. */
typedef bool unpack_fn(struct sink *s, const unsigned char *in, size_t n);

static bool unpack_gzip(struct sink *s, const unsigned char *in, size_t n)
{
    z_stream z = {.zalloc = Z_NULL};
    int code = inflateInit2(&z, 15 + 16);
    bool more = code == Z_OK;

    while (more) {
        if (!z.avail_in && n) {
            z.next_in = (unsigned char *)(uintptr_t)in; /* older zlib: not const */
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
    return code == Z_STREAM_END && !s->full && !s->failed;
}

static bool unpack_xz(struct sink *s, const unsigned char *in, size_t n)
{
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&z, UNPACK_MEMORY, LZMA_CONCATENATED);

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
    return code == LZMA_STREAM_END && !s->full && !s->failed;
}

static bool unpack_zstd(struct sink *s, const unsigned char *in, size_t n)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    ZSTD_inBuffer from = {in, n, 0};
    size_t left = 1; /* 0 behind a whole frame */
    bool more = z && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
                                                          ZSTD_WINDOW_LOG));

    while (more) {
        ZSTD_outBuffer to = {s->piece, PIECE, 0};

        left = ZSTD_decompressStream(z, &to, &from);
        more = !ZSTD_isError(left) && flush(s, to.pos, in + from.pos) &&
               (from.pos < n || (left && to.pos == PIECE));
    }
    ZSTD_freeDCtx(z);
    return z && !left && from.pos == n && !s->full && !s->failed;
}

static const struct packing {
    const char *name, *magic;
    unpack_fn *unpack;
} packings[] = {
    {"gzip", "\x1f\x8b", unpack_gzip},
    {"xz", "\xfd" "7zXZ", unpack_xz},
    {"zstd", "\x28\xb5\x2f\xfd", unpack_zstd},
};

static const struct packing *packing_of(const struct fsd_file *file)
{
    for (size_t i = 0; i < FSD_COUNT_OF(packings); i++) {
        size_t n = strlen(packings[i].magic);

        if (file->size >= n && !memcmp(file->bytes, packings[i].magic, n))
            return &packings[i];
    }
    return NULL;
}

bool fsd_is_packed(const struct fsd_file *file)
{
    return packing_of(file) != NULL;
}

enum fsd_status fsd_unpack(const struct fsd_file *file, FILE *out, uint64_t first,
                           struct fsd_error *err)
{
    const struct packing *packing = packing_of(file);
    uint64_t most = UNPACKED_FREE + (uint64_t)RATIO_MAX * file->size;
    struct sink s = {.packed = file, .out = out, .left = first < most ? first : most};

    if ((packing->unpack(&s, file->bytes, file->size) || (s.full && first < most)) &&
        fflush(out) == 0 && !s.failed)
        return FSD_OK;
    if (s.full)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected at most %llu bytes packed in %zu, found more",
                        (unsigned long long)most, file->size);
    if (s.failed || ferror(out))
        return fsd_fail(err, FSD_E_IO, file->name, FSD_POS_NONE, 0,
                        "cannot unpack to a temporary file: %s", strerror(errno));
    return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
                    "expected a whole file packed by %s, found that it is damaged or "
                    "cut",
                    packing->name);
}
