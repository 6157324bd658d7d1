/*
 * Reads the layers of one engine in a log into a graph.  The log may list an engine up
 * to three times: the inspector's text, the builder's list, and a list of names.  The
 * list that states most is read; the bindings may be in another list.  Messages of
 * other threads may be between the layers, so lines that are not understood become a
 * remark, not an error.
 */
#include "read/trt/build.h"
#include "read/trt/trt.h"

#include "base/base.h"
#include "read/log/log.h"

enum { LOG_LAYERS_MAX = 1 << 20, LOG_MENTIONS_MAX = 1 << 24, VECTOR_MAX = UINT16_MAX };

struct reading {
    struct fsd_build *b;
    const struct fsd_file *file;
    struct fsd_error *err;
    uint32_t layers;
    uint64_t odd_lines; /* the number of lines within the list that were not
                           understood */
    uint64_t first_odd; /* the number of the first such line */
    bool old;           /* a tensor has the syntax of TensorRT 8.4 or earlier */
    FSD_VEC(struct fsd_log_layer) said; /* the layers that were read so far */
    FSD_VEC(uint32_t)
    said_of; /* for each name: 1 plus the index in `said` of the last layer with this
                name; 0: none */
};

static void count_odd(struct reading *r, const struct fsd_log_line *line)
{
    if (!r->odd_lines++)
        r->first_odd = line->number;
}

/* ------------------------------------------------------------- the builder's block */

static void add_tensor(struct reading *r, const struct fsd_log_tensor *t)
{
    struct fsd_dim dims[FSD_LOG_RANK_MAX];
    struct fsd_build_tensor tensor = {.name = fsd_intern_slice(r->b->g->names, t->name),
                                      .type = fsd_intern_slice(r->b->g->names, t->type),
                                      .ranked = true,
                                      .dims = dims,
                                      .rank = t->rank};

    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i] = (struct fsd_dim){.size = t->dims[i].size};
        if (t->dims[i].word.n)
            dims[i].name = fsd_intern_slice(r->b->g->names, t->dims[i].word);
        if (t->dims[i].vector > 0 && t->dims[i].vector <= VECTOR_MAX) {
            tensor.vector = (uint16_t)t->dims[i].vector;
            tensor.vector_axis = (uint8_t)i;
        }
    }
    r->old |= t->old;
    fsd_build_port(r->b, t->output ? FSD_DIRECTION_OUT : FSD_DIRECTION_IN, &tensor);
}

/* Whether the layer has outputs: "... -> y (Half[1,8])", or "...  Outputs: [ { Name: y,
 * ...". */
static bool writes_any(struct fsd_slice tensors)
{
    const char *at = fsd_slice_find(tensors, "Outputs: [");
    struct fsd_slice rest = {"", 0};

    if (at) {
        rest = fsd_slice_trim(fsd_slice_from(tensors, (size_t)(at - tensors.s) + 10));
        return fsd_slice_begins(rest, "{");
    }
    at = fsd_slice_find_last(tensors, "-> ");
    return at && at + 3 < tensors.s + tensors.n;
}

/* Whether a line only repeats the line of an earlier layer, for example because a
 * comment on the log quotes it.  Two layers never write the same tensor.  If equal
 * lines have an output, they are therefore about the same layer. */
static bool is_quoted(struct reading *r, const struct fsd_log_layer *layer)
{
    fsd_sym name = fsd_intern_slice(r->b->g->names, layer->name);
    const struct fsd_log_layer *before = NULL;

    while (r->said_of.n <= name)
        fsd_vec_push(r->b->g->arena, &r->said_of, 0);
    if (r->said_of.at[name])
        before = &r->said.at[r->said_of.at[name] - 1];
    if (before && before->tensors.n && fsd_slice_equal(before->type, layer->type) &&
        fsd_slice_equal(before->tactic, layer->tactic) &&
        fsd_slice_equal(before->tensors, layer->tensors) && writes_any(layer->tensors))
        return true;
    fsd_vec_push(r->b->g->arena, &r->said, *layer);
    r->said_of.at[name] = r->said.n;
    return false;
}

