/*
 * Reads the lines of the builder's optimizer.  The words at the beginning of a line,
 * and the words between its parts, show the meaning of the line.  There is no list of
 * passes, so lines of unknown passes are read, too.
 *
 * A word such as " with " or " to " separates two parts of a line, but a name may
 * contain this word, too.  find_between() chooses the occurrence that separates the
 * parts.
 */
#include "read/log/log.h"

/* Returns the position of a word between two names.  The first choice is an occurrence
 * with a known name on both sides.  The second choice is an occurrence outside
 * brackets.  The third choice is the first occurrence in the line. */
static const char *find_between(const struct fsd_event_reader *r, struct fsd_slice p,
                                const char *word)
{
    size_t n = strlen(word);
    const char *first = NULL, *outside = NULL, *done = p.s;
    int depth = 0, tries = 0;

    for (const char *at = fsd_slice_find(p, word); at && tries < 64; tries++) {
        struct fsd_slice left = p, right = fsd_slice_split(&left, at, n);

        if (fsd_intern_has(r->h->names, left.s, left.n) &&
            fsd_intern_has(r->h->names, right.s, right.n))
            return at;
        for (; done < at; done++)
            depth += (*done == '(' || *done == '[') - (*done == ')' || *done == ']');
        if (!first)
            first = at;
        if (!outside && depth == 0)
            outside = at;
        at = fsd_slice_find(right, word);
    }
    return outside ? outside : first;
}

static bool cut_between(const struct fsd_event_reader *r, struct fsd_slice *p,
                        const char *word, struct fsd_slice *right)
{
    const char *at = find_between(r, *p, word);

    if (at)
        *right = fsd_slice_split(p, at, strlen(word));
    return at != NULL;
}

static const struct fsd_slice none = {"", 0};

/* Stores an event with up to three names. */
static struct fsd_event *keep(struct fsd_event_reader *r, enum fsd_event_kind kind,
                              struct fsd_slice a, struct fsd_slice b,
                              struct fsd_slice text)
{
    fsd_vec_push(r->h->arena, &r->h->events,
                 (struct fsd_event){.kind = kind,
                                    .a = fsd_intern_slice(r->h->names, a),
                                    .b = fsd_intern_slice(r->h->names, b),
                                    .text = fsd_intern_slice(r->h->names, text),
                                    .line = r->line,
                                    .build = r->build});
    return &r->h->events.at[r->h->events.n - 1];
}

/* ----------------------------------------------------- fusions, and moves of layers */

/* The forms of lines that consist of a word, one or two names, and a word between the
 * names.
 */
static const struct {
    const char *begins, *between;
    enum fsd_event_kind kind;
} forms[] = {
    {"Fusing ", " with ", FSD_EVENT_FUSE},
    /* Passes that quantize write "fusing" in lower case: "fusing (DequantizeLinear_30
     * and DequantizeLinear_33) into Conv_34".  The name of the fused layer does not
     * contain the absorbed nodes. */
    {"fusing ", " into ", FSD_EVENT_INTO},
    {"Swapping ", " with ", FSD_EVENT_SWAP},
    {"Retargeting ", " to ", FSD_EVENT_RETARGET},
    {"Merging layers: ", NULL, FSD_EVENT_MERGE},
    {"Eliminating concatenation ", NULL, FSD_EVENT_CONCAT},
};

static bool read_form(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b = none, sum = none;

    for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
        struct fsd_slice a = p;

        if (!fsd_slice_take(&a, forms[i].begins))
            continue;
        if (forms[i].between && !cut_between(r, &a, forms[i].between, &b))
            return false;
        /* The line does not state the name of the fused layer.  Later lines call it "A
         * + B". */
        if (forms[i].kind == FSD_EVENT_FUSE) {
            const struct fsd_slice parts[] = {a, {" + ", 3}, b};

            r->sum.n = 0;
            for (size_t k = 0; k < FSD_COUNT_OF(parts); k++)
                for (size_t c = 0; c < parts[k].n; c++)
                    fsd_vec_push(r->h->arena, &r->sum, parts[k].s[c]);
            sum = (struct fsd_slice){r->sum.at, r->sum.n};
        }
        return keep(r, forms[i].kind, a, b, sum);
    }
    return false;
}

