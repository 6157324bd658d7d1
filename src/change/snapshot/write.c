/*
 * Writes a state, or several builds of a model, as a snapshot, by the tables in
 * grammar.c.  The first build is written completely.  Of each other build, only the
 * rows of the matrix that differ from all earlier builds are written.  Their nodes have
 * the names of the first build's model.  Two kinds of rows are only counted: rows with
 * nodes that the first build's model lacks, and rows about which the first build states
 * less.  The last line has a hash of everything above it, so everything is printed to
 * memory first.
 */
#include "base/base.h"
#include "change/snapshot/grammar.h"
#include "change/snapshot/snapshot.h"
#include "change/snapshot/variants.h"
#include "change/snapshot/words.h"

#include <inttypes.h>
#include <stdlib.h>

struct writer {
    const struct fsd_state *s;
    const struct fsd_state
        *first; /* the first build, whose names of nodes and ports are written; NULL if
                   `s` is the first build */
    const struct fsd_align *align; /* the alignment of `first` and `s` */
    FILE *out;
    struct fsd_print *tensor; /* a stream that is reused for each tensor */
    bool known;               /* as in fsd_snapshot_write_builds() */
    uint8_t format;           /* number of the format to write.  If the state comes from
                                 a snapshot in a format without kernels, this is the
                                 last format without kernels */
};

static void put_own(const struct writer *w, const struct vocabulary *words, uint8_t i)
{
    const char *name = words->name(i);

    fprintf(w->out, " %s", *name ? name : "-");
}

static void put_form(const struct writer *w, const struct fsd_state_form *form)
{
    put_own(w, &fsd_dtype_words, form->type);
    if (form->layout)
        fprintf(w->out, "/%s", fsd_text(w->s->names, form->layout));
}

/* The origin in the first build's model that corresponds to `at`; neither node nor
 * input if that model lacks it. */
static struct fsd_origin origin_in_first(const struct writer *w, struct fsd_origin at)
{
    return w->first ? fsd_align_old_origin(w->align, at) : at;
}

static struct fsd_destination destination_in_first(const struct writer *w,
                                                   struct fsd_destination at)
{
    return w->first ? fsd_align_old_destination(w->align, at) : at;
}

static const struct fsd_state *first_of(const struct writer *w)
{
    return w->first ? w->first : w->s;
}

static void put_origin(const struct writer *w, struct fsd_origin at)
{
    at = origin_in_first(w, at);
    fputs(!fsd_is_origin(at)                ? " -"
          : fsd_origin_node(at) == FSD_NONE ? " @"
                                            : " ",
          w->out);
    if (fsd_is_origin(at))
        fsd_put_name(fsd_origin_text(first_of(w), at), w->out);
}

static void put_destination(const struct writer *w, struct fsd_destination at)
{
    at = destination_in_first(w, at);
    if (fsd_destination_node(at) == FSD_NONE &&
        fsd_destination_output(at) == FSD_NONE) {
        fputs(" -", w->out);
        return;
    }
    fputs(fsd_destination_node(at) == FSD_NONE ? " @" : " ", w->out);
    fsd_put_name(fsd_destination_text(first_of(w), at), w->out);
}

static void put_source(const struct writer *w, const struct fsd_producer *source)
{
    put_origin(w, source->at);
    if (fsd_is_origin(source->at) && source->out)
        fprintf(w->out, "#%" PRIu32, source->out);
}

static void put_border(const struct writer *w, const struct fsd_border *b, bool outputs)
{
    fputs(outputs ? " >" : " <", w->out);
    if (!outputs) {
        put_origin(w, b->at);
        put_form(w, &b->form);
    }
    put_origin(w, fsd_node_origin(b->node));
    if (outputs)
        put_form(w, &b->form);
}

static void put_tensor(const struct writer *w, const struct fsd_state_tensor *t)
{
    size_t size;

    fputs(t->unwritten ? "!" : "", w->tensor->out);
    fsd_put_state_tensor(w->s, t, w->tensor->out);
    putc(' ', w->out);
    fsd_put_name(fsd_print_next(w->tensor, &size), w->out);
}

