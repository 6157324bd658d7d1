/*
 * Shows where the values of each tensor of the model are in the engine, which tensors
 * may be marked as outputs of the network without changing a fusion, and how to split a
 * fusion.
 *
 *     tensors             each tensor: between, written, inside, gone
 *     --free              only tensors between layers: those that may be marked
 *                         together, and those that may be marked one at a time
 *     --break LAYER|NODE  the tensor that splits this fusion, and what changes then
 *     --as FORM           the list of --free or --break, in the form that another tool
 *                         reads
 */
#include "base/base.h"
#include "base/lines.h"
#include "model/graph/graph.h"
#include "model/graph/word.h"
#include "edit/mark/mark.h"

/* clang-format off */
#define TENSOR_ROW(has, set, when, t) \
    set(t, NAME,  name, fsd_text(d->names, d->model->tensors.at[i].name), "tensor") \
    set(t, TEXT,  place, fsd_place_name(p->place), "place", .word = fsd_place_name, \
        .n_words = FSD__PLACE_COUNT, \
        .about = "between: a layer writes the tensor, and marking it as an output " \
                 "changes no fusion; written: a layer writes the tensor, but " \
                 "marking it may change a fusion; inside: the tensor exists only " \
                 "inside the layer that computes it; gone: no layer computes a " \
                 "tensor of this name") \
    when(t, TEXT,  why, p->why, fsd_place_why_name(p->why), "why", \
        .word = fsd_place_why_name, .n_words = FSD__WHY_COUNT) \
    when(t, TEXT,  says, p->why, fsd_place_why_text(p->why), FSD_ASIDE) \
    has(t, COUNT, layer,     "layer", \
        .about = "the layer that writes the tensor; if `place` is inside, the layer " \
                 "that computes it") \
    has(t, TEXT,  fusion,    "fusion", .word = fsd_fusion_kind_name, \
        .n_words = FSD__FUSION_COUNT, \
        .about = "the kind of the fusion that this layer computes") \
    has(t, TYPE,  type,      "type", \
        .about = "the type that the layer writes; if the engine does not state the " \
                 "type, the type in the model") \
    has(t, TEXT,  layout,    "layout") \
    has(t, TEXT,  sizes,     "sizes") \
    has(t, NUMBER, scale,    "scale", \
        .about = "the scale of the quantizer next to the tensor, if the scale is one " \
                 "number") \
    has(t, COUNT, node,      "node", .about = "the node that produces the tensor") \
    has(t, IDS,   producers, NULL, \
        .about = "the layers that compute the node `node`") \
    has(t, IDS,   consumers, NULL, \
        .about = "the layers that read the tensor, in the engine's order") \
    set(t, NAME,  held_by, fsd_tensor_name(d->model, p->holder), "values in", \
        .about = "another tensor that has the same values") \
    when(t, FLAG, together, fsd_tensor_is_free(m, i), p->together, "together", \
        .about = "true: no fusion changes if you mark all tensors with `together` " \
                 "true in one build; false: no fusion changes if you mark only this " \
                 "tensor, but a fusion may change if you also mark other tensors") \
    has(t, TEXT,  where,     FSD_ASIDE)
FSD_RECORD(tensor_row, TENSOR_ROW)
/* clang-format on */

static const char tensor_text[] =
    "  {place:-8}< {where}><  {type}>< {layout}>< {sizes}>  {name:.60}\n"
    "<           {says!}<: tensor {held_by}>\n>";

/* clang-format off */
#define CHANGE_ROW(has, set, when, t) \
    set(t, COUNT, layer, fsd_count_id(m->layer_of[group]), "layer") \
    set(t, TEXT,  fusion, fsd_fusion_kind_name(m->kinds[group]), "fusion", \
        .word = fsd_fusion_kind_name, .n_words = FSD__FUSION_COUNT) \
    set(t, IDS,   nodes, nodes_of(arena, m, group), NULL) \
    set(t, NAME,  called, fsd_marks_called(arena, m, group), "nodes", .aside = true)
FSD_RECORD(change_row, CHANGE_ROW)

#define PASSED_ROW(has, set, when, t) has(t, NAME, name, NULL)
FSD_RECORD(passed_row, PASSED_ROW)

#define WAY_ROW(has, set, when, t) \
    set(t, TEXT, way, way->way, "way") \
    set(t, TEXT, seen, way->seen, "seen", \
        .about = "how many of the measured kernels were split in this way") \
    set(t, TEXT, also, way->also, "also", \
        .about = "what else changes in the engine if a kernel is split in this way")
