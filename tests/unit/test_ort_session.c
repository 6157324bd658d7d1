/* What the history holds of ONNX Runtime's session logs and assignments of nodes. */
#define _GNU_SOURCE /* open_memstream() */
#include "read/ort/ort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A line of a log: the source file and the function that write it, and its words. */
#define LINE(where, text) "2026-11-21 20:40:26.1 [I:onnxruntime:, " where "] " text "\n"

/* A session begins. */
#define START LINE("inference_session.cc:1 operator()", "Initializing session.")

/* A transformer is at work, and has been; what is unused behind it goes. */
#define APPLY(pass)                                                                    \
    LINE("graph_transformer_mgr.cc:1 ApplyTransformers",                               \
         "Applying graph transformer " pass " on step 1.")
#define MODIFIED(pass, changed)                                                        \
    LINE("graph_transformer.cc:1 Apply",                                               \
         "GraphTransformer " pass " modified: " changed " with status: OK")
#define REMOVED LINE("graph.cc:1 CleanUnused", "Removing NodeArg 'a'. It is unused.")

static void put_events(const struct fsd_history *h, FILE *out)
{
    for (uint32_t i = 0; i < h->events.n; i++) {
        const struct fsd_event *e = &h->events.at[i];
        const char *kind = e->kind == FSD_EVENT_SKIP      ? "skip"
                           : e->kind == FSD_EVENT_ADD     ? "add"
                           : e->kind == FSD_EVENT_WARNING ? "warning"
                                                          : "other";

        fprintf(out, "%u %s '%s' '%s' '%s' '%s' %u\n", (unsigned)e->build, kind,
                fsd_text(h->names, e->pass), fsd_text(h->names, e->a),
                fsd_text(h->names, e->b), fsd_text(h->names, e->text),
                (unsigned)e->times);
    }
}

static void put_history(const struct fsd_history *h, FILE *out)
{
    for (uint32_t i = 0; i < h->passes.n; i++) {
        const struct fsd_pass_stats *p = &h->passes.at[i];

        fprintf(out, "%u %s: %u runs, %u changes, %u matched, %u dropped\n",
                (unsigned)p->build, fsd_text(h->names, p->name), (unsigned)p->runs,
                (unsigned)p->changed, (unsigned)p->matched, (unsigned)p->dropped);
    }
    put_events(h, out);
    for (uint32_t i = 0; i < h->places.n; i++) {
        const struct fsd_placement *p = &h->places.at[i];

        fprintf(out, "%u %s '%s' '%s' part %u\n", (unsigned)p->build,
                fsd_text(h->names, p->provider), fsd_text(h->names, p->op),
                fsd_text(h->names, p->name), (unsigned)p->part);
    }
    for (uint32_t i = 0; i < h->placed.n; i++)
        if (h->placed.at[i])
            fprintf(out, "%u places %u nodes\n", (unsigned)i,
                    (unsigned)h->placed.at[i]);
    if (h->unknown_lines)
        fprintf(out, "%u lines not known\n", (unsigned)h->unknown_lines);
}

/* Of the first `n` bytes; malloc'ed. */
static char *read_text(const char *text, size_t n)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    struct fsd_history *h = fsd_history_new(arena, names);
    struct fsd_file file = {
        .name = "test", .bytes = (const unsigned char *)text, .size = n};
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    assert_non_null(out);
    if (*text == '[')
        fsd_ort_assignment_read(h, &file);
    else
        fsd_ort_session_read(h, &file);
    put_history(h, out);
    fclose(out);
    fsd_arena_free(arena);
    return got;
}

static void expect(const char *text, const char *want)
{
    char *got = read_text(text, strlen(text));

    assert_string_equal(got, want);
    free(got);
}

/* ------------------------------------------------------------------------ sessions */

static void a_pass_counts_its_runs_and_effects(void **state)
{
    (void)state;
    expect(START APPLY("Fold") REMOVED MODIFIED("Fold", "1") APPLY("Fuse")
               LINE("selector_action_transformer.cc:1 Match", "Matched Conv")
                   REMOVED REMOVED MODIFIED("Fuse", "0") MODIFIED("Fold", "0"),
           "0 Fold: 2 runs, 1 changes, 0 matched, 1 dropped\n"
           "0 Fuse: 1 runs, 0 changes, 1 matched, 2 dropped\n");
}

/* A session has at most 4,096 passes; what the next one changes is not counted for
 * another. */
