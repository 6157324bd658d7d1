/*
 * The policy's INI file, parsed by inih.  What inih would pass over in silence is found
 * on the way in, where every line goes by once: sections without keys, long lines and
 * names that it would cut.
 */
#include "base/file.h"
#include "base/text.h"
#include "gate/gate.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define POLICY_LIMIT (UINT64_C(1) << 22)

enum { MOST_IGNORES = 1000, MOST_SECTION = 200 };

struct reader {
    struct fsd_policy *policy;
    const char *at, *end; /* of what inih has not seen */
    uint32_t line;        /* that it saw last */
    int rule;             /* of the section; -1: none or an ignore */
    bool in_ignore;
    uint32_t section_line;
    unsigned keys; /* of the section, seen so far: bits by key */
    enum fsd_status status;
    struct fsd_error *err;
};

static bool complain(struct reader *r, uint32_t line, const char *expected,
                     const char *found)
{
    if (r->status == FSD_OK)
        r->status = fsd_fail(r->err, FSD_E_FORMAT, r->policy->path, FSD_POS_LINE, line,
                             "expected %s, found '%.100s'", expected, found);
    return false;
}

static const char *keep(struct reader *r, const char *text)
{
    return fsd_arena_strndup(r->policy->arena, text, strlen(text));
}

/* -------------------------------------------------------------------- sections */

static struct fsd_policy_ignore *last_ignore(struct reader *r)
{
    return &r->policy->ignores.at[r->policy->ignores.n - 1];
}

/* An ignore that does not say why is not one. */
static bool close_section(struct reader *r)
{
    const struct fsd_policy_ignore *i;

    if (!r->in_ignore)
        return true;
    r->in_ignore = false;
    i = last_ignore(r);
    if (!i->rule || !i->reason || !*i->reason)
        return complain(r, r->section_line,
                        !i->rule ? "a rule in the ignore" : "a reason in the ignore",
                        *i->label ? i->label : "none");
    return true;
}

static bool open_ignore(struct reader *r, const char *label)
{
    struct fsd_policy_ignore ignore = {.line = r->line, .node = "*"};

    while (*label == ' ')
        label++;
    ignore.label = keep(r, label);
    if (r->policy->ignores.n == MOST_IGNORES)
        return complain(r, r->line, "fewer ignores", label);
    fsd_vec_push(r->policy->arena, &r->policy->ignores, ignore);
    r->in_ignore = true;
    return true;
}

static int find_rule(const char *id)
{
    for (int i = 0; fsd_rule_at((unsigned)i); i++)
        if ((fsd_rule_at((unsigned)i)->needs & FSD_NEEDS_CHANGE) &&
            !strcmp(fsd_rule_at((unsigned)i)->id, id))
            return i;
    return -1;
}

static const struct fsd_rule *rule_of(const struct reader *r)
{
    return fsd_rule_at((unsigned)r->rule);
}

static bool open_section(struct reader *r, const char *name)
{
    if (!close_section(r))
        return false;
    r->section_line = r->line;
    r->keys = 0;
    r->rule = -1;
    if (!strcmp(name, "ignore") || !strncmp(name, "ignore ", 7))
        return open_ignore(r, name + 6);
    r->rule = find_rule(name);
    if (r->rule < 0)
        return complain(r, r->line, "a rule, or 'ignore' and a label", name);
    if (rule_of(r)->level == FSD_OFF) /* a section asks for it */
        r->policy->rules[r->rule].level = FSD_ERROR;
    return true;
}

/* ------------------------------------------------------------------------ keys */

static bool take_level(struct reader *r, const char *value)
{
    int level = FSD_OFF;

    for (int i = 0; i < FSD__SEVERITY_COUNT; i++)
        if (!strcmp(fsd_severity_name((enum fsd_severity)i), value))
            level = i;
    if (level == FSD_OFF && strcmp(value, "off") != 0)
        return complain(r, r->line, "error, warning, info or off", value);
    r->policy->rules[r->rule].level = level;
    return true;
}

