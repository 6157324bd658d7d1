/*
 * Reads the files of a run in this order: log, model, engine. The log is first, because
 * it may also be the engine, and may contain the network of the model. The engine is
 * last, because its layer names can only be parsed with the names of the model.
 *
 * If a --log file has several builds, the user can choose one. Without a choice,
 * choose_build() takes the build that fits the dump best. If the dump or the model does
 * not fit this build, the log is not used as evidence (`refused`). If a file has an
 * unexpected kind, the error names this kind, and the option or verb for it.
 */
#include "api/command.h"
#include "base/base.h"
#include "base/file_type.h"
#include "base/open.h"
#include "api/inputs.h"

#include "api/engine_alone.h"
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "judge/gate/gate.h"
#include "read/log/log.h"
#include "match/story.h"
#include "model/graph/vocab.h"
#include "model/onnx/onnx.h"
#include "change/snapshot/snapshot.h"

/* Size limits in bytes. A model may be larger than an engine file, because its weights
 * are never read. */
#define MODEL_LIMIT  (UINT64_C(1) << 40)
#define ENGINE_LIMIT (UINT64_C(1) << 36)

struct inputs {
    struct fsd_inputs *d;
    const struct fsd_options *opt;
    struct fsd_file engine, log;
    const struct fsd_engines *read; /* a log that was read before and contains the
                                       engine; NULL: none */
    const struct fsd_file *story;   /* the log: &engine or &log; NULL: no log */
    const struct fsd_engine_reader *log_reader; /* the reader of the build log */
    struct fsd_graph *parsed; /* the network in the log; NULL: no log */
};

/* A path as valid UTF-8 for reports, because a path may contain any bytes. */
static const char *shown_path(const struct fsd_inputs *d, const char *path)
{
    return fsd_text(d->names, fsd_intern_str(d->names, path));
}

/* The facts of the log, if the engine file is this log; otherwise NULL. */
static const struct fsd_history *own_history(const struct inputs *in)
{
    return in->story == &in->engine ? in->d->history : NULL;
}

/* ------------------------------------------------------------------------- model */

static enum fsd_status load_onnx(struct fsd_inputs *d, const char *path,
                                 struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open_sparse(&file, path, MODEL_LIMIT, err);

    FSD_THEN(status, fsd_onnx_load(d->model, &file, err));
    d->model->path = shown_path(d, path);
    d->model->file = fsd_arena_strndup(d->arena, path, strlen(path));
    return fsd_file_done(&file, status, err);
}

/* Whether a successful build wrote the log, and the log states the build's steps. */
static bool states_steps(const struct fsd_history *h)
{
    return h && !h->failed && !h->session_lines &&
           (h->efforts.list.n || h->efforts.steps.n || h->efforts.sums.n);
}

/* Reads the engine's layers. A build log may lack them if the options allow this.
 * @param[in,out] to an empty graph in `arena`; may become a different graph */
static enum fsd_status read_layers(const struct inputs *in, struct fsd_arena *arena,
                                   struct fsd_graph **to,
                                   const struct fsd_source *source,
                                   struct fsd_error *err)
{
    enum fsd_status status = fsd_engine_load(*to, source, err);

    if (status != FSD_E_FORMAT || !in->opt->unlisted || !states_steps(own_history(in)))
        return status;
    *to = fsd_graph_new(arena, in->d->names);
    fsd_graph_finish(*to);
    return FSD_OK;
}

/* Makes the model from the names of the engine's layers, if there is no model. For
 * this, the engine is also read without a vocabulary. */
static enum fsd_status load_alone(struct inputs *in, struct fsd_error *err)
{
    FSD_SCRATCH(scratch);
    struct fsd_graph *dump = fsd_graph_new(scratch, in->d->names);
    const struct fsd_source source = {.file = &in->engine,
                                      .number = in->opt->engine_number,
                                      .profile = in->opt->opt_profile,
                                      .history = own_history(in)};
    enum fsd_status status = read_layers(in, scratch, &dump, &source, err);

