/* Chooses the fusions that the next build of a search splits, and the tensors that this
 * build marks. */
#pragma once

#include "edit/bisect/hunt.h"

/** An unfinished request for the next build. The finished request is in h->chosen and
 *  h->tensors. */
struct fsd_choice {
    struct fsd_hunt *h;
    bool *covered; /**< indexed by group: the group should change */
};

struct fsd_choice fsd_choice_begin(struct fsd_hunt *h);

/** Adds fusions to split, until half of the groups in `among` (or h->limit, if this is
 *  less) are expected to change. At least one group in `among` stays unchanged. Fusions
 *  without an exact break are used only if no fusion with an exact break can be added.
 *  @param stay indexed by group: the group must not change; NULL: all may change
 *  @return the number of groups in `among` that are expected to change */
uint32_t fsd_choice_halve(struct fsd_choice *c, const bool *among, const bool *stay);

/** Adds the groups in `these` that can be split without changing a group in `stay`. */
void fsd_choice_add(struct fsd_choice *c, const bool *these, const bool *stay);

/** Adds the tensors to mark. */
void fsd_choice_end(const struct fsd_choice *c);

/** Makes a whole request: calls fsd_choice_begin(), fsd_choice_add() and
 *  fsd_choice_end(). */
void fsd_choose(struct fsd_hunt *h, const bool *these, const bool *stay);

/** The first earlier step that chose the same groups as h->chosen; NULL if there is
 *  none. The build of that step may have been skipped. */
const struct fsd_hunt_step *fsd_choice_made(const struct fsd_hunt *h);

/** Whether the group can be split, by an exact break or by marking inner tensors. */
bool fsd_choice_can(const struct fsd_marks *m, fsd_id group);

/** The number of times that n must be halved, with halves rounded up, to become 1. */
uint32_t fsd_choice_halvings(uint32_t n);

/** An array indexed by group, all false, allocated in the search's arena. */
bool *fsd_hunt_none(const struct fsd_hunt *h);
