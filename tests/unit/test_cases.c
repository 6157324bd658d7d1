/* The cases of tests/unit/cases, by their kinds. */
#include "build_graph.h"
#include "cases.h"
#include "show.h"

#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "explain/cost/scope.h"
#include "judge/failed/failed.h"
#include "judge/lint/lint.h"
#include "report/subject/subject.h"
#include "change/snapshot/snapshot.h"
#include "change/snapshot/variants.h"
#include "api/states.h"
#include "read/log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ----------------------------------------------------------------- states, compared */

struct states {
    struct fsd_state *at[FSD_MOST_BUILDS];
    uint32_t n;
};

static struct states read_builds(const struct test_case *c)
{
    struct states s = {.n = 0};
    const char *text;

    while ((text = case_text(c, "build", s.n)))
        s.at[s.n++] = read_state(text);
    return s;
}

static void free_builds(struct states *s)
{
    while (s->n)
        fsd_state_free(s->at[--s->n]);
}

/* Two texts of states, compared.  Those of one model have one hash. */
static void run_compare(const struct test_case *c, FILE *out)
{
    struct fsd_state *old = read_state(case_need(c, "before"));
    struct fsd_state *new = read_state(case_need(c, "after"));
    struct fsd_compare *compare = fsd_compare_builds(old, new);

    show_compare(compare, out);
    if (case_text(c, "fit", 0)) {
        struct fsd_built_fit fit = fsd_compare_built_fit(compare->arena, old, new);

        fprintf(out, "alike in %u, other %s\n", fit.alike,
                fit.other.key ? fit.other.key : "in nothing");
    }
    fsd_compare_free(compare);
    fsd_state_free(new);
    fsd_state_free(old);
}

/* Two models that are not the same, node by node. */
static void run_align(const struct test_case *c, FILE *out)
{
    struct fsd_state *old = read_state(case_need(c, "before"));
    struct fsd_state *new = read_state(case_need(c, "after"));
    struct fsd_compare *compare;

    old->model_hash[0] = 1;
    compare = fsd_compare_new(old, new);
    show_align(compare, out);
    fsd_compare_free(compare);
    fsd_state_free(new);
    fsd_state_free(old);
}

static void run_matrix(const struct test_case *c, FILE *out)
{
    struct states s = read_builds(c);
    struct fsd_matrix *m = fsd_matrix_new((const struct fsd_state *const *)s.at, s.n);

    show_matrix(m, out);
    fsd_matrix_free(m);
    free_builds(&s);
}

/* ------------------------------------------------------------------------ snapshots */

/* A snapshot of several builds, as it is recorded, and read back. */
static void run_learn(const struct test_case *c, FILE *out)
{
    struct states s = read_builds(c);
    struct fsd_matrix *m = fsd_matrix_new((const struct fsd_state *const *)s.at, s.n);
    struct fsd_learnt learnt[FSD_MOST_BUILDS];
    const char *to = case_text(c, "check", 0);
    struct fsd_file file = {.name = "learnt"};
    struct fsd_state *back;
    char *text = NULL;
    FILE *print = open_memstream(&text, &file.size);
    struct fsd_error err;

    fsd_snapshot_write_builds(m, case_text(c, "known", 0), print, learnt);
    fclose(print);
    file.bytes = (const unsigned char *)text;
    for (uint32_t b = 1; b < m->n; b++)
        fprintf(out,
                "build %u: %u variants, %u ports, %u less, %u more, %u strange, "
                "%u gone\n",
                b, learnt[b].variants, learnt[b].ports, learnt[b].less, learnt[b].more,
                learnt[b].strange, learnt[b].gone);
    assert_int_equal(fsd_snapshot_load(&back, &file, &err), FSD_OK);
    if (to) {
        struct fsd_state *build = read_state(to);
        const struct fsd_state *nearest = fsd_variants_nearest(back, build);
        struct fsd_compare *compare = fsd_compare_new(nearest, build);

        for (uint32_t i = 0; i < nearest->variants.n; i++)
            fprintf(out, "row %u: of build %u, %u apart, line %u\n", i,
                    nearest->variants.at[i].build, nearest->variants.at[i].apart,
                    nearest->variants.at[i].line);
        fprintf(out,
                "engine %u of %s, %u layers, %u of %u mapped, %u profiles, %g ms\n",
                (unsigned)nearest->engine_hash[0],
                fsd_text(nearest->names, nearest->producer), nearest->layers,
                nearest->mapped, nearest->computing, nearest->profiles,
                nearest->total.median);
        show_compare(compare, out);
        fsd_compare_free(compare);
        fsd_state_free(build);
    } else {
        show_state(back, out);
    }
    fsd_state_free(back);
    free(text);
    fsd_matrix_free(m);
    free_builds(&s);
}

