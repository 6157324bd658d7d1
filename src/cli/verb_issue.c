/* fusiondiff issue OLD NEW | MODEL ENGINE -o DIR: writes a bug report for the
 * maintainers of a builder. The directory DIR appears completely or not at all. */
#include "cli/edit.h"
#include "host/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
    {"finding", "ID",
     "Report the worst finding of rule ID, or the finding with fingerprint ID "
     "(default: the worst finding; for OLD and NEW, the worst difference)",
     WORD(issue.options.finding)},
    {"layer", "LAYER",
     "Report this layer: its number, name or pattern; may be repeated, like --group "
     "and --node",
     WORDS(part.layers, part.cut.n_layers)},
    {"group", "LAYER",
     "Like --layer, but also report all layers that share nodes with this layer",
     WORDS(part.groups, part.cut.n_groups)},
    {"node", "NODE", "Report this node: its name, #number or pattern",
     WORDS(part.nodes, part.cut.n_nodes)},
    {"context", "N", "Add the nodes within N steps of the part", CONTEXT},
    {"anonymize", NULL,
     "Replace names in all files of the report; write the list of names to "
     "DIR.names.json",
     FLAG(issue.options.anonymous)},
    {"names", "FILE", "With --anonymize: write the list of names to FILE",
     WORD(issue.names)},
    {"no-weights", NULL,
     "Replace the values of the weights of the part by fixed "
     "numbers",
     FLAG(issue.options.no_weights)},
    {"verify", NULL,
     "Build the part alone by the same builder (trtexec or tensorrt_rtx), if it is "
     "installed, and report whether the finding also occurs in that build",
     FLAG(issue.verify)},
    {0},
};

static const char doc[] =
    "Writes a report for the maintainers of a builder to the new "
    "directory DIR: issue.md, the text with versions, flags, "
    "tables and commands; part.onnx, the affected part as a "
    "model; part.svg, its picture; layers.json, its layers.\vOLD and NEW are builds as "
    "for compare: MODEL,ENGINE[,PROFILE[,LOG]], a directory, a snapshot or a build "
    "log.  For a failed build, pass MODEL and the log of the build.  Read issue.md "
    "before you send it: it states which facts are unknown.\n\n--anonymize replaces "
    "the names of nodes, "
    "tensors, functions, sizes and files, and any word that neither ONNX nor the "
    "builder defines, such as a custom operator; it also removes descriptions and "
    "metadata.  --no-weights keeps the types and shapes of all weights, and the "
    "values of weights that are shapes, indices or scalars.";

static bool is_pair(const struct command_line *line)
{
    return line->query.n_words == 1 ||
           (fsd_file_is_model(line->words[0]) && !fsd_file_is_model(line->words[1]) &&
            fsd_file_kind(line->words[1]) != FSD_FILE_SNAPSHOT);
}

static void check_line(struct command_line *line)
{
    line->issue.options.part = line->part.cut;
    if (!line->query.n_words)
        usage_error("expected MODEL and ENGINE, or OLD and NEW");
    if (line->format || line->n_outputs != 1 || !line->outputs[0].path)
        usage_error("expected -o DIR, a new directory");
    if (line->issue.options.finding && names_part(line))
        usage_error("expected either --finding or any of --layer, --group and --node, "
                    "found both");
    if (line->issue.names && !line->issue.options.anonymous)
        usage_error("--names requires --anonymize");
    if (is_pair(line)) {
        line->run.model = line->words[0];
        line->run.engine = line->query.n_words > 1 ? line->words[1] : NULL;
        need_pair(line);
    } else if (line->run.log || line->run.n_profiles || line->run.times) {
        usage_error("with two builds, pass profiles and logs as parts of each build: "
                    "MODEL,ENGINE,PROFILE,LOG");
    } else if (line->issue.options.finding) {
        usage_error("--finding needs one build: MODEL ENGINE");
    }
}

/* ------------------------------------------------------------------- the directory */

enum { MOST_FILES = 16 };

struct folder {
    char name[PATH_MAX];
    struct temporary partial, files[MOST_FILES]; /* the temporary directory, and the
                                                    files in it */
    unsigned n_files;
    const struct command_line *line;
    struct fsd_issue *issue;
    bool has_part; /* whether verify() has already written part.onnx */
};

static enum fsd_status check_folder(const char *folder, struct fsd_error *err)
{
    DIR *there = opendir(folder);
    int n = 0;

    if (!there)
        return errno == ENOENT ? FSD_OK : fail_errno(err, folder);
    while (readdir(there))
        n++;
    closedir(there);
    return n <= 2 ? FSD_OK
                  : fail_file(err, FSD_E_ARG, folder,
                              "expected a new or empty directory, found files in it");
}

