/*
 * Runs a command with execvp(), without a shell. All its words come from the user,
 * never from a file.
 *
 * The command runs in its own process group. If a signal ends this program, the signal
 * also goes to the whole group, and processes that still run after a grace period are
 * killed.
 *
 * At a terminal, Ctrl-C and Ctrl-Z reach this program and the script or pipeline that
 * contains it. This program forwards them to the command. If the command reads the
 * terminal, the system stops the command, because the command's group is in the
 * background. This program then gives the command the terminal permanently. From then
 * on, Ctrl-C and Ctrl-Z reach only the command, and this program stops or ends in the
 * same way as the command.
 *
 * Processes that outlive the command are not awaited, even if they have its streams
 * open.
 *
 * Signals are blocked except while ppoll() waits, so that none is lost.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum {
    PIECE = 1 << 16,
    GRACE = 2000, /* milliseconds after a signal until a stronger signal is sent */
    QUIET = 200,  /* after the command has ended: milliseconds without output until the
                     output counts as complete */
    REST = 2000   /* maximum time in milliseconds to read the output of processes that
                     outlive the command */
};

static const int caught[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                             SIGTSTP, SIGCONT, SIGCHLD};
/* The first N_ENDS of these signals end this program. */
enum { N_ENDS = 4, N_CAUGHT = sizeof caught / sizeof *caught };

static volatile sig_atomic_t received[N_CAUGHT];

static void note_signal(int number)
{
    for (size_t i = 0; i < N_CAUGHT; i++)
        if (caught[i] == number)
            received[i] = true;
}

struct running {
    const struct child *of;
    pid_t pid;
    int streams[2]; /* the command's standard output and error; -1: closed */
    bool kept;      /* whether `take` stored all pieces */
    int terminal;   /* descriptor of the controlling terminal; -1: none */
    bool reads;     /* whether the command reads the terminal. If true,
                       give_terminal() gives the command the terminal */
    bool ended;
    int raw;       /* exit status as waitpid() returns it */
    int signal;    /* the first fatal signal that this program forwarded; 0: none */
    int stage;     /* number of stronger signals sent after `signal` */
    int64_t until; /* time in ms at which the next stronger signal is due; 0: never */
    sigset_t mask, blocked, waiting; /* mask: the caller's signal mask; blocked: the
                                        mask while this file runs the command;
                                        waiting: the mask during ppoll() */
    struct sigaction before[N_CAUGHT];
};

enum { CLOSED = -1 }; /* the value of a descriptor that is not open */

static bool is_open(int end)
{
    return end != CLOSED;
}

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------------ signals */

/* Installs the handlers. SIGTTOU stays blocked: while the command has the terminal,
 * this program is in the background but must continue to print. */
static void catch_signals(struct running *r)
{
    struct sigaction act = {.sa_handler = note_signal};

    sigprocmask(SIG_BLOCK, NULL, &r->mask);
    r->blocked = r->waiting = r->mask;
    sigaddset(&r->blocked, SIGTTOU);
    sigaddset(&r->waiting, SIGTTOU);
    sigdelset(&r->waiting, SIGCHLD);
    for (size_t i = 0; i < N_CAUGHT; i++)
        sigaddset(&r->blocked, caught[i]);
    sigprocmask(SIG_SETMASK, &r->blocked, NULL);
    for (size_t i = 0; i < N_CAUGHT; i++) {
        sigaction(caught[i], NULL, &r->before[i]);
        /* A signal that the caller ignores stays ignored, such as SIGHUP for nohup. */
        if (r->before[i].sa_handler != SIG_IGN || caught[i] == SIGCHLD)
            sigaction(caught[i], &act, NULL);
    }
}

static void release_signals(const struct running *r)
{
    for (size_t i = 0; i < N_CAUGHT; i++)
        sigaction(caught[i], &r->before[i], NULL);
    sigprocmask(SIG_SETMASK, &r->mask, NULL);
}

/* ----------------------------------------------------------------------- terminal */

/* Gives the terminal to the command. Only a program in the foreground may do so. */
static void give_terminal(const struct running *r)
{
    if (r->reads && tcgetpgrp(r->terminal) == getpgrp())
        tcsetpgrp(r->terminal, r->pid);
}

/* Takes the terminal back.
 * @return whether the command had the terminal */
static bool take_terminal(const struct running *r)
{
    return tcgetpgrp(r->terminal) == r->pid && /* false without a terminal */
           !tcsetpgrp(r->terminal, getpgrp());
}

/* Stops this program or, as Ctrl-Z does, its whole job. When the user continues this
 * program, this function continues the command.
 * @param whom the argument of kill(): this process, or 0 for the job */
