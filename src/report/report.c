/*
 * The table of formats, and the choice of a writer for a subject.  Each subject can be
 * written in several forms (own writer, verdict, sheet, picture), and the first that
 * the format has is taken: a view or verb that fills a sheet therefore gets every
 * format that prints sheets for free.  All text output passes through one stream that
 * wraps lines and escapes what a CI runner would execute, so that no writer can forget
 * it.
 */
#include "report/subject/subject.h"
#include "base/base.h"
#include "report/page/page.h"
#include "report/record/records.h"
#include "report/verdict/verdict.h"
#include "report/text/text.h"
#include "report/picture/picture.h"
#include "report/view/view.h"

#include <stdlib.h>
#include <string.h>

struct format {
    const char *name;
    const char *extensions; /* of the files it writes, each followed by a space */
    const char *escape; /* of what a runner would obey, fsd_put_escaped(); NULL: it is
                           no text, or commands are what is wanted */
    fsd_run_fn *run;    /* NULL here and below: another form, or not written */
    fsd_compare_fn *compare;
    fsd_lint_fn *lint;
    fsd_verdict_fn *verdict; /* of a check; of a run its findings */
    fsd_sheet_fn *sheet;     /* of a view, and whatever else has rows */
    bool document;           /* of a sheet it prints all, not tables */
    bool picture;            /* of a run and a comparison */
    bool page;               /* of runs and builds */
    bool wraps;              /* its lines heed a width, where one is known */
    bool timed;              /* of a run it prints what was measured */
};

/* clang-format off */
#define IN_TEXT "\\u{%x}"
#define IN_JSON "\\u%04x"
#define IN_XML  "&#%u;"

static const struct format formats[] = {
    {"text", ".txt .text ", IN_TEXT, fsd_write_text, fsd_compare_write_text,
     fsd_lint_write_text, fsd_verdict_put_text, fsd_sheet_put_text, .wraps = true},
    {"line", "", IN_TEXT, .compare = fsd_compare_write_line,
     .verdict = fsd_verdict_put_line},
    {"json", ".json ", IN_JSON, .sheet = fsd_sheet_put_json, .document = true},
    {"markdown", ".md .markdown ", IN_XML,
     .verdict = fsd_verdict_put_markdown, .sheet = fsd_sheet_put_markdown},
    {"csv", ".csv ", IN_TEXT, .sheet = fsd_sheet_put_csv},
    {"schema", "", IN_JSON, .sheet = fsd_sheet_put_schema, .document = true},
    {"html", ".html .htm ", IN_JSON, .page = true}, /* names are in its JSON only */
    {"junit", ".xml ", IN_XML, .verdict = fsd_verdict_put_junit},
    {"sarif", ".sarif ", IN_JSON, .verdict = fsd_verdict_put_sarif},
    {"github", "", NULL, .verdict = fsd_verdict_put_github},
    {"gitlab", "", IN_JSON, .verdict = fsd_verdict_put_gitlab},
    {"trace", ".trace.json ", IN_JSON, fsd_write_trace, .timed = true},
    {"dot", ".dot .gv ", IN_XML, .picture = true},
    {"svg", ".svg ", IN_XML, .picture = true},
    {"png", ".png ", NULL, .picture = true},
    {"pdf", ".pdf ", NULL, .picture = true},
};
/* clang-format on */

/* Only for gates: there, changes are reported as findings. */
static bool gates(const struct format *f)
{
    return f->verdict && !f->compare && !f->sheet;
}

/* The forms of each subject, the most informative first; write() uses the first that
 * the format supports. */
static bool writes(const struct format *f, enum fsd_subject subject)
{
    switch (subject) {
    case FSD_OF_RUN:
        return f->page || f->run || f->verdict || f->sheet || f->picture;
    case FSD_OF_COMPARISON:
        return f->page || f->compare || f->sheet || f->picture || gates(f);
    case FSD_OF_CHECK:
        return f->page || f->verdict || f->sheet;
    case FSD_OF_CHECKS:
        return f->verdict || f->sheet;
    case FSD_OF_LINT:
        return f->page || f->lint || f->verdict || f->sheet;
    case FSD_OF_MATRIX:
        return f->page || f->sheet || gates(f);
    case FSD_OF_MODELS:
        return f->page || f->sheet || f->picture || gates(f);
    case FSD_OF_VIEW:
    case FSD_OF_STABILITY:
    case FSD_OF_ROUTES:
    case FSD__SUBJECT_COUNT:
    default:
        return f->sheet;
    }
}

