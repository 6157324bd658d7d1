/*
 * Aligns the nodes of two models round by round. The kinds of evidence:
 *
 *     names      of weights and nodes, but no names with an exporter's counter
 *     modules    the only node of its operator in a module, if names show modules
 *     from, to   equal subgraphs up to the inputs and down to the outputs
 *     around     between the same aligned neighbors
 *     near       equal surroundings that occur once in each model
 *     keys       names, even with counters, if most neighbors agree (align_keys.c)
 *
 * A round proposes each pair that is unique on both sides. Two proposals that disagree
 * cancel each other. For example, if a stack of equal blocks has one block more than
 * before, the pairs that "from" and "to" propose differ, and both may be wrong.
 *
 * Pairs from structure ("from", "to", "around", "near") must also keep the order of
 * nodes: see align_order.c.
 *
 * "from", "to" and "near" use Weisfeiler-Leman colors: the color of a node is a hash of
 * its own label and of its neighbors' colors (align_side.c).
 */
#include "change/compare/parts.h"

enum { MOST_ROUNDS = 64 };

struct aligner {
    struct fsd_arena *scratch;
    struct fsd_align_side side[2]; /* [0]: the old build; [1]: the new build */
    struct fsd_hash_row *rows;     /* has room for all nodes */
    fsd_id *offer[2][3];           /* indexed by side, kind of evidence and node: the
                                      proposed counterpart */
    fsd_id *counterpart[2];        /* indexed by side, then node: the counterpart if all
                                      proposals are accepted */
    uint8_t *by;                   /* indexed by old node: enum fsd_align_by */
};

/* The kinds of colors. Nodes with equal colors of a kind may be a pair. */
enum color {
    BY_FROM,
    BY_TO,
    BY_BOTH,
    BY_AROUND,
    BY_NEAR,
    BY_WEIGHT,
    BY_NAME,
    BY_MODULE
};

/* A hash of the name and the operator: equal names are evidence only for nodes with the
 * same operator. */
static uint64_t color_text(const struct fsd_align_side *side, fsd_id node,
                           const char *name)
{
    fsd_sym op = side->s->nodes.at[node].op;

    return fsd_hash_mix(fsd_hash_text(name), fsd_state_hash(side->s, op));
}

/* The node's color of the kind `color`; 0 if the node has no such color. */
static uint64_t color_of(const struct fsd_align_side *side, fsd_id node,
                         enum color color)
{
    const struct fsd_state_node *n = &side->s->nodes.at[node];
    const char *text;

    switch (color) {
    case BY_FROM:
        return side->from[node];
    case BY_TO:
        return side->to[node];
    case BY_BOTH:
        return fsd_hash_mix(side->from[node], side->to[node]);
    case BY_AROUND:
        return fsd_align_around(side, node);
    case BY_NEAR:
        /* The color counts if an aligned node is near, so that `near` differs from
         * `plain`. It also counts if the node was the only one with its color before
         * any node was aligned (`alone`). Otherwise, several nodes had this color. It
         * then proves nothing, even if only one of them is still unaligned. */
        return side->near[node] != side->plain[node] || side->alone[node]
                   ? side->near[node]
                   : 0;
    case BY_WEIGHT:
        text = fsd_text(side->s->names, n->weight);
        return fsd_align_weight_identifies(text) ? color_text(side, node, text) : 0;
    case BY_NAME:
        text = fsd_text(side->s->names, n->key);
        return n->named && fsd_align_node_identifies(side->counted, text)
                   ? color_text(side, node, text)
                   : 0;
    case BY_MODULE:
        return side->module[node];
    }
    return 0;
}

/* ----------------------------------------------------------------------- offers */

