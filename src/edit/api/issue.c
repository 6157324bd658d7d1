/* The public API of bug reports: picks the part of a build that a report is about,
 * writes the report's files, and replaces names in all of them. */
#include "model/graph/graph.h"
#include "base/base.h"
#include "edit/issue/issue.h"
#include "edit/issue/renamer.h"
#include "edit/onnx/write.h"
#include "host/files.h"

#include <stdlib.h>

struct fsd_issue {
    struct fsd_arena *arena;
    struct fsd_intern *texts; /* owns the texts of commands */
    struct fsd_issue_options wants;
    struct fsd_diff *run, *old_run; /* old_run: NULL if there is no old build, or if it
                                       is a snapshot */
    struct fsd_state *old, *new;    /* states of the two compared builds; NULL: none */
    struct fsd_compare *compare;
    struct fsd_issue_subject subject;
    struct fsd_cut_options cut;
    struct fsd_cut_plan *plan;
    const char **groups; /* a word such as "layer:5" for each layer that
                            wants.part.groups selects. The words contain numbers, not
                            names, so they stay valid when names are replaced */
    unsigned n_groups;
    bool unplanned; /* the part has nodes, but cannot be cut out; `no_part` has the
                       reason */
    const char *model, *engine, *no_part;
    const char *picture; /* NULL: there is no picture */
    size_t picture_n;
    FILE *part;           /* the part as it was cut out, with its old names and
                             weights */
    const char *verified; /* text about a build of the part alone, and whether the
                             finding occurs in it; NULL: there was no such build */
    const char *failure;  /* the report of a failed build; NULL: the build did not
                             fail */
    const struct fsd_issue_command *command, *old_command; /* NULL: unknown */
    struct fsd_renamer *renamer;
    const char *files[5];
};

/* ------------------------------------------------------------------------ selecting */

static enum fsd_status pick(struct fsd_issue *i, enum fsd_pick_want want,
                            const char *const *words, unsigned n, fsd_id_vec *out,
                            struct fsd_error *err)
{
    return n ? fsd_pick_all(i->arena, i->run->match, want, words, n, out, err) : FSD_OK;
}

/* Picks the layers, groups and nodes that the user named. */
static enum fsd_status pick_asked(struct fsd_issue *i, struct fsd_error *err)
{
    const struct fsd_cut_options *part = &i->wants.part;
    fsd_id_vec groups = {0};
    enum fsd_status status =
        pick(i, FSD_PICK_LAYERS, part->layers, part->n_layers, &i->subject.layers, err);

    FSD_THEN(status,
             pick(i, FSD_PICK_LAYERS, part->groups, part->n_groups, &groups, err));
    i->groups = FSD_NEW(i->arena, const char *, groups.n + 1);
    i->n_groups = groups.n;
    for (uint32_t k = 0; k < groups.n; k++) {
        fsd_vec_push(i->arena, &i->subject.layers, groups.at[k]);
        i->groups[k] = fsd_printed(i->arena, "layer:%u", groups.at[k]);
    }
    if (status == FSD_OK)
        status =
            pick(i, FSD_PICK_NODES, part->nodes, part->n_nodes, &i->subject.nodes, err);
    return status;
}

static bool is_asked(const struct fsd_issue *i)
{
    const struct fsd_cut_options *part = &i->wants.part;

    return part->n_layers + part->n_groups + part->n_nodes > 0;
}

static enum fsd_status select_part(struct fsd_issue *i, struct fsd_error *err)
{
    enum fsd_status status = pick_asked(i, err);

    i->subject.region = FSD_NONE;
    if (status == FSD_OK && i->compare)
        status = fsd_issue_pick_region(&i->subject, i->arena, i->compare, i->old_run,
                                       i->run, err);
    else if (status == FSD_OK && !is_asked(i))
        status = fsd_issue_pick_finding(&i->subject, i->arena, i->run, i->wants.finding,
                                        err);
    if (status == FSD_OK)
        fsd_issue_complete(&i->subject, i->arena, i->run);
    if (status == FSD_OK && !is_asked(i) && !i->failure)
        fsd_issue_surround(&i->subject, i->arena, i->run);
    return status;
}

