/*
 * Reads layer times in two forms that differ from trtexec's list:
 *
 *     [ {"name": "conv1", "ph": "X", "ts": 0, "dur": 523.1, "args": {}}, ... ]
 *     {"conv1": [0.021, 0.020], "fc": [[0.005, "20241101-10:32:46"], ...]}
 *
 * The first form is a trace, which browsers can show.  Torch-TensorRT's profiler writes
 * one event per layer, in microseconds, for all runs together.  It does not state the
 * number of runs, so only proportions are known.  Other tools write one event per run.
 * The second form comes from profilers in Python: for each layer a list of times, one
 * per run, in milliseconds.
 */
#include "read/trt/trt.h"

#include "base/base.h"
#include "read/engine/reader.h"
#include "read/engine/record.h"

#include <stdlib.h>

enum { EVENTS_MAX = 1 << 22, MS_MAX = 1000000000, BYTES_PEEKED = 4096 };

struct trace_reading {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_records r;
    struct fsd_profile profile;
    FSD_VEC(uint32_t)
    entry_of; /* indexed by the symbol of a layer's name: 1 plus the
                                   index of the layer's entry; 0: no entry yet */
    FSD_VEC(uint32_t)
    times; /* indexed by entry: how many valid times of its layer
                                   were read so far */
};

bool fsd_trace_is(const struct fsd_file *file)
{
    size_t at = fsd_file_text_start(file), end;

    if (fsd_file_has_word(file, BYTES_PEEKED, "\"ph\"") &&
        fsd_file_has_word(file, BYTES_PEEKED, "\"dur\""))
        return true;
    if (!fsd_file_has_at(file, at, "{", 1))
        return false;
    for (at++; at < file->size && strchr(" \t\r\n", file->bytes[at]);)
        at++;
    for (end = at + 1; end < file->size && file->bytes[end] != '"';)
        end++;
    for (end++; end < file->size && strchr(" :\t\r\n", file->bytes[end]);)
        end++;
    if (!fsd_file_has_at(file, at, "\"", 1) || !fsd_file_has_at(file, end, "[", 1))
        return false;
    for (end++; end < file->size && strchr(" [\t\r\n", file->bytes[end]);)
        end++;
    return end < file->size && file->bytes[end] >= '0' && file->bytes[end] <= '9';
}

/* Adds a time of a layer.  The first time creates the entry of the layer. */
static void add_time(struct trace_reading *t, fsd_sym name, double ms)
{
    struct fsd_profile_entry *entry;
    uint32_t *times;

    while (t->entry_of.n <= name)
        fsd_vec_push(t->arena, &t->entry_of, 0);
    if (!t->entry_of.at[name]) {
        struct fsd_profile_entry first = {
            .name = name, .unescaped = name, .total_ms = -1, .mean_ms = -1};

        fsd_vec_push(t->arena, &t->profile.entries, first);
        fsd_vec_push(t->arena, &t->times, 0);
        t->entry_of.at[name] = t->profile.entries.n;
    }
    entry = &t->profile.entries.at[t->entry_of.at[name] - 1];
    times = &t->times.at[t->entry_of.at[name] - 1];
    if (!(ms >= 0 && ms <= MS_MAX))
        entry->odd = true;
    else if (!(*times)++)
        entry->mean_ms = ms;
    else
        entry->mean_ms += (ms - entry->mean_ms) / *times;
}

/* ------------------------------------------------------------------------- a trace */

static enum fsd_status read_events(struct trace_reading *t)
{
    struct fsd_field field = {0};
    enum fsd_record_step step;
    fsd_sym name = 0;
    double us = -1;
    bool timed = false, whole = true;

