/*
 * The JSON that trtexec --exportLayerInfo and the engine inspector write:
 *
 *     {"Layers": [{"Name": ..., "LayerType": ..., "Inputs": [...], ...}, "name", ...],
 *      "Bindings": ["in", "out"]}             up to TensorRT 10
 *      "I/O Tensors": [{"Name": ..., "IOMode": ...}, ...]    TensorRT 11
 *
 * A layer is an object, or only its name where the engine was built without
 * profilingVerbosity=detailed; a bare list of layers is read too.  Keys that are not
 * asked for by name become attributes of the layer when they are numbers, words or
 * lists of these.
 *
 * Positions are known only for what is no JSON; other errors name the layer.
 */
#include "trt/trt.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Far above any engine's, and low enough for the memory that they cost. */
enum {
    RANK_MAX = 64,
    VALUES_MAX = 1 << 24,
    LAYERS_MAX = 1 << 20,
    MENTIONS_MAX = 1 << 24
};

/* Of small ones so many, and in a larger file one more for so many bytes.  cJSON takes
 * 140 bytes for a value, a run some 1,000 for a layer; TensorRT writes a value in 14
 * bytes or more, a layer that has but a name in 30. */
enum {
    VALUES_FREE = 1 << 17,
    VALUE_BYTES = 12,
    LAYERS_FREE = 1 << 15,
    LAYER_BYTES = 32
};

struct reading {
    struct fsd_build *b;
    const struct fsd_file *file;
    struct fsd_error *err;
    uint32_t layer; /* the one that is being read */
    bool foresees;  /* nothing is read yet: fsd_build_foresee() is shown the layers */
};

/* ------------------------------------------------------------------- messages */

static const char *kind_name(const cJSON *item)
{
    if (cJSON_IsString(item))
        return "a string";
    if (cJSON_IsNumber(item))
        return "a number";
    if (cJSON_IsArray(item))
        return "a list";
    if (cJSON_IsObject(item))
        return "an object";
    return cJSON_IsNull(item)   ? "null"
           : cJSON_IsBool(item) ? "true or false"
                                : "nothing";
}

static enum fsd_status fail(const struct reading *r, enum fsd_status status,
                            const char *expected, const char *found)
{
    return fsd_fail(r->err, status, r->file->name, FSD_POS_NONE, 0,
                    "expected %s, found %s", expected, found);
}

static enum fsd_status fail_limit(const struct reading *r, unsigned limit,
                                  const char *of)
{
    return fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_NONE, 0,
                    "expected at most %u %s, found more", limit, of);
}

static unsigned most(const struct reading *r, unsigned free, unsigned bytes,
                     unsigned max)
{
    uint64_t n = free + r->file->size / bytes;

    return n < max ? (unsigned)n : max;
}

enum fsd_status fsd_json_layers_fit(const struct fsd_file *file, uint32_t n,
                                    struct fsd_error *err)
{
    const struct reading r = {.file = file, .err = err};
    const unsigned limit = most(&r, LAYERS_FREE, LAYER_BYTES, LAYERS_MAX);

    return n > limit ? fail_limit(&r, limit, "layers") : FSD_OK;
}

static enum fsd_status fail_layer(const struct reading *r, const char *expected,
                                  const char *what, const cJSON *found)
{
    return fsd_fail(r->err, FSD_E_FORMAT, r->file->name, FSD_POS_NONE, 0,
                    "layer %u: expected %s%s, found %s", r->layer, expected, what,
                    kind_name(found));
}

/* --------------------------------------------------------------------- values */

static fsd_sym symbol(struct reading *r, const cJSON *string)
{
    return string && cJSON_IsString(string)
               ? fsd_intern_str(r->b->g->names, string->valuestring)
               : 0;
}

static const cJSON *get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A number that a double holds exactly, as all that TensorRT writes are. */
static bool as_integer(const cJSON *item, int64_t *out)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : NAN;

    if (!(fabs(value) <= 9007199254740992.0) || value != floor(value))
        return false;
    *out = (int64_t)value;
    return true;
}

