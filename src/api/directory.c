/*
 * Finds the files of a build in a directory. Each file is recognized by its content,
 * not by its name. Two files of the same kind are an error, because a silent choice
 * could take the wrong build.
 *
 * Users commit directories, including symbolic links in them. A link in a change under
 * review could make CI read and report other files of the machine. A link must
 * therefore point into the directory. The only exception is a link to the model, if
 * `collect` made this link.
 */
#include "api/inputs.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "report/record/records.h"
#include "host/files.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST_PROFILES = 16, MOST_SNAPSHOTS = 128, MOST_COMMAND_BYTES = 1 << 20 };

/* The paths of a build; "" means that the directory has no such file. */
struct build {
    const char *model, *engine;
};

struct fsd_directory {
    struct fsd_arena *arena;
    const char *path;
    bool follow;
    const char *files[FSD__FILE_KIND_COUNT]; /* one path per kind, except for
                                                profiles */
    const char *either; /* an ONNX file that may be a model or an engine. A model that
                           ONNX Runtime has optimized is an engine, and is recognized by
                           its operator sets. But ONNX Runtime's quantizer adds the same
                           operator sets to plain models */
    FSD_VEC(const char *) profiles, snapshots;
    FSD_VEC(struct build) builds;
};

static struct fsd_directory *new_directory(const char *path, bool follow)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_directory *d = FSD_NEW(arena, struct fsd_directory, 1);

    d->arena = arena;
    d->path = fsd_printed(arena, "%s", path);
    d->follow = follow;
    return d;
}

static bool is_directory(const char *path)
{
    struct stat st;

    return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static enum fsd_status fail(const struct fsd_directory *d, const char *one,
                            const char *other, struct fsd_error *err)
{
    return fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                    "expected one build, found both %.100s and %.100s: name the files "
                    "as MODEL ENGINE, or as MODEL,ENGINE[,PROFILE]",
                    fsd_base_name(one), fsd_base_name(other));
}

/* --------------------------------------------------------------------------- links */

/* Whether `collect` made this link. Such a link points to a model, in any folder, and
 * command.json has the hash of this model. Only someone who has the model can compute
 * the hash. */
static bool is_collected(struct fsd_arena *arena, const char *path)
{
    struct fsd_inputs in = {.arena = arena, .names = fsd_op_names_new(arena)};
    const struct fsd_options opt = {.model = path};
    struct fsd_file file;
    bool is = false;

    if (!fsd_file_is_model(path) ||
        fsd_inputs_load_side(&in, &opt, true, NULL) != FSD_OK)
        return false;
    if (fsd_file_open(&file, fsd_path_beside(arena, path, "command.json"),
                      MOST_COMMAND_BYTES, NULL) == FSD_OK)
        is = strstr(fsd_arena_strndup(arena, (const char *)file.bytes, file.size),
                    fsd_printed(arena, "\"%s\"",
                                fsd_hash_word(arena, in.model->hash))) != NULL;
    return fsd_file_done(&file, FSD_OK, NULL) == FSD_OK && is;
}

static enum fsd_status check_link(const struct fsd_directory *d, const char *path,
                                  struct fsd_error *err)
{
    char to[400];

    if (d->follow || !fsd_link_leads_out(path, to, sizeof to) ||
        is_collected(d->arena, path))
        return FSD_OK;
    return fsd_fail(err, FSD_E_ARG, path, FSD_POS_NONE, 0,
                    "expected a file, or a link that stays in its folder, found a link "
                    "to %s (--follow reads it)",
                    to);
}

/* --------------------------------------------------------------------------- files */

/* The sorted names in a directory. Nothing may be allocated while the directory is
 * open, so a first pass counts the names and a second one stores them. Ignores names
 * that appear in between.
 * @return NULL, with errno set, if the directory cannot be opened */
