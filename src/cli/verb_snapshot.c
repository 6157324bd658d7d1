/* fusiondiff snapshot MODEL ENGINE -o FILE: what a gate compares with. */
#define _GNU_SOURCE /* argp */
#include "cli/build_word.h"
#include "cli/output.h"
#include "cli/verb.h"

enum { KEY_WITH_TIMES = 640, KEY_ALSO };

static const struct argp_option options[] = {
    {"with-times", KEY_WITH_TIMES, NULL, 0,
     "Refuse to write a snapshot without milliseconds, which are kept of any --profile",
     3},
    {"list", KEY_OF_LIST, "FILE", 0,
     "Write a snapshot of each build that FILE lists as batch reads it ('-': standard "
     "input), to the snapshot= of its line; label= and profile= as for one build",
     3},
    {"jobs", 'j', "N", 0, "Of --list: so many threads; as many as there are processors",
     3},
    {"label", KEY_LABEL, "LABEL", 0,
     "Record what the build is for, as sm86; 'check --label' picks a snapshot by it",
     3},
    {"also", KEY_ALSO, "BUILD", 0,
     "Learn what varies from another build of the model: ENGINE, or "
     "MODEL,ENGINE[+ENGINE...][,PROFILE[,LOG]], a directory, a snapshot; may be "
     "repeated",
     3},
    {0},
};

static const char doc[] =
    "Writes what the builder made of a model as a text file to commit: one line a node "
    "and one a fusion group, in the model's order.\v"
    "The same inputs give the same bytes, and a change of one fusion changes a handful "
    "of lines. 'fusiondiff check' compares a later build with it. There is one format.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        line->one_format = true;
        break;
    case KEY_WITH_TIMES:
        line->with_times = true;
        break;
    case KEY_ALSO:
        if (line->n_also == sizeof line->also / sizeof *line->also)
            argp_error(state,
                       "expected at most %u builds with the first one, found one "
                       "more '%s'",
                       line->n_also + 1, arg);
        line->also[line->n_also++] = arg;
        break;
    case ARGP_KEY_ARG:
        take_one_pair(line, arg, state);
        break;
    case ARGP_KEY_END:
        if (line->format)
            argp_error(state, "a snapshot has no other format");
        if (line->builds) {
            if (line->run.model || line->n_also || line->outputs[0].path)
                argp_error(state, "--list takes a build, and snapshot= for where its "
                                  "snapshot goes, in each line, and nothing beside it");
            refuse_beside_list(line, state);
            break;
        }
        need_pair(line, state);
        if (line->with_times && line->run.model && !line->run.n_profiles)
            argp_error(state, "--with-times needs a --profile");
        break;
    default:
        return parse_list_option(key, arg, state);
    }
    return 0;
}

struct snapshot_job {
    struct fsd_options builds[MOST_BUILDS];
    unsigned n;
};

static enum fsd_status print_snapshot(const void *payload, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err)
{
    const struct snapshot_job *job = payload;

    (void)format;
    (void)style;
    return fsd_snapshot_make_of(job->builds, job->n, out, err);
}

/* What is overwritten is not lost without a word. */
void tell_dropped(const struct command_line *line, const char *path)
{
    unsigned builds = path ? fsd_snapshot_builds(path) : 0;
    char text[256];

    if (builds < 2 || !line->run.note)
        return;
    snprintf(text, sizeof text,
             "%.150s: what varies in its %u builds is not kept but by --also", path,
             builds);
    line->run.note(line->run.payload, text);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    static struct build_word words[MOST_BUILDS - 1];
    struct snapshot_job job = {.builds = {line->run}, .n = 1};
    enum fsd_status status = FSD_OK;

    if (line->builds)
        return snapshot_list(line, exit_status, err);
    for (; job.n <= line->n_also && status == FSD_OK; job.n++) {
        const char *also = line->also[job.n - 1];

        job.builds[job.n] = line->run;
        status = take_also(&words[job.n - 1], also, line->run.model, &job.builds[job.n],
                           err);
    }
    if (status == FSD_OK)
        status = check_outputs(line, job.builds, job.n, err);
    if (status != FSD_OK)
        return status;
    for (unsigned i = 0; i < line->n_outputs; i++)
        tell_dropped(line, line->outputs[i].path);
    return write_outputs(line, print_snapshot, &job, err);
}

const struct verb verb_snapshot = {
    "snapshot",
    "[MODEL] ENGINE | --list FILE",
    "a small text file of what the builder made, to commit",
    doc,
    {"model.onnx engine.json -o engine.fsd",
     "model.onnx a.json --also b.json --also c.json -o engine.fsd",
     "--list builds.txt"},
    options,
    parse,
    run,
    false,
    -1};
