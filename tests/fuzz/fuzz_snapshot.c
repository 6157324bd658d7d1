/* Any bytes as a snapshot, as a person may have edited it.  What is read is written and
 * read again, the same; it compares with itself and with another without a fault, and
 * is checked against both. */
#include "support_file.h"
#include "support_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const struct fsd_state *old, const struct fsd_state *new)
{
    struct fsd_compare *c = fsd_compare_new(old, new);

    check(c->regions.n <= old->groups.n + new->groups.n);
    fuzz_check_compare(c);
    fsd_compare_free(c);
}

static void gate(const struct fsd_state *old, const struct fsd_state *new)
{
    struct fsd_compare *c = fsd_compare_new(old, new);
    struct fsd_policy *policy;

    check(fsd_policy_read(&policy, NULL, NULL) == FSD_OK);
    fuzz_check_gate(c, policy);
    fsd_policy_free(policy);
    fsd_compare_free(c);
}

static const char other[] =
    "fusiondiff snapshot 1\n"
    "input x 1x3 fp32/chw\n"
    "output y 1x3 fp32/chw < Relu_1\n"
    "node Conv_0 Conv core layer fp16 < @x ; w8x3x3x3 w\n"
    "node Relu_1 Relu core layer fp16 < Conv_0\n"
    "group compute fp16 1 : Conv_0 Relu_1 < @x fp16/chw Conv_0 > "
    "Relu_1 fp16/chw\n"
    "move reformat io inserted : fp32/chw -> fp16/chw < @x > "
    "Conv_0\n"
    "end\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_state *s = fuzz_snapshot_load(data, size), *again, *second;
    char *text, *text_again;
    size_t n, n_again;

    if (!s)
        return 0;
    text = fuzz_snapshot_text(s, &n);
    again = fuzz_snapshot_load(text, n);
    check(again);
    text_again = fuzz_snapshot_text(again, &n_again);
    check(n == n_again && !memcmp(text, text_again, n));
    second = fuzz_snapshot_load(other, strlen(other));
    check(second);
    compare(s, again);
    compare(second, s);
    gate(s, again);
    gate(s, second);
    free(text);
    free(text_again);
    fsd_state_free(s);
    fsd_state_free(again);
    fsd_state_free(second);
    return 0;
}
