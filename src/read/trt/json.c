/*
 * Reads a layer, or a binding, of TensorRT's engine inspector from JSON:
 *
 *     {"Name": ..., "LayerType": ..., "Inputs": [...], ...} or "name"     a layer
 *     "in", or {"Name": ..., "IOMode": ...} since TensorRT 11             a binding
 *
 * A layer is an object, or only its name if the engine was built without
 * profilingVerbosity=detailed.  A key that this file does not know becomes an attribute
 * of the layer, if its value is a number, a text, or a list of these.  Values that no
 * engine has (NaN, sizes that are no numbers, a repeated key) become remarks.
 */
#include "read/trt/build.h"
#include "read/trt/json.h"

#include "base/base.h"
#include "host/files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Maximum counts.  They are far above the counts of any engine, but a machine has
 * enough memory for them. */
enum { RANK_MAX = 64, LAYERS_MAX = 1 << 20, MENTIONS_MAX = 1 << 24 };

/* A file may have LAYERS_FREE layers, and one more per LAYER_BYTES bytes of its size.
 * A run needs about 1,000 bytes of memory for a layer.  The shortest layer in a dump,
 * with only a name, takes about 30 bytes. */
enum { LAYERS_FREE = 1 << 15, LAYER_BYTES = 32 };

/* ------------------------------------------------------------------- messages */

cJSON *fsd_json_string(struct fsd_slice t)
{
    size_t n = t.n, used = 0;
    char *copy;
    cJSON *item;

    for (size_t i = 0; i < t.n; i++)
        n += t.s[i] ? 0 : 3;
    copy = malloc(n + 1);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < t.n; i++) {
        memcpy(copy + used, t.s[i] ? &t.s[i] : "\\x00", t.s[i] ? 1 : 4);
        used += t.s[i] ? 1 : 4;
    }
    copy[used] = '\0';
    item = cJSON_CreateString(copy);
    free(copy);
    return item;
}

const char *fsd_json_kind(const cJSON *item)
{
    if (cJSON_IsString(item))
        return "a string";
    if (cJSON_IsNumber(item))
        return "a number";
    if (cJSON_IsArray(item))
        return "a list";
    if (cJSON_IsObject(item))
        return "an object";
    return cJSON_IsNull(item) ? "null" : cJSON_IsBool(item) ? "a boolean" : "nothing";
}

enum fsd_status fsd_json_fail_limit(const struct fsd_json_reading *r, unsigned limit,
                                    const char *of)
{
    return fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_NONE, 0,
                    "expected at most %u %s, found more", limit, of);
}

unsigned fsd_json_most(const struct fsd_file *file, unsigned free, unsigned bytes,
                       unsigned max)
{
    uint64_t n = free + file->size / bytes;

    return n < max ? (unsigned)n : max;
}

enum fsd_status fsd_json_layers_fit(const struct fsd_file *file, uint32_t n,
                                    struct fsd_error *err)
{
    const struct fsd_json_reading r = {.file = file, .err = err};
    const unsigned limit = fsd_json_most(file, LAYERS_FREE, LAYER_BYTES, LAYERS_MAX);

    return n > limit ? fsd_json_fail_limit(&r, limit, "layers") : FSD_OK;
}

static enum fsd_status fail_layer(const struct fsd_json_reading *r,
                                  const char *expected, const char *what,
                                  const cJSON *found)
{
    return fsd_fail(r->err, FSD_E_FORMAT, r->file->name, FSD_POS_NONE, 0,
                    "layer %u: expected %s%s, found %s", r->layer, expected, what,
                    fsd_json_kind(found));
}

/* --------------------------------------------------------------------- values */

static fsd_sym symbol(struct fsd_json_reading *r, const cJSON *string)
{
    return string && cJSON_IsString(string)
               ? fsd_intern_str(r->b->g->names, string->valuestring)
               : 0;
}

/* Reads an integer that a double represents exactly; TensorRT writes no other
 * integers. */