    if (status == FSD_OK)
        fsd_alone_read(in->d->model, dump);
    in->d->model->path = shown_path(in->d, in->opt->engine);
    return status;
}

/* Makes the model from an incomplete log. The parser's lines list only some nodes. The
 * other nodes come from the names of the engine's layers. */
static enum fsd_status load_excerpt(struct inputs *in, struct fsd_error *err)
{
    FSD_SCRATCH(scratch);
    struct fsd_graph *dump = fsd_graph_new(scratch, in->d->names), *added;
    const struct fsd_source source = {.file = &in->engine,
                                      .number = in->opt->engine_number,
                                      .profile = in->opt->opt_profile,
                                      .vocab = fsd_vocab_new(scratch, in->parsed),
                                      .history = own_history(in)};
    enum fsd_status status = read_layers(in, scratch, &dump, &source, err);

    if (status == FSD_OK) {
        added = fsd_graph_new(in->d->arena, in->d->names);
        in->log_reader->read_network(added, in->d->history, in->story);
        if (fsd_alone_add(added, dump))
            in->d->model = added;
    }
    return status;
}

/* Loads the model. Without a model file, the network in the log is the model. Many logs
 * have no network, for example logs without --verbose. The model is then made from the
 * names of the engine's layers. */
static enum fsd_status load_model(struct inputs *in, struct fsd_error *err)
{
    struct fsd_inputs *d = in->d;

    fsd_announce(in->opt, "reading the model");
    if (in->story) {
        in->parsed = fsd_graph_new(d->arena, d->names);
        if (in->log_reader->read_network)
            in->log_reader->read_network(in->parsed, d->history, in->story);
        else
            fsd_graph_finish(in->parsed);
    }
    if (in->opt->model)
        return load_onnx(d, in->opt->model, err);
    if (!in->story || !in->parsed->nodes.n)
        return load_alone(in, err);
    d->model = in->parsed;
    return fsd_log_network_is_whole(in->parsed, d->history, in->story)
               ? FSD_OK
               : load_excerpt(in, err);
}

/* ------------------------------------------------------- does the log belong here */

/* Whether the dump and the log state different types for the first output of a layer.
 * If this layer is a region, the dump may have the output at a kernel of the region. */
static bool other_type(const struct fsd_graph *e, const struct fsd_final *final)
{
    fsd_id t = final->tensor ? fsd_graph_find(e, final->tensor, 0) : FSD_NONE;
    fsd_id producer = fsd_tensor_producer(e, t);

    if (producer == FSD_NONE || final->out == FSD_DTYPE_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < e->nodes.at[producer].out.n; i++) {
        const struct fsd_port *port = fsd_node_out(e, &e->nodes.at[producer], i);
        enum fsd_dtype type = fsd_port_form(e, port)->type;

        if (port->tensor == t && type != FSD_DTYPE_UNKNOWN && type != final->out)
            return true;
    }
    return false;
}

/* How an engine in the log fits the dump. Both are of one build if `strangers` is 0. */
struct kinship {
    uint32_t common;    /* number of layers that fit: the dump has them, with no other
                        output type. Regions count, as it may list their kernels */
    uint32_t strangers; /* number of layers that do not fit; h->placed may raise it */
    fsd_sym first;      /* name of the first layer that does not fit; 0: none */
};

/* Compares the dump with each engine of the log; the result is indexed by build. */
static struct kinship *compare_engines(const struct fsd_history *h,
                                       const struct fsd_graph *dump,
                                       struct fsd_arena *scratch)
{
    struct kinship *kin = FSD_NEW(scratch, struct kinship, h->builds);
    /* By name: whether the dump has a layer of this name. */
    bool *there = FSD_NEW(scratch, bool, fsd_intern_count(dump->names));

