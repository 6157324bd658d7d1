/*
 * Splits and changes inputs that hold several files.  The model's size stands in front
 * of it, since its bytes may be any; the texts behind it are split at a character that
 * none of them holds.
 */
#include "support_pair.h"

#include "support_mutate.h"

#include <string.h>

enum { HEAD = 4 };

static size_t model_size(const uint8_t *data, size_t size)
{
    size_t n = 0;

    if (size < HEAD)
        return 0;
    for (int i = HEAD - 1; i >= 0; i--)
        n = n << 8 | data[i];
    return n < size - HEAD ? n : size - HEAD;
}

static void put_size(uint8_t *data, size_t n)
{
    for (int i = 0; i < HEAD; i++)
        data[i] = (uint8_t)(n >> 8 * i);
}

size_t fuzz_pair_mutate(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static uint8_t half[1 << 17];
    struct fuzz_random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    size_t n = model_size(data, size), rest, changed;
    uint8_t *engine = data + HEAD + n;

    if (size < 2 * (size_t)HEAD || most > sizeof half)
        return LLVMFuzzerMutate(data, size, most);
    rest = size - HEAD - n;
    if (fuzz_below(&random, 3)) {
        changed =
            fuzz_mutate_json(&random, engine, rest, most - HEAD - n, data + HEAD, n);
        put_size(data, n);
        return HEAD + n + changed;
    }
    memcpy(half, data + HEAD, n);
    changed = fuzz_mutate_model(&random, half, n, most - HEAD - rest);
    memmove(data + HEAD + changed, engine, rest);
    memcpy(data + HEAD, half, changed);
    put_size(data, changed);
    return HEAD + changed + rest;
}

/* The next part, up to a 0x1d. */
static struct fuzz_part next_part(const uint8_t **at, size_t *left)
{
    const uint8_t *end = *left ? memchr(*at, 0x1d, *left) : NULL;
    size_t n = end ? (size_t)(end - *at) : *left;
    struct fuzz_part part = {*left ? *at : NULL, n};

    *at += n + (end != NULL);
    *left -= n + (end != NULL);
    return part;
}

bool fuzz_pair_split(struct fuzz_pair *out, const uint8_t *data, size_t size)
{
    size_t n = model_size(data, size), left;
    const uint8_t *at;

    if (size < HEAD)
        return false;
    at = data + HEAD + n;
    left = size - HEAD - n;
    out->model = (struct fuzz_part){data + HEAD, n};
    out->engine = next_part(&at, &left);
    out->log = next_part(&at, &left);
    out->profile = next_part(&at, &left);
    return out->engine.at != NULL;
}
