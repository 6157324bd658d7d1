/*
 * Mutators that keep the structure of an input.  Bytes that are flipped blindly in a
 * protobuf mostly break a length, and the parser stops there; these list the fields of
 * a model, change whole ones and then fix the lengths of everything around.  In JSON
 * whole strings change places, or take a name of the model, since the interesting
 * branches depend on names that match.
 */
#include "support_mutate.h"

#include "onnx.pb-c.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_FIELDS = 4096, MOST_DEPTH = 40, MOST_STRINGS = 1024 };

size_t fuzz_below(struct fuzz_random *random, size_t end)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return end ? (size_t)(random->state % end) : 0;
}

/* ------------------------------------------------------- fields of a model */

/* One field as it stands in the bytes: [at] tag length [body] ... [end]. */
struct field {
    size_t at, length_at, body, end;
    const ProtobufCFieldDescriptor *is;
    int parent; /* a field, or -1 */
};

struct fields {
    struct field at[MOST_FIELDS];
    int n;
};

static bool take_number(const uint8_t *data, size_t end, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = data[(*at)++];

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* The end of what a tag announces, 0 when it does not fit. */
static size_t end_of(const uint8_t *data, size_t end, struct field *f, unsigned wire)
{
    uint64_t n = 0;

    f->body = f->length_at;
    if (wire == 0)
        return take_number(data, end, &f->body, &n) ? f->body : 0;
    if (wire == 2 && !take_number(data, end, &f->body, &n))
        return 0;
    if (wire != 2)
        n = wire == 1 ? 8 : wire == 5 ? 4 : UINT64_MAX;
    return n <= end - f->body ? f->body + (size_t)n : 0;
}

static bool list_fields(struct fields *fields, const uint8_t *data, size_t at,
                        size_t end, const ProtobufCMessageDescriptor *desc, int parent,
                        unsigned depth)
{
    while (at < end) {
        struct field f = {.at = at, .parent = parent};
        uint64_t tag;
        int self = fields->n;

        if (fields->n == MOST_FIELDS || depth == MOST_DEPTH ||
            !take_number(data, end, &at, &tag))
            return false;
        f.length_at = at;
        f.end = end_of(data, end, &f, tag & 7);
        f.is = protobuf_c_message_descriptor_get_field(desc, (unsigned)(tag >> 3));
        if (!f.end)
            return false;
        fields->at[fields->n++] = f;
        if (f.is && f.is->type == PROTOBUF_C_TYPE_MESSAGE && (tag & 7) == 2 &&
            !list_fields(fields, data, f.body, f.end, f.is->descriptor, self,
                         depth + 1))
            return false;
        at = f.end;
    }
    return true;
}

/* ------------------------------------------------------------------ splicing */

struct edit {
    uint8_t *data;
    size_t size, most;
    const struct fields *fields;
};

static bool splice(struct edit *e, size_t at, size_t cut, const uint8_t *with, size_t n)
{
    if (e->size - cut + n > e->most)
        return false;
    memmove(e->data + at + n, e->data + at + cut, e->size - at - cut);
    if (n)
        memcpy(e->data + at, with, n);
    e->size = e->size - cut + n;
    return true;
}

static size_t put_number(uint8_t *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (uint8_t)(value | 0x80);
    out[n++] = (uint8_t)value;
    return n;
}

/* The lengths of a field and of all around it, after its body grew by `delta`. */
static void fix_lengths(struct edit *e, int field, ptrdiff_t delta)
{
    for (; field >= 0; field = e->fields->at[field].parent) {
        const struct field *f = &e->fields->at[field];
        uint8_t number[10];
        size_t old = f->body - f->length_at;
        size_t n =
            put_number(number, (uint64_t)((ptrdiff_t)(f->end - f->body) + delta));

        if (!splice(e, f->length_at, old, number, n))
            return;
        delta += (ptrdiff_t)n - (ptrdiff_t)old;
    }
}

/* `around` is the field whose body holds the place, -1 for the model itself.  The
 * bytes may be the model's own: they are copied first. */
static void replace(struct edit *e, int around, size_t at, size_t cut,
                    const uint8_t *with, size_t n)
{
    static uint8_t copy[1 << 16];

    if (n > sizeof copy)
        return;
    if (n)
        memcpy(copy, with, n);
    if (splice(e, at, cut, copy, n))
        fix_lengths(e, around, (ptrdiff_t)n - (ptrdiff_t)cut);
}

/* ----------------------------------------------------------------- mutations */

static bool is_number(const struct field *f)
{
    return f->body == f->length_at || f->end == f->body;
}

static bool alike(const struct field *a, const struct field *b)
{
    if (!a->is || !b->is || a->is->type != b->is->type)
        return false;
    return a->is->descriptor == b->is->descriptor;
}

/* Another field whose body could stand in this one; itself when there is none. */
static const struct field *pick_alike(struct fuzz_random *random,
                                      const struct fields *fields,
                                      const struct field *f)
{
    for (int i = 0; i < 40; i++) {
        const struct field *other = &fields->at[fuzz_below(random, (size_t)fields->n)];

        if (other != f && alike(other, f))
            return other;
    }
    return f;
}

static void change_number(struct fuzz_random *random, struct edit *e,
                          const struct field *f)
{
    static const uint64_t extremes[] = {0,
                                        1,
                                        2,
                                        7,
                                        127,
                                        255,
                                        65535,
                                        1u << 20,
                                        INT32_MAX,
                                        1u << 31,
                                        UINT32_MAX,
                                        INT64_MAX,
                                        (uint64_t)1 << 63,
                                        UINT64_MAX,
                                        UINT64_MAX - 1};
    uint8_t number[10];
    size_t count = sizeof extremes / sizeof *extremes;
    uint64_t value = fuzz_below(random, 3) ? fuzz_below(random, 40)
                                           : extremes[fuzz_below(random, count)];

    replace(e, f->parent, f->length_at, f->end - f->length_at, number,
            put_number(number, value));
}

static void change_bytes(struct edit *e, int self, const struct field *f)
{
    static uint8_t bytes[512];
    size_t n = f->end - f->body;

    if (n > sizeof bytes / 2)
        n = sizeof bytes / 2;
    memcpy(bytes, e->data + f->body, n);
    n = LLVMFuzzerMutate(bytes, n, sizeof bytes);
    replace(e, self, f->body, f->end - f->body, bytes, n);
}

static void change(struct fuzz_random *random, struct edit *e, int self)
{
    const struct field *f = &e->fields->at[self], *other;
    bool number = is_number(f);

    other = pick_alike(random, e->fields, f);
    switch (fuzz_below(random, 6)) {
    case 0:
        replace(e, f->parent, f->at, f->end - f->at, NULL, 0);
        break;
    case 1:
        replace(e, f->parent, f->end, 0, e->data + f->at, f->end - f->at);
        break;
    case 2: /* its twin moves to where this one is */
        replace(e, f->parent, f->at, 0, e->data + other->at, other->end - other->at);
        break;
    default:
        if (number)
            change_number(random, e, f);
        else if (!f->is || f->is->type == PROTOBUF_C_TYPE_MESSAGE ||
                 fuzz_below(random, 4))
            replace(e, self, f->body, f->end - f->body, e->data + other->body,
                    other->end - other->body);
        else
            change_bytes(e, self, f);
    }
}

size_t fuzz_mutate_model(struct fuzz_random *random, uint8_t *data, size_t size,
                         size_t most)
{
    static struct fields fields;
    struct edit e = {data, size, most, &fields};

    for (size_t i = 0, n = 1 + fuzz_below(random, 4); i < n; i++) {
        fields.n = 0;
        if (!list_fields(&fields, data, 0, e.size, &onnx__model_proto__descriptor, -1,
                         0) ||
            !fields.n || !fuzz_below(random, 50))
            return LLVMFuzzerMutate(data, e.size, most);
        change(random, &e, (int)fuzz_below(random, (size_t)fields.n));
    }
    return e.size;
}

/* ---------------------------------------------------------------------- JSON */

struct text {
    size_t at, n;
};

/* Strings without their quotes. */
static size_t list_strings(struct text *out, const uint8_t *data, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size && n < MOST_STRINGS; i++) {
        size_t start = i + 1;

        if (data[i] != '"')
            continue;
        for (i = start; i < size && data[i] != '"'; i++)
            i += data[i] == '\\';
        if (i < size)
            out[n++] = (struct text){start, i - start};
    }
    return n;
}