/* ---------------------------------------------------------------------- cutting out */

static enum fsd_status plan_cut(struct fsd_issue *i, struct fsd_error *err)
{
    const fsd_id_vec *lists[] = {&i->subject.nodes, &i->subject.around};
    const char **words = FSD_NEW(i->arena, const char *, lists[0]->n + lists[1]->n + 1);
    unsigned n = 0;

    for (size_t l = 0; l < FSD_COUNT_OF(lists); l++)
        for (uint32_t k = 0; k < lists[l]->n; k++)
            words[n++] = fsd_printed(i->arena, "#%u", lists[l]->at[k]);
    i->cut = (struct fsd_cut_options){.nodes = words,
                                      .n_nodes = n,
                                      .groups = i->groups,
                                      .n_groups = i->n_groups,
                                      .context = i->wants.part.context,
                                      .fails = i->failure != NULL,
                                      .inline_weights = !i->wants.no_weights};
    return fsd_cut_new(&i->plan, i->arena, i->run, &i->cut, err);
}

/* Writes the part, with its old names, to a temporary file without a name. */
static enum fsd_status keep_part(struct fsd_issue *i, struct fsd_error *err)
{
    struct fsd_onnx_edits *edits = fsd_cut_edits(i->plan);
    enum fsd_status status = FSD_OK;

    if (i->wants.no_weights) /* weights that are replaced later need not be copied */
        fsd_onnx_set_weights(edits, FSD_ONNX_WEIGHTS_STAY);
    i->part = fsd_host_temporary();
    if (!i->part)
        status = fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0,
                          "expected a writable folder for temporary files, found none");
    FSD_THEN(status, fsd_onnx_write_again(edits, "cutting", i->part, err));
    if (status == FSD_E_IO && err && !i->wants.no_weights) {
        size_t n = strlen(err->message);

        snprintf(err->message + n, sizeof err->message - n,
                 "; with --no-weights, the report does not need this file");
    }
    return status;
}

/* Cuts out the part. Returns an error if a part that the user named cannot be cut out.
 * If a part that a rule found cannot be cut out, the report is written without it. */
static enum fsd_status cut_part(struct fsd_issue *i, struct fsd_error *err)
{
    struct fsd_error why = {0};
    enum fsd_status status;

    if (strcmp(i->run->model->kind, "onnx") != 0 || !i->model ||
        !strcmp(i->model, "-")) {
        i->no_part = "no ONNX file was given, so fusiondiff could not cut out the part";
        return FSD_OK;
    }
    if (!i->subject.nodes.n && !i->subject.around.n) {
        i->no_part = "it is unknown which nodes of the model these layers compute";
        return FSD_OK;
    }
    status = plan_cut(i, &why);
    if (!is_asked(i) && (status == FSD_E_UNSUPPORTED || status == FSD_E_ARG)) {
        i->plan = NULL;
        i->unplanned = true;
        i->no_part = fsd_printed(i->arena, "%s", why.message);
        return FSD_OK;
    }
    if (status != FSD_OK && err)
        *err = why;
    return status == FSD_OK ? keep_part(i, err) : status;
}

/* --------------------------------------------------------------------------- hiding */

static const char *rename_text(void *payload, const char *text)
{
    return fsd_renamer_text(payload, text);
}

/* Replaces the names in a run. Afterwards only the renamer knows the old names. */
static void hide_names(struct fsd_renamer *r, struct fsd_diff *d)
{
    static const struct fsd_options files = {.model = "model.onnx",
                                             .engine = "engine.json"};

    fsd_renamer_apply(r, d);
    if (d->values) {
        d->values = fsd_values_rename(d->arena, d->values, rename_text, r);
        d->numbers = d->values->numbers;
    }
    d->model = fsd_graph_at(d->arena, d->model, files.model);
    d->engine = fsd_graph_at(d->arena, d->engine, files.engine);
    d->command = fsd_command_new(d->arena, d->names, &files);
    fsd_find(&d->findings, d, true);
}

