/* arena, vec, intern, text, status, file: the ground everything stands on. */
#include "base/base.h"
#include "base/intern.c" /* what its table makes of hostile names */

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void arena__gives_zeroed_aligned_memory(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    (void)state;

    for (size_t n = 1; n < 3000; n += 7) {
        char *byte = fsd_arena_alloc(arena, 1, 1, 1);
        long double *numbers = FSD_NEW(arena, long double, n);

        assert_int_equal(*byte, 0);
        assert_int_equal((uintptr_t)numbers % alignof(long double), 0);
        for (size_t i = 0; i < n; i++)
            assert_true(numbers[i] == 0);
        memset(numbers, 0xff, n * sizeof *numbers);
        *byte = 1;
    }
    fsd_arena_free(arena);
    fsd_arena_free(NULL);
}

/* Arrays of all sizes grow, small and large ones between each other, and keep what they
 * have; the arena frees them. */
static void arena__grows_what_it_gave(void **state)
{
    enum { ARRAYS = 4, STEPS = 5 };
    static const size_t sizes[ARRAYS][STEPS] = {
        {10, 20, 5000, 5001, 6000},
        {3 << 20, 3 << 20, 5 << 20, 6 << 20, 7 << 20},
        {1, 1 << 20, (1 << 20) + 1, 2 << 20, 3 << 20},
        {2 << 20, 4 << 20, 4 << 20, 9 << 20, 9 << 20}};
    struct fsd_arena *arena = fsd_arena_new();
    unsigned char *at[ARRAYS] = {NULL};
    (void)state;

    for (size_t step = 0; step < STEPS; step++)
        for (unsigned i = 0; i < ARRAYS; i++) {
            size_t before = step ? sizes[i][step - 1] : 0;

            at[i] = fsd_arena_grow(arena, at[i], before, sizes[i][step]);
            memset(at[i] + before, (int)(i * STEPS + step + 1),
                   sizes[i][step] - before);
            for (size_t was = 0; was < step; was++) {
                size_t from = was ? sizes[i][was - 1] : 0, to = sizes[i][was];

                if (to == from)
                    continue;
                assert_int_equal(at[i][from], i * STEPS + was + 1);
                assert_int_equal(at[i][to - 1], i * STEPS + was + 1);
            }
            assert_string_equal(fsd_arena_strndup(arena, "between", 4), "betw");
        }
    fsd_arena_free(arena);
}

static void clock__is_that_of_the_system(void **state)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME,
                                       CLOCK_PROCESS_CPUTIME_ID};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct timespec before, after;
        double now;

        clock_gettime(clocks[i], &before);
        now = i ? fsd_clock(clocks[i]) : fsd_now();
        clock_gettime(clocks[i], &after);
        assert_true(now > (double)before.tv_sec + (double)before.tv_nsec * 1e-9 - 1e-6);
        assert_true(now < (double)after.tv_sec + (double)after.tv_nsec * 1e-9 + 1e-6);
    }
    assert_true(fsd_clock((clockid_t)99) == 0); /* no system has this one */
}

static void end_quietly(void)
{
    _exit(2);
}

