/*
 * Reads the names of layers.  TensorRT joins the names of the nodes that it fused,
 * without quotation marks:
 *
 *     Conv_34 + Add_42 + Relu_43                           one after the other
 *     Conv_1 || Conv_7                                     side by side
 *     Conv_12 + PWN(Clip_16)                               point-wise operations
 *     PWN(PWN(Sigmoid_3), Mul_4)                           nested point-wise operations
 *     conv1.weight + QuantizeLinear_7 + Conv_9             a node and its constants
 *     {ForeignNode[fc.weight...Softmax_9]}                 a region: first and last
 *     {Conv_1,Relu_2}                                      a region on the DLA
 *     Reformatting CopyNode for Input Tensor 0 to Conv_5   made for Conv_5
 *     reshape_before_MatMul-9                              inserted around MatMul-9
 *     639 copy, Concat_5_copy_input                        copies
 *     639 to nvm, 640 from nvm                             copies to and from the DLA
 *     [trainStation1], [DeviceToShapeHostCopy] 4           TensorRT's own steps
 *     /classifier/classifier_4/Gemm_myl9_3                 a Myelin kernel: the 3rd of
 *                                                          region 9; '.' became '_'
 *     __myl_MulSum_myl4_1                                  a Myelin kernel, named after
 *                                                          its operations
 *     conv2_U14_myl0_6                                     a Myelin kernel of conv2,
 *                                                          with a counter
 *     k_proj/MatMul+q_proj/MatMul_myl0_1                   products of one input
 *     node_linear_1_2                                      node_linear_1 again
 *     (Unnamed Layer* 36) [Shuffle], ONNXTRT_Broadcast_4   helpers of the parser
 *     Conv_1 [profile 1]                                   Conv_1, for profile 1
 *
 * A node name may itself contain each of these separators, so the text alone is
 * ambiguous.  A part therefore begins with the longest name of the model that ends at a
 * boundary.  If there is none, the part ends at the next separator and is an unknown
 * mention.  Names match only as a whole: "Conv_1" does not match in "Conv_12".
 *
 *     name    = expr | "Reformatting CopyNode for ... to " expr | ...
 *     expr    = part ((" + " | " || ") part)*
 *     part    = known tail | "PWN(" expr ("," expr)* ")" | "{" ... "}" | helper
 *             | wrapper part | anything
 *     tail    = ("_clone_" N | "_" N | " copy" | "_copy_input" | ...)*
 *
 * The time is linear in the length of the name: the search for known names has a
 * limited number of steps per byte, brackets are paired once, and the depth of nesting
 * is limited.
 */
#include "model/graph/graph.h"
#include "read/trt/name.h"
#include "base/base.h"
#include "read/trt/grammar.h"
#include "read/engine/reader.h"

/* Limits on the bytes of a name and on the steps of the search for known names.  A name
 * of more than NAME_BYTES_MAX bytes is not parsed; TensorRT does not write such
 * names. */
enum { NAME_BYTES_MAX = 1 << 20, STEPS_AT_LEAST = 1 << 16, STEPS_PER_BYTE = 128 };

/* Reads the name of a reformat: "Reformatting CopyNode for Input Tensor 0 to X" or,
 * since TensorRT 8.0, "Reformatting CopyNode for Network Input x". */
