/*
 * Finds the layer of each entry of a profile.  If the profile and the engine come
 * from one build, entries and layers have the same names in the same order.  Otherwise,
 * entries and layers with equal names are joined in order.
 */
#include "model/graph/graph.h"
#include "read/profile/measured.h"

/* For each name, the layers that have no entry yet, in the order of the engine. */
struct queue {
    fsd_id *first; /* indexed by symbol: the first such layer with this name; FSD_NONE:
                      none is left */
    fsd_id *next;  /* indexed by layer: the next layer with the same name */
    bool *taken;   /* indexed by layer: whether the layer has an entry */
};

static struct queue new_queue(struct fsd_arena *arena, const struct fsd_graph *engine)
{
    uint32_t names = fsd_intern_count(engine->names);
    struct queue q = {fsd_ids_new(arena, names),
                      FSD_NEW(arena, fsd_id, engine->nodes.n),
                      FSD_NEW(arena, bool, engine->nodes.n)};

    for (fsd_id i = engine->nodes.n; i-- > 0;) {
        fsd_sym name = engine->nodes.at[i].name;

        q.next[i] = q.first[name];
        q.first[name] = i;
    }
    return q;
}

static fsd_id take(struct queue *q, fsd_sym name)
{
    fsd_id layer = q->first[name];

    while (fsd_true_at(q->taken, layer))
        layer = q->next[layer];
    q->first[name] = fsd_id_at(q->next, layer);
    fsd_set_at(q->taken, layer);
    return layer;
}

/* ---------------------------------------------------------------- names that differ */

static bool contains(const struct fsd_graph *engine, fsd_sym a, fsd_sym b)
{
    const char *x = fsd_text(engine->names, a), *y = fsd_text(engine->names, b);

    return strlen(x) > strlen(y) ? *y && strstr(x, y) : *x && strstr(y, x);
}

enum { GAP = 64 };

/* Returns the only layer from `after` to `before` - 1 that has no entry yet; FSD_NONE
 * if there is none, or several.  If the range has more than GAP layers, returns
 * FSD_NONE: a position in a long range does not identify a layer. */
static fsd_id only_between(const struct queue *q, fsd_id after, fsd_id before)
{
    fsd_id found = FSD_NONE;

    if (before < after || before - after > GAP)
        return FSD_NONE;
    for (fsd_id i = after; i < before; i++) {
        if (q->taken[i])
            continue;
        if (found != FSD_NONE)
            return FSD_NONE;
        found = i;
    }
    return found;
}

/* Finds layers for entries by their position.  An entry is joined to a layer if
 *   - the entries before and after this entry have layers,
 *   - the layer is the only one between these two layers that has no entry yet, and
 *   - the layer's name contains the entry's name, or the reverse.  For example, the
 *     profile has "Add_133", and the dump has "PWN(Add_133)". */
static void join_gaps(struct fsd_join *join, struct queue *q,
                      const struct fsd_graph *engine, const struct fsd_profile *profile)
{
    for (uint32_t i = 1; i + 1 < profile->entries.n; i++) {
        fsd_id before = join->layer_of[i - 1], behind = join->layer_of[i + 1], layer;

        if (fsd_join_has(join, i) || before == FSD_NONE || behind == FSD_NONE)
            continue;
        layer = only_between(q, before + 1, behind);
        if (layer == FSD_NONE || !contains(engine, engine->nodes.at[layer].name,
                                           profile->entries.at[i].unescaped))
            continue;
        join->layer_of[i] = layer;
        join->by_place++;
        q->taken[layer] = true;
    }
}

/* Finds layers for entries with a truncated name.  The name of the layer must begin
 * with the truncated name.  If there are several such layers, the first one after the
 * layer of the previous entry is used. */
static void join_cut(struct fsd_join *join, struct queue *q,
                     const struct fsd_graph *engine, const struct fsd_profile *profile)
{
    fsd_id after = 0;

    for (uint32_t i = 0; i < profile->entries.n; i++) {
        const struct fsd_profile_entry *e = &profile->entries.at[i];
        const char *begin = fsd_text(engine->names, e->unescaped);

        for (fsd_id k = after;
             e->cut && !fsd_join_has(join, i) && k < engine->nodes.n && k - after < GAP;
             k++)
            if (!q->taken[k] &&
                !strncmp(fsd_text(engine->names, engine->nodes.at[k].name), begin,
                         strlen(begin))) {
                join->layer_of[i] = k;
                join->by_place++;
                q->taken[k] = true;
            }
        if (fsd_join_has(join, i))
            after = join->layer_of[i] + 1;
    }
}

