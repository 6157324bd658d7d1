/*
 * Parses engines in text form (build_graph.h) for unit tests. The reader of TensorRT's
 * dumps (trt/kind.c) interprets the words for a layer, so that a drawn layer is equal
 * to a layer of a dump. Options state facts that TensorRT has no word for.
 */
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "draw.h"
#include "read/trt/trt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* -------------------------------------------------------------------- mentions */

/* Adds a mention of each node with the name.
 * @return the number of mentions */
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
                {'f', FSD_BY_NAME, FSD_MENTION_FIRST},
                {'l', FSD_BY_NAME, FSD_MENTION_LAST},
                {'w', FSD_BY_NAME, FSD_MENTION_WRAPS},
                {'s', FSD_BY_NAME, FSD_MENTION_SERVES},
                {'c', FSD_BY_NAME, FSD_MENTION_COPIES},
                {'k', FSD_BY_NAME, FSD_MENTION_CONSTANT},
                {'h', FSD_BY_NAME, FSD_MENTION_HELPER}};
    size_t len = strcspn(word + 2, ">");
    fsd_sym text = fsd_intern_add(g->names, word + 2, len);
    struct fsd_mention m = {
        .text = text, .layer = text, .node = FSD_NONE, .tensor = FSD_NONE};
    uint32_t n;

    if (word[2 + len])
        m.layer = fsd_intern_str(g->names, word + 3 + len);

    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        if (rows[i].letter == *word) {
            m.by = rows[i].by;
            m.role = rows[i].role;
        }
    assert_true(m.by && word[1] == ':');
    if (m.role == FSD_MENTION_COPIES || m.role == FSD_MENTION_CONSTANT)
        m.tensor = fsd_graph_find(model, m.text, 0);
    n = add_mentions(g, model, m);
    if (n)
        return n;
    m.among = m.tensor != FSD_NONE;
    if (!m.among && m.role != FSD_MENTION_HELPER)
        m.role = FSD_MENTION_UNKNOWN;
    fsd_vec_push(g->arena, &g->mentions, m);
    return 1;
}

/* ------------------------------------------------------------------------ ports */

/* Cuts brackets off a text and returns their contents, such as "1,8" from "x(1,8)";
 * NULL if there are no brackets. */
static char *cut_brackets(char *text, char open)
{
    char *at = strchr(text, open);

    if (!at)
        return NULL;
    *at++ = '\0';
    at[strlen(at) - 1] = '\0';
    return at;
}

static struct fsd_layout layout_of(const char *text)
{
    struct fsd_trt_format format = {0};

    if (text && *text == 'c' && text[1] >= '0' && text[1] <= '9') {
        format.layout.pad = (uint16_t)strtoul(text + 1, NULL, 10);
        format.layout.axis = 1;
    } else if (text) {
        format = fsd_trt_format(text, strlen(text));
        assert_true(format.understood);
    }
    return format.layout;
}

/* Parses "x:fp16/chw32(1,64,7,7){3136,49,7,1}". Only the name is required. */
static struct fsd_port read_port(struct drawing *d, char *word)
{
    char *strides = cut_brackets(word, '{'), *dims = cut_brackets(word, '(');
    char *type = strrchr(word, ':'), *layout = type ? strrchr(type, '/') : NULL;
    struct fsd_graph *g = d->g;
    struct fsd_port port = {.tensor = FSD_NONE, .form = FSD_NONE};

    if (type)
        *type++ = '\0';
    if (layout)
        *layout++ = '\0';
    if (strcmp(word, "-") != 0)
        port.tensor = tensor_of(d, word);
    if (!type)
        return port;
    port.form = form_of(g, type, dims);
    g->forms.at[port.form].layout = layout_of(layout);
    if (strides) {
        uint32_t at = g->ints.n;

        for (char *end = strides; *strides; strides = *end ? end + 1 : end)
            fsd_vec_push(g->arena, &g->ints, strtoll(strides, &end, 10));
        g->forms.at[port.form].strides = (struct fsd_span){at, g->ints.n - at};
    }
    if (port.tensor != FSD_NONE && g->tensors.at[port.tensor].form == FSD_NONE)
        g->tensors.at[port.tensor].form = port.form;
    return port;
}

