/*
 * Reads the text form of the engine inspector.  It has the same keys as the inspector's
 * JSON, in the same order, but no quotation marks, and commas may stand within values.
 * Each line is converted to a JSON object, which is then read like a layer of a JSON
 * dump.
 *
 *     Name: c + r, LayerType: CaskConvolution, Inputs: [ { Name: x, Location: Device,
 *     Dimensions: [1,3,8,8], Format/Datatype: Half }], Outputs: [ ... ], Kernel: [5,5],
 *     Weights: {"Type": "Half", "Count": 800}, TacticName: t, Metadata: ...
 *
 *     Name: __myl_Move_myl0_0, LayerType: kgen, Inputs: [ { Name: x, Dimensions: [8,4],
 *     Strides: [4,1], StrideOrder: [1,0], Datatype: Half, Format: (Linear) Row major
 *     linear format }], Constants: [], Outputs: [ ... ], TacticName: t, StreamId: 0
 *
 * A value ends at a comma outside of brackets if a key follows: a word and a colon.
 * The value of Metadata is the last and ends with the line.
 */
#include "read/trt/build.h"
#include "read/trt/json.h"

#include "base/base.h"

#include <errno.h>
#include <stdlib.h>

enum { LONGEST_KEY = 64, NUMBER_MAX = 40, ITEMS_MAX = 1 << 16 };

struct context {
    cJSON *layer;
    struct fsd_slice key;
    bool odd;  /* a part of the line was not understood */
    bool full; /* an allocation failed */
};

static struct fsd_slice from(struct fsd_slice t, size_t at)
{
    return (struct fsd_slice){t.s + at, t.n - at};
}

/* ---------------------------------------------------------------------- values */

static bool parse_number(struct fsd_slice t, double *out)
{
    char copy[NUMBER_MAX], *end;

    if (!t.n || t.n >= NUMBER_MAX || !strchr("-.0123456789", *t.s ? *t.s : ' ') ||
        memchr(t.s, 'x', t.n))
        return false;
    memcpy(copy, t.s, t.n);
    copy[t.n] = '\0';
    *out = strtod(copy, &end);
    return end == copy + t.n;
}

static cJSON *scalar_of(struct fsd_slice t)
{
    double number;

    if (parse_number(t, &number))
        return cJSON_CreateNumber(number);
    if (t.n > 1 && *t.s == '"' && t.s[t.n - 1] == '"')
        t = (struct fsd_slice){t.s + 1, t.n - 2};
    return fsd_json_string(t);
}

/* Converts a list such as "2,2" or "auto const x = f(a, b);, ..." to JSON; NULL if it
 * has too many items. */
static cJSON *list_of(struct fsd_slice t)
{
    cJSON *list = cJSON_CreateArray();
    size_t at = 0, items = 0;
    int depth = 0;

    for (size_t i = 0; i <= t.n && list; i++) {
        bool end = i == t.n;
        cJSON *item;

        depth += !end && strchr("([{", t.s[i] ? t.s[i] : ' ');
        depth -= !end && strchr(")]}", t.s[i] ? t.s[i] : ' ');
        if (!end && (t.s[i] != ',' || depth > 0))
            continue;
        while (at < i && t.s[at] == ' ')
            at++;
        if (end && at == i && !items)
            break;
        item = scalar_of((struct fsd_slice){t.s + at, i - at});
        if (!item || ++items > ITEMS_MAX || !cJSON_AddItemToArray(list, item)) {
            cJSON_Delete(item);
            cJSON_Delete(list);
            return NULL;
        }
        at = i + 1;
    }
    return list;
}

static cJSON *value_of(struct context *m, struct fsd_slice t)
{
    cJSON *item = NULL;

    errno = 0; /* a failed allocation changes it to ENOMEM */
    if (t.n > 1 && *t.s == '[' && t.s[t.n - 1] == ']')
        item = list_of((struct fsd_slice){t.s + 1, t.n - 2});
    if (item || errno == ENOMEM)
        return item;
    if (t.n > 1 && *t.s == '{' && t.s[t.n - 1] == '}') {
        item = cJSON_ParseWithLength(t.s, t.n);
        if (item || errno == ENOMEM)
            return item;
        m->odd = true;
    }
    return scalar_of(t);
}

static void add_item(struct context *m, cJSON *to, struct fsd_slice key, cJSON *value)
{
    char name[LONGEST_KEY + 1];

    memcpy(name, key.s, key.n);
    name[key.n] = '\0';
    if (!value || !cJSON_AddItemToObject(to, name, value)) {
        cJSON_Delete(value);
        m->full = true;
    }
}

/* --------------------------------------------------------------------- tensors */

/* Converts a tensor like "Name: n, Location: Device, Dimensions: [1,3],
 * Format/Datatype: Half".  The name ends at the first key that may follow it.  The
 * order of the keys is fixed, but keys may be absent. */
