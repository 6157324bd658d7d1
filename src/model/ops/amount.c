/*
 * Polynomials in dynamic sizes, with integer coefficients.  Terms are stored in a fixed
 * order, so that equal polynomials have the same spelling.  The spelling identifies a
 * polynomial in struct fsd_amounts, and reports print the spelling.  Polynomials are
 * small because a shape has few dynamic sizes.
 */
#include "model/ops/amount.h"
#include "base/base.h"

#include <inttypes.h>

enum { TERMS = 8, DEGREE = 8, QUOTIENTS = 256, NAME = 160 };

static const int64_t most = INT64_C(1) << 62;

struct term {
    int64_t by;
    uint32_t degree;
    fsd_sym of[DEGREE]; /* the names of the sizes, ascending; a size to the power of n
                           occurs n times */
};

struct poly {
    uint32_t n;
    struct term at[TERMS];
};

/* The size floor(of / by): `of` is an amount, and `by` is a number.  The size gets a
 * name, such as "floor(H/2)". */
struct quotient {
    fsd_sym name;
    int64_t of, by;
};

struct fsd_amounts {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    FSD_VEC(struct quotient) quotients; /* few, because a model has few dynamic sizes */
    struct fsd_intern *spelt;           /* gives each spelling a symbol */
    FSD_VEC(struct poly) polys;         /* indexed by symbol - 1 */
};

struct fsd_amounts *fsd_amounts_new(struct fsd_arena *arena, struct fsd_intern *names)
{
    struct fsd_amounts *t = FSD_NEW(arena, struct fsd_amounts, 1);

    t->arena = arena;
    t->names = names;
    t->spelt = fsd_intern_new(arena);
    return t;
}

/* -------------------------------------------------------------------- spelling */

static const struct quotient *quotient_named(const struct fsd_amounts *t, fsd_sym name)
{
    for (uint32_t i = 0; i < t->quotients.n; i++)
        if (t->quotients.at[i].name == name)
            return &t->quotients.at[i];
    return NULL;
}

static void spell_term(const struct fsd_amounts *t, const struct term *term, FILE *out)
{
    uint64_t by = term->by < 0 ? -(uint64_t)term->by : (uint64_t)term->by;
    const char *name;
    bool plain;

    if (by != 1 || !term->degree)
        fprintf(out, "%" PRIu64 "%s", by, term->degree ? "*" : "");
    for (uint32_t i = 0, power; i < term->degree; i += power) {
        for (power = 1; i + power < term->degree && term->of[i + power] == term->of[i];)
            power++;
        fputs(i ? "*" : "", out);
        /* A name may be any text, such as "2*s0 + 1".  Such a name is put in
         * parentheses. */
        name = fsd_text(t->names, term->of[i]);
        plain = *name && !fsd_is_digit(*name);
        for (const char *c = name; *c && plain; c++)
            plain = fsd_is_word(*c) || strchr(".[]:/", *c) || *c & 0x80;
        fprintf(out, plain || quotient_named(t, term->of[i]) ? "%s" : "(%s)", name);
        if (power > 1)
            fprintf(out, "^%u", power);
    }
}

static fsd_sym spell(struct fsd_amounts *t, const struct poly *p)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    for (uint32_t i = 0; i < p->n; i++) {
        bool minus = p->at[i].by < 0;

        fputs(i ? (minus ? " - " : " + ") : (minus ? "-" : ""), out);
        spell_term(t, &p->at[i], out);
    }
    return fsd_print_sym(&print, t->spelt);
}

/* ---------------------------------------------------------------------- normal form */

/* Compares two terms: the higher degree comes first; among equal degrees, the order of
 * the symbols decides. */
static int order(const struct term *a, const struct term *b)
{
    if (a->degree != b->degree)
        return a->degree > b->degree ? -1 : 1;
    for (uint32_t i = 0; i < a->degree; i++)
        if (a->of[i] != b->of[i])
            return a->of[i] < b->of[i] ? -1 : 1;
    return 0;
}

/* Inserts a term into a polynomial.  Returns false if the polynomial is full or a
 * number is too large. */
