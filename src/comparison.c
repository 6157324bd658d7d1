/* Two runs, compared: the public API of it. */
#include "base/status.h"
#include "compare/compare.h"
#include "compare/snapshot.h"
#include "report/compare_report.h"
#include "states.h"

#include <string.h>

struct fsd_comparison {
    struct fsd_state *old, *new;
    struct fsd_compare *compare;
};

enum fsd_status fsd_state_open(struct fsd_state **out, const struct fsd_options *opt,
                               struct fsd_error *err)
{
    const char *lone = !opt->engine ? opt->model : !opt->model ? opt->engine : NULL;
    struct fsd_options pair = *opt;
    struct fsd_diff *d;
    enum fsd_status status;

    *out = NULL;
    if (lone && fsd_snapshot_sniff(lone))
        return fsd_snapshot_read(out, lone, NULL, err);
    if (lone) { /* a build log, which holds both */
        pair.engine = lone;
        pair.model = NULL;
    }
    status = fsd_diff_open(&d, &pair, err);
    if (status == FSD_OK)
        *out = fsd_state_of(d, d->profile_ms, d->times.profiles);
    fsd_diff_free(d);
    return status;
}

enum fsd_status fsd_comparison_open(struct fsd_comparison **out,
                                    const struct fsd_options *old,
                                    const struct fsd_options *new,
                                    struct fsd_error *err)
{
    struct fsd_state *before = NULL, *after = NULL;
    enum fsd_status status = fsd_state_open(&before, old, err);

    *out = NULL;
    if (status == FSD_OK)
        status = fsd_state_open(&after, new, err);
    if (status != FSD_OK) {
        fsd_state_free(before);
        return status;
    }
    *out = FSD_NEW(after->arena, struct fsd_comparison, 1);
    (*out)->old = before;
    (*out)->new = after;
    (*out)->compare = fsd_compare_new(before, after);
    return FSD_OK;
}

void fsd_comparison_free(struct fsd_comparison *comparison)
{
    if (!comparison)
        return;
    fsd_compare_free(comparison->compare);
    fsd_state_free(comparison->old);
    fsd_state_free(comparison->new); /* its arena holds the comparison */
}

bool fsd_comparison_differs(const struct fsd_comparison *comparison)
{
    return comparison->compare->differs;
}

enum fsd_status fsd_comparison_write(const struct fsd_comparison *comparison,
                                     const char *format, const struct fsd_style *style,
                                     FILE *out, struct fsd_error *err)
{
    static const struct fsd_style plain = {0};

    if (!strcmp(format, "text"))
        fsd_compare_write_text(comparison->compare, style ? style : &plain, out);
    else if (!strcmp(format, "json"))
        fsd_compare_write_json(comparison->compare, out);
    else
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "compare writes text and json, not %s", format);
    if (fflush(out) == 0 && !ferror(out))
        return FSD_OK;
    return fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0, "cannot write the report");
}
