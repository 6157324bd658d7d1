/*
 * Makes the history of one engine from the history of a whole log.  A log of many
 * engines is read once.  The run for an engine then gets its own records and symbols,
 * so its time depends only on the lines about this engine.
 *
 * The table `arrays` states which members of a record are symbols, and which are
 * indices of other records.  Records and symbols stay in the order of the log.
 */
#include "model/graph/history.h"

#include <stdlib.h>

enum kind {
    EVENTS,
    RIVALS,
    EFFORTS,
    SKIPS,
    STEPS,
    SUMS,
    FINALS,
    BUILT,
    MEMORY,
    SHAPES,
    PASSES,
    PLACES,
    PARSER,
    KINDS
};

enum { MOST_SYMBOLS = 4, MOST_LINKS = 2 };

/* A member of a record that refers to another record: the member is the index of that
 * record.  With `plus_one`, it is the index plus 1, and 0 means none. */
struct link {
    uint32_t at;
    enum kind to;
    bool plus_one;
};

/* Describes one array of the history: its place in struct fsd_history, and the members
 * of its records. */
static const struct array {
    size_t vec, size, build;
    unsigned n_symbols, n_links;
    uint32_t symbols[MOST_SYMBOLS];
    struct link links[MOST_LINKS];
} arrays[] = {
#define ARRAY(vec, type) offsetof(struct fsd_history, vec), sizeof(struct type)
#define BUILD(type)      offsetof(struct type, build)
#define AT(type, member) (uint32_t) offsetof(struct type, member)
    [EVENTS] = {ARRAY(events, fsd_event),
                BUILD(fsd_event),
                4,
                1,
                {AT(fsd_event, pass), AT(fsd_event, a), AT(fsd_event, b),
                 AT(fsd_event, text)},
                {{AT(fsd_event, timed), RIVALS, true}}},
    [RIVALS] = {ARRAY(rivals, fsd_rival),
                BUILD(fsd_rival),
                4,
                1,
                {AT(fsd_rival, layer), AT(fsd_rival, runner), AT(fsd_rival, tactic),
                 AT(fsd_rival, formats)},
                {{AT(fsd_rival, next), RIVALS, false}}},
    [EFFORTS] = {ARRAY(efforts.list, fsd_effort),
                 BUILD(fsd_effort),
                 2,
                 2,
                 {AT(fsd_effort, layer), AT(fsd_effort, source)},
                 {{AT(fsd_effort, next), EFFORTS, false},
                  {AT(fsd_effort, skips), SKIPS, true}}},
    [SKIPS] = {ARRAY(efforts.skips, fsd_effort_skip),
               0,
               1,
               1, /* `build` of this row is 0, because fsd_effort_skip has no member
                     `build`; see builds_of_skips() */
               {AT(fsd_effort_skip, why)},
               {{AT(fsd_effort_skip, next), SKIPS, false}}},
    [STEPS] = {ARRAY(efforts.steps, fsd_effort_step),
               BUILD(fsd_effort_step),
               1,
               0,
               {AT(fsd_effort_step, name)},
               {{0}}},
    [SUMS] = {ARRAY(efforts.sums, fsd_effort_sums),
              BUILD(fsd_effort_sums),
              2,
              0,
              {AT(fsd_effort_sums, cache), AT(fsd_effort_sums, plan)},
              {{0}}},
    [FINALS] = {ARRAY(finals, fsd_final),
                BUILD(fsd_final),
                2,
                0,
                {AT(fsd_final, name), AT(fsd_final, tensor)},
                {{0}}},
    [BUILT] = {ARRAY(built, fsd_built_in),
               BUILD(fsd_built_in),
               2,
               0,
               {AT(fsd_built_in, fact.key), AT(fsd_built_in, fact.value)},
               {{0}}},
    [MEMORY] = {ARRAY(memory, fsd_memory_use),
                BUILD(fsd_memory_use),
                1,
                0,
                {AT(fsd_memory_use, layer)},
                {{0}}},
    [SHAPES] = {ARRAY(shapes, fsd_input_shape),
                BUILD(fsd_input_shape),
                1,
                0,
                {AT(fsd_input_shape, input)},
                {{0}}},
    [PASSES] = {ARRAY(passes, fsd_pass_stats),
                BUILD(fsd_pass_stats),
                1,
                0,
                {AT(fsd_pass_stats, name)},
                {{0}}},
    [PLACES] = {ARRAY(places, fsd_placement),
                BUILD(fsd_placement),
                3,
                0,
                {AT(fsd_placement, provider), AT(fsd_placement, op),
                 AT(fsd_placement, name)},
                {{0}}},
    [PARSER] =
        {ARRAY(parser, fsd_parser_line), BUILD(fsd_parser_line), 0, 0, {0}, {{0}}},
#undef ARRAY
#undef BUILD
#undef AT
};
_Static_assert(FSD_COUNT_OF(arrays) == KINDS, "a row each");

