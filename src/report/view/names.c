/*
 * Lists names of nodes, ready to paste into the command or the program of another tool,
 * and checks a list of names.
 *
 *     list               one name per line
 *     layerPrecisions    trtexec --layerPrecisions="name":fp16,...
 *     layerOutputTypes   trtexec --layerOutputTypes="name":fp16,...
 *     nodes_to_exclude   nodes_to_exclude = ["name", ...]     ONNX Runtime's quantizer
 *     polygraphy         --layer-precisions 'name:float16' ...
 *     modelopt, autocast --nodes_to_exclude '^name$' ...      patterns, of ModelOpt
 *     nncf               ignored_scope=nncf.IgnoredScope(names=["name", ...])
 *     table              the type in which a node runs, the requested type, the name
 *
 * With --realised, modelopt and autocast print options that reproduce the precisions of
 * the engine. One option is the low type: for modelopt, the most frequent quantized
 * type; for autocast, the most frequent 16-bit type. The other options exclude the
 * nodes and operators that run in a higher precision.
 *
 * layerPrecisions, layerOutputTypes and polygraphy state a type for each node: the type
 * in which it runs, so that the next build keeps it. If --finding RULE is passed, and
 * the rule has a type for the next build (fsd_rule.keep), they state that type instead.
 *
 * A name that a form cannot express is left out and counted. A comment line states the
 * number of nodes whose type is unknown.
 */
#include "base/base.h"
#include "base/lines.h"
#include "judge/findings/findings.h"
#include "model/graph/graph.h"
#include "model/graph/vocab.h"
#include "model/graph/word.h"
#include "report/view/view.h"

static bool computes(const struct fsd_diff *d, fsd_id node)
{
    return d->nodes[node].fate == FSD_FATE_LAYER &&
           !(d->facts->traits[node] & FSD_OP_QDQ);
}

static enum fsd_dtype type_named(const char *name)
{
    for (int i = 1; i < FSD__DTYPE_COUNT; i++)
        if (!strcmp(fsd_dtype_name((enum fsd_dtype)i), name))
            return (enum fsd_dtype)i;
    return FSD_DTYPE_UNKNOWN;
}

struct chosen {
    fsd_id_vec nodes;
    enum fsd_dtype low;  /* --realised: the low type. If the tool quantizes: the most
                            frequent quantized type; else: `half`. Unknown: no node has
                            such a type */
    enum fsd_dtype half; /* --realised: the most frequent 16-bit type */
    const char *ops;     /* --realised: operators whose nodes all run in a higher
                            precision than `low`; NULL: none. `nodes` has no node of
                            these operators */
    uint32_t n_unknown;  /* number of nodes left out because their type is unknown */
    enum fsd_dtype keep; /* the type to print for every node; unknown: for each node,
                            print the type in which it runs */
};

/* Finds a rule that checks runs. If there is no such rule, the error names the rule
 * with the most similar id. */
static const struct fsd_rule *find_rule(const char *name, struct fsd_error *err)
{
    struct fsd_nearest nearest = fsd_nearest_to(name);
    char text[512];

    for (unsigned i = 0; fsd_rule_at(i); i++) {
        const struct fsd_rule *rule = fsd_rule_at(i);

        if (rule->needs != FSD_NEEDS_RUN)
            continue;
        if (!strcmp(rule->id, name))
            return rule;
        fsd_nearest_try(&nearest, rule->id);
    }
    fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
             "expected a rule of reports, e.g. precision/fp16-range, found '%s'%s",
             name, fsd_nearest_text(&nearest, text));
    return NULL;
}

/* Adds the nodes of a rule's findings to `among`, each once, in the model's order. */
static enum fsd_status choose_found(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const char *name, struct chosen *out,
                                    fsd_id_vec *among, struct fsd_error *err)
{
    const struct fsd_rule *rule = find_rule(name, err);
    const struct fsd_findings *all = d->findings;
    bool *found = FSD_NEW(arena, bool, d->model->nodes.n);

    if (!rule)
        return FSD_E_ARG;
    out->keep = rule->keep;
    FSD_EACH (const struct fsd_finding, f, all->list) {
        if (all->rules.at[f->rule].rule != rule)
            continue;
        FSD_EACH_OF (node, all->subjects, f->nodes, id)
            found[node] = true;
    }
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (found[i])
            fsd_vec_push(arena, among, i);
    return FSD_OK;
}

