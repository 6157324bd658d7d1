/* Forms: the types, layouts and sizes of tensors. */
#pragma once

#include "base/base.h"
#include "model/graph/dtype.h"

struct fsd_graph;

/** The maximum size of a dimension.  A larger size shows that the model is damaged. */
#define FSD_DIM_MAX ((int64_t)1 << 40)

/** One dimension of a shape.  It has a size, a name ("batch"), or neither if it is
 * unknown. */
struct fsd_dim {
    int64_t size; /**< -1: unknown */
    fsd_sym name; /**< 0: no name */
    fsd_id term;  /**< an expression for the size: its index in fsd_graph.terms, plus 1;
                       0: unknown */
};

/** An expression of named sizes, as a tree.  The operands of a term have lower numbers
 *  than the term, so there are no cycles. */
struct fsd_term {
    enum fsd_term_is {
        FSD_TERM_NUMBER,
        FSD_TERM_NAME,
        FSD_TERM_PLUS,
        FSD_TERM_TIMES,
        FSD_TERM_CEIL, /**< a divided by b, rounded up */
        FSD_TERM_MOST, /**< the larger of a and b */
        FSD_TERM_LEAST
    } is;
    fsd_id a, b;    /**< the operands, in fsd_graph.terms */
    int64_t number; /**< may be negative */
    fsd_sym name;
};

/** Type, layout and shape of a tensor at one port. */
struct fsd_form {
    enum fsd_dtype type;
    struct fsd_layout layout;
    bool ranked;             /**< false: the shape is unknown */
    struct fsd_span dims;    /**< in fsd_graph.dims */
    struct fsd_span strides; /**< the stride of each dimension in elements, in
                                  fsd_graph.ints; -1: unknown; empty if no strides are
                                  stated */
    fsd_sym raw;             /**< the format as the input spells it; 0: not stated */
};

/** Returns the number of elements of a form; -1 if a dimension is unknown or the
 *  product exceeds 63 bits. */
int64_t fsd_form_count(const struct fsd_graph *g, const struct fsd_form *form);

/** Whether both forms state the same sizes and the same strides. */
bool fsd_forms_alike(const struct fsd_graph *g, const struct fsd_form *a,
                     const struct fsd_form *b);

/** Whether both forms have the same sizes, ignoring axes of size 1.  False if the shape
 *  of a form is unknown.  An unknown size differs from each known size.
 *  @param proved  true: two unknown sizes differ, too; false: they are equal */
bool fsd_sizes_alike(const struct fsd_graph *g, const struct fsd_form *a,
                     const struct fsd_graph *h, const struct fsd_form *b, bool proved);

/** Writes the type and the layout, if known, into `out` as reports print them: "fp32
 *  chw32".  Returns `out`. */
enum { FSD_FORM_ROOM = 32 };
const char *fsd_form_text(const struct fsd_form *form, char out[FSD_FORM_ROOM]);
/** Prints the type and the layout, if known: "fp32 chw32". */
void fsd_put_form(const struct fsd_form *form, FILE *out);
/** Prints the sizes, separated by `between`: "1,N,224".  A dynamic size is printed as
 *  its name, or as "?" if it has none. */
void fsd_put_sizes(const struct fsd_graph *g, const struct fsd_form *form,
                   const char *between, FILE *out);
