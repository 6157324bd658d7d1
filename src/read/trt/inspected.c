/*
 * The text that `polygraphy inspect model ENGINE --show layers` prints:
 *
 *     ==== TensorRT Engine ====
 *     ---- 1 Profile(s) (2 Tensor(s) Each) ----
 *     - Profile: 0
 *         Tensor: x    (Input), Index: 0 | Shapes: min=(1, 3), opt=(4, 3), max=(8, 3)
 *         Tensor: y   (Output), Index: 1 | Shape: (-1, 8)
 *     ---- 2 Layer(s) ----
 *     Layer 0    | conv + relu [Op: CaskConvolution]
 *         {x [dtype=float32, shape=(-1, 3), Format: Row major linear FP32],
 *          z [dtype=float32, shape=(-1, 3), Format: Row major linear FP32]}
 *          -> {y [dtype=float16, shape=(-1, 8), Format: Row major linear FP16]}
 *
 *         ---- Attributes ----             of --show attrs
 *         Origin = CONVOLUTION
 *         Tactic = 0x0000000000000001
 *
 * Polygraphy prints the inspector's JSON; so each layer is converted back to its JSON
 * object, which is read like any other.
 */
#include "read/trt/build.h"
#include "read/trt/json.h"

#include "base/base.h"
#include "read/log/log.h"

enum printed_part { HEAD, PROFILES, LAYERS };

enum { SIZES_MAX = 8 }; /* TensorRT's limit on the dimensions of a tensor */

struct printed {
    struct fsd_build *b;
    const struct fsd_file *file;
    struct fsd_error *err;
    enum printed_part part;
    cJSON *layer;   /* the current layer; NULL: none */
    cJSON *tensors; /* the open list of tensors of the current layer; NULL: none */
    bool named;     /* the engine has only the names of its layers */
    uint32_t layers;
    cJSON *bindings;   /* the bindings of all optimization profiles */
    cJSON *next;       /* the binding that comes next in the list of the current
                          profile */
    unsigned profiles; /* the number of lists of bindings that have begun; each
                          optimization profile has one list */
    bool full;         /* memory ran out */
};

/* ----------------------------------------------------------------------- pieces */

static void put_item(struct printed *p, cJSON *to, const char *key, cJSON *item)
{
    if (item &&
        (key ? cJSON_AddItemToObject(to, key, item) : cJSON_AddItemToArray(to, item)))
        return;
    cJSON_Delete(item);
    p->full = true;
}

static void put_text(struct printed *p, cJSON *to, const char *key, struct fsd_slice t)
{
    put_item(p, to, key, fsd_json_string(t));
}

static cJSON *put_list(struct printed *p, cJSON *to, const char *key)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);

    p->full |= !list;
    return list;
}

/* Adds the numbers in a text like "1, 3, -1" as an array with the key `key`. Adds
 * nothing if there are too many numbers. */
static void put_sizes(struct printed *p, cJSON *to, const char *key, struct fsd_slice t)
{
    cJSON *list = put_list(p, to, key);
    uint64_t size;

    for (int n = 0;; n++) {
        bool open;

        fsd_slice_skip(&t, " ");
        open = fsd_slice_take(&t, "-");
        if (!fsd_slice_take_number(&t, INT64_MAX / 10, &size))
            return;
        if (n == SIZES_MAX) {
            cJSON_DeleteItemFromObject(to, key);
            return;
        }
        put_item(p, list, NULL, cJSON_CreateNumber(open ? -1.0 : (double)size));
        fsd_slice_skip(&t, ",");
    }
}

/* Finds the text between `word`, which ends with an opening bracket, and the closing
 * bracket. */
static bool find_sizes(struct fsd_slice t, const char *word, struct fsd_slice *out)
{
    struct fsd_slice behind;

    if (!fsd_slice_split_at(&t, word, out) || !out->n || !strchr("([", *out->s))
        return false;
    behind = *out;
    *out = fsd_slice_from(*out, 1);
    return fsd_slice_split_at(out, *behind.s == '(' ? ")" : "]", &behind);
}

/* ---------------------------------------------------------------------- tensors */

/* Reads a tensor like "x [dtype=float32, shape=(1, 3), Format: Row major linear
 * FP32]". */
static void read_printed_tensor(struct printed *p, struct fsd_slice t)
{
    struct fsd_slice name = t, about, sizes, format, type, rest;
    cJSON *tensor = cJSON_CreateObject();

    put_item(p, p->tensors, NULL, tensor);
    if (p->full)
        return;
    if (!fsd_slice_split_last(&name, " [dtype=", &about) &&
        !fsd_slice_split_last(&name, " [shape=", &about)) {
        about = (struct fsd_slice){t.s + t.n, 0};
        name = t;
    }
    fsd_slice_drop(&about, "]");
    put_text(p, tensor, "Name", name);
    if (find_sizes((struct fsd_slice){name.s + name.n, t.n - name.n}, "shape=", &sizes))
        put_sizes(p, tensor, "Dimensions", sizes);
    rest = about;
    if (fsd_slice_split_at(&rest, "Format: ", &format)) {
        fsd_slice_split_at(&format, ", min=", &rest); /* drops statistics of values,
                                                         which a run measured */
        put_text(p, tensor, "Format/Datatype", format);
    } else {
        type = about;
        fsd_slice_split_at(&type, ",", &rest);
        put_text(p, tensor, "Datatype", type);
    }
}

