/*
 * The bytes of protobuf messages, which only src/model/onnx/wire.c parses.
 *
 * The filter before protobuf-c makes a short copy of a message, without the fields that
 * are not read.
 *
 *     file    [tag len [tag len raw_data: 300 MB ..........] [tag name] ...]
 *     copy    [tag len [tag name] [tag 19009: 314572800] ...]
 *
 * Fields that the descriptors do not know are dropped.  A payload (a `bytes` field, or
 * a repeated number) of more than FSD_WIRE_PAYLOAD bytes is dropped, too, and its pages
 * are never read.  A field whose number is FSD_WIRE_RECORD plus the number of the
 * payload's field records the size in bytes, so that "not read" and "empty" differ.
 * protobuf-c keeps this record as an unknown field.
 *
 * The copy is equivalent to the original: a message in parts is joined, a member of a
 * oneof that a later one replaces is dropped, numbers are written in their shortest
 * form.  Depth, counts and lengths are checked, so that parsing the copy can only fail
 * for lack of memory.
 */
#pragma once

#include "base/base.h"

#include <protobuf-c/protobuf-c.h>

enum {
    FSD_WIRE_RECORD = 19000, /* protobuf reserves 19000 to 19999 */
    FSD_WIRE_PAYLOAD = 4096,
    FSD_WIRE_DEPTH = 101, /* levels of messages, each of which takes stack; builders use
                             protobuf's own readers, which have the same limit */
    FSD_WIRE_NAME = 1 << 16,           /* bytes in one string */
    FSD_WIRE_FIELDS = 16 << 20,        /* fields kept */
    FSD_WIRE_MESSAGES = 4 << 20,       /* messages kept; parsed, each takes 200 bytes */
    FSD_WIRE_WEIGHT = 16,              /* bytes after parsing, per byte of the file */
    FSD_WIRE_FREE = 1 << 20,           /* bytes added to the size of a file for these
                                    limits */
    FSD_WIRE_KEPT = 256 * 1024 * 1024, /* bytes kept */
    FSD_WIRE_VARINT = 10               /* bytes of a number */
};

struct fsd_wire {
    unsigned char *bytes;
    size_t size;
    uint64_t of_nodes, of_tensors; /**< bit n is set if a NodeProto, or a TensorProto,
                                        has a field with number n that its descriptor
                                        lacks; n < 64 */
};

/** Copies the file, a message of type `desc`, into memory of the arena.
 *  @return FSD_OK; FSD_E_FORMAT with the offset where the bytes are not such a message
 *          (groups, which protobuf has abandoned, are refused); FSD_E_LIMIT for too
 *          many fields or too deep nesting */
enum fsd_status fsd_wire_filter(struct fsd_wire *out, struct fsd_arena *arena,
                                const struct fsd_file *file,
                                const ProtobufCMessageDescriptor *desc,
                                struct fsd_error *err);

/** A length-delimited field; numbers are skipped. */
struct fsd_wire_block {
    uint32_t number;
    const char *start; /* where its tag begins */
    struct fsd_slice bytes;
};

/** Takes the next block off the front of a message, without examining its content;
 *  skips numbers.  False after the last block, or if the bytes are not a message. */
bool fsd_wire_take(struct fsd_slice *message, struct fsd_wire_block *out);

/** Likewise for a message of a file that may be sparse. */
bool fsd_wire_take_of(const struct fsd_file *file, struct fsd_slice *message,
                      struct fsd_wire_block *out);

/** Reads these bytes of the file, which may be sparse, for direct access. */
struct fsd_slice fsd_wire_read(const struct fsd_file *file, struct fsd_slice bytes);

/** The bytes of the last block with this number in a message; {NULL, 0} if there is
 *  none. */
struct fsd_slice fsd_onnx_block(struct fsd_slice message, uint32_t number);

/** Whether the domain is that of ONNX's own operators, in either spelling. */
static inline bool fsd_onnx_is_standard(struct fsd_slice domain)
{
    return !domain.n || fsd_slice_is(domain, "ai.onnx");
}

static inline bool fsd_onnx_is_same_domain(struct fsd_slice a, struct fsd_slice b)
{
    return fsd_slice_equal(a, b) ||
           (fsd_onnx_is_standard(a) && fsd_onnx_is_standard(b));
}

/** A walk over a file, which releases pages so that a large file does not stay in
 *  memory. */
struct fsd_wire_walk {
    const struct fsd_file *file;
    size_t released; /* bytes of its mapping released so far; initially 0 */
};

/** Likewise for a message of the walk's file; releases the bytes before the block. */
bool fsd_wire_walk(struct fsd_wire_walk *walk, struct fsd_slice *message,
                   struct fsd_wire_block *out);

/** Writes a number, at most FSD_WIRE_VARINT bytes.  The head of a block consists of at
 *  most two numbers.
 *  @return the number of bytes written */
size_t fsd_wire_put(char *out, uint64_t value);
size_t fsd_wire_put_head(char *out, uint32_t number, size_t n);

/** The number of a message's field, which must exist. */
uint32_t fsd_wire_number(const ProtobufCMessageDescriptor *message, const char *field);

/** The number of bytes dropped from the field with this number; 0 if it was kept (it
 *  may be absent or empty).  If it is not 0, the content of the field is a fragment.
 *  Strings count with their tags and lengths. */
uint64_t fsd_wire_dropped(const ProtobufCMessage *message, uint32_t number);
