/*
 * What a report is of: a run, a comparison, a check, the answer to one question.  The
 * tables of formats and of subjects are in report/report.c.  A writer prints and
 * computes nothing: counts come from the summary, phrases from the rules.
 */
#ifndef FSD_REPORT_SUBJECT_SUBJECT_H
#define FSD_REPORT_SUBJECT_SUBJECT_H

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "change/routes/routes.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"

#include <stdio.h>

struct fsd_failed; /* judge/failed/failed.h */

/** The subject of a report. */
struct fsd_report {
    enum fsd_subject subject;
    const struct fsd_diff *run;          /**< of a run, of a view, and of a check */
    const struct fsd_compare *compare;   /**< of a comparison, two models, a check */
    const struct fsd_matrix *matrix;     /**< of several builds */
    const struct fsd_routes *routes;     /**< of several routes */
    const struct fsd_verdict *verdict;   /**< of a check, and of lint */
    const struct fsd_verdict *judged;    /**< of what is compared */
    const struct fsd_diff *compared;     /**< the run of the new build; NULL: unknown */
    const struct fsd_verdicts *verdicts; /**< of the checks of a list */
    const struct fsd_lint *lint;         /**< of lint */
    const struct fsd_failed *failed;     /**< of a failed build */
    const struct fsd_view *own_view;     /**< one that FSD_VIEWS lacks; NULL: none */
    const char *view;                    /**< of a view: its name, and what is asked */
    const struct fsd_query *query;
    const struct fsd_style *style; /**< NULL: the plain one */
};

/** Writes it.
 *  @param name  the format's.
 *  @return FSD_OK; FSD_E_ARG when the subject is not written in that format, or when
 *          what is asked for is not there; FSD_E_LIMIT for a picture that takes too
 *          long; FSD_E_WRITE. */
enum fsd_status fsd_report_write(const struct fsd_report *report, const char *name,
                                 FILE *out, struct fsd_error *err);

/** Prints what the records of its document have, as JSON (sheet_columns.c). */
void fsd_report_put_columns(const struct fsd_report *report, FILE *out);

/** What a subject is called. */
struct fsd_subject_names {
    const char *verb;   /**< in messages; NULL: it is the view's name */
    const char *listed; /**< where `about` says what a format is written of */
    const char *page;   /**< its data in a page; NULL: there is no page of it */
};
const struct fsd_subject_names *fsd_subject_names(enum fsd_subject subject);

/** Writes a subject in a format, in a form of their own. */
typedef void fsd_write_fn(const struct fsd_report *r, FILE *out);
fsd_write_fn fsd_write_text, fsd_lint_write_text, fsd_compare_write_text,
    fsd_compare_write_line, fsd_failed_write_text;
/** Of a run with times.  trace.c */
fsd_write_fn fsd_write_trace;

#endif
