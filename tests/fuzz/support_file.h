/* Files for functions that read a file by its path, and the check that every target
 * needs. */
#ifndef FSD_TESTS_SUPPORT_FILE_H
#define FSD_TESTS_SUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file in memory that each input fills anew; all zero: not filled yet. */
struct fuzz_file {
    int fd;
    char path[40];
};

/** Fills the file; returns its path. */
const char *fuzz_file_put(struct fuzz_file *file, const uint8_t *data, size_t size);

/** Ends the process unless `holds`; the fuzzer reports this as a crash. */
void check(bool holds);

#endif
