/*
 * Stretches of bytes that become a file.  Those that stand behind one another in memory
 * are one, so that a file without edits is one piece.
 */
#include "onnx/pieces.h"

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

static size_t put_varint(char *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (char)(value | 0x80);
    out[n++] = (char)value;
    return n;
}

static void put_header(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                       unsigned wire, uint64_t value)
{
    char *bytes = FSD_NEW(arena, char, 20);
    size_t n = put_varint(bytes, (uint64_t)number << 3 | wire);

    keep(arena, to, (struct fsd_slice){bytes, n + put_varint(bytes + n, value)});
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

struct fsd_slice fsd_onnx_block(struct fsd_slice message, uint32_t number)
{
    struct fsd_slice found = {NULL, 0};
    struct fsd_wire_block block;

    while (fsd_wire_take(&message, &block))
        if (block.number == number)
            found = block.bytes;
    return found;
}
