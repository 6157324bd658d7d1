/*
 * Prints a graph with one fact per line, so that diff(1) can compare two dumps.
 * Inputs, outputs, constants and attributes are sorted by name; nodes keep their order.
 */
#include "model/graph/graph.h"
#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>

/* Prints a name between the texts `before` and `after`. */
static void put(const struct fsd_graph *g, const char *before, fsd_sym name,
                const char *after, FILE *out)
{
    fputs(before, out);
    fsd_put_safe(out, fsd_text(g->names, name));
    fputs(after, out);
}

const char *fsd_form_text(const struct fsd_form *form, char out[FSD_FORM_ROOM])
{
    const char *type = fsd_dtype_name(form->type);
    size_t n = strlen(type);

    memcpy(out, type, n);
    out[n] = ' ';
    if (!*fsd_layout_name(form->layout, out + n + 1))
        out[n] = '\0';
    return out;
}

void fsd_put_form(const struct fsd_form *form, FILE *out)
{
    char room[FSD_FORM_ROOM];

    fputs(fsd_form_text(form, room), out);
}

void fsd_put_sizes(const struct fsd_graph *g, const struct fsd_form *form,
                   const char *between, FILE *out)
{
    for (uint32_t i = 0; i < form->dims.n && form->ranked; i++) {
        struct fsd_dim dim = g->dims.at[form->dims.at + i];

        fputs(i ? between : "", out);
        if (dim.size >= 0)
            fsd_put_whole(out, dim.size);
        else
            put(g, dim.name ? "" : "?", dim.name, "", out);
    }
}

/* Prints the form of a tensor, such as "@2 fp32 chw [1,N]"; "@2" is the scope of a
 * tensor in a body. */
static void put_whole_form(const struct fsd_graph *g, fsd_id scope,
                           const struct fsd_form *form, FILE *out)
{
    if (scope)
        fprintf(out, "@%u", scope);
    putc(' ', out);
    fsd_put_form(form, out);
    fputs(form->ranked ? " [" : " ?", out);
    fsd_put_sizes(g, form, ",", out);
    fputs(form->ranked ? "]" : "", out);
}

struct named {
    const char *name;
    fsd_id id;
};

FSD_ORDERED(by_name, struct named, strcmp(x->name, y->name), fsd_order(x->id, y->id))

static void put_tensors(const struct fsd_graph *g, const char *word, unsigned flag,
                        FILE *out)
{
    FSD_SCRATCH(scratch);
    struct named *list = FSD_NEW(scratch, struct named, g->tensors.n);
    uint32_t n = 0;

    for (fsd_id i = 0; i < g->tensors.n; i++)
        if (g->tensors.at[i].flags & flag)
            list[n++] = (struct named){fsd_text(g->names, g->tensors.at[i].name), i};
    qsort(list, n, sizeof *list, by_name);
    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_tensor *t = &g->tensors.at[list[i].id];

        fprintf(out, "%s ", word);
        put(g, "", t->name, "", out);
        put_whole_form(g, t->scope, fsd_tensor_form(g, list[i].id), out);
        if (t->value != FSD_NONE)
            fprintf(out, " %" PRIu64 " bytes%s", g->values.at[t->value].size,
                    g->values.at[t->value].bytes ? "" : " not read");
        putc('\n', out);
    }
}

static void put_ports(const struct fsd_graph *g, const char *word,
                      struct fsd_span ports, FILE *out)
{
    FSD_EACH_IN (const struct fsd_port, port, g->ports, ports) {
        fprintf(out, "  %s ", word);
        if (port->tensor == FSD_NONE) {
            fputs("(left out)\n", out);
            continue;
        }
        put(g, "", g->tensors.at[port->tensor].name, "", out);
        put_whole_form(g, g->tensors.at[port->tensor].scope, fsd_port_form(g, port),
                       out);
        putc('\n', out);
    }
}

static void put_attr(const struct fsd_graph *g, const struct fsd_attr *attr, FILE *out)
{
    put(g, "  . ", attr->name, " = ", out);
    switch (attr->kind) {
    case FSD_ATTR_UNREAD:
        fputs("(not read)", out);
        break;
    case FSD_ATTR_INT:
        fprintf(out, "%" PRId64, attr->i);
        break;
    case FSD_ATTR_FLOAT:
        fprintf(out, "%.9g", attr->f);
        break;
    case FSD_ATTR_STRING:
        put(g, "\"", attr->s, "\"", out);
        break;
    case FSD_ATTR_INTS:
    case FSD_ATTR_FLOATS:
    case FSD_ATTR_STRINGS:
        for (uint32_t i = 0, at = attr->list.at; i < attr->list.n; i++, at++) {
            putc(i ? ',' : '[', out);
            if (attr->kind == FSD_ATTR_INTS)
                fprintf(out, "%" PRId64, g->ints.at[at]);
            else if (attr->kind == FSD_ATTR_FLOATS)
                fprintf(out, "%.9g", g->floats.at[at]);
            else
                put(g, "", g->links.at[at], "", out);
        }
        fputs(attr->list.n ? "]" : "[]", out);
        break;
    case FSD_ATTR_TENSOR:
        fputs("tensor", out);
        if (attr->form != FSD_NONE)
            put_whole_form(g, 0, &g->forms.at[attr->form], out);
        break;
    case FSD_ATTR_GRAPH:
        fputs("graph", out);
        break;
    }
    putc('\n', out);
}

