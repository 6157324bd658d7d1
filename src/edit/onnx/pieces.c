/*
 * Collects and writes ranges of bytes that become a file. Ranges that are adjacent in
 * memory are merged, so a file without edits is a single piece.
 */
#include "edit/onnx/pieces.h"
#include "base/base.h"
#include "model/graph/half.h"

enum { VARINT = 0, BLOCK = 2 };

static void keep_piece(struct fsd_arena *arena, struct fsd_pieces *to,
                       struct fsd_piece piece)
{
    struct fsd_piece *last = to->list.n ? &to->list.at[to->list.n - 1] : NULL;

    to->size += piece.to ? piece.bytes.n / 2 : piece.bytes.n;
    if (last && last->bytes.s + last->bytes.n == piece.bytes.s && last->to == piece.to)
        last->bytes.n += piece.bytes.n;
    else if (piece.bytes.n)
        fsd_vec_push(arena, &to->list, piece);
}

static void keep(struct fsd_arena *arena, struct fsd_pieces *to, struct fsd_slice bytes)
{
    keep_piece(arena, to, (struct fsd_piece){bytes, FSD_NARROW_NOT});
}

static void put_header(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                       unsigned wire, uint64_t value)
{
    char *bytes = FSD_NEW(arena, char, (size_t)2 * FSD_WIRE_VARINT);
    size_t n = fsd_wire_put(bytes, (uint64_t)number << 3 | wire);

    keep(arena, to, (struct fsd_slice){bytes, n + fsd_wire_put(bytes + n, value)});
}

void fsd_pieces_number(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                       uint64_t value)
{
    put_header(arena, to, number, VARINT, value);
}

void fsd_pieces_block(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                      struct fsd_slice bytes)
{
    put_header(arena, to, number, BLOCK, bytes.n);
    keep(arena, to, bytes);
}

void fsd_pieces_narrowed(struct fsd_arena *arena, struct fsd_pieces *to,
                         uint32_t number, struct fsd_slice bytes,
                         enum fsd_narrowing narrowing)
{
    put_header(arena, to, number, BLOCK, bytes.n / 2);
    keep_piece(arena, to, (struct fsd_piece){bytes, narrowing});
}

void fsd_pieces_message(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                        const struct fsd_pieces *inner)
{
    put_header(arena, to, number, BLOCK, inner->size);
    for (uint32_t i = 0; i < inner->list.n; i++)
        keep_piece(arena, to, inner->list.at[i]);
}

void fsd_pieces_until(struct fsd_arena *arena, struct fsd_pieces *to, const char **from,
                      const struct fsd_wire_block *block)
{
    keep(arena, to, (struct fsd_slice){*from, (size_t)(block->start - *from)});
    *from = block->bytes.s + block->bytes.n;
}

void fsd_pieces_rest(struct fsd_arena *arena, struct fsd_pieces *to, const char *from,
                     struct fsd_slice message)
{
    keep(arena, to, (struct fsd_slice){from, (size_t)(message.s + message.n - from)});
}

/* ------------------------------------------------------------------------- writing */

/* Writes little-endian FP32 numbers as FP16 or BF16 numbers. */
static bool write_narrowed(struct fsd_slice floats, enum fsd_narrowing to, FILE *out)
{
    unsigned char bytes[1 << 12];

    for (size_t at = 0, n; at < floats.n; at += 2 * n) {
        n = floats.n - at < 2 * sizeof bytes ? (floats.n - at) / 2 : sizeof bytes;
        for (size_t i = 0; i < n; i += 2) {
            const unsigned char *from = (const unsigned char *)floats.s + at + 2 * i;
            uint32_t bits = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                            (uint32_t)from[3] << 24;
            uint16_t narrow;
            float value;

            memcpy(&value, &bits, sizeof value);
            narrow = to == FSD_NARROW_FP16 ? fsd_half_of(value) : fsd_brain_of(value);
            bytes[i] = (unsigned char)narrow;
            bytes[i + 1] = (unsigned char)(narrow >> 8);
        }
        if (fwrite(bytes, 1, n, out) != n)
            return false;
    }
    return true;
}

static bool write_piece(struct fsd_piece whole, const struct fsd_file *mapping,
                        size_t *released, FILE *out)
{
    enum { PART = 1 << 20 };
    struct fsd_slice piece = whole.bytes;

    if (mapping && !whole.to && piece.n >= PART)
        piece = fsd_slice_from(
            piece,
            fsd_file_copy(mapping, (size_t)(piece.s - (const char *)mapping->bytes),
                          piece.n, out));
    while (piece.n) {
        size_t n = piece.n < PART ? piece.n : PART;

        if (whole.to ? !write_narrowed((struct fsd_slice){piece.s, n}, whole.to, out)
                     : fwrite(piece.s, 1, n, out) != n)
            return false;
        piece = fsd_slice_from(piece, n);
        if (mapping)
            fsd_file_release_behind(
                mapping, (size_t)(piece.s - (const char *)mapping->bytes), released);
    }
    return true;
}

enum fsd_status fsd_pieces_write(const struct fsd_pieces *all,
                                 const struct fsd_file *file, fsd_mapping_fn *mapping,
                                 void *payload, FILE *out, struct fsd_error *err)
{
    if (all->size > INT32_MAX && file->size <= INT32_MAX)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected an edited model of at most 2147483647 bytes "
                        "(protobuf's limit), found a larger one");
    for (uint32_t i = 0; i < all->list.n; i++) {
        struct fsd_piece piece = all->list.at[i];
        size_t *released = NULL;
        const struct fsd_file *of = mapping(payload, piece.bytes.s, &released);

        if (!write_piece(piece, of, released, out))
            return FSD_E_WRITE;
    }
    return fsd_flush(out, err);
}
