/* A graph of cgraph's that comes out the same each time it is made. */
#include "report/dot_graph.h"

#include "base/vec.h"

#include <graphviz/cgraph.h>

char *fsd_dot_str(const char *s)
{
    union {
        const char *in;
        char *out;
    } cast = {s};

    return cast.out;
}

/* cgraph hands the discipline to ids_open(), so what it needs travels in it. */
struct home {
    Agdisc_t discipline; /* first */
    struct fsd_arena *arena;
    Agraph_t *graph;
    FSD_VEC(char *) names; /* by number, cgraph's strings; NULL: an edge */
};

/* cgraph's own numbers are addresses, and it sorts subgraphs by them: these count, so
 * that the same drawing gives the same bytes.  Every name is given once and never
 * looked up: to find is to find nothing. */
static void *ids_open(Agraph_t *g, Agdisc_t *discipline)
{
    struct home *home = (struct home *)(void *)discipline;

    home->graph = g;
    return home;
}

static long ids_map(void *state, int kind, char *name, IDTYPE *id, int create)
{
    struct home *home = state;

    (void)kind;
    if (!create)
        return 0;
    *id = home->names.n;
    fsd_vec_push(home->arena, &home->names, name ? agstrdup(home->graph, name) : NULL);
    return 1;
}

static long ids_alloc(void *state, int kind, IDTYPE id)
{
    (void)state;
    (void)kind;
    (void)id;
    return 1;
}

static void ids_free(void *state, int kind, IDTYPE id)
{
    (void)ids_alloc(state, kind, id);
}

static char *ids_print(void *state, int kind, IDTYPE id)
{
    struct home *home = state;

    (void)kind;
    return id < home->names.n ? home->names.at[id] : NULL;
}

static void ids_close(void *state)
{
    (void)state;
}

static void ids_register(void *state, int kind, void *object)
{
    (void)state;
    (void)kind;
    (void)object;
}

struct Agraph_s *fsd_dot_open(struct fsd_arena *arena)
{
    static Agiddisc_t ids = {ids_open,  ids_map,   ids_alloc,   ids_free,
                             ids_print, ids_close, ids_register};
    struct home *home = FSD_NEW(arena, struct home, 1);

    home->discipline.mem = &AgMemDisc;
    home->discipline.id = &ids;
    home->discipline.io = &AgIoDisc;
    home->arena = arena;
    fsd_vec_push(arena, &home->names, NULL); /* 0 is no number */
    return agopen(fsd_dot_str("fusiondiff"), Agdirected, &home->discipline);
}
