/*
 * Filters the bytes of a model before protobuf-c parses them.  Without the filter:
 *
 *   - protobuf-c copies every byte, weights included.
 *   - It recurses as deep as messages are nested.  A file of 30 kB can exhaust the
 *     stack.
 *   - It allocates as much memory as the counts in the file demand.
 *   - It returns strings without their length.
 *   - It drops the unknown fields of a message that is split into parts.  The program
 *     needs unknown fields, because the filter records dropped payloads in them.
 *
 * The hash of the filtered bytes identifies the model, so equal models must give equal
 * bytes.
 *
 * The filter walks over the bytes once, with one function call for each level of nested
 * messages.  Protobuf allows a writer to split a message into parts, so a message is a
 * list of pieces:
 *
 *     AttributeProto  [name "t"] [t: dims 2] [type TENSOR] [t: dims 3]
 *     pieces of t                 `--- 1 ---'               `--- 2 ---'
 *
 * This is one tensor with the dims 2 and 3.  While the filter walks over a message, it
 * therefore collects the pieces of a field that is not repeated, and writes them at the
 * end of the message.  It writes repeated fields at once.  The pieces of all open
 * messages share one stack.
 */
#include "model/onnx/wire.h"
#include "base/base.h"

#include <assert.h>
#include <onnx.pb-c.h>

enum {
    MOST_FIELDS = 16,    /* the maximum number of fields of a message type in
                            proto/onnx.proto */
    MOST_PIECES = 64,    /* the maximum number of pieces of fields that are not
                            repeated, in one message */
    LENGTH_ROOM = 5,     /* bytes reserved for a length, which is a padded varint */
    HEAD = 20,           /* the maximum number of bytes that a field's number and length
                            take */
    SLACK = 64,          /* added to the first capacity of `out` for a small file */
    FIRST_ROOM = 1 << 20 /* the first capacity of `out` in bytes for a large file;
                            untouched pages take no memory */
};

enum wire { VARINT = 0, FIXED64 = 1, BLOCK = 2, GROUP = 3, END_GROUP = 4, FIXED32 = 5 };

typedef const ProtobufCMessageDescriptor desc_t;
typedef const ProtobufCFieldDescriptor field_t;

struct piece {
    uint32_t number; /* the field's number; 0 if a later member of the oneof replaced
                        the field */
    size_t begin, end;
};

struct scan {
    const struct fsd_file *file;
    struct fsd_arena *arena;
    struct fsd_error *err;
    enum fsd_status status;
    unsigned char *out;
    size_t n, cap; /* the numbers of bytes written to `out` and allocated for it */
    FSD_VEC(struct piece) pieces;
    uint32_t fields, messages;
    uint64_t weight;               /* the memory in bytes that protobuf-c needs for the
                                      kept fields */
    size_t released;               /* the offset in the file before which all pages were
                                      released */
    uint64_t of_nodes, of_tensors; /* see struct fsd_wire */
};

/* A message that is being walked. */
struct level {
    desc_t *desc;
    unsigned depth;
    uint32_t base;               /* the index of its first piece */
    size_t pos, end;             /* the position in the current part of the message, and
                                    the end of that part */
    size_t field;                /* the offset of the current field */
    uint64_t total[MOST_FIELDS]; /* indexed by field: the number of payload bytes so
                                    far */
};

static bool fail(struct scan *s, enum fsd_status status, const struct level *level,
                 size_t pos, const char *what)
{
    s->status = fsd_fail(s->err, status, s->file->name, FSD_POS_BYTE, pos,
                         "the ONNX model is not readable: in %s, %s",
                         level->desc->short_name, what);
    return false;
}

/* -------------------------------------------------------------------- writing */

static bool reserve(struct scan *s, const struct level *level, size_t n)
{
    size_t old = s->cap;

    if (n <= s->cap - s->n)
        return true;
    if (s->n + n > FSD_WIRE_KEPT)
        return fail(s, FSD_E_LIMIT, level, level->pos,
                    "expected at most 256 MiB of data besides the weights, found more");
    if (!s->cap) /* The output of a small file may be longer than the file: it keeps
                    most fields, and has padded lengths */
        s->cap = s->file->size < FIRST_ROOM ? s->file->size + s->file->size / 8 + SLACK
                                            : FIRST_ROOM;
    while (s->cap < s->n + n)
        s->cap *= 2;
    s->out = fsd_arena_grow(s->arena, s->out, old, s->cap);
    return true;
}

size_t fsd_wire_put(char *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (char)(value | 0x80);
    out[n++] = (char)value;
    return n;
}

