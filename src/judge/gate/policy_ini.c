/*
 * Reads the policy's INI file by a table of keys. A line is a [section], `key = value`
 * or, if it begins with a blank, the continuation of the value above. A line that
 * begins with `;` or `#` is a comment; ` ;` begins a comment at the end of a line.
 */
#include "base/base.h"
#include "judge/gate/gate.h"

#include <ctype.h>
#include <stdlib.h>

#define POLICY_LIMIT (UINT64_C(1) << 22)

enum { MOST_IGNORES = 1000, MOST_LINE = 198 /* MOST_LINE: bytes */ };

/* Values of reader.of before the first section (OF_NONE) and in [ignore] (OF_IGNORE).
 * In other sections, reader.of is the number of a rule. */
enum { OF_NONE = -1, OF_IGNORE = -2 };

enum type {
    LEVEL,
    COUNT,
    MS,
    SHARE,
    WORDS,
    RULE,
    TEXT,
    DAY,
    TYPES,
    FUSED,
    WORK,
    BYTES
};

#define IN_RULE(member)    offsetof(struct fsd_policy_rule, member)
#define IN_POLICY(member)  offsetof(struct fsd_policy, member)
#define IN_IGNORE(member)  offsetof(struct fsd_policy_ignore, member)
#define IN_PROMISE(member) offsetof(struct fsd_promise, member)

enum {
    BUDGETS = FSD_BUDGET_COUNT | FSD_BUDGET_MS | FSD_BUDGET_SHARE,
    PROMISES = FSD_SETS_BLOCKS | FSD_SETS_TYPES | FSD_SETS_BYTES,
    SCOPED = FSD_SETS_BLOCKS | FSD_SETS_TYPES
};

static const struct key {
    const char *name;
    enum type type;
    unsigned settable; /* the key is valid only if fsd_rule.settable has this bit; 0:
                          always valid */
    enum { RULES, POLICY, IGNORE, PROMISE } of;
    size_t at;
} keys[] = {
    {"level", LEVEL, 0, RULES, IN_RULE(level)},
    {"count", COUNT, FSD_BUDGET_COUNT, RULES, IN_RULE(budget.count)},
    {"ms", MS, FSD_BUDGET_MS, RULES, IN_RULE(budget.ms)},
    {"share", SHARE, FSD_BUDGET_SHARE, RULES, IN_RULE(budget.share)},
    {"noise", SHARE, FSD_SETS_NOISE, POLICY, IN_POLICY(noise)},
    {"noise-cap", SHARE, FSD_SETS_NOISE, POLICY, IN_POLICY(noise_cap)},
    {"operators", WORDS, FSD_SETS_WORDS, POLICY, IN_POLICY(operators)},
    {"except", WORDS, FSD_SETS_WORDS, POLICY, IN_POLICY(except)},
    {"fused", FUSED, FSD_SETS_BLOCKS, PROMISE, IN_PROMISE(fused)},
    {"min", COUNT, FSD_SETS_BLOCKS, PROMISE, IN_PROMISE(least)},
    {"type", TYPES, SCOPED, PROMISE, IN_PROMISE(types)},
    {"scope", WORDS, SCOPED, PROMISE, IN_PROMISE(scope)},
    {"share", SHARE, FSD_SETS_TYPES, PROMISE, IN_PROMISE(share)},
    {"by", WORK, FSD_SETS_TYPES, PROMISE, IN_PROMISE(by)},
    {"activations", BYTES, FSD_SETS_BYTES, PROMISE,
     IN_PROMISE(bytes[FSD_MEMORY_ACTIVATIONS])},
    {"weights", BYTES, FSD_SETS_BYTES, PROMISE, IN_PROMISE(bytes[FSD_MEMORY_WEIGHTS])},
    {"scratch", BYTES, FSD_SETS_BYTES, PROMISE, IN_PROMISE(bytes[FSD_MEMORY_SCRATCH])},
    {"persistent", BYTES, FSD_SETS_BYTES, PROMISE,
     IN_PROMISE(bytes[FSD_MEMORY_PERSISTENT])},
    {"rule", RULE, 0, IGNORE, IN_IGNORE(rule)},
    {"node", TEXT, 0, IGNORE, IN_IGNORE(node)},
    {"reason", TEXT, 0, IGNORE, IN_IGNORE(reason)},
    {"owner", TEXT, 0, IGNORE, IN_IGNORE(owner)},
    {"expires", DAY, 0, IGNORE, IN_IGNORE(expires)},
};

