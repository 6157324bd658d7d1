/* Prints the messages of a search: the suspects, the next build, the result. */
#include "edit/bisect/search.h"
#include "base/base.h"
#include "model/graph/graph.h"

const char *fsd_search_tensor_name(const struct fsd_bisection *b, fsd_id tensor)
{
    return fsd_text(b->run->names, b->run->model->tensors.at[tensor].name);
}

/* Prints "layer 5 epilogue Conv_3 + Relu_4". */
static void put_fusion(const struct fsd_bisection *b, fsd_id group, FILE *out)
{
    const struct fsd_marks *m = b->marks;
    FSD_SCRATCH(arena);

    if (m->layer_of[group] != FSD_NONE)
        fprintf(out, "layer %u  ", m->layer_of[group]);
    fprintf(out, "%s  ", fsd_fusion_kind_name(m->kinds[group]));
    fsd_put_safe(out, fsd_marks_called(arena, m, group));
    putc('\n', out);
}

static void put_group(const struct fsd_bisection *b, fsd_id group, FILE *out)
{
    fputs("  ", out);
    put_fusion(b, group, out);
}

static void put_suspects(const struct fsd_bisection *b, FILE *out)
{
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        if (!b->hunt->suspect[i])
            continue;
        put_group(b, i, out);
    }
}

/* Prints the set of fusions that was found. If an entry has several fusions, no break
 * separated them: at least one of them is in the set, but it is unknown which. */
static void put_found(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    for (uint32_t i = 0; i < h->found.n; i++)
        if (h->found.at[i].n == 1)
            put_group(b, h->pool.at[h->found.at[i].at], out);
    for (uint32_t i = 0; i < h->found.n; i++) {
        if (h->found.at[i].n == 1)
            continue;
        fprintf(out,
                "  at least one of these %u fusions (a build splits all or none of "
                "them):\n",
                h->found.at[i].n);
        for (uint32_t k = 0; k < h->found.at[i].n; k++)
            put_group(b, h->pool.at[h->found.at[i].at + k], out);
    }
}

static void put_also(const struct fsd_bisection *b, const char *why, FILE *out)
{
    if (b->hunt->also.n)
        fprintf(out,
                "The failure may also depend on the following fusions, which %s:\n",
                why);
    for (uint32_t i = 0; i < b->hunt->also.n; i++)
        put_group(b, b->hunt->also.at[i], out);
}

/* Whether the fusion is no suspect, and no wrong build is known to have split it. */
static bool is_open(const struct fsd_hunt *h, fsd_id group)
{
    return h->fusion[group] && !h->suspect[group] && !fsd_hunt_is_cleared(h, group);
}

/* Prints the fusions for which is_open() is true: the failure may need them, too.
 * @param n number of these fusions */
static void put_open(const struct fsd_bisection *b, uint32_t n, FILE *out)
{
    if (!n)
        return;
    fprintf(out,
            n == 1 ? "%u other fusion was whole in each wrong build, so the failure "
                     "may depend on this fusion, too:\n"
                   : "%u other fusions were whole in each wrong build, so the failure "
                     "may depend on these fusions, too:\n",
            n);
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (is_open(b->hunt, i))
            put_group(b, i, out);
}

static void put_proved(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;
    bool one = h->n == 1;
    uint32_t along = 0, others = 0, open = 0;

    fprintf(out,
            one ? "This fusion causes the failure:\n"
                : "At least one of these %u fusions causes the failure (a build splits "
                  "all or none of them):\n",
            h->n);
    put_suspects(b, out);
    fprintf(out, "With %s", one ? "this fusion" : "these fusions");
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        along += h->along[i];
        others += h->fusion[i] && !h->suspect[i];
        open += is_open(h, i);
    }
    if (along) {
        fputs(" split, and with changes to ", out);
        fsd_put_noun(out, along, "other fusion");
    } else {
        fputs(" split, and without changes to other fusions", out);
    }
    fputs(", the engine was right", out);
    if (others)
        fprintf(out, "; with %u of the %u other fusions split, it was wrong",
                others - open, others);
    fputs(".\n", out);
    put_open(b, open, out);
}

