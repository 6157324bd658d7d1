/*
 * Writes the lines of a block. Each node has one statement, followed by the type and
 * sizes of its output. If the engine computes the node in another layer than the node
 * before, a comment with the layer precedes the statement.
 */
#include "base/base.h"
#include "edit/code/code.h"
#include "model/graph/graph.h"

/* ----------------------------------------------------------------------- variables */

fsd_sym fsd_code_variable_of(const struct fsd_scope_names *names, fsd_id tensor)
{
    return fsd_id_at(names->stamp, tensor) == names->now ? names->of[tensor] : 0;
}

fsd_sym fsd_code_variable(struct fsd_code *c, struct fsd_scope_names *names,
                          const char *stem, fsd_id tensor)
{
    const char *word = fsd_code_identifier(c->arena, stem), *name = word;
    fsd_sym made;
    uint32_t *again;

    made = fsd_intern_str(names->used, word);
    while (names->counts.n <= made)
        fsd_vec_push(c->arena, &names->counts, 0);
    again = &names->counts.at[made];
    while ((*again)++ > 0) { /* the name with a number may be taken by another
                                variable */
        name = fsd_printed(c->arena, "%s_%u", word, *again);
        if (!fsd_intern_has(names->used, name, strlen(name)))
            break;
    }
    if (name != word) {
        made = fsd_intern_str(names->used, name);
        while (names->counts.n <= made)
            fsd_vec_push(c->arena, &names->counts, 0);
        names->counts.at[made] = 1;
    }
    made = fsd_intern_str(c->words, name);
    if (tensor != FSD_NONE) {
        names->of[tensor] = made;
        names->stamp[tensor] = names->now;
    }
    return made;
}

const char *fsd_code_parameter(struct fsd_code *c, fsd_id tensor)
{
    fsd_sym name;
    int64_t ints[FSD_INTS];
    uint32_t n;

    if (c->numbers[tensor] && fsd_code_ints(c, tensor, ints, &n)) {
        struct fsd_code_words w = {.arena = c->arena};

        fsd_words_put(&w, "constant(");
        fsd_code_tuple(ints, n, &w);
        fsd_words_put(&w, ")");
        return fsd_arena_strndup(c->arena, w.text.at, w.text.n);
    }
    if (!c->block->function)
        return "None";
    name = fsd_code_variable(c, c->names, "x", tensor);
    fsd_vec_push(c->arena, &c->block->reads, tensor);
    fsd_vec_push(c->arena, &c->block->read_as, name);
    return fsd_text(c->words, name);
}

/* The stem of a variable's name: "conv1" for a Conv in the module conv1, "query_matmul"
 * for a MatMul in query. */
static const char *stem_of(const struct fsd_code *c, fsd_id node)
{
    enum { MOST = 24 };
    const struct fsd_node *it = &c->g->nodes.at[node];
    const char *module = fsd_text(c->modules, c->block->module), *kind;
    const char *path = fsd_text(c->g->names, it->module ? it->module : it->name), *leaf;
    size_t n = strlen(module);

    kind = fsd_code_identifier(c->arena, fsd_code_stem(c, node));
    if (n && !strncmp(path, module, n))
        path += n + (path[n] == '/' || path[n] == '.');
    else if (n)
        return kind;
    if (!it->module) {
        const char *last = strrchr(path, '/') ? strrchr(path, '/') : strrchr(path, '.');

        path = fsd_arena_strndup(c->arena, path, last ? (size_t)(last - path) : 0);
    }
    leaf = *path ? fsd_code_identifier(c->arena, fsd_code_leaf(path)) : "";
    if (!*leaf || strlen(leaf) > MOST)
        return kind;
    return !strncmp(leaf, kind, strlen(kind))
               ? leaf
               : fsd_printed(c->arena, "%s_%s", leaf, kind);
}

/* ------------------------------------------------------------------------ comments */

/* Prints the type and the sizes of a tensor: "fp32 [1, 64, 112, 112]". The name of a
 * dynamic size is text of the model, so it is written as a slot (code.h). */
