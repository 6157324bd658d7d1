/*
 * Writes arrays in numpy's format: an uncompressed ZIP archive of files "NAME.npy".
 * Each file has a text header, followed by the elements.
 *
 * In the archive, the checksum of a file precedes the file. It cannot be written later,
 * because the output may be a pipe. There are therefore two passes over the values: one
 * for the checksum, one for the file. Random values are generated from the same seed in
 * both passes. The user's values are read twice. The values are never all in memory.
 */
#include "base/base.h"
#include "edit/cut/cut.h"
#include "model/graph/graph.h"

/* One array of the archive. */
struct array {
    const char *name; /* name of its file in the archive */
    const char *head; /* the header of the .npy file */
    size_t head_n;
    enum fsd_dtype type;
    uint64_t count, size; /* number of elements; size of the .npy file in bytes */
    uint64_t seed;
    const struct fsd_array *given; /* the user's values, stored with their header; NULL:
                                      random values */
    uint32_t crc, offset;
};

enum { PIECE = 1 << 16 };

/* ----------------------------------------------------------------------- elements */

/* The next number of the generator SplitMix64. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The bits of a random value from -1 to 1. For integer types, the value is 0 or 1, so
 * that it is a valid index of each axis that has at least two elements. */
static uint64_t bits_of(enum fsd_dtype type, uint64_t random)
{
    double number = (double)(int64_t)(random >> 40) / (1 << 23) - 1;
    float single = (float)number;
    uint32_t word;
    uint64_t bits;

    if (type == FSD_FP32) {
        memcpy(&word, &single, sizeof word);
        return word;
    }
    if (type == FSD_FP64) {
        memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    if (type == FSD_FP16) /* a sign, and a magnitude from 0.5 to 1 */
        return (random & 0x83ff) | 14 << 10;
    return random >> 63;
}

/* numpy's name of a type; NULL if numpy has no such type. */
static const char *numpy_type(enum fsd_dtype type)
{
    static const char *const types[FSD__DTYPE_COUNT] = {
        [FSD_FP64] = "<f8",   [FSD_FP32] = "<f4",   [FSD_FP16] = "<f2",
        [FSD_INT64] = "<i8",  [FSD_UINT64] = "<u8", [FSD_INT32] = "<i4",
        [FSD_UINT32] = "<u4", [FSD_INT16] = "<i2",  [FSD_UINT16] = "<u2",
        [FSD_INT8] = "|i1",   [FSD_UINT8] = "|u1",  [FSD_BOOL] = "|b1"};

    return types[type];
}

/* -------------------------------------------------------------------------- bytes */

/* Writes bytes to `out`; if `out` is NULL, only updates the checksum. */
static void put_bytes(uint32_t *crc, const void *bytes, size_t n, FILE *out)
{
    if (out)
        fwrite(bytes, 1, n, out);
    else
        *crc = fsd_stream_crc(*crc, bytes, n);
}

static void put_random(const struct array *a, uint32_t *crc, FILE *out)
{
    unsigned width = fsd_dtype_bits(a->type) / 8;
    uint64_t state = a->seed;
    unsigned char piece[PIECE];
    size_t n = 0;

    put_bytes(crc, a->head, a->head_n, out);
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t bits = bits_of(a->type, next_random(&state));

        for (unsigned k = 0; k < width; k++)
            piece[n++] = (unsigned char)(bits >> 8 * k);
        if (n > PIECE - sizeof bits) {
            put_bytes(crc, piece, n, out);
            n = 0;
        }
    }
    put_bytes(crc, piece, n, out);
}

/* Writes the user's values, or only updates the checksum.
 * @return false if the stored bytes are damaged */
static bool put_given(const struct array *a, uint32_t *crc, FILE *out)
{
    struct fsd_stream *s = fsd_stream_open(&a->given->stored);
    unsigned char piece[PIECE];
    uint64_t left = a->size;
    size_t got = 1;
    bool whole;

    while (left && got) {
        got = fsd_stream_read(s, piece, left < PIECE ? (size_t)left : PIECE);
        put_bytes(crc, piece, got, out);
        left -= got;
    }
    whole = !left && fsd_stream_whole(s);
    fsd_stream_close(s);
    return whole;
}

static bool put_array(const struct array *a, uint32_t *crc, FILE *out)
{
    if (a->given)
        return put_given(a, crc, out);
    put_random(a, crc, out);
    return true;
}

/* ------------------------------------------------------------------------ archive */

static void put_number(FILE *out, uint64_t number, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        putc((unsigned char)(number >> 8 * i), out);
}

/* Writes the fields that two records share: the header in front of a file, and the
 * entry of the file in the directory at the end of the archive. */
static void put_entry(const struct array *a, FILE *out)
{
    put_number(out, 20, 2);      /* required version */
    put_number(out, 1 << 11, 2); /* names are UTF-8 */
    put_number(out, 0, 2);       /* compression method: stored */
    put_number(out, 0, 2);       /* time and date: always 1 January 1980 */
    put_number(out, 33, 2);
    put_number(out, a->crc, 4);
    put_number(out, a->size, 4);
    put_number(out, a->size, 4);
    put_number(out, strlen(a->name), 2);
    put_number(out, 0, 2);
}

static bool put_local(struct array *a, uint64_t *at, FILE *out)
{
    uint32_t unused = 0;

    a->offset = (uint32_t)*at;
    put_number(out, UINT32_C(0x04034b50), 4);
    put_entry(a, out);
    fputs(a->name, out);
    *at += 30 + strlen(a->name) + a->size;
    return put_array(a, &unused, out);
}

