/*
 * The JSON report, after the schema in include/fusiondiff/report.schema.json.  Built as
 * a cJSON tree, which escapes and prints; numbers beyond 2^53 become strings there.
 */
#include "cost/cost.h"
#include "cost/scope.h"
#include "findings/findings.h"
#include "report/report.h"
#include "report/json/json.h"
#include "report/view/view.h"

#include <limits.h>

/* `pool` may be NULL where the span is empty. */
static void add_ids(struct fsd_json *object, const char *key, const fsd_id *pool,
                    struct fsd_span span)
{
    struct fsd_json *list = fsd_json_list(object, key);

    for (uint32_t i = 0; i < span.n; i++)
        fsd_json_add_number(list, pool[span.at + i]);
}

/* --------------------------------------------------------------------- inputs */

static struct fsd_json *add_graph(struct fsd_json *report, const char *key,
                                  const char *of_nodes, const struct fsd_intern *names,
                                  const struct fsd_graph *g)
{
    struct fsd_json *side = fsd_json_object(report, key);

    fsd_json_text(side, "path", g->path);
    fsd_json_hash(side, "hash", g->hash);
    fsd_json_count(side, of_nodes, g->nodes.n);
    fsd_json_text(side, "format", g->kind);
    if (g->producer)
        fsd_json_sym(side, "producer", names, g->producer);
    return side;
}

/* The inputs' sizes that all is counted for, where the model leaves them open. */
static void add_tuned(const struct fsd_diff *d, struct fsd_json *engine,
                      const char *key, const fsd_tensor_vec *tensors)
{
    struct fsd_json *inputs = tensors->n ? fsd_json_list(engine, key) : NULL;

    for (uint32_t i = 0; i < tensors->n; i++) {
        fsd_id t = tensors->at[i];
        const struct fsd_shape *shape = fsd_shape_of(d->cost->sizes, t);
        struct fsd_json *input = fsd_json_item(inputs), *sizes;

        fsd_json_sym(input, "input", d->names, d->model->tensors.at[t].name);
        sizes = fsd_json_list(input, "shape");
        for (uint32_t k = 0; k < shape->rank; k++)
            fsd_json_add_number(sizes, (double)shape->dims[k]);
    }
}

static void add_engine(const struct fsd_diff *d, struct fsd_json *report)
{
    struct fsd_json *engine =
        add_graph(report, "engine", "layers", d->names, d->engine);

    fsd_json_built(engine, &d->engine->built, d->names);
    if (d->engine->profiles > 1) {
        fsd_json_number(engine, "optimization_profile", d->engine->profile);
        fsd_json_count(engine, "optimization_profiles", d->engine->profiles);
        fsd_json_count(engine, "layers_of_other_profiles", d->engine->elsewhere.n);
    }
    add_tuned(d, engine, "tuned_for", &d->cost->tuned);
    add_tuned(d, engine, "run_with", &d->cost->run_with);
}

static void add_inputs(const struct fsd_diff *d, struct fsd_json *report)
{
    const struct fsd_history *h = d->history;
    struct fsd_arena *scratch = fsd_arena_new();
    bool *seen = FSD_NEW(scratch, bool, fsd_intern_count(d->names));
    struct fsd_json *model = add_graph(report, "model", "nodes", d->names, d->model);
    struct fsd_json *opsets, *log;

    fsd_json_number(model, "ir_version", (double)d->model->ir_version);
    opsets = fsd_json_object(model, "opsets");
    for (uint32_t i = 0; i < d->model->opsets.n; i++) {
        struct fsd_opset opset = d->model->opsets.at[i];

        if (!seen[opset.domain]) /* a key stands once */
            fsd_json_number(opsets, fsd_text(d->names, opset.domain),
                            (double)opset.version);
        seen[opset.domain] = true;
    }
    fsd_arena_free(scratch);
    add_engine(d, report);
    if (!h)
        return;
    log = fsd_json_object(report, "log");
    fsd_json_text(log, "path", h->path);
    fsd_json_count(log, "lines", h->lines);
    fsd_json_count(log, "events", h->events.n);
    fsd_json_count(log, "unknown", h->unknown_lines);
    fsd_json_bool(log, "used", d->story != NULL);
}

/* --------------------------------------------------------------------- layers */

