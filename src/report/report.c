/*
 * The tables of formats and subjects, and the choice of a writer.
 *
 * form_of() chooses how a format writes a subject: as a page, by a special writer, as a
 * picture, as a verdict, or as rows. For rows, fill_sheet() fills a sheet, and the
 * format's function `sheet` prints it. Writers neither wrap lines nor escape commands
 * to CI runners: write_lines() does both for all text.
 */
#include "model/graph/graph.h"
#include "report/subject/subject.h"
#include "base/base.h"
#include "base/lines.h"
#include "report/page/page.h"
#include "report/phrase/quote.h"
#include "report/record/records.h"
#include "report/verdict/verdict.h"
#include "report/picture/picture.h"
#include "report/view/view.h"

#include <stdlib.h>

struct format {
    const char *name;
    const char *extensions; /* file name extensions of this format; a space follows each
                               of them */
    const char *escape;     /* printf format that escapes commands to a CI
                               runner: see fsd_put_escaped(). NULL: nothing is escaped,
                               because the report is not text or consists of commands */
    fsd_write_fn *own[FSD__SUBJECT_COUNT]; /* special writers, by subject. NULL here, in
                                              `verdict` or in `sheet`: the format has
                                              no such form */
    fsd_verdict_fn *verdict;               /* writes findings */
    fsd_sheet_fn *sheet;                   /* writes subjects that fill rows */
    bool document;                         /* the format prints whole documents, not
                                              tables */
    bool json;                             /* the argument `json` of fsd_put_escaped();
                                              true only if the format prints every name
                                              in quotes */
    bool picture, page;
    bool wraps; /* lines are wrapped if the width is known */
    bool timed; /* the format prints the times of a run */
};

/* clang-format off */
#define IN_TEXT "\\u{%x}"
#define IN_JSON "\\u%04x"
#define IN_XML  "&#%u;"

static const struct format formats[] = {
    {"text", ".txt .text ", IN_TEXT,
     {[FSD_OF_RUN] = fsd_write_text, [FSD_OF_COMPARISON] = fsd_compare_write_text,
      [FSD_OF_LINT] = fsd_lint_write_text, [FSD_OF_FAILURE] = fsd_failed_write_text},
     fsd_verdict_put_text, fsd_sheet_put_text, .wraps = true},
    {"line", "", IN_TEXT, {[FSD_OF_COMPARISON] = fsd_compare_write_line},
     fsd_verdict_put_line},
    {"json", ".json ", IN_JSON, .sheet = fsd_sheet_put_json, .document = true,
     .json = true},
    {"markdown", ".md .markdown ", IN_XML,
     .verdict = fsd_verdict_put_markdown, .sheet = fsd_sheet_put_markdown},
    {"csv", ".csv ", IN_TEXT, .sheet = fsd_sheet_put_csv},
    {"schema", "", IN_JSON, .sheet = fsd_sheet_put_schema, .document = true,
     .json = true},
    {"html", ".html .htm ", IN_JSON, .page = true}, /* the page has names only within
                                                       JSON */
    {"junit", ".xml ", IN_XML, .verdict = fsd_verdict_put_junit},
    {"sarif", ".sarif ", IN_JSON, .verdict = fsd_verdict_put_sarif, .json = true},
    {"github", "", NULL, .verdict = fsd_verdict_put_github},
    {"gitlab", "", IN_JSON, .verdict = fsd_verdict_put_gitlab, .json = true},
    {"trace", ".trace.json ", IN_JSON, {[FSD_OF_RUN] = fsd_write_trace},
     .timed = true},
    {"dot", ".dot .gv ", IN_XML, .picture = true},
    {"svg", ".svg ", IN_XML, .picture = true},
    {"png", ".png ", NULL, .picture = true},
    {"pdf", ".pdf ", NULL, .picture = true},
};
/* clang-format on */

/* ----------------------------------------------------------------------- subjects */

