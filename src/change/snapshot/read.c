/*
 * Reads a snapshot in two passes.  The first pass collects names, because a line may
 * refer to a later line.  The second pass fills the state.
 */
#include "base/base.h"
#include "change/snapshot/grammar.h"
#include "change/snapshot/snapshot.h"
#include "change/snapshot/variants.h"
#include "change/snapshot/words.h"

#define SNAPSHOT_LIMIT (UINT64_C(1) << 28)

/* The kinds of objects with names.  The objects of each kind are numbered from 0. */
enum { NAME_NODE, NAME_INPUT, NAME_OUTPUT, NAME__COUNT };

struct reader {
    struct words w;
    struct fsd_state *s;
    uint32_t format;
    fsd_id *named[NAME__COUNT]; /* for each kind, indexed by symbol: number of the
                                   object with this name; FSD_NONE if there is none */
    uint32_t n_names, count[NAME__COUNT];
    bool ended;
    /* The members from `first` to `listed` are for the builds after the first build. */
    struct fsd_state *first, *last; /* `last`: the build before the current build `s` */
    struct fsd_mix mix;
    uint32_t *row;        /* indexed by node: line of the last variant that lists it */
    uint32_t variant;     /* line of the current variant; 0 if there is none */
    bool *listed;         /* indexed by node: whether a variant of any build lists it */
    enum line_kind above; /* kind of the last line except LINE_KERNEL.  A kernel belongs
                             to this line, which must be a group or a move */
};

/* ------------------------------------------------------------------------- values */

static bool take_sym(struct reader *r, const char *expected, fsd_sym *out)
{
    if (!fsd_words_at_name(&r->w) || r->w.word.port)
        return fsd_words_complain(&r->w, expected);
    *out = fsd_intern_str(r->s->names, r->w.word.text);
    return fsd_words_next(&r->w);
}

/* Reads the first `n` bytes of the current word as a keyword. */
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
    return take_own(r, &fsd_dtype_words, n, &out->type);
}

/* Reads the hash on the last line, and compares it with the hash of the lines above. */
static bool take_seal(struct reader *r)
{
    uint64_t said[2] = {0}, is[2];

    if (!fsd_words_take_hash(&r->w, said))
        return false;
    fsd_words_hash_above(&r->w, is);
    if (memcmp(said, is, sizeof is) != 0)
        r->w.status = fsd_fail(
            r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE, r->w.line,
            "expected the checksum of the lines above, found another: the snapshot was "
            "damaged, merged or edited by hand; write a new snapshot of the build");
    return r->w.status == FSD_OK;
}

/* ---------------------------------------------------------------- nodes and ports */

/* Looks up the current word among the names of kind `what`. */
static bool take_name(struct reader *r, int what, fsd_id *out)
{
    const struct word *word = &r->w.word;
    fsd_id sym, id;

    if (!fsd_words_at_name(&r->w))
        return fsd_words_complain(&r->w, "the name of a node");
    sym = fsd_intern_find(r->s->names, word->text, strlen(word->text));
    id = sym < r->n_names ? r->named[what][sym] : FSD_NONE;
    if (id == FSD_NONE)
        return fsd_words_complain(&r->w, word->port
                                             ? "an input or output of this snapshot"
                                             : "a node of this snapshot");
    *out = id;
    return fsd_words_next(&r->w);
}

static bool take_node(struct reader *r, fsd_id *out)
{
    if (r->w.word.port)
        return fsd_words_complain(&r->w, "the name of a node");
    return take_name(r, NAME_NODE, out);
}

/* Reads an origin: "name" for a node, "@name" for an input. */
static bool take_origin(struct reader *r, struct fsd_origin *out)
{
    bool port = r->w.word.port;
    fsd_id id = FSD_NONE;

    if (!take_name(r, port ? NAME_INPUT : NAME_NODE, &id))
        return false;
    *out = port ? fsd_input_origin(id) : fsd_node_origin(id);
    return true;
}

