/*
 * The JSON report, after the schema in include/fusiondiff/report.schema.json.  Built as
 * a cJSON tree, which escapes and prints; numbers beyond 2^53 become strings there.
 */
#include "cost/cost.h"
#include "cost/roofline.h"
#include "findings/findings.h"
#include "report/report.h"
#include "report/json/tree.h"
#include "report/view/view.h"

#include <cjson/cJSON.h>
#include <inttypes.h>

static void add_number(cJSON *object, const char *key, uint64_t number)
{
    fsd_json_count(object, key, number);
}

static void add_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddStringToObject(object, key, text);
}

static void add_sym(const struct fsd_diff *d, cJSON *object, const char *key,
                    fsd_sym sym)
{
    add_text(object, key, fsd_text(d->names, sym));
}

/* `pool` may be NULL where the span is empty. */
static cJSON *add_ids(cJSON *object, const char *key, const fsd_id *pool,
                      struct fsd_span span)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);

    for (uint32_t i = 0; i < span.n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(pool[span.at + i]));
    return list;
}

static void add_evidence(cJSON *object, unsigned by)
{
    cJSON *list = cJSON_AddArrayToObject(object, "evidence");

    for (unsigned bit = 0; 1u << bit <= FSD_BY_ALL; bit++)
        if (by >> bit & 1)
            cJSON_AddItemToArray(list, cJSON_CreateString(fsd_evidence_name(bit)));
}

/* --------------------------------------------------------------------- inputs */

static void add_hash(cJSON *object, const struct fsd_graph *g)
{
    char text[48];

    snprintf(text, sizeof text, "xxh128:%016" PRIx64 "%016" PRIx64, g->hash[1],
             g->hash[0]);
    add_text(object, "hash", text);
}

static void add_model(const struct fsd_diff *d, cJSON *report)
{
    cJSON *model = cJSON_AddObjectToObject(report, "model");
    cJSON *opsets = NULL;

    add_text(model, "path", d->model->path);
    add_hash(model, d->model);
    add_number(model, "nodes", d->model->nodes.n);
    add_text(model, "format", d->model->kind);
    if (d->model->producer)
        add_sym(d, model, "producer", d->model->producer);
    cJSON_AddNumberToObject(model, "ir_version", (double)d->model->ir_version);
    opsets = cJSON_AddObjectToObject(model, "opsets");
    for (uint32_t i = 0; i < d->model->opsets.n; i++) {
        const char *domain = fsd_text(d->names, d->model->opsets.at[i].domain);

        if (!cJSON_GetObjectItemCaseSensitive(opsets, domain)) /* a key is there once */
            cJSON_AddNumberToObject(opsets, domain,
                                    (double)d->model->opsets.at[i].version);
    }
}

static void add_engine(const struct fsd_diff *d, cJSON *report)
{
    cJSON *engine = cJSON_AddObjectToObject(report, "engine");

    add_text(engine, "path", d->engine->path);
    add_hash(engine, d->engine);
    add_number(engine, "layers", d->engine->nodes.n);
    add_text(engine, "format", d->engine->kind);
    if (d->engine->producer)
        add_sym(d, engine, "producer", d->engine->producer);
}

static void add_log(const struct fsd_diff *d, cJSON *report)
{
    const struct fsd_history *h = d->history;
    cJSON *log;

    if (!h)
        return;
    log = cJSON_AddObjectToObject(report, "log");
    add_text(log, "path", h->path);
    add_number(log, "lines", h->lines);
    add_number(log, "events", h->events.n);
    add_number(log, "unknown", h->unknown_lines);
    cJSON_AddBoolToObject(log, "used", d->story != NULL);
}

static void add_tool(cJSON *report)
{
    cJSON *tool = cJSON_AddObjectToObject(report, "tool");

    add_text(tool, "name", "fusiondiff");
    add_text(tool, "version", FSD_VERSION);
}

/* --------------------------------------------------------------------- layers */

