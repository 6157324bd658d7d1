#include "base/print.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>

FILE *fsd_print_open(struct fsd_print *print)
{
    print->text = NULL;
    print->size = 0;
    print->out = open_memstream(&print->text, &print->size);
    if (!print->out)
        fsd_out_of_memory();
    return print->out;
}

void fsd_print_close(struct fsd_print *print)
{
    if (fclose(print->out) || !print->text)
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
