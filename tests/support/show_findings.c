/* Prints findings, verdicts and quantizers as text, with all facts, even those that
 * reports leave out. */
#include "show.h"

#include "judge/findings/cite.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

#include <inttypes.h>
#include <string.h>

static void put_subjects(const struct fsd_findings *found, const char *what,
                         struct fsd_span subjects, FILE *out)
{
    if (!subjects.n)
        return;
    fprintf(out, "    %s:", what);
    for (uint32_t i = 0; i < subjects.n; i++)
        fprintf(out, " %s", found->subjects.at[subjects.at + i].name);
    putc('\n', out);
}

static void put_edit(const struct fsd_edit *e, FILE *out)
{
    fprintf(out, "    edit %s %s input %" PRIu32 " of %s", fsd_action_name(e->action),
            e->tensor, e->input, e->name);
    if (e->like)
        fprintf(out, ", like %s (%s)", e->like, e->scale_tensor ? e->scale_tensor : "");
    if (e->scale != 0)
        fprintf(out, ", scale %g", e->scale);
    if (e->type)
        fprintf(out, ", %s", e->type);
    fprintf(out, ": %s\n", e->effect ? e->effect : "");
}

static void put_finding(const struct fsd_findings *found, const struct fsd_finding *f,
                        FILE *out)
{
    fprintf(out, "%s %s%s%s: %s", fsd_severity_name(f->severity),
            found->rules.at[f->rule].rule->id, f->proof ? ", " : "",
            f->proof ? f->proof : "", f->message);
    if (f->line)
        fprintf(out, " (line %" PRIu32 ")", f->line);
    putc('\n', out);
    put_subjects(found, "layers", f->layers, out);
    put_subjects(found, "nodes", f->nodes, out);
    put_subjects(found, "tensors", f->tensors, out);
    for (uint32_t i = 0; i < f->facts.n; i++) {
        const struct fsd_fact *fact = &found->facts.at[f->facts.at + i];

        fprintf(out, "    %s: ", fact->key);
        if (fact->text)
            fprintf(out, "%s\n", fact->text);
        else
            fprintf(out, "%" PRIu64 "\n", fact->number);
    }
    for (uint32_t i = 0; i < f->edits.n; i++)
        put_edit(&found->edits.at[f->edits.at + i], out);
    if (f->cites.n) {
        fputs("    cites: ", out);
        fsd_put_cites(found->cites.at + f->cites.at, f->cites.n, out);
        fprintf(out, "\n    todo: %s\n", f->todo);
    }
}

void show_findings(const struct fsd_findings *found, bool skipped, FILE *out)
{
    for (uint32_t i = 0; i < found->list.n; i++)
        put_finding(found, &found->list.at[i], out);
    for (uint32_t i = 0; i < found->rules.n; i++) {
        const struct fsd_outcome *o = &found->rules.at[i];
        bool held = o->budget && o->found;

        if (!held && !o->ignored && !(skipped && o->skipped))
            continue;
        fprintf(out, "rule %s:", o->rule->id);
        if (held)
            fprintf(out, " %s of %s", o->measured, o->budget);
        if (o->ignored)
            fprintf(out, " %" PRIu32 " ignored", o->ignored);
        if (skipped && o->skipped)
            fprintf(out, " skipped, %s", o->skipped);
        putc('\n', out);
    }
}

void show_verdict(const struct fsd_verdict *v, FILE *out)
{
    for (uint32_t i = 0; i < v->about.n; i++)
        fprintf(out, "%s: %s\n", v->about.at[i].what, v->about.at[i].now);
    for (uint32_t i = 0; i < v->rows.n; i++) {
        const struct fsd_verdict_row *r = &v->rows.at[i];

        fprintf(out, "%s: ", r->what);
        if (r->before)
            fprintf(out, "%s -> ", r->before);
        fprintf(out, "%s\n", r->now);
    }
    fprintf(out, "of %s and %s%s%s\n", v->model, v->engine,
            v->snapshot ? " beside " : "", v->snapshot ? v->snapshot : "");
    fprintf(out, "%s: %s%s%s\n", v->title, v->verdict ? v->verdict : "not judged",
            v->failed ? ", failed" : "", v->accept ? ", may be accepted" : "");
}

void show_lint(const struct fsd_lint *l, FILE *out)
{
    static const char *const zeros[] = {"", ", zero point", ", zero point unknown"};
    const struct fsd_intern *names = l->g->names;

    fprintf(out, "for %s\n", l->target.name);
    for (uint32_t i = 0; i < l->quantizers.n; i++) {
        const struct fsd_quantizer *q = &l->quantizers.at[i];

        fprintf(out, "%s %s: %s", q->quantizes ? "Q" : "DQ",
                fsd_text(names, l->g->nodes.at[q->node].name), fsd_dtype_name(q->type));
        for (uint32_t k = 0; q->scales && k < q->n && k < 4; k++)
            fprintf(out, " %g", q->scales[k]);
        fprintf(out, " (%" PRIu32 ")", q->n);
        if (q->n > 1)
            fprintf(out, " axis %" PRId64 " block %" PRId64, q->axis, q->block);
        fprintf(out, "%s\n", zeros[q->zero]);
    }
    for (fsd_id t = 0; t < l->g->tensors.n; t++)
        if (l->holds[t] != FSD_NONE)
            fprintf(out, "%s holds %s\n", fsd_text(names, l->g->tensors.at[t].name),
                    fsd_text(names,
                             l->g->nodes.at[l->quantizers.at[l->holds[t]].node].name));
    if (l->style.name)
        fprintf(out,
                "style %s (%s), %" PRIu32 " after, %" PRIu32 " before of %" PRIu32
                "%s\n",
                l->style.name, l->style.sign, l->style.after, l->style.before,
                l->style.quantizers, l->style.after_operators ? ", after" : "");
}
