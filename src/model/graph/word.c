/*
 * Parses the words by which a user refers to a node or layer.  For a misspelt word,
 * finds the names with the least edit distance to the word, ignoring case.  A third of
 * the letters may be wrong.
 *
 * Names of more than 120 characters are not compared.  Users do not type such names,
 * and the time of a comparison grows with the product of both lengths.
 */
#include "model/graph/word.h"
#include "base/base.h"
#include "host/files.h"

#include <fusiondiff/fusiondiff.h>

#include <ctype.h>
#include <stdlib.h>

static const char provider_head[] = "provider:";

struct fsd_word fsd_word_read(const char *text)
{
    static const struct {
        const char *prefix;
        enum fsd_word_kind kind;
    } numbers[] = {{"#", FSD_WORD_NUMBER},
                   {"", FSD_WORD_BARE},
                   {"node:", FSD_WORD_NODE},
                   {"layer:", FSD_WORD_LAYER}};
    struct fsd_word word = {FSD_WORD_NAME, text, 0};

    for (size_t i = 0; i < FSD_COUNT_OF(numbers); i++) {
        size_t n = strlen(numbers[i].prefix);
        unsigned long value;
        char *end;

        if (strncmp(text, numbers[i].prefix, n) != 0 ||
            !isdigit((unsigned char)text[n]))
            continue;
        value = strtoul(text + n, &end, 10);
        if (*end || value >= UINT32_MAX)
            continue;
        word.kind = numbers[i].kind;
        word.number = (uint32_t)value;
        return word;
    }
    if (!strncmp(text, provider_head, strlen(provider_head)))
        word.kind = FSD_WORD_PROVIDER;
    else if (strpbrk(text, "*?["))
        word.kind = FSD_WORD_PATTERN;
    return word;
}

bool fsd_word_fits_provider(const struct fsd_word *word, const char *provider)
{
    const char *wanted = word->text + strlen(provider_head);
    size_t n = strlen(wanted);

    return fsd_word_fits(wanted, provider) ||
           (n && !strncmp(wanted, provider, n) &&
            !strcmp(provider + n, "ExecutionProvider"));
}

bool fsd_word_fits(const char *word, const char *name)
{
    return !strcmp(word, name) ||
           (strpbrk(word, "*?[") && !fnmatch(word, name, FNM_NOESCAPE));
}

/* ------------------------------------------------------------------------- nearest */

enum { LONGEST = 120 };

/* Prepares a search for the names nearest to a word.  A third of its letters may be
 * wrong. */
struct fsd_nearest fsd_nearest_to(const char *word)
{
    return (struct fsd_nearest){.word = word, .edits = (unsigned)strlen(word) / 3 + 1};
}

/* Returns the number of letters to insert, delete or change (Levenshtein distance),
 * ignoring case.  If the distance exceeds `most`, the result is any number above
 * `most`.  Only one row of the table is stored. */
static unsigned edits_between(const char *a, size_t n, const char *b, size_t m,
                              unsigned most)
{
    unsigned row[LONGEST + 1];

    for (unsigned j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        unsigned corner = row[0], best = row[0] = (unsigned)i;

        for (size_t j = 1; j <= m; j++) {
            unsigned cost = corner + (tolower((unsigned char)a[i - 1]) !=
                                      tolower((unsigned char)b[j - 1]));

            corner = row[j];
            cost = row[j] + 1 < cost ? row[j] + 1 : cost;
            row[j] = row[j - 1] + 1 < cost ? row[j - 1] + 1 : cost;
            best = row[j] < best ? row[j] : best;
        }
        if (best > most)
            return best;
    }
    return row[m];
}

void fsd_nearest_try(struct fsd_nearest *nearest, const char *name)
{
    size_t n = strlen(nearest->word), m = strlen(name);
    unsigned edits;

    if (!m || n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) > nearest->edits)
        return;
    edits = edits_between(nearest->word, n, name, m, nearest->edits);
    if (edits > nearest->edits || edits >= n)
        return;
    if (edits < nearest->edits)
        nearest->n = 0;
    nearest->edits = edits;
    for (unsigned i = 0; i < nearest->n; i++)
        if (!strcmp(nearest->names[i], name))
            return;
    if (nearest->n < FSD_COUNT_OF(nearest->names))
        nearest->names[nearest->n++] = name;
}

const char *fsd_nearest_name(const char *word, const char *const *names, unsigned n)
{
    struct fsd_nearest nearest = fsd_nearest_to(word);

    for (unsigned i = 0; names && i < n; i++)
        fsd_nearest_try(&nearest, names[i]);
    return nearest.n ? nearest.names[0] : NULL;
}

const char *fsd_nearest_text(const struct fsd_nearest *nearest, char out[512])
{
    int n = 0;

    *out = '\0';
    for (unsigned i = 0; i < nearest->n; i++)
        n += snprintf(out + n, (size_t)(512 - n), "%s'%s'",
                      !i                    ? "; did you mean "
                      : i + 1 == nearest->n ? " or "
                                            : ", ",
                      nearest->names[i]);
    if (nearest->n)
        snprintf(out + n, (size_t)(512 - n), "?");
    return out;
}
