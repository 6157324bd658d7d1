/*
 * Telling files apart.  A wrong guess costs only a less helpful message, so the tests
 * are short; what is JSON is decided by the JSON reader, which then tells layers from
 * profiles.
 */
#define _GNU_SOURCE /* memmem */
#include "engine/reader.h"

#include <string.h>

bool fsd_looks_like(const struct fsd_file *file, size_t at, const char *bytes, size_t n)
{
    return file->size >= at && file->size - at >= n &&
           !memcmp(file->bytes + at, bytes, n);
}

bool fsd_look_for(const struct fsd_file *file, size_t within, const char *word)
{
    size_t n = file->size < within ? file->size : within;

    return memmem(file->bytes, n, word, strlen(word)) != NULL;
}

size_t fsd_look_start(const struct fsd_file *file)
{
    size_t at = fsd_looks_like(file, 0, "\xef\xbb\xbf", 3) ? 3 : 0;

    while (at < file->size && fsd_is_space((char)file->bytes[at]))
        at++;
    return at;
}

static bool is_binary(const unsigned char *s, size_t n)
{
    size_t odd = 0;

    n = n < 512 ? n : 512;
    for (size_t i = 0; i < n; i++) {
        if (!s[i])
            return true;
        odd += s[i] < 0x20 && !fsd_is_space((char)s[i]) && s[i] != 0x1b &&
               s[i] != 0x1e && s[i] != 0x1f;
    }
    return odd > n / 8;
}

/* "[" opens a JSON list, but also each line of a log: "[03/19/2022-12:28:30] [V]",
 * "[2023-05-01 12:00:00]". */
static enum fsd_look look_at_text(const unsigned char *s, size_t n)
{
    size_t i = 1;

    if (s[0] == '{')
        return FSD_LOOK_JSON;
    while (i < n && fsd_is_space((char)s[i]))
        i++;
    if (s[0] == '[' && (i == n || memchr("{\"[]", s[i], 4) ||
                        (n - i >= 4 && !memcmp(s + i, "null", 4)) ||
                        (n - i >= 4 && !memcmp(s + i, "true", 4))))
        return FSD_LOOK_JSON;
    if (is_binary(s, n))
        return FSD_LOOK_BINARY;
    if (s[0] == '[' && (s[i] == '-' || (s[i] >= '0' && s[i] <= '9')) &&
        !(n - i > 2 && (s[i + 2] == '/' || s[i + 2] == ':')) &&
        !(n - i > 4 && s[i + 4] == '-'))
        return FSD_LOOK_LIST;
    return FSD_LOOK_TEXT;
}

enum fsd_look fsd_look(const struct fsd_file *file)
{
    static const struct {
        uint8_t at, n;
        const char *bytes;
        enum fsd_look look;
    } magics[] = {{0, 4, "PK\x03\x04", FSD_LOOK_ZIP},
                  {0, 2, "\x1f\x8b", FSD_LOOK_GZIP},
                  {4, 4, "TFL3", FSD_LOOK_TFLITE},
                  {0, 2, "\xff\xfe", FSD_LOOK_UTF16},
                  {0, 2, "\xfe\xff", FSD_LOOK_UTF16}};
    const unsigned char *s = file->bytes;
    size_t n = file->size, start;

    for (size_t i = 0; i < FSD_COUNT_OF(magics); i++)
        if (fsd_looks_like(file, magics[i].at, magics[i].bytes, magics[i].n))
            return magics[i].look;
    /* An ONNX file is a protobuf message whose first field is nearly always ir_version,
     * a small number; then comes another of ModelProto's fields. */
    if (n >= 3 && s[0] == 0x08 && s[1] > 0 && s[1] < 0x20 && s[2] &&
        memchr("\x12\x1a\x22\x28\x32\x3a\x42", s[2], 7))
        return FSD_LOOK_ONNX;
    start = fsd_look_start(file);
    return start < n ? look_at_text(s + start, n - start) : FSD_LOOK_EMPTY;
}
