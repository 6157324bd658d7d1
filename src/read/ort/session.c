/*
 * Reads the log of an ONNX Runtime session at log_severity_level 0.  The log states
 * which graph transformers changed the graph, which fusions were skipped and why, which
 * nodes were added, and the execution provider of each node.
 *
 *     DATE TIME [V:onnxruntime:LOGID, FILE:LINE FUNCTION] TEXT
 *
 * The log does not state which nodes a fusion combined; the names and tensors of the
 * optimized model show this.  TEXT shows the meaning of a line.  FILE:LINE does not,
 * because it differs between versions.  A transformer's lines about removed nodes come
 * after its line "modified: 1" and before the line of the next transformer.
 */
#include "base/base.h"
#include "base/file_type.h"
#include "read/ort/ort.h"

enum {
    BYTES_SEARCHED = 1 << 16, /* the maximum number of bytes that are searched for the
                               first line of a session */
    LONGEST_LINE = 1 << 20,   /* the maximum number of bytes of a line; a longer line is
                               ignored */
    LONGEST_HEAD = 1 << 9, /* the maximum number of bytes of the text before a message;
                               function names on Windows are long */
    MOST_PASSES = 1 << 12  /* the maximum number of passes in one session; sessions
                               have a few hundred */
};

/* A line of the log, without its prefix. */
struct line {
    struct fsd_slice file, function, text;
};

struct session_log {
    struct fsd_history *h;
    struct fsd_intern *keys; /* gives each skipped fusion a number */
    FSD_VEC(uint32_t)
    skip_of;              /* indexed by number in `keys`: the index of the
                                  skipped fusion in h->events, plus 1 */
    uint64_t number;      /* the number of the line */
    uint32_t build;       /* the number of the session, from 0 */
    bool initialized;     /* a line stated that the session is initialized */
    uint32_t first, pass; /* indices in h->passes: the first pass of the session,
                                  and the current pass or FSD_NONE */
    fsd_sym placing;      /* the provider whose nodes the next lines list; 0:
                                  none */
    bool all_placed;      /* one provider has all nodes of the session */
};

bool fsd_ort_is_session(const struct fsd_file *file)
{
    enum fsd_file_type look = fsd_file_type_of(file);

    return (look == FSD_FILETYPE_TEXT || look == FSD_FILETYPE_LIST) &&
           fsd_file_has_word(file, BYTES_SEARCHED, ":onnxruntime:");
}

/* --------------------------------------------------------------------------- lines */

/* Splits a line into prefix and text.  Returns false if another program wrote the line,
 * or if the line is not the first line of a message. */
static bool take_head(struct fsd_slice t, struct line *out)
{
    struct fsd_slice head = t, where;

    if (head.n > LONGEST_HEAD)
        head.n = LONGEST_HEAD;
    if (!fsd_slice_split_at(&head, ":onnxruntime:", &where) || head.n < 2 ||
        head.s[head.n - 2] != '[' || !fsd_slice_split_at(&where, "] ", &out->text))
        return false;
    out->text.n = (size_t)(t.s + t.n - out->text.s);
    fsd_slice_split_last(&where, ", ", &where); /* removes LOGID, which the caller of
                                                   ONNX Runtime sets */
    fsd_slice_split_at(&where, " ", &out->function);
    out->file = where;
    fsd_slice_drop(&out->text, "\x1b[m");
    fsd_slice_drop(&out->text, "\x1b[0m");
    while (out->text.n && strchr(" \t\r", out->text.s[out->text.n - 1]))
        out->text.n--;
    return true;
}

/* ----------------------------------------------------------------- transformers */

static fsd_sym keep(struct session_log *r, struct fsd_slice text)
{
    return fsd_intern_slice(r->h->names, text);
}

/* Sets the current pass to the transformer that has this name. */
static void set_pass(struct session_log *r, struct fsd_slice name)
{
    fsd_sym sym = keep(r, name);

    for (r->pass = r->first; r->pass < r->h->passes.n; r->pass++)
        if (r->h->passes.at[r->pass].name == sym)
            return;
    if (r->pass - r->first == MOST_PASSES) {
        r->pass = FSD_NONE;
        return;
    }
    fsd_vec_push(r->h->arena, &r->h->passes,
                 ((struct fsd_pass_stats){.name = sym, .build = r->build}));
}

static struct fsd_pass_stats *at_work(struct session_log *r)
{
    return r->pass == FSD_NONE ? NULL : &r->h->passes.at[r->pass];
}

