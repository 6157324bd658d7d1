/*
 * Finds and reports the places that the rows of lint rules describe (place.h). The
 * places are reported in the order of the model's nodes. If several rows of a rule
 * match a node, only the first of these rows counts.
 */
#include "base/base.h"
#include "judge/findings/place.h"

#include <inttypes.h>

/* ---------------------------------------------------------------- words of forms */

static fsd_id node_of(const struct fsd_quantizer *q)
{
    return q ? q->node : FSD_NONE;
}

/* The Q of a chain Q -> DQ -> consumer whose DQ outputs the tensor; FSD_NONE if there
 * is no such chain, or if the Q or the DQ has several consumers. */
static fsd_id own_pair(const struct fsd_lint *l, fsd_id tensor)
{
    const struct fsd_quantizer *dq = fsd_lint_holder(l, tensor);
    fsd_id q = node_of(fsd_lint_q_of(l, dq));
    fsd_id reader = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, q, 0));

    return dq && reader == dq->node && tensor == fsd_node_out_tensor(l->g, reader, 0) &&
                   fsd_tensor_only_reader(l->g, tensor) != FSD_NONE
               ? q
               : FSD_NONE;
}

static bool adds_two(const struct fsd_attempt *a, fsd_id node)
{
    return fsd_form_is(a->facts, node, "Add|Sum") && a->g->nodes.at[node].in.n == 2 &&
           !fsd_form_is_constant(a, fsd_node_in_tensor(a->g, node, 0)) &&
           !fsd_form_is_constant(a, fsd_node_in_tensor(a->g, node, 1));
}

static bool leads(const struct fsd_attempt *a, const char *word, size_t length,
                  fsd_id tensor, fsd_id *node)
{
    const struct fsd_lint *l = ((const struct fsd_place *)a->of)->l;
    const struct fsd_quantizer *held = fsd_lint_holder(l, tensor);
    fsd_id made = fsd_tensor_producer(l->g, tensor);
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, made);

#define IS(name) (length == sizeof(name) - 1 && !memcmp(word, name, length))
    if (IS("bare"))
        return !held;
    if (IS("held") || IS("pair"))
        *node = node_of(IS("held") ? held : fsd_lint_q_of(l, held));
    else if (IS("own"))
        *node = own_pair(l, tensor);
    else if (IS("conv"))
        *node = fsd_lint_conv_behind(l, tensor);
    else if (made != FSD_NONE &&
             (IS("sum")        ? adds_two(a, made)
              : IS("weighted") ? (l->facts->traits[made] & FSD_OP_WEIGHTED) != 0
                               : q && (IS("quantizer") || q->quantizes == IS("q"))))
        *node = made;
#undef IS
    return *node != FSD_NONE;
}

/* --------------------------------------------------------------------- one place */

static void put_sentence(const struct fsd_place *p)
{
    FILE *out = p->f->out;
    uint32_t n = p->f->now.nodes.n;
    const char *at = p->row->says, *word, *end, *other;

    for (; (word = strchr(at, '{')); at = end + 1) {
        fwrite(at, 1, (size_t)(word++ - at), out);
        end = word + strcspn(word, "}");
        if (*word == '\'')
            fprintf(out, "`%s`", fsd_lint_tensor(p->f, fsd_place_tensor(p, word[1])));
        else if (*word >= '0' && *word <= '9')
            fprintf(out, "%" PRId64, p->number[*word - '0']);
        else if (*word == 'A' || *word == 'B')
            fputs(p->text[*word - 'A'], out);
        else if (*word == '#')
            fprintf(out, "%u", n);
        else if (*word != '?')
            fprintf(out, "`%s`", fsd_called(p->f, fsd_place_node(p, *word)));
        else if ((other = strchr(word, '|')))
            fprintf(out, "%.*s", (int)(n == 1 ? other - word : end - other) - 1,
                    n == 1 ? word + 1 : other + 1);
    }
    fputs(at, out);
}

/* Proposes to move the pair. If the Q's input has other consumers, these consumers
 * would read rounded values after the move, so nothing is proposed. */
static void propose_move(const struct fsd_place *p, fsd_id to)
{
    const struct fsd_quantizer *q = fsd_place_q(p, p->row->move);

    if (q && to != FSD_NONE && fsd_tensor_only_reader(p->l->g, q->data) == q->node)
        fsd_edit_move(p->f, q, to, p->row->input,
                      p->row->inserted ? p->row->inserted : p->inserted);
}

static void propose(const struct fsd_place *p)
{
    const struct fsd_place_row *row = p->row;
    fsd_id node = row->insert ? fsd_place_node(p, row->insert) : FSD_NONE;

    for (const char *at = row->remove; at && *at; at++)
        if (fsd_place_q(p, *at))
            fsd_edit_remove(p->f, fsd_place_q(p, *at), row->removed);
    if (row->move)
        propose_move(p, node);
    else if (node != FSD_NONE)
        fsd_edit_insert(p->f, node, row->input == FSD_INPUT_SET ? p->input : row->input,
                        row->like ? fsd_place_q(p, row->like) : p->like,
                        row->inserted ? row->inserted : p->inserted);
}