typedef void fill_fn(struct fsd_sheet *sheet, const struct fsd_report *r);
typedef enum fsd_status draw_fn(const struct fsd_report *r, const char *format,
                                FILE *out, struct fsd_error *err);
typedef struct fsd_verdict *judge_fn(const struct fsd_report *r, uint32_t i);

/* A subject: its names, and the forms in which it can be written. form_of() chooses the
 * form. */
struct subject {
    struct fsd_subject_names names;
    draw_fn *draw;             /* NULL here and below: no such form */
    bool judged;               /* its main content is findings, so a format that has
                                  both `verdict` and `sheet` uses `verdict` */
    judge_fn *judge;           /* finds the findings, for formats that show them */
    fill_fn *document, *table; /* fill a document or tables. `table` is NULL:
                                  `document` also fills tables. Both are NULL: the
                                  requested view fills the rows */
};

#define DOCUMENT(name, call)                                                           \
    static void name(struct fsd_sheet *sheet, const struct fsd_report *r)              \
    {                                                                                  \
        call;                                                                          \
    }
#define DRAW(name, call)                                                               \
    static enum fsd_status name(const struct fsd_report *r, const char *format,        \
                                FILE *out, struct fsd_error *err)                      \
    {                                                                                  \
        return call;                                                                   \
    }
#define JUDGE(name, call)                                                              \
    static struct fsd_verdict *name(const struct fsd_report *r, uint32_t i)            \
    {                                                                                  \
        (void)i;                                                                       \
        return call;                                                                   \
    }

DOCUMENT(fill_run, fsd_document_of_run(sheet, r->run))
DOCUMENT(fill_comparison, fsd_document_of_comparison(sheet, r->compare, r->judged))
DOCUMENT(fill_changes, fsd_sheet_of_comparison(sheet, r->compare))
DOCUMENT(fill_matrix, fsd_sheet_of_matrix(sheet, r->matrix))
DOCUMENT(fill_stability, fsd_sheet_of_stability(sheet, r->matrix))
DOCUMENT(fill_models, fsd_sheet_of_exports(sheet, r->compare->exports))
DOCUMENT(fill_routes, fsd_sheet_of_routes(sheet, r->routes))
DOCUMENT(fill_check, fsd_document_of_check(sheet, r->verdict))
DOCUMENT(fill_lint, fsd_document_of_lint(sheet, r->run, r->lint, r->verdict))
DOCUMENT(fill_failed, fsd_document_of_failed(sheet, r->failed))
DOCUMENT(fill_checks, fsd_document_of_checks(sheet, r->verdicts))
DOCUMENT(fill_verdicts, fsd_sheet_of_verdicts(sheet, r->verdicts))

/* Fills a table with the findings of a check. */
static void fill_findings(struct fsd_sheet *sheet, const struct fsd_report *r)
{
    struct fsd_judged room;
    struct fsd_verdicts one = fsd_verdicts_of_one(&room, r->verdict);

    fsd_sheet_of_verdicts(sheet, &one);
}

DRAW(draw_run, fsd_picture_write(r->run, format, r->style, out, err))
DRAW(draw_comparison, fsd_compare_write_picture(r->compare, format, r->style, out, err))

JUDGE(judge_run, fsd_verdict_of_run(r->run))
JUDGE(judge_comparison, fsd_verdict_of_comparison(r->compare, r->compared))
JUDGE(judge_matrix, fsd_verdict_of_comparison(r->matrix->with[i + 1], NULL))
JUDGE(judge_models, fsd_verdict_of_exports(r->compare))

