/*
 * Prints the program as a file: the helpers that the program calls, its functions, the
 * function define(), and a list of the nodes without a statement. define() calls the
 * program's other functions in order.
 *
 * Text of input files is printed only in slots: as literals by put_literal(), or in
 * comments by fsd_put_safe(), which prints no line breaks.
 */
#include "base/base.h"
#include "edit/code/code.h"
#include "model/graph/graph.h"

#include <stdlib.h>

enum { WIDTH = 88, WIDE = 100, MOST_NAMED = 3, MOST_COLUMNS = 48 };

/* --------------------------------------------------------------------- literals */

static void put_escaped(const char *text, size_t n, bool braces, FILE *out)
{
    while (n) {
        size_t len = fsd_utf8_len((const unsigned char *)text, n);
        uint32_t code = fsd_utf8_code((const unsigned char *)text, len);

        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (braces && (*text == '{' || *text == '}'))
            fprintf(out, "%c%c", *text, *text);
        else if (fsd_code_is_hidden(code))
            fprintf(out, code > 0xffff ? "\\U%08x" : "\\u%04x", code);
        else
            fwrite(text, 1, len, out);
        text += len;
        n -= len;
    }
}

static void put_literal(const char *text, FILE *out)
{
    fputc('"', out);
    put_escaped(text, strlen(text), false, out);
    fputc('"', out);
}

/* Whether the text is an integer as Python would print it. */
static bool is_number(const char *text)
{
    size_t n = strlen(text);

    return n && n < 10 && strspn(text, "0123456789") == n && (n == 1 || *text != '0');
}

/* -------------------------------------------------------------------- parameters */

/* A parameter as the function refers to it: "at", "n['conv_weight']". */
static const char *parameter_name(struct fsd_arena *arena,
                                  const struct fsd_code_group *g, uint32_t which)
{
    static const char *const names[MOST_NAMED] = {"at", "at_2", "at_3"};

    return which < g->named ? names[which]
                            : fsd_printed(arena, "n['%s']", g->keys.at[which]);
}

/* The variable that a line's statement sets; "node" if it sets none. */
static const char *variable_of(struct fsd_arena *arena,
                               const struct fsd_code_line *line)
{
    size_t n = strspn(line->text, "abcdefghijklmnopqrstuvwxyz_0123456789");

    return n && (line->text[n] == ',' || line->text[n] == ' ')
               ? fsd_arena_strndup(arena, line->text, n)
               : "node";
}

/* Sets g->keys. The key of a parameter comes from the first line that uses it. For the
 * line "conv1 = ...", the key is "conv1" if the parameter fills the first slot of the
 * line (for TensorRT: the name of the node). If the parameter fills a later slot, the
 * key is "conv1_weight". */
static void name_keys(struct fsd_code *c, struct fsd_code_group *g)
{
    const struct fsd_code_block *block = g->blocks.at[0];
    struct fsd_intern *known = fsd_intern_new(c->arena);

    FSD_EACH (const struct fsd_code_line, line, block->lines) {
        const char *variable = variable_of(c->arena, line);

        for (uint32_t k = 0; k < line->slots.n; k++) {
            uint32_t which = g->parameter[line->slots.at + k];
            const char *stem, *key;

            if (which != g->keys.n + 1)
                continue;
            stem = fsd_printed(c->arena, "%s%s", variable, k ? "_weight" : "");
            key = stem;
            for (uint32_t n = 2; fsd_intern_has(known, key, strlen(key)); n++)
                key = fsd_printed(c->arena, "%s_%u", stem, n);
            fsd_intern_str(known, key);
            fsd_vec_push(c->arena, &g->keys, key);
        }
    }
}

/* Sets g->named, the number of parameters that are arguments of the function. The other
 * parameters are rows of a table. If there are at most MOST_NAMED parameters, all are
 * arguments. If there are more, only the first parameters are arguments: at most
 * MOST_NAMED, and each with at least OFTEN uses. */
static void name_parameters(struct fsd_code *c, struct fsd_code_group *g)
{
    enum { OFTEN = 4 };

    g->named = g->parameters.n <= MOST_NAMED ? g->parameters.n : 0;
    while (g->named < MOST_NAMED && g->named < g->parameters.n &&
           g->uses.at[g->named] >= OFTEN)
        g->named++;
    name_keys(c, g);
}

