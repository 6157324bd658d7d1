/*
 * Finds what changed in the nodes that both models have: the operator, an attribute,
 * the producer of an input.
 *
 *     res  operator     Add -> Mul
 *     act1 alpha        (default) -> 0.1
 *     res  input 1      act0 -> act1
 *
 * A fact that one side does not state is not a change: a node that only a log lists has
 * no attributes, and a node that only layers name has neither operator nor inputs.
 */
#include "change/compare/parts.h"
#include "model/ops/ops.h"

#include <math.h>
#include <stdlib.h>

static const char NONE[] = "none";

static void add_edit(struct fsd_compare *c, struct fsd_node_edit edit)
{
    fsd_vec_push(c->arena, &c->edits, edit);
}

void fsd_put_node_edit(const struct fsd_node_edit *edit, bool many, FILE *out)
{
    const char *was = *edit->was ? edit->was : "the default";
    const char *now = *edit->now ? edit->now : "the default";

    if (edit->what == FSD_EDIT_OPERATOR)
        fprintf(out, " %s %s, before %s", many ? "are" : "is", now, was);
    else if (edit->what == FSD_EDIT_SOURCE)
        fprintf(out, " %s `%s` as %s, before: `%s`", many ? "read" : "reads", now,
                edit->of, was);
    else if (!strcmp(now, NONE))
        fprintf(out, " %s no %s, before %s", many ? "have" : "has", edit->of, was);
    else if (!strcmp(now, was))
        fprintf(out, " %s a different value of %s", many ? "have" : "has", edit->of);
    else
        fprintf(out, " %s %s %s, before %s", many ? "have" : "has", edit->of, now, was);
}

/* -------------------------------------------------------------------- attributes */

/* The tags in traits (state_nodes.c), and the attributes that they stand for. */
static const struct {
    const char *tag, *name;
} tags[] = {{"k", "kernel_shape"}, {"s", "strides"}, {"p", "pads"},
            {"d", "dilations"},    {"g", "group"},   {"a", "axis"},
            {"perm", "perm"},      {"axes", "axes"}, {"op", "output_padding"},
            {"w", FSD_EDIT_WEIGHT}};

/* Takes the parts of traits such as "k3x3,s2x2" up to the first part whose tag is in
 * `tags`. `word` receives the name and value of the attribute that this part states.
 * Returns false if no part has such a tag. */
static bool next_trait(const char **at, struct fsd_state_word *word)
{
    while (**at) {
        struct fsd_slice all = {*at, strcspn(*at, ",")};
        struct fsd_slice tag = {*at, strcspn(*at, "-0123456789,")};

        *at += all.n + ((*at)[all.n] == ',');
        for (size_t i = 0; i < FSD_COUNT_OF(tags); i++)
            if (fsd_slice_is(tag, tags[i].tag)) {
                word->name = fsd_slice_of(tags[i].name);
                word->value = fsd_slice_from(all, tag.n);
                return true;
            }
    }
    return false;
}

static bool next_word(const char **at, bool traits, struct fsd_state_word *word)
{
    return traits ? next_trait(at, word) : fsd_state_next_word(at, word);
}

static bool find_word(const char *list, bool traits, struct fsd_slice name,
                      struct fsd_state_word *found)
{
    while (next_word(&list, traits, found))
        if (fsd_slice_equal(found->name, name))
            return true;
    return false;
}

/* Whether `list` has a constant input ("#1=...") that `other` lacks. Later opsets
 * turned attributes into inputs, so `other` may state the same value in an attribute.
 * The two lists can then not be compared. */
static bool moved_to_input(const char *list, const char *other)
{
    struct fsd_state_word word, found;

    while (fsd_state_next_word(&list, &word))
        if (*word.name.s == '#' && !fsd_state_find_word(other, word.name, &found))
            return true;
    return false;
}

static const char *name_of(struct fsd_compare *c, struct fsd_slice name)
{
    bool input = fsd_slice_take(&name, "#");

    return fsd_printed(c->arena, "%s%.*s", input ? "input " : "", (int)name.n, name.s);
}

static const char *value_text(struct fsd_compare *c, struct fsd_slice value, bool there)
{
    if (!there)
        return "";
    return fsd_slice_begins(value, ":")
               ? "other values"
               : fsd_printed(c->arena, "%.*s", (int)value.n, value.s);
}

/* Adds a change for each word of `list` that `other` lacks. Unless `backwards` is set,
 * also adds a change for each word that has another value in `other`.
 * @param traits whether the lists are traits; else they are attributes
 * @param backwards false: `list` is of the old model; true: `list` is of the new
 *        model */
