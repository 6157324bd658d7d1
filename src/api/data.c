/*
 * The public API that returns a run as data.
 *
 * The caller may have been compiled with an older version of the library, whose structs
 * have fewer members. The library fills only the members that the caller's structs
 * have.
 */
#include "explain/cost/cost.h"
#include "judge/findings/findings.h"
#include "model/graph/graph.h"
#include "report/record/records.h"

static bool give(void *out, size_t room, const void *from, size_t size)
{
    memcpy(out, from, room < size ? room : size);
    if (room > size) /* the caller is newer: this library does not know the last members
                        of the caller's struct */
        memset((char *)out + size, 0, room - size);
    return true;
}

static const char *type_or_null(enum fsd_dtype type)
{
    return type == FSD_DTYPE_UNKNOWN ? NULL : fsd_dtype_name(type);
}

/* A count of bytes or multiply-adds as a number; -1 if the count is unknown or depends
 * on dynamic sizes. */
static int64_t number_of(const struct fsd_diff *d, int64_t amount)
{
    int64_t number;

    return fsd_amount_number(d->cost->amounts, amount, &number) ? number : -1;
}

uint32_t fsd_diff_count(const struct fsd_diff *d, enum fsd_part part)
{
    switch (part) {
    case FSD_PART_LAYERS:
        return d->engine->nodes.n;
    case FSD_PART_NODES:
        return d->model->nodes.n;
    case FSD_PART_LINKS:
        return d->match->links.n;
    case FSD_PART_FINDINGS:
        return d->findings->list.n;
    case FSD__PART_COUNT:
    default:
        return 0;
    }
}

bool fsd_diff_layer(const struct fsd_diff *d, uint32_t i, struct fsd_layer_data *out,
                    size_t size)
{
    const struct fsd_node *n;
    enum fsd_cause cause;

    if (i >= d->engine->nodes.n)
        return false;
    n = &d->engine->nodes.at[i];
    cause = d->reasons[i].cause;
    return give(out, size,
                &(struct fsd_layer_data){
                    .name = fsd_text(d->names, n->name),
                    .type = fsd_text(d->names, n->op),
                    .kind = fsd_kind_name(d->layers[i].kind),
                    .cause = cause == FSD_CAUSE_NONE ? NULL : fsd_cause_name(cause),
                    .precision = type_or_null(d->layers[i].precision),
                    .tactic = fsd_text_or_null(d, d->engine->layers.at[i].tactic),
                    .ms = fsd_layer_ms(d, i),
                    .bytes = number_of(d, d->cost->layers[i].bytes),
                    .macs = number_of(d, d->cost->layers[i].macs),
                    .first_link = d->match->of_layer[i].at,
                    .n_links = d->match->of_layer[i].n,
                    .inserted = d->layers[i].inserted,
                    .opaque = d->layers[i].opaque,
                },
                sizeof *out);
}

bool fsd_diff_node(const struct fsd_diff *d, uint32_t i, struct fsd_node_data *out,
                   size_t size)
{
    const struct fsd_node_result *r;
    const struct fsd_node *n;

    if (i >= d->model->nodes.n)
        return false;
    n = &d->model->nodes.at[i];
    r = &d->nodes[i];
    return give(out, size,
                &(struct fsd_node_data){
                    .name = fsd_text(d->names, n->name),
                    .op = fsd_text(d->names, n->op),
                    .domain = fsd_text(d->names, n->domain),
                    .fate = fsd_fate_name(r->fate),
                    .why = r->why,
                    .requested = type_or_null(r->requested),
                    .realised = type_or_null(r->realised),
                    .ms = d->cost->nodes[i].ms,
                    .macs = number_of(d, d->cost->nodes[i].macs),
                    .same_as = r->other == FSD_NONE ? -1 : (int64_t)r->other,
                    .n_layers = d->match->of_node[i].n,
                },
                sizeof *out);
}

uint32_t fsd_node_layer(const struct fsd_diff *d, uint32_t node, uint32_t i)
{
    if (node >= d->model->nodes.n || i >= d->match->of_node[node].n)
        return UINT32_MAX;
    return fsd_match_of_node(d->match, node, i)->layer;
}

bool fsd_diff_link(const struct fsd_diff *d, uint32_t i, struct fsd_link_data *out,
                   size_t size)
{
    const struct fsd_link *link;

    if (i >= d->match->links.n)
        return false;
    link = &d->match->links.at[i];
    return give(out, size, &(struct fsd_link_data){link->layer, link->node, link->by},
                sizeof *out);
}

