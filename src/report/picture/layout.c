/* The layout's child process: it can be killed, and a crash in it is not ours. */
#define _GNU_SOURCE /* pipe2 */
#include "report/picture/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void run_child(fsd_draw_fn *draw, const void *what, const char *format, int to)
{
    int nowhere = open("/dev/null", O_RDWR);
    FILE *out = fdopen(to, "w");
    bool good;

    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    good = out && draw(what, format, out) && fflush(out) == 0;
    _exit(good ? 0 : 1);
}

double fsd_layout_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads until the other end is closed; false when the time is over. */
static bool drain(int from, FILE *to, double until)
{
    char buffer[65536];

    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        double left = until - fsd_layout_now();
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

static bool reap(pid_t child)
{
    int how = 0;

    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static bool run(fsd_draw_fn *draw, const void *what, const char *format, double seconds,
                FILE *to)
{
    double until = fsd_layout_now() + seconds;
    int ends[2];
    pid_t child;
    bool good;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(draw, what, format, ends[1]);
    }
    close(ends[1]);
    good = child > 0 && drain(ends[0], to, until);
    close(ends[0]);
    if (child > 0 && !good)
        kill(child, SIGKILL);
    return child > 0 && reap(child) && good;
}

bool fsd_lay_out(fsd_draw_fn *draw, const void *what, const char *format,
                 double seconds, FILE *to)
{
    char *picture = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&picture, &size);
    bool good = memory && run(draw, what, format, seconds, memory);

    if (memory)
        good = fclose(memory) == 0 && good;
    if (good)
        fwrite(picture, 1, size, to);
    free(picture);
    return good;
}
