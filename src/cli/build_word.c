/*
 * Turns one word of the command line into the files of a build: a directory, whose
 * files are recognised by content and not by name, or MODEL,ENGINE,PROFILE,LOG with
 * commas, ENGINE and PROFILE each being several with '+' between them.  A path may
 * contain commas itself, so a word is split at a comma only where the part before it is
 * a file.  Two files of the same kind in a directory are an error, since a silent
 * choice could compare the wrong build.
 */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------- directory */

static enum fsd_status fail_two(struct fsd_error *err, const char *word,
                                const char *one, const char *other)
{
    return fail_file(err, FSD_E_ARG, word,
                     "expected one build, found both %.100s and %.100s: name the files "
                     "as MODEL ENGINE, or as MODEL,ENGINE[,PROFILE]",
                     strrchr(one, '/') + 1, strrchr(other, '/') + 1);
}

/* A file in a build's directory, which is recognized by its content.  A serialized
 * plan, weights and other files are ignored.
 * @param either a model that may be an engine, too.  ONNX Runtime's quantizer
 *         imports the operator sets by which a model that the runtime has optimized is
 *         recognized. */
static enum fsd_status take_file(struct build_word *build, char *either,
                                 const char *word, const char *name,
                                 struct fsd_error *err)
{
    /* Of other kinds a build has no file, or several. */
    char *const places[FSD__FILE_KIND_COUNT] = {[FSD_FILE_MODEL] = build->model,
                                                [FSD_FILE_ENGINE] = build->engine,
                                                [FSD_FILE_LOG] = build->log,
                                                [FSD_FILE_TIMES] = build->times};
    char path[sizeof build->model], *place;
    enum fsd_file_kind kind;
    struct stat st;
    int n = snprintf(path, sizeof path, "%s%s%s", word,
                     word[strlen(word) - 1] == '/' ? "" : "/", name);

    if (n < 0 || (size_t)n >= sizeof path)
        return fail_file(err, FSD_E_ARG, word, "the path is too long");
    if (*name == '.' || stat(path, &st) || !S_ISREG(st.st_mode))
        return FSD_OK;
    kind = fsd_file_kind(path);
    if (kind == FSD_FILE_PROFILE && build->n_profiles == MOST_OUTPUTS)
        return fail_file(err, FSD_E_ARG, word, "expected at most %d profiles",
                         MOST_OUTPUTS);
    if (kind == FSD_FILE_PROFILE)
        place = build->profile[build->n_profiles++];
    else if (kind == FSD_FILE_ENGINE && fsd_file_is_model(path))
        place = either;
    else
        place = places[kind];
    if (!place)
        return FSD_OK;
    if (*place)
        return fail_two(err, word, place, path);
    memcpy(place, path, (size_t)n + 1);
    return place == build->model ? check_model_entry(path, err)
                                 : check_entry(path, err);
}

/* What is a model and an engine is the model where no other file is, and another engine
 * or a build's log lies beside it. */
static enum fsd_status place_either(struct build_word *build, const char *either,
                                    const char *word, struct fsd_error *err)
{
    bool model = !*build->model && (*build->engine || *build->log);
    char *place = model ? build->model : build->engine;

    if (*either && *place)
        return fail_two(err, word, place, either);
    if (*either)
        memcpy(place, either, strlen(either) + 1);
    return FSD_OK;
}

