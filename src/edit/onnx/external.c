/*
 * Reads weights in other files. A tensor states the location of its bytes as text:
 *
 *     external_data  location "model.onnx.data"  offset "4096"  length "9216"
 *     data_location  EXTERNAL
 *
 * As ONNX requires, the path must lead into the model's own folder or below it, and no
 * link may lead out of that folder (host/beside.c). Otherwise an untrusted model could
 * make the program copy other files. The files are mapped, and the program reads only
 * the bytes that it writes to the output.
 */
#include "edit/onnx/external.h"
#include "base/base.h"
#include "model/onnx/collected.h"

/* --------------------------------------------------------------------- one tensor */

struct place {
    struct fsd_slice tensor; /* the name of the tensor */
    const char *location;    /* NULL: not stated */
    uint64_t offset, length;
    bool has_length;
};

static struct fsd_slice fail(struct fsd_outside *from, const struct place *place,
                             enum fsd_status status, const char *found)
{
    if (from->status == FSD_OK)
        from->status =
            fsd_fail(from->err, status, from->model, FSD_POS_NONE, 0,
                     "expected the weights of '%.*s' in the file '%.150s' of the "
                     "model's folder; found: %.150s",
                     (int)(place->tensor.n < 100 ? place->tensor.n : 100),
                     place->tensor.n ? place->tensor.s : "",
                     place->location ? place->location : "", found);
    return (struct fsd_slice){NULL, 0};
}

static uint64_t number_of(struct fsd_slice text)
{
    uint64_t n = UINT64_MAX;

    return fsd_slice_take_number(&text, UINT64_MAX, &n) && !text.n ? n : UINT64_MAX;
}

static struct place place_of(struct fsd_outside *from, struct fsd_slice tensor)
{
    struct place place = {.tensor = fsd_onnx_block(tensor, TENSOR_NAME)};
    struct fsd_wire_block block;

    while (fsd_wire_take(&tensor, &block)) {
        struct fsd_slice key, value;

        if (block.number != TENSOR_EXTERNAL)
            continue;
        key = fsd_onnx_block(block.bytes, ENTRY_KEY);
        value = fsd_onnx_block(block.bytes, ENTRY_VALUE);
        if (fsd_slice_is(key, "location"))
            place.location =
                fsd_arena_strndup(from->arena, value.n ? value.s : "", value.n);
        if (fsd_slice_is(key, "offset"))
            place.offset = number_of(value);
        if (fsd_slice_is(key, "length")) {
            place.length = number_of(value);
            place.has_length = true;
        }
    }
    return place;
}

/* Whether the path leads into the model's folder or below it. */
static bool is_inside(const char *location)
{
    if (!*location || *location == '/')
        return false;
    for (const char *part = location; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
            return false;
    }
    return true;
}

/* The file with this path in the model's folder; NULL if the file cannot be opened.
 * Each file is opened only once. */
static const struct fsd_file *file_at(struct fsd_outside *from, const char *location,
                                      struct fsd_error *err)
{
    const char *path = fsd_path_beside(from->arena, from->model, location);
    struct fsd_file file;

    for (uint32_t i = 0; i < from->files.n; i++)
        if (!strcmp(from->files.at[i].name, path))
            return &from->files.at[i];
    if (fsd_file_open_beside(&file, path, from->model, err) != FSD_OK) {
        fsd_file_close(&file);
        return NULL;
    }
    fsd_vec_push(from->arena, &from->files, file);
    fsd_vec_push(from->arena, &from->released, 0);
    return &from->files.at[from->files.n - 1];
}

/* The tensor's bytes in its file. */
static struct fsd_slice bytes_of(struct fsd_outside *from, struct fsd_slice tensor)
{
    struct place place = place_of(from, tensor);
    struct fsd_error err = {0};
    const struct fsd_file *file;

