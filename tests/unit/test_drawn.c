/*
 * The cases of tests/drawn: a model, an engine and maybe a log drawn as text
 * (support/build_graph.h has the grammar), and what is reported of the run.
 *
 *     == what the case is about
 *     in x ...             the model
 *     -- engine
 *     -- log               may be left out
 *     -- dump              in their place: a dump as TensorRT writes it
 *     -- by nt             the evidence that may be used; left out: all
 *     -- fates             a part of the run as show_run() prints it; several may
 *                          stand; "read": what show_read() says of the dump, "times":
 *                          show_times() of a dump of times
 *     r layer; 0:nt
 *
 * Lines that begin with '#' are for people.  FSD_UPDATE=1 writes what was found into
 * the files: read it before you keep it.
 */
#include "build_graph.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_FILES = 64, MOST_PARTS = 13, PART_READ = 11, PART_TIMES = 12 };

static const char *const part_names[MOST_PARTS] = {
    "facts",   "fates",     "layers", "edges", "islands", "summary", "tales",
    "regions", "conflicts", "pairs",  "fit",   "read",    "times"};

struct text {
    char *at;
    size_t size;
    FILE *out;
};

static void open_text(struct text *t)
{
    t->out = open_memstream(&t->at, &t->size);
}

static void drop_text(struct text *t)
{
    fclose(t->out);
    free(t->at);
}

/* The sections of the case under way. */
struct drawn_case {
    char title[160];
    unsigned evidence;
    struct text model, engine, log, dump, expected[MOST_PARTS];
    bool has_log;
    int parts[MOST_PARTS], n; /* in the order of the file */
};

static void begin_case(struct drawn_case *c, const char *title)
{
    *c = (struct drawn_case){.evidence = FSD_BY_ALL};
    snprintf(c->title, sizeof c->title, "%.*s", (int)sizeof c->title - 1, title);
    c->title[strcspn(c->title, "\n")] = '\0';
    open_text(&c->model);
    open_text(&c->engine);
    open_text(&c->log);
    open_text(&c->dump);
}

static unsigned evidence_of(const char *letters)
{
    unsigned by = 0;

    for (; *letters && *letters != '\n'; letters++) {
        const char *at = strchr("mnltsp", *letters);

        assert_non_null(at);
        by |= 1u << (at - "mnltsp");
    }
    return by;
}

/* "-- fates": the text that follows is of that section. */
static struct text *begin_section(struct drawn_case *c, const char *line)
{
    char word[32];

    assert_int_equal(sscanf(line, "-- %31s", word), 1);
    if (!strcmp(word, "engine"))
        return &c->engine;
    if (!strcmp(word, "dump"))
        return &c->dump;
    if (!strcmp(word, "log")) {
        c->has_log = true;
        return &c->log;
    }
    if (!strcmp(word, "by")) {
        c->evidence = evidence_of(line + 6);
        return &c->engine;
    }
    for (int i = 0; i < MOST_PARTS; i++)
        if (!strcmp(word, part_names[i])) {
            c->parts[c->n] = i;
            open_text(&c->expected[c->n]);
            return &c->expected[c->n++];
        }
    fail_msg("%s: no section '%s'", c->title, word);
    return NULL;
}

/* A part as it is found; malloc'ed.  *run is made when the first asks for it. */
static char *find_part(struct drawn_case *c, int part, struct fsd_diff **run)
{
    if (part == PART_READ)
        return show_read(c->model.at, c->dump.at);
    if (part == PART_TIMES)
        return show_times(c->dump.at);
    if (!*run)
        *run = build_run(c->model.at, c->engine.at, c->has_log ? c->log.at : NULL,
                         c->evidence);
    return show_run(*run, 1u << part);
}

/* Writes what is found of each part behind its line, to `out` unless that is NULL;
 * returns how many differ from what is expected. */
static int check_case(struct drawn_case *c, FILE *out)
{
    struct text *all[] = {&c->model, &c->engine, &c->log, &c->dump};
    struct fsd_diff *run = NULL;
    int wrong = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(all); i++)
        fflush(all[i]->out);
    for (int i = 0; i < c->n; i++) {
        char *found = find_part(c, c->parts[i], &run);

        fflush(c->expected[i].out);
        if (strcmp(found, c->expected[i].at) != 0 && !out) {
            print_error("%s: expected %s\n%sfound\n%s", c->title,
                        part_names[c->parts[i]], c->expected[i].at, found);
            wrong++;
        }
        if (out)
            fprintf(out, "-- %s\n%s", part_names[c->parts[i]], found);
        free(found);
        drop_text(&c->expected[i]);
    }
    if (run)
        fsd_diff_free(run);
    for (size_t i = 0; i < FSD_COUNT_OF(all); i++)
        drop_text(all[i]);
    return wrong;
}

/* Checks a file's cases; with `out` writes the file anew. */
static int check_file(FILE *in, FILE *out)
{
    char line[2048];
    struct drawn_case c;
    struct text *section = NULL;
    bool open = false;
    int wrong = 0;

    while (fgets(line, sizeof line, in)) {
        bool remark = line[0] == '#' || line[0] == '\n';

        if (open && (remark || !strncmp(line, "== ", 3)) && c.n) {
            wrong += check_case(&c, out);
            open = false;
        }
        if (!strncmp(line, "== ", 3)) {
            begin_case(&c, line + 3);
            section = &c.model;
            open = true;
        } else if (open && !strncmp(line, "-- ", 3)) {
            section = begin_section(&c, line);
        } else if (open && !remark) {
            fputs(line, section->out);
        }
        if (out && (!open || !c.n))
            fputs(line, out);
    }
    return open ? wrong + check_case(&c, out) : wrong;
}

static void check_path(void **state)
{
    const char *path = *state;
    FILE *in = fopen(path, "r");
    struct text anew = {0};
    int wrong;

    assert_non_null(in);
    if (getenv("FSD_UPDATE"))
        open_text(&anew);
    wrong = check_file(in, anew.out);
    fclose(in);
    if (anew.out) {
        FILE *out;

        fflush(anew.out);
        out = fopen(path, "w");
        assert_non_null(out);
        fputs(anew.at, out);
        fclose(out);
        drop_text(&anew);
    }
    assert_int_equal(wrong, 0);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the paths of a folder's cases; the caller frees each. */
static size_t list_cases(const char *at, char **paths, size_t n)
{
    DIR *folder = opendir(at);

    for (struct dirent *e = folder ? readdir(folder) : NULL; e && n < MOST_FILES;
         e = readdir(folder))
        if (strstr(e->d_name, ".txt")) {
            size_t size = strlen(at) + strlen(e->d_name) + 2;

            paths[n] = malloc(size);
            snprintf(paths[n++], size, "%s/%s", at, e->d_name);
        }
    if (folder)
        closedir(folder);
    return n;
}

int main(void)
{
    struct CMUnitTest tests[MOST_FILES];
    char *paths[MOST_FILES];
    const char *at = getenv("FSD_DRAWN_AT");
    size_t made = at ? 0 : list_cases(FSD_DRAWN_MADE, paths, 0);
    size_t n = list_cases(at ? at : FSD_DRAWN, paths, made);
    bool complete = n > made && (at || made);
    int failed;

    qsort(paths, n, sizeof *paths, by_text);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = strrchr(paths[i], '/') + 1,
                                       .test_func = check_path,
                                       .initial_state = paths[i]};
    /* Cases that do not exist would pass unseen. */
    failed = complete ? _cmocka_run_group_tests("drawn", tests, n, NULL, NULL) : 1;
    while (n)
        free(paths[--n]);
    return failed;
}
