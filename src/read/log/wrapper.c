/*
 * Finds the prefixes that other programs add to TensorRT's lines: container runtimes,
 * launchers, loggers of C++ programs, and mail that quotes a log.
 *
 *     builder-1  | [01/20/2024-19:48:39] [V] [TRT] text             docker compose
 *     2024-01-20T19:48:39.123456789+00:00 stdout F [V] text         Kubernetes
 *     I0911 07:05:12.345678 1 logging.cc:55] text                   glog
 *     0:00:12.34 123 0x55 DEBUG nvinfer gst.cpp:64:f:<x> text       DeepStream
 *     > text                                                        a mail
 *
 * These prefixes have no common grammar.  A line with words that only TensorRT writes
 * shows the form: the text before these words is a sample of the prefix.  Other lines
 * have the same prefix, with other numbers.
 */
#include "read/log/log.h"

#include "base/base.h"

enum {
    LONGEST = 300,         /* the maximum number of bytes of a prefix */
    SEARCHED_MAX = 1 << 20 /* the maximum number of bytes that are searched for
                              TensorRT's words */
};

/* ----------------------------------------------------------- TensorRT's own words */

static bool begins_own(struct fsd_slice t)
{
    static const char *const words[] = {"[TRT] ",
                                        "[TensorRT] ",
                                        "Engine Layer Information:",
                                        "Parsing node: ",
                                        "Static check for parsing node: ",
                                        "Importing initializer: ",
                                        "Registering layer: ",
                                        "Registering tensor: ",
                                        "Registered plugin creator - ",
                                        "Searching for input: ",
                                        "Adding network input: ",
                                        "--------------- Timing Runner: ",
                                        "*************** Autotuning ",
                                        "[MemUsageChange] ",
                                        "&&&& RUNNING TensorRT",
                                        "=== Model Options ===",
                                        "While parsing node number ",
                                        "IBuilder::build"};
    struct fsd_log_layer layer;

    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (*t.s == *words[i] && fsd_slice_begins(t, words[i]))
            return true;
    return (*t.s == 'L' && fsd_log_layer_split(t, &layer)) ||
           (*t.s == 'N' && fsd_log_text_layer(t, &layer));
}

/* Returns the length of the prefix: the text before the first words that only TensorRT
 * writes.  Words directly after a letter, a digit or '_' are ignored.  Returns 0 if
 * there are no such words, or no text before them.  If the text begins like a line of a
 * layer, also returns 0: the words may then be a part of a name. */
static size_t find_own(struct fsd_slice t)
{
    if (!t.n || fsd_slice_begins(t, "Layer(") || fsd_slice_begins(t, "Name: ") ||
        begins_own(t))
        return 0;
    for (size_t i = 1; i < t.n && i <= LONGEST; i++)
        if (!fsd_is_word(t.s[i - 1]) && begins_own(fsd_slice_from(t, i)))
            return i;
    return 0;
}

/* ------------------------------------------------------------------- the severity */

/* Converts a severity such as "DEBUG", "warning", or the V of "[V]", to V, I, W, E or
 * F.  Returns 0 if the word is no severity. */
static char severity_of(struct fsd_slice word, bool bracketed)
{
    static const char *const names[] = {"Vverbose", "Vdebug",    "Vtrace", "Iinfo",
                                        "Inotice",  "Wwarning",  "Wwarn",  "Eerror",
                                        "Ffatal",   "Fcritical", NULL};
    char lower[16];

    if (word.n == 1 && bracketed)
        return strchr("VIWEF", *word.s) ? *word.s : *word.s == 'D' ? 'V' : 0;
    if (word.n >= sizeof lower)
        return 0;
    for (size_t i = 0; i < word.n; i++)
        lower[i] =
            (char)(word.s[i] >= 'A' && word.s[i] <= 'Z' ? word.s[i] + 32 : word.s[i]);
    for (size_t i = 0; names[i]; i++)
        if (fsd_slice_is((struct fsd_slice){lower, word.n}, names[i] + 1))
            return *names[i];
    return 0;
}

/* Returns the severity that a word of glog's prefix states, such as I for "I0911"; 0 if
 * the word has another form. */
static char severity_of_day(struct fsd_slice word)
{
    if (word.n != 5 || !memchr("IWEF", *word.s, 4))
        return 0;
    for (size_t i = 1; i < 5; i++)
        if (!fsd_is_digit(word.s[i]))
            return 0;
    return *word.s;
}

