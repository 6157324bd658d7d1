/*
 * The page is its source (page.html, page.css, *.js; embed.cmake joins them) with the
 * data between: JSON of the public schemas, each in a script element that is not run.
 *
 *     <script type="application/json" id="data-run">{"schema":"fusiondiff/1", ...
 *
 * Whatever names hold, they are within strings of JSON there, and of these strings
 * every
 * "<" is written as an escape: no element ends or begins in them.
 */
#include "report/page/page.h"
#include "base/print.h"
#include "report/json/json.h"
#include "report/page/source.h"
#include "report/verdict/verdict.h"

#include <stdlib.h>
#include <string.h>

/* What JSON may be without: blanks between its parts, of which a report has many. */
static void put_embedded(const struct fsd_print *json, FILE *out)
{
    bool within = false;
    size_t from = 0;

    for (size_t at = 0; at < json->size; at++) {
        char c = json->text[at];

        if (within && c == '\\') {
            at++;
        } else if (c == '"') {
            within = !within;
        } else if (c == '<' || (!within && strchr(" \t\n", c))) {
            fwrite(json->text + from, 1, at - from, out);
            fputs(c == '<' ? "\\u003c" : "", out);
            from = at + 1;
        }
    }
    fwrite(json->text + from, 1, json->size - from, out);
}

/* Closes what was printed, and puts it into the page under a name. */
static void put_data(const char *name, struct fsd_print *json, FILE *out)
{
    fsd_print_close(json);
    fprintf(out, "<script type=\"application/json\" id=\"data-%s\">", name);
    put_embedded(json, out);
    fputs("</script>\n", out);
    free(json->text);
}

/* ------------------------------------------------------------------------ stories */

/* What the log tells of each node and layer, where there is one. */
static void put_stories(const struct fsd_report *r, FILE *out)
{
    static const char *const everything[] = {"*"};
    struct fsd_print json;

    if (!r->run->story)
        return;
    for (int layers = 0; layers < 2; layers++) {
        const struct fsd_query query = {
            .words = everything, .n_words = 1, .layers = layers != 0};
        struct fsd_report story = {
            .subject = FSD_OF_VIEW, .run = r->run, .view = "explain", .query = &query};

        if (fsd_report_write(&story, "json", fsd_print_open(&json), NULL) != FSD_OK)
            continue;
        put_data(layers ? "layer-stories" : "node-stories", &json, out);
    }
}

/* Two builds, where there are two, else one; and of a check the verdict besides. */
void fsd_page_write(const struct fsd_report *r, FILE *out)
{
    struct fsd_print json;

    fwrite(fsd_page_head, 1, fsd_page_head_size, out);
    if (r->compare) {
        fsd_compare_write_json(r->compare, r->style, fsd_print_open(&json));
        put_data("compare", &json, out);
    } else {
        fsd_write_json(r->run, r->style, fsd_print_open(&json));
        put_data("run", &json, out);
        put_stories(r, out);
    }
    if (r->verdict) {
        fsd_verdict_put_json(r->verdict, r->style, fsd_print_open(&json));
        put_data("check", &json, out);
    }
    fsd_page_put_pictures(r, fsd_print_open(&json));
    put_data("pictures", &json, out);
    fwrite(fsd_page_tail, 1, fsd_page_tail_size, out);
}
