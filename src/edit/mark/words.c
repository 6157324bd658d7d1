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
    [FSD_WHY_INPUT] = {"input", "the tensor is an input of the network"},
    [FSD_WHY_OUTPUT] = {"output", "the tensor is already an output of the network"},
    [FSD_WHY_CONV] =
        {"epilogue",
         "an output of the network must be row-major: if the tensor is marked, a "
         "separate kernel computes the nodes after the Conv, and writes the tensor "
         "row-major"},
    [FSD_WHY_FORM] = {"form", "the generated kernel writes a layout or shape that an "
                              "output of the network cannot have: if the tensor is "
                              "marked, the builder adds a conversion; the builder "
                              "may then divide the kernel, and fuse one part with "
                              "the conversion"},
    [FSD_WHY_READER] = {"reader",
                        "the layout of the tensor is not row-major: if the tensor is "
                        "marked, the builder adds a conversion; the builder may then "
                        "divide the kernel that reads the tensor, and fuse one part "
                        "with the conversion"},
    [FSD_WHY_JOINED] =
        {"joined",
         "one kernel computes several products and writes their outputs as one tensor: "
         "if you mark the output of one product, this product gets its own kernel"},
    [FSD_WHY_SHARED] = {"shared",
                        "one kernel computes all products that read this tensor or "
                        "its duplicate: if this tensor is marked, the builder "
                        "computes the two tensors separately, and the products that "
                        "read the marked tensor get their own kernel"},
    [FSD_WHY_IN_PLACE] =
        {"in-place",
         "the producer writes the tensor directly into the output of a Concat: if "
         "the tensor is marked, a kernel copies the tensor into this output"},
    [FSD_WHY_CONCAT] =
        {"concat",
         "producers write their tensors directly into the output of "
         "the Concat: if this output is marked, a kernel may copy the tensors instead"},
    [FSD_WHY_TURNED] = {"turned",
                        "the consumer's kernel transposes the tensor: if the tensor is "
                        "marked, the producer's kernel may do the Transpose instead"},
    [FSD_WHY_LOOP] =
        {"loop", "control flow or a recurrent operator writes or reads the tensor"},
    [FSD_WHY_BODY] =
        {"body", "a tensor in a body of control flow or of a function cannot be an "
                 "output of the network"},
    [FSD_WHY_SPREAD] =
        {"spread",
         "several kernels compute the fusion that produces this tensor: if the "
         "tensor is marked, the builder may split the fusion differently"},
    [FSD_WHY_QUANTIZED] = {"quantized",
                           "the tensor is quantized: if it is marked, the builder may "
                           "fuse the QuantizeLinear differently"},
    [FSD_WHY_SCALED] = {"scaled", "the layer that reads the tensor also applies the "
                                  "scale of the DequantizeLinear"},
    [FSD_WHY_FOLDED] = {"folded", "the tensor is a build-time constant"},
    [FSD_WHY_SIZE] =
        {"size", "the tensor holds sizes, which are computed before any kernel runs"},
    [FSD_WHY_DEAD] = {"dead", "no output of the network depends on the tensor"},
    [FSD_WHY_MERGED] = {"merged", "a duplicate node outputs the same values"},
    [FSD_WHY_VIEW] = {"view", "the tensor is a view of the values of another tensor"},
    [FSD_WHY_PARTS] = {"parts",
                       "layers write their outputs directly into parts of the tensor"},
    [FSD_WHY_NO_LAYER] = {"no-layer", "it is unknown which layer computes the tensor"},
    [FSD_WHY_OPAQUE] = {"opaque", "it is unknown which kernel of a region computes "
                                  "the tensor"},
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
