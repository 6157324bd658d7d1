/*
 * Reads the prefixes and suffixes that TensorRT adds to the name of a tensor:
 *
 *     x [profile 1]                    x, of the second profile
 *     X.1_myl0                         X itself
 *     X.1_5_myl0, __mye47X.1_5_myl0    an argument of the kernel that computes X; it is
 *                                      not treated as X: many of these arguments have
 *                                      another size than X
 *     W_constantFloat_myl0             the initializer W
 *
 * X may also consist of the name of a node and a suffix for a tensor inside the node
 * ("node_transpose_first_transpose_output").  Such an X stands for the output of the
 * node.
 */
#include "model/graph/graph.h"
#include "read/trt/name.h"

#include "base/base.h"

#include <stdlib.h>

/* Returns the length of the name without " [profile N]" at its end. */
static size_t without_profile(const char *s, size_t n)
{
    size_t len = strlen(FSD_TRT_PROFILE), at = n;

    if (!n || s[n - 1] != ']')
        return n;
    for (at = n - 1; at && s[at - 1] >= '0' && s[at - 1] <= '9';)
        at--;
    if (at == n - 1 || at < len || memcmp(s + at - len, FSD_TRT_PROFILE, len) != 0)
        return n;
    return at - len;
}

int32_t fsd_trt_tensor_profile(const struct fsd_intern *names, fsd_sym name)
{
    const char *s = fsd_text(names, name);
    size_t n = fsd_text_len(names, name), bare = without_profile(s, n);
    long number = bare < n ? strtol(s + bare + strlen(FSD_TRT_PROFILE), NULL, 10) : -1;

    return number > INT32_MAX ? INT32_MAX : (int32_t)number;
}

/* Removes `mark` and the digits after it from the end of the text. */
static bool cut_mark(struct fsd_slice *t, const char *mark)
{
    size_t n = t->n, len = strlen(mark);

    while (n && t->s[n - 1] >= '0' && t->s[n - 1] <= '9')
        n--;
    if (n == t->n || n < len || memcmp(t->s + n - len, mark, len) != 0)
        return false;
    t->n = n - len;
    return true;
}

static fsd_sym known_tensor(const struct fsd_vocab *vocab, struct fsd_slice t)
{
    const struct fsd_meaning *what = fsd_vocab_find(vocab, t.s, t.n);

    return fsd_meaning_tensor(vocab, what)->name;
}

/* Returns the name of the model's tensor for which the text `t` stands; 0 if there is
 * none. `t` is the name of the tensor, or the name of a node with a suffix. In the
 * second case, the tensor is the first output of the node. */
static fsd_sym meant(const struct fsd_vocab *vocab, struct fsd_slice t)
{
    static const char *const insides[] = {"_first_transpose_output", "_reshape_output",
                                          "_output", "_normalizationBiased"};
    const struct fsd_meaning *what;
    fsd_sym name;
    fsd_id out;

    while (fsd_slice_drop(&t, "'"))
        ;
    name = known_tensor(vocab, t);
    for (size_t i = 0; !name && i < FSD_COUNT_OF(insides); i++) {
        struct fsd_slice node = t;

        if (!fsd_slice_drop(&node, insides[i]))
            continue;
        what = fsd_vocab_find(vocab, node.s, node.n);
        if (!what || what->nodes.n != 1)
            continue;
        out = fsd_node_out_tensor(vocab->model, vocab->pool.at[what->nodes.at], 0);
        name = fsd_graph_tensor(vocab->model, out)->name;
    }
    return name;
}

static void read_kernel_tensor(struct fsd_tensor *t, struct fsd_slice name,
                               const struct fsd_vocab *vocab)
{
    static const char word[] = "_constant";
    uint64_t number;
    size_t at;

    if (!cut_mark(&name, "_myl"))
        return;
    for (at = name.n; at && name.s[at - 1] != '_';)
        at--;
    at = at ? at - 1 : 0;
    if (fsd_slice_begins((struct fsd_slice){name.s + at, name.n - at}, word))
        t->alias = known_tensor(vocab, (struct fsd_slice){name.s, at});
    else if (fsd_slice_drop(&name, ".1"))
        t->alias = meant(vocab, name);
    else if (cut_mark(&name, ".1_")) {
        if (fsd_slice_take(&name, "__mye"))
            fsd_slice_take_number(&name, UINT64_MAX, &number);
        t->argument = meant(vocab, name);
    }
}

/* Returns the number of the loop in a name like "$$myelin$$(Unnamed Loop*
 * 0)^s.2_myl0". */
static uint32_t loop_in(const char *name)
{
    static const char mark[] = "(Unnamed Loop* ";
    enum { DIGITS = 6 };
    uint32_t number = 0, n = 0;

    name = strstr(name, mark);
    if (!name)
        return 0;
    for (name += sizeof mark - 1; n < DIGITS && name[n] >= '0' && name[n] <= '9'; n++)
        number = number * 10 + (uint32_t)(name[n] - '0');
    return n && name[n] == ')' ? number + 1 : 0;
}

/* If a tensor x is both an input and an output of the network, TensorRT calls the input
 * "__x".  Returns the symbol of x for such a name, else 0. */
static fsd_sym also_output(const struct fsd_vocab *vocab, struct fsd_slice name)
{
    const struct fsd_meaning *what;
    const struct fsd_tensor *tensor;

    if (!vocab || !fsd_slice_take(&name, "__"))
        return 0;
    what = fsd_vocab_find(vocab, name.s, name.n);
    tensor = fsd_meaning_tensor(vocab, what);
    return tensor->flags & FSD_TENSOR_INPUT && tensor->flags & FSD_TENSOR_OUTPUT
               ? tensor->name
               : 0;
}

void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab)
{
    FSD_EACH (struct fsd_tensor, t, g->tensors) {
        struct fsd_slice name = {fsd_text(g->names, t->name),
                                 fsd_text_len(g->names, t->name)};
        size_t bare = without_profile(name.s, name.n);

        t->loop = loop_in(name.s);
        if (known_tensor(vocab, name))
            continue;
        if (bare < name.n)
            t->alias = known_tensor(vocab, (struct fsd_slice){name.s, bare});
        else if (t->flags & FSD_TENSOR_BINDING && also_output(vocab, name))
            t->alias = also_output(vocab, name);
        else
            read_kernel_tensor(t, name, vocab);
    }
}
