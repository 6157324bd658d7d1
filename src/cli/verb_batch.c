/*
 * fusiondiff batch LIST: writes a line of JSON for each of many pairs.
 *
 *     lines    | in the output | ready, or being made by a thread | not begun
 *     index    0               `written`                          `next`      n
 *
 * Lines are written in the order of the list, so that the same list gives the same
 * bytes with any number of threads. A thread that finishes a pair stores its line. If
 * this line is the next in order, the thread writes it and all ready lines after it.
 * Then the thread begins the next pair. If too many lines are ready, threads wait, to
 * limit the memory.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <inttypes.h>

enum { AHEAD = 8 };

static const struct option_row options[] = {
    {"jobs", "N", "Number of threads (default: one per processor)", JOBS,
     .letter = 'j'},
    {"resume", NULL,
     "Append each line to the -o FILE as soon as it is ready; skip pairs that FILE "
     "already has",
     FLAG(batch.resume), .group = 1},
    {"fail-on", "SEVERITY",
     "Exit with 1 if a pair has a finding of this level or above: info, warning or "
     "error",
     CHOICE(fail_on, SEVERITIES)},
    {0},
};

static const char doc[] =
    "Analyzes many pairs in several threads and writes one line of JSON per pair, in "
    "the order of LIST: the report of the pair, or its error.\vA line of LIST is MODEL "
    "ENGINE, ENGINE alone or a directory that holds them.  profile=FILE, log=FILE, "
    "times=FILE, shape=NAME=DIMS and engine=N can follow.  Blanks separate the words "
    "of a line; if names contain blanks, use tabs instead.  label=, snapshot= and "
    "policy= are "
    "for 'check "
    "--list'.  Empty lines and lines that begin with # are ignored; '-' reads standard "
    "input.  Paths are relative to the current directory.  In place of LIST you can "
    "pass a directory that holds a subdirectory for each build, or one model and its "
    "engines.\n\nExit status: 0: every pair was analyzed, and no finding is at or "
    "above the --fail-on level; 1: there are findings at or above this level; 2: a "
    "pair could not be analyzed (its line has the error), or another error occurred.";

static void check_line(struct command_line *line)
{
    if (!line->query.n_words)
        usage_error("expected LIST, or a directory of builds");
    if (line->format && strcmp(line->format, "json") != 0 &&
        strcmp(line->format, "schema") != 0)
        usage_error("batch writes json or schema, not %s", line->format);
    if (line->batch.resume && (line->n_outputs != 1 || !line->outputs[0].path))
        usage_error("--resume needs one -o FILE");
}

/* ------------------------------------------------------------------------- the list */

struct batch {
    const struct command_line *line;
    struct list pairs;
    unsigned jobs;

    fsd_lock lock;
    fsd_event moved; /* signals that `written` changed or that the batch ended */
    char **ready;
    unsigned next, written;
    FILE *out;
    uint64_t findings[FSD__SEVERITY_COUNT], failed; /* sums over the written lines */
    enum fsd_status status; /* the status of the batch; a failure ends it */
    int why;                /* errno of the thread that failed */
    bool bar;               /* whether to show a progress bar: true if the lines do not
                               go to the terminal */
    struct fsd_error *err;
};

/* Makes the line of pair i. If the pair has an error, its line states the error.
 * @param[out] err the error of the batch
 * @return FSD_OK; another status ends the batch */
static enum fsd_status make_line(const struct batch *b, unsigned i, char **made,
                                 struct fsd_error *err)
{
    const struct command_line *line = b->line;
    struct list_line *p = must(calloc(1, sizeof *p));
    struct fsd_options like = line->run;
    struct fsd_diff *diff = NULL;
    struct fsd_error failure = {0};
    size_t size;
    FILE *out = fsd_memory_open(made, &size);
    enum fsd_status status;

    like.progress = NULL; /* the progress bar counts pairs, so it does not show the
                             progress within one */
    like.note = NULL;
    failure.status = take_line(p, &b->pairs, i, &like, &failure);
    status = check_outputs(line, &p->run, 1, err);
    if (failure.status == FSD_OK)
        failure.status = fsd_diff_open(&diff, &p->run, &failure);
    if (status == FSD_OK) /* again, because all inputs of the pair are known now */
        status = check_outputs(line, NULL, 0, err);
    if (status == FSD_OK)
        status =
            fsd_pair_write(b->pairs.lines[i], diff, diff ? NULL : &failure, out, err);
    fsd_diff_free(diff);
    free_line(p);
    free(p);
    if (fclose(out))
        must(NULL);
    return status;
}

