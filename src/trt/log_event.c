/*
 * The optimizer's lines.  A line is told by its form: words at its beginning, and words
 * between its parts.  Which passes there are is not known here; a pass that nobody has
 * heard of is read like any other.
 *
 * Names may hold the words between the parts themselves (" with ", " to "), so a line
 * is cut where both sides are names seen before, and where there is no such place,
 * outside brackets.
 */
#define _GNU_SOURCE /* memmem, memrchr */
#include "trt/log_event.h"

#include <stdlib.h>
#include <string.h>

/* A stretch of the line. */
struct part {
    const char *s;
    size_t n;
};

static bool starts(struct part p, const char *word)
{
    size_t n = strlen(word);

    return p.n >= n && !memcmp(p.s, word, n);
}

static bool take(struct part *p, const char *word)
{
    size_t n = strlen(word);

    if (!starts(*p, word))
        return false;
    p->s += n;
    p->n -= n;
    return true;
}

static bool drop_end(struct part *p, const char *word)
{
    size_t n = strlen(word);

    if (p->n < n || memcmp(p->s + p->n - n, word, n) != 0)
        return false;
    p->n -= n;
    return true;
}

static const char *find(struct part p, const char *word)
{
    return memmem(p.s, p.n, word, strlen(word));
}

/* The same for a word that has its first 'T' at `t`: a line is short, and looking for a
 * letter that is rare in it is quicker than what memmem() prepares. */
static const char *find_by_t(struct part p, const char *word, size_t t)
{
    size_t n = strlen(word), from = t;

    while (from < p.n) {
        const char *at = memchr(p.s + from, 'T', p.n - from);

        if (!at || (size_t)(p.s + p.n - at) < n - t)
            return NULL;
        if (!memcmp(at - t, word, n))
            return at - t;
        from = (size_t)(at - p.s) + 1;
    }
    return NULL;
}

static const char *find_last(struct part p, const char *word)
{
    size_t n = strlen(word);

    while (p.n >= n) {
        const char *end = memrchr(p.s, word[n - 1], p.n);

        if (!end || (size_t)(end - p.s) + 1 < n)
            return NULL;
        if (!memcmp(end + 1 - n, word, n))
            return end + 1 - n;
        p.n = (size_t)(end - p.s);
    }
    return NULL;
}

/* Cuts p at `at`, where a word of n bytes stands: p becomes the left side. */
static struct part cut_at(struct part *p, const char *at, size_t n)
{
    struct part right = {at + n, (size_t)(p->s + p->n - at) - n};

    p->n = (size_t)(at - p->s);
    return right;
}

static bool cut(struct part *p, const char *word, struct part *right)
{
    const char *at = find(*p, word);

    if (at)
        *right = cut_at(p, at, strlen(word));
    return at != NULL;
}

static fsd_sym sym(const struct fsd_event_reader *r, struct part p)
{
    return fsd_intern_add(r->h->names, p.s, p.n);
}

static bool is_known(const struct fsd_event_reader *r, const char *s, size_t n)
{
    return fsd_intern_find(r->h->names, s, n) != FSD_NONE;
}

/* The place of a word between two names: where both sides were seen before, else
 * outside brackets, else the first. */
static const char *find_between(const struct fsd_event_reader *r, struct part p,
                                const char *word)
{
    size_t n = strlen(word);
    const char *first = NULL, *outside = NULL, *done = p.s;
    int depth = 0, tries = 0;

    for (const char *at = find(p, word); at && tries < 64; tries++) {
        struct part left = p, right = cut_at(&left, at, n);

        if (is_known(r, left.s, left.n) && is_known(r, right.s, right.n))
            return at;
        for (; done < at; done++)
            depth += (*done == '(' || *done == '[') - (*done == ')' || *done == ']');
        if (!first)
            first = at;
        if (!outside && depth == 0)
            outside = at;
        at = find(right, word);
    }
    return outside ? outside : first;
}

static bool cut_between(const struct fsd_event_reader *r, struct part *p,
                        const char *word, struct part *right)
{
    const char *at = find_between(r, *p, word);

    if (at)
        *right = cut_at(p, at, strlen(word));
    return at != NULL;
}

