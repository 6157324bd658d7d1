/*
 * Compares how both builds were made: version, GPU, options. A fact that only one build
 * states counts neither as equal nor as different.
 *
 * For builds from two builders, layouts, kernels and tactics are not compared, because
 * their names are specific to a builder. Instead, this file counts the groups, the
 * layers that convert data, and the unfused Q and DQ of each builder, and adds up their
 * times.
 *
 * The time that each builder spent on a layer is compared by region, or by layer name.
 */
#include "change/compare/parts.h"

#include "base/base.h"
#include "model/ops/ops.h"

#include <ctype.h>
#include <math.h>

/* The range of versions that a dump's producer may mean: "8.2 to 8.4", "11 or
 * later". */
struct versions {
    struct fsd_slice product;
    uint64_t from, to;
};

enum { PARTS = 3, PART_BITS = 20, PART_MAX = (1 << PART_BITS) - 1 };

/* Parses a version such as "8.2" into the first and the last version that it may mean.
 * Leaves both unchanged if the text does not begin with a number. */
static bool take_version(struct fsd_slice *t, uint64_t *first, uint64_t *last)
{
    uint64_t from = 0, to = 0;

    for (int i = 0; i < PARTS; i++) {
        uint64_t part = 0;
        bool is_number = (i == 0 || fsd_slice_take(t, ".")) &&
                         fsd_slice_take_number(t, PART_MAX, &part);

        if (!is_number && i == 0)
            return false;
        from = from << PART_BITS | part;
        to = to << PART_BITS | (is_number ? part : PART_MAX);
    }
    *first = from;
    *last = to;
    return true;
}

static struct versions versions_of(const char *text)
{
    struct fsd_slice rest =
        fsd_slice_from(fsd_slice_of(text), strcspn(text, "0123456789"));
    struct versions v = {{text, (size_t)(rest.s - text)}, 0, UINT64_MAX};
    uint64_t other;

    v.product = fsd_slice_trim(v.product);
    if (!take_version(&rest, &v.from, &v.to))
        return v;
    if (fsd_slice_is(rest, " or later"))
        v.to = UINT64_MAX;
    else if (fsd_slice_is(rest, " or earlier"))
        v.from = 0;
    else if (fsd_slice_take(&rest, " to "))
        take_version(&rest, &other, &v.to);
    return v;
}

static bool other_version(const char *before, const char *after)
{
    struct versions a = versions_of(before), b = versions_of(after);

    return a.product.n != b.product.n ||
           memcmp(a.product.s, b.product.s, a.product.n) != 0 || a.to < b.from ||
           b.to < a.from;
}

/* Whether the log states the build's options. A log that states options always states
 * the calibration. Other options are in the log only if they were set. */
static bool states_options(const struct fsd_state *s)
{
    return fsd_built_find(&s->built, s->names, FSD_BUILT_CALIBRATION);
}

static const char *value_of(const struct fsd_state *s, const char *key, bool options)
{
    fsd_sym value = fsd_built_find(&s->built, s->names, key);

    return value                                 ? fsd_text(s->names, value)
           : options && fsd_built_is_option(key) ? "not set"
                                                 : NULL;
}

static void add_built_change(struct fsd_arena *arena, fsd_built_changes *out,
                             const struct fsd_state *const side[2], const char *key,
                             bool options)
{
    struct fsd_built_change change = {key, value_of(side[0], key, options),
                                      value_of(side[1], key, options)};

    if (strcmp(key, FSD_BUILT_MEASURED) != 0 &&
        (!change.before || !change.after || strcmp(change.before, change.after) != 0))
        fsd_vec_push(arena, out, change);
}

void fsd_compare_built(struct fsd_arena *arena, const struct fsd_state *old,
                       const struct fsd_state *new, fsd_built_changes *out)
{
    const struct fsd_state *const side[2] = {old, new};
    const char *before = old->producer ? fsd_text(old->names, old->producer) : NULL;
    const char *after = new->producer ? fsd_text(new->names, new->producer) : NULL;
    bool options = states_options(old) && states_options(new);

    if (before && after ? other_version(before, after) : before != after)
        fsd_vec_push(arena, out,
                     ((struct fsd_built_change){FSD_BUILT_VERSION, before, after}));
    for (uint32_t i = 0; i < old->built.n; i++)
        add_built_change(arena, out, side, fsd_text(old->names, old->built.at[i].key),
                         options);
    for (uint32_t i = 0; i < new->built.n; i++) {
        const char *key = fsd_text(new->names, new->built.at[i].key);

        if (!fsd_built_find(&old->built, old->names, key))
            add_built_change(arena, out, side, key, options);
    }
}

