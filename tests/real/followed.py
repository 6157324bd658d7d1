"""followed.py BINARY FOLDER [--seed N] [--networks N] [--every N]: advice of reports, followed and built.

Networks by name (models.py), by seed (faults.py and those with a size, a constant or an output to change below) and quantized
(quantize.py) are built with TensorRT for RTX.  What "to do" of their reports advises is done: I/O formats are set, a network
input becomes INT8, constants are folded (by ONNX Runtime), another size is chosen, an output gets another type.  The model is
built again; no advice may be refused, and the bytes that it saves must be what it promises, within a fifth of that or 0.5 % of all
bytes.  One in ten may save more, where the builder fuses what the removed layer kept apart.  With --every only each N-th
network is built."""
import argparse
import functools
import hashlib
import json
import os
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import faults  # noqa: E402
import quantize  # noqa: E402
from models import MODELS, Net  # noqa: E402

FORMS = ("before", "skips", "ort", "fp8")


def bytes_of(binary, folder, model, *options):
    """(all bytes, the report); (None, None): refused."""
    data = model.SerializeToString()
    case = os.path.join(folder, hashlib.sha256(data + "".join(options).encode()).hexdigest()[:20])
    with open(case + ".onnx", "wb") as file:
        file.write(data)
    if not os.path.exists(case + ".log"):
        built = subprocess.run([sys.executable, os.path.join(HERE, "build.py"), case + ".onnx", case + ".part", *options],
                               capture_output=True, check=False)
        if built.returncode:
            return None, None
        os.rename(case + ".part", case + ".log")
    ran = subprocess.run([binary, case + ".onnx", case + ".log", "-f", "json"], capture_output=True, check=False)
    report = json.loads(ran.stdout)
    return sum(x.get("bytes", 0) for x in report["layers"]), report


# ------------------------------------------------------ networks with something to change, by seed

