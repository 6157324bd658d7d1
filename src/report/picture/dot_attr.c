#include "report/picture/dot_attr.h"
#include "report/picture/dot_graph.h"

#include <stdlib.h>
#include <string.h>

static void declare(Agraph_t *root, int kind, const char *name, const char *value)
{
    agattr(root, kind, fsd_dot_str(name), fsd_dot_str(value));
}

void fsd_dot_defaults(Agraph_t *root, bool wire_labels)
{
    static const char *const graph[][2] = {
        {"linelength", "0"},  {"charset", "UTF-8"},      {"rankdir", "TB"},
        {"compound", "true"}, {"newrank", "true"},       {"nodesep", "0.15"},
        {"rank", ""},         {"fontname", "Helvetica"}, {"fontsize", "10"},
        {"labelloc", "t"},    {"labeljust", "l"},        {"bgcolor", "#ffffff"},
        {"pad", "0.1"}};
    static const char *const node[][2] = {
        {"fontname", "Helvetica"}, {"fontsize", "10"}, {"margin", "0.08,0.03"}};
    static const char *const edge[][2] = {{"fontname", "Helvetica"},
                                          {"fontsize", "8"},
                                          {"fontcolor", "#444444"},
                                          {"arrowsize", "0.6"}};

    for (size_t i = 0; i < sizeof graph / sizeof *graph; i++)
        declare(root, AGRAPH, graph[i][0], graph[i][1]);
    declare(root, AGRAPH, "ranksep", wire_labels ? "0.1" : "0.25");
    for (size_t i = 0; i < sizeof node / sizeof *node; i++)
        declare(root, AGNODE, node[i][0], node[i][1]);
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        declare(root, AGEDGE, edge[i][0], edge[i][1]);
}

void fsd_dot_declare(Agraph_t *root, int kind, const char *const *pairs,
                     Agsym_t **symbols, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        symbols[i] = agattr(root, kind, fsd_dot_str(pairs[2 * i]),
                            fsd_dot_str(pairs[2 * i + 1]));
}

void fsd_dot_set(void *object, Agsym_t *symbol, const char *value)
{
    if (strcmp(symbol->defval, value) != 0)
        agxset(object, symbol, fsd_dot_str(value));
}

bool fsd_dot_text_open(struct fsd_dot_text *text)
{
    text->out = open_memstream(&text->at, &text->size);
    return text->out != NULL;
}

FILE *fsd_dot_text_begin(struct fsd_dot_text *text)
{
    rewind(text->out);
    return text->out;
}

void fsd_dot_text_set(struct fsd_dot_text *text, Agraph_t *root, void *object,
                      Agsym_t *symbol, bool html)
{
    putc('\0', text->out);
    if (!fflush(text->out))
        agxset(object, symbol, html ? agstrdup_html(root, text->at) : text->at);
}

void fsd_dot_text_close(struct fsd_dot_text *text)
{
    if (text->out)
        fclose(text->out);
    free(text->at);
}

static void set_by_name(void *object, const char *name, const char *value,
                        const char *otherwise)
{
    agsafeset(object, fsd_dot_str(name), fsd_dot_str(value), fsd_dot_str(otherwise));
}

void fsd_dot_side_by_side(Agraph_t *root, Agraph_t *const clusters[2],
                          const char *const names[2], Agnode_t *ends[2])
{
    Agraph_t *rank = agsubg(root, fsd_dot_str("anchors"), 1);
    Agedge_t *edge;

    set_by_name(rank, "rank", "min", "");
    for (int side = 0; side < 2; side++) {
        ends[side] = agnode(clusters[side], fsd_dot_str(names[side]), 1);
        agsubnode(rank, ends[side], 1);
        set_by_name(ends[side], "shape", "point", "");
        set_by_name(ends[side], "style", "invis", "");
        set_by_name(ends[side], "penwidth", "0", "1");
        set_by_name(ends[side], "height", "0.01", "0.3");
    }
    edge = agedge(root, ends[0], ends[1], NULL, 1);
    set_by_name(edge, "style", "invis", "");
    set_by_name(edge, "weight", "100", "1");
}
