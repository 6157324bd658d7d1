/*
 * Finds equal blocks, and writes one function for all of them.
 *
 *     /encoder/layer_0/query/MatMul     /encoder/layer_1/query/MatMul
 *     -> f"/encoder/{at}/query/MatMul"  with at = "layer_0", "layer_1"
 *
 * Blocks are equal if they have the same lines, apart from the holes, and if the names
 * of what they read and make are equal. If the text of a hole differs between blocks, a
 * parameter of the function replaces the part that differs, such as "layer_0". The
 * words around this part stay in the function. Two holes share a parameter if both need
 * the same text for this part, in every block.
 */
#include "base/base.h"
#include "edit/code/code.h"

/* A symbol that equal blocks share. Its text is the lines of the block, without the
 * texts of the holes, and then the names of what the block reads and makes. */
static fsd_sym form_of(struct fsd_code *c, struct fsd_intern *forms,
                       const struct fsd_code_block *block)
{
    struct fsd_code_words w = {.arena = c->arena};

    for (uint32_t i = 0; i < block->lines.n; i++) {
        fsd_words_put(&w, block->lines.at[i].text);
        fsd_words_put(&w, "#");
        fsd_words_put(&w, block->lines.at[i].note);
        fsd_words_put(&w, "\n");
    }
    for (uint32_t i = 0; i < block->reads.n; i++)
        fsd_words_printf(&w, "%u ", block->read_as.at[i]);
    for (uint32_t i = 0; i < block->makes.n; i++)
        fsd_words_printf(&w, ",%u", block->made_as.at[i]);
    return fsd_intern_add(forms, w.text.at, w.text.n);
}

void fsd_code_fold(struct fsd_code *c)
{
    struct fsd_intern *forms = fsd_intern_new(c->arena);
    FSD_VEC(uint32_t) first = {0}, last = {0};

    c->lines = 0;
    for (uint32_t i = 0; i < c->blocks.n; i++) {
        struct fsd_code_block *block = &c->blocks.at[i];
        fsd_sym form = block->function ? form_of(c, forms, block) : 0;

        block->like = i;
        block->next = FSD_NONE;
        c->lines++;
        while (first.n <= form)
            fsd_vec_push(c->arena, &first, FSD_NONE);
        while (last.n <= form)
            fsd_vec_push(c->arena, &last, FSD_NONE);
        if (form && first.at[form] != FSD_NONE) {
            block->like = first.at[form];
            c->blocks.at[last.at[form]].next = i;
            last.at[form] = i;
            continue;
        }
        first.at[form] = last.at[form] = i;
        c->lines += block->lines.n;
    }
}

/* ---------------------------------------------------------------------- parameters */

/* Whether the character separates words of a name. */
static bool is_sign(char ch)
{
    return ch == '/' || ch == '.' || ch == '_' || ch == ':' || ch == '-';
}

static const char *text_at(const struct fsd_code_group *g, uint32_t block,
                           uint32_t slot)
{
    return g->blocks.at[block]->slots.at[slot].text;
}

/* Finds what the texts of a hole have in common. Sets g->before to the number of bytes
 * that are equal at the front, and g->behind to the number at the end. Only whole words
 * count (is_sign()). Returns false if all texts are equal. */
static bool find_common(struct fsd_code_group *g, uint32_t slot)
{
    const char *first = text_at(g, 0, slot);
    size_t before = strlen(first), behind, least = before;
    bool same = true;

    behind = before;
    for (uint32_t i = 1; i < g->blocks.n; i++) {
        const char *text = text_at(g, i, slot);
        size_t n = strlen(text), k = 0;

        same &= !strcmp(first, text);
        least = n < least ? n : least;
        while (k < before && first[k] == text[k])
            k++;
        before = k;
        for (k = 0;
             k < behind && k < n && first[strlen(first) - 1 - k] == text[n - 1 - k];)
            k++;
        behind = k;
    }
    while (before && !is_sign(first[before - 1]))
        before--;
    behind = behind > least - before ? least - before : behind;
    while (behind && !is_sign(first[strlen(first) - behind]))
        behind--;
    g->before[slot] = (uint32_t)before;
    g->behind[slot] = (uint32_t)behind;
    return !same;
}

/* Sets *each, indexed by block: the text of the hole, without what all blocks share at
 * its front and at its end. Returns a symbol of `known`. Two holes get the same symbol
 * if, in every block, they have the same text in *each. */
static fsd_sym left_of(struct fsd_code *c, struct fsd_code_group *g, uint32_t slot,
                       struct fsd_intern *known, const char ***each)
{
    struct fsd_code_words w = {.arena = c->arena};

    *each = FSD_NEW(c->arena, const char *, g->blocks.n);
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const char *text = text_at(g, i, slot);
        size_t n = strlen(text) - g->before[slot] - g->behind[slot];

        (*each)[i] = fsd_arena_strndup(c->arena, text + g->before[slot], n);
        fsd_words_printf(&w, "%zu:", n);
        fsd_words_put(&w, (*each)[i]);
    }
    return fsd_intern_add(known, w.text.at, w.text.n);
}

static void find_parameters(struct fsd_code *c, struct fsd_code_group *g)
{
    struct fsd_intern *known = fsd_intern_new(c->arena);
    uint32_t n = g->blocks.at[0]->slots.n;

    g->parameter = FSD_NEW(c->arena, uint32_t, n + 1);
    g->before = FSD_NEW(c->arena, uint32_t, n + 1);
    g->behind = FSD_NEW(c->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const char **each;

        if (g->blocks.at[0]->slots.at[i].kind != FSD_SLOT_STRING || !find_common(g, i))
            continue;
        g->parameter[i] = left_of(c, g, i, known, &each);
        if (g->parameter[i] > g->parameters.n) {
            fsd_vec_push(c->arena, &g->parameters, each);
            fsd_vec_push(c->arena, &g->uses, 0);
        }
        g->uses.at[g->parameter[i] - 1]++;
    }
}

struct fsd_code_group fsd_code_group_of(struct fsd_code *c, uint32_t first)
{
    struct fsd_code_group g = {0};

    uint32_t i = first;

    do {
        fsd_vec_push(c->arena, &g.blocks, &c->blocks.at[i]);
        i = c->blocks.at[i].next;
    } while (i != FSD_NONE);
    find_parameters(c, &g);
    return g;
}