/* A size that cannot even be represented. */
static void arena__without_memory_ends_as_told(void **state)
{
    pid_t child = fork();
    int status;
    (void)state;

    assert_true(child >= 0);
    if (!child) {
        fsd_on_out_of_memory(end_quietly);
        fsd_arena_alloc(fsd_arena_new(), SIZE_MAX / 2, 8, 8);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
}

static void vec__keeps_what_was_pushed(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    FSD_VEC(int) v = {0};
    (void)state;

    for (int i = 0; i < 1000; i++)
        fsd_vec_push(arena, &v, i * i);
    assert_int_equal(v.n, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
    fsd_arena_free(arena);
}

static void intern__equal_text_is_equal_symbol(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    fsd_sym a = fsd_intern_str(names, "Conv_1"),
            b = fsd_intern_add(names, "Conv_12", 6);
    (void)state;

    assert_int_equal(a, b);
    assert_int_not_equal(a, fsd_intern_str(names, "Conv_12"));
    assert_int_equal(fsd_intern_find(names, "Conv_3", 6), FSD_NONE);
    assert_int_equal(fsd_intern_str(names, NULL), 0);
    assert_string_equal(fsd_text(names, 0), "");
    assert_int_equal(fsd_text_len(names, a), 6);
    assert_int_equal(fsd_intern_count(names), 3);
    fsd_arena_free(arena);
}

static void intern__finds_each_of_many(void **state)
{
    enum { NAMES = 5000 };
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    char name[16];
    (void)state;

    for (fsd_sym i = 1; i <= NAMES; i++) {
        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(fsd_intern_find(names, name, strlen(name)), FSD_NONE);
        assert_int_equal(fsd_intern_str(names, name), i);
    }
    for (fsd_sym i = 1; i <= NAMES; i++) {
        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(fsd_intern_str(names, name), i);
        assert_int_equal(fsd_intern_find(names, name, strlen(name)), i);
        assert_string_equal(fsd_text(names, i), name);
    }
    assert_int_equal(fsd_intern_count(names), NAMES + 1);
    fsd_arena_free(arena);
}

/* Names whose hashes agree in their low half without a seed: in one table of 65,536
 * slots or fewer they were all one run.  In two tables with seeds they scatter, and
 * not alike. */
static void intern__scatters_prepared_names(void **state)
{
    enum { NAMES = 64 };
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *tables[] = {fsd_intern_new(arena), fsd_intern_new(arena)};
    unsigned alike = 0, moved = 0;
    uint32_t first[2];
    (void)state;

    for (unsigned found = 0, i = 0; found < NAMES; i++) {
        char name[16];
        size_t n = (size_t)snprintf(name, sizeof name, "n%u", i);
        uint32_t hash[2];

        if ((uint16_t)fsd_hash_bytes(name, n) != 0x1234)
            continue;
        found++;
        for (int k = 0; k < 2; k++) {
            fsd_sym sym = fsd_intern_add(tables[k], name, n);

            assert_int_equal(sym, found); /* whatever the seed */
            hash[k] = hash_of(tables[k], name, n);
            assert_int_equal(find(tables[k], name, n, hash[k])->hash, hash[k]);
            first[k] = found == 1 ? hash[k] : first[k];
            alike += (hash[k] & 0xffff) == (first[k] & 0xffff);
        }
        moved += hash[0] != hash[1];
    }
    assert_true(alike <= 2 + 2); /* each with itself, and a little chance */
    assert_true(moved >= NAMES - 2);
    fsd_arena_free(arena);
}

static void intern__leaves_bytes_as_they_are(void **state)
{
    static const char bytes[][4] = {"a\xff\0", "a\xff\1", "a\xff\0"};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    (void)state;

    assert_int_equal(fsd_intern_bytes(names, "", 0), 0);
    assert_int_equal(fsd_intern_bytes(names, bytes[0], 3), 1);
    assert_int_equal(fsd_intern_bytes(names, bytes[1], 3), 2);
    assert_int_equal(fsd_intern_bytes(names, bytes[2], 3), 1);
    assert_int_equal(fsd_intern_bytes(names, bytes[2], 2), 3);
    assert_ptr_equal(fsd_text(names, 1), bytes[0]);
    fsd_arena_free(arena);
}

static void intern__repairs_bytes_that_are_no_text(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_intern_new(arena);
    (void)state;

    assert_string_equal(fsd_text(names, fsd_intern_add(names,
                                                       "a\xff"
                                                       "b",
                                                       3)),
                        "a\\xffb");
    assert_string_equal(fsd_text(names, fsd_intern_add(names, "a\0b", 3)), "a\\x00b");
    assert_string_equal(fsd_text(names, fsd_intern_str(names, "\xc3\xa9")), "\xc3\xa9");
    /* An overlong slash and a surrogate are not UTF-8. */
    assert_string_equal(fsd_text(names, fsd_intern_str(names, "\xc0\xaf")),
                        "\\xc0\\xaf");
    assert_string_equal(fsd_text(names, fsd_intern_str(names, "\xed\xa0\x80")),
                        "\\xed\\xa0\\x80");
    fsd_arena_free(arena);
}

/* Every code point must be seen as one character, of the right value. */
static void utf8__reads_every_code_point(void **state)
{
    (void)state;
    for (uint32_t code = 1; code < 0x110000; code++) {
        unsigned char s[4];
        size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

        if (code >= 0xd800 && code < 0xe000)
            continue;
        for (size_t i = n; i-- > 1;)
            s[i] = (unsigned char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3f));
        s[0] =
            (unsigned char)(n == 1 ? code : (0xf00u >> n & 0xff) | code >> 6 * (n - 1));
        assert_int_equal(fsd_utf8_len(s, n), n);
        assert_int_equal(fsd_utf8_len(s, n - 1), 0);
        assert_int_equal(fsd_utf8_code(s, n), code);
    }
}

static void text__hidden_characters_are_shown(void **state)
{
    static const char text[] =
        "a\033[31m\nb\xe2\x80\xae"; /* escape, newline, bidi override */
    static const char shown[] = "a\\u{1b}[31m\\u{a}b\\u{202e}";
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    (void)state;

    fsd_put_safe(stream, text);
    fclose(stream);
    assert_string_equal(out, shown);
    assert_int_equal(fsd_safe_width(text), strlen(shown));
    free(out);
}

static void text__columns_are_those_of_a_terminal(void **state)
{
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {
        {"", 0},
        {"conv1", 5},
        {"caf\u00e9", 4},
        {"cafe\u0301", 4},   /* e and an acute accent that stands on it */
        {"\u5377\u79ef", 4}, /* two Han characters */
        {"\uff23\uff4f", 4}, /* full width Latin */
        {"\uff76\uff9e", 2}, /* half width Katakana with its mark */
        {"\ud55c", 2},       /* a Hangul syllable */
        {"\U0001f600", 2},   /* an emoji */
        {"\u0e01\u0e31", 1}, /* Thai, a vowel above its consonant */
        {"a\u200bb", 2 + 8}, /* a zero width space is shown: \u{200b} */
        {"\u0378", 1},       /* not assigned: one box */
    };
    (void)state;

    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++)
        assert_int_equal(fsd_safe_width(cases[i].text), cases[i].columns);
}