/* Writes a varint.  The caller must have reserved space in the output. */
static void put_varint(struct scan *s, uint64_t value)
{
    s->n += fsd_wire_put((char *)s->out + s->n, value);
}

static bool put_tag(struct scan *s, const struct level *level, uint32_t number,
                    enum wire wire)
{
    if (++s->fields > FSD_WIRE_FIELDS)
        return fail(s, FSD_E_LIMIT, level, level->pos,
                    "expected at most 16777216 fields, found more");
    if (!reserve(s, level, 32))
        return false;
    put_varint(s, (uint64_t)number << 3 | (unsigned)wire);
    return true;
}

/* Counts a block of n bytes that protobuf-c will allocate, with 32 more bytes for
 * malloc()'s header and for a pointer to the block.  Fails above the limit
 * of FSD_WIRE_WEIGHT times (file size + FSD_WIRE_FREE). */
static bool weigh(struct scan *s, const struct level *level, size_t n)
{
    s->weight += n + 32;
    if (s->weight / FSD_WIRE_WEIGHT <= s->file->size + FSD_WIRE_FREE)
        return true;
    return fail(s, FSD_E_LIMIT, level, level->pos,
                "expected fewer empty messages in a file of this size, found too many");
}

/* Begins a block whose length is not known yet.  Returns the position of its content;
 * put_length_at() closes the block. */
static size_t open_length(struct scan *s)
{
    s->n += LENGTH_ROOM;
    return s->n;
}

static void put_length_at(struct scan *s, size_t start)
{
    size_t length = s->n - start;
    unsigned char *p = s->out + start - LENGTH_ROOM;

    for (int i = 0; i < LENGTH_ROOM; i++, length >>= 7)
        p[i] = (unsigned char)((length & 0x7f) | (i < LENGTH_ROOM - 1 ? 0x80 : 0));
}

/* -------------------------------------------------------------------- reading */

/* Reads a varint: seven bits per byte, the lowest first.  Moves `*pos` behind the bytes
 * that were read, even if the varint is incomplete. */
static inline bool take_varint(const unsigned char *bytes, size_t *pos, size_t end,
                               uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 10 && *pos < end; i++) {
        unsigned char c = bytes[(*pos)++];

        *value |= (uint64_t)(c & 0x7f) << 7 * i;
        if (c < 0x80)
            return true;
    }
    return false;
}

static bool get_varint(struct scan *s, struct level *level, uint64_t *value)
{
    size_t start = level->pos;

    if (take_varint(s->file->bytes, &level->pos, level->end, value))
        return true;
    return fail(s, FSD_E_FORMAT, level, start,
                level->pos - start < 10
                    ? "expected a number, found the message's end"
                    : "expected a number of at most 10 bytes, found more");
}

static bool skip(struct scan *s, struct level *level, uint64_t n)
{
    if (n > level->end - level->pos)
        return fail(s, FSD_E_FORMAT, level, level->pos,
                    "expected a field that fits in the rest of its message, found a "
                    "longer field");
    level->pos += (size_t)n;
    return true;
}

/* Skips a block.  Its bytes are then those from `*begin` to `level->pos` - 1. */
static bool get_block(struct scan *s, struct level *level, size_t *begin)
{
    uint64_t length;

    if (!get_varint(s, level, &length))
        return false;
    *begin = level->pos;
    return skip(s, level, length);
}

/* ------------------------------------------------------------- kinds of fields */

static enum wire wire_of(field_t *field)
{
    switch ((int)field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return FIXED32;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return FIXED64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return BLOCK;
    default:
        return VARINT;
    }
}

static bool is_repeated(field_t *field)
{
    return field->label == PROTOBUF_C_LABEL_REPEATED;
}

/* Adds n bytes to the payload of a field.  Returns true if the payload is still small
 * enough to keep.  For a field that is not repeated, only the last payload counts. */
static bool keeps(struct level *level, field_t *field, uint64_t n)
{
    uint64_t *total = &level->total[field - level->desc->fields];

    *total = is_repeated(field) ? *total + n : n;
    return *total <= FSD_WIRE_PAYLOAD;
}

/* -------------------------------------------------------------------- payloads */

static bool put_bytes(struct scan *s, struct level *level, field_t *field, size_t begin)
{
    size_t n = level->pos - begin;

    if (!put_tag(s, level, field->id, BLOCK) || !reserve(s, level, n + 10) ||
        !weigh(s, level, n))
        return false;
    put_varint(s, n);
    if (n)
        memcpy(s->out + s->n, fsd_file_at(s->file, begin, n), n);
    s->n += n;
    return true;
}

