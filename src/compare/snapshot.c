/*
 * A snapshot is lines of words, and a line is fields of a record: each has one row
 * below that tells its type and where it is kept, and both reading and writing follow
 * it.
 *
 * Reading passes over the lines twice: the first pass learns the names of nodes and
 * ports, since a line may name what stands below it; the second fills the state.
 */
#include "compare/snapshot.h"
#include "base/hash.h"
#include "base/print.h"
#include "compare/snapshot_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a name is the name of; each kind counts its lines from 0. */
enum { NAME_NODE, NAME_INPUT, NAME_OUTPUT, NAME__COUNT };

struct reader {
    struct words w;
    struct fsd_state *s;
    uint32_t format;
    fsd_id *named[NAME__COUNT]; /* by symbol: node, input, output; FSD_NONE */
    uint32_t n_names;
    struct fsd_snapshot_lines *lines;
    bool ended;
};

struct writer {
    const struct fsd_state *s;
    FILE *out;
};

/* Words of our own, by their number; the empty one is "-". */
struct vocabulary {
    unsigned count;
    const char *(*name)(unsigned);
    const char *expected;
};

enum type {
    VERSION,
    HASH,    /* uint64_t[2] */
    SEAL,    /* the same, of the lines above */
    SYM,     /* fsd_sym */
    COUNT,   /* uint32_t */
    OWN,     /* uint8_t: a word of ours */
    FLAG,    /* bool: said or not */
    FORM,    /* struct fsd_state_form: "fp16/chw32" */
    SPREAD,  /* struct fsd_spread: milliseconds, where they are wanted */
    SOURCE,  /* struct fsd_maker */
    SOURCES, /* struct fsd_span, as the rest */
    REFS,
    NODES,
    MEMBERS, /* the nodes of the group that the line tells of */
    BORDERS  /* each has its mark */
};

enum line_kind {
    LINE_TOOL,
    LINE_MODEL,
    LINE_ENGINE,
    LINE_LAYERS,
    LINE_BUILT,
    LINE_TIMES,
    LINE_INPUT,
    LINE_OUTPUT,
    LINE_NODE,
    LINE_GROUP,
    LINE_MOVE,
    LINE_END,
    LINE__COUNT
};

/* ------------------------------------------------------------------------ grammar */

#define NAME_AT(what, type)                                                            \
    static const char *what##_at(unsigned i)                                           \
    {                                                                                  \
        return fsd_##what##_name((type)i);                                             \
    }
NAME_AT(kind, enum fsd_kind)
NAME_AT(cause, enum fsd_cause)
NAME_AT(fate, enum fsd_fate)
NAME_AT(dtype, enum fsd_dtype)
NAME_AT(role, uint8_t)

static const struct vocabulary kinds = {FSD__KIND_COUNT, kind_at, "a kind"},
                               causes = {FSD__CAUSE_COUNT, cause_at, "a cause"},
                               fates = {FSD__FATE_COUNT, fate_at, "a fate"},
                               dtypes = {FSD__DTYPE_COUNT, dtype_at, "a type"},
                               roles = {FSD__ROLE_COUNT, role_at, "a role"};

/* A line may follow one of its own rank or less, where it is not to stand once only. */
static const struct {
    const char *word;
    uint8_t rank;
    bool once;
} lines[LINE__COUNT] = {
    [LINE_TOOL] = {"tool", 1, true},      [LINE_MODEL] = {"model", 2, true},
    [LINE_ENGINE] = {"engine", 3, true},  [LINE_LAYERS] = {"layers", 4, true},
    [LINE_BUILT] = {"built", 5, false},   [LINE_TIMES] = {"times", 6, true},
    [LINE_INPUT] = {"input", 7, false},   [LINE_OUTPUT] = {"output", 8, false},
    [LINE_NODE] = {"node", 9, false},     [LINE_GROUP] = {"group", 10, false},
    [LINE_MOVE] = {"move", 10, false},    [LINE_END] = {"end", 11, true},
};

#define STATE(member) .at = offsetof(struct fsd_state, member)
#define PORT(member)  .at = offsetof(struct fsd_state_port, member)
#define BUILT(member) .at = offsetof(struct fsd_built, member)
#define NODE(member)  .at = offsetof(struct fsd_state_node, member)
#define GROUP(member) .at = offsetof(struct fsd_group, member)
#define MOVE(member)  .at = offsetof(struct fsd_move, member)

