/*
 * Finds names that identify a node or weight in any export. A name that an exporter
 * numbered does not identify its node. The exporter numbers the calls of a module or
 * operator, so an added call changes the numbers of the later calls.
 *
 *     /layer1/relu_1/Relu    numbered
 *     /layer1/relu/Relu      numbered if /layer1/relu_1 exists: the first call gets no
 *                            number
 */
#include "change/compare/parts.h"

/* The length of the name without a counter such as "_12"; n if it has no counter. */
static size_t without_counter(const char *name, size_t n)
{
    size_t i = n;

    while (i && name[i - 1] >= '0' && name[i - 1] <= '9')
        i--;
    return i < n && i > 1 && name[i - 1] == '_' ? i - 1 : n;
}

bool fsd_align_weight_identifies(const char *name)
{
    size_t n = strlen(name);

    return strncmp(name, "onnx::", 6) != 0 && strchr(name, '.') &&
           without_counter(name, n) == n;
}

/* The length of the component, such as "/layer1", that begins at `at` of the name. */
static size_t step(const char *name, size_t at)
{
    return name[at] ? 1 + strcspn(name + at + 1, "/.:") : 0;
}

struct fsd_intern *fsd_align_counted(struct fsd_arena *scratch,
                                     const struct fsd_state *s)
{
    struct fsd_intern *stems = fsd_intern_new(scratch);

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        const char *name = fsd_text(s->names, s->nodes.at[i].key);

        for (size_t at = 0, n = step(name, 0); n; at += n, n = step(name, at)) {
            size_t stem = without_counter(name, at + n);

            if (stem < at + n)
                fsd_intern_add(stems, name, stem);
        }
    }
    return stems;
}

/* The module in a name of the TorchScript exporter; "" if there is none:
 *
 *     /blocks/blocks.0/up/MatMul    is in blocks.0.up */
static const char *module_in(struct fsd_arena *scratch, const char *name)
{
    char *module = FSD_NEW(scratch, char, strlen(name) + 1), *end = module; /* all 0 */
    const char *last = "";
    size_t n_last = 0;

    for (const char *next; *name == '/' && (next = strchr(name + 1, '/'));
         name = next) {
        const char *part = name + 1;
        size_t n = (size_t)(next - part);
        bool goes_on =
            n > n_last && n_last && part[n_last] == '.' && !memcmp(part, last, n_last);
        size_t skip = goes_on ? n_last : 0;

        if (!goes_on && end > module)
            *end++ = '.';
        memcpy(end, part + skip, n - skip);
        end += n - skip;
        last = part;
        n_last = n;
    }
    return module;
}

uint64_t fsd_align_module(struct fsd_arena *scratch, const struct fsd_align_side *side,
                          fsd_id node)
{
    const struct fsd_state_node *n = &side->s->nodes.at[node];
    const char *name = fsd_text(side->s->names, n->key), *module;

    if (n->module)
        return fsd_state_hash(side->s, n->module);
    if (!n->named || !fsd_align_node_identifies(side->counted, name))
        return 0;
    module = module_in(scratch, name);
    return *module ? fsd_hash_text(module) : 0;
}

bool fsd_align_node_identifies(const struct fsd_intern *counted, const char *name)
{
    if (!strchr(name, '/'))
        return false;
    for (size_t at = 0, n = step(name, 0); n; at += n, n = step(name, at))
        if (without_counter(name, at + n) < at + n ||
            fsd_intern_has(counted, name, at + n))
            return false;
    return true;
}
