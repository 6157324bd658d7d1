#include "report/text/phrase.h"
#include "base/print.h"
#include "base/text.h"
#include "ops/amount.h"

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

void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out)
{
    static const char prefixes[] = "kMGT";
    const char *prefix = prefixes;
    double value = (double)n / 1000;

    if (term) {
        fsd_put_safe(out, term);
        fputs(unit, out);
    } else if (n < 0) {
        fputs("-", out);
    } else if (n < 1000) {
        fprintf(out, "%" PRId64 "%s", n, unit);
    } else {
        for (; value >= 999.95 && prefix[1]; prefix++)
            value /= 1000;
        fprintf(out, "%.*f %c%s", value < 10 ? 2 : 1, value, *prefix,
                *unit ? unit + 1 : "");
    }
}

void fsd_put_bytes(const struct fsd_diff *d, int64_t bytes, FILE *out)
{
    fsd_put_scaled(bytes, fsd_amount_text(d->cost->amounts, bytes), " B", out);
}

void fsd_put_count(const struct fsd_diff *d, int64_t count, FILE *out)
{
    fsd_put_scaled(count, fsd_amount_text(d->cost->amounts, count), "", out);
}

void fsd_put_safely(const struct fsd_diff *d, fsd_id id, fsd_put_fn *put, FILE *out)
{
    struct fsd_print name;

    put(d, id, fsd_print_open(&name));
    fsd_print_close(&name);
    fsd_put_safe(out, name.text);
    free(name.text);
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
