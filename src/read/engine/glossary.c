/* The table of words: the words of all readers, one list after the other, and then the
 * names of blocks of a model, for which no builder has a word. */
#include "read/engine/glossary.h"

#include "base/base.h"
#include "read/engine/reader.h"
#include "host/files.h"

#define BLOCK FSD_GLOSS_BLOCK

static const struct fsd_gloss blocks[] = {
    {"attention", "fusion/attention", BLOCK,
     "An attention multiplies the queries by the keys, applies Softmax to the products "
     "(the scores), and multiplies the result by the values.",
     "A single kernel that computes the attention does not write the scores to memory.",
     "`patterns` shows each attention and, if no single kernel computes it, states "
     "why.",
     NULL},
    {"qkv", "fusion/qkv", BLOCK,
     "Three projections of one tensor: the queries, keys and values of an attention. "
     "Horizontal fusion merges them into one matrix multiplication.",
     NULL, "Run `patterns`.", NULL},
    {"layernorm", "fusion/layernorm,rmsnorm,fusion/rmsnorm", BLOCK,
     "A LayerNormalization or RMSNormalization, as one operator or as several "
     "operators.",
     NULL, "Run `patterns`.", NULL},
    {"gelu", "fusion/gelu,swiglu,fusion/swiglu", BLOCK,
     "An activation that exporters write as several operators. The related block "
     "swiglu applies an activation to one projection, and multiplies the result by "
     "a second projection.",
     NULL, "Run `patterns`.", NULL},
    {"conv-bn-act", "fusion/conv-bn-act", BLOCK,
     "A convolution, its BatchNormalization and its activation. If they are fused, one "
     "layer computes them.",
     NULL, "Run `patterns`.", NULL},
    {"residual", "fusion/residual", BLOCK,
     "The addition of two paths: a branch and its shortcut. The builder can fuse the "
     "Add into the last convolution or matrix multiplication of the branch.",
     NULL, "Run `patterns`.", NULL},
};

const struct fsd_gloss *fsd_gloss_at(unsigned i)
{
    const struct fsd_engine_reader *reader;

    for (unsigned r = 0; (reader = fsd_reader_at(r)); r++)
        for (const struct fsd_gloss *g = reader->glossary; g && g->word; g++)
            if (!i--)
                return g;
    return i < FSD_COUNT_OF(blocks) ? &blocks[i] : NULL;
}

bool fsd_gloss_is(const struct fsd_gloss *gloss, const char *word)
{
    return !strcasecmp(gloss->word, word);
}

bool fsd_gloss_in(const struct fsd_gloss *gloss, const char *name)
{
    const char *form = gloss->forms;
    char pattern[80];

    while (form && *form) {
        size_t n = strcspn(form, ",");

        snprintf(pattern, sizeof pattern, "%.*s", (int)n, form);
        if (!fnmatch(pattern, name, FNM_CASEFOLD))
            return true;
        form += n + (form[n] == ',');
    }
    return fsd_gloss_is(gloss, name);
}
