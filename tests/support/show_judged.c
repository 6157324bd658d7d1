/* Prints tables of lint: what builders refuse, why they split blocks, and how to split
 * a kernel. */
#include "show.h"

#include "build_graph.h"
#include "judge/lint/fusion.h"
#include "judge/lint/row.h"
#include "judge/lint/splits.h"
#include "model/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_OPERATORS = 320, MOST_TARGETS = 32 };

/* What is judged of one operator for one target. */
struct met {
    const struct fsd_refusal_row *row;
    uint32_t target, op;
};

struct judged {
    struct fsd_arena *arena;
    const char *targets[MOST_TARGETS], *operators[MOST_OPERATORS];
    uint32_t n_targets, n_operators;
    FSD_VEC(struct met) met;
    bool imported[MOST_OPERATORS];
};

/* A model with one node for each operator. */
static struct fsd_diff *model_of(const struct judged *j)
{
    const char *text = "in x fp32 4\n";

    for (uint32_t i = 0; i < j->n_operators; i++)
        text =
            fsd_printed(j->arena, "%s%s n%u: x -> y%u\n", text, j->operators[i], i, i);
    return build_diff(text, "", FSD_BY_ALL);
}

static void judge(struct judged *j, const struct fsd_diff *d, uint32_t target)
{
    struct fsd_target t;
    const struct fsd_lint *l;

    assert_true(fsd_target_read(&t, j->targets[target], d->arena));
    l = fsd_lint_new(d->arena, d->facts, d->cost->sizes, t);
    for (uint32_t i = 0; i < j->n_operators; i++) {
        const struct fsd_refusal_rows *of = &l->refusals.at[l->refusals_of[i]];

        j->imported[i] = of->imported;
        for (uint32_t k = 0; k < of->rows.n; k++)
            fsd_vec_push(j->arena, &j->met, ((struct met){of->rows.at[k], target, i}));
    }
}

static int by_row(const void *a, const void *b)
{
    const struct met *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->target != y->target ? (x->target < y->target ? -1 : 1)
                                  : (int)x->op - (int)y->op;
}

/* Prints the targets that have a row, or those that lack it if these are fewer. */
static void put_targets(const struct judged *j, const struct met *met, uint32_t n,
                        FILE *out)
{
    bool has[MOST_TARGETS] = {false}, lacks;
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        has[met[i].target] = true;
    for (uint32_t i = 0; i < j->n_targets; i++)
        count += has[i];
    lacks = 2 * count > j->n_targets;
    fputs(!lacks                  ? "   "
          : count == j->n_targets ? "    all targets"
                                  : "    all but",
          out);
    for (uint32_t i = 0; i < j->n_targets; i++)
        if (has[i] != lacks)
            fprintf(out, " %s", j->targets[i]);
}

/* Prints what a row says, the targets that have it, and the operators. `n` entries of
 * `met` have the row. */
static void put_row(const struct judged *j, const struct met *met, uint32_t n,
                    FILE *out)
{
    static const char *const wants[] = {"", ", wants dimension", ", wants type",
                                        ", wants floats"};
    const struct fsd_refusal_row *r = met->row;
    uint32_t of_first = 0;

    fprintf(out, "%s (%s)%s\n", r->is.why, r->is.source, wants[r->is.wants]);
    put_targets(j, met, n, out);
    while (of_first < n && met[of_first].target == met->target)
        of_first++;
    assert_int_equal(n % of_first, 0); /* the same operators for each target */
    fputs("\n   ", out);
    for (uint32_t i = 0; i < of_first && of_first < j->n_operators; i++)
        fprintf(out, " %s", j->operators[met[i].op]);
    fputs(of_first < j->n_operators ? "\n" : " all operators\n", out);
    for (unsigned t = 0, any = 0; t < 64 && r->types; t++)
        if (r->types >> t & 1)
            fprintf(out, "%s %s", any++ ? "" : "    types", fsd_dtype_name(t));
    fputs(r->types ? "\n" : "", out);
}

static uint32_t split(char *text, const char **words, uint32_t most)
{
    uint32_t n = 0;

    for (char *at = strtok(text, " \n"); at; at = strtok(NULL, " \n")) {
        assert_in_range(n, 0, most - 1);
        words[n++] = at;
    }
    return n;
}

void show_refusals(const char *targets, const char *operators, FILE *out)
{
    char *words[] = {strdup(targets), strdup(operators)};
    struct judged j = {.arena = fsd_arena_new()};
    struct fsd_diff *d;

    j.n_targets = split(words[0], j.targets, MOST_TARGETS);
    j.n_operators = split(words[1], j.operators, MOST_OPERATORS);
    d = model_of(&j);
    for (uint32_t i = 0; i < j.n_targets; i++)
        judge(&j, d, i);
    qsort(j.met.at, j.met.n, sizeof *j.met.at, by_row);
    for (uint32_t i = 0, n; i < j.met.n; i += n) {
        for (n = 1; i + n < j.met.n && j.met.at[i + n].row == j.met.at[i].row; n++)
            ;
        put_row(&j, &j.met.at[i], n, out);
    }
    fputs("without an importer\n   ", out);
    for (uint32_t i = 0; i < j.n_operators; i++)
        if (!j.imported[i])
            fprintf(out, " %s", j.operators[i]);
    putc('\n', out);
    fsd_diff_free(d);
    fsd_arena_free(j.arena);
    free(words[0]);
    free(words[1]);
}