    for (fsd_id i = 0; i < dump->nodes.n; i++) {
        there[dump->nodes.at[i].name] = true;
        there[dump->layers.at[i].base_name] = true;
    }
    for (uint32_t i = 0; i < dump->elsewhere.n; i++)
        there[dump->elsewhere.at[i]] = true;
    FSD_EACH (const struct fsd_final, final, h->finals) {
        struct kinship *k = &kin[final->build];

        if ((there[final->name] || final->region) && !other_type(dump, final))
            k->common++;
        else if (!k->strangers++)
            k->first = final->name;
    }
    for (uint32_t b = 0; b < h->placed.n; b++) {
        uint32_t n = dump->nodes.n + dump->in_bodies, assigned = h->placed.at[b];

        if (assigned)
            kin[b].strangers += assigned > n ? assigned - n : n - assigned;
    }
    return kin;
}

/* Chooses the build of the log to which the dump belongs. The dump is read before the
 * model, because the model may be the network of this build. */
static void choose_build(struct inputs *in)
{
    struct fsd_history *h = in->d->history;
    FSD_SCRATCH(scratch);
    struct fsd_graph *dump = fsd_graph_new(scratch, in->d->names);

    if (fsd_engine_load(dump, &(struct fsd_source){.file = &in->engine}, NULL) ==
        FSD_OK) {
        const struct kinship *kin = compare_engines(h, dump, scratch);

        for (uint32_t b = 1; b < h->builds; b++)
            if (kin[b].strangers < kin[h->build].strangers ||
                (kin[b].strangers == kin[h->build].strangers &&
                 kin[b].common > kin[h->build].common))
                h->build = b;
    }
}

/* Marks a session log as foreign if the model lacks more than half of the nodes that
 * the session assigned to providers. Some of these nodes are in no model, because the
 * session itself created them. */
static void compare_assignment(struct fsd_history *h, const struct fsd_vocab *vocab)
{
    uint32_t named = 0, strangers = 0;
    fsd_sym first = 0;

    for (uint32_t i = 0; i < h->places.n; i++) {
        fsd_sym name = h->places.at[i].name;
        const char *s = fsd_text(h->names, name);

        if (!name)
            continue;
        named++;
        if (!fsd_vocab_find(vocab, s, fsd_text_len(h->names, name)) && !strangers++)
            first = name;
    }
    if (2 * strangers > named) {
        h->foreign = strangers;
        h->foreign_name = first;
    }
}

static void compare_log(struct inputs *in)
{
    struct fsd_history *h = in->d->history;

    fsd_story_compare(h, in->parsed, in->d->model, in->d->vocab);
    if (in->story == &in->log) {
        struct fsd_arena *scratch = fsd_arena_new();
        const struct kinship *kin = compare_engines(h, in->d->engine, scratch);

        h->foreign = kin[h->build].strangers;
        h->foreign_name = kin[h->build].first;
        fsd_arena_free(scratch);
    }
    if (h->assigned)
        compare_assignment(h, in->d->vocab);
    h->refused = h->foreign > 0 || 2 * h->unlike > h->n_parsed;
}

/* --------------------------------------------------------------------------- log */

static void read_log(struct inputs *in, const struct fsd_file *file)
{
    in->story = file;
    in->d->own_log = file == &in->engine;
    if (in->read) {
        in->d->history = fsd_engines_history(in->read, in->d, in->opt->engine_number);
    } else {
        in->d->history = fsd_history_new(in->d->arena, in->d->names);
        in->log_reader->read_log(in->d->history, file);
    }
    in->d->history->path = shown_path(in->d, file->name);
}

/* The reader of the log. A log may have lines of two builders; then the builder of the
 * engine determines the reader. */
static const struct fsd_engine_reader *log_reader_of(const struct inputs *in)
{
    const struct fsd_engine_reader *own =
        in->engine.bytes ? fsd_reader_of(&in->engine, FSD_INPUT_ENGINE, FSD_CLAIM_MAYBE)
                         : NULL;

    return own && own->sniff(&in->log, FSD_INPUT_LOG) != FSD_CLAIM_NONE
               ? own
               : fsd_reader_of(&in->log, FSD_INPUT_LOG, FSD_CLAIM_MAYBE);
}

static bool is_log(const struct fsd_file *file)
{
    return fsd_reader_of(file, FSD_INPUT_LOG, FSD_CLAIM_SURE) != NULL;
}

/* Chooses the build of the log. If ENGINE and --log are both logs, opt->engine_number
 * is the number of a build in ENGINE, not in --log. */
