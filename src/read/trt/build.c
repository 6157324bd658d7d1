/*
 * Builds the graph of an engine, independently of the syntax of the dump.
 *
 * It also decides which tensors are inputs and outputs of the engine.
 * 1. If the dump lists bindings: a binding that a layer produces is an output, and any
 *    other binding is an input.
 * 2. Without bindings, but with a model that states its inputs: a tensor is an input or
 *    output if the model has an input or output with this name.  A tensor without a
 *    producer need not be an input: it may be a constant inside a Myelin region
 *    (`__mye519_dconst`).
 * 3. Otherwise: tensors that no layer produces are inputs, unless they have the name of
 *    a constant.  Tensors that no layer consumes are outputs.
 */
#include "read/trt/build.h"
#include "read/trt/trt.h"
#include "read/engine/reader.h"
#include "base/base.h"
#include "read/trt/name.h"
#include "host/files.h"

enum { PRODUCED = 1, CONSUMED = 2 };

void fsd_build_init(struct fsd_build *b, struct fsd_graph *g,
                    const struct fsd_vocab *vocab)
{
    *b = (struct fsd_build){.g = g, .vocab = vocab};
    g->profiles = g->profiles ? g->profiles : 1;
    b->names =
        (struct fsd_name_reader){.g = g, .vocab = vocab, .brackets.arena = g->arena};
}

void fsd_build_remark(struct fsd_build *b, const char *rule, fsd_sym text)
{
    fsd_id node = b->in_layer ? b->g->nodes.n : FSD_NONE;

    fsd_vec_push(b->g->arena, &b->g->remarks,
                 (struct fsd_remark){
                     .rule = rule, .node = node, .tensor = FSD_NONE, .text = text});
}

/* --------------------------------------------------------------------- layers */

enum { MOST_REGIONS = 1 << 12 };

/* Removes the number at the end of the text and returns it; -1 if there is none. */
static int32_t cut_number(struct fsd_slice *t)
{
    int32_t number = 0;
    size_t n = t->n;

    while (n && t->s[n - 1] >= '0' && t->s[n - 1] <= '9')
        n--;
    for (size_t i = n; i < t->n; i++)
        number = number < MOST_REGIONS ? 10 * number + (t->s[i] - '0') : number;
    if (n == t->n)
        return -1;
    t->n = n;
    return number;
}

/* Returns the number of the region of a Myelin kernel: 1 for "k_myl1_7"; -1 if the name
 * is no kernel's. */
static int32_t region_of(struct fsd_slice name)
{
    int32_t region;

    if (cut_number(&name) < 0 || !fsd_slice_drop(&name, "_"))
        return -1;
    region = cut_number(&name);
    return region < MOST_REGIONS && fsd_slice_drop(&name, "_myl") ? region : -1;
}

/* Whether names of the model contain FSD_TRT_PROFILE.  This text then does not show the
 * optimization profile of a layer. */
static bool names_hold_profiles(const struct fsd_build *b)
{
    const struct fsd_graph *model = b->vocab ? b->vocab->model : NULL;

    for (fsd_id i = 0; model && i < model->nodes.n; i++)
        if (strstr(fsd_text(model->names, model->nodes.at[i].name), FSD_TRT_PROFILE))
            return true;
    for (fsd_id i = 0; model && i < model->tensors.n; i++)
        if (strstr(fsd_text(model->names, model->tensors.at[i].name), FSD_TRT_PROFILE))
            return true;
    return false;
}

void fsd_build_foresee(struct fsd_build *b, struct fsd_slice name,
                       struct fsd_slice text)
{
    const char *at = fsd_slice_find(text, FSD_TRT_PROFILE);
    int32_t region = at ? region_of(name) : -1;
    uint64_t number;

    if (region < 0)
        return;
    if (!b->looked)
        b->ambiguous = names_hold_profiles(b);
    b->looked = true;
    if (b->ambiguous)
        return;
    text = fsd_slice_from(text, (size_t)(at - text.s) + strlen(FSD_TRT_PROFILE));
    if (!fsd_slice_take_number(&text, MOST_REGIONS, &number) ||
        !fsd_slice_take(&text, "]"))
        return;
    while (b->profile_of.n <= (uint32_t)region)
        fsd_vec_push(b->g->arena, &b->profile_of, -1);
    b->profile_of.at[region] = (int32_t)number;
}

/* Returns the optimization profile of a layer, from its name or from its region; the
 * first profile if neither shows a number. */
