/*
 * Compares the kernels of both builds within each region and each pair of moves.
 * Kernels have no stable names, so two kernels are the same if they agree in everything
 * known about them. All other kernels are paired by fewer and fewer criteria, and the
 * differences of each pair are reported:
 *
 *     old   gemm 32x64 -> 32x192        new   gemm 32x64 -> 32x64
 *           kgen 32x192 -> 8x16x16            gemm 32x64 -> 32x128
 *                                             kgen 32x192 -> 8x16x16
 *
 * The kgen is the same. The old gemm is paired with the first new gemm, and its output
 * differs in size. The second gemm is new.
 */
#include "base/base.h"
#include "change/compare/parts.h"

/* The criteria for pairing, strictest first. Kernels that are paired by one of the
 * criteria from BY_PLACE to BY_WORK do the same work. */
enum {
    BY_PLACE, /* the kernels are equal, and so are the kernels before and after them */
    BY_ABOVE,
    BY_BELOW,
    BY_ALL,
    BY_BUT_NODES,
    BY_WORK,
    BY_WEIGHTS,
    BY_NODES,
    BY_SIZES,
    BY_TYPE,
    BY_REST,
    CRITERIA
};

struct pairing {
    struct fsd_compare *c;
    const uint32_t *bucket[2]; /* indexed by kernel: only kernels of one bucket are
                                  paired; FSD_NONE: the kernel is not compared */
    bool *done[2];
    struct fsd_hash_row *rows;
    fsd_id *to_new; /* indexed by old kernel: the new kernel that does the same work;
                       FSD_NONE: none */
    const struct fsd_places *places; /* NULL: unknown */
};

static const struct fsd_state *side(const struct fsd_compare *c, bool new)
{
    return new ? c->new : c->old;
}

static unsigned form_states(struct fsd_state_form form)
{
    return (form.type != FSD_DTYPE_UNKNOWN ? FSD_STATES_TYPES : 0) |
           (form.layout ? FSD_STATES_LAYOUTS : 0);
}

unsigned fsd_state_states(const struct fsd_state *s)
{
    unsigned bits = 0;

    for (uint32_t i = 0; i < s->tensors.n; i++)
        bits |= form_states(s->tensors.at[i].form);
    for (uint32_t i = 0; i < s->borders.n; i++)
        bits |= form_states(s->borders.at[i].form);
    for (uint32_t i = 0; i < s->moves.n; i++)
        bits |= form_states(s->moves.at[i].before) | form_states(s->moves.at[i].after);
    for (uint32_t i = 0; i < s->kernels.n; i++)
        bits |= (s->kernels.at[i].consts.n ? FSD_STATES_CONSTS : 0) |
                (s->kernels.at[i].provider ? FSD_STATES_PROVIDERS : 0);
    for (uint32_t i = 0; i < s->bindings.n; i++)
        bits |= s->bindings.at[i].ranges || s->bindings.at[i].outside
                    ? FSD_STATES_RANGES
                    : 0;
    return bits;
}

/* ----------------------------------------------------------------------- hashes */

static uint64_t hash_tensors(const struct fsd_state *s, struct fsd_span span,
                             bool forms)
{
    uint64_t hash = span.n;

    FSD_EACH_IN (const struct fsd_state_tensor, t, s->tensors, span) {
        hash = fsd_hash_mix(hash, fsd_state_hash(s, t->sizes));
        if (forms)
            hash = fsd_hash_mix(
                fsd_hash_mix(hash, t->form.type + (t->unwritten ? 256u : 0)),
                fsd_state_hash(s, t->form.layout));
    }
    return hash;
}

uint64_t fsd_hash_kernel_text(const struct fsd_state *s, fsd_id kernel)
{
    const struct fsd_kernel *k = &s->kernels.at[kernel];
    uint64_t hash =
        fsd_hash_mix(fsd_state_hash(s, k->type), fsd_state_hash(s, k->does));

    hash = fsd_hash_mix(hash, hash_tensors(s, k->in, true));
    hash = fsd_hash_mix(hash, hash_tensors(s, k->out, true));
    if (k->provider)
        hash = fsd_hash_mix(hash, fsd_state_hash(s, k->provider));
    return fsd_hash_mix(hash, hash_tensors(s, k->consts, true));
}