static uint32_t collect_nodes(struct aligner *a, enum color color)
{
    uint32_t n = 0;

    for (int k = 0; k < 2; k++)
        for (fsd_id i = 0; i < a->side[k].s->nodes.n; i++) {
            uint64_t hash = 0;

            if (fsd_align_is_core(&a->side[k], i) &&
                a->side[k].counterpart[i] == FSD_NONE)
                hash = color_of(&a->side[k], i, color);
            if (hash)
                a->rows[n++] = (struct fsd_hash_row){hash, i, k};
        }
    return n;
}

/* Proposes each pair of an old and a new node that have the same color, if no other
 * node of their sides has this color. */
static void make_offers(struct aligner *a, int kind, enum color color)
{
    uint32_t n = fsd_hash_rows_pairs(a->rows, collect_nodes(a, color));

    for (int k = 0; k < 2; k++)
        for (fsd_id i = 0; i < a->side[k].s->nodes.n; i++)
            a->offer[k][kind][i] = FSD_NONE;
    for (uint32_t i = 0; i < n; i += 2) {
        a->offer[0][kind][a->rows[i].id] = a->rows[i + 1].id;
        a->offer[1][kind][a->rows[i + 1].id] = a->rows[i].id;
    }
}

/* If a node has different proposals, marks the node and its proposed counterparts as
 * contested. Contested nodes are not aligned. */
static void contest(struct aligner *a, int kinds)
{
    for (int k = 0; k < 2; k++)
        for (fsd_id i = 0; i < a->side[k].s->nodes.n; i++) {
            fsd_id one = FSD_NONE;
            bool differ;

            for (int e = 0; e < kinds; e++)
                one = fsd_id_both(one, a->offer[k][e][i]);
            differ = one == FSD_SEVERAL;
            for (int e = 0; differ && e < kinds; e++)
                fsd_set_at(a->side[!k].contested, a->offer[k][e][i]);
            a->side[k].contested[i] |= differ;
        }
}

static void pair(struct aligner *a, fsd_id old, fsd_id new, uint8_t by)
{
    a->side[0].counterpart[old] = new;
    a->side[1].counterpart[new] = old;
    a->by[old] = by;
}

/* Marks nodes of crossing pairs as contested. This is done only for pairs that
 * structure proposes: structure may pair the wrong nodes, but names do not. */
static void contest_crossing(struct aligner *a, int kinds)
{
    for (int k = 0; k < 2; k++)
        for (fsd_id i = 0; i < a->side[k].s->nodes.n; i++) {
            a->counterpart[k][i] = a->side[k].counterpart[i];
            for (int e = 0; e < kinds && !a->side[k].contested[i]; e++)
                if (a->offer[k][e][i] != FSD_NONE &&
                    !a->side[!k].contested[a->offer[k][e][i]])
                    a->counterpart[k][i] = a->offer[k][e][i];
        }
    fsd_align_refuse_crossing(a->side, a->counterpart);
}

/* @return how many pairs were made */
static uint32_t accept(struct aligner *a, int kinds, const uint8_t *by)
{
    uint32_t made = 0;

    contest(a, kinds);
    if (by[0] != FSD_ALIGN_NAME)
        contest_crossing(a, kinds);
    for (fsd_id i = 0; i < a->side[0].s->nodes.n; i++) {
        fsd_id new = FSD_NONE;
        uint8_t why = FSD_ALIGN_NOT;

        for (int e = kinds; e-- > 0;)
            if (a->offer[0][e][i] != FSD_NONE) {
                new = a->offer[0][e][i];
                why = why == FSD_ALIGN_NOT ? by[e] : FSD_ALIGN_BOTH;
            }
        if (new == FSD_NONE || a->side[0].contested[i] || a->side[1].contested[new])
            continue;
        pair(a, i, new, kinds == 3 && a->offer[0][2][i] != FSD_NONE ? by[2] : why);
        made++;
    }
    return made;
}

/* ----------------------------------------------------------------------- stages */

