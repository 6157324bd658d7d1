"""counters.py: multiply-adds as others' counters have them, of networks that ../shared/models has as ONNX.

    counters.py                  counters of PyTorch, given the networks of torchvision
    counters.py SHARED           counters of ONNX, given the files

Whoever cannot be imported is left out, and said so: no test needs one, and PyTorch is too large for one.  Prints, for
docs/reference/conformance.md, a table of the networks with the version of each counter."""
import contextlib
import importlib
import io
import os
import sys
import warnings
from importlib import metadata

warnings.filterwarnings("ignore")

# network of torchvision -> its file, the sizes of its input
NETWORKS = {"resnet18": ("resnet18_qat_ts", (1, 3, 224, 224)),
            "mobilenet_v2": ("mobilenet_v2_qat_ts", (1, 3, 224, 224)),
            "efficientnet_b0": ("efficientnet_b0_ts", (1, 3, 224, 224)),
            "deeplabv3_resnet50": ("deeplabv3_resnet50_ts", (1, 3, 224, 224)),
            "vit_b_16": ("vit_b_16_ts", (1, 3, 224, 224)),
            "swin_t": ("swin_t_ts", (1, 3, 224, 224))}


def by_fvcore(net, x):
    from fvcore.nn import FlopCountAnalysis
    return FlopCountAnalysis(net, x).unsupported_ops_warnings(False).uncalled_modules_warnings(False).total()


def by_thop(net, x):
    from thop import profile
    return profile(net, inputs=(x,), verbose=False)[0]


def by_torchinfo(net, x):
    from torchinfo import summary
    return summary(net, input_data=x, verbose=0).total_mult_adds


def by_ptflops(net, x):
    from ptflops import get_model_complexity_info
    return get_model_complexity_info(net, tuple(x.shape[1:]), as_strings=False, print_per_layer_stat=False,
                                     verbose=False)[0]


def by_calflops(net, x):
    from calflops import calculate_flops
    return calculate_flops(net, input_shape=tuple(x.shape), output_as_string=False, print_results=False)[1]


def by_flopth(net, x):
    from flopth import flopth
    return flopth(net, in_size=(tuple(x.shape[1:]),), bare_number=True)[0]


def by_torchprofile(net, x):
    from torchprofile import profile_macs
    return profile_macs(net, x)


def by_onnx_opcounter(path):
    import onnx
    from onnx_opcounter import calculate_macs
    return calculate_macs(onnx.load(path, load_external_data=False))


def quietly(count, *args):
    """What it counts, or the name of what it stumbles over."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return f"{int(count(*args)):,}"
        except Exception as error:      # whatever it stumbles over
            return f"fails: {type(error).__name__}"


def network(name, sizes):
    import torch
    import torchvision
    make = getattr(torchvision.models, name, None) or getattr(torchvision.models.segmentation, name)
    more = {"weights_backbone": None} if "deeplab" in name else {}
    return make(weights=None, **more).eval(), torch.zeros(sizes)


def main():
    shared = sys.argv[1] if len(sys.argv) > 1 else None
    counters = {}
    for name, count in (("onnx_opcounter", by_onnx_opcounter),) if shared else (
            ("fvcore", by_fvcore), ("thop", by_thop), ("torchinfo", by_torchinfo), ("ptflops", by_ptflops),
            ("calflops", by_calflops), ("flopth", by_flopth), ("torchprofile", by_torchprofile)):
        try:
            importlib.import_module(name)
            counters[f"{name} {metadata.version(name)}"] = count
        except ImportError as error:
            print(f"not run: {name}: {error}")
    print("| network | " + " | ".join(counters) + " |\n|---|" + "---:|" * len(counters))
    for name, (file, sizes) in NETWORKS.items():
        row = [quietly(count, os.path.join(shared, "models", file + ".onnx")) if shared
               else quietly(count, *network(name, sizes)) for count in counters.values()]
        print(f"| {name} | " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