/* A hash of a set of nodes. The hash does not depend on the order of the nodes. A new
 * node and its old counterpart have the same hash. */
static uint64_t hash_nodes(const struct fsd_compare *c, bool new, struct fsd_span nodes)
{
    const struct fsd_state *s = side(c, new);
    uint64_t sum = nodes.n;

    FSD_EACH_ID (node, s->refs, nodes) {
        fsd_id old = new ? c->align->to_old[node] : node;

        sum += fsd_hash_mix(1, old == FSD_NONE ? (UINT64_C(1) << 32) + node : old);
    }
    return sum;
}

static uint64_t hash_kernel(const struct pairing *p, bool new, fsd_id i, int pass)
{
    const struct fsd_state *s = side(p->c, new);
    const struct fsd_kernel *k = &s->kernels.at[i];
    uint64_t hash = fsd_hash_mix(p->bucket[new][i], (uint64_t)pass);

    if (pass == BY_PLACE)
        return fsd_hash_mix(p->places->above[new][i], p->places->below[new][i]);
    if (pass == BY_ABOVE)
        return p->places->above[new][i];
    if (pass == BY_BELOW)
        return p->places->below[new][i];
    if (pass == BY_REST)
        return hash;
    if (pass == BY_NODES)
        return k->computes.n ? fsd_hash_mix(hash, hash_nodes(p->c, new, k->computes))
                             : fsd_hash_mix(hash, ((uint64_t)i << 1) + new + 1);
    hash = fsd_hash_mix(hash, fsd_state_hash(s, k->type));
    if (pass == BY_TYPE)
        return hash;
    hash = fsd_hash_mix(hash, hash_tensors(s, k->out, pass <= BY_WORK));
    if (pass == BY_SIZES)
        return hash;
    hash = fsd_hash_mix(hash, fsd_state_hash(s, k->does));
    if (!((p->c->unstated | p->c->unheld) & FSD_STATES_CONSTS))
        hash = fsd_hash_mix(hash, hash_tensors(s, k->consts, pass <= BY_WORK));
    if (pass == BY_WEIGHTS)
        return hash;
    hash = fsd_hash_mix(hash, fsd_state_hash(s, k->attrs));
    if (pass == BY_WORK)
        return hash;
    hash = fsd_hash_mix(hash, hash_tensors(s, k->in, true));
    hash = fsd_hash_mix(hash, k->kind * 256u + k->precision);
    if (!((p->c->unstated | p->c->unheld) & FSD_STATES_PROVIDERS))
        hash = fsd_hash_mix(hash, fsd_state_hash(s, k->provider));
    return pass == BY_ALL ? fsd_hash_mix(hash, hash_nodes(p->c, new, k->computes))
                          : hash;
}

/* ------------------------------------------------------------- what differs of two */

/* Compares the types of a tensor. If both are known, and their change is worse (enum
 * fsd_width) than the one in `change`, stores it there. If only the old type is known,
 * stores `was` as change->lost, unless an earlier tensor is there. */
static void compare_type(struct fsd_kernel_change *change, struct fsd_state_tensor was,
                         struct fsd_state_tensor is)
{
    uint8_t width = fsd_width_of(was.form.type, is.form.type);

    if (was.form.type != FSD_DTYPE_UNKNOWN && is.form.type == FSD_DTYPE_UNKNOWN) {
        change->lost = change->type_lost ? change->lost : was;
        change->type_lost = true;
    }
    if (!fsd_types_differ(was.form.type, is.form.type) || width <= change->width)
        return;
    change->width = width;
    change->before = was;
    change->after = is;
}

static void compare_tensor(const struct fsd_compare *c,
                           struct fsd_kernel_change *change,
                           struct fsd_state_tensor was, struct fsd_state_tensor is)
{
    compare_type(change, was, is);
    change->unwritten |= is.unwritten && !was.unwritten;
    if (!change->layout && was.form.type == is.form.type &&
        fsd_texts_differ(c, was.form.layout, is.form.layout)) {
        change->layout = true;
        change->from = was.form;
        change->to = is.form;
    }
    change->layout_lost |= was.form.layout && !is.form.layout;
    if (strcmp(fsd_text(c->old->names, was.sizes), fsd_text(c->new->names, is.sizes)) !=
            0 &&
        !change->sizes) {
        change->sizes = true;
        change->sizes_before = was.sizes;
        change->sizes_after = is.sizes;
    }
}