static void align_by_names(struct aligner *a)
{
    static const uint8_t by[] = {FSD_ALIGN_NAME, FSD_ALIGN_NAME};

    make_offers(a, 0, BY_WEIGHT);
    make_offers(a, 1, BY_NAME);
    for (fsd_id i = 0; i < a->side[0].s->nodes.n; i++)
        if (a->offer[0][0][i] != FSD_NONE && a->offer[0][0][i] == a->offer[0][1][i]) {
            a->offer[1][1][a->offer[0][1][i]] = FSD_NONE; /* both kinds propose this
                                                             pair: keep kind 0 */
            a->offer[0][1][i] = FSD_NONE;
        }
    accept(a, 2, by);
}

static bool states_modules(const struct fsd_state *s)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (s->nodes.at[i].module)
            return true;
    return false;
}

/* Aligns nodes of two different exporters by module. One exporter writes the module in
 * the metadata of a node; the other writes it in the node's name. */
static void align_by_modules(struct aligner *a)
{
    static const uint8_t by[] = {FSD_ALIGN_NAME};

    if (!states_modules(a->side[0].s) && !states_modules(a->side[1].s))
        return;
    for (int k = 0; k < 2; k++) {
        struct fsd_align_side *side = &a->side[k];

        side->module = FSD_NEW(a->scratch, uint64_t, side->s->nodes.n);
        for (fsd_id i = 0; i < side->s->nodes.n; i++) {
            const char *op = fsd_text(side->s->names, side->s->nodes.at[i].op);
            uint64_t module = fsd_align_module(a->scratch, side, i);

            side->module[i] = module ? fsd_hash_mix(module, fsd_hash_text(op)) : 0;
        }
    }
    make_offers(a, 0, BY_MODULE);
    accept(a, 1, by);
}

static uint32_t align_by_paths(struct aligner *a)
{
    static const uint8_t by[] = {FSD_ALIGN_INPUTS, FSD_ALIGN_OUTPUTS, FSD_ALIGN_BOTH};

    for (int k = 0; k < 2; k++) {
        fsd_align_color_from(&a->side[k]);
        fsd_align_color_to(&a->side[k]);
    }
    make_offers(a, 0, BY_FROM);
    make_offers(a, 1, BY_TO);
    make_offers(a, 2, BY_BOTH);
    return accept(a, 3, by);
}

static uint32_t align_by(struct aligner *a, enum color color)
{
    static const uint8_t by[] = {FSD_ALIGN_AROUND};

    make_offers(a, 0, color);
    return accept(a, 1, by);
}

static const char *key_of(const struct aligner *a, const struct fsd_hash_row *e)
{
    const struct fsd_state *s = a->side[e->new].s;

    return fsd_text(s->names, s->nodes.at[e->id].key);
}

/* Pairs nodes that structure cannot distinguish, such as those in the equal towers of a
 * detector's head. They are paired by name, and only if both sides have exactly the
 * same names. */
static uint32_t pair_alike(struct aligner *a, const struct fsd_hash_row *at, uint32_t n)
{
    uint32_t half = n / 2, made = 0;
    const struct fsd_state *old = a->side[0].s, *new = a->side[1].s;

    if (n % 2 || n < 4 || at[half - 1].new || !at[half].new)
        return 0;
    for (uint32_t i = 0; i < half; i++) /* compares row i of both halves, which are in
                                           file order */
        if (strcmp(key_of(a, &at[i]), key_of(a, &at[half + i])) != 0 ||
            !old->nodes.at[at[i].id].named || !new->nodes.at[at[half + i].id].named)
            return 0;
    for (uint32_t i = 0; i < half; i++) {
        if (a->side[0].contested[at[i].id] || a->side[1].contested[at[half + i].id])
            continue;
        pair(a, at[i].id, at[half + i].id, FSD_ALIGN_NAME);
        made++;
    }
    return made;
}