/* Whether all texts of a parameter are numbers. */
static bool are_numbers(const struct fsd_code_group *g, uint32_t which)
{
    for (uint32_t i = 0; i < g->blocks.n; i++)
        if (!is_number(g->parameters.at[which][i]))
            return false;
    return true;
}

/* --------------------------------------------------------------------------- holes */

static void put_string(struct fsd_code *c, const struct fsd_code_group *g,
                       uint32_t slot, FILE *out)
{
    const char *text = g->blocks.at[0]->slots.at[slot].text;
    uint32_t which = g->parameter[slot];

    if (!which) {
        put_literal(text, out);
        return;
    }
    fputs("f\"", out);
    put_escaped(text, g->before[slot], true, out);
    fprintf(out, "{%s}", parameter_name(c->arena, g, which - 1));
    put_escaped(text + strlen(text) - g->behind[slot], g->behind[slot], true, out);
    fputc('"', out);
}

static void put_group_layers(const struct fsd_code_group *g, uint32_t slot, FILE *out)
{
    enum { MOST = 4 };

    fputs(g->blocks.n > 1 ? "layers " : "layer ", out);
    for (uint32_t i = 0; i < g->blocks.n && i < MOST; i++)
        fprintf(out, "%s%s", i ? ", " : "", g->blocks.at[i]->slots.at[slot].text);
    if (g->blocks.n > MOST)
        fprintf(out, " and %u more", g->blocks.n - MOST);
}

static void put_range(const struct fsd_code_group *g, uint32_t slot, FILE *out)
{
    const char *least = g->blocks.at[0]->slots.at[slot].text, *most = least;

    for (uint32_t i = 1; i < g->blocks.n; i++) {
        const char *text = g->blocks.at[i]->slots.at[slot].text;

        least = strtod(text, NULL) < strtod(least, NULL) ? text : least;
        most = strtod(text, NULL) > strtod(most, NULL) ? text : most;
    }
    fputs(least, out);
    if (strcmp(least, most) != 0)
        fprintf(out, " to %s", most);
}

static void put_hole(struct fsd_code *c, const struct fsd_code_group *g, uint32_t slot,
                     FILE *out)
{
    switch (g->blocks.at[0]->slots.at[slot].kind) {
    case FSD_SLOT_STRING:
        put_string(c, g, slot, out);
        break;
    case FSD_SLOT_LAYER:
        put_group_layers(g, slot, out);
        break;
    case FSD_SLOT_RANGE:
        put_range(g, slot, out);
        break;
    case FSD_SLOT_FIRST:
        fsd_put_fitted(out, g->blocks.at[0]->slots.at[slot].text, MOST_COLUMNS);
        break;
    }
}

/* --------------------------------------------------------------------------- lines */

/*
 * A statement that is too wide is broken as Black breaks it: the text between brackets
 * goes to lines of its own, one part per line.
 *
 *     y = node(
 *         "Conv_1",
 *         convolution(x, 64, (3, 3), weights("w")),
 *     )
 */

/* A text with its holes filled. `solid` marks the bytes of names, because brackets and
 * commas in names have no meaning. */
struct draft {
    const char *text;
    const bool *solid;
    size_t n;
};

static struct draft fill(struct fsd_code *c, const struct fsd_code_group *g,
                         const char *text, uint32_t slot)
{
    struct fsd_print print;
    FSD_VEC(bool) solid = {0};

    fsd_print_open(&print);
    for (; *text; text++) {
        bool hole = *text == FSD_HOLE;

        if (hole)
            put_hole(c, g, slot++, print.out);
        else
            fputc(*text, print.out);
        fflush(print.out);
        while (solid.n < print.size)
            fsd_vec_push(c->arena, &solid, hole);
    }
    fsd_vec_push(c->arena, &solid, false);
    return (struct draft){fsd_print_take(&print, c->arena), solid.at, solid.n - 1};
}

static bool is_one_of(const struct draft *d, size_t i, const char *signs)
{
    return !d->solid[i] && strchr(signs, d->text[i]) && d->text[i];
}

/* The end of the part that begins at `at`: the next comma outside of inner brackets, or
 * the closing bracket. */
static size_t part_end(const struct draft *d, size_t at)
{
    unsigned depth = 0;

    for (; at < d->n; at++) {
        if (is_one_of(d, at, "([{"))
            depth++;
        else if (is_one_of(d, at, ")]}") && !depth--)
            break;
        else if (!depth && is_one_of(d, at, ","))
            break;
    }
    return at;
}

