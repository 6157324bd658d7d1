/*
 * Reads TensorRT's messages about the deep learning accelerator (DLA) of a Jetson or
 * Drive. TensorRT prints one message for each layer that the user assigned to the DLA
 * but that the DLA cannot run:
 *
 *     Layer 'N' (SHUFFLE): Unsupported on DLA. Switching this layer's device type to
 *     GPU.
 *     Validation failed for DLA layer: N. Switching to GPU fallback.
 *     Default DLA is enabled but layer N is not supported on DLA, falling back to GPU.
 *     DLA only supports FP16 and Int8 precision type. Switching N device type to GPU.
 *     DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer N
 *
 * Often, a line before the message has the reason, and names the layer or one of its
 * tensors:
 *
 *     N: DLA cores do not support POW ElementWise operation.
 *     DLA Layer N does not support dynamic shapes in any dimension.
 *     DLA does not support dynamic shape tensor: N_output
 *
 * TensorRT's list of the kinds of layers (segment.c) shows the device of each layer.
 *
 * Source: logs of TensorRT 7.1 to 10 in public threads.  The messages differ from
 * version to version, so a reason is any warning with the word DLA in it.
 */
#include "read/log/log.h"

#include "base/base.h"
#include "host/files.h"

/* --------------------------------------------------------------- a layer that falls */

/* The forms of the messages: `begins`, the reason, `between`, the name of the layer,
 * `ends`.  If `between` is NULL, there is no reason: `begins`, the name, `ends`. */
static const struct {
    const char *begins, *between, *ends;
    bool typed; /* the layer's type follows its name */
} verdicts[] = {
    {"Layer ", NULL, ": Unsupported on DLA. Switching this layer's device type to GPU",
     true},
    {"Validation failed for DLA layer: ", NULL, ". Switching to GPU fallback", false},
    {"Default DLA is enabled but layer ", NULL,
     " is not supported on DLA, falling back to GPU", false},
    {"Default DLA is enabled but layer ", NULL,
     " is not running on DLA, falling back to GPU", false},
    {"", ". Switching to GPU for layer ", "", false},
    {"", ". Switching ", " device type to GPU", false},
};

/* Removes the type from the end of "'N' (SHUFFLE)", and the quotation marks around N.
 */
static struct fsd_slice take_type(struct fsd_slice *name)
{
    struct fsd_slice rest = *name, type;

    if (!fsd_slice_drop(&rest, ")") || !fsd_slice_split_last(&rest, " (", &type))
        type = (struct fsd_slice){"", 0};
    else
        *name = rest;
    if (fsd_slice_take(name, "'"))
        fsd_slice_drop(name, "'");
    return type;
}

static bool read_verdict(struct fsd_slice text, struct fsd_slice *name,
                         struct fsd_slice *type, struct fsd_slice *reason)
{
    fsd_slice_drop(&text, ".");
    for (size_t i = 0; i < FSD_COUNT_OF(verdicts); i++) {
        struct fsd_slice rest = text, head;

        if (!fsd_slice_take(&rest, verdicts[i].begins) ||
            !fsd_slice_drop(&rest, verdicts[i].ends))
            continue;
        head = rest;
        *reason = *type = (struct fsd_slice){"", 0};
        if (verdicts[i].between) {
            if (!fsd_slice_split_at(&head, verdicts[i].between, &rest) ||
                !fsd_slice_find(head, "DLA") || fsd_slice_is(rest, "this layer's"))
                continue;
            *reason = head;
        }
        if (verdicts[i].typed)
            *type = take_type(&rest);
        *name = rest;
        return name->n > 0;
    }
    return false;
}

static bool mentions(struct fsd_slice text, struct fsd_slice name)
{
    return memmem(text.s, text.n, name.s, name.n) != NULL;
}

/* Returns the reason that an earlier line states for this layer.  If the reason begins
 * with the layer's name, this name is removed.  The result is empty if there is no
 * reason. */
static struct fsd_slice reason_of(const struct fsd_event_reader *r,
                                  struct fsd_slice name)
{
    struct fsd_slice reason = r->dla_reason, rest = reason;

    if (!reason.n || (!mentions(reason, name) && r->line != r->dla_line + 1))
        return (struct fsd_slice){"", 0};
    if (rest.n > name.n && !memcmp(rest.s, name.s, name.n)) {
        rest = fsd_slice_from(rest, name.n);
        if (fsd_slice_take(&rest, ": "))
            reason = rest;
    }
    fsd_slice_drop(&reason, ".");
    return reason;
}

/* Stores the event that the DLA does not run the layer `name`.  The text of the event
 * is `reason`.  If `reason` is empty, the text states the unsupported `type` instead.
 * If both are empty, the text is "the log states no reason". */
static void keep_fallback(struct fsd_event_reader *r, struct fsd_slice name,
                          struct fsd_slice type, struct fsd_slice reason)
{
    struct fsd_event e = {.kind = FSD_EVENT_FALLBACK,
                          .a = fsd_intern_slice(r->h->names, name),
                          .b = fsd_intern_slice(r->h->names, type),
                          .build = r->build,
                          .line = r->line,
                          .unstated = !reason.n};
    char text[96] = "the log states no reason";

    if (type.n && type.n < 40)
        snprintf(text, sizeof text, "the DLA does not support this %.*s layer",
                 (int)type.n, type.s);
    e.text = reason.n ? fsd_intern_slice(r->h->names, reason)
                      : fsd_intern_str(r->h->names, text);
    fsd_vec_push(r->h->arena, &r->h->events, e);
}

/* Whether the text contains "DLA". The loop is faster than memmem(), whose preparation
 * takes longer than a search through a short line. */
static bool names_dla(struct fsd_slice t)
{
    const char *at = t.s, *end = t.s + t.n;

    while ((at = memchr(at, 'D', (size_t)(end - at)))) {
        if (end - at >= 3 && at[1] == 'L' && at[2] == 'A')
            return true;
        at++;
    }
    return false;
}

bool fsd_log_device_read(struct fsd_event_reader *r, struct fsd_slice text)
{
    struct fsd_slice name, type, reason;

    if (!names_dla(text))
        return false;
    if (!read_verdict(text, &name, &type, &reason)) {
        /* Lines with options (severity I) and the command line also contain "DLA", but
         * no reason. */
        if (r->severity != 'I' && !fsd_slice_begins(text, "&&&&")) {
            r->dla_reason = text;
            r->dla_line = r->line;
        }
        return false;
    }
    keep_fallback(r, name, type, reason.n ? reason : reason_of(r, name));
    r->dla_reason.n = 0;
    return true;
}

/* -------------------------------------------------------------- the list of devices */

void fsd_log_devices(struct fsd_history *h, const struct fsd_file *file,
                     const struct fsd_log_list *list, uint32_t build)
{
    struct fsd_log_lines lines = fsd_log_list_lines(file, list);
    struct fsd_log_line line;
    struct fsd_log_layer layer;
    uint32_t first = h->places.n;
    bool dla, any = false;

    lines.end = list->layers_end;
    while (list->number && fsd_log_next(&lines, &line)) {
        if (!fsd_log_kind_layer(line.text, &layer, &dla))
            continue;
        any |= dla;
        fsd_vec_push(h->arena, &h->places,
                     ((struct fsd_placement){
                         .provider = fsd_intern_str(h->names, dla ? "DLA" : "GPU"),
                         .name = fsd_intern_slice(h->names, layer.name),
                         .build = build}));
    }
    if (!any) /* no layer runs on the DLA: removes the placements again */
        h->places.n = first;
}
