/* Lint as JSON: the findings as the report's schema has them, and the edits that a
 * script can apply to the model, after include/fusiondiff/lint.schema.json. */
#include "lint/lint.h"
#include "report/json/json.h"
#include "report/report.h"

static void add_edit(struct fsd_json *list, const struct fsd_findings *all,
                     uint32_t finding, const struct fsd_edit *e)
{
    struct fsd_json *item = fsd_json_item(list);

    fsd_json_number(item, "finding", finding);
    fsd_json_text(item, "rule", all->rules.at[all->list.at[finding].rule].rule->id);
    fsd_json_text(item, "action", fsd_action_name(e->action));
    fsd_json_text(item, "tensor", e->tensor);
    fsd_json_number(item, "node", e->node);
    fsd_json_text(item, "node_name", e->name);
    fsd_json_number(item, "input", e->input);
    if (e->like)
        fsd_json_text(item, "scale_of", e->like);
    if (e->scale_tensor)
        fsd_json_text(item, "scale_tensor", e->scale_tensor);
    if (e->scale > 0)
        fsd_json_number(item, "scale", e->scale);
    if (e->type)
        fsd_json_text(item, "type", e->type);
    fsd_json_text(item, "effect", e->effect);
}

void fsd_lint_write_json(const struct fsd_report *r, FILE *out)
{
    const struct fsd_findings *all = r->verdict->findings;
    const struct fsd_style_seen *seen = &r->lint->style;
    struct fsd_json *report = fsd_json_new(out), *item, *list;

    fsd_json_text(report, "schema", "fusiondiff-lint/1");
    item = fsd_json_object(report, "tool");
    fsd_json_text(item, "name", "fusiondiff");
    fsd_json_text(item, "version", FSD_VERSION);
    fsd_json_text(report, "model", r->run->model->path);
    if (r->run->engine->nodes.n)
        fsd_json_text(report, "engine", r->run->engine->path);
    fsd_json_text(report, "for", r->lint->target.name);
    fsd_json_text(report, "verdict", r->verdict->verdict);
    item = fsd_json_object(report, "style");
    if (seen->name) {
        fsd_json_text(item, "name", seen->name);
        fsd_json_text(item, "known_by", seen->sign);
    }
    fsd_json_number(item, "quantizers", seen->quantizers);
    fsd_json_number(item, "before_narrow", seen->before);
    fsd_json_number(item, "behind_operators", seen->after);
    FSD_JSON_TALLY(report, "summary", all->by_severity, 0, fsd_severity_name);
    list = fsd_json_list(report, "rules");
    for (uint32_t i = 0; i < all->rules.n; i++) {
        const struct fsd_outcome *o = &all->rules.at[i];

        item = fsd_json_item(list);
        fsd_json_text(item, "rule", o->rule->id);
        fsd_json_text(item, "level", fsd_level_name(o->level));
        if (o->skipped)
            fsd_json_text(item, "skipped", o->skipped);
        fsd_json_number(item, "findings", o->found);
        fsd_json_number(item, "ignored", o->ignored);
    }
    fsd_json_findings(report, all);
    list = fsd_json_list(report, "edits");
    for (uint32_t i = 0; i < all->list.n; i++)
        for (uint32_t k = 0; k < all->list.at[i].edits.n; k++)
            add_edit(list, all, i, &all->edits.at[all->list.at[i].edits.at + k]);
    fsd_json_end(report);
}
