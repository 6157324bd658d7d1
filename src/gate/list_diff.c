/* The findings of one build as a list. */
#include "findings/findings.h"
#include "gate/list.h"

#include <stdlib.h>

/* A phrase in the list's arena. */
static const char *printed(struct fsd_list *list, const struct fsd_diff *d, fsd_id id,
                           fsd_put_fn *put)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *copy = "";

    if (!out)
        return copy;
    put(d, id, out);
    if (fclose(out) == 0)
        copy = fsd_arena_strndup(list->arena, text, size);
    free(text);
    return copy;
}

static const char *const *names(struct fsd_list *list, const struct fsd_diff *d,
                                struct fsd_span span, fsd_put_fn *put)
{
    const char **out = FSD_NEW(list->arena, const char *, span.n);

    for (uint32_t i = 0; i < span.n; i++)
        out[i] = printed(list, d, d->findings->subjects.at[span.at + i], put);
    return out;
}

static uint32_t rule_number(const struct fsd_rule *rule)
{
    uint32_t i = 0;

    while (fsd_rule_at(i) != rule)
        i++;
    return i;
}

static void add_rules(struct fsd_list *list)
{
    const struct fsd_rule *rule;

    for (unsigned i = 0; (rule = fsd_rule_at(i)); i++)
        fsd_vec_push(list->arena, &list->rules,
                     (struct fsd_list_rule){
                         .id = rule->id, .doc = rule->doc, .severity = rule->severity});
}

static void add_item(struct fsd_list *list, const struct fsd_diff *d, uint32_t finding)
{
    const struct fsd_finding *f = &d->findings->list.at[finding];

    fsd_vec_push(
        list->arena, &list->items,
        (struct fsd_list_item){.rule = rule_number(f->rule),
                               .severity = f->rule->severity,
                               .message = printed(list, d, finding, fsd_put_finding),
                               .nodes = names(list, d, f->nodes, fsd_put_node_name),
                               .layers = names(list, d, f->layers, fsd_put_layer_name),
                               .n_nodes = f->nodes.n,
                               .n_layers = f->layers.n,
                               .file = list->model});
}

static void add_row(struct fsd_list *list, const char *what, uint32_t n)
{
    fsd_vec_push(list->arena, &list->rows,
                 (struct fsd_list_row){what, NULL, fsd_list_text(list, "%u", n)});
}

static void add_rows(struct fsd_list *list, const struct fsd_diff *d)
{
    const struct fsd_summary *s = d->summary;

    add_row(list, "nodes", s->nodes);
    add_row(list, "layers", s->layers);
    add_row(list, "computing layers", s->computing);
    add_row(list, "of these mapped to nodes", s->mapped);
    add_row(list, "inserted layers", s->inserted);
    add_row(list, "reformats", s->by_kind[FSD_KIND_REFORMAT]);
    add_row(list, "nodes unexplained", s->by_fate[FSD_FATE_UNEXPLAINED]);
    if (d->times->total > 0)
        fsd_vec_push(list->arena, &list->rows,
                     (struct fsd_list_row){
                         "time", NULL, fsd_list_text(list, "%.3f ms", d->times->total)});
}

struct fsd_list *fsd_list_of_diff(const struct fsd_diff *d)
{
    struct fsd_list *list = fsd_list_new();

    list->title = "diff";
    list->model = d->model->path;
    list->engine = d->engine->path;
    list->fails_at = FSD_WARNING;
    if (!d->model->path || !*d->model->path)
        list->model = d->engine->path;
    add_rows(list, d);
    add_rules(list);
    for (uint32_t i = 0; i < d->findings->list.n; i++)
        add_item(list, d, i);
    fsd_list_finish(list);
    return list;
}
