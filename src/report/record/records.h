/*
 * The record types of reports: layers and nodes of a run, the tensors that they read
 * and write, findings, and others. The JSON document of a subject is one record, which
 * contains all others. Each type has one list of members (sheet/record.h). The list
 * generates the struct, its JSON, its schema, the function that fills it, and the
 * members that fsd_diff_members() of the public API passes. A new member therefore
 * needs one line. The structs of the public API, such as struct fsd_layer_data, are not
 * generated: they are written by hand, in fusiondiff.h and api/data.c. Their members
 * must keep their order, and have NULL, "" or -1 for an unknown value; and filling one
 * of them must allocate no memory, whereas filling a row of a record does.
 */
#pragma once

#include "change/compare/compare.h"
#include "explain/cost/scope.h"
#include "judge/failed/failed.h"
#include "judge/findings/brief.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"
#include "judge/lint/lint.h"
#include "report/sheet/sheet.h"
#include "explain/values/values.h"

/* ----------------------------------------------------------------------- documents */

/** Fill a sheet with the JSON document of a run, a comparison, lint, one check or a
 * list of checks. The subject must outlive the sheet. */
void fsd_document_of_run(struct fsd_sheet *sheet, const struct fsd_diff *d);
/** @param v the verdict on the comparison; NULL: none */
void fsd_document_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c,
                                const struct fsd_verdict *v);
/** The head of that document: the two builds, and all counts. */
extern const struct fsd_record fsd_compared_record;
const void *fsd_compared_of(struct fsd_arena *arena, const struct fsd_compare *c);
void fsd_document_of_lint(struct fsd_sheet *sheet, const struct fsd_diff *run,
                          const struct fsd_lint *lint, const struct fsd_verdict *v);
void fsd_document_of_failed(struct fsd_sheet *sheet, const struct fsd_failed *f);
void fsd_document_of_check(struct fsd_sheet *sheet, const struct fsd_verdict *v);
/** Fills a sheet with one line of a batch.
 *  @param name the name of the pair; NULL: only the schema is needed
 *  @param d the run; NULL: the run failed with `error`, which may be NULL */
void fsd_document_of_pair(struct fsd_sheet *sheet, const char *name,
                          const struct fsd_diff *d, const struct fsd_error *error);
void fsd_document_of_checks(struct fsd_sheet *sheet, const struct fsd_verdicts *all);

/* ------------------------------------------------------------------- parts of a run */

/** The data that fills the rows of a run. */
struct fsd_run_source {
    const struct fsd_diff *d;
    struct fsd_scopes modules; /**< the modules of the model, at all depths */
};
const struct fsd_run_source *fsd_run_source_of(struct fsd_arena *arena,
                                               const struct fsd_diff *d);

extern const struct fsd_record fsd_layer_record, fsd_node_record, fsd_finding_record;

/** Fill a row of a layer, node or finding. `from` is a struct fsd_run_source; for
 * fsd_fill_finding, it is a struct fsd_findings. */
fsd_fill_row_fn fsd_fill_layer, fsd_fill_node, fsd_fill_finding;

/** The nodes that a layer computes; for FSD_NONE, the nodes that no layer computes. */
const struct fsd_rows *fsd_rows_of_nodes(struct fsd_arena *arena,
                                         const struct fsd_run_source *source,
                                         fsd_id layer);
/** One row for a table of layers. This row has all nodes that no layer computes. If
 * there are no such nodes, there is no row. */
const struct fsd_rows *fsd_rows_without_layer(struct fsd_arena *arena,
                                              const struct fsd_run_source *from);

/** A tensor that a layer or node reads or writes. */
extern const struct fsd_record fsd_port_record;
const struct fsd_rows *fsd_ports_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_graph *g, struct fsd_span ports);

/** The edge of the model on which a data-movement layer moves data; NULL: the layer is
 * no data-movement layer. */
extern const struct fsd_record fsd_edge_record;
const void *fsd_edge_of(struct fsd_arena *arena, const struct fsd_diff *d,
                        fsd_id layer);

/** The model, engine, log and counts of a run. */
extern const struct fsd_record fsd_run_head_record;
const void *fsd_run_head_of(struct fsd_arena *arena, const struct fsd_diff *d);

/** The external numbers (--values) of a run; NULL: none. */
extern const struct fsd_record fsd_values_record;
const void *fsd_values_held(struct fsd_arena *arena, const struct fsd_diff *d);
/** Adds a column for each kind of external number to the tables of a sheet; nothing if
 * the run has no external numbers. */
void fsd_sheet_take_values(struct fsd_sheet *sheet, const struct fsd_diff *d);
/** The external numbers in row `row` of `v->numbers`, as facts for JSON and as text. If
 * `v` is NULL or `row` is FSD_NONE, the facts are unknown and the text is NULL. */
struct fsd_fact_cells fsd_facts_of_row(struct fsd_arena *arena,
                                       const struct fsd_values *v, uint32_t row);
const char *fsd_text_of_row(struct fsd_arena *arena, const struct fsd_values *v,
                            uint32_t row);

