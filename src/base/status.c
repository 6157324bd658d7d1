/*
 * Formats errors into the caller's struct.  Messages quote names and paths of the
 * input, which an attacker may have chosen.  All text therefore passes through
 * copy_safe(), which removes control characters, incomplete UTF-8 sequences, and text
 * that the runner of a CI job would execute as a command.  The functions for lack of
 * memory are also in this file.
 */
#include "base/base.h"
#include "base/lines.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *const names[] = {
    "ok", "io", "format", "limit", "unsupported", "mismatch", "write", "arg", "memory"};
_Static_assert(sizeof names / sizeof *names == FSD__STATUS_COUNT, "a name a status");

const char *fsd_status_name(enum fsd_status status)
{
    return (unsigned)status < FSD__STATUS_COUNT ? names[status] : "unknown";
}

/* Copies text of an input to a message.  Writes '?' for a character that is not
 * printable, for a byte that is not UTF-8, and for the '#' of a command
 * (fsd_is_command()).  If `out` has too few bytes, cuts the text off after a whole
 * character. */
static void copy_safe(char *out, size_t size, const char *s)
{
    size_t n = 0;

    for (size_t left = strlen(s); left;) {
        size_t len = fsd_utf8_len((const unsigned char *)s, left);
        bool hidden =
            !len || fsd_code_is_hidden(fsd_utf8_code((const unsigned char *)s, len)) ||
            (*s == '#' && fsd_is_command(s));
        size_t take = hidden ? 1 : len;

        if (n + take >= size)
            break;
        if (hidden)
            out[n] = '?';
        else
            memcpy(out + n, s, take);
        n += take;
        s += len ? len : 1;
        left -= len ? len : 1;
    }
    out[n] = '\0';
}

enum fsd_status fsd_fail(struct fsd_error *err, enum fsd_status status,
                         const char *file, enum fsd_pos_unit unit, uint64_t pos,
                         const char *format, ...)
{
    char message[2 * sizeof err->message];
    va_list args;

    if (!err)
        return status;
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): started one line above */
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    memset(err, 0, sizeof *err);
    err->status = status;
    err->unit = unit;
    err->pos = pos;
    copy_safe(err->file, sizeof err->file, file ? file : "");
    copy_safe(err->message, sizeof err->message, message);
    return status;
}

enum fsd_status fsd_fail_memory(struct fsd_error *err, const char *file)
{
    return fsd_fail(err, FSD_E_MEMORY, file, FSD_POS_NONE, 0, "out of memory");
}

const char *fsd_error_text(const struct fsd_error *err, char *out, size_t size)
{
    char pos[48] = "", text[sizeof *err + sizeof pos];

    if (err->unit == FSD_POS_BYTE)
        snprintf(pos, sizeof pos, "byte %llu: ", (unsigned long long)err->pos);
    else if (err->unit == FSD_POS_LINE)
        snprintf(pos, sizeof pos, "line %llu: ", (unsigned long long)err->pos);
    snprintf(text, sizeof text, "%s%s%s%s", err->file, *err->file ? ": " : "", pos,
             err->message);
    if (size) /* the caller may have copied a path without copy_safe() */
        copy_safe(out, size, text);
    return out;
}

enum fsd_status fsd_flush(FILE *out, struct fsd_error *err)
{
    if (fflush(out) == 0 && !ferror(out))
        return FSD_OK;
    return fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0, "cannot write the report");
}

/* ------------------------------------------------------------------ lack of memory */

/* Each thread has a list of the objects allocated under guards, newest first; the depth
 * of their guards decreases towards the end:
 *
 *     fsd_linting_open()  guard 1     arena A
 *       fsd_run_open()    guard 2     arena B, mapping C     list: C2 B2 A1
 *
 * If memory runs out, C and B are freed in this order, and fsd_run_open() returns
 * FSD_E_MEMORY.  C and B are freed before the jump to the guard (FSD_JUMP_TO), because
 * the jump removes a part of the stack, and C and B may be there.  If fsd_run_open()
 * returns any other status, C and B pass to guard 1.  When the outermost guard ends,
 * the caller owns all objects, and the list is empty. */
static void (*at_end_of_memory)(void);
static _Thread_local struct fsd_guard *innermost;
static _Thread_local struct fsd_cleanup *newest;

void fsd_on_out_of_memory(void (*end)(void))
{
    at_end_of_memory = end;
}

void fsd_guard_enter(struct fsd_guard *guard)
{
    guard->outer = innermost;
    guard->depth = innermost ? innermost->depth + 1 : 1;
    innermost = guard;
}

void fsd_guard_leave(struct fsd_guard *guard)
{
    innermost = guard->outer;
    for (struct fsd_cleanup *c = newest; c && c->depth == guard->depth; c = c->older)
        c->depth--;
    if (!innermost)
        newest = NULL;
}

void fsd_cleanup_add(struct fsd_cleanup *c, void (*run)(struct fsd_cleanup *self))
{
    *c = (struct fsd_cleanup){.run = run};
    if (!innermost)
        return;
    c->depth = innermost->depth;
    c->older = newest;
    if (newest)
        newest->newer = c;
    newest = c;
}

void fsd_cleanup_drop(struct fsd_cleanup *c)
{
    if (!c->depth)
        return;
    if (c->older)
        c->older->newer = c->newer;
    *(c->newer ? &c->newer->older : &newest) = c->older;
    c->depth = 0;
}

void fsd_out_of_memory(void)
{
    struct fsd_guard *guard = innermost;

    if (at_end_of_memory)
        at_end_of_memory();
    if (!guard)
        abort(); /* no guard is active, so the process ends */
    for (struct fsd_cleanup *c; (c = newest) && c->depth == guard->depth;) {
        fsd_cleanup_drop(c);
        c->run(c);
    }
    FSD_JUMP_TO(guard->at);
}