static enum fsd_status set_build(struct inputs *in, struct fsd_error *err)
{
    struct fsd_history *h = in->d->history;
    unsigned number = in->opt->engine_number;

    if (in->story == &in->engine) {
        h->build = number ? number - 1 : 0; /* the engine's reader checks `number` */
    } else if (number && !is_log(&in->engine)) {
        if (number > h->builds)
            return fsd_fail(err, FSD_E_ARG, in->opt->log, FSD_POS_NONE, 0,
                            "expected --engine from 1 to %u, found %u", h->builds,
                            number);
        h->build = number - 1;
    } else if (h->builds > 1 && in->engine.bytes) {
        choose_build(in);
    }
    return FSD_OK;
}

/* Whether the log has no line of a build. */
static bool states_nothing(const struct fsd_history *h)
{
    return !h->events.n && !h->rivals.n && !h->finals.n && !h->built.n &&
           !h->memory.n && !h->parser.n && !h->passes.n && !h->places.n &&
           !h->unknown_lines && h->builds < 2 && !h->failed;
}

static bool describes_session(const struct inputs *in)
{
    return in->d->history && in->d->history->session_lines;
}

/* Loads the --log file; without --log, the engine file if this is a log. */
static enum fsd_status load_log(struct inputs *in, struct fsd_error *err)
{
    enum fsd_status status;

    fsd_announce(in->opt, "reading the log");
    if (!in->opt->log) {
        in->log_reader = fsd_reader_of(&in->engine, FSD_INPUT_LOG, FSD_CLAIM_SURE);
        if (in->log_reader)
            read_log(in, &in->engine);
        status = fsd_file_complete(&in->engine, err);
        return status == FSD_OK && in->log_reader ? set_build(in, err) : status;
    }
    status = fsd_file_open_coming(&in->log, in->opt->log, FSD_LOG_LIMIT, err);
    if (status != FSD_OK)
        return status;
    in->log_reader = log_reader_of(in);
    if (in->log_reader)
        read_log(in, &in->log);
    status = fsd_file_complete(&in->log, err);
    if (status != FSD_OK)
        return status;
    if (!in->log_reader || states_nothing(in->d->history))
        return fsd_file_blame(
            in->opt->log, FSD_FILE_LOG, "a verbose build log",
            fsd_fail(err, FSD_E_FORMAT, in->opt->log, FSD_POS_NONE, 0,
                     "expected a verbose build log, found %s",
                     !in->log.size           ? "an empty file"
                     : describes_session(in) ? "a session log of ONNX Runtime"
                     : in->log_reader        ? "a file without any line of such a log"
                                             : "another kind of file"),
            err);
    return set_build(in, err);
}

/* ------------------------------------------------------------------------ engine */

static enum fsd_status load_engine(struct inputs *in, struct fsd_error *err)
{
    struct fsd_inputs *d = in->d;
    struct fsd_source source = {.file = &in->engine,
                                .number = in->opt->engine_number,
                                .profile = in->opt->opt_profile,
                                .history = own_history(in),
                                .beside = in->story == &in->log ? in->d->history : NULL,
                                .profiles = &in->d->own_profiles};
    enum fsd_status status;

    fsd_announce(in->opt, "reading the engine");
    if (source.number && !in->opt->log && !is_log(source.file))
        return fsd_fail(err, FSD_E_ARG, in->opt->engine, FSD_POS_NONE, 0,
                        "--engine: expected a build log, found another format");
    if (!d->vocab)
        d->vocab = fsd_vocab_new(d->arena, d->model);
    source.vocab = d->vocab;
    status = read_layers(in, d->arena, &d->engine, &source, err);
    d->engine->path = shown_path(d, in->opt->engine);
    return status;
}

/* If the dump has only names of layers, replaces it with the engine block of the log,
 * which has all facts. The block must have the same layers in the same order. */
