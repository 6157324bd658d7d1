/*
 * Writes reports to their files.
 *
 * An existing file is replaced. The report is written to a new file in the same folder
 * and flushed to the disk. The new file then gets the name, the mode and the owner of
 * the old file. Other programs therefore find the old report or the complete new one at
 * any time, even after a power failure.
 *
 * A file cannot be replaced if it has several names (hard links), if its folder is not
 * writable, or if it is a mount point. In this case the whole report is made first and
 * then written over the old one. A note reports this, because other programs may
 * meanwhile find an incomplete report.
 *
 * If the disk is full or broken, the old report stays unchanged. A report to a device
 * or a pipe is written while it is made.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>

enum fsd_status take_target(struct target *out, const struct output *to, bool follow,
                            struct fsd_error *err)
{
    enum fsd_status status = refuse_read(to, err);

    return status == FSD_OK ? find_target(out, to->path, follow, err) : status;
}

/* The output that is being written. */
struct job {
    const struct command_line *line;
    const struct output *output;
    print_fn *print;
    const void *payload;
};

static const char *format_of(const struct output *to)
{
    return to->format ? to->format : "text";
}

/* Prints one page of the report. Makes the whole report first. */
static enum fsd_status print_page(const struct job *job, struct sink to,
                                  struct fsd_error *err)
{
    FILE *out = to.out;
    enum fsd_status status;
    char *text = NULL;
    size_t size = 0;

    to.out = fsd_memory_open(&text, &size);
    if (!to.out)
        return fail_file(err, FSD_E_MEMORY, NULL, "out of memory");
    status = job->print(job->payload, &to);
    if (fclose(to.out) && status == FSD_OK)
        status = fail_file(err, FSD_E_MEMORY, NULL, "out of memory");
    if (status == FSD_OK)
        status = fsd_text_page(text, job->line->tokens, job->line->page, out, err);
    free(text);
    return status;
}

/* Whether --budget divides the output into pages. Only text has pages. */
static bool has_pages(const struct job *job)
{
    return job->line->tokens && !strcmp(format_of(job->output), "text") &&
           !(job->output->path && takes_any_name(job->line));
}

static enum fsd_status print(const struct job *job, FILE *out, struct fsd_error *err)
{
    const struct output *to = job->output;
    struct fsd_style style = job->line->style;
    struct sink sink = {format_of(to), &style, out, err};
    enum fsd_status status;

    errno = 0;
    if (to->path)
        style.color = false;
    status =
        has_pages(job) ? print_page(job, sink, err) : job->print(job->payload, &sink);
    if (status != FSD_E_WRITE)
        return status;
    if (!to->path && errno == EPIPE) /* the reader closed the pipe: no message */
        return fail_file(err, FSD_E_WRITE, "standard output", "%s", "");
    return fail_file(err, FSD_E_WRITE, to->path ? to->path : "standard output", "%s",
                     errno ? strerror(errno) : "cannot write");
}

/* -------------------------------------------------------------------- a stream */