/** The conclusions in the first lines of a report. */
extern const struct fsd_record fsd_brief_line_record;
const struct fsd_rows *fsd_brief_rows(struct fsd_arena *arena,
                                      const struct fsd_brief *brief);

/** The differences between the models, options, devices, ... of two builds, and the
 * aspects that are not compared because a build does not state them. */
struct fsd_account;
extern const struct fsd_record fsd_difference_record, fsd_unstated_record;
const struct fsd_rows *fsd_rows_of_differences(struct fsd_arena *arena,
                                               const struct fsd_account *account);
const struct fsd_rows *fsd_rows_of_unstated(struct fsd_arena *arena,
                                            const struct fsd_account *account);

extern const struct fsd_record fsd_cite_record;
const struct fsd_rows *fsd_cites_of(struct fsd_arena *arena,
                                    const struct fsd_findings *all,
                                    struct fsd_span cites);
const struct fsd_rows *fsd_cites_of_layer(struct fsd_arena *arena,
                                          const struct fsd_diff *d, fsd_id layer);

/* ---------------------------------------------------------- shared by many subjects */

/** Median, minimum and maximum of several measurements. */
#define FSD_SPREAD(has, set, when, t)                                                  \
    set(t, MS, median, fsd_real(spread->median), FSD_ALWAYS)                           \
        set(t, MS, low, fsd_real(spread->low), FSD_ALWAYS)                             \
            set(t, MS, high, fsd_real(spread->high), FSD_ALWAYS)
FSD_RECORD_DECLARED(fsd_spread_row, FSD_SPREAD)
const void *fsd_spread_held(struct fsd_arena *arena, const struct fsd_spread *spread);

/** The number of words for levels: one word for each enum fsd_severity, and one for
 * FSD_OFF. */
enum { FSD_LEVEL_WORDS = FSD__SEVERITY_COUNT + 1 };
static inline const char *fsd_level_word(unsigned i)
{
    return fsd_level_name((int)i - 1);
}

/** The fingerprint of a finding: 16 hexadecimal digits.
 * @param build the name of the build. It is a part of the fingerprint, so that the same
 *        finding has a different fingerprint in each build. NULL: there is one build */
const char *fsd_fingerprint_text(struct fsd_arena *arena, const char *build,
                                 const struct fsd_finding *finding);

/** "xxh128:..." */
const char *fsd_hash_word(struct fsd_arena *arena, const uint64_t hash[2]);
#define FSD_HASH_PATTERN "^xxh128:[0-9a-f]{32}$"

/** The versions and options with which an engine was built; unset if no input states
 * any. */
struct fsd_fact_cells fsd_facts_of_built(struct fsd_arena *arena,
                                         const fsd_built_vec *built,
                                         const struct fsd_intern *names);

/** The number of times that each symbol is in the array, most frequent first; unset if
 * the array is empty. The word for the symbol 0 is "unknown". */
struct fsd_words fsd_tally_of_syms(struct fsd_arena *arena,
                                   const struct fsd_intern *names, const fsd_sym *syms,
                                   uint32_t n);
/** The operators of the nodes with this outcome, most frequent first; unset if no node
 * has this outcome. */
struct fsd_words fsd_ops_of_fate(struct fsd_arena *arena, const struct fsd_diff *d,
                                 enum fsd_fate fate);

/** The rows of some groups of the state `s`. The numbers of these groups are in `pool`,
 * in the span `groups`. */
extern const struct fsd_record fsd_group_record;
const struct fsd_rows *fsd_rows_of_groups(struct fsd_arena *arena,
                                          const struct fsd_state *s, const fsd_id *pool,
                                          struct fsd_span groups);

/** The names of nodes and ports of a state, as fsd_end_text() returns them. */
struct fsd_words fsd_words_of_ends(struct fsd_arena *arena, struct fsd_ends ends);
/** "fp16 chw" */
const char *fsd_state_form_text(struct fsd_arena *arena, const struct fsd_state *s,
                                struct fsd_state_form form);

/** The program and its version. */
extern const struct fsd_record fsd_tool_record;
const void *fsd_tool(struct fsd_arena *arena);

/** An error, and its position in the input. */
extern const struct fsd_record fsd_failure_record;
const void *fsd_failure_of(struct fsd_arena *arena, const struct fsd_error *error);

/** The names of a finding's subjects. */
struct fsd_words fsd_names_of_subjects(struct fsd_arena *arena,
                                       const struct fsd_findings *all,
                                       struct fsd_span about);

/** The text of a symbol; NULL if `sym` is 0. */
static inline const char *fsd_text_or_null(const struct fsd_diff *d, fsd_sym sym)
{
    return sym ? fsd_text(d->names, sym) : NULL;
}

/** The numbers in a span of `pool`. If the span is empty, `pool` may be NULL. */
static inline struct fsd_ids fsd_ids_of_span(const fsd_id *pool, struct fsd_span span)
{
    return fsd_ids(span.n ? pool + span.at : NULL, span.n);
}