/* @param engine  it must hold one. */
static enum fsd_status take_directory(struct build_word *build, const char *word,
                                      bool engine, struct fsd_error *err)
{
    struct dirent **names;
    int n = scandir(word, &names, NULL, alphasort);
    enum fsd_status status = FSD_OK;
    char either[sizeof build->model] = "";

    if (n < 0)
        return fail_file(err, FSD_E_IO, word, "cannot open: %s", strerror(errno));
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i]->d_name, FSD_UNFINISHED))
            status =
                fail_file(err, FSD_E_ARG, word,
                          "expected a complete build, found one that 'fusiondiff "
                          "collect' did not finish: its command failed, was stopped or "
                          "still runs");
    for (int i = 0; i < n; i++) {
        if (status == FSD_OK)
            status = take_file(build, either, word, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    if (status == FSD_OK)
        status = place_either(build, either, word, err);
    if (status == FSD_OK && !*build->engine) { /* a log is an engine as well */
        memcpy(build->engine, build->log, sizeof build->log);
        *build->log = '\0';
    }
    if (status == FSD_OK && !*build->engine && (engine || !*build->model))
        return fail_file(err, FSD_E_ARG, word,
                         "expected an engine in it (a layer dump as JSON, or a verbose "
                         "build log), found %s",
                         *build->model ? "a model only" : "none");
    return status;
}

/* "x.onnx as MODEL, y.json as ENGINE, ...", without their folder. */
static void report_taken(const struct build_word *build, const char *folder,
                         const struct fsd_options *run)
{
    const struct {
        const char *path, *as;
    } files[] = {{build->model, "MODEL"},
                 {build->engine, "ENGINE"},
                 {build->log, "--log"},
                 {build->times, "--times"}};
    char text[4096];
    size_t begin = (size_t)snprintf(text, sizeof text, "%.1000s: took ", folder),
           used = begin;

    for (size_t i = 0; i < sizeof files / sizeof *files + build->n_profiles; i++) {
        bool profile = i >= sizeof files / sizeof *files;
        const char *path =
            profile ? build->profile[i - sizeof files / sizeof *files] : files[i].path;

        if (*path && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s as %s",
                                     used > begin ? ", " : "", strrchr(path, '/') + 1,
                                     profile ? "--profile" : files[i].as);
    }
    if (run->note)
        run->note(run->payload, text);
}

/* The user's own file; without one, that of the directory. */
static const char *own_or_found(const char *own, char *found)
{
    if (own)
        *found = '\0';
    return own ? own : *found ? found : NULL;
}

/* What options and a MODEL beside the directory say stays. */
static void fill_run(struct build_word *build, struct fsd_options *run,
                     const char *model)
{
    run->model = own_or_found(model, build->model);
    run->engine = own_or_found(NULL, build->engine);
    run->log = own_or_found(run->log, build->log);
    run->times = own_or_found(run->times, build->times);
    if (build->n_parts) {
        run->parts = build->parts;
        run->n_parts = build->n_parts;
    }
    if (run->n_profiles)
        build->n_profiles = 0;
    for (unsigned i = 0; i < build->n_profiles; i++)
        build->profiles[i] = build->profile[i];
    if (build->n_profiles) {
        run->profiles = build->profiles;
        run->n_profiles = build->n_profiles;
    }
}

enum fsd_status take_folder(struct build_word *build, struct fsd_options *run,
                            struct fsd_error *err)
{
    bool lone = run->model && !run->engine; /* of verbs that need no engine */
    const char *folder = lone ? run->model : run->engine;
    enum fsd_status status;

    if (!lone && is_directory(run->model))
        return fail_file(err, FSD_E_ARG, run->model,
                         "expected MODEL and ENGINE, or a directory that holds them, "
                         "found a directory and %.100s",
                         run->engine ? run->engine : "nothing");
    if (!is_directory(folder))
        return FSD_OK;
    memset(build, 0, sizeof *build);
    status = take_directory(build, folder, !lone, err);
    if (status != FSD_OK)
        return status;
    fill_run(build, run, lone ? NULL : run->model);
    report_taken(build, folder, run);
    return FSD_OK;
}

/* ------------------------------------------------------------------------ words */

static bool is_file(const char *word, size_t n)
{
    char name[sizeof((struct build_word *)NULL)->model];
    struct stat st;

    if (n >= sizeof name)
        return false;
    memcpy(name, word, n);
    name[n] = '\0';
    return !stat(name, &st) && !S_ISDIR(st.st_mode);
}

/* The first name: up to the first comma that ends one of a file, as names may have
 * commas of their own; else up to the first comma. */
static size_t name_length(const char *at)
{
    size_t first = strcspn(at, ","), n = first;

    while (n && at[n] && !is_file(at, n))
        n += 1 + strcspn(at + n + 1, ",");
    return n && is_file(at, n) ? n : first;
}

/* Of "P1+P2" the '+' that ends the name of a file; NULL: all is one name. */
static char *plus_behind(char *name)
{
    char *end = strchr(name, '+');

    while (end && !is_file(name, (size_t)(end - name)))
        end = strchr(end + 1, '+');
    return end && !is_file(name, strlen(name)) ? end : NULL;
}

/* "E1+E2": engines that compute a part of the model each. */
static enum fsd_status split_parts(struct build_word *build, const char *word,
                                   struct fsd_error *err)
{
    char *name = build->engine, *end = plus_behind(name);

    while (end) {
        if (build->n_parts == MOST_OUTPUTS - 1)
            return fail_file(err, FSD_E_ARG, word, "expected at most %d engines",
                             MOST_OUTPUTS);
        build->parts[build->n_parts++] = name;
        *end = '\0';
        name = end + 1;
        end = plus_behind(name);
    }
    if (build->n_parts)
        build->parts[build->n_parts++] = name;
    return check_parts(build->parts, build->n_parts, err);
}

static enum fsd_status split_profiles(struct build_word *build, const char *word,
                                      struct fsd_error *err)
{
    while (*build->profile[build->n_profiles]) {
        char *name = build->profile[build->n_profiles++], *end = plus_behind(name);

        if (!end)
            break;
        if (build->n_profiles == MOST_OUTPUTS)
            return fail_file(err, FSD_E_ARG, word, "expected at most %d profiles",
                             MOST_OUTPUTS);
        memcpy(build->profile[build->n_profiles], end + 1, strlen(end + 1) + 1);
        *end = '\0';
    }
    return FSD_OK;
}

static enum fsd_status take_words(struct build_word *build, const char *word,
                                  struct fsd_error *err)
{
    char *const place[] = {build->model, build->engine, build->profile[0], build->log};
    const char *at = word;
    enum fsd_status status;

    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        size_t n = name_length(at);

        if (n >= sizeof build->model)
            return fail_file(err, FSD_E_ARG, word, "the path is too long");
        memcpy(place[i], at, n);
        place[i][n] = '\0';
        at += n;
        if (!*at)
            break;
        at++;
    }
    if (*at)
        return fail_file(err, FSD_E_ARG, word,
                         "expected MODEL,ENGINE[,PROFILE[,LOG]], found a fifth file");
    if (!*build->model)
        return fail_file(
            err, FSD_E_ARG, word,
            "expected MODEL,ENGINE[,PROFILE[,LOG]], a snapshot or a directory "
            "that holds "
            "them");
    status = split_parts(build, word, err);
    return status == FSD_OK ? split_profiles(build, word, err) : status;
}

