/*
 * A stream whose writes end the program where there is no memory: those of
 * open_memstream() then lose what was printed, and neither ferror() nor fclose() tells.
 */
#define _GNU_SOURCE /* fopencookie */
#include "base/print.h"
#include "base/text.h"

#include <fusiondiff/fusiondiff.h>
#include <stdarg.h>
#include <stdio_ext.h>
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

static void append(struct fsd_print *print, const char *bytes, size_t n)
{
    if (n >= print->room - print->size)
        make_room(print, 2 * (print->room + n));
    memcpy(print->text + print->size, bytes, n);
    print->size += n;
    print->text[print->size] = '\0';
}

static ssize_t add(void *cookie, const char *bytes, size_t n)
{
    append(cookie, bytes, n);
    return (ssize_t)n;
}

static FILE *open_as(struct fsd_print *print, void *cookie,
                     cookie_write_function_t *write, cookie_close_function_t *close)
{
    *print = (struct fsd_print){.text = NULL};
    make_room(print, FIRST_ROOM);
    *print->text = '\0';
    print->out = fopencookie(cookie, "w",
                             (cookie_io_functions_t){.write = write, .close = close});
    if (!print->out)
        fsd_out_of_memory();
    /* A lock for each word took a sixth of a report's time; nobody shares this one. */
    __fsetlocking(print->out, FSETLOCKING_BYCALLER);
    return print->out;
}

FILE *fsd_print_open(struct fsd_print *print)
{
    return open_as(print, print, add, NULL);
}

void fsd_print_close(struct fsd_print *print)
{
    if (fclose(print->out))
        fsd_out_of_memory();
}

/* One that the caller has no struct for. */
struct memory {
    struct fsd_print print; /* first: what add() takes it for */
    char **text;
    size_t *size;
};

static int hand_over(void *cookie)
{
    struct memory *memory = cookie;

    *memory->text = memory->print.text;
    *memory->size = memory->print.size;
    free(memory);
    return 0;
}

FILE *fsd_memory_open(char **text, size_t *size)
{
    struct memory *memory = malloc(sizeof *memory);
    FILE *out;

    if (!memory)
        fsd_out_of_memory();
    out = open_as(&memory->print, memory, add, hand_over);
    memory->text = text;
    memory->size = size;
    return out;
}

char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena)
{
    char *copy;

    fsd_print_close(print);
    copy = fsd_arena_strndup(arena, print->text, print->size);
    free(print->text);
    return copy;
}

fsd_sym fsd_print_sym(struct fsd_print *print, struct fsd_intern *names)
{
    fsd_sym sym;

    fsd_print_close(print);
    sym = fsd_intern_add(names, print->text, print->size);
    free(print->text);
    return sym;
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

/* ------------------------------------------------------------------------ lines */

static void hand_on(struct fsd_lines *lines)
{
    struct fsd_print edited;

    if (lines->edit) {
        lines->edit(fsd_print_open(&edited), lines->print.text, lines->width);
        fsd_print_close(&edited);
        fsd_put_disarmed(lines->to, edited.text, lines->escape);
        free(edited.text);
    } else {
        fsd_put_disarmed(lines->to, lines->print.text, lines->escape);
    }
    lines->print.size = 0;
    *lines->print.text = '\0';
}

static ssize_t add_lines(void *cookie, const char *bytes, size_t n)
{
    struct fsd_lines *lines = cookie;
    const char *last = memrchr(bytes, '\n', n);
    size_t whole = last ? (size_t)(last + 1 - bytes) : 0;

    append(&lines->print, bytes, whole);
    if (whole)
        hand_on(lines);
    append(&lines->print, bytes + whole, n - whole);
    return (ssize_t)n;
}

FILE *fsd_lines_open(struct fsd_lines *lines)
{
    return open_as(&lines->print, lines, add_lines, NULL);
}

void fsd_lines_close(struct fsd_lines *lines)
{
    fsd_print_close(&lines->print);
    hand_on(lines);
    free(lines->print.text);
}