static void put_form(struct fsd_code *c, fsd_id tensor, struct fsd_code_words *w)
{
    const struct fsd_form *form = fsd_tensor_form(c->g, tensor);
    const struct fsd_shape *shape = fsd_shape_of(c->sizes, tensor);

    fsd_words_printf(w, "%s%s", fsd_dtype_name(form->type),
                     shape->ranked ? " [" : " of unknown sizes");
    for (uint32_t i = 0; shape->ranked && i < shape->rank; i++) {
        const char *text = fsd_amount_text(c->sizes->amounts, shape->dims[i]);

        fsd_words_put(w, i ? ", " : "");
        if (text)
            fsd_words_slot(w, FSD_SLOT_FIRST, text);
        else if (shape->dims[i] < 0)
            fsd_words_put(w, "?");
        else
            fsd_words_printf(w, "%lld", (long long)shape->dims[i]);
    }
    fsd_words_put(w, shape->ranked ? "]" : "");
}

/* Prints ", scale 0.0123", or the number of scales. */
static void put_scale(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_id scale = fsd_code_weight(c, fsd_node_in_tensor(c->g, node, 1));
    const struct fsd_form *form;
    int64_t n;
    double number;

    if (!(fsd_traits_of(c->d->facts, node) & FSD_OP_QDQ) || scale == FSD_NONE)
        return;
    form = fsd_tensor_form(c->g, scale);
    n = fsd_form_count(c->g, form);
    if (n == 1 &&
        fsd_element_number(fsd_tensor_value(c->g, scale), form->type, 0, &number)) {
        fsd_words_put(w, ", scale ");
        fsd_words_slot(w, FSD_SLOT_RANGE, fsd_printed(c->arena, "%.4g", number));
    } else if (n > 1) {
        fsd_words_printf(w, ", %lld scales", (long long)n);
    } else {
        fsd_words_put(w, ", a scale");
    }
}

static void put_made(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    for (uint32_t i = 0; i < c->g->nodes.at[node].out.n; i++) {
        fsd_id made = fsd_node_out_tensor(c->g, node, i);

        if (made == FSD_NONE || (i && !c->g->tensors.at[made].consumers.n))
            continue;
        fsd_words_put(w, w->text.n ? "; " : "");
        put_form(c, made, w);
    }
    put_scale(c, node, w);
}

/* Prints the layers that compute the node: "layer 7: int8, 0.012 ms: conv + relu". */
static void put_layers(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const struct fsd_match *m = c->d->match;
    uint32_t n = m->of_node[node].n;
    bool timed = true;
    double ms = 0;
    fsd_id first = fsd_match_of_node(m, node, 0)->layer;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        fsd_words_put(w, i ? " + " : "");
        fsd_words_slot(w, FSD_SLOT_LAYER, fsd_printed(c->arena, "%u", layer));
        timed &= fsd_layer_ms(c->d, layer) >= 0;
        ms += fsd_layer_ms(c->d, layer);
    }
    fsd_words_printf(w, ": %s", fsd_dtype_name(c->d->layers[first].precision));
    if (timed) {
        fsd_words_put(w, ", ");
        fsd_words_slot(w, FSD_SLOT_RANGE, fsd_printed(c->arena, "%.4f", ms));
        fsd_words_put(w, " ms");
    }
    fsd_words_put(w, ": ");
    fsd_words_slot(w, FSD_SLOT_FIRST,
                   fsd_text(c->d->engine->names, c->d->engine->nodes.at[first].name));
}

static bool has_layer(const struct fsd_code *c, fsd_id node)
{
    return c->engine && c->d->match->of_node[node].n;
}

/* Prints the comment above a statement: the layers, or the outcome. */
static void put_head(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const struct fsd_node_result *r = &c->d->nodes[node];

    if (has_layer(c, node)) {
        put_layers(c, node, w);
        return;
    }
    if (r->fate == FSD_FATE_LAYER) {
        fsd_words_put(
            w, "one of several layers computes this node, but it is unknown which one");
        return;
    }
    fsd_words_printf(w, "no layer: %s", fsd_fate_name(r->fate));
    if (*r->why)
        fsd_words_printf(w, ": %s", r->why);
    if (r->other != FSD_NONE) {
        fsd_words_put(w, ": ");
        fsd_words_slot(w, FSD_SLOT_FIRST, fsd_code_node_name(c, r->other));
    }
}

