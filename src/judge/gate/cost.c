/*
 * Prints the cost of a change if there are no times: the bytes that all layers read and
 * write and, if a fusion was split, the tensor that now passes through memory:
 *
 *     before   Conv_3 + Relu_4
 *     now      Conv_3 -> 3.2 MB -> Relu_4
 */
#include "base/base.h"
#include "judge/gate/gate.h"

/* Whether the bytes of both builds can be compared. If two versions of this program
 * read the builds, they may count bytes differently. */
static bool knows_bytes(const struct fsd_compare *c)
{
    return c->old->bytes && c->new->bytes && c->old->reading == c->new->reading;
}

/* Prints the bytes that all layers read and write. The bytes of an inserted layer alone
 * would mislead, because the old build may have had the layer at another place. */
static void put_moved(const struct fsd_compare *c, FILE *out)
{
    uint32_t unknown = c->new->bytes_unknown + c->old->bytes_unknown;

    fputs("the layers read and write ", out);
    fsd_put_scaled(c->new->bytes, NULL, " B", out);
    if (c->new->bytes == c->old->bytes) {
        fputs(", as before", out);
    } else {
        fputs(", previously ", out);
        fsd_put_scaled(c->old->bytes, NULL, " B", out);
        fprintf(out, " (%+.1f %%)",
                100 * ((double)c->new->bytes / (double)c->old->bytes - 1));
    }
    if (!unknown)
        return;
    fputs(", not counting ", out);
    fsd_put_noun(out, unknown, "layer");
    fputs(" with unknown sizes", out);
}

/* -------------------------------------------------------------- of a split fusion */

/* The largest tensor between two groups that were one group in the old build. */
struct split {
    struct fsd_origin from; /* the node that produces the tensor */
    fsd_id to;              /* the group that consumes the tensor */
    int64_t bytes;
    uint32_t n; /* total number of tensors between groups that were one group before */
};

/* The size of a tensor in bytes; 0 if unknown. */
static int64_t bytes_of(const struct fsd_state *s, const struct fsd_state_tensor *t)
{
    uint64_t n = fsd_state_count(s, t->sizes);
    unsigned bits = fsd_dtype_bits((enum fsd_dtype)t->form.type);

    return bits && n <= INT64_MAX / bits ? (int64_t)(n * bits / 8) : 0;
}

/* Whether another group writes the input `in` of `group`, and both groups are parts of
 * one group of the old build. */
static bool is_split(const struct fsd_compare *c, fsd_id group,
                     const struct fsd_state_tensor *in)
{
    fsd_id from = fsd_state_group_of(c->new, fsd_origin_node(in->from.at));
    fsd_id region = fsd_compare_region_of(c, true, group);

    return from != FSD_NONE && from != group && region != FSD_NONE &&
           fsd_compare_region_of(c, true, from) == region &&
           c->regions.at[region].happened == FSD_HAPPENED_LOST;
}

static void look_at(const struct fsd_compare *c, fsd_id group,
                    const struct fsd_state_tensor *in, struct split *split)
{
    int64_t bytes = bytes_of(c->new, in);

    if (!bytes || !is_split(c, group, in))
        return;
    split->n++;
    if (bytes > split->bytes)
        *split = (struct split){in->from.at, group, bytes, split->n};
}

/* Finds the largest tensor between two groups that were one group in the old build. */
static struct split find_split(const struct fsd_compare *c)
{
    const struct fsd_state *s = c->new;
    struct split split = {.bytes = 0};

    for (fsd_id g = 0; g < s->groups.n; g++) {
        struct fsd_span kernels = s->groups.at[g].kernels;

        for (uint32_t k = kernels.at; k < kernels.at + kernels.n; k++) {
            struct fsd_span in = s->kernels.at[k].in;

            for (uint32_t i = in.at; i < in.at + in.n; i++)
                look_at(c, g, &s->tensors.at[i], &split);
        }
    }
    return split;
}

static void put_split(const struct fsd_compare *c, FILE *out)
{
    const struct fsd_state *s = c->new;
    struct split split = find_split(c);

    if (split.bytes < 1 || (s->bytes && 100 * split.bytes < s->bytes))
        return;
    fsd_printf_safe(out, "; a fusion was split: `%s` now writes ",
                    fsd_origin_text(s, split.from));
    fsd_put_scaled(split.bytes, NULL, " B", out);
    fsd_printf_safe(
        out, " for `%s`",
        fsd_text(s->names,
                 s->nodes.at[s->refs.at[s->groups.at[split.to].nodes.at]].key));
    if (split.n > 1) {
        fputs(" (and ", out);
        fsd_put_noun(out, split.n - 1, "other tensor");
        fputs(")", out);
    }
}

bool fsd_put_bytes_of_change(const struct fsd_compare *c, uint64_t inserted, FILE *out)
{
    bool known = knows_bytes(c);

    if (c->unlike) {
        fputs("times and bytes are not compared, because the inputs have different "
              "sizes",
              out);
        return true;
    }
    if (known) {
        put_moved(c, out);
    } else if (inserted) {
        fputs("inserted layers read and write ", out);
        fsd_put_scaled((int64_t)inserted, NULL, " B", out);
        fputs(" more", out);
    } else {
        return false;
    }
    put_split(c, out);
    return true;
}
