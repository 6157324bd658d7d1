/* The edits that lint proposes for a layer or a finding of a run. An edit has the same
 * form as in lint's own document. Here, each edit also states what the engine dump
 * shows, as evidence. */
#include "report/record/records.h"

/* clang-format off */
#define CITE(has, set, when, t) \
    set(t, TEXT,   rule, cite->rule, FSD_ALWAYS, .about = "of lint") \
    set(t, TEXT,   action, fsd_action_name(cite->edit->action), FSD_ALWAYS, \
        .about = "the action of the edit, as in fusiondiff-lint/1") \
    set(t, NAME,   tensor, cite->edit->tensor, FSD_ALWAYS) \
    set(t, COUNT,  node, cite->edit->node, FSD_ALWAYS) \
    set(t, NAME,   node_name, cite->edit->name, FSD_ALWAYS) \
    set(t, COUNT,  input, cite->edit->input, FSD_ALWAYS) \
    set(t, NAME,   scale_of, cite->edit->like, NULL) \
    set(t, NAME,   scale_tensor, cite->edit->scale_tensor, NULL) \
    when(t, NUMBER, scale, cite->edit->scale > 0, cite->edit->scale, NULL) \
    set(t, TEXT,   type, cite->edit->type, NULL) \
    set(t, TEXT,   effect, cite->edit->effect, FSD_ALWAYS) \
    set(t, NAME,   shown, cite->shown, FSD_ALWAYS, \
        .about = "what the dump shows: \"layer 6 computes Add_36 and reads fp16\"")
FSD_RECORD_SHARED(cite, CITE)
/* clang-format on */

const struct fsd_rows *fsd_cites_of(struct fsd_arena *arena,
                                    const struct fsd_findings *all,
                                    struct fsd_span cites)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_cite_record, "");

    FSD_EACH_IN (const struct fsd_cite, cite, all->cites, cites)
        FSD_ADD(rows, cite, CITE);
    return cites.n ? rows : NULL;
}

const struct fsd_rows *fsd_cites_of_layer(struct fsd_arena *arena,
                                          const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_findings *all = d->findings;

    return all->cites_of ? fsd_cites_of(arena, all, all->cites_of[layer]) : NULL;
}
