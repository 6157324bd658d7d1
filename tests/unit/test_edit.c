/*
 * What the writers of models decide of drawn runs, before any file is written: the
 * cases of tests/unit/cases/edit.  Each has a `model` and an `engine`, drawn as
 * support/build_graph.h states.
 */
#include "build_graph.h"
#include "cases.h"

#include "edit/annotate/annotate.h"
#include "edit/bisect/hunt.h"
#include "edit/bisect/choose.h"
#include "edit/code/code.h"
#include "edit/cut/cut.h"
#include "model/graph/graph.h"
#include "edit/mark/mark.h"
#include "edit/retype/retype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* With a section `names` by names alone: an engine whose tensors say more than a case
 * is about is seen as the words of the case say. */
static struct fsd_diff *run_of(const struct test_case *c)
{
    return build_diff(case_need(c, "model"), case_need(c, "engine"),
                      case_text(c, "names", 0) ? FSD_BY_NAME : FSD_BY_ALL);
}

static const char *node_name(const struct fsd_diff *d, fsd_id node)
{
    return fsd_text(d->names, d->model->nodes.at[node].name);
}

static const char *tensor_name(const struct fsd_diff *d, fsd_id tensor)
{
    return fsd_text(d->names, d->model->tensors.at[tensor].name);
}

/* -------------------------------------------------------------------------- a cut */

enum { MOST_WORDS = 8 };

struct asked {
    char *text;
    const char *words[5][MOST_WORDS];
    struct fsd_cut_options opt;
};

/* Lines "node conv": an option of the verb and its word. */
static void read_asked(struct asked *a, const char *text)
{
    static const char *const names[] = {"layer", "group", "node", "from", "to"};
    unsigned n[FSD_COUNT_OF(names)] = {0};

    a->text = strdup(text);
    a->opt = (struct fsd_cut_options){.layers = a->words[0],
                                      .groups = a->words[1],
                                      .nodes = a->words[2],
                                      .from = a->words[3],
                                      .to = a->words[4]};
    for (char *line = strtok(a->text, "\n"); line; line = strtok(NULL, "\n")) {
        char *word = strchr(line, ' ');
        size_t i = 0;

        assert_non_null(word);
        *word++ = '\0';
        while (i < FSD_COUNT_OF(names) && strcmp(line, names[i]) != 0)
            i++;
        if (i < FSD_COUNT_OF(names) && n[i] < MOST_WORDS)
            a->words[i][n[i]++] = word;
        else if (!strcmp(line, "context"))
            a->opt.context = (unsigned)atoi(word);
        else
            fail_msg("no option %s of a cut, or too many", line);
    }
    a->opt.n_layers = n[0];
    a->opt.n_groups = n[1];
    a->opt.n_nodes = n[2];
    a->opt.n_from = n[3];
    a->opt.n_to = n[4];
}

static void put_tensors(const struct fsd_diff *d, const char *what,
                        const fsd_id_vec *list, FILE *out)
{
    for (uint32_t i = 0; i < list->n; i++)
        fprintf(out, "%s %s\n", what, tensor_name(d, list->at[i]));
}

static void run_cut(const struct test_case *c, FILE *out)
{
    static const char *const why[FSD__KEPT_COUNT] = {
        [FSD_KEPT_ASKED] = "asked",
        [FSD_KEPT_CONTEXT] = "context",
        [FSD_KEPT_QUANTIZER] = "quantizer",
        [FSD_KEPT_CONSTANT] = "constant",
    };
    struct fsd_diff *d = run_of(c);
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_cut_plan *plan;
    struct fsd_error err;
    struct asked asked = {0};

    read_asked(&asked, case_need(c, "cut"));
    if (fsd_cut_new(&plan, arena, d, &asked.opt, &err) == FSD_OK) {
        for (fsd_id i = 0; i < d->model->nodes.n; i++)
            if (plan->kept[i])
                fprintf(out, "node %s: %s\n", node_name(d, i), why[plan->kept[i]]);
        for (fsd_id t = 0; t < d->model->tensors.n; t++)
            if (plan->weight[t])
                fprintf(out, "weight %s\n", tensor_name(d, t));
        put_tensors(d, "size", &plan->sizes, out);
        put_tensors(d, "input", &plan->inputs, out);
        put_tensors(d, "output", &plan->outputs, out);
    } else {
        fprintf(out, "%s: %s\n", fsd_status_name(err.status), err.message);
    }
    free(asked.text);
    fsd_arena_free(arena);
    fsd_diff_free(d);
}