/* The fields of each line in their order. */
static const struct field {
    enum line_kind line;
    enum type type;
    size_t at;                      /* in its record */
    const char *expected;           /* of a symbol */
    const char *mark;               /* that stands before it; of a flag: the flag */
    const struct vocabulary *words; /* of a word of ours */
    bool optional;
    bool outputs;  /* ports are outputs; borders are those handed on */
    bool cleared;  /* by the flag */
    uint8_t since; /* the format that has it first */
} grammar[] = {
    {LINE_TOOL, VERSION, .expected = "a version"},
    {LINE_MODEL, HASH, STATE(model_hash)},
    {LINE_ENGINE, HASH, STATE(engine_hash)},
    {LINE_ENGINE, SYM, STATE(engine_kind), "a kind of dump"},
    {LINE_ENGINE, SYM, STATE(producer), "a producer"},
    {LINE_ENGINE, SYM, STATE(tells), "what layers are told with", ";", .optional = true},
    {LINE_LAYERS, COUNT, STATE(layers)},
    {LINE_LAYERS, COUNT, STATE(computing)},
    {LINE_LAYERS, COUNT, STATE(mapped)},
    {LINE_BUILT, SYM, BUILT(key), "what is told of the build"},
    {LINE_BUILT, SYM, BUILT(value), "what it is"},
    {LINE_TIMES, COUNT, STATE(profiles)},
    {LINE_TIMES, SPREAD, STATE(total)},
    {LINE_INPUT, SYM, PORT(name), "a name"},
    {LINE_INPUT, SYM, PORT(shape), "a shape"},
    {LINE_INPUT, FORM, PORT(form)},
    {LINE_OUTPUT, SYM, PORT(name), "a name"},
    {LINE_OUTPUT, SYM, PORT(shape), "a shape"},
    {LINE_OUTPUT, FORM, PORT(form)},
    {LINE_OUTPUT, SOURCE, PORT(from), .mark = "<"},
    {LINE_NODE, SYM, NODE(key), "a name"},
    {LINE_NODE, SYM, NODE(op), "an operator"},
    {LINE_NODE, OWN, NODE(role), .words = &roles},
    {LINE_NODE, OWN, NODE(fate), .words = &fates},
    {LINE_NODE, OWN, NODE(precision), .words = &dtypes},
    {LINE_NODE, FLAG, NODE(named), .mark = "unnamed", .cleared = true},
    {LINE_NODE, SOURCES, NODE(in), .mark = "<"},
    {LINE_NODE, SYM, NODE(traits), "traits", ";", .optional = true},
    {LINE_NODE, SYM, NODE(weight), "a weight", .optional = true},
    {LINE_GROUP, OWN, GROUP(kind), .words = &kinds},
    {LINE_GROUP, OWN, GROUP(precision), .words = &dtypes},
    {LINE_GROUP, COUNT, GROUP(layers)},
    {LINE_GROUP, FLAG, GROUP(loose), .mark = "loose"},
    {LINE_GROUP, FLAG, GROUP(guessed), .mark = "guessed"},
    {LINE_GROUP, MEMBERS, GROUP(nodes), .mark = ":"},
    {LINE_GROUP, BORDERS, GROUP(in)},
    {LINE_GROUP, BORDERS, GROUP(out), .outputs = true},
    {LINE_GROUP, SPREAD, GROUP(ms)},
    {LINE_MOVE, OWN, MOVE(kind), .words = &kinds},
    {LINE_MOVE, OWN, MOVE(cause), .words = &causes},
    {LINE_MOVE, FLAG, MOVE(inserted), .mark = "inserted"},
    {LINE_MOVE, FORM, MOVE(before), .mark = ":"},
    {LINE_MOVE, FORM, MOVE(after), .mark = "->"},
    {LINE_MOVE, REFS, MOVE(from), .mark = "<"},
    {LINE_MOVE, REFS, MOVE(to), .mark = ">", .outputs = true},
    {LINE_MOVE, NODES, MOVE(nodes), .mark = "=", .optional = true},
    {LINE_MOVE, SPREAD, MOVE(ms)},
    {LINE_END, SEAL, .since = 2},
};