static void text__is_fitted_by_columns(void **state)
{
    static const struct {
        const char *text;
        size_t width;
        const char *shown;
    } cases[] = {
        {"layer", 8, "layer"},
        {"backbone.layer1", 15, "backbone.layer1"},
        {"backbone.layer1", 10, "backbone.layer1"}, /* one word */
        {"/m/layers.0/q_proj/Add", 22, "/m/layers.0/q_proj/Add"},
        {"/m/layers.0/q_proj/Add", 21, "/m/.../q_proj/Add"},
        {"/m/layers.0/q_proj/Add", 17, "/m/.../q_proj/Add"},
        {"/m/layers.0/q_proj/Add", 16, ".../q_proj/Add"},
        {"/m/layers.0/q_proj/Add", 13, "/m/.../Add"},
        {"/m/layers.0/q_proj/Add", 9, ".../Add"},
        {"/m/a/layers.0/q_proj/Add", 22, "/m/a/.../q_proj/Add"},
        {"model/layers/Conv2D_transpose", 12, ".../Conv2D_transpose"},
        {"two words of a sentence", 18, "two ... a sentence"},
        /* a note belongs to its name */
        {"/m/x/Add (requested int8)", 24, ".../Add (requested int8)"},
        {"#12 (Conv)", 8, "#12 (Conv)"},
        /* names of a list are counted, and the first and the last stand */
        {"Conv_1 + Relu_2 + Conv_3", 24, "Conv_1 + Relu_2 + Conv_3"},
        {"Conv_1 + Relu_2 + Conv_3", 23, "Conv_1 + 1 more + Conv_3"},
        {"a + b + c + d + e + Relu", 23, "a + b + 3 more + Relu"},
        {"/m/x/y/Conv + /n/x/y/Relu", 24, ".../y/Conv + /n/x/y/Relu"},
        {"/m/x/a/Add + /m/x/Mul and 12 more", 30, "/m/x: a/Add + Mul and 12 more"},
        {"aaaaaaaa + bbbbb + c and 3 more", 26, "aaaaaaaa + 1 more + c and 3 more"},
        {"PWN(a + b) + cccccccc", 16, "PWN(a + b) + cccccccc"},
        /* the path of all names stands once */
        {"/m/x/a/Add + /m/x/Mul", 20, "/m/x: a/Add + Mul"},
        {"/m/x/yyyyyyyyyy/a/Add + /m/x/yyyyyyyyyy/Mul", 24,
         ".../yyyyyyyyyy: a/Add + Mul"},
        {"\u5377/\u79ef/\u5c42\u4e00\u4e8c\u4e09", 12, ".../\u5c42\u4e00\u4e8c\u4e09"},
        {"anything/at/all", 7, "anything/at/all"}, /* too narrow */
    };
    (void)state;

    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        char *out = NULL;
        size_t size = 0, used;
        FILE *stream = open_memstream(&out, &size);

        used = fsd_put_fitted(stream, cases[i].text, cases[i].width);
        fclose(stream);
        assert_string_equal(out, cases[i].shown);
        assert_int_equal(used, fsd_safe_width(out));
        free(out);
    }
}

