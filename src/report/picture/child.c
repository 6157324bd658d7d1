/*
 * Runs Graphviz in a child process, because a layout may take very long or crash. This
 * process can kill the child, and a crash of the child does not end this process. Time
 * limits are in processor time, on which other programs have little influence.
 */
#define _GNU_SOURCE /* memfd_create, pipe2, syscall */
#include "base/base.h"
#include "host/host.h"
#include "report/picture/drawing.h"

#include <errno.h>
#include <fcntl.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool fsd_child_draws(void)
{
    return true;
}

/* The child sends this after each picture. `picture` and `said` are the sizes so far,
 * in bytes, of the files `pictures` and `said` of struct fsd_layout_child. */
struct done {
    off_t picture, said;
    double spent; /* processor time since the child's start, in seconds */
    bool good;
};

/* One child lays out all pictures, one after the other, because loading fonts and
 * plug-ins takes longer than a layout. The child writes its output to two unnamed
 * files. If they were pipes, they would get full while the parent is busy with other
 * work.
 *
 *     pictures  <svg ...><svg ...>
 *     said      Warning: ...
 *     done      {picture, said, spent, good} ...    this is a pipe */
struct fsd_layout_child {
    const char *const *dots;
    uint32_t n, next;
    const char *format;
    pid_t child; /* 0: no child is running */
    int pictures, said, done;
    struct done last;
};

/* Forbids the child to write files and to start programs. Font libraries would
 * otherwise write caches into the user's folders or, as root, into the system's
 * folders.
 * @return false if Landlock is missing in the kernel or in the kernel headers of the
 *         build; Linux 5.13 introduced it */
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

/* Prevents libraries from writing into the user's folders. If the kernel cannot forbid
 * this, sets environment variables so that the libraries do not find the folders. */
static void write_nowhere(void)
{
    if (forbid_writing())
        return;
    setenv("HOME", "/dev/null", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
}

static void run_child(const struct fsd_layout_child *l, int to)
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

/* Starts the child. The parent closes its write end of the pipe at once, so that reads
 * end when the child ends. */
static void start(struct fsd_layout_child *l)
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

static void stop(struct fsd_layout_child *l)
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

/* Returns the processor time that the child has spent on the current picture, in
 * seconds. `l->last` must be the report on the preceding picture. */
static double spent_by(const struct fsd_layout_child *l)
{
    clockid_t clock;

    return clock_getcpuclockid(l->child, &clock) == 0 ? fsd_clock(clock) - l->last.spent
                                                      : 0;
}

/* Waits until the child finishes a picture. The processor time is limited to `seconds`.
 * A blocked child uses no processor time, so the real time is limited, too.
 * @param timed_out set to true if a time limit is exceeded
 * @return false if the picture is not finished: the child ended, or exceeded a time
 *         limit */
static bool wait_for(const struct fsd_layout_child *l, struct done *done,
                     double seconds, bool *timed_out)
{
    double until = fsd_now() + FSD_HOST_IDLE_TIMES * fsd_larger(seconds, 1), left;
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

struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format)
{
    struct fsd_layout_child *l = FSD_NEW(arena, struct fsd_layout_child, 1);

    *l = (struct fsd_layout_child){.dots = dots, .n = n, .format = format};
    start(l);
    return l;
}

void fsd_child_end(struct fsd_layout_child *l)
{
    if (l->child)
        stop(l);
}

/* Writes the next picture to `out`; nothing if its layout fails. If the child crashes
 * or must be killed, another child lays out the remaining pictures. */
struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out)
{
    struct fsd_layout_outcome o = {0};
    char text[4096];
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
        n = done.said - l->last.said; /* later messages are about the next picture */
    text[n > 0 ? n : 0] = '\0';
    fsd_graphviz_say(text, &o);
    o.good = done.good;
    if (done.good)
        copy(l->pictures, l->last.picture, done.picture, out);
    l->last = done;
    if (!alive)
        stop(l);
    return o;
}
