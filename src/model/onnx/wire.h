/*
 * Functions that read the bytes of protobuf messages directly.
 *
 * Before protobuf-c parses a message, the filter makes a short copy of it, without the
 * fields that the program does not read.
 *
 *     file    [tag len [tag len raw_data: 300 MB ..........] [tag name] ...]
 *     copy    [tag len [tag name] [tag 19009: 314572800] ...]
 *
 * Fields that the descriptors do not know are dropped.  A payload (a `bytes` field, or
 * a repeated number) of more than FSD_WIRE_PAYLOAD bytes is dropped, too, and its pages
 * are not read.  To distinguish "not read" from "empty", the copy has a record: the
 * size of the payload in bytes.  The number of the record's field is FSD_WIRE_RECORD
 * plus the number of the payload's field. protobuf-c keeps the record as an unknown
 * field.
 *
 * The copy is equivalent to the original.  The filter joins the parts of a message,
 * drops a member of a oneof that a later member replaces, and writes numbers in their
 * shortest form.  It checks depth, counts and lengths, so that parsing the copy can
 * only fail for lack of memory.
 */
#pragma once

#include "base/base.h"

#include <protobuf-c/protobuf-c.h>

enum {
    FSD_WIRE_RECORD = 19000, /* protobuf reserves 19000 to 19999 */
    FSD_WIRE_PAYLOAD = 4096,
    FSD_WIRE_DEPTH = 101,    /* the maximum number of levels of nested messages, because
                                each takes stack; protobuf's own readers, which builders
                                use, have the same limit */
    FSD_WIRE_NAME = 1 << 16, /* the maximum number of bytes of one string */
    FSD_WIRE_FIELDS = 16 << 20,        /* the maximum number of fields that the copy
                                          keeps */
    FSD_WIRE_MESSAGES = 4 << 20,       /* the maximum number of messages that the copy
                                          keeps; each takes 200 bytes after parsing */
    FSD_WIRE_WEIGHT = 16,              /* the maximum number of bytes of memory that the
                                          parsed model takes, per byte of the file */
    FSD_WIRE_FREE = 1 << 20,           /* a number of bytes that is added to the size of
                                          the file before the limit FSD_WIRE_WEIGHT is
                                          applied */
    FSD_WIRE_KEPT = 256 * 1024 * 1024, /* the maximum number of bytes of the copy */
    FSD_WIRE_VARINT = 10               /* the maximum number of bytes of a varint */
};

struct fsd_wire {
    unsigned char *bytes;
    size_t size;
    uint64_t of_nodes, of_tensors; /**< bit n is set if a NodeProto (of_nodes) or a
                                        TensorProto (of_tensors) has a field with the
                                        number n that its descriptor lacks; n < 64 */
};

/** Filters the file, which is a message of type `desc`.  The copy is in the arena.
 *  @return FSD_OK; FSD_E_FORMAT if the bytes are not such a message, or if they contain
 *          a group, which protobuf has abandoned; FSD_E_LIMIT if the message exceeds
 *          one of the limits above.  After a failure, `err` states the offset. */
enum fsd_status fsd_wire_filter(struct fsd_wire *out, struct fsd_arena *arena,
                                const struct fsd_file *file,
                                const ProtobufCMessageDescriptor *desc,
                                struct fsd_error *err);

/** A length-delimited field of a message. */
struct fsd_wire_block {
    uint32_t number;
    const char *start; /* the beginning of its tag */
    struct fsd_slice bytes;
};

/** Removes the next length-delimited field from the front of a message, and skips
 *  numbers before it.  Does not examine the content of the field.  Returns false after
 *  the last such field, or if the bytes are not a message. */
bool fsd_wire_take(struct fsd_slice *message, struct fsd_wire_block *out);

/** Works like fsd_wire_take(), for a message in `file`.  If fsd_file_open_sparse()
 * opened the file, this function first reads the bytes that it needs. */
bool fsd_wire_take_of(const struct fsd_file *file, struct fsd_slice *message,
                      struct fsd_wire_block *out);

/** Returns `bytes`, a part of the file.  If fsd_file_open_sparse() opened the file,
 * this function first reads them, so that the caller can access them directly. */
struct fsd_slice fsd_wire_read(const struct fsd_file *file, struct fsd_slice bytes);

/** Returns the bytes of the last length-delimited field with this number in a message;
 *  {NULL, 0} if there is none. */
struct fsd_slice fsd_onnx_block(struct fsd_slice message, uint32_t number);

/** Whether the domain is ONNX's own, "" or "ai.onnx". */
static inline bool fsd_onnx_is_standard(struct fsd_slice domain)
{
    return !domain.n || fsd_slice_is(domain, "ai.onnx");
}

static inline bool fsd_onnx_is_same_domain(struct fsd_slice a, struct fsd_slice b)
{
    return fsd_slice_equal(a, b) ||
           (fsd_onnx_is_standard(a) && fsd_onnx_is_standard(b));
}

/** A walk over the bytes of a file.  It releases pages behind it, so that a large file
 *  does not stay in memory. */
struct fsd_wire_walk {
    const struct fsd_file *file;
    size_t released; /* the number of bytes released so far; initially 0 */
};

/** Works like fsd_wire_take(), for a message in the file of the walk.  Releases the
 * bytes before the field. */
bool fsd_wire_walk(struct fsd_wire_walk *walk, struct fsd_slice *message,
                   struct fsd_wire_block *out);

/** fsd_wire_put() writes a number as a varint, of at most FSD_WIRE_VARINT bytes.
 *  fsd_wire_put_head() writes the head of a length-delimited field, which is two
 *  varints.
 *  @return the number of bytes written */
size_t fsd_wire_put(char *out, uint64_t value);
size_t fsd_wire_put_head(char *out, uint32_t number, size_t n);

/** Returns the number of the field with this name.  The message type must have the
 * field. */
uint32_t fsd_wire_number(const ProtobufCMessageDescriptor *message, const char *field);

/** If the filter dropped a field or a part of it, returns the size in bytes that the
 *  whole field has in the file.  Returns 0 if the filter kept the whole field, or if
 *  the message has no field with this number.  The size of a list of strings includes
 *  their tags and lengths. */
uint64_t fsd_wire_dropped(const ProtobufCMessage *message, uint32_t number);