/* Writes random inputs, and prints how many bytes they have. */
static void put_inputs(const struct fsd_cut_plan *plan, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct fsd_error err = {0};

    if (fsd_cut_write_inputs(plan, NULL, file, &err) != FSD_OK)
        fprintf(out, "%s: %s\n", fsd_status_name(err.status), err.message);
    fclose(file);
    fprintf(out, "%zu bytes\n", size);
    free(text);
}

/* Prints a cut. With a section `alone`, this is the engine that was built from the part
 * alone; with a section `commands`, the part is written to part.onnx. */
static void run_alone(const struct test_case *c, FILE *out)
{
    const char *engine = case_text(c, "alone", 0);
    struct fsd_diff *d = run_of(c), *alone = NULL;
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_cut_plan *plan;
    struct fsd_error err = {0};
    struct asked asked = {0};

    if (engine)
        alone = build_diff(case_need(c, "model"), engine,
                           case_text(c, "names", 0) ? FSD_BY_NAME : FSD_BY_ALL);
    read_asked(&asked, case_need(c, "cut"));
    if (fsd_cut_new(&plan, arena, d, &asked.opt, &err) == FSD_OK)
        fsd_cut_print(plan, case_text(c, "commands", 0) ? "part.onnx" : NULL, alone,
                      out);
    if (err.status == FSD_OK && case_text(c, "inputs", 0))
        put_inputs(plan, out);
    if (err.status != FSD_OK)
        fprintf(out, "%s: %s\n", fsd_status_name(err.status), err.message);
    free(asked.text);
    fsd_arena_free(arena);
    fsd_diff_free(alone);
    fsd_diff_free(d);
}

/* The data of nodes for Model Explorer. */
static void run_data(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);

    fsd_annotate_node_data(d, out);
    fsd_diff_free(d);
}

/* ------------------------------------------------------------------- a program */

/* Prints the part of a program that depends on the model, and the names of the helpers
 * before it. The helpers themselves and the command line are the same in each
 * program. */
static void put_program(char *program, FILE *out)
{
    char *model = strstr(program, "\n\n\nMODEL = ");
    char *end = strstr(program, "\n\ndef profile_of(");
    static const char mark[] = "\ndef ";

    assert_non_null(model);
    assert_non_null(end);
    *model = *end = '\0';
    fputs("helpers", out);
    for (const char *at = program; (at = strstr(at, mark)) != NULL;) {
        at += sizeof mark - 1;
        fprintf(out, " %.*s", (int)strcspn(at, "("), at);
    }
    fprintf(out, "\n%s", model + 3);
}

/* Prints the imports of a program, and its lines about compute capabilities, which only
 * a program for TensorRT for RTX has. */
static void put_builder(char *program, FILE *out)
{
    char *end = strstr(program, "\n\nOp, ");

    assert_non_null(end);
    *end = '\0';
    fprintf(out, "%s\n", program);
    for (char *line = strtok(end + 1, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "apabilit"))
            fprintf(out, "%s\n", line);
}

/* Prints the statements of a program, up to that of the operator End, which reads all
 * results, so that each operator has a statement. */
