/*
 * Writing a picture of a comparison.  Layout does not scale: of large builds only what
 * changed is drawn, and of very many changes the worst, half as many until they can be
 * laid out in their time.
 */
#include "base/status.h"
#include "report/picture/dot_compare.h"
#include "report/compare_report.h"
#include "report/picture/layout.h"

#include <fnmatch.h>
#include <string.h>

enum {
    MOST_ENDS = 800, /* marks, wires and ties that lay out within a second or two */
    DEFAULT_SECONDS = 10
};

struct job {
    const struct fsd_compare *c;
    const struct fsd_picture *want;
    struct fsd_arena *arena;
    const char *format;
    uint32_t differing;
    uint32_t most; /* changed regions that are drawn; UINT32_MAX: everything is */
    bool fixed;    /* it was said what to draw */
    bool reduced;  /* less is drawn than was asked for */
    struct fsd_compare_drawing *drawing;
};

/* ------------------------------------------------------------------------- pick */

static uint32_t count_differing(const struct fsd_compare *c)
{
    uint32_t n = 0;

    for (fsd_id r = 0; r < c->regions.n; r++)
        n += c->regions.at[r].differs;
    return n;
}

static struct fsd_compare_pick new_pick(const struct job *job)
{
    return (struct fsd_compare_pick){.regions =
                                         FSD_NEW(job->arena, bool, job->c->regions.n)};
}

static struct fsd_compare_pick pick_all(const struct job *job)
{
    struct fsd_compare_pick pick = new_pick(job);

    for (fsd_id r = 0; r < job->c->regions.n; r++)
        pick.regions[r] = true;
    return pick;
}

static struct fsd_compare_pick pick_changes(const struct job *job)
{
    struct fsd_compare_pick pick = new_pick(job);
    char *subject = FSD_NEW(job->arena, char, 80);
    uint32_t taken = 0;

    for (uint32_t i = 0; i < job->c->regions.n && taken < job->most; i++)
        if (job->c->regions.at[job->c->order[i]].differs) {
            pick.regions[job->c->order[i]] = true;
            taken++;
        }
    pick.partial = true;
    pick.loose = taken == job->differing;
    if (pick.loose)
        snprintf(subject, 80, "what changed and what is next to it");
    else
        snprintf(subject, 80, "the worst %u of %u changes and what is next to them",
                 taken, job->differing);
    pick.subject = subject;
    return pick;
}

static bool is_named(const struct fsd_state *s, fsd_id node, const char *pattern)
{
    const char *key = fsd_text(s->names, s->nodes.at[node].key);

    return !strcmp(key, pattern) || !fnmatch(pattern, key, 0);
}

static bool take_named(const struct fsd_state *s, const fsd_id *region,
                       const char *pattern, bool *regions)
{
    bool any = false;

    for (fsd_id n = 0; n < s->nodes.n; n++) {
        fsd_id group = s->nodes.at[n].group;

        if (group == FSD_NONE || !is_named(s, n, pattern))
            continue;
        regions[region[group]] = any = true;
    }
    return any;
}

static enum fsd_status pick_around(const struct job *job, struct fsd_compare_pick *pick,
                                   struct fsd_error *err)
{
    const struct fsd_compare *c = job->c;
    const char *pattern = job->want->around;
    bool old, new;

    *pick = new_pick(job);
    pick->partial = true;
    pick->subject = "a neighbourhood";
    old = take_named(c->old, c->old_region, pattern, pick->regions);
    new = take_named(c->new, c->new_region, pattern, pick->regions);
    if (old || new)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
        "expected a node that a layer of either build computes, found '%.80s'",
        pattern);
}

/* ------------------------------------------------------------------------- draw */

static enum fsd_status draw(struct job *job, struct fsd_error *err)
{
    struct fsd_compare_pick pick;
    enum fsd_status status = FSD_OK;

    if (job->want->around)
        status = pick_around(job, &pick, err);
    else if (job->most == UINT32_MAX)
        pick = pick_all(job);
    else
        pick = pick_changes(job);
    if (status == FSD_OK)
        job->drawing = fsd_compare_draw(job->c, pick, job->arena);
    return status;
}

static uint32_t weight(const struct fsd_compare_drawing *w)
{
    return w->marks.n + w->wires.n + w->ties.n;
}

/* Draws less; false when there is no less. */
static bool reduce(struct job *job)
{
    if (job->fixed || job->most <= 1)
        return false;
    job->most = job->most == UINT32_MAX ? job->differing : job->most / 2;
    job->reduced = true;
    return draw(job, NULL) == FSD_OK;
}

static bool lay_out(const void *drawing, const char *format, FILE *out)
{
    return fsd_compare_dot_layout(drawing, format, out);
}

static void tell(const struct job *job)
{
    char text[200];

    if (!job->want->note || !job->reduced)
        return;
    snprintf(text, sizeof text,
             "the picture is too large to lay out: drawn is only %s (--around shows a "
             "part of it, -f dot and --all everything)",
             job->drawing->pick.subject);
    job->want->note(job->want->payload, text);
}

static enum fsd_status write_layout(struct job *job, FILE *out, struct fsd_error *err)
{
    double seconds =
        job->want->layout_seconds > 0 ? job->want->layout_seconds : DEFAULT_SECONDS;
    double until = fsd_layout_now() + seconds;
    bool done;

    while (!job->fixed && weight(job->drawing) > MOST_ENDS && reduce(job))
        ;
    do {
        double left = until - fsd_layout_now();

        done = fsd_lay_out(lay_out, job->drawing, job->format,
                           job->fixed || job->most <= 1 ? left : left / 2, out);
    } while (!done && fsd_layout_now() < until && reduce(job));
    if (done) {
        tell(job);
        return FSD_OK;
    }
    return fsd_fail(err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
                    "expected a layout within %g seconds, found none: --around or "
                    "--only changes make the picture smaller, -f dot needs no layout",
                    seconds);
}

static enum fsd_status check_words(const struct fsd_picture *want,
                                   struct fsd_error *err)
{
    if (!want->only || !strcmp(want->only, "changes"))
        return FSD_OK;
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected --only changes, found '%.80s'", want->only);
}

enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err)
{
    static const struct fsd_picture everything = {0};
    struct job job = {.c = c,
                      .want = style->picture ? style->picture : &everything,
                      .format = format,
                      .differing = count_differing(c),
                      .most = UINT32_MAX};
    enum fsd_status status = check_words(job.want, err);

    job.fixed = style->all || job.want->around;
    if (job.want->only)
        job.most = job.differing;
    job.arena = fsd_arena_new();
    if (status == FSD_OK)
        status = draw(&job, err);
    if (status == FSD_OK && !strcmp(format, "dot"))
        fsd_compare_dot_write(job.drawing, out);
    else if (status == FSD_OK)
        status = write_layout(&job, out, err);
    fsd_arena_free(job.arena);
    return status;
}
