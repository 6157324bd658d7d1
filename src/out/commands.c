/* The commands that build and run alone what was cut, in the words of the tools. */
#include "base/print.h"
#include "base/text.h"
#include "model/built.h"
#include "out/cut.h"

#include <string.h>

/* "sub.json" of "sub.onnx", as a word of a shell. */
static void put_beside(struct fsd_arena *arena, const char *path, const char *ending,
                       FILE *out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t n = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);

    fsd_put_shell_word(out, fsd_printed(arena, "%.*s%s", (int)n, path, ending));
}

/* Sizes that stay open are given by the user. */
static void put_open(const struct fsd_cut_plan *plan, FILE *out)
{
    const char *before = " --optShapes=";

    for (uint32_t i = 0; i < plan->inputs.n; i++) {
        struct fsd_onnx_info info = fsd_cut_info(plan, plan->inputs.at[i]);
        bool open = false;

        for (uint32_t k = 0; k < info.rank; k++)
            open |= info.sizes[k] < 0;
        if (!open)
            continue;
        fputs(before, out);
        fsd_put_shell_word(out, info.name);
        for (uint32_t k = 0; k < info.rank; k++)
            fprintf(out, "%c%lld", k ? 'x' : ':',
                    info.sizes[k] < 0 ? 1 : (long long)info.sizes[k]);
        before = ",";
    }
}

/* The types that the builder was allowed, as trtexec spells them. */
static void put_precision(const struct fsd_cut_plan *plan, FILE *out)
{
    static const char *const types[] = {"fp16", "bf16", "int8", "fp8", "int4", "best"};
    const struct fsd_graph *engine = plan->d->engine;
    fsd_sym precision =
        fsd_built_find(&engine->built, plan->d->names, FSD_BUILT_PRECISION);
    char *list = fsd_printed(plan->arena, "%s", fsd_text(plan->d->names, precision));
    char *rest = list, *word;

    if (engine->strongly_typed)
        fputs(" --stronglyTyped", out);
    for (char *c = list; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    while (!engine->strongly_typed && (word = strtok_r(NULL, " ,+", &rest)))
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (!strcmp(word, types[i]))
                fprintf(out, " --%s", types[i]);
}

void fsd_cut_put_commands(const struct fsd_cut_plan *plan, const char *path, FILE *out)
{
    const char *builder = fsd_text(plan->d->names, plan->d->engine->producer);
    bool rtx = strstr(builder, "RTX") != NULL;

    fprintf(out, "\nbuild it alone, and show its layers:\n  %s --onnx=",
            rtx ? "tensorrt_rtx" : "trtexec");
    fsd_put_shell_word(out, path);
    if (!rtx) {
        fputs(" --profilingVerbosity=detailed \\\n    --exportLayerInfo=", out);
        put_beside(plan->arena, path, ".json", out);
        put_precision(plan, out);
    }
    put_open(plan, out);
    fputs(" --verbose > ", out);
    put_beside(plan->arena, path, ".log", out);
    fputs("\n  fusiondiff ", out);
    fsd_put_shell_word(out, path);
    fputs(" ", out);
    put_beside(plan->arena, path, rtx ? ".log" : ".json", out);
    fputs("\ncompare TensorRT's numbers with ONNX Runtime's:\n  polygraphy run ", out);
    fsd_put_shell_word(out, path);
    fputs(" --trt --onnxrt\nrun it by ONNX Runtime alone:\n  polygraphy run ", out);
    fsd_put_shell_word(out, path);
    fputs(" --onnxrt\n", out);
}
