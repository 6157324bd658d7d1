/*
 * From a file to a graph: what it looks like decides who reads it, or what to tell
 * somebody who gave the wrong one.
 */
#include "base/digest.h"
#include "base/status.h"
#include "log/version.h"
#include "trt/json.h"
#include "trt/log_engine.h"
#include "trt/sniff.h"
#include "trt/trt.h"

#include <string.h>

/* The largest dumps seen have some 50 MB.  Text is read line by line. */
static const uint64_t size_max = (uint64_t)1 << 28;
enum { HASH_STEP = 1 << 22 };

/* Which engine of a log, and what is known of the log; NULL: nothing. */
struct wanted {
    unsigned number;
    const struct fsd_log_scan *scan;
};

static enum fsd_status refuse(const struct fsd_file *file, struct fsd_error *err,
                              const char *what)
{
    return fsd_fail(err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
                    "expected an engine's layers, found %s", what);
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

static enum fsd_status read_json(struct fsd_build *b, const struct fsd_file *file,
                                 const char **kind, struct fsd_error *err)
{
    enum fsd_status status;

    if (file->size > size_max)
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                        "expected a dump of at most %llu bytes, found %llu",
                        (unsigned long long)size_max, (unsigned long long)file->size);
    status = fsd_json_read(b, file, err);
    *kind = b->g->detailed ? "trt-json" : "trt-names";
    return status;
}

/* Text is a log when an engine is found in it, however it begins. */
static enum fsd_status read_text(struct fsd_build *b, const struct fsd_file *file,
                                 const struct wanted *wanted, enum fsd_look look,
                                 const char **kind, struct fsd_error *err)
{
    enum fsd_status status =
        fsd_log_engine_read(b, file, wanted->number, wanted->scan, kind, err);
    char version[32];

    if (status == FSD_OK && fsd_log_version(file, version))
        b->version = fsd_intern_str(b->g->names, version);
    if (status != FSD_E_FORMAT)
        return status;
    if (look == FSD_LOOK_BINARY)
        return refuse(file, err,
                      "a binary file; of a serialized engine, give what "
                      "trtexec --loadEngine=... --exportLayerInfo=... wrote");
    if (look == FSD_LOOK_TEXT)
        return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, 0,
                        "expected JSON, which begins with '{' or '[', or a build log "
                        "with an engine's layers, found other text");
    return status;
}

static enum fsd_status read_look(struct fsd_build *b, const struct fsd_file *file,
                                 const struct wanted *wanted, const char **kind,
                                 struct fsd_error *err)
{
    enum fsd_look look = fsd_sniff(file->bytes, file->size);

    switch (look) {
    case FSD_LOOK_EMPTY:
        return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, file->size,
                        "expected an engine's layers, found the end of the file");
    case FSD_LOOK_JSON:
        return read_json(b, file, kind, err);
    case FSD_LOOK_ENGINE:
        return refuse_engine(file, err);
    case FSD_LOOK_LOG:
    case FSD_LOOK_INSPECTOR:
    case FSD_LOOK_BINARY:
    case FSD_LOOK_TEXT:
        return read_text(b, file, wanted, look, kind, err);
    case FSD_LOOK_ONNX:
        return refuse(file, err, "an ONNX model; the engine's dump comes second");
    case FSD_LOOK_TFLITE:
        return refuse(file, err, "a TensorFlow Lite model");
    case FSD_LOOK_ZIP:
        return refuse(file, err, "a ZIP archive; unpack it first");
    case FSD_LOOK_GZIP:
        return refuse(file, err, "a gzip archive; unpack it first");
    case FSD_LOOK_UTF16:
        break;
    }
    return refuse(file, err, "UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8");
}

/* In steps, so that the pages of a large log need not all be there at once. */
static enum fsd_status hash_file(const struct fsd_file *file, uint64_t hash[2],
                                 struct fsd_error *err)
{
    struct fsd_digest digest;

    if (!fsd_digest_begin(&digest, file))
        return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0, "out of memory");
    while (file->size - digest.at > HASH_STEP) {
        fsd_digest_step(&digest, digest.at + HASH_STEP);
        fsd_file_release(file, digest.at);
    }
    fsd_digest_end(&digest, hash);
    return FSD_OK;
}

enum fsd_status fsd_trt_load_scanned(struct fsd_graph *g, const struct fsd_file *file,
                                     unsigned number, const struct fsd_log_scan *scan,
                                     const struct fsd_vocab *vocab,
                                     struct fsd_error *err)
{
    struct fsd_build b;
    enum fsd_status status;

    fsd_build_init(&b, g, vocab);
    g->path = file->name;
    status = read_look(&b, file, &(struct wanted){number, scan}, &g->kind, err);
    if (status == FSD_OK && scan && scan->hashed)
        memcpy(g->hash, scan->hash, sizeof g->hash);
    else if (status == FSD_OK)
        status = hash_file(file, g->hash, err);
    if (status == FSD_OK)
        fsd_build_finish(&b);
    return status;
}

enum fsd_status fsd_trt_load_engine(struct fsd_graph *g, const struct fsd_file *file,
                                    unsigned number, const struct fsd_vocab *vocab,
                                    struct fsd_error *err)
{
    return fsd_trt_load_scanned(g, file, number, NULL, vocab, err);
}

enum fsd_status fsd_trt_load(struct fsd_graph *g, const struct fsd_file *file,
                             const struct fsd_vocab *vocab, struct fsd_error *err)
{
    return fsd_trt_load_engine(g, file, 0, vocab, err);
}