FSD_RECORD(way_row, WAY_ROW)

#define BREAK_ROW(has, set, when, t) \
    set(t, COUNT, layer, fsd_count_id(m->layer_of[group]), "layer") \
    set(t, TEXT,  fusion, fsd_fusion_kind_name(m->kinds[group]), "fusion", \
        .word = fsd_fusion_kind_name, .n_words = FSD__FUSION_COUNT) \
    set(t, NAME,  called, fsd_marks_called(arena, m, group), "nodes", .aside = true) \
    set(t, IDS,   nodes, nodes_of(arena, m, group), NULL) \
    set(t, FLAG,  exact, fsd_marks_has_break(m, group), "exact", \
        .about = "true: fusiondiff knows how to split the fusion; `mark` names the " \
                 "tensor to mark, or `pass` names the tensors to pass through Ifs") \
    has(t, NAME,  mark,    "mark", .about = "the tensor to mark as an output") \
    has(t, ROWS,  pass,    NULL, .of = &passed_row_record, \
        .about = "if no marked tensor splits the fusion: the tensors to pass through " \
                 "Ifs; each tensor gets its own If with two equal branches; the If " \
                 "of the first tensor splits the fusion; the other Ifs keep the " \
                 "builder from fusing the parts with nodes outside the fusion; -o " \
                 "FILE.onnx writes a model with these Ifs") \
    has(t, TEXT,  why,     "why") \
    has(t, TEXT,  none,    FSD_ASIDE) \
    has(t, ROWS,  changes, NULL, .of = &change_row_record, \
        .about = "all fusions that change if the tensor is marked, including this " \
                 "one") \
    set(t, ROWS,  ways,    ways_of(arena, m->d, m->layer_of[group]), NULL, \
        .of = &way_row_record, \
        .about = "only with TensorRT for RTX: ways to split kernels of this kind, " \
                 "and how many of the measured kernels were split in each way")
FSD_RECORD(break_row, BREAK_ROW)

#define NAME_ROW(has, set, when, t) \
    set(t, NAME, name, name, NULL) \
    set(t, NAME, quoted, fsd_names_quoted(arena, name), NULL)
FSD_RECORD(name_row, NAME_ROW)

