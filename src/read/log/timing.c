/*
 * Reads the lines about kernels that the builder timed for a layer, and about the
 * fastest of them.  Nearly all lines of a large log are such lines.
 */
#include "read/log/log.h"
#include "host/files.h"

#include <stdlib.h>

/* Finds `word` in `p`.  Only the places with a 'T' are compared, because this letter is
 * rare.  In a short line, this is faster than memmem(), which needs a preparation.
 * @param t  the offset of the first 'T' in `word` */
static const char *find_by_t(struct fsd_slice p, const char *word, size_t t)
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

static fsd_sym name_sym(struct fsd_event_reader *r, struct fsd_event_name *name)
{
    if (name->sym == FSD_NONE)
        name->sym = name->text.n ? fsd_intern_slice(r->h->names, name->text) : 0;
    return name->sym;
}

/* Sets the layer and the runner that the builder is timing, from "NAME
 * (RUNNER[0x8000])".  A text of another form changes nothing. */
static void take_timed(struct fsd_event_reader *r, struct fsd_slice name)
{
    struct fsd_slice runner, number;

    if (!fsd_slice_drop(&name, ")") || !fsd_slice_split_last(&name, " (", &runner))
        return;
    fsd_slice_split_at(&runner, "[", &number);
    r->timed = (struct fsd_event_name){name, FSD_NONE};
    r->runner = (struct fsd_event_name){runner, FSD_NONE};
}

static uint32_t effort_on_timed(struct fsd_event_reader *r)
{
    return fsd_effort_on(r->h->arena, &r->h->efforts, name_sym(r, &r->timed),
                         name_sym(r, &r->runner), r->build);
}

/* Returns the time in `p`, as strtod() would; -1 if the text is no time.  Nearly all
 * times have only digits and a point.  For these, the function divides an exact integer
 * by an exact power of ten, which gives the correctly rounded result. */
static double number(struct fsd_slice p)
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

/* Adds the seconds that the builder spent on the layer that it is timing.
 * @param seconds  a text that begins like "0.1 seconds", or an empty text
 * @param timed  true: the layer has a fastest tactic; false: it has none ("inf") */
static void take_effort(struct fsd_event_reader *r, struct fsd_slice seconds,
                        bool timed)
{
    uint32_t effort = effort_on_timed(r); /* this call may move efforts.list, so it
                                             comes first */
    struct fsd_effort *e = &r->h->efforts.list.at[effort];
    struct fsd_slice unit;
    double passed;

    e->timed += timed;
    if (!fsd_slice_split_at(&seconds, " seconds", &unit))
        return;
    passed = number(seconds);
    if (passed < 0)
        return;
    e->stated++;
    e->seconds += passed;
}

/* Reads a line like "[NAME (RUNNER) profiling completed in 0.1 seconds. ]Fastest
 * Tactic: T Time: 0.01". */
static bool read_fastest(struct fsd_event_reader *r, struct fsd_slice p, const char *at)
{
    struct fsd_slice tactic = fsd_slice_split(&p, at, strlen("Fastest Tactic: "));
    struct fsd_slice seconds = {"", 0};
    const char *time = find_by_t(tactic, " Time: ", 1);
    struct fsd_event_name *runner = &r->runner, *formats = &r->formats;
    double ms;

    if (!time)
        return true;
    ms = number(fsd_slice_split(&tactic, time, strlen(" Time: ")));
    if (fsd_slice_split_last(&p, " profiling completed in ", &seconds))
        take_timed(r, p);
    if (!r->timed.text.n)
        return true;
    take_effort(r, seconds, ms >= 0);
    fsd_log_effort_off(r);
    if (ms < 0)
        return true;
    /* All reformats have the same runner.  The text "A -> B" of r->autotuned is
     * therefore stored in place of the runner. */
    if (fsd_slice_begins(r->timed.text, "Optimizer Reformat")) {
        runner = &r->autotuned;
        formats = NULL;
    }
    fsd_history_rival(r->h,
                      (struct fsd_rival){.layer = name_sym(r, &r->timed),
                                         .runner = name_sym(r, runner),
                                         .formats = formats ? name_sym(r, formats) : 0,
                                         .ms = ms,
                                         .build = r->build},
                      tactic.s, tactic.n);
    return true;
}

/* Reads a line with a result from the timing cache for a layer or for a reformat, like
 * "Optimizer Reformat(x -> <out>) [A -> B] got cached result: R, tactic T, 0.003 ms".
 * The line shows the time of a reformat even if the engine has no profile. */
