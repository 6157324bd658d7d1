/*
 * Reads the formats of tensors.  The engine inspector describes a format in a sentence.
 * The sentence differs between versions.  It may end with "format" or a full stop,
 * contain hyphens, or consist of the type alone.  Since TensorRT 11, the type and the
 * rest are in two keys.  So the sentence is read word by word, and each word adds a
 * fact:
 *
 *     Channel major FP16 format where channel % 8 == 0
 *     \___________/ \__/              \_________/
 *     channels last  type              padded to 8
 *
 * Words end at blanks and at '-', '_' and ','; a full stop is dropped.  So "Thirty-two"
 * is two words, whose numbers are added.  "DLA_HWC4" is two words, too: "dla" adds no
 * fact, and "hwc4" is a layout.
 */
#include "model/graph/graph.h"
#include "read/trt/trt.h"
#include "base/base.h"

enum { WORD_MAX = 24 };

struct word {
    char text[WORD_MAX];
};

struct sentence {
    struct fsd_trt_format out;
    struct word before; /* the previous word */
    unsigned number;    /* the number in the previous word; 0 if it was no number */
    bool of_channel;    /* the last noun was "channel", so "%" refers to it */
    bool multiple;      /* the previous word was "%", "==" or "multiple of", so a number
                           follows */
};

static const struct {
    const char *word;
    unsigned value;
} numbers[] = {{"two", 2},      {"three", 3},   {"four", 4},     {"eight", 8},
               {"sixteen", 16}, {"thirty", 30}, {"sixty", 60},   {"twelve", 12},
               {"one", 1},      {"twenty", 20}, {"hundred", 100}};

/* Words that state no fact about the format. */
static const char *const silent[] = {
    "format", "where", "with", "dimensions", "dimension", "wide", "and", "column",
    "stride", "is", "a", "the", "of", "n/a", "due", "to", "shapes", "c", "dla",
    "planar", "dynamic", "for", "tensor", "spatial", "shape",
    /* TensorRT 11 states strides, and writes further words about them: "(Transposed)
     * Transposed format", "(Arbitrary) Format with stride order = [1,2,0]". */
    "transposed", "arbitrary", "order", "=", "not", "available"};

static unsigned number_of(const char *word)
{
    unsigned value = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(numbers); i++)
        if (!strcmp(word, numbers[i].word))
            return numbers[i].value;
    for (; *word >= '0' && *word <= '9' && value < 1000; word++)
        value = 10 * value + (unsigned)(*word - '0');
    return *word ? 0 : value;
}

static void lay_out(struct fsd_layout *layout, enum fsd_order order)
{
    layout->order = (uint8_t)order;
    layout->axis = order == FSD_ORDER_LINEAR ? 0 : 1;
}

/* Reads a short name of a format from TensorRT's API: kLINEAR, CHW32, DHWC8, CDHW32. */
static bool read_code(struct fsd_layout *layout, const char *word)
{
    const char *s = *word == 'k' || *word == 'n' ? word + 1 : word; /* also NHWC */
    bool deep = strchr(s, 'd') != NULL;
    unsigned number;
    size_t len = strcspn(s, "0123456789");
    bool last = len == (deep ? 4U : 3U) && !strncmp(s, deep ? "dhwc" : "hwc", len);
    bool first = len == (deep ? 4U : 3U) && !strncmp(s, deep ? "cdhw" : "chw", len);

    if (!strcmp(s, "linear")) {
        lay_out(layout, FSD_ORDER_LINEAR);
        return true;
    }
    number = number_of(s + len);
    if ((!last && !first) || (s[len] && !number))
        return false;
    lay_out(layout, last     ? FSD_ORDER_CHANNELS_LAST
                    : number ? FSD_ORDER_VECTORIZED
                             : FSD_ORDER_LINEAR);
    layout->spatial = deep ? 3 : 0;
    *(last ? &layout->pad : &layout->width) = (uint16_t)number;
    return true;
}

