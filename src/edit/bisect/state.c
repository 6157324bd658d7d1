/*
 * Writes the state of a search as text, and replays a search from it. Each line after
 * "files" is about a build: its result, and the numbers of the groups that the rebuilt
 * engine showed as changed, altered or unknown. The numbers are valid only for the
 * model and the engine whose hashes are in "files":
 *
 *     fusiondiff-bisect/2
 *     model model.onnx
 *     engine engine.json
 *     files 0123456789abcdef... 0123456789abcdef...
 *     bad changed 3 7 altered 5 unknown 9
 *     skip
 */
#include "edit/bisect/search.h"
#include "base/base.h"
#include "model/graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STATE_MOST = 1 << 24 };

static const char first_line[] = "fusiondiff-bisect/2";

const char *const fsd_search_results[] = {"good", "bad", "skip"};

static void put_hash(const uint64_t hash[2], FILE *out)
{
    fprintf(out, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
}

static void put_files(const struct fsd_bisection *b, FILE *out)
{
    fputs("files ", out);
    put_hash(b->run->model->hash, out);
    putc(' ', out);
    put_hash(b->run->engine->hash, out);
}

static void put_seen(const uint8_t *seen, uint32_t n, enum fsd_seen what,
                     const char *word, FILE *out)
{
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        if (seen[i] != what)
            continue;
        if (!any)
            fprintf(out, " %s", word);
        any = true;
        fprintf(out, " %u", i);
    }
}

void fsd_search_save(const struct fsd_bisection *search, FILE *out)
{
    const struct fsd_hunt *h = search->hunt;
    uint32_t n = search->marks->state->groups.n;

    fprintf(out, "%s\nmodel %s\nengine %s\n", first_line, search->model,
            search->engine);
    put_files(search, out);
    putc('\n', out);
    FSD_EACH (const struct fsd_hunt_step, step, h->steps) {
        fputs(fsd_search_results[step->result], out);
        if (step->seen) {
            put_seen(step->seen, n, FSD_SEEN_CHANGED, "changed", out);
            put_seen(step->seen, n, FSD_SEEN_ALTERED, "altered", out);
            put_seen(step->seen, n, FSD_SEEN_NOTHING, "unknown", out);
        }
        putc('\n', out);
    }
}

/* The lines of a state. */
struct lines {
    const char *path;
    char *at; /* the next line; NULL: there is none */
    unsigned line;
    struct fsd_error *err;
};

static char *next_line(struct lines *l)
{
    char *line = l->at, *end = line ? strchr(line, '\n') : NULL;

    l->at = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    l->line++;
    return line && *line ? line : NULL;
}

static enum fsd_status fail_line(const struct lines *l, const char *expected,
                                 const char *found)
{
    return fsd_fail(l->err, FSD_E_FORMAT, l->path, FSD_POS_LINE, l->line,
                    "expected %s, found '%.60s'", expected, found ? found : "");
}

/* Returns REST of "WORD REST"; NULL if the line has a different word. */
static char *rest_of(char *line, const char *word)
{
    size_t n = strlen(word);

    return line && !strncmp(line, word, n) && line[n] == ' ' && line[n + 1]
               ? line + n + 1
               : NULL;
}

static bool is_seen(const char *word, enum fsd_seen *what)
{
    static const char *const words[] = {[FSD_SEEN_NOTHING] = "unknown",
                                        [FSD_SEEN_CHANGED] = "changed",
                                        [FSD_SEEN_ALTERED] = "altered"};

    for (unsigned i = 0; i < FSD_COUNT_OF(words); i++)
        if (words[i] && !strcmp(word, words[i])) {
            *what = (enum fsd_seen)i;
            return true;
        }
    return false;
}

/* Reads a text such as "changed 3 7 altered 5 unknown 9". */
static bool read_seen(struct fsd_arena *arena, const char *text, uint8_t *seen,
                      uint32_t n)
{
    char *words = fsd_arena_strndup(arena, text, strlen(text));
    enum fsd_seen what = FSD_SEEN_NOTHING;
    bool named = false;
    char *rest;

    for (char *word = strtok_r(words, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *end;
        unsigned long group = strtoul(word, &end, 10);

        if (is_seen(word, &what)) {
            named = true;
        } else if (!named || *end || end == word || group >= n) {
            return false;
        } else {
            seen[group] = (uint8_t)what;
        }
    }
    return true;
}

static enum fsd_status replay_line(struct fsd_bisection *b, struct lines *l, char *line)
{
    uint8_t *seen = fsd_hunt_same(b->hunt);
    char *space = strchr(line, ' ');
    unsigned r = 0;

    if (space)
        *space++ = '\0';
    while (r < FSD_BISECT_SKIP + 1 && strcmp(fsd_search_results[r], line) != 0)
        r++;
    if (r == FSD_BISECT_SKIP + 1)
        return fail_line(l, "good, bad or skip", line);
    if (space && !read_seen(b->hunt->arena, space, seen, b->marks->state->groups.n))
        return fail_line(
            l, "indices of fusions after 'changed', 'altered' or 'unknown'", space);
    if (b->hunt->phase == FSD_HUNT_OVER)
        return fail_line(l, "no more results, because the search is complete", line);
    fsd_hunt_take(b->hunt, (enum fsd_bisect_result)r,
                  r == FSD_BISECT_SKIP ? NULL : seen);
    return FSD_OK;
}

static enum fsd_status check_files(const struct fsd_bisection *b, struct lines *l)
{
    const char *line = next_line(l);
    struct fsd_print print;
    bool same;

    put_files(b, fsd_print_open(&print));
    fsd_print_close(&print);
    same = line && !strcmp(print.text, line);
    free(print.text);
    if (same)
        return FSD_OK;
    return fsd_fail(l->err, FSD_E_MISMATCH, l->path, FSD_POS_LINE, l->line,
                    "%s or %s changed after the search began: restore the files, "
                    "or end the search with bisect reset",
                    b->model, b->engine);
}

static enum fsd_status read_state(struct fsd_bisection **out, struct lines *l,
                                  const struct fsd_options *opt)
{
    struct fsd_options pair = *opt;
    const char *line = next_line(l);
    enum fsd_status status;

    if (!line || strcmp(line, first_line) != 0)
        return fail_line(l, first_line, line);
    pair.model = rest_of(next_line(l), "model");
    if (!pair.model)
        return fail_line(l, "model PATH", NULL);
    pair.engine = rest_of(next_line(l), "engine");
    if (!pair.engine)
        return fail_line(l, "engine PATH", NULL);
    status = fsd_search_open(out, &pair, l->err);
    FSD_THEN(status, check_files(*out, l));
    for (char *step = NULL; status == FSD_OK && (step = next_line(l));)
        status = replay_line(*out, l, step);
    return status;
}

enum fsd_status fsd_search_read(struct fsd_bisection **out, const char *path,
                                const struct fsd_options *opt, struct fsd_error *err)
{
    FSD_SCRATCH(arena);
    struct fsd_bisection *made = NULL;
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, STATE_MOST, err);

    if (status == FSD_OK) {
        struct lines l = {path,
                          fsd_arena_strndup(arena, (const char *)file.bytes, file.size),
                          0, err};

        status = fsd_file_done(&file, read_state(&made, &l, opt), err);
    } else {
        fsd_file_close(&file);
    }
    if (status == FSD_OK)
        *out = made;
    else
        fsd_bisection_free(made);
    return status;
}
