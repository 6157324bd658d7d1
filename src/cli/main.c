/* The main function. The first word that is not an option may be a verb. If this word
 * is not a verb, the verb is diff. */
#include "cli/cli.h"

static void suggest_verb(const char *word, struct fsd_error *err)
{
    const char *near = near_verb(word);
    size_t used = strlen(err->message);

    if (near)
        snprintf(err->message + used, sizeof err->message - used,
                 "; did you mean the verb '%s'?", near);
}

/* Prints the error if it has a message. An error has no message if the user already
 * knows it.
 * @return the exit status */
static int complain(const struct fsd_error *err)
{
    char text[1024];

    end_progress();
    if (*err->message)
        fprintf(stderr, "fusiondiff: %s\n", fsd_error_text(err, text, sizeof text));
    return TROUBLE;
}

/* Prints the error. If there is no file `word`, suggests a verb with a similar name.
 * @param word the first argument, if it is no verb; NULL: none */
static int complain_of(struct fsd_error *err, const char *word)
{
    if (err->status == FSD_E_IO && word && !strcmp(err->file, word))
        suggest_verb(word, err);
    return complain(err);
}

static int run_line(int argc, char **argv)
{
    static char name[64] = "fusiondiff"; /* the name of the program in usage and
                                            messages */
    static char help[] = "--help";
    bool asks = argc > 1 && !strcmp(argv[1], "help");
    unsigned n = argc > 1 ? (unsigned)argc - 1 : 0;
    unsigned place = asks ? 1 : verb_place(n, argv + 1);
    const struct verb *verb = place < n ? find_verb(argv[1 + place]) : NULL;
    unsigned first = first_argument(verb_at(0), n, argv + 1);
    const char *word = !verb && first < n ? argv[1 + first] : NULL;
    static struct command_line line; /* static, so that the program need not set this
                                        large struct to zero */
    struct fsd_error err = {0};

    if (asks && argc == 2) {
        print_verbs(stdout);
        return fflush(stdout) ? TROUBLE : OK;
    }
    if (asks && (!strcmp(argv[2], "--as") || !strcmp(argv[2], "--complete"))) {
        if (!strcmp(argv[2], "--complete"))
            print_completions((unsigned)argc - 3, argv + 3);
        else if (argc == 4 && !strcmp(argv[3], "man"))
            print_manual(stdout);
        else {
            fputs("fusiondiff: expected 'man' after 'help --as'\n", stderr);
            return TROUBLE;
        }
        return fflush(stdout) ? TROUBLE : OK;
    }
    if (asks && !verb) {
        snprintf(err.message, sizeof err.message,
                 "'%.100s' is not a verb ('fusiondiff help' lists them)", argv[2]);
        suggest_verb(argv[2], &err);
        return complain(&err);
    }
    if (asks) { /* "help VERB" becomes "VERB --help" */
        argv[1] = argv[2];
        argv[2] = help;
    } else if (verb) {
        memmove(argv + 2, argv + 1, place * sizeof *argv);
    }
    if (verb) { /* removes the verb, because the parser must not see it */
        snprintf(name, sizeof name, "fusiondiff %s", verb->name);
        argc--;
        argv++;
    }
    if (argc)
        argv[0] = name;
    prepare_ends();
    parse_command_line(&line, verb, argc, argv);
    if (line.error.status != FSD_OK ||
        check_line_outputs(&line, &line.error) != FSD_OK ||
        line.verb->run(&line, &line.error) != FSD_OK)
        line.exit_status = complain_of(&line.error, word);
    end_progress();
    return line.exit_status;
}

int main(int argc, char **argv)
{
    fsd_host_begin(&argc, &argv);
    return run_line(argc, argv);
}
