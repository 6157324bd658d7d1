/* A file in preparation, as a list of borrowed ranges of bytes: ranges of a mapping, or
 * new bytes. A message that encloses ranges needs new bytes only for its header. Only
 * src/edit/onnx includes this. */
#pragma once

#include "base/base.h"
#include "model/onnx/wire.h"

/** How bytes are written: unchanged, or converted from FP32 to FP16 or BF16. */
enum fsd_narrowing { FSD_NARROW_NOT, FSD_NARROW_FP16, FSD_NARROW_BF16 };

struct fsd_piece {
    struct fsd_slice bytes;
    enum fsd_narrowing to;
};

/** The pieces of a file, in order; a zeroed struct is an empty list. */
struct fsd_pieces {
    FSD_VEC(struct fsd_piece) list;
    uint64_t size; /* size of the written file in bytes */
};

/** Appends a field with this number. Its content is the borrowed bytes or, for
 *  fsd_pieces_message(), the pieces of `inner`. */
void fsd_pieces_block(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                      struct fsd_slice bytes);
void fsd_pieces_message(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                        const struct fsd_pieces *inner);

/** Appends a field with this number. Its content is the FP32 numbers in `bytes`,
 *  converted to FP16 or BF16. */
void fsd_pieces_narrowed(struct fsd_arena *arena, struct fsd_pieces *to,
                         uint32_t number, struct fsd_slice bytes,
                         enum fsd_narrowing narrowing);

/** Appends a field with this number. Its content is `value` as a varint. */
void fsd_pieces_number(struct fsd_arena *arena, struct fsd_pieces *to, uint32_t number,
                       uint64_t value);

/** Appends the bytes between *from and the start of the block, and sets *from to the
 *  end of the block. */
void fsd_pieces_until(struct fsd_arena *arena, struct fsd_pieces *to, const char **from,
                      const struct fsd_wire_block *block);

/** Appends the bytes from `from` to the end of the message. */
void fsd_pieces_rest(struct fsd_arena *arena, struct fsd_pieces *to, const char *from,
                     struct fsd_slice message);

/** Returns the mapping that contains the byte at `at`; NULL if none does.
 *  @param released set to the address of a number of the mapping: an offset in bytes.
 *          The pages of the mapping before this offset were released */
typedef const struct fsd_file *fsd_mapping_fn(void *payload, const char *at,
                                              size_t **released);

/** Writes the pieces of a model. Releases pages of mappings after these pages were
 *  written, so that a mapping of 2 GB does not stay in memory.
 *  @param file the file of the model
 *  @return FSD_E_LIMIT if the result is larger than 2 GiB but the model is not; nothing
 *          is written then.  FSD_E_WRITE if the output cannot be written */
enum fsd_status fsd_pieces_write(const struct fsd_pieces *all,
                                 const struct fsd_file *file, fsd_mapping_fn *mapping,
                                 void *payload, FILE *out, struct fsd_error *err);
