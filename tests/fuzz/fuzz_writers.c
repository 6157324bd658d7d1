/* A pair (support_pair.h) through all that writes: models, parts, programs, reports of
 * bugs, snapshots, and each subject of a report in each of its formats.
 *
 *     which writer (1 byte), pair
 *
 * Whatever comes in: a writer either refuses, and says why, or it writes what can be
 * read again.  All files are in memory, those with weights too; a real folder would let
 * an input name any file.  Pictures are left out: they are the DOT text, drawn by
 * Graphviz.
 */
#include "fusiondiff/edit.h"

#include "base/base.h"
#include "support_file.h"
#include "support_pair.h"
#include "support_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (size < 2 || seed % 16 == 0)
        *data = (uint8_t)(seed >> 4);
    return 1 + (size ? fuzz_pair_mutate(data + 1, size - 1, most - 1, seed) : 0);
}

/* ----------------------------------------------------------------------- the files */

enum file { MODEL, ENGINE, LOG, PROFILE, WRITTEN, OTHER, WEIGHTS, FILES = WEIGHTS + 4 };

static const char *const paths[FILES] = {
    "fuzz/model.onnx",  "fuzz/engine",       "fuzz/log",         "fuzz/profile",
    "fuzz/written",     "fuzz/other",        "fuzz/weights.bin", "fuzz/weights.data",
    "fuzz/absent.data", "fuzz/outside.data",
};

static struct fsd_memory files[FILES];

static const char *put_file(enum file i, const void *bytes, size_t size)
{
    files[i].bytes = size ? bytes : "";
    files[i].size = size;
    fsd_use_memory(files, FILES);
    return paths[i];
}

static const char *put_part(enum file i, struct fuzz_part part)
{
    put_file(i, part.at, part.n);
    return part.at ? paths[i] : NULL;
}

static void put_others(void)
{
    static uint8_t weights[1 << 15];

    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (uint8_t)(i * 37 >> 3);
    for (unsigned i = 0; i < FILES; i++)
        files[i].path = paths[i];
    put_file(WRITTEN, NULL, 0); /* of the input before */
    put_file(OTHER, NULL, 0);
    for (unsigned i = WEIGHTS; i < FILES; i++)
        put_file(i, weights, sizeof weights);
}

/* ------------------------------------------------------------------ what is written */

static struct fuzz_report report;
static struct fsd_error err;

static FILE *begin(void)
{
    memset(&err, 0, sizeof err);
    fuzz_report_open(&report);
    return report.out;
}

/* A report, which may have been refused. */
static void end(enum fsd_status status, const char *format)
{
    check(status == FSD_OK || err.message[0]);
    fuzz_report_close(&report, status == FSD_OK && format && fuzz_is_json(format));
}

/* A file that the program reads itself; freed by the next. */
static bool keep(enum fsd_status status, enum file as)
{
    static char *kept[FILES];

    check(!fclose(report.out));
    check(status == FSD_OK || err.message[0]);
    free(kept[as]);
    kept[as] = report.bytes;
    put_file(as, report.bytes, report.size);
    return status == FSD_OK;
}

static void keep_model(enum fsd_status status)
{
    const struct fsd_options opt = {.model = paths[WRITTEN]};

    if (!keep(status, WRITTEN))
        return;
    status = fsd_dump("shapes", &opt, begin(), &err);
    end(status, NULL);
    check(status == FSD_OK || status == FSD_E_LIMIT);
}

/* Each format of a subject but pictures. */
#define FOR_FORMATS(format, subject)                                                   \
    for (unsigned fmt = 0; fsd_format_of(subject, fmt); fmt++)                         \
        if (format = fsd_format_of(subject, fmt),                                      \
            !fsd_format_draws(format) || !strcmp(format, "dot"))

/* --------------------------------------------------------------------- the writers */

static void write_annotated(const struct fsd_options *opt)
{
    struct fsd_diff *d;

    if (fsd_diff_open(&d, opt, &err) == FSD_OK) {
        keep_model(fsd_diff_annotate(d, FSD_ANNOTATE_MODEL, begin(), &err));
        keep_model(fsd_diff_annotate(d, FSD_ANNOTATE_LAYERS, begin(), &err));
        end(fsd_diff_annotate(d, FSD_ANNOTATE_NODE_DATA, begin(), &err), "json");
        end(fsd_pair_write("a pair", d, NULL, begin(), &err), "json");
    }
    fsd_diff_free(d);
}

