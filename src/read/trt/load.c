/*
 * TensorRT's row in the table of readers: the files that it recognizes, and the
 * function that reads each of them.  An engine may be JSON, or lines in a log or in the
 * inspector's text.  A text that contains an engine counts as a log, regardless of its
 * beginning.
 */
#include "base/base.h"
#include "base/file_type.h"
#include "read/engine/reader.h"
#include "read/log/log.h"
#include "read/trt/build.h"
#include "read/trt/trt.h"

/* The limit on the size of a JSON dump, in bytes; the largest dumps known have about 50
 * MB.  Text has no such limit, because it is read line by line. */
static const uint64_t dump_size_max = (uint64_t)1 << 28;
enum { HASH_STEP = 1 << 22, VERSION_WITHIN = 1 << 16 };

/* ----------------------------------------------------------------- what a file is */

enum form {
    FORM_NONE,
    FORM_PLAN,
    FORM_JSON,
    FORM_POLYGRAPHY,
    FORM_LOG,
    FORM_INSPECTOR,
    FORM_TEXT
};

/* Whether the file is a serialized engine.  Ultralytics writes a length and a JSON text
 * before the engine. */
static bool is_plan(const struct fsd_file *file)
{
    const unsigned char *s = file->bytes;
    size_t len;

    if (fsd_file_type_of(file) == FSD_FILETYPE_PLAN)
        return true;
    if (file->size < 5 || s[4] != '{')
        return false;
    len = (size_t)s[0] | (size_t)s[1] << 8 | (size_t)s[2] << 16 | (size_t)s[3] << 24;
    return fsd_file_has_at(file, 4 + len, "ftrt", 4);
}

/* Finds the form of a text by words.  It searches far into the text, because a log may
 * begin with a page of trtexec's options.  If a word in `words` begins with a newline,
 * it must stand at the beginning of a line, which may be the first line. */
static enum form form_of_text(const struct fsd_file *file)
{
    enum { SEARCHED = 1 << 16 };
    static const struct {
        const char *word;
        enum form form;
    } words[] = {{" Engine Input(s) ----", FORM_POLYGRAPHY},
                 {"[TRT]", FORM_LOG},
                 {"[TensorRT]", FORM_LOG},
                 {"&&&& RUNNING", FORM_LOG},
                 {"\nLayer(", FORM_LOG},
                 {"\n[V] ", FORM_LOG},
                 {"\n[I] ", FORM_LOG},
                 {"Parsing node: ", FORM_LOG},
                 {" Dry-Run Results for Graph ", FORM_LOG},
                 {"IBuilder::build", FORM_LOG},
                 {"\n--- Layer ", FORM_INSPECTOR},
                 {", LayerType: ", FORM_INSPECTOR},
                 {"\nLayers:", FORM_INSPECTOR},
                 {"Engine Layer Information:", FORM_LOG},
                 {", Tactic: 0x", FORM_LOG}}; /* a part of a list */

    for (size_t i = 0; i < FSD_COUNT_OF(words); i++) {
        const char *word = words[i].word;

        if (fsd_file_has_word(file, SEARCHED, word) ||
            (*word == '\n' && fsd_file_has_at(file, fsd_file_text_start(file), word + 1,
                                              strlen(word) - 1)))
            return words[i].form;
    }
    return FORM_TEXT;
}

static enum form form_of(const struct fsd_file *file)
{
    enum fsd_file_type look = fsd_file_type_of(file);
    enum form form;

    if (is_plan(file))
        return FORM_PLAN;
    if (look == FSD_FILETYPE_JSON)
        return FORM_JSON;
    if (look == FSD_FILETYPE_BINARY)
        return FORM_TEXT;
    if (look != FSD_FILETYPE_LIST && look != FSD_FILETYPE_TEXT)
        return FORM_NONE;
    form = form_of_text(file);
    return form == FORM_TEXT && look == FSD_FILETYPE_LIST ? FORM_JSON : form;
}

/* Whether a JSON file lists layers, as objects or as names.  Other JSON files may come
 * from any program. */