static void read_named_layers(struct inputs *in)
{
    struct fsd_inputs *d = in->d;
    struct fsd_source source = {&in->log, .profile = in->opt->opt_profile,
                                .vocab = d->vocab, .history = d->history};
    struct fsd_graph *dump = d->engine, *block;
    bool same;

    if (dump->detailed || in->story != &in->log || d->history->refused)
        return;
    source.number = d->history->build + 1;
    block = fsd_graph_new(d->arena, d->names);
    if (fsd_engine_load(block, &source, NULL) != FSD_OK)
        return;
    same = dump->nodes.n == block->nodes.n;
    for (fsd_id i = 0; same && i < dump->nodes.n; i++)
        same = dump->nodes.at[i].name == block->nodes.at[i].name;
    if (!same)
        return;
    block->path = dump->path;
    memcpy(block->hash, dump->hash, sizeof block->hash);
    d->engine = block;
}

/* Sets the version and the options of the build from the log. The version in a dump is
 * a guess from the dump's keys, but the log states the version. */
static void take_built(struct inputs *in)
{
    const struct fsd_history *h = in->d->history;
    struct fsd_graph *e = in->d->engine;
    fsd_built_vec stated = {0};
    fsd_sym version;

    for (uint32_t i = h && !h->refused ? h->built.n : 0; i-- > 0;)
        if (h->built.at[i].build == h->build)
            fsd_built_add(e->arena, e->names, &stated, h->built.at[i].fact);
    if (e->strongly_typed)
        fsd_built_add(e->arena, e->names, &stated,
                      (struct fsd_built){fsd_intern_str(e->names, FSD_BUILT_PRECISION),
                                         fsd_intern_str(e->names, "strongly typed")});
    version = fsd_built_find(&stated, e->names, FSD_BUILT_VERSION);
    if (!version)
        version = fsd_built_find(&stated, e->names, FSD_BUILT_LIBRARY);
    if (version)
        e->producer = version;
    fsd_built_sort(&stated, e->names);
    e->built = stated;
}

/* Sets the execution provider of each layer from the log. If nodes in different bodies
 * have one name and different providers, the provider of their layers stays unknown. */
static void take_places(struct inputs *in)
{
    const struct fsd_history *h = in->d->history;
    struct fsd_graph *e = in->d->engine;
    FSD_SCRATCH(scratch);
    uint32_t n = fsd_intern_count(in->d->names), all = 0;
    uint32_t *of_name = FSD_NEW(scratch, uint32_t, n); /* indexed by name: 1 + index in
                                                          h->places; 0: none; FSD_NONE:
                                                          different providers */
    uint32_t *of_op = FSD_NEW(scratch, uint32_t, n);   /* for nodes without a name: the
                                                          same, indexed by operator */

    for (uint32_t i = 0; !h->refused && i < h->places.n; i++) {
        const struct fsd_placement *place = &h->places.at[i];
        uint32_t *slot = place->name ? &of_name[place->name]
                         : place->op ? &of_op[place->op]
                                     : &all;

        if (place->build != h->build)
            continue;
        if (!*slot)
            *slot = i + 1;
        else if (*slot != FSD_NONE &&
                 h->places.at[*slot - 1].provider != place->provider)
            *slot = FSD_NONE;
    }
    for (fsd_id i = 0; i < e->nodes.n; i++) {
        const struct fsd_node *node = &e->nodes.at[i];
        uint32_t at = node->name ? of_name[node->name] : of_op[node->op];
        const struct fsd_placement *place;

        at = at ? at : all;
        if (!at || at == FSD_NONE)
            continue;
        place = &h->places.at[at - 1];
        /* The operator in the log must be the operator of the layer, unless the layer
         * is a compiled subgraph, or the log is a list of nodes and their providers
         * (`assigned`). */
        if (!place->op || place->op == node->op || h->assigned ||
            e->layers.at[i].kind == FSD_KIND_FOREIGN)
            e->layers.at[i].ran_by = place->provider;
    }
}

static void new_graphs(struct fsd_inputs *d)
{
    d->model = fsd_graph_new(d->arena, d->names);
    d->engine = fsd_graph_new(d->arena, d->names);
}