static void write_retyped(const struct fsd_options *opt)
{
    static const struct fsd_query all = {0};
    struct fsd_diff *d;
    const char *format;

    if (fsd_diff_open(&d, opt, &err) == FSD_OK) {
        keep_model(fsd_diff_retype(d, begin(), &err));
        FOR_FORMATS(format, FSD_OF_VIEW)
        end(fsd_edit_view(d, "retype", &all, format, NULL, begin(), &err), format);
    }
    fsd_diff_free(d);
}

static void write_marked(const struct fsd_options *opt)
{
    static const struct fsd_query queries[] = {
        {0}, {.only_free = true}, {.break_at = "#0"}, {.break_at = "layer:1"}};
    struct fsd_diff *d;

    if (fsd_diff_open(&d, opt, &err) == FSD_OK)
        for (size_t i = 0; i < FSD_COUNT_OF(queries); i++) {
            end(fsd_edit_view(d, "tensors", &queries[i], "json", NULL, begin(), &err),
                "json");
            keep_model(fsd_diff_mark(d, &queries[i], begin(), &err));
        }
    fsd_diff_free(d);
}

static void write_views(const struct fsd_options *opt)
{
    static const char *const any[] = {"*"};
    static const char *const views[] = {
        "top",    "memory",  "reformats", "patterns", "where", "inside", "names",
        "scopes", "explain", "skipped",   "tensors",  "rules", "parts",  "buildtime"};
    static const struct fsd_query all = {0}, named = {.words = any, .n_words = 1};
    struct fsd_diff *d;
    const char *format;

    if (fsd_diff_open(&d, opt, &err) == FSD_OK)
        for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
            FOR_FORMATS(format, FSD_OF_VIEW)
            {
                end(fsd_edit_view(d, views[i], &all, format, NULL, begin(), &err),
                    format);
                end(fsd_edit_view(d, views[i], &named, format, NULL, begin(), &err),
                    format);
            }
    fsd_diff_free(d);
}

static void write_fixed(const struct fsd_options *opt, const char *builder)
{
    const struct fsd_lint_options how = {.builder = builder, .today = 20260131};
    static const char *const scales[] = {"x=0.1", "input=0.02"};
    const struct fsd_fix_options fix = {.scales = scales,
                                        .n_scales = FSD_COUNT_OF(scales)};
    struct fsd_linting *l;
    const char *format;

    if (fsd_linting_open(&l, opt, &how, &err) == FSD_OK) {
        FOR_FORMATS(format, FSD_OF_LINT)
        end(fsd_linting_write(l, format, NULL, begin(), &err), format);
        end(fsd_linting_list_fixes(l, NULL, "text", begin(), &err), NULL);
        end(fsd_linting_list_fixes(l, &fix, "line", begin(), &err), NULL);
        keep_model(fsd_linting_fix(l, NULL, begin(), &err));
        keep_model(fsd_linting_fix(l, &fix, begin(), &err));
    }
    fsd_linting_free(l);
}

static void write_failure(const struct fsd_options *opt)
{
    struct fsd_failure *f;
    const char *format;

    if (fsd_failure_open(&f, opt, &err) == FSD_OK) {
        FOR_FORMATS(format, FSD_OF_FAILURE)
        end(fsd_failure_write(f, format, NULL, begin(), &err), format);
    }
    fsd_failure_free(f);
}

static void write_linted(const struct fsd_options *opt)
{
    struct fsd_options alone = *opt;

    write_failure(opt);
    write_fixed(opt, NULL);
    alone.engine = alone.log = NULL;
    alone.n_profiles = 0;
    write_fixed(&alone, "trt8");
}

static void write_part(const struct fsd_options *opt, const struct fsd_cut_options *cut)
{
    struct fsd_cutting *c;

    if (fsd_cutting_open(&c, opt, cut, &err) == FSD_OK) {
        end(fsd_cutting_report(c, "part.onnx", opt->engine, begin(), &err), NULL);
        keep_model(fsd_cutting_write(c, begin(), &err));
        keep(fsd_cutting_write_inputs(c, begin(), &err), OTHER);
    }
    fsd_cutting_free(c);
}