static void put_part(const struct draft *d, size_t from, size_t to, unsigned indent,
                     size_t behind, FILE *out);

static size_t width_of(const struct draft *d, size_t from, size_t to)
{
    char *text = strndup(d->text + from, to - from);
    size_t width = text ? fsd_safe_width(text) : 0;

    free(text);
    return width;
}

/* The position of the bracket that closes the bracket before `at`. */
static size_t bracket_end(const struct draft *d, size_t at)
{
    while (at < d->n && (at = part_end(d, at)) < d->n && is_one_of(d, at, ","))
        at++;
    return at;
}

/* Prints a list with as many items on a line as fit. */
static void put_filled_lines(const struct draft *d, size_t from, size_t to,
                             unsigned indent, FILE *out)
{
    size_t column = WIDTH;

    while (from < to) {
        size_t end = part_end(d, from), width = width_of(d, from, end) + 1;

        if (column + 1 + width > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else {
            fputc(' ', out);
            column++;
        }
        fwrite(d->text + from, 1, end - from, out);
        fputc(',', out);
        column += width;
        from = end + (end < to) + (end + 1 < to && d->text[end + 1] == ' ');
    }
}

/* Prints the text between two brackets on a line of its own or, if it is too long for
 * that, one part per line. */
static void put_inside(const struct draft *d, size_t from, size_t to, unsigned indent,
                       char bracket, FILE *out)
{
    if (indent + width_of(d, from, to) <= WIDTH) {
        fprintf(out, "\n%*s", (int)indent, "");
        fwrite(d->text + from, 1, to - from, out);
        return;
    }
    if (bracket == '[') {
        put_filled_lines(d, from, to, indent, out);
        return;
    }
    while (from < to) {
        size_t end = part_end(d, from);

        fprintf(out, "\n%*s", (int)indent, "");
        put_part(d, from, end, indent, 1, out);
        fputc(',', out);
        from = end + (end < to) + (end + 1 < to && d->text[end + 1] == ' ');
    }
}

/* Prints the text from `from` to `to`. `behind` is the number of columns that the
 * caller prints behind this text on the same line. */
static void put_part(const struct draft *d, size_t from, size_t to, unsigned indent,
                     size_t behind, FILE *out)
{
    size_t open = from, end;

    while (open < to && !is_one_of(d, open, "([{"))
        open++;
    if (indent + width_of(d, from, to) + behind <= WIDTH || open == to) {
        fwrite(d->text + from, 1, to - from, out);
        return;
    }
    end = bracket_end(d, open + 1);
    fwrite(d->text + from, 1, open + 1 - from, out);
    put_inside(d, open + 1, end, indent + 4, d->text[open], out);
    fprintf(out, "\n%*s", (int)indent, "");
    fwrite(d->text + end, 1, to - end, out);
}

static uint32_t holes(const char *text)
{
    uint32_t n = 0;

    for (; *text; text++)
        n += *text == FSD_HOLE;
    return n;
}

/* Prints a statement followed by its comment. */
static void put_statement(const struct draft *text, const struct draft *note, FILE *out)
{
    size_t behind = note->n ? width_of(note, 0, note->n) + 4 : 0;

    fputs("    ", out);
    put_part(text, 0, text->n, 4, behind > WIDE - WIDTH ? behind - (WIDE - WIDTH) : 0,
             out);
    if (note->n)
        fprintf(out, "  # %s", note->text);
    fputc('\n', out);
}

static void put_line(struct fsd_code *c, const struct fsd_code_group *g, uint32_t which,
                     FILE *out)
{
    const struct fsd_code_line *line = &g->blocks.at[0]->lines.at[which];
    struct draft text = fill(c, g, line->text, line->slots.at);
    struct draft note = fill(c, g, line->note, line->slots.at + holes(line->text));

    if (*line->text)
        put_statement(&text, &note, out);
    else
        fprintf(out, "%s    # %s\n", which ? "\n" : "", note.text);
}

/* ---------------------------------------------------------------------- functions */

/* The class of a module, such as "transformers.BertLayer"; NULL if unknown. */
static const char *class_of(const struct fsd_code *c, fsd_sym module)
{
    const char *name = fsd_text(c->modules, module);
    fsd_sym sym = fsd_intern_find(c->g->names, name, strlen(name));

    for (uint32_t i = 0; sym != FSD_NONE && i < c->g->classes.n; i++)
        if (c->g->classes.at[i].module == sym)
            return fsd_text(c->g->names, c->g->classes.at[i].name);
    return NULL;
}

static fsd_sym name_function(struct fsd_code *c, const struct fsd_code_group *g)
{
    fsd_sym module = g->blocks.at[0]->module;
    const char *class = class_of(c, module);
    const char *word = class ? fsd_code_snake(c->arena, fsd_code_leaf(class))
                             : fsd_code_leaf(fsd_text(c->modules, module));
    size_t n;

    word = fsd_code_identifier(c->arena, word);
    n = strlen(word);
    while (!class && g->blocks.n > 1 && n > 1 &&
           (fsd_is_digit(word[n - 1]) || word[n - 1] == '_'))
        n--;
    return fsd_code_variable(
        c, &c->top,
        fsd_printed(c->arena, "%s_%.*s", c->torch ? "run" : "add", (int)n, word),
        FSD_NONE);
}

/* Prints the comment above a function: the modules for which the function stands. */
static void put_modules(struct fsd_code *c, const struct fsd_code_group *g, FILE *out)
{
    const char *class = class_of(c, g->blocks.at[0]->module);

    fsd_printf_safe(out, "# %s", fsd_text(c->modules, g->blocks.at[0]->module));
    if (g->blocks.n > 1) {
        fputs(g->blocks.n > 2 ? " ... " : " and ", out);
        fsd_put_safe(out, fsd_text(c->modules, g->blocks.at[g->blocks.n - 1]->module));
    }
    if (g->blocks.n > 2)
        fprintf(out, " (%u)", g->blocks.n);
    if (class)
        fsd_printf_safe(out, ": %s", fsd_code_leaf(class));
    fputc('\n', out);
}

static void put_names(struct fsd_code *c, const fsd_sym *at, uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? ", " : "", fsd_text(c->words, at[i]));
}

