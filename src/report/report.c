#include "report/report.h"
#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "report/compare_report.h"
#include "report/list/list.h"
#include "report/text/text.h"
#include "report/picture/picture.h"
#include "report/view/view.h"

#include <stdlib.h>
#include <string.h>

struct format;

typedef enum fsd_status write_fn(const struct fsd_report *report,
                                 const struct format *format, FILE *out,
                                 struct fsd_error *err);

struct format {
    const char *name;
    const char *extensions; /* of the files it writes, each followed by a space */
    write_fn *write[FSD__SUBJECT_COUNT]; /* NULL: not written in this format */
    const char *escape; /* of what a runner would obey, fsd_put_disarmed(); NULL: it is
                           no text, or commands are what is wanted */
    bool wraps;         /* its lines heed a width, where one is known */
    fsd_list_fn *put_list;   /* for write_list */
    fsd_sheet_fn *put_sheet; /* for write_sheet */
};

/* ------------------------------------------------------------------- the writers */

/* Of a run and of a check: its findings. */
static enum fsd_status write_list(const struct fsd_report *r, const struct format *f,
                                  FILE *out, struct fsd_error *err)
{
    struct fsd_verdict *own = r->verdict ? NULL : fsd_verdict_of_run(r->run);

    (void)err;
    f->put_list(own ? own : r->verdict, r->style, out);
    fsd_verdict_free(own);
    return FSD_OK;
}

static enum fsd_status fill_sheet(struct fsd_sheet *sheet, const struct fsd_report *r,
                                  struct fsd_error *err)
{
    const struct fsd_view *view;

    switch (r->subject) {
    case FSD_OF_RUN:
        fsd_sheet_of_run(sheet, r->run);
        return FSD_OK;
    case FSD_OF_COMPARISON:
        fsd_sheet_of_comparison(sheet, r->compare);
        return FSD_OK;
    case FSD_OF_CHECK:
        fsd_sheet_of_list(sheet, r->verdict);
        return FSD_OK;
    case FSD_OF_VIEW:
    case FSD__SUBJECT_COUNT:
    default:
        view = fsd_view_find(r->view);
        sheet->name = r->view;
        return view->fill(sheet, &(struct fsd_asked){r->run, r->query, r->style->all},
                          err);
    }
}

/* What has rows. */
static enum fsd_status write_sheet(const struct fsd_report *r, const struct format *f,
                                   FILE *out, struct fsd_error *err)
{
    struct fsd_sheet sheet = {.arena = fsd_arena_new()};
    enum fsd_status status = fill_sheet(&sheet, r, err);

    if (status == FSD_OK)
        f->put_sheet(&sheet, r->style, out);
    fsd_arena_free(sheet.arena);
    return status;
}

static enum fsd_status run_text(const struct fsd_report *r, const struct format *f,
                                FILE *out, struct fsd_error *err)
{
    (void)f, (void)err;
    fsd_write_text(r->run, r->style, out);
    return FSD_OK;
}

static enum fsd_status run_json(const struct fsd_report *r, const struct format *f,
                                FILE *out, struct fsd_error *err)
{
    (void)f, (void)err;
    fsd_write_json(r->run, out);
    return FSD_OK;
}

static enum fsd_status run_picture(const struct fsd_report *r, const struct format *f,
                                   FILE *out, struct fsd_error *err)
{
    return fsd_picture_write(r->run, f->name, r->style, out, err);
}

static enum fsd_status compare_text(const struct fsd_report *r, const struct format *f,
                                    FILE *out, struct fsd_error *err)
{
    (void)f, (void)err;
    fsd_compare_write_text(r->compare, r->style, out);
    return FSD_OK;
}

static enum fsd_status compare_json(const struct fsd_report *r, const struct format *f,
                                    FILE *out, struct fsd_error *err)
{
    (void)f, (void)err;
    fsd_compare_write_json(r->compare, out);
    return FSD_OK;
}

static enum fsd_status compare_picture(const struct fsd_report *r,
                                       const struct format *f, FILE *out,
                                       struct fsd_error *err)
{
    return fsd_compare_write_picture(r->compare, f->name, r->style, out, err);
}

/* ---------------------------------------------------------------------- the table */

/* clang-format off */
#define PICTURE {run_picture, compare_picture, NULL, NULL}
#define LIST    {write_list, NULL, write_list, NULL}
#define SHEET   {write_sheet, write_sheet, write_sheet, write_sheet}
#define IN_TEXT "\\u{%x}"
#define IN_JSON "\\u%04x"
#define IN_XML  "&#%u;"

