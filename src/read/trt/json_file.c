/*
 * Reads the JSON file that trtexec --exportLayerInfo or the engine inspector wrote:
 *
 *     {"Layers": [{"Name": ..., "LayerType": ..., "Inputs": [...], ...}, "name", ...],
 *      "Bindings": ["in", "out"]}             up to TensorRT 10
 *      "I/O Tensors": [{"Name": ..., "IOMode": ...}, ...]    TensorRT 11
 *
 * A list of layers without an object around it is read, too.  The file is read one
 * layer at a time (json.c).  An error in the syntax states the position; any other
 * error names the layer.
 */
#include "base/base.h"
#include "read/trt/build.h"
#include "read/trt/json.h"
#include "host/files.h"

#include <errno.h>
#include <stdlib.h>

/* Limits on the number of values: cJSON needs 140 bytes of memory for a value, and
 * TensorRT writes at least 14 bytes for one. */
enum { VALUES_MAX = 1 << 24, VALUES_FREE = 1 << 17, VALUE_BYTES = 12 };

static enum fsd_status fail(const struct fsd_json_reading *r, enum fsd_status status,
                            const char *expected, const char *found)
{
    return fsd_fail(r->err, status, r->file->name, FSD_POS_NONE, 0,
                    "expected %s, found %s", expected, found);
}

/* --------------------------------------------------- recognizing other files */

/* Recognizes other JSON files that users have beside an engine: each kind has a key
 * that no other kind has. */
static const char *known_neighbour(const cJSON *root)
{
    static const struct {
        const char *key, *what;
    } neighbours[] = {
        {"timeMs", "a profile (trtexec --exportProfile)"},
        {"averageMs", "a profile (trtexec --exportProfile)"},
        {"latencyMs", "the times of whole runs (trtexec --exportTimes)"},
        {"startComputeMs", "the times of whole runs (trtexec --exportTimes)"},
        {"endToEndMs", "the times of whole runs (trtexec --exportTimes)"},
        {"model_options", "the metadata of a build (trt-engine-explorer)"},
        {"build_options", "the metadata of a build (trt-engine-explorer)"},
        {"device_information", "the metadata of a run (trt-engine-explorer)"},
        {"ir_version", "an ONNX model written as JSON"},
        {"irVersion", "an ONNX model written as JSON"},
    };
    const cJSON *item = cJSON_IsArray(root) ? root->child : root;

    /* The first entry of a profile is {"count": N}, so the second entry is examined,
     * too. */
    for (int entry = 0; item && entry < 2; entry++, item = item->next)
        for (size_t i = 0; i < FSD_COUNT_OF(neighbours); i++)
            if (fsd_json_get(item, neighbours[i].key))
                return neighbours[i].what;
    item = cJSON_IsArray(root) ? root->child : NULL;
    return item && !item->next && fsd_json_get(item, "count")
               ? "a profile (trtexec --exportProfile)"
               : NULL;
}

static enum fsd_status refuse_root(struct fsd_json_reading *r, const cJSON *root)
{
    const char *what = known_neighbour(root);
    const cJSON *layers = fsd_json_get(root, "Layers");

    if (what)
        return fail(r, FSD_E_UNSUPPORTED, "an engine's layers", what);
    if (layers)
        return fail(r, FSD_E_FORMAT, "a list as \"Layers\"", fsd_json_kind(layers));
    return fsd_trt_refuse_json(r->file, root, r->err);
}

/* Whether the first entry of a list looks like a layer.  This matters for a list
 * without an object around it. */
static bool is_layer(const cJSON *first)
{
    return cJSON_IsString(first) || fsd_json_get(first, "Name") ||
           fsd_json_get(first, "LayerType");
}

static bool has_layers(const cJSON *root)
{
    return cJSON_IsArray(fsd_json_get(root, "Layers")) ||
           (cJSON_IsArray(root) && root->child && is_layer(root->child));
}

