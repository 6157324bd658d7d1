/*
 * Parses the text form of graphs (build_graph.h) that unit tests draw.  The parser
 * asserts instead of returning errors: a drawing that it does not understand is a
 * mistake of the test.
 */
#include "build_graph.h"
#include "states.h"

#include "trt/trt.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Words of a line, separated by blanks. */
struct words {
    char text[1024];
    char *at;
};

static char *next_word(struct words *w)
{
    char *word;

    while (*w->at == ' ')
        w->at++;
    word = w->at;
    while (*w->at && *w->at != ' ')
        w->at++;
    if (*w->at)
        *w->at++ = '\0';
    return *word ? word : NULL;
}

static enum fsd_dtype type_of(const char *name)
{
    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        if (!strcmp(fsd_dtype_name((enum fsd_dtype)i), name))
            return (enum fsd_dtype)i;
    fail_msg("no type %s", name);
    return FSD_DTYPE_UNKNOWN;
}

static fsd_id tensor_of(struct fsd_graph *g, const char *name)
{
    fsd_sym sym = fsd_intern_str(g->names, name);
    fsd_id id = fsd_graph_find(g, sym, 0);

    return id == FSD_NONE ? fsd_graph_add_tensor(g, sym, 0) : id;
}

static fsd_id form_of(struct fsd_graph *g, const char *type, const char *dims)
{
    struct fsd_form form = {.type = type ? type_of(type) : FSD_DTYPE_UNKNOWN,
                            .ranked = dims};
    struct fsd_dim list[8];
    uint32_t n = 0;

    for (const char *at = dims; at && *at && n < 8; n++) {
        char *end;

        list[n] = (struct fsd_dim){strtoll(at, &end, 10), 0};
        at = *end ? end + 1 : end;
    }
    return fsd_graph_add_form(g, form, list, n);
}

static fsd_id value_of(struct fsd_graph *g, const char *hex)
{
    size_t n = hex ? strlen(hex) / 2 : 0;
    unsigned char *bytes = FSD_NEW(g->arena, unsigned char, n + 1);

    for (size_t i = 0; i < n; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};

        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return fsd_graph_add_value(g, (struct fsd_value){hex ? bytes : NULL, n});
}

/* "in x fp32 1,3" and its kin; false when the line is none of them. */
static bool declare(struct fsd_graph *g, const char *word, struct words *w)
{
    struct fsd_tensor *t;
    fsd_id id, form;
    char *a;

    if (strcmp(word, "in") != 0 && strcmp(word, "out") != 0 &&
        strcmp(word, "const") != 0)
        return false;
    id = tensor_of(g, next_word(w));
    if (!strcmp(word, "const")) {
        fsd_id value = value_of(g, next_word(w));

        g->tensors.at[id].value = value;
        g->tensors.at[id].flags |= FSD_TENSOR_CONSTANT;
        return true;
    }
    a = next_word(w);
    form = a ? form_of(g, a, next_word(w)) : FSD_NONE;
    t = &g->tensors.at[id];
    if (form != FSD_NONE)
        t->form = form;
    t->flags |= FSD_TENSOR_BINDING |
                (strcmp(word, "in") ? FSD_TENSOR_OUTPUT : FSD_TENSOR_INPUT);
    return true;
}

static void add_attr(struct fsd_graph *g, struct fsd_node *n, char *text)
{
    char *value = strchr(text, '=');
    struct fsd_attr attr = {.kind = FSD_ATTR_INTS, .value = FSD_NONE, .form = FSD_NONE};

    *value++ = '\0';
    attr.name = fsd_intern_str(g->names, text);
    attr.list.at = g->ints.n;
    while (*value) {
        fsd_vec_push(g->arena, &g->ints, strtoll(value, &value, 10));
        attr.list.n++;
        value += *value == ',';
    }
    if (attr.list.n == 1) {
        attr.kind = FSD_ATTR_INT;
        attr.i = g->ints.at[attr.list.at];
    }
    fsd_vec_push(g->arena, &g->attrs, attr);
    n->attrs.n++;
}