static bool as_integer(const cJSON *item, int64_t *out)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;

    if (!(fabs(value) <= 9007199254740992.0) || value != floor(value))
        return false;
    *out = (int64_t)value;
    return true;
}

/* -------------------------------------------------------------------- tensors */

/* The lists of a tensor: sizes, strides and the order of strides, each with one number
 * per dimension. */
struct lists {
    struct fsd_dim dims[RANK_MAX];
    int64_t strides[RANK_MAX], order[RANK_MAX];
    struct fsd_dim optimum[RANK_MAX];
};

static bool read_list(const cJSON *list, int64_t out[RANK_MAX], uint32_t *n)
{
    const cJSON *item;

    *n = 0;
    if (!cJSON_IsArray(list))
        return false;
    cJSON_ArrayForEach (item, list) {
        if (*n == RANK_MAX || !as_integer(item, &out[*n]))
            return false;
        if (out[*n] < 0)
            out[*n] = -1;
        ++*n;
    }
    return true;
}

/* Whether a list has a size below -1.  No engine has such a size; -1 means unknown. */
static bool has_negative_size(const cJSON *list)
{
    const cJSON *item;

    cJSON_ArrayForEach (item, list) {
        if (item->valuedouble < -1)
            return true;
    }
    return false;
}

static void remark_value(struct fsd_json_reading *r, const char *key)
{
    fsd_build_remark(r->b, "input/odd-value", fsd_intern_str(r->b->g->names, key));
}

/* Reads strides, or the order of strides.  Returns NULL unless the list has one entry
 * per dimension. */
static const int64_t *read_strides(struct fsd_json_reading *r, const cJSON *item,
                                   const char *key, uint32_t rank,
                                   int64_t out[RANK_MAX])
{
    const cJSON *list = fsd_json_get(item, key);
    uint32_t n;

    if (!list)
        return NULL;
    if (!read_list(list, out, &n)) {
        remark_value(r, key);
        return NULL;
    }
    return n == rank ? out : NULL;
}

/* Reads the format of a tensor: the key "Format/Datatype", or two separate keys since
 * TensorRT 11. */
static void read_item_format(struct fsd_json_reading *r, const cJSON *item,
                             struct fsd_build_tensor *out)
{
    static const char *const type_keys[] = {"Datatype", "DataType"};

    out->format = symbol(r, fsd_json_get(item, "Format/Datatype"));
    if (!out->format)
        out->format = symbol(r, fsd_json_get(item, "Format"));
    for (size_t i = 0; !out->type && i < FSD_COUNT_OF(type_keys); i++)
        out->type = symbol(r, fsd_json_get(item, type_keys[i]));
    if (out->type)
        r->b->seen |= FSD_SEEN_IO_TENSORS;
}

static void read_tensor(struct fsd_json_reading *r, const cJSON *item,
                        struct fsd_build_tensor *out, struct lists *lists)
{
    const cJSON *list = fsd_json_get(item, "Dimensions");
    int64_t sizes[RANK_MAX];

    *out = (struct fsd_build_tensor){.dims = lists->dims};
    out->name = symbol(r, cJSON_IsString(item) ? item : fsd_json_get(item, "Name"));
    read_item_format(r, item, out);
    out->ranked = read_list(list, sizes, &out->rank);
    if (!out->ranked)
        out->rank = 0;
    if (list && (!out->ranked || has_negative_size(list)))
        fsd_build_remark(r->b, "input/odd-dimensions", out->name);
    for (uint32_t i = 0; i < out->rank; i++)
        lists->dims[i] = (struct fsd_dim){.size = sizes[i]};
    if (out->ranked) {
        out->strides = read_strides(r, item, "Strides", out->rank, lists->strides);
        out->order = read_strides(r, item, "StrideOrder", out->rank, lists->order);
    }
    if (fsd_json_get(item, "Location"))
        r->b->seen |= FSD_SEEN_LOCATION;
}