static const struct field *const grammar_end = grammar + FSD_COUNT_OF(grammar);

/* ------------------------------------------------------------------------- values */

static bool take_sym(struct reader *r, const char *expected, fsd_sym *out)
{
    if (!fsd_words_at_name(&r->w) || r->w.word.port)
        return fsd_words_complain(&r->w, expected);
    *out = fsd_intern_str(r->s->names, r->w.word.text);
    return fsd_words_next(&r->w);
}

/* The current word, or `n` bytes of it. */
static bool take_own(struct reader *r, const struct vocabulary *words, size_t n,
                     uint8_t *out)
{
    const char *text = r->w.word.text;

    if (fsd_words_at_mark(&r->w, "-"))
        n = 0;
    for (unsigned i = 0; text && i < words->count; i++)
        if (!strncmp(words->name(i), text, n) && !words->name(i)[n]) {
            *out = (uint8_t)i;
            return fsd_words_next(&r->w);
        }
    return fsd_words_complain(&r->w, words->expected);
}

static bool take_form(struct reader *r, struct fsd_state_form *out)
{
    const char *text = r->w.word.text ? r->w.word.text : "";
    size_t n = r->w.word.kind == WORD_BARE ? strcspn(text, "/") : strlen(text);

    out->layout = text[n] ? fsd_intern_str(r->s->names, text + n + 1) : 0;
    return take_own(r, &dtypes, n, &out->type);
}

/* What was written stands as it was written. */
static bool take_seal(struct reader *r)
{
    uint64_t said[2] = {0}, is[2];

    if (!fsd_words_take_hash(&r->w, said))
        return false;
    fsd_words_hash_above(&r->w, is);
    if (memcmp(said, is, sizeof is) != 0)
        r->w.status =
            fsd_fail(r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE, r->w.line,
                     "expected the lines above as they were written, found "
                     "others: damaged, merged or edited by hand; take the "
                     "snapshot again");
    return r->w.status == FSD_OK;
}

/* ---------------------------------------------------------------- nodes and ports */

/* "name", "@port", or where there may be none "-". */
static bool take_ref(struct reader *r, bool outputs, bool or_none, fsd_ref *out)
{
    const struct word *word = &r->w.word;
    int what = !word->port ? NAME_NODE : outputs ? NAME_OUTPUT : NAME_INPUT;
    fsd_id sym, id;

    *out = FSD_NONE;
    if (or_none && fsd_words_at_mark(&r->w, "-"))
        return fsd_words_next(&r->w);
    if (!fsd_words_at_name(&r->w))
        return fsd_words_complain(&r->w, "the name of a node");
    sym = fsd_intern_find(r->s->names, word->text, strlen(word->text));
    id = sym < r->n_names ? r->named[what][sym] : FSD_NONE;
    if (id == FSD_NONE)
        return fsd_words_complain(&r->w, word->port ? "a port of this snapshot"
                                                    : "a node of this snapshot");
    *out = word->port ? FSD_REF_PORT | id : id;
    return fsd_words_next(&r->w);
}

static bool take_refs(struct reader *r, const struct field *f, struct fsd_span *out)
{
    fsd_ref ref;

    out->at = r->s->refs.n;
    while (fsd_words_at_name(&r->w)) {
        if (r->w.word.port && f->type != REFS)
            return fsd_words_complain(&r->w, "the name of a node");
        if (!take_ref(r, f->outputs, false, &ref))
            return false;
        fsd_vec_push(r->s->arena, &r->s->refs, ref);
    }
    out->n = r->s->refs.n - out->at;
    return true;
}

/* A node is in one group. */
static bool take_members(struct reader *r, const struct field *f, struct fsd_span *out)
{
    if (!take_refs(r, f, out))
        return false;
    for (uint32_t i = 0; i < out->n; i++) {
        fsd_id node = r->s->refs.at[out->at + i];
        struct fsd_state_node *n;

        if (node >= r->s->nodes.n) /* names are known before their lines are read */
            return fsd_words_complain(&r->w, "a node of a line before");
        n = &r->s->nodes.at[node];
        if (n->group != FSD_NONE) {
            r->w.word =
                (struct word){.kind = WORD_BARE, .text = fsd_text(r->s->names, n->key)};
            return fsd_words_complain(&r->w, "nodes that no group before has");
        }
        n->group = r->s->groups.n;
    }
    return out->n || fsd_words_complain(&r->w, "at least one node");
}

