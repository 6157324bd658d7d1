/*
 * A text is split at characters that are not letters: "sm80_xmma_fprop_64x32" has the
 * words sm, xmma and fprop. A run of letters that is no known word may consist of
 * several words that begin with capitals. Single letters and numbers reveal nothing.
 */
#include "edit/issue/public_words.h"
#include "model/ops/ids.h"

#include <ctype.h>

/* Words of ONNX: attributes and their values, domains, exporters. Words of operators
 * are taken from the operators' names. */
static const char ONNX_WORDS[] =
    "accuracy action activation activations aggregate ai allowzero alpha as "
    "asymmetric aten auto avg axes axis base before beta bidirectional bilinear "
    "block blocksize body border box branch broadcast buffer caffe case cats "
    "chainer change channels class classes classlabels cntk coeff coefficient "
    "coefficients com consumed coordinate coreml corners count counts crd cu "
    "cubic datatype dcr decay default dense detect dev dilations dims direction "
    "directions dtype edge else end ends epsilon equation exclude exclusive "
    "extrapolation factor falsenodeids featureids filter floats fmod forget "
    "form forward function fusiondiff gamma git gram graphsurgeon half heads "
    "height hidden high hitrates ids ignore imputed include index indexes input "
    "inputdimensions inputs intercepts interleave interleaved internal ints "
    "inverse jax keepdims keras kernel keys lambd largest last layout left "
    "level lightgbm local locale logistic low lower mask matlab microsoft "
    "missing ml mode modelopt modes mxnet nchw nchwc nearest new ngram nhwc "
    "nodeids nodes none noop norm notset num nvidia offset olive onesided onnx "
    "onnxruntime onnxscript onnxsim onnxslim openvino optimizer order org "
    "output outside padding paddings paddle pads params past per periodic perm "
    "pixel pkg point poly pooled positive post prefer present preview prob "
    "probit python pytorch qkv quantization quantizer ratio rbf rc reduction "
    "reflect replaced reset rho right same sampling scale scaled scales seed "
    "select sensitive share silu simplifier sizes skl sklearn smooth softcap "
    "sorted sparse spatial start starts stash stopwords storage strides strings "
    "support supports symmetric target targets tensorflow tensorrt test then "
    "threshold time torch tracks training trans transform transformation "
    "treeids true truenodeids tvm type unidirectional upper valid value values "
    "vectors vocabulary weights width wrap xgboost xs zeros zs ";

struct fsd_public_words {
    struct fsd_intern *known; /* the known words, in lower case */
};

enum { LONGEST_WORD = 40 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static size_t lower(struct fsd_slice word, char *to)
{
    size_t n = word.n < LONGEST_WORD ? word.n : LONGEST_WORD;

    for (size_t i = 0; i < n; i++)
        to[i] = (char)tolower((unsigned char)word.s[i]);
    return n;
}

static void add_word(struct fsd_public_words *p, struct fsd_slice word)
{
    char low[LONGEST_WORD];

    fsd_intern_slice(p->known, (struct fsd_slice){low, lower(word, low)});
}

/* The length of the first word in a run of letters such as "MulAdd", "NMSPlugin" or
 * "eXp". */
static size_t first_word(struct fsd_slice run)
{
    size_t n = 1;

    while (n < run.n && is_capital(run.s[n - 1]) && is_capital(run.s[n]) &&
           (n + 1 == run.n || is_capital(run.s[n + 1])))
        n++;
    if (n == 1)
        while (n < run.n && !is_capital(run.s[n]))
            n++;
    return n;
}

void fsd_public_add(struct fsd_public_words *p, const char *words)
{
    while (words && *words) {
        size_t n = strcspn(words, " ");

        if (n)
            add_word(p, (struct fsd_slice){words, n});
        words += n + (words[n] == ' ');
    }
}

static void add_operators(struct fsd_public_words *p, struct fsd_arena *arena)
{
    const struct fsd_intern *ops = fsd_op_names_new(arena);

    for (fsd_sym i = 0; i < fsd_intern_count(ops); i++) {
        struct fsd_slice rest = fsd_slice_of(fsd_text(ops, i));

        add_word(p, rest);
        while (rest.n) {
            size_t word = first_word(rest);

            add_word(p, (struct fsd_slice){rest.s, word});
            rest = fsd_slice_from(rest, word);
        }
    }
}

struct fsd_public_words *fsd_public_new(struct fsd_arena *arena)
{
    struct fsd_public_words *p = FSD_NEW(arena, struct fsd_public_words, 1);

    p->known = fsd_intern_new(arena);
    fsd_public_add(p, ONNX_WORDS);
    add_operators(p, arena);
    return p;
}

static bool is_known(const struct fsd_public_words *p, struct fsd_slice word)
{
    char low[LONGEST_WORD];

    return word.n < 2 ||
           (word.n <= LONGEST_WORD && fsd_intern_has(p->known, low, lower(word, low)));
}

static bool is_known_run(const struct fsd_public_words *p, struct fsd_slice run)
{
    if (is_known(p, run))
        return true;
    while (run.n) {
        size_t n = first_word(run);

        if (!is_known(p, (struct fsd_slice){run.s, n}))
            return false;
        run = fsd_slice_from(run, n);
    }
    return true;
}

/* The length of a hexadecimal number such as "0x6b24169dfd4ad585" at the front of the
 * text, even if its digits spell a word. */
static size_t hex_at(struct fsd_slice text)
{
    size_t n = 2;

    if (text.n < 3 || text.s[0] != '0' || text.s[1] != 'x')
        return 0;
    while (n < text.n && isxdigit((unsigned char)text.s[n]))
        n++;
    return n;
}

bool fsd_public_has(const struct fsd_public_words *p, struct fsd_slice text)
{
    while (text.n) {
        size_t n = hex_at(text);

        if (!n && is_letter(*text.s)) {
            while (n < text.n && is_letter(text.s[n]))
                n++;
            if (!is_known_run(p, (struct fsd_slice){text.s, n}))
                return false;
        }
        if (!n) {
            if ((unsigned char)*text.s >= 0x80)
                return false;
            n = 1;
        }
        text = fsd_slice_from(text, n);
    }
    return true;
}