static enum fsd_status name_folder(struct folder *f, struct fsd_error *err)
{
    const char *path = f->line->outputs[0].path;
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    if (snprintf(f->name, sizeof f->name, "%.*s", (int)n, path) >=
            (int)sizeof f->name ||
        snprintf(f->partial.path, sizeof f->partial.path, "%s.XXXXXX", f->name) >=
            (int)(PATH_MAX - sizeof "/layers.json"))
        return fail_file(err, FSD_E_ARG, path, "the path is too long");
    return check_folder(f->name, err);
}

/* Drops the temporary directory and its files.
 * @param gone true: the directory was renamed */
static void drop_partial(struct folder *f, bool gone)
{
    while (f->n_files)
        drop_temporary(&f->files[--f->n_files], gone);
    drop_temporary(&f->partial, gone);
}

/* Creates the next file of the directory. */
static FILE *open_file(struct folder *f, const char *name)
{
    struct temporary *t = &f->files[f->n_files];

    if (f->n_files == MOST_FILES ||
        snprintf(t->path, sizeof t->path, "%s/%s", f->partial.path, name) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    f->n_files++;
    add_temporary(t);
    return fopen(t->path, "wxe");
}

/* Writes one file of the report. */
static enum fsd_status fill_file(struct folder *f, const char *file,
                                 struct fsd_error *err)
{
    FILE *out = open_file(f, file);
    const char *path;
    enum fsd_status status;

    if (!out)
        return fail_errno(err, file);
    path = f->files[f->n_files - 1].path;
    status = fsd_issue_write(f->issue, file, out, err);
    if (status == FSD_E_WRITE)
        fail_errno(err, path);
    return close_kept(out, path, status, err);
}

/* ------------------------------------------------------------------------ verifying */

static bool write_piece(void *payload, int stream, const char *bytes, size_t n)
{
    (void)stream;
    return fwrite(bytes, 1, n, payload) == n;
}

static void note_unverified(const struct folder *f, const char *builder,
                            const char *why)
{
    char text[1200];

    snprintf(text, sizeof text, "the part was not built alone: %s%s%s", builder,
             *builder ? ": " : "", why);
    if (!f->line->quiet)
        print_note(NULL, text);
}

/* Builds the part with the builder of the reported build, and keeps the log in the
 * directory. A missing or failing builder is not an error: a note reports it. */
static void build_part(struct folder *f, const char *part)
{
    char onnx[PATH_MAX + 16], log[sizeof f->files[0].path];
    const char *words[] = {
        fsd_issue_builder(f->issue), onnx, "--profilingVerbosity=detailed", "--verbose",
        "--skipInference",           NULL};
    FILE *out = open_file(f, "part.log");
    struct child child = {
        .words = words, .in = -1, .out = -1, .take = write_piece, .payload = out};
    struct child_end end;
    struct fsd_error why = {0};
    bool shows = false;
    enum fsd_status status;

    if (!out) {
        note_unverified(f, "", strerror(errno));
        return;
    }
    snprintf(onnx, sizeof onnx, "--onnx=%s", part);
    snprintf(log, sizeof log, "%s", f->files[f->n_files - 1].path);
    status = run_child(&child, &end, &why);
    fclose(out);
    if (status == FSD_OK && end.stopped_by)
        end_by(end.stopped_by, end.whole_job);
    if (status == FSD_OK && end.status)
        status =
            fail_file(&why, FSD_E_IO, words[0], "ended with status %d", end.status);
    if (status == FSD_OK)
        status = fsd_issue_verify(f->issue, part, log, &shows, &why);
    /* An anonymous report must not have the log, because the log contains the path of
     * the part. */
    if (status != FSD_OK || f->line->issue.options.anonymous)
        drop_temporary(&f->files[--f->n_files], false);
    if (status != FSD_OK) {
        note_unverified(f, words[0], why.message);
    } else if (!shows && !f->line->quiet)
        print_note(NULL, "the finding does not occur if the part is built alone");
}

static enum fsd_status verify(struct folder *f, struct fsd_error *err)
{
    enum fsd_status status;

    if (!f->line->issue.verify)
        return FSD_OK;
    if (!fsd_issue_builder(f->issue)) {
        note_unverified(f, "", "the report does not contain a part of the model");
        return FSD_OK;
    }
    status = fill_file(f, "part.onnx", err);
    f->has_part = status == FSD_OK;
    if (status == FSD_OK)
        build_part(f, f->files[f->n_files - 1].path);
    return status;
}

static enum fsd_status fill_partial(struct folder *f, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;
    const char *file;

    for (unsigned i = 0; status == FSD_OK && (file = fsd_issue_file(f->issue, i)); i++)
        if (!f->has_part || strcmp(file, "part.onnx") != 0)
            status = fill_file(f, file, err);
    return status;
}

static enum fsd_status print_names(const void *payload, const struct sink *to)
{
    return fsd_issue_write_names(payload, to->out, to->err);
}

/* Sets the path of the file with the original names. The file is beside the directory,
 * not in it, so that a user who sends the directory does not send these names. */
static enum fsd_status aim_names(const struct folder *f, struct command_line *to,
                                 struct fsd_error *err)
{
    static char beside[PATH_MAX];

    if (!f->line->issue.options.anonymous)
        return FSD_OK;
    if (snprintf(beside, sizeof beside, "%s.names.json", f->name) >= (int)sizeof beside)
        return fail_file(err, FSD_E_ARG, f->name, "the path is too long");
    to->outputs[0] = (struct output){
        .path = f->line->issue.names ? f->line->issue.names : beside, .format = "json"};
    to->n_outputs = 1;
    to->follow = f->line->follow;
    to->quiet = f->line->quiet;
    return check_outputs(to, NULL, 0, err);
}

static enum fsd_status write_folder(struct folder *f, struct fsd_error *err)
{
    static struct command_line names;
    enum fsd_status status = aim_names(f, &names, err);
    mode_t mask = umask(0);

    umask(mask);
    if (status != FSD_OK)
        return status;
    if (!make_temporary_folder(&f->partial))
        return fail_errno(err, f->name);
    status = verify(f, err);
    if (status == FSD_OK)
        status = fill_partial(f, err);
    if (status == FSD_OK)
        status = write_outputs(&names, print_names, f->issue, err);
    if (status == FSD_OK &&
        (chmod(f->partial.path, 0777 & ~mask) || rename(f->partial.path, f->name)))
        status = fail_errno(err, f->name);
    drop_partial(f, status == FSD_OK);
    return status == FSD_OK ? sync_folder(f->name, err) : status;
}

static void say_files(const struct folder *f)
{
    const char *file;

    for (unsigned i = 0; !f->line->quiet && (file = fsd_issue_file(f->issue, i)); i++)
        fprintf(stderr, "%s/%s\n", f->name, file);
}

/* Opens the issue. For a failed build, the subject is the nodes at which the build
 * failed, unless the user names nodes. */
static enum fsd_status open_pair(struct command_line *line, struct fsd_issue **issue,
                                 struct fsd_error *err)
{
    struct fsd_issue_options *wants = &line->issue.options;
    enum fsd_status status = fsd_issue_open(issue, NULL, &line->run, wants, err);
    struct fsd_failure *failure =
        status == FSD_E_FORMAT && line->run.model ? open_failure(line) : NULL;

    if (!failure)
        return status;
    status = name_failed_part(line, failure, err);
    wants->part = line->part.cut;
    wants->failure = failure;
    if (status == FSD_OK)
        status = fsd_issue_open(issue, NULL, &line->run, wants, err);
    fsd_failure_free(failure);
    return status;
}

static enum fsd_status open_issue(struct command_line *line, struct fsd_issue **issue,
                                  struct fsd_error *err)
{
    struct build_word *words = new_build_words(MOST_BUILDS);
    struct fsd_options builds[MOST_BUILDS];
    unsigned n = 0;
    enum fsd_status status;

    if (line->run.engine)
        return open_pair(line, issue, err);
    status = take_builds(words, line->words, line->query.n_words, &line->run, builds,
                         MOST_BUILDS, &n, err);
    if (status == FSD_OK && n != 2)
        status = fail_file(err, FSD_E_ARG, NULL, "expected two builds, found %u", n);
    if (status == FSD_OK)
        status = check_outputs(line, builds, n, err);
    return status == FSD_OK ? fsd_issue_open(issue, &builds[0], &builds[1],
                                             &line->issue.options, err)
                            : status;
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_issue *issue = NULL;
    static struct folder f;
    enum fsd_status status;

    f.line = line;
    status = name_folder(&f, err);
    if (status == FSD_OK)
        status = open_issue(line, &issue, err);
    f.issue = issue;
    if (status == FSD_OK)
        status = write_folder(&f, err);
    if (status == FSD_OK)
        say_files(&f);
    fsd_issue_free(issue);
    return status;
}

const struct verb verb_issue = {
    "issue",
    "MODEL ENGINE | OLD NEW",
    "write a bug report for the builder's maintainers, with the affected part",
    doc,
    {"model.onnx engine.json -o report",
     "old.onnx,old.json new.onnx,new.json -o report",
     "model.onnx engine.json --layer 12 -o report --anonymize --no-weights"},
    .options = options,
    .most_words = 2,
    .check = check_line,
    .one_format = true,
    .run = run,
    .subject = -1};
