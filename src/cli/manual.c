/* Prints the manual page, in mdoc, from the same tables as --help. */
#include "cli/cli.h"

#include <ctype.h>

/* Prints a word of prose, and escapes characters that mdoc would interpret: hyphens,
 * and a dot or apostrophe at the beginning of a line. */
static void put_word(FILE *out, const char *word, size_t n, bool first)
{
    if (first && (*word == '.' || *word == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < n; i++) {
        if (word[i] == '\\')
            fputs("\\e", out);
        else if (word[i] == '-' && (!i || !isalnum((unsigned char)word[i - 1])))
            fputs("\\-", out);
        else
            putc(word[i], out);
    }
}

/* Prints `n` bytes of prose in short lines. Each sentence begins a new line, as mdoc
 * requires. */
static void put_text(FILE *out, const char *text, size_t n)
{
    const char *end = text + n;
    size_t column = 0;
    bool ends = false;

    while (text < end) {
        size_t blank = strspn(text, " \n"), word = strcspn(text + blank, " \n");

        if (blank > 1 && text[0] == '\n' && text + blank < end) {
            fputs("\n.Pp\n", out);
            column = 0;
        } else if (column && word) {
            bool breaks = ends || column + word > 72;

            putc(breaks ? '\n' : ' ', out);
            column = breaks ? 0 : column;
        }
        text += blank;
        if (text >= end)
            break;
        if (word > (size_t)(end - text))
            word = (size_t)(end - text);
        put_word(out, text, word, !column);
        column += word + 1;
        text += word;
        ends = text[-1] == '.' || (text[-1] == ')' && text[-2] == '.');
    }
    putc('\n', out);
}

static void put_paragraph(FILE *out, const char *text)
{
    fputs(".Pp\n", out);
    put_text(out, text, strlen(text));
}

/* Prints arguments such as "[SNAPSHOT] MODEL ENGINE NODE...". */
static void put_arguments(FILE *out, const char *words)
{
    for (size_t n; *words; words += n + strspn(words + n, " ")) {
        bool may = *words == '[';

        n = strcspn(words, " ");
        /* A bar is no argument: for ".Ar |", mdoc would print its default argument
         * "file ...". */
        if (*words == '|')
            fputs("|\n", out);
        else
            fprintf(out, ".%sAr %.*s\n", may ? "Op " : "", (int)(may ? n - 2 : n),
                    words + may);
    }
}

/* Prints the names of an option, "n Ar N , Fl \\-limit Ar N". Its other names are in
 * the next rows.
 * @return the last of these rows */
static const struct option_row *put_names(FILE *out, const struct option_row *option)
{
    const char *before = option->arg ? " Ar " : "";
    const char *arg = option->arg ? option->arg : "";
    const char *comma = "";

    fputs(".It", out);
    do {
        if (option->letter) {
            fprintf(out, "%s Fl %c%s%s", comma, option->letter, before, arg);
            comma = " ,";
        }
        fprintf(out, "%s Fl \\-%s%s%s", comma, option->name, before, arg);
        comma = " ,";
        option++;
    } while (option->alias);
    fputc('\n', out);
    return option;
}

static void put_options(FILE *out, const struct option_row *option)
{
    fputs(".Bl -tag -width Ds\n", out);
    while (is_row(option))
        if (option->hidden) {
            option++;
        } else {
            const char *doc = option->doc;

            option = put_names(out, option);
            put_text(out, doc, strlen(doc));
        }
    fputs(".El\n", out);
}

static bool has_options(const struct option_row *options)
{
    for (; is_row(options); options++)
        if (!options->hidden)
            return true;
    return false;
}

static void put_verb(FILE *out, const struct verb *verb)
{
    const char *below = strchr(verb->doc, '\v'), *name, *example;
    const struct option_row *own = option_rows(verb, 0);
    bool named = verb != verb_at(0);

    fprintf(out, ".Ss %s\n", verb->name);
    put_text(out, verb->doc, below ? (size_t)(below - verb->doc) : strlen(verb->doc));
    if (has_options(own))
        put_options(out, own);
    if (below)
        put_paragraph(out, below + 1);
    if (verb->subject >= 0) {
        fputs(".Pp\nFormats:", out);
        for (unsigned i = 0; (name = fsd_format_of((enum fsd_subject)verb->subject, i));
             i++)
            fprintf(out, "%s\n.Cm %s", i ? " ," : "", name);
        fputs(" .\n", out);
    }
    fputs(".Bd -literal -offset indent\n", out);
    for (unsigned i = 0; (example = verb->examples[i]); i++)
        fprintf(out, "fusiondiff %s%s%s\n", named ? verb->name : "",
                named && *example ? " " : "", example);
    fputs(".Ed\n", out);
}

void print_manual(FILE *out)
{
    static const char *const titles[OPTION_TABLES] = {
        NULL, "Options of every verb", "Options of every verb that reads one build"};
    const struct verb *verb;

    fprintf(out,
            ".Dd %s\n.Dt FUSIONDIFF 1\n.Os\n.Sh NAME\n.Nm fusiondiff\n.Nd show how "
            "TensorRT transformed an ONNX model\n.Sh SYNOPSIS\n",
            FSD_DAY);
    for (unsigned i = 0; (verb = verb_at(i)); i++) {
        fprintf(out,
                i ? ".Nm\n.Cm %s\n.Op Ar OPTION ...\n"
                  : ".Nm\n.Op Cm %s\n.Op Ar OPTION ...\n",
                verb->name);
        put_arguments(out, verb->arguments);
    }
    fputs(".Nm\n.Cm help\n.Op Ar VERB\n.Sh DESCRIPTION\n.Nm\nreads an ONNX model and "
          "the layer dump or build log of the engine that was\nbuilt from it, and "
          "shows which layer computes which nodes, and the evidence\nfor it.\n"
          "It needs no GPU and no TensorRT, and never loads the weights.\n.Sh VERBS\n",
          out);
    for (unsigned i = 0; (verb = verb_at(i)); i++)
        put_verb(out, verb);
    fputs(".Sh OPTIONS\n", out);
    for (unsigned i = 1; i < OPTION_TABLES; i++) {
        fprintf(out, ".Ss %s\n", titles[i]);
        put_options(out, option_rows(verb_at(0), i));
    }
    fprintf(
        out,
        ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n.It Ev NO_COLOR\nIf set, output is "
        "never colored.\n.It Ev SOURCE_DATE_EPOCH\nSeconds since 1970: the date with\n"
        "which 'check' compares the expiry dates of a policy.\n.El\n.Sh EXIT "
        "STATUS\n.Bl "
        "-tag -width Ds "
        "-compact\n.It 0\nno finding has a level that fails the run\n.It "
        "1\na finding has such a level\n.It 2\nan error: wrong usage, an unreadable "
        "input, a report "
        "that cannot be written\n.El\n.Sh AUTHORS\n.An The fusiondiff authors\n");
}
