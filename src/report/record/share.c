/* Shared by the records of several subjects. */
#include "model/graph/built.h"
#include "model/graph/graph.h"
#include "report/record/records.h"

#include <inttypes.h>
#include <stdlib.h>

FSD_RECORD_DEFINED(fsd_spread_row, FSD_SPREAD)
FSD_FILLS(fsd_spread_row, FSD_SPREAD, const struct fsd_spread *spread = from)

const void *fsd_spread_held(struct fsd_arena *arena, const struct fsd_spread *spread)
{
    return FSD_HELD(arena, fsd_spread_row, spread, 0);
}

struct fsd_words fsd_words_of_ends(struct fsd_arena *arena, struct fsd_ends ends)
{
    const char **words = FSD_NEW(arena, const char *, ends.n);

    for (uint32_t i = 0; i < ends.n; i++)
        words[i] = fsd_end_text(ends, i);
    return fsd_words(words, ends.n);
}

const char *fsd_state_form_text(struct fsd_arena *arena, const struct fsd_state *s,
                                struct fsd_state_form form)
{
    struct fsd_print print;

    fsd_put_state_form(s, form, ' ', fsd_print_open(&print));
    return fsd_print_take(&print, arena);
}

const char *fsd_hash_word(struct fsd_arena *arena, const uint64_t hash[2])
{
    char text[48];
    int n = snprintf(text, sizeof text, "xxh128:%016" PRIx64 "%016" PRIx64, hash[1],
                     hash[0]);

    return fsd_arena_strndup(arena, text, (size_t)n);
}

struct fsd_fact_cells fsd_facts_of_built(struct fsd_arena *arena,
                                         const fsd_built_vec *built,
                                         const struct fsd_intern *names)
{
    struct fsd_fact_cell *facts = FSD_NEW(arena, struct fsd_fact_cell, built->n);

    for (uint32_t i = 0; i < built->n; i++) {
        facts[i].key = fsd_text(names, built->at[i].key);
        facts[i].text = fsd_text(names, built->at[i].value);
    }
    return (struct fsd_fact_cells){built->n, built->n, facts};
}

/* clang-format off */
#define TOOL(has, set, when, t) \
    set(t, TEXT, name, "fusiondiff", FSD_ALWAYS) \
    set(t, TEXT, version, FSD_VERSION, FSD_ALWAYS)
FSD_RECORD_SHARED(tool, TOOL)

#define FAILURE(has, set, when, t) \
    set(t, TEXT,  status, fsd_status_name(error->status), FSD_ALWAYS, \
        .about = "one of the fixed words io, format, limit, unsupported, " \
                 "mismatch, arg") \
    set(t, NAME,  message, error->message, FSD_ALWAYS) \
    set(t, NAME,  file, *error->file ? error->file : NULL, NULL) \
    when(t, COUNT, byte, error->unit == FSD_POS_BYTE, error->pos, NULL, .large = true, \
        .about = "byte in the file") \
    when(t, COUNT, line, error->unit == FSD_POS_LINE, error->pos, NULL, .large = true, \
        .about = "line in the file")
FSD_RECORD_SHARED(failure, FAILURE)
FSD_FILLS(failure, FAILURE, const struct fsd_error *error = from)

#define BRIEF_LINE(has, set, when, t) \
    set(t, TEXT, topic, brief->at[i].topic, FSD_ALWAYS) \
    set(t, NAME, text, brief->at[i].text, FSD_ALWAYS)
FSD_RECORD_SHARED(brief_line, BRIEF_LINE)
/* clang-format on */

const struct fsd_rows *fsd_brief_rows(struct fsd_arena *arena,
                                      const struct fsd_brief *brief)
{
    struct fsd_rows *rows =
        fsd_rows_new(arena, &fsd_brief_line_record, "{*}{topic:-9}{/}{text}\n");

    for (uint32_t i = 0; i < brief->n; i++) {
        FSD_ADD(rows, brief_line, BRIEF_LINE);
    }
    return rows;
}

const void *fsd_tool(struct fsd_arena *arena)
{
    struct tool *row = FSD_NEW(arena, struct tool, 1);

    FSD_FILL(row, TOOL);
    return row;
}

const void *fsd_failure_of(struct fsd_arena *arena, const struct fsd_error *error)
{
    return fsd_record_held(arena, &fsd_failure_record, fill_failure, error, 0);
}

struct sym_count {
    fsd_sym sym;
    uint32_t n;
};

FSD_ORDERED(by_count, struct sym_count, fsd_order(y->n, x->n),
            fsd_order(x->sym, y->sym))

struct fsd_words fsd_tally_of_syms(struct fsd_arena *arena,
                                   const struct fsd_intern *names, const fsd_sym *syms,
                                   uint32_t n)
{
    /* Indexed by symbol: the symbol's index in `counts`, plus 1; 0: not in `counts`. */
    uint32_t *place = FSD_NEW(arena, uint32_t, fsd_intern_count(names));
    FSD_VEC(struct sym_count) counts = {0};
    struct fsd_words tally = {.known = n > 0};
    const char **words;
    uint32_t *numbers;

    for (uint32_t i = 0; i < n; i++) {
        if (!place[syms[i]]) {
            fsd_vec_push(arena, &counts, ((struct sym_count){syms[i], 0}));
            place[syms[i]] = counts.n;
        }
        counts.at[place[syms[i]] - 1].n++;
    }
    fsd_vec_sort(&counts, by_count);
    tally.n = counts.n;
    tally.at = words = FSD_NEW(arena, const char *, counts.n);
    tally.counts = numbers = FSD_NEW(arena, uint32_t, counts.n);
    for (uint32_t i = 0; i < counts.n; i++) {
        words[i] = counts.at[i].sym ? fsd_text(names, counts.at[i].sym) : "unknown";
        numbers[i] = counts.at[i].n;
    }
    return tally;
}

struct fsd_words fsd_ops_of_fate(struct fsd_arena *arena, const struct fsd_diff *d,
                                 enum fsd_fate fate)
{
    fsd_sym *ops = FSD_NEW(arena, fsd_sym, d->model->nodes.n);
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (d->nodes[i].fate == fate)
            ops[n++] = d->model->nodes.at[i].op;
    return fsd_tally_of_syms(arena, d->names, ops, n);
}
