/* What a search says: which fusions are suspects, what to build next, how it ended. */
#include "edit/bisect/search.h"
#include "base/base.h"

#include <string.h>

const char *fsd_search_tensor_name(const struct fsd_bisection *b, fsd_id tensor)
{
    return fsd_text(b->run->names, b->run->model->tensors.at[tensor].name);
}

/* "layer 5  epilogue  Conv_3 + Relu_4" */
static void put_fusion(const struct fsd_bisection *b, fsd_id group, FILE *out)
{
    const struct fsd_marks *m = b->marks;
    struct fsd_arena *arena = fsd_arena_new();

    if (m->layer_of[group] != FSD_NONE)
        fprintf(out, "layer %u  ", m->layer_of[group]);
    fprintf(out, "%s  ", fsd_fusion_kind_name(m->kinds[group]));
    fsd_put_safe(out, fsd_marks_called(arena, m, group));
    putc('\n', out);
    fsd_arena_free(arena);
}

static void put_suspects(const struct fsd_bisection *b, FILE *out)
{
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        if (!b->hunt->suspect[i])
            continue;
        fputs("  ", out);
        put_fusion(b, i, out);
    }
}

static void put_end(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    if (h->n == 1)
        fprintf(out, "This fusion causes the failure, found after %u build%s:\n",
                h->steps.n, fsd_plural(h->steps.n));
    else
        fprintf(out,
                "One of these %u fusions causes the failure, found after %u "
                "build%s; no known break splits only some of them:\n",
                h->n, h->steps.n, fsd_plural(h->steps.n));
    put_suspects(b, out);
}

static void put_expected(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    fputs("Fusions that should change:\n", out);
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (fsd_hunt_expects(h, h->chosen, i)) {
            fputs("  ", out);
            put_fusion(b, i, out);
        }
}

static void put_names(const struct fsd_bisection *b, const fsd_id_vec *tensors,
                      const char *how, FILE *out)
{
    for (uint32_t i = 0; i < tensors->n; i++)
        fsd_printf_safe(out, "  %s  %s\n", how,
                        fsd_search_tensor_name(b, tensors->at[i]));
}

static void put_edits(const struct fsd_bisection *b, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    const struct fsd_marking what = fsd_search_marking(b, arena);

    put_names(b, &what.outputs, "marked as an output  ", out);
    put_names(b, &what.passed, "passed through an If ", out);
    if (!strcmp(b->run->model->kind, "onnx"))
        fputs("`bisect next -o FILE.onnx` writes this model.\n", out);
    fsd_arena_free(arena);
}

void fsd_search_put_next(const struct fsd_bisection *search, FILE *out)
{
    const struct fsd_hunt *h = search->hunt;

    if (fsd_bisection_done(search)) {
        put_end(search, out);
        return;
    }
    fprintf(out, "%u suspects.  Build the engine again with:\n", h->n);
    put_edits(search, out);
    put_expected(search, out);
    fputs("Then state how the network's own outputs are:\n"
          "  fusiondiff bisect good|bad|skip NEW_ENGINE\n"
          "  fusiondiff bisect result COMPARISON NEW_ENGINE   (saved by Polygraphy)\n",
          out);
}

static uint32_t count_seen(const struct fsd_bisection *b, const uint8_t *seen)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        n += seen[i] == FSD_SEEN_CHANGED;
    return n;
}

void fsd_search_put_log(const struct fsd_bisection *search, FILE *out)
{
    const struct fsd_hunt *h = search->hunt;

    for (uint32_t i = 0; i < h->steps.n; i++) {
        const struct fsd_hunt_step *step = &h->steps.at[i];

        fprintf(out, "%s", fsd_search_results[step->result]);
        if (step->seen)
            fprintf(out, "  %u fusion%s changed", count_seen(search, step->seen),
                    fsd_plural(count_seen(search, step->seen)));
        fprintf(out, "  %u suspect%s left%s", step->left, fsd_plural(step->left),
                step->tensors.n ? "  marked" : "");
        for (uint32_t k = 0; k < step->tensors.n; k++) {
            putc(' ', out);
            fsd_put_safe(
                out, fsd_search_tensor_name(search, h->pool.at[step->tensors.at + k]));
        }
        putc('\n', out);
    }
    fsd_search_put_next(search, out);
}

void fsd_search_put_differences(const struct fsd_bisection *b, struct fsd_span chosen,
                                const uint8_t *seen, FILE *out)
{
    uint32_t other = 0;

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        bool expected = fsd_hunt_expects(b->hunt, chosen, i);
        bool changed = seen[i] == FSD_SEEN_CHANGED;

        if (expected == changed && seen[i] != FSD_SEEN_NOTHING)
            continue;
        other++;
        fputs(seen[i] == FSD_SEEN_NOTHING ? "  unknown for  "
              : changed                   ? "  changed, too:  "
                                          : "  did not change:  ",
              out);
        put_fusion(b, i, out);
    }
    fputs(other ? "  The result is counted for the fusions that changed.\n"
                : "  Only the expected fusions changed.\n",
          out);
}