/* A word that is longer than lines is no name to read: it loses its middle, between
 * characters. */
static void text__of_a_long_word_the_middle_is_left_out(void **state)
{
    static const size_t lengths[] = {160, 161, 1000};
    (void)state;

    for (size_t i = 0; i < FSD_COUNT_OF(lengths); i++) {
        char word[3 * 1000 + 1] = "", *out = NULL;
        size_t size = 0, used;
        FILE *stream = open_memstream(&out, &size);

        for (size_t k = 0; k < lengths[i] / 2; k++)
            strcat(word, "\u5377");
        strcat(word, lengths[i] % 2 ? "b" : "");
        used = fsd_put_fitted(stream, word, 20);
        fclose(stream);
        assert_int_equal(used, fsd_safe_width(out));
        assert_true(used <= 160 && used > 150);
        assert_int_equal(strstr(out, "...") != NULL, lengths[i] > 160);
        free(out);
    }
}

static void text__names_share_their_path(void **state)
{
    static const struct {
        const char *names, *joiner;
        size_t width;
        const char *shown;
    } cases[] = {
        {"/m/x/a/Add + /m/x/Mul", " + ", 80, "/m/x: a/Add + Mul"},
        {"/m/x/a/Add + /m/x/a/Mul", " + ", 80, "/m/x/a: Add + Mul"},
        {"/m/xa/Add + /m/x/Mul", " + ", 80, "/m: xa/Add + x/Mul"},
        {"/Add + /Mul", " + ", 80, "/Add + /Mul"},
        {"/m/x/Add", " + ", 80, "/m/x/Add"},
        {"/m/x/Add to /m/x/Mul", " to ", 80, "/m/x: Add to Mul"},
        {"m.x: Add + Mul", " + ", 0, "m.x: Add + Mul"},
        {"", " + ", 80, ""},
    };
    (void)state;

    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        char *out = NULL;
        size_t size = 0, used;
        FILE *stream = open_memstream(&out, &size);

        used = fsd_put_names(stream, cases[i].names, cases[i].joiner, cases[i].width);
        fclose(stream);
        assert_string_equal(out, cases[i].shown);
        assert_int_equal(used, fsd_safe_width(out));
        free(out);
    }
}

/* On both sides of the bound, and no half of a character. */
static void text__is_brief_beyond_its_bound(void **state)
{
    char name[FSD_BRIEF + 2], room[FSD_BRIEF_ROOM], want[FSD_BRIEF_ROOM];
    (void)state;

    memset(name, 'n', sizeof name);
    name[FSD_BRIEF] = '\0';
    assert_ptr_equal(fsd_brief(name, room), name);
    name[FSD_BRIEF] = 'n';
    name[FSD_BRIEF + 1] = '\0';
    snprintf(want, sizeof want, "%.*s...", FSD_BRIEF, name);
    assert_string_equal(fsd_brief(name, room), want);
    memcpy(name + FSD_BRIEF - 2, "\xe6\xbc\xa2", 3);
    snprintf(want, sizeof want, "%.*s...", FSD_BRIEF - 2, name);
    assert_string_equal(fsd_brief(name, room), want);
}

