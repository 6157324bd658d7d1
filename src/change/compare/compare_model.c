/*
 * What changed of the nodes that both models have: the operator, an attribute, the node
 * that an input comes from.
 *
 *     res  operator     Add -> Mul
 *     act1 alpha        (default) -> 0.1
 *     res  input 1      act0 -> act1
 *
 * Nodes that only a log lists have no attributes, and nodes that only layers name have
 * neither operators nor inputs: what one side does not state is no change.
 */
#include "change/compare/parts.h"
#include "model/ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char NONE[] = "none";

static void add(struct fsd_compare *c, struct fsd_node_edit edit)
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
        fprintf(out, " %s `%s` as %s, before `%s`", many ? "read" : "reads", now,
                edit->of, was);
    else if (!strcmp(now, NONE))
        fprintf(out, " %s no %s, before %s", many ? "have" : "has", edit->of, was);
    else if (!strcmp(now, was))
        fprintf(out, " %s other values as %s", many ? "have" : "has", edit->of);
    else
        fprintf(out, " %s %s %s, before %s", many ? "have" : "has", edit->of, now, was);
}

/* -------------------------------------------------------------------- attributes */

/* The parts of the traits by their tags, and what they are called; see state_nodes.c.
 * Those of constants count values only, which exporters write in several ways. */
static const struct {
    const char *tag, *name;
} tags[] = {{"k", "kernel_shape"}, {"s", "strides"}, {"p", "pads"},
            {"d", "dilations"},    {"g", "group"},   {"a", "axis"},
            {"perm", "perm"},      {"axes", "axes"}, {"op", "output_padding"},
            {"w", FSD_EDIT_WEIGHT}};

/* A word of a list: a name and its value. */
struct word {
    const char *name, *value;
    size_t name_size, value_size;
};

/* The next of "k3x3,s2x2" (by tags) or of "alpha=0.5 axis=-2"; false at the end. */
static bool next_word(const char **at, bool traits, struct word *word)
{
    while (**at) {
        size_t n = strcspn(*at, traits ? "," : " ");
        size_t name = traits ? strcspn(*at, "-0123456789,") : strcspn(*at, "= ");

        *word = (struct word){.name = *at, .name_size = name};
        word->value = *at + name + !traits;
        word->value_size = n > name + !traits ? n - name - !traits : 0;
        *at += n + ((*at)[n] != '\0');
        if (!traits)
            return true;
        for (size_t i = 0; i < FSD_COUNT_OF(tags); i++)
            if (strlen(tags[i].tag) == name && !memcmp(tags[i].tag, word->name, name)) {
                word->name = tags[i].name;
                word->name_size = strlen(tags[i].name);
                return true;
            }
    }
    return false;
}

static bool find_word(const char *list, bool traits, struct word name,
                      struct word *found)
{
    while (next_word(&list, traits, found))
        if (found->name_size == name.name_size &&
            !memcmp(found->name, name.name, name.name_size))
            return true;
    return false;
}

/* "#1=..." is a constant input. Later opsets have inputs where earlier ones have
 * attributes, so of a node that has one on each side alone nothing is known. */
static bool moved_to_input(const char *list, const char *other)
{
    struct word word, found;

    while (next_word(&list, false, &word))
        if (*word.name == '#' && !find_word(other, false, word, &found))
            return true;
    return false;
}

static const char *name_of(struct fsd_compare *c, struct word word)
{
    if (*word.name == '#')
        return fsd_printed(c->arena, "input %.*s", (int)word.name_size - 1,
                           word.name + 1);
    return fsd_printed(c->arena, "%.*s", (int)word.name_size, word.name);
}

static const char *value_of(struct fsd_compare *c, struct word word, bool there)
{
    if (!there)
        return "";
    return *word.value == ':'
               ? "other values"
               : fsd_printed(c->arena, "%.*s", (int)word.value_size, word.value);
}