static void add_dims(const struct fsd_diff *d, struct fsd_json *object,
                     const struct fsd_graph *g, struct fsd_span dims)
{
    struct fsd_json *list = fsd_json_list(object, "dims");

    for (uint32_t i = 0; i < dims.n; i++) {
        struct fsd_dim dim = g->dims.at[dims.at + i];

        if (dim.size < 0 && dim.name)
            fsd_json_add_text(list, fsd_text(d->names, dim.name));
        else
            fsd_json_add_number(list, (double)dim.size);
    }
}

/* What follows from the rest of the model, where it does not say it itself. */
static void add_sizes(const struct fsd_diff *d, struct fsd_json *object, fsd_id tensor)
{
    const struct fsd_shape *shape = fsd_shape_of(d->cost->sizes, tensor);
    struct fsd_json *list = shape->ranked ? fsd_json_list(object, "dims") : NULL;

    for (uint32_t i = 0; list && i < shape->rank; i++)
        fsd_json_add_amount(d, list, shape->dims[i]);
}

/* What the engine leaves open, in numbers or terms, where all of it is known. */
static void add_open_sizes(const struct fsd_diff *d, struct fsd_json *object,
                           const struct fsd_port *port, const struct fsd_form *form)
{
    int64_t sizes[FSD_SHAPE_RANK];
    struct fsd_json *list;
    bool open = false;

    for (uint32_t i = 0; i < form->dims.n; i++) {
        if (i == FSD_SHAPE_RANK)
            return;
        open |= d->engine->dims.at[form->dims.at + i].size < 0;
        sizes[i] = fsd_port_size(d->engine, d->cost, port, form, i);
        if (sizes[i] == -1)
            return;
    }
    list = open ? fsd_json_list(object, "sizes") : NULL;
    for (uint32_t i = 0; list && i < form->dims.n; i++)
        fsd_json_add_amount(d, list, sizes[i]);
}

/* Of a layer or a node. */
static void add_ports(const struct fsd_diff *d, const struct fsd_graph *g,
                      struct fsd_json *object, const char *key, struct fsd_span ports)
{
    struct fsd_json *list = fsd_json_list(object, key);

    for (uint32_t i = 0; i < ports.n; i++) {
        const struct fsd_port *port = &g->ports.at[ports.at + i];
        const struct fsd_form *form = fsd_port_form(g, port);
        struct fsd_json *item = fsd_json_item(list);
        char layout[16];

        if (port->tensor != FSD_NONE &&
            (g == d->engine || g->tensors.at[port->tensor].name))
            fsd_json_sym(item, "name", d->names, g->tensors.at[port->tensor].name);
        fsd_json_text(item, "type", fsd_dtype_name(form->type));
        if (*fsd_layout_name(form->layout, layout))
            fsd_json_text(item, "layout", layout);
        if (form->ranked)
            add_dims(d, item, g, form->dims);
        else if (g == d->model && port->tensor != FSD_NONE)
            add_sizes(d, item, port->tensor);
        if (g == d->engine)
            add_open_sizes(d, item, port, form);
        if (form->raw)
            fsd_json_sym(item, "format", d->names, form->raw);
    }
}

static void add_spread(struct fsd_json *object, const char *key,
                       const struct fsd_spread *spread)
{
    struct fsd_json *item = fsd_json_object(object, key);

    fsd_json_number(item, "median", spread->median);
    fsd_json_number(item, "low", spread->low);
    fsd_json_number(item, "high", spread->high);
}

static void add_cost(const struct fsd_diff *d, fsd_id id, struct fsd_json *layer)
{
    const struct fsd_layer_cost *r = &d->cost->layers[id];
    const struct fsd_spread *ms = &d->times->of[id];
    fsd_id gap = fsd_cost_gap(d, id);
    struct fsd_roofline roof = fsd_cost_roofline(d, id);
    struct fsd_json *item;

    fsd_json_ms(layer, "ms", ms->median);
    if (d->times->profiles > 1 && ms->median >= 0)
        add_spread(layer, "ms_spread", ms);
    if (gap != FSD_NONE)
        fsd_json_sym(layer, "bytes_unknown_of", d->names,
                     d->engine->tensors.at[gap].name);
    fsd_json_amount(d, layer, "bytes", r->bytes);
    if (r->traffic.bias > 0)
        fsd_json_amount(d, layer, "bias_bytes", r->traffic.bias);
    if (r->traffic.weights > 0)
        fsd_json_amount(d, layer, "weight_bytes", r->traffic.weights);
    fsd_json_amount(d, layer, "macs", r->macs);
    if (!roof.known || roof.per_byte < 0)
        return;
    item = fsd_json_object(layer, "roofline");
    fsd_json_text(item, "bound", roof.by_memory ? "memory" : "compute");
    fsd_json_number(item, "ms", roof.ms);
    fsd_json_number(item, "macs_per_byte", roof.per_byte);
    fsd_json_ms(item, "reached", roof.reached);
}

