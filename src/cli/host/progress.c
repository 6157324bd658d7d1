/*
 * Prints the progress bar and notes on standard error. A stage of the library may run
 * for minutes without returning, so a handler of SIGALRM draws the bar once a second.
 * The handler only reads `progress` and calls write(), because functions such as
 * printf() are not safe in a signal handler.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <signal.h>

/* The state of the bar. It is static, because a process has one SIGALRM handler and one
 * terminal. */
static struct {
    bool wanted, quiet, armed;
    const char *volatile stage;
    volatile sig_atomic_t seconds, shown;
    _Atomic unsigned done, of; /* items of the stage: number done, and number in total;
                                  0: not counted */
} progress;

/* Requests SIGALRM. Windows has no SIGALRM, so it has no bar. */
static void wait_second(unsigned seconds)
{
#if defined SIGALRM
    alarm(seconds);
#else
    (void)seconds;
#endif
}

static const char wipe[] = "\r\033[K";

static size_t put_number(char *line, size_t n, unsigned number)
{
    for (unsigned digits = 1000000000; digits; digits /= 10)
        if (number >= digits || digits == 1)
            line[n++] = (char)('0' + number / digits % 10);
    line[n++] = ' ';
    return n;
}

/* Draws the bar: a moving block, the stage, and the number of seconds. For a list of
 * builds, the bar also shows how many builds are done. Otherwise the remaining work is
 * unknown. */
static void on_second(int signal_number)
{
    enum { PLACES = 12, BLOCK = 3 };
    int was = errno, second = ++progress.seconds;
    char line[160];
    size_t n = sizeof wipe - 1;

    (void)signal_number;
    memcpy(line, wipe, n);
    memcpy(line + n, "fusiondiff [", 12);
    n += 12;
    for (int i = 0; i < PLACES; i++)
        line[n++] = (i + PLACES - second % PLACES) % PLACES < BLOCK ? '#' : ' ';
    line[n++] = ']';
    line[n++] = ' ';
    for (const char *stage = progress.stage; *stage && n < sizeof line - 48; stage++)
        line[n++] = *stage;
    line[n++] = ' ';
    if (progress.of) {
        n = put_number(line, n, progress.done);
        memcpy(line + n, "of ", 3);
        n = put_number(line, n + 3, progress.of);
    }
    n = put_number(line, n, (unsigned)second);
    line[n++] = 's';
    progress.shown = write(STDERR_FILENO, line, n) > 0;
    wait_second(1);
    errno = was;
}

void progress_stage(const char *stage)
{
    progress.stage = stage;
    if (progress.wanted && !progress.armed)
        wait_second(1);
    progress.armed = true;
}

void progress_count(unsigned done, unsigned of)
{
    progress.done = done;
    progress.of = of;
}

static void on_stage(void *payload, const char *stage)
{
    (void)payload;
    progress_stage(stage);
}

void end_progress(void)
{
    wait_second(0);
    progress.armed = false;
    if (progress.shown)
        fputs(wipe, stderr);
    progress.shown = 0;
}

const char *quoted(const char *text, char out[static sizeof(struct fsd_error)])
{
    struct fsd_error words = {.unit = FSD_POS_NONE};

    snprintf(words.message, sizeof words.message, "%s", text);
    return fsd_error_text(&words, out, sizeof words);
}

void put_quoted(const char *text)
{
    char safe[sizeof(struct fsd_error)];

    fputs(quoted(text, safe), stderr);
    if (strlen(text) >= sizeof((struct fsd_error *)0)->message)
        fputs("...", stderr);
}

void print_note(void *payload, const char *message)
{
    (void)payload;
    if (progress.quiet)
        return;
    end_progress();
    fputs("fusiondiff: note: ", stderr);
    put_quoted(message);
    fputs("\n", stderr);
}

static bool catch_seconds(void)
{
#if defined SIGALRM
    struct sigaction act = {.sa_handler = on_second, .sa_flags = SA_RESTART};

    return !sigaction(SIGALRM, &act, NULL);
#else
    (void)on_second;
    return false;
#endif
}

void show_progress(struct fsd_options *options, bool quiet)
{
    progress.quiet = quiet;
    options->note = print_note;
    progress.wanted = !quiet && isatty(STDERR_FILENO) && catch_seconds();
    if (!progress.wanted)
        return;
    options->progress = on_stage;
    progress_stage("reading");
}