static bool take_source(struct reader *r, struct fsd_maker *out)
{
    out->out = r->w.word.out;
    return take_ref(r, false, true, &out->at);
}

static bool take_sources(struct reader *r, struct fsd_span *out)
{
    struct fsd_maker source;

    out->at = r->s->sources.n;
    while (fsd_words_at_name(&r->w) || fsd_words_at_mark(&r->w, "-")) {
        if (!take_source(r, &source))
            return false;
        fsd_vec_push(r->s->arena, &r->s->sources, source);
    }
    out->n = r->s->sources.n - out->at;
    return true;
}

/* A node of the group that is being read, none before that of the border before:
 * comparing looks for all borders of a node in a row. */
static bool take_border_node(struct reader *r, fsd_id from, fsd_id *out)
{
    struct word word = r->w.word;

    if (word.port)
        return fsd_words_complain(&r->w, "the name of a node");
    if (!take_ref(r, false, false, out))
        return false;
    if (*out >= from && *out < r->s->nodes.n &&
        r->s->nodes.at[*out].group == r->s->groups.n)
        return true;
    r->w.word = word;
    return fsd_words_complain(&r->w, "nodes of the group, in their order");
}

/* "< a fp16 b" of what is read, "> b fp16" of what is handed on. */
static bool take_borders(struct reader *r, bool outputs, struct fsd_span *out)
{
    fsd_id from = 0;

    *out = (struct fsd_span){r->s->borders.n, 0};
    for (; fsd_words_at_mark(&r->w, outputs ? ">" : "<"); out->n++) {
        struct fsd_border b = {.at = FSD_NONE};

        if (!fsd_words_next(&r->w))
            return false;
        if (!outputs && (!take_ref(r, false, false, &b.at) || !take_form(r, &b.form)))
            return false;
        if (!take_border_node(r, from, &b.node))
            return false;
        if (outputs && !take_form(r, &b.form))
            return false;
        from = b.node;
        fsd_vec_push(r->s->arena, &r->s->borders, b);
    }
    return true;
}

/* ------------------------------------------------------------------------ reading */

static bool take_value(struct reader *r, const struct field *f, void *at)
{
    fsd_sym unused;
    bool said;

    switch (f->type) {
    case VERSION: /* is for its human readers */
        return take_sym(r, f->expected, &unused);
    case HASH:
        return fsd_words_take_hash(&r->w, at);
    case SEAL:
        return take_seal(r);
    case SYM:
        return take_sym(r, f->expected, at);
    case COUNT:
        return fsd_words_take_count(&r->w, at);
    case OWN:
        return take_own(r, f->words, r->w.word.text ? strlen(r->w.word.text) : 0, at);
    case FLAG:
        said = fsd_words_at_own(&r->w, f->mark);
        *(bool *)at = said != f->cleared;
        return !said || fsd_words_next(&r->w);
    case FORM:
        return take_form(r, at);
    case SPREAD:
        return fsd_words_take_spread(&r->w, at);
    case SOURCE:
        return take_source(r, at);
    case SOURCES:
        return take_sources(r, at);
    case REFS:
    case NODES:
        return take_refs(r, f, at);
    case MEMBERS:
        return take_members(r, f, at);
    case BORDERS:
        return take_borders(r, f->outputs, at);
    }
    return false;
}

static bool take_field(struct reader *r, const struct field *f, void *record)
{
    if (f->since > r->format)
        return true;
    if (f->mark && f->type != FLAG) {
        if (!fsd_words_at_mark(&r->w, f->mark))
            return f->optional || fsd_words_complain(&r->w, f->mark);
        if (!fsd_words_next(&r->w))
            return false;
    } else if (f->optional && !fsd_words_at_name(&r->w)) {
        return true;
    }
    return take_value(r, f, (char *)record + f->at);
}

/* The record of a line, at first as it is where the line tells nothing of it. */
union record {
    struct fsd_built built;
    struct fsd_state_port port;
    struct fsd_state_node node;
    struct fsd_group group;
    struct fsd_move move;
};

