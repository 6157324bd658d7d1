/* A list as JUnit XML, as CI servers read it: a rule is a test case. */
#include "report/escape.h"
#include "report/list.h"

static bool fails(const struct fsd_list *list, const struct fsd_list_item *item)
{
    return item->severity >= list->fails_at && !list->accepts;
}

static void put_messages(const struct fsd_list *list, uint32_t rule, bool failing,
                         FILE *out)
{
    for (uint32_t i = 0; i < list->items.n; i++) {
        const struct fsd_list_item *item = &list->items.at[i];

        if (item->rule != rule || fails(list, item) != failing)
            continue;
        fprintf(out, "%s: ", fsd_severity_name(item->severity));
        fsd_put_xml(out, item->message);
        putc('\n', out);
    }
}

struct outcome {
    uint32_t failing;
    const char *first; /* message */
};

static void put_failure(const struct fsd_list *list, uint32_t rule, struct outcome o,
                        FILE *out)
{
    fputs("      <failure message=\"", out);
    fsd_put_xml(out, o.first);
    if (o.failing > 1)
        fprintf(out, " and %u more", o.failing - 1);
    fputs("\" type=\"", out);
    fsd_put_xml(out, list->rules.at[rule].id);
    fputs("\">", out);
    put_messages(list, rule, true, out);
    fputs("</failure>\n", out);
}

static void put_case(const struct fsd_list *list, uint32_t rule, struct outcome o,
                     FILE *out)
{
    const struct fsd_list_rule *r = &list->rules.at[rule];

    fprintf(out, "    <testcase name=\"%s\" classname=\"fusiondiff.%s\" time=\"0\">\n",
            r->id, list->title);
    if (r->off)
        fputs("      <skipped/>\n", out);
    else if (o.failing)
        put_failure(list, rule, o, out);
    if (r->found > o.failing) {
        fputs("      <system-out>", out);
        put_messages(list, rule, false, out);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static struct outcome *outcomes(const struct fsd_list *list)
{
    struct outcome *all = FSD_NEW(list->arena, struct outcome, list->rules.n);

    for (uint32_t i = 0; i < list->items.n; i++) {
        const struct fsd_list_item *item = &list->items.at[i];

        if (!fails(list, item))
            continue;
        if (!all[item->rule].failing++)
            all[item->rule].first = item->message;
    }
    return all;
}

void fsd_list_put_junit(const struct fsd_list *list, const struct fsd_style *style,
                        FILE *out)
{
    struct outcome *all = outcomes(list);
    uint32_t failures = 0, skipped = 0;

    (void)style;
    for (uint32_t i = 0; i < list->rules.n; i++) {
        failures += all[i].failing > 0;
        skipped += list->rules.at[i].off;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites name=\"fusiondiff\" tests=\"%u\" failures=\"%u\">\n",
            list->rules.n, failures);
    fputs("  <testsuite name=\"", out);
    fsd_put_xml(out, list->engine);
    fprintf(out,
            "\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"0\">\n",
            list->rules.n, failures, skipped);
    for (uint32_t i = 0; i < list->rules.n; i++)
        put_case(list, i, all[i], out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}
