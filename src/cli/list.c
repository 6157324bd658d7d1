/*
 * Reads a list of builds, which has the same form for batch, check and snapshot. A line
 * is MODEL ENGINE, followed by keys:
 *
 *     # model and engine          keys for the verbs that use them
 *     r18/model.onnx r18/sm86.log label=sm86 snapshot=r18/snapshots policy=gate.ini
 *
 * A wrong line is an error of its build only: the thread that handles the build parses
 * the line, and other builds are not affected.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>

/* -------------------------------------------------------------------- the lines */

static void add_line(struct list *list, const char *text)
{
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->lines = must(realloc(list->lines, list->room * sizeof *list->lines));
    }
    list->lines[list->n++] = must(strdup(text));
}

static enum fsd_status add_build(void *payload, const char *model, const char *engine,
                                 struct fsd_error *err)
{
    char text[8300];

    (void)err;
    snprintf(text, sizeof text, "%s%s%s", model,
             !*model || !*engine                            ? ""
             : strpbrk(model, " \t") || strchr(engine, ' ') ? "\t"
                                                            : " ",
             engine);
    /* Leaves out snapshots, because a list needs builds. */
    if (*engine || fsd_file_kind(model) != FSD_FILE_SNAPSHOT)
        add_line(payload, text);
    return FSD_OK;
}

/* The argument `list` of check_listed(). NULL for a pipe: its lines come from the user,
 * so their paths are not checked. The lines of a file may come from another user. */
static const char *list_in(const char *path, FILE *file)
{
    struct stat st;

    return file != stdin && !fstat(fileno(file), &st) &&
                   (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
               ? path
               : NULL;
}

enum fsd_status read_list(struct list *list, const char *path, struct fsd_error *err)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    enum fsd_status status = FSD_OK;
    struct stat st;
    char *text = NULL;
    size_t room = 0;
    ssize_t n;
    bool folder;

    if (!file)
        return fail_file(err, FSD_E_IO, path, "cannot open: %s", strerror(errno));
    /* A list must not be a file of a build, nor a device, because reading a device may
     * never end. */
    if (fsd_file_kind(path) != FSD_FILE_OTHER ||
        (file != stdin && !fstat(fileno(file), &st) && S_ISCHR(st.st_mode))) {
        fclose(file);
        return fail_file(err, FSD_E_ARG, path,
                         "expected a list of pairs, or a directory of builds, found %s",
                         fsd_file_kind(path) == FSD_FILE_OTHER ? "a device"
                                                               : "a file of a build");
    }
    list->path = list_in(path, file);
    while ((n = getline(&text, &room, file)) > 0) {
        const char *at = text + strspn(text, " \t\r\n");

        while (n && strchr(" \t\r\n", text[n - 1]))
            text[--n] = '\0';
        if (*at && *at != '#')
            add_line(list, at);
    }
    free(text);
    if (!feof(file) && !ferror(file)) /* getline() ran out of memory, so the list
                                         is incomplete */
        end_without_memory();
    folder = ferror(file); /* fopen() can open a folder, but reading it fails */
    if (file != stdin)
        fclose(file);
    if (folder)
        status = each_build(path, add_build, list, err);
    if (status == FSD_OK && !list->n)
        status = fail_file(err, FSD_E_ARG, path,
                           "expected a list of pairs, found an empty list");
    return status;
}

void free_list(struct list *list)
{
    for (unsigned i = 0; i < list->n; i++)
        free(list->lines[i]);
    free(list->lines);
}

/* ---------------------------------------------------------------------- one line */