static enum fsd_status take_build(struct build_word *build, const char *word,
                                  struct fsd_options *run, struct fsd_error *err)
{
    bool directory = is_directory(word);
    enum fsd_status status;

    memset(build, 0, sizeof *build);
    status = directory ? take_directory(build, word, true, err)
                       : take_words(build, word, err);
    if (status != FSD_OK)
        return status;
    run->log = run->times = NULL; /* of the other build */
    run->n_profiles = run->n_parts = 0;
    fill_run(build, run, NULL);
    if (directory)
        report_taken(build, word, run);
    return FSD_OK;
}

static bool is_engine_kind(enum fsd_file_kind kind)
{
    return kind == FSD_FILE_ENGINE || kind == FSD_FILE_LOG;
}

enum fsd_status take_also(struct build_word *build, const char *word, const char *model,
                          struct fsd_options *run, struct fsd_error *err)
{
    char first[4096], all[3 * 4096];
    size_t n = name_length(word);
    enum fsd_file_kind kind;

    snprintf(first, sizeof first, "%.*s", (int)n, word);
    kind = is_directory(word) ? FSD_FILE_OTHER : fsd_file_kind(first);
    if (!model || !is_engine_kind(kind))
        return take_build(build, word, run, err);
    /* A model that ONNX Runtime optimized is an engine, too: what follows decides. */
    if (word[n] && fsd_file_is_model(first)) {
        snprintf(first, sizeof first, "%.*s", (int)name_length(word + n + 1),
                 word + n + 1);
        if (is_engine_kind(fsd_file_kind(first)))
            return take_build(build, word, run, err);
    }
    if (snprintf(all, sizeof all, "%s,%s", model, word) >= (int)sizeof all)
        return fail_file(err, FSD_E_ARG, word, "the path is too long");
    return take_build(build, all, run, err);
}