static void day__is_of_the_calendar(void **state)
{
    static const char *const none[] = {
        "",           "2026-1-31",   "2026-01-31 ", "2026-99-99", "2026-00-10",
        "2026-02-30", "2100-02-29",  "2026-04-31",  "2026/01/31", "20260131",
        "-026-01-31", "2026-01-310", "+026-01-31",  "2026-13-01", "2026-01-00"};
    static const char *const no_epochs[] = {
        "", "-1", " 5", "5 ", "0x5", "1e9", "253402300800", "99999999999999999999"};
    (void)state;

    assert_int_equal(fsd_day_parse("2026-01-31"), 20260131);
    assert_int_equal(fsd_day_parse("2024-02-29"), 20240229);
    assert_int_equal(fsd_day_parse("2000-02-29"), 20000229);
    assert_int_equal(fsd_day_parse("9999-12-31"), 99991231);
    for (size_t i = 0; i < FSD_COUNT_OF(none); i++)
        assert_int_equal(fsd_day_parse(none[i]), 0);
    assert_int_equal(fsd_day_of_epoch("0"), 19700101);
    assert_int_equal(fsd_day_of_epoch("1769817600"), 20260131);
    assert_int_equal(fsd_day_of_epoch("1769817599"), 20260130);
    assert_int_equal(fsd_day_of_epoch("253402300799"), 99991231);
    for (size_t i = 0; i < FSD_COUNT_OF(no_epochs); i++)
        assert_int_equal(fsd_day_of_epoch(no_epochs[i]), 0);
}

static void list__has_whole_words_only(void **state)
{
    static const char list[] = " Add Conv ConvTranspose ";

    (void)state;
    assert_true(fsd_list_has(list, "Add"));
    assert_true(fsd_list_has(list, "ConvTranspose"));
    assert_true(fsd_list_has("Add", "Add"));
    assert_false(fsd_list_has(list, "Transpose"));
    assert_false(fsd_list_has(list, "ConvT"));
    assert_false(fsd_list_has(list, ""));
    assert_false(fsd_list_has(list, " "));
    assert_false(fsd_list_has(list, "Add Conv"));
    assert_false(fsd_list_has("", ""));
    assert_false(fsd_list_has("", "Add"));
}

static void status__message_is_safe_and_whole(void **state)
{
    struct fsd_error err;
    char text[256], small[12];
    (void)state;

    assert_int_equal(
        fsd_fail(&err, FSD_E_FORMAT, "a\nb", FSD_POS_BYTE, 7, "found '%s'", "\033"),
        FSD_E_FORMAT);
    assert_string_equal(fsd_error_text(&err, text, sizeof text),
                        "a?b: byte 7: found '?'");
    assert_int_equal(strlen(fsd_error_text(&err, small, sizeof small)),
                     sizeof small - 1);
    assert_int_equal(fsd_fail(NULL, FSD_E_IO, NULL, FSD_POS_NONE, 0, "x"), FSD_E_IO);
    for (int i = 0; i < FSD__STATUS_COUNT; i++)
        assert_string_not_equal(fsd_status_name((enum fsd_status)i), "unknown");
}

static void file__reads_regular_files_only(void **state)
{
    char directory[] = "fsd_file_XXXXXX", path[64];
    struct fsd_file file;
    struct fsd_error err;
    (void)state;

    assert_non_null(mkdtemp(directory));
    assert_int_equal(fsd_file_open(&file, directory, 100, &err), FSD_E_IO);
    fsd_file_close(&file);
    snprintf(path, sizeof path, "%s/fifo", directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(fsd_file_open(&file, path, 100, &err), FSD_E_IO);
    fsd_file_close(&file);
    unlink(path);
    snprintf(path, sizeof path, "%s/file", directory);
    assert_int_equal(fsd_file_open(&file, path, 100, &err), FSD_E_IO);
    fsd_file_close(&file);
    FILE *out = fopen(path, "w");
    fputs("hello", out);
    fclose(out);
    assert_int_equal(fsd_file_open(&file, path, 5, &err), FSD_OK);
    assert_memory_equal(file.bytes, "hello", 5);
    fsd_file_release(&file, 5);
    fsd_file_close(&file);
    assert_int_equal(fsd_file_open(&file, path, 4, &err), FSD_E_LIMIT);
    fsd_file_close(&file);
    unlink(path);
    rmdir(directory);
}

static void put_empty(const char *path)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fclose(out);
}

