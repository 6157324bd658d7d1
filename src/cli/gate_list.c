/*
 * Runs check --list and snapshot --list: several threads process the builds of a list.
 * If a build cannot be read, or if its line is wrong, the other builds continue, and
 * the exit status is 2. Notes are printed after all runs, in the order of the list, so
 * that the same list always gives the same output.
 */
#include "cli/cli.h"

/* An entry of the list: one build. */
struct entry {
    struct list_line *line;
    struct fsd_directory *several; /* the directory of snapshots that snapshot=
                                      names; NULL: it names no directory */
    struct fsd_check *check;
    struct fsd_error error;
    struct whole_text snapshot; /* for the verb snapshot: the text of the snapshot */
    char place[PATH_MAX];       /* for the verb snapshot: the path of the snapshot */
    char *notes;                /* the notes on the build; a zero byte ends each */
    size_t noted;
    struct stat file; /* if `known`: what stat() returned for the snapshot's file, to
                         detect two builds with the same file */
    bool known;
};

struct job {
    const struct command_line *line;
    struct list list;
    struct entry *at;
    _Atomic unsigned done;
};

static const char *const beside[] = {"--log",   "--profile", "--times",
                                     "--shape", "--engine",  "--opt-profile"};

void refuse_beside_list(const struct command_line *line)
{
    const bool given[] = {line->run.log,           line->run.n_profiles,
                          line->run.times,         line->run.n_shapes,
                          line->run.engine_number, line->run.opt_profile};

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i])
            usage_error(
                "%s cannot be passed with --list: write it in the list, in the line of "
                "the build",
                beside[i]);
}

/* -------------------------------------------------------------------- each build */

static void keep_note(void *payload, const char *text)
{
    struct entry *e = payload;
    size_t n = strlen(text) + 1;

    e->notes = must(realloc(e->notes, e->noted + n));
    memcpy(e->notes + e->noted, text, n);
    e->noted += n;
}

static enum fsd_status open_entry(struct job *job, unsigned i)
{
    struct entry *e = &job->at[i];
    struct fsd_options like = job->line->run;

    like.progress = NULL; /* the progress bar counts builds, so it does not show the
                             progress within one */
    like.note = keep_note;
    like.payload = e;
    e->line = must(calloc(1, sizeof *e->line));
    return take_line(e->line, &job->list, i, &like, &e->error);
}

static void check_one(void *payload, unsigned i)
{
    struct job *job = payload;
    struct entry *e = &job->at[i];
    struct fsd_check_options options = job->line->check.options;
    enum fsd_status status = open_entry(job, i);

    if (e->line->snapshot)
        options.snapshot = e->line->snapshot;
    if (e->line->policy)
        options.policy = e->line->policy;
    if (status == FSD_OK && options.accept && !options.snapshot)
        status =
            fail_file(&e->error, FSD_E_ARG, NULL,
                      "--update needs snapshot=FILE in this line, or SNAPSHOT on the "
                      "command line");
    if (status == FSD_OK && options.snapshot)
        status = open_snapshots(&e->several, &options, &e->error);
    if (status == FSD_OK)
        status = fsd_check_open(&e->check, &e->line->run, &options, &e->error);
    /* Without --update, only the verdict is needed. --update needs the whole build. */
    if (status == FSD_OK && !options.accept)
        status = fsd_check_shrink(e->check, &e->error);
    e->error.status = status;
    progress_count(++job->done, job->list.n);
}

static void snapshot_one(void *payload, unsigned i)
{
    struct job *job = payload;
    struct entry *e = &job->at[i];
    enum fsd_status status = open_entry(job, i);
    const char *to = e->line->snapshot;
    FILE *out;

    if (status == FSD_OK && !to)
        status = fail_file(&e->error, FSD_E_ARG, NULL,
                           "expected snapshot=FILE in this line, found none");
    if (status == FSD_OK && job->line->snapshot.with_times && e->line->run.model &&
        !e->line->run.n_profiles)
        status = fail_file(&e->error, FSD_E_ARG, NULL,
                           "--with-times needs profile=FILE in this line");
    if (status == FSD_OK) {
        out = fsd_memory_open(&e->snapshot.at, &e->snapshot.n);
        status = fsd_snapshot_make_of(&e->line->run, 1, out, &e->error);
        if (fclose(out))
            must(NULL);
    }
    e->error.status = status;
    progress_count(++job->done, job->list.n);
}

/* --------------------------------------------------------------------- all of them */

static enum fsd_status do_all(struct job *job, deed_fn *deed, struct fsd_error *err)
{
    const struct fsd_options list = {.engine = job->line->list.path};
    enum fsd_status status = check_outputs(job->line, &list, 1, err);

    if (status == FSD_OK)
        status = read_list(&job->list, job->line->list.path, err);
    if (status != FSD_OK)
        return status;
    job->at = must(calloc(job->list.n, sizeof *job->at));
    progress_stage("checking builds");
    do_each(job->list.n, job->line->list.jobs, deed, job);
    progress_count(0, 0);
    for (unsigned i = 0; i < job->list.n; i++)
        for (size_t at = 0; at < job->at[i].noted;
             at += strlen(job->at[i].notes + at) + 1)
            print_note(NULL, job->at[i].notes + at);
    return FSD_OK;
}

static void free_all(struct job *job)
{
    for (unsigned i = 0; job->at && i < job->list.n; i++) {
        struct entry *e = &job->at[i];

        fsd_check_free(e->check);
        if (e->line)
            free_line(e->line);
        free(e->line);
        fsd_directory_free(e->several);
        free(e->snapshot.at);
        free(e->notes);
    }
    free(job->at);
    free_list(&job->list);
}

