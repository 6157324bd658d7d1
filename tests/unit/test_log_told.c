/* What a log states beside its events: options, sizes of inputs, memory, failures. */
#include "base/base.h"
#include "read/log/log.h"
#include "log_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 4096 };

/* ----------------------------------------------------------------------- options */

/* Writes "key = value" of all that is stated, one a line, those of no engine with
 * "-". */
static void spell_built(const struct log *l, char *to)
{
    *to = '\0';
    for (uint32_t i = 0; i < l->h->built.n; i++) {
        const struct fsd_built_in *b = &l->h->built.at[i];

        sprintf(to + strlen(to), "%s%s = %s\n", b->build == FSD_NONE ? "-" : "",
                fsd_text(l->names, b->fact.key), fsd_text(l->names, b->fact.value));
    }
}

static void expect_built(const char *text, const char *want)
{
    struct log l = read_log(text);
    char got[TEXT];

    spell_built(&l, got);
    assert_string_equal(got, want);
    fsd_arena_free(l.arena);
}

/* Of each option what it is unless one asks, which is not stated, and another value. */
static void each_option(void **state)
{
    static const struct {
        const char *name, *unset, *key;
    } rows[] = {{"Precision", NULL, "precision"},
                {"Workspace", NULL, NULL},
                {"Memory Pools", NULL, NULL},
                {"LayerPrecisions", NULL, NULL},
                {"Layer Device Types", NULL, NULL},
                {"Decomposable Attentions", NULL, NULL},
                {"Refit", "Disabled", NULL},
                {"Strip weights", "Disabled", NULL},
                {"Version Compatible", "Disabled", NULL},
                {"TensorRT runtime", "full", NULL},
                {"Sparsity", "Disabled", NULL},
                {"Safe mode", "Disabled", NULL},
                {"Build DLA standalone loadable", "Disabled", NULL},
                {"Allow GPU fallback for DLA", "Disabled", NULL},
                {"DirectIO mode", "Disabled", NULL},
                {"Restricted mode", "Disabled", NULL},
                {"Tactic sources", "Using default tactic sources", NULL},
                {"Heuristic", "Disabled", NULL},
                {"CPU Only Mode", "Disabled", NULL},
                {"Preview Features", "Use default preview flags.", NULL},
                {"MaxAuxStreams", "-1", NULL},
                {"BuilderOptimizationLevel", "-1", NULL},
                {"MaxTactics", "-1", NULL},
                {"Weight Streaming", "Disabled", NULL},
                {"Runtime Platform", "Same As Build", NULL},
                {"Distributive Independence", "Disabled", NULL},
                {"Input(s)s format", "fp32:CHW", NULL},
                {"Output(s)s format", "fp32:CHW", NULL},
                {"DLACore", NULL, NULL}};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        char text[TEXT], want[TEXT];

        snprintf(text, sizeof text,
                 "[I] === Build Options ===\n[I] %s: %s\n[I] %s: other\n", rows[i].name,
                 rows[i].unset ? rows[i].unset : "", rows[i].name);
        snprintf(want, sizeof want, "%s = other\n",
                 rows[i].key ? rows[i].key : rows[i].name);
        expect_built(text, want);
    }
    expect_built("[I] === Build Options ===\n[I] Calibration: \n",
                 "calibration = none\n");
    expect_built("[I] === Build Options ===\n[I] Calibration: Dynamic\n",
                 "calibration = Dynamic\n");
    expect_built("[I] === Build Options ===\n[I] Unknown: x\n[I] Refit\n", "");
}

