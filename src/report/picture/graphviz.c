#include "base/intern.h"
#include "report/picture/drawing.h"

#include <graphviz/gvc.h>
#include <string.h>

/* -------------------------------------------------------------------- what is named */

/* Graphviz draws what has a name in the order of numbers that these give: of its own,
 * which are addresses, so that a second picture in one process would be another one at
 * each run.  Here they are the order in which the names come.  What has no name gets an
 * odd number. */
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
    return 0; /* nobody but number_of() has any to give */
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

/* The context, with its plug-ins, serves all pictures of the process. */
bool fsd_graphviz_draw(const char *dot, const char *format, FILE *out)
{
    static GVC_t *gvc;
    Agdisc_t ways = {&AgMemDisc, &numbers, &AgIoDisc};
    FILE *in = fmemopen((char *)(uintptr_t)dot, strlen(dot), "r");
    char *picture = NULL;
    unsigned size = 0;
    Agraph_t *g;
    bool good;

    agreseterrors();
    gvc = gvc ? gvc : gvContext();
    g = in ? agread(in, &ways) : NULL;
    /* A label that it cannot read is drawn as the box's name, and is no failure to it.
     */
    good = gvc && g && gvLayout(gvc, g, "dot") == 0 &&
           gvRenderData(gvc, g, format, &picture, &size) == 0 && agerrors() < AGERR &&
           size && fwrite(picture, 1, size, out) == size;
    if (good) { /* what failed may not be whole */
        gvFreeRenderData(picture);
        gvFreeLayout(gvc, g);
        agclose(g);
    }
    if (in)
        fclose(in);
    return good;
}
