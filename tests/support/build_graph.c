/*
 * Parses models in text form (build_graph.h) for unit tests, and runs all stages on a
 * model and an engine. The parser asserts instead of returning errors, because a wrong
 * text is a mistake of the test.
 */
#include "build_graph.h"
#include "draw.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "read/log/log.h"
#include "api/states.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ----------------------------------------------------------------------- words */

char *next_word(struct words *w)
{
    char *word, *to;
    bool quoted = false;

    while (*w->at == ' ')
        w->at++;
    word = to = w->at;
    for (; *w->at && (*w->at != ' ' || quoted); w->at++)
        if (*w->at == '\'')
            quoted = !quoted;
        else
            *to++ = *w->at;
    if (*w->at)
        w->at++;
    *to = '\0';
    return to > word ? word : NULL;
}

enum fsd_dtype type_of(const char *name)
{
    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        if (!strcmp(fsd_dtype_name((enum fsd_dtype)i), name))
            return (enum fsd_dtype)i;
    fail_msg("no type %s", name);
    return FSD_DTYPE_UNKNOWN;
}

fsd_id tensor_of(struct drawing *d, const char *name)
{
    fsd_sym sym = fsd_intern_str(d->g->names, name);
    fsd_id id = fsd_graph_resolve(d->g, sym, d->scope);

    return id == FSD_NONE ? fsd_graph_add_tensor(d->g, sym, d->scope) : id;
}

fsd_id form_of(struct fsd_graph *g, const char *type, const char *dims)
{
    struct fsd_form form = {.type = type ? type_of(type) : FSD_DTYPE_UNKNOWN,
                            .ranked = dims};
    struct fsd_dim list[8];
    uint32_t n = 0;

    for (const char *at = dims; at && *at && strcmp(dims, "-") != 0 && n < 8; n++) {
        char *end;

        list[n] = (struct fsd_dim){.size = strtoll(at, &end, 10)};
        if (end == at) { /* a name stands for a dynamic size */
            size_t len = strcspn(at, ",");

            list[n] = (struct fsd_dim){-1, fsd_intern_add(g->names, at, len), 0};
            end += len;
        }
        at = *end ? end + 1 : end;
    }
    return fsd_graph_add_form(g, form, list, n);
}

fsd_id value_of(struct fsd_graph *g, const char *hex)
{
    size_t n = hex ? strlen(hex) / 2 : 0;
    unsigned char *bytes = FSD_NEW(g->arena, unsigned char, n + 1);

    for (size_t i = 0; i < n; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};

        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return fsd_graph_add_value(g, (struct fsd_value){hex ? bytes : NULL, n});
}

/* Stores a number as a little-endian element. */
static void put_element(unsigned char *at, enum fsd_dtype type, const char *word)
{
    float single = strtof(word, NULL);
    double wide = strtod(word, NULL);
    long long whole = strtoll(word, NULL, 10);

    if (type == FSD_FP32)
        memcpy(at, &single, sizeof single);
    else if (type == FSD_FP64)
        memcpy(at, &wide, sizeof wide);
    else
        memcpy(at, &whole, fsd_dtype_bits(type) / 8);
}

/* Parses the numbers after "=". */
static fsd_id numbers_of(struct fsd_graph *g, enum fsd_dtype type, struct words *w)
{
    enum { MOST = 1024 };
    size_t size = fsd_dtype_bits(type) / 8;
    unsigned char *bytes = FSD_NEW(g->arena, unsigned char, MOST);
    uint64_t n = 0;

    for (char *word; (word = next_word(w)); n += size) {
        assert_true(n + size <= MOST);
        put_element(bytes + n, type, word);
    }
    return fsd_graph_add_value(g, (struct fsd_value){bytes, n});
}

/* ----------------------------------------------------------------------- lines */

static bool is_type(const char *word)
{
    for (int i = 0; word && i < FSD__DTYPE_COUNT; i++)
        if (!strcmp(fsd_dtype_name((enum fsd_dtype)i), word))
            return true;
    return false;
}