static const struct fsd_finding *find_again(const struct fsd_diff *d,
                                            const struct fsd_rule *rule,
                                            const fsd_id *ids, uint32_t n)
{
    const struct fsd_findings *all = d->findings;

    FSD_EACH (const struct fsd_finding, f, all->list) {
        bool same =
            all->rules.at[f->rule].rule == rule && f->layers.n + f->nodes.n == n;

        for (uint32_t k = 0; same && k < n; k++)
            same = ids[k] == all->subjects
                                 .at[k < f->layers.n ? f->layers.at + k
                                                     : f->nodes.at + k - f->layers.n]
                                 .id;
        if (same)
            return f;
    }
    return NULL;
}

/* Replaces the names in the run, makes the findings again, and finds the subject among
 * the new findings. */
static void hide_run(struct fsd_issue *i)
{
    const struct fsd_finding *f = i->subject.finding;
    const struct fsd_findings *all = i->run->findings;
    const struct fsd_rule *rule = f ? all->rules.at[f->rule].rule : NULL;
    uint32_t n = f ? f->layers.n + f->nodes.n : 0;
    fsd_id *ids = FSD_NEW(i->arena, fsd_id, n + 1);

    for (uint32_t k = 0; k < n; k++)
        ids[k] =
            all->subjects
                .at[k < f->layers.n ? f->layers.at + k : f->nodes.at + k - f->layers.n]
                .id;
    hide_names(i->renamer, i->run);
    if (f)
        i->subject.finding = find_again(i->run, rule, ids, n);
}

static enum fsd_status compare(struct fsd_issue *i)
{
    i->new = fsd_state_of(i->run);
    i->compare = fsd_compare_new(i->old, i->new);
    return FSD_OK;
}

/* Replaces the names in both builds, and compares them again. */
static void hide_comparison(struct fsd_issue *i)
{
    uint32_t at = 0;

    while (i->compare->order[at] != i->subject.region)
        at++;
    fsd_compare_free(i->compare);
    fsd_state_free(i->old);
    fsd_state_free(i->new);
    hide_names(i->renamer, i->old_run);
    i->old = fsd_state_of(i->old_run);
    compare(i);
    i->subject.region = i->compare->order[at];
}

/* Makes the plan again, because it contains old names. If there is no plan, makes the
 * reason `no_part` again. `part` was cut out before and does not change. */
static enum fsd_status hide_plan(struct fsd_issue *i, struct fsd_error *err)
{
    struct fsd_error why = {0};

    if (i->plan)
        return plan_cut(i, err);
    if (i->unplanned) {
        plan_cut(i, &why);
        i->plan = NULL;
        i->no_part = fsd_printed(i->arena, "%s", why.message);
    }
    return FSD_OK;
}

static enum fsd_status hide(struct fsd_issue *i, struct fsd_error *err)
{
    if (!i->wants.anonymous)
        return FSD_OK;
    if (i->old && !i->old_run)
        return fsd_fail(err, FSD_E_ARG, i->old->engine_path, FSD_POS_NONE, 0,
                        "expected two engines (fusiondiff cannot replace names in a "
                        "snapshot), found a snapshot");
    i->renamer = fsd_renamer_new(i->arena);
    fsd_renamer_learn(i->renamer, i->run);
    if (i->old_run)
        fsd_renamer_learn(i->renamer, i->old_run);
    hide_run(i);
    if (i->old_run)
        hide_comparison(i);
    return hide_plan(i, err);
}

/* -------------------------------------------------------------------------- opening */

/* Draws the picture. Without Graphviz, or if the layout takes too long, the report has
 * no picture. */