static void add_dims(const struct fsd_diff *d, cJSON *object, const struct fsd_graph *g,
                     struct fsd_span dims)
{
    cJSON *list = cJSON_AddArrayToObject(object, "dims");

    for (uint32_t i = 0; i < dims.n; i++) {
        struct fsd_dim dim = g->dims.at[dims.at + i];

        if (dim.size < 0 && dim.name)
            cJSON_AddItemToArray(list,
                                 cJSON_CreateString(fsd_text(d->names, dim.name)));
        else
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)dim.size));
    }
}

static void add_ports(const struct fsd_diff *d, cJSON *layer, const char *key,
                      struct fsd_span ports)
{
    cJSON *list = cJSON_AddArrayToObject(layer, key);

    for (uint32_t i = 0; i < ports.n; i++) {
        const struct fsd_port *port = &d->engine->ports.at[ports.at + i];
        const struct fsd_form *form = fsd_port_form(d->engine, port);
        cJSON *item = cJSON_CreateObject();
        char layout[16];

        cJSON_AddItemToArray(list, item);
        if (port->tensor != FSD_NONE)
            add_sym(d, item, "name", d->engine->tensors.at[port->tensor].name);
        add_text(item, "type", fsd_dtype_name(form->type));
        if (*fsd_layout_name(form->layout, layout))
            add_text(item, "layout", layout);
        if (form->ranked)
            add_dims(d, item, d->engine, form->dims);
        if (form->raw)
            add_sym(d, item, "format", form->raw);
    }
}

static void add_links(const struct fsd_diff *d, cJSON *layer, fsd_id id)
{
    cJSON *list = cJSON_AddArrayToObject(layer, "nodes");

    for (uint32_t i = 0; i < d->match->of_layer[id].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, id, i);
        cJSON *item = cJSON_CreateObject();

        cJSON_AddItemToArray(list, item);
        cJSON_AddNumberToObject(item, "index", link->node);
        add_evidence(item, link->by);
    }
}

static void add_spread(cJSON *object, const char *key, const struct fsd_spread *spread)
{
    cJSON *item = cJSON_AddObjectToObject(object, key);

    cJSON_AddNumberToObject(item, "median", spread->median);
    cJSON_AddNumberToObject(item, "low", spread->low);
    cJSON_AddNumberToObject(item, "high", spread->high);
}

static void add_cost(const struct fsd_diff *d, fsd_id id, cJSON *layer)
{
    const struct fsd_layer_cost *r = &d->cost->layers[id];
    const struct fsd_spread *ms = &d->times->of[id];
    fsd_id gap = fsd_cost_gap(d, id);

    fsd_json_ms(layer, "ms", ms->median);
    if (d->times->profiles > 1 && ms->median >= 0)
        add_spread(layer, "ms_spread", ms);
    if (gap != FSD_NONE)
        add_sym(d, layer, "bytes_unknown_of", d->engine->tensors.at[gap].name);
    fsd_json_amount(d, layer, "bytes", r->bytes);
    if (r->traffic.bias > 0)
        fsd_json_amount(d, layer, "bias_bytes", r->traffic.bias);
    if (r->traffic.weights > 0)
        fsd_json_amount(d, layer, "weight_bytes", r->traffic.weights);
    fsd_json_amount(d, layer, "macs", r->macs);
}

static void add_roofline(const struct fsd_diff *d, cJSON *layer, fsd_id id)
{
    struct fsd_roofline roof = fsd_cost_roofline(d, id);
    cJSON *item;

    if (!roof.known || roof.per_byte < 0)
        return;
    item = cJSON_AddObjectToObject(layer, "roofline");
    add_text(item, "bound", roof.by_memory ? "memory" : "compute");
    cJSON_AddNumberToObject(item, "ms", roof.ms);
    cJSON_AddNumberToObject(item, "macs_per_byte", roof.per_byte);
    fsd_json_ms(item, "reached", roof.reached);
}