/* clang-format off */
static const struct subject subjects[] = {
    [FSD_OF_RUN] = {{"diff", "a run", "run"}, draw_run, true, judge_run, fill_run},
    [FSD_OF_COMPARISON] = {{"compare", "compare", "compare"}, draw_comparison, false,
                           judge_comparison, fill_comparison, fill_changes},
    [FSD_OF_CHECK] = {{"check", "check", "check"}, .judged = true,
                      .document = fill_check, .table = fill_findings},
    [FSD_OF_VIEW] = {{NULL, "views", NULL}},
    [FSD_OF_LINT] = {{"lint", "lint", "lint"}, .judged = true,
                     .document = fill_lint, .table = fill_findings},
    [FSD_OF_MATRIX] = {{"a comparison of several builds", "several builds", "matrix"},
                       .judge = judge_matrix, .document = fill_matrix},
    [FSD_OF_STABILITY] = {{"stability", "stability", NULL}, .document = fill_stability},
    [FSD_OF_MODELS] = {{"a comparison of models", "two models", "exports"},
                       .draw = draw_comparison, .judge = judge_models,
                       .document = fill_models},
    [FSD_OF_CHECKS] = {{"check --list", "check --list", "checks"}, .judged = true,
                       .document = fill_checks, .table = fill_verdicts},
    [FSD_OF_ROUTES] = {{"routes", "routes", NULL}, .document = fill_routes},
    [FSD_OF_FAILURE] = {{"a failed build", "failed builds", "failed"},
                        .document = fill_failed},
};
/* clang-format on */
_Static_assert(FSD_COUNT_OF(subjects) == FSD__SUBJECT_COUNT, "a row each");

const struct fsd_subject_names *fsd_subject_names(enum fsd_subject subject)
{
    return &subjects[subject].names;
}

enum form { NONE, PAGE, OWN, DRAWN, VERDICT, ROWS };

/* Whether a format is only for merge gates. Such a format has neither tables nor its
 * own writer of a comparison. It reports the changes of a comparison as findings. */
static bool gates(const struct format *f)
{
    return f->verdict && !f->own[FSD_OF_COMPARISON] && !f->sheet;
}

/* The form in which a format writes a subject. */
static enum form form_of(const struct format *f, enum fsd_subject subject)
{
    const struct subject *s = &subjects[subject];

    return f->page                   ? (s->names.page ? PAGE : NONE)
           : f->own[subject]         ? OWN
           : f->picture && s->draw   ? DRAWN
           : f->verdict && s->judged ? VERDICT
           : f->sheet                ? ROWS
           : s->judge && gates(f)    ? VERDICT
                                     : NONE;
}

/* ------------------------------------------------------------------------ writing */

/* The requested view; NULL if there is no view with this name. */
static const struct fsd_view *view_of(const struct fsd_report *r)
{
    return r->own_view ? r->own_view : fsd_view_find(r->view);
}

static enum fsd_status fill_sheet(const struct fsd_report *r, const struct format *f,
                                  struct fsd_sheet *sheet, struct fsd_error *err)
{
    const struct subject *s = &subjects[r->subject];
    struct fsd_request request = {r->run, r->query, r->style->all, err};

    if (s->document) {
        (s->table && !f->document ? s->table : s->document)(sheet, r);
        return FSD_OK;
    }
    sheet->name = r->view;
    fsd_sheet_take_values(sheet, r->run);
    return view_of(r)->fill(sheet, &request);
}

static enum fsd_status write_sheet(const struct fsd_report *r, const struct format *f,
                                   FILE *out, struct fsd_error *err)
{
    struct fsd_sheet sheet = {.arena = fsd_arena_new(), .style = r->style};
    enum fsd_status status = fill_sheet(r, f, &sheet, err);

    if (status == FSD_OK)
        f->sheet(&sheet, out);
    fsd_arena_free(sheet.arena);
    return status;
}

void fsd_report_put_columns(const struct fsd_report *report, FILE *out)
{
    static const struct format columns = {.sheet = fsd_sheet_put_columns,
                                          .document = true};

    write_sheet(report, &columns, out, NULL);
}

/* Writes verdicts. The `judge` of the subject makes them; without a `judge`, the report
 * contains them. In a comparison of several builds, each build except the first has a
 * verdict on its differences from the first. */