static bool add_term(struct poly *p, const struct term *term)
{
    uint32_t at = 0;

    while (at < p->n && order(&p->at[at], term) < 0)
        at++;
    if (at < p->n && !order(&p->at[at], term)) {
        p->at[at].by += term->by;
        if (p->at[at].by > most || p->at[at].by < -most)
            return false;
        if (!p->at[at].by)
            memmove(&p->at[at], &p->at[at + 1], (--p->n - at) * sizeof *p->at);
        return true;
    }
    if (p->n == TERMS)
        return false;
    memmove(&p->at[at + 1], &p->at[at], (p->n++ - at) * sizeof *p->at);
    p->at[at] = *term;
    return true;
}

static struct poly open_up(const struct fsd_amounts *t, int64_t a)
{
    struct poly p = {0};

    if (a < 0)
        return t->polys.at[-2 - a];
    p.n = a > 0;
    p.at[0].by = a;
    return p;
}

static int64_t close_up(struct fsd_amounts *t, const struct poly *p)
{
    fsd_sym sym;

    if (!p->n)
        return 0;
    if (p->n == 1 && !p->at[0].degree && p->at[0].by > 0)
        return p->at[0].by;
    sym = spell(t, p);
    if (sym == FSD_NONE)
        return -1;
    if (sym > t->polys.n) /* a new polynomial; polynomials begin at symbol 1, because
                             symbol 0 is the empty text */
        fsd_vec_push(t->arena, &t->polys, *p);
    return -1 - (int64_t)sym;
}

int64_t fsd_amount_named(struct fsd_amounts *t, fsd_sym name)
{
    struct poly p = {.n = 1, .at = {{.by = 1, .degree = 1, .of = {name}}}};

    return close_up(t, &p);
}

int64_t fsd_amount_of(struct fsd_amounts *t, int64_t number)
{
    struct poly p = {.n = 1, .at = {{.by = number}}};

    if (number > most || number < -most)
        return -1;
    return number >= 0 ? number : close_up(t, &p);
}

/* ------------------------------------------------------------------ arithmetic */

static int64_t add(struct fsd_amounts *t, int64_t a, int64_t b, int64_t sign)
{
    struct poly p, q;

    if (a == -1 || b == -1)
        return -1;
    p = open_up(t, a);
    q = open_up(t, b);
    for (uint32_t i = 0; i < q.n; i++) {
        q.at[i].by *= sign;
        if (!add_term(&p, &q.at[i]))
            return -1;
    }
    return close_up(t, &p);
}

int64_t fsd_plus(struct fsd_amounts *t, int64_t a, int64_t b)
{
    if (a >= 0 && b >= 0)
        return a > most - b ? -1 : a + b;
    return add(t, a, b, 1);
}

int64_t fsd_minus(struct fsd_amounts *t, int64_t a, int64_t b)
{
    return a >= b && b >= 0 ? a - b : add(t, a, b, -1);
}

static bool multiply(const struct term *a, const struct term *b, struct term *out)
{
    uint32_t i = 0, k = 0;

    out->degree = a->degree + b->degree;
    if (out->degree > DEGREE || __builtin_mul_overflow(a->by, b->by, &out->by) ||
        out->by > most || out->by < -most)
        return false;
    for (uint32_t n = 0; n < out->degree; n++)
        out->of[n] = k == b->degree || (i < a->degree && a->of[i] <= b->of[k])
                         ? a->of[i++]
                         : b->of[k++];
    return true;
}

int64_t fsd_times(struct fsd_amounts *t, int64_t a, int64_t b)
{
    struct poly p, q, product;

    if (a == -1 || b == -1)
        return -1;
    if (a >= 0 && b >= 0)
        return b && a > most / b ? -1 : a * b;
    p = open_up(t, a);
    q = open_up(t, b);
    product.n = 0;
    for (uint32_t i = 0; i < p.n; i++)
        for (uint32_t k = 0; k < q.n; k++) {
            struct term term = {0};

            if (!multiply(&p.at[i], &q.at[k], &term) || !add_term(&product, &term))
                return -1;
        }
    return close_up(t, &product);
}

