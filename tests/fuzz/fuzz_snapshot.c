/* Any bytes as a snapshot, as somebody may have edited it.  What is read is written and
 * read again, the same; and compares with itself and with another without a fault. */
#include "compare/compare.h"
#include "compare/snapshot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static char *text_of(const struct fsd_state *s, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    check(out);
    fsd_snapshot_write(s, true, out);
    check(!fclose(out));
    return text;
}

static struct fsd_state *load(const void *bytes, size_t size)
{
    struct fsd_file file = {.name = "fuzz", .bytes = bytes, .size = size};
    struct fsd_error err = {0};
    struct fsd_state *s;
    enum fsd_status status = fsd_snapshot_load(&s, &file, NULL, &err);

    check((status == FSD_OK) == (s != NULL));
    check(s || (err.status == status && err.unit == FSD_POS_LINE && err.message[0]));
    return s;
}

static void compare(const struct fsd_state *old, const struct fsd_state *new)
{
    struct fsd_compare *c = fsd_compare_new(old, new);

    check(c->regions.n <= old->groups.n + new->groups.n);
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
    struct fsd_state *s = load(data, size), *again, *second;
    char *text, *text_again;
    size_t n, n_again;

    if (!s)
        return 0;
    text = text_of(s, &n);
    again = load(text, n);
    check(again);
    text_again = text_of(again, &n_again);
    check(n == n_again && !memcmp(text, text_again, n));
    second = load(other, strlen(other));
    check(second);
    compare(s, again);
    compare(s, second);
    compare(second, s);
    free(text);
    free(text_again);
    fsd_state_free(s);
    fsd_state_free(again);
    fsd_state_free(second);
    return 0;
}