static bool read_reformat(struct fsd_expr *p, struct fsd_layer *layer, fsd_sym whole)
{
    size_t i = 0, served;
    uint32_t port = 0;
    bool output, numbered;

    if (!fsd_scan_skip(&p->text, &i, "Reformatting CopyNode for "))
        return false;
    served = i;
    numbered = !fsd_scan_at(&p->text, i, "Network ");
    if (fsd_scan_skip(&p->text, &i, "Network ")) {
        output = fsd_scan_skip(&p->text, &i, "Output ");
        if (!output && !fsd_scan_skip(&p->text, &i, "Input "))
            return false;
    } else {
        output = fsd_scan_skip(&p->text, &i, "Output Tensor ");
        if (!output && !fsd_scan_skip(&p->text, &i, "Input Tensor "))
            return false;
        port = fsd_scan_number(&p->text, i);
        if (!fsd_scan_skip_number(&p->text, &i) || !fsd_scan_skip(&p->text, &i, " to "))
            return false;
    }
    layer->output = output;
    layer->port = port;
    /* The builder prints a log line when it adds the layer.  In this line, the layer
     * has the name "Reformatted Input Tensor 0 to X". */
    layer->made_as = fsd_intern_str(
        p->g->names, fsd_printed(p->g->arena, "Reformatted %.*s",
                                 (int)(p->text.n - served), p->text.s + served));
    p->text.s += i;
    p->text.n -= i;
    if (numbered) /* the name of the served layer ends with " [profile N]"; `text` has
                     lost this end, `whole` still has it */
        layer->served = fsd_intern_str(p->g->names, fsd_text(p->g->names, whole) + i);
    return true;
}

static bool cut_end(struct fsd_expr *p, const char *end)
{
    size_t len = strlen(end);

    if (p->text.n <= len || memcmp(p->text.s + p->text.n - len, end, len) != 0)
        return false;
    p->text.n -= len;
    return true;
}

static size_t digits_at_end(const struct fsd_expr *p, size_t n)
{
    size_t digits = 0;

    while (digits < n && p->text.s[n - 1 - digits] >= '0' &&
           p->text.s[n - 1 - digits] <= '9')
        digits++;
    return digits;
}

/* Reads the name of a reformat up to TensorRT 7: "Conv_4 input reformatter 0". */
static bool read_old_reformat(struct fsd_expr *p, struct fsd_layer *layer)
{
    size_t n = p->text.n, digits = digits_at_end(p, n);
    uint32_t port = fsd_scan_number(&p->text, n - digits);

    if (!digits)
        return false;
    p->text.n -= digits;
    layer->output = cut_end(p, " output reformatter ");
    if (!layer->output && !cut_end(p, " input reformatter ")) {
        p->text.n = n;
        return false;
    }
    layer->port = port;
    layer->served = fsd_intern_add(p->g->names, p->text.s, p->text.n);
    return true;
}

/* Removes the end of a Myelin kernel's name, such as "_myl9_3". */
static bool cut_myelin(struct fsd_expr *p)
{
    size_t n = p->text.n, kernel = digits_at_end(p, n), region;

    if (!kernel || n - kernel < 1 || p->text.s[n - kernel - 1] != '_')
        return false;
    n -= kernel + 1;
    region = digits_at_end(p, n);
    n -= region;
    if (!region || n < 4 || memcmp(p->text.s + n - 4, "_myl", 4) != 0)
        return false;
    p->text.n = n - 4;
    return true;
}

/* Whether the text is "__", a word for an operation, and a number: "__fc579",
 * "__tran46207". */
static bool is_numbered(const struct fsd_scan *text)
{
    size_t at = 2;

    if (!fsd_scan_at(text, 0, "__"))
        return false;
    while (at < text->n && text->s[at] >= 'a' && text->s[at] <= 'z')
        at++;
    return at > 2 && fsd_scan_skip_number(text, &at) && at == text->n;
}

/* Whether the name is Myelin's own: it does not begin with the name of a node. */
static bool is_myelin_own(const struct fsd_expr *p)
{
    static const char *const begins[] = {"__myl",     "dummy_shape_call", "_gemm_mha",
                                         "_gemv_mha", "$$myelin$$",       "__mye"};

    if (is_numbered(&p->text))
        return true;

    for (size_t i = 0; i < FSD_COUNT_OF(begins); i++)
        if (fsd_scan_at(&p->text, 0, begins[i]))
            return true;
    return false;
}

/* Whether the kernel counts loops or computes sizes: "cbr___mye218",
 * "init_hvar^7389i64". */
static bool is_bookkeeping(const struct fsd_expr *p)
{
    for (size_t i = 0; i < p->text.n; i++) {
        size_t end = i;

        if ((fsd_scan_skip(&p->text, &end, "__mye") &&
             fsd_scan_skip_number(&p->text, &end)) ||
            fsd_scan_at(&p->text, i, "hvar^"))
            return true;
    }
    return false;
}

