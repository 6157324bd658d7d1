"""followed.py BINARY FOLDER [--seed N] [--networks N] [--every N]: advice of reports, followed and built.

Networks by name (models.py), by seed (faults.py) and quantized (quantize.py) are built with TensorRT for RTX.  What "to
do" of their reports advises is done: I/O formats are set, a network input becomes INT8, constants are folded (by ONNX
Runtime).  The model is built again; no advice may be refused, and the bytes that it saves must be what it promises, within a
fifth of that or 0.5 % of all bytes; of what "may" be saved, something.  One in twenty may save more than it promises, where
the builder fuses what the removed layer kept apart.  With --every only each N-th network is built."""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys

import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import faults  # noqa: E402
import quantize  # noqa: E402
from models import MODELS  # noqa: E402

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


# Each returns (the model, options for its build), or None: the advice is not of its form.

def formats(model, text):
    found = re.match(r"build with --(input|output)IOFormats=(\S+) and", text)
    return (model, [f"{found[1]}s={found[2]}"]) if found else None


def narrow_input(model, text):
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


def folded(model, text):
    """Every node that reads constants alone, and is no quantizer, as its value."""
    if not text.startswith("fold "):
        return None
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph, known = model.graph, {t.name for t in model.graph.initializer}
    constant = []
    for node in graph.node:
        if all(i in known or not i for i in node.input) and node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            known |= set(node.output)
            constant.append(node)
    values = quantize.values(model)
    for node in constant:
        graph.initializer.extend(numpy_helper.from_array(values[o], o) for o in node.output if o)
        graph.node.remove(node)
    return model, []


def networks(seed, count):
    for name, make in sorted(MODELS.items()):
        yield name, make()
    for name, make in sorted(quantize.NETWORKS.items()):
        for form in FORMS:
            try:
                yield f"{name}.{form}", quantize.quantize(name, form)
            except Exception as error:  # pylint: disable=broad-except; of a quantizer
                print(f"{name}.{form}: not quantized: {str(error)[:100]}")
    for i in range(count):
        yield f"drawn.{1000 * seed + i}", faults.drawn(1000 * seed + i, None)


def follow(binary, folder, name, model, text, before):
    """"right", "more" or "less" than promised; None: no form of advice that is followed."""
    made = next((m for m in (f(model, text) for f in (formats, narrow_input, folded)) if m), None)
    said = re.search(r"(may save|saves) ([\d.]+) % of the (known )?bytes", text)
    if not made or not said:
        return None
    after, _ = bytes_of(binary, folder, made[0], *made[1])
    share, promised = 100 * (1 - after / before) if after else None, float(said[2])
    near = max(0.2 * promised, 0.5)
    result = "less" if after is None or share <= 0 else "right" if said[1] == "may save" or abs(share - promised) <= near \
        else "less" if share < promised else "more"
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
    for i, (name, model) in enumerate(networks(words.seed, words.networks)):
        if (i + words.seed) % words.every:
            continue
        before, report = bytes_of(words.binary, folder, model)
        lines = [x["text"] for x in report["summary"]["brief"] if x["topic"] == "to do"] if before else []
        for text in lines:
            result = follow(words.binary, folder, name, model, text, before)
            left += result is None and not text.startswith("nothing known")
            results += [result] if result else []
    more = results.count("more")
    print(f"{len(results)} pieces of advice followed: {results.count('right')} save what they promise, {more} more, "
          f"{results.count('less')} less or are refused; {left} of other forms")
    return not results or "less" in results or 20 * more > len(results) + 19


if __name__ == "__main__":
    sys.exit(main())