static void put_statements(char *program, bool torch, FILE *out)
{
    char *begin = strstr(program, torch ? "\ndef forward(" : "\ndef define(");
    char *end = strstr(program, torch ? "\n    end = onnx.End"
                                      : "\n    raise NotImplementedError(\n        "
                                        "\"End of end");

    assert_non_null(begin);
    assert_non_null(end);
    *end = '\0';
    begin = strstr(begin, "\n\n");
    assert_non_null(begin);
    for (char *line = strtok(begin, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(out, "%s\n", line + 4);
}

static void put_code(const struct test_case *c, const struct fsd_diff *d, bool torch,
                     FILE *out)
{
    struct asked asked = {0};
    struct fsd_code_wish wish = {
        .torch = torch,
        .engine = case_text(c, "engine", 0) != NULL,
        .depth = (unsigned)atoi(case_text(c, "depth", 0) ? case_need(c, "depth") : "0"),
        .part = case_text(c, "cut", 0) ? &asked.opt : NULL};
    char *program = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&program, &size);
    struct fsd_error err;
    enum fsd_status status;

    read_asked(&asked, wish.part ? case_need(c, "cut") : "");
    status = fsd_code_put(d, &wish, text, &err);
    fclose(text);
    if (status != FSD_OK)
        fprintf(out, "%s: %s\n", fsd_status_name(err.status), err.message);
    else if (case_text(c, "builder", 0))
        put_builder(program, out);
    else if (strstr(case_need(c, "model"), "End end:"))
        put_statements(program, torch, out);
    else if (torch)
        fputs(program, out);
    else
        put_program(program, out);
    free(asked.text);
    free(program);
}

/* Without an engine, the run has an engine without layers, and the program says nothing
 * of layers. With a section `api`, the program is written for this API alone. */
static void run_code(const struct test_case *c, FILE *out)
{
    const char *engine = case_text(c, "engine", 0), *api = case_text(c, "api", 0);
    struct fsd_diff *d =
        build_diff(case_need(c, "model"), engine ? engine : "", FSD_BY_ALL);

    if (!api || strstr(api, "tensorrt"))
        put_code(c, d, false, out);
    if (!api || strstr(api, "torch"))
        put_code(c, d, true, out);
    fsd_diff_free(d);
}

/* ---------------------------------------------------------------------- types */

static void run_retype(const struct test_case *c, FILE *out)
{
    static const char *const what[FSD__RETYPED_COUNT] = {
        [FSD_RETYPED_NOT] = "kept",
        [FSD_RETYPED_SET] = "set",
        [FSD_RETYPED_FOLLOWS] = "follows",
        [FSD_RETYPED_QUANTIZED] = "quantized",
        [FSD_RETYPED_LOST] = "lost"};
    struct fsd_diff *d = run_of(c);
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_retype *p = fsd_retype_new(arena, d);

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        const struct fsd_retyped_node *n = &p->nodes[i];

        fprintf(out, "node %s: %s %s%s%s\n", node_name(d, i), what[n->what],
                fsd_dtype_name(n->type), n->why ? ": " : "", n->why ? n->why : "");
    }
    for (uint32_t i = 0; i < p->casts.n; i++)
        fprintf(out, "%s %s: %s -> %s\n", p->casts.at[i].constant ? "constant" : "cast",
                tensor_name(d, p->casts.at[i].tensor),
                fsd_dtype_name(p->made[p->casts.at[i].tensor]),
                fsd_dtype_name(p->casts.at[i].to));
    for (fsd_id t = 0; t < d->model->tensors.n; t++)
        if (p->same[t] != FSD_NONE)
            fprintf(out, "%s is %s\n", tensor_name(d, t), tensor_name(d, p->same[t]));
    fsd_arena_free(arena);
    fsd_diff_free(d);
}

/* ---------------------------------------------------------------------- marks */

static void put_group(const struct fsd_marks *m, fsd_id group, FILE *out)
{
    for (uint32_t i = 0; i < m->state->groups.at[group].nodes.n; i++)
        fprintf(out, "%s%s", i ? "+" : "",
                node_name(m->d, fsd_marks_node(m, group, i)));
}

static void put_break(const struct fsd_marks *m, const struct fsd_break *b, FILE *out)
{
    if (b->tensor != FSD_NONE)
        fprintf(out, "; %s at %s", b->passed.n ? "passed" : "marked",
                tensor_name(m->d, b->tensor));
    for (uint32_t i = 0; i < b->passed.n; i++)
        if (m->pool.at[b->passed.at + i] != b->tensor)
            fprintf(out, ", %s", tensor_name(m->d, m->pool.at[b->passed.at + i]));
    if (b->why)
        fprintf(out, "; %s", b->why);
    for (uint32_t i = 0; i < b->groups.n; i++) {
        fputs(i ? ", " : "; changes ", out);
        put_group(m, m->pool.at[b->groups.at + i], out);
    }
}

static void run_marks(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);
    struct fsd_marks *m = fsd_marks_new(d);
    fsd_id condition = fsd_marks_condition(d);

    if (case_text(c, "condition", 0))
        fprintf(out, "condition of Ifs: %s\n",
                condition == FSD_NONE ? "none" : tensor_name(d, condition));
    for (fsd_id t = 0; t < d->model->tensors.n; t++) {
        const struct fsd_tensor_place *p = &m->places[t];

        if (d->model->tensors.at[t].flags & FSD_TENSOR_CONSTANT)
            continue;
        fprintf(out, "%s: %s", tensor_name(d, t), fsd_place_name(p->place));
        if (fsd_tensor_is_free(m, t) && !p->together)
            fputs(", alone", out);
        if (p->why)
            fprintf(out, ", %s", fsd_place_why_name(p->why));
        if (p->layer != FSD_NONE)
            fprintf(out, "; layer %u", p->layer);
        if (p->port != FSD_NONE)
            fprintf(
                out, " as %s",
                fsd_text(
                    d->names,
                    d->engine->tensors.at[d->engine->ports.at[p->port].tensor].name));
        if (p->holder != FSD_NONE)
            fprintf(out, "; %s has it", tensor_name(d, p->holder));
        putc('\n', out);
    }
    for (fsd_id i = 0; i < m->state->groups.n; i++) {
        put_group(m, i, out);
        fprintf(out, ": %s", fsd_fusion_kind_name(m->kinds[i]));
        put_break(m, &m->breaks[i], out);
        putc('\n', out);
    }
    fsd_marks_free(m);
    fsd_diff_free(d);
}

