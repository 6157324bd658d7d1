/* Text printed to memory.  Running out of memory ends as it does in an arena, when the
 * stream is closed. */
#ifndef FSD_BASE_PRINT_H
#define FSD_BASE_PRINT_H

#include "base/arena.h"
#include "base/guard.h"
#include "base/intern.h"

#include <stdbool.h>
#include <stdio.h>

/** A string in the making: print to `out` between open and take (or close).  It must
 *  not be moved in the meantime. */
struct fsd_print {
    FILE *out;
    char *text; /**< of fsd_print_close() */
    size_t size, room;
    bool failed; /**< to find memory */
    struct fsd_cleanup cleanup;
};

FILE *fsd_print_open(struct fsd_print *print);
/** The whole text, zero-terminated, in the arena. */
char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena);
/** The whole as a symbol. */
fsd_sym fsd_print_sym(struct fsd_print *print, struct fsd_intern *names);
/** Leaves the whole text in `text` and `size`; the caller frees it. */
void fsd_print_close(struct fsd_print *print);

/** A stream that forwards each complete line, with workflow commands escaped:
 *  fsd_put_escaped(). */
struct fsd_lines {
    FILE *to;
    const char *escape;
    /** May be NULL: changes the lines before that. */
    void (*edit)(FILE *out, char *lines, size_t width);
    size_t width;
    struct fsd_print print; /**< of the line under way */
};

/** `print` of `lines` need not be set. */
FILE *fsd_lines_open(struct fsd_lines *lines);
void fsd_lines_close(struct fsd_lines *lines);

/** The path of `name` in the folder of the file `path`. */
const char *fsd_path_beside(struct fsd_arena *arena, const char *path,
                            const char *name);

/** A formatted string in the arena. */
char *fsd_printed(struct fsd_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
