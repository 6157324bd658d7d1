/* Writes a model as a program: selects the requested nodes, and the modules that become
 * functions. */
#include "edit/code/code.h"
#include "base/base.h"
#include "edit/cut/cut.h"
#include "model/graph/graph.h"

enum { DEEPEST = 8 };

static void take_all(struct fsd_code *c)
{
    const struct fsd_graph *g = c->g;
    const struct fsd_scope *main = &g->scopes.at[0];

    for (fsd_id i = 0; i < g->nodes.n; i++)
        c->taken[i] = !g->nodes.at[i].scope;
    FSD_EACH_ID (input, g->links, main->inputs)
        fsd_vec_push(c->arena, &c->inputs, input);
    FSD_EACH_ID (output, g->links, main->outputs)
        fsd_vec_push(c->arena, &c->outputs, output);
}

static enum fsd_status take_part(struct fsd_code *c, const struct fsd_cut_options *part,
                                 struct fsd_error *err)
{
    struct fsd_cut_plan *plan;
    enum fsd_status status = fsd_cut_new(&plan, c->arena, c->d, part, err);
    int64_t ints[FSD_INTS];
    uint32_t n;

    if (status != FSD_OK)
        return status;
    for (fsd_id i = 0; i < c->g->nodes.n; i++)
        c->taken[i] = !c->g->nodes.at[i].scope && plan->kept[i];
    c->inputs = plan->inputs;
    c->outputs = plan->outputs;
    for (uint32_t i = 0; i < plan->sizes.n; i++) {
        c->numbers[plan->sizes.at[i]] = fsd_code_ints(c, plan->sizes.at[i], ints, &n);
        if (!c->numbers[plan->sizes.at[i]]) /* the numbers are known only for the
                                               sizes of the engine: makes the tensor
                                               an input */
            fsd_vec_push(c->arena, &c->inputs, plan->sizes.at[i]);
    }
    return FSD_OK;
}

/* Writes the lines of the program with modules of this depth. */
static void write_at(struct fsd_code *c, unsigned depth)
{
    struct fsd_scopes scopes = fsd_cost_scopes(c->arena, c->d, depth);

    c->blocks.n = 0;
    fsd_code_runs(c, &scopes);
    fsd_code_write_blocks(c);
    fsd_code_fold(c);
}

/* The depth of modules with which the program is shortest. */
static unsigned best_depth(const struct fsd_code *plan)
{
    unsigned best = 1;
    uint32_t least = UINT32_MAX, before = 0;

    for (unsigned depth = 1; depth <= DEEPEST; depth++) {
        struct fsd_code c = *plan;

        c.arena = fsd_arena_new();
        write_at(&c, depth);
        if (c.lines < least) {
            least = c.lines;
            best = depth;
        }
        fsd_arena_free(c.arena);
        if (c.lines == before)
            break;
        before = c.lines;
    }
    return best;
}

enum fsd_status fsd_code_put(const struct fsd_diff *d, const struct fsd_code_wish *wish,
                             FILE *out, struct fsd_error *err)
{
    FSD_SCRATCH(arena);
    struct fsd_code c = {.arena = arena,
                         .d = d,
                         .g = d->model,
                         .sizes = fsd_sizes_of_model(arena, d->model),
                         .torch = wish->torch,
                         .engine = wish->engine,
                         .path = d->model->path,
                         .taken = FSD_NEW(arena, bool, d->model->nodes.n + 1),
                         .numbers = FSD_NEW(arena, bool, d->model->tensors.n + 1)};
    enum fsd_status status = FSD_OK;

    if (wish->part)
        status = take_part(&c, wish->part, err);
    else
        take_all(&c);
    FSD_THEN(status, fsd_code_order(&c, err));
    if (status == FSD_OK) {
        write_at(&c, wish->depth ? wish->depth : best_depth(&c));
        fsd_code_print(&c, out);
        status = fsd_flush(out, err);
    }
    return status;
}