/* Adds a tensor to the outputs of the current body. */
static void add_scope_output(struct drawing *d, fsd_id tensor)
{
    struct fsd_span *outputs = &d->g->scopes.at[d->scope].outputs;

    if (!outputs->n)
        outputs->at = d->g->links.n;
    outputs->n++;
    fsd_vec_push(d->g->arena, &d->g->links, tensor);
}

/* Parses a declaration such as "in x fp32 1,3".
 * @return false if the line is no declaration */
static bool declare(struct drawing *d, const char *word, struct words *w)
{
    static const struct {
        const char *word;
        uint8_t flags;
    } rows[] = {{"in", FSD_TENSOR_BINDING | FSD_TENSOR_INPUT},
                {"out", FSD_TENSOR_BINDING | FSD_TENSOR_OUTPUT},
                {"const", FSD_TENSOR_CONSTANT},
                {"sparse", FSD_TENSOR_SPARSE},
                {"type", 0}};
    struct fsd_graph *g = d->g;
    fsd_id id, form = FSD_NONE, value = FSD_NONE;
    size_t row = 0;
    char *next;

    while (row < FSD_COUNT_OF(rows) && strcmp(word, rows[row].word) != 0)
        row++;
    if (row == FSD_COUNT_OF(rows))
        return false;
    next = next_word(w);
    if (d->scope && rows[row].flags & FSD_TENSOR_INPUT)
        id = fsd_graph_add_tensor(g, fsd_intern_str(g->names, next), d->scope);
    else
        id = tensor_of(d, next);
    next = next_word(w);
    if (is_type(next)) {
        const char *dims = next_word(w);

        form = form_of(g, next, dims && strcmp(dims, "?") ? dims : NULL);
        next = next_word(w);
    }
    if (rows[row].flags & FSD_TENSOR_CONSTANT)
        value = next && !strcmp(next, "=") ? numbers_of(g, g->forms.at[form].type, w)
                                           : value_of(g, next);
    if (form != FSD_NONE)
        g->tensors.at[id].form = form;
    if (value != FSD_NONE)
        g->tensors.at[id].value = value;
    g->tensors.at[id].flags |= rows[row].flags;
    if (d->scope && rows[row].flags & FSD_TENSOR_OUTPUT)
        add_scope_output(d, id);
    return true;
}

/* Parses "! producer pytorch 2.1". */
static void tell_fact(struct fsd_graph *g, struct words *w)
{
    const char *what = next_word(w), *rest = w->at;
    char *value = strchr(w->at, '=');

    if (!strcmp(what, "producer")) {
        g->producer = fsd_intern_str(g->names, rest);
    } else if (!strcmp(what, "opset")) {
        const char *domain = next_word(w);
        fsd_sym sym = strcmp(domain, "-") ? fsd_intern_str(g->names, domain) : 0;

        fsd_vec_push(g->arena, &g->opsets,
                     ((struct fsd_opset){sym, strtoll(next_word(w), NULL, 10)}));
    } else if (!strcmp(what, "loop")) {
        uint32_t first = (uint32_t)atoi(next_word(w)), last = (uint32_t)atoi(w->at);

        fsd_vec_push(g->arena, &g->loops, ((struct fsd_span){first, last + 1 - first}));
        g->jumps = true;
    } else if (!strcmp(what, "class")) {
        fsd_sym module = fsd_intern_str(g->names, next_word(w));

        fsd_vec_push(
            g->arena, &g->classes,
            ((struct fsd_class){module, fsd_intern_str(g->names, next_word(w))}));
    } else if (!strcmp(what, "ir")) {
        g->ir_version = strtoll(rest, NULL, 10);
    } else if (!strcmp(what, "built") && value) {
        *value = '\0';
        fsd_vec_push(g->arena, &g->built,
                     ((struct fsd_built){fsd_intern_str(g->names, rest),
                                         fsd_intern_str(g->names, value + 1)}));
    } else {
        fail_msg("no fact %s", what);
    }
}