/* ---------------------------------------------------------------------- the threads */

/* Whether a line, which may be incomplete, belongs to pair i.
 * @param[out] head_length length of the head: the text with which every line of this
 *         pair begins */
static bool is_line_of(const struct batch *b, unsigned i, const char *line, size_t n,
                       size_t *head_length)
{
    char *head = NULL;
    FILE *out = fsd_memory_open(&head, head_length);
    bool same;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): pair i is one of them */
    fsd_pair_write(b->pairs.lines[i], NULL, NULL, out, NULL);
    if (fclose(out))
        must(NULL);
    *head_length -= strlen("}\n");
    same = !memcmp(line, head, n < *head_length ? n : *head_length);
    free(head);
    return same;
}

/* Adds the findings of a complete line to the sums.
 * @return false if the line does not belong to pair i */
static bool count_line(struct batch *b, unsigned i, const char *line)
{
    uint64_t n[FSD__SEVERITY_COUNT];
    const size_t length = strlen(line);
    size_t head_length;

    if (!is_line_of(b, i, line, length, &head_length) || length < head_length)
        return false;
    /* NOLINTNEXTLINE(cert-err34-c): this program writes no number that is too large */
    if (sscanf(line + head_length,
               ",\"findings\":{\"info\":%" SCNu64 ",\"warning\":%" SCNu64
               ",\"error\":%" SCNu64 "}",
               &n[FSD_INFO], &n[FSD_WARNING], &n[FSD_ERROR]) != FSD__SEVERITY_COUNT)
        b->failed++;
    else
        for (int k = 0; k < FSD__SEVERITY_COUNT; k++)
            b->findings[k] += n[k];
    return true;
}

/* Writes all ready lines that are next in order. The caller holds the lock. */
static void write_ready(struct batch *b)
{
    while (b->status == FSD_OK && b->written < b->pairs.n && b->ready[b->written]) {
        char *text = b->ready[b->written];

        errno = 0;
        if (fputs(text, b->out) == EOF || fflush(b->out)) {
            b->status = fail_errno(b->err, NULL);
            b->why = errno;
        }
        count_line(b, b->written, text);
        b->ready[b->written++] = NULL;
        free(text);
    }
    if (b->bar) {
        progress_count(b->written, b->pairs.n);
        progress_stage("analysing pairs");
    }
    fsd_event_wake(&b->moved, true);
}

static void *work(void *payload)
{
    struct batch *b = payload;

    record_reads();
    fsd_lock_take(&b->lock);
    for (;;) {
        struct fsd_error err = {0};
        enum fsd_status status;
        char *text = NULL;
        unsigned i;

        while (b->status == FSD_OK && b->next < b->pairs.n &&
               b->next - b->written >= AHEAD * b->jobs)
            fsd_event_wait(&b->moved, &b->lock);
        if (b->status != FSD_OK || b->next == b->pairs.n)
            break;
        i = b->next++;
        fsd_lock_give(&b->lock);
        status = make_line(b, i, &text, &err);
        fsd_lock_take(&b->lock);
        b->ready[i] = text;
        if (status != FSD_OK && b->status == FSD_OK) {
            b->status = status;
            *b->err = err;
        }
        write_ready(b);
    }
    fsd_lock_give(&b->lock);
    return NULL;
}

/* A print_fn: makes all lines, and writes them to the output. */
static enum fsd_status print_lines(const void *payload, const struct sink *to)
{
    struct batch *b = *(struct batch *const *)payload;
    fsd_thread others[MOST_JOBS];
    unsigned n = 0;

    b->out = to->out;
    b->err = to->err;
    b->bar = !isatty(fileno(to->out));
    b->ready = must(calloc(b->pairs.n + 1, sizeof *b->ready));
    write_ready(b);
    /* This thread also works. If no other thread can be started, it does all the
     * work. */
    while (n + 1 < b->jobs && fsd_thread_start(&others[n], work, b, 0, false))
        n++;
    work(b);
    while (n--)
        fsd_thread_join(others[n]);
    for (unsigned i = 0; i < b->pairs.n; i++)
        free(b->ready[i]);
    free(b->ready);
    errno = b->why; /* the caller reports errno */
    return b->status;
}

