/*
 * Makes the drawing of a comparison. Each side shows the fusion groups of one build and
 * the data-movement layers (moves) between these groups. Ties connect groups of the two
 * builds that have a node in common.
 *
 * If the drawing of everything is too large, it shows only the changes and their
 * neighbors. If this is still too large, the number of changes is halved until Graphviz
 * can lay out the drawing. The worst changes remain.
 */
#include "base/base.h"
#include "change/compare/exports.h"
#include "model/graph/word.h"
#include "report/picture/drawing.h"

/* The maximum number of boxes, wires and ties of a picture. A layout with this number
 * takes one or two seconds. */
enum { COMPARISON_ENDS = 800 };

/* The selected regions and moves. Their neighbors are added later. */
struct pick {
    bool *regions; /* by region: whether the region is selected */
    bool loose;    /* select the changed moves outside all regions */
    bool partial;  /* true: an unchanged move is drawn only next to a selected group;
                      false: all moves are drawn */
};

struct build_side {
    struct fsd_drawing *w;
    const struct fsd_compare *c;
    const struct fsd_state *s;
    const struct pick *pick;
    enum fsd_side side;
    const fsd_id *region; /* by group: its region */
    uint8_t *change;      /* by move: its tint */
    fsd_state_wires wires;
    uint32_t first[FSD__END_COUNT + 1]; /* by kind of unit: the number of its first
                                           unit. The units are the groups, the moves,
                                           the ports, and the tensors with their own
                                           boxes */
    fsd_id *box;                        /* by unit: its box; FSD_NONE: not drawn */
    bool *shown;                        /* by region: whether a box already shows the
                                           region's label; both sides share the array */
    struct fsd_lists layers;            /* by unit: the layers of a group or move */
};

static uint32_t unit_of(const struct build_side *x, struct fsd_state_end end)
{
    return x->first[end.kind] + end.item;
}

static uint32_t group_unit(const struct build_side *x, fsd_id group)
{
    return unit_of(x, (struct fsd_state_end){FSD_END_GROUP, group});
}

static uint32_t move_unit(const struct build_side *x, fsd_id move)
{
    return unit_of(x, (struct fsd_state_end){FSD_END_MOVE, move});
}

/* The number of units of one kind in a state. */
static uint32_t count_of(const struct fsd_state *s, uint32_t kind)
{
    const uint32_t counts[FSD__END_COUNT] = {[FSD_END_GROUP] = s->groups.n,
                                             [FSD_END_MOVE] = s->moves.n,
                                             [FSD_END_INPUT] = s->inputs.n,
                                             [FSD_END_OUTPUT] = s->outputs.n,
                                             [FSD_END_TENSOR] = s->tensor_names.n};

    return counts[kind];
}

/* ------------------------------------------------------------------------ boxes */

/* The tint of a group: FSD_GROUP_LABELED if the group shows the label of its region,
 * else 0. In each region, the first drawn group of the new build shows the label. If
 * the new build has no group in the region, the first drawn group of the old build
 * shows it. */
static unsigned group_tint(struct build_side *x, fsd_id g)
{
    fsd_id region = x->region[g];
    bool labels = !x->shown[region] &&
                  (x->side == FSD_SIDE_RIGHT || !x->c->regions.at[region].new_groups.n);

    x->shown[region] |= labels;
    return labels ? FSD_GROUP_LABELED : 0;
}

/* Adds the box of a unit. The first item of the box is the number of the unit. If the
 * unit is a group or move, the numbers of the unit's layers follow. */
static void add_box(struct build_side *x, struct fsd_state_end end)
{
    static const enum fsd_box_kind kinds[FSD__END_COUNT] = {
        [FSD_END_GROUP] = FSD_BOX_ITEMS,   [FSD_END_MOVE] = FSD_BOX_MOVE,
        [FSD_END_INPUT] = FSD_BOX_INPUT,   [FSD_END_OUTPUT] = FSD_BOX_OUTPUT,
        [FSD_END_TENSOR] = FSD_BOX_TENSOR,
    };
    struct fsd_box box = {.side = x->side, .kind = kinds[end.kind]};
    uint32_t unit = unit_of(x, end);

    if (end.kind == FSD_END_GROUP)
        box.tint = group_tint(x, end.item);
    else if (end.kind == FSD_END_MOVE)
        box.tint = x->change[end.item];
    x->box[unit] = fsd_drawing_add_box(x->w, box, end.item);
    if (end.kind != FSD_END_GROUP && end.kind != FSD_END_MOVE)
        return;
    for (uint32_t i = 0; i < x->layers.of[unit].n; i++)
        fsd_drawing_add_item(x->w, fsd_list_at(&x->layers, unit, i));
}

