#include "base/hash.h"
#include "base/text.h"
#include "compare/snapshot.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- words */

/* A bare word starts like a name, so that "-", "@" and the marks between words are
 * none.
 */
static bool is_bare(const char *s)
{
    if (!isalnum((unsigned char)*s) && !strchr("_/", *s))
        return false;
    while (isalnum((unsigned char)*s) || (*s && strchr("_/.,:+-", *s)))
        s++;
    return !*s;
}

static void put_quoted(const char *s, FILE *out)
{
    putc('"', out);
    for (size_t left = strlen(s), len; left; s += len, left -= len) {
        const unsigned char *u = (const unsigned char *)s;
        uint32_t code;

        len = fsd_utf8_len(u, left);
        code = len ? fsd_utf8_code(u, len) : *u;
        len += !len;
        if (fsd_code_is_hidden(code)) {
            fprintf(out, "\\u{%x}", (unsigned)code);
            continue;
        }
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        fwrite(s, 1, len, out);
    }
    putc('"', out);
}

static void put_word(const char *s, FILE *out)
{
    putc(' ', out);
    if (*s && is_bare(s))
        fputs(s, out);
    else
        put_quoted(s, out);
}

static void put_sym(const struct fsd_state *s, fsd_sym sym, FILE *out)
{
    put_word(fsd_text(s->names, sym), out);
}

/* Words of our own; the empty one is "-". */
static void put_own(const char *s, FILE *out)
{
    fprintf(out, " %s", *s ? s : "-");
}

static void put_form(const struct fsd_state *s, struct fsd_state_form form, FILE *out)
{
    put_own(fsd_dtype_name((enum fsd_dtype)form.type), out);
    if (form.layout)
        fprintf(out, "/%s", fsd_text(s->names, form.layout));
}

/* "name", "@port", or "-". */
static void put_ref(const struct fsd_state *s, fsd_ref ref, bool output, FILE *out)
{
    const char *name = fsd_state_ref_text(s, ref, output);

    if (ref == FSD_NONE) {
        fputs(" -", out);
        return;
    }
    putc(' ', out);
    if (ref & FSD_REF_PORT)
        putc('@', out);
    if (*name && is_bare(name))
        fputs(name, out);
    else
        put_quoted(name, out);
}

static void put_source(const struct fsd_state *s, struct fsd_source source, FILE *out)
{
    put_ref(s, source.at, false, out);
    if (source.at != FSD_NONE && source.out)
        fprintf(out, "#%" PRIu32, source.out);
}

static void put_ms(struct fsd_spread ms, bool times, FILE *out)
{
    if (times && ms.median >= 0)
        fprintf(out, " ~ %.6f %.6f %.6f", ms.median, ms.low, ms.high);
}

/* ----------------------------------------------------------------------- lines */

static void put_hash(const char *what, const uint64_t hash[2], FILE *out)
{
    fprintf(out, "%s xxh128:%016" PRIx64 "%016" PRIx64, what, hash[1], hash[0]);
}

static void put_head(const struct fsd_state *s, bool times, FILE *out)
{
    fprintf(out, "fusiondiff snapshot %d\n", FSD_SNAPSHOT_FORMAT);
    fputs("tool " FSD_VERSION "\n", out);
    put_hash("model", s->model_hash, out);
    put_hash("\nengine", s->engine_hash, out);
    put_sym(s, s->engine_kind, out);
    put_sym(s, s->producer, out);
    fprintf(out, "\nlayers %u %u %u\n", s->layers, s->computing, s->mapped);
    if (times && s->profiles) {
        fprintf(out, "times %u", s->profiles);
        put_ms(s->total, true, out);
        putc('\n', out);
    }
}

static void put_port(const struct fsd_state *s, const struct fsd_state_port *p,
                     bool output, FILE *out)
{
    fputs(output ? "output" : "input", out);
    put_sym(s, p->name, out);
    put_sym(s, p->shape, out);
    put_form(s, p->form, out);
    if (output) {
        fputs(" <", out);
        put_source(s, p->from, out);
    }
    putc('\n', out);
}