static bool copy_bytes(struct scan *s, struct level *level, field_t *field)
{
    size_t begin;

    if (!get_block(s, level, &begin))
        return false;
    if (!keeps(level, field, level->pos - (is_repeated(field) ? level->field : begin)))
        return true;
    return put_bytes(s, level, field, begin);
}

static bool copy_packed(struct scan *s, struct level *level, field_t *field)
{
    enum wire wire = wire_of(field);
    struct level inside = *level;
    size_t begin, n, start;
    uint64_t value;

    if (!get_block(s, level, &begin))
        return false;
    n = level->pos - begin;
    if ((wire == FIXED32 && n % 4) || (wire == FIXED64 && n % 8))
        return fail(s, FSD_E_FORMAT, level, begin,
                    "expected a packed field of complete numbers, found an incomplete "
                    "number at its end");
    if (!keeps(level, field, n) || !n)
        return true;
    if (wire != VARINT)
        return put_bytes(s, level, field, begin);
    /* Checks each packed varint, so that protobuf-c finds no damaged varint. */
    fsd_file_at(s->file, begin, n);
    inside.pos = begin;
    inside.end = level->pos;
    if (!put_tag(s, level, field->id, BLOCK) || !reserve(s, level, n + LENGTH_ROOM))
        return false;
    start = open_length(s);
    while (inside.pos < inside.end) {
        if (!get_varint(s, &inside, &value))
            return false;
        put_varint(s, value);
    }
    put_length_at(s, start);
    return true;
}

static bool copy_number(struct scan *s, struct level *level, field_t *field)
{
    enum wire wire = wire_of(field);
    size_t begin = level->pos, n;
    uint64_t value = 0;

    if (wire == VARINT ? !get_varint(s, level, &value)
                       : !skip(s, level, wire == FIXED32 ? 4 : 8))
        return false;
    n = level->pos - begin;
    if (is_repeated(field) && !keeps(level, field, n))
        return true;
    if (!put_tag(s, level, field->id, wire))
        return false;
    if (wire == VARINT) {
        put_varint(s, value);
    } else {
        memcpy(s->out + s->n, s->file->bytes + begin, n);
        s->n += n;
    }
    return true;
}

/* Copies a string. protobuf-c returns strings without their length, and a zero byte
 * would end the string, so zero bytes are escaped as in fsd_intern_add(). */
static bool copy_string(struct scan *s, struct level *level, field_t *field)
{
    size_t begin, start;

    if (!get_block(s, level, &begin))
        return false;
    if (level->pos - begin > FSD_WIRE_NAME)
        return fail(s, FSD_E_LIMIT, level, begin,
                    "expected a name of at most 65536 bytes, found a longer name");
    if (begin == level->pos ||
        !memchr(fsd_file_at(s->file, begin, level->pos - begin), 0, level->pos - begin))
        return put_bytes(s, level, field, begin);
    if (!put_tag(s, level, field->id, BLOCK) ||
        !reserve(s, level, 4 * (level->pos - begin) + LENGTH_ROOM))
        return false;
    start = open_length(s);
    for (size_t i = begin; i < level->pos; i++) {
        unsigned char c = s->file->bytes[i];

        memcpy(s->out + s->n, c ? (const char *)&c : "\\x00", c ? 1 : 4);
        s->n += c ? 1 : 4;
    }
    put_length_at(s, start);
    return true;
}

/* -------------------------------------------------------------------- messages */

static bool write_message(struct scan *s, const struct level *parent, field_t *field,
                          uint32_t from, uint32_t to);

static bool copy_message(struct scan *s, struct level *level, field_t *field)
{
    struct piece piece = {.number = field->id};

    if (!get_block(s, level, &piece.begin))
        return false;
    piece.end = level->pos;
    fsd_vec_push(s->arena, &s->pieces, piece);
    if (s->pieces.n - level->base > MOST_PIECES)
        return fail(s, FSD_E_LIMIT, level, piece.begin,
                    "expected at most 64 occurrences of non-repeated message fields, "
                    "found more");
    if (!is_repeated(field))
        return true;
    if (!write_message(s, level, field, s->pieces.n - 1, s->pieces.n))
        return false;
    s->pieces.n--;
    return true;
}

/* Drops the pieces of other members of a oneof, because the last member in the file
 * counts. */
