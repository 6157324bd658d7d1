/* Shows the layers, time, reformats and precision of each module. The name scopes of
 * nodes determine the modules. */
#include "base/base.h"
#include "explain/cost/scope.h"
#include "model/graph/graph.h"
#include "report/view/view.h"

/* clang-format off */
#define MODULE_ROW(has, set, when, t) \
    has(t, NAME,  name,        NULL) \
    has(t, NAME,  called,      "scope", .aside = true) \
    set(t, COUNT, nodes, m->nodes, "nodes") \
    set(t, COUNT, layers, m->layers, "layers") \
    set(t, COUNT, reformats, m->reformats, "data-movement layers") \
    when(t, COUNT, opaque, m->opaque, m->opaque, "nodes in opaque layers", \
        .behind = true, \
        .about = "nodes in regions whose kernels the engine does not state") \
    set(t, MS,    ms, m->ms, "ms") \
    when(t, SHARE, share, timed, total > 0 ? m->ms / total : 0, "share", \
        .aside = true) \
    set(t, MS,    reformat_ms, m->reformat_ms, "their ms") \
    set(t, TALLY, precision, types_of(arena, m), "layers by precision") \
    has(t, NAME,  block,       "block") \
    has(t, TEXT,  unlike,      "difference from the other blocks") \
    has(t, NAME,  class,       NULL) \
    has(t, NAME,  of_class,    "class", .aside = true)
FSD_RECORD(module_row, MODULE_ROW)

