#include "report/view_text.h"
#include "base/text.h"
#include "cost/amount.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Three digits that tell something, at least as many as thousandths need. */
static int decimals(double ms)
{
    if (ms >= 100 || ms <= 0)
        return ms > 0 ? 1 : 0;
    return ms >= 10 ? 2 : ms >= 1 ? 3 : ms >= 0.001 ? 4 : 6;
}

void fsd_put_ms_column(double ms, int width, FILE *out)
{
    if (ms < 0)
        fprintf(out, "%*s", width, "-");
    else
        fprintf(out, "%*.*f", width, decimals(ms), ms);
}

void fsd_put_ms(double ms, FILE *out)
{
    fsd_put_ms_column(ms, 0, out);
    if (ms >= 0)
        fputs(" ms", out);
}

static void put_scaled(const struct fsd_diff *d, int64_t n, const char *const units[5],
                       FILE *out)
{
    const char *open = fsd_amount_text(d->cost->amounts, n);
    double value = (double)n;
    int unit = 0;

    if (open) {
        fsd_put_safe(out, open);
        fputs(units[0], out);
        return;
    }
    if (n < 0) {
        fputs("-", out);
        return;
    }
    while (value >= 999.95 && unit < 4) {
        value /= 1000;
        unit++;
    }
    if (unit)
        fprintf(out, "%.*f%s", value < 10 ? 2 : 1, value, units[unit]);
    else
        fprintf(out, "%" PRId64 "%s", n, units[0]);
}

void fsd_put_bytes(const struct fsd_diff *d, int64_t bytes, FILE *out)
{
    static const char *const units[5] = {" B", " kB", " MB", " GB", " TB"};

    put_scaled(d, bytes, units, out);
}

void fsd_put_count(const struct fsd_diff *d, int64_t count, FILE *out)
{
    static const char *const units[5] = {"", " k", " M", " G", " T"};

    put_scaled(d, count, units, out);
}

void fsd_put_safely(const struct fsd_diff *d, fsd_id id, fsd_put_fn *put, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *name = open_memstream(&text, &size);

    if (!name)
        return;
    put(d, id, name);
    if (fclose(name) == 0)
        fsd_put_safe(out, text);
    free(text);
}

void fsd_put_node(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    fsd_put_safely(d, node, fsd_put_node_name, out);
}

void fsd_put_layer(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_put_safely(d, layer, fsd_put_layer_name, out);
}

void fsd_put_layer_change(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_put_safely(d, layer, fsd_put_change, out);
}

void fsd_put_layer_kind(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const char *type = fsd_text(d->names, d->engine->nodes.at[layer].op);

    fputs(fsd_kind_name(d->layers[layer].kind), out);
    if (!*type)
        return;
    fputs(" (", out);
    fsd_put_safe(out, type);
    putc(')', out);
}
