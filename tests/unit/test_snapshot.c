/* Snapshots: names of every kind come back, a snapshot cut anywhere is refused or
 * whole, and so is one whose variants are not of whole groups. */
#include "change/snapshot/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *text_of(const struct fsd_state *s, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    assert_non_null(out);
    fsd_snapshot_write(s, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static enum fsd_status read_text(const char *text, size_t size, struct fsd_state **out,
                                 struct fsd_error *err)
{
    char path[] = "fsd-snapshot-XXXXXX";
    int fd = mkstemp(path);
    enum fsd_status status;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
    status = fsd_snapshot_read(out, path, err);
    unlink(path);
    return status;
}

/* One node a name, each reading the one before. */
static struct fsd_state *named_state(const char *const *names, uint32_t n)
{
    struct fsd_state *s = fsd_state_new();

    for (uint32_t i = 0; i < n; i++) {
        struct fsd_state_node node = {.key = fsd_intern_str(s->names, names[i]),
                                      .op = fsd_intern_str(s->names, "Relu"),
                                      .named = true,
                                      .in = {s->sources.n, i > 0},
                                      .group = FSD_NONE};

        if (i)
            fsd_vec_push(s->arena, &s->sources,
                         ((struct fsd_producer){fsd_node_origin(i - 1), i % 3}));
        fsd_vec_push(s->arena, &s->nodes, node);
    }
    fsd_state_finish(s);
    return s;
}

static void snapshot__odd_names(void **state)
{
    static const char *const names[] = {"plain_1",
                                        "/layer1/conv",
                                        "a b",
                                        "\"",
                                        "\\",
                                        "-",
                                        "@",
                                        "<",
                                        "#3",
                                        "x#3",
                                        "unnamed",
                                        "->",
                                        "~ 1",
                                        "\x01\n",
                                        "end",
                                        "\xc2\x9b",
                                        "\xf3\xa0\x81\x81",
                                        "\xe2\x80\xae",
                                        "\\u{41}",
                                        "\xe4\xb8\xad"};
    struct fsd_state *s = named_state(names, FSD_COUNT_OF(names)), *back;
    struct fsd_error err;
    size_t size, again_size;
    char *text = text_of(s, &size), *again;

    (void)state;
    assert_int_equal(read_text(text, size, &back, &err), FSD_OK);
    assert_int_equal(back->nodes.n, FSD_COUNT_OF(names));
    for (uint32_t i = 0; i < back->nodes.n; i++) {
        const struct fsd_state_node *n = &back->nodes.at[i];

        assert_string_equal(fsd_text(back->names, n->key), names[i]);
        assert_int_equal(n->in.n, i > 0);
        if (i) {
            assert_int_equal(fsd_origin_node(back->sources.at[n->in.at].at), i - 1);
            assert_int_equal(back->sources.at[n->in.at].out, i % 3);
        }
    }
    again = text_of(back, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, text, size);
    free(again);
    free(text);
    fsd_state_free(back);
    fsd_state_free(s);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);

    assert_non_null(in);
    assert_non_null(text);
    *size = fread(text, 1, (1 << 16) - 1, in);
    fclose(in);
    return text;
}

/* The last line is "end": every shorter beginning is refused, with a line. */
static void snapshot__cut_anywhere(void **state)
{
    size_t size;
    char *text = read_whole(FSD_FIXTURES "/gate/before.fsd", &size);

    (void)state;
    for (size_t n = 0; n + 1 < size; n++) {
        struct fsd_state *back;
        struct fsd_error err;

        assert_int_equal(read_text(text, n, &back, &err), FSD_E_FORMAT);
        assert_null(back);
        assert_int_equal(err.unit, FSD_POS_LINE);
    }
    free(text);
}

/* A changed byte is refused or read, and never worse. */
static void snapshot__changed_anywhere(void **state)
{
    static const char bytes[] = {' ', '#', '"', '@', '-', '<', '9', '\n', '\\', '\0'};
    size_t size;
    char *text = read_whole(FSD_FIXTURES "/gate/before.fsd", &size);

    (void)state;
    for (size_t i = 0; i < size; i++) {
        char kept = text[i];
        struct fsd_state *back;
        struct fsd_error err;

        text[i] = bytes[i % sizeof bytes];
        if (read_text(text, size, &back, &err) == FSD_OK)
            fsd_state_free(back);
        text[i] = kept;
    }
    free(text);
}

static enum fsd_status read_group(const char *group, struct fsd_error *err)
{
    struct fsd_state *back;
    char text[1000];
    int n = snprintf(text, sizeof text,
                     "fusiondiff snapshot 1\n"
                     "input x 1x3 fp32/chw\n"
                     "output y 1x3 fp32/chw < c\n"
                     "node a Conv core layer fp16 < @x ; w8x3x3x3 w\n"
                     "node b Relu core layer fp16 < a @x\n"
                     "node c Relu core layer fp16 < b\n"
                     "group compute fp16 1 : a\n"
                     "group compute fp16 1 : %s\n"
                     "end\n",
                     group);
    enum fsd_status status = read_text(text, (size_t)n, &back, err);

    fsd_state_free(back);
    return status;
}