/* Reads a line about a graph transformer: "Applying graph transformer X on step 1.",
 * "GraphTransformer X modified: 1 with status: OK", or a message of the transformer
 * between or after these lines. */
static bool read_transformer(struct session_log *r, const struct line *line)
{
    struct fsd_slice t = line->text, rest;
    struct fsd_pass_stats *pass;

    if (fsd_slice_take(&t, "Applying graph transformer ") &&
        fsd_slice_split_last(&t, " on step ", &rest)) {
        set_pass(r, t);
        return true;
    }
    if (fsd_slice_take(&t, "GraphTransformer ") &&
        fsd_slice_split_last(&t, " modified: ", &rest)) {
        set_pass(r, t);
        if ((pass = at_work(r))) {
            pass->runs++;
            pass->changed += fsd_slice_begins(rest, "1");
        }
        return true;
    }
    pass = at_work(r);
    if (fsd_slice_begins(t, "Removing initializer '") ||
        fsd_slice_begins(t, "Removing NodeArg '")) {
        if (pass)
            pass->dropped++;
        return true;
    }
    if (fsd_slice_begins(line->file, "selector_action_transformer") &&
        fsd_slice_begins(t, "Matched ")) {
        if (pass)
            pass->matched++;
        return true;
    }
    return false;
}

/* -------------------------------------------------------------- skipped fusions */

static struct fsd_event *add_event(struct session_log *r, enum fsd_event_kind kind,
                                   fsd_sym pass, fsd_sym a, fsd_sym text)
{
    struct fsd_event event = {.kind = kind,
                              .pass = pass,
                              .a = a,
                              .text = text,
                              .build = r->build,
                              .line = r->number};

    fsd_vec_push(r->h->arena, &r->h->events, event);
    return &r->h->events.at[r->h->events.n - 1];
}

static fsd_sym pass_name(struct session_log *r)
{
    const struct fsd_pass_stats *pass = at_work(r);

    return pass ? pass->name : 0;
}

/* Stores a skipped fusion.  It is stored only once, although a transformer examines the
 * same nodes in each of its steps. */
static void skip(struct session_log *r, fsd_sym pass, fsd_sym node, fsd_sym by,
                 struct fsd_slice why)
{
    const uint32_t is[] = {pass, node, by, keep(r, why), r->build};
    fsd_sym key = fsd_intern_add(r->keys, (const char *)is, sizeof is);
    struct fsd_event *e;

    while (r->skip_of.n <= key)
        fsd_vec_push(r->h->arena, &r->skip_of, 0);
    if (r->skip_of.at[key]) {
        r->h->events.at[r->skip_of.at[key] - 1].times++;
        return;
    }
    e = add_event(r, FSD_EVENT_SKIP, pass, node, is[3]);
    e->b = by;
    e->times = 1;
    r->skip_of.at[key] = r->h->events.n;
}

/* Reads a line like "MobileClipMHA[NODE]: fusion skipped: WHY". */
static bool read_named_skip(struct session_log *r, struct fsd_slice t)
{
    struct fsd_slice pass = fsd_slice_take_word(&t), why;

    if (!pass.n || !fsd_slice_take(&t, "[") ||
        !fsd_slice_split_at(&t, "]: fusion skipped: ", &why))
        return false;
    skip(r, keep(r, pass), keep(r, t), 0, why);
    return true;
}

/* Reads a line about a node that the session does not fold.  The line is "Skipping
 * constant folding for OP node 'NAME' because WHY" or "WHY and hence can't constant
 * fold OP node 'NAME'". */
static bool read_folding(struct session_log *r, struct fsd_slice t)
{
    static const char cannot[] = " and hence can't constant fold ";
    struct fsd_slice why = t, node, rest;
    bool behind = fsd_slice_split_at(&why, cannot, &node);

    if (!behind) {
        node = t;
        if (!fsd_slice_take(&node, "Skipping constant folding for "))
            return false;
    }
    if (!fsd_slice_split_at(&node, " node '", &rest) ||
        !(behind ? fsd_slice_split_last(&rest, "'", &node)
                 : fsd_slice_split_at(&rest, "' because ", &why)))
        return false;
    skip(r, keep(r, fsd_slice_of("ConstantFolding")), keep(r, rest), 0, why);
    return true;
}