static void compare_words(struct fsd_compare *c, struct fsd_node_edit edit,
                          const char *list, const char *other, bool traits,
                          bool backwards)
{
    struct fsd_state_word word, found;

    while (next_word(&list, traits, &word)) {
        bool there = find_word(other, traits, word.name, &found);

        if (backwards ? there : there && fsd_slice_equal(word.value, found.value))
            continue;
        edit.of = name_of(c, word.name);
        edit.was = backwards ? "" : value_text(c, word.value, true);
        edit.now = backwards ? value_text(c, word.value, true)
                             : value_text(c, found.value, there);
        add_edit(c, edit);
    }
}

static void compare_attributes(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const struct fsd_state_node *p = &c->old->nodes.at[old],
                                *q = &c->new->nodes.at[new];
    const char *was = fsd_text(c->old->names, p->attrs);
    const char *is = fsd_text(c->new->names, q->attrs);
    const char *traits_were = fsd_text(c->old->names, p->traits);
    const char *traits_are = fsd_text(c->new->names, q->traits);
    struct fsd_node_edit edit = {FSD_EDIT_ATTRIBUTE, old, new, "", "", ""};

    if (fsd_traits_agree(c, p, q) || moved_to_input(was, is) || moved_to_input(is, was))
        return;
    compare_words(c, edit, traits_were, traits_are, true, false);
    compare_words(c, edit, traits_are, traits_were, true, true);
    if (!c->old->whole || !c->new->whole)
        return;
    compare_words(c, edit, was, is, false, false);
    compare_words(c, edit, is, was, false, true);
}

/* The number in a value: "0.5371094" in "fp16:0.5371094". */
static struct fsd_slice number_of(struct fsd_slice value)
{
    const char *colon = memchr(value.s, ':', value.n);

    return colon ? fsd_slice_from(value, (size_t)(colon + 1 - value.s)) : value;
}

/* Whether one value equals the other value rounded to FP16 or BF16, which have 11 and 8
 * significant bits. FP32 values have no type prefix. */
static bool is_rounded(struct fsd_slice was, struct fsd_slice is)
{
    struct fsd_slice before = number_of(was), now = number_of(is);
    bool had = before.s != was.s, has = now.s != is.s;
    struct fsd_slice type = had ? was : is;
    double a = strtod(before.s, NULL), b = strtod(now.s, NULL);
    double bits = fsd_slice_begins(type, "bf16:") ? 0x1p-8 : 0x1p-11;

    return had != has &&
           (fsd_slice_begins(type, "fp16:") || fsd_slice_begins(type, "bf16:")) &&
           fabs(a - b) <= bits * fabs(a);
}

/* Compares the constants that both states have. A missing zero point equals a zero
 * point of 0. A constant of only one state is skipped, because the other model may have
 * the same value as an attribute. */
static void compare_values(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const char *was = fsd_text(c->old->names, c->old->nodes.at[old].values);
    const char *is = fsd_text(c->new->names, c->new->nodes.at[new].values);
    struct fsd_node_edit edit = {FSD_EDIT_VALUE, old, new, "", "", ""};
    struct fsd_state_word word, found;

    while (fsd_state_next_word(&was, &word)) {
        if (!fsd_state_find_word(is, word.name, &found) ||
            fsd_slice_equal(word.value, found.value) ||
            is_rounded(word.value, found.value))
            continue;
        edit.of = name_of(c, word.name);
        edit.was = value_text(c, word.value, true);
        edit.now = value_text(c, found.value, true);
        add_edit(c, edit);
    }
}

static bool find_bias(const struct fsd_state *s, fsd_id node,
                      struct fsd_state_word *found)
{
    return fsd_state_find_word(fsd_text(s->names, s->nodes.at[node].values),
                               fsd_slice_of("bias"), found);
}

/* Whether the other model lacks an optional node that follows this node, such as a
 * BatchNormalization. The other model may have folded it into weights and bias. */
static bool is_folded(const struct fsd_compare *c, bool new, fsd_id node)
{
    const struct fsd_state *s = new ? c->new : c->old;
    const fsd_id *counterpart = new ? c->align->to_old : c->align->to_new;
    bool folded = false;

    for (fsd_id i = 0; i < s->nodes.n && !folded; i++) {
        const struct fsd_state_node *n = &s->nodes.at[i];

        folded = n->role == FSD_ROLE_OPTIONAL && counterpart[i] == FSD_NONE &&
                 n->in.n && fsd_origin_node(s->sources.at[n->in.at].at) == node;
    }
    return folded;
}

/* Reports a bias that the node has in only one model. */
static void compare_bias(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    struct fsd_state_word was, is;
    bool had = find_bias(c->old, old, &was), has = find_bias(c->new, new, &is);

    if (had != has && c->old->reading && c->new->reading &&
        !is_folded(c, had, had ? new : old))
        add_edit(c, (struct fsd_node_edit){FSD_EDIT_ATTRIBUTE, old, new, "bias",
                                           had ? value_text(c, was.value, true) : NONE,
                                           has ? value_text(c, is.value, true) : NONE});
}

