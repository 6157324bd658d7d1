/*
 * Writing a picture: as DOT, or laid out by Graphviz in a child process.
 *
 * Layout does not scale, so a picture that is too large is drawn in a coarser grain,
 * and one whose layout does not come to an end in its time is killed and drawn in the
 * next coarser one.
 */
#include "base/status.h"
#include "report/picture/dot.h"
#include "report/picture/layout.h"

#include <string.h>

enum {
    MOST_ENDS = 1600, /* boxes and wires that lay out within a second or two */
    DEFAULT_SECONDS = 10
};

/* --------------------------------------------------------------------- attempts */

struct job {
    const struct fsd_diff *d;
    const struct fsd_picture *want;
    const char *format;
    struct fsd_arena *arena;
    struct fsd_pick pick;
    struct fsd_drawing *drawing;
    uint32_t boxes; /* of the first drawing */
    bool too_large; /* for any layout */
    bool too_slow;  /* a layout was killed */
};

static uint32_t weight(const struct fsd_drawing *w)
{
    return w->boxes.n + w->wires.n;
}

static void draw(struct job *job, struct fsd_grain grain)
{
    job->drawing = fsd_drawing_new(job->d, job->pick, grain, job->arena);
}

/* The next grain that makes the picture smaller; false when there is none. */
static bool coarser(struct job *job)
{
    struct fsd_grain grain = job->drawing->grain;
    uint32_t before = weight(job->drawing);

    while (fsd_grain_next(job->drawing, &grain)) {
        draw(job, grain);
        if (weight(job->drawing) < before)
            return true;
    }
    return false;
}

/* After a layout that took too long: what is still large would take too long as well,
 * and little time would be left for what is not. */
static bool much_coarser(struct job *job)
{
    bool is = coarser(job);

    while (weight(job->drawing) > MOST_ENDS && coarser(job))
        is = true;
    return is;
}

static void tell(const struct job *job)
{
    char grain[24], text[320];

    if (!job->want->note || !(job->too_large || job->too_slow))
        return;
    snprintf(text, sizeof text,
             "a picture of %u boxes %s: drawn with --collapse %s, %u boxes "
             "(--around or --only show a part of it in full)",
             job->boxes,
             job->too_slow ? "took too long to lay out" : "is too large to lay out",
             fsd_grain_name(job->drawing->grain, grain), job->drawing->boxes.n);
    job->want->note(job->want->payload, text);
}

/* Half of the time that is left for each attempt, all of it for the last. */
static double share(const struct job *job, double until)
{
    double left = until - fsd_layout_now();

    return job->drawing->grain.level == FSD_LEVEL_PART ? left : left / 2;
}

static bool draw_layout(const void *drawing, const char *format, FILE *out)
{
    return fsd_dot_layout(drawing, format, out);
}

static enum fsd_status write_layout(struct job *job, FILE *out, struct fsd_error *err)
{
    double seconds =
        job->want->layout_seconds > 0 ? job->want->layout_seconds : DEFAULT_SECONDS;
    double until = fsd_layout_now() + seconds;
    bool done = false;

    do {
        done =
            fsd_lay_out(draw_layout, job->drawing, job->format, share(job, until), out);
        job->too_slow |= !done;
    } while (!done && fsd_layout_now() < until && much_coarser(job));
    if (done) {
        tell(job);
        return FSD_OK;
    }
    return fsd_fail(
        err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
        "expected a layout within %g seconds, found none: --around or --only "
        "make the picture smaller, -f dot needs no layout",
        seconds);
}

static enum fsd_status write_picture(struct job *job, FILE *out, struct fsd_error *err)
{
    struct fsd_grain grain = {FSD_LEVEL_NONE, 0};

    if (job->want->collapse &&
        fsd_grain_parse(job->want->collapse, &grain, err) != FSD_OK)
        return FSD_E_ARG;
    draw(job, grain);
    if (!strcmp(job->format, "dot")) {
        fsd_dot_write(job->drawing, out);
        return FSD_OK;
    }
    job->boxes = job->drawing->boxes.n;
    while (!job->want->collapse && weight(job->drawing) > MOST_ENDS && coarser(job))
        job->too_large = true;
    return write_layout(job, out, err);
}

enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    static const struct fsd_picture everything = {0};
    struct job job = {.d = d,
                      .want = style->picture ? style->picture : &everything,
                      .format = format};
    enum fsd_status status;

    job.arena = fsd_arena_new();
    status = fsd_picture_pick(d, style, job.arena, &job.pick, err);
    if (status == FSD_OK)
        status = write_picture(&job, out, err);
    fsd_arena_free(job.arena);
    return status;
}