static void put_unproved(const struct fsd_bisection *b, FILE *out)
{
    fputs("No fusion is proved to cause the failure: one of the builds for the proof "
          "failed, or did not split the expected fusions.  Remaining suspects:\n",
          out);
    put_suspects(b, out);
}

static void put_no_fusion(const struct fsd_bisection *b, FILE *out)
{
    uint32_t bad = 0, open = 0;

    for (uint32_t i = 0; i < b->hunt->steps.n; i++)
        bad += b->hunt->steps.at[i].result == FSD_BISECT_BAD;
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        open += b->hunt->fusion[i] && !fsd_hunt_is_cleared(b->hunt, i);
    fprintf(out,
            "No fusion alone causes the failure: the engines of all builds (%u "
            "build%s) were wrong.\n",
            bad, fsd_plural(bad));
    if (open)
        fprintf(
            out,
            "%u fusion%s not split in any build, and may still cause the failure:\n",
            open, open == 1 ? " was" : "s were");
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (b->hunt->fusion[i] && !fsd_hunt_is_cleared(b->hunt, i))
            put_group(b, i, out);
}

static void put_end(const struct fsd_bisection *b, FILE *out)
{
    const struct fsd_hunt *h = b->hunt;

    switch (h->end) {
    case FSD_HUNT_END_ABSENT:
        fputs("The failure does not occur in this build: the engine is right, although "
              "no fusion was split.\n",
              out);
        break;
    case FSD_HUNT_END_UNTESTED:
        fputs(
            "The build without changes could not be tested. Without its result, other "
            "builds cannot show which fusion causes the failure.\n",
            out);
        break;
    case FSD_HUNT_END_NO_FUSION:
        put_no_fusion(b, out);
        break;
    case FSD_HUNT_END_PROVED:
        put_proved(b, out);
        break;
    case FSD_HUNT_END_TOGETHER:
        fputs("No fusion alone causes the failure. The engine is right if these "
              "fusions are split together:\n",
              out);
        put_found(b, out);
        put_also(b, "changed together with the fusions above", out);
        break;
    case FSD_HUNT_END_NEEDED:
        fputs(
            "The failure occurs only if all of the following fusions exist. The engine "
            "is right if any one of them is split, and stays wrong if only other "
            "fusions are split:\n",
            out);
        put_found(b, out);
        put_also(b, "were not split in any wrong build", out);
        break;
    case FSD_HUNT_END_UNPROVED:
        put_unproved(b, out);
        break;
    case FSD_HUNT_END_CONTRADICTS:
    case FSD_HUNT_END_NONE:
    default:
        fputs("The results contradict each other: neither one fusion nor a small set "
              "of fusions explains all results.  The test may not be deterministic: "
              "`bisect run --confirm 3` checks this.\n",
              out);
        break;
    }
    fprintf(out, "%u build%s.\n", h->steps.n, fsd_plural(h->steps.n));
}

static void put_expected(const struct fsd_bisection *b, FILE *out)
{
    FSD_SCRATCH(arena);
    const bool *expected = fsd_hunt_expected(b->hunt, b->hunt->chosen, arena);

    fputs("These fusions should change:\n", out);
    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        if (expected[i])
            put_group(b, i, out);
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
    FSD_SCRATCH(arena);
    const struct fsd_marking what = fsd_search_marking(b, arena);

    put_names(b, &what.outputs, "marked as an output  ", out);
    put_names(b, &what.passed, "passed through an If ", out);
    if (!strcmp(b->run->model->kind, "onnx"))
        fputs("`bisect next -o FILE.onnx` writes the model for this build.\n", out);
}

