/*
 * fusiondiff collect DIR -- COMMAND...: runs a build and stores its files in one
 * directory, which all verbs on builds can read.
 *
 *     DIR.partial/UNFINISHED   made first, removed last; verbs refuse a folder with it
 *                 command.json, build.log, layers.json, profile.json, times.json,
 *                 model.onnx
 *     DIR                      DIR.partial, renamed when it is complete
 *
 * The files of a failed or interrupted build stay in DIR.partial, so that users can
 * examine them. The next collect to DIR removes them.
 */
#include "cli/collect.h"
#include "host/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* SWITCHES: environment variable with options for the compiler in TensorRT for RTX.
 * IGNORED: the compiler's message if it does not know an option and ignores it. The
 * message is on standard error and therefore in the log. */
#define SWITCHES "__LUNOWUD"
#define IGNORED  " invalid compilation option, ignored"

/* The environment variables that command.json records: they determine the device and
 * the behavior of a build. Others are not recorded, because they may be secrets. */
static const char *const kept_variables[] = {
    "CUDA_DEVICE_ORDER",    "CUDA_MODULE_LOADING",    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_TF32_OVERRIDE", "NVIDIA_VISIBLE_DEVICES", SWITCHES};
enum { N_VARIABLES = sizeof kept_variables / sizeof *kept_variables };

struct collect {
    struct partial partial;
    struct collect_command command;
    const char *model; /* NULL: unknown */
    int status;
    struct child_end end;
};

/* ---------------------------------------------------------------------------- files */

static enum fsd_status copy_file(const struct collect *c, const char *from,
                                 const char *name, struct fsd_error *err)
{
    static char piece[1 << 16];
    FILE *in = fopen(from, "re"), *out;
    char to[PATH_MAX] = "";
    enum fsd_status status = FSD_OK;
    size_t n;

    if (!in)
        return fail_file(err, FSD_E_IO, from, "cannot open: %s", strerror(errno));
    path_in_partial(&c->partial, name, to);
    out = create_in_partial(&c->partial, name, err);
    if (!out)
        status = err->status;
    while (out && status == FSD_OK && (n = fread(piece, 1, sizeof piece, in)) > 0)
        if (fwrite(piece, 1, n, out) != n)
            status = fail_errno(err, to);
    if (status == FSD_OK && ferror(in))
        status = fail_file(err, FSD_E_IO, from, "cannot read: %s", strerror(errno));
    fclose(in);
    return out ? close_kept(out, to, status, err) : status;
}

/* Copies the files that trtexec wrote elsewhere because of the user's own options. */
static enum fsd_status copy_exports(const struct collect *c, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (size_t i = 0; i < MOST_EXPORTS && status == FSD_OK; i++) {
        const struct exported *e = &c->command.exports[i];

        if (e->asked && !access(e->asked, F_OK))
            status = copy_file(c, e->asked, e->name, err);
    }
    return status;
}

/* Stores the model in the directory: as a link, which needs no room, or as a copy. */
static enum fsd_status keep_model(const struct collect *c, bool copy,
                                  struct fsd_error *err)
{
    char target[PATH_MAX];

    if (!c->model)
        return FSD_OK;
    if (copy)
        return copy_file(c, c->model, "model.onnx", err);
    if (!realpath(c->model, target) ||
        !link_in_partial(&c->partial, target, "model.onnx"))
        return fail_errno(err, c->model);
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

    path_in_partial(&c->partial, "command.json", path);
    for (size_t i = 0; i < N_VARIABLES; i++) {
        const char *value = getenv(kept_variables[i]);

        if (value) {
            names[collected.n_environment] = kept_variables[i];
            values[collected.n_environment++] = value;
        }
    }
    collected.names = names;
    collected.values = values;
    out = create_in_partial(&c->partial, "command.json", err);
    if (!out)
        return err->status;
    return close_kept(out, path, fsd_collected_write(&collected, out, err), err);
}

/* Records as an input each file that a word of the command names, because the command
 * may read any of them. */
static void add_words(const char *const *given, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const char *value = strchr(given[i], '=');

        add_read(given[i]);
        add_read(value ? value + 1 : NULL);
    }
}

/* ------------------------------------------------------------------------ report */

static void report_lacks(const struct collect *c)
{
    unsigned kinds = kinds_in_partial(&c->partial);
    bool log = kinds >> FSD_FILE_LOG & 1, engine = kinds >> FSD_FILE_ENGINE & 1;

    if (!c->model)
        print_note(NULL,
                   "the command names no ONNX model: pass the model with --model");
    if (!engine && !log)
        print_note(
            NULL,
            "the command wrote no layers: let it print a verbose log, or let it write "
            "the layers to $FUSIONDIFF_COLLECT (trtexec --exportLayerInfo)");
    else if (!engine)
        print_note(NULL, "the command wrote no layer dump: fusiondiff reads the layers "
                         "from the log");
    else if (!log)
        print_note(NULL, "the log is not verbose, so the steps of the builder are "
                         "unknown (use trtexec --verbose or polygraphy -vv)");
    if (!(kinds >> FSD_FILE_PROFILE & 1))
        print_note(NULL,
                   "the command wrote no layer times (use trtexec --exportProfile)");
}

