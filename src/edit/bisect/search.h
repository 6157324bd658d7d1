/* A search for the fusion that makes an engine wrong. The functions open the model and
 * the engine, save the state of the search as text, and print messages. */
#pragma once

#include "edit/bisect/hunt.h"
#include "edit/mark/marked.h"

struct fsd_bisection {
    struct fsd_diff *run;
    struct fsd_marks *marks;
    struct fsd_hunt *hunt;
    char *model, *engine; /**< paths */
    bool force;
};

/** Indexed by enum fsd_bisect_result: "good", "bad", "skip". */
extern const char *const fsd_search_results[];

/** Creates a search without results.  fsd_bisection_free() frees it.
 *  @return like fsd_bisection_open(), but FSD_OK for an engine without a fusion.
 *          search.c */
enum fsd_status fsd_search_open(struct fsd_bisection **out,
                                const struct fsd_options *opt, struct fsd_error *err);

/** fsd_search_save() prints the state of a search. fsd_search_read() reads the state as
 *  fsd_bisection_read() does. state.c
 *  @param[out] out set only on success */
void fsd_search_save(const struct fsd_bisection *search, FILE *out);
enum fsd_status fsd_search_read(struct fsd_bisection **out, const char *path,
                                const struct fsd_options *opt, struct fsd_error *err);

/** Returns two lists in the arena: the tensors that the next build marks as outputs,
 *  and the tensors that it forwards through If nodes. search.c */
struct fsd_marking fsd_search_marking(const struct fsd_bisection *b,
                                      struct fsd_arena *arena);

/** Sets what a rebuilt engine shows about each group.
 *  @param seen indexed by group: enum fsd_seen
 *  @return like fsd_bisection_take(). search.c */
enum fsd_status fsd_search_look(const struct fsd_bisection *b,
                                const struct fsd_options *rebuilt, uint8_t *seen,
                                struct fsd_error *err);

/** The name of a tensor of the model. This function and the functions below are in
 *  say.c. */
const char *fsd_search_tensor_name(const struct fsd_bisection *b, fsd_id tensor);

/** Prints all results so far, and then the next build or the result of the search. */
void fsd_search_put_next(const struct fsd_bisection *search, FILE *out);
void fsd_search_put_log(const struct fsd_bisection *search, FILE *out);

/** Prints how a rebuilt engine differs from the expected engine.
 *  @param chosen the groups that should have been split
 *  @param seen indexed by group: enum fsd_seen */
void fsd_search_put_differences(const struct fsd_bisection *b, struct fsd_span chosen,
                                const uint8_t *seen, FILE *out);