/* Reads a line of a list of tensors. A bracket at the end of the line closes the
 * list. */
static void read_tensors(struct printed *p, struct fsd_slice t)
{
    bool ends = fsd_slice_drop(&t, "}");

    fsd_slice_drop(&t, ",");
    if (t.n)
        read_printed_tensor(p, t);
    if (ends)
        p->tensors = NULL;
}

/* Removes the suffix from a name like "X [profile 1]". TensorRT up to 8.4 adds it to
 * each tensor in every profile but the first. */
static void drop_profile(struct fsd_slice *name)
{
    struct fsd_slice rest = *name, number;

    if (fsd_slice_drop(&rest, "]") &&
        fsd_slice_split_last(&rest, " [profile ", &number))
        *name = rest;
}

/* Splits a binding like "x (Input), Index: 0 | Shapes: min=(1, 3), opt=(4, 3), max=(8,
 * 3)" or, in older versions of Polygraphy, "0 (Input) [Name: x] | Shapes: ...". */
static bool split_binding(struct fsd_slice t, struct fsd_slice *name,
                          struct fsd_slice *about, bool *output)
{
    uint64_t index;

    if (fsd_slice_take(&t, "Tensor: ")) {
        *output = !fsd_slice_split_last(&t, "(Input), Index: ", about);
        if (*output && !fsd_slice_split_last(&t, "(Output), Index: ", about))
            return false;
        *name = fsd_slice_trim(t);
        return true;
    }
    if (!fsd_slice_take(&t, "Binding Index: ") ||
        !fsd_slice_take_number(&t, UINT32_MAX, &index))
        return false;
    t = fsd_slice_trim(t);
    *output = fsd_slice_take(&t, "(Output)");
    if (!*output && !fsd_slice_take(&t, "(Input)"))
        return false;
    fsd_slice_skip(&t, " ");
    if (!fsd_slice_take(&t, "[Name: ") || !fsd_slice_split_last(&t, "| ", about))
        return false;
    *name = fsd_slice_trim(t);
    fsd_slice_drop(name, "]");
    drop_profile(name);
    return true;
}

/* Adds "Dimensions" to a binding. A size is -1 if its minimum and its maximum differ in
 * the first optimization profile. */
static void put_fixed(struct printed *p, cJSON *binding)
{
    const cJSON *profile = fsd_json_get(binding, "ProfileInfo")->child;
    const cJSON *least = fsd_json_get(profile, "MinShape");
    const cJSON *most = fsd_json_get(profile, "MaxShape"), *size;
    cJSON *list = least ? put_list(p, binding, "Dimensions") : NULL;

    most = most ? most->child : NULL;
    cJSON_ArrayForEach (size, least) {
        bool same = most && cJSON_GetNumberValue(size) == cJSON_GetNumberValue(most);

        put_item(p, list, NULL,
                 cJSON_CreateNumber(same ? cJSON_GetNumberValue(size) : -1));
        most = most ? most->next : NULL;
    }
}

/* Adds the sizes of an input in one more optimization profile. */
static void put_profile(struct printed *p, cJSON *list, struct fsd_slice about)
{
    static const char *const words[][2] = {
        {"min=", "MinShape"}, {"opt=", "OptShape"}, {"max=", "MaxShape"}};
    cJSON *profile = cJSON_CreateObject();
    struct fsd_slice sizes;

    for (size_t i = 0; profile && i < FSD_COUNT_OF(words); i++)
        if (find_sizes(about, words[i][0], &sizes))
            put_sizes(p, profile, words[i][1], sizes);
    put_item(p, list, NULL, profile);
}

/* Reads a line about an input or output. Each optimization profile lists the same
 * tensors in the same order. */
static void read_profile_binding(struct printed *p, struct fsd_slice t)
{
    struct fsd_slice name, about, sizes;
    cJSON *binding;
    bool output;

    if (!split_binding(t, &name, &about, &output))
        return;
    if (p->profiles > 1) {
        binding = p->next;
        p->next = binding ? binding->next : NULL;
        if (binding && !output)
            put_profile(p, cJSON_GetObjectItemCaseSensitive(binding, "ProfileInfo"),
                        about);
        return;
    }
    binding = cJSON_CreateObject();
    put_text(p, binding, "Name", name);
    put_text(p, binding, "IOMode", fsd_slice_of(output ? "Output" : "Input"));
    if (output && find_sizes(about, ": ", &sizes))
        put_sizes(p, binding, "Dimensions", sizes);
    if (!output)
        put_profile(p, put_list(p, binding, "ProfileInfo"), about);
    if (!output && !p->full)
        put_fixed(p, binding);
    put_item(p, p->bindings, NULL, binding);
}

/* Adds the bindings to the graph, after all optimization profiles were read. */
static enum fsd_status end_bindings(struct printed *p)
{
    enum fsd_status status = FSD_OK;
    const cJSON *binding;

