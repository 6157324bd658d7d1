/*
 * fusiondiff collect DIR -- COMMAND...: runs a build and keeps what it makes in one
 * directory that every verb takes.
 *
 *     DIR.partial/UNFINISHED   made first, and gone last: no verb takes what has it
 *                 command.json, build.log, layers.json, profile.json, times.json,
 *                 model.onnx
 *     DIR                      DIR.partial under its own name, once all of it is there
 *
 * What a failed or interrupted build left stays in DIR.partial, for whoever looks for
 * the reason; the next collect to DIR takes it away.
 */
#define _GNU_SOURCE /* argp */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is kept of the environment: what decides on which device and how a build runs.
 * Anything else may be a secret. */
static const char *const kept_variables[] = {
    "CUDA_DEVICE_ORDER", "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES",
    "NVIDIA_TF32_OVERRIDE", "NVIDIA_VISIBLE_DEVICES"};
enum { N_VARIABLES = sizeof kept_variables / sizeof *kept_variables };

/* All that a collect writes; nothing else is ever removed. */
static const char *const own_files[] = {"command.json", "build.log",  "layers.json",
                                        "profile.json", "times.json", "model.onnx",
                                        FSD_UNFINISHED};

struct collect {
    const char *folder;
    char partial[PATH_MAX];
    struct collect_command command;
    const char *model; /* NULL: none is known */
    int status, ended_by;
};

/* ---------------------------------------------------------------------- directories */

static bool path_in(const struct collect *c, const char *name, char path[PATH_MAX])
{
    size_t folder = strlen(c->partial), file = strlen(name);

    if (folder + 1 + file >= PATH_MAX)
        return false;
    memcpy(path, c->partial, folder);
    path[folder] = '/';
    memcpy(path + folder + 1, name, file + 1);
    return true;
}

static enum fsd_status clear_partial(const struct collect *c, struct fsd_error *err)
{
    char path[PATH_MAX];

    if (access(c->partial, F_OK))
        return FSD_OK;
    for (size_t i = 0; i < sizeof own_files / sizeof *own_files; i++)
        if (path_in(c, own_files[i], path))
            unlink(path);
    if (!rmdir(c->partial))
        return FSD_OK;
    return fail_file(err, FSD_E_WRITE, c->partial,
                     "expected only files of an earlier collect, found one that "
                     "cannot be removed: %s",
                     strerror(errno));
}

/* An empty directory may have been made for it. */
static enum fsd_status check_folder(const char *folder, struct fsd_error *err)
{
    struct dirent **names;
    int n = scandir(folder, &names, NULL, NULL);

    if (n < 0)
        return errno == ENOENT ? FSD_OK : fail_errno(err, folder);
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return n <= 2 ? FSD_OK
                  : fail_file(err, FSD_E_ARG, folder,
                              "expected a new or empty directory, found files in it");
}

static enum fsd_status make_partial(struct collect *c, struct fsd_error *err)
{
    size_t n = strlen(c->folder);
    char path[PATH_MAX];
    int fd;

    while (n > 1 && c->folder[n - 1] == '/')
        n--;
    if (snprintf(c->partial, sizeof c->partial, "%.*s.partial", (int)n, c->folder) +
            (int)sizeof "/profile.json" >=
        (int)sizeof c->partial)
        return fail_file(err, FSD_E_ARG, c->folder, "the path is too long");
    if (check_folder(c->folder, err) != FSD_OK || clear_partial(c, err) != FSD_OK)
        return err->status;
    path_in(c, FSD_UNFINISHED, path);
    if (mkdir(c->partial, 0777) ||
        (fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0)
        return fail_errno(err, c->partial);
    close(fd);
    return FSD_OK;
}

/* The directory has its name, and all of it is on the disk. */
static enum fsd_status finish(const struct collect *c, struct fsd_error *err)
{
    char path[PATH_MAX];

