/*
 * The verbs that answer one question about a pair, each by the view of the same name.
 * To add one: a row in `view_verbs`, with an array of its own options where it has any.
 * A row whose arguments end in "NODE..." or the like needs at least one word; one in
 * brackets may do without.
 */
#define _GNU_SOURCE /* argp */
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/verb.h"

#include <stdint.h>
#include <string.h>

enum {
    KEY_TOP = 768,
    KEY_MIN_MS,
    KEY_MIN_SHARE,
    KEY_NOT,
    KEY_FINDING,
    KEY_AS,
    KEY_CHECK,
    KEY_NODE,
    KEY_LAYER,
    KEY_BY,
    KEY_RANK_BY,
    KEY_LIST,
    KEY_FREE,
    KEY_BREAK,
    KEY_REALISED
};

static const struct argp_option tensors_options[] = {
    {"free", KEY_FREE, NULL, 0,
     "List only tensors that change no fusion if marked as outputs", 3},
    {"break", KEY_BREAK, "LAYER", 0,
     "Find the tensors to mark as outputs, or to pass through an If, to split this "
     "fusion, and list all fusions that this changes; LAYER is a name, 12, node:12 or "
     "a pattern",
     3},
    {"as", KEY_AS, "FORM", 0,
     "Write the tensors of --free (the default) or --break as "
     "names, trtexec, polygraphy or api (Python)",
     3},
    {0},
};

static const struct argp_option explain_options[] = {
    {"node", KEY_NODE, "NODE", 0,
     "The node to explain: a name, #12, layer:12 or a pattern; given twice, also why "
     "the two nodes are fused or not",
     3},
    {"layer", KEY_LAYER, "LAYER", 0,
     "The layer to explain: a name, 12, node:12 or a pattern", 3},
    {"list", KEY_LIST, NULL, 0, "List all rules, one line each", 3},
    {0},
};

/* ------------------------------------------------------------------- parsing */

static void add_word(struct command_line *line, const char *word,
                     struct argp_state *state)
{
    if (line->query.n_words == MOST_WORDS)
        argp_error(state, "at most %d names", MOST_WORDS);
    line->words[line->query.n_words++] = word;
    line->query.words = line->words;
}

/* Where there is one word and nothing is asked about a build, it is a rule's. */
static bool take_rule(struct command_line *line)
{
    if (!line->rules && (line->query.n_words || !line->run.model || line->run.engine))
        return false;
    line->rule = line->rules ? NULL : line->run.model;
    line->rules = true;
    line->run.model = NULL;
    return true;
}