static bool take_number(struct reader *r, const char *value, double *out)
{
    char *end;
    double number = strtod(value, &end);

    if (end == value || *end || !(number >= 0 && number < 1e12))
        return complain(r, r->line, "a number that is not negative", value);
    *out = number;
    return true;
}

/* A share may be a percentage. */
static bool take_share(struct reader *r, const char *value, double *out)
{
    size_t n = strlen(value);
    char text[32];

    if (n && n < sizeof text && value[n - 1] == '%') {
        memcpy(text, value, n - 1);
        text[n - 1] = '\0';
        if (!take_number(r, text, out))
            return false;
        *out /= 100;
        return true;
    }
    return take_number(r, value, out);
}

/* The first budget that is set puts the default ones out of force. */
static bool take_budget(struct reader *r, const char *key, const char *value)
{
    struct fsd_policy_rule *rule = &r->policy->rules[r->rule];
    unsigned bit = !strcmp(key, "count") ? FSD_BUDGET_COUNT
                   : !strcmp(key, "ms")  ? FSD_BUDGET_MS
                                         : FSD_BUDGET_SHARE;

    if (!(rule_of(r)->settable & bit))
        return complain(r, r->line, "a budget that this rule has", key);
    if (!rule->own_budget)
        rule->budget = (struct fsd_budget){-1, -1, -1};
    rule->own_budget = true;
    if (bit == FSD_BUDGET_SHARE)
        return take_share(r, value, &rule->budget.share);
    if (bit == FSD_BUDGET_COUNT && value[strspn(value, "0123456789")])
        return complain(r, r->line, "a count", value);
    return take_number(r, value,
                       bit == FSD_BUDGET_MS ? &rule->budget.ms : &rule->budget.count);
}

static void take_words(struct reader *r, const char *value, bool except)
{
    while (*value) {
        size_t n = strcspn(value, " \t,");
        struct fsd_policy_word word = {fsd_arena_strndup(r->policy->arena, value, n),
                                       r->line};

        if (n && except)
            fsd_vec_push(r->policy->arena, &r->policy->except, word);
        else if (n)
            fsd_vec_push(r->policy->arena, &r->policy->operators, word);
        value += n + (value[n] != '\0');
    }
}

static bool take_rule_key(struct reader *r, const char *key, const char *value)
{
    if (!strcmp(key, "level"))
        return take_level(r, value);
    if (!strcmp(key, "count") || !strcmp(key, "ms") || !strcmp(key, "share"))
        return take_budget(r, key, value);
    if ((rule_of(r)->settable & FSD_SETS_NOISE) && !strcmp(key, "noise"))
        return take_share(r, value, &r->policy->noise);
    if ((rule_of(r)->settable & FSD_SETS_WORDS) &&
        (!strcmp(key, "operators") || !strcmp(key, "except"))) {
        take_words(r, value, *key == 'e');
        return true;
    }
    return complain(r, r->line, "a key of this rule", key);
}

static bool take_ignore_key(struct reader *r, const char *key, const char *value)
{
    struct fsd_policy_ignore *i = last_ignore(r);

    if (!strcmp(key, "expires"))
        return (i->expires = fsd_day_parse(value)) ||
               complain(r, r->line, "a day as YYYY-MM-DD", value);
    if (!strcmp(key, "rule")) {
        if (find_rule(value) < 0)
            return complain(r, r->line, "a rule", value);
        i->rule = keep(r, value);
    } else if (!strcmp(key, "node")) {
        i->node = keep(r, value);
    } else if (!strcmp(key, "reason")) {
        i->reason = keep(r, value);
    } else {
        return complain(r, r->line, "rule, node, reason or expires", key);
    }
    return true;
}