/* The name of a function's table: "BERT_LAYER_NAMES" for add_bert_layer(). */
static const char *table_name(const struct fsd_code *c, const struct fsd_code_group *g)
{
    char *name =
        fsd_printed(c->arena, "%s_NAMES", strchr(fsd_text(c->words, g->name), '_') + 1);

    for (char *at = name; *at; at++)
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 32 : *at);
    return name;
}

/* Prints a text, with its holes filled, as a statement with this indentation. */
static void put_words(struct fsd_code *c, const struct fsd_code_words *w,
                      unsigned indent, FILE *out)
{
    struct fsd_code_block line = {0};
    struct fsd_code_group one = {0};
    struct draft draft;

    line.slots.at = w->slots.at;
    fsd_vec_push(c->arena, &one.blocks, &line);
    one.parameter = FSD_NEW(c->arena, uint32_t, w->slots.n + 1);
    draft = fill(c, &one, fsd_arena_strndup(c->arena, w->text.at, w->text.n), 0);
    fprintf(out, "%*s", (int)indent, "");
    put_part(&draft, 0, draft.n, indent, 0, out);
    fputc('\n', out);
}

/* Writes the text of parameter `at` in block `which`: a number or a string literal. */
static void put_value(struct fsd_code_words *w, const struct fsd_code_group *g,
                      uint32_t at, uint32_t which)
{
    if (are_numbers(g, at))
        fsd_words_put(w, g->parameters.at[at][which]);
    else
        fsd_words_slot(w, FSD_SLOT_STRING, g->parameters.at[at][which]);
}

/* Prints the table of the names in which the modules differ, with a row for each
 * parameter and a column for each module. */
static void put_table(struct fsd_code *c, const struct fsd_code_group *g, FILE *out)
{
    struct fsd_code_words w = {.arena = c->arena};

    fsd_words_printf(&w, "%s = {", table_name(c, g));
    for (uint32_t i = g->named; i < g->parameters.n; i++) {
        fsd_words_printf(&w, "%s\"%s\": [", i > g->named ? ", " : "", g->keys.at[i]);
        for (uint32_t k = 0; k < g->blocks.n; k++) {
            fsd_words_put(&w, k ? ", " : "");
            put_value(&w, g, i, k);
        }
        fsd_words_put(&w, "]");
    }
    fsd_words_put(&w, "}");
    put_words(c, &w, 0, out);
    fputs("\n\n", out);
}

