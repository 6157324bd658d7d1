/*
 * Laying a picture out.  Graphviz's layout may take very long and may crash, so it runs
 * in a child process, which can be killed, and whose crash is not ours.
 *
 * Layout does not scale: of a picture that is too large less is drawn.  What is too
 * large is decided by what the picture holds, and what comes after a failure by the
 * failure, so that a picture is the same bytes on a busy machine.  Time only ends in an
 * error, and it is the child's processor time, which other programs hardly change.
 */
#define _GNU_SOURCE /* memfd_create, pipe2, syscall */
#include "base/base.h"
#include "report/picture/drawing.h"

#include <errno.h>
#include <fcntl.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MANY_WIRES = 160 /* with labels on all of them */
};

/* --------------------------------------------------------------------- the child */

/* How far the child's files are when a picture is done. */
struct done {
    off_t picture, said;
    double spent; /* seconds of processor time since the child began */
    bool good;
};

/* One child lays out one picture after the other, since loading fonts and plug-ins
 * takes longest.  It writes to files that have no name, since the parent may be busy
 * with other work, and a pipe would get full:
 *
 *     pictures  <svg ...><svg ...>
 *     said      Warning: ...
 *     done      {end, end, spent, good} ...    this is a pipe */
struct fsd_layouts {
    const char *const *dots;
    uint32_t n, next;
    const char *format;
    pid_t child; /* 0: none yet, or it came to its end */
    int pictures, said, done;
    struct done last;
};

/* A library for fonts would keep what it finds, in the user's folders or, for root, in
 * the system's.  From here on no file is opened for writing, made or removed, and no
 * program begins.  False where the kernel, or the one that this was built for, knows no
 * such rule: they are of 5.13 and later. */
static bool forbid_writing(void)
{
#ifdef LANDLOCK_ACCESS_FS_EXECUTE
    const struct landlock_ruleset_attr rules = {
        .handled_access_fs =
            LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
            LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
            LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_SOCK |
            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_CHAR |
            LANDLOCK_ACCESS_FS_MAKE_BLOCK};
    long fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);

    return fd >= 0 && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !syscall(SYS_landlock_restrict_self, fd, 0);
#else
    return false;
#endif
}

