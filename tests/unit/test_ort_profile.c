/* What is read of the profile that a session of ONNX Runtime writes. */
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

#define HEAD "[{\"cat\":\"Session\",\"name\":\"session_initialization\",\"args\":{}}"
#define NODE_OF(name, ts, dur, args)                                                   \
    ",{\"cat\":\"Node\",\"ts\":" #ts ",\"dur\":" #dur ",\"name\":\"" name              \
    "_kernel_time\",\"args\":{" args "}}"
#define NODE(name, ts, dur) NODE_OF(name, ts, dur, "\"provider\":\"CPU\"")
#define SIZED(name, ts, sizes)                                                         \
    NODE_OF(name, ts, 1, "\"output_type_shape\":" sizes ",\"provider\":\"CPU\"")
#define EXECUTE(ts)                                                                    \
    ",{\"cat\":\"Session\",\"ts\":" #ts                                                \
    ",\"dur\":1,\"name\":\"SequentialExecutor::Execute\",\"args\":{}}"
#define RUN                                                                            \
    ",{\"cat\":\"Session\",\"ts\":0,\"dur\":1,\"name\":\"model_run\",\"args\":{}}"
#define TAIL "]"

static void put_entries(const struct fsd_intern *names, const struct fsd_profile *p,
                        FILE *out)
{
    fprintf(out, "%u runs%s\n", (unsigned)p->runs, p->single_run ? ", the first" : "");
    for (uint32_t i = 0; i < p->entries.n; i++) {
        const struct fsd_profile_entry *e = &p->entries.at[i];

        fprintf(out, "%s %g%s", fsd_text(names, e->name), e->mean_ms,
                e->odd ? " odd" : "");
        if (e->within)
            fprintf(out, " in %u", e->within - 1);
        if (e->sizes)
            fprintf(out, " %s", fsd_text(names, e->sizes));
        putc('\n', out);
    }
}

static void expect(const char *text, const char *want)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    struct fsd_file file = {.name = "profile.json",
                            .bytes = (const unsigned char *)text,
                            .size = strlen(text)};
    fsd_profile_vec profiles = {0};
    struct fsd_error err;
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    assert_non_null(out);
    if (fsd_ort_profile_read(arena, names, &file, &profiles, &err) == FSD_OK)
        put_entries(names, &profiles.at[0], out);
    else
        fprintf(out, "%s\n", err.message);
    fclose(out);
    assert_string_equal(got, want);
    free(got);
    fsd_arena_free(arena);
}

static void the_first_of_several_runs_is_dropped(void **state)
{
    (void)state;
    expect(HEAD NODE("a", 1, 9000) RUN NODE("a", 1, 2000) RUN NODE("a", 1, 4000)
               RUN TAIL,
           "2 runs\na 3\n");
    expect(HEAD NODE("a", 1, 9000) RUN TAIL, "1 runs, the first\na 9\n");
}

/* Of a run that did not end the times are as good as those of a first one. */
static void a_session_that_ended_in_a_run(void **state)
{
    (void)state;
    expect(HEAD NODE("a", 1, 9000) TAIL, "1 runs, the first\na 9\n");
    expect(HEAD NODE("a", 1, 9000) RUN NODE("a", 1, 2000) TAIL,
           "1 runs, the first\na 9\n");
    expect(HEAD TAIL,
           "expected a profile of layers, found the profile of a session that ran no "
           "nodes\n");
}

/* What only the first run has is no part of the others. */
static void a_node_that_later_runs_lack_has_no_time(void **state)
{
    (void)state;
    expect(HEAD NODE("a", 1, 9000) NODE("b", 2, 9000) RUN NODE("a", 1, 2000) RUN TAIL,
           "1 runs\na 2\nb -1\n");
}

static void impossible_times_are_odd(void **state)
{
    (void)state;
    expect(HEAD NODE("a", 1, -5) RUN TAIL, "1 runs, the first\na -1 odd\n");
    expect(HEAD NODE("a", 1, 1000000000) RUN TAIL, "1 runs, the first\na 1e+06\n");
    expect(HEAD NODE("a", 1, 1000000001) RUN TAIL, "1 runs, the first\na -1 odd\n");
    expect(HEAD NODE("a", 1, 0) RUN TAIL, "1 runs, the first\na 0\n");
}

/* The If starts first, its body's Execute behind it, and both end behind what ran. */
static void what_ran_in_a_body_is_within_its_owner(void **state)
{
    (void)state;
    expect(HEAD NODE("a", 1, 1000) NODE("inner", 12, 500) EXECUTE(11)
               NODE("if", 10, 3000) EXECUTE(0) RUN TAIL,
           "1 runs, the first\na 1\nif 3\ninner 0.5 in 1\n");
}

static void nodes_of_one_name_are_told_apart_by_their_index(void **state)
{
    (void)state;
    expect(HEAD NODE_OF("a", 1, 1000, "\"node_index\":\"3\"")
               NODE_OF("a", 2, 2000, "\"node_index\":\"4\"") RUN TAIL,
           "1 runs, the first\na 1\na 2\n");
    expect(HEAD NODE_OF("a", 1, 1000, "\"graph_index\":\"3\"")
               NODE_OF("a", 2, 3000, "\"node_index\":\"3\"") RUN TAIL,
           "1 runs, the first\na 2\n");
}

static void sizes_are_those_of_all_runs(void **state)
{
    (void)state;
    expect(HEAD SIZED("a", 1, "[{\"float\":[1,64]},{\"int64\":[]}]") RUN TAIL,
           "1 runs, the first\na 0.001 [1,64] []\n");
    expect(HEAD SIZED("a", 1, "[{\"float\":[1]}]")
               RUN SIZED("a", 1, "[{\"float\":[2]}]") RUN TAIL,
           "1 runs\na 0.001\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_several_runs_is_dropped),
        cmocka_unit_test(a_session_that_ended_in_a_run),
        cmocka_unit_test(a_node_that_later_runs_lack_has_no_time),
        cmocka_unit_test(impossible_times_are_odd),
        cmocka_unit_test(what_ran_in_a_body_is_within_its_owner),
        cmocka_unit_test(nodes_of_one_name_are_told_apart_by_their_index),
        cmocka_unit_test(sizes_are_those_of_all_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
