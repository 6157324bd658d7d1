/* The table of views: each answers one question about a run, as a sheet that every
 * format prints. */
#ifndef FSD_REPORT_VIEW_VIEW_H
#define FSD_REPORT_VIEW_VIEW_H

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "change/routes/routes.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"
#include "match/pick.h"
#include "report/phrase/phrase.h"
#include "report/sheet/sheet.h"

/** What a view is to be of. */
struct fsd_request {
    const struct fsd_diff *d;
    const struct fsd_query *q;
    bool all; /**< nothing is folded in text */
    struct fsd_error *err;
};

/** Fills a sheet, whose arena is set.
 *  @return FSD_OK; FSD_E_ARG when a word of the query names nothing. */
typedef enum fsd_status fsd_view_fn(struct fsd_sheet *sheet,
                                    const struct fsd_request *request);

struct fsd_view {
    const char *name;
    fsd_view_fn *fill;
    bool pasted; /**< its text is for another program: its lines stay as they are */
};

const struct fsd_view *fsd_view_find(const char *name); /**< NULL: none */
/** "; did you mean 'where'? There are top, memory, ...", for who asks for another. */
const char *fsd_view_list(const char *name, char out[512]);

/** The views, each in a file of its name, and whether its text is `pasted`; rules (of
 *  lint), words and about (the program itself) ask for no run, all others have a verb.
 *  Those of src/edit are in its api/view.c. */
#define FSD_VIEWS(row)                                                                 \
    row(top, false) row(memory, false) row(reformats, false) row(patterns, false)      \
        row(where, false) row(inside, false) row(names, true) row(scopes, false)       \
            row(explain, false) row(skipped, false) row(rules, false)                  \
                row(about, false) row(parts, false) row(buildtime, false)              \
                    row(words, false)

#define FSD_VIEW_DECLARED(name, pasted) fsd_view_fn fsd_view_##name;
FSD_VIEWS(FSD_VIEW_DECLARED)

/* Subjects with rows other than views, in formats with rows: JSON and text print them
 * in ways of their own. */

/** What changed. */
void fsd_sheet_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c);
/** Several builds: one row what computes some nodes, one column a build; or what varies
 *  among them. */
void fsd_sheet_of_matrix(struct fsd_sheet *sheet, const struct fsd_matrix *m);
void fsd_sheet_of_stability(struct fsd_sheet *sheet, const struct fsd_matrix *m);
/** Several routes: what each knob does, and which route is the fastest. */
void fsd_sheet_of_routes(struct fsd_sheet *sheet, const struct fsd_routes *r);
/** What changed between two models. */
void fsd_sheet_of_exports(struct fsd_sheet *sheet, const struct fsd_exports *e);
/** The findings. */
void fsd_sheet_of_verdicts(struct fsd_sheet *sheet, const struct fsd_verdicts *all);

/* What several views say alike. */

/** "layers 3 gemm, 5 kgen; between them 4 Reformat": where a block is.  patterns.c */
const char *fsd_block_stands(struct fsd_arena *arena, const struct fsd_diff *d,
                             const struct fsd_blocks *all, const struct fsd_block *b);

/** The forms of `names` that the engine's builder takes: for who fills them in himself.
 *  names.c */
extern const struct fsd_record fsd_form_row_record;
const struct fsd_rows *fsd_names_forms(struct fsd_arena *arena,
                                       const struct fsd_diff *d);

/** A name as a string of Python, in the arena. */
const char *fsd_names_quoted(struct fsd_arena *arena, const char *name);

/** What the words of a query name, in the order of the model or the engine.
 *  match/pick.h */
static inline enum fsd_status fsd_pick_words(struct fsd_arena *arena,
                                             const struct fsd_request *request,
                                             enum fsd_pick_want want, fsd_id_vec *out)
{
    return fsd_pick_all(arena, request->d->match, want, request->q->words,
                        request->q->n_words, out, request->err);
}

#endif
