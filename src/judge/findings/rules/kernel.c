/*
 * Rules about changes since a snapshot: of the inputs, outputs and constants of
 * kernels, of the number of kernels, and of the engine's inputs and outputs. If a rule
 * about nodes, edges or moves reports a change, these rules do not report it again.
 */
#include "base/base.h"
#include "judge/findings/finder.h"

#include <stdlib.h>

enum { ENDS_NAMED = 6 };

static const char NOT_MADE[] =
    "; the adjacent layers did not change and still need this layer";

/* ------------------------------------------------------------- what is reported */

/* Changes of types that other rules report. Each entry has a region, the old type and
 * the new type. Sorted. */
struct fsd_reported_types {
    uint64_t *at;
    uint32_t n;
};

static uint64_t pack_place(fsd_id region, uint8_t before, uint8_t after)
{
    return (uint64_t)region << 16 | (uint64_t)before << 8 | after;
}

static fsd_id region_of_node(const struct fsd_compare *c, fsd_id node)
{
    return fsd_compare_region_of_node(c, true, node);
}

static struct fsd_reported_types find_reported_types(const struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    struct fsd_reported_types reported = {
        FSD_NEW(f->scratch, uint64_t,
                c->precisions.n + 2 * (size_t)c->edges.n + 4 * (size_t)c->moves.n),
        0};

    FSD_EACH (const struct fsd_node_change, p, c->precisions)
        reported.at[reported.n++] =
            pack_place(region_of_node(c, p->new), p->before, p->after);
    FSD_EACH (const struct fsd_edge_change, e, c->edges) {
        if (e->before.type == e->after.type)
            continue;
        reported.at[reported.n++] =
            pack_place(e->region, e->before.type, e->after.type);
        reported.at[reported.n++] =
            pack_place(region_of_node(c, fsd_origin_node(e->new_from)), e->before.type,
                       e->after.type);
    }
    FSD_EACH (const struct fsd_move_change, m, c->moves) {
        const struct fsd_move *p, *q;
        fsd_id from;

        if (m->what != FSD_MOVE_CHANGED)
            continue;
        p = &c->old->moves.at[m->old];
        q = &c->new->moves.at[m->new];
        from = q->from.n ? fsd_origin_node(fsd_origin_at(c->new->refs.at, q->from, 0))
                         : FSD_NONE;
        from = region_of_node(c, from);
        reported.at[reported.n++] = pack_place(m->region, p->after.type, q->after.type);
        reported.at[reported.n++] =
            pack_place(m->region, p->before.type, q->before.type);
        reported.at[reported.n++] = pack_place(from, p->before.type, q->before.type);
    }
    fsd_vec_sort(&reported, fsd_by_number);
    return reported;
}

static bool is_reported(const struct fsd_reported_types *reported,
                        const struct fsd_kernel_change *k)
{
    uint64_t place = pack_place(k->region, k->before.form.type, k->after.form.type);

    return reported->n && bsearch(&place, reported->at, reported->n,
                                  sizeof *reported->at, fsd_by_number) != NULL;
}

/* Whether types of the kernel differ, and no other rule reports this. */
static bool has_types(const struct fsd_reported_types *reported,
                      const struct fsd_kernel_change *k)
{
    return k->what == FSD_KERNEL_CHANGED && k->width != FSD_WIDTH_SAME &&
           !is_reported(reported, k);
}

/* ---------------------------------------------------------------------- phrases */

static const char *text(const struct fsd_state *s, fsd_sym sym)
{
    return fsd_text(s->names, sym);
}

/* Prints the ends, and adds as subjects the ends that are nodes. */
static void put_end_names(struct fsd_finder *f, struct fsd_ends ends)
{
    for (uint32_t i = 0; i < ends.n; i++) {
        fsd_about_state_node(f, ends.s, fsd_end_node(ends, i));
        if (i < ENDS_NAMED)
            fprintf(f->out, "%s%s", i ? " + " : "", fsd_end_text(ends, i));
    }
    if (ends.n > ENDS_NAMED)
        fprintf(f->out, " + %u more", ends.n - ENDS_NAMED);
}

/* Prints nodes that identify a move, as in " before `Conv_3`": the nodes that the move
 * realises, else the consumers of its output, else the producers of its input. */
