/*
 * Guesses the type of a file from its first bytes: a binary file by a table of magic
 * numbers, text by its first characters.  The guess decides only the words of a
 * message, or which reader is tried first.  A file of unknown type is therefore
 * FSD_FILETYPE_BINARY or FSD_FILETYPE_TEXT, not an error.  The hard case is '[', which
 * opens both a JSON list and the time stamp of a log line.
 */
#include "base/base.h"
#include "base/file_type.h"
#include "host/files.h"

bool fsd_file_has_at(const struct fsd_file *file, size_t at, const char *bytes,
                     size_t n)
{
    return file->size >= at && file->size - at >= n &&
           !memcmp(file->bytes + at, bytes, n);
}

bool fsd_file_has_word(const struct fsd_file *file, size_t within, const char *word)
{
    size_t n = file->size < within ? file->size : within;

    return memmem(file->bytes, n, word, strlen(word)) != NULL;
}

size_t fsd_file_text_start(const struct fsd_file *file)
{
    size_t at = fsd_file_has_at(file, 0, "\xef\xbb\xbf", 3) ? 3 : 0;

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
static enum fsd_file_type look_at_text(const unsigned char *s, size_t n)
{
    size_t i = 1;

    if (s[0] == '{')
        return FSD_FILETYPE_JSON;
    if (s[0] == '<' && n > 1 && memchr("?!h", s[1], 3))
        return FSD_FILETYPE_XML;
    while (i < n && fsd_is_space((char)s[i]))
        i++;
    if (s[0] == '[' && (i == n || memchr("{\"[]", s[i], 4) ||
                        (n - i >= 4 && !memcmp(s + i, "null", 4)) ||
                        (n - i >= 4 && !memcmp(s + i, "true", 4))))
        return FSD_FILETYPE_JSON;
    if (is_binary(s, n))
        return FSD_FILETYPE_BINARY;
    if (s[0] == '[' && (s[i] == '-' || (s[i] >= '0' && s[i] <= '9')) &&
        !(n - i > 2 && (s[i + 2] == '/' || s[i + 2] == ':')) &&
        !(n - i > 4 && s[i + 4] == '-'))
        return FSD_FILETYPE_LIST;
    return FSD_FILETYPE_TEXT;
}

enum fsd_file_type fsd_file_type_of(const struct fsd_file *file)
{
    static const struct {
        uint16_t at, n;
        const char *bytes;
        enum fsd_file_type type;
    } magics[] = {{0, 4, "ftrt", FSD_FILETYPE_PLAN},
                  {0, 4, "ptrt", FSD_FILETYPE_PLAN},
                  {4, 4, "TFL3", FSD_FILETYPE_TFLITE},
                  {4, 4, "ORTM", FSD_FILETYPE_ORT},
                  {4, 5, "\0\0\0\0{", FSD_FILETYPE_SAFETENSORS},
                  {0, 8, "\x89HDF\r\n\x1a\n", FSD_FILETYPE_HDF5},
                  {0, 4, "\x89PNG", FSD_FILETYPE_PICTURE},
                  {0, 3, "\xff\xd8\xff", FSD_FILETYPE_PICTURE},
                  {0, 4, "GIF8", FSD_FILETYPE_PICTURE},
                  {8, 4, "WEBP", FSD_FILETYPE_PICTURE},
                  {0, 5, "%PDF-", FSD_FILETYPE_PDF},
                  {0, 4,
                   "\x7f"
                   "ELF",
                   FSD_FILETYPE_PROGRAM},
                  {0, 8, "!<arch>\n", FSD_FILETYPE_PROGRAM},
                  {0, 15, "SQLite format 3", FSD_FILETYPE_DATABASE},
                  {0, 6, "\x93NUMPY", FSD_FILETYPE_NUMPY},
                  {0, 4, "GGUF", FSD_FILETYPE_GGUF},
                  {0, 2, "\x80\x02", FSD_FILETYPE_PICKLE},
                  {0, 4, "PK\3\4", FSD_FILETYPE_ZIP},
                  {257, 5, "ustar", FSD_FILETYPE_TAR},
                  {0, 34, "version https://git-lfs.github.com", FSD_FILETYPE_LFS}};
    const unsigned char *s = file->bytes;
    size_t n = file->size, start;

    for (size_t i = 0; i < FSD_COUNT_OF(magics); i++)
        if (fsd_file_has_at(file, magics[i].at, magics[i].bytes, magics[i].n))
            return magics[i].type;
    if (fsd_is_compressed(file))
        return FSD_FILETYPE_COMPRESSED;
    /* A byte order mark followed by an ASCII character. */
    if (n >= 4 && ((s[0] == 0xff && s[1] == 0xfe && s[2] && !s[3]) ||
                   (s[0] == 0xfe && s[1] == 0xff && !s[2] && s[3])))
        return FSD_FILETYPE_UTF16;
    /* An ONNX file is a protobuf message.  Its first field is nearly always ir_version,
     * a small number; another field of ModelProto follows. */
    if (n >= 3 && s[0] == 0x08 && s[1] > 0 && s[1] < 0x20 && s[2] &&
        memchr("\x12\x1a\x22\x28\x32\x3a\x42", s[2], 7))
        return FSD_FILETYPE_ONNX;
    start = fsd_file_text_start(file);
    return start < n ? look_at_text(s + start, n - start) : FSD_FILETYPE_EMPTY;
}

const char *fsd_file_type_noun(enum fsd_file_type type)
{
    static const char *const nouns[FSD_N_FILE_TYPES] = {
        [FSD_FILETYPE_EMPTY] = "an empty file",
        [FSD_FILETYPE_JSON] = "JSON",
        [FSD_FILETYPE_LIST] = "a list of numbers",
        [FSD_FILETYPE_ONNX] = "an ONNX model",
        [FSD_FILETYPE_ORT] = "an ONNX Runtime .ort model",
        [FSD_FILETYPE_PLAN] = "a serialized TensorRT engine",
        [FSD_FILETYPE_TFLITE] = "a TensorFlow Lite model",
        [FSD_FILETYPE_SAFETENSORS] = "a safetensors file, which holds weights only",
        [FSD_FILETYPE_HDF5] = "an HDF5 file, such as a Keras model",
        [FSD_FILETYPE_PICKLE] = "a Python pickle, such as an old PyTorch file",
        [FSD_FILETYPE_ZIP] = "a ZIP archive, such as a PyTorch .pt file",
        [FSD_FILETYPE_COMPRESSED] = "a compressed file (gzip, xz or zstd)",
        [FSD_FILETYPE_TAR] = "a tar archive",
        [FSD_FILETYPE_LFS] = "a Git LFS pointer",
        [FSD_FILETYPE_XML] = "an XML or HTML file",
        [FSD_FILETYPE_UTF16] = "UTF-16 text",
        [FSD_FILETYPE_PICTURE] = "a picture",
        [FSD_FILETYPE_PDF] = "a PDF document",
        [FSD_FILETYPE_PROGRAM] = "a program or a library",
        [FSD_FILETYPE_DATABASE] =
            "a database (SQLite), such as a report of Nsight Systems",
        [FSD_FILETYPE_NUMPY] = "a NumPy array",
        [FSD_FILETYPE_GGUF] = "a llama.cpp model (GGUF)",
        [FSD_FILETYPE_BINARY] = "a binary file",
        [FSD_FILETYPE_TEXT] = "text",
    };

    return nouns[type];
}
