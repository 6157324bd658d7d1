/* Rules on facts that only the old build states. Nothing shows whether such a fact
 * changed, so each such fact is a finding. */
#include "judge/findings/finder.h"

static const char *const fact_names[] = {
    [FSD_FACT_TYPE] = "type", [FSD_FACT_LAYOUT] = "layout", [FSD_FACT_SHAPE] = "shape"};

static void put_before(struct fsd_finder *f, const struct fsd_fact_lost *lost)
{
    const struct fsd_state *old = f->c->old;
    const struct fsd_state_port *ports =
        lost->of == FSD_OF_OUTPUT ? old->outputs.at : old->inputs.at;

    if (lost->kind == FSD_FACT_TYPE)
        fputs(fsd_dtype_name((enum fsd_dtype)lost->before.type), f->out);
    else /* only ports have shapes */
        fputs(fsd_text(old->names, lost->kind == FSD_FACT_LAYOUT
                                       ? lost->before.layout
                                       : ports[lost->old].shape),
              f->out);
}

/* Prints the object that the fact describes, and adds the nodes of the object as
 * subjects. */
static void put_object(struct fsd_finder *f, const struct fsd_fact_lost *lost)
{
    const struct fsd_state *s = f->c->new;
    const struct fsd_state_port *port;
    const struct fsd_move *m;
    struct fsd_ends to;
    bool output;

    switch ((enum fsd_fact_of)lost->of) {
    case FSD_OF_NODE:
        break;
    case FSD_OF_EDGE:
        fsd_about_state_node(f, s, fsd_origin_node(lost->from));
        fsd_about_state_node(f, s, lost->new);
        fprintf(f->out, "the edge `%s` -> `%s`", fsd_origin_text(s, lost->from),
                fsd_text(s->names, s->nodes.at[lost->new].key));
        f->now.line = f->c->old->nodes.at[lost->old].line;
        break;
    case FSD_OF_WRITTEN:
        fsd_about_state_node(f, s, lost->new);
        fprintf(f->out, "the output of `%s`",
                fsd_text(s->names, s->nodes.at[lost->new].key));
        f->now.line = f->c->old->nodes.at[lost->old].line;
        break;
    case FSD_OF_MOVE:
        m = &s->moves.at[lost->new];
        to = fsd_ends_of_destinations(s, m->to);
        for (uint32_t i = 0; i < to.n; i++)
            fsd_about_state_node(f, s, fsd_end_node(to, i));
        fprintf(f->out, "the %s before `%s`", fsd_kind_name((enum fsd_kind)m->kind),
                to.n ? fsd_end_text(to, 0) : "?");
        f->now.line = f->c->old->moves.at[lost->old].line;
        break;
    case FSD_OF_INPUT:
    case FSD_OF_OUTPUT:
        output = lost->of == FSD_OF_OUTPUT;
        port = &(output ? s->outputs.at : s->inputs.at)[lost->new];
        fprintf(f->out, "%s `%s`", output ? "output" : "input",
                fsd_text(s->names, port->name));
        f->now.line =
            (output ? f->c->old->outputs.at : f->c->old->inputs.at)[lost->old].line;
        break;
    }
}

/* Reports a build whose dump has fewer kinds of facts. A dump without tensors or
 * Metadata states less about the same build, and so does a snapshot by an older version
 * of this program. */
void fsd_find_less_info(struct fsd_finder *f)
{
    static const char *const facts[] = {"tensors", "metadata"};
    const char *before = fsd_text(f->c->old->names, f->c->old->stated);
    const char *now = fsd_text(f->c->new->names, f->c->new->stated);

    for (size_t i = 0; i < FSD_COUNT_OF(facts) && *now; i++) {
        if (!strstr(before, facts[i]) || strstr(now, facts[i]))
            continue;
        fsd_finding_open(f);
        fprintf(f->out,
                "the layers of the snapshot have %s, but the layers of this build do "
                "not: build and dump with the verbosity of the snapshot's build",
                i ? "Metadata" : "tensors");
        f->now.of_dump = true;
        fsd_finding_close(f);
    }
    if (!f->c->old->whole || f->c->new->whole)
        return;
    fsd_finding_open(f);
    fputs("the build was passed as a snapshot that an older fusiondiff wrote; this "
          "snapshot lacks kernels, sizes of the engine's inputs and outputs, and most "
          "node attributes, so the check does not compare these facts; pass the model "
          "and the engine",
          f->out);
    fsd_finding_close(f);
}