struct reader {
    struct fsd_policy *policy;
    uint32_t line;    /* number of the current line, from 1 */
    const char *name; /* the last key in the section; NULL: none */
    int of;           /* the section: a rule's number or OF_... */
    bool promise;     /* the section is a requirement */
    uint32_t section_line;
    unsigned seen; /* the keys that the section has so far: a bit for each row of
                      `keys` */
    enum fsd_status status;
    struct fsd_error *err;
};

/* Reports an error in the file. Only the first error is kept. After an error,
 * fsd_policy_read() closes the file as usual. */
static bool complain(struct reader *r, uint32_t line, const char *expected,
                     const char *found)
{
    if (r->status == FSD_OK)
        r->status = fsd_fail(r->err, FSD_E_FORMAT, r->policy->path, FSD_POS_LINE, line,
                             "expected %s, found '%.100s'", expected, found);
    return false;
}

/* Finds a rule of the gate or of lint; -1 if there is none. The other rules are only
 * reported and never judged. */
static int find_rule(const char *id, size_t n)
{
    for (int i = 0; fsd_rule_at((unsigned)i); i++) {
        const struct fsd_rule *rule = fsd_rule_at((unsigned)i);

        if ((rule->needs & (FSD_NEEDS_CHANGE | FSD_NEEDS_CASE | FSD_NEEDS_LINT)) &&
            strlen(rule->id) == n && !memcmp(rule->id, id, n))
            return i;
    }
    return -1;
}

static struct fsd_promise *last_promise(struct reader *r)
{
    return &r->policy->promises.at[r->policy->promises.n - 1];
}

static struct fsd_policy_ignore *last_ignore(struct reader *r)
{
    return &r->policy->ignores.at[r->policy->ignores.n - 1];
}

/* ------------------------------------------------------------------------- values */

/* Reads a number. A share is "0.05" or "5%"; a share such as 3 is refused, because it
 * probably means 3 %, not three times the total. */
static bool take_number(struct reader *r, enum type type, const char *value,
                        double *out)
{
    char *end;
    double number = strtod(value, &end);
    bool percent = type == SHARE && end != value && !strcmp(end, "%");

    if (type == COUNT && value[strspn(value, "0123456789")])
        return complain(r, r->line, "a count", value);
    if (end == value || (*end && !percent) || !(number >= 0 && number < 1e12))
        return complain(r, r->line, "a number that is not negative", value);
    if (type == SHARE && !percent && number >= 1)
        return complain(r, r->line, "a share below 1, or a percentage such as 5%",
                        value);
    *out = percent ? number / 100 : number;
    return true;
}

/* Reads "4326240", "512 MiB" or "0.5 GB". */
static bool take_bytes(struct reader *r, const char *value, double *out)
{
    static const struct {
        const char *word;
        double bytes;
    } units[] = {{"", 1},     {"B", 1},      {"kB", 1e3},          {"MB", 1e6},
                 {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1024 * 1024}, {"GiB", 1 << 30}};
    char *end;
    double number = strtod(value, &end);
    size_t unit = 0;

    end += strspn(end, " ");
    while (unit < FSD_COUNT_OF(units) && strcmp(units[unit].word, end) != 0)
        unit++;
    if (end == value || unit == FSD_COUNT_OF(units) || !(number >= 0 && number < 1e15))
        return complain(r, r->line, "a size in bytes, such as 512 MiB", value);
    *out = number * units[unit].bytes;
    return true;
}

