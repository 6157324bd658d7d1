/* A model and an engine, through the whole run and every writer.
 *
 *     size of the model (4 bytes, little endian), model, engine
 *
 * Whatever comes in: counts agree, no report holds a character that a terminal would
 * obey, JSON is JSON. */
#define _GNU_SOURCE /* memfd_create */
#include "diff/diff.h"
#include "support_mutate.h"

#include "base/text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static size_t model_size(const uint8_t *data, size_t size)
{
    size_t n = 0;

    if (size < 4)
        return 0;
    for (int i = 3; i >= 0; i--)
        n = n << 8 | data[i];
    return n < size - 4 ? n : size - 4;
}

static void put_size(uint8_t *data, size_t n)
{
    for (int i = 0; i < 4; i++)
        data[i] = (uint8_t)(n >> 8 * i);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static uint8_t half[1 << 17];
    struct fuzz_random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    size_t n = model_size(data, size), rest, changed;
    uint8_t *engine = data + 4 + n;

    if (size < 8 || most > sizeof half)
        return LLVMFuzzerMutate(data, size, most);
    rest = size - 4 - n;
    if (fuzz_below(&random, 3)) {
        changed = fuzz_mutate_json(&random, engine, rest, most - 4 - n, data + 4, n);
        put_size(data, n);
        return 4 + n + changed;
    }
    memcpy(half, data + 4, n);
    changed = fuzz_mutate_model(&random, half, n, most - 4 - rest);
    memmove(data + 4 + changed, engine, rest);
    memcpy(data + 4, half, changed);
    put_size(data, changed);
    return 4 + changed + rest;
}

static void check_counts(const struct fsd_diff *d)
{
    const struct fsd_summary *s = &d->summary;
    uint32_t fates = 0, kinds = 0, causes = 0, found = 0;

    for (unsigned i = 0; i < FSD__FATE_COUNT; i++)
        fates += s->by_fate[i];
    for (unsigned i = 0; i < FSD__KIND_COUNT; i++)
        kinds += s->by_kind[i];
    for (unsigned i = 0; i < FSD__CAUSE_COUNT; i++)
        causes += s->by_cause[i];
    for (unsigned i = 0; i < FSD__SEVERITY_COUNT; i++)
        found += s->by_severity[i];
    check(fates == s->nodes && s->nodes == d->model->nodes.n);
    check(kinds == s->layers && s->layers == d->engine->layers.n);
    check(causes == s->inserted && s->mapped <= s->computing);
    check(found == d->findings.n && found == fsd_diff_findings(d, FSD_INFO));
}

/* What reaches a terminal is valid UTF-8, and obeyed by none. */
static void check_text(const char *s, size_t size)
{
    for (size_t i = 0, n; i < size; i += n) {
        const unsigned char *at = (const unsigned char *)s + i;

        n = fsd_utf8_len(at, size - i);
        check(n > 0);
        check(*at == '\n' || *at == '\t' || !fsd_code_is_hidden(fsd_utf8_code(at, n)));
    }
}

static void check_json(const char *s, size_t size)
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(s, size, &end, false);

    check(json != NULL);
    while (end < s + size)
        check(*end++ == '\n');
    cJSON_Delete(json);
}

static void check_report(const struct fsd_diff *d, const char *format,
                         const struct fsd_style *style)
{
    struct fsd_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    enum fsd_status status = fsd_diff_write(d, format, style, out, &err);

    fclose(out);
    check(status == FSD_OK || err.message[0]);
    check_text(bytes, size);
    if (!strcmp(format, "json"))
        check_json(bytes, size);
    free(bytes);
}

/* Layout forks, and is Graphviz's; what it is given is what "dot" writes. */
static bool is_laid_out(const char *format)
{
    return !strcmp(format, "svg") || !strcmp(format, "png") || !strcmp(format, "pdf");
}

static void check_run(const struct fsd_diff *d)
{
    static const struct fsd_style styles[] = {
        {0}, {.all = true, .width = 40}, {.one_column = true, .width = 200}};

    check_counts(d);
    for (unsigned i = 0; fsd_format_at(i); i++)
        if (!is_laid_out(fsd_format_at(i)))
            check_report(d, fsd_format_at(i), &styles[0]);
    for (unsigned i = 1; i < FSD_COUNT_OF(styles); i++)
        check_report(d, "text", &styles[i]);
}

/* A file in memory; the run reads it by its path. */
static const char *file_of(int *fd, char path[40], const uint8_t *data, size_t size)
{
    if (!*fd)
        *fd = memfd_create("fuzz", 0);
    check(*fd > 0 && !ftruncate(*fd, 0));
    check(pwrite(*fd, data, size, 0) == (ssize_t)size);
    snprintf(path, 40, "/proc/self/fd/%d", *fd);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int model, engine;
    static char paths[2][40];
    size_t n = model_size(data, size);
    struct fsd_options options = {.force = true};
    struct fsd_error err = {0};
    struct fsd_diff *d;

    if (size < 4)
        return 0;
    options.model = file_of(&model, paths[0], data + 4, n);
    options.engine = file_of(&engine, paths[1], data + 4 + n, size - 4 - n);
    if (fsd_diff_open(&d, &options, &err) == FSD_OK)
        check_run(d);
    else
        check(err.message[0] && !d);
    fsd_diff_free(d);
    return 0;
}