/* Opens the beginning of a file, to recognize the kind of the file. An ONNX file is
 * opened as a whole, because the operator sets may be at its end. The caller must close
 * `file`, also after a failure. */
static bool open_to_recognize(struct fsd_file *file, const char *path)
{
    memset(file, 0, sizeof *file);
    if (!path || !strcmp(path, "-") ||
        fsd_file_open_beginning(file, path, FSD_LOG_LIMIT, NULL) != FSD_OK)
        return false;
    if (fsd_file_type_of(file) != FSD_FILETYPE_ONNX)
        return true;
    fsd_file_close(file);
    return fsd_file_open_sparse(file, path, FSD_LOG_LIMIT, NULL) == FSD_OK;
}

static bool is_surely(const char *path, enum fsd_input input)
{
    struct fsd_file file;
    bool yes = open_to_recognize(&file, path) &&
               fsd_reader_of(&file, input, FSD_CLAIM_SURE) != NULL;

    fsd_file_close(&file);
    return yes;
}

static bool is_model(const char *path)
{
    struct fsd_file file;
    bool yes;

    FSD_GUARD_OR(false);
    yes = strcmp(path, "-") != 0 &&
          fsd_file_open_beginning(&file, path, MODEL_LIMIT, NULL) == FSD_OK &&
          fsd_file_type_of(&file) == FSD_FILETYPE_ONNX;
    fsd_file_close(&file);
    return yes;
}

bool fsd_file_is_model(const char *path)
{
    struct fsd_opened *recorded = fsd_opened_record(NULL); /* not an input: the file is
                                                              only recognized */
    bool yes = is_model(path);

    fsd_opened_record(recorded);
    return yes;
}

/* The kinds of files:
 *   noun      the name of the kind, for messages
 *   belongs   the end of a message: the place, option or verb for such files; or ""
 *   sniff     recognizes a file of this kind; NULL: fsd_reader_of() recognizes it
 *   input     the argument of fsd_reader_of(); used only if `sniff` is NULL
 *   of_build  the directory of a build may have such a file */
static const struct kind {
    const char *noun, *belongs;
    bool (*sniff)(const char *path);
    enum fsd_input input;
    bool of_build;
} kinds[] = {
    [FSD_FILE_OTHER] = {"another kind of file", ""},
    [FSD_FILE_MODEL] = {"an ONNX model", "", .sniff = is_model, .of_build = true},
    [FSD_FILE_ENGINE] = {"an engine's layers", ": pass them as the second argument",
                         .input = FSD_INPUT_ENGINE, .of_build = true},
    [FSD_FILE_LOG] = {"a build log", ": pass it as ENGINE, or with --log",
                      .input = FSD_INPUT_LOG, .of_build = true},
    [FSD_FILE_PROFILE] = {"times of layers", ": pass them with --profile",
                          .input = FSD_INPUT_PROFILE, .of_build = true},
    [FSD_FILE_TIMES] = {"times of whole runs", ": pass them with --times",
                        .input = FSD_INPUT_TIMES, .of_build = true},
    [FSD_FILE_SNAPSHOT] = {"a snapshot", ", which `check` and `compare` read",
                           .sniff = fsd_snapshot_sniff},
    [FSD_FILE_TUNING] = {"a tuning cache", ", which `routes` reads",
                         .input = FSD_INPUT_TUNING},
    [FSD_FILE_METADATA] = {"metadata of a build", ": pass it with --log",
                           .input = FSD_INPUT_METADATA, .of_build = true},
};
_Static_assert(FSD_COUNT_OF(kinds) == FSD__FILE_KIND_COUNT, "a row each");

/* A policy is not a file of a build. It is tried last, for files of no other kind. */
static const struct kind policy = {"a policy", ": pass it with --policy",
                                   .sniff = fsd_policy_sniff};

/* Recognizes the kind of a file. Tests the last kind first, because an engine of ONNX
 * Runtime is also a model. */
static enum fsd_file_kind kind_of(const char *path)
{
    struct fsd_file file;
    bool open, is = false;
    unsigned kind;

