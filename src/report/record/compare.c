/* The JSON of a comparison. tests/golden/schemas.py generates
 * include/fusiondiff/compare.schema.json from these records. Nodes, groups and moves
 * are written in full, so that readers need no other file. Times are included only if
 * both builds have them. */
#include "base/base.h"
#include "report/record/records.h"

/* --------------------------------------------------------------------------- sides */

/* clang-format off */
#define SIDE(has, set, when, t) \
    set(t, NAME,  model, s->model_path, FSD_ALWAYS) \
    set(t, TEXT,  model_hash, fsd_hash_word(arena, s->model_hash), \
        FSD_ALWAYS, .pattern = FSD_HASH_PATTERN) \
    set(t, NAME,  engine, s->engine_path, FSD_ALWAYS) \
    set(t, TEXT,  engine_hash, fsd_hash_word(arena, s->engine_hash), \
        FSD_ALWAYS, .pattern = FSD_HASH_PATTERN) \
    set(t, TEXT,  format, fsd_text(s->names, s->engine_kind), FSD_ALWAYS) \
    set(t, NAME,  producer, fsd_text(s->names, s->producer), NULL) \
    set(t, FACTS, built, fsd_facts_of_built(arena, &s->built, s->names), NULL, \
        .about = "facts about the build, from the build's log") \
    set(t, COUNT, layers, s->layers, FSD_ALWAYS) \
    set(t, COUNT, computing, s->computing, FSD_ALWAYS) \
    set(t, COUNT, mapped, s->mapped, FSD_ALWAYS) \
    set(t, COUNT, profiles, s->profiles, FSD_ALWAYS) \
    when(t, MS,   run, s->timed_runs, fsd_real_ms(s->run.median), NULL, \
        .about = "median time of a whole run") \
    when(t, MS,   ms, s->profiles, s->total.median, NULL, \
        .about = "median over the profiles; the time of a profile is the sum of its " \
                 "layer times") \
    when(t, MS,   ms_low, s->profiles, s->total.low, NULL, \
        .about = "the median minus the estimated standard deviation") \
    when(t, MS,   ms_high, s->profiles, s->total.high, NULL, \
        .says = "  {model}\n     {engine}  ({format}<, {producer!}>, " \
                "{layers|layer|layers}, {mapped} of {computing|computing layer|" \
                "computing layers} mapped)\n")
FSD_RECORD_FROM(side, SIDE, const struct fsd_state *s = from)

#define FORM(has, set, when, t) \
    set(t, TYPE, type, form.type, FSD_ALWAYS) \
    set(t, TEXT, layout, fsd_text(s->names, form.layout), FSD_ALWAYS)
FSD_RECORD(form, FORM)
/* clang-format on */

static const struct form *form_of(struct fsd_arena *arena, const struct fsd_state *s,
                                  struct fsd_state_form form)
{
    struct form *row = FSD_NEW(arena, struct form, 1);

    FSD_FILL(row, FORM);
    return row;
}

/* --------------------------------------------------------------------------- nodes */

/* The name of the criterion that aligned a node; "": the node is not aligned. */
static const char *align_word(unsigned by)
{
    return by == FSD_ALIGN_NOT ? "" : fsd_align_name(by);
}

/* clang-format off */
#define DIFFERENCE(has, set, when, t) \
    set(t, TEXT, aspect, fsd_aspect_name(d->aspect), FSD_ALWAYS, \
        .word = fsd_aspect_name, .n_words = FSD__ASPECT_COUNT) \
    set(t, NAME, what, d->what, FSD_ALWAYS)
FSD_RECORD_SHARED(difference, DIFFERENCE)

#define UNSTATED(has, set, when, t) \
    set(t, TEXT, aspect, fsd_aspect_name(i), FSD_ALWAYS, \
        .word = fsd_aspect_name, .n_words = FSD__ASPECT_COUNT) \
    set(t, TEXT, by, fsd_missing_name(account->missing[i]), FSD_ALWAYS, \
        .word = fsd_missing_name, .n_words = FSD_MISSING_BOTH + 1)
FSD_RECORD_SHARED(unstated, UNSTATED)
/* clang-format on */

const struct fsd_rows *fsd_rows_of_differences(struct fsd_arena *arena,
                                               const struct fsd_account *account)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_difference_record, "");

    FSD_EACH (const struct fsd_difference, d, account->different)
        FSD_ADD(rows, difference, DIFFERENCE);
    return rows;
}

const struct fsd_rows *fsd_rows_of_unstated(struct fsd_arena *arena,
                                            const struct fsd_account *account)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_unstated_record, "");

    for (unsigned i = 0; i < FSD__ASPECT_COUNT; i++)
        if (account->state[i] == FSD_ASPECT_UNKNOWN) {
            FSD_ADD(rows, unstated, UNSTATED);
        }
    return rows;
}