#define ANSWER(has, set, when, t) \
    set(t, COUNT, n, all->at.n, NULL) \
    set(t, TALLY, by_place, \
        fsd_tally(arena, by_place, FSD__PLACE_COUNT, 0, fsd_place_name), NULL) \
    has(t, TALLY, fusions,  NULL, \
        .about = "number of fusions by kind; a fusion is a group of nodes that " \
                 "the same layers compute") \
    set(t, ROWS,  tensors, all, "Tensors", .of = &tensor_row_record) \
    set(t, ROWS,  listed, listed, FSD_ASIDE, .of = &tensor_row_record) \
    set(t, ROWS,  together, together, FSD_ASIDE, .of = &tensor_row_record) \
    set(t, ROWS,  alone, alone, FSD_ASIDE, .of = &tensor_row_record) \
    set(t, COUNT, more, all->at.n - listed->at.n, FSD_ASIDE) \
    has(t, ROWS,  breaks,   "Breaks", .of = &break_row_record) \
    has(t, ROWS,  names,    FSD_ASIDE, .of = &name_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char change_text[] = "    layer {layer} {fusion}  {called:.80}\n";

static const char passed_text[] = "  pass through an If  {name}\n";

static const char break_text[] =
    "layer {layer}  {fusion}  {called:.80}\n"
    "<  mark  {mark}\n>"
    "<{pass!}>"
    "<  fusiondiff proposes no split of this layer: {none}\n>"
    "<  {why}\n>"
    "<  fusions that change if this fusion is split:\n{changes!}>"
    "<  ways to split kernels of this kind, with measured results:\n{ways!}>";

static const char way_text[] = "    {way}: {seen}; {also}\n";

/* ------------------------------------------------------------------------- tensors */

static const char *sizes_of(struct fsd_arena *arena, const struct fsd_graph *g,
                            const struct fsd_form *form)
{
    struct fsd_print print;
    const char *text;

    fsd_put_sizes(g, form, "x", fsd_print_open(&print));
    text = fsd_print_take(&print, arena);
    return *text ? text : NULL;
}

/* Sets row->scale to the scale of the Q that reads the tensor. If no Q reads it, uses
 * the scale of the Q or DQ that produces the tensor. */
static void fill_scale(struct tensor_row *row, const struct fsd_diff *d, fsd_id tensor)
{
    const struct fsd_graph *g = d->model;
    const struct fsd_tensor *t = &g->tensors.at[tensor];
    fsd_id node = fsd_tensor_producer(g, tensor), scale;
    const struct fsd_value *value;
    double number;

    FSD_EACH_ID (reader, g->links, t->consumers)
        if (d->facts->traits[reader] & FSD_OP_QUANTIZE)
            node = reader;
    if (!(fsd_traits_of(d->facts, node) & FSD_OP_QDQ))
        return;
    scale = fsd_node_in_tensor(g, node, 1);
    value = fsd_tensor_value(g, scale);
    if (value && fsd_form_count(g, fsd_tensor_form(g, scale)) == 1 &&
        fsd_element_number(value, fsd_tensor_form(g, scale)->type, 0, &number))
        row->scale = fsd_real(number);
}

static void fill_form(struct fsd_arena *arena, struct tensor_row *row,
                      const struct fsd_diff *d, fsd_id tensor, fsd_id port)
{
    const struct fsd_form *model = fsd_tensor_form(d->model, tensor);
    const struct fsd_form *form =
        port == FSD_NONE ? model : fsd_port_form(d->engine, &d->engine->ports.at[port]);
    char layout[16];

    if (form->type)
        row->type = fsd_count(form->type);
    if (port != FSD_NONE && *fsd_layout_name(form->layout, layout))
        row->layout = fsd_printed(arena, "%s", layout);
    row->sizes = sizes_of(arena, d->model, model);
}

static void fill_layers(struct fsd_arena *arena, struct tensor_row *row,
                        const struct fsd_marks *m, const struct fsd_tensor_place *p)
{
    const struct fsd_graph *e = m->d->engine;
    struct fsd_span peers = {0};
    fsd_id of;

    if (p->port != FSD_NONE) {
        peers = fsd_port_peers(e, p->port, false);
        row->consumers = fsd_ids(&e->links.at[peers.at], peers.n);
    }
    if (p->layer == FSD_NONE)
        return;
    of = m->state->of_layer[p->layer];
    row->layer = fsd_count(p->layer);
    if (!(of & FSD_LAYER_MOVES))
        row->fusion = fsd_fusion_kind_name(m->kinds[of]);
    row->where = peers.n ? fsd_printed(arena, "layer %u -> %u%s", p->layer,
                                       e->links.at[peers.at], peers.n > 1 ? " ..." : "")
                         : fsd_printed(arena, "layer %u", p->layer);
}

static void fill_tensor(struct fsd_arena *arena, void *out, const void *from,
                        uint32_t i)
{
    const struct fsd_marks *m = from;
    const struct fsd_diff *d = m->d;
    const struct fsd_tensor_place *p = &m->places[i];
    fsd_id node = fsd_tensor_producer(d->model, i);
    struct tensor_row *row = out;

    FSD_FILL(row, TENSOR_ROW);
    fill_form(arena, row, d, i, p->port);
    fill_layers(arena, row, m, p);
    fill_scale(row, d, i);
    row->node = fsd_count_id(node);
    if (node != FSD_NONE)
        row->producers = fsd_ids_of_layers(arena, d->match, node);
}

/* Whether the tensor is listed. Weights are not listed, because users do not search for
 * them. */
static bool is_listed(const struct fsd_graph *g, fsd_id tensor)
{
    return fsd_tensor_producer(g, tensor) != FSD_NONE ||
           (g->tensors.at[tensor].flags & FSD_TENSOR_INPUT &&
            !(g->tensors.at[tensor].flags & FSD_TENSOR_CONSTANT));
}

static void add_tensors(struct fsd_arena *arena, const struct fsd_request *request,
                        const struct fsd_marks *m, struct answer *root)
{
    struct fsd_rows *all = fsd_rows_new(arena, &tensor_row_record, tensor_text),
                    *listed = fsd_rows_new(arena, &tensor_row_record, tensor_text),
                    *together = fsd_rows_new(arena, &tensor_row_record, tensor_text),
                    *alone = fsd_rows_new(arena, &tensor_row_record, tensor_text);
    uint32_t by_place[FSD__PLACE_COUNT] = {0};

    for (fsd_id i = 0; i < m->d->model->tensors.n; i++) {
        uint8_t place = m->places[i].place;
        struct tensor_row *row;

        if (!is_listed(m->d->model, i) ||
            (request->q->only_free && !fsd_tensor_is_free(m, i)))
            continue;
        row = fsd_rows_add(all);
        fill_tensor(arena, row, m, i);
        by_place[place]++;
        if (request->q->only_free)
            fsd_vec_push(arena, m->places[i].together ? &together->at : &alone->at,
                         row);
        else if (request->all || place != FSD_PLACE_GONE)
            fsd_vec_push(arena, &listed->at, row);
    }
    FSD_FILL(root, ANSWER);
}

static void count_fusions(struct fsd_arena *arena, const struct fsd_marks *m,
                          struct answer *root)
{
    uint32_t by_kind[FSD__FUSION_COUNT] = {0};

    for (fsd_id i = 0; i < m->state->groups.n; i++)
        by_kind[m->kinds[i]]++;
    root->fusions =
        fsd_tally(arena, by_kind, FSD__FUSION_COUNT, 0, fsd_fusion_kind_name);
}

/* ------------------------------------------------------------------------- breaks */

static struct fsd_ids nodes_of(struct fsd_arena *arena, const struct fsd_marks *m,
                               fsd_id group)
{
    uint32_t n = m->state->groups.at[group].nodes.n;
    fsd_id *ids = FSD_NEW(arena, fsd_id, n);

    for (uint32_t i = 0; i < n; i++)
        ids[i] = fsd_marks_node(m, group, i);
    return fsd_ids(ids, n);
}

enum { FEW = 3 };

const char *fsd_marks_called(struct fsd_arena *arena, const struct fsd_marks *m,
                             fsd_id group)
{
    uint32_t n = m->state->groups.at[group].nodes.n;
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    for (uint32_t i = 0; i < n && i < FEW; i++) {
        fputs(i ? " + " : "", out);
        fsd_put_node_name(m->d, fsd_marks_node(m, group, i), out);
    }
    if (n > FEW)
        fprintf(out, " and %u more", n - FEW);
    return fsd_print_take(&print, arena);
}

static const struct fsd_rows *changes_of(struct fsd_arena *arena,
                                         const struct fsd_marks *m,
                                         const struct fsd_break *b)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &change_row_record, change_text);

    FSD_EACH_ID (group, m->pool, b->groups)
        FSD_ADD(rows, change_row, CHANGE_ROW);
    return rows;
}

