/* Writes text with holes, and converts texts: identifiers, numbers, types. */
#include "base/base.h"
#include "edit/code/code.h"

#include <stdarg.h>

void fsd_words_put(struct fsd_code_words *w, const char *text)
{
    for (; *text; text++)
        fsd_vec_push(w->arena, &w->text, *text);
}

void fsd_words_printf(struct fsd_code_words *w, const char *format, ...)
{
    struct fsd_print print;
    va_list args;

    va_start(args, format);
    vfprintf(fsd_print_open(&print), format, args); /* NOLINT: checked when closed */
    va_end(args);
    fsd_words_put(w, fsd_print_take(&print, w->arena));
}

void fsd_words_slot(struct fsd_code_words *w, enum fsd_slot_kind kind, const char *text)
{
    fsd_vec_push(w->arena, &w->text, FSD_HOLE);
    fsd_vec_push(w->arena, &w->slots, ((struct fsd_slot){kind, text}));
}

void fsd_code_tuple(const int64_t *at, uint32_t n, struct fsd_code_words *w)
{
    fsd_words_put(w, "(");
    for (uint32_t i = 0; i < n; i++)
        fsd_words_printf(w, "%s%lld", i ? ", " : "", (long long)at[i]);
    fsd_words_put(w, n == 1 ? ",)" : ")");
}

const char *fsd_code_type(enum fsd_dtype type)
{
    static const char *const names[FSD__DTYPE_COUNT] = {
        [FSD_FP32] = "trt.float32",  [FSD_FP16] = "trt.float16",
        [FSD_BF16] = "trt.bfloat16", [FSD_FP8] = "trt.fp8",
        [FSD_FP4] = "trt.fp4",       [FSD_INT64] = "trt.int64",
        [FSD_INT32] = "trt.int32",   [FSD_INT8] = "trt.int8",
        [FSD_UINT8] = "trt.uint8",   [FSD_INT4] = "trt.int4",
        [FSD_BOOL] = "trt.bool"};

    return names[type];
}

/* Whether the word is a keyword of Python, or a built-in name or module that the
 * program uses. */
static bool is_taken(const char *word)
{
    static const char words[] =
        " and as assert async await break case class continue def del elif else except "
        "finally for from global if import in is lambda match nonlocal not or pass "
        "raise return try type while with none true false print all any array at bool "
        "bytes dict enumerate float getattr hasattr inputs int isinstance key len "
        "list main max min module network np numpy_helper onnx open os argparse "
        "profile_of range reversed row set setattr slice str sum sys "
        "tensorrt_rtx_libs torch f trt tuple w zip define load parser n ";

    return fsd_list_has(words, word);
}

const char *fsd_code_identifier(struct fsd_arena *arena, const char *text)
{
    enum { MOST = 40 };
    char word[MOST + 1] = "";
    size_t n = 0;

    for (const char *at = text; *at && n < MOST; at++) {
        char c = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;

        if (!fsd_is_word(c))
            c = '_';
        if (!(c == '_' && (!n || word[n - 1] == '_')))
            word[n++] = c;
    }
    while (n && word[n - 1] == '_')
        n--;
    word[n] = '\0';
    if (!n || fsd_is_digit(word[0]))
        return fsd_printed(arena, "m%s", word);
    return fsd_printed(arena, "%s%s", word,
                       is_taken(word) || fsd_code_is_helper(word) ? "_" : "");
}

const char *fsd_code_leaf(const char *path)
{
    const char *leaf = strrchr(path, '/');

    if (leaf)
        return leaf + 1;
    for (leaf = path + strlen(path); leaf > path; leaf--)
        if (leaf[-1] == '.' && !fsd_is_digit(*leaf))
            break;
    return leaf;
}

const char *fsd_code_numpy_type(enum fsd_dtype type)
{
    static const char *const names[FSD__DTYPE_COUNT] = {
        [FSD_FP64] = "float32", [FSD_FP32] = "float32", [FSD_FP16] = "float16",
        [FSD_INT64] = "int64",  [FSD_INT32] = "int32",  [FSD_INT8] = "int8",
        [FSD_UINT8] = "uint8",  [FSD_BOOL] = "bool"};

    return names[type];
}

const char *fsd_code_snake(struct fsd_arena *arena, const char *class)
{
    struct fsd_code_words w = {.arena = arena};

    for (const char *at = class; *at; at++) {
        bool begins =
            at > class && *at >= 'A' && *at <= 'Z' &&
            ((at[-1] >= 'a' && at[-1] <= 'z') || (at[1] >= 'a' && at[1] <= 'z'));

        fsd_words_put(&w, begins ? "_" : "");
        fsd_words_put(&w, (const char[]){*at, '\0'});
    }
    return fsd_arena_strndup(arena, w.text.at, w.text.n);
}
