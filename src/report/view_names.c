/*
 * Names of nodes, ready to paste, and a check of a list of names.
 *
 *     list               a name a line
 *     layerPrecisions    trtexec --layerPrecisions="name":fp16,...
 *     layerOutputTypes   trtexec --layerOutputTypes="name":fp16,...
 *     nodes_to_exclude   nodes_to_exclude = ["name", ...]     ONNX Runtime's quantizer
 *     polygraphy         --layer-precisions 'name:float16' ...
 *
 * The type is the one that the node runs in, so that pasting it pins what is there.  A
 * name that a form cannot hold is left out and told in a comment line, and so is how
 * many nodes run in a type that the dump does not tell.
 */
#include "base/file.h"
#include "base/status.h"
#include "base/text.h"
#include "model/vocab.h"
#include "report/tree.h"
#include "report/view_text.h"
#include "report/view_words.h"

#include <fnmatch.h>
#include <string.h>

static bool computes(const struct fsd_diff *d, fsd_id node)
{
    return d->nodes[node].fate == FSD_FATE_LAYER &&
           !(d->facts->traits[node] & FSD_OP_QDQ);
}

static enum fsd_dtype type_named(const char *name)
{
    for (int i = 1; i < FSD__DTYPE_COUNT; i++)
        if (!strcmp(fsd_dtype_name((enum fsd_dtype)i), name))
            return (enum fsd_dtype)i;
    return FSD_DTYPE_UNKNOWN;
}

struct chosen {
    fsd_id_vec nodes;
    uint32_t untold; /* nodes left out, for it is not known in what type they run */
};

/* Nodes that are computed in another type than the one given; all computed ones when
 * none is.  Nodes whose type says nothing of precision (shapes, masks) are left out. */
static enum fsd_status choose(struct fsd_arena *arena, const struct fsd_diff *d,
                              const struct fsd_query *q, struct chosen *out,
                              struct fsd_error *err)
{
    enum fsd_dtype type = q->not_type ? type_named(q->not_type) : FSD_DTYPE_UNKNOWN;
    fsd_id_vec among = {0};
    enum fsd_status status = FSD_OK;

    if (q->not_type && type == FSD_DTYPE_UNKNOWN)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a type as int8 or fp16, found '%s'", q->not_type);
    if (q->n_words)
        status = fsd_find_nodes(arena, d, q, &among, err);
    else
        for (fsd_id i = 0; i < d->model->nodes.n; i++)
            fsd_vec_push(arena, &among, i);
    for (uint32_t i = 0; i < among.n && status == FSD_OK; i++) {
        enum fsd_dtype runs = d->nodes[among.at[i]].realised;

        if (!computes(d, among.at[i]))
            continue;
        out->untold += runs == FSD_DTYPE_UNKNOWN;
        if (fsd_dtype_rank(runs) && runs != type)
            fsd_vec_push(arena, &out->nodes, among.at[i]);
    }
    return status;
}

/* ------------------------------------------------------------------------ forms */

/* What the parser calls an unnamed node, since TensorRT 7.2.1. */
static const char *name_of(struct fsd_arena *arena, const struct fsd_diff *d,
                           fsd_id node)
{
    static const char prefix[] = "node_of_";
    fsd_id out = fsd_node_out_tensor(d->model, node, 0);
    const char *tensor;
    size_t n;
    char *name;

    if (d->model->nodes.at[node].name || out == FSD_NONE)
        return fsd_text(d->names, d->model->nodes.at[node].name);
    tensor = fsd_text(d->names, d->model->tensors.at[out].name);
    n = sizeof prefix + strlen(tensor);
    name = FSD_NEW(arena, char, n);
    snprintf(name, n, "%s%s", prefix, tensor);
    return name;
}

static const char *trtexec_type(enum fsd_dtype type)
{
    return fsd_dtype_name(type == FSD_TF32 ? FSD_FP32 : type);
}

static const char *polygraphy_type(enum fsd_dtype type)
{
    switch (fsd_dtype_rank(type)) {
    case 4:
        return "float32";
    case 3:
        return type == FSD_BF16 ? "bfloat16" : "float16";
    default:
        return fsd_dtype_name(type);
    }
}

static void put_quoted(const char *name, FILE *out)
{
    putc('"', out);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            putc('\\', out);
        if ((unsigned char)*name < ' ')
            fprintf(out, "\\x%02x", (unsigned char)*name);
        else
            putc(*name, out);
    }
    putc('"', out);
}

static bool has_hidden(const char *name)
{
    for (size_t left = strlen(name), len; left; name += len, left -= len) {
        const unsigned char *at = (const unsigned char *)name;

        len = fsd_utf8_len(at, left);
        if (!len || fsd_code_is_hidden(fsd_utf8_code(at, len)))
            return true;
    }
    return false;
}