static void remark_repeated_keys(struct fsd_json_reading *r, const cJSON *rest)
{
    static const char *const keys[] = {"Bindings", "I/O Tensors"};
    const cJSON *item;

    if (fsd_json_get(rest, "Layers")) /* the first list "Layers" was read already */
        fsd_build_remark(r->b, "input/duplicate-key",
                         fsd_intern_str(r->b->g->names, "Layers"));
    for (size_t i = 0; i < FSD_COUNT_OF(keys); i++) {
        const cJSON *first = fsd_json_get(rest, keys[i]);

        cJSON_ArrayForEach (item, rest) {
            if (first && item != first && !strcmp(item->string, keys[i])) {
                fsd_build_remark(r->b, "input/duplicate-key",
                                 fsd_intern_str(r->b->g->names, keys[i]));
                break;
            }
        }
    }
}

/* Adds a remark if `said`, the value of "Multi-Device", is not "Disabled".  TensorRT 11
 * writes "Disabled".  No dump with another value is known. */
static void remark_devices(struct fsd_json_reading *r, const cJSON *said)
{
    if (said && !(cJSON_IsString(said) && !strcmp(said->valuestring, "Disabled")))
        fsd_build_remark(r->b, "input/multi-device",
                         fsd_intern_str(r->b->g->names, cJSON_IsString(said)
                                                            ? said->valuestring
                                                            : fsd_json_kind(said)));
}

/* Reads all parts of the file except the layers. */
static enum fsd_status read_other_keys(struct fsd_json_reading *r, const cJSON *rest)
{
    const cJSON *const bindings[] = {fsd_json_get(rest, "Bindings"),
                                     fsd_json_get(rest, "I/O Tensors")};
    enum fsd_status status = FSD_OK;
    const cJSON *item;

    FSD_GUARD(r->err);
    remark_repeated_keys(r, rest);
    remark_devices(r,
                   fsd_json_get(fsd_json_get(rest, "Engine Metadata"), "Multi-Device"));
    if (bindings[1])
        r->b->seen |= FSD_SEEN_IO_TENSORS;
    for (size_t i = 0; i < FSD_COUNT_OF(bindings); i++)
        if (cJSON_IsArray(bindings[i])) {
            cJSON_ArrayForEach (item, bindings[i]) {
                FSD_THEN(status, fsd_json_binding(r->b, r->file, item, r->err));
            }
        }
    return status;
}

/* -------------------------------------------------------------------- parsing */

enum fsd_status fsd_json_clean(const struct fsd_json_reading *r, struct fsd_slice raw,
                               struct fsd_json_text *out)
{
    const struct fsd_file *file = r->file;
    const unsigned char *bytes = (const unsigned char *)raw.s;
    unsigned values = fsd_json_most(file, VALUES_FREE, VALUE_BYTES, VALUES_MAX);
    struct fsd_cleaned about;

    *out = (struct fsd_json_text){.s = raw.s};
    out->n = fsd_clean(bytes, raw.n, NULL, &about);
    if (about.values > values)
        return fsd_json_fail_limit(r, values, "JSON values");
    out->deep = about.depth > CJSON_NESTING_LIMIT;
    if (!about.changed)
        return FSD_OK;
    out->s = out->heap = malloc(out->n);
    if (!out->heap)
        return fsd_fail_memory(r->err, file->name);
    fsd_clean(bytes, raw.n, out->heap, &about);
    return FSD_OK;
}

/* Fills the error for the position `at` in the text.  If the text ends too early, cJSON
 * returns the position of the last byte of the text.  The error then states that the
 * end of the file was found. */
static enum fsd_status fail_at(const struct fsd_json_reading *r,
                               const struct fsd_json_text *text, const char *at,
                               const char *expected, bool parsed)
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

