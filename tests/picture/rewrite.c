/*
 * Whether cgraph writes a DOT of ours as the same graph:  rewrite FILE...
 *
 * Each file is read by agread(), written by agwrite() and read again, and both graphs
 * are compared: nodes, edges and subgraphs with all their attributes, by names and not
 * by order.  The program prints DOT itself (src/README.md says why), so nothing else
 * holds that its quotes, escapes and long lines mean to Graphviz what was meant: cgraph
 * breaks lines, quotes anew and declares defaults, and a text that is written
 * ambiguously comes back as another one.
 *
 * Prints what differs; ends with 1 where anything does.
 */
#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path; /* of the file under test */
static bool bad;

static void differ(const char *what, const char *name)
{
    printf("%s: %s %.200s differs after agwrite\n", path, what, name);
    bad = true;
}

/* ------------------------------------------------------------------- attributes */

/* "" where it is not declared, which cgraph does not distinguish from empty either. */
static char *value_of(void *object, char *name)
{
    static char none[] = "";
    char *value = agget(object, name);

    return value ? value : none;
}

static bool same_attributes(int kind, Agraph_t *root, void *a, void *b)
{
    for (Agsym_t *sym = agnxtattr(root, kind, NULL); sym;
         sym = agnxtattr(root, kind, sym)) {
        char *x = value_of(a, sym->name), *y = value_of(b, sym->name);

        if (strcmp(x, y) != 0 || !aghtmlstr(x) != !aghtmlstr(y))
            return false;
    }
    return true;
}

/* Both ways, since each side may declare what the other does not. */
static bool same_object(int kind, void *a, void *b)
{
    return same_attributes(kind, agroot(a), a, b) &&
           same_attributes(kind, agroot(b), b, a);
}

/* ------------------------------------------------------------------------ edges */

/* An edge as text: edges have no names, and two may join the same nodes. */
static char *text_of(Agraph_t *root, Agedge_t *edge)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    fprintf(out, "%s -> %s", agnameof(agtail(edge)), agnameof(aghead(edge)));
    for (Agsym_t *sym = agnxtattr(root, AGEDGE, NULL); sym;
         sym = agnxtattr(root, AGEDGE, sym)) {
        char *value = value_of(edge, sym->name);

        if (*value)
            fprintf(out, aghtmlstr(value) ? "\n%s=<%s>" : "\n%s=\"%s\"", sym->name,
                    value);
    }
    if (fclose(out))
        abort();
    return text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **list_edges(Agraph_t *g)
{
    char **all = calloc((size_t)agnedges(g) + 1, sizeof *all);
    size_t n = 0;

    if (!all)
        abort();
    for (Agnode_t *node = agfstnode(g); node; node = agnxtnode(g, node))
        for (Agedge_t *edge = agfstout(g, node); edge; edge = agnxtout(g, edge))
            all[n++] = text_of(agroot(g), edge);
    qsort(all, n, sizeof *all, by_text);
    return all;
}

static void free_edges(char **all)
{
    for (size_t i = 0; all[i]; i++)
        free(all[i]);
    free(all);
}

static void compare_edges(Agraph_t *a, Agraph_t *b)
{
    char **x = list_edges(a), **y = list_edges(b);
    size_t i = 0;

    while (x[i] && y[i] && !strcmp(x[i], y[i]))
        i++;
    if (x[i] || y[i])
        differ("edge", x[i] ? x[i] : y[i]);
    free_edges(x);
    free_edges(y);
}

/* ----------------------------------------------------------------------- graphs */

static void compare(Agraph_t *a, Agraph_t *b)
{
    if (agisdirected(a) != agisdirected(b) || agisstrict(a) != agisstrict(b) ||
        agnnodes(a) != agnnodes(b) || agnsubg(a) != agnsubg(b) ||
        !same_object(AGRAPH, a, b))
        differ("graph", agnameof(a));
    for (Agnode_t *node = agfstnode(a); node; node = agnxtnode(a, node)) {
        Agnode_t *other = agnode(b, agnameof(node), 0);

        if (!other || !same_object(AGNODE, node, other))
            differ("node", agnameof(node));
    }
    compare_edges(a, b);
    for (Agraph_t *sub = agfstsubg(a); sub; sub = agnxtsubg(sub)) {
        Agraph_t *other = agsubg(b, agnameof(sub), 0);

        if (other)
            compare(sub, other);
        else
            differ("subgraph", agnameof(sub));
    }
}

static Agraph_t *read_again(Agraph_t *g)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    Agraph_t *again;

    if (!out || agwrite(g, out) || fclose(out))
        abort();
    again = agmemread(text);
    free(text);
    return again;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(path = argv[i], "r");
        Agraph_t *g = file ? agread(file, NULL) : NULL,
                 *again = g ? read_again(g) : NULL;

        if (again)
            compare(g, again);
        else
            differ("the whole", file ? "" : "(it cannot be opened)");
        if (again)
            agclose(again);
        if (g)
            agclose(g);
        if (file)
            fclose(file);
    }
    return bad || argc < 2;
}
