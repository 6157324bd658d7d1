#include "cli/build_word.h"
#include "cli/target.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------- directory */

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);

    return n > m && !strcmp(name + n - m, ending);
}

/* A file in a build's directory: its engine is recognised by content later, its profile
 * has to say so in its name. */
static enum fsd_status take_file(struct build_word *build, const char *word,
                                 const char *name, struct fsd_error *err)
{
    char *place = NULL;
    int n;

    if (ends_in(name, ".onnx"))
        place = build->model;
    else if (ends_in(name, ".json") && !strstr(name, "times"))
        place = strstr(name, "prof") ? build->profile : build->engine;
    if (!place || *name == '.')
        return FSD_OK;
    if (*place)
        return fail_file(
            err, FSD_E_ARG, word,
            "expected one build, found both %.100s and %.100s: name the files "
            "as MODEL,ENGINE[,PROFILE]",
            strrchr(place, '/') + 1, name);
    n = snprintf(place, sizeof build->model, "%s%s%s", word,
                 ends_in(word, "/") ? "" : "/", name);
    if (n < 0 || (size_t)n >= sizeof build->model)
        return fail_file(err, FSD_E_ARG, word, "the path is too long");
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
    if (status == FSD_OK && (!*build->model || !*build->engine))
        return fail_file(
            err, FSD_E_ARG, word,
            "expected a model (*.onnx) and an engine (*.json) in it, found %s",
            *build->model    ? "no engine"
            : *build->engine ? "no model"
                             : "neither");
    return status;
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
    char *const place[] = {build->model, build->engine, build->profile, build->log};
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
    struct stat st;
    enum fsd_status status;

    memset(build, 0, sizeof *build);
    if (!stat(word, &st) && S_ISDIR(st.st_mode))
        status = take_directory(build, word, err);
    else
        status = take_words(build, word, err);
    if (status != FSD_OK)
        return status;
    run->model = build->model;
    run->engine = *build->engine ? build->engine : NULL; /* a snapshot, or a log */
    run->log = *build->log ? build->log : NULL;
    build->profiles[0] = build->profile;
    run->profiles = build->profiles;
    run->n_profiles = *build->profile ? 1 : 0;
    return FSD_OK;
}