/* ------------------------------------------------------------ a directory of builds */

struct folder {
    const char *path;
    struct dirent **names;
    int n;
};

static enum fsd_status open_folder(struct folder *f, const char *path,
                                   struct fsd_error *err)
{
    *f = (struct folder){.path = path};
    f->n = scandir(path, &f->names, NULL, alphasort);
    return f->n >= 0
               ? FSD_OK
               : fail_file(err, FSD_E_IO, path, "cannot open: %s", strerror(errno));
}

static void close_folder(struct folder *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->names[i]);
    free(f->names);
}

static const char *path_in(const struct folder *f, int i, char path[4096])
{
    int n =
        snprintf(path, 4096, "%s%s%s", f->path,
                 f->path[strlen(f->path) - 1] == '/' ? "" : "/", f->names[i]->d_name);

    return *f->names[i]->d_name == '.' || n >= 4096 ? NULL : path;
}

/* The model of a directory's engines: where there is none, the one file that is an
 * engine, too. */
static enum fsd_status find_model(const struct folder *f, char model[4096],
                                  struct fsd_error *err)
{
    char path[4096], either[4096] = "";
    int others = 0;

    for (int i = 0; i < f->n; i++) {
        enum fsd_file_kind kind =
            path_in(f, i, path) ? fsd_file_kind(path) : FSD_FILE_OTHER;

        if (kind == FSD_FILE_MODEL && *model)
            return fail_file(err, FSD_E_ARG, f->path,
                             "expected one model and its engines, or a directory "
                             "for each build, found two models: %.100s and %.100s",
                             strrchr(model, '/') + 1, f->names[i]->d_name);
        if (kind == FSD_FILE_MODEL)
            memcpy(model, path, sizeof path);
        else if (kind == FSD_FILE_ENGINE && !*either && fsd_file_is_model(path))
            memcpy(either, path, sizeof path);
        else
            others += kind == FSD_FILE_LOG ||
                      (kind == FSD_FILE_ENGINE && !fsd_file_is_model(path));
    }
    if (!*model && others)
        memcpy(model, either, sizeof either);
    return *model ? check_model_entry(model, err) : FSD_OK;
}

static enum fsd_status each_engine(const struct folder *f, build_fn *each,
                                   void *payload, struct fsd_error *err)
{
    char path[4096], model[4096] = "";
    enum fsd_status status = find_model(f, model, err);

    for (int i = 0; i < f->n && status == FSD_OK; i++) {
        enum fsd_file_kind kind =
            path_in(f, i, path) ? fsd_file_kind(path) : FSD_FILE_OTHER;
        bool engine = (kind == FSD_FILE_ENGINE || kind == FSD_FILE_LOG) &&
                      strcmp(path, model) != 0;

        if (engine)
            status = check_entry(path, err);
        if (engine && status == FSD_OK)
            status = each(payload, model, path, err);
    }
    return status;
}

