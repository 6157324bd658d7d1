/*
 * The drawing of a comparison: one build's fusion groups on each side, the moves
 * between them, ties between the groups that share nodes.
 *
 * Of large builds only what changed is drawn, with its neighbours beside it, and of
 * very many changes the worst, half as many until they can be laid out in their time.
 */
#include "base/id.h"
#include "base/status.h"
#include "model/word.h"
#include "report/picture/drawing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENDS = 800 }; /* of a picture that lays out within a second or two */

/* What is drawn for its own sake. */
struct pick {
    bool *regions; /* by region */
    bool loose;    /* moves of no region, when they changed */
    bool partial; /* not everything: moves that neither changed nor feed a picked region
                     are left out */
};

struct side {
    struct fsd_drawing *w;
    const struct fsd_compare *c;
    const struct fsd_state *s;
    const struct pick *pick;
    enum fsd_side side;
    const fsd_id *region;                      /* by group */
    uint8_t *change;                           /* by move: its tint */
    fsd_id *groups, *moves, *inputs, *outputs; /* their boxes; FSD_NONE */
    bool *focus;                               /* by group: drawn for its own sake */
    bool *told;                                /* by region, of both sides */
    FSD_VEC(uint64_t)
    carried; /* (source, reader) that a drawn move is between, sorted */
};

/* ------------------------------------------------------------------------ boxes */

static fsd_id add_box(struct side *x, fsd_id *slot, enum fsd_box_kind kind, fsd_id item,
                      unsigned tint)
{
    if (*slot == FSD_NONE)
        *slot = fsd_drawing_add_box(
            x->w, (struct fsd_box){.side = x->side, .kind = kind, .tint = tint}, item);
    return *slot;
}

/* The new build's first group of a region says what happened; of a region that it does
 * not have, the old one's. */
static fsd_id add_group(struct side *x, fsd_id g)
{
    fsd_id region = x->region[g];
    bool tells = !x->told[region] &&
                 (x->side == FSD_SIDE_RIGHT || !x->c->regions.at[region].new_groups.n);

    x->told[region] |= tells;
    return add_box(x, &x->groups[g], FSD_BOX_ITEMS, g, tells ? FSD_GROUP_TELLS : 0);
}

/* The group of a node, or of the one it is seen through to; FSD_NONE. */
static fsd_id group_of(const struct side *x, fsd_ref at)
{
    const struct fsd_state_node *node;

    if (at == FSD_NONE || (at & FSD_REF_PORT))
        return FSD_NONE;
    node = &x->s->nodes.at[at];
    if (node->group != FSD_NONE || node->core.at == FSD_NONE ||
        (node->core.at & FSD_REF_PORT))
        return node->group;
    return x->s->nodes.at[node->core.at].group;
}

/* The box that a reference stands for, drawn for its sake; FSD_NONE. */
static fsd_id box_of(struct side *x, fsd_ref at, bool reader)
{
    fsd_id group = group_of(x, at), port;

    if (group != FSD_NONE)
        return add_group(x, group);
    if (at != FSD_NONE && !(at & FSD_REF_PORT) && !reader)
        at = x->s->nodes.at[at].core.at;
    if (at == FSD_NONE || !(at & FSD_REF_PORT))
        return FSD_NONE;
    port = at & ~FSD_REF_PORT;
    return reader ? add_box(x, &x->outputs[port], FSD_BOX_OUTPUT, port, 0)
                  : add_box(x, &x->inputs[port], FSD_BOX_INPUT, port, 0);
}

/* What is asked for, and what reads it; of a part, moves that changed there and those
 * that feed what is asked for. */
static void choose(struct side *x)
{
    fsd_id *home = fsd_none_of(x->w->arena, x->s->moves.n); /* the change's region */

    for (fsd_id g = 0; g < x->s->groups.n; g++) {
        x->focus[g] = x->pick->regions[x->region[g]];
        if (x->focus[g])
            add_group(x, g);
    }
    for (fsd_id g = 0; g < x->s->groups.n; g++) {
        struct fsd_span in = x->s->groups.at[g].in;

        for (uint32_t i = 0; i < in.n; i++) {
            fsd_id source = group_of(x, x->s->borders.at[in.at + i].at);

            if (source != FSD_NONE && x->focus[source])
                add_group(x, g);
        }
    }
    memset(x->change, FSD_MOVE_UNCHANGED, x->s->moves.n);
    for (uint32_t i = 0; i < x->c->moves.n; i++) {
        const struct fsd_move_change *change = &x->c->moves.at[i];
        fsd_id move = x->side == FSD_SIDE_RIGHT ? change->new : change->old;

        if (move == FSD_NONE)
            continue;
        x->change[move] = change->what;
        home[move] = change->region;
    }
    for (fsd_id i = 0; i < x->s->moves.n; i++) {
        struct fsd_span to = x->s->moves.at[i].to;
        bool drawn = !x->pick->partial;

        if (x->change[i] != FSD_MOVE_UNCHANGED)
            drawn |= home[i] == FSD_NONE ? x->pick->loose : x->pick->regions[home[i]];
        for (uint32_t t = 0; t < to.n && !drawn; t++) {
            fsd_id group = group_of(x, x->s->refs.at[to.at + t]);

            drawn = group != FSD_NONE && x->focus[group];
        }
        if (drawn)
            add_box(x, &x->moves[i], FSD_BOX_MOVE, i, x->change[i]);
    }
}

