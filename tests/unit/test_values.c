/*
 * External numbers beside drawn runs, the cases of tests/unit/cases/values: what a row
 * is assigned to, where errors begin and what may have caused them, how the first one
 * grows, and how tables and saved outputs are read.  Cases have a `model` and an
 * `engine`, drawn as support/build_graph.h states.
 */
#include "build_graph.h"
#include "cases.h"

#include "explain/values/values.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"
#include "report/text/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double limit = 0.01;

/* ------------------------------------------------------------------ rows of errors */

/* Lines "a 0.5 2 nan": a tensor, its l2_rel ("-": unknown), its max_abs, and what has
 * stopped being finite; "a nan" alone is a tensor without a reference. */
static void read_errors(struct fsd_arena *arena, struct fsd_intern *names,
                        const char *text, struct fsd_numbers *n)
{
    static const char *const columns[FSD__ERROR_COUNT] = {
        "l2_rel", "max_abs", "max_rel", "l2", "cosine", "nan", "inf"};
    char *copy = strdup(text);

    *n = (struct fsd_numbers){.of = FSD_NUMBERS_OF_ERRORS,
                              .n_columns = FSD__ERROR_COUNT,
                              .paths = {"first", "second"}};
    memcpy(n->columns, columns, sizeof columns);
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) {
        char *word = line + strcspn(line, " ");
        struct fsd_number_row row = {.cells = {n->cells.n, 0}};

        row.name =
            fsd_intern_slice(names, (struct fsd_slice){line, (size_t)(word - line)});
        for (uint32_t column = 0; *word; column++) {
            size_t size = strcspn(++word, " ");
            struct fsd_number_cell cell = {column, strtod(word, NULL)};

            if (!strncmp(word, "nan", size)) {
                row.fresh = 1;
                cell = (struct fsd_number_cell){FSD_ERROR_NAN, 1};
            }
            if (*word != '-' || size > 1)
                fsd_vec_push(arena, &n->cells, cell);
            word += size;
        }
        row.cells.n = n->cells.n - row.cells.at;
        fsd_vec_push(arena, &n->rows, row);
    }
    free(copy);
}

/* ------------------------------------------------------------------- what is found */

static const char *node_of(const struct fsd_diff *d, fsd_id node)
{
    return node == FSD_NONE ? "no node"
                            : fsd_text(d->names, d->model->nodes.at[node].name);
}

static const char *layer_of(const struct fsd_diff *d, fsd_id layer)
{
    return layer == FSD_NONE ? "no layer"
                             : fsd_text(d->names, d->engine->nodes.at[layer].name);
}

static const char *row_of(const struct fsd_diff *d, const struct fsd_values *v,
                          uint32_t row)
{
    return fsd_text(d->names, v->numbers->rows.at[row].name);
}

static void put_ids(const struct fsd_diff *d, const struct fsd_values *v,
                    const char *what, struct fsd_span ids, bool layers, FILE *out)
{
    if (ids.n)
        fprintf(out, ", %s", what);
    for (uint32_t i = 0; i < ids.n; i++) {
        fsd_id id = v->pool.at[ids.at + i];

        fprintf(out, " %s", layers ? layer_of(d, id) : node_of(d, id));
    }
}

static void put_entry(const struct fsd_diff *d, const struct fsd_values *v,
                      const char *what, const struct fsd_entry *e, FILE *out)
{
    fprintf(out, "%s %s: %s in %s", what, row_of(d, v, e->row), node_of(d, e->node),
            layer_of(d, e->layer));
    put_ids(d, v, "suspects", e->suspects, false, out);
    put_ids(d, v, "layers", e->layers, true, out);
    put_ids(d, v, "behind", e->behind, false, out);
    put_ids(d, v, "moved", e->moved, true, out);
    putc('\n', out);
}

static void put_values(const struct fsd_diff *d, const struct fsd_values *v, FILE *out)
{
    fprintf(out, "%u joined, %u over, greatest %g\n", v->joined, v->over, v->greatest);
    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (v->of_node[i] != FSD_NONE)
            fprintf(out, "node %s: %s\n", node_of(d, i), row_of(d, v, v->of_node[i]));
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (v->of_layer[i] != FSD_NONE)
            fprintf(out, "layer %s: %s\n", layer_of(d, i),
                    row_of(d, v, v->of_layer[i]));
    for (uint32_t i = 0; i < v->strangers.n; i++)
        fprintf(out, "stranger %s\n", row_of(d, v, v->strangers.at[i]));
    for (uint32_t i = 0; i < v->entries.n; i++)
        put_entry(d, v, "entry", &v->entries.at[i], out);
    if (v->has_nan)
        put_entry(d, v, "nan", &v->nan, out);
    for (uint32_t i = 0; i < v->growth.n; i++)
        fprintf(out, "grows %s in %s\n", row_of(d, v, v->growth.at[i].row),
                layer_of(d, v->growth.at[i].layer));
}

static struct fsd_file file_of(const char *text)
{
    return (struct fsd_file){
        .name = "text", .bytes = (const unsigned char *)text, .size = strlen(text)};
}

static void put_error(const struct fsd_error *err, FILE *out)
{
    char room[512];

    fprintf(out, "%s: %s\n", fsd_status_name(err->status),
            fsd_error_text(err, room, sizeof room));
}

/* The layers that `top` ranks by the column `rank` of the numbers, the worst first. */
static void put_ranked(struct fsd_diff *d, const struct fsd_numbers *numbers,
                       const struct fsd_values *v, const char *rank, FILE *out)
{
    char *column = strdup(rank);
    struct fsd_query query = {.rank_by = strtok(column, "\n")};
    struct fsd_error err;

    d->numbers = numbers;
    d->values = v;
    if (fsd_diff_view(d, "top", &query, "csv", NULL, out, &err) != FSD_OK)
        put_error(&err, out);
    free(column);
}

