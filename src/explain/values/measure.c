/*
 * Measures the error of one tensor against another, element by element.  Both tensors
 * are read in pieces.  Elements and sums are doubles, so that the result is as exact as
 * in NumPy with float64.  Integers beyond 2^53 lose their last digits, as in NumPy.
 */
#include "explain/values/values.h"
#include "base/base.h"

#include <stdlib.h>

enum { PIECE = 1 << 14 }; /* elements per piece */

struct side {
    const struct fsd_array *array;
    struct fsd_stream *stream;
    unsigned width; /* bytes per element */
    unsigned char *raw;
    double *numbers;
};

struct sums {
    double diff2, a2, b2, ab, max_abs, max_rel, largest;
    uint64_t nan, inf, fresh;
};

/* Skips `left` bytes; false if the data has fewer bytes. */
static bool skip(struct side *s, uint64_t left)
{
    unsigned char skipped[512];

    while (left) {
        size_t n = left < sizeof skipped ? (size_t)left : sizeof skipped;

        if (fsd_stream_read(s->stream, skipped, n) != n)
            return false;
        left -= n;
    }
    return true;
}

static void open_side(struct side *s, const struct fsd_array *array)
{
    s->array = array;
    s->width = fsd_dtype_bits(array->type) / 8;
    s->stream = fsd_stream_open(&array->stored);
    s->raw = malloc((size_t)PIECE * s->width);
    s->numbers = malloc(PIECE * sizeof *s->numbers);
    if (!s->raw || !s->numbers)
        fsd_out_of_memory();
    skip(s, array->skip); /* if this fails, reading the elements fails too */
}

static void close_side(struct side *s)
{
    fsd_stream_close(s->stream);
    free(s->raw);
    free(s->numbers);
}

static double number_at(const struct side *s, size_t i)
{
    const unsigned char *p = s->raw + i * s->width;
    uint64_t bits = 0;
    double number = NAN;

    for (unsigned k = 0; k < s->width; k++)
        bits |= (uint64_t)p[s->array->big_endian ? s->width - 1 - k : k] << 8 * k;
    fsd_dtype_number(s->array->type, bits, &number);
    return number;
}

/* Reads n elements; false if the data has fewer elements. */
static bool read_piece(struct side *s, size_t n)
{
    if (fsd_stream_read(s->stream, s->raw, n * s->width) != n * s->width)
        return false;
    for (size_t i = 0; i < n; i++)
        s->numbers[i] = number_at(s, i);
    return true;
}

/* Whether the element `b` is NaN or infinite, and differs from its reference `a`. */
static bool is_fresh(double a, double b)
{
    return isnan(b) ? !isnan(a) : isinf(b) && a != b;
}

static void add_pair(struct sums *t, double a, double b)
{
    double d = fabs(b - a);

    t->largest =
        fmax(t->largest, fmax(isfinite(a) ? fabs(a) : 0, isfinite(b) ? fabs(b) : 0));
    t->nan += isnan(b) ? 1 : 0;
    t->inf += isinf(b) ? 1 : 0;
    t->fresh += is_fresh(a, b) ? 1 : 0;
    if (!isfinite(a) || !isfinite(b))
        return;
    t->diff2 += d * d;
    t->a2 += a * a;
    t->b2 += b * b;
    t->ab += a * b;
    t->max_abs = d > t->max_abs ? d : t->max_abs;
    if (a != 0 && d / fabs(a) > t->max_rel)
        t->max_rel = d / fabs(a);
}

static struct fsd_error_measure measure_of(const struct sums *t, bool alone)
{
    struct fsd_error_measure m = {.l2_rel = NAN,
                                  .max_abs = NAN,
                                  .max_rel = NAN,
                                  .l2 = NAN,
                                  .cosine = NAN,
                                  .largest = t->largest,
                                  .nan = t->nan,
                                  .inf = t->inf,
                                  .fresh = t->fresh};

    if (alone)
        return m;
    m.l2 = sqrt(t->diff2);
    m.l2_rel = t->diff2 == 0 ? 0 : t->a2 == 0 ? INFINITY : sqrt(t->diff2 / t->a2);
    m.max_abs = t->max_abs;
    m.max_rel = t->max_rel;
    if (t->a2 > 0 && t->b2 > 0)
        m.cosine = t->ab / (sqrt(t->a2) * sqrt(t->b2));
    return m;
}

/* NULL if the arrays can be compared, else the reason why they cannot be, a string
 * literal. */
static const char *unlike(const struct fsd_array *a, const struct fsd_array *b)
{
    if (a->odd || b->odd)
        return a->odd ? a->odd : b->odd;
    for (uint32_t i = 0; i < a->rank || i < b->rank; i++)
        if (a->rank != b->rank || a->dims[i] != b->dims[i])
            return "its shapes differ";
    if (a->fortran != b->fortran)
        return "one file stores the tensor in Fortran order, the other in C order "
               "(fortran_order)";
    return NULL;
}

static bool is_whole(struct side *s)
{
    return skip(s, s->array->behind) && fsd_stream_whole(s->stream);
}

static bool add_pieces(struct sums *t, struct side *a, struct side *b,
                       const struct fsd_array **broken)
{
    for (uint64_t left = b->array->count; left;) {
        size_t n = left < PIECE ? (size_t)left : PIECE;

        if (a->array && !read_piece(a, n))
            return *broken = a->array, false;
        if (!read_piece(b, n))
            return *broken = b->array, false;
        for (size_t i = 0; i < n; i++)
            add_pair(t, a->array ? a->numbers[i] : 0, b->numbers[i]);
        left -= n;
    }
    *broken = a->array && !is_whole(a) ? a->array : !is_whole(b) ? b->array : NULL;
    return !*broken;
}

const char *fsd_measure_error(const struct fsd_array *a, const struct fsd_array *b,
                              struct fsd_error_measure *out,
                              const struct fsd_array **broken)
{
    const char *why = a ? unlike(a, b) : b->odd;
    struct side first = {0}, second = {0};
    struct sums sums = {0};

    *broken = NULL;
    if (why)
        return why;
    if (a)
        open_side(&first, a);
    open_side(&second, b);
    if (!add_pieces(&sums, &first, &second, broken))
        why = "it is damaged or truncated";
    close_side(&first);
    close_side(&second);
    *out = measure_of(&sums, !a);
    return why;
}