static bool mentions_layers(const struct fsd_file *file)
{
    enum { SEARCHED = 4096 };

    return fsd_file_has_word(file, SEARCHED, "\"Layers\"") ||
           fsd_file_has_word(file, SEARCHED, "\"LayerType\"");
}

static enum fsd_claim sniff(const struct fsd_file *file, enum fsd_input input)
{
    enum form form = form_of(file);
    bool json = form == FORM_JSON;

    switch (input) {
    case FSD_INPUT_ENGINE: /* a plan is accepted here so that load() can refuse it
                              with advice */
        if (form == FORM_NONE)
            return FSD_CLAIM_NONE;
        return form == FORM_TEXT || form == FORM_PLAN ||
                       (json && !mentions_layers(file))
                   ? FSD_CLAIM_MAYBE
                   : FSD_CLAIM_SURE;
    case FSD_INPUT_LOG: /* a log may begin with any text, so FORM_TEXT is accepted,
                           too */
        if (json)
            return fsd_trex_is(file) ? FSD_CLAIM_MAYBE : FSD_CLAIM_NONE;
        return form == FORM_LOG                              ? FSD_CLAIM_SURE
               : form == FORM_INSPECTOR || form == FORM_TEXT ? FSD_CLAIM_MAYBE
                                                             : FSD_CLAIM_NONE;
    case FSD_INPUT_METADATA:
        return json && fsd_trex_is(file) ? FSD_CLAIM_SURE : FSD_CLAIM_NONE;
    case FSD_INPUT_PROFILE:
    case FSD_INPUT_TIMES:
    case FSD_INPUT_TUNING:
        break;
    }
    return json && fsd_times_kind(file) == input ? FSD_CLAIM_SURE : FSD_CLAIM_MAYBE;
}

/* ------------------------------------------------------------------------ engines */

static enum fsd_status refuse_plan(const struct fsd_file *file, struct fsd_error *err)
{
    bool plain = file->name && strcmp(file->name, "-") != 0 && strlen(file->name) < 120;
    const char *name = plain ? file->name : "FILE";

    return fsd_fail(
        err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
        "expected a dump of an engine's layers, found the serialized "
        "engine; run: trtexec --loadEngine=%s --profilingVerbosity=detailed "
        "--exportLayerInfo=%s.json (if the engine was built without "
        "--profilingVerbosity=detailed, the dump states only layer names)",
        name, name);
}

/* Refuses a file of times if fewer than half of its names look like names of layers.
 * Many other programs write traces and lists of numbers. */
static enum fsd_status check_names(const struct fsd_profile *profile,
                                   const struct fsd_intern *names,
                                   const struct fsd_file *file, struct fsd_error *err)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < profile->entries.n; i++)
        n += fsd_trt_looks_layer(fsd_text(names, profile->entries.at[i].unescaped));
    return 2 * n >= profile->entries.n && !fsd_trt_is_pytorch(file)
               ? FSD_OK
               : fsd_trt_refuse_names(file, err);
}

/* Gives the caller the layer times that the engine's file contains. */
static void give_profiles(const struct fsd_source *source,
                          const fsd_profile_vec *profiles)
{
    if (source->profiles)
        *source->profiles = *profiles;
}

/* Builds an engine from a profile.  The engine has only the names and the times of
 * layers. */
static void build_profiled(struct fsd_build *b, const struct fsd_source *source,
                           const fsd_profile_vec *profiles)
{
    const struct fsd_profile *profile = &profiles->at[0];

    for (uint32_t i = 0; i < profile->entries.n; i++) {
        fsd_build_layer(b, profile->entries.at[i].unescaped, 0);
        fsd_build_layer_end(b);
    }
    give_profiles(source, profiles);
    b->g->kind = "trt-profile";
    b->g->only_timed = true;
}

static enum fsd_status read_profiled(struct fsd_build *b,
                                     const struct fsd_source *source,
                                     struct fsd_error *err)
{
    const struct fsd_file *file = source->file;
    fsd_profile_vec profiles = {0};
    struct fsd_graph *g = b->g;
    enum fsd_status status = fsd_profile_read(g->arena, g->names, file, &profiles, err);

