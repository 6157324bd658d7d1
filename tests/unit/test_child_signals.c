/* Signals that end the program while it runs a command: what the command, and the other
 * processes of its group, get of them. */
#include "commands.h"

/* ------------------------------------------------------------------------- signals */

static void mine(int number)
{
    (void)number;
}

static bool has_handler(int number, void (*handler)(int))
{
    struct sigaction now;

    return !sigaction(number, NULL, &now) && now.sa_handler == handler;
}

/* Whether a mask has the given signals and no others. */
static bool has_only(const sigset_t *mask, const int *numbers)
{
    for (int i = 1; i < 32; i++) {
        bool listed = false;

        for (const int *n = numbers; *n; n++)
            listed |= *n == i;
        if (sigismember(mask, i) != listed)
            return false;
    }
    return true;
}

/* While the command runs, all signals of the list are blocked, and have handlers but
 * for those that are ignored. */
static void look_at_signals(const struct seen *s)
{
    const int blocked[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP,
                           SIGCONT, SIGCHLD, SIGTTOU, SIGUSR1, 0};
    const int waiting[] = {SIGUSR1, SIGTTOU, 0};
    sigset_t mask;

    (void)s;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    NEED(has_only(&mask, blocked));
    NEED(has_only(&sys.waiting, waiting));
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        NEED(caught[i] == SIGHUP
                 ? has_handler(SIGHUP, SIG_IGN)
                 : !has_handler(caught[i], mine) && !has_handler(caught[i], SIG_DFL) &&
                       !has_handler(caught[i], SIG_IGN));
}

static void signals_while_it_runs(void)
{
    const char *const grep[] = {"grep", "SigIgn", "/proc/self/status", NULL};
    const int own[] = {SIGUSR1, SIGCHLD, 0};
    struct seen s = {.then = look_at_signals};
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        signal(caught[i], mine);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    NEED(run("exec grep -E 'Sig(Blk|Ign)' /proc/self/status", &s) == FSD_OK);
    NEED(!strcmp(s.text[0], "SigBlk:\t0000000000010200\n"
                            "SigIgn:\t0000000000000001\n"));
    NEED(s.pieces[0] > 0);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    NEED(has_only(&mask, own));
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        NEED(has_handler(caught[i], caught[i] == SIGHUP ? SIG_IGN : mine));
    /* The end of a command is known, though this process ignores the ends of others. */
    signal(SIGCHLD, SIG_IGN);
    NEED(run("exit 3", NULL) == FSD_OK);
    holds_end(3, 0, 0);
    NEED(has_handler(SIGCHLD, SIG_IGN));
    memset(&s, 0, sizeof s);
    NEED(run_words(grep, &s) == FSD_OK); /* a shell would not ignore it */
    NEED(!strcmp(s.text[0], "SigIgn:\t0000000000010001\n")); /* as its parent does */
}

/* A signal that arrives right before the command starts is not lost. */
static void signals_before_it_runs(void)
{
    for (int i = 0; i < 4; i++) {
        struct seen s = {0};

        sys.before_exec = caught[i];
        NEED(run("ulimit -c 0; echo ran", &s) == FSD_OK);
        holds_end(128 + caught[i], caught[i], 0);
        NEED(!*s.text[0]);
    }
}

static int number_to_send, second_to_send;

static void send_once(const struct seen *s)
{
    (void)s;
    if (number_to_send)
        kill(getpid(), number_to_send);
    if (second_to_send)
        kill(getpid(), second_to_send);
    number_to_send = second_to_send = 0;
}

/* Each signal reaches the whole group, also processes that are stopped. What is left of
 * the group is ended. */