static void put_place(struct fsd_finder *f, const struct fsd_state *s,
                      const struct fsd_move *m)
{
    const struct {
        const char *word;
        struct fsd_ends ends;
    } places[] = {{"of", fsd_ends_of_nodes(s, m->nodes)},
                  {"before", fsd_ends_of_destinations(s, m->to)},
                  {"behind", fsd_ends_of_origins(s, m->from)}};

    for (size_t i = 0; i < FSD_COUNT_OF(places); i++) {
        if (!places[i].ends.n)
            continue;
        fprintf(f->out, " %s `", places[i].word);
        put_end_names(f, places[i].ends);
        putc('`', f->out);
        return;
    }
}

/* Prints "gemm of `MatMul_3 + Add_4`", and adds these nodes as subjects. */
void fsd_put_kernel(struct fsd_finder *f, const struct fsd_kernel_change *k, bool new)
{
    const struct fsd_state *s = new ? f->c->new : f->c->old;
    const struct fsd_kernel *kernel = &s->kernels.at[new ? k->new : k->old];
    uint32_t of = new ? k->new_of : k->old_of;
    const char *type = text(s, kernel->type);

    fprintf(f->out, "%s", *type ? type : "layer");
    if (of & FSD_LAYER_MOVES) {
        put_place(f, s, &s->moves.at[of & ~FSD_LAYER_MOVES]);
    } else {
        fputs(" of `", f->out);
        put_end_names(f, fsd_ends_of_nodes(s, kernel->computes.n
                                                  ? kernel->computes
                                                  : s->groups.at[of].nodes));
        putc('`', f->out);
    }
    f->now.line = k->old == FSD_NONE ? 0 : f->c->old->kernels.at[k->old].line;
}

static void put_tensor(struct fsd_finder *f, const struct fsd_state *s,
                       const struct fsd_state_tensor *t)
{
    fsd_put_state_tensor(s, t, f->out);
}

/* ------------------------------------------------------------------------ types */

static void report_types(struct fsd_finder *f, const struct fsd_kernel_change *k)
{
    fsd_finding_open(f);
    fputs("the ", f->out);
    fsd_put_kernel(f, k, true);
    fputs(k->after.sizes ? " reads, writes or contains a tensor of type "
                           "and size "
                         : " runs in ",
          f->out);
    put_tensor(f, f->c->new, &k->after);
    fputs("; before: ", f->out);
    put_tensor(f, f->c->old, &k->before);
    fsd_finding_close(f);
}

void fsd_find_retyped_kernels(struct fsd_finder *f)
{
    struct fsd_reported_types reported = find_reported_types(f);

    FSD_EACH (const struct fsd_kernel_change, k, f->c->kernels)
        if (k->width == f->rule->which && has_types(&reported, k))
            report_types(f, k);
}

/* Reports kernels of which only the old build states a type or a layout. f->rule->which
 * selects types or layouts (enum fsd_fact_kind). If c->lost has such a fact in the
 * kernel's region, another rule has reported the region, so the kernel is left out. */
void fsd_find_lost_kernel_facts(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool *reported = FSD_NEW(f->scratch, bool, c->regions.n);
    bool type = f->rule->which == FSD_FACT_TYPE;

    FSD_EACH (const struct fsd_fact_lost, lost, c->lost) {
        fsd_id region = FSD_NONE;

        if (lost->kind != f->rule->which)
            continue;
        if (lost->of == FSD_OF_MOVE)
            region = fsd_compare_region_of_move(c, true, lost->new);
        else if (lost->of < FSD_OF_MOVE)
            region = region_of_node(c, lost->new);
        fsd_set_at(reported, region);
        region = lost->of == FSD_OF_EDGE
                     ? region_of_node(c, fsd_origin_node(lost->from))
                     : FSD_NONE;
        fsd_set_at(reported, region);
    }
    if (c->unstated & (type ? FSD_STATES_TYPES : FSD_STATES_LAYOUTS))
        return;
    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        if (!(type ? k->type_lost : k->layout_lost && !k->type_lost) ||
            fsd_true_at(reported, k->region))
            continue;
        fsd_finding_open(f);
        fprintf(f->out, "the %s of a tensor of the ", type ? "type" : "layout");
        fsd_put_kernel(f, k, true);
        fputs(" is unknown", f->out);
        if (type) {
            fputs("; before: ", f->out);
            put_tensor(f, c->old, &k->lost);
        }
        fsd_finding_close(f);
    }
}

/* ---------------------------------------------------------------------- layouts */

