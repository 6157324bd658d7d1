/* Prints a comparison in one line, for the title of a commit or the log of a CI job. */
#include "report/phrase/phrase.h"
#include "report/text/text.h"

static const char *const move_words[] = {[FSD_MOVE_ADDED] = "layers added",
                                         [FSD_MOVE_REMOVED] = "layers removed",
                                         [FSD_MOVE_CHANGED] = "layers changed"};

void fsd_compare_write_line(const struct fsd_report *r, FILE *out)
{
    const struct fsd_compare *c = r->compare;
    uint32_t unasked = 0;
    bool any = false;

    fputs(c->differs  ? "compare: the builds differ: "
          : c->hidden ? "compare: no difference in what both builds state"
                      : "compare: no difference",
          out);
    for (uint8_t h = 0; h < FSD__HAPPENED_COUNT; h++)
        if (h != FSD_HAPPENED_SAME)
            fsd_put_tally(out, &any, c->by_happened[h], fsd_happened_name(h));
    for (uint8_t w = 0; w < FSD__WIDTH_COUNT; w++)
        if (w != FSD_WIDTH_SAME)
            fsd_put_tally(out, &any, c->by_width[w], fsd_width_name(w));
    for (uint8_t w = 0; w < FSD_COUNT_OF(c->moves_by_what); w++)
        fsd_put_tally(out, &any, c->moves_by_what[w], move_words[w]);
    fsd_put_tally(out, &any, c->ports.n, "inputs and outputs");
    fsd_put_tally(out, &any, c->edits.n, "changes of nodes");
    for (uint32_t i = 0; i < c->regions.n; i++)
        unasked += c->regions.at[i].unasked.n > 0;
    fsd_put_tally(out, &any, unasked, "regions that read different tensors");
    if (c->differs && !any)
        fputs("facts that only one build states", out);
    if (c->timed)
        fprintf(out, "; %.4f -> %.4f ms", c->before, c->after);
    putc('\n', out);
}