static enum fsd_status take_key(struct list_line *p, const struct list *list,
                                const char *word, bool *taken, struct fsd_error *err)
{
    const struct {
        const char *key, **one, **several;
        unsigned *n;
        bool path;
    } keys[] = {
        {"log=", &p->run.log, NULL, NULL, true},
        {"times=", &p->run.times, NULL, NULL, true},
        {"label=", &p->run.label, NULL, NULL, false},
        {"snapshot=", &p->snapshot, NULL, NULL, true},
        {"policy=", &p->policy, NULL, NULL, true},
        {"profile=", NULL, p->profiles, &p->run.n_profiles, true},
        {"shape=", NULL, p->shapes, &p->run.n_shapes, false},
    };
    char *end;
    unsigned long number;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i].key);

        if (strncmp(word, keys[i].key, n) != 0)
            continue;
        *taken = true;
        if (!word[n])
            return fail_file(err, FSD_E_ARG, NULL,
                             "expected a value after %s, found none", keys[i].key);
        if (keys[i].path && check_listed(word + n, list->path, err) != FSD_OK)
            return err->status;
        if (keys[i].one)
            *keys[i].one = word + n;
        else if (*keys[i].n == MOST_OUTPUTS)
            return fail_file(err, FSD_E_ARG, NULL,
                             "expected at most %d words of the form %s", MOST_OUTPUTS,
                             keys[i].key);
        else
            keys[i].several[(*keys[i].n)++] = word + n;
    }
    if (*taken || strncmp(word, "engine=", 7) != 0)
        return FSD_OK;
    *taken = true;
    number = strtoul(word + 7, &end, 10);
    if (*end || word[7] < '0' || word[7] > '9' || !number || number > UINT32_MAX)
        return fail_file(err, FSD_E_ARG, NULL,
                         "expected engine= and a number from 1, found '%s'", word);
    p->run.engine_number = (unsigned)number;
    return FSD_OK;
}

enum fsd_status take_line(struct list_line *p, const struct list *list, unsigned i,
                          const struct fsd_options *like, struct fsd_error *err)
{
    const char *text = list->lines[i];
    /* If the line has a tab, or if a file has the whole line as its name, only tabs
     * separate words: blanks are part of names. */
    const char *blanks = strchr(text, '\t') || !access(text, F_OK) ? "\t" : " ";
    enum fsd_status status = FSD_OK;
    char *rest, *word;

    p->text = rest = must(strdup(text));
    p->run = *like;
    while (status == FSD_OK && (word = strtok_r(NULL, blanks, &rest))) {
        bool taken = false;

        status = take_key(p, list, word, &taken, err);
        if (!taken && status == FSD_OK)
            status = check_listed(word, list->path, err);
        if (taken || status != FSD_OK)
            continue;
        if (p->run.engine)
            return fail_file(err, FSD_E_ARG, NULL,
                             "expected MODEL and ENGINE, found '%s' too; write other "
                             "files as profile=FILE or log=FILE",
                             word);
        *(p->run.model ? &p->run.engine : &p->run.model) = word;
    }
    if (status != FSD_OK)
        return status;
    if (!p->run.engine) {
        p->run.engine = p->run.model;
        p->run.model = NULL;
    }
    if (!p->run.engine)
        return fail_file(err, FSD_E_ARG, NULL, "expected MODEL and ENGINE");
    p->run.profiles = p->profiles;
    p->run.shapes = p->shapes;
    return open_directory(&p->directory, &p->run, err);
}

void free_line(struct list_line *line)
{
    fsd_directory_free(line->directory);
    free(line->text);
}

/* -------------------------------------------------------------------- the threads */

struct deeds {
    deed_fn *deed;
    void *payload;
    unsigned n;
    _Atomic unsigned next;
};

static void *work(void *payload)
{
    struct deeds *d = payload;

    record_reads();
    for (unsigned i; (i = d->next++) < d->n;)
        d->deed(d->payload, i);
    return NULL;
}

unsigned count_jobs(unsigned jobs)
{
    const unsigned processors = fsd_processors();

    return jobs ? jobs : processors > MOST_JOBS ? MOST_JOBS : processors;
}

void do_each(unsigned n, unsigned jobs, deed_fn *deed, void *payload)
{
    struct deeds d = {deed, payload, n, 0};
    fsd_thread others[MOST_JOBS];
    unsigned began = 0;

    jobs = count_jobs(jobs);
    /* This thread also works. If no other thread can be started, it does all the
     * work. */
    while (began + 1 < jobs && began + 1 < n &&
           fsd_thread_start(&others[began], work, &d, 0, false))
        began++;
    work(&d);
    while (began--)
        fsd_thread_join(others[began]);
}