static void put_forms(struct fsd_finder *f, struct fsd_state_form was,
                      struct fsd_state_form is)
{
    fsd_put_state_form(f->c->new, is, '/', f->out);
    fputs("; before: ", f->out);
    fsd_put_state_form(f->c->old, was, '/', f->out);
}

/* Reports changed layouts: first of edges, then of kernels in regions without a
 * reported edge. So the kernels at both ends of a reported edge are not reported
 * again. */
void fsd_find_layouts(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool *reported = FSD_NEW(f->scratch, bool, c->regions.n);

    FSD_EACH (const struct fsd_edge_change, e, c->edges) {
        fsd_id producer = fsd_origin_node(e->new_from);
        fsd_id from = region_of_node(c, producer);

        if (e->before.type != e->after.type ||
            !strcmp(text(c->old, e->before.layout), text(c->new, e->after.layout)))
            continue;
        fsd_finding_open(f);
        fsd_about_state_node(f, c->new, producer);
        fsd_about_state_node(f, c->new, e->new_to);
        fprintf(f->out, "the layout of the tensor `%s` -> `%s` is ",
                fsd_origin_text(c->new, e->new_from), fsd_edge_reader(c, e));
        put_forms(f, e->before, e->after);
        f->now.line =
            fsd_state_line(c->old, fsd_id_or(e->old_to, fsd_origin_node(e->old_from)));
        fsd_finding_close(f);
        reported[e->region] = true;
        fsd_set_at(reported, from);
    }
    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        if (!k->layout || k->width != FSD_WIDTH_SAME || k->type_lost ||
            fsd_true_at(reported, k->region))
            continue;
        fsd_finding_open(f);
        fputs("a tensor of the ", f->out);
        fsd_put_kernel(f, k, true);
        fputs(" has the layout ", f->out);
        put_forms(f, k->from, k->to);
        fsd_finding_close(f);
    }
}

/* ---------------------------------------------------------------------- kernels */

static bool has_changed(const struct fsd_kernel_change *k, bool types)
{
    return k->what == FSD_KERNEL_CHANGED &&
           (k->type || types || k->sizes || k->ports || k->consts || k->does ||
            k->attrs || k->computes);
}

static bool only_sizes(const struct fsd_kernel_change *k, bool types)
{
    return k->sizes && !(k->type || types || k->ports || k->consts || k->does ||
                         k->attrs || k->computes);
}

/* Whether the whole engine was built for different sizes, so that all its kernels have
 * different sizes. */
static bool is_resized(const struct fsd_compare *c)
{
    bool resized = false;

    for (uint32_t i = 0; i < c->bindings.n; i++)
        resized |= c->bindings.at[i].shape || c->bindings.at[i].ranges;
    for (uint32_t i = 0; i < c->ports.n; i++)
        resized |= c->ports.at[i].shape;
    return resized;
}

/* Whether a change of fusion explains that the kernel was added or removed. */
static bool is_explained(const struct fsd_compare *c, const struct fsd_kernel_change *k)
{
    uint8_t happened;

    if (k->region == FSD_NONE)
        return false;
    happened = c->regions.at[k->region].happened;
    return happened == FSD_HAPPENED_LOST || happened == FSD_HAPPENED_GAINED ||
           happened == FSD_HAPPENED_REGROUPED || happened == FSD_HAPPENED_OPAQUE;
}

/* Whether the kernel and its region changed to a lower precision. This is reported as
 * an improvement of the nodes. */
static bool is_improved(const struct fsd_compare *c, const struct fsd_kernel_change *k)
{
    return k->width == FSD_WIDTH_NARROWED && k->region != FSD_NONE &&
           c->regions.at[k->region].width == FSD_WIDTH_NARROWED;
}

/* Reports a fact that no layer of the dump states. All kernels are one finding, because
 * the lack of the fact has one cause. */
static void report_unstated(struct fsd_finder *f, bool unstated, uint32_t n,
                            const char *what, const char *of)
{
    if (!unstated || !n)
        return;
    fsd_finding_open(f);
    fprintf(f->out,
            "%s: the dump of the build states no %s, but the snapshot states them for ",
            text(f->c->new, f->c->new->producer), what);
    fsd_put_noun(f->out, n, of);
    f->count = n;
    f->now.of_dump = true;
    fsd_finding_close(f);
}

/* Whether a kernel performs a different activation, and no other finding states this.
 * Changes of fusion and of the model's operators are reported for nodes. */