/* Whether the comment with the layers of the node `before` also holds for `node`. Both
 * must have the same layers. If both have no layer, the reason must be the same. */
static bool goes_on(const struct fsd_code *c, fsd_id before, fsd_id node)
{
    const struct fsd_match *m = c->d->match;
    const struct fsd_node_result *r = &c->d->nodes[node], *q;

    if (before == FSD_NONE)
        return false;
    q = &c->d->nodes[before];
    if (m->of_node[before].n != m->of_node[node].n)
        return false;
    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (fsd_match_of_node(m, before, i)->layer !=
            fsd_match_of_node(m, node, i)->layer)
            return false;
    return m->of_node[node].n ||
           (q->fate == r->fate && !strcmp(q->why, r->why) && q->other == r->other);
}

/* --------------------------------------------------------------------------- lines */

static void add_line(struct fsd_code *c, struct fsd_code_words *text,
                     struct fsd_code_words *note)
{
    struct fsd_code_block *block = c->block;
    struct fsd_code_line line = {
        fsd_arena_strndup(c->arena, text->text.at, text->text.n),
        fsd_arena_strndup(c->arena, note->text.at, note->text.n),
        {block->slots.n, text->slots.n + note->slots.n}};

    for (uint32_t i = 0; i < text->slots.n; i++)
        fsd_vec_push(c->arena, &block->slots, text->slots.at[i]);
    for (uint32_t i = 0; i < note->slots.n; i++)
        fsd_vec_push(c->arena, &block->slots, note->slots.at[i]);
    fsd_vec_push(c->arena, &block->lines, line);
}

/* Prints the left side of a statement: "x = ", or "a, b = ". */
static void put_left(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    bool all = fsd_code_makes_all(c, node);
    uint32_t n = all ? c->g->nodes.at[node].out.n : 1;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id made = fsd_node_out_tensor(c->g, node, i);

        fsd_words_put(w, i ? ", " : "");
        fsd_words_put(
            w, made == FSD_NONE
                   ? "_"
                   : fsd_text(c->words,
                              fsd_code_variable(c, c->names, stem_of(c, node), made)));
    }
    fsd_words_put(w, n > 0 ? " = " : "");
}

/* If the value of a zero point was not read, writes a statement that checks the value
 * when the program runs. */
static void check_zero(struct fsd_code *c, fsd_id node)
{
    struct fsd_code_words text = {.arena = c->arena}, note = {.arena = c->arena};
    fsd_id zero = fsd_node_in_tensor(c->g, node, 2), weight = fsd_code_weight(c, zero);
    const struct fsd_value *value = fsd_tensor_value(c->g, weight);

    if (c->torch || c->why || zero == FSD_NONE || weight == FSD_NONE ||
        !(fsd_traits_of(c->d->facts, node) & FSD_OP_QDQ) || (value && value->bytes))
        return;
    fsd_words_put(&text, "symmetric(");
    fsd_words_slot(&text, FSD_SLOT_STRING, fsd_code_node_name(c, node));
    fsd_words_put(&text, ", ");
    fsd_words_slot(&text, FSD_SLOT_STRING,
                   fsd_text(c->g->names, c->g->tensors.at[weight].name));
    fsd_words_put(&text, ")");
    add_line(c, &text, &note);
}

static void put_refusal(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_words_put(w, "raise NotImplementedError(");
    fsd_words_slot(w, FSD_SLOT_STRING,
                   fsd_printed(c->arena, "%s of %s: %s",
                               fsd_text(c->g->names, c->g->nodes.at[node].op),
                               fsd_code_node_name(c, node), c->why));
    fsd_words_put(w, ")");
}

