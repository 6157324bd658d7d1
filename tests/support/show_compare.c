/*
 * Prints states and comparisons as text, and reads states.
 */
#include "show.h"

#include "change/snapshot/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Reads the text as a snapshot of format 1, whose last line has no hash, so that cases
 * may change any line. With kernels, a state of format 1 has all facts of the current
 * format. */
struct fsd_state *read_state(const char *text)
{
    size_t size = strlen(text) + 64;
    char *whole = malloc(size);
    struct fsd_file file = {.name = "state"};
    struct fsd_state *s;
    struct fsd_error err;
    char room[600];

    assert_non_null(whole);
    file.size = (size_t)snprintf(whole, size, "fusiondiff snapshot 1\n%send\n", text);
    file.bytes = (const unsigned char *)whole;
    if (fsd_snapshot_load(&s, &file, &err) != FSD_OK)
        fail_msg("%s\n%s", fsd_error_text(&err, room, sizeof room), text);
    free(whole);
    s->whole = s->kernels.n > 0;
    return s;
}

void show_state(const struct fsd_state *s, FILE *out)
{
    static const char *const of_files[] = {"fusiondiff ", "tool ", "model ", "engine ",
                                           "end "};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    assert_non_null(to);
    fsd_snapshot_write(s, to);
    fclose(to);
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        bool of_file = !n;

        for (size_t i = 0; i < FSD_COUNT_OF(of_files); i++)
            of_file |= !strncmp(at, of_files[i], strlen(of_files[i]));
        if (!of_file)
            fprintf(out, "%.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    free(text);
}

/* ------------------------------------------------------------------- a comparison */

static const char *node(const struct fsd_state *s, fsd_id id)
{
    return id == FSD_NONE ? "-" : fsd_text(s->names, s->nodes.at[id].key);
}

static void put_group(const struct fsd_state *s, fsd_id g, FILE *out)
{
    struct fsd_span nodes = s->groups.at[g].nodes;

    for (uint32_t i = 0; i < nodes.n; i++)
        fprintf(out, "%s%s", i ? "+" : "", node(s, s->refs.at[nodes.at + i]));
}

static void put_groups(const struct fsd_compare *c, const struct fsd_state *s,
                       struct fsd_span groups, FILE *out)
{
    for (uint32_t i = 0; i < groups.n; i++) {
        fputs(i ? ", " : "", out);
        put_group(s, c->pool.at[groups.at + i], out);
    }
    fputs(groups.n ? "" : "-", out);
}

static void put_ends(struct fsd_ends ends, FILE *out)
{
    for (uint32_t i = 0; i < ends.n; i++)
        fprintf(out, "%s%s", i ? "," : "", fsd_end_text(ends, i));
}

static void put_move(const struct fsd_state *s, fsd_id id, FILE *out)
{
    const struct fsd_move *m = &s->moves.at[id];

    fprintf(out, "%s ", fsd_kind_name((enum fsd_kind)m->kind));
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(out, "%s ", fsd_cause_name((enum fsd_cause)m->cause));
    put_ends(fsd_ends_of_origins(s, m->from), out);
    fputs("->", out);
    put_ends(fsd_ends_of_destinations(s, m->to), out);
    putc(' ', out);
    fsd_put_move_forms(s, m, '/', out);
    for (uint32_t i = 0; i < m->nodes.n; i++)
        fprintf(out, "%s%s", i ? "," : " = ", node(s, s->refs.at[m->nodes.at + i]));
}

static void put_flag(bool flag, const char *name, FILE *out)
{
    if (flag)
        fprintf(out, " %s", name);
}

static void show_regions(const struct fsd_compare *c, FILE *out)
{
    for (uint32_t i = 0; i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];

        if (!r->differs && !r->tactic && !r->untyped && !c->timed)
            continue;
        fputs("region ", out);
        put_groups(c, c->old, r->old_groups, out);
        fputs(" | ", out);
        put_groups(c, c->new, r->new_groups, out);
        fprintf(out, ": %s %s", fsd_happened_name(r->happened),
                fsd_region_precision(r));
        put_flag(r->untyped, "untyped", out);
        put_flag(r->layout, "layout", out);
        put_flag(r->layers, "layers", out);
        put_flag(r->tactic, "tactic", out);
        put_flag(r->moves, "moves", out);
        put_flag(!r->differs, "alike", out);
        put_flag(fsd_region_is_weak(c, r, false), "weak-before", out);
        put_flag(fsd_region_is_weak(c, r, true), "weak-after", out);
        if (r->old_moves.n || r->new_moves.n)
            fprintf(out, "; %u -> %u moves", r->old_moves.n, r->new_moves.n);
        if (c->old->profiles || c->new->profiles)
            fprintf(out, "; %g -> %g ms, moves %g -> %g", r->before, r->after,
                    r->moves_before, r->moves_after);
        putc('\n', out);
    }
}

