/*
 * Finds the files of a build that one word of the command line names. The word is a
 * directory, or MODEL,ENGINE,PROFILE,LOG. ENGINE and PROFILE may be several names with
 * '+' between them. A path may itself contain commas, so the word is split at a comma
 * only if the text before the comma names a file.
 */
#include "cli/cli.h"
#include "host/files.h"

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

/* The length of the first name in `at`. A name may contain commas: in "a,b.onnx,c", the
 * first name is "a,b.onnx" if this is a file but "a" is not. If no text up to a comma
 * or the end is a file, the name ends at the first comma. If `at` begins with a comma,
 * the name is empty. */
static size_t name_length(const char *at)
{
    size_t first = strcspn(at, ","), n = first;

    while (n && at[n] && !is_file(at, n))
        n += 1 + strcspn(at + n + 1, ",");
    return n && is_file(at, n) ? n : first;
}

/* The '+' that ends the first name in "P1+P2": the first '+' directly behind the path
 * of a file, because a name may contain '+'. NULL if there is none, or if the whole
 * text is the path of a file. */
static char *plus_behind(char *name)
{
    char *end = strchr(name, '+');

    while (end && !is_file(name, (size_t)(end - name)))
        end = strchr(end + 1, '+');
    return end && !is_file(name, strlen(name)) ? end : NULL;
}

/* Splits "E1+E2": several engines, each of which computes a part of the model. */
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
            "expected MODEL,ENGINE[,PROFILE[,LOG]], a snapshot, or a directory that "
            "holds MODEL and ENGINE");
    status = split_parts(build, word, err);
    return status == FSD_OK ? split_profiles(build, word, err) : status;
}

/* Returns NULL in place of an empty name: the word leaves this file out. For example,
 * "MODEL,,PROFILE" has no engine. */
static const char *named(const char *name)
{
    return *name ? name : NULL;
}

static enum fsd_status take_build(struct build_word *build, const char *word,
                                  struct fsd_options *run, struct fsd_error *err)
{
    struct fsd_directory *directory = NULL;
    enum fsd_status status;

    run->model = run->log = run->times = NULL; /* `run` is a copy of another build's
                                                  options: removes that build's files */
    run->n_profiles = run->n_parts = 0;
    run->engine = word;
    if (is_directory(word)) {
        status = open_directory(&directory, run, err);
        keep_directory(directory);
        return status;
    }
    memset(build, 0, sizeof *build);
    status = take_words(build, word, err);
    if (status != FSD_OK)
        return status;
    run->model = build->model;
    run->engine = named(build->engine);
    run->log = named(build->log);
    run->parts = build->parts;
    run->n_parts = build->n_parts;
    for (unsigned i = 0; i < build->n_profiles; i++)
        build->profiles[i] = build->profile[i];
    run->profiles = build->profiles;
    run->n_profiles = build->n_profiles;
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
    /* `first` may be an engine and a model at once: a model that ONNX Runtime has
     * optimized. If an engine follows it in `word`, it is the MODEL. */
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

enum fsd_status each_build(const char *folder, build_fn *each, void *payload,
                           struct fsd_error *err)
{
    struct fsd_directory *directory;
    enum fsd_status status = open_builds(&directory, folder, err);
    const char *model, *engine;

    for (uint32_t i = 0;
         status == FSD_OK && fsd_directory_build(directory, i, &model, &engine); i++)
        status = each(payload, model, engine, err);
    fsd_directory_free(directory);
    return status;
}

/* The builds of a comparison so far. Of `builds`, the first `n` are in use. */
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

struct build_word *new_build_words(unsigned n)
{
    static struct build_word *kept;

    free(kept);
    kept = must(calloc(n, sizeof *kept));
    return kept;
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
        return FSD_OK; /* the snapshot has several builds */
    if (status == FSD_OK && *n_runs < 2)
        return fail_file(err, FSD_E_ARG, n == 1 ? words[0] : NULL,
                         "expected two builds or more, found %s",
                         *n_runs ? "one" : "none");
    return status;
}