static uint32_t align_alike(struct aligner *a)
{
    uint32_t n = collect_nodes(a, BY_BOTH), made = 0;

    fsd_hash_rows_sort(a->rows, n);
    for (uint32_t i = 0, k; i < n; i = k) {
        k = fsd_hash_rows_end(a->rows, n, i);
        made += pair_alike(a, a->rows + i, k - i);
    }
    return made;
}

static void align_core(struct aligner *a)
{
    for (int k = 0; k < 2; k++)
        fsd_align_color_plain(&a->side[k], a->scratch);
    align_by_names(a);
    align_by_modules(a);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (align_by_paths(a) || align_alike(a) || align_by(a, BY_AROUND))
            continue;
        for (int k = 0; k < 2; k++)
            fsd_align_color_near(&a->side[k], a->scratch);
        if (!align_by(a, BY_NEAR) && !fsd_align_by_keys(a->side, a->scratch, a->by))
            return;
    }
}

/* ------------------------------------------------------------------------ ports */

/* Pairs ports by name; ports of equal names are paired in order. If both sides have
 * equally many other ports, these are paired in order, too. */
static void align_ports(const struct fsd_state *old, const struct fsd_state *new,
                        bool output, fsd_id *to_new, fsd_id *to_old)
{
    const struct fsd_state_port *p = output ? old->outputs.at : old->inputs.at;
    const struct fsd_state_port *q = output ? new->outputs.at : new->inputs.at;
    uint32_t n = output ? old->outputs.n : old->inputs.n;
    uint32_t m = output ? new->outputs.n : new->inputs.n, paired = 0;
    FSD_SCRATCH(scratch);
    fsd_id *of_name = fsd_ids_new(scratch, fsd_intern_count(new->names));
    fsd_id *next = FSD_NEW(scratch, fsd_id, m); /* the next port with the same name */

    for (uint32_t i = m; i-- > 0;) {
        next[i] = of_name[q[i].name];
        of_name[q[i].name] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        fsd_sym sym = fsd_intern_other(old->names, p[i].name, new->names);
        fsd_id k = fsd_id_at(of_name, sym);

        if (k == FSD_NONE)
            continue;
        of_name[sym] = next[k];
        to_new[i] = k;
        to_old[k] = i;
        paired++;
    }
    for (uint32_t i = 0, k = 0; n == m && paired < n && i < n; i++) {
        if (to_new[i] != FSD_NONE)
            continue;
        while (to_old[k] != FSD_NONE)
            k++;
        to_new[i] = k;
        to_old[k] = i;
    }
}

/* ------------------------------------------------------------------------- all */

/* Whether both models are the same. The hash covers everything that was read of a
 * model, so equal hashes mean equal nodes. The number of nodes is checked because
 * someone may have edited a snapshot. */
static bool same_model(const struct fsd_state *old, const struct fsd_state *new)
{
    if (old->nodes.n != new->nodes.n || !fsd_state_is_of_same_model(old, new))
        return false;
    for (fsd_id i = 0; i < old->nodes.n; i++)
        if (strcmp(fsd_text(old->names, old->nodes.at[i].key),
                   fsd_text(new->names, new->nodes.at[i].key)) != 0)
            return false;
    return true;
}

/* ------------------------------------------------------------- in another order */

/* A hash that identifies a node by its name, or by the name of its first output if the
 * node has no name. The number of the node in the file does not matter. */
static uint64_t hash_called(const struct fsd_state *s, fsd_id node)
{
    const struct fsd_state_node *n = &s->nodes.at[node];
    const char *key = fsd_text(s->names, n->key);
    const char *number = n->named ? NULL : strrchr(key, '#');
    uint64_t hash =
        fsd_hash_mix(fsd_state_hash(s, n->op), fsd_state_hash(s, n->traits));

    hash = fsd_hash_mix(
        hash, fsd_hash_bytes(key, number ? (size_t)(number - key) : strlen(key)));
    hash = fsd_hash_mix(hash, fsd_state_hash(s, n->weight) + n->named);
    return fsd_hash_mix(hash, fsd_state_hash(s, n->known));
}

