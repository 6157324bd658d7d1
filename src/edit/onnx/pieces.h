/* A file under way, as a list of stretches of bytes that others hold: of a mapping, or
 * new ones.  Putting a message around some costs its header, whatever it holds.  Only
 * src/edit/onnx includes this. */
#ifndef FSD_ONNX_PIECES_H
#define FSD_ONNX_PIECES_H

#include "base/base.h"
#include "model/onnx/wire.h"

/** Bytes as they are, or FP32 numbers that are written in 16 bits each. */
enum fsd_narrowing { FSD_NARROW_NOT, FSD_NARROW_FP16, FSD_NARROW_BF16 };

struct fsd_piece {
    struct fsd_slice bytes;
    enum fsd_narrowing to;
};

/** Empty when zero. */
struct fsd_pieces {
    FSD_VEC(struct fsd_piece) list;
    uint64_t size; /* in the file that is written */
};

/** Appends a field of that number: a block of these bytes, which are borrowed, or of
 *  what was collected. */
void fsd_pieces_block(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                      struct fsd_slice bytes);
void fsd_pieces_message(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                        const struct fsd_pieces *inner);

/** Appends a field of that number: a block of these numbers, FP32, narrowed. */
void fsd_pieces_narrowed(struct fsd_arena *arena, struct fsd_pieces *to,
                         uint32_t number, struct fsd_slice bytes,
                         enum fsd_narrowing narrowing);

/** Appends a field of that number: a varint. */
void fsd_pieces_number(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                       uint64_t value);

/** Appends what stands between `from` and the block; `from` goes behind the block. */
void fsd_pieces_until(struct fsd_arena *arena, struct fsd_pieces *to, const char **from,
                      const struct fsd_wire_block *block);

/** Appends what stands between `from` and the message's end. */
void fsd_pieces_rest(struct fsd_arena *arena, struct fsd_pieces *to, const char *from,
                     struct fsd_slice message);

/** Which mapping bytes are of, and how far it was given back; NULL: none. */
typedef const struct fsd_file *fsd_mapping_fn(void *payload, const char *at,
                                              size_t **released);

/** Writes the pieces that a model has become, and gives back the pages of mappings
 *  behind them: a mapping of 2 GB shall not stay in memory.
 *  @param file  the model.
 *  @return before anything is written FSD_E_LIMIT for more than 2 GiB, unless the model
 *          is larger, too; FSD_E_WRITE. */
enum fsd_status fsd_pieces_write(const struct fsd_pieces *all,
                                 const struct fsd_file *file, fsd_mapping_fn *mapping,
                                 void *payload, FILE *out, struct fsd_error *err);

#endif