static void read_block_line(struct reading *r, const struct fsd_log_line *line)
{
    struct fsd_log_layer layer;
    struct fsd_log_tensor tensor = {.output = false};
    enum fsd_log_step step;

    if (!fsd_log_layer_split(line->text, &layer)) {
        count_odd(r, line);
        return;
    }
    if (is_quoted(r, &layer))
        return;
    fsd_build_layer(r->b, fsd_intern_slice(r->b->g->names, layer.name),
                    fsd_intern_slice(r->b->g->names, layer.type));
    r->b->layer.tactic_value = fsd_intern_slice(r->b->g->names, layer.tactic);
    while ((step = fsd_log_tensor_next(&layer.tensors, &tensor)) == FSD_LOG_TENSOR)
        add_tensor(r, &tensor);
    if (step == FSD_LOG_BROKEN)
        fsd_build_remark(r->b, "input/cut-line",
                         fsd_intern_slice(r->b->g->names, layer.tensors));
    fsd_build_layer_end(r->b);
    r->layers++;
}

static void read_kind_line(struct reading *r, const struct fsd_log_line *line)
{
    struct fsd_log_layer layer;
    bool dla;

    if (!fsd_log_kind_layer(line->text, &layer, &dla))
        return; /* the line is a message of another thread */
    fsd_build_layer(r->b, fsd_intern_slice(r->b->g->names, layer.name),
                    fsd_intern_slice(r->b->g->names, layer.type));
    r->b->layer.ran_by = fsd_intern_str(r->b->g->names, dla ? "DLA" : "GPU");
    if (dla)
        r->b->layer.provider = FSD_PROVIDER_DEVICE;
    fsd_build_layer_end(r->b);
    r->layers++;
}

/* ------------------------------------------------------------ the inspector's text */

static enum fsd_status read_text_line(struct reading *r,
                                      const struct fsd_log_line *line)
{
    struct fsd_log_layer layer;
    enum fsd_status status;
    bool whole;

    if (!fsd_log_text_layer(line->text, &layer)) {
        count_odd(r, line);
        return FSD_OK;
    }
    if (is_quoted(r, &layer))
        return FSD_OK;
    status = fsd_inspector_layer(r->b, r->file, r->layers, line->text.s, line->text.n,
                                 &whole, r->err);
    if (status == FSD_OK)
        r->layers++;
    if (!whole)
        count_odd(r, line);
    return status;
}

/* Reads the bindings: one name per line.  Since TensorRT 11 and TensorRT for RTX 1.5,
 * each line is the inspector's description of an input or output. */
static enum fsd_status read_bindings(struct reading *r, const struct fsd_log_list *list)
{
    struct fsd_log_lines lines = fsd_log_list_lines(r->file, list);
    struct fsd_log_line line;
    enum fsd_status status = FSD_OK;

    lines.at = list->bindings;
    while (status == FSD_OK && list->bindings && fsd_log_next(&lines, &line)) {
        struct fsd_build_tensor tensor = {
            .name = fsd_intern_slice(r->b->g->names, line.text)};

        if (list->io) {
            status =
                fsd_inspector_binding(r->b, r->file, fsd_slice_trim(line.text), r->err);
            continue;
        }
        /* If all lines of the log have a prefix, nothing marks the end of the list of
         * bindings.  The list then ends before the first line that is not the name of a
         * tensor in the graph. */
        if (list->prefixed && r->b->g->detailed &&
            fsd_graph_find(r->b->g, tensor.name, 0) == FSD_NONE)
            break;
        if (tensor.name)
            fsd_build_binding(r->b, &tensor, FSD_DIRECTION_UNKNOWN);
    }
    return status;
}

/* ------------------------------------------------------------------------ a list */