static void sections(void **state)
{
    (void)state;
    expect_built("[I] === Model Options ===\n[I] Refit: a\n"
                 "[I] === Build Options ===\n[I] Refit: b\n"
                 "[I] === System Options ===\n[I] DLACore: c\n"
                 "[I] === Inference Options ===\n[I] Refit: d\n",
                 "Refit = b\nDLACore = c\n");
    expect_built("[I] === Build Options ===\n"
                 "[I] Memory Pools: workspace: 1024 MiB, dlaSRAM: default, "
                 "dlaLocalDRAM: default\n",
                 "Memory Pools = workspace: 1024 MiB\n");
    expect_built("[I] === Build Options ===\n"
                 "[I] Memory Pools: workspace: default, dlaSRAM: 1 MiB\n",
                 "Memory Pools = workspace: default, dlaSRAM: 1 MiB\n");
    expect_built("[I] Selected Device: X 1\n[I] Compute Capability: 8.6\n",
                 "gpu = X 1\ncompute capability = 8.6\n");
    expect_built("[I] === Device Information ===\n[I] Selected Device: X 1\n"
                 "[I] Compute Capability: 8.6\n[I] SMs: 3\n",
                 "gpu = X 1\ncompute capability = 8.6\n");
    expect_built("[I] Building engine with configuration:\n"
                 "    Flags                  | [FP16, TF32]\n"
                 "    Engine Capability      | STANDARD\n",
                 "flags = [FP16, TF32]\n");
    expect_built("    Flags                  | [FP16, TF32]\n", "");
    expect_built("[I] Building engine with configuration:\n[I] Done\n"
                 "    Flags                  | [FP16, TF32]\n",
                 "");
    expect_built("[I] Building engine with configuration:\nnothing\n"
                 "    Flags                  | [FP16, TF32]\n",
                 "");
}

static void library_and_version(void **state)
{
    (void)state;
    expect_built("[V] [TRT] Loaded shared library "
                 "libnvinfer_builder_resource_sm89.so.10.14.1\n",
                 "kernels for = sm89\nlibrary = TensorRT 10.14.1\n");
    expect_built(
        "[V] [TRT] Loaded shared library libnvinfer_builder_resource.so.8.6.1\n",
        "library = TensorRT 8.6.1\n");
    expect_built(
        "[V] [TRT] Loaded shared library libnvinfer_builder_resource_sm89.so\n", "");
    expect_built("[V] Loaded shared library "
                 "libnvinfer_builder_resource_sm89.so.10.14.1\n",
                 "");
    expect_built("&&&& RUNNING TensorRT.trtexec [TensorRT v8600] # trtexec\n",
                 "version = TensorRT 8.6.0\n");
    /* An option that trtexec's own list may not have. */
    expect_built("&&&& RUNNING TensorRT.trtexec [TensorRT v110500] # trtexec "
                 "--onnx=a.onnx --independentWeightLayouts --saveEngine=b\n",
                 "version = TensorRT 11.5.0\nIndependent weight layouts = Enabled\n");
    expect_built("&&&& RUNNING TensorRT.trtexec [TensorRT v110500] # trtexec "
                 "--onnx=a--independentWeightLayouts --independentWeightLayoutsX\n",
                 "version = TensorRT 11.5.0\n");
    expect_built("&&&& RUNNING TensorRT.trtexec [TensorRT v110500] # trtexec --safe "
                 "--loadEngineSo=b.so --independentWeightLayouts\n",
                 "version = TensorRT 11.5.0\n");
    /* How much of a PyTorch graph becomes engines. */
    expect_built(
        "DEBUG:torch_tensorrt.dynamo._compiler:Detected support for 53 "
        "operators out of 55 in subgraph.\n"
        "DEBUG:torch_tensorrt.dynamo.partitioning.common:Number of "
        "TensorRT-Accelerated Engines Generated: 2\n",
        "Supported by TensorRT = 53 of 55 operators\nEngines of TensorRT = 2\n");
    /* Another program: what was stated before is not of its engine. */
    expect_built("[I] Selected Device: X\n"
                 "&&&& RUNNING TensorRT.trtexec [TensorRT v8600] # trtexec\n"
                 "[I] Selected Device: Y\n",
                 "-gpu = X\nversion = TensorRT 8.6.0\ngpu = Y\n");
}

/* ---------------------------------------------------------------- sizes of inputs */

/* The sizes that a line states: "x 1x3 tuned 0", "x 4 run 0", "" when none. */
static void expect_shape(const char *line, const char *want)
{
    char text[TEXT], got[TEXT] = "";
    struct log l;

    snprintf(text, sizeof text, "[I] %s\n", line);
    l = read_log(text);
    for (uint32_t i = 0; i < l.h->shapes.n; i++) {
        const struct fsd_input_shape *s = &l.h->shapes.at[i];

        sprintf(got + strlen(got), "%s ", fsd_text(l.names, s->input));
        for (unsigned k = 0; k < s->n; k++)
            sprintf(got + strlen(got), "%s%lld", k ? "x" : "", (long long)s->sizes[k]);
        sprintf(got + strlen(got), " %s %d", s->run ? "run" : "tuned", (int)s->profile);
    }
    assert_string_equal(got, want);
    fsd_arena_free(l.arena);
}

