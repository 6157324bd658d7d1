/*
 * Reads the profile that an ONNX Runtime session writes.  It is a trace with one event
 * per line:
 *
 *     {"cat":"Session", ..., "name":"session_initialization", "args":{}}
 *     {"cat":"Node", "ts":911711, "dur":699, "name":"/conv1/Conv_kernel_time",
 *      "args":{"op_name":"Conv", "node_index":"12", "provider":"CPUExecutionProvider",
 *              "output_type_shape":[{"float":[1,64,112,112]}], ...}}
 *     {"cat":"Session", ..., "name":"SequentialExecutor::Execute", "args":{}}
 *     {"cat":"Session", ..., "name":"model_run", "args":{}}
 *
 * The session writes an event when the event ends.  So the events of a run come before
 * the run's "model_run".  A body has this order: the events of its nodes, the "Execute"
 * that ran the body, the event of the If or Loop that owns the body.  The time of the
 * If or Loop includes the times of its bodies.
 *
 * The first run allocates memory and warms up.  Its times are dropped if there is a
 * second run.
 */
#include "model/graph/graph.h"
#include "read/ort/ort.h"
#include "base/base.h"
#include "base/file_type.h"
#include "read/engine/record.h"

#include <inttypes.h>

enum { EVENTS_MAX = 1 << 22, MOST_US = 1000000000, INDEX_MAX = 1 << 30 };

enum event_is { EVENT_OTHER, EVENT_NODE, EVENT_EXECUTE, EVENT_RUN };

/* An event.  It is stored until the end of its run. */
struct event {
    enum event_is is;
    fsd_sym name, unescaped; /* the name as the file spells it, and the name with JSON
                                escapes decoded */
    fsd_sym provider;
    uint32_t index; /* the node's index in its graph, which distinguishes nodes with the
                       same name */
    fsd_id owner;   /* the event of the node in whose body this node ran; FSD_NONE: it
                       ran in the main graph */
    double start, us;
    struct fsd_slice outputs; /* the types and sizes of the outputs, as the file states
                                 them */
};

/* Facts about an entry of the profile.  They are stored until all events are read. */
struct sum {
    uint32_t times;
    struct fsd_slice outputs;
    bool varies; /* the outputs differ between runs */
};

struct timeline {
    struct fsd_arena *arena, *scratch;
    struct fsd_intern *names, *keys;
    struct fsd_records r;
    struct fsd_profile profile;
    FSD_VEC(struct sum) sums;     /* indexed by entry */
    FSD_VEC(uint32_t) entry_of;   /* indexed by symbol in `keys`: the entry, plus 1 */
    FSD_VEC(struct event) events; /* the events of the current run */
    /* Two stacks of indices in `events`.  The event of a node is put on `running`.  The
     * "Execute" of the node's graph moves the event to `ended`.  If this graph is a
     * body, the event of the body's owner removes the node's event from `ended`. */
    FSD_VEC(fsd_id) running, ended;
    uint64_t runs; /* the number of completed runs */
};

bool fsd_ort_is_profile(const struct fsd_file *file)
{
    enum { SEARCHED = 4096 };

    return fsd_file_type_of(file) == FSD_FILETYPE_JSON &&
           fsd_file_has_word(file, SEARCHED, "\"cat\"") &&
           (fsd_file_has_word(file, SEARCHED, "_kernel_time\"") ||
            fsd_file_has_word(file, SEARCHED, "\"session_initialization\""));
}

/* -------------------------------------------------------------------------- sizes */

/* Converts a text like "[{"float":[1,64]},{"int64":[]}]" to the symbol of "[1,64] []".
 * Returns 0 if the text has another form. */
static fsd_sym sizes_of(struct fsd_intern *names, struct fsd_slice t)
{
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);
    bool more = fsd_slice_take(&t, "[") && t.n > 1;
    struct fsd_slice list;
    uint64_t size;
    fsd_sym sizes;

    while (more && fsd_slice_take(&t, "{") && fsd_slice_split_at(&t, ":[", &list)) {
        t = list;
        fputc('[', out);
        while (fsd_slice_take_number(&t, FSD_DIM_MAX, &size)) {
            fprintf(out, "%" PRIu64, size);
            if (fsd_slice_take(&t, ","))
                fputc(',', out);
        }
        fputc(']', out);
        more = fsd_slice_take(&t, "]},");
        if (more)
            fputc(' ', out);
    }
    sizes = fsd_print_sym(&text, names);
    return fsd_slice_is(t, "]}]") ? sizes : 0;
}

