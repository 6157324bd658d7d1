/* Reads a dump, a log or times, and prints the result as text. */
#include "build_graph.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "read/trt/trt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Prints " WORD 'NAME'"; nothing if there is no name. */
static void put_name(const struct fsd_graph *g, const char *word, fsd_sym name,
                     FILE *out)
{
    if (name)
        fprintf(out, " %s '%s'", word, fsd_text(g->names, name));
}

static void put_flag(const char *word, bool flag, FILE *out)
{
    if (flag)
        fprintf(out, " %s", word);
}

static void put_steps(const struct fsd_graph *g, const struct fsd_layer *l, FILE *out)
{
    static const char *const more[] = {"", " and more", " among others"};

    if (l->steps.n)
        fputs(" steps", out);
    for (uint32_t i = 0; i < l->steps.n; i++)
        fprintf(out, "%c%s", i ? ',' : ' ',
                fsd_text(g->names, g->links.at[l->steps.at + i]));
    fputs(more[l->more_steps], out);
}

/* Prints a layer: "0: compute by builder plain ...". */
static void show_layer(const struct fsd_graph *g, fsd_id id, FILE *out)
{
    static const char *const providers[] = {"builder", "compiler", "plugin", "device"};
    static const char *const forms[] = {"plain", "serves", "copies", "wraps", "region"};
    const struct fsd_layer *l = &g->layers.at[id];

    fprintf(out, "%u: %s by %s %s", id, fsd_kind_name(l->kind), providers[l->provider],
            forms[l->form]);
    if (l->base_name != g->nodes.at[id].name)
        put_name(g, "base", l->base_name, out);
    if (l->profile >= 0)
        fprintf(out, " profile %d", l->profile);
    put_name(g, "served", l->served, out);
    if (l->form == FSD_NAME_SERVES)
        fprintf(out, " %s %u", l->output ? "output" : "input", l->port);
    put_name(g, "made as", l->made_as, out);
    put_flag("hands-on", l->forwards, out);
    put_flag("slices", l->slices, out);
    put_flag("may-quantize", l->may_quantize, out);
    put_flag("multiplies", l->multiplies, out);
    put_flag("scalar", l->scalar, out);
    put_flag("transposed", l->transposed, out);
    if (l->maps)
        fprintf(out, " maps %lld", (long long)l->maps);
    if (l->rounds_to)
        fprintf(out, " rounds to %s", fsd_dtype_name(l->rounds_to));
    if (l->computes_in)
        fprintf(out, " computes in %s", fsd_dtype_name(l->computes_in));
    put_flag("of-network", l->of_network, out);
    put_name(g, "tactic value", l->tactic_value, out);
    put_steps(g, l, out);
    if (l->lists_constants)
        fprintf(out, " constants %u", l->constants.n);
    putc('\n', out);
}

static void show_strides(const struct fsd_graph *g, const struct fsd_form *form,
                         FILE *out)
{
    for (uint32_t i = 0; i < form->strides.n; i++)
        fprintf(out, "%s%lld", i ? "," : " strides ",
                (long long)g->ints.at[form->strides.at + i]);
}

static void show_tensor(const struct fsd_graph *g, fsd_id id, FILE *out)
{
    const struct fsd_tensor *t = &g->tensors.at[id];

    fprintf(out, "tensor %s", fsd_text(g->names, t->name));
    put_flag("in", t->flags & FSD_TENSOR_INPUT, out);
    put_flag("out", t->flags & FSD_TENSOR_OUTPUT, out);
    put_flag("binding", t->flags & FSD_TENSOR_BINDING, out);
    put_name(g, "alias", t->alias, out);
    put_name(g, "argument", t->argument, out);
    if (t->loop)
        fprintf(out, " loop %u", t->loop);
    show_strides(g, fsd_tensor_form(g, id), out);
    if (t->optimum != FSD_NONE) {
        fputs(" tuned for ", out);
        fsd_put_sizes(g, &g->forms.at[t->optimum], ",", out);
    }
    putc('\n', out);
}