/* Refuses a build if an earlier line has the same snapshot, because this build would
 * overwrite the snapshot of the earlier one. The user probably made a typing error. */
static enum fsd_status take_own(struct job *job, unsigned i, const char *path)
{
    struct entry *e = &job->at[i];

    for (unsigned k = 0; k < i; k++) {
        const struct entry *other = &job->at[k];

        if (other->known && other->file.st_dev == e->file.st_dev &&
            other->file.st_ino == e->file.st_ino)
            return e->error.status =
                       fail_file(&e->error, FSD_E_ARG, path,
                                 "expected a separate snapshot for each build, found "
                                 "the same snapshot as in the line '%.200s'",
                                 job->list.lines[k]);
    }
    return FSD_OK;
}

/* -------------------------------------------------------------------- check --list */

struct checks {
    struct fsd_checked *at;
    unsigned n;
};

static enum fsd_status print_checks(const void *payload, const struct sink *to)
{
    const struct checks *checks = payload;

    return fsd_checks_write(checks->at, checks->n, to->format, to->style, to->out,
                            to->err);
}

/* Rewrites all snapshots, before any report states "accepted". A snapshot that cannot
 * be rewritten is an error of its build. */
static void update_all(struct job *job)
{
    for (unsigned i = 0; i < job->list.n; i++) {
        struct entry *e = &job->at[i];
        const char *path = e->check ? fsd_check_snapshot(e->check) : NULL;

        if (!path)
            continue;
        e->known = !stat(path, &e->file);
        if (take_own(job, i, path) == FSD_OK)
            e->error.status = update_snapshot(job->line, e->check, &e->error);
        /* Rewriting replaces the file, so its inode is read again. */
        e->known = e->error.status == FSD_OK && !stat(path, &e->file);
    }
}

/* Fails if an output would overwrite an input of a build. */
static enum fsd_status check_inputs(const struct job *job, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < job->list.n && status == FSD_OK; i++) {
        const struct entry *e = &job->at[i];

        add_read(e->check ? fsd_check_snapshot(e->check) : e->line->snapshot);
        add_read(e->line->policy);
        status = check_outputs(job->line, &e->line->run, 1, err);
    }
    return status;
}

enum fsd_status check_list(struct command_line *line, struct fsd_error *err)
{
    struct job job = {.line = line};
    enum fsd_status status = do_all(&job, check_one, err);
    struct checks checks = {.n = job.list.n};

    if (status == FSD_OK)
        status = check_inputs(&job, err);
    if (status == FSD_OK && line->check.options.accept)
        update_all(&job);
    if (status == FSD_OK) {
        checks.at = must(calloc(job.list.n, sizeof *checks.at));
        for (unsigned i = 0; i < job.list.n; i++) {
            const struct entry *e = &job.at[i];
            const struct fsd_options *run = &e->line->run;
            bool bad = e->error.status != FSD_OK;

            checks.at[i] = (struct fsd_checked){.check = bad ? NULL : e->check,
                                                .error = &e->error,
                                                .label = run->label,
                                                .model = run->model,
                                                .engine = run->engine};
            if (!run->model) {
                checks.at[i].model = run->engine ? run->engine : job.list.lines[i];
                checks.at[i].engine = NULL;
            }
            if (bad)
                line->exit_status = TROUBLE;
            else if (!line->check.options.accept && fsd_check_failed(e->check) &&
                     line->exit_status == OK)
                line->exit_status = FINDINGS;
        }
        status = write_judgement(line, print_checks, &checks, err);
    }
    free(checks.at);
    free_all(&job);
    return status;
}

/* ----------------------------------------------------------------- snapshot --list */

static void write_one(struct job *job, unsigned i)
{
    struct entry *e = &job->at[i];
    struct command_line to = *job->line;
    const char *path = e->place;

    e->error.status = find_snapshot_place(&e->line->run, e->line->snapshot,
                                          job->list.path, e->place, &e->error);
    if (e->error.status != FSD_OK)
        return;
    e->snapshot.path = path;
    to.n_outputs = 1;
    to.outputs[0] = (struct output){path, NULL};
    e->known = !stat(path, &e->file);
    if (e->known && take_own(job, i, path) != FSD_OK)
        return;
    e->error.status = check_outputs(&to, &e->line->run, 1, &e->error);
    if (e->error.status != FSD_OK)
        return;
    report_dropped(job->line, path);
    e->error.status = write_outputs(&to, print_text, &e->snapshot, &e->error);
    e->known = e->error.status == FSD_OK && !stat(path, &e->file);
}

enum fsd_status snapshot_list(struct command_line *line, struct fsd_error *err)
{
    struct job job = {.line = line};
    enum fsd_status status = do_all(&job, snapshot_one, err);
    char text[sizeof(struct fsd_error)];
    unsigned bad = 0;

    for (unsigned i = 0; status == FSD_OK && i < job.list.n; i++) {
        struct entry *e = &job.at[i];

        if (e->error.status == FSD_OK)
            write_one(&job, i);
        if (e->error.status == FSD_OK)
            continue;
        bad++;
        end_progress();
        fputs("fusiondiff: ", stderr);
        put_quoted(job.list.lines[i]);
        fprintf(stderr, ": %s\n", fsd_error_text(&e->error, text, sizeof text));
    }
    if (status == FSD_OK && bad) {
        snprintf(text, sizeof text, "%u of %u snapshots were not written", bad,
                 job.list.n);
        print_note(NULL, text);
        line->exit_status = TROUBLE;
    }
    free_all(&job);
    return status;
}