    if (!place.location || !is_inside(place.location))
        return fail(from, &place, FSD_E_FORMAT,
                    "a path outside this folder, or no path");
    file = file_at(from, place.location, &err);
    if (!file)
        return fail(from, &place, FSD_E_IO, err.message);
    if (!place.has_length && place.offset <= file->size)
        place.length = file->size - place.offset;
    if (place.offset > file->size || place.length > file->size - place.offset)
        return fail(from, &place, FSD_E_FORMAT,
                    "a file with fewer bytes than the model states");
    return (struct fsd_slice){(const char *)file->bytes + place.offset,
                              (size_t)place.length};
}

/* Writes the tensor with its bytes inside: all fields except the fields that state the
 * location, and then the bytes. */
static void inline_tensor(struct fsd_outside *from, struct fsd_slice tensor,
                          struct fsd_pieces *to)
{
    struct fsd_slice bytes = bytes_of(from, tensor), rest = tensor;
    const char *start = tensor.s;
    struct fsd_wire_block block;

    while (fsd_wire_take(&rest, &block))
        if (block.number == TENSOR_EXTERNAL)
            fsd_pieces_until(from->arena, to, &start, &block);
    fsd_pieces_rest(from->arena, to, start, tensor);
    fsd_pieces_number(from->arena, to, TENSOR_LOCATION, 0); /* overrides EXTERNAL: of
                                                               two values, the last
                                                               counts */
    fsd_pieces_block(from->arena, to, TENSOR_RAW, bytes);
}

/* ----------------------------------------------------------------------- messages */

static bool is_external(struct fsd_slice tensor)
{
    struct fsd_wire_block block;

    while (fsd_wire_take(&tensor, &block))
        if (block.number == TENSOR_EXTERNAL)
            return true;
    return false;
}

static void put_inlined(struct fsd_outside *from, struct fsd_slice message,
                        enum fsd_onnx_message is, unsigned depth, struct fsd_pieces *to)
{
    struct fsd_slice rest = message;
    const char *start = message.s;
    enum fsd_onnx_message holds;
    struct fsd_wire_block block;

    if (is == FSD_MESSAGE_TENSOR && is_external(message)) {
        inline_tensor(from, message, to);
        return;
    }
    while (is != FSD_MESSAGE_TENSOR && depth <= FSD_WIRE_DEPTH &&
           fsd_wire_take(&rest, &block)) {
        struct fsd_pieces inner = {.size = 0};

        if (!fsd_onnx_leads(is, block.number, &holds))
            continue;
        put_inlined(from, block.bytes, holds, depth + 1, &inner);
        fsd_pieces_until(from->arena, to, &start, &block);
        fsd_pieces_message(from->arena, to, block.number, &inner);
    }
    fsd_pieces_rest(from->arena, to, start, message);
}

void fsd_external_inline(struct fsd_outside *from, struct fsd_slice bytes,
                         enum fsd_onnx_message is, struct fsd_pieces *to)
{
    put_inlined(from, bytes, is, 0, to);
}

static void check(struct fsd_outside *from, struct fsd_slice message,
                  enum fsd_onnx_message is, unsigned depth)
{
    enum fsd_onnx_message holds;
    struct fsd_wire_block block;

    if (is == FSD_MESSAGE_TENSOR && is_external(message))
        bytes_of(from, message);
    while (is != FSD_MESSAGE_TENSOR && depth <= FSD_WIRE_DEPTH &&
           fsd_wire_take(&message, &block))
        if (fsd_onnx_leads(is, block.number, &holds))
            check(from, block.bytes, holds, depth + 1);
}

void fsd_external_check(struct fsd_outside *from, struct fsd_slice bytes,
                        enum fsd_onnx_message is)
{
    check(from, bytes, is, 0);
}

enum fsd_status fsd_outside_close(struct fsd_outside *from, enum fsd_status status,
                                  struct fsd_error *err)
{
    for (uint32_t i = 0; i < from->files.n; i++)
        status = fsd_file_done(&from->files.at[i], status, err);
    from->files.n = from->released.n = 0;
    return status;
}
