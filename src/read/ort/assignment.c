/*
 * Reads the nodes that ONNX Runtime assigned to each execution provider.
 * Session_GetEpGraphAssignmentInfo() and get_provider_graph_assignment_info() return
 * them.  The user writes them as JSON:
 *
 *     [ {"ep": "OpenVINOExecutionProvider",
 *        "nodes": [ {"name": "node_mul", "op": "Mul", "domain": ""}, ... ]}, ... ]
 *
 * The keys `ep_name` and `op_type`, as in the structs of ONNX Runtime, are accepted,
 * too.  If a provider compiles its nodes, each group of the list is a partition.  A
 * partition is one layer of the EPContext model.
 *
 * The session folds some nodes of the ONNX model, then assigns the other nodes.  After
 * that, the providers fuse nodes.  So the list has nodes that are not yet fused.
 */
#include "base/file_type.h"
#include "read/engine/record.h"
#include "read/ort/ort.h"

enum { SEARCHED = 4096, MOST_NODES = 1 << 22 };

struct group {
    fsd_sym provider;
    uint32_t first; /* the index in h->places of the group's first node */
};

bool fsd_ort_is_assignment(const struct fsd_file *file)
{
    return fsd_file_type_of(file) == FSD_FILETYPE_JSON &&
           fsd_file_has_word(file, SEARCHED, "\"nodes\"") &&
           (fsd_file_has_word(file, SEARCHED, "\"ep\"") ||
            fsd_file_has_word(file, SEARCHED, "\"ep_name\""));
}

static void end_group(struct fsd_history *h, const struct group *g, uint32_t number)
{
    if (!g->provider) /* the group states no provider, so nothing is known about its
                         nodes */
        h->places.n = g->first;
    for (uint32_t i = g->first; i < h->places.n; i++) {
        h->places.at[i].provider = g->provider;
        h->places.at[i].part = number;
    }
}

static void read_node_field(struct fsd_history *h, struct fsd_placement *node,
                            const struct fsd_field *f)
{
    struct fsd_slice text = {f->text, f->text_len};

    if (!f->is_text)
        return;
    if (fsd_field_is(f, "name"))
        node->name = fsd_record_unescaped(h->names, text);
    else if (fsd_field_is(f, "op") || fsd_field_is(f, "op_type"))
        node->op = fsd_record_unescaped(h->names, text);
}

static void read_group_field(struct fsd_history *h, struct group *g,
                             struct fsd_records *r, const struct fsd_field *f)
{
    struct fsd_slice text = {f->text, f->text_len};

    if (f->is_text && (fsd_field_is(f, "ep") || fsd_field_is(f, "ep_name")))
        g->provider = fsd_record_unescaped(h->names, text);
    else if (f->opens && !fsd_field_is(f, "nodes"))
        r->at = fsd_record_behind(r);
}

/* Whether the file ends with the closing bracket of the list.  A file that is truncated
 * after a group lacks only this bracket. */
static bool ends_list(const struct fsd_file *file)
{
    size_t n = file->size;

    while (n && file->bytes[n - 1] <= ' ')
        n--;
    return n && file->bytes[n - 1] == ']';
}

/* Reads the list.  If the list is truncated, stores no node. */
void fsd_ort_assignment_read(struct fsd_history *h, const struct fsd_file *file)
{
    struct fsd_error err;
    struct fsd_file whole = *file;
    struct fsd_records r = {.file = &whole,
                            .at = fsd_file_text_start(file),
                            .what = "an assignment",
                            .err = &err,
                            .nested = true};
    struct group group = {0};
    struct fsd_placement node = {0};
    struct fsd_field field = {0};
    enum fsd_record_step step = FSD_RECORD_END;
    uint32_t groups = 0, depth = 0;

    h->no_steps = true;
    fsd_vec_push(h->arena, &h->placed, 0);
    for (size_t end = 0; (end = fsd_file_reach(file, whole.size)) > whole.size;)
        whole.size = end;
    while (h->places.n <= MOST_NODES &&
           (step = fsd_record_next(&r, &field)) != FSD_RECORD_END &&
           step != FSD_RECORD_BROKEN) {
        if (step == FSD_RECORD_OPEN && ++depth == 1)
            group = (struct group){.first = h->places.n};
        else if (step == FSD_RECORD_OPEN)
            node = (struct fsd_placement){0};
        else if (step == FSD_RECORD_FIELD && depth == 1)
            read_group_field(h, &group, &r, &field);
        else if (step == FSD_RECORD_FIELD && field.opens)
            r.at = fsd_record_behind(&r);
        else if (step == FSD_RECORD_FIELD)
            read_node_field(h, &node, &field);
        else if (step == FSD_RECORD_CLOSE && depth == 1)
            end_group(h, &group, ++groups);
        else if (step == FSD_RECORD_CLOSE && depth == 2 && node.op)
            fsd_vec_push(h->arena, &h->places, node);
        depth -= step == FSD_RECORD_CLOSE && depth;
    }
    if (step != FSD_RECORD_END || depth || !ends_list(&whole))
        h->places.n = 0;
    h->assigned = h->places.n > 0;
}