static int32_t profile_of(const struct fsd_build *b, fsd_sym name)
{
    struct fsd_slice text = {fsd_text(b->g->names, name),
                             fsd_text_len(b->g->names, name)};
    int32_t region = b->profile_of.n ? region_of(text) : -1, profile = -1;

    if (region >= 0 && (uint32_t)region < b->profile_of.n)
        profile = b->profile_of.at[region];
    if (b->layer.profile >= 0)
        profile = b->layer.profile;
    return profile < 0 ? 0 : profile;
}

void fsd_build_layer(struct fsd_build *b, fsd_sym name, fsd_sym type)
{
    struct fsd_graph *g = b->g;
    const char *op = fsd_text(g->names, type);
    int32_t profile;

    b->node = (struct fsd_node){.name = name,
                                .op = type,
                                .where = g->nodes.n,
                                .in.at = g->ports.n,
                                .attrs.at = g->attrs.n};
    b->layer = (struct fsd_layer){.mentions.at = g->mentions.n};
    b->remarks = g->remarks.n;
    b->origin = FSD_TRT_ORIGIN_NONE;
    b->subtype = 0;
    b->in_layer = true;
    if (type)
        g->detailed = true;
    if (!strcasecmp(op, "kgen") || !strcasecmp(op, "gemm"))
        b->seen |= FSD_SEEN_KERNELS;
    fsd_name_read(&b->names, name, &b->layer);
    profile = profile_of(b, name);
    if (g->profile < 0)
        g->profile = profile;
    if (g->profiles <= (uint32_t)profile)
        g->profiles = (uint32_t)profile + 1;
    b->elsewhere = g->profile != profile;
}

/* Reads the spelling of a format.  The formats of many tensors have the same spelling,
 * so each spelling is parsed once, and gets at most one remark. */
static struct fsd_trt_format read_format(struct fsd_build *b, fsd_sym spelling)
{
    while (b->format_of.n <= spelling)
        fsd_vec_push(b->g->arena, &b->format_of, FSD_NONE);
    if (b->format_of.at[spelling] == FSD_NONE) {
        struct fsd_trt_format format = fsd_trt_format(
            fsd_text(b->g->names, spelling), fsd_text_len(b->g->names, spelling));

        if (!format.understood)
            fsd_build_remark(b, "input/unknown-format", spelling);
        b->format_of.at[spelling] = b->formats.n;
        fsd_vec_push(b->g->arena, &b->formats, format);
    }
    return b->formats.at[b->format_of.at[spelling]];
}

/* Replaces the layout by the layout that the strides show, because strides are more
 * precise than the words of the format.  But strides show neither vectors nor padding.
 * A layout with vectors is therefore kept.  A layout with padding is kept if the
 * strides show the same order. */
static void lay_by_strides(const struct fsd_build_tensor *tensor,
                           struct fsd_layout *layout)
{
    int64_t sizes[FSD_LAYOUT_AXES];
    struct fsd_layout found;

    if (!tensor->order || tensor->rank > FSD_LAYOUT_AXES ||
        layout->order == FSD_ORDER_VECTORIZED)
        return;
    for (uint32_t i = 0; i < tensor->rank; i++)
        sizes[i] = tensor->dims[i].size;
    found = fsd_layout_by_strides(tensor->order, sizes, tensor->rank);
    if (found.order != layout->order || layout->pad < 2)
        *layout = found;
}

static fsd_id add_form(struct fsd_build *b, const struct fsd_build_tensor *tensor)
{
    struct fsd_form form = {.ranked = tensor->ranked, .raw = tensor->format};

    if (tensor->format) {
        struct fsd_trt_format format = read_format(b, tensor->format);

        form.type = format.type;
        form.layout = format.layout;
    }
    if (tensor->type) {
        form.type = read_format(b, tensor->type).type;
        if (!form.raw)
            form.raw = tensor->type;
    }
    lay_by_strides(tensor, &form.layout);
    if (tensor->strides) {
        form.strides = (struct fsd_span){b->g->ints.n, tensor->rank};
        for (uint32_t i = 0; i < tensor->rank; i++)
            fsd_vec_push(b->g->arena, &b->g->ints, tensor->strides[i]);
    }
    /* A size like "64:8" states that the axis is padded to a multiple of 8.  It does
     * not state the order of the axes. */
    if (tensor->vector) {
        form.layout.pad = tensor->vector;
        form.layout.axis = tensor->vector_axis;
    }
    return fsd_graph_add_form(b->g, form, tensor->dims, tensor->rank);
}

static fsd_id tensor_named(struct fsd_build *b, fsd_sym name)
{
    fsd_id id = fsd_graph_find(b->g, name, 0);

    if (id == FSD_NONE)
        id = fsd_graph_add_tensor(b->g, name, 0);
    while (b->uses.n <= id)
        fsd_vec_push(b->g->arena, &b->uses, 0);
    return id;
}

