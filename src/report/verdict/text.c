/* Prints verdicts as lines: text for the log of a CI job, and annotations for
 * GitHub. */
#include "base/base.h"
#include "report/phrase/escape.h"
#include "report/phrase/phrase.h"
#include "report/verdict/verdict.h"
#include "report/text/text.h"

static void put_row(const struct fsd_verdict_row *row, FILE *out)
{
    bool change = row->before && *row->before;

    fprintf(out, "%-26s%14s%s%s\n", row->what, change ? row->before : "",
            change ? " -> " : "    ", row->now);
}

void fsd_put_outcome(const struct fsd_outcome *rule, FILE *out)
{
    char found[16];

    fsd_put_noun(out, rule->found, "finding");
    snprintf(found, sizeof found, "%u", rule->found);
    if (rule->budget && strcmp(rule->measured, found) != 0)
        fprintf(out, ", %s%s",
                *rule->measured >= '0' && *rule->measured <= '9' ? "measured " : "",
                rule->measured);
    if (rule->budget && (!strcmp(rule->budget, "0") || !strcmp(rule->budget, "0.00%")))
        fputs(rule->level == FSD_ERROR ? ", none allowed" : "", out);
    else if (rule->budget)
        fprintf(out, ", at most %s allowed", rule->budget);
    if (rule->ignored)
        fprintf(out, ", %u ignored", rule->ignored);
}

/* Prints what the findings of a rule do not say: their number, the budget, and how many
 * are ignored. Prints this only if some are ignored, or if the rule has level error, a
 * budget and findings. put_skipped() prints the skipped rules. */
static void put_outcome_line(const struct fsd_outcome *rule, FILE *out)
{
    bool fails = rule->budget && rule->found && rule->level == FSD_ERROR;

    if (rule->skipped || !(fails || rule->ignored))
        return;
    fprintf(out, "%s: ", rule->rule->id);
    fsd_put_outcome(rule, out);
    putc('\n', out);
}

/* Whether both rules were skipped for the same reason. */
static bool skipped_alike(const struct fsd_findings *all, uint32_t a, uint32_t b)
{
    const char *why = all->rules.at[a].skipped, *other = all->rules.at[b].skipped;

    return why && other && !strcmp(why, other);
}

/* Prints "latency, slower-group": the rules that were skipped for the same reason as
 * rule i. Prints nothing if an earlier rule has the same reason.
 * @return whether it printed */
static bool put_skipped(const struct fsd_findings *all, uint32_t i, const char *before,
                        FILE *out)
{
    bool first = all->rules.at[i].skipped != NULL;

    for (uint32_t k = 0; k < i && first; k++)
        first = !skipped_alike(all, i, k);
    for (uint32_t k = i; k < all->rules.n && first; k++)
        if (skipped_alike(all, i, k))
            fprintf(out, "%s%s", k > i ? ", " : before, all->rules.at[k].rule->id);
    return first;
}

/* The label, the reason and the owner come from the policy. A policy is valid UTF-8,
 * but may contain invisible characters, so these texts are escaped. */
void fsd_put_ignore(const struct fsd_ignored *ignored, FILE *out)
{
    const struct fsd_policy_ignore *by = ignored->by;
    unsigned day = by->expires;

    fprintf(out, "%u finding%s of %s", ignored->n, fsd_plural(ignored->n), by->rule);
    if (*by->label)
        fsd_printf_safe(out, " by '%s'", by->label);
    fsd_printf_safe(out, ": %s", by->reason);
    if (by->owner)
        fsd_printf_safe(out, "; owner %s", by->owner);
    if (day)
        fprintf(out, "; until %04u-%02u-%02u", day / 10000, day / 100 % 100, day % 100);
    else
        fputs("; never expires", out);
}

