/*
 * Defines the snapshot format in tables: the order of lines, and the fields of each
 * line, with their types and their offsets in the line's record. read.c and write.c
 * both follow the tables, so that they agree.  A field that a later format adds is
 * optional, so that older snapshots stay readable.
 */
#include "change/snapshot/grammar.h"
#include "change/snapshot/snapshot.h"

#define NAME_AT(what, type)                                                            \
    static const char *what##_at(unsigned i)                                           \
    {                                                                                  \
        return fsd_##what##_name((type)i);                                             \
    }
NAME_AT(kind, enum fsd_kind)
NAME_AT(cause, enum fsd_cause)
NAME_AT(fate, enum fsd_fate)
NAME_AT(dtype, enum fsd_dtype)
NAME_AT(role, uint8_t)

static const char *direction_at(unsigned i)
{
    return i ? "output" : "input";
}

static const struct vocabulary kinds = {FSD__KIND_COUNT, kind_at, "a kind"},
                               causes = {FSD__CAUSE_COUNT, cause_at, "a cause"},
                               fates = {FSD__FATE_COUNT, fate_at, "a fate"},
                               roles = {FSD__ROLE_COUNT, role_at, "a role"},
                               directions = {2, direction_at, "input or output"};
const struct vocabulary fsd_dtype_words = {FSD__DTYPE_COUNT, dtype_at, "a type"};

const struct line_rank fsd_line_ranks[LINE__COUNT] = {
    [LINE_TOOL] = {"tool", 1, true, OF_FIRST},
    [LINE_MODEL] = {"model", 2, true, OF_FIRST},
    [LINE_ENGINE] = {"engine", 3, true, OF_FIRST},
    [LINE_LAYERS] = {"layers", 4, true, OF_ANY},
    [LINE_BUILT] = {"built", 5, false, OF_ANY},
    [LINE_TIMES] = {"times", 6, true, OF_ANY},
    [LINE_RUNS] = {"runs", 7, true, OF_ANY},
    [LINE_INPUT] = {"input", 8, false, OF_ANY},
    [LINE_OUTPUT] = {"output", 9, false, OF_ANY},
    [LINE_BINDING] = {"binding", 9, false, OF_ANY},
    [LINE_NODE] = {"node", 10, false, OF_FIRST},
    [LINE_FATE] = {"fate", 10, false, OF_OTHERS},
    [LINE_GROUP] = {"group", 11, false, OF_ANY},
    [LINE_MOVE] = {"move", 11, false, OF_ANY},
    [LINE_KERNEL] = {"kernel", 11, false, OF_ANY},
    [LINE_VARIANT] = {"variant", 11, false, OF_OTHERS},
    [LINE_ALSO] = {"also", 11, false, OF_ANY}, /* begins another build, whose lines may
                                                  have lower ranks again */
    [LINE_END] = {"end", 12, true, OF_ANY},
};

#define STATE(member)   .at = offsetof(struct fsd_state, member)
#define PORT(member)    .at = offsetof(struct fsd_state_port, member)
#define BUILT(member)   .at = offsetof(struct fsd_built, member)
#define NODE(member)    .at = offsetof(struct fsd_state_node, member)
#define GROUP(member)   .at = offsetof(struct fsd_group, member)
#define MOVE(member)    .at = offsetof(struct fsd_move, member)
#define KERNEL(member)  .at = offsetof(struct fsd_kernel, member)
#define BINDING(member) .at = offsetof(struct fsd_binding, member)
#define FATE(member)    .at = offsetof(struct fate_line, member)
#define VARIANT(member) .at = offsetof(struct fsd_variant, member)