static void shapes(void **state)
{
    (void)state;
    expect_shape("Input build shape: x=1x3+4x3+8x3", "x 4x3 tuned 0");
    expect_shape("Input build shape: x=4x3", "x 4x3 tuned 0");
    expect_shape("Input build shape: a=b=1+2+3", "a=b 2 tuned 0");
    expect_shape("Input build shape (profile 2): x=1+2+3", "x 2 tuned 2");
    expect_shape("Input build shape (profile x): x=1+2+3", "");
    expect_shape("Input build shape (profile 2) x=1+2+3", "");
    expect_shape("Input inference shape: x=4x3", "x 4x3 run 0");
    expect_shape("Input inference shape : x=4x3", "x 4x3 run 0");
    expect_shape("Input shape: x=4x3", "");
    expect_shape("Input build shape: x", "");
    expect_shape("Input build shape: =4", "");
    expect_shape("Set shape of input tensor x for optimization profile 1 to: MIN=1 "
                 "OPT=4x3 MAX=8",
                 "x 4x3 tuned 1");
    expect_shape("Set shape of input tensor x for optimization profile 1 to: MIN=1",
                 "");
    expect_shape("Set shape of input tensor x for optimization profile y to: OPT=4",
                 "");
    expect_shape("Set shape of input tensor x to: 4x3", "x 4x3 run 0");
    expect_shape("Set shape of input tensor x", "");
    expect_shape("Created input binding for x with dimensions 4x3", "x 4x3 run 0");
    expect_shape("Created input binding for x", "");
    /* What is no size, and more of them than there can be. */
    expect_shape("Input inference shape: x=0", "");
    expect_shape("Input inference shape: x=", "");
    expect_shape("Input inference shape: x=4x", "");
    expect_shape("Input inference shape: x=4y3", "");
    expect_shape("Input inference shape: x=-1", "");
    expect_shape("Input inference shape: x=1099511627775", "x 1099511627775 run 0");
    expect_shape("Input inference shape: x=1099511627776", "");
    expect_shape("Input inference shape: x=1x2x3x4x5x6x7x8", "x 1x2x3x4x5x6x7x8 run 0");
    expect_shape("Input inference shape: x=1x2x3x4x5x6x7x8x9", "");
}

/* ------------------------------------------------------------------------- memory */

/* "layer host device scratch activations weights" of each entry; 0 for the sums. */
static void expect_bytes(const char *text, const char *want)
{
    struct log l = read_log(text);
    char got[TEXT] = "";

    for (uint32_t i = 0; i < l.h->memory.n; i++) {
        const struct fsd_memory_use *m = &l.h->memory.at[i];

        sprintf(got + strlen(got), "%s %lld %lld %lld %lld %lld\n",
                m->layer ? fsd_text(l.names, m->layer) : "all", (long long)m->host,
                (long long)m->device, (long long)m->scratch, (long long)m->activations,
                (long long)m->weights);
    }
    assert_string_equal(got, want);
    fsd_arena_free(l.arena);
}

