/*
 * The table of what to try after a failed build, in the order in which the user should
 * try it. Each row has its condition, the advice and a complete command. To add an
 * advice, add a row.
 *
 *     {model} {log}     the files, as a shell takes them
 *     {builder}         trtexec, or tensorrt_rtx
 *     {target}          the builder for which lint judges, "rtx-1.7:sm75"
 *     {mib}             the memory that the builder asked for
 *     {shapes:min}      the inputs with dynamic sizes, with shapes for a profile
 *     {fix}             the rule of lint that proposes an edit
 */
#include "judge/failed/failed.h"

#include "base/base.h"
#include "model/graph/graph.h"

#include <stdlib.h>

typedef bool applies_fn(const struct fsd_failed *f);

#define OF(is)      (1u << (is))
#define ALL_CLASSES (~0u)

/* ----------------------------------------------------------------------- conditions */

static const char *fixing_rule(const struct fsd_failed *f)
{
    for (uint32_t i = 0; i < f->found.n; i++) {
        const struct fsd_finding *finding = &f->findings->list.at[f->found.at[i]];

        if (finding->edits.n)
            return f->findings->rules.at[finding->rule].rule->id;
    }
    return NULL;
}

static bool has_fix(const struct fsd_failed *f)
{
    return f->run && fixing_rule(f);
}

static bool has_model(const struct fsd_failed *f)
{
    return f->run != NULL;
}

static bool has_part(const struct fsd_failed *f)
{
    return f->run && f->part.n;
}

/* Whether a failing node has an operator that ONNX Runtime adds to a model. */
static bool has_runtime_operator(const struct fsd_failed *f)
{
    if (!f->run)
        return false;
    FSD_EACH (const fsd_id, node, f->nodes) {
        const char *domain =
            fsd_text(f->model->names, f->model->nodes.at[*node].domain);

        if (!strncmp(domain, "com.microsoft", strlen("com.microsoft")))
            return true;
    }
    return false;
}

static unsigned long long bytes_of(const struct fsd_failed *f)
{
    const char *bytes = fsd_failed_value(f, FSD_SAID_BYTES);
    const char *mib = fsd_failed_value(f, FSD_SAID_MIB);

    return bytes ? strtoull(bytes, NULL, 10) : mib ? strtoull(mib, NULL, 10) << 20 : 0;
}

static bool has_bytes(const struct fsd_failed *f)
{
    return f->model_path && bytes_of(f) > 0;
}

static bool has_tensors(const struct fsd_failed *f)
{
    return f->run && f->tensors.n;
}

static bool is_unread(const struct fsd_failed *f)
{
    return f->no_model != NULL;
}

/* ------------------------------------------------------------------------ the table */

static const struct hint {
    unsigned classes;
    applies_fn *applies; /* NULL: the row applies to all builds of these classes */
    const char *text, *command;
} hints[] = {
    {ALL_CLASSES, is_unread, "Export the model again, because the file cannot be read",
     NULL},
    {ALL_CLASSES, has_fix, "Apply the edit that lint proposes",
     "fusiondiff lint {model} --for {target} " FSD_IF_EDIT("--fix={fix} -o fixed.onnx",
                                                           "-f json")},
    {OF(FSD_FAILS_MEMORY), has_bytes,
     "Raise the workspace limit to the memory that the builder requested",
     "{builder} --onnx={model} --memPoolSize=workspace:{mib}M"},
    {OF(FSD_FAILS_MEMORY), has_model,
     "Lower the optimization level: the builder then times fewer tactics and needs "
     "less memory",
     "{builder} --onnx={model} --builderOptimizationLevel=1"},
    {OF(FSD_FAILS_MEMORY), NULL,
     "Stop other programs on the GPU, or reduce the maximum shapes of the optimization "
     "profile",
     NULL},
    {OF(FSD_FAILS_PROFILE), has_tensors,
     "Pass an optimization profile with shapes that fit the network",
     "{builder} --onnx={model} --minShapes={shapes:min} --optShapes={shapes:opt} "
     "--maxShapes={shapes:max}"},
    {OF(FSD_FAILS_PROFILE), has_part,
     "Change the shapes of the optimization profile: they are invalid for the rejected "
     "operator",
     NULL},
    {OF(FSD_FAILS_TYPE), has_part,
     "Convert the inputs of the rejected operator to one type that the operator "
     "supports",
     NULL},
    {OF(FSD_FAILS_SHAPE), has_part,
     "Export the model so that the input shapes of the rejected operator match",
     "fusiondiff --dump shapes {model}"},
    {OF(FSD_FAILS_QDQ), NULL,
     "Export symmetric INT8 quantizers with positive scales, and do not quantize "
     "biases",
     NULL},
    {OF(FSD_FAILS_OPERATOR), NULL,
     "Replace the rejected operator in the exporter, or export with another opset",
     NULL},
    {OF(FSD_FAILS_PLUGIN), NULL,
     "With TensorRT, load the plugin library before parsing; TensorRT for RTX "
     "supports no plugins",
     NULL},
    {OF(FSD_FAILS_PLUGIN), has_runtime_operator,
     "Export the model without ONNX Runtime optimizations, because these add operators "
     "that only ONNX Runtime has",
     NULL},
    {OF(FSD_FAILS_HARDWARE), has_model,
     "Build for a GPU that supports the rejected data type, or store the tensors in "
     "FP16",
     "fusiondiff lint {model} --for {target}"},
    {OF(FSD_FAILS_MODEL), has_model, "Check the model file, and export the model again",
     "fusiondiff lint {model} --for {target}"},
    {OF(FSD_FAILS_OPTION), NULL, "Build without the option that the message names",
     NULL},
    {OF(FSD_FAILS_ENVIRONMENT), NULL,
     "Install the libraries and the driver that this version of TensorRT needs: the "
     "model is not the cause",
     NULL},
    {OF(FSD_FAILS_INTERNAL), has_model,
     "Build with another version of TensorRT, or at the lowest optimization level",
     "{builder} --onnx={model} --builderOptimizationLevel=0"},
    {OF(FSD_FAILS_OPERATOR) | OF(FSD_FAILS_PLUGIN) | OF(FSD_FAILS_TYPE) |
         OF(FSD_FAILS_SHAPE) | OF(FSD_FAILS_QDQ),
     has_model, "List all problems that lint expects with this builder",
     "fusiondiff lint {model} --for {target}"},
    {ALL_CLASSES, has_part,
     "Cut the failing part out of the model, and build this part alone",
     FSD_IF_EDIT("fusiondiff cut {model} {log} -o part.onnx", NULL)},
    {ALL_CLASSES, has_part, "Report the failure to the maintainers of the builder",
     FSD_IF_EDIT("fusiondiff issue {model} {log} -o report", NULL)},
};

