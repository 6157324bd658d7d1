#include "cli/output.h"
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum fsd_status fail(struct fsd_error *err, enum fsd_status status,
                            const char *path, const char *what)
{
    memset(err, 0, sizeof *err);
    err->status = status;
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->message, sizeof err->message, "%s", what);
    return status;
}

/* `input` may be NULL. */
static bool is_input(const char *path, const char *input)
{
    struct stat x, y;

    return input && !stat(path, &x) && !stat(input, &y) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static bool is_any_input(const char *path, const struct fsd_options *run)
{
    bool yes = is_input(path, run->model) || is_input(path, run->engine) ||
               is_input(path, run->log) || is_input(path, run->times);

    for (unsigned i = 0; i < run->n_profiles; i++)
        yes |= is_input(path, run->profiles[i]);
    return yes;
}

enum fsd_status check_outputs(const struct command_line *line, struct fsd_error *err)
{
    for (unsigned i = 0; i < line->n_outputs; i++) {
        const char *path = line->outputs[i].path;

        if (path &&
            (is_any_input(path, &line->run) || is_any_input(path, &line->other)))
            return fail(err, FSD_E_ARG, path,
                        "expected an output, found one of the inputs");
    }
    return FSD_OK;
}

/* One output on its way. */
struct job {
    const struct command_line *line;
    const struct output *output;
    print_fn *print;
    const void *payload;
};

static enum fsd_status print(const struct job *job, FILE *out, struct fsd_error *err)
{
    const struct output *to = job->output;
    struct fsd_style style = job->line->style;
    enum fsd_status status;

    errno = 0;
    if (to->path)
        style.color = false;
    status =
        job->print(job->payload, to->format ? to->format : "text", &style, out, err);
    if (status != FSD_E_WRITE)
        return status;
    if (!to->path &&
        errno == EPIPE) /* whoever read it has had enough: nothing to say */
        return fail(err, FSD_E_WRITE, "standard output", "");
    return fail(err, FSD_E_WRITE, to->path ? to->path : "standard output",
                errno ? strerror(errno) : "cannot write");
}

/* A device or a pipe (/dev/stdout, /dev/full) cannot be replaced: it is written to. */
static bool is_special(const char *path)
{
    struct stat st;

    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static enum fsd_status write_special(const struct job *job, struct fsd_error *err)
{
    const struct output *output = job->output;
    FILE *out = fopen(output->path, "w");
    enum fsd_status status;

    if (!out)
        return fail(err, FSD_E_WRITE, output->path, strerror(errno));
    status = print(job, out, err);
    if (fclose(out) && status == FSD_OK)
        return fail(err, FSD_E_WRITE, output->path, strerror(errno));
    return status;
}

/* mkstemp makes the file private; a report gets the mode any new file would. */
static FILE *open_temporary(char *path)
{
    int fd = mkstemp(path);
    mode_t mask;

    if (fd < 0)
        return NULL;
    mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fdopen(fd, "w");
}

/* What the handler removes: only async-signal-safe calls may touch it. */
static char *volatile unfinished;

static void remove_unfinished(int number)
{
    char *path = unfinished;

    if (path)
        unlink(path);
    signal(number, SIG_DFL);
    raise(number);
}

void prepare_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], remove_unfinished) == SIG_IGN) /* nohup */
            signal(ends[i], SIG_IGN);
}

static enum fsd_status write_renamed(const struct job *job, struct fsd_error *err)
{
    const struct output *output = job->output;
    size_t n = strlen(output->path) + sizeof ".XXXXXX";
    char *temporary = malloc(n);
    enum fsd_status status;
    FILE *out;

    if (!temporary)
        return fail(err, FSD_E_WRITE, output->path, "out of memory");
    snprintf(temporary, n, "%s.XXXXXX", output->path);
    unfinished = temporary; /* before there is such a file, so that none escapes */
    out = open_temporary(temporary);
    if (!out) {
        unfinished = NULL;
        free(temporary);
        return fail(err, FSD_E_WRITE, output->path, strerror(errno));
    }
    status = print(job, out, err);
    if (fclose(out) && status == FSD_OK)
        status = fail(err, FSD_E_WRITE, output->path, strerror(errno));
    if (status == FSD_OK && rename(temporary, output->path))
        status = fail(err, FSD_E_WRITE, output->path, strerror(errno));
    if (status != FSD_OK)
        unlink(temporary);
    unfinished = NULL;
    free(temporary);
    return status;
}

static enum fsd_status write_job(const struct job *job, struct fsd_error *err)
{
    if (!job->output->path) {
        end_progress();
        return print(job, stdout, err);
    }
    progress_stage("writing");
    return is_special(job->output->path) ? write_special(job, err)
                                         : write_renamed(job, err);
}

enum fsd_status write_outputs(const struct command_line *line, print_fn *print_report,
                              const void *payload, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < line->n_outputs && status == FSD_OK; i++) {
        struct job job = {line, &line->outputs[i], print_report, payload};

        status = write_job(&job, err);
    }
    return status;
}