static void memory(void **state)
{
    (void)state;
    expect_bytes("[V] [TRT] Layer: a + b Host Persistent: 1 bytes Device Persistent: 2 "
                 "bytes Scratch Memory: 3 bytes\n"
                 "[V] [TRT] Layer: c Host Persistent: 4 Device Persistent: 5 Scratch "
                 "Memory: 6\n",
                 "a + b 1 2 3 -1 -1\nc 4 5 6 -1 -1\n");
    expect_bytes("[V] [TRT] Layer: a Host Persistent: 1 Device Persistent: x\n"
                 "[V] [TRT] Layer: a Host Persistent: x Device Persistent: 2 Scratch "
                 "Memory: 3\n"
                 "[V] [TRT] Layer: a Host Persistent: 1 Device Persistent: 2\n"
                 "[V] [TRT] Layer: a\n[I] [TRT] Total Weights Memory: x\n",
                 "");
    expect_bytes("[I] [TRT] Total Host Persistent Memory: 1 bytes\n"
                 "[I] [TRT] Total Device Persistent Memory: 2 bytes\n"
                 "[I] [TRT] Max Scratch Memory: 3 bytes\n"
                 "[I] [TRT] Total Activation Memory: 4 bytes\n"
                 "[I] [TRT] Total Weights Memory: 5 bytes\n",
                 "all 1 2 3 4 5\n");
    expect_bytes("[I] [TRT] Total Host Persistent Memory: 1\n"
                 "[V] [TRT] Layer: a Host Persistent: 7 Device Persistent: 8 Scratch "
                 "Memory: 9\n"
                 "[I] [TRT] Total Device Persistent Memory: 2\n"
                 "[I] [TRT] Total Scratch Memory: 3\n"
                 "[V] [TRT] Allocated activation device memory of size 4\n",
                 "all 1 2 3 4 -1\na 7 8 9 -1 -1\n");
    expect_bytes("[V] [TRT] Total per-runner host persistent memory is 6\n"
                 "[V] [TRT] Total per-runner device persistent memory is 7\n",
                 "all 6 7 -1 -1 -1\n");
    /* The sums of a second engine are an entry of their own. */
    expect_bytes("[I] [TRT] Total Activation Memory: 1 bytes\n"
                 "[V] [TRT] Engine Layer Information:\n"
                 "Layer(X): a, Tactic: 0x0, i (Float[1]) -> o (Half[1])\n"
                 "[V] [TRT] Original: 1 layers\n"
                 "[I] [TRT] Total Activation Memory: 2 bytes\n"
                 "[I] [TRT] Total Weights Memory: 3 bytes\n",
                 "all -1 -1 -1 1 -1\nall -1 -1 -1 2 3\n");
}

/* ----------------------------------------------------------------------- failures */

/* What the program says of a build that failed, behind "its build failed: ". */
static void expect_failure(const char *text, const char *want)
{
    static const char before[] =
        "expected an engine, found that its build failed: the ";
    struct log l = read_log(text);
    struct fsd_error err;

    assert_true(l.h->scan->failures.n > 0);
    assert_int_equal(fsd_log_fail(&l.h->scan->failures, &l.file, &err), FSD_E_FORMAT);
    assert_memory_equal(err.message, before, sizeof before - 1);
    assert_string_equal(err.message + sizeof before - 1, want);
    fsd_arena_free(l.arena);
}

static void failures(void **state)
{
    static const char record[] =
        "[E] [TRT] M.cpp:1: While parsing node number 1 [Conv -> \"y\"]:\n"
        "[E] [TRT] M.cpp:2: --- Begin node ---\ninput: \"x\"\nname: \"c\"\nop_type: "
        "\"Conv\"\n"
        "[E] [TRT] M.cpp:3: --- End node ---\n"
        "[E] [TRT] M.cpp:4: ERROR: ModelImporter.cpp:6 In function parseNode:\n"
        "[6] Invalid Node - c\nwhy\n";
    char text[TEXT];

    (void)state;
    expect_failure(record, "parser rejects node c [Conv]: Invalid Node - c: why, says "
                           "parseNode");
    snprintf(text, sizeof text, "%s%s", record, record);
    expect_failure(text,
                   "parser rejects node c [Conv] and 1 other node: Invalid Node - "
                   "c: why, says parseNode");
    snprintf(text, sizeof text, "%s%s%s", record, record, record);
    expect_failure(text,
                   "parser rejects node c [Conv] and 2 other nodes: Invalid Node - "
                   "c: why, says parseNode");
    /* Of equally complete records the first: the others may follow from it. */
    snprintf(text, sizeof text,
             "%s[E] [TRT] M.cpp:1: While parsing node number 2 [Add -> \"z\"]:\n"
             "[E] [TRT] M.cpp:4: ERROR: a.cpp:6 In function f:\n[6] no\n",
             record);
    expect_failure(text,
                   "parser rejects node c [Conv] and 1 other node: Invalid Node - "
                   "c: why, says parseNode");
    /* The parser's record states more than the builder did before. */
    snprintf(text, sizeof text, "[E] [TRT] something else\n%s", record);
    expect_failure(text, "parser rejects node c [Conv]: Invalid Node - c: why, says "
                         "parseNode");
    /* Without a node's name that of its output. */
    expect_failure("[E] [TRT] M.cpp:1: While parsing node number 1 [Conv -> \"y\"]:\n"
                   "[E] [TRT] M.cpp:4: ERROR: a.cpp:6 In function f:\n[6] no\n",
                   "parser rejects node y [Conv]: no, says f");
    expect_failure("[E] [TRT] M.cpp:4: ERROR: x:6 In function f:\n[6] no\n",
                   "parser rejects input x: no, says f");
    expect_failure("[E] [TRT] nothing is known\n",
                   "builder rejects the network: nothing is known");
    expect_failure("[F] [TRT] nothing is known\n",
                   "builder rejects the network: nothing is known");
}

