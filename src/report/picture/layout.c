/*
 * Laying a picture out.  Graphviz's layout may take very long and may crash, so it runs
 * in a child process, which can be killed, and whose crash is not ours.
 *
 * Layout does not scale: of a picture that is too large less is drawn, and one whose
 * layout does not come to an end in its time is killed and less of it is drawn.
 */
#define _GNU_SOURCE /* memfd_create, pipe2, syscall */
#include "base/clock.h"
#include "base/print.h"
#include "base/status.h"
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
#include <unistd.h>

enum {
    MANY_WIRES = 160 /* more labels of wires than this push the boxes apart */
};

/* --------------------------------------------------------------------- the child */

/* How far the child's files are when a picture is done. */
struct told {
    off_t picture, said;
    bool good;
};

/* One child lays out one picture after the other: what takes long is to begin, with
 * fonts and plug-ins.  It writes to files that have no name, for whoever waits for it
 * may have other things to do first, and a pipe would get full:
 *
 *     pictures  <svg ...><svg ...>
 *     said      Warning: ...
 *     told      {end, end, good} ...    this is a pipe */
struct fsd_layouts {
    const char *const *dots;
    uint32_t n, next;
    const char *format;
    pid_t child; /* 0: none yet, or it came to its end */
    int pictures, said, told;
    struct told last;
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

/* Without that rule the library is told of no folder of the user's. */
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
        struct told told = {0};

        told.good = fsd_graphviz_draw(l->dots[i], l->format, out) && fflush(out) == 0;
        told.picture = lseek(l->pictures, 0, SEEK_CUR);
        told.said = lseek(l->said, 0, SEEK_CUR);
        if (write(to, &told, sizeof told) != sizeof told)
            break;
    }
    _exit(0);
}

/* The other end of the pipe is closed here at once, since reading would otherwise never
 * come to an end. */
static void start(struct fsd_layouts *l)
{
    int told[2] = {-1, -1};

    l->last = (struct told){0};
    l->pictures = memfd_create("pictures", MFD_CLOEXEC);
    l->said = memfd_create("said", MFD_CLOEXEC);
    l->child =
        l->pictures >= 0 && l->said >= 0 && pipe2(told, O_CLOEXEC) == 0 ? fork() : -1;
    if (l->child == 0)
        run_child(l, told[1]);
    close(told[1]);
    l->told = told[0];
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
    close(l->told);
    l->child = 0;
}

/* False when the child ended, or the time did. */
static bool wait_for(int from, struct told *told, double until)
{
    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        double left = until - fsd_now();

        if (left <= 0)
            return false;
        if (poll(&ready, 1, (int)(left * 1000) + 1) > 0) {
            ssize_t n = read(from, told, sizeof *told);

            if (n >= 0 || errno != EINTR)
                return n == sizeof *told;
        }
    }
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

/* The next one, written to `out`, or nothing.  One that crashes the child, or has to be
 * killed with it, leaves the rest to another child. */
static bool take(struct fsd_layouts *l, double until, FILE *out, char said[200])
{
    char text[4096];
    const char *complaint;
    struct told told = {0};
    bool alive;
    ssize_t n;

    if (!l->child)
        start(l);
    alive = l->child > 0 && wait_for(l->told, &told, until);
    l->next++;
    n = pread(l->said, text, sizeof text - 1, l->last.said);
    if (n > 0 && alive && n > told.said - l->last.said)
        n = told.said - l->last.said; /* the next one's */
    text[n > 0 ? n : 0] = '\0';
    if ((complaint = fsd_graphviz_complaint(text)))
        snprintf(said, 200, "%.*s", (int)strcspn(complaint, "\r\n"), complaint);
    if (told.good)
        copy(l->pictures, l->last.picture, told.picture, out);
    l->last = told;
    if (!alive)
        stop(l);
    return told.good;
}

bool fsd_layouts_take(struct fsd_layouts *l, double seconds, FILE *out)
{
    char said[200] = "";

    return take(l, fsd_now() + seconds, out, said) && !*said;
}

/* Two boxes take a tenth of a second.  A machine that is busy a hundredfold is not a
 * broken installation, so that only what hangs is ended. */
enum { PROBE_SECONDS = 600 };

bool fsd_picture_lays_out(const char *format)
{
    struct fsd_arena *arena = fsd_arena_new();
    const char *dot = "digraph { a -> b }";
    struct fsd_layouts *l = fsd_layouts_begin(arena, &dot, 1, format);
    struct fsd_print picture;
    bool good = fsd_layouts_take(l, PROBE_SECONDS, fsd_print_open(&picture));

    fsd_layouts_end(l);
    fsd_print_close(&picture);
    free(picture.text);
    fsd_arena_free(arena);
    return good;
}

/* ---------------------------------------------------------------------- attempts */

/* What is still too large would take too long as well, and leave little time for what
 * is not. */
static bool draw_less(struct fsd_plan *plan)
{
    bool less = plan->simplify(plan);

    while (less && fsd_drawing_weight(plan->drawing) > plan->most_ends &&
           plan->simplify(plan))
        ;
    return less;
}

/* What a reader should know of the picture: that less is drawn, or what Graphviz says.
 */
static void tell(const struct fsd_plan *plan, uint32_t boxes, const char *why,
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
    if (!plan->chosen && fsd_drawing_weight(plan->drawing) > plan->most_ends)
        draw_less(plan);
    fsd_dot_print(plan->drawing, plan->drawing->lines[FSD_WIRE].n <= MANY_WIRES, out);
}

static const char too_large[] = "is too large to lay out";

void fsd_plan_print(struct fsd_plan *plan, FILE *out)
{
    uint32_t boxes = plan->drawing->boxes.n;

    print_first(plan, out);
    tell(plan, boxes, too_large, "");
}

/* Draws what is printed of the plan: all of it, or nothing. */
static bool try_layout(struct fsd_plan *plan, const char *format, double until,
                       FILE *out, char said[200])
{
    struct fsd_print print;
    struct fsd_layouts *l;
    const char *dot;
    bool good;

    print_first(plan, fsd_print_open(&print));
    dot = fsd_print_take(&print, plan->drawing->arena);
    l = fsd_layouts_begin(plan->drawing->arena, &dot, 1, format);
    *said = '\0';
    good = take(l, until, out, said);
    fsd_layouts_end(l);
    return good;
}

enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err)
{
    double seconds = fsd_picture_seconds(plan->want);
    double until = fsd_now() + seconds, left, end;
    uint32_t boxes = plan->drawing->boxes.n;
    char why[260], said[200];
    bool done;

    snprintf(why, sizeof why, "%s", too_large);
    do { /* half of the time that is left for each attempt, all of it for the last */
        left = until - fsd_now();
        end = until - (plan->last ? 0 : left / 2);
        done = try_layout(plan, format, end, out, said);
        if (!done && fsd_now() >= end)
            snprintf(why, sizeof why, "took too long to lay out");
        else if (!done)
            snprintf(why, sizeof why, "cannot be laid out (Graphviz: %s)",
                     *said ? said : "no word");
    } while (!done && fsd_now() < until && draw_less(plan));
    if (!done)
        return fsd_fail(
            err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
            "expected a layout within %g seconds, found none, the picture "
            "%s: --around or --only make it smaller, -f dot needs no layout",
            seconds, why);
    tell(plan, boxes, why, said);
    return FSD_OK;
}