/* Any bytes: the error, or what was read as it is written. */
static void run_read(const struct test_case *c, FILE *out)
{
    const char *text = case_need(c, "snapshot");
    struct fsd_file file = {
        .name = "snapshot", .bytes = (const unsigned char *)text, .size = strlen(text)};
    struct fsd_state *s;
    struct fsd_error err;
    char room[600];

    if (fsd_snapshot_load(&s, &file, &err) == FSD_OK)
        show_state(s, out);
    else
        fprintf(out, "%s: %s\n", fsd_status_name(err.status),
                fsd_error_text(&err, room, sizeof room));
    fsd_state_free(s);
}

/* ------------------------------------------------------------------------- policies */

static struct fsd_policy *read_policy(const char *text, FILE *out)
{
    struct fsd_memory file = {
        .path = "policy.ini", .bytes = text, .size = text ? strlen(text) : 0};
    struct fsd_policy *policy;
    struct fsd_error err;
    char room[600];

    fsd_use_memory(&file, 1);
    if (fsd_policy_read(&policy, text ? "policy.ini" : NULL, &err) != FSD_OK)
        fprintf(out, "%s: %s\n", fsd_status_name(err.status),
                fsd_error_text(&err, room, sizeof room));
    fsd_use_memory(NULL, 0);
    return policy;
}

static void put_words(const char *what, const fsd_policy_words *words, FILE *out)
{
    for (uint32_t i = 0; i < words->n; i++)
        fprintf(out, "%s%s", i ? " " : what, words->at[i].text);
    fputs(words->n ? "\n" : "", out);
}

static void put_promise(const struct fsd_promise *p, FILE *out)
{
    fprintf(out, "promise %s line %u: pattern %d fused %d least %g share %g by %d",
            fsd_rule_at(p->rule)->id, p->line, (int)p->pattern, p->fused, p->least,
            p->share, (int)p->by);
    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        if (p->types >> i & 1)
            fprintf(out, " %s", fsd_dtype_name((enum fsd_dtype)i));
    for (int i = 0; i < FSD__MEMORY_COUNT; i++)
        if (p->bytes[i] >= 0)
            fprintf(out, " memory %d %.0f", i, p->bytes[i]);
    putc('\n', out);
    put_words("    scope ", &p->scope, out);
}

/* What a policy sets otherwise than the default one. */
static void run_policy(const struct test_case *c, FILE *out)
{
    struct fsd_policy *p = read_policy(case_need(c, "policy"), out);
    struct fsd_policy *usual = fsd_policy_new();

    for (unsigned i = 0; p && fsd_rule_at(i); i++) {
        const struct fsd_policy_rule *r = &p->rules[i], *u = &usual->rules[i];

        if (!memcmp(r, u, sizeof *r))
            continue;
        fprintf(out, "%s: %s, count %g, ms %g, share %g%s%s\n", fsd_rule_at(i)->id,
                fsd_level_name(r->level), r->budget.count, r->budget.ms,
                r->budget.share, r->own_budget ? ", own" : "",
                r->asked ? ", asked" : "");
    }
    if (p && (p->noise != usual->noise || p->noise_cap != usual->noise_cap))
        fprintf(out, "noise %g to %g\n", p->noise, p->noise_cap);
    for (uint32_t i = 0; p && i < p->ignores.n; i++) {
        const struct fsd_policy_ignore *g = &p->ignores.at[i];

        fprintf(out, "ignore '%s' line %u: %s on %s, %s, %s, %u\n", g->label, g->line,
                g->rule, g->node, g->reason, g->owner ? g->owner : "nobody",
                g->expires);
    }
    for (uint32_t i = 0; p && i < p->promises.n; i++)
        put_promise(&p->promises.at[i], out);
    if (p) {
        put_words("operators ", &p->operators, out);
        put_words("except ", &p->except, out);
    }
    fsd_policy_free(usual);
    fsd_policy_free(p);
}

/* ----------------------------------------------------------------------------- runs */

