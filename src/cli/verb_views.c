/*
 * The verbs that answer one question about a pair. Each verb prints the view that has
 * the verb's name. A new verb needs a row in `view_verbs`, and an array of its own
 * options if it has any. If `arguments` of a row end in "...", as in "ENGINE NODE...",
 * the user must give at least one NODE. If they end in "...]", as in "ENGINE
 * [NODE...]", NODE is optional.
 */
#include "cli/cli.h"

/* ------------------------------------------------------------------- options */

static void add_word(struct command_line *line, const char *word)
{
    if (line->query.n_words == MOST_WORDS)
        usage_error("at most %d names", MOST_WORDS);
    line->words[line->query.n_words++] = word;
}

static void take_word(struct command_line *line, char *arg)
{
    bool words = strchr(line->verb->arguments, '.');

    if (!words)
        take_one_pair(line, arg);
    else if (line->query.n_words || !take_input(line, arg))
        add_word(line, arg);
}

static void ask_of(struct command_line *line, bool layers, const char *word)
{
    struct fsd_query *q = &line->query;

    if (q->n_words && q->layers != layers)
        usage_error("expected --node or --layer, found both");
    q->layers = layers;
    add_word(line, word);
}

static void take_node(struct command_line *line, char *arg)
{
    ask_of(line, false, arg);
}

static void take_layer(struct command_line *line, char *arg)
{
    ask_of(line, true, arg);
}

/* Rows for verbs that rank: -n N, --number N and --top N are the same option. */
#define MOST NUMBER(query.top, 1, UINT32_MAX, "a number from 1")
#define ROWS_MOST(doc)                                                                 \
    {"number", "N", doc, MOST, .letter = 'n'},                                         \
    {                                                                                  \
        "top", NULL, NULL, MOST, .alias = true                                         \
    }

static const struct option_row reformats_options[] = {
    ROWS_MOST("List only the N most expensive layers (default: all)"),
    {"min-ms", "MS", "Omit layers that take less than MS milliseconds per inference",
     AMOUNT(query.min_ms, 0, 1e9, "a number from 0 to 1e+09")},
    {"min-share", "PERCENT",
     "Omit layers that take less than PERCENT percent of the total time",
     AMOUNT(query.min_share, 0, 100, "a number from 0 to 100")},
    {0},
};

static const struct option_row top_options[] = {
    ROWS_MOST("List only the N slowest rows (default: 10; --all: all rows)"),
    {"by", "WHAT",
     "Rank layers (the default), nodes, scopes, patterns, types or tactics",
     WORD(query.by), .words = "layers nodes scopes patterns types tactics"},
    {"rank-by", "COLUMN",
     "Rank by a column of --values, not by time; if --values compares tensors, the "
     "columns are l2_rel, max_abs, max_rel, l2, cosine, nan and inf",
     WORD(query.rank_by)},
    {0},
};

static const struct option_row memory_options[] = {
    ROWS_MOST(
        "List only the N largest layers and tensors (default: 10; --all: all of them)"),
    {0},
};

static const struct option_row buildtime_options[] = {
    ROWS_MOST("List only the N slowest layers (default: 10; --all: all layers)"),
    {0},
};

static const struct option_row names_options[] = {
    {"not", "TYPE", "List nodes that do not run in TYPE, e.g. int8",
     WORD(query.not_type), .words = "fp32 tf32 fp16 bf16 fp8 int8 int4 fp4"},
    {"finding", "RULE",
     "List the nodes with findings of RULE, e.g. precision/fp16-range, and for each "
     "node the type that RULE requires",
     WORD(query.finding)},
    {"realised", NULL,
     "With --as autocast or modelopt: write all options that make that tool choose the "
     "same precisions as the engine",
     FLAG(query.realised)},
    {"as", "FORM",
     "Output form: layerPrecisions, layerOutputTypes, polygraphy, nodes_to_exclude "
     "(ONNX Runtime), modelopt, autocast, nncf, list, or table (the default with "
     "--not)",
     WORD(query.as),
     .words = "layerPrecisions layerOutputTypes polygraphy nodes_to_exclude modelopt "
              "autocast nncf list table"},
    {"check", "LIST",
     "List the names in the file LIST that match no node or layer; TensorRT silently "
     "ignores such names.  Exit with 1 if there are any",
     INPUT(query.check)},
    {0},
};

static const struct option_row scopes_options[] = {
    {"depth", "N", "Number of leading name parts that form a scope",
     NUMBER(query.depth, 1, UINT32_MAX, "a number from 1")},
    {0},
};

static const struct option_row explain_options[] = {
    {"node", "NODE",
     "The node to explain: a name, #12, layer:12 or a pattern; with two --node "
     "options, the report also states why the two nodes are fused or not fused",
     TAKEN_BY(take_node)},
    {"layer", "LAYER", "The layer to explain: a name, 12, node:12 or a pattern",
     TAKEN_BY(take_layer)},
    {"list", NULL, "List all rules, one line each", FLAG(explain.rules)},
    {"words", NULL,
     "List the words that fusiondiff explains: layer types, and parts of layer and "
     "kernel names",
     FLAG(explain.vocabulary)},
    {0},
};

