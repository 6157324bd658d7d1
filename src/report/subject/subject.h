/*
 * The subjects of reports: a run, a comparison, a check, the answer to one question.
 * The tables of formats and of subjects are in report/report.c.  A writer only prints
 * and computes nothing: counts come from the summary, phrases from the rules.
 */
#pragma once

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "change/routes/routes.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"

struct fsd_failed; /* judge/failed/failed.h */

/** The subject of a report. */
struct fsd_report {
    enum fsd_subject subject;
    const struct fsd_diff *run;          /**< for a run, a view, and a check */
    const struct fsd_compare *compare;   /**< for a comparison, two models, a check */
    const struct fsd_matrix *matrix;     /**< for several builds */
    const struct fsd_routes *routes;     /**< for several routes */
    const struct fsd_verdict *verdict;   /**< for a check, and for lint */
    const struct fsd_verdict *judged;    /**< for a comparison: its findings */
    const struct fsd_diff *compared;     /**< the run of the new build; NULL: unknown */
    const struct fsd_verdicts *verdicts; /**< for the checks of a list */
    const struct fsd_lint *lint;         /**< for lint */
    const struct fsd_failed *failed;     /**< for a failed build */
    const struct fsd_view *own_view;     /**< a view that FSD_VIEWS lacks; NULL: none */
    const char *view;                    /**< for a view: its name, and the query */
    const struct fsd_query *query;
    const struct fsd_style *style; /**< NULL: the default style */
};

/** Writes the report.
 * @param name the name of the format
 *  @return FSD_OK; FSD_E_ARG if the subject has no form in this format, or if the
 *          query names nothing; FSD_E_LIMIT for a picture that takes too
 *          long; FSD_E_WRITE. */
enum fsd_status fsd_report_write(const struct fsd_report *report, const char *name,
                                 FILE *out, struct fsd_error *err);

/** Prints the columns of the records in the report's document as JSON
 * (sheet_columns.c). */
void fsd_report_put_columns(const struct fsd_report *report, FILE *out);

/** The names of a subject. */
struct fsd_subject_names {
    const char *verb;   /**< in messages; NULL: the view's name */
    const char *listed; /**< in the list of subjects that `about` prints for a format */
    const char *page;   /**< its data in a page; NULL: it has no page */
};
const struct fsd_subject_names *fsd_subject_names(enum fsd_subject subject);

/** Writes a subject in the special form of a format. */
typedef void fsd_write_fn(const struct fsd_report *r, FILE *out);
fsd_write_fn fsd_write_text, fsd_lint_write_text, fsd_compare_write_text,
    fsd_compare_write_line, fsd_failed_write_text;
/** Writes a run with times. trace.c */
fsd_write_fn fsd_write_trace;