static void list_layers(struct build_side *x)
{
    const struct fsd_state *s = x->s;
    uint32_t n = s->of_layer ? s->layers : 0, units = x->first[FSD_END_INPUT];
    fsd_id *unit = FSD_NEW(x->w->arena, fsd_id, n);

    for (fsd_id i = 0; i < n; i++) {
        uint32_t of = s->of_layer[i], item = of & ~FSD_LAYER_MOVES;

        unit[i] = of & FSD_LAYER_MOVES ? move_unit(x, item) : group_unit(x, item);
    }
    x->layers = fsd_lists_new(x->w->arena, unit, sizeof *unit, n, units);
}

/* ---------------------------------------------------------------- what is drawn */

/* Sets the tints of all moves, and marks the picked units in `in`:
 *
 *     the groups of the selected regions the changed moves of the selected regions if
 *     pick->loose is true: also the changed moves outside all regions if pick->partial
 *     is false: all moves */
static void take_picked(struct build_side *x, bool *in)
{
    const struct fsd_compare *c = x->c;

    for (fsd_id g = 0; g < x->s->groups.n; g++)
        if (x->pick->regions[x->region[g]])
            in[group_unit(x, g)] = true;
    memset(x->change, FSD_MOVE_UNCHANGED, x->s->moves.n);
    FSD_EACH (const struct fsd_move_change, change, c->moves) {
        fsd_id move = x->side == FSD_SIDE_RIGHT ? change->new : change->old;

        if (move == FSD_NONE)
            continue;
        x->change[move] = change->what;
        if (change->what != FSD_MOVE_UNCHANGED &&
            (change->region == FSD_NONE ? x->pick->loose
                                        : x->pick->regions[change->region]))
            in[move_unit(x, move)] = true;
    }
    for (fsd_id i = 0; i < x->s->moves.n && !x->pick->partial; i++)
        in[move_unit(x, i)] = true;
}

/* Marks the neighbors of the marked units, too. The search follows the wires in both
 * directions, through moves, up to the next group or port. */
static void take_neighbours(struct build_side *x, bool *in)
{
    uint32_t units = x->first[FSD__END_COUNT];
    struct fsd_near_pair *pairs =
        FSD_NEW(x->w->arena, struct fsd_near_pair, x->wires.n);
    bool *moves = FSD_NEW(x->w->arena, bool, units);

    for (uint32_t i = 0; i < x->wires.n; i++)
        pairs[i] = (struct fsd_near_pair){unit_of(x, x->wires.at[i].from),
                                          unit_of(x, x->wires.at[i].to)};
    for (fsd_id i = 0; i < x->s->moves.n; i++)
        moves[move_unit(x, i)] = true;
    fsd_near_grow_pairs(
        &(struct fsd_near){
            .arena = x->w->arena, .in = in, .n = units, .depth = 1, .passes = moves},
        pairs, x->wires.n);
}

/* ------------------------------------------------------------------------ wires */

/* Adds the wires. If the state is not `wired`, its wires are derived from the nodes. A
 * derived wire of an unknown type becomes an FSD_THREAD. */
static void add_lines(struct build_side *x)
{
    FSD_EACH (const struct fsd_state_wire, wire, x->wires) {
        fsd_id from = x->box[unit_of(x, wire->from)], to = x->box[unit_of(x, wire->to)];
        struct fsd_line line = {.from = from,
                                .to = to,
                                .what = wire->read.layout,
                                .from_port = FSD_NONE,
                                .to_port = FSD_NONE,
                                .n = 1,
                                .derived = !x->s->wired,
                                .type = {wire->written.type, wire->read.type}};

        if (x->s->wired || wire->read.type)
            fsd_drawing_add_line(x->w, FSD_WIRE, line);
        else
            fsd_drawing_add_line(x->w, FSD_THREAD,
                                 (struct fsd_line){.from = from, .to = to});
    }
}

static void draw_side(struct build_side *x)
{
    uint32_t units = x->first[FSD__END_COUNT];
    bool *in = FSD_NEW(x->w->arena, bool, units);

    take_picked(x, in);
    take_neighbours(x, in);
    list_layers(x);
    for (uint32_t kind = 0; kind < FSD__END_COUNT; kind++)
        for (uint32_t i = 0; i < count_of(x->s, kind); i++)
            if (in[x->first[kind] + i])
                add_box(x, (struct fsd_state_end){kind, i});
    add_lines(x);
}

/* -------------------------------------------------------------------------- all */