static void show_facts_lost(const struct fsd_compare *c, FILE *out)
{
    static const char *const kinds[] = {"type", "layout", "shape"};

    for (uint32_t i = 0; i < c->lost.n; i++) {
        const struct fsd_fact_lost *l = &c->lost.at[i];

        fprintf(out, "lost %s of ", kinds[l->kind]);
        switch ((enum fsd_fact_of)l->of) {
        case FSD_OF_NODE:
            fprintf(out, "node %s", node(c->new, l->new));
            break;
        case FSD_OF_EDGE:
            fprintf(out, "edge %s->%s", fsd_origin_text(c->new, l->from),
                    node(c->new, l->new));
            break;
        case FSD_OF_WRITTEN:
            fprintf(out, "what %s writes", node(c->new, l->new));
            break;
        case FSD_OF_MOVE:
            put_move(c->new, l->new, out);
            break;
        case FSD_OF_INPUT:
            fprintf(out, "input %s",
                    fsd_text(c->new->names, c->new->inputs.at[l->new].name));
            break;
        case FSD_OF_OUTPUT:
            fprintf(out, "output %s",
                    fsd_text(c->new->names, c->new->outputs.at[l->new].name));
            break;
        }
        fputs(": ", out);
        fsd_put_state_form(c->old, l->before, '/', out);
        fputs(" -> ", out);
        fsd_put_state_form(c->new, l->after, '/', out);
        putc('\n', out);
    }
}

static void show_changes(const struct fsd_compare *c, FILE *out)
{
    for (uint32_t i = 0; i < c->precisions.n; i++) {
        const struct fsd_node_change *p = &c->precisions.at[i];

        fprintf(out, "precision %s: %s -> %s %s\n", node(c->new, p->new),
                fsd_dtype_name((enum fsd_dtype)p->before),
                fsd_dtype_name((enum fsd_dtype)p->after), fsd_width_name(p->width));
    }
    for (uint32_t i = 0; i < c->presences.n; i++) {
        const struct fsd_node_presence *p = &c->presences.at[i];

        fprintf(out, "presence %s: %s\n",
                p->new != FSD_NONE ? node(c->new, p->new) : node(c->old, p->old),
                fsd_presence_name(p->what));
    }
    for (uint32_t i = 0; i < c->edges.n; i++) {
        const struct fsd_edge_change *e = &c->edges.at[i];

        fprintf(out, "edge %s->%s: ", fsd_origin_text(c->new, e->new_from),
                fsd_edge_reader(c, e));
        fsd_put_state_form(c->old, e->before, '/', out);
        fputs(" -> ", out);
        fsd_put_state_form(c->new, e->after, '/', out);
        fprintf(out, " %s\n", fsd_width_name(e->width));
    }
    for (uint32_t i = 0; i < c->moves.n; i++) {
        const struct fsd_move_change *m = &c->moves.at[i];

        fprintf(out, "move %s: ", fsd_move_what_name(m->what));
        if (m->old != FSD_NONE)
            put_move(c->old, m->old, out);
        if (m->what == FSD_MOVE_CHANGED)
            fputs(" => ", out);
        if (m->new != FSD_NONE)
            put_move(c->new, m->new, out);
        put_flag(m->region == FSD_NONE, "of no region", out);
        putc('\n', out);
    }
}

static void show_ports(const struct fsd_compare *c, FILE *out)
{
    for (uint32_t i = 0; i < c->ports.n; i++) {
        const struct fsd_port_change *p = &c->ports.at[i];
        const struct fsd_state_port *old =
            p->output ? c->old->outputs.at : c->old->inputs.at;
        const struct fsd_state_port *new =
            p->output ? c->new->outputs.at : c->new->inputs.at;

        fprintf(out, "%s %s | %s:", p->output ? "output" : "input",
                p->old == FSD_NONE ? "-" : fsd_text(c->old->names, old[p->old].name),
                p->new == FSD_NONE ? "-" : fsd_text(c->new->names, new[p->new].name));
        put_flag(p->name, "name", out);
        put_flag(p->shape, "shape", out);
        put_flag(p->form, "form", out);
        putc('\n', out);
    }
}

