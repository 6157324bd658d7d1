/*
 * Reads files of cases (cases.h), applies the changes of a case to the common texts,
 * and runs each case as a test of cmocka. A change that matches no line or several
 * lines is a mistake in the case, and fails the test.
 */
#include "cases.h"

#include "host/host.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SECTIONS = 16, INDENT = 4 };

/* A text that grows. */
struct text {
    char *s;
    size_t n;
};

static void add_bytes(struct text *t, const char *s, size_t n)
{
    t->s = realloc(t->s, t->n + n + 1);
    assert_non_null(t->s);
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = '\0';
}

struct section {
    char name[32];
    struct text text;
};

struct test_case {
    const char *file;
    char name[128];
    unsigned line; /* the line at which its expectation begins, from 0 */
    struct section sections[MOST_SECTIONS];
    unsigned n;
    case_fn *run;
    struct text printed; /* its output, if FSD_UPDATE is set */
};

struct case_file {
    char path[512];
    char *bytes;
    struct section texts[MOST_SECTIONS];
    unsigned n_texts;
    struct test_case *cases;
    unsigned n;
};

/* --------------------------------------------------------------------- patches */

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " ");
}

/* Finds the only line that begins with `begin`.
 * @param[out] size its length, with the newline */
static const char *find_line(const struct text *t, const char *begin, size_t *size)
{
    const char *found = NULL;
    size_t n = strlen(begin);

    for (const char *at = t->s, *next; at && *at; at = next) {
        next = at + strcspn(at, "\n");
        next += *next == '\n';
        if (strncmp(skip_blanks(at), begin, n) != 0)
            continue;
        if (found)
            fail_msg("two lines begin with \"%s\"", begin);
        found = at;
        *size = (size_t)(next - at);
    }
    if (!found)
        fail_msg("no line begins with \"%s\"", begin);
    return found;
}

static void replace(struct text *t, size_t at, size_t size, const char *by, size_t n)
{
    struct text made = {0};

    add_bytes(&made, t->s, at);
    add_bytes(&made, by, n);
    add_bytes(&made, t->s + at + size, t->n - at - size);
    free(t->s);
    *t = made;
}

static void replace_all(struct text *t, char *words)
{
    char *by = strstr(words, " =>");
    size_t n, at = 0;
    unsigned found = 0;

    if (!by || (by[3] && by[3] != ' '))
        fail_msg("expected \"~ OLD => NEW\", found \"~ %s\"", words);
    *by = '\0';
    by += 3 + (by[3] == ' ');
    n = strlen(words);
    for (char *hit; (hit = strstr(t->s + at, words)); found++) {
        at = (size_t)(hit - t->s) + strlen(by);
        replace(t, (size_t)(hit - t->s), n, by, strlen(by));
    }
    if (!found)
        fail_msg("\"%s\" does not stand in the text", words);
}

/* Applies a line of a section to a text.
 * @param[in,out] at the position for inserted lines */
static void patch(struct text *t, const char *line, size_t n, size_t *at)
{
    char words[2048];
    const char *hit;
    size_t size = 0;

    assert_true(n >= 2 && n < sizeof words);
    memcpy(words, line, n);
    words[n] = '\0';
    switch (*words) {
    case '-':
        hit = find_line(t, words + 2, &size);
        *at = (size_t)(hit - t->s);
        replace(t, *at, size, "", 0);
        break;
    case '=':
        hit = find_line(t, words + 2, &size);
        *at = (size_t)(hit - t->s) + size;
        break;
    case '+':
        *at = *at == SIZE_MAX ? t->n : *at;
        words[n++] = '\n';
        replace(t, *at, 0, words + 2, n - 2);
        *at += n - 2;
        break;
    case '~':
        replace_all(t, words + 2);
        *at = SIZE_MAX; /* the position is invalid, because lines have moved */
        break;
    default:
        fail_msg("expected a line with -, +, = or ~, found \"%s\"", words);
    }
}

/* --------------------------------------------------------------------- reading */

static struct section *find_text(struct case_file *f, const char *name)
{
    for (unsigned i = 0; i < f->n_texts; i++)
        if (!strcmp(f->texts[i].name, name))
            return &f->texts[i];
    fail_msg("%s: no text %s", f->path, name);
    return NULL;
}

