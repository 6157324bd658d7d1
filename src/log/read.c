/*
 * A build log, line by line: the optimizer's lines become events, the parser's lines
 * are remembered by their place, the names of an engine block's layers are kept.
 *
 * An engine block ends a build: what follows leads to the next engine.
 */
#define _GNU_SOURCE /* memmem */
#include "log/read.h"

#include "base/digest.h"
#include "base/text.h"
#include "log/body.h"
#include "log/event.h"
#include "log/lines.h"
#include "log/network.h"

#include <string.h>

/* The longest line whose form is looked at; what is longer says nothing that is kept.
 * Names of large foreign nodes make lines of some 100 kB. */
enum { LONGEST_LINE = 1 << 22, LOOKED_AT = 1 << 10 };

struct log_reader {
    struct fsd_history *h;
    const struct fsd_file *file;
    struct fsd_event_reader events;
    struct fsd_log_stack open; /* parsed nodes under way */
    fsd_id parsed;             /* nodes parsed so far in this build */
    uint32_t build;
    bool in_block;  /* the last line was an engine's layer */
    bool in_layers; /* after "GRAPH NODES" */
};

static bool starts(const char *s, size_t n, const char *word)
{
    size_t k = strlen(word);

    return n >= k && !memcmp(s, word, k);
}

static void keep_line(struct log_reader *r, const char *s, size_t n,
                      enum fsd_parser_says says)
{
    struct fsd_parser_line line = {
        .at = (uint64_t)((const unsigned char *)s - r->file->bytes),
        .line = r->h->lines,
        .n = (uint32_t)n,
        .build = r->build,
        .says = says};

    fsd_vec_push(r->h->arena, &r->h->parser, line);
}

static enum fsd_dtype type_of(const char *s, size_t n)
{
    static const struct {
        const char *name;
        enum fsd_dtype type;
    } types[] = {{"Float", FSD_FP32},  {"Half", FSD_FP16},    {"Int8", FSD_INT8},
                 {"Int32", FSD_INT32}, {"Int64", FSD_INT64},  {"Bool", FSD_BOOL},
                 {"FP8", FSD_FP8},     {"BFloat16", FSD_BF16}};

    for (size_t i = 0; i < FSD_COUNT_OF(types); i++)
        if (strlen(types[i].name) == n && !memcmp(types[i].name, s, n))
            return types[i].type;
    return FSD_DTYPE_UNKNOWN;
}

/* The first output, "NAME (Type[1,2])" or, until 8.4, "NAME[Type(1,2)]". */
static void read_output(struct log_reader *r, struct fsd_final *final, const char *s,
                        size_t n)
{
    const char *end = memmem(s, n, "])", 2), *old = memmem(s, n, ")]", 2), *open;
    char bracket = old && (!end || old < end) ? '[' : '(';
    size_t k;

    end = bracket == '[' ? old : end;
    for (open = end; open && open > s && *open != bracket;)
        open--;
    if (!open || *open != bracket)
        return;
    k = 0;
    while (open + 1 + k < end && open[1 + k] != '(' && open[1 + k] != '[')
        k++;
    final->out = type_of(open + 1, k);
    if (bracket == '(' && open > s)
        open--;
    final->tensor = fsd_intern_add(r->h->names, s, (size_t)(open - s));
}

static const char *find_last(const char *s, size_t n, const char *word)
{
    size_t k = strlen(word);
    const char *at = memmem(s, n, word, k), *last = NULL;

    while (at) {
        last = at;
        at = memmem(at + 1, (size_t)(s + n - at) - 1, word, k);
    }
    return last;
}

/* "Layer(Type): NAME, Tactic: 0x0, INPUTS -> OUTPUTS" */
static bool read_final(struct log_reader *r, const char *s, size_t n)
{
    struct fsd_final final = {.build = r->build};
    const char *close, *end, *arrow;

    if (!starts(s, n, "Layer("))
        return false;
    close = memmem(s, n, "): ", 3);
    if (!close)
        return true;
    end = find_last(close, (size_t)(s + n - close), ", Tactic: ");
    if (!end || end < close + 3)
        return true;
    final.name = fsd_intern_add(r->h->names, close + 3, (size_t)(end - close) - 3);
    final.type = fsd_intern_add(r->h->names, s + 6, (size_t)(close - s) - 6);
    arrow = find_last(end, (size_t)(s + n - end), " -> ");
    if (arrow)
        read_output(r, &final, arrow + 4, (size_t)(s + n - arrow) - 4);
    fsd_vec_push(r->h->arena, &r->h->finals, final);
    r->in_block = true;
    return true;
}

/* "Registering layer: L for ONNX node: N" */
static bool read_register(struct log_reader *r, const char *s, size_t n)
{
    static const char head[] = "Registering layer: ", word[] = " for ONNX node: ";
    const size_t skip = sizeof head - 1;
    const char *at;

    if (!starts(s, n, "Registering "))
        return false;
    if (!starts(s, n, head) ||
        !(at = memmem(s + skip, n - skip, word, sizeof word - 1)))
        return true;
    fsd_vec_push(
        r->h->arena, &r->h->events,
        (struct fsd_event){
            .kind = FSD_EVENT_REGISTER,
            .a = fsd_intern_add(r->h->names, s + skip, (size_t)(at - s) - skip),
            .b = fsd_intern_add(r->h->names, at + sizeof word - 1,
                                (size_t)(s + n - at) - (sizeof word - 1)),
            .node = r->parsed ? r->parsed - 1 : FSD_NONE,
            .build = r->build,
            .line = r->h->lines});
    return true;
}

