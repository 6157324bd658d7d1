/*
 * Advice on a layer at an input or output of the network, or between two engines of one
 * model.  The advice is the I/O format with which the builder would not insert the
 * layer.
 *
 * The advice names a format only if the builder accepts it (fsd_accepts_format()).  The
 * option --inputIOFormats has one format for each input, or a single format for all
 * inputs.  So if only one input needs another format, the advice still states the
 * formats of all inputs.  The same holds for --outputIOFormats.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"
#include "read/engine/reader.h"

#include <stdlib.h>

enum { LISTED_PORTS = 2, MOST_BORDERS = 64 };

/* Whether a layer with these forms of its input and its output changes neither type nor
 * layout. */
static bool keeps_format(const struct fsd_form *in, const struct fsd_form *made)
{
    return in && made && in->type == made->type &&
           in->layout.order != FSD_ORDER_UNKNOWN &&
           fsd_layout_same(in->layout, made->layout);
}

/* Advice for a layer that reads or writes a tensor which one engine passes to another.
 * The advice is to use one format for the tensor in both builds, or to build a single
 * engine.  Returns false for other layers. */
static bool advise_crossing(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_id in = fsd_node_in_tensor(d->engine, layer, 0);
    fsd_id made = fsd_node_out_tensor(d->engine, layer, 0);

    if (!fsd_tensor_is(d->engine, in, FSD_TENSOR_CROSSES) &&
        !fsd_tensor_is(d->engine, made, FSD_TENSOR_CROSSES))
        return false;
    fputs("two engines meet here: build both with one format for this tensor "
          "(--outputIOFormats of the first, --inputIOFormats of the next), or build "
          "both parts as one engine",
          out);
    return true;
}

/* Sets `tensor` to the output of the network to which the layer's data goes; FSD_NONE
 * if there is none.  Returns the form in which the layer writes this data. */
static const struct fsd_form *written_for_border(const struct fsd_diff *d, fsd_id layer,
                                                 fsd_id *tensor)
{
    struct fsd_span out = d->engine->nodes.at[layer].out;

    FSD_EACH_IN (const struct fsd_port, port, d->engine->ports, out) {
        if (!fsd_tensor_is(d->engine, port->tensor, FSD_TENSOR_OUTPUT))
            continue;
        *tensor = port->tensor;
        return fsd_port_form(d->engine, port);
    }
    *tensor = fsd_layer_border_out(d->engine, d->layers, layer);
    return fsd_layer_form_out(d->engine, layer);
}

/* ------------------------------------------------------------ what a layer needs */

/* The I/O format with which the builder would not insert a layer at the border. */
struct need {
    fsd_id tensor; /* an input or output of the network; FSD_NONE if unknown */
    bool input;
    enum fsd_dtype type;
    char layout[16];   /* "" if unknown */
    const char *other; /* why no such format is known; NULL: this is one */
};

/* Whether both forms have the same sizes from the channel axis to the last axis.  The
 * axes before the channels do not matter, because an I/O format counts axes from the
 * end. */
static bool ends_alike(const struct fsd_graph *e, const struct fsd_form *form,
                       const struct fsd_form *border)
{
    uint32_t n = form->dims.n - form->layout.axis;

    if (form->layout.axis >= form->dims.n || n > border->dims.n)
        return false;
    for (uint32_t i = 1; i <= n; i++)
        if (e->dims.at[form->dims.at + form->dims.n - i].size !=
            e->dims.at[border->dims.at + border->dims.n - i].size)
            return false;
    return true;
}

/* Derives the layout from strides in the log: "Int8(784,784:4,28,1)" is chw4, and
 * "Half(784,1:2,28,1)" is hwc2.  The stride before the colon is 1 if the vectors of
 * channels are adjacent. */
