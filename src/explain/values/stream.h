/* Reads a compressed or encoded part of a file piece by piece: a member of a ZIP
 * archive, or a text in base64.  Neither the stored nor the decompressed bytes have to
 * be in memory as a whole. */
#pragma once

#include "base/base.h"

enum fsd_packing { FSD_STORED, FSD_DEFLATED, FSD_BASE64 };

/** A part of a file, as it is stored.  The file must outlive this struct. */
struct fsd_stored {
    const struct fsd_file *file;
    size_t at, n; /**< position in the file, and number of stored bytes */
    enum fsd_packing packing;
    uint64_t size; /**< number of decompressed bytes, as the file states */
    bool has_crc;  /**< whether `crc` is known */
    uint32_t crc;  /**< CRC-32 of the decompressed bytes, as in ZIP */
};

struct fsd_stream;

/** Opens a stream of the decompressed bytes.  Ends the process if there is no memory.
 *  @return the stream, which the caller must close */
struct fsd_stream *fsd_stream_open(const struct fsd_stored *stored);

/** Decompresses the next n bytes.
 *  @return the number of bytes written to `out`; less than n only at the end or if the
 *         stored data is damaged */
size_t fsd_stream_read(struct fsd_stream *s, void *out, size_t n);

/** Whether all bytes were read, and they agree with struct fsd_stored: their number is
 *  `size` and, if `has_crc` is true, their checksum is `crc`. */
bool fsd_stream_whole(struct fsd_stream *s);

/** Continues a CRC-32, as in ZIP, with n more bytes.
 *  @param crc the CRC-32 of the bytes before `bytes`; 0 if there are none */
uint32_t fsd_stream_crc(uint32_t crc, const void *bytes, size_t n);

/** @param s may be NULL */
void fsd_stream_close(struct fsd_stream *s);