/* clang-format off */
#define PRECISION(has, set, when, t) \
    set(t, NAME, old, fsd_state_node_key(c->old, n->old), FSD_ALWAYS) \
    set(t, NAME, new, fsd_state_node_key(c->new, n->new), FSD_ALWAYS) \
    set(t, TYPE, before, n->before, FSD_ALWAYS) \
    set(t, TYPE, after, n->after, FSD_ALWAYS) \
    set(t, TEXT, change, fsd_width_name(n->width), FSD_ALWAYS, \
        .about = "how the precision changed, in the same words as `change` in the " \
                 "member `edges`")
FSD_RECORD_FROM(precision, PRECISION, const struct fsd_compare *c = from;
    const struct fsd_node_change *n = &c->precisions.at[i])

#define NODE_CHANGE(has, set, when, t) \
    set(t, TEXT, what, fsd_presence_name(p->what), FSD_ALWAYS, \
        .word = fsd_presence_name, .n_words = FSD__PRESENCE_COUNT) \
    set(t, NAME, old, fsd_state_node_key(c->old, p->old), NULL) \
    set(t, NAME, new, fsd_state_node_key(c->new, p->new), NULL) \
    set(t, NAME, op, fsd_text(s->names, n->op), FSD_ALWAYS) \
    set(t, TEXT, role, fsd_role_name(n->role), FSD_ALWAYS, \
        .word = fsd_role_name, .n_words = FSD__ROLE_COUNT) \
    set(t, TEXT, before, fsd_state_fate(c->old, p->old), NULL, \
        .about = "outcome (`fate`) of the node, as in a report") \
    set(t, TEXT, after, fsd_state_fate(c->new, p->new), NULL)
FSD_RECORD_FROM(node_change, NODE_CHANGE, const struct fsd_compare *c = from;
    const struct fsd_node_presence *p = &c->presences.at[i];
    const struct fsd_state *s = fsd_compare_shown(c, p->old, p->new).s;
    const struct fsd_state_node *n = &s->nodes.at[fsd_id_or(p->new, p->old)])

#define ALIGNED(has, set, when, t) \
    set(t, NAME, old, fsd_state_node_key(c->old, i), FSD_ALWAYS) \
    set(t, NAME, new, fsd_state_node_key(c->new, c->align->to_new[i]), FSD_ALWAYS) \
    set(t, NAME, op, fsd_text(c->old->names, n->op), FSD_ALWAYS) \
    set(t, TEXT, role, fsd_role_name(n->role), FSD_ALWAYS, \
        .word = fsd_role_name, .n_words = FSD__ROLE_COUNT) \
    set(t, TEXT, by, fsd_align_name(c->align->by[i]), FSD_ALWAYS, \
        .word = align_word, .n_words = FSD__ALIGN_COUNT)
FSD_RECORD(aligned, ALIGNED)
/* clang-format on */

static const struct fsd_rows *aligned_of(struct fsd_arena *arena,
                                         const struct fsd_compare *c)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &aligned_record, "");

    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        const struct fsd_state_node *n = &c->old->nodes.at[i];

        if (fsd_align_has(c->align, i) &&
            (n->role != FSD_ROLE_SIDE ||
             fsd_state_role_of(c->new, c->align->to_new[i]) != FSD_ROLE_SIDE))
            FSD_ADD(rows, aligned, ALIGNED);
    }
    return rows;
}

/* ------------------------------------------------------------------------- regions */

/* clang-format off */
#define GROUP(has, set, when, t) \
    set(t, TEXT,  kind, fsd_kind_name((enum fsd_kind)g->kind), FSD_ALWAYS, \
        .about = "kind of the layer, as in a report") \
    set(t, TYPE,  precision, g->precision, FSD_ALWAYS) \
    set(t, COUNT, layers, g->layers, FSD_ALWAYS) \
    set(t, FLAG,  loose, g->loose, NULL, .if_true = true, \
        .about = "the build does not show which layer computes which of the nodes") \
    set(t, WORDS, nodes, fsd_words_of_ends(arena, fsd_ends_of_nodes(s, g->nodes)), \
        FSD_ALWAYS) \
    set(t, NAME,  tactic, g->tactic ? fsd_text(s->names, g->tactic) : NULL, NULL, \
        .about = "the tactic, if the group has a single layer; a snapshot has no " \
                 "tactics") \
    set(t, MS,    ms, g->ms.median, NULL)
FSD_RECORD_SHARED(group, GROUP)
/* clang-format on */

const struct fsd_rows *fsd_rows_of_groups(struct fsd_arena *arena,
                                          const struct fsd_state *s, const fsd_id *pool,
                                          struct fsd_span groups)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_group_record, "");

    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[pool[groups.at + i]];
        FSD_ADD(rows, group, GROUP);
    }
    return rows;
}

