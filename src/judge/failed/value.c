/* Reads the values in a message as texts: bytes, types, sizes, a compute capability. */
#include "judge/failed/failed.h"

#include "base/base.h"

const char *fsd_failed_value(const struct fsd_failed *f, enum fsd_said what)
{
    for (uint32_t i = 0; i < f->values.n; i++)
        if (!strcmp(f->values.at[i].what, fsd_said_name(what)))
            return f->values.at[i].text;
    return NULL;
}

/* Returns "86" for "sm86", and "[4,8]" for "[4,8])". */
const char *fsd_failed_said_value(struct fsd_arena *arena,
                                  const struct fsd_log_said *said, unsigned i)
{
    struct fsd_slice text = said->at[i].text;

    if (said->at[i].what == FSD_SAID_SM && !fsd_slice_take(&text, "sm"))
        fsd_slice_take(&text, "SM");
    if (said->at[i].what == FSD_SAID_SIZE && fsd_slice_find(text, "]"))
        text.n = (size_t)(fsd_slice_find(text, "]") - text.s) + 1;
    return fsd_printed(arena, "%.*s", (int)text.n, text.s);
}

void fsd_failed_take_values(struct fsd_failed *f, const struct fsd_log_said *said)
{
    for (unsigned i = 0; i < said->n; i++)
        if (said->at[i].what != FSD_SAID_NODE && said->at[i].what != FSD_SAID_TENSOR)
            fsd_vec_push(
                f->arena, &f->values,
                (struct fsd_failed_value){fsd_said_name(said->at[i].what),
                                          fsd_failed_said_value(f->arena, said, i)});
}