/* Returns a new size for a quotient, with a name like "floor((H - 1)/2)". */
static int64_t name_quotient(struct fsd_amounts *t, int64_t a, int64_t by)
{
    const char *text = fsd_amount_text(t, a);
    char name[NAME];
    fsd_sym sym;
    int n;

    if (!text)
        return -1;
    n = snprintf(name, sizeof name,
                 strchr(text, ' ') ? "floor((%s)/%" PRId64 ")"
                                   : "floor(%s/%" PRId64 ")",
                 text, by);
    if (n < 0 || n >= NAME)
        return -1;
    sym = fsd_intern_add(t->names, name, (size_t)n);
    if (!quotient_named(t, sym)) {
        if (t->quotients.n == QUOTIENTS)
            return -1;
        fsd_vec_push(t->arena, &t->quotients, ((struct quotient){sym, a, by}));
    }
    return fsd_amount_named(t, sym);
}

/* Divides an amount by a number.  A quotient in a quotient becomes one quotient:
 * floor((floor(x/m) + c)/n) is floor((x + c*m)/(m*n)). */
static int64_t divide(struct fsd_amounts *t, int64_t a, int64_t by)
{
    struct poly p = open_up(t, a);
    bool alone = p.n == 1 || (p.n == 2 && !p.at[1].degree); /* the polynomial is one
                                                               term, or one term and a
                                                               number */
    const struct quotient *q = alone && p.at[0].degree == 1 && p.at[0].by == 1
                                   ? quotient_named(t, p.at[0].of[0])
                                   : NULL;
    int64_t of, more;

    if (!q)
        return name_quotient(t, a, by);
    if (q->by > INT32_MAX || by > INT32_MAX)
        return -1;
    of = q->of;
    by *= q->by;
    more = fsd_times(t, fsd_amount_of(t, p.n == 2 ? p.at[1].by : 0), q->by);
    return fsd_over(t, fsd_plus(t, of, more), by);
}

/* If possible, divides term by term, and rounds the constant term down: (4*H - 3) / 2
 * is 2*H - 2.  If `by` does not divide the coefficient of a size, the result is one
 * quotient: H / 2 is floor(H/2). */
int64_t fsd_over(struct fsd_amounts *t, int64_t a, int64_t by)
{
    struct poly p;

    if (a == -1 || by < 1)
        return -1;
    if (a >= 0)
        return a / by;
    p = open_up(t, a);
    for (uint32_t i = 0; i < p.n; i++) {
        bool even = p.at[i].by % by == 0;

        if (!even && p.at[i].degree)
            return divide(t, a, by);
        p.at[i].by = p.at[i].by / by - (!even && p.at[i].by < 0);
        if (!p.at[i].by)
            p.n--; /* drops the constant term, which is the last one */
    }
    return close_up(t, &p);
}

/* --------------------------------------------------------------------- reading */

bool fsd_amount_number(const struct fsd_amounts *t, int64_t a, int64_t *number)
{
    *number = a;
    if (a >= 0)
        return true;
    if (a == -1 || t->polys.at[-2 - a].at[0].degree)
        return false;
    *number = t->polys.at[-2 - a].at[0].by;
    return true;
}

int64_t fsd_size(int64_t number)
{
    return number < 0 || number > most ? -1 : number;
}

bool fsd_amount_is_open(const struct fsd_amounts *t, int64_t a)
{
    return a < -1 && t->polys.at[-2 - a].at[0].degree;
}

/* A polynomial without negative coefficients is a count, because a size is never
 * negative.  A quotient, however, may be negative if its dividend may be negative. */
bool fsd_amount_is_count(const struct fsd_amounts *t, int64_t a)
{
    if (a >= 0 || a == -1)
        return a >= 0;
    FSD_EACH (const struct term, term, t->polys.at[-2 - a]) {
        if (term->by < 0)
            return false;
        for (uint32_t k = 0; k < term->degree; k++) {
            const struct quotient *q = quotient_named(t, term->of[k]);

            if (q && !fsd_amount_is_count(t, q->of))
                return false;
        }
    }
    return true;
}

const char *fsd_amount_text(const struct fsd_amounts *t, int64_t a)
{
    return fsd_amount_is_open(t, a) ? fsd_text(t->spelt, (fsd_sym)(-1 - a)) : NULL;
}