#define ANSWER(has, set, when, t) \
    set(t, COUNT, depth, scopes.depth, NULL) \
    set(t, COUNT, n, modules.n, FSD_ASIDE) \
    set(t, COUNT, shared_layers, sums.shared, NULL) \
    when(t, COUNT, opaque, d->summary->hidden, d->summary->hidden, NULL, \
        .about = "nodes in regions whose kernels the engine does not state") \
    when(t, MS,    total_ms, timed, fsd_real(total), NULL) \
    when(t, MS,    rest_ms, timed, fsd_real(sums.rest_ms), NULL) \
    set(t, ROWS,  scopes, rows, "Scopes", .of = &module_row_record) \
    set(t, ROWS,  folded, folded, FSD_ASIDE, .of = &module_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

/* Templates of the rows with times and without times. */
static const char timed_row[] = "{nodes:6} {layers:6} {ms:9} {share:5.1} {reformats:5} "
                                "{reformat_ms:9}  {called}<  {of_class}>  "
                                "{precision}<  ({unlike})>\n";
static const char plain_row[] =
    "{nodes:6} {layers:6} {reformats:5}   {called}<  {of_class}>  {precision}"
    "<  ({unlike})>\n";

static const char timed_text[] =
    "\n\n{*} nodes layers        ms     %  moves  moves ms  scope  layers by "
    "precision\n"
    "{/}{folded}<\nelsewhere {rest_ms!}>\ntotal {total_ms}\n";
static const char plain_text[] =
    "\n\n{*} nodes layers moves  scope  layers by precision\n{/}{folded}";

/* ------------------------------------------------------------------ equal blocks */

/*
 * Modules whose names differ in one number are blocks of one kind. If more than half of
 * them are built in the same way, these share one row of the text report. For example,
 * the modules at the left get the rows at the right:
 *
 *     encoder.layer.0  9 layers      encoder.layer.* x3  27 layers
 *     encoder.layer.1  9 layers      encoder.layer.2     10 layers, not 9
 *     encoder.layer.2  10 layers
 *     encoder.layer.3  9 layers
 */

enum { FEWEST = 3, LEAST_NODES = 4 };

/* The kind of a module: its name with '*' for the first part that is a number; 0 if no
 * part is a number. */
static fsd_sym kind_of(struct fsd_arena *arena, struct fsd_intern *names,
                       const char *name)
{
    const char *at = name;

    while (*at) {
        size_t n = strcspn(at, "/.");

        if (n && strspn(at, "0123456789") == n)
            return fsd_intern_str(
                names, fsd_printed(arena, "%.*s*%s", (int)(at - name), name, at + n));
        at += n + (at[n] != '\0');
    }
    return 0;
}

static bool is_alike(const struct fsd_module *a, const struct fsd_module *b)
{
    return a->nodes == b->nodes && a->layers == b->layers &&
           a->reformats == b->reformats && a->opaque == b->opaque &&
           !memcmp(a->by_type, b->by_type, sizeof a->by_type);
}

struct blocks {
    struct fsd_intern *kinds;
    fsd_sym *kind;   /* indexed by module; 0: the module is not a block */
    uint32_t *like;  /* indexed by kind: the first module of the majority */
    uint32_t *alike; /* indexed by kind: the number of modules in the majority */
    uint32_t *all;   /* indexed by kind: the number of modules */
};

static struct blocks find_blocks(struct fsd_arena *arena, const fsd_module_vec *modules,
                                 const struct fsd_intern *names)
{
    struct blocks b = {fsd_intern_new(arena), FSD_NEW(arena, fsd_sym, modules->n)};
    uint32_t kinds;

    for (uint32_t i = 0; i < modules->n; i++)
        b.kind[i] = kind_of(arena, b.kinds, fsd_text(names, modules->at[i].name));
    kinds = fsd_intern_count(b.kinds);
    b.like = FSD_NEW(arena, uint32_t, kinds);
    b.alike = FSD_NEW(arena, uint32_t, kinds);
    b.all = FSD_NEW(arena, uint32_t, kinds);
    for (uint32_t i = 0; i < modules->n;
         i++) { /* majority vote (Boyer-Moore): if most modules of a kind are alike,
                   the last candidate, b.like, is one of them */
        fsd_sym kind = b.kind[i];

        b.all[kind]++;
        if (!b.alike[kind])
            b.like[kind] = i;
        b.alike[kind] +=
            is_alike(&modules->at[i], &modules->at[b.like[kind]]) ? 1 : -1u;
    }
    memset(b.alike, 0, kinds * sizeof *b.alike);
    for (uint32_t i = 0; i < modules->n; i++) {
        uint32_t *like = &b.like[b.kind[i]];

        if (is_alike(&modules->at[i], &modules->at[*like]) && !b.alike[b.kind[i]]++)
            *like = i;
    }
    for (uint32_t i = 0; i < modules->n; i++)
        if (b.all[b.kind[i]] < FEWEST || 2 * b.alike[b.kind[i]] <= b.all[b.kind[i]] ||
            modules->at[b.like[b.kind[i]]].nodes < LEAST_NODES)
            b.kind[i] = 0;
    return b;
}

static void add_module(struct fsd_module *sum, const struct fsd_module *m)
{
    sum->nodes += m->nodes;
    sum->layers += m->layers;
    sum->reformats += m->reformats;
    sum->opaque += m->opaque;
    sum->ms += m->ms;
    sum->reformat_ms += m->reformat_ms;
    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        sum->by_type[i] += m->by_type[i];
}

/* The difference between a module and the majority: "9 layers, not 8". */
static const char *unlike(struct fsd_arena *arena, const struct fsd_module *m,
                          const struct fsd_module *most, uint32_t others)
{
    const struct {
        uint32_t is, most;
        const char *what;
    } facts[] = {{m->layers, most->layers, "layers"},
                 {m->reformats, most->reformats, "data-movement layers"},
                 {m->nodes, most->nodes, "nodes"},
                 {m->opaque, most->opaque, "nodes in regions without stated kernels"}};

    for (size_t i = 0; i < FSD_COUNT_OF(facts); i++)
        if (facts[i].is != facts[i].most)
            return fsd_printed(arena, "%u %s, but the other %u blocks have %u",
                               facts[i].is, facts[i].what, others, facts[i].most);
    return fsd_printed(arena, "precisions differ from those of the other %u blocks",
                       others);
}

static struct fsd_words types_of(struct fsd_arena *arena, const struct fsd_module *m)
{
    const char **words = FSD_NEW(arena, const char *, FSD__DTYPE_COUNT);
    uint32_t *counts = FSD_NEW(arena, uint32_t, FSD__DTYPE_COUNT), n = 0;

    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        if (m->by_type[i]) {
            words[n] = fsd_dtype_name((enum fsd_dtype)i);
            counts[n++] = m->by_type[i];
        }
    return (struct fsd_words){true, n, words, counts};
}

/* The class of each module, indexed by the symbol of its scope; 0: none. */
static fsd_sym *classes_of(struct fsd_arena *arena, const struct fsd_graph *model,
                           const struct fsd_intern *scopes)
{
    fsd_sym *class_of = FSD_NEW(arena, fsd_sym, fsd_intern_count(scopes));

    for (uint32_t i = 0; i < model->classes.n; i++) {
        const char *module = fsd_text(model->names, model->classes.at[i].module);
        fsd_sym scope = fsd_intern_find(scopes, module, strlen(module));

        if (scope && scope != FSD_NONE)
            class_of[scope] = model->classes.at[i].name;
    }
    return class_of;
}

static void name_class(struct module_row *row, const char *name)
{
    const char *last = strrchr(name, '.');

    if (!*name)
        return;
    row->class = name;
    row->of_class = last ? last + 1 : name;
}

static void fill_row(struct module_row *row, struct fsd_arena *arena,
                     const struct fsd_module *m, bool timed, double total)
{
    FSD_FILL(row, MODULE_ROW);
}

enum fsd_status fsd_view_scopes(struct fsd_sheet *sheet,
                                const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = request->d;
    struct fsd_scopes scopes = fsd_cost_scopes(arena, d, request->q->depth);
    double total = d->times->total;
    struct fsd_modules sums = fsd_cost_modules(arena, d, &scopes);
    fsd_module_vec modules = sums.list;
    bool timed = d->times->profiles;
    struct fsd_rows *rows =
        fsd_rows_new(arena, &module_row_record, timed ? timed_row : plain_row);
    struct answer *root;

    struct blocks blocks = find_blocks(arena, &modules, scopes.names);
    struct fsd_rows *folded =
        fsd_rows_new(arena, &module_row_record, timed ? timed_row : plain_row);
    const fsd_sym *class_of = classes_of(arena, d->model, scopes.names);

    for (uint32_t i = 0; i < modules.n; i++) {
        fsd_sym kind = blocks.kind[i];
        const struct fsd_module *most = &modules.at[blocks.like[kind]];
        const struct fsd_module *m = &modules.at[i];
        bool alike = kind && is_alike(m, most);
        struct module_row *row = fsd_rows_add(rows);
        struct fsd_module sum = *m;

        row->name = fsd_text(scopes.names, m->name);
        row->called = m->name ? row->name : "(no scope)";
        name_class(row, fsd_text(d->names, class_of[m->name]));
        if (kind)
            row->block = fsd_text(blocks.kinds, kind);
        if (kind && !alike)
            row->unlike = unlike(arena, m, most, blocks.alike[kind]);
        fill_row(row, arena, m, timed, total);
        if (!alike || request->all) {
            fsd_vec_push(arena, &folded->at, row);
        } else if (m == most) { /* the first module represents the majority */
            for (uint32_t k = i + 1; k < modules.n; k++)
                if (blocks.kind[k] == kind && is_alike(&modules.at[k], most))
                    add_module(&sum, &modules.at[k]);
            row = fsd_rows_add(folded);
            row->called = fsd_printed(arena, "%s x%u", fsd_text(blocks.kinds, kind),
                                      blocks.alike[kind]);
            name_class(row, fsd_text(d->names, class_of[m->name]));
            fill_row(row, arena, &sum, timed, total);
        }
    }
    root = fsd_sheet_begin(
        sheet, "fusiondiff-scopes/1", &answer_record,
        "{n} scopes at depth {depth}; moves: data-movement layers<; "
        "{shared_layers!|layer computes|layers compute} nodes of several scopes "
        "(counted in each of these scopes)><; the engine does not state the kernels, "
        "precisions and data-movement layers of {opaque!|node|nodes}>",
        timed ? timed_text : plain_text);
    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
