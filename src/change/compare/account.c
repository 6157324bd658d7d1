/*
 * Compares what two builds were made from, aspect by aspect: an aspect is equal,
 * different, or not known because a build does not state it. A model that was not
 * compared does not count as equal. If an aspect is not known, `missing` names the
 * build that does not state it.
 *
 *     nodes               different   `res` is Mul, before Add
 *     inputs and outputs  equal
 *     options             not known   the new build does not state them
 *
 * Nodes with the same difference share one entry: 40 replaced activations are one
 * difference.
 */
#include "change/compare/parts.h"

#include "base/base.h"

enum { NAMED_NODES = 3 }; /* maximum number of nodes that an entry names */

static void differs(struct fsd_compare *c, enum fsd_aspect_id id, const char *what)
{
    struct fsd_difference difference = {(uint8_t)id, what};

    c->account.state[id] = FSD_ASPECT_DIFFERENT;
    fsd_vec_push(c->arena, &c->account.different, difference);
}

/* Sets the state of an aspect, unless it is already FSD_ASPECT_DIFFERENT.
 * @param old,new whether the old, or the new, build states the aspect */
static void settle(struct fsd_compare *c, enum fsd_aspect_id id, bool old, bool new)
{
    if (fsd_aspect_differs(c, id))
        return;
    c->account.state[id] = old && new ? FSD_ASPECT_EQUAL : FSD_ASPECT_UNKNOWN;
    c->account.missing[id] = old   ? FSD_MISSING_NEW
                             : new ? FSD_MISSING_OLD
                                   : FSD_MISSING_BOTH;
}

/* ------------------------------------------------------------------------- nodes */

/* Names that are printed as "`act0`, `act1`, `act2` and 5 more". */
struct names {
    FILE *out;
    uint32_t n;
};

static void put_name(struct names *names, const char *name)
{
    if (names->n < NAMED_NODES)
        fprintf(names->out, "%s`%s`", names->n ? ", " : "", name);
    names->n++;
}

static void end_names(const struct names *names)
{
    if (names->n > NAMED_NODES)
        fprintf(names->out, " and %u more", names->n - NAMED_NODES);
}

/* The aspect to which a change of a node belongs. A different size of a weight is a
 * change of the constants, not of the node that reads the weight. */
static enum fsd_aspect_id aspect_of(const struct fsd_node_edit *edit)
{
    return edit->what == FSD_EDIT_VALUE || (edit->what == FSD_EDIT_ATTRIBUTE &&
                                            !strcmp(edit->of, FSD_EDIT_WEIGHT))
               ? FSD_ASPECT_CONSTANTS
               : FSD_ASPECT_NODES;
}

/* Adds an entry for each different text that describes a change. All nodes whose change
 * has the same text share one entry. */
static void take_edits(struct fsd_compare *c, struct fsd_arena *scratch)
{
    struct fsd_intern *texts = fsd_intern_new(scratch);
    fsd_sym *text_of = FSD_NEW(scratch, fsd_sym, c->edits.n);
    struct fsd_lists of_text;

    for (uint32_t i = 0; i < c->edits.n; i++) {
        struct fsd_print text;

        fsd_put_node_edit(&c->edits.at[i], false, fsd_print_open(&text));
        text_of[i] = fsd_intern_str(texts, fsd_print_take(&text, scratch));
    }
    of_text = fsd_lists_new(scratch, text_of, sizeof *text_of, c->edits.n,
                            fsd_intern_count(texts));
    for (uint32_t i = 0; i < c->edits.n; i++) {
        struct fsd_span alike = of_text.of[text_of[i]];
        struct fsd_print text;
        struct names names;

        if (of_text.ids[alike.at] != i)
            continue;
        names = (struct names){fsd_print_open(&text), 0};
        for (uint32_t k = 0; k < alike.n; k++)
            put_name(&names, fsd_state_node_key(
                                 c->new, c->edits.at[of_text.ids[alike.at + k]].new));
        end_names(&names);
        fsd_put_node_edit(&c->edits.at[i], names.n > 1, names.out);
        differs(c, aspect_of(&c->edits.at[i]), fsd_print_take(&text, c->arena));
    }
}

/* Adds the nodes that only one model has: the Q/DQ pairs if `quantizers`, else the core
 * and optional nodes. */
