/*
 * The messages of a search for a wrong fusion, comparisons of outputs,
 * and the text of its state: the cases of tests/unit/cases/bisect.
 */
#include "build_graph.h"
#include "cases.h"

#include "edit/bisect/accuracy.h"
#include "edit/bisect/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Prints an error without the file. */
static void put_error(struct fsd_error *err, FILE *out)
{
    char text[1200];

    *err->file = '\0';
    fprintf(out, "%s: %s\n", fsd_status_name(err->status),
            fsd_error_text(err, text, sizeof text));
}

/* ------------------------------------------------------------------------- messages */

/* Parses "changed 0 3 altered 2 unknown 1". */
static void read_seen(char *words, uint8_t *seen)
{
    enum fsd_seen what = FSD_SEEN_NOTHING;

    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        if (!strcmp(word, "changed"))
            what = FSD_SEEN_CHANGED;
        else if (!strcmp(word, "altered"))
            what = FSD_SEEN_ALTERED;
        else if (!strcmp(word, "unknown"))
            what = FSD_SEEN_NOTHING;
        else
            seen[atoi(word)] = (uint8_t)what;
}

/* Prints the request for the next build: its first line or, with `all`, everything. */
static void put_request(const struct fsd_bisection *b, bool all, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *print = open_memstream(&text, &size);

    fsd_search_put_next(b, print);
    fclose(print);
    fprintf(out, "%.*s", (int)(all ? size : strcspn(text, "\n") + 1), text);
    free(text);
}

/* Takes the results in the section `results`, one per line. */
static void run_search(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d =
        build_diff(case_need(c, "model"), case_need(c, "engine"), FSD_BY_ALL);
    struct fsd_bisection b = {.run = d,
                              .marks = fsd_marks_new(d),
                              .model = (char[]){"model.onnx"},
                              .engine = (char[]){"engine.json"}};
    char *lines = strdup(case_need(c, "results")), *rest;
    bool quiet = case_text(c, "quiet", 0);

    b.hunt = fsd_hunt_new(b.marks);
    for (char *line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fsd_span chosen = b.hunt->chosen;
        uint8_t *seen = fsd_hunt_same(b.hunt);
        char *words = line + strcspn(line, " ");
        enum fsd_bisect_result result = *line == 'g'   ? FSD_BISECT_GOOD
                                        : *line == 'b' ? FSD_BISECT_BAD
                                                       : FSD_BISECT_SKIP;

        if (fsd_bisection_done(&b))
            fail_msg("the search ends before the result %s", line);
        if (!quiet) {
            put_request(&b, case_text(c, "requests", 0), out);
            fprintf(out, "-> %s\n", line);
        }
        read_seen(words, seen);
        fsd_hunt_take(b.hunt, result, result == FSD_BISECT_SKIP ? NULL : seen);
        if (!quiet && result != FSD_BISECT_SKIP)
            fsd_search_put_differences(&b, chosen, seen, out);
    }
    fputs("== log\n", out);
    fsd_search_put_log(&b, out);
    if (case_text(c, "saved", 0)) {
        fputs("== saved\n", out);
        fsd_search_save(&b, out);
    }
    free(lines);
    fsd_marks_free(b.marks);
    fsd_diff_free(d);
}

/* ---------------------------------------------------------------------- comparisons */

/* Reads a comparison. The section `outputs` has the outputs of the network;
 * "-": one without a name. */
static void run_comparison(const struct test_case *c, FILE *out)
{
    enum { MOST = 8 };
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    struct fsd_compared outputs[MOST] = {{0}};
    const char *text = case_need(c, "file");
    struct fsd_file file = {.name = "results.json",
                            .bytes = (const unsigned char *)text,
                            .size = strlen(text)};
    char *lines = strdup(case_need(c, "outputs"));
    struct fsd_error err = {0};
    uint32_t n = 0;

    for (char *name = strtok(lines, "\n"); name && n < MOST; name = strtok(NULL, "\n"))
        outputs[n++].name = fsd_intern_str(names, strcmp(name, "-") ? name : "");
    if (fsd_accuracy_read(names, &file, outputs, n, &err) != FSD_OK)
        put_error(&err, out);
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s passed %u failed %u\n", fsd_text(names, outputs[i].name),
                outputs[i].passed, outputs[i].failed);
    fputs(fsd_accuracy_fails(outputs, n) ? "an output failed\n" : "no output failed\n",
          out);
    free(lines);
    fsd_arena_free(arena);
}