static struct section *open_section(struct section *all, unsigned *n, const char *name)
{
    struct section *s = &all[(*n)++];

    assert_true(*n <= MOST_SECTIONS);
    snprintf(s->name, sizeof s->name, "%s", name);
    add_bytes(&s->text, "", 0);
    return s;
}

static struct test_case *open_case(struct case_file *f, const char *name, case_fn *run)
{
    struct test_case *c;

    if (!run)
        fail_msg("%s: the kind of cases stands before them", f->path);
    f->cases = realloc(f->cases, (f->n + 1) * sizeof *f->cases);
    assert_non_null(f->cases);
    c = &f->cases[f->n++];
    *c = (struct test_case){.file = f->path, .run = run};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

/* The state of the parser: the current case and section. */
struct open {
    case_fn *run;
    struct test_case *c;
    struct section *section;
    bool patches;
    size_t at;
};

static void open_line(struct case_file *f, const struct case_kind *kinds,
                      struct open *o, char *line, unsigned number)
{
    char *rest = strchr(line, ' ');

    if (rest)
        *rest++ = '\0';
    o->section = NULL;
    o->patches = false;
    o->at = SIZE_MAX;
    if (!strcmp(line, "kind")) {
        o->run = NULL;
        for (; kinds->name; kinds++)
            if (rest && !strcmp(kinds->name, rest))
                o->run = kinds->run;
        if (!o->run)
            fail_msg("%s: no kind of cases %s", f->path, rest);
    } else if (!strcmp(line, "text")) {
        o->section = open_section(f->texts, &f->n_texts, rest ? rest : "");
    } else if (!strcmp(line, "case")) {
        o->c = open_case(f, rest ? rest : "", o->run);
    } else {
        if (!o->c)
            fail_msg("%s: %s stands before any case", f->path, line);
        o->section = open_section(o->c->sections, &o->c->n, line);
        o->patches = rest != NULL;
        if (rest) {
            const struct section *base = find_text(f, rest);

            add_bytes(&o->section->text, base->text.s, base->text.n);
        }
        if (!strcmp(line, "expect"))
            o->c->line = number + 1;
    }
}

static void read_lines(struct case_file *f, const struct case_kind *kinds)
{
    struct open o = {0};
    char *copy = strdup(f->bytes);
    unsigned number = 0;

    assert_non_null(copy);
    for (char *line = copy, *next; line && *line; line = next, number++) {
        size_t n = strcspn(line, "\n");

        next = line[n] ? line + n + 1 : NULL;
        line[n] = '\0';
        if (!n || *line == '#')
            continue;
        if (*line != ' ') {
            open_line(f, kinds, &o, line, number);
            continue;
        }
        if (!o.section || n < INDENT || strncmp(line, "    ", INDENT) != 0)
            fail_msg("%s:%u: a line of no text", f->path, number + 1);
        if (o.patches) {
            patch(&o.section->text, line + INDENT, n - INDENT, &o.at);
            continue;
        }
        add_bytes(&o.section->text, line + INDENT, n - INDENT);
        add_bytes(&o.section->text, "\n", 1);
    }
    free(copy);
}

static char *read_bytes(const char *path)
{
    FILE *in = fopen(path, "r");
    struct text t = {0};
    char room[4096];
    size_t n;

    if (!in)
        fail_msg("cannot open %s", path);
    add_bytes(&t, "", 0);
    while ((n = fread(room, 1, sizeof room, in)))
        add_bytes(&t, room, n);
    fclose(in);
    return t.s;
}

/* --------------------------------------------------------------------- running */

const char *case_text(const struct test_case *c, const char *section, unsigned i)
{
    for (unsigned k = 0; k < c->n; k++)
        if (!strcmp(c->sections[k].name, section) && !i--)
            return c->sections[k].text.s;
    return NULL;
}

const char *case_need(const struct test_case *c, const char *section)
{
    const char *text = case_text(c, section, 0);

    if (!text)
        fail_msg("the case has no %s", section);
    return text;
}

static bool names_edit(const char *text)
{
    return strstr(text, "--fix") || strstr(text, "fusiondiff cut") ||
           strstr(text, "fusiondiff issue");
}

/* A program without the edit library advises something else than the expected verbs of
 * the library. */
static bool is_expected(const char *text, const char *expected)
{
    return !strcmp(text, expected) ||
           (FSD_IF_EDIT(false, true) && names_edit(expected) && !names_edit(text));
}

static void run_case(void **state)
{
    struct test_case *c = *state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *expected = case_need(c, "expect");
    bool differs;

    assert_non_null(out);
    c->run(c, out);
    assert_int_equal(fclose(out), 0);
    differs = !is_expected(text, expected);
    if (getenv("FSD_UPDATE"))
        add_bytes(&c->printed, text, size);
    else if (differs)
        fprintf(stderr, "%s: %s\n--- expected\n%s--- printed\n%s", c->file, c->name,
                expected, text);
    free(text);
    if (differs && !getenv("FSD_UPDATE"))
        fail();
}

/* Rewrites the file: the output of each case becomes its expectation. */
static void update_file(const struct case_file *f)
{
    FILE *out = fopen(f->path, "w");
    unsigned number = 0;
    bool skips = false;

    if (!out)
        return;
    for (const char *line = f->bytes, *next; *line; line = next, number++) {
        const struct test_case *c = NULL;

        next = line + strcspn(line, "\n");
        next += *next == '\n';
        skips = skips && *line == ' ';
        if (!skips)
            fwrite(line, 1, (size_t)(next - line), out);
        for (unsigned i = 0; i < f->n; i++)
            if (f->cases[i].line == number + 1)
                c = &f->cases[i];
        if (!c || !c->printed.s)
            continue;
        skips = true;
        for (const char *at = c->printed.s; *at;) {
            size_t n = strcspn(at, "\n");

            fprintf(out, "    %.*s\n", (int)n, at);
            at += n + (at[n] == '\n');
        }
    }
    fclose(out);
}

static void free_file(struct case_file *f)
{
    for (unsigned i = 0; i < f->n; i++) {
        for (unsigned k = 0; k < f->cases[i].n; k++)
            free(f->cases[i].sections[k].text.s);
        free(f->cases[i].printed.s);
    }
    for (unsigned i = 0; i < f->n_texts; i++)
        free(f->texts[i].text.s);
    free(f->cases);
    free(f->bytes);
}

static int run_file(struct case_file *f, const struct case_kind *kinds)
{
    struct CMUnitTest *tests;
    const char *name = strrchr(f->path, '/') + 1;
    int failed;

    f->bytes = read_bytes(f->path);
    read_lines(f, kinds);
    tests = calloc(f->n + 1, sizeof *tests);
    assert_non_null(tests);
    for (unsigned i = 0; i < f->n; i++)
        tests[i] = (struct CMUnitTest){.name = f->cases[i].name,
                                       .test_func = run_case,
                                       .initial_state = &f->cases[i]};
    failed = _cmocka_run_group_tests(name, tests, f->n, NULL, NULL);
    if (getenv("FSD_UPDATE") && !failed)
        update_file(f);
    free(tests);
    free_file(f);
    return failed;
}

static int is_text(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && !strcmp(end, ".txt");
}

int run_cases(const char *folder, const struct case_kind *kinds)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_text, alphasort), failed = 0;

    if (n <= 0) {
        fprintf(stderr, "no cases in %s\n", folder);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        struct case_file f = {0};

        snprintf(f.path, sizeof f.path, "%s/%s", folder, names[i]->d_name);
        failed += run_file(&f, kinds);
        free(names[i]);
    }
    free(names);
    return failed;
}

/* ---------------------------------------------------------------- files of results */

void need_found(const char *path, const char *found)
{
    size_t size = strlen(found);
    char *expected = malloc(size + 2); /* a longer file differs in its last byte */
    FILE *file;

    assert_non_null(expected);
    if (getenv("FSD_UPDATE")) {
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(found, file);
        fclose(file);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    expected[fread(expected, 1, size + 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, expected);
    free(expected);
}
