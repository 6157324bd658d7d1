/* A search for the fusion that makes an engine wrong: its pair, its state as a text,
 * and what it says. */
#ifndef FSD_BISECT_SEARCH_H
#define FSD_BISECT_SEARCH_H

#include "edit/bisect/hunt.h"
#include "edit/mark/marked.h"

struct fsd_bisection {
    struct fsd_diff *run;
    struct fsd_marks *marks;
    struct fsd_hunt *hunt;
    char *model, *engine; /**< paths */
    bool force;
};

/** By enum fsd_bisect_result: "good", "bad", "skip". */
extern const char *const fsd_search_results[];

/** A search without a result, of any pair.  Freed by fsd_bisection_free().
 *  @return as fsd_bisection_open(), but that there may be no fusion.  search.c */
enum fsd_status fsd_search_open(struct fsd_bisection **out,
                                const struct fsd_options *opt, struct fsd_error *err);

/** Prints the state, and reads it as fsd_bisection_read() does.  state.c
 *  @param[out] out  set on success alone. */
void fsd_search_save(const struct fsd_bisection *search, FILE *out);
enum fsd_status fsd_search_read(struct fsd_bisection **out, const char *path,
                                const struct fsd_options *opt, struct fsd_error *err);

/** What the next build has marked and passed on; in the arena.  search.c */
struct fsd_marking fsd_search_marking(const struct fsd_bisection *b,
                                      struct fsd_arena *arena);

/** Sets what a rebuilt engine shows of each group: enum fsd_seen.
 *  @return as fsd_bisection_take().  search.c */
enum fsd_status fsd_search_look(const struct fsd_bisection *b,
                                const struct fsd_options *rebuilt, uint8_t *seen,
                                struct fsd_error *err);

/** The name of a tensor of the model.  This and what follows: say.c */
const char *fsd_search_tensor_name(const struct fsd_bisection *b, fsd_id tensor);

/** What to build next, or how the search ended; before it, all results so far. */
void fsd_search_put_next(const struct fsd_bisection *search, FILE *out);
void fsd_search_put_log(const struct fsd_bisection *search, FILE *out);

/** How a rebuilt engine differs from what was expected.
 *  @param chosen  the groups that were to be split.
 *  @param seen    by group: enum fsd_seen. */
void fsd_search_put_differences(const struct fsd_bisection *b, struct fsd_span chosen,
                                const uint8_t *seen, FILE *out);

#endif