static bool is_other_operator(const struct fsd_compare *c,
                              const struct fsd_kernel_change *k)
{
    bool other = k->what == FSD_KERNEL_CHANGED && k->activation && !is_explained(c, k);

    for (uint32_t i = 0; i < c->edits.n && other; i++)
        other = c->edits.at[i].what != FSD_EDIT_OPERATOR ||
                region_of_node(c, c->edits.at[i].new) != k->region;
    return other;
}

void fsd_report_activations(struct fsd_finder *f)
{
    FSD_EACH (const struct fsd_kernel_change, k, f->c->kernels) {
        if (!is_other_operator(f->c, k))
            continue;
        fsd_finding_open(f);
        fputs("the ", f->out);
        fsd_put_kernel(f, k, true);
        fsd_put_kernel_change(f->c, k, false, f->out);
        fsd_finding_close(f);
    }
}

void fsd_find_changed_kernels(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    struct fsd_reported_types reported = find_reported_types(f);
    bool resized = is_resized(c);
    uint32_t sized = 0, unknown = 0;

    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        bool types = has_types(&reported, k) && k->width < FSD_WIDTH_RETYPED &&
                     !is_improved(c, k);

        unknown += k->consts_lost;
        if (!has_changed(k, types) || is_explained(c, k) || is_other_operator(c, k))
            continue;
        if (resized && only_sizes(k, types)) {
            sized++;
            continue;
        }
        fsd_finding_open(f);
        fputs("the ", f->out);
        fsd_put_kernel(f, k, true);
        fsd_put_kernel_change(c, k, types, f->out);
        fsd_finding_close(f);
    }
    fsd_report_other_nodes(f);
    report_unstated(f, c->unstated & FSD_STATES_CONSTS, unknown, "weights or constants",
                    "kernel");
    if (!sized)
        return;
    fsd_finding_open(f);
    fprintf(
        f->out,
        "%u kernel%s%s, because the sizes of the engine's inputs and outputs changed",
        sized, fsd_plural(sized),
        sized == 1 ? " reads or writes tensors of other sizes than before"
                   : " read or write tensors of other sizes than before");
    f->count = sized;
    fsd_finding_close(f);
}

/* Whether the kernel is gone for a good reason: each of its nodes is gone from the
 * model, or is proved to need no kernel. A node counts as gone only if a model or a log
 * states the new build's nodes. Otherwise, perhaps only the dump lacks the node. */
static bool is_proved(const struct fsd_compare *c, const struct fsd_kernel_change *k)
{
    struct fsd_span nodes;
    bool lists = fsd_state_knows_nodes(c->new), proved = true;

    if (k->old_of & FSD_LAYER_MOVES)
        return false;
    nodes = c->old->groups.at[k->old_of].nodes;
    for (uint32_t i = 0; i < nodes.n; i++) {
        fsd_id node = c->align->to_new[c->old->refs.at[nodes.at + i]];

        proved &= node == FSD_NONE
                      ? lists
                      : (c->new->nodes.at[node].fate != FSD_FATE_LAYER &&
                         c->new->nodes.at[node].fate != FSD_FATE_OUTSIDE &&
                         c->new->nodes.at[node].fate != FSD_FATE_UNEXPLAINED);
    }
    return proved;
}

uint32_t fsd_count_saved_kernels(const struct fsd_compare *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->kernels.n; i++)
        n += c->kernels.at[i].what == FSD_KERNEL_REMOVED &&
             !is_explained(c, &c->kernels.at[i]) && is_proved(c, &c->kernels.at[i]) &&
             !c->kernels.at[i].missed;
    return n;
}

/* Whether the kernel computes a node that the old model lacks. Such a kernel is not
 * reported as additional. */
static bool is_of_new_model(const struct fsd_compare *c,
                            const struct fsd_kernel_change *k)
{
    struct fsd_span nodes;
    bool lacks = false;

    if (k->new_of & FSD_LAYER_MOVES)
        return false;
    nodes = c->new->groups.at[k->new_of].nodes;
    for (uint32_t i = 0; i < nodes.n; i++)
        lacks |= c->align->to_old[c->new->refs.at[nodes.at + i]] == FSD_NONE;
    return lacks;
}

/* Whether all nodes that the move realised are gone from the model. If the move
 * realised none: whether all consumers of its output are gone. */