static void add_model_node(struct fsd_graph *g, const char *op, struct words *w)
{
    struct fsd_node n = {.op = fsd_intern_str(g->names, op), .where = g->nodes.n};
    char *word = next_word(w);
    struct fsd_span *side = &n.in;

    word[strlen(word) - 1] = '\0'; /* the colon */
    n.name = strcmp(word, "-") ? fsd_intern_str(g->names, word) : 0;
    n.in.at = g->ports.n;
    while ((word = next_word(w)) && strcmp(word, "|") != 0) {
        struct fsd_port port = {FSD_NONE, FSD_NONE};

        if (!strcmp(word, "->")) {
            side = &n.out;
            side->at = g->ports.n;
            continue;
        }
        if (strcmp(word, "-") != 0)
            port.tensor = tensor_of(g, word);
        fsd_vec_push(g->arena, &g->ports, port);
        side->n++;
    }
    n.attrs.at = g->attrs.n;
    while (word && (word = next_word(w)))
        add_attr(g, &n, word);
    fsd_graph_add_node(g, n);
}

typedef void line_fn(struct fsd_graph *g, void *arg, const char *word, struct words *w);

static void each_line(struct fsd_graph *g, const char *text, line_fn *fn, void *arg)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        struct words w = {.at = w.text};
        char *word;

        assert_true(n < sizeof w.text);
        memcpy(w.text, text, n);
        w.text[n] = '\0';
        text += n + (text[n] == '\n');
        word = next_word(&w);
        if (word && !declare(g, word, &w))
            fn(g, arg, word, &w);
    }
    fsd_graph_finish(g);
}

static void model_line(struct fsd_graph *g, void *arg, const char *word,
                       struct words *w)
{
    (void)arg;
    add_model_node(g, word, w);
}

struct fsd_graph *build_model(struct fsd_arena *arena, struct fsd_intern *names,
                              const char *text)
{
    struct fsd_graph *g = fsd_graph_new(arena, names);

    g->path = "model";
    g->kind = "onnx";
    each_line(g, text, model_line, NULL);
    return g;
}

/* --------------------------------------------------------------------- engine */

/* Mentions of every node of that name; returns how many were added. */
static uint32_t add_mentions(struct fsd_graph *g, const struct fsd_graph *model,
                             struct fsd_mention m)
{
    uint32_t first = g->mentions.n;

    for (fsd_id i = 0; i < model->nodes.n; i++)
        if (model->nodes.at[i].name == m.text) {
            m.node = i;
            fsd_vec_push(g->arena, &g->mentions, m);
        }
    for (uint32_t i = first; i < g->mentions.n; i++)
        g->mentions.at[i].among = g->mentions.n - first;
    return g->mentions.n - first;
}

static uint32_t add_mention(struct fsd_graph *g, const struct fsd_graph *model,
                            const char *word)
{
    static const struct {
        char letter;
        unsigned by;
        enum fsd_mention_role role;
    } rows[] = {{'n', FSD_BY_NAME, FSD_MENTION_COMPUTES},
                {'r', FSD_BY_NAME, FSD_MENTION_COMPUTES},
                {'m', FSD_BY_METADATA, FSD_MENTION_COMPUTES},
                {'w', FSD_BY_NAME, FSD_MENTION_WRAPS},
                {'s', FSD_BY_NAME, FSD_MENTION_SERVES},
                {'c', FSD_BY_NAME, FSD_MENTION_COPIES}};
    struct fsd_mention m = {.text = fsd_intern_str(g->names, word + 2),
                            .node = FSD_NONE,
                            .tensor = FSD_NONE};
    uint32_t n;

    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        if (rows[i].letter == *word) {
            m.by = rows[i].by;
            m.role = rows[i].role;
        }
    assert_true(m.by && word[1] == ':');
    if (m.role == FSD_MENTION_COPIES)
        m.tensor = fsd_graph_find(model, m.text, 0);
    n = add_mentions(g, model, m);
    if (n)
        return n;
    m.among = m.tensor != FSD_NONE;
    if (!m.among)
        m.role = FSD_MENTION_UNKNOWN;
    fsd_vec_push(g->arena, &g->mentions, m);
    return 1;
}