    FSD_THEN(status, fsd_json_layers_fit(file, profiles.at[0].entries.n, err));
    if (status == FSD_OK && fsd_trace_is(file))
        status = check_names(&profiles.at[0], g->names, file, err);
    if (status == FSD_OK)
        build_profiled(b, source, &profiles);
    return status;
}

static enum fsd_status read_tables(struct fsd_arena *arena, struct fsd_intern *names,
                                   const struct fsd_file *file, fsd_profile_vec *out,
                                   struct fsd_error *err)
{
    uint32_t first = out->n;
    enum fsd_status status = fsd_log_profile_read(arena, names, file, out, err);

    return status == FSD_OK && out->n == first
               ? fsd_log_printed_read(arena, names, file, out, err)
               : status;
}

/* Reads the layer times in a console log that has no list of layers.  Many programs
 * print lines that end with a time, so the function checks the names. */
static enum fsd_status read_table(struct fsd_build *b, const struct fsd_source *source,
                                  struct fsd_error *err)
{
    fsd_profile_vec profiles = {0};
    struct fsd_graph *g = b->g;
    enum fsd_status status =
        read_tables(g->arena, g->names, source->file, &profiles, err);

    if (status != FSD_OK)
        return status;
    if (!profiles.n)
        return FSD_E_FORMAT;
    if (profiles.at[0].printed)
        status = check_names(&profiles.at[0], g->names, source->file, err);
    if (status == FSD_OK)
        build_profiled(b, source, &profiles);
    return status;
}

static bool is_list(const struct fsd_file *file)
{
    return fsd_file_has_at(file, fsd_file_text_start(file), "[", 1);
}

/* Refuses a list without the key "Layers" if most of its names do not look like names
 * of layers, because another program may have written it. */
static enum fsd_status check_list(const struct fsd_graph *g,
                                  const struct fsd_file *file, struct fsd_error *err)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        n += fsd_trt_looks_layer(fsd_text(g->names, g->nodes.at[i].name));
    return 2 * n >= g->nodes.n ? FSD_OK : fsd_trt_refuse_names(file, err);
}

static enum fsd_status read_json(struct fsd_build *b, const struct fsd_source *source,
                                 struct fsd_error *err)
{
    const struct fsd_file *file = source->file;
    enum fsd_status status;

    if (file->size > dump_size_max)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected a dump of at most %llu bytes, found %llu",
                        (unsigned long long)dump_size_max,
                        (unsigned long long)file->size);
    if (fsd_times_kind(file) == FSD_INPUT_PROFILE)
        return read_profiled(b, source, err);
    status = fsd_json_read(b, file, err);
    if (status == FSD_OK && !b->g->detailed && b->g->nodes.n && is_list(file))
        status = check_list(b->g, file, err);
    b->g->kind = b->g->detailed ? "trt-json" : "trt-names";
    return status;
}

/* Reads layers that stand between other lines of a text.  If there are no such
 * layers, returns FSD_E_FORMAT and leaves the earlier error in `err`. */
static enum fsd_status read_scattered_layers(struct fsd_build *b,
                                             const struct fsd_file *file,
                                             struct fsd_error *err)
{
    uint32_t n = 0;
    enum fsd_status status = fsd_json_objects(b, file, &n, err);

    b->g->kind = "trt-json";
    return status == FSD_OK && !n ? FSD_E_FORMAT : status;
}

/* Whether a build in the log failed.  If so, read_table() is not called: the error of
 * the failed build is more informative than layer times of an earlier build. */
static bool has_failed(const struct fsd_source *source)
{
    return source->history && source->history->scan &&
           source->history->scan->failures.n > 0;
}

/* Takes the layer times from a log of one engine.  In a log of several engines, it is
 * unknown to which engine they belong. */
static enum fsd_status take_tables(const struct fsd_source *source,
                                   struct fsd_error *err)
{
    const struct fsd_history *h = source->history;

    if (h->scan->engines.n != 1)
        return FSD_OK;
    if (h->scan->overfull)
        return fsd_log_fail_times(source->file, h->scan->overfull, err);
    give_profiles(source, &h->profiles);
    return FSD_OK;
}

