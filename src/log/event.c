/*
 * The optimizer's lines.  A line is told by its form: words at its beginning, and words
 * between its parts.  Which passes there are is not known here; a pass that nobody has
 * heard of is read like any other.
 *
 * Names may hold the words between the parts themselves (" with ", " to "), so a line
 * is cut where both sides are names seen before, and where there is no such place,
 * outside brackets.
 */
#include "log/event.h"
#include "log/timing.h"

#include <string.h>

static fsd_sym sym(const struct fsd_event_reader *r, struct fsd_slice p)
{
    return fsd_intern_add(r->h->names, p.s, p.n);
}

static bool is_known(const struct fsd_event_reader *r, const char *s, size_t n)
{
    return fsd_intern_find(r->h->names, s, n) != FSD_NONE;
}

/* The place of a word between two names: where both sides were seen before, else
 * outside brackets, else the first. */
static const char *find_between(const struct fsd_event_reader *r, struct fsd_slice p,
                                const char *word)
{
    size_t n = strlen(word);
    const char *first = NULL, *outside = NULL, *done = p.s;
    int depth = 0, tries = 0;

    for (const char *at = fsd_slice_find(p, word); at && tries < 64; tries++) {
        struct fsd_slice left = p, right = fsd_slice_split(&left, at, n);

        if (is_known(r, left.s, left.n) && is_known(r, right.s, right.n))
            return at;
        for (; done < at; done++)
            depth += (*done == '(' || *done == '[') - (*done == ')' || *done == ']');
        if (!first)
            first = at;
        if (!outside && depth == 0)
            outside = at;
        at = fsd_slice_find(right, word);
    }
    return outside ? outside : first;
}

static bool cut_between(const struct fsd_event_reader *r, struct fsd_slice *p,
                        const char *word, struct fsd_slice *right)
{
    const char *at = find_between(r, *p, word);

    if (at)
        *right = fsd_slice_split(p, at, strlen(word));
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
static fsd_sym sum(struct fsd_event_reader *r, struct fsd_slice a, struct fsd_slice b)
{
    struct fsd_slice parts[] = {a, {" + ", 3}, b};

    r->sum.n = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < parts[k].n; i++)
            fsd_vec_push(r->h->arena, &r->sum, parts[k].s[i]);
    return fsd_intern_add(r->h->names, r->sum.at, r->sum.n);
}

static bool read_fuse(struct fsd_event_reader *r, struct fsd_slice pass,
                      struct fsd_slice p)
{
    struct fsd_slice b;

    if (fsd_slice_take(&p, "Fusing ") && cut_between(r, &p, " with ", &b))
        return keep(r, (struct fsd_event){.kind = FSD_EVENT_FUSE,
                                          .pass = sym(r, pass),
                                          .a = sym(r, p),
                                          .b = sym(r, b),
                                          .text = sum(r, p, b)});
    if (fsd_slice_take(&p, "fusing ") && cut_between(r, &p, " into ", &b))
        return keep(r, (struct fsd_event){.kind = FSD_EVENT_INTO,
                                          .pass = sym(r, pass),
                                          .a = sym(r, p),
                                          .b = sym(r, b)});
    return false;
}

static bool is_word(struct fsd_slice p)
{
    for (size_t i = 0; i < p.n; i++) {
        unsigned char c = (unsigned char)p.s[i];

        if (c != '_' && (c < '0' || c > '9') && ((c | 32) < 'a' || (c | 32) > 'z'))
            return false;
    }
    return p.n > 0;
}

/* "P: Fusing A with B" */
static bool read_pass(struct fsd_event_reader *r, struct fsd_slice p)
{
    const char *colon = memchr(p.s, ':', p.n < 80 ? p.n : 80);
    struct fsd_slice rest;

    if (!colon || p.s + p.n - colon < 3)
        return false;
    rest = fsd_slice_split(&p, colon, 2);
    return (*rest.s | 32) == 'f' && is_word(p) && read_fuse(r, p, rest);
}

