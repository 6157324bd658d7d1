/*
 * Telling files apart.  A wrong guess costs only a less helpful message, so the tests
 * are short; what is JSON is decided by the JSON reader, which then tells layers from
 * profiles.
 */
#include "trt/sniff.h"

#include <string.h>

/* How far the text is searched for words that tell a log from other text: a log may
 * open with a page of trtexec's options. */
enum { SEARCHED = 1 << 16 };

static bool starts(const unsigned char *s, size_t n, const char *with, size_t len)
{
    return n >= len && !memcmp(s, with, len);
}

static bool contains(const unsigned char *s, size_t n, const char *word)
{
    size_t len = strlen(word);

    for (; n >= len; s++, n--) {
        const unsigned char *at = memchr(s, word[0], n - len + 1);

        if (!at)
            return false;
        n -= (size_t)(at - s);
        s = at;
        if (!memcmp(s, word, len))
            return true;
    }
    return false;
}

static bool is_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Ultralytics puts a length and a JSON text before the engine. */
static bool is_wrapped_engine(const unsigned char *s, size_t n)
{
    size_t len;

    if (n < 5 || s[4] != '{')
        return false;
    len = (size_t)s[0] | (size_t)s[1] << 8 | (size_t)s[2] << 16 | (size_t)s[3] << 24;
    return len < n - 4 && starts(s + 4 + len, n - 4 - len, "ftrt", 4);
}

/* An ONNX file is a protobuf message whose first field is nearly always ir_version,
 * a small number; then comes another of ModelProto's fields. */
static bool is_onnx(const unsigned char *s, size_t n)
{
    return n >= 3 && s[0] == 0x08 && s[1] > 0 && s[1] < 0x20 && s[2] &&
           memchr("\x12\x1a\x22\x28\x32\x3a\x42", s[2], 7);
}

static bool is_binary(const unsigned char *s, size_t n)
{
    size_t odd = 0;

    if (n > 512)
        n = 512;
    for (size_t i = 0; i < n; i++) {
        if (!s[i])
            return true;
        odd += s[i] < 0x20 && !is_space(s[i]) && s[i] != 0x1b && s[i] != 0x1e &&
               s[i] != 0x1f;
    }
    return odd > n / 8;
}

static enum fsd_look sniff_text(const unsigned char *s, size_t n)
{
    static const char *const log_words[] = {"[TRT]",  "[TensorRT]", "\nLayer(",
                                            "\n[V] ", "\n[I] ",     "&&&& RUNNING"};

    if (n > SEARCHED)
        n = SEARCHED;
    if (starts(s, n, "[V] ", 4) || starts(s, n, "[I] ", 4) || starts(s, n, "Layer(", 6))
        return FSD_LOOK_LOG;
    for (size_t i = 0; i < sizeof log_words / sizeof *log_words; i++)
        if (contains(s, n, log_words[i]))
            return FSD_LOOK_LOG;
    if (contains(s, n, ", LayerType: ") || contains(s, n, "\nLayers:") ||
        starts(s, n, "Layers:", 7))
        return FSD_LOOK_INSPECTOR;
    return FSD_LOOK_TEXT;
}

/* "[" opens a JSON list, but also each line of a log: "[03/19/2022-12:28:30] [V]",
 * "[2023-05-01 12:00:00]". */
static bool is_json(const unsigned char *s, size_t n)
{
    size_t i = 1;

    if (s[0] == '{')
        return true;
    if (s[0] != '[')
        return false;
    while (i < n && is_space(s[i]))
        i++;
    if (i == n || s[i] == '{' || s[i] == '"' || s[i] == '[' || s[i] == ']')
        return true;
    if (starts(s + i, n - i, "null", 4) || starts(s + i, n - i, "true", 4))
        return true;
    /* Logs begin with times in brackets, and one that was cut with sizes. */
    return (s[i] == '-' || (s[i] >= '0' && s[i] <= '9')) &&
           !(n - i > 2 && (s[i + 2] == '/' || s[i + 2] == ':')) &&
           !(n - i > 4 && s[i + 4] == '-') && sniff_text(s, n) == FSD_LOOK_TEXT;
}

enum fsd_look fsd_sniff(const unsigned char *bytes, size_t n)
{
    if (starts(bytes, n, "ftrt", 4) || starts(bytes, n, "ptrt", 4) ||
        is_wrapped_engine(bytes, n))
        return FSD_LOOK_ENGINE;
    if (starts(bytes, n, "PK\x03\x04", 4))
        return FSD_LOOK_ZIP;
    if (starts(bytes, n, "\x1f\x8b", 2))
        return FSD_LOOK_GZIP;
    if (n >= 8 && starts(bytes + 4, n - 4, "TFL3", 4))
        return FSD_LOOK_TFLITE;
    if (starts(bytes, n, "\xff\xfe", 2) || starts(bytes, n, "\xfe\xff", 2))
        return FSD_LOOK_UTF16;
    if (is_onnx(bytes, n))
        return FSD_LOOK_ONNX;
    if (starts(bytes, n, "\xef\xbb\xbf", 3)) {
        bytes += 3;
        n -= 3;
    }
    while (n && is_space(*bytes)) {
        bytes++;
        n--;
    }
    if (!n)
        return FSD_LOOK_EMPTY;
    if (is_json(bytes, n))
        return FSD_LOOK_JSON;
    if (is_binary(bytes, n))
        return FSD_LOOK_BINARY;
    return sniff_text(bytes, n);
}

bool fsd_is_log(const struct fsd_file *file)
{
    return fsd_sniff(file->bytes, file->size) == FSD_LOOK_LOG;
}

bool fsd_may_be_log(const struct fsd_file *file)
{
    enum fsd_look look = fsd_sniff(file->bytes, file->size);

    return look == FSD_LOOK_LOG || look == FSD_LOOK_TEXT || look == FSD_LOOK_BINARY ||
           look == FSD_LOOK_INSPECTOR || look == FSD_LOOK_EMPTY;
}