void fsd_build_port(struct fsd_build *b, enum fsd_direction direction,
                    const struct fsd_build_tensor *tensor)
{
    struct fsd_graph *g = b->g;
    bool out = direction == FSD_DIRECTION_OUT;
    struct fsd_span *span = direction == FSD_DIRECTION_CONSTANT ? &b->layer.constants
                            : out                               ? &b->node.out
                                                                : &b->node.in;
    struct fsd_port port = {FSD_NONE, FSD_NONE};

    if (b->elsewhere)
        return;
    port.form = add_form(b, tensor);
    if (tensor->name) {
        uint8_t *uses;

        /* Each port has a form of its own: for example, a pooling outputs [1,64,7,7],
         * and the next layer, a gemm, reads the same tensor as [1,3136]. */
        port.tensor = tensor_named(b, tensor->name);
        uses = &b->uses.at[port.tensor];
        /* A tensor has the form at its first producer or, if it has none, at its first
         * consumer. */
        if (!*uses || (out && !(*uses & PRODUCED)))
            g->tensors.at[port.tensor].form = port.form;
        *uses |= out ? PRODUCED : CONSUMED;
    } else {
        fsd_build_remark(b, "input/unnamed-tensor", b->node.name);
    }
    if (!span->n)
        span->at = g->ports.n;
    span->n++;
    fsd_vec_push(g->arena, &g->ports, port);
}

void fsd_build_metadata(struct fsd_build *b, fsd_sym metadata)
{
    b->seen |= FSD_SEEN_STREAM;
    if (b->elsewhere)
        return;
    b->layer.metadata = metadata;
    fsd_metadata_read(b->g, b->vocab, metadata);
}

void fsd_build_origin(struct fsd_build *b, fsd_sym origin)
{
    static const struct {
        const char *word;
        enum fsd_trt_origin origin;
    } words[] = {{"REFORMAT", FSD_TRT_ORIGIN_REFORMAT},
                 {"SLICE", FSD_TRT_ORIGIN_SLICE},
                 {"QDQ", FSD_TRT_ORIGIN_QDQ},
                 {"IDENTITY", FSD_TRT_ORIGIN_IDENTITY}};

    b->layer.origin = origin;
    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (!strcasecmp(words[i].word, fsd_text(b->g->names, origin)))
            b->origin = words[i].origin;
}

void fsd_build_attr(struct fsd_build *b, struct fsd_attr attr)
{
    fsd_vec_push(b->g->arena, &b->g->attrs, attr);
    b->node.attrs.n++;
}

/* Changes each FSD_MENTION_UNKNOWN of the current layer to FSD_MENTION_HELPER.  Called
 * for a layer that TensorRT added for itself: names that the model does not have are
 * TensorRT's own. */
static void own_names(struct fsd_build *b)
{
    for (uint32_t i = b->layer.mentions.at; i < b->g->mentions.n; i++)
        if (b->g->mentions.at[i].role == FSD_MENTION_UNKNOWN)
            b->g->mentions.at[i].role = FSD_MENTION_HELPER;
}

/* Adds a remark if the name of the kernel states a type that no input of the layer has.
 * The name of the kernel or the types of the inputs are then wrong, so conclusions from
 * them may be wrong, too. */
static void remark_contradiction(struct fsd_build *b)
{
    struct fsd_graph *g = b->g;
    const char *kernel = fsd_text(g->names, b->layer.tactic);
    enum fsd_dtype reads = fsd_trt_kernel_reads(kernel), type = FSD_DTYPE_UNKNOWN;
    struct fsd_span in = b->node.in;

    for (uint32_t i = 0; i < in.n && reads != FSD_DTYPE_UNKNOWN; i++) {
        type = fsd_port_form(g, &g->ports.at[in.at + i])->type;
        if (type == reads || type == FSD_DTYPE_UNKNOWN)
            return;
    }
    if (type != FSD_DTYPE_UNKNOWN)
        fsd_build_remark(
            b, "input/contradiction",
            fsd_intern_str(g->names, fsd_printed(g->arena,
                                                 "the name of kernel %s states "
                                                 "%s inputs, but the input "
                                                 "tensors of its layer are %s",
                                                 kernel, fsd_dtype_name(reads),
                                                 fsd_dtype_name(type))));
}

