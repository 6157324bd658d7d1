/*
 * Finds the nodes of layer names in a log.  The builder composes the name of a fused
 * layer from the names of the original layers.  Events state the nodes of most names;
 * this file parses the other names.
 */
#include "match/story_names.h"
#include "base/base.h"

/* Limits that bound memory and time for hostile logs; real logs stay far below them. */
enum {
    MOST_WITHIN = 8,     /* maximum number of lengths that first_name() tries */
    MOST_DEPTH = 16,     /* maximum nesting depth of names */
    MOST_POOL = 1 << 24, /* maximum number of entries of `pool` */
};

/* Grows of_name and known, so that `name` is a valid index. */
static void make_room(struct fsd_story *s, fsd_sym name)
{
    while (s->known.n <= name) {
        fsd_vec_push(s->arena, &s->of_name, (struct fsd_span){0, 0});
        fsd_vec_push(s->arena, &s->known, 0);
    }
}

void fsd_story_set(struct fsd_story *s, fsd_sym name, struct fsd_span nodes)
{
    make_room(s, name);
    s->of_name.at[name] = nodes;
    s->known.at[name] = 1;
}

static void add_nodes(struct fsd_story *s, struct fsd_span nodes, struct fsd_span *to)
{
    FSD_EACH_ID (node, s->pool, nodes) {
        if (s->mark[node] == s->stamp)
            continue;
        s->mark[node] = s->stamp;
        fsd_vec_push(s->arena, &s->pool, node);
        to->n++;
    }
}

struct fsd_span fsd_story_join(struct fsd_story *s, struct fsd_span a,
                               struct fsd_span b)
{
    struct fsd_span both = {s->pool.n, 0};

    if (s->pool.n > MOST_POOL - a.n || s->pool.n + a.n > MOST_POOL - b.n) {
        s->cut = true;
        return a;
    }
    if (a.n > FSD_CROWD && a.at + a.n == s->pool.n) { /* Grows set `a` in place.  Other
                                                         names that share the set keep
                                                         the old length. */
        both = a;
        s->stamp++;
        add_nodes(s, b, &both);
        return both;
    }
    s->stamp++;
    add_nodes(s, a, &both);
    add_nodes(s, b, &both);
    return both;
}

struct fsd_span fsd_story_single(struct fsd_story *s, fsd_id node)
{
    struct fsd_span one = {s->pool.n, 0};

    if (node == FSD_NONE)
        return one;
    fsd_vec_push(s->arena, &s->pool, node);
    one.n = 1;
    return one;
}

static struct fsd_span nodes_of_text(struct fsd_story *s, const char *text, size_t n);

/* The meaning of a name before an event defines it: the only node with this name;
 * FSD_NONE if there is none, or several.  If the log states which layers the parser
 * created, always FSD_NONE, because events then define all names. */
static fsd_id begin(const struct fsd_story *s, const char *text, size_t n)
{
    const struct fsd_meaning *what = fsd_vocab_find(s->vocab, text, n);

    return !s->registered && what && what->nodes.n == 1
               ? s->vocab->pool.at[what->nodes.at]
               : FSD_NONE;
}

/* `joined`: the separators of node names in a layer name.  `listed`: the separator of
 * names in a list such as "(a and b)".  Each separator begins with a blank. */
static const char *const joined[] = {" + ", " || ", NULL};
static const char *const listed[] = {" and ", NULL};

/* The length of the separator at the beginning of the text; 0 if there is none. */
static size_t separator(const char *const *words, const char *text, size_t n)
{
    for (; *text == ' ' && *words; words++)
        if (strlen(*words) <= n && !memcmp(text, *words, strlen(*words)))
            return strlen(*words);
    return 0;
}

/* If the name is derived from a name X, the length of X; else 0.  "X_clone_2" is a copy
 * of the quantizer X: the builder moved one copy of X to each input of a Concat.
 * "X_quantize_scale_node" is the layer of a quantizer. */
