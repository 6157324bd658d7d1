/*
 * Writes the text of a report in Markdown. Many people read the report as plain text,
 * in a mail or a terminal, so names are in backquotes, and sentences with names are in
 * blocks. Tables have the columns that a maintainer needs. Unknown facts are stated as
 * unknown.
 */
#include "edit/issue/issue.h"
#include "base/base.h"
#include "model/graph/graph.h"

#include <stdlib.h>

enum { MOST_BYTES = 65000, MOST_ROWS = 40, MOST_NAME = 160 };

struct text {
    const struct fsd_issue_facts *t;
    uint32_t rows; /* maximum number of rows in a table */
    FILE *out;
};

/* ------------------------------------------------------------------------- markdown */

static size_t longest_run(const char *s, char of)
{
    size_t longest = 0, run = 0;

    for (; *s; s++) {
        run = *s == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void repeat(char c, size_t n, FILE *out)
{
    while (n--)
        putc(c, out);
}

/* Prints a name as code within a line or a table. A bar is printed as "\|", because it
 * would end the column of a table. */
static void put_code(const char *name, FILE *out)
{
    struct fsd_print print;
    size_t run;

    fsd_put_fitted(fsd_print_open(&print), name, MOST_NAME);
    fsd_print_close(&print);
    run = longest_run(print.text, '`') + 1;
    repeat('`', run, out);
    if (*print.text == '`' || !*print.text || *print.text == ' ')
        putc(' ', out);
    for (const char *c = print.text; *c; c++) {
        if (*c == '|')
            putc('\\', out);
        putc(*c, out);
    }
    if (run > 1 || !*print.text)
        putc(' ', out);
    repeat('`', run, out);
    free(print.text);
}

/* Prints a text unchanged, as a block of code. */
static void put_block(const char *text, const char *language, FILE *out)
{
    size_t run = longest_run(text, '`'), n = strlen(text);

    run = run < 3 ? 3 : run + 1;
    repeat('`', run, out);
    fprintf(out, "%s\n%s%s", language, text, n && text[n - 1] == '\n' ? "" : "\n");
    repeat('`', run, out);
    fputs("\n", out);
}

static void put_cell(const char *name, const char *value, FILE *out)
{
    fprintf(out, "| %s | ", name);
    if (value && *value)
        put_code(value, out);
    else
        fputs("not known", out);
    fputs(" |\n", out);
}

/* ------------------------------------------------------------------------ the title */

static const char *built_by(const struct fsd_diff *d)
{
    return fsd_text(d->names, d->engine->producer);
}

static void put_builder(const struct fsd_diff *d, FILE *out)
{
    fputs(*built_by(d) ? built_by(d) : "the builder", out);
}

/* The change of a region's fusion or precision, in the words of a headline. */
static const char *headline_of(const struct fsd_region_diff *r)
{
    static const char *const happened[] = {
        [FSD_HAPPENED_LOST] = "a fusion is lost",
        [FSD_HAPPENED_GAINED] = "a fusion is new",
        [FSD_HAPPENED_REGROUPED] = "nodes are grouped into different fusions",
        [FSD_HAPPENED_OPAQUE] = "it is now unknown which layer computes which node",
        [FSD_HAPPENED_OLD_ONLY] = "layers no longer compute some nodes",
        [FSD_HAPPENED_NEW_ONLY] = "layers compute nodes that no layer computed before"};
    static const char *const width[] = {
        [FSD_WIDTH_NARROWED] = "a fusion runs in lower precision",
        [FSD_WIDTH_WIDENED] = "a fusion runs in higher precision",
        [FSD_WIDTH_OTHER] = "a fusion runs in a different precision"};

    return r->happened != FSD_HAPPENED_SAME ? happened[r->happened]
           : r->width                       ? width[r->width]
                                            : "the same fusion is built differently";
}

static void put_title(struct text *x)
{
    const struct fsd_issue_subject *s = x->t->subject;
    const struct fsd_diff *d = x->t->d;

    fputs("# ", x->out);
    put_builder(d, x->out);
    fputs(": ", x->out);
    if (x->t->c) {
        fprintf(x->out, "%s, against ", headline_of(&x->t->c->regions.at[s->region]));
        if (x->t->old && *built_by(x->t->old) &&
            strcmp(built_by(x->t->old), built_by(d)) != 0)
            put_builder(x->t->old, x->out);
        else
            fputs("another build", x->out);
        fputs("\n", x->out);
    } else if (s->finding) {
        const char *doc = d->findings->rules.at[s->finding->rule].rule->doc;
        size_t n = strlen(doc);

        fprintf(x->out, "%.*s\n", (int)(n && doc[n - 1] == '.' ? n - 1 : n), doc);
    } else if (x->t->failure) {
        fputs("a model fails to build\n", x->out);
    } else {
        fputs("a question about how the builder builds a part of a model\n", x->out);
    }
}

static void put_ms_change(const struct fsd_region_diff *r, FILE *out)
{
    if (r->before >= 0 && r->after >= 0)
        fprintf(out, "time      %.4f ms before, %.4f ms now\n", r->before, r->after);
    else
        fputs("time      unknown in at least one of the builds\n", out);
}

static void put_groups(const struct fsd_state *s, const struct fsd_compare *c,
                       struct fsd_span groups, const char *title, FILE *out)
{
    enum { MOST = 12 };

    if (!groups.n)
        fprintf(out, "%-9s no layer computes these nodes\n", title);
    for (uint32_t i = 0; i < groups.n && i < MOST; i++) {
        const struct fsd_group *g = &s->groups.at[c->pool.at[groups.at + i]];

        fprintf(out, "%-9s ", i ? "" : title);
        for (uint32_t k = 0; k < g->nodes.n && k < MOST; k++) {
            if (k)
                fputs(" + ", out);
            fsd_put_fitted(
                out, fsd_text(s->names, s->nodes.at[s->refs.at[g->nodes.at + k]].key),
                80);
        }
        if (g->nodes.n > MOST)
            fprintf(out, " + %u more", g->nodes.n - MOST);
        fprintf(out, ": %s, %s, in %u layer%s\n", fsd_kind_name(g->kind),
                fsd_dtype_name((enum fsd_dtype)g->precision), g->layers,
                fsd_plural(g->layers));
    }
    if (groups.n > MOST)
        fprintf(out, "          and %u more\n", groups.n - MOST);
}

/* Prints how a region differs, except for its fusion and precision. */
static void put_others(const struct fsd_region_diff *r, FILE *out)
{
    const struct {
        bool is;
        const char *text;
    } others[] = {
        {r->layers, "a different number of layers computes the same nodes"},
        {r->layout, "a layer reads a tensor in a different layout"},
        {r->moves, "a data-movement layer was added, removed or changed"},
        {r->unasked.n > 0, "layers read other tensors than before"},
        {r->kernels,
         "kernels perform different operations, or have different types or layouts"},
        {r->type_lost, "only the old build states the type of a tensor"}};
    const char *title = "others";

    for (size_t i = 0; i < FSD_COUNT_OF(others); i++)
        if (others[i].is) {
            fprintf(out, "%-9s %s\n", title, others[i].text);
            title = "";
        }
}

/* Prints what changed between the builds, what it costs, and what to do, like the first
 * lines of a comparison. Prints nothing if there is neither an error nor a warning. */
static void put_says(struct text *x)
{
    FSD_SCRATCH(scratch);
    const char *says[3];

    if (fsd_comparison_says(x->t->c, x->t->d, scratch, says)) {
        put_block(fsd_printed(scratch, "changed   %s\ncosts     %s\nto do     %s",
                              says[0], says[1], says[2]),
                  "text", x->out);
        fputs("\n", x->out);
    }
}

static void put_change(struct text *x)
{
    const struct fsd_compare *c = x->t->c;
    const struct fsd_region_diff *r = &c->regions.at[x->t->subject->region];
    struct fsd_print print;
    FILE *out;

    put_says(x);
    out = fsd_print_open(&print);

    fprintf(out, "fusion    %s\nprecision %s\n", fsd_happened_name(r->happened),
            fsd_region_precision(r));
    put_groups(c->old, c, r->old_groups, "before", out);
    put_groups(c->new, c, r->new_groups, "now", out);
    put_others(r, out);
    if (r->old_moves.n || r->new_moves.n) {
        fputs("movement  ", out);
        fsd_put_noun(out, r->old_moves.n, "data-movement layer");
        fprintf(out, " before, %u now\n", r->new_moves.n);
    }
    put_ms_change(r, out);
    fsd_print_close(&print);
    put_block(print.text, "text", x->out);
    free(print.text);
}

static void put_finding(struct text *x)
{
    const struct fsd_finding *f = x->t->subject->finding;
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    fsd_put_fitted(out, f->message, 2000);
    if (f->todo) {
        fputs("\nproposed: ", out);
        fsd_put_fitted(out, f->todo, 2000);
    }
    fsd_print_close(&print);
    put_block(print.text, "text", x->out);
    free(print.text);
    if (x->t->subject->n_alike > 1)
        fprintf(x->out,
                "\nThe finding is on %u layers; this report shows one of them.\n",
                x->t->subject->n_alike);
    fprintf(x->out,
            "\nThe rule `%s` of fusiondiff reports this finding; `fusiondiff explain "
            "%s` explains the rule.\n",
            x->t->d->findings->rules.at[f->rule].rule->id,
            x->t->d->findings->rules.at[f->rule].rule->id);
}

static void put_subject(struct text *x)
{
    put_title(x);
    fputs("\n## Problem\n\n", x->out);
    if (x->t->c)
        put_change(x);
    else if (x->t->subject->finding)
        put_finding(x);
    else if (x->t->failure && *x->t->failure)
        put_block(x->t->failure, "text", x->out);
    else if (x->t->failure)
        fputs(
            "*(the build fails; the error message contains names, so this report omits "
            "the message)*\n",
            x->out);
    else
        fputs("*(please describe which layers you expected instead of the layers "
              "below)*\n",
              x->out);
}

/* ------------------------------------------------------------------------- versions */

static const char *built(const struct fsd_diff *d, const char *key)
{
    return fsd_text(d->names, fsd_built_find(&d->engine->built, d->names, key));
}

static void put_options(const struct fsd_diff *d, FILE *out)
{
    const fsd_built_vec *all = &d->engine->built;

    for (uint32_t i = 0; i < all->n; i++) {
        const char *key = fsd_text(d->names, all->at[i].key);

        if (fsd_built_is_option(key)) {
            fputs("| option ", out);
            put_code(key, out);
            fputs(" | ", out);
            put_code(fsd_text(d->names, all->at[i].value), out);
            fputs(" |\n", out);
        }
    }
}

/* Whether a node has an operator of this domain. Exporters also import domains that no
 * node uses. */
static bool is_used(const struct fsd_graph *g, fsd_sym domain)
{
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (g->nodes.at[i].domain == domain)
            return true;
    return false;
}

static void put_model(const struct fsd_diff *d, FILE *out)
{
    const struct fsd_graph *g = d->model;

    if (strcmp(g->kind, "onnx") != 0) {
        fputs("| ONNX model | not given |\n", out);
        return;
    }
    fprintf(out, "| ONNX | IR version %lld", (long long)g->ir_version);
    for (uint32_t i = 0; i < g->opsets.n; i++) {
        const char *domain = fsd_text(d->names, g->opsets.at[i].domain);

        if (!is_used(g, g->opsets.at[i].domain))
            continue;
        fputs(", opset ", out);
        if (*domain)
            put_code(domain, out);
        fprintf(out, "%s%lld", *domain ? " " : "", (long long)g->opsets.at[i].version);
    }
    fputs(" |\n", out);
    put_cell("exporter", fsd_text(d->names, g->producer), out);
}

static void put_build(const struct fsd_diff *d, const struct fsd_issue_command *command,
                      FILE *out)
{
    static const struct {
        const char *key, *title;
    } facts[] = {{FSD_BUILT_GPU, "GPU"},
                 {FSD_BUILT_CAPABILITY, "compute capability"},
                 {FSD_BUILT_KERNELS, "kernels for"},
                 {FSD_BUILT_PRECISION, "precision"},
                 {FSD_BUILT_CALIBRATION, "calibration"},
                 {FSD_BUILT_FLAGS, "flags"}};

    put_cell("builder", fsd_text(d->names, d->engine->producer), out);
    if (!d->engine->nodes.n) {
        put_model(d, out);
        return;
    }
    for (size_t i = 0; i < FSD_COUNT_OF(facts); i++)
        if (*built(d, facts[i].key) || !i || (i == 5 && !command))
            put_cell(facts[i].title, built(d, facts[i].key), out);
    put_options(d, out);
    fprintf(out, "| read from | %s |\n", d->engine->kind);
    put_model(d, out);
}

/* Prints the command of a build below a table. */
static void put_command(struct text *x, const struct fsd_issue_command *command)
{
    struct fsd_print print;

    if (!command)
        return;
    fputs("\nThe build command:\n\n", x->out);
    fsd_issue_put_command(command, x->t->anonymous, fsd_print_open(&print));
    fsd_print_close(&print);
    put_block(print.text, "sh", x->out);
    free(print.text);
}

static void put_versions(struct text *x)
{
    const struct fsd_issue_facts *t = x->t;

    fputs("\n## Versions and build\n\n| | |\n|---|---|\n", x->out);
    put_build(t->d, t->command, x->out);
    fputs("| fusiondiff | " FSD_VERSION " |\n", x->out);
    put_command(x, t->command);
    if (t->c && t->old) {
        fputs("\nThe previous build:\n\n| | |\n|---|---|\n", x->out);
        put_build(t->old, t->old_command, x->out);
        put_command(x, t->old_command);
    } else if (t->c) {
        fprintf(x->out, "\nfusiondiff read the previous build from a snapshot.\n");
    }
    for (uint32_t i = 0; t->c && i < t->c->built.n; i++) {
        const struct fsd_built_change *b = &t->c->built.at[i];

        fputs(i ? "- " : "\nThe builds used different settings:\n\n- ", x->out);
        put_code(b->key, x->out);
        fputs(": ", x->out);
        put_code(b->before ? b->before : "not known", x->out);
        fputs(", then ", x->out);
        put_code(b->after ? b->after : "not known", x->out);
        fputs("\n", x->out);
    }
}

/* --------------------------------------------------------------------------- tables */

static void put_layer(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    char change[FSD_FORMS_ROOM];

    fprintf(out, "| %u | ", layer);
    put_code(fsd_text(d->names, d->engine->nodes.at[layer].name), out);
    fprintf(out, " | %s%s | %s | ", fsd_kind_name(d->layers[layer].kind),
            d->layers[layer].inserted ? ", inserted" : "",
            fsd_dtype_name(d->layers[layer].precision));
    if (*fsd_layer_forms(d, layer, change))
        put_code(change, out);
    if (fsd_layer_ms(d, layer) >= 0)
        fprintf(out, " | %.4f |\n", fsd_layer_ms(d, layer));
    else
        fputs(" | |\n", out);
}

static void put_rest(struct text *x, uint32_t n, const char *where)
{
    if (n > x->rows)
        fprintf(x->out, "\nand %u more%s\n", n - x->rows, where);
}

static void put_layers(struct text *x, const struct fsd_diff *d, const fsd_id_vec *list,
                       const char *title, const char *where)
{
    fprintf(x->out,
            "\n%s\n\n| layer | name | kind | precision | reads and writes | ms |\n"
            "|---:|---|---|---|---|---:|\n",
            title);
    for (uint32_t i = 0; i < list->n && i < x->rows; i++)
        put_layer(d, list->at[i], x->out);
    put_rest(x, list->n, where);
}

/* Prints some of the subject's layers as the dump has them. */
static void put_dump(struct text *x)
{
    enum { MOST = 4 };
    const struct fsd_issue_facts *t = x->t;
    const fsd_id_vec *list = &t->subject->layers;
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    uint32_t shown = 0;

    for (uint32_t i = 0; t->dump && i < list->n && shown < MOST && shown < x->rows; i++)
        shown += fsd_issue_put_dump(
            t->dump, t->texts,
            fsd_text(t->d->names, t->d->engine->nodes.at[list->at[i]].name), out);
    fsd_print_close(&print);
    if (shown) {
        fprintf(x->out, "\nThe %s, as the engine's dump lists %s:\n\n",
                shown == 1 ? "layer" : "layers", shown == 1 ? "it" : "them");
        put_block(print.text, "", x->out);
    }
    free(print.text);
}

static void put_node(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node_result *r = &d->nodes[node];

    fprintf(out, "| %u | ", node);
    put_code(fsd_text(d->names, d->model->nodes.at[node].name), out);
    fputs(" | ", out);
    put_code(fsd_text(d->names, d->model->nodes.at[node].op), out);
    fprintf(out, " | %s | %s | %s |", fsd_fate_name(r->fate),
            fsd_dtype_name(r->requested), fsd_dtype_name(r->realised));
    for (uint32_t i = 0; i < d->match->of_node[node].n && i < 4; i++)
        fprintf(out, "%s%u", i ? ", " : " ",
                fsd_match_of_node(d->match, node, i)->layer);
    fputs(d->match->of_node[node].n > 4 ? ", ... |\n" : " |\n", out);
}

static void put_nodes(struct text *x)
{
    const fsd_id_vec *nodes = &x->t->subject->nodes;

    if (!nodes->n)
        return;
    fputs(
        x->t->failure
            ? "\nThe nodes at which the build fails:\n\n"
            : "\nThe nodes that these layers compute, and the nodes next to them:\n\n",
        x->out);
    fputs("| node | name | operator | outcome | requested | runs in | layers |\n"
          "|---:|---|---|---|---|---|---|\n",
          x->out);
    for (uint32_t i = 0; i < nodes->n && i < x->rows; i++)
        put_node(x->t->d, nodes->at[i], x->out);
    put_rest(x, nodes->n, "");
}

static void put_tables(struct text *x)
{
    const struct fsd_issue_facts *t = x->t;

    fputs(t->failure ? "\n## Nodes\n" : "\n## Layers and nodes\n", x->out);
    if (!t->failure)
        put_layers(x, t->d, &t->subject->layers,
                   t->c ? "The layers of the new build:" : "The layers of the engine:",
                   ", in `" FSD_ISSUE_LAYERS "`");
    if (t->old)
        put_layers(x, t->old, &t->subject->old_layers,
                   "The layers of the previous build:", "");
    put_nodes(x);
    put_dump(x);
    if (t->pictured)
        fputs("\nAttach this picture of the part to the issue:\n\n"
              "![the part](" FSD_ISSUE_PICTURE ")\n",
              x->out);
}

/* ------------------------------------------------------------------------- the part */

/* Prints the contents of the cut, without the first line, because that line has the
 * model's local path. */
static void put_cut(struct text *x)
{
    struct fsd_print print;
    const char *end;

    fsd_cut_print(x->t->plan, NULL, NULL, fsd_print_open(&print));
    fsd_print_close(&print);
    end = strchr(print.text, '\n');
    put_block(end ? end + 1 : print.text, "text", x->out);
    free(print.text);
}

/* Prints the commands that reproduce the build. Other lines become comments, so that a
 * shell accepts the whole text. */
static void put_commands(struct text *x)
{
    struct fsd_print print, script;
    FILE *out = fsd_print_open(&script);
    char *line, *rest;

    fsd_cut_put_commands(x->t->plan, FSD_ISSUE_PART, fsd_print_open(&print));
    fsd_print_close(&print);
    rest = print.text;
    while ((line = strtok_r(NULL, "\n", &rest)))
        fprintf(out, "%s%s\n", *line == ' ' ? "" : "# ",
                *line == ' ' ? line + 2 : line);
    fsd_print_close(&script);
    put_block(script.text, "sh", x->out);
    free(script.text);
    free(print.text);
}

static void put_part(struct text *x)
{
    fputs("\n## Reproduce\n\n", x->out);
    if (!x->t->plan) {
        fputs("This report has no model of the part:\n\n", x->out);
        put_block(x->t->no_part, "text", x->out);
        return;
    }
    fputs("`" FSD_ISSUE_PART "` contains only this part of the model:\n\n", x->out);
    put_cut(x);
    if (x->t->verified)
        fprintf(x->out, "\n%s\n\n", x->t->verified);
    else
        fputs("\nThese commands have not been run yet. The builder may fuse the part "
              "differently if it builds the part alone.\n\n",
              x->out);
    put_commands(x);
}

static void put_notes(struct text *x)
{
    const struct fsd_issue_facts *t = x->t;

    if (!t->anonymous && !t->no_weights)
        return;
    fputs("\n## Left out\n\n", x->out);
    if (t->anonymous)
        fputs("- fusiondiff replaced each name of a node, tensor, function, size or "
              "file by a new name, and used this new name wherever the old name "
              "occurs. It also replaced every other word that neither ONNX nor the "
              "builder defines: custom operators, their domains and attributes; "
              "plugins, kernels and options; and the headings of tables of values. The "
              "names of ONNX operators, all numbers and the subscripts of an Einsum "
              "are unchanged. fusiondiff removed descriptions and metadata.\n",
              x->out);
    if (t->no_weights && t->plan)
        fputs("- fusiondiff replaced the weights: each float is now 2^-6 (0.015625). "
              "Integers of up to 16 bits are now 0 in vectors, and 1 in all other "
              "tensors. Shapes, indices and scalars (such as per-tensor scales) "
              "are unchanged. With these weights, the outputs of the part differ "
              "from those of the model.\n",
              x->out);
}

static void put_files(struct text *x)
{
    const struct fsd_issue_facts *t = x->t;

    fputs("\n## Files\n\n", x->out);
    if (t->plan)
        fputs("- `" FSD_ISSUE_PART "`: the part of the model\n", x->out);
    if (!t->failure)
        fputs("- `" FSD_ISSUE_LAYERS
              "`: the layers of the part, as a file that fusiondiff can read\n",
              x->out);
    if (t->pictured)
        fputs("- `" FSD_ISSUE_PICTURE "`: the picture\n", x->out);
}

static void put_all(const struct fsd_issue_facts *t, uint32_t rows, FILE *out)
{
    struct text x = {t, rows, out};

    put_subject(&x);
    put_versions(&x);
    put_tables(&x);
    put_part(&x);
    put_notes(&x);
    put_files(&x);
}

/* Prints the text, with fewer and fewer rows in tables until it is short enough. */
void fsd_issue_put_text(const struct fsd_issue_facts *t, FILE *out)
{
    struct fsd_print print;

    for (uint32_t rows = MOST_ROWS; rows; rows /= 2) {
        put_all(t, rows, fsd_print_open(&print));
        fsd_print_close(&print);
        if (print.size < MOST_BYTES || rows == 1) {
            fwrite(print.text, 1, print.size, out);
            rows = 1;
        }
        free(print.text);
    }
}