static struct build_side new_build_side(struct fsd_drawing *w,
                                        const struct fsd_compare *c,
                                        const struct pick *pick, bool *shown, bool new)
{
    const struct fsd_state *s = new ? c->new : c->old;
    struct build_side x = {.w = w,
                           .c = c,
                           .s = s,
                           .pick = pick,
                           .shown = shown,
                           .side = new ? FSD_SIDE_RIGHT : FSD_SIDE_LEFT,
                           .region = new ? c->new_region : c->old_region,
                           .change = FSD_NEW(w->arena, uint8_t, s->moves.n),
                           .wires = fsd_state_wires_of(s, w->arena)};

    for (uint32_t kind = 0; kind < FSD__END_COUNT; kind++)
        x.first[kind + 1] = x.first[kind] + count_of(s, kind);
    x.box = fsd_ids_new(w->arena, x.first[FSD__END_COUNT]);
    return x;
}

/* Draws both sides, and ties between groups that have a node in common. */
static struct fsd_drawing *draw_picked(const struct fsd_compare *c,
                                       const struct pick *pick, const char *subject,
                                       struct fsd_arena *arena)
{
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);
    struct fsd_compare_scene *scene = FSD_NEW(arena, struct fsd_compare_scene, 1);
    const struct fsd_exports *e = c->exports;
    bool *shown = FSD_NEW(arena, bool, c->regions.n);
    struct build_side old, new;

    *scene = (struct fsd_compare_scene){{{c->old, c->new}}, c, subject, {0}};
    if (e)
        scene->changes =
            fsd_lists_new(arena, e->changes.n ? &e->changes.at->region : NULL,
                          sizeof *e->changes.at, e->changes.n, c->regions.n);
    *w =
        (struct fsd_drawing){.arena = arena,
                             .painter = e ? &fsd_exports_painter : &fsd_compare_painter,
                             .of = scene};
    old = new_build_side(w, c, pick, shown, false);
    new = new_build_side(w, c, pick, shown, true);
    draw_side(&old);
    draw_side(&new);
    fsd_drawing_sort_lines(w, FSD_WIRE);
    fsd_drawing_sort_lines(w, FSD_THREAD);
    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        fsd_id counterpart = c->align->to_new[i], a = c->old->nodes.at[i].group;
        fsd_id b = fsd_state_group_of(c->new, counterpart);

        if (a != FSD_NONE && b != FSD_NONE)
            fsd_drawing_add_line(
                w, FSD_TIE,
                (struct fsd_line){.from = old.box[group_unit(&old, a)],
                                  .to = new.box[group_unit(&new, b)],
                                  .loose = !c->regions.at[old.region[a]].differs});
    }
    fsd_drawing_sort_lines(w, FSD_TIE);
    return w;
}

/* ------------------------------------------------------------------- what is drawn */

struct compare_job {
    struct fsd_plan plan; /* the first member, because draw_fewer_changes() casts the
                             plan to struct compare_job */
    const struct fsd_compare *c;
    struct fsd_arena *arena;
    uint32_t differing;
    uint32_t most; /* the maximum number of changed regions to draw; UINT32_MAX: draw
                      everything */
};

static void draw_changes(struct compare_job *job)
{
    const struct fsd_compare *c = job->c;
    struct pick pick = {.regions = FSD_NEW(job->arena, bool, c->regions.n),
                        .partial = true};
    char *subject = FSD_NEW(job->arena, char, 80);
    uint32_t taken = 0;

    for (uint32_t i = 0; i < c->regions.n && taken < job->most; i++) {
        pick.regions[c->order[i]] = c->regions.at[c->order[i]].differs;
        taken += c->regions.at[c->order[i]].differs;
    }
    pick.loose = taken == job->differing;
    if (pick.loose)
        snprintf(subject, 80, "the changes and their neighbors");
    else
        snprintf(subject, 80, "the worst %u of %u changes and their neighbors", taken,
                 job->differing);
    job->plan.drawing = draw_picked(c, &pick, subject, job->arena);
    job->plan.last |= job->most <= 1;
    snprintf(job->plan.less, sizeof job->plan.less,
             "the picture shows only %s (to see a part in full, pass --around; to see "
             "everything, pass -f dot or --all)",
             subject);
}

/* Draws less than before. If the last drawing had everything, draws only the changes.
 * If the last drawing had only changes, draws half as many changes. */
static bool draw_fewer_changes(struct fsd_plan *plan)
{
    struct compare_job *job = (struct compare_job *)(void *)plan;

    if (plan->last)
        return false;
    job->most = job->most == UINT32_MAX ? job->differing : job->most / 2;
    draw_changes(job);
    return true;
}

/* Whether a word names a node: by the node's name or number, by a pattern, or by the
 * name of its output or its weight. */