static void keep_record(struct reader *r, enum line_kind kind, const union record *rec)
{
#define KEEP(list, record)                                                             \
    (fsd_vec_push(r->s->arena, &r->s->list, record),                                   \
     fsd_vec_push(r->s->arena, &r->lines->list, r->w.line))
    if (kind == LINE_BUILT)
        fsd_vec_push(r->s->arena, &r->s->built, rec->built);
    else if (kind == LINE_INPUT)
        KEEP(inputs, rec->port);
    else if (kind == LINE_OUTPUT)
        KEEP(outputs, rec->port);
    else if (kind == LINE_NODE)
        KEEP(nodes, rec->node);
    else if (kind == LINE_GROUP)
        KEEP(groups, rec->group);
    else if (kind == LINE_MOVE)
        KEEP(moves, rec->move);
#undef KEEP
}

static bool take_line(struct reader *r, unsigned *rank)
{
    union record record = {0};
    unsigned kind = 0;
    void *at = &record;

    while (kind < LINE__COUNT && !fsd_words_at_own(&r->w, lines[kind].word))
        kind++;
    if (kind == LINE__COUNT)
        return fsd_words_complain(&r->w, "node, group, move or another kind of line");
    if (lines[kind].rank < *rank + lines[kind].once)
        return fsd_words_complain(&r->w, "the lines in their order");
    *rank = lines[kind].rank;
    if (kind == LINE_NODE)
        record.node.group = FSD_NONE;
    else if (kind == LINE_INPUT || kind == LINE_OUTPUT)
        record.port.from.at = record.port.core_from.at = FSD_NONE;
    else if (kind < LINE_INPUT && kind != LINE_BUILT)
        at = r->s;
    if (!fsd_words_next(&r->w))
        return false;
    for (const struct field *f = grammar; f < grammar_end; f++)
        if (f->line == kind && !take_field(r, f, at))
            return false;
    if (r->w.word.kind != WORD_END)
        return fsd_words_complain(&r->w, "the end of the line");
    keep_record(r, kind, &record);
    r->ended = kind == LINE_END;
    return true;
}

static bool take_first(struct reader *r)
{
    r->format = 0;
    fsd_words_rewind(&r->w);
    if (!fsd_words_next_line(&r->w) || strcmp(r->w.word.text, "fusiondiff") != 0 ||
        !fsd_words_next(&r->w) || !fsd_words_at_own(&r->w, "snapshot"))
        return fsd_words_complain(&r->w,
                                  "'fusiondiff snapshot' and the number of a format");
    if (!fsd_words_next(&r->w) || !fsd_words_take_count(&r->w, &r->format))
        return false;
    if (r->format > FSD_SNAPSHOT_FORMAT)
        r->w.status =
            fsd_fail(r->w.err, FSD_E_UNSUPPORTED, r->w.name, FSD_POS_LINE, r->w.line,
                     "expected a snapshot of format %d or before, found "
                     "format %u: a newer fusiondiff wrote it",
                     FSD_SNAPSHOT_FORMAT, r->format);
    else if (!r->format)
        return fsd_words_complain(&r->w, "the number of a format");
    return r->w.status == FSD_OK && (r->w.word.kind == WORD_END ||
                                     fsd_words_complain(&r->w, "the end of the line"));
}

struct name {
    fsd_sym sym;
    int what;
    uint32_t line;
};

/* Of two ports of one name the first has it; two nodes of one name there are not. */
static bool learn_names(struct reader *r)
{
    static const enum line_kind of[] = {LINE_NODE, LINE_INPUT, LINE_OUTPUT};
    FSD_VEC(struct name) names = {0};
    uint32_t count[NAME__COUNT] = {0};

    if (!take_first(r))
        return false;
    while (fsd_words_next_line(&r->w))
        for (int i = 0; i < NAME__COUNT; i++) {
            struct name name = {0, i, r->w.line};

            if (strcmp(r->w.word.text, lines[of[i]].word) != 0)
                continue;
            if (fsd_words_next(&r->w) && take_sym(r, "a name", &name.sym))
                fsd_vec_push(r->w.scratch, &names, name);
            break;
        }
    if (r->w.status != FSD_OK)
        return false;
    r->n_names = fsd_intern_count(r->s->names);
    for (int i = 0; i < NAME__COUNT; i++) {
        r->named[i] = FSD_NEW(r->w.scratch, fsd_id, r->n_names);
        memset(r->named[i], 0xff, r->n_names * sizeof *r->named[i]);
    }
    for (uint32_t i = 0; i < names.n; i++) {
        const struct name *name = &names.at[i];
        fsd_id *id = &r->named[name->what][name->sym];

        if (*id != FSD_NONE && name->what == NAME_NODE) {
            r->w.line = name->line;
            r->w.word = (struct word){.kind = WORD_BARE,
                                      .text = fsd_text(r->s->names, name->sym)};
            return fsd_words_complain(&r->w, "a node of another name");
        }
        if (*id == FSD_NONE)
            *id = count[name->what];
        count[name->what]++;
    }
    return true;
}

