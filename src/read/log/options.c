/*
 * Reads the version of the builder, the GPU and the options, which cause most
 * differences between two builds of one model.  A dump does not state them, but logs
 * do:
 *
 *     &&&& RUNNING TensorRT.trtexec [TensorRT v8600] # trtexec ...
 *     [I] === Build Options ===
 *     [I] Precision: FP32+FP16
 *     [I] === Inference Options ===
 *     [I] Data transfers: Enabled
 *     [I] Selected Device: NVIDIA GeForce RTX 3090
 *     [I] Compute Capability: 8.6
 *     [V] [TRT] Loaded shared library libnvinfer_builder_resource_sm89.so.10.14.1
 *     [I] Building engine with configuration:          (Polygraphy)
 *         Flags                  | [FP16, TF32]
 *
 * Source: trtexec of TensorRT 8.0 to 10.16, release notes of 11.5, Polygraphy 0.4x,
 * verbose logs of 8.6 to 10.16.  TensorRT for RTX prints neither its device nor its
 * options.
 *
 * The builder also prints decisions of its own, before or after the engine's layers:
 *
 *     [I] [TRT] (Sparsity) Found 39 layer(s) eligible to use sparse tactics: A, B, ...
 *     [I] [TRT] (Sparsity) Chose 2 layer(s) using sparse tactics: A, B
 *     [I] [TRT] (Sparsity) Layers eligible for sparse math: A, B             up to 8.6
 *     [I] [TRT] (Sparsity) TRT inference plan picked sparse implementation for layers:
 *     [I] [TRT] DLA Memory Pool Sizes: Managed SRAM = 1 MiB, Local DRAM = 1024 MiB, ...
 *
 * If trtexec loads an engine (--loadEngine), it prints the same options with their
 * defaults.  These options describe no build and are ignored.
 */
#include "read/log/log.h"

/* The options of trtexec that change the engine.  trtexec also prints options that do
 * not change it, such as those for timing caches, measurements and output files.  They
 * are not in this table.  `unset` is the default of an option.  This value is not
 * stored; if `unset` is NULL, every value is stored. */
static const struct {
    const char *name, *key, *unset;
} options[] = {{"Precision", FSD_BUILT_PRECISION, ""},
               {"Calibration", FSD_BUILT_CALIBRATION, NULL},
               {"Workspace", NULL, ""},
               {"Memory Pools", NULL, ""},
               {"LayerPrecisions", NULL, ""},
               {"Layer Device Types", NULL, ""},
               {"Decomposable Attentions", NULL, ""},
               {"Refit", NULL, "Disabled"},
               {"Strip weights", NULL, "Disabled"},
               {"Version Compatible", NULL, "Disabled"},
               {"TensorRT runtime", NULL, "full"},
               {"Sparsity", NULL, "Disabled"},
               {"Safe mode", NULL, "Disabled"},
               {"Build DLA standalone loadable", NULL, "Disabled"},
               {"Allow GPU fallback for DLA", NULL, "Disabled"},
               {"DirectIO mode", NULL, "Disabled"},
               {"Restricted mode", NULL, "Disabled"},
               {"Tactic sources", NULL, "Using default tactic sources"},
               {"Heuristic", NULL, "Disabled"},
               {"CPU Only Mode", NULL, "Disabled"},
               {"Preview Features", NULL, "Use default preview flags."},
               {"MaxAuxStreams", NULL, "-1"},
               {"BuilderOptimizationLevel", NULL, "-1"},
               {"MaxTactics", NULL, "-1"},
               {"Weight Streaming", NULL, "Disabled"},
               {"Runtime Platform", NULL, "Same As Build"},
               {"Distributive Independence", NULL, "Disabled"},
               {"Input(s)s format", NULL, "fp32:CHW"},
               {"Output(s)s format", NULL, "fp32:CHW"},
               {"DLACore", NULL, ""}};