static void put_node(const struct fsd_state *s, const struct fsd_state_node *n,
                     FILE *out)
{
    fputs("node", out);
    put_sym(s, n->key, out);
    put_sym(s, n->op, out);
    put_own(fsd_role_name(n->role), out);
    put_own(fsd_fate_name((enum fsd_fate)n->fate), out);
    put_own(fsd_dtype_name((enum fsd_dtype)n->precision), out);
    if (!n->named)
        fputs(" unnamed", out);
    fputs(" <", out);
    for (uint32_t i = 0; i < n->in.n; i++)
        put_source(s, s->sources.at[n->in.at + i], out);
    if (n->traits || n->weight) {
        fputs(" ;", out);
        put_sym(s, n->traits, out);
    }
    if (n->weight)
        put_sym(s, n->weight, out);
    putc('\n', out);
}

static void put_refs(const struct fsd_state *s, const char *mark, struct fsd_span refs,
                     bool output, FILE *out)
{
    fprintf(out, " %s", mark);
    for (uint32_t i = 0; i < refs.n; i++)
        put_ref(s, s->refs.at[refs.at + i], output, out);
}

static void put_group(const struct fsd_state *s, const struct fsd_group *g, bool times,
                      FILE *out)
{
    fputs("group", out);
    put_own(fsd_kind_name((enum fsd_kind)g->kind), out);
    put_own(fsd_dtype_name((enum fsd_dtype)g->precision), out);
    fprintf(out, " %u%s", g->layers, g->loose ? " loose" : "");
    put_refs(s, ":", g->nodes, false, out);
    for (uint32_t i = 0; i < g->in.n; i++) {
        const struct fsd_border *b = &s->borders.at[g->in.at + i];

        fputs(" <", out);
        put_ref(s, b->at, false, out);
        put_form(s, b->form, out);
        put_ref(s, b->node, false, out);
    }
    for (uint32_t i = 0; i < g->out.n; i++) {
        const struct fsd_border *b = &s->borders.at[g->out.at + i];

        fputs(" >", out);
        put_ref(s, b->node, false, out);
        put_form(s, b->form, out);
    }
    put_ms(g->ms, times, out);
    putc('\n', out);
}

static void put_move(const struct fsd_state *s, const struct fsd_move *m, bool times,
                     FILE *out)
{
    fputs("  move", out);
    put_own(fsd_kind_name((enum fsd_kind)m->kind), out);
    put_own(fsd_cause_name((enum fsd_cause)m->cause), out);
    fputs(m->inserted ? " inserted :" : " :", out);
    put_form(s, m->before, out);
    fputs(" ->", out);
    put_form(s, m->after, out);
    put_refs(s, "<", m->from, false, out);
    put_refs(s, ">", m->to, true, out);
    if (m->nodes.n)
        put_refs(s, "=", m->nodes, false, out);
    put_ms(m->ms, times, out);
    putc('\n', out);
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

static void put_body(const struct fsd_state *s, bool times, FILE *out)
{
    uint32_t move = 0;

    put_head(s, times, out);
    putc('\n', out);
    for (uint32_t i = 0; i < s->inputs.n; i++)
        put_port(s, &s->inputs.at[i], false, out);
    for (uint32_t i = 0; i < s->outputs.n; i++)
        put_port(s, &s->outputs.at[i], true, out);
    putc('\n', out);
    for (fsd_id i = 0; i < s->nodes.n; i++)
        put_node(s, &s->nodes.at[i], out);
    putc('\n', out);
    for (fsd_id i = 0; i < s->groups.n; i++) {
        put_group(s, &s->groups.at[i], times, out);
        while (move < s->moves.n && is_due(s, &s->moves.at[move], i))
            put_move(s, &s->moves.at[move++], times, out);
    }
    while (move < s->moves.n)
        put_move(s, &s->moves.at[move++], times, out);
}

void fsd_snapshot_write(const struct fsd_state *s, bool times, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *body = open_memstream(&text, &size);
    uint64_t hash[2];

    if (!body)
        return;
    put_body(s, times, body);
    if (fclose(body) == 0) {
        fsd_hash_128(text, size, hash);
        fwrite(text, 1, size, out);
        put_hash("end", hash, out);
        putc('\n', out);
    }
    free(text);
}