static void write_parts(const struct fsd_options *opt)
{
    static const char *const any[] = {"*"}, *const one[] = {"#1"};
    const char *const values[] = {paths[OTHER]};
    const struct fsd_cut_options cuts[] = {
        {.nodes = any, .n_nodes = 1, .inline_weights = true},
        {.nodes = one, .n_nodes = 1, .context = 1},
        {.layers = any, .n_layers = 1, .values = values, .n_values = 1},
        {.groups = one, .n_groups = 1, .inline_weights = true},
        {.from = one, .n_from = 1}};

    for (size_t i = 0; i < FSD_COUNT_OF(cuts); i++)
        write_part(opt, &cuts[i]);
}

static void write_code(const struct fsd_options *opt)
{
    static const char *const one[] = {"#1"};
    static const struct fsd_cut_options part = {.nodes = one, .n_nodes = 1};
    static const struct fsd_code_options how[] = {
        {0},
        {.api = FSD_CODE_TORCH, .depth = 1},
        {.depth = 2, .part = &part},
        {.api = FSD_CODE_TORCH, .part = &part}};
    struct fsd_options alone = *opt;
    struct fsd_coding *c;

    alone.engine = alone.log = NULL;
    alone.n_profiles = 0;
    for (int with_engine = 0; with_engine < 2; with_engine++) {
        if (fsd_coding_open(&c, with_engine ? opt : &alone, &err) == FSD_OK)
            for (size_t i = 0; i < FSD_COUNT_OF(how); i++)
                end(fsd_coding_write(c, &how[i], begin(), &err), NULL);
        fsd_coding_free(c);
    }
}

static void write_issue(const struct fsd_options *before, const struct fsd_options *opt,
                        const struct fsd_issue_options *how)
{
    struct fsd_issue *issue;
    const char *file;

    if (fsd_issue_open(&issue, before, opt, how, &err) == FSD_OK) {
        for (unsigned i = 0; (file = fsd_issue_file(issue, i)); i++) {
            if (!strcmp(file, "part.svg"))
                continue;
            begin();
            if (!strcmp(file, "part.onnx"))
                keep_model(fsd_issue_write(issue, file, report.out, &err));
            else
                end(fsd_issue_write(issue, file, report.out, &err),
                    strstr(file, ".json") ? "json" : NULL);
        }
        end(fsd_issue_write_names(issue, begin(), &err), "json");
    }
    fsd_issue_free(issue);
}

static void write_issues(const struct fsd_options *opt)
{
    static const char *const any[] = {"*"};
    static const struct fsd_issue_options how[] = {
        {0},
        {.anonymous = true},
        {.part = {.layers = any, .n_layers = 1}, .no_weights = true},
        {.part = {.nodes = any, .n_nodes = 1}, .anonymous = true, .no_weights = true}};
    struct fsd_options less = *opt;

    less.evidence = FSD_BY_TENSOR;
    less.log = NULL;
    for (size_t i = 0; i < FSD_COUNT_OF(how); i++)
        write_issue(NULL, opt, &how[i]);
    write_issue(&less, opt, &how[1]);
}

/* The model against what another writer made of it. */
static void write_exports(const struct fsd_options *opt)
{
    struct fsd_models *m;
    struct fsd_diff *d;
    const char *format;

    if (fsd_diff_open(&d, opt, &err) == FSD_OK &&
        keep(fsd_diff_retype(d, begin(), &err), WRITTEN)) {
        if (fsd_models_open(&m, opt->model, paths[WRITTEN], true, &err) == FSD_OK)
            FOR_FORMATS(format, FSD_OF_MODELS)
        end(fsd_models_write(m, format, NULL, begin(), &err), format);
        fsd_models_free(m);
    }
    fsd_diff_free(d);
}

