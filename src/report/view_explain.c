/* The story of nodes or layers, sentence by sentence; of two nodes also why they came
 * together or stayed apart.  What is said is found in diff/explain.c. */
#include "base/text.h"
#include "diff/explain.h"
#include "report/tree.h"
#include "report/view_text.h"
#include "report/view_words.h"

static void put_tale(const struct fsd_tale *tale, FILE *out)
{
    for (uint32_t i = 0; i < tale->lines.n; i++) {
        const struct fsd_line *l = &tale->lines.at[i];

        fprintf(out, "  %-9s", l->topic);
        fsd_put_safe(out, l->text);
        if (l->line)
            fprintf(out, "  (log line %llu)", (unsigned long long)l->line);
        putc('\n', out);
    }
}

static void add_tale(struct cJSON *item, const struct fsd_tale *tale)
{
    struct cJSON *story = fsd_json_list(item, "story");

    for (uint32_t i = 0; i < tale->lines.n; i++) {
        struct cJSON *line = fsd_json_item(story);

        fsd_json_text(line, "topic", tale->lines.at[i].topic);
        if (tale->lines.at[i].line)
            fsd_json_count(line, "line", tale->lines.at[i].line);
        fsd_json_text(line, "text", tale->lines.at[i].text);
    }
}

struct answer {
    const struct fsd_diff *d;
    struct fsd_arena *arena;
    bool layers;
    struct cJSON *list; /* NULL: text */
    FILE *out;
};

static void put_one(const struct answer *a, fsd_id id)
{
    struct fsd_tale tale = {.arena = a->arena};
    const struct fsd_graph *g = a->layers ? a->d->engine : a->d->model;
    struct cJSON *item = a->list ? fsd_json_item(a->list) : NULL;

    if (a->layers)
        fsd_explain_layer(&tale, a->d, id);
    else
        fsd_explain_node(&tale, a->d, id);
    if (item) {
        fsd_json_count(item, "index", id);
        fsd_json_sym(a->d, item, "name", g->nodes.at[id].name);
        add_tale(item, &tale);
        return;
    }
    fprintf(a->out, "%s %u ", a->layers ? "layer" : "node", id);
    if (a->layers)
        fsd_put_layer(a->d, id, a->out);
    else
        fsd_put_node(a->d, id, a->out);
    putc('\n', a->out);
    put_tale(&tale, a->out);
}

static void put_pair(const struct answer *a, struct cJSON *root, fsd_id x, fsd_id y)
{
    struct fsd_tale tale = {.arena = a->arena};

    fsd_explain_pair(&tale, a->d, x, y);
    if (root) {
        add_tale(fsd_json_object(root, "pair"), &tale);
        return;
    }
    fputs("\nnodes ", a->out);
    fsd_put_node(a->d, x, a->out);
    fputs(" and ", a->out);
    fsd_put_node(a->d, y, a->out);
    putc('\n', a->out);
    put_tale(&tale, a->out);
}

enum fsd_status fsd_view_explain(const struct fsd_diff *d, const struct fsd_query *q,
                                 bool json, const struct fsd_style *style, FILE *out,
                                 struct fsd_error *err)
{
    struct answer a = {d, fsd_arena_new(), q->layers, NULL, out};
    fsd_id_vec ids = {0};
    enum fsd_status status = q->layers ? fsd_find_layers(a.arena, d, q, &ids, err)
                                       : fsd_find_nodes(a.arena, d, q, &ids, err);
    struct cJSON *root = status == FSD_OK && json ? fsd_json_new() : NULL;

    (void)style;
    if (root) {
        fsd_json_text(root, "schema", "fusiondiff-explain/1");
        a.list = fsd_json_list(root, q->layers ? "layers" : "nodes");
    }
    for (uint32_t i = 0; i < ids.n && status == FSD_OK; i++) {
        if (i && !root)
            putc('\n', out);
        put_one(&a, ids.at[i]);
    }
    if (status == FSD_OK && ids.n == 2 && !q->layers)
        put_pair(&a, root, ids.at[0], ids.at[1]);
    if (root)
        fsd_json_print(root, out);
    fsd_arena_free(a.arena);
    return status;
}
