/* Prints which nodes can have added layers without a name. */
#include "show.h"

#include "build_graph.h"
#include "judge/failed/failed.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "read/log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A failed build of a model, with the log of the build. */
static struct fsd_failed read_failed(struct fsd_arena *arena, const char *model,
                                     const char *log)
{
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_history *h = fsd_history_new(arena, names);
    struct fsd_file file = {
        .name = "log", .bytes = (const unsigned char *)log, .size = strlen(log)};
    struct fsd_failed f = {
        .arena = arena, .history = h, .model = build_model(arena, names, model)};

    fsd_log_read(h, &file);
    assert_int_not_equal(fsd_log_failures_of(h)->n, 0);
    f.first = fsd_log_first_failure(fsd_log_failures_of(h));
    return f;
}

void show_unnamed(const char *model, const char *log, const char *layers, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_failed f = read_failed(arena, model, log);
    const struct fsd_vocab *vocab = fsd_vocab_new(arena, f.model);
    char *text = strdup(layers), *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        fsd_id_vec nodes = {0};

        fprintf(out, "%s: %s\n", line,
                fsd_failed_by_name(
                    fsd_failed_find_unnamed(&f, vocab, fsd_slice_of(line), &nodes)));
        fputs(nodes.n ? "   " : "", out);
        for (uint32_t i = 0; i < nodes.n; i++)
            fprintf(out, " %s",
                    fsd_text(f.model->names, f.model->nodes.at[nodes.at[i]].name));
        fputs(nodes.n ? "\n" : "", out);
    }
    free(text);
    fsd_arena_free(arena);
}

enum { MOST_LAYERS = 400 };

/* The numbers of the layers that the node can have added: the first one, and the one
 * behind the last. */
static void find_numbers(const struct fsd_failed *f, const struct fsd_vocab *vocab,
                         const char *node, int numbers[2])
{
    char name[64];

    numbers[0] = numbers[1] = -1;
    for (int i = 0; i < MOST_LAYERS; i++) {
        fsd_id_vec nodes = {0};

        snprintf(name, sizeof name, "(Unnamed Layer* %d) [Shuffle]", i);
        fsd_failed_find_unnamed(f, vocab, fsd_slice_of(name), &nodes);
        for (uint32_t k = 0; k < nodes.n; k++)
            if (!strcmp(fsd_text(f->model->names, f->model->nodes.at[nodes.at[k]].name),
                        node)) {
                numbers[0] = numbers[0] < 0 ? i : numbers[0];
                numbers[1] = i + 1;
            }
    }
}

void show_added(const char *models, FILE *out)
{
    static const char log[] =
        "[01/01/2026-00:00:00] [TRT] [V] Parsing node: d [%s]\n"
        "[01/01/2026-00:00:00] [TRT] [V] Registering layer: d for ONNX node: d\n"
        "[01/01/2026-00:00:00] [TRT] [V] Registering layer: h required by ONNX-TRT\n"
        "[01/01/2026-00:00:00] [TRT] [V] d [%s] outputs: [y -> (1)[FLOAT]], \n"
        "[01/01/2026-00:00:00] [TRT] [V] Parsing node: next [Relu]\n"
        "[01/01/2026-00:00:00] [TRT] [V] Registering layer: next for ONNX node: next\n"
        "[01/01/2026-00:00:00] [TRT] [V] next [Relu] outputs: [l -> (1)[FLOAT]], \n"
        "[01/01/2026-00:00:00] [TRT] [E] it is odd\n";
    char *text = strdup(models), *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fsd_arena *arena = fsd_arena_new();
        char *model = strstr(line, ": "), *said;
        struct fsd_failed f;
        const struct fsd_vocab *vocab;
        int of_d[2], of_next[2];

        assert_non_null(model);
        *model = '\0';
        model = fsd_printed(arena, "in k fp32 1;Relu next: k -> l;%s", model + 2);
        split_facts(model);
        said = fsd_printed(arena, log, line, line);
        f = read_failed(arena, model, said);
        vocab = fsd_vocab_new(arena, f.model);
        find_numbers(&f, vocab, "d", of_d);
        find_numbers(&f, vocab, "next", of_next);
        fprintf(out, "%s: %d to %d", line, of_next[0] - 2, of_next[1] - 4);
        if (of_d[1] >= 0)
            fprintf(out, ", its numbers %d to %d", of_d[0], of_d[1] - 1);
        putc('\n', out);
        fsd_arena_free(arena);
    }
    free(text);
}

