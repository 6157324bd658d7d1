/*
 * From a file to a graph: what it looks like decides who reads it, or what to tell
 * somebody who gave the wrong one.
 */
#include "trt/json.h"
#include "trt/sniff.h"
#include "trt/trt.h"

#include <string.h>
#include <xxhash.h>

/* The largest dumps seen have some 50 MB. */
static const uint64_t size_max = (uint64_t)1 << 28;

static enum fsd_status refuse(const struct fsd_file *file, struct fsd_error *err,
                              const char *what)
{
    return fsd_fail(err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
                    "expected an engine's layers as JSON, found %s", what);
}

static enum fsd_status refuse_engine(const struct fsd_file *file, struct fsd_error *err)
{
    bool plain = file->name && strcmp(file->name, "-") != 0 && strlen(file->name) < 120;
    const char *name = plain ? file->name : "FILE";

    return fsd_fail(
        err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
        "this is a serialized engine, not a dump of its layers; run: trtexec "
        "--loadEngine=%s --profilingVerbosity=detailed --exportLayerInfo=%s.json (and "
        "build it with --profilingVerbosity=detailed, or the layers have names only)",
        name, name);
}

static enum fsd_status refuse_text(const struct fsd_file *file, struct fsd_error *err)
{
    return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, 0,
                    "expected JSON, which begins with '{' or '[', found other text");
}

static enum fsd_status read_look(struct fsd_build *b, const struct fsd_file *file,
                                 struct fsd_error *err)
{
    switch (fsd_sniff(file->bytes, file->size)) {
    case FSD_LOOK_EMPTY:
        return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, file->size,
                        "expected JSON, found the end of the file");
    case FSD_LOOK_JSON:
        return fsd_json_read(b, file, err);
    case FSD_LOOK_ENGINE:
        return refuse_engine(file, err);
    case FSD_LOOK_LOG:
        return refuse(file, err, "a builder's log, which is not read yet");
    case FSD_LOOK_INSPECTOR:
        return refuse(file, err,
                      "the inspector's text, which is not read yet; ask it "
                      "for JSON (LayerInformationFormat::kJSON)");
    case FSD_LOOK_ONNX:
        return refuse(file, err, "an ONNX model; the engine's dump comes second");
    case FSD_LOOK_TFLITE:
        return refuse(file, err, "a TensorFlow Lite model");
    case FSD_LOOK_ZIP:
        return refuse(file, err, "a ZIP archive; unpack it first");
    case FSD_LOOK_GZIP:
        return refuse(file, err, "a gzip archive; unpack it first");
    case FSD_LOOK_UTF16:
        return refuse(file, err, "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8");
    case FSD_LOOK_BINARY:
        return refuse(file, err,
                      "a binary file; of a serialized engine, give what "
                      "trtexec --loadEngine=... --exportLayerInfo=... wrote");
    case FSD_LOOK_TEXT:
        break;
    }
    return refuse_text(file, err);
}

enum fsd_status fsd_trt_load(struct fsd_graph *g, const struct fsd_file *file,
                             const struct fsd_vocab *vocab, struct fsd_error *err)
{
    struct fsd_build b;
    XXH128_hash_t hash;
    enum fsd_status status;

    if (file->size > size_max)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected a dump of at most %llu bytes, found %llu",
                        (unsigned long long)size_max, (unsigned long long)file->size);
    fsd_build_init(&b, g, vocab);
    g->path = file->name;
    status = read_look(&b, file, err);
    if (status != FSD_OK)
        return status;
    g->kind = g->detailed ? "trt-json" : "trt-names";
    hash = XXH3_128bits(file->bytes, file->size);
    g->hash[0] = hash.low64;
    g->hash[1] = hash.high64;
    fsd_build_finish(&b);
    return FSD_OK;
}