/* Reads a line that begins with a pass, such as "P: Fusing A with B". */
static bool read_pass(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice pass = fsd_slice_take_word(&p);

    if (!pass.n || !fsd_slice_take(&p, ": ") || !p.n || (*p.s | 32) != 'f' ||
        !read_form(r, p))
        return false;
    r->h->events.at[r->h->events.n - 1].pass = fsd_intern_slice(r->h->names, pass);
    return true;
}

/* Reads the line with which a pass begins to examine a layer: "Running: PASS on LAYER".
 * TensorRT 8.2 does not state the layer, and TensorRT 8.0 prints no such line. */
static bool read_running(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice on = none;

    if (!fsd_slice_take(&p, "Running: "))
        return false;
    fsd_slice_split_at(&p, " on ", &on);
    r->tried = fsd_intern_slice(r->h->names, p);
    r->tried_on = fsd_intern_slice(r->h->names, on);
    keep(r, FSD_EVENT_TRY, on, none, none)->pass = r->tried;
    return true;
}

/* --------------------------------------------------------------------- removals */

/* Reads the removal of a layer.  The line does not state the pass: it is the pass of
 * the last "Running:" line. */
static bool read_removing(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_event *e;

    if (!fsd_slice_take(&p, "Removing "))
        return false;
    e = keep(r, FSD_EVENT_REMOVE, p, none, none);
    e->pass = r->tried;
    e->b = r->tried_on;
    return true;
}

/* Reads the removal of a duplicate.  A Q or DQ is a duplicate if another Q or DQ of the
 * same tensor has the same scale.  If the builder keeps both, their scales differ. */
static bool read_duplicate(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b, kind;

    if (!cut_between(r, &p, " which duplicates ", &b))
        return false;
    kind = b;
    if (*b.s == '(' && b.n && fsd_slice_split_at(&kind, ") ", &b)) {
        kind.s++;
        kind.n--;
    } else {
        kind.n = 0;
    }
    return keep(r, FSD_EVENT_DUPLICATE, p, b, kind);
}

/* Reads the removal of a slice.  A slice outputs a part of its input tensor.  If the
 * neighbors of the slice can read this part in place, the builder eliminates the slice.
 * Otherwise, the builder replaces the slice by a copy layer. */
static bool read_slice(struct fsd_event_reader *r, struct fsd_slice p, const char *by)
{
    struct fsd_slice how = none;
    const char *at = fsd_slice_find(p, by);

    if (at) {
        how = fsd_slice_split(&p, at, 0);
        fsd_slice_drop(&how, ".");
    }
    return keep(r, FSD_EVENT_SLICE, p, none, how);
}

static bool read_eliminating(struct fsd_event_reader *r, struct fsd_slice p)
{
    if (!fsd_slice_take(&p, "Eliminating "))
        return fsd_slice_take(&p, "Replacing slice ") &&
               read_slice(r, p, " with copy ");
    if (fsd_slice_take(&p, "slice "))
        return read_slice(r, p, " by retargeting ");
    return read_duplicate(r, p);
}

/* ------------------------------------------------------------------ new layers */

/* Reads a change of a layer's type.  From this line on, lists of layers state the new
 * type: CONVOLUTION for a MatMul with constant weights, POINTWISE for an
 * ElementWise. */
static bool read_retype(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice types;

    return (fsd_slice_take(&p, "Swap the layer type of ") ||
            fsd_slice_take(&p, "Convert layer type of ")) &&
           fsd_slice_split_last(&p, " from ", &types) &&
           keep(r, FSD_EVENT_RETYPE, p, none, types);
}

/* Reads a copy layer and its reason.  TensorRT's words for the reasons have these
 * meanings.  "stomping hazard": another layer reads the tensor.  "not movable": the
 * input is a network input or a constant.  "does not support striding": the input
 * belongs to a plugin, or has a format without strides. */
static bool read_copy(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice b, why = none;

    if (!fsd_slice_take(&p, "Generating copy for "))
        return false;
    fsd_slice_split_last(&p, " because ", &why);
    fsd_slice_drop(&why, ".");
    return cut_between(r, &p, " to ", &b) && keep(r, FSD_EVENT_COPY, p, b, why);
}

