/*
 * A stream whose writes end the program where there is no memory: those of
 * open_memstream() then lose what was printed, and neither ferror() nor fclose() tells.
 */
#define _GNU_SOURCE /* fopencookie */
#include "base/print.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

static void make_room(struct fsd_print *print, size_t room)
{
    char *text = room > print->size ? realloc(print->text, room) : NULL;

    if (!text)
        fsd_out_of_memory();
    print->text = text;
    print->room = room;
}

static ssize_t add(void *cookie, const char *bytes, size_t n)
{
    struct fsd_print *print = cookie;

    if (n >= print->room - print->size)
        make_room(print, 2 * (print->room + n));
    memcpy(print->text + print->size, bytes, n);
    print->size += n;
    print->text[print->size] = '\0';
    return (ssize_t)n;
}

FILE *fsd_print_open(struct fsd_print *print)
{
    *print = (struct fsd_print){.text = NULL};
    make_room(print, FIRST_ROOM);
    *print->text = '\0';
    print->out = fopencookie(print, "w", (cookie_io_functions_t){.write = add});
    if (!print->out)
        fsd_out_of_memory();
    return print->out;
}

void fsd_print_close(struct fsd_print *print)
{
    if (fclose(print->out))
        fsd_out_of_memory();
}

void fsd_print_disarmed(struct fsd_print *print, const char *escape, FILE *out)
{
    fsd_print_close(print);
    fsd_put_disarmed(out, print->text, escape);
    free(print->text);
}

char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena)
{
    char *copy;

    fsd_print_close(print);
    copy = fsd_arena_strndup(arena, print->text, print->size);
    free(print->text);
    return copy;
}

char *fsd_printed(struct fsd_arena *arena, const char *format, ...)
{
    struct fsd_print print;
    va_list args;

    fsd_print_open(&print);
    va_start(args, format);
    vfprintf(print.out, format, args);
    va_end(args);
    return fsd_print_take(&print, arena);
}