/* Returns the length of the name without a counter such as "_2" or "_U14". */
static size_t without_counter(const struct fsd_expr *p)
{
    size_t digits = digits_at_end(p, p->text.n), n = p->text.n - digits;

    if (digits && n > 2 && p->text.s[n - 1] == 'U')
        n--;
    return digits && n > 1 && p->text.s[n - 1] == '_' ? n - 1 : p->text.n;
}

/* Reads a text that Myelin made from the name of a node.  The text may end with a
 * counter. */
static bool read_loose(struct fsd_expr *p)
{
    const struct fsd_vocab *v = p->vocab;
    const struct fsd_meaning *what;
    size_t n = p->text.n;

    if (!v || !n)
        return false;
    what = fsd_vocab_find_loose(v, p->text.s, n);
    if (!what || !fsd_meaning_fits(v, what)) {
        n = without_counter(p);
        what = fsd_vocab_find_loose(v, p->text.s, n);
    }
    if (!what || !fsd_meaning_fits(v, what))
        return false;
    fsd_expr_mention(p, FSD_MENTION_COMPUTES, 0, n, what, true);
    return true;
}

/* Finds the longest known name that begins at `at`.  The name must end before a '+' or
 * at the end of the text.  Sets `*end` to the position after the name.  Returns NULL if
 * there is no such name, or if p->steps is used up. */
static const struct fsd_meaning *longest_joined(struct fsd_expr *p, size_t at,
                                                size_t *end)
{
    for (size_t stop = p->text.n; stop > at; stop--)
        if (stop == p->text.n || p->text.s[stop] == '+') {
            const uint64_t steps = 4 + (stop - at) / 8;
            const struct fsd_meaning *what;

            if (p->steps < steps)
                return NULL;
            p->steps -= steps;
            what = fsd_vocab_find(p->vocab, p->text.s + at, stop - at);
            what =
                what ? what : fsd_vocab_find_loose(p->vocab, p->text.s + at, stop - at);
            if (what && fsd_meaning_fits(p->vocab, what)) {
                *end = stop;
                return what;
            }
        }
    return NULL;
}

/* Whether a name like "__mye355569" begins at `at` and ends before a '+' or at the end
 * of the text.  If Myelin decomposes a matrix product, each part gets such a name. */
static bool is_own_part(const struct fsd_expr *p, size_t at, size_t *end)
{
    *end = at;
    return fsd_scan_skip(&p->text, end, "__mye") &&
           fsd_scan_skip_number(&p->text, end) &&
           (*end == p->text.n || p->text.s[*end] == '+');
}

/* Reads the name of a kernel that computes several matrix products of one input:
 * "v_proj/MatMul+k_proj/MatMul+q_proj/MatMul".  Names may contain a '+', so each part
 * must be a name of the model or a name like "__mye35", and at least one part must be a
 * name of the model. */
static bool read_joined(struct fsd_expr *p)
{
    enum { JOINED_MAX = 16 };
    struct {
        const struct fsd_meaning *what;
        size_t at, end;
    } parts[JOINED_MAX];
    unsigned n = 0, known = 0;

    if (!p->vocab || !memchr(p->text.s, '+', p->text.n))
        return false;
    for (size_t at = 0; at < p->text.n; at = parts[n++].end + 1) {
        if (n == JOINED_MAX)
            return false;
        parts[n].at = at;
        parts[n].what = longest_joined(p, at, &parts[n].end);
        known += parts[n].what != NULL;
        if (!parts[n].what && !is_own_part(p, at, &parts[n].end))
            return false;
    }
    if (!known || parts[n - 1].end != p->text.n)
        return false;
    for (unsigned i = 0; i < n; i++)
        fsd_expr_mention(p, parts[i].what ? FSD_MENTION_COMPUTES : FSD_MENTION_HELPER,
                         parts[i].at, parts[i].end, parts[i].what, false);
    return true;
}