static void write_verdicts(const struct fsd_report *r, const struct format *f,
                           FILE *out)
{
    judge_fn *judge = subjects[r->subject].judge;
    FSD_SCRATCH(arena);
    uint32_t n = r->matrix ? r->matrix->n - 1 : 1;
    struct fsd_verdict **own = FSD_NEW(arena, struct fsd_verdict *, n);
    struct fsd_judged *at = FSD_NEW(arena, struct fsd_judged, n);
    struct fsd_verdicts all;

    for (uint32_t i = 0; i < n; i++) {
        own[i] = judge ? judge(r, i) : NULL;
        at[i].v = judge ? own[i] : r->verdict;
    }
    all = r->verdicts ? *r->verdicts
          : r->matrix ? fsd_verdicts_of(arena, at, n)
                      : fsd_verdicts_of_one(at, at[0].v);
    f->verdict(&all, r->style, out);
    for (uint32_t i = 0; i < n; i++)
        fsd_verdict_free(own[i]);
}

static enum fsd_status write(const struct fsd_report *r, const struct format *f,
                             FILE *out, struct fsd_error *err)
{
    switch (form_of(f, r->subject)) {
    case PAGE:
        fsd_page_write(r, out);
        return FSD_OK;
    case OWN:
        f->own[r->subject](r, out);
        return FSD_OK;
    case DRAWN:
        return subjects[r->subject].draw(r, f->name, out, err);
    case VERDICT:
        write_verdicts(r, f, out);
        return FSD_OK;
    case ROWS:
    case NONE:
    default:
        return write_sheet(r, f, out, err);
    }
}

static bool writes_files(const struct format *format, const char *extension)
{
    const char *at = extension[1] ? strstr(format->extensions, extension) : NULL;

    return at && at[strlen(extension)] == ' ';
}

/* Finds a format by its name or by the extension of a file name. The longest extension
 * decides: x.trace.json is a trace, not a JSON report. */
static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(formats); i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        for (size_t i = 0; i < FSD_COUNT_OF(formats); i++)
            if (writes_files(&formats[i], dot))
                return &formats[i];
    return NULL;
}

const char *fsd_format_find(const char *name)
{
    const struct format *format = find_format(name);

    return format ? format->name : NULL;
}

bool fsd_format_draws(const char *name)
{
    const struct format *format = find_format(name);

    return format && format->picture;
}

bool fsd_format_hashes(const char *name)
{
    const struct format *format = find_format(name);

    return format && (format->document || format->page);
}

const char *fsd_format_at(unsigned i)
{
    return i < FSD_COUNT_OF(formats) ? formats[i].name : NULL;
}

const char *fsd_format_of(enum fsd_subject subject, unsigned i)
{
    if ((unsigned)subject >= FSD__SUBJECT_COUNT)
        return NULL;
    for (size_t k = 0; k < FSD_COUNT_OF(formats); k++)
        if (form_of(&formats[k], subject) && !i--)
            return formats[k].name;
    return NULL;
}

/* Whether the report needs findings that are not determined yet. A page shows the
 * findings of any subject. Text and rows show findings only for a comparison. Pictures
 * show no findings, and write_verdicts() determines its findings itself. */
static bool lacks_verdict(const struct fsd_report *r, const struct format *f)
{
    switch (form_of(f, r->subject)) {
    case PAGE:
        return !subjects[r->subject].judged && subjects[r->subject].judge && !r->matrix;
    case OWN:
    case ROWS:
        return r->subject == FSD_OF_COMPARISON && !r->judged;
    case DRAWN:
    case VERDICT:
    case NONE:
    default:
        return false;
    }
}

static enum fsd_status write_judged(const struct fsd_report *r, const struct format *f,
                                    FILE *out, struct fsd_error *err)
{
    struct fsd_verdict *own =
        lacks_verdict(r, f) ? subjects[r->subject].judge(r, 0) : NULL;
    struct fsd_report judged = *r;
    enum fsd_status status;

    judged.judged = own ? own : r->judged;
    status = write(&judged, f, out, err);
    fsd_verdict_free(own);
    return status;
}

