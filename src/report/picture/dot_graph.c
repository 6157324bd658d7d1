/*
 * A graph of cgraph's that comes out the same each time it is made, and where it lives:
 * memory, numbers and output, which cgraph leaves to its caller ("disciplines").
 */
#define _GNU_SOURCE /* fputs_unlocked */
#include "report/picture/dot_graph.h"

#include "base/vec.h"

#include <graphviz/cgraph.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

char *fsd_dot_str(const char *s)
{
    union {
        const char *in;
        char *out;
    } cast = {s};

    return cast.out;
}

/* cgraph hands the discipline to the open functions, so what they need travels in it.
 */
struct home {
    Agdisc_t discipline; /* first */
    struct fsd_arena *arena;
    Agraph_t *graph;
    FSD_VEC(char *)
    names; /* by number, agstrdup()'s, since cgraph looks before a
              string whether it is HTML; NULL: an edge */
};

/* ----------------------------------------------------------------------- memory */

/* Later versions of cgraph have no discipline for memory and no such dictionaries, and
 * agclose() frees piece by piece: CMakeLists.txt tries which this is. */
#ifdef FSD_CGRAPH_MEMORY

/* All of it from the arena, which frees it at once: cgraph's own way takes every
 * object out of every dictionary first, a quarter of the time of writing. */
static void *memory_open(Agdisc_t *discipline)
{
    return ((struct home *)(void *)discipline)->arena;
}

static void *memory_alloc(void *state, size_t size)
{
    return fsd_arena_alloc(state, size, 1, alignof(max_align_t));
}

static void *memory_resize(void *state, void *old, size_t old_size, size_t size)
{
    void *new = memory_alloc(state, size);

    if (old)
        memcpy(new, old, old_size < size ? old_size : size);
    return new;
}

static void memory_free(void *state, void *old)
{
    (void)state;
    (void)old;
}

/* That it is there tells agclose() to let all go at once. */
static void memory_close(void *state)
{
    (void)state;
}

static void *keep(Dt_t *dict, void *data, size_t size, Dtdisc_t *discipline)
{
    (void)dict;
    (void)data;
    (void)size;
    (void)discipline;
    return NULL;
}

/* What is in it is the arena's, but the dictionary itself is always malloc()'s, even
 * with a discipline for memory (cdt's dtopen()): agclose() forgets them. */
static void close_dict(Dict_t *dict)
{
    static Dtdisc_t nothing = {.memoryf = keep};

    if (!dict)
        return;
    dtdisc(dict, &nothing, DT_SAMECMP | DT_SAMEHASH);
    dtclose(dict);
}

/* Of the innermost graphs first: a graph's attributes are a view of its parent's. */
static void close_dicts(Agraph_t *g)
{
    static char record[] = "_AG_datadict";
    Agdatadict_t *attrs = (Agdatadict_t *)(void *)aggetrec(g, record, 0);

    for (Agraph_t *sub = agfstsubg(g); sub; sub = agnxtsubg(sub))
        close_dicts(sub);
    if (attrs) {
        close_dict(attrs->dict.n);
        close_dict(attrs->dict.e);
        close_dict(attrs->dict.g);
    }
    close_dict(g->n_seq);
    close_dict(g->n_id);
    close_dict(g->e_seq);
    close_dict(g->e_id);
    close_dict(g->g_dict);
}

static void set_memory(Agdisc_t *discipline)
{
    static Agmemdisc_t memory = {memory_open, memory_alloc, memory_resize, memory_free,
                                 memory_close};

    discipline->mem = &memory;
}

static void close_all(Agraph_t *g)
{
    Dict_t *strings = g->clos->strdict;

    close_dicts(g);
    close_dict(strings);
}

#else

static void set_memory(Agdisc_t *discipline)
{
    (void)discipline;
}

static void close_all(Agraph_t *g)
{
    (void)g;
}

#endif

/* ----------------------------------------------------------------------- output */

/* Tabs come one by one: without a lock for each.  fflush() has no such twin. */
static int put_string(void *file, const char *s)
{
    return fputs_unlocked(s, file);
}

static int flush(void *file)
{
    return fflush(file);
}

/* ---------------------------------------------------------------------- numbers */

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

/* ------------------------------------------------------------------ open, close */

struct Agraph_s *fsd_dot_open(struct fsd_arena *arena)
{
    static Agiddisc_t ids = {ids_open,  ids_map,   ids_alloc,   ids_free,
                             ids_print, ids_close, ids_register};
    static Agiodisc_t output = {NULL, put_string, flush};
    struct home *home = FSD_NEW(arena, struct home, 1);

    set_memory(&home->discipline);
    home->discipline.id = &ids;
    home->discipline.io = &output;
    home->arena = arena;
    fsd_vec_push(arena, &home->names, NULL); /* 0 is no number */
    return agopen(fsd_dot_str("fusiondiff"), Agdirected, &home->discipline);
}

void fsd_dot_close(struct Agraph_s *g)
{
    close_all(g);
    agclose(g);
}