static bool read_bare_fuse(struct fsd_event_reader *r, struct fsd_slice p)
{
    return read_fuse(r, (struct fsd_slice){"", 0}, p);
}

static bool read_running(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice on = {"", 0};

    if (!fsd_slice_take(&p, "Running: "))
        return false;
    if (!fsd_slice_split_at(&p, " on ", &on))
        on.n = 0;
    r->tried = sym(r, p);
    r->tried_on = sym(r, on);
    return keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_TRY, .pass = r->tried, .a = r->tried_on});
}

/* --------------------------------------------------------------------- removals */

static bool read_removing(struct fsd_event_reader *r, struct fsd_slice p)
{
    return fsd_slice_take(&p, "Removing ") &&
           keep(r, (struct fsd_event){.kind = FSD_EVENT_REMOVE,
                                      .pass = r->tried,
                                      .a = sym(r, p),
                                      .b = r->tried_on});
}

static bool read_duplicate(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b, kind;

    if (!cut_between(r, &p, " which duplicates ", &b))
        return false;
    kind = b;
    if (*b.s == '(' && b.n && fsd_slice_split_at(&kind, ") ", &b)) {
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

static bool read_slice(struct fsd_event_reader *r, struct fsd_slice p, const char *by)
{
    struct fsd_slice how = {"", 0};
    const char *at = fsd_slice_find(p, by);

    if (at) {
        how = fsd_slice_split(&p, at, 0);
        if (how.n && how.s[how.n - 1] == '.')
            how.n--;
    }
    return keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_SLICE, .a = sym(r, p), .text = sym(r, how)});
}

static bool read_eliminating(struct fsd_event_reader *r, struct fsd_slice p)
{
    if (!fsd_slice_take(&p, "Eliminating "))
        return fsd_slice_take(&p, "Replacing slice ") &&
               read_slice(r, p, " with copy ");
    if (fsd_slice_take(&p, "concatenation "))
        return keep(r, (struct fsd_event){.kind = FSD_EVENT_CONCAT, .a = sym(r, p)});
    if (fsd_slice_take(&p, "slice "))
        return read_slice(r, p, " by retargeting ");
    return read_duplicate(r, p);
}

/* ----------------------------------------------------------- moves and new layers */

static bool read_retype(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice types = {"", 0};
    const char *from;

    if (!fsd_slice_take(&p, "Swap the layer type of ") &&
        !fsd_slice_take(&p, "Convert layer type of "))
        return false;
    from = fsd_slice_find_last(p, " from ");
    if (!from)
        return false;
    types = fsd_slice_split(&p, from, strlen(" from "));
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_RETYPE,
                                      .a = sym(r, p),
                                      .text = sym(r, types)});
}

static bool read_swap(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b;

    return fsd_slice_take(&p, "Swapping ") && cut_between(r, &p, " with ", &b) &&
           keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_SWAP, .a = sym(r, p), .b = sym(r, b)});
}

static bool read_merge(struct fsd_event_reader *r, struct fsd_slice p)
{
    return fsd_slice_take(&p, "Merging layers: ") &&
           keep(r, (struct fsd_event){.kind = FSD_EVENT_MERGE, .a = sym(r, p)});
}

static bool read_retarget(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b;

    return fsd_slice_take(&p, "Retargeting ") && cut_between(r, &p, " to ", &b) &&
           keep(r, (struct fsd_event){
                       .kind = FSD_EVENT_RETARGET, .a = sym(r, p), .b = sym(r, b)});
}

static bool read_copy(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b, why = {"", 0};
    const char *because = fsd_slice_find_last(p, " because ");

    if (!fsd_slice_take(&p, "Generating copy for "))
        return false;
    if (because)
        why = fsd_slice_split(&p, because, strlen(" because "));
    fsd_slice_drop(&why, ".");
    return cut_between(r, &p, " to ", &b) &&
           keep(r, (struct fsd_event){.kind = FSD_EVENT_COPY,
                                      .a = sym(r, p),
                                      .b = sym(r, b),
                                      .text = sym(r, why)});
}