static uint64_t hash_source(const struct fsd_state *s, const uint64_t *from,
                            struct fsd_producer source)
{
    fsd_id node = fsd_origin_node(source.at);

    if (!fsd_is_origin(source.at))
        return 0;
    if (node == FSD_NONE)
        return fsd_hash_text(fsd_origin_text(s, source.at));
    return fsd_hash_mix(from[node], source.out);
}

/* Indexed by node: a hash of the names of the node, its ancestors and its
 * descendants. */
static uint64_t *hash_whole_paths(struct fsd_arena *scratch, const struct fsd_state *s)
{
    uint32_t n = s->nodes.n;
    uint64_t *from = FSD_NEW(scratch, uint64_t, n), *to = FSD_NEW(scratch, uint64_t, n);

    for (fsd_id i = 0; i < n; i++) {
        struct fsd_span in = s->nodes.at[i].in;

        from[i] = hash_called(s, i);
        for (uint32_t k = 0; k < in.n; k++)
            from[i] =
                fsd_hash_mix(from[i], hash_source(s, from, s->sources.at[in.at + k]));
    }
    for (uint32_t i = 0; i < s->outputs.n; i++) {
        struct fsd_producer producer = s->outputs.at[i].from;
        fsd_id node = fsd_origin_node(producer.at);

        if (node != FSD_NONE)
            to[node] +=
                fsd_hash_mix(fsd_state_hash(s, s->outputs.at[i].name), producer.out);
    }
    for (fsd_id i = n; i-- > 0;) {
        struct fsd_span in = s->nodes.at[i].in;

        to[i] = fsd_hash_mix(hash_called(s, i), to[i]);
        for (uint32_t k = 0; k < in.n; k++) {
            struct fsd_producer producer = s->sources.at[in.at + k];
            fsd_id node = fsd_origin_node(producer.at);

            if (node != FSD_NONE)
                to[node] += fsd_hash_mix(fsd_hash_mix(to[i], k), producer.out);
        }
    }
    for (fsd_id i = 0; i < n; i++)
        from[i] = fsd_hash_mix(from[i], to[i]);
    return from;
}

/* Aligns two models that differ only in the order of their nodes, or in facts that
 * hash_called() does not cover. Each node must have a counterpart with the same name,
 * ancestors and descendants. If several nodes of a model agree in all of these, it does
 * not matter how they are paired. */
static bool align_reordered(struct aligner *a)
{
    uint32_t n = 0;

    if (a->side[0].s->nodes.n != a->side[1].s->nodes.n || !a->side[0].s->sources.n)
        return false;
    for (int k = 0; k < 2; k++) {
        const struct fsd_state *s = a->side[k].s;
        const uint64_t *paths = hash_whole_paths(a->scratch, s);

        for (fsd_id i = 0; i < s->nodes.n; i++)
            a->rows[n++] = (struct fsd_hash_row){paths[i], i, k};
    }
    fsd_hash_rows_sort(a->rows, n);
    for (int pairs = 0; pairs < 2; pairs++)
        for (uint32_t i = 0, end; i < n; i = end) {
            uint32_t half;

            end = fsd_hash_rows_end(a->rows, n, i);
            half = (end - i) / 2;
            if ((end - i) % 2 || a->rows[i + half - 1].new || !a->rows[i + half].new)
                return false;
            for (uint32_t k = i; pairs && k < i + half; k++)
                pair(a, a->rows[k].id, a->rows[k + half].id, FSD_ALIGN_NAME);
        }
    return true;
}

/* Aligns by names alone, counters included, because a build without its model has
 * nothing else. Both sides must share most names: counters of two different exports
 * agree only by chance. */