/* The path of a fixture that a section names; NULL where there is no such section. */
static const char *fixture(const struct test_case *c, const char *section, char *room,
                           size_t size)
{
    const char *name = case_text(c, section, 0);

    if (name)
        snprintf(room, size, "%s/%.*s", FSD_FIXTURES, (int)strcspn(name, "\n"), name);
    return name ? room : NULL;
}

/* Of files, where the case names some. */
static struct fsd_diff *run_of_files(const struct test_case *c)
{
    char model[512], engine[512], log[512], profile[512];
    const char *profiles[] = {fixture(c, "times", profile, sizeof profile)};
    const struct fsd_options opt = {.model = fixture(c, "file", model, sizeof model),
                                    .engine = fixture(c, "dump", engine, sizeof engine),
                                    .log = fixture(c, "log", log, sizeof log),
                                    .profiles = profiles,
                                    .n_profiles = profiles[0] != NULL,
                                    .force = true};
    struct fsd_diff *d;
    struct fsd_error err;

    if ((opt.engine ? fsd_diff_open : fsd_run_open)(&d, &opt, &err) != FSD_OK)
        fail_msg("%s", err.message);
    return d;
}

static struct fsd_diff *run_of_texts(const struct test_case *c)
{
    const char *profiles[4], *shapes[8], *peaks = case_text(c, "peaks", 0), *text;
    struct build b = {.model = case_need(c, "model"),
                      .engine = case_text(c, "engine", 0),
                      .log = case_text(c, "log", 0),
                      .profiles = profiles,
                      .options.shapes = shapes};
    struct fsd_diff *d;
    char *words = NULL;

    while ((text = case_text(c, "profile", b.n_profiles)))
        profiles[b.n_profiles++] = text;
    if (case_text(c, "shapes", 0)) {
        words = strdup(case_text(c, "shapes", 0));
        for (char *at = strtok(words, "\n"); at; at = strtok(NULL, "\n"))
            shapes[b.options.n_shapes++] = at;
    }
    if (peaks) {
        char *end;

        b.options.peak_gb_s = strtod(peaks, &end);
        b.options.peak_top_s = strtod(end, NULL);
    }
    b.engine = b.engine ? b.engine : "";
    d = build_of(&b);
    free(words);
    return d;
}

static struct fsd_diff *run_of(const struct test_case *c)
{
    bool files = case_text(c, "file", 0) || case_text(c, "dump", 0);

    return files ? run_of_files(c) : run_of_texts(c);
}

/* A model and its engine: the state that builds are compared by. */
static void run_state(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);
    struct fsd_state *s = fsd_state_of(d);

    show_state(s, out);
    fsd_state_free(s);
    fsd_diff_free(d);
}

static void run_cost(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);

    show_cost(d, out);
    fsd_diff_free(d);
}

/* Which memory lives when; sums by operator; sums by name scope. */
static void run_sums(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);
    const char *depth = case_text(c, "depth", 0);

    show_sums(d, depth ? (unsigned)atoi(depth) : 0, out);
    fsd_diff_free(d);
}

/* What layers spend their time and bytes on. */
static void run_spent(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);

    show_spent(d, out);
    fsd_diff_free(d);
}

static void run_findings(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);

    show_findings(d->findings, false, out);
    if (case_text(c, "table", 0)) {
        struct fsd_verdict *v = fsd_verdict_of_run(d);

        show_verdict(v, out);
        fsd_verdict_free(v);
    }
    fsd_diff_free(d);
}

/* ---------------------------------------------------------------------------- gates */

static unsigned day_of(const struct test_case *c)
{
    const char *text = case_text(c, "today", 0);
    char day[11];

    snprintf(day, sizeof day, "%s", text ? text : "");
    return fsd_day_parse(day);
}

/* Sets what format 1 of snapshots does not have: the bytes of both builds, and the
 * number of the reading by which each was counted. */
static void set_bytes(struct fsd_state *old, struct fsd_state *new, const char *text)
{
    long long bytes[2];

    if (sscanf(text, "%lld %u\n%lld %u", &bytes[0], &old->reading, &bytes[1],
               &new->reading) != 4)
        fail_msg("expected BYTES READING of both builds, found %s", text);
    old->bytes = bytes[0];
    new->bytes = bytes[1];
}