static bool keep(struct fsd_event_reader *r, struct fsd_event e)
{
    e.line = r->line;
    e.build = r->build;
    fsd_vec_push(r->h->arena, &r->h->events, e);
    return true;
}

/* ---------------------------------------------------------------------- fusions */

/* "A + B" is the name of what A and B become. */
static fsd_sym sum(struct fsd_event_reader *r, struct part a, struct part b)
{
    struct part parts[] = {a, {" + ", 3}, b};

    r->sum.n = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < parts[k].n; i++)
            fsd_vec_push(r->h->arena, &r->sum, parts[k].s[i]);
    return fsd_intern_add(r->h->names, r->sum.at, r->sum.n);
}

static bool read_fuse(struct fsd_event_reader *r, struct part pass, struct part p)
{
    struct part b;

    if (take(&p, "Fusing ") && cut_between(r, &p, " with ", &b))
        return keep(r, (struct fsd_event){.kind = FSD_EVENT_FUSE,
                                          .pass = sym(r, pass),
                                          .a = sym(r, p),
                                          .b = sym(r, b),
                                          .text = sum(r, p, b)});
    if (take(&p, "fusing ") && cut_between(r, &p, " into ", &b))
        return keep(r, (struct fsd_event){.kind = FSD_EVENT_INTO,
                                          .pass = sym(r, pass),
                                          .a = sym(r, p),
                                          .b = sym(r, b)});
    return false;
}

static bool is_word(struct part p)
{
    for (size_t i = 0; i < p.n; i++) {
        unsigned char c = (unsigned char)p.s[i];

        if (c != '_' && (c < '0' || c > '9') && ((c | 32) < 'a' || (c | 32) > 'z'))
            return false;
    }
    return p.n > 0;
}

/* "P: Fusing A with B" */
static bool read_pass(struct fsd_event_reader *r, struct part p)
{
    const char *colon = memchr(p.s, ':', p.n < 80 ? p.n : 80);
    struct part rest;

    if (!colon || p.s + p.n - colon < 3)
        return false;
    rest = cut_at(&p, colon, 2);
    return (*rest.s | 32) == 'f' && is_word(p) && read_fuse(r, p, rest);
}

static bool read_bare_fuse(struct fsd_event_reader *r, struct part p)
{
    return read_fuse(r, (struct part){"", 0}, p);
}

static bool read_running(struct fsd_event_reader *r, struct part p)
{
    struct part on = {"", 0};

    if (!take(&p, "Running: "))
        return false;
    if (!cut(&p, " on ", &on))
        on.n = 0;
    r->tried = sym(r, p);
    r->tried_on = sym(r, on);
    return keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_TRY, .pass = r->tried, .a = r->tried_on});
}

/* --------------------------------------------------------------------- removals */

static bool read_removing(struct fsd_event_reader *r, struct part p)
{
    return take(&p, "Removing ") && keep(r, (struct fsd_event){.kind = FSD_EVENT_REMOVE,
                                                               .pass = r->tried,
                                                               .a = sym(r, p),
                                                               .b = r->tried_on});
}

static bool read_duplicate(struct fsd_event_reader *r, struct part p)
{
    struct part b, kind;

    if (!cut_between(r, &p, " which duplicates ", &b))
        return false;
    kind = b;
    if (*b.s == '(' && b.n && cut(&kind, ") ", &b)) {
        kind.s++;
        kind.n--;
    } else {
        kind.n = 0;
    }
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_DUPLICATE,
                                      .a = sym(r, p),
                                      .b = sym(r, b),
                                      .text = sym(r, kind)});
}

static bool read_slice(struct fsd_event_reader *r, struct part p, const char *by)
{
    struct part how = {"", 0};
    const char *at = find(p, by);

    if (at) {
        how = cut_at(&p, at, 0);
        if (how.n && how.s[how.n - 1] == '.')
            how.n--;
    }
    return keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_SLICE, .a = sym(r, p), .text = sym(r, how)});
}