/* A run of bytes of the model that looks like a name. */
static struct text pick_name(struct fuzz_random *random, const uint8_t *model,
                             size_t size)
{
    size_t at = fuzz_below(random, size), n = 0;

    while (at + n < size && n < 100 && model[at + n] > ' ' && model[at + n] < 0x7f &&
           model[at + n] != '"' && model[at + n] != '\\')
        n++;
    return (struct text){at, n};
}

size_t fuzz_mutate_json(struct fuzz_random *random, uint8_t *data, size_t size,
                        size_t most, const uint8_t *model, size_t model_size)
{
    static struct text strings[MOST_STRINGS];
    size_t n = list_strings(strings, data, size), piece;
    struct edit e = {data, size, most, NULL};
    struct text to, from;

    if (!n || !fuzz_below(random, 3))
        return LLVMFuzzerMutate(data, size, most);
    to = strings[fuzz_below(random, n)];
    from = strings[fuzz_below(random, n)];
    piece = fuzz_below(random, 4) ? to.n : 0; /* 0: it is put before */
    if (model_size && fuzz_below(random, 2)) {
        from = pick_name(random, model, model_size);
        replace(&e, -1, to.at, piece, model + from.at, from.n);
    } else {
        replace(&e, -1, to.at, piece, data + from.at, from.n);
    }
    return e.size;
}