/* ------------------------------------------------------------------------ wires */

static void add_wire(struct side *x, fsd_id from, fsd_id to, struct fsd_state_form form)
{
    fsd_drawing_add_line(x->w, FSD_WIRE,
                         (struct fsd_line){.from = from,
                                           .to = to,
                                           .what = form.layout,
                                           .from_port = FSD_NONE,
                                           .to_port = FSD_NONE,
                                           .n = 1,
                                           .type = {form.type, form.type}});
}

static uint64_t key(fsd_id from, fsd_ref reader)
{
    return (uint64_t)from << 32 | reader;
}

static bool same_form(struct fsd_state_form a, struct fsd_state_form b)
{
    return a.type && a.layout && a.type == b.type && a.layout == b.layout;
}

static bool same_refs(const struct fsd_state *s, struct fsd_span a, struct fsd_span b)
{
    return a.n == b.n && (!a.n || !memcmp(s->refs.at + a.at, s->refs.at + b.at,
                                          a.n * sizeof *s->refs.at));
}

/* Whether what it comes from hands on a tensor of the form that the move reads. */
static bool reads_source(const struct side *x, const struct fsd_move *m)
{
    for (uint32_t f = 0; f < m->from.n; f++) {
        fsd_ref at = x->s->refs.at[m->from.at + f];
        fsd_id g = group_of(x, at);

        if (at & FSD_REF_PORT &&
            same_form(x->s->inputs.at[at & ~FSD_REF_PORT].form, m->before))
            return true;
        for (uint32_t i = 0; g != FSD_NONE && i < x->s->groups.at[g].out.n; i++)
            if (same_form(x->s->borders.at[x->s->groups.at[g].out.at + i].form,
                          m->before))
                return true;
    }
    return false;
}

/* A move that makes a form of another one. */
struct form_maker {
    uint64_t form; /* first: they are sorted by it */
    fsd_id move;
};

static uint64_t form_key(struct fsd_state_form form)
{
    return form.type && form.layout ? (uint64_t)form.type << 32 | form.layout : 0;
}

/* The only one of those that makes a form. */
static fsd_id maker_of(const struct form_maker *makers, uint32_t n, uint64_t form)
{
    const struct form_maker *m =
        n && form ? bsearch(&form, makers, n, sizeof *makers, fsd_by_number) : NULL;
    bool alone = m && (m == makers || m[-1].form != form) &&
                 (m + 1 == makers + n || m[1].form != form);

    return alone ? m->move : FSD_NONE;
}

/* By move the one that it reads.  Layers one behind another lie between the same nodes,
 * and stand together: it is the only one of them that makes the form that is read,
 * which what they come from does not; FSD_NONE: that is not shown. */
static fsd_id *moves_before(const struct side *x)
{
    const struct fsd_state *s = x->s;
    fsd_id *before = fsd_none_of(x->w->arena, s->moves.n);
    struct form_maker *makers = FSD_NEW(x->w->arena, struct form_maker, s->moves.n);

    for (fsd_id first = 0, end = 0; first < s->moves.n; first = end) {
        const struct fsd_move *m = &s->moves.at[first];
        uint32_t n = 0;

        for (; end < s->moves.n && same_refs(s, s->moves.at[end].to, m->to) &&
               same_refs(s, s->moves.at[end].from, m->from);
             end++)
            if (!same_form(s->moves.at[end].before, s->moves.at[end].after))
                makers[n++] =
                    (struct form_maker){form_key(s->moves.at[end].after), end};
        if (n)
            qsort(makers, n, sizeof *makers, fsd_by_number);
        for (fsd_id i = first; i < end; i++) {
            m = &s->moves.at[i];
            before[i] = maker_of(makers, n, form_key(m->before));
            if (before[i] != FSD_NONE &&
                (x->moves[before[i]] == FSD_NONE || reads_source(x, m)))
                before[i] = FSD_NONE; /* it is not drawn */
        }
    }
    return before;
}

