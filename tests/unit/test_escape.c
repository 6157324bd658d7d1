/* Escapes of the gate's formats: every byte value, and what an attacker would write. */
#include "report/phrase/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *escaped(void (*put)(FILE *, const char *), const char *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    put(out, s);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect(void (*put)(FILE *, const char *), const char *s, const char *want)
{
    char *got = escaped(put, s);

    assert_string_equal(got, want);
    free(got);
}

/* No byte below a space comes through any escape, nor one of `forbidden`. */
static void check_bytes(void (*put)(FILE *, const char *), const char *forbidden)
{
    for (int c = 1; c < 0x80; c++) {
        char text[] = {'a', (char)c, 'b', '\0'};
        char *got = escaped(put, text);

        for (const char *at = got; *at; at++) {
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
            assert_null(strchr(forbidden, *at));
        }
        free(got);
    }
}

static void escape__every_byte(void **state)
{
    (void)state;
    check_bytes(fsd_put_xml, "<>\"'");
    check_bytes(fsd_put_markdown, "<>`*[]()|@\"'\\~!{}$");
    check_bytes(fsd_put_github, "");
    check_bytes(fsd_put_github_property, ":,");
    check_bytes(fsd_put_uri, "<>\"' \\^`{|}#?&:");
}

static void escape__xml(void **state)
{
    (void)state;
    expect(fsd_put_xml, "a]]>b & <c>", "a]]&gt;b &amp; &lt;c&gt;");
    expect(fsd_put_xml, "a\x01\nb", "a\\u{1}\\u{a}b");
    expect(fsd_put_xml, "\xef\xbf\xbe|\xef\xbf\xbf", "\\u{fffe}|\\u{ffff}");
    expect(fsd_put_xml, "\xef\xbf\xbd", "\xef\xbf\xbd");
    expect(fsd_put_xml, "\xe4\xb8\xad", "\xe4\xb8\xad");
}

static void escape__markdown(void **state)
{
    (void)state;
    expect(fsd_put_markdown, "Conv_34, 0.11 ms", "Conv_34, 0.11 ms");
    expect(fsd_put_markdown, "a@b.c a@b", "a<!---->&#64;b&#46;c a&#64;b");
    expect(fsd_put_markdown, "_x_ @team #12", "&#95;x&#95; &#64;team &#35;12");
    expect(fsd_put_markdown, "</code><img src=x>",
           "&#60;/code&#62;&#60;img src&#61;x&#62;");
    expect(fsd_put_markdown, "http://x.y", "http&#58;//x&#46;y");
    expect(fsd_put_markdown, "&lt;", "&#38;lt;");
}

static void escape__github(void **state)
{
    (void)state;
    expect(fsd_put_github, "50%\n::error::x", "50%25\\u{a}::error::x");
    expect(fsd_put_github_property, "a,line=1::b", "a%2Cline=1%3A%3Ab");
}

static void escape__uri(void **state)
{
    (void)state;
    expect(fsd_put_uri, "a b/c#d.onnx", "a%20b/c%23d.onnx");
    expect(fsd_put_uri, "\xc3\xa4", "%C3%A4");
}

/* What a spreadsheet would compute is text, behind blanks and in full width, too. */
static void escape__csv(void **state)
{
    (void)state;
    expect(fsd_put_csv, "=1+2", "'=1+2");
    expect(fsd_put_csv, "a=b", "a=b");
    expect(fsd_put_csv, "  @SUM(1)", "\"'  @SUM(1)\"");
    expect(fsd_put_csv,
           "\xef\xbc\x9d"
           "1",
           "'\xef\xbc\x9d"
           "1");
    expect(fsd_put_csv, "\xef\xbc\x8b", "'\xef\xbc\x8b");
    expect(fsd_put_csv,
           "\xef\xbc\x8d"
           "1",
           "'\xef\xbc\x8d"
           "1");
    expect(fsd_put_csv, "\xe3\x80\x80\xef\xbc\xa0", "'\xe3\x80\x80\xef\xbc\xa0");
    expect(fsd_put_csv, "\xc2\xa0-1", "'\xc2\xa0-1");
    expect(fsd_put_csv, "\xef\xbc\xa1", "\xef\xbc\xa1"); /* full-width A */
    expect(fsd_put_csv, " ", "\" \"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape__csv),    cmocka_unit_test(escape__every_byte),
        cmocka_unit_test(escape__xml),    cmocka_unit_test(escape__markdown),
        cmocka_unit_test(escape__github), cmocka_unit_test(escape__uri),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
