/* Inputs for what reads files by their path, and what every target needs. */
#ifndef FSD_TESTS_SUPPORT_FILE_H
#define FSD_TESTS_SUPPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file in memory that each input fills anew; zero is one that was never filled. */
struct fuzz_file {
    int fd;
    char path[40];
};

/** Fills it; returns its path. */
const char *fuzz_file_put(struct fuzz_file *file, const uint8_t *data, size_t size);

/** Ends the process, which the fuzzer calls a crash, unless it holds. */
void check(bool holds);

#endif