static bool align_only_names(struct aligner *a)
{
    const struct fsd_state *old = a->side[0].s, *new = a->side[1].s;
    fsd_id *of_name = fsd_ids_new(a->scratch, fsd_intern_count(new->names));
    uint32_t found = 0,
             least = old->nodes.n < new->nodes.n ? old->nodes.n : new->nodes.n;

    if (old->sources.n && new->sources.n)
        return false;
    for (fsd_id i = 0; i < new->nodes.n; i++)
        of_name[new->nodes.at[i].key] = i;
    for (int made = 0; made < 2; made++) {
        for (fsd_id i = 0; i < old->nodes.n; i++) {
            fsd_id counterpart =
                fsd_id_at(of_name, fsd_intern_other(old->names, old->nodes.at[i].key,
                                                    new->names));

            if (counterpart == FSD_NONE)
                continue;
            found++;
            if (made)
                pair(a, i, counterpart, FSD_ALIGN_NAME);
        }
        if (4 * (uint64_t)found < 3 * (uint64_t)least)
            return false;
    }
    return true;
}

struct fsd_align *fsd_align_new(struct fsd_arena *arena, const struct fsd_state *old,
                                const struct fsd_state *new)
{
    FSD_SCRATCH(scratch);
    struct aligner a = {.scratch = scratch,
                        .by = FSD_NEW(arena, uint8_t, old->nodes.n)};
    struct fsd_align *al = FSD_NEW(arena, struct fsd_align, 1);
    fsd_id *product[2];
    uint32_t rewritten = 0;

    fsd_align_find_products(old, new, a.scratch, product);
    fsd_align_side_init(&a.side[0], arena, old, false, product[0]);
    fsd_align_side_init(&a.side[1], arena, new, true, product[1]);
    a.rows =
        FSD_NEW(a.scratch, struct fsd_hash_row, (size_t)old->nodes.n + new->nodes.n);
    for (int k = 0; k < 2; k++) {
        a.counterpart[k] = FSD_NEW(a.scratch, fsd_id, a.side[k].s->nodes.n);
        for (int kind = 0; kind < 3; kind++)
            a.offer[k][kind] = FSD_NEW(a.scratch, fsd_id, a.side[k].s->nodes.n);
    }
    align_ports(old, new, false, a.side[0].in_counterpart, a.side[1].in_counterpart);
    align_ports(old, new, true, a.side[0].out_counterpart, a.side[1].out_counterpart);
    if (same_model(old, new)) {
        for (fsd_id i = 0; i < old->nodes.n; i++)
            pair(&a, i, i, FSD_ALIGN_MODEL);
    } else if (!align_reordered(&a) && !align_only_names(&a)) {
        align_core(&a);
        rewritten = fsd_align_biases(a.side, a.by);
        fsd_align_rest_by_keys(a.side, a.scratch, a.by);
        fsd_align_rest(a.side, a.scratch, a.by);
        fsd_align_folded(a.side, a.scratch, a.by);
    }
    *al = (struct fsd_align){.to_new = a.side[0].counterpart,
                             .to_old = a.side[1].counterpart,
                             .by = a.by,
                             .new_input = a.side[0].in_counterpart,
                             .new_output = a.side[0].out_counterpart,
                             .old_input = a.side[1].in_counterpart,
                             .old_output = a.side[1].out_counterpart,
                             .rewritten = rewritten};
    for (fsd_id i = 0; i < old->nodes.n; i++)
        if (old->nodes.at[i].role == FSD_ROLE_CORE)
            al->by_count[a.by[i]]++;
    return al;
}

FSD_NAMES(fsd_align_name, unsigned, FSD__ALIGN_COUNT, [FSD_ALIGN_NOT] = "none",
          [FSD_ALIGN_MODEL] = "same-model", [FSD_ALIGN_NAME] = "name",
          [FSD_ALIGN_BOTH] = "inputs+outputs", [FSD_ALIGN_INPUTS] = "inputs",
          [FSD_ALIGN_OUTPUTS] = "outputs", [FSD_ALIGN_AROUND] = "around")