/* Reads a line like "PASS: skipping candidate due to WHY", which names no node. */
static bool read_candidate(struct session_log *r, struct fsd_slice t)
{
    struct fsd_slice pass = fsd_slice_take_word(&t);

    if (!pass.n || !fsd_slice_take(&t, ": skipping candidate due to "))
        return false;
    skip(r, keep(r, pass), 0, 0, t);
    return true;
}

/* Reads a message that states which part of its pattern a fusion did not find.  The
 * message names no node. */
static bool read_miss(struct session_log *r, const struct line *line)
{
    static const char *const words[] = {" not ", "n't ", "Failed ", " failed",
                                        "nsupported"};

    if (!pass_name(r) || !fsd_slice_find(line->file, "fusion"))
        return false;
    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (fsd_slice_find(line->text, words[i])) {
            skip(r, pass_name(r), 0, keep(r, line->function), line->text);
            return true;
        }
    return false;
}

/* -------------------------------------------------------------------- additions */

/* Reads and returns one end of an edge: the name A from "src node ("A", index: 1)", or
 * the word "input" or "output", which stands for an input or output of the graph. */
static struct fsd_slice take_end(struct fsd_slice *t)
{
    struct fsd_slice end, rest;
    uint64_t index;

    if (!fsd_slice_take(t, "src node (\"") && !fsd_slice_take(t, "dst node (\"") &&
        !fsd_slice_take(t, "node (\""))
        return fsd_slice_take_word(t);
    end = *t;
    if (!fsd_slice_split_at(&end, "\", index: ", &rest))
        return (struct fsd_slice){t->s, 0};
    *t = rest;
    fsd_slice_take_number(t, UINT32_MAX, &index);
    fsd_slice_take(t, ")");
    return end;
}

/* Reads a line like "Inserted Q/DQ pair between src node ("A", index: 1) and dst node
 * ("B", index: 2) at NodeArg "T"." or, before ONNX Runtime 1.18, "Inserting Q/DQ pair
 * between node ("A", index: 1) and node ...". */
static bool read_pair(struct session_log *r, struct fsd_slice t)
{
    struct fsd_slice tensor, from, to;
    struct fsd_print text;
    FILE *out;

    if ((!fsd_slice_take(&t, "Inserted Q/DQ pair between ") &&
         !fsd_slice_take(&t, "Inserting Q/DQ pair between ")) ||
        !fsd_slice_split_last(&t, " at NodeArg \"", &tensor) ||
        !fsd_slice_drop(&tensor, "\"."))
        return false;
    from = take_end(&t);
    if (!fsd_slice_take(&t, " and "))
        return false;
    to = take_end(&t);
    out = fsd_print_open(&text);
    fprintf(out, "between %.*s and %.*s", (int)from.n, from.s, (int)to.n, to.s);
    add_event(r, FSD_EVENT_ADD, pass_name(r), keep(r, tensor),
              fsd_print_sym(&text, r->h->names))
        ->b = keep(r, fsd_slice_of("a Q/DQ pair"));
    return true;
}

/* Reads a line about an added copy, "Add MemcpyToHost before T for
 * CUDAExecutionProvider", or the warning after all of them: "2 Memcpy nodes are added
 * to the graph G for CUDAExecutionProvider. ...". */
static bool read_memcpy(struct session_log *r, struct fsd_slice t)
{
    struct fsd_slice what = t, tensor, provider;
    uint64_t n;

    if (fsd_slice_take_number(&what, UINT32_MAX, &n) &&
        fsd_slice_begins(what, " Memcpy nodes are added to the graph ")) {
        add_event(r, FSD_EVENT_WARNING, 0, keep(r, fsd_slice_of("memcpy")), keep(r, t));
        return true;
    }
    what = t;
    if (!fsd_slice_take(&what, "Add Memcpy") ||
        (!fsd_slice_split_at(&what, " before ", &tensor) &&
         !fsd_slice_split_at(&what, " after ", &tensor)) ||
        !fsd_slice_split_last(&tensor, " for ", &provider))
        return false;
    what = (struct fsd_slice){what.s - strlen("Memcpy"), what.n + strlen("Memcpy")};
    provider = (struct fsd_slice){tensor.s + tensor.n + 1, provider.n + 4};
    add_event(r, FSD_EVENT_ADD, pass_name(r), keep(r, tensor), keep(r, provider))->b =
        keep(r, what);
    return true;
}

/* ------------------------------------------------------------------- placements */