static bool read_eliminating(struct fsd_event_reader *r, struct part p)
{
    if (!take(&p, "Eliminating "))
        return take(&p, "Replacing slice ") && read_slice(r, p, " with copy ");
    if (take(&p, "concatenation "))
        return keep(r, (struct fsd_event){.kind = FSD_EVENT_CONCAT, .a = sym(r, p)});
    if (take(&p, "slice "))
        return read_slice(r, p, " by retargeting ");
    return read_duplicate(r, p);
}

/* ----------------------------------------------------------- moves and new layers */

static bool read_retype(struct fsd_event_reader *r, struct part p)
{
    struct part types = {"", 0};
    const char *from;

    if (!take(&p, "Swap the layer type of ") && !take(&p, "Convert layer type of "))
        return false;
    from = find_last(p, " from ");
    if (!from)
        return false;
    types = cut_at(&p, from, strlen(" from "));
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_RETYPE,
                                      .a = sym(r, p),
                                      .text = sym(r, types)});
}

static bool read_swap(struct fsd_event_reader *r, struct part p)
{
    struct part b;

    return take(&p, "Swapping ") && cut_between(r, &p, " with ", &b) &&
           keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_SWAP, .a = sym(r, p), .b = sym(r, b)});
}

static bool read_merge(struct fsd_event_reader *r, struct part p)
{
    return take(&p, "Merging layers: ") &&
           keep(r, (struct fsd_event){.kind = FSD_EVENT_MERGE, .a = sym(r, p)});
}

static bool read_retarget(struct fsd_event_reader *r, struct part p)
{
    struct part b;

    return take(&p, "Retargeting ") && cut_between(r, &p, " to ", &b) &&
           keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_RETARGET, .a = sym(r, p), .b = sym(r, b)});
}

static bool read_copy(struct fsd_event_reader *r, struct part p)
{
    struct part b, why = {"", 0};
    const char *because = find_last(p, " because ");

    if (!take(&p, "Generating copy for "))
        return false;
    if (because)
        why = cut_at(&p, because, strlen(" because "));
    drop_end(&why, ".");
    return cut_between(r, &p, " to ", &b) &&
           keep(r, (struct fsd_event){.kind = FSD_EVENT_COPY,
                                      .a = sym(r, p),
                                      .b = sym(r, b),
                                      .text = sym(r, why)});
}

/* "Adding reformat layer: NAME (TENSOR) from A to B" */
static bool read_reformat(struct fsd_event_reader *r, struct part p)
{
    struct part tensor = {"", 0}, how = {"", 0};
    const char *at;

    if (!take(&p, "Adding reformat layer: "))
        return false;
    at = find_last(p, " from ");
    if (at)
        how = cut_at(&p, at, strlen(" from "));
    at = find_last(p, " (");
    if (at && drop_end(&p, ")"))
        tensor = cut_at(&p, at, 2);
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_REFORMAT,
                                      .a = sym(r, p),
                                      .b = sym(r, tensor),
                                      .text = sym(r, how)});
}

static bool read_members(struct fsd_event_reader *r, struct part p)
{
    struct part members;
    const char *at;

    if (!take(&p, "ForeignNode "))
        return false;
    at = find(p, " metadata:");
    if (!at)
        return false;
    members = cut_at(&p, at, strlen(" metadata:"));
    take(&members, " ");
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_MEMBERS,
                                      .a = sym(r, p),
                                      .text = sym(r, members)});
}

/* "After vertical fusions: 10 layers" */
static bool read_stage(struct fsd_event_reader *r, struct part p)
{
    struct part number;

    if (!drop_end(&p, " layers") || !cut(&p, ": ", &number))
        return false;
    r->tried = r->tried_on = 0;
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_STAGE,
                                      .a = sym(r, p),
                                      .text = sym(r, number)});
}

/* ----------------------------------------------------------------------- timing */

static struct fsd_event_name name(struct part p)
{
    return (struct fsd_event_name){p.s, p.n, FSD_NONE};
}

static fsd_sym name_sym(struct fsd_event_reader *r, struct fsd_event_name *name)
{
    if (name->sym == FSD_NONE)
        name->sym = name->n ? fsd_intern_add(r->h->names, name->s, name->n) : 0;
    return name->sym;
}

