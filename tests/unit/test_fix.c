/*
 * Which edits of lint apply to a drawn model, and what they change in its file: the
 * cases of tests/unit/cases/fix. A case states its edits itself, one per line:
 *
 *     move-pair q | to=relu input=1 scale=0.5      the action, the node, and facts
 *
 * The facts are the members of struct fsd_edit and struct fsd_fix: `together`,
 * `request`, `withdrawn`, finding=N (the number of the edit's finding).
 */
#include "build_graph.h"
#include "cases.h"

#include "edit/fix/fixing.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"
#include "model/onnx/collected.h"
#include "onnx.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fsd_id node_called(const struct fsd_graph *g, const char *name)
{
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (!strcmp(fsd_text(g->names, g->nodes.at[i].name), name))
            return i;
    fail_msg("no node %s", name);
    return FSD_NONE;
}

/* ---------------------------------------------------------------------------- edits */

static void read_fact(struct fsd_fix *fix, struct fsd_edit *e,
                      const struct fsd_graph *g, const char *fact)
{
    const char *value = strchr(fact, '=') ? strchr(fact, '=') + 1 : "";
    size_t n = strcspn(fact, "=");

    if (!strncmp(fact, "to", n))
        e->to = node_called(g, e->to_name = value);
    else if (!strncmp(fact, "tensor", n))
        e->tensor = value;
    else if (!strncmp(fact, "input", n))
        e->input = (uint32_t)atoi(value);
    else if (!strncmp(fact, "like", n))
        e->like = value;
    else if (!strncmp(fact, "scale", n))
        e->scale = atof(value);
    else if (!strncmp(fact, "type", n))
        e->type = value;
    else if (!strncmp(fact, "axis", n))
        e->axis = (uint32_t)atoi(value);
    else if (!strncmp(fact, "size", n))
        e->size = atoi(value);
    else if (!strcmp(fact, "together"))
        e->together = true;
    else if (!strcmp(fact, "request"))
        e->on_request = true;
    else if (!strcmp(fact, "withdrawn"))
        fix->withdrawn = true;
    else if (!strncmp(fact, "finding", n))
        fix->finding = (uint32_t)atoi(value);
    else
        fail_msg("no fact %s of an edit", fact);
}

static void read_edit(struct fsd_fixes *f, char *line)
{
    const struct fsd_graph *g = f->lint->g;
    struct fsd_edit *e = FSD_NEW(f->arena, struct fsd_edit, 1);
    struct fsd_fix fix = {.edit = e, .rule = "rule", .finding = f->list.n};
    char *rest, *word = strtok_r(line, " ", &rest);

    while (strcmp(fsd_action_name(e->action), word) != 0)
        e->action++;
    *e = (struct fsd_edit){.action = e->action,
                           .name = strtok_r(NULL, " ", &rest),
                           .tensor = "tensor",
                           .to = FSD_NONE,
                           .effect = "the values change"};
    e->node = node_called(g, e->name);
    while ((word = strtok_r(NULL, " |", &rest)) != NULL)
        read_fact(&fix, e, g, word);
    fsd_vec_push(f->arena, &f->list, fix);
}

static uint32_t split(char *text, char **lines, uint32_t most)
{
    uint32_t n = 0;
    char *rest;

    for (char *line = strtok_r(text, "\n", &rest); line && n < most;
         line = strtok_r(NULL, "\n", &rest))
        lines[n++] = line;
    return n;
}

/* -------------------------------------------------------------------------- changes */

static void put_node(struct fsd_slice packed, const char *where, FILE *out)
{
    Onnx__NodeProto *n =
        onnx__node_proto__unpack(NULL, packed.n, (const unsigned char *)packed.s);

    assert_non_null(n);
    fprintf(out, "  %s %s %s:", where, n->op_type, n->name);
    for (size_t i = 0; i < n->n_input; i++)
        fprintf(out, " %s", n->input[i]);
    fputs(" ->", out);
    for (size_t i = 0; i < n->n_output; i++)
        fprintf(out, " %s", n->output[i]);
    for (size_t i = 0; i < n->n_attribute; i++)
        fprintf(out, " %s=%lld", n->attribute[i]->name, (long long)n->attribute[i]->i);
    putc('\n', out);
    onnx__node_proto__free_unpacked(n, NULL);
}

static void put_renamed(const struct fsd_renamed *r, const char *what, FILE *out)
{
    for (uint32_t i = 0; i < r->names.n; i++)
        if (r->names.at[i].s)
            fprintf(out, "  %s %u: %.*s\n", what, i, (int)r->names.at[i].n,
                    r->names.at[i].s);
}

static void put_tensor(struct fsd_slice packed, FILE *out)
{
    Onnx__TensorProto *t =
        onnx__tensor_proto__unpack(NULL, packed.n, (const unsigned char *)packed.s);

    assert_non_null(t);
    fprintf(out, "add %s type %d [", t->name, t->data_type);
    for (size_t i = 0; i < t->n_dims; i++)
        fprintf(out, "%s%lld", i ? ", " : "", (long long)t->dims[i]);
    fputs("] ", out);
    for (size_t i = 0; i < t->raw_data.len; i++)
        fprintf(out, "%02x", t->raw_data.data[i]);
    putc('\n', out);
    onnx__tensor_proto__free_unpacked(t, NULL);
}