static enum fsd_status fill_sheet(const struct fsd_report *r, const struct format *f,
                                  struct fsd_sheet *sheet, struct fsd_error *err)
{
    struct fsd_request request = {r->run, r->query, r->style->all, err};
    struct fsd_judged room;
    struct fsd_verdicts one;

    switch (r->subject) {
    case FSD_OF_RUN:
        fsd_document_of_run(sheet, r->run);
        return FSD_OK;
    case FSD_OF_COMPARISON:
        if (f->document)
            fsd_document_of_comparison(sheet, r->compare);
        else
            fsd_sheet_of_comparison(sheet, r->compare);
        return FSD_OK;
    case FSD_OF_MATRIX:
        fsd_sheet_of_matrix(sheet, r->matrix);
        return FSD_OK;
    case FSD_OF_MODELS:
        fsd_sheet_of_exports(sheet, r->exports);
        return FSD_OK;
    case FSD_OF_STABILITY:
        fsd_sheet_of_stability(sheet, r->matrix);
        return FSD_OK;
    case FSD_OF_ROUTES:
        fsd_sheet_of_routes(sheet, r->routes);
        return FSD_OK;
    case FSD_OF_CHECK:
    case FSD_OF_LINT:
        one = fsd_verdicts_of_one(&room, r->verdict);
        if (!f->document)
            fsd_sheet_of_verdicts(sheet, &one);
        else if (r->subject == FSD_OF_LINT)
            fsd_document_of_lint(sheet, r->run, r->lint, r->verdict);
        else
            fsd_document_of_check(sheet, r->verdict);
        return FSD_OK;
    case FSD_OF_CHECKS:
        (f->document ? fsd_document_of_checks : fsd_sheet_of_verdicts)(sheet,
                                                                       r->verdicts);
        return FSD_OK;
    case FSD_OF_VIEW:
    case FSD__SUBJECT_COUNT:
    default:
        sheet->name = r->view;
        fsd_sheet_take_values(sheet, r->run);
        return fsd_view_find(r->view)->fill(sheet, &request);
    }
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

/* Findings on what is compared; NULL: nothing is, or they are judged already. */
static struct fsd_verdict *verdict_on(const struct fsd_report *r)
{
    return r->subject == FSD_OF_MODELS       ? fsd_verdict_of_exports(r->exports)
           : r->subject == FSD_OF_COMPARISON ? fsd_verdict_of_comparison(r->compare)
                                             : NULL;
}

static void write_page(const struct fsd_report *r, FILE *out)
{
    struct fsd_verdict *own = verdict_on(r);
    struct fsd_report page = *r;

    page.judged = own;
    fsd_page_write(&page, out);
    fsd_verdict_free(own);
}

/* Findings on what is compared: of several builds, of each beside the first. */
static void write_verdicts(const struct fsd_report *r, const struct format *f,
                           FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    uint32_t n = r->matrix ? r->matrix->n - 1 : 1;
    struct fsd_verdict **own = FSD_NEW(arena, struct fsd_verdict *, n);
    struct fsd_judged *at = FSD_NEW(arena, struct fsd_judged, n);
    struct fsd_verdicts all;

    for (uint32_t i = 0; i < n; i++) {
        own[i] = r->matrix ? fsd_verdict_of_comparison(r->matrix->with[i + 1])
                           : verdict_on(r);
        at[i].v = own[i];
    }
    all = r->matrix ? fsd_verdicts_of(arena, at, n) : fsd_verdicts_of_one(at, own[0]);
    f->verdict(&all, r->style, out);
    for (uint32_t i = 0; i < n; i++)
        fsd_verdict_free(own[i]);
    fsd_arena_free(arena);
}

static enum fsd_status write(const struct fsd_report *r, const struct format *f,
                             FILE *out, struct fsd_error *err)
{
    bool run = r->subject == FSD_OF_RUN, compare = r->subject == FSD_OF_COMPARISON;

    if (r->subject == FSD_OF_CHECKS && f->verdict) {
        f->verdict(r->verdicts, r->style, out);
    } else if (f->page) {
        write_page(r, out);
    } else if (run && f->run) {
        f->run(r->run, r->style, out);
    } else if (compare && f->compare) {
        f->compare(r->compare, r->style, out);
    } else if (r->subject == FSD_OF_LINT && f->lint) {
        f->lint(r, out);
    } else if (f->picture && r->exports) {
        return fsd_exports_write_picture(r->exports, f->name, r->style, out, err);
    } else if (f->picture) {
        return run ? fsd_picture_write(r->run, f->name, r->style, out, err)
                   : fsd_compare_write_picture(r->compare, f->name, r->style, out, err);
    } else if (gates(f) && (compare || r->exports || r->matrix)) {
        write_verdicts(r, f, out);
    } else if (f->verdict &&
               (run || r->subject == FSD_OF_CHECK || r->subject == FSD_OF_LINT)) {
        struct fsd_verdict *own = run ? fsd_verdict_of_run(r->run) : NULL;

        struct fsd_judged room;
        struct fsd_verdicts one = fsd_verdicts_of_one(&room, own ? own : r->verdict);

        f->verdict(&one, r->style, out);
        fsd_verdict_free(own);
    } else {
        return write_sheet(r, f, out, err);
    }
    return FSD_OK;
}

static bool writes_files(const struct format *format, const char *extension)
{
    const char *at = extension[1] ? strstr(format->extensions, extension) : NULL;

    return at && at[strlen(extension)] == ' ';
}

/* The longest extension decides: x.trace.json is no report. */
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

const char *fsd_format_at(unsigned i)
{
    return i < FSD_COUNT_OF(formats) ? formats[i].name : NULL;
}

const char *fsd_format_of(enum fsd_subject subject, unsigned i)
{
    if ((unsigned)subject >= FSD__SUBJECT_COUNT)
        return NULL;
    for (size_t k = 0; k < FSD_COUNT_OF(formats); k++)
        if (writes(&formats[k], subject) && !i--)
            return formats[k].name;
    return NULL;
}

/* What is printed is looked at as lines: a text heeds the width, and names, which reach
 * the log of a job, must not be commands to its runner. */
static enum fsd_status write_lines(const struct fsd_report *r,
                                   const struct format *format, FILE *out,
                                   struct fsd_error *err)
{
    bool pasted =
        r->view && (fsd_view_find(r->view)->pasted || (r->query && r->query->as));
    size_t width = format->wraps && !pasted ? r->style->width : 0;
    struct fsd_lines lines = {.to = out,
                              .escape = format->escape,
                              .edit = width ? fsd_put_wrapped : NULL,
                              .width = width};
    enum fsd_status status = write(r, format, fsd_lines_open(&lines), err);