/* ------------------------------------------------------------------------- messages */

/* The log of a line of show_messages(). */
static const char *log_of(struct fsd_arena *arena, char *line)
{
    static const char head[] = "[01/01/2026-00:00:00] [TRT] ";
    const char *log = "";

    for (char *part = line, *next; part; part = next) {
        next = strstr(part, " ;; ");
        if (next) {
            *next = '\0';
            next += strlen(" ;; ");
        }
        if (!strncmp(part, "E ", 2))
            log = fsd_printed(arena,
                              "%s%s[E] IBuilder::buildSerializedNetwork: Error Code 4: "
                              "API Usage Error (%s. In f at /_src/a.cpp:1)\n",
                              log, head, part + 2);
        else if (!strncmp(part, "N ", 2))
            log = fsd_printed(arena,
                              "%s%s[E] 10: [optimizer.cpp::computeCosts::2011] Error "
                              "Code 10: Internal Error (Could not find any "
                              "implementation for node %s.)\n",
                              log, head, part + 2);
        else
            log = fsd_printed(
                arena, "%s%s%s\n", log,
                *part == '[' && part[1] > '9' && part[2] == ']' ? head : "", part);
    }
    return log;
}

static void put_names(const struct fsd_failed *f, const char *what,
                      const fsd_id_vec *nodes, FILE *out)
{
    if (nodes->n)
        fprintf(out, "; %s", what);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct fsd_node *n = &f->model->nodes.at[nodes->at[i]];

        fprintf(out, " %s", fsd_text(f->model->names, n->name ? n->name : n->op));
    }
}

static void put_failed(const struct fsd_failed *f, bool tries, FILE *out)
{
    fprintf(out, "%s, %s, for %s", fsd_failure_class_name(f->is),
            fsd_failed_by_name(f->by), f->target);
    if (f->named)
        fprintf(out, "; named %s", f->named);
    put_names(f, "nodes", &f->nodes, out);
    put_names(f, "part", &f->part, out);
    put_names(f, "others", &f->others, out);
    for (uint32_t i = 0; i < f->tensors.n; i++)
        fprintf(out, "; tensor %s", f->tensors.at[i]);
    for (uint32_t i = 0; i < f->values.n; i++)
        fprintf(out, "; %s %s", f->values.at[i].what, f->values.at[i].text);
    for (uint32_t i = 0; i < f->found.n; i++)
        fprintf(
            out, "; lint %s",
            f->findings->rules.at[f->findings->list.at[f->found.at[i]].rule].rule->id);
    if (f->because)
        fprintf(out, "; because %s", f->because);
    putc('\n', out);
    for (uint32_t i = 0; tries && i < f->tries.n; i++)
        fprintf(out, "    %s%s%s\n", f->tries.at[i].text,
                f->tries.at[i].command ? ": " : "",
                f->tries.at[i].command ? f->tries.at[i].command : "");
}

void show_messages(const char *model, const char *messages, bool unread, bool tries,
                   FILE *out)
{
    char *text = strdup(messages), *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fsd_diff *d = build_diff(model, "", FSD_BY_ALL);
        struct fsd_failed f = read_failed(d->arena, model, log_of(d->arena, line));
        struct fsd_target target;

        f.target = fsd_failed_target(d->arena, f.history);
        f.run = unread ? NULL : d;
        f.no_model = unread ? "it is damaged" : NULL;
        f.model = d->model;
        f.model_path = "model.onnx";
        f.log_path = "build log";
        assert_true(fsd_target_read(&target, f.target, d->arena));
        f.lint =
            unread ? NULL : fsd_lint_new(d->arena, d->facts, d->cost->sizes, target);
        f.findings = unread ? NULL : fsd_find_lint(d, f.lint, NULL, 0);
        fsd_failed_conclude(&f, fsd_vocab_new(d->arena, f.model));
        put_failed(&f, tries, out);
        fsd_diff_free(d);
    }
    free(text);
}