    FSD_GUARD_OR(FSD_FILE_OTHER);
    kind = FSD__FILE_KIND_COUNT;
    open = open_to_recognize(&file, path);
    while (!is && --kind > FSD_FILE_OTHER)
        is = kinds[kind].sniff
                 ? kinds[kind].sniff(path)
                 : open && fsd_reader_of(&file, kinds[kind].input, FSD_CLAIM_SURE);
    fsd_file_close(&file);
    return (enum fsd_file_kind)kind;
}

enum fsd_file_kind fsd_file_kind(const char *path)
{
    struct fsd_opened *recorded = fsd_opened_record(NULL);
    enum fsd_file_kind kind = strcmp(path, "-") ? kind_of(path) : FSD_FILE_OTHER;

    fsd_opened_record(recorded);
    /* If there is no memory to record the path, the file counts as unknown. */
    return kinds[kind].of_build && !fsd_opened_note_path(path) ? FSD_FILE_OTHER : kind;
}

bool fsd_file_kind_is_of_build(enum fsd_file_kind kind)
{
    return kinds[kind].of_build;
}

const char *fsd_file_kind_noun(enum fsd_file_kind kind)
{
    return kinds[(unsigned)kind < FSD_COUNT_OF(kinds) ? kind : FSD_FILE_OTHER].noun;
}

/* Sets an error such as "expected an ONNX model, found times of layers: pass them with
 * --profile". */
static enum fsd_status blame_kind(const char *path, const char *expected, unsigned kind,
                                  enum fsd_status status, struct fsd_error *err)
{
    const struct kind *is = kind == FSD_FILE_POLICY ? &policy : &kinds[kind];

    return fsd_fail(err, status, path, FSD_POS_NONE, 0, "expected %s, found %s%s",
                    expected, is->noun, is->belongs);
}

enum fsd_status fsd_file_blame(const char *path, unsigned wanted, const char *expected,
                               enum fsd_status status, struct fsd_error *err)
{
    unsigned kind;

    if (status != FSD_E_FORMAT && status != FSD_E_UNSUPPORTED)
        return status;
    kind = fsd_file_kind(path);
    if (kind == FSD_FILE_OTHER && policy.sniff(path))
        kind = FSD_FILE_POLICY;
    return kind == FSD_FILE_OTHER || kind == wanted
               ? status
               : blame_kind(path, expected, kind, status, err);
}

enum fsd_status fsd_inputs_blame(const struct fsd_options *opt, enum fsd_status status,
                                 struct fsd_error *err)
{
    enum fsd_file_kind model, engine;

    if (status != FSD_E_FORMAT && status != FSD_E_UNSUPPORTED)
        return status;
    model = opt->model ? fsd_file_kind(opt->model) : FSD_FILE_OTHER;
    engine = opt->engine ? fsd_file_kind(opt->engine) : FSD_FILE_OTHER;
    /* A model that ONNX Runtime has optimized is also an engine (fsd_file_kind()). */
    if (model == FSD_FILE_ENGINE && fsd_file_is_model(opt->model))
        model = FSD_FILE_MODEL;
    if (engine == FSD_FILE_MODEL && opt->model && model != FSD_FILE_MODEL)
        return fsd_fail(err, status, opt->model, FSD_POS_NONE, 0,
                        "expected MODEL and then ENGINE, found them swapped: %s is the "
                        "model",
                        opt->engine);
    if (engine == FSD_FILE_MODEL)
        return fsd_fail(err, status, opt->engine, FSD_POS_NONE, 0,
                        "expected an engine's layers, found an ONNX model; pass its "
                        "engine as well: MODEL ENGINE");
    if (model != FSD_FILE_OTHER && model != FSD_FILE_MODEL)
        return blame_kind(opt->model, "an ONNX model", model, status, err);
    if (engine == FSD_FILE_SNAPSHOT || engine == FSD_FILE_TIMES ||
        engine == FSD_FILE_TUNING)
        return blame_kind(opt->engine, "an engine's layers", engine, status, err);
    return status;
}