/* --------------------------------------------------------------------- a search */

static void put_groups(const struct fsd_hunt *h, const char *what, const bool *of,
                       FILE *out)
{
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        if (of[i]) {
            fprintf(out, "%s ", what);
            put_group(h->m, i, out);
            putc('\n', out);
        }
}

static bool is_listed(const struct fsd_marks *m, fsd_id group, const char *list)
{
    char *name = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&name, &size);
    bool listed;

    put_group(m, group, text);
    fclose(text);
    listed = strstr(list, name) != NULL;
    free(name);
    return listed;
}

/* One build of a search: what it splits and marks, and what comes of it.  A fusion that
 * is listed in `stays` does not change whatever is marked. */
static void play(struct fsd_hunt *h, const struct test_case *c, FILE *out)
{
    static const char *const phases[] = {"whole",  "all",   "halves", "alone",
                                         "others", "split", "kept"};
    const char *stays = case_text(c, "stays", 0), *wrong = case_need(c, "wrong");
    uint8_t *seen = fsd_hunt_same(h);
    bool bad = false;

    fprintf(out, "%s:", phases[h->phase]);
    for (uint32_t i = 0; i < h->chosen.n; i++) {
        fsd_id group = h->pool.at[h->chosen.at + i];
        const struct fsd_break *b = &h->m->breaks[group];

        fputs(i ? ", " : " ", out);
        put_group(h->m, group, out);
        for (uint32_t k = 0; k < b->groups.n; k++)
            seen[h->m->pool.at[b->groups.at + k]] = FSD_SEEN_CHANGED;
        seen[group] = FSD_SEEN_CHANGED;
    }
    for (uint32_t i = 0; i < h->tensors.n; i++)
        fprintf(out, "%s %s", i ? "" : "; mark",
                tensor_name(h->m->d, h->pool.at[h->tensors.at + i]));
    for (fsd_id i = 0; i < h->m->state->groups.n; i++) {
        if (stays && is_listed(h->m, i, stays))
            seen[i] = FSD_SEEN_SAME;
        bad |= h->fusion[i] && seen[i] == FSD_SEEN_SAME && is_listed(h->m, i, wrong);
    }
    fprintf(out, " -> %s\n", bad ? "bad" : "good");
    fsd_hunt_take(h, bad ? FSD_BISECT_BAD : FSD_BISECT_GOOD, seen);
}

/* A search whose engine is wrong as long as one of the fusions in `wrong` is whole. */
static void run_hunt(const struct test_case *c, FILE *out)
{
    static const char *const ends[] = {"",          "absent",   "untested",
                                       "no fusion", "proved",   "together",
                                       "needed",    "unproved", "contradicts"};
    enum { ENDLESS = 40 };
    struct fsd_diff *d = run_of(c);
    struct fsd_marks *m = fsd_marks_new(d);
    struct fsd_hunt *h = fsd_hunt_new(m);

    put_groups(h, "fusion", h->fusion, out);
    for (int builds = 0; h->phase != FSD_HUNT_OVER && builds < ENDLESS; builds++)
        play(h, c, out);
    fprintf(out, "%s\n", ends[h->end]);
    put_groups(h, "suspect", h->suspect, out);
    fsd_marks_free(m);
    fsd_diff_free(d);
}

/* Of another folder than the project's, to try cases out. */
int main(int argc, char **argv)
{
    static const struct case_kind kinds[] = {
        {"cut", run_cut},       {"alone", run_alone},
        {"data", run_data},     {"code", run_code},
        {"retype", run_retype}, {"marks", run_marks},
        {"hunt", run_hunt},     {NULL, NULL}};

    return run_cases(argc > 1 ? argv[1] : FSD_CASES "/edit", kinds);
}