/* Removes the defaults from a list of memory pools: from "workspace: 1024 MiB, dlaSRAM:
 * default", only the workspace remains. */
static struct fsd_slice without_defaults(struct fsd_slice value)
{
    struct fsd_slice last;

    while (fsd_slice_split_last(&value, ", ", &last))
        if (!fsd_slice_drop(&last, ": default")) {
            value.n = (size_t)(last.s + last.n - value.s);
            break;
        }
    return value;
}

static struct fsd_built_in *keep(struct fsd_history *h, const char *key,
                                 struct fsd_slice value)
{
    struct fsd_built fact = {fsd_intern_str(h->names, key),
                             fsd_intern_add(h->names, value.s, value.n)};

    fsd_vec_push(h->arena, &h->built,
                 ((struct fsd_built_in){.fact = fact, .line = h->lines}));
    return &h->built.at[h->built.n - 1];
}

/* Stores a fact of the attempt.  The line that states the fact may come before or after
 * the engine's layers. */
static void keep_anywhere(const struct fsd_log_options *o, struct fsd_history *h,
                          const char *key, struct fsd_slice value)
{
    struct fsd_built_in *fact = keep(h, key, value);

    fact->anywhere = true;
    fact->build = o->attempt;
}

/* Stores a fact like "2 of 39 eligible layers". */
static void keep_part(const struct fsd_log_options *o, struct fsd_history *h,
                      const char *key, uint64_t n, uint64_t all, const char *what)
{
    char value[80];

    snprintf(value, sizeof value, "%llu of %llu %s", (unsigned long long)n,
             (unsigned long long)all, what);
    keep_anywhere(o, h, key, fsd_slice_of(value));
}

/* Returns the number of names in a list such as "A, B(1, 2), C". */
static uint64_t count_names(struct fsd_slice list)
{
    uint64_t n = 0;
    int depth = 0;

    list = fsd_slice_trim(list);
    fsd_slice_drop(&list, ",");
    for (size_t i = 0; i < list.n; i++) {
        depth += (list.s[i] == '(' || list.s[i] == '[') -
                 (list.s[i] == ')' || list.s[i] == ']');
        n += depth <= 0 && i + 1 < list.n && list.s[i] == ',' && list.s[i + 1] == ' ';
    }
    return n + (list.n > 0);
}

/* Reads the number of layers with enough zero weights for a sparse kernel, and the
 * number of layers for which the builder chose a sparse kernel. */
static bool read_sparsity(struct fsd_log_options *o, struct fsd_history *h,
                          struct fsd_slice text)
{
    uint64_t n;

    if (!fsd_slice_take(&text, "(Sparsity) "))
        return false;
    if (fsd_slice_take(&text, "Layers eligible for sparse math:")) {
        o->sparse = count_names(text);
    } else if (fsd_slice_take(&text, "Found ")) {
        fsd_slice_take_number(&text, UINT32_MAX, &o->sparse);
    } else {
        if (fsd_slice_take(&text, "TRT inference plan picked sparse implementation for "
                                  "layers:"))
            n = count_names(text);
        else if (!fsd_slice_take(&text, "Chose ") ||
                 !fsd_slice_take_number(&text, UINT32_MAX, &n))
            return true;
        keep_part(o, h, "Sparse kernels", n, o->sparse, "eligible layers");
    }
    return true;
}

/* Reads a line with the sizes of the DLA's memory pools, or with the memory that the
 * engine uses in each pool. */
static void read_dla_memory(const struct fsd_log_options *o, struct fsd_history *h,
                            struct fsd_slice text)
{
    const char *at = fsd_slice_find(text, "Managed SRAM");
    struct fsd_slice head = text, value;

    if (!at)
        return;
    value = fsd_slice_trim(fsd_slice_split(&head, at, 0));
    fsd_slice_drop(&value, ".");
    keep_anywhere(o, h,
                  fsd_slice_find(head, "required") || fsd_slice_find(head, "onsum")
                      ? "DLA memory used"
                      : "DLA memory pools",
                  value);
}