/* ---------------------------------------------------------------------- options */

struct options {
    enum fsd_trt_origin origin;
    enum fsd_kind kind; /* FSD__KIND_COUNT: the layer's type determines the kind */
    double ms;
    bool forwards;
};

static int word_in(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(words[i], word))
            return (int)i;
    fail_msg("what is '%s'?", word);
    return -1;
}
#define WORD_IN(word, ...)                                                             \
    word_in(word, (const char *const[]){__VA_ARGS__},                                  \
            FSD_COUNT_OF(((const char *const[]){__VA_ARGS__})))

/* Parses "216:int8", "int8" or "216": sets *count if there is a number, and returns the
 * type. */
static enum fsd_dtype take_count(const char *text, uint64_t *count)
{
    const char *type = strchr(text, ':');

    if (*text >= '0' && *text <= '9') {
        *count = strtoull(text, NULL, 10);
        return type ? type_of(type + 1) : FSD_DTYPE_UNKNOWN;
    }
    return type_of(text);
}

static void read_option(struct drawing *d, char *word, struct fsd_layer *l,
                        struct options *o)
{
    struct fsd_graph *g = d->g;
    char *value = strchr(word, '=');

    if (value)
        *value++ = '\0';
    switch (WORD_IN(word, "steps", "more", "by", "origin", "tactic", "serves", "port",
                    "output", "form", "consts", "weights", "kind", "ms", "hands_on",
                    "made_as", "bias", "maps", "transposed", "scalar", "lists",
                    "factor")) {
    case 0:
        l->steps.at = g->links.n;
        for (char *s = strtok(value, ","); s; s = strtok(NULL, ","), l->steps.n++)
            fsd_vec_push(g->arena, &g->links, fsd_intern_str(g->names, s));
        break;
    case 1:
        l->more_steps = (uint8_t)WORD_IN(value, "none", "on", "lack");
        break;
    case 2:
        l->provider = (enum fsd_provider)WORD_IN(value, "builder", "compiler", "plugin",
                                                 "device");
        break;
    case 3:
        o->origin = (enum fsd_trt_origin)WORD_IN(value, "none", "reformat", "slice",
                                                 "qdq", "identity");
        break;
    case 4:
        l->tactic = fsd_intern_str(g->names, value);
        break;
    case 5:
        l->served = fsd_intern_str(g->names, value);
        l->form = FSD_NAME_SERVES;
        break;
    case 6:
        l->port = (uint32_t)strtoul(value, NULL, 10);
        break;
    case 7:
        l->output = true;
        break;
    case 8:
        l->form = (enum fsd_name_form)WORD_IN(value, "plain", "serves", "copies",
                                              "wraps", "region");
        break;
    case 9:
        l->lists_constants = true;
        l->constants.at = g->ports.n;
        for (char *s = strtok(value, ";"); s; s = strtok(NULL, ";"), l->constants.n++)
            fsd_vec_push(g->arena, &g->ports, read_port(d, s));
        break;
    case 10:
        l->weights_type = take_count(value, &l->weights);
        break;
    case 11:
        o->kind =
            (enum fsd_kind)WORD_IN(value, "compute", "reformat", "copy", "quantize",
                                   "constant", "noop", "shape", "sync", "foreign");
        break;
    case 12:
        o->ms = strtod(value, NULL);
        break;
    case 13:
        o->forwards = true;
        break;
    case 14:
        l->made_as = fsd_intern_str(g->names, value);
        break;
    case 15:
        l->bias_type = take_count(value, &l->bias);
        break;
    case 16:
        l->maps = strtoll(value, NULL, 10);
        break;
    case 17:
        l->transposed = true;
        break;
    case 18:
        l->scalar = true;
        break;
    case 19:
        l->lists_constants = true;
        break;
    case 20:
        l->factor = (uint8_t)WORD_IN(value, "none", "one", "given");
        break;
    }
}