static enum fsd_status read_text(struct fsd_build *b, const struct fsd_source *source,
                                 struct fsd_error *err)
{
    const struct fsd_file *file = source->file;
    enum fsd_status status = fsd_log_engine_read(
        b, file, source->number, source->history ? source->history->scan : NULL, err);
    struct fsd_slice head = {(const char *)file->bytes,
                             file->size < VERSION_WITHIN ? file->size : VERSION_WITHIN};
    char version[32];

    if (status == FSD_E_FORMAT && !b->g->nodes.n &&
        fsd_file_type_of(file) != FSD_FILETYPE_BINARY)
        status = read_scattered_layers(b, file, err);
    if (status == FSD_E_FORMAT && !b->g->nodes.n &&
        fsd_file_has_word(file, VERSION_WITHIN, FSD_TRT_DRY_RUN " #"))
        status = fsd_dryrun_read(b, file, err);
    if (status == FSD_E_FORMAT && !b->g->nodes.n && !has_failed(source))
        status = read_table(b, source, err);
    else if (status == FSD_OK && source->history)
        status = take_tables(source, err);
    /* If source->history is set, api/inputs.c sets the version.  It takes the version
     * of this engine from the history, because a log of several engines may state
     * several versions. */
    if (status == FSD_OK && !source->history && fsd_log_version(head, version))
        b->version = fsd_intern_str(b->g->names, version);
    if (status != FSD_E_FORMAT || form_of(file) != FORM_TEXT)
        return status;
    if (fsd_file_type_of(file) == FSD_FILETYPE_BINARY)
        return fsd_engine_refuse(
            file, err,
            "a binary file; if this file is a serialized engine, pass the "
            "dump that trtexec --loadEngine=... --exportLayerInfo=... writes");
    if (fsd_file_has_word(file, VERSION_WITHIN, ":onnxruntime:"))
        return fsd_engine_refuse(
            file, err,
            "a session log of ONNX Runtime, which lists no layers; "
            "pass the optimized model that the session wrote");
    return fsd_trt_refuse_text(file, err);
}

/* Hashes a file in steps, so that a large log need not be in memory at once. */
static enum fsd_status hash_file(const struct fsd_file *file, uint64_t hash[2],
                                 struct fsd_error *err)
{
    struct fsd_digest digest;

    if (!fsd_digest_begin(&digest, file))
        return fsd_fail_memory(err, file->name);
    while (file->size - digest.at > HASH_STEP) {
        fsd_digest_step(&digest, digest.at + HASH_STEP);
        fsd_file_release(file, digest.at);
    }
    fsd_digest_end(&digest, hash);
    return FSD_OK;
}

/* Fails unless the requested optimization profile has layers. */
static enum fsd_status check_profile(const struct fsd_graph *g,
                                     const struct fsd_source *source,
                                     struct fsd_error *err)
{
    if (!source->profile || (source->profile <= g->profiles && g->nodes.n))
        return FSD_OK;
    if (source->profile > g->profiles)
        return fsd_fail(err, FSD_E_ARG, source->file->name, FSD_POS_NONE, 0,
                        "expected --opt-profile from 0 to %u, found %u",
                        g->profiles - 1, source->profile - 1);
    return fsd_fail(
        err, FSD_E_ARG, source->file->name, FSD_POS_NONE, 0,
        "expected layers of optimization profile %u, found only %u layers of other "
        "profiles",
        source->profile - 1, g->elsewhere.n);
}

static enum fsd_status load(struct fsd_graph *g, const struct fsd_source *source,
                            struct fsd_error *err)
{
    const struct fsd_log_scan *scan = source->history ? source->history->scan : NULL;
    const struct fsd_file *file = source->file;
    enum form form = form_of(file);
    struct fsd_build b;
    enum fsd_status status;

    if (form == FORM_PLAN)
        return refuse_plan(file, err);
    g->profile = (int32_t)source->profile - 1;
    fsd_build_init(&b, g, source->vocab);
    if (form == FORM_JSON)
        status = read_json(&b, source, err);
    else if (form == FORM_POLYGRAPHY)
        status = fsd_inspected_read(&b, file, err);
    else
        status = read_text(&b, source, err);
    FSD_THEN(status, check_profile(g, source, err));
    if (status == FSD_OK && scan && scan->hashed)
        memcpy(g->hash, scan->hash, sizeof g->hash);
    else if (status == FSD_OK && !file->unhashed)
        status = hash_file(file, g->hash, err);
    if (status == FSD_OK)
        fsd_build_finish(&b);
    return status;
}

