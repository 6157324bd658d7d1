/* Alignment: what has to be found, and what must stay apart. */
#include "change/compare/parts.h"
#include "build_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define IN FSD_REF_PORT

struct pair {
    struct fsd_state *old, *new;
    struct fsd_arena *arena;
    struct fsd_align *align;
};

static struct pair align(struct fsd_state *old, struct fsd_state *new)
{
    struct pair p = {finished(old), finished(new), fsd_arena_new(), NULL};

    p.align = fsd_align_new(p.arena, old, new);
    return p;
}

static void done(struct pair p)
{
    fsd_arena_free(p.arena);
    fsd_state_free(p.old);
    fsd_state_free(p.new);
}

/* in -> Conv -> n blocks of Conv, Relu -> Gemm; names begin with `prefix` and count
 * from `first`; weights are named after their block when `weights` says so. */
static struct fsd_state *stack(const char *prefix, unsigned blocks, unsigned first,
                               bool weights)
{
    struct fsd_state *s = new_state();
    fsd_id at;
    char key[64], weight[64];

    snprintf(key, sizeof key, "%s_stem", prefix);
    at = add_node(s, key, "MaxPool", NULL, 1, IN);
    for (unsigned i = 0; i < blocks; i++) {
        snprintf(key, sizeof key, "%s_conv_%u", prefix, i);
        snprintf(weight, sizeof weight, "block.%u.weight", first + i);
        at = add_node(s, key, "Conv", weights ? weight : NULL, 1, at);
        snprintf(key, sizeof key, "%s_relu_%u", prefix, i);
        at = add_node(s, key, "Relu", NULL, 1, at);
    }
    snprintf(key, sizeof key, "%s_head", prefix);
    at = add_node(s, key, "Gemm", NULL, 1, at);
    add_output(s, "out", at);
    return s;
}

static void renamed_chain(void **state)
{
    struct pair p = align(stack("a", 3, 0, false), stack("b", 3, 0, false));

    (void)state;
    for (fsd_id i = 0; i < p.old->nodes.n; i++)
        assert_int_equal(p.align->to_new[i], i);
    assert_int_equal(p.align->by_count[FSD_ALIGN_BOTH], 8);
    done(p);
}

/* Nothing shows which of the blocks is the new one. */
static void longer_stack(void **state)
{
    struct pair p = align(stack("a", 3, 0, false), stack("b", 4, 0, false));

    (void)state;
    assert_int_equal(p.align->to_new[0], 0);
    assert_int_equal(p.align->to_new[7], 9);
    for (fsd_id i = 1; i < 7; i++)
        assert_int_equal(p.align->to_new[i], FSD_NONE);
    done(p);
}

/* The first block went away: the weights' names show it. */
static void longer_stack_with_names(void **state)
{
    struct pair p = align(stack("a", 4, 0, true), stack("b", 3, 1, true));

    (void)state;
    assert_int_equal(p.align->to_new[1], FSD_NONE);
    assert_int_equal(p.align->to_new[2], FSD_NONE);
    for (fsd_id i = 3; i < 9; i++)
        assert_int_equal(p.align->to_new[i], i - 2);
    assert_int_equal(p.align->by[3], FSD_ALIGN_NAME);
    done(p);
}

/* A counter's names that happen to agree say nothing. */
static void counted_names(void **state)
{
    struct pair p = align(stack("a", 3, 0, false), stack("a", 4, 0, false));

    (void)state;
    assert_int_equal(p.align->by_count[FSD_ALIGN_NAME], 0);
    assert_int_equal(p.align->to_new[1], FSD_NONE);
    done(p);
}

static struct fsd_state *branches(const char *one, const char *other, bool turned)
{
    struct fsd_state *s = new_state();
    fsd_id stem = add_node(s, "stem", "MaxPool", NULL, 1, IN);
    fsd_id a = add_node(s, one, "Relu", NULL, 1, stem);
    fsd_id b = add_node(s, other, "Relu", NULL, 1, stem);

    add_output(s, "out",
               add_node(s, "sum", "Add", NULL, 2, turned ? b : a, turned ? a : b));
    return s;
}