static void a_pass_beyond_the_limit_is_left_out(void **state)
{
    enum { LIMIT = 4096 };
    char *text = NULL, *got;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    fputs(START, out);
    for (int i = 0; i < LIMIT; i++)
        fprintf(out, APPLY("P%d"), i);
    fputs(APPLY("Last") REMOVED MODIFIED("Last", "1") APPLY("P7") MODIFIED("P7", "1"),
          out);
    fclose(out);
    got = read_text(text, size);
    assert_null(strstr(got, "Last"));
    assert_non_null(strstr(got, "0 P7: 1 runs, 1 changes, 0 matched, 0 dropped\n"));
    assert_null(strstr(got, "1 dropped"));
    free(got);
    free(text);
}

/* As a terminal shows it: the color stands around the whole line. */
static void colors_are_passed_over(void **state)
{
    (void)state;
    expect("\x1b[0;93m2026-11-21 20:40:26.1 [I:onnxruntime:, "
           "inference_session.cc:1 operator()] Initializing session.\x1b[m\n"
           "\x1b[1;31m2026-11-21 20:40:26.1 [W:onnxruntime:log, "
           "graph_transformer.cc:1 Apply] GraphTransformer Fuse modified: 1 with "
           "status: OK\x1b[0m\n",
           "0 Fuse: 1 runs, 1 changes, 0 matched, 0 dropped\n");
}

static void a_second_session_has_passes_of_its_own(void **state)
{
    (void)state;
    expect(START MODIFIED("Fold", "1") START REMOVED MODIFIED("Fold", "0") REMOVED,
           "0 Fold: 1 runs, 1 changes, 0 matched, 0 dropped\n"
           "1 Fold: 1 runs, 0 changes, 0 matched, 1 dropped\n");
}

static void nodes_are_placed_once_in_each_session(void **state)
{
#define PLACED(text) LINE("session_state.cc:1 VerifyEachNodeIsAssigned", text)
    (void)state;
    expect(START PLACED("Node placements")
               PLACED(" Node(s) placed on [CUDA]. Number of nodes: 2")
                   PLACED("  Conv (c)") PLACED("  Relu ()")
                       PLACED(" Node(s) placed on [CPU]. Number of nodes: 1")
                           PLACED("  Add (a)") START PLACED(
                               " All nodes placed on [CPU]. Number of nodes: 3")
                               PLACED("  Conv (c)"),
           "0 CUDA 'Conv' 'c' part 0\n"
           "0 CUDA 'Relu' '' part 0\n"
           "0 CPU 'Add' 'a' part 0\n"
           "1 CPU '' '' part 0\n"
           "0 places 3 nodes\n"
           "1 places 3 nodes\n"
           "1 lines not known\n");
#undef PLACED
}

static void another_message_ends_a_list_of_nodes(void **state)
{
    (void)state;
    expect(START LINE("session_state.cc:1 Verify",
                      " Node(s) placed on [CPU]. Number of nodes: 1")
               LINE("session_state.cc:1 Verify", "  Conv (c)")
                   LINE("session_state.cc:1 Finalize", "Saving initialized tensors.")
                       LINE("session_state.cc:1 Finalize", "  Relu (later)"),
           "0 CPU 'Conv' 'c' part 0\n"
           "0 places 1 nodes\n"
           "2 lines not known\n");
}

/* A constant is too large to be folded, and so is a node. */
#define DUE                                                                            \
    LINE("fold.cc:1 F", "Skipping constant folding for OP node 'c' because it is "     \
                        "large")

static void a_reason_counts_how_often_it_is_stated(void **state)
{
#define FOLDING(text) LINE("constant_folding.cc:1 ApplyImpl", text)
    (void)state;
    expect(START DUE DUE FOLDING("it is odd and hence can't constant fold Mul node 'm'")
               START DUE LINE("fusion.cc:1 Fuse",
                              "Fuse: skipping candidate due to its type")
                   LINE("fusion.cc:1 Fuse", "Fuse[n]: fusion skipped: no weights"),
           "0 skip 'ConstantFolding' 'c' '' 'it is large' 2\n"
           "0 skip 'ConstantFolding' 'm' '' 'it is odd' 1\n"
           "1 skip 'ConstantFolding' 'c' '' 'it is large' 1\n"
           "1 skip 'Fuse' '' '' 'its type' 1\n"
           "1 skip 'Fuse' 'n' '' 'no weights' 1\n");
#undef FOLDING
}

static void a_function_of_a_fusion_misses_something(void **state)
{
#define MISS(file, text) LINE(file ":1 Check", text)
    (void)state;
    expect(START MISS("attention_fusion.cc", "Failed to find path") APPLY("Attention")
               MISS("attention_fusion.cc", "Failed to find path")
                   MISS("attention_fusion.cc", "Found path")
                       MISS("graph.cc", "Failed to find path"),
           "0 Attention: 0 runs, 0 changes, 0 matched, 0 dropped\n"
           "0 skip 'Attention' '' 'Check' 'Failed to find path' 1\n"
           "3 lines not known\n");
#undef MISS
}