static enum fsd_status write_stream(const struct job *job, const struct target *target,
                                    struct fsd_error *err)
{
    /* Flushes standard output first, so that the order of the output is right. */
    bool flushed = !fflush(stdout);
    int fd = target->descriptor >= 0
                 ? dup(target->descriptor)
                 : open(target->path, O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    FILE *out = flushed && fd >= 0 ? fdopen(fd, "w") : NULL;
    enum fsd_status status;

    if (!out) {
        status = fail_errno(err, job->output->path);
        if (fd >= 0)
            close(fd);
        return status;
    }
    status = print(job, out, err);
    if (fclose(out) && status == FSD_OK)
        status = fail_errno(err, job->output->path);
    return status;
}

/* --------------------------------------------------------------------- in place */

bool write_all(int to, const void *bytes, size_t n)
{
    for (const char *at = bytes; n;) {
        ssize_t put = write(to, at, n);

        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool copy(FILE *from, int to)
{
    char buffer[1 << 16];
    size_t n;

    rewind(from);
    while ((n = fread(buffer, 1, sizeof buffer, from)) > 0)
        if (!write_all(to, buffer, n))
            return false;
    return !ferror(from);
}

/* Whether the open file is still the file that find_target() examined. */
static bool is_still(const struct target *target, int fd)
{
    struct stat now;

    if (fstat(fd, &now))
        return false;
    errno = ESTALE;
    return now.st_ino == target->old.st_ino && now.st_dev == target->old.st_dev;
}

/* Reserves room on the disk for the report, to detect a full disk while the old report
 * still exists. Not every file system can reserve room. */
static bool has_room(int fd, FILE *report)
{
    struct stat made;

    return !fflush(report) && !fstat(fileno(report), &made) &&
           (!made.st_size || !fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, made.st_size) ||
            errno == EOPNOTSUPP || errno == ENOSYS);
}

static bool overwrite(const struct target *target, FILE *report)
{
    int fd = open(target->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool done;

    if (fd < 0)
        return false;
    done = is_still(target, fd) && has_room(fd, report) && !ftruncate(fd, 0) &&
           copy(report, fd) && !fsync(fd);
    return !close(fd) && done;
}

/* Writes the finished report over the file, and prints a note. */
static enum fsd_status put_in_place(const struct job *job, const struct target *target,
                                    FILE *report, const char *why,
                                    struct fsd_error *err)
{
    struct fsd_error note;
    char text[1024];

    if (!report)
        return fail_errno(err, job->output->path);
    if (check_outputs(job->line, NULL, 0, err) != FSD_OK)
        return err->status;
    if (!overwrite(target, report))
        return fail_errno(err, job->output->path);
    fail_file(&note, FSD_OK, job->output->path, "overwritten in place, because %s",
              why);
    print_note(NULL, fsd_error_text(&note, text, sizeof text));
    return FSD_OK;
}

static enum fsd_status write_in_place(const struct job *job,
                                      const struct target *target, const char *why,
                                      struct fsd_error *err)
{
    FILE *report = fsd_host_temporary();
    enum fsd_status status =
        report ? print(job, report, err) : fail_errno(err, job->output->path);

    if (status == FSD_OK)
        status = put_in_place(job, target, report, why, err);
    if (report)
        fclose(report);
    return status;
}

/* --------------------------------------------------------------------- replaced */

/* Gives the temporary file the mode and the owner of the file that it will replace. If
 * there is no such file, gives it the mode of a new file, because mkstemps() creates a
 * private file.
 * @return false if the system refuses */
static bool dress(int fd, const struct target *target)
{
    mode_t mask;

    if (target->kind == TARGET_FILE)
        return ((target->old.st_uid == geteuid() && target->old.st_gid == getegid()) ||
                !fchown(fd, target->old.st_uid, target->old.st_gid)) &&
               !fchmod(fd, target->old.st_mode & 07777);
    mask = umask(0);
    umask(mask);
    return !fchmod(fd, 0666 & ~mask);
}

/* Flushes the folder, so that the new name of the file persists. It is no error if the
 * file system cannot flush a folder, or if the folder has no read permission. */
enum fsd_status sync_folder(const char *path, struct fsd_error *err)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    bool kept;
    int fd;

    snprintf(folder, sizeof folder, "%.*s",
             slash ? (int)(slash == path ? 1 : slash - path) : 1, slash ? path : ".");
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    kept = fd >= 0 ? !fsync(fd) || errno == EINVAL : errno == EACCES;
    if (!kept)
        fail_file(err, FSD_E_WRITE, path,
                  "written, but possibly not stored on the disk yet: %s",
                  strerror(errno));
    if (fd >= 0)
        close(fd);
    return kept ? FSD_OK : FSD_E_WRITE;
}

enum fsd_status close_kept(FILE *out, const char *path, enum fsd_status status,
                           struct fsd_error *err)
{
    if (status == FSD_OK && (fflush(out) || (fsync(fileno(out)) && errno != EINVAL)))
        status = fail_errno(err, path);
    if (fclose(out) && status == FSD_OK)
        status = fail_errno(err, path);
    return status;
}

static enum fsd_status fill(const struct job *job, int fd, struct fsd_error *err)
{
    FILE *out = fdopen(fd, "w");

    if (!out) {
        close(fd);
        return fail_errno(err, job->output->path);
    }
    return close_kept(out, job->output->path, print(job, out, err), err);
}

/* Decides whether to write over the old file, after it could not be replaced by a new
 * file. errno is the error of the replacement.
 * @return `why` if the old file exists and the error means that replacing it is not
 *         permitted. NULL after any other error, such as a full disk: the old file then
 *         stays unchanged */
static const char *if_refused(const struct target *target, const char *why)
{
    /* ENAMETOOLONG: the temporary file may have a longer name than the old file, so its
     * path may be too long. */
    static const int refusals[] = {EACCES, EPERM,  EROFS,       EBUSY,
                                   EXDEV,  EINVAL, ENAMETOOLONG};

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (errno == refusals[i])
            return target->kind == TARGET_FILE ? why : NULL;
    return NULL;
}

/* Renames the finished report, or copies it over the old one. The report is not made
 * again, because its inputs may have changed or may be a pipe. */
static enum fsd_status take_place(const struct job *job, const struct target *target,
                                  const char *temporary, struct fsd_error *err)
{
    enum fsd_status status;
    const char *why_not;
    FILE *report;

    if (!rename(temporary, target->path))
        return FSD_OK;
    why_not = if_refused(target, "the file cannot be replaced by a new file");
    if (!why_not)
        return fail_errno(err, job->output->path);
    report = fopen(temporary, "re");
    status = put_in_place(job, target, report, why_not, err);
    if (report)
        fclose(report);
    unlink(temporary);
    return status;
}

/* Writes the report under a temporary name and renames it. The temporary name is short,
 * because the name of the file may have the maximum length.
 * @param[out] why_not must be NULL before the call. If the caller must write over the
 *         old file, set to the reason: the system refuses a temporary file, or refuses
 *         to give it the owner and mode of the old file */
static enum fsd_status replace(const struct job *job, const struct target *target,
                               const char **why_not, struct fsd_error *err)
{
    const char *slash = strrchr(target->path, '/');
    struct temporary temporary;
    enum fsd_status status = FSD_OK;
    int fd;

    snprintf(temporary.path, sizeof temporary.path, "%.*s.fusiondiff-XXXXXX",
             slash ? (int)(slash + 1 - target->path) : 0, target->path);
    fd = make_temporary(&temporary, 0);
    if (fd < 0) {
        *why_not = if_refused(target, errno == ENAMETOOLONG
                                          ? "its path is too long for a temporary file"
                                          : "the folder of the file is not writable");
        status = fail_errno(err, job->output->path);
    } else if (!dress(fd, target)) {
        *why_not = if_refused(
            target, "the owner and mode of the file cannot be copied to a new file");
        status = fail_errno(err, job->output->path);
        close(fd);
    } else {
        status = fill(job, fd, err);
        if (status == FSD_OK) /* again, because the report may have opened further
                                 inputs */
            status = check_outputs(job->line, NULL, 0, err);
        if (status == FSD_OK)
            status = take_place(job, target, temporary.path, err);
    }
    if (fd >= 0)
        drop_temporary(&temporary, status == FSD_OK);
    return status == FSD_OK ? sync_folder(target->path, err) : status;
}

static enum fsd_status write_job(const struct job *job, struct fsd_error *err)
{
    enum fsd_status status;
    struct target target;
    const char *why_not = NULL;

    if (!job->output->path) {
        status = refuse_read(job->output, err);
        end_progress();
        return status == FSD_OK ? print(job, stdout, err) : status;
    }
    progress_stage("writing");
    status = take_target(&target, job->output, job->line->follow, err);
    if (status != FSD_OK)
        return status;
    if (target.kind == TARGET_STREAM)
        return write_stream(job, &target, err);
    if (target.kind == TARGET_HARD_LINK)
        return write_in_place(job, &target, "the file has other names (hard links)",
                              err);
    status = replace(job, &target, &why_not, err);
    return why_not ? write_in_place(job, &target, why_not, err) : status;
}

enum fsd_status write_outputs(const struct command_line *line, print_fn *print_report,
                              const void *payload, struct fsd_error *err)
{
    enum fsd_status status = check_outputs(line, NULL, 0, err);

    for (unsigned i = 0; i < line->n_outputs && status == FSD_OK; i++) {
        struct job job = {line, &line->outputs[i], print_report, payload};

        status = write_job(&job, err);
    }
    return status;
}

/* Whether an output is a file: the output has a path, or standard output is redirected
 * to a file. Users see other output on a terminal or in the log of CI. */
static bool goes_to_file(const struct output *to)
{
    struct stat st;

    return to->path || (!fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode));
}

static bool is_line(const struct output *to)
{
    return to->format && !strcmp(to->format, "line");
}

enum fsd_status write_judgement(const struct command_line *line, print_fn *print_report,
                                const void *payload, struct fsd_error *err)
{
    enum fsd_status status = write_outputs(line, print_report, payload, err);
    bool seen = line->quiet;
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    for (unsigned i = 0; i < line->n_outputs; i++)
        seen |= !goes_to_file(&line->outputs[i]) || is_line(&line->outputs[i]);
    out = status == FSD_OK && !seen ? fsd_memory_open(&text, &size) : NULL;
    if (!out)
        return status;
    status = print_report(payload, &(struct sink){"line", NULL, out, err});
    if (fclose(out) || status != FSD_OK)
        size = 0;
    end_progress();
    if (size)
        fprintf(stderr, "fusiondiff: %.*s; see", (int)size - 1, text);
    for (unsigned i = 0; size && i < line->n_outputs; i++) {
        const char *path = line->outputs[i].path;

        fputs(i ? ", " : " ", stderr);
        put_quoted(path ? path : "standard output");
    }
    if (size)
        fputs("\n", stderr);
    free(text);
    return status;
}
