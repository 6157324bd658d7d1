/* A model and an engine (support_pair.h), through the whole run and every view.
 *
 * Whatever comes in: counts agree, no report holds a character that a terminal would
 * obey, JSON is JSON, a build does not differ from its own snapshot.  Pictures are left
 * out: they are the DOT text, drawn by Graphviz.
 */
#include "judge/findings/findings.h"
#include "model/graph/graph.h"
#include "support_file.h"
#include "support_pair.h"
#include "support_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return fuzz_pair_mutate(data, size, most, seed);
}

static void check_counts(const struct fsd_diff *d)
{
    const struct fsd_summary *s = d->summary;
    uint32_t fates = 0, kinds = 0, causes = 0, found = 0;

    for (unsigned i = 0; i < FSD__FATE_COUNT; i++)
        fates += s->by_fate[i];
    for (unsigned i = 0; i < FSD__KIND_COUNT; i++)
        kinds += s->by_kind[i];
    for (unsigned i = 0; i < FSD__CAUSE_COUNT; i++)
        causes += s->by_cause[i];
    for (unsigned i = 0; i < FSD__SEVERITY_COUNT; i++)
        found += d->findings->by_severity[i];
    check(fates == s->nodes && s->nodes == d->model->nodes.n);
    check(kinds == s->layers && s->layers == d->engine->layers.n);
    check(causes == s->inserted && s->mapped <= s->computing);
    check(found == d->findings->list.n && found == fsd_diff_findings(d, FSD_INFO));
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
    static const char *const any[] = {"*"}, *const two[] = {"#0", "#1"};
    static const struct {
        const char *name;
        struct fsd_query query;
    } views[] = {
        {"reformats", {.min_share = 0.01}},
        {"where", {.words = any, .n_words = 1}},
        {"inside", {.words = any, .n_words = 1, .layers = true}},
        {"inside", {.words = any, .n_words = 1, .top = 20}},
        {"names", {.as = "layerPrecisions"}},
        {"names", {.not_type = "int8", .as = "polygraphy"}},
        {"names", {.words = any, .n_words = 1, .as = "nodes_to_exclude"}},
        {"scopes", {.depth = 2}},
        {"explain", {.words = any, .n_words = 1}},
        {"explain", {.words = any, .n_words = 1, .layers = true}},
        {"explain", {.words = two, .n_words = 2}},
    };

    for (size_t i = 0; i < FSD_COUNT_OF(views); i++) {
        check_view(d, views[i].name, &views[i].query, "text");
        check_view(d, views[i].name, &views[i].query, "json");
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
    struct fsd_policy *policy;
    struct fsd_compare *c;
    size_t size;
    char *text = fuzz_snapshot_text(state, &size);

    again = fuzz_snapshot_load(text, size);
    check(again);
    check(fsd_policy_read(&policy, NULL, NULL) == FSD_OK);
    c = fsd_compare_new(again, state);
    check(!c->differs);
    fuzz_check_compare(c);
    /* Times of which some are missing are an error, of both. */
    check(!fuzz_check_gate(c, policy) || state->untimed);
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

/* The build, judged by what less evidence shows of it, which is another fusion. */
static void check_other(const struct fsd_options *options)
{
    static struct fuzz_file file;
    struct fsd_options less = *options;
    struct fsd_check_options gate = {.today = 20260131};
    struct fsd_check *c = NULL;
    struct fsd_error err = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    less.evidence = FSD_BY_TENSOR;
    less.log = NULL;
    less.n_profiles = 0;
    check(fsd_snapshot_make(&less, out, &err) == FSD_OK && !fclose(out));
    gate.snapshot = fuzz_file_put(&file, (const uint8_t *)text, size);
    check(fsd_check_open(&c, options, &gate, &err) == FSD_OK);
    for (unsigned i = 0; fsd_format_at(i); i++) {
        const char *format = fsd_format_at(i);
        struct fuzz_report report;
        enum fsd_status status;

        fuzz_report_open(&report);
        status = fsd_check_write(c, format, NULL, report.out, &err);
        check(status == FSD_OK || status == FSD_E_ARG); /* pictures */
        fuzz_report_close(&report, status == FSD_OK && fuzz_is_json(format));
    }
    fsd_check_free(c);
    free(text);
}

static void check_comparison(const struct fsd_options *options)
{
    static const char *const formats[] = {"text", "json", "dot"};
    struct fsd_options less = *options;
    struct fsd_comparison *c = NULL;
    struct fsd_error err = {0};

    less.evidence = FSD_BY_NAME;
    less.log = NULL;
    check(fsd_comparison_open(&c, &less, options, &err) == FSD_OK);
    for (size_t i = 0; i < FSD_COUNT_OF(formats); i++) {
        struct fuzz_report report;

        fuzz_report_open(&report);
        check(fsd_comparison_write(c, formats[i], NULL, report.out, &err) == FSD_OK);
        fuzz_report_close(&report, fuzz_is_json(formats[i]));
    }
    fsd_comparison_free(c);
}

/* The engine twice, as the engines of two parts: each node that it computes is in both,
 * and equal names of layers and tensors mean two things. */
static void check_parts(const struct fsd_options *options)
{
    const char *const engines[] = {options->engine, options->engine};
    struct fsd_options parts = *options;
    struct fsd_diff *d = NULL;
    struct fsd_error err = {0};

    parts.log = NULL;
    parts.parts = engines;
    parts.n_parts = 2;
    if (fsd_diff_open(&d, &parts, &err) == FSD_OK) {
        check(d->engine->parts.n == 2 && d->parts);
        check_counts(d);
        check_report(d, "json", NULL);
        check_view(d, "parts", &(struct fsd_query){0}, "json");
        check_view(d, "parts", &(struct fsd_query){0}, "text");
        check_state(d);
    } else {
        check(err.message[0]);
    }
    fsd_diff_free(d);
}

static void check_dumps(const struct fsd_options *options)
{
    static const char *const sides[] = {"model", "shapes", "engine", "log"};

    for (size_t i = 0; i < FSD_COUNT_OF(sides) - !options->log; i++) {
        struct fsd_error err = {0};
        struct fuzz_report report;
        enum fsd_status status;

        fuzz_report_open(&report);
        status = fsd_dump(sides[i], options, report.out, &err);
        check(status == FSD_OK || err.message[0]);
        fuzz_report_close(&report, false);
    }
}

static const char *put_part(struct fuzz_file *file, struct fuzz_part part)
{
    return part.at ? fuzz_file_put(file, part.at, part.n) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file model, engine, log, profile;
    struct fuzz_pair pair;
    struct fsd_options options = {.force = true};
    const char *profiles[1];
    struct fsd_error err = {0};
    struct fsd_diff *d;

    if (!fuzz_pair_split(&pair, data, size))
        return 0;
    options.model = put_part(&model, pair.model);
    options.engine = put_part(&engine, pair.engine);
    options.log = put_part(&log, pair.log);
    profiles[0] = put_part(&profile, pair.profile);
    options.profiles = profiles;
    options.n_profiles = profiles[0] != NULL;
    if (fsd_diff_open(&d, &options, &err) != FSD_OK) {
        check(err.message[0] && !d);
        return 0;
    }
    check_run(d);
    fsd_diff_free(d);
    check_dumps(&options);
    check_comparison(&options);
    check_other(&options);
    check_parts(&options);
    return 0;
}