static void put_changes(const struct fsd_onnx_edits *e, FILE *out)
{
    for (fsd_id i = 0; i < e->g->nodes.n; i++) {
        const struct fsd_node_rewrite *c;

        if (e->change_of[i] == FSD_NONE)
            continue;
        c = &e->changes.at[e->change_of[i]];
        fprintf(out, "%s%s\n", fsd_text(e->g->names, e->g->nodes.at[i].name),
                c->drop ? ": removed" : "");
        for (uint32_t k = 0; k < c->before.n; k++)
            put_node(c->before.at[k], "before", out);
        put_renamed(&c->inputs, "input", out);
        put_renamed(&c->outputs, "output", out);
        for (uint32_t k = 0; k < c->behind.n; k++)
            put_node(c->behind.at[k], "behind", out);
    }
    for (uint32_t i = 0; i < e->listed.n; i++)
        if (e->listed.at[i].bytes.n && e->listed.at[i].lists == FSD_ONNX_INITIALIZERS)
            put_tensor(e->listed.at[i].bytes, out);
        else if (e->listed.at[i].bytes.n)
            fprintf(out, "declare in lists %x\n", e->listed.at[i].lists);
    for (fsd_sym name = 0; name < e->n_listed_of; name++)
        for (uint32_t i = e->listed_of[name]; i != FSD_NONE; i = e->listed.at[i].next)
            if (!e->listed.at[i].bytes.n)
                fprintf(out, "remove %s from lists %x\n", fsd_text(e->g->names, name),
                        e->listed.at[i].lists);
    for (fsd_id t = 0; e->type_of && t < e->g->tensors.n; t++)
        if (e->type_of[t])
            fprintf(out, "type of %s: %d\n",
                    fsd_text(e->g->names, e->g->tensors.at[t].name), e->type_of[t]);
}

static void run_fix(const struct test_case *c, FILE *out)
{
    enum { MOST = 16 };
    struct fsd_diff *d = build_diff(case_need(c, "model"), "", FSD_BY_ALL);
    struct fsd_target target;
    struct fsd_fixes f = {.arena = d->arena};
    struct fsd_fixing fixing = {.arena = d->arena};
    char *lines[MOST], *scales[MOST],
        *text = strdup(case_need(c, "edits")),
        *given = strdup(case_text(c, "scales", 0) ? case_need(c, "scales") : "");
    const char *const named[] = {"rule"};
    struct fsd_fix_options opt = {.what = named,
                                  .n_what = case_text(c, "named", 0) != NULL,
                                  .scales = (const char *const *)scales,
                                  .n_scales = split(given, scales, MOST)};
    uint32_t n = split(text, lines, MOST);
    struct fsd_error err = {0};

    assert_true(fsd_target_read(&target, "trt10", d->arena));
    f.lint = fsd_lint_new(d->arena, d->facts, d->cost->sizes, target);
    for (uint32_t i = 0; i < n; i++)
        read_edit(&f, lines[i]);
    f.barred = FSD_NEW(d->arena, const char *, f.list.n + 1);
    fsd_fixes_choose(&f, &opt);
    FSD_EACH (const struct fsd_fix, fix, f.list)
        fsd_vec_push(d->arena, &fixing.list, *fix);
    fsd_fixing_print(&fixing, !case_text(c, "brief", 0), out);
    if (fsd_fixes_check_scales(&f, &opt, &err) != FSD_OK)
        fprintf(out, "%s: %s\n", fsd_status_name(err.status), err.message);
    put_changes(fsd_fixes_edits(&f), out);
    free(text);
    free(given);
    fsd_diff_free(d);
}

/* Lists the edits of a file after all rounds: lint judges the edited model, too. */
static void run_rounds(const struct test_case *c, FILE *out)
{
    enum { MOST = 16 };
    char path[512], *words[MOST], *scales[MOST],
        *builder = strdup(case_need(c, "for")),
        *named = strdup(case_text(c, "named", 0) ? case_need(c, "named") : ""),
        *given = strdup(case_text(c, "scales", 0) ? case_need(c, "scales") : "");
    struct fsd_fix_options fix = {.what = (const char *const *)words,
                                  .n_what = split(named, words, MOST),
                                  .scales = (const char *const *)scales,
                                  .n_scales = split(given, scales, MOST)};
    struct fsd_options opt = {.model = path};
    struct fsd_error err = {0};
    struct fsd_linting *l;

    builder[strcspn(builder, "\n")] = '\0';
    snprintf(path, sizeof path, "%s/%s", FSD_FIXTURES, case_need(c, "file"));
    path[strcspn(path, "\n")] = '\0';
    assert_int_equal(fsd_linting_open(&l, &opt,
                                      &(struct fsd_lint_options){.builder = builder},
                                      &err),
                     FSD_OK);
    if (fsd_linting_list_fixes(l, &fix, NULL, out, &err) != FSD_OK)
        fprintf(out, "%s, unit %d: %s\n", fsd_status_name(err.status), (int)err.unit,
                err.message);
    fsd_linting_free(l);
    free(builder);
    free(named);
    free(given);
}

/* Of another folder than the project's, to try cases out. */
int main(int argc, char **argv)
{
    static const struct case_kind kinds[] = {
        {"fix", run_fix}, {"rounds", run_rounds}, {NULL, NULL}};

    return run_cases(argc > 1 ? argv[1] : FSD_CASES "/fix", kinds);
}
