/*
 * Reads a build log line by line.  Lines of the builder's optimizer become events.  The
 * positions of the parser's lines and the names of the engines' layers are stored, too.
 */
#include "read/log/log.h"

#include "base/base.h"

/* LONGEST_LINE is the limit, in bytes, for a line that is read: the names of large
 * foreign nodes make lines of about 100 kB.  LOOKED_AT is the number of bytes of a line
 * that are checked for damage. */
enum { LONGEST_LINE = 1 << 22, LOOKED_AT = 1 << 10 };

struct log_reader {
    struct fsd_history *h;
    const struct fsd_file *file;
    struct fsd_event_reader events;
    struct fsd_log_options options;
    struct fsd_log_tables tables;
    struct fsd_log_printed printed;
    struct fsd_log_failing failing;
    struct fsd_log_stack open; /* the parsed nodes whose outputs are not printed yet */
    fsd_id parsed;             /* the number of nodes parsed so far in this attempt */
    uint32_t build;            /* the number of the attempt.  All facts store this
                                  number at first; number_builds() replaces it by the
                                  number of the attempt's engine */
    bool in_layers;            /* the lines follow "GRAPH NODES", the title of the
                                  builder's list */
};

/* ------------------------------------------------------------------ the network */

static bool keep_line(struct log_reader *r, struct fsd_slice t,
                      enum fsd_parser_says says)
{
    struct fsd_parser_line line = {
        .at = (uint64_t)((const unsigned char *)t.s - r->file->bytes),
        .line = r->h->lines,
        .n = (uint32_t)t.n,
        .build = r->build,
        .says = says};

    fsd_vec_push(r->h->arena, &r->h->parser, line);
    return true;
}

/* Reads a line of the parser: "Registering layer: L for ONNX node: N", or "Registering
 * tensor: ...". */
static bool read_register(struct log_reader *r, struct fsd_slice layer)
{
    struct fsd_slice node;

    if (!fsd_slice_take(&layer, "Registering "))
        return false;
    if (!fsd_slice_take(&layer, "layer: "))
        return true;
    fsd_log_add_layer(&r->h->scan->adding, layer);
    if (fsd_slice_split_at(&layer, " for ONNX node: ", &node))
        fsd_vec_push(r->h->arena, &r->h->events,
                     (struct fsd_event){.kind = FSD_EVENT_REGISTER,
                                        .a = fsd_intern_slice(r->h->names, layer),
                                        .b = fsd_intern_slice(r->h->names, node),
                                        .node = r->parsed ? r->parsed - 1 : FSD_NONE,
                                        .build = r->build,
                                        .line = r->h->lines});
    return true;
}

static void begin_node(struct log_reader *r, struct fsd_slice head)
{
    struct fsd_log_adding *adding = &r->h->scan->adding;
    struct fsd_log_parsed parsed = {.head = fsd_intern_slice(r->h->names, head),
                                    .attempt = r->build,
                                    .begins = r->h->lines,
                                    .before = adding->now};

    fsd_vec_push(r->h->arena, &adding->nodes, parsed);
}

/* Ends a parsed node: stores the number of its last line, and the number of layers that
 * the parser has added up to this line.
 * @param node  the number of the node in this attempt, from 0, in the order of
 *        parsing */
static void end_node(struct log_reader *r, fsd_id node)
{
    struct fsd_log_adding *adding = &r->h->scan->adding;
    struct fsd_log_parsed *parsed =
        &adding->nodes.at[adding->nodes.n - r->parsed + node];

    parsed->ends = r->h->lines;
    parsed->behind = adding->now;
}

static bool read_network(struct log_reader *r, struct fsd_slice t)
{
    struct fsd_slice head = t;
    const struct fsd_log_open *open;

    if (fsd_slice_take(&head, "Parsing node: ")) {
        r->failing.parsing = head;
        fsd_log_open(&r->open, head, r->parsed++);
        begin_node(r, head);
        return keep_line(r, t, FSD_SAYS_NODE);
    }
    open = fsd_log_opened(&r->open, t);
    if (!open && !fsd_log_is_network(t))
        return false;
    if (open && fsd_log_close(&r->open, open, t))
        end_node(r, open->node);
    return keep_line(r, t, FSD_SAYS_MORE);
}

/* Reads a line of the builder's list of layers: "TYPE NAME", or an indented line about
 * an edge. */
static bool read_layer_list(struct log_reader *r, struct fsd_slice t)
{
    size_t i = 0;

    if (fsd_slice_begins(t, "GRAPH NODES"))
        return r->in_layers = true;
    if (!r->in_layers || fsd_slice_begins(t, " "))
        return r->in_layers;
    while (i < t.n && ((t.s[i] >= 'A' && t.s[i] <= 'Z') || t.s[i] == '_' ||
                       (i && t.s[i] >= '0' && t.s[i] <= '9')))
        i++;
    r->in_layers = i > 1 && i < t.n && t.s[i] == ' ';
    return r->in_layers && keep_line(r, t, FSD_SAYS_LAYER);
}