void fsd_inputs_settle(struct fsd_options *opt)
{
    if (!opt->log && opt->engine && is_surely(opt->model, FSD_INPUT_LOG)) {
        opt->log = opt->model;
        opt->model = NULL;
    }
    if (!opt->n_profiles && is_surely(opt->engine, FSD_INPUT_PROFILE)) {
        opt->profiles = &opt->engine;
        opt->n_profiles = 1;
    }
}

bool fsd_inputs_by_profile(const struct fsd_options *opt)
{
    return !opt->n_profiles && is_surely(opt->engine, FSD_INPUT_PROFILE);
}

enum fsd_status fsd_inputs_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                struct fsd_error *err)
{
    struct inputs in = {.d = d, .opt = opt};
    enum fsd_status status = fsd_expect_options(opt, err);

    new_graphs(d);
    if (status != FSD_OK)
        return status;
    if (!opt->engine) {
        fsd_graph_finish(d->engine);
        d->engine->path = "";
        fsd_announce(opt, "reading the model");
        return load_onnx(d, opt->model, err);
    }
    if (opt->log)
        status = fsd_file_open_decompressed(&in.engine, opt->engine, ENGINE_LIMIT, err);
    else if ((in.read = fsd_engines_of(d->engines, opt)))
        in.engine = in.read->file;
    else
        status = fsd_file_open_coming(&in.engine, opt->engine, ENGINE_LIMIT, err);
    in.engine.unhashed = opt->unhashed && !opt->n_parts;
    FSD_THEN(status, load_log(&in, err));
    FSD_THEN(status, load_model(&in, err));
    FSD_THEN(status, load_engine(&in, err));
    if (status == FSD_OK && in.story) {
        compare_log(&in);
        read_named_layers(&in);
        take_places(&in);
    }
    if (status == FSD_OK)
        take_built(&in);
    if (in.read)
        return fsd_file_there(&in.engine, status, err);
    status = fsd_file_done(&in.engine, status, err);
    return opt->log ? fsd_file_done(&in.log, status, err) : status;
}

enum fsd_status fsd_inputs_load_part(struct fsd_inputs *d,
                                     const struct fsd_options *opt, const char *path,
                                     struct fsd_graph **out, struct fsd_error *err)
{
    struct fsd_options own = *opt;
    struct fsd_inputs part = {
        .arena = d->arena, .names = d->names, .model = d->model, .vocab = d->vocab};
    struct inputs in = {.d = &part, .opt = &own};
    enum fsd_status status;

    own.engine = path;
    part.engine = fsd_graph_new(d->arena, d->names);
    status = fsd_file_open_coming(&in.engine, path, ENGINE_LIMIT, err);
    FSD_THEN(status, load_log(&in, err));
    FSD_THEN(status, load_engine(&in, err));
    if (status == FSD_OK && in.story)
        take_places(&in);
    if (status == FSD_OK)
        take_built(&in);
    *out = part.engine;
    return fsd_file_done(&in.engine, status, err);
}

enum fsd_status fsd_inputs_load_side(struct fsd_inputs *d,
                                     const struct fsd_options *opt, bool model,
                                     struct fsd_error *err)
{
    struct inputs in = {.d = d, .opt = opt};
    enum fsd_status status = fsd_expect_options(opt, err);

    new_graphs(d);
    if (status != FSD_OK)
        return status;
    if (opt->model)
        status = load_onnx(d, opt->model, err);
    else
        fsd_graph_finish(d->model);
    if (status != FSD_OK || model)
        return status;
    status = fsd_file_open_decompressed(&in.engine, opt->engine, ENGINE_LIMIT, err);
    FSD_THEN(status, load_engine(&in, err));
    return fsd_file_done(&in.engine, status, err);
}

enum fsd_status fsd_inputs_load_log(struct fsd_inputs *d, const char *path,
                                    struct fsd_error *err)
{
    struct fsd_options opt = {.log = path};
    struct inputs in = {.d = d, .opt = &opt};
    enum fsd_status status;

    new_graphs(d);
    status = load_log(&in, err);
    if (status == FSD_OK && in.log_reader->read_network)
        in.log_reader->read_network(d->model, d->history, in.story);
    return fsd_file_done(&in.log, status, err);
}
