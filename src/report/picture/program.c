/*
 * Replaces child.c and graphviz.c in a build without Graphviz: a program lays out the
 * pictures. The environment variable FUSIONDIFF_DOT names the program. If this variable
 * is not set, the program is Graphviz's dot if dot is on the PATH, otherwise
 * graphviz-pure, a port of Graphviz on PyPI. The program reads the DOT of one picture
 * and writes the picture. A crash of the program does not affect this process.
 */
#include "base/base.h"
#include "host/host.h"
#include "report/picture/drawing.h"

#include <stdlib.h>

static char *find(void)
{
    char *path = fsd_host_variable("FUSIONDIFF_DOT");

    if (!path)
        path = fsd_host_program("dot");
    return path ? path : fsd_host_program("graphviz-pure");
}

bool fsd_child_draws(void)
{
    char *path = find();

    free(path);
    return path;
}

struct fsd_layout_child {
    const char *const *dots;
    uint32_t next;
    const char *format, *program;
};

struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format)
{
    char *path = find();
    struct fsd_layout_child *l = NULL;

    (void)n;
    if (path) {
        l = FSD_NEW(arena, struct fsd_layout_child, 1);
        *l = (struct fsd_layout_child){
            .dots = dots,
            .format = format,
            .program = fsd_arena_strndup(arena, path, strlen(path))};
    }
    free(path);
    return l;
}

static void copy_stream(FILE *from, FILE *out)
{
    char buffer[1 << 14];
    size_t n;

    rewind(from);
    while ((n = fread(buffer, 1, sizeof buffer, from)))
        fwrite(buffer, 1, n, out);
}

static void read_complaint(FILE *said, struct fsd_layout_outcome *o)
{
    char text[4096];

    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    fsd_graphviz_say(text, o);
}

struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out)
{
    struct fsd_layout_outcome o = {0};
    const char *dot = l->dots[l->next++];
    char form[16];
    const char *const words[] = {l->program, form, NULL};
    struct fsd_host_command command = {.words = words, .seconds = seconds};
    struct fsd_host_outcome done;
    bool all = true;

    snprintf(form, sizeof form, "-T%s", l->format);
    for (int i = 0; i < 3; i++)
        all &= (command.streams[i] = fsd_host_temporary()) != NULL;
    if (all && fputs(dot, command.streams[0]) >= 0 && !fflush(command.streams[0])) {
        done = fsd_host_run(&command);
        read_complaint(command.streams[2], &o);
        o.timed_out = done.timed_out;
        o.spent = done.spent;
        o.good = done.good;
        if (o.good)
            copy_stream(command.streams[1], out);
        else if (!*o.said)
            snprintf(o.said, sizeof o.said, "%s writes no %s", l->program, l->format);
    }
    for (int i = 0; i < 3; i++)
        if (command.streams[i])
            fclose(command.streams[i]);
    return o;
}

void fsd_child_end(struct fsd_layout_child *l)
{
    (void)l; /* nothing to end: each program ended with its picture */
}
