/* Describes in words how a kernel changed. If a list changed, only the items that
 * differ are printed. */
#include "base/base.h"
#include "change/compare/parts.h"

#include <inttypes.h>

enum { LISTED_PARAMETERS = 3 }; /* maximum number of listed parameters */

FSD_NAMES(fsd_kernel_what_name, unsigned,
          FSD_KERNEL_REMOVED + 1, [FSD_KERNEL_CHANGED] = "changed",
          [FSD_KERNEL_ADDED] = "added", [FSD_KERNEL_REMOVED] = "removed")

/* ------------------------------------------------------------------------ lists */

/* Takes the next operation of a list such as "Mul+Add"; false at the end. */
static bool next_operation(const char **at, struct fsd_slice *word)
{
    *word = (struct fsd_slice){*at, strcspn(*at, "+")};
    *at += word->n;
    *at += **at == '+';
    return word->n > 0;
}

static uint32_t count_operation(const char *list, struct fsd_slice word)
{
    struct fsd_slice other;
    uint32_t n = 0;

    while (next_operation(&list, &other))
        n += fsd_slice_equal(word, other);
    return n;
}

/* Prints the operations that occur more often in `list` than in `other`, with the
 * number of additional occurrences if there are several: "Tanh, 2 Mul". */
static bool put_more(const char *list, const char *other, const char *lead, FILE *out)
{
    const char *at = list;
    struct fsd_slice word;
    bool any = false;

    while (next_operation(&at, &word)) {
        uint32_t more = count_operation(list, word), had = count_operation(other, word);

        /* Waits for the last occurrence of the word, so that it is printed once. */
        if (more <= had || count_operation(at, word))
            continue;
        fputs(any ? ", " : lead, out);
        if (more - had > 1)
            fprintf(out, "%" PRIu32 " ", more - had);
        fprintf(out, "%.*s", (int)word.n, word.s);
        any = true;
    }
    return any;
}

/* Prints only the operations that differ: a kernel may perform forty operations, of
 * which one is new. */
static void put_operations(const char *was, const char *is, const char *separator,
                           FILE *out)
{
    bool any;

    fputs(separator, out);
    any = put_more(is, was, "now performs ", out);
    any |= put_more(was, is, any ? " and no longer " : "no longer performs ", out);
    if (!any)
        fputs("performs the same operations in a different order", out);
}

static void put_parameter(struct fsd_slice name, struct fsd_slice was,
                          struct fsd_slice now, const char *before, FILE *out)
{
    const struct fsd_slice none = fsd_slice_of("none");

    was = was.n ? was : none;
    now = now.n ? now : none;
    fprintf(out, "%s%.*s %.*s, before %.*s", before, (int)name.n, name.s, (int)now.n,
            now.s, (int)was.n, was.s);
}

/* Prints "has Activation NONE, before RELU; Groups 2, before 1; and 2 more
 * parameters". */
static void put_parameters(const char *was, const char *is, const char *separator,
                           FILE *out)
{
    const char *at = is;
    struct fsd_state_word word, other;
    uint32_t n = 0;

    fprintf(out, "%shas ", separator);
    while (fsd_state_next_word(&at, &word)) {
        if (!fsd_state_find_word(was, word.name, &other))
            other.value = (struct fsd_slice){NULL, 0};
        if (!fsd_slice_equal(word.value, other.value) && n++ < LISTED_PARAMETERS)
            put_parameter(word.name, other.value, word.value, n > 1 ? "; " : "", out);
    }
    for (at = was; fsd_state_next_word(&at, &word);)
        if (!fsd_state_find_word(is, word.name, &other) && n++ < LISTED_PARAMETERS)
            put_parameter(word.name, word.value, (struct fsd_slice){NULL, 0},
                          n > 1 ? "; " : "", out);
    if (n > LISTED_PARAMETERS)
        fprintf(out, "; and %u more parameters", n - LISTED_PARAMETERS);
    else if (!n)
        fputs("different parameters", out);
}

static void put_lost(const struct fsd_kernel_change *k, FILE *out)
{
    const char *const facts[] = {k->type_lost ? "types" : NULL,
                                 k->layout_lost ? "layouts" : NULL,
                                 k->consts_lost ? "weights" : NULL};
    const char *separator = " no longer states its ";

    for (unsigned i = 0; i < FSD_COUNT_OF(facts); i++)
        if (facts[i]) {
            fprintf(out, "%s%s", separator, facts[i]);
            separator = ", ";
        }
}

/* The node that stands for a group's kernel in reports: the last node that the kernel
 * is known to compute, or else the last node of the group. */
static fsd_id node_of(const struct fsd_compare *c, bool new, fsd_id kernel)
{
    const struct fsd_state *s = new ? c->new : c->old;
    struct fsd_span computes = s->kernels.at[kernel].computes;
    struct fsd_span nodes = s->groups.at[c->kernel_of[new][kernel]].nodes;

    nodes = computes.n ? computes : nodes;
    return s->refs.at[nodes.at + nodes.n - 1];
}