/* "NAME (RUNNER[0x8000])"; false when there is no bracket. */
static bool cut_runner(struct part *name, struct part *runner)
{
    const char *at;

    if (!drop_end(name, ")"))
        return false;
    at = find_last(*name, " (");
    if (!at)
        return false;
    *runner = cut_at(name, at, 2);
    at = memchr(runner->s, '[', runner->n);
    if (at)
        runner->n = (size_t)(at - runner->s);
    return true;
}

static bool read_timing(struct fsd_event_reader *r, struct part p)
{
    struct part runner = {"", 0};

    if (!take(&p, "--------------- Timing Runner: "))
        return false;
    if (!cut_runner(&p, &runner))
        return true;
    r->timed = name(p);
    r->runner = name(runner);
    return true;
}

static bool read_autotuning(struct fsd_event_reader *r, struct part p)
{
    if (!take(&p, "*************** Autotuning Reformat:"))
        return starts(p, "*************** ");
    take(&p, " ");
    drop_end(&p, " ***************");
    r->autotuned = name(p);
    return true;
}

/* What strtod() says, -1 for what is no time.  Digits with a point, nearly all, are
 * read here: a whole number and a power of ten that are both exact make an exact
 * quotient. */
static double number(struct part p)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    char text[32];
    size_t n = p.n < sizeof text - 1 ? p.n : sizeof text - 1, i = 0, point = n;
    uint64_t whole = 0;
    char *end;
    double value;

    for (; i < n && i < 16; i++)
        if (p.s[i] >= '0' && p.s[i] <= '9')
            whole = whole * 10 + (uint64_t)(p.s[i] - '0');
        else if (p.s[i] == '.' && i && point == n)
            point = i;
        else
            break;
    if (i && i == n) {
        value = (double)whole / tens[point < n ? n - point - 1 : 0];
    } else {
        memcpy(text, p.s, n);
        text[n] = '\0';
        value = strtod(text, &end);
        if (end == text)
            return -1;
    }
    return !(value >= 0) || value > 1e9 ? -1 : value;
}

static void keep_rival(struct fsd_event_reader *r, struct part tactic, double ms)
{
    static const char word[] = "Optimizer Reformat";
    struct part timed = {r->timed.s, r->timed.n};
    struct fsd_event_name *runner = starts(timed, word) ? &r->autotuned : &r->runner;

    if (ms < 0 || !timed.n)
        return;
    fsd_history_rival(r->h,
                      (struct fsd_rival){.layer = name_sym(r, &r->timed),
                                         .runner = name_sym(r, runner),
                                         .ms = ms,
                                         .build = r->build},
                      tactic.s, tactic.n);
}

/* "[NAME (RUNNER) profiling completed in 0.1 seconds. ]Fastest Tactic: T Time: 0.01" */
static bool read_fastest(struct fsd_event_reader *r, struct part p, const char *at)
{
    struct part tactic = cut_at(&p, at, strlen("Fastest Tactic: ")), ms, runner;
    const char *done = p.n ? find(p, " profiling completed in ") : NULL;
    const char *time = find_by_t(tactic, " Time: ", 1);

    if (!time)
        return true;
    ms = cut_at(&tactic, time, strlen(" Time: "));
    if (done) {
        p.n = (size_t)(done - p.s);
        if (cut_runner(&p, &runner)) {
            r->timed = name(p);
            r->runner = name(runner);
        }
    }
    keep_rival(r, tactic, number(ms));
    return true;
}

/* "Optimizer Reformat(x -> <out>) [A -> B] got cached result: R, tactic T, 0.003 ms" */
static bool read_cached(struct fsd_event_reader *r, struct part p)
{
    struct part how, result, tactic, ms;

    if (!starts(p, "Optimizer Reformat(") ||
        !cut(&p, " got cached result: ", &result) || !drop_end(&p, "]") ||
        !cut(&p, " [", &how) || !cut(&result, ", tactic ", &tactic) ||
        !cut(&tactic, ", ", &ms) || number(ms) < 0)
        return false;
    fsd_history_rival(r->h,
                      (struct fsd_rival){.layer = sym(r, p),
                                         .runner = sym(r, how),
                                         .ms = number(ms),
                                         .build = r->build},
                      tactic.s, tactic.n);
    return true;
}