static void twins(void **state)
{
    struct pair p = align(branches("x", "y", false), branches("x", "y", true));

    (void)state;
    assert_int_equal(p.align->to_new[1], 1);
    assert_int_equal(p.align->to_new[2], 2);
    assert_int_equal(p.align->to_new[3], 3);
    done(p);
    p = align(branches("x", "y", false), branches("y", "z", false));
    assert_int_equal(p.align->to_new[1], FSD_NONE);
    assert_int_equal(p.align->to_new[2], FSD_NONE);
    assert_int_equal(p.align->to_new[3], 3);
    done(p);
}

/* Sub(c, x) is not Sub(x, c), and inputs of a Sub have their places. */
static void order_of_inputs(void **state)
{
    struct fsd_state *old = new_state(), *new = new_state();
    struct pair p;

    (void)state;
    add_output(old, "out", add_node(old, "a", "Sub", NULL, 1, IN));
    add_output(new, "out", add_node(new, "b", "Sub", NULL, 2, FSD_NONE, IN));
    p = align(old, new);
    assert_int_equal(p.align->by[0], FSD_ALIGN_OUTPUTS); /* from there it is the same */
    done(p);
}

static struct fsd_state *changed(const char *op)
{
    struct fsd_state *s = new_state();
    fsd_id at = add_node(s, "1", "MaxPool", NULL, 1, IN);

    at = add_node(s, "2", op, NULL, 1, at);
    at = add_node(s, "3", "Gemm", NULL, 1, at);
    add_output(s, "out", at);
    return s;
}

static void changed_node(void **state)
{
    struct pair p = align(changed("Relu"), changed("Clip"));

    (void)state;
    assert_int_equal(p.align->to_new[0], 0);
    assert_int_equal(p.align->by[0], FSD_ALIGN_INPUTS);
    assert_int_equal(p.align->to_new[1], 1); /* the operator of one name was replaced */
    assert_int_equal(p.align->by[1], FSD_ALIGN_NAME);
    assert_int_equal(p.align->to_new[2], 2);
    assert_int_equal(p.align->by[2], FSD_ALIGN_OUTPUTS);
    done(p);
}

/* Views that feed each other, as in a damaged model, end in nothing. */
static void cycle(void **state)
{
    struct fsd_state *s = new_state();
    fsd_id a = add_node(s, "a", "Identity", NULL, 1, 1);
    fsd_id b = add_node(s, "b", "Identity", NULL, 1, 0);
    fsd_id c = add_node(s, "c", "Relu", NULL, 1, b);
    struct pair p;

    (void)state;
    s->nodes.at[a].role = s->nodes.at[b].role = FSD_ROLE_VIEW;
    p = align(s, stack("b", 2, 0, false));
    assert_false(fsd_is_origin(s->sources.at[s->nodes.at[c].core_in.at].at));
    done(p);
}

static void empty(void **state)
{
    struct pair p = align(new_state(), stack("b", 2, 0, false));

    (void)state;
    assert_int_equal(p.align->to_old[0], FSD_NONE);
    assert_int_equal(p.align->new_input[0], 0);
    done(p);
}

/* One call of /b/relu more before them would move both Relus on by one. */
static void called_again(void **state)
{
    struct fsd_state *s[2];
    struct pair p;

    (void)state;
    for (int k = 0; k < 2; k++) {
        fsd_id at;

        s[k] = new_state();
        s[k]->model_hash[0] = (uint64_t)k;
        at = add_node(s[k], "/b/relu/Relu", "Relu", NULL, 1, IN);
        at = add_node(s[k], "/b/conv/Conv", "Conv", NULL, 1, at);
        at = add_node(s[k], "/b/relu_1/Relu", "Relu", NULL, 1, at);
        add_output(s[k], k ? "result" : "out", at); /* else it is one model */
    }
    p = align(s[0], s[1]);
    assert_int_equal(p.align->by[0], FSD_ALIGN_BOTH);
    assert_int_equal(p.align->by[1], FSD_ALIGN_NAME);
    assert_int_equal(p.align->by[2], FSD_ALIGN_BOTH);
    done(p);
}

