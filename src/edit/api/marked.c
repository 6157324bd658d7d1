/* The public API of marks: writes the model with some tensors marked. The user rebuilds
 * the engine from this model, to get these tensors as outputs, or to split a fusion. A
 * mark is an output of the model, or an If that forwards the tensor. */
#include "edit/mark/marked.h"
#include "model/graph/graph.h"
#include "base/base.h"

static enum fsd_status add_breaks(struct fsd_arena *arena, const struct fsd_marks *m,
                                  const char *word, struct fsd_marking *what,
                                  struct fsd_error *err)
{
    fsd_id_vec groups = {0};
    enum fsd_status status = fsd_marks_pick(m, arena, word, &groups, err);
    const char *why = "";

    for (uint32_t i = 0; status == FSD_OK && i < groups.n; i++) {
        fsd_marking_add(arena, what, m, groups.at[i]);
        why = m->breaks[groups.at[i]].why;
    }
    if (status == FSD_OK && !what->outputs.n && !what->passed.n)
        return fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "--break: no mark splits the fusion '%s' without splitting others: %s",
            word, why);
    return status;
}

static void add_free(struct fsd_arena *arena, const struct fsd_marks *m,
                     struct fsd_marking *what)
{
    for (fsd_id i = 0; i < m->d->model->tensors.n; i++)
        if (fsd_tensor_is_free_together(m, i))
            fsd_vec_push(arena, &what->outputs, i);
}

static enum fsd_status write_marked(const struct fsd_diff *d, struct fsd_arena *arena,
                                    const struct fsd_query *q, FILE *out,
                                    struct fsd_error *err)
{
    struct fsd_marks *m = fsd_marks_new(d);
    struct fsd_marking what = {{0}, {0}};
    enum fsd_status status = FSD_OK;

    if (q->break_at)
        status = add_breaks(arena, m, q->break_at, &what, err);
    else
        add_free(arena, m, &what);
    FSD_THEN(status,
             fsd_marking_write(d, arena, &what, FSD_ONNX_WEIGHTS_STAY, out, err));
    fsd_marks_free(m);
    return status;
}

enum fsd_status fsd_diff_mark(const struct fsd_diff *d, const struct fsd_query *q,
                              FILE *out, struct fsd_error *err)
{
    struct fsd_arena *arena;
    enum fsd_status status = fsd_expect_query(q, err);

    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    status = write_marked(d, arena, q, out, err);
    fsd_arena_free(arena);
    return status;
}