/* What compares borders counts on it that they are of the group's nodes, in order. */
static void snapshot__borders(void **state)
{
    static const char *const refused[] = {
        "b c < - fp16 b",                        /* from nowhere */
        "b c < @x fp16 a",                       /* of another group */
        "b c > a fp16",                          /* likewise, out */
        "b c < a fp16 b < a fp16 c < @x fp16 b", /* in no order */
        "b c > c fp16 > b fp16",                 /* likewise, out */
    };
    struct fsd_error err;

    (void)state;
    assert_int_equal(read_group("b c < a fp16 b < @x fp16 b > c fp16", &err), FSD_OK);
    for (size_t i = 0; i < FSD_COUNT_OF(refused); i++) {
        assert_int_equal(read_group(refused[i], &err), FSD_E_FORMAT);
        assert_int_equal(err.pos, 8);
    }
}

static enum fsd_status read_variants(const char *lines, struct fsd_state **back,
                                     struct fsd_error *err)
{
    char text[1024];

    snprintf(text, sizeof text,
             "fusiondiff snapshot 1\n"
             "input x 1 fp32/chw\n"
             "node a Conv core layer fp16 < @x\n"
             "node b Relu core layer fp16 < a\n"
             "node c Conv core layer fp16 < b\n"
             "group compute fp16 1 : a b < @x fp16 a > b fp16\n"
             "  move reformat io inserted : fp32 -> fp16 < @x > a\n"
             "group compute fp16 1 : c < b fp16 c > c fp16\n"
             "  move noop free inserted : fp16 -> fp32 < @x >\n"
             "%send\n",
             lines);
    return read_text(text, strlen(text), back, err);
}

/* The others are the first but for their variants: whole groups, each once. */
static void snapshot__variants(void **state)
{
    static const char *const refused[] = {
        "variant : a b\n",            /* of no build */
        "group compute fp32 1 : a\n", /* of the first, twice */
        "also H t p\nlayers 1 1 1\ngroup compute fp32 1 : a\n",  /* of no variant */
        "also H t p\nnode d Relu core layer fp16 < c\n",         /* another model */
        "also H t p\nfate d layer fp16\n",                       /* likewise */
        "also H t p\nlayers 1 1 1\nlayers 1 1 1\n",              /* once only */
        "also H t p\nvariant : a\n",                             /* half a group */
        "also H t p\nvariant : a b b\n",                         /* twice */
        "also H t p\nvariant : a b\nvariant : b c\n",            /* in two rows */
        "also H t p\nvariant : a b\ngroup compute fp32 1 : c\n", /* of another row */
        "also H t p\nvariant : @x\n",                            /* no node */
        "also H t p\nvariant : a b\nlayers 1 1 1\n",             /* order */
    };
    struct fsd_error err;
    struct fsd_state *back;
    char lines[512];

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(refused); i++) {
        const char *hash = strchr(refused[i], 'H');

        if (hash)
            snprintf(lines, sizeof lines,
                     "%.*sxxh128:00000000000000000000000000000000%s",
                     (int)(hash - refused[i]), refused[i], hash + 1);
        else
            snprintf(lines, sizeof lines, "%s", refused[i]);
        assert_int_equal(read_variants(lines, &back, &err), FSD_E_FORMAT);
        assert_null(back);
    }
    assert_int_equal(read_variants("also xxh128:00000000000000000000000000000001 t p\n"
                                   "layers 3 2 2\n"
                                   "fate a layer fp32\n"
                                   "variant : a b\n"
                                   "group compute fp32 1 : a < @x fp32 a > a fp32\n"
                                   "group compute fp16 1 : b < a fp32 b > b fp16\n"
                                   "also xxh128:00000000000000000000000000000002 t p\n"
                                   "variant :\n"
                                   "variant : c\n"
                                   "group compute int8 1 : c < b fp16 c > c fp16\n",
                                   &back, &err),
                     FSD_OK);
    assert_int_equal(back->groups.n, 2);
    assert_int_equal(back->moves.n, 2);
    assert_int_equal(back->nodes.at[0].precision, FSD_FP16);
    assert_int_equal(back->also.n, 2);
    assert_int_equal(back->also.at[0]->groups.n, 3);
    assert_int_equal(back->also.at[0]->moves.n, 1); /* that of no group */
    assert_int_equal(back->also.at[0]->nodes.at[0].precision, FSD_FP32);
    assert_int_equal(back->also.at[0]->layers, 3);
    assert_int_equal(back->also.at[1]->groups.n, 2);
    assert_int_equal(back->also.at[1]->moves.n, 1); /* that of a group */
    assert_int_equal(back->also.at[1]->groups.at[1].precision, FSD_INT8);
    fsd_state_free(back);
}

/* What the writer spells out does not stand there raw: no name ends at a zero byte,
 * none loses what looks like a line's end. */
static void snapshot__control_bytes(void **state)
{
    static const char bytes[] = {'\0', '\1', '\t', '\r', '\x1b', '\x7f'};
    char text[] = "fusiondiff snapshot 1\n"
                  "node a Conv core layer fp16 <\r\n"
                  "node b.c Relu core layer fp16 < a\n"
                  "end\n";
    char *dot = strchr(text, '.');
    struct fsd_state *back;
    struct fsd_error err;

    (void)state;
    assert_int_equal(read_text(text, sizeof text - 1, &back, &err), FSD_OK);
    fsd_state_free(back);
    for (size_t i = 0; i < sizeof bytes; i++) {
        *dot = bytes[i];
        assert_int_equal(read_text(text, sizeof text - 1, &back, &err), FSD_E_FORMAT);
        assert_null(back);
        assert_int_equal(err.pos, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshot__odd_names),
        cmocka_unit_test(snapshot__cut_anywhere),
        cmocka_unit_test(snapshot__changed_anywhere),
        cmocka_unit_test(snapshot__borders),
        cmocka_unit_test(snapshot__variants),
        cmocka_unit_test(snapshot__control_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