/* Two nodes that would change places are both refused, but not one aligned before. */
static void change_places(void **state)
{
    fsd_id forth[] = {2, 1, FSD_NONE}, back[] = {FSD_NONE, 1, 0};
    fsd_id *const counterpart[2] = {forth, back};

    (void)state;
    for (int sure = 0; sure < 2; sure++) {
        struct fsd_state *old = finished(changed("Relu"));
        struct fsd_state *new = finished(changed("Relu"));
        struct fsd_arena *arena = fsd_arena_new();
        struct fsd_align_side side[2];

        fsd_align_side_init(&side[0], arena, old, false, NULL);
        fsd_align_side_init(&side[1], arena, new, true, NULL);
        side[0].counterpart[1] = side[1].counterpart[1] = sure ? 1 : FSD_NONE;
        fsd_align_refuse_crossing(side, counterpart);
        assert_true(side[0].contested[0]);
        assert_true(side[1].contested[2]);
        assert_int_equal(side[0].contested[1], !sure);
        fsd_arena_free(arena);
        fsd_state_free(old);
        fsd_state_free(new);
    }
}

/* Of two nodes that come before a third one and would come behind it, both are refused:
 * the third names one of them only. */
static void change_places_of_two(void **state)
{
    fsd_id forth[] = {3, 2, 1}, back[] = {FSD_NONE, 2, 1, 0};
    fsd_id *const counterpart[2] = {forth, back};
    struct fsd_state *old = new_state(), *new = new_state();
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_align_side side[2];
    fsd_id at;

    (void)state;
    add_node(old, "a", "Relu", NULL, 1, IN);
    add_node(old, "b", "Tanh", NULL, 1, IN);
    add_output(old, "out", add_node(old, "sum", "Add", NULL, 2, 0, 1));
    at = add_node(new, "0", "MaxPool", NULL, 1, IN);
    at = add_node(new, "1", "Add", NULL, 1, at);
    at = add_node(new, "2", "Tanh", NULL, 1, at);
    add_output(new, "out", add_node(new, "3", "Relu", NULL, 1, at));
    fsd_align_side_init(&side[0], arena, finished(old), false, NULL);
    fsd_align_side_init(&side[1], arena, finished(new), true, NULL);
    fsd_align_refuse_crossing(side, counterpart);
    for (fsd_id i = 0; i < 3; i++)
        assert_true(side[0].contested[i]);
    assert_false(side[1].contested[0]);
    fsd_arena_free(arena);
    fsd_state_free(old);
    fsd_state_free(new);
}

/* By hash, the old side before the new one, then by id: what is paired in order is
 * paired alike in every run.  Pairs are two rows, of both sides. */
static void rows_in_order(void **state)
{
    struct fsd_hash_row rows[] = {{7, 2, true}, {5, 1, false}, {7, 9, false},
                                  {7, 1, true}, {3, 4, true},  {3, 0, true},
                                  {9, 6, false}};
    const struct fsd_hash_row sorted[] = {{3, 0, true},  {3, 4, true}, {5, 1, false},
                                          {7, 9, false}, {7, 1, true}, {7, 2, true},
                                          {9, 6, false}};
    struct fsd_hash_row pairs[] = {{4, 2, true}, {4, 1, false}, {5, 1, true},
                                   {5, 2, true}, {6, 3, false}, {7, 4, false},
                                   {7, 5, true}, {7, 6, true}};

    (void)state;
    fsd_hash_rows_sort(rows, FSD_COUNT_OF(rows));
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        assert_int_equal(rows[i].hash, sorted[i].hash);
        assert_int_equal(rows[i].id, sorted[i].id);
        assert_int_equal(rows[i].new, sorted[i].new);
    }
    assert_int_equal(fsd_hash_rows_end(rows, FSD_COUNT_OF(rows), 0), 2);
    assert_int_equal(fsd_hash_rows_end(rows, FSD_COUNT_OF(rows), 3), 6);
    assert_int_equal(fsd_hash_rows_end(rows, FSD_COUNT_OF(rows), 6), 7);
    assert_int_equal(fsd_hash_rows_pairs(pairs, FSD_COUNT_OF(pairs)), 2);
    assert_int_equal(pairs[0].id, 1);
    assert_int_equal(pairs[1].id, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(renamed_chain),
                                       cmocka_unit_test(rows_in_order),
                                       cmocka_unit_test(change_places_of_two),
                                       cmocka_unit_test(longer_stack),
                                       cmocka_unit_test(longer_stack_with_names),
                                       cmocka_unit_test(counted_names),
                                       cmocka_unit_test(twins),
                                       cmocka_unit_test(order_of_inputs),
                                       cmocka_unit_test(changed_node),
                                       cmocka_unit_test(cycle),
                                       cmocka_unit_test(called_again),
                                       cmocka_unit_test(change_places),
                                       cmocka_unit_test(empty)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