void fsd_compare_measured(struct fsd_arena *arena, const struct fsd_state *old,
                          const struct fsd_state *new, fsd_built_changes *out)
{
    struct fsd_built_change change = {FSD_BUILT_MEASURED,
                                      value_of(old, FSD_BUILT_MEASURED, false),
                                      value_of(new, FSD_BUILT_MEASURED, false)};

    if (change.before && change.after ? strcmp(change.before, change.after) != 0
                                      : change.before != change.after)
        fsd_vec_push(arena, out, change);
}

/* Compares the facts that must agree if builds are to be compared. Options may differ,
 * because users change them on purpose. */
struct fsd_built_fit fsd_compare_built_fit(struct fsd_arena *arena,
                                           const struct fsd_state *old,
                                           const struct fsd_state *new)
{
    static const char *const keys[] = {FSD_BUILT_LABEL, FSD_BUILT_VERSION,
                                       FSD_BUILT_GPU, FSD_BUILT_CAPABILITY,
                                       FSD_BUILT_KERNELS};
    struct fsd_built_fit fit = {0};
    fsd_built_changes changes = {0};

    fsd_compare_built(arena, old, new, &changes);
    for (size_t k = 0; k < FSD_COUNT_OF(keys); k++) {
        bool version = !strcmp(keys[k], FSD_BUILT_VERSION);
        /* A version agrees if the ranges of both builds overlap. Any other key agrees
         * if both builds state it and it is not among the changes. */
        bool alike = version || (fsd_built_find(&old->built, old->names, keys[k]) &&
                                 fsd_built_find(&new->built, new->names, keys[k]));

        for (uint32_t i = 0; i < changes.n; i++) {
            if (strcmp(changes.at[i].key, keys[k]) != 0)
                continue;
            alike = false;
            if (!fit.other.key && changes.at[i].before && changes.at[i].after)
                fit.other = changes.at[i];
        }
        fit.alike += alike;
    }
    return fit;
}

/* ---------------------------------------------------------------- two builders */

/* Whether one reader reads both formats. The name of a format begins with the name of
 * its reader, followed by "-". */
static bool are_of_one_reader(const char *a, const char *b)
{
    size_t n = strcspn(a, "-");

    return n == strcspn(b, "-") && !strncmp(a, b, n);
}

/* The builder without its version: "ONNX Runtime" for "ONNX Runtime 1.18 or later". */
static const char *builder_of(struct fsd_arena *arena, const struct fsd_state *s)
{
    const char *text = fsd_text(s->names, s->producer);
    size_t n = 0;

    while (text[n] && !(text[n] == ' ' && isdigit((unsigned char)text[n + 1])))
        n++;
    return n ? fsd_arena_strndup(arena, text, n) : fsd_text(s->names, s->engine_kind);
}

bool fsd_compare_across(const struct fsd_state *old, const struct fsd_state *new)
{
    return old->engine_kind && new->engine_kind &&
           !are_of_one_reader(fsd_text(old->names, old->engine_kind),
                              fsd_text(new->names, new->engine_kind));
}

static bool is_quantizer(const struct fsd_state *s, fsd_id move)
{
    return move == FSD_NONE || s->moves.at[move].kind == FSD_KIND_QUANTIZE;
}

bool fsd_move_change_is_free(const struct fsd_compare *c,
                             const struct fsd_move_change *m)
{
    return (m->old == FSD_NONE || c->old->moves.at[m->old].cause == FSD_CAUSE_FREE) &&
           (m->new == FSD_NONE || c->new->moves.at[m->new].cause == FSD_CAUSE_FREE);
}

bool fsd_move_change_is_quantizer(const struct fsd_compare *c,
                                  const struct fsd_move_change *m)
{
    return c->across && is_quantizer(c->old, m->old) && is_quantizer(c->new, m->new);
}

bool fsd_presence_is_quantizer(const struct fsd_compare *c,
                               const struct fsd_node_presence *p)
{
    struct fsd_shown node = fsd_compare_shown(c, p->old, p->new);

    return c->across &&
           fsd_op_is_qdq(fsd_text(node.s->names, node.s->nodes.at[node.at].op));
}

static void add_ms(double *sum, double ms)
{
    *sum += ms > 0 ? ms : 0;
}

static void count_moves(const struct fsd_state *s, struct fsd_builder *b)
{
    FSD_EACH (const struct fsd_move, m, s->moves)
        if (m->kind == FSD_KIND_QUANTIZE) {
            b->quantizers++;
            add_ms(&b->quantizers_ms, m->ms.median);
        } else if ((m->kind == FSD_KIND_REFORMAT || m->kind == FSD_KIND_COPY) &&
                   m->cause != FSD_CAUSE_FREE) {
            b->conversions++;
            add_ms(&b->conversions_ms, m->ms.median);
        }
}