static void read_text_tensor(struct context *m, cJSON *list, struct fsd_slice t)
{
    static const char *const keys[] = {
        ", Location: ",        ", Dimensions: [", ", Strides: [", ", StrideOrder: [",
        ", Format/Datatype: ", ", Datatype: ",    ", Format: "};
    cJSON *tensor = cJSON_CreateObject();

    if (!tensor || !cJSON_AddItemToArray(list, tensor)) {
        cJSON_Delete(tensor);
        m->full = true;
        return;
    }
    for (size_t i = FSD_COUNT_OF(keys); i-- > 0;) {
        struct fsd_slice value;
        bool is_list = keys[i][strlen(keys[i]) - 1] == '[';

        if (!fsd_slice_split_at(&t, keys[i], &value))
            continue;
        if (is_list) /* the opening bracket belongs to the value */
            value = (struct fsd_slice){value.s - 1, value.n + 1};
        add_item(m, tensor, (struct fsd_slice){keys[i] + 2, strcspn(keys[i] + 2, ":")},
                 is_list ? value_of(m, value) : fsd_json_string(value));
    }
    if (t.n >= 6)
        add_item(m, tensor, fsd_slice_of("Name"), fsd_json_string(from(t, 6)));
}

/* Moves the first record, which is in braces, from `*t` to `*record`.  Returns false if
 * the record does not end.  The name of a tensor may contain " }", but the keys after
 * the dimensions may not.  Therefore, the function first finds the dimensions, and then
 * the " }" after them.  It looks for the dimensions only before the next record.
 * Without this limit, the searches would take quadratic time in a text without
 * dimensions. */
static bool take_record(struct fsd_slice *t, struct fsd_slice *record)
{
    const char *next = fsd_slice_find(*t, " }, { Name: ");
    struct fsd_slice own = {t->s, next ? (size_t)(next - t->s) : t->n};
    const char *dims = fsd_slice_find(own, ", Dimensions: ["), *end = NULL;

    if (dims)
        end = fsd_slice_find(from(*t, (size_t)(dims - t->s)), " }");
    if (!end)
        end = fsd_slice_find(*t, " }");
    if (!end)
        return false;
    *record = *t;
    *t = fsd_slice_split(record, end, 2);
    return true;
}

/* Reads a list of tensors like " { Name: n, ... }, { ... }]", and returns the text
 * after its closing bracket. */
static struct fsd_slice read_text_tensors(struct context *m, const char *key,
                                          struct fsd_slice t)
{
    cJSON *list = cJSON_AddArrayToObject(m->layer, key);
    struct fsd_slice record;

    m->full |= !list;
    while (list && fsd_slice_begins(t, " { Name: ")) {
        t = from(t, 3);
        if (!take_record(&t, &record)) {
            m->odd = true;
            return from(t, t.n);
        }
        read_text_tensor(m, list, record);
        if (fsd_slice_begins(t, ","))
            t = from(t, 1);
    }
    m->odd |= !fsd_slice_begins(t, "]");
    return fsd_slice_begins(t, "]") ? from(t, 1) : from(t, t.n);
}

/* ------------------------------------------------------------------------ keys */

/* Finds a key like ", Key: " at the beginning of the text.  Returns its length with
 * comma, colon and blanks; 0 if there is none. */
static size_t key_at(struct fsd_slice t, struct fsd_slice *key)
{
    size_t i = 2;

    if (!fsd_slice_begins(t, ", "))
        return 0;
    while (i < t.n && i <= LONGEST_KEY && (fsd_is_word(t.s[i]) || t.s[i] == '/'))
        i++;
    *key = (struct fsd_slice){t.s + 2, i - 2};
    if (i == 2 || i >= t.n || t.s[i] != ':')
        return 0;
    return i + 1 + (i + 1 < t.n && t.s[i + 1] == ' ');
}

static size_t value_end(struct fsd_slice t)
{
    struct fsd_slice key;
    int depth = 0;

    for (size_t i = 0; i < t.n; i++) {
        depth += strchr("([{", t.s[i] ? t.s[i] : ' ') != NULL;
        depth -= strchr(")]}", t.s[i] ? t.s[i] : ' ') != NULL;
        if (depth <= 0 && t.s[i] == ',' && key_at(from(t, i), &key))
            return i;
    }
    return t.n;
}

/* Reads one optimization profile: "{ MinShape: [1,3], OptShape: [4,3], MaxShape: [8,3],
 * Format: ...". */
static void read_optimization_profile(struct context *m, cJSON *list,
                                      struct fsd_slice t)
{
    static const char *const words[] = {"MinShape: [", "OptShape: [", "MaxShape: ["};
    cJSON *one = cJSON_CreateObject();
    struct fsd_slice format;

    if (!one || !cJSON_AddItemToArray(list, one)) {
        cJSON_Delete(one);
        m->full = true;
        return;
    }
    for (size_t i = 0; i < FSD_COUNT_OF(words); i++) {
        struct fsd_slice before = t, sizes, behind;

        if (fsd_slice_split_at(&before, words[i], &sizes) &&
            fsd_slice_split_at(&sizes, "]", &behind))
            add_item(m, one, (struct fsd_slice){words[i], strcspn(words[i], ":")},
                     list_of(sizes));
    }
    if (fsd_slice_split_at(&t, "Format: ", &format))
        add_item(m, one, fsd_slice_of("Format"), fsd_json_string(format));
}