/* Without that rule the library gets no path to a folder of the user's. */
static void write_nowhere(void)
{
    if (forbid_writing())
        return;
    setenv("HOME", "/dev/null", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
}

static void run_child(const struct fsd_layouts *l, int to)
{
    int nowhere = open("/dev/null", O_RDWR);
    FILE *out = fdopen(l->pictures, "w");

    write_nowhere();
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    dup2(l->said, STDERR_FILENO);
    for (uint32_t i = l->next; out && i < l->n; i++) {
        struct done done = {0};

        done.good = fsd_graphviz_draw(l->dots[i], l->format, out) && fflush(out) == 0;
        done.picture = lseek(l->pictures, 0, SEEK_CUR);
        done.said = lseek(l->said, 0, SEEK_CUR);
        done.spent = fsd_clock(CLOCK_PROCESS_CPUTIME_ID);
        if (write(to, &done, sizeof done) != sizeof done)
            break;
    }
    _exit(0);
}

/* The other end of the pipe is closed here at once, since reading would otherwise never
 * come to an end. */
static void start(struct fsd_layouts *l)
{
    int done[2] = {-1, -1};

    l->last = (struct done){0};
    l->pictures = memfd_create("pictures", MFD_CLOEXEC);
    l->said = memfd_create("said", MFD_CLOEXEC);
    l->child =
        l->pictures >= 0 && l->said >= 0 && pipe2(done, O_CLOEXEC) == 0 ? fork() : -1;
    if (l->child == 0)
        run_child(l, done[1]);
    close(done[1]);
    l->done = done[0];
}

static void stop(struct fsd_layouts *l)
{
    if (l->child > 0) {
        kill(l->child, SIGKILL);
        while (waitpid(l->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(l->pictures);
    close(l->said);
    close(l->done);
    l->child = 0;
}

/* The time that the child has spent on the current picture: reports about all earlier
 * ones were read. */
static double spent_by(const struct fsd_layouts *l)
{
    clockid_t clock;

    return clock_getcpuclockid(l->child, &clock) == 0 ? fsd_clock(clock) - l->last.spent
                                                      : 0;
}

enum { IDLE_TIMES = 60 }; /* as long as it may run, a child may wait for others */

/* False when the child ended, or the time did.  One that waits for what never comes
 * uses no processor time and is given up at last, too. */
static bool wait_for(const struct fsd_layouts *l, struct done *done, double seconds,
                     bool *timed_out)
{
    double until = fsd_now() + IDLE_TIMES * fsd_larger(seconds, 1), left;
    struct pollfd ready = {.fd = l->done, .events = POLLIN};

    while (seconds > 0) {
        left = seconds - spent_by(l);
        if (poll(&ready, 1, left > 0 ? (int)(left * 1000) + 1 : 0) > 0) {
            ssize_t n = read(l->done, done, sizeof *done);

            if (n >= 0 || errno != EINTR)
                return n == sizeof *done;
        } else if (left <= 0 || fsd_now() > until) {
            break;
        }
    }
    *timed_out = true;
    return false;
}

static void copy(int from, off_t at, off_t end, FILE *out)
{
    char buffer[65536];

    while (at < end) {
        size_t most =
            end - at < (off_t)sizeof buffer ? (size_t)(end - at) : sizeof buffer;
        ssize_t n = pread(from, buffer, most, at);

        if (n <= 0)
            return;
        fwrite(buffer, 1, (size_t)n, out);
        at += n;
    }
}

/* Libraries for fonts complain of the machine on the same stream; these words are
 * Graphviz's own. */
const char *fsd_graphviz_complaint(const char *said)
{
    static const char *const words[] = {"Error: ", "Warning: "};
    static const char no_room[] = "Warning: Unable to reclaim box space";
    const char *at = NULL;

    for (size_t i = 0; i < FSD_COUNT_OF(words) && !at; i++)
        do
            at = strstr(at ? at + 1 : said, words[i]);
        while (at && !strncmp(at, no_room, strlen(no_room)));
    return at;
}

struct fsd_layouts *fsd_layouts_begin(struct fsd_arena *arena, const char *const *dots,
                                      uint32_t n, const char *format)
{
    struct fsd_layouts *l = FSD_NEW(arena, struct fsd_layouts, 1);

    *l = (struct fsd_layouts){.dots = dots, .n = n, .format = format};
    start(l);
    return l;
}

void fsd_layouts_end(struct fsd_layouts *l)
{
    if (l->child)
        stop(l);
}

/* How an attempt went. */
struct outcome {
    bool good, timed_out;
    double spent;   /* seconds of processor time */
    char said[200]; /* what Graphviz complained of; empty: of nothing */
};

/* The next one, written to `out`, or nothing.  One that crashes the child, or has to be
 * killed with it, leaves the rest to another child. */
static struct outcome take(struct fsd_layouts *l, double seconds, FILE *out)
{
    struct outcome o = {0};
    char text[4096];
    const char *complaint;
    struct done done = {0};
    bool alive;
    ssize_t n;

    if (!l->child)
        start(l);
    alive = l->child > 0 && wait_for(l, &done, seconds, &o.timed_out);
    o.spent = alive ? done.spent - l->last.spent : l->child > 0 ? spent_by(l) : 0;
    l->next++;
    n = pread(l->said, text, sizeof text - 1, l->last.said);
    if (n > 0 && alive && n > done.said - l->last.said)
        n = done.said - l->last.said; /* the next one's */
    text[n > 0 ? n : 0] = '\0';
    if ((complaint = fsd_graphviz_complaint(text)))
        snprintf(o.said, sizeof o.said, "%.*s", (int)strcspn(complaint, "\r\n"),
                 complaint);
    o.good = done.good;
    if (done.good)
        copy(l->pictures, l->last.picture, done.picture, out);
    l->last = done;
    if (!alive)
        stop(l);
    return o;
}

bool fsd_layouts_take(struct fsd_layouts *l, double *seconds, FILE *out)
{
    struct outcome o = take(l, *seconds, out);

    *seconds -= o.spent;
    return o.good && !*o.said;
}

/* Two boxes take a tenth of a second. */
enum { PROBE_SECONDS = 10 };

bool fsd_picture_lays_out(const char *format)
{
    struct fsd_arena *arena = fsd_arena_new();
    const char *dot = "digraph { a -> b }";
    struct fsd_layouts *l = fsd_layouts_begin(arena, &dot, 1, format);
    struct fsd_print picture;
    double seconds = PROBE_SECONDS;
    bool good = fsd_layouts_take(l, &seconds, fsd_print_open(&picture));

    fsd_layouts_end(l);
    fsd_print_close(&picture);
    free(picture.text);
    fsd_arena_free(arena);
    return good;
}

/* ---------------------------------------------------------------------- attempts */

/* Only few wires are labelled: more labels would push the boxes apart. */
static bool is_labelled(const struct fsd_drawing *w)
{
    return w->lines[FSD_WIRE].n <= MANY_WIRES;
}

/* Labels have ranks of their own, as many again. */
static bool is_too_large(const struct fsd_plan *plan)
{
    const struct fsd_drawing *w = plan->drawing;

    return fsd_drawing_weight(w) > plan->most_ends ||
           fsd_drawing_span(w) * (is_labelled(w) ? 2 : 1) > FSD_MOST_SPAN;
}

/* What is still too large would take too long as well. */
static bool draw_less(struct fsd_plan *plan)
{
    bool less = plan->simplify(plan);

    while (less && is_too_large(plan) && plan->simplify(plan))
        ;
    return less;
}

/* What a reader should know of the picture: that less is drawn, or what Graphviz says.
 */
static void report(const struct fsd_plan *plan, uint32_t boxes, const char *why,
                   const char *said)
{
    char text[600];

    if (*plan->less)
        snprintf(text, sizeof text, "a picture of %u boxes %s: %s", boxes, why,
                 plan->less);
    else
        snprintf(text, sizeof text, "Graphviz says of the picture: %s", said);
    if (plan->want->note && (*plan->less || *said))
        plan->want->note(plan->want->payload, text);
}

static void print_first(struct fsd_plan *plan, FILE *out)
{
    if (!plan->chosen && is_too_large(plan))
        draw_less(plan);
    fsd_dot_print(plan->drawing, is_labelled(plan->drawing), out);
}

static const char too_large[] = "is too large to lay out";

void fsd_plan_print(struct fsd_plan *plan, FILE *out)
{
    uint32_t boxes = plan->drawing->boxes.n;

    print_first(plan, out);
    report(plan, boxes, too_large, "");
}

/* Draws what is printed of the plan: all of it, or nothing. */
static struct outcome try_layout(struct fsd_plan *plan, const char *format,
                                 double seconds, FILE *out)
{
    struct fsd_print print;
    struct fsd_layouts *l;
    const char *dot;
    struct outcome o;

    print_first(plan, fsd_print_open(&print));
    dot = fsd_print_take(&print, plan->drawing->arena);
    l = fsd_layouts_begin(plan->drawing->arena, &dot, 1, format);
    o = take(l, seconds, out);
    fsd_layouts_end(l);
    return o;
}

/* Where Graphviz finds no way for a curve, which its router may not for hundreds of
 * labels, the lines are straight; only where it cannot draw these less is drawn. */
enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err)
{
    double seconds = fsd_picture_seconds(plan->want), left = seconds;
    uint32_t boxes = plan->drawing->boxes.n;
    struct outcome o;
    char why[260], said[200] = "";
    bool more;

    snprintf(why, sizeof why, "%s", too_large);
    do {
        o = try_layout(plan, format, left, out);
        left -= o.spent;
        if (!o.good)
            snprintf(said, sizeof said, "%s", *o.said ? o.said : "no word");
        more = !o.good && !o.timed_out && left > 0;
        if (more && !plan->drawing->straight) {
            plan->drawing->straight = true;
        } else if (more) {
            snprintf(why, sizeof why, "cannot be laid out (Graphviz: %s)", said);
            more = draw_less(plan);
        }
    } while (more);
    plan->spent = seconds - left;
    if (!o.good && (o.timed_out || left <= 0))
        return fsd_fail(err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
                        "expected a layout within %g seconds of processor time, found "
                        "none of %u boxes: --around, --only or --collapse make the "
                        "picture smaller, --layout-timeout allows more, -f dot needs "
                        "no layout",
                        seconds, plan->drawing->boxes.n);
    if (!o.good)
        return fsd_fail(err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
                        "expected a layout, found none (Graphviz: %s): --around or "
                        "--only make the picture smaller, -f dot needs no layout",
                        said);
    report(plan, boxes, why, o.said);
    return FSD_OK;
}
