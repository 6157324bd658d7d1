#include "findings/findings.h"

enum { LISTED = 5 };

static struct fsd_finding *last(struct fsd_findings *out)
{
    return &out->list.at[out->list.n - 1];
}

void fsd_finding_new(struct fsd_findings *out, const struct fsd_rule *rule)
{
    struct fsd_finding finding = {.rule = rule};

    fsd_vec_push(out->arena, &out->list, finding);
    out->by_severity[rule->severity]++;
}

static void add_subject(struct fsd_findings *out, struct fsd_span *span, fsd_id id)
{
    if (!span->n)
        span->at = out->subjects.n;
    fsd_vec_push(out->arena, &out->subjects, id);
    span->n++;
}

void fsd_finding_layer(struct fsd_findings *out, fsd_id layer)
{
    add_subject(out, &last(out)->layers, layer);
}

void fsd_finding_node(struct fsd_findings *out, fsd_id node)
{
    add_subject(out, &last(out)->nodes, node);
}

void fsd_finding_tensor(struct fsd_findings *out, fsd_id tensor)
{
    add_subject(out, &last(out)->tensors, tensor);
}

static void add_fact(struct fsd_findings *out, struct fsd_fact fact)
{
    struct fsd_span *span = &last(out)->facts;

    if (!span->n)
        span->at = out->facts.n;
    fsd_vec_push(out->arena, &out->facts, fact);
    span->n++;
}

void fsd_finding_number(struct fsd_findings *out, const char *key, uint64_t number)
{
    add_fact(out, (struct fsd_fact){key, number, 0});
}

void fsd_finding_text(struct fsd_findings *out, const char *key, fsd_sym text)
{
    add_fact(out, (struct fsd_fact){key, 0, text});
}

void fsd_put_finding(const struct fsd_diff *d, uint32_t finding, FILE *out)
{
    const struct fsd_finding *f = &d->findings->list.at[finding];

    f->rule->phrase(d, f, out);
}

void fsd_put_node_list(const struct fsd_diff *d, struct fsd_span nodes, FILE *out)
{
    for (uint32_t i = 0; i < nodes.n && i < LISTED; i++) {
        if (i)
            fputs(", ", out);
        fsd_put_node_name(d, d->findings->subjects.at[nodes.at + i], out);
    }
    if (nodes.n > LISTED)
        fprintf(out, " and %u more", nodes.n - LISTED);
}