static void put_value(const struct writer *w, const struct field *f, const void *at)
{
    const struct fsd_spread *ms = at;
    const struct fsd_origins *origins = at;
    const struct fsd_destinations *destinations = at;
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
    case AMOUNT:
        fprintf(w->out, " %" PRId64, *(const int64_t *)at);
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
    case ORIGINS:
        for (uint32_t i = 0; i < origins->n; i++)
            put_origin(w, fsd_origin_at(w->s->refs.at, *origins, i));
        break;
    case DESTINATIONS:
        for (uint32_t i = 0; i < destinations->n; i++)
            put_destination(w, fsd_destination_at(w->s->refs.at, *destinations, i));
        break;
    case NODES:
    case ROW:
    case MEMBERS:
        for (uint32_t i = 0; i < span->n; i++)
            put_origin(w, fsd_node_origin(w->s->refs.at[span->at + i]));
        break;
    case TENSORS:
        for (uint32_t i = 0; i < span->n; i++)
            put_tensor(w, &w->s->tensors.at[span->at + i]);
        break;
    case READS:
        for (uint32_t i = 0; i < span->n; i++) {
            const struct fsd_state_tensor *t = &w->s->tensors.at[span->at + i];

            put_tensor(w, t);
            if (w->format >= FSD_SNAPSHOT_READING)
                put_source(w, &t->from);
        }
        break;
    case BORDERS:
        for (uint32_t i = 0; i < span->n; i++)
            put_border(w, &w->s->borders.at[span->at + i], f->outputs);
        break;
    }
}

static bool is_empty(const struct field *f, const void *at)
{
    const struct fsd_origins *origins = at;
    const struct fsd_span *span = at;

    return f->type == SYM       ? !*(const fsd_sym *)at
           : f->type == ORIGINS ? !origins->n
                                : !span->n;
}

/* Whether a field is written.  An empty optional field (a symbol or a list) is left
 * out.  But it is written if the next field is written and has no mark: a reader finds
 * that field by its position. */
static bool is_said(const struct field *f, const void *record)
{
    if (!f->optional || !is_empty(f, (const char *)record + f->at))
        return true;
    return f[1].line == f->line && f[1].optional && !f[1].mark &&
           is_said(f + 1, record);
}

static void put_line(const struct writer *w, enum line_kind kind, const void *record)
{
    fputs(fsd_line_ranks[kind].word, w->out);
    for (const struct field *f = fsd_grammar; f < fsd_grammar_end; f++) {
        if (f->line != kind || f->since > w->format || !is_said(f, record))
            continue;
        if (f->mark && f->type != FLAG)
            fprintf(w->out, " %s", f->mark);
        put_value(w, f, (const char *)record + f->at);
    }
    putc('\n', w->out);
}

static void put_kernels(const struct writer *w, struct fsd_span kernels, const char *in)
{
    for (uint32_t i = 0; i < kernels.n; i++) {
        fputs(in, w->out);
        put_line(w, LINE_KERNEL, &w->s->kernels.at[kernels.at + i]);
    }
}

static void put_group(const struct writer *w, const struct fsd_group *g)
{
    put_line(w, LINE_GROUP, g);
    put_kernels(w, g->kernels, "  ");
}

static void put_move(const struct writer *w, const struct fsd_move *m)
{
    fputs("  ", w->out);
    put_line(w, LINE_MOVE, m);
    put_kernels(w, m->kernels, "    ");
}

/* Whether to write move `m` below `group`: the destination of `m` is in this group or
 * in an earlier one.  Moves keep their order.  So if a move must wait for a later
 * group, the moves after it must wait, too. */
static bool is_due(const struct fsd_state *s, const struct fsd_move *m, fsd_id group)
{
    fsd_id to = m->to.n ? fsd_destination_node(fsd_destination_at(s->refs.at, m->to, 0))
                        : FSD_NONE;

    if (to == FSD_NONE)
        return false;
    return s->nodes.at[to].group == FSD_NONE || s->nodes.at[to].group <= group;
}

static void put_build(const struct writer *w, enum line_kind from, enum line_kind to)
{
    for (enum line_kind kind = from; kind <= to; kind++)
        put_line(w, kind, w->s);
    put_line(w, LINE_LAYERS, w->s);
    for (uint32_t i = 0; i < w->s->built.n; i++)
        put_line(w, LINE_BUILT, &w->s->built.at[i]);
    if (w->s->profiles)
        put_line(w, LINE_TIMES, w->s);
    if (w->s->timed_runs)
        put_line(w, LINE_RUNS, w->s);
}