static void forward(void)
{
    const struct {
        int signal;
        const char *log;
    } cases[] = {{SIGINT, "INT, CONT, TERM, KILL, "},
                 {SIGTERM, "TERM, CONT, TERM, KILL, "},
                 {SIGHUP, "HUP, CONT, TERM, KILL, "},
                 {SIGQUIT, "QUIT, CONT, TERM, KILL, "}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen s = {.then = send_once};

        number_to_send = cases[i].signal;
        NEED(run("ulimit -c 0; echo; exec sleep 600", &s) == FSD_OK);
        holds_end(128 + cases[i].signal, cases[i].signal, cases[i].signal);
        holds_log(cases[i].log);
    }
    { /* The command may decide how it ends. */
        struct seen s = {.then = send_once};

        number_to_send = SIGHUP;
        NEED(run("trap 'exit 4' HUP; echo; sleep 600 & wait", &s) == FSD_OK);
        holds_end(4, 0, SIGHUP);
        holds_log("HUP, CONT, TERM, KILL, ");
    }
    { /* The first of two signals is the one that counts. */
        struct seen s = {.then = send_once};

        number_to_send = SIGTERM;
        second_to_send = SIGINT;
        NEED(run("trap '' INT; echo; exec sleep 600", &s) == FSD_OK);
        holds_end(143, SIGTERM, SIGINT);
        holds_log("INT, CONT, TERM, CONT, TERM, KILL, ");
    }
    NEED(waitpid(-1, NULL, WNOHANG) == -1);
}

/* A command that ignores signals gets stronger ones, 2 s apart. Neither output nor a
 * further signal changes these times, and none is sent a moment too early. */
static void stronger(void)
{
    const struct step steps[] = {
        {1999000000, 0}, {999999, SIGINT}, {1, 0}, {1001000000, 0}, {0, 0}};
    struct seen s = {.then = send_once};

    sys.stands = true;
    sys.ns = 5001000000;
    sys.start = 5001;
    sys.steps = steps;
    number_to_send = SIGINT;
    NEED(run("trap '' INT TERM; echo; exec sleep 600", &s) == FSD_OK);
    holds_end(128 + SIGKILL, SIGKILL, SIGINT);
    holds_log("INT at 0, CONT at 0, wait 2.000000000, wait 0.001000000, "
              "INT at 1999, CONT at 1999, wait 0.001000000, TERM at 2000, "
              "wait 2.000000000, wait 0.999000000, KILL at 4000, "
              "TERM at 4000, KILL at 4000, ");
    NEED(!sys.naps);
}

static void forwarded(void **state)
{
    (void)state;
    in_child(signals_while_it_runs);
    in_child(signals_before_it_runs);
    in_child(forward);
    in_child(stronger);
}

/* ----------------------------------------------------------- other processes of it */

/* A process of the group, which the signal does not end, gets SIGTERM and the time to
 * clean up after the command has ended. Only this process takes its status, because
 * the parent of this process takes none. */
static void end_others(void)
{
    struct seen s = {.then = send_once};

    number_to_send = SIGINT;
    NEED(run("(trap '' INT; trap 'echo cleaned; exit' TERM; echo; "
             "i=0; while [ $((i = i + 1)) -lt 9000000 ]; do :; done) & exec sleep 600",
             &s) == FSD_OK);
    holds_end(130, SIGINT, SIGINT);
    NEED(!strcmp(s.text[0], "\ncleaned\n"));
    holds_log("INT, CONT, TERM, KILL, ");
    NEED(waitpid(-1, NULL, WNOHANG) == -1);
}

/* One that ignores SIGTERM is killed 2 s later. */
static void kill_others(void)
{
    struct seen s = {.then = send_once};

    sys.stands = true;
    number_to_send = SIGINT;
    NEED(run("trap '' TERM; (trap '' INT; echo; exec sleep 600) & exec sleep 600",
             &s) == FSD_OK);
    holds_end(130, SIGINT, SIGINT);
    holds_log("INT at 0, CONT at 0, TERM at 0, KILL at 2000, ");
    NEED(sys.naps == 200);
}

static void others_end(void **state)
{
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* and takes the status of no other process */
    in_child(end_others);
    in_child(kill_others);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forwarded),
        cmocka_unit_test(others_end),
    };

    prepare();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