/* clang-format off */
#define REGION(has, set, when, t) \
    set(t, COUNT, region, fsd_count_id(c->order[i]), FSD_ALWAYS, \
        .about = "number of the region; edges and moves refer to it") \
    set(t, TEXT,  what, fsd_happened_name(r->happened), FSD_ALWAYS, \
        .word = fsd_happened_name, .n_words = FSD__HAPPENED_COUNT) \
    set(t, TEXT,  precision, fsd_region_precision(r), FSD_ALWAYS, \
        .about = "the worst precision change of a node in the region, in the same " \
                 "words as `change` in the member `edges`; unknown if no known type " \
                 "changed and a build does not state every node's type") \
    set(t, FLAG,  opaque, r->hidden, NULL, .if_true = true, \
        .about = "both builds have the same groups in the region, but a build does " \
                 "not state the kernels of a group, so the fusion inside that group " \
                 "may differ") \
    set(t, FLAG,  differs, r->differs, FSD_ALWAYS) \
    set(t, FLAG,  layout, r->layout, FSD_ALWAYS) \
    set(t, FLAG,  layers, r->layers, FSD_ALWAYS, \
        .about = "the builds use different numbers of layers for the same nodes") \
    set(t, FLAG,  moves, r->moves, FSD_ALWAYS, \
        .about = "an inserted layer or unfused quantizer in front of the region was " \
                 "added, removed or changed") \
    set(t, FLAG,  tactic, r->tactic, FSD_ALWAYS) \
    when(t, WORDS, reads, r->unasked.n, \
        fsd_words_of_ends(arena, fsd_ends_in(c->new, c->pool.at, r->unasked)), NULL, \
        .about = "nodes and inputs that the region's layers read in the new build; " \
                 "the region's layers in the old build and its nodes in the model do " \
                 "not read them") \
    set(t, ROWS,  old, \
        fsd_rows_of_groups(arena, c->old, c->pool.at, r->old_groups), FSD_ALWAYS, \
        .of = &fsd_group_record) \
    set(t, ROWS,  new, \
        fsd_rows_of_groups(arena, c->new, c->pool.at, r->new_groups), FSD_ALWAYS, \
        .of = &fsd_group_record) \
    when(t, MS,   before, c->timed, r->before, NULL, .about = "time of the region in " \
                                                              "the old build, " \
                                                              "including the " \
                                                              "region's " \
                                                              "data-movement layers") \
    when(t, MS,   after, c->timed, r->after, NULL) \
    when(t, MS,   moves_before, c->timed, fsd_real(r->moves_before), NULL) \
    when(t, MS,   moves_after, c->timed, fsd_real(r->moves_after), NULL)
/* The regions are in the same order as in text: the worst first. */
FSD_RECORD_FROM(region, REGION, const struct fsd_compare *c = from;
    const struct fsd_region_diff *r = &c->regions.at[c->order[i]])
#undef REGION
/* clang-format on */

/* ------------------------------------------------------------------ edges and moves */

/* clang-format off */
#define EDGE(has, set, when, t) \
    set(t, COUNT,  region, fsd_count_id(e->region), FSD_ALWAYS) \
    set(t, NAME,   old_from, fsd_origin_text(c->old, e->old_from), FSD_ALWAYS) \
    set(t, NAME,   old_to, fsd_origin_text(c->old, fsd_node_origin(e->old_to)), \
        FSD_ALWAYS) \
    set(t, NAME,   new_from, fsd_origin_text(c->new, e->new_from), FSD_ALWAYS) \
    set(t, NAME,   new_to, fsd_origin_text(c->new, fsd_node_origin(e->new_to)), \
        FSD_ALWAYS) \
    set(t, RECORD, before, form_of(arena, c->old, e->before), FSD_ALWAYS, \
        .of = &form_record) \
    set(t, RECORD, after, form_of(arena, c->new, e->after), NULL, .of = &form_record, \
        .always = true) \
    set(t, TEXT,   change, fsd_width_name(e->width), FSD_ALWAYS, \
        .word = fsd_width_name, .n_words = FSD__WIDTH_COUNT)
FSD_RECORD_FROM(edge, EDGE, const struct fsd_compare *c = from;
    const struct fsd_edge_change *e = &c->edges.at[i])
#undef EDGE