static void add_layer(const struct fsd_diff *d, struct fsd_json *layer, fsd_id id)
{
    const struct fsd_node *n = &d->engine->nodes.at[id];
    const struct fsd_layer *l = &d->engine->layers.at[id];
    const struct fsd_layer_result *r = &d->layers[id];
    enum fsd_spent spent = d->cost->layers[id].spent;
    struct fsd_arena *scratch = fsd_arena_new();
    const struct fsd_rows *edge = fsd_edge_record(scratch, d, id);
    struct fsd_json *list;

    fsd_json_number(layer, "index", id);
    fsd_json_sym(layer, "name", d->names, n->name);
    fsd_json_sym(layer, "type", d->names, n->op);
    fsd_json_text(layer, "kind", fsd_kind_name(r->kind));
    fsd_json_text(layer, "precision", fsd_dtype_name(r->precision));
    fsd_json_bool(layer, "inserted", r->inserted);
    if (d->reasons[id].cause != FSD_CAUSE_NONE)
        fsd_json_text(layer, "cause", fsd_cause_name(d->reasons[id].cause));
    if (spent == FSD_SPENT_REQUANTIZE || spent == FSD_SPENT_REQUESTED)
        fsd_json_text(layer, "spent", fsd_spent_name(spent)); /* else `kind` has it */
    fsd_json_phrase(d, layer, "log", d->reasons[id].event, fsd_put_said);
    list = fsd_json_list(layer, "nodes");
    for (uint32_t i = 0; i < d->match->of_layer[id].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, id, i);
        struct fsd_json *item = fsd_json_item(list), *evidence;

        fsd_json_number(item, "index", link->node);
        evidence = fsd_json_list(item, "evidence");
        for (unsigned bit = 0; 1u << bit <= FSD_BY_ALL; bit++)
            if (link->by >> bit & 1)
                fsd_json_add_text(evidence, fsd_evidence_name(bit));
    }
    fsd_json_id(layer, "region", d->match->region_of_layer[id]);
    add_ports(d, d->engine, layer, "inputs", n->in);
    add_ports(d, d->engine, layer, "outputs", n->out);
    if (l->origin)
        fsd_json_sym(layer, "origin", d->names, l->origin);
    if (l->tactic)
        fsd_json_sym(layer, "tactic", d->names, l->tactic);
    if (l->ran_by)
        fsd_json_sym(layer, "ran_by", d->names, l->ran_by);
    if (l->ran_with)
        fsd_json_sym(layer, "ran_with", d->names, l->ran_with);
    if (l->profile >= 0)
        fsd_json_number(layer, "profile", l->profile);
    add_cost(d, id, layer);
    if (edge)
        fsd_sheet_add_record(fsd_json_object(layer, "edge"), edge);
    fsd_arena_free(scratch);
}

/* ---------------------------------------------------------------------- nodes */

static void add_node(const struct fsd_diff *d, const struct fsd_scopes *modules,
                     struct fsd_json *node, fsd_id id)
{
    const struct fsd_node *n = &d->model->nodes.at[id];
    const struct fsd_node_result *r = &d->nodes[id];
    const struct fsd_node_cost *cost = &d->cost->nodes[id];
    struct fsd_json *layers;