static void void_siblings(struct scan *s, const struct level *level, field_t *field)
{
    for (uint32_t i = level->base; i < s->pieces.n; i++) {
        struct piece *piece = &s->pieces.at[i];
        field_t *other =
            protobuf_c_message_descriptor_get_field(level->desc, piece->number);

        if (other && other != field && (other->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
            other->quantifier_offset == field->quantifier_offset)
            piece->number = 0;
    }
}

static bool copy_field(struct scan *s, struct level *level, field_t *field,
                       unsigned wire)
{
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        void_siblings(s, level, field);
    if (wire == BLOCK && is_repeated(field) && wire_of(field) != BLOCK)
        return copy_packed(s, level, field);
    if (wire != (unsigned)wire_of(field))
        return fail(s, FSD_E_FORMAT, level, level->field,
                    "expected the wire type of the field, found a different wire type");
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return copy_message(s, level, field);
    if (field->type == PROTOBUF_C_TYPE_STRING)
        return copy_string(s, level, field);
    if (field->type == PROTOBUF_C_TYPE_BYTES)
        return copy_bytes(s, level, field);
    return copy_number(s, level, field);
}

static void note_skipped(struct scan *s, desc_t *desc, unsigned number)
{
    if (desc == &onnx__node_proto__descriptor)
        s->of_nodes |= UINT64_C(1) << number;
    else if (desc == &onnx__tensor_proto__descriptor)
        s->of_tensors |= UINT64_C(1) << number;
}

/* Skips a field that the descriptor of its message lacks. */
static bool skip_field(struct scan *s, struct level *level, unsigned wire)
{
    uint64_t number;
    size_t begin;

    if (wire == VARINT)
        return get_varint(s, level, &number);
    if (wire == BLOCK)
        return get_block(s, level, &begin);
    if (wire == FIXED64 || wire == FIXED32)
        return skip(s, level, wire == FIXED64 ? 8 : 4);
    return fail(s, FSD_E_FORMAT, level, level->field,
                "expected a field of a known wire type, found an unknown wire type");
}

static bool walk_piece(struct scan *s, struct level *level, struct piece piece)
{
    level->pos = piece.begin;
    level->end = piece.end;
    while (level->pos < level->end) {
        uint64_t tag;
        field_t *field;

        /* The pieces of a field that is not repeated are walked at the end of their
         * message.  The position then may go back, and fsd_file_release_behind() allows
         * this. */
        level->field = level->pos;
        fsd_file_at(s->file, level->pos, HEAD);
        fsd_file_release_behind(s->file, level->pos, &s->released);
        if (!get_varint(s, level, &tag))
            return false;
        if (tag > UINT32_MAX || tag >> 3 == 0)
            return fail(
                s, FSD_E_FORMAT, level, level->field,
                "expected a field number from 1 to 536870911, found another number");
        field =
            protobuf_c_message_descriptor_get_field(level->desc, (unsigned)(tag >> 3));
        if (!field && tag >> 3 < 64)
            note_skipped(s, level->desc, (unsigned)(tag >> 3));
        if (field ? !copy_field(s, level, field, tag & 7)
                  : !skip_field(s, level, tag & 7))
            return false;
    }
    return true;
}

/* Writes the content of the message in the field with this number.  A file may split
 * the message: its parts are the pieces `from` to `to` - 1 that have this number. */
static bool write_content(struct scan *s, struct level *level, uint32_t number,
                          uint32_t from, uint32_t to)
{
    desc_t *desc = level->desc;
    uint32_t end;

    assert(desc->n_fields <= MOST_FIELDS);
    level->base = s->pieces.n;
    for (uint32_t i = from; i < to; i++)
        if (s->pieces.at[i].number == number && !walk_piece(s, level, s->pieces.at[i]))
            return false;
    end = s->pieces.n; /* the end of this message's pieces; later pieces belong to
                          messages inside it */
    for (unsigned f = 0; end > level->base && f < desc->n_fields; f++) {
        bool present = false;

        for (uint32_t i = level->base; i < end; i++)
            present = present || s->pieces.at[i].number == desc->fields[f].id;
        if (present && !write_message(s, level, &desc->fields[f], level->base, end))
            return false;
    }
    for (unsigned f = 0; f < desc->n_fields; f++) {
        if (level->total[f] <= FSD_WIRE_PAYLOAD)
            continue;
        if (!put_tag(s, level, FSD_WIRE_RECORD + desc->fields[f].id, VARINT))
            return false;
        put_varint(s, level->total[f]);
    }
    s->pieces.n = level->base;
    return true;
}

static bool write_message(struct scan *s, const struct level *parent, field_t *field,
                          uint32_t from, uint32_t to)
{
    struct level level = {.desc = field->descriptor, .depth = parent->depth + 1};
    size_t start;

    level.pos = s->pieces.at[from].begin;
    if (level.depth >= FSD_WIRE_DEPTH)
        return fail(s, FSD_E_LIMIT, &level, level.pos,
                    "expected at most 101 levels of messages, found more");
    if (++s->messages > FSD_WIRE_MESSAGES)
        return fail(s, FSD_E_LIMIT, &level, level.pos,
                    "expected at most 4194304 messages, found more");
    if (!put_tag(s, parent, field->id, BLOCK) ||
        !weigh(s, parent, level.desc->sizeof_message))
        return false;
    start = open_length(s);
    if (!write_content(s, &level, field->id, from, to))
        return false;
    put_length_at(s, start);
    return true;
}

/* ------------------------------------------------------------------- interface */

enum fsd_status fsd_wire_filter(struct fsd_wire *out, struct fsd_arena *arena,
                                const struct fsd_file *file,
                                const ProtobufCMessageDescriptor *desc,
                                struct fsd_error *err)
{
    struct scan s = {.file = file, .arena = arena, .err = err};
    struct level top = {.desc = desc};

    fsd_vec_push(arena, &s.pieces, (struct piece){.number = 1, .end = file->size});
    write_content(&s, &top, 1, 0, 1);
    out->bytes = s.out;
    out->size = s.n;
    out->of_nodes = s.of_nodes;
    out->of_tensors = s.of_tensors;
    return s.status;
}

struct fsd_slice fsd_wire_read(const struct fsd_file *file, struct fsd_slice bytes)
{
    size_t at = (size_t)((const unsigned char *)bytes.s - file->bytes);

    fsd_file_at(file, at, bytes.n);
    return bytes;
}

bool fsd_wire_take_of(const struct fsd_file *file, struct fsd_slice *message,
                      struct fsd_wire_block *out)
{
    const unsigned char *bytes = (const unsigned char *)message->s;
    size_t pos = 0, start = 0;
    uint64_t tag, n;

    for (;; start = pos) {
        unsigned wire;

        if (file)
            fsd_file_at(file, (size_t)(bytes - file->bytes) + pos, HEAD);
        if (!take_varint(bytes, &pos, message->n, &tag))
            break;
        wire = tag & 7;

        n = wire == FIXED64 ? 8 : wire == FIXED32 ? 4 : 0;
        if (((wire == VARINT || wire == BLOCK) &&
             !take_varint(bytes, &pos, message->n, &n)) ||
            wire == GROUP || wire == END_GROUP)
            break;
        if (wire == VARINT)
            continue;
        if (n > message->n - pos)
            break;
        *out = (struct fsd_wire_block){
            (uint32_t)(tag >> 3), message->s + start, {message->s + pos, (size_t)n}};
        pos += (size_t)n;
        if (wire == BLOCK) {
            *message = fsd_slice_from(*message, pos);
            return true;
        }
    }
    *message = fsd_slice_from(*message, message->n);
    return false;
}

bool fsd_wire_take(struct fsd_slice *message, struct fsd_wire_block *out)
{
    return fsd_wire_take_of(NULL, message, out);
}

bool fsd_wire_walk(struct fsd_wire_walk *walk, struct fsd_slice *message,
                   struct fsd_wire_block *out)
{
    if (!fsd_wire_take_of(walk->file, message, out))
        return false;
    fsd_file_release_behind(walk->file,
                            (size_t)(out->start - (const char *)walk->file->bytes),
                            &walk->released);
    return true;
}

uint32_t fsd_wire_number(const ProtobufCMessageDescriptor *message, const char *field)
{
    const ProtobufCFieldDescriptor *found =
        protobuf_c_message_descriptor_get_field_by_name(message, field);

    assert(found);
    return found->id;
}

uint64_t fsd_wire_dropped(const ProtobufCMessage *message, uint32_t number)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &message->unknown_fields[i];

        if (field->tag != FSD_WIRE_RECORD + number)
            continue;
        for (size_t j = 0; j < field->len && j < 10; j++)
            bytes |= (uint64_t)(field->data[j] & 0x7f) << 7 * j;
    }
    return bytes;
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

size_t fsd_wire_put_head(char *out, uint32_t number, size_t n)
{
    size_t at = fsd_wire_put(out, (uint64_t)number << 3 | BLOCK);

    return at + fsd_wire_put(out + at, n);
}