    path_in(c, FSD_UNFINISHED, path);
    if (sync_folder(path, err) != FSD_OK)
        return err->status;
    if (unlink(path) || rename(c->partial, c->folder))
        return fail_errno(err, c->folder);
    return sync_folder(c->folder, err);
}

/* ---------------------------------------------------------------------------- files */

static enum fsd_status copy_file(const char *from, const char *to,
                                 struct fsd_error *err)
{
    static char piece[1 << 16];
    FILE *in = fopen(from, "re"), *out;
    enum fsd_status status = FSD_OK;
    size_t n;

    if (!in)
        return fail_file(err, FSD_E_IO, from, "cannot open: %s", strerror(errno));
    out = fopen(to, "wxe");
    if (!out)
        status = fail_errno(err, to);
    while (out && status == FSD_OK && (n = fread(piece, 1, sizeof piece, in)) > 0)
        if (fwrite(piece, 1, n, out) != n)
            status = fail_errno(err, to);
    if (status == FSD_OK && ferror(in))
        status = fail_file(err, FSD_E_IO, from, "cannot read: %s", strerror(errno));
    fclose(in);
    return out ? close_kept(out, to, status, err) : status;
}

/* What the user's own options have written elsewhere. */
static enum fsd_status copy_exports(const struct collect *c, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;
    char path[PATH_MAX];

    for (size_t i = 0; i < MOST_EXPORTS && status == FSD_OK; i++) {
        const struct exported *e = &c->command.exports[i];

        if (e->asked && path_in(c, e->name, path) && !access(e->asked, F_OK))
            status = copy_file(e->asked, path, err);
    }
    return status;
}

/* A link is enough on this machine, whatever the model's size. */
static enum fsd_status keep_model(const struct collect *c, bool copy,
                                  struct fsd_error *err)
{
    char path[PATH_MAX], target[PATH_MAX];

    if (!c->model || !path_in(c, "model.onnx", path))
        return FSD_OK;
    if (copy)
        return copy_file(c->model, path, err);
    if (!realpath(c->model, target) || symlink(target, path))
        return fail_errno(err, path);
    return FSD_OK;
}

static enum fsd_status write_command(const struct collect *c, const char *const *given,
                                     unsigned n, struct fsd_error *err)
{
    struct fsd_collected collected = {.command = c->command.words,
                                      .n_command = c->command.n,
                                      .given = given,
                                      .n_given = n,
                                      .status = c->status,
                                      .model = c->model};
    const char *names[N_VARIABLES], *values[N_VARIABLES];
    char path[PATH_MAX];
    FILE *out;

    path_in(c, "command.json", path);
    for (size_t i = 0; i < N_VARIABLES; i++) {
        const char *value = getenv(kept_variables[i]);

        if (value) {
            names[collected.n_environment] = kept_variables[i];
            values[collected.n_environment++] = value;
        }
    }
    collected.names = names;
    collected.values = values;
    out = fopen(path, "wxe");
    if (!out)
        return fail_errno(err, path);
    return close_kept(out, path, fsd_collected_write(&collected, out, err), err);
}

/* ------------------------------------------------------------------------ report */

/* Which kinds of files there are, as bits by enum fsd_file_kind. */
static unsigned kinds_in(const struct collect *c)
{
    struct dirent **names;
    int n = scandir(c->partial, &names, NULL, alphasort);
    unsigned kinds = 0;
    char path[PATH_MAX];

    for (int i = 0; i < n; i++) {
        if (*names[i]->d_name != '.' && path_in(c, names[i]->d_name, path))
            kinds |= 1u << fsd_file_kind(path);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return kinds;
}

static void report_lacks(const struct collect *c)
{
    unsigned kinds = kinds_in(c);
    bool log = kinds >> FSD_FILE_LOG & 1, engine = kinds >> FSD_FILE_ENGINE & 1;

    if (!c->model)
        print_note(NULL, "the command names no ONNX model: pass it with --model");
    if (!engine && !log)
        print_note(NULL, "no layers: make the command print a verbose log, or write "
                         "the layers to $FUSIONDIFF_COLLECT (trtexec "
                         "--exportLayerInfo)");
    else if (!engine)
        print_note(NULL, "no layer dump: the layers are read from the log");
    else if (!log)
        print_note(NULL, "no verbose build log: the steps of the builder are unknown "
                         "(trtexec --verbose, polygraphy -vv)");
    if (!(kinds >> FSD_FILE_PROFILE & 1))
        print_note(NULL, "no layer times (trtexec --exportProfile)");
}

static void report_added(const struct collect_command *command, unsigned given)
{
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text, "%s is run with",
                                command->trtexec ? "trtexec" : "");

    if (command->n == given)
        return;
    for (unsigned i = given; i < command->n && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, " %s", command->words[i]);
    print_note(NULL, text);
}

static void report_kept(const struct collect *c)
{
    char text[PATH_MAX + 200];

    snprintf(text, sizeof text,
             "the command failed with status %d; its files are in %s, "
             "which no verb accepts as a build",
             c->status, c->partial);
    print_note(NULL, text);
}

/* ------------------------------------------------------------------------- the verb */

static enum fsd_status collect(struct collect *c, const struct command_line *line,
                               const char *const *given, unsigned n,
                               struct fsd_error *err)
{
    char log[PATH_MAX];
    enum fsd_status status = make_partial(c, err);