/* ----------------------------------------------------------------------- sources */

/* Whether the node is an optional node that both models compute. */
static bool computes_in_both(const struct fsd_compare *c, bool new, fsd_id node)
{
    const struct fsd_state *s = new ? c->new : c->old, *other = new ? c->old : c->new;
    fsd_id counterpart = (new ? c->align->to_old : c->align->to_new)[node];

    return s->nodes.at[node].role == FSD_ROLE_OPTIONAL && counterpart != FSD_NONE &&
           other->nodes.at[counterpart].role == FSD_ROLE_OPTIONAL;
}

/* The origin of input i of a node: a core node, a network input, or an optional node
 * that both models compute, such as a BatchNormalization that neither model folds. */
static struct fsd_producer source_of(const struct fsd_compare *c, bool new, fsd_id node,
                                     uint32_t i)
{
    const struct fsd_state *s = new ? c->new : c->old;
    const struct fsd_state_node *n = &s->nodes.at[node];
    struct fsd_producer from = s->sources.at[n->in.at + i];
    fsd_id at = fsd_origin_node(from.at);

    while (at != FSD_NONE && s->nodes.at[at].role != FSD_ROLE_CORE) {
        if (computes_in_both(c, new, at))
            return from;
        if (!s->nodes.at[at].in.n)
            break;
        from = s->sources.at[s->nodes.at[at].in.at];
        at = fsd_origin_node(from.at);
    }
    return s->sources.at[n->core_in.at + i];
}

static bool reads_from(const struct fsd_compare *c, bool new, fsd_id node,
                       struct fsd_producer from)
{
    uint32_t n = (new ? c->new : c->old)->nodes.at[node].core_in.n;

    for (uint32_t i = 0; i < n; i++) {
        struct fsd_producer source = source_of(c, new, node, i);

        if (fsd_same_origin(source.at, from.at) && source.out == from.out)
            return true;
    }
    return false;
}

/* Adds changes for inputs whose producer differs. Two kinds of inputs are left out,
 * because other changes report them: inputs with a producer that only one model has,
 * and inputs that are constant now. */
static void compare_sources(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const struct fsd_state *s = c->old, *t = c->new;
    uint32_t n = s->nodes.at[old].core_in.n, m = t->nodes.at[new].core_in.n;
    bool any_order = fsd_op_is_symmetric(fsd_text(t->names, t->nodes.at[new].op));

    for (uint32_t i = 0; i < n && i < m; i++) {
        struct fsd_producer was = source_of(c, false, old, i),
                            is = source_of(c, true, new, i);
        struct fsd_producer now = {fsd_align_new_origin(c->align, was.at), was.out};
        struct fsd_origin before = fsd_align_old_origin(c->align, is.at);

        if (!fsd_is_origin(now.at) || !fsd_is_origin(before) ||
            (any_order
                 ? reads_from(c, true, new, now) &&
                       reads_from(c, false, old, (struct fsd_producer){before, is.out})
                 : fsd_same_origin(now.at, is.at) && now.out == is.out))
            continue;
        add_edit(c, (struct fsd_node_edit){
                        FSD_EDIT_SOURCE, old, new,
                        fsd_printed(c->arena, "input %u", (unsigned)i),
                        fsd_origin_text(s, was.at), fsd_origin_text(t, is.at)});
    }
}

void fsd_compare_model(struct fsd_compare *c)
{
    bool attributes =
        fsd_state_knows_attributes(c->old) && fsd_state_knows_attributes(c->new);

    if (!fsd_state_knows_nodes(c->old) || !fsd_state_knows_nodes(c->new) ||
        fsd_state_is_of_same_model(c->old, c->new))
        return;
    for (fsd_id i = 0; i < c->new->nodes.n; i++) {
        fsd_id old = c->align->to_old[i];
        const char *was, *is;

        if (old == FSD_NONE)
            continue;
        compare_values(c, old, i);
        if (fsd_state_role_of(c->new, i) != FSD_ROLE_CORE ||
            fsd_state_role_of(c->old, old) != FSD_ROLE_CORE)
            continue;
        was = fsd_text(c->old->names, c->old->nodes.at[old].op);
        is = fsd_text(c->new->names, c->new->nodes.at[i].op);
        if (strcmp(was, is) != 0)
            add_edit(c, (struct fsd_node_edit){FSD_EDIT_OPERATOR, old, i, "operator",
                                               was, is});
        else if (attributes)
            compare_attributes(c, old, i);
        if (attributes)
            compare_bias(c, old, i);
        compare_sources(c, old, i);
    }
}
