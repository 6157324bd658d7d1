/* Any bytes as the cache of a search over build options, and the routes that it has. */
#include "change/routes/routes.h"
#include "read/engine/reader.h"
#include "model/ops/ids.h"
#include "support_file.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_steps(const struct fsd_intern *names, const struct fsd_tuning *tuning)
{
    for (uint32_t i = 0; i < tuning->steps.n; i++) {
        const struct fsd_tuning_step *step = &tuning->steps.at[i];

        check(isfinite(step->ms) && isfinite(step->loss) && step->ms != 0);
        check(step->route < fsd_intern_count(names));
        check(!step->failed || step->ms < 0);
    }
}

/* What is found is among what was given. */
static void check_routes(const struct fsd_routes *r)
{
    check(r->base < r->n && (r->best == FSD_NONE || r->best < r->n));
    check(r->kept == FSD_NONE || r->routes[r->kept].apart <= r->routes[r->best].apart);
    for (uint32_t i = 0; i < r->steps.n; i++) {
        const struct fsd_route_step *s = &r->steps.at[i];

        check(s->from != s->to && s->to < r->n && s->knob < r->knobs.n);
        for (uint32_t k = 0; k < r->knobs.n; k++)
            check((r->routes[s->from].values[k] == r->routes[s->to].values[k]) ==
                  (k != s->knob));
    }
}

static void make_routes(struct fsd_arena *arena, struct fsd_intern *names,
                        const struct fsd_tuning *tuning)
{
    uint32_t n = tuning->steps.n < FSD_MOST_ROUTES ? tuning->steps.n : FSD_MOST_ROUTES;
    struct fsd_route_in *in = FSD_NEW(arena, struct fsd_route_in, n);
    fsd_settings usual = {0};
    struct fsd_routes *r;

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_tuning_step *step = &tuning->steps.at[i];

        in[i] = (struct fsd_route_in){
            .name = "x", .ms = step->ms, .loss = step->loss, .failed = step->failed};
        fsd_settings_parse(arena, names, fsd_text(names, step->route), &in[i].settings);
    }
    fsd_settings_parse(arena, names, fsd_text(names, tuning->default_route), &usual);
    if (!n)
        return;
    r = fsd_routes_new(names, in, n, &usual, tuning);
    check_routes(r);
    fsd_routes_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_tuning tuning;
    struct fsd_error err = {0};
    enum fsd_status status =
        fsd_reader_trt.read_tuning(arena, names, &file, &tuning, &err);

    if (status != FSD_OK)
        check(err.status == status && err.message[0] &&
              (err.unit != FSD_POS_BYTE || err.pos <= size));
    if (status == FSD_OK) {
        check_steps(names, &tuning);
        make_routes(arena, names, &tuning);
    }
    fsd_arena_free(arena);
    return 0;
}