static void report_added(const struct collect_command *command, unsigned given)
{
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "collect runs %s with the additional options",
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
             "and no verb accepts this directory as a build",
             c->status, c->partial.path);
    print_note(NULL, text);
}

static void report_ignored(const struct collect *c)
{
    char path[PATH_MAX], text[1024], line[4096], *end;
    FILE *log =
        path_in_partial(&c->partial, "build.log", path) ? fopen(path, "r") : NULL;

    while (log && fgets(line, sizeof line, log)) {
        if (!(end = strstr(line, IGNORED)))
            continue;
        *end = '\0';
        snprintf(text, sizeof text,
                 "the builder ignores `%.500s` in " SWITCHES
                 ", because it does not know this switch",
                 line + strspn(line, " "));
        print_note(NULL, text);
    }
    if (log)
        fclose(log);
}

/* ------------------------------------------------------------------------- the verb */

static enum fsd_status run_build(struct collect *c, struct fsd_error *err)
{
    char path[PATH_MAX] = "";
    FILE *log = create_in_partial(&c->partial, "build.log", err);
    enum fsd_status status;

    if (!log)
        return err->status;
    path_in_partial(&c->partial, "build.log", path);
    status =
        run_command(c->command.words, c->partial.absolute, log, path, &c->end, err);
    c->status = c->end.status;
    return status;
}

static enum fsd_status collect(struct collect *c, const struct command_line *line,
                               const char *const *given, unsigned n,
                               struct fsd_error *err)
{
    enum fsd_status status;

    add_words(given, n);
    status = open_partial(&c->partial, line->words[0], err);

    if (status == FSD_OK)
        status = complete_command(&c->command, given, n, c->partial.path, err);
    if (status != FSD_OK)
        return status;
    c->model = line->run.model ? line->run.model : c->command.model;
    report_added(&c->command, n);
    status = run_build(c, err);
    if (status == FSD_OK)
        status = copy_exports(c, err);
    if (status == FSD_OK)
        status = keep_model(c, line->collect.copy_model, err);
    if (status == FSD_OK)
        status = write_command(c, given, n, err);
    if (status != FSD_OK)
        return status;
    report_ignored(c);
    if (c->status || c->end.stopped_by) {
        report_kept(c);
        return FSD_OK;
    }
    report_lacks(c);
    return finish_partial(&c->partial, err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    static struct collect c;
    enum fsd_status status;
    int by;

    status = collect(&c, line, line->words + 1, line->query.n_words - 1, err);
    close_partial(&c.partial);
    by = c.end.stopped_by ? c.end.stopped_by : c.end.by;
    line->exit_status = c.status;
    if (status == FSD_OK && by) /* ends by the same signal as the command */
        end_by(by, c.end.whole_job);
    return status;
}

static const struct option_row options[] = {
    {"model", "MODEL", "The ONNX model, if the command does not name it",
     WORD(run.model)},
    {"copy-model", NULL,
     "Copy the model into DIR, for use on another machine (default: a link)",
     FLAG(collect.copy_model)},
    {0},
};

static void check_line(struct command_line *line)
{
    if (line->query.n_words < 2)
        usage_error("expected DIR -- COMMAND...");
    if (line->format || line->outputs[0].path)
        usage_error("collect writes only DIR, and no report");
}

static const char doc[] =
    "Runs a build (trtexec, Polygraphy or a script) and keeps its command, log, "
    "layers, times and model in the new directory DIR, which every verb accepts as a "
    "build.\vIf the command is trtexec, collect adds the missing export options that "
    "trtexec --help lists.  A script can write files to the directory "
    "$FUSIONDIFF_COLLECT.  The exit status is the exit status of the command.  If it "
    "is not 0, the files remain in DIR.partial, and DIR is not created.";

const struct verb verb_collect = {"collect",
                                  "DIR -- COMMAND...",
                                  "run a build and keep all its files in one directory",
                                  doc,
                                  {"resnet/ -- trtexec --onnx=resnet.onnx --fp16",
                                   "yolo/ --model yolo.onnx -- python build.py"},
                                  .options = options,
                                  .most_words = MOST_WORDS,
                                  .check = check_line,
                                  .run = run,
                                  .two_builds = true,
                                  .subject = -1};