static void write_node(struct fsd_code *c, fsd_id node, fsd_id before)
{
    struct fsd_code_words head = {.arena = c->arena}, none = {.arena = c->arena};
    struct fsd_code_words right = {.arena = c->arena}, text = {.arena = c->arena};
    struct fsd_code_words note = {.arena = c->arena};

    if (c->engine && !goes_on(c, before, node)) {
        put_head(c, node, &head);
        add_line(c, &none, &head);
    }
    fsd_code_statement(c, node, &right);
    check_zero(c, node);
    put_left(c, node, &text);
    if (c->why) {
        text = (struct fsd_code_words){.arena = c->arena};
        put_refusal(c, node, &text);
    } else {
        for (uint32_t i = 0; i < right.text.n; i++)
            fsd_vec_push(c->arena, &text.text, right.text.at[i]);
        text.slots.at = right.slots.at;
        text.slots.n = right.slots.n;
    }
    put_made(c, node, &note);
    add_line(c, &text, &note);
}

/* ---------------------------------------------------------------------- functions */

static bool is_read_elsewhere(const struct fsd_code *c, fsd_id tensor, uint32_t block)
{
    const struct fsd_tensor *t = &c->g->tensors.at[tensor];

    FSD_EACH_ID (reader, c->g->links, t->consumers)
        if (c->stated[reader] && c->block_of[reader] != block)
            return true;
    return false;
}

static void list_results(struct fsd_code *c, uint32_t which, const bool *is_output)
{
    struct fsd_code_block *block = &c->blocks.at[which];
    const char *stem = fsd_code_leaf(fsd_text(c->modules, block->module));

    for (uint32_t i = 0; i < block->nodes.n; i++) {
        struct fsd_span out = c->g->nodes.at[block->nodes.at[i]].out;

        FSD_EACH_OF (made, c->g->ports, out, tensor) {
            fsd_sym name = fsd_code_variable_of(c->names, made);

            if (!name || !(is_output[made] || is_read_elsewhere(c, made, which)))
                continue;
            fsd_vec_push(c->arena, &block->makes, made);
            fsd_vec_push(c->arena, &block->made_as, name);
            fsd_code_variable(c, &c->top, stem, made);
        }
    }
}

static void new_names(struct fsd_code *c, struct fsd_scope_names *names)
{
    names->used = fsd_intern_new(c->arena);
    names->counts.n = 0;
    names->now++;
}

static void write_block(struct fsd_code *c, uint32_t which, const bool *is_output)
{
    struct fsd_code_block *block = c->block = &c->blocks.at[which];
    fsd_id before = FSD_NONE;

    c->names = block->function ? &c->local : &c->top;
    if (block->function)
        new_names(c, c->names);
    for (uint32_t i = 0; i < block->nodes.n; i++) {
        write_node(c, block->nodes.at[i], before);
        before = block->nodes.at[i];
    }
    if (block->function)
        list_results(c, which, is_output);
}

void fsd_code_write_blocks(struct fsd_code *c)
{
    uint32_t n = c->g->tensors.n + 1;
    bool *is_output = FSD_NEW(c->arena, bool, n);

    c->words = fsd_intern_new(c->arena);
    c->local = (struct fsd_scope_names){.of = FSD_NEW(c->arena, fsd_sym, n),
                                        .stamp = FSD_NEW(c->arena, uint32_t, n)};
    c->top = (struct fsd_scope_names){.of = FSD_NEW(c->arena, fsd_sym, n),
                                      .stamp = FSD_NEW(c->arena, uint32_t, n)};
    new_names(c, &c->top);
    for (uint32_t i = 0; i < c->inputs.n; i++)
        fsd_code_variable(c, &c->top,
                          fsd_text(c->g->names, c->g->tensors.at[c->inputs.at[i]].name),
                          c->inputs.at[i]);
    for (uint32_t i = 0; i < c->outputs.n; i++)
        is_output[c->outputs.at[i]] = true;
    for (uint32_t i = 0; i < c->blocks.n; i++)
        write_block(c, i, is_output);
}