/* "Adding reformat layer: NAME (TENSOR) from A to B" */
static bool read_reformat(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice tensor = {"", 0}, how = {"", 0};
    const char *at;

    if (!fsd_slice_take(&p, "Adding reformat layer: "))
        return false;
    at = fsd_slice_find_last(p, " from ");
    if (at)
        how = fsd_slice_split(&p, at, strlen(" from "));
    at = fsd_slice_find_last(p, " (");
    if (at && fsd_slice_drop(&p, ")"))
        tensor = fsd_slice_split(&p, at, 2);
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_REFORMAT,
                                      .a = sym(r, p),
                                      .b = sym(r, tensor),
                                      .text = sym(r, how)});
}

static bool read_members(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice members;
    const char *at;

    if (!fsd_slice_take(&p, "ForeignNode "))
        return false;
    at = fsd_slice_find(p, " metadata:");
    if (!at)
        return false;
    members = fsd_slice_split(&p, at, strlen(" metadata:"));
    fsd_slice_take(&members, " ");
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_MEMBERS,
                                      .a = sym(r, p),
                                      .text = sym(r, members)});
}

/* "After vertical fusions: 10 layers" */
static bool read_stage(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice number;

    if (!fsd_slice_drop(&p, " layers") || !fsd_slice_split_at(&p, ": ", &number))
        return false;
    r->tried = r->tried_on = 0;
    return keep(r, (struct fsd_event){.kind = FSD_EVENT_STAGE,
                                      .a = sym(r, p),
                                      .text = sym(r, number)});
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

static bool read_warning(struct fsd_event_reader *r, struct fsd_slice p)
{
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (fsd_slice_find(p, warnings[i].words)) {
            struct fsd_slice topic = {warnings[i].topic, strlen(warnings[i].topic)};

            return keep(r, (struct fsd_event){.kind = FSD_EVENT_WARNING,
                                              .a = sym(r, topic),
                                              .text = sym(r, p)});
        }
    return false;
}

/* ------------------------------------------------------------------------ lines */

/* Lines that are many and say nothing that is kept. */
static bool is_noise(const struct fsd_event_reader *r, struct fsd_slice p)
{
    switch (*p.s) {
    case 'T':
        return fsd_slice_begins(p, "Tactic");
    case ' ':
        return fsd_slice_begins(p, " (foreignNode)");
    case '>':
        return fsd_slice_begins(p, ">>>>>>>>>>>>>");
    case 'S':
        return fsd_slice_begins(p, "Set Tactic") || fsd_slice_begins(p, "Searching ") ||
               (r->severity == 'V' && fsd_slice_begins(p, "Skipping "));
    case 'E':
        return fsd_slice_begins(p, "Engine Layer Information");
    default:
        return false;
    }
}

typedef bool reader_fn(struct fsd_event_reader *r, struct fsd_slice p);

/* Tried by the line's first character. */
static const struct {
    char first;
    reader_fn *read;
} readers[] = {
    {'R', read_running},     {'R', read_removing},     {'R', read_retarget},
    {'R', read_eliminating}, {'E', read_eliminating},  {'S', read_swap},
    {'S', read_retype},      {'C', read_retype},       {'M', read_merge},
    {'G', read_copy},        {'A', read_reformat},     {'A', read_stage},
    {'O', read_stage},       {'O', fsd_timing_cached}, {'F', read_members},
    {'F', read_bare_fuse},   {'f', read_bare_fuse},
};

bool fsd_event_read(struct fsd_event_reader *r, struct fsd_slice p)
{
    while (p.n && (p.s[p.n - 1] == ' ' || p.s[p.n - 1] == '\r'))
        p.n--;
    if (!p.n || is_noise(r, p) || fsd_timing_read(r, p))
        return true;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].first == *p.s && readers[i].read(r, p))
            return true;
    if (read_pass(r, p))
        return true;
    if (fsd_timing_fastest(r, p))
        return true;
    return r->severity != 'V' && read_warning(r, p);
}