static void fill(struct reader *r)
{
    unsigned rank = 0;

    if (!take_first(r))
        return;
    while (fsd_words_next_line(&r->w))
        if (!take_line(r, &rank))
            return;
    if (r->w.status == FSD_OK && !r->ended)
        r->w.status = fsd_fail(r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE,
                               r->w.line, "expected 'end', found the end of the file");
}

enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_snapshot_lines *line_numbers,
                                  struct fsd_error *err)
{
    struct fsd_snapshot_lines unwanted = {0};
    struct fsd_state *s = fsd_state_new();
    struct reader r = {.s = s, .lines = line_numbers ? line_numbers : &unwanted};

    *r.lines = unwanted;
    r.w = (struct words){.scratch = fsd_arena_new(),
                         .name = file->name,
                         .begin = (const char *)file->bytes,
                         .end = (const char *)file->bytes + file->size,
                         .err = err};
    s->model_path = fsd_text(s->names, fsd_intern_str(s->names, file->name));
    s->engine_path = s->model_path;
    if (learn_names(&r))
        fill(&r);
    if (r.w.status == FSD_OK)
        fsd_state_finish(s);
    else
        fsd_state_free(s);
    *out = r.w.status == FSD_OK ? s : NULL;
    fsd_arena_free(r.w.scratch);
    return r.w.status;
}

/* ------------------------------------------------------------------------ writing */

static void put_own(const struct writer *w, const struct vocabulary *words, uint8_t i)
{
    const char *name = words->name(i);

    fprintf(w->out, " %s", *name ? name : "-");
}

static void put_form(const struct writer *w, const struct fsd_state_form *form)
{
    put_own(w, &dtypes, form->type);
    if (form->layout)
        fprintf(w->out, "/%s", fsd_text(w->s->names, form->layout));
}

static void put_ref(const struct writer *w, fsd_ref ref, bool outputs)
{
    fputs(ref == FSD_NONE ? " -" : ref & FSD_REF_PORT ? " @" : " ", w->out);
    if (ref != FSD_NONE)
        fsd_put_name(fsd_state_ref_text(w->s, ref, outputs), w->out);
}

static void put_source(const struct writer *w, const struct fsd_maker *source)
{
    put_ref(w, source->at, false);
    if (source->at != FSD_NONE && source->out)
        fprintf(w->out, "#%" PRIu32, source->out);
}

static void put_border(const struct writer *w, const struct fsd_border *b, bool outputs)
{
    fputs(outputs ? " >" : " <", w->out);
    if (!outputs) {
        put_ref(w, b->at, false);
        put_form(w, &b->form);
    }
    put_ref(w, b->node, false);
    if (outputs)
        put_form(w, &b->form);
}

static void put_value(const struct writer *w, const struct field *f, const void *at)
{
    const struct fsd_spread *ms = at;
    const struct fsd_span *span = at;

    switch (f->type) {
    case VERSION:
        fputs(" " FSD_VERSION, w->out);
        break;
    case HASH:
    case SEAL:
        putc(' ', w->out);
        fsd_put_hash(at, w->out);
        break;
    case SYM:
        putc(' ', w->out);
        fsd_put_name(fsd_text(w->s->names, *(const fsd_sym *)at), w->out);
        break;
    case COUNT:
        fprintf(w->out, " %" PRIu32, *(const uint32_t *)at);
        break;
    case OWN:
        put_own(w, f->words, *(const uint8_t *)at);
        break;
    case FLAG:
        if (*(const bool *)at != f->cleared)
            fprintf(w->out, " %s", f->mark);
        break;
    case FORM:
        put_form(w, at);
        break;
    case SPREAD:
        if (ms->median >= 0)
            fprintf(w->out, " ~ %.6f %.6f %.6f", ms->median, ms->low, ms->high);
        break;
    case SOURCE:
        put_source(w, at);
        break;
    case SOURCES:
        for (uint32_t i = 0; i < span->n; i++)
            put_source(w, &w->s->sources.at[span->at + i]);
        break;
    case REFS:
    case NODES:
    case MEMBERS:
        for (uint32_t i = 0; i < span->n; i++)
            put_ref(w, w->s->refs.at[span->at + i], f->outputs);
        break;
    case BORDERS:
        for (uint32_t i = 0; i < span->n; i++)
            put_border(w, &w->s->borders.at[span->at + i], f->outputs);
        break;
    }
}

