/*
 * Reads the error messages of a failed build, and makes the program's own message from
 * the most useful of them.  If the parser wrote a record of a node, this record is the
 * most useful message, because the builder's errors follow from the parser's error.
 *
 * A record has several lines (see failure.h), in an order that depends on the version.
 * Words in a line show which field the line states.  Only the reason has no such words:
 * it is the next line without a prefix after the line with " In function ".
 *
 * The builder's message is a sentence that may contain the name of a node.  The program
 * searches the sentence for the longest name of a parsed node, or of a layer of such a
 * node.  The name must be a whole word.  Some messages of Myelin have ", name=" before
 * a derived name, such as "/Range_shape_U8_mul".  The program then first looks for the
 * longest name from which this name may be derived: "/Range".
 */
#include "read/log/log.h"

#include <ctype.h>

enum { REASON_SHOWN = 600, REASON_KEPT = 4096, NAME_SHOWN = 100 };

/* Adds the line to the parser's record of the failing node, if it belongs to that
 * record. */
static bool read_record(struct fsd_log_failure *f, const struct fsd_log_line *line)
{
    struct fsd_slice text = line->text, code;

    if (line->prefixed) {
        if (f->where.n || fsd_slice_begins(text, "While parsing node number "))
            return false;                 /* a new record begins */
        fsd_slice_take(&text, "ERROR: "); /* lines.c has already removed this word if it
                                             was the severity of the line */
        if (fsd_slice_split_at(&text, " In function ", &f->where))
            fsd_slice_drop(&f->where, ":");
    } else if (!f->where.n && fsd_slice_begins(text, "ERROR: ") &&
               fsd_slice_split_at(&text, " In function ", &f->where)) {
        fsd_slice_drop(&f->where, ":"); /* up to TensorRT 8.0, this line has no
                                           prefix */
    } else if (!f->where.n && !f->node.n) {
        if (fsd_slice_take(&text, "Node name: "))
            f->node = text;
        else if (fsd_slice_take(&text, "name: \"") && fsd_slice_drop(&text, "\""))
            f->node = text;
    } else if (f->where.n && !f->reason.n) {
        f->reason = text;
        if (fsd_slice_take(&text, "[") && fsd_slice_split_at(&text, "] ", &code)) {
            f->reason = code;
            if (!fsd_slice_take_number(&text, 99, &f->code))
                f->code = 0;
        }
    } else if (fsd_slice_begins(f->reason, "Invalid Node - ") &&
               !memchr(f->reason.s, '\n', f->reason.n)) {
        /* This line states only that the node is invalid; the next line states the
         * reason. */
        f->reason.n = (size_t)(text.s + text.n - f->reason.s);
    }
    return true;
}

/* Whether the line is the last one of a Python traceback.  Such a line begins with the
 * name of an exception: "ValueError: ...". */
static bool is_exception(const struct fsd_log_line *line)
{
    struct fsd_slice name = line->text, message;

    if (line->prefixed || !fsd_slice_split_at(&name, ": ", &message) || !name.n)
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!isalnum((unsigned char)name.s[i]) && name.s[i] != '_' && name.s[i] != '.')
            return false;
    return fsd_slice_drop(&name, "Error") || fsd_slice_drop(&name, "Exception");
}

/* Whether the line is an error.  Loggers of other programs may print no severity; the
 * text then decides. */
static bool is_error(const struct fsd_log_line *line)
{
    if (line->severity)
        return line->severity == 'E' || line->severity == 'F';
    return fsd_slice_begins(line->text, "While parsing node number ") ||
           (fsd_slice_begins(line->text, "IBuilder::") &&
            fsd_slice_find(line->text, ": Error Code "));
}

/* Whether the line shows that the engine is finished.  Later errors then come from the
 * use of the engine, not from its build. */
static bool shows_engine(struct fsd_slice text)
{
    static const char *const shown[] = {
        "Engine built in ",   "Engine has been ",        "Created engine with ",
        "Created execution ", "Loaded engine size",      "Starting inference",
        "Finished engine ",   "Using random values for "};

    for (size_t i = 0; i < FSD_COUNT_OF(shown); i++)
        if (fsd_slice_begins(text, shown[i]))
            return true;
    return false;
}

static void skip_tactic(struct fsd_arena *arena, const struct fsd_log_line *line,
                        const struct fsd_log_failing *f)
{
    struct fsd_log_failure new = {
        .line = line->number, .attempt = f->attempt, .reason = line->text};

    if (f->skipped->n < FSD_MOST_SKIPPED)
        fsd_vec_push(arena, f->skipped, new);
    else
        f->skipped->at[FSD_MOST_SKIPPED - 1] = new;
}

/* Whether a parenthesis is still open at the end of the text.  If so, the message
 * continues on the next line.  TensorRT's compiler Myelin writes such messages: "Myelin
 * (...)".  The further lines of such a message have no prefix, and name the operation
 * and its types. */
static bool is_open(struct fsd_slice text)
{
    int depth = 0;

    for (size_t i = 0; i < text.n; i++)
        depth += (text.s[i] == '(') - (text.s[i] == ')');
    return depth > 0;
}