static void stop(struct running *r, pid_t whom)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, own;
    sigset_t open = r->blocked;

    sigdelset(&open, SIGTSTP);
    take_terminal(r);
    sigaction(SIGTSTP, &usual, &own);
    kill(whom, SIGTSTP);
    sigprocmask(SIG_SETMASK, &open, NULL); /* the program stops here */
    sigprocmask(SIG_SETMASK, &r->blocked, NULL);
    sigaction(SIGTSTP, &own, NULL);
    give_terminal(r);
    kill(-r->pid, SIGCONT);
}

/* Handles a stop of the command. If the command used the terminal in the background and
 * this program has the terminal, the command gets the terminal and continues. Otherwise
 * the whole job stops. */
static void command_stopped(struct running *r, int number)
{
    if (!is_open(r->terminal) ||
        (number != SIGTSTP && number != SIGTTIN && number != SIGTTOU))
        return; /* the user stopped the command and will continue it */
    r->reads |= number != SIGTSTP;
    if (number != SIGTSTP && tcgetpgrp(r->terminal) == getpgrp()) {
        give_terminal(r);
        kill(-r->pid, SIGCONT);
    } else {
        stop(r, 0);
    }
}

/* ------------------------------------------------------------------------ starting */

/* Becomes the command; runs in the child. If execvp() fails, writes errno to the pipe
 * `failed`; if it succeeds, the pipe is closed. The signal handlers are reset before
 * the signals are unblocked. Otherwise the old handlers would receive a signal that
 * arrives before execvp(), and the signal would be lost. */
static void become(const struct running *r, const int streams[3], int failed)
{
    const struct child *c = r->of;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    int why;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (size_t i = 0; i < N_CAUGHT; i++)
        sigaction(caught[i],
                  r->before[i].sa_handler == SIG_IGN ? &r->before[i] : &usual, NULL);
    sigaction(SIGPIPE, &usual, NULL);
    sigaction(SIGXFSZ, &usual, NULL);
    sigprocmask(SIG_SETMASK, &r->mask, NULL);
    for (int i = 0; i < 3; i++) /* a descriptor that is already in place must stay open
                                   after execvp() */
        if (streams[i] == i ? fcntl(i, F_SETFD, 0) < 0
                            : is_open(streams[i]) && dup2(streams[i], i) < 0)
            goto failed;
    if (!c->value || !setenv(c->variable, c->value, 1))
        execvp(c->words[0], (char *const *)(uintptr_t)c->words);
failed:
    why = errno;
    write_all(failed, &why, sizeof why);
    _exit(127);
}

/* Waits until the command has started or has failed to start. The start closes the
 * pipe `from`.
 * @return 0 if the command started; otherwise the errno that the child wrote */
static int read_reason(int from)
{
    int why;

    return read(from, &why, sizeof why) == sizeof why ? why : 0;
}

/* Closes the descriptor if it is open. */
static void close_end(int *end)
{
    if (is_open(*end))
        close(*end);
    *end = CLOSED;
}

/* Starts the command.
 * @return 0; errno if the command did not start */
static int start(struct running *r)
{
    const struct child *c = r->of;
    int out[2] = {CLOSED, CLOSED}, err[2] = {CLOSED, CLOSED},
        failed[2] = {CLOSED, CLOSED};
    const bool piped = !pipe2(failed, O_CLOEXEC) &&
                       (!c->take || (!pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC)));
    int streams[3] = {c->in, c->out, CLOSED};
    int why = 0;

    if (c->take) {
        streams[1] = out[1];
        streams[2] = err[1];
    }
    r->pid = piped ? fork() : -1;
    if (!r->pid)
        become(r, streams, failed[1]);
    if (r->pid < 0)
        why = errno;
    close_end(&out[1]);
    close_end(&err[1]);
    close_end(&failed[1]);
    if (!why) {
        why = read_reason(failed[0]);
        if (why)
            waitpid(r->pid, NULL, 0);
    }
    close_end(&failed[0]);
    if (why) {
        close_end(&out[0]);
        close_end(&err[0]);
    }
    r->streams[0] = out[0];
    r->streams[1] = err[0];
    return why;
}

/* ------------------------------------------------------------------------- running */

/* Reads and forwards the available output of a stream. */
static void take_piece(struct running *r, int stream)
{
    static char piece[PIECE];
    ssize_t n = read(r->streams[stream], piece, sizeof piece);

    if (n <= 0)
        close_end(&r->streams[stream]);
    r->kept &= r->of->take(r->of->payload, stream, piece, n > 0 ? (size_t)n : 0);
}

/* Takes the output of the streams that are ready. A closed stream is never ready,
 * because its descriptor is -1. After a signal, such as the alarm of the progress bar,
 * no stream is ready. */
