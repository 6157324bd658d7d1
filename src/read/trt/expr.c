/*
 * Parses the parts of a layer's name. The grammar is in name.c.
 */
#include "model/graph/graph.h"
#include "read/trt/grammar.h"
#include "read/engine/reader.h"

enum { DEPTH_MAX = 64, TAIL_MAX = 4 };

/* The kinds of parts of a name.  fsd_expr.part is the kind of the last part that was
 * read.  fsd_expr_read() derives the layer's form from this kind, if it is PART_FOREIGN
 * or if the name has only one part.  If the form is already known, or if the layer is
 * not the builder's, the form does not change. */
enum part { PART_PLAIN, PART_WRAPPER, PART_COPY, PART_FOREIGN, PART_LIST };

/* ---------------------------------------------------------------- known names */

/* The suffixes in the names of Q and DQ layers of TensorRT 8.0. */
static const char *const quantizer_ends[] = {"_quantize_scale_node",
                                             "_dequantize_scale_node"};

static bool skip_tail(const struct fsd_expr *p, struct fsd_tail *t)
{
    size_t at = t->end;

    if (fsd_scan_skip(&p->text, &at, " copy") ||
        fsd_scan_skip(&p->text, &at, "_copy_input") ||
        fsd_scan_skip(&p->text, &at, "_copy_output")) {
        t->copies = true;
    } else if (fsd_scan_skip(&p->text, &at, quantizer_ends[0]) ||
               fsd_scan_skip(&p->text, &at, quantizer_ends[1])) {
        /* this suffix changes only t->end */
    } else if (fsd_scan_skip(&p->text, &at, "_clone_")) {
        if (!fsd_scan_skip_number(&p->text, &at))
            return false;
    } else if (fsd_scan_skip(&p->text, &at, "_(")) {
        at--; /* back to the '(' in a name such as "unsqueeze_node_after_X_(Unnamed
                 Layer* 36) [Shuffle]_output" */
        if (!fsd_scan_skip_unnamed(&p->text, &at))
            return false;
        fsd_scan_skip(&p->text, &at, "_output");
    } else if (!t->counted && fsd_scan_skip(&p->text, &at, "_") &&
               fsd_scan_skip_number(&p->text, &at)) {
        t->counted = true;
    } else {
        return false;
    }
    t->end = at;
    return true;
}

static struct fsd_tail tail_at(const struct fsd_expr *p, size_t at)
{
    struct fsd_tail t = {.end = at};
    int left = TAIL_MAX;

    while (t.end < p->text.n && (p->text.s[t.end] == '_' || p->text.s[t.end] == ' ') &&
           left-- && skip_tail(p, &t))
        ;
    return t;
}

static bool spend(struct fsd_expr *p, uint64_t steps)
{
    if (p->steps < steps)
        p->steps = 0;
    else
        p->steps -= steps;
    return p->steps > 0;
}

bool fsd_expr_known(struct fsd_expr *p, size_t at, enum fsd_place in,
                    struct fsd_known *out)
{
    const struct fsd_vocab *v = p->vocab;
    bool found = false;

    for (uint32_t i = 0; v && i < v->lengths.n && spend(p, 1); i++) {
        size_t len = v->lengths.at[i];
        const struct fsd_meaning *what;
        struct fsd_tail tail;

        if (len > p->text.n - at)
            continue;
        tail = tail_at(p, at + len);
        if (!fsd_scan_is_boundary(&p->text, tail.end, in) || !spend(p, 4 + len / 8))
            continue;
        what = fsd_vocab_find(v, p->text.s + at, len);
        if (!what || (found && !fsd_meaning_fits(v, what)))
            continue;
        *out = (struct fsd_known){what, len, tail};
        found = true;
        if (tail.copies || fsd_meaning_fits(v, what))
            return true;
    }
    return found;
}

/* ------------------------------------------------------------------- mentions */

static enum fsd_mention_role role_here(const struct fsd_expr *p,
                                       enum fsd_mention_role role)
{
    if (role == FSD_MENTION_HELPER || role == FSD_MENTION_UNKNOWN)
        return role;
    if (p->serving)
        return FSD_MENTION_SERVES;
    return p->copying ? FSD_MENTION_COPIES : role;
}

void fsd_expr_mention(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                      size_t end, const struct fsd_meaning *what, bool loose)
{
    struct fsd_mention m = {
        .by = FSD_BY_NAME, .role = role_here(p, role), .loose = loose};

    if (end > at)
        fsd_mention_add(p->g, p->vocab, m, p->text.s + at, end - at, what);
}

/* Adds a mention of a known name.  The mention's `layer` is the name with its suffixes.
 * Only a log can show whose layer this is: "node_linear_1" may be the second layer of
 * node_linear, or a layer of node_linear_1. */
