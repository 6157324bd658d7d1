/*
 * Stores the facts of a build log.  A log of gigabytes must need only megabytes, so the
 * memory for its most frequent lines is bounded.  The builder times thousands of
 * kernels; only the best kernel per layer, runner and format is stored.  Lines of an
 * unknown form are counted by their first words, with one example each.  The sentences
 * of events are in one table, because every report prints them.
 */
#include "model/graph/history.h"
#include "base/base.h"
#include "model/graph/items.h"

#include <inttypes.h>

enum { MOST_FORMS = 4096, FORM_WORDS = 4, FORM_BYTES = 96 };

struct fsd_history *fsd_history_new(struct fsd_arena *arena, struct fsd_intern *names)
{
    struct fsd_history *h = FSD_NEW(arena, struct fsd_history, 1);

    h->arena = arena;
    h->names = names;
    h->builds = 1;
    return h;
}

static const char *text(const struct fsd_history *h, fsd_sym sym)
{
    return fsd_text(h->names, sym);
}

/* -------------------------------------------------------------------- rivals */

uint32_t fsd_history_rivals(const struct fsd_history *h, fsd_sym layer)
{
    uint32_t at = layer < h->rivals_of.n ? h->rivals_of.at[layer] : 0;

    return at ? at - 1 : FSD_NONE;
}

void fsd_history_rival(struct fsd_history *h, struct fsd_rival rival,
                       const char *tactic, size_t tactic_n)
{
    uint32_t n = 0;

    while (h->rivals_of.n <= rival.layer)
        fsd_vec_push(h->arena, &h->rivals_of, 0);
    rival.next = fsd_history_rivals(h, rival.layer);
    for (uint32_t i = rival.next; i != FSD_NONE; i = h->rivals.at[i].next, n++) {
        struct fsd_rival *r = &h->rivals.at[i];

        if (r->build != rival.build)
            break; /* the entries of one build are consecutive */
        if (r->runner != rival.runner || r->formats != rival.formats)
            continue;
        if (rival.ms < r->ms) {
            r->ms = rival.ms;
            r->tactic = fsd_intern_add(h->names, tactic, tactic_n);
        }
        return;
    }
    if (n >= FSD_MOST_RIVALS) {
        h->lost_rivals++;
        return;
    }
    rival.tactic = fsd_intern_add(h->names, tactic, tactic_n);
    fsd_vec_push(h->arena, &h->rivals, rival);
    h->rivals_of.at[rival.layer] = h->rivals.n;
}

/* -------------------------------------------------------------- unknown forms */

/* The form of a line is its first words, with each run of digits replaced by '#': lines
 * that differ only in numbers have the same form. */
void fsd_history_unknown(struct fsd_history *h, const char *s, size_t n)
{
    char bytes[FORM_BYTES];
    size_t k = 0;
    unsigned words = 0;
    uint32_t at;
    fsd_sym key;

    for (size_t i = 0; i < n && k < FORM_BYTES - 1; i++) {
        bool digit = s[i] >= '0' && s[i] <= '9';

        if (s[i] == ' ' && ++words == FORM_WORDS)
            break;
        if (!digit)
            bytes[k++] = s[i];
        else if (!k || bytes[k - 1] != '#')
            bytes[k++] = '#';
    }
    key = fsd_intern_find(h->names, bytes, k);
    at = key < h->unknown_of.n ? h->unknown_of.at[key] : 0;
    h->unknown_lines++;
    if (at)
        h->unknown.at[at - 1].n++;
    if (at || h->unknown.n == MOST_FORMS)
        return;
    key = fsd_intern_add(h->names, bytes, k);
    while (h->unknown_of.n <= key)
        fsd_vec_push(h->arena, &h->unknown_of, 0);
    fsd_vec_push(h->arena, &h->unknown,
                 (struct fsd_unknown_form){
                     fsd_intern_add(h->names, s, n < 240 ? n : 240), key, 1});
    h->unknown_of.at[key] = h->unknown.n;
}

/* ------------------------------------------------------------------- sentences */

/* The name of each kind of event, and its sentence.  In the sentence, %P stands for the
 * pass, %A, %B and %T for a, b and text, and %M for text as a list of members. */
