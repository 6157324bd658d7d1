/* fusiondiff compare OLD NEW [MORE...]: compares builds. fusiondiff stability: shows
 * how builds of one model vary. */
#include "cli/cli.h"

static const char doc[] =
    "Compares two builds of a network: changed fusions, precisions, inserted layers "
    "and times.  More than two builds become a matrix: one row per group of nodes, one "
    "column per build.\v"
    "OLD and NEW are each MODEL,ENGINE[+ENGINE...][,PROFILE[,LOG]], a snapshot, or a "
    "directory that holds one model, one engine and at most one profile.  In place of "
    "OLD and NEW, pass one directory that holds a subdirectory or a snapshot for each "
    "build, or one model and its engines.  The models may be different exports "
    "of one network: fusiondiff aligns nodes by unique names, or by structure.\n\n"
    "Pictures show both builds side by side; --all draws large builds in full.\n\n"
    "Exit status: 0: the builds do not differ; 1: they differ; 2: an error.  Times, "
    "tactics, layer names and layer order do not count as differences.";

static const char stability_doc[] =
    "Shows the differences between repeated builds of one model, and in which builds "
    "they occur.\vEach build is MODEL,ENGINE[,PROFILE[,LOG]], a snapshot, or a "
    "directory that holds them. In place of several builds, pass one directory that "
    "holds all builds.  Exit status: 0: only times "
    "and tactics vary; 1: other facts vary, too; 2: an error.";

static void refuse_file(struct command_line *line, char *arg)
{
    (void)arg;
    usage_error("with %s, pass profiles and logs as parts of each build: "
                "MODEL,ENGINE,PROFILE,LOG",
                line->verb->name);
}

static const struct option_row options[] = {
    {"profile", "FILE", NULL, TAKEN_BY(refuse_file), .hidden = true},
    {"log", "FILE", NULL, TAKEN_BY(refuse_file), .hidden = true},
    {"times", "FILE", NULL, TAKEN_BY(refuse_file), .hidden = true},
    {"tactics", NULL,
     "Also report changed tactics, with the name of the tactic in "
     "each build",
     FLAG(style.tactics), .group = 4},
    {"around", "NODE",
     "Pictures: draw only the layers that NODE selects, and their neighbors. NODE is "
     "a node name or a glob, layer:12 (of either build), or a tensor name, which "
     "selects the layer that computes the tensor",
     WORD(picture.around), .group = 5},
    {"only", "changes",
     "Pictures: draw only changes and their neighbors (the default for large builds)",
     WORD(picture.only), .group = 5},
    ROW_LAYOUT_TIMEOUT,
    {0},
};

static void check_line(struct command_line *line)
{
    if (!line->query.n_words)
        usage_error("expected OLD and NEW");
}

static enum fsd_status print_comparison(const void *payload, const struct sink *to)
{
    return fsd_comparison_write(payload, to->format, to->style, to->out, to->err);
}

static enum fsd_status compare_two(struct command_line *line,
                                   const struct fsd_options *builds,
                                   struct fsd_error *err)
{
    struct fsd_comparison *comparison = NULL;
    enum fsd_status status =
        fsd_comparison_open(&comparison, &builds[0], &builds[1], err);

    if (status == FSD_OK)
        status = write_judgement(line, print_comparison, comparison, err);
    if (status == FSD_OK && fsd_comparison_differs(comparison))
        line->exit_status = FINDINGS;
    fsd_comparison_free(comparison);
    return status;
}

/* -------------------------------------------------------------------- two models */

static bool is_model(const struct fsd_options *build)
{
    return build->model && !build->engine && fsd_file_is_model(build->model);
}

static enum fsd_status print_models(const void *payload, const struct sink *to)
{
    return fsd_models_write(payload, to->format, to->style, to->out, to->err);
}

static enum fsd_status compare_models(struct command_line *line,
                                      const struct fsd_options *builds,
                                      struct fsd_error *err)
{
    struct fsd_models *models = NULL;
    enum fsd_status status = fsd_models_open(&models, builds[0].model, builds[1].model,
                                             builds[1].force, err);

    if (status == FSD_OK)
        status = write_outputs(line, print_models, models, err);
    if (status == FSD_OK && fsd_models_differ(models))
        line->exit_status = FINDINGS;
    fsd_models_free(models);
    return status;
}

/* ------------------------------------------------------------------ several builds */

static enum fsd_status print_matrix(const void *payload, const struct sink *to)
{
    return fsd_builds_write(payload, FSD_OF_MATRIX, to->format, to->style, to->out,
                            to->err);
}

static enum fsd_status print_stability(const void *payload, const struct sink *to)
{
    return fsd_builds_write(payload, FSD_OF_STABILITY, to->format, to->style, to->out,
                            to->err);
}

static enum fsd_status compare_several(struct command_line *line,
                                       const struct fsd_options *opt, unsigned n,
                                       struct fsd_error *err)
{
    bool matrix = line->verb->subject == FSD_OF_COMPARISON;
    struct fsd_builds *builds = NULL;
    enum fsd_status status = fsd_builds_open(&builds, opt, n, err);

    if (status == FSD_OK)
        status =
            write_outputs(line, matrix ? print_matrix : print_stability, builds, err);
    if (status == FSD_OK && fsd_builds_differ(builds))
        line->exit_status = FINDINGS;
    fsd_builds_free(builds);
    return status;
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct build_word *words = new_build_words(MOST_BUILDS);
    struct fsd_options builds[MOST_BUILDS];
    unsigned n = 0;
    enum fsd_status status = take_builds(words, line->words, line->query.n_words,
                                         &line->run, builds, MOST_BUILDS, &n, err);

    if (status == FSD_OK)
        status = check_outputs(line, builds, n, err);
    if (status == FSD_OK)
        status = n != 2 || line->verb->subject != FSD_OF_COMPARISON
                     ? compare_several(line, builds, n, err)
                 : is_model(&builds[0]) && is_model(&builds[1])
                     ? compare_models(line, builds, err)
                     : compare_two(line, builds, err);
    return status;
}

const struct verb verb_compare = {"compare",
                                  "OLD NEW [MORE...]",
                                  "show what changed between builds",
                                  doc,
                                  {"old.onnx,old.json new.onnx,new.json",
                                   "yesterday/ today/ -o changes.svg",
                                   "old.onnx new.onnx"},
                                  .options = options,
                                  .most_words = MOST_BUILDS,
                                  .check = check_line,
                                  .run = run,
                                  .two_builds = true,
                                  .subject = FSD_OF_COMPARISON};
const struct verb verb_stability = {
    "stability",
    "BUILD...",
    "show the differences between repeated builds of one model",
    stability_doc,
    {"first.log second.log third.log", "rebuilds/"},
    .options = options,
    .most_words = MOST_BUILDS,
    .check = check_line,
    .run = run,
    .two_builds = true,
    .subject = FSD_OF_STABILITY};