/* Chooses the nodes of the query that a layer computes in a known precision, except Q
 * and DQ nodes. The types of shapes and masks are no precisions. If `not_type` is set,
 * also leaves out the nodes that run in this type. */
static enum fsd_status choose(struct fsd_arena *arena,
                              const struct fsd_request *request, struct chosen *out)
{
    const struct fsd_diff *d = request->d;
    const struct fsd_query *q = request->q;
    enum fsd_dtype type = q->not_type ? type_named(q->not_type) : FSD_DTYPE_UNKNOWN;
    fsd_id_vec among = {0};
    enum fsd_status status = FSD_OK;

    if (q->not_type && type == FSD_DTYPE_UNKNOWN)
        return fsd_fail(request->err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a type, e.g. int8 or fp16, found '%s'", q->not_type);
    if (q->finding && q->n_words)
        return fsd_fail(request->err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected names of nodes or --finding, found both");
    if (q->finding)
        status = choose_found(arena, d, q->finding, out, &among, request->err);
    else if (q->n_words)
        status = fsd_pick_words(arena, request, FSD_PICK_NODES, &among);
    else
        for (fsd_id i = 0; i < d->model->nodes.n; i++)
            fsd_vec_push(arena, &among, i);
    for (uint32_t i = 0; i < among.n && status == FSD_OK; i++) {
        enum fsd_dtype runs = d->nodes[among.at[i]].realised;

        if (!computes(d, among.at[i]))
            continue;
        out->n_unknown += runs == FSD_DTYPE_UNKNOWN;
        if (fsd_dtype_rank(runs) && runs != type)
            fsd_vec_push(arena, &out->nodes, among.at[i]);
    }
    return status;
}

/* ------------------------------------------------------------ the engine's choice */

/* The most frequent type in which nodes run: of the quantized types if `quantized` is
 * true, otherwise of the 16-bit types. */
static enum fsd_dtype most_of(const struct fsd_diff *d, bool quantized)
{
    uint32_t count[FSD__DTYPE_COUNT] = {0};
    unsigned best = FSD_DTYPE_UNKNOWN;

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        enum fsd_dtype runs = computes(d, i) ? d->nodes[i].realised : FSD_DTYPE_UNKNOWN;

        count[runs] += quantized ? fsd_dtype_is_quantized(runs)
                                 : runs == FSD_FP16 || runs == FSD_BF16;
    }
    for (unsigned t = 1; t < FSD__DTYPE_COUNT; t++)
        if (count[t] > count[best])
            best = t;
    return (enum fsd_dtype)best;
}

/* Whether a shell reads the operator as one word without quotes. */
static bool is_plain(const char *op)
{
    return *op && *op != '-' &&
           !op[strspn(op, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                          "0123456789_")];
}

static bool is_above(const struct fsd_diff *d, fsd_id node, int rank)
{
    return computes(d, node) && fsd_dtype_rank(d->nodes[node].realised) > rank;
}

/* Lists the operators whose nodes all run in a higher precision than `rank`, and marks
 * them in `whole`. Ignores Q and DQ nodes, and nodes that no layer computes in a known
 * precision. Leaves out an operator if fewer than two of its nodes remain, or if a
 * shell would not read the operator as one word.
 * @return the list, separated by blanks; NULL if no operator is listed */
static const char *ops_above(struct fsd_arena *arena, const struct fsd_diff *d,
                             int rank, bool *whole)
{
    uint32_t n = fsd_intern_count(d->names);
    uint32_t *above = FSD_NEW(arena, uint32_t, n), *all = FSD_NEW(arena, uint32_t, n);
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    const char *text;

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_sym op = d->model->nodes.at[i].op;

        all[op] += computes(d, i) && fsd_dtype_rank(d->nodes[i].realised);
        above[op] += is_above(d, i, rank);
    }
    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_sym op = d->model->nodes.at[i].op;

        if (whole[op] || above[op] < 2 || above[op] != all[op] ||
            !is_plain(fsd_text(d->names, op)))
            continue;
        whole[op] = true;
        fprintf(out, " %s", fsd_text(d->names, op));
    }
    text = fsd_print_take(&print, arena);
    return *text ? text + 1 : NULL;
}