static bool take_origins(struct reader *r, struct fsd_origins *out)
{
    struct fsd_origin origin;

    out->at = r->s->refs.n;
    while (fsd_words_at_name(&r->w)) {
        if (!take_origin(r, &origin))
            return false;
        fsd_vec_push(r->s->arena, &r->s->refs, origin.ref);
    }
    out->n = r->s->refs.n - out->at;
    return true;
}

/* Reads destinations: "name" for a node, "@name" for an output. */
static bool take_destinations(struct reader *r, struct fsd_destinations *out)
{
    out->at = r->s->refs.n;
    while (fsd_words_at_name(&r->w)) {
        bool port = r->w.word.port;
        fsd_id id = FSD_NONE;

        if (!take_name(r, port ? NAME_OUTPUT : NAME_NODE, &id))
            return false;
        fsd_vec_push(
            r->s->arena, &r->s->refs,
            (port ? fsd_output_destination(id) : fsd_node_destination(id)).ref);
    }
    out->n = r->s->refs.n - out->at;
    return true;
}

static bool take_nodes(struct reader *r, struct fsd_span *out)
{
    fsd_id node = FSD_NONE;

    out->at = r->s->refs.n;
    while (fsd_words_at_name(&r->w)) {
        if (!take_node(r, &node))
            return false;
        fsd_vec_push(r->s->arena, &r->s->refs, node);
    }
    out->n = r->s->refs.n - out->at;
    return true;
}

/* Reads the nodes of a group.  Fails if a node is already in a group. */
static bool take_members(struct reader *r, struct fsd_span *out)
{
    if (!take_nodes(r, out))
        return false;
    for (uint32_t i = 0; i < out->n; i++) {
        fsd_id node = r->s->refs.at[out->at + i];
        struct fsd_state_node *n;

        if (node >= r->s->nodes.n) /* the line of the node comes later */
            return fsd_words_complain(&r->w, "a node that an earlier line defines");
        n = &r->s->nodes.at[node];
        if (n->group != FSD_NONE) {
            r->w.word =
                (struct word){.kind = WORD_BARE, .text = fsd_text(r->s->names, n->key)};
            return fsd_words_complain(&r->w, "nodes that are in no earlier group");
        }
        if (r->variant && r->row[node] != r->variant)
            return fsd_words_complain(&r->w, "nodes of the variant above");
        n->group = r->s->groups.n;
    }
    return out->n || fsd_words_complain(&r->w, "at least one node");
}

/* Reads the nodes of a variant, and removes their groups from the copy of the first
 * build.  The variant must have all nodes of these groups. */
static bool take_row(struct reader *r, struct fsd_span *out)
{
    uint32_t begins = r->s->variants.n ? r->s->variants.at[0].line : r->w.line;

    if (!take_nodes(r, out))
        return false;
    r->variant = r->w.line;
    for (uint32_t i = 0; i < out->n; i++) {
        uint32_t *row = &r->row[r->s->refs.at[out->at + i]];

        if (*row >= begins)
            return fsd_words_complain(
                &r->w, "nodes that no earlier variant of this build has");
        *row = r->variant;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        fsd_id group = r->s->nodes.at[r->s->refs.at[out->at + i]].group;
        struct fsd_span nodes =
            group == FSD_NONE ? (struct fsd_span){0} : r->s->groups.at[group].nodes;

        for (uint32_t k = 0; k < nodes.n; k++)
            if (r->row[r->s->refs.at[nodes.at + k]] != r->variant)
                return fsd_words_complain(&r->w, "every node of each group");
    }
    for (uint32_t i = 0; i < out->n; i++)
        fsd_mix_take_out(&r->mix, r->s->refs.at[out->at + i]);
    if (!out->n)
        fsd_mix_take_out(&r->mix, FSD_NONE);
    return true;
}

static bool take_source(struct reader *r, struct fsd_producer *out)
{
    *out = (struct fsd_producer){FSD_NO_ORIGIN, r->w.word.out};
    if (fsd_words_at_mark(&r->w, "-"))
        return fsd_words_next(&r->w);
    return take_origin(r, &out->at);
}