/* --------------------------------------------------------------------- placeholders */

/* Prints the sizes of an input, with 1 for each dynamic size. */
static void put_shape(const struct fsd_failed *f, const char *name, FILE *out)
{
    const struct fsd_graph *g = f->model;
    fsd_sym sym = fsd_intern_find(g->names, name, strlen(name));
    fsd_id tensor = sym ? fsd_graph_find(g, sym, 0) : FSD_NONE;
    const struct fsd_form *form =
        tensor == FSD_NONE ? &fsd_no_form : fsd_tensor_form(g, tensor);

    fsd_put_shell_word(out, name);
    for (uint32_t i = 0; i < form->dims.n; i++) {
        int64_t size = g->dims.at[form->dims.at + i].size;

        fprintf(out, "%c%lld", i ? 'x' : ':', size < 0 ? 1 : (long long)size);
    }
}

static void put_word(const struct fsd_failed *f, struct fsd_slice word, FILE *out)
{
    if (fsd_slice_is(word, "model"))
        fsd_put_shell_word(out, f->model_path);
    else if (fsd_slice_is(word, "log"))
        fsd_put_shell_word(out, f->log_path);
    else if (fsd_slice_is(word, "builder"))
        fputs(!strncmp(f->target, "rtx", 3) ? "tensorrt_rtx" : "trtexec", out);
    else if (fsd_slice_is(word, "target"))
        fputs(f->target, out);
    else if (fsd_slice_is(word, "fix"))
        fputs(fixing_rule(f), out);
    else if (fsd_slice_is(word, "mib"))
        fprintf(out, "%llu", (bytes_of(f) + (1 << 20) - 1) >> 20);
    else
        for (uint32_t i = 0; i < f->tensors.n; i++) {
            fputs(i ? "," : "", out);
            put_shape(f, f->tensors.at[i], out);
        }
}

static const char *filled(const struct fsd_failed *f, const char *command)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    for (const char *c = command; *c; c++) {
        const char *end = *c == '{' ? strchr(c, '}') : NULL;

        if (end) {
            put_word(f, (struct fsd_slice){c + 1, (size_t)(end - c) - 1}, out);
            c = end;
        } else {
            putc(*c, out);
        }
    }
    return fsd_print_take(&print, f->arena);
}

void fsd_failed_add_tries(struct fsd_failed *f)
{
    for (size_t i = 0; i < FSD_COUNT_OF(hints); i++)
        if ((hints[i].classes & OF(f->is)) &&
            (!hints[i].applies || hints[i].applies(f)))
            fsd_vec_push(f->arena, &f->tries,
                         (struct fsd_failed_try){
                             hints[i].text,
                             hints[i].command ? filled(f, hints[i].command) : NULL});
}