static void draw(struct fsd_issue *i)
{
    struct fsd_excerpt part = {.layers = i->subject.layers.at,
                               .n = i->subject.layers.n};
    static const struct fsd_picture picture = {.collapse = "none"};
    static const struct fsd_style style = {.picture = &picture};
    struct fsd_print print;
    FILE *out;

    if (!part.n)
        return;
    out = fsd_print_open(&print);
    if (fsd_picture_write_part(i->run, &part, "svg", &style, out, NULL) == FSD_OK) {
        i->picture = fsd_print_take(&print, i->arena);
        i->picture_n = print.size;
        return;
    }
    fsd_print_close(&print);
    free(print.text);
}

static void list_files(struct fsd_issue *i)
{
    unsigned n = 0;

    i->files[n++] = FSD_ISSUE_TEXT;
    if (!i->failure)
        i->files[n++] = FSD_ISSUE_LAYERS;
    if (i->plan)
        i->files[n++] = FSD_ISSUE_PART;
    draw(i);
    if (i->picture)
        i->files[n++] = FSD_ISSUE_PICTURE;
}

static enum fsd_status open_issue(struct fsd_issue *i, const struct fsd_options *before,
                                  const struct fsd_options *opt, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    if (opt->engine)
        i->command = fsd_issue_command_of(i->arena, i->texts, opt->engine);
    if (before && before->engine)
        i->old_command = fsd_issue_command_of(i->arena, i->texts, before->engine);
    if (before)
        status = fsd_state_open(&i->old, &i->old_run, before, err);
    FSD_THEN(status, i->failure ? fsd_run_open(&i->run, opt, err)
                                : fsd_diff_open(&i->run, opt, err));
    if (status == FSD_OK && before)
        status = compare(i);
    if (status == FSD_OK && before && !opt->force)
        status = fsd_check_network(i->compare, err);
    FSD_THEN(status, select_part(i, err));
    FSD_THEN(status, cut_part(i, err));
    FSD_THEN(status, hide(i, err));
    return status;
}

/* Stores the report of a failed build as text. The text contains names. */
static enum fsd_status take_failure(struct fsd_issue *i,
                                    const struct fsd_failure *failure,
                                    struct fsd_error *err)
{
    struct fsd_print print;
    enum fsd_status status;

    i->failure = "";
    if (i->wants.anonymous)
        return FSD_OK;
    status = fsd_failure_write(failure, "text", NULL, fsd_print_open(&print), err);
    i->failure = fsd_print_take(&print, i->arena);
    return status;
}

enum fsd_status fsd_issue_open(struct fsd_issue **out, const struct fsd_options *before,
                               const struct fsd_options *opt,
                               const struct fsd_issue_options *issue,
                               struct fsd_error *err)
{
    struct fsd_options pair = *opt;
    struct fsd_arena *arena;
    struct fsd_issue *i;
    enum fsd_status status = fsd_expect_cut(&issue->part, err);

    *out = NULL;
    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    if (issue->failure)
        pair.engine = NULL;
    else if (!pair.engine) { /* a single file is a build log, which states model and
                                engine */
        pair.engine = pair.model;
        pair.model = NULL;
    }
    arena = fsd_arena_new();
    i = FSD_NEW(arena, struct fsd_issue, 1);
    i->arena = arena;
    i->texts = fsd_intern_new(arena);
    i->wants = *issue;
    i->model = pair.model ? fsd_printed(arena, "%s", pair.model) : NULL;
    i->engine = fsd_printed(arena, "%s", pair.engine ? pair.engine : "-");
    status = issue->failure ? take_failure(i, issue->failure, err) : FSD_OK;
    FSD_THEN(status, open_issue(i, before, &pair, err));
    if (status == FSD_OK) {
        list_files(i);
        *out = i;
    } else {
        fsd_issue_free(i);
    }
    return status;
}

void fsd_issue_free(struct fsd_issue *i)
{
    if (!i)
        return;
    if (i->part)
        fclose(i->part);
    fsd_compare_free(i->compare);
    fsd_state_free(i->old);
    fsd_state_free(i->new);
    fsd_diff_free(i->run);
    fsd_diff_free(i->old_run);
    fsd_arena_free(i->arena);
}

/* ------------------------------------------------------------------------ verifying */

