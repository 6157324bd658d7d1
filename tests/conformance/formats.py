"""Which I/O formats the builder accepts: a network for each type, layout and rank is built with that format at its
input, and one with it at its output.

    formats.py SOURCE [--update]    compares the rows in SOURCE (src/read/trt/format.c) with what this builder accepts

A format is accepted where every network of that rank builds: a sum and, of a rank that has one, a convolution, with
3 channels and with 32.  Some combinations pass the check of the API and fail in the compiler for some sizes; these
are refused here as well, since nobody can be advised to try them."""
import argparse
import sys

import numpy as np

import engines

TYPES = {"FSD_FP32": "FLOAT", "FSD_FP16": "HALF", "FSD_BF16": "BF16", "FSD_INT8": "INT8", "FSD_UINT8": "UINT8",
         "FSD_INT32": "INT32", "FSD_INT64": "INT64", "FSD_BOOL": "BOOL", "FSD_FP8": "FP8"}
# As trtexec writes them: its --inputIOFormats=fp16:hwc8.
LAYOUTS = {"chw": "LINEAR", "chw2": "CHW2", "chw4": "CHW4", "chw16": "CHW16", "chw32": "CHW32", "hwc": "HWC", "hwc8": "HWC8",
           "hwc16": "HWC16", "dhwc": "DHWC", "dhwc8": "DHWC8", "cdhw32": "CDHW32"}
RANKS = range(1, 6)
SUMS = ("FLOAT", "HALF", "BF16", "INT32", "INT64")
PRODUCTS = {"FLOAT": np.float32, "HALF": np.float16}


def dims_of(rank, channels):
    return [channels, 10, 12][:rank] if rank < 4 else [2, channels, 6, 10, 12] if rank == 5 else [2, channels, 10, 12]


def networks(trt, builder, word, rank):
    """(network, its input, its output) of each kind that this type and rank has."""
    for channels in (3, 32):
        for kind in ("sum", "product"):
            network = builder.create_network(0)
            x = network.add_input("x", getattr(trt.DataType, word), dims_of(rank, channels))
            if kind == "product":
                if word not in PRODUCTS or rank < 4:
                    continue
                weights = np.ones(32 * channels, PRODUCTS[word])
                y = network.add_convolution_nd(x, 32, [1] * (rank - 2), trt.Weights(weights)).get_output(0)
            elif word in SUMS:
                y = network.add_elementwise(x, x, trt.ElementWiseOperation.SUM).get_output(0)
            else:
                y = network.add_identity(x).get_output(0)
            y.name = "y"
            network.mark_output(y)
            yield network, x, y


def accepts(trt, builder, word, layout, rank, at_input):
    for network, x, y in networks(trt, builder, word, rank):
        (x if at_input else y).allowed_formats = 1 << int(getattr(trt.TensorFormat, LAYOUTS[layout]))
        config = builder.create_builder_config()
        config.num_compute_capabilities = 1
        config.set_compute_capability(getattr(trt.ComputeCapability, engines.CAPABILITY), 0)
        if builder.build_serialized_network(network, config) is None:
            return False
    return True


def table(trt):
    class Silent(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)

        def log(self, severity, msg):
            pass

    builder = trt.Builder(Silent())
    lines = []
    for name, word in TYPES.items():
        for layout in LAYOUTS:
            masks = [sum(1 << r for r in RANKS if accepts(trt, builder, word, layout, r, side)) for side in (True, False)]
            if any(masks):
                lines.append(f'    {{{name}, "{layout}", 0x{masks[0]:02x}, 0x{masks[1]:02x}}},\n')
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("source")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    made = table(engines.builder())
    with open(args.source, encoding="utf-8") as file:
        head, rest = file.read().split("    /* clang-format off */\n", 1)
    rows, tail = rest.split("    /* clang-format on */\n", 1)
    if args.update:
        with open(args.source, "w", encoding="utf-8") as file:
            file.write(f"{head}    /* clang-format off */\n{made}    /* clang-format on */\n{tail}")
        return 0
    print("the table is what the builder accepts" if rows == made
          else "the builder accepts other formats: run with --update, and read")
    return 0 if rows == made else 1


if __name__ == "__main__":
    sys.exit(main())