void fsd_expr_mention_known(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                            const struct fsd_known *known)
{
    struct fsd_mention m = {
        .by = FSD_BY_NAME,
        .role = role_here(p, role),
        .layer = fsd_intern_add(p->g->names, p->text.s + at, known->tail.end - at)};

    fsd_mention_add(p->g, p->vocab, m, p->text.s + at, known->len, known->what);
}

void fsd_expr_remark(const struct fsd_expr *p, const char *rule)
{
    struct fsd_graph *g = p->g;

    fsd_vec_push(
        g->arena, &g->remarks,
        (struct fsd_remark){.rule = rule,
                            .node = g->nodes.n,
                            .tensor = FSD_NONE,
                            .text = fsd_intern_add(g->names, p->text.s, p->text.n)});
}

/* ---------------------------------------------------------------------- parts */

static size_t read_part(struct fsd_expr *p, size_t at, enum fsd_place in,
                        enum fsd_mention_role role, unsigned depth);

/* Reads parts up to the closing bracket or the end, and returns the position after
 * them. */
static size_t read_parts(struct fsd_expr *p, size_t at, enum fsd_place in,
                         enum fsd_mention_role role, unsigned depth)
{
    for (;;) {
        const char *separator, *closer;

        at = read_part(p, at, in, role, depth);
        separator = fsd_scan_separator(&p->text, at, in);
        closer = fsd_scan_closer(&p->text, at, in);
        if (separator)
            at += strlen(separator);
        else
            return closer ? at + strlen(closer) : at;
        if (in == FSD_IN_FOREIGN && *separator == '.') {
            p->dots = true;
            role = FSD_MENTION_LAST;
        }
    }
}

/* Reads the name of a region: its first and last node. If the name has only one part,
 * the region has only that node. */
static size_t read_foreign(struct fsd_expr *p, size_t at, unsigned depth)
{
    struct fsd_graph *g = p->g;
    uint32_t first = g->mentions.n;
    bool outer = p->dots;

    p->dots = false;
    at = read_parts(p, at, FSD_IN_FOREIGN, FSD_MENTION_FIRST, depth);
    for (uint32_t i = first; !p->dots && i < g->mentions.n; i++)
        if (g->mentions.at[i].role == FSD_MENTION_FIRST)
            g->mentions.at[i].role = FSD_MENTION_COMPUTES;
    p->dots = outer;
    return at;
}

/* Reads an expression in brackets. Returns false if there is none at `at`. */
static bool read_bracket(struct fsd_expr *p, size_t *at, enum fsd_mention_role role,
                         unsigned depth)
{
    enum part part = PART_PLAIN;

    if (fsd_scan_skip(&p->text, at, "PWN(") ||
        fsd_scan_skip(&p->text, at, "fusedPointwiseNode(")) {
        *at = read_parts(p, *at, FSD_IN_CALL, role, depth);
    } else if (fsd_scan_skip(&p->text, at, "{ForeignNode[")) {
        *at = read_foreign(p, *at, depth);
        part = PART_FOREIGN;
    } else if (fsd_scan_skip(&p->text, at, "{")) {
        *at = read_parts(p, *at, FSD_IN_LIST, role, depth);
        part = PART_LIST;
    } else {
        return false;
    }
    p->part = (int)part;
    return true;
}

static bool skip_wrapper(const struct fsd_expr *p, size_t *at)
{
    static const char *const wrappers[] = {
        "reshape_",          "squeeze_",         "unsqueeze_", "copied_squeeze_",
        "unsqueeze_node_",   "transpose_",       "shuffle_",   "copied_reshape_",
        "copied_unsqueeze_", "copied_transpose_"};

    for (size_t i = 0; i < FSD_COUNT_OF(wrappers); i++) {
        size_t end = *at;

        if (fsd_scan_skip(&p->text, &end, wrappers[i]) &&
            (fsd_scan_skip(&p->text, &end, "before_") ||
             fsd_scan_skip(&p->text, &end, "after_"))) {
            *at = end;
            return true;
        }
    }
    return false;
}

static bool is_helper(const struct fsd_expr *p, size_t at)
{
    static const char *const begins[] = {"ONNXTRT_", "[ShapeHostToDeviceCopy",
                                         "[DeviceToShapeHostCopy", "[trainStation",
                                         "Forced Cast ITensor "};

    for (size_t i = 0; i < FSD_COUNT_OF(begins); i++)
        if (fsd_scan_at(&p->text, at, begins[i]))
            return true;
    return fsd_scan_skip_unnamed(&p->text, &at);
}