const char *fsd_issue_builder(const struct fsd_issue *issue)
{
    return issue->plan && !issue->failure ? fsd_cut_builder(issue->run) : NULL;
}

/* Whether the report is about a node. `node` is the node's index in `built`, the build
 * of the part alone. */
static bool is_of_subject(const struct fsd_issue *i, const struct fsd_diff *built,
                          fsd_id node)
{
    const struct fsd_graph *g = i->run->model;
    const char *name = fsd_text(built->names, built->model->nodes.at[node].name);

    for (uint32_t k = 0; k < i->subject.nodes.n; k++)
        if (!strcmp(name, fsd_text(g->names, g->nodes.at[i->subject.nodes.at[k]].name)))
            return true;
    return false;
}

static bool concerns(const struct fsd_issue *i, const struct fsd_diff *built,
                     const struct fsd_finding *f)
{
    const struct fsd_about *subjects = built->findings->subjects.at;

    for (uint32_t k = 0; k < f->nodes.n; k++)
        if (is_of_subject(i, built, subjects[f->nodes.at + k].id))
            return true;
    for (uint32_t k = 0; k < f->layers.n; k++) {
        fsd_id layer = subjects[f->layers.at + k].id;
        const struct fsd_flow *flow = &built->flows->of[layer];

        FSD_EACH_OF (node, built->match->links, built->match->of_layer[layer], node)
            if (is_of_subject(i, built, node))
                return true;
        if (flow->there && flow->producer != FSD_NONE &&
            is_of_subject(i, built, flow->producer))
            return true;
        for (uint32_t n = 0; flow->there && n < flow->readers.n; n++) {
            fsd_id node = built->flows->readers.at[flow->readers.at + n].node;

            if (node != FSD_NONE && is_of_subject(i, built, node))
                return true;
        }
    }
    return false;
}

/* Finds the subject's finding again in `built`, the build of the part alone: a finding
 * by the same rule that concerns a node of the subject. NULL if there is none. */
static const struct fsd_finding *find_shown(const struct fsd_issue *i,
                                            const struct fsd_diff *built)
{
    const char *id = i->run->findings->rules.at[i->subject.finding->rule].rule->id;
    const struct fsd_findings *all = built->findings;

    for (uint32_t k = 0; k < all->list.n; k++)
        if (!strcmp(all->rules.at[all->list.at[k].rule].rule->id, id) &&
            concerns(i, built, &all->list.at[k]))
            return &all->list.at[k];
    return NULL;
}

enum fsd_status fsd_issue_verify(struct fsd_issue *issue, const char *part,
                                 const char *engine, bool *shows, struct fsd_error *err)
{
    const char *builder = fsd_issue_builder(issue);
    const struct fsd_options opt = {.model = part, .engine = engine};
    const struct fsd_finding *found = NULL;
    struct fsd_diff *built = NULL;
    enum fsd_status status;

    if (!builder)
        return fsd_fail(err, FSD_E_ARG, part, FSD_POS_NONE, 0,
                        "expected a report with a part of the model, found none");
    FSD_GUARD(err);
    status = fsd_diff_open(&built, &opt, err);
    if (status == FSD_OK && issue->subject.finding)
        found = find_shown(issue, built);
    *shows = status == FSD_OK && (found || !issue->subject.finding);
    if (status == FSD_OK)
        issue->verified =
            fsd_printed(issue->arena, "%s built the part alone%s%s", builder,
                        issue->wants.anonymous ? "" : " (part.log)",
                        !issue->subject.finding
                            ? ". fusiondiff did not compare the fusions of that "
                              "build with the fusions in this report."
                        : found ? ", and the finding occurs in that build, too."
                                : ", but the finding does not occur in that build.");
    fsd_diff_free(built);
    return status;
}

/* -------------------------------------------------------------------------- writing */

const char *fsd_issue_file(const struct fsd_issue *issue, unsigned i)
{
    return i < FSD_COUNT_OF(issue->files) ? issue->files[i] : NULL;
}