/* Adds layers to a finished graph.  They have no ports and change no tensor, so the
 * graph stays finished. */
static void add_names(struct fsd_graph *g, const fsd_sym *names, uint32_t n,
                      const struct fsd_vocab *vocab)
{
    struct fsd_build b;

    fsd_build_init(&b, g, vocab);
    for (uint32_t i = 0; i < n; i++) {
        fsd_build_layer(&b, names[i], 0);
        fsd_build_layer_end(&b);
    }
}

/* ---------------------------------------------------------------- logs and times */

static enum fsd_status read_profile(struct fsd_arena *arena, struct fsd_intern *names,
                                    const struct fsd_file *file, fsd_profile_vec *out,
                                    struct fsd_error *err)
{
    enum form form = form_of(file);
    uint32_t first = out->n;
    enum fsd_status status;

    if (form != FORM_LOG && form != FORM_INSPECTOR &&
        !(form == FORM_TEXT && fsd_file_type_of(file) == FSD_FILETYPE_TEXT))
        return fsd_profile_read(arena, names, file, out, err);
    status = read_tables(arena, names, file, out, err);
    if (status != FSD_OK || out->n > first)
        return status;
    return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
                    "expected a profile of layers, found a log that has neither the "
                    "table of trtexec --dumpProfile nor lines with the time of each "
                    "layer");
}

static void read_log(struct fsd_history *h, const struct fsd_file *file)
{
    if (form_of(file) == FORM_JSON)
        fsd_trex_read(h, file);
    else
        fsd_log_read(h, file);
}

static const char *const reads[] = {
    "JSON layer dumps (TensorRT 8.2 to 11, TensorRT for RTX, Torch-TensorRT)",
    "verbose build logs (TensorRT 8.0 to 10.16, TensorRT for RTX)",
    "the inspector's text, and console logs of trtexec --dumpLayerInfo",
    "the output of polygraphy inspect model --show layers",
    "profiles: JSON and tables (trtexec, TensorRT's samples), traces (Torch-TensorRT)",
    "times of whole runs: trtexec --exportTimes",
    "metadata.json of trt-engine-explorer, which can replace a log",
    "the output of a dry run of Torch-TensorRT",
    "tuning caches: trtexec --tuningCacheFile (TensorRT 11.1 and later)",
    NULL};

static const char *const phrases[] = {"Reformatting CopyNode for Input Tensor ",
                                      "Reformatting CopyNode for Output Tensor ",
                                      "Reformatting CopyNode for Network Input ",
                                      "Reformatting CopyNode for Network Output ",
                                      "Reformatted Input Tensor ",
                                      "Reformatted Output Tensor ",
                                      "Reformatted Network Input ",
                                      "Reformatted Network Output ",
                                      " input reformatter ",
                                      " output reformatter ",
                                      "(Unnamed Layer* ",
                                      "fusedPointwiseNode(",
                                      "{ForeignNode[",
                                      "[ShapeHostToDeviceCopy ",
                                      "Forced Cast ITensor ",
                                      "[profile ",
                                      "[ONNX Layer: ",
                                      "ONNXTRT_",
                                      "reshape_before_",
                                      "reshape_after_",
                                      "_copy_input",
                                      "_copy_output",
                                      "_clone_",
                                      "_output",
                                      "_myl",
                                      " copy",
                                      " to ",
                                      "PWN(",
                                      NULL};

const struct fsd_engine_reader fsd_reader_trt = {
    .name = "TensorRT",
    .reads = reads,
    .sniff = sniff,
    .load = load,
    .add_names = add_names,
    .read_log = read_log,
    .read_network = fsd_log_network,
    .read_profile = read_profile,
    .read_times = fsd_times_read,
    .read_tuning = fsd_tuning_read,
    .phrases = phrases,
    .words = fsd_trt_words,
    .accepts_format = fsd_trt_accepts_format,
    .glossary = fsd_trt_glossary,
};