static enum fsd_status read_ports(struct fsd_json_reading *r, const cJSON *layer,
                                  const char *key, enum fsd_direction direction)
{
    const cJSON *list = fsd_json_get(layer, key), *item;
    struct fsd_build_tensor tensor;
    struct lists lists;

    if (!list || cJSON_IsNull(list))
        return FSD_OK;
    r->b->layer.lists_constants |= direction == FSD_DIRECTION_CONSTANT;
    if (!cJSON_IsArray(list))
        return fail_layer(r, "a list as ", key, list);
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsObject(item) && !cJSON_IsString(item))
            return fail_layer(r, "tensors in ", key, item);
        read_tensor(r, item, &tensor, &lists);
        fsd_build_port(r->b, direction, &tensor);
    }
    return FSD_OK;
}

/* --------------------------------------------------------------------- layers */

/* Reads a list of numbers as integers, or as floats if one of them is no integer. */
static void read_numbers(struct fsd_json_reading *r, const cJSON *list,
                         struct fsd_attr *attr)
{
    struct fsd_graph *g = r->b->g;
    const cJSON *item;
    int64_t value;

    attr->kind = FSD_ATTR_INTS;
    cJSON_ArrayForEach (item, list) {
        if (!as_integer(item, &value))
            attr->kind = FSD_ATTR_FLOATS;
    }
    attr->list.at = attr->kind == FSD_ATTR_INTS ? g->ints.n : g->floats.n;
    cJSON_ArrayForEach (item, list) {
        if (attr->kind == FSD_ATTR_FLOATS)
            fsd_vec_push(g->arena, &g->floats, item->valuedouble);
        else if (as_integer(item, &value))
            fsd_vec_push(g->arena, &g->ints, value);
        attr->list.n++;
    }
}

static bool all_are(const cJSON *list, cJSON_bool (*is)(const cJSON *))
{
    const cJSON *item;

    cJSON_ArrayForEach (item, list) {
        if (!is(item))
            return false;
    }
    return true;
}

/* Whether a number is NaN or infinity. cJSON reads a number that is too large for a
 * double as infinity. */
static bool is_odd_number(const cJSON *item)
{
    return cJSON_IsNumber(item) && !isfinite(item->valuedouble);
}

static bool has_odd_number(const cJSON *item)
{
    const cJSON *one;

    cJSON_ArrayForEach (one, item) {
        if (is_odd_number(one))
            return true;
    }
    return is_odd_number(item);
}

static void read_attr(struct fsd_json_reading *r, const cJSON *item)
{
    struct fsd_attr attr = {.name = fsd_intern_str(r->b->g->names, item->string),
                            .value = FSD_NONE,
                            .form = FSD_NONE};

    if (has_odd_number(item)) {
        remark_value(r, item->string);
        return;
    }
    if (as_integer(item, &attr.i)) {
        attr.kind = FSD_ATTR_INT;
    } else if (cJSON_IsNumber(item)) {
        attr.kind = FSD_ATTR_FLOAT;
        attr.f = item->valuedouble;
    } else if (cJSON_IsBool(item)) {
        attr.kind = FSD_ATTR_INT;
        attr.i = cJSON_IsTrue(item);
    } else if (cJSON_IsString(item)) {
        attr.kind = FSD_ATTR_STRING;
        attr.s = symbol(r, item);
    } else if (cJSON_IsArray(item) && all_are(item, cJSON_IsNumber)) {
        read_numbers(r, item, &attr);
    } else if (cJSON_IsArray(item) && all_are(item, cJSON_IsString)) {
        const cJSON *word;

        attr.kind = FSD_ATTR_STRINGS;
        attr.list.at = r->b->g->links.n;
        cJSON_ArrayForEach (word, item) {
            fsd_vec_push(r->b->g->arena, &r->b->g->links, symbol(r, word));
            attr.list.n++;
        }
    } else {
        return;
    }
    fsd_build_attr(r->b, attr);
}

