/*
 * The lines of a log, each without what its writer put before it:
 *
 *     [03/19/2022-12:28:30] [03/19/2022-12:28:30] [V] [TRT] Parsing node: Conv_0 [Conv]
 *                                                           `-------- text --------'
 *
 * Nothing is copied, so that memory does not grow with the log; the pages of a mapped
 * file are given back behind the scan.
 */
#ifndef FSD_LOG_LINES_H
#define FSD_LOG_LINES_H

#include "base/file.h"
#include "base/slice.h"

#include <stdbool.h>

struct fsd_log_line {
    struct fsd_slice text; /**< in the file; may hold any byte */
    uint64_t number;       /**< from 1 */
    size_t at;             /**< where `text` stands in the file, in bytes */
    const char *stamp;     /**< "[MM/DD/YYYY-HH:MM:SS]"; NULL: another stamp, or none */
    char severity;         /**< V, I, W, E, F (fatal); 0: not stated */
    bool prefixed;         /**< something stood before it: a message begins here */
    bool trt;              /**< and said that TensorRT wrote it */
    bool session;          /**< and said that ONNX Runtime did, of its own steps */
};

/** Zero but for `file` and `end` is the beginning; see fsd_log_lines(). */
struct fsd_log_lines {
    const struct fsd_file *file;
    size_t at, end;  /**< of the next line; of the last */
    uint64_t number; /**< of the line that was given last */
    size_t released; /**< where pages were given back last */
    bool grows;      /**< `end` is as far as the file is there by now */
};

/** The beginning of a whole file.  Its bytes must stay open as long as the lines. */
struct fsd_log_lines fsd_log_lines(const struct fsd_file *file);

/** The next line; false behind the last.  The bytes of earlier lines stay readable. */
bool fsd_log_next(struct fsd_log_lines *lines, struct fsd_log_line *out);

#endif
