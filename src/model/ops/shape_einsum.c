/*
 * Shapes and multiply-adds of Einsum, such as "bij,bjk->bik" or "...ij,...jk->...ik".
 *
 * The size of a letter is the size of the dimension that it labels in the operands.  If
 * one operand has a letter twice, the operator takes the diagonal.  The dimensions of
 * "..." are broadcast; the result has them where the text after the arrow has "...".
 * Without an arrow, the result has the dimensions of "..." first, and then the letters
 * that occur once, in alphabetical order.
 */
#include "model/ops/rule.h"

struct equation {
    int64_t size['z' + 1]; /* indexed by letter */
    uint32_t uses['z' + 1];
    struct fsd_shape rest; /* the dimensions of "..." */
    const char *result;    /* the text after the arrow; NULL: there is no arrow */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Updates the size of a letter with `by`, the size of a dimension with this letter.
 * Replaces `*size` only if it is 1 (broadcast) or -1 (unknown). */
static void take_size(int64_t *size, int64_t by)
{
    if (*size == 1 || *size == -1)
        *size = by;
}

/* Reads an operand of the equation, from `at` to the next ',' or the end.  Returns the
 * position of its end, or NULL if the shape does not match. */
static const char *read_operand(const char *at, const struct fsd_shape *x,
                                struct equation *e)
{
    uint32_t letters = 0, axis = 0;
    const char *s = at;

    for (; *s && *s != ',' && *s != '-'; s++)
        letters += is_letter(*s);
    if (!x->ranked || letters > x->rank)
        return NULL;
    for (s = at; *s && *s != ',' && *s != '-'; s++) {
        unsigned letter = (unsigned char)*s;

        if (is_letter(*s) && axis < x->rank) {
            if (!e->uses[letter]++)
                e->size[letter] = -1;
            take_size(&e->size[letter], x->dims[axis++]);
        } else if (!strncmp(s, "...", 3)) {
            struct fsd_shape rest = {.ranked = true};

            for (uint32_t n = x->rank - letters; n--; axis++)
                rest.dims[rest.rank++] = x->dims[axis];
            fsd_shape_broadcast(&e->rest, &rest, 0);
            letters = x->rank; /* the first "..." took all dimensions, so a second one
                                  has none */
            s += 2;
        } else if (*s != ' ') {
            return NULL;
        }
    }
    return axis == x->rank ? s : NULL;
}

static bool read_equation(const struct fsd_op_case *c, struct equation *e)
{
    const char *s = fsd_case_word(c, "equation");
    uint32_t n = c->g->nodes.at[c->node].in.n;

    *e = (struct equation){.rest = {.ranked = true}};
    for (uint32_t k = 0; k < n; k++) {
        s = read_operand(s, fsd_shape_in(c, k), e);
        if (!s || (k + 1 < n && *s++ != ','))
            return false;
    }
    e->result = *s == '-' && s[1] == '>' ? s + 2 : NULL;
    return n && (e->result || !*s);
}

static bool put(struct fsd_shape *out, int64_t size)
{
    if (out->rank == FSD_SHAPE_RANK)
        return false;
    out->dims[out->rank++] = size;
    return true;
}

static bool put_rest(struct fsd_shape *out, const struct equation *e)
{
    for (uint32_t k = 0; k < e->rest.rank; k++)
        if (!put(out, e->rest.dims[k]))
            return false;
    return true;
}

bool fsd_shape_einsum(const struct fsd_op_case *c, struct fsd_shape *out)
{
    struct equation e;

    if (!read_equation(c, &e))
        return false;
    out->ranked = true;
    if (!e.result && !put_rest(out, &e))
        return false;
    for (unsigned letter = 'A'; !e.result && letter <= 'z'; letter++)
        if (e.uses[letter] == 1 && !put(out, e.size[letter]))
            return false;
    for (const char *s = e.result; s && *s; s++) {
        bool done = *s == ' ';

        if (is_letter(*s) && e.uses[(unsigned char)*s])
            done = put(out, e.size[(unsigned char)*s]);
        else if (!strncmp(s, "...", 3) && (done = put_rest(out, &e)))
            s += 2;
        if (!done)
            return false;
    }
    return true;
}

/* If an Einsum of two operands sums over a letter, its multiply-adds are the product of
 * the sizes of all letters and of all dimensions of "...".  If an Einsum sums over no
 * letter, or has only one operand, it has no multiply-adds.  With three or more
 * operands, the number is unknown, because the builder chooses the order of the
 * products. */
int64_t fsd_macs_einsum(const struct fsd_op_case *c)
{
    struct equation e;
    int64_t n;
    bool sums = false;

    if (!read_equation(c, &e) || c->g->nodes.at[c->node].in.n > 2)
        return -1;
    n = fsd_shape_count(c->t, &e.rest);
    for (unsigned letter = 'A'; letter <= 'z'; letter++) {
        if (!e.uses[letter])
            continue;
        sums |= e.result ? !strchr(e.result, (int)letter) : e.uses[letter] > 1;
        n = fsd_times(c->t, n, e.size[letter]);
    }
    return sums && c->g->nodes.at[c->node].in.n == 2 ? n : 0;
}

enum { LETTERS = 'z' + 1 };

/* Collects the letters of the operand at the beginning of `s`. */
static void take_letters(bool letters[LETTERS], const char *s)
{
    for (; *s && *s != ',' && *s != '-'; s++)
        if (is_letter(*s))
            letters[(unsigned char)*s] = true;
}

/* Whether the letter occurs in a later operand or in the result. */
static bool is_needed(const char *behind, const char *end, char letter)
{
    for (; behind < end; behind++)
        if (*behind == letter)
            return true;
    return false;
}

uint32_t fsd_op_multiplies(const struct fsd_graph *g, fsd_id node, uint32_t *sums)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], "equation");
    const char *s =
        attr && attr->kind == FSD_ATTR_STRING ? fsd_text(g->names, attr->s) : "";
    const char *end = s + strlen(s);
    bool letters[LETTERS] = {false};
    uint32_t n = 0;

    *sums = 0;
    if (!fsd_node_is(g, node, FSD_ONNX_Einsum) || !strstr(s, "->"))
        return 0;
    take_letters(letters, s);
    for (s = strchr(s, ','); s && n < 31; n++, s = strchr(s, ',')) {
        const char *behind;

        s++;
        behind = s + strcspn(s, ",-");
        take_letters(letters, s);
        for (unsigned letter = 'A'; letter <= 'z'; letter++)
            if (letters[letter] && !is_needed(behind, end, (char)letter)) {
                *sums |= UINT32_C(1) << n;
                letters[letter] = false;
            }
    }
    return s || n + 1 != g->nodes.at[node].in.n ? 0 : n;
}