#define MOVE(has, set, when, t) \
    set(t, TEXT,   kind, fsd_kind_name((enum fsd_kind)m->kind), FSD_ALWAYS) \
    set(t, FLAG,   inserted, m->inserted, FSD_ALWAYS) \
    when(t, TEXT,   cause, m->cause != FSD_CAUSE_NONE, \
        fsd_cause_name((enum fsd_cause)m->cause), NULL) \
    set(t, WORDS,  from, fsd_words_of_ends(arena, fsd_ends_of_origins(s, m->from)), \
        FSD_ALWAYS) \
    set(t, WORDS,  to, fsd_words_of_ends(arena, fsd_ends_of_destinations(s, m->to)), \
        FSD_ALWAYS) \
    set(t, WORDS,  nodes, fsd_words_of_ends(arena, fsd_ends_of_nodes(s, m->nodes)), \
        FSD_ALWAYS) \
    set(t, RECORD, before, form_of(arena, s, m->before), NULL, .of = &form_record, \
        .always = true) \
    set(t, RECORD, after, form_of(arena, s, m->after), NULL, .of = &form_record, \
        .always = true) \
    set(t, MS,     ms, m->ms.median, NULL)
FSD_RECORD_FROM(move, MOVE, const struct fsd_state *s = from;
    const struct fsd_move *m = &s->moves.at[i])

#define MOVE_CHANGE(has, set, when, t) \
    set(t, TEXT,   what, fsd_move_what_name(m->what), FSD_ALWAYS, \
        .word = fsd_move_what_name, .n_words = 3) \
    set(t, COUNT,  region, fsd_count_id(m->region), NULL) \
    set(t, RECORD, old, FSD_HELD(arena, move, c->old, m->old), NULL, \
        .of = &move_record) \
    set(t, RECORD, new, FSD_HELD(arena, move, c->new, m->new), NULL, \
        .of = &move_record)
FSD_RECORD_FROM(move_change, MOVE_CHANGE, const struct fsd_compare *c = from;
    const struct fsd_move_change *m = &c->moves.at[i])
/* clang-format on */

/* -------------------------------------------------------- builds and their ports */

/* clang-format off */
#define BUILT(has, set, when, t) \
    set(t, TEXT, what, b->key, FSD_ALWAYS) \
    set(t, NAME, before, b->before, NULL) \
    set(t, NAME, after, b->after, NULL, \
        .says = "{title:-13}<{key}: >{was} {-} {now}\n") \
    set(t, TEXT, title, measured ? "measured" : i ? "" : "built", FSD_ASIDE) \
    set(t, TEXT, key, measured ? NULL : b->key, FSD_ASIDE) \
    set(t, NAME, was, b->before ? b->before : "not stated", FSD_ASIDE) \
    set(t, NAME, now, b->after ? b->after : "not stated", FSD_ASIDE)
FSD_RECORD_FROM(built, BUILT, const struct fsd_compare *c = from;
    const struct fsd_built_change *b = &c->built.at[i];
    bool measured = !strcmp(b->key, FSD_BUILT_MEASURED))

#define STATE_PORT(has, set, when, t) \
    set(t, NAME,   name, fsd_text(s->names, p->name), FSD_ALWAYS) \
    set(t, TEXT,   shape, fsd_text(s->names, p->shape), FSD_ALWAYS) \
    set(t, RECORD, form, form_of(arena, s, p->form), NULL, .of = &form_record, \
        .always = true)
FSD_RECORD(port, STATE_PORT)
/* clang-format on */

static const struct port *port_of(struct fsd_arena *arena, const struct fsd_state *s,
                                  bool output, fsd_id i)
{
    const struct fsd_state_port *p;
    struct port *row;

    if (i == FSD_NONE)
        return NULL;
    p = &(output ? s->outputs.at : s->inputs.at)[i];
    row = FSD_NEW(arena, struct port, 1);
    FSD_FILL(row, STATE_PORT);
    return row;
}

/* clang-format off */
#define PORT_CHANGE(has, set, when, t) \
    set(t, FLAG,   output, p->output, FSD_ALWAYS) \
    set(t, RECORD, old, port_of(arena, c->old, p->output, p->old), NULL, \
        .of = &port_record) \
    set(t, RECORD, new, port_of(arena, c->new, p->output, p->new), NULL, \
        .of = &port_record)
FSD_RECORD_FROM(port_change, PORT_CHANGE, const struct fsd_compare *c = from;
    const struct fsd_port_change *p = &c->ports.at[i])
/* clang-format on */

/* ------------------------------------------------------------------------- kernels */