static void put_function(struct fsd_code *c, struct fsd_code_group *g, FILE *out)
{
    const struct fsd_code_block *block = g->blocks.at[0];
    const char *comma = block->reads.n ? ", " : "";
    bool table = g->named < g->parameters.n;

    fputs("\n\n", out);
    put_modules(c, g, out);
    if (table)
        put_table(c, g, out);
    fprintf(out, "def %s(", fsd_text(c->words, g->name));
    put_names(c, block->read_as.at, block->reads.n, out);
    for (uint32_t i = 0; i < g->named; i++, comma = ", ")
        fprintf(out, "%s%s", comma, parameter_name(c->arena, g, i));
    fprintf(out, "%s%s):\n", table ? comma : "", table ? "module" : "");
    if (table)
        fprintf(out, "    n = {key: row[module] for key, row in %s.items()}\n",
                table_name(c, g));
    for (uint32_t i = 0; i < block->lines.n; i++)
        put_line(c, g, i, out);
    if (!block->makes.n)
        return;
    fputs("    return ", out);
    put_names(c, block->made_as.at, block->makes.n, out);
    fputc('\n', out);
}

/* ---------------------------------------------------------------------- define() */

static const char *top_name(const struct fsd_code *c, fsd_id tensor)
{
    fsd_sym name = fsd_code_variable_of(&c->top, tensor);

    return name ? fsd_text(c->words, name) : "None";
}

/* Prints the call of the group's function for the group's block `which`, such as
 * "layer1 = add_layer1(x, at="layer1")". */
static void put_call(struct fsd_code *c, const struct fsd_code_group *g, uint32_t which,
                     FILE *out)
{
    const struct fsd_code_block *block = g->blocks.at[which];
    struct fsd_code_words w = {.arena = c->arena};

    for (uint32_t i = 0; i < block->makes.n; i++)
        fsd_words_printf(&w, "%s%s", i ? ", " : "", top_name(c, block->makes.at[i]));
    fsd_words_printf(&w, "%s%s(", block->makes.n ? " = " : "",
                     fsd_text(c->words, g->name));
    for (uint32_t i = 0; i < block->reads.n; i++)
        fsd_words_printf(&w, "%s%s", i ? ", " : "", top_name(c, block->reads.at[i]));
    for (uint32_t i = 0; i < g->named; i++) {
        fsd_words_printf(&w, "%s%s=", i || block->reads.n ? ", " : "",
                         parameter_name(c->arena, g, i));
        put_value(&w, g, i, which);
    }
    if (g->named < g->parameters.n)
        fsd_words_printf(&w, "%smodule=%u", g->named || block->reads.n ? ", " : "",
                         which);
    fsd_words_put(&w, ")");
    put_words(c, &w, 4, out);
}

static void put_inline(struct fsd_code *c, uint32_t which, FILE *out)
{
    struct fsd_code_group g = fsd_code_group_of(c, which);

    fputc('\n', out);
    if (c->blocks.at[which].module)
        fsd_printf_safe(out, "    # %s\n",
                        fsd_text(c->modules, c->blocks.at[which].module));
    for (uint32_t i = 0; i < c->blocks.at[which].lines.n; i++)
        put_line(c, &g, i, out);
}

static void put_input(struct fsd_code *c, fsd_id tensor, FILE *out)
{
    const struct fsd_shape *shape = fsd_shape_of(c->sizes, tensor);
    const char *type = fsd_code_type(fsd_tensor_form(c->g, tensor)->type);

    fprintf(out, "    %s = ", top_name(c, tensor));
    fputs(c->torch ? "inputs[" : "network.add_input(", out);
    put_literal(fsd_text(c->g->names, c->g->tensors.at[tensor].name), out);
    if (c->torch) {
        fputs("]\n", out);
        return;
    }
    if (!type || !shape->ranked) {
        fprintf(out, ", None, None)  # of unknown %s\n", type ? "sizes" : "type");
        return;
    }
    fprintf(out, ", %s, (", type);
    for (uint32_t i = 0; i < shape->rank; i++)
        fprintf(out, "%lld%s", shape->dims[i] < 0 ? -1LL : (long long)shape->dims[i],
                i + 1 < shape->rank ? ", "
                : shape->rank == 1  ? ","
                                    : "");
    fputs("))\n", out);
}

