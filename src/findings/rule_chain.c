/*
 * Chains: movers one behind another.  All that follow from one first mover are one
 * finding; where one of them brings back the form that an earlier one changed, the
 * change was for nothing, and the finding is a round trip.
 */
#include "diff/advice.h"
#include "findings/rule_list.h"

enum { STEPS = 64 };

static bool same_form(const struct fsd_form *a, const struct fsd_form *b)
{
    return a && b && a->type == b->type && fsd_layout_same(a->layout, b->layout);
}

static bool is_told(const struct fsd_form *form)
{
    return form && form->type != FSD_DTYPE_UNKNOWN &&
           form->layout.order != FSD_ORDER_UNKNOWN;
}

static bool returns(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_form *made = fsd_layer_form_out(d, layer);
    fsd_id at = d->flows->of[layer].before;

    if (!is_told(made) || same_form(made, fsd_layer_form_in(d, layer)))
        return false;
    for (int steps = 0; at != FSD_NONE && steps < STEPS; steps++) {
        if (same_form(made, fsd_layer_form_in(d, at)))
            return true;
        at = d->flows->of[at].before;
    }
    return false;
}

struct chain {
    uint32_t costly; /* members that are not free */
    bool returns;
};

static struct chain *find_chains(const struct fsd_diff *d, struct fsd_arena *scratch)
{
    struct chain *chains = FSD_NEW(scratch, struct chain, d->engine->nodes.n);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        fsd_id head = d->flows->of[i].head;

        if (!d->flows->of[i].there || fsd_layer_is_free(d, i))
            continue;
        chains[head].costly++;
        chains[head].returns = chains[head].returns || returns(d, i);
    }
    return chains;
}

/* Members of each chain, without a walk over all layers for each. */
static fsd_id *list_members(const struct fsd_diff *d, struct fsd_arena *scratch,
                            fsd_id **next)
{
    uint32_t n = d->engine->nodes.n;
    fsd_id *first = FSD_NEW(scratch, fsd_id, n);

    *next = FSD_NEW(scratch, fsd_id, n);
    for (fsd_id i = 0; i < n; i++)
        first[i] = FSD_NONE;
    for (fsd_id i = n; i-- > 0;)
        if (d->flows->of[i].there) {
            (*next)[i] = first[d->flows->of[i].head];
            first[d->flows->of[i].head] = i;
        }
    return first;
}

static void find(const struct fsd_diff *d, struct fsd_findings *out,
                 const struct fsd_rule *rule, bool round_trips)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const struct chain *chains = find_chains(d, scratch);
    fsd_id *next, *first = list_members(d, scratch, &next);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (chains[i].costly < 2 || chains[i].returns != round_trips)
            continue;
        fsd_finding_new(out, rule);
        for (fsd_id at = first[i]; at != FSD_NONE; at = next[at])
            fsd_finding_layer(out, at);
    }
    fsd_arena_free(scratch);
}

void fsd_find_chains(const struct fsd_diff *d, struct fsd_findings *out,
                     const struct fsd_rule *rule)
{
    find(d, out, rule, false);
}

void fsd_find_round_trips(const struct fsd_diff *d, struct fsd_findings *out,
                          const struct fsd_rule *rule)
{
    find(d, out, rule, true);
}

static void put_type(const struct fsd_form *form, FILE *out)
{
    char layout[16];

    if (form)
        fprintf(out, "%s %s", fsd_dtype_name(form->type),
                fsd_layout_name(form->layout, layout));
}

/* "layers 3, 4: fp32 chw -> fp16 chw32 -> int8 chw32, MaxPool_12 -> ..." */
void fsd_phrase_chain(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out)
{
    fsd_id first = d->findings->subjects.at[f->layers.at];
    double ms = 0;

    fprintf(out, "layers");
    for (uint32_t i = 0; i < f->layers.n && i < 8; i++)
        fprintf(out, "%s %u", i ? "," : "", d->findings->subjects.at[f->layers.at + i]);
    if (f->layers.n > 8)
        fprintf(out, " and %u more", f->layers.n - 8);
    fputs(": ", out);
    put_type(fsd_layer_form_in(d, first), out);
    for (uint32_t i = 0; i < f->layers.n; i++) {
        fsd_id layer = d->findings->subjects.at[f->layers.at + i];

        ms += fsd_layer_ms(d, layer) > 0 ? fsd_layer_ms(d, layer) : 0;
        if (i < 8) {
            fputs(" -> ", out);
            put_type(fsd_layer_form_out(d, layer), out);
        }
    }
    fputs(", ", out);
    fsd_put_edge(d, first, out);
    if (d->times->profiles)
        fprintf(out, ", %.4f ms", ms);
}