/* In and out of every move that is drawn.  What it carries needs no wire beside it. */
static void wire_moves(struct side *x)
{
    const fsd_id *before = moves_before(x);
    bool *read = FSD_NEW(x->w->arena, bool, x->s->moves.n); /* by another move */

    for (fsd_id i = 0; i < x->s->moves.n; i++)
        if (x->moves[i] != FSD_NONE && before[i] != FSD_NONE)
            read[before[i]] = true;
    for (fsd_id i = 0; i < x->s->moves.n; i++) {
        const struct fsd_move *m = &x->s->moves.at[i];
        const fsd_ref *refs = x->s->refs.at;

        if (x->moves[i] == FSD_NONE)
            continue;
        if (before[i] != FSD_NONE)
            add_wire(x, x->moves[before[i]], x->moves[i], m->before);
        for (uint32_t f = 0; f < m->from.n; f++) {
            fsd_id source = box_of(x, refs[m->from.at + f], false);

            if (before[i] == FSD_NONE)
                add_wire(x, source, x->moves[i], m->before);
            for (uint32_t t = 0; t < m->to.n; t++)
                fsd_vec_push(x->w->arena, &x->carried, key(source, refs[m->to.at + t]));
        }
        for (uint32_t t = 0; t < m->to.n && !read[i]; t++)
            add_wire(x, x->moves[i], box_of(x, refs[m->to.at + t], true), m->after);
    }
    x->carried.n = fsd_sort_once(x->carried.at, x->carried.n, sizeof *x->carried.at,
                                 fsd_by_number);
}

static bool is_carried(const struct side *x, fsd_id from, fsd_ref reader)
{
    uint64_t k = key(from, reader);

    return x->carried.at &&
           bsearch(&k, x->carried.at, x->carried.n, sizeof k, fsd_by_number) != NULL;
}

static void draw_side(struct side *x)
{
    choose(x);
    wire_moves(x);
    /* Sources drawn for a reader's sake get no inputs, so one round will do; what is
     * only next to a change gets those that are drawn. */
    for (fsd_id g = 0; g < x->s->groups.n; g++) {
        struct fsd_span in = x->s->groups.at[g].in;

        for (uint32_t i = 0; x->groups[g] != FSD_NONE && i < in.n; i++) {
            const struct fsd_border *b = &x->s->borders.at[in.at + i];
            fsd_id source = group_of(x, b->at), from;

            if (!x->focus[g] && (source == FSD_NONE || x->groups[source] == FSD_NONE))
                continue;
            from = box_of(x, b->at, false);
            if (!is_carried(x, from, b->node))
                add_wire(x, from, x->groups[g], b->form);
        }
    }
    for (fsd_id i = 0; i < x->s->outputs.n; i++) {
        const struct fsd_state_port *p = &x->s->outputs.at[i];
        fsd_id group = group_of(x, p->core_from.at);

        if (group != FSD_NONE && x->focus[group] &&
            !is_carried(x, x->groups[group], FSD_REF_PORT | i))
            add_wire(x, x->groups[group], box_of(x, FSD_REF_PORT | i, true), p->form);
    }
}

/* -------------------------------------------------------------------------- all */

static struct side new_side(struct fsd_drawing *w, const struct fsd_compare *c,
                            const struct pick *pick, bool *told, bool new)
{
    const struct fsd_state *s = new ? c->new : c->old;

    return (struct side){.w = w,
                         .c = c,
                         .s = s,
                         .pick = pick,
                         .told = told,
                         .side = new ? FSD_SIDE_RIGHT : FSD_SIDE_LEFT,
                         .region = new ? c->new_region : c->old_region,
                         .change = FSD_NEW(w->arena, uint8_t, s->moves.n),
                         .groups = fsd_none_of(w->arena, s->groups.n),
                         .moves = fsd_none_of(w->arena, s->moves.n),
                         .inputs = fsd_none_of(w->arena, s->inputs.n),
                         .outputs = fsd_none_of(w->arena, s->outputs.n),
                         .focus = FSD_NEW(w->arena, bool, s->groups.n)};
}

