/*
 * Reads the results of runs that Polygraphy saved (--save-outputs, RunResults.save()):
 *
 *     {"lst": [ ["runner", [ {"outputs": {"x": {"values": {"array": "<base64>", ...}}},
 *                             "runner_name": ...}, ...] ], ... ]}
 *
 * An array is a file in NumPy's format, encoded in base64.  Polygraphy before 0.35
 * omits the object "values".  Results are as large as their tensors, so only the
 * position of each array is kept.  Only the first iteration of each runner counts,
 * because later iterations may have different inputs in different runs.
 */
#include "explain/values/values.h"

#include "base/base.h"
#include "read/engine/record.h"

/* Nesting levels of the file: the object, "lst", a runner, its iterations, one
 * iteration, its outputs, and a tensor.  Further objects may be around the array of a
 * tensor. */
enum { LST = 2, RUNNER, ITERATIONS, ITERATION, OUTPUTS, TENSOR, DEPTH_MAX = 32 };
enum { PEEK = 4096, ARRAYS_MAX = 1 << 20 };

struct reading {
    const struct fsd_file *file;
    struct fsd_arena *arena;
    struct fsd_intern *names;
    fsd_array_set_vec *out;
    struct fsd_error *err;
    size_t at, released;
    unsigned depth;
    char opened[DEPTH_MAX + 1];           /* indexed by level, from 1: '{' or '[' */
    struct fsd_slice keys[DEPTH_MAX + 1]; /* indexed by level, from 1: the key that was
                                             read last in the object at this level */
    bool valued;                          /* whether a key was read, but not yet its
                                             value */
    unsigned iterations;                  /* number of iterations of the current runner
                                             so far */
};

bool fsd_polygraphy_is(const struct fsd_file *file)
{
    return fsd_file_has_at(file, fsd_file_text_start(file), "{", 1) &&
           fsd_file_has_word(file, PEEK, "\"lst\"");
}

static enum fsd_status fail(const struct reading *r, size_t at, const char *expected)
{
    bool end = at >= r->file->size;

    return fsd_fail(r->err, FSD_E_FORMAT, r->file->name, FSD_POS_BYTE, at,
                    "expected Polygraphy outputs with %s, found %s", expected,
                    end ? "the end of the file" : "something else");
}

static struct fsd_array_set *last_set(const struct reading *r)
{
    return r->out->n ? &r->out->at[r->out->n - 1] : NULL;
}

/* ------------------------------------------------------------------------ its texts */

/* Reads the JSON string whose opening quotation mark is at r->at, and sets r->at to the
 * position behind the closing one. */
static bool read_text(struct reading *r, struct fsd_slice *out)
{
    const char *s = (const char *)r->file->bytes;
    size_t begin = r->at + 1, at = begin, slashes;
    const char *mark;

    do {
        mark = at < r->file->size ? memchr(s + at, '"', r->file->size - at) : NULL;
        if (!mark)
            return false;
        for (slashes = 0;
             mark - slashes - 1 >= s + begin && mark[-1 - (long)slashes] == '\\';)
            slashes++;
        at = (size_t)(mark - s) + 1;
    } while (slashes % 2);
    *out = (struct fsd_slice){s + begin, at - 1 - begin};
    r->at = at;
    return true;
}

static bool in_outputs(const struct reading *r)
{
    return r->depth >= TENSOR && fsd_slice_is(r->keys[1], "lst") &&
           fsd_slice_is(r->keys[ITERATION], "outputs") && r->iterations == 1 &&
           last_set(r);
}

static void add_runner(struct reading *r, struct fsd_slice name)
{
    struct fsd_array_set set = {
        .path = r->file->name,
        .runner = fsd_text(r->names, fsd_record_unescaped(r->names, name))};

    fsd_vec_push(r->arena, r->out, set);
    r->iterations = 0;
}

/* Adds a tensor.  Its name is the key that was read last in "outputs".
 * @param text the array, in base64
 * @param numpy false: the array is a tensor of PyTorch, which cannot be read */