static bool are_alike(const struct fsd_compare *c, const struct fsd_state_tensor *was,
                      const struct fsd_state_tensor *is)
{
    return was->form.type == is->form.type &&
           !strcmp(fsd_text(c->old->names, was->form.layout),
                   fsd_text(c->new->names, is->form.layout)) &&
           !strcmp(fsd_text(c->old->names, was->sizes),
                   fsd_text(c->new->names, is->sizes));
}

/* Compares two sorted lists of constants. Leaves out the constants that both lists
 * contain. Of the remaining constants, compares the first of `p` with the first of `q`,
 * the second with the second, and so on. */
static void compare_consts(const struct fsd_compare *c, struct fsd_arena *scratch,
                           struct fsd_kernel_change *change, struct fsd_span p,
                           struct fsd_span q)
{
    bool *had = FSD_NEW(scratch, bool, q.n), *left = FSD_NEW(scratch, bool, p.n);
    uint32_t k = 0;

    for (uint32_t i = 0; i < p.n; i++) {
        left[i] = true;
        for (uint32_t at = 0; left[i] && at < q.n; at++)
            if (!had[at] && are_alike(c, &c->old->tensors.at[p.at + i],
                                      &c->new->tensors.at[q.at + at]))
                had[at] = !(left[i] = false);
    }
    for (uint32_t i = 0; i < p.n; i++) {
        const struct fsd_state_tensor *was = &c->old->tensors.at[p.at + i], *is;

        if (!left[i])
            continue;
        while (k < q.n && had[k])
            k++;
        if (k == q.n) {
            change->consts = true;
            continue;
        }
        is = &c->new->tensors.at[q.at + k++];
        compare_type(change, *was, *is);
        change->consts |= strcmp(fsd_text(c->old->names, was->sizes),
                                 fsd_text(c->new->names, is->sizes)) != 0;
    }
    while (k < q.n && had[k])
        k++;
    change->consts |= k < q.n;
}

static void compare_ports(const struct fsd_compare *c, struct fsd_kernel_change *change,
                          struct fsd_span p, struct fsd_span q)
{
    change->ports |= p.n != q.n;
    for (uint32_t i = 0; i < p.n && i < q.n; i++)
        compare_tensor(c, change, c->old->tensors.at[p.at + i],
                       c->new->tensors.at[q.at + i]);
}

static bool texts_differ(const struct fsd_compare *c, fsd_sym old, fsd_sym new)
{
    return strcmp(fsd_text(c->old->names, old), fsd_text(c->new->names, new)) != 0;
}

/* Whether the kinds of two kernels differ. If only one build states layouts, kinds are
 * not compared: without layouts, a reformat looks like a copy. Kinds also count as
 * equal if the operations are the same and one kind is FSD_KIND_COMPUTE, because an
 * earlier version of this program may have used this kind. */
static bool kinds_differ(const struct fsd_compare *c, const struct fsd_kernel *p,
                         const struct fsd_kernel *q)
{
    bool counted = (p->kind == FSD_KIND_COMPUTE || q->kind == FSD_KIND_COMPUTE) &&
                   p->does && !texts_differ(c, p->does, q->does);

    return p->kind != q->kind && !counted &&
           !((c->unstated | c->unheld) & FSD_STATES_LAYOUTS);
}

/* Whether the fused activations differ. A kernel lists the activation among its
 * attributes. */
static bool has_other_activation(const struct fsd_compare *c,
                                 const struct fsd_kernel *p, const struct fsd_kernel *q)
{
    struct fsd_slice name = fsd_slice_of("Activation");
    struct fsd_state_word was, is;

    return fsd_state_find_word(fsd_text(c->old->names, p->attrs), name, &was) &&
           fsd_state_find_word(fsd_text(c->new->names, q->attrs), name, &is) &&
           !fsd_slice_equal(was.value, is.value);
}

