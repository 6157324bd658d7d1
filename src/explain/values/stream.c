/*
 * Decompresses a part of a mapped file on demand.  Pages of the file that were read are
 * released, so that an archive may be larger than memory.  The result is checked
 * against the size and the checksum in the file, because a damaged member may still
 * decompress without an error.
 */
#include "explain/values/stream.h"
#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct fsd_stream {
    const struct fsd_stored *stored;
    const unsigned char *in;
    size_t left; /* remaining bytes at `in` */
    size_t released;
    z_stream z;
    bool inflating, ended; /* for deflated data.  `inflating`: zlib is initialized;
                              `ended`: zlib has read the end marker */
    uint64_t done;         /* bytes decompressed so far */
    uint32_t crc;
    uint32_t bits; /* base64: the last bits read, of which n_bits are not yet written */
    unsigned n_bits;
};

struct fsd_stream *fsd_stream_open(const struct fsd_stored *stored)
{
    struct fsd_stream *s = calloc(1, sizeof *s);

    if (!s)
        fsd_out_of_memory();
    s->stored = stored;
    s->in = stored->file->bytes + stored->at;
    s->left = stored->n;
    s->inflating = stored->packing == FSD_DEFLATED && inflateInit2(&s->z, -15) == Z_OK;
    return s;
}

static size_t read_stored(struct fsd_stream *s, unsigned char *out, size_t n)
{
    n = n < s->left ? n : s->left;
    if (n)
        memcpy(out, s->in, n);
    s->in += n;
    s->left -= n;
    return n;
}

static size_t read_deflated(struct fsd_stream *s, unsigned char *out, size_t n)
{
    int code = Z_OK;

    s->z.next_out = out;
    s->z.avail_out = n < UINT_MAX ? (uInt)n : UINT_MAX;
    n = s->z.avail_out;
    while (s->inflating && !s->ended && code == Z_OK && s->z.avail_out) {
        uInt piece = s->left < UINT_MAX ? (uInt)s->left : UINT_MAX;

        s->z.next_in = (unsigned char *)(uintptr_t)s->in; /* next_in is not const in
                                                             older versions of zlib */
        s->z.avail_in = piece;
        code = inflate(&s->z, Z_NO_FLUSH);
        s->in += piece - s->z.avail_in;
        s->left -= piece - s->z.avail_in;
        s->ended = code == Z_STREAM_END;
    }
    return n - s->z.avail_out;
}

/* The value of a base64 digit; -1 if the character is no base64 digit. */
static int digit_of(unsigned char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static size_t read_base64(struct fsd_stream *s, unsigned char *out, size_t n)
{
    size_t put = 0;

    while (put < n && s->left) {
        int digit = digit_of(*s->in);

        if (digit < 0)
            break; /* '=' ends the text.  Any other character is damage: it makes
                      fsd_stream_whole() fail, because `done` is then too small */
        s->in++;
        s->left--;
        s->bits = (s->bits << 6 | (uint32_t)digit) & 0xffffff;
        s->n_bits += 6;
        if (s->n_bits >= 8) {
            s->n_bits -= 8;
            out[put++] = (unsigned char)(s->bits >> s->n_bits);
        }
    }
    return put;
}

uint32_t fsd_stream_crc(uint32_t crc, const void *bytes, size_t n)
{
    return (uint32_t)crc32_z(crc, bytes, n);
}

size_t fsd_stream_read(struct fsd_stream *s, void *out, size_t n)
{
    size_t got = s->stored->packing == FSD_STORED     ? read_stored(s, out, n)
                 : s->stored->packing == FSD_DEFLATED ? read_deflated(s, out, n)
                                                      : read_base64(s, out, n);

    s->done += got;
    if (s->stored->has_crc)
        s->crc = fsd_stream_crc(s->crc, out, got);
    fsd_file_release_behind(s->stored->file, (size_t)(s->in - s->stored->file->bytes),
                            &s->released);
    return got;
}

bool fsd_stream_whole(struct fsd_stream *s)
{
    unsigned char more;

    if (s->stored->packing == FSD_DEFLATED && !s->ended &&
        fsd_stream_read(s, &more, 1)) /* at the end of the data, this makes zlib read
                                         the end marker */
        return false;
    if (s->stored->packing == FSD_DEFLATED && !s->ended)
        return false;
    return s->done == s->stored->size &&
           (!s->stored->has_crc || s->crc == s->stored->crc);
}

void fsd_stream_close(struct fsd_stream *s)
{
    if (s && s->stored->packing == FSD_DEFLATED)
        inflateEnd(&s->z);
    free(s);
}
