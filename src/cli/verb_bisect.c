/*
 * fusiondiff bisect: searches for the fusion that makes an engine wrong, in the way of
 * git bisect.
 *
 *     start MODEL ENGINE, next, good|bad|skip [NEW_ENGINE],
 *     result COMPARISON [NEW_ENGINE], run CMD, log, reset
 *
 * The state is one file, which is always replaced as a whole. No matter how the program
 * or CMD ends, the search can therefore continue from its last result. Standard input
 * and output of CMD are files, so that CMD cannot block the program. The model for CMD
 * is a temporary file with a new name, which is removed after CMD (host/ends.c).
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>

enum { LONG_OUTPUT = 1 << 20, SKIPPED = 125, STOPPED = 128, MOST_RUNS = 100 };

static const char usual_state[] = ".fusiondiff-bisect";

static const struct option_row options[] = {
    {"confirm", "N",
     "With bisect run: run CMD N times for each build, and stop the search if the runs "
     "disagree",
     NUMBER(bisect.confirm, 1, MOST_RUNS, "1 to 100 runs")},
    {"values", "GOOD",
     "With bisect run: file with the correct outputs of the network. bisect compares "
     "the outputs of each build with this file, and only this comparison decides "
     "whether the build is good or bad",
     INPUT(bisect.values)},
    {"limit", "ERROR",
     "With --values: largest relative L2 error of a correct output (default: 0.01)",
     AMOUNT(run.values_limit, ABOVE_0, 1e9, "a number above 0")},
    {"state", "FILE",
     "File that keeps the state of the search (default: .fusiondiff-bisect)",
     WORD(bisect.state)},
    {0},
};

/* The model to write. */
struct built {
    const struct fsd_bisection *search;
    bool inlined;
};

/* ----------------------------------------------------------------- the file */

static enum fsd_status print_state(const void *payload, const struct sink *to)
{
    return fsd_bisection_save(payload, to->out, to->err);
}

static enum fsd_status save(const struct command_line *line,
                            const struct fsd_bisection *search, struct fsd_error *err)
{
    struct command_line to = *line;

    to.outputs[0] = (struct output){.path = line->bisect.state, .updates = true};
    to.n_outputs = 1;
    to.quiet = true;
    return write_outputs(&to, print_state, search, err);
}

static enum fsd_status read_search(const struct command_line *line,
                                   struct fsd_bisection **out, struct fsd_error *err)
{
    if (!access(line->bisect.state, F_OK) || errno != ENOENT)
        return fsd_bisection_read(out, line->bisect.state, &line->run, err);
    *out = NULL;
    return fail_file(
        err, FSD_E_ARG, line->bisect.state,
        "there is no search: begin a search with bisect start MODEL ENGINE");
}

static enum fsd_status print_model(const void *payload, const struct sink *to)
{
    const struct built *built = payload;

    return fsd_bisection_model(built->search, built->inlined, to->out, to->err);
}

/* Writes the model for the next build. If `path` is in another folder than the original
 * model, weights from external files are copied into the new model.
 * @param own whether `path` is a temporary file of this run. Such a file is refused
 *         only if it is an input that the user named: it may have the inode number of
 *         another input, which CMD has removed */
static enum fsd_status write_model(const struct command_line *line,
                                   const struct fsd_bisection *search, const char *path,
                                   bool own, struct fsd_error *err)
{
    const char *model = fsd_bisection_path(search);
    struct built built = {search,
                          !is_same_folder(model, path) && fsd_file_has_external(model)};
    struct command_line to = *line;

    to.outputs[0] = (struct output){.path = path, .updates = own};
    to.n_outputs = 1;
    to.quiet = true;
    return write_outputs(&to, print_model, &built, err);
}

/* ----------------------------------------------------------------- the words */

static const char usage[] =
    "expected bisect start MODEL ENGINE, or the directory of a build";

static enum fsd_status start(struct command_line *line, FILE *out,
                             struct fsd_error *err)
{
    struct fsd_bisection *search = NULL;
    struct fsd_directory *directory = NULL;
    unsigned n = line->query.n_words;
    enum fsd_status status;