/* A node's name may be a letter. */
static void short_name(void **state)
{
    (void)state;
    expect_failure("[V] [TRT] Parsing node: a [MatMul]\n"
                   "[V] [TRT] Registering layer: a for ONNX node: a\n"
                   "[E] [TRT] no kernel for a.\n",
                   "builder rejects node a: no kernel for a.");
}

/* The longest name of a node, or of its layer, that stands there as a word. */
static void names_in_sentences(void **state)
{
    static const struct {
        const char *sentence, *node;
    } cases[] = {{"no kernel for /a/MatMul.", "node /a/MatMul"},
                 {"no kernel for /a/MatMul_1.", "node /a/MatMul_1"},
                 {"/a/MatMul_1: no kernel", "node /a/MatMul_1"},
                 {"no kernel for layer_7", "node /a/MatMul_1"},
                 {"no kernel for x/a/MatMul", "the network"},
                 {"no kernel for /a/MatMul/b", "the network"},
                 {"no kernel for ./a/MatMul", "the network"},
                 {"no kernel for /a/MatMul.weight", "the network"},
                 {"no kernel for /a/MatMul. Use more", "node /a/MatMul"},
                 {"no kernel for (/a/MatMul)", "node /a/MatMul"},
                 {"no kernel", "the network"}};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        char text[TEXT], want[TEXT];

        snprintf(text, sizeof text,
                 "[V] [TRT] Parsing node: /a/MatMul [MatMul]\n"
                 "[V] [TRT] Registering layer: /a/MatMul for ONNX node: /a/MatMul\n"
                 "[V] [TRT] Parsing node: /a/MatMul_1 [MatMul]\n"
                 "[V] [TRT] Registering layer: layer_7 for ONNX node: /a/MatMul_1\n"
                 "[E] [TRT] %s\n",
                 cases[i].sentence);
        snprintf(want, sizeof want, "builder rejects %s: %s", cases[i].node,
                 cases[i].sentence);
        expect_failure(text, want);
    }
}

/* -------------------------------------------------------------- TensorRT for RTX */

static void expect_rtx(const char *before, const char *behind, bool io, bool bindings,
                       const char *want)
{
    char text[TEXT], got[32] = "";
    struct fsd_file file = {.name = "log", .bytes = (const unsigned char *)text};
    struct fsd_log_list list = {.io = io, .bindings = bindings};

    snprintf(text, sizeof text, "%sLIST%s", before, behind);
    file.size = strlen(text);
    list.at = strlen(before);
    list.end = list.at + strlen("LIST");
    assert_int_equal(fsd_log_rtx_version(&file, &list, got), want != NULL);
    assert_string_equal(got, want ? want : "");
}

static void rtx_versions(void **state)
{
    static const char told[] = "Number of target compute capabilities: 1\n";

    (void)state;
    expect_rtx("", "\nEngine Metadata:\n", true, true, NULL);
    expect_rtx("", told, true, true, NULL);
    expect_rtx(told, "\r\n\nEngine Metadata:\n", true, true,
               "TensorRT for RTX 1.6 or later");
    expect_rtx(told, "\nOther:\n", true, true, "TensorRT for RTX 1.5");
    expect_rtx(told, "", false, true, "TensorRT for RTX 1.4 or earlier");
    expect_rtx(told, "", false, false, "TensorRT for RTX");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option),
        cmocka_unit_test(sections),
        cmocka_unit_test(library_and_version),
        cmocka_unit_test(shapes),
        cmocka_unit_test(memory),
        cmocka_unit_test(failures),
        cmocka_unit_test(names_in_sentences),
        cmocka_unit_test(short_name),
        cmocka_unit_test(rtx_versions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