/* Reads the type and the number of weights: {"Type": "Half", "Count": 9408}. */
static void read_weights(struct fsd_json_reading *r, const cJSON *item, uint64_t *count,
                         enum fsd_dtype *type)
{
    const cJSON *name = fsd_json_get(item, "Type"), *n = fsd_json_get(item, "Count");
    int64_t value = 0;

    if (n && (!as_integer(n, &value) || value < 0))
        remark_value(r, item->string);
    *count = value > 0 ? (uint64_t)value : 0;
    if (cJSON_IsString(name))
        *type = fsd_dtype_read(name->valuestring, strlen(name->valuestring));
}

static void read_special(struct fsd_json_reading *r, const cJSON *item, const char *key)
{
    struct fsd_layer *layer = &r->b->layer;

    if (!strcmp(key, "TacticName"))
        layer->tactic = symbol(r, item);
    else if (!strcmp(key, "TacticValue"))
        layer->tactic_value = symbol(r, item);
    else if (!strcmp(key, "Origin"))
        fsd_build_origin(r->b, symbol(r, item));
    else if (!strcmp(key, "Metadata"))
        fsd_build_metadata(r->b, symbol(r, item));
    else if (!r->b->subtype || !strcmp(key, "PluginType")) /* a PluginType takes
                                                              precedence over a
                                                              ParameterType */
        r->b->subtype = symbol(r, item);
}

/* The keys of a layer.  A dump does not state the version of TensorRT, but some keys
 * show it: HasDynamicFilter exists since TensorRT 8.5, StreamId and Metadata since
 * 8.6. */
struct key {
    const char *key;
    enum { ATTRIBUTE, READ_ALREADY, SPECIAL } use;
    unsigned seen;
};

static const struct key keys[] = {
    /* sorted by key */
    {"Constants", READ_ALREADY},
    {"ConvKernel", ATTRIBUTE, FSD_SEEN_CONVOLUTION},
    {"ConvParameterType", SPECIAL},
    {"HasDynamicFilter", ATTRIBUTE, FSD_SEEN_DYNAMIC_FILTER},
    {"Inputs", READ_ALREADY},
    {"Kernel", ATTRIBUTE, FSD_SEEN_CONVOLUTION},
    {"LayerType", READ_ALREADY},
    {"Metadata", SPECIAL},
    {"Name", READ_ALREADY},
    {"Origin", SPECIAL},
    {"Outputs", READ_ALREADY},
    {"ParameterType", SPECIAL},
    {"PluginType", SPECIAL},
    {"StreamId", ATTRIBUTE, FSD_SEEN_STREAM},
    {"TacticName", SPECIAL},
    {"TacticValue", SPECIAL}};

static const struct key *find_key(const char *word)
{
    static const struct key other = {.use = ATTRIBUTE};
    const struct key *key =
        bsearch(word, keys, FSD_COUNT_OF(keys), sizeof *keys, fsd_by_name);

    return key ? key : &other;
}

/* Adds a remark if an object has a key twice, because it is unknown which of the values
 * counts.
 * @param there  one bit for each known key that the object already had */
static void remark_repeated(struct fsd_json_reading *r, const struct key *known,
                            uint32_t *there)
{
    uint32_t bit = known->key ? UINT32_C(1) << (known - keys) : 0;

    _Static_assert(FSD_COUNT_OF(keys) <= 32, "a bit for each key");
    if (*there & bit)
        fsd_build_remark(r->b, "input/duplicate-key",
                         fsd_intern_str(r->b->g->names, known->key));
    *there |= bit;
}

/* Reads a key whose value has a field of its own in the graph.  Returns false if the
 * key has no such field. */
