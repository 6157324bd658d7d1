/* fusiondiff check SNAPSHOT MODEL ENGINE: the merge gate. */
#define _GNU_SOURCE /* argp */
#include "cli/build_word.h"
#include "cli/output.h"
#include "cli/verb.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEY_POLICY = 640, KEY_UPDATE, KEY_TODAY, KEY_PRINT_POLICY, KEY_LINT, KEY_FOR };

static const struct argp_option options[] = {
    {"policy", KEY_POLICY, "FILE", 0,
     "Rules with their levels and budgets, and what to ignore", 3},
    {"list", KEY_OF_LIST, "FILE", 0,
     "Check every build of a list ('-': standard input) in the format of batch, with "
     "snapshot=, label=, policy= and profile= in its lines, and write one report",
     3},
    {"jobs", 'j', "N", 0, "With --list: number of threads (default: one per processor)",
     3},
    {"label", KEY_LABEL, "LABEL", 0,
     "What the build is for, e.g. sm86: selects its snapshot in a directory, and "
     "--update records it",
     3},
    {"update", KEY_UPDATE, NULL, 0,
     "Accept the build: rewrite the snapshot and report what changed", 3},
    {"print-policy", KEY_PRINT_POLICY, NULL, 0,
     "Print the default policy as a starting point, and check nothing", 3},
    {"today", KEY_TODAY, "YYYY-MM-DD", 0,
     "Day for expiry dates of the policy (default: SOURCE_DATE_EPOCH, or the clock)",
     3},
    {"lint", KEY_LINT, NULL, 0, "Also lint the model", 3},
    {"for", KEY_FOR, "BUILDER", 0, "With --lint: the target builder, e.g. rtx-1.7:sm89",
     3},
    {0},
};

static const char doc[] =
    "Checks a build against a snapshot: lost fusions, higher precision, inserted "
    "layers, latency.  In a directory of snapshots, it selects the one for the build's "
    "label, version and GPU.\vWithout SNAPSHOT it checks the absolute rules of the "
    "policy: fused blocks, types, inserted layers, memory.\n\nExit status: 0 the check "
    "passes, or --update was given; 1 a rule of level error is over its budget; 2 an "
    "error.";

/* The day in UTC, which is the same on all machines. */
static unsigned today(struct argp_state *state)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char now[32];
    unsigned day;

    if (!epoch || !*epoch)
        snprintf(now, sizeof now, "%lld", (long long)time(NULL));
    day = fsd_day_of_epoch(epoch && *epoch ? epoch : now);
    if (!day)
        argp_error(state, "SOURCE_DATE_EPOCH: expected seconds since 1970, found '%s'",
                   epoch && *epoch ? epoch : now);
    return day;
}

/* SNAPSHOT MODEL ENGINE, of which MODEL may be left out, and SNAPSHOT where there is a
 * policy: it is known by what is in it. */
