/* Which fusions the next build of a search splits, and which tensors it marks. */
#ifndef FSD_BISECT_CHOOSE_H
#define FSD_BISECT_CHOOSE_H

#include "edit/bisect/hunt.h"

/** A request that is being put together: h->chosen and h->tensors become it. */
struct fsd_choice {
    struct fsd_hunt *h;
    bool *covered; /**< by group: it should change */
};

struct fsd_choice fsd_choice_begin(struct fsd_hunt *h);

/** Adds up to half of `among`, at most h->limit, and never all: first fusions with an
 *  exact break, and only where there is none those without one.
 *  @param stay  by group: it must not change; NULL: all may.
 *  @return how many of `among` should change. */
uint32_t fsd_choice_halve(struct fsd_choice *c, const bool *among, const bool *stay);

/** Adds these, as far as they can be split without a change of one that has to stay. */
void fsd_choice_add(struct fsd_choice *c, const bool *these, const bool *stay);

/** Adds the tensors that are to be marked. */
void fsd_choice_end(const struct fsd_choice *c);

/** fsd_choice_add() alone, from the beginning to the end. */
void fsd_choose(struct fsd_hunt *h, const bool *these, const bool *stay);

/** The step that had this request, tested or skipped; NULL: it was not made yet. */
const struct fsd_hunt_step *fsd_choice_made(const struct fsd_hunt *h);

/** Whether a request may split the group. */
bool fsd_choice_can(const struct fsd_marks *m, fsd_id group);

/** How often n can be halved until one is left. */
uint32_t fsd_choice_halvings(uint32_t n);

/** All false, in the arena of the search. */
bool *fsd_hunt_none(const struct fsd_hunt *h);

#endif
