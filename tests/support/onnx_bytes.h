/* Writes protobuf by hand, valid and invalid, and loads it. */
#ifndef FSD_TESTS_ONNX_BYTES_H
#define FSD_TESTS_ONNX_BYTES_H

#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "base/base.h"
#include "model/onnx/onnx.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct bytes {
    struct fsd_arena *arena;
    unsigned char *at;
    size_t n, cap;
};

static inline void put(struct bytes *b, const void *data, size_t n)
{
    if (b->n + n > b->cap) {
        unsigned char *larger;

        b->cap = 2 * (b->n + n);
        larger = FSD_NEW(b->arena, unsigned char, b->cap);
        if (b->n)
            memcpy(larger, b->at, b->n);
        b->at = larger;
    }
    if (n)
        memcpy(b->at + b->n, data, n);
    b->n += n;
}

/* Appends the value as a varint of at least `width` bytes. */
static inline void put_wide(struct bytes *b, uint64_t value, unsigned width)
{
    for (unsigned i = 1; value >= 0x80 || i < width; i++, value >>= 7) {
        unsigned char c = (unsigned char)(value | 0x80);

        put(b, &c, 1);
    }
    put(b, &(unsigned char){(unsigned char)value}, 1);
}

static inline void put_number(struct bytes *b, unsigned field, uint64_t value)
{
    put_wide(b, field << 3, 1);
    put_wide(b, value, 1);
}

static inline void put_block(struct bytes *b, unsigned field, const void *data,
                             size_t n)
{
    put_wide(b, field << 3 | 2, 1);
    put_wide(b, n, 1);
    put(b, data, n);
}

static inline void put_text(struct bytes *b, unsigned field, const char *text)
{
    put_block(b, field, text, strlen(text));
}

static inline void put_part(struct bytes *b, unsigned field, const struct bytes *part)
{
    put_block(b, field, part->at, part->n);
}

static inline struct fsd_file file_of(const struct bytes *b)
{
    return (struct fsd_file){.name = "test.onnx", .bytes = b->at, .size = b->n};
}

/* ------------------------------------------------------------------------ loads */

struct load {
    struct fsd_arena *arena;
    struct fsd_graph *g;
    struct fsd_error err;
    enum fsd_status status;
};

static inline struct load load_file(const struct fsd_file *file)
{
    struct load load = {.arena = fsd_arena_new()};

    load.g = fsd_graph_new(load.arena, fsd_op_names_new(load.arena));
    load.status = fsd_onnx_load(load.g, file, &load.err);
    return load;
}

static inline struct load load_memory(const void *bytes, size_t n)
{
    struct fsd_file file = {.name = "test.onnx", .bytes = bytes, .size = n};

    return load_file(&file);
}

static inline struct load load_path(const char *path)
{
    struct fsd_file file;
    struct fsd_error err;
    struct load load = {.status = fsd_file_open(&file, path, 1 << 30, &err)};

    if (load.status == FSD_OK)
        load = load_file(&file);
    else
        load.err = err;
    fsd_file_close(&file);
    return load;
}

static inline void drop_load(struct load *load)
{
    fsd_arena_free(load->arena);
}

#endif
