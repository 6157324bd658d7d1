/* Snapshots and the merge gate: the public API of them. */
#include "gate/gate.h"
#include "compare/snapshot.h"
#include "report/report.h"
#include "states.h"

#include <inttypes.h>
#include <stdio.h>

enum fsd_status fsd_snapshot_make(const struct fsd_options *opt, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_state *state;
    enum fsd_status status = fsd_state_open(&state, opt, err);
    char text[128];

    if (status != FSD_OK)
        return status;
    if (state->untimed && opt->note) {
        snprintf(text, sizeof text,
                 "%" PRIu32 " of %" PRIu32
                 " layers have no time in some profile: check will not take these times",
                 state->untimed, state->layers);
        opt->note(opt->payload, text);
    }
    fsd_snapshot_write(state, out);
    fsd_state_free(state);
    return fsd_flush(out, err);
}

struct fsd_check {
    struct fsd_arena *arena;
    struct fsd_state *old, *new;
    struct fsd_snapshot_lines lines; /* of the old state */
    struct fsd_policy *policy;
    struct fsd_compare *compare;
    struct fsd_verdict *verdict;
};

/* Two models of which less than half can be aligned are not two exports of one network.
 */
static enum fsd_status check_models(const struct fsd_check *c,
                                    const struct fsd_options *opt,
                                    struct fsd_error *err)
{
    struct fsd_alignment_count n = fsd_alignment_count(c->compare);

    if (opt->force || fsd_alignment_fits(n))
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, c->old->model_path, FSD_POS_NONE, 0,
        "expected a snapshot of a build of %s, but of its %u computing nodes "
        "only %u are among the %u of that model (--force goes on all the "
        "same)",
        c->new->model_path, n.old, n.aligned, n.new);
}

static enum fsd_status open_check(struct fsd_check *c, const struct fsd_options *opt,
                                  const struct fsd_check_options *check,
                                  struct fsd_error *err)
{
    enum fsd_status status =
        fsd_snapshot_read(&c->old, check->snapshot, &c->lines, err);

    if (status == FSD_OK)
        status = fsd_policy_read(&c->policy, check->policy, err);
    if (status == FSD_OK)
        status = fsd_state_open(&c->new, opt, err);
    if (status != FSD_OK)
        return status;
    c->compare = fsd_compare_new(c->old, c->new);
    status = check_models(c, opt, err);
    if (status == FSD_OK && check->accept && c->old->profiles && !c->new->profiles &&
        opt->note)
        opt->note(opt->payload, "the snapshot's times are not kept: this build has none");
    if (status == FSD_OK)
        c->verdict = fsd_verdict_of_check(c->compare, c->policy, &c->lines, check);
    return status;
}

enum fsd_status fsd_check_open(struct fsd_check **out, const struct fsd_options *opt,
                               const struct fsd_check_options *check,
                               struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_check *c = FSD_NEW(arena, struct fsd_check, 1);
    enum fsd_status status = open_check(c, opt, check, err);

    *out = NULL;
    c->arena = arena;
    if (status == FSD_OK)
        *out = c;
    else
        fsd_check_free(c);
    return status;
}

void fsd_check_free(struct fsd_check *c)
{
    if (!c)
        return;
    fsd_verdict_free(c->verdict);
    fsd_compare_free(c->compare);
    fsd_policy_free(c->policy);
    fsd_state_free(c->old);
    fsd_state_free(c->new);
    fsd_arena_free(c->arena);
}

bool fsd_check_failed(const struct fsd_check *check)
{
    return check->verdict->failed;
}

enum fsd_status fsd_check_write(const struct fsd_check *check, const char *format,
                                const struct fsd_style *style, FILE *out,
                                struct fsd_error *err)
{
    const struct fsd_report report = {
        .subject = FSD_OF_CHECK, .verdict = check->verdict, .style = style};

    return fsd_report_write(&report, format, out, err);
}

enum fsd_status fsd_check_update(const struct fsd_check *check, FILE *out,
                                 struct fsd_error *err)
{
    fsd_snapshot_write(check->new, out);
    return fsd_flush(out, err);
}