static void layout_of_strides(const char *text, char out[16])
{
    const char *strides = strchr(text, '('), *vector, *at;
    unsigned long width;

    *out = '\0';
    vector = strides ? strchr(strides, ':') : NULL;
    if (!vector || vector > strides + strcspn(strides, ")"))
        return;
    width = strtoul(vector + 1, NULL, 10);
    at = vector;
    while (at[-1] >= '0' && at[-1] <= '9')
        at--;
    snprintf(out, 16, "%s%lu", strtoul(at, NULL, 10) == 1 ? "hwc" : "chw",
             width % 1000);
}

/* Reads a layout from the log.  If the log states that the builder added the layer, the
 * event has the text "FORM to FORM".  The layout is that of the second form if
 * `written` is true, else of the first.  Writes "" if the layout is unknown. */
static void layout_in_log(const struct fsd_diff *d, fsd_id layer, bool written,
                          char out[16])
{
    const struct fsd_event *e = fsd_diff_event(d, d->reasons[layer].event);
    const char *text, *to;

    *out = '\0';
    if (!e || e->kind != FSD_EVENT_REFORMAT)
        return;
    text = fsd_text(d->history->names, e->text);
    to = strstr(text, ") to ");
    if (to)
        layout_of_strides(written ? to + 5 : text, out);
}

static void find_layout(const struct fsd_diff *d, fsd_id layer,
                        const struct fsd_form *form, const struct fsd_form *border,
                        struct need *need)
{
    const struct fsd_layout *l = &form->layout;
    uint32_t rank = border->ranked ? border->dims.n : form->dims.n, channels;

    fsd_layout_name(*l, need->layout);
    if (need->layout[0] == 'c' && need->layout[1] >= '0' && need->layout[1] <= '9')
        *need->layout = '\0'; /* "c4" may be chw4 or hwc4 */
    if (!*need->layout)
        layout_in_log(d, layer, need->input, need->layout);
    if (!*need->layout) {
        need->other = "the dump does not show which layout is needed";
        return;
    }
    channels = strchr(need->layout, 'd') ? 4 : 3; /* number of axes from the channel
                                                     axis to the last axis */
    if (!form->ranked && !border->ranked)
        rank = channels + 1; /* assume a batch of images or of volumes */
    else if (l->order != FSD_ORDER_LINEAR && l->order != FSD_ORDER_UNKNOWN &&
             (form->dims.n != l->axis + channels ||
              (form->ranked && border->ranked && !ends_alike(d->engine, form, border))))
        need->other = "no I/O format has this order of axes";
    if (!need->other &&
        !fsd_accepts_format(d->engine, need->type, need->layout, rank, need->input))
        need->other = "the builder does not accept the needed I/O format";
}

/* Whether another layer reads the input of `layer` in the input's present format.  If
 * this format changed, the other layer would need a reformat. */
static bool is_shared(const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_span in = d->engine->nodes.at[layer].in, readers;

    if (!in.n)
        return false;
    readers = fsd_port_peers(d->engine, in.at, false);
    FSD_EACH_ID (other, d->engine->links, readers)
        if (other != layer && d->reasons[other].cause != FSD_CAUSE_IO)
            return true;
    return false;
}

static struct need need_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    fsd_id first = fsd_node_in_tensor(e, layer, 0);
    struct need need = {
        .tensor = fsd_layer_border_in(e, d->layers, layer),
        .input = (first != FSD_NONE && d->flows->of[layer].source == FSD_NONE) ||
                 fsd_layer_border_in(e, d->layers, layer) != FSD_NONE};
    const struct fsd_form *in = fsd_layer_form_in(e, layer),
                          *made = need.input
                                      ? fsd_layer_form_out(e, layer)
                                      : written_for_border(d, layer, &need.tensor);
    const struct fsd_form *form = need.input ? made : in,
                          *border = need.input ? in : made;

    if (!form || !border) {
        need.other = "the dump does not show its tensors";
        return need;
    }
    need.type = form->type;
    if (fsd_layer_pads(d->match, layer, NULL))
        need.other = "it pads the tensor, and no format avoids that";
    else if (keeps_format(in, made) && in->raw == made->raw)
        need.other = "it converts nothing, because it reads and writes the same format";
    else if (fsd_moves_unasked(d->match, &d->layers[layer], layer) &&
             in->dims.n == made->dims.n && !fsd_sizes_alike(e, in, e, made, false))
        need.other = "it copies the elements without a change of their order";
    else if (need.input && is_shared(d, layer))
        need.other = "another layer reads the tensor in its present format";
    else if (keeps_format(in, made)) /* only the names of the formats differ, for
                                        example if there is one channel */
        snprintf(need.layout, sizeof need.layout, "%s",
                 strstr(fsd_text(d->names, form->raw), "DHWC")  ? "dhwc"
                 : strstr(fsd_text(d->names, form->raw), "HWC") ? "hwc"
                                                                : "chw");
    else
        find_layout(d, layer, form, border, &need);
    return need;
}

