/*
 * Reads the sizes of inputs that trtexec prints before it builds an engine, and before
 * it runs one.
 *
 *     Input build shape: x=1x3x64x64+4x3x224x224+8x3x256x256
 *     Input build shape (profile 0): x=1x3x64x64+4x3x224x224+8x3x256x256
 *     Set shape of input tensor x for optimization profile 0 to: MIN=1x3x64x64
 *                                        OPT=4x3x224x224 MAX=8x3x256x256
 *
 *     Input inference shape: x=4x3x224x224
 *     Set shape of input tensor x to: 4x3x224x224
 *     Created input binding for x with dimensions 4x3x224x224
 *
 * Source: trtexec of TensorRT 8.0 to 10.16.
 */
#include "read/log/log.h"

#include "base/base.h"

enum { MOST_PROFILES = 1 << 12 };
static const uint64_t largest = UINT64_C(1) << 40;

/* Reads the sizes in a text such as "4x3x224x224", which must contain nothing else. */
static bool read_sizes(struct fsd_slice t, struct fsd_input_shape *out)
{
    uint64_t size;

    for (out->n = 0; out->n < FSD_COUNT_OF(out->sizes); out->n++) {
        if (out->n && !fsd_slice_take(&t, "x"))
            break;
        if (!fsd_slice_take_number(&t, largest, &size) || !size || size == largest)
            return false;
        out->sizes[out->n] = (int64_t)size;
    }
    return out->n && !t.n;
}

static bool keep(struct fsd_history *h, struct fsd_input_shape shape,
                 struct fsd_slice name, struct fsd_slice sizes)
{
    if (!name.n || !read_sizes(fsd_slice_trim(sizes), &shape))
        return true;
    shape.input = fsd_intern_slice(h->names, name);
    fsd_vec_push(h->arena, &h->shapes, shape);
    return true;
}

/* Reads a text like "x=MIN+OPT+MAX", or "x=SHAPE" with one shape for all three. */
static bool keep_range(struct fsd_history *h, struct fsd_input_shape shape,
                       struct fsd_slice t)
{
    struct fsd_slice sizes, rest;

    if (!fsd_slice_split_last(&t, "=", &sizes))
        return true;
    if (fsd_slice_split_at(&sizes, "+", &rest)) {
        sizes = rest;
        fsd_slice_split_at(&sizes, "+", &rest);
    }
    return keep(h, shape, fsd_slice_trim(t), sizes);
}

static bool take_profile(struct fsd_slice *t, struct fsd_input_shape *shape)
{
    uint64_t number;

    if (!fsd_slice_take_number(t, MOST_PROFILES, &number))
        return false;
    shape->profile = (int32_t)number;
    return true;
}

/* Reads the text after "Set shape of input tensor ".  It is "x for optimization profile
 * 0 to: MIN=...  OPT=...  MAX=..." or "x to: ...". */
static bool read_set(struct fsd_history *h, struct fsd_input_shape shape,
                     struct fsd_slice t)
{
    struct fsd_slice name = t, sizes;

    if (!fsd_slice_split_last(&name, " to: ", &sizes))
        return false;
    t = name;
    if (!fsd_slice_split_last(&name, " for optimization profile ", &t)) {
        shape.run = true;
        return keep(h, shape, name, sizes);
    }
    if (!take_profile(&t, &shape) || !fsd_slice_split_at(&sizes, "OPT=", &t))
        return true;
    fsd_slice_split_at(&t, " ", &sizes);
    return keep(h, shape, name, t);
}

bool fsd_log_shape_read(struct fsd_history *h, struct fsd_slice text, uint32_t build)
{
    struct fsd_input_shape shape = {.build = build, .run = true};
    struct fsd_slice sizes;

    if (fsd_slice_take(&text, "Set shape of input tensor ")) {
        shape.run = false;
        return read_set(h, shape, text);
    }
    if (fsd_slice_take(&text, "Created input binding for "))
        return fsd_slice_split_last(&text, " with dimensions ", &sizes) &&
               keep(h, shape, text, sizes);
    if (!fsd_slice_take(&text, "Input "))
        return false;
    if (fsd_slice_take(&text, "inference shape: ") ||
        fsd_slice_take(&text, "inference shape : "))
        return keep_range(h, shape, text);
    shape.run = false;
    if (fsd_slice_take(&text, "build shape: "))
        return keep_range(h, shape, text);
    return fsd_slice_take(&text, "build shape (profile ") &&
           take_profile(&text, &shape) && fsd_slice_take(&text, "): ") &&
           keep_range(h, shape, text);
}
