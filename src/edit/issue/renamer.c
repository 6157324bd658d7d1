/*
 * A new name is a letter and a number. Nodes and tensors are numbered from 0 in the
 * order of the model. The letter is chosen so that no old name has it before a number.
 * A new name therefore never equals or contains an old one.
 */
#include "edit/issue/renamer.h"
#include "base/base.h"
#include "base/plain.h"
#include "model/graph/graph.h"
#include "edit/issue/public_words.h"

#include <ctype.h>

struct new_name {
    enum fsd_named of;
    uint32_t number;
    const char *text; /* the new name; NULL: not needed yet */
};

struct fsd_renamer {
    struct fsd_arena *arena;
    struct fsd_intern *old;         /* the renamed texts */
    struct fsd_intern *stay;        /* texts that stay because they are no names: words
                                       of operators, layers, formats */
    FSD_VEC(struct new_name) names; /* indexed by symbol of `old` */
    uint32_t count[FSD__NAMED_COUNT];
    bool taken[256]; /* indexed by character: the character precedes a number in an old
                        name */
    char letter[FSD__NAMED_COUNT];
    size_t longest; /* the length of the longest old name, in bytes */
    struct fsd_public_words *public;
    const char *const *phrases; /* phrases of the builder; NULL: none */
};

struct fsd_renamer *fsd_renamer_new(struct fsd_arena *arena)
{
    struct fsd_renamer *r = FSD_NEW(arena, struct fsd_renamer, 1);

    r->arena = arena;
    r->old = fsd_intern_new(arena);
    r->stay = fsd_op_names_new(arena);
    r->public = fsd_public_new(arena);
    return r;
}

/* ------------------------------------------------------------------------- letters */

static void note_letter(struct fsd_renamer *r, const char *text)
{
    size_t n = strlen(text);

    if (n > 2 && isalpha((unsigned char)*text) &&
        strspn(text + 1, "0123456789") == n - 1)
        r->taken[(unsigned char)*text] = true;
}

static void choose_letters(struct fsd_renamer *r)
{
    static const char wanted[FSD__NAMED_COUNT + 1] = "ntfdsw";
    static const char others[] = "bcghjklmpqruvxyzaeioABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *next = others;

    for (unsigned k = 0; k < FSD__NAMED_COUNT; k++) {
        char letter = wanted[k];

        while (r->taken[(unsigned char)letter] && *next)
            letter = *next++;
        r->letter[k] = letter;
    }
}

static bool is_numeric(struct fsd_slice text)
{
    size_t i = 0;

    while (i < text.n && fsd_is_digit(text.s[i]))
        i++;
    return i == text.n;
}

const char *fsd_renamer_name(void *payload, enum fsd_named of, struct fsd_slice name)
{
    struct fsd_renamer *r = payload;
    fsd_sym sym = fsd_intern_slice(r->old, name);
    struct new_name *known;

    while (r->names.n <= sym)
        fsd_vec_push(r->arena, &r->names, ((struct new_name){of, 0, NULL}));
    known = &r->names.at[sym];
    if (!known->text && sym) {
        if (!r->letter[0])
            choose_letters(r);
        *known = (struct new_name){of, r->count[of]++, NULL};
        known->text =
            fsd_printed(r->arena, "%c%u", r->letter[of], (unsigned)known->number);
        if (name.n > r->longest)
            r->longest = name.n;
    }
    return known->text ? known->text : "";
}

/* The new name of a text; NULL if the text is not recorded as a name. */
static const char *known_name(const struct fsd_renamer *r, const char *s, size_t n)
{
    fsd_sym sym = fsd_intern_find(r->old, s, n);

    return sym < r->names.n ? r->names.at[sym].text : NULL;
}

static bool stays(const struct fsd_renamer *r, const char *s, size_t n)
{
    return fsd_intern_has(r->stay, s, n);
}

/* ------------------------------------------------------------------------ learning */

/* Adds a text of the builder or of ONNX to r->stay if all words of the text are public.
 * Any other word may be the user's. */
static void stay(struct fsd_renamer *r, const struct fsd_intern *names, fsd_sym sym)
{
    const char *text = fsd_text(names, sym);

    if (fsd_public_has(r->public, fsd_slice_of(text)))
        fsd_intern_str(r->stay, text);
}