/* Counts the groups of each region that both builds compute. Leaves out a region whose
 * fusion cannot be compared, such as one whose layers do not state their nodes. */
static void count_groups(const struct fsd_compare *c, struct fsd_builder *b)
{
    FSD_EACH (const struct fsd_region_diff, r, c->regions) {
        uint32_t old = r->old_groups.n, new = r->new_groups.n;

        if (!old || !new || r->happened == FSD_HAPPENED_OPAQUE)
            continue;
        b[0].groups += old;
        b[1].groups += new;
        b[0].fuses_more += old < new;
        b[1].fuses_more += new < old;
    }
}

void fsd_compare_builders(struct fsd_compare *c)
{
    const struct fsd_state *const sides[] = {c->old, c->new};

    if (!c->across)
        return;
    for (int i = 0; i < 2; i++) {
        c->builders[i].name = builder_of(c->arena, sides[i]);
        count_moves(sides[i], &c->builders[i]);
        for (fsd_id g = 0; g < sides[i]->groups.n; g++)
            add_ms(&c->builders[i].groups_ms, sides[i]->groups.at[g].ms.median);
    }
    count_groups(c, c->builders);
}

/* ------------------------------------------------------------------ times of builds */

/* Pairs the seconds that the two logs state for a layer. Layers of one region share a
 * row, whatever their names are. All other layers, mostly reformats that the builder
 * tried, are paired by name. */

/* The rows of c->efforts: one for each region, and one for each layer name outside of
 * all regions. If no log states seconds for the region or the name, it has no row. */
struct rows {
    struct fsd_compare *c;
    uint32_t *of_region; /* indexed by region: number of the row, plus 1 */
    uint32_t *of_name;   /* indexed by the symbol of a layer name of the old build:
                            number of the row, plus 1 */
    double *longest[2];  /* indexed by side, then row: the most seconds that this side's
                            log states for a layer of the row. The row has the layer's
                            name */
};

static uint32_t new_row(struct rows *r)
{
    fsd_vec_push(r->c->arena, &r->c->efforts, ((struct fsd_effort_change){.old = 0}));
    return r->c->efforts.n;
}

static fsd_id region_of(const struct fsd_compare *c, bool new, fsd_id layer)
{
    const struct fsd_state *s = new ? c->new : c->old;
    uint32_t group;

    if (layer == FSD_NONE || !s->of_layer)
        return FSD_NONE;
    group = s->of_layer[layer];
    return group & FSD_LAYER_MOVES ? FSD_NONE : fsd_compare_region_of(c, new, group);
}

static uint32_t *row_of(struct rows *r, bool new, const struct fsd_state_effort *e,
                        uint32_t *none)
{
    const struct fsd_compare *c = r->c;
    fsd_id region = region_of(c, new, e->layer);
    fsd_sym old = e->name;

    *none = 0;
    if (region != FSD_NONE)
        return &r->of_region[region];
    if (new)
        old = fsd_intern_other(c->new->names, e->name, c->old->names);
    return old == FSD_NONE ? none : &r->of_name[old];
}

static void add_side(struct rows *r, bool new)
{
    const struct fsd_state *s = new ? r->c->new : r->c->old;

    FSD_EACH (const struct fsd_state_effort, e, s->efforts) {
        uint32_t none, *row = row_of(r, new, e, &none);
        struct fsd_effort_change *change;

        if (!*row)
            *row = new_row(r);
        change = &r->c->efforts.at[*row - 1];
        *(new ? &change->after : &change->before) += e->seconds;
        *(new ? &r->c->effort_after : &r->c->effort_before) += e->seconds;
        if (e->seconds > r->longest[new][*row - 1]) {
            r->longest[new][*row - 1] = e->seconds;
            *(new ? &change->new : &change->old) = e->name;
        }
    }
}

FSD_ORDERED(widest_first, struct fsd_effort_change,
            fsd_falling(fabs(x->after - x->before), fabs(y->after - y->before)),
            fsd_order(x->old, y->old), fsd_order(x->new, y->new))

void fsd_compare_efforts(struct fsd_compare *c, struct fsd_arena *scratch)
{
    uint32_t most = c->old->efforts.n + c->new->efforts.n;
    struct rows r = {
        .c = c,
        .of_region = FSD_NEW(scratch, uint32_t, c->regions.n),
        .of_name = FSD_NEW(scratch, uint32_t, fsd_intern_count(c->old->names)),
        .longest = {FSD_NEW(scratch, double, most), FSD_NEW(scratch, double, most)}};

    if (!c->old->efforts.n || !c->new->efforts.n)
        return;
    add_side(&r, false);
    add_side(&r, true);
    fsd_vec_sort(&c->efforts, widest_first);
}
