/* The first word may be a verb; without one it is diff. */
#include "cli/build_word.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verb.h"

#include <stdio.h>
#include <string.h>

static const struct verb *find_verb(const char *word)
{
    static const struct verb *const verbs[] = {&verb_diff, &verb_snapshot, &verb_check,
                                               &verb_compare, &verb_lint};

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(verbs[i]->name, word))
            return verbs[i];
    for (size_t i = 0; i < n_view_verbs; i++)
        if (!strcmp(view_verbs[i].name, word))
            return &view_verbs[i];
    return NULL;
}

/* An error without a message is one that the user knows of. */
static int complain(const struct fsd_error *err)
{
    char text[1024];

    end_progress();
    if (*err->message)
        fprintf(stderr, "fusiondiff: %s\n", fsd_error_text(err, text, sizeof text));
    return TROUBLE;
}

int main(int argc, char **argv)
{
    static struct build_word folder;
    static char name[] = "fusiondiff"; /* getopt's messages begin with argv[0] */
    const struct verb *verb = argc > 1 ? find_verb(argv[1]) : NULL;
    struct command_line line;
    struct fsd_error err = {0};
    int exit_status = OK;

    if (verb) { /* argp shall not see it */
        argc--;
        argv++;
    }
    if (argc)
        argv[0] = name;
    parse_command_line(&line, verb ? verb : &verb_diff, argc, argv);
    verb = verb ? verb : &verb_diff;
    prepare_ends();
    show_progress(&line.run, line.quiet);
    if (take_folder(&folder, &line.run, &err) != FSD_OK ||
        check_outputs(&line, &err) != FSD_OK ||
        verb->run(&line, &exit_status, &err) != FSD_OK)
        exit_status = complain(&err);
    end_progress();
    return exit_status;
}