/* A build, or a model and its engine, against a snapshot and a policy. */
static void run_check(const struct test_case *c, FILE *out)
{
    struct fsd_policy *policy = read_policy(case_text(c, "policy", 0), out);
    const char *before = case_text(c, "before", 0);
    struct fsd_diff *d = case_text(c, "after", 0) ? NULL : run_of(c);
    struct fsd_state *old = before ? read_state(before) : NULL;
    struct fsd_state *new = d ? fsd_state_of(d) : read_state(case_need(c, "after"));
    struct fsd_case before_gate = {
        .build = new, .run = d, .policy = policy, .today = day_of(c)};
    struct fsd_compare *compare = old ? fsd_compare_new(old, new) : NULL;
    struct fsd_verdict *v;

    assert_non_null(policy);
    if (old && case_text(c, "bytes", 0))
        set_bytes(old, new, case_text(c, "bytes", 0));
    if (compare)
        assert_true(fsd_alignment_fits(fsd_alignment_count(compare)));
    before_gate.c = compare;
    v = fsd_verdict_of_case(&before_gate, case_text(c, "accept", 0), "check");
    show_findings(v->findings, case_text(c, "skipped", 0), out);
    if (case_text(c, "table", 0))
        show_verdict(v, out);
    else
        fprintf(out, "%s\n", v->verdict);
    for (size_t i = 0; i < FSD_COUNT_OF(v->says) && case_text(c, "says", 0); i++)
        fprintf(out, "%s\n", v->says[i]);
    fsd_verdict_free(v);
    fsd_compare_free(compare);
    fsd_state_free(new);
    fsd_state_free(old);
    fsd_diff_free(d);
    fsd_policy_free(policy);
}

/* What the gate says of rules and of files, by the words of each line. */
static void run_told(const struct test_case *c, FILE *out)
{
    char *text = strdup(case_need(c, "words")), *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fsd_memory file = {.path = "file", .bytes = line};
        struct fsd_error err;

        for (unsigned i = 0; !strcmp(line, "explain *") && fsd_rule_at(i); i++)
            (void)fsd_rule_explain(fsd_rule_at(i)->id, out, &err);
        if (!strcmp(line, "explain *"))
            continue;
        if (!strncmp(line, "explain ", 8)) {
            if (fsd_rule_explain(line + 8, out, &err) != FSD_OK)
                fprintf(out, "%s\n", err.message);
            continue;
        }
        for (char *at = line; (at = strchr(at, '|')); at++)
            *at = '\n';
        file.size = strlen(line);
        fsd_use_memory(&file, 1);
        fprintf(out, "%s\n", fsd_policy_sniff("file") ? "a policy" : "none");
        fsd_use_memory(NULL, 0);
    }
    free(text);
}

/* Lines of "BUILDER: LINES OF A MODEL; ...": whether it takes the last node. */
static void run_refused(const struct test_case *c, FILE *out)
{
    static const char *const imports[] = {"taken", "no importer", "not known"};
    char *text = strdup(case_need(c, "models")), *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *model = strstr(line, ": "), *name;
        struct fsd_target target;
        const struct fsd_lint *lint;
        const struct fsd_refusal *refusal;
        struct fsd_diff *d;
        fsd_id node = 0;

        assert_non_null(model);
        *model = '\0';
        model += 2;
        if ((name = strchr(line, ' ')))
            *name++ = '\0';
        split_facts(model);
        d = build_diff(model, "", FSD_BY_ALL);
        assert_true(fsd_target_read(&target, line, d->arena));
        lint = fsd_lint_new(d->arena, d->facts, d->cost->sizes, target);
        while (node + 1 < d->model->nodes.n &&
               !(name && !strcmp(name, fsd_text(d->model->names,
                                                d->model->nodes.at[node].name))))
            node++;
        refusal = fsd_lint_refusal(lint, node);
        if (refusal)
            fprintf(out, "%s (%s)\n", refusal->why, refusal->source);
        else
            fprintf(out, "%s\n", imports[fsd_lint_import(lint, node)]);
        fsd_diff_free(d);
    }
    free(text);
}

/* Words for builders, and how they are understood. */
static void run_targets(const struct test_case *c, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    char *text = strdup(case_need(c, "words")), *rest = NULL;

    for (char *word = strtok_r(text, "\n", &rest); word;
         word = strtok_r(NULL, "\n", &rest)) {
        struct fsd_target t;

        if (fsd_target_read(&t, word, arena))
            fprintf(out, "%s: %s, version %u, sm %u\n", t.name,
                    fsd_families_text(arena, t.family), t.version, t.sm);
        else
            fprintf(out, "%s: none\n", word);
    }
    free(text);
    fsd_arena_free(arena);
}