bool fsd_renamer_is_public(void *payload, struct fsd_slice text)
{
    const struct fsd_renamer *r = payload;

    return fsd_public_has(r->public, text);
}

/* Records the words of operators and of their settings as words that stay. Calls of
 * functions are left out, because a function's name is the user's. */
static void learn_operators(struct fsd_renamer *r, const struct fsd_graph *g)
{
    FSD_EACH (const struct fsd_node, n, g->nodes) {
        if (n->flags & FSD_NODE_CALL)
            continue;
        stay(r, g->names, n->op);
        stay(r, g->names, n->domain);
        for (uint32_t k = n->attrs.at; k < n->attrs.at + n->attrs.n; k++)
            stay(r, g->names, g->attrs.at[k].name);
    }
    for (fsd_id i = 0; i < g->forms.n; i++)
        stay(r, g->names, g->forms.at[i].raw);
    stay(r, g->names, g->producer);
}

static void learn_layers(struct fsd_renamer *r, const struct fsd_graph *g)
{
    FSD_EACH (const struct fsd_layer, l, g->layers) {
        const fsd_sym words[] = {l->origin,       l->subtype, l->tactic,
                                 l->tactic_value, l->ran_by,  l->ran_with};

        for (size_t k = 0; k < FSD_COUNT_OF(words); k++)
            stay(r, g->names, words[k]);
        FSD_EACH_ID (step, g->links, l->steps)
            stay(r, g->names, step);
    }
    for (fsd_id i = 0; i < g->tensors.n; i++) {
        stay(r, g->names, g->tensors.at[i].ranges);
        stay(r, g->names, g->tensors.at[i].outside);
    }
}

/* Records the values of build options as names, because a value may be a path. */
static void learn_built(struct fsd_renamer *r, const struct fsd_graph *g)
{
    for (uint32_t i = 0; i < g->built.n; i++) {
        const char *key = fsd_text(g->names, g->built.at[i].key);
        const char *value = fsd_text(g->names, g->built.at[i].value);

        stay(r, g->names, g->built.at[i].key);
        if (strcmp(key, FSD_BUILT_LABEL) != 0 &&
            (!strchr(value, '/') || !fsd_built_is_option(key)))
            stay(r, g->names, g->built.at[i].value);
    }
}

static void learn_name(struct fsd_renamer *r, const struct fsd_intern *names,
                       enum fsd_named of, fsd_sym sym)
{
    struct fsd_slice text = {fsd_text(names, sym), fsd_text_len(names, sym)};

    if (text.n && !stays(r, text.s, text.n))
        fsd_renamer_name(r, of, text);
}

static void learn_names(struct fsd_renamer *r, const struct fsd_graph *g)
{
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        learn_name(r, g->names, FSD_NAMED_NODE, g->nodes.at[i].name);
        /* learn_name() leaves out operators that ONNX or the builder defines. */
        learn_name(r, g->names, FSD_NAMED_FUNCTION, g->nodes.at[i].op);
        if (!fsd_public_has(r->public,
                            fsd_slice_of(fsd_text(g->names, g->nodes.at[i].domain))))
            learn_name(r, g->names, FSD_NAMED_DOMAIN, g->nodes.at[i].domain);
    }
    for (fsd_id i = 0; i < g->tensors.n; i++)
        learn_name(r, g->names, FSD_NAMED_TENSOR, g->tensors.at[i].name);
    for (fsd_id i = 0; i < g->dims.n; i++)
        learn_name(r, g->names, FSD_NAMED_DIM, g->dims.at[i].name);
}

void fsd_renamer_learn(struct fsd_renamer *r, const struct fsd_diff *d)
{
    const struct fsd_engine_reader *builder = d->engine->reader;

    for (fsd_sym i = 1; i < fsd_intern_count(d->names); i++)
        note_letter(r, fsd_text(d->names, i));
    r->phrases = builder ? builder->phrases : NULL;
    fsd_public_add(r->public, builder ? builder->words : NULL);
    learn_operators(r, d->model);
    learn_operators(r, d->engine);
    learn_layers(r, d->engine);
    learn_built(r, d->engine);
    learn_names(r, d->model);
}

/* ---------------------------------------------------------------- text around names */

/* If the text begins with a phrase of the builder, returns the length of the phrase and
 * of the digits that follow it; else 0. */