/* clang-format off */
#define KERNEL(has, set, when, t) \
    set(t, NAME,  type, fsd_text(s->names, k->type), FSD_ALWAYS, \
        .about = "type of the layer, as the engine names it") \
    set(t, TEXT,  kind, fsd_kind_name((enum fsd_kind)k->kind), FSD_ALWAYS, \
        .about = "kind of the layer, as in a report") \
    set(t, TYPE,  precision, k->precision, FSD_ALWAYS) \
    when(t, NAME, operations, k->does, fsd_text(s->names, k->does), NULL, \
        .about = "operations of the kernel, e.g. Mul+Add") \
    when(t, NAME, parameters, k->attrs, fsd_text(s->names, k->attrs), NULL, \
        .about = "parameters as the engine states them, sorted") \
    when(t, NAME, provider, k->provider, fsd_text(s->names, k->provider), NULL, \
        .about = "the execution provider that runs the kernel") \
    set(t, WORDS, reads, tensors_of(arena, s, k->in), FSD_ALWAYS, \
        .about = "type/layout:sizes of each tensor") \
    set(t, WORDS, writes, tensors_of(arena, s, k->out), FSD_ALWAYS) \
    set(t, WORDS, made_of, tensors_of(arena, s, k->consts), FSD_ALWAYS, \
        .about = "weights and other constants") \
    set(t, WORDS, nodes, fsd_words_of_ends(arena, fsd_ends_of_nodes(s, nodes)), \
        FSD_ALWAYS, .about = "nodes that the kernel computes, or whose data the " \
                             "kernel moves")
FSD_RECORD(kernel, KERNEL)
/* clang-format on */

static struct fsd_words tensors_of(struct fsd_arena *arena, const struct fsd_state *s,
                                   struct fsd_span tensors)
{
    const char **words = FSD_NEW(arena, const char *, tensors.n), *word;
    struct fsd_print print;
    size_t size;

    fsd_print_open(&print);
    for (uint32_t i = 0; i < tensors.n; i++) {
        fsd_put_state_tensor(s, &s->tensors.at[tensors.at + i], print.out);
        word = fsd_print_next(&print, &size);
        words[i] = fsd_arena_strndup(arena, word, size);
    }
    fsd_print_drop(&print);
    return fsd_words(words, tensors.n);
}

/* One kernel of a build.
 * @param of number of the group or move to which the kernel belongs */
static const struct kernel *kernel_of(struct fsd_arena *arena,
                                      const struct fsd_state *s, fsd_id i, uint32_t of)
{
    const struct fsd_kernel *k;
    struct kernel *row;
    struct fsd_span nodes;

    if (i == FSD_NONE)
        return NULL;
    k = &s->kernels.at[i];
    nodes = k->computes.n          ? k->computes
            : of & FSD_LAYER_MOVES ? s->moves.at[of & ~FSD_LAYER_MOVES].nodes
                                   : s->groups.at[of].nodes;
    row = FSD_NEW(arena, struct kernel, 1);
    FSD_FILL(row, KERNEL);
    return row;
}

static const char *kernel_change_text(struct fsd_arena *arena,
                                      const struct fsd_compare *c,
                                      const struct fsd_kernel_change *k)
{
    struct fsd_print print;
    const char *text;

    fsd_put_kernel_change(c, k, k->width != FSD_WIDTH_SAME, fsd_print_open(&print));
    text = fsd_print_take(&print, arena);
    return *text ? text + 1 : NULL; /* without the leading blank */
}

/* clang-format off */
#define KERNEL_CHANGE(has, set, when, t) \
    set(t, TEXT,   what, fsd_kernel_what_name(k->what), FSD_ALWAYS, \
        .word = fsd_kernel_what_name, .n_words = FSD_KERNEL_REMOVED + 1) \
    set(t, COUNT,  region, fsd_count_id(k->region), NULL) \
    when(t, NAME,  change, k->what == FSD_KERNEL_CHANGED, \
        kernel_change_text(arena, c, k), NULL, \
        .about = "what changed in the kernel, if both builds have it") \
    set(t, RECORD, old, kernel_of(arena, c->old, k->old, k->old_of), NULL, \
        .of = &kernel_record) \
    set(t, RECORD, new, kernel_of(arena, c->new, k->new, k->new_of), NULL, \
        .of = &kernel_record)
FSD_RECORD_FROM(kernel_change, KERNEL_CHANGE, const struct fsd_compare *c = from;
    const struct fsd_kernel_change *k = &c->kernels.at[i])

#define BINDING(has, set, when, t) \
    set(t, NAME,   name, fsd_text(s->names, b->name), FSD_ALWAYS) \
    set(t, RECORD, form, form_of(arena, s, b->form), NULL, .of = &form_record, \
        .always = true) \
    set(t, TEXT,   shape, b->shape ? fsd_text(s->names, b->shape) : NULL, NULL) \
    set(t, TEXT,   ranges, b->ranges ? fsd_text(s->names, b->ranges) : NULL, NULL, \
        .about = "sizes of the input in the optimization profiles") \
    set(t, TEXT,   outside, b->outside ? fsd_text(s->names, b->outside) : NULL, NULL, \
        .about = "I/O formats of the tensor in the optimization profiles")
FSD_RECORD(binding, BINDING)
/* clang-format on */

static const struct binding *binding_of(struct fsd_arena *arena,
                                        const struct fsd_state *s,
                                        const struct fsd_binding *b)
{
    struct binding *row;

    if (!b)
        return NULL;
    row = FSD_NEW(arena, struct binding, 1);
    FSD_FILL(row, BINDING);
    return row;
}

