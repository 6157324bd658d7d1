/*
 * Selects the messages of Graphviz that a reader of the picture should know. Font
 * libraries also write to standard error, so only lines with Graphviz's own words
 * count. Some messages do not matter:
 *
 *     the router found no room for a curve          Graphviz draws the line anyway
 *     the width of a rare character is unknown      graphviz-pure uses that of a space
 */
#include "base/base.h"
#include "report/picture/drawing.h"

const char *fsd_graphviz_complaint(const char *said)
{
    static const char *const words[] = {"Error: ", "Warning: "};
    static const char *const passed[] = {"Warning: Unable to reclaim box space",
                                         "Warning: no value for width of",
                                         "Warning: Warning: "};
    const char *at = NULL;
    bool is_passed;

    for (size_t i = 0; i < FSD_COUNT_OF(words) && !at; i++)
        do {
            at = strstr(at ? at + 1 : said, words[i]);
            is_passed = false;
            for (size_t k = 0; at && k < FSD_COUNT_OF(passed); k++)
                is_passed |= !strncmp(at, passed[k], strlen(passed[k]));
        } while (is_passed);
    return at;
}

void fsd_graphviz_say(const char *said, struct fsd_layout_outcome *o)
{
    const char *complaint = fsd_graphviz_complaint(said);

    if (complaint)
        snprintf(o->said, sizeof o->said, "%.*s", (int)strcspn(complaint, "\r\n"),
                 complaint);
}
