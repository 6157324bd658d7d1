/* The command line that is equivalent to the given options. */
#pragma once

#include "explain/diff/diff.h"

/** Makes the command, in the arena. Replaces invalid UTF-8 in paths. */
const struct fsd_command *fsd_command_new(struct fsd_arena *arena,
                                          struct fsd_intern *names,
                                          const struct fsd_options *opt);

/** Prints " OPTION WORD", with the word quoted for a shell; nothing if the word is
 * NULL. */
void fsd_put_option(struct fsd_intern *names, const char *option, const char *word,
                    FILE *out);

/* ---------------------------------------------------- arguments of public functions */

/** @return FSD_OK; FSD_E_ARG if a list of n > 0 words is NULL or contains NULL */
enum fsd_status fsd_expect_words(const char *name, const char *const *list, unsigned n,
                                 struct fsd_error *err);
/** A list of words, with its name for error messages. */
struct fsd_given {
    const char *name;
    const char *const *list;
    unsigned n;
};
enum fsd_status fsd_expect_lists(const struct fsd_given *all, size_t n,
                                 struct fsd_error *err);
/** @return FSD_OK; FSD_E_ARG if a list of n > 0 structs is NULL */
enum fsd_status fsd_expect_array(const char *name, const void *list, size_t n,
                                 struct fsd_error *err);
/** @return FSD_OK; FSD_E_ARG unless `is` < `n` */
enum fsd_status fsd_expect_choice(const char *name, unsigned is, unsigned n,
                                  struct fsd_error *err);

/** Checks all lists and enumerations of the options. */
enum fsd_status fsd_expect_options(const struct fsd_options *opt,
                                   struct fsd_error *err);
enum fsd_status fsd_expect_query(const struct fsd_query *q, struct fsd_error *err);
