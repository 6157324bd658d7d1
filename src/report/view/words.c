/* Explains words: ids of rules, ids of fusion rules, and words that occur in engines.
 * If a name such as "sm80_xmma_fprop_..." is unknown, explains the words in it. */
#include "base/base.h"
#include "judge/gate/gate.h"
#include "judge/lint/fusion.h"
#include "model/graph/word.h"
#include "read/engine/glossary.h"
#include "report/view/view.h"

/* clang-format off */
#define WORD_ROW(has, set, when, t) \
    has(t, TEXT, word,   "word") \
    has(t, TEXT, kind,   "kind") \
    has(t, TEXT, level,  "level") \
    has(t, TEXT, budget, NULL) \
    has(t, TEXT, what,   "what") \
    has(t, TEXT, why,    "why") \
    has(t, TEXT, fix,    "what to do") \
    has(t, TEXT, source, "source") \
    has(t, TEXT, accept, NULL)
FSD_RECORD(word_row, WORD_ROW)

#define ANSWER(has, set, when, t) \
    has(t, ROWS, words, "Words", .of = &word_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

#define WHOLE                                                                          \
    "{*}{word}{/}  ({kind}<, {level}><, {budget}>)\n"                                  \
    "what    {what}\n<why     {why}\n><fix     {fix}\n><source  {source}\n>"           \
    "<accept  {accept}\n>"

static void add_rule(struct fsd_rows *rows, const struct fsd_rule *rule)
{
    struct word_row *row = fsd_rows_add(rows);

    row->word = rule->id;
    row->kind = "rule";
    row->level = fsd_level_name(rule->level);
    row->budget = fsd_rule_budgets(rows->arena, rule);
    row->what = rule->doc;
    row->why = rule->why;
    row->fix = rule->fix;
    row->source = rule->source;
    row->accept = fsd_rule_accept(rows->arena, rule);
}

static void add_term(struct fsd_rows *rows, const struct fsd_gloss *term)
{
    struct word_row *row = fsd_rows_add(rows);

    row->word = term->word;
    row->kind = term->kind;
    row->what = term->what;
    row->why = term->why;
    row->fix = term->fix;
    row->source = term->source;
}

static void add_fusion(struct fsd_rows *rows, const struct fsd_fusion_rule *rule)
{
    struct word_row *row = fsd_rows_add(rows);

    row->word = rule->id;
    row->kind = "rule of a fusion";
    row->what = fsd_printed(rows->arena, "%s, %s: %s", fsd_pattern_name(rule->pattern),
                            fsd_fusion_found(rows->arena, rule), rule->border);
    row->why = rule->support;
    row->fix = rule->edit ? fsd_fusion_edit(rows->arena, rule) : "no edit is known";
    row->source = rule->source;
}

static enum fsd_status find_word(struct fsd_rows *rows, const char *word,
                                 struct fsd_error *err)
{
    struct fsd_nearest nearest = fsd_nearest_to(word);
    const struct fsd_rule *rule;
    const struct fsd_gloss *term;
    uint32_t n;
    const struct fsd_fusion_rule *fusions = fsd_fusion_rules(&n);
    char text[512];
    bool whole; /* the whole word is known, not only a part of it */

    for (unsigned i = 0; (rule = fsd_rule_at(i)); i++) {
        if (!strcmp(rule->id, word))
            add_rule(rows, rule);
        fsd_nearest_try(&nearest, rule->id);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!strcmp(fusions[i].id, word))
            add_fusion(rows, &fusions[i]);
        fsd_nearest_try(&nearest, fusions[i].id);
    }
    for (unsigned i = 0; (term = fsd_gloss_at(i)); i++) {
        if (fsd_gloss_is(term, word))
            add_term(rows, term);
        fsd_nearest_try(&nearest, term->word);
    }
    whole = rows->at.n > 0;
    for (unsigned i = 0; !whole && (term = fsd_gloss_at(i)); i++)
        if (fsd_gloss_in(term, word))
            add_term(rows, term);
    return rows->at.n ? FSD_OK
                      : fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                                 "expected a rule, a type of layer or a part of a "
                                 "name, found '%.100s'%s; explain --list lists all "
                                 "rules, explain --words lists all words",
                                 word, fsd_nearest_text(&nearest, text));
}

enum fsd_status fsd_view_words(struct fsd_sheet *sheet,
                               const struct fsd_request *request)
{
    const struct fsd_query *q = request->q;
    bool one = q->n_words, terms = q->by && !strcmp(q->by, "words");
    struct fsd_rows *rows = fsd_rows_new(sheet->arena, &word_row_record,
                                         one     ? WHOLE
                                         : terms ? "{word:-22} {kind}: {what}\n"
                                                 : "{word:-26} {level:-8} {what}\n");
    uint32_t n;
    const struct fsd_fusion_rule *fusions = fsd_fusion_rules(&n);
    enum fsd_status status = FSD_OK;

    if (one) {
        rows->between = "\n";
        status = find_word(rows, q->words[0], request->err);
    }
    for (unsigned i = 0; !one && !terms && fsd_rule_at(i); i++)
        add_rule(rows, fsd_rule_at(i));
    for (unsigned i = 0; !one && terms && fsd_gloss_at(i); i++)
        add_term(rows, fsd_gloss_at(i));
    for (uint32_t i = 0; !one && terms && i < n; i++)
        add_fusion(rows, &fusions[i]);
    ((struct answer *)fsd_sheet_begin(sheet, "fusiondiff-words/1", &answer_record, NULL,
                                      "{words}"))
        ->words = rows;
    return status;
}
