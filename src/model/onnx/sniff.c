/*
 * Writes the error message for a file that is not an ONNX model: the likely type of the
 * file, and which file to pass instead. fsd_onnx_sniff() is called only after the
 * reader failed.  If the file may be a damaged model, the reader's error stays, because
 * the position where the reader stopped is then more helpful.
 */
#include "base/base.h"
#include "base/file_type.h"
#include "model/onnx/parts.h"

/* Whether the first PEEK bytes of the file are UTF-8 without control characters.  If
 * the file is longer, the last character of these bytes may be truncated. */
static bool is_text(const struct fsd_file *file)
{
    enum { PEEK = 512 };
    size_t at = fsd_file_text_start(file), len;
    size_t n = file->size < PEEK ? file->size : PEEK;
    const unsigned char *s = file->bytes;

    for (; at < n && (len = fsd_utf8_len(s + at, n - at)); at += len)
        if (!fsd_is_space((char)s[at]) && (s[at] < 0x20 || s[at] == 0x7f))
            return false;
    return at >= n || (file->size > PEEK && n - at <= 3);
}

enum fsd_status fsd_onnx_sniff(const struct fsd_file *file, struct fsd_error *err)
{
    static const char *const advice[FSD_N_FILE_TYPES] = {
        [FSD_FILETYPE_PLAN] = ("; pass the ONNX model first and a JSON dump of the "
                               "engine second (write the dump with trtexec "
                               "--loadEngine=FILE --exportLayerInfo=engine.graph.json "
                               "--profilingVerbosity=detailed)"),
        [FSD_FILETYPE_ORT] = "; pass the .onnx file",
        [FSD_FILETYPE_ZIP] = "; export the model to ONNX",
        [FSD_FILETYPE_PICKLE] = "; export the model to ONNX",
        [FSD_FILETYPE_COMPRESSED] =
            " inside another compressed file; decompress the outer file",
        [FSD_FILETYPE_TAR] = "; extract the model first",
        [FSD_FILETYPE_SAFETENSORS] = "; export the model to ONNX",
        [FSD_FILETYPE_LFS] = "; fetch the model with 'git lfs pull'",
        [FSD_FILETYPE_JSON] = "; pass the model first and the engine's dump second",
    };
    enum fsd_file_type type = fsd_file_type_of(file);
    bool text = type == FSD_FILETYPE_TEXT || type == FSD_FILETYPE_LIST;

    /* The file may be a damaged model, so it is accepted here.  The reader's error then
     * states the position of the damage. */
    if (type == FSD_FILETYPE_ONNX || type == FSD_FILETYPE_BINARY ||
        (text && !is_text(file)))
        return FSD_OK;
    return fsd_fail(err,
                    type > FSD_FILETYPE_ONNX && type < FSD_FILETYPE_LFS
                        ? FSD_E_UNSUPPORTED
                        : FSD_E_FORMAT,
                    file->name, FSD_POS_NONE, 0, "expected an ONNX model, found %s%s",
                    fsd_file_type_noun(text ? FSD_FILETYPE_TEXT : type),
                    advice[type] ? advice[type] : "");
}
