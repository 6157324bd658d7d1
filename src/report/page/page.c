/*
 * Writes the HTML page. embed.cmake joins the source of the page (page.html, page.css,
 * *.js) into a head and a tail. Between them is the data: JSON documents of the public
 * schemas, each in a script element that browsers do not run.
 *
 *     <script type="application/json" id="data-run">{"schema":"fusiondiff/1", ...
 *
 * Names of an input occur only within JSON strings. Every "<" in such a string is
 * escaped, so that no name can begin or end an element.
 */
#include "report/page/page.h"
#include "base/base.h"
#include "judge/failed/failed.h"

#include <stdlib.h>

/* Writes JSON without the blanks between its tokens, because a report has many such
 * blanks. Changes `json->text` in place. */
static void put_embedded(struct fsd_print *json, FILE *out)
{
    char *text = json->text;
    bool within = false;
    size_t kept = 0;

    for (size_t at = 0; at < json->size; at++) {
        char c = text[at];

        if (!within && (c == '\t' || c == '\n' || c == ' '))
            continue;
        if (c == '<') {
            fwrite(text, 1, kept, out);
            fputs("\\u003c", out);
            kept = 0;
            continue;
        }
        text[kept++] = c;
        if (c == '"')
            within = !within;
        else if (c == '\\')
            text[kept++] = text[++at];
    }
    fwrite(text, 1, kept, out);
}

/* Writes the printed JSON into the page, in a script element with the id "data-" plus
 * `name`. Frees the JSON. */
static void put_data(const char *name, struct fsd_print *json, FILE *out)
{
    fsd_print_close(json);
    fprintf(out, "<script type=\"application/json\" id=\"data-%s\">", name);
    put_embedded(json, out);
    fputs("</script>\n", out);
    free(json->text);
}

/* ------------------------------------------------------------------------- sheets */

/* Writes the document of a subject into the page, and then a description of the columns
 * of its records.
 * @param name the name of the document in the page; NULL: the subject's own name */
static void put_subject(const char *name, enum fsd_subject subject,
                        const struct fsd_report *r, FILE *out)
{
    struct fsd_report part = *r;
    struct fsd_print json;
    char columns[40];

    part.subject = subject;
    name = name ? name : fsd_subject_names(subject)->page;
    if (fsd_report_write(&part, "json", fsd_print_open(&json), NULL) == FSD_OK)
        put_data(name, &json, out);
    snprintf(columns, sizeof columns, "columns-%s", name);
    fsd_report_put_columns(&part, fsd_print_open(&json));
    put_data(columns, &json, out);
}

static void put_patterns(const struct fsd_report *r, FILE *out)
{
    static const struct fsd_query everything = {0};
    const struct fsd_report asked = {
        .run = r->run, .view = "patterns", .query = &everything, .style = r->style};

    put_subject("patterns", FSD_OF_VIEW, &asked, out);
}

/* Writes the conclusion of a comparison: its findings, their causes and the advice. */
static void put_judged(const struct fsd_report *r, FILE *out)
{
    struct fsd_report judged = *r;

    judged.verdict = r->judged;
    put_subject("judged", FSD_OF_CHECK, &judged, out);
}

/* Writes a page of several builds side by side, of one build, or of the checks of a
 * list. The page of a check also has the verdict. The pages of lint and of a failed
 * build show the findings of lint in place of the run's own findings. The page of lint
 * may show a model without an engine. The page of a failed build always does. */
void fsd_page_write(const struct fsd_report *r, FILE *out)
{
    struct fsd_print json, pictures;
    struct fsd_album *album = fsd_album_begin(r, fsd_print_open(&pictures));
    struct fsd_diff run = r->run ? *r->run : (struct fsd_diff){0};
    struct fsd_report of_run = *r;
    const struct fsd_verdict *verdict = r->verdict ? r->verdict : r->judged;
    /* A check is shown on top of the comparison or the run that it judges. */
    enum fsd_subject base = r->failed     ? FSD_OF_RUN
                            : !r->verdict ? r->subject
                            : r->compare  ? FSD_OF_COMPARISON
                                          : FSD_OF_RUN;

    fwrite(fsd_page_head, 1, fsd_page_head_size, out);
    if (r->lint && r->verdict)
        run.findings = r->verdict->findings;
    else if (r->failed)
        run.findings = r->failed->findings;
    if (base == FSD_OF_RUN)
        of_run.run = &run;
    put_subject(NULL, base, &of_run, out);
    if (base == FSD_OF_RUN)
        put_patterns(r, out);
    if (r->subject != base)
        put_subject(NULL, r->subject, r, out);
    else if (r->judged)
        put_judged(r, out);
    fsd_page_put_texts(&of_run, verdict ? verdict->findings : run.findings,
                       fsd_print_open(&json));
    put_data("command", &json, out);
    fsd_album_end(album);
    put_data("pictures", &pictures, out);
    fwrite(fsd_page_tail, 1, fsd_page_tail_size, out);
}
