"""cured.py BINARY FOLDER [--forms A,B] [--networks A,B | --seed N]: models that `lint --fix` changed, built again.

Every network in every quantized form (quantize.py) is fixed for TensorRT for RTX, with the scales that the other
quantizers of a tensor have or that a run gives, and built before and after: none may have more layers, or move 0.5 % more
bytes of activations, what the builder refuses has to build then, unless lint
says why it is refused still, no rule may report what it did not before, and models with a planted fault (the forms faulty_*) are
held against the same model without it.  With a seed it draws networks (DRAWN) in place of the known ones.  Builds are kept in FOLDER by the
model's hash."""
import argparse
import functools
import os
import re
import subprocess
import sys

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "rules")]
import cures  # noqa: E402
import effects  # noqa: E402
import quantize  # noqa: E402
from models import Net  # noqa: E402

FAULTLESS = "skips"


def scales(listed, network):
    """Of the tensors that wait for one: from the ranges of a run of the network, before it was quantized."""
    waiting = re.findall(r"`([^`]+)`", listed.rsplit("--scale TENSOR=VALUE)", 1)[1]) if "--scale TENSOR" in listed else []
    ranges = quantize.values(network) if waiting else {}
    return [f"--scale={t}={max(float(abs(ranges[t]).max()), 1e-3) / 127}" for t in waiting if t in ranges]


def fix(binary, path, fixed, network):
    """True if a model was written."""
    if os.path.exists(fixed):
        os.unlink(fixed)
    listed = subprocess.run([binary, "lint", path, "--for", "rtx", "--fix"], capture_output=True, check=False).stdout.decode()
    subprocess.run([binary, "lint", path, "--for", "rtx", "--fix", *scales(listed, network), "-o", fixed],
                   capture_output=True, check=False)
    return os.path.exists(fixed)


# ------------------------------------------------------------------------- networks by seed


def vision(seed):
    """Blocks by chance that read one another: residuals, inverted ones, branches, a wider one."""
    import faults
    return faults.drawn(seed, (None, "concat", "silu")[seed % 3])


def text(seed):
    """A transformer: its sizes, activation, and whether norms come first, by chance."""
    random = np.random.default_rng(seed)
    heads, size, tokens = (int(random.choice(of)) for of in ((2, 3, 4), (16, 32), (16, 24, 49)))
    net, n, first = Net(seed), heads * size, bool(random.integers(2))
    act = random.choice(["Relu", "Gelu", "gated"])
    x = net.input("tokens", 1, tokens, n)
    for _ in range(int(random.integers(1, 4))):
        x = net.op("Add", x, net.attention(net.norm(x, n) if first else x, tokens, heads, size))
        if not first:
            x = net.norm(x, n)
        y = net.linear(net.norm(x, n) if first else x, n, 2 * n)
        if act == "Relu":
            y = net.op("Relu", y)
        elif act == "Gelu":
            erf = net.op("Add", net.op("Erf", net.op("Mul", y, net.const(np.float32(0.5 ** 0.5)))), net.const(np.float32(1)))
            y = net.op("Mul", net.op("Mul", y, erf), net.const(np.float32(0.5)))
        else:
            y = net.op("Mul", net.op("Sigmoid", y), net.linear(x, n, 2 * n))
        x = net.op("Add", net.linear(y, 2 * n, n), x)
    net.output(net.linear(x, n, 32), 1, tokens, 32)
    return net.model()


DRAWN = {"vision": vision, "text": text}


def draw(seed):
    """Three networks of each kind, added to those that quantize.py knows.
    @return their names"""
    made = {f"{kind}_{seed}_{i}": functools.partial(f, 100 * seed + i) for kind, f in DRAWN.items() for i in range(3)}
    quantize.NETWORKS.update(made)
    return ",".join(made)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary")
    words.add_argument("folder")
    words.add_argument("--seed", type=int)
    words.add_argument("--networks")
    words.add_argument("--forms", default=",".join(f for f in quantize.FORMS if not f.startswith("modelopt")))
    words = words.parse_args()
    folder = os.path.join(words.folder, "effects")
    os.makedirs(folder, exist_ok=True)
    built = refused = mended = changed = worse = fewer = faults = healed = 0
    networks = draw(words.seed) if words.seed is not None else words.networks or ",".join(quantize.NETWORKS)
    for form in words.forms.split(","):
        for network in networks.split(","):
            try:
                model = quantize.quantize(network, form)
            except Exception as error:  # pylint: disable=broad-except; of a quantizer
                print(f"{network}.{form}: not quantized: {error}")
                continue
            path, fixed = (os.path.join(folder, f"{network}.{form}{end}.onnx") for end in ("", ".fixed"))
            onnx.save(model, path)
            before = effects.cost(words.binary, folder, model)
            built += before is not None
            if not fix(words.binary, path, fixed, quantize.NETWORKS[network]()):
                refused += before is None
                continue
            changed += 1
            after = effects.cost(words.binary, folder, onnx.load(fixed))
            new = cures.marks(words.binary, fixed, "rtx")[1] - cures.marks(words.binary, path, "rtx")[0]
            if not before:  # which has no attention in one kernel to lose
                new = {(rule, node) for rule, node in new if rule != "fusion/attention"}
            foreseen = not before and not after and any(rule == "build/refused" for rule, _ in cures.marks(words.binary, fixed, "rtx")[1])
            refused += foreseen
            bad = new or not foreseen and not after or before and (after[0] > before[0] or after[1] > 1.005 * before[1])
            worse += bool(bad)
            fewer += bool(before and after and after[1] < 0.995 * before[1])
            mended += bool(not before and after)
            line = f"{'FAILED ' if bad else ''}{network}.{form}: {before} -> {after} {sorted(new) if new else ''}"
            if form.startswith("faulty_") and before:
                right = effects.cost(words.binary, folder, quantize.quantize(network, FAULTLESS))
                faults += before[0] != right[0] or before[1] > 1.02 * right[1]
                healed += (before[0] != right[0] or before[1] > 1.02 * right[1]) and after[0] <= right[0] and after[1] <= 1.005 * right[1]
                line += f", without the fault {right}"
            print(line, flush=True)
    print(f"{built} models built, {changed} changed by --fix: {fewer} move fewer bytes, {worse} are worse; {mended} that are "
          f"refused build then, {refused} do not; of {faults} with a fault that costs 2 % or layers {healed} are as without it")
    return worse > 0


if __name__ == "__main__":
    sys.exit(main())
