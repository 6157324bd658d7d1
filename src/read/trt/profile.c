/*
 * Reads the files that trtexec --exportProfile and --exportTimes write, and reports the
 * kind of any other file.  Some programs write strings without JSON's escapes, so
 * read/engine/record.c accepts such strings.  A name is stored both unchanged and with
 * its escapes decoded, and profile/ compares both with the names of layers.
 */
#include "read/trt/trt.h"
#include "base/base.h"
#include "read/engine/reader.h"
#include "read/engine/record.h"

#include <math.h>

static const uint64_t profile_size_max = (uint64_t)1 << 28;
enum {
    ENTRIES_MAX = 1 << 22,
    PROFILES_MAX = 1 << 12,
    MOST_MS = 1000000000, /* milliseconds: eleven days; no layer runs longer */
    PEEK = 4096
};

/* ------------------------------------------------------------ the wrong file */

static const char *known_other(const struct fsd_file *file)
{
    static const struct {
        const char *word, *what;
    } others[] = {
        {"\"LayerType\"", "a dump of layers, which trtexec --exportLayerInfo writes"},
        {"\"Layers\"", "a dump of layers, which trtexec --exportLayerInfo writes"},
        {"\"ph\"", "a Chrome trace that has no times of layers"},
        {"\"latencyMs\"", "times of whole runs: pass them with --times"},
        {"\"endToEndMs\"", "times of whole runs: pass them with --times"},
        {"\"averageMs\"", "times of layers: pass them with --profile"},
        {"\"device_information\"", "a description of a build, without times"}};

    for (size_t i = 0; i < FSD_COUNT_OF(others); i++)
        if (fsd_file_has_word(file, PEEK, others[i].word))
            return others[i].what;
    return NULL;
}

enum fsd_input fsd_times_kind(const struct fsd_file *file)
{
    if (fsd_file_has_word(file, PEEK, "\"tuner_version\""))
        return FSD_INPUT_TUNING;
    if (fsd_file_has_word(file, PEEK, "\"Layers\"") ||
        fsd_file_has_word(file, PEEK, "\"LayerType\""))
        return FSD_INPUT_ENGINE;
    if (fsd_file_has_word(file, PEEK, "\"latencyMs\"") ||
        fsd_file_has_word(file, PEEK, "\"endToEndMs\""))
        return FSD_INPUT_TIMES;
    return fsd_file_has_word(file, PEEK, "\"averageMs\"") ||
                   fsd_file_has_word(file, PEEK, "\"timeMs\"") || fsd_trace_is(file)
               ? FSD_INPUT_PROFILE
               : FSD_INPUT_ENGINE;
}

static enum fsd_status start(struct fsd_records *r, const struct fsd_file *file,
                             const char *what, struct fsd_error *err)
{
    *r = (struct fsd_records){.file = file, .what = what, .err = err};
    if (file->size > profile_size_max)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected at most %llu bytes of %s, found %llu",
                        (unsigned long long)profile_size_max, what,
                        (unsigned long long)file->size);
    r->at = fsd_file_text_start(file);
    return FSD_OK;
}

static enum fsd_status refuse_file(const struct fsd_file *file, const char *what,
                                   struct fsd_error *err)
{
    const char *other = known_other(file);

    return fsd_fail(err, other ? FSD_E_UNSUPPORTED : FSD_E_FORMAT, file->name,
                    FSD_POS_NONE, 0, "expected %s, found %s", what,
                    other ? other : "none");
}

/* ---------------------------------------------------------------- layer times */

struct profile_reading {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    fsd_profile_vec *out;
    struct fsd_profile_entry entry;
    bool named, counted;
    double count;
};

static void read_entry_name(struct profile_reading *p, const struct fsd_field *field)
{
    struct fsd_slice text = {field->text, field->text_len};

    p->named = true;
    p->entry.name = fsd_intern_slice(p->names, text);
    p->entry.unescaped = fsd_record_unescaped(p->names, text);
}

static double read_time(struct profile_reading *p, const struct fsd_field *field)
{
    if (!field->is_text && field->number >= 0 && field->number <= MOST_MS)
        return field->number;
    p->entry.odd = true;
    return -1;
}

static void read_profile_field(struct profile_reading *p, const struct fsd_field *field)
{
    if (fsd_field_is(field, "name") && field->is_text) {
        read_entry_name(p, field);
    } else if (fsd_field_is(field, "timeMs")) {
        p->entry.total_ms = read_time(p, field);
    } else if (fsd_field_is(field, "averageMs")) {
        p->entry.mean_ms = read_time(p, field);
    } else if (fsd_field_is(field, "medianMs")) {
        p->entry.median_ms =
            !field->is_text && field->number >= 0 && field->number <= MOST_MS
                ? field->number
                : -1;
    } else if (fsd_field_is(field, "count")) {
        p->counted = true;
        p->count = field->is_text ? NAN : field->number;
    }
}

