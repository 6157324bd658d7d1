/* Any bytes as a policy; what is read judges two builds that differ in all that the
 * rules look at. */
#include "support_file.h"
#include "support_report.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char before[] =
    "fusiondiff snapshot 1\n"
    "input x 1x3 fp32/chw\n"
    "output y 1x3 fp32/chw < Relu_1\n"
    "node Conv_0 Conv core layer int8 < @x ; w8x3x3x3 w\n"
    "node Relu_1 Relu core layer int8 < Conv_0\n"
    "group compute int8 1 : Conv_0 Relu_1 < @x int8/chw Conv_0 > "
    "Relu_1 fp16/chw\n"
    "end\n";

static const char after[] =
    "fusiondiff snapshot 1\n"
    "input x 1x3 fp32/chw\n"
    "output y 1x3 fp16/chw < Relu_1\n"
    "node Conv_0 Conv core layer fp16 < @x ; w8x3x3x3 w\n"
    "node Relu_1 Relu core layer fp32 < Conv_0\n"
    "group compute fp16 1 : Conv_0 < @x fp16/chw Conv_0 > Conv_0 fp16/chw\n"
    "group compute fp32 1 : Relu_1 < Conv_0 fp32/chw Relu_1 > Relu_1 fp16/chw\n"
    "move reformat io inserted : fp32/chw -> fp16/chw < @x > Conv_0\n"
    "move reformat dtype inserted : fp16/chw -> fp32/chw < Conv_0 > Relu_1\n"
    "end\n";

static void judge(struct fsd_policy *policy)
{
    struct fsd_state *old = fuzz_snapshot_load(before, strlen(before));
    struct fsd_state *new = fuzz_snapshot_load(after, strlen(after));
    struct fsd_compare *c;

    check(old && new);
    c = fsd_compare_new(old, new);
    fuzz_check_gate(c, policy);
    fsd_compare_free(c);
    fsd_state_free(old);
    fsd_state_free(new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    struct fsd_error err = {0};
    struct fsd_policy *policy;
    enum fsd_status status =
        fsd_policy_read(&policy, fuzz_file_put(&file, data, size), &err);

    check((status == FSD_OK) == (policy != NULL));
    check(policy || (err.status == status && err.message[0]));
    if (policy)
        judge(policy);
    fsd_policy_free(policy);
    return 0;
}