/* Stores how many operators of a PyTorch graph Torch-TensorRT compiles. */
static void keep_coverage(const struct fsd_log_options *o, struct fsd_history *h,
                          uint64_t supported, uint64_t all)
{
    keep_part(o, h, "Supported by TensorRT", supported, all, "operators");
}

/* Reads a line that a dry run of Torch-TensorRT prints: "The graph consists of 12 Total
 * Operators, of which 10 operators are supported, 83.33% coverage". */
static void read_coverage(const struct fsd_log_options *o, struct fsd_history *h,
                          struct fsd_slice text)
{
    uint64_t all, supported;

    if (fsd_slice_take(&text, "The graph consists of ") &&
        fsd_slice_take_number(&text, UINT32_MAX, &all) &&
        fsd_slice_take(&text, " Total Operators, of which ") &&
        fsd_slice_take_number(&text, UINT32_MAX, &supported))
        keep_coverage(o, h, supported, all);
}

/* Reads the share of compiled operators, and the number of engines, from the debug log
 * of Torch-TensorRT.  The forms of the lines come from the public code of
 * Torch-TensorRT 2.2 to 2.14; no such log was available:
 *
 *     Detected support for 10 operators out of 12 in subgraph.
 *     Number of TensorRT-Accelerated Engines Generated: 1 */
static void read_partition(const struct fsd_log_options *o, struct fsd_history *h,
                           struct fsd_slice text)
{
    uint64_t all, supported;

    if (fsd_slice_take(&text, "Number of TensorRT-Accelerated Engines Generated: "))
        keep_anywhere(o, h, "Engines of TensorRT", fsd_slice_trim(text));
    else if (fsd_slice_take(&text, "Detected support for ") &&
             fsd_slice_take_number(&text, UINT32_MAX, &supported) &&
             fsd_slice_take(&text, " operators out of ") &&
             fsd_slice_take_number(&text, UINT32_MAX, &all))
        keep_coverage(o, h, supported, all);
}

/* Reads a line about a decision of the builder.  The first letter excludes most other
 * lines. */
static bool read_decided(struct fsd_log_options *o, struct fsd_history *h,
                         struct fsd_slice text)
{
    switch (text.n ? *text.s : 0) {
    case '(':
        return read_sparsity(o, h, text);
    case 'N':
        read_partition(o, h, text);
        return false;
    case 'D':
    case '[':
        read_partition(o, h, text);
        if (!fsd_slice_begins(text, "DLA ") && !fsd_slice_begins(text, "[DLA "))
            return false;
        read_dla_memory(o, h, text);
        return false; /* other lines that begin with "DLA " are about a layer */
    default:
        return false;
    }
}

static void read_option(struct fsd_log_options *o, struct fsd_history *h,
                        struct fsd_slice text)
{
    struct fsd_slice value;

    if (!fsd_slice_split_at(&text, ":", &value))
        return;
    value = without_defaults(fsd_slice_trim(value));
    if (fsd_slice_is(text, "Load engine") && value.n) {
        h->built.n = o->section;
        o->loads = true;
    }
    if (o->loads)
        return;
    for (size_t i = 0; i < FSD_COUNT_OF(options); i++)
        if (fsd_slice_is(text, options[i].name)) {
            if (!options[i].unset && !value.n)
                value = fsd_slice_of("none");
            if (value.n &&
                (!options[i].unset || !fsd_slice_is(value, options[i].unset)))
                keep(h, options[i].key ? options[i].key : options[i].name, value);
            return;
        }
}

/* Reads the name of a library of kernels,
 * "libnvinfer_builder_resource_sm89.so.10.14.1", which shows the GPU that the builder
 * has kernels for. */