    if (n != 2 && n != 3)
        return fail_file(err, FSD_E_ARG, NULL, usage);
    if (!access(line->bisect.state, F_OK))
        return fail_file(err, FSD_E_ARG, line->bisect.state,
                         "a search has begun: continue with bisect next, or end it "
                         "with bisect reset");
    line->run.model = n == 3 ? line->words[1] : NULL;
    line->run.engine = line->words[n - 1];
    status = open_directory(&directory, &line->run, err);
    if (status == FSD_OK && !line->run.model)
        status = fail_file(err, FSD_E_ARG, NULL, usage);
    if (status == FSD_OK)
        status = fsd_bisection_open(&search, &line->run, err);
    if (status == FSD_OK)
        status = save(line, search, err);
    if (status == FSD_OK)
        status = fsd_bisection_next(search, out, err);
    fsd_bisection_free(search);
    fsd_directory_free(directory);
    return status;
}

/* Sets the files of a new build from "ENGINE" or "MODEL,ENGINE". If MODEL is the model
 * that CMD received, the original model is used instead, because it has the same nodes
 * and names.
 * @param given path of the model that CMD received; NULL: none */
static void take_dump(struct fsd_options *out, const struct command_line *line,
                      const char *given, char *word)
{
    char *comma = strchr(word, ',');

    *out = line->run;
    out->model = comma && access(word, F_OK) ? word : NULL;
    out->engine = out->model ? comma + 1 : word;
    if (out->model)
        *comma = '\0';
    if (out->model && given && !strcmp(out->model, given))
        out->model = NULL;
}

static enum fsd_status take(struct command_line *line, struct fsd_bisection *search,
                            enum fsd_bisect_result result, const char *given,
                            char *dump, FILE *out, struct fsd_error *err)
{
    struct fsd_options rebuilt;
    enum fsd_status status;

    if (dump)
        take_dump(&rebuilt, line, given, dump);
    status = fsd_bisection_take(search, result, dump ? &rebuilt : NULL, out, err);
    return status == FSD_OK ? save(line, search, err) : status;
}

/* Records the result of a build, and prints the next step.
 * @param word index of the word that names the build's dump */
static enum fsd_status take_word(struct command_line *line,
                                 struct fsd_bisection *search,
                                 enum fsd_bisect_result result, unsigned word,
                                 FILE *out, struct fsd_error *err)
{
    bool given = word < line->query.n_words;
    char *dump = given ? must(strdup(line->words[word])) : NULL;
    enum fsd_status status = take(line, search, result, NULL, dump, out, err);

    free(dump);
    return status == FSD_OK ? fsd_bisection_next(search, out, err) : status;
}

static enum fsd_status say(struct command_line *line, enum fsd_bisect_result result,
                           FILE *out, struct fsd_error *err)
{
    struct fsd_bisection *search;
    enum fsd_status status = read_search(line, &search, err);

    if (status == FSD_OK)
        status = take_word(line, search, result, 1, out, err);
    fsd_bisection_free(search);
    return status;
}

/* Handles `bisect result`. Reads the comparison before the engine: if the comparison
 * does not decide the result, the engine is not needed. */
static enum fsd_status take_result(struct command_line *line, FILE *out,
                                   struct fsd_error *err)
{
    struct fsd_bisection *search;
    enum fsd_bisect_result result = FSD_BISECT_SKIP;
    enum fsd_status status;

    if (line->query.n_words < 2)
        return fail_file(err, FSD_E_ARG, NULL,
                         "expected bisect result COMPARISON [NEW_ENGINE]");
    status = read_search(line, &search, err);
    if (status == FSD_OK)
        status = fsd_bisection_judge(search, line->words[1], &result, err);
    if (status == FSD_OK)
        status = take_word(line, search, result, 2, out, err);
    fsd_bisection_free(search);
    return status;
}

static enum fsd_status report(const struct command_line *line, bool all, FILE *out,
                              struct fsd_error *err)
{
    struct fsd_bisection *search;
    enum fsd_status status = read_search(line, &search, err);

    if (status == FSD_OK && !all && line->outputs[0].path &&
        !fsd_bisection_done(search))
        status = write_model(line, search, line->outputs[0].path, false, err);
    if (status == FSD_OK)
        status = all ? fsd_bisection_log(search, out, err)
                     : fsd_bisection_next(search, out, err);
    fsd_bisection_free(search);
    return status;
}

