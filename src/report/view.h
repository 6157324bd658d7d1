/* The table of views: each answers one question about a run, as text or as JSON.  To
 * add one: a file view_<name>.c, a declaration here, a row in view.c, its verb in
 * cli/verb_views.c. */
#ifndef FSD_REPORT_VIEW_H
#define FSD_REPORT_VIEW_H

#include "findings/findings.h"

#include <stdio.h>

/** Fails with FSD_E_ARG when a word of the query names nothing. */
typedef enum fsd_status fsd_view_fn(const struct fsd_diff *d, const struct fsd_query *q,
                                    bool json, const struct fsd_style *style, FILE *out,
                                    struct fsd_error *err);

struct fsd_view {
    const char *name;
    fsd_view_fn *write;
};

const struct fsd_view *fsd_view_find(const char *name); /**< NULL: none */

fsd_view_fn fsd_view_reformats, fsd_view_where, fsd_view_inside, fsd_view_names,
    fsd_view_scopes, fsd_view_explain;

#endif
