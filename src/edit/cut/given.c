/*
 * Finds the user's values for the inputs of a part.
 *
 * Values are used for an input only if they have its name, type and sizes. The part
 * would run with other values, too, but its outputs could not be compared with the
 * outputs of the whole model.
 */
#include "base/base.h"
#include "edit/cut/cut.h"
#include "model/graph/graph.h"

static const struct fsd_array *find(const struct fsd_array_set *given, fsd_sym name)
{
    for (uint32_t i = 0; i < given->at.n; i++)
        if (given->at.at[i].name == name)
            return &given->at.at[i];
    return NULL;
}

/* Whether the values have the sizes of the input. For a dynamic size, any size fits. */
static bool has_sizes(const struct fsd_onnx_info *info, const struct fsd_array *value)
{
    if (!info->ranked)
        return true;
    if (info->rank != value->rank)
        return false;
    for (uint32_t i = 0; i < info->rank; i++)
        if (info->sizes[i] >= 0 && info->sizes[i] != value->dims[i])
            return false;
    return true;
}

static const char *sizes_text(struct fsd_arena *arena, const struct fsd_onnx_info *info)
{
    const char *text = info->ranked ? "" : "any size";

    for (uint32_t i = 0; i < info->rank; i++)
        text = info->sizes[i] < 0 ? fsd_printed(arena, "%s%s?", text, i ? "x" : "")
                                  : fsd_printed(arena, "%s%s%lld", text, i ? "x" : "",
                                                (long long)info->sizes[i]);
    return info->ranked && !info->rank ? "a scalar" : text;
}

enum fsd_status fsd_cut_find_given(const struct fsd_cut_plan *plan, fsd_id tensor,
                                   const struct fsd_array_set *given,
                                   const struct fsd_array **out, struct fsd_error *err)
{
    struct fsd_onnx_info info = fsd_tensor_info(plan->arena, plan->d, tensor);
    const struct fsd_array *value =
        find(given, plan->d->model->tensors.at[tensor].name);
    enum fsd_dtype type = fsd_tensor_form(plan->d->model, tensor)->type;

    *out = value;
    if (!value)
        return fsd_fail(err, FSD_E_MISMATCH, given->path, FSD_POS_NONE, 0,
                        "expected values of the part's input '%.200s', found only %u "
                        "tensors with other names",
                        info.name, given->at.n);
    if (value->odd)
        return fsd_fail(err, FSD_E_UNSUPPORTED, value->stored.file->name, FSD_POS_BYTE,
                        value->stored.at,
                        "expected readable values of '%.200s', found that %s",
                        info.name, value->odd);
    if (value->type != type || !has_sizes(&info, value))
        return fsd_fail(
            err, FSD_E_MISMATCH, value->stored.file->name, FSD_POS_BYTE,
            value->stored.at, "expected %s of %s for '%.200s', found %s of %s",
            fsd_dtype_name(type), sizes_text(plan->arena, &info), info.name,
            fsd_dtype_name(value->type), fsd_array_shape(plan->arena, value));
    return FSD_OK;
}