static bool take_sources(struct reader *r, struct fsd_span *out)
{
    struct fsd_producer source;

    out->at = r->s->sources.n;
    while (fsd_words_at_name(&r->w) || fsd_words_at_mark(&r->w, "-")) {
        if (!take_source(r, &source))
            return false;
        fsd_vec_push(r->s->arena, &r->s->sources, source);
    }
    out->n = r->s->sources.n - out->at;
    return true;
}

/* Reads a border's node.  Refuses a node of another group, or before `from`, the
 * previous border's node: the comparison needs all borders of a node together. */
static bool take_border_node(struct reader *r, fsd_id from, fsd_id *out)
{
    struct word word = r->w.word;

    if (!take_node(r, out))
        return false;
    if (*out >= from && *out < r->s->nodes.n &&
        r->s->nodes.at[*out].group == r->s->groups.n)
        return true;
    r->w.word = word;
    return fsd_words_complain(&r->w, "a node of this group, in the order of its lines");
}

/* Reads borders of a group: "< a fp16 b" for an input, "> b fp16" for an output. */
static bool take_borders(struct reader *r, bool outputs, struct fsd_span *out)
{
    fsd_id from = 0;

    *out = (struct fsd_span){r->s->borders.n, 0};
    for (; fsd_words_at_mark(&r->w, outputs ? ">" : "<"); out->n++) {
        struct fsd_border b = {.at = FSD_NO_ORIGIN};

        if (!fsd_words_next(&r->w))
            return false;
        if (!outputs && (!take_origin(r, &b.at) || !take_form(r, &b.form)))
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

/* Reads a tensor: "int8/chw32:1x64x56x56".  "!" before it sets `unwritten`. */
static bool take_tensor(struct reader *r, bool sourced)
{
    struct fsd_state_tensor t = {.unwritten = *r->w.word.text == '!',
                                 .from.at = FSD_NO_ORIGIN};
    const char *text = r->w.word.text += t.unwritten;
    size_t n = strcspn(text, "/:"), layout = strcspn(text, ":");

    if (n < layout)
        t.form.layout = fsd_intern_add(r->s->names, text + n + 1, layout - n - 1);
    if (text[layout])
        t.sizes = fsd_intern_str(r->s->names, text + layout + 1);
    if (!take_own(r, &fsd_dtype_words, n, &t.form.type) ||
        (sourced && !take_source(r, &t.from)))
        return false;
    fsd_vec_push(r->s->arena, &r->s->tensors, t);
    return true;
}

static bool take_tensors(struct reader *r, bool sourced, struct fsd_span *out)
{
    out->at = r->s->tensors.n;
    while (fsd_words_at_name(&r->w) && !r->w.word.port)
        if (!take_tensor(r, sourced))
            return false;
    out->n = r->s->tensors.n - out->at;
    return true;
}

/* ------------------------------------------------------------------------ reading */

static bool take_value(struct reader *r, const struct field *f, void *at)
{
    fsd_sym unused;
    bool said;

    switch (f->type) {
    case VERSION: /* the version is only for people */
        return take_sym(r, f->expected, &unused);
    case HASH:
        return fsd_words_take_hash(&r->w, at);
    case SEAL:
        return take_seal(r);
    case SYM:
        return take_sym(r, f->expected, at);
    case COUNT:
        return fsd_words_take_count(&r->w, at);
    case AMOUNT:
        return fsd_words_take_amount(&r->w, at);
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
    case ORIGINS:
        return take_origins(r, at);
    case DESTINATIONS:
        return take_destinations(r, at);
    case NODES:
        return take_nodes(r, at);
    case ROW:
        return take_row(r, at);
    case MEMBERS:
        return take_members(r, at);
    case TENSORS:
        return take_tensors(r, false, at);
    case READS:
        return take_tensors(r, r->format >= FSD_SNAPSHOT_READING, at);
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

/* The record of a line. */
union record {
    struct fsd_built built;
    struct fsd_state_port port;
    struct fsd_state_node node;
    struct fsd_group group;
    struct fsd_move move;
    struct fsd_kernel kernel;
    struct fsd_binding binding;
    struct fate_line fate;
    struct fsd_variant variant;
};

/* Completes the current build.  The next build begins as a copy of the first one, and
 * extends the arrays of the completed build. */
static void close_build(struct reader *r)
{
    if (r->s == r->first)
        fsd_state_finish(r->s);
    else
        fsd_mix_close(&r->mix);
    r->last = r->s;
    r->variant = 0;
}

static bool open_build(struct reader *r)
{
    const struct fsd_state *s = r->first;

    if (s->also.n + 1 == FSD_MOST_BUILDS)
        return fsd_words_complain(&r->w, "at most 26 builds");
    close_build(r);
    if (!r->row)
        r->row = FSD_NEW(r->w.scratch, uint32_t, s->nodes.n);
    r->mix = fsd_mix_open(r->w.scratch, s, r->last, r->listed);
    r->s = r->mix.s;
    r->s->profiles = 0;
    r->s->stated = 0;
    r->s->total = FSD_SPREAD_NONE;
    r->s->run = FSD_SPREAD_NONE;
    r->s->timed_runs = 0;
    memset(&r->s->built, 0, sizeof r->s->built);
    fsd_vec_push(s->arena, &r->first->also, r->s);
    return true;
}

static void keep_kernel(struct reader *r, struct fsd_kernel kernel)
{
    struct fsd_state *s = r->s;
    struct fsd_span *span = r->above == LINE_GROUP
                                ? &s->groups.at[s->groups.n - 1].kernels
                                : &s->moves.at[s->moves.n - 1].kernels;

    kernel.line = r->w.line;
    if (!span->n++)
        span->at = s->kernels.n;
    fsd_vec_push(s->arena, &s->kernels, kernel);
}

static bool complain_of_name(struct reader *r, const char *what, fsd_sym name)
{
    r->w.status = fsd_fail(r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE, r->w.line,
                           "expected %s of the first build, found %s", what,
                           fsd_text(r->s->names, name));
    return false;
}

/* In the copy of the first build, finds the input or output with the name of `port`,
 * and replaces it by `port`.  Fails if no input or output has this name. */
static bool replace_port(struct reader *r, bool output,
                         const struct fsd_state_port *port)
{
    struct fsd_state *s = r->s;

    for (uint32_t i = 0; i < (output ? s->outputs.n : s->inputs.n); i++) {
        struct fsd_state_port *at = &(output ? s->outputs.at : s->inputs.at)[i];

        if (at->name != port->name)
            continue;
        *at = *port;
        return true;
    }
    return complain_of_name(r, output ? "an output" : "an input", port->name);
}

static bool replace_binding(struct reader *r, const struct fsd_binding *binding)
{
    for (uint32_t i = 0; i < r->s->bindings.n; i++) {
        struct fsd_binding *at = &r->s->bindings.at[i];

        if (at->name != binding->name || at->output != binding->output)
            continue;
        *at = *binding;
        return true;
    }
    return complain_of_name(r, "a binding", binding->name);
}

static bool keep_record(struct reader *r, enum line_kind kind, union record *rec)
{
    bool other = r->s != r->first;
    struct fsd_state *s = r->s;

    if (kind == LINE_FATE && fsd_origin_node(rec->fate.node.at) < s->nodes.n) {
        s->nodes.at[fsd_origin_node(rec->fate.node.at)].fate = rec->fate.fate;
        s->nodes.at[fsd_origin_node(rec->fate.node.at)].precision = rec->fate.precision;
    } else if (kind == LINE_VARIANT) {
        rec->variant.build = r->first->also.n;
        rec->variant.line = r->w.line;
        fsd_vec_push(s->arena, &s->variants, rec->variant);
    } else if (kind == LINE_BUILT)
        fsd_vec_push(s->arena, &s->built, rec->built);
    else if (kind == LINE_INPUT || kind == LINE_OUTPUT)
        rec->port.line = r->w.line;
    else if (kind == LINE_NODE)
        rec->node.line = r->w.line;
    else if (kind == LINE_GROUP)
        rec->group.line = r->w.line;
    else if (kind == LINE_MOVE)
        rec->move.line = r->w.line;
    else if (kind == LINE_BINDING)
        rec->binding.line = r->w.line;
    else if (kind == LINE_KERNEL)
        keep_kernel(r, rec->kernel);
    if (other && (kind == LINE_INPUT || kind == LINE_OUTPUT))
        return replace_port(r, kind == LINE_OUTPUT, &rec->port);
    if (other && kind == LINE_BINDING)
        return replace_binding(r, &rec->binding);
    if (kind == LINE_INPUT)
        fsd_vec_push(s->arena, &s->inputs, rec->port);
    else if (kind == LINE_OUTPUT)
        fsd_vec_push(s->arena, &s->outputs, rec->port);
    else if (kind == LINE_NODE)
        fsd_vec_push(s->arena, &s->nodes, rec->node);
    else if (kind == LINE_GROUP)
        fsd_vec_push(s->arena, &s->groups, rec->group);
    else if (kind == LINE_MOVE)
        fsd_vec_push(s->arena, &s->moves, rec->move);
    else if (kind == LINE_BINDING)
        fsd_vec_push(s->arena, &s->bindings, rec->binding);
    if (kind != LINE_KERNEL)
        r->above = kind;
    return true;
}

/* Fails for a line that cannot be in a snapshot.  A mark of an unresolved merge
 * conflict gets its own message, because the file then contains two snapshots. */
static bool complain_of_line(struct reader *r)
{
    static const char *const marks[] = {"<<<<<<<", "|||||||", "=======", ">>>>>>>"};

    for (size_t i = 0; i < FSD_COUNT_OF(marks) && r->w.word.text; i++)
        if (!strncmp(r->w.word.text, marks[i], strlen(marks[i]))) {
            r->w.status = fsd_fail(
                r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE, r->w.line,
                "unresolved merge conflict: keep one side, then run check --update");
            return false;
        }
    return fsd_words_complain(
        &r->w, "a line that begins with a known word, such as node, group or move");
}

static bool take_line(struct reader *r, unsigned *rank)
{
    union record record = {0};
    unsigned kind = 0;
    void *at = &record;

    while (kind < LINE__COUNT && !fsd_words_at_own(&r->w, fsd_line_ranks[kind].word))
        kind++;
    if (kind == LINE__COUNT)
        return complain_of_line(r);
    if (fsd_line_ranks[kind].rank < *rank + fsd_line_ranks[kind].once ||
        fsd_line_ranks[kind].of == (r->s == r->first ? OF_OTHERS : OF_FIRST) ||
        (r->s != r->first && !r->variant &&
         (kind == LINE_GROUP || kind == LINE_MOVE)) ||
        (kind == LINE_KERNEL && r->above != LINE_GROUP && r->above != LINE_MOVE))
        return fsd_words_complain(&r->w, "a line that the format allows here");
    *rank = fsd_line_ranks[kind == LINE_ALSO ? LINE_ENGINE : kind].rank;
    if (kind == LINE_ALSO && !open_build(r))
        return false;
    if (kind == LINE_NODE)
        record.node.group = FSD_NONE;
    else if (kind == LINE_INPUT || kind == LINE_OUTPUT)
        record.port.from.at = record.port.core_from.at = FSD_NO_ORIGIN;
    else if ((kind < LINE_INPUT && kind != LINE_BUILT) || kind == LINE_ALSO)
        at = r->s;
    if (!fsd_words_next(&r->w))
        return false;
    for (const struct field *f = fsd_grammar; f < fsd_grammar_end; f++)
        if (f->line == kind && !take_field(r, f, at))
            return false;
    if (r->w.word.kind != WORD_END)
        return fsd_words_complain(&r->w, "the end of the line");
    r->ended = kind == LINE_END;
    return keep_record(r, kind, &record);
}

static bool take_first(struct reader *r)
{
    r->format = 0;
    fsd_words_rewind(&r->w);
    if (!fsd_words_next_line(&r->w) || strcmp(r->w.word.text, "fusiondiff") != 0 ||
        !fsd_words_next(&r->w) || !fsd_words_at_own(&r->w, "snapshot")) {
        /* The message does not quote the line: in a change under review, the path may
         * be a symbolic link to a secret file, and other people read the message. */
        if (r->w.status == FSD_OK)
            r->w.status =
                fsd_fail(r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE, r->w.line,
                         "expected 'fusiondiff snapshot' and a format number, found %s",
                         r->w.line ? "another text" : "nothing");
        return false;
    }
    if (!fsd_words_next(&r->w) || !fsd_words_take_count(&r->w, &r->format))
        return false;
    if (r->format > FSD_SNAPSHOT_FORMAT)
        r->w.status =
            fsd_fail(r->w.err, FSD_E_UNSUPPORTED, r->w.name, FSD_POS_LINE, r->w.line,
                     "expected a snapshot of format %d or older, found "
                     "format %u: a newer fusiondiff wrote it",
                     FSD_SNAPSHOT_FORMAT, r->format);
    else if (!r->format)
        return fsd_words_complain(&r->w, "a format number");
    return r->w.status == FSD_OK && (r->w.word.kind == WORD_END ||
                                     fsd_words_complain(&r->w, "the end of the line"));
}

struct name {
    fsd_sym sym;
    int what;
    uint32_t line;
};
typedef FSD_VEC(fsd_id) symbols;

/* Adds the names of the nodes that a variant replaces to `listed`. */
static void learn_listed(struct reader *r, symbols *listed)
{
    while (fsd_words_next(&r->w) && r->w.word.kind != WORD_END)
        if (fsd_words_at_name(&r->w))
            fsd_vec_push(
                r->w.scratch, listed,
                fsd_intern_find(r->s->names, r->w.word.text, strlen(r->w.word.text)));
}

/* The first pass: fills `named`, `count` and `listed`.  A name of two inputs or of two
 * outputs refers to the first one.  Fails if two nodes have one name. */
static bool learn_names(struct reader *r)
{
    static const enum line_kind of[] = {LINE_NODE, LINE_INPUT, LINE_OUTPUT};
    FSD_VEC(struct name) names = {0};
    symbols listed = {0};
    bool others = false;

    if (!take_first(r))
        return false;
    while (fsd_words_next_line(&r->w)) {
        others |= !strcmp(r->w.word.text, fsd_line_ranks[LINE_ALSO].word);
        if (!strcmp(r->w.word.text, fsd_line_ranks[LINE_VARIANT].word)) {
            learn_listed(r, &listed);
            continue;
        }
        for (int i = 0; i < NAME__COUNT; i++) {
            struct name name = {0, i, r->w.line};

            if (others || strcmp(r->w.word.text, fsd_line_ranks[of[i]].word) != 0)
                continue;
            if (fsd_words_next(&r->w) && take_sym(r, "a name", &name.sym))
                fsd_vec_push(r->w.scratch, &names, name);
            break;
        }
    }
    if (r->w.status != FSD_OK)
        return false;
    r->n_names = fsd_intern_count(r->s->names);
    for (int i = 0; i < NAME__COUNT; i++)
        r->named[i] = fsd_ids_new(r->w.scratch, r->n_names);
    FSD_EACH (const struct name, name, names) {
        fsd_id *id = &r->named[name->what][name->sym];

        if (*id != FSD_NONE && name->what == NAME_NODE) {
            r->w.line = name->line;
            r->w.word = (struct word){.kind = WORD_BARE,
                                      .text = fsd_text(r->s->names, name->sym)};
            return fsd_words_complain(&r->w, "a node name that no earlier line has");
        }
        *id = fsd_id_or(*id, r->count[name->what]);
        r->count[name->what]++;
    }
    r->listed = FSD_NEW(r->w.scratch, bool, r->count[NAME_NODE]);
    for (uint32_t i = 0; i < listed.n; i++) {
        fsd_id sym = listed.at[i];
        fsd_id node = sym < r->n_names ? r->named[NAME_NODE][sym] : FSD_NONE;

        fsd_set_at(r->listed, node);
    }
    return true;
}

static void fill(struct reader *r)
{
    unsigned rank = 0;

    if (!take_first(r))
        return;
    r->s->whole = r->format >= FSD_SNAPSHOT_WHOLE;
    while (fsd_words_next_line(&r->w))
        if (!take_line(r, &rank))
            return;
    if (r->w.status == FSD_OK && !r->ended)
        r->w.status = fsd_fail(r->w.err, FSD_E_FORMAT, r->w.name, FSD_POS_LINE,
                               r->w.line, "expected 'end', found the end of the file");
}

/* Gives all builds the arrays of the last build, which hold the data of all builds. */
static void share_arrays(struct fsd_state *s, const struct fsd_state *last)
{
    for (uint32_t b = 0; b <= s->also.n; b++) {
        struct fsd_state *one = b ? s->also.at[b - 1] : s;

        one->refs = last->refs;
        one->borders = last->borders;
        one->sources = last->sources;
        one->kernels = last->kernels;
        one->tensors = last->tensors;
        one->hashes = s->hashes;
        one->hashed = s->hashed;
    }
}

static struct words words_of(const struct fsd_file *file, struct fsd_error *err)
{
    return (struct words){.scratch = fsd_arena_new(),
                          .name = file->name,
                          .begin = (const char *)file->bytes,
                          .end = (const char *)file->bytes + file->size,
                          .err = err};
}

/* Counts builds by the first word of each line.  This is enough, because the hash on
 * the last line proves that the lines are unchanged.  Returns 0 if the snapshot is
 * damaged. */
static unsigned count_builds(const struct fsd_file *file)
{
    struct reader r = {.w = words_of(file, NULL)};
    unsigned n = take_first(&r);

    while (fsd_words_next_line(&r.w)) {
        n += fsd_words_at_own(&r.w, fsd_line_ranks[LINE_ALSO].word);
        if (fsd_words_at_own(&r.w, fsd_line_ranks[LINE_END].word))
            r.ended =
                fsd_words_next(&r.w) && (r.w.word.kind == WORD_END || take_seal(&r));
    }
    fsd_arena_free(r.w.scratch);
    return r.ended && r.w.status == FSD_OK ? n : 0;
}

unsigned fsd_snapshot_count(const char *path)
{
    struct fsd_file file;
    bool opened = fsd_file_open(&file, path, SNAPSHOT_LIMIT, NULL) == FSD_OK;
    unsigned n = opened ? count_builds(&file) : 0;

    fsd_file_close(&file);
    return n;
}

enum fsd_status fsd_snapshot_load(struct fsd_state **out, const struct fsd_file *file,
                                  struct fsd_error *err)
{
    struct fsd_state *s = fsd_state_new();
    struct reader r = {.w = words_of(file, err), .s = s, .first = s, .last = s};

    s->model_path = fsd_text(s->names, fsd_intern_str(s->names, file->name));
    s->engine_path = s->model_path;
    if (learn_names(&r))
        fill(&r);
    if (r.w.status == FSD_OK) {
        close_build(&r);
        fsd_state_hash_names(s);
        share_arrays(s, r.last);
    } else {
        fsd_state_free(s);
    }
    *out = r.w.status == FSD_OK ? s : NULL;
    fsd_arena_free(r.w.scratch);
    return r.w.status;
}

enum fsd_status fsd_snapshot_read(struct fsd_state **out, const char *path,
                                  struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open(&file, path, SNAPSHOT_LIMIT, err);

    *out = NULL;
    FSD_THEN(status, fsd_snapshot_load(out, &file, err));
    if (fsd_file_done(&file, status, err) == status)
        return status;
    fsd_state_free(*out);
    *out = NULL;
    return FSD_E_IO;
}

bool fsd_snapshot_sniff(const char *path)
{
    static const char magic[] = "fusiondiff snapshot ";
    /* A file has no limit here, because fsd_snapshot_read() reports a file that is too
     * large.  A pipe ("-") has a limit, because it is read into memory. */
    uint64_t limit = strcmp(path, "-") != 0 ? UINT64_MAX : SNAPSHOT_LIMIT;
    struct fsd_file file;
    bool yes = fsd_file_open(&file, path, limit, NULL) == FSD_OK &&
               file.size >= strlen(magic) && !memcmp(file.bytes, magic, strlen(magic));

    fsd_file_close(&file);
    return yes;
}