static void sort_words(struct command_line *line, struct argp_state *state)
{
    unsigned n = line->query.n_words, at = 0;
    enum fsd_file_kind kind;
    const char *noun;

    if (line->builds) {
        if (n > 1)
            argp_error(state,
                       "expected all builds in the list, and at most one SNAPSHOT for "
                       "lines without snapshot=, found '%s' too",
                       line->words[1]);
        refuse_beside_list(line, state);
        line->check.snapshot = n ? line->words[0] : NULL;
        return;
    }
    if (!n)
        argp_error(state, "expected SNAPSHOT, MODEL and ENGINE");
    kind = fsd_file_kind(line->words[0]);
    noun = kind == FSD_FILE_OTHER || kind == FSD_FILE_SNAPSHOT
               ? NULL
               : fsd_file_kind_noun(kind);
    for (unsigned i = 1; i < n; i++)
        if (noun && fsd_file_kind(line->words[i]) == FSD_FILE_SNAPSHOT)
            argp_error(state,
                       "expected the snapshot first, found '%s', which is %s, "
                       "before '%s'",
                       line->words[0], noun, line->words[i]);
    if (kind == FSD_FILE_SNAPSHOT || n == 3 ||
        (!line->check.policy && !line->check.lint))
        line->check.snapshot = line->words[at++];
    if (line->check.snapshot && noun)
        argp_error(
            state,
            "expected a snapshot first, found '%s', which is %s; 'fusiondiff snapshot' "
            "writes one, and with --policy the absolute rules are checked without one",
            line->words[0], noun);
    for (; at < n; at++)
        take_pair(line, (char *)(uintptr_t)line->words[at]);
    need_pair(line, state);
    if (!line->check.snapshot && line->check.accept)
        argp_error(state, "--update needs a SNAPSHOT");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case KEY_POLICY:
        line->check.policy = arg;
        break;
    case KEY_LINT:
        line->check.lint = true;
        break;
    case KEY_FOR:
        line->check.builder = arg;
        break;
    case KEY_UPDATE:
        line->check.accept = true;
        break;
    case KEY_PRINT_POLICY:
        line->print_policy = line->one_format = true;
        break;
    case KEY_TODAY:
        line->check.today = parse_day(arg, state);
        break;
    case ARGP_KEY_ARG:
        if (line->query.n_words == 3)
            argp_error(state, "expected SNAPSHOT, MODEL and ENGINE, found '%s' too",
                       arg);
        line->words[line->query.n_words++] = arg;
        break;
    case ARGP_KEY_END:
        if (!line->print_policy)
            sort_words(line, state);
        if (!line->check.today)
            line->check.today = today(state);
        break;
    default:
        return parse_list_option(key, arg, state);
    }
    return 0;
}

static enum fsd_status print_check(const void *payload, const char *format,
                                   const struct fsd_style *style, FILE *out,
                                   struct fsd_error *err)
{
    return fsd_check_write(payload, format, style, out, err);
}

static enum fsd_status print_snapshot(const void *payload, const char *format,
                                      const struct fsd_style *style, FILE *out,
                                      struct fsd_error *err)
{
    (void)format;
    (void)style;
    return fsd_check_update(payload, out, err);
}

static enum fsd_status print_policy(const void *payload, const char *format,
                                    const struct fsd_style *style, FILE *out,
                                    struct fsd_error *err)
{
    (void)payload;
    (void)format;
    (void)style;
    return fsd_policy_print(out, err);
}

/* As any report is written: whole, or not at all. */
enum fsd_status update_snapshot(const struct command_line *line,
                                const struct fsd_check *check, struct fsd_error *err)
{
    struct command_line to = *line;

    to.n_outputs = 1;
    to.outputs[0] = (struct output){fsd_check_snapshot(check), NULL};
    return write_outputs(&to, print_snapshot, check, err);
}

/* An output would be written over the snapshot or the policy. */
static enum fsd_status check_names(const struct command_line *line,
                                   struct fsd_error *err)
{
    const struct fsd_options inputs = {.model = line->check.snapshot,
                                       .engine = line->check.policy};

    return check_outputs(line, &inputs, 1, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_check *check = NULL;
    static struct snapshots_word several;
    enum fsd_status status;

    if (line->print_policy)
        return write_outputs(line, print_policy, NULL, err);
    if (line->builds)
        return check_list(line, exit_status, err);
    status = take_snapshots(&several, &line->check, err);
    if (status == FSD_OK)
        status = check_names(line, err);
    if (status == FSD_OK)
        status = fsd_check_open(&check, &line->run, &line->check, err);
    if (status == FSD_OK && line->check.accept) /* before anything says "accepted" */
        status = update_snapshot(line, check, err);
    if (status == FSD_OK)
        status = write_judgement(line, print_check, check, err);
    if (status == FSD_OK && !line->check.accept && fsd_check_failed(check))
        *exit_status = FINDINGS;
    fsd_check_free(check);
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
                                options,
                                parse,
                                run,
                                false,
                                FSD_OF_CHECK};