static void add_edge(const struct fsd_diff *d, cJSON *layer, fsd_id id)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const struct fsd_rows *edge = fsd_edge_record(scratch, d, id);

    if (edge)
        fsd_sheet_add_record(cJSON_AddObjectToObject(layer, "edge"), edge);
    fsd_arena_free(scratch);
}

static cJSON *new_layer(const struct fsd_diff *d, fsd_id id)
{
    const struct fsd_node *n = &d->engine->nodes.at[id];
    const struct fsd_layer *l = &d->engine->layers.at[id];
    const struct fsd_layer_result *r = &d->layers[id];
    cJSON *layer = cJSON_CreateObject();

    cJSON_AddNumberToObject(layer, "index", id);
    add_sym(d, layer, "name", n->name);
    add_sym(d, layer, "type", n->op);
    add_text(layer, "kind", fsd_kind_name(r->kind));
    add_text(layer, "precision", fsd_dtype_name(r->precision));
    cJSON_AddBoolToObject(layer, "inserted", r->inserted);
    if (d->reasons[id].cause != FSD_CAUSE_NONE)
        add_text(layer, "cause", fsd_cause_name(d->reasons[id].cause));
    fsd_json_phrase(d, layer, "log", d->reasons[id].event, fsd_put_said);
    add_links(d, layer, id);
    if (d->match->region_of_layer[id] != FSD_NONE)
        cJSON_AddNumberToObject(layer, "region", d->match->region_of_layer[id]);
    add_ports(d, layer, "inputs", n->in);
    add_ports(d, layer, "outputs", n->out);
    if (l->origin)
        add_sym(d, layer, "origin", l->origin);
    if (l->tactic)
        add_sym(d, layer, "tactic", l->tactic);
    if (l->profile >= 0)
        cJSON_AddNumberToObject(layer, "profile", l->profile);
    add_cost(d, id, layer);
    add_roofline(d, layer, id);
    add_edge(d, layer, id);
    return layer;
}

static void add_layers(const struct fsd_diff *d, cJSON *report)
{
    cJSON *list = cJSON_AddArrayToObject(report, "layers");

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        cJSON_AddItemToArray(list, new_layer(d, i));
}

/* ---------------------------------------------------------------------- nodes */

static void add_layers_of(const struct fsd_diff *d, cJSON *node, fsd_id id)
{
    cJSON *list = cJSON_AddArrayToObject(node, "layers");

    for (uint32_t i = 0; i < d->match->of_node[id].n; i++)
        cJSON_AddItemToArray(
            list, cJSON_CreateNumber(fsd_match_of_node(d->match, id, i)->layer));
}

static cJSON *new_node(const struct fsd_diff *d, fsd_id id)
{
    const struct fsd_node *n = &d->model->nodes.at[id];
    const struct fsd_node_result *r = &d->nodes[id];
    const struct fsd_node_cost *cost = &d->cost->nodes[id];
    cJSON *node = cJSON_CreateObject();

    cJSON_AddNumberToObject(node, "index", id);
    add_sym(d, node, "name", n->name);
    add_sym(d, node, "op", n->op);
    if (n->domain)
        add_sym(d, node, "domain", n->domain);
    if (n->scope)
        cJSON_AddNumberToObject(node, "scope", n->scope);
    add_text(node, "fate", fsd_fate_name(r->fate));
    if (*r->why)
        add_text(node, "why", r->why);
    fsd_json_phrase(d, node, "log", r->event, fsd_put_said);
    if (r->other != FSD_NONE)
        cJSON_AddNumberToObject(node, "same_as", r->other);
    if (r->near_layer != FSD_NONE)
        cJSON_AddNumberToObject(node, "near_layer", r->near_layer);
    add_layers_of(d, node, id);
    if (d->match->region_of_node[id] != FSD_NONE)
        cJSON_AddNumberToObject(node, "region", d->match->region_of_node[id]);
    add_text(node, "requested", fsd_dtype_name(r->requested));
    add_text(node, "realised", fsd_dtype_name(r->realised));
    fsd_json_ms(node, "ms", cost->ms);
    if (cost->ms >= 0 && cost->shares)
        cJSON_AddBoolToObject(node, "shares", true);
    if (cost->macs)
        fsd_json_amount(d, node, "macs", cost->macs);
    return node;
}

