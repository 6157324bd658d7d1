/* What lint proposes for a layer or a finding of a run: the edit, as lint's own
 * document has it, and what the dump shows. */
#include "report/record/records.h"

/* clang-format off */
#define CITE(has, t) \
    has(t, TEXT,   rule,         NULL, .always = true, .about = "of lint") \
    has(t, TEXT,   action,       NULL, .always = true, \
        .about = "as in fusiondiff-lint/1") \
    has(t, NAME,   tensor,       NULL, .always = true) \
    has(t, COUNT,  node,         NULL, .always = true) \
    has(t, NAME,   node_name,    NULL, .always = true) \
    has(t, COUNT,  input,        NULL, .always = true) \
    has(t, NAME,   scale_of,     NULL) \
    has(t, NAME,   scale_tensor, NULL) \
    has(t, NUMBER, scale,        NULL) \
    has(t, TEXT,   type,         NULL) \
    has(t, TEXT,   effect,       NULL, .always = true) \
    has(t, NAME,   shown,        NULL, .always = true, \
        .about = "what the dump shows: \"layer 6 computes Add_36 " \
                 "and reads fp16\"")
FSD_RECORD_SHARED(cite, CITE)
/* clang-format on */

const struct fsd_rows *fsd_cites_of(struct fsd_arena *arena,
                                    const struct fsd_findings *all,
                                    struct fsd_span cites)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_cite_record, "");

    for (uint32_t i = 0; i < cites.n; i++) {
        const struct fsd_cite *cite = &all->cites.at[cites.at + i];
        struct cite *row = fsd_rows_add(rows);

        row->rule = cite->rule;
        row->action = fsd_action_name(cite->edit->action);
        row->tensor = cite->edit->tensor;
        row->node = fsd_count(cite->edit->node);
        row->node_name = cite->edit->name;
        row->input = fsd_count(cite->edit->input);
        row->scale_of = cite->edit->like;
        row->scale_tensor = cite->edit->scale_tensor;
        if (cite->edit->scale > 0)
            row->scale = fsd_real(cite->edit->scale);
        row->type = cite->edit->type;
        row->effect = cite->edit->effect;
        row->shown = cite->shown;
    }
    return cites.n ? rows : NULL;
}

const struct fsd_rows *fsd_cites_of_layer(struct fsd_arena *arena,
                                          const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_findings *all = d->findings;

    return all->cites_of ? fsd_cites_of(arena, all, all->cites_of[layer]) : NULL;
}