static const char **names_in(const struct fsd_directory *d, size_t *n)
{
    size_t most = 0, room = 0, used = 0;
    const char **names = NULL;
    char *texts = NULL;

    for (int pass = 0; pass < 2; pass++) {
        DIR *open = opendir(d->path);
        const struct dirent *entry;

        if (!open)
            return NULL;
        for (*n = 0; (entry = readdir(open)) && (!names || *n < most);) {
            size_t size = strlen(entry->d_name) + 1;

            if (!names) {
                room += size;
                most++;
            } else if (used + size <= room) {
                names[(*n)++] = memcpy(texts + used, entry->d_name, size);
                used += size;
            }
        }
        closedir(open);
        if (!names) {
            names = FSD_NEW(d->arena, const char *, most + 1);
            texts = FSD_NEW(d->arena, char, room + 1);
        }
    }
    qsort(names, *n, sizeof *names, fsd_by_text);
    return names;
}

static const char *path_of(const struct fsd_directory *d, const char *name)
{
    const char *slash = d->path[strlen(d->path) - 1] == '/' ? "" : "/";

    return fsd_printed(d->arena, "%s%s%s", d->path, slash, name);
}

/* Stores the path of a file by the kind of the file. Ignores serialized plans, weights
 * and other files. */
static enum fsd_status take_file(struct fsd_directory *d, const char *name,
                                 struct fsd_error *err)
{
    const char *path = path_of(d, name), **place;
    enum fsd_file_kind kind;
    struct stat st;

    if (*name == '.' || stat(path, &st) || !S_ISREG(st.st_mode))
        return FSD_OK;
    kind = fsd_file_kind(path);
    if (kind == FSD_FILE_PROFILE) {
        if (d->profiles.n == MOST_PROFILES)
            return fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                            "expected at most %d profiles", MOST_PROFILES);
        fsd_vec_push(d->arena, &d->profiles, path);
        return check_link(d, path, err);
    }
    if (!fsd_file_kind_is_of_build(kind))
        return FSD_OK;
    place = kind == FSD_FILE_ENGINE && fsd_file_is_model(path) ? &d->either
                                                               : &d->files[kind];
    if (*place)
        return fail(d, *place, path, err);
    *place = path;
    return check_link(d, path, err);
}

/* Decides on a file that can be both a model and an engine. It is the model if the
 * directory has no other model and has another engine or a build log. Otherwise it is
 * the engine. */
static enum fsd_status place_either(struct fsd_directory *d, struct fsd_error *err)
{
    bool model = !d->files[FSD_FILE_MODEL] &&
                 (d->files[FSD_FILE_ENGINE] || d->files[FSD_FILE_LOG]);
    const char **place = &d->files[model ? FSD_FILE_MODEL : FSD_FILE_ENGINE];

    if (d->either && *place)
        return fail(d, *place, d->either, err);
    if (d->either)
        *place = d->either;
    return FSD_OK;
}

static enum fsd_status fail_open(const struct fsd_directory *d, struct fsd_error *err)
{
    return fsd_fail(err, FSD_E_IO, d->path, FSD_POS_NONE, 0, "cannot open: %s",
                    strerror(errno));
}

static enum fsd_status read_directory(struct fsd_directory *d, bool needs_engine,
                                      struct fsd_error *err)
{
    size_t n = 0;
    const char **names = names_in(d, &n), **files = d->files;
    enum fsd_status status = FSD_OK;

    if (!names)
        return fail_open(d, err);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], FSD_UNFINISHED))
            return fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                            "expected a complete build, found one that 'fusiondiff "
                            "collect' did not finish: its command failed, was stopped "
                            "or still runs");
    for (size_t i = 0; i < n && status == FSD_OK; i++)
        status = take_file(d, names[i], err);
    FSD_THEN(status, place_either(d, err));
    if (status == FSD_OK && !files[FSD_FILE_ENGINE]) { /* a log is also an engine */
        files[FSD_FILE_ENGINE] = files[FSD_FILE_LOG];
        if (files[FSD_FILE_LOG]) /* the log has all facts of the metadata */
            files[FSD_FILE_METADATA] = NULL;
        files[FSD_FILE_LOG] = NULL;
    }
    if (status == FSD_OK && !files[FSD_FILE_ENGINE] &&
        (needs_engine || !files[FSD_FILE_MODEL]))
        return fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                        "expected a directory with an engine (a layer dump as JSON, "
                        "or a verbose build log), found %s",
                        files[FSD_FILE_MODEL] ? "a model only" : "none");
    return status;
}

/* ------------------------------------------------------------------------- options */

/* If `*place` is NULL and the directory has a file of this kind, sets `*place` to the
 * path of the file, and prints this to `taken`. */