/* Splits a name such as "a+b", of a kernel of several matrix products, at each '+'.
 * Used only without a model.  Exporters do not write a '+' without blanks. */
static bool split_joined(struct fsd_expr *p)
{
    const char *end = p->text.s + p->text.n, *plus = p->text.s;

    if (p->vocab || !memchr(p->text.s, '+', p->text.n) || *p->text.s == '+' ||
        end[-1] == '+')
        return false;
    while ((plus = memchr(plus, '+', (size_t)(end - plus))))
        if (*++plus == '+' || *plus == ' ' || plus[-2] == ' ')
            return false;
    for (size_t at = 0, stop; at < p->text.n; at = stop + 1) {
        plus = memchr(p->text.s + at, '+', p->text.n - at);
        stop = plus ? (size_t)(plus - p->text.s) : p->text.n;
        fsd_expr_mention(p,
                         is_own_part(p, at, &(size_t){0}) ? FSD_MENTION_HELPER
                                                          : FSD_MENTION_UNKNOWN,
                         at, stop, NULL, false);
    }
    return true;
}

/* Reads a name like "n2_pooling".  If the parser creates several layers for a node, it
 * names each after the node and the role of the layer. */
static bool read_derived(struct fsd_expr *p)
{
    static const char *const ends[] = {"_pooling", "_AttentionInput",
                                       "_AttentionOutput"};

    for (size_t i = 0; i < FSD_COUNT_OF(ends) && p->vocab; i++) {
        size_t n = strlen(ends[i]), stem = p->text.n > n ? p->text.n - n : 0;
        const struct fsd_meaning *what = NULL;

        if (stem && !memcmp(p->text.s + stem, ends[i], n))
            what = fsd_vocab_find(p->vocab, p->text.s, stem);
        if (!what || !fsd_meaning_fits(p->vocab, what))
            continue;
        fsd_expr_mention(p, FSD_MENTION_COMPUTES, 0, stem, what, false);
        return true;
    }
    return false;
}

/* Reads a name like "$$myelin$$(Unnamed IfConditional* 0)^$$myelin$$then^Conv_73": the
 * loops and branches that contain a node, and then the name of the node. */
static bool read_inner(struct fsd_expr *p)
{
    struct fsd_known known;
    size_t at = 0;

    while (fsd_scan_at(&p->text, at, "$$myelin$$") ||
           (at && fsd_scan_at(&p->text, at, "(Unnamed "))) {
        const char *end = memchr(p->text.s + at, '^', p->text.n - at);

        if (!end)
            return false;
        at = (size_t)(end - p->text.s) + 1;
    }
    if (!at || !fsd_expr_known(p, at, FSD_IN_NAME, &known) ||
        known.tail.end != p->text.n || !fsd_meaning_fits(p->vocab, known.what))
        return false;
    fsd_expr_mention_known(p, FSD_MENTION_COMPUTES, at, &known);
    return true;
}

static void read_myelin(struct fsd_expr *p, struct fsd_layer *layer)
{
    struct fsd_known known;

    if (layer->form == FSD_NAME_PLAIN && layer->provider == FSD_PROVIDER_BUILDER)
        layer->provider = FSD_PROVIDER_COMPILER;
    if (fsd_expr_known(p, 0, FSD_IN_NAME, &known) && known.tail.end == p->text.n &&
        fsd_meaning_fits(p->vocab, known.what))
        fsd_expr_mention_known(p, FSD_MENTION_COMPUTES, 0, &known);
    else if (read_inner(p) || read_derived(p) || read_joined(p) || split_joined(p))
        return;
    else if (is_myelin_own(p) || is_bookkeeping(p))
        fsd_expr_mention(p, FSD_MENTION_HELPER, 0, p->text.n, NULL, false);
    else if (!read_loose(p))
        fsd_expr_read(p, layer);
}