static void write_builds(const struct fsd_options *opt)
{
    struct fsd_options runs[3] = {*opt, *opt, *opt};
    struct fsd_comparison *c;
    struct fsd_routing *r;
    struct fsd_builds *b;
    const char *format;

    runs[1].evidence = FSD_BY_NAME | FSD_BY_TENSOR;
    runs[1].label = "name=1";
    runs[2].evidence = FSD_BY_STRUCTURE;
    runs[2].log = NULL;
    if (fsd_comparison_open(&c, &runs[1], &runs[0], &err) == FSD_OK)
        FOR_FORMATS(format, FSD_OF_COMPARISON)
    end(fsd_comparison_write(c, format, NULL, begin(), &err), format);
    fsd_comparison_free(c);
    if (fsd_builds_open(&b, runs, 3, &err) == FSD_OK) {
        FOR_FORMATS(format, FSD_OF_MATRIX)
        end(fsd_builds_write(b, FSD_OF_MATRIX, format, NULL, begin(), &err), format);
        FOR_FORMATS(format, FSD_OF_STABILITY)
        end(fsd_builds_write(b, FSD_OF_STABILITY, format, NULL, begin(), &err), format);
    }
    fsd_builds_free(b);
    if (fsd_routing_open(&r, NULL, runs, 3, &err) == FSD_OK)
        FOR_FORMATS(format, FSD_OF_ROUTES)
    end(fsd_routing_write(r, format, NULL, begin(), &err), format);
    fsd_routing_free(r);
}

static void write_check(const struct fsd_options *opt,
                        const struct fsd_check_options *how)
{
    struct fsd_check *c;
    struct fsd_checked one = {.error = &err, .model = opt->model};
    const char *format;

    if (fsd_check_open(&c, opt, how, &err) == FSD_OK) {
        FOR_FORMATS(format, FSD_OF_CHECK)
        end(fsd_check_write(c, format, NULL, begin(), &err), format);
        one.check = c;
        FOR_FORMATS(format, FSD_OF_CHECKS)
        end(fsd_checks_write(&one, 1, format, NULL, begin(), &err), format);
        keep(fsd_check_update(c, begin(), &err), OTHER);
        check(!files[OTHER].size || fsd_snapshot_builds(paths[OTHER]));
    }
    fsd_check_free(c);
}

static void write_snapshots(const struct fsd_options *opt)
{
    const struct fsd_check_options gate = {.snapshot = paths[WRITTEN],
                                           .today = 20260131},
                                   lint = {.snapshot = paths[WRITTEN],
                                           .accept = true,
                                           .lint = true};
    struct fsd_options runs[2] = {*opt, *opt};

    runs[0].evidence = FSD_BY_TENSOR;
    runs[0].log = NULL;
    if (keep(fsd_snapshot_make_of(runs, 2, begin(), &err), WRITTEN)) {
        write_check(opt, &gate);
        write_check(opt, &lint);
    }
    if (keep(fsd_snapshot_make(&runs[0], begin(), &err), WRITTEN))
        write_check(opt, &gate);
}

static void write_search(const struct fsd_options *opt)
{
    struct fsd_bisection *s;

    if (fsd_bisection_open(&s, opt, &err) == FSD_OK)
        for (unsigned i = 0; i < 3 && !fsd_bisection_done(s); i++) {
            end(fsd_bisection_tensors(s, begin(), &err), NULL);
            end(fsd_bisection_next(s, begin(), &err), NULL);
            keep_model(fsd_bisection_model(s, i != 0, begin(), &err));
            end(fsd_bisection_take(s, i ? FSD_BISECT_BAD : FSD_BISECT_SKIP, NULL,
                                   begin(), &err),
                NULL);
            end(fsd_bisection_log(s, begin(), &err), NULL);
        }
    fsd_bisection_free(s);
}

/* ---------------------------------------------------------------------------------- */

/* New ones go to the end: kept inputs name them by number.  seeds.py has how many. */
static void (*const writers[])(const struct fsd_options *) = {
    write_annotated, write_retyped, write_marked,    write_views,
    write_linted,    write_parts,   write_code,      write_issues,
    write_exports,   write_builds,  write_snapshots, write_search};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_options opt = {.force = true};
    const char *profiles[1];
    struct fuzz_pair pair;

    if (!size || !fuzz_pair_split(&pair, data + 1, size - 1))
        return 0;
    put_others();
    opt.model = put_part(MODEL, pair.model);
    opt.engine = put_part(ENGINE, pair.engine);
    opt.log = put_part(LOG, pair.log);
    profiles[0] = put_part(PROFILE, pair.profile);
    opt.profiles = profiles;
    opt.n_profiles = profiles[0] != NULL;
    writers[*data % FSD_COUNT_OF(writers)](&opt);
    fsd_use_memory(NULL, 0);
    return 0;
}