static bool has_file(const struct fsd_issue *issue, const char *name)
{
    const char *file;

    for (unsigned i = 0; (file = fsd_issue_file(issue, i)); i++)
        if (!strcmp(file, name))
            return true;
    return false;
}

static enum fsd_status write_part(const struct fsd_issue *i, FILE *out,
                                  struct fsd_error *err)
{
    const struct fsd_onnx_hiding how = {.rename = i->renamer ? fsd_renamer_name : NULL,
                                        .is_public = fsd_renamer_is_public,
                                        .payload = i->renamer,
                                        .weights = i->wants.no_weights};
    struct fsd_file file = {.name = FSD_ISSUE_PART};
    enum fsd_status status =
        fflush(i->part)
            ? fsd_fail(err, FSD_E_WRITE, NULL, FSD_POS_NONE, 0, "cannot write")
            : fsd_file_map(&file, fileno(i->part), UINT64_MAX, err);

    if (status != FSD_OK)
        return status;
    status = fsd_onnx_hide(&file, &how, out, err);
    return fsd_file_done(&file, status, err);
}

static enum fsd_status write_layers(const struct fsd_issue *i, FILE *out,
                                    struct fsd_error *err)
{
    const fsd_id_vec *layers = &i->subject.layers;
    const char **words = FSD_NEW(i->arena, const char *, layers->n + 1);
    struct fsd_query query = {.words = words, .n_words = layers->n, .layers = true};

    for (uint32_t k = 0; k < layers->n; k++)
        words[k] = fsd_printed(i->arena, "layer:%u", layers->at[k]);
    if (!layers->n) {
        fputs("{}\n", out);
        return fsd_flush(out, err);
    }
    return fsd_diff_view(i->run, "inside", &query, "json", NULL, out, err);
}

/* Opens the engine's dump, so that the report can show its layers. If names are hidden,
 * the dump is not opened, because it contains names. Returns false if the dump is not
 * open. */
static bool open_dump(const struct fsd_issue *i, struct fsd_file *file)
{
    return !i->wants.anonymous && strcmp(i->engine, "-") != 0 &&
           fsd_file_open_decompressed(file, i->engine, UINT64_MAX, NULL) == FSD_OK;
}

static enum fsd_status write_text(const struct fsd_issue *i, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_file dump = {0};
    const struct fsd_issue_facts facts = {.d = i->run,
                                          .old = i->old_run,
                                          .c = i->compare,
                                          .subject = &i->subject,
                                          .plan = i->plan,
                                          .no_part = i->no_part,
                                          .command = i->command,
                                          .old_command = i->old_command,
                                          .dump = open_dump(i, &dump) ? &dump : NULL,
                                          .texts = i->texts,
                                          .pictured = has_file(i, FSD_ISSUE_PICTURE),
                                          .anonymous = i->wants.anonymous,
                                          .failure = i->failure,
                                          .verified = i->verified,
                                          .no_weights = i->wants.no_weights};

    fsd_issue_put_text(&facts, out);
    return fsd_file_done(&dump, fsd_flush(out, err), err);
}

enum fsd_status fsd_issue_write(const struct fsd_issue *issue, const char *file,
                                FILE *out, struct fsd_error *err)
{
    FSD_GUARD(err);
    if (!has_file(issue, file))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a file of the report, found '%.80s'", file);
    if (!strcmp(file, FSD_ISSUE_PART))
        return write_part(issue, out, err);
    if (!strcmp(file, FSD_ISSUE_LAYERS))
        return write_layers(issue, out, err);
    if (!strcmp(file, FSD_ISSUE_PICTURE))
        return fwrite(issue->picture, 1, issue->picture_n, out) == issue->picture_n
                   ? fsd_flush(out, err)
                   : FSD_E_WRITE;
    return write_text(issue, out, err);
}

enum fsd_status fsd_issue_write_names(const struct fsd_issue *issue, FILE *out,
                                      struct fsd_error *err)
{
    if (!issue->renamer)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a report with replaced names, found a report with "
                        "the original names");
    fsd_renamer_write(issue->renamer, out);
    return fsd_flush(out, err);
}
