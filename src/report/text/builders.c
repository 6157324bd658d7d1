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

/* Prints the counts and times of both builders side by side: fused groups, conversions,
 * unfused Q/DQ. */
void fsd_put_builders(const struct fsd_compare *c, FILE *out)
{
    enum { COUNTS = 4 };
    const struct fsd_builder *a = &c->builders[0], *b = &c->builders[1];
    const struct {
        const char *what;
        double of[2];
    } rows[] = {
        {"fused groups in comparable regions", {a->groups, b->groups}},
        {"regions fused into fewer groups", {a->fuses_more, b->fuses_more}},
        {"layers that convert data", {a->conversions, b->conversions}},
        {"unfused Q/DQ", {a->quantizers, b->quantizers}},
        {"ms of fused groups", {a->groups_ms, b->groups_ms}},
        {"ms of layers that convert data", {a->conversions_ms, b->conversions_ms}},
        {"ms of unfused Q/DQ", {a->quantizers_ms, b->quantizers_ms}},
    };

    if (!c->across)
        return;
    fprintf(out, "two builders: layouts, kernels and tactics are not compared\n  %-34s",
            "");
    put_builder_name(a, out);
    put_builder_name(b, out);
    fputc('\n', out);
    for (unsigned i = 0; i < (c->timed ? FSD_COUNT_OF(rows) : COUNTS); i++)
        fprintf(out, "  %-34s%*.*f%*.*f\n", rows[i].what, column(a), i < COUNTS ? 0 : 4,
                rows[i].of[0], column(b), i < COUNTS ? 0 : 4, rows[i].of[1]);
}