/* ---------------------------------------------------------- layers without a name */

/* Returns the symbol of "Gemm" for "Gemm_12", which is a profile's name for a node
 * without a name; 0 for a name of another form. */
static fsd_sym numbered_type(const struct fsd_graph *engine, fsd_sym entry)
{
    const char *text = fsd_text(engine->names, entry), *end = strrchr(text, '_');
    fsd_sym type = 0;

    if (end && end[1] && !end[1 + strspn(end + 1, "0123456789")])
        type = fsd_intern_find(engine->names, text, (size_t)(end - text));
    return type == FSD_NONE ? 0 : type;
}

/* Joins layers without a name to entries with names like "Gemm_12".  The layers with
 * the type Gemm and the entries Gemm_... are joined in order.  If there are not as many
 * such layers as such entries, this type is skipped. */
static void join_unnamed(struct fsd_join *join, struct queue *q,
                         struct fsd_arena *arena, const struct fsd_graph *engine,
                         const struct fsd_profile *profile)
{
    uint32_t names = fsd_intern_count(engine->names);
    fsd_id *next = FSD_NEW(arena, fsd_id, engine->nodes.n);
    fsd_id *first = fsd_ids_new(arena, names);
    uint32_t *lacking = FSD_NEW(arena, uint32_t, names);

    for (fsd_id i = engine->nodes.n; i-- > 0;) {
        fsd_sym op = engine->nodes.at[i].op;

        if (engine->nodes.at[i].name || q->taken[i])
            continue;
        next[i] = first[op];
        first[op] = i;
        lacking[op]++;
    }
    for (uint32_t i = 0; i < profile->entries.n; i++)
        if (!fsd_join_has(join, i) && !profile->entries.at[i].within)
            lacking[numbered_type(engine, profile->entries.at[i].unescaped)]--;
    for (uint32_t i = 0; i < profile->entries.n; i++) {
        fsd_sym op = numbered_type(engine, profile->entries.at[i].unescaped);

        if (fsd_join_has(join, i) || profile->entries.at[i].within || !op ||
            lacking[op] || first[op] == FSD_NONE)
            continue;
        join->layer_of[i] = first[op];
        q->taken[first[op]] = true;
        first[op] = next[first[op]];
        join->joined++;
    }
}

struct fsd_join fsd_profile_join(struct fsd_arena *arena,
                                 const struct fsd_graph *engine,
                                 const struct fsd_profile *profile)
{
    uint32_t n = profile->entries.n;
    struct fsd_join join = {.layer_of = FSD_NEW(arena, fsd_id, n)};
    struct queue q = new_queue(arena, engine);

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_profile_entry *entry = &profile->entries.at[i];
        fsd_sym name = i < engine->nodes.n ? engine->nodes.at[i].name : FSD_NONE;
        bool here = !entry->within && (name == entry->name || name == entry->unescaped);

        join.layer_of[i] = here ? i : FSD_NONE;
        if (here)
            q.taken[i] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_profile_entry *entry = &profile->entries.at[i];

        if (entry->within) /* this entry ran in the body of another entry's layer */
            continue;
        if (!fsd_join_has(&join, i))
            join.layer_of[i] = take(&q, entry->name);
        if (!fsd_join_has(&join, i) && entry->unescaped != entry->name)
            join.layer_of[i] = take(&q, entry->unescaped);
        join.joined += fsd_join_has(&join, i);
    }
    join_unnamed(&join, &q, arena, engine, profile);
    join_gaps(&join, &q, engine, profile);
    join_cut(&join, &q, engine, profile);
    join.joined += join.by_place;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t owner = profile->entries.at[i].within;

        if (owner)
            join.layer_of[i] = join.layer_of[owner - 1];
        join.inside += owner && fsd_join_has(&join, i);
    }
    return join;
}

bool fsd_join_fits(const struct fsd_join *join, const struct fsd_graph *engine,
                   const struct fsd_profile *profile)
{
    return join->joined && (join->joined + join->inside == profile->entries.n ||
                            join->joined == engine->nodes.n);
}