void fsd_build_layer_end(struct fsd_build *b)
{
    struct fsd_graph *g = b->g;

    if (!b->elsewhere)
        remark_contradiction(b);
    b->in_layer = false;
    if (b->elsewhere) { /* discards all facts that were read about the layer */
        fsd_vec_push(g->arena, &g->elsewhere, b->node.name);
        g->mentions.n = b->layer.mentions.at;
        g->remarks.n = b->remarks;
        return;
    }
    if (fsd_trt_is_own_type(fsd_text(g->names, b->node.op)))
        own_names(b);
    b->layer.mentions.n = g->mentions.n - b->layer.mentions.at;
    b->layer.subtype = b->subtype;
    fsd_trt_facts(g->names, &b->node, b->origin, &b->layer);
    fsd_trt_kernel(g, &b->node, &b->layer);
    if (!strcmp(fsd_text(g->names, b->subtype), "Convolution")) {
        const struct fsd_attr *maps = fsd_node_attr(g, &b->node, "OutMaps");

        b->layer.maps = maps && maps->kind == FSD_ATTR_INT ? maps->i : 0;
    }
    fsd_graph_add_node(g, b->node);
    fsd_vec_push(g->arena, &g->layers, b->layer);
}

/* ------------------------------------------------------------- in- and outputs */

enum { MODEL_FLAGS = FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT };

/* Returns the flags of the model's tensor with this name; 0 if there is none. */
static uint8_t model_flags(const struct fsd_build *b, fsd_sym name)
{
    const struct fsd_meaning *what =
        b->vocab ? fsd_vocab_find(b->vocab, fsd_text(b->g->names, name),
                                  fsd_text_len(b->g->names, name))
                 : NULL;
    const struct fsd_tensor *tensor = fsd_meaning_tensor(b->vocab, what);

    return tensor->scope ? 0 : tensor->flags & MODEL_FLAGS;
}

/* Returns the tensor of the binding `name`; FSD_NONE if the binding belongs to another
 * profile.  A dump may list a binding only once for all profiles.  For profile 1, "x"
 * is then the tensor that the layers call "x [profile 1]". */
static fsd_id bound_tensor(struct fsd_build *b, fsd_sym name)
{
    struct fsd_graph *g = b->g;
    int32_t profile = g->profile < 0 ? 0 : g->profile;
    int32_t number = fsd_trt_tensor_profile(g->names, name);
    fsd_id numbered = FSD_NONE;

    if (number >= 0 && number != profile && fsd_graph_find(g, name, 0) == FSD_NONE)
        return FSD_NONE;
    if (number < 0 && profile > 0)
        numbered = fsd_graph_find(
            g,
            fsd_intern_str(g->names, fsd_printed(g->arena, "%s [profile %d]",
                                                 fsd_text(g->names, name), profile)),
            0);
    return numbered != FSD_NONE ? numbered : tensor_named(b, name);
}

void fsd_build_binding(struct fsd_build *b, const struct fsd_build_tensor *tensor,
                       enum fsd_direction direction)
{
    fsd_id id = bound_tensor(b, tensor->name);
    uint8_t flags;

    if (id == FSD_NONE)
        return;
    /* A list of names states no directions.  So a tensor that a layer produces is an
     * output, and any other tensor of a layer is an input.  If the tensor belongs to no
     * layer, the model shows the direction. */
    if (direction == FSD_DIRECTION_UNKNOWN)
        flags = b->uses.at[id] & PRODUCED   ? FSD_TENSOR_OUTPUT
                : b->uses.at[id] & CONSUMED ? FSD_TENSOR_INPUT
                                            : model_flags(b, b->g->tensors.at[id].name);
    else
        flags = direction == FSD_DIRECTION_IN ? FSD_TENSOR_INPUT : FSD_TENSOR_OUTPUT;
    flags |= FSD_TENSOR_BINDING;
    b->bound = true;
    b->g->tensors.at[id].flags |= flags;
    b->g->tensors.at[id].ranges = tensor->ranges;
    b->g->tensors.at[id].outside = tensor->outside;
    if (tensor->type || tensor->ranked) {
        fsd_id form = add_form(b, tensor);

        b->g->tensors.at[id].bound = form;
        b->g->tensors.at[id].form = fsd_id_or(b->g->tensors.at[id].form, form);
    }
    if (tensor->optimum)
        b->g->tensors.at[id].optimum = fsd_graph_add_form(
            b->g, (struct fsd_form){.ranked = true}, tensor->optimum, tensor->rank);
}

/* Whether the model states its inputs.  A model made from the names in an engine
 * (`named_only`) does not.  A model from an excerpt of a log may lack them. */