static void close_record(struct profile_reading *p)
{
    struct fsd_profile *profile = &p->out->at[p->out->n - 1];

    if (p->counted && p->count >= 1 && p->count <= 1e15 && p->count == floor(p->count))
        profile->runs = (uint64_t)p->count;
    else
        profile->odd_runs = profile->odd_runs || p->counted;
    if (p->named)
        fsd_vec_push(p->arena, &profile->entries, p->entry);
    else
        profile->nameless += p->entry.total_ms >= 0 || p->entry.mean_ms >= 0;
}

static enum fsd_status step_profile(struct profile_reading *p, struct fsd_records *r,
                                    enum fsd_record_step step,
                                    const struct fsd_field *field, uint32_t first)
{
    uint32_t n = p->out->n - first;

    if (step == FSD_RECORD_LIST || (step == FSD_RECORD_OPEN && !n)) {
        struct fsd_profile next = {.path = r->file->name, .number = n + 1};

        if (n == PROFILES_MAX)
            return fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_BYTE, r->at,
                            "expected at most %d profiles, found more", PROFILES_MAX);
        fsd_vec_push(p->arena, p->out, next);
    }
    if (step == FSD_RECORD_OPEN) {
        p->entry =
            (struct fsd_profile_entry){.total_ms = -1, .mean_ms = -1, .median_ms = -1};
        p->named = p->counted = false;
    } else if (step == FSD_RECORD_FIELD && n)
        read_profile_field(p, field);
    else if (step == FSD_RECORD_CLOSE && n)
        close_record(p);
    if (n && p->out->at[p->out->n - 1].entries.n > ENTRIES_MAX)
        return fsd_fail(r->err, FSD_E_LIMIT, r->file->name, FSD_POS_BYTE, r->at,
                        "expected at most %d layers, found more", ENTRIES_MAX);
    return FSD_OK;
}

/* Drops the profiles without layers, from index `first` on.  Returns the number of
 * profiles from there on that it keeps. */
static uint32_t keep_filled(fsd_profile_vec *out, uint32_t first)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < out->n; i++)
        if (out->at[i].entries.n)
            out->at[kept++] = out->at[i];
    out->n = kept;
    return kept - first;
}

enum fsd_status fsd_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                 const struct fsd_file *file, fsd_profile_vec *out,
                                 struct fsd_error *err)
{
    struct profile_reading p = {.arena = arena, .names = names, .out = out};
    struct fsd_records r;
    struct fsd_field field = {0};
    enum fsd_record_step step;
    uint32_t first = out->n;
    enum fsd_status status;

    status = start(&r, file, "a profile", err);
    if (status == FSD_OK && fsd_trace_is(file)) {
        status = fsd_trace_read(arena, names, file, out, err);
        return status == FSD_OK && out->n == first
                   ? refuse_file(file, "a profile of layers", err)
                   : status;
    }
    if (status == FSD_OK && known_other(file) &&
        !fsd_file_has_word(file, PEEK, "\"averageMs\"") &&
        !fsd_file_has_word(file, PEEK, "\"timeMs\""))
        return refuse_file(file, "a profile of layers", err);
    while (status == FSD_OK && (step = fsd_record_next(&r, &field)) != FSD_RECORD_END)
        status = step == FSD_RECORD_BROKEN ? FSD_E_FORMAT
                                           : step_profile(&p, &r, step, &field, first);
    if (status == FSD_OK && !keep_filled(out, first))
        status = refuse_file(file, "a profile of layers", err);
    return status;
}

/* ------------------------------------------------------------------ run times */

enum fsd_status fsd_times_read(struct fsd_arena *arena, const struct fsd_file *file,
                               struct fsd_run_times *out, struct fsd_error *err)
{
    struct fsd_records r;
    struct fsd_field field = {0};
    enum fsd_record_step step;
    enum fsd_status status = start(&r, file, "times of runs", err);

    if (status == FSD_OK && !fsd_file_has_word(file, PEEK, "\"latencyMs\"") &&
        !fsd_file_has_word(file, PEEK, "\"endToEndMs\""))
        return refuse_file(file, "times of whole runs", err);
    while (status == FSD_OK && (step = fsd_record_next(&r, &field)) != FSD_RECORD_END) {
        if (step == FSD_RECORD_BROKEN)
            return FSD_E_FORMAT;
        if (step != FSD_RECORD_FIELD ||
            (!fsd_field_is(&field, "latencyMs") &&
             !fsd_field_is(&field, "endToEndMs"))) /* trtexec before 8.2 writes this
                                                      key */
            continue;
        if (field.is_text || !(field.number >= 0 && field.number <= MOST_MS))
            out->odd++;
        else if (out->ms.n < ENTRIES_MAX)
            fsd_vec_push(arena, &out->ms, field.number);
    }
    return status;
}