static const struct {
    const char *name, *sentence;
} kinds[] = {
    [FSD_EVENT_STAGE] = {"stage", "%A: %T layers"},
    [FSD_EVENT_TRY] = {"try", "%P looked at %A"},
    [FSD_EVENT_FUSE] = {"fuse", "%P fused %A with %B"},
    [FSD_EVENT_INTO] = {"fuse into", "%P fused %A into %B"},
    [FSD_EVENT_REMOVE] = {"remove", "%P removed %A"},
    [FSD_EVENT_SWAP] = {"swap", "%A was swapped with %B"},
    [FSD_EVENT_RETYPE] = {"retype", "the type of %A was changed from %T"},
    [FSD_EVENT_MERGE] = {"merge", "%A were merged into one layer"},
    [FSD_EVENT_DUPLICATE] = {"duplicate", "%A was removed, because it duplicates %B"},
    [FSD_EVENT_CONCAT] =
        {"concat",
         "the concatenation %A was removed: the layers before it write directly "
         "into its output"},
    [FSD_EVENT_SLICE] = {"slice", "the slice %A was removed%T"},
    [FSD_EVENT_RETARGET] = {"retarget",
                            "tensor %A was replaced by a part or all of tensor %B"},
    [FSD_EVENT_COPY] =
        {"copy", "the builder inserted a layer that copies %A to %B, because %T"},
    [FSD_EVENT_REFORMAT] = {"reformat",
                            "the builder added '%A', which converts tensor %B from %T"},
    [FSD_EVENT_REGISTER] = {"register", "the parser created layer %A for node %B"},
    [FSD_EVENT_MEMBERS] = {"members", "%A holds %M"},
    [FSD_EVENT_PATTERN] = {"pattern", "%A was recognized as part of the %T pattern"},
    [FSD_EVENT_TUNED] = {"tuned",
                         "the builder measured kernels for %A, fastest first: %T"},
    [FSD_EVENT_WARNING] = {"warning", "%T"},
    [FSD_EVENT_SKIP] = {"skip", "%P was skipped: %T"},
    [FSD_EVENT_FALLBACK] = {"fallback", "%A was moved from the DLA to the GPU: %T"},
    [FSD_EVENT_ADD] = {"add", "%P added %B on %A"},
};
_Static_assert(FSD_COUNT_OF(kinds) == FSD__EVENT_COUNT, "a row a kind");

/* Prints the members of a region: "[ONNX Layer: a]\x1e[ONNX Layer: b]" as "a, b".  If
 * the list is long, prints only the first members and the number of the others, because
 * reports may print the list for each node of the region. */
static void put_members(const char *text, FILE *out)
{
    enum { SHOWN = 4 };
    const char *at = strstr(text, FSD_ITEM_OPENING);
    struct fsd_slice list = fsd_slice_of(at ? at : ""), rest = list, item;
    uint32_t n_shown = 0, n = 0;

    if (!at)
        fputs(text, out);
    while (fsd_items_next(&rest, &item))
        n++;
    while (fsd_items_next(&list, &item)) {
        fputs(n_shown ? ", " : "", out);
        if (n_shown++ == SHOWN && n > SHOWN + 1) {
            fprintf(out, "and %u more", n - SHOWN);
            return;
        }
        fprintf(out, "%.*s", (int)item.n, item.s);
    }
}

void fsd_put_event(const struct fsd_history *h, const struct fsd_event *e, FILE *out)
{
    for (const char *s = kinds[e->kind].sentence; *s; s++) {
        if (*s != '%') {
            putc(*s, out);
            continue;
        }
        switch (*++s) {
        case 'P':
            fputs(e->pass ? text(h, e->pass) : "the builder", out);
            break;
        case 'A':
            fputs(text(h, e->a), out);
            break;
        case 'B':
            fputs(text(h, e->b), out);
            break;
        case 'M':
            put_members(text(h, e->text), out);
            break;
        default:
            fputs(text(h, e->text), out);
        }
    }
    if (e->kind == FSD_EVENT_REMOVE && e->b && e->b != e->a)
        fprintf(out, ", looking at %s", text(h, e->b));
    if (e->kind == FSD_EVENT_ADD && e->text)
        fprintf(out, " %s", text(h, e->text));
}

/* ------------------------------------------------------------------------ dump */

FSD_ORDERED(more_first, struct fsd_unknown_form, fsd_order(y->n, x->n),
            fsd_order(x->key, y->key))

void fsd_history_dump(const struct fsd_history *h, FILE *out)
{
    uint32_t counts[FSD__EVENT_COUNT] = {0};
    uint64_t listed = 0;
    struct fsd_unknown_form *forms =
        FSD_NEW(h->arena, struct fsd_unknown_form, h->unknown.n);

    for (uint32_t i = 0; i < h->events.n; i++)
        counts[h->events.at[i].kind]++;
    fprintf(out, "lines of the log %" PRIu64 ", lines of the parser %u, engines %u\n",
            h->lines, h->parser.n, h->builds);
    for (unsigned k = 0; k < FSD__EVENT_COUNT; k++)
        if (counts[k])
            fprintf(out, "event %s %u\n", kinds[k].name, counts[k]);
    fprintf(out, "measured %u", h->rivals.n);
    if (h->lost_rivals)
        fprintf(out, ", not kept %" PRIu64, h->lost_rivals);
    fprintf(out, "\nlines of unknown form %" PRIu64 "\n", h->unknown_lines);
    for (uint32_t i = 0; i < h->unknown.n; i++)
        forms[i] = h->unknown.at[i];
    fsd_sort(forms, h->unknown.n, sizeof *forms, more_first);
    for (uint32_t i = 0; i < h->unknown.n; i++) {
        fprintf(out, "  %u  ", forms[i].n);
        fsd_put_safe(out, text(h, forms[i].sample));
        putc('\n', out);
        listed += forms[i].n;
    }
    if (listed < h->unknown_lines)
        fprintf(out, "  %" PRIu64 "  other lines that fusiondiff does not recognize\n",
                h->unknown_lines - listed);
}
