/* Copies a verdict, so that its run can be freed. A run takes about 25 MB, so a check
 * of many builds keeps only what is printed about each build. */
#include "judge/findings/keep.h"
#include "judge/gate/gate.h"

static void keep_row(struct fsd_arena *arena, struct fsd_verdict_row *row)
{
    fsd_keep_text(arena, &row->what);
    fsd_keep_text(arena, &row->before);
    fsd_keep_text(arena, &row->now);
}

static void keep_lists(struct fsd_arena *arena, struct fsd_verdict *v, uint32_t n)
{
    FSD_KEEP_LIST(arena, &v->about);
    FSD_KEEP_LIST(arena, &v->rows);
    FSD_KEEP_LIST(arena, &v->causes);
    FSD_KEEP_LIST(arena, &v->account.different);
    for (uint32_t i = 0; i < v->account.different.n; i++)
        fsd_keep_text(arena, &v->account.different.at[i].what);
    for (uint32_t i = 0; i < v->about.n; i++)
        keep_row(arena, &v->about.at[i]);
    for (uint32_t i = 0; i < v->rows.n; i++)
        keep_row(arena, &v->rows.at[i]);
    for (uint32_t i = 0; i < v->causes.n; i++) {
        fsd_keep_text(arena, &v->causes.at[i].what);
        fsd_keep_text(arena, &v->causes.at[i].todo);
    }
    if (v->cause_of)
        v->cause_of = fsd_keep_bytes(arena, v->cause_of, n * sizeof *v->cause_of);
    for (uint32_t i = 0; i < v->brief.n; i++) {
        fsd_keep_text(arena, &v->brief.at[i].topic);
        fsd_keep_text(arena, &v->brief.at[i].text);
    }
}

struct fsd_verdict *fsd_verdict_keep(const struct fsd_verdict *from)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_verdict *v = fsd_keep_bytes(arena, from, sizeof *from);
    const char **const texts[] = {&v->title,   &v->verdict, &v->model,   &v->engine,
                                  &v->label,   &v->name,    &v->says[0], &v->says[1],
                                  &v->says[2], &v->command, &v->accept,  &v->snapshot};

    v->arena = arena;
    v->policy = NULL;
    for (size_t i = 0; i < FSD_COUNT_OF(texts); i++)
        fsd_keep_text(arena, texts[i]);
    v->findings = fsd_findings_keep(arena, from->findings);
    keep_lists(arena, v, v->findings->list.n);
    return v;
}
