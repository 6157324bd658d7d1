/*
 * Reads the header of an array in NumPy's format, version 1 to 3:
 *
 *     \x93NUMPY 1 0 <length, 2 or 4 bytes> {'descr': '<f4', 'fortran_order': False,
 *                                           'shape': (1, 3, 224, 224), }
 *
 * The header is the repr() of a dictionary.  NumPy always writes the same three keys,
 * so the functions search them and do not parse Python.  The elements are behind the
 * header.  NumPy has no bfloat16: the package ml_dtypes stores it as two bytes without
 * a type ("V2").  No other type of a network is stored as "V2".
 */
#include "explain/values/values.h"
#include "base/base.h"

#include <stdlib.h>

enum { HEADER_MAX = 1 << 16 };

static const struct {
    const char *descr; /* text behind the byte order */
    enum fsd_dtype type;
} types[] = {
    {"f2", FSD_FP16},  {"f4", FSD_FP32},   {"f8", FSD_FP64},   {"V2", FSD_BF16},
    {"i1", FSD_INT8},  {"i2", FSD_INT16},  {"i4", FSD_INT32},  {"i8", FSD_INT64},
    {"u1", FSD_UINT8}, {"u2", FSD_UINT16}, {"u4", FSD_UINT32}, {"u8", FSD_UINT64},
    {"b1", FSD_BOOL},
};

/* The text behind the key and its colon; empty if there is no such key. */
static struct fsd_slice value_of(struct fsd_slice header, const char *key)
{
    struct fsd_slice right;

    if (!fsd_slice_split_at(&header, key, &right) || !fsd_slice_take(&right, "'"))
        return (struct fsd_slice){0};
    right = fsd_slice_trim(right);
    if (!fsd_slice_take(&right, ":"))
        return (struct fsd_slice){0};
    return fsd_slice_trim(right);
}

static const char *read_type(struct fsd_array *array, struct fsd_slice descr)
{
    struct fsd_slice rest;

    if (!fsd_slice_take(&descr, "'") || !fsd_slice_split_at(&descr, "'", &rest) ||
        descr.n != 3)
        return "its elements are of a type that no tensor has";
    array->big_endian = *descr.s == '>';
    for (size_t i = 0; i < FSD_COUNT_OF(types); i++)
        if (fsd_slice_is(fsd_slice_from(descr, 1), types[i].descr))
            array->type = types[i].type;
    return array->type ? NULL
                       : "its elements are of a type that fusiondiff does not "
                         "read";
}

static const char *read_shape(struct fsd_array *array, struct fsd_slice shape)
{
    array->count = 1;
    if (!fsd_slice_take(&shape, "("))
        return "its header has no shape";
    for (;;) {
        uint64_t size;

        fsd_slice_skip(&shape, " ");
        if (fsd_slice_take(&shape, ")"))
            return NULL;
        if (!fsd_slice_take_number(&shape, UINT64_MAX, &size))
            return "its header has no shape";
        if (array->rank == FSD_ARRAY_RANK)
            return "it has more than 32 dimensions";
        if (size > INT64_MAX || (size && array->count > INT64_MAX / 16 / size))
            return "its shape is too large for any memory";
        array->count *= size;
        array->dims[array->rank++] = (int64_t)size;
        fsd_slice_skip(&shape, "L"); /* Python 2 appends "L" to a long integer */
        fsd_slice_skip(&shape, " ");
        fsd_slice_take(&shape, ",");
    }
}

static const char *read_dictionary(struct fsd_array *array, struct fsd_slice header)
{
    struct fsd_slice order = value_of(header, "'fortran_order");
    const char *wrong = read_type(array, value_of(header, "'descr"));

    if (!wrong)
        wrong = read_shape(array, value_of(header, "'shape"));
    array->fortran = fsd_slice_begins(order, "True") && array->rank > 1;
    return wrong;
}

/* Checks the decompressed size against the header.  Returns NULL if they agree, else
 * the error, a string literal. */
static const char *check_size(const struct fsd_array *array)
{
    uint64_t bytes = array->count * (fsd_dtype_bits(array->type) / 8);

    return array->skip + bytes == array->stored.size
               ? NULL
               : "its length does not match its shape and type";
}

static const char *read_header(struct fsd_array *array, struct fsd_stream *s)
{
    unsigned char fixed[12];
    size_t wide, n;
    const char *wrong;
    char *text;

    if (fsd_stream_read(s, fixed, 8) != 8 || memcmp(fixed, "\x93NUMPY", 6) != 0 ||
        fixed[6] < 1 || fixed[6] > 3)
        return "it is not a NumPy array";
    wide = fixed[6] == 1 ? 2 : 4;
    if (fsd_stream_read(s, fixed + 8, wide) != wide)
        return "the file ends within the header";
    n = fixed[8] | (size_t)fixed[9] << 8;
    if (wide == 4)
        n |= (size_t)fixed[10] << 16 | (size_t)fixed[11] << 24;
    if (n > HEADER_MAX)
        return "its header is larger than 65,536 bytes";
    text = malloc(n + 1);
    if (!text)
        fsd_out_of_memory();
    if (fsd_stream_read(s, text, n) != n)
        wrong = "the file ends within the header";
    else
        wrong = read_dictionary(array, (struct fsd_slice){text, n});
    free(text);
    array->skip = 8 + wide + n;
    return wrong ? wrong : check_size(array);
}

const char *fsd_npy_read(struct fsd_array *array)
{
    struct fsd_stream *s = fsd_stream_open(&array->stored);
    const char *wrong = read_header(array, s);

    fsd_stream_close(s);
    return wrong;
}
