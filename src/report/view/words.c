#include "report/view/words.h"
#include "base/status.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct fsd_graph *g;
    const struct fsd_intern *names;
    const char *what; /* "name of a node of the model" */
    bool bare_numbers;
    bool *found; /* by node of the graph */
};

static bool is_pattern(const char *word)
{
    return strpbrk(word, "*?[") != NULL;
}

/* Marks exact names first, so that a name with brackets in it is itself. */
static bool mark_exact(struct search *s, const char *word)
{
    fsd_sym name = fsd_intern_find(s->names, word, strlen(word));
    bool any = false;

    for (fsd_id i = 0; name && name != FSD_NONE && i < s->g->nodes.n; i++)
        if (s->g->nodes.at[i].name == name)
            any = s->found[i] = true;
    return any;
}

static bool mark_number(struct search *s, const char *word)
{
    const char *digits = *word == '#' ? word + 1 : word;
    char *end;
    unsigned long number;

    if ((digits == word && !s->bare_numbers) || *digits < '0' || *digits > '9')
        return false;
    number = strtoul(digits, &end, 10);
    if (*end || number >= s->g->nodes.n)
        return false;
    s->found[number] = true;
    return true;
}

static bool mark_pattern(struct search *s, const char *word)
{
    bool any = false;

    for (fsd_id i = 0; i < s->g->nodes.n; i++)
        if (s->g->nodes.at[i].name &&
            !fnmatch(word, fsd_text(s->names, s->g->nodes.at[i].name), 0))
            any = s->found[i] = true;
    return any;
}

static enum fsd_status find(struct fsd_arena *arena, struct search *s,
                            const struct fsd_query *q, fsd_id_vec *out,
                            struct fsd_error *err)
{
    s->found = FSD_NEW(arena, bool, s->g->nodes.n);
    for (unsigned i = 0; i < q->n_words; i++)
        if (!mark_exact(s, q->words[i]) && !mark_number(s, q->words[i]) &&
            !(is_pattern(q->words[i]) && mark_pattern(s, q->words[i])))
            return fsd_fail(err, FSD_E_ARG, s->g->path, FSD_POS_NONE, 0,
                            "expected %s %s, found '%s'",
                            is_pattern(q->words[i]) ? "a pattern that fits the" : "the",
                            s->what, q->words[i]);
    for (fsd_id i = 0; i < s->g->nodes.n; i++)
        if (s->found[i])
            fsd_vec_push(arena, out, i);
    return FSD_OK;
}

enum fsd_status fsd_find_nodes(struct fsd_arena *arena, const struct fsd_diff *d,
                               const struct fsd_query *q, fsd_id_vec *out,
                               struct fsd_error *err)
{
    struct search s = {d->model, d->names, "name of a node of the model", false, NULL};

    return find(arena, &s, q, out, err);
}

enum fsd_status fsd_find_layers(struct fsd_arena *arena, const struct fsd_diff *d,
                                const struct fsd_query *q, fsd_id_vec *out,
                                struct fsd_error *err)
{
    struct search s = {d->engine, d->names, "name or number of a layer of the engine",
                       true, NULL};

    return find(arena, &s, q, out, err);
}