/* clang-format off */
#define BINDING_CHANGE(has, set, when, t) \
    set(t, FLAG,   output, (b->new ? b->new : b->old)->output, FSD_ALWAYS) \
    set(t, RECORD, old, binding_of(arena, c->old, b->old), NULL, \
        .of = &binding_record) \
    set(t, RECORD, new, binding_of(arena, c->new, b->new), NULL, .of = &binding_record)
FSD_RECORD_FROM(binding_change, BINDING_CHANGE, const struct fsd_compare *c = from;
    const struct fsd_binding_change *b = &c->bindings.at[i])
/* clang-format on */

/* ----------------------------------------------------------------- times of builds */

static bool has_built_times(const struct fsd_compare *c)
{
    return c->old->build_seconds > 0 && c->new->build_seconds > 0;
}

/* clang-format off */
#define EFFORT(has, set, when, t) \
    set(t, NAME,   old, e->old ? fsd_text(c->old->names, e->old) : NULL, NULL, \
        .about = "name of the layer or step in the log of the old build") \
    set(t, NAME,   new, e->new ? fsd_text(c->new->names, e->new) : NULL, NULL) \
    set(t, NUMBER, before, e->before, FSD_ALWAYS) \
    set(t, NUMBER, after, e->after, FSD_ALWAYS)
FSD_RECORD_FROM(effort, EFFORT, const struct fsd_compare *c = from;
    const struct fsd_effort_change *e = &c->efforts.at[i])

#define BUILDTIME(has, set, when, t) \
    when(t, NUMBER, before, has_built_times(c), c->old->build_seconds, NULL, \
        .about = "duration of the old build in seconds, as its log states it") \
    when(t, NUMBER, after, has_built_times(c), c->new->build_seconds, NULL) \
    when(t, NUMBER, timing_before, c->efforts.n, c->effort_before, NULL, \
        .about = "the part of `before` in which the old build timed kernels") \
    when(t, NUMBER, timing_after, c->efforts.n, c->effort_after, NULL) \
    set(t, FLAG,   time_stamps, \
        c->efforts.n && (c->old->efforts_stamped || c->new->efforts_stamped), NULL, \
        .if_true = true, \
        .about = "true: at least one log states no durations, so the seconds of that " \
                 "log are differences of time stamps in whole seconds") \
    set(t, ROWS,   layers, FSD_LATER(arena, effort, c->efforts.n, c), FSD_ALWAYS, \
        .of = &effort_record, \
        .about = "seconds that each build spent on timing kernels, the largest " \
                 "difference first; each entry is for the same nodes in both builds, " \
                 "or for steps that have the same name in both builds")
FSD_RECORD_FROM(buildtime, BUILDTIME, const struct fsd_compare *c = from)
/* clang-format on */

/* ------------------------------------------------------------------------ document */

static const char *edge_word(unsigned width)
{
    return width == FSD_WIDTH_SAME ? "only a different layout" : fsd_width_name(width);
}

/* The number of changed edges of each kind. An edge can change even if no node changes
 * its precision. */
static struct fsd_words edges_of(struct fsd_arena *arena, const struct fsd_compare *c)
{
    uint32_t n[FSD__WIDTH_COUNT] = {0};

    FSD_EACH (const struct fsd_edge_change, e, c->edges)
        n[e->width]++;
    return fsd_tally(arena, n, FSD__WIDTH_COUNT, 0, edge_word);
}

/* Describes that no precision or no edge changed, as far as types are known. */
static const char *unchanged_text(const struct fsd_compare *c, const char *if_typed)
{
    return !c->untyped                 ? if_typed
           : c->untyped < c->regions.n ? "no stated type changed"
                                       : "unknown, because the builds state no types";
}

static uint32_t n_free_moves(const struct fsd_compare *c)
{
    uint32_t n = 0;

    FSD_EACH (const struct fsd_move_change, m, c->moves)
        n += fsd_move_change_is_free(c, m);
    return n;
}

/* clang-format off */
#define TIMES(has, set, when, t) \
    set(t, MS,    before, fsd_real(c->before), FSD_ALWAYS) \
    set(t, MS,    after, fsd_real(c->after), FSD_ALWAYS) \
    set(t, FACTS, delta, \
        fsd_facts_of(arena, c->by_blame, FSD__BLAME_COUNT, fsd_blame_name), \
        FSD_ALWAYS, \
        .about = "`after` minus `before`, split by cause. fusion: regions with a " \
                 "different fusion, including their inserted layers; precision: " \
                 "regions with the same fusion, but a different precision; kernel: " \
                 "regions with the same fusion and precision (different tactic, or " \
                 "noise); inserted: all other inserted layers and unfused quantizers")