/* ------------------------------------------------------------------------- entries */

/* Returns the index of the entry for the event's node; adds the entry if it is new.
 * @param within  0: the node ran in the main graph; otherwise: the index of the entry
 *         for the node that owns the body, plus 1 */
static uint32_t entry_of(struct timeline *t, const struct event *e, uint32_t within)
{
    uint32_t is[] = {e->name, e->index, within};
    fsd_sym key = fsd_intern_find(t->keys, (const char *)is, sizeof is);

    if (key == FSD_NONE) {
        uint32_t *kept = FSD_NEW(t->scratch, uint32_t, FSD_COUNT_OF(is));

        memcpy(kept, is, sizeof is);
        key = fsd_intern_bytes(t->keys, kept, sizeof is);
    }
    while (t->entry_of.n <= key)
        fsd_vec_push(t->scratch, &t->entry_of, 0);
    if (!t->entry_of.at[key]) {
        struct fsd_profile_entry entry = {.name = e->name,
                                          .unescaped = e->unescaped,
                                          .provider = e->provider,
                                          .within = within,
                                          .total_ms = -1,
                                          .mean_ms = -1};

        fsd_vec_push(t->arena, &t->profile.entries, entry);
        fsd_vec_push(t->scratch, &t->sums, (struct sum){.outputs = e->outputs});
        t->entry_of.at[key] = t->profile.entries.n;
    }
    return t->entry_of.at[key] - 1;
}

static uint32_t add_time(struct timeline *t, const struct event *e, uint32_t within)
{
    uint32_t id = entry_of(t, e, within);
    struct fsd_profile_entry *entry = &t->profile.entries.at[id];
    struct sum *sum = &t->sums.at[id];

    if (!(e->us >= 0 && e->us <= MOST_US))
        entry->odd = true;
    else if (!sum->times++)
        entry->mean_ms = e->us / 1000;
    else
        entry->mean_ms += (e->us / 1000 - entry->mean_ms) / sum->times;
    sum->varies |= !fsd_slice_equal(sum->outputs, e->outputs);
    return id;
}

/* Drops the times of the first run, and keeps its layers.  Called if there is a second
 * run. */
static void forget_times(struct timeline *t)
{
    for (uint32_t i = 0; i < t->sums.n; i++) {
        t->profile.entries.at[i].mean_ms = -1;
        t->profile.entries.at[i].odd = false;
        t->sums.at[i].times = 0;
    }
}

static void end_run(struct timeline *t)
{
    uint32_t n = t->events.n, *ids = FSD_NEW(t->scratch, uint32_t, n);

    if (t->runs++ == 1)
        forget_times(t);
    for (uint32_t i = 0; i < n; i++)
        if (t->events.at[i].owner == FSD_NONE)
            ids[i] = add_time(t, &t->events.at[i], 0);
    for (uint32_t i = n; i-- > 0;) /* backwards, because ids[owner] must be set first:
                                      an owner comes after the nodes in its bodies */
        if (t->events.at[i].owner != FSD_NONE)
            ids[i] = add_time(t, &t->events.at[i], ids[t->events.at[i].owner] + 1);
    t->events.n = t->running.n = t->ended.n = 0;
}

/* -------------------------------------------------------------------------- events */

/* Reads the event of an "Execute", which ran one graph from `start` on.  Moves the
 * events of this graph's nodes, which began at `start` or later, from `running` to
 * `ended`.  The events of the main graph's nodes stay there, because this graph has no
 * owner. */
static void end_execute(struct timeline *t, double start)
{
    while (t->running.n && t->events.at[t->running.at[t->running.n - 1]].start >= start)
        fsd_vec_push(t->scratch, &t->ended, t->running.at[--t->running.n]);
}

static void end_node(struct timeline *t, const struct event *e)
{
    while (t->ended.n && t->events.at[t->ended.at[t->ended.n - 1]].start >= e->start)
        t->events.at[t->ended.at[--t->ended.n]].owner = t->events.n;
    fsd_vec_push(t->scratch, &t->running, t->events.n);
    fsd_vec_push(t->scratch, &t->events, *e);
}