static void take_lone_nodes(struct fsd_compare *c, bool old, bool quantizers)
{
    const struct fsd_state *s = old ? c->old : c->new;
    const fsd_id *to = old ? c->align->to_new : c->align->to_old;
    struct fsd_print text;
    struct names names = {fsd_print_open(&text), 0};
    const char *printed;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        enum fsd_role role = fsd_state_role_of(s, i);

        if (to[i] == FSD_NONE &&
            (quantizers ? fsd_state_heads_pair(s, i)
                        : role == FSD_ROLE_CORE || role == FSD_ROLE_OPTIONAL))
            put_name(&names, fsd_state_node_key(s, i));
    }
    end_names(&names);
    printed = fsd_print_take(&text, c->arena);
    if (names.n)
        differs(c, FSD_ASPECT_NODES,
                fsd_printed(c->arena, "%u %s%s %s (%s)", names.n,
                            quantizers ? "Q/DQ pair" : "node", fsd_plural(names.n),
                            old ? "gone" : "new", printed));
}

static void take_model(struct fsd_compare *c, struct fsd_arena *scratch)
{
    const struct fsd_state *old = c->old, *new = c->new;
    bool both = fsd_state_knows_nodes(old) && fsd_state_knows_nodes(new);

    if (both && fsd_state_is_of_same_model(old, new)) {
        settle(c, FSD_ASPECT_NODES, true, true);
        settle(c, FSD_ASPECT_CONSTANTS, true, true);
        return;
    }
    if (both) {
        take_edits(c, scratch);
        for (int side = 0; side < 2; side++)
            for (int quantizers = 0; quantizers < 2; quantizers++)
                take_lone_nodes(c, !side, quantizers);
    }
    settle(c, FSD_ASPECT_NODES, fsd_state_knows_attributes(old),
           fsd_state_knows_attributes(new));
    settle(c, FSD_ASPECT_CONSTANTS, false, false);
}

/* ------------------------------------------------------------ inputs and outputs */

static const char *form_text(const struct fsd_compare *c, const struct fsd_state *s,
                             const struct fsd_state_port *p)
{
    return fsd_printed(c->arena, "%s %s", fsd_dtype_name((enum fsd_dtype)p->form.type),
                       p->shape ? fsd_text(s->names, p->shape) : "of unknown shape");
}

static void take_ports(struct fsd_compare *c)
{
    FSD_EACH (const struct fsd_port_change, p, c->ports) {
        const struct fsd_state_port *was =
            p->old == FSD_NONE
                ? NULL
                : &(p->output ? c->old->outputs.at : c->old->inputs.at)[p->old];
        const struct fsd_state_port *now =
            p->new == FSD_NONE
                ? NULL
                : &(p->output ? c->new->outputs.at : c->new->inputs.at)[p->new];
        const char *noun = p->output ? "output" : "input";
        const char *name = now ? fsd_text(c->new->names, now->name)
                               : fsd_text(c->old->names, was->name);

        if (!was || !now)
            differs(c, FSD_ASPECT_PORTS,
                    fsd_printed(c->arena, "%s `%s` is %s", noun, name,
                                now ? "new" : "gone"));
        else if (p->name)
            differs(c, FSD_ASPECT_PORTS,
                    fsd_printed(c->arena, "%s `%s`, previously `%s`", noun, name,
                                fsd_text(c->old->names, was->name)));
        if (was && now && (p->shape || p->form) &&
            strcmp(form_text(c, c->new, now), form_text(c, c->old, was)) != 0)
            differs(c, FSD_ASPECT_PORTS,
                    fsd_printed(c->arena, "%s `%s`: %s, previously %s", noun, name,
                                form_text(c, c->new, now), form_text(c, c->old, was)));
    }
}

static bool states_network(const struct fsd_state *s)
{
    return s->inputs.n || s->outputs.n;
}

/* Reports changes of the engines' inputs and outputs:
 *
 *     a model is unknown           reports all changes
 *     the models' ports differ     reports nothing: take_ports() reports the changes
 *     the models' ports are equal  reports only different shapes. One engine was then
 *                                  built from a different model */