/* Chooses the nodes and operators that a tool must exclude to get the precisions of the
 * engine. The tool is ModelOpt's quantizer if `quantizes` is true, otherwise AutoCast,
 * which converts to 16 bits. */
static void choose_realised(struct fsd_arena *arena, const struct fsd_diff *d,
                            bool quantizes, struct chosen *out)
{
    bool *whole = FSD_NEW(arena, bool, fsd_intern_count(d->names));
    int rank;

    out->half = most_of(d, false);
    out->low = quantizes ? most_of(d, true) : out->half;
    rank = fsd_dtype_rank(out->low);
    out->nodes.n = 0;
    if (!out->low)
        return;
    out->ops = ops_above(arena, d, rank, whole);
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (is_above(d, i, rank) && !whole[d->model->nodes.at[i].op])
            fsd_vec_push(arena, &out->nodes, i);
}

/* ------------------------------------------------------------------------ forms */

/* The name of a node. An unnamed node has the name that TensorRT's ONNX parser (7.2.1
 * or later) gives it. */
static const char *name_of(struct fsd_arena *arena, const struct fsd_diff *d,
                           fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(d->model, node, 0);

    if (d->model->nodes.at[node].name || out == FSD_NONE)
        return fsd_text(d->names, d->model->nodes.at[node].name);
    return fsd_printed(arena, "node_of_%s",
                       fsd_text(d->names, d->model->tensors.at[out].name));
}

static const char *polygraphy_type(enum fsd_dtype type)
{
    switch (fsd_dtype_rank(type)) {
    case 4:
        return "float32";
    case 3:
        return type == FSD_BF16 ? "bfloat16" : "float16";
    default:
        return fsd_dtype_name(type);
    }
}

const char *fsd_names_quoted(struct fsd_arena *arena, const char *name)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    putc('"', out);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            putc('\\', out);
        if ((unsigned char)*name < ' ' || (*name == '#' && fsd_is_command(name)))
            fprintf(out, "\\x%02x", (unsigned char)*name);
        else
            putc(*name, out);
    }
    putc('"', out);
    return fsd_print_take(&print, arena);
}

/* A Python regular expression that matches only this name. */
static const char *pattern_of(struct fsd_arena *arena, const char *name)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    putc('^', out);
    for (; *name; name++) {
        if (strchr(".^$*+?{}[]\\|()", *name))
            putc('\\', out);
        putc(*name, out);
    }
    putc('$', out);
    return fsd_print_take(&print, arena);
}

static bool has_hidden(const char *name)
{
    for (size_t left = strlen(name), len; left; name += len, left -= len) {
        const unsigned char *at = (const unsigned char *)name;

        len = fsd_utf8_len(at, left);
        if (!len || fsd_code_is_hidden(fsd_utf8_code(at, len)))
            return true;
    }
    return false;
}

struct form {
    const char *name;
    const char *text, *row, *between; /* `text`: the template of the whole text; `row`:
                                         the template of a name; `between`: the text
                                         between two names, NULL: none */
    const char *cannot;               /* characters that a name must not contain */
    bool escapes;                     /* the form can escape every character
                                         that is not in `cannot` */
    bool words;                       /* each name becomes an argument of a command */
    bool sets_types;                  /* the form sets types of layers. TensorRT refuses
                                         this for strongly typed networks */
    const char *realised; /* the template for --realised; NULL: the form has none */
    bool quantizes;       /* true: the tool quantizes; false: the tool converts to 16
                             bits */
};

#define UNTOLD_NODES                                                                   \
    "<# omitted: {of_unknown_type!|node|nodes} whose type the dump does not "          \
    "state\n>"