/* ------------------------------------------------------------ a sample and a line */

/* How a word of a sample may differ in another line with the same prefix.  The text
 * between blanks that contains the word decides:
 *
 *     IS_FIXED   no digit, as in "stdout": the word may not differ
 *     IS_NUMBER  digits but no letter, as in "0:00:12.34": it may be another number
 *     IS_NAME    digits and letters, as in "builder-1": it may be any word */
enum varies { IS_FIXED, IS_NUMBER, IS_NAME };

static enum varies varies_at(struct fsd_slice t, size_t at)
{
    bool digit = false, letter = false;

    while (at && t.s[at - 1] != ' ')
        at--;
    for (; at < t.n && t.s[at] != ' '; at++) {
        digit |= fsd_is_digit(t.s[at]);
        letter |= fsd_is_word(t.s[at]) && !fsd_is_digit(t.s[at]);
    }
    return !digit ? IS_FIXED : letter ? IS_NAME : IS_NUMBER;
}

static bool is_number(struct fsd_slice word)
{
    for (size_t i = 0; i < word.n; i++)
        if (!fsd_is_digit(word.s[i]))
            return false;
    return true;
}

static struct fsd_slice take_run(struct fsd_slice *t, bool (*of)(char))
{
    struct fsd_slice run = *t;
    size_t n = 0;

    while (n < t->n && of(t->s[n]))
        n++;
    run.n = n;
    *t = fsd_slice_from(*t, n);
    return run;
}

static bool is_word_byte(char c)
{
    return fsd_is_word(c);
}

static bool is_blank(char c)
{
    return c == ' ';
}

/* Whether a word of the line fits the word of the sample.  If the word is a severity,
 * sets `*severity`. */
static bool word_fits(struct fsd_slice sample, size_t at, struct fsd_slice word,
                      struct fsd_slice found, char *severity)
{
    bool bracketed = at && sample.s[at - 1] == '[';
    char is = severity_of(found, bracketed), day = at ? 0 : severity_of_day(found);

    if (!found.n)
        return false;
    if (severity_of(word, bracketed) && is) {
        *severity = is;
        return true;
    }
    if (day)
        *severity = day;
    switch (varies_at(sample, at)) {
    case IS_FIXED:
        return fsd_slice_equal(word, found);
    case IS_NUMBER:
        return is_number(found);
    case IS_NAME:
        break;
    }
    return true;
}

/* Returns the length of the prefix of `line` that fits the sample; 0 if none fits.
 * Between words, the number of blanks may differ, because loggers pad a severity with
 * blanks.  At the end, the prefix takes at most as many blanks as the sample has.
 * Further blanks belong to the text after the prefix. */
static size_t fit(struct fsd_slice sample, struct fsd_slice line, char *severity)
{
    struct fsd_slice s = sample, t = line;
    char found = 0;

    while (s.n) {
        if (fsd_is_word(*s.s)) {
            size_t at = sample.n - s.n;
            struct fsd_slice word = take_run(&s, is_word_byte);

            if (!word_fits(sample, at, word, take_run(&t, is_word_byte), &found))
                return 0;
        } else if (*s.s == ' ') {
            struct fsd_slice blanks = take_run(&s, is_blank);

            if (!t.n || *t.s != ' ')
                return 0;
            if (s.n)
                take_run(&t, is_blank);
            else
                while (blanks.n-- && t.n && *t.s == ' ')
                    t = fsd_slice_from(t, 1);
        } else {
            if (!t.n || *t.s != *s.s)
                return 0;
            s = fsd_slice_from(s, 1);
            t = fsd_slice_from(t, 1);
        }
    }
    if (found)
        *severity = found;
    return line.n - t.n;
}

size_t fsd_log_unwrap(struct fsd_log_wrapper *w, struct fsd_slice line, char *severity)
{
    size_t n = 0;

    for (unsigned i = 0; i < w->n && !n; i++)
        n = fit(w->samples[i], line, severity);
    if (n || (!w->n && w->searched > SEARCHED_MAX))
        return n;
    n = find_own(line);
    w->searched += line.n;
    if (!n)
        return 0;
    if (w->n < FSD_LOG_SAMPLES)
        w->samples[w->n++] = (struct fsd_slice){line.s, n};
    fit((struct fsd_slice){line.s, n}, line, severity);
    return n;
}