static void take_bindings(struct fsd_compare *c)
{
    bool modelled = states_network(c->old) && states_network(c->new);

    FSD_EACH (const struct fsd_binding_change, b, c->bindings) {
        const struct fsd_binding *shown = b->new ? b->new : b->old;
        const struct fsd_state *s = b->new ? c->new : c->old;
        const char *noun = shown->output ? "output" : "input";

        if (modelled && (c->ports.n || !b->old || !b->new || !b->shape))
            continue;
        if (b->old && b->new && b->shape)
            differs(c, FSD_ASPECT_PORTS,
                    fsd_printed(c->arena,
                                "%s `%s` of the engine has shape %s, before: %s", noun,
                                fsd_text(s->names, shown->name),
                                fsd_text(c->new->names, b->new->shape),
                                fsd_text(c->old->names, b->old->shape)));
        else if (!b->old || !b->new)
            differs(c, FSD_ASPECT_PORTS,
                    fsd_printed(c->arena, "%s `%s` is %s", noun,
                                fsd_text(s->names, shown->name),
                                b->new ? "new" : "gone"));
        else if (b->form)
            differs(c, FSD_ASPECT_PORTS,
                    fsd_printed(c->arena, "%s `%s` has a different type or layout",
                                noun, fsd_text(s->names, shown->name)));
    }
}

/* An application may pass buffers by index, so the order of ports matters. */
static void take_order(struct fsd_compare *c, bool output)
{
    const fsd_id *to = output ? c->align->new_output : c->align->new_input;
    uint32_t n = output ? c->old->outputs.n : c->old->inputs.n;
    fsd_id last = FSD_NONE;

    for (uint32_t i = 0; i < n; i++) {
        if (to[i] == FSD_NONE)
            continue;
        if (last != FSD_NONE && to[i] < last) {
            differs(c, FSD_ASPECT_PORTS,
                    output ? "the outputs are in a different order"
                           : "the inputs are in a different order");
            return;
        }
        last = to[i];
    }
}

static bool states_ports(const struct fsd_state *s)
{
    return states_network(s) || s->bindings.n;
}

static bool states_ranges(const struct fsd_state *s)
{
    for (uint32_t i = 0; i < s->bindings.n; i++)
        if (s->bindings.at[i].ranges)
            return true;
    return false;
}

static void take_profiles(struct fsd_compare *c)
{
    for (uint32_t i = 0; i < c->bindings.n; i++) {
        const struct fsd_binding *was = c->bindings.at[i].old,
                                 *now = c->bindings.at[i].new;

        /* If the input's shape differs, the sizes in its profile differ for that
         * reason. */
        if (was && now && was->ranges && now->ranges && c->bindings.at[i].ranges &&
            !c->bindings.at[i].shape)
            differs(c, FSD_ASPECT_PROFILES,
                    fsd_printed(c->arena, "`%s`: %s, previously %s",
                                fsd_text(c->new->names, now->name),
                                fsd_text(c->new->names, now->ranges),
                                fsd_text(c->old->names, was->ranges)));
    }
}

/* ------------------------------------------------------------------- the builder */

static enum fsd_aspect_id aspect_of_fact(const char *key)
{
    static const char *const device[] = {FSD_BUILT_GPU, FSD_BUILT_CAPABILITY,
                                         FSD_BUILT_KERNELS};

    for (size_t i = 0; i < FSD_COUNT_OF(device); i++)
        if (!strcmp(key, device[i]))
            return FSD_ASPECT_DEVICE;
    return !strcmp(key, FSD_BUILT_VERSION) || !strcmp(key, FSD_BUILT_LIBRARY)
               ? FSD_ASPECT_BUILDER
               : FSD_ASPECT_OPTIONS;
}

static bool is_stated(const struct fsd_state *s, const char *key)
{
    return fsd_built_find(&s->built, s->names, key);
}

/* Whether the build states its exact version. `producer` may state only a range of
 * versions, such as "8.2 to 8.4". */
static bool states_version(const struct fsd_state *s)
{
    const char *text = s->producer ? fsd_text(s->names, s->producer) : "";

    return *text && !strstr(text, " to ") && !strstr(text, " or ") &&
           strpbrk(text, "0123456789");
}

static bool is_wide(uint8_t type)
{
    return type == FSD_FP32 || type == FSD_TF32;
}

static bool runs_in(const struct fsd_state *s, uint8_t type)
{
    bool runs = false;

    for (fsd_id i = 0; i < s->nodes.n && !runs; i++)
        runs = s->nodes.at[i].precision == type;
    return runs;
}

/* Finds out from the precisions whether only one build was made with --fp16 or --bf16.
 * This is needed if there is no log. All nodes whose precision changed must have
 * changed in the same way:
 *
 *     from FP16 to FP32 or TF32     only the old build was made with --fp16
 *     from FP32 or TF32 to FP16     only the new build was made with --fp16
 *
 * The build without the option must have no node in FP16. The same holds for BF16 and
 * --bf16.
 * @param lost true: looks for an option that only the old build has; false: looks for
 *        an option that only the new build has
 * @return FP16 for --fp16, BF16 for --bf16; FSD_DTYPE_UNKNOWN: no option found */