static bool read_key(struct fsd_json_reading *r, const cJSON *item,
                     const struct key *known)
{
    struct fsd_layer *layer = &r->b->layer;
    const char *key = item->string;

    r->b->seen |= known->seen;
    if (known->use == SPECIAL && cJSON_IsString(item))
        read_special(r, item, key);
    else if (known->use == SPECIAL)
        remark_value(r, key);
    if (known->use != ATTRIBUTE)
        return true;
    if (cJSON_IsObject(item)) {
        /* A layer may fuse a convolution with a pooling. Both have keys such as
         * "Kernel", so TensorRT puts "Conv" before the keys of the convolution
         * ("ConvWeights"). */
        if (!strncasecmp(key, "Conv", 4))
            key += 4;
        if (!strcasecmp(key, "Weights"))
            read_weights(r, item, &layer->weights, &layer->weights_type);
        else if (!strcasecmp(key, "Bias"))
            read_weights(r, item, &layer->bias, &layer->bias_type);
        return true;
    }
    return false;
}

static enum fsd_status read_layer(struct fsd_json_reading *r, const cJSON *layer)
{
    const cJSON *name = cJSON_IsString(layer) ? layer : fsd_json_get(layer, "Name");
    const cJSON *type = fsd_json_get(layer, "LayerType"), *item;
    uint32_t there = 0;
    enum fsd_status status;

    if (!cJSON_IsString(layer) && !cJSON_IsObject(layer))
        return fail_layer(r, "an object or a name", "", layer);
    if (name && !cJSON_IsString(name))
        return fail_layer(r, "a string as ", "Name", name);
    if (type && !cJSON_IsString(type))
        return fail_layer(r, "a string as ", "LayerType", type);
    fsd_build_layer(r->b, symbol(r, name), symbol(r, type));
    status = read_ports(r, layer, "Inputs", FSD_DIRECTION_IN);
    FSD_THEN(status, read_ports(r, layer, "Outputs", FSD_DIRECTION_OUT));
    FSD_THEN(status, read_ports(r, layer, "Constants", FSD_DIRECTION_CONSTANT));
    if (status != FSD_OK)
        return status;
    if (cJSON_IsObject(layer)) {
        r->b->g->detailed = true;
        cJSON_ArrayForEach (item, layer) {
            const struct key *known = find_key(item->string);

            remark_repeated(r, known, &there);
            if (!read_key(r, item, known))
                read_attr(r, item);
        }
    }
    fsd_build_layer_end(r->b);
    return FSD_OK;
}

/* Passes the name and the text of a layer to fsd_build_foresee(). */
static void foresee(const struct fsd_json_reading *r, const cJSON *layer,
                    struct fsd_slice text)
{
    const cJSON *name = cJSON_IsString(layer) ? layer : fsd_json_get(layer, "Name");

    if (cJSON_IsString(name))
        fsd_build_foresee(r->b, fsd_slice_of(name->valuestring), text);
}

/* If memory runs out in this function, FSD_GUARD() makes it return FSD_E_MEMORY. The
 * caller can then free its JSON. */
enum fsd_status fsd_json_read_layer(struct fsd_json_reading *r, const cJSON *layer,
                                    struct fsd_slice text)
{
    enum fsd_status status;

    FSD_GUARD(r->err);
    if (r->foresees) {
        foresee(r, layer, text);
        return FSD_OK;
    }
    status = read_layer(r, layer);
    FSD_THEN(status, fsd_json_layers_fit(r->file, ++r->layer, r->err));
    if (status == FSD_OK && r->b->g->mentions.n > MENTIONS_MAX)
        return fsd_json_fail_limit(r, MENTIONS_MAX,
                                   "node names in the names of layers");
    return status;
}

enum fsd_status fsd_json_layer(struct fsd_build *b, const struct fsd_file *file,
                               uint32_t number, const cJSON *layer,
                               struct fsd_error *err)
{
    struct fsd_json_reading r = {.b = b, .file = file, .err = err, .layer = number};

    return fsd_json_read_layer(&r, layer, fsd_slice_of(""));
}

/* ------------------------------------------------------------------- bindings */

/* Prints the short name of a format, such as "hwc8", or the text itself if it is no
 * known format. */
