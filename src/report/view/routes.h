/* Only the files of the view of routes include this header. */
#pragma once

#include "report/view/view.h"

struct fsd_routes_source {
    struct fsd_arena *arena;
    const struct fsd_routes *r;
    const struct fsd_style *style;
};

/** The setting of a knob: "tf32=off", "tf32 not set". */
const char *fsd_setting_text(const struct fsd_routes_source *k, uint32_t knob,
                             fsd_sym value);

/** Whether a setting changes no build: in each compared pair of routes, both routes
 * have the same engine. A pair is compared if both routes have a build. False if no
 * pair is compared. */
static inline bool fsd_effect_is_idle(const struct fsd_route_effect *e)
{
    return e->compared && e->same == e->compared;
}

/** A row for each effect.
 * @param brief true: leaves out the idle effects without times, because one common line
 *         lists them */
const struct fsd_rows *fsd_effect_rows(const struct fsd_routes_source *k, bool brief);
extern const struct fsd_record fsd_effect_row_record;
