/* The public API of code: writes a model as a program. */
#include "edit/code/code.h"
#include "edit/cut/cut.h"
#include "base/base.h"

struct fsd_coding {
    struct fsd_diff *run;
    bool engine; /* the run has an engine, not only a model */
};

enum fsd_status fsd_coding_open(struct fsd_coding **out, const struct fsd_options *opt,
                                struct fsd_error *err)
{
    struct fsd_diff *run = NULL;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    if (!opt->model)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "expected MODEL");
    status = fsd_run_open(&run, opt, err);
    if (status != FSD_OK)
        return status;
    *out = FSD_NEW(run->arena, struct fsd_coding, 1);
    **out = (struct fsd_coding){run, opt->engine != NULL};
    return FSD_OK;
}

void fsd_coding_free(struct fsd_coding *coding)
{
    if (coding)
        fsd_diff_free(coding->run);
}

enum fsd_status fsd_coding_write(const struct fsd_coding *coding,
                                 const struct fsd_code_options *opt, FILE *out,
                                 struct fsd_error *err)
{
    struct fsd_code_wish wish = {.part = opt->part,
                                 .torch = opt->api == FSD_CODE_TORCH,
                                 .engine = coding->engine,
                                 .depth = opt->depth};
    enum fsd_status status =
        fsd_expect_choice("api", opt->api, FSD_CODE_TORCH + 1, err);

    if (status == FSD_OK && opt->part)
        status = fsd_expect_cut(opt->part, err);
    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    if (opt->part && (opt->part->n_layers || opt->part->n_groups) && !coding->engine)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "--layer and --group need an ENGINE");
    return fsd_code_put(coding->run, &wish, out, err);
}
