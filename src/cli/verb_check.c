/* fusiondiff check SNAPSHOT MODEL ENGINE: the merge gate. */
#include "cli/cli.h"

#include <time.h>

static const struct option_row options[] = {
    {"policy", "FILE",
     "Policy file with the levels and budgets of rules, and the findings to ignore",
     INPUT(check.options.policy)},
    {"list", "FILE",
     "Check every build that FILE ('-': standard input) lists, and write one report. "
     "FILE has the format of LIST in 'batch'; its lines can have snapshot=, label=, "
     "policy= and profile=",
     INPUT(list.path)},
    {"jobs", "N", "With --list: number of threads (default: one per processor)", JOBS,
     .letter = 'j'},
    {"label", "LABEL",
     "Label that states what the build is for, e.g. sm86; 'check' selects the "
     "snapshot with this label from a directory, and --update records the label",
     TAKEN_BY(take_label)},
    {"update", NULL, "Accept the build: rewrite the snapshot and report what changed",
     FLAG(check.options.accept)},
    {"print-policy", NULL,
     "Print the default policy as a starting point, and check nothing",
     FLAG(check.print_policy)},
    {"today", "YYYY-MM-DD",
     "Compare the expiry dates of the policy with this date (default: "
     "SOURCE_DATE_EPOCH, or today)",
     DAY(check.options.today)},
    {"lint", NULL, "Also lint the model", FLAG(check.options.lint)},
    {"for", "BUILDER", "With --lint: the target builder, e.g. rtx-1.7:sm89",
     WORD(check.options.builder), .words = BUILDERS},
    {0},
};

static const char doc[] =
    "Checks a build against a snapshot: lost fusions, higher precision, inserted "
    "layers, latency.  If SNAPSHOT is a directory, 'check' selects from it the "
    "snapshot with the build's label, builder version and GPU.\vWithout SNAPSHOT, it "
    "checks the "
    "absolute rules "
    "of the policy: fused blocks, types, inserted layers and memory.\n\nExit status: "
    "0: the check passes, or --update was given; 1: a rule of level error is over its "
    "budget; 2: an error.";

/* The current date in UTC as YYYYMMDD, or the date of SOURCE_DATE_EPOCH. */
static unsigned today(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char now[32];
    unsigned day;

    if (!epoch || !*epoch)
        snprintf(now, sizeof now, "%lld", (long long)time(NULL));
    day = fsd_day_of_epoch(epoch && *epoch ? epoch : now);
    if (!day)
        usage_error("SOURCE_DATE_EPOCH: expected seconds since 1970, found '%s'",
                    epoch && *epoch ? epoch : now);
    return day;
}

/* Assigns the words to SNAPSHOT, MODEL and ENGINE. MODEL may be missing. With a policy,
 * SNAPSHOT may be missing, too: a snapshot is recognized by its content. */
static void sort_words(struct command_line *line)
{
    struct fsd_check_options *wants = &line->check.options;
    unsigned n = line->query.n_words, at = 0;
    enum fsd_file_kind kind;
    const char *noun;

    if (line->list.path) {
        if (n > 1)
            usage_error("with --list, expected no file except SNAPSHOT (for the lines "
                        "that have no snapshot=), found '%s' too",
                        line->words[1]);
        refuse_beside_list(line);
        wants->snapshot = n ? line->words[0] : NULL;
        return;
    }
    if (!n)
        usage_error("expected SNAPSHOT, MODEL and ENGINE");
    kind = fsd_file_kind(line->words[0]);
    noun = kind == FSD_FILE_OTHER || kind == FSD_FILE_SNAPSHOT
               ? NULL
               : fsd_file_kind_noun(kind);
    for (unsigned i = 1; i < n; i++)
        if (noun && fsd_file_kind(line->words[i]) == FSD_FILE_SNAPSHOT)
            usage_error("expected the snapshot as the first file, found '%s' (%s) "
                        "before '%s'",
                        line->words[0], noun, line->words[i]);
    if (kind == FSD_FILE_SNAPSHOT || n == 3 || (!wants->policy && !wants->lint))
        wants->snapshot = line->words[at++];
    if (wants->snapshot && noun)
        usage_error("expected a snapshot first, found '%s', which is %s; write a "
                    "snapshot by 'fusiondiff snapshot', or check only the absolute "
                    "rules of a policy (--policy)",
                    line->words[0], noun);
    if (wants->snapshot && n == 1)
        usage_error("expected a snapshot and a build, found only '%s'; to check a "
                    "build without a snapshot, pass --policy or --lint",
                    line->words[0]);
    for (; at < n; at++)
        take_pair(line, (char *)(uintptr_t)line->words[at]);
    need_pair(line);
    if (!wants->snapshot && wants->accept)
        usage_error("--update needs a SNAPSHOT");
}

static void check_line(struct command_line *line)
{
    if (!line->check.print_policy)
        sort_words(line);
    if (!line->check.options.today)
        line->check.options.today = today();
}

static enum fsd_status print_check(const void *payload, const struct sink *to)
{
    return fsd_check_write(payload, to->format, to->style, to->out, to->err);
}

static enum fsd_status print_policy(const void *payload, const struct sink *to)
{
    (void)payload;
    return fsd_policy_print(to->out, to->err);
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_check *check = NULL;
    struct fsd_directory *several = NULL;
    enum fsd_status status;

    if (line->check.print_policy)
        return write_outputs(line, print_policy, NULL, err);
    if (line->list.path)
        return check_list(line, err);
    status = open_snapshots(&several, &line->check.options, err);
    if (status == FSD_OK)
        status = fsd_check_open(&check, &line->run, &line->check.options, err);
    if (status == FSD_OK && line->check.options.accept) /* before the report, which
                                                           states "accepted" */
        status = update_snapshot(line, check, err);
    if (status == FSD_OK)
        status = write_judgement(line, print_check, check, err);
    if (status == FSD_OK && !line->check.options.accept && fsd_check_failed(check))
        line->exit_status = FINDINGS;
    fsd_check_free(check);
    fsd_directory_free(several);
    return status;
}

const struct verb verb_check = {"check",
                                "[SNAPSHOT] MODEL ENGINE | [SNAPSHOT] --list FILE",
                                "check a build against its snapshot: the merge gate",
                                doc,
                                {"engine.fsd model.onnx engine.json",
                                 "engine.fsd build/ --policy gate.ini -o gate.md",
                                 "engine.fsd model.onnx engine.json --update",
                                 "--list builds.txt -o gate.md -o gate.xml"},
                                .options = options,
                                .most_words = 3,
                                .check = check_line,
                                .run = run,
                                .subject = FSD_OF_CHECK};