/* Whether this verb wrote the file, or the file is empty. */
static bool is_state(const char *path)
{
    static const char first[] = "fusiondiff-bisect/";
    char begins[sizeof first - 1];
    FILE *in = fopen(path, "re");
    size_t n = in ? fread(begins, 1, sizeof begins, in) : 0;

    if (in)
        fclose(in);
    return in && !memcmp(begins, first, n);
}

static enum fsd_status reset(const struct command_line *line, struct fsd_error *err)
{
    if (!access(line->bisect.state, F_OK) && !is_state(line->bisect.state))
        return fail_file(err, FSD_E_ARG, line->bisect.state,
                         "expected the file of a search, found another file");
    if (unlink(line->bisect.state) && errno != ENOENT)
        return fail_errno(err, line->bisect.state);
    return FSD_OK;
}

/* ------------------------------------------------------------------- run CMD */

/* Finds the last two non-empty lines of CMD's output. A line that does not exist is "".
 * The caller frees both lines.
 * @param[out] before the second-to-last line
 * @return the last line */
static char *last_lines(FILE *out, char **before)
{
    char *line = NULL, *last = strdup("");
    size_t room = 0;
    ssize_t n;

    *before = strdup("");
    rewind(out);
    while ((n = getline(&line, &room, out)) > 0) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r' || line[n - 1] == ' '))
            line[--n] = '\0';
        if (!n || n > LONG_OUTPUT)
            continue;
        free(*before);
        *before = last;
        last = strdup(line);
    }
    free(line);
    if (!last || !*before)
        end_without_memory();
    return last;
}

/* The result of one run of CMD. */
struct verdict {
    enum fsd_bisect_result result;
    char *dump; /* path of the engine dump, allocated; NULL if the build is skipped */
};

/* Finds the result of a build from the outputs of the network (--values).
 * @param outputs path of the file with these outputs. CMD prints this path on the line
 *         before the path of the dump */
static enum fsd_status judge_outputs(const struct command_line *line,
                                     const struct fsd_bisection *search,
                                     int exit_status, const char *outputs,
                                     struct verdict *verdict, struct fsd_error *err)
{
    if (exit_status)
        return fail_file(err, FSD_E_ARG, line->words[1],
                         "with --values, expected exit status 0 or 125 (skip), found "
                         "%d; the search is unchanged",
                         exit_status);
    if (!*outputs)
        return fail_file(err, FSD_E_ARG, line->words[1],
                         "expected the path of the saved outputs on the second-to-last "
                         "line that the script prints, found nothing; the search is "
                         "unchanged");
    return fsd_bisection_judge_values(search, line->bisect.values, outputs,
                                      line->run.values_limit, &verdict->result, err);
}

static enum fsd_status read_verdict(const struct command_line *line,
                                    const struct fsd_bisection *search, int exit_status,
                                    FILE *out, struct verdict *verdict,
                                    struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;
    char *before;

    *verdict = (struct verdict){FSD_BISECT_SKIP, NULL};
    if (exit_status >= STOPPED)
        return fail_file(
            err, FSD_E_ARG, line->words[1],
            "expected exit status 0 to 127, found %d; the search is unchanged",
            exit_status);
    if (exit_status == SKIPPED)
        return FSD_OK;
    verdict->result = exit_status ? FSD_BISECT_BAD : FSD_BISECT_GOOD;
    verdict->dump = last_lines(out, &before);
    if (!*verdict->dump)
        status = fail_file(err, FSD_E_ARG, line->words[1],
                           "expected the path of the new dump on the last line that "
                           "the script prints, found nothing; the search is unchanged");
    else if (line->bisect.values)
        status = judge_outputs(line, search, exit_status, before, verdict, err);
    free(before);
    return status;
}

/* Runs CMD with its arguments and waits for it. If the user stops CMD with a signal,
 * the signal also ends this program.
 * @param model the value of the environment variable that names the model; NULL: the
 *         variable is not changed */
static enum fsd_status run_words(const struct command_line *line, const char *model,
                                 FILE *in, FILE *out, int *exit_status,
                                 struct fsd_error *err)
{
    const char *words[MOST_WORDS + 1] = {NULL};
    struct child child = {.words = words,
                          .variable = "FUSIONDIFF_MODEL",
                          .value = model,
                          .in = fileno(in),
                          .out = fileno(out)};
    struct child_end end;
    enum fsd_status status;