/* Whether the message `text` is incomplete.  The next line then belongs to the message,
 * and states what it is about. */
static bool goes_on(struct fsd_slice text)
{
    return is_open(text) || fsd_slice_drop(&text, ":") ||
           fsd_slice_drop(&text, " shape inference of");
}

static bool read_on(struct fsd_arena *arena, struct fsd_log_failure *f,
                    const struct fsd_log_line *line)
{
    struct fsd_slice so_far = fsd_slice_trim(f->reason),
                     more = fsd_slice_trim(line->text);

    if (f->by_parser || line->prefixed || so_far.n + more.n >= REASON_KEPT ||
        !goes_on(so_far))
        return false;
    f->reason = fsd_slice_of(
        fsd_printed(arena, "%.*s %.*s", (int)so_far.n, so_far.s, (int)more.n, more.s));
    return true;
}

/* Creates a failure from its first line.  If the line does not begin a record of the
 * parser, the line is the reason of the failure. */
static struct fsd_log_failure begin_failure(const struct fsd_log_line *line,
                                            const struct fsd_log_failing *f)
{
    struct fsd_log_failure new = {.line = line->number,
                                  .attempt = f->attempt,
                                  .parsing = f->parsing,
                                  .in_use = f->in_use,
                                  .raised = !is_error(line)};
    struct fsd_slice text = line->text, node;

    if (fsd_slice_take(&text, "While parsing node number ") &&
        fsd_slice_split_at(&text, " [", &node)) {
        fsd_slice_drop(&node, ":");
        fsd_slice_drop(&node, "]");
        new.op = node;
        new.by_parser = true;
    } else if (fsd_slice_take(&text, "ERROR: ") &&
               fsd_slice_split_at(&text, " In function ", &new.where)) {
        /* If the failure is about an input, the message has the name of the input in
         * place of the source file. */
        new.by_parser = true;
        fsd_slice_drop(&new.where, ":");
        if (fsd_slice_split_last(&text, ":", &node) && !fsd_slice_drop(&text, ".cpp"))
            new.node = text;
    } else {
        new.reason = line->text;
    }
    return new;
}

void fsd_log_failure_line(struct fsd_arena *arena, const struct fsd_log_line *line,
                          struct fsd_log_failing *f)
{
    struct fsd_log_failure *last = f->out->n ? &f->out->at[f->out->n - 1] : NULL;
    bool error = is_error(line) || is_exception(line);

    if (!error && line->prefixed) {
        if (fsd_slice_find(line->text, "Skipping tactic ") ||
            fsd_slice_find(line->text, "insufficient to use tactic"))
            skip_tactic(arena, line, f);
        f->in_use |= shows_engine(line->text);
        return;
    }
    if ((last && last->by_parser && read_record(last, line)) ||
        (last && read_on(arena, last, line)) || !error)
        return;
    fsd_vec_push(arena, f->out, begin_failure(line, f));
}

static const fsd_log_failures none;

const fsd_log_failures *fsd_log_failures_of(const struct fsd_history *h)
{
    return h->scan ? &h->scan->failures : &none;
}

const fsd_log_failures *fsd_log_skipped_of(const struct fsd_history *h)
{
    return h->scan ? &h->scan->skipped : &none;
}

/* Whether the network may lack the layer although the parser registered it.  The parser
 * removes a layer that computes a constant and whose name begins as below. */
static bool may_be_left_out(struct fsd_slice name)
{
    return fsd_slice_begins(name, "ONNXTRT_ShapeShuffle") ||
           fsd_slice_begins(name, "ONNXTRT_ShapeSlice") ||
           fsd_slice_begins(name, "ONNXTRT_ShapeFill");
}

void fsd_log_add_layer(struct fsd_log_adding *a, struct fsd_slice text)
{
    a->helpers |= fsd_slice_drop(&text, " required by ONNX-TRT");
    a->now.least += !may_be_left_out(text);
    a->now.most++;
}

const struct fsd_log_adding *fsd_log_adding_of(const struct fsd_history *h)
{
    static const struct fsd_log_adding nothing;

    return h->scan ? &h->scan->adding : &nothing;
}

static struct fsd_slice kept(struct fsd_history *h, struct fsd_slice text)
{
    return text.n ? fsd_slice_of(fsd_text(h->names, fsd_intern_slice(h->names, text)))
                  : text;
}

void fsd_log_failures_keep(struct fsd_history *h, fsd_log_failures *failures)
{
    FSD_EACH (struct fsd_log_failure, f, *failures) {
        f->node = kept(h, f->node);
        f->op = kept(h, f->op);
        f->where = kept(h, f->where);
        f->reason = kept(h, f->reason);
        f->parsing = kept(h, f->parsing);
    }
}

static bool stands_whole(struct fsd_slice text, const char *at, size_t n)
{
    const char *behind = at + n, *end = text.s + text.n;
    bool begins =
        at == text.s || (!fsd_is_word(at[-1]) && at[-1] != '/' && at[-1] != '.');

    return begins && (behind == end ||
                      (!fsd_is_word(*behind) && *behind != '/' &&
                       (*behind != '.' || behind + 1 == end || behind[1] == ' ')));
}