bool fsd_diff_finding(const struct fsd_diff *d, uint32_t i,
                      struct fsd_finding_data *out, size_t size)
{
    const struct fsd_findings *all = d->findings;
    const struct fsd_finding *f;

    if (i >= all->list.n)
        return false;
    f = &all->list.at[i];
    return give(out, size,
                &(struct fsd_finding_data){
                    .rule = all->rules.at[f->rule].rule->id,
                    .severity = f->severity,
                    .message = f->message,
                    .n_layers = f->layers.n,
                    .n_nodes = f->nodes.n,
                    .todo = f->todo,
                },
                sizeof *out);
}

uint32_t fsd_finding_subject(const struct fsd_diff *d, uint32_t finding,
                             enum fsd_part part, uint32_t i)
{
    const struct fsd_findings *all = d->findings;
    struct fsd_span about;

    if (finding >= all->list.n || (part != FSD_PART_LAYERS && part != FSD_PART_NODES))
        return UINT32_MAX;
    about = part == FSD_PART_LAYERS ? all->list.at[finding].layers
                                    : all->list.at[finding].nodes;
    return i < about.n ? all->subjects.at[about.at + i].id : UINT32_MAX;
}

/* --------------------------------------------------------------- whatever there is */

/* Converts a cell to a member of the public API.
 * @return false if the cell is unknown, or if it is a list or an object in JSON */
static bool take_cell(const struct fsd_cell *cell, const struct fsd_column *column,
                      struct fsd_member *out)
{
    out->key = fsd_column_key(column);
    if (!cell->known || column->aside || (column->if_true && !cell->count))
        return false;
    switch (column->kind) {
    case FSD_CELL_COUNT:
    case FSD_CELL_FLAG:
        out->number = (double)cell->count;
        return true;
    case FSD_CELL_NUMBER:
    case FSD_CELL_MS:
    case FSD_CELL_SHARE:
        out->number = cell->number;
        return true;
    case FSD_CELL_BYTES:
    case FSD_CELL_MACS:
        out->number = (double)cell->amount.number;
        out->text = cell->amount.term;
        return true;
    case FSD_CELL_TYPE:
        out->text = fsd_dtype_name((enum fsd_dtype)cell->count);
        return true;
    case FSD_CELL_TEXT:
    case FSD_CELL_NAME:
        out->text = cell->text;
        return true;
    case FSD_CELL_WORDS:
    case FSD_CELL_IDS:
    case FSD_CELL_SIZES:
    case FSD_CELL_TALLY:
    case FSD_CELL_FACTS:
    case FSD_CELL_ROWS:
    case FSD_CELL_RECORD:
    default:
        return false;
    }
}

void fsd_diff_members(const struct fsd_diff *d, enum fsd_part part, fsd_member_fn *take,
                      void *payload)
{
    FSD_SCRATCH(arena);
    const struct fsd_run_source *source = fsd_run_source_of(arena, d);
    const struct {
        const struct fsd_record *of;
        fsd_fill_row_fn *fill;
        const void *from;
    } parts[FSD__PART_COUNT] = {
        [FSD_PART_LAYERS] = {&fsd_layer_record, fsd_fill_layer, source},
        [FSD_PART_NODES] = {&fsd_node_record, fsd_fill_node, source},
        [FSD_PART_FINDINGS] = {&fsd_finding_record, fsd_fill_finding, d->findings}};
    /* The caller may be newer than this library. A part that this library does not know
     * has no records. */
    bool known = part < FSD__PART_COUNT && parts[part].of;
    enum fsd_part at = known ? part : FSD_PART_LAYERS;
    const struct fsd_record *of = parts[at].of;
    const struct fsd_rows *rows = fsd_rows_later(
        arena, of, known ? fsd_diff_count(d, part) : 0, parts[at].fill, parts[at].from);

    for (uint32_t i = 0; i < rows->at.n; i++) {
        struct fsd_row row = fsd_row_begin(rows, i);

        for (uint32_t k = 0; k < of->n; k++) {
            struct fsd_cell cell = fsd_cell_of(&of->columns[k], row.at);
            struct fsd_member member = {0};

            if (take_cell(&cell, &of->columns[k], &member))
                take(payload, i, &member);
        }
        fsd_row_end(row);
    }
}