/* "+0.3600 ms, 20 errors, 3 warnings" */
void fsd_put_cause(const struct fsd_root_cause *cause, FILE *out)
{
    if (cause->timed)
        fprintf(out, "%+.4f ms, ", cause->ms);
    else if (cause->bytes)
        fprintf(out, "%.3g %s, ",
                (double)cause->bytes / (cause->bytes < 1000000 ? 1e3 : 1e6),
                cause->bytes < 1000000 ? "kB" : "MB");
    fprintf(out, "%u error%s, %u warning%s", cause->errors, fsd_plural(cause->errors),
            cause->warnings, fsd_plural(cause->warnings));
}

/* Findings with the same rule, severity and cause: `n` in total. put_findings() has
 * printed or omitted `put` of them so far. */
struct alike {
    uint32_t n, put;
};

static struct alike *count_alike(const struct fsd_verdict *v, uint32_t cause,
                                 struct fsd_arena *scratch)
{
    struct alike *alike = FSD_NEW(scratch, struct alike,
                                  (size_t)v->findings->rules.n * FSD__SEVERITY_COUNT);

    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];

        if (!v->cause_of || v->cause_of[i] == cause)
            alike[item->rule * FSD__SEVERITY_COUNT + item->severity].n++;
    }
    return alike;
}

/* How many findings of a rule and severity are printed. `caused`: these findings belong
 * to a cause. Notes that belong to a cause only repeat it, so they are printed only if
 * there are at most NOTES of them. */
static uint32_t room_for(const struct alike *alike, enum fsd_severity severity,
                         bool caused)
{
    enum { NOTES = 3, SHOWN = 6, MANY = 8 };

    if (severity == FSD_INFO && caused)
        return alike->n > NOTES ? 0 : alike->n;
    return alike->n > MANY ? SHOWN : alike->n;
}

static void put_findings(const struct fsd_verdict *v, uint32_t cause,
                         const struct fsd_style *style, FILE *out)
{
    FSD_SCRATCH(scratch);
    struct alike *all = count_alike(v, cause, scratch);

    for (uint32_t i = 0; i < v->findings->list.n; i++) {
        const struct fsd_finding *item = &v->findings->list.at[i];
        struct alike *alike = &all[item->rule * FSD__SEVERITY_COUNT + item->severity];
        uint32_t room = room_for(alike, item->severity, cause != FSD_NONE);

        if (v->cause_of && v->cause_of[i] != cause)
            continue;
        if (style->all || alike->put < room)
            fsd_text_finding(v->findings, item, style, out);
        else if (alike->put == room)
            fprintf(out, "%-7s %s  %u %s (--all shows them)\n",
                    fsd_level_name((int)item->severity),
                    v->findings->rules.at[item->rule].rule->id, alike->n - room,
                    room ? "more" : "notes");
        alike->put++;
    }
}

/* Prints each cause with its findings, and then the findings that no single cause
 * explains. */
static void put_cause_lines(const struct fsd_verdict *v, const struct fsd_style *style,
                            FILE *out)
{
    for (uint32_t i = 0; i < v->causes.n; i++) {
        fsd_printf_safe(out, "cause %u: %s (", i + 1, v->causes.at[i].what);
        fsd_put_cause(&v->causes.at[i], out);
        fputs(")\n", out);
        put_findings(v, i, style, out);
        putc('\n', out);
    }
    if (v->causes.n)
        fputs("findings without a known cause:\n", out);
    put_findings(v, FSD_NONE, style, out);
}

