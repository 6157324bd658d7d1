/*
 * Reads lists of records that profilers write.  They are JSON, but strings may have
 * unescaped quotation marks, and commas may be missing or superfluous.  The reader
 * ignores commas between records and fields.  A string ends at the first quotation mark
 * that is followed by `, "key":` or by `}`.  If fsd_records.escaped is set, a string
 * ends at the first quotation mark without a backslash.
 *
 * The reader works on the bytes of the file and allocates nothing, because a profile
 * may have millions of records.
 */
#include "read/engine/record.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBER_LEN = 64 };

static int byte_at(const struct fsd_records *r, size_t at)
{
    return at < r->file->size ? r->file->bytes[at] : -1;
}

static size_t skip_space(const struct fsd_records *r, size_t at)
{
    while (byte_at(r, at) == ' ' || byte_at(r, at) == '\t' || byte_at(r, at) == '\n' ||
           byte_at(r, at) == '\r')
        at++;
    return at;
}

static enum fsd_record_step broken(struct fsd_records *r, size_t at,
                                   const char *expected)
{
    int byte = byte_at(r, at);

    if (byte < 0)
        fsd_fail(r->err, FSD_E_FORMAT, r->file->name, FSD_POS_BYTE, at,
                 "expected %s in %s, found the end of the file", expected, r->what);
    else
        fsd_fail(r->err, FSD_E_FORMAT, r->file->name, FSD_POS_BYTE, at,
                 byte > 0x20 && byte < 0x7f
                     ? "expected %s in %s, found '%c'"
                     : "expected %s in %s, found the byte 0x%02x",
                 expected, r->what, (unsigned)byte);
    return FSD_RECORD_BROKEN;
}

/* Whether `, "key" :` or `}` stands at `at`, the offset after a quotation mark.  If so,
 * the quotation mark ends a string. */
static bool goes_on(const struct fsd_records *r, size_t at)
{
    at = skip_space(r, at);
    if (byte_at(r, at) == '}')
        return true;
    if (byte_at(r, at) != ',')
        return false;
    at = skip_space(r, at + 1);
    if (byte_at(r, at++) != '"')
        return false;
    while (byte_at(r, at) > ' ' && byte_at(r, at) != '"')
        at++;
    if (byte_at(r, at) != '"')
        return false;
    return byte_at(r, skip_space(r, at + 1)) == ':';
}

/* Reads a number or a JSON word (null, true, false), and returns the position after
 * it. */
static size_t read_number(const struct fsd_records *r, size_t at,
                          struct fsd_field *field)
{
    char text[NUMBER_LEN];
    size_t n = 0;
    char *end;

    while (n + 1 < sizeof text && byte_at(r, at + n) > ' ' &&
           byte_at(r, at + n) != ',' && byte_at(r, at + n) != '}' &&
           byte_at(r, at + n) != ']') {
        text[n] = (char)byte_at(r, at + n);
        n++;
    }
    text[n] = '\0';
    field->number = strtod(text, &end);
    if (*end || end == text || strpbrk(text, "xX")) {
        field->number = NAN;
        field->is_true = !strcmp(text, "true");
        field->is_false = !strcmp(text, "false");
        return field->is_true || field->is_false || !strcmp(text, "null") ? at + n : at;
    }
    return at + n;
}

/* Returns the position of the quotation mark that ends the string; the content of the
 * string begins at `at`.  Returns the size of the file if there is none. */
static size_t text_end(const struct fsd_records *r, size_t at)
{
    size_t size = r->file->size;

    if (!r->escaped) {
        while (at < size && (byte_at(r, at) != '"' || !goes_on(r, at + 1)))
            at++;
        return at;
    }
    while (at < size && byte_at(r, at) != '"')
        at += byte_at(r, at) == '\\' ? 2 : 1;
    return at < size ? at : size;
}

static enum fsd_record_step read_field(struct fsd_records *r, size_t at,
                                       struct fsd_field *field)
{
    size_t end = at + 1;