static void take_pieces(struct running *r, const struct pollfd polled[2])
{
    for (int i = 0; i < 2; i++)
        if (polled[i].revents)
            take_piece(r, i);
}

/* Handles the signals that arrived while ppoll() waited. */
static void pass_signals(struct running *r)
{
    for (size_t i = 0; i < N_CAUGHT; i++) {
        if (!received[i])
            continue;
        received[i] = false;
        if (i < N_ENDS) {
            prctl(PR_SET_CHILD_SUBREAPER, 1); /* this process becomes the parent of
                                                 orphans, so that end_group() sees when
                                                 all are gone */
            kill(-r->pid, caught[i]);
            kill(-r->pid, SIGCONT); /* because a stopped process cannot end */
            r->signal = r->signal ? r->signal : caught[i];
            r->until = r->until ? r->until : now() + GRACE;
        } else if (caught[i] == SIGTSTP) {
            kill(-r->pid, SIGTSTP);
            stop(r, getpid());
        } else if (caught[i] == SIGCONT) {
            give_terminal(r);
        }
    }
    if (r->until && now() >= r->until) {
        kill(-r->pid, r->stage++ ? SIGKILL : SIGTERM);
        r->until = now() + GRACE;
    }
}

static void look_for_end(struct running *r)
{
    int raw;
    pid_t got = waitpid(r->pid, &raw, WNOHANG | WUNTRACED);

    if (got == r->pid && WIFSTOPPED(raw)) {
        command_stopped(r, WSTOPSIG(raw));
    } else if (got == r->pid) {
        r->ended = true;
        r->raw = raw;
    }
}

/* Reads the remaining output. Other processes may still have the command's streams
 * open, such as a tee to which the command writes. The reading therefore ends after
 * QUIET ms without output, and after REST ms at the latest. */
static void read_rest(struct running *r)
{
    int64_t until = now() + REST;

    while ((is_open(r->streams[0]) || is_open(r->streams[1])) && now() < until) {
        struct pollfd polled[2] = {{.fd = r->streams[0], .events = POLLIN},
                                   {.fd = r->streams[1], .events = POLLIN}};

        if (!poll(polled, 2, QUIET))
            break;
        take_pieces(r, polled);
    }
    for (int i = 0; i < 2; i++)
        if (is_open(r->streams[i])) {
            close_end(&r->streams[i]);
            r->kept &= r->of->take(r->of->payload, i, "", 0);
        }
}

static void watch(struct running *r)
{
    while (!r->ended) {
        struct pollfd polled[2] = {{.fd = r->streams[0], .events = POLLIN},
                                   {.fd = r->streams[1], .events = POLLIN}};
        int64_t left = r->until ? r->until - now() : 0;
        struct timespec wait = {0};

        if (left > 0)
            wait = (struct timespec){left / 1000, left % 1000 * 1000000};
        ppoll(polled, 2, r->until ? &wait : NULL, &r->waiting);
        take_pieces(r, polled);
        pass_signals(r);
        look_for_end(r);
    }
}

/* Ends the other processes of the group, after a signal ended the command. They get
 * SIGTERM, because background jobs of a shell ignore SIGINT. */
static void end_group(const struct running *r)
{
    const struct timespec moment = {0, 10000000};
    int64_t until = now() + GRACE;

    kill(-r->pid, SIGTERM);
    while (!kill(-r->pid, 0) && now() < until) {
        while (waitpid(-r->pid, NULL, WNOHANG) > 0)
            ;
        nanosleep(&moment, NULL);
    }
    kill(-r->pid, SIGKILL);
}

enum fsd_status run_child(const struct child *c, struct child_end *end,
                          struct fsd_error *err)
{
    struct running r = {.of = c, .kept = true};
    int why;

    *end = (struct child_end){0};
    r.terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    catch_signals(&r);
    why = start(&r);
    if (!why) {
        watch(&r);
        end->by = WIFSIGNALED(r.raw) ? WTERMSIG(r.raw) : 0;
        end->status = end->by ? 128 + end->by : WEXITSTATUS(r.raw);
        end->stopped_by = r.signal;
        /* True if the user typed Ctrl-C or Ctrl-\ while the command had the
         * terminal. */
        end->whole_job =
            take_terminal(&r) && !r.signal && (end->by == SIGINT || end->by == SIGQUIT);
        if (end->whole_job)
            end->stopped_by = end->by;
        if (end->stopped_by)
            end_group(&r);
        read_rest(&r);
    }
    release_signals(&r);
    close_end(&r.terminal);
    if (why)
        return fail_file(err, FSD_E_IO, c->words[0], "cannot be started: %s",
                         strerror(why));
    return r.kept ? FSD_OK : FSD_E_WRITE;
}
