/*
 * Runs a command whose words all come from the user, never from a file, by execvp(): no
 * shell reads them.  Its output is forwarded to this program's own streams as it comes,
 * and written to the log line by line, so that lines of its two streams do not mix.
 * Signals that would end this program are forwarded to the command; the terminal sends
 * SIGINT to both anyway.
 */
#define _GNU_SOURCE /* pipe2 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 16, FAILED_TO_START = 127 };

static volatile sig_atomic_t child, forwarded_signal;

static void forward_signal(int signal_number)
{
    forwarded_signal = signal_number;
    if (child > 0)
        kill((pid_t)child, signal_number);
}

/* One of the command's streams; what has come of a line that has not ended. */
struct stream {
    int from, to;
    char *line;
    size_t n, room;
};

static bool keep(struct stream *s, const char *bytes, size_t n)
{
    if (s->n + n > s->room) {
        size_t room = 2 * (s->n + n);
        char *line = realloc(s->line, room);

        if (!line)
            return false;
        s->line = line;
        s->room = room;
    }
    memcpy(s->line + s->n, bytes, n);
    s->n += n;
    return true;
}

/* Moves the lines that are whole, or all, into the log. */
static bool flush_lines(struct stream *s, FILE *log, bool all)
{
    size_t whole = s->n;

    while (!all && whole && s->line[whole - 1] != '\n')
        whole--;
    if (whole && fwrite(s->line, 1, whole, log) != whole)
        return false;
    if (all && whole && s->line[whole - 1] != '\n')
        putc('\n', log);
    if (whole)
        memmove(s->line, s->line + whole, s->n - whole);
    s->n -= whole;
    return true;
}

static void write_on(int to, const char *bytes, size_t n)
{
    while (n) {
        ssize_t put = write(to, bytes, n);

        if (put < 0 && errno != EINTR)
            return; /* the stream was closed: the log is still written */
        bytes += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
}

/* False where the log cannot be written. */
static bool move_piece(struct stream *s, FILE *log)
{
    static char piece[PIECE];
    ssize_t n = read(s->from, piece, sizeof piece);

    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0) {
        close(s->from);
        s->from = -1;
        return flush_lines(s, log, true);
    }
    write_on(s->to, piece, (size_t)n);
    return keep(s, piece, (size_t)n) && flush_lines(s, log, false);
}

/* Until both streams end. */
static bool move_all(struct stream streams[2], FILE *log)
{
    bool kept = true;

    while (streams[0].from >= 0 || streams[1].from >= 0) {
        struct pollfd polled[2] = {{streams[0].from, POLLIN, 0},
                                   {streams[1].from, POLLIN, 0}};

        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            return false;
        for (int i = 0; i < 2; i++)
            if (streams[i].from >= 0 && polled[i].revents)
                kept &= move_piece(&streams[i], log);
    }
    return kept && !fflush(log) && !fsync(fileno(log));
}

/* In the child: `failed` ends when the program is started, and has the reason if not.
 * */
static void become(const char *const *words, const char *folder, const int out[2],
                   const int err[2], int failed)
{
    static char absolute[PATH_MAX];
    int why;

    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (dup2(out[1], STDOUT_FILENO) >= 0 && dup2(err[1], STDERR_FILENO) >= 0 &&
        (!folder ||
         (realpath(folder, absolute) && !setenv("FUSIONDIFF_COLLECT", absolute, 1))))
        execvp(words[0], (char *const *)(uintptr_t)words);
    why = errno;
    write_on(failed, (const char *)&why, sizeof why);
    _exit(FAILED_TO_START);
}

/* False if the program was started: the pipe ended. */
static bool read_reason(int from, int *why)
{
    ssize_t n;

    do
        n = read(from, why, sizeof *why);
    while (n < 0 && errno == EINTR);
    return n == sizeof *why;
}

/* @param why  set to 0, or to errno where it did not start. */
static pid_t start(const char *const *words, const char *folder,
                   struct stream streams[2], int *why)
{
    int out[2], err[2], failed[2];
    pid_t pid;

    if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
        *why = errno; /* this program ends */
        return -1;
    }
    pid = fork();
    if (!pid)
        become(words, folder, out, err, failed[1]);
    *why = pid < 0 ? errno : 0;
    close(out[1]);
    close(err[1]);
    close(failed[1]);
    streams[0].from = out[0];
    streams[1].from = err[0];
    if (pid > 0 && !read_reason(failed[0], why))
        *why = 0;
    close(failed[0]);
    return pid;
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

enum fsd_status run_command(const char *const *words, const char *folder,
                            const char *path, int *status, int *ended_by,
                            struct fsd_error *err)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct stream streams[2] = {{.to = STDOUT_FILENO}, {.to = STDERR_FILENO}};
    FILE *log = fopen(path, "we");
    struct sigaction act = {.sa_handler = forward_signal}, before[4];
    bool kept;
    int why, raw;
    pid_t pid;

    if (!log)
        return fail_errno(err, path);
    forwarded_signal = 0;
    for (size_t i = 0; i < 4; i++) {
        sigaction(ends[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* nohup */
            sigaction(ends[i], &act, NULL);
    }
    pid = start(words, folder, streams, &why);
    child = (sig_atomic_t)pid;
    if (pid > 0 && forwarded_signal) /* it came before `child` was known */
        kill(pid, forwarded_signal);
    kept = pid > 0 && move_all(streams, log);
    raw = pid > 0 ? wait_for(pid) : 0;
    child = 0;
    for (size_t i = 0; i < 4; i++)
        sigaction(ends[i], &before[i], NULL);
    fclose(log);
    free(streams[0].line);
    free(streams[1].line);
    if (why)
        return fail_file(err, FSD_E_IO, words[0], "cannot be started: %s",
                         strerror(why));
    *ended_by = WIFSIGNALED(raw) ? WTERMSIG(raw) : forwarded_signal;
    *status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
    return kept ? FSD_OK : fail_errno(err, path);
}

/* What has come of one of the streams: behind what is there, as far as there is room.
 * */
static void append_piece(struct stream *s, char *text, size_t *used, size_t size)
{
    char piece[4096];
    ssize_t n = read(s->from, piece, sizeof piece);
    size_t room = size - 1 - *used;

    if (n <= 0) {
        if (n < 0 && errno == EINTR)
            return;
        close(s->from);
        s->from = -1;
        return;
    }
    room = room < (size_t)n ? room : (size_t)n;
    memcpy(text + *used, piece, room);
    *used += room;
}

void read_command(const char *const *words, char *text, size_t size)
{
    struct stream streams[2] = {{.from = -1}, {.from = -1}};
    size_t used = 0;
    int why;
    pid_t pid = start(words, NULL, streams, &why);

    while (pid > 0 && (streams[0].from >= 0 || streams[1].from >= 0)) {
        struct pollfd polled[2] = {{streams[0].from, POLLIN, 0},
                                   {streams[1].from, POLLIN, 0}};

        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            break;
        for (int i = 0; i < 2; i++)
            if (streams[i].from >= 0 && polled[i].revents)
                append_piece(&streams[i], text, &used, size);
    }
    text[used] = '\0';
    if (pid > 0)
        wait_for(pid);
}