void each_line(struct drawing *d, const char *text, line_fn *fn)
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
        if (word && !strcmp(word, "!"))
            tell_fact(d->g, &w);
        else if (word && !declare(d, word, &w))
            fn(d, word, &w);
    }
    if (d->g->scopes.n == 1) /* with bodies, their lines have already listed the
                                outputs */
        fsd_graph_list_borders(d->g);
    fsd_graph_finish(d->g);
}

/* ------------------------------------------------------------------- attributes */

static uint32_t add_numbers(struct fsd_graph *g, const char *text, bool real)
{
    uint32_t n = 0;

    for (char *end; *text; text = *end ? end + 1 : end, n++)
        if (real)
            fsd_vec_push(g->arena, &g->floats, strtod(text, &end));
        else
            fsd_vec_push(g->arena, &g->ints, strtoll(text, &end, 10));
    return n;
}

static uint32_t add_strings(struct fsd_graph *g, char *text)
{
    uint32_t n = 0;

    for (char *word = strtok(text, "\","); word; word = strtok(NULL, "\","), n++)
        fsd_vec_push(g->arena, &g->links, fsd_intern_str(g->names, word));
    return n;
}

/* Whether the value is a single string in quotes. Such a string, for example an
 * equation, may contain commas. */
static bool is_quoted(const char *value)
{
    const char *end = *value == '"' ? strchr(value + 1, '"') : NULL;

    return end && !end[1];
}

/* Parses "fp32:2,1:0000803f..". */
static void read_tensor(struct fsd_graph *g, struct fsd_attr *attr, char *text)
{
    char *dims = strchr(text, ':'), *hex;

    *dims++ = '\0';
    hex = strchr(dims, ':');
    if (hex)
        *hex++ = '\0';
    attr->kind = FSD_ATTR_TENSOR;
    attr->form = form_of(g, text, dims);
    attr->value = value_of(g, hex);
}

static void add_attr(struct fsd_graph *g, struct fsd_node *n, char *text)
{
    char *value = strchr(text, '=');
    struct fsd_attr attr = {.kind = FSD_ATTR_INTS, .value = FSD_NONE, .form = FSD_NONE};
    bool list = value[1] == '[' || strchr(value, ','), quoted = is_quoted(value + 1);

    *value++ = '\0';
    attr.name = fsd_intern_str(g->names, text);
    if (*value == '[') {
        value[strlen(value) - 1] = '\0';
        value++;
    }
    if (quoted) {
        value[strlen(value) - 1] = '\0';
        attr.kind = FSD_ATTR_STRING;
        attr.s = fsd_intern_str(g->names, value + 1);
    } else if (!strcmp(value, "?")) {
        attr.kind = FSD_ATTR_UNREAD;
    } else if (!strcmp(value, "{}")) {
        attr.kind = FSD_ATTR_GRAPH;
    } else if (strchr(value, ':')) {
        read_tensor(g, &attr, value);
    } else if (*value == '"' || isalpha((unsigned char)*value)) {
        attr.list = (struct fsd_span){g->links.n, 0};
        attr.list.n = add_strings(g, value);
        attr.kind = list ? FSD_ATTR_STRINGS : FSD_ATTR_STRING;
        attr.s = list ? 0 : g->links.at[attr.list.at];
    } else if (strchr(value, '.')) {
        attr.list = (struct fsd_span){g->floats.n, 0};
        attr.list.n = add_numbers(g, value, true);
        attr.kind = list ? FSD_ATTR_FLOATS : FSD_ATTR_FLOAT;
        attr.f = list ? 0 : g->floats.at[attr.list.at];
    } else {
        attr.list = (struct fsd_span){g->ints.n, 0};
        attr.list.n = add_numbers(g, value, false);
        attr.kind = list ? FSD_ATTR_INTS : FSD_ATTR_INT;
        attr.i = list ? 0 : g->ints.at[attr.list.at];
    }
    fsd_vec_push(g->arena, &g->attrs, attr);
    n->attrs.n++;
}

/* ------------------------------------------------------------------------ model */