static bool read_network(struct log_reader *r, const char *s, size_t n)
{
    static const char word[] = "Parsing node: ";
    const size_t k = sizeof word - 1;
    const struct fsd_log_open *open;

    if (starts(s, n, word)) {
        fsd_log_open(&r->open, s + k, n - k, r->parsed++);
        keep_line(r, s, n, FSD_SAYS_NODE);
        return true;
    }
    open = fsd_log_opened(&r->open, s, n);
    if (!open && !fsd_log_is_network(s, n))
        return false;
    if (open)
        fsd_log_close(&r->open, open, s, n);
    keep_line(r, s, n, FSD_SAYS_MORE);
    return true;
}

/* The builder's list: "TYPE NAME", its edges indented below. */
static bool read_layer_list(struct log_reader *r, const char *s, size_t n)
{
    size_t i = 0;

    if (starts(s, n, "GRAPH NODES")) {
        r->in_layers = true;
        return true;
    }
    if (!r->in_layers)
        return false;
    if (n && *s == ' ')
        return true;
    while (i < n && ((s[i] >= 'A' && s[i] <= 'Z') || s[i] == '_' ||
                     (i && s[i] >= '0' && s[i] <= '9')))
        i++;
    r->in_layers = i > 1 && i < n && s[i] == ' ';
    if (r->in_layers)
        keep_line(r, s, n, FSD_SAYS_LAYER);
    return r->in_layers;
}

static void end_block(struct log_reader *r)
{
    r->in_block = false;
    r->build++;
    r->h->builds = r->build;
    r->parsed = 0;
    r->open.n = 0;
}

/* Other lines may stand within a block: several threads write the log. */
static bool begins_build(const char *s, size_t n)
{
    static const char *const words[] = {"Original: ",
                                        "Parsing node: ",
                                        "Adding network input: ",
                                        "Applying generic ",
                                        "Engine Layer Information:",
                                        "GRAPH NODES"};

    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (starts(s, n, words[i]))
            return true;
    return false;
}

/* What other programs print between the builder's lines is no form of the builder's. */
static bool is_builders(const struct fsd_log_line *line)
{
    return line->prefixed && (line->trt || line->severity == 'V');
}

/* Bytes that no program prints as text: the file is damaged. */
static bool is_damaged(const char *s, size_t n)
{
    size_t i = 0, most = n < LOOKED_AT ? n : LOOKED_AT, len;

    for (; i < most; i += len) {
        unsigned char c = (unsigned char)s[i];

        len = fsd_utf8_len((const unsigned char *)s + i, n - i);
        if (!len ||
            (c < ' ' && c != '\t' && c != '\r' && c != 0x1b && c != 0x1e && c != 0x1f))
            return true;
    }
    return false;
}

/* Nine lines of ten in a verbose log. */
static bool is_tactic(const char *s, size_t n)
{
    return n > 8 && (!memcmp(s, "Tactic N", 8) || !memcmp(s, "Tactic: ", 8));
}

static void read_line(struct log_reader *r, const struct fsd_log_line *line)
{
    const char *s = line->text;
    size_t n = line->n;

    while (n && (s[n - 1] == '\r' || s[n - 1] == ' '))
        n--;
    if (n > LONGEST_LINE) {
        r->h->unknown_lines++;
        return;
    }
    if (is_tactic(s, n) || read_final(r, s, n))
        return;
    if (r->in_block && begins_build(s, n))
        end_block(r);
    r->events.build = r->build;
    r->events.line = r->h->lines;
    r->events.severity = line->severity;
    if (read_layer_list(r, s, n) || read_register(r, s, n) || read_network(r, s, n) ||
        fsd_event_read(&r->events, s, n))
        return;
    if (is_builders(line))
        fsd_history_unknown(r->h, s, n);
    else
        r->h->unknown_lines += is_damaged(s, n);
}

static struct log_reader *new_reader(struct fsd_history *h, const struct fsd_file *file)
{
    struct log_reader *r = FSD_NEW(h->arena, struct log_reader, 1);

    r->h = h;
    r->file = file;
    r->events.h = h;
    h->path = file->name;
    return r;
}

static void end_file(struct log_reader *r)
{
    if (r->in_block)
        r->h->builds = r->build + 1;
}

void fsd_log_read(struct fsd_history *h, const struct fsd_file *file)
{
    struct log_reader *r = new_reader(h, file);
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_log_line line;

    while (fsd_log_next(&lines, &line)) {
        h->lines = line.number;
        read_line(r, &line);
    }
    end_file(r);
}

void fsd_log_read_all(struct fsd_history *h, const struct fsd_file *file,
                      struct fsd_log_scan *scan)
{
    struct log_reader *r = new_reader(h, file);
    struct fsd_log_finder *finder = fsd_log_finder_new(h->arena, file, &scan->engines);
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_digest digest;
    struct fsd_log_line line;

    scan->hashed = fsd_digest_begin(&digest, file);
    while (fsd_log_next(&lines, &line)) {
        if (scan->hashed && lines.at > digest.at)
            fsd_digest_step(&digest, lines.at);
        h->lines = line.number;
        fsd_log_finder_line(finder, &line, lines.at);
        read_line(r, &line);
    }
    fsd_log_finder_end(finder);
    end_file(r);
    scan->lines = lines.number;
    if (scan->hashed)
        fsd_digest_end(&digest, scan->hash);
}