    for (unsigned i = 1; i < line->query.n_words; i++)
        words[i - 1] = line->words[i];
    rewind(in);
    status = run_child(&child, &end, err);
    if (end.stopped_by)
        end_by(end.stopped_by, end.whole_job);
    *exit_status = end.status;
    return status;
}

/* Runs CMD once, and finds its result. */
static enum fsd_status run_for(const struct command_line *line,
                               const struct fsd_bisection *search, const char *model,
                               struct verdict *verdict, struct fsd_error *err)
{
    FILE *in = fsd_host_temporary(), *out = fsd_host_temporary();
    enum fsd_status status =
        in && out ? fsd_bisection_tensors(search, in, err) : fail_errno(err, "tmpfile");
    int exit_status = STOPPED;

    fflush(stdout);
    if (status == FSD_OK)
        status = run_words(line, model, in, out, &exit_status, err);
    if (status == FSD_OK)
        status = read_verdict(line, search, exit_status, out, verdict, err);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    return status;
}

/* Fails because runs of one build had different results. Such a test proves nothing. */
static enum fsd_status fail_unlike(const struct command_line *line,
                                   const unsigned counts[FSD_BISECT_SKIP + 1],
                                   struct fsd_error *err)
{
    return fail_file(err, FSD_E_MISMATCH, line->words[1],
                     "%u runs of one build disagree (%u good, %u bad, %u skipped): the "
                     "test is not deterministic; the search is unchanged",
                     counts[0] + counts[1] + counts[2], counts[FSD_BISECT_GOOD],
                     counts[FSD_BISECT_BAD], counts[FSD_BISECT_SKIP]);
}

/* Runs CMD for the next build, as many times as --confirm requires. */
static enum fsd_status run_once(struct command_line *line, struct fsd_bisection *search,
                                const char *model, FILE *out, struct fsd_error *err)
{
    enum fsd_status status = write_model(line, search, model, true, err);
    unsigned counts[FSD_BISECT_SKIP + 1] = {0}, n = line->bisect.confirm;
    struct verdict verdict = {FSD_BISECT_SKIP, NULL};

    if (status == FSD_E_ARG) { /* the model comes from a log, so it cannot be written */
        status = FSD_OK;
        model = NULL;
    }
    n = n ? n : 1;
    for (unsigned i = 0; i < n && status == FSD_OK; i++) {
        free(verdict.dump);
        verdict.dump = NULL;
        status = run_for(line, search, model, &verdict, err);
        counts[verdict.result] += status == FSD_OK;
    }
    if (status == FSD_OK && counts[verdict.result] < n)
        status = fail_unlike(line, counts, err);
    if (status == FSD_OK)
        status = take(line, search, verdict.result, model, verdict.dump, out, err);
    free(verdict.dump);
    return status;
}

/* Creates the temporary file for the models that CMD builds, in the folder of the state
 * file, with the mode of any new file. */
static enum fsd_status make_model(const struct command_line *line,
                                  struct temporary *model, struct fsd_error *err)
{
    mode_t mask = umask(0);
    int fd = -1;

    umask(mask);
    if (snprintf(model->path, sizeof model->path, "%s.XXXXXX.onnx",
                 line->bisect.state) < (int)sizeof model->path)
        fd = make_temporary(model, sizeof ".onnx" - 1);
    else
        errno = ENAMETOOLONG;
    if (fd < 0)
        return fail_errno(err, line->bisect.state);
    fchmod(fd, 0666 & ~mask);
    close(fd);
    return FSD_OK;
}

static enum fsd_status run_search(struct command_line *line, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_bisection *search = NULL;
    struct temporary model = {.path = ""};
    enum fsd_status status;
    bool made = false;

    if (line->query.n_words < 2)
        return fail_file(err, FSD_E_ARG, NULL, "expected bisect run CMD");
    status = read_search(line, &search, err);
    if (status == FSD_OK) {
        status = make_model(line, &model, err);
        made = status == FSD_OK;
    }
    while (status == FSD_OK && !fsd_bisection_done(search))
        status = run_once(line, search, model.path, out, err);
    if (made)
        drop_temporary(&model, false);
    if (status == FSD_OK)
        status = fsd_bisection_next(search, out, err);
    fsd_bisection_free(search);
    return status;
}

/* ---------------------------------------------------------------------- verb */

static const char expected_word[] =
    "expected start, next, good, bad, skip, result, run, log or reset";