/* Whether `text` refers to the node or layer with this name of n bytes.  The type of
 * says_name() and derives_from(). */
typedef bool names_fn(struct fsd_slice text, const char *name, size_t n);

static bool says_name(struct fsd_slice text, const char *name, size_t n)
{
    const char *at = fsd_slice_find(text, name);

    return at && stands_whole(text, at, n);
}

/* Whether the text begins with a name that Myelin derived from the layer's name:
 * "/Range_shape_U8_mul" from "/Range". */
static bool derives_from(struct fsd_slice text, const char *name, size_t n)
{
    return text.n > n && text.s[n] == '_' && !memcmp(text.s, name, n);
}

/* Finds the node with the longest name in the text.  A shorter name may be wrong:
 * "/a/MatMul" also occurs in "/a/MatMul_1". */
static void find_name(struct fsd_log_failure *f, const struct fsd_history *h,
                      struct fsd_slice text, names_fn *names)
{
    size_t longest = 0;

    FSD_EACH (const struct fsd_event, e, h->events) {
        const fsd_sym both[] = {e->b, e->a}; /* the name of the node, and the name of
                                                its layer */

        if (e->kind != FSD_EVENT_REGISTER || e->build != h->build)
            continue;
        for (size_t k = 0; k < FSD_COUNT_OF(both); k++) {
            size_t n = fsd_text_len(h->names, both[k]);

            if (n <= longest || !names(text, fsd_text(h->names, both[k]), n))
                continue;
            f->node = fsd_slice_of(fsd_text(h->names, e->b));
            longest = n;
        }
    }
}

void fsd_log_failure_name(struct fsd_log_failure *f, const struct fsd_history *h)
{
    struct fsd_slice before = f->reason, derived;

    if (f->by_parser)
        return;
    if (fsd_slice_split_at(&before, ", name=", &derived))
        find_name(f, h, derived, derives_from);
    if (!f->node.n)
        find_name(f, h, f->reason, says_name);
}

static int shown(struct fsd_slice t, size_t most)
{
    return (int)(t.n < most ? t.n : most);
}

/* The first choice is the parser's record of a node, which is the most precise message.
 * The builder's errors follow from the parser's error, and an exception follows from
 * the builder's errors. */
const struct fsd_log_failure *fsd_log_first_failure(const fsd_log_failures *failures)
{
    const struct fsd_log_failure *input = NULL, *message = NULL, *raised = NULL;

    FSD_EACH (const struct fsd_log_failure, f, *failures) {
        if (f->by_parser && f->op.n)
            return f;
        if (f->by_parser)
            input = input ? input : f;
        else if (f->raised)
            raised = raised ? raised : f;
        else if (!message && !fsd_log_failure_said(f).echo)
            message = f;
    }
    return input ? input : message ? message : raised ? raised : failures->at;
}

const struct fsd_log_failure *fsd_log_failure_of(const fsd_log_failures *failures,
                                                 uint32_t attempt, uint64_t engine)
{
    FSD_EACH (const struct fsd_log_failure, f, *failures)
        if (f->attempt == attempt && f->line > engine && !f->raised && !f->in_use)
            return f;
    return NULL;
}

enum fsd_status fsd_log_fail(const fsd_log_failures *failures,
                             const struct fsd_file *file, struct fsd_error *err)
{
    const struct fsd_log_failure *f = fsd_log_first_failure(failures);
    struct fsd_slice op, name = {"", 0}, reason, more = {"", 0};
    uint32_t records = 0;
    char whose[2 * NAME_SHOWN + 40] = "the network", others[40] = "";

    for (uint32_t i = 0; i < failures->n; i++)
        records += failures->at[i].op.n > 0;
    op = f->op;
    reason = f->reason;
    if (fsd_slice_split_at(&op, " -> \"", &name))
        fsd_slice_drop(&name, "\"");
    name = f->node.n ? f->node : name;
    if (op.n)
        snprintf(whose, sizeof whose, "node %.*s [%.*s]", shown(name, NAME_SHOWN),
                 name.s, shown(op, NAME_SHOWN), op.s);
    else if (name.n)
        snprintf(whose, sizeof whose, "%s %.*s", f->by_parser ? "input" : "node",
                 shown(name, NAME_SHOWN), name.s);
    if (records > 1)
        snprintf(others, sizeof others, " and %u other node%s", records - 1,
                 records == 2 ? "" : "s");
    fsd_slice_split_at(&reason, "\n", &more);
    fsd_slice_drop(&reason, "\r");
    return fsd_fail(err, FSD_E_FORMAT, file->name, FSD_POS_LINE, f->line,
                    "expected an engine, found that its build failed: the %s rejects "
                    "%s%s: %.*s%s%.*s%s%.*s",
                    f->by_parser ? "parser" : "builder", whose, others,
                    shown(reason, REASON_SHOWN), reason.n ? reason.s : "",
                    more.n ? ": " : "", shown(more, REASON_SHOWN), more.s,
                    f->where.n ? ", says " : "", shown(f->where, NAME_SHOWN),
                    f->where.n ? f->where.s : "");
}