/* The origin of input k->input: a node or a network input. */
static struct fsd_origin origin_of(const struct fsd_compare *c,
                                   const struct fsd_kernel_change *k, bool new)
{
    const struct fsd_state *s = new ? c->new : c->old;
    const struct fsd_kernel *kernel = &s->kernels.at[new ? k->new : k->old];
    fsd_id writer = new ? k->new_writer : k->old_writer;

    return writer == FSD_NONE ? s->tensors.at[kernel->in.at + k->input].from.at
                              : fsd_node_origin(node_of(c, new, writer));
}

/* Prints "an output of `Relu_3`" or "the input `x`". */
static void put_source(const struct fsd_state *s, struct fsd_origin from, FILE *out)
{
    if (!fsd_is_origin(from))
        fputs("a tensor of unknown origin", out);
    else
        fsd_printf_safe(out,
                        fsd_origin_node(from) == FSD_NONE ? "the input `%s`"
                                                          : "an output of `%s`",
                        fsd_origin_text(s, from));
}

void fsd_put_kernel_source(const struct fsd_compare *c,
                           const struct fsd_kernel_change *k, FILE *out)
{
    struct fsd_origin is = origin_of(c, k, true), was = origin_of(c, k, false);

    fprintf(out, "takes input %" PRIu32 " from ", k->input);
    if (fsd_is_origin(is) && fsd_is_origin(was) &&
        !strcmp(fsd_origin_text(c->new, is), fsd_origin_text(c->old, was))) {
        fsd_printf_safe(out, "a different output of `%s` than before",
                        fsd_origin_text(c->new, is));
        return;
    }
    put_source(c->new, is, out);
    fputs(", before: ", out);
    put_source(c->old, was, out);
}

bool fsd_only_lost(const struct fsd_kernel_change *k)
{
    bool other = k->what != FSD_KERNEL_CHANGED || k->width != FSD_WIDTH_SAME ||
                 k->layout || k->sizes || k->ports || k->unwritten || k->consts ||
                 k->type || k->does || k->attrs || k->computes || k->provider ||
                 k->source || k->missed;

    return !other && (k->type_lost || k->layout_lost || k->consts_lost);
}

void fsd_put_kernel_change(const struct fsd_compare *c,
                           const struct fsd_kernel_change *k, bool types, FILE *out)
{
    const struct fsd_state *old = c->old, *new = c->new;
    const struct fsd_kernel *p = &old->kernels.at[k->old],
                            *q = &new->kernels.at[k->new];
    const char *separator = " ";

    if (k->type &&
        strcmp(fsd_text(old->names, p->type), fsd_text(new->names, q->type)) != 0)
        fprintf(out, "%sis of another type, before: %s", separator,
                fsd_text(old->names, p->type)),
            separator = "; ";
    else if (k->type)
        fprintf(out, "%sis a %s, before: %s", separator,
                fsd_kind_name((enum fsd_kind)q->kind),
                fsd_kind_name((enum fsd_kind)p->kind)),
            separator = "; ";
    if (types) {
        fprintf(out, "%shas ", separator);
        fsd_put_state_tensor(new, &k->after, out);
        fputs(", before: ", out);
        fsd_put_state_tensor(old, &k->before, out);
        separator = "; ";
    }
    if (k->sizes)
        fprintf(out, "%sreads or writes a tensor of %s, before: %s", separator,
                fsd_text(new->names, k->sizes_after),
                fsd_text(old->names, k->sizes_before)),
            separator = "; ";
    if (k->ports)
        fprintf(out,
                "%sreads %u tensor%s and writes %u, before: it read %u and wrote %u",
                separator, q->in.n, fsd_plural(q->in.n), q->out.n, p->in.n, p->out.n),
            separator = "; ";
    if (k->consts)
        fprintf(out, "%shas different weights or constants", separator),
            separator = "; ";
    if (k->does)
        put_operations(fsd_text(old->names, p->does), fsd_text(new->names, q->does),
                       separator, out),
            separator = "; ";
    if (k->attrs && k->type) /* if types differ, all parameters may differ, so they are
                                not listed */
        fprintf(out, "%shas different parameters", separator), separator = "; ";
    else if (k->attrs)
        put_parameters(fsd_text(old->names, p->attrs), fsd_text(new->names, q->attrs),
                       separator, out),
            separator = "; ";
    if (k->computes)
        fprintf(out, "%scomputes different nodes", separator), separator = "; ";
    if (k->provider)
        fprintf(out, "%sruns on %s, before: %s", separator,
                q->provider ? fsd_text(new->names, q->provider) : "an unknown provider",
                fsd_text(old->names, p->provider)),
            separator = "; ";
    if (k->source) {
        fputs(separator, out);
        fsd_put_kernel_source(c, k, out);
    }
    if (fsd_only_lost(k))
        put_lost(k, out);
}
