/* Layers, time, reformats and precision of each module, by the scopes in names. */
#include "base/text.h"
#include "cost/scope.h"
#include "report/tree.h"
#include "report/view_text.h"

struct scopes {
    struct fsd_scopes scopes;
    fsd_module_vec modules;
    double rest_ms;
};

static const char *name_of(const struct scopes *s, const struct fsd_module *m)
{
    return m->name ? fsd_text(s->scopes.names, m->name) : "(no scope)";
}

static void put_types(const struct fsd_module *m, FILE *out)
{
    const char *separator = "";

    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        if (m->by_type[i]) {
            fprintf(out, "%s%s %u", separator, fsd_dtype_name((enum fsd_dtype)i),
                    m->by_type[i]);
            separator = ", ";
        }
}

static void put_module(const struct fsd_diff *d, const struct scopes *s,
                       const struct fsd_module *m, FILE *out)
{
    fprintf(out, "%6u %6u ", m->nodes, m->layers);
    if (d->times->profiles) {
        fsd_put_ms_column(m->ms, 9, out);
        fprintf(out, " %5.1f ",
                d->times->total > 0 ? 100 * m->ms / d->times->total : 0.0);
    }
    fprintf(out, "%5u ", m->reformats);
    if (d->times->profiles)
        fsd_put_ms_column(m->reformat_ms, 9, out);
    fputs("  ", out);
    fsd_put_safe(out, name_of(s, m));
    fputs("  ", out);
    put_types(m, out);
    putc('\n', out);
}

static void put_text(const struct fsd_diff *d, const struct fsd_style *style,
                     const struct scopes *s, FILE *out)
{
    fprintf(out, "%u scopes at depth %u\n\n", s->modules.n, s->scopes.depth);
    fsd_ink(style, FSD_INK_TITLE, out);
    fputs(d->times->profiles ? " nodes layers        ms     %  moves  their ms"
                            : " nodes layers moves",
          out);
    fputs("  scope  layers by precision\n", out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    for (uint32_t i = 0; i < s->modules.n; i++)
        put_module(d, s, &s->modules.at[i], out);
    if (!d->times->profiles)
        return;
    if (s->rest_ms > 0) {
        fputs("\nelsewhere ", out);
        fsd_put_ms(s->rest_ms, out);
    }
    fputs("\ntotal ", out);
    fsd_put_ms(d->times->total, out);
    putc('\n', out);
}

static void put_json(const struct fsd_diff *d, const struct scopes *s, FILE *out)
{
    struct cJSON *root = fsd_json_new(), *list;

    fsd_json_text(root, "schema", "fusiondiff-scopes/1");
    fsd_json_count(root, "depth", s->scopes.depth);
    if (d->times->profiles) {
        fsd_json_number(root, "total_ms", d->times->total);
        fsd_json_number(root, "rest_ms", s->rest_ms);
    }
    list = fsd_json_list(root, "scopes");
    for (uint32_t i = 0; i < s->modules.n; i++) {
        const struct fsd_module *m = &s->modules.at[i];
        struct cJSON *item = fsd_json_item(list), *types;

        fsd_json_text(item, "name", fsd_text(s->scopes.names, m->name));
        fsd_json_count(item, "nodes", m->nodes);
        fsd_json_count(item, "layers", m->layers);
        fsd_json_count(item, "reformats", m->reformats);
        fsd_json_ms(item, "ms", m->ms);
        fsd_json_ms(item, "reformat_ms", m->reformat_ms);
        types = fsd_json_object(item, "precision");
        for (int k = 0; k < FSD__DTYPE_COUNT; k++)
            if (m->by_type[k])
                fsd_json_count(types, fsd_dtype_name((enum fsd_dtype)k), m->by_type[k]);
    }
    fsd_json_print(root, out);
}

enum fsd_status fsd_view_scopes(const struct fsd_diff *d, const struct fsd_query *q,
                                bool json, const struct fsd_style *style, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct scopes s = {.scopes = fsd_cost_scopes(arena, d, q->depth)};

    (void)err;
    s.modules = fsd_cost_modules(arena, d, &s.scopes, &s.rest_ms);
    if (json)
        put_json(d, &s, out);
    else
        put_text(d, style, &s, out);
    fsd_arena_free(arena);
    return FSD_OK;
}