static void add_states(struct fsd_quotes *quotes, const struct fsd_compare *c)
{
    const struct fsd_state *states[] = {c ? c->old : NULL, c ? c->new : NULL};

    for (size_t i = 0; i < FSD_COUNT_OF(states); i++)
        if (states[i]) {
            fsd_quotes_add_all(quotes, states[i]->names);
            fsd_quotes_add(quotes, states[i]->model_path);
            fsd_quotes_add(quotes, states[i]->engine_path);
        }
}

/* Adds all names that the report may print. */
static void add_names(struct fsd_quotes *quotes, const struct fsd_report *r)
{
    fsd_quotes_add_run(quotes, r->run);
    add_states(quotes, r->compare);
    for (uint32_t i = 1; r->matrix && i < r->matrix->n; i++)
        add_states(quotes, r->matrix->with[i]);
    if (r->failed) {
        fsd_quotes_add_all(quotes, r->failed->model->names);
        fsd_quotes_add_run(quotes, r->failed->run);
    }
}

static enum fsd_status write_quoted(const struct fsd_report *r,
                                    const struct format *format, FILE *out,
                                    struct fsd_error *err)
{
    struct fsd_quotes quotes = {.arena = fsd_arena_new()};
    struct fsd_print text;
    enum fsd_status status = write_judged(r, format, fsd_print_open(&text), err);

    fsd_print_close(&text);
    add_names(&quotes, r);
    fsd_put_quoted(out, text.text, &quotes);
    free(text.text);
    fsd_arena_free(quotes.arena);
    return status;
}

/* Writes a report line by line. Text is wrapped to the width. Lines that a CI runner
 * would execute as commands are escaped, because names may contain such commands. */
static enum fsd_status write_lines(const struct fsd_report *r,
                                   const struct format *format, FILE *out,
                                   struct fsd_error *err)
{
    bool pasted = r->view && (view_of(r)->pasted || (r->query && r->query->as));
    size_t width = format->wraps && !pasted ? r->style->width : 0;
    struct fsd_lines lines = {.to = out,
                              .escape = format->escape,
                              .json = format->json,
                              .edit = width ? fsd_put_wrapped : NULL,
                              .width = width};
    bool quoted = format->wraps && r->style->quoted;
    enum fsd_status status =
        (quoted ? write_quoted : write_judged)(r, format, fsd_lines_open(&lines), err);

    fsd_lines_close(&lines);
    return status;
}

static enum fsd_status write_as(const struct fsd_report *report, const char *name,
                                FILE *out, struct fsd_error *err)
{
    static const struct fsd_style plain = {0};
    const struct format *format = find_format(name);
    struct fsd_report r = *report;
    enum fsd_status status;
    char views[512];

    r.style = r.style ? r.style : &plain;
    if (r.view && !view_of(&r))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "unknown view '%.99s'%s",
                        r.view, fsd_view_list(r.view, views));
    if (!format || !form_of(format, r.subject)) {
        char list[256] = "";
        const char *known;
        size_t n = 0;

        for (unsigned i = 0; (known = fsd_format_of(r.subject, i)) && n < sizeof list;
             i++) {
            const char *before = fsd_format_of(r.subject, i + 1) ? ", " : " and ";

            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? before : "",
                                  known);
        }
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "%s writes %s, not %s",
                        r.view ? r.view : subjects[r.subject].names.verb, list, name);
    }
    if (format->timed && !r.run->times->profiles)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "a %s shows times, but no times are known: pass a --profile",
                        format->name);
    status = format->escape ? write_lines(&r, format, out, err)
                            : write_judged(&r, format, out, err);
    return status == FSD_OK ? fsd_flush(out, err) : status;
}

enum fsd_status fsd_report_write(const struct fsd_report *report, const char *name,
                                 FILE *out, struct fsd_error *err)
{
    FSD_GUARD(err);
    return write_as(report, name, out, err);
}
