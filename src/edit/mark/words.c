/* The words for the places of tensors, for the reasons why a mark changes a fusion, and
 * for the kinds of fusions. */
#include "edit/mark/mark.h"

FSD_NAMES(fsd_place_name, unsigned, FSD__PLACE_COUNT, [FSD_PLACE_BETWEEN] = "between",
          [FSD_PLACE_WRITTEN] = "written", [FSD_PLACE_INSIDE] = "inside",
          [FSD_PLACE_GONE] = "gone", [FSD_PLACE_UNKNOWN] = "unknown")

FSD_NAMES(
    fsd_fusion_kind_name, unsigned,
    FSD__FUSION_COUNT, [FSD_FUSION_NONE] = "single", [FSD_FUSION_VERTICAL] = "vertical",
    [FSD_FUSION_HORIZONTAL] = "horizontal", [FSD_FUSION_EPILOGUE] = "epilogue",
    [FSD_FUSION_ATTENTION] = "attention", [FSD_FUSION_GROUP] = "group")

static const struct {
    const char *name, *text;
} whys[] = {
    [FSD_WHY_NONE] = {"", ""},
    [FSD_WHY_INPUT] = {"input", "it is an input of the network"},
    [FSD_WHY_OUTPUT] = {"output", "it is already an output of the network"},
    [FSD_WHY_CONV] = {"epilogue",
                      "an output of the network is row-major: to write that layout, "
                      "the builder splits the nodes after the Conv from its kernel"},
    [FSD_WHY_FORM] = {"form",
                      "the generated kernel writes another layout or shape than "
                      "an output of the network has; the added conversion may "
                      "be fused with a part of the kernel"},
    [FSD_WHY_READER] = {"reader", "its layout is not row-major: if it is marked, the "
                                  "builder converts it, and may fuse the conversion "
                                  "with a part of the kernel that reads it"},
    [FSD_WHY_JOINED] = {"joined",
                        "one kernel computes several products and writes them as one "
                        "tensor: if this one is marked, a separate kernel computes it"},
    [FSD_WHY_SHARED] = {"shared", "one kernel computes the products that read it or a "
                                  "duplicate of it: if it is marked, the builder "
                                  "computes it once more, and a separate kernel "
                                  "computes the products that read it"},
    [FSD_WHY_IN_PLACE] = {"in-place", "its producer writes it directly into the "
                                      "output of a Concat: if it is marked, a kernel "
                                      "copies it there"},
    [FSD_WHY_CONCAT] = {"concat",
                        "producers write their tensors directly into the output of "
                        "the Concat: if that output is marked, a kernel may copy them "
                        "there"},
    [FSD_WHY_TURNED] = {"turned",
                        "the kernel that reads it transposes it: if it is marked, the "
                        "Transpose may move to the kernel that writes "
                        "it"},
    [FSD_WHY_LOOP] = {"loop",
                      "control flow or a recurrent operator writes or reads it"},
    [FSD_WHY_BODY] =
        {"body", "it is a tensor of a body, and cannot be an output of the network"},
    [FSD_WHY_SPREAD] = {"spread",
                        "several kernels compute its fusion: if it is marked, the "
                        "builder may split the fusion differently"},
    [FSD_WHY_QUANTIZED] = {"quantized",
                           "it is quantized: an output of that type may change the "
                           "fusion of its Q"},
    [FSD_WHY_SCALED] = {"scaled",
                        "the layer that reads it applies the scale of its DQ"},
    [FSD_WHY_FOLDED] = {"folded", "it is a build-time constant"},
    [FSD_WHY_SIZE] = {"size", "it is a size, computed before any kernel runs"},
    [FSD_WHY_DEAD] = {"dead", "no output of the network depends on it"},
    [FSD_WHY_MERGED] = {"merged", "a duplicate node has its values"},
    [FSD_WHY_VIEW] = {"view", "another tensor is a view of the same values"},
    [FSD_WHY_PARTS] = {"parts", "layers write its parts directly into it"},
    [FSD_WHY_NO_LAYER] = {"no-layer", "it is not known which layer computes it"},
    [FSD_WHY_OPAQUE] = {"opaque",
                        "the engine reports the region as one layer, not its kernels"},
};
_Static_assert(FSD_COUNT_OF(whys) == FSD__WHY_COUNT, "a row each");

const char *fsd_place_why_name(unsigned why)
{
    return whys[why].name;
}

const char *fsd_place_why_text(unsigned why)
{
    return whys[why].text;
}