static const char *const words[] = {"start",  "next", "good", "bad",  "skip",
                                    "result", "run",  "log",  "reset"};

static void check_line(struct command_line *line)
{
    if (!line->bisect.state)
        line->bisect.state = usual_state;
    if (!line->query.n_words)
        usage_error("%s", expected_word);
    if (line->run.values_limit > 0 && !line->bisect.values)
        usage_error("--limit needs --values");
    if (line->bisect.values && line->query.n_words &&
        strcmp(line->words[0], "run") != 0)
        usage_error("expected --values only with bisect run");
}

static enum fsd_status run_word(struct command_line *line, FILE *out,
                                struct fsd_error *err)
{
    const char *word = line->words[0], *near;
    unsigned n = sizeof words / sizeof *words;

    if (!strcmp(word, "start"))
        return start(line, out, err);
    if (!strcmp(word, "next"))
        return report(line, false, out, err);
    if (!strcmp(word, "good"))
        return say(line, FSD_BISECT_GOOD, out, err);
    if (!strcmp(word, "bad"))
        return say(line, FSD_BISECT_BAD, out, err);
    if (!strcmp(word, "skip"))
        return say(line, FSD_BISECT_SKIP, out, err);
    if (!strcmp(word, "result"))
        return take_result(line, out, err);
    if (!strcmp(word, "run"))
        return run_search(line, out, err);
    if (!strcmp(word, "log"))
        return report(line, true, out, err);
    if (!strcmp(word, "reset"))
        return reset(line, err);
    near = fsd_nearest_name(word, words, n);
    return fail_file(
        err, FSD_E_ARG, NULL,
        "expected start, next, good, bad, skip, result, run, log or reset, "
        "found '%s'%s%s%s",
        word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* With --budget, the output is collected and printed in pages. Otherwise each build is
 * printed when it ends. */
static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct command_line to = *line;
    struct whole_text text = {0};
    enum fsd_status status;
    FILE *out;

    if (!line->tokens)
        return run_word(line, stdout, err);
    out = fsd_memory_open(&text.at, &text.n);
    if (!out)
        return fail_file(err, FSD_E_MEMORY, NULL, "out of memory");
    status = run_word(line, out, err);
    if (fclose(out) && status == FSD_OK)
        status = fail_file(err, FSD_E_MEMORY, NULL, "out of memory");
    to.outputs[0].path = NULL; /* standard output; the user's path is for the model */
    if (status == FSD_OK)
        status = write_outputs(&to, print_text, &text, err);
    free(text.at);
    return status;
}

const struct verb verb_bisect = {
    "bisect",
    "start MODEL ENGINE | next | good|bad|skip [NEW_ENGINE] | "
    "result COMPARISON [NEW_ENGINE] | run CMD... | log | reset",
    "find the fusion that makes an engine wrong",
    "Searches for the fusion that makes an engine's results wrong.  The first build "
    "splits no fusion, and its results must be wrong.  The second build splits all "
    "fusions.  Each further build splits half of the suspected fusions.  bisect names "
    "a fusion only if builds prove two facts: the results are right if only this "
    "fusion is split, and wrong if all other fusions are split.  If several fusions "
    "cause the failure together, bisect searches for the smallest set.\vCMD builds the "
    "model that FUSIONDIFF_MODEL names, tests the network's own outputs, prints the "
    "path of the new dump as its last line, and ends with 0 (good), 125 (skip) or "
    "another status up to 127 (bad).  bisect adds outputs to this model, and passes "
    "their names to CMD on standard input, one per line.  Each added output splits a "
    "fusion.  If no output can split a fusion, bisect splits it by an If with two "
    "equal branches.  `bisect next -o FILE.onnx` writes the model that CMD "
    "builds.  With --values, CMD saves the network's outputs in a file (numpy.savez(), "
    "Polygraphy), prints the path of this file on the line before the last, and ends "
    "with 0 or 125.  COMPARISON is a file that `polygraphy run "
    "--save-accuracy-results` wrote.  bisect compares NEW_ENGINE with ENGINE to prove "
    "which fusions changed.",
    {"start model.onnx engine.json", "run ./build_and_test.sh", "bad new.json"},
    .options = options,
    .most_words = MOST_WORDS,
    .check = check_line,
    .one_format = true,
    .run = run,
    .two_builds = true,
    .subject = -1};