void show_fusion_rules(FILE *out)
{
    static const char *const cures[] = {"none",    "unmark", "unquantize", "repeat",
                                        "padding", "casts",  "apart"};
    struct fsd_arena *arena = fsd_arena_new();
    uint32_t n;
    const struct fsd_fusion_rule *rules = fsd_fusion_rules(&n);

    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%s of %s,%scure %s\n", rules[i].id,
                fsd_pattern_name(rules[i].pattern), rules[i].builders,
                cures[rules[i].cure]);
        fprintf(out, "    %s: %s\n", fsd_fusion_found(arena, &rules[i]),
                rules[i].border);
        if (rules[i].edit)
            fprintf(out, "    edit: %s\n", fsd_fusion_edit(arena, &rules[i]));
        fprintf(out, "    %s (%s)\n", rules[i].support ? rules[i].support : "-",
                rules[i].source);
    }
    fsd_arena_free(arena);
}

/* The text with all occurrences of `old` replaced; `old` must occur. */
static const char *replaced(struct fsd_arena *arena, const char *text, const char *old,
                            const char *by)
{
    const char *made = "", *at;

    if (!strstr(text, old))
        fail_msg("no '%s' to replace", old);
    for (; (at = strstr(text, old)); text = at + strlen(old))
        made = fsd_printed(arena, "%s%.*s%s", made, (int)(at - text), text, by);
    return fsd_printed(arena, "%s%s", made, text);
}

static void put_reasons(const char *model, const char *builder, FILE *out)
{
    struct fsd_diff *d = build_diff(model, "", FSD_BY_ALL);
    const struct fsd_blocks *blocks = fsd_blocks_of_model(d->arena, d->facts);

    FSD_EACH (const struct fsd_block, block, blocks->list) {
        fsd_block_reasons found = {0};

        fsd_block_reasons_of(d->arena, blocks, block, d->facts, d->cost->sizes, builder,
                             &found);
        for (uint32_t i = 0; i < found.n; i++)
            fprintf(out, "    %s: %s\n", found.at[i].rule->id, found.at[i].found);
    }
    fsd_diff_free(d);
}

void show_split(const char *model, const char *builder, const char *changes, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    char *text = strdup(changes), *rest = NULL, *edits = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *edit = strstr(line, ": ");
        const char *changed = model;

        fprintf(out, "%.*s\n", edit ? (int)(edit - line) : (int)strlen(line), line);
        split_facts(line);
        for (edit = edit ? strtok_r(edit + 2, "&", &edits) : NULL; edit;
             edit = strtok_r(NULL, "&", &edits)) {
            char *by = strstr(edit, " => ");
            size_t n = strlen(edit);

            assert_non_null(by);
            *by = '\0';
            edit[n - 1] = edit[n - 1] == ' ' ? '\0' : edit[n - 1]; /* before "&" */
            edit += *edit == ' ';
            changed = replaced(arena, changed, edit, by + 4);
        }
        put_reasons(changed, builder, out);
    }
    free(text);
    fsd_arena_free(arena);
}

void show_styles(const char *models, FILE *out)
{
    char *text = strdup(models), *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fsd_target t;
        struct fsd_diff *d;
        const struct fsd_style_seen *s;

        split_facts(line);
        d = build_diff(line, "", FSD_BY_ALL);
        assert_true(fsd_target_read(&t, NULL, d->arena));
        s = &fsd_lint_new(d->arena, d->facts, d->cost->sizes, t)->style;
        fprintf(out, "%s (%s)%s: %s, %u after and %u before of %u\n",
                s->name ? s->name : "unknown", s->sign ? s->sign : "-",
                s->after_operators ? ", after operators" : "", fsd_dtype_name(s->type),
                s->after, s->before, s->quantizers);
        fsd_diff_free(d);
    }
    free(text);
}

void show_ways(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id layer = 0; layer < d->engine->nodes.n; layer++) {
        const struct fsd_split_way *way;

        fprintf(out, "%s\n",
                fsd_text(d->engine->names, d->engine->nodes.at[layer].name));
        for (uint32_t i = 0; (way = fsd_split_way_at(d, layer, i)); i++)
            fprintf(out, "    %s: %s%s\n        %s\n", way->way, way->seen,
                    way->fp32 ? ", FP32 only" : "", way->also);
    }
}