static void describe(struct fsd_place *p)
{
    for (const char *letter = p->row->about; *letter; letter++)
        fsd_about_node(p->f, fsd_place_node(p, *letter));
    p->f->note = p->row->note || (p->f->rule->notes & p->l->target.family);
    if (!p->f->note && p->row->propose)
        p->row->propose(p);
    else if (!p->f->note)
        propose(p);
}

/* --------------------------------------------------------------------- all places */

static bool holds(struct fsd_attempt *a)
{
    struct fsd_place *p = a->of;

    return !p->row->holds || p->row->holds(p);
}

enum { MOST_ROWS = 7, ASKED = 1 << MOST_ROWS };

/* The rows of one rule. */
struct rows {
    const struct fsd_place_row *at[MOST_ROWS];
    unsigned traits[MOST_ROWS]; /* indexed by row: the node must have one of these
                                   traits; 0: any node */
    uint32_t n;
};

/* The traits that the first word of a form stands for. A node matches the word if it
 * has one of these traits. Returns 0 if the word stands for no traits, for example if
 * it is the name of an operator. */
static unsigned traits_of(const char *form)
{
    static const struct {
        const char *word;
        unsigned traits;
    } words[] = {{"=%sum", FSD_OP_SYMMETRIC},
                 {"=%weighted", FSD_OP_WEIGHTED},
                 {"=%quantizer", FSD_OP_QDQ},
                 {"=%q", FSD_OP_QUANTIZE},
                 {"=%dq", FSD_OP_DEQUANTIZE}};
    size_t length = strcspn(form + 1, "(> ");

    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (strlen(words[i].word) == length &&
            !strncmp(form + 1, words[i].word, length))
            return words[i].traits;
    return 0;
}

static struct rows rows_of(const char *rule)
{
    static const struct fsd_place_row *const all[] = {
        fsd_rows_of_place, fsd_rows_of_scale, fsd_rows_of_products, fsd_rows_of_build};
    struct rows rows = {.n = 0};

    for (size_t i = 0; i < FSD_COUNT_OF(all); i++)
        for (const struct fsd_place_row *row = all[i]; row->rule; row++)
            if (!strcmp(row->rule, rule) && rows.n < MOST_ROWS) {
                rows.traits[rows.n] = traits_of(row->form);
                rows.at[rows.n++] = row;
            }
    return rows;
}

/* The first row that matches the node; NULL if none does.
 * @param may indexed by operator: bit i is set if row i may match the operator. The bit
 *         ASKED is set if these bits are known. The elements must be 0 before the first
 *         call; each is computed when it is first needed */
static const struct fsd_place_row *row_at(struct fsd_place *p, fsd_id node,
                                          const struct rows *rows, uint8_t *may)
{
    fsd_sym op = p->l->g->nodes.at[node].op;
    unsigned traits = p->l->facts->traits[node];

    if (op >= FSD_ONNX__COUNT)
        return NULL;
    for (uint32_t i = 0; i < rows->n && !(may[op] & ASKED); i++)
        may[op] |=
            (uint8_t)(fsd_form_may_end(rows->at[i]->form, fsd_text(p->l->g->names, op))
                      << i);
    may[op] |= ASKED;
    for (uint32_t i = 0; may[op] != ASKED && i < rows->n; i++) {
        p->row = rows->at[i];
        if ((may[op] >> i & 1) && (!rows->traits[i] || (traits & rows->traits[i])) &&
            fsd_form_fits(&p->fit, p->row->form, node, holds))
            return p->row;
    }
    return NULL;
}

void fsd_lint_places(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    const struct rows rows = rows_of(f->rule->id);
    uint32_t listed = 0;
    uint8_t may[FSD_ONNX__COUNT] = {0};
    struct fsd_place *p = FSD_NEW(f->scratch, struct fsd_place, 1);

    *p = (struct fsd_place){.f = f, .l = l};
    p->fit = (struct fsd_attempt){.facts = l->facts, .g = l->g, .word = leads, .of = p};
    for (fsd_id node = 0; node < l->g->nodes.n; node++) {
        const struct fsd_place_row *row = row_at(p, node, &rows, may);

        if (!row)
            continue;
        if (!row->listed || !listed++)
            fsd_finding_open(f);
        f->now.listed = row->listed;
        describe(p);
        if (row->listed)
            continue;
        put_sentence(p);
        fsd_lint_close(f);
    }
    if (!listed)
        return;
    put_sentence(p);
    fputs(": ", f->out);
    fsd_put_subjects(f, f->now.nodes);
    fsd_lint_close(f);
}
