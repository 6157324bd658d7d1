/* fusiondiff routes [MODEL] [CACHE] BUILD...: compares builds of one network with
 * different options. The contents of a file determine whether it is MODEL, CACHE or
 * BUILD. */
#include "cli/cli.h"

enum { MOST_ROUTES = 128 };

static const char doc[] =
    "Explains builds of one network with several sets of options: how each option "
    "(\"knob\") changes fusions, precisions, data movement and time, which set of "
    "options (\"route\") is the fastest, and which knobs of this route suffice for its "
    "speed.\vCACHE is a "
    "file that trtexec --tuningCacheFile wrote; \"iter3\" in the name of a build, or "
    "--setBuildRoute in its log, assigns the build to an iteration of CACHE.  Without "
    "CACHE, the knobs of a build "
    "are the options, the version and the GPU in its log, and each knob=value in its "
    "name, e.g. opt=3,tf32=off.log.  BUILD is MODEL,ENGINE[,PROFILE[,LOG]], a "
    "snapshot or a directory of builds; if you pass MODEL, BUILD can also be "
    "ENGINE alone.\n\n"
    "Each statement on a "
    "knob compares two builds that differ only in this knob.  Times are compared "
    "only if they were measured in the same way; the report names the builds whose "
    "times are not compared.\n\nExit status: 0: success; 2: an error.";

static void check_line(struct command_line *line)
{
    if (!line->query.n_words)
        usage_error("expected CACHE, or BUILDs");
}

/* The builds so far. */
struct taken {
    struct build_word *words;
    struct fsd_options *runs;
    const struct fsd_options *like;
    const char *model, *cache; /* NULL: none yet */
    unsigned n;
};

static enum fsd_status take_one(struct taken *t, const char *word,
                                struct fsd_error *err)
{
    enum fsd_status status;

    if (t->n == MOST_ROUTES)
        return fail_file(err, FSD_E_ARG, word, "expected at most %d builds, found more",
                         MOST_ROUTES);
    t->runs[t->n] = *t->like;
    t->n++;
    status = take_also(&t->words[t->n - 1], word, t->model, &t->runs[t->n - 1], err);
    if (!t->runs[t->n - 1].model) /* a directory may have an engine but no model */
        t->runs[t->n - 1].model = t->model;
    return status;
}

static enum fsd_status count_found(void *payload, const char *model, const char *engine,
                                   struct fsd_error *err)
{
    unsigned *n = payload;

    (void)model;
    (void)err;
    *n += *engine ? 1 : 2; /* an empty `engine`: the entry is a folder or a snapshot.
                              It counts as two, so that holds_builds() is true even
                              if the directory has no other entry */
    return FSD_OK;
}

/* Whether the word is a directory of several builds. A directory with one engine is a
 * single build. */
static bool holds_builds(const char *word)
{
    struct fsd_error ignored;
    unsigned n = 0;

    return is_directory(word) &&
           each_build(word, count_found, &n, &ignored) == FSD_OK && n > 1;
}

static enum fsd_status take_found(void *payload, const char *model, const char *engine,
                                  struct fsd_error *err)
{
    char word[8300];

    snprintf(word, sizeof word, "%s%s%s", model, *model && *engine ? "," : "", engine);
    return take_one(payload, word, err);
}

static enum fsd_status take_word(struct taken *t, const char *word,
                                 struct fsd_error *err)
{
    enum fsd_file_kind kind = fsd_file_kind(word);

    if (kind == FSD_FILE_TUNING && t->cache)
        return fail_file(err, FSD_E_ARG, word,
                         "expected one tuning cache, found this second cache after %s",
                         t->cache);
    if (kind == FSD_FILE_TUNING)
        t->cache = word;
    else if (kind == FSD_FILE_MODEL)
        t->model = word;
    else if (holds_builds(word))
        return each_build(word, take_found, t, err);
    else
        return take_one(t, word, err);
    return FSD_OK;
}

static enum fsd_status print_routes(const void *payload, const struct sink *to)
{
    return fsd_routing_write(payload, to->format, to->style, to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct build_word *words = new_build_words(MOST_ROUTES);
    static struct fsd_options runs[MOST_ROUTES + 1];
    struct taken taken = {words, runs, &line->run, NULL, NULL, 0};
    struct fsd_routing *routing = NULL;
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < line->query.n_words && status == FSD_OK; i++)
        status = take_word(&taken, line->words[i], err);
    runs[taken.n] = (struct fsd_options){.engine = taken.cache};
    if (status == FSD_OK)
        status = check_outputs(line, runs, taken.n + 1, err);
    if (status == FSD_OK)
        status = fsd_routing_open(&routing, taken.cache, runs, taken.n, err);
    if (status == FSD_OK)
        status = write_outputs(line, print_routes, routing, err);
    fsd_routing_free(routing);
    return status;
}

const struct verb verb_routes = {
    "routes",
    "[MODEL] [CACHE] BUILD...",
    "compare builds with different options, and explain the differences",
    doc,
    {"model.onnx tuning.jsonl iterations/",
     "model.onnx opt=0.log opt=3.log opt=3,tf32=off.log"},
    .most_words = MOST_WORDS,
    .check = check_line,
    .run = run,
    .two_builds = true,
    .subject = FSD_OF_ROUTES};
