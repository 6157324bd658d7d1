/* The progress bar and notes, byte by byte, on a terminal and elsewhere. The test
 * raises the alarm itself, so that nothing waits for a second. */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <termios.h>
#include <cmocka.h>

#define WIPE "\r\033[K"

static char alarms[64]; /* the seconds of each call of alarm() */

unsigned __wrap_alarm(unsigned seconds);
unsigned __wrap_alarm(unsigned seconds)
{
    size_t n = strlen(alarms);

    snprintf(alarms + n, sizeof alarms - n, "%u ", seconds);
    return 0;
}

static void holds_alarms(const char *expected)
{
    if (strcmp(alarms, expected)) {
        printf("alarms: found '%s', expected '%s'\n", alarms, expected);
        fflush(stdout);
        _exit(1);
    }
    *alarms = '\0';
}

/* Runs a function in a process whose standard error is a terminal, or a pipe, and
 * compares what it writes there. */
static void shows(void (*test)(void), bool on_terminal, const char *expected)
{
    static char text[8192];
    int ours, theirs, ways[2], status;
    struct termios plain;
    size_t n = 0;
    ssize_t got;
    pid_t child;

    if (on_terminal) {
        ours = posix_openpt(O_RDWR | O_NOCTTY);
        assert_true(ours >= 0 && !grantpt(ours) && !unlockpt(ours));
        theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
        assert_true(theirs >= 0 && !tcgetattr(theirs, &plain));
        cfmakeraw(&plain);
        assert_int_equal(tcsetattr(theirs, TCSANOW, &plain), 0);
    } else {
        assert_int_equal(pipe(ways), 0);
        ours = ways[0];
        theirs = ways[1];
    }
    child = fork();
    if (!child) {
        dup2(theirs, STDERR_FILENO);
        test();
        fflush(stderr);
        _exit(0);
    }
    close(theirs);
    while ((got = read(ours, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(ours);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(text, expected);
}

static struct fsd_options options;

static void second(void)
{
    errno = EDOM;
    raise(SIGALRM);
    if (errno != EDOM)
        _exit(2);
}

/* -------------------------------------------------------------------------- the bar */

/* Nothing is drawn before the first second. The block moves once around. */
static void draw_seconds(void)
{
    show_progress(&options, false);
    holds_alarms("1 ");
    options.progress(NULL, "matching");
    holds_alarms("");
    for (int i = 0; i < 14; i++) {
        second();
        holds_alarms("1 ");
    }
    end_progress();
    holds_alarms("0 ");
    end_progress(); /* nothing is left to erase */
    holds_alarms("0 ");
    progress_stage("writing");
    holds_alarms("1 ");
    second();
    end_progress();
}

static void bar(void **state)
{
    (void)state;
    shows(draw_seconds, true,
          WIPE "fusiondiff [ ###        ] matching 1 s" WIPE
               "fusiondiff [  ###       ] matching 2 s" WIPE
               "fusiondiff [   ###      ] matching 3 s" WIPE
               "fusiondiff [    ###     ] matching 4 s" WIPE
               "fusiondiff [     ###    ] matching 5 s" WIPE
               "fusiondiff [      ###   ] matching 6 s" WIPE
               "fusiondiff [       ###  ] matching 7 s" WIPE
               "fusiondiff [        ### ] matching 8 s" WIPE
               "fusiondiff [         ###] matching 9 s" WIPE
               "fusiondiff [#         ##] matching 10 s" WIPE
               "fusiondiff [##         #] matching 11 s" WIPE
               "fusiondiff [###         ] matching 12 s" WIPE
               "fusiondiff [ ###        ] matching 13 s" WIPE
               "fusiondiff [  ###       ] matching 14 s" WIPE WIPE
               "fusiondiff [   ###      ] writing 15 s" WIPE);
}

static void draw_counts(void)
{
    static const unsigned counts[][2] = {
        {0, 1}, {9, 10}, {1000000000, UINT_MAX}, {3, 0}};

    show_progress(&options, false);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        progress_count(counts[i][0], counts[i][1]);
        second();
    }
}

static void counts(void **state)
{
    (void)state;
    shows(draw_counts, true,
          WIPE "fusiondiff [ ###        ] reading 0 of 1 1 s" WIPE
               "fusiondiff [  ###       ] reading 9 of 10 2 s" WIPE
               "fusiondiff [   ###      ] reading 1000000000 of 4294967295 3 s" WIPE
               "fusiondiff [    ###     ] reading 4 s");
}

/* A long name is cut, so that a line has room for the numbers. */
static void draw_long(void)
{
    static char name[200];

    memset(name, 'x', sizeof name - 1);
    show_progress(&options, false);
    progress_stage(name);
    second();
    name[82] = '\0';
    second();
    name[81] = '\0';
    second();
}

static void long_names(void **state)
{
    char expected[512], name[83];

    (void)state;
    memset(name, 'x', 82);
    name[82] = '\0';
    snprintf(expected, sizeof expected,
             WIPE "fusiondiff [ ###        ] %s 1 s" WIPE
                  "fusiondiff [  ###       ] %s 2 s" WIPE
                  "fusiondiff [   ###      ] %.81s 3 s",
             name, name, name);
    shows(draw_long, true, expected);
}

/* A terminal that cannot be written to: errno is that of the program, and nothing is
 * erased. */
static void draw_nowhere(void)
{
    int err = dup(STDERR_FILENO);

    show_progress(&options, false);
    close(STDERR_FILENO);
    second();
    dup2(err, STDERR_FILENO);
    end_progress();
}

static void nowhere(void **state)
{
    (void)state;
    shows(draw_nowhere, true, "");
}

/* A call of the system that the alarm interrupts continues. */
static void keep_calls(void)
{
    struct sigaction now;

    show_progress(&options, false);
    if (sigaction(SIGALRM, NULL, &now) || !(now.sa_flags & SA_RESTART))
        _exit(3);
}

/* No bar: elsewhere than on a terminal, and if it is not wanted. */
static bool quiet;

static void draw_none(void)
{
    show_progress(&options, quiet);
    if (options.progress || !options.note)
        _exit(4);
    progress_stage("writing");
    progress_stage("reading");
    holds_alarms("");
    options.note(NULL, "a note");
}

static void no_bar(void **state)
{
    (void)state;
    shows(keep_calls, true, "");
    for (int i = 0; i < 3; i++) {
        quiet = i;
        shows(draw_none, i == 1, i ? "" : "fusiondiff: note: a note\n");
    }
}

/* --------------------------------------------------------------------------- notes */

/* A note erases the bar, and has no character that a terminal interprets. */
static void draw_notes(void)
{
    static char text[2 * sizeof(struct fsd_error)];
    const size_t most = sizeof((struct fsd_error *)0)->message;

    show_progress(&options, false);
    second();
    print_note(NULL, "\033[31mred");
    holds_alarms("1 1 0 ");
    progress_stage("reading");
    second();
    for (int i = -1; i < 2; i++) {
        memset(text, 'x', sizeof text);
        text[(int)most + i] = '\0';
        print_note(NULL, text);
    }
}

static void notes(void **state)
{
    static char expected[8192], text[sizeof(struct fsd_error)];

    (void)state;
    memset(text, 'x', sizeof((struct fsd_error *)0)->message - 1);
    snprintf(expected, sizeof expected,
             WIPE "fusiondiff [ ###        ] reading 1 s" WIPE
                  "fusiondiff: note: ?[31mred\n" WIPE
                  "fusiondiff [  ###       ] reading 2 s" WIPE
                  "fusiondiff: note: %s\nfusiondiff: note: %s...\n"
                  "fusiondiff: note: %s...\n",
             text, text, text);
    shows(draw_notes, true, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar),        cmocka_unit_test(counts),
        cmocka_unit_test(long_names), cmocka_unit_test(nowhere),
        cmocka_unit_test(no_bar),     cmocka_unit_test(notes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