/* The tables of lint. */
static void run_refusals(const struct test_case *c, FILE *out)
{
    show_refusals(case_need(c, "targets"), case_need(c, "operators"), out);
}

static void run_fusion_rules(const struct test_case *c __attribute__((unused)),
                             FILE *out)
{
    show_fusion_rules(out);
}

static void run_styles(const struct test_case *c, FILE *out)
{
    show_styles(case_need(c, "models"), out);
}

static void run_split(const struct test_case *c, FILE *out)
{
    char *builder = strdup(case_need(c, "for"));

    builder[strcspn(builder, "\n")] = '\0';
    show_split(case_need(c, "model"), builder, case_need(c, "changes"), out);
    free(builder);
}

static void run_ways(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);

    show_ways(d, out);
    fsd_diff_free(d);
}

/* A model, with or without its engine, before its build. */
static void run_lint(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);
    struct fsd_policy *policy = read_policy(case_text(c, "policy", 0), out);
    const char *word = case_text(c, "for", 0);
    char *builder = word ? strndup(word, strcspn(word, "\n")) : NULL;
    struct fsd_target target;
    const struct fsd_findings *found;
    const struct fsd_lint *lint;

    assert_true(fsd_target_read(&target, builder ? builder : fsd_target_of(d->engine),
                                d->arena));
    lint = fsd_lint_new(d->arena, d->facts, d->cost->sizes, target);
    found = fsd_find_lint(d, lint, policy, day_of(c));
    show_lint(lint, out);
    show_findings(found, case_text(c, "skipped", 0), out);
    if (case_text(c, "table", 0)) {
        struct fsd_verdict *v = fsd_verdict_of_lint(d, lint, found, "lint");

        show_verdict(v, out);
        fsd_verdict_free(v);
    }
    fsd_policy_free(policy);
    fsd_diff_free(d);
    free(builder);
}

/* ----------------------------------------------------------------- models, compared */

static void run_exports(const struct test_case *c, FILE *out)
{
    static const char *const sides[] = {"before", "after"};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_export side[2];
    struct fsd_exports *e;

    for (int s = 0; s < 2; s++) {
        struct fsd_graph *g =
            build_model(arena, fsd_op_names_new(arena), case_need(c, sides[s]));

        g->hash[0] = (uint64_t)s + 1; /* two files */
        side[s].model = g;
        side[s].facts = fsd_facts_new(arena, side[s].model);
    }
    e = fsd_exports_new(side[0], side[1]);
    show_exports(e, out);
    fsd_exports_free(e);
    fsd_arena_free(arena);
}

/* ---------------------------------------------------------------------------- views */

/* A view of a run: "top --by nodes" is written as lines of "KEY VALUE". */
static void run_view(const struct test_case *c, FILE *out)
{
    struct fsd_diff *d = run_of(c);
    char *text = strdup(case_need(c, "view"));
    const char *words[8], *format = "csv";
    struct fsd_query query = {.words = words};
    struct fsd_style style = {.width = 100};
    struct fsd_error err;
    char *view = strtok(text, "\n"), room[600];

    for (char *line; (line = strtok(NULL, "\n"));) {
        char *value = strchr(line, ' ');

        if (value)
            *value++ = '\0';
        if (!strcmp(line, "word"))
            words[query.n_words++] = value;
        else if (!strcmp(line, "layers"))
            query.layers = true;
        else if (!strcmp(line, "top"))
            query.top = (unsigned)atoi(value);
        else if (!strcmp(line, "min-ms"))
            query.min_ms = strtod(value, NULL);
        else if (!strcmp(line, "min-share"))
            query.min_share = strtod(value, NULL);
        else if (!strcmp(line, "depth"))
            query.depth = (unsigned)atoi(value);
        else if (!strcmp(line, "not-type"))
            query.not_type = value;
        else if (!strcmp(line, "by"))
            query.by = value;
        else if (!strcmp(line, "as"))
            query.as = value;
        else if (!strcmp(line, "format"))
            format = value;
        else
            fail_msg("no option %s of a view", line);
    }
    if (fsd_diff_view(d, view, &query, format, &style, out, &err) != FSD_OK)
        fprintf(out, "%s: %s\n", fsd_status_name(err.status),
                fsd_error_text(&err, room, sizeof room));
    free(text);
    fsd_diff_free(d);
}

/* -------------------------------------------------------------------- failed builds */

