/* The table of views: each answers one question about a run, as a sheet that every
 * format prints. */
#pragma once

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "change/routes/routes.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"
#include "match/pick.h"
#include "report/phrase/phrase.h"
#include "report/sheet/sheet.h"

/** The query of a view. */
struct fsd_request {
    const struct fsd_diff *d;
    const struct fsd_query *q;
    bool all; /**< text is not folded */
    struct fsd_error *err;
};

/** Fills a sheet, whose arena is set.
 *  @return FSD_OK; FSD_E_ARG if a word of the query names nothing */
typedef enum fsd_status fsd_view_fn(struct fsd_sheet *sheet,
                                    const struct fsd_request *request);

struct fsd_view {
    const char *name;
    fsd_view_fn *fill;
    bool pasted; /**< its text is for another program, so its lines are not changed */
};

const struct fsd_view *fsd_view_find(const char *name); /**< NULL: none */
/** "; did you mean 'where'?  There are top, memory, ...", for an unknown name. */
const char *fsd_view_list(const char *name, char out[512]);

/** The views, each in a file of its name, and whether its text is `pasted`. Each view
 * has a verb, except `rules` (of lint), `words` and `about` (the program itself), which
 * need no run. The views of src/edit are in its api/view.c. */
#define FSD_VIEWS(row)                                                                 \
    row(top, false) row(memory, false) row(reformats, false) row(patterns, false)      \
        row(where, false) row(inside, false) row(names, true) row(scopes, false)       \
            row(explain, false) row(skipped, false) row(rules, false)                  \
                row(about, false) row(parts, false) row(buildtime, false)              \
                    row(words, false)

#define FSD_VIEW_DECLARED(name, pasted) fsd_view_fn fsd_view_##name;
FSD_VIEWS(FSD_VIEW_DECLARED)

/* Subjects that have rows but are not views. Only formats of rows print them: JSON and
 * text have special writers for them. */

/** The changes of a comparison. */
void fsd_sheet_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c);
/** Sheets of several builds. Matrix: a row for some nodes, with what computes them in a
 *  column per build. Stability: what varies among the builds. */
void fsd_sheet_of_matrix(struct fsd_sheet *sheet, const struct fsd_matrix *m);
void fsd_sheet_of_stability(struct fsd_sheet *sheet, const struct fsd_matrix *m);
/** Several routes: the effect of each knob, and the fastest route. */
void fsd_sheet_of_routes(struct fsd_sheet *sheet, const struct fsd_routes *r);
/** The changes between two models. */
void fsd_sheet_of_exports(struct fsd_sheet *sheet, const struct fsd_exports *e);
/** The findings of one or several verdicts. */
void fsd_sheet_of_verdicts(struct fsd_sheet *sheet, const struct fsd_verdicts *all);

/* Shared by several views. */

/** "layers 3 gemm, 5 kgen; between them 4 Reformat": the layers of a block. patterns.c
 */
const char *fsd_block_stands(struct fsd_arena *arena, const struct fsd_diff *d,
                             const struct fsd_blocks *all, const struct fsd_block *b);

/** The forms of `names` that the engine's builder accepts, for users who fill in names
 * themselves. names.c */
extern const struct fsd_record fsd_form_row_record;
const struct fsd_rows *fsd_names_forms(struct fsd_arena *arena,
                                       const struct fsd_diff *d);

/** A name as a Python string, in the arena. */
const char *fsd_names_quoted(struct fsd_arena *arena, const char *name);

/** The nodes or layers that the words of a query name, in the order of the model or the
 *  engine. match/pick.h */
static inline enum fsd_status fsd_pick_words(struct fsd_arena *arena,
                                             const struct fsd_request *request,
                                             enum fsd_pick_want want, fsd_id_vec *out)
{
    return fsd_pick_all(arena, request->d->match, want, request->q->words,
                        request->q->n_words, out, request->err);
}
