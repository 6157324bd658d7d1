#include "cli/build_word.h"
#include "cli/progress.h"
#include "cli/target.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------- directory */

/* A file in a build's directory, which is recognised by its content.  A serialized
 * plan, weights and the rest are nobody's. */
static enum fsd_status take_file(struct build_word *build, const char *word,
                                 const char *name, struct fsd_error *err)
{
    char path[sizeof build->model], *place;
    struct stat st;
    int n = snprintf(path, sizeof path, "%s%s%s", word,
                     word[strlen(word) - 1] == '/' ? "" : "/", name);

    if (n < 0 || (size_t)n >= sizeof path)
        return fail_file(err, FSD_E_ARG, word, "the path is too long");
    if (*name == '.' || stat(path, &st) || !S_ISREG(st.st_mode))
        return FSD_OK;
    switch (fsd_file_kind(path)) {
    case FSD_FILE_MODEL:
        place = build->model;
        break;
    case FSD_FILE_ENGINE:
        place = build->engine;
        break;
    case FSD_FILE_LOG:
        place = build->log;
        break;
    case FSD_FILE_TIMES:
        place = build->times;
        break;
    case FSD_FILE_PROFILE:
        if (build->n_profiles == MOST_OUTPUTS)
            return fail_file(err, FSD_E_ARG, word, "expected at most %d profiles",
                             MOST_OUTPUTS);
        place = build->profile[build->n_profiles++];
        break;
    case FSD_FILE_SNAPSHOT:
    case FSD_FILE_OTHER:
    default:
        return FSD_OK;
    }
    if (*place)
        return fail_file(
            err, FSD_E_ARG, word,
            "expected one build, found both %.100s and %.100s: name the files "
            "as MODEL ENGINE, or as MODEL,ENGINE[,PROFILE]",
            strrchr(place, '/') + 1, name);
    memcpy(place, path, (size_t)n + 1);
    return FSD_OK;
}

static enum fsd_status take_directory(struct build_word *build, const char *word,
                                      struct fsd_error *err)
{
    struct dirent **names;
    int n = scandir(word, &names, NULL, alphasort);
    enum fsd_status status = FSD_OK;

    if (n < 0)
        return fail_file(err, FSD_E_IO, word, "cannot open: %s", strerror(errno));
    for (int i = 0; i < n; i++) {
        if (status == FSD_OK)
            status = take_file(build, word, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    if (status == FSD_OK && !*build->engine) { /* a log is an engine as well */
        memcpy(build->engine, build->log, sizeof build->log);
        *build->log = '\0';
    }
    if (status == FSD_OK && !*build->engine)
        return fail_file(err, FSD_E_ARG, word,
                         "expected an engine's layers in it, JSON or a verbose build "
                         "log, found %s",
                         *build->model ? "a model only" : "none");
    return status;
}

static bool is_directory(const char *path)
{
    struct stat st;

    return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* "x.onnx as MODEL, y.json as ENGINE, ...", without their folder. */
static void tell_taken(const struct build_word *build, const char *folder)
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
                                     used > begin ? ", " : "",
                                     strrchr(path, '/') + 1,
                                     profile ? "--profile" : files[i].as);
    }
    print_note(NULL, text);
}

/* What options say stays. */
static void fill_run(struct build_word *build, struct fsd_options *run)
{
    run->model = *build->model ? build->model : NULL;
    run->engine = *build->engine ? build->engine : NULL;
    if (!run->log && *build->log)
        run->log = build->log;
    if (!run->times && *build->times)
        run->times = build->times;
    for (unsigned i = 0; i < build->n_profiles; i++)
        build->profiles[i] = build->profile[i];
    if (!run->n_profiles) {
        run->profiles = build->profiles;
        run->n_profiles = build->n_profiles;
    }
}

enum fsd_status take_folder(struct build_word *build, struct fsd_options *run,
                            struct fsd_error *err)
{
    const char *folder = run->engine;
    enum fsd_status status;

    if (is_directory(run->model))
        return fail_file(err, FSD_E_ARG, run->model,
                         "expected MODEL and ENGINE, or a directory that holds them, "
                         "found a directory and %.100s",
                         run->engine ? run->engine : "nothing");
    if (run->model || !is_directory(folder))
        return FSD_OK;
    memset(build, 0, sizeof *build);
    status = take_directory(build, folder, err);
    if (status != FSD_OK)
        return status;
    fill_run(build, run);
    tell_taken(build, folder);
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

static enum fsd_status take_words(struct build_word *build, const char *word,
                                  struct fsd_error *err)
{
    char *const place[] = {build->model, build->engine, build->profile[0], build->log};
    const char *at = word;

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
    return FSD_OK;
}

enum fsd_status take_build(struct build_word *build, const char *word,
                           struct fsd_options *run, struct fsd_error *err)
{
    bool directory = is_directory(word);
    enum fsd_status status;

    memset(build, 0, sizeof *build);
    status = directory ? take_directory(build, word, err) : take_words(build, word, err);
    if (status != FSD_OK)
        return status;
    build->n_profiles += !directory && *build->profile[0];
    run->log = run->times = NULL; /* of the other build */
    run->n_profiles = 0;
    fill_run(build, run);
    if (directory)
        tell_taken(build, word);
    return FSD_OK;
}