static const struct fsd_rows *ways_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                      fsd_id layer)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &way_row_record, way_text);
    const struct fsd_split_way *way;

    for (uint32_t i = 0; layer != FSD_NONE && (way = fsd_split_way_at(d, layer, i));
         i++)
        FSD_ADD(rows, way_row, WAY_ROW);
    return rows->at.n ? rows : NULL;
}

static const char *tensor_name(const struct fsd_marks *m, fsd_id tensor)
{
    return fsd_text(m->d->names, m->d->model->tensors.at[tensor].name);
}

static const struct fsd_rows *
passed_of(struct fsd_arena *arena, const struct fsd_marks *m, const struct fsd_break *b)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &passed_row_record, passed_text);

    for (uint32_t i = 0; i < b->passed.n; i++)
        ((struct passed_row *)fsd_rows_add(rows))->name =
            tensor_name(m, m->pool.at[b->passed.at + i]);
    return rows;
}

static void fill_break(struct fsd_arena *arena, struct break_row *row,
                       const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_break *b = &m->breaks[group];

    FSD_FILL(row, BREAK_ROW);
    if (!fsd_marks_has_break(m, group)) {
        row->none = b->why;
        return;
    }
    if (b->passed.n)
        row->pass = passed_of(arena, m, b);
    else
        row->mark = tensor_name(m, b->tensor);
    row->why = b->why;
    row->changes = changes_of(arena, m, b);
}

/* -------------------------------------------------------------------- for tools */

struct form {
    const char *name, *text, *row, *between;
    const char *cannot; /* names with one of these characters are refused */
};

static const struct form forms[] = {
    {"names", "<{names!}\n>", "{name}", "\n", "\n\r"},
    {"trtexec", "<--markDebug='{names!}'\n>", "{name}", ",", ",'\n\r"},
    {"polygraphy", "<--trt-outputs {names!}\n>", "'{name}'", " ", "'\n\r"},
    {"api",
     "marked = [{names}]\n"
     "for i in range(network.num_layers):\n"
     "    layer = network.get_layer(i)\n"
     "    for k in range(layer.num_outputs):\n"
     "        if layer.get_output(k).name in marked:\n"
     "            network.mark_output(layer.get_output(k))\n",
     "{quoted}", ", ", ""},
};

