/*
 * Handles the output of a command. The output of a build is forwarded to this program's
 * own streams at once. It is written to the log in whole lines, so that lines of the
 * two streams do not mix.
 */
#include "cli/cli.h"
#include "host/files.h"

/* One of the command's two streams, with the bytes that are not in the log yet. */
struct stream {
    int to;
    char *line;
    size_t n, room;
};

struct kept {
    struct stream streams[2];
    FILE *log;
};

static bool keep(struct stream *s, const char *bytes, size_t n)
{
    if (s->n + n > s->room) {
        size_t room = 2 * (s->n + n);
        char *line = realloc(s->line, room);

        if (!line)
            return false;
        s->line = line;
        s->room = room;
    }
    memcpy(s->line + s->n, bytes, n);
    s->n += n;
    return true;
}

/* Writes the complete lines into the log; with `all`, also an incomplete line. */
static bool flush_lines(struct stream *s, FILE *log, bool all)
{
    size_t whole = s->n;

    while (!all && whole && s->line[whole - 1] != '\n')
        whole--;
    if (whole && fwrite(s->line, 1, whole, log) != whole)
        return false;
    if (all && whole && s->line[whole - 1] != '\n')
        putc('\n', log);
    if (whole)
        memmove(s->line, s->line + whole, s->n - whole);
    s->n -= whole;
    return true;
}

static bool keep_piece(void *payload, int stream, const char *bytes, size_t n)
{
    struct kept *kept = payload;
    struct stream *s = &kept->streams[stream];

    if (!n)
        return flush_lines(s, kept->log, true);
    write_all(s->to, bytes, n); /* errors are ignored: if this stream is closed, the log
                                   is still written */
    return keep(s, bytes, n) && flush_lines(s, kept->log, false);
}

enum fsd_status run_command(const char *const *words, const char *folder, FILE *log,
                            const char *path, struct child_end *end,
                            struct fsd_error *err)
{
    struct kept kept = {{{.to = STDOUT_FILENO}, {.to = STDERR_FILENO}}, log};
    struct child child = {.words = words,
                          .variable = "FUSIONDIFF_COLLECT",
                          .value = folder,
                          .in = -1,
                          .out = -1,
                          .take = keep_piece,
                          .payload = &kept};
    enum fsd_status status = run_child(&child, end, err);

    if (status == FSD_E_WRITE)
        fail_errno(err, path);
    for (int i = 0; i < 2; i++)
        free(kept.streams[i].line);
    return close_kept(log, path, status, err);
}

struct text {
    char *text;
    size_t used, size;
};

/* Appends the bytes to the text, as far as there is room. */
static bool append_piece(void *payload, int stream, const char *bytes, size_t n)
{
    struct text *t = payload;
    size_t room = t->size - 1 - t->used;

    (void)stream;
    room = room < n ? room : n;
    memcpy(t->text + t->used, bytes, room);
    t->used += room;
    return true;
}

void read_command(const char *const *words, char *text, size_t size)
{
    struct text kept = {text, 0, size};
    struct child child = {
        .words = words, .in = -1, .out = -1, .take = append_piece, .payload = &kept};
    struct child_end end;
    struct fsd_error ignored;

    run_child(&child, &end, &ignored);
    if (end.stopped_by)
        end_by(end.stopped_by, end.whole_job);
    text[kept.used] = '\0';
}