bool fsd_timing_cached(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice how, result, tactic, ms;
    uint32_t effort;
    fsd_sym layer;

    if (!fsd_slice_split_at(&p, " got cached result: ", &result) ||
        !fsd_slice_drop(&p, "]") || !fsd_slice_split_at(&p, " [", &how) ||
        !fsd_slice_split_at(&result, ", tactic ", &tactic) ||
        !fsd_slice_split_at(&tactic, ", ", &ms))
        return false;
    layer = fsd_intern_slice(r->h->names, p);
    effort = fsd_effort_on(r->h->arena, &r->h->efforts, layer,
                           fsd_intern_slice(r->h->names, result), r->build);
    r->h->efforts.list.at[effort].cached++;
    fsd_slice_drop(&ms, " ms");
    if (!fsd_slice_begins(p, "Optimizer Reformat(") || number(ms) < 0)
        return true;
    fsd_history_rival(r->h,
                      (struct fsd_rival){.layer = layer,
                                         .runner = fsd_intern_slice(r->h->names, how),
                                         .ms = number(ms),
                                         .build = r->build},
                      tactic.s, tactic.n);
    return true;
}

/* ------------------------------------------------------------------------ lines */

/* Whether the line has " Set Tactic Name: " after the name of a layer.  Many
 * consecutive lines have the same layer.  The function therefore first looks for these
 * words at r->set_at, their position in the last line that had them. */
static bool is_set_tactic(struct fsd_event_reader *r, struct fsd_slice p)
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

bool fsd_timing_read(struct fsd_event_reader *r, struct fsd_slice p)
{
    switch (*p.s) {
    case '*':
        if (fsd_slice_take(&p, "*************** Autotuning Reformat:")) {
            fsd_slice_take(&p, " ");
            fsd_slice_drop(&p, " ***************");
            r->autotuned = (struct fsd_event_name){p, FSD_NONE};
            return true;
        }
        if (fsd_slice_take(&p, "*************** Autotuning format combination:")) {
            fsd_slice_take(&p, " ");
            fsd_slice_drop(&p, " ***************");
            r->formats = (struct fsd_event_name){p, FSD_NONE};
            return true;
        }
        if (fsd_slice_begins(p, "*************** "))
            return true;
        break;
    case '-':
        if (fsd_slice_take(&p, "--------------- Timing Runner: ")) {
            take_timed(r, p);
            if (r->timed.text.n) {
                r->effort = effort_on_timed(r);
                r->h->efforts.list.at[r->effort].begun++;
            }
            return true;
        }
        break;
    case '=':
        if (fsd_slice_begins(p, "=============== Computing ")) {
            fsd_log_effort_off(r);
            return true;
        }
        break;
    case 'F':
        if (fsd_slice_begins(p, "Fastest Tactic: "))
            return read_fastest(r, p, p.s);
        break;
    }
    return is_set_tactic(r, p);
}

bool fsd_timing_fastest(struct fsd_event_reader *r, struct fsd_slice p)
{
    const char *at = find_by_t(p, "Fastest Tactic: ", 8);

    return at && read_fastest(r, p, at);
}

/* ------------------------------------------------------------------------ reformats */

/* Returns the index of a reformat's measurement in h->rivals, plus 1; 0 if there is
 * none.  The line that adds the reformat and the line that times it have different
 * texts for the reformat and for its formats:
 *
 *     adds    "Reformatted Output Tensor 0 to X"      "Float(1,2) to Half(1,2)"
 *     times   "Optimizer Reformat(<in> -> TENSOR)"    "Float(1,2) -> Half(1,2)" */
static uint32_t find_reformat(struct fsd_arena *scratch, const struct fsd_history *h,
                              const struct fsd_event *e)
{
    const char *change = fsd_text(h->names, e->text), *to = strstr(change, ") to ");
    const char *tensor = fsd_text(h->names, e->b), *name = fsd_text(h->names, e->a);
    bool output = strstr(name, "Reformatted Output ") == name ||
                  strstr(name, "Reformatted Network Output ") == name;
    size_t room = strlen(change) + strlen(tensor) + 64;
    char *text = FSD_NEW(scratch, char, room);
    fsd_sym layer, runner;

    if (!to)
        return 0;
    snprintf(text, room, "%.*s) -> %s", (int)(to - change), change, to + 5);
    runner = fsd_intern_find(h->names, text, strlen(text));
    snprintf(text, room,
             output ? "Optimizer Reformat(<in> -> %s)"
                    : "Optimizer Reformat(%s -> <out>)",
             tensor);
    layer = fsd_intern_find(h->names, text, strlen(text));
    if (layer == FSD_NONE)
        return 0;
    for (uint32_t i = fsd_history_rivals(h, layer); i != FSD_NONE;
         i = h->rivals.at[i].next)
        if (h->rivals.at[i].runner == runner)
            return i + 1;
    return 0;
}

void fsd_timing_reformats(struct fsd_history *h)
{
    FSD_SCRATCH(scratch);

    for (uint32_t i = 0; i < h->events.n && h->rivals.n; i++)
        if (h->events.at[i].kind == FSD_EVENT_REFORMAT)
            h->events.at[i].timed = find_reformat(scratch, h, &h->events.at[i]);
}