/* Reads a line like "Adding reformat layer: NAME (TENSOR) from A to B". */
static bool read_reformat(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice tensor = none, how = none;
    const char *at;

    if (!fsd_slice_take(&p, "Adding reformat layer: "))
        return false;
    fsd_slice_split_last(&p, " from ", &how);
    at = fsd_slice_find_last(p, " (");
    if (at && fsd_slice_drop(&p, ")"))
        tensor = fsd_slice_split(&p, at, 2);
    return keep(r, FSD_EVENT_REFORMAT, p, tensor, how);
}

/* Reads the members of a region.  TensorRT 10.16 prints this line, TensorRT 8 does not.
 * Without it, the name of a region shows only the first and the last node, and the
 * other nodes are only in the Metadata. */
static bool read_members(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice members;

    if (!fsd_slice_take(&p, "ForeignNode ") ||
        !fsd_slice_split_at(&p, " metadata:", &members))
        return false;
    fsd_slice_take(&members, " ");
    return keep(r, FSD_EVENT_MEMBERS, p, none, members);
}

/* Reads a line like "Found /attn1/Softmax to be part of self-attention pattern." */
static bool read_pattern(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice pattern;

    fsd_slice_drop(&p, ".");
    return fsd_slice_take(&p, "Found ") && fsd_slice_drop(&p, " pattern") &&
           fsd_slice_split_at(&p, " to be part of ", &pattern) &&
           keep(r, FSD_EVENT_PATTERN, p, none, pattern);
}

/* Reads the tactics that the compiler of a region measured.  TensorRT prints them since
 * 10.8, the fastest first:
 *
 *      (foreignNode) Autotuning op node_linear: [ONNX Layer: node_linear]
 *      (foreignNode) tactic_id, cost(in ms), cost/fastest_cost, ..., kernel_name, ...
 *      (foreignNode)    0, 0.0188384, 1.00000, 0.92564, sm80_xmma_gemm_..., 0x12, 0
 */
static bool read_tuning(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice members, cells[5], rest;
    char text[320];
    size_t n = 0;

    if (!fsd_slice_take(&p, " (foreignNode) "))
        return false;
    fsd_slice_skip(&p, " ");
    if (fsd_slice_take(&p, "Autotuning op ")) {
        p = fsd_slice_trim(p);
        if (!fsd_slice_split_at(&p, ": [", &members)) /* the line has no Metadata */
            fsd_slice_drop(&p, ":");
        r->tuned = p;
        r->tuned_of =
            fsd_slice_begins(r->timed.text, "{ForeignNode[") ? r->timed.text : none;
        r->tuned_rows = 0;
        return true;
    }
    for (rest = p; n < FSD_COUNT_OF(cells) && rest.n; n++) {
        cells[n] = rest;
        if (!fsd_slice_split_at(&cells[n], ", ", &rest))
            rest.n = 0;
    }
    if (n < FSD_COUNT_OF(cells) || !r->tuned.n || !fsd_is_digit(*p.s))
        return true;
    if (r->effort != FSD_NONE)
        r->h->efforts.list.at[r->effort].tactics++;
    if (r->tuned_rows >= 2)
        return true;
    snprintf(text, sizeof text, "%.*s %.*s ms",
             (int)(cells[4].n > 120 ? 120 : cells[4].n), cells[4].s,
             (int)(cells[1].n > 12 ? 12 : cells[1].n), cells[1].s);
    if (!r->tuned_rows++) {
        keep(r, FSD_EVENT_TUNED, r->tuned, r->tuned_of, fsd_slice_of(text));
    } else { /* the second row: the event of the first row now states both tactics */
        struct fsd_event *e = &r->h->events.at[r->h->events.n - 1];
        char both[640];

        snprintf(both, sizeof both, "%s, then %s", fsd_text(r->h->names, e->text),
                 text);
        if (e->kind == FSD_EVENT_TUNED)
            e->text = fsd_intern_str(r->h->names, both);
    }
    return true;
}

/* Reads a line about a stage, like "After vertical fusions: 10 layers".  The line ends
 * the pass of the last "Running:" line.  TensorRT prints the lines of all stages once
 * for calibration, and then once per optimization profile. */