/* --------------------------------------------------------------------------- states */

/* The search of two small files, which the text of a state names. */
static struct fsd_bisection *open_search(void)
{
    const struct fsd_options opt = {.model = "qat_block/model.onnx",
                                    .engine = "qat_block/engine.graph.json"};
    struct fsd_bisection *made;

    assert_int_equal(fsd_bisection_open(&made, &opt, NULL), FSD_OK);
    return made;
}

/* Writes the lines of a state to a file. A line "saved" stands for the lines that a new
 * search saves; "saved 2" for the second of them. */
static void write_lines(const char *text, const char *saved, FILE *out)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        const char *from = saved;

        if (!strncmp(text, "saved\n", 6)) {
            fputs(saved, out);
        } else if (!strncmp(text, "saved ", 6)) {
            for (int i = atoi(text + 6); i > 1; i--)
                from = strchr(from, '\n') + 1;
            fprintf(out, "%.*s\n", (int)strcspn(from, "\n"), from);
        } else {
            fprintf(out, "%.*s\n", (int)n, text);
        }
        text += n + 1;
    }
}

/* Takes results such as "good compare/split.json", with or without a rebuilt engine. */
static void take(struct fsd_bisection *search, const char *results, FILE *out)
{
    char *lines = strdup(results), *rest;

    for (char *line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fsd_options rebuilt = {.engine = strchr(line, ' ')};
        struct fsd_error err = {0};
        enum fsd_bisect_result result = FSD_BISECT_GOOD;

        if (rebuilt.engine)
            *strchr(line, ' ') = '\0', rebuilt.engine++;
        while (strcmp(fsd_search_results[result], line) != 0)
            result++;
        if (fsd_bisection_take(search, result, rebuilt.engine ? &rebuilt : NULL, out,
                               &err) != FSD_OK)
            put_error(&err, out);
    }
    free(lines);
}

/* Prints the lines that a search saves, from the line `from` on. */
static void put_saved(const struct fsd_bisection *search, unsigned from, FILE *out)
{
    char *saved = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&saved, &size);
    const char *at = saved;

    fsd_search_save(search, text);
    fclose(text);
    for (at = saved; from > 1; from--)
        at = strchr(at, '\n') + 1;
    fputs(at, out);
    free(saved);
}

/* Reads a state, takes results, and prints what the search saves then. */
static void run_state(const struct test_case *c, FILE *out)
{
    enum { RESULTS = 5 };
    char path[] = "/tmp/fusiondiff-state-XXXXXX", *saved = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&saved, &size), *file = fdopen(mkstemp(path), "w");
    struct fsd_bisection *search = open_search(), *read;
    struct fsd_error err = {0};
    const struct fsd_options opt = {0};

    assert_non_null(file);
    fsd_search_save(search, text);
    fclose(text);
    write_lines(case_need(c, "lines"), saved, file);
    fclose(file);
    if (fsd_bisection_read(&read, path, &opt, &err) != FSD_OK) {
        assert_null(read);
        put_error(&err, out);
    } else {
        if (case_text(c, "results", 0))
            take(read, case_need(c, "results"), out);
        fprintf(out, "suspects: %u\n", read->hunt->n);
        put_saved(read, case_text(c, "whole", 0) ? 1 : RESULTS, out);
    }
    unlink(path);
    free(saved);
    fsd_bisection_free(read);
    fsd_bisection_free(search);
}

/* Of another folder than the project's, to try cases out. */
int main(int argc, char **argv)
{
    static const struct case_kind kinds[] = {{"search", run_search},
                                             {"comparison", run_comparison},
                                             {"state", run_state},
                                             {NULL, NULL}};

    if (chdir(FSD_FIXTURES))
        return 1;
    return run_cases(argc > 1 ? argv[1] : FSD_CASES "/bisect", kinds);
}
