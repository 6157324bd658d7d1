/*
 * Builds states by function calls, for tests of comparisons that need no engine and no
 * matching. fsd_state_finish() completes a state, like the state of a snapshot.
 */
#include "build_state.h"

struct fsd_state *new_state(void)
{
    struct fsd_state *s = fsd_state_new();
    struct fsd_state_port in = {.name = fsd_intern_str(s->names, "in"),
                                .from = {FSD_NO_ORIGIN, 0}};

    s->model_path = s->engine_path = "by hand";
    s->model_hash[0] = (uint64_t)(uintptr_t)s; /* unique, so that all models differ */
    fsd_vec_push(s->arena, &s->inputs, in);
    return s;
}

fsd_id add_node(struct fsd_state *s, const char *key, const char *op,
                const char *weight, unsigned n, ...)
{
    struct fsd_state_node node = {.key = fsd_intern_str(s->names, key),
                                  .op = fsd_intern_str(s->names, op),
                                  .weight = fsd_intern_str(s->names, weight),
                                  .named = true,
                                  .role = FSD_ROLE_CORE,
                                  .fate = FSD_FATE_LAYER,
                                  .in = {s->sources.n, n}};
    va_list args;

    va_start(args, n);
    for (unsigned i = 0; i < n; i++)
        fsd_vec_push(s->arena, &s->sources,
                     (struct fsd_producer){{va_arg(args, uint32_t)}, 0});
    va_end(args);
    fsd_vec_push(s->arena, &s->nodes, node);
    return s->nodes.n - 1;
}

void add_output(struct fsd_state *s, const char *name, fsd_id from)
{
    fsd_vec_push(s->arena, &s->outputs,
                 (struct fsd_state_port){.name = fsd_intern_str(s->names, name),
                                         .from = {fsd_node_origin(from), 0}});
}

fsd_id add_group(struct fsd_state *s, enum fsd_dtype type, unsigned n, ...)
{
    struct fsd_group g = {.kind = FSD_KIND_COMPUTE,
                          .precision = (uint8_t)type,
                          .layers = 1,
                          .nodes = {s->refs.n, n},
                          .ms = {-1, -1, -1}};
    va_list args;

    va_start(args, n);
    for (unsigned i = 0; i < n; i++) {
        fsd_id node = va_arg(args, fsd_id);

        fsd_vec_push(s->arena, &s->refs, node);
        s->nodes.at[node].precision = (uint8_t)type;
    }
    va_end(args);
    fsd_vec_push(s->arena, &s->groups, g);
    return s->groups.n - 1;
}

struct fsd_state *finished(struct fsd_state *s)
{
    fsd_state_finish(s);
    return s;
}