static void add_engine_port(struct fsd_graph *g, char *word)
{
    char *type = strrchr(word, ':');
    struct fsd_port port = {.form = FSD_NONE};

    if (type)
        *type++ = '\0';
    port.tensor = tensor_of(g, word);
    if (type) {
        port.form = form_of(g, type, NULL);
        if (g->tensors.at[port.tensor].form == FSD_NONE)
            g->tensors.at[port.tensor].form = port.form;
    }
    fsd_vec_push(g->arena, &g->ports, port);
}

static void engine_line(struct fsd_graph *g, void *model, const char *type,
                        struct words *w)
{
    struct fsd_node n = {.op = fsd_intern_str(g->names, type), .where = g->nodes.n};
    struct fsd_layer l = {.profile = -1};
    const char *name = next_word(w);
    struct fsd_span *side = &n.in;
    char *word;

    n.name = fsd_intern_str(g->names, name);
    if (!strncmp(name, "Reformatting", 12))
        l.form = FSD_NAME_SERVES;
    else if (!strncmp(name, "{Foreign", 8))
        l.form = FSD_NAME_REGION;
    else if (strstr(name, "copy"))
        l.form = FSD_NAME_COPIES;
    l.mentions.at = g->mentions.n;
    next_word(w); /* the bar */
    while ((word = next_word(w)) && strcmp(word, "|") != 0) {
        l.mentions.n += add_mention(g, model, word);
    }
    n.in.at = g->ports.n;
    while ((word = next_word(w))) {
        if (!strcmp(word, "->")) {
            side = &n.out;
            side->at = g->ports.n;
            continue;
        }
        add_engine_port(g, word);
        side->n++;
    }
    fsd_trt_facts(g->names, &n, FSD_TRT_ORIGIN_NONE, &l);
    fsd_graph_add_node(g, n);
    fsd_vec_push(g->arena, &g->layers, l);
}

struct fsd_graph *build_engine(struct fsd_arena *arena, const struct fsd_graph *model,
                               const char *text)
{
    struct fsd_graph *g = fsd_graph_new(arena, model->names);
    const void *arg = model;

    g->path = "engine";
    g->kind = "test";
    g->detailed = true;
    each_line(g, text, engine_line, (void *)(uintptr_t)arg);
    return g;
}

struct fsd_diff *build_diff(const char *model, const char *engine, unsigned evidence)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_diff *d = FSD_NEW(arena, struct fsd_diff, 1);
    const struct fsd_options opt = {.evidence = evidence};
    struct fsd_measured *times = FSD_NEW(arena, struct fsd_measured, 1);
    struct fsd_graph *built;

    d->arena = arena;
    d->names = fsd_intern_new(arena);
    d->model = build_model(arena, d->names, model);
    d->engine = built = build_engine(arena, d->model, engine);
    times->run_ms = -1;
    fsd_measure(times, built, NULL, 0);
    d->times = times;
    assert_int_equal(fsd_run_explain(d, &opt, NULL), FSD_OK);
    return d;
}

char *show_diff(const struct fsd_diff *d)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fprintf(out, "%s %s", fsd_text(d->names, d->model->nodes.at[i].name),
                fsd_fate_name(d->nodes[i].fate));
        for (uint32_t k = 0; k < d->match->of_node[i].n; k++) {
            const struct fsd_link *link = fsd_match_of_node(d->match, i, k);

            fprintf(out, " %u:", link->layer);
            for (int bit = 0; bit < 5; bit++)
                if (link->by >> bit & 1)
                    putc("mnlts"[bit], out);
        }
        if (d->match->region_of_node[i] != FSD_NONE)
            fprintf(out, " region %u", d->match->region_of_node[i]);
        putc('\n', out);
    }
    fclose(out);
    return text;
}