static bool is_of_old_model(const struct fsd_compare *c, const struct fsd_move *m)
{
    bool gone = fsd_state_knows_nodes(c->new);
    uint32_t n = m->nodes.n ? m->nodes.n : m->to.n;

    for (uint32_t i = 0; i < n && gone; i++) {
        fsd_id node = m->nodes.n ? c->old->refs.at[m->nodes.at + i]
                                 : fsd_ref_node(c->old->refs.at[m->to.at + i]);

        gone = node != FSD_NONE && c->align->to_new[node] == FSD_NONE;
    }
    return gone && n;
}

static bool moves_for_old_model(const struct fsd_compare *c,
                                const struct fsd_kernel_change *k)
{
    return k->old_of & FSD_LAYER_MOVES &&
           is_of_old_model(c, &c->old->moves.at[k->old_of & ~FSD_LAYER_MOVES]);
}

static void report_count(struct fsd_finder *f, const struct fsd_kernel_change *k,
                         bool gone)
{
    const struct fsd_state *s = gone ? f->c->old : f->c->new;
    const struct fsd_kernel *kernel = &s->kernels.at[gone ? k->old : k->new];

    fsd_finding_open(f);
    fputs(gone ? "gone: the " : "added: the ", f->out);
    fsd_put_kernel(f, k, !gone);
    if (kernel->out.n) {
        fputs(" that writes ", f->out);
        put_tensor(f, s, &s->tensors.at[kernel->out.at]);
    }
    if (gone)
        fputs(k->missed ? NOT_MADE : "; no other kernel computes its operations",
              f->out);
    fsd_finding_close(f);
}

/* Whether the kernel is a jump whose condition no layer writes. c->kernels has no
 * jumps, because the number of jumps does not affect what the engine computes. */
static bool jumps_unwritten(const struct fsd_state *s, fsd_id kernel)
{
    const struct fsd_kernel *k = &s->kernels.at[kernel];
    bool unwritten = false;

    for (uint32_t i = 0; i < k->in.n; i++)
        unwritten |= s->tensors.at[k->in.at + i].unwritten;
    return unwritten && k->kind == FSD_KIND_SYNC && !k->out.n;
}

static uint32_t count_jumps_unwritten(const struct fsd_state *s)
{
    uint32_t n = 0;

    for (fsd_id k = 0; k < s->kernels.n; k++)
        n += jumps_unwritten(s, k);
    return n;
}

/* Whether the new build has more jumps whose condition no layer writes. */
static bool has_jump_unwritten(const struct fsd_compare *c)
{
    return count_jumps_unwritten(c->new) > count_jumps_unwritten(c->old);
}

bool fsd_lacks_writers(const struct fsd_compare *c)
{
    bool lacks = has_jump_unwritten(c);

    for (uint32_t i = 0; i < c->kernels.n && !lacks; i++)
        lacks = c->kernels.at[i].unwritten;
    return lacks;
}

static void put_unwritten(struct fsd_finder *f, const struct fsd_kernel_change *k,
                          uint32_t before)
{
    if (!before)
        fsd_finding_open(f);
    fputs(before ? ", the " : "the ", f->out);
    fsd_put_kernel(f, k, true);
}

/* Reports kernels that read a tensor that no layer writes any more. */
static void find_unwritten(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool jumps = has_jump_unwritten(c);
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.at[i].unwritten)
            put_unwritten(f, &c->kernels.at[i], n++);
    for (fsd_id k = 0; jumps && k < c->new->kernels.n; k++)
        if (jumps_unwritten(c->new, k))
            put_unwritten(f,
                          &(struct fsd_kernel_change){
                              .old = FSD_NONE, .new = k, .new_of = c->kernel_of[1][k]},
                          n++);
    if (!n)
        return;
    fputs(n == 1 ? " reads" : " read", f->out);
    fputs(" a tensor that no layer of the dump writes; before, a layer wrote it",
          f->out);
    fsd_finding_close(f);
}

/* Reports an added or removed move. */
static void report_move_change(struct fsd_finder *f,
                               const struct fsd_move_change *change, bool gone)
{
    const struct fsd_state *s = gone ? f->c->old : f->c->new;
    const struct fsd_move *m = &s->moves.at[gone ? change->old : change->new];

    fsd_finding_open(f);
    fprintf(f->out, "%s: a %s", gone ? "gone" : "one more",
            fsd_kind_name((enum fsd_kind)m->kind));
    put_place(f, s, m);
    fputs(": ", f->out);
    fsd_put_move_forms(s, m, '/', f->out);
    if (change->missed)
        fputs(NOT_MADE, f->out);
    if (gone)
        f->now.line = m->line;
    fsd_finding_close(f);
}

