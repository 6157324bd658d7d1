/*
 * Loads Graphviz if it is installed. Loading costs a tenth of a small run's time and
 * memory, and runs without a layout must not pay for it. The program is therefore not
 * linked with Graphviz: only the child process that makes layouts loads it.
 */
#include "base/base.h"
#include "report/picture/drawing.h"

#include <dlfcn.h>
#include <graphviz/gvc.h>

#define CALLED(of)                                                                     \
    of(agreseterrors) of(agread) of(agerrors) of(agclose) of(AgMemDisc) of(AgIoDisc)   \
        of(agsubg) of(agfstnode) of(agnxtnode) of(agfstout) of(agnxtout) of(agget)     \
            of(agset) of(gvContext) of(gvLayout) of(gvRenderData) of(gvFreeRenderData) \
                of(gvFreeLayout)
#define FIELD(name)  __typeof__ (&(name))(name);
#define QUOTED(name) #name,

struct called {
    CALLED(FIELD)
};
static union {
    struct called by_name;
    void *at[sizeof(struct called) / sizeof(void *)];
} graphviz;

static bool load(void)
{
    static const char *const names[] = {CALLED(QUOTED)};
    void *library = dlopen(FSD_LIBGVC, RTLD_NOW);
    bool all = library;

    for (size_t i = 0; i < FSD_COUNT_OF(names) && all; i++)
        all = (graphviz.at[i] = dlsym(library, names[i]));
    if (!all)
        fprintf(stderr, "Error: %s\n", dlerror()); /* in the form of Graphviz's
                                                      messages */
    return all;
}

/* -------------------------------------------------------------------- what is named */

/* Graphviz draws named objects in the order of their numbers. Its own numbers are
 * addresses, so a second picture in one process would differ from run to run. These
 * functions number the names in the order in which they appear. Unnamed objects get odd
 * numbers. */
struct names {
    struct fsd_arena *arena;
    struct fsd_intern *of;
    IDTYPE unnamed;
};

static void *open_names(Agraph_t *g, Agdisc_t *d)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct names *names = FSD_NEW(arena, struct names, 1);

    (void)g, (void)d;
    *names = (struct names){arena, fsd_intern_new(arena), 1};
    return names;
}

static long number_of(void *state, int type, char *name, IDTYPE *id, int make)
{
    struct names *names = state;
    fsd_sym known = name ? fsd_intern_find(names->of, name, strlen(name)) : FSD_NONE;

    (void)type;
    if (known == FSD_NONE && !make)
        return 0;
    if (known == FSD_NONE && name)
        known = fsd_intern_add(names->of, name, strlen(name));
    *id = name ? 2 * (IDTYPE)known : (names->unnamed += 2);
    return 1;
}

static char *name_of(void *state, int type, IDTYPE id)
{
    const struct names *names = state;

    (void)type;
    return id % 2 ? NULL : (char *)(uintptr_t)fsd_text(names->of, (fsd_sym)(id / 2));
}

static long take_number(void *state, int type, IDTYPE id)
{
    (void)state, (void)type, (void)id;
    return 0; /* only number_of() assigns numbers */
}

static void keep_number(void *state, int type, IDTYPE id)
{
    (void)state, (void)type, (void)id;
}

static void keep_object(void *state, int type, void *object)
{
    (void)state, (void)type, (void)object;
}

static void close_names(void *state)
{
    fsd_arena_free(((struct names *)state)->arena);
}

static Agiddisc_t numbers = {open_names, number_of,   take_number, keep_number,
                             name_of,    close_names, keep_object};

/* ---------------------------------------------------------------------- the layout */

static Agraph_t *read_dot(const char *dot)
{
    const struct called *call = &graphviz.by_name;
    Agdisc_t disciplines = {call->AgMemDisc, &numbers, call->AgIoDisc};
    FILE *in = fmemopen((char *)(uintptr_t)dot, strlen(dot), "r");
    Agraph_t *g = in ? call->agread(in, &disciplines) : NULL;

    if (in)
        fclose(in);
    return g;
}

/* Whether the right side is drawn to the left of the left side. Graphviz swaps clusters
 * to save crossings, even if a line within a rank requires the other order. */
static bool is_mirrored(Agraph_t *g)
{
    const struct called *call = &graphviz.by_name;
    Agraph_t *heads = call->agsubg(g, (char[]){"anchors"}, 0);
    Agnode_t *left = heads ? call->agfstnode(heads) : NULL;
    Agnode_t *right = left ? call->agnxtnode(heads, left) : NULL;

    return right && ND_coord(left).x > ND_coord(right).x;
}

/* Sets the weight of all ties. Ties are the lines within a rank. */
static void weigh_ties(Agraph_t *g, const char *weight)
{
    const struct called *call = &graphviz.by_name;

    for (Agnode_t *n = call->agfstnode(g); n; n = call->agnxtnode(g, n))
        for (Agedge_t *e = call->agfstout(g, n); e; e = call->agnxtout(g, e)) {
            const char *length = call->agget(e, (char[]){"minlen"});

            if (length && !strcmp(length, "0"))
                call->agset(e, (char[]){"weight"}, (char *)(uintptr_t)weight);
        }
}

/* Lays a picture out; NULL: the layout failed. A mirrored picture is laid out again
 * with other weights of ties, so that Graphviz saves crossings elsewhere. If no weight
 * helps, the picture stays mirrored. */
static Agraph_t *lay_out(GVC_t *gvc, const char *dot)
{
    static const char *const weights[] = {NULL, "10", "0", NULL};
    const struct called *call = &graphviz.by_name;
    Agraph_t *g = NULL;
    bool mirrored = true;

    for (size_t i = 0; mirrored && i < FSD_COUNT_OF(weights); i++) {
        if (g) {
            call->gvFreeLayout(gvc, g);
            call->agclose(g);
        }
        g = read_dot(dot);
        if (g && weights[i])
            weigh_ties(g, weights[i]);
        if (!g || call->gvLayout(gvc, g, "dot"))
            return NULL;
        mirrored = is_mirrored(g);
    }
    return g;
}

/* All pictures of the process use one context of Graphviz, because a context loads
 * plug-ins, and this is slow. */
bool fsd_graphviz_draw(const char *dot, const char *format, FILE *out)
{
    const struct called *call = &graphviz.by_name;
    static GVC_t *gvc;
    char *picture = NULL;
    unsigned size = 0;
    Agraph_t *g;
    bool good;

    if (!gvc && !(load() && (gvc = call->gvContext())))
        return false;
    call->agreseterrors();
    g = lay_out(gvc, dot);
    /* If Graphviz cannot parse a label, it draws the name of the box and returns
     * success, so its error messages count, too. */
    good = g && call->gvRenderData(gvc, g, format, &picture, &size) == 0 &&
           call->agerrors() < AGERR && size && fwrite(picture, 1, size, out) == size;
    if (good) { /* after a failure, these objects may be incomplete: they are not
                   freed */
        call->gvFreeRenderData(picture);
        call->gvFreeLayout(gvc, g);
        call->agclose(g);
    }
    return good;
}