/* ---------------------------------------------------------------------- the words */

/* `tensor` is an input or output of the network.  Finds the format of `tensor` with
 * which the builder would not insert a layer there; false if there is no inserted
 * layer, or if no format removes it. */
static bool need_at(const struct fsd_diff *d, fsd_id tensor, bool input,
                    struct need *found)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_span beside =
        input ? fsd_tensor_consumers(e, tensor) : e->tensors.at[tensor].producers;

    for (uint32_t i = 0; i < beside.n && i < MOST_BORDERS; i++) {
        fsd_id layer = e->links.at[beside.at + i];

        if (d->reasons[layer].cause != FSD_CAUSE_IO)
            continue;
        *found = need_of(d, layer);
        if (!found->other && found->tensor == tensor && found->input == input)
            return true;
    }
    return false;
}

/* The inputs or the outputs of the network, as engine tensors. */
struct borders {
    fsd_id at[MOST_BORDERS];
    uint32_t n;
};

static struct fsd_span borders_of(const struct fsd_diff *d, bool input)
{
    return input ? d->engine->scopes.at[0].inputs : d->engine->scopes.at[0].outputs;
}

static const struct fsd_form *border_form(const struct fsd_diff *d, fsd_id tensor)
{
    const struct fsd_tensor *t = &d->engine->tensors.at[tensor];

    return fsd_graph_form(d->engine, t->bound != FSD_NONE ? t->bound : t->form);
}

/* The name of the tensor in the model, or else in the engine.  The engine's name may
 * differ, because an engine names an input once for each of its optimization
 * profiles. */
static fsd_sym called(const struct fsd_diff *d, fsd_id tensor)
{
    fsd_id held = fsd_match_held(d->match, tensor);

    return held != FSD_NONE ? d->model->tensors.at[held].name
                            : d->engine->tensors.at[tensor].name;
}

static void add_border(const struct fsd_diff *d, fsd_id tensor, struct borders *list)
{
    bool has = list->n == MOST_BORDERS;

    for (uint32_t i = 0; i < list->n && !has; i++)
        has = called(d, list->at[i]) == called(d, tensor);
    if (!has)
        list->at[list->n++] = tensor;
}

/* Lists each input or output once, in the order of the model, which is the order that
 * the builder expects.  The engine's order may differ: without a list of bindings, it
 * is the order in which layers read the inputs. */
static struct borders list_borders(const struct fsd_diff *d, bool input)
{
    const struct fsd_scope *of = &d->model->scopes.at[0];
    struct fsd_span ports = input ? of->inputs : of->outputs,
                    all = borders_of(d, input);
    struct borders list = {.n = 0};

    for (uint32_t k = 0; k < ports.n; k++)
        for (uint32_t i = 0; i < all.n; i++)
            if (called(d, d->engine->links.at[all.at + i]) ==
                d->model->tensors.at[d->model->links.at[ports.at + k]].name)
                add_border(d, d->engine->links.at[all.at + i], &list);
    for (uint32_t i = 0; i < all.n; i++)
        add_border(d, d->engine->links.at[all.at + i], &list);
    return list;
}

