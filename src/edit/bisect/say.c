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

static void put_found(const struct fsd_bisection *b, FILE *out)
{
    for (uint32_t i = 0; i < b->hunt->found.n; i++) {
        fputs("  ", out);
        put_fusion(b, b->hunt->found.at[i], out);
    }
}

/* Whether the fusion changed in the build, and is not one of those found. */
static bool changed_along(const struct fsd_hunt *h, const struct fsd_hunt_step *step,
                          fsd_id group)
{
    return h->fusion[group] && step->seen[group] == FSD_SEEN_CHANGED &&
           !fsd_ids_have(h->found.at, h->found.n, group);
}

/* The right build in which all that was found had changed, and the least besides; NULL:
 * there is none. */
static const struct fsd_hunt_step *least_good(const struct fsd_bisection *b)
{
    const struct fsd_hunt *h = b->hunt;
    const struct fsd_hunt_step *best = NULL;
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < h->steps.n; i++) {
        const struct fsd_hunt_step *step = &h->steps.at[i];
        uint32_t n = 0;
        bool all = step->seen && step->result == FSD_BISECT_GOOD;

        for (uint32_t k = 0; all && k < h->found.n; k++)
            all = step->seen[h->found.at[k]] == FSD_SEEN_CHANGED;
        for (fsd_id k = 0; all && k < b->marks->state->groups.n; k++)
            n += changed_along(h, step, k);
        if (all && n < least) {
            best = step;
            least = n;
        }
    }
    return best;
}

/* A fusion that changed with those found may be to blame in place of one of them. */
static void put_along(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt_step *step = least_good(b);
    bool any = false;

    for (fsd_id i = 0; step && i < b->marks->state->groups.n; i++) {
        if (!changed_along(b->hunt, step, i))
            continue;
        if (!any)
            fputs("These changed along, and may be to blame in place of one of "
                  "them:\n",
                  out);
        any = true;
        fputs("  ", out);
        put_fusion(b, i, out);
    }
}

static void put_proved(const struct fsd_bisection *b, FILE *out)
{
    bool one = b->hunt->n == 1;
    uint32_t along = 0, others = 0;

    fprintf(out,
            one ? "This fusion causes the failure:\n"
                : "These %u fusions cause the failure, one or more of them; no known "
                  "break splits only some:\n",
            b->hunt->n);
    put_suspects(b, out);
    fprintf(out, "With %s ", one ? "it" : "these");
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        along += b->hunt->along[i];
        others += b->hunt->fusion[i] && !b->hunt->suspect[i];
    }
    if (along) {
        fputs("and ", out);
        fsd_put_noun(out, along, "fusion");
        fputs(" that changed along split", out);
    } else {
        fputs("alone split", out);
    }
    fprintf(out, " the engine was right; with %u of %u others split it was wrong.\n",
            b->hunt->cleared, others);
}

static void put_unproved(const struct fsd_bisection *b, FILE *out)
{
    fputs("No fusion is proved to cause the failure: a build of the proof could not be "
          "had, or did not split what it should.  Suspects left:\n",
          out);
    put_suspects(b, out);
}

static void put_no_fusion(const struct fsd_bisection *b, FILE *out)
{
    uint32_t whole = 0;

    fputs("No fusion alone causes the failure: it is there with all of them split that "
          "can be.\n",
          out);
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        whole += b->hunt->suspect[i] && b->hunt->spent[i];
    if (!whole)
        return;
    fprintf(out, "%u of them did not split:\n", whole);
    put_suspects(b, out);
}

static void put_end(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    switch (h->end) {
    case FSD_HUNT_END_ABSENT:
        fputs("The failure does not show in this build: nothing was split, and the "
              "engine is right.\n",
              out);
        break;
    case FSD_HUNT_END_UNTESTED:
        fputs("The build in which nothing is split could not be tested, so no other "
              "build can show anything.\n",
              out);
        break;
    case FSD_HUNT_END_NO_FUSION:
        put_no_fusion(b, out);
        break;
    case FSD_HUNT_END_PROVED:
        put_proved(b, out);
        break;
    case FSD_HUNT_END_TOGETHER:
        fprintf(out,
                "No fusion alone causes the failure: these %u have to be split "
                "together, and then the engine is right:\n",
                h->found.n);
        put_found(b, out);
        put_along(b, out);
        break;
    case FSD_HUNT_END_NEEDED:
        fprintf(out,
                "The failure needs these %u fusions together: with all others split it "
                "is still there, and splitting one of them ends it:\n",
                h->found.n);
        put_found(b, out);
        break;
    case FSD_HUNT_END_UNPROVED:
        put_unproved(b, out);
        break;
    case FSD_HUNT_END_CONTRADICTS:
    case FSD_HUNT_END_NONE:
    default:
        fputs("The results contradict each other: no fusion, and no small set of them, "
              "explains all.  The test may not always end alike (run --confirm 3).\n",
              out);
        break;
    }
    fprintf(out, "%u build%s.\n", h->steps.n, fsd_plural(h->steps.n));
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

/* Of the next build. */
static const char *const purposes[] = {
    [FSD_HUNT_WHOLE] = "Build the engine again without any change: the failure has to "
                       "show.",
    [FSD_HUNT_ALL] = "Build the engine again with all fusions split that can be: the "
                     "failure has to be gone.",
    [FSD_HUNT_HALVES] = "Build the engine again with:",
    [FSD_HUNT_ALONE] = "Build the engine again with the suspects alone split:",
    [FSD_HUNT_OTHERS] = "Build the engine again with all others split:",
    [FSD_HUNT_SPLIT] = "No fusion alone explains the results.  Build the engine again "
                       "with these split:",
    [FSD_HUNT_KEPT] = "The failure needs more than one fusion.  Build the engine again "
                      "with these split:",
    [FSD_HUNT_OVER] = ""};

void fsd_search_put_next(const struct fsd_bisection *search, FILE *out)
{
    const struct fsd_hunt *h = search->hunt;

    if (fsd_bisection_done(search)) {
        put_end(search, out);
        return;
    }
    fprintf(out, "%u suspect%s, about %u more build%s.  %s\n", h->n, fsd_plural(h->n),
            fsd_hunt_builds_left(h), fsd_plural(fsd_hunt_builds_left(h)),
            purposes[h->phase]);
    put_edits(search, out);
    if (h->chosen.n)
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
    fputs(other      ? "  The result is counted for the fusions that changed.\n"
          : chosen.n ? "  Only the expected fusions changed.\n"
                     : "  No fusion changed.\n",
          out);
}
