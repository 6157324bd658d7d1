/*
 * Chooses which consecutive rows of a list of layers get a common heading. The heading
 * is the name scope that the nodes of these rows share:
 *
 *     in /m/encoder/layers.0/self_attn:
 *        12 | 0.0328  MatrixMultiply  fp16 chw  q_proj: MatMul + Add
 *        13 + 0.0030  Reformat (layout)  fp16 chw -> fp16 chw32
 *        14 | 0.0121  MatrixMultiply  fp16 chw  k_proj: MatMul + Add
 *
 * Headings are placed where they save the most text. A heading for more rows is more
 * general, so it shortens the names in these rows less. On the other hand, each heading
 * takes a line. Rows without names fit below any heading.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/text/rows.h"

enum {
    MOST_ROWS = 64, /* maximum number of rows below one heading */
    LINE = 24       /* cost of a heading in characters, in addition to the length of its
                       path */
};

bool fsd_text_is_scope(struct fsd_text_scope a, struct fsd_text_scope b)
{
    return fsd_slice_equal(a.path, b.path) && (!a.path.n || a.sign == b.sign);
}

/* Whether `path` equals `other` or is a parent of it. */
static bool is_above(struct fsd_slice path, struct fsd_slice other, char sign)
{
    return other.n >= path.n && !memcmp(other.s, path.s, path.n) &&
           (other.n == path.n || other.s[path.n] == sign);
}

struct fsd_text_scope fsd_text_shared_scope(struct fsd_text_scope a,
                                            struct fsd_text_scope b)
{
    if (a.sign != b.sign)
        a.path.n = 0;
    while (a.path.n && !is_above(a.path, b.path, a.sign))
        do
            a.path.n--;
        while (a.path.n && a.path.s[a.path.n] != a.sign);
    return a;
}

struct fsd_text_scope fsd_text_scope_of(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node *n = &d->model->nodes.at[node];
    const char *name = fsd_text(d->names, n->name), *slash = strrchr(name, '/');

    if (n->module)
        return (struct fsd_text_scope){fsd_slice_of(fsd_text(d->names, n->module)),
                                       '.'};
    if (!slash || slash - name >= FSD_BRIEF) /* fsd_brief() cuts the name before
                                                this slash */
        slash = name;
    return (struct fsd_text_scope){{name, (size_t)(slash - name)}, '/'};
}

/* The number of characters that a heading saves.
 * @param named number of rows below the heading that have names */
static int64_t saved(struct fsd_text_scope scope, uint32_t named)
{
    int64_t n = (int64_t)scope.path.n;

    return named > 1 ? named * (n + 1) - (n + LINE) : 0;
}

/* Element i of an array of choices describes the best headings for the first i rows:
 * the sum of the characters that they save, and the last of these headings. */
struct choice {
    int64_t saved;
    uint32_t first; /* the last heading is for rows `first` to i - 1. If row i - 1
                       has no heading, `first` is i - 1 */
    struct fsd_text_scope heading;
};

static struct choice choose(const struct fsd_text_row *rows, const struct choice *best,
                            uint32_t end)
{
    struct choice made = {best[end].saved, end, {{"", 0}, 0}};
    struct fsd_text_scope scope = rows[end].scope;
    uint32_t named = 0;

    if (!rows[end].named)
        return made;
    for (uint32_t i = end + 1; i-- > 0 && end - i < MOST_ROWS;) {
        if (!rows[i].named)
            continue;
        scope = fsd_text_shared_scope(scope, rows[i].scope);
        if (!scope.path.n)
            break;
        named++;
        if (best[i].saved + saved(scope, named) > made.saved)
            made = (struct choice){best[i].saved + saved(scope, named), i, scope};
    }
    return made;
}

void fsd_text_find_headings(struct fsd_text_row *rows, uint32_t n,
                            struct fsd_arena *scratch)
{
    struct choice *best = FSD_NEW(scratch, struct choice, (size_t)n + 1);

    for (uint32_t i = 0; i < n; i++)
        best[i + 1] = choose(rows, best, i);
    for (uint32_t end = n, first; end; end = first) {
        first = best[end].first < end ? best[end].first : end - 1;
        for (uint32_t i = first; i < end; i++)
            rows[i].heading = best[end].heading;
    }
}
