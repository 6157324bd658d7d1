/* threads N FILE...: N threads, each of which does with the files what the public
 * header offers, in turns that differ; all have to write the same bytes.  FILEs are
 * MODEL ENGINE in pairs; a MODEL is compared, checked and judged, too.  Errors are runs
 * like any other: the output of a thread must be the same as well. */
#define _POSIX_C_SOURCE 200809L
#include <fusiondiff/fusiondiff.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64, MOST_DEEDS = 64, DEEDS = 6 };

static char **files;
static int n_pairs;
static pthread_barrier_t together;

struct told {
    char *text[MOST_DEEDS];
    size_t size[MOST_DEEDS];
};

static void tell_run(const struct fsd_options *opt, FILE *out, struct fsd_error *err)
{
    static const char *const formats[] = {"text", "json",  "html",
                                          "dot",  "sarif", "csv"};
    static const char *const views[] = {"reformats", "names", "scopes", "patterns",
                                        "memory"};
    const struct fsd_query query = {0};
    struct fsd_diff *run;

    if (fsd_diff_open(&run, opt, err) != FSD_OK)
        return;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        fsd_diff_write(run, formats[i], NULL, out, err);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        fsd_diff_view(run, views[i], &query, "markdown", NULL, out, err);
    fsd_diff_free(run);
}

static void tell_comparison(const struct fsd_options *opt, FILE *out,
                            struct fsd_error *err)
{
    const struct fsd_options two[] = {*opt, *opt};
    struct fsd_comparison *comparison;
    struct fsd_builds *builds;

    if (fsd_comparison_open(&comparison, opt, opt, err) == FSD_OK) {
        fsd_comparison_write(comparison, "json", NULL, out, err);
        fsd_comparison_write(comparison, "dot", NULL, out, err);
        fsd_comparison_free(comparison);
    }
    if (fsd_builds_open(&builds, two, 2, err) == FSD_OK) {
        fsd_builds_write(builds, FSD_OF_MATRIX, "text", NULL, out, err);
        fsd_builds_free(builds);
    }
}

static void tell_check(const struct fsd_options *opt, FILE *out, struct fsd_error *err)
{
    const struct fsd_check_options wants = {
        .snapshot = "gate/before.fsd", .today = 20260131, .lint = true};
    struct fsd_check *check;

    fsd_snapshot_make(opt, out, err);
    if (fsd_check_open(&check, opt, &wants, err) != FSD_OK)
        return;
    fsd_check_write(check, "json", NULL, out, err);
    fsd_check_free(check);
}

static void tell_linting(const struct fsd_options *opt, FILE *out,
                         struct fsd_error *err)
{
    const struct fsd_lint_options lint = {.today = 20260131};
    struct fsd_linting *linting;

    if (fsd_linting_open(&linting, opt, &lint, err) != FSD_OK)
        return;
    fsd_linting_write(linting, "json", NULL, out, err);
    fsd_linting_free(linting);
}

static void tell_models(const struct fsd_options *opt, FILE *out, struct fsd_error *err)
{
    struct fsd_models *models;

    fsd_rule_explain(NULL, out, err);
    fsd_dump("engine", opt, out, err);
    if (fsd_models_open(&models, opt->model, opt->model, false, err) != FSD_OK)
        return;
    fsd_models_write(models, "json", NULL, out, err);
    fsd_models_free(models);
}

/* From bytes, each thread's own. */
static void tell_memory(const struct fsd_options *opt, FILE *out, struct fsd_error *err)
{
    static const char log[] =
        "[01/01/2026-00:00:00] [V] [TRT] Engine Layer Information:\n"
        "Layer(Convolution): c1, Tactic: 0x1, x (Float[1,3,8,8]) -> y "
        "(Float[1,8,8,8])\n";
    const struct fsd_memory file = {"bytes", log, sizeof log - 1};
    struct fsd_options bytes = *opt;

    bytes.model = NULL;
    bytes.engine = "bytes";
    fsd_use_memory(&file, 1);
    tell_run(&bytes, out, err);
    fsd_use_memory(NULL, 0);
}

static void *work(void *payload)
{
    static void (*const deeds[DEEDS])(const struct fsd_options *, FILE *,
                                      struct fsd_error *) = {
        tell_run, tell_comparison, tell_check, tell_linting, tell_models, tell_memory};
    struct told *told = payload;
    int n = n_pairs * DEEDS, first = (int)(told->size[0] % (size_t)n);

    pthread_barrier_wait(&together);
    for (int k = 0; k < n; k++) {
        int i = (first + k) % n;
        const struct fsd_options opt = {.model = files[i / DEEDS * 2],
                                        .engine = files[i / DEEDS * 2 + 1]};
        struct fsd_error err = {.status = FSD_OK};
        char text[1024];
        FILE *out = open_memstream(&told->text[i], &told->size[i]);

        if (!out)
            abort();
        deeds[i % DEEDS](&opt, out, &err);
        if (err.status != FSD_OK)
            fprintf(out, "%s", fsd_error_text(&err, text, sizeof text));
        fclose(out);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct told told[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    int n = argc > 3 ? atoi(argv[1]) : 0, bad = 0;

    files = argv + 2;
    n_pairs = (argc - 2) / 2;
    if (n < 2 || n > MOST_THREADS || n_pairs * DEEDS > MOST_DEEDS)
        return 2;
    pthread_barrier_init(&together, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        told[i].size[0] = (size_t)i; /* where to begin */
        if (pthread_create(&threads[i], NULL, work, &told[i]))
            return 2;
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    for (int k = 0; k < n_pairs * DEEDS; k++) {
        for (int i = 1; i < n; i++)
            if (told[i].size[k] != told[0].size[k] ||
                memcmp(told[i].text[k], told[0].text[k], told[0].size[k]) != 0)
                bad += !!printf("deed %d of pair %d: the output of thread %d differs "
                                "from thread 0's\n",
                                k % DEEDS, k / DEEDS, i);
        if (told[0].size[k] < 20)
            bad +=
                !!printf("deed %d of pair %d printed nothing\n", k % DEEDS, k / DEEDS);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_pairs * DEEDS; k++)
            free(told[i].text[k]);
    return bad ? 1 : 0;
}