static const struct format formats[] = {
    /*                             run, comparison, check, view */
    {"text", ".txt .text ", {run_text, compare_text, write_list, write_sheet},
     IN_TEXT, true, fsd_list_put_text, fsd_sheet_put_text},
    {"json", ".json ", {run_json, compare_json, write_list, write_sheet},
     IN_JSON, false, fsd_list_put_json, fsd_sheet_put_json},
    {"markdown", ".md .markdown ", {write_list, write_sheet, write_list, write_sheet},
     IN_XML, false, fsd_list_put_markdown, fsd_sheet_put_markdown},
    {"csv", ".csv ", SHEET, IN_TEXT, false, NULL, fsd_sheet_put_csv},
    {"junit", ".xml ", LIST, IN_XML, false, fsd_list_put_junit, NULL},
    {"sarif", ".sarif ", LIST, IN_JSON, false, fsd_list_put_sarif, NULL},
    {"github", "", LIST, NULL, false, fsd_list_put_github, NULL},
    {"gitlab", "", LIST, IN_JSON, false, fsd_list_put_gitlab, NULL},
    {"dot", ".dot .gv ", PICTURE, IN_XML, false, NULL, NULL},
    {"svg", ".svg ", PICTURE, IN_XML, false, NULL, NULL},
    {"png", ".png ", PICTURE, NULL, false, NULL, NULL},
    {"pdf", ".pdf ", PICTURE, NULL, false, NULL, NULL},
};
/* clang-format on */

static const struct format *find_format(const char *name)
{
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; i < FSD_COUNT_OF(formats); i++) {
        const char *at = dot && dot[1] ? strstr(formats[i].extensions, dot) : NULL;

        if (!strcmp(formats[i].name, name) || (at && at[strlen(dot)] == ' '))
            return &formats[i];
    }
    return NULL;
}

const char *fsd_format_find(const char *name)
{
    const struct format *format = find_format(name);

    return format ? format->name : NULL;
}

const char *fsd_format_at(unsigned i)
{
    return i < FSD_COUNT_OF(formats) ? formats[i].name : NULL;
}

const char *fsd_format_of(enum fsd_subject subject, unsigned i)
{
    for (size_t k = 0; k < FSD_COUNT_OF(formats); k++)
        if (formats[k].write[subject] && !i--)
            return formats[k].name;
    return NULL;
}

static enum fsd_status refuse_format(const struct fsd_report *r, const char *format,
                                     struct fsd_error *err)
{
    static const char *const verbs[FSD__SUBJECT_COUNT] = {"diff", "compare", "check"};
    char list[256] = "";
    size_t n = 0;

    for (unsigned i = 0; fsd_format_of(r->subject, i) && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                              !i                                 ? ""
                              : fsd_format_of(r->subject, i + 1) ? ", "
                                                                 : " and ",
                              fsd_format_of(r->subject, i));
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "%s writes %s, not %s",
                    r->view ? r->view : verbs[r->subject], list, format);
}

/* What is printed first is looked at as lines: a text heeds the width, and names, which
 * reach the log of a job, must not be commands to its runner. */
static enum fsd_status write_lines(const struct fsd_report *r,
                                   const struct format *format, FILE *out,
                                   struct fsd_error *err)
{
    struct fsd_print lines;
    enum fsd_status status =
        format->write[r->subject](r, format, fsd_print_open(&lines), err);

    if (format->wraps && r->style->width &&
        !(r->view && fsd_view_find(r->view)->pasted)) {
        char *text;

        fsd_print_close(&lines);
        text = lines.text;
        fsd_put_wrapped(fsd_print_open(&lines), text, r->style->width);
        free(text);
    }
    fsd_print_disarmed(&lines, format->escape, out);
    return status;
}

enum fsd_status fsd_report_write(const struct fsd_report *report, const char *name,
                                 FILE *out, struct fsd_error *err)
{
    static const struct fsd_style plain = {0};
    const struct format *format = find_format(name);
    struct fsd_report r = *report;
    enum fsd_status status;

    r.style = r.style ? r.style : &plain;
    if (r.view && !fsd_view_find(r.view))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "unknown view '%s'",
                        r.view);
    if (!format || !format->write[r.subject])
        return refuse_format(&r, name, err);
    status = format->escape ? write_lines(&r, format, out, err)
                            : format->write[r.subject](&r, format, out, err);
    return status == FSD_OK ? fsd_flush(out, err) : status;
}

void fsd_put_severities(const uint32_t by_severity[FSD__SEVERITY_COUNT], FILE *out)
{
    fsd_put_noun(out, by_severity[FSD_ERROR], "error");
    fputs(", ", out);
    fsd_put_noun(out, by_severity[FSD_WARNING], "warning");
    fputs(", ", out);
    fsd_put_noun(out, by_severity[FSD_INFO], "note");
}