FSD_RECORD_FROM(times, TIMES, const struct fsd_compare *c = from)
#undef TIMES

#define SUMMARY(has, set, when, t) \
    set(t, FLAG,   differs, c->differs, FSD_ALWAYS, \
        .about = "the builds differ in something other than times, tactics, layer " \
                 "names and layer order") \
    set(t, TALLY,  regions, \
        fsd_tally(arena, c->by_happened, FSD__HAPPENED_COUNT, 0, fsd_happened_name), \
        FSD_ALWAYS) \
    when(t, COUNT, opaque_regions, c->hidden, c->hidden, NULL, \
        .about = "number of regions in which both builds have the same groups, but a " \
                 "build does not state the kernels of a group") \
    set(t, TALLY,  precisions, fsd_tally(arena, c->by_width, FSD__WIDTH_COUNT, \
        FSD_WIDTH_NARROWED, fsd_width_name), FSD_ALWAYS) \
    set(t, TALLY,  nodes, \
        fsd_tally(arena, c->by_presence, FSD__PRESENCE_COUNT, 0, fsd_presence_name), \
        FSD_ALWAYS) \
    set(t, TALLY,  moves, fsd_tally(arena, c->moves_by_what, \
        FSD_COUNT_OF(c->moves_by_what), 0, fsd_move_what_name), FSD_ALWAYS) \
    set(t, TALLY,  aligned_by, \
        fsd_tally(arena, c->align->by_count, FSD__ALIGN_COUNT, 0, fsd_align_name), \
        FSD_ALWAYS, \
        .about = "number of computing nodes of the old model, for each kind of " \
                 "evidence that links a node to its counterpart in the new model") \
    when(t, RECORD, ms, c->timed, FSD_HELD(arena, times, c, 0), NULL, \
        .of = &times_record, .about = "times of the layers; absent unless both " \
                                      "builds have a profile") \
    set(t, COUNT,  aligned, n.aligned, FSD_ASIDE) \
    set(t, COUNT,  old_nodes, n.old, FSD_ASIDE) \
    set(t, COUNT,  new_nodes, n.new, FSD_ASIDE) \
    set(t, COUNT,  rewritten, n.rewritten, FSD_ASIDE) \
    set(t, TALLY,  evidence, fsd_tally(arena, c->align->by_count, FSD__ALIGN_COUNT, \
        FSD_ALIGN_MODEL, fsd_align_name), FSD_ASIDE) \
    set(t, COUNT,  n_regions, c->regions.n, FSD_ASIDE) \
    set(t, COUNT,  n_precisions, c->precisions.n, FSD_ASIDE) \
    when(t, COUNT, untyped, c->untyped < c->regions.n, c->untyped, FSD_ASIDE) \
    when(t, TEXT,  no_precision, !c->precisions.n, \
        unchanged_text(c, "no node changed"), FSD_ASIDE) \
    when(t, TEXT,  no_edge, !c->edges.n, unchanged_text(c, "none changed"), \
        FSD_ASIDE) \
    when(t, FLAG,  no_move, !c->moves.n, true, FSD_ASIDE) \
    set(t, COUNT,  n_edges, c->edges.n, FSD_ASIDE) \
    set(t, TALLY,  edges, edges_of(arena, c), FSD_ASIDE) \
    set(t, COUNT,  n_moves, c->moves.n, FSD_ASIDE) \
    set(t, COUNT,  free_moves, n_free_moves(c), FSD_ASIDE)
FSD_RECORD_FROM(summary, SUMMARY, const struct fsd_compare *c = from;
    const struct fsd_alignment_count n = fsd_alignment_count(c))
#undef SUMMARY

#define BUILDER(has, set, when, t) \
    set(t, NAME,  name, b->name, FSD_ALWAYS) \
    set(t, COUNT, groups, b->groups, FSD_ALWAYS, \
        .about = "number of fusion groups of this builder in the regions for which " \
                 "both builds state the layer of each node") \
    set(t, COUNT, fuses_more, b->fuses_more, FSD_ALWAYS, \
        .about = "number of regions in which this builder makes fewer groups than " \
                 "the other builder, among the regions that `groups` covers") \
    set(t, COUNT, conversions, b->conversions, FSD_ALWAYS, \
        .about = "number of layers that convert data, except quantizers and layers " \
                 "that take no time") \
    set(t, COUNT, unfused_qdq, b->quantizers, FSD_ALWAYS) \
    when(t, MS,   groups_ms, c->timed, b->groups_ms, NULL) \
    when(t, MS,   conversions_ms, c->timed, b->conversions_ms, NULL) \
    when(t, MS,   unfused_qdq_ms, c->timed, b->quantizers_ms, NULL)