/* Prints an output: a variable, or a weight. */
static void put_output(struct fsd_code *c, fsd_id tensor, FILE *out)
{
    fsd_id weight = fsd_code_weight(c, tensor);

    fputs(c->torch ? "    outputs[" : "    mark_output(", out);
    if (c->torch) {
        put_literal(fsd_text(c->g->names, c->g->tensors.at[tensor].name), out);
        fputs("] = ", out);
    }
    if (weight != FSD_NONE) {
        fputs(c->torch ? "w[" : "weight(", out);
        put_literal(fsd_text(c->g->names, c->g->tensors.at[weight].name), out);
        fputs(c->torch ? "]" : ")", out);
    } else {
        fputs(top_name(c, tensor), out);
    }
    if (!c->torch) {
        fputs(", ", out);
        put_literal(fsd_text(c->g->names, c->g->tensors.at[tensor].name), out);
        fputc(')', out);
    }
    fputc('\n', out);
}

/* -------------------------------------------------------------------- omitted nodes */

/* The reason why a node has no statement, as a string literal. */
static const char *unsaid(const struct fsd_code *c, fsd_id node)
{
    fsd_id made = fsd_node_out_tensor(c->g, node, 0);
    int64_t ints[FSD_INTS];
    uint32_t n;

    if (fsd_code_is_weight(c, made))
        return "other statements read this weight by name";
    if (fsd_code_ints(c, made, ints, &n))
        return "other statements contain the values of its output as constants";
    return "no statement reads its output";
}

/* Prints the nodes without a statement, one line for each operator, outcome and
 * reason. */
static void put_unsaid(struct fsd_code *c, FILE *out)
{
    struct fsd_intern *kinds = fsd_intern_new(c->arena);
    FSD_VEC(uint32_t) counts = {0};

    for (fsd_id i = 0; i < c->g->nodes.n; i++) {
        const char *fate = c->engine ? fsd_fate_name(c->d->nodes[i].fate) : "";
        fsd_sym kind;

        if (c->g->nodes.at[i].scope || !c->taken[i] || c->stated[i])
            continue;
        kind = fsd_intern_str(kinds,
                              fsd_printed(c->arena, "%s%s%s: %s",
                                          fsd_text(c->g->names, c->g->nodes.at[i].op),
                                          *fate ? ", " : "", fate, unsaid(c, i)));
        while (counts.n <= kind)
            fsd_vec_push(c->arena, &counts, 0);
        counts.at[kind]++;
    }
    if (counts.n > 1)
        fputs("\n    # Nodes without a statement, and the reason:\n", out);
    for (fsd_sym kind = 1; kind < counts.n; kind++)
        fsd_printf_safe(out, "    #   %u %s\n", counts.at[kind], fsd_text(kinds, kind));
}

static void put_define(struct fsd_code *c, const struct fsd_code_group *groups,
                       FILE *out)
{
    uint32_t *next = FSD_NEW(c->arena, uint32_t, c->blocks.n + 1);

    if (c->torch)
        fputs("\n\ndef forward(w, inputs):\n    outputs = {}\n", out);
    else
        fputs("\n\ndef define(target, path=MODEL):\n"
              "    \"\"\"Adds the model to a network.\"\"\"\n"
              "    global network\n    network = target\n    load(path)\n",
              out);
    for (uint32_t i = 0; i < c->inputs.n; i++)
        put_input(c, c->inputs.at[i], out);
    for (uint32_t i = 0; i < c->blocks.n; i++) {
        uint32_t like = c->blocks.at[i].like;

        if (c->blocks.at[i].function)
            put_call(c, &groups[like], next[like]++, out);
        else
            put_inline(c, i, out);
    }
    for (uint32_t i = 0; i < c->outputs.n; i++)
        put_output(c, c->outputs.at[i], out);
    if (c->torch)
        fputs("    return outputs\n", out);
    put_unsaid(c, out);
}

static void put_body(struct fsd_code *c, FILE *out)
{
    struct fsd_code_group *groups =
        FSD_NEW(c->arena, struct fsd_code_group, c->blocks.n + 1);

    for (uint32_t i = 0; i < c->blocks.n; i++) {
        if (!c->blocks.at[i].function || c->blocks.at[i].like != i)
            continue;
        groups[i] = fsd_code_group_of(c, i);
        name_parameters(c, &groups[i]);
        groups[i].name = name_function(c, &groups[i]);
        put_function(c, &groups[i], out);
    }
    put_define(c, groups, out);
}

/* The end of a program: its command line. TensorRT for RTX needs no GPU: it compiles
 * for the compute capabilities that an option of the program states. */