static void add_nodes(const struct fsd_diff *d, cJSON *report)
{
    cJSON *list = cJSON_AddArrayToObject(report, "nodes");

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        cJSON_AddItemToArray(list, new_node(d, i));
}

static void add_scopes(const struct fsd_diff *d, cJSON *report)
{
    cJSON *list;

    if (d->model->scopes.n < 2)
        return;
    list = cJSON_AddArrayToObject(report, "scopes");
    for (fsd_id i = 1; i < d->model->scopes.n; i++) {
        const struct fsd_scope *s = &d->model->scopes.at[i];
        cJSON *scope = cJSON_CreateObject();

        cJSON_AddItemToArray(list, scope);
        cJSON_AddNumberToObject(scope, "index", i);
        cJSON_AddNumberToObject(scope, "owner", s->owner);
        add_sym(d, scope, "label", s->label);
    }
}

static void add_regions(const struct fsd_diff *d, cJSON *report)
{
    cJSON *list;

    if (!d->match->regions.n)
        return;
    list = cJSON_AddArrayToObject(report, "regions");
    for (uint32_t i = 0; i < d->match->regions.n; i++) {
        const struct fsd_region *r = &d->match->regions.at[i];
        cJSON *region = cJSON_CreateObject();

        cJSON_AddItemToArray(list, region);
        add_ids(region, "layers", d->match->pool.at, r->layers);
        add_ids(region, "nodes", d->match->pool.at, r->nodes);
    }
}

/* ------------------------------------------------------------------- findings */

static void add_facts(const struct fsd_findings *all, cJSON *object,
                      const struct fsd_finding *f)
{
    cJSON *facts = cJSON_AddObjectToObject(object, "facts");

    for (uint32_t i = 0; i < f->facts.n; i++) {
        const struct fsd_fact *fact = &all->facts.at[f->facts.at + i];

        if (fact->text)
            add_text(facts, fact->key, fact->text);
        else
            add_number(facts, fact->key, fact->number);
    }
}

static void add_abouts(const struct fsd_findings *all, cJSON *object, const char *key,
                       struct fsd_span about, bool by_name)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);

    for (uint32_t i = 0; i < about.n; i++) {
        const struct fsd_about *a = &all->subjects.at[about.at + i];

        cJSON_AddItemToArray(list, by_name ? cJSON_CreateString(a->name)
                                           : cJSON_CreateNumber(a->id));
    }
}

static void add_findings(const struct fsd_findings *all, cJSON *report)
{
    cJSON *list = cJSON_AddArrayToObject(report, "findings");

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_finding *f = &all->list.at[i];
        cJSON *item = cJSON_CreateObject();

        cJSON_AddItemToArray(list, item);
        add_text(item, "rule", all->rules.at[f->rule].rule->id);
        add_text(item, "severity", fsd_severity_name(f->severity));
        add_text(item, "message", f->message);
        add_abouts(all, item, "layers", f->layers, false);
        add_abouts(all, item, "nodes", f->nodes, false);
        add_abouts(all, item, "tensors", f->tensors, true);
        add_facts(all, item, f);
    }
}

/* -------------------------------------------------------------------- summary */

static void add_counts(cJSON *object, const char *key, const uint32_t *counts,
                       unsigned n, const char *(*name)(unsigned))
{
    cJSON *table = cJSON_AddObjectToObject(object, key);

    for (unsigned i = 0; i < n; i++)
        if (*name(i))
            cJSON_AddNumberToObject(table, name(i), counts[i]);
}

static const char *fate_at(unsigned i)
{
    return fsd_fate_name((enum fsd_fate)i);
}

static const char *kind_at(unsigned i)
{
    return fsd_kind_name((enum fsd_kind)i);
}