static void read_library(struct fsd_history *h, struct fsd_slice text)
{
    struct fsd_slice version;
    char name[48];

    if (!fsd_slice_split_at(&text, ".so.", &version) || version.n > 32)
        return;
    if (fsd_slice_take(&text, "_") && text.n)
        keep(h, FSD_BUILT_KERNELS, text);
    snprintf(name, sizeof name, "TensorRT %.*s", (int)version.n, version.s);
    keep(h, FSD_BUILT_LIBRARY, fsd_slice_of(name));
}

/* Reads the route from a command line: "... --setBuildRoute=-a=on -b=2 --saveEngine=x".
 * trtexec prints no quotation marks around the route.  Each option of a route begins
 * with a single '-'.  A blank that is not followed by a single '-' ends the route. */
static void read_route(struct fsd_history *h, struct fsd_slice command)
{
    static const char option[] = " --setBuildRoute=";
    const char *at = fsd_slice_find(command, option);
    struct fsd_slice route;
    size_t n = 0;

    if (!at)
        return;
    route = fsd_slice_from(command, (size_t)(at - command.s) + sizeof option - 1);
    while (n < route.n &&
           (route.s[n] != ' ' ||
            (n + 2 < route.n && route.s[n + 1] == '-' && route.s[n + 2] != '-')))
        n++;
    if (n)
        keep(h, FSD_BUILT_ROUTE, (struct fsd_slice){route.s, n});
}

/* Reads from trtexec's command line those options that change the engine but are in no
 * known log's list of options.  Source: the documentation of trtexec 11.5. */
static void read_flags(struct fsd_history *h, struct fsd_slice command)
{
    static const struct {
        const char *flag, *name;
    } flags[] = {{"--independentWeightLayouts", "Independent weight layouts"}};
    struct fsd_slice word;

    while (fsd_slice_split_last(&command, " ", &word))
        for (size_t i = 0; i < FSD_COUNT_OF(flags); i++)
            if (fsd_slice_is(word, flags[i].flag))
                keep(h, flags[i].name, fsd_slice_of("Enabled"));
}

/* Stores properties of the device. */
static void read_detail(struct fsd_history *h, struct fsd_slice text)
{
    static const char *const details[] = {
        "SMs",
        "Compute Clock Rate",
        "Memory Clock Rate",
        "Application Compute Clock Rate",
        "Application Memory Clock Rate",
    };
    struct fsd_slice value;

    if (!fsd_slice_split_at(&text, ": ", &value))
        return;
    for (size_t i = 0; i < FSD_COUNT_OF(details); i++)
        if (fsd_slice_is(text, details[i]))
            keep(h, details[i], fsd_slice_trim(value));
}

/* Reads a line about how trtexec measures: "Data transfers", "Spin-wait" or "CUDA
 * Graph".  Ignores other lines.  "CUDA Graph" is the last of the three lines, so the
 * values of all three are stored when it is read. */
static void read_measured(struct fsd_log_options *o, struct fsd_history *h,
                          struct fsd_slice text)
{
    static const char *const words[] = {"without", "with"};
    struct fsd_slice value;
    char how[80];
    bool on;

    if (!fsd_slice_split_at(&text, ":", &value))
        return;
    on = fsd_slice_is(fsd_slice_trim(value), "Enabled");
    if (fsd_slice_is(text, "Data transfers")) {
        o->transfers = on;
    } else if (fsd_slice_is(text, "Spin-wait")) {
        o->spins = on;
    } else if (fsd_slice_is(text, "CUDA Graph")) {
        snprintf(how, sizeof how, FSD_MEASURED_HOW, words[o->transfers],
                 words[o->spins], words[on]);
        keep(h, FSD_BUILT_MEASURED, fsd_slice_of(how));
    }
}

/* Reads a title in trtexec's output.  The title ends a section of options and begins
 * the next section. */