/* As many files as make the table grow, each under another name than the opened one. */
static void opened__knows_a_file_by_each_of_its_names(void **state)
{
    enum { N = 100 };
    char directory[] = "fsd_opened_XXXXXX", path[64], link_path[64];
    struct fsd_opened *opened = fsd_opened_new(), *other = fsd_opened_new();
    struct fsd_file file;
    (void)state;

    assert_non_null(mkdtemp(directory));
    snprintf(link_path, sizeof link_path, "%s/link", directory);
    assert_null(fsd_opened_record(opened));
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "%s/%d", directory, i);
        put_empty(path);
        assert_false(fsd_opened_has(opened, path));
        assert_int_equal(fsd_file_open(&file, path, 100, NULL), FSD_OK);
        fsd_file_close(&file);
    }
    assert_ptr_equal(fsd_opened_record(other), opened);
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "%s/%d", directory, i);
        assert_int_equal((i % 2 ? link(path, link_path)
                                : symlink(path + strlen(directory) + 1, link_path)),
                         0);
        assert_true(fsd_opened_has(opened, link_path));
        assert_false(fsd_opened_has(other, link_path));
        unlink(link_path);
    }
    assert_ptr_equal(fsd_opened_record(NULL), other);
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "%s/%d", directory, i);
        assert_int_equal(fsd_file_open(&file, path, 100, NULL), FSD_OK);
        fsd_file_close(&file);
        assert_false(fsd_opened_has(other, path));
        unlink(path);
    }
    put_empty(link_path);
    assert_true(fsd_opened_add(other, link_path));
    assert_true(fsd_opened_has(other, link_path));
    unlink(link_path);
    assert_true(fsd_opened_add(other, link_path)); /* which is not there */
    rmdir(directory);
    fsd_opened_free(opened);
    fsd_opened_free(other);
}

static volatile sig_atomic_t passed_on;

static void note_signal(int number)
{
    passed_on = number;
}

/* Two files, of which the second loses all pages but the first, and one that is whole.
 */
static void file__that_is_cut_while_read_is_zeros_and_an_error(void **state)
{
    char whole_path[] = "fsd_whole_XXXXXX", cut_path[] = "fsd_cut_XXXXXX";
    const off_t size = 4 * sysconf(_SC_PAGESIZE);
    int whole_fd = mkstemp(whole_path), cut_fd = mkstemp(cut_path);
    struct fsd_file whole, cut;
    struct fsd_error err;
    (void)state;

    signal(SIGBUS, note_signal); /* there before the first file is mapped */
    fsd_map_files(true);
    assert_int_equal(ftruncate(whole_fd, size) | ftruncate(cut_fd, size), 0);
    assert_int_equal(pwrite(cut_fd, "x", 1, 5) + pwrite(cut_fd, "y", 1, size - 1), 2);
    assert_int_equal(fsd_file_open(&whole, whole_path, 1 << 20, &err), FSD_OK);
    assert_int_equal(fsd_file_open(&cut, cut_path, 1 << 20, &err), FSD_OK);
    assert_int_equal(cut.bytes[size - 1], 'y');
    assert_int_equal(ftruncate(cut_fd, 10), 0);
    assert_int_equal(cut.bytes[size - 1], 0);
    assert_int_equal(cut.bytes[size / 2], 0);
    assert_int_equal(cut.bytes[5], 'x');
    assert_int_equal(fsd_file_done(&cut, FSD_OK, &err), FSD_E_IO);
    assert_string_equal(err.file, cut_path);
    assert_int_equal(fsd_file_done(&whole, FSD_E_FORMAT, &err), FSD_E_FORMAT);
    assert_int_equal(passed_on, 0);
    raise(SIGBUS); /* of no file of ours */
    assert_int_equal(passed_on, SIGBUS);
    fsd_map_files(false);
    close(whole_fd);
    close(cut_fd);
    unlink(whole_path);
    unlink(cut_path);
}

