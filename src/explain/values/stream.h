/* The bytes of a compressed or encoded part of a file, piece by piece, so that neither
 * side need be in memory: a member of a ZIP archive, or a text in base64. */
#ifndef FSD_VALUES_STREAM_H
#define FSD_VALUES_STREAM_H

#include "base/base.h"

enum fsd_packing { FSD_STORED, FSD_DEFLATED, FSD_BASE64 };

/** Where the bytes are in a file, which must outlive it. */
struct fsd_stored {
    const struct fsd_file *file;
    size_t at, n; /**< in the file; n bytes */
    enum fsd_packing packing;
    uint64_t size; /**< decompressed, as the file states it */
    bool has_crc;  /**< of the decompressed bytes: */
    uint32_t crc;  /**< that of ZIP */
};

struct fsd_stream;

/** @return  to be closed; ends the process if there is no memory. */
struct fsd_stream *fsd_stream_open(const struct fsd_stored *stored);

/** Decompresses the next n bytes.
 *  @return how many there were; fewer only at the end, or if it is damaged. */
size_t fsd_stream_read(struct fsd_stream *s, void *out, size_t n);

/** True if all was read and agrees with the file: nothing is missing, and the checksum
 *  is right. */
bool fsd_stream_whole(struct fsd_stream *s);

/** The checksum of ZIP, continued from that of the bytes before; 0: of none. */
uint32_t fsd_stream_crc(uint32_t crc, const void *bytes, size_t n);

/** @param s  may be NULL. */
void fsd_stream_close(struct fsd_stream *s);

#endif