static void read_base(struct fsd_expr *p, struct fsd_layer *layer, fsd_sym whole)
{
    if (read_reformat(p, layer, whole) || read_old_reformat(p, layer)) {
        layer->form = FSD_NAME_SERVES;
        p->serving = true;
    } else if (cut_end(p, " to nvm") || cut_end(p, " from nvm") ||
               cut_end(p, " copy finish")) {
        layer->provider = FSD_PROVIDER_DEVICE;
        layer->form = FSD_NAME_COPIES;
        p->copying = true;
    }
    if (cut_myelin(p) || is_myelin_own(p))
        read_myelin(p, layer);
    else
        fsd_expr_read(p, layer);
}

/* Returns the name without " [profile N]", and sets `*profile` to N.  This text may be
 * at the end of the name.  In the name of a Myelin kernel, it may be directly before
 * "_myl".  A name of the model is returned unchanged. */
static fsd_sym cut_profiles(struct fsd_expr *p, fsd_sym name, int32_t *profile)
{
    char *out;
    size_t used = 0;

    const struct fsd_meaning *what =
        p->vocab ? fsd_vocab_find(p->vocab, p->text.s, p->text.n) : NULL;

    if (!strstr(p->text.s, FSD_TRT_PROFILE) ||
        (what && fsd_meaning_fits(p->vocab, what)))
        return name;
    out = FSD_NEW(p->g->arena, char, p->text.n);
    for (size_t i = 0; i < p->text.n;) {
        size_t end = i;

        if (fsd_scan_skip(&p->text, &end, FSD_TRT_PROFILE) &&
            fsd_scan_skip_number(&p->text, &end) &&
            fsd_scan_skip(&p->text, &end, "]") &&
            (end == p->text.n || fsd_scan_at(&p->text, end, "_myl"))) {
            *profile =
                (int32_t)fsd_scan_number(&p->text, i + sizeof FSD_TRT_PROFILE - 1);
            i = end;
        } else {
            out[used++] = p->text.s[i++];
        }
    }
    return fsd_intern_add(p->g->names, out, used);
}

static void set_text(struct fsd_expr *p, fsd_sym name)
{
    p->text.s = fsd_text(p->g->names, name);
    p->text.n = fsd_text_len(p->g->names, name);
}

void fsd_name_read(struct fsd_name_reader *reader, fsd_sym name,
                   struct fsd_layer *layer)
{
    struct fsd_expr p = {
        .text.brackets = &reader->brackets, .g = reader->g, .vocab = reader->vocab};
    const struct fsd_meaning *what = NULL;

    layer->form = FSD_NAME_PLAIN;
    layer->base_name = name;
    layer->profile = -1;
    set_text(&p, name);
    if (!p.text.n)
        return;
    if (p.vocab)
        what = fsd_vocab_find(p.vocab, p.text.s, p.text.n);
    if (what && fsd_meaning_fits(p.vocab, what)) {
        fsd_expr_mention(&p, FSD_MENTION_COMPUTES, 0, p.text.n, what, false);
        return;
    }
    if (p.text.n > NAME_BYTES_MAX) {
        fsd_expr_remark(&p, "input/long-name");
        fsd_expr_mention(&p, FSD_MENTION_UNKNOWN, 0, p.text.n, NULL, false);
        return;
    }
    layer->base_name = cut_profiles(&p, name, &layer->profile);
    set_text(&p, layer->base_name);
    p.steps = STEPS_AT_LEAST + (uint64_t)STEPS_PER_BYTE * p.text.n;
    read_base(&p, layer, name);
    /* When the builder adds the layer "T copy", it prints a log line that calls the
     * layer only "T".  If the name of a copy ends differently, as "Concat_5_copy_input"
     * does, the log has no such name for it. */
    if (layer->form == FSD_NAME_COPIES) {
        struct fsd_slice tensor = fsd_slice_of(fsd_text(p.g->names, layer->base_name));

        layer->made_as = fsd_slice_drop(&tensor, " copy") && tensor.n
                             ? fsd_intern_slice(p.g->names, tensor)
                             : 0;
    }
    if (!p.steps)
        fsd_expr_remark(&p, "input/long-name");
}
