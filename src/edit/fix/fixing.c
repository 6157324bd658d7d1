/*
 * Judges edits before the fixed model is written. A model with the edits, the trial, is
 * written to a file without a name and linted:
 *
 *     model --edits--> trial --lint--> a finding that the model does not have?
 *       yes: the edits nearest to the finding are barred, and the rest is tried again
 *       no:  the next round applies the edits that lint proposes for the trial
 *
 * In the last round no edit applies. A fixed model therefore has no finding that the
 * model did not have, and fixing it again changes nothing. A trial is a file because
 * only a file has everything that lint reads. A trial costs no more than writing the
 * result.
 */
#include "edit/fix/fixing.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/onnx/write.h"
#include "host/files.h"

#include <errno.h>
#include <inttypes.h>

enum { MOST_ROUNDS = 8, MOST_TRIALS = 12, MOST_STEPS = 3 };

/* ------------------------------------------------------------------------- findings */

/* A text that identifies a node: its name, because the numbers of nodes differ between
 * a model and its trial. */
static const char *label_of(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_node *n = &g->nodes.at[node];
    fsd_id made = fsd_node_out_tensor(g, node, 0);

    return n->name            ? fsd_text(g->names, n->name)
           : made == FSD_NONE ? ""
                              : fsd_text(g->names, g->tensors.at[made].name);
}

static const char *mark_of(struct fsd_arena *arena, const struct fsd_linting *l,
                           const struct fsd_finding *finding, uint32_t i)
{
    const struct fsd_findings *found = l->verdict->findings;
    fsd_id node = found->subjects.at[finding->nodes.at + i].id;

    return fsd_printed(arena, "%s %s", found->rules.at[finding->rule].rule->id,
                       label_of(l->lint->g, node));
}

/* Returns the set of the marks of all findings. A finding has a mark for each of its
 * nodes (mark_of()). */
static struct fsd_intern *marks_of(struct fsd_arena *arena, const struct fsd_linting *l)
{
    const struct fsd_findings *found = l->verdict->findings;
    struct fsd_intern *marks = fsd_intern_new(arena);

    for (uint32_t i = 0; i < found->list.n; i++)
        for (uint32_t k = 0; k < found->list.at[i].nodes.n; k++)
            fsd_intern_str(marks, mark_of(arena, l, &found->list.at[i], k));
    return marks;
}

/* Whether the finding is new: at least one of its nodes has a mark (mark_of()) that is
 * not in `marks`. If finding->listed is false, only the first node is examined. False
 * if the finding has no nodes. */
static bool is_new(struct fsd_arena *arena, const struct fsd_intern *marks,
                   const struct fsd_linting *l, const struct fsd_finding *finding)
{
    uint32_t n = finding->listed || !finding->nodes.n ? finding->nodes.n : 1;

    for (uint32_t k = 0; k < n; k++) {
        const char *mark = mark_of(arena, l, finding, k);

        if (!fsd_intern_has(marks, mark, strlen(mark)))
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------------- trials */

static void close_file(struct fsd_cleanup *cleanup)
{
    struct fsd_trial *trial = (struct fsd_trial *)cleanup;

    if (trial->file)
        fclose(trial->file);
    trial->file = NULL;
}

static void drop_trial(struct fsd_trial *trial)
{
    fsd_linting_free(trial->linting);
    trial->linting = NULL;
    fsd_cleanup_drop(&trial->cleanup);
    close_file(&trial->cleanup);
}

static enum fsd_status make_trial(struct fsd_trial **out, struct fsd_fixes *fixes,
                                  const struct fsd_linting *l, struct fsd_error *err)
{
    struct fsd_trial *trial = FSD_NEW(fixes->arena, struct fsd_trial, 1);
    enum fsd_status status;
    char path[40];

    *out = trial;
    fsd_cleanup_add(&trial->cleanup, close_file);
    trial->file = fsd_host_temporary();
    if (!trial->file && errno == ENOMEM)
        return fsd_fail_memory(err, NULL);
    if (!trial->file)
        return fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0,
                        "expected a writable folder for temporary files, found none");
    status = fsd_onnx_write_again(fsd_fixes_edits(fixes), "fixing", trial->file, err);
    FSD_THEN(status, fsd_flush(trial->file, err));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(trial->file));
    FSD_THEN(status, fsd_linting_again(&trial->linting, l, path, err));
    return status;
}

