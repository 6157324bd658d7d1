/* Prints the head of a program: the beginning of helpers.py, and those functions of
 * helpers.py that the program calls. */
#include "base/base.h"
#include "edit/code/code.h"

/* helpers.py with a terminating zero byte; see embed.cmake. */
extern const unsigned char fsd_code_helpers[];

/* A function of helpers.py, including the two empty lines before it. */
struct helper {
    const char *text, *name;
    size_t n, name_n;
    bool needed;
};

typedef FSD_VEC(struct helper) helper_vec;

static const char mark[] = "\n\n\ndef ";

/* The whole text of helpers.py, zero-terminated. */
static const char *source(void)
{
    return (const char *)fsd_code_helpers;
}

bool fsd_code_is_helper(const char *word)
{
    size_t n = strlen(word);
    const char *text = source(), *at = text;

    while ((at = strstr(at, word)) != NULL) {
        bool begins = at == text || at[-1] == '\n' ||
                      (at - text >= 4 && !strncmp(at - 4, "def ", 4));

        if (begins && (at[n] == '(' || at[n] == ' '))
            return true;
        at++;
    }
    return false;
}

static void find_helpers(struct fsd_arena *arena, helper_vec *helpers)
{
    const char *at = strstr(source(), mark);

    while (at) {
        const char *next = strstr(at + 1, mark), *name = at + sizeof mark - 1;
        struct helper helper = {at, name, next ? (size_t)(next - at) : strlen(at),
                                strcspn(name, "("), false};

        fsd_vec_push(arena, helpers, helper);
        at = next;
    }
}

static bool calls(const char *text, size_t n, const struct helper *helper)
{
    for (size_t i = 0; i + helper->name_n < n; i++)
        if (!memcmp(text + i, helper->name, helper->name_n) &&
            text[i + helper->name_n] == '(' &&
            (!i || (!fsd_is_word(text[i - 1]) && text[i - 1] != '.')))
            return true;
    return false;
}

/* Marks the helpers that a text calls, and all helpers that marked helpers call. */
static void need(helper_vec *helpers, const char *text, size_t n)
{
    for (uint32_t i = 0; i < helpers->n; i++)
        if (!helpers->at[i].needed && calls(text, n, &helpers->at[i])) {
            helpers->at[i].needed = true;
            need(helpers, helpers->at[i].text + sizeof mark,
                 helpers->at[i].n - sizeof mark);
        }
}

/* The import of the builder. TensorRT for RTX has its own package, and its Python
 * wheels can be installed without tensorrt. */
static const char import_trt[] = "import tensorrt as trt\n";
static const char import_rtx[] =
    "try:\n"
    "    import tensorrt_rtx as trt\n"
    "except ImportError:\n"
    "    import tensorrt_rtx_libs  # noqa: F401 (loads the shared libraries)\n"
    "    import tensorrt_rtx_bindings as trt\n";

static void put_preamble(const char *end, bool rtx, FILE *out)
{
    const char *import = strstr(source(), import_trt);
    const char *rest = import + sizeof import_trt - 1;

    fwrite(source(), 1, (size_t)(import - source()), out);
    if (rtx) { /* the import of TensorRT for RTX follows the other imports */
        const char *last = strstr(rest, "\n\n");

        fwrite(rest, 1, (size_t)(last + 1 - rest), out);
        fprintf(out, "\n%s", import_rtx);
        rest = last + 1;
    } else {
        fputs(import_trt, out);
    }
    fwrite(rest, 1, (size_t)(end - rest), out);
}

void fsd_code_print_helpers(struct fsd_arena *arena, const char *calls, bool rtx,
                            FILE *out)
{
    helper_vec helpers = {0};
    const char *first = strstr(source(), mark);

    find_helpers(arena, &helpers);
    need(&helpers, calls, strlen(calls));
    put_preamble(first, rtx, out);
    for (uint32_t i = 0; i < helpers.n; i++)
        if (helpers.at[i].needed)
            fwrite(helpers.at[i].text, 1, helpers.at[i].n, out);
}