enum fsd_status each_build(const char *folder, build_fn *each, void *payload,
                           struct fsd_error *err)
{
    struct folder f;
    enum fsd_status status = open_folder(&f, folder, err);
    bool any = false;
    char path[4096];

    for (int i = 0; i < f.n && status == FSD_OK; i++)
        if (path_in(&f, i, path) &&
            (is_directory(path) || fsd_file_kind(path) == FSD_FILE_SNAPSHOT)) {
            status = check_entry(path, err);
            if (status == FSD_OK)
                status = each(payload, path, "", err);
            any = true;
        }
    if (!any && status == FSD_OK)
        status = each_engine(&f, each, payload, err);
    close_folder(&f);
    return status;
}

/* The builds of a comparison, of which the first `n` words were taken. */
struct taken {
    struct build_word *builds;
    const struct fsd_options *like;
    struct fsd_options *runs;
    unsigned most, n;
};

static enum fsd_status take_next(struct taken *t, const char *word,
                                 struct fsd_error *err)
{
    if (t->n == t->most)
        return fail_file(err, FSD_E_ARG, word, "expected at most %u builds, found more",
                         t->most);
    t->runs[t->n] = *t->like;
    t->n++;
    return take_build(&t->builds[t->n - 1], word, &t->runs[t->n - 1], err);
}

static enum fsd_status take_found(void *payload, const char *model, const char *engine,
                                  struct fsd_error *err)
{
    char word[8300];

    snprintf(word, sizeof word, "%s%s%s", model, *model && *engine ? "," : "", engine);
    return take_next(payload, word, err);
}

enum fsd_status take_builds(struct build_word *builds, const char *const *words,
                            unsigned n, const struct fsd_options *like,
                            struct fsd_options *runs, unsigned most, unsigned *n_runs,
                            struct fsd_error *err)
{
    struct taken taken = {builds, like, runs, most, 0};
    enum fsd_status status = FSD_OK;

    if (n == 1 && is_directory(words[0])) {
        status = each_build(words[0], take_found, &taken, err);
    } else {
        for (unsigned i = 0; i < n && status == FSD_OK; i++)
            status = take_next(&taken, words[i], err);
    }
    *n_runs = taken.n;
    if (status == FSD_OK && *n_runs == 1 && runs[0].model &&
        fsd_snapshot_builds(runs[0].model) > 1)
        return FSD_OK; /* which brings the others along */
    if (status == FSD_OK && *n_runs < 2)
        return fail_file(err, FSD_E_ARG, n == 1 ? words[0] : NULL,
                         "expected two builds or more, found %s",
                         *n_runs ? "one" : "none in it");
    return status;
}

enum fsd_status take_snapshots(struct snapshots_word *out,
                               struct fsd_check_options *check, struct fsd_error *err)
{
    const unsigned most = sizeof out->paths / sizeof *out->paths;
    struct folder f;
    enum fsd_status status;

    if (!is_directory(check->snapshot))
        return FSD_OK;
    status = open_folder(&f, check->snapshot, err);
    for (int i = 0; i < f.n && status == FSD_OK; i++) {
        char path[4096];

        if (!path_in(&f, i, path) || fsd_file_kind(path) != FSD_FILE_SNAPSHOT)
            continue;
        status = check_entry(path, err);
        if (status != FSD_OK)
            break;
        if (check->n_snapshots == most) {
            status = fail_file(err, FSD_E_ARG, f.path, "expected at most %u snapshots",
                               most);
            break;
        }
        memcpy(out->path[check->n_snapshots], path, sizeof path);
        out->paths[check->n_snapshots] = out->path[check->n_snapshots];
        check->n_snapshots++;
    }
    close_folder(&f);
    check->snapshots = out->paths;
    if (status == FSD_OK && !check->n_snapshots)
        status = fail_file(err, FSD_E_ARG, check->snapshot,
                           "expected a snapshot, or a directory that holds some, found "
                           "a directory without any");
    return status;
}