/* Any array of a history; all FSD_VEC arrays have these members. */
struct records {
    char *at;
    uint32_t n, cap;
};

typedef FSD_VEC(fsd_id) id_vec;

struct fsd_history_parts {
    const struct fsd_history *all;
    struct fsd_lists of[KINDS]; /* the records of each build */
    uint32_t *parsed;           /* indexed by build: the number of the build for which
                                   the log prints the network: this build, or else the
                                   nearest earlier one; FSD_NONE: none of these */
    /* If parsed[build] is FSD_NONE, the build also gets these records: */
    id_vec registered; /* the events FSD_EVENT_REGISTER of all builds */
    id_vec unbuilt;    /* the parser's lines of attempts that led to no engine */
};

static struct records records_of(const struct fsd_history *h, enum kind kind)
{
    struct records r;

    memcpy(&r, (const char *)h + arrays[kind].vec, sizeof r);
    return r;
}

static void set_records(struct fsd_history *h, enum kind kind, struct records r)
{
    memcpy((char *)h + arrays[kind].vec, &r, sizeof r);
}

/* -------------------------------------------------------------------- dividing */

/* Returns the build of each skip, indexed by skip.  A skip belongs to the build of the
 * effort that lists the skip. */
static uint32_t *builds_of_skips(struct fsd_arena *arena, const struct fsd_efforts *all)
{
    uint32_t *build = fsd_ids_new(arena, all->skips.n);

    for (uint32_t i = 0; i < all->list.n; i++)
        for (uint32_t k = all->list.at[i].skips; k; k = all->skips.at[k - 1].next + 1)
            build[k - 1] = all->list.at[i].build;
    return build;
}

/* Returns `parsed` of struct fsd_history_parts.  If several engines are built from one
 * network, the log prints the network only before the first of them.  The other engines
 * get the number of the first one. */
static uint32_t *parsed_builds(struct fsd_arena *arena, const struct fsd_history *h)
{
    uint32_t *parsed = fsd_ids_new(arena, h->builds), last = FSD_NONE;

    for (uint32_t i = 0; i < h->parser.n; i++)
        if (h->parser.at[i].says == FSD_SAYS_NODE && h->parser.at[i].build < h->builds)
            parsed[h->parser.at[i].build] = h->parser.at[i].build;
    for (uint32_t b = 0; b < h->builds; b++)
        parsed[b] = last = parsed[b] == FSD_NONE ? last : parsed[b];
    return parsed;
}

struct fsd_history_parts *fsd_history_divide(struct fsd_arena *arena,
                                             const struct fsd_history *all)
{
    struct fsd_history_parts *p = FSD_NEW(arena, struct fsd_history_parts, 1);

    p->all = all;
    p->parsed = parsed_builds(arena, all);
    for (uint32_t i = 0; i < all->events.n; i++)
        if (all->events.at[i].kind == FSD_EVENT_REGISTER)
            fsd_vec_push(arena, &p->registered, i);
    for (uint32_t i = 0; i < all->parser.n; i++)
        if (all->parser.at[i].build == FSD_NONE)
            fsd_vec_push(arena, &p->unbuilt, i);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct records r = records_of(all, (enum kind)kind);
        const void *key = r.n ? r.at + arrays[kind].build : r.at;

        p->of[kind] =
            kind == SKIPS
                ? fsd_lists_new(arena, builds_of_skips(arena, &all->efforts),
                                sizeof(uint32_t), r.n, all->builds)
                : fsd_lists_new(arena, key, arrays[kind].size, r.n, all->builds);
    }
    return p;
}

/* ------------------------------------------------------------------- one part */

/* The working memory of fsd_history_part().  `h` is the history that it makes. */
struct part {
    struct fsd_arena *scratch;
    const struct fsd_history *all;
    struct fsd_history *h;
    id_vec taken[KINDS]; /* the indices in `all` of the records to copy, ascending */
    id_vec symbols;      /* the symbols of `all` in these records, ascending */
    fsd_sym *own;        /* own[i] is the symbol in h->names for symbols.at[i] */
};

static void take(struct part *part, enum kind kind, const fsd_id *ids, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(part->scratch, &part->taken[kind], ids[i]);
}

static void take_build(struct part *part, const struct fsd_history_parts *from,
                       uint32_t build)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct fsd_span of = from->of[kind].of[build];

        take(part, (enum kind)kind, from->of[kind].ids + of.at, of.n);
    }
}

/* Takes all records of a build, and the records of the network from which it was
 * built. */
static void take_all(struct part *part, const struct fsd_history_parts *from,
                     uint32_t build)
{
    uint32_t parsed = from->parsed[build];

    take_build(part, from, build);
    if (parsed == FSD_NONE) {
        take(part, EVENTS, from->registered.at, from->registered.n);
        take(part, PARSER, from->unbuilt.at, from->unbuilt.n);
    } else if (parsed != build) {
        take_build(part, from, parsed);
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        id_vec *taken = &part->taken[kind];

        taken->n = fsd_sort_once(taken->at, taken->n, sizeof *taken->at, fsd_by_id);
    }
}

