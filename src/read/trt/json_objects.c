/*
 * Reads layers that stand between other lines.  A user's program prints them in a loop
 * over the engine inspector's get_layer_information():
 *
 *     --- Layer 0 ---
 *     {
 *       "Name": "conv", "LayerType": "CaskConvolution", ...
 *     }
 *     --- Layer 1 ---
 *     ...
 *
 * A line that begins with '{' begins an object.  The object ends with the line of its
 * closing bracket; in a damaged dump, a comma may follow the bracket.  Only objects
 * that name a layer are read.  Other lines are ignored, except for the numbers in
 * lines like "--- Layer 0 ---".  If such a number is missing, or if the last number
 * does not fit the number of layers that were read, the reader adds a remark.
 */
#include "read/trt/build.h"
#include "read/trt/json.h"

#include <stdlib.h>

struct objects {
    struct fsd_slice left; /* the rest of the file */
    uint64_t numbered;     /* the number of lines "--- Layer N ---" so far */
    bool gap;              /* a number in these lines is missing */
};

/* Reads the number of a layer: "--- Layer 3 ---". */
static void count_number(struct objects *o, struct fsd_slice line)
{
    uint64_t number;

    fsd_slice_drop(&line, "\r");
    line = fsd_slice_trim(line);
    if (!fsd_slice_take(&line, "--- Layer ") ||
        !fsd_slice_take_number(&line, UINT32_MAX, &number) ||
        !fsd_slice_is(line, " ---"))
        return;
    o->gap |= number != o->numbered;
    o->numbered = number + 1;
}

static void skip_line(struct objects *o)
{
    const char *end = memchr(o->left.s, '\n', o->left.n);
    size_t n = end ? (size_t)(end - o->left.s) + 1 : o->left.n;

    count_number(o, (struct fsd_slice){o->left.s, end ? n - 1 : n});
    o->left = fsd_slice_from(o->left, n);
}

/* Finds the next object.  Returns false if there is none.  `out` is empty if the object
 * has no closing bracket. */
static bool next_object(struct objects *o, struct fsd_slice *out)
{
    struct fsd_slice rest;

    while (o->left.n && *o->left.s != '{')
        skip_line(o);
    if (!o->left.n)
        return false;
    *out = (struct fsd_slice){o->left.s, fsd_slice_brackets(o->left)};
    o->left = fsd_slice_from(o->left, out->n);
    rest = o->left;
    fsd_slice_skip(&rest, " ");
    fsd_slice_take(&rest, "\r");
    return !out->n || !rest.n || *rest.s == '\n';
}

static enum fsd_status read_object(struct fsd_json_reading *r, struct fsd_slice raw)
{
    struct fsd_json_text text;
    enum fsd_status status = fsd_json_clean(r, raw, &text);
    cJSON *layer =
        status == FSD_OK && !text.deep ? cJSON_ParseWithLength(text.s, text.n) : NULL;
    bool is = fsd_json_get(layer, "Name") && fsd_json_get(layer, "LayerType");

    if (is)
        status = fsd_json_read_layer(r, layer, (struct fsd_slice){text.s, text.n});
    cJSON_Delete(layer);
    free(text.heap);
    return status;
}

static enum fsd_status read_objects(struct fsd_json_reading *r, struct objects *o)
{
    enum fsd_status status = FSD_OK;
    struct fsd_slice object;

    while (status == FSD_OK && next_object(o, &object)) {
        if (!object.n && r->layer)
            return fsd_fail(r->err, FSD_E_FORMAT, r->file->name, FSD_POS_BYTE,
                            r->file->size,
                            "layer %u: expected its closing bracket, found the end of "
                            "the file",
                            r->layer);
        if (!object.n)
            return FSD_OK;
        status = read_object(r, object);
    }
    return status;
}

enum fsd_status fsd_json_objects(struct fsd_build *b, const struct fsd_file *file,
                                 uint32_t *n, struct fsd_error *err)
{
    struct fsd_json_reading r = {.b = b, .file = file, .err = err, .foresees = true};
    const struct objects all = {.left = {(const char *)file->bytes, file->size}};
    struct objects o = all;
    enum fsd_status status = FSD_OK;
    char text[80];

    if (fsd_slice_find(all.left, FSD_TRT_PROFILE))
        status = read_objects(&r, &o);
    r.foresees = false;
    o = all;
    FSD_THEN(status, read_objects(&r, &o));
    if (status == FSD_OK && o.numbered && (o.gap || o.numbered != r.layer)) {
        snprintf(text, sizeof text,
                 "layers by the file's numbering: %llu; layers read: %u",
                 (unsigned long long)o.numbered, r.layer);
        fsd_build_remark(b, "input/odd-lines", fsd_intern_str(b->g->names, text));
    }
    *n = r.layer;
    return status;
}