    if (status == FSD_OK)
        status = complete_command(&c->command, given, n, c->partial, err);
    if (status != FSD_OK)
        return status;
    c->model = line->run.model ? line->run.model : c->command.model;
    report_added(&c->command, n);
    path_in(c, "build.log", log);
    status =
        run_command(c->command.words, c->partial, log, &c->status, &c->ended_by, err);
    if (status == FSD_OK)
        status = copy_exports(c, err);
    if (status == FSD_OK)
        status = keep_model(c, line->copy_model, err);
    if (status == FSD_OK)
        status = write_command(c, given, n, err);
    if (status != FSD_OK)
        return status;
    if (c->status || c->ended_by) {
        report_kept(c);
        return FSD_OK;
    }
    report_lacks(c);
    return finish(c, err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    static struct collect c;
    enum fsd_status status;

    c.folder = line->words[0];
    status = collect(&c, line, line->words + 1, line->query.n_words - 1, err);
    line->exit_status = c.status;
    if (status == FSD_OK && c.ended_by) { /* as if this program had been the command */
        signal(c.ended_by, SIG_DFL);
        raise(c.ended_by);
    }
    return status;
}

static const struct option_row options[] = {
    {"model", "MODEL", "The ONNX model, if the command does not name it",
     WORD(run.model)},
    {"copy-model", NULL,
     "Copy the model into DIR, for use on another machine (default: a link)",
     FLAG(copy_model)},
    {0},
};

static void check_line(struct command_line *line, struct argp_state *state)
{
    if (line->query.n_words < 2)
        argp_error(state, "expected DIR -- COMMAND...");
    if (line->format || line->outputs[0].path)
        argp_error(state, "collect writes only DIR, and no report");
}

static const char doc[] =
    "Runs a build (trtexec, Polygraphy or a script) and keeps its "
    "command, log, layers, times and model in the new directory "
    "DIR, which every verb accepts as a build.\vAdds the missing "
    "export options to trtexec, as far as its --help lists them.  "
    "A script writes files of its own to $FUSIONDIFF_COLLECT.  "
    "The exit status is the command's.  If it is not 0, the files "
    "remain in DIR.partial, and DIR is not created.";

const struct verb verb_collect = {"collect",
                                  "DIR -- COMMAND...",
                                  "run a build and keep all it makes in one directory",
                                  doc,
                                  {"resnet/ -- trtexec --onnx=resnet.onnx --fp16",
                                   "yolo/ --model yolo.onnx -- python build.py"},
                                  .options = options,
                                  .most_words = MOST_WORDS,
                                  .check = check_line,
                                  .run = run,
                                  .two_builds = true,
                                  .subject = -1};
