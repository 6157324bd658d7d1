/* Chooses the fusions that the next build of a search splits, and the tensors that it
 * marks. */
#pragma once

#include "edit/bisect/hunt.h"

/** A request in preparation; h->chosen and h->tensors become the request. */
struct fsd_choice {
    struct fsd_hunt *h;
    bool *covered; /**< indexed by group: it should change */
};

struct fsd_choice fsd_choice_begin(struct fsd_hunt *h);

/** Adds up to half of `among`, but at most h->limit fusions, and never all. Fusions
 * without an exact break are added only if none in `among` has one.
 *  @param stay indexed by group: it must not change; NULL: all may change
 *  @return the number of groups in `among` that should change */
uint32_t fsd_choice_halve(struct fsd_choice *c, const bool *among, const bool *stay);

/** Adds these groups if they can be split without changing a group that has to stay. */
void fsd_choice_add(struct fsd_choice *c, const bool *these, const bool *stay);

/** Adds the tensors to mark. */
void fsd_choice_end(const struct fsd_choice *c);

/** Makes a whole request: begins it, adds the groups with fsd_choice_add(), and ends
 * it. */
void fsd_choose(struct fsd_hunt *h, const bool *these, const bool *stay);

/** The earlier step whose request equals the prepared one, whether it was tested or
 * skipped; NULL if there is none. */
const struct fsd_hunt_step *fsd_choice_made(const struct fsd_hunt *h);

/** Whether a request may split the group. */
bool fsd_choice_can(const struct fsd_marks *m, fsd_id group);

/** How often n can be halved until one is left. */
uint32_t fsd_choice_halvings(uint32_t n);

/** An array of groups, all false, in the arena of the search. */
bool *fsd_hunt_none(const struct fsd_hunt *h);