static const char ending[] =
    "\n\ndef profile_of(builder, target, shapes):\n"
    "    \"\"\"The optimization profile of the inputs with dynamic sizes; None if no "
    "input has dynamic sizes.\"\"\"\n"
    "    profile, given, used = builder.create_optimization_profile(), dict(shapes), "
    "False\n"
    "    for i in range(target.num_inputs):\n"
    "        tensor = target.get_input(i)\n"
    "        if tensor.name in given:\n"
    "            ranges = given[tensor.name].split(\":\")\n"
    "            ranges = [[int(n) for n in part.split(\"x\")] for part in ranges]\n"
    "            add = profile.set_shape_input if tensor.is_shape_tensor else "
    "profile.set_shape\n"
    "            add(tensor.name, *(ranges if len(ranges) == 3 else ranges * 3))\n"
    "            used = True\n"
    "        elif -1 in tuple(tensor.shape) or tensor.is_shape_tensor:\n"
    "            raise SystemExit(f\"{tensor.name}: expected --shape "
    "{tensor.name}=MIN:OPT:MAX\")\n"
    "    return profile if used else None\n"
    "\n\ndef main():\n"
    "    \"\"\"Builds the engine.\"\"\"\n"
    "    parser = argparse.ArgumentParser(description=__doc__)\n"
    "    parser.add_argument(\"--model\", default=MODEL, help=\"the ONNX file with the "
    "weights\")\n"
    "    parser.add_argument(\"--shape\", action=\"append\", default=[], "
    "metavar=\"NAME=MIN:OPT:MAX\",\n"
    "                        help=\"sizes of a dynamic input, as "
    "x=1x3x64x64:4x3x64x64:8x3x64x64\")\n"
    "%s"
    "    parser.add_argument(\"--verbose\", action=\"store_true\", help=\"print the "
    "verbose build log\")\n"
    "    parser.add_argument(\"plan\", help=\"where the engine is written\")\n"
    "    arguments = parser.parse_args()\n"
    "    severity = trt.Logger.VERBOSE if arguments.verbose else trt.Logger.INFO\n"
    "    builder = trt.Builder(trt.Logger(severity))\n"
    "    target = builder.create_network(FLAGS)\n"
    "    define(target, arguments.model)\n"
    "    config = builder.create_builder_config()\n"
    "    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED\n"
    "%s"
    "    shapes = [shape.rsplit(\"=\", 1) for shape in arguments.shape]\n"
    "    profile = profile_of(builder, target, shapes)\n"
    "    if profile:\n"
    "        config.add_optimization_profile(profile)\n"
    "    plan = builder.build_serialized_network(target, config)\n"
    "    if plan is None:\n"
    "        raise SystemExit(\"TensorRT did not build the engine\")\n"
    "    with open(arguments.plan, \"wb\") as file:\n"
    "        file.write(plan)\n"
    "\n\nif __name__ == \"__main__\":\n"
    "    main()\n";
static const char capability_argument[] =
    "    parser.add_argument(\"--compute-capability\", default=\"CURRENT\", "
    "metavar=\"SM\",\n"
    "                        help=\"one or more values such as SM89, separated by "
    "commas (default: the value of this GPU)\")\n";
static const char capability_set[] =
    "    targets = arguments.compute_capability.split(\",\")\n"
    "    config.num_compute_capabilities = len(targets)\n"
    "    for i, name in enumerate(targets):\n"
    "        config.set_compute_capability(getattr(trt.ComputeCapability, name), i)\n";

/* The body is printed first, because only the whole body shows which helpers it
 * calls. */
void fsd_code_print(struct fsd_code *c, FILE *out)
{
    struct fsd_print print;
    const char *body;
    bool rtx = c->engine && fsd_graph_is_rtx(c->d->engine);

    put_body(c, fsd_print_open(&print));
    body = fsd_print_take(&print, c->arena);
    if (c->torch) {
        fputs("\"\"\"Pseudo code of an ONNX model, in the words of PyTorch.\"\"\"\n",
              out);
        fputs(body, out);
        return;
    }
    fsd_code_print_helpers(c->arena, body, rtx, out);
    fputs("\n\nMODEL = ", out);
    put_literal(c->path, out);
    fprintf(out, "\nFLAGS = %s\n",
            c->d->engine && c->d->engine->strongly_typed
                ? "1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)"
                : "0");
    fputs(body, out);
    fprintf(out, ending, rtx ? capability_argument : "", rtx ? capability_set : "");
}