    while ((step = fsd_record_next(&t->r, &field)) != FSD_RECORD_END) {
        if (step == FSD_RECORD_BROKEN || t->profile.entries.n > EVENTS_MAX)
            return step == FSD_RECORD_BROKEN ? FSD_E_FORMAT : FSD_E_LIMIT;
        if (step == FSD_RECORD_OPEN) {
            name = 0;
            timed = false;
            whole = true;
        } else if (step == FSD_RECORD_CLOSE && name && timed && whole) {
            add_time(t, name, us < 0 ? -1 : us / 1000);
            name = 0; /* so the end of the enclosing object adds no time */
        } else if (step != FSD_RECORD_FIELD) {
            continue;
        } else if (field.opens && !fsd_field_is(&field, "traceEvents")) {
            t->r.at = fsd_record_behind(&t->r);
        } else if (fsd_field_is(&field, "name") && field.is_text) {
            name = fsd_intern_add(t->names, field.text, field.text_len);
        } else if (fsd_field_is(&field, "dur") && !field.is_text) {
            us = field.number;
            timed = true;
        } else if (fsd_field_is(&field, "ph")) { /* only events of the phase "X"
                                                    have times */
            whole = field.is_text && field.text_len == 1 && *field.text == 'X';
        }
    }
    return FSD_OK;
}

/* ------------------------------------------------------------------ lists of times */

/* Reads the times in a list and in the lists inside it.  Skips strings: they are
 * dates. */
static void read_times(struct trace_reading *t, fsd_sym name)
{
    const struct fsd_file *file = t->r.file;
    size_t end = fsd_record_behind(&t->r);

    for (size_t at = t->r.at; at < end; at++) {
        char text[64], *stop;
        size_t n = 0;
        double ms;

        if (file->bytes[at] == '"')
            for (at++; at < end && file->bytes[at] != '"';)
                at++;
        while (at < end && n + 1 < sizeof text &&
               !strchr("[],\" \t\r\n", file->bytes[at]))
            text[n++] = (char)file->bytes[at++];
        text[n] = '\0';
        ms = strtod(text, &stop);
        if (n)
            add_time(t, name, *stop ? -1 : ms);
    }
    t->r.at = end;
}

static enum fsd_status read_lists(struct trace_reading *t)
{
    struct fsd_field field = {0};
    enum fsd_record_step step;

    while ((step = fsd_record_next(&t->r, &field)) != FSD_RECORD_END) {
        if (step == FSD_RECORD_BROKEN || t->profile.entries.n > EVENTS_MAX)
            return step == FSD_RECORD_BROKEN ? FSD_E_FORMAT : FSD_E_LIMIT;
        if (step == FSD_RECORD_FIELD && field.opens == '[')
            read_times(t, fsd_intern_add(t->names, field.key, field.key_len));
    }
    return FSD_OK;
}

/* ------------------------------------------------------------------- the whole file */

enum fsd_status fsd_trace_read(struct fsd_arena *arena, struct fsd_intern *names,
                               const struct fsd_file *file, fsd_profile_vec *out,
                               struct fsd_error *err)
{
    struct trace_reading t = {.arena = arena,
                              .names = names,
                              .r = {.file = file,
                                    .at = fsd_file_text_start(file),
                                    .what = "a profile",
                                    .err = err,
                                    .nested = true},
                              .profile = {.path = file->name, .number = 1}};
    bool trace = fsd_file_has_word(file, BYTES_PEEKED, "\"dur\"");
    enum fsd_status status = trace ? read_events(&t) : read_lists(&t);

    if (status == FSD_E_LIMIT)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_BYTE, t.r.at,
                        "expected at most %d layers, found more", EVENTS_MAX);
    for (uint32_t i = 0; i < t.times.n; i++)
        t.profile.runs =
            t.times.at[i] > t.profile.runs ? t.times.at[i] : t.profile.runs;
    /* If each layer has one event, the time of an event is the sum over an unknown
     * number of runs. */
    t.profile.runs_unknown = trace && t.profile.runs == 1;
    if (t.profile.runs_unknown)
        t.profile.runs = 0;
    if (status == FSD_OK && t.profile.entries.n)
        fsd_vec_push(arena, out, t.profile);
    return status;
}
