#include "cli/progress.h"

#include <time.h>
#include <unistd.h>

/* The program runs once, so its clock and its line are its own. */
static struct {
    bool wanted, said, quiet;
    struct timespec start;
} progress;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - progress.start.tv_sec) +
           (double)(now.tv_nsec - progress.start.tv_nsec) / 1e9;
}

void progress_stage(const char *stage)
{
    if (!progress.wanted || seconds() < 1)
        return;
    fprintf(stderr, "\r\033[Kfusiondiff: %s ...", stage);
    fflush(stderr);
    progress.said = true;
}

static void on_stage(void *payload, const char *stage)
{
    (void)payload;
    progress_stage(stage);
}

void print_note(void *payload, const char *message)
{
    (void)payload;
    if (progress.quiet)
        return;
    end_progress();
    fprintf(stderr, "fusiondiff: note: %s\n", message);
}

void show_progress(struct fsd_options *options, bool quiet)
{
    progress.quiet = quiet;
    options->note = print_note;
    progress.wanted = !quiet && isatty(STDERR_FILENO);
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    if (progress.wanted)
        options->progress = on_stage;
}

void end_progress(void)
{
    if (progress.said)
        fputs("\r\033[K", stderr);
    progress.said = false;
}