struct form {
    const char *name;
    const char *before, *between, *after;
    const char *cannot; /* characters of names that it cannot hold */
    void (*put)(const char *name, enum fsd_dtype type, FILE *out);
};

static void put_list(const char *name, enum fsd_dtype type, FILE *out)
{
    (void)type;
    fputs(name, out);
}

static void put_trtexec(const char *name, enum fsd_dtype type, FILE *out)
{
    fprintf(out, "%s:%s", name, trtexec_type(type));
}

static void put_python(const char *name, enum fsd_dtype type, FILE *out)
{
    (void)type;
    put_quoted(name, out);
}

static void put_polygraphy(const char *name, enum fsd_dtype type, FILE *out)
{
    fprintf(out, "'%s:%s'", name, polygraphy_type(type));
}

static const struct form forms[] = {
    {"list", "", "\n", "\n", "\n\r", put_list},
    {"layerPrecisions", "--precisionConstraints=obey --layerPrecisions='", ",", "'\n",
     ",:*'\n\r", put_trtexec},
    {"layerOutputTypes", "--precisionConstraints=obey --layerOutputTypes='", ",", "'\n",
     ",:*'\n\r", put_trtexec},
    {"nodes_to_exclude", "nodes_to_exclude = [", ", ", "]\n", "", put_python},
    {"polygraphy", "--precision-constraints obey --layer-precisions ", " ", "\n",
     ":'\n\r", put_polygraphy},
};

static const struct form *form_named(const char *name, struct fsd_error *err)
{
    for (size_t i = 0; i < FSD_COUNT_OF(forms); i++)
        if (!strcmp(forms[i].name, name))
            return &forms[i];
    fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
             "expected layerPrecisions, layerOutputTypes, nodes_to_exclude, polygraphy "
             "or list, found '%s'",
             name);
    return NULL;
}

/* A line that begins with two colons is a command to who runs a merge gate. */
static bool can_hold(const struct form *form, const char *name)
{
    return *name && !strpbrk(name, form->cannot) && !has_hidden(name) &&
           (*form->before || strncmp(name, "::", 2) != 0);
}

static void put_names(struct fsd_arena *arena, const struct fsd_diff *d,
                      const struct form *form, const struct chosen *chosen, FILE *out)
{
    const fsd_id_vec *nodes = &chosen->nodes;
    uint32_t n = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        const char *name = name_of(arena, d, nodes->at[i]);

        if (!can_hold(form, name))
            continue;
        fputs(n++ ? form->between : form->before, out);
        form->put(name, d->nodes[nodes->at[i]].realised, out);
    }
    if (n)
        fputs(form->after, out);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const char *name = name_of(arena, d, nodes->at[i]);

        if (can_hold(form, name))
            continue;
        fputs("# left out, this form cannot hold the name: ", out);
        fsd_put_node(d, nodes->at[i], out);
        putc('\n', out);
    }
    if (!chosen->untold)
        return;
    fputs("# left out, the dump does not tell in what type: ", out);
    fsd_put_noun(out, chosen->untold, "node");
    putc('\n', out);
}

static void put_names_json(struct fsd_arena *arena, const struct fsd_diff *d,
                           const struct chosen *chosen, FILE *out)
{
    const fsd_id_vec *nodes = &chosen->nodes;
    struct cJSON *root = fsd_json_new(), *list;

    fsd_json_text(root, "schema", "fusiondiff-names/1");
    fsd_json_count(root, "of_unknown_type", chosen->untold);
    list = fsd_json_list(root, "names");
    for (uint32_t i = 0; i < nodes->n; i++) {
        struct cJSON *item = fsd_json_item(list);

        fsd_json_count(item, "index", nodes->at[i]);
        fsd_json_text(item, "name", name_of(arena, d, nodes->at[i]));
        fsd_json_text(item, "runs", fsd_dtype_name(d->nodes[nodes->at[i]].realised));
    }
    fsd_json_print(root, out);
}

/* ------------------------------------------------------------------------ check */

struct listed {
    const char *name;
    bool found;
    const char *near; /* a name that differs by what engines rewrite; NULL */
};
typedef FSD_VEC(struct listed) listed_vec;

static const char *node_name(const struct fsd_diff *d, const struct fsd_vocab *v,
                             const struct fsd_meaning *what)
{
    return what && what->nodes.n
               ? fsd_text(d->names, d->model->nodes.at[v->pool.at[what->nodes.at]].name)
               : NULL;
}

static bool fits_pattern(const struct fsd_diff *d, const char *word)
{
    for (fsd_id i = 0; strchr(word, '*') && i < d->model->nodes.n; i++)
        if (!fnmatch(word, fsd_text(d->names, d->model->nodes.at[i].name), 0))
            return true;
    return false;
}