/* Reports nodes whose precision only the old build states. Nodes of one group that had
 * the same precision are one finding. */
static void find_nodes(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    const struct fsd_state *s = c->new;
    const struct fsd_fact_lost **of_node =
        FSD_NEW(f->scratch, const struct fsd_fact_lost *, s->nodes.n);

    for (uint32_t i = 0; i < c->lost.n; i++)
        if (c->lost.at[i].of == FSD_OF_NODE)
            of_node[c->lost.at[i].new] = &c->lost.at[i];
    for (uint32_t g = 0; g < s->groups.n; g++) {
        struct fsd_span nodes = s->groups.at[g].nodes;

        for (uint32_t i = 0; i < nodes.n; i++) {
            const struct fsd_fact_lost *first = of_node[s->refs.at[nodes.at + i]];

            if (!first)
                continue;
            fsd_finding_open(f);
            for (uint32_t k = i; k < nodes.n; k++) {
                fsd_id node = s->refs.at[nodes.at + k];

                if (!of_node[node] || of_node[node]->before.type != first->before.type)
                    continue;
                fsd_about_state_node(f, s, node);
                of_node[node] = NULL;
            }
            fputs("the type of ", f->out);
            fsd_put_subjects(f, f->now.nodes);
            fputs(" is unknown; before: ", f->out);
            put_before(f, first);
            f->count = f->now.nodes.n;
            f->now.line = c->old->nodes.at[first->old].line;
            fsd_finding_close(f);
        }
    }
}

/* Reports a fact that no layer of the new build states. All places without the fact are
 * one finding, because they have one cause: the format of the dump differs. */
static bool report_never_stated(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool type = f->rule->which == FSD_FACT_TYPE;
    uint32_t n = 0;

    if (f->rule->which == FSD_FACT_SHAPE ||
        !(c->unstated & (type ? FSD_STATES_TYPES : FSD_STATES_LAYOUTS)))
        return false;
    for (uint32_t i = 0; i < c->lost.n; i++)
        n += c->lost.at[i].kind == f->rule->which;
    for (uint32_t i = 0; i < c->kernels.n; i++)
        n += type ? c->kernels.at[i].type_lost : c->kernels.at[i].layout_lost;
    if (!n)
        return true;
    fsd_finding_open(f);
    fprintf(f->out,
            "%s: the dump of the build states no %s, but the snapshot states them in "
            "%u places",
            fsd_text(c->new->names, c->new->producer), type ? "types" : "layouts", n);
    f->count = n;
    f->now.of_dump = true;
    fsd_finding_close(f);
    return true;
}

/* Whether an earlier entry of c->lost is the same fact (type, layout or shape) of the
 * same move. A move can lose a fact twice: in its input and in its output. */
static bool is_reported_before(const struct fsd_compare *c, uint32_t i)
{
    const struct fsd_fact_lost *lost = &c->lost.at[i];

    for (uint32_t k = i; lost->of == FSD_OF_MOVE && k-- > 0;) {
        if (c->lost.at[k].of != FSD_OF_MOVE || c->lost.at[k].new != lost->new)
            return false;
        if (c->lost.at[k].kind == lost->kind)
            return true;
    }
    return false;
}

/* Reports facts of one kind that only the old build states. f->rule->which selects the
 * kind. */
void fsd_find_lost_facts(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;

    if (report_never_stated(f))
        return;
    if (f->rule->which == FSD_FACT_TYPE)
        find_nodes(f);
    for (uint32_t i = 0; i < c->lost.n; i++) {
        const struct fsd_fact_lost *lost = &c->lost.at[i];

        if (lost->kind != f->rule->which || lost->of == FSD_OF_NODE ||
            is_reported_before(c, i))
            continue;
        fsd_finding_open(f);
        put_object(f, lost);
        fprintf(f->out, ": the %s is unknown; before: ", fact_names[lost->kind]);
        put_before(f, lost);
        fsd_finding_close(f);
    }
    if (f->rule->which != FSD_FACT_SHAPE)
        fsd_find_lost_kernel_facts(f);
}