static void check_line(struct command_line *line)
{
    const char *arguments = line->verb->arguments;
    size_t n = strlen(arguments);

    line->query.min_share /= 100;
    need_pair(line);
    if (n > 3 && !strcmp(arguments + n - 3, "...") && !line->query.n_words)
        usage_error("expected %s", arguments);
}

static bool explains_words(const struct explain_options *of)
{
    return of->word || of->rules || of->vocabulary;
}

/* A single argument is a word to explain without a build. */
static void check_explain(struct command_line *line)
{
    if (!line->query.n_words && line->run.model && !line->run.engine) {
        line->explain.word = line->run.model;
        line->run.model = NULL;
    }
    if (explains_words(&line->explain))
        return;
    check_line(line);
    if (!line->query.n_words && !is_failed_build(line))
        usage_error("expected --node, --layer, the log of a failed build, or a RULE "
                    "or WORD as the only argument");
}

/* ------------------------------------------------------------------- running */

struct job {
    const struct fsd_diff *diff;
    const struct command_line *line;
    uint32_t *left_out; /* out: number of names that cannot be written in the list's
                           form (--as), and are left out */
    uint32_t *unmatched;
};

static enum fsd_status print_view(const void *payload, const struct sink *to)
{
    const struct job *job = payload;
    struct fsd_query query = job->line->query;

    query.unmatched = job->unmatched;
    query.left_out = strcmp(to->format, "text") ? NULL : job->left_out;
    return fsd_diff_view(job->diff, job->line->verb->name, &query, to->format,
                         to->style, to->out, to->err);
}

static enum fsd_status print_words(const void *payload, const struct sink *to)
{
    const struct explain_options *of = payload;

    return of->word ? fsd_explain(of->word, to->format, to->style, to->out, to->err)
                    : fsd_explain_all(of->vocabulary ? FSD_WORDS_OF_ENGINES
                                                     : FSD_WORDS_OF_RULES,
                                      to->format, to->style, to->out, to->err);
}

void note_left_out(struct command_line *line, uint32_t n)
{
    char note[80];

    if (!n)
        return;
    snprintf(note, sizeof note,
             "%u names are omitted, because this form cannot express them",
             (unsigned)n);
    print_note(NULL, note);
    line->exit_status = FINDINGS;
}

static enum fsd_status run(struct command_line *line, struct fsd_error *err)
{
    struct fsd_diff *diff = NULL;
    enum fsd_status status = FSD_OK;
    uint32_t left_out = 0, unmatched = 0;
    struct job job = {diff, line, &left_out, &unmatched};

    if (explains_words(&line->explain))
        return write_outputs(line, print_words, &line->explain, err);
    line->run.unlisted = !strcmp(line->verb->name, "buildtime");
    line->run.uncited = !line->verb->cites;
    status = fsd_diff_open(&diff, &line->run, err);
    if (status == FSD_E_FORMAT && !strcmp(line->verb->name, "explain") &&
        report_failure(line))
        return FSD_OK;
    job.diff = diff;
    if (status == FSD_OK)
        status = write_outputs(line, print_view, &job, err);
    if (status == FSD_OK)
        note_left_out(line, left_out);
    if (status == FSD_OK && unmatched)
        line->exit_status = FINDINGS;
    fsd_diff_free(diff);
    return status;
}

/* -------------------------------------------------------------------- the table */

/* the forms of a word that model/graph/word.h parses */
#define A_WORD                                                                         \
    "a name (of a node, layer, tensor or initializer), a number (#12, node:12 or "     \
    "layer:12), an execution provider (provider:CUDA), or a pattern with *, ? and "    \
    "[...]"

#define VIEW .take = take_word, .check = check_line, .run = run, .subject = FSD_OF_VIEW