/* --------------------------------------------------------------------------- causes */

/* The names near a finding in a trial: names of its nodes, of the tensors at these
 * nodes, of the nodes at these tensors, and so on. */
struct near {
    struct fsd_arena *arena;
    const struct fsd_graph *g;
    struct fsd_intern *names;
    bool *met; /* indexed by node: the node was visited */
    FSD_VEC(fsd_id) edge;
};

static void meet(struct near *near, fsd_id node)
{
    if (near->met[node])
        return;
    near->met[node] = true;
    fsd_vec_push(near->arena, &near->edge, node);
}

static void widen(struct near *near)
{
    const struct fsd_graph *g = near->g;
    uint32_t n = near->edge.n;

    if (!n)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_node *node = &g->nodes.at[near->edge.at[i]];

        fsd_intern_str(near->names, label_of(g, near->edge.at[i]));
        for (uint32_t p = 0; p < node->in.n + node->out.n; p++) {
            fsd_id tensor = g->ports.at[fsd_node_port(node, p)].tensor;
            fsd_id maker = fsd_tensor_producer(g, tensor);

            if (tensor == FSD_NONE)
                continue;
            fsd_intern_str(near->names, fsd_text(g->names, g->tensors.at[tensor].name));
            if (maker != FSD_NONE)
                meet(near, maker);
            FSD_EACH_ID (reader, g->links, g->tensors.at[tensor].consumers)
                meet(near, reader);
        }
    }
    memmove(near->edge.at, near->edge.at + n,
            (near->edge.n - n) * sizeof *near->edge.at);
    near->edge.n -= n;
}

static bool is_near(const struct near *near, const struct fsd_linting *l,
                    const struct fsd_edit *e)
{
    const char *const names[] = {
        e->tensor, label_of(l->lint->g, e->node),
        e->action == FSD_MOVE_PAIR ? label_of(l->lint->g, e->to) : NULL};

    for (size_t i = 0; i < FSD_COUNT_OF(names); i++)
        if (names[i] && fsd_intern_has(near->names, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Bars the edits near the finding. The removal of a pair is barred alone. Any other
 * edit is barred together with all edits of its finding.
 * @return the number of barred edits */
static uint32_t bar_near(struct fsd_fixes *fixes, const struct near *near,
                         const struct fsd_linting *l, const char *why)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fixes->list.n; i++) {
        const struct fsd_fix *fix = &fixes->list.at[i];
        bool alone = fix->edit->action == FSD_REMOVE_PAIR && !fix->edit->together;

        if (fix->why || fixes->barred[i] || !is_near(near, l, fix->edit))
            continue;
        for (uint32_t k = 0; k < fixes->list.n; k++)
            if (!fixes->barred[k] &&
                (alone ? k == i : fixes->list.at[k].finding == fix->finding)) {
                fixes->barred[k] = why;
                n++;
            }
    }
    return n;
}

static void bar_all(struct fsd_fixes *fixes, const char *why)
{
    for (uint32_t i = 0; i < fixes->list.n; i++)
        if (!fixes->list.at[i].why)
            fixes->barred[i] = why;
}

static void bar_causes(struct fsd_fixes *fixes, const struct fsd_linting *before,
                       const struct fsd_linting *after,
                       const struct fsd_finding *finding)
{
    const struct fsd_findings *found = after->verdict->findings;
    const struct fsd_graph *g = after->lint->g;
    struct near near = {.arena = fixes->arena,
                        .g = g,
                        .names = fsd_intern_new(fixes->arena),
                        .met = FSD_NEW(fixes->arena, bool, g->nodes.n + 1)};
    const char *why = fsd_printed(
        fixes->arena, "after this edit, lint would report %s at %s",
        found->rules.at[finding->rule].rule->id,
        finding->nodes.n ? found->subjects.at[finding->nodes.at].name : "the model");

    FSD_EACH_OF (subject, found->subjects, finding->nodes, id)
        meet(&near, subject);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        widen(&near);
        if (bar_near(fixes, &near, before, why))
            return;
    }
    bar_all(fixes, why);
}

