/* Prints verdicts as JUnit XML for CI servers: each rule is a test case. */
#include "base/base.h"
#include "report/phrase/escape.h"
#include "report/verdict/verdict.h"

#include <stdlib.h>

static bool fails(const struct fsd_verdict *v, const struct fsd_finding *item)
{
    return item->severity >= v->fails_at && !v->accepts;
}

static void put_messages(const struct fsd_verdict *v, uint32_t rule, bool failing,
                         FILE *out)
{
    FSD_EACH (const struct fsd_finding, item, v->findings->list) {
        if (item->rule != rule || fails(v, item) != failing)
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

static void put_case(const struct fsd_verdict *v, uint32_t rule, struct outcome o,
                     FILE *out)
{
    const struct fsd_outcome *r = &v->findings->rules.at[rule];

    fprintf(out, "    <testcase name=\"%s\" classname=\"fusiondiff.%s\" time=\"0\">\n",
            r->rule->id, v->title);
    if (o.failing) {
        fputs("      <failure message=\"", out);
        fsd_put_xml(out, o.first);
        if (o.failing > 1)
            fprintf(out, " and %u more", o.failing - 1);
        fputs("\" type=\"", out);
        fsd_put_xml(out, r->rule->id);
        fputs("\">", out);
        put_messages(v, rule, true, out);
        fputs("</failure>\n", out);
    } else if (r->skipped) {
        fprintf(out, "      <skipped message=\"%s\"/>\n", r->skipped);
    } else if (r->level == FSD_OFF) {
        fputs("      <skipped/>\n", out);
    }
    if (r->found > o.failing) {
        fputs("      <system-out>", out);
        put_messages(v, rule, false, out);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

struct totals {
    uint32_t tests, failures, errors;
};

static void put_suite(const struct fsd_verdict *v, const char *name,
                      struct totals *totals, FILE *out)
{
    struct outcome *all = FSD_NEW(v->arena, struct outcome, v->findings->rules.n);
    uint32_t failures = 0, skipped = 0;

    FSD_EACH (const struct fsd_finding, item, v->findings->list)
        if (fails(v, item) && !all[item->rule].failing++)
            all[item->rule].first = item->message;
    for (uint32_t i = 0; i < v->findings->rules.n; i++) {
        failures += all[i].failing > 0;
        skipped += !all[i].failing && (v->findings->rules.at[i].skipped ||
                                       v->findings->rules.at[i].level == FSD_OFF);
    }
    totals->tests += v->findings->rules.n;
    totals->failures += failures;
    fputs("  <testsuite name=\"", out);
    fsd_put_xml(out, name);
    fprintf(out,
            "\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"0\">\n",
            v->findings->rules.n, failures, skipped);
    for (uint32_t i = 0; i < v->findings->rules.n; i++)
        put_case(v, i, all[i], out);
    if (v->says[0]) {
        fputs("    <system-out>", out);
        fsd_put_xml(out, fsd_verdict_sentences(v));
        fputs("</system-out>\n", out);
    }
    fputs("  </testsuite>\n", out);
}

/* Prints the error of a build that could not be checked. */
static void put_error(const struct fsd_judged *j, struct totals *totals, FILE *out)
{
    char text[sizeof(struct fsd_error)];

    totals->tests++;
    totals->errors++;
    fputs("  <testsuite name=\"", out);
    fsd_put_xml(out, j->name);
    fputs("\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\">\n"
          "    <testcase name=\"build\" classname=\"fusiondiff.check\" time=\"0\">\n"
          "      <error message=\"",
          out);
    fsd_put_xml(out, fsd_error_text(j->error, text, sizeof text));
    fprintf(out, "\" type=\"%s\"/>\n    </testcase>\n  </testsuite>\n",
            fsd_status_name(j->error->status));
}

void fsd_verdict_put_junit(const struct fsd_verdicts *all,
                           const struct fsd_style *style, FILE *out)
{
    struct totals totals = {0};
    struct fsd_print suites;

    (void)style;
    fsd_print_open(&suites);
    for (uint32_t i = 0; i < all->n; i++)
        if (all->at[i].v)
            put_suite(all->at[i].v,
                      all->at[i].name ? all->at[i].name : all->at[i].v->engine, &totals,
                      suites.out);
        else
            put_error(&all->at[i], &totals, suites.out);
    fsd_print_close(&suites);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites name=\"fusiondiff\" tests=\"%u\" failures=\"%u\"",
            totals.tests, totals.failures);
    if (totals.errors)
        fprintf(out, " errors=\"%u\"", totals.errors);
    fputs(">\n", out);
    fwrite(suites.text, 1, suites.size, out);
    fputs("</testsuites>\n", out);
    free(suites.text);
}