static fsd_id node_named(const struct fsd_graph *g, const char *name)
{
    fsd_sym sym = fsd_intern_str(g->names, name);

    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (g->nodes.at[i].name == sym)
            return i;
    fail_msg("no node %s", name);
    return FSD_NONE;
}

/* Parses "com.microsoft::Gelu". */
static void set_op(struct fsd_graph *g, struct fsd_node *n, const char *text)
{
    const char *colons = strstr(text, "::");

    if (colons) {
        n->domain = fsd_intern_add(g->names, text, (size_t)(colons - text));
        text = colons + 2;
    }
    n->op = fsd_intern_str(g->names, text);
}

static void add_model_node(struct drawing *d, const char *op, struct words *w)
{
    struct fsd_graph *g = d->g;
    struct fsd_node n = {.where = g->nodes.n, .scope = d->scope};
    char *word = next_word(w);
    struct fsd_span *side = &n.in;

    set_op(g, &n, op);
    word[strlen(word) - 1] = '\0'; /* removes the colon */
    n.name = strcmp(word, "-") ? fsd_intern_str(g->names, word) : 0;
    n.in.at = g->ports.n;
    while ((word = next_word(w)) && strcmp(word, "|") != 0) {
        struct fsd_port port = {FSD_NONE, FSD_NONE};

        if (!strcmp(word, "->")) {
            side = &n.out;
            side->at = g->ports.n;
            continue;
        }
        if (!strcmp(word, "-"))
            ;
        else if (side == &n.out && d->scope &&
                 fsd_graph_find(g, fsd_intern_str(g->names, word), d->scope) ==
                     FSD_NONE)
            port.tensor =
                fsd_graph_add_tensor(g, fsd_intern_str(g->names, word), d->scope);
        else
            port.tensor = tensor_of(d, word);
        fsd_vec_push(g->arena, &g->ports, port);
        side->n++;
    }
    n.attrs.at = g->attrs.n;
    while (word && (word = next_word(w)))
        add_attr(g, &n, word);
    fsd_graph_add_node(g, n);
}

static void model_line(struct drawing *d, const char *word, struct words *w)
{
    struct fsd_graph *g = d->g;

    if (!strcmp(word, "opset")) {
        struct fsd_opset opset = {0, strtoll(next_word(w), NULL, 10)};

        fsd_vec_push(g->arena, &g->opsets, opset);
    } else if (!strcmp(word, "unlisted")) {
        g->lacks_attributes = true;
    } else if (!strcmp(word, "body") || !strcmp(word, "function")) {
        fsd_id owner = node_named(g, next_word(w));

        if (*word == 'f')
            g->nodes.at[owner].flags |= FSD_NODE_CALL;
        d->scope = fsd_graph_add_scope(
            g, (struct fsd_scope){.kind = FSD_SCOPE_SUBGRAPH,
                                  .parent = g->nodes.at[owner].scope,
                                  .owner = owner,
                                  .label = fsd_intern_str(g->names, "body")});
    } else if (!strcmp(word, "hands")) {
        struct fsd_scope *scope = &g->scopes.at[d->scope];

        scope->outputs.at = g->links.n;
        for (; (word = next_word(w)); scope->outputs.n++)
            fsd_vec_push(
                g->arena, &g->links,
                fsd_graph_resolve(g, fsd_intern_str(g->names, word), d->scope));
        if (g->nodes.at[scope->owner].flags & FSD_NODE_CALL)
            scope->kind = FSD_SCOPE_FUNCTION; /* its nodes read tensors of the call */
    } else {
        add_model_node(d, word, w);
    }
}

void split_facts(char *facts)
{
    for (char *at = facts; (at = strchr(at, ';')); at++)
        *at = '\n';
}

struct fsd_graph *build_model(struct fsd_arena *arena, struct fsd_intern *names,
                              const char *text)
{
    struct drawing d = {.g = fsd_graph_new(arena, names)};

    d.g->path = "model";
    d.g->kind = "onnx";
    each_line(&d, text, model_line);
    return d.g;
}

/* ------------------------------------------------------------------------- a run */