def windows(seed, size=None):
    """Attention within windows, of an odd number of tokens."""
    random = np.random.default_rng(seed)
    heads, width, count = (int(random.choice(of)) for of in ((2, 3, 4, 6), (16, 24, 32), (4, 8, 16)))
    tokens = int(random.choice((7, 9, 11))) ** 2
    tokens = size or tokens
    net, c = Net(seed), heads * width
    x = net.input("x", count, tokens, c)
    for _ in range(int(random.integers(1, 3))):
        q, k, v = (net.op("Transpose", net.op("Reshape", net.linear(x, c, c), net.const(np.array([count, tokens, heads, width]))),
                          perm=perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        y = net.op("Add", net.op("MatMul", q, k), net.weight(heads, tokens, tokens))
        y = net.op("Transpose", net.op("MatMul", net.op("Softmax", y, axis=-1), v), perm=[0, 2, 1, 3])
        x = net.op("Add", x, net.linear(net.op("Reshape", y, net.const(np.array([count, tokens, c]))), c, c))
    net.output(x, count, tokens, c)
    return net.model()


def clips(seed, size=None):
    """Depthwise convolutions of a video, of one channel a group."""
    random = np.random.default_rng(seed)
    net, c, group = Net(seed), int(random.choice((16, 24, 32))), size or 1
    x = net.op("Cast", net.input("clip", 1, 3, 8, 32, 32), to=TensorProto.FLOAT16)

    def conv(x, c_in, c_out, kernel, groups=1):
        weights = net.const((net.random.standard_normal((c_out, c_in // groups, *kernel)) / 20).astype(np.float16))
        return net.op("Relu", net.op("Conv", x, weights, kernel_shape=kernel, pads=[k // 2 for k in kernel] * 2, group=groups))
    x = conv(x, 3, c, (1, 3, 3))
    for _ in range(int(random.integers(1, 4))):
        y = conv(conv(x, c, 2 * c, (1, 1, 1)), 2 * c, 2 * c, (3, 3, 3), 2 * c // group)
        x = net.op("Add", x, conv(y, 2 * c, c, (1, 1, 1)))
    net.output(net.op("Cast", x, to=TensorProto.FLOAT), 1, c, 8, 32, 32)
    return net.model()


def positions(seed, size=None):
    """Positions that are the same in each inference, and go through a layer of their own."""
    random = np.random.default_rng(seed)
    tokens, c = int(random.choice((40, 64, 100))), int(random.choice((32, 64)))
    net = Net(seed)
    x, table = net.input("x", 1, tokens, c), net.weight(tokens, c)
    for _ in range(int(random.integers(1, 4))):
        x = net.op("Relu", net.op("Add", net.linear(x, c, c), net.op("Tanh", net.linear(table, c, c))))
    net.output(x, 1, tokens, c)
    return net.model()


def ranks(seed, size=None):
    """Places of the largest values: the builder computes them in INT32."""
    random = np.random.default_rng(seed)
    net, c = Net(seed), int(random.choice((16, 32)))
    x = net.conv(net.input("x", 1, 3, 32, 32), 3, c)
    net.output(net.op("ArgMax", x, axis=1, keepdims=1), 1, 1, 32, 32, type=TensorProto.INT64)
    net.output(net.op("TopK", net.op("Reshape", x, net.const(np.array([1, -1]))), net.const(np.array([64])), outputs=2)[1],
               1, 64, type=TensorProto.INT64)
    return net.model()


CHANGEABLE = (windows, clips, positions, ranks)

# Each returns (the model, options for its build), or None: the advice is not of its form.


def formats(model, text, _):
    found = re.match(r"build with --(input|output)IOFormats=(\S+) and", text)
    return (model, [f"{found[1]}s={found[2]}"]) if found else None


def narrow_input(model, text, _):
    """Its QuantizeLinear goes; the caller quantizes."""
    found = re.match(r"quantize the network input `(.*?)` in the caller and pass int8", text)
    if not found:
        return None
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph = model.graph
    given = next(i for i in graph.input if i.name == found[1])
    for node in [n for n in graph.node if found[1] in n.input]:
        if node.op_type != "QuantizeLinear":
            raise ValueError(f"{node.op_type} reads the input as well")
        for other in graph.node:
            for k, name in enumerate(other.input):
                other.input[k] = found[1] if name == node.output[0] else name
        graph.node.remove(node)
    given.type.tensor_type.elem_type = TensorProto.INT8
    return model, []


def folded(model, text, _):
    """Every node whose inputs are known without an inference, and that is no quantizer, as its value."""
    if not text.startswith("fold "):
        return None
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph, known = model.graph, {t.name for t in model.graph.initializer}
    constant = []
    for node in graph.node:
        if all(i in known or not i for i in node.input):
            known |= set(node.output)
            constant += [] if node.op_type in ("QuantizeLinear", "DequantizeLinear") else [node]
    values = quantize.values(model)
    for node in constant:
        graph.initializer.extend(numpy_helper.from_array(values[o], o) for o in node.output if o)
        graph.node.remove(node)
    return model, []


def sized(_, text, make):
    """The network with the size that needs no padding."""
    found = re.match(r"choose (\d+|an even number of) (?:elements|channels per group) instead of (\d+) at", text)
    return (make(int(found[1]) if found[1].isdigit() else int(found[2]) + 1), []) if found and make else None


def typed(model, text, _):
    """An output is cast to the type in which the builder computes it."""
    found = re.match(r"change the network output `(.*?)` to (\w+) in the model", text)
    if not found:
        return None
    model = onnx.ModelProto.FromString(model.SerializeToString())
    output = next(o for o in model.graph.output if o.name == found[1])
    output.type.tensor_type.elem_type = getattr(TensorProto, found[2].upper().replace("FP", "FLOAT"))
    for node in model.graph.node:
        for k, name in enumerate(node.output):
            node.output[k] = name + "_made" if name == found[1] else name
        for k, name in enumerate(node.input):
            node.input[k] = name + "_made" if name == found[1] else name
    model.graph.node.append(helper.make_node("Cast", [found[1] + "_made"], [found[1]], to=output.type.tensor_type.elem_type))
    return model, []


FORMS_OF_ADVICE = (formats, narrow_input, folded, sized, typed)


def networks(seed, count):
    """(name, model, what makes it with another size or None) of each."""
    for name, make in sorted(MODELS.items()):
        yield name, make(), None
    for name, make in sorted(quantize.NETWORKS.items()):
        for form in FORMS:
            try:
                yield f"{name}.{form}", quantize.quantize(name, form), None
            except Exception as error:  # pylint: disable=broad-except; of a quantizer
                print(f"{name}.{form}: not quantized: {str(error)[:100]}")
    for i in range(count):
        yield f"drawn.{1000 * seed + i}", faults.drawn(1000 * seed + i, None), None
    for i in range(count):
        make = functools.partial(CHANGEABLE[i % len(CHANGEABLE)], 1000 * seed + i)
        yield f"{make.func.__name__}.{1000 * seed + i}", make(), make if make.func in (windows, clips) else None


def follow(binary, folder, name, model, text, before, remake=None):
    """"right", "more" or "less" than promised; None: no form of advice that is followed."""
    made = next((m for m in (f(model, text, remake) for f in FORMS_OF_ADVICE) if m), None)
    said = re.search(r"(may save|saves) ([\d.]+) % of the (known )?bytes", text)
    if not made or not said:
        return None
    after, _ = bytes_of(binary, folder, made[0], *made[1])
    share, promised = 100 * (1 - after / before) if after else None, float(said[2])
    near = max(0.2 * promised, 0.5)
    result = "less" if after is None or share < promised - near else "right" if share <= promised + near else "more"
    print(f"{'FAILED ' if result == 'less' else ''}{name}: {text}: {'refused' if after is None else f'{share:.1f} %'}", flush=True)
    return result


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary")
    words.add_argument("folder")
    for option, default in (("--seed", 1), ("--networks", 20), ("--every", 1)):
        words.add_argument(option, type=int, default=default)
    words = words.parse_args()
    folder = os.path.join(words.folder, "followed")
    os.makedirs(folder, exist_ok=True)
    results, left = [], 0
    for i, (name, model, remake) in enumerate(networks(words.seed, words.networks)):
        if (i + words.seed) % words.every:
            continue
        before, report = bytes_of(words.binary, folder, model)
        lines = [x["text"] for x in report["summary"]["brief"] if x["topic"] == "to do"] if before else []
        for text in lines:
            result = follow(words.binary, folder, name, model, text, before, remake)
            left += result is None and not text.startswith("no known change saves more")
            results += [result] if result else []
    more = results.count("more")
    print(f"{len(results)} pieces of advice followed: {results.count('right')} save what they promise, {more} more, "
          f"{results.count('less')} less or are refused; {left} of other forms")
    return not results or "less" in results or 10 * more > len(results) + 9


if __name__ == "__main__":
    sys.exit(main())