/* The fields of each line, in the order of the line. */
const struct field fsd_grammar[] = {
    {LINE_TOOL, VERSION, .expected = "a version"},
    {LINE_TOOL, COUNT, STATE(reading), .since = FSD_SNAPSHOT_READING},
    {LINE_MODEL, HASH, STATE(model_hash)},
    {LINE_ENGINE, HASH, STATE(engine_hash)},
    {LINE_ENGINE, SYM, STATE(engine_kind), "a kind of dump"},
    {LINE_ENGINE, SYM, STATE(producer), "a producer"},
    {LINE_ENGINE, SYM, STATE(stated), "the kinds of layer details", ";",
     .optional = true},
    {LINE_LAYERS, COUNT, STATE(layers)},
    {LINE_LAYERS, COUNT, STATE(computing)},
    {LINE_LAYERS, COUNT, STATE(mapped)},
    {LINE_LAYERS, AMOUNT, STATE(bytes), .since = FSD_SNAPSHOT_READING},
    {LINE_LAYERS, COUNT, STATE(bytes_unknown), .since = FSD_SNAPSHOT_READING},
    {LINE_BUILT, SYM, BUILT(key), "a fact about the build"},
    {LINE_BUILT, SYM, BUILT(value), "its value"},
    {LINE_TIMES, COUNT, STATE(profiles)},
    {LINE_TIMES, SPREAD, STATE(total)},
    {LINE_RUNS, COUNT, STATE(timed_runs)},
    {LINE_RUNS, SPREAD, STATE(run)},
    {LINE_INPUT, SYM, PORT(name), "a name"},
    {LINE_INPUT, SYM, PORT(shape), "a shape"},
    {LINE_INPUT, FORM, PORT(form)},
    {LINE_OUTPUT, SYM, PORT(name), "a name"},
    {LINE_OUTPUT, SYM, PORT(shape), "a shape"},
    {LINE_OUTPUT, FORM, PORT(form)},
    {LINE_OUTPUT, SOURCE, PORT(from), .mark = "<"},
    {LINE_BINDING, OWN, BINDING(output), .words = &directions},
    {LINE_BINDING, SYM, BINDING(name), "a name"},
    {LINE_BINDING, SYM, BINDING(shape), "a shape"},
    {LINE_BINDING, FORM, BINDING(form)},
    {LINE_BINDING, SYM, BINDING(outside), "a format", "=", .optional = true},
    {LINE_BINDING, SYM, BINDING(ranges), "sizes", ";", .optional = true},
    {LINE_NODE, SYM, NODE(key), "a name"},
    {LINE_NODE, SYM, NODE(op), "an operator"},
    {LINE_NODE, OWN, NODE(role), .words = &roles},
    {LINE_NODE, OWN, NODE(fate), .words = &fates},
    {LINE_NODE, OWN, NODE(precision), .words = &fsd_dtype_words},
    {LINE_NODE, FLAG, NODE(named), .mark = "unnamed", .cleared = true},
    {LINE_NODE, SOURCES, NODE(in), .mark = "<"},
    {LINE_NODE, SYM, NODE(traits), "traits", ";", .optional = true},
    {LINE_NODE, SYM, NODE(weight), "a weight", .optional = true},
    {LINE_NODE, SYM, NODE(attrs), "attributes", "=", .optional = true},
    {LINE_NODE, SYM, NODE(known), "an output", ">", .optional = true},
    {LINE_NODE, SYM, NODE(values), "values", ":", .optional = true,
     .since = FSD_SNAPSHOT_READING},
    {LINE_GROUP, OWN, GROUP(kind), .words = &kinds},
    {LINE_GROUP, OWN, GROUP(precision), .words = &fsd_dtype_words},
    {LINE_GROUP, COUNT, GROUP(layers)},
    {LINE_GROUP, FLAG, GROUP(loose), .mark = "loose"},
    {LINE_GROUP, FLAG, GROUP(guessed), .mark = "guessed"},
    {LINE_GROUP, MEMBERS, GROUP(nodes), .mark = ":"},
    {LINE_GROUP, ORIGINS, GROUP(unasked), .mark = ";", .optional = true},
    {LINE_GROUP, BORDERS, GROUP(in)},
    {LINE_GROUP, BORDERS, GROUP(out), .outputs = true},
    {LINE_GROUP, SPREAD, GROUP(ms)},
    {LINE_MOVE, OWN, MOVE(kind), .words = &kinds},
    {LINE_MOVE, OWN, MOVE(cause), .words = &causes},
    {LINE_MOVE, FLAG, MOVE(inserted), .mark = "inserted"},
    {LINE_MOVE, FORM, MOVE(before), .mark = ":"},
    {LINE_MOVE, FORM, MOVE(after), .mark = "->"},
    {LINE_MOVE, ORIGINS, MOVE(from), .mark = "<"},
    {LINE_MOVE, DESTINATIONS, MOVE(to), .mark = ">"},
    {LINE_MOVE, NODES, MOVE(nodes), .mark = "=", .optional = true},
    {LINE_MOVE, SPREAD, MOVE(ms)},
    {LINE_KERNEL, OWN, KERNEL(kind), .words = &kinds},
    {LINE_KERNEL, OWN, KERNEL(precision), .words = &fsd_dtype_words},
    {LINE_KERNEL, SYM, KERNEL(type), "a layer type"},
    {LINE_KERNEL, SYM, KERNEL(does), "operations", .optional = true},
    {LINE_KERNEL, NODES, KERNEL(computes), .mark = ":", .optional = true},
    {LINE_KERNEL, READS, KERNEL(in), .mark = "<"},
    {LINE_KERNEL, TENSORS, KERNEL(out), .mark = ">"},
    {LINE_KERNEL, TENSORS, KERNEL(consts), .mark = "=", .optional = true},
    {LINE_KERNEL, SYM, KERNEL(attrs), "parameters", ";", .optional = true},
    {LINE_KERNEL, SYM, KERNEL(provider), "a provider", "~", .optional = true},
    {LINE_ALSO, HASH, STATE(engine_hash)},
    {LINE_ALSO, SYM, STATE(engine_kind), "a kind of dump"},
    {LINE_ALSO, SYM, STATE(producer), "a producer"},
    {LINE_ALSO, SYM, STATE(stated), "the kinds of layer details", ";",
     .optional = true},
    {LINE_FATE, SOURCE, FATE(node)},
    {LINE_FATE, OWN, FATE(fate), .words = &fates},
    {LINE_FATE, OWN, FATE(precision), .words = &fsd_dtype_words},
    {LINE_VARIANT, FLAG, VARIANT(less), .mark = "less"},
    {LINE_VARIANT, ROW, VARIANT(nodes), .mark = ":"},
    {LINE_END, SEAL, .since = 2},
};

const struct field *const fsd_grammar_end = fsd_grammar + FSD_COUNT_OF(fsd_grammar);