/* ------------------------------------------------------------------------ lines */

/* Whether the line has bytes that no program prints as text.  Such bytes show that the
 * file is damaged. */
static bool is_damaged(struct fsd_slice t)
{
    size_t i = 0, most = t.n < LOOKED_AT ? t.n : LOOKED_AT, len;

    for (; i < most; i += len) {
        unsigned char c = (unsigned char)t.s[i];

        len = fsd_utf8_len((const unsigned char *)t.s + i, t.n - i);
        if (!len ||
            (c < ' ' && c != '\t' && c != '\r' && c != 0x1b && c != 0x1e && c != 0x1f))
            return true;
    }
    return false;
}

/* Reads layer times.  Returns true if the line belongs to a table of layer times.  Such
 * a line has no other meaning. */
static bool read_times(struct log_reader *r, const struct fsd_log_line *line)
{
    if (fsd_log_may_be_printed(line->text))
        fsd_log_printed_line(&r->printed, line);
    if (!fsd_log_may_be_table(&r->tables, line->text) ||
        !fsd_log_table_line(&r->tables, line->text))
        return false;
    if (r->tables.full && !r->h->scan->overfull)
        r->h->scan->overfull = line->number;
    return true;
}

/* Adds the log's layer times to the history.  If the log has a table, lines that look
 * like single layer times are ignored. */
static void end_times(struct log_reader *r)
{
    fsd_log_tables_end(&r->tables);
    if (!r->h->profiles.n)
        fsd_log_printed_end(&r->printed, &r->h->profiles);
}

/* Reads a line about memory or sizes.  The first letter excludes nearly all other
 * lines. */
static bool read_sums(struct log_reader *r, struct fsd_slice t)
{
    switch (t.n ? *t.s : '\0') {
    case 'A':
    case 'L':
    case 'M':
    case 'T':
        return fsd_log_memory_read(r->h, t, r->build);
    case 'C':
    case 'I':
    case 'S':
        return fsd_log_shape_read(r->h, t, r->build);
    default:
        return false;
    }
}

static void read_line(struct log_reader *r, const struct fsd_log_place *place)
{
    struct fsd_slice t = place->line.text;

    fsd_log_effort_clock(&r->events, place->line.stamp);
    if (place->line.session) { /* messages of an ONNX Runtime session contain words of
                                  the builder, so they are not read */
        r->h->session_lines++;
        return;
    }
    if (place->attempt != r->failing.attempt) {
        r->failing.attempt = place->attempt;
        r->failing.parsing = (struct fsd_slice){0};
        r->failing.in_use = false;
    }
    if (place->line.severity != 'V' && !place->listed)
        fsd_log_failure_line(r->h->arena, &place->line, &r->failing);

    while (t.n && (t.s[t.n - 1] == '\r' || t.s[t.n - 1] == ' '))
        t.n--;
    if (t.n > LONGEST_LINE) {
        r->h->unknown_lines++;
        return;
    }
    /* Timed tactics come first: they are nine of ten lines in a verbose log. */
    if (place->listed)
        return;
    if (fsd_slice_begins(t, "Tactic N") || fsd_slice_begins(t, "Tactic: ")) {
        fsd_log_effort_tactic(&r->events, t);
        return;
    }
    if (place->attempt != r->build) {
        r->build = place->attempt;
        r->parsed = 0;
        r->open.n = 0;
        r->h->scan->adding.now = (struct fsd_log_count){0};
        fsd_log_effort_off(&r->events);
    }
    r->options.attempt = r->build;
    fsd_log_option_read(&r->options, r->h, &place->line);
    if (read_times(r, &place->line))
        return;
    r->events.build = r->build;
    r->events.line = r->h->lines;
    r->events.severity = place->line.severity;
    if (read_sums(r, t) || read_layer_list(r, t) || read_register(r, t) ||
        read_network(r, t) || fsd_event_read(&r->events, t))
        return;
    /* No function has recognized the line.  If the builder wrote it, it counts as a
     * line of unknown form.  If another program wrote it, it counts as unknown only if
     * it is damaged. */
    if (place->line.prefixed && (place->line.trt || place->line.severity == 'V'))
        fsd_history_unknown(r->h, t.s, t.n);
    else
        r->h->unknown_lines += is_damaged(t);
}

/* --------------------------------------------------------------- engines' layers */

/* Reads the layers of each engine from the list with the most facts.  This is the first
 * list in the order of enum fsd_log_form.  For example, the builder's list states
 * types, and a list of names does not. */