static enum fsd_status read_line(struct reading *r, enum fsd_log_form form,
                                 const struct fsd_log_list *list,
                                 const struct fsd_log_line *line)
{
    enum fsd_status status = FSD_OK;

    if (!fsd_slice_trim(line->text).n)
        return FSD_OK;
    /* Skips messages of other threads between the layers. */
    if (fsd_log_is_foreign(list, line))
        return FSD_OK;
    if (form == FSD_LOG_BLOCK)
        read_block_line(r, line);
    else if (form == FSD_LOG_TEXT)
        status = read_text_line(r, line);
    else if (form == FSD_LOG_KINDS)
        read_kind_line(r, line);
    else { /* the line is a name */
        fsd_build_layer(r->b, fsd_intern_slice(r->b->g->names, line->text), 0);
        fsd_build_layer_end(r->b);
        r->layers++;
    }
    if (status != FSD_OK ||
        (r->layers <= LOG_LAYERS_MAX && r->b->g->mentions.n <= LOG_MENTIONS_MAX))
        return status;
    return fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_NONE, 0,
                    "expected at most %d %s, found more",
                    r->layers > LOG_LAYERS_MAX ? LOG_LAYERS_MAX : LOG_MENTIONS_MAX,
                    r->layers > LOG_LAYERS_MAX ? "layers"
                                               : "node names in the names of "
                                                 "layers");
}

static void remark_odd_lines(struct reading *r)
{
    char text[96];
    struct fsd_remark remark = {"input/odd-lines", FSD_NONE, FSD_NONE, 0};

    if (!r->odd_lines)
        return;
    snprintf(
        text, sizeof text,
        "%llu of the lines between the layers could not be parsed; the first is line "
        "%llu",
        (unsigned long long)r->odd_lines, (unsigned long long)r->first_odd);
    remark.text = fsd_intern_str(r->b->g->names, text);
    fsd_vec_push(r->b->g->arena, &r->b->g->remarks, remark);
}

/* Reads the layers of an engine.  The log may have several lists of these layers.  Only
 * one list is read: the one whose form comes first in `order`.  The first form in
 * `order` states most about each layer.  The bindings may be in another list. */
static enum fsd_status read_engine(struct reading *r,
                                   const struct fsd_log_engine *engine)
{
    static const struct {
        enum fsd_log_form form;
        const char *kind;
    } order[] = {{FSD_LOG_TEXT, "trt-text"},
                 {FSD_LOG_BLOCK, "trt-log"},
                 {FSD_LOG_NAMES, "trt-names"},
                 {FSD_LOG_KINDS, "trt-names"}};
    const struct fsd_log_list *list;
    struct fsd_log_lines lines;
    struct fsd_log_line line;
    enum fsd_status status = FSD_OK;
    char version[32];
    size_t i = 0;

    while (!engine->lists[order[i].form].number)
        i++;
    list = &engine->lists[order[i].form];
    r->b->g->kind = order[i].kind;
    if (fsd_log_rtx_version(r->file, list, version))
        r->b->version = fsd_intern_str(r->b->g->names, version);
    lines = fsd_log_list_lines(r->file, list);
    lines.end = list->layers_end;
    while (fsd_log_next(&lines, &line)) {
        struct fsd_log_layer layer;

        if (fsd_slice_find(line.text, FSD_TRT_PROFILE) &&
            fsd_log_listed_layer(order[i].form, line.text, &layer))
            fsd_build_foresee(r->b, layer.name, line.text);
    }
    lines = fsd_log_list_lines(r->file, list);
    lines.end = list->layers_end;
    while (status == FSD_OK && fsd_log_next(&lines, &line))
        status = read_line(r, order[i].form, list, &line);
    if (status != FSD_OK)
        return status;
    remark_odd_lines(r);
    status = read_bindings(
        r, &engine->lists[engine->lists[FSD_LOG_TEXT].bindings ? FSD_LOG_TEXT
                                                               : FSD_LOG_NAMES]);
    if (order[i].form == FSD_LOG_BLOCK)
        r->b->seen |= r->old ? FSD_SEEN_OLD_LINES : FSD_SEEN_NEW_LINES;
    return status;
}

/* -------------------------------------------------------------- choosing the engine */