static const char *skip_space(const struct fsd_json_text *text, const char *at)
{
    while (at < text->s + text->n &&
           (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* ------------------------------------------------------------------ piece by piece */

/* A position in the text.  read_pieces() parses one layer at a time and frees it before
 * the next one, because a parsed file takes about ten times the size of its text.
 * read_pieces() itself reads the brackets, commas and colons around the layers.  If the
 * syntax is wrong, report_wrong() parses the whole file to find the error. */
struct pieces {
    const struct fsd_json_text *text;
    const char *at;     /* the next byte; it is no blank */
    const char *behind; /* the byte after the last bracket, comma or colon */
};

/* Skips bytes that cJSON accepts as blanks. */
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

/* Parses and returns one value; NULL if there is none.  cJSON accepts a byte order mark
 * before the value, but this function refuses it.
 */
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

static bool read_layers(struct fsd_json_reading *r, struct pieces *p, bool bare,
                        enum fsd_status *status)
{
    bool more = !take(p, ']');

    while (more) {
        const char *from = p->at;
        cJSON *layer = take_value(p);
        bool is = layer && (!bare || r->layer || is_layer(layer));

        if (is)
            *status = fsd_json_read_layer(
                r, layer, (struct fsd_slice){from, (size_t)(p->at - from)});
        cJSON_Delete(layer);
        if (!is || *status != FSD_OK)
            return false;
        more = take(p, ',');
        if (!more && !take(p, ']'))
            return false;
        bare = false;
    }
    return !bare; /* an empty list alone does not show that the file is a dump */
}

static bool read_member(struct fsd_json_reading *r, struct pieces *p, cJSON *rest,
                        bool *found, enum fsd_status *status)
{
    cJSON *key = take_value(p), *value = NULL;
    bool fine = cJSON_IsString(key) && take(p, ':');

    if (fine && !*found && !strcmp(key->valuestring, "Layers") &&
        !fsd_json_get(rest, "Layers") && take(p, '[')) {
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

/* Reads the file piece by piece.  Returns false if the text is not JSON or not the dump
 * of an engine.  Also returns false if a layer cannot be read; in this case, `*status`
 * is an error. */
static bool read_pieces(struct fsd_json_reading *r, const struct fsd_json_text *text,
                        enum fsd_status *status)
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark */
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
        *status = read_other_keys(r, rest);
    cJSON_Delete(rest);
    return fine;
}

/* Reports why the file cannot be read.  Parses the whole file, so that cJSON finds the
 * position of the first error. */
static enum fsd_status report_wrong(struct fsd_json_reading *r,
                                    const struct fsd_json_text *text,
                                    enum fsd_status status)
{
    const char *end = NULL;
    cJSON *root;

    errno = 0; /* cJSON returns NULL for an error in the syntax, and also if memory ran
                  out; only errno shows which */
    root = cJSON_ParseWithLengthOpts(text->s, text->n, &end, 0);
    if (!root && errno != ENOMEM)
        status = fail_at(r, text, end, "JSON", false);
    else if (root && !has_layers(root)) /* JSON, but no dump.  Tested before the text
                                           after `root`, because this error helps the
                                           user more */
        status = refuse_root(r, root);
    else if (root && (end = skip_space(text, end)) < text->s + text->n)
        status = fail_at(r, text, end, "nothing after the JSON value", true);
    else if (status == FSD_OK) /* memory ran out, here or in read_pieces() */
        status = fsd_fail_memory(r->err, r->file->name);
    cJSON_Delete(root);
    return status;
}

enum fsd_status fsd_json_read(struct fsd_build *b, const struct fsd_file *file,
                              struct fsd_error *err)
{
    struct fsd_json_reading r = {.b = b, .file = file, .err = err};
    struct fsd_json_text text;
    uint32_t objects = 0;
    enum fsd_status status = fsd_json_clean(
        &r, (struct fsd_slice){(const char *)file->bytes, file->size}, &text);

    if (status != FSD_OK)
        return status;
    r.foresees = !text.deep &&
                 fsd_slice_find((struct fsd_slice){text.s, text.n}, FSD_TRT_PROFILE);
    if (r.foresees)
        read_pieces(&r, &text, &status);
    r.foresees = false;
    if (text.deep || !read_pieces(&r, &text, &status)) {
        if (status == FSD_OK && !r.layer)
            status = fsd_json_objects(b, file, &objects, err);
        if (!objects)
            status = report_wrong(&r, &text, status);
    }
    free(text.heap);
    return status;
}