/* Whether an optional field, a symbol or a span, has something to say: itself, or one
 * behind it that has no mark of its own to be known by. */
static bool is_said(const struct field *f, const void *record)
{
    const char *at = (const char *)record + f->at;

    if (!f->optional || (f->type == SYM ? *(const fsd_sym *)at != 0
                                        : ((const struct fsd_span *)at)->n > 0))
        return true;
    return f[1].line == f->line && f[1].optional && !f[1].mark &&
           is_said(f + 1, record);
}

static void put_line(const struct writer *w, enum line_kind kind, const void *record)
{
    fputs(lines[kind].word, w->out);
    for (const struct field *f = grammar; f < grammar_end; f++) {
        if (f->line != kind || !is_said(f, record))
            continue;
        if (f->mark && f->type != FLAG)
            fprintf(w->out, " %s", f->mark);
        put_value(w, f, (const char *)record + f->at);
    }
    putc('\n', w->out);
}

static void put_move(const struct writer *w, const struct fsd_move *m)
{
    fputs("  ", w->out);
    put_line(w, LINE_MOVE, m);
}

/* True when a move stands below the group or one before it; moves keep their order, so
 * that one which serves a later group holds back those behind it. */
static bool is_due(const struct fsd_state *s, const struct fsd_move *m, fsd_id group)
{
    fsd_ref to = m->to.n ? s->refs.at[m->to.at] : FSD_NONE;

    if (to == FSD_NONE || (to & FSD_REF_PORT))
        return false;
    return s->nodes.at[to].group == FSD_NONE || s->nodes.at[to].group <= group;
}

static void put_body(const struct writer *w)
{
    const struct fsd_state *s = w->s;
    uint32_t move = 0;

    fprintf(w->out, "fusiondiff snapshot %d\n", FSD_SNAPSHOT_FORMAT);
    for (enum line_kind kind = LINE_TOOL; kind <= LINE_LAYERS; kind++)
        put_line(w, kind, s);
    for (uint32_t i = 0; i < s->built.n; i++)
        put_line(w, LINE_BUILT, &s->built.at[i]);
    if (s->profiles)
        put_line(w, LINE_TIMES, s);
    putc('\n', w->out);
    for (uint32_t i = 0; i < s->inputs.n; i++)
        put_line(w, LINE_INPUT, &s->inputs.at[i]);
    for (uint32_t i = 0; i < s->outputs.n; i++)
        put_line(w, LINE_OUTPUT, &s->outputs.at[i]);
    putc('\n', w->out);
    for (fsd_id i = 0; i < s->nodes.n; i++)
        put_line(w, LINE_NODE, &s->nodes.at[i]);
    putc('\n', w->out);
    for (fsd_id i = 0; i < s->groups.n; i++) {
        put_line(w, LINE_GROUP, &s->groups.at[i]);
        while (move < s->moves.n && is_due(s, &s->moves.at[move], i))
            put_move(w, &s->moves.at[move++]);
    }
    while (move < s->moves.n)
        put_move(w, &s->moves.at[move++]);
}

void fsd_snapshot_write(const struct fsd_state *s, FILE *out)
{
    struct fsd_print body;
    struct writer w = {s, fsd_print_open(&body)};
    uint64_t hash[2];

    put_body(&w);
    fsd_print_close(&body);
    fsd_hash_128(body.text, body.size, hash);
    fwrite(body.text, 1, body.size, out);
    free(body.text);
    w.out = out;
    put_line(&w, LINE_END, hash);
}
