/*
 * The bytes of protobuf messages, which only src/model/onnx/wire.c parses.
 *
 * The filter before protobuf-c: a short copy of a message, without what is not read.
 *
 *     file    [tag len [tag len raw_data: 300 MB ..........] [tag name] ...]
 *     copy    [tag len [tag name] [tag 19009: 314572800] ...]
 *
 * Fields that the descriptors do not know are dropped.  A payload (each `bytes` field
 * and each repeated number) of more than FSD_WIRE_PAYLOAD bytes is dropped too, its
 * pages never read; a field of number FSD_WIRE_RECORD + its own records how many bytes
 * it had, so that "not read" and "empty" differ.  protobuf-c keeps that as an unknown
 * field.
 *
 * The copy is equivalent to the original: a message in parts is joined, a member of a
 * oneof that a later one replaces is dropped, numbers are written in their shortest
 * form.  Depth, counts and lengths are checked, so that parsing it can only fail for
 * lack of memory.
 */
#ifndef FSD_ONNX_WIRE_H
#define FSD_ONNX_WIRE_H

#include "base/base.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

enum {
    FSD_WIRE_RECORD = 19000, /* protobuf reserves 19000 to 19999 */
    FSD_WIRE_PAYLOAD = 4096,
    FSD_WIRE_DEPTH = 101, /* levels of messages; protobuf's own readers, the builders'
                             too, stop here, and each takes stack */
    FSD_WIRE_NAME = 1 << 16,     /* bytes in one string */
    FSD_WIRE_FIELDS = 16 << 20,  /* fields kept */
    FSD_WIRE_MESSAGES = 4 << 20, /* messages kept; parsed, each takes 200 bytes */
    FSD_WIRE_WEIGHT = 16,        /* bytes after parsing, for each byte of the file */
    FSD_WIRE_FREE = 1 << 20,     /* bytes of a small file that are added to its own */
    FSD_WIRE_KEPT = 256 * 1024 * 1024, /* bytes kept */
    FSD_WIRE_VARINT = 10               /* bytes of a number */
};

struct fsd_wire {
    unsigned char *bytes;
    size_t size;
    uint64_t skipped; /**< bits, by number: fields below 64 that no descriptor knows */
};

/** Copies the file, a message of type `desc`, into memory of the arena.
 *  @return FSD_E_FORMAT with the byte for what is not such a message (groups, which
 *          protobuf gave up, are refused), FSD_E_LIMIT for too many or too deep. */
enum fsd_status fsd_wire_filter(struct fsd_wire *out, struct fsd_arena *arena,
                                const struct fsd_file *file,
                                const ProtobufCMessageDescriptor *desc,
                                struct fsd_error *err);

/** A length-delimited field; numbers are skipped. */
struct fsd_wire_block {
    uint32_t number;
    const char *start; /* of its tag */
    struct fsd_slice bytes;
};

/** Takes the next block off the front of a message, without looking into it; numbers
 *  are stepped over.  False behind the last, or where the bytes are no message. */
bool fsd_wire_take(struct fsd_slice *message, struct fsd_wire_block *out);

/** The same of a message of a file that may be sparse. */
bool fsd_wire_take_of(const struct fsd_file *file, struct fsd_slice *message,
                      struct fsd_wire_block *out);

/** What of the file is to be looked at itself: it may be sparse. */
struct fsd_slice fsd_wire_read(const struct fsd_file *file, struct fsd_slice bytes);

/** The bytes of the last block of that number in a message; {NULL, 0} without one. */
struct fsd_slice fsd_onnx_block(struct fsd_slice message, uint32_t number);

/** The domain of ONNX's own operators, which may be spelt or not. */
static inline bool fsd_onnx_is_standard(struct fsd_slice domain)
{
    return !domain.n || fsd_slice_is(domain, "ai.onnx");
}

static inline bool fsd_onnx_is_same_domain(struct fsd_slice a, struct fsd_slice b)
{
    return fsd_slice_equal(a, b) ||
           (fsd_onnx_is_standard(a) && fsd_onnx_is_standard(b));
}

/** A walk over a file: a large one shall not stay in memory behind it. */
struct fsd_wire_walk {
    const struct fsd_file *file;
    size_t released; /* of its mapping; 0 at first */
};

/** The same of a message of the walk's file, whose bytes before the block are given
 *  back. */
bool fsd_wire_walk(struct fsd_wire_walk *walk, struct fsd_slice *message,
                   struct fsd_wire_block *out);

/** Puts a number, at most FSD_WIRE_VARINT bytes, or the head of a block of n bytes, at
 *  most two of them.
 *  @return how many it put. */
size_t fsd_wire_put(char *out, uint64_t value);
size_t fsd_wire_put_head(char *out, uint32_t number, size_t n);

/** The number of a message's field, which it has. */
uint32_t fsd_wire_number(const ProtobufCMessageDescriptor *message, const char *field);

/** The bytes that were dropped of the field of that number; 0 when it was kept, in
 * which case it may be absent or empty.  Where this is not 0, what the field holds is a
 *  fragment.  Strings count with their tags and lengths. */
uint64_t fsd_wire_dropped(const ProtobufCMessage *message, uint32_t number);

#endif