/* The purpose of the next build, by phase. */
static const char *const purposes[] = {
    [FSD_HUNT_WHOLE] =
        "Build the engine again without changes: this engine should be wrong.",
    [FSD_HUNT_ALL] = "Build the engine again, and split every fusion that can be "
                     "split: this engine should be right.",
    [FSD_HUNT_HALVES] = "Build the engine again with these changes:",
    [FSD_HUNT_ALONE] = "Build the engine again, and split only the suspects:",
    [FSD_HUNT_OTHERS] =
        "Build the engine again, and split all fusions except the suspects:",
    [FSD_HUNT_SPLIT] = "No fusion alone explains the results.  Build the engine "
                       "again with these changes:",
    [FSD_HUNT_KEPT] =
        "The failure depends on more than one fusion.  Build the engine again with "
        "these changes:",
    [FSD_HUNT_OVER] = ""};

void fsd_search_put_next(const struct fsd_bisection *search, FILE *out)
{
    const struct fsd_hunt *h = search->hunt;

    if (fsd_bisection_done(search)) {
        put_end(search, out);
        return;
    }
    fprintf(out, "%u suspect%s left, about %u more build%s.  %s\n", h->n,
            fsd_plural(h->n), fsd_hunt_builds_left(h),
            fsd_plural(fsd_hunt_builds_left(h)), purposes[h->phase]);
    put_edits(search, out);
    if (h->chosen.n)
        put_expected(search, out);
    fputs("Then report whether the outputs of the network are right:\n  fusiondiff "
          "bisect good|bad|skip NEW_ENGINE\n  fusiondiff bisect result COMPARISON "
          "NEW_ENGINE   (COMPARISON: file saved by Polygraphy)\n",
          out);
}

static uint32_t count_seen(const struct fsd_bisection *b, const uint8_t *seen)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++)
        n += b->hunt->fusion[i] && seen[i] == FSD_SEEN_CHANGED;
    return n;
}

void fsd_search_put_log(const struct fsd_bisection *search, FILE *out)
{
    const struct fsd_hunt *h = search->hunt;

    FSD_EACH (const struct fsd_hunt_step, step, h->steps) {
        fprintf(out, "%s", fsd_search_results[step->result]);
        if (step->seen)
            fprintf(out, "  %u fusion%s changed", count_seen(search, step->seen),
                    fsd_plural(count_seen(search, step->seen)));
        fprintf(out, "  %u suspect%s left%s", step->left, fsd_plural(step->left),
                step->tensors.n ? "  marked" : "");
        FSD_EACH_ID (tensor, h->pool, step->tensors) {
            putc(' ', out);
            fsd_put_safe(out, fsd_search_tensor_name(search, tensor));
        }
        putc('\n', out);
    }
    fsd_search_put_next(search, out);
}

void fsd_search_put_differences(const struct fsd_bisection *b, struct fsd_span chosen,
                                const uint8_t *seen, FILE *out)
{
    FSD_SCRATCH(arena);
    const bool *expected = fsd_hunt_expected(b->hunt, chosen, arena);
    uint32_t other = 0;

    for (fsd_id i = 0; i < b->marks->state->groups.n; i++) {
        bool changed = seen[i] == FSD_SEEN_CHANGED;

        if (expected[i] == changed && seen[i] != FSD_SEEN_NOTHING &&
            seen[i] != FSD_SEEN_ALTERED)
            continue;
        other++;
        fputs(seen[i] == FSD_SEEN_NOTHING ? "  unknown whether this fusion changed:  "
              : seen[i] == FSD_SEEN_ALTERED
                  ? "  has the same nodes, but now performs different operations:  "
              : changed ? "  changed unexpectedly:  "
                        : "  should have changed, but did not:  ",
              out);
        put_fusion(b, i, out);
    }
    fputs(other      ? "  From now on, the search counts exactly the fusions "
                       "that changed as split.\n"
          : chosen.n ? "  Only the expected fusions changed.\n"
                     : "  No fusion changed.\n",
          out);
}