static bool computes(const struct fsd_move *m)
{
    return !m->inserted && m->kind != FSD_KIND_QUANTIZE;
}

/* Reports kernels and moves: if f->rule->which is FSD_KERNEL_REMOVED, the removed ones;
 * else the additional ones. */
void fsd_find_counted_kernels(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool gone = f->rule->which == FSD_KERNEL_REMOVED;

    FSD_EACH (const struct fsd_kernel_change, k, c->kernels)
        if (k->what == f->rule->which && !is_explained(c, k) &&
            !(gone ? (is_proved(c, k) && !k->missed) || moves_for_old_model(c, k)
                   : is_of_new_model(c, k)))
            report_count(f, k, gone);
    if (gone)
        find_unwritten(f);
    for (uint32_t i = 0; i < c->moves.n && c->old->kernels.n && c->new->kernels.n;
         i++) {
        const struct fsd_move_change *m = &c->moves.at[i];

        if (gone && m->what == FSD_MOVE_REMOVED &&
            (m->missed || computes(&c->old->moves.at[m->old])) &&
            !is_of_old_model(c, &c->old->moves.at[m->old]))
            report_move_change(f, m, true);
        else if (!gone && m->what == FSD_MOVE_ADDED &&
                 computes(&c->new->moves.at[m->new]))
            report_move_change(f, m, false);
    }
}

/* --------------------------------------------------------------------- bindings */

/* Whether c->ports has a change of the network's input or output with the binding's
 * name. Another rule reports this change. */
static bool is_port_reported(const struct fsd_compare *c,
                             const struct fsd_binding_change *b)
{
    const struct fsd_binding *shown = b->new ? b->new : b->old;
    const struct fsd_state *s = b->new ? c->new : c->old;

    FSD_EACH (const struct fsd_port_change, p, c->ports) {
        fsd_id id = b->new ? p->new : p->old;

        if (id != FSD_NONE && p->output == shown->output &&
            !strcmp(text(s, shown->name),
                    text(s, (p->output ? s->outputs.at : s->inputs.at)[id].name)))
            return true;
    }
    return false;
}

static void report_binding(struct fsd_finder *f, const struct fsd_binding_change *b,
                           bool ranges)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    const struct fsd_binding *shown = b->new ? b->new : b->old;

    fsd_finding_open(f);
    fprintf(f->out, "the engine's %s %s%s", shown->output ? "output" : "input",
            text(b->new ? new : old, shown->name),
            !b->old   ? " is new"
            : !b->new ? " is gone"
                      : "");
    if (ranges && b->old && b->new)
        fprintf(f->out, " takes %s; before %s", text(new, b->new->ranges),
                text(old, b->old->ranges));
    else if (b->old && b->new) {
        const char *comma = ":";

        if (b->shape)
            fprintf(f->out, "%s %s -> %s", comma, text(old, b->old->shape),
                    text(new, b->new->shape)),
                comma = ",";
        if (b->form) {
            fprintf(f->out, "%s ", comma);
            fsd_put_state_form(old, b->old->form, '/', f->out);
            fputs(" -> ", f->out);
            fsd_put_state_form(new, b->new->form, '/', f->out);
            comma = ",";
        }
        if (b->outside)
            fprintf(f->out, "%s %s -> %s", comma, text(old, b->old->outside),
                    text(new, b->new->outside)),
                comma = ",";
        if (b->lost)
            fprintf(f->out, "%s facts that were known before are now unknown", comma);
    }
    f->now.line = b->old ? b->old->line : 0;
    fsd_finding_close(f);
}

/* Reports changed inputs and outputs of the engine: their optimization profiles if
 * f->rule->which is not 0, else all other properties. */
void fsd_find_bindings(struct fsd_finder *f)
{
    bool ranges = f->rule->which;
    uint32_t unknown = 0;

    FSD_EACH (const struct fsd_binding_change, b, f->c->bindings)
        if (ranges ? b->ranges
                   : (!b->ranges || b->shape || b->form || b->outside || b->lost) &&
                         !is_port_reported(f->c, b))
            report_binding(f, b, ranges);
    for (uint32_t i = 0; !ranges && i < f->c->old->bindings.n; i++)
        unknown +=
            f->c->old->bindings.at[i].ranges || f->c->old->bindings.at[i].outside;
    report_unstated(f, (f->c->unstated & FSD_STATES_RANGES) && f->c->new->whole,
                    unknown, "formats and optimization profiles", "binding");
}
