/*
 * The library as an instance of WebAssembly, for a page (worker.js):
 *
 *     page                          instance
 *     file(path, size, number)      -> adds a file that the page can read
 *     kind(path)                    -> returns the kind of the file, by its content
 *     ask(request)                  -> returns a status; the answer is the report or
 *                                      the error message
 *       read(number, offset, to, n) <- asks for bytes of a file during a request
 *       layout(dot, size)           <- asks for a drawing by the page's Graphviz
 *
 * A request consists of lines "key value": the subject, the format, and the paths of
 * one or two builds.  With "pictures later", a report has the DOT of its pictures, and
 * the page lays out a picture when it is opened, because layouts take most of the time.
 * The page puts all texts into memory that hand() allocates.  The instance never frees
 * this memory, so the page makes a new instance when memory has run out.
 */
#include "fusiondiff/fusiondiff.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(name) __attribute__((import_module("page"), import_name(name)))

IMPORT("read") int page_read(unsigned number, double offset, void *to, size_t n);
/** @return the drawing, which the caller frees with free(); NULL: there is none. */
IMPORT("layout") char *page_layout(const char *dot, size_t size, const char *format);

enum { MOST_FILES = 256, MOST_PATHS = 16 };

static struct fsd_file_reader files[MOST_FILES];
static size_t n_files;

static struct answer {
    char *text;
    size_t size;
} answer;

/* --------------------------------------------------------------------- the page's side */

static bool read_file(void *payload, uint64_t offset, void *to, size_t n)
{
    size_t number = (size_t)((struct fsd_file_reader *)payload - files);

    return page_read((unsigned)number, (double)offset, to, n) != 0;
}

/** Whether the page lays out a picture only when the picture is opened. */
static bool later;

static bool lay_out(void *payload, const char *dot, const char *format, FILE *out)
{
    char *drawing = later ? NULL : page_layout(dot, strlen(dot), format);
    const char *text = later ? dot : drawing;
    bool good = text && fputs(text, out) >= 0;

    (void)payload;
    free(drawing);
    return good;
}

EXPORT("hand") void *hand(size_t n)
{
    return malloc(n);
}

EXPORT("file") int add_file(const char *path, double size)
{
    if (n_files == MOST_FILES)
        return -1;
    files[n_files] = (struct fsd_file_reader){path, (uint64_t)size, read_file,
                                              &files[n_files]};
    n_files++;
    fsd_use_readers(files, n_files);
    fsd_use_layout(lay_out, NULL);
    return (int)(n_files - 1);
}

EXPORT("kind") int kind_of(const char *path)
{
    return fsd_file_is_model(path) && fsd_file_kind(path) != FSD_FILE_ENGINE
               ? FSD_FILE_MODEL
               : (int)fsd_file_kind(path);
}

EXPORT("text") const char *answer_text(void)
{
    return answer.text;
}

EXPORT("size") size_t answer_size(void)
{
    return answer.size;
}

/* ------------------------------------------------------------------------ a request */

struct request {
    const char *subject, *format, *snapshot;
    struct fsd_options builds[2];
    const char *profiles[2][MOST_PATHS];
};

static void take_profile(struct request *r, int build, const char *path)
{
    struct fsd_options *b = &r->builds[build];

    if (b->n_profiles < MOST_PATHS)
        r->profiles[build][b->n_profiles++] = path;
    b->profiles = r->profiles[build];
}

static void take(struct request *r, const char *key, const char *value)
{
    int build = key[strlen(key) - 1] == '2';
    struct fsd_options *b = &r->builds[build];

    if (!strcmp(key, "subject"))
        r->subject = value;
    else if (!strcmp(key, "format"))
        r->format = value;
    else if (!strcmp(key, "snapshot"))
        r->snapshot = value;
    else if (!strcmp(key, "pictures"))
        later = !strcmp(value, "later");
    else if (!strncmp(key, "model", 5))
        b->model = value;
    else if (!strncmp(key, "engine", 6))
        b->engine = value;
    else if (!strncmp(key, "log", 3))
        b->log = value;
    else if (!strncmp(key, "times", 5))
        b->times = value;
    else if (!strncmp(key, "profile", 7))
        take_profile(r, build, value);
}