/* Called by inih for each key, before it asks for the next line. */
static int take_key(void *user, const char *section, const char *key, const char *value)
{
    static const char *const keys[] = {"level",  "count",     "ms",     "share",
                                       "noise",  "operators", "rule",   "node",
                                       "except", "reason",    "expires"};
    struct reader *r = user;

    (void)section;
    if (r->status != FSD_OK)
        return 0;
    for (unsigned i = 0; i < FSD_COUNT_OF(keys); i++) {
        bool again = !strcmp(keys[i], key) && (r->keys >> i & 1);

        if (again && strcmp(key, "operators") != 0 && strcmp(key, "except") != 0)
            return complain(r, r->line, "each key once", key);
        r->keys |= !strcmp(keys[i], key) ? 1u << i : 0;
    }
    if (r->in_ignore)
        return take_ignore_key(r, key, value);
    if (r->rule < 0)
        return complain(r, r->line, "a section before the first key", key);
    return take_rule_key(r, key, value);
}

/* ----------------------------------------------------------------------- lines */

static void see_section(struct reader *r, const char *line)
{
    char name[MOST_SECTION];
    size_t n = strcspn(line, "]\r\n");

    if (line[n] != ']')
        return; /* inih complains */
    if (n >= sizeof name) {
        complain(r, r->line, "a shorter section", line);
        return;
    }
    memcpy(name, line, n);
    name[n] = '\0';
    open_section(r, name);
}

/* Gives inih its next line; its buffer holds what ini_max_line says. */
static char *give_line(char *out, int size, void *user)
{
    struct reader *r = user;
    const char *stop, *text;
    size_t n;

    if (r->status != FSD_OK || r->at == r->end)
        return NULL;
    stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    n = (size_t)((stop ? stop + 1 : r->end) - r->at);
    r->line++;
    if (n + 1 > (size_t)size) {
        complain(r, r->line, "a line that is not so long", "a longer one");
        return NULL;
    }
    memcpy(out, r->at, n);
    out[n] = '\0';
    r->at += n;
    text = out;
    if (r->line == 1 && !strncmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    text += strspn(text, " \t");
    if (*text == '[')
        see_section(r, text + 1);
    return r->status == FSD_OK ? out : NULL;
}

/* ---------------------------------------------------------------------- policy */

static void set_operators(struct fsd_policy *p)
{
    static const char *const usual[] = {"Conv", "ConvTranspose", "Gemm", "MatMul"};

    for (size_t i = 0; !p->operators.n && i < FSD_COUNT_OF(usual); i++)
        fsd_vec_push(p->arena, &p->operators, ((struct fsd_policy_word){usual[i], 0}));
}

/* Names and reasons are printed in reports. */
static bool is_text(const struct fsd_file *file)
{
    size_t n, at = 0;

    while (at < file->size && (n = fsd_utf8_len(file->bytes + at, file->size - at)) &&
           file->bytes[at])
        at += n;
    return at == file->size;
}

static enum fsd_status read_file(struct fsd_policy *p, const char *path,
                                 struct fsd_error *err)
{
    struct fsd_file file;
    struct reader r = {.policy = p, .rule = -1, .err = err};
    int bad_line;

    r.status = fsd_file_open(&file, path, POLICY_LIMIT, err);
    if (r.status == FSD_OK) {
        r.at = (const char *)file.bytes;
        r.end = r.at + file.size;
        if (!is_text(&file))
            complain(&r, 1, "UTF-8 text", "bytes that are none");
        bad_line = ini_parse_stream(give_line, &r, take_key, &r);
        if (bad_line)
            complain(&r, bad_line > 0 ? (uint32_t)bad_line : 0,
                     "[section] or key = value", "something else");
        close_section(&r);
    }
    return fsd_file_done(&file, r.status, err);
}

enum fsd_status fsd_policy_read(struct fsd_policy **out, const char *path,
                                struct fsd_error *err)
{
    struct fsd_policy *p = fsd_policy_new();
    struct fsd_intern *names = fsd_intern_new(p->arena);
    enum fsd_status status = FSD_OK;

    *out = NULL;
    p->path = fsd_text(names, fsd_intern_str(names, path));
    if (path)
        status = read_file(p, path, err);
    set_operators(p);
    if (status == FSD_OK)
        *out = p;
    else
        fsd_policy_free(p);
    return status;
}