static void place_file(const struct fsd_directory *d, enum fsd_file_kind kind,
                       const char *as, const char **place, FILE *taken)
{
    if (*place || !d->files[kind])
        return;
    *place = d->files[kind];
    fprintf(taken, ", %s as %s", fsd_base_name(*place), as);
}

/* Sets the options, and reports "DIR: took x.onnx as MODEL, y.json as ENGINE, ...". */
static void fill(const struct fsd_directory *d, struct fsd_options *opt)
{
    struct fsd_print print;
    FILE *taken = fsd_print_open(&print);
    const char *text;

    place_file(d, FSD_FILE_MODEL, "MODEL", &opt->model, taken);
    place_file(d, FSD_FILE_ENGINE, "ENGINE", &opt->engine, taken);
    place_file(d, FSD_FILE_LOG, "--log", &opt->log, taken);
    place_file(d, FSD_FILE_METADATA, "--log", &opt->log, taken);
    place_file(d, FSD_FILE_TIMES, "--times", &opt->times, taken);
    if (!opt->n_profiles) {
        opt->profiles = d->profiles.at;
        opt->n_profiles = d->profiles.n;
        for (uint32_t i = 0; i < d->profiles.n; i++)
            fprintf(taken, ", %s as --profile", fsd_base_name(d->profiles.at[i]));
    }
    text = fsd_print_take(&print, d->arena);
    fsd_note(opt, fsd_printed(d->arena, "%s: took%s", d->path, text + (*text == ',')));
}

static enum fsd_status open_directory(struct fsd_directory **out,
                                      struct fsd_options *opt, bool follow,
                                      struct fsd_error *err)
{
    const char *folder = opt->engine ? opt->engine : opt->model;
    struct fsd_directory *d;
    enum fsd_status status;

    if (opt->engine && is_directory(opt->model))
        return fsd_fail(err, FSD_E_ARG, opt->model, FSD_POS_NONE, 0,
                        "expected MODEL and ENGINE, or a directory that holds them, "
                        "found a directory and %.100s",
                        opt->engine);
    if (!is_directory(folder))
        return FSD_OK;
    d = new_directory(folder, follow);
    status = read_directory(d, opt->engine != NULL, err);
    if (status != FSD_OK) {
        fsd_directory_free(d);
        return status;
    }
    *(opt->engine ? &opt->engine : &opt->model) = NULL;
    fill(d, opt);
    *out = d;
    return FSD_OK;
}

enum fsd_status fsd_directory_open(struct fsd_directory **out, struct fsd_options *opt,
                                   bool follow, struct fsd_error *err)
{
    *out = NULL;
    FSD_GUARD(err);
    return open_directory(out, opt, follow, err);
}

void fsd_directory_free(struct fsd_directory *directory)
{
    if (directory)
        fsd_arena_free(directory->arena);
}

/* ----------------------------------------------------------------------- snapshots */

/* A file or a folder in the directory. */
struct entry {
    const char *path;
    enum fsd_file_kind kind;
    bool is_directory;
};

/* All entries whose names do not begin with a dot, sorted by name. Opens each file once
 * to recognize its kind.
 * @return NULL, with errno set, if the directory cannot be opened */
static const struct entry *entries_in(const struct fsd_directory *d, size_t *n)
{
    size_t n_names;
    const char **names = names_in(d, &n_names);
    struct entry *entries;

    *n = 0;
    if (!names)
        return NULL;
    entries = FSD_NEW(d->arena, struct entry, n_names + 1);
    for (size_t i = 0; i < n_names; i++) {
        const char *path = path_of(d, names[i]);

        if (*names[i] != '.')
            entries[(*n)++] =
                (struct entry){path, fsd_file_kind(path), is_directory(path)};
    }
    return entries;
}

static enum fsd_status read_snapshots(struct fsd_directory *d, struct fsd_error *err)
{
    size_t n;
    const struct entry *entries = entries_in(d, &n);
    enum fsd_status status = FSD_OK;

