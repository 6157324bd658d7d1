#include "report/list.h"
#include "report/escape.h"

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