static void read_finals(struct fsd_history *h, const struct fsd_file *file,
                        const fsd_log_engines *engines)
{
    for (uint32_t i = 0; i < engines->n; i++) {
        const struct fsd_log_list *list = engines->at[i].lists;
        struct fsd_log_lines lines;
        struct fsd_log_line line;
        struct fsd_log_layer layer;
        enum fsd_log_form form = FSD_LOG_BLOCK;

        while (!list[form].number)
            form++;
        lines = fsd_log_list_lines(file, &list[form]);
        lines.end = list[form].layers_end;
        while (fsd_log_next(&lines, &line))
            if (!fsd_log_is_foreign(&list[form], &line) &&
                fsd_log_listed_layer(form, line.text, &layer)) {
                struct fsd_log_tensor tensor = {.output = false};
                struct fsd_final final = {.build = i,
                                          .name =
                                              fsd_intern_slice(h->names, layer.name),
                                          .region = fsd_log_is_region(&layer)};

                while (form == FSD_LOG_BLOCK && !tensor.output &&
                       fsd_log_tensor_next(&layer.tensors, &tensor) == FSD_LOG_TENSOR)
                    ;
                if (tensor.output) {
                    final.tensor = fsd_intern_slice(h->names, tensor.name);
                    final.out = fsd_dtype_read(tensor.type.s, tensor.type.n);
                }
                fsd_vec_push(h->arena, &h->finals, final);
            }
    }
}

/* Replaces the number of the attempt in all facts.  The new number is the number of the
 * attempt's engine, or FSD_NONE if the attempt led to no engine.  If the log has no
 * engine at all, the facts of the last attempt get the number 0. */
static void number_builds(struct fsd_history *h, const fsd_log_engines *engines,
                          uint32_t last)
{
    uint32_t *build_of = FSD_NEW(h->arena, uint32_t, last + 1);

    for (uint32_t i = 0; i <= last; i++)
        build_of[i] = FSD_NONE;
    for (uint32_t i = engines->n; i-- > 0;)
        build_of[engines->at[i].attempt] = i;
    if (!engines->n)
        build_of[last] = 0;
    for (uint32_t i = 0; i < h->events.n; i++)
        h->events.at[i].build = build_of[h->events.at[i].build];
    for (uint32_t i = 0; i < h->rivals.n; i++)
        h->rivals.at[i].build = build_of[h->rivals.at[i].build];
    for (uint32_t i = 0; i < h->memory.n; i++)
        h->memory.at[i].build = build_of[h->memory.at[i].build];
    for (uint32_t i = 0; i < h->shapes.n; i++)
        h->shapes.at[i].build = build_of[h->shapes.at[i].build];
    for (uint32_t i = 0; i < h->parser.n; i++)
        h->parser.at[i].build = build_of[h->parser.at[i].build];
    fsd_efforts_number(&h->efforts, build_of);
    fsd_log_options_end(h, engines);
    h->builds = engines->n ? engines->n : 1;
}

void fsd_log_read(struct fsd_history *h, const struct fsd_file *file)
{
    struct fsd_log_scan *scan = FSD_NEW(h->arena, struct fsd_log_scan, 1);
    struct log_reader *r = FSD_NEW(h->arena, struct log_reader, 1);
    struct fsd_log_segmenter *s = fsd_log_segmenter_new(h->arena, file, &scan->engines);
    struct fsd_digest digest;
    struct fsd_log_place place = {.attempt = 0};

    r->h = h;
    r->file = file;
    r->events.h = h;
    r->tables = (struct fsd_log_tables){
        .arena = h->arena, .names = h->names, .path = file->name, .out = &h->profiles};
    r->printed = (struct fsd_log_printed){
        .arena = h->arena, .names = h->names, .profile.path = file->name};
    r->failing =
        (struct fsd_log_failing){.out = &scan->failures, .skipped = &scan->skipped};
    fsd_log_effort_off(&r->events);
    h->path = file->name;
    h->scan = scan;
    scan->hashed = fsd_digest_begin(&digest, file);
    while (fsd_log_segment(s, &place)) {
        if (scan->hashed && place.next > digest.at)
            fsd_digest_step(&digest, place.next);
        h->lines = scan->lines = place.line.number;
        read_line(r, &place);
    }
    if (scan->hashed)
        fsd_digest_end(&digest, scan->hash);
    end_times(r);
    number_builds(h, &scan->engines, place.attempt);
    read_finals(h, file, &scan->engines);
    for (uint32_t i = 0; i < scan->engines.n; i++)
        fsd_log_devices(h, file, &scan->engines.at[i].lists[FSD_LOG_KINDS], i);
    fsd_timing_reformats(h);
    h->failed = scan->failures.n > 0;
    fsd_log_failures_keep(h, &scan->failures);
    fsd_log_failures_keep(h, &scan->skipped);
    if (h->failed)
        fsd_log_failure_name(&scan->failures.at[fsd_log_first_failure(&scan->failures) -
                                                scan->failures.at],
                             h);
}
