/*
 * Writes a run as trace events, a JSON format that Perfetto, chrome://tracing and
 * speedscope open.
 *
 *     stream 0   [ Conv_4 + Relu_6 ][ QuantizeLinear_9 ]      [ Conv_13 ]
 *     stream 1                                          [ ... ]
 *
 * A profile has the duration of each layer but not its start. Layers therefore follow
 * each other in the engine's order, even if they have different streams: no two layers
 * overlap. A layer without a time is an instant event. Times of the profile that belong
 * to no layer have their own track and follow the layers, so that all events add up to
 * the report's total.
 *
 * Times are rounded to nanoseconds because Perfetto does so: the end of an event then
 * equals the start of the next one.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "report/json/json.h"
#include "report/subject/subject.h"

#include <math.h>

enum { PROCESS = 1, ALL_LAYERS = 0 };

struct trace {
    const struct fsd_diff *d;
    struct fsd_json *events;
    double ms; /* the end of the last event so far */
};

/* Rounds a time to whole nanoseconds, and converts it to microseconds, the unit of the
 * format. */
static double microseconds(double ms)
{
    return round(ms * 1e6) / 1e3;
}

/* The layer's stream number; FSD_NONE: the engine dump states none. */
static uint32_t stream_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_attr *stream =
        fsd_node_attr(d->engine, &d->engine->nodes.at[layer], "StreamId");
    bool known = stream && stream->kind == FSD_ATTR_INT && stream->i >= 0 &&
                 stream->i < d->engine->nodes.n;

    return known ? (uint32_t)stream->i : FSD_NONE;
}

/* Track 0 contains layers without a stream; the tracks of streams 0, 1, ... follow. */
static uint32_t track_of(const struct fsd_diff *d, fsd_id layer)
{
    uint32_t stream = stream_of(d, layer);

    return stream == FSD_NONE ? ALL_LAYERS : stream + 1;
}

static struct fsd_json *begin_event(struct trace *t, const char *phase,
                                    const char *name, uint32_t track)
{
    struct fsd_json *event = fsd_json_item(t->events);

    fsd_json_text(event, "ph", phase);
    fsd_json_count(event, "pid", PROCESS);
    fsd_json_count(event, "tid", track);
    fsd_json_text(event, "name", name);
    return event;
}

/* The duration in microseconds of an event that starts at `from`; the next one starts
 * at `to`. Viewers add `from` and the duration in doubles. If the sum exceeded `to`,
 * even by the last bit, they would nest the next event in this one. The duration is
 * then shortened by a tenth of a nanosecond. */
static double length(double from, double to)
{
    double length = round((to - from) * 1e3) / 1e3;

    return from + length > to && length > 0 ? length - 1e-4 : length;
}

/* Sets `ts`, the start of the event. If `ms` is known (not negative), also sets `dur`,
 * the duration. */
static void put_time(struct trace *t, struct fsd_json *event, double ms)
{
    double from = microseconds(t->ms), to = microseconds(t->ms + (ms > 0 ? ms : 0));

    fsd_json_number(event, "ts", from);
    if (ms < 0) {
        fsd_json_text(event, "s", "t");
        return;
    }
    fsd_json_number(event, "dur", length(from, to));
    t->ms += ms;
}

/* ------------------------------------------------------------------------ tracks */

static void name_track(struct trace *t, const char *what, uint32_t track,
                       const char *name)
{
    struct fsd_json *event = begin_event(t, "M", what, track);

    fsd_json_text(fsd_json_object(event, "args"), "name", name);
}

static void name_tracks(struct trace *t, uint32_t elsewhere)
{
    const struct fsd_diff *d = t->d;
    FSD_SCRATCH(scratch);
    bool *there = FSD_NEW(scratch, bool, d->engine->nodes.n + 1);
    char name[32];

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        there[track_of(d, i)] = true;
    name_track(t, "process_name", 0, d->engine->path);
    for (uint32_t i = 0; i <= d->engine->nodes.n; i++) {
        snprintf(name, sizeof name, i == ALL_LAYERS ? "layers" : "stream %u", i - 1);
        if (there[i])
            name_track(t, "thread_name", i, name);
    }
    if (d->times->elsewhere > 0)
        name_track(t, "thread_name", elsewhere,
                   "in the profile, but not in the layer dump");
}