static void put_one_verdict(const struct fsd_verdict *v, const struct fsd_style *style,
                            FILE *out)
{
    fsd_text_brief(&v->brief, style, out);
    fputs(v->brief.n ? "\n" : "", out);
    for (uint32_t i = 0; i < v->about.n; i++) {
        fprintf(out, "%-26s", v->about.at[i].what);
        fsd_printf_safe(out, "%s\n", v->about.at[i].now);
    }
    for (uint32_t i = 0; i < v->rows.n; i++)
        put_row(&v->rows.at[i], out);
    putc('\n', out);
    put_cause_lines(v, style, out);
    for (uint32_t i = 0; i < v->findings->rules.n; i++) {
        put_outcome_line(&v->findings->rules.at[i], out);
        if (put_skipped(v->findings, i, "", out))
            fprintf(out, ": not measured: %s\n", v->findings->rules.at[i].skipped);
    }
    for (uint32_t i = 0; i < v->findings->ignores.n; i++) {
        fputs("ignored ", out);
        fsd_put_ignore(&v->findings->ignores.at[i], out);
        putc('\n', out);
    }
    fsd_ink(style, v->failed ? FSD_INK_ALARM : FSD_INK_TITLE, out);
    fputs(v->verdict ? v->verdict : v->title, out);
    fsd_ink(style, FSD_INK_PLAIN, out);
    fputs(": ", out);
    fsd_put_tally_of(v->findings, out);
    putc('\n', out);
    if (v->failed && v->accept)
        fsd_printf_safe(out, "to accept this build: %s\n", v->accept);
}

void fsd_verdict_put_text(const struct fsd_verdicts *all, const struct fsd_style *style,
                          FILE *out)
{
    if (!all->list) {
        put_one_verdict(all->at[0].v, style, out);
        return;
    }
    fsd_verdicts_put_table(all, style, out);
    for (uint32_t i = 0; i < all->n; i++) {
        if (fsd_verdicts_put_title(&all->at[i], style, out))
            put_one_verdict(all->at[i].v, style, out);
    }
    fsd_verdicts_put_end(all, style, out);
}

/* --------------------------------------------------------------------- one line */

/* "2 errors (lost-fusion 1, new-reformat 1)" */
static void put_counts(const struct fsd_findings *all, enum fsd_severity severity,
                       FILE *out)
{
    static const char *const nouns[FSD__SEVERITY_COUNT] = {"note", "warning", "error"};
    const char *before = " (";

    fsd_put_noun(out, all->by_severity[severity], nouns[severity]);
    for (uint32_t rule = 0; rule < all->rules.n; rule++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < all->list.n && all->rules.at[rule].found; i++)
            n += all->list.at[i].rule == rule && all->list.at[i].severity == severity;
        if (n)
            fprintf(out, "%s%s %u", before, all->rules.at[rule].rule->id, n);
        before = n ? ", " : before;
    }
    putc(')', out);
}

static void put_line(const struct fsd_verdict *v, FILE *out)
{
    const struct fsd_findings *all = v->findings;
    const char *before = ": ";

    fprintf(out, "%s%s%s", v->title, v->verdict ? " " : "",
            v->verdict ? v->verdict : "");
    for (unsigned s = FSD__SEVERITY_COUNT; s-- > 0;) {
        if (!all->by_severity[s])
            continue;
        fputs(before, out);
        put_counts(all, (enum fsd_severity)s, out);
        before = ", ";
    }
    if (all->ignored)
        fprintf(out, "%s%u ignored", before, all->ignored);
    if (all->off) {
        fputs("; ", out);
        fsd_put_noun(out, all->off, "finding");
        fputs(" from disabled rules", out);
    }
    for (uint32_t i = 0; i < all->rules.n; i++)
        if (put_skipped(all, i, "; ", out))
            fputs(" not measured", out);
    putc('\n', out);
}

void fsd_verdict_put_line(const struct fsd_verdicts *all, const struct fsd_style *style,
                          FILE *out)
{
    (void)style;
    if (all->list)
        fsd_verdicts_put_line(all, out);
    else
        put_line(all->at[0].v, out);
}

/* ---------------------------------------------------------------- annotations */

/* In a workflow step, GitHub shows ten annotations of each severity and silently drops
 * the rest. */
enum { SHOWN = 10 };

/* The annotations for GitHub, which are workflow commands: "::warning
 * file=,title=::text". `all` counts the annotations of each severity. `put` counts the
 * calls of open_annotation() for each severity so far. */
struct annotations {
    uint32_t all[FSD__SEVERITY_COUNT], put[FSD__SEVERITY_COUNT];
    FILE *out;
};

