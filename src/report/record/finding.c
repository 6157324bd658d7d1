/* Findings, in the same form for reports and lint, and the rules that were checked. */
#include "base/base.h"
#include "report/record/records.h"

#include <inttypes.h>

/* clang-format off */
#define FINDING(has, set, when, t) \
    set(t, TEXT,  rule, all->rules.at[f->rule].rule->id, FSD_ALWAYS, \
        .pattern = "^[a-z]+/[a-z0-9-]+$") \
    set(t, TEXT,  severity, fsd_severity_name(f->severity), FSD_ALWAYS, \
        .word = fsd_severity_name, .n_words = FSD__SEVERITY_COUNT) \
    set(t, NAME,  message, f->message, FSD_ALWAYS) \
    set(t, IDS,   layers, ids_of_subjects(arena, all, f->layers), FSD_ALWAYS) \
    set(t, IDS,   nodes, ids_of_subjects(arena, all, f->nodes), FSD_ALWAYS) \
    set(t, WORDS, tensors, fsd_names_of_subjects(arena, all, f->tensors), FSD_ALWAYS) \
    set(t, FACTS, facts, facts_of(arena, all, f->facts), FSD_ALWAYS) \
    set(t, ROWS,  cites, fsd_cites_of(arena, all, f->cites), NULL, \
        .of = &fsd_cite_record, \
        .about = "edits that lint proposes to remove the finding's cause") \
    set(t, NAME,  todo, f->todo, NULL, \
        .about = "the first edit of `cites` as a sentence, and the number of others")
FSD_RECORD_SHARED(finding, FINDING)
/* clang-format on */

static struct fsd_ids ids_of_subjects(struct fsd_arena *arena,
                                      const struct fsd_findings *all,
                                      struct fsd_span about)
{
    fsd_id *ids = FSD_NEW(arena, fsd_id, about.n);

    for (uint32_t i = 0; i < about.n; i++)
        ids[i] = all->subjects.at[about.at + i].id;
    return fsd_ids(ids, about.n);
}

struct fsd_words fsd_names_of_subjects(struct fsd_arena *arena,
                                       const struct fsd_findings *all,
                                       struct fsd_span about)
{
    const char **names = FSD_NEW(arena, const char *, about.n);

    for (uint32_t i = 0; i < about.n; i++)
        names[i] = all->subjects.at[about.at + i].name;
    return fsd_words(names, about.n);
}

static struct fsd_fact_cells
facts_of(struct fsd_arena *arena, const struct fsd_findings *all, struct fsd_span facts)
{
    struct fsd_fact_cell *cells = FSD_NEW(arena, struct fsd_fact_cell, facts.n);

    for (uint32_t i = 0; i < facts.n; i++) {
        const struct fsd_fact *fact = &all->facts.at[facts.at + i];

        cells[i] = (struct fsd_fact_cell){
            .key = fact->key, .text = fact->text, .count = fact->number, .whole = true};
    }
    return (struct fsd_fact_cells){true, facts.n, cells};
}

void fsd_fill_finding(struct fsd_arena *arena, void *out, const void *from, uint32_t i)
{
    const struct fsd_findings *all = from;
    const struct fsd_finding *f = &all->list.at[i];
    struct finding *row = out;

    FSD_FILL(row, FINDING);
}

const char *fsd_fingerprint_text(struct fsd_arena *arena, const char *build,
                                 const struct fsd_finding *finding)
{
    uint64_t hash[2] = {0};
    char text[20];
    int n;

    if (build)
        fsd_hash_128(build, strlen(build), hash);
    n = snprintf(text, sizeof text, "%016" PRIx64, hash[0] ^ finding->fingerprint);
    return fsd_arena_strndup(arena, text, (size_t)n);
}
