#include "report/list/list.h"
#include "report/escape.h"

/* ---------------------------------------------------------------- annotations */

/* https://docs.github.com/actions: workflow commands, "::warning file=,title=::text".
 */
void fsd_list_put_github(const struct fsd_verdict *v, const struct fsd_style *style,
                         FILE *out)
{
    static const char *const commands[FSD__SEVERITY_COUNT] = {"notice", "warning",
                                                              "error"};

    (void)style;
    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];

        fprintf(out, "::%s file=", commands[item->severity]);
        fsd_put_github_property(out, item->file);
        if (item->line)
            fprintf(out, ",line=%u", item->line);
        fputs(",title=", out);
        fsd_put_github_property(out, v->findings->rules.at[item->rule].rule->id);
        fputs("::", out);
        fsd_put_github(out, item->message);
        putc('\n', out);
    }
}