static enum fsd_dtype flag_type(const struct fsd_compare *c, bool lost)
{
    uint8_t flag = FSD_DTYPE_UNKNOWN;

    FSD_EACH (const struct fsd_node_change, p, c->precisions) {
        uint8_t narrow = lost ? p->before : p->after,
                wide = lost ? p->after : p->before;

        if (!is_wide(wide) || (flag && narrow != flag))
            return FSD_DTYPE_UNKNOWN;
        flag = narrow;
    }
    return (flag == FSD_FP16 || flag == FSD_BF16) &&
                   !runs_in(lost ? c->new : c->old, flag)
               ? (enum fsd_dtype)flag
               : FSD_DTYPE_UNKNOWN;
}

static void take_flag(struct fsd_compare *c, bool lost)
{
    enum fsd_dtype type = flag_type(c, lost);
    const char *name = fsd_dtype_name(type);

    if (type)
        differs(c, FSD_ASPECT_OPTIONS,
                lost ? fsd_printed(c->arena,
                                   "every node that ran in %s now runs in fp32%s, so "
                                   "the new build was probably made without --%s",
                                   name, runs_in(c->new, FSD_TF32) ? " or tf32" : "",
                                   name)
                     : fsd_printed(c->arena,
                                   "no node ran in %s before; the number of nodes "
                                   "that changed to this type is %u, so probably only "
                                   "the new build was made with --%s",
                                   name, c->precisions.n, name));
}

static void take_built(struct fsd_compare *c)
{
    FSD_EACH (const struct fsd_built_change, b, c->built)
        if (b->before && b->after && strcmp(b->key, FSD_BUILT_LABEL) != 0 &&
            strcmp(b->key, FSD_BUILT_MEASURED) != 0)
            differs(c, aspect_of_fact(b->key),
                    fsd_printed(c->arena, "%s %s, previously %s", b->key, b->after,
                                b->before));
    /* Changed precisions point to an option only if nothing else differs. For example,
     * if the new model is in FP16, it runs in FP16 without any option. */
    if (c->account.different.n)
        return;
    take_flag(c, true);
    take_flag(c, false);
}

bool fsd_is_built_otherwise(const struct fsd_compare *c)
{
    bool is = false;

    for (int id = FSD_ASPECT_PORTS; id < FSD__ASPECT_COUNT; id++)
        is |= fsd_aspect_differs(c, (enum fsd_aspect_id)id);
    return is;
}

FSD_ORDERED(by_aspect, struct fsd_difference, fsd_order(x->aspect, y->aspect))

void fsd_compare_account(struct fsd_compare *c, struct fsd_arena *scratch)
{
    const struct fsd_state *old = c->old, *new = c->new;

    take_model(c, scratch);
    take_ports(c);
    take_bindings(c);
    take_order(c, false);
    take_order(c, true);
    settle(c, FSD_ASPECT_PORTS, states_ports(old), states_ports(new));
    take_profiles(c);
    settle(c, FSD_ASPECT_PROFILES, states_ranges(old), states_ranges(new));
    take_built(c);
    settle(c, FSD_ASPECT_OPTIONS, is_stated(old, FSD_BUILT_CALIBRATION),
           is_stated(new, FSD_BUILT_CALIBRATION));
    settle(c, FSD_ASPECT_BUILDER, states_version(old), states_version(new));
    settle(c, FSD_ASPECT_DEVICE, is_stated(old, FSD_BUILT_GPU),
           is_stated(new, FSD_BUILT_GPU));
    fsd_vec_sort(&c->account.different, by_aspect);
}

FSD_NAMES(
    fsd_aspect_name, unsigned, FSD__ASPECT_COUNT, [FSD_ASPECT_NODES] = "nodes",
    [FSD_ASPECT_CONSTANTS] = "constants", [FSD_ASPECT_PORTS] = "inputs and outputs",
    [FSD_ASPECT_PROFILES] = "profiles", [FSD_ASPECT_OPTIONS] = "build options",
    [FSD_ASPECT_BUILDER] = "version of the builder", [FSD_ASPECT_DEVICE] = "GPU")
FSD_NAMES(fsd_missing_name, unsigned, FSD_MISSING_BOTH + 1, [FSD_MISSING_OLD] = "old",
          [FSD_MISSING_NEW] = "new", [FSD_MISSING_BOTH] = "both")