    fsd_json_number(node, "index", id);
    fsd_json_sym(node, "name", d->names, n->name);
    fsd_json_sym(node, "op", d->names, n->op);
    if (n->domain)
        fsd_json_sym(node, "domain", d->names, n->domain);
    if (n->scope)
        fsd_json_number(node, "scope", n->scope);
    if (modules->of[id])
        fsd_json_sym(node, "module", modules->names, modules->of[id]);
    fsd_json_text(node, "fate", fsd_fate_name(r->fate));
    if (*r->why)
        fsd_json_text(node, "why", r->why);
    fsd_json_phrase(d, node, "log", r->event, fsd_put_said);
    fsd_json_id(node, "same_as", r->other);
    fsd_json_id(node, "near_layer", r->near_layer);
    layers = fsd_json_list(node, "layers");
    for (uint32_t i = 0; i < d->match->of_node[id].n; i++)
        fsd_json_add_number(layers, fsd_match_of_node(d->match, id, i)->layer);
    fsd_json_id(node, "region", d->match->region_of_node[id]);
    add_ports(d, d->model, node, "inputs", n->in);
    add_ports(d, d->model, node, "outputs", n->out);
    fsd_json_text(node, "requested", fsd_dtype_name(r->requested));
    fsd_json_text(node, "realised", fsd_dtype_name(r->realised));
    fsd_json_ms(node, "ms", cost->ms);
    if (cost->ms >= 0 && cost->shares)
        fsd_json_bool(node, "shares", true);
    if (cost->macs)
        fsd_json_amount(d, node, "macs", cost->macs);
}

/* Scopes of the model and regions of the match, where there are any. */
static void add_scopes_and_regions(const struct fsd_diff *d, struct fsd_json *report)
{
    struct fsd_json *list;

    if (d->model->scopes.n > 1) /* the first is the whole */
        list = fsd_json_list(report, "scopes");
    for (fsd_id i = 1; i < d->model->scopes.n; i++) {
        const struct fsd_scope *s = &d->model->scopes.at[i];
        struct fsd_json *scope = fsd_json_item(list);

        fsd_json_number(scope, "index", i);
        fsd_json_number(scope, "owner", s->owner);
        fsd_json_sym(scope, "label", d->names, s->label);
    }
    if (d->match->regions.n)
        list = fsd_json_list(report, "regions");
    for (uint32_t i = 0; i < d->match->regions.n; i++) {
        const struct fsd_region *r = &d->match->regions.at[i];
        struct fsd_json *region = fsd_json_item(list);

        add_ids(region, "layers", d->match->pool.at, r->layers);
        add_ids(region, "nodes", d->match->pool.at, r->nodes);
    }
}

/* ------------------------------------------------------------------- findings */

static void add_abouts(const struct fsd_findings *all, struct fsd_json *object,
                       const char *key, struct fsd_span about, bool by_name)
{
    struct fsd_json *list = fsd_json_list(object, key);

    for (uint32_t i = 0; i < about.n; i++) {
        const struct fsd_about *a = &all->subjects.at[about.at + i];

        if (by_name)
            fsd_json_add_text(list, a->name);
        else
            fsd_json_add_number(list, a->id);
    }
}

void fsd_json_findings(struct fsd_json *report, const struct fsd_findings *all)
{
    struct fsd_json *list = fsd_json_list(report, "findings");

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_finding *f = &all->list.at[i];
        struct fsd_json *item = fsd_json_item(list), *facts;

        fsd_json_text(item, "rule", all->rules.at[f->rule].rule->id);
        fsd_json_text(item, "severity", fsd_severity_name(f->severity));
        fsd_json_text(item, "message", f->message);
        add_abouts(all, item, "layers", f->layers, false);
        add_abouts(all, item, "nodes", f->nodes, false);
        add_abouts(all, item, "tensors", f->tensors, true);
        facts = fsd_json_object(item, "facts");
        for (uint32_t k = 0; k < f->facts.n; k++) {
            const struct fsd_fact *fact = &all->facts.at[f->facts.at + k];

            if (fact->text)
                fsd_json_text(facts, fact->key, fact->text);
            else
                fsd_json_count(facts, fact->key, fact->number);
        }
    }
}

/* -------------------------------------------------------------------- summary */