/* The index of the first new finding of a trial (is_new()), from i on; the number of
 * findings if there is none. Findings of slow rules do not count. */
static uint32_t next_new(struct fsd_arena *arena, const struct fsd_intern *marks,
                         const struct fsd_linting *l, uint32_t i)
{
    const struct fsd_findings *found = l->verdict->findings;

    while (i < found->list.n && (found->rules.at[found->list.at[i].rule].rule->slow ||
                                 !is_new(arena, marks, l, &found->list.at[i])))
        i++;
    return i;
}

/* Whether a trial has no new finding. If it has new findings, bars the edits that
 * caused them. */
static bool is_better(struct fsd_fixes *fixes, const struct fsd_intern *marks,
                      const struct fsd_linting *before, const struct fsd_linting *after)
{
    uint32_t n = after->verdict->findings->list.n;
    uint32_t first = next_new(fixes->arena, marks, after, 0);

    for (uint32_t i = first; i < n; i = next_new(fixes->arena, marks, after, i + 1))
        bar_causes(fixes, before, after, &after->verdict->findings->list.at[i]);
    return first == n;
}

/* --------------------------------------------------------------------------- rounds */

static uint32_t count_applied(const struct fsd_fixes *fixes)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fixes->list.n; i++)
        n += !fixes->list.at[i].why;
    return n;
}

/* A step: the edits, and the trial with them. */
struct step {
    struct fsd_fixes fixes;
    struct fsd_trial *made;
};

/* A trial has new findings. Tries the edits that lint proposes for them, and keeps
 * these edits only if no new finding is left then. Example: an edit inserts a pair
 * after a Concat. Lint then reports that the quantizers of the branches have a
 * different scale, and proposes a second edit. */
static enum fsd_status follow(struct step *next, const struct fsd_intern *marks,
                              const struct fsd_linting *l,
                              const struct fsd_fix_options *opt, struct fsd_error *err)
{
    struct fsd_fixes *fixes = &next->fixes;
    enum fsd_status status;

    fixes->lint = l->lint;
    fsd_fixes_list(fixes, l->verdict->findings, opt);
    for (uint32_t i = 0; i < fixes->list.n; i++)
        if (next_new(fixes->arena, marks, l, fixes->list.at[i].finding) !=
            fixes->list.at[i].finding)
            fixes->barred[i] = "this finding was in the model before the last edits";
    fsd_fixes_choose(fixes, opt);
    if (!count_applied(fixes))
        return FSD_OK;
    status = make_trial(&next->made, fixes, l, err);
    if (status != FSD_OK || !is_better(fixes, marks, l, next->made->linting)) {
        drop_trial(next->made);
        next->made = NULL;
    }
    return status;
}

/* Chooses edits and makes a trial, until a trial is accepted or no edit applies. A
 * trial is accepted in two cases:
 * - It has no new finding.
 * - Lint proposes edits for its new findings, and these edits leave no new finding
 *   (follow()). `next` is then the step with these edits.
 * @param marks NULL: the model cannot be read again, so no trial is made
 * @param next next->made is NULL unless the second case occurs */
