/* fusiondiff snapshot MODEL ENGINE -o FILE: writes a snapshot, with which a check
 * compares later builds. */
#include "cli/cli.h"

static const struct option_row options[] = {
    {"with-times", NULL,
     "Refuse to write a snapshot that has no times (--profile adds times)",
     FLAG(snapshot.with_times)},
    {"list", "FILE",
     "Write a snapshot of each build that FILE ('-': standard input) lists in the "
     "format of batch.  In each line, snapshot= names the snapshot's file or folder, "
     "and label= and profile= replace --label and --profile",
     INPUT(list.path)},
    {"jobs", "N", "With --list: number of threads (default: one per processor)", JOBS,
     .letter = 'j'},
    {"label", "LABEL",
     "Record a label that states what the build is for, e.g. sm86; 'check --label' "
     "selects a snapshot by its label",
     TAKEN_BY(take_label)},
    {"also", "BUILD",
     "Also record another build of the model; the snapshot holds the differences from "
     "the first build as variants.  BUILD is "
     "ENGINE, MODEL,ENGINE[+ENGINE...][,PROFILE[,LOG]], a directory or a snapshot; "
     "may be repeated",
     WORDS(snapshot.also, snapshot.n_also)},
    {"merge", "BASE",
     "Merge driver for git: merge the snapshots OURS and THEIRS, which both come from "
     "BASE, into the file OURS. If only OURS or only THEIRS differs from BASE, "
     "that file becomes the result; if all three files differ, exit with 1",
     INPUT(snapshot.merge_base)},
    {0},
};

static const char doc[] =
    "Writes a build as a text file to commit: one line per node and per fusion group, "
    "in the order of the model.\vThe same inputs give the same bytes, and a changed "
    "fusion changes a few lines.  'fusiondiff check' compares a later build with this "
    "file.  There is only one format.";

static void check_line(struct command_line *line)
{
    if (line->format)
        usage_error("a snapshot has only one format");
    if (line->snapshot.merge_base) {
        if (!line->run.model || !line->run.engine || line->list.path ||
            line->outputs[0].path)
            usage_error("expected two snapshots with --merge BASE, and no other files "
                        "or options");
        return;
    }
    if (line->list.path) {
        if (line->run.model || line->snapshot.n_also || line->outputs[0].path)
            usage_error("with --list, pass no other files: each line of the list names "
                        "the files of one build, and its output as snapshot=FILE");
        refuse_beside_list(line);
        return;
    }
    need_pair(line);
    if (line->snapshot.with_times && line->run.model && !line->run.n_profiles)
        usage_error("--with-times needs a --profile");
}

struct snapshot_job {
    struct fsd_options builds[MOST_BUILDS];
    unsigned n;
};

static enum fsd_status print_snapshot(const void *payload, const struct sink *to)
{
    const struct snapshot_job *job = payload;

    return fsd_snapshot_make_of(job->builds, job->n, to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct build_word *words = new_build_words(line->snapshot.n_also + 1);
    struct snapshot_job job = {.builds = {line->run}, .n = 1};
    enum fsd_status status = FSD_OK;

    if (line->snapshot.merge_base)
        return merge_snapshots(line, err);
    if (line->list.path)
        return snapshot_list(line, err);
    for (; job.n <= line->snapshot.n_also && status == FSD_OK; job.n++) {
        const char *also = line->snapshot.also[job.n - 1];

        job.builds[job.n] = line->run;
        status = take_also(&words[job.n - 1], also, line->run.model, &job.builds[job.n],
                           err);
    }
    if (status == FSD_OK)
        status = check_outputs(line, job.builds, job.n, err);
    if (status != FSD_OK)
        return status;
    for (unsigned i = 0; i < line->n_outputs; i++)
        report_dropped(line, line->outputs[i].path);
    return write_outputs(line, print_snapshot, &job, err);
}

const struct verb verb_snapshot = {
    "snapshot",
    "[MODEL] ENGINE | --list FILE | --merge BASE OURS THEIRS",
    "write a build as a small text file to commit",
    doc,
    {"model.onnx engine.json -o engine.fsd",
     "model.onnx a.json --also b.json --also c.json -o engine.fsd",
     "--list builds.txt"},
    .options = options,
    .check = check_line,
    .one_format = true,
    .run = run,
    .subject = -1};