/* Writes the format that an input or output should have, such as "fp32:hwc", to `text`.
 * This is the present format unless another format removes a layer. */
static void write_format(const struct fsd_diff *d, fsd_id tensor, bool input,
                         char text[FSD_FORM_ROOM])
{
    const struct fsd_form *form = border_form(d, tensor);
    struct need need;
    char layout[16];

    if (need_at(d, tensor, input, &need) &&
        (!d->engine->strongly_typed || need.type == form->type)) {
        snprintf(text, FSD_FORM_ROOM, "%s:%s", fsd_dtype_name(need.type), need.layout);
        return;
    }
    fsd_layout_name(form->layout, layout);
    snprintf(text, FSD_FORM_ROOM, "%s:%s", fsd_dtype_name(form->type),
             form->layout.order == FSD_ORDER_UNKNOWN ||
                     form->layout.order == FSD_ORDER_PERMUTED
                 ? "chw"
                 : layout);
}

/* Prints the option "--inputIOFormats=fp32:hwc,int32:chw" with the formats of all
 * inputs or outputs of the network.  If all formats are equal, prints only one, because
 * the builder applies a single format to all of them. */
static void put_formats(const struct fsd_diff *d, bool input, FILE *out)
{
    struct borders list = list_borders(d, input);
    char first[FSD_FORM_ROOM] = "", text[FSD_FORM_ROOM];
    bool same = true;

    for (uint32_t i = 0; i < list.n; i++) {
        write_format(d, list.at[i], input, i ? text : first);
        same &= !i || !strcmp(first, text);
    }
    fprintf(out, "--%sIOFormats=%s", input ? "input" : "output", first);
    for (uint32_t i = 1; i < list.n && !same; i++) {
        write_format(d, list.at[i], input, text);
        fprintf(out, ",%s", text);
    }
}

/* Prints the names of the inputs or outputs whose format should change: "`x`, `y`". */
static void put_changed(const struct fsd_diff *d, bool input, FILE *out)
{
    struct borders list = list_borders(d, input);
    uint32_t n = 0;

    for (uint32_t i = 0; i < list.n; i++) {
        struct need need;

        if (!need_at(d, list.at[i], input, &need))
            continue;
        if (++n > LISTED_PORTS)
            continue;
        fputs(n > 1 ? ", `" : "`", out);
        fsd_put_brief(d, called(d, list.at[i]), out);
        fputs("`", out);
    }
    if (n > LISTED_PORTS)
        fprintf(out, " and %u more", n - LISTED_PORTS);
}

static bool advise_format(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    struct need need = need_of(d, layer), first;
    const char *side = need.input ? "input" : "output";
    const struct fsd_form *border;

    if (!need.other &&
        (need.tensor == FSD_NONE || !need_at(d, need.tensor, need.input, &first)))
        need.other =
            "another layer is between this layer and the network's input or output";
    else if (!need.other &&
             (first.type != need.type || strcmp(first.layout, need.layout) != 0))
        need.other = "another layer needs the tensor in a different format";
    if (borders_of(d, need.input).n > MOST_BORDERS)
        need.other = "the network has too many inputs or outputs for one command";
    if (need.other) {
        fprintf(out, "no I/O format removes this layer: %s", need.other);
        return false;
    }
    border = border_form(d, need.tensor);
    if (d->engine->strongly_typed && border->type != need.type) {
        fprintf(out, "change the network %s `", side);
        fsd_put_brief(d, called(d, need.tensor), out);
        fprintf(out,
                "` to %s in the model (a strongly typed build takes its types from the "
                "model)",
                fsd_dtype_name(need.type));
        return true;
    }
    fputs("build with ", out);
    put_formats(d, need.input, out);
    fprintf(out, " and %s ", need.input ? "pass" : "read");
    put_changed(d, need.input, out);
    fputs(" in that format", out);
    return true;
}

bool fsd_advise_io(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    return advise_crossing(d, layer, out) || advise_format(d, layer, out);
}