static void show_graph(const struct fsd_graph *g, FILE *out)
{
    fsd_graph_dump(g, out);
    for (fsd_id i = 0; i < g->layers.n; i++)
        show_layer(g, i, out);
    for (fsd_id i = 0; i < g->tensors.n; i++)
        show_tensor(g, i, out);
    put_flag("typed", g->strongly_typed, out);
    put_flag("detailed", g->detailed, out);
    fprintf(out, " profile %d of %u\n", g->profile, g->profiles);
}

char *show_read(const char *model, const char *dump)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    const struct fsd_graph *m = build_model(arena, names, model);
    struct fsd_graph *g = fsd_graph_new(arena, names);
    struct fsd_file file = {
        .name = "dump", .bytes = (const unsigned char *)dump, .size = strlen(dump)};
    struct fsd_source source = {.file = &file,
                                .vocab = *model ? fsd_vocab_new(arena, m) : NULL};
    struct fsd_error err = {0};
    enum fsd_status status;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    g->path = "dump";
    status = fsd_engine_load(g, &source, &err);
    if (status == FSD_OK)
        show_graph(g, out);
    else
        fprintf(out, "error %d: %s\n", status, err.message);
    fclose(out);
    fsd_arena_free(arena);
    return text;
}

/* Prints the times of an entry: "'name' total 3 mean 1.5". Leaves out negative
 * times. */
static void show_entry(const struct fsd_intern *names, const struct fsd_profile *p,
                       const struct fsd_profile_entry *e, FILE *out)
{
    fprintf(out, "'%s'", fsd_text(names, e->name));
    if (e->within)
        fprintf(out, " in '%s'", fsd_text(names, p->entries.at[e->within - 1].name));
    if (e->unescaped != e->name)
        put_flag(fsd_text(names, e->unescaped), true, out);
    if (e->total_ms >= 0)
        fprintf(out, " total %g", e->total_ms);
    if (e->mean_ms >= 0)
        fprintf(out, " mean %g", e->mean_ms);
    if (e->provider)
        fprintf(out, " by %s", fsd_text(names, e->provider));
    if (e->sizes)
        fprintf(out, " with %s", fsd_text(names, e->sizes));
    put_flag("odd", e->odd, out);
    putc('\n', out);
}

static void show_profile(const struct fsd_intern *names, const struct fsd_profile *p,
                         FILE *out)
{
    fprintf(out, "profile %u runs %llu", p->number, (unsigned long long)p->runs);
    put_flag("unstated", p->runs_unknown, out);
    put_flag("odd", p->odd_runs, out);
    put_flag("single", p->single_run, out);
    if (p->nameless)
        fprintf(out, " nameless %u", p->nameless);
    putc('\n', out);
    for (uint32_t i = 0; i < p->entries.n; i++)
        show_entry(names, p, &p->entries.at[i], out);
}

char *show_times(const char *text)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_file file = {
        .name = "times", .bytes = (const unsigned char *)text, .size = strlen(text)};
    struct fsd_error err = {0};
    fsd_profile_vec profiles = {0};
    struct fsd_run_times runs = {0};
    const struct fsd_engine_reader *reader =
        fsd_reader_of(&file, FSD_INPUT_PROFILE, FSD_CLAIM_MAYBE);
    enum fsd_status status = reader->read_profile(arena, names, &file, &profiles, &err);
    char *found = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&found, &size);

    if (status != FSD_OK)
        fprintf(out, "error %d: %s\n", status, err.message);
    for (uint32_t i = 0; i < profiles.n && status == FSD_OK; i++)
        show_profile(names, &profiles.at[i], out);
    if (status != FSD_OK && reader->read_times) {
        status = reader->read_times(arena, &file, &runs, &err);
        if (status != FSD_OK)
            fprintf(out, "error %d: %s\n", status, err.message);
        for (uint32_t i = 0; i < runs.ms.n; i++)
            fprintf(out, "run %g\n", runs.ms.at[i]);
        if (runs.odd)
            fprintf(out, "odd %u\n", runs.odd);
    }
    fclose(out);
    fsd_arena_free(arena);
    return found;
}