    while (byte_at(r, end) >= ' ' && byte_at(r, end) != '"')
        end += r->escaped && byte_at(r, end) == '\\' ? 2 : 1;
    if (byte_at(r, end) != '"')
        return broken(r, end, "'\"'");
    *field = (struct fsd_field){.key = (const char *)r->file->bytes + at + 1,
                                .key_len = end - at - 1};
    at = skip_space(r, end + 1);
    if (byte_at(r, at) != ':' && r->escaped && r->nested) {
        *field = (struct fsd_field){
            .is_text = true, .text = field->key, .text_len = field->key_len};
        r->at = end + 1;
        return FSD_RECORD_FIELD;
    }
    if (byte_at(r, at) != ':')
        return broken(r, at, "':'");
    at = skip_space(r, at + 1);
    if (byte_at(r, at) == '"') {
        end = text_end(r, at + 1);
        if (end == r->file->size)
            return broken(r, end, "the end of a string");
        field->is_text = true;
        field->text = (const char *)r->file->bytes + at + 1;
        field->text_len = end - at - 1;
        r->at = end + 1;
        return FSD_RECORD_FIELD;
    }
    if (r->nested && (byte_at(r, at) == '{' || byte_at(r, at) == '[')) {
        field->opens = (char)byte_at(r, at);
        r->at = at;
        return FSD_RECORD_FIELD;
    }
    end = read_number(r, at, field);
    if (end == at)
        return broken(r, at, "a number or a string");
    r->at = end;
    return FSD_RECORD_FIELD;
}

/* Commas are skipped, so a missing or doubled comma is no error. */
enum fsd_record_step fsd_record_next(struct fsd_records *r, struct fsd_field *field)
{
    static const struct {
        char byte;
        enum fsd_record_step step;
    } marks[] = {
        {'[', FSD_RECORD_LIST}, {'{', FSD_RECORD_OPEN}, {'}', FSD_RECORD_CLOSE}};

    for (;;) {
        int byte;

        r->at = skip_space(r, r->at);
        byte = byte_at(r, r->at);
        if (byte < 0)
            return FSD_RECORD_END;
        if (byte == '"')
            return read_field(r, r->at, field);
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (byte == marks[i].byte) {
                r->at++;
                return marks[i].step;
            }
        if (byte != ',' && byte != ']')
            return broken(r, r->at, "'{', '\"' or ','");
        r->at++;
    }
}

size_t fsd_record_behind(const struct fsd_records *r)
{
    unsigned depth = 0;
    bool text = false;

    for (size_t at = r->at; at < r->file->size; at++) {
        unsigned char c = r->file->bytes[at];

        if (c == '"')
            text = !text;
        else if (text && c == '\\')
            at++;
        else if (!text && (c == '{' || c == '['))
            depth++;
        else if (!text && (c == '}' || c == ']') && !--depth)
            return at + 1;
    }
    return r->file->size;
}

bool fsd_field_is(const struct fsd_field *field, const char *key)
{
    return strlen(key) == field->key_len && !memcmp(field->key, key, field->key_len);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Returns the value of the four digits of a \u escape at s; -1 if they are not
 * hexadecimal. */
static long escaped_unit(const char *s, size_t n)
{
    long code = 0;

    if (n < 6 || s[0] != '\\' || s[1] != 'u')
        return -1;
    for (size_t i = 2; i < 6; i++) {
        if (hex_digit(s[i]) < 0)
            return -1;
        code = code << 4 | hex_digit(s[i]);
    }
    return code;
}

/* Reads a \u escape, or the two escapes of a code point above U+FFFF, and writes the
 * character in UTF-8.
 * @return the number of bytes read; 0 if there is no such escape at s */
static size_t unescape_code(const char *s, size_t n, char out[4], size_t *len)
{
    long code = escaped_unit(s, n), low;
    size_t read = 6;

    if (code >= 0xd800 && code < 0xdc00) {
        low = escaped_unit(s + 6, n - 6);
        if (low < 0xdc00 || low > 0xdfff)
            return 0;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        read = 12;
    }
    *len = code > 0 ? fsd_utf8_put((uint32_t)code, out) : 0;
    return *len ? read : 0;
}

/* Writes the text with its JSON escapes decoded.  Returns the length of the result, at
 * most n. */
static size_t unescape(const char *s, size_t n, char *out)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    size_t len = 0, i = 0;

    while (i < n) {
        const char *found = s[i] == '\\' && i + 1 < n ? strchr(plain, s[i + 1]) : NULL;
        size_t step = 0, wrote = 0;

        if (found && *found) {
            out[len++] = meant[found - plain];
            i += 2;
            continue;
        }
        if (s[i] == '\\' && i + 1 < n && s[i + 1] == 'u')
            step = unescape_code(s + i, n - i, out + len, &wrote);
        if (step) {
            len += wrote;
            i += step;
        } else {
            out[len++] = s[i++];
        }
    }
    return len;
}

fsd_sym fsd_record_unescaped(struct fsd_intern *names, struct fsd_slice text)
{
    struct fsd_arena *scratch;
    char *copy;
    fsd_sym sym;

    if (!text.n || !memchr(text.s, '\\', text.n))
        return fsd_intern_slice(names, text);
    scratch = fsd_arena_new();
    copy = FSD_NEW(scratch, char, text.n);
    sym = fsd_intern_add(names, copy, unescape(text.s, text.n, copy));
    fsd_arena_free(scratch);
    return sym;
}