/* What the color of each layer means in a picture that is colored by `name`. */
static void put_colors(struct fsd_diff *d, const struct fsd_numbers *numbers,
                       const struct fsd_values *v, const char *name, FILE *out)
{
    char *copy = strdup(name);
    const struct fsd_coloring *by;
    struct fsd_error err;

    d->numbers = numbers;
    d->values = v;
    assert_int_equal(fsd_coloring_find(strtok(copy, "\n"), &by, &err), FSD_OK);
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        fprintf(out, "%s: %s\n", layer_of(d, i), by->words[by->tint(d, i)]);
    free(copy);
}

/* The numbers as the text report shows them. */
static void put_report(struct fsd_diff *d, const struct fsd_numbers *numbers,
                       const struct fsd_values *v, FILE *out)
{
    const struct fsd_style style = {.width = 100};

    d->numbers = numbers;
    d->values = v;
    fsd_text_values(d, &style, out);
}

/* A run with the numbers of the section `errors`, or of the section `table`. With a
 * section `colors`, `report` or `rank`, only put_colors(), put_report() or put_ranked()
 * prints. */
static void run_values(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d =
        build_diff(case_need(c, "model"), case_need(c, "engine"), FSD_BY_ALL);
    const struct fsd_values *v;
    struct fsd_numbers numbers;
    struct fsd_error err;

    if (case_text(c, "errors", 0)) {
        read_errors(d->arena, d->names, case_text(c, "errors", 0), &numbers);
    } else {
        struct fsd_file file = file_of(case_need(c, "table"));

        assert_int_equal(fsd_table_read(d->arena, d->names, &file, &numbers, &err),
                         FSD_OK);
    }
    if (fsd_values_join(&v, &numbers, limit, d->match, d->flows, &err) != FSD_OK)
        put_error(&err, out);
    else if (case_text(c, "colors", 0))
        put_colors(d, &numbers, v, case_text(c, "colors", 0), out);
    else if (case_text(c, "report", 0))
        put_report(d, &numbers, v, out);
    else if (case_text(c, "rank", 0))
        put_ranked(d, &numbers, v, case_text(c, "rank", 0), out);
    else
        put_values(d, v, out);
    fsd_diff_free(d);
}

/* ------------------------------------------------------------------------- files */

static void put_numbers(const struct fsd_intern *names, const struct fsd_numbers *n,
                        FILE *out)
{
    for (uint32_t i = 0; i < n->rows.n; i++) {
        fprintf(out, "%s: ", fsd_text(names, n->rows.at[i].name));
        fsd_put_row(n, i, n->n_columns, out);
        fprintf(out, "%s\n", n->rows.at[i].fresh ? ", fresh" : "");
    }
    for (uint32_t i = 0; i < n->unmeasured.n; i++)
        fprintf(out, "%s: %s\n", fsd_text(names, n->unmeasured.at[i].name),
                n->unmeasured.at[i].why);
    if (n->only_first || n->only_second)
        fprintf(out, "alone: %u, %u\n", n->only_first, n->only_second);
}

/* A table as it is read. */
static void run_table(const struct test_case *c, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    struct fsd_file file = file_of(case_need(c, "file"));
    struct fsd_numbers n;
    struct fsd_error err;

    if (fsd_table_read(arena, names, &file, &n, &err) == FSD_OK)
        put_numbers(names, &n, out);
    else
        put_error(&err, out);
    fsd_arena_free(arena);
}

static void put_sets(const struct fsd_intern *names, struct fsd_arena *arena,
                     const fsd_array_set_vec *sets, FILE *out)
{
    for (uint32_t i = 0; i < sets->n; i++) {
        const struct fsd_array_set *set = &sets->at[i];

        fprintf(out, "runner %s\n", set->runner ? set->runner : "without a name");
        for (uint32_t k = 0; k < set->at.n; k++) {
            const struct fsd_array *a = &set->at.at[k];

            fprintf(out, "    %s: %s\n", fsd_text(names, a->name),
                    a->odd ? a->odd
                           : fsd_printed(arena, "%s %s, %" PRIu64 " elements",
                                         fsd_dtype_name(a->type),
                                         fsd_array_shape(arena, a), a->count));
        }
    }
}

/* Outputs as Polygraphy saves them: the runs, and the second against the first; with a
 * `model`, the rows of a batch of the first. */
static void run_saved(const struct test_case *c, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    const char *model = case_text(c, "model", 0);
    struct fsd_file file = file_of(case_need(c, "file"));
    struct fsd_graph *g = model ? build_model(arena, names, model) : NULL;
    fsd_array_set_vec sets = {0};
    struct fsd_numbers n = {0};
    struct fsd_error err;
    enum fsd_status status;

    assert_true(fsd_sets_are(&file));
    status = fsd_sets_read(arena, names, &file, &sets, &err);
    if (status == FSD_OK) {
        put_sets(names, arena, &sets, out);
        if (model)
            status = fsd_numbers_of_rows(arena, g, &sets.at[0], &n, &err);
        else
            status = fsd_numbers_of_sets(arena, names, sets.n > 1 ? &sets.at[0] : NULL,
                                         &sets.at[sets.n > 1], &n, &err);
    }
    if (status == FSD_OK)
        put_numbers(names, &n, out);
    else
        put_error(&err, out);
    fsd_arena_free(arena);
}

/* Of another folder than the project's, to try cases out. */
int main(int argc, char **argv)
{
    static const struct case_kind kinds[] = {{"values", run_values},
                                             {"table", run_table},
                                             {"saved", run_saved},
                                             {NULL, NULL}};

    return run_cases(argc > 1 ? argv[1] : FSD_CASES "/values", kinds);
}