/* Converts a list like "[ { MinShape: ... }, { ... } ]" to JSON.  It has one entry per
 * optimization profile; the last entry may be truncated. */
static cJSON *profiles_of(struct context *m, struct fsd_slice t)
{
    cJSON *list = cJSON_CreateArray();
    const char *at;

    while (list && !m->full && (at = fsd_slice_find(t, "{ "))) {
        struct fsd_slice own = from(t, (size_t)(at - t.s));
        bool ends = fsd_slice_split_at(&own, " }", &t);

        read_optimization_profile(m, list, own);
        if (!ends) {
            m->odd = true;
            break;
        }
    }
    return list;
}

static void read_keys(struct context *m, struct fsd_slice t)
{
    static const char *const heads[] = {"Name", "LayerType", "Inputs", "Constants",
                                        "Outputs"};
    struct fsd_slice key;
    size_t n, end;

    while ((n = key_at(t, &key))) {
        bool last = fsd_slice_is(key, "Metadata"), is_head = false;

        t = from(t, n);
        end = last ? t.n : value_end(t);
        /* The caller has already read the keys in `heads`.  If one of these words
         * appears here, it is part of a value, not a key. */
        for (size_t i = 0; i < FSD_COUNT_OF(heads); i++)
            is_head |= fsd_slice_is(key, heads[i]);
        if (is_head)
            m->odd = true;
        else if (fsd_slice_begins(key, "TacticValue") ||
                 fsd_slice_begins(key, "TacticName") || last)
            add_item(m, m->layer, key, fsd_json_string((struct fsd_slice){t.s, end}));
        else if (fsd_slice_is(key, "ProfileInfo"))
            add_item(m, m->layer, key, profiles_of(m, (struct fsd_slice){t.s, end}));
        else
            add_item(m, m->layer, key, value_of(m, (struct fsd_slice){t.s, end}));
        t = from(t, end);
    }
    m->odd |= t.n > 0 && !fsd_slice_begins(t, ",");
}

/* Converts the line of a layer.  In all versions, the line begins with the name and the
 * type, which is one word. */
static void read_inspector_line(struct context *m, struct fsd_slice t)
{
    static const char *const lists[] = {", Inputs: [", ", Constants: [",
                                        ", Outputs: ["};
    struct fsd_slice name = t;
    size_t n = 0;

    if (!fsd_slice_split_at(&name, ", LayerType: ", &t)) {
        m->odd = true;
        t = from(t, t.n);
    }
    add_item(m, m->layer, fsd_slice_of("Name"), fsd_json_string(from(name, 6)));
    while (n < t.n && t.s[n] != ',')
        n++;
    add_item(m, m->layer, (struct fsd_slice){"LayerType", 9},
             fsd_json_string((struct fsd_slice){t.s, n}));
    t = from(t, n);
    for (size_t i = 0; i < FSD_COUNT_OF(lists); i++) {
        char key[LONGEST_KEY] = "";

        if (!fsd_slice_begins(t, lists[i]))
            continue;
        memcpy(key, lists[i] + 2, strcspn(lists[i] + 2, ":"));
        t = read_text_tensors(m, key, from(t, strlen(lists[i])));
    }
    read_keys(m, t);
}

enum fsd_status fsd_inspector_layer(struct fsd_build *b, const struct fsd_file *file,
                                    uint32_t number, const char *s, size_t n,
                                    bool *whole, struct fsd_error *err)
{
    struct context m = {.layer = cJSON_CreateObject()};
    enum fsd_status status;

    if (m.layer)
        read_inspector_line(&m, (struct fsd_slice){s, n});
    if (!m.layer || m.full)
        status = fsd_fail_memory(err, file->name);
    else
        status = fsd_json_layer(b, file, number, m.layer, err);
    cJSON_Delete(m.layer);
    *whole = !m.odd;
    return status;
}

enum fsd_status fsd_inspector_binding(struct fsd_build *b, const struct fsd_file *file,
                                      struct fsd_slice line, struct fsd_error *err)
{
    struct context m = {.layer = cJSON_CreateObject()};
    struct fsd_slice name = line, keys;
    enum fsd_status status;

    if (m.layer && fsd_slice_take(&name, "Name: ") &&
        fsd_slice_split_last(&name, ", IOMode: ", &keys)) {
        add_item(&m, m.layer, fsd_slice_of("Name"), fsd_json_string(name));
        read_keys(&m, from(line, (size_t)(name.s + name.n - line.s)));
    }
    if (!m.layer || m.full)
        status = fsd_fail_memory(err, file->name);
    else
        status = fsd_json_binding(b, file, m.layer, err);
    cJSON_Delete(m.layer);
    return status;
}