static bool states_inputs(const struct fsd_vocab *vocab)
{
    const struct fsd_graph *model = vocab ? vocab->model : NULL;

    for (fsd_id i = 0; model && !model->named_only && i < model->tensors.n; i++)
        if (model->tensors.at[i].flags & FSD_TENSOR_INPUT &&
            !model->tensors.at[i].scope)
            return true;
    return false;
}

static uint8_t guessed_flags(const struct fsd_build *b, fsd_id tensor, bool by_model)
{
    const struct fsd_tensor *t = &b->g->tensors.at[tensor];
    struct fsd_slice name = fsd_slice_of(fsd_text(b->g->names, t->name));
    uint8_t uses = b->uses.at[tensor] & (PRODUCED | CONSUMED);
    uint8_t guess = uses == CONSUMED   ? FSD_TENSOR_INPUT
                    : uses == PRODUCED ? FSD_TENSOR_OUTPUT
                                       : 0;

    if (by_model && uses & PRODUCED)
        return model_flags(b, t->name) & FSD_TENSOR_OUTPUT;
    if (by_model)
        return model_flags(b, t->name) & FSD_TENSOR_INPUT;
    if (guess == FSD_TENSOR_INPUT && /* the name shows that the tensor is a constant
                                        inside a region */
        (fsd_slice_begins(name, "__mye") || fsd_slice_drop(&name, "const") ||
         fsd_is_weight_name(name)))
        return 0;
    return guess;
}

/* ------------------------------------------------------------------- finishing */

/* Returns the range of TensorRT versions that may have written the dump.  JSON and some
 * logs do not state the version, but their keys depend on it. */
static const char *generation(const struct fsd_build *b)
{
    if (b->seen & FSD_SEEN_IO_TENSORS)
        return "TensorRT 11 or later";
    if (b->seen & FSD_SEEN_OLD_LINES) /* TensorRT 8.5 writes such lines, too */
        return "TensorRT 8.5 or earlier";
    if (b->seen & FSD_SEEN_NEW_LINES)
        return "TensorRT 8.5 or later";
    if (!b->g->detailed)
        return "TensorRT";
    if (b->seen & FSD_SEEN_KERNELS)
        return "TensorRT 9 or later";
    if (b->seen & FSD_SEEN_STREAM)
        return "TensorRT 8.6 or later";
    if (b->seen & FSD_SEEN_DYNAMIC_FILTER)
        return "TensorRT 8.5";
    if (b->seen & FSD_SEEN_CONVOLUTION)
        return b->seen & FSD_SEEN_LOCATION ? "TensorRT 8.2 to 8.4" : "TensorRT 8.2";
    return "TensorRT 8.2 to 8.5";
}

/* Finds loops: if a layer names an earlier layer as the target of a jump, both and all
 * layers between them are a loop. */
static void find_jumps(struct fsd_graph *g)
{
    static const char *const keys[] = {"JumpTarget", "JumpTargetThen",
                                       "JumpTargetElse"};
    FSD_SCRATCH(scratch);
    fsd_id *named = NULL; /* indexed by symbol: the number of the first layer with this
                             name, plus 1 */

    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < FSD_COUNT_OF(keys); k++) {
            const struct fsd_attr *to = fsd_node_attr(g, &g->nodes.at[i], keys[k]);
            fsd_id first;

            if (!to || to->kind != FSD_ATTR_STRING)
                continue;
            g->jumps = true;
            if (!named) {
                named = FSD_NEW(scratch, fsd_id, fsd_intern_count(g->names));
                for (fsd_id n = g->nodes.n; n-- > 0;)
                    named[g->nodes.at[n].name] = n + 1;
            }
            first = named[to->s];
            if (first && first - 1 <= i)
                fsd_vec_push(g->arena, &g->loops,
                             ((struct fsd_span){first - 1, i + 2 - first}));
        }
}

void fsd_build_finish(struct fsd_build *b)
{
    struct fsd_graph *g = b->g;
    bool by_model = !b->bound && states_inputs(b->vocab);

    for (fsd_id i = 0; !b->bound && i < g->tensors.n; i++)
        g->tensors.at[i].flags |= guessed_flags(b, i, by_model);
    fsd_graph_list_borders(g);
    g->producer = b->version ? b->version : fsd_intern_str(g->names, generation(b));
    /* TensorRT 11 and TensorRT for RTX always build strongly typed networks. */
    g->strongly_typed = b->seen & FSD_SEEN_IO_TENSORS ||
                        strstr(fsd_text(g->names, g->producer), " for RTX");
    find_jumps(g);
    fsd_graph_finish(g);
    if (b->vocab)
        fsd_trt_tensor_aliases(g, b->vocab);
}
