#include "onnx/parts.h"
#include "base/id.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { PEEK = 512 };

struct magic {
    uint16_t at, n;
    const char *bytes;
    enum fsd_status status;
    const char *looks; /* "found X" */
};

/* The first that fits is taken. */
static const struct magic magics[] = {
    {0, 4, "ftrt", FSD_E_UNSUPPORTED,
     "a serialized TensorRT engine; the model comes first, and of the engine its JSON "
     "dump is read (trtexec --loadEngine=FILE --exportLayerInfo=engine.graph.json "
     "--profilingVerbosity=detailed)"},
    {0, 4, "ptrt", FSD_E_UNSUPPORTED,
     "a serialized TensorRT engine; the model comes first, and of the engine its JSON "
     "dump is read (trtexec --loadEngine=FILE --exportLayerInfo=engine.graph.json "
     "--profilingVerbosity=detailed)"},
    {4, 4, "TFL3", FSD_E_UNSUPPORTED, "a TensorFlow Lite model"},
    {4, 4, "ORTM", FSD_E_UNSUPPORTED, "an ONNX Runtime .ort model; give the .onnx one"},
    {0, 4, "PK\3\4", FSD_E_UNSUPPORTED,
     "a ZIP archive, such as a PyTorch .pt file; export it to ONNX first"},
    {0, 2, "\x80\x02", FSD_E_UNSUPPORTED,
     "a Python pickle, such as an old PyTorch file; export it to ONNX first"},
    {0, 2, "\x1f\x8b", FSD_E_UNSUPPORTED, "a gzip archive; unpack it first"},
    {257, 5, "ustar", FSD_E_UNSUPPORTED, "a tar archive; unpack it first"},
    {4, 5, "\0\0\0\0{", FSD_E_UNSUPPORTED,
     "a safetensors file, which holds weights only; export the model to ONNX"},
    {0, 8, "\x89HDF\r\n\x1a\n", FSD_E_UNSUPPORTED,
     "an HDF5 file, such as a Keras model"},
    {0, 34, "version https://git-lfs.github.com", FSD_E_FORMAT,
     "a Git LFS pointer; get the model itself with 'git lfs pull'"},
    {0, 1, "{", FSD_E_FORMAT,
     "what looks like JSON; the model comes first, the engine's dump second"},
    {0, 1, "[", FSD_E_FORMAT,
     "what looks like JSON; the model comes first, the engine's dump second"},
    {0, 1, "<", FSD_E_FORMAT, "what looks like XML or HTML"},
};

static enum fsd_status refuse(const struct fsd_file *file, struct fsd_error *err,
                              enum fsd_status status, const char *found)
{
    return fsd_fail(err, status, file->name, FSD_POS_NONE, 0,
                    "expected an ONNX model, found %s", found);
}

/* Where the bytes are the start of more, the last character may be cut. */
static bool is_text(const unsigned char *s, size_t n, bool cut)
{
    size_t len;

    for (; n && (len = fsd_utf8_len(s, n)); s += len, n -= len)
        if (!fsd_is_space((char)*s) && (*s < 0x20 || *s == 0x7f))
            return false;
    return n <= (cut ? 3 : 0);
}

enum fsd_status fsd_onnx_sniff(const struct fsd_file *file, struct fsd_error *err)
{
    const unsigned char *s = file->bytes;
    size_t n = file->size < PEEK ? file->size : PEEK;

    if (!n)
        return refuse(file, err, FSD_E_FORMAT, "an empty file");
    if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) { /* a byte order mark */
        s += 3;
        n -= 3;
    }
    while (n && fsd_is_space((char)*s)) {
        s++;
        n--;
    }
    for (size_t i = 0; i < FSD_COUNT_OF(magics); i++) {
        const struct magic *m = &magics[i];

        if (n >= (size_t)m->at + m->n && !memcmp(s + m->at, m->bytes, m->n))
            return refuse(file, err, m->status, m->looks);
    }
    return is_text(s, n, file->size > PEEK) ? refuse(file, err, FSD_E_FORMAT, "text")
                                           : FSD_OK;
}