    fsd_lines_close(&lines);
    return status;
}

static enum fsd_status write_as(const struct fsd_report *report, const char *name,
                                FILE *out, struct fsd_error *err)
{
    static const struct fsd_style plain = {0};
    static const char *const verbs[FSD__SUBJECT_COUNT] = {
        [FSD_OF_RUN] = "diff",
        [FSD_OF_COMPARISON] = "compare",
        [FSD_OF_CHECK] = "check",
        [FSD_OF_CHECKS] = "check of a list",
        [FSD_OF_LINT] = "lint",
        [FSD_OF_MATRIX] = "compare of several builds",
        [FSD_OF_STABILITY] = "stability",
        [FSD_OF_MODELS] = "compare of models",
        [FSD_OF_ROUTES] = "routes"};
    const struct format *format = find_format(name);
    struct fsd_report r = *report;
    enum fsd_status status;
    char views[512];

    r.style = r.style ? r.style : &plain;
    if (r.view && !fsd_view_find(r.view))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "unknown view '%.99s'%s",
                        r.view, fsd_view_list(r.view, views));
    if (!format || !writes(format, r.subject)) {
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
                        r.view ? r.view : verbs[r.subject], list, name);
    }
    if (format->timed && !r.run->times->profiles)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "a %s shows times, and none are known: give a --profile",
                        format->name);
    status = format->escape ? write_lines(&r, format, out, err)
                            : write(&r, format, out, err);
    return status == FSD_OK ? fsd_flush(out, err) : status;
}

enum fsd_status fsd_report_write(const struct fsd_report *report, const char *name,
                                 FILE *out, struct fsd_error *err)
{
    FSD_GUARD(err);
    return write_as(report, name, out, err);
}