static enum fsd_status settle(struct step *step, struct step *next,
                              const struct fsd_intern *marks,
                              const struct fsd_linting *l,
                              const struct fsd_fix_options *opt, struct fsd_error *err)
{
    struct fsd_fixes *fixes = &step->fixes;
    enum fsd_status status = FSD_OK;

    for (int trials = 0; status == FSD_OK; trials++) {
        fsd_fixes_choose(fixes, opt);
        if (!count_applied(fixes) || !marks)
            return FSD_OK;
        status = make_trial(&step->made, fixes, l, err);
        if (status == FSD_OK && is_better(fixes, marks, l, step->made->linting))
            return FSD_OK;
        *next = (struct step){.fixes.arena = fixes->arena};
        FSD_THEN(status, follow(next, marks, step->made->linting, opt, err));
        if (next->made)
            return status;
        if (trials == MOST_TRIALS)
            bar_all(fixes, "together with the other edits, this edit would cause new "
                           "lint findings");
        drop_trial(step->made);
        step->made = NULL;
    }
    return status;
}

static bool is_same(const struct fsd_fix *a, const struct fsd_fix *b)
{
    return a->edit->action == b->edit->action && a->edit->input == b->edit->input &&
           !strcmp(a->edit->name, b->edit->name) && !strcmp(a->rule, b->rule);
}

/* Bars the edits that were withdrawn because the model's engine shows that they save
 * nothing. A trial has no engine, so lint would propose these edits again. */
static void bar_withdrawn(struct fsd_fixes *fixes, const struct fsd_fixing *fixing)
{
    for (uint32_t i = 0; i < fixes->list.n; i++)
        for (uint32_t k = 0; k < fixing->list.n; k++)
            if (fixing->list.at[k].withdrawn &&
                is_same(&fixing->list.at[k], &fixes->list.at[i]))
                fixes->barred[i] = fixing->list.at[k].why;
}

/* Adds the model of a step to the rounds. Adds the edits of the step to the list: the
 * edits that apply or, if `all`, all edits. */
static void keep_step(struct fsd_fixing *fixing, const struct step *step, bool all)
{
    for (uint32_t i = 0; i < step->fixes.list.n; i++)
        if (all || !step->fixes.list.at[i].why)
            fsd_vec_push(fixing->arena, &fixing->list, step->fixes.list.at[i]);
    if (step->made)
        fsd_vec_push(fixing->arena, &fixing->rounds, step->made);
}

static enum fsd_status find_round(struct fsd_fixing *fixing,
                                  const struct fsd_intern *marks,
                                  const struct fsd_linting *l,
                                  const struct fsd_fix_options *opt, bool first,
                                  struct fsd_error *err)
{
    struct step step = {.fixes = {.arena = fixing->arena, .lint = l->lint}}, next = {0};
    enum fsd_status status = FSD_OK;

    fsd_fixes_list(&step.fixes, l->verdict->findings, opt);
    if (first)
        status = fsd_fixes_check_words(l->verdict->findings, opt, err);
    bar_withdrawn(&step.fixes, fixing);
    FSD_THEN(status, settle(&step, &next, marks, l, opt, err));
    if (status == FSD_OK && first)
        status = fsd_fixes_check_scales(&step.fixes, opt, err);
    keep_step(fixing, &step, first && status == FSD_OK);
    if (next.made)
        keep_step(fixing, &next, false);
    return status;
}

/* Finds the marks of the model's findings. Lints the model without its engine and
 * without the given sizes, because trials are linted without them, too. */
static enum fsd_status find_marks(const struct fsd_intern **marks,
                                  struct fsd_arena *arena, const struct fsd_linting *l,
                                  struct fsd_error *err)
{
    struct fsd_linting *alone;
    enum fsd_status status;

    if (l->alone) {
        *marks = marks_of(arena, l);
        return FSD_OK;
    }
    status = fsd_linting_again(&alone, l, l->run->model->file, err);
    if (status == FSD_OK)
        *marks = marks_of(arena, alone);
    fsd_linting_free(alone);
    return status;
}