static void put_first(const struct writer *w)
{
    const struct fsd_state *s = w->s;
    uint32_t move = 0;

    put_build(w, LINE_TOOL, LINE_ENGINE);
    putc('\n', w->out);
    for (uint32_t i = 0; i < s->inputs.n; i++)
        put_line(w, LINE_INPUT, &s->inputs.at[i]);
    for (uint32_t i = 0; i < s->outputs.n; i++)
        put_line(w, LINE_OUTPUT, &s->outputs.at[i]);
    for (uint32_t i = 0; i < s->bindings.n; i++)
        put_line(w, LINE_BINDING, &s->bindings.at[i]);
    putc('\n', w->out);
    for (fsd_id i = 0; i < s->nodes.n; i++)
        put_line(w, LINE_NODE, &s->nodes.at[i]);
    putc('\n', w->out);
    for (fsd_id i = 0; i < s->groups.n; i++) {
        put_group(w, &s->groups.at[i]);
        while (move < s->moves.n && is_due(s, &s->moves.at[move], i))
            put_move(w, &s->moves.at[move++]);
    }
    while (move < s->moves.n)
        put_move(w, &s->moves.at[move++]);
}

/* ------------------------------------------------------------ the other builds */

/* Whether the first build's model has every node, input or output that `ends` lists. */
static bool are_named(const struct writer *w, struct fsd_ends ends)
{
    for (uint32_t i = 0; i < ends.n; i++)
        if (fsd_align_old_end(w->align, ends, i) == FSD_NONE)
            return false;
    return true;
}

static bool can_be_said(const struct writer *w, const struct fsd_matrix *m,
                        const struct fsd_matrix_cell *cell)
{
    const struct fsd_state *s = w->s;
    bool said = true;

    FSD_EACH_ID (group, m->pool, cell->groups) {
        const struct fsd_group *g = &s->groups.at[group];

        said &= are_named(w, fsd_ends_of_nodes(s, g->nodes));
        for (uint32_t k = 0; k < g->in.n; k++)
            said &= fsd_is_origin(origin_in_first(w, s->borders.at[g->in.at + k].at));
    }
    FSD_EACH_ID (of, m->pool, cell->moves) {
        const struct fsd_move *move = &s->moves.at[of];

        said &= are_named(w, fsd_ends_of_origins(s, move->from)) &&
                are_named(w, fsd_ends_of_destinations(s, move->to)) &&
                are_named(w, fsd_ends_of_nodes(s, move->nodes));
    }
    return said;
}

static bool is_known(const struct fsd_matrix *m, uint32_t row)
{
    bool known = false;

    for (uint32_t b = 1; b < m->n; b++)
        known |= !fsd_matrix_cell(m, row, b)->variant;
    return known;
}

/* Returns an array indexed by row: whether the row becomes a variant of `build`.  It
 * does not if it is the same in an earlier build.  If the cell has `less`, this holds
 * only for the first build and for builds that state the same kinds of facts as
 * `build`.  Also counts, in `learnt`, rows that are left out for other reasons, and
 * variants that state less. */
static bool *find_variants(const struct writer *w, const struct fsd_matrix *m,
                           uint32_t build, struct fsd_arena *scratch,
                           struct fsd_learnt *learnt)
{
    bool *is = FSD_NEW(scratch, bool, m->rows.n);

    for (uint32_t row = 0; row < m->rows.n; row++) {
        const struct fsd_matrix_cell *cell = fsd_matrix_cell(m, row, build);
        uint8_t of = m->rows.at[row].of;

        is[row] = cell->variant > 0;
        for (uint32_t b = 1; b < build; b++)
            is[row] &= fsd_matrix_cell(m, row, b)->variant != cell->variant ||
                       (cell->less &&
                        !fsd_variants_state_alike(m->builds[b], m->builds[build]));
        if (!is[row])
            continue;
        if (w->known && !is_known(m, row))
            learnt->gone++;
        else if (of == FSD_ROW_INPUT || of == FSD_ROW_OUTPUT)
            ; /* put_outer() writes inputs and outputs */
        else if (cell->more)
            learnt->more++;
        else if (!can_be_said(w, m, cell))
            learnt->strange++;
        else {
            learnt->less += cell->less;
            continue;
        }
        is[row] = false;
    }
    return is;
}

/* Lists all nodes that a row has in any build, and returns their number.  The nodes are
 * nodes of the first build's model, in file order. */
static uint32_t nodes_of(const struct fsd_matrix *m, uint32_t row,
                         struct fsd_arena *scratch, fsd_id **nodes)
{
    FSD_VEC(fsd_id) all = {0};

    for (uint32_t b = 0; b < m->n; b++) {
        const struct fsd_matrix_cell *cell = fsd_matrix_cell(m, row, b);
        const struct fsd_state *s = m->builds[b];

        FSD_EACH_ID (group, m->pool, cell->groups) {
            FSD_EACH_ID (node, s->refs, s->groups.at[group].nodes) {
                if (b)
                    node = m->with[b]->align->to_old[node];
                if (node != FSD_NONE)
                    fsd_vec_push(scratch, &all, node);
            }
        }
    }
    *nodes = all.at;
    return fsd_sort_once(all.at, all.n, sizeof *all.at, fsd_by_id);
}