/* Groups that share a node are tied. */
static struct fsd_drawing *draw(const struct fsd_compare *c, const struct pick *pick,
                                const char *subject, struct fsd_arena *arena)
{
    struct fsd_drawing *w = FSD_NEW(arena, struct fsd_drawing, 1);
    struct fsd_compare_scene *scene = FSD_NEW(arena, struct fsd_compare_scene, 1);
    bool *told = FSD_NEW(arena, bool, c->regions.n);
    struct side old, new;

    *scene = (struct fsd_compare_scene){c, subject};
    *w = (struct fsd_drawing){
        .arena = arena, .painter = &fsd_compare_painter, .of = scene};
    old = new_side(w, c, pick, told, false);
    new = new_side(w, c, pick, told, true);
    draw_side(&old);
    draw_side(&new);
    fsd_drawing_sort_lines(w, FSD_WIRE);
    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        fsd_id mate = c->align->to_new[i], a = c->old->nodes.at[i].group;
        fsd_id b = mate == FSD_NONE ? FSD_NONE : c->new->nodes.at[mate].group;

        if (a != FSD_NONE && b != FSD_NONE)
            fsd_drawing_add_line(
                w, FSD_TIE,
                (struct fsd_line){.from = old.groups[a],
                                  .to = new.groups[b],
                                  .loose = !c->regions.at[old.region[a]].differs});
    }
    fsd_drawing_sort_lines(w, FSD_TIE);
    return w;
}

/* ------------------------------------------------------------------- what is drawn */

struct job {
    struct fsd_plan plan; /* first */
    const struct fsd_compare *c;
    struct fsd_arena *arena;
    uint32_t differing;
    uint32_t most; /* changed regions that are drawn; UINT32_MAX: everything is */
};

static void draw_changes(struct job *job)
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
        snprintf(subject, 80, "what changed and what is next to it");
    else
        snprintf(subject, 80, "the worst %u of %u changes and what is next to them",
                 taken, job->differing);
    job->plan.drawing = draw(c, &pick, subject, job->arena);
    job->plan.last |= job->most <= 1;
    snprintf(
        job->plan.less, sizeof job->plan.less,
        "drawn is only %s (--around shows a part of it, -f dot and --all everything)",
        subject);
}

/* From everything to what changed, and then half as many changes each time. */
static bool simplify(struct fsd_plan *plan)
{
    struct job *job = (struct job *)(void *)plan;

    if (plan->last)
        return false;
    job->most = job->most == UINT32_MAX ? job->differing : job->most / 2;
    draw_changes(job);
    return true;
}

/* A node by its name, its number or a pattern, or by the tensor that it makes or the
 * weight that it reads. */
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

/* What became of words in one of the builds. */
struct naming {
    const struct fsd_state *s;
    const fsd_id *region; /* by group */
    bool *regions;        /* that are named */
    struct fsd_nearest *nearest;
    bool any;
};

static void take_node(struct naming *n, fsd_ref node)
{
    fsd_id group =
        node == FSD_NONE || node & FSD_REF_PORT ? FSD_NONE : n->s->nodes.at[node].group;

    if (group != FSD_NONE)
        n->regions[n->region[group]] = n->any = true;
}

/* A layer that moves data stands for those on both of its sides. */
static void take_layer(struct naming *n, uint32_t layer)
{
    uint32_t of =
        n->s->of_layer && layer < n->s->layers ? n->s->of_layer[layer] : FSD_NONE;
    const struct fsd_move *move;

    if (of == FSD_NONE)
        return;
    if (!(of & FSD_LAYER_MOVES)) {
        n->regions[n->region[of]] = n->any = true;
        return;
    }
    move = &n->s->moves.at[of & ~FSD_LAYER_MOVES];
    for (uint32_t i = 0; i < move->from.n; i++)
        take_node(n, n->s->refs.at[move->from.at + i]);
    for (uint32_t i = 0; i < move->to.n; i++)
        take_node(n, n->s->refs.at[move->to.at + i]);
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
        if (is_named(n->s, i, word)) /* a quantizer, a view: whose data it hands on */
            take_node(n, own ? i : node->core.at);
    }
    return n->any;
}

enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err)
{
    static const struct fsd_picture everything = {0};
    const struct fsd_picture *want = style->picture ? style->picture : &everything;
    struct job job = {.plan = {.want = want,
                               .simplify = simplify,
                               .most_ends = MOST_ENDS,
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
                          "expected --only changes, found '%.80s'", want->only);
    else if (!found)
        status = fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "expected a node that a layer of either build computes, found '%.80s'%s",
            want->around, fsd_nearest_text(&nearest, suggestion));
    else if (want->only && !want->around)
        draw_changes(&job);
    else
        job.plan.drawing =
            draw(c, &pick, want->around ? "a neighbourhood" : NULL, job.arena);
    *job.plan.less = '\0'; /* so far it is what was asked for */
    if (status == FSD_OK)
        status = fsd_plan_write(&job.plan, format, out, err);
    fsd_arena_free(job.arena);
    return status;
}
