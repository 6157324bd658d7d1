#include "diff/rules.h"

enum { LISTED = 5 };

static struct fsd_finding *last(struct fsd_diff *d)
{
    return &d->findings.at[d->findings.n - 1];
}

void fsd_finding_new(struct fsd_diff *d, const struct fsd_rule *rule)
{
    struct fsd_finding finding = {.rule = rule};

    fsd_vec_push(d->arena, &d->findings, finding);
}

static void add_subject(struct fsd_diff *d, struct fsd_span *span, fsd_id id)
{
    if (!span->n)
        span->at = d->subjects.n;
    fsd_vec_push(d->arena, &d->subjects, id);
    span->n++;
}

void fsd_finding_layer(struct fsd_diff *d, fsd_id layer)
{
    add_subject(d, &last(d)->layers, layer);
}

void fsd_finding_node(struct fsd_diff *d, fsd_id node)
{
    add_subject(d, &last(d)->nodes, node);
}

void fsd_finding_tensor(struct fsd_diff *d, fsd_id tensor)
{
    add_subject(d, &last(d)->tensors, tensor);
}

static void add_fact(struct fsd_diff *d, struct fsd_fact fact)
{
    struct fsd_span *span = &last(d)->facts;

    if (!span->n)
        span->at = d->facts_pool.n;
    fsd_vec_push(d->arena, &d->facts_pool, fact);
    span->n++;
}

void fsd_finding_number(struct fsd_diff *d, const char *key, uint64_t number)
{
    add_fact(d, (struct fsd_fact){key, number, 0});
}

void fsd_finding_text(struct fsd_diff *d, const char *key, fsd_sym text)
{
    add_fact(d, (struct fsd_fact){key, 0, text});
}

void fsd_put_finding(const struct fsd_diff *d, uint32_t finding, FILE *out)
{
    const struct fsd_finding *f = &d->findings.at[finding];

    f->rule->phrase(d, f, out);
}

void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node *n = &d->model->nodes.at[node];

    if (n->name)
        fputs(fsd_text(d->names, n->name), out);
    else
        fprintf(out, "#%u (%s)", node, fsd_text(d->names, n->op));
}

void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fputs(fsd_text(d->names, d->engine->nodes.at[layer].name), out);
}

void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node_result *r = &d->nodes[node];

    fputs(fsd_fate_name(r->fate), out);
    if (*r->why)
        fprintf(out, ": %s", r->why);
    if (r->other != FSD_NONE) {
        fputs(": ", out);
        fsd_put_node_name(d, r->other, out);
    }
}

void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out)
{
    if (d->history && event != FSD_NONE)
        fsd_put_event(d->history, &d->history->events.at[event], out);
}

void fsd_put_node_list(const struct fsd_diff *d, struct fsd_span nodes, FILE *out)
{
    for (uint32_t i = 0; i < nodes.n && i < LISTED; i++) {
        if (i)
            fputs(", ", out);
        fsd_put_node_name(d, d->subjects.at[nodes.at + i], out);
    }
    if (nodes.n > LISTED)
        fprintf(out, " and %u more", nodes.n - LISTED);
}