/* Words of the first list that the second has otherwise or, with `missing`, lacks. */
static void compare_words(struct fsd_compare *c, struct fsd_node_edit edit,
                          const char *list, const char *other, bool traits,
                          bool backwards)
{
    struct word word, found;

    while (next_word(&list, traits, &word)) {
        bool there = find_word(other, traits, word, &found);

        if (backwards ? there
                      : there && word.value_size == found.value_size &&
                            !memcmp(word.value, found.value, word.value_size))
            continue;
        edit.of = name_of(c, word);
        edit.was = backwards ? "" : value_of(c, word, true);
        edit.now = backwards ? value_of(c, word, true) : value_of(c, found, there);
        add(c, edit);
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

/* "0.5371094" of "fp16:0.5371094". */
static const char *number_of(struct word word)
{
    const char *end = word.value + word.value_size;
    const char *colon = memchr(word.value, ':', word.value_size);

    return colon ? colon + 1 : word.value_size ? word.value : end;
}

/* Whether two values are one that was rounded to another type: FP16 and BF16 keep 11
 * and 8 significant bits. */
static bool is_rounded(struct word was, struct word is)
{
    bool typed = number_of(was) != was.value, types = number_of(is) != is.value;
    double a = strtod(number_of(was), NULL), b = strtod(number_of(is), NULL);
    bool wide = typed && types ? false : typed || types;
    const char *type = typed ? was.value : is.value;
    double bits = !strncmp(type, "bf16", 4) ? 0x1p-8 : 0x1p-11;

    return wide && (!strncmp(type, "fp16", 4) || !strncmp(type, "bf16", 4)) &&
           fabs(a - b) <= bits * fabs(a);
}

static bool is_same_value(struct word was, struct word is)
{
    return (was.value_size == is.value_size &&
            !memcmp(was.value, is.value, was.value_size)) ||
           is_rounded(was, is);
}

/* Values that both state.  No zero point is one of 0, and what one exporter writes as a
 * constant is another's attribute. */
static void compare_values(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const char *was = fsd_text(c->old->names, c->old->nodes.at[old].values);
    const char *is = fsd_text(c->new->names, c->new->nodes.at[new].values);
    struct fsd_node_edit edit = {FSD_EDIT_VALUE, old, new, "", "", ""};
    struct word word, found;

    while (next_word(&was, false, &word)) {
        if (!find_word(is, false, word, &found) || is_same_value(word, found))
            continue;
        edit.of = name_of(c, word);
        edit.was = value_of(c, word, true);
        edit.now = value_of(c, found, true);
        add(c, edit);
    }
}

/* A bias that only one model gives to the node. */
static void compare_bias(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    static const struct word bias = {"bias", "", 4, 0};
    struct word was, is;
    bool had = find_word(fsd_text(c->old->names, c->old->nodes.at[old].values), false,
                         bias, &was);
    bool has = find_word(fsd_text(c->new->names, c->new->nodes.at[new].values), false,
                         bias, &is);

    if (had != has && c->old->reading && c->new->reading)
        add(c, (struct fsd_node_edit){FSD_EDIT_ATTRIBUTE, old, new, "bias",
                                      had ? value_of(c, was, true) : NONE,
                                      has ? value_of(c, is, true) : NONE});
}

/* ----------------------------------------------------------------------- sources */

/* Whether both models have the node, and it computes in both. */
static bool computes_in_both(const struct fsd_compare *c, bool new, fsd_id node)
{
    const struct fsd_state *s = new ? c->new : c->old, *other = new ? c->old : c->new;
    fsd_id counterpart = (new ? c->align->to_old : c->align->to_new)[node];

    return s->nodes.at[node].role == FSD_ROLE_OPTIONAL && counterpart != FSD_NONE &&
           other->nodes.at[counterpart].role == FSD_ROLE_OPTIONAL;
}

/* What the i-th input of a node comes from: a core node or an input, or a node on the
 * way to it that both models compute, as a BatchNormalization that neither folds. */
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

static bool reads(const struct fsd_compare *c, bool new, fsd_id node,
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

/* A producer of one model only is reported by itself, as is what is constant now. */
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
            (any_order ? reads(c, true, new, now) &&
                             reads(c, false, old, (struct fsd_producer){before, is.out})
                       : fsd_same_origin(now.at, is.at) && now.out == is.out))
            continue;
        add(c, (struct fsd_node_edit){FSD_EDIT_SOURCE, old, new,
                                      fsd_printed(c->arena, "input %u", (unsigned)i),
                                      fsd_origin_text(s, was.at),
                                      fsd_origin_text(t, is.at)});
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
            add(c,
                (struct fsd_node_edit){FSD_EDIT_OPERATOR, old, i, "operator", was, is});
        else if (attributes)
            compare_attributes(c, old, i);
        if (attributes)
            compare_bias(c, old, i);
        compare_sources(c, old, i);
    }
}