/* -------------------------------------------------------------------- tensors */

/* What a tensor's lists hold, one number a dimension. */
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

/* "Format/Datatype", or since TensorRT 11 one key for each. */
static void read_format(struct reading *r, const cJSON *item,
                        struct fsd_build_tensor *out)
{
    static const char *const type_keys[] = {"Datatype", "DataType"};

    out->format = symbol(r, get(item, "Format/Datatype"));
    if (!out->format)
        out->format = symbol(r, get(item, "Format"));
    for (size_t i = 0; !out->type && i < FSD_COUNT_OF(type_keys); i++)
        out->type = symbol(r, get(item, type_keys[i]));
    if (out->type)
        r->b->seen |= FSD_SEEN_IO_TENSORS;
}

static void read_tensor(struct reading *r, const cJSON *item,
                        struct fsd_build_tensor *out, struct lists *lists)
{
    const cJSON *list = get(item, "Dimensions");
    int64_t sizes[RANK_MAX];
    uint32_t n;

    *out = (struct fsd_build_tensor){.dims = lists->dims};
    out->name = symbol(r, cJSON_IsString(item) ? item : get(item, "Name"));
    read_format(r, item, out);
    out->ranked = read_list(list, sizes, &out->rank);
    if (!out->ranked)
        out->rank = 0;
    if (list && !out->ranked)
        fsd_build_remark(r->b, "input/odd-dimensions", out->name);
    for (uint32_t i = 0; i < out->rank; i++)
        lists->dims[i] = (struct fsd_dim){.size = sizes[i]};
    /* Strides and their order are of use only where there is one a dimension. */
    if (out->ranked && read_list(get(item, "Strides"), lists->strides, &n) &&
        n == out->rank)
        out->strides = lists->strides;
    if (out->ranked && read_list(get(item, "StrideOrder"), lists->order, &n) &&
        n == out->rank)
        out->order = lists->order;
    if (get(item, "Location"))
        r->b->seen |= FSD_SEEN_LOCATION;
}

