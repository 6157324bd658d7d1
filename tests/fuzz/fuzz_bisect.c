/* Any bytes as the state of a search: with '+' in front, as lines behind the head of a
 * real one.  What is read is written again as the same state. */
#include "base/base.h"
#include "fusiondiff/edit.h"
#include "support_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *saved(const struct fsd_bisection *search, size_t *size)
{
    struct fsd_error err = {0};
    struct fsd_print print;

    check(fsd_bisection_save(search, fsd_print_open(&print), &err) == FSD_OK);
    fsd_print_close(&print);
    *size = print.size;
    return print.text;
}

static const char *head(size_t *size)
{
    static char *text;
    static size_t n;

    if (!text) {
        const struct fsd_options opt = {.model = FIXTURES "/kernels/model.onnx",
                                        .engine = FIXTURES "/kernels/engine.log"};
        struct fsd_bisection *search;
        struct fsd_error err = {0};

        check(fsd_bisection_open(&search, &opt, &err) == FSD_OK);
        text = saved(search, &n);
        fsd_bisection_free(search);
    }
    *size = n;
    return text;
}

static void read_again(const struct fsd_bisection *search)
{
    static struct fuzz_file file;
    const struct fsd_options opt = {0};
    struct fsd_bisection *again;
    struct fsd_error err = {0};
    size_t n, m;
    char *text = saved(search, &n), *other;

    check(fsd_bisection_read(&again, fuzz_file_put(&file, (uint8_t *)text, n), &opt,
                             &err) == FSD_OK);
    other = saved(again, &m);
    check(n == m && !memcmp(text, other, n));
    check(fsd_bisection_done(search) == fsd_bisection_done(again));
    fsd_bisection_free(again);
    free(text);
    free(other);
}

static void read_state(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    const struct fsd_options opt = {0};
    struct fsd_bisection *search;
    struct fsd_error err = {0};
    enum fsd_status status =
        fsd_bisection_read(&search, fuzz_file_put(&file, data, size), &opt, &err);

    check((status == FSD_OK) == (search != NULL));
    if (search)
        read_again(search);
    else
        check(err.status == status && err.message[0]);
    fsd_bisection_free(search);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n;
    const char *begin = head(&n);
    uint8_t *all;

    if (!size || *data != '+') {
        /* A state names files: those of a fuzzer might be anything. */
        if (size < 20)
            read_state(data, size);
        return 0;
    }
    all = malloc(n + size);
    check(all != NULL);
    memcpy(all, begin, n);
    memcpy(all + n, data + 1, size - 1);
    read_state(all, n + size - 1);
    free(all);
    return 0;
}