static bool take_value(struct reader *r, const struct key *key, void *at,
                       const char *value)
{
    static const char *const works[] = {"macs", "ms", "bytes", "nodes", NULL};
    struct fsd_policy_word word = {.line = r->line};
    unsigned work = 0;

    switch (key->type) {
    case BYTES:
        return take_bytes(r, value, at);
    case LEVEL:
        *(int *)at = FSD_OFF;
        for (int i = 0; i < FSD__SEVERITY_COUNT; i++)
            if (!strcmp(fsd_severity_name((enum fsd_severity)i), value))
                *(int *)at = i;
        return *(int *)at != FSD_OFF || !strcmp(value, "off") ||
               complain(r, r->line, "error, warning, info or off", value);
    case COUNT:
    case MS:
    case SHARE:
        return take_number(r, key->type, value, at);
    case WORDS:
        for (size_t n; *value; value += n + (value[n] != '\0'))
            if ((n = strcspn(value, " \t,"))) {
                word.text = fsd_arena_strndup(r->policy->arena, value, n);
                fsd_vec_push(r->policy->arena, (fsd_policy_words *)at, word);
            }
        return true;
    case RULE:
    case TEXT:
        *(const char **)at = fsd_arena_strndup(r->policy->arena, value, strlen(value));
        return key->type == TEXT || find_rule(value, strlen(value)) >= 0 ||
               complain(r, r->line, "a rule", value);
    case TYPES:
        for (size_t n; *value; value += n + (value[n] != '\0'))
            if ((n = strcspn(value, " \t,"))) {
                enum fsd_dtype dtype = fsd_dtype_read(value, n);

                if (dtype == FSD_DTYPE_UNKNOWN)
                    return complain(r, r->line, "a type, such as fp16", value);
                *(uint64_t *)at |= UINT64_C(1) << dtype;
            }
        return true;
    case FUSED:
        *(int *)at = strcmp(value, "any") ? FSD_FUSED_WHOLE : FSD_OFF;
        return !strcmp(value, "any") || !strcmp(value, "whole") ||
               complain(r, r->line, "whole or any", value);
    case WORK:
        while (works[work] && strcmp(works[work], value) != 0)
            work++;
        *(enum fsd_work *)at = (enum fsd_work)work;
        return works[work] || complain(r, r->line, "macs, ms, bytes or nodes", value);
    case DAY:
        *(unsigned *)at = fsd_day_parse(value);
        return *(unsigned *)at || complain(r, r->line, "a date as YYYY-MM-DD", value);
    }
    return false;
}

/* ----------------------------------------------------------------- keys, sections */

static bool take_key(struct reader *r, const char *name, const char *value)
{
    const struct key *key = keys, *end = keys + FSD_COUNT_OF(keys);
    bool ignore = r->of == OF_IGNORE, other;
    struct fsd_policy_rule *rule;
    unsigned settable;

    if (r->of == OF_NONE)
        return complain(r, r->line, "a section before the first key", name);
    for (; key < end; key++) { /* finds the key's row for this kind of section */
        other = ignore ? key->of != IGNORE
                       : key->of == IGNORE ||
                             (key->of == PROMISE) != (r->promise && key->type != LEVEL);
        if (!other && !strcmp(key->name, name))
            break;
    }
    settable = ignore ? 0 : fsd_rule_at((unsigned)r->of)->settable;
    if (key < end && (key->settable & BUDGETS & ~settable))
        return complain(r, r->line, "a budget key of this rule", name);
    if (key == end || (key->settable && !(key->settable & settable)))
        return complain(r, r->line,
                        ignore ? "rule, node, reason, owner or expires"
                               : "a key of this rule",
                        name);
    if ((r->seen >> (key - keys) & 1) &&
        key->type != WORDS) /* a key with a list of words may be repeated */
        return complain(r, r->line, "a key that this section does not have yet", name);
    r->seen |= 1u << (key - keys);
    if (ignore)
        return take_value(r, key, (char *)last_ignore(r) + key->at, value);
    if (key->of == PROMISE)
        return take_value(r, key, (char *)last_promise(r) + key->at, value);
    if (key->of == POLICY)
        return take_value(r, key, (char *)r->policy + key->at, value);
    rule = &r->policy->rules[r->of];
    /* The first budget that the policy sets for a rule removes all default budgets of
     * this rule. */
    if (key->settable && !rule->own_budget) {
        rule->budget = (struct fsd_budget){-1, -1, -1};
        rule->own_budget = true;
    }
    return take_value(r, key, (char *)rule + key->at, value);
}

/* Checks that the section is complete: an ignore has a rule and a reason, a requirement
 * has its type or limit. */