static const char *cause_at(unsigned i)
{
    return fsd_cause_name((enum fsd_cause)i);
}

static const char *severity_at(unsigned i)
{
    return fsd_severity_name((enum fsd_severity)i);
}

static void add_times_table(cJSON *object, const char *key, const double *ms,
                            unsigned n, const char *(*name)(unsigned))
{
    cJSON *table = cJSON_AddObjectToObject(object, key);

    for (unsigned i = 0; i < n; i++)
        if (*name(i))
            cJSON_AddNumberToObject(table, name(i), ms[i]);
}

static void add_op_times(const struct fsd_diff *d, cJSON *object)
{
    cJSON *table = cJSON_AddObjectToObject(object, "by_op");

    for (uint32_t i = 0; i < d->cost->op_times.n; i++)
        cJSON_AddNumberToObject(table, fsd_text(d->names, d->cost->op_times.at[i].op),
                                d->cost->op_times.at[i].ms);
}

static void add_times(const struct fsd_diff *d, cJSON *summary)
{
    const struct fsd_measured *t = d->times;
    const struct fsd_time_sums *sums = &d->cost->sums;
    cJSON *ms;

    if (!t->profiles && t->run_ms < 0)
        return;
    ms = cJSON_AddObjectToObject(summary, "ms");
    fsd_json_ms(ms, "run", t->run_ms);
    if (!t->profiles)
        return;
    cJSON_AddNumberToObject(ms, "total", t->total);
    cJSON_AddNumberToObject(ms, "profiles", t->profiles);
    if (t->runs)
        add_number(ms, "runs", t->runs);
    if (t->profiles > 1)
        add_spread(ms, "totals", &t->totals);
    cJSON_AddNumberToObject(ms, "nodes", sums->nodes);
    cJSON_AddNumberToObject(ms, "inserted", sums->inserted);
    cJSON_AddNumberToObject(ms, "elsewhere", t->elsewhere);
    add_times_table(ms, "by_kind", sums->by_kind, FSD__KIND_COUNT, kind_at);
    add_times_table(ms, "by_cause", sums->by_cause, FSD__CAUSE_COUNT, cause_at);
    cJSON_AddNumberToObject(ms, "no_cause", sums->by_cause[FSD_CAUSE_NONE]);
    add_op_times(d, ms);
}

static void add_summary(const struct fsd_diff *d, cJSON *report)
{
    const struct fsd_summary *s = d->summary;
    cJSON *summary = cJSON_AddObjectToObject(report, "summary");
    cJSON *coverage;

    add_counts(summary, "nodes", s->by_fate, FSD__FATE_COUNT, fate_at);
    add_counts(summary, "layers", s->by_kind, FSD__KIND_COUNT, kind_at);
    add_counts(summary, "inserted", s->by_cause, FSD__CAUSE_COUNT, cause_at);
    add_counts(summary, "links", s->by_evidence, FSD_COUNT_OF(s->by_evidence),
               fsd_evidence_name);
    add_counts(summary, "findings", d->findings->by_severity, FSD__SEVERITY_COUNT,
               severity_at);
    coverage = cJSON_AddObjectToObject(summary, "coverage");
    cJSON_AddNumberToObject(coverage, "links", s->links);
    cJSON_AddNumberToObject(coverage, "inserted", s->inserted);
    cJSON_AddNumberToObject(coverage, "computing_layers", s->computing);
    cJSON_AddNumberToObject(coverage, "mapped_layers", s->mapped);
    add_times(d, summary);
}

void fsd_write_json(const struct fsd_diff *d, FILE *out)
{
    cJSON *report = cJSON_CreateObject();

    add_text(report, "schema", FSD_SCHEMA);
    add_tool(report);
    add_model(d, report);
    add_engine(d, report);
    add_log(d, report);
    add_summary(d, report);
    add_layers(d, report);
    add_nodes(d, report);
    add_scopes(d, report);
    add_regions(d, report);
    add_findings(d->findings, report);
    fsd_json_print(report, out);
}