static void put_nodes(const struct fsd_failed *f, const char *what,
                      const fsd_id_vec *nodes, FILE *out)
{
    if (nodes->n)
        fputs(what, out);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct fsd_node *n = &f->model->nodes.at[nodes->at[i]];

        fprintf(out, " %s", fsd_text(f->model->names, n->name ? n->name : n->op));
    }
    if (nodes->n)
        putc('\n', out);
}

/* A `log` that states an error, beside a `model`; without what lint finds in it. */
static void run_failed(const struct test_case *c, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    const char *text = case_need(c, "log");
    struct fsd_history *h = fsd_history_new(arena, names);
    struct fsd_file file = {
        .name = "log", .bytes = (const unsigned char *)text, .size = strlen(text)};
    struct fsd_failed f = {.arena = arena,
                           .history = h,
                           .model = build_model(arena, names, case_need(c, "model")),
                           .model_path = "model",
                           .log_path = "log"};

    fsd_log_read(h, &file);
    assert_int_not_equal(fsd_log_failures_of(h)->n, 0);
    f.target = fsd_failed_target(arena, h);
    fsd_failed_conclude(&f, fsd_vocab_new(arena, f.model));
    fprintf(out, "%s, %s, for %s\n", fsd_failure_class_name(f.is),
            fsd_failed_by_name(f.by), f.target);
    if (f.named)
        fprintf(out, "named %s\n", f.named);
    put_nodes(&f, "nodes", &f.nodes, out);
    put_nodes(&f, "part", &f.part, out);
    put_nodes(&f, "others", &f.others, out);
    for (uint32_t i = 0; i < f.tensors.n; i++)
        fprintf(out, "tensor %s\n", f.tensors.at[i]);
    for (uint32_t i = 0; i < f.values.n; i++)
        fprintf(out, "%s %s\n", f.values.at[i].what, f.values.at[i].text);
    if (f.because)
        fprintf(out, "because %s\n", f.because);
    fprintf(out, "%s\n", f.conclusion);
    fsd_arena_free(arena);
}

/* The nodes that can have added each of the `layers`. */
static void run_unnamed(const struct test_case *c, FILE *out)
{
    show_unnamed(case_need(c, "model"), case_need(c, "log"), case_need(c, "layers"),
                 out);
}

/* How many layers without a name the node `d` of each model adds. */
static void run_added(const struct test_case *c, FILE *out)
{
    show_added(case_need(c, "models"), out);
}

/* Builds with several sets of options, compared. */
static void run_routes(const struct test_case *c, FILE *out)
{
    struct states s = read_builds(c);

    show_routes(case_need(c, "routes"), case_text(c, "usual", 0),
                case_text(c, "limit", 0), s.at, out);
    free_builds(&s);
}

/* What is read of the model that a session of ONNX Runtime optimizes. */
static void run_session(const struct test_case *c, FILE *out)
{
    show_session(case_text(c, "model", 0), case_need(c, "session"),
                 case_text(c, "list", 0), out);
}

/* What messages of failed builds of one model mean. */
static void run_messages(const struct test_case *c, FILE *out)
{
    show_messages(case_need(c, "model"), case_need(c, "messages"),
                  case_text(c, "unread", 0) != NULL, case_text(c, "tries", 0) != NULL,
                  out);
}

/* Of another folder than the project's, to try cases out. */
int main(int argc, char **argv)
{
    static const struct case_kind kinds[] = {{"compare", run_compare},
                                             {"align", run_align},
                                             {"matrix", run_matrix},
                                             {"learn", run_learn},
                                             {"read", run_read},
                                             {"policy", run_policy},
                                             {"state", run_state},
                                             {"cost", run_cost},
                                             {"sums", run_sums},
                                             {"spent", run_spent},
                                             {"findings", run_findings},
                                             {"check", run_check},
                                             {"lint", run_lint},
                                             {"refused", run_refused},
                                             {"targets", run_targets},
                                             {"told", run_told},
                                             {"exports", run_exports},
                                             {"failed", run_failed},
                                             {"view", run_view},
                                             {"unnamed", run_unnamed},
                                             {"added", run_added},
                                             {"refusals", run_refusals},
                                             {"fusion rules", run_fusion_rules},
                                             {"ways", run_ways},
                                             {"split", run_split},
                                             {"styles", run_styles},
                                             {"messages", run_messages},
                                             {"session", run_session},
                                             {"routes", run_routes},
                                             {NULL, NULL}};

    return run_cases(argc > 1 ? argv[1] : FSD_CASES, kinds);
}
