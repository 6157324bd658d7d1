/* The words of a command line that asks for what options ask for. */
#ifndef FSD_API_COMMAND_H
#define FSD_API_COMMAND_H

#include "explain/diff/diff.h"

/** In the arena; paths are made valid UTF-8 as all names are. */
const struct fsd_command *fsd_command_new(struct fsd_arena *arena,
                                          struct fsd_intern *names,
                                          const struct fsd_options *opt);

/** Prints " OPTION WORD", the word as a shell takes it; of NULL nothing. */
void fsd_put_option(struct fsd_intern *names, const char *option, const char *word,
                    FILE *out);

/* ---------------------------------------------------- arguments of public functions */

/** @return FSD_OK; FSD_E_ARG for a list that is NULL, or has a NULL among its n. */
enum fsd_status fsd_expect_words(const char *name, const char *const *list, unsigned n,
                                 struct fsd_error *err);
/** The same of several lists. */
struct fsd_given {
    const char *name;
    const char *const *list;
    unsigned n;
};
enum fsd_status fsd_expect_lists(const struct fsd_given *all, size_t n,
                                 struct fsd_error *err);
/** @return FSD_OK; FSD_E_ARG for a NULL list of n > 0 structs. */
enum fsd_status fsd_expect_array(const char *name, const void *list, size_t n,
                                 struct fsd_error *err);
/** @return FSD_OK; FSD_E_ARG unless `is` below `n`. */
enum fsd_status fsd_expect_choice(const char *name, unsigned is, unsigned n,
                                  struct fsd_error *err);

/** The same of each list and mask in one of these. */
enum fsd_status fsd_expect_options(const struct fsd_options *opt,
                                   struct fsd_error *err);
enum fsd_status fsd_expect_query(const struct fsd_query *q, struct fsd_error *err);

#endif
