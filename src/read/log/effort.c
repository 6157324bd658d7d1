/*
 * Reads lines about the cost of a build: seconds of steps, kernels that the builder
 * timed or skipped, the timing cache, the size of the plan.
 *
 *     Graph construction completed in 0.037093 seconds.
 *     Skipping CaskFlattenConvolution: No valid tactics for node_conv2d + node_relu
 *     CudnnConvolution has no valid tactics for this config, skipping
 *     Tactic: 4 skipped. Scratch requested: 17450532864, available: 4294967296
 *     Tactic: 0 is the only option, timing skipped
 *     Deleting timing cache: 598 entries, 2718 hits
 *     Engine built in 85.4169 sec.
 *
 * Source: trtexec and verbose logs of TensorRT 8.0 to 10.16, TensorRT for RTX 1.4 to
 * 1.7, Polygraphy.
 */
#include "read/log/log.h"

#include <stdlib.h>

enum { LONGEST_REASON = 160, DAY = 24 * 60 * 60 };

/* ------------------------------------------------------------------------- clock */

/* Returns the seconds since midnight of a time stamp "[MM/DD/YYYY-HH:MM:SS]". */
static uint32_t seconds_of_day(const char *stamp)
{
    static const unsigned at[] = {12, 15, 18};
    uint32_t seconds = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(at); i++) {
        const char *s = stamp + at[i];

        if (!fsd_is_digit(s[0]) || !fsd_is_digit(s[1]))
            return UINT32_MAX;
        seconds = seconds * 60 + (uint32_t)((s[0] - '0') * 10 + s[1] - '0');
    }
    return seconds;
}

void fsd_log_effort_tick(struct fsd_event_reader *r, const char *stamp)
{
    uint32_t now = seconds_of_day(stamp), passed;

    if (now == UINT32_MAX)
        return;
    fsd_effort_sums(r->h->arena, &r->h->efforts, r->build)->clock = true;
    passed = r->clock ? (now + DAY - r->second) % DAY : 0;
    if (passed < DAY / 2) { /* a longer difference means that the clock was set back */
        fsd_effort_sums(r->h->arena, &r->h->efforts, r->build)->stamped += passed;
        if (r->effort != FSD_NONE)
            r->h->efforts.list.at[r->effort].stamped += passed;
    }
    r->clock = stamp;
    r->second = now;
}

/* ----------------------------------------------------------------------- kernels */

static void skip(struct fsd_event_reader *r, uint32_t effort,
                 struct fsd_effort_skip one)
{
    one.times = 1;
    if (effort != FSD_NONE)
        fsd_effort_skip(r->h->arena, &r->h->efforts, effort, one);
}

static fsd_sym reason(struct fsd_event_reader *r, struct fsd_slice why)
{
    if (why.n > LONGEST_REASON)
        why.n = LONGEST_REASON;
    return fsd_intern_slice(r->h->names, why);
}

/* Reads the reason of a skip: "Scratch requested: 17450532864, available:
 * 4294967296". */
static void skip_for_scratch(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_effort_skip one = {.why =
                                      reason(r, fsd_slice_of("too little workspace"))};

    if (fsd_slice_take_number(&p, INT64_MAX, &one.wanted) &&
        fsd_slice_take(&p, ", available: "))
        fsd_slice_take_number(&p, INT64_MAX, &one.room);
    skip(r, r->effort, one);
}

/* Whether the text has the form "0x0123456789abcdef Time: 0.1". Nearly all lines about
 * a tactic have this form. */
static bool is_timed(struct fsd_slice tactic)
{
    const char *blank = tactic.n ? memchr(tactic.s, ' ', tactic.n) : NULL;

    return blank && fsd_slice_begins(fsd_slice_from(tactic, (size_t)(blank - tactic.s)),
                                     " Time: ");
}

void fsd_log_effort_tactic(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice rest = p;

    if (r->effort == FSD_NONE)
        return;
    if (!fsd_slice_take(&rest, "Tactic: ") || is_timed(rest) ||
        !fsd_slice_split_at(&p, "skipped", &rest))
        r->h->efforts.list.at[r->effort].tactics++;
    else if (fsd_slice_take(&rest, ". Scratch requested: "))
        skip_for_scratch(r, rest);
    else if (fsd_slice_drop(&p, " is the only option, timing "))
        skip(r, r->effort,
             (struct fsd_effort_skip){.why =
                                          reason(r, fsd_slice_of("only one tactic"))});
}

static const char no_tactic[] = "no valid tactic for a format combination";

/* Reads a line like "CudnnConvolution has no valid tactics for this config, skipping".
 * The line names no layer, but it is about the layer that the builder is timing. */
static bool has_no_tactics(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_efforts *all = &r->h->efforts;

    if (!fsd_slice_drop(&p, " has no valid tactics for this config, skipping"))
        return false;
    if (r->effort != FSD_NONE)
        skip(r,
             fsd_effort_on(r->h->arena, all, all->list.at[r->effort].layer,
                           fsd_intern_slice(r->h->names, p), r->build),
             (struct fsd_effort_skip){.why = reason(r, fsd_slice_of(no_tactic))});
    return true;
}

/* Reads a line like "Skipping tactic 3 due to insufficient memory on requested size of
 * 9 detected". */