    if (!entries)
        return fail_open(d, err);
    for (size_t i = 0; i < n && status == FSD_OK; i++) {
        if (entries[i].kind != FSD_FILE_SNAPSHOT)
            continue;
        fsd_vec_push(d->arena, &d->snapshots, entries[i].path);
        status = check_link(d, entries[i].path, err);
    }
    if (status == FSD_OK && d->snapshots.n > MOST_SNAPSHOTS)
        status = fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                          "expected at most %d snapshots", MOST_SNAPSHOTS);
    if (status == FSD_OK && !d->snapshots.n)
        status = fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                          "expected a snapshot, or a directory with snapshots, found "
                          "a directory without snapshots");
    return status;
}

enum fsd_status fsd_directory_snapshots(struct fsd_directory **out,
                                        struct fsd_check_options *check, bool follow,
                                        struct fsd_error *err)
{
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    if (!is_directory(check->snapshot))
        return FSD_OK;
    *out = new_directory(check->snapshot, follow);
    status = read_snapshots(*out, err);
    check->snapshots = (*out)->snapshots.at;
    check->n_snapshots = (*out)->snapshots.n;
    return status;
}

/* -------------------------------------------------------------------------- builds */

/* Finds the model of the engines in a directory. If there is a file that is only a
 * model, this file is the model. Otherwise the model is the first file that can be a
 * model or an engine. In this case, the directory must have another file that can be
 * the engine: a log, or an engine that cannot be a model. Sets `*model` to "" if there
 * is no model. */
static enum fsd_status find_model(const struct fsd_directory *d,
                                  const struct entry *entries, size_t n,
                                  const char **model, struct fsd_error *err)
{
    const char *either = "";
    bool others = false;

    *model = "";
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &entries[i];
        bool is_either = e->kind == FSD_FILE_ENGINE && fsd_file_is_model(e->path);

        if (e->kind == FSD_FILE_MODEL && **model)
            return fsd_fail(err, FSD_E_ARG, d->path, FSD_POS_NONE, 0,
                            "expected one model and its engines, or a directory for "
                            "each build, found two models: %.100s and %.100s",
                            fsd_base_name(*model), fsd_base_name(e->path));
        if (e->kind == FSD_FILE_MODEL)
            *model = e->path;
        else if (is_either && !*either)
            either = e->path;
        others |= e->kind == FSD_FILE_LOG || (e->kind == FSD_FILE_ENGINE && !is_either);
    }
    if (!**model && others)
        *model = either;
    return **model ? check_link(d, *model, err) : FSD_OK;
}

static enum fsd_status add_build(struct fsd_directory *d, const char *model,
                                 const char *engine, struct fsd_error *err)
{
    fsd_vec_push(d->arena, &d->builds, ((struct build){model, engine}));
    return check_link(d, *engine ? engine : model, err);
}

static enum fsd_status add_engines(struct fsd_directory *d, const struct entry *entries,
                                   size_t n, struct fsd_error *err)
{
    const char *model;
    enum fsd_status status = find_model(d, entries, n, &model, err);

    for (size_t i = 0; i < n && status == FSD_OK; i++)
        if ((entries[i].kind == FSD_FILE_ENGINE || entries[i].kind == FSD_FILE_LOG) &&
            strcmp(entries[i].path, model) != 0)
            status = add_build(d, model, entries[i].path, err);
    return status;
}

static enum fsd_status read_builds(struct fsd_directory *d, struct fsd_error *err)
{
    size_t n;
    const struct entry *entries = entries_in(d, &n);
    enum fsd_status status = FSD_OK;

    if (!entries)
        return fail_open(d, err);
    for (size_t i = 0; i < n && status == FSD_OK; i++)
        if (entries[i].is_directory || entries[i].kind == FSD_FILE_SNAPSHOT)
            status = add_build(d, entries[i].path, "", err);
    return status == FSD_OK && !d->builds.n ? add_engines(d, entries, n, err) : status;
}

enum fsd_status fsd_directory_builds(struct fsd_directory **out, const char *path,
                                     bool follow, struct fsd_error *err)
{
    *out = NULL;
    FSD_GUARD(err);
    *out = new_directory(path, follow);
    return read_builds(*out, err);
}

bool fsd_directory_build(const struct fsd_directory *d, uint32_t i, const char **model,
                         const char **engine)
{
    if (i >= d->builds.n)
        return false;
    *model = d->builds.at[i].model;
    *engine = d->builds.at[i].engine;
    return true;
}
