/* Functions that open a finding, add its subjects and facts, and close it. A closed
 * finding that the policy ignores is not added to the list. */
#include "base/base.h"
#include "judge/findings/finder.h"
#include "model/graph/graph.h"
#include "model/graph/word.h"

enum { LISTED = 5 };

/* Opens a finding, and sets its file. For a check, the file is the snapshot, which is
 * under version control even if the model is not. For a run, the file is the model, or
 * the engine if there is no model. For two exports, the file is the new export. */
void fsd_finding_open(struct fsd_finder *f)
{
    f->now = (struct fsd_finding){.rule = f->found->rules.n - 1};
    if (f->build)
        f->now.file = f->c ? f->c->old->model_path : f->build->model_path;
    else if (f->c)
        f->now.file = f->c->new->model_path;
    else
        f->now.file = f->d->model->path && *f->d->model->path ? f->d->model->path
                                                              : f->d->engine->path;
    f->now.facts.at = f->found->facts.n;
    f->count = 1;
    f->ms = 0;
    f->untimed = f->note = false;
    f->out = fsd_print_open(&f->print);
}

/* Adds a subject to one of the finding's spans. The span must be contiguous, so layers,
 * nodes and tensors are added one kind after the other. */
static void add_subject(struct fsd_finder *f, struct fsd_span *span, fsd_id id,
                        const char *name)
{
    if (!span->n)
        span->at = f->found->subjects.n;
    fsd_vec_push(f->found->arena, &f->found->subjects, ((struct fsd_about){id, name}));
    span->n++;
}

void fsd_about_layer(struct fsd_finder *f, fsd_id layer)
{
    add_subject(f, &f->now.layers, layer,
                fsd_text(f->d->names, f->d->engine->nodes.at[layer].name));
}

const char *fsd_called(const struct fsd_finder *f, fsd_id node)
{
    const struct fsd_node *n = &f->d->model->nodes.at[node];

    return n->name ? fsd_text(f->d->names, n->name)
                   : fsd_printed(f->found->arena, "#%u (%s)", node,
                                 fsd_text(f->d->names, n->op));
}

void fsd_about_node(struct fsd_finder *f, fsd_id node)
{
    if (node != FSD_NONE)
        add_subject(f, &f->now.nodes, node, fsd_called(f, node));
}

void fsd_about_tensor(struct fsd_finder *f, fsd_id tensor)
{
    add_subject(f, &f->now.tensors, tensor,
                fsd_text(f->d->names, f->d->engine->tensors.at[tensor].name));
}

void fsd_about_state_node(struct fsd_finder *f, const struct fsd_state *s, fsd_id node)
{
    if (node != FSD_NONE)
        add_subject(f, &f->now.nodes, node, fsd_text(s->names, s->nodes.at[node].key));
}

/* Folded nodes are left out, because they have no precision. */
void fsd_about_computed(struct fsd_finder *f, fsd_id layer)
{
    const struct fsd_match *m = f->d->match;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        if (f->d->nodes[node].fate == FSD_FATE_LAYER)
            fsd_about_node(f, node);
}

void fsd_fact_number(struct fsd_finder *f, const char *key, uint64_t number)
{
    fsd_vec_push(f->found->arena, &f->found->facts,
                 ((struct fsd_fact){key, number, NULL}));
    f->now.facts.n++;
}

void fsd_fact_text(struct fsd_finder *f, const char *key, const char *text)
{
    fsd_vec_push(f->found->arena, &f->found->facts, ((struct fsd_fact){key, 0, text}));
    f->now.facts.n++;
}

/* Prints only the first subjects, so that the sentence stays short. The finding keeps
 * all subjects. */
void fsd_put_subjects(struct fsd_finder *f, struct fsd_span subjects)
{
    for (uint32_t i = 0; i < subjects.n && i < LISTED; i++)
        fprintf(f->out, "%s`%s`", i ? ", " : "",
                f->found->subjects.at[subjects.at + i].name);
    if (subjects.n > LISTED)
        fprintf(f->out, " and %u more", subjects.n - LISTED);
}

void fsd_put_took(struct fsd_finder *f, double ms)
{
    if (ms >= 0)
        fprintf(f->out, ", %.4f ms", ms);
}

/* ----------------------------------------------------------------------- ignores */

/* Whether the policy ignores the finding. A policy cannot ignore findings about the
 * policy. */
static bool is_ignored(struct fsd_finder *f)
{
    const struct fsd_policy *p = f->policy;

    for (uint32_t i = 0;
         p && f->rule->find != fsd_find_stale_policy && i < p->ignores.n; i++) {
        const struct fsd_policy_ignore *ignore = &p->ignores.at[i];
        bool concerned = !strcmp(ignore->node, "*");

        if (strcmp(ignore->rule, f->rule->id) != 0)
            continue;
        for (uint32_t k = 0; k < f->now.nodes.n && !concerned; k++)
            concerned = fsd_word_fits(ignore->node,
                                      f->found->subjects.at[f->now.nodes.at + k].name);
        if (!concerned)
            continue;
        f->used[i]++;
        if (ignore->expires && f->today > ignore->expires)
            continue;
        f->took[i]++;
        return true;
    }
    return false;
}

void fsd_finding_close(struct fsd_finder *f)
{
    struct fsd_findings *found = f->found;

    f->now.message = fsd_print_take(&f->print, found->arena);
    if (f->off) {
        found->rules.at[f->now.rule].off++;
        return;
    }
    if (is_ignored(f)) {
        found->rules.at[f->now.rule].ignored++;
        return;
    }
    f->now.severity = (enum fsd_severity)found->rules.at[f->now.rule].level;
    if (f->note || (f->now.proof && !strcmp(f->now.proof, "withdrawn")))
        f->now.severity = FSD_INFO;
    f->now.ms = f->rule->settable & FSD_BUDGET_MS && f->ms > 0 ? f->ms : 0;
    fsd_vec_push(found->arena, &found->list, f->now);
    f->sum_count += f->count;
    f->sum_ms += f->ms > 0 ? f->ms : 0; /* a group that became faster does not make up
                                           for one that became slower */
    f->any_untimed |= f->untimed;
}