    cJSON_ArrayForEach (binding, p->bindings) {
        if (status == FSD_OK && !p->full)
            status = fsd_json_binding(p->b, p->file, binding, p->err);
    }
    cJSON_Delete(p->bindings);
    p->bindings = cJSON_CreateArray();
    p->full |= !p->bindings;
    return status;
}

/* ----------------------------------------------------------------------- layers */

static enum fsd_status end_layer(struct printed *p)
{
    enum fsd_status status = FSD_OK;

    if (p->layer && !p->full)
        status = fsd_json_layer(p->b, p->file, p->layers++,
                                p->named ? fsd_json_get(p->layer, "Name") : p->layer,
                                p->err);
    cJSON_Delete(p->layer);
    p->layer = p->tensors = NULL;
    return status;
}

/* Begins a layer with a line like "Layer 0    | conv + relu [Op: CaskConvolution]". */
static bool begin_layer(struct printed *p, struct fsd_slice t)
{
    struct fsd_slice op;
    uint64_t number;

    if (!fsd_slice_take(&t, "Layer ") ||
        !fsd_slice_take_number(&t, UINT32_MAX, &number))
        return false;
    fsd_slice_skip(&t, " ");
    if (!fsd_slice_take(&t, "| ") || !fsd_slice_split_last(&t, " [Op: ", &op))
        return false;
    fsd_slice_drop(&op, "]");
    p->named = fsd_slice_is(op, "Unknown");
    p->layer = cJSON_CreateObject();
    put_text(p, p->layer, "Name", t);
    put_text(p, p->layer, "LayerType", op);
    return true;
}

static enum fsd_status read_layer_line(struct printed *p, struct fsd_slice t)
{
    enum fsd_status status = FSD_OK;

    if (fsd_slice_begins(t, "Layer ") && !p->tensors) {
        status = end_layer(p);
        if (status == FSD_OK)
            begin_layer(p, t);
    } else if (!p->layer) {
        return FSD_OK;
    } else if (p->tensors) {
        read_tensors(p, t);
    } else if (fsd_slice_take(&t, "-> {")) {
        p->tensors = put_list(p, p->layer, "Outputs");
        read_tensors(p, t);
    } else if (fsd_slice_take(&t, "{")) {
        p->tensors = put_list(p, p->layer, "Inputs");
        read_tensors(p, t);
    } else if (fsd_slice_take(&t, "Origin = ") && !fsd_slice_is(t, "Unknown")) {
        put_text(p, p->layer, "Origin", t);
    } else if (fsd_slice_take(&t, "Tactic = ") && !fsd_slice_is(t, "Unknown")) {
        put_text(p, p->layer, fsd_slice_begins(t, "0x") ? "TacticValue" : "TacticName",
                 t);
    }
    return status;
}

/* ------------------------------------------------------------------------- file */

static enum fsd_status read_printed_line(struct printed *p, struct fsd_slice t)
{
    enum fsd_status status;

    t = fsd_slice_trim(t);
    if (fsd_slice_begins(t, "---- ") && !fsd_slice_begins(t, "---- Attributes")) {
        p->part = fsd_slice_find(t, " Profile(s) (") ? PROFILES
                  : fsd_slice_find(t, " Layer(s)")   ? LAYERS
                                                     : HEAD;
        p->profiles = 0;
        status = end_bindings(p);
        return status == FSD_OK ? end_layer(p) : status;
    }
    if (p->part == PROFILES && fsd_slice_begins(t, "- Profile: ")) {
        p->profiles++;
        p->next = p->bindings->child;
    } else if (p->part == PROFILES && p->profiles) {
        read_profile_binding(p, t);
    }
    return p->part == LAYERS ? read_layer_line(p, t) : FSD_OK;
}

static enum fsd_status read_lines(struct printed *p)
{
    struct fsd_log_lines lines = fsd_log_lines(p->file);
    enum fsd_status status = FSD_OK;
    struct fsd_log_line line;

    p->bindings = cJSON_CreateArray();
    p->full = !p->bindings;
    while (status == FSD_OK && !p->full && fsd_log_next(&lines, &line))
        status = read_printed_line(p, line.text);
    if (status == FSD_OK && !p->full)
        status = end_bindings(p);
    if (status == FSD_OK && !p->full)
        status = end_layer(p);
    return p->full ? fsd_fail_memory(p->err, p->file->name) : status;
}

enum fsd_status fsd_inspected_read(struct fsd_build *b, const struct fsd_file *file,
                                   struct fsd_error *err)
{
    struct printed p = {.b = b, .file = file, .err = err};
    enum fsd_status status = read_lines(&p);

    cJSON_Delete(p.layer);
    cJSON_Delete(p.bindings);
    b->g->kind = b->g->detailed ? "trt-text" : "trt-names";
    if (status != FSD_OK || p.layers)
        return status;
    return fsd_engine_refuse(
        file, err,
        "Polygraphy's summary of an engine, which lists no layers; "
        "run: polygraphy inspect model ENGINE --show layers attrs");
}
