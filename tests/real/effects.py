"""effects.py BINARY FOLDER [--networks A,B] [--forms A,B] [--each N] [--out FILE]: what the edits of each rule of lint save.

Of each network in each quantized form (quantize.py) every finding's edits are applied alone, at most N of a rule
(2), and all of a rule together; the engine that TensorRT for RTX builds is held against that of the model as it was:
layers that take time, and the bytes of activations that they move.  The rules of other builders are measured as
well.  Builds are kept in FOLDER by the model's hash.  Printed are all measurements, and a line a rule."""
import argparse
import hashlib
import json
import os
import subprocess
import sys

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "rules")]
import apply  # noqa: E402
import quantize  # noqa: E402

ASKED = ("rtx", "trt10")  # builders whose rules are measured


def report(binary, *args):
    ran = subprocess.run([binary, *args, "-f", "json"], capture_output=True, check=False)
    return json.loads(ran.stdout) if ran.returncode < 2 else None


def cost(binary, folder, model):
    """Layers that take time, and the bytes of activations; None: the builder refuses the model."""
    data = model.SerializeToString()
    case = os.path.join(folder, hashlib.sha256(data).hexdigest()[:20])
    if not os.path.exists(case + ".json"):
        with open(case + ".onnx", "wb") as file:
            file.write(data)
        built = subprocess.run([sys.executable, os.path.join(HERE, "build.py"), case + ".onnx", case + ".log"],
                               capture_output=True, check=False)
        said = report(binary, case + ".onnx", case + ".log") if built.returncode == 0 else None
        layers = [x for x in said["layers"] if x["kind"] != "sync"] if said else []
        result = [len(layers), sum(x.get("bytes", 0) - x.get("weight_bytes", 0) for x in layers)] if said else None
        with open(case + ".json", "w", encoding="utf-8") as file:
            json.dump(result, file)
    with open(case + ".json", encoding="utf-8") as file:
        return json.load(file)


def findings(binary, path):
    """rule -> edits of each finding, of all builders that are asked, each list once."""
    found = {}
    for target in ASKED:
        said = report(binary, "lint", path, "--for", target)
        for edits in [[e for e in said["edits"] if e["finding"] == i] for i in range(len(said["findings"]))] if said else []:
            key = sorted((e["action"], e["node"], e.get("input", 0)) for e in edits)
            if edits and not edits[0].get("on_request"):
                found.setdefault(edits[0]["rule"], {}).setdefault(str(key), edits)
    return {rule: list(lists.values()) for rule, lists in found.items()}


def edited(model, edits):
    changed = onnx.ModelProto.FromString(model.SerializeToString())
    for edit in edits:
        if edit["action"] != "remove-pair":
            edit.setdefault("scale", 0.02)
    apply.apply(changed, edits)
    return changed


def measure(binary, folder, name, model, each, out):
    path = os.path.join(folder, name + ".onnx")
    onnx.save(model, path)
    before = cost(binary, folder, model)
    print(f"{name}: {'refused' if not before else before}", flush=True)
    if not before:
        return
    for rule, lists in findings(binary, path).items():
        groups = [(f"{i}", edits) for i, edits in enumerate(lists[:each])]
        groups += [("all", [e for edits in lists for e in edits])] if len(lists) > 1 else []
        for which, edits in groups:
            try:
                after = cost(binary, folder, edited(model, edits))
            except Exception as error:  # pylint: disable=broad-except; edits that cannot be applied together
                print(f"  {rule} {which}: not applied: {error}")
                continue
            layers, moved = (after[0] - before[0], 100 * (after[1] / before[1] - 1)) if after else (None, None)
            print(f"  {rule:20} {which:4} {len(edits):3} edits: " +
                  (f"{layers:+d} layers, {moved:+.2f} % bytes" if after else "refused"), flush=True)
            out.append({"model": name, "rule": rule, "which": which, "edits": len(edits), "layers": layers, "bytes": moved})


def summary(rows):
    """Of each model the change by all edits of a rule together, or by its only ones."""
    print(f"\n{'rule':22} models builds  fewer bytes  equal  more bytes   bytes, %: least, median, most")
    for rule in sorted({r["rule"] for r in rows}):
        mine = [r for r in rows if r["rule"] == rule and r["bytes"] is not None]
        whole = {r["model"]: r["bytes"] for r in mine}  # "all" comes last
        ordered = sorted(whole.values())
        if ordered:
            print(f"{rule:22} {len(ordered):6} {len(mine) + len(ordered):6} {sum(b < -0.5 for b in ordered):12} "
                  f"{sum(abs(b) <= 0.5 for b in ordered):6} {sum(b > 0.5 for b in ordered):11}   "
                  f"{ordered[0]:+.1f} {ordered[len(ordered) // 2]:+.1f} {ordered[-1]:+.1f}")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary")
    words.add_argument("folder")
    words.add_argument("--networks", default=",".join(quantize.NETWORKS))
    words.add_argument("--forms", default=",".join(quantize.FORMS))
    words.add_argument("--each", type=int, default=2)
    words.add_argument("--out")
    words = words.parse_args()
    rows, folder = [], os.path.join(words.folder, "effects")
    os.makedirs(folder, exist_ok=True)
    for form in words.forms.split(","):
        for network in words.networks.split(","):
            try:
                model = quantize.quantize(network, form)
            except Exception as error:  # pylint: disable=broad-except; of a quantizer
                print(f"{network}.{form}: not quantized: {error}")
                continue
            measure(words.binary, folder, f"{network}.{form}", model, words.each, rows)
            if words.out:
                with open(words.out, "w", encoding="utf-8") as file:
                    json.dump(rows, file, indent=1)
    summary(rows)


if __name__ == "__main__":
    main()