static const struct form *form_named(const char *name, struct fsd_error *err)
{
    struct fsd_nearest nearest = fsd_nearest_to(name);
    char near[512];

    for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
        if (!strcmp(forms[i].name, name))
            return &forms[i];
        fsd_nearest_try(&nearest, forms[i].name);
    }
    fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
             "--as: expected names, trtexec, polygraphy or api, found '%s'%s", name,
             fsd_nearest_text(&nearest, near));
    return NULL;
}

/* Whether the tensor can be in a list for another tool. The tool marks all tensors of
 * the list in one build. */
static bool is_together(const struct answer *root, uint32_t i)
{
    return root->breaks || ((struct tensor_row *)root->tensors->at.at[i])->together.is;
}

static void add_names(struct fsd_arena *arena, const struct fsd_request *request,
                      const struct form *form, struct answer *root)
{
    struct fsd_rows *names = fsd_rows_new(arena, &name_row_record, form->row);
    const struct fsd_rows *of = root->breaks ? root->breaks : root->tensors;
    uint32_t left_out = 0;

    names->between = form->between;
    for (uint32_t i = 0; i < of->at.n; i++) {
        const char *name = root->breaks ? ((struct break_row *)of->at.at[i])->mark
                                        : ((struct tensor_row *)of->at.at[i])->name;
        struct name_row *row;

        if (!name || !is_together(root, i))
            continue;
        if (strpbrk(name, form->cannot) || (*form->cannot && fsd_is_command(name))) {
            left_out++;
            continue;
        }
        row = fsd_rows_add(names);
        FSD_FILL(row, NAME_ROW);
    }
    if (request->q->left_out)
        *request->q->left_out = left_out;
    root->names = names;
}

/* ------------------------------------------------------------------------- whole */

static enum fsd_status fill(struct fsd_sheet *sheet, const struct fsd_request *request,
                            const struct fsd_marks *m, const struct form *form)
{
    struct fsd_arena *arena = sheet->arena;
    struct fsd_rows *breaks = fsd_rows_new(arena, &break_row_record, break_text);
    struct answer *root = fsd_sheet_begin(
        sheet, "fusiondiff-tensors/1", &answer_record,
        form || request->q->break_at
            ? NULL
            : "{n|tensor|tensors}: {by_place}\nfusions: {fusions}\n\n",
        form                   ? form->text
        : request->q->break_at ? "{breaks}"
        : request->q->only_free
            ? "<free together: if you mark all of these in one build, no fusion "
              "changes\n"
              "{together!}>"
              "<\n"
              "free one at a time: if you mark one of these tensors alone, no "
              "fusion changes\n"
              "{alone!}>"
            : "{listed}<{more!|tensor is|tensors are} gone (listed only with "
              "--all)\n>");
    fsd_id_vec groups = {0};
    enum fsd_status status = FSD_OK;

    if (request->q->break_at)
        status = fsd_marks_pick(m, arena, request->q->break_at, &groups, request->err);
    if (status != FSD_OK)
        return status;
    for (uint32_t i = 0; i < groups.n; i++)
        fill_break(arena, fsd_rows_add(breaks), m, groups.at[i]);
    if (request->q->break_at)
        root->breaks = breaks;
    else
        add_tensors(arena, request, m, root);
    if (!request->q->break_at)
        count_fusions(arena, m, root);
    if (form)
        add_names(arena, request, form, root);
    return FSD_OK;
}

enum fsd_status fsd_view_tensors(struct fsd_sheet *sheet,
                                 const struct fsd_request *request)
{
    const struct form *form =
        request->q->as ? form_named(request->q->as, request->err) : NULL;
    struct fsd_request of = *request;
    struct fsd_query query = *request->q;
    struct fsd_marks *m;
    enum fsd_status status;

    if (request->q->as && !form)
        return FSD_E_ARG;
    /* A list for another tool leaves out tensors whose marks change a fusion, unless
     * --break requests such marks. */
    query.only_free |= form && !query.break_at;
    of.q = &query;
    m = fsd_marks_new(request->d);
    status = fill(sheet, &of, m, form);
    fsd_marks_free(m);
    return status;
}