/* Writes "head", a range of the file and "tail", as writers do: they write what the
 * system does not copy. */
static size_t copy_between(const struct fsd_file *file, size_t at, size_t n, FILE *out)
{
    size_t copied;

    assert_int_equal(fputs("head", out) < 0, 0);
    copied = fsd_file_copy(file, at, n, out);
    assert_true(copied <= n);
    n -= copied;
    assert_int_equal(fwrite(file->bytes + at + copied, 1, n, out), n);
    assert_int_equal(fputs("tail", out) < 0, 0);
    return copied;
}

/* The copy into a plain file is the system's, where it has one; no other stream gets
 * any. */
static void file__that_is_large_is_copied_by_the_system(void **state)
{
    enum { SIZE = (1 << 24) + 7, AT = 5, N = SIZE - AT - 1 };
    char path[] = "fsd_large_XXXXXX", to_path[] = "fsd_copy_XXXXXX", *text = NULL;
    int fd = mkstemp(path), to_fd = mkstemp(to_path), small_fd;
    struct fsd_file file, copy;
    struct fsd_error err;
    size_t size = 0, copied;
    FILE *out;
    (void)state;

    fsd_map_files(true);
    assert_int_equal(ftruncate(fd, SIZE), 0);
    assert_int_equal(pwrite(fd, "begin", 5, AT) + pwrite(fd, "end", 3, SIZE - 4), 8);
    assert_int_equal(fsd_file_open(&file, path, SIZE, &err), FSD_OK);

    assert_non_null(out = fdopen(to_fd, "w+"));
    copied = copy_between(&file, AT, N, out);
    assert_true(copied == N || !copied); /* a sandbox may forbid the call */
    assert_int_equal(ftello(out), N + 8);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(fsd_file_open(&copy, to_path, SIZE + 8, &err), FSD_OK);
    assert_int_equal(copy.size, N + 8);
    assert_memory_equal(copy.bytes, "headbegin", 9);
    assert_memory_equal(copy.bytes + 4, file.bytes + AT, N);
    assert_memory_equal(copy.bytes + copy.size - 7, "endtail", 7);
    fsd_file_close(&copy);

    assert_non_null(out = open_memstream(&text, &size));
    assert_int_equal(copy_between(&file, AT, 1 << 10, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(size, (1 << 10) + 8);
    free(text);
    assert_non_null(out = fopen(to_path, "a"));
    assert_int_equal(copy_between(&file, AT, 1 << 10, out), 0);
    assert_int_equal(fclose(out), 0);

    /* What another program cut off the end cannot be copied.  It is not read here:
     * cmocka handles SIGBUS itself. */
    assert_int_equal(ftruncate(fd, SIZE - (1 << 20)), 0);
    assert_non_null(out = fopen(to_path, "w"));
    assert_true(fsd_file_copy(&file, AT, N, out) < N);
    assert_int_equal(fclose(out), 0);
    fsd_file_close(&file);

    small_fd = open(path, O_RDWR | O_TRUNC);
    assert_int_equal(write(small_fd, "small file", 10), 10);
    assert_int_equal(fsd_file_open(&file, path, SIZE, &err), FSD_OK);
    assert_non_null(out = fopen(to_path, "w"));
    assert_int_equal(copy_between(&file, 0, 10, out), 0);
    assert_int_equal(fclose(out), 0);
    fsd_file_close(&file);
    fsd_map_files(false);
    close(small_fd);
    close(fd);
    unlink(path);
    unlink(to_path);
}

/* What is not asked for is not read; what was there before it was cut is kept. */
static void file__that_is_sparse_is_read_in_windows(void **state)
{
    enum { WINDOW = 1 << 16, WINDOWS = 8, SIZE = WINDOW * WINDOWS };
    char path[] = "fsd_sparse_XXXXXX";
    int fd = mkstemp(path);
    struct fsd_file file;
    struct fsd_error err;
    (void)state;

    assert_int_equal(ftruncate(fd, SIZE), 0);
    for (int i = 0; i < WINDOWS; i++)
        assert_int_equal(pwrite(fd, "ab", 2, (i + 1) * WINDOW - 2), 2);
    assert_int_equal(fsd_file_open_sparse(&file, path, SIZE - 1, &err), FSD_E_LIMIT);
    fsd_file_close(&file);
    assert_int_equal(fsd_file_open_sparse(&file, path, SIZE, &err), FSD_OK);
    assert_int_equal(file.size, SIZE);
    assert_int_equal(file.bytes[WINDOW - 1], 'b');
    assert_int_equal(file.bytes[2 * WINDOW - 1], 0); /* not read yet */
    assert_memory_equal(fsd_file_at(&file, 3 * WINDOW - 1, 2), "b", 2);
    assert_int_equal(file.bytes[2 * WINDOW - 1], 0);
    assert_int_equal(file.bytes[4 * WINDOW - 1], 'b');
    assert_int_equal(file.bytes[5 * WINDOW - 1], 0);
    fsd_file_release(&file, 3 * WINDOW + 5);
    assert_int_equal(file.bytes[3 * WINDOW - 1], 0);
    assert_int_equal(file.bytes[4 * WINDOW - 1], 'b');
    assert_int_equal(*fsd_file_at(&file, 3 * WINDOW - 1, 1), 'b');
    assert_true(fsd_file_has(&file, "ab"));
    assert_false(fsd_file_has(&file, "abc"));
    fsd_file_release(&file, SIZE);
    assert_int_equal(ftruncate(fd, 6 * WINDOW), 0);
    assert_int_equal(*fsd_file_at(&file, SIZE - 1, SIZE), 0);
    assert_int_equal(fsd_file_done(&file, FSD_OK, &err), FSD_E_IO);
    assert_int_equal(fsd_file_open_beginning(&file, path, SIZE, &err), FSD_OK);
    assert_int_equal(file.size, 2 * WINDOW);
    fsd_file_release(&file, file.size); /* it would be lost */
    assert_int_equal(file.bytes[2 * WINDOW - 1], 'b');
    fsd_file_close(&file);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena__gives_zeroed_aligned_memory),
        cmocka_unit_test(arena__grows_what_it_gave),
        cmocka_unit_test(clock__is_that_of_the_system),
        cmocka_unit_test(arena__without_memory_ends_as_told),
        cmocka_unit_test(vec__keeps_what_was_pushed),
        cmocka_unit_test(intern__equal_text_is_equal_symbol),
        cmocka_unit_test(intern__finds_each_of_many),
        cmocka_unit_test(intern__scatters_prepared_names),
        cmocka_unit_test(intern__leaves_bytes_as_they_are),
        cmocka_unit_test(intern__repairs_bytes_that_are_no_text),
        cmocka_unit_test(utf8__reads_every_code_point),
        cmocka_unit_test(text__hidden_characters_are_shown),
        cmocka_unit_test(text__columns_are_those_of_a_terminal),
        cmocka_unit_test(text__is_fitted_by_columns),
        cmocka_unit_test(text__of_a_long_word_the_middle_is_left_out),
        cmocka_unit_test(text__names_share_their_path),
        cmocka_unit_test(text__is_brief_beyond_its_bound),
        cmocka_unit_test(day__is_of_the_calendar),
        cmocka_unit_test(list__has_whole_words_only),
        cmocka_unit_test(status__message_is_safe_and_whole),
        cmocka_unit_test(file__that_is_cut_while_read_is_zeros_and_an_error),
        cmocka_unit_test(file__that_is_large_is_copied_by_the_system),
        cmocka_unit_test(file__reads_regular_files_only),
        cmocka_unit_test(file__that_is_sparse_is_read_in_windows),
        cmocka_unit_test(opened__knows_a_file_by_each_of_its_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