static uint64_t put_listed(const struct array *a, FILE *out)
{
    put_number(out, UINT32_C(0x02014b50), 4);
    put_number(out, 20, 2);
    put_entry(a, out);
    put_number(out, 0, 2); /* comment */
    put_number(out, 0, 2); /* disk */
    put_number(out, 0, 2);
    put_number(out, 0, 4); /* attributes */
    put_number(out, a->offset, 4);
    fputs(a->name, out);
    return 46 + strlen(a->name);
}

static void put_end(uint32_t n, uint64_t at, uint64_t size, FILE *out)
{
    put_number(out, UINT32_C(0x06054b50), 4);
    put_number(out, 0, 4); /* disks */
    put_number(out, n, 2);
    put_number(out, n, 2);
    put_number(out, size, 4);
    put_number(out, at, 4);
    put_number(out, 0, 2);
}

/* -------------------------------------------------------------------------- arrays */

/* Sets the header, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }",
 * padded with blanks to a multiple of 64 bytes. */
static void fill_head(struct fsd_arena *arena, struct array *a, const char *shape)
{
    const char *text =
        fsd_printed(arena, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                    numpy_type(a->type), shape);
    size_t n = (10 + strlen(text) + 1 + 63) / 64 * 64, length = n - 10;
    char *head = FSD_NEW(arena, char, n);

    memset(head, ' ', n);
    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = (char)(length & 0xff);
    head[9] = (char)(length >> 8);
    memcpy(head + 10, text, strlen(text));
    head[n - 1] = '\n';
    a->head = head;
    a->head_n = n;
}

static bool fill_random(const struct fsd_cut_plan *plan, struct array *a,
                        const struct fsd_onnx_info *info)
{
    const char *shape = "";

    a->count = 1;
    for (uint32_t k = 0; k < info->rank; k++) {
        uint64_t size = info->sizes[k] < 0 ? 1 : (uint64_t)info->sizes[k];

        shape = fsd_printed(plan->arena, "%s%llu,%s", shape, (unsigned long long)size,
                            k + 1 < info->rank ? " " : "");
        if (size && a->count > UINT32_MAX / size)
            return false;
        a->count *= size;
    }
    if (!numpy_type(a->type))
        return false;
    fill_head(plan->arena, a, shape);
    a->size = a->head_n + a->count * (fsd_dtype_bits(a->type) / 8);
    return true;
}

static enum fsd_status damaged(const struct array *a, struct fsd_error *err)
{
    return fsd_fail(
        err, FSD_E_FORMAT, a->given->stored.file->name, FSD_POS_BYTE,
        a->given->stored.at,
        "expected a complete tensor '%.200s', found a damaged or truncated tensor",
        a->name);
}

static enum fsd_status fill(const struct fsd_cut_plan *plan, uint32_t i,
                            const struct fsd_array_set *given, struct array *a,
                            struct fsd_error *err)
{
    struct fsd_onnx_info info =
        fsd_tensor_info(plan->arena, plan->d, plan->inputs.at[i]);
    enum fsd_status status = FSD_OK;
    bool fits;

    *a = (struct array){.name = fsd_printed(plan->arena, "%s.npy", info.name),
                        .type =
                            fsd_tensor_form(plan->d->model, plan->inputs.at[i])->type,
                        .seed = i + 1};
    if (given)
        status = fsd_cut_find_given(plan, plan->inputs.at[i], given, &a->given, err);
    if (status != FSD_OK)
        return status;
    a->size = given ? a->given->stored.size : 0;
    fits = given || fill_random(plan, a, &info);
    if (!fits || a->size > INT32_MAX || strlen(a->name) > UINT16_MAX)
        return fsd_fail(
            err, FSD_E_UNSUPPORTED, plan->d->model->path, FSD_POS_NONE, 0,
            "expected each input to have at most 2 GiB and a type that numpy has, "
            "found '%.200s' of type %s",
            info.name, fsd_dtype_name(a->type));
    return FSD_OK;
}

enum fsd_status fsd_cut_write_inputs(const struct fsd_cut_plan *plan,
                                     const struct fsd_array_set *given, FILE *out,
                                     struct fsd_error *err)
{
    struct array *all = FSD_NEW(plan->arena, struct array, plan->inputs.n + 1);
    uint64_t at = 0, size = 0, whole = 0;

    for (uint32_t i = 0; i < plan->inputs.n; i++) {
        enum fsd_status status = fill(plan, i, given, &all[i], err);

        whole += all[i].size;
        if (status != FSD_OK)
            return status;
        if (whole > INT32_MAX)
            return fsd_fail(err, FSD_E_UNSUPPORTED, plan->d->model->path, FSD_POS_NONE,
                            0, "expected inputs of at most 2 GiB in total, found more");
    }
    for (uint32_t i = 0; i < plan->inputs.n; i++)
        if (!put_array(&all[i], &all[i].crc, NULL))
            return damaged(&all[i], err);
    for (uint32_t i = 0; i < plan->inputs.n; i++)
        if (!put_local(&all[i], &at, out)) /* the file of values has
                                              changed since the loop above */
            return damaged(&all[i], err);
    for (uint32_t i = 0; i < plan->inputs.n; i++)
        size += put_listed(&all[i], out);
    put_end(plan->inputs.n, at, size, out);
    return fsd_flush(out, err);
}
