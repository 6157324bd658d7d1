/* Reads the bytes of a compressed or encoded part of a file piece by piece, so that
 * neither form has to be in memory as a whole: a member of a ZIP archive, or a text in
 * base64. */
#pragma once

#include "base/base.h"

enum fsd_packing { FSD_STORED, FSD_DEFLATED, FSD_BASE64 };

/** A stored part of a file; the file must outlive it. */
struct fsd_stored {
    const struct fsd_file *file;
    size_t at, n; /**< position in the file, and number of bytes there */
    enum fsd_packing packing;
    uint64_t size; /**< decompressed bytes, as stated in the file */
    bool has_crc;  /**< `crc` is known */
    uint32_t crc;  /**< CRC-32 of the decompressed bytes, as in ZIP */
};

struct fsd_stream;

/** @return the stream, to be closed by the caller; ends the process if there is no
 *         memory */
struct fsd_stream *fsd_stream_open(const struct fsd_stored *stored);

/** Decompresses the next n bytes.
 *  @return the number of bytes written to `out`; less than n only at the end, or if the
 *         data is damaged */
size_t fsd_stream_read(struct fsd_stream *s, void *out, size_t n);

/** Whether everything was read and agrees with the file: no byte is missing, and the
 *  checksum is right. */
bool fsd_stream_whole(struct fsd_stream *s);

/** The CRC-32 of `bytes`, as in ZIP, if they follow other bytes.
 *  @param crc the CRC-32 of the preceding bytes; 0 at the beginning */
uint32_t fsd_stream_crc(uint32_t crc, const void *bytes, size_t n);

/** @param s may be NULL */
void fsd_stream_close(struct fsd_stream *s);