static void add_times(const struct fsd_diff *d, struct fsd_json *summary)
{
    const struct fsd_measured *t = d->times;
    const struct fsd_time_sums *sums = &d->cost->sums;
    struct fsd_json *ms, *by_op;

    if (!t->profiles && t->run_ms < 0)
        return;
    ms = fsd_json_object(summary, "ms");
    fsd_json_ms(ms, "run", t->run_ms);
    if (!t->profiles)
        return;
    fsd_json_number(ms, "total", t->total);
    fsd_json_number(ms, "profiles", t->profiles);
    if (t->runs)
        fsd_json_count(ms, "runs", t->runs);
    if (t->profiles > 1)
        add_spread(ms, "totals", &t->totals);
    fsd_json_number(ms, "nodes", sums->nodes);
    fsd_json_number(ms, "inserted", sums->inserted);
    fsd_json_number(ms, "elsewhere", t->elsewhere);
    FSD_JSON_TALLY(ms, "by_kind", sums->by_kind, 0, fsd_kind_name);
    FSD_JSON_TALLY(ms, "by_cause", sums->by_cause, 0, fsd_cause_name);
    fsd_json_number(ms, "no_cause", sums->by_cause[FSD_CAUSE_NONE]);
    by_op = fsd_json_object(ms, "by_op");
    for (uint32_t i = 0; i < d->cost->op_times.n; i++)
        fsd_json_number(by_op, fsd_text(d->names, d->cost->op_times.at[i].op),
                        d->cost->op_times.at[i].ms);
}

/* Classes without a layer are left out. */
static void add_spent(const struct fsd_diff *d, struct fsd_json *summary)
{
    struct fsd_json *spent = fsd_json_object(summary, "spent");

    for (int i = 0; i < FSD__SPENT_COUNT; i++) {
        const struct fsd_spent_sum *sum = &d->cost->spent[i];
        struct fsd_json *of;

        if (!sum->layers)
            continue;
        of = fsd_json_object(spent, fsd_spent_name((enum fsd_spent)i));
        fsd_json_number(of, "layers", sum->layers);
        if (sum->unknown < sum->layers)
            fsd_json_count(of, "bytes", (uint64_t)sum->bytes);
        if (sum->unknown)
            fsd_json_number(of, "layers_of_unknown_bytes", sum->unknown);
        fsd_json_ms(of, "ms", sum->ms);
        fsd_json_ms(of, "share", sum->share);
    }
}

static void add_summary(const struct fsd_diff *d, struct fsd_json *report)
{
    const struct fsd_summary *s = d->summary;
    struct fsd_json *summary = fsd_json_object(report, "summary");
    struct fsd_json *coverage;

    FSD_JSON_TALLY(summary, "nodes", s->by_fate, 0, fsd_fate_name);
    FSD_JSON_TALLY(summary, "layers", s->by_kind, 0, fsd_kind_name);
    FSD_JSON_TALLY(summary, "inserted", s->by_cause, 0, fsd_cause_name);
    FSD_JSON_TALLY(summary, "links", s->by_evidence, 0, fsd_evidence_name);
    FSD_JSON_TALLY(summary, "findings", d->findings->by_severity, 0, fsd_severity_name);
    coverage = fsd_json_object(summary, "coverage");
    fsd_json_number(coverage, "links", s->links);
    fsd_json_number(coverage, "inserted", s->inserted);
    if (s->requested)
        fsd_json_number(coverage, "requested", s->requested);
    fsd_json_number(coverage, "computing_layers", s->computing);
    fsd_json_number(coverage, "mapped_layers", s->mapped);
    add_times(d, summary);
    add_spent(d, summary);
}

void fsd_write_json(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    struct fsd_arena *scratch = fsd_arena_new();
    struct fsd_scopes modules = fsd_cost_scopes(scratch, d, UINT_MAX);
    struct fsd_json *report = fsd_json_new(out), *tool, *list;

    (void)style;
    fsd_json_text(report, "schema", FSD_SCHEMA);
    tool = fsd_json_object(report, "tool");
    fsd_json_text(tool, "name", "fusiondiff");
    fsd_json_text(tool, "version", FSD_VERSION);
    add_inputs(d, report);
    add_summary(d, report);
    list = fsd_json_list(report, "layers");
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        add_layer(d, fsd_json_item(list), i);
    list = fsd_json_list(report, "nodes");
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        add_node(d, &modules, fsd_json_item(list), i);
    add_scopes_and_regions(d, report);
    fsd_json_findings(report, d->findings);
    fsd_json_end(report);
    fsd_arena_free(scratch);
}