static void add_array(struct reading *r, struct fsd_slice text, bool numpy)
{
    struct fsd_array array = {.odd = "it is a tensor of PyTorch, not an array"};
    size_t n = text.n;

    while (n && text.s[n - 1] == '=')
        n--;
    array.name = fsd_record_unescaped(r->names, r->keys[OUTPUTS]);
    array.stored = (struct fsd_stored){
        .file = r->file,
        .at = (size_t)(text.s - (const char *)r->file->bytes),
        .n = n,
        .packing = FSD_BASE64,
        .size = (uint64_t)n * 3 / 4,
    };
    if (numpy)
        array.odd = fsd_npy_read(&array);
    fsd_vec_push(r->arena, &last_set(r)->at, array);
}

static void take_text(struct reading *r, struct fsd_slice text)
{
    struct fsd_slice key = r->keys[r->depth];

    if (r->depth == RUNNER && r->opened[RUNNER] == '[' &&
        fsd_slice_is(r->keys[1], "lst"))
        add_runner(r, text);
    else if (in_outputs(r) && fsd_slice_is(key, "array"))
        add_array(r, text, true);
    else if (in_outputs(r) && fsd_slice_is(key, "tensor"))
        add_array(r, text, false);
}

static enum fsd_status text_step(struct reading *r)
{
    struct fsd_slice text;
    bool is_key = r->depth && r->opened[r->depth] == '{' && !r->valued;

    if (!read_text(r, &text))
        return fail(r, r->file->size, "the closing quotation mark of a string");
    if (is_key)
        r->keys[r->depth] = text;
    else
        take_text(r, text);
    r->valued = is_key;
    fsd_file_release_behind(r->file, r->at, &r->released);
    return last_set(r) && last_set(r)->at.n > ARRAYS_MAX
               ? fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_BYTE, r->at,
                          "expected at most %d tensors, found more", ARRAYS_MAX)
               : FSD_OK;
}

/* --------------------------------------------------------------------- its brackets */

static enum fsd_status open_step(struct reading *r, char bracket)
{
    if (r->depth == DEPTH_MAX)
        return fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_BYTE, r->at,
                        "expected at most %d nested levels, found more", DEPTH_MAX);
    r->depth++;
    r->opened[r->depth] = bracket;
    r->keys[r->depth] = (struct fsd_slice){0};
    r->valued = false;
    r->iterations += r->depth == ITERATION && bracket == '{';
    r->at++;
    return FSD_OK;
}

static enum fsd_status close_step(struct reading *r, char bracket)
{
    if (!r->depth || r->opened[r->depth] != (bracket == '}' ? '{' : '['))
        return fail(r, r->at, "an opening bracket for each closing bracket");
    r->depth--;
    r->valued = false;
    r->at++;
    return FSD_OK;
}

static enum fsd_status step(struct reading *r)
{
    char c = (char)r->file->bytes[r->at];

    if (c == '"')
        return text_step(r);
    if (c == '{' || c == '[')
        return open_step(r, c);
    if (c == '}' || c == ']')
        return close_step(r, c);
    if (c == ',')
        r->valued = false;
    r->at++; /* skips a character of a number, null, true or false */
    return FSD_OK;
}

enum fsd_status fsd_polygraphy_read(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_array_set_vec *out,
                                    struct fsd_error *err)
{
    struct reading r = {.file = file,
                        .arena = arena,
                        .names = names,
                        .out = out,
                        .err = err,
                        .at = fsd_file_text_start(file)};
    uint32_t before = out->n;
    enum fsd_status status = FSD_OK;

    while (r.at < file->size && status == FSD_OK)
        status = step(&r);
    if (status == FSD_OK && r.depth)
        status = fail(&r, file->size, "the end of the outermost object");
    if (status == FSD_OK && out->n == before)
        status = fail(&r, 0, "the results of a runner in \"lst\"");
    return status;
}