/* ------------------------------------------------------------------------ layers */

static void put_amount(struct fsd_json *args, const char *key, const struct fsd_diff *d,
                       int64_t amount)
{
    int64_t number = -1;
    const char *term = NULL;

    if (!fsd_amount_number(d->cost->amounts, amount, &number)) {
        number = -1;
        term = fsd_amount_text(d->cost->amounts, amount);
    }
    fsd_json_number_or_term(args, key, number, term);
}

static void put_args(struct fsd_json *event, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    struct fsd_json *args = fsd_json_object(event, "args"), *nodes;
    double ms = d->times->of[layer].median;
    char number[16];

    fsd_json_count(args, "layer", layer);
    fsd_json_text(args, "type", fsd_text(d->names, d->engine->nodes.at[layer].op));
    fsd_json_text(args, "kind", fsd_kind_name(d->layers[layer].kind));
    fsd_json_text(args, "precision", fsd_dtype_name(d->layers[layer].precision));
    if (d->reasons[layer].cause != FSD_CAUSE_NONE)
        fsd_json_text(args, "cause", fsd_cause_name(d->reasons[layer].cause));
    if (ms >= 0)
        fsd_json_number(args, "ms", ms);
    else
        fsd_json_text(args, "time", "not measured");
    put_amount(args, "bytes", d, d->cost->layers[layer].bytes);
    put_amount(args, "macs", d, d->cost->layers[layer].macs);
    if (l->tactic)
        fsd_json_text(args, "tactic", fsd_text(d->names, l->tactic));
    nodes = fsd_json_list(args, "nodes");
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node) {
        fsd_sym name = d->model->nodes.at[node].name;

        snprintf(number, sizeof number, "#%u", node);
        fsd_json_add_text(nodes, name ? fsd_text(d->names, name) : number);
    }
}

static void put_layer(struct trace *t, fsd_id layer)
{
    const struct fsd_diff *d = t->d;
    double ms = d->times->of[layer].median;
    const char *name = fsd_text(d->names, d->engine->nodes.at[layer].name);
    struct fsd_json *event;
    char number[32];

    snprintf(number, sizeof number, "layer %u", layer);
    event =
        begin_event(t, ms < 0 ? "i" : "X", *name ? name : number, track_of(d, layer));
    fsd_json_text(event, "cat", fsd_kind_name(d->layers[layer].kind));
    put_time(t, event, ms);
    put_args(event, d, layer);
}

void fsd_write_trace(const struct fsd_report *r, FILE *out)
{
    const struct fsd_diff *d = r->run;
    struct fsd_json *root = fsd_json_new(out), *data, *event;
    uint32_t elsewhere = d->engine->nodes.n + 1;
    struct trace trace = {.d = d};

    fsd_json_text(root, "displayTimeUnit", "ns");
    data = fsd_json_object(root, "otherData");
    if (!d->model->named_only)
        fsd_json_text(data, "model", d->model->path);
    fsd_json_text(data, "engine", d->engine->path);
    fsd_json_count(data, "profiles", d->times->profiles);
    fsd_json_text(
        data, "times",
        "a layer's time is its median over the profiles; a profile has no time "
        "stamps, so the layers stand one after another in the engine's order");
    trace.events = fsd_json_list(root, "traceEvents");
    name_tracks(&trace, elsewhere);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        put_layer(&trace, i);
    if (d->times->elsewhere > 0) {
        event = begin_event(&trace, "X",
                            "total of profile entries without a "
                            "layer",
                            elsewhere);
        fsd_json_text(event, "cat", "elsewhere");
        put_time(&trace, event, d->times->elsewhere);
        fsd_json_number(fsd_json_object(event, "args"), "ms", d->times->elsewhere);
    }
    fsd_json_end(root);
}