static void put_fates(const struct writer *w, const struct fsd_matrix *m,
                      uint32_t build, const bool *is_variant)
{
    for (fsd_id i = 0; i < w->s->nodes.n; i++) {
        const struct fsd_state_node *n = &w->s->nodes.at[i];
        fsd_id old = w->align->to_old[i];
        const struct fsd_state_node *was =
            old == FSD_NONE ? NULL : &w->first->nodes.at[old];
        struct fate_line line = {{fsd_node_origin(i), 0}, n->fate, n->precision};
        uint32_t row;

        if (!was || (was->fate == n->fate && was->precision == n->precision))
            continue;
        row = fsd_id_or(fsd_id_at(m->row_of[build], n->group),
                        fsd_id_at(m->row_of[0], was->group));
        /* A node without a group is in no row, and varies separately. */
        if (row == FSD_NONE || is_variant[row])
            put_line(w, LINE_FATE, &line);
    }
}

static void put_variant(const struct writer *w, const struct fsd_matrix *m,
                        uint32_t build, uint32_t row, struct fsd_arena *scratch)
{
    const struct fsd_matrix_cell *cell = fsd_matrix_cell(m, row, build);
    fsd_id *nodes;
    uint32_t n = nodes_of(m, row, scratch, &nodes);

    fprintf(w->out, "%s%s :", fsd_line_ranks[LINE_VARIANT].word,
            cell->less ? " less" : "");
    for (uint32_t i = 0; i < n; i++) {
        putc(' ', w->out);
        fsd_put_name(fsd_state_node_key(w->first, nodes[i]), w->out);
    }
    putc('\n', w->out);
    FSD_EACH_ID (group, m->pool, cell->groups)
        put_group(w, &w->s->groups.at[group]);
    FSD_EACH_ID (move, m->pool, cell->moves)
        put_move(w, &w->s->moves.at[move]);
}

static bool texts_differ(const struct fsd_state *s, fsd_sym a,
                         const struct fsd_state *t, fsd_sym b)
{
    return strcmp(fsd_text(s->names, a), fsd_text(t->names, b)) != 0;
}

/* An input or output of the network or of the engine in a build, and the kind of its
 * line. */
struct outer {
    enum line_kind kind;
    const void *record; /* its record; NULL if the build does not have it */
    struct fsd_binding is;
};

static struct outer outer_port(const struct fsd_matrix *m, uint32_t build, bool output,
                               fsd_id i)
{
    const struct fsd_state *s = m->builds[build];
    const fsd_id *to = !build   ? NULL
                       : output ? m->with[build]->align->new_output
                                : m->with[build]->align->new_input;
    fsd_id at = to ? to[i] : i;
    const struct fsd_state_port *p =
        at == FSD_NONE ? NULL : &(output ? s->outputs.at : s->inputs.at)[at];
    struct outer o = {output ? LINE_OUTPUT : LINE_INPUT, p, {.output = output}};

    if (p) {
        o.is.name = p->name;
        o.is.shape = p->shape;
        o.is.form = p->form;
    }
    return o;
}

static struct outer outer_binding(const struct fsd_matrix *m, uint32_t build, fsd_id i)
{
    const struct fsd_state *s = m->builds[0], *t = m->builds[build];
    const struct fsd_binding *p = &s->bindings.at[i];

    FSD_EACH (const struct fsd_binding, q, t->bindings)
        if (p->output == q->output && !texts_differ(s, p->name, t, q->name))
            return (struct outer){LINE_BINDING, q, *q};
    return (struct outer){LINE_BINDING, NULL, {0}};
}

/* The input, output or binding of `build` that is the counterpart of input, output or
 * binding i of the first build. */
static struct outer outer_at(const struct fsd_matrix *m, uint32_t build, uint32_t i)
{
    const uint32_t inputs = m->builds[0]->inputs.n, outputs = m->builds[0]->outputs.n;

    if (i < inputs)
        return outer_port(m, build, false, i);
    if (i < inputs + outputs)
        return outer_port(m, build, true, i - inputs);
    return outer_binding(m, build, i - inputs - outputs);
}

/* Whether the build has the first build's input, output or binding i under the same
 * name.  Another name means another input or output. */
static bool is_there(const struct fsd_matrix *m, uint32_t build, uint32_t i)
{
    struct outer p = outer_at(m, 0, i), q = outer_at(m, build, i);

    return q.record &&
           !texts_differ(m->builds[0], p.is.name, m->builds[build], q.is.name);
}