static bool is_named(const struct fsd_state *s, fsd_id node,
                     const struct fsd_word *word)
{
    const struct fsd_state_node *n = &s->nodes.at[node];

    if (word->kind == FSD_WORD_NUMBER || word->kind == FSD_WORD_NODE)
        return (s->number_of ? s->number_of[node] : node) == word->number;
    return fsd_word_fits(word->text, fsd_text(s->names, n->key)) ||
           (n->makes && fsd_word_fits(word->text, fsd_text(s->names, n->makes))) ||
           (n->weight && fsd_word_fits(word->text, fsd_text(s->names, n->weight)));
}

/* A search in one build. It finds the regions of the nodes or layers that the word of
 * --around names. */
struct naming {
    const struct fsd_state *s;
    const fsd_id *region; /* by group: its region */
    bool *regions;        /* by region: whether the word names an object in it */
    struct fsd_nearest *nearest;
    bool any;
};

static void take_node(struct naming *n, fsd_id node)
{
    fsd_id group = fsd_state_group_of(n->s, node);

    if (group != FSD_NONE)
        n->regions[n->region[group]] = n->any = true;
}

/* Selects the region of a layer. For a data-movement layer, selects the regions of the
 * groups on both sides. */
static void take_layer(struct naming *n, uint32_t layer)
{
    uint32_t of =
        n->s->of_layer && layer < n->s->layers ? n->s->of_layer[layer] : FSD_NONE;
    const struct fsd_move *move;
    struct fsd_ends from, to;

    if (of == FSD_NONE)
        return;
    if (!(of & FSD_LAYER_MOVES)) {
        n->regions[n->region[of]] = n->any = true;
        return;
    }
    move = &n->s->moves.at[of & ~FSD_LAYER_MOVES];
    from = fsd_ends_of_origins(n->s, move->from);
    to = fsd_ends_of_destinations(n->s, move->to);
    for (uint32_t i = 0; i < from.n; i++)
        take_node(n, fsd_end_node(from, i));
    for (uint32_t i = 0; i < to.n; i++)
        take_node(n, fsd_end_node(to, i));
}

static bool take_named(struct naming *n, const struct fsd_word *word)
{
    if (word->kind == FSD_WORD_LAYER)
        take_layer(n, word->number);
    for (fsd_id i = 0; i < n->s->nodes.n; i++) {
        const struct fsd_state_node *node = &n->s->nodes.at[i];
        bool own = node->group != FSD_NONE;

        if (own)
            fsd_nearest_try(n->nearest, fsd_text(n->s->names, node->key));
        if (is_named(n->s, i, word)) /* a quantizer or view is in no group: select the
                                        group whose output it forwards */
            take_node(n, own ? i : fsd_origin_node(node->core.at));
    }
    return n->any;
}

enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err)
{
    const struct fsd_picture *want = fsd_wanted_picture(style);
    struct compare_job job = {.plan = {.want = want,
                                       .simplify = draw_fewer_changes,
                                       .most_ends = COMPARISON_ENDS,
                                       .last = style->all || want->around},
                              .c = c,
                              .arena = fsd_arena_new(),
                              .most = UINT32_MAX};
    struct pick pick = {.regions = FSD_NEW(job.arena, bool, c->regions.n),
                        .partial = want->around};
    enum fsd_status status = FSD_OK;
    struct fsd_nearest nearest = {0};
    char suggestion[512];
    bool found = !want->around;

    for (fsd_id r = 0; r < c->regions.n; r++) {
        job.differing += c->regions.at[r].differs;
        pick.regions[r] = !want->around;
    }
    if (want->around) {
        struct fsd_word word = fsd_word_read(want->around);

        nearest = fsd_nearest_to(want->around);
        found |= take_named(
            &(struct naming){c->old, c->old_region, pick.regions, &nearest, false},
            &word);
        found |= take_named(
            &(struct naming){c->new, c->new_region, pick.regions, &nearest, false},
            &word);
    }
    if (want->only)
        job.most = job.differing;
    if (want->only && strcmp(want->only, "changes") != 0)
        status = fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                          "expected 'changes' as the value of --only, found '%.80s'",
                          want->only);
    else if (!found)
        status = fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                          "expected a node that %s, found '%.80s'%s",
                          c->exports ? "computes" : "a layer of either build computes",
                          want->around, fsd_nearest_text(&nearest, suggestion));
    else if (want->only && !want->around)
        draw_changes(&job);
    else
        job.plan.drawing =
            draw_picked(c, &pick, want->around ? "a neighbourhood" : NULL, job.arena);
    *job.plan.less = '\0'; /* no note: the user requested this part */
    FSD_THEN(status, fsd_plan_write(&job.plan, format, out, err));
    fsd_arena_free(job.arena);
    return status;
}