static bool read_stage(struct fsd_event_reader *r, struct fsd_slice p)
{
    struct fsd_slice number;

    if (!fsd_slice_drop(&p, " layers") || !fsd_slice_split_at(&p, ": ", &number))
        return false;
    r->tried = r->tried_on = 0;
    return keep(r, FSD_EVENT_STAGE, p, none, number);
}

/* --------------------------------------------------------------------- warnings */

/* Warnings that a reviewer should see, each with words that identify the message. */
static const struct {
    const char *words, *topic;
} warnings[] = {
    {"Missing scale and zero-point for tensor", "missing-scale"},
    {"Missing dynamic range for tensor", "missing-scale"}, /* TensorRT 7 */
    {"is disable due to incompatible driver or nvrtc", "fusion-disabled"},
    {"is disabled due to incompatible driver or nvrtc", "fusion-disabled"},
    {"do not have sufficient workspace memory", "workspace"},
    {"insufficient workspace", "workspace"},
    {"ficient memory on requested size", "workspace"}, /* also "insuficient" */
    {"obeys the requested constraints", "constraint"},
    {"Calibrator won't be used", "calibrator"},
    {"alibrator is not being used", "calibrator"},
    {"hardware does not accelerate FP4", "fp4"},
};

static bool read_warning(struct fsd_event_reader *r, struct fsd_slice p)
{
    for (size_t i = 0; i < FSD_COUNT_OF(warnings); i++)
        if (fsd_slice_find(p, warnings[i].words))
            return keep(r, FSD_EVENT_WARNING, fsd_slice_of(warnings[i].topic), none, p);
    return false;
}

/* ------------------------------------------------------------------------ lines */

/* Whether the line is a frequent line without facts that the history needs. */
static bool is_noise(struct fsd_slice p)
{
    switch (*p.s) {
    case 'T':
        return fsd_slice_begins(p, "Tactic");
    case '>':
        return fsd_slice_begins(p, ">>>>>>>>>>>>>");
    case 'S':
        return fsd_slice_begins(p, "Set Tactic") || fsd_slice_begins(p, "Searching ");
    case 'E':
        return fsd_slice_begins(p, "Engine Layer Information");
    default:
        return false;
    }
}

/* Reads a line that begins with "Skipping ", and stores the reason why the builder
 * skipped tactics, if the line states one.  Returns true if the line is verbose.  If it
 * is not, returns false, because it may also be a warning: read_warning() then reads
 * it, too. */
static bool read_skipping(struct fsd_event_reader *r, struct fsd_slice p)
{
    return fsd_slice_begins(p, "Skipping ") && fsd_log_effort_skipped(r, p) &&
           r->severity == 'V';
}

typedef bool reader_fn(struct fsd_event_reader *r, struct fsd_slice p);

/* The functions that read lines; each gets only lines that begin with `first`. */
static const struct {
    char first;
    reader_fn *read;
} readers[] = {
    {'R', read_running},     {'R', read_removing}, {'R', read_form},
    {'R', read_eliminating}, {'E', read_form},     {'S', read_form},
    {'E', read_eliminating}, {'S', read_retype},   {'C', read_retype},
    {'M', read_form},        {'G', read_copy},     {'A', read_reformat},
    {'A', read_stage},       {'O', read_stage},    {'S', read_skipping},
    {'F', read_members},     {'F', read_form},     {'f', read_form},
    {'F', read_pattern},     {' ', read_tuning},
};

bool fsd_event_read(struct fsd_event_reader *r, struct fsd_slice p)
{
    while (p.n && (p.s[p.n - 1] == ' ' || p.s[p.n - 1] == '\r'))
        p.n--;
    if (!p.n || is_noise(p) || fsd_timing_read(r, p))
        return true;
    for (size_t i = 0; i < FSD_COUNT_OF(readers); i++)
        if (readers[i].first == *p.s && readers[i].read(r, p))
            return true;
    return read_pass(r, p) || fsd_timing_fastest(r, p) || fsd_timing_cached(r, p) ||
           (*p.s != 'S' && fsd_log_effort_skipped(r, p)) ||
           fsd_log_effort_whole(r, p) ||
           (r->severity != 'V' && (fsd_log_device_read(r, p) || read_warning(r, p)));
}