static bool is_as_first(const struct fsd_matrix *m, uint32_t build, uint32_t i)
{
    const struct fsd_state *s = m->builds[0], *t = m->builds[build];
    struct fsd_binding p = outer_at(m, 0, i).is, q = outer_at(m, build, i).is;

    return is_there(m, build, i) && !texts_differ(s, p.shape, t, q.shape) &&
           !texts_differ(s, p.ranges, t, q.ranges) &&
           !texts_differ(s, p.outside, t, q.outside) && p.form.type == q.form.type &&
           !texts_differ(s, p.form.layout, t, q.form.layout);
}

/* Writes the inputs, outputs and bindings that differ from the first build, and counts
 * them.  Also counts those that `build` lacks or names differently. */
static void put_outer(const struct writer *w, const struct fsd_matrix *m,
                      uint32_t build, struct fsd_learnt *learnt)
{
    const struct fsd_state *s = w->first;

    for (uint32_t i = 0; i < s->inputs.n + s->outputs.n + s->bindings.n; i++) {
        struct outer o = outer_at(m, build, i);
        bool known = !w->known;

        for (uint32_t b = 1; b < m->n; b++)
            known |= is_as_first(m, b, i);
        if (!is_there(m, build, i)) {
            learnt->ports++;
        } else if (known && !is_as_first(m, build, i)) {
            put_line(w, o.kind, o.record);
            learnt->variants++;
        }
    }
}

/* Writes a build other than the first.  Omits a build without new variants, unless the
 * user gave this build (`known` is false).
 * @param room number of builds for which the snapshot still has room. */
static struct fsd_learnt put_other(const struct writer *w, const struct fsd_matrix *m,
                                   uint32_t build, uint32_t *room)
{
    FSD_SCRATCH(scratch);
    struct fsd_learnt learnt = {0};
    const bool *is_variant = find_variants(w, m, build, scratch, &learnt);

    for (uint32_t row = 0; row < m->rows.n; row++)
        *(*room ? &learnt.variants : &learnt.gone) += is_variant[row];
    if (*room && (learnt.variants || !w->known)) {
        --*room;
        putc('\n', w->out);
        put_build(w, LINE_ALSO, LINE_ALSO);
        put_outer(w, m, build, &learnt);
        put_fates(w, m, build, is_variant);
    }
    for (uint32_t row = 0; learnt.variants && row < m->rows.n; row++)
        if (is_variant[row])
            put_variant(w, m, build, row, scratch);
    return learnt;
}

/* -------------------------------------------------------------------------- all */

static void put_all(const struct fsd_state *first, const struct fsd_matrix *m,
                    bool known, FILE *out, struct fsd_learnt *learnt)
{
    struct fsd_print body, others, tensor;
    struct writer w = {.s = first,
                       .out = fsd_print_open(&body),
                       .tensor = &tensor,
                       .format =
                           first->whole ? FSD_SNAPSHOT_FORMAT : FSD_SNAPSHOT_WHOLE - 1};
    uint32_t room = FSD_MOST_BUILDS - 1;
    uint64_t hash[2];

    fsd_print_open(&others);
    fsd_print_open(&tensor);
    for (uint32_t b = 1; m && b < m->n; b++) {
        struct writer other = {m->builds[b], first, m->with[b]->align, others.out,
                               &tensor,      known, w.format};

        learnt[b] = put_other(&other, m, b, &room);
    }
    fsd_print_close(&others);
    fprintf(w.out, "fusiondiff snapshot %u\n", (unsigned)w.format);
    put_first(&w);
    fwrite(others.text, 1, others.size, w.out);
    fsd_print_close(&body);
    fsd_hash_128(body.text, body.size, hash);
    fwrite(body.text, 1, body.size, out);
    free(body.text);
    free(others.text);
    w.out = out;
    put_line(&w, LINE_END, hash);
    fsd_print_drop(&tensor);
}

void fsd_snapshot_write_builds(const struct fsd_matrix *m, bool known, FILE *out,
                               struct fsd_learnt *learnt)
{
    put_all(m->builds[0], m, known, out, learnt);
}

void fsd_snapshot_write(const struct fsd_state *s, FILE *out)
{
    const struct fsd_state *builds[FSD_MOST_BUILDS] = {s};
    struct fsd_learnt learnt[FSD_MOST_BUILDS];
    struct fsd_matrix *m = NULL;

    for (uint32_t b = 0; b < s->also.n; b++)
        builds[1 + b] = s->also.at[b];
    if (s->also.n)
        m = fsd_matrix_new(builds, 1 + s->also.n);
    put_all(s, m, false, out, learnt);
    fsd_matrix_free(m);
}
