/*
 * Laying a picture out.  Graphviz's layout may take very long and may crash, so it runs
 * in a child process, which can be killed, and whose crash is not ours.
 *
 * Layout does not scale: of a picture that is too large less is drawn, and one whose
 * layout does not come to an end in its time is killed and less of it is drawn.
 */
#define _GNU_SOURCE /* pipe2 */
#include "base/print.h"
#include "base/status.h"
#include "report/picture/drawing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MANY_WIRES = 160, /* more labels of wires than this push the boxes apart */
    DEFAULT_SECONDS = 10
};

/* Seconds of a clock that only goes forward. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --------------------------------------------------------------------- the child */

/* One attempt: a picture, or what Graphviz said. */
struct attempt {
    const char *dot, *format;
    double until;
    struct fsd_print picture;
    char said[200];
};

/* Never waits for a reader of what Graphviz says: what does not fit is lost. */
static void run_child(const struct attempt *a, int to, int say)
{
    int nowhere = open("/dev/null", O_RDWR);
    FILE *out = fdopen(to, "w");

    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    fcntl(say, F_SETFL, O_NONBLOCK);
    dup2(say, STDERR_FILENO);
    _exit(out && fsd_graphviz_draw(a->dot, a->format, out) && fflush(out) == 0 ? 0 : 1);
}

/* Reads until the other end is closed; false when the time is over. */
static bool drain(int from, FILE *to, double until)
{
    char buffer[65536];

    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        double left = until - now();
        ssize_t n;

        if (left <= 0)
            return false;
        if (poll(&ready, 1, (int)(left * 1000) + 1) <= 0)
            continue;
        n = read(from, buffer, sizeof buffer);
        if (n == 0)
            return true;
        if (n > 0)
            fwrite(buffer, 1, (size_t)n, to);
        else if (errno != EINTR)
            return false;
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

/* Its ends of the pipes are closed here at once, since reading would otherwise never
 * come to an end; what it says is read when it is gone, and fits a pipe or is lost. */
static bool run(struct attempt *a, FILE *memory)
{
    int picture[2], said[2] = {-1, -1}, how = 0;
    char text[4096];
    bool good = pipe2(picture, O_CLOEXEC) == 0 && pipe2(said, O_CLOEXEC) == 0;
    pid_t child = good ? fork() : -1;

    if (child == 0)
        run_child(a, picture[1], said[1]);
    close(picture[1]);
    close(said[1]);
    good = child > 0 && drain(picture[0], memory, a->until);
    if (child > 0) {
        const char *complaint;
        pid_t ended;
        ssize_t n;

        if (!good)
            kill(child, SIGKILL);
        do
            ended = waitpid(child, &how, 0);
        while (ended < 0 && errno == EINTR);
        good = good && ended == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
        n = read(said[0], text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        if ((complaint = fsd_graphviz_complaint(text)))
            snprintf(a->said, sizeof a->said, "%.*s", (int)strcspn(complaint, "\r\n"),
                     complaint);
    }
    close(picture[0]);
    close(said[0]);
    return good;
}

/* Draws what is printed of `w`: all of it, to be freed, or nothing. */
static bool try_layout(struct attempt *a, const struct fsd_drawing *w)
{
    struct fsd_print dot;
    bool good;

    fsd_dot_print(w, w->lines[FSD_WIRE].n <= MANY_WIRES, fsd_print_open(&dot));
    fsd_print_close(&dot);
    a->dot = dot.text;
    *a->said = '\0';
    good = run(a, fsd_print_open(&a->picture));
    fsd_print_close(&a->picture);
    free(dot.text);
    if (!good)
        free(a->picture.text);
    return good;
}

bool fsd_picture_lays_out(const char *format)
{
    struct attempt a = {
        .dot = "digraph { a -> b }", .format = format, .until = now() + DEFAULT_SECONDS};
    bool good = run(&a, fsd_print_open(&a.picture));

    fsd_print_close(&a.picture);
    free(a.picture.text);
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

enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err)
{
    double seconds =
        plan->want->layout_seconds > 0 ? plan->want->layout_seconds : DEFAULT_SECONDS;
    double until = now() + seconds, left;
    uint32_t boxes = plan->drawing->boxes.n;
    char why[260] = "is too large to lay out";
    struct attempt a = {.format = format};
    char text[600];
    bool done;

    if (!plan->chosen && fsd_drawing_weight(plan->drawing) > plan->most_ends)
        draw_less(plan);
    do { /* half of the time that is left for each attempt, all of it for the last */
        left = until - now();
        a.until = until - (plan->last ? 0 : left / 2);
        done = try_layout(&a, plan->drawing);
        if (!done && now() >= a.until)
            snprintf(why, sizeof why, "took too long to lay out");
        else if (!done)
            snprintf(why, sizeof why, "cannot be laid out (Graphviz: %s)",
                     *a.said ? a.said : "no word");
    } while (!done && now() < until && draw_less(plan));
    if (!done)
        return fsd_fail(
            err, FSD_E_LIMIT, NULL, FSD_POS_NONE, 0,
            "expected a layout within %g seconds, found none, the picture "
            "%s: --around or --only make it smaller, -f dot needs no layout",
            seconds, why);
    fwrite(a.picture.text, 1, a.picture.size, out);
    free(a.picture.text);
    if (*plan->less)
        snprintf(text, sizeof text, "a picture of %u boxes %s: %s", boxes, why,
                 plan->less);
    else
        snprintf(text, sizeof text, "Graphviz says of the picture: %s", a.said);
    if (plan->want->note && (*plan->less || *a.said))
        plan->want->note(plan->want->payload, text);
    return FSD_OK;
}
