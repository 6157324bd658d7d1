/* The verbs in a line each, and examples: what --help says of them beside their
 * options, and what `fusiondiff help` says of all. */
#define _GNU_SOURCE /* argp */
#include "cli/verb.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *verb, *brief;
    const char *examples[3];
} rows[] = {
    {"diff",
     "the whole report: layers, nodes, fates, findings; pictures",
     {"model.onnx engine.json --profile profile.json", "build.log -o report.svg",
      "model.onnx engine.json --around Conv_28 --depth 2 -o near.svg"}},
    {"top",
     "what is slowest, how far from the roofline, what to do first",
     {"model.onnx engine.json --profile profile.json -n 5",
      "model.onnx engine.json --profile profile.json --by scopes",
      "engine.json --peak 1555,624"}},
    {"memory",
     "bytes of weights and activations, and the most at once",
     {"model.onnx engine.json --log build.log",
      "model.onnx engine.json -o memory.csv"}},
    {"reformats",
     "layers that only move data, the worst first, and what to change",
     {"model.onnx engine.json --profile profile.json --top 5",
      "model.onnx build.log --min-share 1"}},
    {"patterns",
     "attention, norms, activations: fused whole or not, and why",
     {"model.onnx engine.json", "model.onnx build.log --all"}},
    {"where",
     "which layers compute these nodes",
     {"model.onnx engine.json /decoder/Softmax", "engine.json '*attn*'",
      "build.log layer:12"}},
    {"inside",
     "which nodes these layers hold",
     {"model.onnx engine.json 12", "model.onnx engine.json '{ForeignNode*'"}},
    {"names",
     "names of nodes as other tools take them, and checks of lists",
     {"model.onnx engine.json --not int8",
      "model.onnx engine.json --not int8 --as modelopt",
      "model.onnx engine.json --check exclude.txt"}},
    {"scopes",
     "layers, time and precision of each module; equal blocks folded",
     {"model.onnx engine.json --profile profile.json", "engine.json --depth 3"}},
    {"explain",
     "the story of a node or a layer, from the model to its kernel",
     {"model.onnx engine.json --log build.log --node Conv_28",
      "build.log --node Conv_28 --node Relu_29", "engine.json --layer 12"}},
    {"compare",
     "what changed between builds",
     {"old.onnx,old.json new.onnx,new.json", "yesterday/ today/ -o changes.svg",
      "old.onnx new.onnx"}},
    {"stability",
     "what varies among several builds of one model",
     {"first.log second.log third.log", "rebuilds/"}},
    {"snapshot",
     "a small text file of what the builder made, to commit",
     {"model.onnx engine.json -o engine.fsd",
      "model.onnx a.json --also b.json --also c.json -o engine.fsd"}},
    {"check",
     "the merge gate: a build against its snapshot",
     {"engine.fsd model.onnx engine.json",
      "engine.fsd build/ --policy gate.ini -o gate.md",
      "engine.fsd model.onnx engine.json --update"}},
    {"lint",
     "the model before the build, and its findings proved on the engine",
     {"model.onnx", "model.onnx engine.json", "build/ -o lint.html"}},
    {"batch",
     "many pairs, a line of JSON each",
     {"pairs.txt -j 8 -o reports.jsonl --resume", "builds/ --fail-on error"}},
    {"doctor", "what this program can do here", {"", "-f json"}},
};

static const struct row *row_of(const char *verb)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].verb, verb))
            return &rows[i];
    return NULL;
}

const char *verb_brief(const struct verb *verb)
{
    assert(row_of(verb->name));
    return row_of(verb->name)->brief;
}

void print_verbs(FILE *out)
{
    const struct verb *verb;

    fputs("Verbs, each with a --help of its own ('fusiondiff help VERB'):\n", out);
    for (unsigned i = 0; (verb = verb_at(i)); i++)
        fprintf(out, "  %-10s %s\n", verb->name, verb_brief(verb));
}

const char *verb_example(const struct verb *verb, unsigned i)
{
    assert(row_of(verb->name));
    return i < 3 ? row_of(verb->name)->examples[i] : NULL;
}

void print_examples(const struct verb *verb, FILE *out)
{
    bool named = strcmp(verb->name, "diff") != 0;
    const char *example;

    fputs("Examples:\n", out);
    for (unsigned i = 0; (example = verb_example(verb, i)); i++)
        fprintf(out, "  fusiondiff %s%s%s\n", named ? verb->name : "",
                named && *example ? " " : "", example);
}