enum fsd_status fsd_fixing_find(struct fsd_fixing *fixing, const struct fsd_linting *l,
                                const struct fsd_fix_options *opt,
                                struct fsd_error *err)
{
    const struct fsd_intern *marks = NULL;
    enum fsd_status status = FSD_OK;
    uint32_t n;

    if (fsd_onnx_can_reopen(l->run->model))
        status = find_marks(&marks, fixing->arena, l, err);
    do {
        n = fixing->rounds.n;
        FSD_THEN(status,
                 find_round(fixing, marks, n ? fixing->rounds.at[n - 1]->linting : l,
                            opt, !n, err));
    } while (status == FSD_OK && fixing->rounds.n > n &&
             fixing->rounds.n < MOST_ROUNDS);
    return status;
}

void fsd_fixing_close(struct fsd_fixing *fixing)
{
    for (uint32_t i = fixing->rounds.n; i-- > 0;)
        drop_trial(fixing->rounds.at[i]);
}

/* ------------------------------------------------------------------------ listing */

static void print_fix(const struct fsd_fix *fix, FILE *out)
{
    const struct fsd_edit *e = fix->edit;

    fprintf(out, "%s %s", fsd_action_name(e->action), e->name);
    if (e->action == FSD_INSERT_PAIR || e->action == FSD_REPEAT_HEADS ||
        e->action == FSD_PAD_INPUT)
        fprintf(out, " input %u", e->input);
    if (e->action == FSD_INSERT_CAST && strcmp(e->type, "fp32") != 0)
        fprintf(out, " to %s", e->type);
    if (e->size)
        fprintf(out, " to %" PRId64, e->size);
    if (e->action == FSD_MOVE_PAIR)
        fprintf(out, " to %s input %u", e->to_name, e->input);
    fprintf(out, "  [%s]\n    tensor %s\n", fix->rule, e->tensor);
    if (fix->why) {
        fprintf(out, "    not applied: %s\n", fix->why);
        return;
    }
    if (fix->scale > 0)
        fprintf(out, "    scale %.7g%s%s\n", fix->scale,
                fix->given ? ", as given"
                : e->like  ? ", like "
                           : "",
                fix->given || !e->like ? "" : e->like);
    fprintf(out, "    effect: %s\n", e->effect);
}

/* Prints the tensors that lack a scale. A tensor is printed only once, even if several
 * edits need its scale. */
static void print_waiting(const struct fsd_fixing *f, FILE *out)
{
    const char *between = ": ";

    for (uint32_t i = 0; i < f->list.n; i++) {
        const struct fsd_fix *fix = &f->list.at[i];
        bool again = !fix->to_calibrate;

        for (uint32_t k = 0; k < i && !again; k++)
            again = f->list.at[k].to_calibrate &&
                    !strcmp(f->list.at[k].edit->tensor, fix->edit->tensor);
        if (again)
            continue;
        fprintf(out, "%s`%s`", between, fix->edit->tensor);
        between = ", ";
    }
}

static void print_summary(const struct fsd_fixing *f, FILE *out)
{
    uint32_t applied = 0, calibrate = 0;

    for (uint32_t i = 0; i < f->list.n; i++) {
        applied += !f->list.at[i].why;
        calibrate += f->list.at[i].to_calibrate;
    }
    if (!f->list.n) {
        fputs("no edits are proposed\n", out);
        return;
    }
    fprintf(out, "edits that apply: %u of %u", applied, f->list.n);
    if (calibrate) {
        fprintf(out, "; %u need%s a calibrated scale (pass --scale TENSOR=VALUE)",
                calibrate, calibrate == 1 ? "s" : "");
        print_waiting(f, out);
    }
    fputs("\n", out);
}

void fsd_fixing_print(const struct fsd_fixing *f, bool all, FILE *out)
{
    for (uint32_t i = 0; all && i < f->list.n; i++)
        print_fix(&f->list.at[i], out);
    if (all && f->list.n)
        fputs("\n", out);
    print_summary(f, out);
}