/* --------------------------------------------------------------------- warnings */

/* What a reviewer should see, by words that stand in the message. */
static const struct {
    const char *words, *topic;
} warnings[] = {
    {"Missing scale and zero-point for tensor", "missing-scale"},
    {"Missing dynamic range for tensor", "missing-scale"}, /* TensorRT 7 */
    {"is disable due to incompatible driver or nvrtc", "fusion-disabled"},
    {"is disabled due to incompatible driver or nvrtc", "fusion-disabled"},
    {"do not have sufficient workspace memory", "workspace"},
    {"insufficient workspace", "workspace"},
    {"ficient memory on requested size", "workspace"}, /* "insuficient", too */
    {"obeys the requested constraints", "constraint"},
    {"Calibrator won't be used", "calibrator"},
    {"alibrator is not being used", "calibrator"},
    {"hardware does not accelerate FP4", "fp4"},
};

static bool read_warning(struct fsd_event_reader *r, struct part p)
{
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (find(p, warnings[i].words)) {
            struct part topic = {warnings[i].topic, strlen(warnings[i].topic)};

            return keep(r, (struct fsd_event){.kind = FSD_EVENT_WARNING,
                                              .a = sym(r, topic),
                                              .text = sym(r, p)});
        }
    return false;
}

/* ------------------------------------------------------------------------ lines */

/* " Set Tactic Name: " stands behind a layer's name, which is the same for many lines.
 */
static bool is_set_tactic(struct fsd_event_reader *r, struct part p)
{
    static const char word[] = " Set Tactic Name: ";
    const size_t n = sizeof word - 1;
    const char *at;

    if (r->set_at + n <= p.n && !memcmp(p.s + r->set_at, word, n))
        return true;
    at = find_by_t(p, word, 5);
    if (at)
        r->set_at = (size_t)(at - p.s);
    return at != NULL;
}

/* Lines that are many and say nothing that is kept. */
static bool is_noise(const struct fsd_event_reader *r, struct part p)
{
    switch (*p.s) {
    case 'T':
        return starts(p, "Tactic");
    case ' ':
        return starts(p, " (foreignNode)");
    case '>':
        return starts(p, ">>>>>>>>>>>>>");
    case 'S':
        return starts(p, "Set Tactic") || starts(p, "Searching ") ||
               (r->severity == 'V' && starts(p, "Skipping "));
    case 'E':
        return starts(p, "Engine Layer Information");
    default:
        return false;
    }
}

/* Those that are many and say something. */
static bool read_many(struct fsd_event_reader *r, struct part p)
{
    switch (*p.s) {
    case '*':
        return read_autotuning(r, p);
    case '-':
        return read_timing(r, p);
    case 'F':
        return starts(p, "Fastest Tactic: ") && read_fastest(r, p, p.s);
    default:
        return false;
    }
}

typedef bool reader_fn(struct fsd_event_reader *r, struct part p);

/* Tried by the line's first character. */
static const struct {
    char first;
    reader_fn *read;
} readers[] = {
    {'R', read_running},     {'R', read_removing},    {'R', read_retarget},
    {'R', read_eliminating}, {'E', read_eliminating}, {'S', read_swap},
    {'S', read_retype},      {'C', read_retype},      {'M', read_merge},
    {'G', read_copy},        {'A', read_reformat},    {'A', read_stage},
    {'O', read_stage},       {'O', read_cached},      {'F', read_members},
    {'F', read_bare_fuse},   {'f', read_bare_fuse},
};

bool fsd_event_read(struct fsd_event_reader *r, const char *s, size_t n)
{
    struct part p = {s, n};
    const char *at;

    while (p.n && (p.s[p.n - 1] == ' ' || p.s[p.n - 1] == '\r'))
        p.n--;
    if (!p.n || is_noise(r, p) || read_many(r, p) || is_set_tactic(r, p))
        return true;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].first == *p.s && readers[i].read(r, p))
            return true;
    if (read_pass(r, p))
        return true;
    at = find_by_t(p, "Fastest Tactic: ", 8);
    if (at)
        return read_fastest(r, p, at);
    return r->severity != 'V' && read_warning(r, p);
}
