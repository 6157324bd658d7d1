#include "base/hash.h"
#include "base/print.h"
#include "snapshot/grammar.h"
#include "snapshot/snapshot.h"
#include "snapshot/words.h"

#include <inttypes.h>
#include <stdlib.h>

struct writer {
    const struct fsd_state *s;
    FILE *out;
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
    fputs(fsd_line_ranks[kind].word, w->out);
    for (const struct field *f = fsd_grammar; f < fsd_grammar_end; f++) {
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
