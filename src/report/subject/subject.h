/*
 * The subjects of reports: a run, a comparison, a check, the answer to one question.
 * report/report.c has the tables of formats and subjects. A writer only prints: it
 * computes no counts and decides nothing.
 */
#pragma once

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "change/routes/routes.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"

struct fsd_failed; /* judge/failed/failed.h */

/** The subject of a report. A comment "for ..." lists the kinds of subjects that use
 * the field. */
struct fsd_report {
    enum fsd_subject subject;
    const struct fsd_diff *run;          /**< for a run, a view, a check */
    const struct fsd_compare *compare;   /**< for a comparison, two models, a check */
    const struct fsd_matrix *matrix;     /**< for several builds */
    const struct fsd_routes *routes;     /**< for several routes */
    const struct fsd_verdict *verdict;   /**< for a check, lint */
    const struct fsd_verdict *judged;    /**< for a comparison: its findings */
    const struct fsd_diff *compared;     /**< for a comparison: the run of the new
                                              build; NULL: unknown */
    const struct fsd_verdicts *verdicts; /**< for the checks of a list */
    const struct fsd_lint *lint;         /**< for lint */
    const struct fsd_failed *failed;     /**< for a failed build */
    const struct fsd_view *own_view;     /**< for a view that is not in FSD_VIEWS; NULL:
                                              `view` names the view */
    const char *view;                    /**< for a view: its name */
    const struct fsd_query *query;
    const struct fsd_style *style; /**< NULL: the default style */
};

/** Writes the report.
 * @param name the name of the format
 *  @return FSD_OK; FSD_E_ARG if the subject has no form in this format, or if the query
 *          names no object; FSD_E_LIMIT if the layout of a picture takes too long;
 *          FSD_E_WRITE. */
enum fsd_status fsd_report_write(const struct fsd_report *report, const char *name,
                                 FILE *out, struct fsd_error *err);

/** Prints the columns of all records of the report's document, as JSON in the form that
 * sheet_columns.c describes. */
void fsd_report_put_columns(const struct fsd_report *report, FILE *out);

/** The names of a subject. */
struct fsd_subject_names {
    const char *verb;   /**< name in messages; NULL: messages have the view's name */
    const char *listed; /**< name in the output of `about`, which lists the subjects
                             of each format */
    const char *page;   /**< name of the subject's data in an HTML page; NULL: the
                             subject has no page */
};
const struct fsd_subject_names *fsd_subject_names(enum fsd_subject subject);

/** A writer for one subject in one format. */
typedef void fsd_write_fn(const struct fsd_report *r, FILE *out);
fsd_write_fn fsd_write_text, fsd_lint_write_text, fsd_compare_write_text,
    fsd_compare_write_line, fsd_failed_write_text;
/** Writes a run with times as trace events. trace.c */
fsd_write_fn fsd_write_trace;
