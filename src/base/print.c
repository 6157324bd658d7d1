/*
 * A stream that writes to memory.  If memory runs out, a stream of open_memstream()
 * loses bytes, and neither ferror() nor fclose() reports the loss.  Here, the stream
 * gets an error, and closing it calls fsd_out_of_memory().  The function that receives
 * the bytes must not call fsd_out_of_memory(), which would jump out of stdio.
 */
#include "base/base.h"
#include "base/lines.h"

#include <stdarg.h>
#include <stdlib.h>

enum { FIRST_ROOM = 256 };

static bool make_room(struct fsd_print *print, size_t room)
{
    char *text = room > print->size ? realloc(print->text, room) : NULL;

    print->failed |= !text;
    if (text) {
        print->text = text;
        print->room = room;
    }
    return !print->failed;
}

static void append(struct fsd_print *print, const char *bytes, size_t n)
{
    if (n >= print->room - print->size && !make_room(print, 2 * (print->room + n)))
        return;
    memcpy(print->text + print->size, bytes, n);
    print->size += n;
    print->text[print->size] = '\0';
}

static bool add(void *cookie, const char *bytes, size_t n)
{
    struct fsd_print *print = cookie;

    append(print, bytes, n);
    return !print->failed;
}

/* Closes the stream after memory ran out.  Unwritten text is dropped, because flushing
 * it could need more memory. */
static void drop(struct fsd_cleanup *cleanup)
{
    struct fsd_print *print =
        (struct fsd_print *)((char *)cleanup - offsetof(struct fsd_print, cleanup));

    if (print->out) {
        fsd_host_stream_purge(print->out);
        fclose(print->out);
    }
    free(print->text);
}

static FILE *open_as(struct fsd_print *print, struct fsd_host_stream stream)
{
    *print = (struct fsd_print){.stream = stream};
    fsd_cleanup_add(&print->cleanup, drop);
    if (make_room(print, FIRST_ROOM))
        print->out = fsd_host_stream_open(&print->stream);
    if (!print->out)
        fsd_out_of_memory();
    *print->text = '\0';
    return print->out;
}

FILE *fsd_print_open(struct fsd_print *print)
{
    return open_as(print, (struct fsd_host_stream){print, add, NULL});
}

static void end(struct fsd_print *print)
{
    FILE *out = print->out;

    print->out = NULL;
    if (fclose(out) || print->failed)
        fsd_out_of_memory();
}

void fsd_print_close(struct fsd_print *print)
{
    end(print);
    fsd_cleanup_drop(&print->cleanup);
}

const char *fsd_print_next(struct fsd_print *print, size_t *size)
{
    if (fflush(print->out) || print->failed)
        fsd_out_of_memory();
    print->text[print->size] = '\0';
    *size = print->size;
    print->size = 0;
    return print->text;
}

void fsd_print_drop(struct fsd_print *print)
{
    fsd_print_close(print);
    free(print->text);
}

/* A stream of fsd_memory_open(). Closing the stream frees this struct. */
struct memory {
    struct fsd_print print; /* must be the first member: add() casts its address */
    char **text;
    size_t *size;
};

static int pass_line(void *cookie)
{
    struct memory *memory = cookie;

    bool failed = memory->print.failed;

    *memory->text = failed ? NULL : memory->print.text;
    *memory->size = failed ? 0 : memory->print.size;
    if (failed)
        free(memory->print.text);
    free(memory);
    return failed ? EOF : 0;
}

FILE *fsd_memory_open(char **text, size_t *size)
{
    struct memory *memory = calloc(1, sizeof *memory);

    FSD_GUARD_OR((free(memory), NULL));
    if (!memory)
        fsd_out_of_memory();
    memory->text = text;
    memory->size = size;
    open_as(&memory->print, (struct fsd_host_stream){memory, add, pass_line});
    fsd_cleanup_drop(&memory->print.cleanup); /* the caller owns the stream now */
    return memory->print.out;
}

char *fsd_print_take(struct fsd_print *print, struct fsd_arena *arena)
{
    char *copy;

    end(print);
    copy = fsd_arena_strndup(arena, print->text, print->size);
    fsd_cleanup_drop(&print->cleanup);
    free(print->text);
    return copy;
}

fsd_sym fsd_print_sym(struct fsd_print *print, struct fsd_intern *names)
{
    fsd_sym sym;

    end(print);
    sym = fsd_intern_add(names, print->text, print->size);
    fsd_cleanup_drop(&print->cleanup);
    free(print->text);
    return sym;
}

char *fsd_printed(struct fsd_arena *arena, const char *format, ...)
{
    char most[FIRST_ROOM]; /* most texts fit here and need no stream: opening a stream
                              takes longer than printing the text */
    struct fsd_print print;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(most, sizeof most, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof most)
        return fsd_arena_strndup(arena, most, (size_t)n);
    fsd_print_open(&print);
    va_start(args, format);
    vfprintf(print.out, format, args);
    va_end(args);
    return fsd_print_take(&print, arena);
}

/* ------------------------------------------------------------------------ lines */

static void flush(struct fsd_lines *lines)
{
    struct fsd_print edited;

    if (lines->edit) {
        lines->edit(fsd_print_open(&edited), lines->print.text, lines->width);
        fsd_print_close(&edited);
        fsd_put_escaped(lines->to, edited.text, lines->escape, lines->json);
        free(edited.text);
    } else {
        fsd_put_escaped(lines->to, lines->print.text, lines->escape, lines->json);
    }
    lines->print.size = 0;
    *lines->print.text = '\0';
}

static bool add_lines(void *cookie, const char *bytes, size_t n)
{
    struct fsd_lines *lines = cookie;
    size_t whole = n;

    while (whole && bytes[whole - 1] != '\n')
        whole--;
    append(&lines->print, bytes, whole);
    if (whole)
        flush(lines);
    append(&lines->print, bytes + whole, n - whole);
    return !lines->print.failed;
}

FILE *fsd_lines_open(struct fsd_lines *lines)
{
    return open_as(&lines->print, (struct fsd_host_stream){lines, add_lines, NULL});
}

void fsd_lines_close(struct fsd_lines *lines)
{
    end(&lines->print);
    flush(lines);
    fsd_cleanup_drop(&lines->print.cleanup);
    free(lines->print.text);
}

const char *fsd_path_beside(struct fsd_arena *arena, const char *path, const char *name)
{
    return fsd_printed(arena, "%.*s%s", (int)(fsd_base_name(path) - path), path, name);
}