static bool is_layer(const struct fsd_diff *d, const char *name)
{
    fsd_sym sym = fsd_intern_find(d->names, name, strlen(name));

    for (fsd_id i = 0; sym != FSD_NONE && i < d->engine->nodes.n; i++)
        if (d->engine->nodes.at[i].name == sym)
            return true;
    return false;
}

/* A line is a name, or a name and ":type" as precisions are given. */
static void look_up(struct fsd_arena *arena, const struct fsd_diff *d,
                    const struct fsd_vocab *v, const char *s, size_t n, listed_vec *out)
{
    struct listed entry = {fsd_arena_strndup(arena, s, n), false, NULL};
    const char *colon = strrchr(entry.name, ':');
    const struct fsd_meaning *what = fsd_vocab_find(v, s, n);

    if (!(what && what->nodes.n) && colon && type_named(colon + 1)) {
        n = (size_t)(colon - entry.name);
        entry.name = fsd_arena_strndup(arena, s, n);
        what = fsd_vocab_find(v, s, n);
    }
    entry.found = (what && what->nodes.n) || fits_pattern(d, entry.name) ||
                  is_layer(d, entry.name);
    if (!entry.found)
        entry.near = node_name(d, v, fsd_vocab_find_loose(v, s, n));
    fsd_vec_push(arena, out, entry);
}

static enum fsd_status read_list(struct fsd_arena *arena, const struct fsd_diff *d,
                                 const char *path, listed_vec *out,
                                 struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, UINT64_C(1) << 26, err);
    const struct fsd_vocab *v = fsd_vocab_new(arena, d->model);
    size_t at = 0;

    if (status == FSD_OK && file.size && memchr(file.bytes, 0, file.size))
        status = fsd_fail(err, FSD_E_FORMAT, file.name, FSD_POS_NONE, 0,
                          "expected a list of names, one a line, found a binary file");
    while (status == FSD_OK && at < file.size) {
        const char *line = (const char *)file.bytes + at;
        const char *end = memchr(line, '\n', file.size - at);
        size_t n = end ? (size_t)(end - line) : file.size - at;

        at += n + 1;
        while (n && (line[n - 1] == '\r' || line[n - 1] == ' '))
            n--;
        if (n && *line != '#')
            look_up(arena, d, v, line, n, out);
    }
    return fsd_file_done(&file, status, err);
}

static void put_check(const listed_vec *list, FILE *out)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < list->n; i++)
        lost += !list->at[i].found;
    fprintf(out, "%u of %u names match nothing\n", lost, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->at[i].found)
            continue;
        fputs("  ", out);
        fsd_put_safe(out, list->at[i].name);
        if (list->at[i].near) {
            fputs("  (the model has ", out);
            fsd_put_safe(out, list->at[i].near);
            putc(')', out);
        }
        putc('\n', out);
    }
}

static void put_check_json(const listed_vec *list, FILE *out)
{
    struct cJSON *root = fsd_json_new(), *items = NULL;

    fsd_json_text(root, "schema", "fusiondiff-names/1");
    fsd_json_count(root, "checked", list->n);
    items = fsd_json_list(root, "unknown");
    for (uint32_t i = 0; i < list->n; i++)
        if (!list->at[i].found) {
            struct cJSON *item = fsd_json_item(items);

            fsd_json_text(item, "name", list->at[i].name);
            if (list->at[i].near)
                fsd_json_text(item, "near", list->at[i].near);
        }
    fsd_json_print(root, out);
}

static enum fsd_status check(struct fsd_arena *arena, const struct fsd_diff *d,
                             const char *path, bool json, FILE *out,
                             struct fsd_error *err)
{
    listed_vec list = {0};
    enum fsd_status status = read_list(arena, d, path, &list, err);

    if (status != FSD_OK)
        return status;
    if (json)
        put_check_json(&list, out);
    else
        put_check(&list, out);
    return FSD_OK;
}

static enum fsd_status write_names(struct fsd_arena *arena, const struct fsd_diff *d,
                                   const struct fsd_query *q, bool json, FILE *out,
                                   struct fsd_error *err)
{
    const struct form *form = form_named(q->as ? q->as : "list", err);
    struct chosen chosen = {0};
    enum fsd_status status = form ? choose(arena, d, q, &chosen, err) : FSD_E_ARG;

    if (status != FSD_OK)
        return status;
    if (json)
        put_names_json(arena, d, &chosen, out);
    else
        put_names(arena, d, form, &chosen, out);
    return FSD_OK;
}

enum fsd_status fsd_view_names(const struct fsd_diff *d, const struct fsd_query *q,
                               bool json, const struct fsd_style *style, FILE *out,
                               struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    enum fsd_status status = q->check ? check(arena, d, q->check, json, out, err)
                                      : write_names(arena, d, q, json, out, err);

    (void)style;
    fsd_arena_free(arena);
    return status;
}