static void end_event(struct timeline *t, const struct event *e)
{
    if (e->is == EVENT_NODE)
        end_node(t, e);
    else if (e->is == EVENT_EXECUTE)
        end_execute(t, e->start);
    else if (e->is == EVENT_RUN)
        end_run(t);
}

static void read_event_name(struct timeline *t, struct event *e, struct fsd_slice name)
{
    e->is = EVENT_OTHER;
    if (fsd_slice_is(name, "model_run"))
        e->is = EVENT_RUN;
    else if (fsd_slice_drop(&name, "Executor::Execute"))
        e->is = EVENT_EXECUTE;
    else if (fsd_slice_drop(&name, "_kernel_time"))
        e->is = EVENT_NODE;
    if (e->is != EVENT_NODE)
        return;
    e->name = fsd_intern_slice(t->names, name);
    e->unescaped = fsd_record_unescaped(t->names, name);
}

static void read_field(struct timeline *t, struct event *e, const struct fsd_field *f)
{
    struct fsd_slice text = {f->text, f->text_len};
    uint64_t index;

    if (f->opens && !fsd_field_is(f, "args")) {
        size_t behind = fsd_record_behind(&t->r);

        if (fsd_field_is(f, "output_type_shape"))
            e->outputs = (struct fsd_slice){(const char *)t->r.file->bytes + t->r.at,
                                            behind - t->r.at};
        t->r.at = behind;
    } else if (fsd_field_is(f, "name") && f->is_text) {
        read_event_name(t, e, text);
    } else if (fsd_field_is(f, "ts") && !f->is_text) {
        e->start = f->number;
    } else if (fsd_field_is(f, "dur") && !f->is_text) {
        e->us = f->number;
    } else if (fsd_field_is(f, "provider") && f->is_text) {
        e->provider = fsd_intern_slice(t->names, text);
    } else if ((fsd_field_is(f, "node_index") || /* ONNX Runtime before 1.17 writes
                                                    graph_index */
                fsd_field_is(f, "graph_index")) &&
               f->is_text && fsd_slice_take_number(&text, INDEX_MAX, &index)) {
        e->index = (uint32_t)index;
    }
}

static enum fsd_status read_events(struct timeline *t)
{
    static const struct event none = {.owner = FSD_NONE, .us = -1};
    struct event e = none;
    struct fsd_field field = {0};
    enum fsd_record_step step;
    unsigned depth = 0;

    while ((step = fsd_record_next(&t->r, &field)) != FSD_RECORD_END) {
        if (step == FSD_RECORD_BROKEN)
            return FSD_E_FORMAT;
        if (step == FSD_RECORD_OPEN && !depth++)
            e = none;
        else if (step == FSD_RECORD_FIELD)
            read_field(t, &e, &field);
        else if (step == FSD_RECORD_CLOSE && depth && !--depth)
            end_event(t, &e);
        if (t->events.n > EVENTS_MAX || t->profile.entries.n > EVENTS_MAX)
            return FSD_E_LIMIT;
    }
    return FSD_OK;
}

enum fsd_status fsd_ort_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err)
{
    FSD_SCRATCH(scratch);
    struct timeline t = {.arena = arena,
                         .scratch = scratch,
                         .names = names,
                         .keys = fsd_intern_new(scratch),
                         .r = {.file = file,
                               .at = fsd_file_text_start(file),
                               .what = "a profile",
                               .err = err,
                               .nested = true},
                         .profile = {.path = file->name, .number = 1}};
    enum fsd_status status = read_events(&t);

    if (status == FSD_E_LIMIT)
        fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_BYTE, t.r.at,
                 "expected at most %d events of a run, found more", EVENTS_MAX);
    if (status == FSD_OK && !t.runs) /* the file ends within the first run */
        end_run(&t);
    for (uint32_t i = 0; i < t.profile.entries.n; i++)
        t.profile.entries.at[i].sizes =
            t.sums.at[i].varies ? 0 : sizes_of(names, t.sums.at[i].outputs);
    t.profile.single_run = t.runs == 1;
    t.profile.runs = t.profile.single_run ? 1 : t.runs - 1;
    if (status == FSD_OK && !t.profile.entries.n)
        status = fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
                          "expected a profile of layers, found the profile of a "
                          "session that ran no nodes");
    if (status == FSD_OK)
        fsd_vec_push(arena, out, t.profile);
    return status;
}
