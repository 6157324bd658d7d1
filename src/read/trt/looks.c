/*
 * Decides whether the names in a file are names of TensorRT's layers.  Profiles and
 * lists of names have no key that identifies them, and JSON files of other programs
 * contain names, too.  But the name of a layer consists of operators, paths of modules,
 * and words that the builder adds.  Names of keys, functions and threads do not.
 *
 * For a file that describes no engine, finds the kind of the file for the error
 * message.
 */
#include "read/trt/json.h"

#include "base/base.h"
#include "host/files.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------- names */

/* Texts that the builder adds to the names of layers. */
static const char *const marks[] = {
    " + ",  "CopyNode", "Reformat",       "ForeignNode[",   "PWN(",
    "_myl", " || ",     "fusedPointwise", "(Unnamed Layer", "[ONNX Layer: "};

/* The beginnings of words for operators, in upper or lower case. */
static const char *const operator_words[] = {
    "conv",   "deconv",  "gemm",     "matmul",   "relu",       "pool",      "norm",
    "bn",     "softmax", "concat",   "resize",   "reshape",    "transpose", "attention",
    "lstm",   "gru",     "rnn",      "fc",       "linear",     "sigmoid",   "tanh",
    "clip",   "slice",   "gather",   "cast",     "reduce",     "squeeze",   "unsqueeze",
    "einsum", "shuffle", "scale",    "quantize", "dequantize", "add",       "sub",
    "mul",    "div",     "pow",      "sqrt",     "exp",        "erf",       "gelu",
    "silu",   "pad",     "split",    "tile",     "expand",     "where",     "topk",
    "range",  "argmax",  "upsample", "embed",    "batchnorm",  "layernorm"};

static bool begins_word(const char *at, size_t n)
{
    for (size_t i = 0; i < FSD_COUNT_OF(operator_words); i++)
        if (strlen(operator_words[i]) <= n &&
            !strncasecmp(at, operator_words[i], strlen(operator_words[i])))
            return true;
    return false;
}

static bool is_letter(char c)
{
    return fsd_is_word(c) && !fsd_is_digit(c) && c != '_';
}

bool fsd_trt_looks_layer(const char *name)
{
    size_t n = 0;

    if (strstr(name, "::")) /* the name is a C++ function or a PyTorch operator */
        return false;
    for (size_t i = 0; i < FSD_COUNT_OF(marks); i++)
        if (strstr(name, marks[i]))
            return true;
    for (const char *at = name; *at; at += n ? n : 1) {
        for (n = 0; is_letter(at[n]);)
            n++;
        if (begins_word(at, n))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ other programs */

static const char pytorch[] = "a trace of PyTorch's profiler";

/* Words that show that a file is not TensorRT's; `what` is the kind of such a file.
 * The word stands near the beginning of the file. */
static const struct {
    const char *word, *what;
} others[] = {{"\"aten::", pytorch},
              {"\"cpu_op\"", pytorch},
              {"\"python_function\"", pytorch},
              {"\"cuda_runtime\"", pytorch},
              {"\"traceEvents\"", "a trace of events"},
              {"\"ph\"", "a trace of events"},
              {"fusiondiff/", "a report of fusiondiff"},
              {"\"nbformat\"", "a Jupyter notebook"},
              {"\"modelTopology\"", "a model of TensorFlow.js"},
              {"\"class_name\"", "a Keras model written as JSON"},
              {"\"weight_map\"", "the index of a model's weights"},
              {"\"model_type\"", "the configuration of a model"},
              {"\"architectures\"", "the configuration of a model"},
              {"\"runs\":", "results of an analyzer (SARIF)"},
              {"\"FeatureCollection\"", "a map (GeoJSON)"},
              {"\"annotations\"", "labels of images"},
              {"\"bomFormat\"", "a bill of materials (CycloneDX)"},
              {"\"openapi\"", "a description of a web interface (OpenAPI)"},
              {"\"dependencies\"", "the description of a package"},
              {"\"compilerOptions\"", "the configuration of a compiler"}};

static const char *other_program(const struct fsd_file *file)
{
    enum { PEEK = 4096 };

    for (size_t i = 0; i < FSD_COUNT_OF(others); i++)
        if (fsd_file_has_word(file, PEEK, others[i].word))
            return others[i].what;
    return NULL;
}

bool fsd_trt_is_pytorch(const struct fsd_file *file)
{
    return other_program(file) == pytorch;
}

/* ------------------------------------------------------------------------ messages */

/* Describes a JSON file by its structure.  The description quotes no byte of the file,
 * because a symbolic link may have led to a secret file. */
static void describe(const cJSON *root, FILE *out)
{
    const cJSON *first = root->child;

    if (cJSON_IsObject(root) && first)
        fprintf(out, "JSON with %d other key%s", cJSON_GetArraySize(root),
                first->next ? "s" : "");
    else if (cJSON_IsArray(root) && first)
        fprintf(out, "a list that begins with %s", fsd_json_kind(first));
    else
        fprintf(out, "JSON that is %s",
                cJSON_IsObject(root)  ? "an empty object"
                : cJSON_IsArray(root) ? "an empty list"
                                      : fsd_json_kind(root));
}

static const char how[] =
    "; pass what trtexec --exportLayerInfo=... wrote, or a verbose build log";

enum fsd_status fsd_trt_refuse_json(const struct fsd_file *file, const cJSON *root,
                                    struct fsd_error *err)
{
    const char *other = other_program(file);
    struct fsd_print print;
    enum fsd_status status;
    FILE *out = fsd_print_open(&print);

    if (other)
        fputs(other, out);
    else
        describe(root, out);
    fsd_print_close(&print);
    status = fsd_fail(
        err, other ? FSD_E_UNSUPPORTED : FSD_E_FORMAT, file->name, FSD_POS_NONE, 0,
        "expected an object with the key \"Layers\", found %s%s", print.text, how);
    free(print.text);
    return status;
}

enum fsd_status fsd_trt_refuse_names(const struct fsd_file *file, struct fsd_error *err)
{
    const char *other = other_program(file);

    return fsd_fail(err, other ? FSD_E_UNSUPPORTED : FSD_E_FORMAT, file->name,
                    FSD_POS_NONE, 0, "expected an engine's layers, found %s%s",
                    other ? other : "names that no layer of TensorRT has", how);
}

enum fsd_status fsd_trt_refuse_text(const struct fsd_file *file, struct fsd_error *err)
{
    return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_BYTE,
                    fsd_file_text_start(file),
                    "expected an engine's layers, found text without a line that "
                    "TensorRT prints%s",
                    how);
}