static bool close_section(struct reader *r)
{
    const struct fsd_policy_ignore *i;

    if (r->promise && !last_promise(r)->types &&
        (fsd_rule_at((unsigned)r->of)->settable & FSD_SETS_TYPES))
        return complain(r, r->section_line, "the key 'type' in this section", "none");
    if (r->promise && (fsd_rule_at((unsigned)r->of)->settable & FSD_SETS_BYTES)) {
        const double *most = last_promise(r)->bytes;

        if (most[0] < 0 && most[1] < 0 && most[2] < 0 && most[3] < 0)
            return complain(r, r->section_line,
                            "a limit such as activations = 512 "
                            "MiB in this section",
                            "none");
    }
    if (r->of != OF_IGNORE)
        return true;
    i = last_ignore(r);
    if (i->rule && i->reason && *i->reason)
        return true;
    return complain(r, r->section_line,
                    !i->rule ? "an ignore section with the key 'rule'"
                             : "an ignore section with the key 'reason'",
                    *i->label ? i->label : "none");
}

/* Opens [expect PATTERN] or [precision-required LABEL]. */
static bool open_promise(struct reader *r, const char *word)
{
    struct fsd_promise p = {.rule = (uint32_t)r->of,
                            .line = r->line,
                            .pattern = fsd_pattern_find(word),
                            .fused = FSD_OFF,
                            .least = 1,
                            .share = 1,
                            .bytes = {-1, -1, -1, -1}};

    if (fsd_rule_at(p.rule)->settable & FSD_SETS_BLOCKS) {
        if (p.pattern == FSD__PATTERN_COUNT)
            return complain(r, r->line,
                            "a pattern: attention, qkv, layernorm, rmsnorm, gelu, "
                            "swiglu, conv-bn-act or residual",
                            *word ? word : "none");
        p.fused = FSD_FUSED_WHOLE;
    }
    if (r->policy->promises.n == MOST_IGNORES)
        return complain(r, r->line, "at most 1000 requirements", word);
    fsd_vec_push(r->policy->arena, &r->policy->promises, p);
    return true;
}

static bool open_section(struct reader *r, const char *name)
{
    struct fsd_policy_ignore ignore = {.line = r->line, .node = "*"};
    bool promise;
    size_t n;

    if (!close_section(r))
        return false;
    r->section_line = r->line;
    r->seen = 0;
    r->name = NULL;
    if (!strcmp(name, "ignore") || !strncmp(name, "ignore ", 7)) {
        ignore.label = name + 6 + strspn(name + 6, " ");
        if (r->policy->ignores.n == MOST_IGNORES)
            return complain(r, r->line, "at most 1000 ignores", ignore.label);
        fsd_vec_push(r->policy->arena, &r->policy->ignores, ignore);
        r->of = OF_IGNORE;
        r->promise = false;
        return true;
    }
    n = strcspn(name, " ");
    r->of = find_rule(name, n);
    promise = r->of >= 0 && (fsd_rule_at((unsigned)r->of)->settable & PROMISES);
    r->promise = false;
    if (r->of < 0 || (name[n] && !promise))
        return complain(r, r->line, "the name of a rule, or 'ignore' and a label",
                        name);
    if (!promise && r->policy->rules[r->of].asked)
        return complain(r, r->line, "at most one section for each rule", name);
    if (promise && !open_promise(r, name + n + strspn(name + n, " ")))
        return false;
    r->promise = promise;
    r->policy->rules[r->of].asked = true;
    if (fsd_rule_at((unsigned)r->of)->level == FSD_OFF) /* a section for the rule turns
                                                           it on */
        r->policy->rules[r->of].level = FSD_ERROR;
    return true;
}

/* -------------------------------------------------------------------------- lines */

