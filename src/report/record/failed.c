/* The JSON of a failed build: the cause, the nodes at which it failed, and possible
 * remedies. tests/golden/schemas.py generates include/fusiondiff/failed.schema.json
 * from these records. */
#include "model/graph/graph.h"
#include "report/record/records.h"

enum { NODES_SHOWN = 12 };

/* clang-format off */
#define FAILED_NODE(has, set, when, t) \
    set(t, COUNT, node, nodes->at[i], "node", .always = true) \
    when(t, NAME, name, n->name, fsd_text(g->names, n->name), "name") \
    set(t, NAME,  op, fsd_text(g->names, n->op), "operator", .always = true) \
    when(t, TEXT, how, !i, how, FSD_ASIDE)
FSD_RECORD(failed_node, FAILED_NODE)

#define FAILED_VALUE(has, set, when, t) \
    set(t, TEXT, what, v->what, FSD_ALWAYS, \
        .about = "what the value is: bytes, mib, type, sm, size, profile, axis, " \
                 "library or plugin") \
    set(t, NAME, value, v->text, FSD_ALWAYS)
FSD_RECORD_FROM(failed_value, FAILED_VALUE, const struct fsd_failed *f = from;
    const struct fsd_failed_value *v = &f->values.at[i])

#define FAILED_TRY(has, set, when, t) \
    set(t, COUNT, number, i + 1, FSD_ASIDE) \
    set(t, TEXT, text, a->text, "try", .always = true) \
    set(t, NAME, command, a->command, "command", \
        .about = "the command to enter in a shell")
FSD_RECORD_FROM(failed_try, FAILED_TRY, const struct fsd_failed *f = from;
    const struct fsd_failed_try *a = &f->tries.at[i])
/* clang-format on */

static const struct fsd_rows *nodes_of(struct fsd_arena *arena,
                                       const struct fsd_failed *f,
                                       const fsd_id_vec *nodes, const char *how)
{
    struct fsd_rows *rows =
        fsd_rows_new(arena, &failed_node_record, "#{node} <{name} >({op})<: {how}>");
    const struct fsd_graph *g = f->model;

    rows->between = "\n         ";

    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct fsd_node *n = &g->nodes.at[nodes->at[i]];

        FSD_ADD(rows, failed_node, FAILED_NODE);
    }
    return rows;
}

static void fill_found(struct fsd_arena *arena, void *row, const void *from, uint32_t i)
{
    const struct fsd_failed *f = from;

    fsd_fill_finding(arena, row, f->findings, f->found.at[i]);
}

static const char *class_name(unsigned i)
{
    return fsd_failure_class_name((enum fsd_failure_class)i);
}

static const char *by_name(unsigned i)
{
    return fsd_failed_by_name((enum fsd_failed_by)i);
}

/* clang-format off */
#define FAILED(has, set, when, t) \
    set(t, RECORD, tool, fsd_tool(arena), NULL, .of = &fsd_tool_record, \
        .always = true) \
    set(t, NAME,   model, f->model_path, NULL, .about = "path of the model; absent " \
            "if none was given") \
    set(t, NAME,   log, f->log_path, FSD_ALWAYS) \
    set(t, TEXT,   builder, f->target, NULL, .key = "for", .always = true, \
        .about = "the builder, in the form that lint --for accepts") \
    set(t, NAME,   conclusion, f->conclusion, FSD_ALWAYS) \
    set(t, TEXT,   is, fsd_failure_class_name(f->is), NULL, .key = "class", \
        .always = true, .word = class_name, .n_words = FSD__FAILS_COUNT) \
    set(t, TEXT,   by, f->first->by_parser ? "parser" : "builder", \
        FSD_ALWAYS, .about = "the part of the builder that rejects the model") \
    set(t, COUNT,  line, f->first->line, FSD_ALWAYS, \
        .about = "line of the first error in the log") \
    set(t, NAME,   message, f->message, FSD_ALWAYS) \
    set(t, NAME,   because, f->because, NULL, \
        .about = "the reason for the error, from another line of the log, such as a " \
                 "message about a skipped tactic") \
    set(t, NAME,   no_model, f->no_model, NULL, .about = "the reason why MODEL " \
            "cannot be read") \
    set(t, NAME,   named, f->named, NULL, .about = "the layer that the message names") \
    set(t, TEXT,   found_by, fsd_failed_by_name(f->by), FSD_ALWAYS, \
        .about = "how the nodes were found", .word = by_name, \
        .n_words = FSD__FAILED_BY_COUNT) \
    set(t, TEXT,   node_word, f->nodes.n == 1 ? "node" : "nodes", FSD_ASIDE) \
    set(t, ROWS,   nodes, nodes, FSD_ALWAYS, \
        .of = &failed_node_record, \
        .about = "the nodes at which the build fails, the likeliest first") \
    set(t, IDS,    part, fsd_ids(f->part.at, f->part.n), FSD_ALWAYS, \
        .about = "numbers of the nodes " \
            FSD_IF_EDIT("to extract with `fusiondiff cut`", "of the failing part")) \
    set(t, ROWS,   shown, fsd_rows_first(nodes, most), FSD_ASIDE, \
        .of = &failed_node_record) \
    set(t, COUNT,  more, nodes->at.n > most ? nodes->at.n - most : 0, FSD_ASIDE) \
    set(t, ROWS,   others, others, FSD_ALWAYS, \
        .of = &failed_node_record, \
        .about = "other nodes that the parser rejects") \
    set(t, ROWS,   shown_others, fsd_rows_first(others, most), FSD_ASIDE, \
        .of = &failed_node_record) \
    set(t, COUNT,  more_others, others->at.n > most ? others->at.n - most : 0, \
        FSD_ASIDE) \
    set(t, WORDS,  tensors, fsd_words(f->tensors.at, f->tensors.n), \
        FSD_ALWAYS, .about = "tensors that the message names") \
    set(t, ROWS,   values, fsd_rows_joined(FSD_ROWS(arena, failed_value, \
        "{what} {value}", f->values.n, f), ", "), FSD_ALWAYS, \
        .of = &failed_value_record, .about = "numbers and words of " \
            "the message") \
    set(t, ROWS,   findings, \
        fsd_rows_later(arena, &fsd_finding_record, f->found.n, fill_found, f), \
        FSD_ALWAYS, .of = &fsd_finding_record, \
        .about = "findings of lint at these nodes") \
    set(t, ROWS,   tries, FSD_ROWS(arena, failed_try, \
        "  {number}. {text}\n<       {command}\n>", f->tries.n, f), "to try", \
        .of = &failed_try_record, .always = true, \
        .about = "what to try, in this order")
FSD_RECORD(failed, FAILED)
/* clang-format on */

void fsd_document_of_failed(struct fsd_sheet *sheet, const struct fsd_failed *f)
{
    struct fsd_arena *arena = sheet->arena;
    uint32_t most = sheet->style && sheet->style->all ? UINT32_MAX : NODES_SHOWN;
    const struct fsd_rows *nodes =
                              nodes_of(arena, f, &f->nodes, fsd_failed_by_text(f->by)),
                          *others = nodes_of(arena, f, &f->others,
                                             "the parser also rejects these nodes");
    struct failed *row = fsd_sheet_begin(sheet, "fusiondiff-failed/1", &failed_record,
                                         "{conclusion}\n", "");

    sheet->name = "failed";
    FSD_FILL(row, FAILED);
}
