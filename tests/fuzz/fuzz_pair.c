/* A model and an engine, through the whole run and every writer and view.
 *
 *     size of the model (4 bytes, little endian), model, engine [0x1d log [0x1d
 * profile]]
 *
 * Whatever comes in: counts agree, no report holds a character that a terminal would
 * obey, JSON is JSON, a build does not differ from its own snapshot.  Pictures are left
 * out: they are the DOT text, drawn by Graphviz.
 */
#include "diff/diff.h"
#include "support_file.h"
#include "support_mutate.h"
#include "support_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

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

static bool is_picture(const char *format)
{
    return !strcmp(format, "svg") || !strcmp(format, "png") || !strcmp(format, "pdf");
}

static void check_report(const struct fsd_diff *d, const char *format,
                         const struct fsd_style *style)
{
    struct fsd_error err = {0};
    struct fuzz_report report;
    enum fsd_status status;

    fuzz_report_open(&report);
    status = fsd_diff_write(d, format, style, report.out, &err);
    check(status == FSD_OK || err.message[0]);
    fuzz_report_close(&report, status == FSD_OK && fuzz_is_json(format));
}

/* A view may refuse: a word may name nothing. */
static void check_view(const struct fsd_diff *d, const char *view,
                       const struct fsd_query *query, const char *format)
{
    static const struct fsd_style style = {0};
    struct fsd_error err = {0};
    struct fuzz_report report;
    enum fsd_status status;

    fuzz_report_open(&report);
    status = fsd_diff_view(d, view, query, format, &style, report.out, &err);
    check(status == FSD_OK || err.message[0]);
    fuzz_report_close(&report, status == FSD_OK && fuzz_is_json(format));
}

static void check_views(const struct fsd_diff *d)
{
    static const char *const views[] = {"reformats", "where",  "inside",
                                        "names",     "scopes", "explain"};
    static const char *const any[] = {"*"};
    static const struct fsd_query queries[] = {
        {.words = any, .n_words = 1}, {.words = any, .n_words = 1, .layers = true}};

    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        for (size_t k = 0; k < FSD_COUNT_OF(queries); k++) {
            check_view(d, views[i], &queries[k], "text");
            check_view(d, views[i], &queries[k], "json");
        }
}

static void check_reports(const struct fsd_diff *d)
{
    static const struct fsd_picture reformats = {.only = "reformats"},
                                    runs = {.collapse = "run"};
    static const struct fsd_style styles[] = {{.all = true, .width = 40},
                                              {.one_column = true, .width = 200}};
    static const struct fsd_style pictures[] = {{.picture = &reformats},
                                                {.picture = &runs}};

    for (unsigned i = 0; fsd_format_at(i); i++)
        if (!is_picture(fsd_format_at(i)))
            check_report(d, fsd_format_at(i), NULL);
    for (unsigned i = 0; i < FSD_COUNT_OF(styles); i++)
        check_report(d, "text", &styles[i]);
    for (unsigned i = 0; i < FSD_COUNT_OF(pictures); i++)
        check_report(d, "dot", &pictures[i]);
}

/* The snapshot of a build is read back as that build, which does not differ from
 * itself and passes its own check. */
static void check_state(const struct fsd_diff *d)
{
    struct fsd_state *state = fsd_state_of(d), *again;
    struct fsd_snapshot_lines lines = {0};
    struct fsd_policy *policy;
    struct fsd_compare *c;
    size_t size;
    char *text = fuzz_snapshot_text(state, &size);

    again = fuzz_snapshot_load(text, size, &lines);
    check(again);
    check(fsd_policy_read(&policy, NULL, NULL) == FSD_OK);
    c = fsd_compare_new(again, state);
    check(!c->differs);
    fuzz_check_compare(c);
    check(!fuzz_check_gate(c, policy, &lines));
    fsd_compare_free(c);
    fsd_policy_free(policy);
    fsd_state_free(again);
    fsd_state_free(state);
    free(text);
}

static void check_run(const struct fsd_diff *d)
{
    check_counts(d);
    check_reports(d);
    check_views(d);
    check_state(d);
}

/* The next part, up to a 0x1d; NULL when there is none. */
static const char *next_part(struct fuzz_file *file, const uint8_t **at, size_t *left)
{
    const uint8_t *end = *left ? memchr(*at, 0x1d, *left) : NULL;
    size_t n = end ? (size_t)(end - *at) : *left;
    const char *path = *left ? fuzz_file_put(file, *at, n) : NULL;

    *at += n + (end != NULL);
    *left -= n + (end != NULL);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file model, engine, log, profile;
    size_t n = model_size(data, size), left = size - 4 - n;
    const uint8_t *at = data + 4 + n;
    struct fsd_options options = {.force = true};
    const char *profiles[1];
    struct fsd_error err = {0};
    struct fsd_diff *d;

    if (size < 4)
        return 0;
    options.model = fuzz_file_put(&model, data + 4, n);
    options.engine = next_part(&engine, &at, &left);
    if (!options.engine)
        return 0;
    options.log = next_part(&log, &at, &left);
    profiles[0] = next_part(&profile, &at, &left);
    options.profiles = profiles;
    options.n_profiles = profiles[0] != NULL;
    if (fsd_diff_open(&d, &options, &err) == FSD_OK)
        check_run(d);
    else
        check(err.message[0] && !d);
    fsd_diff_free(d);
    return 0;
}