static void read_log(struct fsd_diff *d, struct fsd_graph *engine, const char *text,
                     unsigned evidence)
{
    struct fsd_history *h = fsd_history_new(d->arena, d->names);
    struct fsd_graph *parsed = fsd_graph_new(d->arena, d->names);
    const struct fsd_vocab *vocab = fsd_vocab_new(d->arena, d->model);
    struct fsd_file *file = FSD_NEW(d->arena, struct fsd_file, 1);

    *file = (struct fsd_file){
        .name = "log", .bytes = (const unsigned char *)text, .size = strlen(text)};
    fsd_log_read(h, file);
    h->path = "log";
    fsd_log_network(parsed, h, file);
    fsd_story_compare(h, parsed, d->model, vocab);
    d->history = h;
    if (!(evidence & FSD_BY_LOG))
        return;
    d->story = fsd_story_new(d->arena, h, d->model, vocab);
    fsd_story_correct(d->story, engine);
}

static struct fsd_profile profile_of(struct fsd_arena *arena, struct fsd_intern *names,
                                     const char *text)
{
    struct fsd_profile p = {.path = "profile", .number = 1};

    while (*text) {
        size_t n = strcspn(text, "\n"), name = strcspn(text, " \n");
        fsd_sym sym = fsd_intern_add(names, text, name);
        double ms = strtod(text + name, NULL);

        fsd_vec_push(
            arena, &p.entries,
            ((struct fsd_profile_entry){
                .name = sym, .unescaped = sym, .total_ms = -1, .mean_ms = ms}));
        text += n + (text[n] == '\n');
    }
    return p;
}

/* Adds the times of the profiles; without profiles, the times in the engine's text. */
static void add_times(struct fsd_measured *times, struct fsd_diff *d,
                      struct fsd_graph *engine, const struct build *b, const double *ms)
{
    struct fsd_profile *profiles = FSD_NEW(d->arena, struct fsd_profile, b->n_profiles);
    struct fsd_spread *of = FSD_NEW(d->arena, struct fsd_spread, engine->nodes.n);

    for (uint32_t i = 0; i < b->n_profiles; i++)
        profiles[i] = profile_of(d->arena, d->names, b->profiles[i]);
    times->run = FSD_SPREAD_NONE;
    fsd_measure(times, engine, profiles, b->n_profiles);
    for (fsd_id i = 0; ms && i < engine->nodes.n; i++)
        of[i] = (struct fsd_spread){ms[i], ms[i], ms[i]};
    if (ms) {
        times->of = of;
        times->profiles = 1;
    }
    d->times = times;
}

struct fsd_diff *build_of(const struct build *b)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_diff *d = FSD_NEW(arena, struct fsd_diff, 1);
    struct fsd_graph *built;
    struct fsd_error err;
    double *ms;

    d->arena = arena;
    d->names = fsd_op_names_new(arena);
    d->model = build_model(arena, d->names, b->model);
    d->engine = built = build_timed_engine(arena, d->model, b->engine, &ms);
    add_times(FSD_NEW(arena, struct fsd_measured, 1), d, built, b, ms);
    if (b->log)
        read_log(d, built, b->log, b->options.evidence);
    if (fsd_run_explain(d, &b->options, &err) != FSD_OK)
        fail_msg("%s", err.message);
    return d;
}

struct fsd_diff *build_run(const char *model, const char *engine, const char *log,
                           unsigned evidence)
{
    return build_of(&(struct build){
        .model = model, .engine = engine, .log = log, .options.evidence = evidence});
}

struct fsd_diff *build_diff(const char *model, const char *engine, unsigned evidence)
{
    return build_run(model, engine, NULL, evidence);
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
            for (int bit = 0; bit < 6; bit++)
                if (link->by >> bit & 1)
                    putc("mnltsp"[bit], out);
        }
        if (d->match->region_of_node[i] != FSD_NONE)
            fprintf(out, " region %u", d->match->region_of_node[i]);
        putc('\n', out);
    }
    fclose(out);
    return text;
}