static void compare_pair(struct fsd_compare *c, struct fsd_arena *scratch,
                         struct fsd_kernel_change change)
{
    const struct fsd_kernel *p = &c->old->kernels.at[change.old];
    const struct fsd_kernel *q = &c->new->kernels.at[change.new];
    struct fsd_region_diff *region = fsd_compare_region(c, change.region);

    compare_ports(c, &change, p->in, q->in);
    compare_ports(c, &change, p->out, q->out);
    if (c->unstated & FSD_STATES_CONSTS)
        change.consts_lost = p->consts.n > 0;
    else if (!(c->unheld & FSD_STATES_CONSTS))
        compare_consts(c, scratch, &change, p->consts, q->consts);
    compare_type(&change, (struct fsd_state_tensor){.form.type = p->precision},
                 (struct fsd_state_tensor){.form.type = q->precision});
    change.type = texts_differ(c, p->type, q->type) || kinds_differ(c, p, q);
    change.does = texts_differ(c, p->does, q->does);
    change.attrs = texts_differ(c, p->attrs, q->attrs);
    change.activation = change.attrs && has_other_activation(c, p, q);
    change.provider = p->provider &&
                      !((c->unstated | c->unheld) & FSD_STATES_PROVIDERS) &&
                      texts_differ(c, p->provider, q->provider);
    change.computes =
        p->computes.n && q->computes.n &&
        hash_nodes(c, false, p->computes) != hash_nodes(c, true, q->computes);
    if (change.type_lost && region)
        region->type_lost = true;
    fsd_vec_push(c->arena, &c->kernels, change);
}

/* -------------------------------------------------------------------------- pairs */

/* Whether a kernel is compared. A synchronization kernel without outputs (a signal, a
 * wait or a jump) is not compared: the number of such kernels depends on the number of
 * streams, not on what a build computes. */
static bool is_compared(const struct pairing *p, bool new, fsd_id kernel)
{
    const struct fsd_kernel *k = &side(p->c, new)->kernels.at[kernel];

    return p->bucket[new][kernel] != FSD_NONE && (k->kind != FSD_KIND_SYNC || k->out.n);
}

static uint32_t collect_kernels(const struct pairing *p, int pass)
{
    uint32_t n = 0;

    for (int at = 0; at < 2; at++)
        for (fsd_id i = 0; i < side(p->c, at)->kernels.n; i++)
            if (is_compared(p, at, i) && !p->done[at][i])
                p->rows[n++] =
                    (struct fsd_hash_row){hash_kernel(p, at, i, pass), i, at};
    fsd_hash_rows_sort(p->rows, n);
    return n;
}

static fsd_id region_of_owner(const struct fsd_compare *c, bool new, uint32_t owner)
{
    return owner & FSD_LAYER_MOVES
               ? fsd_compare_region_of_move(c, new, owner & ~FSD_LAYER_MOVES)
               : fsd_compare_region_of(c, new, owner);
}

/* Whether the build states the kernels of the region's groups. A dump that lists only
 * layer names does not. */
static bool holds_kernels(const struct fsd_compare *c, const struct fsd_region_diff *r,
                          bool new)
{
    struct fsd_span groups = new ? r->new_groups : r->old_groups;
    uint32_t layers = 0, kernels = 0;

    FSD_EACH_ID (group, c->pool, groups) {
        const struct fsd_group *g = &side(c, new)->groups.at[group];

        layers += g->layers;
        kernels += g->kernels.n;
    }
    return kernels || !layers;
}

static void add_kernel_change(struct pairing *p, struct fsd_arena *scratch, fsd_id old,
                              fsd_id new, int pass)
{
    struct fsd_compare *c = p->c;
    struct fsd_kernel_change change = {.what = old == FSD_NONE   ? FSD_KERNEL_ADDED
                                               : new == FSD_NONE ? FSD_KERNEL_REMOVED
                                                                 : FSD_KERNEL_CHANGED,
                                       .old = old,
                                       .new = new,
                                       .old_of = fsd_id_at(c->kernel_of[0], old),
                                       .new_of = fsd_id_at(c->kernel_of[1], new)};
    struct fsd_region_diff *r;

    change.region = new != FSD_NONE ? region_of_owner(c, true, change.new_of)
                                    : region_of_owner(c, false, change.old_of);
    r = fsd_compare_region(c, change.region);
    if (r && change.what == FSD_KERNEL_CHANGED && pass <= BY_WORK)
        r->as_before++;
    if (change.what == FSD_KERNEL_CHANGED && pass <= BY_WORK)
        p->to_new[old] = new;
    if (pass <= BY_ALL || (r && change.what != FSD_KERNEL_CHANGED &&
                           !holds_kernels(c, r, change.what == FSD_KERNEL_REMOVED)))
        return;
    if (r)
        r->kernels = true;
    if (change.what == FSD_KERNEL_CHANGED)
        compare_pair(c, scratch, change);
    else
        fsd_vec_push(c->arena, &c->kernels, change);
}

