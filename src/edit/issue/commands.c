/* Prints commands of the builders' tools: commands that build and run a part alone, and
 * the command with which the user built the engine. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/cut/cut.h"
#include "edit/issue/issue.h"

/* Prints the path, quoted for a shell, with `ending` in place of its own ending, such
 * as "sub.json" for "sub.onnx". */
static void put_beside(struct fsd_arena *arena, const char *path, const char *ending,
                       FILE *out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t n = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);

    fsd_put_shell_word(out, fsd_printed(arena, "%.*s%s", (int)n, path, ending));
}

/* Prints an option for the dynamic sizes, which the user has to set. */
static void put_open(const struct fsd_cut_plan *plan, FILE *out)
{
    const char *before = " --optShapes=";

    for (uint32_t i = 0; i < plan->inputs.n; i++) {
        struct fsd_onnx_info info =
            fsd_tensor_info(plan->arena, plan->d, plan->inputs.at[i]);
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

/* Prints trtexec's options for the precision: "--stronglyTyped", or an option such as
 * "--fp16" for each type from which the builder could choose. */
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

const char *fsd_cut_builder(const struct fsd_diff *d)
{
    return fsd_graph_is_rtx(d->engine) ? "tensorrt_rtx" : "trtexec";
}

void fsd_cut_put_commands(const struct fsd_cut_plan *plan, const char *path, FILE *out)
{
    bool rtx = fsd_graph_is_rtx(plan->d->engine);

    fprintf(out, "\nbuild the part alone, and show its layers:\n  %s --onnx=",
            fsd_cut_builder(plan->d));
    fsd_put_shell_word(out, path);
    fputs(" --profilingVerbosity=detailed", out);
    if (!rtx) {
        fputs(" \\\n    --exportLayerInfo=", out);
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
    fprintf(out,
            "\ncompare the outputs of TensorRT with those of ONNX Runtime:\n  "
            "%spolygraphy run ",
            rtx ? "POLYGRAPHY_USE_TENSORRT_RTX=1 " : "");
    fsd_put_shell_word(out, path);
    fputs(" --trt --onnxrt\nrun the part with ONNX Runtime alone:\n  polygraphy run ",
          out);
    fsd_put_shell_word(out, path);
    fputs(" --onnxrt\n", out);
}

/* --------------------------------------------------------------- the user's command */

/* Whether the value is a number or sizes, such as "5" or "1x3x224", which do not reveal
 * the model. */
static bool is_number(const char *value)
{
    return *value && value[strspn(value, "0123456789x.")] == '\0';
}

/* Prints a word of the command without revealing the model. The name of an option is
 * printed. The value of an option, or a word that is no option, is printed if it is a
 * number (is_number()), else as "...". */
static void put_hidden(const char *word, FILE *out)
{
    size_t n = strcspn(word, "=");

    if (*word != '-') {
        fputs(is_number(word) ? word : "...", out);
        return;
    }
    fprintf(out, "%.*s", (int)n, word);
    if (word[n])
        fprintf(out, "=%s", is_number(word + n + 1) ? word + n + 1 : "...");
}

void fsd_issue_put_command(const struct fsd_issue_command *command, bool anonymous,
                           FILE *out)
{
    for (uint32_t i = 0; i < command->words.n; i++) {
        const char *word = command->words.at[i];

        fputs(i ? " " : "", out);
        if (!strcmp(fsd_base_name(word), "trtexec"))
            fputs("trtexec", out);
        else if (anonymous)
            put_hidden(word, out);
        else
            fsd_put_shell_word(out, word);
    }
    fputs("\n", out);
    FSD_EACH (const struct fsd_issue_variable, v, command->variables) {
        fprintf(out, "# %s=", v->name);
        if (anonymous && !is_number(v->value))
            fputs("...", out);
        else
            fsd_put_shell_word(out, v->value);
        fputs("\n", out);
    }
}