/* Returns the position of an id in an ascending list; FSD_NONE if the list does not
 * have it. */
static uint32_t position(const id_vec *ids, fsd_id id)
{
    const fsd_id *at =
        ids->n ? bsearch(&id, ids->at, ids->n, sizeof id, fsd_by_id) : NULL;

    return at ? (uint32_t)(at - ids->at) : FSD_NONE;
}

static void copy_records(struct part *part, enum kind kind)
{
    const struct array *array = &arrays[kind];
    const id_vec *taken = &part->taken[kind];
    struct records from = records_of(part->all, kind), to = {.n = taken->n};

    to.at =
        fsd_arena_alloc(part->h->arena, taken->n, array->size, alignof(max_align_t));
    to.cap = to.n;
    for (uint32_t i = 0; i < taken->n; i++) {
        char *record = to.at + i * array->size;

        memcpy(record, from.at + taken->at[i] * array->size, array->size);
        for (unsigned k = 0; k < array->n_symbols; k++) {
            fsd_sym sym;

            memcpy(&sym, record + array->symbols[k], sizeof sym);
            fsd_vec_push(part->scratch, &part->symbols, sym);
        }
    }
    set_records(part->h, kind, to);
}

static void translate_link(const struct part *part, char *record,
                           const struct link *link)
{
    uint32_t old, new;

    memcpy(&old, record + link->at, sizeof old);
    if (old == (link->plus_one ? 0 : FSD_NONE))
        return;
    new = position(&part->taken[link->to], old - link->plus_one);
    new = new == FSD_NONE ? (link->plus_one ? 0 : FSD_NONE) : new + link->plus_one;
    memcpy(record + link->at, &new, sizeof new);
}

static void translate(const struct part *part, enum kind kind)
{
    const struct array *array = &arrays[kind];
    struct records r = records_of(part->h, kind);

    for (uint32_t i = 0; i < r.n; i++) {
        char *record = r.at + i * array->size;

        for (unsigned k = 0; k < array->n_symbols; k++) {
            fsd_sym sym;

            memcpy(&sym, record + array->symbols[k], sizeof sym);
            memcpy(record + array->symbols[k],
                   &part->own[position(&part->symbols, sym)], sizeof sym);
        }
        for (unsigned k = 0; k < array->n_links; k++)
            translate_link(part, record, &array->links[k]);
    }
}

static void copy_symbols(struct part *part)
{
    id_vec *symbols = &part->symbols;

    symbols->n = fsd_sort_once(symbols->at, symbols->n, sizeof *symbols->at, fsd_by_id);
    part->own = FSD_NEW(part->scratch, fsd_sym, symbols->n);
    for (uint32_t i = 0; i < symbols->n; i++)
        part->own[i] =
            fsd_intern_add(part->h->names, fsd_text(part->all->names, symbols->at[i]),
                           fsd_text_len(part->all->names, symbols->at[i]));
}

/* Fills the tables that hold the newest rival and the newest effort of each layer. */
static void index_layers(struct fsd_history *h)
{
    for (uint32_t i = 0; i < h->rivals.n; i++) {
        while (h->rivals_of.n <= h->rivals.at[i].layer)
            fsd_vec_push(h->arena, &h->rivals_of, 0);
        h->rivals_of.at[h->rivals.at[i].layer] = i + 1;
    }
    for (uint32_t i = 0; i < h->efforts.list.n; i++) {
        while (h->efforts.of.n <= h->efforts.list.at[i].layer)
            fsd_vec_push(h->arena, &h->efforts.of, 0);
        h->efforts.of.at[h->efforts.list.at[i].layer] = i + 1;
    }
}

struct fsd_history *fsd_history_part(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_history_parts *parts,
                                     uint32_t build)
{
    const struct fsd_history *all = parts->all;
    FSD_SCRATCH(scratch);
    struct part part = {scratch,        all,          fsd_history_new(arena, names),
                        {{NULL, 0, 0}}, {NULL, 0, 0}, NULL};

    take_all(&part, parts, build);
    for (unsigned kind = 0; kind < KINDS; kind++)
        copy_records(&part, (enum kind)kind);
    copy_symbols(&part);
    for (unsigned kind = 0; kind < KINDS; kind++)
        translate(&part, (enum kind)kind);
    index_layers(part.h);
    part.h->path = all->path;
    part.h->scan = all->scan;
    part.h->builds = all->builds;
    part.h->build = build;
    part.h->lines = all->lines;
    part.h->unknown_lines = all->unknown_lines;
    part.h->lost_rivals = all->lost_rivals;
    part.h->session_lines = all->session_lines;
    part.h->no_steps = all->no_steps;
    part.h->failed = all->failed;
    part.h->n_elsewhere = all->events.n - part.h->events.n;
    part.h->registers = parts->registered.n > 0;
    return part.h;
}