static bool read_title(struct fsd_log_options *o, const struct fsd_history *h,
                       struct fsd_slice text)
{
    if (!fsd_slice_take(&text, "=== "))
        return false;
    o->section = h->built.n;
    if (fsd_slice_begins(text, "Build Options"))
        o->loads = o->command_loads;
    o->measures = fsd_slice_begins(text, "Inference Options");
    o->build = fsd_slice_begins(text, "Build Options") ||
               fsd_slice_begins(text, "System Options");
    return true;
}

void fsd_log_option_read(struct fsd_log_options *o, struct fsd_history *h,
                         const struct fsd_log_line *line)
{
    struct fsd_slice text = line->text, value;
    char version[32];

    if (read_decided(o, h, text))
        return;
    if (line->trt) {
        if (fsd_slice_take(&text, "Loaded shared library libnvinfer_builder_resource"))
            read_library(h, fsd_slice_trim(text));
        return;
    }
    if (fsd_slice_begins(text, "&&&& RUNNING ")) {
        o->command_loads = fsd_slice_find(text, " --loadEngine") != NULL;
        if (fsd_log_version(text, version))
            keep(h, FSD_BUILT_VERSION, fsd_slice_of(version))->first = true;
        read_route(h, text);
        if (!o->command_loads)
            read_flags(h, text);
    } else if (!line->prefixed) {
        text = fsd_slice_trim(text);
        read_coverage(o, h, text);
        o->polygraphy &= fsd_slice_split_at(&text, "|", &value);
        if (o->polygraphy && fsd_slice_is(fsd_slice_trim(text), "Flags"))
            keep(h, FSD_BUILT_FLAGS, fsd_slice_trim(value));
    } else if (!read_title(o, h, text)) {
        o->polygraphy = fsd_slice_begins(text, "Building engine with configuration:");
        if (o->build)
            read_option(o, h, text);
        else if (o->measures)
            read_measured(o, h, text);
        else if (fsd_slice_take(&text, "Selected Device: "))
            keep(h, FSD_BUILT_GPU, fsd_slice_trim(text));
        else if (fsd_slice_take(&text, "Compute Capability: "))
            keep(h, FSD_BUILT_CAPABILITY, fsd_slice_trim(text));
        else if (o->details)
            read_detail(h, text);
    }
}

/* Returns the number of the line at which the engine's first list begins.  Facts before
 * this line belong to the engine. */
static uint64_t first_line(const struct fsd_log_engine *engine)
{
    uint64_t first = UINT64_MAX;

    for (int form = 0; form < FSD__LOG_FORM_COUNT; form++)
        if (engine->lists[form].number && engine->lists[form].number < first)
            first = engine->lists[form].number;
    return first;
}

/* Returns the number of the engine to which `attempt` led; FSD_NONE if it led to none.
 * If the log has no engine at all, returns 0. */
static uint32_t engine_of(const fsd_log_engines *engines, uint32_t attempt)
{
    uint32_t low = 0, high = engines->n; /* the engines are sorted by attempt */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (engines->at[middle].attempt < attempt)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < engines->n && engines->at[low].attempt == attempt)
        return low;
    return engines->n ? FSD_NONE : 0;
}

void fsd_log_options_end(struct fsd_history *h, const fsd_log_engines *engines)
{
    uint32_t voided = FSD_NONE; /* The loop goes backwards.  After it passes the first
                                   line of a program's output, `voided` is the engine
                                   that the log lists next after this line; engines->n:
                                   none.  Facts on earlier lines are from another
                                   program, so they are not about this engine.
                                   FSD_NONE: no such line was passed yet */

    for (uint32_t i = h->built.n, e = engines->n; i-- > 0;) {
        struct fsd_built_in *fact = &h->built.at[i];

        if (fact->anywhere) {
            fact->build = engine_of(engines, fact->build);
            continue;
        }
        while (e > 0 && fact->line < first_line(&engines->at[e - 1]))
            e--;
        fact->build = e == voided                     ? FSD_NONE
                      : engines->n && e == engines->n ? FSD_NONE
                                                      : e;
        if (fact->first)
            voided = e;
    }
}