static enum fsd_status read_ports(struct reading *r, const cJSON *layer,
                                  const char *key, enum fsd_direction direction)
{
    const cJSON *list = get(layer, key), *item;
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

/* One number that is no integer makes all of them floats. */
static void read_numbers(struct reading *r, const cJSON *list, struct fsd_attr *attr)
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

static void read_attr(struct reading *r, const cJSON *item)
{
    struct fsd_attr attr = {.name = fsd_intern_str(r->b->g->names, item->string),
                            .value = FSD_NONE,
                            .form = FSD_NONE};

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

/* {"Type": "Half", "Count": 9408} */
static void read_weights(const cJSON *item, uint64_t *count, enum fsd_dtype *type)
{
    const cJSON *name = get(item, "Type");

    int64_t value;

    *count = as_integer(get(item, "Count"), &value) && value > 0 ? (uint64_t)value : 0;
    if (cJSON_IsString(name))
        *type = fsd_dtype_read(name->valuestring, strlen(name->valuestring));
}

static void read_special(struct reading *r, const cJSON *item, const char *key)
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
    else if (!r->b->subtype || !strcmp(key, "PluginType")) /* or a ParameterType */
        r->b->subtype = symbol(r, item);
}

/* What is known of a layer's keys.  No dump tells who wrote it; keys do, roughly:
 * HasDynamicFilter came with 8.5, StreamId and Metadata with 8.6. */
struct key {
    const char *key;
    enum { ATTRIBUTE, READ_ALREADY, SPECIAL } use;
    unsigned seen;
};

static const struct key *find_key(const char *word)
{
    static const struct key keys[] = {
        /* sorted */
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
    static const struct key other = {.use = ATTRIBUTE};
    const struct key *key =
        bsearch(word, keys, FSD_COUNT_OF(keys), sizeof *keys, fsd_by_name);

    return key ? key : &other;
}

/* Keys with a place of their own: true when the key is one of them. */
static bool read_key(struct reading *r, const cJSON *item)
{
    struct fsd_layer *layer = &r->b->layer;
    const struct key *known = find_key(item->string);
    const char *key = item->string;

    r->b->seen |= known->seen;
    if (known->use == SPECIAL && cJSON_IsString(item))
        read_special(r, item, key);
    else if (known->use == SPECIAL)
        fsd_build_remark(r->b, "input/odd-value", fsd_intern_str(r->b->g->names, key));
    if (known->use != ATTRIBUTE)
        return true;
    if (cJSON_IsObject(item)) {
        /* A convolution with a pooling behind it writes "ConvWeights", since "Kernel"
         * and the like could be either's. */
        if (!strncasecmp(key, "Conv", 4))
            key += 4;
        if (!strcasecmp(key, "Weights"))
            read_weights(item, &layer->weights, &layer->weights_type);
        else if (!strcasecmp(key, "Bias"))
            read_weights(item, &layer->bias, &layer->bias_type);
        return true;
    }
    return false;
}

static enum fsd_status read_layer(struct reading *r, const cJSON *layer)
{
    const cJSON *name = cJSON_IsString(layer) ? layer : get(layer, "Name");
    const cJSON *type = get(layer, "LayerType"), *item;
    enum fsd_status status;

    if (!cJSON_IsString(layer) && !cJSON_IsObject(layer))
        return fail_layer(r, "an object or a name", "", layer);
    if (name && !cJSON_IsString(name))
        return fail_layer(r, "a string as ", "Name", name);
    if (type && !cJSON_IsString(type))
        return fail_layer(r, "a string as ", "LayerType", type);
    fsd_build_layer(r->b, symbol(r, name), symbol(r, type));
    status = read_ports(r, layer, "Inputs", FSD_DIRECTION_IN);
    if (status == FSD_OK)
        status = read_ports(r, layer, "Outputs", FSD_DIRECTION_OUT);
    if (status == FSD_OK)
        status = read_ports(r, layer, "Constants", FSD_DIRECTION_CONSTANT);
    if (status != FSD_OK)
        return status;
    if (cJSON_IsObject(layer)) {
        r->b->g->detailed = true;
        cJSON_ArrayForEach (item, layer) {
            if (!read_key(r, item))
                read_attr(r, item);
        }
    }
    fsd_build_layer_end(r->b);
    return FSD_OK;
}

/* The layer, and what a hostile file must not make too many of. */
static enum fsd_status read_limited(struct reading *r, const cJSON *layer)
{
    enum fsd_status status = read_layer(r, layer);

    if (status == FSD_OK)
        status = fsd_json_layers_fit(r->file, ++r->layer, r->err);
    if (status == FSD_OK && r->b->g->mentions.n > MENTIONS_MAX)
        return fail_limit(r, MENTIONS_MAX, "names in names of layers");
    return status;
}

enum fsd_status fsd_json_layer(struct fsd_build *b, const struct fsd_file *file,
                               uint32_t number, const cJSON *layer,
                               struct fsd_error *err)
{
    struct reading r = {.b = b, .file = file, .err = err, .layer = number};

    return read_limited(&r, layer);
}

/* ------------------------------------------------------------------- bindings */

/* "ProfileInfo": [{"MinShape": [1,3], "OptShape": [4,3], ...}, ...], one a profile. */
static void read_profiles(struct reading *r, const cJSON *list,
                          struct fsd_build_tensor *out, struct lists *lists)
{
    struct fsd_graph *g = r->b->g;
    uint32_t n = 0, chosen = g->profile < 0 ? 0 : (uint32_t)g->profile, rank;
    int64_t sizes[RANK_MAX];
    const cJSON *item, *of_chosen = NULL;

    if (!cJSON_IsArray(list))
        return;
    cJSON_ArrayForEach (item, list) {
        if (n++ == chosen)
            of_chosen = item;
    }
    if (g->profiles < n)
        g->profiles = n;
    if (!out->ranked || !read_list(get(of_chosen, "OptShape"), sizes, &rank) ||
        rank != out->rank)
        return;
    for (uint32_t i = 0; i < rank; i++)
        lists->optimum[i] = (struct fsd_dim){.size = sizes[i]};
    out->optimum = lists->optimum;
}

static void read_binding(struct reading *r, const cJSON *item)
{
    struct fsd_build_tensor tensor;
    struct lists lists;
    const cJSON *mode = get(item, "IOMode"); /* "kINPUT", "Input" */
    const char *word = cJSON_IsString(mode) ? mode->valuestring : "";

    word += *word == 'k';
    read_tensor(r, item, &tensor, &lists);
    read_profiles(r, get(item, "ProfileInfo"), &tensor, &lists);
    if (tensor.name)
        fsd_build_binding(r->b, &tensor,
                          !strcasecmp(word, "input")    ? FSD_DIRECTION_IN
                          : !strcasecmp(word, "output") ? FSD_DIRECTION_OUT
                                                        : FSD_DIRECTION_UNKNOWN);
}

void fsd_json_binding(struct fsd_build *b, const struct fsd_file *file,
                      const cJSON *binding)
{
    struct reading r = {.b = b, .file = file};

    read_binding(&r, binding);
}

/* -------------------------------------------------------- telling what it is */

/* Other JSON files that lie beside an engine, by a key that only they have. */
static const char *known_neighbour(const cJSON *root)
{
    static const struct {
        const char *key, *what;
    } neighbours[] = {
        {"timeMs", "a profile (trtexec --exportProfile)"},
        {"averageMs", "a profile (trtexec --exportProfile)"},
        {"latencyMs", "the times of single runs (trtexec --exportTimes)"},
        {"startComputeMs", "the times of single runs (trtexec --exportTimes)"},
        {"endToEndMs", "the times of single runs (trtexec --exportTimes)"},
        {"traceEvents", "a trace of events"},
        {"ph", "a trace of events"},
        {"model_options", "the metadata of a build (trt-engine-explorer)"},
        {"build_options", "the metadata of a build (trt-engine-explorer)"},
        {"device_information", "the metadata of a run (trt-engine-explorer)"},
        {"ir_version", "an ONNX model written as JSON"},
        {"irVersion", "an ONNX model written as JSON"},
    };
    const cJSON *item = cJSON_IsArray(root) ? root->child : root;

    /* A profile opens with {"count": N}. */
    for (int entry = 0; item && entry < 2; entry++, item = item->next)
        for (size_t i = 0; i < FSD_COUNT_OF(neighbours); i++)
            if (get(item, neighbours[i].key))
                return neighbours[i].what;
    item = cJSON_IsArray(root) ? root->child : NULL;
    return item && !item->next && get(item, "count")
               ? "a profile (trtexec --exportProfile)"
               : NULL;
}

static enum fsd_status refuse(struct reading *r, const cJSON *root)
{
    const char *what = known_neighbour(root);
    const cJSON *layers = get(root, "Layers");

    if (what)
        return fail(r, FSD_E_UNSUPPORTED, "an engine's layers", what);
    if (layers)
        return fail(r, FSD_E_FORMAT, "a list as \"Layers\"", kind_name(layers));
    if (cJSON_IsObject(root))
        return fail(r, FSD_E_FORMAT, "an object with the key \"Layers\"",
                    root->child ? "one without it" : "an empty one");
    if (cJSON_IsArray(root))
        return fail(r, FSD_E_FORMAT, "a list of layers",
                    root->child ? kind_name(root->child) : "an empty list");
    return fail(r, FSD_E_FORMAT, "an object with the key \"Layers\"", kind_name(root));
}

/* A list of layers needs no object around it; its first entry must look like one. */
static bool is_layer(const cJSON *first)
{
    return cJSON_IsString(first) || get(first, "Name") || get(first, "LayerType");
}

static bool has_layers(const cJSON *root)
{
    return cJSON_IsArray(get(root, "Layers")) ||
           (cJSON_IsArray(root) && root->child && is_layer(root->child));
}

/* All that stands beside the layers. */
static void read_rest(struct reading *r, const cJSON *rest)
{
    const cJSON *const bindings[] = {get(rest, "Bindings"), get(rest, "I/O Tensors")};
    const cJSON *item;

    if (bindings[1])
        r->b->seen |= FSD_SEEN_IO_TENSORS;
    for (size_t i = 0; i < FSD_COUNT_OF(bindings); i++)
        if (cJSON_IsArray(bindings[i])) {
            cJSON_ArrayForEach (item, bindings[i]) {
                read_binding(r, item);
            }
        }
}

/* -------------------------------------------------------------------- parsing */

struct text {
    const char *s;
    size_t n;
    char *heap; /* the cleaned copy; NULL when the file needs none */
    bool deep;  /* deeper than the parser goes */
};

static enum fsd_status clean(const struct reading *r, struct text *out)
{
    const struct fsd_file *file = r->file;
    unsigned values = most(r, VALUES_FREE, VALUE_BYTES, VALUES_MAX);
    struct fsd_cleaned about;

    *out = (struct text){.s = (const char *)file->bytes};
    out->n = fsd_clean(file->bytes, file->size, NULL, &about);
    if (about.values > values)
        return fail_limit(r, values, "JSON values");
    out->deep = about.depth > CJSON_NESTING_LIMIT;
    if (!about.changed)
        return FSD_OK;
    out->s = out->heap = malloc(out->n);
    if (!out->heap)
        return fsd_fail(r->err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "out of memory");
    fsd_clean(file->bytes, file->size, out->heap, &about);
    return FSD_OK;
}

/* cJSON points at the last byte when it has run into the end. */
static enum fsd_status fail_at(const struct reading *r, const struct text *text,
                               const char *at, const char *expected, bool parsed)
{
    const struct fsd_file *file = r->file;
    size_t pos = at ? (size_t)(at - text->s) : 0;
    unsigned char byte = 0;

    pos = fsd_clean_origin(file->bytes, file->size, pos);
    if (pos < file->size)
        byte = file->bytes[pos];
    if (!parsed && pos + 1 >= file->size)
        return fsd_fail(r->err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, file->size,
                        "expected %s, found the end of the file", expected);
    return fsd_fail(r->err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, pos,
                    byte > 0x20 && byte < 0x7f ? "expected %s, found '%c'"
                                               : "expected %s, found the byte 0x%02x",
                    expected, byte);
}

static const char *skip_space(const struct text *text, const char *at)
{
    while (at < text->s + text->n &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* ------------------------------------------------------------------ piece by piece */

/* cJSON takes 140 bytes for a value, some ten times the file: a layer is parsed, read
 * and freed before the next one.  Of the file only the outermost brackets, commas and
 * colons are looked at here; where that fails, nothing is said: fsd_json_read() looks
 * again. */
struct pieces {
    const struct text *text;
    const char *at;     /* never at a blank */
    const char *behind; /* the last bracket, comma or colon */
};

/* What cJSON takes for blanks. */
static void skip_blanks(struct pieces *p)
{
    while (p->at < p->text->s + p->text->n && (unsigned char)*p->at <= ' ')
        p->at++;
}

static bool take(struct pieces *p, char c)
{
    if (p->at == p->text->s + p->text->n || *p->at != c)
        return false;
    p->behind = ++p->at;
    skip_blanks(p);
    return true;
}

/* One value; NULL when there is none.  A byte order mark is none before a piece. */
static cJSON *take_value(struct pieces *p)
{
    size_t left = p->text->n - (size_t)(p->at - p->text->s);
    cJSON *value = left && *p->at != '\xef'
                       ? cJSON_ParseWithLengthOpts(p->at, left, &p->at, 0)
                       : NULL;

    if (value)
        skip_blanks(p);
    return value;
}

static void foresee(struct reading *r, const cJSON *layer, struct fsd_slice text)
{
    const cJSON *name = cJSON_IsString(layer) ? layer : get(layer, "Name");

    if (cJSON_IsString(name))
        fsd_build_foresee(r->b, fsd_slice_of(name->valuestring), text);
}

static bool read_layers(struct reading *r, struct pieces *p, bool bare,
                        enum fsd_status *status)
{
    bool more = !take(p, ']');

    while (more) {
        const char *from = p->at;
        cJSON *layer = take_value(p);
        bool is = layer && (!bare || r->layer || is_layer(layer));

        if (is && r->foresees)
            foresee(r, layer, (struct fsd_slice){from, (size_t)(p->at - from)});
        else if (is)
            *status = read_limited(r, layer);
        cJSON_Delete(layer);
        if (!is || *status != FSD_OK)
            return false;
        more = take(p, ',');
        if (!more && !take(p, ']'))
            return false;
        bare = false;
    }
    return !bare; /* nobody knows what an empty list is of */
}

static bool read_member(struct reading *r, struct pieces *p, cJSON *rest, bool *found,
                        enum fsd_status *status)
{
    cJSON *key = take_value(p), *value = NULL;
    bool fine = cJSON_IsString(key) && take(p, ':');

    if (fine && !*found && !strcmp(key->valuestring, "Layers") &&
        !get(rest, "Layers") && take(p, '[')) {
        *found = true;
        fine = read_layers(r, p, false, status);
    } else if (fine) {
        value = take_value(p);
        fine = value && cJSON_AddItemToObject(rest, key->valuestring, value);
        if (!fine)
            cJSON_Delete(value);
    }
    cJSON_Delete(key);
    return fine;
}

/* False when it is no JSON, or not an engine's, or as `status` tells. */
static bool read_pieces(struct reading *r, const struct text *text,
                        enum fsd_status *status)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of byte order */
    struct pieces p = {text, text->s, text->s};
    cJSON *rest = cJSON_CreateObject();
    bool found = false, fine = rest, more;

    if (text->n > 4 && !memcmp(text->s, mark, 3))
        p.at += 3;
    skip_blanks(&p);
    if (fine && take(&p, '[')) {
        found = fine = read_layers(r, &p, true, status);
    } else if (fine && take(&p, '{')) {
        for (more = true; fine && more; more = fine && take(&p, ','))
            fine = read_member(r, &p, rest, &found, status);
        fine = fine && take(&p, '}');
    }
    fine = fine && found && skip_space(text, p.behind) == text->s + text->n;
    if (fine && !r->foresees)
        read_rest(r, rest);
    cJSON_Delete(rest);
    return fine;
}

/* What is wrong with it, by the parser's own word: of the first error. */
static enum fsd_status tell_wrong(struct reading *r, const struct text *text,
                                  enum fsd_status status)
{
    const char *end = NULL;
    cJSON *root;

    errno = 0; /* cJSON tells of no memory as of no JSON */
    root = cJSON_ParseWithLengthOpts(text->s, text->n, &end, 0);
    if (!root && errno != ENOMEM)
        status = fail_at(r, text, end, "JSON", false);
    else if (root && !has_layers(root)) /* what it is says more than what follows it */
        status = refuse(r, root);
    else if (root && (end = skip_space(text, end)) < text->s + text->n)
        status = fail_at(r, text, end, "nothing after the JSON value", true);
    else if (status == FSD_OK) /* of this, or of a piece */
        status = fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_NONE, 0,
                          "out of memory");
    cJSON_Delete(root);
    return status;
}

enum fsd_status fsd_json_read(struct fsd_build *b, const struct fsd_file *file,
                              struct fsd_error *err)
{
    struct reading r = {.b = b, .file = file, .err = err};
    struct text text;
    enum fsd_status status = clean(&r, &text);

    if (status != FSD_OK)
        return status;
    r.foresees = !text.deep &&
                 fsd_slice_find((struct fsd_slice){text.s, text.n}, FSD_TRT_PROFILE);
    if (r.foresees)
        read_pieces(&r, &text, &status);
    r.foresees = false;
    if (text.deep || !read_pieces(&r, &text, &status))
        status = tell_wrong(&r, &text, status);
    free(text.heap);
    return status;
}