static char *trim(char *text)
{
    size_t n = strlen(text);

    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Returns the first place in `text` that has one of `chars`; the end of `text` if there
 * is none. If a comment begins before this place, cuts off the comment, and returns the
 * new end of `text`. */
static char *find(char *text, const char *chars)
{
    bool blank = false;

    for (; *text && !strchr(chars, *text); text++) {
        if (blank && *text == ';') {
            *text = '\0';
            break;
        }
        blank = isspace((unsigned char)*text);
    }
    return text;
}

static bool take_text(struct reader *r, char *line)
{
    bool indented = isspace((unsigned char)*line);
    char *text = trim(line), *end;

    if (!*text || *text == ';' || *text == '#')
        return true;
    if (indented && r->name) {
        find(text, "");
        return take_key(r, r->name, trim(text));
    }
    end = find(text + (*text == '['), *text == '[' ? "]" : "=:");
    if (!*end) /* the error does not quote the line: the policy may be a symbolic link
                  to a file with secrets */
        return complain(r, r->line, "[section] or key = value", "something else");
    *end = '\0';
    if (*text == '[')
        return open_section(r, text + 1);
    find(end + 1, "");
    r->name = trim(text);
    return take_key(r, r->name, trim(end + 1));
}

/* Reads a line.  Values point into the text in the arena. */
static bool take_line(struct reader *r, struct fsd_slice line)
{
    r->line++;
    if (r->line == 1)
        fsd_slice_take(&line, "\xef\xbb\xbf");
    if (line.n > MOST_LINE) {
        r->status = fsd_fail(
            r->err, FSD_E_LIMIT, r->policy->path, FSD_POS_LINE, r->line,
            "expected a line of at most %d bytes, found one of %zu", MOST_LINE, line.n);
        return false;
    }
    return take_text(r, fsd_arena_strndup(r->policy->arena, line.s, line.n));
}

/* ---------------------------------------------------------------------- policy */

/* Reads the policy's lines until the first error. */
static void parse(struct reader *r, const struct fsd_file *file)
{
    struct fsd_slice rest = {(const char *)file->bytes, file->size}, next;
    size_t at = 0;

    /* Names and reasons must be UTF-8, since reports print them. */
    for (size_t n; at < file->size && file->bytes[at]; at += n)
        if (!(n = fsd_utf8_len(file->bytes + at, file->size - at)))
            break;
    if (at < file->size)
        complain(r, 1, "UTF-8 text", "bytes that are not UTF-8");
    while (r->status == FSD_OK && rest.n) {
        next = fsd_slice_from(rest, rest.n);
        fsd_slice_split_at(&rest, "\n", &next);
        take_line(r, rest);
        rest = next;
    }
    close_section(r);
}

bool fsd_policy_sniff(const char *path)
{
    struct fsd_file file;
    bool yes = false;

    if (strcmp(path, "-") != 0 &&
        fsd_file_open(&file, path, POLICY_LIMIT, NULL) == FSD_OK) {
        const char *at = (const char *)file.bytes, *end = at + file.size;
        char name[32];
        size_t n = 0;

        while (at < end && (fsd_is_space(*at) || *at == ';')) {
            const char *stop = *at == ';' ? memchr(at, '\n', (size_t)(end - at)) : at;

            at = stop ? stop + 1 : end;
        }
        for (at++; at < end && n + 1 < sizeof name && *at != ']' && *at != ' '; at++)
            name[n++] = *at;
        name[n] = '\0';
        yes = n && at[-(ptrdiff_t)n - 1] == '[' &&
              (!strcmp(name, "ignore") || find_rule(name, n) >= 0);
        fsd_file_close(&file);
    }
    return yes;
}

enum fsd_status fsd_policy_read(struct fsd_policy **out, const char *path,
                                struct fsd_error *err)
{
    static const char *const usual[] = {"Conv", "ConvTranspose", "Gemm", "MatMul"};
    struct fsd_policy *p = fsd_policy_new();
    struct fsd_intern *names = fsd_intern_new(p->arena);
    struct reader r = {.policy = p, .of = OF_NONE, .status = FSD_OK, .err = err};
    struct fsd_file file;
    bool own_operators;

    *out = NULL;
    p->path = fsd_text(names, fsd_intern_str(names, path));
    if (path) {
        r.status = fsd_file_open(&file, path, POLICY_LIMIT, err);
        if (r.status == FSD_OK)
            parse(&r, &file);
        r.status = fsd_file_done(&file, r.status, err);
    }
    if (r.status == FSD_OK && p->noise > p->noise_cap)
        r.status = fsd_fail(err, FSD_E_FORMAT, p->path, FSD_POS_NONE, 0,
                            "expected a noise of at most %g%% (noise-cap), found %g%%",
                            100 * p->noise_cap, 100 * p->noise);
    own_operators = p->operators.n > 0;
    for (size_t i = 0; !own_operators && i < FSD_COUNT_OF(usual); i++)
        fsd_vec_push(p->arena, &p->operators, ((struct fsd_policy_word){usual[i], 0}));
    if (r.status == FSD_OK)
        *out = p;
    else
        fsd_policy_free(p);
    return r.status;
}
