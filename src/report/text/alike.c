/*
 * Finds regions of a comparison that changed in the same way, such as the equal blocks
 * of a network: only the names of their nodes differ. The text shows the first of these
 * regions and names the others.
 */
#include "base/base.h"
#include "report/text/alike.h"

#include <stdlib.h>

/* Hashes the text of a symbol, because two states have different symbols for the same
 * text. */
static uint64_t with_text(uint64_t form, const struct fsd_state *s, fsd_sym sym)
{
    return fsd_hash_mix(form, fsd_hash_text(fsd_text(s->names, sym)));
}

static uint64_t with_form(uint64_t form, const struct fsd_state *s,
                          struct fsd_state_form of)
{
    return with_text(fsd_hash_mix(form, of.type), s, of.layout);
}

static uint64_t with_groups(uint64_t form, const struct fsd_compare *c,
                            const struct fsd_state *s, struct fsd_span groups)
{
    form = fsd_hash_mix(form, groups.n);
    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[c->pool.at[groups.at + i]];

        form = fsd_hash_mix(form, g->precision);
        form = fsd_hash_mix(form, g->kind);
        form = fsd_hash_mix(form, g->layers);
        for (uint32_t k = 0; k < g->nodes.n; k++)
            form = with_text(form, s, s->nodes.at[s->refs.at[g->nodes.at + k]].op);
    }
    return form;
}

static uint64_t with_move(uint64_t form, const struct fsd_state *s, fsd_id move)
{
    const struct fsd_move *m;

    if (move == FSD_NONE)
        return fsd_hash_mix(form, FSD_NONE);
    m = &s->moves.at[move];
    form = fsd_hash_mix(form, m->kind);
    form = fsd_hash_mix(form, m->cause);
    form = with_form(form, s, m->before);
    return with_form(form, s, m->after);
}

/* Begins the hash of a region's change; add_changes() completes it. Returns 0 if the
 * region must not be put together with others: if it has no change, or if it has
 * additional inputs (`unasked`), because its text names them. */
static uint64_t form_of(const struct fsd_compare *c, const struct fsd_region_diff *r)
{
    uint64_t form = fsd_hash_mix(r->happened, r->width);

    if (!r->differs || r->unasked.n)
        return 0;
    form = fsd_hash_mix(form, (r->layout ? 1U : 0) | (r->layers ? 2U : 0) |
                                  (r->tactic ? 4U : 0) | (r->kernels ? 8U : 0) |
                                  (r->moves ? 16U : 0));
    form = with_groups(form, c, c->old, r->old_groups);
    return with_groups(form, c, c->new, r->new_groups);
}

/* Hashes a kernel change by its text, which names operators but no nodes. */
static uint64_t with_kernel(uint64_t form, const struct fsd_compare *c,
                            const struct fsd_kernel_change *k)
{
    const struct fsd_state *s = fsd_compare_shown(c, k->old, k->new).s;
    const struct fsd_kernel *of = &s->kernels.at[fsd_id_or(k->new, k->old)];
    struct fsd_print text;

    form = with_text(with_text(fsd_hash_mix(form, k->what), s, of->type), s, of->does);
    if (k->what != FSD_KERNEL_CHANGED)
        return form;
    fsd_put_kernel_change(c, k, k->width != FSD_WIDTH_SAME, fsd_print_open(&text));
    fsd_print_close(&text);
    form = fsd_hash_mix(form, fsd_hash_text(text.text));
    free(text.text);
    return form;
}

static void add_changes(const struct fsd_compare *c, uint64_t *forms)
{
    FSD_EACH (const struct fsd_move_change, m, c->moves) {
        uint64_t *form = &forms[fsd_id_or(m->region, c->regions.n)];

        if (!*form || fsd_move_change_is_quantizer(c, m))
            continue;
        *form = fsd_hash_mix(*form, m->what);
        *form = with_move(*form, c->old, m->old);
        *form = with_move(*form, c->new, m->new);
    }
    FSD_EACH (const struct fsd_edge_change, e, c->edges) {
        uint64_t *form = &forms[fsd_id_or(e->region, c->regions.n)];

        if (!*form)
            continue;
        *form = with_form(*form, c->old, e->before);
        *form = with_form(*form, c->new, e->after);
    }
    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        uint64_t *form = &forms[fsd_id_or(k->region, c->regions.n)];

        if (form && *form && c->regions.at[k->region].happened == FSD_HAPPENED_SAME)
            *form = with_kernel(*form, c, k);
    }
}

struct place {
    uint64_t form;
    uint32_t at; /* the region's index in the order of the comparison */
};

FSD_ORDERED(by_form, struct place, fsd_order(x->form, y->form), fsd_order(x->at, y->at))

struct fsd_alike fsd_regions_alike(const struct fsd_compare *c, struct fsd_arena *arena)
{
    /* A hash of the changes of each region. A region with hash 0 is like no other. */
    uint64_t *forms = FSD_NEW(arena, uint64_t, c->regions.n + 1);
    struct place *places = FSD_NEW(arena, struct place, c->regions.n);
    struct fsd_alike alike = {FSD_NEW(arena, uint32_t, c->regions.n),
                              FSD_NEW(arena, uint32_t, c->regions.n)};

    for (uint32_t i = 0; i < c->regions.n; i++)
        forms[i] = form_of(c, &c->regions.at[i]);
    add_changes(c, forms);
    for (uint32_t i = 0; i < c->regions.n; i++)
        places[i] = (struct place){forms[c->order[i]], i};
    qsort(places, c->regions.n, sizeof *places, by_form);
    for (uint32_t i = 0; i < c->regions.n; i++) {
        bool same = i && places[i].form && places[i].form == places[i - 1].form;

        alike.next[places[i].at] = FSD_NONE;
        alike.first[places[i].at] = same ? alike.first[places[i - 1].at] : places[i].at;
        if (same)
            alike.next[places[i - 1].at] = places[i].at;
    }
    return alike;
}
