/* The table of views. A view answers one question about a run: it fills a sheet that
 * every format prints. */
#pragma once

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "change/routes/routes.h"
#include "judge/findings/findings.h"
#include "judge/gate/gate.h"
#include "match/pick.h"
#include "report/phrase/phrase.h"
#include "report/sheet/sheet.h"

/** The input of a view. */
struct fsd_request {
    const struct fsd_diff *d;
    const struct fsd_query *q;
    bool all; /**< the text report omits nothing (--all) */
    struct fsd_error *err;
};

/** Fills a sheet; the caller sets its arena and style.
 * @return FSD_OK; FSD_E_ARG if a word of the query names no object */
typedef enum fsd_status fsd_view_fn(struct fsd_sheet *sheet,
                                    const struct fsd_request *request);

struct fsd_view {
    const char *name;
    fsd_view_fn *fill;
    bool pasted; /**< users paste its text into other programs, so lines are not
                      wrapped */
};

const struct fsd_view *fsd_view_find(const char *name); /**< NULL: there is no such
                                                             view */
/** The end of an error message on an unknown view: "; did you mean 'where'? There are
 * top, memory, ...". */
const char *fsd_view_list(const char *name, char out[512]);

/** The name of each view, and the value of its field `pasted`. The file of a view has
 * the view's name. Each view has a verb with the same name, except `rules` (the rules
 * of lint), `words` and `about`. These three views need no run. src/edit/api/view.c has
 * the views of src/edit. */
#define FSD_VIEWS(row)                                                                 \
    row(top, false) row(memory, false) row(reformats, false) row(patterns, false)      \
        row(where, false) row(inside, false) row(names, true) row(scopes, false)       \
            row(explain, false) row(skipped, false) row(rules, false)                  \
                row(about, false) row(parts, false) row(buildtime, false)              \
                    row(words, false)

#define FSD_VIEW_DECLARED(name, pasted) fsd_view_fn fsd_view_##name;
FSD_VIEWS(FSD_VIEW_DECLARED)

/* Subjects that have rows but are not views. */

/** Fills a sheet with the changes of a comparison. The sheet is for CSV and Markdown:
 * text and JSON have other writers. */
void fsd_sheet_of_comparison(struct fsd_sheet *sheet, const struct fsd_compare *c);
/** Fill a sheet with several builds. Each row of fsd_sheet_of_matrix() is for some
 * nodes, and has a column for each build. Each row of fsd_sheet_of_stability() is for
 * some nodes that differ among the builds, and has the variants of these nodes. */
void fsd_sheet_of_matrix(struct fsd_sheet *sheet, const struct fsd_matrix *m);
void fsd_sheet_of_stability(struct fsd_sheet *sheet, const struct fsd_matrix *m);
/** Fills a sheet with a comparison of routes: the fastest route, and the effect of each
 * knob. */
void fsd_sheet_of_routes(struct fsd_sheet *sheet, const struct fsd_routes *r);
/** Fills a sheet with the changes between two exports of a model. */
void fsd_sheet_of_exports(struct fsd_sheet *sheet, const struct fsd_exports *e);
/** Fills a sheet with the findings of one or several verdicts. */
void fsd_sheet_of_verdicts(struct fsd_sheet *sheet, const struct fsd_verdicts *all);

/* Functions that several views use. */

/** Returns the layers of a block as text: "layers 3 gemm, 5 kgen; between them 4
 * Reformat". patterns.c defines this function. */
const char *fsd_block_stands(struct fsd_arena *arena, const struct fsd_diff *d,
                             const struct fsd_blocks *all, const struct fsd_block *b);

/** The view `names` prints names in several forms. fsd_names_forms() in names.c returns
 * the forms that the engine's builder accepts. Each form is a template, into which the
 * HTML page puts names. */
extern const struct fsd_record fsd_form_row_record;
const struct fsd_rows *fsd_names_forms(struct fsd_arena *arena,
                                       const struct fsd_diff *d);

/* clang-format off */
/** Columns of a layer, for the lists of several views. The values use `layer`, the
 * number of the layer, and `d`, the run; those of FSD_LAYER_CALLED() also `arena`.
 *  @param key the key of the number in JSON
 *  @param ... the title of the name in tables, and further properties of the name */
#define FSD_LAYER_ID(set, t, key, ...) \
    set(t, COUNT, key, layer, "layer") \
    set(t, NAME, name, fsd_text(d->names, d->engine->nodes.at[layer].name), __VA_ARGS__)
/** The name that tables and text show, and the kind.
 *  @param title the title of the name in tables */
#define FSD_LAYER_CALLED(set, t, title) \
    set(t, NAME, called, fsd_layer_name_of(d, layer), title, .aside = true, \
        .brief = true) \
    set(t, TEXT, kind, fsd_kind_name(d->layers[layer].kind), "kind") \
    set(t, NAME, sort, fsd_phrase_of(arena, d, layer, fsd_put_layer_kind), FSD_ASIDE)
/* clang-format on */

/** A name as a Python string, in the arena. */
const char *fsd_names_quoted(struct fsd_arena *arena, const char *name);

/** Finds the nodes or layers that the words of a query name (match/pick.h), in the
 * order of the model or the engine. */
static inline enum fsd_status fsd_pick_words(struct fsd_arena *arena,
                                             const struct fsd_request *request,
                                             enum fsd_pick_want want, fsd_id_vec *out)
{
    return fsd_pick_all(arena, request->d->match, want, request->q->words,
                        request->q->n_words, out, request->err);
}