/* ----------------------------------------------------------------------- layers */

/* Parses "tensor t loop=1 argument=x alias=y". */
static void tensor_line(struct drawing *d, struct words *w)
{
    struct fsd_graph *g = d->g;
    struct fsd_tensor *t = &g->tensors.at[tensor_of(d, next_word(w))];

    for (char *word = next_word(w); word; word = next_word(w)) {
        char *value = strchr(word, '=');

        *value++ = '\0';
        switch (WORD_IN(word, "loop", "argument", "alias")) {
        case 0:
            t->loop = (uint32_t)strtoul(value, NULL, 10);
            break;
        case 1:
            t->argument = fsd_intern_str(g->names, value);
            break;
        case 2:
            t->alias = fsd_intern_str(g->names, value);
            break;
        }
    }
}

static void note_time(struct drawing *d, double ms)
{
    enum { MOST = 256 };

    if (ms < 0)
        return;
    if (!d->ms) {
        d->ms = FSD_NEW(d->g->arena, double, MOST);
        for (int i = 0; i < MOST; i++)
            d->ms[i] = -1;
    }
    d->ms[d->g->nodes.n] = ms;
}

static void engine_line(struct drawing *d, const char *type, struct words *w)
{
    struct fsd_graph *g = d->g;
    struct fsd_node n = {.op = fsd_intern_str(g->names, strcmp(type, "-") ? type : ""),
                         .where = g->nodes.n};
    struct fsd_layer l = {.profile = -1};
    struct options o = {.kind = FSD__KIND_COUNT, .ms = -1};
    struct fsd_span *side = &n.in;
    const char *name;
    char *word;

    if (!strcmp(type, "tensor")) {
        tensor_line(d, w);
        return;
    }
    if (!strcmp(type, "typed") || !strcmp(type, "names-only")) {
        g->strongly_typed |= !strcmp(type, "typed");
        g->detailed &= strcmp(type, "names-only") != 0;
        return;
    }
    name = next_word(w);
    n.name = l.base_name = fsd_intern_str(g->names, strcmp(name, "-") ? name : "");
    if (!strncmp(name, "Reformatting", 12))
        l.form = FSD_NAME_SERVES;
    else if (!strncmp(name, "{Foreign", 8))
        l.form = FSD_NAME_REGION;
    else if (strstr(name, "copy"))
        l.form = FSD_NAME_COPIES;
    l.mentions.at = g->mentions.n;
    next_word(w); /* skips the bar */
    while ((word = next_word(w)) && strcmp(word, "|") != 0) {
        l.mentions.n += add_mention(g, d->model, word);
    }
    n.in.at = g->ports.n;
    while (word && (word = next_word(w)) && strcmp(word, "|") != 0) {
        if (!strcmp(word, "->")) {
            side = &n.out;
            side->at = g->ports.n;
            continue;
        }
        fsd_vec_push(g->arena, &g->ports, read_port(d, word));
        side->n++;
    }
    while (word && (word = next_word(w)))
        read_option(d, word, &l, &o);
    fsd_trt_facts(g->names, &n, o.origin, &l);
    l.forwards |= o.forwards;
    l.kind = o.kind == FSD__KIND_COUNT ? l.kind : o.kind;
    note_time(d, o.ms);
    fsd_graph_add_node(g, n);
    fsd_vec_push(g->arena, &g->layers, l);
}

struct fsd_graph *build_timed_engine(struct fsd_arena *arena,
                                     const struct fsd_graph *model, const char *text,
                                     double **ms)
{
    struct drawing d = {.g = fsd_graph_new(arena, model->names), .model = model};

    d.g->path = "engine";
    d.g->kind = "test";
    d.g->reader = &fsd_reader_trt;
    d.g->detailed = true;
    each_line(&d, text, engine_line);
    if (ms)
        *ms = d.ms;
    return d.g;
}

struct fsd_graph *build_engine(struct fsd_arena *arena, const struct fsd_graph *model,
                               const char *text)
{
    return build_timed_engine(arena, model, text, NULL);
}
