#include "report/list.h"
#include "report/escape.h"

#include <string.h>

static const struct {
    const char *name;
    fsd_list_fn *put;
} writers[] = {
    {"text", fsd_list_put_text},         {"json", fsd_list_put_json},
    {"markdown", fsd_list_put_markdown}, {"junit", fsd_list_put_junit},
    {"sarif", fsd_list_put_sarif},       {"github", fsd_list_put_github},
    {"gitlab", fsd_list_put_gitlab},
};

fsd_list_fn *fsd_list_writer(const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(writers); i++)
        if (!strcmp(writers[i].name, name))
            return writers[i].put;
    return NULL;
}

static void write_diff(const struct fsd_diff *d, const struct fsd_style *style,
                       FILE *out, fsd_list_fn *put)
{
    struct fsd_list *list = fsd_list_of_diff(d);

    put(list, style, out);
    fsd_list_free(list);
}

void fsd_write_markdown(const struct fsd_diff *d, const struct fsd_style *style,
                        FILE *out)
{
    write_diff(d, style, out, fsd_list_put_markdown);
}

void fsd_write_junit(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    write_diff(d, style, out, fsd_list_put_junit);
}

void fsd_write_sarif(const struct fsd_diff *d, const struct fsd_style *style, FILE *out)
{
    write_diff(d, style, out, fsd_list_put_sarif);
}

void fsd_write_github(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out)
{
    write_diff(d, style, out, fsd_list_put_github);
}

void fsd_write_gitlab(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out)
{
    write_diff(d, style, out, fsd_list_put_gitlab);
}

/* ---------------------------------------------------------------- annotations */

/* https://docs.github.com/actions: workflow commands, "::warning file=,title=::text".
 */
void fsd_list_put_github(const struct fsd_list *list, const struct fsd_style *style,
                         FILE *out)
{
    static const char *const commands[FSD__SEVERITY_COUNT] = {"notice", "warning",
                                                              "error"};

    (void)style;
    for (uint32_t i = 0; i < list->items.n; i++) {
        const struct fsd_list_item *item = &list->items.at[i];

        fprintf(out, "::%s file=", commands[item->severity]);
        fsd_put_github_property(out, item->file);
        if (item->line)
            fprintf(out, ",line=%u", item->line);
        fputs(",title=", out);
        fsd_put_github_property(out, list->rules.at[item->rule].id);
        fputs("::", out);
        fsd_put_github(out, item->message);
        putc('\n', out);
    }
}