FSD_RECORD_FROM(builder, BUILDER, const struct fsd_compare *c = from;
    const struct fsd_builder *b = &c->builders[i])

#define COMPARED(has, set, when, t) \
    set(t, RECORD, old, FSD_HELD(arena, side, c->old, 0), NULL, .of = &side_record, \
        .always = true) \
    set(t, RECORD, new, FSD_HELD(arena, side, c->new, 0), NULL, .of = &side_record, \
        .always = true) \
    set(t, RECORD, summary, FSD_HELD(arena, summary, c, 0), NULL, \
        .of = &summary_record, \
        .always = true) \
    when(t, ROWS,   builders, c->across, FSD_LATER(arena, builder, 2, c), NULL, \
        .of = &builder_record, \
        .about = "the builders of the old and the new build, if they differ; then " \
                 "layouts, kernels and tactics are not compared") \
    when(t, WORDS, says, v && v->says[0], \
        fsd_words(v->says, FSD_COUNT_OF(v->says)), NULL, \
        .about = "the root cause, its cost, and what to do; absent if no cause is " \
                 "known") \
    set(t, ROWS,   different, fsd_rows_of_differences(arena, &c->account), FSD_ALWAYS, \
        .of = &fsd_difference_record, \
        .about = "the facts in which the inputs of the builds differ") \
    set(t, ROWS,   unstated, fsd_rows_of_unstated(arena, &c->account), FSD_ALWAYS, \
        .of = &fsd_unstated_record, \
        .about = "aspects that are not compared, because one or both builds do not " \
                 "state them") \
    set(t, ROWS,   built, \
        FSD_LATER(arena, built, c->built.n, c), FSD_ALWAYS, \
        .of = &built_record, \
        .about = "facts that differ between the logs of the two builds; `before` or " \
                 "`after` is absent if the log of that build does not state the fact")
FSD_RECORD_SHARED(compared, COMPARED)

#define COMPARISON(has, set, when, t) \
    COMPARED(has, set, when, t) \
    when(t, RECORD, buildtime, has_built_times(c) || c->efforts.n, \
        FSD_HELD(arena, buildtime, c, 0), NULL, .of = &buildtime_record, \
        .about = "durations of the builds; present only if the log of each build " \
                 "states seconds or has time stamps") \
    set(t, ROWS,   ports, \
        FSD_LATER(arena, port_change, c->ports.n, c), FSD_ALWAYS, \
        .of = &port_change_record) \
    set(t, ROWS,   bindings, FSD_LATER(arena, binding_change, c->bindings.n, c), \
        FSD_ALWAYS, .of = &binding_change_record, \
        .about = "inputs and outputs of the engine that differ") \
    set(t, ROWS,   regions, FSD_LATER(arena, region, c->regions.n, c), FSD_ALWAYS, \
        .of = &region_record, \
        .about = "the regions that differ, worst first") \
    set(t, ROWS,   edges, FSD_LATER(arena, edge, c->edges.n, c), FSD_ALWAYS, \
        .of = &edge_record, \
        .about = "tensors that the same node reads in a different type or layout in " \
                 "the two builds; if old_to and new_to are empty, the builds show " \
                 "only that the same node writes the tensor in a different type or " \
                 "layout") \
    set(t, ROWS,   moves, FSD_LATER(arena, move_change, c->moves.n, c), FSD_ALWAYS, \
        .of = &move_change_record, \
        .about = "inserted layers, unfused quantizers and copies that were added, " \
                 "removed or changed") \
    set(t, ROWS,   kernels, FSD_LATER(arena, kernel_change, c->kernels.n, c), \
        FSD_ALWAYS, .of = &kernel_change_record, \
        .about = "layers that only one build has, or that read, write or compute " \
                 "something different") \
    set(t, ROWS,   precisions, FSD_LATER(arena, precision, c->precisions.n, c), \
        FSD_ALWAYS, .of = &precision_record) \
    set(t, ROWS,   nodes, FSD_LATER(arena, node_change, c->presences.n, c), \
        FSD_ALWAYS, .of = &node_change_record) \
    set(t, ROWS,   aligned, aligned_of(arena, c), FSD_ALWAYS, \
        .of = &aligned_record)
FSD_RECORD(comparison, COMPARISON)
/* clang-format on */

const void *fsd_compared_of(struct fsd_arena *arena, const struct fsd_compare *c)
{
    const struct fsd_verdict *v = NULL;
    struct compared *row = FSD_NEW(arena, struct compared, 1);

    FSD_FILL(row, COMPARED);
    return row;
}

void fsd_document_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c,
                                const struct fsd_verdict *v)
{
    struct fsd_arena *arena = sheet->arena;
    struct comparison *row =
        fsd_sheet_begin(sheet, "fusiondiff-compare/1", &comparison_record, NULL, "");

    FSD_FILL(row, COMPARISON);
}
