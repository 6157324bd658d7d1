/* Any bytes as a policy; and what is read judges a check, whose every list is written.
 */
#include "gate/check.h"
#include "report/list.h"
#include "support_file.h"
#include "support_report.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(const struct fsd_policy_rule *rule, unsigned budgets)
{
    check(rule->level >= -1 && rule->level < FSD__SEVERITY_COUNT);
    check(rule->count < 0 || budgets & FSD_BUDGET_COUNT);
    check(rule->ms < 0 || budgets & FSD_BUDGET_MS);
    check(rule->share < 0 || budgets & FSD_BUDGET_SHARE);
}

/* What was accepted is whole: no budget that the rule has not, no ignore without a rule
 * and a reason. */
static void check_policy(const struct fsd_policy *p)
{
    for (int i = 0; i < FSD__GATE_COUNT; i++)
        check_rule(&p->rules[i], fsd_gate_defaults[i].budgets);
    check(p->noise >= 0 && p->operators.n > 0);
    for (uint32_t i = 0; i < p->ignores.n; i++) {
        const struct fsd_policy_ignore *ignore = &p->ignores.at[i];

        check(ignore->label && ignore->rule && ignore->node && *ignore->reason);
        check(ignore->line > 0 && ignore->expires <= 99999999 && !ignore->used);
    }
}

/* A build in which everything that a rule asks for has changed. */
static const char before[] =
    "fusiondiff snapshot 1\n"
    "layers 2 1 1\n"
    "input x 1x3 fp32/chw\n"
    "output y 1x3 fp32/chw < Relu_1\n"
    "node Conv_0 Conv core layer int8 < @x ; w8x3x3x3 w\n"
    "node Relu_1 Relu core layer int8 < Conv_0\n"
    "group compute int8 1 : Conv_0 Relu_1 < @x int8/chw4 Conv_0 > Relu_1 fp32/chw\n"
    "end\n";
static const char now[] =
    "fusiondiff snapshot 1\n"
    "layers 3 1 1\n"
    "input x 1x4 fp16/chw\n"
    "output y 1x3 fp32/chw < Relu_1\n"
    "node Conv_0 Conv core layer fp16 < @x ; w8x3x3x3 w\n"
    "node Relu_1 Relu core layer fp16 < Conv_0\n"
    "group compute fp16 1 : Conv_0 < @x fp16/chw Conv_0 > Conv_0 fp16/chw\n"
    "  move reformat io inserted : fp32/chw -> fp16/chw < @x > Conv_0\n"
    "group compute fp16 1 : Relu_1 < Conv_0 fp16/chw Relu_1 > Relu_1 fp32/chw\n"
    "end\n";

static struct fsd_state *load(const char *text, struct fsd_snapshot_lines *lines)
{
    struct fsd_file file = {.name = "fuzz.fsd", .size = strlen(text)};
    struct fsd_state *s;
    struct fsd_error err;

    file.bytes = (const unsigned char *)text;
    check(fsd_snapshot_load(&s, &file, lines, &err) == FSD_OK);
    return s;
}

static void write_all(const struct fsd_list *list)
{
    static const struct fsd_style style = {0};
    static const struct fsd_error none = {0};

    for (unsigned i = 0; fsd_format_at(i); i++) {
        fsd_list_fn *put = fsd_list_writer(fsd_format_at(i));
        struct fuzz_report report;

        if (!put)
            continue;
        fuzz_report_begin(&report);
        put(list, &style, report.out);
        fuzz_report_end(&report, fsd_format_at(i), FSD_OK, &none);
    }
}

static void judge(struct fsd_policy *p)
{
    struct fsd_check_options options = {.snapshot = "fuzz.fsd", .today = 20260601};
    struct fsd_snapshot_lines lines = {0};
    struct fsd_state *old = load(before, &lines), *new = load(now, NULL);
    struct fsd_compare *c = fsd_compare_new(old, new);
    struct fsd_list *list = fsd_check_list(c, p, &lines, &options);

    write_all(list);
    fsd_list_free(list);
    fsd_compare_free(c);
    fsd_state_free(old);
    fsd_state_free(new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    struct fsd_policy *p;
    struct fsd_error err = {0};
    enum fsd_status status =
        fsd_policy_read(&p, fuzz_file_put(&file, data, size), &err);

    check((status == FSD_OK) == (p != NULL));
    if (!p) {
        check(err.status == status && err.message[0]);
        return 0;
    }
    check_policy(p);
    judge(p);
    fsd_policy_free(p);
    return 0;
}
