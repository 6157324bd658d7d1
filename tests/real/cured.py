"""cured.py BINARY FOLDER [--networks A,B] [--forms A,B]: models that `lint --fix` changed, built again.

Every network in every quantized form (quantize.py) is fixed for TensorRT for RTX, with the scales that the other
quantizers of a tensor have or that a run gives, and built before and after: none may have more layers, or move 0.5 % more
bytes of activations, what the builder refuses has to build then, unless lint
says why it is refused still, no rule may report what it did not before, and models with a planted fault (the forms faulty_*) are
held against the same model without it.  Builds are kept in FOLDER by the model's hash."""
import argparse
import os
import re
import subprocess
import sys

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "rules")]
import cures  # noqa: E402
import effects  # noqa: E402
import quantize  # noqa: E402

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


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary")
    words.add_argument("folder")
    words.add_argument("--networks", default=",".join(quantize.NETWORKS))
    words.add_argument("--forms", default=",".join(f for f in quantize.FORMS if not f.startswith("modelopt")))
    words = words.parse_args()
    folder = os.path.join(words.folder, "effects")
    os.makedirs(folder, exist_ok=True)
    built = refused = mended = changed = worse = fewer = faults = healed = 0
    for form in words.forms.split(","):
        for network in words.networks.split(","):
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
