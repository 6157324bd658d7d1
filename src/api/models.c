/* The public API that compares two models without engines. */
#include "base/base.h"
#include "change/compare/exports.h"
#include "api/inputs.h"
#include "api/states.h"
#include "report/subject/subject.h"

struct fsd_models {
    struct fsd_arena *arena[2];
    struct fsd_exports *exports;
};

static enum fsd_status open_model(struct fsd_export *out, struct fsd_arena *arena,
                                  const char *path, struct fsd_error *err)
{
    struct fsd_inputs in = {.arena = arena, .names = fsd_op_names_new(arena)};
    enum fsd_status status =
        fsd_inputs_load_side(&in, &(struct fsd_options){.model = path}, true, err);

    if (status == FSD_OK)
        *out = (struct fsd_export){in.model, fsd_facts_new(arena, in.model)};
    return status;
}

enum fsd_status fsd_models_open(struct fsd_models **out, const char *before,
                                const char *after, bool force, struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_models *m;
    struct fsd_export old, new;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    m = FSD_NEW(arena, struct fsd_models, 1);
    m->arena[0] = arena;
    m->arena[1] = fsd_arena_new();
    status = open_model(&old, m->arena[0], before, err);
    FSD_THEN(status, open_model(&new, m->arena[1], after, err));
    if (status == FSD_OK) {
        m->exports = fsd_exports_new(old, new);
        if (!force)
            status = fsd_check_network(m->exports->compare, err);
    }
    if (status == FSD_OK)
        *out = m;
    else
        fsd_models_free(m);
    return status;
}

void fsd_models_free(struct fsd_models *models)
{
    struct fsd_arena *last;

    if (!models)
        return;
    last = models->arena[0];
    fsd_exports_free(models->exports);
    fsd_arena_free(models->arena[1]);
    fsd_arena_free(last); /* its arena also contains the models */
}

bool fsd_models_differ(const struct fsd_models *models)
{
    return models->exports->changes.n > 0;
}

enum fsd_status fsd_models_write(const struct fsd_models *models, const char *format,
                                 const struct fsd_style *style, FILE *out,
                                 struct fsd_error *err)
{
    const struct fsd_report report = {
        .subject = FSD_OF_MODELS, .compare = models->exports->compare, .style = style};

    return fsd_report_write(&report, format, out, err);
}
