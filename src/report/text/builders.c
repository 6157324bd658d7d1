/*
 * Prints how two builders treat one network: a table at the top of a comparison of
 * their builds.
 */
#include "base/base.h"
#include "report/text/text.h"

enum { NARROWEST = 10 };

/* The width of a builder's column, including the blanks before the column. */
static int column(const struct fsd_builder *b)
{
    size_t n = fsd_safe_width(b->name);

    return 2 + (int)(n > NARROWEST ? n : NARROWEST);
}

static void put_builder_name(const struct fsd_builder *b, FILE *out)
{
    fprintf(out, "%*s", column(b) - (int)fsd_safe_width(b->name), "");
    fsd_put_safe(out, b->name);
}

static void put_count_row(const char *what, const struct fsd_builder *b, uint32_t old,
                          uint32_t new, FILE *out)
{
    fprintf(out, "  %-34s%*u%*u\n", what, column(&b[0]), old, column(&b[1]), new);
}

static void put_timed(const char *what, const struct fsd_builder *b, double old,
                      double new, FILE *out)
{
    fprintf(out, "  %-34s%*.4f%*.4f\n", what, column(&b[0]), old, column(&b[1]), new);
}

/* Prints the counts and times of both builders side by side: fused groups, conversions,
 * unfused Q/DQ. */
void fsd_put_builders(const struct fsd_compare *c, FILE *out)
{
    const struct fsd_builder *b = c->builders;

    if (!c->across)
        return;
    fprintf(out, "two builders: layouts, kernels and tactics are not compared\n  %-34s",
            "");
    put_builder_name(&b[0], out);
    put_builder_name(&b[1], out);
    fputc('\n', out);
    put_count_row("fused groups in comparable regions", b, b[0].groups, b[1].groups,
                  out);
    put_count_row("regions fused into fewer groups", b, b[0].fuses_more,
                  b[1].fuses_more, out);
    put_count_row("layers that convert data", b, b[0].conversions, b[1].conversions,
                  out);
    put_count_row("unfused Q/DQ", b, b[0].quantizers, b[1].quantizers, out);
    if (!c->timed)
        return;
    put_timed("ms of fused groups", b, b[0].groups_ms, b[1].groups_ms, out);
    put_timed("ms of layers that convert data", b, b[0].conversions_ms,
              b[1].conversions_ms, out);
    put_timed("ms of unfused Q/DQ", b, b[0].quantizers_ms, b[1].quantizers_ms, out);
}
