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

struct op_count {
    fsd_sym op;
    uint32_t n;
};

FSD_ORDERED(by_count, struct op_count, fsd_order(y->n, x->n), fsd_order(x->op, y->op))

struct fsd_words fsd_ops_of_fate(struct fsd_arena *arena, const struct fsd_diff *d,
                                 enum fsd_fate fate)
{
    /* Indexed by symbol: the operator's index in `ops`, plus 1; 0: not in `ops`. */
    uint32_t *place = FSD_NEW(arena, uint32_t, fsd_intern_count(d->names));
    FSD_VEC(struct op_count) ops = {0};
    const char **words;
    uint32_t *counts;

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_sym op = d->model->nodes.at[i].op;

        if (d->nodes[i].fate != fate)
            continue;
        if (!place[op]) {
            fsd_vec_push(arena, &ops, ((struct op_count){op, 0}));
            place[op] = ops.n;
        }
        ops.at[place[op] - 1].n++;
    }
    fsd_vec_sort(&ops, by_count);
    words = FSD_NEW(arena, const char *, ops.n);
    counts = FSD_NEW(arena, uint32_t, ops.n);
    for (uint32_t i = 0; i < ops.n; i++) {
        words[i] = fsd_text(d->names, ops.at[i].op);
        counts[i] = ops.at[i].n;
    }
    return (struct fsd_words){ops.n > 0, ops.n, words, counts};
}