static void skip_tactic(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice why, size;
    struct fsd_effort_skip one = {0};

    if (!fsd_slice_split_at(&p, " due to ", &why))
        return;
    if (fsd_slice_begins(why, "ins") &&
        fsd_slice_split_at(&why, " on requested size of ", &size))
        skip_for_scratch(r, size);
    else if (why.n) {
        one.why = reason(r, why);
        skip(r, r->effort, one);
    }
}

bool fsd_log_effort_skipped(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice layer, source = p;

    if (fsd_slice_take(&source, "Fast skip Tactic:")) {
        skip(r, r->effort,
             (struct fsd_effort_skip){
                 .why = reason(r, fsd_slice_of("the tactic's first run exceeds a time "
                                               "limit"))});
        return true;
    }
    if (!fsd_slice_take(&source, "Skipping "))
        return has_no_tactics(r, p);
    if (fsd_slice_take(&source, "tactic ")) {
        skip_tactic(r, source);
        return true;
    }
    if (fsd_slice_split_at(&source, ": No valid tactics for ", &layer))
        skip(r,
             fsd_effort_on(r->h->arena, &r->h->efforts,
                           fsd_intern_slice(r->h->names, layer),
                           fsd_intern_slice(r->h->names, source), r->build),
             (struct fsd_effort_skip){.why = reason(r, fsd_slice_of(no_tactic))});
    return true;
}

/* -------------------------------------------------------------------- whole build */

/* Removes a number of seconds such as "0.037093" from the front and returns it;
 * negative if there is none. */
static double take_seconds(struct fsd_slice *p)
{
    char text[32];
    size_t n = p->n < sizeof text - 1 ? p->n : sizeof text - 1;
    double value;
    char *end;

    if (!p->n || !fsd_is_digit(*p->s))
        return -1;
    memcpy(text, p->s, n);
    text[n] = '\0';
    value = strtod(text, &end);
    *p = fsd_slice_from(*p, (size_t)(end - text));
    return value <= 1e9 ? value : -1;
}

/* The forms of lines about a step.  `words` stand before the seconds, and `end` after
 * them.  `name` is the name of the step; NULL: the text before `words` is the name. */
static const struct {
    const char *words, *name, *end;
} steps[] = {
    {" completed in ", NULL, " seconds"},
    {" time: ", NULL, " seconds"},
    {"Parse time: ", "Parsing", ""},
    {"Engine built in ", "Engine built", " sec"},
    {"Finished engine building in ", "Engine building", " seconds"},
};

static bool read_step(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice after, name;
    double seconds;

    fsd_slice_drop(&p, ".");
    for (size_t i = 0; i < FSD_COUNT_OF(steps); i++) {
        name = p;
        if (!fsd_slice_split_at(&name, steps[i].words, &after))
            continue;
        seconds = take_seconds(&after);
        if (seconds < 0 || !fsd_slice_is(after, steps[i].end))
            continue;
        if (steps[i].name)
            name = fsd_slice_of(steps[i].name);
        fsd_slice_take(&name, "[MS] ");
        fsd_effort_step(
            r->h->arena, &r->h->efforts,
            (struct fsd_effort_step){.name = fsd_intern_slice(r->h->names, name),
                                     .seconds = seconds,
                                     .line = r->line,
                                     .build = r->build});
        return true;
    }
    return false;
}

/* Reads the use of the timing cache: "598 entries, 2718 hits" or, in later versions of
 * TensorRT, "598 entries, served 2718 hits since creation." */
static bool read_cache(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_effort_sums *sums;
    uint64_t entries, hits;

    if (!fsd_slice_take_number(&p, INT64_MAX, &entries) ||
        !fsd_slice_take(&p, " entries, "))
        return false;
    fsd_slice_take(&p, "served ");
    if (!fsd_slice_take_number(&p, INT64_MAX, &hits))
        return false;
    sums = fsd_effort_sums(r->h->arena, &r->h->efforts, r->build);
    sums->entries = (int64_t)entries;
    sums->hits = (int64_t)hits;
    return true;
}

/* Reads the size of the plan: "4.82 MiB". */
static bool read_plan(struct fsd_event_reader *r, struct fsd_slice p, bool whole)
{
    struct fsd_slice rest = p;
    double mib = take_seconds(&rest);
    struct fsd_effort_sums *sums;

    if (mib < 0 || !fsd_slice_is(rest, " MiB"))
        return false;
    sums = fsd_effort_sums(r->h->arena, &r->h->efforts, r->build);
    if (sums->plan && whole && !sums->plan_whole)
        return true;
    sums->plan = fsd_intern_slice(r->h->names, p);
    sums->plan_mib = mib;
    sums->plan_whole = whole;
    return true;
}

bool fsd_log_effort_whole(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice kind = p;

    if (fsd_slice_split_at(&kind, " timing cache in use", &p)) {
        fsd_effort_sums(r->h->arena, &r->h->efforts, r->build)->cache =
            fsd_slice_is(kind, "Global")  ? fsd_intern_str(r->h->names, "global")
            : fsd_slice_is(kind, "Local") ? fsd_intern_str(r->h->names, "local")
                                          : 0;
        return true;
    }
    if (fsd_slice_take(&p, "Deleting timing cache: "))
        return read_cache(r, p);
    if (fsd_slice_take(&p, "Created engine with size: "))
        return read_plan(r, p, false);
    if (fsd_slice_take(&p, "Loaded engine size: "))
        return read_plan(r, p, !fsd_slice_find(p, "."));
    return read_step(r, p);
}