static bool makes_models(const struct command_line *line)
{
    return line->verb->options == tensors_options;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;
    struct fsd_query *q = &line->query;
    const char *arguments = line->verb->arguments;
    bool words;
    size_t n;

    switch (key) {
    case ARGP_KEY_INIT:
        line->one_format = makes_models(line); /* FILE.onnx is a model */
        break;
    case KEY_BY:
        q->by = arg;
        break;
    case KEY_RANK_BY:
        q->rank_by = arg;
        break;
    case KEY_TOP:
    case 'n':
        q->top = parse_number(key == 'n' ? "-n" : "--top", "a number from 1", arg, 1,
                              UINT32_MAX, state);
        break;
    case KEY_MIN_MS:
        q->min_ms = parse_amount("--min-ms", "a number from 0 to 1e+09", arg, false,
                                 1e9, state);
        break;
    case KEY_MIN_SHARE:
        q->min_share = parse_amount("--min-share", "a number from 0 to 100", arg, false,
                                    100, state) /
                       100;
        break;
    case KEY_DEPTH:
        q->depth =
            parse_number("--depth", "a number from 1", arg, 1, UINT32_MAX, state);
        break;
    case KEY_NOT:
        q->not_type = arg;
        break;
    case KEY_FINDING:
        q->finding = arg;
        break;
    case KEY_AS:
        q->as = arg;
        break;
    case KEY_CHECK:
        q->check = arg;
        break;
    case KEY_FREE:
        q->only_free = true;
        break;
    case KEY_REALISED:
        q->realised = true;
        break;
    case KEY_BREAK:
        q->break_at = arg;
        break;
    case KEY_NODE:
    case KEY_LAYER:
        if (q->n_words && q->layers != (key == KEY_LAYER))
            argp_error(state, "expected --node or --layer, found both");
        q->layers = key == KEY_LAYER;
        add_word(line, arg, state);
        break;
    case ARGP_KEY_ARG:
        words = strchr(arguments, '.');
        if (!words)
            take_one_pair(line, arg, state);
        else if (q->n_words || !take_input(line, arg))
            add_word(line, arg, state);
        break;
    case KEY_LIST:
        line->rules = true;
        break;
    case ARGP_KEY_END:
        if (line->verb->options == explain_options && take_rule(line))
            break;
        need_pair(line, state);
        n = strlen(arguments);
        if (n > 3 && !strcmp(arguments + n - 3, "...") && !q->n_words)
            argp_error(state, "expected %s", arguments);
        if (line->verb->options == explain_options && !q->n_words)
            argp_error(state, "expected --node or --layer, or a RULE alone");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ------------------------------------------------------------------- running */

struct job {
    const struct fsd_diff *diff;
    const struct command_line *line;
    uint32_t *left_out; /* of the texts written */
    uint32_t *unmatched;
};

static enum fsd_status print_view(const void *payload, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    const struct job *job = payload;
    struct fsd_query query = job->line->query;

    query.unmatched = job->unmatched;
    query.left_out = strcmp(format, "text") ? NULL : job->left_out;
    return fsd_diff_view(job->diff, job->line->verb->name, &query, format, style, out,
                         err);
}

static enum fsd_status print_model(const void *payload, const char *format,
                                   const struct fsd_style *style, FILE *out,
                                   struct fsd_error *err)
{
    const struct job *job = payload;

    (void)format;
    (void)style;
    return fsd_diff_mark(job->diff, &job->line->query, out, err);
}

static enum fsd_status write_view(const struct command_line *line,
                                  const struct job *job, struct fsd_error *err)
{
    return makes_models(line) ? write_models(line, print_model, print_view, job, err)
                              : write_outputs(line, print_view, job, err);
}

static enum fsd_status print_rule(const void *payload, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    (void)style;
    if (strcmp(format, "text") != 0)
        return fail_file(err, FSD_E_ARG, "explain",
                         "rules are printed as text, not as %s", format);
    return fsd_rule_explain(payload, out, err);
}

static enum fsd_status run(struct command_line *line, int *exit_status,
                           struct fsd_error *err)
{
    struct fsd_diff *diff = NULL;
    enum fsd_status status =
        line->rules ? FSD_OK : fsd_diff_open(&diff, &line->run, err);
    uint32_t left_out = 0, unmatched = 0;
    struct job job = {diff, line, &left_out, &unmatched};
    char note[80];

    if (line->rules)
        return write_outputs(line, print_rule, line->rule, err);
    if (status == FSD_OK)
        status = write_view(line, &job, err);
    if (status == FSD_OK && left_out) {
        snprintf(note, sizeof note,
                 "%u names are left out because this form cannot express them",
                 (unsigned)left_out);
        print_note(NULL, note);
        *exit_status = FINDINGS;
    }
    if (status == FSD_OK && unmatched)
        *exit_status = FINDINGS;
    fsd_diff_free(diff);
    return status;
}

/* -------------------------------------------------------------------- the table */

/* Of every verb that ranks: -n and --top are one option. */
#define OPTION_MOST(doc)                                                               \
    {"number", 'n', "N", 0, doc, 3},                                                   \
    {                                                                                  \
        "top", KEY_TOP, NULL, OPTION_ALIAS, NULL, 3                                    \
    }

static const struct argp_option reformats_options[] = {
    OPTION_MOST("Number of layers, most expensive first (default: all)"),
    {"min-ms", KEY_MIN_MS, "MS", 0, "Omit layers that take less time per run", 3},
    {"min-share", KEY_MIN_SHARE, "PERCENT", 0,
     "Omit layers that take a smaller share of a run", 3},
    {0},
};

static const struct argp_option top_options[] = {
    OPTION_MOST("Number of rows, slowest first (default: 10; --all: everything)"),
    {"by", KEY_BY, "WHAT", 0,
     "Rank layers (the default), nodes, scopes, patterns, types or tactics", 3},
    {"rank-by", KEY_RANK_BY, "COLUMN", 0,
     "Rank by a column of --values instead of time; for errors: "
     "l2_rel, max_abs, max_rel, l2, cosine, nan or inf",
     3},
    {0},
};

static const struct argp_option memory_options[] = {
    OPTION_MOST(
        "Number of layers and tensors, largest first (default: 10; --all: everything)"),
    {0},
};

static const struct argp_option names_options[] = {
    {"not", KEY_NOT, "TYPE", 0, "List nodes that do not run in TYPE, e.g. int8", 3},
    {"finding", KEY_FINDING, "RULE", 0,
     "List the nodes of RULE's findings, with the type that the rule requires, e.g. "
     "precision/fp16-range",
     3},
    {"realised", KEY_REALISED, NULL, 0,
     "With --as autocast or modelopt: write all options that make "
     "the tool choose the engine's precision",
     3},
    {"as", KEY_AS, "FORM", 0,
     "Output form: layerPrecisions, layerOutputTypes, polygraphy, nodes_to_exclude "
     "(ONNX Runtime), modelopt, autocast, nncf, list, or table (the default with "
     "--not)",
     3},
    {"check", KEY_CHECK, "LIST", 0,
     "List names of the file LIST that match nothing, and exit with 1 if there are "
     "any; TensorRT silently ignores such names",
     3},
    {0},
};

static const struct argp_option scopes_options[] = {
    {"depth", KEY_DEPTH, "N", 0, "Number of name parts that form a scope", 3},
    {0},
};

/* model/word.h */
#define WORDS                                                                          \
    "the name of a node, layer, tensor or initializer, a number such as #12, "         \
    "node:12 "                                                                         \
    "layer:12, a provider such as provider:CUDA, or a pattern with *, ? and [...]"

const struct verb view_verbs[] = {
    {"top",
     "[MODEL] ENGINE",
     "rank the slowest layers, nodes or scopes, with their roofline",
     "Ranks layers, nodes, scopes, patterns, types or tactics by time: where the time "
     "goes, how far each is from the roofline, what to do first.\vWithout --profile it "
     "ranks by bytes or multiply-adds, and says so.  --peak GB/S,TOP/S sets the "
     "roofline.",
     {"model.onnx engine.json --profile profile.json -n 5",
      "model.onnx engine.json --profile profile.json --by scopes",
      "model.onnx engine.json --values table.csv --rank-by loss",
      "engine.json --peak 1555,624"},
     top_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"memory",
     "[MODEL] ENGINE",
     "show the bytes of weights and activations, and the peak",
     "Shows the bytes of weights and activations, layer by layer, the peak of live "
     "activations, and the largest tensors.\vA build log adds persistent and scratch "
     "memory.",
     {"model.onnx engine.json --log build.log", "model.onnx engine.json -o memory.csv"},
     memory_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"parts",
     "MODEL --part ENGINE --part ENGINE",
     "list the nodes of each part of a split model, and the "
     "tensors between parts",
     "Shows which nodes each of several engines computes, which "
     "tensors pass from one to another, and which nodes no engine "
     "computes.\vAll other verbs take --part as well, and compare "
     "and check take the engines as MODEL,ENGINE+ENGINE.",
     {"model.onnx --part a.json --part b.json",
      "model.onnx --part a.json --part b.json --profile a_times.json -f json"},
     NULL,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"reformats",
     "[MODEL] ENGINE",
     "list data-movement layers, their cost, and how to remove them",
     "Lists data-movement layers, most expensive first: the cause of each, the edge of "
     "the model that it sits on, its cost, and how to remove it.",
     {"model.onnx engine.json --profile profile.json --top 5",
      "model.onnx build.log --min-share 1"},
     reformats_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"where",
     "[MODEL] ENGINE NODE...",
     "show which layers compute these nodes",
     "Shows which layers compute the given nodes, and the evidence.\vNODE is " WORDS
     ".",
     {"model.onnx engine.json /decoder/Softmax", "engine.json '*attn*'",
      "build.log layer:12"},
     NULL,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"inside",
     "[MODEL] ENGINE LAYER...",
     "show which nodes these layers compute",
     "Shows the nodes of the given layers, by name scope and operator.\vLAYER is " WORDS
     ", or a bare number.",
     {"model.onnx engine.json 12", "model.onnx engine.json '{ForeignNode*'"},
     NULL,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"names",
     "[MODEL] ENGINE [NODE...]",
     "list node names in the form of other tools, and check lists",
     "Writes node names in the form that another tool reads.\vNODE is " WORDS
     "; without one all nodes that layers compute.",
     {"model.onnx engine.json --not int8",
      "model.onnx engine.json --not int8 --as modelopt",
      "model.onnx engine.json --realised --as autocast",
      "model.onnx engine.json --check exclude.txt"},
     names_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"tensors",
     "MODEL ENGINE",
     "list tensors that can be marked as outputs without breaking "
     "a fusion",
     "Shows where the values of each tensor of the model are in "
     "the engine: between layers (marking it as an output changes "
     "no fusion), inside a fusion, or gone, and then which tensor "
     "has the same values.\v"
     "-o FILE.onnx writes the model with the tensors of --free (the "
     "default) or --break marked as outputs.  A fusion that no mark "
     "splits is split by an If with two equal branches in that "
     "model.  Compare engines built of it by the original model.",
     {"model.onnx engine.json --free", "model.onnx engine.json --break Conv_28",
      "model.onnx engine.json --break Conv_28 -o split.onnx",
      "model.onnx engine.json --free --as polygraphy"},
     tensors_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"scopes",
     "[MODEL] ENGINE",
     "show layers, time and precision of each module",
     "Shows layers, time and precision of each module of the model, by the scopes in "
     "its node names; equal blocks are one row.",
     {"model.onnx engine.json --profile profile.json", "engine.json --depth 3"},
     scopes_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"patterns",
     "[MODEL] ENGINE",
     "show which attentions, norms and activations are fused, and why",
     "Shows which blocks of the model (attention, QKV projections, normalizations, "
     "activations, Conv+BN+activation, residual additions) are fused into one layer, "
     "and for the others the layers that compute them and what separates "
     "these.\vBlocks are recognized by operators and edges, not by names.  --all also "
     "lists the fused ones.",
     {"model.onnx engine.json", "model.onnx build.log --all"},
     NULL,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"skipped",
     "[MODEL] ENGINE",
     "list the fusions that ONNX Runtime skipped, and why",
     "Shows what the verbose log of an ONNX Runtime session reports: skipped fusions "
     "with their reasons, what each graph transformer changed, which layers were "
     "added, and how many layers each execution provider runs.\vA session with "
     "log_severity_level = 0 writes the log.  --all lists each node, and transformers "
     "that changed nothing.",
     {"model.onnx optimized.onnx --log session.log",
      "optimized.onnx --log session.log"},
     NULL,
     parse,
     run,
     false,
     FSD_OF_VIEW},
    {"explain",
     "[MODEL] ENGINE | RULE",
     "explain a node, a layer, two nodes, or a rule",
     "Explains a node or a layer step by step: how it was parsed, what TensorRT did "
     "with it, which layer computes it, its time, its neighbors.  A build log adds "
     "most of the steps.  For a RULE alone: what it means, why it matters, what to do, "
     "and how to accept it.",
     {"model.onnx engine.json --log build.log --node Conv_28",
      "build.log --node Conv_28 --node Relu_29", "engine.json --layer 12"},
     explain_options,
     parse,
     run,
     false,
     FSD_OF_VIEW},
};
const size_t n_view_verbs = sizeof view_verbs / sizeof *view_verbs;