/* Returns the end of X if the part has a name like "X copy"; else returns `end`. */
static size_t cut_copy(struct fsd_expr *p, size_t at, size_t end)
{
    static const char *const copies[] = {" copy", "_copy_input", "_copy_output"};

    for (size_t i = 0; i < FSD_COUNT_OF(copies); i++) {
        size_t len = strlen(copies[i]);

        if (end - at > len && !memcmp(p->text.s + end - len, copies[i], len)) {
            p->part = PART_COPY;
            return end - len;
        }
    }
    return end;
}

/* Removes a suffix of Q and DQ layers if there is no model. With a model, removes
 * nothing, because the names in the model show where a suffix begins. */
static size_t cut_quantizer_end(const struct fsd_expr *p, size_t at, size_t end)
{
    for (size_t i = 0; !p->vocab && i < FSD_COUNT_OF(quantizer_ends); i++) {
        size_t n = strlen(quantizer_ends[i]);

        if (end - at > n && !memcmp(p->text.s + end - n, quantizer_ends[i], n))
            return end - n;
    }
    return end;
}

/* Reads a part that does not begin with a name of the model: a layer that the parser
 * added, or any other text. */
static size_t read_other(struct fsd_expr *p, size_t at, enum fsd_place in)
{
    size_t end = fsd_scan_part_end(&p->text, at, in), stop;
    enum fsd_mention_role role = FSD_MENTION_UNKNOWN;
    const struct fsd_meaning *what = NULL;

    p->part = PART_PLAIN;
    stop = cut_copy(p, at, end);
    if (is_helper(p, at))
        role = FSD_MENTION_HELPER;
    else if (p->vocab && !p->steps) /* the search for known names has used up its steps,
                                       so only the whole part is looked up */
        what = fsd_vocab_find(p->vocab, p->text.s + at, stop - at);
    if (what)
        role = p->part == PART_COPY ? FSD_MENTION_COPIES : FSD_MENTION_COMPUTES;
    if (role == FSD_MENTION_UNKNOWN)
        stop = cut_quantizer_end(p, at, stop);
    fsd_expr_mention(p, role, at, stop, what, false);
    return end;
}

/* Reads the rest of a part after a bracket has closed: suffixes, and then any other
 * text, which becomes an unknown mention. Returns the end of the part. */
static size_t read_rest(struct fsd_expr *p, size_t at, enum fsd_place in)
{
    size_t end;

    at = tail_at(p, at).end;
    end = fsd_scan_part_end(&p->text, at, in);
    if (end > at)
        fsd_expr_mention(p, FSD_MENTION_UNKNOWN, at, end, NULL, false);
    return end;
}

/* Reads one part, and returns the position of the boundary after it. */
static size_t read_part(struct fsd_expr *p, size_t at, enum fsd_place in,
                        enum fsd_mention_role role, unsigned depth)
{
    struct fsd_known known;
    size_t end = at;

    if (depth > DEPTH_MAX) {
        fsd_expr_remark(p, "input/deep-name");
        fsd_expr_mention(p, FSD_MENTION_UNKNOWN, at, p->text.n, NULL, false);
        return p->text.n;
    }
    if (fsd_expr_known(p, at, in, &known)) {
        p->part = known.tail.copies ? PART_COPY : PART_PLAIN;
        fsd_expr_mention_known(p, known.tail.copies ? FSD_MENTION_COPIES : role, at,
                               &known);
        return known.tail.end;
    }
    if (read_bracket(p, &end, role, depth + 1))
        return read_rest(p, end, in);
    if (!is_helper(p, at) && skip_wrapper(p, &end)) {
        end = read_part(p, end, in, FSD_MENTION_WRAPS, depth + 1);
        p->part = PART_WRAPPER;
        return end;
    }
    return read_other(p, at, in);
}

void fsd_expr_read(struct fsd_expr *p, struct fsd_layer *layer)
{
    static const enum fsd_name_form forms[] = {[PART_PLAIN] = FSD_NAME_PLAIN,
                                               [PART_WRAPPER] = FSD_NAME_WRAPS,
                                               [PART_COPY] = FSD_NAME_COPIES,
                                               [PART_FOREIGN] = FSD_NAME_REGION,
                                               [PART_LIST] = FSD_NAME_PLAIN};
    bool open =
        layer->form == FSD_NAME_PLAIN && layer->provider == FSD_PROVIDER_BUILDER;
    bool single = true;
    size_t at = 0;

    for (;;) {
        const char *separator;

        at = read_part(p, at, FSD_IN_NAME, FSD_MENTION_COMPUTES, 0);
        separator = fsd_scan_separator(&p->text, at, FSD_IN_NAME);
        single = single && !separator;
        if (open && (single || p->part == PART_FOREIGN))
            layer->form = forms[p->part];
        if (open && single && p->part == PART_LIST)
            layer->provider = FSD_PROVIDER_DEVICE;
        if (!separator)
            return;
        at += strlen(separator);
    }
}