/* Returns the first list of the engine in the log.  An engine has at least one list. */
static const struct fsd_log_list *first_list(const struct fsd_log_engine *engine)
{
    const struct fsd_log_list *first = &engine->lists[0];

    for (int i = 1; i < FSD__LOG_FORM_COUNT; i++)
        if (engine->lists[i].number &&
            (!first->number || engine->lists[i].number < first->number))
            first = &engine->lists[i];
    return first;
}

static enum fsd_status fail_several(const struct fsd_file *file,
                                    const fsd_log_engines *engines,
                                    struct fsd_error *err)
{
    char list[400] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < engines->n && used + 120 < sizeof list; i++) {
        const struct fsd_log_engine *e = &engines->at[i];
        const struct fsd_log_list *at = first_list(e);

        used += (size_t)snprintf(
            list + used, sizeof list - used,
            "%sengine %u (line %llu, %u layer%s%s%.*s)", i ? "; " : "", i + 1,
            (unsigned long long)at->number, at->layers, at->layers == 1 ? "" : "s",
            e->title.n ? ", of " : "", (int)(e->title.n < 40 ? e->title.n : 40),
            e->title.n ? e->title.s : "");
        if (used + 120 >= sizeof list && i + 1 < engines->n)
            snprintf(list + used, sizeof list - used, "; and %u more",
                     engines->n - i - 1);
    }
    return fsd_fail(err, FSD_E_ARG, file->name, FSD_POS_NONE, 0,
                    "expected --engine N, because this log holds %u engines: %s",
                    engines->n, list);
}

/* Whether the log has a list of a finished engine.  A failed build may only have the
 * list that the builder prints before it chooses tactics. */
static bool has_finished(const fsd_log_engines *engines)
{
    for (uint32_t i = 0; i < engines->n; i++)
        for (int form = 0; form < FSD_LOG_KINDS; form++)
            if (engines->at[i].lists[form].number)
                return true;
    return false;
}

/* Whether the build of this engine failed.  The builder also prints the layers of an
 * engine that it cannot finish. */
static bool engine_failed(const struct fsd_log_scan *scan, unsigned number)
{
    const fsd_log_engines *engines = &scan->engines;
    const struct fsd_log_engine *e = &engines->at[number ? number - 1 : 0];

    if (!engines->n || number > engines->n)
        return false;
    return fsd_log_failure_of(&scan->failures, e->attempt, first_list(e)->number);
}

static enum fsd_status choose(const struct fsd_file *file,
                              const struct fsd_log_scan *scan, unsigned number,
                              struct fsd_error *err)
{
    const fsd_log_engines *engines = &scan->engines;
    uint64_t lines = scan->lines;

    if (scan->failures.n && (!has_finished(engines) || engine_failed(scan, number)))
        return fsd_log_fail(&scan->failures, file, err);
    if (!engines->n)
        return fsd_fail(
            err, FSD_E_FORMAT, file->name, FSD_POS_LINE, lines,
            "expected the layers of an engine after \"Engine Layer Information:\" "
            "(verbose log) or \"Layers:\" (inspector), found neither in %llu "
            "lines; pass the complete log of a build with --verbose",
            (unsigned long long)lines);
    if (!number && engines->n > 1)
        return fail_several(file, engines, err);
    if (number > engines->n)
        return fsd_fail(err, FSD_E_ARG, file->name, FSD_POS_NONE, 0,
                        "expected --engine from 1 to %u, found %u", engines->n, number);
    return FSD_OK;
}

enum fsd_status fsd_log_engine_read(struct fsd_build *b, const struct fsd_file *file,
                                    unsigned number, const struct fsd_log_scan *scan,
                                    struct fsd_error *err)
{
    struct reading r = {.b = b, .file = file, .err = err};
    FSD_SCRATCH(scratch);
    struct fsd_log_scan own = {0};
    enum fsd_status status;

    if (!scan)
        fsd_log_find(scratch, file, &own);
    scan = scan ? scan : &own;
    status = choose(file, scan, number, err);
    FSD_THEN(status, read_engine(&r, &scan->engines.at[number ? number - 1 : 0]));
    return status;
}