static bool read_layout(struct sentence *s, const char *word)
{
    struct fsd_layout *layout = &s->out.layout;

    if (!strcmp(word, "major")) {
        if (!strcmp(s->before.text, "channel"))
            lay_out(layout, FSD_ORDER_CHANNELS_LAST);
        else if (layout->order == FSD_ORDER_UNKNOWN)
            lay_out(layout, FSD_ORDER_LINEAR);
        return true;
    }
    if (!strcmp(word, "vectorized")) {
        lay_out(layout, FSD_ORDER_VECTORIZED);
        return true;
    }
    if (!strcmp(word, "row"))
        return true;
    return read_code(layout, word);
}

/* Reads a number, such as 8 or 0 in the condition "channel % 8 == 0".  A 0 in a
 * condition has no meaning. */
static bool read_number(struct sentence *s, const char *word)
{
    unsigned number = number_of(word);

    if (!number && strcmp(word, "0") != 0)
        return false;
    if (s->multiple) {
        if (number && s->of_channel)
            s->out.layout.pad = (uint16_t)number;
        s->multiple = false;
    } else {
        s->number += number;
    }
    return true;
}

static void read_word(struct sentence *s, const struct word *word)
{
    static const struct {
        const char *word;
        bool sign, channel;
    } conditions[] = {{"channel", false, true}, {"channels", false, true},
                      {"c", false, true},       {"column", false, false},
                      {"%", true, false},       {"==", true, false},
                      {"multiple", true, false}};
    enum fsd_dtype type = fsd_dtype_read(word->text, strlen(word->text));

    if (!strcmp(word->text, "wide"))
        s->out.layout.width = (uint16_t)s->number;
    if (!strcmp(word->text, "spatial"))
        s->out.layout.spatial = (uint8_t)s->number;
    if (read_number(s, word->text))
        return;
    s->number = 0;
    /* Words of conditions such as "channel % 8 == 0", "a multiple of 8", "column stride
     * % 32". */
    for (size_t i = 0; i < FSD_COUNT_OF(conditions); i++)
        if (!strcmp(word->text, conditions[i].word)) {
            if (conditions[i].sign)
                s->multiple = true;
            else
                s->of_channel = conditions[i].channel;
            return;
        }
    if (type)
        s->out.type = type;
    else if (!read_layout(s, word->text)) {
        size_t i = 0;

        while (i < FSD_COUNT_OF(silent) && strcmp(word->text, silent[i]) != 0)
            i++;
        s->out.understood &= i < FSD_COUNT_OF(silent);
    }
}

struct fsd_trt_format fsd_trt_format(const char *s, size_t n)
{
    struct sentence sentence = {.out.understood = true};
    bool any = false;

    for (size_t i = 0; i < n;) {
        struct word word = {0};
        size_t len = 0;

        while (i + len < n && !memchr(" -_,.\t()[]", s[i + len], 10))
            len++;
        if (len >= WORD_MAX) {
            sentence.out.understood = false;
        } else if (len) {
            for (size_t k = 0; k < len; k++)
                word.text[k] =
                    (char)(s[i + k] | (s[i + k] >= 'A' && s[i + k] <= 'Z') << 5);
            read_word(&sentence, &word);
            sentence.before = word;
            any = true;
        }
        i += len + 1;
    }
    sentence.out.understood &= any;
    if (sentence.out.layout.order != FSD_ORDER_VECTORIZED)
        sentence.out.layout.width = 0;
    return sentence.out;
}

/* ----------------------------------------------------------------- I/O formats */

struct io_format {
    enum fsd_dtype type;
    const char *layout;
    uint8_t in, out; /* the ranks that TensorRT accepts for inputs and for outputs: bit
                        n stands for rank n */
};

/* The I/O formats that TensorRT for RTX accepts. tests/conformance/formats.py found
 * them by building a network for each type, layout and rank, and checks these rows.
 * Only a build shows whether a format works: some formats pass the checks of the API,
 * and then the builder cannot compile them. */