static void place(struct session_log *r, fsd_sym provider, fsd_sym op, fsd_sym name)
{
    fsd_vec_push(r->h->arena, &r->h->places,
                 ((struct fsd_placement){
                     .provider = provider, .op = op, .name = name, .build = r->build}));
}

static void count_placed(struct session_log *r, struct fsd_slice number)
{
    uint64_t n;

    if (fsd_slice_take_number(&number, UINT32_MAX, &n))
        r->h->placed.at[r->build] += (uint32_t)n;
}

/* Reads a node in a list of a provider's nodes: "  OP (NAME)". */
static bool read_placed_node(struct session_log *r, struct fsd_slice t)
{
    struct fsd_slice name;

    if (!r->placing || !fsd_slice_take(&t, "  ") || !fsd_slice_drop(&t, ")") ||
        !fsd_slice_split_at(&t, " (", &name))
        return false;
    place(r, r->placing, keep(r, t), keep(r, name));
    if (name.n)
        fsd_vec_push(r->h->arena, &r->h->finals,
                     ((struct fsd_final){.name = keep(r, name), .build = r->build}));
    return true;
}

/* Reads a line about the nodes of a provider: " All nodes placed on [EP].  Number of
 * nodes: 5", "All nodes have been placed on [EP]." (before ONNX Runtime 1.13), or "
 * Node(s) placed on [EP]. ...".  After the last form, the log lists the nodes. */
static bool read_placement(struct session_log *r, struct fsd_slice t)
{
    struct fsd_slice provider, rest;
    bool all;

    if (read_placed_node(r, t))
        return true;
    r->placing = 0;
    if (fsd_slice_is(t, "Node placements"))
        return true;
    fsd_slice_take(&t, " ");
    all = fsd_slice_begins(t, "All nodes ");
    if ((!all && !fsd_slice_begins(t, "Node(s) ")) ||
        !fsd_slice_split_at(&t, "placed on [", &provider) ||
        !fsd_slice_split_at(&provider, "].", &rest) || !provider.n || r->all_placed)
        return false;
    r->all_placed = all;
    if (all)
        place(r, keep(r, provider), 0, 0);
    else
        r->placing = keep(r, provider);
    if (fsd_slice_take(&rest, " Number of nodes: "))
        count_placed(r, rest);
    return true;
}

/* --------------------------------------------------------------------- sessions */

/* Reads the first line of a session.  A program may open several sessions, one after
 * the other. */
static bool read_start(struct session_log *r, struct fsd_slice t)
{
    if (!fsd_slice_is(t, "Initializing session."))
        return false;
    if (r->initialized) {
        r->build++;
        r->h->builds++;
        fsd_vec_push(r->h->arena, &r->h->placed, 0);
    }
    r->initialized = true;
    r->first = r->h->passes.n;
    r->pass = FSD_NONE;
    r->placing = 0;
    r->all_placed = false;
    return true;
}

static void read_line(struct session_log *r, struct fsd_slice t)
{
    struct line line = {.text = t};

    if (t.n > LONGEST_LINE || !take_head(t, &line))
        return;
    r->h->session_lines++;
    if (!read_placement(r, line.text) && !read_start(r, line.text) &&
        !read_transformer(r, &line) && !read_named_skip(r, line.text) &&
        !read_folding(r, line.text) && !read_candidate(r, line.text) &&
        !read_pair(r, line.text) && !read_memcpy(r, line.text) && !read_miss(r, &line))
        fsd_history_unknown(r->h, line.text.s, line.text.n);
}

void fsd_ort_session_read(struct fsd_history *h, const struct fsd_file *file)
{
    FSD_SCRATCH(scratch);
    struct session_log r = {.h = h, .keys = fsd_intern_new(scratch), .pass = FSD_NONE};
    size_t at = 0, end = file->size, released = 0;

    h->no_steps = true;
    fsd_vec_push(h->arena, &h->placed, 0);
    while (at < end || (end = fsd_file_reach(file, at)) > at) {
        const unsigned char *s = file->bytes + at, *stop;
        size_t from = at;

        while (!(stop = memchr(file->bytes + from, '\n', end - from))) {
            from = end;
            end = fsd_file_reach(file, from);
            if (end == from)
                break;
        }
        r.number = ++h->lines;
        at = stop ? (size_t)(stop - file->bytes) : end;
        read_line(&r,
                  (struct fsd_slice){(const char *)s, at - (size_t)(s - file->bytes)});
        at++;
        fsd_file_release_behind(file, at, &released);
    }
}