static void put_layer(const struct fsd_graph *g, const struct fsd_layer *layer,
                      FILE *out)
{
    static const char *const roles[] = {"computes", "first",  "last",
                                        "wraps",    "copies", "serves",
                                        "constant", "helper", "unknown"};

    if (layer->origin)
        put(g, "  origin ", layer->origin, "\n", out);
    if (layer->tactic)
        put(g, "  tactic ", layer->tactic, "\n", out);
    if (layer->weights)
        fprintf(out, "  weights %" PRIu64 " %s\n", layer->weights,
                fsd_dtype_name(layer->weights_type));
    if (layer->bias)
        fprintf(out, "  bias %" PRIu64 " %s\n", layer->bias,
                fsd_dtype_name(layer->bias_type));
    FSD_EACH_IN (const struct fsd_mention, m, g->mentions, layer->mentions) {
        fprintf(out, "  %s %s ", m->by == FSD_BY_METADATA ? "metadata" : "name",
                roles[m->role]);
        put(g, "", m->text, "", out);
        if (m->node != FSD_NONE)
            fprintf(out, " -> node %u", m->node);
        if (m->tensor != FSD_NONE)
            fprintf(out, " -> tensor %u", m->tensor);
        if (m->among > 1)
            fprintf(out, " (one of %u)", m->among);
        fputs(m->loose ? " (rewritten)\n" : "\n", out);
    }
}

static void put_node(const struct fsd_graph *g, fsd_id id, FILE *out)
{
    const struct fsd_node *node = &g->nodes.at[id];
    FSD_SCRATCH(scratch);
    struct named *list = FSD_NEW(scratch, struct named, node->attrs.n);

    fprintf(out, "node %u", id);
    if (node->scope)
        fprintf(out, "@%u", node->scope);
    put(g, " ", node->domain, node->domain ? "::" : "", out);
    put(g, "", node->op, " ", out);
    put(g, "", node->name, "\n", out);
    put_ports(g, "in", node->in, out);
    put_ports(g, "out", node->out, out);
    for (uint32_t i = 0; i < node->attrs.n; i++)
        list[i] =
            (struct named){fsd_text(g->names, g->attrs.at[node->attrs.at + i].name), i};
    fsd_sort(list, node->attrs.n, sizeof *list, by_name);
    for (uint32_t i = 0; i < node->attrs.n; i++)
        put_attr(g, &g->attrs.at[node->attrs.at + list[i].id], out);
    if (id < g->layers.n)
        put_layer(g, &g->layers.at[id], out);
}

static void put_scope(const struct fsd_graph *g, fsd_id id, FILE *out)
{
    const struct fsd_scope *scope = &g->scopes.at[id];
    uint32_t inputs = scope->inputs.n;

    fprintf(out, "scope %u ", id);
    put(g, "", scope->label, "", out);
    fprintf(out, " of node %u (%s in scope %u)", scope->owner,
            scope->kind == FSD_SCOPE_FUNCTION ? "function" : "subgraph", scope->parent);
    for (uint32_t i = 0; i < inputs + scope->outputs.n; i++) {
        bool in = i < inputs;
        uint32_t at = in ? scope->inputs.at + i : scope->outputs.at + i - inputs;

        put(g,
            !i && in      ? " in: "
            : i == inputs ? " out: "
                          : ", ",
            g->tensors.at[g->links.at[at]].name, "", out);
    }
    putc('\n', out);
}

void fsd_graph_dump(const struct fsd_graph *g, FILE *out)
{
    fprintf(out, "graph %s", g->kind);
    if (g->producer)
        put(g, " by ", g->producer, "", out);
    if (g->ir_version)
        fprintf(out, " ir %" PRId64, g->ir_version);
    for (uint32_t i = 0; i < g->opsets.n; i++) {
        put(g, " opset ", g->opsets.at[i].domain, "", out);
        fprintf(out, ":%" PRId64, g->opsets.at[i].version);
    }
    fprintf(out, "\nnodes %u tensors %u\n", g->nodes.n, g->tensors.n);
    put_tensors(g, "input", FSD_TENSOR_INPUT, out);
    put_tensors(g, "output", FSD_TENSOR_OUTPUT, out);
    put_tensors(g, "constant", FSD_TENSOR_CONSTANT, out);
    for (fsd_id i = 1; i < g->scopes.n; i++)
        put_scope(g, i, out);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        put_node(g, i, out);
    for (uint32_t i = 0; i < g->loops.n; i++)
        fprintf(out, "loop of nodes %u to %u\n", g->loops.at[i].at,
                g->loops.at[i].at + g->loops.at[i].n - 1);
    FSD_EACH (const struct fsd_remark, r, g->remarks) {
        fprintf(out, "remark %s ", r->rule);
        put(g, "", r->text, "", out);
        if (r->node != FSD_NONE)
            fprintf(out, " (node %u)", r->node);
        putc('\n', out);
    }
}