static void put_format(const char *text, const char *before, FILE *out)
{
    struct fsd_trt_format format = fsd_trt_format(text, strlen(text));
    char name[16];

    fprintf(out, "%s%s", before,
            format.understood && *fsd_layout_name(format.layout, name) ? name : text);
}

/* Reads the sizes and I/O formats of all optimization profiles as texts. */
static void read_ranges(struct fsd_json_reading *r, const cJSON *list,
                        struct fsd_build_tensor *out)
{
    static const char *const shapes[] = {"MinShape", "OptShape", "MaxShape"};
    struct fsd_print ranges, outside;
    const cJSON *item;

    fsd_print_open(&ranges);
    fsd_print_open(&outside);
    cJSON_ArrayForEach (item, list) {
        const cJSON *format = fsd_json_get(item, "Format");
        const char *before = item == list->child ? "" : " ";
        int64_t sizes[RANK_MAX];
        uint32_t rank;

        for (size_t k = 0; k < FSD_COUNT_OF(shapes); k++) {
            if (!read_list(fsd_json_get(item, shapes[k]), sizes, &rank))
                continue;
            fputs(k ? ".." : before, ranges.out);
            for (uint32_t i = 0; i < rank; i++)
                fprintf(ranges.out, "%s%" PRId64, i ? "x" : "", sizes[i]);
        }
        if (cJSON_IsString(format))
            put_format(format->valuestring, before, outside.out);
    }
    out->ranges = fsd_print_sym(&ranges, r->b->g->names);
    out->outside = fsd_print_sym(&outside, r->b->g->names);
}

/* Reads the list "ProfileInfo": [{"MinShape": [1,3], "OptShape": [4,3], ...}, ...],
 * which has one entry per optimization profile.
 */
static void read_profiles(struct fsd_json_reading *r, const cJSON *list,
                          struct fsd_build_tensor *out, struct lists *lists)
{
    struct fsd_graph *g = r->b->g;
    uint32_t n = 0, chosen = g->profile < 0 ? 0 : (uint32_t)g->profile, rank;
    int64_t sizes[RANK_MAX];
    const cJSON *item, *of_chosen = NULL;

    if (!cJSON_IsArray(list))
        return;
    read_ranges(r, list, out);
    cJSON_ArrayForEach (item, list) {
        if (n++ == chosen)
            of_chosen = item;
    }
    if (g->profiles < n)
        g->profiles = n;
    if (!out->ranked || !read_list(fsd_json_get(of_chosen, "OptShape"), sizes, &rank) ||
        rank != out->rank)
        return;
    for (uint32_t i = 0; i < rank; i++)
        lists->optimum[i] = (struct fsd_dim){.size = sizes[i]};
    out->optimum = lists->optimum;
}

static void read_binding(struct fsd_json_reading *r, const cJSON *item)
{
    struct fsd_build_tensor tensor;
    struct lists lists;
    const cJSON *mode = fsd_json_get(item, "IOMode"); /* "kINPUT", "Input" */
    const char *word = cJSON_IsString(mode) ? mode->valuestring : "";

    word += *word == 'k';
    read_tensor(r, item, &tensor, &lists);
    read_profiles(r, fsd_json_get(item, "ProfileInfo"), &tensor, &lists);
    if (tensor.name)
        fsd_build_binding(r->b, &tensor,
                          !strcasecmp(word, "input")    ? FSD_DIRECTION_IN
                          : !strcasecmp(word, "output") ? FSD_DIRECTION_OUT
                                                        : FSD_DIRECTION_UNKNOWN);
}

enum fsd_status fsd_json_binding(struct fsd_build *b, const struct fsd_file *file,
                                 const cJSON *binding, struct fsd_error *err)
{
    struct fsd_json_reading r = {.b = b, .file = file, .err = err};

    FSD_GUARD(err);
    read_binding(&r, binding);
    return FSD_OK;
}