static void what_a_pass_adds_is_an_event(void **state)
{
#define ADDED(text) LINE("memcpy.cc:1 Add", text)
    (void)state;
    expect(START APPLY("Copies") ADDED("Add MemcpyToHost before t for CUDA")
               ADDED("Add MemcpyFromHost after u for CUDA")
                   ADDED("2 Memcpy nodes are added to the graph g for CUDA.")
                       ADDED("Add MemcpyToHost beside t for CUDA")
                           ADDED("Inserted Q/DQ pair between src node (\"a\", index: 1)"
                                 " and dst node (\"b\", index: 2) at NodeArg \"t\".")
                               ADDED("Inserting Q/DQ pair between input and node "
                                     "(\"b\", index: 2) at NodeArg \"x\"."),
           "0 Copies: 0 runs, 0 changes, 0 matched, 0 dropped\n"
           "0 add 'Copies' 't' 'MemcpyToHost' 'for CUDA' 0\n"
           "0 add 'Copies' 'u' 'MemcpyFromHost' 'for CUDA' 0\n"
           "0 warning '' 'memcpy' '' '2 Memcpy nodes are added to the graph g for "
           "CUDA.' 0\n"
           "0 add 'Copies' 't' 'a Q/DQ pair' 'between a and b' 0\n"
           "0 add 'Copies' 'x' 'a Q/DQ pair' 'between input and b' 0\n"
           "1 lines not known\n");
#undef ADDED
}

/* --------------------------------------------------------------------- assignments */

static void nodes_are_assigned_group_by_group(void **state)
{
    (void)state;
    expect("[{\"ep\": \"A\", \"nodes\": [{\"name\": \"c\", \"op\": \"Conv\"},"
           " {\"name\": \"r\", \"op_type\": \"Relu\", \"more\": {\"op\": \"Add\"}}]},"
           " {\"nodes\": [{\"name\": \"n\", \"op\": \"Neg\"}]},"
           " {\"nodes\": [{\"name\": \"m\", \"op\": \"Mul\"}, {\"name\": \"none\"}],"
           " \"other\": [{\"name\": \"o\"}], \"ep_name\": \"B\"}]",
           "0 A 'Conv' 'c' part 1\n"
           "0 A 'Relu' 'r' part 1\n"
           "0 B 'Mul' 'm' part 3\n");
}

static void of_an_assignment_that_is_cut_no_node_is_kept(void **state)
{
    static const char whole[] = "[{\"ep\":\"A\",\"nodes\":[{\"name\":\"c\",\"op\":"
                                "\"Conv\"}]},{\"ep\":\"B\",\"nodes\":[{\"name\":\"r\","
                                "\"op\":\"Relu\"}]}]";

    (void)state;
    expect(whole, "0 A 'Conv' 'c' part 1\n0 B 'Relu' 'r' part 2\n");
    for (size_t n = 1; n < sizeof whole - 2; n++) {
        char *got = read_text(whole, n);

        assert_string_equal(got, "");
        free(got);
    }
}

static void files_are_assignments_by_their_words(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } rows[] = {{"[{\"ep\": \"A\", \"nodes\": []}]", true},
                {" [{\"nodes\": [], \"ep_name\": \"A\"}]", true},
                {"{\"nodes\": [], \"ep_name\": \"A\"}", true},
                {"[{\"ep\": \"A\", \"layers\": []}]", false},
                {"[{\"nodes\": [], \"provider\": \"A\"}]", false},
                {"nodes ep", false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fsd_file file = {.name = "assignment",
                                .bytes = (const unsigned char *)rows[i].text,
                                .size = strlen(rows[i].text)};

        assert_int_equal(fsd_ort_is_assignment(&file), rows[i].is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_counts_its_runs_and_effects),
        cmocka_unit_test(a_pass_beyond_the_limit_is_left_out),
        cmocka_unit_test(colors_are_passed_over),
        cmocka_unit_test(a_second_session_has_passes_of_its_own),
        cmocka_unit_test(nodes_are_placed_once_in_each_session),
        cmocka_unit_test(another_message_ends_a_list_of_nodes),
        cmocka_unit_test(a_reason_counts_how_often_it_is_stated),
        cmocka_unit_test(a_function_of_a_fusion_misses_something),
        cmocka_unit_test(what_a_pass_adds_is_an_event),
        cmocka_unit_test(files_are_assignments_by_their_words),
        cmocka_unit_test(nodes_are_assigned_group_by_group),
        cmocka_unit_test(of_an_assignment_that_is_cut_no_node_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