static const struct form forms[] = {
    {"list", "<{held!}\n>" UNTOLD_NODES, "{name}", "\n", "\n\r", false, false},
    {"layerPrecisions",
     "<--precisionConstraints=obey --layerPrecisions='{held!}'\n>" UNTOLD_NODES,
     "{name}:{trtexec}", ",", ",:*'\n\r", false, false, true},
    {"layerOutputTypes",
     "<--precisionConstraints=obey --layerOutputTypes='{held!}'\n>" UNTOLD_NODES,
     "{name}:{trtexec}", ",", ",:*'\n\r", false, false, true},
    {"nodes_to_exclude", "<nodes_to_exclude = [{held!}]\n>" UNTOLD_NODES, "{quoted}",
     ", ", "", true, false},
    {"polygraphy",
     "<--precision-constraints obey --layer-precisions {held!}\n>" UNTOLD_NODES,
     "'{name}:{polygraphy}'", " ", ":'\n\r", false, true, true},
    {"modelopt", "<--nodes_to_exclude {held!}\n>" UNTOLD_NODES, "'{pattern}'", " ",
     "'\n\r", false, true, false,
     "<{none!}\n><--quantize_mode {low}< --high_precision_dtype {half}>"
     "< --op_types_to_exclude {ops!}>< --nodes_to_exclude {held!}>\n>" UNTOLD_NODES,
     true},
    {"autocast", "<--nodes_to_exclude {held!}\n>" UNTOLD_NODES, "'{pattern}'", " ",
     "'\n\r", false, true, false,
     "<{none!}\n><--low_precision_type {low} --keep_io_types --data_max inf "
     "--init_max inf< --op_types_to_exclude {ops!}>< --nodes_to_exclude "
     "{held!}>\n>" UNTOLD_NODES,
     false},
    {"nncf", "<ignored_scope=nncf.IgnoredScope(names=[{held!}])\n>" UNTOLD_NODES,
     "{quoted}", ", ", "", true, false},
    {"table", "<{none!}\n><runs in  requested  node\n{held!}>" UNTOLD_NODES,
     "{runs:-7}  {asked:-9}  {name}<  ({op!})>\n", NULL, "", true, false},
};

static const struct form *form_named(const char *name, bool strongly_typed,
                                     struct fsd_error *err)
{
    for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
        if (strcmp(forms[i].name, name) != 0)
            continue;
        if (!forms[i].sets_types || !strongly_typed)
            return &forms[i];
        fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                 "the engine is strongly typed: TensorRT takes all types from the "
                 "model and refuses %s; change the model with Casts, Q/DQ or ModelOpt "
                 "(--as autocast, --as modelopt)",
                 name);
        return NULL;
    }
    fsd_fail(
        err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
        "expected layerPrecisions, layerOutputTypes, nodes_to_exclude, polygraphy, "
        "modelopt, autocast, nncf, table or list, found '%s'",
        name);
    return NULL;
}

/* clang-format off */
#define FORM_ROW(has, set, when, t) \
    has(t, TEXT, form,    NULL) \
    has(t, TEXT, text,    NULL) \
    has(t, TEXT, row,     NULL) \
    has(t, TEXT, between, NULL) \
    has(t, TEXT, cannot,  NULL) \
    has(t, FLAG, words,   NULL)
FSD_RECORD_SHARED(form_row, FORM_ROW)
/* clang-format on */

const struct fsd_rows *fsd_names_forms(struct fsd_arena *arena,
                                       const struct fsd_diff *d)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_form_row_record, "");

    for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
        const struct form *form = &forms[i];

        if (form->between && !(form->sets_types && d->engine->strongly_typed))
            *(struct form_row *)fsd_rows_add(rows) =
                (struct form_row){form->name,    form->text,   form->row,
                                  form->between, form->cannot, fsd_flag(form->words)};
    }
    return rows;
}

/* Whether the form can express the name. It cannot express:
 *     an empty name, or a name with a hidden character or a character of `cannot`
 *     if `words` is true: a name that a command would take for an option ("-x")
 *     if `escapes` is false: a name with a command for a CI runner (fsd_is_command()),
 *         because fsd_put_escaped() may change such a name */
static bool can_hold(const struct form *form, const char *name)
{
    return *name && !strpbrk(name, form->cannot) && !has_hidden(name) &&
           (form->escapes || !fsd_is_command(name)) && !(form->words && *name == '-');
}

/* clang-format off */
#define NAME_ROW(has, set, when, t) \
    set(t, COUNT, index, node, "node") \
    set(t, NAME,  name, name, "name") \
    set(t, TYPE,  runs, runs, "runs in") \
    when(t, TYPE,  asked, d->nodes[node].requested, d->nodes[node].requested, \
        "requested") \
    set(t, NAME,  op, fsd_text(d->names, d->model->nodes.at[node].op), "op", \
        .aside = true) \
    set(t, TEXT,  trtexec, fsd_dtype_name(type == FSD_TF32 ? FSD_FP32 : type), \
        FSD_ASIDE) \
    set(t, TEXT,  polygraphy, polygraphy_type(type), FSD_ASIDE) \
    set(t, NAME,  quoted, fsd_names_quoted(arena, name), FSD_ASIDE) \
    set(t, NAME,  pattern, pattern_of(arena, name), FSD_ASIDE)
