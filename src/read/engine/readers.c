/* The table of readers, the choice of the reader for a file, and the error if no reader
 * accepts the file.
 */
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "base/base.h"
#include "base/file_type.h"

/* All readers. If several have equal claims on a file, the first of them reads it. */
#define LISTED(name) &fsd_reader_##name,
static const struct fsd_engine_reader *const readers[] = {FSD_READERS(LISTED)};

const struct fsd_engine_reader *fsd_reader_at(unsigned i)
{
    return i < FSD_COUNT_OF(readers) ? readers[i] : NULL;
}

const struct fsd_engine_reader *
fsd_reader_of(const struct fsd_file *file, enum fsd_input input, enum fsd_claim least)
{
    const struct fsd_engine_reader *found = NULL;

    for (size_t i = 0; i < FSD_COUNT_OF(readers) && least <= FSD_CLAIM_SURE; i++) {
        enum fsd_claim claim = readers[i]->sniff(file, input);

        if (claim == FSD_CLAIM_NONE || claim < least)
            continue;
        found = readers[i];
        least = claim + 1;
    }
    return found;
}

enum fsd_status fsd_engine_refuse(const struct fsd_file *file, struct fsd_error *err,
                                  const char *found)
{
    return fsd_fail(err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
                    "expected an engine's layers, found %s", found);
}

enum fsd_status fsd_engine_load(struct fsd_graph *g, const struct fsd_source *source,
                                struct fsd_error *err)
{
    static const char *const advice[FSD_N_FILE_TYPES] = {
        [FSD_FILETYPE_ONNX] = "; pass the engine's dump as ENGINE",
        [FSD_FILETYPE_COMPRESSED] =
            " inside another compressed file; decompress the outer file",
        [FSD_FILETYPE_ZIP] = "; extract the dump first",
        [FSD_FILETYPE_TAR] = "; extract the dump first",
        [FSD_FILETYPE_LFS] = "; fetch the dump with 'git lfs pull'",
        [FSD_FILETYPE_UTF16] = "; convert it: iconv -f UTF-16 -t UTF-8",
    };
    const struct fsd_file *file = source->file;
    enum fsd_file_type type;

    g->path = file->name;
    g->reader = fsd_reader_of(file, FSD_INPUT_ENGINE, FSD_CLAIM_MAYBE);
    if (g->reader)
        return g->reader->load(g, source, err);
    type = fsd_file_type_of(file);
    if (type == FSD_FILETYPE_EMPTY)
        return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_BYTE, file->size,
                        "expected an engine's layers, found the end of the file");
    return fsd_fail(err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
                    "expected an engine's layers, found %s%s", fsd_file_type_noun(type),
                    advice[type] ? advice[type] : "");
}

bool fsd_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                        const char *layout, uint32_t rank, bool input)
{
    const struct fsd_engine_reader *reader = engine->reader;

    return reader && reader->accepts_format &&
           reader->accepts_format(engine, type, layout, rank, input);
}
