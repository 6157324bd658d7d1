/* The colors and columns of the terminal, for all text reports. */
#include "report/phrase/ink.h"

enum { DEFAULT_WIDTH = 100 };

void fsd_ink(const struct fsd_style *style, enum fsd_ink ink, FILE *out)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m", "\033[32m",  "\033[31m",
                                        "\033[33m", "\033[2m", "\033[1;31m"};
    _Static_assert(FSD_COUNT_OF(codes) == FSD__INK_COUNT, "a code each");

    if (style->color)
        fputs(codes[ink], out);
}

unsigned fsd_text_width(const struct fsd_style *style)
{
    return style->width ? style->width : DEFAULT_WIDTH;
}

void fsd_ink_title(const struct fsd_style *style, const char *title, FILE *out)
{
    fsd_ink(style, FSD_INK_TITLE, out);
    fprintf(out, "%-9s", title);
    fsd_ink(style, FSD_INK_PLAIN, out);
}