FSD_RECORD(name_row, NAME_ROW)

#define ANSWER(has, set, when, t) \
    has(t, COUNT, of_unknown_type, NULL) \
    has(t, TEXT,  low,             NULL, \
        .about = "with --realised: the type in which most nodes run, among the types " \
                 "to which the tool selected with --as can convert nodes") \
    has(t, TEXT,  half,            NULL, \
        .about = "with --realised: the 16-bit type in which most nodes run") \
    has(t, NAME,  ops,             NULL, \
        .about = "with --realised: operators whose nodes all run in a higher " \
                 "precision than `low`") \
    has(t, ROWS,  names,           "Names", .of = &name_row_record) \
    has(t, ROWS,  held,            FSD_ASIDE, .of = &name_row_record) \
    has(t, TEXT,  none,            FSD_ASIDE)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static enum fsd_status check_realised(const struct fsd_query *q, struct fsd_error *err)
{
    if (!q->not_type && !q->finding && !q->n_words)
        return FSD_OK;
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected no names, no --not and no --finding with "
                    "--realised, because --realised lists all nodes");
}

static enum fsd_status write_names(struct fsd_sheet *sheet,
                                   const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = request->d;
    const char *as = request->q->as         ? request->q->as
                     : request->q->not_type ? "table"
                                            : "list";
    const struct form *form = form_named(as, d->engine->strongly_typed, request->err);
    struct chosen chosen = {0};
    bool realised = form && request->q->realised && form->realised;
    enum fsd_status status = form ? choose(arena, request, &chosen) : FSD_E_ARG;
    struct fsd_rows *names = fsd_rows_new(arena, &name_row_record, ""), *held;
    struct answer *root;

    if (status == FSD_OK && request->q->realised)
        status = check_realised(request->q, request->err);
    if (status != FSD_OK)
        return status;
    if (realised)
        choose_realised(arena, d, form->quantizes, &chosen);
    held = fsd_rows_new(arena, &name_row_record, form->row);
    held->between = form->between;
    for (uint32_t i = 0; i < chosen.nodes.n; i++) {
        fsd_id node = chosen.nodes.at[i];
        enum fsd_dtype runs = d->nodes[node].realised;
        enum fsd_dtype type = chosen.keep ? chosen.keep : runs;
        const char *name = name_of(arena, d, node);
        struct name_row *row = fsd_rows_add(names);

        if (can_hold(form, name))
            fsd_vec_push(arena, &held->at, row);
        FSD_FILL(row, NAME_ROW);
    }
    if (request->q->left_out)
        *request->q->left_out = names->at.n - held->at.n;
    root = fsd_sheet_begin(sheet, "fusiondiff-names/1", &answer_record, NULL,
                           realised ? form->realised : form->text);
    if (realised && !chosen.low)
        root->none = form->quantizes ? "# no node is known to run in a quantized type"
                                     : "# no node is known to run in fp16 or bf16";
    if (chosen.low)
        root->low = fsd_dtype_name(chosen.low);
    if (chosen.half && realised)
        root->half = fsd_dtype_name(chosen.half);
    root->ops = chosen.ops;
    root->of_unknown_type = fsd_count(chosen.n_unknown);
    if (!names->at.n && request->q->not_type)
        root->none = fsd_printed(arena, "all nodes whose type is known run in %s",
                                 request->q->not_type);
    root->names = names;
    root->held = held;
    return FSD_OK;
}

/* ------------------------------------------------------------------------ check */

struct listed {
    const char *name;
    bool found;
    const char *near; /* if the name is not found: a name of the model that is equal
                         except for characters that TensorRT rewrites; NULL: none */
};
typedef FSD_VEC(struct listed) listed_vec;

static const char *node_name(const struct fsd_diff *d, const struct fsd_vocab *v,
                             const struct fsd_meaning *what)
{
    return what && what->nodes.n
               ? fsd_text(d->names, d->model->nodes.at[v->pool.at[what->nodes.at]].name)
               : NULL;
}

