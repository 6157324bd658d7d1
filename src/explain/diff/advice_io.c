/*
 * Advice for a layer at an input or output of the network, or where two engines of one
 * model meet: the I/O format with which the builder would not insert it.
 */
#include "explain/diff/step.h"

#include <string.h>

/* A layer at the border that changes neither type nor layout: it pads, copies or
 * slices, which no other I/O format saves. */
static bool keeps_format(const struct fsd_form *in, const struct fsd_form *made)
{
    return in && made && in->type == made->type &&
           in->layout.order != FSD_ORDER_UNKNOWN &&
           fsd_layout_same(in->layout, made->layout);
}

/* Where one engine passes a tensor to another, both builds choose its format. */
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

/* What the layer writes for the network's border: of several outputs the network's
 * output. */
static const struct fsd_form *written_for_border(const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_span out = d->engine->nodes.at[layer].out;

    for (uint32_t i = 0; i < out.n; i++) {
        const struct fsd_port *port = &d->engine->ports.at[out.at + i];

        if (fsd_tensor_is(d->engine, port->tensor, FSD_TENSOR_OUTPUT))
            return fsd_port_form(d->engine, port);
    }
    return fsd_layer_form_out(d->engine, layer);
}

/* The builder's name of a layout among its I/O formats; "": the dump does not show the
 * layout; NULL: there is no such format.  The channel is the third axis from the end in
 * formats of two spatial dimensions, and the fourth in those of three; the network's
 * tensor may have fewer dimensions than the kernel's.
 * @param border  NULL: not known. */
static const char *border_format(const struct fsd_form *form,
                                 const struct fsd_form *border)
{
    static const char *const names[] = {"",      "chw",   "chw2",  "chw4",
                                        "chw16", "chw32", "hwc",   "hwc8",
                                        "hwc16", "dhwc",  "dhwc8", "cdhw32"};
    const struct fsd_layout *l = &form->layout;
    uint32_t rank = border && border->dims.n ? border->dims.n : form->dims.n;
    char name[16];

    fsd_layout_name(*l, name);
    if (name[0] == 'c' && name[1] >= '0' && name[1] <= '9')
        return ""; /* a vector of channels, in an unknown order */
    if (l->order != FSD_ORDER_LINEAR && *name && rank &&
        l->axis + (strchr(name, 'd') ? 4U : 3U) != rank)
        return NULL;
    for (size_t i = 0; i < FSD_COUNT_OF(names); i++)
        if (!strcmp(names[i], name))
            return names[i];
    return NULL;
}

static bool advise_format(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_id first = fsd_node_in_tensor(d->engine, layer, 0);
    bool input = (first != FSD_NONE && d->flows->of[layer].source == FSD_NONE) ||
                 fsd_layer_border_in(d->engine, d->layers, layer) != FSD_NONE;
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = input ? fsd_layer_form_out(d->engine, layer)
                                        : written_for_border(d, layer);
    const struct fsd_form *form = input ? made : in, *border = input ? in : made;
    const char *side = input ? "input" : "output", *format;
    char layout[16];

    if (!form)
        return false;
    fsd_layout_name(form->layout, layout);
    if (keeps_format(in, made) && in->raw == made->raw) {
        fprintf(out, "it reads and writes %s %s: no I/O format removes it",
                fsd_dtype_name(form->type), layout);
        return false;
    }
    if (keeps_format(in, made)) { /* as with one channel, which has the same layout in
                                     several formats */
        const char *words = fsd_text(d->names, form->raw);

        if (strstr(words, "HWC"))
            fprintf(out, "build with --%sIOFormats=%s:%s", side,
                    fsd_dtype_name(form->type), strstr(words, "DHWC") ? "dhwc" : "hwc");
        else
            fprintf(out, "request the network %s in \"%s\"", side, words);
        fputs(", in which its elements have the same order", out);
        return true;
    }
    if (d->engine->strongly_typed && border && border->type != form->type) {
        fprintf(out,
                "change the network %s to %s in the model: a strongly typed build "
                "takes its types from the model",
                side, fsd_dtype_name(form->type));
        return true;
    }
    format = border_format(form, border);
    if (!format) {
        fprintf(out,
                "no I/O format has the layout %s %s, which the %s layer %s: this "
                "layer remains as long as that one does",
                fsd_dtype_name(form->type), layout, input ? "first" : "last",
                input ? "reads" : "writes");
        return false;
    }
    if (fsd_advise_padding(d, layer, out)) /* which the format alone leaves */
        fputs(", and ", out);
    fprintf(out,
            "build with --%sIOFormats=%s:%s%s and %s the network %s in that format",
            side, fsd_dtype_name(form->type), *format ? format : "LAYOUT",
            *format ? "" : " (the dump does not show the LAYOUT)",
            input ? "pass" : "read", side);
    return true;
}

bool fsd_advise_io(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    return advise_crossing(d, layer, out) || advise_format(d, layer, out);
}