static const struct io_format made_by_building[] = {
    /* clang-format off */
    {FSD_FP32, "chw", 0x3e, 0x3e},
    {FSD_FP32, "chw32", 0x10, 0x38},
    {FSD_FP32, "hwc", 0x38, 0x38},
    {FSD_FP32, "dhwc", 0x30, 0x30},
    {FSD_FP16, "chw", 0x3e, 0x3e},
    {FSD_FP16, "chw2", 0x10, 0x38},
    {FSD_FP16, "chw4", 0x10, 0x38},
    {FSD_FP16, "chw32", 0x10, 0x38},
    {FSD_FP16, "hwc", 0x38, 0x38},
    {FSD_FP16, "hwc8", 0x10, 0x38},
    {FSD_FP16, "hwc16", 0x10, 0x38},
    {FSD_FP16, "dhwc8", 0x20, 0x30},
    {FSD_FP16, "cdhw32", 0x30, 0x30},
    {FSD_BF16, "chw", 0x3e, 0x3e},
    {FSD_BF16, "chw2", 0x10, 0x38},
    {FSD_BF16, "chw4", 0x10, 0x38},
    {FSD_BF16, "hwc8", 0x10, 0x38},
    {FSD_BF16, "dhwc8", 0x20, 0x30},
    {FSD_INT8, "chw", 0x3e, 0x3e},
    {FSD_INT8, "chw4", 0x10, 0x38},
    {FSD_INT8, "chw32", 0x10, 0x38},
    {FSD_INT8, "hwc16", 0x10, 0x38},
    {FSD_INT8, "cdhw32", 0x30, 0x30},
    {FSD_UINT8, "chw", 0x3e, 0x3e},
    {FSD_UINT8, "hwc", 0x38, 0x38},
    {FSD_INT32, "chw", 0x3e, 0x3e},
    {FSD_INT64, "chw", 0x3e, 0x3e},
    {FSD_BOOL, "chw", 0x3e, 0x3e},
    {FSD_FP8, "chw", 0x3e, 0x3e},
    {FSD_FP8, "hwc16", 0x10, 0x38},
    /* clang-format on */
};

/* The I/O formats of TensorRT 8 to 10, according to the documentation of
 * nvinfer1::TensorFormat. */
enum { FROM_3 = 0xf8, FROM_4 = 0xf0 };
static const struct io_format documented[] = {
    {FSD_FP16, "chw2", FROM_3, FROM_3},   {FSD_FP16, "hwc8", FROM_3, FROM_3},
    {FSD_FP16, "chw4", FROM_3, FROM_3},   {FSD_INT8, "chw4", FROM_3, FROM_3},
    {FSD_FP32, "chw32", FROM_3, FROM_3},  {FSD_FP16, "chw32", FROM_3, FROM_3},
    {FSD_INT8, "chw32", FROM_3, FROM_3},  {FSD_FP16, "dhwc8", FROM_4, FROM_4},
    {FSD_FP16, "cdhw32", FROM_4, FROM_4}, {FSD_INT8, "cdhw32", FROM_4, FROM_4},
    {FSD_FP32, "hwc", FROM_3, FROM_3},    {FSD_FP16, "hwc16", FROM_3, FROM_3},
    {FSD_FP32, "dhwc", FROM_4, FROM_4}};

static bool is_listed(const struct io_format *list, size_t n, enum fsd_dtype type,
                      const char *layout, uint32_t rank, bool input)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].type == type && !strcmp(list[i].layout, layout))
            return rank < 8 && (input ? list[i].in : list[i].out) >> rank & 1;
    return false;
}

bool fsd_trt_accepts_format(const struct fsd_graph *engine, enum fsd_dtype type,
                            const char *layout, uint32_t rank, bool input)
{
    if (fsd_graph_is_rtx(engine))
        return is_listed(made_by_building, FSD_COUNT_OF(made_by_building), type, layout,
                         rank, input);
    return !strcmp(layout, "chw") ||
           is_listed(documented, FSD_COUNT_OF(documented), type, layout, rank, input);
}