void show_align(const struct fsd_compare *c, FILE *out)
{
    for (fsd_id i = 0; i < c->old->nodes.n; i++)
        fprintf(out, "%s = %s by %s\n", node(c->old, i),
                node(c->new, c->align->to_new[i]), fsd_align_name(c->align->by[i]));
    for (fsd_id i = 0; i < c->new->nodes.n; i++)
        if (c->align->to_old[i] == FSD_NONE)
            fprintf(out, "- = %s\n", node(c->new, i));
    for (fsd_id i = 0; i < c->old->inputs.n; i++)
        if (c->align->new_input[i] != i)
            fprintf(out, "input %u = %d\n", i, (int)c->align->new_input[i]);
    for (fsd_id i = 0; i < c->old->outputs.n; i++)
        if (c->align->new_output[i] != i)
            fprintf(out, "output %u = %d\n", i, (int)c->align->new_output[i]);
}

/* Prints how each of the two builders divides the network into layers. */
static void show_builders(const struct fsd_compare *c, FILE *out)
{
    for (size_t i = 0; c->across && i < FSD_COUNT_OF(c->builders); i++) {
        const struct fsd_builder *b = &c->builders[i];

        fprintf(out, "%s: groups %u, %g ms; fuses more %u; ", b->name, b->groups,
                b->groups_ms, b->fuses_more);
        fprintf(out, "conversions %u, %g ms; quantizers %u, %g ms\n", b->conversions,
                b->conversions_ms, b->quantizers, b->quantizers_ms);
    }
}

void show_compare(const struct fsd_compare *c, FILE *out)
{
    struct fsd_alignment_count n = fsd_alignment_count(c);

    if (n.aligned != n.old || n.aligned != n.new)
        fprintf(out, "aligned %u of %u and %u%s\n", n.aligned, n.old, n.new,
                fsd_alignment_fits(n) ? "" : ", too few");
    show_regions(c, out);
    show_changes(c, out);
    show_ports(c, out);
    show_facts_lost(c, out);
    for (uint32_t i = 0; i < c->built.n; i++) {
        const struct fsd_built_change *b = &c->built.at[i];

        fprintf(out, "built %s: %s -> %s\n", b->key, b->before ? b->before : "?",
                b->after ? b->after : "?");
    }
    show_builders(c, out);
    if (c->timed) {
        fprintf(out, "time %g -> %g:", c->before, c->after);
        for (unsigned b = 0; b < FSD__BLAME_COUNT; b++)
            fprintf(out, " %s %g", fsd_blame_name((uint8_t)b), c->by_blame[b]);
        putc('\n', out);
    }
    fputs(c->differs ? "differs\n" : "same\n", out);
}

/* -------------------------------------------------------------- several, and models */

void show_matrix(const struct fsd_matrix *m, FILE *out)
{
    static const char *const of[] = {"groups", "moves", "input", "output"};

    for (uint32_t row = 0; row < m->rows.n; row++) {
        const struct fsd_matrix_row *r = &m->rows.at[row];

        fprintf(out, "%s%s, %u variant%s", of[r->of], r->differs ? " differs" : "",
                r->variants, r->variants == 1 ? "" : "s");
        for (uint32_t b = 0; b < m->n; b++) {
            const struct fsd_matrix_cell *cell = fsd_matrix_cell(m, row, b);

            fprintf(out, " | %c", (char)('a' + cell->variant));
            for (uint32_t i = 0; i < cell->groups.n; i++) {
                putc(' ', out);
                put_group(m->builds[b], m->pool.at[cell->groups.at + i], out);
            }
            if (cell->moves.n)
                fprintf(out, " %u moves", cell->moves.n);
            if (b)
                fprintf(out, " %s", fsd_cell_is_name(cell->is));
            put_flag(cell->more, "more", out);
            put_flag(cell->less, "less", out);
            if (cell->ms >= 0)
                fprintf(out, " %g ms", cell->ms);
        }
        putc('\n', out);
    }
    fprintf(out, "%u rows differ%s\n", m->differing, m->differs ? ", builds too" : "");
}

void show_exports(const struct fsd_exports *e, FILE *out)
{
    fprintf(out, "%u of %u and %u aligned, %u renamed, %u unread\n", e->aligned,
            e->old_nodes, e->new_nodes, e->renamed, e->unread);
    for (uint32_t i = 0; i < e->changes.n; i++) {
        const struct fsd_export_change *c = &e->changes.at[i];
        const char *where = c->new != FSD_NONE   ? node(e->after, c->new)
                            : c->old != FSD_NONE ? node(e->before, c->old)
                                                 : "";

        fprintf(out, "%s %s%s%s: %s -> %s\n", fsd_export_what_name(c->what), where,
                *where && *c->of ? " " : "", c->of, c->was, c->now);
    }
}