static size_t phrase_at(const struct fsd_renamer *r, struct fsd_slice text)
{
    const char *const *phrase = r->phrases;
    size_t n = 0;

    for (; phrase && *phrase && !n; phrase++)
        if (fsd_slice_begins(text, *phrase))
            n = strlen(*phrase);
    while (n && n < text.n && fsd_is_digit(text.s[n]))
        n++;
    return n;
}

static bool is_letter_or_digit(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The length of the longest known name at the front of the text. The name must end
 * where a word ends. */
static size_t name_at(const struct fsd_renamer *r, struct fsd_slice text,
                      const char **name)
{
    size_t n = text.n < r->longest ? text.n : r->longest;

    for (; n; n--)
        if ((n == text.n || !is_letter_or_digit(text.s[n]) ||
             !is_letter_or_digit(text.s[n - 1])) &&
            (*name = known_name(r, text.s, n)))
            return n;
    return 0;
}

/* Whether a word is one of the builder's counters: "12", "U14", "v3". */
static bool is_counter(struct fsd_slice word)
{
    return is_numeric(word) || (word.n > 1 && isalpha((unsigned char)*word.s) &&
                                is_numeric(fsd_slice_from(word, 1)));
}

static void put_word(struct fsd_renamer *r, struct fsd_slice word, FILE *out)
{
    if (is_counter(word) || stays(r, word.s, word.n) || fsd_public_has(r->public, word))
        fwrite(word.s, 1, word.n, out);
    else
        fputs(fsd_renamer_name(r, FSD_NAMED_WORD, word), out);
}

static void put_text(struct fsd_renamer *r, struct fsd_slice text, FILE *out)
{
    bool begins = true; /* a word begins here */

    while (text.n) {
        const char *name = NULL;
        size_t n = phrase_at(r, text);

        if (n) {
            fwrite(text.s, 1, n, out);
        } else if (begins && (n = name_at(r, text, &name))) {
            fputs(name, out);
        } else if (is_letter_or_digit(*text.s)) {
            while (n < text.n && is_letter_or_digit(text.s[n]))
                n++;
            put_word(r, (struct fsd_slice){text.s, n}, out);
        } else {
            n = 1;
            putc(*text.s, out);
        }
        begins = !is_letter_or_digit(text.s[n - 1]) || n > 1;
        text = fsd_slice_from(text, n);
    }
}

static const char *new_text(struct fsd_renamer *r, struct fsd_slice text)
{
    const char *name = known_name(r, text.s, text.n);
    struct fsd_print print;
    FILE *out;

    if (name || stays(r, text.s, text.n) || is_numeric(text))
        return name;
    out = fsd_print_open(&print);
    put_text(r, text, out);
    return fsd_print_take(&print, r->arena);
}

const char *fsd_renamer_text(struct fsd_renamer *r, const char *text)
{
    const char *new = text ? new_text(r, fsd_slice_of(text)) : NULL;

    return new ? new : text;
}

void fsd_renamer_apply(struct fsd_renamer *r, const struct fsd_diff *d)
{
    uint32_t n = fsd_intern_count(d->names);
    const char **texts = FSD_NEW(r->arena, const char *, n + 1);

    for (fsd_sym i = 1; i < n; i++)
        texts[i] = new_text(
            r, (struct fsd_slice){fsd_text(d->names, i), fsd_text_len(d->names, i)});
    fsd_intern_replace(d->names, texts);
}

/* -------------------------------------------------------------------------- the map */

static void put_json(const char *s, FILE *out)
{
    struct fsd_slice text = fsd_slice_of(s);
    char ready[256];

    putc('"', out);
    while (text.n) {
        size_t n = fsd_escape_json(&text, ready, sizeof ready);

        fwrite(ready, 1, n, out);
    }
    putc('"', out);
}

void fsd_renamer_write(const struct fsd_renamer *r, FILE *out)
{
    const char *before = "{\n  ";

    for (fsd_sym i = 0; i < r->names.n; i++)
        if (r->names.at[i].text) {
            fputs(before, out);
            put_json(r->names.at[i].text, out);
            fputs(": ", out);
            put_json(fsd_text(r->old, i), out);
            before = ",\n  ";
        }
    fputs(*before == '{' ? "{}\n" : "\n}\n", out);
}