static size_t base(const char *text, size_t n)
{
    struct fsd_slice whole = {text, n}, stem = whole;

    while (stem.n && fsd_is_digit(stem.s[stem.n - 1]))
        stem.n--;
    if (stem.n < n && fsd_slice_drop(&stem, "_clone_"))
        return stem.n;
    return fsd_slice_drop(&whole, "_quantize_scale_node") ||
                   fsd_slice_drop(&whole, "_dequantize_scale_node")
               ? whole.n
               : 0;
}

static bool has_meaning(const struct fsd_story *s, const char *text, size_t n)
{
    fsd_sym name = n ? fsd_intern_find(s->h->names, text, n) : FSD_NONE;

    return (name < s->known.n && s->known.at[name]) || begin(s, text, n) != FSD_NONE;
}

/* The length of the first name in `text`.  A name may contain separators, so this is
 * the longest beginning of the text that is a known name. */
static size_t first_name(const struct fsd_story *s, const char *const *words,
                         const char *text, size_t n)
{
    size_t ends[MOST_WITHIN], found = 0, k;

    for (size_t i = 0; i < n && found < MOST_WITHIN; i += k ? k : 1)
        if ((k = separator(words, text + i, n - i)))
            ends[found++] = i;
    if (found < MOST_WITHIN)
        ends[found++] = n;
    while (found > 1 && !has_meaning(s, text, ends[found - 1]) &&
           !has_meaning(s, text, base(text, ends[found - 1])))
        found--;
    return ends[found - 1];
}

static struct fsd_span nodes_of_parts(struct fsd_story *s, const char *const *words,
                                      const char *text, size_t n)
{
    struct fsd_span all = {s->pool.n, 0};
    size_t at = 0;

    for (unsigned parts = 0; at < n && parts < FSD_MOST_PARTS; parts++) {
        size_t end = at + first_name(s, words, text + at, n - at);
        struct fsd_span one = nodes_of_text(s, text + at, end - at);

        all = all.n ? fsd_story_join(s, all, one) : one;
        at = end < n ? end + separator(words, text + end, n - end) : n;
    }
    s->cut |= at < n;
    return all;
}

static bool has_parts(const char *const *words, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (separator(words, text + i, n - i))
            return true;
    return false;
}

/* The nodes of a name.  Names may be nested: "PWN(PWN(a), b)", "a + PWN(b)".  Each
 * recursive call gets a shorter text. */
static struct fsd_span nodes_of_text(struct fsd_story *s, const char *text, size_t n)
{
    struct fsd_span nodes = {0, 0};
    fsd_sym name = fsd_intern_find(s->h->names, text, n);
    fsd_id node = begin(s, text, n);
    size_t k = base(text, n);

    if (name < s->known.n && s->known.at[name])
        return s->of_name.at[name];
    if (node != FSD_NONE)
        return fsd_story_single(s, node);
    if (s->depth == MOST_DEPTH) {
        s->cut = true;
        return nodes;
    }
    s->depth++;
    if (n > 5 && !memcmp(text, "PWN(", 4) && text[n - 1] == ')')
        nodes = nodes_of_text(s, text + 4, n - 5);
    else if (k && (has_meaning(s, text, k) || !has_parts(joined, text, n)))
        nodes = nodes_of_text(s, text, k); /* these k bytes may be a list of names */
    else if (has_parts(joined, text, n))
        nodes = nodes_of_parts(s, joined, text, n);
    s->depth--;
    return nodes;
}

struct fsd_span fsd_story_nodes(struct fsd_story *s, fsd_sym name)
{
    struct fsd_span nodes =
        nodes_of_text(s, fsd_text(s->h->names, name), fsd_text_len(s->h->names, name));

    fsd_story_set(s, name, nodes);
    return nodes;
}

/* Resolves "(a and b)". */
struct fsd_span fsd_story_list(struct fsd_story *s, fsd_sym list)
{
    const char *text = fsd_text(s->h->names, list);
    size_t n = fsd_text_len(s->h->names, list);

    if (n > 2 && *text == '(' && text[n - 1] == ')' && has_parts(listed, text, n))
        return nodes_of_parts(s, listed, text + 1, n - 2);
    return fsd_story_nodes(s, list);
}