static bool fits_pattern(const struct fsd_diff *d, const char *word)
{
    for (fsd_id i = 0; strchr(word, '*') && i < d->model->nodes.n; i++)
        if (fsd_word_fits(word, fsd_text(d->names, d->model->nodes.at[i].name)))
            return true;
    return false;
}

static bool is_layer(const struct fsd_diff *d, const char *name)
{
    fsd_sym sym = fsd_intern_find(d->names, name, strlen(name));

    for (fsd_id i = 0; sym != FSD_NONE && i < d->engine->nodes.n; i++)
        if (d->engine->nodes.at[i].name == sym)
            return true;
    return false;
}

/* Looks up a line of the list: a name, or "name:type" as in trtexec's options. */
static void look_up(struct fsd_arena *arena, const struct fsd_diff *d,
                    const struct fsd_vocab *v, const char *s, size_t n, listed_vec *out)
{
    struct listed entry = {fsd_arena_strndup(arena, s, n), false, NULL};
    const char *colon = strrchr(entry.name, ':');
    const struct fsd_meaning *what = fsd_vocab_find(v, s, n);

    if (!(what && what->nodes.n) && colon && type_named(colon + 1)) {
        n = (size_t)(colon - entry.name);
        entry.name = fsd_arena_strndup(arena, s, n);
        what = fsd_vocab_find(v, s, n);
    }
    entry.found = (what && what->nodes.n) || fits_pattern(d, entry.name) ||
                  is_layer(d, entry.name);
    if (!entry.found)
        entry.near = node_name(d, v, fsd_vocab_find_loose(v, s, n));
    fsd_vec_push(arena, out, entry);
}

static enum fsd_status read_list(struct fsd_arena *arena, const struct fsd_diff *d,
                                 const char *path, listed_vec *out,
                                 struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, UINT64_C(1) << 26, err);
    const struct fsd_vocab *v = fsd_vocab_new(arena, d->model);
    size_t at = 0;

    if (status == FSD_OK && file.size && memchr(file.bytes, 0, file.size))
        status =
            fsd_fail(err, FSD_E_FORMAT, file.name, FSD_POS_NONE, 0,
                     "expected a list of names, one per line, found a binary file");
    while (status == FSD_OK && at < file.size) {
        const char *line = (const char *)file.bytes + at;
        const char *end = memchr(line, '\n', file.size - at);
        size_t n = end ? (size_t)(end - line) : file.size - at;

        at += n + 1;
        while (n && (line[n - 1] == '\r' || line[n - 1] == ' '))
            n--;
        if (n && *line != '#')
            look_up(arena, d, v, line, n, out);
    }
    return fsd_file_done(&file, status, err);
}

/* clang-format off */
#define LISTED_ROW(has, set, when, t) \
    set(t, NAME, name, list.at[i].name, "name") \
    set(t, NAME, near, list.at[i].near, "the model has")
FSD_RECORD(listed_row, LISTED_ROW)

#define CHECK_ROW(has, set, when, t) \
    set(t, COUNT, checked, list.n, NULL) \
    set(t, ROWS,  unknown, rows, "Names that match nothing", .of = &listed_row_record) \
    set(t, COUNT, n, rows->at.n, FSD_ASIDE)
FSD_RECORD(check_row, CHECK_ROW)
/* clang-format on */

static enum fsd_status check(struct fsd_sheet *sheet, const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    listed_vec list = {0};
    enum fsd_status status =
        read_list(arena, request->d, request->q->check, &list, request->err);
    struct fsd_rows *rows =
        fsd_rows_new(arena, &listed_row_record, "  {name}<  (the model has {near})>\n");
    struct check_row *root;

    if (status != FSD_OK)
        return status;
    for (uint32_t i = 0; i < list.n; i++) {
        if (!list.at[i].found)
            FSD_ADD(rows, listed_row, LISTED_ROW);
    }
    root = fsd_sheet_begin(sheet, "fusiondiff-names-check/1", &check_row_record,
                           "{n} of {checked} names match nothing\n", "{unknown}");
    FSD_FILL(root, CHECK_ROW);
    if (request->q->unmatched)
        *request->q->unmatched = rows->at.n;
    return FSD_OK;
}

enum fsd_status fsd_view_names(struct fsd_sheet *sheet,
                               const struct fsd_request *request)
{
    return request->q->check ? check(sheet, request) : write_names(sheet, request);
}
