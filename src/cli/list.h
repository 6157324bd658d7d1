/* A list of builds, which batch, check and snapshot read: one build a line. */
#ifndef FSD_CLI_LIST_H
#define FSD_CLI_LIST_H

#include "cli/build_word.h"

/** The lines of a list, as it has them. */
struct list {
    char **lines;
    unsigned n, room;
};

/** What `path` (`-`: standard input) lists, or the builds that a directory holds.
 *  @param[out] list  free it with free_list(), whatever comes back.
 *  @return FSD_OK; FSD_E_ARG for a file that a line would name, or for no build at all;
 *          FSD_E_IO. */
enum fsd_status read_list(struct list *list, const char *path, struct fsd_error *err);
void free_list(struct list *list);

/** What a line says. */
struct list_line {
    char *text; /**< cut into words */
    struct fsd_options run;
    const char *snapshot, *policy; /**< of check and snapshot; NULL: not said */
    const char *profiles[MOST_OUTPUTS], *shapes[MOST_OUTPUTS];
    struct build_word folder;
};

/** Takes a line apart.
 *  @param like  what all lines have besides.
 *  @param[out] p  all zero before; free_line() frees what it holds.
 *  @return FSD_OK; FSD_E_ARG; FSD_E_IO. */
enum fsd_status take_line(struct list_line *p, const char *text,
                          const struct fsd_options *like, struct fsd_error *err);
void free_line(struct list_line *line);

/** Does something with each of `n` things, in `jobs` threads (0: as many as there are
 *  processors), in any order. */
typedef void deed_fn(void *payload, unsigned i);
void do_each(unsigned n, unsigned jobs, deed_fn *deed, void *payload);

/** How many threads to take: `jobs`, or as many as there are processors. */
unsigned count_jobs(unsigned jobs);

/** `memory`; the program ends where there is none. */
void *must(void *memory);

#endif
