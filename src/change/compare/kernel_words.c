/* What changed of a kernel, in words: of lists the difference, not both lists. */
#include "base/base.h"
#include "change/compare/parts.h"

#include <inttypes.h>
#include <string.h>

enum { NAMED = 3 }; /* parameters */

FSD_NAMES(fsd_kernel_what_name, unsigned,
          FSD_KERNEL_REMOVED + 1, [FSD_KERNEL_CHANGED] = "changed",
          [FSD_KERNEL_ADDED] = "added", [FSD_KERNEL_REMOVED] = "removed")

/* ------------------------------------------------------------------------ lists */

/* The next of words with one separator between them; false at the end. */
static bool next_word(const char **at, char between, struct fsd_slice *word)
{
    const char separators[] = {between, '\0'};

    if (!**at)
        return false;
    *word = (struct fsd_slice){*at, strcspn(*at, separators)};
    *at += word->n;
    *at += **at != '\0';
    return true;
}

static bool are_equal(struct fsd_slice a, struct fsd_slice b)
{
    return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

static uint32_t count_word(const char *list, char between, struct fsd_slice word)
{
    struct fsd_slice other;
    uint32_t n = 0;

    while (next_word(&list, between, &other))
        n += are_equal(word, other);
    return n;
}

/* Prints the words that a list has more often than another, each once: "Tanh, 2 Mul".
 */
static bool put_more(const char *list, const char *other, const char *lead, FILE *out)
{
    const char *at = list;
    struct fsd_slice word;
    bool any = false;

    while (next_word(&at, '+', &word)) {
        uint32_t more = count_word(list, '+', word), had = count_word(other, '+', word);

        /* The rest of the list has the last one of the word alone. */
        if (more <= had || count_word(at, '+', word))
            continue;
        fputs(any ? ", " : lead, out);
        if (more - had > 1)
            fprintf(out, "%" PRIu32 " ", more - had);
        fprintf(out, "%.*s", (int)word.n, word.s);
        any = true;
    }
    return any;
}

/* A kernel may perform forty operations, of which one is new. */
static void put_operations(const char *was, const char *is, const char *comma,
                           FILE *out)
{
    bool any;

    fputs(comma, out);
    any = put_more(is, was, "now performs ", out);
    any |= put_more(was, is, any ? " and no longer " : "no longer performs ", out);
    if (!any)
        fputs("performs the same in another order", out);
}

/* "Activation" of "Activation=RELU". */
static struct fsd_slice name_of(struct fsd_slice word)
{
    const char *end = memchr(word.s, '=', word.n);

    return (struct fsd_slice){word.s, end ? (size_t)(end - word.s) : word.n};
}

static struct fsd_slice value_of(struct fsd_slice word)
{
    size_t name = name_of(word).n;

    return name < word.n ? (struct fsd_slice){word.s + name + 1, word.n - name - 1}
                         : (struct fsd_slice){"none", 4};
}

static struct fsd_slice find_parameter(const char *list, struct fsd_slice name)
{
    struct fsd_slice word;

    while (next_word(&list, ' ', &word))
        if (are_equal(name_of(word), name))
            return word;
    return name; /* without a value */
}

/* "has Activation NONE, before RELU, and 2 more parameters" */
static void put_parameters(const char *was, const char *is, const char *comma,
                           FILE *out)
{
    const char *const lists[] = {is, was};
    uint32_t n = 0;

    for (int i = 0; i < 2; i++) {
        const char *at = lists[i];
        struct fsd_slice word;

        while (next_word(&at, ' ', &word)) {
            struct fsd_slice before = find_parameter(was, name_of(word)),
                             now = find_parameter(is, name_of(word));

            /* Of the old list what the new one lacks. */
            if (are_equal(before, now) ||
                (i && value_of(now).s != name_of(now).s &&
                 find_parameter(is, name_of(word)).n > name_of(word).n))
                continue;
            before = value_of(before);
            now = value_of(now);
            if (n++ < NAMED)
                fprintf(out, "%s%s%.*s %.*s, before %.*s", n == 1 ? comma : "; ",
                        n == 1 ? "has " : "", (int)name_of(word).n, word.s, (int)now.n,
                        now.s, (int)before.n, before.s);
        }
    }
    if (!n)
        fprintf(out, "%shas other parameters", comma);
    else if (n > NAMED)
        fprintf(out, "; and %u more parameters", n - NAMED);
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

/* The node by which the kernel is known that writes an output of a group: the last one
 * that it computes. */
static fsd_id writing_node(const struct fsd_state *s, struct fsd_producer from)
{
    fsd_id node = fsd_origin_node(from.at), group = fsd_state_group_of(s, node);
    const struct fsd_group *g = group == FSD_NONE ? NULL : &s->groups.at[group];
    struct fsd_span nodes;
    uint32_t left = from.out;

    if (!g) /* of another variant of the snapshot */
        return node;
    nodes = g->nodes;

    for (uint32_t i = g->kernels.at; i < g->kernels.at + g->kernels.n; i++) {
        const struct fsd_kernel *k = &s->kernels.at[i];

        if (left < k->out.n) {
            nodes = k->computes.n ? k->computes : nodes;
            break;
        }
        left -= k->out.n;
    }
    return s->refs.at[nodes.at + nodes.n - 1];
}

/* "an output of `Relu_3`", "the input `x`" */
static void put_source(const struct fsd_state *s, const struct fsd_kernel *k,
                       uint32_t input, FILE *out)
{
    struct fsd_producer from = s->tensors.at[k->in.at + input].from;

    if (!fsd_is_origin(from.at))
        fputs("a tensor of unknown origin", out);
    else if (fsd_origin_node(from.at) == FSD_NONE)
        fsd_printf_safe(out, "the input `%s`", fsd_origin_text(s, from.at));
    else
        fsd_printf_safe(out, "an output of `%s`",
                        fsd_state_node_key(s, writing_node(s, from)));
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
    const char *comma = " ";

    if (k->type &&
        strcmp(fsd_text(old->names, p->type), fsd_text(new->names, q->type)) != 0)
        fprintf(out, "%swas a %s", comma, fsd_text(old->names, p->type)), comma = ", ";
    else if (k->type)
        fprintf(out, "%sis a %s, was a %s", comma,
                fsd_kind_name((enum fsd_kind)q->kind),
                fsd_kind_name((enum fsd_kind)p->kind)),
            comma = ", ";
    if (types) {
        fprintf(out, "%shas ", comma);
        fsd_put_state_tensor(new, &k->after, out);
        fputs(" for ", out);
        fsd_put_state_tensor(old, &k->before, out);
        comma = ", ";
    }
    if (k->sizes)
        fprintf(out, "%sreads or writes %s, before: %s", comma,
                fsd_text(new->names, k->sizes_after),
                fsd_text(old->names, k->sizes_before)),
            comma = ", ";
    if (k->ports)
        fprintf(out, "%sreads %u and writes %u tensors, before: %u and %u", comma,
                q->in.n, q->out.n, p->in.n, p->out.n),
            comma = ", ";
    if (k->consts)
        fprintf(out, "%shas other weights or constants", comma), comma = ", ";
    if (k->does)
        put_operations(fsd_text(old->names, p->does), fsd_text(new->names, q->does),
                       comma, out),
            comma = ", ";
    if (k->attrs && k->type) /* another layer has others */
        fprintf(out, "%shas other parameters", comma), comma = ", ";
    else if (k->attrs)
        put_parameters(fsd_text(old->names, p->attrs), fsd_text(new->names, q->attrs),
                       comma, out),
            comma = ", ";
    if (k->computes)
        fprintf(out, "%scomputes other nodes", comma), comma = ", ";
    if (k->provider)
        fprintf(out, "%sruns on %s, before: %s", comma,
                q->provider ? fsd_text(new->names, q->provider) : "an unknown provider",
                fsd_text(old->names, p->provider)),
            comma = ", ";
    if (k->source) {
        fprintf(out, "%sreads as input %" PRIu32 " ", comma, k->input);
        put_source(new, q, k->input, out);
        fputs(", before: ", out);
        put_source(old, p, k->input, out);
    }
    if (fsd_only_lost(k))
        put_lost(k, out);
}
