/*
 * Reads a metadata.json of trt-engine-explorer. The sections of one build may be in
 * several such files. A file has sections of trtexec's log as JSON, without units:
 *
 *     {"build_options": {"Precision": "FP32+FP16", ...},
 *      "device_information": {"Selected Device": "NVIDIA A100 80GB PCIe",
 *                             "Compute Capability": 8.0, "SMs": 108.0,
 *                             "Compute Clock Rate": 1.41, ...}}
 *
 * Each entry is converted back to a line of the log.
 *
 * Source: files in NVIDIA's repository, of TensorRT 8.4 and 8.6.
 */
#include "base/base.h"
#include "base/file_type.h"
#include "read/engine/record.h"
#include "read/log/log.h"
#include "read/trt/trt.h"

#include <math.h>

enum {
    SEARCHED = 1 << 14,
    LONGEST = 1 << 10,
    TREX_ENTRIES_MAX = 1 << 12,
    N_OPTIONS = 5 /* the number of sections of options, which are the first rows in
                     `sections` */
};

static const struct {
    const char *key, *title;
} sections[] = {{"model_options", "=== Model Options ==="},
                {"build_options", "=== Build Options ==="},
                {"system_options", "=== System Options ==="},
                {"inference_options", "=== Inference Options ==="},
                {"reporting_options", "=== Reporting Options ==="},
                {"performance_summary", "=== Performance summary ==="},
                {"device_information", "=== Device Information ==="}};

bool fsd_trex_is(const struct fsd_file *file)
{
    char word[40];

    if (fsd_file_type_of(file) != FSD_FILETYPE_JSON)
        return false;
    /* The keys of the five sections of options end with `_options"`.  If the file lacks
     * this text, it has none of these keys, so they are not searched for.  Most JSON
     * files of other programs lack the text. */
    for (size_t i = fsd_file_has_word(file, SEARCHED, "_options\"") ? 0 : N_OPTIONS;
         i < FSD_COUNT_OF(sections); i++) {
        snprintf(word, sizeof word, "\"%s\"", sections[i].key);
        if (fsd_file_has_word(file, SEARCHED, word))
            return true;
    }
    return false;
}

struct trex {
    struct fsd_history *h;
    struct fsd_log_options options;
    struct fsd_records r;
    unsigned entries;
};

static void say(struct trex *t, const char *text)
{
    const struct fsd_log_line line = {
        .text = fsd_slice_of(text), .number = ++t->h->lines, .prefixed = true};

    fsd_log_option_read(&t->options, t->h, &line);
}

/* Converts a number to text, with as many digits as trtexec prints. Appends the unit
 * "GHz" to a clock rate, and no unit to any other number. */
static void put_number(const struct fsd_field *f, char *out, size_t room)
{
    bool clock = f->key_len > 10 && !memcmp(f->key + f->key_len - 10, "Clock Rate", 10);

    if (fsd_field_is(f, "Compute Capability"))
        snprintf(out, room, "%.1f", f->number);
    else
        snprintf(out, room, "%.6g%s", f->number, clock ? " GHz" : "");
}

static void read_entry(struct trex *t, const struct fsd_field *f)
{
    char value[LONGEST] = "", text[2 * LONGEST];

    if (f->opens) { /* a list of times */
        t->r.at = fsd_record_behind(&t->r);
        return;
    }
    if (f->is_text && f->text_len < sizeof value)
        snprintf(value, sizeof value, "%.*s", (int)f->text_len, f->text);
    else if (!f->is_text && isfinite(f->number))
        put_number(f, value, sizeof value);
    /* The file has the key "Memory Pools", but not the sizes of the pools. */
    if (!*value || f->key_len >= LONGEST || fsd_field_is(f, "Memory Pools"))
        return;
    snprintf(text, sizeof text, "%.*s: %s", (int)f->key_len, f->key, value);
    say(t, text);
}

static void read_section(struct trex *t, const struct fsd_field *f)
{
    struct fsd_field entry = {0};
    size_t i = 0;

    while (i < FSD_COUNT_OF(sections) && !fsd_field_is(f, sections[i].key))
        i++;
    if (f->opens != '{' || i == FSD_COUNT_OF(sections)) {
        if (f->opens)
            t->r.at = fsd_record_behind(&t->r);
        return;
    }
    say(t, sections[i].title);
    if (fsd_record_next(&t->r, &entry) != FSD_RECORD_OPEN)
        return;
    while (fsd_record_next(&t->r, &entry) == FSD_RECORD_FIELD &&
           t->entries++ < TREX_ENTRIES_MAX)
        read_entry(t, &entry);
}

void fsd_trex_read(struct fsd_history *h, const struct fsd_file *file)
{
    struct fsd_error broken = {0};
    struct trex t = {.h = h,
                     .options = {.details = true},
                     .r = {.file = file,
                           .at = fsd_file_text_start(file),
                           .what = "metadata",
                           .err = &broken,
                           .nested = true,
                           .escaped = true}};
    struct fsd_field field = {0};

    h->path = file->name;
    h->scan = FSD_NEW(h->arena, struct fsd_log_scan, 1);
    h->builds = 1;
    h->no_steps = true;
    if (fsd_record_next(&t.r, &field) != FSD_RECORD_OPEN)
        return;
    while (fsd_record_next(&t.r, &field) == FSD_RECORD_FIELD &&
           t.entries < TREX_ENTRIES_MAX)
        read_section(&t, &field);
    fsd_log_options_end(h, &h->scan->engines);
}
