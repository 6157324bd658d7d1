/* Copies findings into another arena, so that their run can be freed. */
#include "judge/findings/keep.h"

#include "judge/findings/findings.h"

/* Copies the texts of a finding. Its facts, names and edits are in the lists of struct
 * fsd_findings. */
static void keep_finding(struct fsd_arena *arena, struct fsd_finding *f)
{
    const char **const texts[] = {&f->message, &f->todo, &f->proof, &f->file};

    for (size_t i = 0; i < FSD_COUNT_OF(texts); i++)
        fsd_keep_text(arena, texts[i]);
}

static void keep_edit(struct fsd_arena *arena, struct fsd_edit *e)
{
    const char **const texts[] = {&e->tensor,       &e->name, &e->to_name, &e->like,
                                  &e->scale_tensor, &e->type, &e->effect};

    for (size_t i = 0; i < FSD_COUNT_OF(texts); i++)
        fsd_keep_text(arena, texts[i]);
}

static void keep_cite(struct fsd_arena *arena, struct fsd_cite *c)
{
    struct fsd_edit *edit = fsd_keep_bytes(arena, c->edit, sizeof *edit);

    keep_edit(arena, edit);
    c->edit = edit;
    fsd_keep_text(arena, &c->rule);
    fsd_keep_text(arena, &c->feeds);
    fsd_keep_text(arena, &c->shown);
}

struct fsd_findings *fsd_findings_keep(struct fsd_arena *arena,
                                       const struct fsd_findings *from)
{
    struct fsd_findings *all = fsd_keep_bytes(arena, from, sizeof *from);

    all->arena = arena;
    all->cites_of = NULL; /* not copied: indexed by layers of a run that may be freed */
    all->proposed.n = all->proposed.cap = 0;
    FSD_KEEP_LIST(arena, &all->rules);
    FSD_KEEP_LIST(arena, &all->list);
    FSD_KEEP_LIST(arena, &all->subjects);
    FSD_KEEP_LIST(arena, &all->facts);
    FSD_KEEP_LIST(arena, &all->edits);
    FSD_KEEP_LIST(arena, &all->ignores);
    FSD_KEEP_LIST(arena, &all->cites);
    for (uint32_t i = 0; i < all->rules.n; i++) {
        fsd_keep_text(arena, &all->rules.at[i].measured);
        fsd_keep_text(arena, &all->rules.at[i].budget);
        fsd_keep_text(arena, &all->rules.at[i].skipped);
    }
    for (uint32_t i = 0; i < all->list.n; i++)
        keep_finding(arena, &all->list.at[i]);
    for (uint32_t i = 0; i < all->subjects.n; i++)
        fsd_keep_text(arena, &all->subjects.at[i].name);
    for (uint32_t i = 0; i < all->facts.n; i++)
        fsd_keep_text(arena, &all->facts.at[i].text);
    for (uint32_t i = 0; i < all->edits.n; i++)
        keep_edit(arena, &all->edits.at[i]);
    for (uint32_t i = 0; i < all->cites.n; i++)
        keep_cite(arena, &all->cites.at[i]);
    return all;
}