/* Splits the request into lines; each value becomes a separate text. */
static void read_request(struct request *r, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *value = strchr(line, ' ');

        if (!value)
            continue;
        *value = '\0';
        take(r, line, value + 1);
    }
}

static enum fsd_status write_run(const struct request *r, FILE *out,
                                 struct fsd_error *err)
{
    struct fsd_diff *run;
    enum fsd_status status = fsd_diff_open(&run, &r->builds[0], err);

    if (status == FSD_OK)
        status = fsd_diff_write(run, r->format, NULL, out, err);
    fsd_diff_free(run);
    return status;
}

static enum fsd_status write_comparison(const struct request *r, FILE *out,
                                        struct fsd_error *err)
{
    struct fsd_comparison *c;
    enum fsd_status status =
        fsd_comparison_open(&c, &r->builds[0], &r->builds[1], err);

    if (status == FSD_OK)
        status = fsd_comparison_write(c, r->format, NULL, out, err);
    fsd_comparison_free(c);
    return status;
}

static enum fsd_status write_lint(const struct request *r, FILE *out,
                                  struct fsd_error *err)
{
    static const struct fsd_lint_options usual = {0};
    struct fsd_linting *l;
    enum fsd_status status = fsd_linting_open(&l, &r->builds[0], &usual, err);

    if (status == FSD_OK)
        status = fsd_linting_write(l, r->format, NULL, out, err);
    fsd_linting_free(l);
    return status;
}

static enum fsd_status write_check(const struct request *r, FILE *out,
                                   struct fsd_error *err)
{
    struct fsd_check_options check = {.snapshot = r->snapshot};
    struct fsd_check *c;
    enum fsd_status status = fsd_check_open(&c, &r->builds[0], &check, err);

    if (status == FSD_OK)
        status = fsd_check_write(c, r->format, NULL, out, err);
    fsd_check_free(c);
    return status;
}

static enum fsd_status write_failure(const struct request *r, FILE *out,
                                     struct fsd_error *err)
{
    struct fsd_failure *f;
    enum fsd_status status = fsd_failure_open(&f, &r->builds[0], err);

    if (status == FSD_OK)
        status = fsd_failure_write(f, r->format, NULL, out, err);
    fsd_failure_free(f);
    return status;
}

static enum fsd_status write_snapshot(const struct request *r, FILE *out,
                                      struct fsd_error *err)
{
    return fsd_snapshot_make(&r->builds[0], out, err);
}

static const struct subject {
    const char *name;
    enum fsd_subject of;
    enum fsd_status (*write)(const struct request *, FILE *, struct fsd_error *);
} subjects[] = {
    {"run", FSD_OF_RUN, write_run},         {"compare", FSD_OF_COMPARISON, write_comparison},
    {"lint", FSD_OF_LINT, write_lint},      {"check", FSD_OF_CHECK, write_check},
    {"failed", FSD_OF_FAILURE, write_failure}, {"snapshot", FSD__SUBJECT_COUNT, write_snapshot},
};

static const struct subject *find(const char *name)
{
    for (size_t i = 0; name && i < sizeof subjects / sizeof *subjects; i++)
        if (!strcmp(subjects[i].name, name))
            return &subjects[i];
    return NULL;
}

/** The i-th format of a subject; NULL past the last. */
EXPORT("format") const char *format_of(const char *subject, unsigned i)
{
    const struct subject *s = find(subject);

    return s && s->of != FSD__SUBJECT_COUNT ? fsd_format_of(s->of, i) : NULL;
}

/** @return enum fsd_status; after a failure, the answer is the message. */
EXPORT("ask") int ask(char *text)
{
    struct request r = {0};
    struct fsd_error err = {0};
    const struct subject *subject;
    enum fsd_status status = FSD_E_ARG;
    char message[2048];
    FILE *out;

    free(answer.text);
    answer = (struct answer){NULL, 0};
    read_request(&r, text);
    subject = find(r.subject);
    out = fsd_memory_open(&answer.text, &answer.size);
    if (subject && out)
        status = subject->write(&r, out, &err);
    if (out)
        fclose(out);
    if (status != FSD_OK) {
        free(answer.text);
        fsd_error_text(&err, message, sizeof message);
        answer.text = strdup(message);
        answer.size = strlen(message);
    }
    return (int)status;
}