static void pair_rows(struct pairing *p, struct fsd_arena *scratch, uint32_t at,
                      uint32_t end, int pass)
{
    uint32_t news = at;

    while (news < end && !p->rows[news].new)
        news++;
    if (pass == BY_REST && news - at != end - news)
        return; /* there are more kernels on one side: it is unknown which kernels
                   correspond */
    for (uint32_t i = at, k = news; i < news && k < end; i++, k++) {
        p->done[0][p->rows[i].id] = p->done[1][p->rows[k].id] = true;
        add_kernel_change(p, scratch, p->rows[i].id, p->rows[k].id, pass);
    }
}

static struct pairing pairing_of(struct fsd_compare *c, struct fsd_arena *scratch,
                                 const uint32_t *old_bucket, const uint32_t *new_bucket)
{
    uint32_t n = c->old->kernels.n, m = c->new->kernels.n;

    return (struct pairing){
        .c = c,
        .bucket = {old_bucket, new_bucket},
        .done = {FSD_NEW(scratch, bool, n), FSD_NEW(scratch, bool, m)},
        .rows = FSD_NEW(scratch, struct fsd_hash_row, (size_t)n + m),
        .to_new = fsd_ids_new(scratch, n)};
}

static void pair_all(struct pairing *p, struct fsd_arena *scratch)
{
    for (int pass = p->places ? BY_PLACE : BY_ALL; pass < CRITERIA; pass++) {
        uint32_t count = collect_kernels(p, pass);

        for (uint32_t i = 0, k; i < count; i = k) {
            k = fsd_hash_rows_end(p->rows, count, i);
            pair_rows(p, scratch, i, k, pass);
        }
    }
    for (fsd_id i = 0; i < p->c->old->kernels.n; i++)
        if (is_compared(p, false, i) && !p->done[0][i])
            add_kernel_change(p, scratch, i, FSD_NONE, CRITERIA);
    for (fsd_id i = 0; i < p->c->new->kernels.n; i++)
        if (is_compared(p, true, i) && !p->done[1][i])
            add_kernel_change(p, scratch, FSD_NONE, i, CRITERIA);
}

void fsd_compare_kernels(struct fsd_compare *c, struct fsd_arena *scratch,
                         const uint32_t *old_bucket, const uint32_t *new_bucket)
{
    struct pairing p = pairing_of(c, scratch, old_bucket, new_bucket);

    if (fsd_compare_has_kernels(c))
        pair_all(&p, scratch);
}

/* Indexed by kernel: its group, or its move | FSD_LAYER_MOVES. */
static uint32_t *kernel_owners(struct fsd_arena *arena, const struct fsd_state *s)
{
    uint32_t *of = fsd_ids_new(arena, s->kernels.n);
    for (fsd_id i = 0; i < s->groups.n; i++)
        for (uint32_t k = 0; k < s->groups.at[i].kernels.n; k++)
            of[s->groups.at[i].kernels.at + k] = i;
    for (fsd_id i = 0; i < s->moves.n; i++)
        for (uint32_t k = 0; k < s->moves.at[i].kernels.n; k++)
            of[s->moves.at[i].kernels.at + k] = FSD_LAYER_MOVES | i;
    return of;
}

static void find_places(struct pairing *p, struct fsd_arena *scratch)
{
    uint64_t *text[2];

    for (int at = 0; at < 2; at++) {
        uint32_t n = side(p->c, at)->kernels.n;

        text[at] = FSD_NEW(scratch, uint64_t, n);
        for (fsd_id i = 0; i < n; i++)
            text[at][i] = hash_kernel(p, at, i, BY_ALL);
    }
    p->places = fsd_compare_places(p->c, scratch, text);
}