const struct verb view_verbs[] = {
    {"top",
     "[MODEL] ENGINE",
     "rank the slowest layers, nodes or scopes, with their roofline",
     "Ranks layers, nodes, scopes, patterns, types or tactics by time.  Shows where "
     "the time goes, how far each row is from the roofline, and what to do "
     "first.\vWithout --profile, it ranks by bytes or by multiply-adds, and the "
     "report states which.  --peak GB/S,TOP/S sets the roofline.",
     {"model.onnx engine.json --profile profile.json -n 5",
      "model.onnx engine.json --profile profile.json --by scopes",
      "model.onnx engine.json --values table.csv --rank-by loss",
      "engine.json --peak 1555,624"},
     VIEW,
     .cites = true,
     .options = top_options},
    {"memory",
     "[MODEL] ENGINE",
     "show the memory of weights and activations, and the peak",
     "Shows the bytes of weights and activations of each layer, the peak of live "
     "activations, and the largest tensors.\vA build log adds persistent and scratch "
     "memory.",
     {"model.onnx engine.json --log build.log", "model.onnx engine.json -o memory.csv"},
     VIEW,
     .options = memory_options},
    {"buildtime",
     "[MODEL] ENGINE",
     "show where the build spent its time, and the size of the plan",
     "Shows where a build spent its time, according to its verbose log: seconds by "
     "layer and by tactic source; which tactics were timed, which were taken from "
     "the timing cache, and which were skipped and why; the steps of the build; and "
     "the size of the plan.\vPass the log as ENGINE or by --log.  Logs of versions "
     "before TensorRT 8.4 state no seconds; for these logs, fusiondiff computes "
     "whole seconds from the time stamps of the lines.",
     {"model.onnx build.log", "engine.json --log build.log -n 20",
      "model.onnx build.log -o buildtime.csv"},
     VIEW,
     .options = buildtime_options},
    {"parts",
     "MODEL --part ENGINE --part ENGINE",
     "list the nodes of each part of a split model, and the "
     "tensors between parts",
     "Shows the nodes that each engine computes, the tensors that pass from one "
     "engine to another, and the nodes that no engine computes.\vAll other verbs "
     "accept --part, too.  For compare and check, you can also write "
     "MODEL,ENGINE+ENGINE.",
     {"model.onnx --part a.json --part b.json",
      "model.onnx --part a.json --part b.json --profile a_times.json -f json"},
     VIEW},
    {"reformats",
     "[MODEL] ENGINE",
     "list data-movement layers, their cost, and how to remove them",
     "Lists data-movement layers, most expensive first: the cause of each layer, its "
     "edge in the model, its cost, and how to remove it.",
     {"model.onnx engine.json --profile profile.json --top 5",
      "model.onnx build.log --min-share 1"},
     VIEW,
     .cites = true,
     .options = reformats_options},
    {"where",
     "[MODEL] ENGINE NODE...",
     "show which layers compute these nodes",
     "Shows which layers compute the given nodes, and the evidence.\vNODE is " A_WORD
     ".",
     {"model.onnx engine.json /decoder/Softmax", "engine.json '*attn*'",
      "build.log layer:12"},
     VIEW},
    {"inside",
     "[MODEL] ENGINE LAYER...",
     "show which nodes these layers compute",
     "Shows the nodes of the given layers, by name scope and operator.\vLAYER "
     "is " A_WORD ", or a bare number.",
     {"model.onnx engine.json 12", "model.onnx engine.json '{ForeignNode*'"},
     VIEW},
    {"names",
     "[MODEL] ENGINE [NODE...]",
     "list node names in the form of other tools, and check lists of names",
     "Writes node names in the form that another tool reads.\vNODE is " A_WORD
     "; without NODE, the list has all nodes that layers compute.",
     {"model.onnx engine.json --not int8",
      "model.onnx engine.json --not int8 --as modelopt",
      "model.onnx engine.json --realised --as autocast",
      "model.onnx engine.json --check exclude.txt"},
     VIEW,
     .options = names_options},
    {"scopes",
     "[MODEL] ENGINE",
     "show layers, time and precision of each module",
     "Shows layers, time and precision of each module of the model; the scopes in node "
     "names define the modules.  Blocks that are equal share one row.",
     {"model.onnx engine.json --profile profile.json", "engine.json --depth 3"},
     VIEW,
     .options = scopes_options},
    {"patterns",
     "[MODEL] ENGINE",
     "show which attentions, norms and activations are fused, and why",
     "Shows which blocks of the model (attention, QKV projections, normalizations, "
     "activations, Conv+BN+activation, residual additions) are fused into one layer.  "
     "For each other block, it shows which layers compute the block, and what "
     "separates these layers.\vfusiondiff recognizes blocks by operators and edges, "
     "not by names.  "
     "--all also lists the fused blocks.",
     {"model.onnx engine.json", "model.onnx build.log --all"},
     VIEW},
    {"skipped",
     "[MODEL] ENGINE",
     "list the fusions that ONNX Runtime skipped, and why",
     "Shows what the verbose log of an ONNX Runtime session reports: skipped fusions "
     "with their reasons, what each graph transformer changed, which layers were "
     "added, and how many layers each execution provider runs.\vONNX Runtime writes "
     "this log if the session has log_severity_level = 0.  --all lists each node, "
     "and transformers that changed nothing.",
     {"model.onnx optimized.onnx --log session.log",
      "optimized.onnx --log session.log"},
     VIEW},
    {"explain",
     "[MODEL] ENGINE | RULE | WORD",
     "explain a node, a layer, two nodes, a failed build, a rule, or a word",
     "Explains a node or a layer step by step: how it was parsed, what TensorRT did "
     "with it, which layer computes it, its time, its neighbors.  A build log adds "
     "most of the steps.  With MODEL and the log of a failed build, it explains why "
     "the build failed, at which nodes, and what to try.  With a RULE alone, it "
     "explains the rule: what it means, why it matters, what to do, and how to accept "
     "a finding.  With a WORD from an engine, such as PWN, kgen or the name of a "
     "kernel, it explains what TensorRT means by this word.",
     {"model.onnx engine.json --log build.log --node Conv_28",
      "build.log --node Conv_28 --node Relu_29", "PWN"},
     .options = explain_options,
     .cites = true,
     .take = take_word,
     .check = check_explain,
     .run = run,
     .subject = FSD_OF_VIEW},
};
const size_t n_view_verbs = sizeof view_verbs / sizeof *view_verbs;