/* Prints the front of an annotation, up to its title. If a severity has more than SHOWN
 * annotations, only the first SHOWN - 1 are printed. One further annotation then states
 * how many are left out; this function prints all of it.
 * @return true: the caller must print the rest; false: the annotation is left out */
static bool open_annotation(struct annotations *a, enum fsd_severity severity,
                            const char *file, uint32_t line)
{
    static const char *const commands[FSD__SEVERITY_COUNT] = {"notice", "warning",
                                                              "error"};
    uint32_t all = a->all[severity];

    if (++a->put[severity] >= SHOWN && all > SHOWN) {
        if (a->put[severity] == SHOWN)
            fprintf(a->out, "::%s title=fusiondiff::and %u more: see the report\n",
                    commands[severity], all - SHOWN + 1);
        return false;
    }
    fprintf(a->out, "::%s file=", commands[severity]);
    fsd_put_github_property(a->out, file);
    if (line)
        fprintf(a->out, ",line=%u", line);
    fputs(",title=", a->out);
    return true;
}

/* Prints the rest of an annotation. Its title names the model, because jobs with many
 * builds show all annotations together. */
static void close_annotation(struct annotations *a, const struct fsd_judged *j,
                             const char *what, const char *message)
{
    fsd_put_github_property(a->out, what);
    if (j->name) {
        fputs(" (", a->out);
        fsd_put_github_property(a->out, j->name);
        putc(')', a->out);
    }
    fputs("::", a->out);
    fsd_put_github(a->out, message);
    putc('\n', a->out);
}

static void annotate(struct annotations *a, const struct fsd_judged *j, uint32_t i)
{
    const struct fsd_findings *all = j->v->findings;
    const struct fsd_finding *item = &all->list.at[i];

    if (open_annotation(a, item->severity, item->file, item->line))
        close_annotation(a, j, all->rules.at[item->rule].rule->id, item->message);
}

static void annotate_error(struct annotations *a, const struct fsd_judged *j)
{
    char text[sizeof(struct fsd_error)];

    if (open_annotation(a, FSD_ERROR, *j->error->file ? j->error->file : ".", 0))
        close_annotation(a, j, "error", fsd_error_text(j->error, text, sizeof text));
}

/* Adds the root cause as an annotation of the model file. If no model is known, the
 * annotation is of the engine file. */
static void annotate_cause(struct annotations *a, const struct fsd_judged *j)
{
    if (open_annotation(a, FSD_INFO, j->v->model ? j->v->model : j->v->engine, 0))
        close_annotation(a, j, "root cause", fsd_verdict_sentences(j->v));
}

/* Prints the first finding of each build, then the second finding of each build, and so
 * on, so that each build has annotations within the limit. */
void fsd_verdict_put_github(const struct fsd_verdicts *all,
                            const struct fsd_style *style, FILE *out)
{
    struct annotations a = {.out = out};
    uint32_t most = 0;

    (void)style;
    a.all[FSD_ERROR] = all->errors;
    for (uint32_t b = 0; b < all->n; b++) {
        const struct fsd_verdict *v = all->at[b].v;

        for (unsigned s = 0; v && s < FSD__SEVERITY_COUNT; s++)
            a.all[s] += v->findings->by_severity[s];
        a.all[FSD_INFO] += v && v->says[0];
        if (v && v->findings->list.n > most)
            most = v->findings->list.n;
    }
    for (uint32_t b = 0; b < all->n; b++)
        if (!all->at[b].v)
            annotate_error(&a, &all->at[b]);
    for (uint32_t b = 0; b < all->n; b++)
        if (all->at[b].v && all->at[b].v->says[0])
            annotate_cause(&a, &all->at[b]);
    for (uint32_t i = 0; i < most; i++)
        for (uint32_t b = 0; b < all->n; b++)
            if (all->at[b].v && i < all->at[b].v->findings->list.n)
                annotate(&a, &all->at[b], i);
}