/* Compares the kernels of each region's groups. */
void fsd_compare_group_kernels(struct fsd_compare *c, struct fsd_arena *scratch)
{
    struct pairing p;
    uint32_t *bucket[2];

    for (int at = 0; at < 2; at++) {
        const struct fsd_state *s = side(c, at);

        c->kernel_of[at] = kernel_owners(c->arena, s);
        bucket[at] = FSD_NEW(scratch, uint32_t, s->kernels.n);
        for (fsd_id i = 0; i < s->kernels.n; i++) {
            uint32_t of = c->kernel_of[at][i];

            bucket[at][i] =
                fsd_compare_region_of(c, at, of & FSD_LAYER_MOVES ? FSD_NONE : of);
        }
    }
    if (!fsd_compare_has_kernels(c))
        return;
    p = pairing_of(c, scratch, bucket[0], bucket[1]);
    find_places(&p, scratch);
    pair_all(&p, scratch);
    if (p.places)
        fsd_compare_sources(c, scratch, p.places, p.to_new);
}

/* ---------------------------------------------------------------------- bindings */

/* The inputs and outputs of a build, indexed by name. If several have the same name,
 * the index has the first. */
struct bindings {
    const struct fsd_state *s;
    uint32_t *of[2]; /* for inputs and for outputs, indexed by the symbol of a name: the
                        number of the input or output, plus 1; 0: none has that name */
};

static struct bindings bindings_of(const struct fsd_state *s, struct fsd_arena *scratch)
{
    struct bindings b = {.s = s};

    for (int output = 0; output < 2; output++)
        b.of[output] = FSD_NEW(scratch, uint32_t, fsd_intern_count(s->names));
    for (uint32_t i = s->bindings.n; i-- > 0;)
        b.of[s->bindings.at[i].output != 0][s->bindings.at[i].name] = i + 1;
    return b;
}

static const struct fsd_binding *binding_named(const struct bindings *b,
                                               const struct fsd_binding *like,
                                               const char *name)
{
    fsd_sym sym = fsd_intern_find(b->s->names, name, strlen(name));
    uint32_t at = sym == FSD_NONE ? 0 : b->of[like->output != 0][sym];

    return at ? &b->s->bindings.at[at - 1] : NULL;
}

static void add_binding(struct fsd_compare *c, const struct fsd_binding *p,
                        const struct fsd_binding *q)
{
    struct fsd_binding_change change = {.old = p, .new = q};

    if (p && q) {
        change.form = fsd_forms_differ(c, p->form, q->form);
        change.outside = fsd_layouts_differ(c, p->outside, q->outside);
        change.shape = fsd_texts_differ(c, p->shape, q->shape);
        change.ranges = fsd_texts_differ(c, p->ranges, q->ranges);
        change.lost =
            (p->shape && !q->shape) ||
            (!(c->unstated & FSD_STATES_RANGES) &&
             ((p->ranges && !q->ranges) || (p->outside && !q->outside))) ||
            (!(c->unstated & FSD_STATES_LAYOUTS) && p->form.layout &&
             !q->form.layout) ||
            (!(c->unstated & FSD_STATES_TYPES) && p->form.type != FSD_DTYPE_UNKNOWN &&
             q->form.type == FSD_DTYPE_UNKNOWN);
        if (!change.form && !change.outside && !change.shape && !change.ranges &&
            !change.lost)
            return;
    }
    fsd_vec_push(c->arena, &c->bindings, change);
}

/* Compares inputs and outputs by name, because applications address them by name. */
void fsd_compare_bindings(struct fsd_compare *c, struct fsd_arena *scratch)
{
    const struct fsd_state *s = c->old, *t = c->new;
    struct bindings before, now;

    if (!s->whole || !t->whole)
        return;
    before = bindings_of(s, scratch);
    now = bindings_of(t, scratch);
    FSD_EACH (const struct fsd_binding, b, s->bindings)
        add_binding(c, b, binding_named(&now, b, fsd_text(s->names, b->name)));
    FSD_EACH (const struct fsd_binding, b, t->bindings)
        if (!binding_named(&before, b, fsd_text(t->names, b->name)))
            add_binding(c, NULL, b);
}
