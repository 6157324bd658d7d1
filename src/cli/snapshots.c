/*
 * Handles the files of snapshots: `check --update` and `snapshot` rewrite them and
 * report lost builds, `snapshot --list` chooses their paths, and `snapshot --merge`
 * merges them for git.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>

static enum fsd_status print_snapshot(const void *payload, const struct sink *to)
{
    return fsd_check_update(payload, to->out, to->err);
}

/* Writes the snapshot like a report: completely or not at all. */
enum fsd_status update_snapshot(const struct command_line *line,
                                const struct fsd_check *check, struct fsd_error *err)
{
    struct command_line to = *line;

    to.n_outputs = 1;
    to.outputs[0] = (struct output){.path = fsd_check_snapshot(check), .updates = true};
    return write_outputs(&to, print_snapshot, check, err);
}

/* Prints a note on the builds that are overwritten, so that none is lost silently. */
void report_dropped(const struct command_line *line, const char *path)
{
    unsigned builds = path ? fsd_snapshot_builds(path) : 0;
    char text[256];

    if (builds < 2 || !line->run.note)
        return;
    snprintf(
        text, sizeof text,
        "%.150s: the new snapshot omits the variants of %u builds (--also keeps them)",
        path, builds);
    line->run.note(line->run.payload, text);
}

/* ----------------------------------------------------------------- places of a list */

/* The path of a snapshot is the file that the list names or, if the list names a
 * folder, the file in it that is named after the build. Missing folders are created, so
 * that users need only the list to write its first snapshots.
 *
 *     label=sm86 snapshot=r18/snapshots     r18/snapshots/sm86.fsd
 *     snapshot=r18/first.fsd                r18/first.fsd */
static const char suffix[] = ".fsd";

/* Whether a path is a folder of snapshots. A missing path without the suffix is a
 * folder, too: `check` will search it for snapshots. */
static bool is_folder(const char *to)
{
    struct stat st;

    return is_directory(to) || (stat(to, &st) && !ends_with(to, suffix));
}

static enum fsd_status make_folder(const char *path, const char *list,
                                   struct fsd_error *err)
{
    enum fsd_status status;

    if (is_directory(path))
        return FSD_OK;
    status = check_listed(path, list, err);
    if (status == FSD_OK && mkdir(path, 0777) && errno != EEXIST)
        status = fail_errno(err, path);
    return status;
}

/* Creates the folders before the last slash of a path. */
static enum fsd_status make_folders(char *path, const char *list, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (char *slash = strchr(path + 1, '/'); slash && status == FSD_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_folder(path, list, err);
        *slash = '/';
    }
    return status;
}

/* Writes the file name of a snapshot: the label or, without a label, the engine's file
 * name without its extension.
 * @return false if the name is unsuitable */
static bool put_name(const struct fsd_options *run, char *out, size_t size)
{
    const char *file = run->engine ? run->engine : run->model;
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *name = run->label ? run->label : slash ? slash + 1 : file;
    size_t n = !name ? 0 : run->label ? strlen(name) : strcspn(name, ".");

    return n && !memchr(name, '/', n) && *name != '.' &&
           snprintf(out, size, "/%.*s%s", (int)n, name, suffix) < (int)size;
}

enum fsd_status find_snapshot_place(const struct fsd_options *run, const char *to,
                                    const char *list, char path[static PATH_MAX],
                                    struct fsd_error *err)
{
    bool folder = is_folder(to);
    size_t n = strlen(to);
    enum fsd_status status;

    while (folder && n > 1 && to[n - 1] == '/')
        n--;
    if (snprintf(path, PATH_MAX, "%.*s", (int)n, to) >= PATH_MAX ||
        (folder && !put_name(run, path + n, PATH_MAX - n)))
        return fail_file(
            err, FSD_E_ARG, to,
            "expected a label= that can name the snapshot's file in this folder, "
            "found '%.100s'",
            run->label ? run->label : "none");
    status = make_folders(path, list, err);
    return status == FSD_OK ? check_listed(path, list, err) : status;
}

/* -------------------------------------------------------------------------- merging */

/* The merge of snapshots. Each snapshot describes one build, so the lines of two cannot
 * be mixed. If only one side changed, this side is the result. If both sides changed,
 * neither describes a build of the merged model. */
static enum fsd_status read_snapshot(const char *path, struct whole_text *out,
                                     struct fsd_error *err)
{
    enum { STEP = 1 << 16 };
    FILE *in;
    bool failed;

    if (fsd_file_kind(path) != FSD_FILE_SNAPSHOT)
        return fail_file(err, FSD_E_FORMAT, path,
                         "expected a snapshot, found a different kind of file");
    in = fopen(path, "rb");
    if (!in)
        return fail_errno(err, path);
    do {
        out->at = must(realloc(out->at, out->n + STEP));
        out->n += fread(out->at + out->n, 1, STEP, in);
    } while (!feof(in) && !ferror(in));
    failed = ferror(in) != 0;
    return fclose(in) || failed ? fail_errno(err, path) : FSD_OK;
}

static bool are_equal(const struct whole_text *a, const struct whole_text *b)
{
    return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

enum fsd_status print_text(const void *payload, const struct sink *to)
{
    const struct whole_text *text = payload;

    return fwrite(text->at, 1, text->n, to->out) == text->n && !fflush(to->out)
               ? FSD_OK
               : fail_errno(to->err, text->path);
}

enum fsd_status merge_snapshots(struct command_line *line, struct fsd_error *err)
{
    enum { BASE, OURS, THEIRS, SIDES };
    const char *const paths[SIDES] = {line->snapshot.merge_base, line->run.model,
                                      line->run.engine};
    struct whole_text side[SIDES] = {{0}};
    enum fsd_status status = FSD_OK;

    for (int i = 0; i < SIDES && status == FSD_OK; i++)
        status = read_snapshot(paths[i], &side[i], err);
    if (status == FSD_OK && are_equal(&side[BASE], &side[OURS])) {
        side[THEIRS].path = paths[OURS]; /* errors name the file that is written */
        line->n_outputs = 1;
        line->outputs[0] = (struct output){.path = paths[OURS], .updates = true};
        status = write_outputs(line, print_text, &side[THEIRS], err);
    } else if (status == FSD_OK && !are_equal(&side[BASE], &side[THEIRS]) &&
               !are_equal(&side[OURS], &side[THEIRS])) {
        print_note(NULL, "both branches changed the snapshot: keep one of the two "
                         "versions, build the merged model, then run check --update");
        line->exit_status = FINDINGS;
    }
    for (int i = 0; i < SIDES; i++)
        free(side[i].at);
    return status;
}