/* ---------------------------------------------------------------------- going on */

/* For --resume: counts the complete lines that the file already has, and removes an
 * incomplete line at its end, which an interrupted run left. */
static enum fsd_status take_lines(struct batch *b, FILE *file, const char *path,
                                  struct fsd_error *err)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t n;
    off_t end = 0;
    enum fsd_status status = FSD_OK;

    while (status == FSD_OK && (n = getline(&text, &room, file)) > 0) {
        const bool whole = text[n - 1] == '\n';
        size_t head_length;

        if (b->written == b->pairs.n ||
            !(whole ? count_line(b, b->written, text)
                    : is_line_of(b, b->written, text, (size_t)n, &head_length)))
            status = fail_file(err, FSD_E_MISMATCH, path,
                               "expected a file with the lines of this list, found a "
                               "different pair in line %u",
                               b->written + 1);
        if (status != FSD_OK || !whole)
            break;
        end += n;
        b->next = ++b->written;
    }
    free(text);
    if (n < 0 && !feof(file) && !ferror(file)) /* getline() ran out of memory: ends
                                                  before ftruncate() removes lines
                                                  that were not read */
        end_without_memory();
    if (status == FSD_OK &&
        (ferror(file) || fseeko(file, end, SEEK_SET) || ftruncate(fileno(file), end)))
        status = fail_errno(err, path);
    return status;
}

static enum fsd_status go_on(struct batch *b, struct fsd_error *err)
{
    const char *path = b->line->outputs[0].path;
    struct target target;
    enum fsd_status status =
        take_target(&target, &b->line->outputs[0], b->line->follow, err);
    FILE *file;
    int fd;

    if (status != FSD_OK)
        return status;
    if (target.kind == TARGET_STREAM)
        return fail_file(err, FSD_E_ARG, path,
                         "expected a file that --resume can continue, found a device "
                         "or a pipe");
    fd = open(target.path,
              O_RDWR | O_NOFOLLOW | O_CLOEXEC |
                  (target.kind == TARGET_NEW ? O_CREAT | O_EXCL : 0),
              0666);
    file = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (!file) {
        status = fail_errno(err, path);
        if (fd >= 0)
            close(fd);
        return status;
    }
    status = take_lines(b, file, path, err);
    if (status == FSD_OK)
        status = print_lines(&b, &(struct sink){"json", NULL, file, err});
    if (status == FSD_E_WRITE)
        status = fail_errno(err, path);
    status = close_kept(file, path, status, err);
    /* The interrupted run may have ended before the name of the file was on the
     * disk. */
    return status == FSD_OK ? sync_folder(target.path, err) : status;
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct batch batch = {.line = line,
                          .lock = FSD_LOCK_INIT,
                          .moved = FSD_EVENT_INIT,
                          .jobs = count_jobs(line->list.jobs)};
    struct batch *b = &batch;
    const struct fsd_options list = {.engine = line->words[0]};
    enum fsd_status status;
    char note[128];

    if (line->format && !strcmp(line->format, "schema"))
        return fsd_pair_write(NULL, NULL, NULL, stdout, err);
    status = check_outputs(line, &list, 1, err);
    if (status == FSD_OK)
        status = read_list(&b->pairs, line->words[0], err);
    if (status == FSD_OK)
        status = line->batch.resume ? go_on(b, err)
                                    : write_outputs(line, print_lines, &b, err);
    if (status == FSD_OK && b->failed) {
        snprintf(note, sizeof note,
                 "%" PRIu64 " of %u pairs could not be analyzed; the lines of these "
                 "pairs contain the errors",
                 b->failed, b->pairs.n);
        print_note(NULL, note);
        line->exit_status = TROUBLE;
    } else if (status == FSD_OK && line->fail_on >= 0) {
        for (int i = line->fail_on; i < FSD__SEVERITY_COUNT; i++)
            if (b->findings[i])
                line->exit_status = FINDINGS;
    }
    free_list(&b->pairs);
    return status;
}

const struct verb verb_batch = {
    "batch",
    "LIST",
    "analyze many pairs, one line of JSON each",
    doc,
    {"pairs.txt -j 8 -o reports.jsonl --resume", "builds/ --fail-on error"},
    .options = options,
    .most_words = 1,
    .check = check_line,
    .one_format = true,
    .run = run,
    .two_builds = true,
    .subject = -1};
